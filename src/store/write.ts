// The operations on documents, each inside one transaction: create, update, delete, publish, unpublish, discard,
// clone. What they change was planned before; here it meets the rows.
import { createId } from '@paralleldrive/cuid2';
import { notFoundError } from '../errors.ts';
import { linkAttributes } from '../model/links.ts';
import type { Attribute, ContentType } from '../model/types.ts';
import type { EntityChange } from '../plan/write/changes.ts';
import { planWrite, problemsError, type WriteMode } from '../plan/write/plan-write.ts';
import { copyAround, scalarColumns } from './copy.ts';
import { columnsOf, writeAround, writeEntity } from './entity.ts';
import { readPairs, writePairs } from './link-table.ts';
import { lockAround, lockKeys } from './locks.ts';
import { discardRow, publishRow, sharedColumns } from './publish.ts';
import type { OwnerRow } from './relations.ts';
import { removeRows } from './remove.ts';
import { allReachable } from './row-rules.ts';
import { judgeComponents, judgeDraft, uniqueProblems } from './validate.ts';
import { listOf, type Version, versionOf, type WriteSession } from './write-session.ts';

/** A locale of a document that was written. */
export interface Written {
  readonly documentId: string;
  readonly locale: string | null;
}

export interface WriteTarget {
  readonly type: ContentType;
  /** The locale to write, null for a type without locales. */
  readonly locale: string | null;
  /** Whether the write publishes; always so for a type without drafts. */
  readonly publishes: boolean;
}

/** A body on its way to a change: what it touches is known at once, how it is judged depends on the rows it meets. */
export interface Plan {
  readonly sketch: EntityChange;
  in(mode: WriteMode): EntityChange;
  /** Runs before anything is changed, once it is known that the caller may change it. */
  guard?(): Promise<void>;
}

/** Passwords were hashed before, and stand in for what the body says. */
export const planBody = (
  write: WriteSession,
  type: ContentType,
  data: Record<string, unknown>,
  sketch: EntityChange,
  secrets: Secrets,
): Plan => ({
  sketch,
  in: (mode) => withSecrets(planWrite(write.model, type, data, mode, write.caller.access, write.decimals), secrets),
});

/** Hashes of the passwords of a body, by path. */
export type Secrets = ReadonlyMap<string, string>;

export function withSecrets(change: EntityChange, secrets: Secrets): EntityChange {
  if (secrets.size === 0) return change;
  return {
    relations: change.relations,
    scalars: change.scalars.map((scalar) =>
      scalar.attribute.type === 'password' && scalar.value !== null
        ? { ...scalar, value: secrets.get(scalar.path.join('.'))! }
        : scalar,
    ),
    components: change.components.map((component) => ({
      ...component,
      items: component.items.map((item) => ({ ...item, entity: withSecrets(item.entity, secrets) })),
    })),
  };
}

const DOCUMENT_COLUMNS = [
  { column: 'document_id', type: 'string' },
  { column: 'locale', type: 'string' },
  { column: 'created_at', type: 'datetime' },
  { column: 'updated_at', type: 'datetime' },
  { column: 'published_at', type: 'datetime' },
] as const;
const UPDATED_AT = [{ column: 'updated_at', type: 'datetime' }] as const;

const ownerOf = ({ type, locale, publishes }: WriteTarget, id: number): OwnerRow => ({
  id,
  table: type.table,
  draftAndPublish: type.draftAndPublish,
  localized: type.localized,
  status: type.draftAndPublish ? 'draft' : 'published',
  locale,
  publishes,
});

const versionsOf = async (write: WriteSession, type: ContentType, documentId: string): Promise<Version[]> =>
  (await write.rows(write.sql.versionsOf(type.table), listOf([documentId]))).map(versionOf);

export async function createDocument(write: WriteSession, target: WriteTarget, plan: Plan): Promise<Written> {
  await lockAround(write, target.type, null, plan.sketch, target.publishes);
  await plan.guard?.();
  return createVersion(write, target, createId(), plan.in({ draft: isDraft(target), create: true }), []);
}

const isDraft = ({ type, publishes }: WriteTarget): boolean => type.draftAndPublish && !publishes;

/** A first row of a locale; `others`: the rows that the document has in other locales. */
async function createVersion(
  write: WriteSession,
  target: WriteTarget,
  documentId: string,
  change: EntityChange,
  others: readonly Version[],
): Promise<Written> {
  const { type, locale } = target;
  if (!type.draftAndPublish) await refuseDuplicates(write, target, documentId, change);
  const { columns, values } = columnsOf(change);
  const { now } = write;
  const id = await write.insert(
    type.table,
    [...DOCUMENT_COLUMNS, ...columns],
    [documentId, locale, now, now, type.draftAndPublish ? null : now, ...values],
  );
  const donor = others.find(({ published }) => published === !type.draftAndPublish) ?? others[0];
  if (donor) await inherit(write, type, donor, id, change, locale!);
  await writeAround(write, type, ownerOf(target, id), change);
  await finish(write, target, { id, documentId, locale, published: !type.draftAndPublish }, change);
  return { documentId, locale };
}

async function refuseDuplicates(
  write: WriteSession,
  { type, locale }: WriteTarget,
  documentId: string,
  change: EntityChange,
): Promise<void> {
  const problems = await uniqueProblems(write, type, documentId, locale, change.scalars);
  if (problems.length > 0) throw problemsError(problems);
}

const isShared = (attribute: Attribute): boolean =>
  !attribute.localized && ['scalar', 'component', 'dynamiczone', 'media'].includes(attribute.kind);

/** A new locale starts with what all locales of the document share, where the body does not say otherwise. */
async function inherit(
  write: WriteSession,
  type: ContentType,
  donor: Version,
  id: number,
  change: EntityChange,
  locale: string,
): Promise<void> {
  const given = namesIn(change);
  const columns = [...type.attributes.values()].flatMap((attribute) =>
    attribute.kind === 'scalar' && isOwnAttribute(attribute) && isShared(attribute) && !given.has(attribute.name)
      ? [attribute.column]
      : [],
  );
  if (columns.length > 0) await write.rows(write.sql.copyColumns(type.table, columns), donor.id, listOf([id]));
  await copyAround(
    write,
    type,
    donor.id,
    id,
    { to: 'locale', locale, published: !type.draftAndPublish },
    (attribute) => isShared(attribute) && !given.has(attribute.name),
  );
}

const AUTOMATIC = new Set(['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale']);
const isOwnAttribute = (attribute: Attribute): boolean => !AUTOMATIC.has(attribute.name);

const namesIn = (change: EntityChange): Set<string> =>
  new Set([...change.scalars, ...change.components, ...change.relations].map(({ attribute }) => attribute.name));

/** What follows every write of a row: locales in step, and publication where it was asked for. */
async function finish(write: WriteSession, target: WriteTarget, row: Version, change: EntityChange): Promise<void> {
  const { type, publishes } = target;
  if (type.localized) await bringInStep(write, type, row, namesIn(change));
  if (!type.draftAndPublish && change.components.length > 0) await judgeComponents(write, type, row);
  if (!type.draftAndPublish || !publishes) return;
  await judgeDraft(write, type, row);
  const published = await publishRow(write, type, row.id);
  if (type.localized) await bringInStep(write, type, { ...row, id: published, published: true }, null);
}

/**
 * Copies what locales share from a row to the rows of the same status in other locales. `names`: the attributes that
 * were written, or null for all of them.
 */
async function bringInStep(
  write: WriteSession,
  type: ContentType,
  row: Version,
  names: ReadonlySet<string> | null,
): Promise<void> {
  const shared = [...type.attributes.values()].filter(
    (attribute) => isOwnAttribute(attribute) && isShared(attribute) && (names?.has(attribute.name) ?? true),
  );
  if (shared.length === 0) return;
  const others = (await versionsOf(write, type, row.documentId)).filter(
    (version) => version.locale !== row.locale && version.published === row.published,
  );
  if (others.length === 0) return;
  const columns = shared.flatMap((attribute) => (attribute.kind === 'scalar' ? [attribute.column] : []));
  await write.rows(
    write.sql.copyColumns(type.table, [...columns, 'updated_at']),
    row.id,
    listOf(others.map(({ id }) => id)),
  );
  for (const other of others)
    await copyAround(
      write,
      type,
      row.id,
      other.id,
      { to: 'locale', locale: other.locale!, published: other.published },
      (attribute) => shared.includes(attribute),
    );
}

/** Null where there is no such document. */
export async function updateDocument(
  write: WriteSession,
  target: WriteTarget,
  documentId: string,
  plan: Plan,
): Promise<Written | null> {
  await lockAround(write, target.type, documentId, plan.sketch, target.publishes);
  const versions = await versionsOf(write, target.type, documentId);
  if (versions.length === 0 || !(await allReachable(write, target.type, 'update', changedOf(target, versions)))) {
    // The body is judged first, as a wrong one is the client's fault whatever the document.
    plan.in({ draft: true, create: false });
    return null;
  }
  await plan.guard?.();
  return updateVersions(write, target, versions, plan);
}

/** The rows that a write to a locale is about: its draft, and what it publishes; where it adds the locale, all of them. */
function changedOf({ type, locale, publishes }: WriteTarget, versions: readonly Version[]): readonly Version[] {
  const inLocale = versions.filter((version) => !type.localized || version.locale === locale);
  const drafts = type.draftAndPublish && !publishes ? inLocale.filter(({ published }) => !published) : [];
  if (drafts.length > 0) return drafts;
  return inLocale.length > 0 ? inLocale : versions;
}

/** The one document of a single type, made where there is none. */
export async function updateSingle(write: WriteSession, target: WriteTarget, plan: Plan): Promise<Written> {
  await lockKeys(write, [target.type.uid]);
  const versions = (await write.rows(write.sql.firstVersions(target.type.table))).map(versionOf);
  if (versions.length > 0) await lockAround(write, target.type, versions[0]!.documentId, plan.sketch, target.publishes);
  if (versions.length === 0) return createDocument(write, target, plan);
  if (!(await allReachable(write, target.type, 'update', changedOf(target, versions)))) throw notFoundError();
  return updateVersions(write, target, versions, plan);
}

async function updateVersions(
  write: WriteSession,
  target: WriteTarget,
  versions: readonly Version[],
  plan: Plan,
): Promise<Written> {
  const { type, locale } = target;
  const { documentId } = versions[0]!;
  const inLocale = versions.filter((version) => !type.localized || version.locale === locale);
  // Without drafts a row is its own published version, even if whoever made it gave it no date of publication.
  const row = inLocale.find(({ published }) => !type.draftAndPublish || !published);
  if (!row) {
    const published = inLocale.find((version) => version.published);
    if (published) return updateWithoutDraft(write, target, published, plan);
    const change = plan.in({ draft: type.draftAndPublish, create: true, inherits: true });
    return createVersion(write, target, documentId, change, versions);
  }
  const change = plan.in({ draft: type.draftAndPublish, create: false });
  if (!type.draftAndPublish) await refuseDuplicates(write, target, documentId, change);
  const { columns, values } = columnsOf(change);
  await write.rows(write.sql.updateRow(type.table, [...UPDATED_AT, ...columns]), write.now, ...values, row.id);
  await writeAround(write, type, ownerOf(target, row.id), change);
  await finish(write, target, row, change);
  return { documentId, locale: row.locale };
}

/** A published row that lost its draft gets one back before it is changed. */
async function updateWithoutDraft(
  write: WriteSession,
  target: WriteTarget,
  published: Version,
  plan: Plan,
): Promise<Written> {
  const { type } = target;
  const [row] = await write.rows(write.sql.duplicateRow(type.table, sharedColumns(type)), published.id);
  await discardRow(write, type, row![0] as number, published.id);
  return updateVersions(write, target, await versionsOf(write, type, published.documentId), plan);
}

/** Deletes locales of a document, drafts and published rows alike; of all documents of a single type. */
export async function deleteDocument(
  write: WriteSession,
  type: ContentType,
  documentId: string | null,
  locales: readonly (string | null)[] | 'all',
): Promise<Version[]> {
  if (documentId !== null) await lockAround(write, type, documentId, null, true);
  if (documentId === null) await lockKeys(write, [type.uid]);
  const rows =
    documentId === null
      ? await write.rows(write.sql.firstVersions(type.table))
      : await write.rows(write.sql.versionsOf(type.table), listOf([documentId]));
  const doomed = rows
    .map(versionOf)
    .filter((version) => locales === 'all' || !type.localized || locales.includes(version.locale));
  if (!(await allReachable(write, type, 'delete', doomed))) return [];
  const ids = doomed.map(({ id }) => id);
  await removeRows(write, type, ids, ids);
  return doomed;
}

/** The drafts of a document, in the locales asked for. */
async function draftsFor(
  write: WriteSession,
  type: ContentType,
  documentId: string,
  locales: readonly (string | null)[] | 'all',
): Promise<{ drafts: Version[]; versions: Version[] }> {
  await lockAround(write, type, documentId, null, true);
  const versions = await versionsOf(write, type, documentId);
  const chosen = versions.filter((version) => locales === 'all' || !type.localized || locales.includes(version.locale));
  if (chosen.length === 0) throw notFoundError();
  return { drafts: chosen.filter(({ published }) => !published), versions: chosen };
}

export async function publishDocument(
  write: WriteSession,
  type: ContentType,
  documentId: string,
  locales: readonly (string | null)[] | 'all',
): Promise<Version[]> {
  const { drafts } = await draftsFor(write, type, documentId, locales);
  const published: Version[] = [];
  for (const draft of drafts) {
    await judgeDraft(write, type, draft);
    const version = { ...draft, id: await publishRow(write, type, draft.id), published: true };
    if (type.localized) await bringInStep(write, type, version, null);
    published.push(version);
  }
  return published;
}

export async function unpublishDocument(
  write: WriteSession,
  type: ContentType,
  documentId: string,
  locales: readonly (string | null)[] | 'all',
): Promise<Version[]> {
  const { versions } = await draftsFor(write, type, documentId, locales);
  const published = versions.filter((version) => version.published);
  await removeRows(
    write,
    type,
    published.map(({ id }) => id),
    [],
  );
  return published;
}

export async function discardDocument(
  write: WriteSession,
  type: ContentType,
  documentId: string,
  locales: readonly (string | null)[] | 'all',
): Promise<Version[]> {
  const { drafts, versions } = await draftsFor(write, type, documentId, locales);
  for (const draft of drafts) {
    const published = versions.find((version) => version.published && version.locale === draft.locale);
    if (!published) continue;
    await discardRow(write, type, draft.id, published.id);
    if (type.localized) await bringInStep(write, type, draft, null);
  }
  return drafts;
}

/** Copies the drafts of a document, or the rows of one without drafts, under a new id, then applies a change. */
export async function cloneDocument(
  write: WriteSession,
  type: ContentType,
  documentId: string,
  locales: readonly (string | null)[] | 'all',
  plan: Plan,
): Promise<Written> {
  const { drafts, versions } = await draftsFor(write, type, documentId, locales);
  const sources = type.draftAndPublish ? drafts : versions;
  const clone = createId();
  const columns = scalarColumns(type).filter((column) => column !== 'document_id');
  for (const source of sources) {
    const [row] = await write.rows(write.sql.duplicateRow(type.table, columns), source.id);
    const id = row![0] as number;
    const { now } = write;
    await write.rows(
      write.sql.updateRow(type.table, DOCUMENT_COLUMNS),
      clone,
      source.locale,
      now,
      now,
      type.draftAndPublish ? null : now,
      id,
    );
    await copyAround(write, type, source.id, id, { to: 'clone' });
    for (const attribute of linkAttributes(type)) {
      // A target that can have one owner only stays with the original.
      if (attribute.exclusive) continue;
      const list = (await readPairs(write, attribute.pairs, source.id)).map(({ to }) => to);
      await writePairs(write, attribute.pairs, id, [], list);
    }
    const target = { type, locale: source.locale, publishes: false };
    const change = plan.in({ draft: type.draftAndPublish, create: false });
    await writeEntity(write, type, ownerOf(target, id), change);
    if (!type.draftAndPublish) await judgeDraft(write, type, { id, documentId: clone, locale: source.locale });
  }
  return { documentId: clone, locale: sources[0]?.locale ?? null };
}
