// Routes in src/api: what they add to the core routes of a type, take away from them, or put in front of them.
import type { AnyNode } from 'acorn';
import {
  APPLICATION,
  type Closes,
  type CodeFinding,
  closedBy,
  closesMore,
  coreActions,
  type TypeNames,
  withImplied,
} from './code-finding.ts';
import type { CodeModule } from './code-module.ts';
import { counted, listed } from './code-purpose.ts';
import { type ParsedFile, typeOfFile, typesOfApi } from './scan-api.ts';

const INSTEAD = {
  policies: 'grants (sheaf role grant) and rules in access/*.json',
  middlewares: 'rules in access/*.json; clients send populate and filters',
  routes: 'the core routes; whatever else, in a program that calls Sheaf in process',
} as const;

type RouteKind = keyof typeof INSTEAD;

/** What the routes of one file do, collected by content-type and kind. */
class RouteFindings {
  readonly #file: string;
  readonly #found = new Map<string, { kind: RouteKind; subject: string | null; closes: Closes; does: string[] }>();
  readonly #offers = new Map<string, string>();

  constructor(file: string) {
    this.#file = file;
  }

  add(kind: RouteKind, subject: string | null, closes: Closes, does: string): void {
    const key = `${kind} ${subject}`;
    const found = this.#found.get(key);
    if (!found) this.#found.set(key, { kind, subject, closes, does: [does] });
    else {
      found.closes = closesMore(found.closes, closes);
      found.does.push(does);
    }
  }

  /** A core route that Strapi answers for everyone: Sheaf opens nothing by itself. */
  opens(uid: string, action: string): void {
    this.add('routes', uid, 'nothing', `opens ${action} to everyone`);
    const offered = this.#offers.get(uid) ?? 'sheaf role grant public';
    this.#offers.set(uid, `${offered} ${uid}.${action}`);
  }

  list(): CodeFinding[] {
    return [...this.#found.values()].map(({ kind, subject, closes, does }) => ({
      file: this.#file,
      kind,
      subject,
      does: listed(does),
      closes,
      instead: (kind === 'routes' && this.#offers.get(subject ?? '')) || INSTEAD[kind],
    }));
  }
}

/** `routed`: the types that some file of the project makes core routes for. */
export function scanRoutes(
  file: ParsedFile,
  types: readonly TypeNames[],
  routed: ReadonlySet<string>,
): readonly CodeFinding[] {
  const found = new RouteFindings(file.file);
  const { module } = file;
  const exported = module?.defaultExport ?? null;
  const call = module?.factoryCall(exported, 'createCoreRouter') ?? null;
  const mine = typesOf(file, module, types);
  const closeMine = (does: string): void => {
    // Of an API without types they may stand at the path of any other.
    const subjects = mine.length > 0 ? mine.map(({ uid }) => uid) : [APPLICATION];
    for (const subject of subjects) found.add('routes', subject, 'all', does);
  };
  if (!module || module.runsWhenLoaded) closeMine('cannot be read');
  else if (call) {
    const type = types.find(({ uid }) => uid === call.uid);
    if (type) scanOptions(module, type, call.options, found);
    else if (call.uid === null || mine.length > 0) closeMine('cannot be read');
  } else if (module.factoryUids('createCoreRouter').length > 0) closeMine('changes the core routes');
  else if (!scanCustomRoutes(module, file, types, found)) closeMine('cannot be read');
  else
    for (const { uid } of mine)
      if (!routed.has(uid)) found.add('routes', uid, 'all', 'takes the place of the core routes');
  return found.list();
}

/** The types that a file of routes may concern: all of its API, unless its name or a factory says which. */
function typesOf(file: ParsedFile, module: CodeModule | null, types: readonly TypeNames[]): readonly TypeNames[] {
  const uids = module?.factoryUids('createCoreRouter') ?? [];
  const named = types.filter(({ uid }) => uids.includes(uid));
  if (named.length > 0) return named;
  return typesOfApi(file, types);
}

// -------------------------------------------------------------------------------------------- options of core routes

function scanOptions(module: CodeModule, { uid, kind }: TypeNames, node: AnyNode | null, found: RouteFindings): void {
  if (!node) return;
  const options = module.properties(node);
  if (!options) {
    found.add('routes', uid, 'all', 'has options that cannot be read');
    return;
  }
  const verbs = coreActions(kind);
  const kept = keptVerbs(module, options, verbs);
  const left = kept && verbs.filter((verb) => !kept.includes(verb));
  if (!left) found.add('routes', uid, 'all', 'leaves out actions that cannot be read');
  else if (left.length > 0) found.add('routes', uid, withImplied(left), `leaves out ${left.join(', ')}`);
  if (options.has('type') && module.string(options.get('type')!) !== 'content-api')
    found.add('routes', uid, 'all', 'serves them to administrators');
  if (options.has('prefix')) found.add('routes', uid, 'nothing', 'has another prefix');
  if (options.has('config')) scanCoreConfig(module, uid, options.get('config')!, found);
}

function keptVerbs(
  module: CodeModule,
  options: ReadonlyMap<string, AnyNode>,
  verbs: readonly string[],
): readonly string[] | null {
  const listOf = (name: string, otherwise: readonly string[]): readonly string[] | null => {
    const list = options.get(name);
    return list ? module.strings(list) : otherwise;
  };
  const only = listOf('only', verbs);
  const except = listOf('except', []);
  return only && except && verbs.filter((verb) => only.includes(verb) && !except.includes(verb));
}

function scanCoreConfig(module: CodeModule, uid: string, node: AnyNode, found: RouteFindings): void {
  const byAction = module.properties(node);
  if (!byAction) {
    found.add('routes', uid, 'all', 'has options that cannot be read');
    return;
  }
  for (const [action, config] of byAction) {
    const options = module.properties(config);
    if (options) scanGuards(module, options, { uid, action, closes: closedBy([action]) }, found);
    else found.add('routes', uid, 'all', `has options of ${action} that cannot be read`);
  }
}

interface CoreRoute {
  readonly uid: string;
  readonly action: string;
  readonly closes: Closes;
}

/** What stands in front of a core route: policies and middlewares close what passes through them. */
function scanGuards(
  module: CodeModule,
  options: ReadonlyMap<string, AnyNode>,
  { uid, action, closes }: CoreRoute,
  found: RouteFindings,
): void {
  for (const kind of ['policies', 'middlewares'] as const) {
    if (!isGuarded(module, options.get(kind))) continue;
    const names = (module.elements(options.get(kind)!) ?? []).map((element) => guardName(module, element));
    found.add(kind, uid, closes, `${action}: ${names.length > 0 ? names.join(', ') : 'cannot be read'}`);
  }
  const auth = options.get('auth');
  const value = auth && module.resolve(auth);
  if (value?.type === 'Literal' && value.value === false) found.opens(uid, action);
  else if (value) found.add('routes', uid, closes, `${action}: asks for rights of its own`);
}

const isGuarded = (module: CodeModule, list: AnyNode | undefined): boolean =>
  list !== undefined && module.elements(list)?.length !== 0;

function guardName(module: CodeModule, element: AnyNode): string {
  const name = module.properties(element)?.get('name');
  return module.string(element) ?? (name && module.string(name)) ?? 'a function';
}

// ----------------------------------------------------------------------------------------------------- custom routes

/** False where not all of them are known. */
function scanCustomRoutes(
  module: CodeModule,
  file: ParsedFile,
  types: readonly TypeNames[],
  found: RouteFindings,
): boolean {
  const exported = module.properties(module.defaultExport);
  const routes = module.elements(exported?.get('routes') ?? null);
  if (!exported || !routes) return false;
  const prefix = exported.has('prefix') ? module.string(exported.get('prefix')!) : '';
  const shown: string[] = [];
  for (const node of routes) {
    const route = module.properties(node);
    const path = route && module.string(route.get('path') ?? null);
    const method = route && module.string(route.get('method') ?? null);
    if (!route || path === null || method === null || prefix === null) return false;
    // A route may do without the prefix of its file.
    const config = route.has('config') ? module.properties(route.get('config')!) : null;
    const whole = config?.has('prefix') ? path : `${prefix}${path}`;
    const custom = { module, file, method: method.toUpperCase(), path: whole, route };
    if (!scanCustomRoute(custom, types, found)) shown.push(`${custom.method} ${custom.path}`);
  }
  if (shown.length > 0)
    found.add('routes', null, 'nothing', `${counted(shown.length, 'route')} not served: ${listed(shown)}`);
  return true;
}

interface CustomRoute {
  readonly module: CodeModule;
  readonly file: ParsedFile;
  readonly method: string;
  readonly path: string;
  readonly route: ReadonlyMap<string, AnyNode>;
}

/** Whether the route stands at or for a core route; one that does not is simply not served. */
function scanCustomRoute(custom: CustomRoute, types: readonly TypeNames[], found: RouteFindings): boolean {
  const { module, file, method, path, route } = custom;
  const closes: Closes = method === 'GET' || method === 'ALL' ? 'all' : 'writes';
  // Strapi takes paths in upper and lower case alike.
  const segments = path
    .toLowerCase()
    .split('/')
    .filter((segment) => segment !== '');
  if (segments.length < 3 && /[:*(]/.test(segments[0] ?? '')) {
    found.add('routes', APPLICATION, closes, `${method} ${path} takes the place of core routes`);
    return true;
  }
  const plugin = pluginAt(segments);
  if (plugin) {
    const subject = `plugin::${plugin}`;
    const closed = plugin === 'upload' ? closes : 'all';
    found.add('routes', subject, closed, `${method} ${path} takes the place of a route of ${plugin}`);
    return true;
  }
  const handler = module.string(route.get('handler') ?? null);
  const target = handler === null ? null : coreAction(handler, file, types);
  const replaced = types.find((type) => isCorePath(type, segments));
  const options = route.has('config') ? module.properties(route.get('config')!) : new Map<string, AnyNode>();
  if (replaced && (target?.uid !== replaced.uid || !options)) {
    found.add('routes', replaced.uid, closes, `${method} ${path} takes the place of a core route`);
    return true;
  }
  if (!target) return false;
  if (replaced) scanGuards(module, options!, { ...target, closes: closedBy([target.action]) }, found);
  else if (!options || ['policies', 'middlewares'].some((key) => isGuarded(module, options.get(key))))
    found.add('policies', target.uid, closes, `${method} ${path}: guards ${target.action}`);
  return replaced !== undefined;
}

/** Below /auth. */
const ACCOUNT_PATHS: ReadonlySet<string> = new Set([
  'local',
  'local/register',
  'refresh',
  'logout',
  'change-password',
  'forgot-password',
  'reset-password',
  'email-confirmation',
  'send-email-confirmation',
]);

/** The plugin that serves a path. */
function pluginAt([first, ...rest]: readonly string[]): string | null {
  if (first === 'upload' || first === 'users-permissions') return first;
  const isOfAccounts = ACCOUNT_PATHS.has(rest.join('/')) || (rest.length < 3 && /[:*(]/.test(rest[0] ?? ''));
  return first === 'auth' && isOfAccounts ? 'users-permissions' : null;
}

function isCorePath({ uid, kind, singularName, pluralName }: TypeNames, [first, second, ...rest]: readonly string[]) {
  if (rest.length > 0) return false;
  // Users have further routes, such as /users/me.
  if (uid.startsWith('plugin::')) return first === pluralName;
  if (kind === 'singleType') return first === singularName.toLowerCase() && second === undefined;
  return first === pluralName.toLowerCase() && (second === undefined || /[:*(]/.test(second));
}

/** The core action that a handler names, such as `order.find` or `api::order.order.find`. */
function coreAction(handler: string, file: ParsedFile, types: readonly TypeNames[]) {
  const dot = handler.lastIndexOf('.');
  const [name, action] = [handler.slice(0, dot), handler.slice(dot + 1)];
  if (!coreActions().includes(action)) return null;
  const type = types.find(({ uid }) => uid === name) ?? typeOfFile({ ...file, name }, types);
  return type && { uid: type.uid, action };
}
