// Read plan → one statement for the whole answer, which suits a database at the end of a wire. It returns rows of
// `part, JSON`: the rows of the page, their total, and each populated path under its number.
import { sql } from 'kysely';
import type { AnswerLimits, EntityPlan, PopulatePlan } from '../plan/read/nodes.ts';
import type { AuthorizedReadPlan } from '../plan/read/plan-read.ts';
import { bindContext, rowOf } from './compile-condition.ts';
import { keysetValues, ROOT } from './compile-keyset.ts';
import {
  cutRows,
  firstOf,
  firstRows,
  fitsResponse,
  mixedText,
  outputs,
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

/** Stands for the rows of a page that are too long for a response. */
export const TOO_LONG = 'too long';

export type AnswerKind = 'first' | 'page' | 'page and total';

export type AnswerPart = readonly [part: number, json: string | null];

/** The columns of the first row that matches, as one JSON list. */
export function compileFirstAsJson(dialect: Dialect, plan: AuthorizedReadPlan): Statement<readonly [json: string]> {
  const columns = outputs(dialect, plan.entity.columns, rowOf(ROOT));
  return statement(dialect, firstRows(dialect, plan, sql`${jsonRow(columns)}::text`));
}

export function compileAnswer(dialect: Dialect, plan: AuthorizedReadPlan, kind: AnswerKind): Statement<AnswerPart> {
  const page = kind === 'first' ? null : pageOf(dialect, plan, kind === 'page and total');
  const ids = page ? page.ids : firstOf(dialect, plan, sql`${sql.id(ROOT, 'id')} as id`);
  const answer = new AnswerParts(dialect, plan.limits);
  if (page?.matching) answer.tables.push(page.matching);
  // As an array the page is of no guessed size, so one plan serves every page.
  const read = sql`as materialized (select id, n from unnest(array(${ids})) with ordinality as o(id, n))`;
  const isCut = plan.keyset !== null && page !== null;
  if (isCut)
    answer.tables.push(sql`a ${read}`, sql`g as (select id, n from a where n <= ${bindContext('limit')}::int8)`);
  else answer.tables.push(sql`g ${read}`);
  const columns = outputs(dialect, plan.entity.columns, rowOf(ROOT));
  if (isCut) columns.push(...keysetValues(dialect, plan));
  const rows = sql`(select json_agg(${jsonRow(columns)} order by g.n) from g join ${sql.table(plan.entity.table)} as ${sql.id(ROOT)} on ${sql.id(ROOT, 'id')} = g.id)::text`;
  const fits = page && fitsResponse(dialect, plan, sql`(select id as value from g) as ${sql.id('i')}`);
  const value = fits ? sql`case when ${fits} then ${rows} else ${sql.lit(TOO_LONG)} end` : rows;
  answer.results.push(sql`select ${sql.lit(ROWS)} as part, ${value} as value`);
  if (kind === 'page and total') answer.results.push(sql`select ${sql.lit(TOTAL)}, ${page!.total}::text`);
  if (isCut) answer.results.push(sql`select ${sql.lit(READ)}, (select count(*) from a)::text`);
  answer.populate(plan.entity, sql`(select id as value from g) as ${sql.id('i')}`);
  return statement(dialect, sql`with ${sql.join(answer.tables)} ${sql.join(answer.results, sql` union all `)}`);
}

type RelatedPlan = PopulatePlan & { kind: 'related' };
type MixedPlan = PopulatePlan & { kind: 'mixed' };

/** Collects a table and a result for each populated path, numbered in the order in which they are met. */
class AnswerParts {
  readonly tables: Fragment[] = [];
  readonly results: Fragment[] = [];
  readonly #dialect: Dialect;
  readonly #cut: Fragment;
  #count = 0;

  constructor(dialect: Dialect, limits: AnswerLimits) {
    this.#dialect = dialect;
    this.#cut = cutRows(limits);
  }

  populate(entity: EntityPlan, parents: Fragment): void {
    for (const populate of entity.populate) {
      const index = this.#count++;
      if (populate.kind === 'related') this.#related(populate, index, parents);
      else this.#mixed(populate, index, parents);
    }
  }

  #related(populate: RelatedPlan, index: number, parents: Fragment): void {
    const name = sql.id(`c${index}`);
    const { from, row, order } = relatedSource(this.#dialect, populate, parents);
    const columns = outputs(this.#dialect, populate.part.entity.columns, row);
    const rows = populate.count
      ? sql`select ${sql.id('i', 'value')} as parent, count(*) as id, 0 as n, null::json as data from ${from} group by 1`
      : sql`select ${sql.id('i', 'value')} as parent, ${row.column('id')} as id, row_number() over (order by ${sql.join(order)}) as n, ${jsonRow(columns)} as data from ${from} ${this.#cut}`;
    this.tables.push(sql`${name} as materialized (${rows})`);
    const value = populate.count ? sql`json_build_array(parent, id)` : sql`json_build_array(parent, data)`;
    this.results.push(sql`select ${sql.lit(index)}, (select json_agg(${value} order by n) from ${name})::text`);
    this.populate(populate.part.entity, sql`(select distinct id as value from ${name}) as ${sql.id('i')}`);
  }

  #mixed(populate: MixedPlan, index: number, parents: Fragment): void {
    const name = sql.id(`c${index}`);
    const rows =
      populate.parts.length === 0
        ? sql`select 0 as parent, 0 as position, 0 as pair, 0 as part, 0 as id, null::json as data where false`
        : mixedText(
            this.#dialect,
            populate,
            parents,
            (columns) => sql`${sql.id('t', 'id')} as id, ${jsonRow(columns)} as data`,
          );
    this.tables.push(
      sql`${name} as materialized (select *, row_number() over (order by position, pair) as n from (${rows}) as u ${this.#cut})`,
    );
    this.results.push(
      populate.count
        ? sql`select ${sql.lit(index)}, (select json_agg(json_build_array(parent, c)) from (select parent, count(*) as c from ${name} group by parent) as u)::text`
        : sql`select ${sql.lit(index)}, (select json_agg(json_build_array(parent, data, part) order by n) from ${name})::text`,
    );
    for (const [part, { entity }] of populate.parts.entries())
      this.populate(
        entity,
        sql`(select distinct id as value from ${name} where part = ${sql.lit(part)}) as ${sql.id('i')}`,
      );
  }
}

/** PostgreSQL functions take at most 100 arguments; a wider row is put together from several arrays. */
const MAX_ARGUMENTS = 90;

function jsonRow(columns: readonly Fragment[]): Fragment {
  if (columns.length <= MAX_ARGUMENTS) return sql`json_build_array(${sql.join(columns)})`;
  const chunks: Fragment[] = [];
  for (let start = 0; start < columns.length; start += MAX_ARGUMENTS)
    chunks.push(sql`jsonb_build_array(${sql.join(columns.slice(start, start + MAX_ARGUMENTS))})`);
  return sql`(${sql.join(chunks, sql` || `)})::json`;
}
