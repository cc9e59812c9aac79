// The key of a row that leads to one entry of any type. It changes with the row, and with the entries that show the
// link, when they are published or their drafts discarded. Whatever loses the link must be the caller's to update.
import { showsLinks } from '../model/links.ts';
import type { ContentType, MorphAttribute, RelationAttribute, Schema } from '../model/types.ts';
import { holdRows, type RowsFor } from './document-versions.ts';
import { mayTakeFrom, rulesAllowUpdate, takesFromOthers } from './row-rights.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** Whether no rule keeps the caller from updating entries of a type that show a polymorphic link and would lose it. */
export async function mayLoseMorphLink(
  write: WriteSession,
  schema: Schema,
  { name }: MorphAttribute,
  { target, ids }: { readonly target: ContentType; readonly ids: readonly number[] },
): Promise<boolean> {
  return !showsLinks(target, schema, name) || rulesAllowUpdate(write, target, ids);
}

/** An entry that a key leads to. */
interface Led {
  readonly uid: string;
  readonly id: number;
}

/**
 * Leads a row where another leads, to the rows that stand for those there; to the same one where none does. Says
 * whether it led elsewhere.
 */
export async function copyMorphKey(
  write: WriteSession,
  schema: Schema,
  attribute: MorphAttribute,
  { from, to, rowsFor }: { readonly from: number; readonly to: number; readonly rowsFor: RowsFor },
): Promise<boolean> {
  const keys = await write.run.rows(write.sql.morph.keys(schema.table), listOf([from, to]));
  const led = async (row: number): Promise<Led | null> => {
    const key = keys.find(([id]) => id === row);
    if (!key) return null;
    const [, uid, id] = key;
    return { uid, id: await standIn(write, uid, id, rowsFor) };
  };
  const [desired, current] = [await led(from), await led(to)];
  const [, uid, id] = keys.find(([row]) => row === to) ?? [];
  if (uid === desired?.uid && id === desired?.id) return false;
  const isLost = current !== null && (current.uid !== desired?.uid || current.id !== desired.id);
  const target = isLost ? write.model.contentTypes.get(current.uid) : undefined;
  if (target && !(await mayLoseMorphLink(write, schema, attribute, { target, ids: [current!.id] })))
    throw takesFromOthers([attribute.name]);
  await write.run.change(
    schema.table,
    write.sql.morph.setKey(schema.table),
    desired?.uid ?? null,
    desired?.id ?? null,
    listOf([to]),
  );
  return true;
}

/** The row that stands for another in a copy, if it is there to stay; otherwise that other. */
async function standIn(write: WriteSession, uid: string, id: number, rowsFor: RowsFor): Promise<number> {
  const row = (await rowsFor(uid, [id])).get(id);
  const type = write.model.contentTypes.get(uid);
  if (row === undefined || row === id || !type) return id;
  return (await holdRows(write, type, [row])).has(row) ? row : id;
}

/** Whether the caller may take rows for an entry of a type from entries of other types, which their keys lead to now. */
export async function mayTakeFromOtherTypes(
  write: WriteSession,
  type: ContentType,
  { link, target, inverse }: RelationAttribute,
  rows: readonly number[],
): Promise<boolean> {
  if (link.constants.length === 0 || rows.length === 0) return true;
  const holder = write.type(target);
  const keys = await write.run.rows(write.sql.morph.keys(holder.table), listOf(rows));
  for (const [uid, group] of Map.groupBy(keys, ([, uid]) => uid)) {
    const other = write.model.contentTypes.get(uid);
    if (!other || other === type || !showsLinks(other, holder, inverse!)) continue;
    const ids = group.map(([, , id]) => id);
    if (!(await mayTakeFrom(write, other, ids))) return false;
  }
  return true;
}
