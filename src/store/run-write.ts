// Runs a write plan inside one transaction: locks, finds the rows, writes them, publishes. Each operation on documents
// is one function here, and reads from top to bottom.
import { createId } from '@paralleldrive/cuid2';
import { applicationError, notFoundError, validationError } from '../errors.ts';
import { isForeignKey, linkAttributes } from '../model/links.ts';
import { affectedBy } from '../plan/write/affected-documents.ts';
import type { AuthorizedWritePlan } from '../plan/write/plan-write.ts';
import { unknownLocale } from '../request/parse-write.ts';
import type { AffectedDocuments } from './affected-rows.ts';
import { copiedKey, copyMorphs, copyNestedContent, scalarColumns } from './copy.ts';
import { discardRow, restoreDraft } from './discard.ts';
import { DocumentNotFound } from './document-not-found.ts';
import {
  documentsOf,
  inLocales,
  publishedBeside,
  singleVersions,
  versionsByRow,
  versionToUpdate,
} from './document-versions.ts';
import { changedRow, newRow } from './entity.ts';
import { gatherLists } from './gather-lists.ts';
import { readTargets, writeLinks } from './link-table.ts';
import { lockDocuments, lockKeys } from './locks.ts';
import { mergeIntoCopy } from './merge-into-copy.ts';
import { publishVersion } from './publish.ts';
import { rememberInLiveLists } from './referrers.ts';
import { removeRows } from './remove.ts';
import { allReachable, requireReachable } from './row-rights.ts';
import { scalarsAnd, syncSharedFields } from './shared-fields.ts';
import { readScalarRows, validateForPublish } from './validate.ts';
import { isConditional } from './validate-conditional.ts';
import { type Version, versionOf, type WriteSession } from './write-session.ts';
import { type Written, writeVersion } from './write-version.ts';

/** Throws DocumentNotFound where there is no such document for the caller. */
export function runWrite(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  if (plan.row !== null) return writeRow(write, plan, plan.row);
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

/** Makes, changes or removes one row, and leaves the others of its document as they are. */
async function writeRow(write: WriteSession, plan: AuthorizedWritePlan, id: number | 'new'): Promise<Written> {
  const { type } = plan;
  if (id === 'new') return createDocument(write, plan);
  const [row] = await versionsByRow(write, type, [id]);
  if (!row) throw new DocumentNotFound();
  const { documentId, locale } = row;
  const documents = await lockDocuments(write, affectedBy(write.model, plan, documentId));
  if (plan.name === 'update')
    return writeVersion(write, plan, { documentId, row, versions: [], mustReach: [], documents });
  const finish = await write.invariants.get(type.uid)?.enforce(write, plan, [row]);
  await removeRows(write, type, [id]);
  await finish?.();
  return { documentId, locale, versions: [row] };
}

async function createDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const given = plan.name === 'create' ? plan.documentId : null;
  // A document that is not there yet has no rows to lock.
  if (given !== null) await lockKeys(write, [`${plan.type.uid} ${given}`]);
  const documents = await lockDocuments(write, affectedBy(write.model, plan, given));
  const there = given === null ? [] : documentsOf(documents, plan.type, given);
  refuseSecondVersion(plan, there);
  // A row by itself takes nothing from the others of its document.
  const versions = plan.row === null ? there : [];
  return writeVersion(write, plan, {
    documentId: given ?? createId(),
    row: null,
    versions,
    mustReach: [],
    documents,
  });
}

/** A document has one version in each locale and status. */
function refuseSecondVersion(
  { type, row, locale, publishes }: AuthorizedWritePlan,
  versions: readonly Version[],
): void {
  const isPublished = !type.draftAndPublish || (row !== null && publishes);
  const second = inLocales(type, versions, [locale]).find(({ published }) => published === isPublished);
  if (!second) return;
  const place = `documentId "${second.documentId}"${type.localized ? ` and locale "${locale}"` : ''}`;
  throw applicationError(
    `A ${isPublished ? 'published' : 'draft'} entry with ${place} already exists for UID "${type.uid}". This combination must be unique.`,
  );
}

/** A single type has one document. */
async function createSingle(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  if ((await singleDocument(write, plan)) === null) return createDocument(write, plan);
  throw validationError(`${plan.type.uid} is a single type and has its document; update it instead`);
}

async function updateDocument(write: WriteSession, plan: AuthorizedWritePlan, documentId: string): Promise<Written> {
  if (isScalarUpdate(write, plan)) {
    const updated = await updateScalars(write, plan, documentId);
    if (updated) return updated;
  }
  const { type } = plan;
  const documents = await lockDocuments(write, affectedBy(write.model, plan, documentId));
  const { row, published, mustReach, versions } = versionToUpdate(plan, documentsOf(documents, type, documentId));
  const draft = row ?? (published && (await restoreDraft(write, type, published, documents)));
  return writeVersion(write, plan, { documentId, row: draft, versions, mustReach, documents });
}

/** Whether a write changes columns of one row and nothing else, so that nothing has to be known of the row. */
const isScalarUpdate = (write: WriteSession, { type, change, publishes }: AuthorizedWritePlan): boolean =>
  change.relations.length === 0 &&
  change.components.length === 0 &&
  !type.localized &&
  !(type.draftAndPublish && publishes) &&
  !change.scalars.some(({ attribute }) => attribute.rules.unique && !type.draftAndPublish) &&
  (type.draftAndPublish || !isConditional(type, change)) &&
  !write.caller.access.rowsOf(type.uid, 'update') &&
  !write.invariants.has(type.uid);

/** Finds, locks and writes the row with one statement. Null where there is none, or it has no draft. */
async function updateScalars(
  write: WriteSession,
  { type, change }: AuthorizedWritePlan,
  documentId: string,
): Promise<Written | null> {
  const own = changedRow(write);
  const columns = change.scalars.map(({ attribute }) => attribute);
  const given = change.scalars.map(({ value }) => value);
  const values = write.sql.stored(columns, given);
  const statement = write.sql.updateDocument(type.table, [...own.columns, ...columns], type.draftAndPublish);
  const versions = (await write.run.rows(statement, ...own.values, ...values, documentId)).map(versionOf);
  return versions.length > 0 ? { documentId, locale: versions[0]!.locale, versions } : null;
}

/** The one document of a single type, made where there is none. */
async function updateSingle(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const documentId = await singleDocument(write, plan);
  return documentId === null ? createDocument(write, plan) : updateDocument(write, plan, documentId);
}

/** Deletes locales of a document, drafts and published rows alike; of a single type, of its one document. */
async function deleteDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type, locales } = plan;
  const documentId = plan.documentId ?? (await singleDocument(write, plan));
  if (documentId === null) {
    await requireLocales(write, plan, []);
    throw new DocumentNotFound();
  }
  const documents = await lockDocuments(write, affectedBy(write.model, plan, documentId));
  const versions = inLocales(type, documentsOf(documents, type, documentId), locales);
  await requireLocales(write, plan, versions);
  if (versions.length === 0) throw new DocumentNotFound();
  await requireReachable(write, type, 'delete', versions);
  const finish = await write.invariants.get(type.uid)?.enforce(write, plan, versions);
  await removeRows(
    write,
    type,
    versions.map(({ id }) => id),
  );
  await finish?.();
  return { documentId, locale: versions[0]!.locale, versions };
}

/** Refuses a locale that the project does not have. One in which there is a version needs no looking up. */
async function requireLocales(
  write: WriteSession,
  { type, locales }: AuthorizedWritePlan,
  versions: readonly Version[],
): Promise<void> {
  if (locales === 'all' || !type.localized) return;
  for (const code of locales)
    if (code !== null && !versions.some(({ locale }) => locale === code) && !(await write.hasLocale(code)))
      throw unknownLocale();
}

/** The id of the one document of a single type; null where there is none yet. */
async function singleDocument(write: WriteSession, { type }: AuthorizedWritePlan): Promise<string | null> {
  await lockKeys(write, [type.uid]);
  return (await singleVersions(write, type))[0]?.documentId ?? null;
}

/** What a draft action is about. */
interface ActionTarget {
  /** The versions of the document in the locales asked for. */
  readonly versions: readonly Version[];
  /** Those in all locales. */
  readonly all: readonly Version[];
  readonly documents: AffectedDocuments;
}

async function versionsFor(
  write: WriteSession,
  plan: AuthorizedWritePlan,
  use: 'find' | 'update' | 'publish',
): Promise<ActionTarget> {
  const { type, locales } = plan;
  const documentId = plan.documentId ?? (await singleDocument(write, plan));
  if (documentId === null) {
    await requireLocales(write, plan, []);
    throw notFoundError();
  }
  const documents = await lockDocuments(write, affectedBy(write.model, plan, documentId));
  const all = documentsOf(documents, type, documentId);
  const versions = inLocales(type, all, locales);
  await requireLocales(write, plan, versions);
  if (versions.length === 0 || !(await allReachable(write, type, use, versions))) throw notFoundError();
  return { versions, all, documents };
}

const writtenOf = (plan: AuthorizedWritePlan, all: readonly Version[], versions: readonly Version[]): Written => ({
  documentId: all[0]!.documentId,
  locale: plan.locales === 'all' ? all[0]!.locale : (plan.locales[0] ?? null),
  versions,
});

async function publishDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { versions, all, documents } = await versionsFor(write, plan, 'publish');
  const published: Version[] = [];
  for (const draft of versions.filter((version) => !version.published))
    published.push(await publishVersion(write, plan.type, { draft, versions: [...all, ...published] }, documents));
  return writtenOf(plan, versions, published);
}

async function unpublishDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { versions } = await versionsFor(write, plan, 'publish');
  const published = versions.filter((version) => version.published);
  const ids = published.map(({ id }) => id);
  await rememberInLiveLists(write, plan.type, ids);
  await removeRows(write, plan.type, ids);
  return writtenOf(plan, versions, published);
}

/** Brings drafts back to what is published. */
async function discardDraft(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type } = plan;
  const { versions, all, documents } = await versionsFor(write, plan, 'update');
  const discarded: Version[] = [];
  for (const draft of versions.filter(({ published }) => !published)) {
    const published = publishedBeside(versions, draft);
    if (!published) continue;
    discarded.push(draft);
    const changed = await discardRow(
      write,
      type,
      { draft: draft.id, published: published.id, documentId: draft.documentId },
      documents,
    );
    await syncSharedFields(write, type, { row: draft, versions: all }, () => scalarsAnd(type, changed));
  }
  return writtenOf(plan, versions, discarded);
}

/** Copies the drafts of a document, or the rows of one without drafts, under a new id, then applies a change. */
async function cloneDocument(write: WriteSession, plan: AuthorizedWritePlan): Promise<Written> {
  const { type } = plan;
  const { versions, documents } = await versionsFor(write, plan, 'find');
  const sources = type.draftAndPublish ? versions.filter(({ published }) => !published) : versions;
  const documentId = createId();
  const clones: Version[] = [];
  for (const source of sources) {
    const clone = await cloneVersion(write, plan, source, documentId);
    await writeVersion(
      write,
      { ...plan, publishes: false, change: await mergeIntoCopy(write, type, clone.id, plan.change) },
      { documentId, row: clone, versions: clones, mustReach: [], documents },
    );
    if (!type.draftAndPublish)
      await validateForPublish(write, type, clone, await readScalarRows(write, type, [clone.id]));
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
  await gatherLists(write, type, [source.id]);
  const keys = [...type.attributes.values()].filter(isForeignKey);
  const columns = [
    ...scalarColumns(type).filter((column) => column !== 'document_id'),
    ...keys.map((key) => copiedKey(key, write.model.contentTypes)),
  ];
  const id = await write.run.insert(
    type.table,
    write.sql.duplicateRows(type.table, columns),
    JSON.stringify([[source.id, 1]]),
  );
  const own = newRow(write, { documentId, locale: source.locale, published: !type.draftAndPublish });
  await write.run.rows(write.sql.updateRow(type.table, own.columns), ...own.values, id);
  const copy = { from: source.id, to: id, toIsNew: true, purpose: { to: 'clone' } } as const;
  await copyNestedContent(write, type, copy);
  await copyMorphs(write, type, copy);
  // A target in a link table that can have one owner only stays with the original. All lists are read first: of an
  // entry that is linked with itself, one side's copy would show in the other side.
  const lists = [];
  for (const { link, exclusive } of linkAttributes(type))
    if (!exclusive) lists.push({ link, desired: await readTargets(write, link, source.id) });
  for (const { link, desired } of lists) await writeLinks(write, link, id, { current: [], desired });
  return { id, documentId, locale: source.locale, published: source.published };
}
