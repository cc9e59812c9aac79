// The HTTP server: registers the table of routes behind one guard. All content comes from operations/.
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import type { Sheaf } from '../app.ts';
import { notFoundError } from '../errors.ts';
import { MAX_BODY_BYTES, MAX_HEADER_BYTES } from '../limits.ts';
import { type HeadersFor, headersByOrigin, SECURITY } from './headers.ts';
import { errorLog, logRequests, requestId } from './log.ts';
import { registerRoutes } from './register-routes.ts';
import { registerRateLimits, registerRequestGuard } from './request-guard.ts';
import { envelope, refuseConnection, sendError } from './respond.ts';
import { routeTable } from './route-table.ts';

/** How long a client may take to send its request, and an unused connection may stay. */
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
/** Longest path segment taken for a documentId. */
const MAX_DOCUMENT_ID_LENGTH = 255;

const noSchemas = (): never => {
  throw new Error('routes have no schemas');
};

export interface ServerOptions {
  /** Where requests and errors are logged; errors alone, to standard error, where none is given. */
  readonly logger?: FastifyBaseLogger;
}

export function createServer(sheaf: Sheaf, { logger = errorLog() }: ServerOptions = {}): FastifyInstance {
  const headersFor = headersByOrigin(sheaf.settings.cors);
  const app = createApp(sheaf, logger, headersFor);
  app.decorateRequest('begin', 0);
  app.decorateRequest('caller', null);
  registerRequestGuard(app, headersFor);
  logRequests(app);
  readEmptyBodies(app);
  app.setErrorHandler((error, _request, reply) => sendError(reply, error as Error));
  app.setNotFoundHandler((_request, reply) => sendError(reply, notFoundError()));
  refuseExpectations(app);
  closeConnections(app);
  // In this scope and no other, so that the guard stands before what is not found as well.
  const routes = async (scope: FastifyInstance): Promise<void> => {
    const auth = await sheaf.auth();
    await registerRateLimits(scope);
    registerRoutes(scope, auth, routeTable(sheaf, auth));
  };
  app.register(Object.assign(routes, { [Symbol.for('skip-override')]: true }));
  return app;
}

function createApp(sheaf: Sheaf, logger: FastifyBaseLogger, headersFor: HeadersFor): FastifyInstance {
  return Fastify({
    loggerInstance: logger,
    // One logger for all requests: each line names its request, and a child of its own for each is a cost that shows.
    childLoggerFactory: (parent) => parent,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
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
}

function refuseExpectations(app: FastifyInstance): void {
  app.server.on('checkExpectation', (_request, response) => {
    const body = envelope(417, 'ExpectationFailedError', 'The Expect header asks for something unknown', {});
    response.writeHead(417, {
      ...SECURITY,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
}

/** What is answered while the server closes is the last on its connection. */
function closeConnections(app: FastifyInstance): void {
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (closing) reply.header('connection', 'close');
    done(null, payload);
  });
}

/** The official client calls everything JSON, also a request without a body. */
function readEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body, done);
  });
}
