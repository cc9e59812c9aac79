// Routes that read content in further ways: groups of entries, the entries that a relation of a document leads to, and
// lists whose parameters come as a body, where a URL would be too long for them.
import { actionOn } from '../access/actions.ts';
import type { Caller } from '../access/caller.ts';
import { notFoundError } from '../errors.ts';
import type { ContentType } from '../model/types.ts';
import { pageJson } from '../operations/envelope.ts';
import { ALL_AGGREGATE_PARAMETERS, READ_PARAMETERS } from '../request/parse-read.ts';
import type { QueryObject } from '../request/query-string.ts';
import { bodyHandler, type Prepare, prepareList, readDefaults, readHandler, shownAs } from './content-routes.ts';
import {
  type Handler,
  type PreparedText,
  pathParameterOf,
  type Route,
  type RouteContext,
  type RouteQuery,
  routeWith,
} from './routes.ts';

export function queryRoutes(context: RouteContext, type: ContentType): Route[] {
  const { prefix } = context.auth.settings.rest;
  const isSingle = type.kind === 'singleType';
  const base = `${prefix}/${isSingle ? type.singularName : type.pluralName}`;
  const relation: Omit<Route, 'handler'> = {
    method: 'GET',
    path: isSingle ? `${base}/:relation` : `${base}/:documentId/:relation`,
    action: actionOn(type, isSingle ? 'find' : 'findOne'),
    operation: { name: 'related', type },
    parameters: READ_PARAMETERS,
    describes: 'related',
    limit: null,
  };
  const related = routeWith(relation, (route) => relationHandler(context, type, route));
  return isSingle ? [related] : [...groupRoutes(context, type, base), ...listRoutes(context, type, base), related];
}

const reading = (
  type: ContentType,
  name: 'find' | 'aggregate',
): Pick<Route, 'action' | 'operation' | 'parameters' | 'limit' | 'reads'> => ({
  action: actionOn(type, 'find'),
  operation: { name, type },
  parameters: name === 'find' ? READ_PARAMETERS : ALL_AGGREGATE_PARAMETERS,
  limit: null,
  reads: true,
});

function groupRoutes(context: RouteContext, type: ContentType, base: string): Route[] {
  const prepare: Prepare = (parameters, caller) => prepareGroups(context, type, parameters, caller);
  const path = `${base}/aggregate`;
  const asked = { path, ...reading(type, 'aggregate') };
  const byBody = (route: RouteQuery): Handler => bodyHandler(context, route, prepare);
  return [
    routeWith({ method: 'GET', ...asked, describes: 'aggregate' }, (route) => readHandler(context, route, prepare)),
    routeWith({ method: 'POST', ...asked, describes: 'aggregateByBody' }, byBody),
    routeWith({ method: 'QUERY', ...asked, describes: 'aggregateByBody' }, byBody),
  ];
}

/** The same list, asked for by a body. */
function listRoutes(context: RouteContext, type: ContentType, base: string): Route[] {
  const prepare: Prepare = (parameters, caller) => prepareList(context, type, parameters, caller);
  const asked = { ...reading(type, 'find'), describes: 'listByBody' } as const;
  const byBody = (route: RouteQuery): Handler => bodyHandler(context, route, prepare);
  return [
    routeWith({ method: 'POST', path: `${base}/query`, ...asked }, byBody),
    routeWith({ method: 'QUERY', path: base, ...asked }, byBody),
  ];
}

function prepareGroups(
  { sheaf, auth }: RouteContext,
  type: ContentType,
  parameters: QueryObject,
  caller: Caller,
): PreparedText {
  const defaults = readDefaults(auth.settings, type, 'aggregate');
  const read = sheaf.operations.find({ name: 'aggregate', type, parameters, defaults }, caller);
  return shownAs(read, (page) => pageJson(read.request.pagination, page, []));
}

/** Each relation has requests of its own. */
function relationHandler(context: RouteContext, type: ContentType, route: RouteQuery): Handler {
  const { sheaf, auth } = context;
  const handlers = new Map<string, Handler>();
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== 'relation') continue;
    const defaults = readDefaults(auth.settings, sheaf.model.contentTypes.get(attribute.target)!, 'find');
    const prepare: Prepare = (parameters, caller) => {
      const read = sheaf.operations.related({ name: 'related', type, parameters, defaults }, attribute.name, caller);
      return shownAs(read, (page) => page && pageJson(read.request.pagination, page, read.omitted));
    };
    // Paths ignore case; of two names that differ in nothing else, the first is meant.
    const name = attribute.name.toLowerCase();
    const path = `${route.path}/${attribute.name}`;
    if (!handlers.has(name)) handlers.set(name, readHandler(context, { ...route, path }, prepare));
  }
  return async (request, reply) => {
    const handler = handlers.get(pathParameterOf(request, 'relation').toLowerCase());
    if (!handler) throw notFoundError();
    return handler(request, reply);
  };
}
