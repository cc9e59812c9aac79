// What holds for every request before any route: which origins browsers may call from, headers that keep answers what
// they are, and limits on how often one address may ask. The headers are put together once, not for each answer: the
// plugins of the framework that work them out anew took a twentieth of the time of a list.
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { rateLimitError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { POSITION_HEADER } from './answers.ts';

type Headers = Readonly<Record<string, string>>;

const PREFLIGHT_SECONDS = 7_200;

/** Nothing that is served here is a page. */
const SECURITY: Headers = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'cross-origin-resource-policy': 'cross-origin',
};
const EXPOSED: Headers = { 'access-control-expose-headers': `${POSITION_HEADER}, retry-after, server-timing` };
const PREFLIGHT: Headers = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': `content-type, authorization, accept, origin, ${POSITION_HEADER}`,
  'access-control-max-age': String(PREFLIGHT_SECONDS),
};

export async function addDoor(app: FastifyInstance, settings: Settings): Promise<void> {
  const headersFor = headersByOrigin(settings.cors);
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
  await app.register(rateLimit, {
    global: false,
    keyGenerator: (request) => `${request.ip} ${request.routeOptions.url}`,
    errorResponseBuilder: () => rateLimitError(),
  });
}

/** An origin gets credentials only if it is listed by name; the others at most learn that anyone may call. */
function headersByOrigin({ origins, credentials }: Settings['cors']): (origin: string | undefined) => Headers {
  const isOpen = origins.includes('*');
  const listed = new Map<string, Headers>();
  for (const origin of origins)
    if (origin !== '*')
      listed.set(origin, {
        ...SECURITY,
        ...EXPOSED,
        vary: 'Origin',
        'access-control-allow-origin': origin,
        ...(credentials && { 'access-control-allow-credentials': 'true' }),
      });
  const others: Headers = {
    ...SECURITY,
    ...(listed.size > 0 && { vary: 'Origin' }),
    ...(isOpen && { ...EXPOSED, 'access-control-allow-origin': '*' }),
  };
  return (origin) => (origin === undefined ? others : (listed.get(origin) ?? others));
}
