// /api/content-type-builder: the content-types and components of the project, as front ends of Strapi 5 read them to
// make their own types.
import type { FastifyRequest } from 'fastify';
import { LIST_COMPONENTS, LIST_TYPES, SHOW_COMPONENT, SHOW_TYPE } from '../access/actions.ts';
import { declaredComponent, declaredType, isDeclared } from '../describe/declared-schemas.ts';
import { invalidValue, notFoundError } from '../errors.ts';
import type { Model } from '../model/types.ts';
import { sendRead } from './respond.ts';
import { pathParameterOf, queryOf, type Route, type RouteContext } from './routes.ts';

type Described = Pick<Route, 'action' | 'describes'> & Partial<Pick<Route, 'parameters'>>;

const KINDS: readonly unknown[] = [undefined, 'collectionType', 'singleType'];

export function schemaRoutes(context: RouteContext): Route[] {
  const { sheaf, auth } = context;
  const { model } = sheaf;
  const { cacheControl, rest } = auth.settings;
  const route = (path: string, described: Described, read: (request: FastifyRequest) => unknown): Route => ({
    method: 'GET',
    path: `${rest.prefix}/content-type-builder${path}`,
    operation: null,
    parameters: [],
    limit: null,
    ...described,
    handler: async (request, reply) => sendRead(reply, JSON.stringify({ data: read(request) }), cacheControl),
  });
  const uidOf = (request: FastifyRequest): string => pathParameterOf(request, 'uid');
  return [
    route('/content-types', { action: LIST_TYPES, describes: 'declaredTypes', parameters: ['kind'] }, (request) =>
      declaredTypes(model, queryOf(request, context).kind),
    ),
    route('/content-types/:uid', { action: SHOW_TYPE, describes: 'declaredType' }, (request) => {
      const type = model.contentTypes.get(uidOf(request));
      if (!type || !isDeclared(type)) throw notFoundError('contentType.notFound');
      return declaredType(model, type);
    }),
    route('/components', { action: LIST_COMPONENTS, describes: 'declaredComponents' }, () =>
      [...model.components.values()].map((component) => declaredComponent(model, component)),
    ),
    route('/components/:uid', { action: SHOW_COMPONENT, describes: 'declaredComponent' }, (request) => {
      const component = model.components.get(uidOf(request));
      if (!component) throw notFoundError('component.notFound');
      return declaredComponent(model, component);
    }),
  ];
}

function declaredTypes(model: Model, kind: unknown): unknown[] {
  if (!KINDS.includes(kind)) throw invalidValue('kind', [], 'kind', 'collectionType or singleType');
  return [...model.contentTypes.values()]
    .filter((type) => isDeclared(type) && (kind === undefined || type.kind === kind))
    .map((type) => declaredType(model, type));
}
