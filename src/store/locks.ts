// Locks for databases where writers meet. Everything that a write may touch is locked before it is read for good: the
// document itself, the documents it is or will be linked with, and those that may lose a link to it; table by table,
// row by row, always in the same order, so that two writes that meet wait for each other instead of failing.
import { RESTART } from '../db/database.ts';
import { linkAttributes, oneWayTo } from '../model/links.ts';
import type { ContentType, RelationAttribute } from '../model/types.ts';
import type { RelationChange, WritePlan } from '../plan/write/changes.ts';
import { referencesIn, relationsIn } from '../plan/write/planned-references.ts';
import { listName } from '../sql/write-statements.ts';
import { reversed } from './link-table.ts';
import { versionsByRow, versionsOf } from './versions.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** What a write is about: a document, or null for a new one; the relations it changes, or null for all of them. */
interface Extent {
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly relations: readonly RelationChange[] | null;
  readonly publishes: boolean;
}

/** Another write changed what this one is about, so it has to begin again. */
class RestartTransaction extends Error {
  readonly code = RESTART;
}

/** Locks what the plan touches. `documentId`: of the document, where the plan does not name it. */
export async function lockAffectedDocuments(
  write: WriteSession,
  plan: WritePlan,
  documentId: string | null = plan.documentId,
): Promise<void> {
  if (!write.sql.needsLocks) return;
  const { type, name, publishes } = plan;
  const whole = name !== 'create' && name !== 'update';
  const relations = whole ? null : relationsIn(plan.change);
  const extent: Extent = { type, documentId, relations, publishes: whole || publishes };
  const documents = await affectedDocuments(write, extent);
  for (const [table, ids] of [...documents].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (ids.size > 0) await write.rows(write.sql.lockDocuments(table), listOf(ids));
  // What a write is about may have grown while it waited: a link was added, or a target found another owner. To lock
  // that now would be out of order; so the write begins again, and finds it in its place.
  if (!mayGrow(extent)) return;
  for (const [table, ids] of await affectedDocuments(write, extent))
    for (const id of ids) if (!documents.get(table)?.has(id)) throw new RestartTransaction();
}

/** Whether other writers can add to what this write must lock; the references of a body are what they are. */
function mayGrow({ type, documentId, relations, publishes }: Extent): boolean {
  if (documentId !== null && (!relations || publishes || relations.length > 0)) return true;
  const written = publishes ? linkAttributes(type) : (relations ?? []).map(({ attribute }) => attribute);
  return written.some((attribute) => attribute.kind === 'relation' && attribute.exclusive);
}

/** Ids of documents, by table. */
class DocumentSet {
  readonly #tables = new Map<string, Set<string>>();

  add(table: string, ids: Iterable<string>): void {
    const set = this.#tables.get(table) ?? new Set();
    this.#tables.set(table, set);
    for (const id of ids) set.add(id);
  }

  get(table: string): ReadonlySet<string> | undefined {
    return this.#tables.get(table);
  }

  [Symbol.iterator](): Iterator<[string, ReadonlySet<string>]> {
    return this.#tables[Symbol.iterator]();
  }
}

async function affectedDocuments(write: WriteSession, extent: Extent): Promise<DocumentSet> {
  const { type, documentId, relations, publishes } = extent;
  const documents = new DocumentSet();
  const own = documentId === null ? [] : (await versionsOf(write, type, documentId)).map(({ id }) => id);
  if (documentId !== null) documents.add(type.table, [documentId]);
  const changed = new Set(relations?.map(({ attribute }) => attribute.name));
  for (const attribute of linkAttributes(type)) {
    if (own.length === 0 || (relations && !publishes && !changed.has(attribute.name))) continue;
    const target = write.type(attribute.target);
    const linked = await write.rows(write.sql.linkedDocuments(attribute.link, target.table), listOf(own));
    const ids = linked.map(([id]) => id);
    documents.add(target.table, ids);
    if (publishes && attribute.exclusive) await addOwners(write, { attribute, type, targets: ids }, documents);
  }
  for (const relation of relations ?? []) await addReferences(write, type, relation, documents);
  if ((!relations || publishes) && own.length > 0) await addHolders(write, type, own, documents);
  return documents;
}

/** What a relation refers to, and who may have to give it up. */
async function addReferences(
  write: WriteSession,
  type: ContentType,
  { attribute, input }: RelationChange,
  documents: DocumentSet,
): Promise<void> {
  if (attribute.kind !== 'relation') return;
  const target = write.type(attribute.target);
  const references = referencesIn(input);
  const named = references.flatMap(({ documentId }) => documentId ?? []);
  const rows = references.flatMap(({ id }) => id ?? []);
  if (rows.length > 0) named.push(...(await versionsByRow(write, target, rows)).map(({ documentId }) => documentId));
  documents.add(target.table, named);
  if (attribute.exclusive) await addOwners(write, { attribute, type, targets: named }, documents);
}

/** The documents that have targets to themselves, and may lose them. */
async function addOwners(
  write: WriteSession,
  {
    attribute,
    type,
    targets,
  }: { readonly attribute: RelationAttribute; readonly type: ContentType; readonly targets: readonly string[] },
  documents: DocumentSet,
): Promise<void> {
  if (targets.length === 0) return;
  const rows = await write.rows(write.sql.versionsOf(write.type(attribute.target).table), listOf(targets));
  const held = rows.map(([id]) => id);
  documents.add(type.table, await holdingDocuments(write, attribute, type.table, held));
}

async function holdingDocuments(
  write: WriteSession,
  { link }: RelationAttribute,
  table: string,
  held: readonly number[],
): Promise<string[]> {
  const rows = await write.rows(write.sql.linkedDocuments(reversed(link), table), listOf(held));
  return rows.map(([id]) => id);
}

/** Documents whose one-way lists lead here: they gain or lose an entry when this one is published or deleted. */
async function addHolders(
  write: WriteSession,
  type: ContentType,
  own: readonly number[],
  documents: DocumentSet,
): Promise<void> {
  for (const [schema, attribute] of oneWayTo(write.model, type.uid)) {
    if (schema.kind === 'component') continue;
    documents.add(schema.table, await holdingDocuments(write, attribute, schema.table, own));
    const recorded = write.sql.recordedHolders(schema.table);
    const rows = await write.rows(recorded, listName(attribute.link), listOf(own));
    documents.add(
      schema.table,
      rows.map(([id]) => id),
    );
  }
}

/** Two writers of one key wait for each other: of a value that must be unique, or of the one entry of a single type. */
export async function lockKeys(write: WriteSession, keys: readonly string[]): Promise<void> {
  if (!write.sql.needsLocks) return;
  for (const key of new Set([...keys].sort())) await write.rows(write.sql.lockKey(), key);
}
