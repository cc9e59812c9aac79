// Bringing a draft back to what was last published, and making one for a published row that has none.
import { isKey, linkAttributes } from '../model/links.ts';
import type { ContentType, RelationAttribute } from '../model/types.ts';
import { weave } from '../plan/write/relation-order.ts';
import type { AffectedDocuments } from './affected-rows.ts';
import { copyMorphs, copyNestedContent } from './copy.ts';
import { type DraftAndPublished, draftsOf, otherOwnersInStatus, publishedOf } from './document-versions.ts';
import { gatherLists } from './gather-lists.ts';
import { readLinks, readTargets, writeLinks } from './link-table.ts';
import { readRecord } from './publication-records.ts';
import { isSettled, requireMayLose, setKey, sharedColumns, takeFromOthers } from './publish.ts';
import { listOf, type Version, type WriteSession } from './write-session.ts';

/** A published row that lost its draft gets one back before it is changed. */
export async function restoreDraft(
  write: WriteSession,
  type: ContentType,
  published: Version,
  documents: AffectedDocuments,
): Promise<Version> {
  const draft = await write.run.insert(
    type.table,
    write.sql.duplicateRows(type.table, sharedColumns(type, write.model)),
    JSON.stringify([[published.id, 1]]),
  );
  await discardRow(write, type, { draft, published: published.id, documentId: published.documentId }, documents);
  return { ...published, id: draft, published: false };
}

/** Brings the draft back to what was last published. Returns the names of attributes with components or files that changed. */
export async function discardRow(
  write: WriteSession,
  type: ContentType,
  { draft, published, documentId }: DraftAndPublished & { readonly documentId: string },
  documents: AffectedDocuments,
): Promise<ReadonlySet<string>> {
  await write.run.rows(write.sql.copyColumns(type.table, sharedColumns(type, write.model)), published, listOf([draft]));
  await gatherLists(write, type, [draft, published], [published]);
  const copy = { from: published, to: draft, toIsNew: false, purpose: { to: 'draft' } } as const;
  const changed = await copyNestedContent(write, type, copy);
  for (const attribute of linkAttributes(type)) {
    const { link } = attribute;
    const current = await readLinks(write, link, draft);
    const desired = await publishedList(write, attribute, published);
    const { added, removed } = await writeLinks(write, link, draft, { current, desired });
    await requireMayLose(write, attribute, removed);
    const owner = { type, documentId, published: false };
    if (attribute.exclusive) await takeFromOthers(write, attribute, owner, { added, documents });
  }
  for (const attribute of type.attributes.values()) {
    if (!isKey(attribute) || isSettled(attribute, write.type(attribute.target))) continue;
    const desired = await publishedList(write, attribute, published);
    await setKey(write, type, attribute, { row: draft, desired });
  }
  await copyMorphs(write, type, copy);
  return changed;
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
  // A side that takes one keeps to the document that shows.
  const [first] = attribute.many ? [] : visible;
  const others = first === undefined ? new Set() : await otherOwnersInStatus(write, target, first, kept);
  return weave(
    kept.filter((id) => !others.has(id)),
    visible,
  );
}
