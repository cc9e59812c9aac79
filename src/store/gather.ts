// Reads ahead what a write will need, with one statement; see gathered.ts for where it is kept.
import type { GatherPart, GatherRow } from '../sql/gather-statements.ts';
import { addLink, append, comparePositions, type Gathered, type LinkLists } from './gathered.ts';
import { listOf, type WriteSession } from './write-session.ts';

/**
 * Reads ahead: each part for its own list of rows. Returns the rows of parts that are not kept: holders and records, by
 * the index of their part.
 */
export async function gather(
  write: WriteSession,
  parts: readonly GatherPart[],
  rowsOf: readonly (readonly number[])[],
): Promise<ReadonlyMap<number, readonly GatherRow[]>> {
  const others = new Map<number, GatherRow[]>();
  if (rowsOf.every(({ length }) => length === 0)) return others;
  const lists = parts.map((part, index) => expectPart(write.gathered, part, rowsOf[index]!));
  const statement = write.gatherStatements.gather(parts);
  const found = await write.run.rows(statement, ...listsOfRows(rowsOf));
  for (const row of found.toSorted(byPositionAndLink)) {
    const [index] = row;
    const part = parts[index]!;
    if (part.read === 'links') keepLink(write.gathered, lists[index]!, part.siblingsIn, row);
    else if (part.read === 'items')
      write.gathered.addItem(part.table, row[1], row[7]!, { link: row[2], id: row[3], uid: row[8]!, position: row[4] });
    else {
      if (part.read === 'records') write.gathered.addRecord(row[7]!, row[1], row[3]);
      append(others, index, row);
    }
  }
  return others;
}

/** Most parts are read for the same rows. */
function listsOfRows(rowsOf: readonly (readonly number[])[]): string[] {
  let [last, text] = [rowsOf[0]!, listOf(new Set(rowsOf[0]))];
  return rowsOf.map((rows) => {
    if (rows !== last) [last, text] = [rows, listOf(new Set(rows))];
    return text;
  });
}

const byPositionAndLink = (a: GatherRow, b: GatherRow): number => comparePositions(a[4], b[4]) || a[2] - b[2];

/** Returns the lists that links will be put into. */
function expectPart(gathered: Gathered, part: GatherPart, rows: readonly number[]): LinkLists | null {
  if (part.read === 'links') return gathered.expectLinks(part.link, rows);
  if (part.read === 'items') gathered.expectItems(part.table, rows);
  if (part.read === 'records') gathered.expectRecords(part.lists, rows);
  return null;
}

function keepLink(gathered: Gathered, lists: LinkLists, siblingsIn: string | null, row: GatherRow): void {
  const [, from, id, target, position, sibling, isPublished] = row;
  addLink(lists.get(from)!, { id, target, position });
  if (siblingsIn === null) return;
  gathered.addSibling(siblingsIn, target, sibling === null ? null : { id: sibling, published: isPublished === 1 });
  if (sibling !== null) gathered.addSibling(siblingsIn, sibling, { id: target, published: isPublished === 0 });
}
