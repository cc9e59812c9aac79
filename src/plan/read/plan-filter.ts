// Filter tree + model → condition in negation normal form. A filter is evaluated over tuples: the entry and, wherever
// the filter names a relation, one related row (or an all-null row where there is none). It is met when some tuple makes
// it true. With negation pushed to the leaves each relation stands in one branch only, so each becomes a semi-join by
// itself, plus "or has none" where the condition is true of the all-null row.

import { type RowUse, systemAccess } from '../../access/access.ts';
import { invalidKey, validationError } from '../../errors.ts';
import type { Attribute, ContentType, ScalarType, Schema } from '../../model/types.ts';
import type { Comparison, FilterNode, Status } from '../../request/read-request.ts';
import { PlanContext } from './context.ts';
import type { ColumnRef, Condition, PlanComparison, RelationStep } from './nodes.ts';
import type { NameLocation } from './resolve.ts';
import { componentOf, contentType, resolve } from './resolve.ts';
import { allOf, ID, statusCondition } from './versions.ts';

/** What names and operators refer to at a point of the tree: a row, or one column of it. */
interface Scope {
  readonly schema: Schema;
  readonly column: ColumnRef | null;
  readonly location: NameLocation;
}

type NamedNode = FilterNode & { is: 'at' };
type ComparisonNode = FilterNode & { is: 'compare' };

export function planFilter(
  context: PlanContext,
  schema: Schema,
  filter: FilterNode,
  location: NameLocation,
): Condition {
  return plan(context, { schema, column: null, location }, filter, false);
}

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
      return { is: (node.is === 'null') === negated ? 'notNull' : 'null', column: scope.column ?? ID };
    case 'compare':
      return compare(context, scope, node, negated);
    case 'at':
      return planName(context, scope, node, negated);
  }
}

function planName(context: PlanContext, scope: Scope, { name, of }: NamedNode, negated: boolean): Condition {
  if (scope.column) throw invalidKey(name, scope.location.path, scope.location.param);
  const attribute = resolve(context, scope.schema, { name, use: 'filter', location: scope.location });
  const location = { param: scope.location.param, path: [...scope.location.path, name] };
  if (attribute.kind === 'scalar')
    return plan(context, { schema: scope.schema, column: attribute, location }, of, negated);
  const { schema, step } = relationStep(context, attribute);
  return related(step, plan(context, { schema, column: null, location }, of, negated));
}

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

const seenInStatus = (context: PlanContext, type: ContentType, status: Status): Condition | null =>
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

function related(step: RelationStep, where: Condition): Condition {
  const orNone = matchesNullRow(where);
  const some = simplifyForExistingRow(where);
  if (some === false) return orNone ? { is: 'unrelated', step } : { is: 'never' };
  return { is: 'related', step, where: some === true ? null : some, orNone };
}

/** Whether the condition is true of the all-null row that stands in where there is no related row. */
function matchesNullRow(condition: Condition): boolean {
  switch (condition.is) {
    case 'and':
      return condition.of.every(matchesNullRow);
    case 'or':
      return condition.of.some(matchesNullRow);
    case 'null':
    case 'unrelated':
      return true;
    case 'related':
      return condition.orNone;
    default:
      return false;
  }
}

/** The condition on a row that exists: it has an id, so tests of the id for null are decided. */
function simplifyForExistingRow(condition: Condition): Condition | boolean {
  switch (condition.is) {
    case 'never':
      return false;
    case 'null':
      return condition.column.column === ID.column ? false : condition;
    case 'notNull':
      return condition.column.column === ID.column ? true : condition;
    case 'and':
    case 'or': {
      const decisive = condition.is === 'or';
      const members = condition.of.map(simplifyForExistingRow);
      if (members.includes(decisive)) return decisive;
      const open = members.filter((member) => typeof member !== 'boolean');
      if (open.length === 0) return !decisive;
      return open.length === 1 ? open[0]! : { is: condition.is, of: open };
    }
    default:
      return condition;
  }
}

const NEGATIVES: Partial<Record<Comparison, PlanComparison>> = {
  ne: 'eq',
  nei: 'eqi',
  notIn: 'in',
  notContains: 'contains',
  notContainsi: 'containsi',
};
/** JSON has no order. */
const NOT_ON_JSON: ReadonlySet<PlanComparison> = new Set(['lt', 'lte', 'gt', 'gte', 'between'] as const);
const JSON_TYPES: ReadonlySet<ScalarType> = new Set(['json', 'blocks'] as const);

function compare(context: PlanContext, scope: Scope, { op: given, slot }: ComparisonNode, negated: boolean): Condition {
  const positive = NEGATIVES[given];
  const op = positive ?? (given as PlanComparison);
  const column = scope.column ?? ID;
  const path = scope.location.path;
  const key = path.at(-1) ?? '';
  if (JSON_TYPES.has(column.type) && NOT_ON_JSON.has(op))
    throw validationError(`Invalid operator $${given} at ${path.join('.')}: JSON attributes have no order`, {
      key: `$${given}`,
      path: path.join('.'),
      source: 'query',
      param: scope.location.param,
    });
  return {
    is: 'compare',
    column: { column: column.column, type: column.type },
    op,
    negated: negated !== (positive !== undefined),
    value: {
      slot,
      given: context.ruleValues?.[slot] ?? null,
      type: column.type,
      op,
      key,
      path,
      param: scope.location.param,
    },
  };
}
