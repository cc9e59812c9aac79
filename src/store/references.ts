// References → rows. A document has a row for each locale and status; which of them a reference means depends on
// whether the entry that refers has locales and drafts itself. A function of the plan and of the versions that were
// read; it knows no tables.
import { SheafError } from '../errors.ts';
import type { ContentType } from '../model/types.ts';
import { anchorsIn, referencesIn } from '../plan/write/affected-documents.ts';
import type { RelationChange, RelationOrder } from '../plan/write/changes.ts';
import type { Connection, Position } from '../plan/write/relation-order.ts';
import { type BodyPath, bodyValueError, type PositionInput, type Reference } from '../request/parse-relation.ts';
import { NEW_ROW } from './entity-writes.ts';
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

/**
 * `findable`: the versions of what is referred to that the caller may find, by type. A document that does not exist,
 * not in that version, or not for the caller, is refused.
 */
export function resolveReferences(
  { model, defaultLocale }: Pick<WriteSession, 'model' | 'defaultLocale'>,
  relations: readonly RelationChange[],
  from: Referrer,
  findable: ReadonlyMap<string, readonly Version[]>,
): ReadonlyMap<RelationChange, ResolvedOrder> {
  const known = new Map<string, KnownVersions>();
  for (const [uid, versions] of findable)
    known.set(uid, {
      // A row that the write makes has no id yet that a client could name.
      byRow: new Map(versions.filter(({ id }) => id !== NEW_ROW).map((version) => [version.id, version])),
      byDocument: Map.groupBy(versions, ({ documentId }) => documentId),
    });
  const resolved = new Map<RelationChange, ResolvedOrder>();
  for (const relation of relations) {
    const { attribute } = relation;
    const resolve: Resolve = (reference) => {
      const target = attribute.kind === 'morph' ? reference.type! : attribute.target;
      const type = model.contentTypes.get(target)!;
      const versions = known.get(target)!;
      if (reference.documentId === null && !versions.byRow.has(reference.id!))
        throw missingRows(target, missingIds(relations, target, versions), reference.path);
      const ids = chooseRows(type, reference, { ...from, defaultLocale }, versions);
      return attribute.kind === 'morph' ? ids.map((id) => morphEntry(attribute, target, id)) : ids;
    };
    resolved.set(relation, resolveOrder(relation.input, resolve));
  }
  return resolved;
}

type Resolve = (reference: Reference) => readonly number[];

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

/**
 * References by id to rows that are not there, or not for the caller. Front ends know the message of Strapi 5, which
 * counts them; the path is that of the first.
 */
export const missingRows = (type: string, count: number, path: BodyPath): SheafError =>
  new SheafError(
    400,
    'ValidationError',
    `${count} relation(s) of type ${type} associated with this entity do not exist`,
    { path: path.join('.'), source: 'body' },
  );

/** How many ids of rows of a type a write names that are not there. */
function missingIds(relations: readonly RelationChange[], type: string, { byRow }: KnownVersions): number {
  const named = relations
    .flatMap(({ attribute, input }) =>
      [...referencesIn(input), ...anchorsIn(input)].map((reference) => ({
        id: reference.id,
        target: attribute.kind === 'morph' ? reference.type : attribute.target,
      })),
    )
    .filter(({ id, target }) => id !== null && target === type && !byRow.has(id));
  return new Set(named.map(({ id }) => id)).size;
}
