// The names of a file: what each is bound to, and into which of them something is put later.
import type { AnyNode, Pattern } from 'acorn';
import { isFunction, propertyName } from './code-nodes.ts';

export interface Binding {
  /** The value, or the one that it is taken out of; null for a parameter, and for what is not known. */
  readonly value: AnyNode | null;
  /** The module that it is imported from. */
  readonly source: string | null;
  /** The keys that lead from the value to what is bound. */
  readonly keys: readonly string[];
  readonly isConstant: boolean;
}

/** By name. Scopes are not told apart: a name has all that it stands for anywhere in the file. */
export type Bindings = ReadonlyMap<string, readonly Binding[]>;

export function bindingsIn(nodes: readonly AnyNode[]): Bindings {
  const found = new Map<string, Binding[]>();
  for (const node of nodes)
    for (const [name, binding] of boundBy(node)) {
      const known = found.get(name);
      if (known) known.push(binding);
      else found.set(name, [binding]);
    }
  return found;
}

type Bound = readonly [name: string, binding: Binding];

const UNKNOWN: Binding = { value: null, source: null, keys: [], isConstant: false };

function boundBy(node: AnyNode): readonly Bound[] {
  switch (node.type) {
    case 'VariableDeclaration':
      return node.declarations.flatMap(({ id, init }) =>
        boundIn(id, { ...UNKNOWN, value: init ?? null, isConstant: node.kind === 'const' }),
      );
    case 'ImportDeclaration':
      return node.specifiers.map((specifier): Bound => {
        const source = String(node.source.value);
        return [specifier.local.name, { ...UNKNOWN, source, keys: importedKeys(specifier) }];
      });
    case 'ClassDeclaration':
      return node.id ? [[node.id.name, { ...UNKNOWN, value: node, isConstant: true }]] : [];
    case 'CatchClause':
      return node.param ? boundIn(node.param, UNKNOWN) : [];
    default: {
      if (!isFunction(node)) return [];
      const named: readonly Bound[] =
        node.type === 'FunctionDeclaration' && node.id
          ? [[node.id.name, { ...UNKNOWN, value: node, isConstant: true }]]
          : [];
      return [...named, ...node.params.flatMap((parameter) => boundIn(parameter, UNKNOWN))];
    }
  }
}

function importedKeys(specifier: AnyNode): readonly string[] {
  if (specifier.type === 'ImportDefaultSpecifier') return ['default'];
  if (specifier.type !== 'ImportSpecifier') return [];
  const { imported } = specifier;
  return [imported.type === 'Identifier' ? imported.name : String(imported.value)];
}

function boundIn(pattern: Pattern, binding: Binding): readonly Bound[] {
  switch (pattern.type) {
    case 'Identifier':
      return [[pattern.name, binding]];
    case 'AssignmentPattern':
      return boundIn(pattern.left, { ...binding, isConstant: false });
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        property.type === 'RestElement'
          ? boundIn(property.argument, { ...binding, isConstant: false })
          : boundIn(property.value, { ...binding, keys: [...binding.keys, propertyName(property) ?? '*'] }),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) =>
        element ? boundIn(element, { ...binding, keys: [...binding.keys, '*'] }) : [],
      );
    case 'RestElement':
      return boundIn(pattern.argument, UNKNOWN);
    default:
      return [];
  }
}

/** Methods of a list that change it. */
const CHANGING: ReadonlySet<string | null> = new Set([
  'push',
  'unshift',
  'splice',
  'pop',
  'shift',
  'fill',
  'sort',
  'reverse',
  'copyWithin',
]);
/** Whatever these are given, they only read. */
const READING = /^(?:createCore(?:Controller|Service|Router)|keys|values|entries|includes|require|register|subscribe)$/;

/** Names of what may be changed after it was made: it is written to, or handed to a function that may do so. */
export function changedNames(nodes: readonly AnyNode[]): ReadonlySet<string> {
  const changed = new Set<string>();
  const aliases: [name: string, of: string][] = [];
  for (const node of nodes) {
    for (const target of changedBy(node)) {
      const root = rootOf(target);
      if (root !== null) changed.add(root);
    }
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init?.type === 'Identifier')
      aliases.push([node.id.name, node.init.name]);
  }
  for (const [name, of] of aliases.reverse()) if (changed.has(name)) changed.add(of);
  return changed;
}

function changedBy(node: AnyNode): readonly AnyNode[] {
  if (node.type === 'AssignmentExpression') return node.left.type === 'MemberExpression' ? [node.left] : [];
  if (node.type === 'UpdateExpression') return [node.argument];
  if (node.type === 'UnaryExpression') return node.operator === 'delete' ? [node.argument] : [];
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return [];
  const { callee } = node;
  const name = callee.type === 'Identifier' ? callee.name : propertyName(callee);
  const owner = callee.type === 'MemberExpression' && CHANGING.has(name) ? [callee.object] : [];
  return [...owner, ...(READING.test(name ?? '') ? [] : node.arguments)];
}

/** The name at the front of `name.a.b`. */
function rootOf(node: AnyNode): string | null {
  let root = node;
  while (root.type === 'MemberExpression' || root.type === 'ChainExpression')
    root = root.type === 'MemberExpression' ? root.object : root.expression;
  return root.type === 'Identifier' ? root.name : null;
}
