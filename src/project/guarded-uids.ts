// Which content-types a handler acts on that every content-type passes through: those that its conditions on `uid`
// leave. `if (context.uid !== 'api::order.order') return next()` leaves one, `if (uid === …) { … }` around all that is
// done as well. Whatever is not of such a form acts on all types.
import type { AnyNode } from 'acorn';
import { type CodeModule, isFunction, nodesIn, propertyName } from './code-module.ts';

type Uids = ReadonlySet<string>;

/** Null where it acts on all types. */
export function guardedUids(module: CodeModule, handler: AnyNode): Uids | null {
  if (!isFunction(handler) || handler.body.type !== 'BlockStatement') return null;
  const found = new Set<string>();
  for (const statement of handler.body.body) {
    if (isHarmless(statement)) continue;
    if (statement.type !== 'IfStatement') return null;
    // What follows an early return happens for the other case alone.
    const rest = endsWithReturn(statement.consequent) ? uidsWhere(module, statement.test, false) : null;
    if (rest && isHarmless(statement.consequent)) return new Set([...found, ...rest]);
    if (isHarmless(statement.consequent) && !statement.alternate) continue;
    const inside = uidsOf(module, statement);
    if (!inside) return null;
    for (const uid of inside) found.add(uid);
  }
  return found;
}

/** The types for which a statement does something. */
function uidsOf(module: CodeModule, statement: AnyNode): Uids | null {
  if (isHarmless(statement)) return new Set();
  if (statement.type !== 'IfStatement') return null;
  const when = uidsWhere(module, statement.test, true);
  const otherwise = statement.alternate ? uidsOf(module, statement.alternate) : new Set<string>();
  return when && otherwise && new Set([...when, ...otherwise]);
}

/** The types for which a condition can have an outcome; null for any type. */
function uidsWhere(module: CodeModule, node: AnyNode, outcome: boolean): Uids | null {
  const test = node.type === 'ChainExpression' ? node.expression : node;
  if (test.type === 'UnaryExpression' && test.operator === '!') return uidsWhere(module, test.argument, !outcome);
  if (test.type === 'LogicalExpression') {
    const left = uidsWhere(module, test.left, outcome);
    const right = uidsWhere(module, test.right, outcome);
    // Both hold, or one of them does.
    if ((test.operator === '&&') === outcome) return left ?? right;
    return left && right && new Set([...left, ...right]);
  }
  if (test.type === 'BinaryExpression') {
    if (!/^[!=]==?$/.test(test.operator) || test.operator.startsWith('=') !== outcome) return null;
    const [uid, other] = isUid(test.left) ? [test.left, test.right] : [test.right, test.left];
    const value = isUid(uid) ? module.string(other) : null;
    return value === null ? null : new Set([value]);
  }
  if (test.type !== 'CallExpression' || !outcome || propertyName(test.callee) !== 'includes') return null;
  const list = test.callee.type === 'MemberExpression' ? module.strings(test.callee.object) : null;
  return list && isUid(test.arguments[0] ?? test) ? new Set(list) : null;
}

const isUid = (node: AnyNode): boolean =>
  node.type === 'Identifier' ? node.name === 'uid' : propertyName(node) === 'uid';

const endsWithReturn = (node: AnyNode): boolean =>
  node.type === 'ReturnStatement' || (node.type === 'BlockStatement' && node.body.at(-1)?.type === 'ReturnStatement');

/** Whether nothing is done but to go on: no change and no call but that of `next`. */
function isHarmless(statement: AnyNode): boolean {
  if (statement.type === 'IfStatement') return false;
  for (const node of nodesIn(statement)) {
    if (node.type === 'ReturnStatement' && !goesOn(node.argument ?? null)) return false;
    if (node.type === 'AssignmentExpression' || node.type === 'UpdateExpression' || node.type === 'ThrowStatement')
      return false;
    if (node.type === 'UnaryExpression' && node.operator === 'delete') return false;
    if (node.type === 'NewExpression' || isFunction(node)) return false;
    if (node.type === 'CallExpression' && !(node.callee.type === 'Identifier' && node.callee.name === 'next'))
      return false;
  }
  return true;
}

/** Whether what is returned comes from the next one in line. */
function goesOn(returned: AnyNode | null): boolean {
  const value = returned?.type === 'AwaitExpression' ? returned.argument : returned;
  return value === null || value.type === 'Identifier' || value.type === 'CallExpression';
}
