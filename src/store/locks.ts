// Locks and reads the documents that a write concerns: the document itself, those it refers to, and those whose own
// list changes with it. Locks are taken table by table, row by row, always in the same order, so that two writes that
// meet wait for each other instead of failing. Where writers take turns, it only reads.
import { RESTART } from '../db/database.ts';
import type { AffectedPlan, LookUp, TableDocuments } from '../plan/write/affected-documents.ts';
import { type AffectedDocuments, type Found, namedOf, readAffected, valuesOf } from './affected-rows.ts';
import type { WriteSession } from './write-session.ts';

/** Another write changed what this one is about, so it has to begin again. */
class RestartTransaction extends Error {
  readonly code = RESTART;
}

export async function lockDocuments(write: WriteSession, affected: AffectedPlan): Promise<AffectedDocuments> {
  const { needsLocks } = write.sql;
  const locked = needsLocks ? await lockAll(write, affected) : affected.locked;
  const lookUps = needsLocks ? affected.lookUps : affected.lookUps.filter(isKept);
  // What is read before it is locked may be out of date, so it is read after.
  const { documents, found } = await readAffected(write, { ...affected, locked, lookUps });
  // What a write is about may have grown while it waited: a link was added, or a target found another owner. To lock
  // that now would be out of order; so the write begins again, and finds it in its place.
  const isLocked = ([table, id]: Found[number]): boolean =>
    locked.some((one) => one.table === table && one.documentIds.includes(id));
  if (needsLocks && !found.every(isLocked)) throw new RestartTransaction();
  return documents;
}

/** Whether more is made of what is found than a lock. */
const isKept = ({ part }: LookUp): boolean => part.find === 'owners' || part.find === 'list';

/** Locks what the plan names, and what links lead to. */
async function lockAll(write: WriteSession, { locked, lookUps }: AffectedPlan): Promise<readonly TableDocuments[]> {
  const tables = withFound(locked, await findLinked(write, lookUps));
  if (tables.length > 0) await write.run.rows(write.affected.lock(tables.map(namedOf)), ...tables.flatMap(valuesOf));
  return tables;
}

/** The documents that links lead to, and that have to be locked. */
async function findLinked(write: WriteSession, lookUps: readonly LookUp[]): Promise<Found> {
  const parts = lookUps.filter(({ part }) => part.find !== 'list');
  if (parts.length === 0) return [];
  const statement = write.affected.read(
    [],
    parts.map(({ part }) => part),
  );
  const rows = await write.run.rows(statement, ...parts.flatMap(({ values }) => values));
  return rows.map(([part, , documentId]) => [parts[part]!.table, documentId]);
}

/** The same documents with those that links led to, in the order of locking. */
function withFound(tables: readonly TableDocuments[], found: Found): readonly TableDocuments[] {
  if (found.length === 0) return tables;
  const byTable = new Map(tables.map((documents) => [documents.table, documents]));
  for (const [table, group] of Map.groupBy(found, ([name]) => name)) {
    const { documentIds = [], rowIds = [] } = byTable.get(table) ?? {};
    const ids = new Set([...documentIds, ...group.map(([, documentId]) => documentId)]);
    byTable.set(table, { table, documentIds: [...ids], rowIds });
  }
  return [...byTable.values()].sort((a, b) => (a.table < b.table ? -1 : 1));
}

/** Two writers of one key wait for each other: of a value that must be unique, or of the one entry of a single type. */
export async function lockKeys(write: WriteSession, keys: readonly string[]): Promise<void> {
  if (!write.sql.needsLocks) return;
  for (const key of new Set([...keys].sort())) await write.run.rows(write.sql.lockKey(), key);
}
