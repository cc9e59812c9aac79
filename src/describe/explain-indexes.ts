// What `sheaf explain` says of indexes: which ones served a statement, and which declaration would help it.
import { columnOf, NOT_INDEXED } from '../model/declared-indexes.ts';
import { tablesOf } from '../model/tables.ts';
import type { Model, Schema } from '../model/types.ts';
import type { Condition, PlanComparison, ReadPlan } from '../plan/read/nodes.ts';

/** How SQLite and PostgreSQL name the index of a step. */
const USED =
  /USING (?:COVERING )?INDEX (\S+)|USING (INTEGER PRIMARY KEY)|Index (?:Only )?Scan (?:Backward )?using (\S+)|Bitmap Index Scan on (\S+)/g;

/** The indexes that the steps of a query plan read, each once. */
export function usedIndexes(steps: readonly string[]): string[] {
  const names = [...steps.join('\n').matchAll(USED)].map((match) => match.slice(1).find((name) => name !== undefined)!);
  return [...new Set(names.map((name) => (name === 'INTEGER PRIMARY KEY' ? 'the primary key' : name)))];
}

/**
 * For each attribute that the list itself is filtered or sorted by and that no index begins with: what to declare.
 * Nothing where the statement was served by an index that someone made by hand.
 */
export function missingIndexes(model: Model, plan: ReadPlan, used: readonly string[]): string[] {
  const tables = tablesOf(model);
  const known = tables.flatMap(({ indexes }) => indexes);
  const isOwn = (name: string) => known.some((index) => index.name === name) || /primary key$|_pkey$/.test(name);
  if (!used.every(isOwn)) return [];
  const table = tables.find(({ name }) => name === plan.entity.table)!;
  const leading = new Set(['id', ...table.indexes.map(({ columns }) => columns[0])]);
  const sorted = plan.order.slice(0, 1).filter(({ steps }) => steps.length === 0);
  const columns = new Set([...filteredColumns(plan.where), ...sorted.map(({ column }) => column.column)]);
  const schema = model.contentTypes.get(plan.uid)!;
  return [...columns]
    .filter((column) => !leading.has(column))
    .map((column) => attributeAt(schema, column))
    .filter((name) => name !== null)
    .map(
      (name) =>
        `No index begins with ${name}. Declare "index": true at ${name}, ` +
        `or "indexes": {"${plan.uid}": [["${name}"]]} in config/sheaf.json`,
    );
}

const SERVED: ReadonlySet<PlanComparison> = new Set(['eq', 'lt', 'lte', 'gt', 'gte', 'in', 'between']);

/** Columns of the rows themselves that are compared in a way that an index can serve. */
function filteredColumns(condition: Condition | null): string[] {
  if (condition?.is === 'and' || condition?.is === 'or') return condition.of.flatMap(filteredColumns);
  return condition?.is === 'compare' && !condition.negated && SERVED.has(condition.op) ? [condition.column.column] : [];
}

function attributeAt(schema: Schema, column: string): string | null {
  for (const attribute of schema.attributes.values()) {
    const own = columnOf(attribute);
    if (own?.column === column) return NOT_INDEXED.has(own.type) ? null : attribute.name;
  }
  return null;
}
