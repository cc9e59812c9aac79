// The routes of a project's own code, as routes of the table; and its policies in front of those of the core.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { Auth } from '../accounts/auth.ts';
import { clientGoneError, SetupError, SheafError } from '../errors.ts';
import {
  type HandlerContext,
  type Log,
  ProjectResponse,
  type RequestFile,
  type RouteMethod,
  type RouteSchemas,
} from '../extend/define-project.ts';
import type { Extension, ProjectRoute } from '../extend/extension.ts';
import type { CheckValue } from '../extend/json-schema.ts';
import { Deadline } from '../extend/run-code.ts';
import { Scratch } from '../files/incoming.ts';
import { MAX_HANDLER_MS } from '../limits.ts';
import { isObject } from '../type-guards.ts';
import { WRITE_COST } from './cost-limit.ts';
import { receiveForm } from './receive-upload.ts';
import { callerOf } from './register-routes.ts';
import { sendNothing, sendReplicationPosition, sendValue } from './respond.ts';
import {
  type Handler,
  isRead,
  type PathParameters,
  pathParametersOf,
  patternOf,
  queryOf,
  type Route,
  type RouteContext,
} from './routes.ts';

/** All routes: those of the core behind the policies of the project, and its own. Refuses two for one request. */
export function withProjectRoutes(context: RouteContext, extension: Extension, core: readonly Route[]): Route[] {
  const guarded = core.map((route) => withPolicies(context, extension, route));
  const own = extension.routes.map((route) => projectRoute(context, extension, route));
  const taken = new Map(core.map((route) => [keyOf(route), route]));
  const clashes: string[] = [];
  for (const route of own) {
    const other = taken.get(keyOf(route));
    if (other) clashes.push(`${nameOf(route)} of ${route.source} is the same as ${describe(other)}`);
    taken.set(keyOf(route), route);
  }
  if (clashes.length > 0) throw new SetupError('Two routes would answer the same request:', clashes);
  // Some actions can be granted though no route needs them by itself: a policy there would guard nothing.
  const needed = new Set(core.map(({ action }) => action));
  const { coreRoutes = {} } = extension.project.definition;
  const idle = Object.keys(coreRoutes).filter((action) => !needed.has(action));
  if (idle.length > 0) throw new SetupError('No route of the core needs these actions of coreRoutes:', idle);
  return [...guarded, ...own];
}

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const keyOf = ({ method, path }: Route): string => `${method} ${patternOf(path)}`;
const describe = (route: Route): string => `${nameOf(route)} of ${route.source ?? 'the core'}`;

function withPolicies(context: RouteContext, extension: Extension, route: Route): Route {
  const policies = extension.policiesOf(route.action);
  if (policies.length === 0) return route;
  const { handler } = route;
  return {
    ...route,
    policies,
    async handler(request, reply) {
      const asked = askedOf(context, request, callerOf(request));
      await extension.requirePolicies(policies, nameOf(route), (deadline) => contextOf(extension, asked, deadline));
      return handler(request, reply);
    },
  };
}

type Query = Readonly<Record<string, unknown>>;

/** What a request asks for, checked where there are schemas. */
interface Asked {
  readonly request: FastifyRequest;
  readonly caller: Caller;
  readonly params: PathParameters;
  readonly query: () => Query;
  readonly body: unknown;
  readonly files: readonly RequestFile[];
}

const askedOf = (context: RouteContext, request: FastifyRequest, caller: Caller): Asked => ({
  request,
  caller,
  params: pathParametersOf(request),
  query: () => queryOf(request, context),
  body: request.body,
  files: [],
});

/**
 * What code is given of a request. Plain properties, which code may spread; an object with accessors of its own would
 * keep the request until all memory is searched.
 */
function contextOf(
  { host, log }: Extension,
  { request, caller, params, query, body, files }: Asked,
  deadline: Deadline,
): HandlerContext<PathParameters, Query, unknown> {
  return {
    sheaf: host.sheaf,
    documents: (uid) => host.documentsFor(uid, caller),
    // An account of the console that tries a request is no user, though one may have its id.
    caller: caller.kind === 'editor' ? { ...caller, user: null } : caller,
    method: request.method as RouteMethod,
    params,
    body,
    files,
    headers: request.headers,
    path: request.url.split('?', 1)[0]!,
    query: query(),
    log: requestLog(log, request.id),
    signal: deadline.signal,
  };
}

/** Lines of the log that name the request. */
const requestLog = (log: Log, requestId: string): Log => {
  const method =
    (level: keyof Log): Log['info'] =>
    (first: object | string, message?: string): void =>
      typeof first === 'string' ? log[level]({ requestId }, first) : log[level]({ requestId, ...first }, message);
  return { debug: method('debug'), info: method('info'), warn: method('warn'), error: method('error') };
};

function projectRoute(context: RouteContext, extension: Extension, route: ProjectRoute): Route {
  const { definition, file } = route;
  const { method, action = null, limit = null, policies = [], schemas = {} } = definition;
  const path = `${context.auth.settings.rest.prefix}${definition.path}`;
  const shown = {
    method,
    path,
    action,
    operation: null,
    parameters: queryNames(schemas),
    describes: 'own' as const,
    limit,
    source: file,
    policies,
    schemas,
    refusesInEnvelope: true as const,
    ...(definition.files && { takesFiles: definition.files }),
  };
  return { ...shown, handler: projectHandler(context, extension, route, { ...shown, handler: unready }) };
}

/** Names of the query parameters that a schema lists. */
function queryNames({ query = {} }: RouteSchemas): readonly string[] {
  const { properties } = query;
  return isObject(properties) ? Object.keys(properties) : [];
}

const unready: Handler = async () => undefined;

/** The way of a request to a handler: who calls, what it costs, the checks, the policies, the answer. */
function projectHandler(context: RouteContext, extension: Extension, own: ProjectRoute, route: Route): Handler {
  const { sheaf, auth, costs } = context;
  const { definition, checks } = own;
  const name = nameOf(route);
  const piece = extension.piece('route', `route ${name}`, MAX_HANDLER_MS, definition);
  const { policies = [] } = definition;
  const isWrite = !isRead(route);
  const answerOf = async (asked: Asked, reply: FastifyReply): Promise<unknown> => {
    if (policies.length > 0)
      await extension.requirePolicies(policies, name, (deadline) => contextOf(extension, asked, deadline));
    const deadline = new Deadline(MAX_HANDLER_MS);
    reply.raw.once('close', () => deadline.leave(clientGoneError));
    return extension.runner.run(piece, deadline, async () => {
      const given = await definition.handler(contextOf(extension, asked, deadline));
      checks.answer?.(given instanceof ProjectResponse ? given.body : given);
      return given;
    });
  };
  return async (request, reply) => {
    const caller = await callerFor(auth, request, definition.public === true);
    costs?.charge(reply, caller, WRITE_COST);
    const scratch = definition.files ? new Scratch(sheaf.files.storage) : null;
    try {
      const received = scratch && (await receiveForm(request, scratch, sheaf.files.settings));
      const asked = checkedBy(checks, { ...askedOf(context, request, caller), ...received });
      const answer = await answerOf(asked, reply);
      if (isWrite) await sendReplicationPosition(sheaf, reply);
      return sendAnswer(reply, answer);
    } finally {
      await scratch?.clear();
    }
  };
}

function checkedBy(checks: ProjectRoute['checks'], asked: Asked): Asked {
  const query = checks.query?.(asked.query());
  return {
    ...asked,
    params: check(checks.params, asked.params),
    body: check(checks.body, asked.body),
    ...(query && { query: () => query }),
  };
}

const check = <T>(one: CheckValue | undefined, value: T): T => (one ? one(value) : value);

/** Of a public route: who the token names or, without one that is ours, the public. */
async function callerFor({ authenticator }: Auth, request: FastifyRequest, isPublic: boolean): Promise<Caller> {
  if (!isPublic) return callerOf(request);
  const identified = await authenticator.identify(request.headers.authorization).catch((error: unknown) => {
    if (error instanceof SheafError && error.status === 401) return authenticator.identify(undefined);
    throw error;
  });
  request.caller = identified;
  return identified;
}

function sendAnswer(reply: FastifyReply, answer: unknown): void {
  if (answer instanceof ProjectResponse) sendResponse(reply, answer);
  else if (answer === undefined) sendNothing(reply);
  else sendValue(reply, answer);
}

function sendResponse(reply: FastifyReply, { status, headers, body }: ProjectResponse): void {
  reply.code(status).headers(headers);
  if (body === undefined) sendNothing(reply, status);
  else if (typeof body === 'string') sendBytes(reply, body, 'text/plain; charset=utf-8');
  else if (body instanceof Uint8Array || body instanceof Readable) sendBytes(reply, body, 'application/octet-stream');
  else sendValue(reply, body);
}

function sendBytes(reply: FastifyReply, body: string | Uint8Array | Readable, type: string): void {
  if (!reply.hasHeader('content-type')) reply.header('content-type', type);
  reply.send(body);
}
