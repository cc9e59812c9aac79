// How routes are made: a path with its methods, each behind the right it needs; the query read strictly, once.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { Auth } from '../accounts/auth.ts';
import type { Identity } from '../accounts/authenticate.ts';
import type { Sheaf } from '../app.ts';
import { forbiddenError, methodNotAllowedError, notFoundError } from '../errors.ts';
import type { Lru } from '../lru.ts';
import type { RateLimit } from '../project/settings.ts';
import { parseQueryString, type QueryObject } from '../request/query-string.ts';
import { elapsed, sendError } from './respond.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; there before the handler of every route that needs a right. */
    caller: Identity;
  }
  interface FastifyContextConfig {
    /** The right that the route needs, and whether a limit of its own holds. */
    action?: string;
    limit?: RateLimit;
  }
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** What a route answers to a method: by which right, null for none, and how. */
export interface Method {
  readonly action: string | null;
  readonly handler: Handler;
}

/** What every route is made with. */
export interface Site {
  readonly app: FastifyInstance;
  readonly sheaf: Sheaf;
  readonly auth: Auth;
  /** Requests that were prepared, by who asks, path and query. */
  readonly requests: Lru<string, PreparedText>;
}

/** A request that is ready to run, and answers with text; null where there is nothing. */
export interface PreparedText {
  readonly timing: { readonly parse: number; readonly plan: number };
  run(run: { documentId?: string | null; user: Identity['user']; after: string | null }): Promise<string | null>;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Registers the methods a path answers to; every other gets a 405 that says which. */
export function route(
  { app, auth }: Pick<Site, 'app' | 'auth'>,
  url: string,
  methods: Partial<Record<(typeof METHODS)[number], Method>>,
  limit?: RateLimit,
): void {
  for (const [method, { action, handler }] of Object.entries(methods))
    app.route({
      method: method as HTTPMethods,
      url,
      handler,
      config: {
        ...(action !== null && { action }),
        ...(limit && { rateLimit: { max: limit.max, timeWindow: limit.seconds * 1000 } }),
      },
      // After the limits on requests, before the body is read: who may not do this need not send one.
      ...(action !== null && { preParsing: admit(auth, action) }),
    });
  const allowed = Object.keys(methods);
  app.route({
    method: METHODS.filter((method) => !methods[method]),
    url,
    handler: async (request, reply) => refuseMethod(request, reply.header('allow', allowed.join(', ')), allowed),
  });
}

/** Lets in who has the right. Where it is known who asks, which is most often so, nothing is waited for. */
function admit({ authenticator }: Auth, action: string) {
  return (request: FastifyRequest, _reply: FastifyReply, _body: unknown, done: (error?: Error) => void): void => {
    const enter = (caller: Identity): void => {
      request.caller = caller;
      done(caller.access.may(action) ? undefined : forbiddenError());
    };
    try {
      const known = authenticator.now(request.headers.authorization);
      if (known) enter(known);
      else authenticator.identify(request.headers.authorization).then(enter, done);
    } catch (error) {
      done(error as Error);
    }
  };
}

/** Clients of this dialect expect plain text here; the envelope goes to those that ask for JSON. */
function refuseMethod(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): FastifyReply {
  if (request.headers.accept?.includes('application/json')) return sendError(reply, methodNotAllowedError(allowed));
  return reply
    .code(405)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
    .send('Method Not Allowed');
}

export const queryTextOf = (request: FastifyRequest): string => {
  const url = request.raw.url!;
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
};

export const queryOf = (request: FastifyRequest): QueryObject => parseQueryString(queryTextOf(request));

/** No document has an id that no database could keep. */
export function documentIdOf(request: FastifyRequest): string {
  const { documentId } = request.params as { documentId: string };
  if (documentId?.includes('\0')) throw notFoundError();
  return documentId;
}
