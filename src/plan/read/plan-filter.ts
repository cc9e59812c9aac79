// Filter tree + model → condition in negation normal form. A filter is judged over tuples, one related row for each
// place that names a relation (an all-null row where there is none), and is met when some tuple makes it true. With
// negation pushed to the leaves each place stands in one branch only, so "some tuple" can be asked place by place:
// a semi-join each, plus "or has none" where the condition is true of the all-null row.

import { everything, type RowUse } from '../../access/access.ts';
import { invalidKey, validationError } from '../../errors.ts';
import type { Attribute, ContentType, ScalarType, Schema } from '../../model/types.ts';
import type { Comparison, FilterNode } from '../../request/read-request.ts';
import { PlanContext } from './context.ts';
import type { ColumnRef, Condition, Hop, PlanComparison } from './nodes.ts';
import type { NamePlace } from './resolve.ts';
import { componentOf, contentType, resolve } from './resolve.ts';
import { allOf, ID, visibleRows } from './versions.ts';

/** What names and operators refer to at a point of the tree: a row, or one column of it. */
interface Scope {
  readonly schema: Schema;
  readonly column: ColumnRef | null;
  readonly place: NamePlace;
}

export function planFilter(context: PlanContext, schema: Schema, filter: FilterNode, place: NamePlace): Condition {
  return plan(context, { schema, column: null, place }, filter, false);
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
      return compare(context, scope, node.op, node.slot, negated);
    case 'at':
      return planName(context, scope, node.name, node.of, negated);
  }
}

function planName(context: PlanContext, scope: Scope, name: string, of: FilterNode, negated: boolean): Condition {
  if (scope.column) throw invalidKey(name, scope.place.path, scope.place.param);
  const attribute = resolve(context, scope.schema, name, 'filter', scope.place);
  const place = { param: scope.place.param, path: [...scope.place.path, name] };
  if (attribute.kind === 'scalar')
    return plan(context, { schema: scope.schema, column: attribute, place }, of, negated);
  const { schema, hop } = hopOf(context, attribute);
  return related(hop, plan(context, { schema, column: null, place }, of, negated));
}

/** The step that an attribute stands for, and the schema it leads to. */
export function hopOf(context: PlanContext, attribute: Attribute): { schema: Schema; hop: Hop } {
  const { model } = context;
  switch (attribute.kind) {
    case 'relation':
    case 'media':
    case 'localizations': {
      const schema = contentType(model, attribute.target);
      context.touch(schema.uid);
      const pairs = attribute.kind === 'localizations' ? null : attribute.pairs;
      return { schema, hop: { pairs, table: schema.table, where: seenRows(context, schema) } };
    }
    case 'component': {
      const schema = componentOf(model, attribute.component);
      return { schema, hop: { pairs: attribute.pairs, table: schema.table, where: null } };
    }
    default:
      throw new Error(`${attribute.name} leads to no single type`);
  }
}

/** The rows of a type that a caller may see at all: by their status, and by the rule that holds for the caller. */
export const seenRows = (context: PlanContext, type: ContentType): Condition | null =>
  allOf([
    visibleRows(type, context.versions, (status) => ruledRows(context, type, 'find', status)),
    ruledRows(context, type, 'find'),
  ]);

/** What a rule says of rows. The rule itself looks at everything, whatever its reader may see. */
export function ruledRows(
  context: PlanContext,
  type: ContentType,
  use: RowUse,
  status = context.versions.status,
): Condition | null {
  const rule = context.access.rowsOf(type.uid, use);
  if (!rule) return null;
  const versions = { status, publication: null };
  const inside = new PlanContext(context.model, versions, everything(context.model), rule.values);
  return planFilter(inside, type, rule.filter, { param: 'access', path: [] });
}

function related(hop: Hop, where: Condition): Condition {
  const orNone = trueOfNothing(where);
  const some = ofRealRow(where);
  if (some === false) return orNone ? { is: 'unrelated', hop } : { is: 'never' };
  return { is: 'related', hop, where: some === true ? null : some, orNone };
}

/** Whether the condition is true of the all-null row that stands in where there is no related row. */
function trueOfNothing(condition: Condition): boolean {
  switch (condition.is) {
    case 'and':
      return condition.of.every(trueOfNothing);
    case 'or':
      return condition.of.some(trueOfNothing);
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
function ofRealRow(condition: Condition): Condition | boolean {
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
      const members = condition.of.map(ofRealRow);
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
const ON_JSON: ReadonlySet<PlanComparison> = new Set(['eq', 'in'] as const);
const JSON_TYPES: ReadonlySet<ScalarType> = new Set(['json', 'blocks'] as const);

function compare(context: PlanContext, scope: Scope, given: Comparison, slot: number, negated: boolean): Condition {
  const positive = NEGATIVES[given];
  const op = positive ?? (given as PlanComparison);
  const column = scope.column ?? ID;
  const path = scope.place.path;
  const key = path.at(-1) ?? '';
  if (JSON_TYPES.has(column.type) && !ON_JSON.has(op))
    throw validationError(
      `Invalid operator $${given} at ${path.join('.')}: a JSON attribute takes $eq, $ne, $in, $notIn, $null and $notNull`,
      {
        key: `$${given}`,
        path: path.join('.'),
        source: 'query',
        param: scope.place.param,
      },
    );
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
      param: scope.place.param,
    },
  };
}
