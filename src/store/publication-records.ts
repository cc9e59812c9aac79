// Records of publications: the drafts that a list held when its row was last published. They say where a link belongs
// whose target is not published yet. A record is kept under the id of the published row, so it is as old as that row:
// one that another program's publication has replaced, with its row, is never found again.
import type { RelationAttribute } from '../model/types.ts';
import { listName } from '../sql/write-statements.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** The drafts in order; empty where nothing is on record. */
export async function readRecord(
  write: WriteSession,
  { link, target }: RelationAttribute,
  published: number,
): Promise<number[]> {
  const statement = write.sql.recordedList(write.type(target).table);
  return (await write.rows(statement, listName(link), published)).map(([draft]) => draft);
}

export async function recordList(
  write: WriteSession,
  attribute: RelationAttribute,
  published: number,
  drafts: readonly number[],
): Promise<void> {
  const recorded = await readRecord(write, attribute, published);
  if (recorded.length === drafts.length && recorded.every((id, index) => id === drafts[index])) return;
  const list = listName(attribute.link);
  await write.rows(write.sql.dropRecordedLists(), list, listOf([published]));
  const positions = drafts.map((id, index) => [id, index + 1]);
  if (positions.length > 0) await write.rows(write.sql.recordList(), list, published, JSON.stringify(positions));
}
