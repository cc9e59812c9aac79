// The routes of a project as Strapi builds them: APIs, their files and the routes of each in order, core routers among
// them. Those that are nothing but core routes are left to the core; the others get what stands before their handler.
import type { ContentType, Model } from '../../model/types.ts';
import { coreActions } from '../../project/code/code-finding.ts';
import { errorMessage, memberOf } from '../../type-guards.ts';
import type { LoadedFile } from './code-registry.ts';
import { isFunction, madeOf, membersOf } from './code-values.ts';
import type { createFactories, RoutedType } from './factories.ts';
import type { Context, Middleware, Next } from './koa-app.ts';
import { type PathPattern, pathPattern, pathShape } from './path-pattern.ts';
import { type PluginExtension, RATE_LIMIT } from './plugin-extension.ts';
import { type GuardDeps, middlewareOf, policyOf } from './route-guards.ts';
import { CodeError } from './strapi-modules.ts';
import type { Members } from './strapi-types.ts';

export interface StrapiRoute {
  /** In capitals; `ALL` for every method. */
  readonly method: string;
  readonly pattern: PathPattern;
  /** The file that has it, below the project. */
  readonly file: string;
  readonly api: string;
  /** As the file says it; null for a function. */
  readonly handler: string | null;
  /** The rights that it needs; null for none but to be somebody; `open` where nobody is asked who they are. */
  readonly scope: readonly string[] | 'open' | null;
  /** The type and action of a route that the core answers by itself. */
  readonly core: { readonly uid: string; readonly action: string } | null;
  /** Whether its handler is an action of a content-type's core. */
  readonly isCoreAction: boolean;
  /** Why it does not run; null where it does. */
  readonly problem: string | null;
  readonly policies: readonly string[];
  readonly middlewares: readonly string[];
  /** Whether it may be asked as often as one may try to log in. */
  readonly isLimited: boolean;
  /** What `ctx.state.route` holds. */
  readonly info: object;
  /** Policies, middlewares and the handler. */
  readonly chain: readonly Middleware[];
}

export interface RouteListDeps extends GuardDeps {
  readonly model: Model;
  /** What all paths begin with. */
  readonly prefix: string;
  readonly createCoreRouter: ReturnType<typeof createFactories>['createCoreRouter'];
  controller(uid: string): Members | undefined;
  /** Whether controller and service of a type are those of the core. */
  isCore(uid: string): boolean;
}

interface DeclaredRoute {
  readonly method?: unknown;
  readonly path?: unknown;
  readonly handler?: unknown;
  readonly config?: unknown;
}

interface RouteConfig {
  readonly auth: unknown;
  readonly policies: readonly unknown[];
  readonly middlewares: readonly unknown[];
  readonly prefix: unknown;
}

/** Where a route stands, and what the names in it begin with. */
interface Origin {
  readonly file: string;
  /** Of an API, or of a plugin: its name, and `api::name` or `plugin::name`. */
  readonly name: string;
  readonly namespace: string;
  /** What its paths begin with, unless a route says otherwise. */
  readonly prefix: string;
}

/** `extension`: its routes come last, as those of plugins do. */
export function routeList(deps: RouteListDeps, extension: PluginExtension | null): StrapiRoute[] {
  const files = deps.registry.all('routes').toSorted(byApiAndName);
  const ofApis = files.flatMap((file) => {
    try {
      return routesOf(deps, file);
    } catch (error) {
      deps.registry.report(file.file, error);
      return [];
    }
  });
  return [...ofApis, ...(extension ? extendedRoutes(deps, extension) : [])];
}

function extendedRoutes(deps: RouteListDeps, { file, namespace, routes }: PluginExtension): StrapiRoute[] {
  const name = namespace.slice('plugin::'.length);
  return routes().map((route) => routeOf(deps, { file, name, namespace, prefix: `/${name}` }, route));
}

const byApiAndName = (one: LoadedFile, other: LoadedFile): number => {
  const [a, b] = [`${one.api} ${one.file}`, `${other.api} ${other.file}`];
  return a < b ? -1 : a > b ? 1 : 0;
};

function routesOf(deps: RouteListDeps, file: LoadedFile): StrapiRoute[] {
  if (file.error) return [];
  const exported = file.generated === null ? file.exported : deps.createCoreRouter(file.generated);
  const router = madeOf(exported, deps.strapi);
  const { routes = router, prefix = '', type } = membersOf(router);
  if (type === 'admin') throw new Error('it has routes of the administration interface, which are not served');
  if (!Array.isArray(routes)) {
    if (routes === undefined || (routes !== null && Object.keys(routes).length === 0)) return [];
    throw new Error('it has no list of routes');
  }
  const api = file.api!;
  const origin = { file: file.file, name: api, namespace: `api::${api}`, prefix: String(prefix) };
  return routes.map((route: DeclaredRoute) => routeOf(deps, origin, route));
}

function routeOf(deps: RouteListDeps, origin: Origin, route: DeclaredRoute): StrapiRoute {
  const config = configOf(route.config);
  const method = String(route.method ?? 'GET').toUpperCase();
  const { file, name, namespace } = origin;
  const path = `${deps.prefix}${config.prefix === undefined ? origin.prefix : ''}${String(route.path)}`;
  const handler = typeof route.handler === 'string' ? route.handler : null;
  const declared = { method, path: String(route.path), handler: route.handler, config: route.config ?? {} };
  const known = {
    method,
    pattern: pathPattern(path),
    file,
    api: name,
    handler,
    scope: scopeOf(config, handler, namespace),
    isCoreAction: handler !== null && isCoreAction(deps.model, handler, namespace),
    policies: namesOf(config.policies),
    middlewares: namesOf(config.middlewares),
    isLimited: config.middlewares.includes(RATE_LIMIT),
    info: { ...declared, info: { apiName: name, type: 'content-api' } },
  };
  const core = handler === null ? null : coreTarget(deps, handler, namespace);
  if (core && isPlain(deps, core, known, config)) return { ...known, core, problem: null, chain: [] };
  try {
    const policies = config.policies.map((each) => policyOf(deps, each, namespace));
    const middlewares = config.middlewares.filter((each) => each !== RATE_LIMIT);
    return {
      ...known,
      core: null,
      problem: null,
      chain: [
        ...policies,
        ...middlewares.map((each) => middlewareOf(deps, each)),
        answering(handlersOf(deps, route.handler, namespace)),
      ],
    };
  } catch (error) {
    const problem = `${method} ${path}: ${errorMessage(error)}`;
    // Of a file that cannot be loaded it is told already.
    if (!(error instanceof CodeError)) deps.registry.report(file, new Error(`${problem}; the route is closed`));
    return { ...known, core: null, problem, chain: [] };
  }
}

function configOf(given: unknown): RouteConfig {
  const { auth, prefix, policies = [], middlewares = [] } = membersOf(given);
  if (!Array.isArray(policies)) throw new Error('it has policies that are no list');
  if (!Array.isArray(middlewares)) throw new Error('it has middlewares that are no list');
  return { auth, prefix, policies, middlewares };
}

const namesOf = (list: readonly unknown[]): string[] =>
  list.map((each) => {
    if (typeof each === 'function') return each.name || 'a function';
    return typeof each === 'string' ? each : String(memberOf(each, 'name') ?? memberOf(each, 'resolve'));
  });

function scopeOf({ auth }: RouteConfig, handler: string | null, namespace: string): StrapiRoute['scope'] {
  if (auth === false) return 'open';
  // An empty list asks for what a route without one does.
  const given = [memberOf(auth, 'scope') ?? []].flat().map(String);
  if (given.length > 0) return given;
  if (handler === null) return null;
  return [handler.startsWith(`${namespace}.`) ? handler : `${namespace}.${handler}`];
}

/** The type and the core action that a handler leads to, where the project has nothing of its own for it. */
function coreTarget({ model, isCore }: RouteListDeps, handler: string, namespace: string): StrapiRoute['core'] {
  const [name, action] = splitHandler(handler);
  const uid = [`${namespace}.${name}`, name].find((each) => model.contentTypes.has(each));
  return uid !== undefined && isCore(uid) ? { uid, action } : null;
}

function isCoreAction(model: Model, handler: string, namespace: string): boolean {
  const [name, action] = splitHandler(handler);
  const type = model.contentTypes.get(`${namespace}.${name}`) ?? model.contentTypes.get(name);
  return type?.uid.startsWith('api::') === true && coreActions(type.kind).includes(action);
}

function splitHandler(handler: string): [name: string, action: string] {
  const dot = handler.lastIndexOf('.');
  return [handler.slice(0, dot), handler.slice(dot + 1)];
}

/** The paths of a type's core routes by action, with `:` for the document. */
export function corePaths(prefix: string, { kind, singularName, pluralName }: RoutedType): ReadonlyMap<string, string> {
  const base = `${prefix}/${kind === 'singleType' ? singularName : pluralName}`;
  const entry = kind === 'singleType' ? base : `${base}/:id`;
  const actions: [string, string][] = [
    ['find', `GET ${pathShape(base)}`],
    ['update', `PUT ${pathShape(entry)}`],
    ['delete', `DELETE ${pathShape(entry)}`],
  ];
  if (kind !== 'singleType')
    actions.push(['findOne', `GET ${pathShape(entry)}`], ['create', `POST ${pathShape(base)}`]);
  return new Map(actions);
}

/** Whether nothing stands before a core action, where the core serves it. */
function isPlain(
  { model, prefix }: RouteListDeps,
  { uid, action }: NonNullable<StrapiRoute['core']>,
  { method, pattern, scope }: Pick<StrapiRoute, 'method' | 'pattern' | 'scope'>,
  { policies, middlewares }: RouteConfig,
): boolean {
  const type: ContentType = model.contentTypes.get(uid)!;
  const isHere = corePaths(prefix, type).get(action) === `${method} ${pathShape(pattern.path)}`;
  const asksForAction = Array.isArray(scope) && scope.length === 1 && scope[0] === `${uid}.${action}`;
  return isHere && asksForAction && policies.length === 0 && middlewares.length === 0 && type.exposure === 'routes';
}

type Handler = (ctx: Context, next: Next) => unknown;

/** Throws where there is no such handler. */
function handlersOf(deps: RouteListDeps, handler: unknown, namespace: string): readonly Handler[] {
  if (isFunction(handler)) return [handler];
  if (Array.isArray(handler)) return handler.flatMap((each) => handlersOf(deps, each, namespace));
  const [name, action] = splitHandler(String(handler));
  for (const uid of [`${namespace}.${name}`, name]) {
    const controller = deps.controller(uid);
    if (!controller || !isFunction(controller[action])) continue;
    return [
      (ctx, next) => {
        // As it is now: code may have replaced it since.
        const current = controller[action];
        if (!isFunction(current)) throw new TypeError(`${uid}.${action} is no function any more`);
        return current.call(controller, ctx, next);
      },
    ];
  }
  throw new Error(`Handler not found "${String(handler)}"`);
}

/** The last of a chain: what the handler returns is the body, unless it has set one. */
function answering(handlers: readonly Handler[]): Middleware {
  return async (ctx, next) => {
    const run = async (index: number): Promise<unknown> =>
      index < handlers.length ? handlers[index]!(ctx, () => run(index + 1)) : next();
    const value = await run(0);
    const body: unknown = ctx.body;
    if ((body === undefined || body === null) && value !== undefined && value !== null) ctx.body = value;
  };
}
