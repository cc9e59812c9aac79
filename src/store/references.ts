// References → rows. A document has a row for each locale and status; which of them a reference means depends on
// whether the entry that refers has locales and drafts itself. A function of the plan and of the versions that were
// read; it knows no tables.
import { SheafError } from '../errors.ts';
import type { ContentType } from '../model/types.ts';
import type { RelationChange, RelationOrder } from '../plan/write/changes.ts';
import type { Connection, Position } from '../plan/write/relation-order.ts';
import { type BodyPath, bodyValueError, type Reference } from '../request/parse-relation.ts';
import { morphEntry } from './morph-entries.ts';
import type { Version, WriteSession } from './write-session.ts';

/** The row that refers, as far as the choice of rows depends on it. */
export interface Referrer {
  readonly type: ContentType;
  readonly locale: string | null;
  /** Whether the write goes on to publish, so that a reference to the published version is meant well. */
  readonly publishes: boolean;
}

/** The rows that one reference means, and where it stands. */
export interface ResolvedReference {
  readonly path: BodyPath;
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
      byRow: new Map(versions.map((version) => [version.id, version])),
      byDocument: Map.groupBy(versions, ({ documentId }) => documentId),
    });
  const resolved = new Map<RelationChange, ResolvedOrder>();
  for (const relation of relations) {
    const { attribute } = relation;
    const resolve: Resolve = (reference, path) => {
      const target = attribute.kind === 'morph' ? reference.type! : attribute.target;
      const type = model.contentTypes.get(target)!;
      const ids = chooseRows(type, { reference, path }, { ...from, defaultLocale }, known.get(target)!);
      return attribute.kind === 'morph' ? ids.map((id) => morphEntry(attribute, target, id)) : ids;
    };
    resolved.set(relation, resolveOrder(relation, resolve));
  }
  return resolved;
}

type Resolve = (reference: Reference, path: BodyPath) => readonly number[];
type PositionInput = Extract<RelationOrder, { mode: 'change' }>['connect'][number]['position'];

function resolveOrder({ input, path }: RelationChange, resolve: Resolve): ResolvedOrder {
  if (input.mode === 'set')
    return {
      mode: 'set',
      references: input.references.map((reference, index) => {
        const here = [...input.path, index];
        return { reference, path: here, ids: resolve(reference, here) };
      }),
    };
  const positionAt = (position: PositionInput, here: BodyPath): Position =>
    'anchor' in position ? { at: position.at, anchor: resolve(position.anchor, [...here, 'position']) } : position;
  return {
    mode: 'change',
    connect: input.connect.map(({ reference, position }, index) => {
      const here = [...path, 'connect', index];
      return { ids: resolve(reference, here), position: positionAt(position, here) };
    }),
    disconnect: input.disconnect.flatMap((reference, index) => resolve(reference, [...path, 'disconnect', index])),
    strict: input.strict,
  };
}

/** A reference and where it stands in the body. */
type LocatedReference = Pick<ResolvedReference, 'reference' | 'path'>;

function chooseRows(
  target: ContentType,
  { reference, path }: LocatedReference,
  from: Referrer & { readonly defaultLocale: string },
  { byRow, byDocument }: KnownVersions,
): number[] {
  const { draftAndPublish, localized } = from.type;
  let { documentId, locale, status } = reference;
  if (documentId === null) {
    const row = byRow.get(reference.id!);
    if (!row) throw missingReference({ reference, path }, null);
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
  if (versions.length === 0) throw missingReference({ reference: { ...reference, documentId }, path }, wantedLocale);
  // The draft before the published row, so that the two stand side by side in one order everywhere.
  return versions.toSorted((a, b) => Number(a.published) - Number(b.published) || a.id - b.id).map(({ id }) => id);
}

/** A reference to what is not there, or not for the caller. */
export const missingReference = ({ reference, path }: LocatedReference, locale: string | null): SheafError =>
  new SheafError(
    400,
    'ValidationError',
    reference.documentId === null
      ? `${path.join('.')}: there is no entry with that id`
      : `Document with id "${reference.documentId}"${locale === null ? '' : `, locale "${locale}"`} not found`,
    { path: path.join('.'), source: 'body' },
  );
