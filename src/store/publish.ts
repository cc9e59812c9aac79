// Publishing: the published row of a document is brought in line with its draft, in place, so that its id and the
// links to it last as long as the document. The latest publication decides: the row's lists become what the draft's
// are, as far as their targets are published, on both sides.
import { memoize } from '../memoize.ts';
import { isForeignKey, isKey, linkAttributes, oneWayTo } from '../model/links.ts';
import type { ContentType, Model, RelationAttribute } from '../model/types.ts';
import type { GatherPart } from '../sql/gather-statements.ts';
import { linkKey } from '../sql/link-names.ts';
import type { CopiedColumn } from '../sql/write-statements.ts';
import type { AffectedDocuments } from './affected-rows.ts';
import { writeKeys } from './apply.ts';
import { copiedKey, copyMorphs, copyNestedContent } from './copy.ts';
import {
  type DraftAndPublished,
  draftsOf,
  otherOwnersInStatus,
  publishedBeside,
  publishedOrAppearing,
  shownTargets,
} from './document-versions.ts';
import { gather } from './gather.ts';
import { gatherLists, ownParts } from './gather-lists.ts';
import { linksOfOthers, readLinks, readTargets, removeLinks, writeLinks } from './link-table.ts';
import { mayTakeFromOtherTypes } from './morph-key.ts';
import { type MorphReferrer, morphListsTo, showInMorphs } from './morph-referrers.ts';
import { recordList, recordLists } from './publication-records.ts';
import { linkFromReferrers, type Referrer, referrerParts } from './referrers.ts';
import { mayTakeFrom, rulesAllowUpdate, takesFromOthers } from './row-rights.ts';
import { scalarsAnd, syncSharedFields } from './shared-fields.ts';
import { readScalarRows, validateForPublish } from './validate.ts';
import { listOf, type Version, type WriteSession } from './write-session.ts';

/** `isNew`: the published row was just made, so that it holds nothing yet. */
interface PublishedRows extends DraftAndPublished, Pick<GatheredForPublish, 'recorded'> {
  readonly documentId: string;
  readonly isNew: boolean;
}

/**
 * Columns that the two rows of a document share: everything but the id, the moment of publication, and keys that can
 * lead to a draft in one and to a published row in the other, or that others may have to lose.
 */
export const sharedColumns = memoize((type: ContentType, { contentTypes }: Model): readonly CopiedColumn[] =>
  [...type.attributes.values()].flatMap((attribute) => {
    if (attribute.kind === 'scalar')
      return attribute.name === 'id' || attribute.name === 'publishedAt' ? [] : [attribute.column];
    return isForeignKey(attribute) && isSettled(attribute, contentTypes.get(attribute.target)!)
      ? [copiedKey(attribute, contentTypes)]
      : [];
  }),
);

/** The relations of a type that are kept in foreign keys. */
const keyAttributes = memoize((type: ContentType): readonly RelationAttribute[] =>
  [...type.attributes.values()].filter(isKey),
);

/** What a publication reads ahead, besides lists and items. */
interface GatheredForPublish {
  readonly referrers: readonly Referrer[];
  readonly morphReferrers: readonly MorphReferrer[];
  /** The recorded lists of the published row, by name. */
  readonly recorded: ReadonlyMap<string, readonly number[]>;
}

/** Reads all lists of a draft and of its published row, with what is on record of them; and who leads to it, where it is published for the first time. */
async function gatherForPublish(
  write: WriteSession,
  type: ContentType,
  draft: number,
  published: number | null,
): Promise<GatheredForPublish> {
  if (published === null) return gatherForFirst(write, type, ownParts(type, write.model).lists, draft);
  const recorded = await gatherLists(write, type, [draft, published], [published]);
  return { referrers: [], morphReferrers: [], recorded };
}

/** The same for a draft without a published row. */
async function gatherForFirst(
  write: WriteSession,
  type: ContentType,
  own: readonly GatherPart[],
  draft: number,
): Promise<GatheredForPublish> {
  const oneWay = oneWayTo(write.model, type.uid);
  const morphs = morphListsTo(write, type);
  const parts = [
    ...own,
    ...oneWay.flatMap(([schema, { link }]) => referrerParts(schema, link)),
    ...morphs.flatMap(({ schema, link }) => referrerParts(schema, link)),
  ];
  const found = await gather(
    write,
    parts,
    parts.map(() => [draft]),
  );
  const rowsOf = (index: number) => (found.get(index) ?? []).map(([, row]) => row);
  const referrerRows = (index: number) => ({
    holders: rowsOf(own.length + 2 * index),
    recorded: rowsOf(own.length + 2 * index + 1),
  });
  return {
    referrers: oneWay.map(([schema, attribute], index) => ({ schema, attribute, ...referrerRows(index) })),
    morphReferrers: morphs.map((morph, index) => ({ ...morph, ...referrerRows(oneWay.length + index) })),
    recorded: new Map(),
  };
}

/** Publishes a draft: checks it, brings its published row in line with it, and keeps what locales share in step. */
export async function publishVersion(
  write: WriteSession,
  type: ContentType,
  { draft, versions }: { readonly draft: Version; readonly versions: readonly Version[] },
  documents: AffectedDocuments,
): Promise<Version> {
  const existing = publishedBeside(versions, draft)?.id ?? null;
  const [gathered, scalars] = await Promise.all([
    gatherForPublish(write, type, draft.id, existing),
    readScalarRows(write, type, existing === null ? [draft.id] : [draft.id, existing]),
  ]);
  await validateForPublish(write, type, draft, scalars);
  const { id, changed } = await publishRow(write, type, { draft, existing }, { ...gathered, documents });
  const version = { ...draft, id, published: true };
  const names = () => (existing === null ? null : scalarsAnd(type, changed));
  await syncSharedFields(write, type, { row: version, versions }, names);
  return version;
}

/**
 * Brings the published row in line with the draft; makes it where there is none. Returns its id, and the names of
 * attributes with components or files that have changed.
 */
async function publishRow(
  write: WriteSession,
  type: ContentType,
  { draft: version, existing }: { readonly draft: Version; readonly existing: number | null },
  { referrers, morphReferrers, recorded, documents }: GatheredForPublish & { readonly documents: AffectedDocuments },
): Promise<{ readonly id: number; readonly changed: ReadonlySet<string> }> {
  const { id: draft, documentId } = version;
  const columns = sharedColumns(type, write.model);
  const published =
    existing ?? (await write.run.insert(type.table, write.sql.insertPublished(type.table, columns), write.now, draft));
  const rows = { draft, published, documentId, isNew: existing === null, recorded };
  const copy = { from: draft, to: published, toIsNew: rows.isNew, purpose: { to: 'published' } } as const;
  const changed = await copyNestedContent(write, type, copy);
  const added = await publishLists(write, type, rows, documents);
  await placeInInverses(write, type, added, rows);
  if (existing !== null) {
    const update = write.sql.updatePublished(type.table, columns);
    await write.run.change(type.table, update, write.now, draft, listOf([published]));
  }
  for (const attribute of keyAttributes(type)) await publishKey(write, type, attribute, rows);
  await copyMorphs(write, type, copy);
  if (existing === null) {
    await linkFromReferrers(write, type, rows, referrers);
    await showInMorphs(write, type, rows, morphReferrers);
  }
  return { id: published, changed };
}

/** A link that a publication added, from this row to another. */
interface AddedLink {
  readonly attribute: RelationAttribute;
  readonly other: number;
}

async function publishLists(
  write: WriteSession,
  type: ContentType,
  rows: PublishedRows,
  documents: AffectedDocuments,
): Promise<AddedLink[]> {
  const lists: { attribute: RelationAttribute; inDraft: readonly number[]; desired: readonly number[] }[] = [];
  for (const attribute of linkAttributes(type)) {
    const inDraft = await readTargets(write, attribute.link, rows.draft);
    const shown = await shownTargets(write, write.type(attribute.target), inDraft);
    lists.push({ attribute, inDraft, desired: shown });
  }
  const recordable = lists.filter(({ attribute }) => write.type(attribute.target).draftAndPublish);
  await recordLists(write, rows.published, recordable, rows.recorded);
  const links: AddedLink[] = [];
  for (const { attribute, desired } of lists) {
    // A new row holds nothing yet, but a link with itself may have come from the other side.
    const isEmpty = rows.isNew && (attribute.target !== type.uid || attribute.inverse === null);
    const current = isEmpty ? [] : await readLinks(write, attribute.link, rows.published);
    const { added, removed } = await writeLinks(write, attribute.link, rows.published, { current, desired });
    if (removed.length > 0) await requireMayLose(write, attribute, removed);
    if (added.length === 0) continue;
    const owner = { type, documentId: rows.documentId, published: true };
    if (attribute.exclusive) await takeFromOthers(write, attribute, owner, { added, documents });
    links.push(...added.map((other) => ({ attribute, other })));
  }
  return links;
}

/** Refuses to take a link from rows that show it, where a rule keeps the caller from updating them. */
export async function requireMayLose(
  write: WriteSession,
  { name, target, inverse }: RelationAttribute,
  removed: readonly number[],
): Promise<void> {
  if (inverse !== null && !(await rulesAllowUpdate(write, write.type(target), removed))) throw takesFromOthers([name]);
}

/** Other documents in the same status lose what a row now holds alone. */
export async function takeFromOthers(
  write: WriteSession,
  { name, link }: RelationAttribute,
  owner: Pick<Version, 'documentId' | 'published'> & { readonly type: ContentType },
  { added, documents }: { readonly added: readonly number[]; readonly documents: AffectedDocuments },
): Promise<void> {
  const taken = (documents.ownerLinks.get(linkKey(link)) ?? [])
    .filter(
      ({ owner: other, target }) =>
        added.includes(target) && other.documentId !== owner.documentId && other.published === owner.published,
    )
    .map(({ id, owner: other, target }) => ({ id, holder: other.id, target }));
  if (!(await mayTakeFrom(write, owner.type, [...new Set(taken.map(({ holder }) => holder))])))
    throw takesFromOthers([name]);
  await removeLinks(write, link, taken);
}

/**
 * Puts new links where they belong in the lists of the rows at their other ends, without moving what stands there. A new
 * link stands at the end; it moves in front of what comes later in the draft's list, or behind the draft's own link where
 * the other end has no drafts.
 */
async function placeInInverses(
  write: WriteSession,
  type: ContentType,
  links: readonly AddedLink[],
  { draft, published }: PublishedRows,
): Promise<void> {
  if (links.length === 0) return;
  // A row that is in its own list has its place from the list of the other side, which was written as well.
  const ordered = links.filter(({ attribute, other }) => attribute.link.inverseOrder !== null && other !== published);
  const byAttribute = [...Map.groupBy(ordered, ({ attribute }) => attribute)];
  const found = await Promise.all(
    byAttribute.map(async ([{ link, target: uid }, group]) => {
      const { table, draftAndPublish } = write.type(uid);
      const others = group.map(({ other }) => other);
      const drafts = draftAndPublish ? await draftsOf(write, table, others) : new Map(others.map((id) => [id, id]));
      const statement = draftAndPublish
        ? write.sql.positionsAmongPublished(link, type.table)
        : write.sql.positionsBesideDraft(link);
      const pairs = others.flatMap((other) => (drafts.has(other) ? [[other, drafts.get(other)!]] : []));
      return { link, rows: await write.run.rows(statement, JSON.stringify(pairs), draft) };
    }),
  );
  for (const { link, rows } of found)
    for (const [other, position] of rows)
      await write.run.change(link.table, write.sql.moveToPosition(link), published, position, other, position);
}

/**
 * A key between a row and one without drafts needs nothing else, unless it may have to be taken from others: either it
 * was copied with its row, or it is that of the row without drafts, which leads to one row.
 */
export const isSettled = ({ owning, exclusive }: RelationAttribute, target: ContentType): boolean =>
  !target.draftAndPublish && !(owning && exclusive);

async function publishKey(
  write: WriteSession,
  type: ContentType,
  attribute: RelationAttribute,
  { draft, published }: DraftAndPublished,
): Promise<void> {
  const target = write.type(attribute.target);
  if (isSettled(attribute, target)) {
    if (!attribute.owning) await leadKeysToPublished(write, type, attribute, { draft, published });
    return;
  }
  const inDraft = await readTargets(write, attribute.link, draft);
  if (target.draftAndPublish) await recordList(write, attribute, published, inDraft);
  // Nobody who publishes a target locks what leads to it by a key.
  const shown = target.draftAndPublish ? await publishedOrAppearing(write, target, inDraft) : null;
  const desired = shown ? inDraft.flatMap((id) => shown.get(id) ?? []) : inDraft;
  await setKey(write, type, attribute, { row: published, desired });
}

/** Keys of rows without drafts lead to the published row as long as there is one; those that it had, it keeps. */
async function leadKeysToPublished(
  write: WriteSession,
  type: ContentType,
  attribute: RelationAttribute,
  { draft, published }: DraftAndPublished,
): Promise<void> {
  const inDraft = await readTargets(write, attribute.link, draft);
  if (inDraft.length === 0) return;
  const kept = attribute.many ? await readTargets(write, attribute.link, published) : [];
  await setKey(write, type, attribute, { row: published, desired: [...kept, ...inDraft] });
}

/** Links a row by a key with the desired rows alone; others lose those that it did not have. */
export async function setKey(
  write: WriteSession,
  type: ContentType,
  attribute: RelationAttribute,
  { row, desired }: { readonly row: number; readonly desired: readonly number[] },
): Promise<void> {
  const current = await readTargets(write, attribute.link, row);
  const added = desired.filter((id) => !current.includes(id));
  const owners = attribute.exclusive ? await otherHolders(write, type, attribute, { row, desired: added }) : [];
  if (!(await mayTakeFrom(write, type, owners)) || !(await mayTakeFromOtherTypes(write, type, attribute, added)))
    throw takesFromOthers([attribute.name]);
  const gone = current.filter((id) => !desired.includes(id));
  await requireMayLose(write, attribute, gone);
  const rowsToDetach = attribute.owning ? owners : gone;
  await writeKeys(write, attribute, [{ row, desired, rowsToDetach }]);
}

/** Rows of other documents, in the same status, that a key links with the desired targets now. */
async function otherHolders(
  write: WriteSession,
  type: ContentType,
  { link }: RelationAttribute,
  { row, desired }: { readonly row: number; readonly desired: readonly number[] },
): Promise<number[]> {
  const links = await linksOfOthers(write, link, row, desired);
  const holders = [...new Set(links.map(({ holder }) => holder))];
  return [...(await otherOwnersInStatus(write, type, row, holders))];
}
