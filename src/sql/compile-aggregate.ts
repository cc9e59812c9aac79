// Aggregates and facets → SQL: entries are grouped by values of their own and of related rows, and each group is counted
// and computed. Related rows that multiply an entry are joined as different values, so that it counts once for each.
import { sql } from 'kysely';
import { MAX_FACET_VALUES } from '../limits.ts';
import type { AggregateColumn, AggregatePlace, AggregatePlan, FacetPlan } from '../plan/read/nodes.ts';
import { valueColumn } from '../plan/read/plan-aggregate.ts';
import type { AuthorizedReadPlan } from '../plan/read/plan-read.ts';
import { GROUPS } from './common-tables.ts';
import { bindContext, ConditionCompiler, type RowScope, rowOf } from './compile-condition.ts';
import { ROOT } from './compile-keyset.ts';
import { orderBy } from './compile-order.ts';
import { statement } from './compile-read.ts';
import type { AggregateSql, Dialect, Fragment } from './dialect.ts';
import type { Statement } from './statement.ts';

const keyColumn = (index: number): string => `k${index}`;

/** Where the keys and the operands of values at a place are, once it is joined. */
interface JoinedPlace {
  key(index: number): Fragment;
  operand(index: number): Fragment;
}

/** Groups as a select of their keys and the columns of their values. */
class Groups {
  readonly #dialect: Dialect;
  readonly #plan: AuthorizedReadPlan;
  readonly #aggregate: AggregatePlan;
  readonly #compiler: ConditionCompiler;
  readonly #joins: Fragment[] = [];
  readonly #root: JoinedPlace;
  readonly #places: readonly JoinedPlace[];
  readonly #values: readonly AggregateSql[];
  /** Whether an entry may be joined to several rows with the same keys. */
  readonly #repeats: boolean;

  constructor(dialect: Dialect, plan: AuthorizedReadPlan, aggregate: AggregatePlan) {
    this.#dialect = dialect;
    this.#plan = plan;
    this.#aggregate = aggregate;
    this.#compiler = new ConditionCompiler(dialect, 'all');
    this.#root = this.#inRow(rowOf(ROOT));
    this.#places = aggregate.places.map((place, index) =>
      isPlain(place) ? this.#joinRow(place) : this.#joinValues(place, index),
    );
    this.#repeats = aggregate.places.some((place) => isPlain(place) && place.multiplies && !place.differ);
    const count = isOfWholeTable(plan, aggregate) ? dialect.wholeTableCount(plan.entity.table) : sql`count(*)`;
    this.#values = aggregate.values.map(({ function: name, column }, index) => {
      if (name === 'count') return countOf(dialect, count);
      const operand = this.#repeats ? sql.id(valueColumn(index)) : this.#at(column!).operand(index);
      return dialect.aggregate(name, operand, column!.type, count);
    });
  }

  #at({ place }: AggregateColumn): JoinedPlace {
    return place === null ? this.#root : this.#places[place]!;
  }

  #inRow(row: RowScope): JoinedPlace {
    const { keys, values } = this.#aggregate;
    return {
      key: (index) => {
        const { column, part } = keys[index]!;
        const value = row.column(column.column);
        return part === null
          ? this.#dialect.groupValue(value, column.type)
          : this.#dialect.datePart(value, column.type, part);
      },
      operand: (index) => row.column(values[index]!.column!.column),
    };
  }

  #joinRow({ steps }: AggregatePlace): JoinedPlace {
    let row = rowOf(ROOT);
    for (const step of steps) {
      const aliases = { pair: this.#compiler.alias('p'), target: this.#compiler.alias('t') };
      this.#joins.push(this.#compiler.outerStep(step, row, aliases));
      row = rowOf(aliases.target);
    }
    return this.#inRow(row);
  }

  /** Rows of which an entry has several are joined as the different keys that they have. */
  #joinValues({ steps }: AggregatePlace, place: number): JoinedPlace {
    const alias = this.#compiler.alias('g');
    const { keys, values } = this.#aggregate;
    const indexes = (list: readonly { readonly column: AggregateColumn | null }[]): number[] =>
      list.flatMap(({ column }, index) => (column?.place === place ? [index] : []));
    const reached = this.#compiler.valuesReached(steps, (row) => {
      const end = this.#inRow(row);
      return [
        ...indexes(keys).map((index) => sql`${end.key(index)} as ${sql.id(keyColumn(index))}`),
        ...indexes(values).map((index) => sql`${end.operand(index)} as ${sql.id(valueColumn(index))}`),
      ];
    });
    this.#joins.push(
      sql` left join (${reached}) as ${sql.id(alias)} on ${sql.id(alias, 'id')} = ${sql.id(ROOT, 'id')}`,
    );
    return {
      key: (index) => sql.id(alias, keyColumn(index)),
      operand: (index) => sql.id(alias, valueColumn(index)),
    };
  }

  select(): Fragment {
    const { keys, values, smallest } = this.#aggregate;
    const named = keys.map(({ column }, index) => sql`${this.#at(column).key(index)} as ${sql.id(keyColumn(index))}`);
    const { where, entity } = this.#plan;
    const narrowed = where ? sql` where ${this.#compiler.condition(where, rowOf(ROOT))}` : sql``;
    const joined = sql`${sql.table(entity.table)} as ${sql.id(ROOT)}${sql.join(this.#joins, sql``)}${narrowed}`;
    const computed = this.#values.flatMap(({ columns }, index) =>
      columns.map((value, part) => sql`${value} as ${sql.id(partColumn(index, part))}`),
    );
    // By number, since a column of a table may have the name of a key.
    const by = keys.length > 0 ? sql` group by ${sql.join(keys.map((_, index) => sql.lit(index + 1)))}` : sql``;
    const large = smallest > 1 ? sql` having count(*) >= ${sql.lit(smallest)}` : sql``;
    if (!this.#repeats) return sql`select ${sql.join([...named, ...computed])} from ${joined}${by}${large}`;
    const operands = values.flatMap(({ column }, index) =>
      column ? [sql`${this.#at(column).operand(index)} as ${sql.id(valueColumn(index))}`] : [],
    );
    const rows = sql`select distinct ${sql.join([sql.id(ROOT, 'id'), ...named, ...operands])} from ${joined}`;
    const again = keys.map((_, index) => sql.id(keyColumn(index)));
    return sql`select ${sql.join([...again, ...computed])} from (${rows}) as d${by}${large}`;
  }

  #parts(index: number): Fragment[] {
    return this.#values[index]!.columns.map((_, part) => sql.id(partColumn(index, part)));
  }

  having(): Fragment {
    const { having } = this.#aggregate;
    if (!having) return sql``;
    const indexOf = (name: string): number => this.#values.findIndex((_, index) => valueColumn(index) === name);
    const group: RowScope = { column: (name) => this.#values[indexOf(name)]!.value(this.#parts(indexOf(name))) };
    return sql` where ${this.#compiler.condition(having, group)}`;
  }

  order(): Fragment[] {
    return this.#aggregate.order.flatMap(({ of, index, descending }) => {
      const { type } = this.#aggregate.keys[index] ?? { type: 'integer' };
      const values = of === 'value' ? this.#parts(index) : [this.#dialect.sortValue(sql.id(keyColumn(index)), type)];
      return values.map((value) => (descending ? sql`${value} desc nulls first` : sql`${value} asc nulls last`));
    });
  }

  outputs(): Fragment[] {
    const { keys } = this.#aggregate;
    return [
      ...keys.map(({ type }, index) => this.#dialect.rowOutput(sql.id(keyColumn(index)), type)),
      ...this.#values.map(({ output }, index) => output(this.#parts(index))),
    ];
  }
}

/** Whether all rows of the table are one group, of which more is asked than their number. */
const isOfWholeTable = ({ where }: AuthorizedReadPlan, { keys, places, values }: AggregatePlan): boolean =>
  where === null && keys.length === 0 && places.length === 0 && values.some(({ function: name }) => name !== 'count');

/** Whether the rows of a place can be joined as they are: there is one at most, or none that must not be seen. */
const isPlain = ({ steps, multiplies }: AggregatePlace): boolean =>
  !multiplies || (steps.length === 1 && steps[0]!.link !== null && steps[0]!.where === null);

const partColumn = (index: number, part: number): string =>
  part === 0 ? valueColumn(index) : `${valueColumn(index)}_${part}`;

const countOf = (dialect: Dialect, rows: Fragment): AggregateSql => ({
  columns: [rows],
  value: ([count]) => count!,
  output: ([count]) => dialect.countOutput(count!),
});

/**
 * A page of groups: rows of `number, total, keys…, values…`, and where the page is empty one row whose number is null,
 * which tells the total.
 */
export function compileAggregate(dialect: Dialect, plan: AuthorizedReadPlan, withCount: boolean): Statement {
  const aggregate = plan.aggregate!;
  const groups = new Groups(dialect, plan, aggregate);
  const order = groups.order();
  const number = sql`row_number() over (${order.length > 0 ? sql`order by ${sql.join(order)}` : sql``}) as n`;
  const bound = (name: 'start' | 'limit'): Fragment => dialect.input(bindContext(name), 'biginteger');
  const total = withCount ? dialect.countOutput(sql`(select count(*) from ${GROUPS})`) : sql`null`;
  const shown = sql`h.n > ${bound('start')} and h.n <= ${bound('start')} + ${bound('limit')}`;
  return statement(
    dialect,
    sql`with ${GROUPS} as materialized (select g.*, ${number} from (${groups.select()}) as g${groups.having()}) select h.n, ${total}, ${sql.join(groups.outputs())} from (select 1 as one) as o left join ${GROUPS} as h on ${shown} order by h.n`,
  );
}

export type FacetRow = readonly [value: unknown, count: number];

/** The values of a facet: rows of `value, count`, those of most entries first. */
export function facetRows(dialect: Dialect, plan: AuthorizedReadPlan, { aggregate }: FacetPlan): Fragment {
  const groups = new Groups(dialect, plan, aggregate);
  return sql`select ${sql.join(groups.outputs())} from (${groups.select()}) as g${orderBy(groups.order())} limit ${sql.lit(MAX_FACET_VALUES)}`;
}

export const compileFacet = (dialect: Dialect, plan: AuthorizedReadPlan, facet: FacetPlan): Statement<FacetRow> =>
  statement(dialect, facetRows(dialect, plan, facet));
