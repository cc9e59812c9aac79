import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Log } from '../../extend/define-project.ts';
import { MAX_STRAPI_ROUTE_MS, SLOW_CODE_MS } from '../../limits.ts';
import type { Context } from './koa-app.ts';
import { pathPattern } from './path-pattern.ts';
import { inTime } from './route-time.ts';

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
