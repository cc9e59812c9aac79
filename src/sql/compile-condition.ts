// Conditions and order keys → SQL fragments. Decides nothing: what is allowed and what it means was settled in the
// plan. Aliases count up from the root, so the same plan always gives the same text.
import { sql } from 'kysely';
import type { Condition, OrderKey, RelationStep, ValueRef } from '../plan/read/nodes.ts';
import type { Dialect, Fragment } from './dialect.ts';
import type { Binding, ContextName, ValueForm } from './statement.ts';

export const bind = (binding: Binding): Fragment => sql`${sql.val(binding)}`;
export const bindContext = (name: ContextName): Fragment => bind({ from: 'context', name });

/** A row in the text: how to write one of its columns. */
export interface RowScope {
  column(name: string): Fragment;
}

/** Aliases of a link table and of the table it leads to. */
export interface StepAliases {
  readonly pair: string;
  readonly target: string;
}

/** What rows are ordered by, and what must be joined to them for it. */
export interface OrderTerm {
  readonly value: Fragment;
  readonly join: Fragment | null;
}

export const rowOf = (alias: string): RowScope => ({ column: (name) => sql.id(alias, name) });

const NUMBERS = new Set(['integer', 'biginteger', 'float', 'decimal']);

export class ConditionCompiler {
  readonly #dialect: Dialect;
  #aliases = 0;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  alias(prefix: string): string {
    return `${prefix}${++this.#aliases}`;
  }

  condition(condition: Condition, row: RowScope): Fragment {
    switch (condition.is) {
      case 'and':
      case 'or':
        return sql`(${sql.join(
          condition.of.map((member) => this.condition(member, row)),
          condition.is === 'and' ? sql` and ` : sql` or `,
        )})`;
      case 'never':
        return sql`1 = 0`;
      case 'null':
        return sql`${row.column(condition.column.column)} is null`;
      case 'notNull':
        return sql`${row.column(condition.column.column)} is not null`;
      case 'compare': {
        const { column, op, negated, value } = condition;
        const bindValue = (form: ValueForm) => this.#value(value, form);
        const comparison = this.#dialect.compare(row.column(column.column), column.type, op, bindValue);
        if (!negated) return comparison;
        // Null is in no list, not even outside an empty one.
        if (op === 'in') return sql`(${row.column(column.column)} is not null and not (${comparison}))`;
        return sql`not (${comparison})`;
      }
      case 'compareCursor': {
        const { column, op, slot } = condition;
        return this.#dialect.compare(row.column(column.column), column.type, op, () =>
          bind({ from: 'cursor', slot, type: column.type }),
        );
      }
      case 'related': {
        const some = this.#some(condition.step, condition.where, row);
        return condition.orNone ? sql`(${some} or ${this.#none(condition.step, row)})` : some;
      }
      case 'unrelated':
        return this.#none(condition.step, row);
      case 'sibling':
        return this.#sibling(condition, row);
      case 'locale':
        return condition.slot === null
          ? sql`${row.column('locale')} = ${bindContext('defaultLocale')}`
          : sql`${row.column('locale')} in (select value from ${this.#dialect.listTable(bind({ from: 'locales', slot: condition.slot }), 'l', 'text')})`;
      case 'document':
        return sql`${row.column('document_id')} = ${bindContext('documentId')}`;
      case 'search': {
        const { slot } = condition;
        const found = condition.columns.map(({ column, type }) =>
          this.#dialect.searchText(row.column(column), type, (form) =>
            bind({ from: 'search', slot, form: NUMBERS.has(type) && form === 'folded' ? 'number' : form }),
          ),
        );
        return sql`(${sql.join(found, sql` or `)})`;
      }
    }
  }

  #value(ref: ValueRef, form: ValueForm): Fragment {
    return bind({ from: 'value', ref, form });
  }

  /** Some row at the end of the step meets the condition: a semi-join on the row's id. */
  #some(step: RelationStep, where: Condition | null, row: RowScope): Fragment {
    const target = this.alias('t');
    if (!step.link) {
      const there = rowOf(target);
      const conditions = [this.#otherLocale(there, row), ...this.#all([step.where, where], there)];
      return sql`exists (select 1 from ${sql.table(step.table)} as ${sql.id(target)} where ${and(conditions)})`;
    }
    const pair = this.alias('p');
    const { there, join, isThere } = this.#targetOf(step, pair, target);
    const conditions = [...this.#match(step, pair), ...this.#all([step.where, where], there)].concat(isThere());
    return sql`${row.column('id')} in (select ${sql.id(pair, step.link.from)} from ${sql.table(step.link.table)} as ${sql.id(pair)}${join()}${whereOf(conditions)})`;
  }

  #none(step: RelationStep, row: RowScope): Fragment {
    const target = this.alias('t');
    if (!step.link) {
      const there = rowOf(target);
      const conditions = [this.#otherLocale(there, row), ...this.#all([step.where], there)];
      return sql`not exists (select 1 from ${sql.table(step.table)} as ${sql.id(target)} where ${and(conditions)})`;
    }
    const pair = this.alias('p');
    const { there, join } = this.#targetOf(step, pair, target);
    const conditions = [
      sql`${sql.id(pair, step.link.from)} = ${row.column('id')}`,
      sql`${sql.id(pair, step.link.to)} is not null`,
      ...this.#match(step, pair),
      ...this.#all([step.where], there),
    ];
    return sql`not exists (select 1 from ${sql.table(step.link.table)} as ${sql.id(pair)}${join()} where ${and(conditions)})`;
  }

  /** The row at the far end of a pair. Its id stands in the pair, so the table is joined only if more is needed. */
  #targetOf(step: RelationStep, pair: string, target: string) {
    let joined = false;
    const there: RowScope = {
      column(name) {
        if (name === 'id') return sql.id(pair, step.link!.to);
        joined = true;
        return sql.id(target, name);
      },
    };
    const join = () =>
      joined
        ? sql` join ${sql.table(step.table)} as ${sql.id(target)} on ${sql.id(target, 'id')} = ${sql.id(pair, step.link!.to)}`
        : sql``;
    // The pairs of a foreign key are rows of the table itself, and those whose key is null lead nowhere.
    const isThere = () => (joined || step.link!.from !== 'id' ? [] : [sql`${sql.id(pair, step.link!.to)} is not null`]);
    return { there, join, isThere };
  }

  #otherLocale(there: RowScope, row: RowScope): Fragment {
    return sql`${there.column('document_id')} = ${row.column('document_id')} and ${there.column('id')} <> ${row.column('id')}`;
  }

  #all(conditions: readonly (Condition | null)[], row: RowScope): Fragment[] {
    return conditions.filter((one) => one !== null).map((one) => this.condition(one, row));
  }

  #match(step: RelationStep, pair: string): Fragment[] {
    return step.link!.constants.map(
      ({ column, value }) => sql`${this.#dialect.withoutIndexHint(sql.id(pair, column))} = ${sql.lit(value)}`,
    );
  }

  #sibling({ table, sibling, where, negated }: Condition & { is: 'sibling' }, row: RowScope): Fragment {
    const alias = this.alias('s');
    const other = rowOf(alias);
    const [draft, published] = sibling.status === 'draft' ? [other, row] : [row, other];
    const conditions = [
      sql`${other.column('document_id')} = ${row.column('document_id')}`,
      sibling.status === 'draft'
        ? sql`${other.column('published_at')} is null`
        : sql`${other.column('published_at')} is not null`,
    ];
    if (sibling.sameLocale) conditions.push(this.#dialect.same(other.column('locale'), row.column('locale')));
    if (where) conditions.push(this.condition(where, other));
    if (sibling.draftIsNewer !== null)
      conditions.push(
        sql`${draft.column('updated_at')} ${sibling.draftIsNewer ? sql`>` : sql`<=`} ${published.column('updated_at')}`,
      );
    const exists = sql`exists (select 1 from ${sql.table(table)} as ${sql.id(alias)} where ${and(conditions)})`;
    return negated ? sql`not ${exists}` : exists;
  }

  /** A link table joined to the rows it leads to, with all that narrows them. */
  stepSource(step: RelationStep, where: Condition | null, from: RowScope, aliases: StepAliases): Fragment {
    const { pair, target } = aliases;
    const there = rowOf(target);
    if (!step.link) {
      const conditions = [this.#otherLocale(there, from), ...this.#all([step.where, where], there)];
      return sql`${sql.table(step.table)} as ${sql.id(target)} on ${and(conditions)}`;
    }
    const conditions = [sql`${sql.id(pair, step.link.from)} = ${from.column('id')}`, ...this.#match(step, pair)];
    const visible = this.#all([step.where, where], there);
    return sql`${sql.table(step.link.table)} as ${sql.id(pair)} on ${and(conditions)} join ${sql.table(step.table)} as ${sql.id(target)} on ${and([sql`${there.column('id')} = ${sql.id(pair, step.link.to)}`, ...visible])}`;
  }

  /** The value that a row is sorted by: its own column, or the smallest or largest among related rows. */
  orderTerm(key: OrderKey, row: RowScope): OrderTerm {
    const { steps, column, branches } = key;
    if (steps.length === 0)
      return { value: this.#dialect.sortValue(row.column(column.column), column.type), join: null };
    if (!branches) return { value: this.#overPaths(key, row), join: null };
    const alias = this.alias('k');
    const nearest = this.#overNeighbours(key, 0);
    return {
      value: sql.id(alias, 'value'),
      join: sql` left join (${nearest}) as ${sql.id(alias)} on ${sql.id(alias, 'id')} = ${row.column('id')}`,
    };
  }

  /** Over the paths from one row. Beyond the first step each leads on to one row, so there are few. */
  #overPaths(key: OrderKey, row: RowScope): Fragment {
    // Each step joins the one before; the first joins the row outside, so a table of one row stands before it.
    let from = sql`(select 1) as ${sql.id(this.alias('o'))}`;
    let previous = row;
    let target = '';
    for (const step of key.steps) {
      const pair = this.alias('p');
      target = this.alias('t');
      from = sql`${from} join ${this.stepSource(step, null, previous, { pair, target })}`;
      previous = rowOf(target);
    }
    return sql`(select ${this.#extreme(key, this.#sortColumn(key, previous))} from ${from})`;
  }

  /**
   * The value of every row that a step leads from, as `id, value`. The smallest over all paths is the smallest of what
   * the neighbours have, so each step is one pass over its links, however many paths there are.
   */
  #overNeighbours(key: OrderKey, index: number): Fragment {
    const step = key.steps[index]!;
    const [holder, target] = [this.alias(step.link ? 'p' : 'o'), this.alias('t')];
    const { there, join } = step.link
      ? this.#targetOf(step, holder, target)
      : { there: rowOf(target), join: () => this.#otherLocales(step, holder, target) };
    const from = sql.id(holder, step.link?.from ?? 'id');
    const conditions = [...(step.link ? this.#match(step, holder) : []), ...this.#all([step.where], there)];
    let [value, further] = [this.#sortColumn(key, there), sql``];
    if (index + 1 < key.steps.length) {
      const next = this.alias('k');
      value = sql`${sql.id(next, 'value')}`;
      further = sql` join (${this.#overNeighbours(key, index + 1)}) as ${sql.id(next)} on ${sql.id(next, 'id')} = ${there.column('id')}`;
    }
    const source = sql`${sql.table(step.link?.table ?? step.table)} as ${sql.id(holder)}`;
    return sql`select ${from} as id, ${this.#extreme(key, value)} as value from ${source}${join()}${further}${whereOf(conditions)} group by ${from}`;
  }

  #otherLocales(step: RelationStep, holder: string, target: string): Fragment {
    return sql` join ${sql.table(step.table)} as ${sql.id(target)} on ${this.#otherLocale(rowOf(target), rowOf(holder))}`;
  }

  #sortColumn({ column }: OrderKey, row: RowScope): Fragment {
    return this.#dialect.sortValue(row.column(column.column), column.type);
  }

  #extreme({ descending }: OrderKey, value: Fragment): Fragment {
    return descending ? sql`max(${value})` : sql`min(${value})`;
  }
}

export const orderBy = (keys: readonly Fragment[]): Fragment =>
  keys.length > 0 ? sql` order by ${sql.join(keys)}` : sql``;

export const and = (conditions: readonly Fragment[]): Fragment => sql`${sql.join(conditions, sql` and `)}`;
export const whereOf = (conditions: readonly Fragment[]): Fragment =>
  conditions.length > 0 ? sql` where ${and(conditions)}` : sql``;

/** Nulls come last ascending and first descending, on every database. */
export const ordered = (value: Fragment, key: OrderKey): Fragment => {
  if (key.steps.length === 0 && key.column.column === 'id') return key.descending ? sql`${value} desc` : sql`${value}`;
  return key.descending ? sql`${value} desc nulls first` : sql`${value} asc nulls last`;
};
