// Dates that are told from now: how they are read, and what they mean in time zones whose clocks change.
import { describe, expect, it } from 'vitest';
import { dayOf, knownTimezone, readRelativeDate, resolveRelativeDate } from './relative-dates.ts';

const at = (now: string, text: string, timezone = 'UTC'): string =>
  new Date(resolveRelativeDate(readRelativeDate(text)!, Date.parse(now), timezone)).toISOString();

describe('a date from now', () => {
  it.each([
    ['now', '2026-03-31T22:30:15.123Z'],
    ['now-7d', '2026-03-24T22:30:15.123Z'],
    ['now+36h', '2026-04-02T10:30:15.123Z'],
    ['now 36h', '2026-04-02T10:30:15.123Z'],
    ['now-90m', '2026-03-31T21:00:15.123Z'],
    ['now+45s', '2026-03-31T22:31:00.123Z'],
    ['now/d', '2026-03-31T00:00:00.000Z'],
    ['now/h', '2026-03-31T22:00:00.000Z'],
    ['now/m', '2026-03-31T22:30:00.000Z'],
    ['now/s', '2026-03-31T22:30:15.000Z'],
    ['now/w', '2026-03-30T00:00:00.000Z'],
    ['now-1w/w', '2026-03-23T00:00:00.000Z'],
    ['now/M', '2026-03-01T00:00:00.000Z'],
    ['now/y', '2026-01-01T00:00:00.000Z'],
    ['now-1M', '2026-02-28T22:30:15.123Z'],
    ['now+11M', '2027-02-28T22:30:15.123Z'],
    ['now-1y', '2025-03-31T22:30:15.123Z'],
    ['now+1M/M', '2026-04-01T00:00:00.000Z'],
    ['now/M+1M', '2026-04-01T00:00:00.000Z'],
    ['now-1y/y+6M-1d', '2025-06-30T00:00:00.000Z'],
    ['now-2000y', '0026-03-31T22:30:15.123Z'],
  ])('%s is %s', (text, expected) => {
    expect(at('2026-03-31T22:30:15.123Z', text)).toBe(expected);
  });

  it('takes the last day of February for the 29th', () => {
    expect(at('2024-02-29T12:00:00.000Z', 'now-1y')).toBe('2023-02-28T12:00:00.000Z');
    expect(at('2024-02-29T12:00:00.000Z', 'now+4y')).toBe('2028-02-29T12:00:00.000Z');
  });

  it.each([
    ['a day begins at midnight there', '2026-03-31T22:30:00.000Z', 'now/d', 'Europe/Paris', '2026-03-31T22:00:00.000Z'],
    ['a month too', '2026-03-31T22:30:00.000Z', 'now/M', 'Europe/Paris', '2026-03-31T22:00:00.000Z'],
    ['an hour at the half', '2026-03-31T22:45:00.000Z', 'now/h', 'Asia/Kolkata', '2026-03-31T22:30:00.000Z'],
    ['a day of 23 hours', '2026-03-29T22:00:00.000Z', 'now-1d', 'Europe/Paris', '2026-03-28T23:00:00.000Z'],
    ['a day of 25 hours', '2026-10-25T23:00:00.000Z', 'now-1d', 'Europe/Paris', '2026-10-24T22:00:00.000Z'],
    ['hours are hours', '2026-03-29T12:00:00.000Z', 'now-24h', 'Europe/Paris', '2026-03-28T12:00:00.000Z'],
    ['a time left out', '2026-03-30T00:30:00.000Z', 'now-1d', 'Europe/Paris', '2026-03-29T01:30:00.000Z'],
    ['a time that comes twice', '2026-10-26T01:30:00.000Z', 'now-1d', 'Europe/Paris', '2026-10-25T00:30:00.000Z'],
    ['a midnight left out', '2024-09-08T12:00:00.000Z', 'now/d', 'America/Santiago', '2024-09-08T04:00:00.000Z'],
  ])('is meant by the clocks of its time zone: %s', (_why, now, text, timezone, expected) => {
    expect(at(now, text, timezone)).toBe(expected);
  });

  it('has a day in its time zone', () => {
    const late = Date.parse('2026-03-31T22:30:00.000Z');
    expect(['UTC', 'Europe/Paris', 'America/New_York'].map((zone) => dayOf(late, zone))).toEqual([
      '2026-03-31',
      '2026-04-01',
      '2026-03-31',
    ]);
    expect(dayOf(Date.parse('0026-03-31T00:00:00.000Z'), 'UTC')).toBe('0026-03-31');
  });

  it.each([
    '',
    'now-',
    'now-7',
    'now-7x',
    'now/q',
    'now/7d',
    'NOW',
    'nowhere',
    'now-1234567d',
    'now--1d',
    '2026-01-01',
  ])('is not read from %j', (text) => {
    expect(readRelativeDate(text)).toBeNull();
  });

  it('is nothing beyond all calendars', () => {
    for (const text of ['now+999999y', 'now-999999y/d', 'now+999999w+999999y'])
      expect(resolveRelativeDate(readRelativeDate(text)!, 0, 'Europe/Paris'), text).toBeNaN();
  });
});

describe('a time zone', () => {
  it('is known by its name in any case, and spelled as the standard does', () => {
    expect(['europe/paris', 'UTC', 'utc', 'America/New_York'].map(knownTimezone)).toEqual([
      'Europe/Paris',
      'UTC',
      'UTC',
      'America/New_York',
    ]);
    expect(['Mars/Base', '', 'Europe', 'x'.repeat(10_000)].map(knownTimezone)).toEqual([null, null, null, null]);
  });
});
