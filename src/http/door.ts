// What holds for every request before any route: the headers of its answer, the questions of browsers, and how often one
// address may ask.
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RateLimitError } from '../errors.ts';
import { type HeadersFor, PREFLIGHT } from './headers.ts';

/** Comes before everything else, so that refusals have the headers as well. */
export function addHeaders(app: FastifyInstance, headersFor: HeadersFor): void {
  // Not an async function: it runs for every request, and a promise each is a cost that shows.
  app.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done: () => void) => {
    const { origin } = request.headers;
    const headers = headersFor(origin);
    reply.headers(headers);
    const asks = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (!asks || origin === undefined) return done();
    const isAllowed = headers['access-control-allow-origin'] !== undefined;
    reply
      .code(204)
      .headers(isAllowed ? PREFLIGHT : {})
      .send();
  });
}

export async function addRateLimits(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    keyGenerator: (request) => `${request.ip} ${request.routeOptions.url}`,
    errorResponseBuilder: (_request, { ttl }) => new RateLimitError(Math.ceil(ttl / 1000)),
  });
}
