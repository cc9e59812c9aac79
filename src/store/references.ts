// References → rows. A document has a row for each locale and status; which of them a reference means depends on
// whether the entry that refers has locales and drafts itself. A function of the plan and of the versions that were
// read; it knows no tables.
import { SheafError } from '../errors.ts';
import type { ContentType } from '../model/types.ts';
import { targetOf, targetsNamedIn } from '../plan/write/affected-documents.ts';
import { missingRows } from '../plan/write/body-problems.ts';
import type { RelationChange, RelationOrder } from '../plan/write/changes.ts';
import type { Connection, Position } from '../plan/write/relation-order.ts';
import { type BodyPath, bodyValueError, type PositionInput, type Reference } from '../request/parse-relation.ts';
import { NEW_ROW } from './entity-writes.ts';
import type { MayAttach } from './file-rights.ts';
import { morphEntry } from './morph-entries.ts';
import type { Version, WriteSession } from './write-session.ts';

/** The row that refers, as far as the choice of rows depends on it. */
export interface Referrer {
  readonly type: ContentType;
  readonly locale: string | null;
  /** Whether the write goes on to publish, so that a reference to the published version is meant well. */
  readonly publishes: boolean;
  /** Whether one row is written, and not a document: then the id of a row means that row. */
  readonly isAlone: boolean;
}

/** The rows that one reference means. */
export interface ResolvedReference {
  readonly reference: Reference;
  readonly ids: readonly number[];
}

/** What a relation is set to or how it changes, in terms of rows. */
export type ResolvedOrder =
  | { readonly mode: 'set'; readonly references: readonly ResolvedReference[] }
  | {
      readonly mode: 'change';
      readonly connect: readonly Connection[];
      readonly disconnect: readonly number[];
      readonly strict: boolean;
    };

interface KnownVersions {
  readonly byRow: ReadonlyMap<number, Version>;
  readonly byDocument: ReadonlyMap<string, readonly Version[]>;
}

/** What the caller may refer to. */
export interface ReferenceTargets {
  /** The versions of what a write names that the caller may find, by type. */
  readonly findable: ReadonlyMap<string, readonly Version[]>;
  readonly mayAttach: MayAttach;
}

/** A document that does not exist, not in that version, or not for the caller, is refused. */
export function resolveReferences(
  { model, defaultLocale }: Pick<WriteSession, 'model' | 'defaultLocale'>,
  relations: readonly RelationChange[],
  from: Referrer,
  { findable, mayAttach }: ReferenceTargets,
): ReadonlyMap<RelationChange, ResolvedOrder> {
  const known = new Map<string, KnownVersions>();
  for (const [uid, versions] of findable)
    known.set(uid, {
      // A row that the write makes has no id yet that a client could name.
      byRow: new Map(versions.filter(({ id }) => id !== NEW_ROW).map((version) => [version.id, version])),
      byDocument: Map.groupBy(versions, ({ documentId }) => documentId),
    });
  const isThere: IsThere = (change, target, id) =>
    known.get(target)!.byRow.has(id) && (change.attribute.kind !== 'media' || mayAttach(change, id));
  const resolved = new Map<RelationChange, ResolvedOrder>();
  for (const relation of relations) {
    const { attribute } = relation;
    const resolve: Resolve = (reference) => {
      const target = targetOf(attribute, reference);
      const type = model.contentTypes.get(target)!;
      const versions = known.get(target)!;
      if (reference.documentId === null && !isThere(relation, target, reference.id!))
        throw missingRows(target, missingIds(relations, target, isThere), reference.path);
      const ids = chooseRows(type, reference, { ...from, defaultLocale }, versions);
      if (attribute.kind === 'media' && !ids.every((id) => mayAttach(relation, id)))
        throw missingDocument(reference.documentId!, null, reference.path);
      return attribute.kind === 'morph' ? ids.map((id) => morphEntry(attribute, target, id)) : ids;
    };
    resolved.set(relation, resolveOrder(relation.input, resolve));
  }
  return resolved;
}

type Resolve = (reference: Reference) => readonly number[];

/** Whether a change can name a row of a type by its id. */
type IsThere = (change: RelationChange, target: string, id: number) => boolean;

function resolveOrder(input: RelationOrder, resolve: Resolve): ResolvedOrder {
  if (input.mode === 'set')
    return {
      mode: 'set',
      references: input.references.map((reference) => ({ reference, ids: resolve(reference) })),
    };
  const positionAt = (position: PositionInput): Position =>
    'anchor' in position ? { at: position.at, anchor: resolve(position.anchor) } : position;
  return {
    mode: 'change',
    connect: input.connect.map(({ reference, position }) => ({
      ids: resolve(reference),
      position: positionAt(position),
    })),
    disconnect: input.disconnect.flatMap(resolve),
    strict: input.strict,
  };
}

function chooseRows(
  target: ContentType,
  reference: Reference,
  from: Referrer & { readonly defaultLocale: string },
  { byRow, byDocument }: KnownVersions,
): number[] {
  const { draftAndPublish, localized } = from.type;
  const { path } = reference;
  let { documentId, locale, status } = reference;
  if (documentId === null) {
    const row = byRow.get(reference.id!)!;
    if (from.isAlone) return [row.id];
    documentId = row.documentId;
    locale ??= row.locale;
    status ??= row.published ? 'published' : 'draft';
    if (draftAndPublish) status = null;
    if (localized) locale = null;
  }
  let versions = byDocument.get(documentId) ?? [];
  let wantedLocale: string | null = null;
  if (target.localized) {
    if (localized && locale !== null && locale !== from.locale)
      throw bodyValueError([...path, 'locale'], `the locale of the entry itself, ${from.locale}`);
    wantedLocale = localized ? from.locale : (locale ?? from.defaultLocale);
    versions = versions.filter((version) => version.locale === wantedLocale);
  }
  if (target.draftAndPublish) {
    // What is written is the draft, where there are drafts.
    if (draftAndPublish && status === 'published' && !from.publishes)
      throw bodyValueError([...path, 'status'], 'the status of the entry itself, draft');
    const wanted = draftAndPublish ? 'draft' : status;
    if (wanted !== null) versions = versions.filter((version) => version.published === (wanted === 'published'));
  }
  if (versions.length === 0) throw missingDocument(documentId, wantedLocale, path);
  // The draft before the published row, so that the two stand side by side in one order everywhere.
  return versions.toSorted((a, b) => Number(a.published) - Number(b.published) || a.id - b.id).map(({ id }) => id);
}

/** A reference to a document that is not there, or not for the caller. */
export const missingDocument = (documentId: string, locale: string | null, path: BodyPath): SheafError =>
  new SheafError(
    400,
    'ValidationError',
    `Document with id "${documentId}"${locale === null ? '' : `, locale "${locale}"`} not found`,
    { path: path.join('.'), source: 'body' },
  );

/** How many ids of rows of a type a write names that are not there. */
function missingIds(relations: readonly RelationChange[], type: string, isThere: IsThere): number {
  const missing = relations.flatMap((change) =>
    targetsNamedIn(change)
      .filter(({ target, reference: { documentId } }) => documentId === null && target === type)
      .map(({ reference }) => reference.id!)
      .filter((id) => !isThere(change, type, id)),
  );
  return new Set(missing).size;
}
