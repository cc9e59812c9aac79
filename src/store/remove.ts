// Deleting rows of documents with all that belongs to them. Links go with the rows by foreign key; the lists they
// leave are closed up, so that positions stay dense.
import { linkAttributes, oneWayTo } from '../model/links.ts';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { ContentType } from '../model/types.ts';
import { deleteBelow, holdsComponents, itemTablesOf } from './components.ts';
import { type GatherRequest, gather } from './gather.ts';
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

/** Finds the lists that lose entries, and reads the components of the rows with them. */
async function gatherGaps(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<Gap[]> {
  const lists: (Omit<Gap, 'holders'> & { readonly held: string })[] = [];
  for (const { link } of linkAttributes(type))
    if (link.inverseOrder)
      lists.push({ table: link.table, holder: link.to, position: link.inverseOrder, held: link.from });
  for (const [, { link }] of oneWayTo(write.model, type.uid))
    if (link.order) lists.push({ table: link.table, holder: link.from, position: link.order, held: link.to });
  const requests: GatherRequest[] = lists.map(({ table, holder, held }) => ({
    part: { read: 'holders', table, holder, held },
    rows: ids,
  }));
  if (holdsComponents(type)) requests.push({ part: { read: 'items', ...itemTablesOf(write, type) }, rows: ids });
  const found = await gather(write, requests);
  return lists.flatMap(({ table, holder, position }, index) => {
    const holders = (found.get(index) ?? []).map(([, row]) => row);
    return holders.length > 0 ? [{ table, holder, position, holders }] : [];
  });
}
