// Reads ahead what a write will need, with one statement; see gathered.ts for where it is kept.
import type { GatherPart, GatherRow } from '../sql/gather-statements.ts';
import { comparePositions, type Gathered } from './gathered.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** What to read for some rows. */
export interface GatherRequest {
  readonly part: GatherPart;
  readonly rows: readonly number[];
}

/** Reads ahead; returns the rows of parts that are not kept: holders, by the index of their request. */
export async function gather(
  write: WriteSession,
  requests: readonly GatherRequest[],
): Promise<ReadonlyMap<number, readonly GatherRow[]>> {
  const asked = requests.filter(({ rows }) => rows.length > 0);
  if (asked.length === 0) return new Map();
  for (const { part, rows } of asked) {
    if (part.read === 'links') {
      write.gathered.forgetLinks(part.link, rows);
      write.gathered.expectLinks(part.link, rows);
    }
    if (part.read === 'items') write.gathered.expectItems(part.table, rows);
  }
  const statement = write.gatherStatements.gather(asked.map(({ part }) => part));
  const found = await write.run.rows(statement, ...asked.map(({ rows }) => listOf(new Set(rows))));
  const ordered = found.toSorted((a, b) => comparePositions(a[4], b[4]) || a[2] - b[2]);
  const others = new Map<number, GatherRow[]>();
  for (const row of ordered) {
    const { part } = asked[row[0]]!;
    if (part.read === 'links') keepLink(write.gathered, part, row);
    else if (part.read === 'items')
      write.gathered.addItem(part.table, row[1], row[7]!, { link: row[2], id: row[3], uid: row[8]!, position: row[4] });
    else {
      const index = requests.indexOf(asked[row[0]]!);
      others.set(index, [...(others.get(index) ?? []), row]);
    }
  }
  return others;
}

function keepLink(gathered: Gathered, part: GatherPart & { read: 'links' }, row: GatherRow): void {
  const [, from, id, target, position, sibling, isPublished] = row;
  gathered.addLink(part.link, from, { id, target, position });
  if (part.siblingsIn === null) return;
  gathered.addSibling(part.siblingsIn, target, sibling === null ? null : { id: sibling, published: isPublished === 1 });
  if (sibling !== null) gathered.addSibling(part.siblingsIn, sibling, { id: target, published: isPublished === 0 });
}
