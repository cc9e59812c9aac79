// Code that a project registers when its server starts, wherever it stands: document middlewares, subscribers to
// lifecycles, middlewares of the HTTP server, and parts of Strapi that are replaced.
import type { AnyNode, CallExpression } from 'acorn';
import { APPLICATION, type Closes, type CodeFinding, type CodeKind, type TypeNames } from './code-finding.ts';
import { type CodeModule, type FunctionNode, isFunction, nodesIn, propertyName, returnedBy } from './code-module.ts';
import { described, listed } from './code-purpose.ts';
import { guardedUids } from './guarded-uids.ts';
import { lifecycleFinding, type ParsedFile } from './scan-api.ts';

/** `strapi.documents.use`, also where a part of it has a name of its own: the names of its last parts. */
function lastNames(module: CodeModule, callee: AnyNode): readonly [owner: string | null, name: string | null] {
  const node = callee.type === 'ChainExpression' ? callee.expression : callee;
  if (node.type !== 'MemberExpression') return [null, null];
  const owner = module.resolve(node.object);
  return [owner.type === 'Identifier' ? owner.name : propertyName(owner), propertyName(node)];
}

/** What is written to, as text; a name at its front is written out. */
function fullName(module: CodeModule, target: AnyNode): string {
  let root = target;
  while (root.type === 'MemberExpression') root = root.object;
  const meant = root === target ? root : module.resolve(root);
  return `${module.textOf(meant)}${module.textOf(target).slice(root.end - root.start)}`;
}

export function scanHooks(file: ParsedFile, types: readonly TypeNames[]): readonly CodeFinding[] {
  const { module } = file;
  if (!module) return unreadable(file);
  const found: CodeFinding[] = [];
  for (const node of nodesIn(module.program)) {
    if (node.type === 'AssignmentExpression' && REPLACED.test(fullName(module, node.left)))
      found.push(replacement(file, fullName(module, node.left)));
    if (node.type !== 'CallExpression') continue;
    const [owner, name] = lastNames(module, node.callee);
    if (owner === 'documents' && name === 'use') found.push(...documentMiddleware(file, module, node, types));
    else if (owner === 'lifecycles' && name === 'subscribe') found.push(...subscriber(file, module, node, types));
    else if (SERVER.test(module.textOf(node.callee))) found.push(serverMiddleware(file, module.textOf(node)));
    else if (EXTENDED.test(module.textOf(node.callee))) found.push(replacement(file, module.textOf(node.callee)));
  }
  return found;
}

const SERVER = /^strapi\??\.server\??\.(?:(?:app|router)\??\.)?(?:use|routes|api|all|get|post|put|delete)$/;
const PARTS =
  'plugins?|controllers?|services?|policies|middlewares|apis?|contentTypes?|entityService|documents|sanitizers|query';
const REPLACED = new RegExp(`^strapi\\??\\.(?:${PARTS})\\b`);
const EXTENDED =
  /^strapi\b[\s\S]*\b(?:sanitizers|validators)\b|^strapi\??\.(?:get|container)\b[\s\S]*\.(?:extend|set|add)$/;
const HOOKS = /\bdocuments\b[\s\S]*\buse\b|\blifecycles\b|\bserver\b/;

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

const READ_ACTIONS: ReadonlySet<unknown> = new Set(['find', 'findMany', 'findOne', 'findFirst', 'findPage', 'count']);
const READ_PARAMETERS: ReadonlySet<string | null> = new Set(['filters', 'populate', 'fields', 'sort', 'where']);

/** Whether a document middleware visibly acts on reads: it names such an action or one of their parameters. */
function actsOnReads(module: CodeModule, handler: AnyNode): boolean {
  for (const node of nodesIn(handler)) {
    if (node.type === 'Literal' && READ_ACTIONS.has(node.value)) return true;
    if (node.type !== 'MemberExpression' || !READ_PARAMETERS.has(propertyName(node))) continue;
    const owner = module.resolve(node.object);
    if ((owner.type === 'Identifier' ? owner.name : propertyName(owner)) === 'params') return true;
  }
  return false;
}

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
  { arguments: [handler] }: CallExpression,
  types: readonly TypeNames[],
): CodeFinding[] {
  const target = handler ? functionOf(module, handler) : null;
  const code = target ? module.textOf(target) : '';
  // One that cannot be seen may act on anything.
  const closes: Closes = !target || actsOnReads(module, target) ? 'all' : 'writes';
  const kind: CodeKind = 'documents.use';
  const found = { file: file.file, kind, ...described('', code), closes };
  return forEach(target ? guardedUids(module, target) : null, types).map((subject) => ({ ...found, subject }));
}

function subscriber(
  file: ParsedFile,
  module: CodeModule,
  { arguments: [handler] }: CallExpression,
  types: readonly TypeNames[],
): CodeFinding[] {
  const target = handler && module.resolve(handler);
  const properties = module.properties(target ?? null);
  const models = properties?.get('models');
  const uids = models ? module.strings(models) : null;
  const subjects = properties ? uids && new Set(uids) : target ? guardedUids(module, target) : null;
  const events = [...(properties?.keys() ?? [])].filter((name) => name !== 'models');
  return forEach(subjects, types).map((subject) =>
    lifecycleFinding(file, subject, events, target ? module.textOf(target) : ''),
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
