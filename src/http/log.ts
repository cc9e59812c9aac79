// The log: one line of JSON for each request, and one for what went wrong. In a terminal the lines are written for
// people. Nothing in them comes from a query, a body or a header but the id of the request.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { destination, type Logger, pino, stdTimeFunctions } from 'pino';

const STDERR = 2;
/** Lines are gathered up to this size, or for this long, before they are written. */
const BUFFER_BYTES = 4_096;
const FLUSH_MS = 500;

export interface Log {
  readonly logger: Logger;
  /** Writes what is gathered. */
  flush(): void;
}

/** `level`: the least severe level that is written, `silent` for none. */
export async function openLog(level: string): Promise<Log> {
  const options = { level, base: null, timestamp: stdTimeFunctions.isoTime };
  if (process.stderr.isTTY) {
    const { default: pretty } = await import('pino-pretty');
    const stream = pretty({ destination: STDERR, sync: true, ignore: 'pid,hostname' });
    return { logger: pino(options, stream), flush: () => undefined };
  }
  const stream = destination({ fd: STDERR, sync: false, minLength: BUFFER_BYTES, periodicFlush: FLUSH_MS });
  return { logger: pino(options, stream), flush: () => stream.flushSync() };
}

/** For servers that nobody gave a log: errors alone. */
export const errorLog = (): Logger =>
  pino({ level: 'error', base: null, timestamp: stdTimeFunctions.isoTime }, destination({ fd: STDERR, sync: true }));

export const REQUEST_ID_HEADER = 'x-request-id';
const REQUEST_ID = /^[\w.:-]{1,128}$/;

const processId = randomBytes(6).toString('hex');
let requests = 0;

/** The id that a request brings along, or a new one. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : `${processId}-${(++requests).toString(36)}`;
}

/** Levels at which requests are logged. */
const REQUEST_LEVELS = new Set(['trace', 'debug', 'info']);

/** Writes a line when an answer is sent. */
export function logRequests(app: FastifyInstance): void {
  if (!REQUEST_LEVELS.has(app.log.level)) return;
  app.addHook('onResponse', (request, reply, done) => {
    request.log.info({
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      status: reply.statusCode,
      milliseconds: Number((performance.now() - request.begin).toFixed(3)),
      caller: request.caller?.kind ?? null,
    });
    done();
  });
}
