// The rows of documents: by document, by row, and from one status to the other.
import type { ContentType } from '../model/types.ts';
import type { LocaleChoice, WritePlan } from '../plan/write/changes.ts';
import type { Status } from '../request/read-request.ts';
import type { AffectedDocuments } from './affected-rows.ts';
import { DocumentNotFound } from './document-not-found.ts';
import { listOf, type Version, versionOf, type WriteSession } from './write-session.ts';

/** The versions of the one document of a single type. */
export async function singleVersions(write: WriteSession, type: ContentType): Promise<Version[]> {
  return (await write.run.rows(write.sql.firstVersions(type.table))).map(versionOf);
}

export async function versionsByRow(write: WriteSession, type: ContentType, ids: Iterable<number>): Promise<Version[]> {
  return (await write.run.rows(write.sql.versionsByRow(type.table), listOf(ids))).map(versionOf);
}

export const inLocales = ({ localized }: ContentType, versions: readonly Version[], locales: LocaleChoice): Version[] =>
  versions.filter(({ locale }) => locales === 'all' || !localized || locales.includes(locale));

/** The versions of one document among those that a write concerns. */
export const documentsOf = (
  { versions }: AffectedDocuments,
  { table }: ContentType,
  documentId: string,
): readonly Version[] => (versions.get(table) ?? []).filter((version) => version.documentId === documentId);

/** The published row of the same locale. */
export const publishedBeside = (versions: readonly Version[], { locale }: Version): Version | undefined =>
  versions.find((version) => version.published && version.locale === locale);

/** The two rows of a document in one locale. */
export interface DraftAndPublished {
  readonly draft: number;
  readonly published: number;
}

/** What an update of a locale is about. */
export interface UpdatedVersion {
  /** The row that is written: the draft, or the one row of a type without drafts. Null where there is none. */
  readonly row: Version | null;
  /** The published row of a locale that has no draft. */
  readonly published: Version | null;
  /** The rows that the caller must be allowed to update. */
  readonly mustReach: readonly Version[];
  /** All of the document. */
  readonly versions: readonly Version[];
}

/** Throws where the document has no version at all. */
export function versionToUpdate({ type, locale, publishes }: WritePlan, versions: readonly Version[]): UpdatedVersion {
  if (versions.length === 0) throw new DocumentNotFound();
  const inLocale = inLocales(type, versions, [locale]);
  const row = inLocale.find(({ published }) => !type.draftAndPublish || !published) ?? null;
  const drafts = type.draftAndPublish && !publishes ? inLocale.filter(({ published }) => !published) : [];
  // Where the write adds a locale, it is about all of them.
  const mustReach = drafts.length > 0 ? drafts : inLocale.length > 0 ? inLocale : versions;
  return { row, published: row ? null : (inLocale[0] ?? null), mustReach, versions };
}

/** For each published row among the given, the draft of the same document and locale. */
export const draftsOf = (write: WriteSession, table: string, ids: readonly number[]): Promise<Map<number, number>> =>
  siblings(write, table, ids, 0);

/** For each draft among the given, the published row of the same document and locale, where there is one. */
export const publishedOf = (write: WriteSession, table: string, ids: readonly number[]): Promise<Map<number, number>> =>
  siblings(write, table, ids, 1);

/** The same, where drafts without a published row may be getting one just now: that is waited for. */
export async function publishedOrAppearing(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const published = await publishedOf(write, type.table, ids);
  const { gathered } = write;
  const unpublished = ids.filter((id) => !published.has(id) && !gathered.isHeld(type.table, id));
  if (!write.sql.needsLocks || unpublished.length === 0) return published;
  await holdRows(write, type, unpublished);
  const found = await write.run.rows(write.sql.siblings(type.table), listOf(unpublished));
  gathered.hold(type.table, unpublished);
  for (const [id, sibling, isPublished] of found) {
    gathered.addSibling(type.table, id, { id: sibling, published: isPublished === 1 });
    if (isPublished === 1) published.set(id, sibling);
  }
  return published;
}

async function siblings(
  write: WriteSession,
  table: string,
  ids: readonly number[],
  published: 0 | 1,
): Promise<Map<number, number>> {
  const known = ids.map((id) => ({ id, sibling: write.gathered.sibling(table, id) }));
  if (known.every(({ sibling }) => sibling !== undefined))
    return new Map(
      known.flatMap(({ id, sibling }) => (sibling?.published === (published === 1) ? [[id, sibling.id] as const] : [])),
    );
  const found = await write.run.rows(write.sql.siblings(table), listOf(ids));
  return new Map(found.filter((row) => row[2] === published).map(([id, sibling]) => [id, sibling]));
}

/**
 * Rows that nobody can delete before this write is done: those of the given ones that are there, and others of their
 * documents.
 */
export async function holdRows(
  write: WriteSession,
  { table }: ContentType,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (ids.length === 0) return new Set();
  const list = listOf(ids);
  return new Set((await write.run.rows(write.sql.morph.hold(table), list, list)).map(([id]) => id));
}

/** For rows of a type, those that stand for them in a copy. Rows without one are not in the map. */
export type RowsFor = (uid: string, ids: readonly number[]) => Promise<ReadonlyMap<number, number>>;

export const sameRows: RowsFor = async (_uid, ids) => new Map(ids.map((id) => [id, id]));

/** The rows of the same documents in a status. What has no draft stands for itself among drafts. */
export function rowsInStatus(write: WriteSession, status: Status): RowsFor {
  return async (uid, ids) => {
    const type = write.model.contentTypes.get(uid);
    if (!type?.draftAndPublish) return sameRows(uid, ids);
    if (status === 'published') return publishedOrAppearing(write, type, ids);
    const drafts = await draftsOf(write, type.table, ids);
    return new Map(ids.map((id) => [id, drafts.get(id) ?? id]));
  };
}

/** The rows of the same documents and status in a locale. */
export function rowsInLocale(write: WriteSession, locale: string): RowsFor {
  return async (uid, ids) => {
    const type = write.model.contentTypes.get(uid);
    if (!type?.localized || ids.length === 0) return sameRows(uid, ids);
    const found = new Map<number, number>();
    for (const [{ id, published }, inLocale] of await versionsInLocale(write, type, ids, locale)) {
      const other = inLocale.find((version) => !type.draftAndPublish || version.published === published);
      if (other) found.set(id, other.id);
    }
    return found;
  };
}

/** Those of the rows whose documents do not exist in a locale. */
export async function missingInLocale(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
  locale: string,
): Promise<number[]> {
  if (!type.localized || ids.length === 0) return [];
  const found = await versionsInLocale(write, type, ids, locale);
  return [...found].flatMap(([{ id }, inLocale]) => (inLocale.length === 0 ? [id] : []));
}

/** For each of the rows, those of its document in a locale. */
async function versionsInLocale(
  write: WriteSession,
  type: ContentType,
  ids: readonly number[],
  locale: string,
): Promise<ReadonlyMap<Version, readonly Version[]>> {
  const originals = await versionsByRow(write, type, ids);
  const documents = new Set(originals.map(({ documentId }) => documentId));
  const all = (await write.run.rows(write.sql.versionsOf(type.table), listOf(documents))).map(versionOf);
  const inLocale = Map.groupBy(
    all.filter((version) => version.locale === locale),
    ({ documentId }) => documentId,
  );
  return new Map(originals.map((original) => [original, inLocale.get(original.documentId) ?? []]));
}

/** Those of the rows that belong to other documents and have the same status: they can lose a target to the row. */
export async function otherOwnersInStatus(
  write: WriteSession,
  type: ContentType,
  row: number,
  holders: readonly number[],
): Promise<ReadonlySet<number>> {
  if (holders.length === 0 || (!type.draftAndPublish && !type.localized)) return new Set(holders);
  if (holders.every((id) => id === row)) return new Set();
  const versions = await versionsByRow(write, type, [row, ...holders]);
  const own = versions.find(({ id }) => id === row);
  const others = versions.filter(
    ({ documentId, published }) =>
      documentId !== own?.documentId && (!type.draftAndPublish || published === own?.published),
  );
  return new Set(others.map(({ id }) => id));
}

/** The rows that stand for targets among published content: their published rows, or they themselves. */
export async function shownTargets(
  write: WriteSession,
  target: ContentType,
  ids: readonly number[],
): Promise<number[]> {
  if (!target.draftAndPublish || ids.length === 0) return [...ids];
  const published = await publishedOf(write, target.table, ids);
  return ids.flatMap((id) => published.get(id) ?? []);
}
