// Reads what a change meets: the lists and component items that its rows hold now. One statement reads all rows of a
// level, so the number of statements grows with the depth of components and not with how many there are.
import type { ContentType, LinkTable, Schema } from '../model/types.ts';
import type { ComponentChange, ComponentItem, EntityChange, RelationChange } from '../plan/write/changes.ts';
import type { GatherPart } from '../sql/gather-statements.ts';
import { linkKey } from '../sql/write-statements.ts';
import type { AffectedDocuments } from './affected-rows.ts';
import { readItems } from './components.ts';
import { publishedOf } from './document-versions.ts';
import { type GatherRequest, gather } from './gather.ts';
import type { StoredItem, StoredLink } from './gathered.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** What a field of components holds, and which rows the items of the body name: null where they name none of them. */
export interface StoredField {
  readonly current: readonly StoredItem[];
  readonly named: ReadonlyMap<ComponentItem, number | null>;
}

/** What a row holds of what is changed. */
export interface StoredEntity {
  readonly row: number;
  /** By link; of a polymorphic list there are several. */
  readonly links: ReadonlyMap<string, readonly StoredLink[]>;
  readonly fields: ReadonlyMap<ComponentChange, StoredField>;
}

/** The rows that a change meets. An entity that is not among them is new. */
export type StoredEntities = ReadonlyMap<EntityChange, StoredEntity>;

interface ChangedRow {
  readonly schema: Schema;
  readonly row: number;
  readonly change: EntityChange;
}

/** `lists`: those that were read when the document was locked. */
export async function readStoredEntities(
  write: WriteSession,
  type: ContentType,
  root: Pick<ChangedRow, 'row' | 'change'>,
  { lists, versions }: AffectedDocuments,
): Promise<StoredEntities> {
  const stored = new Map<EntityChange, StoredEntity>();
  const isLocked = versions.get(type.table)?.some(({ id }) => id === root.row) ?? false;
  const known = ({ schema, row }: ChangedRow, link: LinkTable): readonly StoredLink[] | undefined =>
    schema === type && isLocked ? (lists.get(linkKey(link))?.get(row) ?? []) : undefined;
  let level: readonly ChangedRow[] = [{ schema: type, ...root }];
  while (level.length > 0) {
    await gather(write, requestsFor(level, known));
    const below: ChangedRow[] = [];
    for (const changed of level) {
      const links = new Map<string, readonly StoredLink[]>();
      for (const link of changed.change.relations.flatMap(linksOf))
        links.set(linkKey(link), known(changed, link) ?? write.gathered.links(link, changed.row)!);
      const fields = new Map<ComponentChange, StoredField>();
      for (const component of changed.change.components) {
        const field = await readField(write, type, changed, component);
        fields.set(component, field);
        for (const [{ uid, entity }, row] of field.named)
          if (row !== null) below.push({ schema: write.model.components.get(uid)!, row, change: entity });
      }
      stored.set(changed.change, { row: changed.row, links, fields });
    }
    level = below;
  }
  return stored;
}

const linksOf = ({ attribute }: RelationChange): LinkTable[] =>
  attribute.kind === 'morph' ? attribute.targets.map(({ link }) => link) : [attribute.link];

/** What has to be read for the rows of a level, each kind of list once for all of them. */
function requestsFor(
  level: readonly ChangedRow[],
  known: (row: ChangedRow, link: LinkTable) => readonly StoredLink[] | undefined,
): GatherRequest[] {
  const requests = new Map<string, { readonly part: GatherPart; readonly rows: number[] }>();
  const add = (key: string, part: GatherPart, row: number): void => {
    const request = requests.get(key) ?? { part, rows: [] };
    request.rows.push(row);
    requests.set(key, request);
  };
  for (const changed of level) {
    const { schema, row, change } = changed;
    for (const link of change.relations.flatMap(linksOf))
      if (known(changed, link) === undefined) add(linkKey(link), { read: 'links', link, siblingsIn: null }, row);
    const table = schema.componentTable;
    if (change.components.length > 0) add(table, { read: 'items', table }, row);
  }
  return [...requests.values()];
}

/** An item names a row by its id, or by that of its published copy. */
async function readField(
  write: WriteSession,
  type: ContentType,
  { schema, row }: ChangedRow,
  { attribute, items }: ComponentChange,
): Promise<StoredField> {
  const current = await readItems(write, schema, row, attribute.name);
  const named = new Map<ComponentItem, number | null>();
  for (const item of items) {
    if (item.id === null) continue;
    const isCurrent = current.some(({ id, uid }) => id === item.id && uid === item.uid);
    named.set(item, isCurrent ? item.id : null);
  }
  const unknown = [...named].filter(([, id]) => id === null).map(([item]) => item);
  for (const [uid, group] of Map.groupBy(unknown, (item) => item.uid)) {
    const { table } = write.model.components.get(uid)!;
    const ids = listOf(group.map(({ id }) => id!));
    const copies = await write.run.rows(write.publications.copiesOf('published'), table, ids);
    const drafts = new Map(copies.map(([draft, published]) => [published, draft]));
    for (const item of group) {
      const draft = drafts.get(item.id!);
      const isCurrent = current.some((stored) => stored.id === draft && stored.uid === uid);
      if (isCurrent) named.set(item, draft!);
      else if (draft === undefined && schema === type)
        named.set(item, await atSamePosition(write, type, { row, current, field: attribute.name }, item));
    }
  }
  return { current, named };
}

/** An adopted database has no records of copies; there the published row's item at the same position is taken for one. */
async function atSamePosition(
  write: WriteSession,
  type: ContentType,
  { row, current, field }: { readonly row: number; readonly current: readonly StoredItem[]; readonly field: string },
  item: ComponentItem,
): Promise<number | null> {
  if (!type.draftAndPublish) return null;
  const published = (await publishedOf(write, type.table, [row])).get(row);
  if (published === undefined) return null;
  const shown = await readItems(write, type, published, field);
  const index = shown.findIndex(({ id, uid }) => id === item.id && uid === item.uid);
  return index >= 0 && current[index]?.uid === item.uid ? current[index].id : null;
}
