// Conditions as people choose them: of a value, by an operator that fits it; of a relation, by what is to hold of it.
import type { ConsoleAttribute } from '../../../src/console/contract.ts';
import { type Count, type FilterDraft, type Operator, type Scope, type Step, step, type Test, test } from './draft.ts';
import { arityOf, valueKindOf } from './operators.ts';
import { attributesAlong, isToMany, leadsOn, type SchemaView } from './schema-view.ts';

export const namesOf = (path: readonly Step[]): string[] => path.map(({ name }) => name);

export type RelationChoice = 'is' | 'isNot' | 'isOneOf' | 'isNoneOf' | 'empty' | 'notEmpty' | 'all' | 'count';

const LABELS: Readonly<Record<RelationChoice, string>> = {
  is: 'is',
  isNot: 'is not',
  isOneOf: 'is one of',
  isNoneOf: 'is none of',
  all: 'has all of',
  count: 'number is',
  empty: 'is empty',
  notEmpty: 'is not empty',
};

const ENTRY_OPERATORS: Readonly<Partial<Record<Operator, RelationChoice>>> = {
  $eq: 'is',
  $ne: 'isNot',
  $in: 'isOneOf',
  $notIn: 'isNoneOf',
};
const OWN_OPERATORS: Readonly<Partial<Record<Operator, RelationChoice>>> = {
  $null: 'empty',
  $notNull: 'notEmpty',
  $all: 'all',
};

/** A condition on a relation or a component itself. */
export interface RelationCondition {
  readonly path: readonly Step[];
  readonly attribute: ConsoleAttribute;
  readonly choice: RelationChoice;
}

/** Null for a condition on a value. */
export function relationConditionOf(node: Test | Count, view: SchemaView | null): RelationCondition | null {
  const attributes = attributesAlong(view, namesOf(node.path));
  const last = attributes.at(-1);
  if (node.kind === 'count') return last ? { path: node.path, attribute: last, choice: 'count' } : null;
  if (node.path.at(-1)?.name === 'documentId') {
    const attribute = attributes.at(-2);
    const choice = ENTRY_OPERATORS[node.op];
    return attribute && choice ? { path: node.path.slice(0, -1), attribute, choice } : null;
  }
  const choice = OWN_OPERATORS[node.op];
  return last && leadsOn(last) && choice ? { path: node.path, attribute: last, choice } : null;
}

export function relationChoices({
  type,
  ...attribute
}: ConsoleAttribute): readonly { value: RelationChoice; label: string }[] {
  const ofEntries: readonly RelationChoice[] = type === 'relation' ? ['is', 'isNot', 'isOneOf', 'isNoneOf'] : [];
  const ofMany: readonly RelationChoice[] = isToMany({ type, ...attribute })
    ? [...(type === 'relation' ? (['all'] as const) : []), 'count']
    : [];
  return [...ofEntries, ...ofMany, 'notEmpty' as const, 'empty' as const].map((value) => ({
    value,
    label: LABELS[value],
  }));
}

/** The condition that a choice stands for; of its values it keeps those that still make sense. */
export function withRelationChoice(
  node: Test | Count,
  { path, choice: before }: RelationCondition,
  choice: RelationChoice,
): Test | Count {
  const wasEntry = before !== 'count' && before !== 'empty' && before !== 'notEmpty';
  const ids = wasEntry ? node.values : [];
  const bare = path.map(({ name, set }, index) => step(name, index === path.length - 1 ? null : set));
  const document = [...path, step('documentId')];
  switch (choice) {
    case 'is':
      return test(document, '$eq', ids.slice(0, 1));
    case 'isNot':
      return test(document, '$ne', ids.slice(0, 1));
    case 'isOneOf':
      return test(document, '$in', ids);
    case 'isNoneOf':
      return test(document, '$notIn', ids);
    case 'all':
      return test(bare, '$all', ids);
    case 'empty':
      return test(bare, '$null', ['true']);
    case 'notEmpty':
      return test(bare, '$notNull', ['true']);
    case 'count':
      return { kind: 'count', path: bare, op: '$gte', values: ['1'], where: [] };
  }
}

/** Changes the operator, and keeps as many values as it takes. */
export function withOperator(node: Test, op: Operator): Test {
  const arity = arityOf(op);
  if (arity === 'flag') return { ...node, op, values: ['true'] };
  const kept = arityOf(node.op) === 'flag' ? [] : node.values;
  return { ...node, op, values: arity === 'one' ? kept.slice(0, 1) : arity === 'two' ? kept.slice(0, 2) : kept };
}

/** The condition that choosing an attribute begins with. */
export function newCondition(names: readonly string[], attribute: ConsoleAttribute): Test {
  const path = names.map((name) => step(name));
  if (attribute.type === 'relation' && attribute.relation?.target)
    return test([...path, step('documentId')], '$eq', []);
  if (leadsOn(attribute)) return test(path, '$notNull', ['true']);
  const kind = valueKindOf(attribute);
  if (kind === 'boolean') return test(path, '$eq', ['true']);
  return kind === 'json' ? test(path, '$notNull', ['true']) : test(path, '$eq', []);
}

/** Where a path first leads to many entries, so that further conditions can be on the same one. */
export function manyAt(path: readonly Step[], view: SchemaView | null): number {
  return attributesAlong(view, namesOf(path)).findIndex(
    (attribute) => attribute && leadsOn(attribute) && isToMany(attribute),
  );
}

/** The same condition inside of a scope, beside which others can stand that are on the same entry. */
export const asScope = (node: Test | Count, at: number): Scope => ({
  kind: 'scope',
  path: node.path.slice(0, at + 1),
  join: 'and',
  of: [{ ...node, path: node.path.slice(at + 1) }],
});

/** Names and operators that lead to a condition, as errors of the server tell them. */
export function errorPath(node: FilterDraft, above: readonly string[]): readonly string[] {
  if (!('path' in node)) return node.kind === 'raw' ? [...above, node.key] : above;
  const names = [...above, ...node.path.flatMap(({ name, set }) => (set ? [name, `$${set}`] : [name]))];
  if (node.kind === 'count') return [...names, '$count', node.op];
  if (node.kind === 'scope') return names;
  return [...names, ...(node.at.length > 0 ? ['$at', ...node.at] : []), node.op];
}

/** Whether an error at `path` is about a condition at `own`, and not only about something around it. */
export function isErrorOf(path: string, own: readonly string[]): boolean {
  const text = own.join('.');
  return text === path || text.startsWith(`${path}.`) || path.startsWith(`${text}.`);
}
