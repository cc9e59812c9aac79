// The HTTP skin: routes from the model, answers and errors in their envelopes, headers, limits of the wire. All
// content comes from documents/.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from 'fastify';
import type { Sheaf } from '../app.ts';
import type { Prepared } from '../documents/pipeline.ts';
import { invalidKey, methodNotAllowedError, notFoundError, SheafError, validationError } from '../errors.ts';
import {
  MAX_BODY_BYTES,
  MAX_CACHED_REQUEST_LENGTH,
  MAX_CACHED_REQUESTS,
  MAX_HEADER_BYTES,
  MAX_URL_LENGTH,
} from '../limits.ts';
import { Lru } from '../lru.ts';
import { USER } from '../model/builtin.ts';
import type { ContentType } from '../model/types.ts';
import { parseData } from '../request/parse-write.ts';
import { parseQueryString, type QueryObject } from '../request/query-string.ts';

/** How long a client may take to send its request, and an unused connection may stay. */
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 10_000;
/** Longest path segment taken for a documentId. */
const MAX_DOCUMENT_ID_LENGTH = 255;
/** When a client that met a 503 may try again. */
const RETRY_AFTER_SECONDS = 1;
/** Where a client finds, and brings back, the position of its last write; for how long a browser keeps it. */
const POSITION_HEADER = 'x-sheaf-position';
const POSITION_COOKIE = 'sheaf_position';
const POSITION_SECONDS = 60;
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const JSON_TYPE = 'application/json; charset=utf-8';

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request arrived, for Server-Timing. */
    begin: number;
  }
}

const elapsed = (reply: FastifyReply): number =>
  reply.request.begin > 0 ? performance.now() - reply.request.begin : 0;

const noSchemas = (): never => {
  throw new Error('routes have no schemas');
};

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
    // A request that arrives on an open connection while the server closes is answered like any other.
    return503OnClosing: false,
    // Node refuses at the size it is given, and answers a missing Host header without a body.
    http: { maxHeaderSize: MAX_HEADER_BYTES + 1, requireHostHeader: false },
    clientErrorHandler: refuseConnection,
    // No route has a schema, so the compilers of schemas need not be loaded.
    schemaController: { compilersFactory: { buildValidator: () => noSchemas, buildSerializer: () => noSchemas } },
    // A path segment too long for a documentId names no document.
    frameworkErrors: (error, _request, reply) =>
      sendError(reply, error.code === 'FST_ERR_MAX_PARAM_LENGTH' ? notFoundError() : error),
  });
  app.decorateRequest('begin', 0);
  // Not an async function: it runs for every request, and a promise each is a cost that shows.
  app.addHook('onRequest', (request, _reply, done) => {
    request.begin = performance.now();
    done(refusalOf(request));
  });
  app.setErrorHandler((error, _request, reply) => sendError(reply, error as Error));
  app.setNotFoundHandler((_request, reply) => sendError(reply, notFoundError()));
  app.server.on('checkExpectation', (_request, response) => {
    const body = envelope(417, 'ExpectationFailedError', 'The Expect header asks for something unknown', {});
    response.writeHead(417, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) });
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
  addRoutes(app, sheaf);
  return app;
}

/** What no route needs to look at. */
function refusalOf(request: FastifyRequest): SheafError | undefined {
  if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
    return new SheafError(400, 'BadRequestError', 'The Host header is missing');
  if (request.raw.url!.length > MAX_URL_LENGTH)
    return new SheafError(
      414,
      'UriTooLongError',
      `The URL is too long: at most ${MAX_URL_LENGTH} characters (MAX_URL_LENGTH)`,
    );
  return undefined;
}

function addRoutes(app: FastifyInstance, sheaf: Sheaf): void {
  route(app, '/_health', {
    GET: async (_request, reply) => reply.code(204).header('server-timing', 'total;dur=0').send(),
  });
  route(app, '/_ready', {
    GET: async (_request, reply) => {
      const begin = performance.now();
      const health = await sheaf.check();
      return send(reply, JSON.stringify({ status: 'ready', ...health }), CACHED, begin);
    },
  });
  route(app, '/api/i18n/locales', {
    GET: async (request, reply) => {
      const begin = performance.now();
      const [stray] = Object.keys(queryOf(request));
      if (stray !== undefined) throw invalidKey(stray, [], stray);
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
    route(app, base, {
      GET: (request, reply) => answer(request, reply, null, positionOf(request)),
      PUT: writing(sheaf, 200, ({ body, query }) => documents.updateSingleJson(parseData(body), query)),
      DELETE: deleting(sheaf, (query) => documents.deleteSingle(query.locale)),
    });
    return;
  }
  const base = `/api/${type.pluralName}`;
  const list = answering(requests, base, (query) => documents.prepareList(query));
  const one = answering(requests, `${base}/`, (query) => documents.prepareOne(query, true));
  const isUser = type.uid === USER;
  route(app, base, {
    GET: (request, reply) => list(request, reply, positionOf(request)),
    POST: writing(
      sheaf,
      201,
      ({ body, query }) => documents.createJson(isUser ? bareData(body) : parseData(body), query),
      !isUser,
    ),
  });
  const path = `${base}/:documentId`;
  if (isUser) {
    route(app, path, { GET: (request, reply) => one(request, reply, documentIdOf(request), positionOf(request)) });
    return;
  }
  route(app, path, {
    GET: (request, reply) => one(request, reply, documentIdOf(request), positionOf(request)),
    PUT: writing(sheaf, 200, ({ body, query, documentId }) => documents.updateJson(documentId, parseData(body), query)),
    DELETE: deleting(sheaf, async (query, documentId) => {
      await documents.delete({ documentId, ...(query.locale !== undefined && { locale: query.locale as string }) });
    }),
  });
}

/** Tells a client how far its write went, so that it reads it wherever it reads next. */
async function tellPosition(sheaf: Sheaf, reply: FastifyReply): Promise<void> {
  const position = await sheaf.position();
  if (position === null) return;
  reply.header(POSITION_HEADER, position);
  reply.header(
    'set-cookie',
    `${POSITION_COOKIE}=${position}; Path=/; Max-Age=${POSITION_SECONDS}; HttpOnly; SameSite=Lax`,
  );
}

/** What a client brings back of its last write: in the header, or in the cookie that browsers keep by themselves. */
function positionOf(request: FastifyRequest): string | null {
  const header = request.headers[POSITION_HEADER];
  if (typeof header === 'string') return header;
  const cookie = request.headers.cookie;
  if (cookie === undefined) return null;
  const found = cookie.split(';').find((part) => part.trim().startsWith(`${POSITION_COOKIE}=`));
  return found ? found.trim().slice(POSITION_COOKIE.length + 1) : null;
}

/** No document has an id that no database could keep. */
function documentIdOf(request: FastifyRequest): string {
  const { documentId } = request.params as { documentId: string };
  if (documentId?.includes('\0')) throw notFoundError();
  return documentId;
}

const queryOf = (request: FastifyRequest): QueryObject => {
  const url = request.raw.url!;
  const mark = url.indexOf('?');
  return parseQueryString(mark < 0 ? '' : url.slice(mark + 1));
};

/** Users are written without the `data` around them. */
function bareData(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw validationError('Missing payload in the request body');
  return parseData({ data: body });
}

interface WriteRequest {
  readonly body: unknown;
  readonly query: QueryObject;
  readonly documentId: string;
}

/** Answers with what a write left behind; `wrapped`: in the envelope of an entry. */
function writing(
  sheaf: Sheaf,
  status: number,
  work: (request: WriteRequest) => Promise<string | null>,
  wrapped = true,
): Handler {
  return async (request, reply) => {
    const begin = performance.now();
    const entry = await work({ body: request.body, query: queryOf(request), documentId: documentIdOf(request) });
    if (entry === null) throw notFoundError();
    await tellPosition(sheaf, reply);
    return send(reply.code(status), wrapped ? `{"data":${entry},"meta":{}}` : entry, CACHED, begin);
  };
}

const DELETE_KEYS = new Set(['locale', 'status']);

function deleting(sheaf: Sheaf, work: (query: QueryObject, documentId: string) => Promise<void>): Handler {
  return async (request, reply) => {
    const query = queryOf(request);
    for (const key of Object.keys(query)) if (!DELETE_KEYS.has(key)) throw invalidKey(key, [], key);
    if (query.status !== undefined && query.status !== 'published')
      throw validationError('Invalid value for status: a draft cannot be deleted alone', {
        key: 'status',
        source: 'query',
        param: 'status',
      });
    await work(query, documentIdOf(request));
    await tellPosition(sheaf, reply);
    return reply
      .code(204)
      .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
      .send();
  };
}

/** Registers the methods a path answers to; every other gets a 405 that says which. */
function route(app: FastifyInstance, url: string, handlers: Partial<Record<(typeof METHODS)[number], Handler>>): void {
  for (const [method, handler] of Object.entries(handlers)) app.route({ method: method as HTTPMethods, url, handler });
  const allowed = Object.keys(handlers);
  app.route({
    method: METHODS.filter((method) => !handlers[method]),
    url,
    handler: (request, reply) => refuseMethod(request, reply.header('allow', allowed.join(', ')), allowed),
  });
}

/** Clients of this dialect expect plain text here; the envelope goes to those that ask for JSON. */
function refuseMethod(request: FastifyRequest, reply: FastifyReply, allowed: readonly string[]): FastifyReply {
  if (request.headers.accept?.includes('application/json')) return sendError(reply, methodNotAllowedError(allowed));
  return reply
    .code(405)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
    .send('Method Not Allowed');
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
  414: 'UriTooLongError',
  415: 'UnsupportedMediaTypeError',
};

function sendError(reply: FastifyReply, error: Error): FastifyReply {
  reply.header('content-type', JSON_TYPE);
  if (!reply.hasHeader('server-timing')) reply.header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`);
  if (error instanceof SheafError && error.status === 503) reply.header('retry-after', RETRY_AFTER_SECONDS);
  if (error instanceof SheafError)
    return reply.code(error.status).send(envelope(error.status, error.name, error.message, error.details));
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status === 413)
    return sendError(
      reply,
      new SheafError(
        413,
        'PayloadTooLargeError',
        `The body is too large: at most ${MAX_BODY_BYTES} bytes (MAX_BODY_BYTES)`,
        {
          limit: 'MAX_BODY_BYTES',
          allowed: MAX_BODY_BYTES,
        },
      ),
    );
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
  const message =
    status === 431
      ? `The headers are too large: at most ${MAX_HEADER_BYTES} bytes (MAX_HEADER_BYTES)`
      : STATUS_CODES[status]!;
  const body = envelope(status, name, message, {});
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
}
