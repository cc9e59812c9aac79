// References → rows. A document has a row for each locale and status; which of them a reference means depends on
// whether the entry that refers has locales and drafts itself.
import { SheafError } from '../errors.ts';
import type { ContentType } from '../model/types.ts';
import { type BodyPath, bodyValueError, type Reference } from '../request/parse-relation.ts';
import type { Status } from '../request/read-request.ts';
import { reachable } from './row-rules.ts';
import { listOf, type Version, versionOf, type WriteSession } from './write-session.ts';

/** The row that refers, as far as the choice of rows depends on it. */
export interface Referrer {
  readonly draftAndPublish: boolean;
  readonly localized: boolean;
  readonly status: Status;
  readonly locale: string | null;
  /** Whether the write goes on to publish, so that a reference to the published version is meant well. */
  readonly publishes: boolean;
}

export interface PlacedReference {
  readonly reference: Reference;
  readonly path: BodyPath;
}

/**
 * Rows of every reference, in their order; a document that does not exist, not in that version, or not for the
 * caller, is refused.
 */
export async function resolveReferences(
  write: WriteSession,
  target: ContentType,
  references: readonly PlacedReference[],
  from: Referrer,
): Promise<number[][]> {
  if (references.length === 0) return [];
  const documentIds = new Set<string>();
  const rowIds = new Set<number>();
  for (const { reference } of references) {
    if (reference.documentId !== null) documentIds.add(reference.documentId);
    else rowIds.add(reference.id!);
  }
  const byRow = new Map<number, Version>();
  if (rowIds.size > 0) {
    const rows = (await write.rows(write.sql.versionsByRow(target.table), listOf(rowIds))).map(versionOf);
    for (const version of await reachable(write, target, 'find', rows)) {
      byRow.set(version.id, version);
      documentIds.add(version.documentId);
    }
  }
  const byDocument = new Map<string, Version[]>();
  if (documentIds.size > 0) {
    const rows = (await write.rows(write.sql.versionsOf(target.table), listOf(documentIds))).map(versionOf);
    for (const version of await reachable(write, target, 'find', rows)) {
      const list = byDocument.get(version.documentId);
      if (list) list.push(version);
      else byDocument.set(version.documentId, [version]);
    }
  }
  return references.map((placed) => choose(write, target, placed, from, byRow, byDocument));
}

function choose(
  write: WriteSession,
  target: ContentType,
  { reference, path }: PlacedReference,
  from: Referrer,
  byRow: ReadonlyMap<number, Version>,
  byDocument: ReadonlyMap<string, Version[]>,
): number[] {
  let { documentId, locale, status } = reference;
  if (documentId === null) {
    const row = byRow.get(reference.id!);
    if (!row) throw missing(path, null, null);
    documentId = row.documentId;
    locale ??= row.locale;
    status ??= row.published ? 'published' : 'draft';
    if (from.draftAndPublish) status = null;
    if (from.localized) locale = null;
  }
  let versions = byDocument.get(documentId) ?? [];
  let wantedLocale: string | null = null;
  if (target.localized) {
    if (from.localized && locale !== null && locale !== from.locale)
      throw bodyValueError([...path, 'locale'], `the locale of the entry itself, ${from.locale}`);
    wantedLocale = from.localized ? from.locale : (locale ?? write.defaultLocale);
    versions = versions.filter((version) => version.locale === wantedLocale);
  }
  if (target.draftAndPublish) {
    if (from.draftAndPublish && status !== null && status !== from.status && !from.publishes)
      throw bodyValueError([...path, 'status'], `the status of the entry itself, ${from.status}`);
    const wanted = from.draftAndPublish ? from.status : status;
    if (wanted !== null) versions = versions.filter((version) => version.published === (wanted === 'published'));
  }
  if (versions.length === 0) throw missing(path, documentId, wantedLocale);
  // The draft before the published row, so that the two stand side by side in one order everywhere.
  return versions.sort((a, b) => Number(a.published) - Number(b.published) || a.id - b.id).map(({ id }) => id);
}

const missing = (path: BodyPath, documentId: string | null, locale: string | null): SheafError =>
  new SheafError(
    400,
    'ValidationError',
    documentId === null
      ? `${path.join('.')}: there is no entry with that id`
      : `Document with id "${documentId}"${locale === null ? '' : `, locale "${locale}"`} not found`,
    { path: path.join('.'), source: 'body' },
  );
