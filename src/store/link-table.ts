// Lists kept in link tables. Positions are dense, 1 to n, and written only where they changed. A target that loses a link
// has its own list closed up as well.
import type { LinkTable } from '../model/types.ts';
import type { StoredLink } from './gathered.ts';
import { listOf, type WriteSession } from './write-session.ts';

export async function readLinks(write: WriteSession, link: LinkTable, row: number): Promise<readonly StoredLink[]> {
  return write.gathered.links(link, row) ?? readLinksAgain(write, link, row);
}

/** The same after this write has changed them. */
export async function readLinksAgain(
  write: WriteSession,
  link: LinkTable,
  row: number,
): Promise<readonly StoredLink[]> {
  const rows = await write.run.rows(write.sql.linksFrom(link), row);
  return rows.map(([id, target, position]) => ({ id, target, position }));
}

/** The targets of a row's list, in order, each once. */
export async function readTargets(write: WriteSession, link: LinkTable, row: number): Promise<number[]> {
  const targets = (await readLinks(write, link, row)).map(({ target }) => target);
  return targets.length < 2 ? targets : [...new Set(targets)];
}

export interface ListChange {
  readonly added: readonly number[];
  readonly removed: readonly number[];
  /** Whether anything was added, removed or moved. */
  readonly isChanged: boolean;
}

const UNCHANGED: ListChange = { added: [], removed: [], isChanged: false };

/** Whether a list is what it shall be, in order and with dense positions. */
function isWritten({ order }: LinkTable, current: readonly StoredLink[], wanted: ReadonlySet<number>): boolean {
  if (current.length !== wanted.size) return false;
  let index = 0;
  for (const target of wanted) {
    const stored = current[index++]!;
    if (stored.target !== target || (order !== null && stored.position !== index)) return false;
  }
  return true;
}

/** The list of a row: what it holds, and what it shall hold, each target once. */
export interface RowList {
  readonly row: number;
  readonly current: readonly StoredLink[];
  readonly desired: readonly number[];
}

/** What is to be done to the links of a row. */
interface LinkChanges {
  readonly surplus: readonly StoredLink[];
  readonly moved: readonly (readonly [id: number, position: number])[];
  readonly added: readonly (readonly [row: number, target: number, position: number])[];
  readonly removed: readonly number[];
}

function changesOf(link: LinkTable, { row, current, desired }: RowList): LinkChanges | null {
  if (current.length === 0 && desired.length === 0) return null;
  const wanted = new Set(desired);
  if (isWritten(link, current, wanted)) return null;
  const kept = new Map<number, StoredLink>();
  const surplus: StoredLink[] = [];
  for (const stored of current) {
    if (wanted.has(stored.target) && !kept.has(stored.target)) kept.set(stored.target, stored);
    else surplus.push(stored);
  }
  const added: [number, number, number][] = [];
  const moved: [number, number][] = [];
  for (const [index, target] of [...wanted].entries()) {
    const stored = kept.get(target);
    if (!stored) added.push([row, target, index + 1]);
    else if (link.order && stored.position !== index + 1) moved.push([stored.id, index + 1]);
  }
  const removed = surplus.map(({ target }) => target).filter((target) => !wanted.has(target));
  return { surplus, moved, added, removed };
}

/** Makes a row's list the desired one. */
export async function writeLinks(
  write: WriteSession,
  link: LinkTable,
  row: number,
  { current, desired }: Pick<RowList, 'current' | 'desired'>,
): Promise<ListChange> {
  return (await writeLists(write, link, [{ row, current, desired }]))[0]!;
}

/** Makes lists of several rows the desired ones. Says of each how it has changed. */
export async function writeLists(
  write: WriteSession,
  link: LinkTable,
  lists: readonly RowList[],
): Promise<ListChange[]> {
  const changes = lists.map((list) => changesOf(link, list));
  const changed = changes.filter((change) => change !== null);
  const surplus = changed.flatMap((change) => change.surplus);
  if (surplus.length > 0) {
    const gone = listOf(surplus.map(({ id }) => id));
    await closeInverse(write, link, gone);
    await write.run.change(link.table, write.sql.deleteRows(link.table), gone);
  }
  const moved = changed.flatMap((change) => change.moved);
  if (moved.length > 0)
    await write.run.change(link.table, write.sql.setPositions(link.table, link.order!), JSON.stringify(moved));
  await insertLinks(
    write,
    link,
    changed.map(({ added }) => added),
  );
  return lists.map(({ row }, index) => {
    const change = changes[index];
    if (!change) return UNCHANGED;
    const { surplus, moved, added, removed } = change;
    const isChanged = surplus.length + moved.length + added.length > 0;
    if (isChanged) write.noteList(link, row);
    return { added: added.map(([, target]) => target), removed, isChanged };
  });
}

/** New links stand at the end of their targets' lists, so that one target gets its links from several rows one by one. */
async function insertLinks(
  write: WriteSession,
  link: LinkTable,
  added: readonly LinkChanges['added'][],
): Promise<void> {
  for (const links of link.inverseOrder === null ? [added.flat()] : added)
    if (links.length > 0) await write.run.change(link.table, write.sql.insertLinks(link), JSON.stringify(links));
}

/** Closes the gaps that links will leave in the lists of their targets. `gone`: the ids of the links. */
async function closeInverse(
  write: WriteSession,
  { table, to: holder, inverseOrder: position }: LinkTable,
  gone: string,
): Promise<void> {
  if (position) await write.run.change(table, write.sql.closeGaps({ table, holder, position }, 'id'), gone, gone);
}

/** A link that leads to a target from another row. */
export interface ForeignLink {
  readonly id: number;
  readonly holder: number;
  readonly target: number;
}

/** Links by which other rows hold the targets. */
export async function linksOfOthers(
  write: WriteSession,
  link: LinkTable,
  row: number,
  targets: readonly number[],
): Promise<ForeignLink[]> {
  if (targets.length === 0) return [];
  const rows = await write.run.rows(write.sql.linksTo(link), listOf(targets), row);
  return rows.map(([id, holder, target]) => ({ id, holder, target }));
}

/** Removes links of other rows, which close up their lists. */
export async function removeLinks(write: WriteSession, link: LinkTable, links: readonly ForeignLink[]): Promise<void> {
  if (links.length === 0) return;
  const { table, from: holder, order: position } = link;
  const gone = listOf(links.map(({ id }) => id));
  if (position) await write.run.change(table, write.sql.closeGaps({ table, holder, position }, 'id'), gone, gone);
  await closeInverse(write, link, gone);
  await write.run.change(table, write.sql.deleteRows(table), gone);
}
