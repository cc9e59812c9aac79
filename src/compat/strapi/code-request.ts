// A request that code of the project answers, as the server hands it over; and what the core would answer to it.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../access/caller.ts';
import { membersOf } from './code-values.ts';
import { type Context, queryText } from './koa-app.ts';

/** A request that a route of the project answers. */
export interface CodeRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** For the log. */
  readonly id: string;
  readonly params: Record<string, string>;
  /** Reads the body, once; it is not read before it is known who sends it. */
  readBody(): Promise<{ readonly body: unknown; readonly files: unknown }>;
  /** Called when it is known who calls. */
  identified(caller: Caller): void;
  /** What a route of the core answers to this request, as code has left it. */
  askCore(route: CoreRoute, given: CoreGiven): Promise<CoreReply>;
}

/** What code has made of a request. */
export interface CoreGiven {
  /** Values of the parameters in the path of the route, in order. */
  readonly params: readonly string[];
  readonly query: string;
  readonly body: unknown;
}

export interface CoreRoute {
  readonly method: string;
  /** Below the prefix of the API. */
  readonly path: string;
}

/** An answer of the core, as code sees it. */
export interface CoreReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  /** Parsed where it is JSON. */
  readonly body: unknown;
}

const requests = new WeakMap<object, CodeRequest>();

export const rememberRequest = (ctx: Context, request: CodeRequest): void => void requests.set(ctx, request);

export const requestOf = (ctx: Context): CodeRequest => requests.get(ctx)!;

/** Has the core answer in a context, as the action of a controller that nobody replaced does. */
export async function answerFromCore(ctx: Context, route: CoreRoute): Promise<void> {
  const { body: given } = ctx.request;
  const named = membersOf(ctx.params);
  // Code may have put another value there, to lead everyone to their own.
  const params = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => String(named[name!] ?? ''));
  const { status, headers, body } = await requestOf(ctx).askCore(route, {
    params,
    query: queryText(ctx.query),
    body: given,
  });
  ctx.status = status;
  for (const [name, value] of Object.entries(headers)) ctx.append(name, value);
  ctx.body = body;
}
