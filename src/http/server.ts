// The HTTP skin: one server with the routes of the model, behind one door. All content comes from documents/, and who
// may have it is decided in auth/ and plan/.
import Fastify, { type FastifyInstance } from 'fastify';
import type { Sheaf } from '../app.ts';
import { notFoundError } from '../errors.ts';
import { MAX_BODY_BYTES, MAX_CACHED_REQUESTS, MAX_HEADER_BYTES } from '../limits.ts';
import { Lru } from '../lru.ts';
import { USER } from '../model/builtin.ts';
import { addAuthRoutes } from './auth-routes.ts';
import { addContentRoutes, addLocaleRoute } from './content-routes.ts';
import { headersByOrigin, SECURITY } from './headers.ts';
import { addDoor, addRateLimits } from './request-guard.ts';
import { envelope, refuseConnection, sendError, sendNothing, sendValue } from './respond.ts';
import { route, type Site } from './routes.ts';
import { addUserRoutes } from './user-routes.ts';

/** How long a client may take to send its request, and an unused connection may stay. */
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
/** Longest path segment taken for a documentId. */
const MAX_DOCUMENT_ID_LENGTH = 255;

const noSchemas = (): never => {
  throw new Error('routes have no schemas');
};

export function createServer(sheaf: Sheaf): FastifyInstance {
  const headersFor = headersByOrigin(sheaf.settings.cors);
  const app = Fastify({
    logger: false,
    ...(sheaf.settings.trustProxy.length > 0 && { trustProxy: [...sheaf.settings.trustProxy] }),
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      maxParamLength: MAX_DOCUMENT_ID_LENGTH,
      // The query is read by request/query-string.ts, strictly.
      querystringParser: () => ({}),
    },
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    // A request that arrives on an open connection while the server closes is answered like any other.
    return503OnClosing: false,
    // Node refuses at the size it is given, and answers a missing Host header without a body.
    http: { maxHeaderSize: MAX_HEADER_BYTES + 1, requireHostHeader: false },
    clientErrorHandler: refuseConnection,
    // No route has a schema, so the compilers of schemas need not be loaded.
    schemaController: { compilersFactory: { buildValidator: () => noSchemas, buildSerializer: () => noSchemas } },
    // A path segment too long for a documentId names no document.
    frameworkErrors: (error, request, reply) =>
      sendError(
        reply.headers(headersFor(request.headers.origin)),
        error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? notFoundError() : error,
      ),
  });
  app.decorateRequest('begin', 0);
  app.decorateRequest('caller');
  addDoor(app, headersFor);
  readEmptyBodies(app);
  app.setErrorHandler((error, _request, reply) => sendError(reply, error as Error));
  app.setNotFoundHandler((_request, reply) => sendError(reply, notFoundError()));
  app.server.on('checkExpectation', (_request, response) => {
    const body = envelope(417, 'ExpectationFailedError', 'The Expect header asks for something unknown', {});
    response.writeHead(417, {
      ...SECURITY,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
  // What is answered while the server closes is the last on its connection.
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
  // In this scope and no other, so that the door stands before what is not found as well.
  const routes = (scope: FastifyInstance) => addRoutes(scope, sheaf);
  app.register(Object.assign(routes, { [Symbol.for('skip-override')]: true }));
  return app;
}

/** The official client calls everything JSON, also a request without a body. */
function readEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body, done);
  });
}

async function addRoutes(app: FastifyInstance, sheaf: Sheaf): Promise<void> {
  const auth = await sheaf.auth();
  await addRateLimits(app);
  const site: Site = { app, sheaf, auth, requests: new Lru(MAX_CACHED_REQUESTS) };
  route(site, '/_health', { GET: { action: null, handler: async (_request, reply) => sendNothing(reply) } });
  route(site, '/_ready', {
    GET: {
      action: null,
      handler: async (_request, reply) => sendValue(reply, { status: 'ready', ...(await sheaf.check()) }),
    },
  });
  addLocaleRoute(site);
  addAuthRoutes(site);
  addUserRoutes(site);
  for (const type of sheaf.model.contentTypes.values())
    if (type.exposure === 'routes' && type.uid !== USER) addContentRoutes(site, type);
}
