// Routes → Fastify: each behind the right it needs, and a 405 for the methods that a path does not answer.
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { requireAction } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { Auth } from '../accounts/auth.ts';
import { StaleCallerError } from '../db/database.ts';
import { methodNotAllowedError, readOnlyError, SheafError } from '../errors.ts';
import { answerEarly } from './early-answer.ts';
import { MULTIPART_OPTIONS } from './receive-upload.ts';
import { elapsed, sendError } from './respond.ts';
import { type Handler, isRead, METHODS, patternOf, type Route } from './routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before the handler of every route that needs a right. */
    caller: Caller | null;
  }
  interface FastifyContextConfig {
    /** Of a route that code of the project answers. */
    isOwnCode?: true;
  }
}

/** The constraint that tells which of several routes the order of the project chooses. */
export const TURN = 'turn';

export interface RegisterOptions {
  /** Whether routes that write refuse whatever they are asked for. */
  readonly isReadOnly: boolean;
}

export function registerRoutes(
  app: FastifyInstance,
  auth: Auth,
  routes: readonly Route[],
  { isReadOnly }: RegisterOptions,
): void {
  const served = isReadOnly ? routes.filter(isRead) : routes;
  const bodies = Map.groupBy(served, ({ takesFiles, readsBody }) =>
    readsBody ? 'raw' : takesFiles ? 'files' : 'plain',
  );
  for (const route of bodies.get('plain') ?? []) registerRoute(app, auth, route);
  // In scopes of their own, since no other route takes such bodies.
  app.register(async (scope) => {
    await scope.register(multipart, MULTIPART_OPTIONS);
    scope.addHook('onSend', answerEarly);
    for (const route of bodies.get('files') ?? []) registerRoute(scope, auth, route);
  });
  const raw = bodies.get('raw') ?? [];
  if (raw.length > 0)
    app.register(async (scope) => {
      scope.removeAllContentTypeParsers();
      await scope.register(multipart, MULTIPART_OPTIONS);
      scope.addHook('onSend', answerEarly);
      scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
      for (const route of raw) registerRoute(scope, auth, route);
    });
  refuseOtherMethods(app, routes, served);
}

function registerRoute(app: FastifyInstance, auth: Auth, route: Route): void {
  const { method, path, limit, handler, turn } = route;
  // A handler that reads the body also finds out who sends it.
  const action = route.readsBody ? null : route.action;
  app.route({
    method,
    url: path,
    ...(turn !== undefined && { constraints: { [TURN]: turn } }),
    handler: action === null ? handler : orWithCallerAnew(auth, action, handler),
    config: {
      ...(route.readsBody && { isOwnCode: true }),
      ...(limit && { rateLimit: { max: limit.max, timeWindow: limit.seconds * 1000 } }),
    },
    // After the limits on requests, before the body is read: who may not do this need not send one.
    ...(action !== null && { preParsing: authorizeRequest(auth, action, route) }),
  });
}

function refuseOtherMethods(app: FastifyInstance, routes: readonly Route[], served: readonly Route[]): void {
  const isServed = new Set(served);
  const groups = Map.groupBy(routes, ({ path }) => patternOf(path));
  const answered = [...groups].map(([pattern, group]) => ({
    segments: pattern.split('/'),
    methods: new Set<string>(group.map(({ method }) => method)),
  }));
  for (const [pattern, group] of groups) {
    const [{ path: url }] = group as [Route];
    const allowed = group.filter((route) => isServed.has(route)).map(({ method }) => method);
    const writes = group.map(({ method }) => method).filter((method) => !allowed.includes(method));
    if (writes.length > 0) app.route({ method: writes, url, ...refuseWrites(allowed) });
    const isRefusedInEnvelope = group.some(({ refusesInEnvelope }) => refusesInEnvelope);
    const refuse = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      reply.header('allow', allowed.join(', '));
      if (isRefusedInEnvelope) throw methodNotAllowedError(allowed);
      return refuseMethod(request, reply, allowed);
    };
    // Below a path with expressions other routes answer.
    const elsewhere = group.some(isOwn) && !url.endsWith('*') ? answeredAt(answered, pattern) : null;
    const isElsewhere = (method: string): boolean => elsewhere?.has(method) ?? group.some(isOwn);
    const others = METHODS.filter(
      (method) => !allowed.includes(method) && !writes.includes(method) && !isElsewhere(method),
    );
    // Of a QUERY the framework would ask for the type of its body first. All others are one route, which is made sooner.
    const [queries, rest] = [others.filter(isQuery), others.filter((method) => !isQuery(method))];
    if (queries.length > 0) app.route({ method: queries, url, onRequest: refuse, handler: refuse });
    if (rest.length > 0) app.route({ method: rest, url, handler: refuse });
  }
}

const isQuery = (method: string): boolean => method === 'QUERY';

const isOwn = ({ readsBody }: Route): boolean => readsBody === true;

interface AnsweredPath {
  readonly segments: readonly string[];
  readonly methods: ReadonlySet<string>;
}

/** The methods that routes answer at a path, also those with another, as `PUT /things/:id` does at `/things/special`. */
function answeredAt(paths: readonly AnsweredPath[], pattern: string): ReadonlySet<string> {
  const asked = pattern.split('/');
  const fits = ({ segments }: AnsweredPath): boolean =>
    segments.length === asked.length && segments.every((part, at) => part === ':' || part === asked[at]);
  return new Set(paths.filter(fits).flatMap(({ methods }) => [...methods]));
}

/**
 * Finds out who calls and refuses who lacks the right. Where it is known who calls, nothing is waited for. A caller who
 * is known by a mark is not refused before the database was asked, and serves only for operations, which check the mark.
 */
function authorizeRequest({ authenticator }: Auth, action: string, { operation, policies = [] }: Route) {
  const isEnough = ({ knownBy, access }: Caller): boolean =>
    knownBy === null || (operation !== null && policies.length === 0 && access.may(action));
  const identify = async (request: FastifyRequest): Promise<void> => {
    request.caller = await authenticator.identify(request.headers.authorization);
    requireAction(request.caller, action);
  };
  return (request: FastifyRequest, _reply: FastifyReply, _body: unknown, done: (error?: Error) => void): void => {
    try {
      const known = authenticator.now(request.headers.authorization);
      if (!known || !isEnough(known)) {
        identify(request).then(() => done(), done);
        return;
      }
      request.caller = known;
      requireAction(known, action);
    } catch (error) {
      done(error as Error);
      return;
    }
    done();
  };
}

/** Refusals that another right of the caller could turn into something else. What is not found was looked for. */
const REFUSALS = new Set([400, 401, 403]);

/**
 * Runs a handler; and once more with a caller who is looked up, where the one who was known is not up to date. That is
 * told by the statements of an operation, and looked for where it was refused.
 */
function orWithCallerAnew({ authenticator, isStale }: Auth, action: string, handler: Handler): Handler {
  const again = async (
    error: Error,
    knownBy: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> => {
    if (!(error instanceof StaleCallerError || (isRefusal(error) && (await isStale(knownBy))))) throw error;
    request.caller = await authenticator.identify(request.headers.authorization);
    requireAction(request.caller, action);
    return handler(request, reply);
  };
  return (request, reply) => {
    const knownBy = request.caller?.knownBy ?? null;
    const answer = handler(request, reply);
    // A promise more costs time, so it is made only where there can be something to do.
    return knownBy === null ? answer : answer.catch((error: Error) => again(error, knownBy, request, reply));
  };
}

const isRefusal = (error: Error): boolean => error instanceof SheafError && REFUSALS.has(error.status);

/** What is written is refused whoever asks, and before a body is read. */
function refuseWrites(allowed: readonly string[]): Pick<RouteShorthandOptions, 'onRequest'> & { handler: Handler } {
  return {
    onRequest: (_request, reply, done) => {
      reply.header('allow', allowed.join(', '));
      done(readOnlyError());
    },
    handler: async () => undefined,
  };
}

/** The caller of a route that needs a right. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('the route needs no right, so nobody was identified');
  return caller;
}

/** Clients of Strapi 5 expect plain text here; the envelope goes to those that ask for JSON. */
function refuseMethod(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): FastifyReply {
  if (request.headers.accept?.includes('application/json')) return sendError(reply, methodNotAllowedError(allowed));
  return reply
    .code(405)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
    .send('Method Not Allowed');
}
