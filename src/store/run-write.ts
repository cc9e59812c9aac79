// Runs a write plan inside one transaction: locks, finds the rows, writes them, publishes. Each operation on documents
// is one function here, and reads from top to bottom.
import { createId } from '@paralleldrive/cuid2';
import { notFoundError, validationError } from '../errors.ts';
import { linkAttributes } from '../model/links.ts';
import { changedNames, type EntityChange } from '../plan/write/changes.ts';
import { type AuthorizedWritePlan, forNewRow, problemsError } from '../plan/write/plan-write.ts';
import { copyNestedContent, scalarColumns } from './copy.ts';
import { inLocales, singleVersions } from './document-versions.ts';
import { columnsOf, writeEntity, writeRelationsAndComponents } from './entity.ts';
import { readTargets, writeLinks } from './link-table.ts';
import { type AffectedDocuments, lockAffectedDocuments, lockKeys } from './locks.ts';
import {
  discardRow,
  gatherForPublish,
  isForeignKey,
  publishRow,
  rememberInLiveLists,
  sharedColumns,
} from './publish.ts';
import { type OwnerRow, ReferencedVersions } from './references.ts';
import { removeRows } from './remove.ts';
import { allReachable } from './row-rights.ts';
import { inheritSharedFields, syncSharedFields } from './shared-fields.ts';
import { uniqueProblems, validateForPublish, validateUniqueComponents } from './validate.ts';
import { type Version, versionOf, type WriteSession } from './write-session.ts';

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
      return plan.type.kind === 'singleType' ? createSingle(write, plan) : createDocument(write, plan);
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
  const affected = await lockAffectedDocuments(write, plan, null);
  const finish = await write.enforceInvariants(plan, []);
  const change = forNewRow(plan.change, false);
  const written = await createVersion(write, plan, { documentId: createId(), change, affected, others: [] });
  await finish();
  return written;
}

/** A single type has one document. */
async function createSingle(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  if ((await singleDocument(write, plan)) === null) return createDocument(write, plan);
  throw validationError(`${plan.type.uid} is a single type and has its document; update it instead`);
}

interface NewVersion {
  readonly documentId: string;
  readonly change: EntityChange;
  readonly affected: AffectedDocuments;
  /** The rows that the document has in other locales. */
  readonly others: readonly Version[];
}

/** A first row of a locale. */
async function createVersion(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  { documentId, change, affected, others }: NewVersion,
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
  const owner = await ownerOf(write, plan, row, affected);
  await writeRelationsAndComponents(write, type, { ...owner, isNew: true }, change);
  return syncLocalesAndPublish(write, plan, { row, versions: others, affected }, change);
}

const ownerOf = async (
  write: WriteSession,
  { type, publishes, references }: AuthorizedWritePlan,
  row: Version,
  affected: AffectedDocuments,
): Promise<OwnerRow> => ({
  id: row.id,
  documentId: row.documentId,
  schema: type,
  isNew: false,
  draftAndPublish: type.draftAndPublish,
  localized: type.localized,
  status: type.draftAndPublish ? 'draft' : 'published',
  locale: row.locale,
  publishes,
  references: await ReferencedVersions.load(write, references, affected, { type, row }),
  affected,
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

/** A row that was written, and what is known around it. */
interface WrittenRow {
  readonly row: Version;
  /** Of the same document. */
  readonly versions: readonly Version[];
  readonly affected: AffectedDocuments;
}

/** What follows every write of a row: other locales get what they share, and the draft is published if asked for. */
async function syncLocalesAndPublish(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  { row, versions, affected }: WrittenRow,
  change: EntityChange,
): Promise<Written> {
  const { type, publishes } = plan;
  const written = { documentId: row.documentId, locale: row.locale, versions: [row] };
  await syncSharedFields(write, type, row, changedNames(change));
  if (!type.draftAndPublish && change.components.length > 0) await validateUniqueComponents(write, type, row);
  if (!type.draftAndPublish || !publishes) return written;
  const both = { draft: row, published: publishedIn(versions, row) };
  const published = await publishVersion(write, plan, both, affected);
  return { ...written, versions: [row, published] };
}

/** The draft of a document in one locale, and its published row where it has one. */
interface DraftVersion {
  readonly draft: Version;
  readonly published: Version | undefined;
}

async function publishVersion(
  write: WriteSession,
  { type }: AuthorizedWritePlan,
  { draft, published }: DraftVersion,
  affected: AffectedDocuments,
): Promise<Version> {
  const existing = published?.id ?? null;
  const referrers = await gatherForPublish(write, type, draft.id, existing);
  await validateForPublish(write, type, draft);
  const id = await publishRow(write, type, { draft, existing }, { referrers, affected });
  const version = { ...draft, id, published: true };
  await syncSharedFields(write, type, version, null);
  return version;
}

const publishedIn = (versions: readonly Version[], { locale }: Version): Version | undefined =>
  versions.find((version) => version.published && version.locale === locale);

async function updateDocument(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  documentId: string,
): Promise<Written | null> {
  if (isScalarUpdate(write, plan)) {
    const updated = await updateScalars(write, plan, documentId);
    if (updated) return updated;
  }
  const affected = await lockAffectedDocuments(write, plan);
  const versions = versionsIn(affected, plan, documentId);
  const changed = changedVersions(plan, versions);
  if (versions.length === 0 || !(await allReachable(write, plan.type, 'update', changed))) return null;
  return updateVersions(write, plan, versions, affected);
}

/** Whether a write changes columns of one row and nothing else, so that nothing has to be known of the row. */
const isScalarUpdate = (write: WriteSession, { type, change, publishes }: AuthorizedWritePlan): boolean =>
  change.relations.length === 0 &&
  change.components.length === 0 &&
  !type.localized &&
  !(type.draftAndPublish && publishes) &&
  !change.scalars.some(({ attribute }) => attribute.rules.unique && !type.draftAndPublish) &&
  !write.caller.access.rowsOf(type.uid, 'update') &&
  !write.hasInvariants(type);

/** Finds, locks and writes the row with one statement. Null where there is none, or it has no draft. */
async function updateScalars(
  write: WriteSession,
  { type, change }: AuthorizedWritePlan,
  documentId: string,
): Promise<Written | null> {
  const { columns, values } = columnsOf(change);
  const statement = write.sql.updateDocument(type.table, [...UPDATED_AT, ...columns], type.draftAndPublish);
  const versions = (await write.rows(statement, write.now, ...values, documentId)).map(versionOf);
  return versions.length > 0 ? { documentId, locale: versions[0]!.locale, versions } : null;
}

/** The versions of one document. */
const versionsIn = (
  affected: AffectedDocuments,
  { type }: AuthorizedWritePlan,
  documentId: string,
): readonly Version[] => affected.versionsIn(type.table).filter((version) => version.documentId === documentId);

/** The one document of a single type, made where there is none. */
async function updateSingle(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type } = plan;
  const documentId = await singleDocument(write, plan);
  if (documentId === null) return createDocument(write, plan);
  const affected = await lockAffectedDocuments(write, plan, documentId);
  const versions = versionsIn(affected, plan, documentId);
  if (!(await allReachable(write, type, 'update', changedVersions(plan, versions)))) throw notFoundError();
  return updateVersions(write, plan, versions, affected);
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
  affected: AffectedDocuments,
): Promise<Written> {
  const { type, locale } = plan;
  const { documentId } = versions[0]!;
  const finish = await write.enforceInvariants(plan, versions);
  const inLocale = inLocales(type, versions, [locale]);
  const row =
    inLocale.find(({ published }) => !type.draftAndPublish || !published) ??
    (await draftBack(write, plan, inLocale, affected));
  const written = row
    ? await updateVersion(write, plan, row, affected)
    : await createVersion(write, plan, {
        documentId,
        change: forNewRow(plan.change, true),
        affected,
        others: versions,
      });
  await finish();
  return written;
}

async function updateVersion(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  row: Version,
  affected: AffectedDocuments,
): Promise<Written> {
  const { type, change } = plan;
  if (!type.draftAndPublish) await refuseDuplicates(write, plan, row.documentId, change);
  const { columns, values } = columnsOf(change);
  const statement = write.sql.updateRow(type.table, [...UPDATED_AT, ...columns]);
  await write.change(type.table, statement, write.now, ...values, row.id);
  await writeRelationsAndComponents(write, type, await ownerOf(write, plan, row, affected), change);
  const versions = versionsIn(affected, plan, row.documentId);
  return syncLocalesAndPublish(write, plan, { row, versions, affected }, change);
}

/** A published row that lost its draft gets one back before it is changed. Null where the locale has no row at all. */
async function draftBack(
  write: WriteSession,
  { type }: AuthorizedWritePlan,
  [published]: readonly Version[],
  affected: AffectedDocuments,
): Promise<Version | null> {
  if (!published) return null;
  const draft = await write.duplicate(type.table, sharedColumns(write, type), published.id);
  await discardRow(write, type, { draft, published: published.id, documentId: published.documentId }, affected);
  return { ...published, id: draft, published: false };
}

/** Deletes locales of a document, drafts and published rows alike; of a single type, of its one document. */
async function deleteDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written | null> {
  const { type, documentId, locales } = plan;
  const id = documentId ?? (await singleDocument(write, plan));
  if (id === null) return null;
  const versions = inLocales(type, versionsIn(await lockAffectedDocuments(write, plan, id), plan, id), locales);
  if (versions.length === 0 || !(await allReachable(write, type, 'delete', versions))) return null;
  const finish = await write.enforceInvariants(plan, versions);
  const ids = versions.map(({ id }) => id);
  await removeRows(write, type, ids);
  await finish();
  return { documentId: versions[0]!.documentId, locale: versions[0]!.locale, versions };
}

/** The id of the one document of a single type; null where there is none yet. */
async function singleDocument(write: WriteSession, { type }: AuthorizedWritePlan): Promise<string | null> {
  await lockKeys(write, [type.uid]);
  return (await singleVersions(write, type))[0]?.documentId ?? null;
}

/** The versions of a document that a draft action is about, in the locales asked for. */
async function versionsFor(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  use: 'update' | 'find',
): Promise<{ readonly versions: readonly Version[]; readonly affected: AffectedDocuments }> {
  const { type, locales } = plan;
  const documentId = plan.documentId ?? (await singleDocument(write, plan));
  if (documentId === null) throw notFoundError();
  const affected = await lockAffectedDocuments(write, plan, documentId);
  const versions = inLocales(type, versionsIn(affected, plan, documentId), locales);
  if (versions.length === 0 || !(await allReachable(write, type, use, versions))) throw notFoundError();
  return { versions, affected };
}

const writtenOf = (plan: AuthorizedWritePlan, all: readonly Version[], versions: readonly Version[]): Written => ({
  documentId: all[0]!.documentId,
  locale: plan.locales === 'all' ? all[0]!.locale : (plan.locales[0] ?? null),
  versions,
});

async function publishDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { versions, affected } = await versionsFor(write, plan, 'update');
  const published: Version[] = [];
  for (const draft of versions.filter((version) => !version.published)) {
    const both = { draft, published: publishedIn(versions, draft) };
    published.push(await publishVersion(write, plan, both, affected));
  }
  return writtenOf(plan, versions, published);
}

async function unpublishDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { versions } = await versionsFor(write, plan, 'update');
  const published = versions.filter((version) => version.published);
  const ids = published.map(({ id }) => id);
  await rememberInLiveLists(write, plan.type, ids);
  await removeRows(write, plan.type, ids);
  return writtenOf(plan, versions, published);
}

/** Brings drafts back to what is published. */
async function discardDraft(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type } = plan;
  const { versions, affected } = await versionsFor(write, plan, 'update');
  const drafts = versions.filter(({ published }) => !published);
  for (const draft of drafts) {
    const published = publishedIn(versions, draft);
    if (!published) continue;
    await discardRow(write, type, { draft: draft.id, published: published.id, documentId: draft.documentId }, affected);
    await syncSharedFields(write, type, draft, null);
  }
  return writtenOf(plan, versions, drafts);
}

/** Copies the drafts of a document, or the rows of one without drafts, under a new id, then applies a change. */
async function cloneDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type } = plan;
  const { versions, affected } = await versionsFor(write, plan, 'find');
  const sources = type.draftAndPublish ? versions.filter(({ published }) => !published) : versions;
  const documentId = createId();
  const clones: Version[] = [];
  for (const source of sources) {
    const clone = await cloneVersion(write, plan, source, documentId);
    await writeEntity(write, type, await ownerOf(write, { ...plan, publishes: false }, clone, affected), plan.change);
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
  await copyNestedContent(write, type, { from: source.id, to: id, toIsNew: true, purpose: { to: 'clone' } });
  // All lists are read first: of an entry that is linked with itself, one side's copy would show in the other side.
  const lists = [];
  for (const { link, exclusive } of linkAttributes(type))
    if (!exclusive) lists.push({ link, desired: await readTargets(write, link, source.id) });
  for (const { link, desired } of lists) await writeLinks(write, link, id, { current: [], desired });
  return { id, documentId, locale: source.locale, published: source.published };
}
