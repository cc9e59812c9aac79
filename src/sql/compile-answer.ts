// Read plan → one statement for the whole answer, which suits a database at the end of a wire. It returns rows of
// `part, JSON, chunk`: the rows of the page, their total, and each populated path under its number, in chunks.
import { sql } from 'kysely';
import type { AnswerLimits, EntityPlan, FacetPlan, PopulatePlan } from '../plan/read/nodes.ts';
import type { AuthorizedReadPlan } from '../plan/read/plan-read.ts';
import type { PopulatePage } from '../request/read-request.ts';
import { linksTable, PAGE, partTable, READ_AHEAD } from './common-tables.ts';
import { facetRows } from './compile-aggregate.ts';
import { bindContext, type RowScope, rowOf } from './compile-condition.ts';
import { keysetValues, ROOT } from './compile-keyset.ts';
import {
  cutRows,
  firstOf,
  firstRows,
  isShown,
  isUnlimited,
  longBytes,
  type MixedSource,
  mixedLinks,
  mixedText,
  mostPopulatedBytes,
  outputs,
  pagedMixed,
  pagedSource,
  pageOf,
  relatedSource,
  statement,
} from './compile-read.ts';
import type { Dialect, Fragment } from './dialect.ts';
import type { Statement } from './statement.ts';

/** Numbers of the parts of an answer that are not populated paths. */
export const ROWS = -1;
export const TOTAL = -2;
/** Of a page by cursor: how many rows were read, of which the page shows all but one more. */
export const READ = -3;

/** Of a page of a long list: the state of the data that it is from. */
export const STATE = -4;

/**
 * The transactions that a statement sees: the same twice means the same data, as long as it is the same server. On a
 * replica it does not say which transactions are under way. Engines that only speak PostgreSQL, whose versions look
 * different, count transactions in ways of their own.
 */
const STATE_OF_DATA = sql`case when not pg_is_in_recovery() and version() ~ '^PostgreSQL [0-9.]+ ' then concat(pg_current_snapshot(), ' ', pg_postmaster_start_time()) end`;

/** Whether the rows of a page, as JSON, stand for rows that are too long for a response. */
export const isTooLong = (rows: string | null | undefined): boolean => rows?.startsWith('[null') === true;

/** Facets have the numbers from here on down. */
const FIRST_FACET = -10;
export const facetPart = (index: number): number => FIRST_FACET - index;

export type AnswerKind = 'first' | 'page' | 'page and total';

export type AnswerPart = readonly [part: number, json: string | null, chunk: number];

/**
 * How populated rows are returned: each path as one list; or, where there may be many, in chunks, and not at all where no
 * response has room for them. The driver reads a row of a result at one go, and all others would wait while it reads
 * megabytes. For few rows it is faster to make one list of them. A long list also tells its state: see KnownTotals.
 */
export type ListForm = 'whole' | 'chunks' | 'chunks and state';

/** So many types of a list are looked for one by one. */
const FEW_TYPES = 8;

/** Populated rows of a chunk. */
const CHUNK_ROWS = 1_000;
/** The same where lists come in pages: so many rows of each list. */
const CHUNK_LIST_ROWS = 16;

/**
 * Rows as PostgreSQL writes them have at most half as many characters again as in a response: a blank behind each comma
 * and colon, but no names.
 */
const ROW_CHARACTERS = 1.5;

/** The columns of the first row that matches, as one JSON list. */
export function compileFirstAsJson(dialect: Dialect, plan: AuthorizedReadPlan): Statement<readonly [json: string]> {
  const columns = outputs(dialect, plan.entity.columns, rowOf(ROOT));
  return statement(dialect, firstRows(dialect, plan, sql`${jsonRow(columns)}::text`));
}

export function compileAnswer(
  dialect: Dialect,
  plan: AuthorizedReadPlan,
  kind: AnswerKind,
  lists: ListForm,
): Statement<AnswerPart> {
  const page = kind === 'first' ? null : pageOf(dialect, plan, kind === 'page and total');
  const ids = page ? page.ids : firstOf(dialect, plan, sql`${sql.id(ROOT, 'id')} as id`);
  const answer = new AnswerParts(dialect, plan.limits, lists);
  if (page?.matching) answer.tables.push(page.matching);
  // As an array the page is of no guessed size, so one plan serves every page.
  const read = sql`as materialized (select id, n from unnest(array(${ids})) with ordinality as o(id, n))`;
  const isCut = plan.keyset !== null && page !== null;
  if (isCut)
    answer.tables.push(
      sql`${READ_AHEAD} ${read}`,
      sql`${PAGE} as (select id, n from ${READ_AHEAD} where n <= ${bindContext('limit')}::int8)`,
    );
  else answer.tables.push(sql`${PAGE} ${read}`);
  const columns = outputs(dialect, plan.entity.columns, rowOf(ROOT));
  if (isCut) columns.push(...keysetValues(dialect, plan));
  const row = page ? rowThatFits(dialect, plan, jsonRow(columns)) : jsonRow(columns);
  const rows = sql`select g.n, ${row} as data from ${PAGE} as g join ${sql.table(plan.entity.table)} as ${sql.id(ROOT)} on ${sql.id(ROOT, 'id')} = g.id`;
  answer.results.push(
    sql`select ${sql.lit(ROWS)} as part, (select json_agg(data order by n) from (${rows}) as r)::text as value, 0::float8 as chunk`,
  );
  if (kind === 'page and total') answer.results.push(sql`select ${sql.lit(TOTAL)}, ${page!.total}::text, 0`);
  if (isCut) answer.results.push(sql`select ${sql.lit(READ)}, (select count(*) from ${READ_AHEAD})::text, 0`);
  if (page && lists === 'chunks and state') answer.results.push(sql`select ${sql.lit(STATE)}, ${STATE_OF_DATA}, 0`);
  if (page)
    for (const [index, facet] of plan.facets.entries()) answer.results.push(facetResult(dialect, plan, facet, index));
  answer.populate(plan.entity, sql`(select id as value from ${PAGE}) as ${sql.id('i')}`);
  return statement(dialect, sql`with ${sql.join(answer.tables)} ${sql.join(answer.results, sql` union all `)}`);
}

/**
 * A row of a page as JSON; null where the long values of all of its rows together are too long for a response. They are
 * measured in the pass that reads the rows: to look each of them up once more costs a sixth of such a statement.
 */
function rowThatFits(dialect: Dialect, { entity, limits }: AuthorizedReadPlan, json: Fragment): Fragment {
  const bytes = longBytes(dialect, entity.columns, rowOf(ROOT));
  if (!bytes) return json;
  return sql`case when ${isUnlimited(sql`${bindContext('limit')}::int8`)} or sum(${bytes}) over () <= ${sql.lit(limits.pageBytes)} then ${json} end`;
}

function facetResult(dialect: Dialect, plan: AuthorizedReadPlan, facet: FacetPlan, index: number): Fragment {
  const rows = sql`(${facetRows(dialect, plan, facet)}) as f(value, count)`;
  const lists = sql`select json_build_array(f.value, f.count) as pair, row_number() over () as n from ${rows}`;
  return sql`select ${sql.lit(facetPart(index))}, (select json_agg(pair order by n) from (${lists}) as f)::text, 0`;
}

type RelatedPlan = PopulatePlan & { kind: 'related' };
type MixedPlan = PopulatePlan & { kind: 'mixed' };

/** Collects a table and a result for each populated path, numbered in the order in which they are met. */
class AnswerParts {
  readonly tables: Fragment[] = [];
  readonly results: Fragment[] = [];
  readonly #dialect: Dialect;
  readonly #cut: Fragment;
  readonly #mostCharacters: Fragment;
  readonly #mostBytes: Fragment;
  readonly #lists: ListForm;
  #count = 0;

  constructor(dialect: Dialect, limits: AnswerLimits, lists: ListForm) {
    this.#dialect = dialect;
    this.#cut = cutRows(limits);
    this.#lists = lists;
    this.#mostCharacters = sql.lit(Math.ceil(limits.populatedCharacters * ROW_CHARACTERS));
    this.#mostBytes = sql.lit(mostPopulatedBytes(limits));
  }

  populate(entity: EntityPlan, parents: Fragment): void {
    for (const populate of entity.populate) {
      const index = this.#count++;
      if (populate.kind === 'mixed') this.#mixed(populate, index, parents);
      else if (populate.page) this.#pageOfRelated(populate, index, parents, populate.page);
      else this.#related(populate, index, parents);
    }
  }

  #related(populate: RelatedPlan, index: number, parents: Fragment): void {
    const name = partTable(index);
    const { from, row, order } = relatedSource(this.#dialect, populate, parents);
    const data = this.#row(populate.part.entity, row);
    const rows = populate.count
      ? sql`select ${sql.id('i', 'value')} as parent, count(*) as id, 0 as n, null::json as data from ${from} group by 1`
      : sql`select ${sql.id('i', 'value')} as parent, ${row.column('id')} as id, row_number() over (order by ${sql.join(order)}) as n, ${data} as data from ${from} ${this.#cut}`;
    this.tables.push(sql`${name} as materialized (${rows})`);
    if (populate.count) this.results.push(whole(index, name, sql`json_build_array(parent, id)`));
    else
      this.results.push(
        populate.many && this.#lists !== 'whole' ? this.#listsThatFit(index, name) : whole(index, name, ROW),
      );
    this.populate(populate.part.entity, sql`(select distinct id as value from ${name}) as ${sql.id('i')}`);
  }

  /** A row as JSON; null where the long values of all rows together have more bytes than a response has room for. */
  #row({ columns }: EntityPlan, row: RowScope): Fragment {
    const json = jsonRow(outputs(this.#dialect, columns, row));
    const bytes = longBytes(this.#dialect, columns, row);
    if (!bytes) return json;
    return sql`case when sum(${bytes}) over () <= ${this.#mostBytes} then ${json} end`;
  }

  #list(index: number, name: Fragment, row: Fragment, chunk: Fragment): Fragment {
    if (this.#lists === 'whole') return whole(index, name, row);
    return sql`select ${sql.lit(index)}, json_agg(${row} order by n)::text, (${chunk})::float8 from ${name} group by 3`;
  }

  /** In place of lists that are too long for any response: how many rows they have. */
  #listsThatFit(index: number, name: Fragment): Fragment {
    const lists = sql`select json_agg(${ROW} order by n)::text as value, (${CHUNK})::float8 as chunk, count(*) as rows, sum(length(data::text)) as length from ${name} group by 2`;
    return sql`select ${sql.lit(index)}, case when sum(length) over () <= ${this.#mostCharacters} then value else (sum(rows) over ())::text end, chunk from (${lists}) as u`;
  }

  #pageOfRelated(populate: RelatedPlan, index: number, parents: Fragment, page: PopulatePage): void {
    const data = this.#row(populate.part.entity, rowOf('t'));
    const { source, rows } = pagedSource(this.#dialect, populate, parents, page);
    const name = partTable(index);
    this.tables.push(
      sql`${name} as materialized (select w.parent, w.id, w.n, w.total, 0 as part, ${data} as data from ${source} where ${rows} ${this.#cut})`,
    );
    this.results.push(this.#list(index, name, PAGE_ROW, PAGE_CHUNK));
    const shown = sql`(select distinct id as value from ${name} where ${isShown(this.#dialect, page)}) as ${sql.id('i')}`;
    this.populate(populate.part.entity, shown);
  }

  #mixed(populate: MixedPlan, index: number, parents: Fragment): void {
    const name = partTable(index);
    const rows =
      populate.parts.length === 0
        ? sql`select 0 as parent, 0 as position, 0 as pair, 0 as part, 0 as id, null::json as data where false`
        : mixedText(this.#dialect, populate, this.#mixedSource(populate, index, parents), (entity, rows) => ({
            ...rows,
            written: sql`${sql.id('t', 'id')} as id, ${this.#row(entity, rowOf('t'))} as data`,
          }));
    const { page } = populate;
    if (page) {
      const { source, rows: ofPage } = pagedMixed(this.#dialect, page, rows);
      this.tables.push(sql`${name} as materialized (select * from ${source} where ${ofPage} ${this.#cut})`);
      this.results.push(this.#list(index, name, PAGE_ROW, PAGE_CHUNK));
    } else {
      this.tables.push(
        sql`${name} as materialized (select *, row_number() over (order by position nulls last, pair) as n from (${rows}) as u ${this.#cut})`,
      );
      this.results.push(
        populate.count
          ? sql`select ${sql.lit(index)}, (select json_agg(json_build_array(parent, c)) from (select parent, count(*) as c from ${name} group by parent) as u)::text, 0`
          : this.#list(index, name, sql`json_build_array(parent, data, part)`, CHUNK),
      );
    }
    const shown = page ? sql` and ${isShown(this.#dialect, page)}` : sql``;
    for (const [part, { entity }] of populate.parts.entries())
      this.populate(
        entity,
        sql`(select distinct id as value from ${name} where part = ${sql.lit(part)}${shown}) as ${sql.id('i')}`,
      );
  }

  /** Of many types the links are found once, and not once for each type that they could lead to. */
  #mixedSource(populate: MixedPlan, index: number, parents: Fragment): MixedSource {
    if (populate.parts.length <= FEW_TYPES) return { parents };
    const links = linksTable(index);
    this.tables.push(sql`${links} as materialized (${mixedLinks(this.#dialect, populate, parents)})`);
    return { links };
  }
}

const ROW = sql`json_build_array(parent, data)`;
const CHUNK = sql`(n - 1) / ${sql.lit(CHUNK_ROWS)}`;
/** A row of the page of a list has its number there, and the total of the list. */
const PAGE_ROW = sql`json_build_array(parent, data, part, n, total)`;
const PAGE_CHUNK = sql`n / ${sql.lit(CHUNK_LIST_ROWS)}`;

/** The rows of a path as one list. */
const whole = (index: number, name: Fragment, row: Fragment): Fragment =>
  sql`select ${sql.lit(index)}, (select json_agg(${row} order by n) from ${name})::text, 0`;

/** PostgreSQL functions take at most 100 arguments; a wider row is put together from several arrays. */
const MAX_ARGUMENTS = 90;

function jsonRow(columns: readonly Fragment[]): Fragment {
  if (columns.length <= MAX_ARGUMENTS) return sql`json_build_array(${sql.join(columns)})`;
  const chunks: Fragment[] = [];
  for (let start = 0; start < columns.length; start += MAX_ARGUMENTS)
    chunks.push(sql`jsonb_build_array(${sql.join(columns.slice(start, start + MAX_ARGUMENTS))})`);
  return sql`(${sql.join(chunks, sql` || `)})::json`;
}
