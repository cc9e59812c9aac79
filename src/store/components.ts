// Lists of component rows, in fields and dynamic zones: what is in them, putting them in order, and deleting what
// drops out together with everything below it.
import { componentTableName, idColumnName, morphTableName, typeColumnName } from '../model/identifiers.ts';
import { linkAttributes } from '../model/links.ts';
import type { ComponentAttribute, DynamicZoneAttribute, Schema } from '../model/types.ts';
import { listOf, type WriteSession } from './write-session.ts';

export interface StoredItem {
  readonly pair: number;
  readonly id: number;
  readonly uid: string;
  readonly place: number | null;
}

/** A component row in a list: what is stored of it, and of what kind it is. */
export interface ItemRef {
  readonly id: number;
  readonly uid: string;
}

export async function readItems(write: WriteSession, table: string, row: number, field: string): Promise<StoredItem[]> {
  const rows = await write.rows(write.sql.componentsOf(componentTableName(table)), row, field);
  return rows.map(([pair, id, uid, place]) => ({
    pair: pair as number,
    id: id as number,
    uid: uid as string,
    place: place as number | null,
  }));
}

/** Makes the list of a field the given items, and deletes the rows that drop out of it. */
export async function writeItems(
  write: WriteSession,
  schema: Schema,
  row: number,
  attribute: ComponentAttribute | DynamicZoneAttribute,
  current: readonly StoredItem[],
  items: readonly ItemRef[],
): Promise<void> {
  const table = componentTableName(schema.table);
  const isSame = (a: ItemRef, b: ItemRef) => a.id === b.id && a.uid === b.uid;
  const gone = current.filter((item) => !items.some((kept) => isSame(kept, item)));
  if (gone.length > 0) {
    await write.rows(write.sql.deleteRows(table), listOf(gone.map(({ pair }) => pair)));
    await deleteItems(write, gone);
  }
  const single = attribute.kind === 'component' && !attribute.many;
  const moved: [number, number][] = [];
  for (const [index, item] of items.entries()) {
    const place = single ? null : index + 1;
    const stored = current.find((one) => isSame(one, item));
    if (!stored) await write.insert(table, COMPONENT_COLUMNS, [row, item.id, item.uid, attribute.name, place]);
    else if (place !== null && stored.place !== place) moved.push([stored.pair, place]);
  }
  if (moved.length > 0) await write.rows(write.sql.setPlaces(table, 'order'), JSON.stringify(moved));
}

const COMPONENT_COLUMNS = [
  { column: 'entity_id', type: 'integer' },
  { column: 'cmp_id', type: 'integer' },
  { column: 'component_type', type: 'string' },
  { column: 'field', type: 'string' },
  { column: 'order', type: 'float' },
] as const;

/** The rows that hold given component rows: by schema, the holder of each component row. */
export async function holdersOfComponents(
  write: WriteSession,
  component: Schema,
  ids: readonly number[],
): Promise<[Schema, Map<number, number>][]> {
  const holders: [Schema, Map<number, number>][] = [];
  if (ids.length === 0) return holders;
  for (const parent of [...write.model.contentTypes.values(), ...write.model.components.values()]) {
    const holds = [...parent.attributes.values()].some(
      (attribute) =>
        (attribute.kind === 'component' && attribute.component === component.uid) ||
        (attribute.kind === 'dynamiczone' && attribute.components.some(({ uid }) => uid === component.uid)),
    );
    if (!holds) continue;
    const rows = await write.rows(write.sql.parentsOf(componentTableName(parent.table)), component.uid, listOf(ids));
    if (rows.length > 0) holders.push([parent, new Map(rows.map((row) => [row[1] as number, row[0] as number]))]);
  }
  return holders;
}

/** Deletes component rows with everything below them. */
export async function deleteItems(write: WriteSession, items: readonly ItemRef[]): Promise<void> {
  const byUid = new Map<string, number[]>();
  for (const { uid, id } of items) {
    const list = byUid.get(uid);
    if (list) list.push(id);
    else byUid.set(uid, [id]);
  }
  for (const [uid, ids] of byUid) {
    const component = write.model.components.get(uid);
    // A component that the model no longer has keeps its rows: nothing is known of what lies below them.
    if (!component) continue;
    await deleteBelow(write, component, ids);
    for (const { pairs } of linkAttributes(component))
      await write.rows(write.sql.dropRecords('owner'), pairs.table, listOf(ids));
    // The record of a copy goes with the published row: until then that row is not free to be taken for another's.
    await write.rows(write.sql.dropCopies('published'), component.table, listOf(ids));
    await write.rows(write.sql.deleteRows(component.table), listOf(ids));
  }
}

/** Deletes what rows hold that no foreign key takes along: components, files of media fields, polymorphic pairs. */
export async function deleteBelow(write: WriteSession, schema: Schema, ids: readonly number[]): Promise<void> {
  const attributes = [...schema.attributes.values()];
  if (attributes.some(({ kind }) => kind === 'component' || kind === 'dynamiczone')) {
    const rows = await write.rows(write.sql.componentsOfRows(componentTableName(schema.table)), listOf(ids));
    await deleteItems(
      write,
      rows.map(([id, uid]) => ({ id: id as number, uid: uid as string })),
    );
  }
  for (const holder of write.model.contentTypes.values()) {
    for (const attribute of holder.attributes.values()) {
      if (attribute.kind !== 'morph' || !attribute.many) continue;
      const table = morphTableName(holder.table, attribute.name);
      const columns = [typeColumnName(attribute.name), idColumnName(attribute.name)] as const;
      await write.rows(write.sql.deleteMorphPairs(table, ...columns), schema.uid, listOf(ids));
    }
  }
}
