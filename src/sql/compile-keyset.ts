// Pages by cursor → SQL. Each segment of the rows beyond the cursor is looked up and cut by itself, so that an index on
// what the list is sorted by leads straight to it. One row more than the page is read: it says whether there are more.
import { sql } from 'kysely';
import type { KeysetPlan, KeysetSegment, OrderKey, ReadPlan } from '../plan/read/nodes.ts';
import { MATCHING } from './common-tables.ts';
import { bindContext, ConditionCompiler, type RowScope, rowOf, whereOf } from './compile-condition.ts';
import { orderBy, ordered } from './compile-order.ts';
import type { Dialect, Fragment } from './dialect.ts';

/** The alias of the rows that a read lists. */
export const ROOT = 't0';

export interface Page {
  /** Selects `id`, in the order of the page. */
  readonly ids: Fragment;
  readonly total: Fragment;
  /** What must stand before either. */
  readonly matching: Fragment | null;
}

/** What a row is sorted by; no sort of a page by cursor leads through relations. */
const keyValue = (dialect: Dialect, { column }: OrderKey): Fragment =>
  dialect.sortValue(rowOf(ROOT).column(column.column), column.type);

const keyName = (index: number): string => `k${index}`;

export function keysetPage(dialect: Dialect, plan: ReadPlan, keyset: KeysetPlan, withCount: boolean): Page {
  if (plan.where && withCount) return countedPage(dialect, plan, keyset);
  const ids = new SegmentCompiler(dialect, plan, keyset).ids();
  const total = withCount ? sql`(select count(*) from ${sql.table(plan.entity.table)})` : sql`null`;
  return { ids, total, matching: null };
}

/** With a total all rows that match are found in any case; the page is a part of them. */
function countedPage(dialect: Dialect, plan: ReadPlan, { order, segments }: KeysetPlan): Page {
  const compiler = new ConditionCompiler(dialect, 'all');
  const row = rowOf(ROOT);
  // The id is there already.
  const nameOf = ({ column }: OrderKey, index: number): string => (column.column === 'id' ? 'id' : keyName(index));
  const keys = order.flatMap((key, index) =>
    key.column.column === 'id' ? [] : [sql`, ${keyValue(dialect, key)} as ${sql.id(keyName(index))}`],
  );
  const where = compiler.condition(plan.where!, row);
  const found: RowScope = {
    column: (name) => {
      const index = order.findIndex(({ column }) => column.column === name);
      return sql.id(nameOf(order[index]!, index));
    },
  };
  const beyond = segments.filter((one) => one.where !== null).map((one) => compiler.condition(one.where!, found));
  const narrowed = beyond.length > 0 ? sql` where ${sql.join(beyond, sql` or `)}` : sql``;
  const sorted = order.map((key, index) => ordered(sql.id(nameOf(key, index)), key));
  return {
    ids: sql`select id from ${MATCHING}${narrowed}${orderBy(sorted)} ${oneMore(dialect)}`,
    total: sql`(select count(*) from ${MATCHING})`,
    matching: sql`${MATCHING} as materialized (select ${row.column('id')} as id${sql.join(keys, sql``)} from ${sql.table(plan.entity.table)} as ${sql.id(ROOT)} where ${where})`,
  };
}

const oneMore = (dialect: Dialect): Fragment => dialect.limit(sql`${bindContext('limit')} + 1`, sql.lit(0));

class SegmentCompiler {
  readonly #dialect: Dialect;
  readonly #plan: ReadPlan;
  readonly #keyset: KeysetPlan;
  readonly #compiler: ConditionCompiler;
  readonly #row = rowOf(ROOT);

  constructor(dialect: Dialect, plan: ReadPlan, keyset: KeysetPlan) {
    this.#dialect = dialect;
    this.#plan = plan;
    this.#keyset = keyset;
    this.#compiler = new ConditionCompiler(dialect);
  }

  ids(): Fragment {
    const { order, segments } = this.#keyset;
    const id = sql`${this.#row.column('id')} as id`;
    if (segments.length === 1) return this.#select(segments[0]!, id);
    const keys = order.map((key, index) => sql`, ${keyValue(this.#dialect, key)} as ${sql.id(keyName(index))}`);
    const selects = segments.map((segment, index) => {
      const columns = sql`${id}, ${sql.lit(index)} as segment${sql.join(keys, sql``)}`;
      return sql`select * from (${this.#select(segment, columns)}) as ${sql.id(`s${index}`)}`;
    });
    const sorted = [sql`segment`, ...order.map((key, index) => ordered(sql.id(keyName(index)), key))];
    return sql`select id from (${sql.join(selects, sql` union all `)}) as s${orderBy(sorted)} ${oneMore(this.#dialect)}`;
  }

  #select({ where, order }: KeysetSegment, columns: Fragment): Fragment {
    const conditions = [this.#plan.where, where]
      .filter((one) => one !== null)
      .map((one) => this.#compiler.condition(one, this.#row));
    const sorted = order.map((key) => ordered(keyValue(this.#dialect, key), key));
    return sql`select ${columns} from ${sql.table(this.#plan.entity.table)} as ${sql.id(ROOT)}${whereOf(conditions)}${orderBy(sorted)} ${oneMore(this.#dialect)}`;
  }
}

/** What cursors hold of the rows of a page, in columns behind those of the entries. */
export const keysetValues = (dialect: Dialect, { keyset }: ReadPlan): Fragment[] =>
  (keyset?.order ?? []).map(({ column }) => dialect.cursorOutput(rowOf(ROOT).column(column.column), column.type));
