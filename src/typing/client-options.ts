// What a client is made with, and what a request of it is given besides its parameters.

/**
 * Options of one request. Whatever `fetch` takes is handed to it: `signal`, `cache`, `credentials`, `keepalive`, and
 * `next` of Next.js.
 */
export interface RequestOptions extends Omit<RequestInit, 'method' | 'body' | 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Of Next.js: how long a response is kept, and the tags by which it is dropped. */
  next?: { revalidate?: number | false; tags?: string[] };
  /** Sent as `x-request-id`, under which the server logs the request. Without it the server chooses one. */
  readonly requestId?: string;
  /** How often a request is sent again after a 503 that says when; 2 by default, 0 for never. */
  readonly retries?: number;
}

/** The tokens of a session. In browsers the refresh token is a cookie that scripts do not see. */
export interface Session {
  readonly jwt: string;
  readonly refreshToken?: string;
}

type Maybe<T> = T | null | undefined;

/** `cache` and `next` are for reads; every other option holds for all requests, and a request's own goes before it. */
export interface ClientOptions extends Omit<RequestOptions, 'signal' | 'requestId'> {
  /** Where the server is, such as `https://cms.example`; its `/api` may stand at the end. Empty for the page's own origin. */
  readonly url: string;
  /** The setting `rest.prefix` of the server, if it is not `/api`. */
  readonly prefix?: string;
  /** An API token, or a JWT; or a function that is asked for it before each request. */
  readonly token?: Maybe<string> | (() => Maybe<string> | Promise<Maybe<string>>);
  /** A session to go on with, as `onSession` was told of it. */
  readonly session?: Session | null;
  /** Is told of every session that begins or is renewed, and null when it ends, so that a program can keep it. */
  readonly onSession?: (session: Session | null) => void;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch;
  /** Sees every response, such as its `x-request-id`, `x-sheaf-hint` and `x-sheaf-ignored`. */
  readonly onResponse?: (response: Response) => void;
}
