// The HTTP server: registers the table of routes behind one guard. All content comes from operations/.
import type { Socket } from 'node:net';
import Fastify, {
  type FastifyBaseLogger,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import type { Sheaf } from '../app.ts';
import type { StrapiCode, startStrapiCode } from '../compat/strapi/strapi-code.ts';
import { notFoundError, SheafError } from '../errors.ts';
import {
  type Limits,
  MAX_CACHED_REQUEST_BYTES,
  MAX_HEADER_BYTES,
  MAX_HEADERS_MS,
  MAX_IDLE_MS,
  MAX_REQUEST_MS,
  MAX_STALLED_MS,
  MAX_URL_LENGTH,
} from '../limits.ts';
import { Lru } from '../lru.ts';
import { normalisedUrl } from '../request/normalised-url.ts';
import { batchResponses } from './batch-responses.ts';
import { followCode } from './code-hooks.ts';
import { takeTurns } from './code-routes.ts';
import { guardConsole } from './console/console-guard.ts';
import { isConsolePath, registerConsole } from './console/register-console.ts';
import { type HeadersFor, headersByOrigin } from './headers.ts';
import { readJsonBodies } from './json-body.ts';
import {
  errorLog,
  followRequest,
  REQUEST_ID_HEADER,
  type RequestLog,
  requestEntry,
  requestId,
  requestLog,
} from './log.ts';
import type { ServerMetrics } from './metrics.ts';
import { isUnroutedQuery, type RefuseMethod } from './other-methods.ts';
import { publicFiles } from './public-files.ts';
import { isUploading, UPLOAD_TIMES, type UploadTimes } from './receive-upload.ts';
import { registerRoutes } from './register-routes.ts';
import { registerRateLimits, registerRequestGuard } from './request-guard.ts';
import { RequestLoad } from './request-load.ts';
import { envelope, refuseConnection, sendError } from './respond.ts';
import { routeContext, routeTable } from './route-table.ts';
import { answeredBy, MAX_PARAMETER_LENGTH, type Route, type RouteContext } from './routes.ts';
import type { Traces } from './traces.ts';
import { endUpgraded } from './upgraded-connections.ts';

const noSchemas = (): never => {
  throw new Error('routes have no schemas');
};

/** How long connections may take, in milliseconds. */
const TIMEOUTS = {
  headers: MAX_HEADERS_MS,
  request: MAX_REQUEST_MS,
  stalled: MAX_STALLED_MS,
  idle: MAX_IDLE_MS,
  /** How often connections are looked at. Node would only do so every 30 seconds. */
  check: 1_000,
} as const;

export interface ServerOptions {
  /** Logs requests and errors. Without one, errors alone are logged, on standard error. */
  readonly logger?: FastifyBaseLogger;
  /** Whether this process is behind with its work; then requests are refused. A process that does other work does not say. */
  readonly isBehind?: () => boolean;
  /** Whether someone works on the project, so that /docs is there unless the project says otherwise. */
  readonly isDevelopment?: boolean;
  /** @internal Counts requests, and may have a path of this server. */
  readonly metrics?: ServerMetrics | null;
  /** @internal */
  readonly traces?: Traces | null;
  /** Internal: tests do not wait as long as clients may take. */
  readonly timeouts?: Readonly<Record<keyof typeof TIMEOUTS, number>>;
  /** @internal */
  readonly uploadTimes?: UploadTimes;
}

export function createServer(sheaf: Sheaf, options: ServerOptions = {}): FastifyInstance {
  const { logger = errorLog(), isBehind = () => false, metrics = null, timeouts = TIMEOUTS } = options;
  const headersFor = headersByOrigin(sheaf.settings.cors);
  const load = sheaf.settings.console.enabled ? new RequestLoad() : null;
  const logRequest = observed(load, metrics, requestLog(logger));
  let hasConsole = false;
  const guard = (request: FastifyRequest, reply: FastifyReply): boolean | SheafError =>
    hasConsole && guardConsole(request, reply, sheaf.settings);
  const app = createApp(sheaf, { logger, timeouts }, (error, request, reply) => {
    const isConsole = guard(request, reply.headers(headersFor(request.headers)));
    answerUnroutable(isConsole instanceof SheafError ? isConsole : error, request, reply);
    logRequest?.(requestEntry(request, reply.statusCode));
  });
  options.traces?.follow(app);
  decorate(app, options.uploadTimes ?? UPLOAD_TIMES);
  registerRequestGuard(app, sheaf.settings, {
    headersFor,
    guardConsole: guard,
    follow: (request, reply) => followRequest(request, reply, logger, logRequest),
    isBehind,
  });
  readJsonBodies(app);
  let refuseMethod: RefuseMethod = () => false;
  const sendFile = answeredBy(publicFiles(sheaf));
  const answerUnrouted = (request: FastifyRequest, reply: FastifyReply): void => {
    if (refuseMethod(request, reply)) return;
    if (request.method === 'GET' || request.method === 'HEAD') sendFile(request, reply);
    else sendError(reply, notFoundError());
  };
  app.setNotFoundHandler(answerUnrouted);
  let code: StrapiCode | null = null;
  app.setErrorHandler<FastifyError>((thrown, request, reply) => {
    if (isUnroutedQuery(request, thrown)) return answerUnrouted(request, reply);
    const error = code?.coreError(thrown) ?? thrown;
    logCause(request, error);
    load?.failed(request.id, error);
    return sendError(reply, error);
  });
  refuseExpectations(app, headersFor, logRequest);
  batchResponses(app);
  closeStalled(app, timeouts);
  // Registered without a scope of their own, so that the guard also holds for paths that no route answers.
  const routes = async (scope: FastifyInstance): Promise<void> => {
    const auth = await sheaf.auth();
    await registerRateLimits(scope);
    const { isReadOnly } = sheaf.database;
    const requests: RouteContext['requests'] = new Lru(MAX_CACHED_REQUEST_BYTES);
    const docs = sheaf.settings.openapi.page ?? options.isDevelopment ?? false;
    if (sheaf.code.isOwn && sheaf.settings.runStrapiCode) {
      endUpgraded(app);
      code = await startCode(sheaf, auth, logger, app.server);
    }
    if (code) followCode(app, sheaf, code);
    const table = routeTable(sheaf, auth, { requests, docs, code });
    if (code) takeTurns(app, code, table);
    refuseMethod = registerRoutes(scope, auth, table, { isReadOnly });
    if (load && !hasConsolePath(table, logger)) {
      hasConsole = true;
      registerConsole(scope, { ...routeContext(sheaf, auth, requests), load, routes: table });
    }
    metrics?.watch({ sheaf, caches: { requests, callers: auth.authenticator.cache, ...sheaf.operations.caches } });
    if (metrics && metrics.path !== null) serveMetrics(scope, metrics.path, metrics);
  };
  app.register(Object.assign(routes, { [Symbol.for('skip-override')]: true }));
  followExtension(app, sheaf, logger);
  return app;
}

/** What requests and the server have besides. */
function decorate(app: FastifyInstance, uploadTimes: UploadTimes): void {
  app.decorateRequest('begin', 0);
  app.decorateRequest('caller', null);
  app.decorateRequest('refusedPath', null);
  app.decorate('uploadTimes', uploadTimes);
}

/** Code of the project begins and ends with the server. */
function followExtension(app: FastifyInstance, { extension }: Sheaf, logger: FastifyBaseLogger): void {
  if (!extension) return;
  app.addHook('onReady', () => extension.begin(logger));
  app.addHook('onClose', () => extension.end());
}

/** Loaded only for a project that has code of its own. */
const startCode: typeof startStrapiCode = async (...args) =>
  (await import('../compat/strapi/strapi-code.ts')).startStrapiCode(...args);

/** Whoever is told of requests, together; null where nobody is. */
const observed = (
  load: RequestLoad | null,
  metrics: ServerMetrics | null,
  log: RequestLog | null,
): RequestLog | null => {
  if (!load && !metrics) return log;
  return (entry) => {
    load?.observe(entry);
    metrics?.observe(entry);
    log?.(entry);
  };
};

/** Whether the project has a path of the console itself, which then is the project's. */
function hasConsolePath(table: readonly Route[], log: FastifyBaseLogger): boolean {
  const taken = table.find(({ path }) => isConsolePath(path));
  if (taken) log.warn(`the console is not served: the project has ${taken.path} itself`);
  return taken !== undefined;
}

function serveMetrics(app: FastifyInstance, path: string, { contentType, text }: ServerMetrics): void {
  app.get(path, async (_request, reply) => reply.header('content-type', contentType).send(await text()));
}

/** A URL of the length that is allowed must fit, with room for the other headers. */
const headerBytesOf = ({ headerBytes, urlLength }: Limits): number =>
  Math.max(headerBytes, urlLength + MAX_HEADER_BYTES - MAX_URL_LENGTH);

type AnswerUnroutable = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => void;

function createApp(
  sheaf: Sheaf,
  { logger, timeouts }: Required<Pick<ServerOptions, 'logger' | 'timeouts'>>,
  frameworkErrors: AnswerUnroutable,
): FastifyInstance {
  const { limits } = sheaf.settings;
  const headerBytes = headerBytesOf(limits);
  const app = Fastify({
    // Given to Fastify, a logger costs a child and two listeners for each request. See followRequest.
    logger: false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: requestId,
    // Before anything looks at the path. What was sent is left in originalUrl.
    rewriteUrl: ({ url = '/' }) => normalisedUrl(url),
    ...(sheaf.settings.trustProxy.length > 0 && { trustProxy: [...sheaf.settings.trustProxy] }),
    routerOptions: {
      caseSensitive: false,
      ignoreTrailingSlash: true,
      maxParamLength: MAX_PARAMETER_LENGTH,
      // The query is read by request/query-string.ts, strictly.
      querystringParser: () => ({}),
    },
    // Code of a project that begins has limits of its own.
    pluginTimeout: 0,
    bodyLimit: limits.bodyBytes,
    requestTimeout: timeouts.request,
    keepAliveTimeout: timeouts.idle,
    forceCloseConnections: 'idle',
    // A request that arrives on an open connection while the server closes is answered like any other.
    return503OnClosing: false,
    http: {
      // Node refuses at the size it is given, and answers a missing Host header without a body.
      maxHeaderSize: headerBytes + 1,
      requireHostHeader: false,
      headersTimeout: timeouts.headers,
      requestTimeout: timeouts.request,
      connectionsCheckingInterval: timeouts.check,
    },
    clientErrorHandler(error, socket) {
      // Uploads have a time of their own.
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUploading(socket)) return;
      if (socket.writable) logger.info({ code: error.code }, 'refused a connection that is not valid HTTP');
      refuseConnection(error, socket, headerBytes);
    },
    // No route has a schema, so the compilers of schemas need not be loaded.
    schemaController: { compilersFactory: { buildValidator: () => noSchemas, buildSerializer: () => noSchemas } },
    frameworkErrors,
  });
  app.log = logger;
  return app;
}

/** Answers a URL that cannot be decoded, or a path segment that is too long. No hook runs for these. */
function answerUnroutable(error: FastifyError | SheafError, request: FastifyRequest, reply: FastifyReply): void {
  request.begin = performance.now();
  reply.header(REQUEST_ID_HEADER, request.id);
  // A segment that is too long for a documentId names no document.
  sendError(reply, 'code' in error && error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? notFoundError() : error);
}

/** Logs why the database could not take a request; the client is only told to try again. */
function logCause(request: FastifyRequest, error: Error): void {
  if (error instanceof SheafError && error.cause !== undefined)
    request.log.warn({ requestId: request.id, err: error.cause }, error.message);
}

function refuseExpectations(app: FastifyInstance, headersFor: HeadersFor, logRequest: RequestLog | null): void {
  app.server.on('checkExpectation', (request, response) => {
    const body = envelope(417, 'ExpectationFailedError', 'The Expect header asks for something unknown', {});
    const { method = '' } = request;
    const id = requestId(request);
    logRequest?.({ requestId: id, method, route: null, status: 417, milliseconds: 0, caller: null });
    response.writeHead(417, {
      ...headersFor(request.headers),
      [REQUEST_ID_HEADER]: id,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  });
}

/**
 * Closes connections whose client does not read. A time-out of its own costs every request; here only a connection gets
 * one on which bytes are found waiting. Node takes it off again with the next request.
 */
function closeStalled({ server }: FastifyInstance, { stalled, check }: Required<ServerOptions>['timeouts']): void {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  server.on('listening', () => {
    const timer = setInterval(() => {
      for (const socket of sockets)
        if (socket.destroyed) sockets.delete(socket);
        else if (socket.writableLength > 0 && socket.timeout !== stalled) socket.setTimeout(stalled);
    }, check);
    timer.unref();
    server.once('close', () => clearInterval(timer));
  });
}
