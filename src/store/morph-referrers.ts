// Polymorphic links follow the publication of the documents that they lead to: they appear with the first published
// row, and are remembered when it goes.
import { type MorphTo, morphsTo } from '../model/links.ts';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import type { ContentType, Schema } from '../model/types.ts';
import { listName } from '../sql/link-names.ts';
import { rowsOfEntries, rowsWithoutDrafts } from './components.ts';
import { type DraftAndPublished, versionsByRow } from './document-versions.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** Rows that lead to a document by one polymorphic relation: those whose lists hold its draft, and on record. */
export interface MorphReferrer extends MorphTo {
  readonly holders: readonly number[];
  readonly recorded: readonly number[];
}

export const morphListsTo = ({ model }: WriteSession, { uid }: ContentType): MorphTo[] =>
  morphsTo(model, uid).filter(({ many }) => many);

/** Schemas with a key that can lead to a type. */
const schemasWithKeysTo = ({ model }: WriteSession, { uid }: ContentType): Set<Schema> =>
  new Set(
    morphsTo(model, uid)
      .filter(({ many }) => !many)
      .map(({ schema }) => schema),
  );

/**
 * A document that is published for the first time, or again, appears where polymorphic links lead to it. A row without
 * drafts gets the link beside that with the draft; others get the one on record, where it stood.
 */
export async function showInMorphs(
  write: WriteSession,
  type: ContentType,
  { draft, published }: DraftAndPublished,
  referrers: readonly MorphReferrer[],
): Promise<void> {
  for (const { schema, link, holders, recorded } of referrers) {
    const live = await rowsWithoutDrafts(write, schema, holders);
    if (live.length > 0)
      await write.run.change(link.table, write.sql.morph.linkBesideDraft(link), published, draft, listOf(live));
    if (recorded.length === 0) continue;
    // Records may have been written just now.
    await write.run.flush();
    const statement = write.publications.linkRecorded(link);
    await write.run.change(link.table, statement, published, listName(link), draft, listOf(recorded));
  }
  for (const schema of schemasWithKeysTo(write, type)) {
    const found = await write.run.rows(write.sql.morph.keysTo(schema.table), type.uid, listOf([draft]));
    const rows = found.map(([row]) => row);
    const shown = await rowsOfEntries(write, schema, rows, (holder, ids) => publishedRows(write, holder, ids));
    if (shown.length > 0)
      await write.run.change(schema.table, write.sql.morph.setKey(schema.table), type.uid, published, listOf(shown));
  }
}

/** Those of the rows that readers of published content see. */
async function publishedRows(write: WriteSession, type: ContentType, ids: readonly number[]): Promise<number[]> {
  if (!type.draftAndPublish) return [...ids];
  return (await versionsByRow(write, type, ids)).filter(({ published }) => published).map(({ id }) => id);
}

/**
 * Before published rows go: lists that hold them, and not their drafts, record the drafts in their places; keys lead to
 * the drafts, which do not show.
 */
export async function rememberInMorphs(
  write: WriteSession,
  type: ContentType,
  drafts: ReadonlyMap<number, number>,
): Promise<void> {
  if (drafts.size === 0) return;
  const pairs = JSON.stringify([...drafts]);
  for (const { link } of morphListsTo(write, type)) {
    const statement = write.publications.recordMorphLinks(link);
    await write.run.change(PUBLISHED_LISTS, statement, listName(link), pairs);
  }
  for (const { table } of schemasWithKeysTo(write, type))
    await write.run.change(table, write.sql.morph.leadKeysBack(table), pairs, type.uid);
}
