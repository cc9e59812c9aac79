// Code that a project registers when its server starts, wherever it stands: document middlewares, subscribers to
// lifecycles, middlewares of the HTTP server, and parts of Strapi that are replaced.
import type { AnyNode, CallExpression } from 'acorn';
import { APPLICATION, type Closes, type CodeFinding, type CodeKind, type TypeNames } from './code-finding.ts';
import { type CodeModule, returnedBy } from './code-module.ts';
import { type FunctionNode, isFunction, propertyName } from './code-nodes.ts';
import { described, listed } from './code-purpose.ts';
import { HandlerConditions } from './handler-conditions.ts';
import { FIND_EVENTS, lifecycleFinding, type ParsedFile } from './scan-api.ts';

export function scanHooks(file: ParsedFile, types: readonly TypeNames[]): readonly CodeFinding[] {
  const { module } = file;
  if (!module) return unreadable(file);
  const found: CodeFinding[] = [];
  for (const node of module.nodes) {
    const written = writtenBy(node);
    const wrapped = node.type === 'AssignmentExpression' && isOfStart(file) ? wrappedAction(module, node.left) : null;
    const replaced = written && module.meanings(written).find((meaning) => isReplaced(file, meaning));
    if (wrapped !== null) found.push(wrapping(file, wrapped));
    else if (replaced) found.push(replacement(file, replaced));
    if (node.type === 'CallExpression') found.push(...scanCall(file, module, node, types));
  }
  return found;
}

/** What is assigned to, or deleted. */
function writtenBy(node: AnyNode): AnyNode | null {
  const target =
    node.type === 'AssignmentExpression'
      ? node.left
      : node.type === 'UnaryExpression' && node.operator === 'delete'
        ? node.argument
        : null;
  return target?.type === 'MemberExpression' || target?.type === 'ChainExpression' ? target : null;
}

/** The plugin whose controllers code may wrap. */
const WRAPPED_PLUGIN = 'users-permissions';
const WRAPPED_CONTROLLER = new RegExp(`^plugin::${WRAPPED_PLUGIN}\\.(\\w+)$`);

/** The action of a controller of the plugin that is assigned to, such as `auth.register`; null for anything else. */
function wrappedAction(module: CodeModule, written: AnyNode): string | null {
  if (written.type !== 'MemberExpression') return null;
  const name = controllerOf(module, module.resolve(written.object));
  const action = propertyName(written);
  return name === null || action === null ? null : `${name}.${action}`;
}

/** The name of a controller of the plugin, however code of the start reaches it. */
function controllerOf(module: CodeModule, node: AnyNode): string | null {
  if (node.type === 'MemberExpression') {
    const list = module.resolve(node.object);
    const isOfPlugin = list.type === 'MemberExpression' && propertyName(list) === 'controllers';
    return isOfPlugin && isPlugin(module, module.resolve(list.object)) ? propertyName(node) : null;
  }
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return null;
  const { object } = node.callee;
  const asked = module.string(node.arguments[0] ?? null);
  if (asked === null || propertyName(node.callee) !== 'controller') return null;
  if (isPlugin(module, module.resolve(object))) return asked;
  return isStrapi(module, object) ? (WRAPPED_CONTROLLER.exec(asked)?.[1] ?? null) : null;
}

/** `strapi.plugin('users-permissions')` or `strapi.plugins['users-permissions']`. */
function isPlugin(module: CodeModule, node: AnyNode): boolean {
  if (node.type === 'CallExpression')
    return isMember(module, node.callee, 'plugin') && module.string(node.arguments[0] ?? null) === WRAPPED_PLUGIN;
  return (
    node.type === 'MemberExpression' &&
    propertyName(node) === WRAPPED_PLUGIN &&
    isMember(module, module.resolve(node.object), 'plugins')
  );
}

const isMember = (module: CodeModule, node: AnyNode, name: string): boolean =>
  node.type === 'MemberExpression' && propertyName(node) === name && isStrapi(module, node.object);

function scanCall(
  file: ParsedFile,
  module: CodeModule,
  call: CallExpression,
  types: readonly TypeNames[],
): readonly CodeFinding[] {
  const callees = module.meanings(call.callee);
  const is = (pattern: RegExp): boolean => callees.some((callee) => pattern.test(callee));
  const isDirect = !is(INDIRECT);
  if (is(DOCUMENTS_USE)) return documentMiddleware(file, module, isDirect ? call.arguments[0] : undefined, types);
  if (is(SUBSCRIBE)) return subscriber(file, module, isDirect ? call.arguments[0] : undefined, types);
  if (is(SERVER)) return [serverMiddleware(file, module.textOf(call))];
  if (isOfStart(file) && is(LENGTHENED)) return [replacement(file, callees.find((callee) => LENGTHENED.test(callee))!)];
  if (is(EXTENDED)) return [replacement(file, callees.find((callee) => EXTENDED.test(callee))!)];
  const source = callees.map((callee) => PACKAGE.exec(callee)?.[1]).find((name) => name !== undefined);
  if (source !== undefined && call.arguments.some((one) => isStrapi(module, one)))
    return [{ ...replacement(file, ''), does: `hands strapi to the package ${source}` }];
  const [target, ...values] = call.arguments;
  if (!target || !is(CHANGES)) return [];
  const changed = module.meanings(target).find(
    // Such as _.set(strapi, 'controllers.x', f): the keys are elsewhere.
    (meaning) =>
      isReplaced(file, meaning) || (meaning === 'strapi' && values.some((one) => PART.test(module.textOf(one)))),
  );
  return changed ? [replacement(file, changed)] : [];
}

/** A package that is neither Strapi's nor known to leave it as it is. */
const PACKAGE = /^import\((?!\.|node:|@strapi\/|lodash\b)([^)]+)\)/;

/** Whether a value is strapi, or an object that holds it. */
function isStrapi(module: CodeModule, node: AnyNode): boolean {
  const held = node.type === 'ObjectExpression' ? module.properties(node)?.get('strapi') : node;
  return held !== undefined && module.meanings(held).includes('strapi');
}

const INDIRECT = /\.(?:call|apply|bind)$/;
const DOCUMENTS_USE = /(?:^|\.)documents\.use(?:\.(?:call|apply|bind))?$/;
const SUBSCRIBE = /(?:^|\.)lifecycles\.subscribe(?:\.(?:call|apply|bind))?$/;
const SERVER =
  /^strapi\.server\.(?:(?:app|router)\.)?(?:use|routes|api|all|get|post|put|delete)$|^strapi\.server\.(?:app\.middleware|router\.stack)\.|^(?!this\.)[^(]*\.server\.(?:app\.)?use$/;
const PARTS =
  'plugins?|controllers?|services?|policies|middlewares|apis?|contentTypes?|entityService|documents|sanitizers|validators|query|db|contentAPI|container|auth|components';
const PART = new RegExp(`\\b(?:${PARTS})\\b`);
const REPLACED = new RegExp(
  `^import\\(@strapi/|^strapi\\.(?:(?:${PARTS})\\b|server\\.(?:router|use|routes|api)\\b|get\\(\\)\\.)`,
);
/** What holds functions that give content: services and controllers, also those of plugins and APIs, documents and rows. */
const GIVING = [
  '(?:(?:plugin\\(\\)|plugins\\.[^.]+|api\\(\\)|apis?\\.[^.]+)\\.)?(?:(?:service|controller)\\(\\)|(?:services|controllers)\\.[^.]+)',
  '(?:documents|query|db\\.query)\\(\\)',
  'entityService',
  'contentAPI\\.(?:sanitize|validate)',
];
/** What such a function, a statement or a function of `@strapi/utils` has given, which is the code's own to change. */
const CONTENT = new RegExp(
  `^[\\w$]+\\.(?:(?:${GIVING.join('|')})\\.\\w+|db\\.(?:transaction|getConnection|connection(?:\\.\\w+)?))\\(\\)|^import\\(@strapi/utils\\)[\\w.]*\\(\\)`,
);
/** Strapi under another name, such as that of a parameter. */
const OTHER_NAME =
  /^(?!this\.|module\.|exports\.)[\w$]+\.(?:controllers|contentTypes|contentAPI|entityService|sanitizers|apis)\./;
const EXTENDED =
  /^strapi\b.*\b(?:sanitizers|validators)\b|^strapi\.(?:get|container)\b.*\.(?:extend|set|add|register)$|^strapi\.add$/;
/** Functions that change what they are given first. */
const CHANGES =
  /(?:^|\.)(?:assign|assignIn|defineProperty|defineProperties|setPrototypeOf|set|merge|mergeWith|extend|defaultsDeep|unset|update)$/;
/** Of a content-type or of a route, wherever it comes from. */
const OF_DEFINITIONS = /\.attributes\.|\.(?:policies|middlewares|handler)$|\.config\.auth\b/;
const LENGTHENED = /\.(?:policies|middlewares|routes)\.(?:push|unshift|splice)$/;
const HOOKS = /\bdocuments\b[\s\S]*\buse\b|\blifecycles\b|\bserver\b/;

/** Whether a file may reach all that Strapi has loaded; others have attributes and routes of their own. */
const isOfStart = ({ role }: ParsedFile): boolean => role === 'index' || role === 'plugin';

const isReplaced = (file: ParsedFile, meaning: string): boolean =>
  (!CONTENT.test(meaning) && (REPLACED.test(meaning) || (file.role !== 'extension' && OTHER_NAME.test(meaning)))) ||
  (isOfStart(file) && OF_DEFINITIONS.test(meaning));

function unreadable({ file, text, role }: ParsedFile): CodeFinding[] {
  if (role !== 'index' && !HOOKS.test(text)) return [];
  return [{ file, kind: 'bootstrap', subject: APPLICATION, does: 'cannot be read', closes: 'all', instead: null }];
}

const replacement = ({ file }: ParsedFile, part: string): CodeFinding => ({
  file,
  kind: 'bootstrap',
  subject: APPLICATION,
  does: `replaces ${part.replace(/\s+/g, ' ').slice(0, 60)}`,
  closes: 'all',
  instead: null,
});

const wrapping = ({ file }: ParsedFile, action: string): CodeFinding => ({
  file,
  kind: 'extension',
  subject: `plugin::${WRAPPED_PLUGIN}`,
  does: `wraps ${action}`,
  closes: 'all',
  instead: null,
});

const serverMiddleware = ({ file }: ParsedFile, code: string): CodeFinding => ({
  file,
  kind: 'middlewares',
  subject: APPLICATION,
  ...described('puts code in front of every route', code),
  closes: 'all',
});

/** A finding for each type that code acts on, or one for all of them. */
function forEach(uids: ReadonlySet<string> | null, types: readonly TypeNames[]): readonly string[] {
  if (uids === null) return [APPLICATION];
  return types.filter(({ uid }) => uids.has(uid)).map(({ uid }) => uid);
}

const WRITE_ACTIONS: ReadonlySet<string> = new Set([
  'create',
  'update',
  'delete',
  'clone',
  'publish',
  'unpublish',
  'discardDraft',
]);

const isAll = (values: ReadonlySet<string> | null, test: (value: string) => boolean): boolean =>
  values !== null && [...values].every(test);

/** The function that is handed over, be it by name or made by another; null where this file does not hold it. */
function functionOf(module: CodeModule, node: AnyNode): FunctionNode | null {
  const target = module.resolve(node);
  if (isFunction(target)) return target;
  const maker = target.type === 'CallExpression' ? module.resolve(target.callee) : null;
  const [made, ...others] = maker && isFunction(maker) ? returnedBy(maker) : [];
  const found = made && others.length === 0 ? module.resolve(made) : null;
  return found && isFunction(found) ? found : null;
}

function documentMiddleware(
  file: ParsedFile,
  module: CodeModule,
  handler: AnyNode | undefined,
  types: readonly TypeNames[],
): CodeFinding[] {
  const target = handler ? functionOf(module, handler) : null;
  const conditions = target && new HandlerConditions(module, target, true);
  // One that cannot be seen may act on anything.
  const isOfWrites =
    conditions &&
    (isAll(conditions.valuesOf('action'), (action) => WRITE_ACTIONS.has(action)) || conditions.touchesDataOnly);
  const kind: CodeKind = 'documents.use';
  const closes: Closes = isOfWrites ? 'writes' : 'all';
  const found = { file: file.file, kind, ...described('', target ? module.textOf(target) : ''), closes };
  return forEach(conditions?.valuesOf('uid') ?? null, types).map((subject) => ({ ...found, subject }));
}

function subscriber(
  file: ParsedFile,
  module: CodeModule,
  handler: AnyNode | undefined,
  types: readonly TypeNames[],
): CodeFinding[] {
  const target = handler ? module.resolve(handler) : null;
  const code = target ? module.textOf(target) : '';
  const properties = module.properties(handler ?? null);
  if (properties) {
    const models = properties.get('models');
    const uids = models ? module.strings(models) : null;
    const events = new Set([...properties.keys()].filter((name) => name !== 'models'));
    return forEach(uids && new Set(uids), types).map((subject) => lifecycleFinding(file, subject, events, code));
  }
  const conditions = target && isFunction(target) ? new HandlerConditions(module, target, false) : null;
  const actions = conditions?.valuesOf('action') ?? null;
  // A function hears of everything, also of what is read.
  const events = isAll(actions, (action) => !FIND_EVENTS.test(action)) ? actions : null;
  return forEach(conditions?.valuesOf('uid') ?? null, types).map((subject) =>
    lifecycleFinding(file, subject, events, code),
  );
}

const HANDLERS = ['register', 'bootstrap', 'destroy'] as const;

/** `src/index`: what it registers is found by itself; this tells of the rest. */
export function scanIndex(file: ParsedFile): CodeFinding[] {
  const { module } = file;
  if (!module) return [];
  const exported = module.properties(module.defaultExport);
  const told = HANDLERS.filter((name) => {
    const handler = exported?.get(name) ?? null;
    return !exported || (handler !== null && !isEmpty(module, handler));
  });
  return told.slice(0, exported ? told.length : 1).map((kind) => {
    const code = exported ? module.textOf(module.resolve(exported.get(kind)!)) : file.text;
    const { does, instead } = described(exported ? '' : listed(told), code);
    return { file: file.file, kind, subject: null, does, closes: 'nothing', instead };
  });
}

function isEmpty(module: CodeModule, handler: AnyNode): boolean {
  const node = module.resolve(handler);
  return 'body' in node && 'body' in node.body && Array.isArray(node.body.body) && node.body.body.length === 0;
}
