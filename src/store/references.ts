// References → rows. A document has a row for each locale and status; which of them a reference means depends on
// whether the entry that refers has locales and drafts itself. Everything that a plan refers to is looked up once;
// after that the choice is a function of the plan and those rows.
import { SheafError } from '../errors.ts';
import type { ContentType, Schema } from '../model/types.ts';
import type { TargetReferences } from '../plan/write/changes.ts';
import { type BodyPath, bodyValueError, type Reference } from '../request/parse-relation.ts';
import type { Status } from '../request/read-request.ts';
import type { AffectedDocuments } from './locks.ts';
import { reachable } from './row-rights.ts';
import type { Version, WriteSession } from './write-session.ts';

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
  readonly documentId: string;
  readonly schema: Schema;
  /** A row that was just made holds nothing yet. */
  readonly isNew: boolean;
  /** What the write refers to. */
  readonly references: ReferencedVersions;
  readonly affected: AffectedDocuments;
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

  /** `own`: the row that is written. It may refer to itself, also when it was just made. */
  static async load(
    write: WriteSession,
    references: readonly TargetReferences[],
    affected: AffectedDocuments,
    own: { readonly type: ContentType; readonly row: Version },
  ): Promise<ReferencedVersions> {
    const targets = new Map<string, TargetVersions>();
    for (const { target } of references) {
      const type = write.type(target);
      const versions = affected.versionsIn(type.table);
      const isMissing = type === own.type && !versions.some(({ id }) => id === own.row.id);
      targets.set(target, await visibleVersions(write, type, isMissing ? [...versions, own.row] : versions));
    }
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

/** Those that the caller may find, by row and by document. */
async function visibleVersions(
  write: WriteSession,
  target: ContentType,
  versions: readonly Version[],
): Promise<TargetVersions> {
  const visible = await reachable(write, target, 'find', versions);
  return {
    byRow: new Map(visible.map((version) => [version.id, version])),
    byDocument: Map.groupBy(visible, ({ documentId }) => documentId),
  };
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
    if (!row) throw missing({ reference, path }, null);
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
  if (versions.length === 0) throw missing({ reference: { ...reference, documentId }, path }, wantedLocale);
  // The draft before the published row, so that the two stand side by side in one order everywhere.
  return versions.toSorted((a, b) => Number(a.published) - Number(b.published) || a.id - b.id).map(({ id }) => id);
}

/** A reference to what is not there, or not for the caller. */
export const missing = ({ reference, path }: LocatedReference, locale: string | null): SheafError =>
  new SheafError(
    400,
    'ValidationError',
    reference.documentId === null
      ? `${path.join('.')}: there is no entry with that id`
      : `Document with id "${reference.documentId}"${locale === null ? '' : `, locale "${locale}"`} not found`,
    { path: path.join('.'), source: 'body' },
  );
