// Writes what was decided: a row with its columns, then its component fields, its lists and its keys.
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { LinkTable } from '../model/types.ts';
import { listName } from '../sql/link-names.ts';
import { writeItems } from './components.ts';
import {
  type EntityWrite,
  isOtherSide,
  type KeyWrite,
  type ListWrite,
  type MorphListWrite,
  NEW_ROW,
} from './entity-writes.ts';
import type { ItemRef } from './gathered.ts';
import { readLinksAgain, removeLinks, writeLinks } from './link-table.ts';
import { rowOfEntry, targetOfEntry } from './morph-entries.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** Returns the id of the row. `entry`: the row of the entry that a component belongs to. */
export async function applyEntity(write: WriteSession, entity: EntityWrite, entry?: number): Promise<number> {
  const { schema, fields, relations } = entity;
  const row = await writeRow(write, entity);
  // What leads to a new entry may be a component of it.
  const known = isNewRow(entry ?? row);
  for (const { attribute, current, items } of fields) {
    const written: ItemRef[] = [];
    for (const item of items) written.push({ uid: item.uid, id: await applyEntity(write, item.entity, entry ?? row) });
    await writeItems(write, schema, { row, attribute, current, items: written });
  }
  for (const [index, relation] of relations.entries())
    if (relation.write === 'list') {
      // The other side of a relation with itself may have made a link that is in both lists.
      const isSecondSide = relations.slice(0, index).some((before) => isOtherSide(before, relation));
      const current = isSecondSide ? await readLinksAgain(write, relation.link, row) : relation.current;
      await writeList(write, row, { ...relation, current, desired: relation.desired.map(known) });
    } else if (relation.write === 'key')
      await writeKey(write, row, { ...relation, desired: relation.desired.map(known) });
    else if (relation.attribute.many) await writeMorphList(write, row, relation, known);
    else await writeMorphKey(write, row, relation, known);
  return row;
}

async function writeRow(write: WriteSession, { schema, row, columns, values }: EntityWrite): Promise<number> {
  if (row === null) return write.run.insert(schema.table, write.sql.insertRow(schema.table, columns), ...values);
  if (columns.length > 0)
    await write.run.change(schema.table, write.sql.updateRow(schema.table, columns), ...values, row);
  return row;
}

const isNewRow = (row: number) => (id: number) => (id === NEW_ROW ? row : id);

async function writeList(
  write: WriteSession,
  row: number,
  { link, current, desired, taken, dropsRecord }: ListWrite,
): Promise<void> {
  await writeLinks(write, link, row, { current, desired });
  await removeLinks(write, link, taken);
  if (dropsRecord)
    await write.run.change(PUBLISHED_LISTS, write.publications.dropRecordedLists(), listName(link), listOf([row]));
}

/** Links a row by a key with the desired rows alone. */
export async function writeKey(
  write: WriteSession,
  row: number,
  { attribute, desired, rowsToDetach }: Omit<KeyWrite, 'write'>,
): Promise<void> {
  const { link, owning } = attribute;
  const key = write.sql.setColumn(link.table, owning ? link.to : link.from, 'id');
  const targets = desired.map(isNewRow(row));
  if (rowsToDetach.length > 0) await write.run.change(link.table, key, null, listOf(rowsToDetach));
  if (owning) await write.run.change(link.table, key, targets.at(-1) ?? null, listOf([row]));
  else await write.run.change(link.table, key, row, listOf(targets));
  // A key that leads to one of several types says to which.
  for (const { column, value } of link.constants)
    await write.run.change(link.table, write.sql.setColumn(link.table, column, 'id'), value, listOf(targets));
}

/** Leads a row to one entry of any type, or to none. Of several rows of a document, to the last. */
async function writeMorphKey(
  write: WriteSession,
  row: number,
  { attribute, desired }: MorphListWrite,
  known: (id: number) => number,
): Promise<void> {
  const { table } = attribute.targets[0]!.link;
  const entry = desired.at(-1);
  const [uid, target] =
    entry === undefined ? [null, null] : [targetOfEntry(attribute, entry).uid, known(rowOfEntry(attribute, entry))];
  await write.run.change(table, write.sql.morph.setKey(table), uid, target, listOf([row]));
}

async function writeMorphList(
  write: WriteSession,
  row: number,
  { attribute, current, desired, dropsRecord }: MorphListWrite,
  known: (id: number) => number,
): Promise<void> {
  const { table, order } = attribute.targets[0]!.link;
  if (dropsRecord) {
    const lists = attribute.targets.map(({ link }) => listName(link));
    await write.run.change(PUBLISHED_LISTS, write.publications.dropRecords(), listOf(lists), listOf([row]));
  }
  write.noteList(attribute.targets[0]!.link, row);
  const wanted = new Set(desired);
  const surplus = [...current].filter(([entry]) => !wanted.has(entry)).map(([, { id }]) => id);
  if (surplus.length > 0) await write.run.change(table, write.sql.deleteRows(table), listOf(surplus));
  const moved: [number, number][] = [];
  const added: { readonly link: LinkTable; readonly pair: readonly [target: number, position: number] }[] = [];
  for (const [index, entry] of desired.entries()) {
    const position = index + 1;
    const stored = current.get(entry);
    if (!stored)
      added.push({ link: targetOfEntry(attribute, entry).link, pair: [known(rowOfEntry(attribute, entry)), position] });
    else if (stored.position !== position) moved.push([stored.id, position]);
  }
  if (moved.length > 0) await write.run.change(table, write.sql.setPositions(table, order!), JSON.stringify(moved));
  for (const [link, group] of Map.groupBy(added, (one) => one.link)) {
    const pairs = JSON.stringify(group.map(({ pair }) => pair));
    await write.run.change(table, write.sql.insertLinks(link), row, pairs);
  }
}
