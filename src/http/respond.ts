// What goes back over the wire: JSON with its timing, errors in their envelope, and how far a client's writes went.
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { stringifySetCookie } from 'cookie';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Sheaf } from '../app.ts';
import type { CodeAnswer } from '../compat/strapi/koa-app.ts';
import { originOf, RateLimitError, SheafError } from '../errors.ts';
import { CACHED_TIMING, type Timing } from '../operations/timing.ts';
import { entityTag, hasCredentials, NOT_SHARED, namesTag } from './caching.ts';
import { cookieOf, POSITION_COOKIE, POSITION_HEADER } from './cookies.ts';
import { HINT_HEADER, hintHeader, IGNORED_HEADER, ignoredHeader, SECURITY } from './headers.ts';

/** When a client that met a 503 may try again. */
const RETRY_AFTER_SECONDS = 1;
/** How long a browser keeps the replication position of its last write. */
const POSITION_SECONDS = 60;
/** A body of more characters is sent in pieces of so many. */
const LARGE_CHARACTERS = 1_000_000;
const PIECE_CHARACTERS = 65_536;
const JSON_TYPE = 'application/json; charset=utf-8';

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request arrived, for Server-Timing. */
    begin: number;
  }
}

export const elapsed = (reply: FastifyReply): number =>
  reply.request.begin > 0 ? performance.now() - reply.request.begin : 0;

/** When an answer began, and what its time was spent on. */
interface Measured {
  readonly timing: Timing;
  readonly begin: number;
  /** Rows that the database touched, as estimated. */
  readonly cost?: number;
}

export function send(reply: FastifyReply, body: string, { timing, begin, cost }: Measured): void {
  const times = serverTiming(timing, performance.now() - begin);
  reply
    .header('content-type', JSON_TYPE)
    .header('server-timing', cost === undefined ? times : `${times}, cost;desc=${cost}`)
    .send(body.length > LARGE_CHARACTERS ? inPieces(reply, body) : body);
}

/** A large body as a stream that goes on when the client has read what was sent. Whole, all of it would wait as bytes. */
function inPieces(reply: FastifyReply, body: string): Readable {
  reply.header('content-length', Buffer.byteLength(body));
  return Readable.from(piecesOf(body), { objectMode: false, highWaterMark: 0 });
}

function* piecesOf(body: string): Generator<Buffer> {
  let start = 0;
  while (start < body.length) {
    let end = Math.min(start + PIECE_CHARACTERS, body.length);
    // The halves of a character beyond 16 bits stay together.
    if (isHighSurrogate(body.charCodeAt(end - 1)) && end < body.length) end--;
    yield Buffer.from(body.slice(start, end));
    start = end;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

function serverTiming(timing: Timing, total: number): string {
  const all = total.toFixed(3);
  if (timing === CACHED_TIMING) return `parse;dur=0.000, plan;dur=0.000, run;dur=${all}, total;dur=${all}`;
  const { parse, plan } = timing;
  const run = total - parse - plan;
  return `parse;dur=${parse.toFixed(3)}, plan;dur=${plan.toFixed(3)}, run;dur=${run.toFixed(3)}, total;dur=${all}`;
}

export const sendValue = (reply: FastifyReply, value: unknown): void =>
  send(reply, JSON.stringify(value), { timing: CACHED_TIMING, begin: reply.request.begin });

/**
 * Answers a read. What the public gets has a tag where the project lets caches keep it, or the client asks by a tag: to
 * hash every list would take a tenth of its time. Where the client has what the tag stands for, it gets nothing more.
 */
export function sendRead(
  reply: FastifyReply,
  body: string,
  cacheControl: string | null,
  measured: Measured = { timing: CACHED_TIMING, begin: reply.request.begin },
): void {
  const { headers } = reply.request;
  const { 'if-none-match': known } = headers;
  if ((cacheControl !== null || known !== undefined) && !hasCredentials(headers)) {
    const tag = entityTag(body);
    reply.header('etag', tag);
    if (cacheControl !== null) reply.header('cache-control', cacheControl);
    if (known !== undefined && namesTag(known, tag)) {
      sendNothing(reply, 304);
      return;
    }
  }
  send(reply, body, measured);
}

/** With the status and the headers of an answer of the project's code. */
export function withStatusAndHeaders(reply: FastifyReply, { status, headers }: CodeAnswer): FastifyReply {
  reply.code(status);
  for (const [name, value] of Object.entries(headers)) reply.header(name, value);
  return reply;
}

/** Tells a client which names in its request were ignored; nothing where there were none. */
export function tellIgnored(reply: FastifyReply, names: readonly string[]): void {
  const value = ignoredHeader(names);
  if (value !== null) reply.header(IGNORED_HEADER, value);
}

/** Tells a client what it probably means; nothing where that is what it says. */
export function tellHints(reply: FastifyReply, hints: readonly string[]): void {
  const value = hintHeader(hints);
  if (value !== null) reply.header(HINT_HEADER, value);
}

export function sendNothing(reply: FastifyReply, status = 204): void {
  reply
    .code(status)
    .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
    .send();
}

/** Sends a client how far its write went, so that it reads it wherever it reads next. */
export async function sendReplicationPosition(sheaf: Sheaf, reply: FastifyReply): Promise<void> {
  const position = await sheaf.replicationPosition();
  if (position === null) return;
  reply.header(POSITION_HEADER, position);
  const scope = { path: '/', maxAge: POSITION_SECONDS, httpOnly: true, sameSite: 'lax' } as const;
  reply.header('set-cookie', stringifySetCookie({ name: POSITION_COOKIE, value: position, ...scope }));
}

/** What a client brings back of its last write: in the header, or in the cookie that browsers keep by themselves. */
export function replicationPositionOf(request: FastifyRequest): string | null {
  const header = request.headers[POSITION_HEADER];
  return typeof header === 'string' ? header : cookieOf(request, POSITION_COOKIE);
}

export const envelope = (status: number, name: string, message: string, details: object): string =>
  JSON.stringify({ data: null, error: { status, name, message, details } });

/** An error that may be the framework's; those have a code and a status. */
export type FrameworkError = Error & Partial<Pick<FastifyError, 'code' | 'statusCode'>>;

/** Errors of the framework that are the client's doing, by code. */
const FRAMEWORK_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  408: 'RequestTimeoutError',
  414: 'UriTooLongError',
  415: 'UnsupportedMediaTypeError',
};

export function sendError(reply: FastifyReply, thrown: Error): void {
  const error = toClientError(thrown, reply.server.initialConfig.bodyLimit!) ?? unexpectedError(reply, thrown);
  const { status, name, message, details } = error;
  reply.header('content-type', JSON_TYPE);
  if (!reply.hasHeader('server-timing')) reply.header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`);
  if (status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (error instanceof RateLimitError) reply.header('retry-after', error.seconds);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  reply.code(status).send(envelope(status, name, message, details));
}

/** An error as its client is told of it; null for one that is not the client's doing. */
function toClientError(error: FrameworkError, bodyLimit: number): SheafError | null {
  if (error instanceof SheafError) return error;
  const { statusCode = 500 } = error;
  if (originOf(error) || statusCode < 400 || statusCode >= 500) return null;
  if (statusCode === 413) return tooLargeError(bodyLimit);
  return new SheafError(statusCode, FRAMEWORK_NAMES[statusCode] ?? 'BadRequestError', error.message);
}

function unexpectedError(reply: FastifyReply, error: Error): SheafError {
  const origin = originOf(error);
  const what = origin ? 'code of the project failed' : 'unexpected error';
  reply.log.error({ requestId: reply.request.id, ...origin, err: error }, what);
  return new SheafError(500, 'InternalServerError', 'Internal Server Error');
}

const tooLargeError = (allowed: number): SheafError =>
  new SheafError(413, 'PayloadTooLargeError', `The body is too large: at most ${allowed} bytes (MAX_BODY_BYTES)`, {
    limit: 'MAX_BODY_BYTES',
    allowed,
  });

const RAW_HEADERS = Object.entries({ ...SECURITY, 'cache-control': NOT_SHARED })
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** What cannot be parsed as HTTP never reaches a route, and still gets the envelope. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Socket, headerBytes: number): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, name, reason] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ([431, 'RequestHeaderFieldsTooLargeError', 'Request Header Fields Too Large'] as const)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ([408, 'RequestTimeoutError', 'Request Timeout'] as const)
        : ([400, 'BadRequestError', 'Bad Request'] as const);
  const message =
    status === 431 ? `The headers are too large: at most ${headerBytes} bytes (MAX_HEADER_BYTES)` : reason;
  const body = envelope(status, name, message, {});
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\n${RAW_HEADERS}content-type: ${JSON_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
