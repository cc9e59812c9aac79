// Koa's context for one request, as Strapi hands it to code: the query in brackets, helpers for every status, and the
// answer that is left in it when code is done.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import Koa from 'koa';
import qs from 'qs';
import { type ErrorAnswer, errorBody } from './strapi-errors.ts';

// To import it would load all that it exports, such as a client for web sockets.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

const CORE = Symbol('core answer');

/** With what the server and code leave on it, as Strapi does. */
interface Request extends Koa.Request {
  body?: unknown;
  files?: unknown;
}

/** With what Koa itself keeps on it. */
interface Response extends Koa.Response {
  _explicitStatus?: boolean;
  _explicitNullBody?: boolean;
  /** Where the core has answered. */
  [CORE]?: CoreAnswer;
}

export interface Context extends Koa.Context {
  request: Request;
  response: Response;
}

export type Next = () => Promise<unknown>;
export type Middleware = (ctx: Context, next: Next) => unknown;

/** As Strapi reads and writes query strings. */
const QUERY = { strictNullHandling: true, arrayLimit: 100, depth: 20 } as const;

export interface KoaOptions {
  /** Whether the addresses that a proxy tells are believed. */
  readonly proxy: boolean;
  /** With which cookies are signed. */
  readonly keys: readonly string[];
}

export class KoaApp {
  readonly #koa: Koa;

  constructor({ proxy, keys }: KoaOptions) {
    this.#koa = new Koa({ proxy, keys: [...keys] });
    defineQuery(this.#koa.request);
    defineOrigin(this.#koa.request);
    defineHeaders(this.#koa.response);
    defineBody(this.#koa.response);
    for (const [name, helper] of HELPERS) {
      Object.defineProperty(this.#koa.response, name, { value: helper, writable: true, configurable: true });
      Object.defineProperty(this.#koa.context, name, {
        value(this: Context, ...values: unknown[]) {
          return helper.apply(this.response, values);
        },
        writable: true,
        configurable: true,
      });
    }
  }

  context(request: IncomingMessage, response: ServerResponse): Context {
    const ctx = this.#koa.createContext(request, response);
    // As Koa does: nothing was found until somebody says otherwise.
    response.statusCode = 404;
    return ctx;
  }
}

interface QueriedRequest extends Koa.Request {
  parsedQueries?: Map<string, unknown>;
}

/** Parsed once for each query string, so that what code changes in it stays. */
function defineQuery(request: Koa.BaseRequest): void {
  Object.defineProperty(request, 'query', {
    configurable: true,
    get(this: QueriedRequest) {
      const { querystring } = this;
      this.parsedQueries ??= new Map();
      let query = this.parsedQueries.get(querystring);
      if (query === undefined) {
        query = qs.parse(querystring, QUERY);
        this.parsedQueries.set(querystring, query);
      }
      return query;
    },
    set(this: QueriedRequest, query: unknown) {
      this.querystring = qs.stringify(query);
    },
  });
}

/** As the Koa of Strapi has it: where the request was sent to. */
function defineOrigin(request: Koa.BaseRequest): void {
  Object.defineProperty(request, 'origin', {
    configurable: true,
    get(this: Koa.Request) {
      return `${this.protocol}://${this.host}`;
    },
  });
}

/** What no status line may hold; to send one with it would fail where nothing catches it. */
const UNSENDABLE = /[^\t\x20-\x7e\x80-\xff]/;

/** As the Koa of Strapi takes them: whatever the value of a header is, it is text. */
function defineHeaders(response: Koa.BaseResponse): void {
  const { set } = response;
  Object.defineProperty(response, 'set', {
    configurable: true,
    value(this: Koa.Response, field: string, value: string) {
      set.call(this, field, value === undefined && typeof field === 'string' ? 'undefined' : value);
    },
  });
  Object.defineProperty(response, 'message', {
    configurable: true,
    get(this: Koa.Response) {
      return this.res.statusMessage || STATUS_CODES[this.status];
    },
    set(this: Koa.Response, message: unknown) {
      if (UNSENDABLE.test(String(message))) throw new TypeError('ctx.message has characters that cannot be sent');
      this.res.statusMessage = String(message);
    },
  });
}

/** Where the core has answered, the body is what it sent. One accessor for all: one for each would keep it in memory. */
function defineBody(response: Koa.BaseResponse): void {
  const { get, set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(response), 'body')!;
  Object.defineProperty(response, 'body', {
    configurable: true,
    get(this: Response) {
      const answer = this[CORE];
      return answer ? answer.body : get!.call(this);
    },
    set(this: Response, body: unknown) {
      const answer = this[CORE];
      if (answer) answer.body = body;
      else set!.call(this, body);
    },
  });
}

/** A query as text, as clients write it. */
export const queryText = (query: unknown): string => qs.stringify(query, { strictNullHandling: true });

type Helper = (this: Koa.Response, ...values: unknown[]) => void;

function send(this: Koa.Response, data: unknown, status: unknown = 200): void {
  this.status = Number(status);
  this.body = data;
}

function created(this: Koa.Response, data: unknown): void {
  this.status = 201;
  this.body = data;
}

function deleted(this: Koa.Response, data: unknown): void {
  this.status = data === undefined || data === null ? 204 : 200;
  if (this.status === 200) this.body = data;
}

/** `Not Found` → `notFound`. */
const camelCased = (text: string): string =>
  text
    .replace(/'/g, '')
    .split(/[^A-Za-z0-9]+/)
    .map((word, index) => (index === 0 ? word.toLowerCase() : word[0]!.toUpperCase() + word.slice(1).toLowerCase()))
    .join('');

/** `Not Found` → `NotFoundError`. */
export function errorNameOf(status: number): string {
  const name = camelCased(STATUS_CODES[status] ?? 'Error');
  return `${name[0]!.toUpperCase()}${name.slice(1)}`.replace(/(?:Error)?$/, 'Error');
}

/** What `ctx.badRequest(message, details)` and its kin answer. */
export function refusalAnswer(status: number, message: unknown, details: unknown = {}): ErrorAnswer {
  if (message instanceof Error) return { status, name: message.name, message: message.message, details };
  const text = typeof message === 'string' ? message : (STATUS_CODES[status] ?? String(status));
  return { status, name: errorNameOf(status), message: text, details };
}

/** The statuses that a helper of the context stands for, by its name. */
export const REFUSALS: ReadonlyMap<string, number> = new Map(
  Object.keys(STATUS_CODES)
    .map(Number)
    .filter((status) => status >= 400)
    .map((status) => [camelCased(STATUS_CODES[status]!), status]),
);

const HELPERS: ReadonlyMap<string, Helper> = new Map<string, Helper>([
  ['send', send],
  ['created', created],
  ['deleted', deleted],
  ...[...REFUSALS].map(([name, status]): [string, Helper] => [
    name,
    function refuse(this: Koa.Response, message?: unknown, details?: unknown) {
      const answer = refusalAnswer(status, message, details);
      this.status = status;
      this.body = errorBody(answer);
    },
  ]),
]);

/** Runs middlewares around one another, and `last` inside of all of them. */
export function composed(middlewares: readonly Middleware[], last: Middleware): (ctx: Context) => Promise<unknown> {
  const all = [...middlewares, last];
  return (ctx) => {
    let reached = -1;
    const dispatch = async (index: number): Promise<unknown> => {
      if (index <= reached) throw new Error('next() called multiple times');
      reached = index;
      return all[index]?.(ctx, () => dispatch(index + 1));
    };
    return dispatch(0);
  };
}

/** Whether code has said anything, by a status or a body. */
export const isAnswered = (ctx: Context): boolean => ctx.response._explicitStatus === true;

/** What goes over the wire; the headers are on the response. Null for what code has sent by itself. */
export interface CodeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | readonly string[]>>;
  readonly body: string | Buffer | Readable | null;
}

/** An answer of the core that middlewares of the application see after `next()`, as far as they look at it. */
export class CoreAnswer {
  readonly #ctx: Context;
  readonly #payload: unknown;
  #body: unknown;
  #isSeen = false;

  constructor(ctx: Context, status: number, payload: unknown) {
    this.#ctx = ctx;
    this.#payload = payload;
    ctx.res.statusCode = status;
    ctx.response[CORE] = this;
  }

  get body(): unknown {
    if (!this.#isSeen) this.#body = parsedPayload(this.#payload);
    this.#isSeen = true;
    return this.#body;
  }

  set body(value: unknown) {
    this.#isSeen = true;
    this.#body = value;
  }

  get status(): number {
    return this.#ctx.res.statusCode;
  }

  /** What is sent: what was to be sent, or what code has made of it. */
  get payload(): unknown {
    if (!this.#isSeen) return this.#payload;
    const body = this.#body;
    return typeof body === 'object' && body !== null && !Buffer.isBuffer(body) && !(body instanceof Readable)
      ? JSON.stringify(body)
      : body;
  }
}

function parsedPayload(payload: unknown): unknown {
  if (typeof payload !== 'string') return payload;
  try {
    return JSON.parse(payload);
  } catch {
    return payload;
  }
}

const EMPTY_STATUSES: ReadonlySet<number> = new Set([204, 205, 304]);

/** Takes the answer out of a context. */
export function answerOf(ctx: Context): CodeAnswer | null {
  if (ctx.respond === false || ctx.res.headersSent) return null;
  const status = ctx.status;
  const body = wireBody(ctx, status);
  const headers: Record<string, string | number | readonly string[]> = {};
  for (const name of ctx.res.getHeaderNames()) {
    headers[name] = ctx.res.getHeader(name)!;
    ctx.res.removeHeader(name);
  }
  if (body === null) for (const name of ['content-type', 'transfer-encoding', 'content-length']) delete headers[name];
  return { status, headers, body };
}

function wireBody(ctx: Context, status: number): string | Buffer | Readable | null {
  const body: unknown = ctx.body;
  if (EMPTY_STATUSES.has(status)) return null;
  if (body === null || body === undefined) {
    if (ctx.response._explicitNullBody) return null;
    ctx.type = 'text';
    return ctx.message || String(status);
  }
  if (typeof body === 'string' || Buffer.isBuffer(body)) return body;
  if (body instanceof Readable) return body;
  if (body instanceof ReadableStream) return Readable.fromWeb(body);
  if (body instanceof Uint8Array) return Buffer.from(body);
  ctx.remove('Content-Length');
  ctx.type = 'json';
  return JSON.stringify(body);
}
