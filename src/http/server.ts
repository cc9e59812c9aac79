// The HTTP skin: routes from the model, answers and errors in their envelopes, headers, limits of the wire. All
// content comes from documents/.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from 'fastify';
import type { Sheaf } from '../app.ts';
import type { Prepared } from '../documents/pipeline.ts';
import { methodNotAllowedError, notFoundError, SheafError } from '../errors.ts';
import {
  MAX_BODY_BYTES,
  MAX_CACHED_REQUEST_LENGTH,
  MAX_CACHED_REQUESTS,
  MAX_HEADER_BYTES,
  MAX_URL_LENGTH,
} from '../limits.ts';
import { Lru } from '../lru.ts';
import type { ContentType } from '../model/types.ts';
import { parseQueryString } from '../request/query-string.ts';

/** How long a client may take to send its request, and an unused connection may stay. */
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
/** Longest path segment taken for a documentId. */
const MAX_DOCUMENT_ID_LENGTH = 255;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const JSON_TYPE = 'application/json; charset=utf-8';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

export function createServer(sheaf: Sheaf): FastifyInstance {
  const app = Fastify({
    logger: false,
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
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    clientErrorHandler: refuseConnection,
    frameworkErrors: (error, _request, reply) => sendError(reply, error),
  });
  app.addHook('onRequest', async (request) => {
    if (request.raw.url!.length > MAX_URL_LENGTH)
      throw new SheafError(
        414,
        'UriTooLongError',
        `The URL is too long: at most ${MAX_URL_LENGTH} characters (MAX_URL_LENGTH)`,
      );
  });
  app.setErrorHandler((error, _request, reply) => sendError(reply, error as Error));
  app.setNotFoundHandler((_request, reply) => sendError(reply, notFoundError()));
  addRoutes(app, sheaf);
  return app;
}

function addRoutes(app: FastifyInstance, sheaf: Sheaf): void {
  route(app, '/_health', {
    GET: async (_request, reply) => reply.code(204).header('server-timing', 'total;dur=0').send(),
  });
  route(app, '/api/i18n/locales', {
    GET: async (_request, reply) => {
      const begin = performance.now();
      return send(reply, JSON.stringify(await sheaf.locales()), { parse: 0, plan: 0 }, begin);
    },
  });
  const requests = new Lru<string, Prepared<unknown[], string | null>>(MAX_CACHED_REQUESTS);
  for (const type of sheaf.model.contentTypes.values()) {
    if (type.exposure === 'routes') addContentRoutes(app, sheaf, type, requests);
  }
}

function addContentRoutes(
  app: FastifyInstance,
  sheaf: Sheaf,
  type: ContentType,
  requests: Lru<string, Prepared<unknown[], string | null>>,
): void {
  const documents = sheaf.documents(type.uid);
  if (type.kind === 'singleType') {
    const base = `/api/${type.singularName}`;
    const answer = answering(requests, base, (query) => documents.prepareOne(query, false));
    route(app, base, { GET: (request, reply) => answer(request, reply, null) });
    return;
  }
  const base = `/api/${type.pluralName}`;
  const list = answering(requests, base, (query) => documents.prepareList(query));
  const one = answering(requests, `${base}/`, (query) => documents.prepareOne(query, true));
  route(app, base, { GET: (request, reply) => list(request, reply) });
  route(app, `${base}/:documentId`, {
    GET: (request, reply) => one(request, reply, (request.params as { documentId: string }).documentId),
  });
}

/** Registers the methods a path answers to; every other gets a 405 that says which. */
function route(app: FastifyInstance, url: string, handlers: Partial<Record<(typeof METHODS)[number], Handler>>): void {
  for (const [method, handler] of Object.entries(handlers)) app.route({ method: method as HTTPMethods, url, handler });
  const allowed = Object.keys(handlers);
  app.route({
    method: METHODS.filter((method) => !handlers[method]),
    url,
    handler: (_request, reply) => sendError(reply.header('allow', allowed.join(', ')), methodNotAllowedError(allowed)),
  });
}

const CACHED = { parse: 0, plan: 0 };

/** Prepares a request by its exact query once, and runs it each time. */
function answering<Arguments extends unknown[]>(
  requests: Lru<string, Prepared<unknown[], string | null>>,
  base: string,
  prepare: (query: Record<string, unknown>) => Prepared<Arguments, string | null>,
) {
  return async (request: FastifyRequest, reply: FastifyReply, ...args: Arguments): Promise<FastifyReply> => {
    const begin = performance.now();
    const url = request.raw.url!;
    const mark = url.indexOf('?');
    const query = mark < 0 ? '' : url.slice(mark + 1);
    const key = `${base}?${query}`;
    let prepared = requests.get(key) as Prepared<Arguments, string | null> | undefined;
    const timing = prepared ? CACHED : undefined;
    if (!prepared) {
      prepared = prepare(parseQueryString(query));
      if (query.length <= MAX_CACHED_REQUEST_LENGTH)
        requests.set(key, prepared as unknown as Prepared<unknown[], string | null>);
    }
    const body = await prepared.run(...args);
    if (body === null) throw notFoundError();
    return send(reply, body, timing ?? prepared.timing, begin);
  };
}

function send(reply: FastifyReply, body: string, timing: { parse: number; plan: number }, begin: number): FastifyReply {
  const total = performance.now() - begin;
  const run = total - timing.parse - timing.plan;
  return reply
    .header('content-type', JSON_TYPE)
    .header(
      'server-timing',
      `parse;dur=${timing.parse.toFixed(3)}, plan;dur=${timing.plan.toFixed(3)}, run;dur=${run.toFixed(3)}, total;dur=${total.toFixed(3)}`,
    )
    .send(body);
}

const envelope = (status: number, name: string, message: string, details: object): string =>
  JSON.stringify({ data: null, error: { status, name, message, details } });

/** Errors of the framework that are the client's doing, by code. */
const FRAMEWORK_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  408: 'RequestTimeoutError',
  413: 'PayloadTooLargeError',
  414: 'UriTooLongError',
  415: 'UnsupportedMediaTypeError',
};

function sendError(reply: FastifyReply, error: Error): FastifyReply {
  reply.header('content-type', JSON_TYPE);
  if (!reply.hasHeader('server-timing')) reply.header('server-timing', `total;dur=${reply.elapsedTime.toFixed(3)}`);
  if (error instanceof SheafError)
    return reply.code(error.status).send(envelope(error.status, error.name, error.message, error.details));
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status >= 400 && status < 500)
    return reply.code(status).send(envelope(status, FRAMEWORK_NAMES[status] ?? 'BadRequestError', error.message, {}));
  process.stderr.write(`${new Date().toISOString()} unexpected error: ${error.stack ?? error.message}\n`);
  return reply.code(500).send(envelope(500, 'InternalServerError', 'Internal Server Error', {}));
}

/** What cannot be parsed as HTTP never reaches a route, and still gets the envelope. */
function refuseConnection(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, name] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ([431, 'RequestHeaderFieldsTooLargeError'] as const)
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? ([408, 'RequestTimeoutError'] as const)
        : ([400, 'BadRequestError'] as const);
  const body = envelope(status, name, STATUS_CODES[status]!, {});
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
