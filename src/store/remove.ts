// Deleting rows of documents with all that belongs to them. Links go with the rows by foreign key; the lists they
// leave are closed up, so that positions stay dense.
import { memoize } from '../memoize.ts';
import { linkAttributes, oneWayTo } from '../model/links.ts';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { ContentType, Model } from '../model/types.ts';
import type { GatherPart } from '../sql/gather-statements.ts';
import { deleteBelow, holdsComponents, itemTablesOf } from './components.ts';
import { gather } from './gather.ts';
import { listsOf, listsTo } from './publication-records.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** A list that loses entries: its table, the columns of its row and its positions, and the rows concerned. */
interface Gap {
  readonly table: string;
  readonly holder: string;
  readonly position: string;
  readonly holders: readonly number[];
}

export async function removeRows(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const gaps = await gatherGaps(write, type, ids);
  await deleteBelow(write, type, ids);
  await dropRecords(write, type, ids);
  await write.run.change(type.table, write.sql.deleteRows(type.table), listOf(ids));
  // Links go with the rows, so the gaps are there only now.
  await write.run.flush();
  for (const { table, holder, position, holders } of gaps)
    await write.run.change(table, write.sql.closeGaps(table, holder, position), listOf(holders));
}

/** The lists of the rows are forgotten, and so are the rows in the lists of others. */
async function dropRecords(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<void> {
  const own = listsOf(type).flatMap(({ list, target }) => (write.type(target).draftAndPublish ? [list] : []));
  const others = type.draftAndPublish ? listsTo(write.model, type.uid) : [];
  if (own.length + others.length > 0)
    await write.run.change(
      PUBLISHED_LISTS,
      write.publications.forgetRows(),
      listOf(own),
      listOf(ids),
      listOf(others),
      listOf(ids),
    );
}

/** Lists that may lose entries with rows of a type, and what to read of the rows: who holds them, and their components. */
const removalParts = memoize((type: ContentType, model: Model) => {
  const lists: (Omit<Gap, 'holders'> & { readonly held: string })[] = [];
  for (const { link } of linkAttributes(type))
    if (link.inverseOrder)
      lists.push({ table: link.table, holder: link.to, position: link.inverseOrder, held: link.from });
  for (const [, { link }] of oneWayTo(model, type.uid))
    if (link.order) lists.push({ table: link.table, holder: link.from, position: link.order, held: link.to });
  const parts: GatherPart[] = lists.map(({ table, holder, held }) => ({ read: 'holders', table, holder, held }));
  if (holdsComponents(type)) parts.push({ read: 'items', ...itemTablesOf(type, model) });
  return { lists, parts };
});

/** Finds the lists that lose entries, and reads the components of the rows with them. */
async function gatherGaps(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<Gap[]> {
  const { lists, parts } = removalParts(type, write.model);
  const found = await gather(
    write,
    parts,
    parts.map(() => ids),
  );
  return lists.flatMap(({ table, holder, position }, index) => {
    const holders = (found.get(index) ?? []).map(([, row]) => row);
    return holders.length > 0 ? [{ table, holder, position, holders }] : [];
  });
}
