// Deleting rows of documents with all that belongs to them. Links go with the rows by foreign key; the lists they
// leave are closed up, so that positions stay dense.
import { linkAttributes, oneWayTo } from '../model/links.ts';
import type { ContentType } from '../model/types.ts';
import { listName } from '../sql/write-statements.ts';
import { deleteBelow } from './components.ts';
import { isForeignKey } from './publish.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** A list that loses entries: its table, the columns of its row and its positions, and the rows concerned. */
interface Gap {
  readonly table: string;
  readonly holder: string;
  readonly position: string;
  readonly holders: readonly number[];
}

/** `isFinal`: the documents are gone for good, so that no record need remember them. */
export async function removeRows(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
  isFinal: boolean,
): Promise<void> {
  if (ids.length === 0) return;
  const gaps = await gapsOf(write, type, ids);
  await deleteBelow(write, type, ids);
  if (type.draftAndPublish) await dropRecords(write, type, ids, isFinal);
  await write.rows(write.sql.deleteRows(type.table), listOf(ids));
  for (const { table, holder, position, holders } of gaps)
    await write.rows(write.sql.closeGaps(table, holder, position), listOf(holders));
}

/** The lists of the rows are forgotten, and where their documents go for good, so are they in the lists of others. */
async function dropRecords(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
  isFinal: boolean,
): Promise<void> {
  const own = [...type.attributes.values()].filter(
    (attribute) => attribute.kind === 'relation' && (attribute.storage === 'linkTable' || isForeignKey(attribute)),
  );
  for (const attribute of own)
    if (attribute.kind === 'relation' && write.type(attribute.target).draftAndPublish)
      await write.rows(write.sql.dropRecordedLists(), listName(attribute.link), listOf(ids));
  if (isFinal) await write.rows(write.sql.dropRecordedTargets(), listsTo(write, type), listOf(ids));
}

/** Names of the recorded lists that can hold documents of a type. */
function listsTo(write: WriteSession, type: ContentType): string {
  const schemas = [...write.model.contentTypes.values(), ...write.model.components.values()];
  const names = schemas.flatMap((schema) =>
    [...schema.attributes.values()].flatMap((attribute) =>
      attribute.kind === 'relation' && attribute.target === type.uid ? [listName(attribute.link)] : [],
    ),
  );
  return listOf(new Set(names));
}

async function gapsOf(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<Gap[]> {
  const gaps: Gap[] = [];
  const add = async (gap: Omit<Gap, 'holders'>, held: string) => {
    const rows = await write.rows(write.sql.holdersOf(gap.table, gap.holder, held), listOf(ids));
    if (rows.length > 0) gaps.push({ ...gap, holders: rows.map(([id]) => id) });
  };
  for (const { link } of linkAttributes(type))
    if (link.inverseOrder) await add({ table: link.table, holder: link.to, position: link.inverseOrder }, link.from);
  for (const [, { link }] of oneWayTo(write.model, type.uid))
    if (link.order) await add({ table: link.table, holder: link.from, position: link.order }, link.to);
  return gaps;
}
