// `factories` of `@strapi/strapi`. The object that a project returns is kept: it gets the core's members that it lacks,
// and the core for its prototype, so that `super.find(ctx)` works.
import type { Members, Strapi } from './strapi-types.ts';

type Config = Members | ((given: { readonly strapi: Strapi }) => Members) | undefined;
export type Factory = (given: { readonly strapi: Strapi }) => Members;

/** What the factories ask for; a uid that is no content-type has no core. */
export interface CoreMembers {
  controller(uid: string): Members;
  service(uid: string): Members;
}

export interface RouterConfig {
  readonly prefix?: string;
  readonly only?: readonly string[];
  readonly except?: readonly string[];
  readonly config?: Readonly<Record<string, Members>>;
  readonly type?: string;
}

export function extended(base: Members, own: Members): Members {
  for (const [name, member] of Object.entries(base)) if (!(name in own)) own[name] = member;
  return Object.setPrototypeOf(own, base);
}

/** The uids of those to which a project adds nothing. */
const plain = new WeakMap<object, string>();

/** The uid that a file names if it exports the core as it is, however it is written; null for any other. */
export const plainUid = (exported: unknown): string | null =>
  typeof exported === 'function' ? (plain.get(exported) ?? null) : null;

const madeBy =
  (core: (uid: string) => Members) =>
  (uid: string, config?: Config): Factory => {
    const factory: Factory = ({ strapi }) =>
      extended(core(uid), (typeof config === 'function' ? config({ strapi }) : config) ?? {});
    if (config === undefined) plain.set(factory, uid);
    return factory;
  };

/** One route of a core router. */
interface CoreRoute {
  readonly method: string;
  readonly path: string;
  readonly handler: string;
  readonly config: Members;
}

/** The type of a router, as far as its routes follow from it. */
export interface RoutedType {
  readonly uid: string;
  readonly kind: 'collectionType' | 'singleType';
  readonly singularName: string;
  readonly pluralName: string;
}

function coreRoutes({ uid, kind, singularName, pluralName }: RoutedType, { config = {} }: RouterConfig): CoreRoute[] {
  const route = (method: string, path: string, action: string): CoreRoute => ({
    method,
    path,
    handler: `${uid}.${action}`,
    config: config[action] ?? {},
  });
  if (kind === 'singleType') {
    const path = `/${singularName}`;
    return [route('GET', path, 'find'), route('PUT', path, 'update'), route('DELETE', path, 'delete')];
  }
  const path = `/${pluralName}`;
  return [
    route('GET', path, 'find'),
    route('GET', `${path}/:id`, 'findOne'),
    route('POST', path, 'create'),
    route('PUT', `${path}/:id`, 'update'),
    route('DELETE', `${path}/:id`, 'delete'),
  ];
}

const actionOf = ({ handler }: CoreRoute): string => handler.slice(handler.lastIndexOf('.') + 1);

/** `typeOf`: the content-type of a uid; undefined for none. The routes are made when they are first read. */
export function createFactories(core: CoreMembers, typeOf: (uid: string) => RoutedType | undefined) {
  return {
    createCoreController: madeBy((uid) => core.controller(uid)),
    createCoreService: madeBy((uid) => core.service(uid)),
    createCoreRouter(uid: string, config: RouterConfig = {}) {
      const { only, except = [], prefix, type } = config;
      let routes: readonly CoreRoute[] | null = null;
      return {
        type,
        get prefix() {
          return prefix;
        },
        get routes() {
          const of = typeOf(uid);
          if (!of) throw new Error(`createCoreRouter: there is no content-type "${uid}"`);
          routes ??= coreRoutes(of, config).filter(
            (route) => !except.includes(actionOf(route)) && (only?.includes(actionOf(route)) ?? true),
          );
          return routes;
        },
      };
    },
  };
}
