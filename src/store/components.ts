// Lists of component rows, in fields and dynamic zones: what is in them, putting them in order, and deleting what
// drops out together with everything below it.
import { memoize } from '../memoize.ts';
import { idColumnName, morphTableName, typeColumnName } from '../model/identifiers.ts';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type {
  Attribute,
  ComponentAttribute,
  ComponentSchema,
  ContentType,
  DynamicZoneAttribute,
  Model,
  Schema,
} from '../model/types.ts';
import type { ItemTables } from '../sql/write-statements.ts';
import type { ItemRef, StoredItem } from './gathered.ts';
import { listsOf } from './publication-records.ts';
import { listOf, type WriteSession } from './write-session.ts';

export type ComponentField = ComponentAttribute | DynamicZoneAttribute;

export const isComponentField = (attribute: Attribute): attribute is ComponentField =>
  attribute.kind === 'component' || attribute.kind === 'dynamiczone';

export const componentFields = memoize((schema: Schema): readonly ComponentField[] =>
  [...schema.attributes.values()].filter(isComponentField),
);

/** Where the items of a schema are, and the rows that they stand for. */
export const itemTablesOf = memoize(
  (schema: Schema, model: Model): ItemTables => ({
    table: schema.componentTable,
    components: [...model.components.values()].filter((component) => mayHold(schema, component)),
  }),
);

export async function readItems(
  write: WriteSession,
  schema: Schema,
  row: number,
  field: string,
): Promise<readonly StoredItem[]> {
  const known = write.gathered.items(schema.componentTable, row, field);
  if (known) return known;
  const rows = await write.run.rows(write.sql.componentsOf(itemTablesOf(schema, write.model)), row, field);
  return rows.map(([link, id, uid, position]) => ({ link, id, uid, position }));
}

/** The list of a field: of which row, what it holds, and what it shall hold. */
export interface FieldList {
  readonly schema: Schema;
  readonly row: number;
  readonly attribute: ComponentField;
  readonly current: readonly StoredItem[];
  readonly items: readonly ItemRef[];
}

/** What is to be done to the items of a field. */
interface ItemChanges {
  readonly gone: readonly StoredItem[];
  readonly moved: readonly (readonly [link: number, position: number])[];
  readonly added: readonly AddedItem[];
}

interface AddedItem {
  readonly uid: string;
  readonly field: string;
  readonly item: readonly [row: number, id: number, position: number | null];
}

function changesOf({ row, attribute, current, items }: FieldList): ItemChanges {
  const isSame = (a: ItemRef, b: ItemRef) => a.id === b.id && a.uid === b.uid;
  const gone = current.filter((item) => !items.some((kept) => isSame(kept, item)));
  const single = attribute.kind === 'component' && !attribute.many;
  const moved: [number, number][] = [];
  const added: AddedItem[] = [];
  for (const [index, { id, uid }] of items.entries()) {
    const position = single ? null : index + 1;
    const stored = current.find((one) => isSame(one, { id, uid }));
    if (!stored) added.push({ uid, field: attribute.name, item: [row, id, position] });
    else if (position !== null && stored.position !== position) moved.push([stored.link, position]);
  }
  return { gone, moved, added };
}

/**
 * Makes the lists of fields the given items, and deletes the rows that drop out of them. Says of each whether it was
 * another.
 */
export async function writeItems(write: WriteSession, fields: readonly FieldList[]): Promise<readonly boolean[]> {
  const changes = fields.map(changesOf);
  for (const [index, { schema, row, attribute, current }] of fields.entries()) {
    const { componentTable: table } = schema;
    write.noteItems(table, row, { field: attribute.name, items: current });
    const { gone } = changes[index]!;
    if (gone.length === 0) continue;
    await write.run.change(table, write.sql.deleteRows(table), listOf(gone.map(({ link }) => link)));
    await deleteItems(write, gone, { table, rows: [row] });
  }
  for (const [table, ofTable] of Map.groupBy(fields.entries(), ([, { schema }]) => schema.componentTable)) {
    const added = ofTable.flatMap(([index]) => changes[index]!.added);
    for (const group of Map.groupBy(added, ({ uid, field }) => `${uid} ${field}`).values()) {
      const { uid, field } = group[0]!;
      const list = JSON.stringify(group.map(({ item }) => item));
      await write.run.change(table, write.sql.insertItems(table), uid, field, list);
    }
    const moved = ofTable.flatMap(([index]) => changes[index]!.moved);
    if (moved.length > 0) await write.run.change(table, write.sql.setPositions(table, 'order'), JSON.stringify(moved));
  }
  return changes.map(({ gone, moved, added }) => gone.length + moved.length + added.length > 0);
}

/** Rows of a schema that hold component rows, each with the field it holds one in. */
export interface ComponentHolders {
  readonly schema: Schema;
  readonly holders: readonly { readonly row: number; readonly component: number; readonly field: string }[];
}

export async function holdersOfComponents(
  write: WriteSession,
  component: ComponentSchema,
  ids: readonly number[],
): Promise<ComponentHolders[]> {
  const found: ComponentHolders[] = [];
  if (ids.length === 0) return found;
  for (const schema of [...write.model.contentTypes.values(), ...write.model.components.values()]) {
    if (!mayHold(schema, component)) continue;
    const rows = await write.run.rows(write.sql.parentsOf(schema.componentTable), component.uid, listOf(ids));
    if (rows.length > 0)
      found.push({ schema, holders: rows.map(([row, id, field]) => ({ row, component: id, field })) });
  }
  return found;
}

/** Those of the rows of a schema that belong to rows of entries which are `chosen`. */
export async function rowsOfEntries(
  write: WriteSession,
  schema: Schema,
  rows: readonly number[],
  chosen: (type: ContentType, rows: readonly number[]) => Promise<readonly number[]>,
): Promise<number[]> {
  if (rows.length === 0) return [];
  if (schema.kind !== 'component') return [...(await chosen(schema, rows))];
  const found: number[] = [];
  for (const { schema: parent, holders } of await holdersOfComponents(write, schema, rows)) {
    const parents = [...new Set(holders.map(({ row }) => row))];
    const of = new Set(await rowsOfEntries(write, parent, parents, chosen));
    for (const { row, component } of holders) if (of.has(row)) found.push(component);
  }
  return found;
}

/** Those of the rows that belong to a document without drafts: such a row is its own published version. */
export const rowsWithoutDrafts = (write: WriteSession, schema: Schema, rows: readonly number[]): Promise<number[]> =>
  rowsOfEntries(write, schema, rows, async ({ draftAndPublish }, ids) => (draftAndPublish ? [] : ids));

export const mayHold = (schema: Schema, { uid }: ComponentSchema): boolean =>
  [...schema.attributes.values()].some(
    (attribute) =>
      (attribute.kind === 'component' && attribute.component === uid) ||
      (attribute.kind === 'dynamiczone' && attribute.components.some((one) => one.uid === uid)),
  );

/** Rows that let go of components, and the table of component links that they have. */
interface FormerHolders {
  readonly table: string;
  readonly rows: readonly number[];
}

/** Deletes component rows with everything below them, but for those that other rows of the same schema hold as well. */
export async function deleteItems(
  write: WriteSession,
  items: readonly ItemRef[],
  former: FormerHolders,
): Promise<void> {
  const byUid = Map.groupBy(items, ({ uid }) => uid);
  for (const [uid, group] of byUid) {
    const component = write.model.components.get(uid);
    // A component that the model no longer has keeps its rows: nothing is known of what lies below them.
    if (!component) continue;
    const all = group.map(({ id }) => id);
    const holders = await write.run.rows(write.sql.parentsOf(former.table), uid, listOf(all));
    const shared = new Set(holders.flatMap(([row, id]) => (former.rows.includes(row) ? [] : [id])));
    const ids = all.filter((id) => !shared.has(id));
    if (ids.length === 0) continue;
    await deleteBelow(write, component, ids);
    const lists = listsOf(component).map(({ list }) => list);
    if (lists.length > 0)
      await write.run.change(PUBLISHED_LISTS, write.publications.dropRecords(), listOf(lists), listOf(ids));
    // The record of a copy goes with the published row: until then that row is not free to be taken for another's.
    await write.run.rows(write.publications.dropCopies('published'), component.table, listOf(ids));
    await write.run.change(component.table, write.sql.deleteRows(component.table), listOf(ids));
  }
}

export const holdsComponents = (schema: Schema): boolean => componentFields(schema).length > 0;

async function itemsOfRows(
  write: WriteSession,
  { componentTable }: Schema,
  ids: readonly number[],
): Promise<readonly ItemRef[]> {
  const known = ids.map((id) => write.gathered.itemsOf(componentTable, id));
  if (known.every((items) => items !== undefined)) return known.flat();
  const rows = await write.run.rows(write.sql.componentsOfRows(componentTable), listOf(ids));
  return rows.map(([id, uid]) => ({ id, uid }));
}

/** Deletes what rows hold that no foreign key takes along: components, files of media fields, polymorphic links. */
export async function deleteBelow(write: WriteSession, schema: Schema, ids: readonly number[]): Promise<void> {
  if (holdsComponents(schema)) {
    const items = await itemsOfRows(write, schema, ids);
    await deleteItems(write, items, { table: schema.componentTable, rows: ids });
  }
  for (const holder of [...write.model.contentTypes.values(), ...write.model.components.values()]) {
    for (const attribute of holder.attributes.values()) {
      if (attribute.kind !== 'morph' || !attribute.many) continue;
      const table = morphTableName(holder.table, attribute.name);
      const columns = [typeColumnName(attribute.name), idColumnName(attribute.name)] as const;
      await write.run.change(table, write.sql.morph.deleteLinks(table, ...columns), schema.uid, listOf(ids));
    }
  }
}
