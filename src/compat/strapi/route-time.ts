// The time that a route of a Strapi project takes, and a middleware of its application: the log names the one that is
// slow, and one that does not end is given up.
import { CodeTime } from '../../db/code-time.ts';
import { unavailableError } from '../../errors.ts';
import type { Log } from '../../extend/define-project.ts';
import { Deadline, DeadlineError } from '../../extend/run-code.ts';
import { MAX_STRAPI_ROUTE_MS, SLOW_CODE_MS } from '../../limits.ts';
import type { Middleware } from './koa-app.ts';
import type { StrapiRoute } from './route-list.ts';

/** Stands in front of policies, middlewares and the handler, and behind whatever waits for the client. */
export function inTime(
  { file, method, pattern }: Pick<StrapiRoute, 'file' | 'method' | 'pattern'>,
  log: Log,
): Middleware {
  const code = `route ${method} ${pattern.path}`;
  return async (_ctx, next) => {
    const begin = performance.now();
    try {
      return await new Deadline(MAX_STRAPI_ROUTE_MS).within(next);
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      log.error({ file, code }, `code of the project was given up: ${error.message}`);
      throw unavailableError('The request takes too long');
    } finally {
      const milliseconds = Math.round(performance.now() - begin);
      if (milliseconds > SLOW_CODE_MS) log.warn({ file, code, milliseconds }, 'code of the project is slow');
    }
  };
}

/**
 * A middleware of the application, which stands around whole requests: its time is what it takes before it calls `next`
 * and after that has ended, not what others take in between.
 */
export function inOwnTime(name: string, middleware: Middleware, log: Log): Middleware {
  const code = `middleware ${name}`;
  return async (ctx, next) => {
    const time = new CodeTime(MAX_STRAPI_ROUTE_MS);
    const late = Promise.withResolvers<unknown>();
    const giveUp = (): void => {
      time.end();
      const { message } = new DeadlineError(MAX_STRAPI_ROUTE_MS);
      log.error({ code }, `code of the project was given up: ${message}`);
      late.reject(unavailableError('The request takes too long'));
    };
    let timer = setTimeout(giveUp, MAX_STRAPI_ROUTE_MS);
    let isDone = false;
    const others = async (): Promise<unknown> => {
      clearTimeout(timer);
      try {
        return await next();
      } finally {
        if (!isDone) timer = setTimeout(giveUp, MAX_STRAPI_ROUTE_MS);
      }
    };
    try {
      return await Promise.race([time.run(async () => middleware(ctx, others)), late.promise]);
    } finally {
      isDone = true;
      clearTimeout(timer);
    }
  };
}
