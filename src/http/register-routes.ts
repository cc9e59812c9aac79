// Routes → Fastify: each behind the right it needs.
import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { Auth } from '../accounts/auth.ts';
import { StaleCallerError } from '../db/database.ts';
import { errorOf, SheafError } from '../errors.ts';
import { answerEarly } from './early-answer.ts';
import { readForms } from './form-body.ts';
import { type RefuseMethod, refuseOtherMethods } from './other-methods.ts';
import { MULTIPART_OPTIONS } from './receive-upload.ts';
import { answeredBy, type Handler, isRead, type Route } from './routes.ts';

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

/** Returns what refuses methods that a path does not answer, for requests that no route took. */
export function registerRoutes(
  app: FastifyInstance,
  auth: Auth,
  routes: readonly Route[],
  { isReadOnly }: RegisterOptions,
): RefuseMethod {
  const served = isReadOnly ? routes.filter(isRead) : routes;
  const bodies = Map.groupBy(served, ({ takesFiles, takesForms, readsBody }) =>
    readsBody ? 'raw' : takesFiles ? 'files' : takesForms ? 'forms' : 'plain',
  );
  for (const route of bodies.get('plain') ?? []) registerRoute(app, auth, route);
  // In scopes of their own, since no other route takes such bodies.
  app.register(async (scope) => {
    readForms(scope, auth.settings.limits);
    for (const route of bodies.get('forms') ?? []) registerRoute(scope, auth, route);
  });
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
  return refuseOtherMethods(app, routes, served);
}

function registerRoute(app: FastifyInstance, auth: Auth, route: Route): void {
  const { method, path, limit, handler, turn } = route;
  // A handler that reads the body also finds out who sends it.
  const action = route.readsBody ? null : route.action;
  app.route({
    method,
    url: path,
    // Scanners of links send a HEAD, which must change nothing.
    exposeHeadRoute: route.writes !== true,
    ...(turn !== undefined && { constraints: { [TURN]: turn } }),
    handler: answeredBy(action === null ? handler : orWithCallerAnew(auth, action, handler)),
    config: {
      ...(route.readsBody && { isOwnCode: true }),
      ...(limit && { rateLimit: { max: limit.max, timeWindow: limit.seconds * 1000 } }),
    },
    // After the limits on requests, before the body is read: who may not do this need not send one.
    ...(action !== null && { preParsing: authorizeRequest(auth, action, route) }),
  });
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
      done(errorOf(error));
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
  const again = async (error: Error, knownBy: string, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
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

/** The caller of a route that needs a right. */
export function callerOf({ caller }: FastifyRequest): Caller {
  if (!caller) throw new Error('the route needs no right, so nobody was identified');
  return caller;
}
