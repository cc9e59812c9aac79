// Writes one entity, be it a row of a content-type or of a component: its columns, its components, its relations.
import { SheafError } from '../errors.ts';
import type { Schema } from '../model/types.ts';
import type { ComponentChange, ComponentItem, EntityChange } from '../plan/write/changes.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import type { BoundValue } from '../sql/statement.ts';
import type { WrittenColumn } from '../sql/write-statements.ts';
import { readItems, writeItems } from './components.ts';
import { publishedOf } from './document-versions.ts';
import type { ItemRef, StoredItem } from './gathered.ts';
import type { OwnerRow } from './references.ts';
import { writeRelation } from './relations.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** Columns of a change with their values, in the order in which statements name them. */
export function columnsOf({ scalars }: EntityChange): { columns: WrittenColumn[]; values: BoundValue[] } {
  return {
    columns: scalars.map(({ attribute }) => ({ column: attribute.column, type: attribute.type })),
    values: scalars.map(({ value }) => value),
  };
}

/** Fills in a row that exists. */
export async function writeEntity(
  write: WriteSession,
  schema: Schema,
  owner: OwnerRow,
  change: EntityChange,
): Promise<void> {
  const { columns, values } = columnsOf(change);
  if (columns.length > 0) await write.rows(write.sql.updateRow(schema.table, columns), ...values, owner.id);
  await writeRelationsAndComponents(write, schema, owner, change);
}

/** Everything of an entity but its own columns. */
export async function writeRelationsAndComponents(
  write: WriteSession,
  schema: Schema,
  owner: OwnerRow,
  change: EntityChange,
): Promise<void> {
  for (const component of change.components) await writeComponents(write, schema, owner, component);
  for (const relation of change.relations) await writeRelation(write, owner, relation);
}

/**
 * An item with the id of a row that is in the list is changed in place; the others are made anew, and what the list
 * no longer names is deleted.
 */
async function writeComponents(
  write: WriteSession,
  schema: Schema,
  owner: OwnerRow,
  change: ComponentChange,
): Promise<void> {
  const { attribute } = change;
  const current = owner.isNew ? [] : await readItems(write, schema.table, owner.id, attribute.name);
  const known = await knownItems(write, { schema, owner, current, change });
  const items: ItemRef[] = [];
  for (const item of change.items) {
    const stored = known.get(item);
    const component = write.model.components.get(item.uid)!;
    const { columns, values } = columnsOf(item.entity);
    const id = stored ?? (await write.insert(component.table, columns, values));
    const row: OwnerRow = { ...owner, id, schema: component, isNew: stored === undefined };
    await (stored === undefined ? writeRelationsAndComponents : writeEntity)(write, component, row, item.entity);
    items.push({ id, uid: item.uid });
  }
  await writeItems(write, schema, { row: owner.id, attribute, current, items });
}

interface FieldWrite {
  readonly schema: Schema;
  readonly owner: OwnerRow;
  readonly current: readonly StoredItem[];
  readonly change: ComponentChange;
}

/** Items that name a row: of this list, or the published copy of one in it. */
async function knownItems(write: WriteSession, field: FieldWrite): Promise<Map<ComponentItem, number>> {
  const { schema, current, change } = field;
  const known = new Map<ComponentItem, number>();
  const taken = new Set<string>();
  for (const item of change.items) {
    if (item.id === null) continue;
    let stored = current.find(({ id, uid }) => id === item.id && uid === item.uid);
    if (!stored) {
      const { table } = write.model.components.get(item.uid)!;
      const [copy] = await write.rows(write.sql.copiesOf('published'), table, listOf([item.id]));
      stored = current.find(({ id, uid }) => id === copy?.[0] && uid === item.uid);
      if (!copy && schema.kind !== 'component') stored = await atSamePosition(write, field, item);
    }
    const key = `${item.uid} ${stored?.id}`;
    if (!stored || taken.has(key)) throw foreignItem(item.path);
    taken.add(key);
    known.set(item, stored.id);
  }
  return known;
}

/** An adopted database has no records of copies; there the published row's item at the same position is taken for one. */
async function atSamePosition(
  write: WriteSession,
  { schema, owner, current, change }: FieldWrite,
  item: ComponentItem,
): Promise<StoredItem | undefined> {
  if (!owner.draftAndPublish) return undefined;
  const published = (await publishedOf(write, schema.table, [owner.id])).get(owner.id);
  if (published === undefined) return undefined;
  const shown = await readItems(write, schema.table, published, change.attribute.name);
  const index = shown.findIndex(({ id, uid }) => id === item.id && uid === item.uid);
  return index >= 0 && current[index]?.uid === item.uid ? current[index] : undefined;
}

const foreignItem = (path: BodyPath): SheafError =>
  new SheafError(
    400,
    'ApplicationError',
    `Some of the provided components in ${path[0]} are not related to the entity`,
    { path: path.join('.'), source: 'body' },
  );
