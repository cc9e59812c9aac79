// Deleting rows of documents with all that belongs to them. Links go with the rows by foreign key; the lists they
// leave are closed up before, so that positions stay dense.
import { memoize } from '../memoize.ts';
import { linkAttributes, oneWayTo } from '../model/links.ts';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { ContentType, Model } from '../model/types.ts';
import type { GatherPart } from '../sql/gather-statements.ts';
import type { LinkList } from '../sql/write-statements.ts';
import { deleteBelow, holdsComponents, itemTablesOf } from './components.ts';
import { gather } from './gather.ts';
import { listsOf, listsTo } from './publication-records.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** Lists that may lose entries, and the column with the ids of those. */
interface LosingList extends LinkList {
  readonly held: string;
}

export async function removeRows(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const gone = listOf(ids);
  for (const list of await gatherLosingLists(write, type, ids))
    await write.run.change(list.table, write.sql.closeGaps(list, list.held), gone, gone);
  await deleteBelow(write, type, ids);
  await dropRecords(write, type, ids);
  // Links go with the rows, after this statement: what is sent with it sees them still.
  await write.run.change(type.table, write.sql.deleteRows(type.table), gone);
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
  const lists: LosingList[] = [];
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
async function gatherLosingLists(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
): Promise<LosingList[]> {
  const { lists, parts } = removalParts(type, write.model);
  const found = await gather(
    write,
    parts,
    parts.map(() => ids),
  );
  return lists.filter((_, index) => found.has(index));
}
