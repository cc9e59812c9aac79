// Requests on their way: where they go, who sends them, when they are sent again, and what comes of their responses.
import type { ClientOptions, RequestOptions } from '../typing/client-options.ts';
import { errorOf, retryAfterOf, SheafError } from './client-error.ts';
import { parse, query } from './query-text.ts';
import { type Progress, sendWithProgress } from './upload-progress.ts';

/** Times that a request is sent again after a 503, if nobody says otherwise. A server that needs longer is down. */
const DEFAULT_RETRIES = 2;

/** Seconds of a `Retry-After` that are waited for. A person does not wait longer, and a program has its own schedule. */
const MAX_RETRY_AFTER_SECONDS = 30;

/** Characters of path and query. Proxies such as nginx take 8,192 for the whole first line of a request. */
const MAX_URL_LENGTH = 8_000;

/** Milliseconds for which reads ask for what was written; no replica is behind for longer, and caches tell by it. */
const POSITION_MS = 60_000;

/**
 * What may happen to a request whose response got lost. A read changes nothing. A write that states its result can be
 * repeated. One that adds something each time is never sent again, since it may have been stored.
 */
export type Repeat = 'read' | 'repeatable' | 'once';

export interface Call {
  readonly method: string;
  /** Below the prefix of the API, with names encoded. */
  readonly path: string;
  readonly query?: object | undefined;
  readonly body?: unknown;
  readonly repeat: Repeat;
  readonly options?: RequestOptions | undefined;
  readonly onProgress?: Progress | undefined;
  /** That it says nothing of who sends it. */
  readonly isAnonymous?: boolean;
}

/** Who sends requests. */
export interface Identity {
  /** The token to send; null for none. */
  token(): Promise<string | null>;
  /** Whether there is another token than this one, which was refused. */
  renew(refused: string): Promise<boolean>;
}

export interface Transport {
  /** Sends a request, and again where that helps, for its response with what that holds. Whatever fails is an error. */
  exchange(call: Call): Promise<Exchanged>;
  /** The same for what the response holds. */
  send(call: Call): Promise<unknown>;
  /** A read by its URL; by a body where that would be too long, if the path takes one. */
  read(path: string, parameters: object | undefined, options?: RequestOptions, byBody?: string): Promise<unknown>;
  /** The address of the server, without the prefix of its API. */
  readonly origin: string;
}

export interface Exchanged {
  readonly response: Response;
  readonly content: unknown;
}

export function createTransport(given: ClientOptions, identity: Identity): Transport {
  const { prefix = '/api' } = given;
  const address = given.url.replace(/\/+$/, '');
  const origin = address.endsWith(prefix) ? address.slice(0, address.length - prefix.length) : address;
  const perform = performer(given, origin + prefix, identity);

  const exchange: Transport['exchange'] = async (call) => {
    let retries = call.repeat === 'once' ? 0 : (call.options?.retries ?? given.retries ?? DEFAULT_RETRIES);
    for (let mayRenew = !call.isAnonymous; ; ) {
      const { response, token } = await perform(call);
      const seconds = response.status === 503 && retries-- > 0 ? retryAfterOf(response.headers) : null;
      if (response.ok) return { response, content: await contentOf(response, call.options?.signal) };
      if (seconds !== null && seconds <= MAX_RETRY_AFTER_SECONDS) await pause(seconds, call.options?.signal);
      else if (response.status === 401 && token && mayRenew && (await identity.renew(token))) mayRenew = false;
      else throw await errorOf(response);
      // Nobody reads it, and it would keep its connection.
      await response.body?.cancel().catch(() => undefined);
    }
  };

  const send: Transport['send'] = async (call) => (await exchange(call)).content;

  const read: Transport['read'] = async (path, parameters, options, byBody) => {
    const text = query(parameters ?? {});
    if (byBody !== undefined && path.length + text.length > MAX_URL_LENGTH)
      try {
        // As the server would have read it from the URL, so that it means the same.
        return await send({ method: 'POST', path: byBody, body: parse(text), repeat: 'read', options });
      } catch (error) {
        // A single type, and Strapi 5, have no such route.
        if (!(error instanceof SheafError && (error.status === 404 || error.status === 405))) throw error;
      }
    return send({ method: 'GET', path, query: parameters, repeat: 'read', options });
  };
  return { exchange, send, read, origin };
}

interface Performed {
  readonly response: Response;
  /** The token that was sent. */
  readonly token: string | null;
}

function performer(given: ClientOptions, base: string, identity: Identity): (call: Call) => Promise<Performed> {
  const { url, prefix, token: _token, session, onSession, fetch: ownFetch, onResponse, ...defaults } = given;
  /** How far the last write of this client went, for replicas that are behind; and until when that matters. */
  let [position, positionEnd] = ['', 0];

  return async (call) => {
    const { method, body, repeat, onProgress } = call;
    const token = call.isAnonymous ? null : await identity.token();
    const { headers: own, requestId, retries, ...options } = call.options ?? {};
    const { headers: common, cache, next, retries: _retries, ...rest } = defaults;
    const isForm = body instanceof FormData;
    const headers = new Headers({ accept: 'application/json', ...common, ...own });
    if (token) headers.set('authorization', `Bearer ${token}`);
    if (body !== undefined && !isForm) headers.set('content-type', 'application/json');
    if (requestId) headers.set('x-request-id', requestId);
    if (repeat === 'read' && Date.now() < positionEnd) headers.set('x-sheaf-position', position);
    const init: RequestInit = {
      ...rest,
      ...(repeat === 'read' && definedIn({ cache, next })),
      ...options,
      method,
      headers,
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body, inJson) }),
    };
    const text = query(call.query ?? {});
    const address = `${base}${call.path}${text && `?${text}`}`;
    const response = await (onProgress
      ? sendWithProgress(address, init, onProgress, ownFetch ?? fetch)
      : (ownFetch ?? fetch)(address, init)
    ).catch((cause: unknown) => {
      throw unreached(cause, init.signal);
    });
    const written = response.headers.get('x-sheaf-position');
    if (written) [position, positionEnd] = [written, Date.now() + POSITION_MS];
    onResponse?.(response);
    return { response, token };
  };
}

/** JSON has no large integers; the server takes them as strings. */
const inJson = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

const definedIn = (values: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** What `fetch` failed with. That a request was aborted is told as the caller told it. */
function unreached(cause: unknown, signal: AbortSignal | null | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  return new SheafError('The server was not reached', { name: 'NetworkError', status: 0, cause });
}

async function contentOf(response: Response, signal: AbortSignal | null | undefined): Promise<unknown> {
  try {
    return response.status === 204 ? undefined : await response.json();
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw unreached(cause, signal);
    const { status, headers } = response;
    const requestId = headers.get('x-request-id');
    throw new SheafError('The response is not JSON', { name: 'ResponseError', status, requestId, cause });
  }
}

const pause = (seconds: number, signal: AbortSignal | null | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal!.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
