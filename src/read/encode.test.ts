// Column values as JSON text: instants agree with the platform's own formatting to the last digit, and every type
// comes out in the one form that the dialect promises.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScalarType } from '../model/types.ts';
import { decoderOf, ENCODERS, encoderOf, isoInstant } from './encode.ts';

const LATEST = 8.64e15;
const DAY = 86_400_000;

describe('an instant', () => {
  const same = (milliseconds: number) => expect(isoInstant(milliseconds)).toBe(new Date(milliseconds).toISOString());

  it.each([
    ['1970 begins', 0],
    ['the millisecond before', -1],
    ['a second before', -1_000],
    ['the day before begins', -DAY],
    ['just before that', -DAY - 1],
    ['a leap day', Date.UTC(2024, 1, 29, 23, 59, 59, 999)],
    ['the last day of a year', Date.UTC(2026, 11, 31, 23, 59, 59, 999)],
    ['a century without a leap day', Date.UTC(1900, 2, 1)],
    ['the year 0', Date.UTC(0, 0, 1) - 1900 * 365.25 * DAY],
    ['the last millisecond of 9999', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
    ['the first of 10000', Date.UTC(10000, 0, 1)],
    ['the year 12345', Date.UTC(12345, 5, 6, 7, 8, 9, 10)],
    ['the year -1', Date.UTC(-1, 0, 1)],
    ['the latest there is', LATEST],
    ['the earliest there is', -LATEST],
  ])('is written as the platform writes it: %s', (_what, milliseconds) => {
    same(Math.trunc(milliseconds));
  });

  it('is written as the platform writes it, in every year, before and after 1970', () => {
    for (let year = -300; year <= 10_300; year++) {
      const start = Date.UTC(2000, 0, 1) + Math.round((year - 2000) * 365.2425 * DAY);
      same(start);
      same(start + 12_345_678_901);
    }
  });

  it('is written as the platform writes it, on every millisecond of a second and every minute of a day', () => {
    for (let millisecond = 0; millisecond < 1_000; millisecond++) same(1_700_000_000_000 + millisecond);
    for (let minute = 0; minute < 24 * 60; minute++) {
      same(minute * 60_000 + 59_999);
      same(-minute * 60_000 - 1);
    }
  });

  it('is written as the platform writes it, wherever one looks', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (wild) => {
        same(wild % (LATEST + 1));
      }),
      { numRuns: 5_000 },
    );
  });

  it('is written the same after more days than are remembered', () => {
    const day = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
    const before = isoInstant(day);
    for (let index = 0; index < 10_001; index++) isoInstant(index * DAY);
    expect(isoInstant(day)).toBe(before);
    same(day);
  });
});

describe('an instant that came in JSON', () => {
  const encode = encoderOf('datetime', true);

  it.each([
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.1', '2026-01-02T03:04:05.100Z'],
    ['2026-01-02T03:04:05.12', '2026-01-02T03:04:05.120Z'],
    ['2026-01-02T03:04:05.123456', '2026-01-02T03:04:05.123Z'],
    ['2026-01-02T03:04:05.999999', '2026-01-02T03:04:05.999Z'],
    ['1969-12-31T23:59:59.999999', '1969-12-31T23:59:59.999Z'],
    ['0001-01-01T00:00:00', '0001-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00 BC', '0000-01-01T00:00:00.000Z'],
    ['0044-03-15T12:00:00.5 BC', '-000043-03-15T12:00:00.500Z'],
    ['10000-01-01T00:00:00', '+010000-01-01T00:00:00.000Z'],
    ['12345-06-07T08:09:10.010203', '+012345-06-07T08:09:10.010Z'],
    ['2026-01-02T03:04:05+02:00', '2026-01-02T01:04:05.000Z'],
    ['2026-01-02T03:04:05.1-05:30', '2026-01-02T08:34:05.100Z'],
    ['275760-09-13T00:00:00', '+275760-09-13T00:00:00.000Z'],
  ])('%s is %s', (text, shown) => {
    expect(encode(text)).toBe(`"${shown}"`);
  });

  it.each(['infinity', '-infinity', '275760-09-13T00:00:00.001', '294276-12-31T23:59:59'])('%s is null', (text) => {
    expect(encode(text)).toBe('null');
  });

  it('is what it is as a number, wherever one looks', () => {
    const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
    fc.assert(
      fc.property(fc.integer({ min: -62_135_596_800_000, max: latest }), fc.nat(999), (milliseconds, micro) => {
        const text = `${isoInstant(milliseconds).slice(0, -1)}${String(micro).padStart(3, '0')}`.replace(/\.?0+$/, '');
        expect(encode(text)).toBe(ENCODERS.datetime(milliseconds));
      }),
      { numRuns: 5_000 },
    );
  });
});

describe('a value', () => {
  it('that is null is null, whatever its type', () => {
    for (const [type, encode] of Object.entries(ENCODERS)) expect(encode(null), type).toBe('null');
  });

  it('of text is quoted, with everything escaped that JSON wants escaped', () => {
    const hard = 'a"b\\c\n\u0000\u2028🌸';
    for (const type of ['string', 'text', 'richtext', 'email', 'uid', 'enumeration', 'date'] as const)
      expect(JSON.parse(ENCODERS[type](hard))).toBe(hard);
  });

  it('that is a password never comes out', () => {
    expect(ENCODERS.password('secret')).toBe('null');
  });

  it('that is a number keeps every digit, and is null where JSON has no such number', () => {
    for (const type of ['integer', 'float', 'decimal'] as const) {
      for (const value of [0, -1, 25, 0.1, 4.35, 1e21, 5e-324, Number.MAX_VALUE])
        expect(JSON.parse(ENCODERS[type](value))).toBe(value);
      for (const value of [Number.NaN, Infinity, -Infinity]) expect(ENCODERS[type](value)).toBe('null');
    }
  });

  it('that is a big integer is an exact text', () => {
    expect(ENCODERS.biginteger('9007199254740993')).toBe('"9007199254740993"');
    expect(ENCODERS.biginteger(9_007_199_254_740_993n)).toBe('"9007199254740993"');
  });

  it('that is a boolean is true or false, however the database keeps it', () => {
    expect([1, 0, true, false].map(ENCODERS.boolean)).toEqual(['true', 'false', 'true', 'false']);
  });

  it('that is a time has milliseconds, no more and no fewer', () => {
    expect(ENCODERS.time('12:34:56')).toBe('"12:34:56.000"');
    expect(ENCODERS.time('12:34:56.7')).toBe('"12:34:56.700"');
    expect(ENCODERS.time('12:34:56.789')).toBe('"12:34:56.789"');
    expect(ENCODERS.time('12:34:56.789123')).toBe('"12:34:56.789"');
    expect(ENCODERS.time('12:34')).toBe('"12:34:00.000"');
  });

  it('that stands in a column of times and is none is shown as it is', () => {
    expect(ENCODERS.time('')).toBe('""');
    expect(ENCODERS.time('noon')).toBe('"noon"');
    expect(ENCODERS.time('no:on:"!')).toBe('"no:on:\\"!"');
    expect(ENCODERS.time('noon, "sharp')).toBe('"noon, \\"sharp"');
    expect(ENCODERS.time(80_000)).toBe('"80000"');
  });

  it.each(['biginteger', 'timestamp'] as const)(
    'that stands in a column of %ss and is none is shown as it is',
    (type) => {
      expect(ENCODERS[type]('so "many"')).toBe('"so \\"many\\""');
      expect(decoderOf(type, false)('so "many"')).toBe('so "many"');
      expect(ENCODERS[type](12n)).toBe('"12"');
      expect(decoderOf(type, false)(12)).toBe('12');
    },
  );

  it('that is an instant is ISO 8601 in UTC, kept as a number or as a text', () => {
    expect(ENCODERS.datetime(1_000)).toBe('"1970-01-01T00:00:01.000Z"');
    expect(ENCODERS.datetime(-0.5)).toBe('"1970-01-01T00:00:00.000Z"');
    expect(ENCODERS.datetime('2026-01-02T03:04:05.006+02:00')).toBe('"2026-01-02T01:04:05.006Z"');
  });

  it('that is an instant beyond all dates is null', () => {
    expect(ENCODERS.datetime(LATEST)).toBe('"+275760-09-13T00:00:00.000Z"');
    expect(ENCODERS.datetime(LATEST + 1)).toBe('null');
    expect(ENCODERS.datetime(-LATEST - 1)).toBe('null');
    expect(ENCODERS.datetime('no instant')).toBe('null');
  });

  it('that is JSON is passed on as it is', () => {
    for (const type of ['json', 'blocks'] as const) expect(ENCODERS[type]('{"a":[1,null]}')).toBe('{"a":[1,null]}');
  });
});

describe('a value without the text in between', () => {
  /** What columns hold: as SQLite gives it, and as it stands in the JSON that PostgreSQL gives. */
  const STORED: readonly (readonly [boolean, ScalarType[], fc.Arbitrary<unknown>])[] = [
    [false, ['string', 'text', 'richtext', 'email', 'uid', 'enumeration', 'date'], fc.string({ unit: 'binary' })],
    [false, ['string', 'date'], fc.double({ noNaN: true, noDefaultInfinity: true })],
    [false, ['integer', 'float', 'decimal'], fc.oneof(fc.double(), fc.integer(), fc.string())],
    [false, ['biginteger', 'timestamp'], fc.oneof(fc.bigInt(), fc.integer().map(String))],
    [false, ['boolean'], fc.constantFrom(0, 1, 2, true, false)],
    [false, ['datetime'], fc.oneof(fc.integer(), fc.double(), fc.constantFrom('2026-01-02 03:04:05', 'never'))],
    [false, ['time'], fc.constantFrom('01:02:03', '01:02:03.4', '01:02:03.456')],
    [false, ['json', 'blocks'], fc.json()],
    [false, ['password'], fc.string()],
    // JSON.stringify writes 0 for what JSON.parse makes of -0.
    [true, ['json', 'blocks'], fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)))],
    [
      true,
      ['datetime'],
      fc.constantFrom(
        '2026-01-02T03:04:05',
        '2026-01-02T03:04:05.6',
        '12026-01-02T03:04:05.6789',
        '0044-03-15T12:00:00 BC',
      ),
    ],
  ];

  it('is what the text stands for', () => {
    for (const [inJson, types, stored] of STORED)
      for (const type of types)
        fc.assert(
          fc.property(fc.option(stored), (value) => {
            expect(decoderOf(type, inJson)(value)).toEqual(JSON.parse(encoderOf(type, inJson)(value)));
          }),
        );
  });
});
