// Reads an answer with one statement, which returns its parts as JSON. For a database at the end of a wire, where each
// further statement is a round trip.
import type { Session } from '../db/database.ts';
import type { AnswerLimits, ReadPlan } from '../plan/read/nodes.ts';
import { type AnswerPart, facetPart, isTooLong, READ, ROWS, STATE, TOTAL } from '../sql/compile-answer.ts';
import type { Row } from '../sql/statement.ts';
import { facetJson, facetsJson } from './aggregate.ts';
import { type BoundStatement, bindStatement, type Context } from './bind.ts';
import type { CompiledRead } from './compiled-read.ts';
import { cursorsOf } from './cursor.ts';
import {
  type BoundPopulate,
  bindEntity,
  type PopulatedRow,
  type PopulateSource,
  pageOfRows,
  populateEntity,
  TOO_LONG_ROW,
  tooManyCharacters,
  writeRow,
} from './populate.ts';
import { firstById, type ReadStrategy, runBound, tooLongError } from './read-strategy.ts';

interface Answer {
  readonly rows: readonly Row[];
  readonly total: number | null;
  readonly state: string | null;
  /** How many rows were read for a page by cursor. */
  readonly read: number;
  readonly source: PopulateSource;
  readonly facets: readonly (readonly Row[])[];
}

/** The parts of an answer under their numbers, each a JSON list or several that follow one another. */
class Parts {
  readonly #parts = new Map<number, AnswerPart[]>();

  constructor(rows: readonly AnswerPart[]) {
    for (const row of rows) {
      const part = this.#parts.get(row[0]);
      if (part) part.push(row);
      else this.#parts.set(row[0], [row]);
    }
  }

  text(part: number): string | null | undefined {
    return this.#parts.get(part)?.[0]?.[1];
  }

  list(part: number): Row[] {
    const lists = this.#parts.get(part);
    if (!lists) return [];
    if (lists.length === 1) return JSON.parse(lists[0]![1] ?? '[]');
    return lists.toSorted(([, , left], [, , right]) => left - right).flatMap(([, json]): Row[] => JSON.parse(json!));
  }
}

/** The populated rows of a part. In place of those that are too long for any response stands their number. */
function populatedRows(
  parts: Parts,
  { plan, index }: Pick<BoundPopulate, 'plan' | 'index'>,
  limits: AnswerLimits,
): PopulatedRow[] {
  const text = parts.text(index);
  if (text && !text.startsWith('[')) return new Array(Number(text)).fill(TOO_LONG_ROW);
  return parts.list(index).map(([parent, data, part, n, total]) => {
    if (plan.count) return { parent, part: 0, row: [data], at: 0 };
    if (data === null) throw tooManyCharacters(limits);
    const row = { parent, part: Number(part ?? 0), row: data as Row, at: 0 };
    return plan.page ? { ...row, n: Number(n), total: total === null ? null : Number(total) } : row;
  });
}

async function readAnswer(
  session: Session,
  answer: BoundStatement<AnswerPart>,
  context: Context,
  { limits, facets }: Pick<ReadPlan, 'limits' | 'facets'>,
): Promise<Answer> {
  const parts = new Parts(await runBound(session, answer, context));
  if (isTooLong(parts.text(ROWS))) throw tooLongError(limits);
  const total = parts.text(TOTAL);
  return {
    rows: parts.list(ROWS),
    total: total === undefined ? null : Number(total),
    state: parts.text(STATE) ?? null,
    read: Number(parts.text(READ) ?? 0),
    facets: facets.map((_, index) => parts.list(facetPart(index))),
    source: (populate) => populatedRows(parts, populate, limits),
  };
}

export const singleStatement: ReadStrategy = {
  preparePage(read, slots, withCount, lists) {
    const entity = bindEntity(read.entity, slots, true);
    const answer = bindStatement(read.answer(withCount ? 'page and total' : 'page', lists), slots);
    const { plan } = read;
    return {
      single: true,
      answer,
      async run(session, context) {
        const found = await readAnswer(session, answer, context, plan);
        const { total, state, source, facets } = found;
        const rows = plan.keyset?.backward ? found.rows.toReversed() : found.rows;
        const populated = await populateEntity(entity, '', source, plan.limits);
        const counted = facets.map((rows, index) => facetJson(plan.facets[index]!, rows));
        const cursors =
          plan.keyset && cursorsOf(plan, plan.keyset, { rows, more: found.read > rows.length, values: slots });
        const rest = {
          total,
          state,
          ...(facets.length > 0 && { facets: facetsJson(plan.facets, counted) }),
          ...(cursors && { cursors }),
        };
        return pageOfRows(rest, entity, rows, populated);
      },
    };
  },

  prepareFirst(read, slots, lists) {
    const entity = bindEntity(read.entity, slots, true);
    if (isRowAlone(read)) {
      const first = bindStatement(read.firstAsJson(), slots);
      return {
        single: true,
        answer: first,
        async run(session, context) {
          const found = await runBound(session, first, context);
          const row = firstById(found.map(([json]): Row => JSON.parse(json)));
          return row ? writeRow(entity, row, []) : null;
        },
      };
    }
    const answer = bindStatement(read.answer('first', lists), slots);
    return {
      single: true,
      answer,
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
      : { title: 'the whole answer', statement: bindStatement(read.answer(kind, 'whole'), slots) },
  ],
};

/** A single row with nothing around it needs no numbered parts. */
const isRowAlone = ({ plan }: CompiledRead): boolean => plan.entity.populate.length === 0;
