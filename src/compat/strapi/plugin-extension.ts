// `src/extensions/users-permissions/strapi-server`: code that adds routes to the plugin, or wraps its controllers. It gets
// the plugin as objects that stand for what the core serves; whatever it leaves as it was is left to the core. The start of
// the project (`src/index`) may wrap controllers as well, with or without such a file.
import { isDeepStrictEqual } from 'node:util';
import type { CodeFile } from '../../project/code/code-files.ts';
import { isPlainObject } from '../../request/grammar.ts';
import { hasMembers, memberOf } from '../../type-guards.ts';
import type { CodeRegistry } from './code-registry.ts';
import { answerFromCore, type CoreRoute } from './code-request.ts';
import { isFunction, membersMade, membersOf } from './code-values.ts';
import type { Context } from './koa-app.ts';
import { covers, pathPattern, pathShape } from './path-pattern.ts';
import type { StrapiModules } from './strapi-modules.ts';
import type { Members, Strapi } from './strapi-types.ts';

export const EXTENDED_PLUGIN = 'users-permissions';
const NAMESPACE = `plugin::${EXTENDED_PLUGIN}`;

/** The middleware that limits how often an address may log in. The server does that, also for routes that name it. */
export const RATE_LIMIT = `${NAMESPACE}.rateLimit`;

type Served = readonly [method: string, path: string, handler: string];

const USER_LIST = 'user.find';

/** What the plugin serves here: method, path, controller and action. */
const SERVED: readonly Served[] = [
  ['GET', '/users/count', 'user.count'],
  ['GET', '/users', USER_LIST],
  ['GET', '/users/me', 'user.me'],
  ['GET', '/users/:id', 'user.findOne'],
  ['POST', '/users', 'user.create'],
  ['PUT', '/users/:id', 'user.update'],
  ['DELETE', '/users/:id', 'user.destroy'],
  ['POST', '/auth/local', 'auth.callback'],
  ['POST', '/auth/local/register', 'auth.register'],
  ['POST', '/auth/forgot-password', 'auth.forgotPassword'],
  ['POST', '/auth/reset-password', 'auth.resetPassword'],
  ['GET', '/auth/email-confirmation', 'auth.emailConfirmation'],
  ['POST', '/auth/send-email-confirmation', 'auth.sendEmailConfirmation'],
  ['POST', '/auth/change-password', 'auth.changePassword'],
  ['POST', '/auth/refresh', 'auth.refresh'],
  ['POST', '/auth/logout', 'auth.logout'],
  ['GET', '/auth/sessions', 'auth.getSessions'],
  ['DELETE', '/auth/sessions/:sessionId', 'auth.revokeSession'],
];

/** The same below the plugin's own name. */
const SERVED_BELOW: readonly Served[] = [
  ['GET', '/roles/:id', 'role.findOne'],
  ['GET', '/roles', 'role.find'],
  ['POST', '/roles', 'role.createRole'],
  ['PUT', '/roles/:role', 'role.updateRole'],
  ['DELETE', '/roles/:role', 'role.deleteRole'],
  ['GET', '/permissions', 'permissions.getPermissions'],
];

/** Controllers of Strapi's administration, which nothing here leads to. */
const UNSERVED_CONTROLLERS = ['settings', 'contentmanageruser'];

interface PluginRoute {
  readonly method?: unknown;
  readonly path?: unknown;
  readonly handler?: unknown;
  readonly config?: Members;
}

/** What a plugin is to its extension. */
interface Plugin extends Members {
  readonly controllers: Record<string, unknown>;
  readonly routes: Record<string, unknown>;
  readonly services: Members;
  readonly policies: Members;
  readonly middlewares: Members;
  readonly contentTypes: Readonly<Record<string, PluginType>>;
  bootstrap?: PluginExtension['bootstrap'];
}

/** A content-type of the plugin. */
interface PluginType {
  readonly schema: unknown;
  readonly lifecycles?: Members;
}

export interface PluginExtension {
  /** Below the project. */
  readonly file: string;
  readonly namespace: string;
  /** Routes that are new, that were changed, or whose action was wrapped. */
  routes(): readonly PluginRoute[];
  /** Those of the core that it has taken away. */
  removed(): readonly CoreRoute[];
  controller(uid: string): Members | undefined;
  /** Functions around the rows of its content-types, by uid. */
  readonly lifecycles: ReadonlyMap<string, Members>;
  /** A policy or middleware that it has added. */
  guard(role: 'policies' | 'middlewares', uid: string): unknown;
  /** What it does when the project begins; null where it has nothing to do. */
  readonly bootstrap: ((given: { readonly strapi: Strapi }) => unknown) | null;
}

interface ExtensionDeps {
  readonly strapi: Strapi;
  readonly modules: StrapiModules;
  readonly registry: CodeRegistry;
}

/** Null where its file cannot run: then it is told, and what it extends stays closed. */
export async function extendPlugin(files: readonly CodeFile[], deps: ExtensionDeps): Promise<PluginExtension | null> {
  const file = files.find(({ role, owner }) => role === 'extension' && owner === EXTENDED_PLUGIN);
  const { strapi, modules, registry } = deps;
  const given = pluginOf(strapi);
  if (!file) return wrappedAtStart(files, given, strapi);
  try {
    const exported = modules.load(file.path);
    if (typeof exported !== 'function') throw new Error('it exports no function');
    const services = snapshotOf(given.services);
    const types = structuredClone(given.contentTypes);
    const bootstrap = given.bootstrap;
    const extended = ((await exported(given)) ?? given) as Plugin;
    refuseServices(services, extended.services);
    makeServices(services, extended.services, strapi);
    refuseSchemas(types, extended.contentTypes);
    return {
      file: file.file,
      namespace: NAMESPACE,
      lifecycles: lifecyclesOf(extended.contentTypes),
      ...changesOf(extended, strapi),
      bootstrap: extended.bootstrap === bootstrap ? null : (extended.bootstrap ?? null),
    };
  } catch (error) {
    registry.report(file.file, modules.failure(file.path, error));
    return null;
  }
}

/** The plugin without a file of its own: whatever the start of the project wraps of it. */
const wrappedAtStart = (files: readonly CodeFile[], plugin: Plugin, strapi: Strapi): PluginExtension => ({
  file: files.find(({ role }) => role === 'index')?.file ?? '',
  namespace: NAMESPACE,
  lifecycles: new Map(),
  ...changesOf(plugin, strapi),
  bootstrap: null,
});

/** All of it, with paths below the prefix of the API. */
const CORE_ROUTES: readonly Served[] = [
  ...SERVED,
  ...SERVED_BELOW.map(([method, path, handler]): Served => [method, `/${EXTENDED_PLUGIN}${path}`, handler]),
];

/** Actions that may not be tried often, as their routes say in Strapi. */
const LIMITED: ReadonlySet<string> = new Set([
  'auth.callback',
  'auth.register',
  'auth.forgotPassword',
  'auth.resetPassword',
  'auth.changePassword',
]);

/** What an extension finds, and may change. */
const declaredRoutes = (): readonly PluginRoute[] => [
  ...SERVED.map(([method, path, handler]) => ({
    method,
    path,
    handler,
    config: { ...(LIMITED.has(handler) && { middlewares: [RATE_LIMIT] }), prefix: '' },
  })),
  ...SERVED_BELOW.map(([method, path, handler]) => ({ method, path, handler, config: {} })),
];

/** Actions of the core by controller and name, each a function for the context of a request. */
const originals = new Map<string, (ctx: Context) => Promise<void>>(
  CORE_ROUTES.map(([method, path, handler]) => [
    handler,
    handler === USER_LIST
      ? (ctx) => answerWithArray(ctx, { method, path })
      : (ctx) => answerFromCore(ctx, { method, path }),
  ]),
);

/** Code knows the list of users as Strapi shows it: what leaves attributes out of every user has to find them. */
async function answerWithArray(ctx: Context, route: CoreRoute): Promise<void> {
  await answerFromCore(ctx, route);
  const data = memberOf(ctx.body, 'data');
  if (Array.isArray(data)) ctx.body = data;
}

/** Controllers of the core by name. */
function coreControllers(): Record<string, Record<string, unknown>> {
  const controllers: Record<string, Record<string, unknown>> = {};
  for (const [handler, action] of originals) {
    const [name = '', verb = ''] = handler.split('.');
    controllers[name] ??= {};
    controllers[name][verb] = action;
  }
  return controllers;
}

/** A controller of the plugin as nobody has extended it; undefined where it has none of that name. */
export const coreControllerOf = (uid: string): Members | undefined =>
  uid.startsWith(`${NAMESPACE}.`) ? coreControllers()[uid.slice(NAMESPACE.length + 1)] : undefined;

/** The names of the plugin's controllers. */
export const CORE_CONTROLLERS: readonly string[] = Object.keys(coreControllers());

/**
 * The plugin before it is extended. Routers and controllers can be used as objects, and called as Strapi has them since
 * 5.54: the answer is the same object.
 */
function pluginOf(strapi: Strapi): Plugin {
  const controllers: Record<string, Members> = coreControllers();
  for (const name of UNSERVED_CONTROLLERS) controllers[name] = {};
  const routes = declaredRoutes();
  const { services } = strapi.plugin(EXTENDED_PLUGIN);
  return {
    controllers: Object.fromEntries(Object.entries(controllers).map(([name, members]) => [name, callable(members)])),
    routes: {
      'content-api': callable({ type: 'content-api', routes }),
      admin: callable({ type: 'admin', routes: [] }),
    },
    services,
    policies: {},
    middlewares: {},
    contentTypes: Object.fromEntries(TYPES.map((name) => [name, { schema: schemaOf(strapi, name) }])),
    config: {},
    register: () => undefined,
    bootstrap: () => undefined,
  };
}

const TYPES = ['user', 'role', 'permission'];

/** A copy, which the extension may change. */
const schemaOf = (strapi: Strapi, name: string): unknown => structuredClone(strapi.contentType(`${NAMESPACE}.${name}`));

/** Content-types are made of files before any code runs. */
function refuseSchemas(before: Plugin['contentTypes'], after: Plugin['contentTypes']): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isDeepStrictEqual(servedOf(before[name]?.schema), servedOf(after[name]?.schema))) continue;
    const file = `src/extensions/${EXTENDED_PLUGIN}/content-types/${name}/schema.json`;
    throw new Error(`it changes contentTypes.${name}, which is read before code runs; declare it in ${file}`);
  }
}

/** Plugins of Strapi's administration, which say how a content-type looks there. */
const ADMINISTRATION: ReadonlySet<string> = new Set(['content-manager', 'content-type-builder']);

/** What of a schema matters to the API. */
function servedOf(schema: unknown): unknown {
  if (!isPlainObject(schema)) return schema;
  const { info: _label, pluginOptions, ...served } = schema;
  const options = Object.entries(pluginOptions ?? {}).filter(([plugin]) => !ADMINISTRATION.has(plugin));
  return { ...served, pluginOptions: Object.fromEntries(options) };
}

const lifecyclesOf = (types: Plugin['contentTypes']): ReadonlyMap<string, Members> =>
  new Map(
    Object.entries(types).flatMap(([name, { lifecycles }]) =>
      lifecycles ? [[`${NAMESPACE}.${name}`, lifecycles]] : [],
    ),
  );

/** Members that are a function as well, which returns them. */
function callable(members: Members): Members {
  const itself: Members = Object.assign(() => itself, members);
  return itself;
}

const snapshotOf = (services: Members): ReadonlyMap<string, Members> =>
  new Map(Object.entries(services).map(([name, members]) => [name, { ...membersOf(members) }]));

/** The core calls no services of the plugin, so one that is replaced would do nothing. */
function refuseServices(before: ReadonlyMap<string, Members>, after: Members): void {
  for (const [name, members] of before)
    for (const [key, member] of Object.entries(members))
      if (memberOf(after[name], key) !== member)
        throw new Error(`it replaces services.${name}.${key}, which the core does not call; wrap a controller instead`);
}

/** Services that it has added are made when the plugin is there, as Strapi does. */
function makeServices(before: ReadonlyMap<string, Members>, services: Record<string, unknown>, strapi: Strapi): void {
  const { services: offered } = strapi.plugin(EXTENDED_PLUGIN);
  for (const [name, service] of Object.entries(services))
    if (!before.has(name)) offered[name] = leftOf(service, strapi);
}

type Changes = Pick<PluginExtension, 'routes' | 'removed' | 'controller' | 'guard'>;

function changesOf(plugin: Plugin, strapi: Strapi): Changes {
  const made = new Map<string, Members>();
  const controllerOf = (name: string): Members | undefined => {
    const controller = plugin.controllers[name];
    if (controller === undefined) return undefined;
    const known = made.get(name) ?? membersMade(leftOf(controller, strapi));
    if (known) made.set(name, known);
    return known;
  };
  const isWrapped = (handler: unknown): boolean => {
    const [name = '', verb = ''] = String(handler).split('.');
    const action = controllerOf(name)?.[verb];
    return originals.has(String(handler)) && action !== originals.get(String(handler));
  };
  const list = routesIn(leftOf(plugin.routes['content-api'], strapi));
  if (routesIn(leftOf(plugin.routes.admin ?? {}, strapi)).length > 0)
    throw new Error('it adds routes of the administration interface, which are not served');
  return {
    routes: () =>
      withThoseBefore(
        list,
        list.filter((route) => !isServedAlready(route) || isWrapped(route.handler)),
      ),
    removed: () => removedFrom(list),
    controller: (uid) => (uid.startsWith(`${NAMESPACE}.`) ? controllerOf(uid.slice(NAMESPACE.length + 1)) : undefined),
    guard: (role, uid) =>
      uid.startsWith(`${NAMESPACE}.`) ? plugin[role]?.[uid.slice(NAMESPACE.length + 1)] : undefined,
  };
}

function routesIn(router: unknown): readonly PluginRoute[] {
  if (!hasMembers(router)) throw new Error('it leaves something that is no router');
  const list: readonly unknown[] = Array.isArray(router.routes) ? router.routes : [];
  if (!list.every(hasMembers)) throw new Error('it leaves a route that is no object');
  return list;
}

/** The routes that are the extension's, and those of the core before them that they would answer as well. */
function withThoseBefore(list: readonly PluginRoute[], own: readonly PluginRoute[]): PluginRoute[] {
  const isBefore = (route: PluginRoute, later: PluginRoute): boolean =>
    route.method === later.method && covers(pathPattern(pathOf(later)), pathPattern(pathOf(route)));
  return list.filter(
    (route, index) =>
      own.includes(route) || list.slice(index + 1).some((later) => own.includes(later) && isBefore(route, later)),
  );
}

function removedFrom(list: readonly PluginRoute[]): CoreRoute[] {
  const placeOf = (method: string, path: string): string => `${method.toUpperCase()} ${pathShape(path)}`;
  const kept = new Set(list.map((route) => placeOf(String(route.method ?? 'GET'), pathOf(route))));
  return CORE_ROUTES.filter(([method, path]) => !kept.has(placeOf(method, path))).map(([method, path]) => ({
    method,
    path,
  }));
}

const pathOf = ({ path, config }: PluginRoute): string =>
  `${config?.prefix === undefined ? `/${EXTENDED_PLUGIN}` : ''}${String(path)}`;

/** What code left: an object, our own that can be called, or a function that makes one. */
function leftOf(given: unknown, strapi: Strapi): unknown {
  const isFactory = isFunction(given) && Object.keys(given).length === 0;
  return isFactory ? given({ strapi }) : given;
}

/** Whether the core has a route as it is. */
const isServedAlready = (route: PluginRoute): boolean =>
  declaredRoutes().some((declared) => isDeepStrictEqual(declared, { ...route, config: route.config ?? {} }));
