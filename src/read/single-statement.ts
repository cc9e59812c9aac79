// Reads an answer with one statement, which returns its parts as JSON. For a database at the end of a wire, where each
// further statement is a round trip.
import type { Session } from '../db/database.ts';
import type { ReadPlan } from '../plan/read/nodes.ts';
import { type AnswerPart, facetPart, READ, ROWS, TOO_LONG, TOTAL } from '../sql/compile-answer.ts';
import type { Row } from '../sql/statement.ts';
import { facetJson, facetsJson } from './aggregate.ts';
import { type BoundStatement, bindStatement, type Context } from './bind.ts';
import type { CompiledRead } from './compiled-read.ts';
import { cursorsOf } from './cursor.ts';
import { bindEntity, type PopulateSource, pageOfRows, populateEntity, writeRow } from './populate.ts';
import { firstById, type ReadStrategy, runBound, tooLongError } from './read-strategy.ts';

interface Answer {
  readonly rows: readonly Row[];
  readonly total: number | null;
  /** How many rows were read for a page by cursor. */
  readonly read: number;
  readonly source: PopulateSource;
  readonly facets: readonly (readonly Row[])[];
}

/** The parts of an answer, each a JSON list under its number. */
async function readAnswer(
  session: Session,
  answer: BoundStatement<AnswerPart>,
  context: Context,
  { limits, facets }: Pick<ReadPlan, 'limits' | 'facets'>,
): Promise<Answer> {
  const parts = new Map<number, string | null>();
  for (const [part, json] of await runBound(session, answer, context)) parts.set(part, json);
  if (parts.get(ROWS) === TOO_LONG) throw tooLongError(limits);
  const listAt = (part: number): Row[] => JSON.parse(parts.get(part) ?? '[]');
  const total = parts.get(TOTAL);
  return {
    rows: listAt(ROWS),
    total: total === undefined ? null : Number(total),
    read: Number(parts.get(READ) ?? 0),
    facets: facets.map((_, index) => listAt(facetPart(index))),
    source: ({ plan, index }) =>
      listAt(index).map(([parent, data, part, n, total]) => {
        if (plan.count) return { parent, part: 0, row: [data], at: 0 };
        const row = { parent, part: Number(part ?? 0), row: data as Row, at: 0 };
        return plan.page ? { ...row, n: n as number, total: total as number | null } : row;
      }),
  };
}

export const singleStatement: ReadStrategy = {
  preparePage(read, slots, withCount) {
    const entity = bindEntity(read.entity, slots, true);
    const answer = bindStatement(read.answer(withCount ? 'page and total' : 'page'), slots);
    const { plan } = read;
    return {
      single: true,
      async run(session, context) {
        const { rows: found, total, read: count, source, facets } = await readAnswer(session, answer, context, plan);
        const rows = plan.keyset?.backward ? found.toReversed() : found;
        const populated = await populateEntity(entity, '', source, plan.limits);
        const counted = facets.map((rows, index) => facetJson(plan.facets[index]!, rows));
        const cursors = plan.keyset && cursorsOf(plan, plan.keyset, { rows, more: count > rows.length, values: slots });
        const rest = {
          total,
          ...(facets.length > 0 && { facets: facetsJson(plan.facets, counted) }),
          ...(cursors && { cursors }),
        };
        return pageOfRows(rest, entity, rows, populated);
      },
    };
  },

  prepareFirst(read, slots) {
    const entity = bindEntity(read.entity, slots, true);
    if (isRowAlone(read)) {
      const first = bindStatement(read.firstAsJson(), slots);
      return {
        single: true,
        async run(session, context) {
          const found = await runBound(session, first, context);
          const row = firstById(found.map(([json]): Row => JSON.parse(json)));
          return row ? writeRow(entity, row, []) : null;
        },
      };
    }
    const answer = bindStatement(read.answer('first'), slots);
    return {
      single: true,
      async run(session, context) {
        const { rows, source } = await readAnswer(session, answer, context, read.plan);
        const [row] = rows;
        return row ? writeRow(entity, row, await populateEntity(entity, '', source, read.plan.limits)) : null;
      },
    };
  },

  describe: (read, slots, kind) => [
    kind === 'first' && isRowAlone(read)
      ? { title: 'the entry', statement: bindStatement(read.firstAsJson(), slots) }
      : { title: 'the whole answer', statement: bindStatement(read.answer(kind), slots) },
  ],
};

/** A single row with nothing around it needs no numbered parts. */
const isRowAlone = ({ plan }: CompiledRead): boolean => plan.entity.populate.length === 0;
