// The rows of documents: by document, by row, and from one status to the other.
import type { ContentType } from '../model/types.ts';
import type { LocaleChoice } from '../plan/write/changes.ts';
import { listOf, type Version, versionOf, type WriteSession } from './write-session.ts';

export async function versionsOf(write: WriteSession, type: ContentType, documentId: string): Promise<Version[]> {
  return (await write.rows(write.sql.versionsOf(type.table), listOf([documentId]))).map(versionOf);
}

/** The versions of the one document of a single type. */
export async function singleVersions(write: WriteSession, type: ContentType): Promise<Version[]> {
  return (await write.rows(write.sql.firstVersions(type.table))).map(versionOf);
}

export async function versionsByRow(write: WriteSession, type: ContentType, ids: Iterable<number>): Promise<Version[]> {
  return (await write.rows(write.sql.versionsByRow(type.table), listOf(ids))).map(versionOf);
}

export const inLocales = ({ localized }: ContentType, versions: readonly Version[], locales: LocaleChoice): Version[] =>
  versions.filter(({ locale }) => locales === 'all' || !localized || locales.includes(locale));

/** For each published row among the given, the draft of the same document and locale. */
export const draftsOf = (write: WriteSession, table: string, ids: readonly number[]): Promise<Map<number, number>> =>
  siblings(write, table, ids, 0);

/** For each draft among the given, the published row of the same document and locale, where there is one. */
export const publishedOf = (write: WriteSession, table: string, ids: readonly number[]): Promise<Map<number, number>> =>
  siblings(write, table, ids, 1);

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
  const found = await write.rows(write.sql.siblings(table), listOf(ids));
  return new Map(found.filter((row) => row[2] === published).map(([id, sibling]) => [id, sibling]));
}
