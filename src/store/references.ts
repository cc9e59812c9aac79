// References → rows. A document has a row for each locale and status; which of them a reference means depends on
// whether the entry that refers has locales and drafts itself. Everything that a plan refers to is looked up once;
// after that the choice is a function of the plan and those rows.
import { SheafError } from '../errors.ts';
import type { ContentType, Schema } from '../model/types.ts';
import type { TargetReferences } from '../plan/write/changes.ts';
import { type BodyPath, bodyValueError, type Reference } from '../request/parse-relation.ts';
import type { Status } from '../request/read-request.ts';
import { reachable } from './row-rights.ts';
import { versionsByRow } from './versions.ts';
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

/** The row whose relations are written. */
export interface OwnerRow extends Referrer {
  readonly id: number;
  readonly schema: Schema;
  /** What the write refers to. */
  readonly references: ReferencedVersions;
}

/** A reference and where it stands in the body. */
export interface LocatedReference {
  readonly reference: Reference;
  readonly path: BodyPath;
}

interface TargetVersions {
  readonly byRow: ReadonlyMap<number, Version>;
  readonly byDocument: ReadonlyMap<string, readonly Version[]>;
}

/** The versions of everything that a plan refers to, as far as the caller may find them. */
export class ReferencedVersions {
  readonly #targets: ReadonlyMap<string, TargetVersions>;
  readonly #write: WriteSession;

  private constructor(write: WriteSession, targets: ReadonlyMap<string, TargetVersions>) {
    this.#write = write;
    this.#targets = targets;
  }

  static async load(write: WriteSession, references: readonly TargetReferences[]): Promise<ReferencedVersions> {
    const targets = new Map<string, TargetVersions>();
    for (const { target, documentIds, rowIds } of references)
      targets.set(target, await loadTarget(write, write.type(target), documentIds, rowIds));
    return new ReferencedVersions(write, targets);
  }

  /**
   * The rows that each reference means. A document that does not exist, not in that version, or not for the caller, is
   * refused.
   */
  resolve(target: ContentType, references: readonly LocatedReference[], from: Referrer): number[][] {
    const known = this.#targets.get(target.uid)!;
    const { defaultLocale } = this.#write;
    return references.map((located) => chooseRows(target, located, { ...from, defaultLocale }, known));
  }
}

async function loadTarget(
  write: WriteSession,
  target: ContentType,
  documentIds: readonly string[],
  rowIds: readonly number[],
): Promise<TargetVersions> {
  const byRow = new Map<number, Version>();
  const documents = new Set(documentIds);
  if (rowIds.length > 0)
    for (const version of await reachable(write, target, 'find', await versionsByRow(write, target, rowIds))) {
      byRow.set(version.id, version);
      documents.add(version.documentId);
    }
  const byDocument = new Map<string, Version[]>();
  if (documents.size > 0) {
    const rows = (await write.rows(write.sql.versionsOf(target.table), listOf(documents))).map(versionOf);
    for (const version of await reachable(write, target, 'find', rows)) {
      const list = byDocument.get(version.documentId);
      if (list) list.push(version);
      else byDocument.set(version.documentId, [version]);
    }
  }
  return { byRow, byDocument };
}

function chooseRows(
  target: ContentType,
  { reference, path }: LocatedReference,
  from: Referrer & { readonly defaultLocale: string },
  { byRow, byDocument }: TargetVersions,
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
    wantedLocale = from.localized ? from.locale : (locale ?? from.defaultLocale);
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
  return versions.toSorted((a, b) => Number(a.published) - Number(b.published) || a.id - b.id).map(({ id }) => id);
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
