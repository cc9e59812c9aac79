// What code of a Strapi project has to do with requests that the core answers: middlewares of the application run around
// them, and lifecycles may ask which request they run for.
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Sheaf } from '../app.ts';
import type { CodeAnswer, Context } from '../compat/strapi/koa-app.ts';
import type { StrapiCode } from '../compat/strapi/strapi-code.ts';
import { codeBodyOf, readText } from './code-body.ts';
import { answerEarly } from './early-answer.ts';
import { withStatusAndHeaders } from './respond.ts';
import { pathParametersOf } from './routes.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Middlewares of the application that wait for the answer of the core; null where there are none. */
    around: AroundRequest | null;
  }
}

/** Middlewares that run around one request. */
interface AroundRequest {
  readonly ctx: Context;
  /** The body as it was read, for whoever reads it next; null where it was left alone. */
  readonly body: string | null;
  /** Called when the core has answered. */
  answered(): void;
  /** When the middlewares are done. */
  readonly finished: Promise<unknown>;
}

export function followCode(app: FastifyInstance, sheaf: Sheaf, code: StrapiCode): void {
  app.addHook('onReady', () => code.begin());
  app.addHook('onClose', () => code.stop());
  app.decorateRequest('around', null);
  if (code.around) runAround(app, sheaf, code);
  if (code.hears) tellRequests(app, code);
}

const isOwnCode = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config?.isOwnCode === true;

/** The context of a request that writes is known to whatever runs for it. */
function tellRequests(app: FastifyInstance, code: StrapiCode): void {
  app.addHook('preHandler', (request, reply, done) => {
    if (isOwnCode(request) || request.method === 'GET' || request.method === 'HEAD') return done();
    const ctx = request.around?.ctx ?? code.contextOf(request.raw, reply.raw);
    reply.raw.statusCode = 200;
    const params = paramsOf(request);
    ctx.params = params;
    Object.assign(ctx.request, { body: request.body, params });
    const known = request.caller ? code.identify(ctx, request.caller) : Promise.resolve();
    known.then(() => code.within(ctx, () => done()), done);
  });
}

/** Under the names that they have in the routes of Strapi, where an entry is `:id`. */
function paramsOf(request: FastifyRequest): object {
  const { documentId, ...others } = pathParametersOf(request);
  return documentId === undefined ? others : { id: documentId, ...others };
}

function runAround(app: FastifyInstance, sheaf: Sheaf, code: StrapiCode): void {
  app.addHook('onRequest', async (request, reply) => {
    if (isOwnCode(request)) return undefined;
    const answer = await beginAround(request, reply, code, sheaf.settings.limits.bodyBytes);
    return answer === 'core' ? undefined : sendOwn(reply, answer);
  });
  app.addHook('preParsing', (request, _reply, payload, done) => {
    const { around } = request;
    if (around?.body === undefined || around.body === null) return done(null, payload);
    const text = bodyText(around, request);
    request.raw.headers['content-length'] = String(Buffer.byteLength(text));
    return done(null, Readable.from([Buffer.from(text)]));
  });
  app.addHook('onSend', answerEarly);
  app.addHook('onSend', async (request, reply, payload) => {
    const { around } = request;
    if (!around) return payload;
    const answer = code.coreAnswer(around.ctx, reply.statusCode, payload);
    around.answered();
    try {
      await around.finished;
    } catch (error) {
      request.around = null;
      const refused = code.refused(around.ctx, error, request.id)!;
      reply.code(refused.status).removeHeader('content-length');
      return refused.body;
    }
    reply.code(answer.status);
    if (answer.payload !== payload) reply.removeHeader('content-length');
    return answer.payload;
  });
}

/** Runs them up to `next()`: then the core answers. What they answer themselves is the answer. */
async function beginAround(
  request: FastifyRequest,
  reply: FastifyReply,
  code: StrapiCode,
  bodyBytes: number,
): Promise<CodeAnswer | null | 'core'> {
  const { raw } = request;
  const ctx = code.contextOf(raw, reply.raw);
  const body = await earlyBody(request, bodyBytes);
  if (body !== null) Object.assign(ctx.request, { body: codeBodyOf(request, body) });
  const core = Promise.withResolvers<'core'>();
  const answered = Promise.withResolvers<void>();
  const finished = code.within(ctx, () =>
    code.around!(ctx, () => {
      core.resolve('core');
      return answered.promise;
    }),
  );
  try {
    const outcome = await Promise.race([core.promise, finished.then(() => 'own' as const)]);
    if (outcome === 'own') return code.answerOf(ctx);
  } catch (error) {
    return code.refused(ctx, error, request.id);
  }
  // What goes wrong from now on is looked at when the core has answered.
  finished.catch(() => undefined);
  keepQuery(ctx);
  reply.raw.statusCode = 200;
  request.around = { ctx, body, answered: answered.resolve, finished };
  return 'core';
}

/** A query that was changed in place is not in the URL yet, which the core reads. */
function keepQuery(ctx: Context): void {
  const { querystring, query } = ctx.request;
  if (querystring === '' && Object.keys(query).length === 0) return;
  ctx.query = query;
}

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

async function earlyBody(request: FastifyRequest, bodyBytes: number): Promise<string | null> {
  const type = request.headers['content-type'] ?? '';
  if (!BODY_METHODS.has(request.method) || type.startsWith('multipart/')) return null;
  return readText(request, bodyBytes);
}

/** The body, as middlewares have left it. */
function bodyText({ ctx, body }: AroundRequest, request: FastifyRequest): string {
  const type = request.headers['content-type'] ?? '';
  const current = 'body' in ctx.request ? ctx.request.body : undefined;
  return type.includes('json') && body !== '' ? JSON.stringify(current) : (body ?? '');
}

function sendOwn(reply: FastifyReply, answer: CodeAnswer | null): FastifyReply {
  if (answer === null) return reply.hijack();
  return withStatusAndHeaders(reply, answer).send(answer.body ?? undefined);
}
