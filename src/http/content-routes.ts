// The routes of every content-type: lists, single entries, writes and draft actions. They make operations; what those
// may do and answer is decided behind the door.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actionOn, draftActionsOf, LIST_LOCALES } from '../access/actions.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadName, ReadOperation, WriteName, WriteOperation } from '../access/operation.ts';
import { invalidKey, limitExceeded, notFoundError, validationError } from '../errors.ts';
import { type Limits, MAX_CACHED_REQUEST_LENGTH } from '../limits.ts';
import type { ContentType } from '../model/types.ts';
import { defaultPopulateOf } from '../operations/default-populate.ts';
import { entryJson, pageJson } from '../operations/envelope.ts';
import type { PreparedOne } from '../operations/prepared.ts';
import { CACHED_TIMING } from '../operations/timing.ts';
import type { Settings } from '../project/settings.ts';
import { admitQuery, MEANINGLESS_ON_DELETE, MEANINGLESS_ON_WRITE } from '../request/admit-query.ts';
import { isPlainObject } from '../request/grammar.ts';
import { firstPage, READ_PARAMETERS } from '../request/parse-read.ts';
import { bodyKeyError } from '../request/parse-relation.ts';
import { ACTION_PARAMETERS, DELETE_PARAMETERS, parseData, WRITE_PARAMETERS } from '../request/parse-write.ts';
import { parseQueryString, type QueryObject } from '../request/query-string.ts';
import { WRITE_COST } from './cost-limit.ts';
import { callerOf } from './register-routes.ts';
import {
  replicationPositionOf,
  send,
  sendNothing,
  sendRead,
  sendReplicationPosition,
  tellHints,
  tellIgnored,
} from './respond.ts';
import {
  admissionOf,
  admitRead,
  admittedQueryOf,
  type CachedRequest,
  formsOf,
  type Handler,
  PLUGIN_QUERIES,
  type PreparedText,
  pathDocumentId,
  queryTextOf,
  type Route,
  type RouteContext,
  type RouteQuery,
  routeWith,
} from './routes.ts';

/** What holds for a read where a request says nothing. */
export const readDefaults = (
  { populate, rest }: Settings,
  type: ContentType,
  name: ReadName,
): ReadOperation['defaults'] => ({
  status: 'published',
  pagination: firstPage(rest),
  populate: defaultPopulateOf(populate, type, name),
});

export function localeRoutes(context: RouteContext): Route[] {
  const { sheaf, auth } = context;
  const handlerOf =
    (route: RouteQuery): Handler =>
    async (request, reply) => {
      const { parameters, ignored } = admittedQueryOf(request, context, route);
      const [unknown] = Object.keys(parameters);
      if (unknown !== undefined) throw invalidKey(unknown, [], unknown);
      tellIgnored(reply, ignored);
      return sendRead(reply, JSON.stringify(await sheaf.locales()), auth.settings.cacheControl);
    };
  const route: Omit<Route, 'handler'> = {
    method: 'GET',
    path: `${auth.settings.rest.prefix}/i18n/locales`,
    action: LIST_LOCALES,
    operation: null,
    parameters: [],
    queryRules: PLUGIN_QUERIES,
    describes: 'locales',
    limit: null,
  };
  return [routeWith(route, handlerOf)];
}

export function contentRoutes(context: RouteContext, type: ContentType): Route[] {
  const isSingle = type.kind === 'singleType';
  const base = `${context.auth.settings.rest.prefix}/${isSingle ? type.singularName : type.pluralName}`;
  const entry = isSingle ? base : `${base}/:documentId`;
  const one = (route: RouteQuery): Handler =>
    readHandler(context, route, (query, caller) => prepareOne(context, type, query, caller));
  const list = (route: RouteQuery): Handler =>
    readHandler(context, route, (query, caller) => prepareList(context, type, query, caller));
  const write = (name: WriteName) => (route: RouteQuery) => writeHandler(context, type, name, route);
  const route = (
    method: Route['method'],
    path: string,
    name: NonNullable<Route['operation']>['name'] & (WriteName | 'find' | 'findOne'),
    { handlerOf, ...rest }: Pick<Route, 'parameters' | 'describes'> & { handlerOf: Parameters<typeof routeWith>[1] },
  ): Route => {
    const verb = isSingle && name === 'findOne' ? 'find' : name;
    const right = { action: actionOn(type, verb), operation: { name, type } };
    return routeWith({ method, path, ...right, limit: null, ...formsOf(method), ...rest }, handlerOf);
  };
  const collection: Route[] = isSingle
    ? []
    : [
        route('GET', base, 'find', { parameters: READ_PARAMETERS, describes: 'list', handlerOf: list }),
        route('POST', base, 'create', {
          parameters: WRITE_PARAMETERS,
          describes: 'create',
          handlerOf: write('create'),
        }),
      ];
  return [
    ...collection,
    route('GET', entry, 'findOne', { parameters: READ_PARAMETERS, describes: 'entry', handlerOf: one }),
    route('PUT', entry, 'update', {
      parameters: WRITE_PARAMETERS,
      describes: 'update',
      handlerOf: write('update'),
    }),
    route('DELETE', entry, 'delete', {
      parameters: DELETE_PARAMETERS,
      describes: 'delete',
      handlerOf: (route) => deleteHandler(context, type, route),
    }),
    ...draftActionsOf(type).map((name) =>
      route('POST', `${entry}/actions/${name}`, name, {
        parameters: ACTION_PARAMETERS,
        describes: name,
        handlerOf: write(name),
      }),
    ),
  ];
}

export function prepareList(
  { sheaf, auth }: RouteContext,
  type: ContentType,
  parameters: QueryObject,
  caller: Caller,
): PreparedText {
  const defaults = readDefaults(auth.settings, type, 'find');
  const read = sheaf.operations.find({ name: 'find', type, parameters, defaults }, caller);
  return shownAs(read, (page) => pageJson(read.request.pagination, page, read.omitted));
}

function prepareOne(
  { sheaf, auth }: RouteContext,
  type: ContentType,
  parameters: QueryObject,
  caller: Caller,
): PreparedText {
  const defaults = readDefaults(auth.settings, type, 'findOne');
  return inEnvelope(sheaf.operations.findOne({ name: 'findOne', type, parameters, defaults }, caller));
}

const inEnvelope = (read: PreparedOne): PreparedText =>
  shownAs(read, (text) => (text === null ? null : entryJson(text, read.omitted)));

/** A prepared read, before what it finds is made a response. */
interface ReadToShow<T> extends Pick<PreparedText, 'timing' | 'weight' | 'hints' | 'cost'> {
  run(options: Parameters<PreparedText['run']>[0]): Promise<T>;
}

/** A prepared read whose response `show` makes of what it finds. */
export const shownAs = <T>(
  read: ReadToShow<T>,
  show: (found: T) => string | null | Promise<string | null>,
): PreparedText => ({
  timing: read.timing,
  weight: read.weight,
  hints: read.hints,
  cost: read.cost,
  run: async (options) => show(await read.run(options)),
});

export type Prepare = (query: QueryObject, caller: Caller) => PreparedText;

/** The document that a request is about; null where it is about none, or about that of a single type. */
type FindDocumentId = (request: FastifyRequest) => string | Promise<string> | null;

/**
 * Prepares a request by its exact query once for those who share their rights, and runs it each time. `documentId`: of
 * the document that a request is about.
 */
export function readHandler(
  context: RouteContext,
  route: RouteQuery,
  prepare: Prepare,
  documentId: FindDocumentId = pathDocumentId,
): Handler {
  const { requests, auth } = context;
  const { cacheControl, limits } = auth.settings;
  const { path } = route;
  return async (request, reply) => {
    const begin = performance.now();
    const caller = callerOf(request);
    const query = queryTextOf(request);
    const key = `${caller.access.key} ${path}?${query}`;
    let cached = requests.get(key);
    const timing = cached ? CACHED_TIMING : undefined;
    if (!cached) {
      const { parameters, ignored } = admitRead(parseQueryString(query, limits), auth, route, caller);
      cached = { prepared: prepare(parameters, caller), ignored };
      if (query.length <= MAX_CACHED_REQUEST_LENGTH) requests.set(key, cached, cached.prepared.weight);
    }
    const { body, cost } = await runPrepared(context, reply, cached, documentId);
    return sendRead(reply, body, cacheControl, { timing: timing ?? cached.prepared.timing, begin, cost });
  };
}

/** The same for parameters that come as a body. What they ask for is hardly asked for twice, so it is not kept. */
export function bodyHandler(context: RouteContext, route: RouteQuery, prepare: Prepare): Handler {
  const admission = admissionOf(context.auth, route);
  return async (request, reply) => {
    const begin = performance.now();
    const inUrl = admitQuery(parseQueryString(queryTextOf(request), context.auth.settings.limits), admission);
    const [misplaced] = Object.keys(inUrl.parameters);
    if (misplaced !== undefined) throw misplacedInUrl(misplaced);
    const { parameters, ignored } = admitQuery(bodyParameters(request.body, context.auth.settings.limits), admission);
    const prepared = prepare(parameters, callerOf(request));
    const read = { prepared, ignored: [...inUrl.ignored, ...ignored] };
    const { body, cost } = await runPrepared(context, reply, read, pathDocumentId);
    return send(reply, body, { timing: prepared.timing, begin, cost });
  };
}

/** The parameters in a body; none where there is no body. */
function bodyParameters(body: unknown, { parameters: most }: Limits): QueryObject {
  if (body === undefined || body === null) return {};
  if (!isPlainObject(body)) throw validationError('Invalid body: expected an object of parameters', { source: 'body' });
  if (Object.keys(body).length > most) throw limitExceeded('MAX_PARAMETERS', most, 'parameters', { source: 'body' });
  return body;
}

const misplacedInUrl = (key: string): Error =>
  validationError(`Invalid key ${key}: the parameters of this request are its body`, {
    key,
    path: null,
    source: 'query',
    param: key,
  });

async function runPrepared(
  { costs }: RouteContext,
  reply: FastifyReply,
  { prepared, ignored }: CachedRequest,
  documentId: FindDocumentId,
): Promise<{ readonly body: string; readonly cost: number }> {
  const { request } = reply;
  const caller = callerOf(request);
  const cost = prepared.cost();
  costs?.charge(reply, caller, cost);
  const found = documentId(request);
  const body = await prepared.run({
    caller,
    documentId: typeof found === 'object' ? await found : found,
    after: replicationPositionOf(request),
    whenGone: (listener) => reply.raw.once('close', listener),
  });
  if (body === null) throw notFoundError();
  tellIgnored(reply, ignored);
  tellHints(reply, prepared.hints);
  return { body, cost };
}

/** The operation that a request with a body asks for. */
export const writeOperation = (
  name: WriteName,
  type: ContentType,
  documentId: string | null,
  request: Pick<WriteOperation, 'data' | 'parameters' | 'unused'>,
): WriteOperation => ({ name, type, documentId, ...request, defaultStatus: 'published' });

/** What a write left behind, as its answer. */
function writeHandler(context: RouteContext, type: ContentType, name: WriteName, route: RouteQuery): Handler {
  const { sheaf, auth, costs } = context;
  const isNew = name === 'create' || name === 'clone';
  const takesBody = name === 'create' || name === 'update';
  return async (request, reply) => {
    const begin = performance.now();
    costs?.charge(reply, callerOf(request), WRITE_COST);
    // Draft actions need no body; clone may take one.
    const hasBody = takesBody || (name === 'clone' && request.body !== undefined && request.body !== null);
    if (!hasBody) refuseBody(request.body);
    const data = hasBody ? parseData(request.body, auth.settings.limits) : {};
    const { parameters, ignored, unused } = admittedQueryOf(request, context, route, MEANINGLESS_ON_WRITE);
    const operation = writeOperation(name, type, pathDocumentId(request), { data, parameters, unused });
    const outcome = await sheaf.operations.write(operation, callerOf(request));
    if (outcome === null) throw notFoundError();
    tellIgnored(reply, [...ignored, ...outcome.ignored]);
    await sendReplicationPosition(sheaf, reply);
    return send(reply.code(isNew ? 201 : 200), entryJson(outcome.text, outcome.omitted), {
      timing: outcome.timing,
      begin,
    });
  };
}

/** A draft action takes nothing from a body, so one that holds something is a mistake. */
function refuseBody(body: unknown): void {
  const [key] = typeof body === 'object' && body !== null ? Object.keys(body) : [];
  if (key !== undefined) throw bodyKeyError(key, []);
}

function deleteHandler(context: RouteContext, type: ContentType, route: RouteQuery): Handler {
  const { sheaf, costs } = context;
  return async (request, reply) => {
    costs?.charge(reply, callerOf(request), WRITE_COST);
    const { parameters, ignored, unused } = admittedQueryOf(request, context, route, MEANINGLESS_ON_DELETE);
    const operation = writeOperation('delete', type, pathDocumentId(request), { data: {}, parameters, unused });
    await sheaf.operations.write(operation, callerOf(request), false);
    await sendReplicationPosition(sheaf, reply);
    tellIgnored(reply, ignored);
    return sendNothing(reply);
  };
}
