// Read plan → statements. Two ways, chosen by the dialect: one after another (the ids of a page with the total, the
// columns of those rows, then each populated path), which suits a database in this process; or all in one statement,
// which suits one at the end of a wire. Neither depends on the number of rows.
import { sql } from 'kysely';
import type { AuthorizedPlan } from '../access/authorize.ts';
import { MAX_POPULATED_ROWS } from '../limits.ts';
import type { Condition, EntityPlan, OutputColumn, PopulatePlan } from '../plan/read/nodes.ts';
import { BY_ID } from '../plan/read/plan-sort.ts';
import { bindContext, ConditionCompiler, ordered, type RowScope, rowOf } from './compile-condition.ts';
import type { Dialect, Fragment } from './dialect.ts';
import type { Binding, Statement } from './statement.ts';

export interface CompiledPopulate {
  readonly plan: PopulatePlan;
  /** Its number among the populated paths of the plan, in the order in which they are met. */
  readonly index: number;
  /** Reads the rows for given parents: `parent id, columns…`, or as mixedText says. */
  readonly statement: Statement;
  /** For each type that it returns: its columns and what is populated below. */
  readonly entities: readonly CompiledEntity[];
}

export interface CompiledEntity {
  readonly columns: readonly OutputColumn[];
  readonly populate: readonly CompiledPopulate[];
}

const ROOT = 't0';

/** One more row than an answer may hold: enough to know that it would be too large. */
const CUT = sql`limit ${sql.lit(MAX_POPULATED_ROWS + 1)}`;

/** Where the parents of populated rows come from: a list of ids, as the column `value` of `i`. */
const GIVEN_PARENTS = (dialect: Dialect): Fragment => dialect.listTable(bindContext('ids'), 'i', 'integer');

interface Page {
  /** Selects `id` and `n`, the place on the page. */
  readonly ids: Fragment;
  readonly total: Fragment;
  /** What must stand before either. */
  readonly matching: Fragment | null;
}

function pageOf(dialect: Dialect, plan: AuthorizedPlan, withCount: boolean): Page {
  const compiler = new ConditionCompiler(dialect);
  const row = rowOf(ROOT);
  const source = sql`${sql.table(plan.entity.table)} as ${sql.id(ROOT)}`;
  const where = plan.where ? sql` where ${compiler.condition(plan.where, row)}` : sql``;
  const cut = dialect.limit(bindContext('limit'), bindContext('start'));
  if (!plan.where || !withCount) {
    const order = plan.order.map((key) => ordered(compiler.orderValue(key, row), key));
    return {
      ids: sql`select ${row.column('id')} as id from ${source}${where}${orderBy(order)} ${cut}`,
      total: withCount ? sql`(select count(*) from ${sql.table(plan.entity.table)})` : sql`null`,
      matching: null,
    };
  }
  // The rows that match are found once, for the page and for the total.
  const keys = plan.order.map((key, index) => sql`, ${compiler.orderValue(key, row)} as ${sql.id(`k${index}`)}`);
  const order = plan.order.map((key, index) => ordered(sql.id(`k${index}`), key));
  return {
    ids: sql`select id from m${orderBy(order)} ${cut}`,
    total: sql`(select count(*) from m)`,
    matching: sql`m as materialized (select ${row.column('id')} as id${sql.join(keys, sql``)} from ${source}${where})`,
  };
}

/** One row: the total, or null where it is not asked for, and the ids of the page as JSON. */
export function compilePage(dialect: Dialect, plan: AuthorizedPlan, withCount: boolean): Statement {
  const { ids, total, matching } = pageOf(dialect, plan, withCount);
  const before = matching ? sql`with ${matching} ` : sql``;
  return statement(dialect, sql`${before}select ${total}, (${dialect.idArray(ids)})`);
}

/** The columns of the rows with the given ids. */
export function compileRows(dialect: Dialect, plan: AuthorizedPlan): Statement {
  const columns = outputs(dialect, plan.entity.columns, rowOf(ROOT));
  return statement(
    dialect,
    sql`select ${sql.join(columns)} from ${GIVEN_PARENTS(dialect)} cross join ${sql.table(plan.entity.table)} as ${sql.id(ROOT)} where ${sql.id(ROOT, 'id')} = ${sql.id('i', 'value')}`,
  );
}

/** The rows of one document that a read may show: one, unless something went wrong with it. */
const isOfOneDocument = ({ where, order }: AuthorizedPlan): boolean =>
  order.length === 1 &&
  order[0] === BY_ID &&
  (where?.is === 'document' || (where?.is === 'and' && where.of.some(({ is }) => is === 'document')));

/** The first row that matches: a select of the given columns. */
function firstOf(dialect: Dialect, plan: AuthorizedPlan, columns: Fragment): Fragment {
  const compiler = new ConditionCompiler(dialect);
  const row = rowOf(ROOT);
  const source = sql`${sql.table(plan.entity.table)} as ${sql.id(ROOT)}`;
  const where = plan.where ? sql` where ${compiler.condition(plan.where, row)}` : sql``;
  // The first by id is the one with the smallest id; asked so, no row is sorted.
  if (plan.order.length === 1 && plan.order[0] === BY_ID)
    return sql`select ${columns} from ${source} where ${row.column('id')} = (select min(${row.column('id')}) from ${source}${where})`;
  const order = orderBy(plan.order.map((key) => ordered(compiler.orderValue(key, row), key)));
  return sql`select ${columns} from ${source}${where}${order} limit 1`;
}

/**
 * The columns of the first row that matches, as one JSON list where an answer is one statement. Of one document all rows
 * come, of which the one with the smallest id is meant: to look for it here takes longer than to find another beside it.
 */
export function compileFirst(dialect: Dialect, plan: AuthorizedPlan): Statement {
  const row = rowOf(ROOT);
  const columns = outputs(dialect, plan.entity.columns, row);
  const output = dialect.oneTrip ? sql`${jsonRow(columns)}::text` : sql`${sql.join(columns)}`;
  if (!isOfOneDocument(plan)) return statement(dialect, firstOf(dialect, plan, output));
  const where = new ConditionCompiler(dialect).condition(plan.where!, row);
  return statement(
    dialect,
    sql`select ${output} from ${sql.table(plan.entity.table)} as ${sql.id(ROOT)} where ${where}`,
  );
}

/** Those of the rows with the given ids that meet a condition. */
export function compileReachable(dialect: Dialect, table: string, where: Condition): Statement {
  const compiler = new ConditionCompiler(dialect);
  const row = rowOf(ROOT);
  return statement(
    dialect,
    sql`select ${row.column('id')} from ${GIVEN_PARENTS(dialect)} cross join ${sql.table(table)} as ${sql.id(ROOT)} where ${row.column('id')} = ${sql.id('i', 'value')} and ${compiler.condition(where, row)}`,
  );
}

export function compileCount(dialect: Dialect, plan: AuthorizedPlan): Statement {
  const compiler = new ConditionCompiler(dialect);
  const where = plan.where ? sql` where ${compiler.condition(plan.where, rowOf(ROOT))}` : sql``;
  return statement(dialect, sql`select count(*) from ${sql.table(plan.entity.table)} as ${sql.id(ROOT)}${where}`);
}

export function compileEntity(dialect: Dialect, entity: EntityPlan): CompiledEntity {
  let count = 0;
  const compile = (one: EntityPlan): CompiledEntity => ({
    columns: one.columns,
    populate: one.populate.map((plan) => {
      const index = count++;
      const parts = plan.kind === 'related' ? [plan.part] : plan.parts;
      const entities = parts.map((part) => compile(part.entity));
      return { plan, index, statement: statement(dialect, populateText(dialect, plan)), entities };
    }),
  });
  return compile(entity);
}

function populateText(dialect: Dialect, plan: PopulatePlan): Fragment {
  const parents = GIVEN_PARENTS(dialect);
  if (plan.kind === 'related') {
    const { from, row, order } = relatedSource(dialect, plan, parents);
    if (plan.count) return sql`select ${sql.id('i', 'value')}, count(*) from ${from} group by 1`;
    const columns = outputs(dialect, plan.part.entity.columns, row);
    return sql`select ${sql.id('i', 'value')}, ${sql.join(columns)} from ${from}${orderBy(order)} ${CUT}`;
  }
  const all = mixedText(dialect, plan, parents, (columns, width) => {
    const filled = [...columns, ...Array.from({ length: width - columns.length }, () => sql`null`)];
    return sql`${sql.join(filled)}`;
  });
  return plan.count
    ? sql`select parent, count(*) from (${all}) as u group by parent`
    : sql`select * from (${all}) as u order by place, pair ${CUT}`;
}

interface RelatedSource {
  readonly from: Fragment;
  readonly row: RowScope;
  readonly order: readonly Fragment[];
}

/** The rows at the end of a hop, with the parent's id as `value` of `i`. */
function relatedSource(dialect: Dialect, plan: PopulatePlan & { kind: 'related' }, parents: Fragment): RelatedSource {
  const compiler = new ConditionCompiler(dialect);
  const { hop, where, entity } = plan.part;
  const row = rowOf('t');
  const parent: RowScope = hop.pairs ? { column: () => sql.id('i', 'value') } : rowOf('o');
  // For the other locales of a document the parents themselves are needed.
  const holders = hop.pairs ? parents : sql`${parents} cross join ${sql.table(entity.table)} as ${sql.id('o')}`;
  const itself = hop.pairs ? sql`` : sql` where ${sql.id('o', 'id')} = ${sql.id('i', 'value')}`;
  const from = sql`${holders} ${dialect.nestedJoin} ${compiler.hopSource(hop, where, parent, 'p', 't')}${itself}`;
  const order =
    plan.order.length > 0
      ? plan.order.map((key) => ordered(compiler.orderValue(key, row), key))
      : [
          ...(hop.pairs?.order ? [sql.id('p', hop.pairs.order)] : []),
          hop.pairs ? sql.id('p', 'id') : sql.id('t', 'id'),
        ];
  return { from, row, order };
}

/** Rows of `parent, place, pair, part, …`; `written` puts the columns of a part, the widest having `width`. */
function mixedText(
  dialect: Dialect,
  plan: PopulatePlan & { kind: 'mixed' },
  parents: Fragment,
  written: (columns: readonly Fragment[], width: number) => Fragment,
): Fragment {
  const parent: RowScope = { column: () => sql.id('i', 'value') };
  const width = Math.max(0, ...plan.parts.map(({ entity }) => entity.columns.length));
  const selects = plan.parts.map(({ hop, where, entity }, index) => {
    const compiler = new ConditionCompiler(dialect);
    const columns = outputs(dialect, entity.columns, rowOf('t'));
    const place = hop.pairs!.order ? sql.id('p', hop.pairs!.order) : sql`null`;
    return sql`select ${sql.id('i', 'value')} as parent, ${place} as place, ${sql.id('p', 'id')} as pair, ${sql.lit(index)} as part, ${written(columns, width)} from ${parents} ${dialect.nestedJoin} ${compiler.hopSource(hop, where, parent, 'p', 't')}`;
  });
  if (selects.length > 0) return sql`${sql.join(selects, sql` union all `)}`;
  return sql`select 0 as parent, 0 as place, 0 as pair, 0 as part, ${written([], 0) ?? sql`null`} where 1 = 0`;
}

/** Everything that an answer needs in one statement: rows of `number, JSON`, see readAnswer in run/read.ts. */
export function compileAnswer(
  dialect: Dialect,
  plan: AuthorizedPlan,
  what: 'first' | 'page' | 'page and total',
): Statement {
  const tables: Fragment[] = [];
  const results: Fragment[] = [];
  const page = what === 'first' ? null : pageOf(dialect, plan, what === 'page and total');
  const ids = page ? page.ids : firstOf(dialect, plan, sql`${sql.id(ROOT, 'id')} as id`);
  if (page?.matching) tables.push(page.matching);
  // As an array the page is of no guessed size, so one plan serves every page.
  tables.push(sql`g as materialized (select id, n from unnest(array(${ids})) with ordinality as o(id, n))`);
  const columns = outputs(dialect, plan.entity.columns, rowOf(ROOT));
  results.push(
    sql`select ${sql.lit(ROWS)} as part, (select json_agg(${jsonRow(columns)} order by g.n) from g join ${sql.table(plan.entity.table)} as ${sql.id(ROOT)} on ${sql.id(ROOT, 'id')} = g.id)::text as value`,
  );
  if (what === 'page and total') results.push(sql`select ${sql.lit(TOTAL)}, ${page!.total}::text`);
  let count = 0;
  const visit = (entity: EntityPlan, parents: Fragment): void => {
    for (const populate of entity.populate) {
      const index = count++;
      const name = `c${index}`;
      if (populate.kind === 'related') {
        const { from, row, order } = relatedSource(dialect, populate, parents);
        const parts = outputs(dialect, populate.part.entity.columns, row);
        const columnsOf = populate.count
          ? sql`select ${sql.id('i', 'value')} as parent, count(*) as id, 0 as n, null::json as data from ${from} group by 1`
          : sql`select ${sql.id('i', 'value')} as parent, ${row.column('id')} as id, row_number() over (order by ${sql.join(order)}) as n, ${jsonRow(parts)} as data from ${from} ${CUT}`;
        tables.push(sql`${sql.id(name)} as materialized (${columnsOf})`);
        const value = populate.count ? sql`json_build_array(parent, id)` : sql`json_build_array(parent, data)`;
        results.push(sql`select ${sql.lit(index)}, (select json_agg(${value} order by n) from ${sql.id(name)})::text`);
        visit(populate.part.entity, sql`(select distinct id as value from ${sql.id(name)}) as ${sql.id('i')}`);
      } else {
        const rows = mixedText(
          dialect,
          populate,
          parents,
          (parts) => sql`${sql.id('t', 'id')} as id, ${jsonRow(parts)} as data`,
        );
        const empty = populate.parts.length === 0;
        const all = empty
          ? sql`select 0 as parent, 0 as place, 0 as pair, 0 as part, 0 as id, null::json as data where false`
          : rows;
        tables.push(
          sql`${sql.id(name)} as materialized (select *, row_number() over (order by place, pair) as n from (${all}) as u ${CUT})`,
        );
        const value = populate.count
          ? sql`select ${sql.lit(index)}, (select json_agg(json_build_array(parent, c)) from (select parent, count(*) as c from ${sql.id(name)} group by parent) as u)::text`
          : sql`select ${sql.lit(index)}, (select json_agg(json_build_array(parent, data, part) order by n) from ${sql.id(name)})::text`;
        results.push(value);
        for (const [part, { entity: below }] of populate.parts.entries())
          visit(
            below,
            sql`(select distinct id as value from ${sql.id(name)} where part = ${sql.lit(part)}) as ${sql.id('i')}`,
          );
      }
    }
  };
  visit(plan.entity, sql`(select id as value from g) as ${sql.id('i')}`);
  return statement(dialect, sql`with ${sql.join(tables)} ${sql.join(results, sql` union all `)}`);
}

/** Numbers of the parts of an answer that are not populated paths. */
export const ROWS = -1;
export const TOTAL = -2;

/** PostgreSQL functions take at most 100 arguments; a wider row is put together from several arrays. */
const MAX_ARGUMENTS = 90;

function jsonRow(columns: readonly Fragment[]): Fragment {
  if (columns.length <= MAX_ARGUMENTS) return sql`json_build_array(${sql.join(columns)})`;
  const chunks: Fragment[] = [];
  for (let start = 0; start < columns.length; start += MAX_ARGUMENTS)
    chunks.push(sql`jsonb_build_array(${sql.join(columns.slice(start, start + MAX_ARGUMENTS))})`);
  return sql`(${sql.join(chunks, sql` || `)})::json`;
}

const outputs = (dialect: Dialect, columns: readonly OutputColumn[], row: RowScope): Fragment[] =>
  columns.map(({ column, type }) => dialect.shown(row.column(column), type));

const orderBy = (keys: readonly Fragment[]): Fragment => (keys.length > 0 ? sql` order by ${sql.join(keys)}` : sql``);

function statement(dialect: Dialect, text: Fragment): Statement {
  const compiled = text.compile(dialect.composer);
  return { sql: compiled.sql, bindings: compiled.parameters as readonly Binding[] };
}
