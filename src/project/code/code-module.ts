// The syntax tree of one file of a project, and what can be told from it without running it: what the file exports,
// which strings and lists stand in it, which functions an object has.
import { type AnyNode, type CallExpression, type Expression, type ObjectExpression, type Program, parse } from 'acorn';
import { type Bindings, bindingsIn, changedNames } from './code-bindings.ts';
import { type FunctionNode, isFunction, nodesIn, propertyName } from './code-nodes.ts';

/** Names that lead to names, and functions that return functions, are followed this far. */
const MAX_STEPS = 10;
/** Of a name that stands for many things, no more are looked at. */
const MAX_MEANINGS = 20;

export class CodeModule {
  readonly program: Program;
  /** All of them, in the order of the text. */
  readonly nodes: readonly AnyNode[];
  readonly #code: string;
  readonly #bindings: Bindings;
  readonly #changed: ReadonlySet<string>;

  constructor(code: string) {
    this.#code = code;
    this.program = parseCode(code);
    this.nodes = nodesIn(this.program);
    this.#bindings = bindingsIn(this.nodes);
    this.#changed = changedNames(this.nodes);
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

  /** What a name stands for, as far as this file says it; what is put into it later is not looked at. */
  resolve(node: AnyNode): AnyNode {
    return this.#follow(node, () => true);
  }

  /** The same for what nothing is put into later; any other name stays a name. */
  #constant(node: AnyNode): AnyNode {
    return this.#follow(node, (name) => !this.#changed.has(name));
  }

  #follow(node: AnyNode, mayFollow: (name: string) => boolean): AnyNode {
    let found = node;
    for (let step = 0; step < MAX_STEPS; step++) {
      if (found.type === 'ChainExpression' || found.type === 'ParenthesizedExpression') found = found.expression;
      else if (found.type !== 'Identifier' || !mayFollow(found.name)) return found;
      else {
        const [binding, ...others] = this.#bindings.get(found.name) ?? [];
        if (!binding?.isConstant || !binding.value || binding.keys.length > 0 || others.length > 0) return found;
        found = binding.value;
      }
    }
    return found;
  }

  /**
   * What a value may be, as paths such as `strapi.documents.use`, by all that its names stand for in the file. A call
   * ends with `()`, a computed key is `*`, what is imported begins with `import(…)`.
   */
  meanings(node: AnyNode, steps = MAX_STEPS): readonly string[] {
    if (steps === 0) return [];
    const inner = (one: AnyNode): readonly string[] => this.meanings(one, steps - 1);
    switch (node.type) {
      case 'Identifier':
        return this.#meaningsOfName(node.name, steps);
      case 'MemberExpression':
        return inner(node.object).map((owner) => `${owner}.${propertyName(node) ?? '*'}`);
      case 'ChainExpression':
      case 'ParenthesizedExpression':
        return inner(node.expression);
      case 'AwaitExpression':
        return inner(node.argument);
      case 'AssignmentExpression':
        return inner(node.right);
      case 'LogicalExpression':
        return [...inner(node.left), ...inner(node.right)];
      case 'ConditionalExpression':
        return [...inner(node.consequent), ...inner(node.alternate)];
      case 'CallExpression': {
        const source = requiredBy(node);
        return source === null ? inner(node.callee).map((callee) => `${callee}()`) : [`import(${source})`];
      }
      default:
        return ['?'];
    }
  }

  #meaningsOfName(name: string, steps: number): readonly string[] {
    const bindings = this.#bindings.get(name) ?? [];
    if (bindings.length === 0) return [name];
    const all = bindings.flatMap(({ value, source, keys }) => {
      const owners = value ? this.meanings(value, steps - 1) : source !== null ? [`import(${source})`] : null;
      if (owners === null) return [keys.length > 0 ? keys.join('.') : name];
      return owners.map((owner) => [owner, ...keys].join('.'));
    });
    return [...new Set(all)].slice(0, MAX_MEANINGS);
  }

  get defaultExport(): AnyNode | null {
    let found: AnyNode | null = null;
    for (const statement of this.program.body) found = exportedBy(statement) ?? found;
    return found && this.#constant(found);
  }

  /** The names that the file exports one by one; null where not all of them are known. */
  get exportedNames(): ReadonlySet<string> | null {
    const names = new Set<string>();
    for (const statement of this.program.body) {
      const found = namesExportedBy(statement);
      if (found === null) return null;
      for (const name of found) names.add(name);
    }
    return names;
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
    const list = node && this.#constant(node);
    if (list?.type !== 'ArrayExpression') return null;
    const known = list.elements.filter((element) => element !== null && element.type !== 'SpreadElement');
    return known.length === list.elements.length ? known : null;
  }

  strings(node: AnyNode | null): readonly string[] | null {
    const values = this.elements(node)?.map((element) => this.string(element));
    return values?.every((value) => value !== null) ? values : null;
  }

  object(node: AnyNode | null): ObjectExpression | null {
    const value = node && this.#constant(node);
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
      // It has whatever the other one has.
      if (name === '__proto__') return null;
      for (const [key, value] of spread ?? []) found.set(key, value);
      if (property.type === 'Property') found.set(name!, property.value);
    }
    return found;
  }

  /** The call of a factory of Strapi, such as `createCoreRouter`. */
  factoryCall(node: AnyNode | null, factory: string) {
    const call = node && this.#constant(node);
    if (call?.type !== 'CallExpression') return null;
    // One that another module offers under the same name may do anything.
    const meanings = this.meanings(call.callee);
    if (meanings.length === 0 || !meanings.every((meaning) => isFactory(meaning, factory))) return null;
    const [uid = null, options = null] = call.arguments;
    return { uid: this.string(uid), options };
  }

  /** The uids that the file calls a factory with, wherever it does. */
  factoryUids(factory: string): string[] {
    return this.nodes.flatMap((node) =>
      node.type === 'CallExpression' ? (this.factoryCall(node, factory)?.uid ?? []) : [],
    );
  }

  /** The functions of an object, of a class, or of what a function returns; null where not all of them are known. */
  members(node: AnyNode | null, steps = MAX_STEPS): ReadonlySet<string> | null {
    const value = node && this.#constant(node);
    if (!value || steps === 0) return null;
    if (value.type === 'ObjectExpression') return keysOf(this.properties(value));
    if (value.type === 'ClassDeclaration' || value.type === 'ClassExpression') {
      const names = value.body.body.flatMap(memberNames);
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

/** The names that a part of a class gives its objects; null for one that is not known. */
function memberNames(member: AnyNode): (string | null)[] {
  if (member.type !== 'MethodDefinition') return [null];
  if (member.kind !== 'constructor') return [propertyName(member)];
  return nodesIn(member).flatMap((node) =>
    node.type === 'AssignmentExpression' && node.left.type === 'MemberExpression' ? [propertyName(node.left)] : [],
  );
}

const FACTORY_MODULE = /^import\(@strapi\/(?:strapi|core)\)(?:\.default)?\.factories\./;

const isFactory = (meaning: string, factory: string): boolean =>
  FACTORY_MODULE.test(meaning) && meaning.replace(FACTORY_MODULE, '') === factory;

/** The module that a call of `require` names. */
function requiredBy(call: CallExpression): string | null {
  const [module] = call.arguments;
  if (call.callee.type !== 'Identifier' || call.callee.name !== 'require' || module?.type !== 'Literal') return null;
  return typeof module.value === 'string' ? module.value : null;
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

/** The names that a statement exports; null for one that may export anything, or does something else. */
function namesExportedBy(statement: AnyNode): readonly string[] | null {
  if (statement.type === 'ExportAllDeclaration' || statement.type === 'ExportDefaultDeclaration') return null;
  if (statement.type === 'ExportNamedDeclaration') {
    const { declaration, specifiers } = statement;
    if (declaration?.type === 'VariableDeclaration')
      return declaration.declarations.map(({ id }) => (id.type === 'Identifier' ? id.name : ''));
    if (declaration) return [declaration.id.name];
    return specifiers.map(({ exported }) => (exported.type === 'Identifier' ? exported.name : String(exported.value)));
  }
  if (statement.type !== 'ExpressionStatement') return /Declaration$/.test(statement.type) ? [] : null;
  const { expression } = statement;
  if (expression.type === 'Literal') return [];
  const left = expression.type === 'AssignmentExpression' ? expression.left : null;
  if (left?.type !== 'MemberExpression') return null;
  const name = propertyName(left);
  const owner = left.object.type === 'Identifier' ? left.object.name : propertyName(left.object);
  return owner === 'exports' && name !== null && name !== 'default' ? [name] : null;
}

/** What a function returns, at each place where it does. */
export function returnedBy(node: FunctionNode): AnyNode[] {
  if (node.body.type !== 'BlockStatement') return [node.body];
  return nodesIn(node.body, isFunction).flatMap((inner) =>
    inner.type === 'ReturnStatement' && inner.argument ? [inner.argument] : [],
  );
}
