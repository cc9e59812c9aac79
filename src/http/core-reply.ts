// What a route of the core answers inside of another route, for code that wraps it: the handler runs with a reply that is
// kept instead of sent.
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CoreReply } from '../compat/strapi/code-request.ts';
import type { Handler } from './routes.ts';

/** Headers that belong to the answer that is sent in the end. */
const OF_THE_WIRE: ReadonlySet<string> = new Set(['content-type', 'content-length', 'server-timing', 'etag']);

/** The part of a reply that handlers use. */
class KeptReply {
  statusCode = 200;
  body: unknown = null;
  readonly request: FastifyRequest;
  readonly raw: FastifyReply['raw'];
  readonly log: FastifyReply['log'];
  readonly #headers = new Map<string, unknown>();

  constructor(request: FastifyRequest, { raw, log }: FastifyReply) {
    this.request = request;
    this.raw = raw;
    this.log = log;
  }

  code(status: number): this {
    this.statusCode = status;
    return this;
  }

  header(name: string, value: unknown): this {
    this.#headers.set(name.toLowerCase(), value);
    return this;
  }

  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  send(body?: unknown): this {
    this.body = body ?? null;
    return this;
  }

  redirect(url: string): this {
    return this.code(302).header('location', url).send();
  }

  get headers(): CoreReply['headers'] {
    const kept = [...this.#headers].filter(([name]) => !OF_THE_WIRE.has(name));
    return Object.fromEntries(kept.map(([name, value]) => [name, Array.isArray(value) ? value : String(value)]));
  }
}

export async function answerInside(
  handler: Handler,
  request: FastifyRequest,
  reply: FastifyReply,
  { params, query, body }: { readonly params: object; readonly query: string; readonly body: unknown },
): Promise<CoreReply> {
  const { url = '/' } = request.raw;
  const pathname = url.split('?', 1)[0]!;
  const raw = Object.create(request.raw, { url: { value: query === '' ? pathname : `${pathname}?${query}` } });
  const asked: FastifyRequest = Object.create(request, {
    raw: { value: raw },
    params: { value: params },
    body: { value: body },
  });
  const kept = new KeptReply(asked, reply);
  await handler(asked, kept as unknown as FastifyReply);
  return { status: kept.statusCode, headers: kept.headers, body: await parsed(kept.body) };
}

async function parsed(body: unknown): Promise<unknown> {
  if (typeof body === 'string') return JSON.parse(body);
  // Large answers are written in pieces.
  return body instanceof Readable ? JSON.parse(await text(body)) : body;
}
