// What holds for every request before any route: which origins browsers may call from, headers that keep answers what
// they are, and limits on how often one address may ask.
import cors, { type FastifyCorsOptionsDelegate } from '@fastify/cors';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { rateLimitError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { POSITION_HEADER } from './answers.ts';

const PREFLIGHT_SECONDS = 7_200;
const ALLOWED_HEADERS = ['content-type', 'authorization', 'accept', 'origin', POSITION_HEADER];
const EXPOSED_HEADERS = [POSITION_HEADER, 'retry-after', 'server-timing'];

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
  await app.register(helmet, {
    // Nothing that is served here is a page.
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    crossOriginResourcePolicy: { policy: 'cross-origin' },
  });
  await app.register(rateLimit, {
    global: false,
    keyGenerator: (request) => `${request.ip} ${request.routeOptions.url}`,
    errorResponseBuilder: () => rateLimitError(),
  });
}
