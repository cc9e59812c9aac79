// Reads an answer with a statement for each part: two for a list and one more for each populated path. In a database
// in this process a further statement costs microseconds.
import type { Session } from '../db/database.ts';
import type { KeysetPlan } from '../plan/read/nodes.ts';
import type { CompiledEntity } from '../sql/compile-read.ts';
import type { Row } from '../sql/statement.ts';
import { bindStatement, type Context } from './bind.ts';
import { cursorsOf } from './cursor.ts';
import { bindEntity, joinRows, type PopulateSource, populateEntity, writeRow } from './populate.ts';
import { firstById, type NamedStatement, type ReadStrategy, runBound, tooLongError } from './read-strategy.ts';

const source =
  (session: Session, context: Context): PopulateSource =>
  async ({ plan, statement }, ids) => {
    const rows = await runBound(session, statement, { ...context, ids });
    return plan.kind === 'related' || plan.count
      ? rows.map((row) => ({ parent: row[0], part: 0, row, at: 1 }))
      : rows.map((row) => ({ parent: row[0], part: Number(row[3]), row, at: 4 }));
  };

/** Rows come back as the database found them; the page's order is that of its ids. */
function inOrder(rows: readonly Row[], idText: string): readonly Row[] {
  const ids: number[] = JSON.parse(idText);
  if (rows.length === ids.length && rows.every((row, index) => row[0] === ids[index])) return rows;
  const byId = new Map(rows.map((row) => [row[0], row]));
  return ids.map((id) => byId.get(id)).filter((row) => row !== undefined);
}

/** Of the ids that were read for a page by cursor, those that it shows, in the order of the list. */
function cut({ backward }: KeysetPlan, idText: string, limit: number): { ids: string; more: boolean } {
  const ids: number[] = JSON.parse(idText);
  const shown = ids.slice(0, limit);
  return { ids: JSON.stringify(backward ? shown.reverse() : shown), more: ids.length > limit };
}

export const stepByStep: ReadStrategy = {
  preparePage(read, slots, withCount) {
    const entity = bindEntity(read.entity, slots, false);
    const page = bindStatement(read.page(withCount), slots);
    const statement = bindStatement(read.rows(), slots);
    const { plan } = read;
    return {
      async run(session, context) {
        const [found] = await runBound(session, page, context);
        const [total, idText] = found!;
        const { ids, more } = plan.keyset
          ? cut(plan.keyset, idText, Number(context.limit))
          : { ids: idText, more: false };
        const rows = ids === '[]' ? [] : await runBound(session, statement, { ...context, ids });
        if (rows.length === 0 && ids !== '[]') throw tooLongError(plan.limits);
        const ordered = inOrder(rows, ids);
        const populated = ids === '[]' ? [] : await populateEntity(entity, ids, source(session, context), plan.limits);
        const entries = joinRows(entity, ordered, populated);
        return plan.keyset
          ? { entries, total, cursors: cursorsOf(plan, plan.keyset, { rows: ordered, more, values: slots }) }
          : { entries, total };
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
          await populateEntity(entity, `[${row[0]}]`, source(session, context), read.plan.limits),
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
            named('ids of the page and total', read.page(kind === 'page and total')),
            named('columns of the page', read.rows()),
          ];
    const populates = (entity: CompiledEntity, path: readonly string[]): NamedStatement[] =>
      entity.populate.flatMap(({ plan, statement, entities }) => {
        const here = [...path, plan.key];
        return [named(`populate ${here.join('.')}`, statement), ...entities.flatMap((below) => populates(below, here))];
      });
    return [...root, ...populates(read.entity, [])];
  },
};
