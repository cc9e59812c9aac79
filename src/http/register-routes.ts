// Routes → Fastify: each behind the right it needs, and a 405 for the methods that a path does not answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { Auth } from '../accounts/auth.ts';
import { methodNotAllowedError } from '../errors.ts';
import { elapsed, sendError } from './respond.ts';
import { METHODS, type Route } from './routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls; set before the handler of every route that needs a right. */
    caller: Caller | null;
  }
}

export function registerRoutes(app: FastifyInstance, auth: Auth, routes: readonly Route[]): void {
  for (const { method, path, action, limit, handler } of routes)
    app.route({
      method,
      url: path,
      handler,
      config: { ...(limit && { rateLimit: { max: limit.max, timeWindow: limit.seconds * 1000 } }) },
      // After the limits on requests, before the body is read: who may not do this need not send one.
      ...(action !== null && { preParsing: authorizeRequest(auth, action) }),
    });
  for (const [url, group] of Map.groupBy(routes, ({ path }) => path)) {
    const allowed = group.map(({ method }) => method);
    app.route({
      method: METHODS.filter((method) => !allowed.includes(method)),
      url,
      handler: async (request, reply) => refuseMethod(request, reply.header('allow', allowed.join(', ')), allowed),
    });
  }
}

/** Finds out who calls and refuses who lacks the right. Where it is known who calls, nothing is waited for. */
function authorizeRequest({ authenticator }: Auth, action: string) {
  return (request: FastifyRequest, _reply: FastifyReply, _body: unknown, done: (error?: Error) => void): void => {
    const admit = (caller: Caller): void => {
      request.caller = caller;
      requireAction(caller, action);
      done();
    };
    try {
      const known = authenticator.now(request.headers.authorization);
      if (known) admit(known);
      else authenticator.identify(request.headers.authorization).then(admit).catch(done);
    } catch (error) {
      done(error as Error);
    }
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
