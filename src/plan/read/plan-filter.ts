// Filter tree + model → condition in negation normal form. A filter is evaluated over tuples: the entry and, wherever
// the filter names a relation, one related row (or an all-null row where there is none). It is met when some tuple makes
// it true. With negation pushed to the leaves each relation stands in one branch only, so each becomes a semi-join by
// itself, plus "or has none" where the condition is true of the all-null row. Operators on sets speak of all related rows
// of an entry; each of these rows meets their condition or does not.

import { type RowUse, systemAccess } from '../../access/access.ts';
import { attributePath, invalidKey, invalidValue, validationError } from '../../errors.ts';
import type { Attribute, ContentType, ScalarType, Schema } from '../../model/types.ts';
import type { Comparison, FilterNode, Quantifier, RowStatus } from '../../request/read-request.ts';
import { PlanContext } from './context.ts';
import type { ColumnRef, Condition, PlanComparison, PlanCountTest, RelationStep, ValueRef } from './nodes.ts';
import { counted, noneRelated, notMet, related, someRelated, valuesIn } from './related.ts';
import type { NameLocation } from './resolve.ts';
import { componentOf, contentType, leadsToMany, resolve } from './resolve.ts';
import { allOf, ID, statusCondition } from './versions.ts';

/** What names and operators refer to at a point of the tree: a row, or one column of it. */
export interface Scope {
  readonly schema: Schema;
  readonly column: ColumnRef | null;
  readonly location: NameLocation;
  /** The relation or component under whose name it stands; null at the root and behind an operator on a set. */
  readonly relation: NamedRelation | null;
  /** Where a relation to many stands on the way here, since the last operator on a set. */
  readonly many: readonly string[] | null;
}

interface NamedRelation {
  readonly step: RelationStep;
  readonly schema: Schema;
  readonly many: boolean;
}

type NamedNode = FilterNode & { is: 'at' };
type ComparisonNode = FilterNode & { is: 'compare' };
type CountNode = FilterNode & { is: 'count' };
type QuantifiedNode = FilterNode & { is: Quantifier };

export function planFilter(
  context: PlanContext,
  schema: Schema,
  filter: FilterNode,
  location: NameLocation,
): Condition {
  return plan(context, { schema, column: null, location, relation: null, many: null }, filter, false);
}

/** A condition on one column alone, such as a value that is computed of a group. */
export const planColumn = (
  context: PlanContext,
  scope: Scope & { readonly column: ColumnRef },
  node: FilterNode,
  negated: boolean,
): Condition => plan(context, scope, node, negated);

function plan(context: PlanContext, scope: Scope, node: FilterNode, negated: boolean): Condition {
  switch (node.is) {
    case 'and':
    case 'or': {
      const is = (node.is === 'and') === negated ? 'or' : 'and';
      return { is, of: node.of.map((member) => plan(context, scope, member, negated)) };
    }
    case 'not':
      return plan(context, scope, node.of, !negated);
    case 'null':
    case 'notNull':
      if (negated && scope.column) hintAtNone(context, scope, '$not');
      return { is: (node.is === 'null') === negated ? 'notNull' : 'null', column: scope.column ?? ID };
    case 'compare':
      return compare(context, scope, node, negated);
    case 'at':
      return planName(context, scope, node, negated);
    case 'path':
      return planPath(context, scope, node, negated);
    case 'some':
    case 'none':
    case 'every':
      return ofHolder(context, planQuantified(context, scope, node, negated));
    case 'all':
      return ofHolder(context, planAll(context, scope, node, negated));
    case 'count':
      return ofHolder(context, planCount(context, scope, node, negated));
  }
}

/** A rule is not met by a value that the user does not have, though a set would take it for one that no row has. */
function ofHolder({ ruleValues }: PlanContext, where: Condition): Condition {
  const missing = ruleValues ? valuesIn(where).filter(({ given }) => given && 'user' in given) : [];
  const given = missing.map((value): Condition => ({ is: 'given', value }));
  return { is: 'ofHolder', where: given.length > 0 ? { is: 'and', of: [...given, where] } : where };
}

function planName(context: PlanContext, scope: Scope, { name, of }: NamedNode, negated: boolean): Condition {
  if (scope.column) throw invalidKey(name, scope.location.path, scope.location.param);
  const attribute = resolve(context, scope.schema, { name, use: 'filter', location: scope.location });
  const location = { param: scope.location.param, path: [...scope.location.path, name] };
  if (attribute.kind === 'scalar') {
    const { column, type } = attribute;
    return plan(context, { ...scope, column: { column, type }, location }, of, negated);
  }
  const { schema, step } = relationStep(context, attribute);
  const isMany = leadsToMany(attribute);
  const relation = { step, schema, many: isMany };
  const many = isMany ? location.path : scope.many;
  return related(step, plan(context, { schema, column: null, location, relation, many }, of, negated));
}

const deeper = ({ param, path }: NameLocation, ...names: string[]): NameLocation => ({
  param,
  path: [...path, ...names],
});

/** A value inside of JSON. */
function planPath(
  context: PlanContext,
  scope: Scope,
  { slot, length, of }: FilterNode & { is: 'path' },
  negated: boolean,
): Condition {
  const { column, location } = scope;
  if (!column || !JSON_TYPES.has(column.type)) throw invalidOperator('$at', location, 'only JSON attributes have keys');
  const path = { slot, given: context.ruleValues?.[slot] ?? null, length };
  return plan(context, { ...scope, column: { ...column, path } }, of, negated);
}

/** The relation that an operator on a set speaks of. */
function relationUnder({ relation, column, location }: Scope, operator: string, needsMany: boolean): NamedRelation {
  if (!relation || (column && operator !== '$all'))
    throw invalidOperator(operator, location, 'it stands under the name of a relation or component');
  if (needsMany && !relation.many)
    throw invalidOperator(
      operator,
      location,
      'it stands under a relation to many, or a component that can be repeated',
    );
  return relation;
}

/** Each related row meets the condition or does not; where it is unknown, it does not. */
function planQuantified(context: PlanContext, scope: Scope, { is, of }: QuantifiedNode, negated: boolean): Condition {
  const { step, schema } = relationUnder(scope, `$${is}`, false);
  const where = planBehindSet(context, schema, of, deeper(scope.location, `$${is}`));
  if (is === 'every') return negated ? someRelated(step, notMet(where)) : noneRelated(step, notMet(where));
  return (is === 'some') === negated ? noneRelated(step, where) : someRelated(step, where);
}

const planBehindSet = (context: PlanContext, schema: Schema, node: FilterNode, location: NameLocation): Condition =>
  plan(context, { schema, column: null, location, relation: null, many: null }, node, false);

function planAll(context: PlanContext, scope: Scope, node: FilterNode & { is: 'all' }, negated: boolean): Condition {
  const { step, schema } = relationUnder(scope, '$all', true);
  const location = deeper(scope.location, '$all');
  const column = scope.column ?? identityColumn(context, schema, node.whole, location);
  if (JSON_TYPES.has(column.type))
    throw invalidOperator('$all', scope.location, 'JSON is compared with one value; of a list in it ask with $has');
  const bound = (slot: number, op: 'in' | 'eq') => valueRef(context, location, slot, { type: column.type, op });
  if (node.isList) return { is: 'all', step, column, negated, value: bound(node.slots[0]!, 'in') };
  const each = node.slots.map(
    (slot): Condition => ({ is: 'compare', column, op: 'eq', negated: false, value: bound(slot, 'eq') }),
  );
  return negated
    ? { is: 'or', of: each.map((where) => noneRelated(step, where)) }
    : { is: 'and', of: each.map((where) => someRelated(step, where)) };
}

/** What related entries are told by: their ids or their documentIds. */
function identityColumn(
  context: PlanContext,
  schema: Schema,
  whole: 'all' | 'some' | 'none',
  location: NameLocation,
): ColumnRef {
  if (whole === 'all') return ID;
  if (whole === 'some' || schema.kind === 'component') {
    const expected = schema.kind === 'component' ? 'ids' : 'ids or documentIds, not both';
    throw invalidValue('$all', location.path.slice(0, -1), location.param, expected);
  }
  const attribute = resolve(context, schema, { name: 'documentId', use: 'filter', location });
  if (attribute.kind !== 'scalar') throw new Error('documentId is no column');
  return { column: attribute.column, type: attribute.type };
}

function planCount(context: PlanContext, scope: Scope, node: CountNode, negated: boolean): Condition {
  const { tests, where } = node;
  const { step, schema } = relationUnder(scope, '$count', true);
  const location = deeper(scope.location, '$count');
  const planned = tests.map(({ op: given, slot }): PlanCountTest => {
    const op = isNegative(given) ? POSITIVES[given] : given;
    return { op, negated: op !== given, value: valueRef(context, location, slot, { type: 'integer', op }) };
  });
  const condition = where && planBehindSet(context, schema, where, deeper(location, 'where'));
  // To look for one is faster than to count, and the number says no more.
  if (node.asksForAny) {
    const any = condition ?? { is: 'notNull', column: ID };
    return node.zeroPasses === negated ? someRelated(step, any) : noneRelated(step, any);
  }
  const isKnown = planned.every(({ value: { given } }) => !given || 'constant' in given);
  const trueOfZero = isKnown ? node.zeroPasses !== negated : null;
  return { is: 'count', step, where: condition && counted(condition), negated, tests: planned, trueOfZero };
}

/** A negative condition through a relation to many is met by any related entry; people mean that none meets its opposite. */
function hintAtNone(context: PlanContext, { many, location: { param } }: Scope, operator: string): void {
  if (!many) return;
  const relation = `${param}${many.map((name) => `[${name}]`).join('')}`;
  context.hint(
    `${relation}: ${operator} is met if it holds of some related entry; if it is to hold of all, write ${relation}[$none] with the opposite`,
  );
}

const invalidOperator = (operator: string, { param, path }: NameLocation, why: string): Error =>
  validationError(`Invalid operator ${operator}${path.length > 0 ? ` at ${path.join('.')}` : ''}: ${why}`, {
    key: operator,
    path: attributePath(path),
    source: 'query',
    param,
  });

/** The step that an attribute stands for, and the schema it leads to. */
export function relationStep(context: PlanContext, attribute: Attribute): { schema: Schema; step: RelationStep } {
  const { model } = context;
  switch (attribute.kind) {
    case 'relation':
    case 'media':
    case 'localizations': {
      const schema = contentType(model, attribute.target);
      context.touch(schema.uid);
      if (attribute.kind !== 'localizations')
        return { schema, step: { link: attribute.link, table: schema.table, where: visibleRows(context, schema) } };
      const where: Condition | null = schema.localized ? visibleRows(context, schema) : { is: 'never' };
      return { schema, step: { link: null, table: schema.table, where } };
    }
    case 'component': {
      const schema = componentOf(model, attribute.component);
      return { schema, step: { link: attribute.link, table: schema.table, where: null } };
    }
    default:
      throw new Error(`${attribute.name} leads to no single type`);
  }
}

/** The rows of a type that a caller may see at all: by their status, and by the rule that holds for the caller. */
export const visibleRows = (context: PlanContext, type: ContentType): Condition | null =>
  allOf([
    statusCondition(type, context.versions, (status) => seenInStatus(context, type, status)),
    seenInStatus(context, type, context.versions.status),
  ]);

const seenInStatus = (context: PlanContext, type: ContentType, status: RowStatus): Condition | null =>
  context.hidesDrafts(type, status) ? { is: 'never' } : ruleCondition(context, type, 'find', status);

/** The row that a write left behind, as its answer shows it: whoever wrote a draft may know of it. */
export const writtenRows = (context: PlanContext, type: ContentType): Condition | null =>
  allOf([statusCondition(type, context.versions, () => null), ruleCondition(context, type, 'find')]);

/** What a rule says of rows. The rule itself may use everything, whatever the caller may see. */
export function ruleCondition(
  context: PlanContext,
  type: ContentType,
  use: RowUse,
  status = context.versions.status,
): Condition | null {
  const rule = context.access.rowsOf(type.uid, use);
  if (!rule) return null;
  const versions = { status, publication: null };
  const inside = new PlanContext(context.model, versions, systemAccess(context.model), { ruleValues: rule.values });
  return planFilter(inside, type, rule.filter, { param: 'access', path: [] });
}

type Negative = Exclude<Comparison, PlanComparison>;
/** What each negative comparison is the opposite of. */
const POSITIVES = {
  ne: 'eq',
  nei: 'eqi',
  notIn: 'in',
  notContains: 'contains',
  notContainsi: 'containsi',
} as const satisfies Record<Negative, PlanComparison>;
const isNegative = <Op extends Comparison>(op: Op): op is Op & Negative => op in POSITIVES;
/** JSON has no order. */
const NOT_ON_JSON: ReadonlySet<PlanComparison> = new Set(['lt', 'lte', 'gt', 'gte', 'between'] as const);
const JSON_TYPES: ReadonlySet<ScalarType> = new Set(['json', 'blocks'] as const);

function compare(context: PlanContext, scope: Scope, node: ComparisonNode, negated: boolean): Condition {
  const { op: given, slot } = node;
  const op = isNegative(given) ? POSITIVES[given] : given;
  const column = scope.column ?? ID;
  const { location } = scope;
  const isJson = JSON_TYPES.has(column.type);
  if (isJson && !column.path && NOT_ON_JSON.has(op))
    throw invalidOperator(`$${given}`, location, 'JSON attributes have no order');
  if (!isJson && op === 'has') throw invalidOperator('$has', location, 'only JSON attributes hold lists');
  const isNegated = negated !== (op !== given);
  if (isNegated) hintAtNone(context, scope, negated ? '$not' : `$${given}`);
  const value = valueRef(context, location, slot, {
    type: column.type,
    op,
    ...(scope.column === null && { ofEntry: true as const }),
  });
  if (!column.path || op !== 'between') return { is: 'compare', column, op, negated: isNegated, value };
  const bounds = (['gte', 'lte'] as const).map(
    (bound, item): Condition => ({ is: 'compare', column, op: bound, negated: isNegated, value: { ...value, item } }),
  );
  return { is: isNegated ? 'or' : 'and', of: bounds };
}

const valueRef = (
  context: PlanContext,
  { path, param }: NameLocation,
  slot: number,
  as: Pick<ValueRef, 'type' | 'op' | 'ofEntry'>,
): ValueRef => ({ slot, given: context.ruleValues?.[slot] ?? null, ...as, key: path.at(-1) ?? '', path, param });
