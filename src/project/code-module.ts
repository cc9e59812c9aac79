// The syntax tree of one file of a project, and what can be told from it without running it: what the file exports,
// which strings and lists stand in it, which functions an object has.
import { type AnyNode, type Expression, type ObjectExpression, type Program, parse } from 'acorn';

/** Names that lead to names, and functions that return functions, are followed this far. */
const MAX_STEPS = 10;

export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionExpression' | 'FunctionDeclaration' | 'ArrowFunctionExpression' }
>;

export const isFunction = (node: AnyNode): node is FunctionNode =>
  node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration' || node.type === 'ArrowFunctionExpression';

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

export function* childrenOf(node: AnyNode): Generator<AnyNode> {
  for (const value of Object.values(node))
    if (Array.isArray(value)) yield* value.filter(isNode);
    else if (isNode(value)) yield value;
}

/** The node and everything in it; not what `skips` names, nor what is inside. */
export function* nodesIn(node: AnyNode, skips: (inner: AnyNode) => boolean = () => false): Generator<AnyNode> {
  yield node;
  for (const child of childrenOf(node)) if (!skips(child)) yield* nodesIn(child, skips);
}

/** The name of a property that is read or written, also where it stands in brackets; null where it is computed. */
export function propertyName(node: AnyNode): string | null {
  if (node.type === 'ChainExpression') return propertyName(node.expression);
  if (node.type !== 'MemberExpression' && node.type !== 'Property' && node.type !== 'MethodDefinition') return null;
  const key = node.type === 'MemberExpression' ? node.property : node.key;
  if (key.type === 'Identifier' && !node.computed) return key.name;
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : null;
}

export class CodeModule {
  readonly program: Program;
  readonly #code: string;
  readonly #declared: ReadonlyMap<string, AnyNode | null>;

  constructor(code: string) {
    this.#code = code;
    this.program = parseCode(code);
    this.#declared = declarations(this.program);
  }

  /** Null for what is not valid code. */
  static parse(code: string | null): CodeModule | null {
    if (code === null) return null;
    try {
      return new CodeModule(code);
    } catch {
      return null;
    }
  }

  textOf({ start, end }: AnyNode): string {
    return this.#code.slice(start, end);
  }

  /** What a name stands for, as far as this file says it. */
  resolve(node: AnyNode): AnyNode {
    let found = node;
    for (let step = 0; step < MAX_STEPS; step++) {
      if (found.type === 'ChainExpression' || found.type === 'ParenthesizedExpression') found = found.expression;
      else if (found.type !== 'Identifier') return found;
      else {
        const declared = this.#declared.get(found.name);
        if (!declared) return found;
        found = declared;
      }
    }
    return found;
  }

  get defaultExport(): AnyNode | null {
    let found: AnyNode | null = null;
    for (const statement of this.program.body) found = exportedBy(statement) ?? found;
    return found && this.resolve(found);
  }

  /** Whether loading the file does more than to import, to declare and to export. */
  get runsWhenLoaded(): boolean {
    return this.program.body.some(
      (statement) =>
        !/Declaration$/.test(statement.type) &&
        exportedBy(statement) === null &&
        !(statement.type === 'ExpressionStatement' && statement.expression.type === 'Literal'),
    );
  }

  /** Null where it is no constant string. */
  string(node: AnyNode | null): string | null {
    const value = node && this.resolve(node);
    if (value?.type === 'Literal' && typeof value.value === 'string') return value.value;
    if (value?.type !== 'TemplateLiteral' || value.expressions.length > 0) return null;
    return value.quasis[0]?.value.cooked ?? null;
  }

  /** The elements of a list; null where not all of them are known. */
  elements(node: AnyNode | null): readonly Expression[] | null {
    const list = node && this.resolve(node);
    if (list?.type !== 'ArrayExpression') return null;
    const known = list.elements.filter((element) => element !== null && element.type !== 'SpreadElement');
    return known.length === list.elements.length ? known : null;
  }

  strings(node: AnyNode | null): readonly string[] | null {
    const values = this.elements(node)?.map((element) => this.string(element));
    return values?.every((value) => value !== null) ? values : null;
  }

  object(node: AnyNode | null): ObjectExpression | null {
    const value = node && this.resolve(node);
    return value?.type === 'ObjectExpression' ? value : null;
  }

  /** The members of an object by name; null where not all of them are known. */
  properties(node: AnyNode | null): ReadonlyMap<string, AnyNode> | null {
    const object = this.object(node);
    if (!object) return null;
    const found = new Map<string, AnyNode>();
    for (const property of object.properties) {
      const spread = property.type === 'SpreadElement' ? this.properties(property.argument) : null;
      const name = propertyName(property);
      if (property.type === 'SpreadElement' ? spread === null : name === null) return null;
      for (const [key, value] of spread ?? []) found.set(key, value);
      if (property.type === 'Property') found.set(name!, property.value);
    }
    return found;
  }

  /** The call of a factory of Strapi, such as `createCoreRouter`. */
  factoryCall(node: AnyNode | null, factory: string) {
    const call = node && this.resolve(node);
    if (call?.type !== 'CallExpression') return null;
    const { callee } = call;
    const name = callee.type === 'Identifier' ? callee.name : propertyName(callee);
    if (name !== factory) return null;
    const [uid = null, options = null] = call.arguments;
    return { uid: this.string(uid), options };
  }

  /** The uids that the file calls a factory with, wherever it does. */
  factoryUids(factory: string): string[] {
    return [...nodesIn(this.program)].flatMap((node) =>
      node.type === 'CallExpression' ? (this.factoryCall(node, factory)?.uid ?? []) : [],
    );
  }

  /** The functions of an object, of a class, or of what a function returns; null where not all of them are known. */
  members(node: AnyNode | null, steps = MAX_STEPS): ReadonlySet<string> | null {
    const value = node && this.resolve(node);
    if (!value || steps === 0) return null;
    if (value.type === 'ObjectExpression') return keysOf(this.properties(value));
    if (value.type === 'ClassDeclaration' || value.type === 'ClassExpression') {
      const names = value.body.body.map((member) => ('key' in member ? propertyName(member) : null));
      return value.superClass || names.includes(null) ? null : new Set(names.filter((name) => name !== null));
    }
    if (value.type === 'NewExpression') return this.members(value.callee, steps - 1);
    if (!isFunction(value)) return null;
    const all = returnedBy(value).map((returned) => this.members(returned, steps - 1));
    if (all.length === 0 || all.includes(null)) return null;
    return new Set(all.flatMap((names) => [...(names ?? [])]));
  }
}

const keysOf = (properties: ReadonlyMap<string, AnyNode> | null): ReadonlySet<string> | null =>
  properties && new Set(properties.keys());

function parseCode(code: string): Program {
  const options = { ecmaVersion: 'latest', allowReturnOutsideFunction: true, allowHashBang: true } as const;
  try {
    return parse(code, { ...options, sourceType: 'module' });
  } catch {
    // CommonJS that is not in strict mode.
    return parse(code, { ...options, sourceType: 'script' });
  }
}

/** By name; null for a name that stands for several things. */
function declarations(program: Program): Map<string, AnyNode | null> {
  const found = new Map<string, AnyNode | null>();
  const declare = (name: string, node: AnyNode | null): unknown => found.set(name, found.has(name) ? null : node);
  for (const node of nodesIn(program)) {
    if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
      if (node.id) declare(node.id.name, node);
    } else if (node.type === 'VariableDeclaration') {
      for (const { id, init } of node.declarations)
        if (id.type === 'Identifier') declare(id.name, node.kind === 'const' ? (init ?? null) : null);
    }
  }
  return found;
}

/** What a statement makes the module's default export; `null` for a statement that does not. */
function exportedBy(statement: AnyNode): AnyNode | null {
  if (statement.type === 'ExportDefaultDeclaration') return statement.declaration;
  if (statement.type === 'ExportNamedDeclaration') {
    const named = statement.specifiers.find(
      ({ exported }) => (exported.type === 'Identifier' ? exported.name : exported.value) === 'default',
    );
    return named?.local ?? null;
  }
  if (statement.type !== 'ExpressionStatement' || statement.expression.type !== 'AssignmentExpression') return null;
  const { left, right } = statement.expression;
  if (left.type !== 'MemberExpression' || left.object.type !== 'Identifier') return null;
  const target = `${left.object.name}.${propertyName(left)}`;
  return target === 'module.exports' || target === 'exports.default' ? right : null;
}

/** What a function returns, at each place where it does. */
export function returnedBy(node: FunctionNode): AnyNode[] {
  if (node.body.type !== 'BlockStatement') return [node.body];
  return [...nodesIn(node.body, isFunction)].flatMap((inner) =>
    inner.type === 'ReturnStatement' && inner.argument ? [inner.argument] : [],
  );
}
