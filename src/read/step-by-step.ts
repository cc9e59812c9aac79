// Reads an answer with a statement for each part: one for a list and one more for each populated path. In a database
// in this process a further statement costs microseconds.
import type { Session } from '../db/database.ts';
import type { AnswerLimits, FacetPlan, ReadPlan } from '../plan/read/nodes.ts';
import type { CompiledEntity } from '../sql/compile-read.ts';
import type { Row } from '../sql/statement.ts';
import { facetJson, facetsJson } from './aggregate.ts';
import { type BoundStatement, bindStatement, type Context } from './bind.ts';
import { cursorsOf } from './cursor.ts';
import {
  bindEntity,
  type PopulateSource,
  pageOfRows,
  populateEntity,
  tooManyCharacters,
  writeRow,
} from './populate.ts';
import { firstById, type NamedStatement, type ReadStrategy, runBound, tooLongError } from './read-strategy.ts';

const source =
  (session: Session, context: Context, limits: AnswerLimits): PopulateSource =>
  async ({ plan, statement }, ids) => {
    const rows = await runBound(session, statement, { ...context, ids });
    if (rows.some((row) => row[0] === null)) throw tooManyCharacters(limits);
    const isPlain = plan.kind === 'related' || plan.count;
    const [part, at] = isPlain ? [(): number => 0, 1] : [(row: Row): number => Number(row[3]), 4];
    if (!plan.page) return rows.map((row) => ({ parent: row[0], part: part(row), row, at }));
    return rows.map((row) => {
      const [n, total] = row.slice(-2);
      return { parent: row[0], part: part(row), row, at, n: Number(n), total: total === null ? null : Number(total) };
    });
  };

interface PageFound {
  /** Those that the page shows, in the order of the list. */
  readonly rows: readonly Row[];
  readonly total: number | null;
  /** Whether a page by cursor has another behind it. */
  readonly more: boolean;
}

/** What the statement of a page returned; see compilePage. */
function pageFound({ entity, keyset, limits }: ReadPlan, rows: readonly Row[], withCount: boolean): PageFound {
  const [first] = rows;
  if (!first) return { rows, total: null, more: false };
  const width = entity.columns.length + (keyset ? keyset.order.length + 1 : 0);
  const found = first[width];
  if (found === null) throw tooLongError(limits);
  const total = withCount ? Number(found) : null;
  if (first[0] === null) return { rows: [], total, more: false };
  const more = keyset !== null && Number(first[width - 1]) > rows.length;
  return { rows: keyset?.backward ? rows.toReversed() : rows, total, more };
}

async function readFacets(
  session: Session,
  statements: readonly BoundStatement[],
  facets: readonly FacetPlan[],
  context: Context,
): Promise<{ facets?: string }> {
  if (facets.length === 0) return {};
  const lists: string[] = [];
  for (const [index, statement] of statements.entries())
    lists.push(facetJson(facets[index]!, await runBound(session, statement, context)));
  return { facets: facetsJson(facets, lists) };
}

export const stepByStep: ReadStrategy = {
  preparePage(read, slots, withCount) {
    const entity = bindEntity(read.entity, slots, false);
    const page = bindStatement(read.page(withCount), slots);
    const { plan } = read;
    const facets = plan.facets.map((_, index) => bindStatement(read.facet(index), slots));
    return {
      single: entity.populate.length === 0 && facets.length === 0,
      async run(session, context) {
        const { rows, total, more } = pageFound(plan, await runBound(session, page, context), withCount);
        const ids = `[${rows.map(([id]) => id)}]`;
        const populated =
          rows.length === 0
            ? []
            : await populateEntity(entity, ids, source(session, context, plan.limits), plan.limits);
        const counted = await readFacets(session, facets, plan.facets, context);
        const cursors = plan.keyset && cursorsOf(plan, plan.keyset, { rows, more, values: slots });
        return pageOfRows({ total, ...counted, ...(cursors && { cursors }) }, entity, rows, populated);
      },
    };
  },

  prepareFirst(read, slots) {
    const entity = bindEntity(read.entity, slots, false);
    const first = bindStatement(read.first(), slots);
    const isAlone = entity.populate.length === 0;
    return {
      single: isAlone,
      async run(session, context) {
        const row = firstById(await runBound(session, first, context));
        if (!row) return null;
        if (isAlone) return writeRow(entity, row, []);
        return writeRow(
          entity,
          row,
          await populateEntity(entity, `[${row[0]}]`, source(session, context, read.plan.limits), read.plan.limits),
        );
      },
    };
  },

  describe(read, slots, kind) {
    const named = (title: string, statement: Parameters<typeof bindStatement>[0]): NamedStatement => ({
      title,
      statement: bindStatement(statement, slots),
    });
    const root =
      kind === 'first'
        ? [named('the entry', read.first())]
        : [
            kind === 'page and total'
              ? named('entries of the page, and total', read.page(true))
              : named('entries of the page', read.page(false)),
            ...read.plan.facets.map(({ name }, index) => named(`facet ${name}`, read.facet(index))),
          ];
    const populates = (entity: CompiledEntity, path: readonly string[]): NamedStatement[] =>
      entity.populate.flatMap(({ plan, statement, entities }) => {
        const here = [...path, plan.key];
        return [named(`populate ${here.join('.')}`, statement), ...entities.flatMap((below) => populates(below, here))];
      });
    return [...root, ...populates(read.entity, [])];
  },
};
