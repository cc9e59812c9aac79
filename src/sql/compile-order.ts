// Order keys → SQL: the value that a row is sorted by, its own or one that is made of related rows.
import { sql } from 'kysely';
import type { OrderKey, RelationStep } from '../plan/read/nodes.ts';
import { and, type ConditionCompiler, type RowScope, rowOf, whereOf } from './compile-condition.ts';
import type { Dialect, Fragment } from './dialect.ts';

/** What rows are ordered by, and what must be joined to them for it. */
export interface OrderTerm {
  readonly value: Fragment;
  readonly join: Fragment | null;
}

export class OrderCompiler {
  readonly #dialect: Dialect;
  readonly #conditions: ConditionCompiler;

  constructor(dialect: Dialect, conditions: ConditionCompiler) {
    this.#dialect = dialect;
    this.#conditions = conditions;
  }

  /** The value that a row is sorted by: its own column, or the smallest or largest among related rows. */
  term(key: OrderKey, row: RowScope): OrderTerm {
    const { steps, column, branches } = key;
    if (steps.length === 0)
      return { value: this.#dialect.sortValue(row.column(column.column), column.type), join: null };
    if (!branches) return { value: this.#overPaths(key, row), join: null };
    const alias = this.#conditions.alias('k');
    const nearest = this.#overNeighbours(key, 0);
    const value = sql.id(alias, 'value');
    return {
      value: key.aggregate?.is === 'count' ? sql`coalesce(${value}, 0)` : sql`${value}`,
      join: sql` left join (${nearest}) as ${sql.id(alias)} on ${sql.id(alias, 'id')} = ${row.column('id')}`,
    };
  }

  /** Over the paths from one row. Beyond the first step each leads on to one row, so there are few. */
  #overPaths(key: OrderKey, row: RowScope): Fragment {
    // Each step joins the one before; the first joins the row outside, so a table of one row stands before it.
    let from = sql`(select 1) as ${sql.id(this.#conditions.alias('o'))}`;
    let previous = row;
    for (const [index, step] of key.steps.entries()) {
      const aliases = { pair: this.#conditions.alias('p'), target: this.#conditions.alias('t') };
      const isCounted = key.aggregate?.is === 'count' && index === key.steps.length - 1;
      if (isCounted && step.link && step.where === null) {
        // Links are enough to count rows of which all are seen.
        const { pair } = aliases;
        const links = this.#conditions.linksFrom(step, step.link, previous, pair);
        from = sql`${from} join ${sql.table(step.link.table)} as ${sql.id(pair)} on ${and(links)}`;
        previous = { column: () => sql.id(pair, step.link!.to) };
      } else {
        from = sql`${from} join ${this.#conditions.stepSource(step, null, previous, aliases)}`;
        previous = rowOf(aliases.target);
      }
    }
    return sql`(select ${this.#combined(key, key.aggregate?.step ?? 0, this.#sortColumn(key, previous))} from ${from})`;
  }

  /**
   * The value of every row that a step leads from, as `id, value`. The smallest over all paths is the smallest of what
   * the neighbours have, so each step is one pass over its links, however many paths there are.
   */
  #overNeighbours(key: OrderKey, index: number): Fragment {
    const step = key.steps[index]!;
    const [holder, target] = [this.#conditions.alias(step.link ? 'p' : 'o'), this.#conditions.alias('t')];
    const { there, join } = step.link
      ? this.#conditions.targetOf(step, holder, target)
      : { there: rowOf(target), join: () => this.#otherLocales(step, holder, target) };
    const from = sql.id(holder, step.link?.from ?? 'id');
    const conditions = [
      ...(step.link ? this.#conditions.match(step, holder) : []),
      ...this.#conditions.all([step.where], there),
    ];
    let [value, further] = [this.#sortColumn(key, there), sql``];
    if (index + 1 < key.steps.length) {
      const next = this.#conditions.alias('k');
      value = sql`${sql.id(next, 'value')}`;
      further = sql` join (${this.#overNeighbours(key, index + 1)}) as ${sql.id(next)} on ${sql.id(next, 'id')} = ${there.column('id')}`;
    }
    const source = sql`${sql.table(step.link?.table ?? step.table)} as ${sql.id(holder)}`;
    return sql`select ${from} as id, ${this.#combined(key, index, value)} as value from ${source}${join()}${further}${whereOf(conditions)} group by ${from}`;
  }

  #otherLocales(step: RelationStep, holder: string, target: string): Fragment {
    return sql` join ${sql.table(step.table)} as ${sql.id(target)} on ${this.#conditions.otherLocale(rowOf(target), rowOf(holder))}`;
  }

  #sortColumn({ column, aggregate }: OrderKey, row: RowScope): Fragment {
    if (aggregate?.is === 'count') return row.column('id');
    return this.#dialect.combinedValue(row.column(column.column), column.type);
  }

  /** What a step makes of the values that it leads to. */
  #combined({ descending, aggregate, column }: OrderKey, step: number, value: Fragment): Fragment {
    if (aggregate === null) return descending ? sql`max(${value})` : sql`min(${value})`;
    switch (aggregate.is) {
      case 'max':
        return sql`max(${value})`;
      case 'count':
        if (step === aggregate.step) return sql`count(${value})`;
        break;
      case 'avg':
        if (step === aggregate.step) return this.#dialect.average(value, column.type);
        break;
    }
    // Where a step leads to one row, its value is the smallest.
    return sql`min(${value})`;
  }
}

export const orderBy = (keys: readonly Fragment[]): Fragment =>
  keys.length > 0 ? sql` order by ${sql.join(keys)}` : sql``;

/** Nulls come last ascending and first descending, on every database. */
export const ordered = (value: Fragment, key: OrderKey): Fragment => {
  if (key.steps.length === 0 && key.column.column === 'id') return key.descending ? sql`${value} desc` : sql`${value}`;
  return key.descending ? sql`${value} desc nulls first` : sql`${value} asc nulls last`;
};
