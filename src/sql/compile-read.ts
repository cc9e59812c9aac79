// Read plan → statements: the ids of a page with the total, the columns of those rows, and one statement for each
// populated path, whatever the number of rows.
import { sql } from 'kysely';
import type { AuthorizedPlan } from '../access/authorize.ts';
import type { EntityPlan, OutputColumn, PopulatePlan } from '../plan/read-plan.ts';
import { bindContext, ConditionCompiler, ordered, type RowScope, rowOf } from './compile-condition.ts';
import type { Dialect, Fragment } from './dialect.ts';
import type { Binding, Statement } from './statement.ts';

export interface CompiledPopulate {
  readonly plan: PopulatePlan;
  readonly statement: Statement;
  /** For each type that the statement returns: its columns and what is populated below. */
  readonly entities: readonly CompiledEntity[];
}

export interface CompiledEntity {
  readonly columns: readonly OutputColumn[];
  readonly populate: readonly CompiledPopulate[];
}

const ROOT = 't0';

/** One row: the total, or null where it is not asked for, and the ids of the page as JSON. */
export function compilePage(dialect: Dialect, plan: AuthorizedPlan, withCount: boolean): Statement {
  const compiler = new ConditionCompiler(dialect);
  const row = rowOf(ROOT);
  const source = sql`${sql.table(plan.entity.table)} as ${sql.id(ROOT)}`;
  const where = plan.where ? sql` where ${compiler.condition(plan.where, row)}` : sql``;
  const page = sql`limit ${bindContext('limit')} offset ${bindContext('start')}`;

  if (!plan.where || !withCount) {
    const order = orderBy(plan.order.map((key) => ordered(compiler.orderValue(key, row), key)));
    const ids = dialect.idArray(sql`select ${row.column('id')} as id from ${source}${where}${order} ${page}`);
    const total = withCount ? sql`(select count(*) from ${sql.table(plan.entity.table)})` : sql`null`;
    return statement(dialect, sql`select ${total}, (${ids})`);
  }
  // The rows that match are found once, for the page and for the total.
  const keys = plan.order.map((key) => compiler.orderValue(key, row));
  const columns = keys.map((value, index) => sql`, ${value} as ${sql.id(`k${index}`)}`);
  const matching = sql`select ${row.column('id')} as id${sql.join(columns, sql``)} from ${source}${where}`;
  const order = orderBy(plan.order.map((key, index) => ordered(sql.id(`k${index}`), key)));
  const ids = dialect.idArray(sql`select id from m${order} ${page}`);
  return statement(dialect, sql`with m as materialized (${matching}) select (select count(*) from m), (${ids})`);
}

/** The columns of the rows with the given ids. */
export function compileRows(dialect: Dialect, plan: AuthorizedPlan): Statement {
  const columns = outputs(dialect, plan.entity.columns, rowOf(ROOT));
  const ids = dialect.listTable(bindContext('ids'), 'i');
  return statement(
    dialect,
    sql`select ${sql.join(columns)} from ${ids} cross join ${sql.table(plan.entity.table)} as ${sql.id(ROOT)} on ${sql.id(ROOT, 'id')} = ${sql.id('i', 'value')}`,
  );
}

/** The columns of the first row that matches. */
export function compileFirst(dialect: Dialect, plan: AuthorizedPlan): Statement {
  const compiler = new ConditionCompiler(dialect);
  const row = rowOf(ROOT);
  const where = plan.where ? sql` where ${compiler.condition(plan.where, row)}` : sql``;
  const order = orderBy(plan.order.map((key) => ordered(compiler.orderValue(key, row), key)));
  const columns = outputs(dialect, plan.entity.columns, row);
  return statement(
    dialect,
    sql`select ${sql.join(columns)} from ${sql.table(plan.entity.table)} as ${sql.id(ROOT)}${where}${order} limit 1`,
  );
}

export function compileCount(dialect: Dialect, plan: AuthorizedPlan): Statement {
  const compiler = new ConditionCompiler(dialect);
  const where = plan.where ? sql` where ${compiler.condition(plan.where, rowOf(ROOT))}` : sql``;
  return statement(dialect, sql`select count(*) from ${sql.table(plan.entity.table)} as ${sql.id(ROOT)}${where}`);
}

export function compileEntity(dialect: Dialect, entity: EntityPlan): CompiledEntity {
  return { columns: entity.columns, populate: entity.populate.map((populate) => compilePopulate(dialect, populate)) };
}

function compilePopulate(dialect: Dialect, plan: PopulatePlan): CompiledPopulate {
  const parts = plan.kind === 'related' ? [plan.part] : plan.parts;
  const entities = parts.map((part) => compileEntity(dialect, part.entity));
  const text = plan.kind === 'related' ? relatedText(dialect, plan) : mixedText(dialect, plan);
  return { plan, statement: statement(dialect, text), entities };
}

/** Rows of `parent id, columns…` in list order, or of `parent id, count`. */
function relatedText(dialect: Dialect, plan: PopulatePlan & { kind: 'related' }): Fragment {
  const compiler = new ConditionCompiler(dialect);
  const { hop, where, entity } = plan.part;
  const parents = parentTable(dialect, hop.pairs ? null : entity.table);
  const row = rowOf('t');
  const source = sql`${parents.from} cross join ${compiler.hopSource(hop, where, parents.row, 'p', 't')}`;
  if (plan.count) return sql`select ${parents.row.column('id')}, count(*) from ${source} group by 1`;
  const columns = outputs(dialect, entity.columns, row);
  const order =
    plan.order.length > 0
      ? plan.order.map((key) => ordered(compiler.orderValue(key, row), key))
      : listOrder(hop.pairs?.order, hop.pairs !== null);
  return sql`select ${parents.row.column('id')}, ${sql.join(columns)} from ${source}${orderBy(order)}`;
}

/** Ids of the parents, as rows; for the other locales of a document the parents themselves are needed. */
function parentTable(dialect: Dialect, table: string | null): { from: Fragment; row: RowScope } {
  const list = dialect.listTable(bindContext('ids'), 'i');
  if (table === null) return { from: list, row: { column: () => sql.id('i', 'value') } };
  return {
    from: sql`${list} cross join ${sql.table(table)} as ${sql.id('o')} on ${sql.id('o', 'id')} = ${sql.id('i', 'value')}`,
    row: rowOf('o'),
  };
}

const listOrder = (order: string | null | undefined, paired: boolean): Fragment[] => [
  ...(order ? [sql.id('p', order)] : []),
  paired ? sql.id('p', 'id') : sql.id('t', 'id'),
];

/** Rows of `parent id, place, pair id, part, columns…`, the columns of shorter parts filled up with nulls. */
function mixedText(dialect: Dialect, plan: PopulatePlan & { kind: 'mixed' }): Fragment {
  const parents = parentTable(dialect, null);
  const width = Math.max(0, ...plan.parts.map(({ entity }) => entity.columns.length));
  const selects = plan.parts.map(({ hop, where, entity }, index) => {
    const compiler = new ConditionCompiler(dialect);
    const columns = outputs(dialect, entity.columns, rowOf('t'));
    const filled = [...columns, ...Array.from({ length: width - columns.length }, () => sql`null`)];
    const place = hop.pairs!.order ? sql.id('p', hop.pairs!.order) : sql`null`;
    return sql`select ${parents.row.column('id')} as parent, ${place} as place, ${sql.id('p', 'id')} as pair, ${sql.lit(index)} as part, ${sql.join(filled)} from ${parents.from} cross join ${compiler.hopSource(hop, where, parents.row, 'p', 't')}`;
  });
  const all =
    selects.length > 0
      ? sql.join(selects, sql` union all `)
      : sql`select null as parent, null as place, null as pair, null as part where 1 = 0`;
  return plan.count
    ? sql`select parent, count(*) from (${all}) group by parent`
    : sql`select * from (${all}) order by place, pair`;
}

const outputs = (dialect: Dialect, columns: readonly OutputColumn[], row: RowScope): Fragment[] =>
  columns.map(({ column, type }) => dialect.output(row.column(column), type));

const orderBy = (keys: readonly Fragment[]): Fragment => (keys.length > 0 ? sql` order by ${sql.join(keys)}` : sql``);

function statement(dialect: Dialect, text: Fragment): Statement {
  const compiled = text.compile(dialect.composer);
  return { sql: compiled.sql, bindings: compiled.parameters as readonly Binding[] };
}
