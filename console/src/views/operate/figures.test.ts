import { expect, it } from 'vitest';
import { bytesInWords, durationInWords, linePath, millisecondsInWords, topOf, wholeHour } from './figures.ts';

it('says sizes and times as people do', () => {
  expect([0, 900, 1536, 200 * 1024 ** 2, 3 * 1024 ** 3].map(bytesInWords)).toEqual([
    '0 B',
    '900 B',
    '1.5 kB',
    '200 MB',
    '3.0 GB',
  ]);
  expect([0, 999, 61_000, 3_600_000, 90_000_000].map(durationInWords)).toEqual([
    '0 s',
    '0 s',
    '1 min 1 s',
    '1 h',
    '1 d 1 h',
  ]);
  expect([0.26, 12.4, 2_340].map(millisecondsInWords)).toEqual(['0.3 ms', '12 ms', '2.3 s']);
});

it('has a point for every minute of the hour, the last one now', () => {
  const now = Date.parse('2026-03-01T10:30:20.000Z');
  const seen = { at: '2026-03-01T10:29:00.000Z', requests: 7, errors: 1, p50: 2, p99: 9 };
  const old = { at: '2026-03-01T09:30:00.000Z', requests: 5, errors: 0, p50: 1, p99: 1 };
  const hour = wholeHour([old, seen], now);
  expect(hour).toHaveLength(60);
  expect(hour[0]!.at).toBe('2026-03-01T09:31:00.000Z');
  expect(hour[58]).toBe(seen);
  expect(hour[59]).toEqual({ at: '2026-03-01T10:30:00.000Z', requests: 0, errors: 0, p50: 0, p99: 0 });
  expect(hour.filter(({ requests }) => requests > 0)).toEqual([seen]);
});

it('draws lines between neighbours, below a round top', () => {
  expect([[], [0.4], [3], [11, 40], [100], [101]].map(topOf)).toEqual([1, 1, 5, 50, 100, 200]);
  expect(linePath([null, 5, 10, null, 0], 10)).toBe('M1.5 50L2.5 0M4.1 100h0.8');
});
