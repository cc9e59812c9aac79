// Parts of a syntax tree.
import type { AnyNode } from 'acorn';

export type FunctionNode = Extract<
  AnyNode,
  { type: 'FunctionExpression' | 'FunctionDeclaration' | 'ArrowFunctionExpression' }
>;

export const isFunction = (node: AnyNode): node is FunctionNode =>
  node.type === 'FunctionExpression' || node.type === 'FunctionDeclaration' || node.type === 'ArrowFunctionExpression';

const isNode = (value: unknown): value is AnyNode =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

export function childrenOf(node: AnyNode): AnyNode[] {
  const children: AnyNode[] = [];
  for (const value of Object.values(node))
    if (Array.isArray(value)) children.push(...value.filter(isNode));
    else if (isNode(value)) children.push(value);
  return children;
}

/** The node and everything in it, in the order of the text; not what `skips` names, nor what is inside. */
export function nodesIn(node: AnyNode, skips: (inner: AnyNode) => boolean = () => false): AnyNode[] {
  const found: AnyNode[] = [];
  const collect = (one: AnyNode): void => {
    found.push(one);
    for (const child of childrenOf(one)) if (!skips(child)) collect(child);
  };
  collect(node);
  return found;
}

/** The name of a property that is read or written, also where it stands in brackets; null where it is computed. */
export function propertyName(node: AnyNode): string | null {
  if (node.type === 'ChainExpression') return propertyName(node.expression);
  if (node.type !== 'MemberExpression' && node.type !== 'Property' && node.type !== 'MethodDefinition') return null;
  const key = node.type === 'MemberExpression' ? node.property : node.key;
  if (key.type === 'Identifier' && !node.computed) return key.name;
  return key.type === 'Literal' && typeof key.value === 'string' ? key.value : null;
}
