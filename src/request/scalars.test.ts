// Instants as clients write them: ISO 8601 in its long, reduced and basic forms, and milliseconds since 1970. What
// Strapi reads of them is what date-fns makes of a text, and after that milliseconds.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDate, readInstant } from './scalars.ts';

const shown = (text: string | number): string | null => {
  const instant = readInstant(text);
  return instant === null ? null : new Date(instant).toISOString();
};
const day = (text: string): string => `${text}T00:00:00.000Z`;

describe('an instant', () => {
  it.each([
    ['20', day('2000-01-01')],
    ['2025', day('2025-01-01')],
    ['0001', day('0001-01-01')],
    ['202503', day('2025-03-01')],
    ['2025123', day('2025-05-03')],
    ['2024366', day('2024-12-31')],
    ['20250301', day('2025-03-01')],
    ['20240229', day('2024-02-29')],
    ['2025-03', day('2025-03-01')],
    ['2025-060', day('2025-03-01')],
    ['2025-0301', day('2025-03-01')],
    ['2025-W01', day('2024-12-30')],
    ['2025-W12', day('2025-03-17')],
    ['2025W123', day('2025-03-19')],
    ['2025-W12-7', day('2025-03-23')],
    ['2025-03-01Z', day('2025-03-01')],
    ['20250301T100000Z', '2025-03-01T10:00:00.000Z'],
    ['20250301T100000,25+0230', '2025-03-01T07:30:00.250Z'],
    ['20250301T1030', '2025-03-01T10:30:00.000Z'],
    ['20250301T10', '2025-03-01T10:00:00.000Z'],
    ['2025-03-01T10+02', '2025-03-01T08:00:00.000Z'],
    ['2025-03-01 10:30', '2025-03-01T10:30:00.000Z'],
    ['2025-03-01T24:00', day('2025-03-02')],
    ['2025-03T10:00', '2025-03-01T10:00:00.000Z'],
    ['2025-W12-3T10:00Z', '2025-03-19T10:00:00.000Z'],
  ])('in ISO 8601 is read as such: %s', (text, instant) => {
    expect(shown(text)).toBe(instant);
  });

  it.each([
    '0',
    '1',
    '202',
    '20251',
    '202500',
    '202513',
    '2025000',
    '2025366',
    '20250001',
    '20251301',
    '20250229',
    '202503011',
    '1700000000',
    '20250301100000',
    '1700000000000',
    '-1',
    '-2025',
    '+2025',
  ])('in digits that are no date counts milliseconds: %s', (text) => {
    expect(readInstant(text)).toBe(Number(text));
  });

  it.each([
    '',
    ' ',
    'now',
    '00',
    '0000',
    '000001',
    '2025-13',
    '2025-3',
    '2025-00',
    '2025-000',
    '2025-366',
    '2025-02-30',
    '2025-W00',
    '2025-W54',
    '2025-W12-0',
    '2025-W12-8',
    '2025-03-01T25:00',
    '2025-03-01T24:00:01',
    '2025-03-01T10:60',
    '2025-03-01T10:00:60',
    '2025-03-01T10:00+99:99',
    '20250301T1',
    '20250301100000Z',
    '10:00',
    'T10:00',
    '2025-03-01T',
    '1.5',
    '1e3',
    '99999999999999999',
    '9999-12-31T23:00-02:00',
    '0001-01-01T00:00+01:00',
  ])('is not: %j', (text) => {
    expect(readInstant(text)).toBeNull();
  });

  it('that is a number counts milliseconds, whatever its digits', () => {
    for (const number of [0, 20, 2025, 202503, 20250301, -1]) expect(readInstant(number)).toBe(number);
    for (const number of [1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e16]) expect(readInstant(number)).toBeNull();
  });

  it('is the same in every form of it', () => {
    const [min, max] = [new Date('0001-01-01T00:00:00Z'), new Date('9999-12-31T23:59:59Z')];
    fc.assert(
      fc.property(fc.date({ min, max, noInvalidDate: true }), (date) => {
        const text = date.toISOString();
        const basic = text.replace(/[:-]/g, '');
        for (const form of [text, text.slice(0, -1), basic, basic.replace('.', ','), basic.replace('Z', '+00')])
          expect(readInstant(form), form).toBe(date.getTime());
        for (const length of ['yyyy', 'yyyy-MM', 'yyyy-MM-dd', 'yyyy-MM-ddTHH', 'yyyy-MM-ddTHH:mm'].map(
          (it) => it.length,
        )) {
          const reduced = text.slice(0, length);
          const whole = `${reduced}${'0000-01-01T00:00:00.000Z'.slice(length)}`;
          expect(readInstant(reduced), reduced).toBe(Date.parse(whole));
          expect(readInstant(reduced.replace(/[:-]/g, '')), `basic ${reduced}`).toBe(Date.parse(whole));
        }
      }),
    );
  });
});

describe('a date', () => {
  it('is written in full, alone or with a time', () => {
    for (const text of ['2025-03-01', '2025-03-01T10', '2025-03-01T23:00-05:00'])
      expect(readDate(text)).toBe('2025-03-01');
    for (const text of ['2025', '2025-03', '20250301', '2025-060', '2025-W12-3', '0000-01-01', '2025-02-29'])
      expect(readDate(text)).toBeNull();
  });
});
