// Locks for databases where writers meet. Everything that a write may touch is locked before it is read for good:
// the document itself, the documents it is or will be linked with, and the ones that may lose a link to it; table by
// table, row by row, always in the same order, so that two writes that meet wait for each other instead of dying.

import { RESTART, type Row } from '../db/database.ts';
import { linkAttributes, oneWayTo } from '../model/links.ts';
import type { ContentType, RelationAttribute } from '../model/types.ts';
import type { EntityChange } from '../plan/write/changes.ts';
import type { Reference } from '../request/parse-relation.ts';
import { listOf, versionOf, type WriteSession } from './write-session.ts';

type Documents = Map<string, Set<string>>;

function add(documents: Documents, table: string, ids: Iterable<string>): void {
  let set = documents.get(table);
  if (!set) {
    set = new Set();
    documents.set(table, set);
  }
  for (const id of ids) set.add(id);
}

/** `change`: what is about to be written, null where the document goes altogether. */
export async function lockAround(
  write: WriteSession,
  type: ContentType,
  documentId: string | null,
  change: EntityChange | null,
  publishes: boolean,
): Promise<void> {
  if (!write.locks) return;
  const documents = await documentsAround(write, type, documentId, change, publishes);
  for (const [table, ids] of [...documents].sort(([a], [b]) => (a < b ? -1 : 1)))
    if (ids.size > 0) await write.rows(write.sql.lockDocuments(table), listOf(ids));
  // What a write is about may have grown while it waited: a link was added, or a target found another owner. To lock
  // that now would be out of order; so the write begins again, and finds it in its place.
  if (!mayGrow(type, documentId, change, publishes)) return;
  for (const [table, ids] of await documentsAround(write, type, documentId, change, publishes))
    for (const id of ids) if (!documents.get(table)?.has(id)) throw new Superseded();
}

/** Another write changed what this one is about, so it has to begin again. */
class Superseded extends Error {
  readonly code = RESTART;
}

/** Whether other writers can add to what this write must lock; the references of a body are what they are. */
function mayGrow(
  type: ContentType,
  documentId: string | null,
  change: EntityChange | null,
  publishes: boolean,
): boolean {
  if (documentId !== null && (!change || publishes || change.relations.length > 0)) return true;
  const written = publishes ? linkAttributes(type) : (change?.relations ?? []).map(({ attribute }) => attribute);
  return written.some((attribute) => attribute.kind === 'relation' && attribute.exclusive);
}

async function documentsAround(
  write: WriteSession,
  type: ContentType,
  documentId: string | null,
  change: EntityChange | null,
  publishes: boolean,
): Promise<Documents> {
  const documents: Documents = new Map();
  const rows =
    documentId === null
      ? []
      : (await write.rows(write.sql.versionsOf(type.table), listOf([documentId]))).map(versionOf);
  if (documentId !== null) add(documents, type.table, [documentId]);
  const changed = new Set(change?.relations.map(({ attribute }) => attribute.name));
  const own = rows.map(({ id }) => id);
  for (const attribute of linkAttributes(type)) {
    if (own.length === 0 || (change && !publishes && !changed.has(attribute.name))) continue;
    const target = write.type(attribute.target);
    const linked = firstColumn(await write.rows(write.sql.linkedDocuments(attribute.pairs, target.table), listOf(own)));
    if (publishes && type.draftAndPublish && target.draftAndPublish) {
      const side = attribute.owning ? 'owner' : 'target';
      const recorded = write.sql.recordedDocuments(side, target.table);
      linked.push(...firstColumn(await write.rows(recorded, attribute.pairs.table, listOf(own))));
    }
    add(documents, target.table, linked);
    if (publishes && attribute.exclusive) await addOwners(write, attribute, type.table, linked, documents);
  }
  if (change) await addReferences(write, type, change, documents);
  if ((!change || publishes) && own.length > 0) await addHolders(write, type, own, documents);
  return documents;
}

/** What the change refers to, and who may have to give it up. */
async function addReferences(
  write: WriteSession,
  type: ContentType,
  change: EntityChange,
  documents: Documents,
): Promise<void> {
  for (const { attribute, input } of change.relations) {
    if (attribute.kind !== 'relation' || input.mode === 'keep') continue;
    const target = write.type(attribute.target);
    const references: readonly Reference[] =
      input.mode === 'set'
        ? input.references
        : [...input.connect.map(({ reference }) => reference), ...input.disconnect];
    const named = references.flatMap(({ documentId }) => documentId ?? []);
    const rows = references.flatMap(({ id }) => id ?? []);
    if (rows.length > 0)
      named.push(
        ...(await write.rows(write.sql.versionsByRow(target.table), listOf(rows))).map((row) => row[1] as string),
      );
    add(documents, target.table, named);
    if (attribute.exclusive) await addOwners(write, attribute, type.table, named, documents);
  }
  for (const { items } of change.components)
    for (const item of items) await addReferences(write, type, item.entity, documents);
}

/** The documents that have targets to themselves, and may lose them. */
async function addOwners(
  write: WriteSession,
  attribute: RelationAttribute,
  table: string,
  targets: readonly string[],
  documents: Documents,
): Promise<void> {
  if (targets.length === 0) return;
  const rows = await write.rows(write.sql.versionsOf(write.type(attribute.target).table), listOf(targets));
  const held = rows.map((row) => row[0] as number);
  add(documents, table, await documentsThatHold(write, attribute, table, held));
}

const firstColumn = (rows: readonly Row[]): string[] => rows.map((row) => row[0] as string);

async function documentsThatHold(
  write: WriteSession,
  { pairs }: RelationAttribute,
  table: string,
  held: readonly number[],
): Promise<string[]> {
  const inverse = { ...pairs, from: pairs.to, to: pairs.from };
  return firstColumn(await write.rows(write.sql.linkedDocuments(inverse, table), listOf(held)));
}

/** Documents whose one-way lists lead here: they gain or lose an entry when this one is published or deleted. */
async function addHolders(
  write: WriteSession,
  type: ContentType,
  own: readonly number[],
  documents: Documents,
): Promise<void> {
  for (const [schema, attribute] of oneWayTo(write.model, type.uid)) {
    if (schema.kind === 'component') continue;
    add(documents, schema.table, await documentsThatHold(write, attribute, schema.table, own));
    const recorded = write.sql.recordedDocuments('target', schema.table);
    add(documents, schema.table, firstColumn(await write.rows(recorded, attribute.pairs.table, listOf(own))));
  }
}

/** Two writers of one key wait for each other: of a value that must be unique, or of the one entry of a single type. */
export async function lockKeys(write: WriteSession, keys: readonly string[]): Promise<void> {
  if (!write.locks) return;
  for (const key of [...keys].sort()) await write.rows(write.sql.lockKey(), key);
}
