// One-way links follow the publication of the documents that they lead to: they appear with the first published row,
// and are remembered when it goes. Those of polymorphic relations are in morph-referrers.ts.
import { keysTo, oneWayTo } from '../model/links.ts';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { ContentType, LinkTable, RelationAttribute, Schema } from '../model/types.ts';
import { applyChange, weave } from '../plan/write/relation-order.ts';
import type { GatherPart } from '../sql/gather-statements.ts';
import { listName } from '../sql/link-names.ts';
import { rowsOfEntries, rowsWithoutDrafts } from './components.ts';
import { type DraftAndPublished, draftsOf, shownTargets, versionsByRow } from './document-versions.ts';
import { readLinks, readTargets, writeLinks } from './link-table.ts';
import { rememberInMorphs } from './morph-referrers.ts';
import { readRecord, recordList } from './publication-records.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** Rows that lead one way to a document, by one relation: those that hold its draft, and those on record. */
export interface Referrer {
  readonly schema: Schema;
  readonly attribute: RelationAttribute;
  readonly holders: readonly number[];
  readonly recorded: readonly number[];
}

/** For the rows whose lists hold a draft, and for those whose recorded lists do. */
export const referrerParts = (schema: Schema, link: LinkTable): GatherPart[] => [
  { read: 'holders', table: link.table, holder: link.from, held: link.to, constants: link.constants },
  { read: 'recordedIn', link, holder: schema.table },
];

/** The list with the published row directly behind the draft. */
const besideDraft = (list: readonly number[], { draft, published }: DraftAndPublished): number[] =>
  applyChange(list, {
    connect: [{ ids: [published], position: { at: 'after', anchor: [draft] } }],
    disconnect: [],
    strict: false,
  });

/** A document that is published for the first time appears wherever one-way relations already lead to it. */
export async function linkFromReferrers(
  write: WriteSession,
  type: ContentType,
  rows: DraftAndPublished,
  referrers: readonly Referrer[],
): Promise<void> {
  await linkFromKeys(write, type, rows);
  for (const { schema, attribute, holders, recorded } of referrers) {
    const { link } = attribute;
    for (const row of await rowsWithoutDrafts(write, schema, holders)) {
      const current = await readLinks(write, link, row);
      const list = current.map(({ target }) => target);
      await writeLinks(write, link, row, { current, desired: besideDraft(list, rows) });
    }
    const live = new Set(await rowsWithoutDrafts(write, schema, recorded));
    for (const row of recorded)
      if (live.has(row)) await restoreInLiveList(write, attribute, row, rows);
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
  if (list.includes(draft)) return;
  const recorded = (await readRecord(write, attribute, row)).map((id) => (id === draft ? published : id));
  const desired = weave(recorded, list).filter((id) => id === published || list.includes(id));
  await writeLinks(write, link, row, { current, desired });
  await recordList(write, attribute, row, recorded.every((id) => desired.includes(id)) ? [] : recorded);
}

/**
 * Before published rows go: the one-way lists of rows without drafts that hold them, and not their drafts, have nothing
 * else to remember them by. The whole list is put on record, with the drafts in the places of those that go. So are
 * polymorphic links, and lists of published rows that another program has published. Keys of rows without drafts lead to
 * the drafts from now on.
 */
export async function rememberInLiveLists(
  write: WriteSession,
  type: ContentType,
  published: readonly number[],
): Promise<void> {
  const drafts = await draftsOf(write, type.table, published);
  await rememberInMorphs(write, type, drafts);
  for (const [row, draft] of drafts) await leadKeys(write, type, { from: row, to: draft });
  for (const [schema, attribute] of keysTo(write.model, type.uid))
    if (attribute.inverse === null)
      await recordWhatShows(write, schema, attribute, await holdersOf(write, attribute, published));
  for (const [schema, attribute] of oneWayTo(write.model, type.uid)) {
    const ids = await holdersOf(write, attribute, published);
    await recordWhatShows(write, schema, attribute, ids);
    for (const row of await rowsWithoutDrafts(write, schema, ids)) {
      const list = await readTargets(write, attribute.link, row);
      const going = new Map([...drafts].filter(([id, draft]) => list.includes(id) && !list.includes(draft)));
      if (going.size === 0) continue;
      const recorded = weave(await readRecord(write, attribute, row), list);
      const drafted = recorded.map((id) => going.get(id) ?? id);
      await recordList(write, attribute, row, drafted);
    }
  }
}

/** Rows that a relation leads from to the given ones. */
const holdersOf = async (
  write: WriteSession,
  { link }: RelationAttribute,
  targets: readonly number[],
): Promise<number[]> =>
  (await write.run.rows(write.sql.holdersOf(link.table, link.from, link.to), listOf(targets))).map(([id]) => id);

/** Puts one-way lists of published rows on record where that is missing, since another program has published them. */
async function recordWhatShows(
  write: WriteSession,
  schema: Schema,
  { link, target }: RelationAttribute,
  holders: readonly number[],
): Promise<void> {
  const rows = await rowsOfEntries(write, schema, holders, async (type, ids) => {
    const versions = type.draftAndPublish ? await versionsByRow(write, type, ids) : [];
    return versions.filter((version) => version.published).map(({ id }) => id);
  });
  if (rows.length === 0) return;
  const statement = write.publications.recordShownLists(link, write.type(target).table);
  await write.run.change(PUBLISHED_LISTS, statement, listName(link), listOf(rows));
}

/** A one-way list of a published row, as recorded when it was published, with the targets that are published now. */
async function showRecordedList(write: WriteSession, attribute: RelationAttribute, row: number): Promise<void> {
  const { link } = attribute;
  const desired = await shownTargets(write, write.type(attribute.target), await readRecord(write, attribute, row));
  await writeLinks(write, link, row, { current: await readLinks(write, link, row), desired });
}

/** The same for one-way relations kept in foreign keys. */
async function linkFromKeys(write: WriteSession, type: ContentType, rows: DraftAndPublished): Promise<void> {
  for (const [holder, { link, inverse }] of keysTo(write.model, type.uid)) {
    if (inverse !== null) continue;
    const recorded = await write.run.rows(write.publications.recordedIn(holder.table), listName(link), rows.draft);
    const holders = recorded.map(([id]) => id);
    if (holders.length > 0) await setKeyColumn(write, link, holders, rows.published);
  }
  await leadKeys(write, type, { from: rows.draft, to: rows.published });
}

/** Leads keys of rows without drafts from one row of a document to the other. */
async function leadKeys(
  write: WriteSession,
  type: ContentType,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  for (const [holder, attribute] of keysTo(write.model, type.uid)) {
    const live = await rowsWithoutDrafts(write, holder, await holdersOf(write, attribute, [from]));
    if (live.length > 0) await setKeyColumn(write, attribute.link, live, to);
  }
}

const setKeyColumn = (write: WriteSession, link: LinkTable, rows: readonly number[], target: number): Promise<void> =>
  write.run.change(link.table, write.sql.setColumn(link.table, link.to, 'id'), target, listOf(rows));
