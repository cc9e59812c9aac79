// Writes what was decided: a row with its columns, then its component fields, its lists and its keys.
import { MAX_INSERTED_VALUES } from '../limits.ts';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { LinkTable, RelationAttribute } from '../model/types.ts';
import { listName } from '../sql/link-names.ts';
import { type FieldList, writeItems } from './components.ts';
import {
  type EntityWrite,
  isOtherSide,
  type KeyWrite,
  type ListWrite,
  type MorphListWrite,
  NEW_ROW,
  type RelationWrite,
} from './entity-writes.ts';
import { type RowList, readLinksAgain, removeLinks, writeLists } from './link-table.ts';
import { rowOfEntry, targetOfEntry } from './morph-entries.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** An entity, and the row that it was written to. */
interface AppliedEntity {
  readonly entity: EntityWrite;
  readonly row: number;
}

/** Writes an entry with its components, level by level: new ones of a kind together. Returns the id of the entry's row. */
export async function applyEntity(write: WriteSession, entity: EntityWrite): Promise<number> {
  const entry = { entity, row: entity.row ?? (await insertEntry(write, entity)) };
  if (entity.row !== null) await updateRow(write, entity);
  const components: AppliedEntity[] = [];
  const fields: FieldList[] = [];
  for (let level: readonly AppliedEntity[] = [entry]; level.length > 0; ) {
    level = await applyItems(write, level, fields);
    components.push(...level);
  }
  await writeItems(write, fields);
  await writeRelations(write, [...components, entry], entry.row);
  return entry.row;
}

const insertEntry = (write: WriteSession, { schema, columns, values }: EntityWrite): Promise<number> =>
  write.run.insert(schema.table, write.sql.insertRow(schema.table, columns), ...write.sql.stored(columns, values));

async function updateRow(write: WriteSession, { schema, row, columns, values }: EntityWrite): Promise<void> {
  if (columns.length > 0)
    await write.run.change(
      schema.table,
      write.sql.updateRow(schema.table, columns),
      ...write.sql.stored(columns, values),
      row,
    );
}

/** Writes the rows of the components of a level. Returns these, for the next level, and adds the lists they are in. */
async function applyItems(
  write: WriteSession,
  level: readonly AppliedEntity[],
  fields: FieldList[],
): Promise<readonly AppliedEntity[]> {
  const items = level.flatMap(({ entity }) => entity.fields.flatMap((field) => field.items.map((item) => item.entity)));
  const made = await insertComponents(write, items);
  for (const item of items) if (item.row !== null) await updateRow(write, item);
  const rowOf = (item: EntityWrite): number => item.row ?? made.get(item)!;
  for (const { entity, row } of level)
    for (const { attribute, current, items } of entity.fields) {
      const written = items.map(({ uid, entity }) => ({ uid, id: rowOf(entity) }));
      fields.push({ schema: entity.schema, row, attribute, current, items: written });
    }
  return items.map((entity) => ({ entity, row: rowOf(entity) }));
}

/** Makes the rows of components that have none, those of a kind in their order. */
async function insertComponents(
  write: WriteSession,
  items: readonly EntityWrite[],
): Promise<ReadonlyMap<EntityWrite, number>> {
  const kinds = Map.groupBy(
    items.filter(({ row }) => row === null),
    ({ schema }) => schema.table,
  );
  const inserts = [...kinds.values()].flatMap(insertsOf);
  const made = new Map<EntityWrite, number>();
  // All are sent at once; a database runs them one after another.
  const ids = await Promise.all(
    inserts.map((rows) => {
      const [{ schema, columns }] = rows;
      const statement = write.sql.insertRows(schema.table, columns, rows.length);
      return write.run.insertAll(
        rows.length,
        statement,
        ...rows.flatMap(({ columns, values }) => write.sql.stored(columns, values)),
      );
    }),
  );
  for (const [index, rows] of inserts.entries())
    for (const [place, entity] of rows.entries()) made.set(entity, ids[index]![place]!);
  return made;
}

type Rows = [EntityWrite, ...EntityWrite[]];

/**
 * The rows of a kind as they are inserted together: those next to each other that have the same columns, since a column
 * that is not written is left to its default.
 */
function insertsOf(rows: readonly EntityWrite[]): Rows[] {
  const inserts: Rows[] = [];
  for (const row of rows) {
    const last = inserts.at(-1);
    if (last && isSameForm(last[0], row) && (last.length + 1) * row.columns.length <= MAX_INSERTED_VALUES)
      last.push(row);
    else inserts.push([row]);
  }
  return inserts;
}

const isSameForm = (one: EntityWrite, other: EntityWrite): boolean =>
  one.columns.length === other.columns.length &&
  one.columns.every(({ column }, index) => column === other.columns[index]!.column);

const isNewRow = (row: number) => (id: number) => (id === NEW_ROW ? row : id);

/** A relation of a row that is written. */
type AppliedRelation<Write extends RelationWrite = RelationWrite> = Write & {
  readonly row: number;
  /** The other side of a relation with itself may have made a link that is in both lists. */
  readonly isSecondSide: boolean;
};

const isList = (one: AppliedRelation): one is AppliedRelation<ListWrite> => one.write === 'list';
const isKey = (one: AppliedRelation): one is AppliedRelation<KeyWrite> => one.write === 'key';
const isMorph = (one: AppliedRelation): one is AppliedRelation<MorphListWrite> => one.write === 'morphList';

/** Writes what entities lead to, each relation of all of them together. `entry`: its components may lead to its row. */
async function writeRelations(write: WriteSession, entities: readonly AppliedEntity[], entry: number): Promise<void> {
  // What leads to a new entry may be a component of it.
  const known = isNewRow(entry);
  const relations = entities.flatMap(({ entity, row }) =>
    entity.relations.map((relation, index): AppliedRelation => {
      const isSecondSide =
        relation.write === 'list' && entity.relations.slice(0, index).some((before) => isOtherSide(before, relation));
      return { ...relation, row, isSecondSide };
    }),
  );
  const groups = Map.groupBy(relations, (one) => (one.write === 'list' ? one.link : one.attribute));
  for (const group of groups.values()) {
    await writeListsOf(write, group.filter(isList), known);
    await writeKeysOf(write, group.filter(isKey), known);
    for (const relation of group.filter(isMorph))
      if (relation.attribute.many) await writeMorphList(write, relation.row, relation, known);
      else await writeMorphKey(write, relation.row, relation, known);
  }
}

/** `lists`: of one link. */
async function writeListsOf(
  write: WriteSession,
  lists: readonly AppliedRelation<ListWrite>[],
  known: (id: number) => number,
): Promise<void> {
  const [first] = lists;
  if (!first) return;
  const { link } = first;
  const written: RowList[] = [];
  for (const { row, isSecondSide, current, desired } of lists) {
    const stored = isSecondSide ? await readLinksAgain(write, link, row) : current;
    written.push({ row, current: stored, desired: desired.map(known) });
  }
  await writeLists(write, link, written);
  const taken = lists.flatMap((list) => list.taken);
  await removeLinks(write, link, taken);
  const dropped = lists.filter(({ dropsRecord }) => dropsRecord).map(({ row }) => row);
  const drop = write.publications.dropRecordedLists();
  if (dropped.length > 0) await write.run.change(PUBLISHED_LISTS, drop, listName(link), listOf(dropped));
}

/** `keys`: of one attribute. */
async function writeKeysOf(
  write: WriteSession,
  keys: readonly AppliedRelation<KeyWrite>[],
  known: (id: number) => number,
): Promise<void> {
  const [first] = keys;
  if (!first) return;
  const desired = keys.map((key) => ({ ...key, desired: key.desired.map(known) }));
  await writeKeys(write, first.attribute, desired);
}

/** A key of a row, or keys of others that lead to it. */
interface AppliedKey extends Pick<KeyWrite, 'desired' | 'rowsToDetach'> {
  readonly row: number;
}

/** Links rows by a key with the desired rows alone. */
export async function writeKeys(
  write: WriteSession,
  { link, owning }: RelationAttribute,
  keys: readonly AppliedKey[],
): Promise<void> {
  const { table, constants } = link;
  const key = write.sql.setColumn(table, owning ? link.to : link.from, 'id');
  const detached = keys.flatMap(({ rowsToDetach }) => rowsToDetach);
  if (detached.length > 0) await write.run.change(table, key, null, listOf(detached));
  if (owning) {
    const targets = keys.map(({ row, desired }) => [row, desired.at(-1) ?? null]);
    await write.run.change(table, write.sql.setKeys(table, link.to), JSON.stringify(targets));
  } else for (const { row, desired } of keys) await write.run.change(table, key, row, listOf(desired));
  // A key that leads to one of several types says to which.
  const targets = listOf(keys.flatMap(({ desired }) => desired));
  for (const { column, value } of constants)
    await write.run.change(table, write.sql.setColumn(table, column, 'id'), value, targets);
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
  const added: {
    readonly link: LinkTable;
    readonly added: readonly [row: number, target: number, position: number];
  }[] = [];
  for (const [index, entry] of desired.entries()) {
    const position = index + 1;
    const stored = current.get(entry);
    if (!stored)
      added.push({
        link: targetOfEntry(attribute, entry).link,
        added: [row, known(rowOfEntry(attribute, entry)), position],
      });
    else if (stored.position !== position) moved.push([stored.id, position]);
  }
  if (moved.length > 0) await write.run.change(table, write.sql.setPositions(table, order!), JSON.stringify(moved));
  for (const [link, group] of Map.groupBy(added, (one) => one.link)) {
    const links = JSON.stringify(group.map(({ added }) => added));
    await write.run.change(table, write.sql.insertLinks(link), links);
  }
}
