// What holds for every request before any route: which origins browsers may call from, headers that keep answers what
// they are, and limits on how often one address may ask.
import cors, { type FastifyCorsOptionsDelegate } from '@fastify/cors';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { rateLimitError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { POSITION_HEADER } from './answers.ts';

const PREFLIGHT_SECONDS = 7_200;
const ALLOWED_HEADERS = ['content-type', 'authorization', 'accept', 'origin', POSITION_HEADER];
const EXPOSED_HEADERS = [POSITION_HEADER, 'retry-after', 'server-timing'];

/** Nothing that is served here is a page. Set as they are: to work them out anew for each answer takes a tenth of it. */
const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'cross-origin-resource-policy': 'cross-origin',
} as const;

export async function addDoor(app: FastifyInstance, settings: Settings): Promise<void> {
  const { origins, credentials } = settings.cors;
  const listed = new Set(origins.filter((origin) => origin !== '*'));
  const isOpen = origins.includes('*');
  const shared = {
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ALLOWED_HEADERS,
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  };
  // An origin gets credentials only if it is listed by name; the others at most learn that anyone may call.
  const options: FastifyCorsOptionsDelegate = (request, callback) => {
    const { origin } = request.headers;
    if (origin !== undefined && listed.has(origin)) callback(null, { ...shared, origin, credentials });
    else callback(null, { ...shared, origin: isOpen ? '*' : false, credentials: false });
  };
  await app.register(cors, () => options);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(SECURITY_HEADERS);
    done();
  });
  await app.register(rateLimit, {
    global: false,
    keyGenerator: (request) => `${request.ip} ${request.routeOptions.url}`,
    errorResponseBuilder: () => rateLimitError(),
  });
}
