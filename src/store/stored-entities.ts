// Reads what a change meets: the lists and component items that its rows hold now. One statement reads all rows of a
// level, so the number of statements grows with the depth of components and not with how many there are.
import { isKey } from '../model/links.ts';
import type { ContentType, LinkTable, Schema } from '../model/types.ts';
import type { ComponentChange, ComponentItem, EntityChange, RelationChange } from '../plan/write/changes.ts';
import type { GatherPart } from '../sql/gather-statements.ts';
import { linkKey } from '../sql/link-names.ts';
import type { AffectedDocuments } from './affected-rows.ts';
import { itemTablesOf, readItems } from './components.ts';
import { restoreItem } from './copy.ts';
import { publishedOf } from './document-versions.ts';
import { gather } from './gather.ts';
import type { StoredEntities, StoredEntity, StoredField, StoredItem, StoredLink } from './gathered.ts';
import { readLinks } from './link-table.ts';
import { listOf, type WriteSession } from './write-session.ts';

interface ChangedRow {
  readonly schema: Schema;
  readonly row: number;
  readonly change: EntityChange;
  /** Other versions of the entry or, of a component, the components that those have in its field. */
  readonly beside: readonly number[];
}

const NO_LINKS: StoredEntity['links'] = new Map();
const NO_FIELDS: StoredEntity['fields'] = new Map();

/** `published`: the row beside a draft that the write publishes. `lists`: those that were read when the document was locked. */
export async function readStoredEntities(
  write: WriteSession,
  type: ContentType,
  { published, ...root }: Pick<ChangedRow, 'row' | 'change'> & { readonly published: number | null },
  { lists, versions }: AffectedDocuments,
): Promise<StoredEntities> {
  const { change, row } = root;
  if (change.relations.length === 0 && change.components.length === 0)
    return new Map([[change, { row, links: NO_LINKS, fields: NO_FIELDS }]]);
  const stored = new Map<EntityChange, StoredEntity>();
  const ofType = versions.get(type.table) ?? [];
  const own = ofType.find(({ id }) => id === row);
  const isLocked = own !== undefined;
  const others = ofType.filter(({ id, documentId }) => id !== row && documentId === own?.documentId);
  const beside = others.map(({ id }) => id);
  const known = ({ schema, row }: ChangedRow, link: LinkTable): readonly StoredLink[] | undefined =>
    schema === type && isLocked ? (lists.get(linkKey(link))?.get(row) ?? []) : undefined;
  let level: readonly ChangedRow[] = [{ schema: type, ...root, beside }];
  while (level.length > 0) {
    const { parts, rows } = readsFor(write, level, known);
    await gather(write, parts, rows);
    const below: ChangedRow[] = [];
    for (const changed of level) {
      const links = new Map<string, readonly StoredLink[]>();
      for (const link of changed.change.relations.flatMap(linksOf))
        links.set(linkKey(link), known(changed, link) ?? (await readLinks(write, link, changed.row)));
      if (changed.schema === type && published !== null) await addKeysTo(write, published, changed.change, links);
      const fields = new Map<ComponentChange, StoredField>();
      for (const component of changed.change.components) {
        const field = await readField(write, type, changed, component);
        fields.set(component, field);
        for (const [{ uid, entity }, row] of field.named) {
          const beside = field.besides.filter((item) => item.uid === uid && item.id !== row).map(({ id }) => id);
          if (row !== null) below.push({ schema: write.model.components.get(uid)!, row, change: entity, beside });
        }
      }
      stored.set(changed.change, { row: changed.row, links, fields });
    }
    level = below;
  }
  return stored;
}

/**
 * Keys of rows without drafts lead to one row of a document, the published one where there is one. A write that publishes
 * is about them as well as about those that lead to the draft.
 */
async function addKeysTo(
  write: WriteSession,
  published: number,
  { relations }: EntityChange,
  links: Map<string, readonly StoredLink[]>,
): Promise<void> {
  for (const { attribute } of relations) {
    if (!isKey(attribute) || attribute.owning || write.type(attribute.target).draftAndPublish) continue;
    const key = linkKey(attribute.link);
    links.set(key, [...links.get(key)!, ...(await readLinks(write, attribute.link, published))]);
  }
}

const linksOf = ({ attribute }: RelationChange): LinkTable[] =>
  attribute.kind === 'morph' ? attribute.targets.map(({ link }) => link) : [attribute.link];

/** What has to be read for the rows of a level, each kind of list once for all of them. */
function readsFor(
  write: WriteSession,
  level: readonly ChangedRow[],
  known: (row: ChangedRow, link: LinkTable) => readonly StoredLink[] | undefined,
): { readonly parts: readonly GatherPart[]; readonly rows: readonly (readonly number[])[] } {
  const reads = new Map<string, { readonly part: GatherPart; readonly rows: number[] }>();
  const add = (key: string, part: GatherPart, row: number): void => {
    const read = reads.get(key);
    if (read) read.rows.push(row);
    else reads.set(key, { part, rows: [row] });
  };
  for (const changed of level) {
    const { schema, row, change, beside } = changed;
    for (const link of change.relations.flatMap(linksOf))
      if (known(changed, link) === undefined) add(linkKey(link), { read: 'links', link, siblingsIn: null }, row);
    if (change.components.length === 0) continue;
    const part = { read: 'items', ...itemTablesOf(schema, write.model) } as const;
    add(schema.componentTable, part, row);
    for (const other of beside) add(schema.componentTable, part, other);
  }
  const all = [...reads.values()];
  return { parts: all.map(({ part }) => part), rows: all.map(({ rows }) => rows) };
}

/** An item names a row by its id, or by that of its published copy. */
async function readField(
  write: WriteSession,
  type: ContentType,
  changed: ChangedRow,
  { attribute, items }: ComponentChange,
): Promise<StoredField & { readonly besides: readonly StoredItem[] }> {
  const { schema, beside } = changed;
  const current = await readItems(write, schema, changed.row, attribute.name);
  const besides: StoredItem[] = [];
  for (const row of beside) besides.push(...(await readItems(write, schema, row, attribute.name)));
  const named = new Map<ComponentItem, number | null>();
  const copies = new Map<string, number>();
  for (const item of items) {
    if (item.id === null) continue;
    const isIn = (list: readonly StoredItem[]) => list.some(({ id, uid }) => id === item.id && uid === item.uid);
    named.set(item, isIn(current) ? item.id : null);
    if (!isIn(current) || !isIn(besides)) continue;
    // A row that others left in several versions of an entry stays with the others; the one that is written gets its own.
    const key = `${item.uid} ${item.id}`;
    const own = copies.get(key) ?? (await restoreItem(write, write.model.components.get(item.uid)!, item.id));
    copies.set(key, own);
    named.set(item, own);
  }
  const unknown = [...named].filter(([, id]) => id === null).map(([item]) => item);
  // Components have published copies only where there are drafts, and rows that were just made for one version.
  const hasCopies = type.draftAndPublish || schema.kind === 'component';
  if (unknown.length === 0 || !hasCopies) return { current, named, besides };
  const shown = await readShown(write, changed, attribute.name);
  for (const [uid, group] of Map.groupBy(unknown, (item) => item.uid)) {
    const drafts = await draftsOfItems(write, uid, group, { current, shown });
    for (const item of group) named.set(item, drafts.get(item.id!) ?? null);
  }
  return { current, named, besides };
}

/** A field of a draft, and the same of its published row. */
interface FieldRows {
  readonly current: readonly StoredItem[];
  readonly shown: readonly StoredItem[];
}

/** What a field holds in the published row beside a draft, or in the published copy of a component. */
async function readShown(
  write: WriteSession,
  { schema, row }: ChangedRow,
  field: string,
): Promise<readonly StoredItem[]> {
  if (schema.kind !== 'component') {
    const published = (await publishedOf(write, schema.table, [row])).get(row);
    return published === undefined ? [] : readItems(write, schema, published, field);
  }
  const [copy] = await write.run.rows(write.publications.copiesOf('draft'), schema.table, listOf([row]));
  return copy ? readItems(write, schema, copy[1], field) : [];
}

/**
 * The drafts of published items, by the ids of those. An adopted database has no records of copies; there the draft at
 * the same position is taken for one. An item that the draft has lost gets its draft back.
 */
async function draftsOfItems(
  write: WriteSession,
  uid: string,
  items: readonly ComponentItem[],
  { current, shown }: FieldRows,
): Promise<ReadonlyMap<number, number>> {
  const component = write.model.components.get(uid)!;
  const ids = [...new Set(items.map(({ id }) => id!))];
  const copies = await write.run.rows(write.publications.copiesOf('published'), component.table, listOf(ids));
  const recorded = new Map(copies.map(([draft, published]) => [published, draft]));
  const drafts = new Map<number, number>();
  for (const id of ids) {
    const index = shown.findIndex((item) => item.id === id && item.uid === uid);
    const draft = recorded.get(id) ?? current[index]?.id;
    const isCurrent = current.some((item) => item.id === draft && item.uid === uid);
    if (isCurrent) drafts.set(id, draft!);
    else if (index >= 0) drafts.set(id, await restoreItem(write, component, id));
  }
  return drafts;
}
