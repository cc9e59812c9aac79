import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Log } from '../../extend/define-project.ts';
import { MAX_STRAPI_ROUTE_MS, SLOW_CODE_MS } from '../../limits.ts';
import type { Context } from './koa-app.ts';
import { pathPattern } from './path-pattern.ts';
import { inOwnTime, inTime } from './route-time.ts';

const ROUTE = { file: 'src/api/a/routes/a.js', method: 'GET', pattern: pathPattern('/api/a') };
const NAMED = { file: ROUTE.file, code: 'route GET /api/a' };
const lines: unknown[][] = [];
const note = (...values: unknown[]): void => void lines.push(values);
const log: Log = { debug: note, info: note, warn: note, error: note };

beforeEach(() => {
  lines.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

const taking = (milliseconds: number): Promise<unknown> =>
  Promise.resolve(
    inTime(ROUTE, log)({} as Context, () => new Promise((resolve) => setTimeout(resolve, milliseconds, 'done'))),
  );

it('says nothing of a route that is not slow', async () => {
  const answer = taking(SLOW_CODE_MS - 1);
  await vi.runAllTimersAsync();
  expect(await answer).toBe('done');
  expect(lines).toEqual([]);
});

it('names the file of a route that is slow', async () => {
  const answer = taking(SLOW_CODE_MS + 1);
  await vi.runAllTimersAsync();
  expect(await answer).toBe('done');
  expect(lines).toEqual([[{ ...NAMED, milliseconds: SLOW_CODE_MS + 1 }, 'code of the project is slow']]);
});

it('gives up a route that does not end', async () => {
  const answer = taking(MAX_STRAPI_ROUTE_MS + 1).catch((error) => error);
  await vi.runAllTimersAsync();
  expect(await answer).toMatchObject({ status: 503, message: 'The request takes too long' });
  expect(lines[0]).toEqual([NAMED, expect.stringContaining('given up')]);
});

/** A middleware of the application that takes its time before and after what it stands around. */
const around = (before: number, inside: number, after: number): Promise<unknown> => {
  const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const middleware = inOwnTime(
    'global::slow',
    async (_ctx, next) => {
      await pause(before);
      const answer = await next();
      await pause(after);
      return answer;
    },
    log,
  );
  return Promise.resolve(middleware({} as Context, () => pause(inside).then(() => 'done'))).catch((error) => error);
};

it('lets a middleware of the application wait for what it stands around', async () => {
  const answer = around(MAX_STRAPI_ROUTE_MS - 1, 10 * MAX_STRAPI_ROUTE_MS, MAX_STRAPI_ROUTE_MS - 1);
  await vi.runAllTimersAsync();
  expect(await answer).toBe('done');
  expect(lines).toEqual([]);
});

it.each([
  ['before', MAX_STRAPI_ROUTE_MS + 1, 0],
  ['after', 0, MAX_STRAPI_ROUTE_MS + 1],
])('gives up a middleware of the application that does not end %s it', async (_when, before, after) => {
  const answer = around(before, 1, after);
  await vi.runAllTimersAsync();
  expect(await answer).toMatchObject({ status: 503, message: 'The request takes too long' });
  expect(lines).toEqual([[{ code: 'middleware global::slow' }, expect.stringContaining('given up')]]);
});
