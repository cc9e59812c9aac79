// Runs a write plan inside one transaction: locks, finds the rows, writes them, publishes. Each operation on documents
// is one function here, and reads from top to bottom.
import { createId } from '@paralleldrive/cuid2';
import { notFoundError } from '../errors.ts';
import { linkAttributes } from '../model/links.ts';
import { changedNames, type EntityChange } from '../plan/write/changes.ts';
import { type AuthorizedWritePlan, forNewRow, problemsError } from '../plan/write/plan-write.ts';
import { copyNestedContent, scalarColumns } from './copy.ts';
import { columnsOf, writeEntity, writeRelationsAndComponents } from './entity.ts';
import { readTargets, writeLinks } from './link-table.ts';
import { inheritSharedFields, syncSharedFields } from './locales.ts';
import { lockAffectedDocuments, lockKeys } from './locks.ts';
import { discardRow, isForeignKey, publishRow, rememberInLiveLists, sharedColumns } from './publish.ts';
import { type OwnerRow, ReferencedVersions } from './references.ts';
import { removeRows } from './remove.ts';
import { allReachable } from './row-rights.ts';
import { uniqueProblems, validateForPublish, validateUniqueComponents } from './validate.ts';
import { inLocales, singleVersions, versionsOf } from './versions.ts';
import type { Version, WriteSession } from './write-session.ts';

/** What a write left behind: the document, the locale to answer with, and the rows that it was about. */
export interface Written {
  readonly documentId: string;
  readonly locale: string | null;
  readonly versions: readonly Version[];
}

/** Null where there is no such document for the caller. */
export function runWrite(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written | null> {
  switch (plan.name) {
    case 'create':
      return createDocument(write, plan);
    case 'update':
      return plan.documentId === null ? updateSingle(write, plan) : updateDocument(write, plan, plan.documentId);
    case 'delete':
      return deleteDocument(write, plan);
    case 'publish':
      return publishDocument(write, plan);
    case 'unpublish':
      return unpublishDocument(write, plan);
    case 'discardDraft':
      return discardDraft(write, plan);
    case 'clone':
      return cloneDocument(write, plan);
  }
}

const DOCUMENT_COLUMNS = [
  { column: 'document_id', type: 'string' },
  { column: 'locale', type: 'string' },
  { column: 'created_at', type: 'datetime' },
  { column: 'updated_at', type: 'datetime' },
  { column: 'published_at', type: 'datetime' },
] as const;
const UPDATED_AT = [{ column: 'updated_at', type: 'datetime' }] as const;

async function createDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  await lockAffectedDocuments(write, plan, null);
  const finish = await write.enforceInvariants(plan, []);
  const written = await createVersion(
    write,
    plan,
    { documentId: createId(), change: forNewRow(plan.change, false) },
    [],
  );
  await finish();
  return written;
}

interface NewVersion {
  readonly documentId: string;
  readonly change: EntityChange;
}

/** A first row of a locale; `others`: the rows that the document has in other locales. */
async function createVersion(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  { documentId, change }: NewVersion,
  others: readonly Version[],
): Promise<Written> {
  const { type, locale } = plan;
  if (!type.draftAndPublish) await refuseDuplicates(write, plan, documentId, change);
  const { columns, values } = columnsOf(change);
  const { now } = write;
  const id = await write.insert(
    type.table,
    [...DOCUMENT_COLUMNS, ...columns],
    [documentId, locale, now, now, type.draftAndPublish ? null : now, ...values],
  );
  const source = others.find(({ published }) => published === !type.draftAndPublish) ?? others[0];
  if (source) await inheritSharedFields(write, type, { from: source, to: id, locale: locale! }, change);
  const row: Version = { id, documentId, locale, published: !type.draftAndPublish };
  await writeRelationsAndComponents(write, type, await ownerOf(write, plan, row), change);
  return syncLocalesAndPublish(write, plan, row, change);
}

const ownerOf = async (write: WriteSession, plan: AuthorizedWritePlan, { id, locale }: Version): Promise<OwnerRow> => ({
  id,
  schema: plan.type,
  draftAndPublish: plan.type.draftAndPublish,
  localized: plan.type.localized,
  status: plan.type.draftAndPublish ? 'draft' : 'published',
  locale,
  publishes: plan.publishes,
  references: await ReferencedVersions.load(write, plan.references),
});

async function refuseDuplicates(
  write: WriteSession,
  { type, locale }: AuthorizedWritePlan,
  documentId: string,
  change: EntityChange,
): Promise<void> {
  const problems = await uniqueProblems(write, type, { documentId, locale }, change.scalars);
  if (problems.length > 0) throw problemsError(problems);
}

/** What follows every write of a row: other locales get what they share, and the draft is published if asked for. */
async function syncLocalesAndPublish(
  write: WriteSession,
  { type, publishes }: AuthorizedWritePlan,
  row: Version,
  change: EntityChange,
): Promise<Written> {
  const written = { documentId: row.documentId, locale: row.locale, versions: [row] };
  await syncSharedFields(write, type, row, changedNames(change));
  if (!type.draftAndPublish && change.components.length > 0) await validateUniqueComponents(write, type, row);
  if (!type.draftAndPublish || !publishes) return written;
  return { ...written, versions: [row, await publishVersion(write, { type, draft: row })] };
}

async function publishVersion(
  write: WriteSession,
  { type, draft }: { readonly type: AuthorizedWritePlan['type']; readonly draft: Version },
): Promise<Version> {
  await validateForPublish(write, type, draft);
  const published = { ...draft, id: await publishRow(write, type, draft.id), published: true };
  await syncSharedFields(write, type, published, null);
  return published;
}

async function updateDocument(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  documentId: string,
): Promise<Written | null> {
  await lockAffectedDocuments(write, plan);
  const versions = await versionsOf(write, plan.type, documentId);
  const changed = changedVersions(plan, versions);
  if (versions.length === 0 || !(await allReachable(write, plan.type, 'update', changed))) return null;
  return updateVersions(write, plan, versions);
}

/** The one document of a single type, made where there is none. */
async function updateSingle(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type } = plan;
  await lockKeys(write, [type.uid]);
  const versions = await singleVersions(write, type);
  if (versions.length === 0) return createDocument(write, plan);
  await lockAffectedDocuments(write, plan, versions[0]!.documentId);
  if (!(await allReachable(write, type, 'update', changedVersions(plan, versions)))) throw notFoundError();
  return updateVersions(write, plan, versions);
}

/** The rows that a write to a locale is about: its draft, and what it publishes; where it adds the locale, all of them. */
function changedVersions(
  { type, locale, publishes }: AuthorizedWritePlan,
  versions: readonly Version[],
): readonly Version[] {
  const inLocale = inLocales(type, versions, [locale]);
  const drafts = type.draftAndPublish && !publishes ? inLocale.filter(({ published }) => !published) : [];
  if (drafts.length > 0) return drafts;
  return inLocale.length > 0 ? inLocale : versions;
}

async function updateVersions(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  versions: readonly Version[],
): Promise<Written> {
  const { type, locale, change } = plan;
  const { documentId } = versions[0]!;
  const finish = await write.enforceInvariants(plan, versions);
  const inLocale = inLocales(type, versions, [locale]);
  const row =
    inLocale.find(({ published }) => !type.draftAndPublish || !published) ?? (await draftBack(write, plan, inLocale));
  const written = row
    ? await updateVersion(write, plan, row)
    : await createVersion(write, plan, { documentId, change: forNewRow(change, true) }, versions);
  await finish();
  return written;
}

async function updateVersion(write: WriteSession, plan: AuthorizedWritePlan, row: Version): Promise<Written> {
  const { type, change } = plan;
  if (!type.draftAndPublish) await refuseDuplicates(write, plan, row.documentId, change);
  const { columns, values } = columnsOf(change);
  await write.rows(write.sql.updateRow(type.table, [...UPDATED_AT, ...columns]), write.now, ...values, row.id);
  await writeRelationsAndComponents(write, type, await ownerOf(write, plan, row), change);
  return syncLocalesAndPublish(write, plan, row, change);
}

/** A published row that lost its draft gets one back before it is changed. Null where the locale has no row at all. */
async function draftBack(
  write: WriteSession,
  { type }: AuthorizedWritePlan,
  [published]: readonly Version[],
): Promise<Version | null> {
  if (!published) return null;
  const draft = await write.duplicate(type.table, sharedColumns(type), published.id);
  await discardRow(write, type, { draft, published: published.id });
  return { ...published, id: draft, published: false };
}

/** Deletes locales of a document, drafts and published rows alike; of a single type, of its one document. */
async function deleteDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written | null> {
  const { type, documentId, locales } = plan;
  if (documentId === null) await lockKeys(write, [type.uid]);
  else await lockAffectedDocuments(write, plan);
  const all = documentId === null ? await singleVersions(write, type) : await versionsOf(write, type, documentId);
  const versions = inLocales(type, all, locales);
  if (versions.length === 0 || !(await allReachable(write, type, 'delete', versions))) return null;
  const finish = await write.enforceInvariants(plan, versions);
  const ids = versions.map(({ id }) => id);
  await removeRows(write, type, ids, true);
  await finish();
  return { documentId: versions[0]!.documentId, locale: versions[0]!.locale, versions };
}

/** The versions of a document that a draft action is about, in the locales asked for. */
async function versionsFor(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  use: 'update' | 'find',
): Promise<readonly Version[]> {
  const { type, locales } = plan;
  const first = plan.documentId === null ? await singleVersions(write, type) : [];
  const documentId = plan.documentId ?? first[0]?.documentId;
  if (documentId === undefined) throw notFoundError();
  await lockAffectedDocuments(write, plan, documentId);
  const versions = inLocales(type, await versionsOf(write, type, documentId), locales);
  if (versions.length === 0 || !(await allReachable(write, type, use, versions))) throw notFoundError();
  return versions;
}

const writtenOf = (plan: AuthorizedWritePlan, all: readonly Version[], versions: readonly Version[]): Written => ({
  documentId: all[0]!.documentId,
  locale: plan.locales === 'all' ? all[0]!.locale : (plan.locales[0] ?? null),
  versions,
});

async function publishDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type } = plan;
  const versions = await versionsFor(write, plan, 'update');
  const published: Version[] = [];
  for (const draft of versions.filter((version) => !version.published))
    published.push(await publishVersion(write, { type, draft }));
  return writtenOf(plan, versions, published);
}

async function unpublishDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const versions = await versionsFor(write, plan, 'update');
  const published = versions.filter((version) => version.published);
  const ids = published.map(({ id }) => id);
  await rememberInLiveLists(write, plan.type, ids);
  await removeRows(write, plan.type, ids, false);
  return writtenOf(plan, versions, published);
}

/** Brings drafts back to what is published. */
async function discardDraft(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type } = plan;
  const versions = await versionsFor(write, plan, 'update');
  const drafts = versions.filter(({ published }) => !published);
  for (const draft of drafts) {
    const published = versions.find((version) => version.published && version.locale === draft.locale);
    if (!published) continue;
    await discardRow(write, type, { draft: draft.id, published: published.id });
    await syncSharedFields(write, type, draft, null);
  }
  return writtenOf(plan, versions, drafts);
}

/** Copies the drafts of a document, or the rows of one without drafts, under a new id, then applies a change. */
async function cloneDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type } = plan;
  const versions = await versionsFor(write, plan, 'find');
  const sources = type.draftAndPublish ? versions.filter(({ published }) => !published) : versions;
  const documentId = createId();
  const clones: Version[] = [];
  for (const source of sources) {
    const clone = await cloneVersion(write, plan, source, documentId);
    await writeEntity(write, type, await ownerOf(write, { ...plan, publishes: false }, clone), plan.change);
    if (!type.draftAndPublish) await validateForPublish(write, type, clone);
    clones.push(clone);
  }
  return { documentId, locale: clones[0]?.locale ?? null, versions: clones };
}

async function cloneVersion(
  write: WriteSession,
  { type }: AuthorizedWritePlan,
  source: Version,
  documentId: string,
): Promise<Version> {
  // A target that can have one owner only stays with the original.
  const keys = [...type.attributes.values()].filter((attribute) => isForeignKey(attribute) && !attribute.exclusive);
  const columns = [
    ...scalarColumns(type).filter((column) => column !== 'document_id'),
    ...keys.flatMap((attribute) => ('link' in attribute ? [attribute.link.to] : [])),
  ];
  const id = await write.duplicate(type.table, columns, source.id);
  const { now } = write;
  const values = [documentId, source.locale, now, now, type.draftAndPublish ? null : now];
  await write.rows(write.sql.updateRow(type.table, DOCUMENT_COLUMNS), ...values, id);
  await copyNestedContent(write, type, { from: source.id, to: id, purpose: { to: 'clone' } });
  for (const { link, exclusive } of linkAttributes(type)) {
    if (exclusive) continue;
    await writeLinks(write, link, id, { current: [], desired: await readTargets(write, link, source.id) });
  }
  return { id, documentId, locale: source.locale, published: source.published };
}
