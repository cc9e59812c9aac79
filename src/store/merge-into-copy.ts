// What a body says of the components of a clone. As in Strapi 5, it changes those that were copied, each at its position,
// and leaves the others as they are; what it holds beyond them is made.
import type { Schema } from '../model/types.ts';
import { type ComponentItem, type EntityChange, NO_CHANGE } from '../plan/write/changes.ts';
import { forNewRow } from '../plan/write/new-row.ts';
import { readItems } from './components.ts';
import type { StoredItem } from './gathered.ts';
import type { WriteSession } from './write-session.ts';

/** The change of a row that was just copied, with the components that it is about named by their ids. */
export async function mergeIntoCopy(
  write: WriteSession,
  schema: Schema,
  row: number,
  change: EntityChange,
): Promise<EntityChange> {
  const components = [];
  for (const component of change.components) {
    const { attribute, path } = component;
    const copied = await readItems(write, schema, row, attribute.name);
    const items: ComponentItem[] = [];
    for (const [index, item] of component.items.entries()) items.push(await mergeItem(write, copied[index], item));
    const isList = attribute.kind === 'dynamiczone' || attribute.many;
    const kept = isList ? copied.slice(items.length) : [];
    components.push({
      ...component,
      items: [...items, ...kept.map(({ uid, id }) => ({ uid, id, entity: { ...NO_CHANGE }, path }))],
    });
  }
  return { ...change, components, absent: null };
}

/** A component of another kind than the one at its position takes its place. */
async function mergeItem(
  write: WriteSession,
  copied: StoredItem | undefined,
  item: ComponentItem,
): Promise<ComponentItem> {
  if (copied?.uid !== item.uid) return { ...item, entity: forNewRow(item.entity, false) };
  const { id, uid } = copied;
  return { ...item, id, entity: await mergeIntoCopy(write, write.model.components.get(uid)!, id, item.entity) };
}
