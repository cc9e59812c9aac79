// The log on standard error: one line of JSON for each request, one for each unexpected error. A terminal gets lines
// formatted for people. The request id is the only header that is logged; bodies and queries never are.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import { type Logger, pino, stdTimeFunctions } from 'pino';
import { memberOf } from '../type-guards.ts';
import { errorOutput, type LogOutput, openStandardError } from './log-output.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The path whose routes answer other methods than that of the request; null elsewhere. */
    refusedPath: string | null;
  }
}

export type { Logger };

/** `level`: the least severe level that is logged, `silent` for none. */
export const openLog = async (level: string): Promise<Logger> => createLogger(level, await openStandardError());

/** For servers that are given no logger: errors alone. */
export const errorLog = (): Logger => createLogger('error', errorOutput);

/** What each logger of this file writes to. */
const outputs = new WeakMap<FastifyBaseLogger, LogOutput>();

export function createLogger(level: string, output: LogOutput): Logger {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: loggedError },
      hooks: {
        logMethod(args, method) {
          method.apply(this, safeArguments(args) as typeof args);
        },
      },
    },
    output,
  );
  outputs.set(logger, output);
  return logger;
}

/** Arguments of a log call: an object or an error, a message. Pino would take a missing message from the error. */
function safeArguments(args: readonly unknown[]): readonly unknown[] {
  const [first] = args;
  const error = first instanceof Error ? first : memberOf(first, 'err');
  if (args.length === 1 && error instanceof Error) return [first, safeMessage(error)];
  return args.map((part) => (typeof part === 'string' ? withoutQuery(part) : part));
}

/** Some warnings of Fastify name the URL. */
const withoutQuery = (text: string): string => text.replace(/\?[^\s"]+/g, '?…');

interface LoggedError {
  readonly type: string;
  readonly code?: unknown;
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Other members of an error are left out: PostgreSQL puts the values of a row into `detail`. */
function loggedError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error };
  const { cause, stack = '' } = error;
  const code = 'code' in error ? error.code : undefined;
  const message = safeMessage(error);
  return {
    type: error.constructor.name,
    ...(code !== undefined && { code }),
    message,
    stack: stack.replace(error.message, () => message),
    ...(cause !== undefined && { cause: loggedError(cause) }),
  };
}

/** SQLSTATE class 22: a value that PostgreSQL cannot convert. */
const DATA_EXCEPTION = /^22/;

/** The message without what a client sent: data exceptions and JSON errors quote it, errors of Fastify name the URL. */
export function safeMessage(error: NodeJS.ErrnoException): string {
  const { code = '', message } = error;
  if (error instanceof SyntaxError || DATA_EXCEPTION.test(code)) return message.replace(/".*"/s, '"…"');
  return code.startsWith('FST_') ? withoutQuery(message) : message;
}

export const REQUEST_ID_HEADER = 'x-request-id';
const REQUEST_ID = /^[\w.:-]{1,128}$/;

const processId = randomBytes(6).toString('hex');
let requests = 0;

/** The id that a request brings along, or a new one. */
export function requestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers[REQUEST_ID_HEADER];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : `${processId}-${(++requests).toString(36)}`;
}

/** What is logged of a request. */
export interface RequestEntry {
  readonly requestId: string;
  readonly method: string;
  /** The pattern of the route, such as `/api/articles/:documentId`; null where no route answers. */
  readonly route: string | null;
  /** Null where the client closed the connection before it was answered. */
  readonly status: number | null;
  readonly milliseconds: number;
  /** The kind of caller; null where the route needs no right, or the request was refused before. */
  readonly caller: string | null;
}

export type RequestLog = (entry: RequestEntry) => void;

const INFO = 30;
/** Levels at which requests are logged. */
const REQUEST_LEVELS = new Set(['trace', 'debug', 'info']);

/** Null where the level of the logger leaves requests out. */
export function requestLog(logger: FastifyBaseLogger): RequestLog | null {
  if (!REQUEST_LEVELS.has(logger.level)) return null;
  const output = outputs.get(logger);
  // Pino takes three times as long for a line as this template, which shows in the requests per second.
  return output ? (entry) => output.write(requestLine(entry)) : (entry) => logger.info(entry);
}

const SECOND_MS = 1000;
let [lastSecond, lastSecondText] = [0, ''];

/** Now, as ISO 8601. The part up to the point is formatted once for all requests of a second. */
function isoTime(): string {
  const now = Date.now();
  const milliseconds = now % SECOND_MS;
  const second = now - milliseconds;
  if (second !== lastSecond) [lastSecond, lastSecondText] = [second, new Date(second).toISOString().slice(0, -4)];
  return `${lastSecondText}${String(milliseconds).padStart(3, '0')}Z`;
}

/** The part of a line that most requests of a route share, and what it was made of. */
interface SharedPart extends Pick<RequestEntry, 'method' | 'status' | 'caller'> {
  readonly text: string;
}

const sharedParts = new Map<string | null, SharedPart>();

function sharedPart({ method, route, status, caller }: RequestEntry): string {
  const last = sharedParts.get(route);
  if (last && last.status === status && last.caller === caller && last.method === method) return last.text;
  const text = `","method":"${method}","route":${JSON.stringify(route)},"status":${status},"caller":${JSON.stringify(caller)},"milliseconds":`;
  sharedParts.set(route, { method, status, caller, text });
  return text;
}

/** Ids hold nothing that JSON escapes, see REQUEST_ID; nor do methods. */
const requestLine = (entry: RequestEntry): string =>
  `{"level":${INFO},"time":"${isoTime()}","requestId":"${entry.requestId}${sharedPart(entry)}${entry.milliseconds}}\n`;

/** Gives a request its logger, and logs it once: when its answer is sent, or when the client goes before that. */
export function followRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  logger: FastifyBaseLogger,
  log: RequestLog | null,
): void {
  request.log = logger;
  reply.log = logger;
  if (log) reply.raw.on('close', () => log(requestEntry(request, answeredStatus(reply))));
}

const answeredStatus = ({ raw }: FastifyReply): number | null => (raw.writableEnded ? raw.statusCode : null);

/** The path of the routes that a request is for, as it was written; null where there are none, or none was looked for. */
export const routeOf = (request: FastifyRequest): string | null =>
  request.routeOptions.url ?? request.refusedPath ?? null;

export const requestEntry = (request: FastifyRequest, status: number | null): RequestEntry => ({
  requestId: request.id,
  method: request.method,
  route: routeOf(request),
  status,
  milliseconds: Math.round((performance.now() - request.begin) * 1000) / 1000,
  caller: request.caller?.kind ?? null,
});
