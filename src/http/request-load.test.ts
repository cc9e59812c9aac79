import { expect, it } from 'vitest';
import { SheafError } from '../errors.ts';
import type { RequestEntry } from './log.ts';
import { RequestLoad, SLOW_REQUEST_MS } from './request-load.ts';

const MINUTE = 60_000;
const NOON = Date.parse('2026-01-01T12:00:00Z');

const entry = (milliseconds: number, status: number | null = 200, requestId = 'a'): RequestEntry => ({
  requestId,
  method: 'GET',
  route: '/api/things',
  status,
  milliseconds,
  caller: null,
});

it('counts the requests of each minute, those without any as well', () => {
  const load = new RequestLoad();
  for (let count = 0; count < 98; count++) load.observe(entry(1), NOON);
  for (let count = 0; count < 2; count++) load.observe(entry(100, 503), NOON + MINUTE - 1);
  load.observe(entry(0.1, null), NOON + 2 * MINUTE);
  const [first, second, third, ...more] = load.points(NOON + 2 * MINUTE);
  expect(first).toMatchObject({ at: '2026-01-01T12:00:00.000Z', requests: 100, errors: 2, p50: 1 });
  // Times are told by bounds, each half an octave above the one before.
  expect(first!.p99).toBeGreaterThanOrEqual(100);
  expect(first!.p99).toBeLessThan(100 * Math.SQRT2);
  expect(second).toMatchObject({ requests: 0, errors: 0, p50: 0, p99: 0 });
  expect(third).toMatchObject({ requests: 1, errors: 0 });
  expect(more).toEqual([]);
});

it('forgets what is older than an hour', () => {
  const load = new RequestLoad();
  load.observe(entry(1), NOON);
  load.observe(entry(1), NOON + 59 * MINUTE);
  expect(load.points(NOON + 59 * MINUTE)).toHaveLength(60);
  expect(load.points(NOON + 60 * MINUTE).map(({ requests }) => requests)).toEqual([1, 0]);
  load.observe(entry(1), NOON + 60 * MINUTE);
  expect(load.points(NOON + 60 * MINUTE).map(({ requests }) => requests)).toEqual([1, 1]);
  expect(load.points(NOON + 1_000 * MINUTE).map(({ requests }) => requests)).toEqual([0]);
});

it('keeps the last that failed, with their message, and the last that were slow', () => {
  const load = new RequestLoad();
  load.failed('a', new SyntaxError('Unexpected token in "secret"'));
  load.observe(entry(1, 500), NOON);
  load.failed('b', new SheafError(400, 'ValidationError', 'no'));
  load.observe(entry(1, 400, 'b'), NOON);
  expect(load.errors).toEqual([
    {
      at: '2026-01-01T12:00:00.000Z',
      method: 'GET',
      route: '/api/things',
      status: 500,
      milliseconds: 1,
      requestId: 'a',
      message: 'Unexpected token in "…"',
    },
  ]);
  for (let count = 0; count < 60; count++) load.observe(entry(SLOW_REQUEST_MS + 1, null, String(count)), NOON);
  load.observe(entry(SLOW_REQUEST_MS), NOON);
  expect(load.slow).toHaveLength(50);
  expect(load.slow[0]).toMatchObject({ requestId: '59', status: 499, message: null });
});
