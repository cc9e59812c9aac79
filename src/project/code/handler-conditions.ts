// What a handler acts on that every content-type and every action passes through: what its conditions on `uid` and
// `action` leave. `if (context.uid !== 'api::order.order') return next()` leaves one type, `if (uid === …) { … }` around
// all that is done as well. Whatever is not of such a form acts on everything.
import type { AnyNode } from 'acorn';
import type { CodeModule } from './code-module.ts';
import { childrenOf, type FunctionNode, isFunction, nodesIn, propertyName } from './code-nodes.ts';

type Values = ReadonlySet<string>;

export class HandlerConditions {
  readonly #module: CodeModule;
  readonly #handler: FunctionNode;
  /** Whether it decides by what it returns whether and with what the operation goes on. */
  readonly #decides: boolean;

  constructor(module: CodeModule, handler: FunctionNode, decides: boolean) {
    this.#module = module;
    this.#handler = handler;
    this.#decides = decides;
  }

  /** The values of a property of the context for which something is done; null for all of them. */
  valuesOf(property: 'uid' | 'action'): Values | null {
    const { body } = this.#handler;
    if (body.type !== 'BlockStatement') return null;
    const found = new Set<string>();
    for (const statement of body.body) {
      if (this.#isHarmless(statement)) continue;
      if (statement.type !== 'IfStatement') return null;
      const isHarmless = this.#isHarmless(statement.consequent);
      // What follows an early return happens for the other case alone.
      const rest = endsWithReturn(statement.consequent) ? this.#valuesWhere(statement.test, false, property) : null;
      if (rest && isHarmless) return new Set([...found, ...rest]);
      if (isHarmless && !statement.alternate) continue;
      const inside = this.#valuesIn(statement, property);
      if (!inside) return null;
      for (const value of inside) found.add(value);
    }
    return found;
  }

  /** The values for which a statement does something. */
  #valuesIn(statement: AnyNode, property: string): Values | null {
    if (this.#isHarmless(statement)) return new Set();
    if (statement.type !== 'IfStatement') return null;
    const when = this.#valuesWhere(statement.test, true, property);
    const otherwise = statement.alternate ? this.#valuesIn(statement.alternate, property) : new Set<string>();
    return when && otherwise && new Set([...when, ...otherwise]);
  }

  /** The values for which a condition can have an outcome; null for any. */
  #valuesWhere(node: AnyNode, outcome: boolean, property: string): Values | null {
    const test = node.type === 'ChainExpression' ? node.expression : node;
    if (test.type === 'UnaryExpression' && test.operator === '!')
      return this.#valuesWhere(test.argument, !outcome, property);
    if (test.type === 'LogicalExpression') {
      const left = this.#valuesWhere(test.left, outcome, property);
      const right = this.#valuesWhere(test.right, outcome, property);
      // Both hold, or one of them does.
      if ((test.operator === '&&') === outcome) return left ?? right;
      return left && right && new Set([...left, ...right]);
    }
    const is = (one: AnyNode): boolean => isNamed(one, property);
    if (test.type === 'BinaryExpression') {
      if (!/^[!=]==?$/.test(test.operator) || test.operator.startsWith('=') !== outcome) return null;
      const [name, other] = is(test.left) ? [test.left, test.right] : [test.right, test.left];
      const value = is(name) ? this.#module.string(other) : null;
      return value === null ? null : new Set([value]);
    }
    if (test.type !== 'CallExpression' || !outcome || propertyName(test.callee) !== 'includes') return null;
    const list = test.callee.type === 'MemberExpression' ? this.#module.strings(test.callee.object) : null;
    return list && is(test.arguments[0] ?? test) ? new Set(list) : null;
  }

  /** Whether nothing is done but to go on: no change and no call but that of `next`. */
  #isHarmless(statement: AnyNode): boolean {
    if (statement.type === 'IfStatement') return false;
    for (const node of nodesIn(statement)) {
      if (node.type === 'ReturnStatement' && !this.#goesOn(node.argument ?? null)) return false;
      if (node.type === 'AssignmentExpression' || node.type === 'UpdateExpression' || node.type === 'ThrowStatement')
        return false;
      if (node.type === 'UnaryExpression' && node.operator === 'delete') return false;
      if (node.type === 'NewExpression' || isFunction(node)) return false;
      if (node.type === 'CallExpression' && !isNext(node)) return false;
    }
    return true;
  }

  #goesOn(returned: AnyNode | null): boolean {
    return !this.#decides || goesOn(this.#module, returned);
  }

  /**
   * Whether all that it visibly works on is the data of a write: it neither hands its context on nor changes what the
   * next one in line returns.
   */
  get touchesDataOnly(): boolean {
    const {
      body,
      params: [context],
    } = this.#handler;
    if (context?.type !== 'Identifier') return false;
    if (body.type !== 'BlockStatement') return goesOn(this.#module, body);
    const returns = nodesIn(body, isFunction).filter((node) => node.type === 'ReturnStatement');
    if (!returns.every(({ argument }) => goesOn(this.#module, argument ?? null))) return false;
    const results = new Set(returns.flatMap(({ argument }) => (argument?.type === 'Identifier' ? argument.name : [])));
    return isLeftAlone(body, results) && usesDataOnly(body, context.name);
  }
}

const isNamed = (node: AnyNode, name: string): boolean =>
  node.type === 'Identifier' ? node.name === name : propertyName(node) === name;

const endsWithReturn = (node: AnyNode): boolean =>
  node.type === 'ReturnStatement' || (node.type === 'BlockStatement' && node.body.at(-1)?.type === 'ReturnStatement');

const isNext = (node: AnyNode): boolean =>
  node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 'next';

/** Whether what is returned comes from the next one in line. */
function goesOn(module: CodeModule, returned: AnyNode | null): boolean {
  const value = returned && module.resolve(returned);
  return value !== null && isNext(value.type === 'AwaitExpression' ? value.argument : value);
}

/** Whether these names are only declared and returned. */
function isLeftAlone(node: AnyNode, names: ReadonlySet<string>): boolean {
  if (node.type === 'Identifier') return !names.has(node.name);
  if (node.type === 'ReturnStatement' && node.argument?.type === 'Identifier') return true;
  if (node.type === 'VariableDeclarator') return !node.init || isLeftAlone(node.init, names);
  return childrenOf(node).every((child) => isLeftAlone(child, names));
}

const USED = /^(?:uid|action|contentType\.uid|params\.(?:data|documentId))(?:\.|$)/;

/** Calls that neither change nor refuse anything. */
const QUIET = /^(?:console|log|Date|String|Number|Math|JSON)$/;

/** Whether of the context nothing is used but what it says of itself, and the data of a write. */
function usesDataOnly(node: AnyNode, context: string): boolean {
  if (node.type === 'Identifier') return node.name !== context;
  if (node.type === 'ThrowStatement') return false;
  // A function that is not given the data may refuse to go on, whatever the action.
  if ((node.type === 'CallExpression' || node.type === 'NewExpression') && !isNext(node) && !isQuiet(node.callee)) {
    const isGivenData = nodesIn(node).some((inner) => pathFrom(inner, context)?.startsWith('params.data'));
    if (!isGivenData) return false;
  }
  if (node.type !== 'MemberExpression') return childrenOf(node).every((child) => usesDataOnly(child, context));
  const path = pathFrom(node, context);
  if (path === null) return childrenOf(node).every((child) => usesDataOnly(child, context));
  return USED.test(path);
}

const isQuiet = (callee: AnyNode): boolean =>
  [callee, ...(callee.type === 'MemberExpression' ? [callee.object] : [])].some((node) =>
    QUIET.test(node.type === 'Identifier' ? node.name : (propertyName(node) ?? '')),
  );

/** The keys behind a name, such as `params.data` of `context.params.data`; null for what has another name in front. */
function pathFrom(node: AnyNode, name: string): string | null {
  if (node.type === 'ChainExpression') return pathFrom(node.expression, name);
  if (node.type === 'Identifier') return node.name === name ? '' : null;
  if (node.type !== 'MemberExpression') return null;
  const owner = pathFrom(node.object, name);
  const key = propertyName(node) ?? '*';
  return owner === null ? null : owner === '' ? key : `${owner}.${key}`;
}
