// Read plan → statements, one for each part of an answer: the rows of a page with the total, then each populated path.
// This suits a database in this process; compile-answer.ts makes one statement of them all. The number of statements
// never depends on the number of rows.
import { sql } from 'kysely';
import { LARGEST_PAGE_SIZE } from '../limits.ts';
import type { LinkTable, ScalarType } from '../model/types.ts';
import type {
  AnswerLimits,
  Condition,
  EntityPlan,
  OutputColumn,
  PopulatePlan,
  RelatedPart,
} from '../plan/read/nodes.ts';
import type { AuthorizedReadPlan } from '../plan/read/plan-read.ts';
import { BY_ID } from '../plan/read/plan-sort.ts';
import type { PopulatePage } from '../request/read-request.ts';
import { FOUND, MATCHING, PAGE, READ_AHEAD } from './common-tables.ts';
import { and, bind, bindContext, ConditionCompiler, type RowScope, rowOf } from './compile-condition.ts';
import { keysetPage, keysetValues, type Page, ROOT } from './compile-keyset.ts';
import { OrderCompiler, type OrderTerm, orderBy, ordered } from './compile-order.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { leftOut } from './selectivity.ts';
import type { Binding, Row, Statement } from './statement.ts';

export interface CompiledPopulate {
  readonly plan: PopulatePlan;
  /** Its number among the populated paths of the plan, in the order in which they are met. */
  readonly index: number;
  /**
   * Reads the rows for given parents: `parent id, columns…`, or as mixedText says. The parents are null where the rows
   * are too long for a response.
   */
  readonly statement: Statement;
  /** For each type that it returns: its columns and what is populated below. */
  readonly entities: readonly CompiledEntity[];
}

export interface CompiledEntity {
  readonly columns: readonly OutputColumn[];
  readonly populate: readonly CompiledPopulate[];
}

/** One more row than an answer may hold: enough to know that it would be too large. */
export const cutRows = ({ populatedRows }: AnswerLimits): Fragment => sql`limit ${sql.lit(populatedRows + 1)}`;

/** Where the parents of populated rows come from: a list of ids, as the column `value` of `i`. */
const GIVEN_PARENTS = (dialect: Dialect): Fragment => dialect.listTable(bindContext('ids'), 'i', 'integer');

/** What the rows of a list are sorted by. */
interface SortTerm {
  readonly value: Fragment;
  /** Whether the value is the id of the row. */
  readonly isId: boolean;
  readonly join: Fragment | null;
  written(value: Fragment): Fragment;
}

function sortTerms(orders: OrderCompiler, { order, position }: AuthorizedReadPlan): SortTerm[] {
  const row = rowOf(ROOT);
  const sorted = order.map((key) => ({
    ...orders.term(key, row),
    isId: key.steps.length === 0 && key.column.column === 'id',
    written: (value: Fragment) => ordered(value, key),
  }));
  return position ? [...positionTerms(position, row), ...sorted] : sorted;
}

/** The place of a row in the list of the row that the link leads from; one without a place is last, as in populate. */
function positionTerms({ table, from, to, constants, order }: LinkTable, row: RowScope): SortTerm[] {
  const conditions = [
    sql`${sql.id('l', to)} = ${row.column('id')}`,
    sql`${sql.id('l', from)} = ${bindContext('parent')}`,
    ...constants.map(({ column, value }) => sql`${sql.id('l', column)} = ${sql.lit(value)}`),
  ];
  const join = sql` join ${sql.table(table)} as ${sql.id('l')} on ${and(conditions)}`;
  const written = (value: Fragment): Fragment => sql`${value} nulls last`;
  const columns = [...(order ? [order] : []), 'id'];
  return columns.map((column, index) => ({
    value: sql.id('l', column),
    isId: false,
    join: index === 0 ? join : null,
    written,
  }));
}

/** The total of rows that need not all be found for it; null where they have to be. */
function totalApart(dialect: Dialect, { entity, where }: AuthorizedReadPlan): Fragment | null {
  const table = sql.table(entity.table);
  const count = (condition: Condition | null): Fragment => {
    if (!condition) return sql`(select count(*) from ${table})`;
    const matches = new ConditionCompiler(dialect, 'all').condition(condition, rowOf(ROOT));
    return sql`(select count(*) from ${table} as ${sql.id(ROOT)} where ${matches})`;
  };
  if (!where) return count(null);
  const left = leftOut(where);
  return left && sql`(${count(left.of)} - ${count(left.out)})`;
}

export function pageOf(dialect: Dialect, plan: AuthorizedReadPlan, withCount: boolean): Page {
  if (plan.keyset) return keysetPage(dialect, plan, plan.keyset, withCount);
  const total = withCount ? totalApart(dialect, plan) : sql`null`;
  // Most rows match where the total is counted apart, so that the first by id are soon found.
  const isSome = !withCount || (total !== null && isById(plan));
  const compiler = new ConditionCompiler(dialect, isSome ? 'some' : 'all');
  const row = rowOf(ROOT);
  const source = sql`${sql.table(plan.entity.table)} as ${sql.id(ROOT)}`;
  const where = plan.where ? sql` where ${compiler.condition(plan.where, row)}` : sql``;
  const cut = dialect.limit(bindContext('limit'), bindContext('start'));
  const terms = sortTerms(new OrderCompiler(dialect, compiler), plan);
  if (total !== null) {
    const order = terms.map(({ value, written }) => written(value));
    const ids = sql`select ${row.column('id')} as id from ${source}${joins(terms)}${where}${orderBy(order)} ${cut}`;
    return { ids, total, matching: null };
  }
  // The rows that match are found once, for the page and for the total.
  const keys = terms.flatMap(({ value, isId }, index) => (isId ? [] : [sql`, ${value} as ${sql.id(`k${index}`)}`]));
  const order = terms.map(({ written, isId }, index) => written(sql.id(isId ? 'id' : `k${index}`)));
  return {
    ids: sql`select id from ${MATCHING}${orderBy(order)} ${cut}`,
    total: sql`(select count(*) from ${MATCHING})`,
    matching: sql`${MATCHING} as materialized (select ${row.column('id')} as id${sql.join(keys, sql``)} from ${source}${joins(terms)}${where})`,
  };
}

const LONG_TYPES: ReadonlySet<ScalarType> = new Set(['text', 'richtext', 'json', 'blocks'] as const);

/** The bytes of the long values of a row; null where it can have none. */
export function longBytes(dialect: Dialect, columns: readonly OutputColumn[], row: RowScope): Fragment | null {
  const long = columns.filter(({ type }) => LONG_TYPES.has(type));
  if (long.length === 0) return null;
  const bytes = long.map(({ column, type }) => sql`coalesce(${dialect.byteLength(row.column(column), type)}, 0)`);
  return sql.join(bytes, sql` + `);
}

/** So many bytes of populated values have more characters than a response may have, in whatever script. */
const BYTES_PER_CHARACTER = 3;
export const mostPopulatedBytes = ({ populatedCharacters }: AnswerLimits): number =>
  populatedCharacters * BYTES_PER_CHARACTER;

/** Who reads in process without a page takes what there is. */
export const isUnlimited = (limit: Fragment): Fragment => sql`${limit} > ${sql.lit(LARGEST_PAGE_SIZE)}`;

/**
 * Whether the long values of a page together are short enough for a response, before any of them is read; null where
 * there can be none. `ids`: those of the page, as `value` of `i`.
 */
function fitsResponse(dialect: Dialect, plan: AuthorizedReadPlan, ids: Fragment): Fragment | null {
  const bytes = longBytes(dialect, plan.entity.columns, rowOf('z'));
  if (!bytes) return null;
  const total = sql`(select coalesce(sum(${bytes}), 0) from ${ids} cross join ${sql.table(plan.entity.table)} as ${sql.id('z')} where ${sql.id('z', 'id')} = ${sql.id('i', 'value')})`;
  return sql`(${isUnlimited(dialect.input(bindContext('limit'), 'biginteger'))} or ${total} <= ${sql.lit(plan.limits.pageBytes)})`;
}

/**
 * The rows of a page, in its order. Behind the columns of an entry stand, where they apply: what cursors hold, and how
 * many ids a page by cursor read; the total, which is 0 where it is not asked for, and null where the rows are too long
 * for a response. A page that has a total but no entries is one row of nulls and the total.
 */
export function compilePage(dialect: Dialect, plan: AuthorizedReadPlan, withCount: boolean): Statement {
  const { ids, total, matching } = pageOf(dialect, plan, withCount);
  const tables = matching ? [matching] : [];
  const columns = [...outputs(dialect, plan.entity.columns, rowOf(ROOT)), ...keysetValues(dialect, plan)];
  if (plan.keyset) {
    const cut = dialect.limit(bindContext('limit'), sql.lit(0));
    tables.push(
      sql`${READ_AHEAD} as materialized (${ids})`,
      sql`${PAGE}(value) as (select id from ${READ_AHEAD} ${cut})`,
    );
    columns.push(sql`(select count(*) from ${READ_AHEAD})`);
  } else tables.push(sql`${PAGE}(value) as (${ids})`);
  const page = sql`${PAGE} as i`;
  const fits = fitsResponse(dialect, plan, page);
  const root = sql`${sql.table(plan.entity.table)} as ${sql.id(ROOT)} on ${sql.id(ROOT, 'id')} = i.value`;
  if (!fits && !withCount)
    return statement(
      dialect,
      sql`with ${sql.join(tables)} select ${sql.join(columns)} from ${page} cross join ${root}`,
    );
  const found = withCount ? total : sql.lit(0);
  const totalColumn = fits ? sql`case when ${fits} then ${found} end` : found;
  return statement(
    dialect,
    sql`with ${sql.join(tables)} select ${sql.join([...columns, sql`n.total`])} from (select ${totalColumn} as total) as n left join ${page} on n.total is not null left join ${root}`,
  );
}

const isById = ({ order, position }: AuthorizedReadPlan): boolean =>
  order.length === 1 && order[0] === BY_ID && position === null;

/** The rows of one document that a read may show: one, unless something went wrong with it. */
const isOfOneDocument = (plan: AuthorizedReadPlan): boolean =>
  isById(plan) &&
  (plan.where?.is === 'document' || (plan.where?.is === 'and' && plan.where.of.some(({ is }) => is === 'document')));

/** The first row that matches: a select of the given columns. */
export function firstOf(dialect: Dialect, plan: AuthorizedReadPlan, columns: Fragment): Fragment {
  const compiler = new ConditionCompiler(dialect);
  const row = rowOf(ROOT);
  const source = sql`${sql.table(plan.entity.table)} as ${sql.id(ROOT)}`;
  const where = plan.where ? sql` where ${compiler.condition(plan.where, row)}` : sql``;
  // The first by id is the one with the smallest id; asked so, no row is sorted.
  if (isById(plan))
    return sql`select ${columns} from ${source} where ${row.column('id')} = (select min(${row.column('id')}) from ${source}${where})`;
  const orders = new OrderCompiler(dialect, compiler);
  const terms = plan.order.map((key) => orders.term(key, row));
  const order = orderBy(plan.order.map((key, index) => ordered(terms[index]!.value, key)));
  return sql`select ${columns} from ${source}${joins(terms)}${where}${order} limit 1`;
}

/** The first row that matches, as a select of `output`. Of one document all rows come; the smallest id is meant. */
export function firstRows(dialect: Dialect, plan: AuthorizedReadPlan, output: Fragment): Fragment {
  // To look for the smallest id here would take longer than to find another row beside it.
  if (!isOfOneDocument(plan)) return firstOf(dialect, plan, output);
  const where = new ConditionCompiler(dialect).condition(plan.where!, rowOf(ROOT));
  return sql`select ${output} from ${sql.table(plan.entity.table)} as ${sql.id(ROOT)} where ${where}`;
}

/** The columns of the first row that matches. */
export function compileFirst(dialect: Dialect, plan: AuthorizedReadPlan): Statement {
  const columns = outputs(dialect, plan.entity.columns, rowOf(ROOT));
  return statement(dialect, firstRows(dialect, plan, sql`${sql.join(columns)}`));
}

/** Those of the rows with the given ids that meet a condition. */
export function compileReachable(dialect: Dialect, table: string, where: Condition): Statement<readonly [id: number]> {
  const compiler = new ConditionCompiler(dialect);
  const row = rowOf(ROOT);
  return statement(
    dialect,
    sql`select ${row.column('id')} from ${GIVEN_PARENTS(dialect)} cross join ${sql.table(table)} as ${sql.id(ROOT)} where ${row.column('id')} = ${sql.id('i', 'value')} and ${compiler.condition(where, row)}`,
  );
}

export function compileCount(dialect: Dialect, plan: AuthorizedReadPlan): Statement<readonly [count: number | string]> {
  const compiler = new ConditionCompiler(dialect, 'all');
  const where = plan.where ? sql` where ${compiler.condition(plan.where, rowOf(ROOT))}` : sql``;
  return statement(dialect, sql`select count(*) from ${sql.table(plan.entity.table)} as ${sql.id(ROOT)}${where}`);
}

/** A list whose rows are counted, or its documents where they have rows in several locales. */
export interface CountedList {
  readonly plan: AuthorizedReadPlan;
  readonly what: 'rows' | 'documents';
}

/** The counts of several lists, each with the number of its list. */
export function compileCounts(
  dialect: Dialect,
  lists: readonly CountedList[],
): Statement<readonly [list: number, count: number | string]> {
  const counts = lists.map(({ plan, what }, index) => {
    const compiler = new ConditionCompiler(dialect, 'all');
    const where = plan.where ? sql` where ${compiler.condition(plan.where, rowOf(ROOT))}` : sql``;
    const count = what === 'rows' ? sql`count(*)` : sql`count(distinct ${sql.id(ROOT, 'document_id')})`;
    return sql`select ${sql.lit(index)}, ${count} from ${sql.table(plan.entity.table)} as ${sql.id(ROOT)}${where}`;
  });
  return statement(dialect, sql.join(counts, sql` union all `));
}

export function compileEntity(dialect: Dialect, { entity, limits }: AuthorizedReadPlan): CompiledEntity {
  let count = 0;
  const compile = (one: EntityPlan): CompiledEntity => ({
    columns: one.columns,
    populate: one.populate.map((plan) => {
      const index = count++;
      const parts = plan.kind === 'related' ? [plan.part] : plan.parts;
      const entities = parts.map((part) => compile(part.entity));
      return { plan, index, statement: statement(dialect, populateText(dialect, plan, limits)), entities };
    }),
  });
  return compile(entity);
}

function populateText(dialect: Dialect, plan: PopulatePlan, limits: AnswerLimits): Fragment {
  const cut = cutRows(limits);
  const parents = GIVEN_PARENTS(dialect);
  if (plan.kind === 'related') {
    const { from, order } = relatedSource(dialect, plan, parents);
    if (plan.count) return sql`select ${sql.id('i', 'value')}, count(*) from ${from} group by 1`;
    const { entity } = plan.part;
    if (plan.page) {
      const { rows, source } = pagedSource(dialect, plan, parents, plan.page);
      const ofPage = { parent: sql`w.parent`, from: sql`${source} where ${rows}` };
      const { parent, columns, from: fitting } = rowsThatFit(dialect, entity, ofPage, limits);
      return sql`select ${parent}, ${sql.join(columns)}, w.n, w.total from ${fitting}${orderBy([sql`w.n`])} ${cut}`;
    }
    return wholeLists(dialect, plan.part, { parent: sql.id('i', 'value'), from, order }, limits);
  }
  const width = Math.max(0, ...plan.parts.map(({ entity }) => entity.columns.length));
  const all = mixedText(dialect, plan, { parents }, (entity, rows) => {
    const { columns, ...rest } = plan.count
      ? { ...rows, columns: outputs(dialect, entity.columns, rowOf('t')) }
      : rowsThatFit(dialect, entity, rows, limits);
    const filled = [...columns, ...Array.from({ length: width - columns.length }, () => sql`null`)];
    return { ...rest, written: sql.join(filled) };
  });
  if (plan.page) {
    const { rows, source } = pagedMixed(dialect, plan.page, all);
    return sql`select * from ${source} where ${rows} order by w.n ${cut}`;
  }
  return plan.count
    ? sql`select parent, count(*) from (${all}) as u group by parent`
    : sql`select * from (${all}) as u order by position nulls last, pair ${cut}`;
}

/** Rows `t`, and which parent each belongs to. */
interface PartRows {
  readonly parent: Fragment;
  readonly from: Fragment;
}

/**
 * The same rows with their columns, behind the bytes of all their long values together, `b`. Where these are too many for
 * a response, they are not read, and the parents are null.
 */
function rowsThatFit(dialect: Dialect, { columns }: EntityPlan, rows: PartRows, limits: AnswerLimits): FittingRows {
  const bytes = longBytes(dialect, columns, rowOf('t'));
  if (!bytes) return { ...rows, columns: outputs(dialect, columns, rowOf('t')) };
  const each = sql`(select ${bytes} as bytes from ${rows.from} ${cutRows(limits)}) as u`;
  return behindBytes(dialect, columns, { ...rows, each }, limits);
}

interface FittingRows extends PartRows {
  readonly columns: readonly Fragment[];
}

/** `each`: a table of the `bytes` of each row. */
function behindBytes(
  dialect: Dialect,
  columns: readonly OutputColumn[],
  { parent, from, each }: PartRows & { readonly each: Fragment },
  limits: AnswerLimits,
): FittingRows {
  const written = outputs(dialect, columns, rowOf('t'));
  const ifFits = (value: Fragment): Fragment =>
    sql`case when ${sql.id('b', 'bytes')} <= ${sql.lit(mostPopulatedBytes(limits))} then ${value} end`;
  return {
    parent: ifFits(parent),
    from: sql`(select sum(bytes) as bytes from ${each}) as b cross join ${from}`,
    columns: columns.map(({ type }, index) => (LONG_TYPES.has(type) ? ifFits(written[index]!) : written[index]!)),
  };
}

/**
 * The rows of whole lists. Those of a parent stand together: they are found so, and what is nearly in order is soon
 * sorted. Where rows may be long they are found and sorted by their ids alone, and read once they are weighed.
 */
function wholeLists(
  dialect: Dialect,
  { entity: { table, columns } }: RelatedPart,
  { parent, from, order }: PartRows & { readonly order: readonly Fragment[] },
  limits: AnswerLimits,
): Fragment {
  const inOrder = sql`${orderBy([parent, ...order])} ${cutRows(limits)}`;
  const bytes = longBytes(dialect, columns, rowOf('t'));
  if (!bytes) return sql`select ${parent}, ${sql.join(outputs(dialect, columns, rowOf('t')))} from ${from}${inOrder}`;
  const found = sql`select ${parent} as parent, ${sql.id('t', 'id')} as id, ${bytes} as bytes from ${from}${inOrder}`;
  const row = sql`${sql.table(table)} as ${sql.id('t')} on ${sql.id('t', 'id')} = r.id`;
  const rows = { parent: sql`r.parent`, from: sql`${FOUND} as r ${dialect.nestedJoin} ${row}`, each: FOUND };
  const fitting = behindBytes(dialect, columns, rows, limits);
  return sql`with ${FOUND} as materialized (${found}) select ${fitting.parent}, ${sql.join(fitting.columns)} from ${fitting.from}`;
}

interface RelatedSource {
  readonly from: Fragment;
  readonly row: RowScope;
  readonly order: readonly Fragment[];
}

/** The rows at the end of a step, with the parent's id as `value` of `i`. */
export function relatedSource(
  dialect: Dialect,
  plan: PopulatePlan & { kind: 'related' },
  parents: Fragment,
): RelatedSource {
  const compiler = new ConditionCompiler(dialect);
  const { step, where, entity } = plan.part;
  const row = rowOf('t');
  const parent: RowScope = { ...(step.link ? { column: () => sql.id('i', 'value') } : rowOf('o')), isOneOfFew: true };
  // For the other locales of a document the parents themselves are needed.
  const holders = step.link ? parents : sql`${parents} cross join ${sql.table(entity.table)} as ${sql.id('o')}`;
  const itself = step.link ? sql`` : sql` where ${sql.id('o', 'id')} = ${sql.id('i', 'value')}`;
  const source = compiler.stepSource(step, where, parent, { pair: 'p', target: 't' });
  const orders = new OrderCompiler(dialect, compiler);
  const terms = plan.order.map((key) => orders.term(key, row));
  const from = sql`${holders} ${dialect.nestedJoin} ${source}${joins(terms)}${itself}`;
  const order =
    plan.order.length > 0
      ? plan.order.map((key, index) => ordered(terms[index]!.value, key))
      : [
          ...(step.link?.order ? [sql`${sql.id('p', step.link.order)} nulls last`] : []),
          step.link ? sql.id('p', 'id') : sql.id('t', 'id'),
        ];
  return { from, row, order };
}

interface PagedSource {
  /** Rows `w` with the number `n` of each in the list of its `parent`, and the `total` of that list. */
  readonly source: Fragment;
  /** Those of the page; where a total is asked for also the first of each list, which tells it. */
  readonly rows: Fragment;
}

const numbered = (partition: Fragment, order: readonly Fragment[], { withCount }: PopulatePage): Fragment =>
  sql`row_number() over (partition by ${partition} order by ${sql.join(order)}) as n, ${withCount ? sql`count(*) over (partition by ${partition})` : sql`null`} as total`;

/** The page of each list. Rows are numbered by their ids alone, and the columns are read of those that are shown. */
export function pagedSource(
  dialect: Dialect,
  plan: PopulatePlan & { kind: 'related' },
  parents: Fragment,
  page: PopulatePage,
): PagedSource {
  const { from, row, order } = relatedSource(dialect, plan, parents);
  const parent = sql.id('i', 'value');
  const all = sql`(select ${parent} as parent, ${row.column('id')} as id, ${numbered(parent, order, page)} from ${from}) as w`;
  const table = sql.table(plan.part.entity.table);
  return {
    source: sql`${all} ${dialect.nestedJoin} ${table} as ${sql.id('t')} on ${row.column('id')} = w.id`,
    rows: rowsOfPage(dialect, page),
  };
}

/** The same of lists of several types; `all`: their rows as mixedText makes them. */
export const pagedMixed = (dialect: Dialect, page: PopulatePage, all: Fragment): PagedSource => ({
  source: sql`(select u.*, ${numbered(sql`parent`, [sql`position nulls last`, sql`pair`], page)} from (${all}) as u) as w`,
  rows: rowsOfPage(dialect, page),
});

const boundNumber = (dialect: Dialect, slot: number): Fragment =>
  dialect.input(bind({ from: 'number', slot }), 'biginteger');

/** Whether a numbered row is not before the page. */
export const isShown = (dialect: Dialect, { start }: PopulatePage): Fragment => sql`n > ${boundNumber(dialect, start)}`;

function rowsOfPage(dialect: Dialect, page: PopulatePage): Fragment {
  const [start, limit] = [boundNumber(dialect, page.start), boundNumber(dialect, page.limit)];
  const shown = sql`w.n > ${start} and w.n <= ${start} + ${limit}`;
  return page.withCount ? sql`(w.n = 1 or ${shown})` : shown;
}

type MixedPlan = PopulatePlan & { kind: 'mixed' };

/** Where the rows of a list come from: along the links of parents, or along links that were found already. */
export type MixedSource = { readonly parents: Fragment } | { readonly links: Fragment };

/** The links of parents, of whatever type they lead to, with all columns that mixedText asks for. */
export function mixedLinks(dialect: Dialect, { parts }: MixedPlan, parents: Fragment): Fragment {
  const { table, from, to, order, constants } = parts[0]!.step.link!;
  const columns = new Set([from, to, 'id', ...(order ? [order] : []), ...constants.map(({ column }) => column)]);
  for (const { step } of parts) if (step.among) columns.add(step.among.column);
  const isShared = ({ column, value }: LinkTable['constants'][number]): boolean =>
    parts.every(({ step }) => step.link!.constants.some((one) => one.column === column && one.value === value));
  const conditions = [
    sql`${sql.id('p', from)} = ${sql.id('i', 'value')}`,
    ...constants.filter(isShared).map(({ column, value }) => sql`${sql.id('p', column)} = ${sql.lit(value)}`),
  ];
  const selected = [...columns].map((column) => sql.id('p', column));
  return sql`select ${sql.join(selected)} from ${parents} ${dialect.nestedJoin} ${sql.table(table)} as ${sql.id('p')} on ${and(conditions)}`;
}

/** Rows of `parent, position, pair, part, …`; `write` says what stands for the rows of a part and their columns. */
export function mixedText(
  dialect: Dialect,
  plan: MixedPlan,
  source: MixedSource,
  write: (entity: EntityPlan, rows: PartRows) => PartRows & { readonly written: Fragment },
): Fragment {
  const aliases = { pair: 'p', target: 't' };
  const selects = plan.parts.map(({ step, where, entity }, index) => {
    const compiler = new ConditionCompiler(dialect);
    const position = step.link!.order ? sql.id('p', step.link!.order) : sql`null`;
    const parent = 'links' in source ? sql.id('p', step.link!.from) : sql.id('i', 'value');
    const from =
      'links' in source
        ? compiler.linkedSource(step, where, source.links, aliases)
        : sql`${source.parents} ${dialect.nestedJoin} ${compiler.stepSource(step, where, { column: () => parent, isOneOfFew: true }, aliases)}`;
    const { written, ...rows } = write(entity, { parent, from });
    return sql`select ${rows.parent} as parent, ${position} as position, ${sql.id('p', 'id')} as pair, ${sql.lit(index)} as part, ${written} from ${rows.from}`;
  });
  if (selects.length > 0) return sql`${sql.join(selects, sql` union all `)}`;
  return sql`select 0 as parent, 0 as position, 0 as pair, 0 as part where 1 = 0`;
}

export const outputs = (dialect: Dialect, columns: readonly OutputColumn[], row: RowScope): Fragment[] =>
  columns.map(({ column, type }) => dialect.jsonOutput(row.column(column), type));

const joins = (terms: readonly OrderTerm[]): Fragment =>
  sql`${sql.join(
    terms.flatMap(({ join }) => join ?? []),
    sql``,
  )}`;

export function statement<R extends Row = Row>(dialect: Dialect, text: Fragment): Statement<R> {
  const compiled = text.compile(dialect.composer);
  return { sql: compiled.sql, bindings: compiled.parameters as readonly Binding[] };
}
