// Publishing: the published row of a document is brought in line with its draft, in place, so that its id and the
// links to it last as long as the document. The latest publication decides: the row's lists become what the draft's
// are, as far as their targets are published, on both sides.
import { linkAttributes, oneWayTo } from '../model/links.ts';
import type { Attribute, ContentType, LinkTable, MorphAttribute, RelationAttribute, Schema } from '../model/types.ts';
import { applyChange, insertInOrder, weave } from '../plan/write/relation-order.ts';
import { listName } from '../sql/write-statements.ts';
import { holdersOfComponents } from './components.ts';
import { copyNestedContent } from './copy.ts';
import { linksOfOthers, readLinks, readTargets, removeLinks, reversed, writeLinks } from './link-table.ts';
import { readRecord, recordList } from './publication-records.ts';
import { otherOwnersInStatus } from './relations.ts';
import { draftsOf, publishedOf } from './versions.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** The two rows of a document in one locale. */
interface DraftAndPublished {
  readonly draft: number;
  readonly published: number;
}

/** Columns that the two rows of a document share: everything but the id and the moment of publication. */
export const sharedColumns = (type: ContentType): string[] =>
  [...type.attributes.values()].flatMap((attribute) => {
    if (attribute.kind === 'scalar')
      return attribute.name === 'id' || attribute.name === 'publishedAt' ? [] : [attribute.column];
    if (attribute.kind === 'morph' && !attribute.many) return ['target_id', 'target_type'];
    return isForeignKey(attribute) ? [attribute.link.to] : [];
  });

/** A relation kept in a foreign key of the row itself. */
export const isForeignKey = (attribute: Attribute): attribute is RelationAttribute =>
  attribute.kind === 'relation' && attribute.storage === 'column' && attribute.owning;

const PUBLISHED_AT = [{ column: 'published_at', type: 'datetime' }] as const;

/** Brings the published row in line with the draft; makes it where there is none. Returns its id. */
export async function publishRow(write: WriteSession, type: ContentType, draft: number): Promise<number> {
  const existing = (await publishedOf(write, type.table, [draft])).get(draft);
  const columns = sharedColumns(type);
  const published = existing ?? (await write.duplicate(type.table, columns, draft));
  if (existing !== undefined) await write.rows(write.sql.copyColumns(type.table, columns), draft, listOf([published]));
  await write.rows(write.sql.updateRow(type.table, PUBLISHED_AT), write.now, published);
  await copyNestedContent(write, type, { from: draft, to: published, purpose: { to: 'published' } });
  const rows = { draft, published };
  for (const attribute of type.attributes.values()) {
    if (attribute.kind === 'relation' && attribute.storage === 'linkTable')
      await publishList(write, type, attribute, rows);
    else if (attribute.kind === 'relation' && attribute.storage === 'column') await publishKey(write, attribute, rows);
    else if (attribute.kind === 'morph' && attribute.many) await publishMorphList(write, attribute, rows);
  }
  if (existing === undefined) await linkFromReferrers(write, type, rows);
  return published;
}

/** The rows that stand for targets among published content: their published rows, or they themselves. */
async function shownTargets(write: WriteSession, target: ContentType, ids: readonly number[]): Promise<number[]> {
  if (!target.draftAndPublish) return [...ids];
  const published = await publishedOf(write, target.table, ids);
  return ids.flatMap((id) => published.get(id) ?? []);
}

async function publishList(
  write: WriteSession,
  type: ContentType,
  attribute: RelationAttribute,
  rows: DraftAndPublished,
): Promise<void> {
  const { link } = attribute;
  const target = write.type(attribute.target);
  const inDraft = await readTargets(write, link, rows.draft);
  if (target.draftAndPublish) await recordList(write, attribute, rows.published, inDraft);
  const shown = await shownTargets(write, target, inDraft);
  const current = await readLinks(write, link, rows.published);
  const desired = attribute.many ? shown : shown.slice(-1);
  const { added } = await writeLinks(write, link, rows.published, { current, desired });
  if (attribute.exclusive) await takeFromOthers(write, type, link, { row: rows.published, targets: added });
  for (const id of added) await placeInInverse(write, { type, attribute, other: id }, rows);
}

/** Other documents in the same status lose what the row now holds alone. */
async function takeFromOthers(
  write: WriteSession,
  type: ContentType,
  link: LinkTable,
  { row, targets }: { readonly row: number; readonly targets: readonly number[] },
): Promise<void> {
  const links = await linksOfOthers(write, link, row, targets);
  const losers = await otherOwnersInStatus(write, type, row, [...new Set(links.map(({ holder }) => holder))]);
  await removeLinks(
    write,
    link,
    links.filter(({ holder }) => losers.has(holder)),
  );
}

interface NewLink {
  readonly type: ContentType;
  readonly attribute: RelationAttribute;
  /** The row at the other end. */
  readonly other: number;
}

/** Puts a new link where it belongs in the list of the row at its other end, without moving what stands there. */
async function placeInInverse(
  write: WriteSession,
  { type, attribute, other }: NewLink,
  { draft, published }: DraftAndPublished,
): Promise<void> {
  const { link } = attribute;
  if (!link.inverseOrder) return;
  const inverse = reversed(link);
  const current = await readLinks(write, inverse, other);
  const list = current.map(({ target }) => target);
  const target = write.type(attribute.target);
  if (!target.draftAndPublish) {
    // The two rows of the document stand side by side in the list of a row without drafts.
    if (list.includes(draft))
      await writeLinks(write, inverse, other, { current, desired: besideDraft(list, { draft, published }) });
    return;
  }
  const otherDraft = (await draftsOf(write, target.table, [other])).get(other);
  if (otherDraft === undefined) return;
  const order = await readTargets(write, inverse, otherDraft);
  const drafts = await draftsOf(write, type.table, list);
  const publishedOfDraft = new Map([...drafts].map(([shown, id]) => [id, shown]));
  const shownOrder = order.map((id) => publishedOfDraft.get(id) ?? id);
  await writeLinks(write, inverse, other, { current, desired: insertInOrder(list, published, shownOrder) });
}

/** The list with the published row directly behind the draft. */
const besideDraft = (list: readonly number[], { draft, published }: DraftAndPublished): number[] =>
  applyChange(list, {
    connect: [{ ids: [published], position: { at: 'after', anchor: [draft] } }],
    disconnect: [],
    strict: false,
  });

/** A foreign key was copied with its row; it must lead to a published row. One on the other table leads here. */
async function publishKey(
  write: WriteSession,
  attribute: RelationAttribute,
  { draft, published }: DraftAndPublished,
): Promise<void> {
  const { link } = attribute;
  const target = write.type(attribute.target);
  const inDraft = await readTargets(write, link, draft);
  const shown = await shownTargets(write, target, inDraft);
  if (!attribute.owning) {
    if (!target.draftAndPublish) return;
    const lost = (await readTargets(write, link, published)).filter((id) => !shown.includes(id));
    await write.rows(write.sql.setColumn(link.table, link.from, 'id'), null, listOf(lost));
    await write.rows(write.sql.setColumn(link.table, link.from, 'id'), published, listOf(shown));
    return;
  }
  if (target.draftAndPublish && attribute.inverse === null) await recordList(write, attribute, published, inDraft);
  const [key = null] = shown;
  if (attribute.exclusive && key !== null && target.draftAndPublish)
    await write.rows(write.sql.setColumn(link.table, link.to, link.to), null, listOf([key]));
  if (target.draftAndPublish)
    await write.rows(write.sql.setColumn(link.table, link.to, 'id'), key, listOf([published]));
}

async function publishMorphList(
  write: WriteSession,
  attribute: MorphAttribute,
  { draft, published }: DraftAndPublished,
): Promise<void> {
  for (const { uid, link } of attribute.targets) {
    const inDraft = await readLinks(write, link, draft);
    const current = await readLinks(write, link, published);
    if (inDraft.length === 0 && current.length === 0) continue;
    const target = write.type(uid);
    const ids = inDraft.map((stored) => stored.target);
    const shown = target.draftAndPublish
      ? await publishedOf(write, target.table, ids)
      : new Map(ids.map((id) => [id, id]));
    // All types share one order, so positions are kept as they are in the draft.
    if (current.length > 0) await write.rows(write.sql.deleteRows(link.table), listOf(current.map(({ id }) => id)));
    const positions = inDraft.flatMap((stored) =>
      shown.has(stored.target) ? [[shown.get(stored.target)!, stored.position ?? 0]] : [],
    );
    if (positions.length > 0) await write.rows(write.sql.insertLinks(link), published, JSON.stringify(positions));
  }
}

/** A document that is published for the first time appears wherever one-way relations already lead to it. */
async function linkFromReferrers(write: WriteSession, type: ContentType, rows: DraftAndPublished): Promise<void> {
  await linkFromKeys(write, type, rows);
  for (const [schema, attribute] of oneWayTo(write.model, type.uid)) {
    const { link } = attribute;
    const holders = await write.rows(write.sql.holdersOf(link.table, link.from, link.to), listOf([rows.draft]));
    const live = await rowsWithoutDrafts(
      write,
      schema,
      holders.map(([id]) => id),
    );
    for (const row of live) {
      const current = await readLinks(write, link, row);
      const list = current.map(({ target }) => target);
      await writeLinks(write, link, row, { current, desired: besideDraft(list, rows) });
    }
    const recorded = (await write.rows(write.sql.recordedIn(schema.table), listName(link), rows.draft)).map(
      ([id]) => id,
    );
    const liveRecorded = new Set(await rowsWithoutDrafts(write, schema, recorded));
    for (const row of recorded)
      if (liveRecorded.has(row)) await restoreInLiveList(write, attribute, row, rows);
      else await showRecordedList(write, attribute, row);
  }
}

/** A row without drafts gets back the link that it had with the published row alone, where it stood. */
async function restoreInLiveList(
  write: WriteSession,
  attribute: RelationAttribute,
  row: number,
  { draft, published }: DraftAndPublished,
): Promise<void> {
  const { link } = attribute;
  const current = await readLinks(write, link, row);
  const list = current.map(({ target }) => target);
  const [position] = await write.rows(write.sql.recordedPosition(), listName(link), row, draft);
  const desired = list.toSpliced((position?.[0] ?? list.length + 1) - 1, 0, published);
  await writeLinks(write, link, row, { current, desired: attribute.many ? desired : [published] });
  await write.rows(write.sql.dropRecordedTargets(), listOf([listName(link)]), listOf([draft]));
}

/**
 * Before published rows go: the one-way lists of rows without drafts that hold them, and not their drafts, have nothing
 * else to remember them by.
 */
export async function rememberInLiveLists(
  write: WriteSession,
  type: ContentType,
  published: readonly number[],
): Promise<void> {
  const drafts = await draftsOf(write, type.table, published);
  for (const [schema, attribute] of oneWayTo(write.model, type.uid)) {
    const { link } = attribute;
    const holders = await write.rows(write.sql.holdersOf(link.table, link.from, link.to), listOf(published));
    const ids = holders.map(([id]) => id);
    for (const row of await rowsWithoutDrafts(write, schema, ids)) {
      const list = await readTargets(write, link, row);
      const gone = list.flatMap((id, index) => {
        const draft = published.includes(id) ? drafts.get(id) : undefined;
        return draft === undefined || list.includes(draft) ? [] : [[draft, index + 1]];
      });
      if (gone.length > 0) await write.rows(write.sql.recordList(), listName(link), row, JSON.stringify(gone));
    }
  }
}

/** A one-way list of a published row, as recorded when it was published, with the targets that are published now. */
async function showRecordedList(write: WriteSession, attribute: RelationAttribute, row: number): Promise<void> {
  const { link, many } = attribute;
  const shown = await shownTargets(write, write.type(attribute.target), await readRecord(write, attribute, row));
  const current = await readLinks(write, link, row);
  await writeLinks(write, link, row, { current, desired: many ? shown : shown.slice(-1) });
}

/** The same for one-way relations kept in foreign keys. */
async function linkFromKeys(write: WriteSession, type: ContentType, rows: DraftAndPublished): Promise<void> {
  for (const holder of write.model.contentTypes.values())
    for (const attribute of holder.attributes.values()) {
      if (!isForeignKey(attribute) || attribute.target !== type.uid || attribute.inverse !== null) continue;
      const { link } = attribute;
      const recorded = await write.rows(write.sql.recordedIn(holder.table), listName(link), rows.draft);
      const holders = recorded.map(([id]) => id);
      if (holders.length > 0)
        await write.rows(write.sql.setColumn(link.table, link.to, 'id'), rows.published, listOf(holders));
    }
}

/** Those of the rows that belong to a document without drafts: such a row is its own published version. */
async function rowsWithoutDrafts(write: WriteSession, schema: Schema, rows: readonly number[]): Promise<number[]> {
  if (rows.length === 0) return [];
  if (schema.kind !== 'component') return schema.draftAndPublish ? [] : [...rows];
  const found: number[] = [];
  for (const { schema: parent, holders } of await holdersOfComponents(write, schema, rows)) {
    const live = new Set(await rowsWithoutDrafts(write, parent, [...new Set(holders.map(({ row }) => row))]));
    for (const { row, component } of holders) if (live.has(row)) found.push(component);
  }
  return found;
}

/** Brings the draft back to what was last published. */
export async function discardRow(write: WriteSession, type: ContentType, rows: DraftAndPublished): Promise<void> {
  const { draft, published } = rows;
  await write.rows(write.sql.copyColumns(type.table, sharedColumns(type)), published, listOf([draft]));
  await copyNestedContent(write, type, { from: published, to: draft, purpose: { to: 'draft' } });
  for (const attribute of linkAttributes(type)) {
    const { link } = attribute;
    const current = await readLinks(write, link, draft);
    const desired = await publishedList(write, attribute, published);
    const { added } = await writeLinks(write, link, draft, { current, desired });
    if (attribute.exclusive) await takeFromOthers(write, type, link, { row: draft, targets: added });
  }
  for (const attribute of type.attributes.values()) {
    if (!isForeignKey(attribute) || !write.type(attribute.target).draftAndPublish) continue;
    const [key = null] = await publishedList(write, attribute, published);
    await write.rows(write.sql.setColumn(attribute.link.table, attribute.link.to, 'id'), key, listOf([draft]));
  }
}

/** A list as it was published, in terms of drafts: what shows, and what was linked and is not published yet. */
async function publishedList(write: WriteSession, attribute: RelationAttribute, published: number): Promise<number[]> {
  const shown = await readTargets(write, attribute.link, published);
  const target = write.type(attribute.target);
  if (!target.draftAndPublish) return shown;
  const drafts = await draftsOf(write, target.table, shown);
  const visible = shown.flatMap((id) => drafts.get(id) ?? []);
  const recorded = await readRecord(write, attribute, published);
  const publishedNow = await publishedOf(write, target.table, recorded);
  const kept = recorded.filter((id) => visible.includes(id) || !publishedNow.has(id));
  return weave(kept, visible);
}
