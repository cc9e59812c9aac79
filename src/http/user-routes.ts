// /api/users: the accounts as content. Bodies and single answers come without an envelope, as clients of Strapi 5
// expect. What holds for every write of an account is in accounts/users.ts.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actionOn, COUNT_USERS, FIND_ROLES, READ_OWN_ACCOUNT } from '../access/actions.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadName, ReadOperation, WriteName } from '../access/operation.ts';
import { notFoundError, validationError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { USER } from '../model/builtin.ts';
import type { ContentType } from '../model/types.ts';
import { pageJson } from '../operations/envelope.ts';
import { type AdmittedQuery, MEANINGLESS_ON_WRITE } from '../request/admit-query.ts';
import { withoutPopulated } from '../request/parse-populate.ts';
import { NO_LIMIT, READ_PARAMETERS, takeSlice } from '../request/parse-read.ts';
import { parseData, WRITE_PARAMETERS } from '../request/parse-write.ts';
import type { QueryObject } from '../request/query-string.ts';
import { readRowId } from '../request/scalars.ts';
import { type Prepare, readDefaults, readHandler, shownAs, writeOperation } from './content-routes.ts';
import { WRITE_COST } from './cost-limit.ts';
import { callerOf } from './register-routes.ts';
import { replicationPositionOf, send, sendRead, sendReplicationPosition, tellIgnored } from './respond.ts';
import {
  admittedQueryOf,
  documentIdOf,
  formsOf,
  type Handler,
  PLUGIN_QUERIES,
  type QueryRules,
  queryOf,
  type Route,
  type RouteContext,
  type RouteQuery,
  routeWith,
} from './routes.ts';

type HandlerOf = (route: RouteQuery) => Handler;

export function userRoutes(context: RouteContext): Route[] {
  const type = context.sheaf.model.contentTypes.get(USER)!;
  const handlers = { ...readHandlers(context), ...writeHandlers(context) };
  const route = (
    method: Route['method'],
    path: string,
    name: 'find' | 'findOne' | 'count' | 'me' | 'create' | 'update' | 'delete',
    { describes, handlerOf }: Pick<Route, 'describes'> & { readonly handlerOf: HandlerOf },
  ): Route => {
    const described: Omit<Route, 'handler'> = {
      method,
      path: `${context.auth.settings.rest.prefix}/users${path}`,
      action: name === 'me' ? READ_OWN_ACCOUNT : name === 'count' ? COUNT_USERS : actionOn(type, name),
      operation: { name, type },
      parameters: method === 'GET' ? READ_PARAMETERS : WRITE_PARAMETERS,
      queryRules: USER_QUERIES,
      describes,
      limit: null,
      ...formsOf(method),
    };
    return routeWith(described, handlerOf);
  };
  return [
    route('GET', '', 'find', { describes: 'users', handlerOf: handlers.list }),
    route('POST', '', 'create', { describes: 'createUser', handlerOf: handlers.create }),
    route('GET', '/count', 'count', { describes: 'countUsers', handlerOf: handlers.count }),
    route('GET', '/me', 'me', { describes: 'me', handlerOf: handlers.me }),
    route('GET', '/:documentId', 'findOne', { describes: 'user', handlerOf: handlers.one }),
    route('PUT', '/:documentId', 'update', { describes: 'updateUser', handlerOf: handlers.update }),
    route('DELETE', '/:documentId', 'delete', { describes: 'deleteUser', handlerOf: handlers.remove }),
  ];
}

/**
 * As in Strapi 5, whose front ends ask for the role of whoever logs in: where the caller may not find roles, it is left
 * out.
 */
function withoutHiddenRole(query: AdmittedQuery, { access }: Caller): AdmittedQuery {
  const { parameters, ignored } = query;
  if (parameters.populate === undefined || access.may(FIND_ROLES)) return query;
  const populate = withoutPopulated(parameters.populate, 'role');
  return populate === parameters.populate
    ? query
    : { ...query, parameters: { ...parameters, populate }, ignored: [...ignored, 'populate[role]'] };
}

const USER_QUERIES: QueryRules = { ...PLUGIN_QUERIES, withoutHidden: withoutHiddenRole };

function readHandlers(context: RouteContext): Record<'list' | 'one' | 'me' | 'count', HandlerOf> {
  const { sheaf, auth } = context;
  const type = sheaf.model.contentTypes.get(USER)!;
  const { bareList } = auth.settings.users;
  const read = (name: ReadName, query: QueryObject): ReadOperation => {
    const defaults = readDefaults(auth.settings, type, name);
    if (!bareList) return { name, type, parameters: query, defaults };
    const { parameters, pagination } =
      name === 'find' ? takeSlice(query, NO_LIMIT) : { parameters: query, pagination: NO_LIMIT };
    return { name, type, parameters, defaults: { ...defaults, pagination } };
  };
  const one =
    (name: 'findOne' | 'me'): Prepare =>
    (query, caller) =>
      sheaf.operations.findOne(read(name, query), caller);
  const list: Prepare = (query, caller) => {
    const found = sheaf.operations.find(read('find', query), caller);
    const { request, omitted } = found;
    return shownAs(found, (page) => (bareList ? `[${page.text()}]` : pageJson(request.pagination, page, omitted)));
  };
  const documentId = documentIdOfUser((id) => auth.accounts.documentIdOf(id));
  return {
    list: (route) => readHandler(context, route, list),
    one: (route) => readHandler(context, route, one('findOne'), documentId),
    me: (route) => readHandler(context, route, one('me')),
    count: (route) => async (request, reply) => {
      const options = { caller: callerOf(request), after: replicationPositionOf(request) };
      if (options.caller.access.may(COUNT_USERS))
        refuseBareConditions(type, Object.keys(queryOf(request, context)), options.caller);
      const { parameters, ignored } = admittedQueryOf(request, context, route);
      const count = await sheaf.operations.count(read('count', parameters), options);
      tellIgnored(reply, ignored);
      return sendRead(reply, String(count), auth.settings.cacheControl);
    },
  };
}

function writeHandlers(context: RouteContext): Record<'create' | 'update' | 'remove', HandlerOf> {
  const { sheaf, auth, costs } = context;
  const type = sheaf.model.contentTypes.get(USER)!;
  const { limits } = auth.settings;
  const writtenDocumentId = documentIdOfUser((id) => auth.accounts.documentIdToWrite(id));
  const answer = async (
    reply: FastifyReply,
    route: RouteQuery,
    { name, documentId }: { readonly name: WriteName; readonly documentId: string | null },
    { data, sentBack = [] }: { readonly data: Record<string, unknown>; readonly sentBack?: readonly string[] },
  ) => {
    const { request } = reply;
    const caller = callerOf(request);
    costs?.charge(reply, caller, WRITE_COST);
    const { parameters: asked, ignored, unused } = admittedQueryOf(request, context, route, MEANINGLESS_ON_WRITE);
    const parameters = withRole(name, asked, caller);
    const operation = writeOperation(name, type, documentId, { data, parameters, unused });
    const outcome = await sheaf.operations.write(operation, caller);
    if (outcome === null) throw notFoundError('User not found');
    tellIgnored(reply, [...ignored, ...sentBack, ...outcome.ignored]);
    await sendReplicationPosition(sheaf, reply);
    return send(reply, outcome.text, { timing: outcome.timing, begin: request.begin });
  };
  return {
    create: (route) => async (request, reply) => {
      const data = userData(request.body, limits);
      return answer(reply.code(201), route, { name: 'create', documentId: null }, { data });
    },
    update: (route) => async (request, reply) => {
      const documentId = await writtenDocumentId(request);
      const data = userData(request.body, limits);
      const isOwnId = typeof data.id === 'number' && (await auth.accounts.documentIdOf(data.id)) === documentId;
      return answer(reply, route, { name: 'update', documentId }, withoutShown(data, { documentId, isOwnId }));
    },
    remove: (route) => async (request, reply) =>
      answer(reply, route, { name: 'delete', documentId: await writtenDocumentId(request) }, { data: {} }),
  };
}

/** As in Strapi 5, a user who is written is shown with the role, to who may find roles. */
const withRole = (name: WriteName, query: QueryObject, { access }: Caller): QueryObject =>
  name !== 'delete' && query.populate === undefined && access.may(FIND_ROLES) ? { ...query, populate: 'role' } : query;

/** Strapi takes attributes beside the parameters of the count. Left out, they would make it the count of all users. */
function refuseBareConditions(type: ContentType, parameters: readonly string[], { access }: Caller): void {
  const key = parameters.find(
    (name) =>
      !READ_PARAMETERS.some((known) => known === name) &&
      type.attributes.get(name)?.private === false &&
      access.mayUse(type.uid, name, 'filter'),
  );
  if (key === undefined) return;
  const details = { key, path: null, source: 'query', param: key };
  throw validationError(`Invalid key ${key}: did you mean filters[${key}]?`, details);
}

/** Users are known by documentId, and by the number that clients of Strapi 5 use. */
const documentIdOfUser =
  (find: (id: number) => Promise<string | null>) =>
  (request: FastifyRequest): string | Promise<string> => {
    const given = documentIdOf(request);
    const row = readRowId(given);
    if (row === null) return given;
    return find(row).then((documentId) => documentId ?? given);
  };

/**
 * Clients change something in the user that they were shown and send all of it back, which Strapi 5 takes. Ids of
 * another user stay, to be refused by name.
 */
function withoutShown(
  data: Readonly<Record<string, unknown>>,
  { documentId, isOwnId }: { readonly documentId: string; readonly isOwnId: boolean },
): { readonly data: Record<string, unknown>; readonly sentBack: readonly string[] } {
  const isSentBack = (key: string): boolean =>
    key === 'createdAt' ||
    key === 'updatedAt' ||
    (key === 'id' && isOwnId) ||
    (key === 'documentId' && data.documentId === documentId);
  const sentBack = Object.keys(data).filter(isSentBack);
  return { data: Object.fromEntries(Object.entries(data).filter(([key]) => !isSentBack(key))), sentBack };
}

/**
 * Users are written without the `data` around them. Without a body nothing is written, as in Strapi 5. A role may be
 * named by its number as text, which is all that forms can send.
 */
function userData(body: unknown = {}, limits: Limits): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw validationError('Missing payload in the request body');
  const data = parseData({ data: body }, limits);
  const role = typeof data.role === 'string' ? readRowId(data.role) : null;
  return role === null ? data : { ...data, role };
}
