// Locks and reads the documents that a write concerns: the document itself, those it refers to, and those whose own
// list changes with it. Locks are taken table by table, row by row, always in the same order, so that two writes that
// meet wait for each other instead of failing. Where writers take turns, it only reads.
import { RESTART } from '../db/database.ts';
import type { AffectedPlan, LookUp, TableDocuments } from '../plan/write/affected-documents.ts';
import { unknownLocale } from '../request/parse-write.ts';
import { type AffectedDocuments, type Found, namedOf, readAffected, valuesOf } from './affected-rows.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** Another write changed what this one is about, so it has to begin again. */
export class RestartTransaction extends Error {
  readonly code = RESTART;
}

export async function lockDocuments(write: WriteSession, affected: AffectedPlan): Promise<AffectedDocuments> {
  const { needsLocks } = write.sql;
  const lookUps = needsLocks ? affected.lookUps : affected.lookUps.filter(isKept);
  // What is read before it is locked may be out of date, so it is read after. Both are sent together.
  const [locked, { documents, found }] = await Promise.all([
    needsLocks ? lockAll(write, affected) : affected.locked,
    readAffected(write, { ...affected, lookUps }),
  ]);
  // What a write is about may have grown while it waited: a link was added, or a target found another owner. To lock
  // that now would be out of order; so the write begins again, and finds it in its place.
  const isLocked = ([table, id]: Found[number]): boolean =>
    locked.some((one) => one.table === table && one.documentIds.includes(id));
  if (needsLocks && !found.every(isLocked)) throw new RestartTransaction();
  if (!documents.knowsLocale && !(await write.admitLocale(affected.locale!))) throw unknownLocale();
  return documents;
}

/** Whether more is made of what is found than a lock. */
const isKept = ({ part }: LookUp): boolean => part.find === 'owners' || part.find === 'list';

/** Locks what the plan names, and what links lead to. Returns all of it. */
async function lockAll(write: WriteSession, plan: AffectedPlan): Promise<readonly TableDocuments[]> {
  const { locked, held, removed, appearing, lookUps } = plan;
  const leading = lookUps.filter(({ part }) => part.find !== 'list');
  const names = new Set([...locked, ...leading].map(({ table }) => table));
  if (names.size + held.length === 0) return locked;
  const tables = [...names].sort().map((table) => {
    const named = locked.find((one) => one.table === table) ?? { table, documentIds: [], rowIds: [] };
    return { ...named, ways: leading.filter((lookUp) => lookUp.table === table) };
  });
  const statement = write.affected.lock(
    tables.map((one) => ({ ...namedOf(one), parts: one.ways.map(({ part }) => part) })),
    held.map(namedOf),
    removed.map(namedOf),
    appearing.map(namedOf),
  );
  const values = [
    ...tables.flatMap((one) => [...valuesOf(one), ...one.ways.flatMap((way) => way.values)]),
    ...[...held, ...removed, ...appearing].flatMap(valuesOf),
  ];
  const found = Map.groupBy(await write.run.rows(statement, ...values), ([index]) => index);
  return tables.map(({ table, documentIds, rowIds }, index) => {
    const ids = new Set([...documentIds, ...(found.get(index) ?? []).map(([, documentId]) => documentId)]);
    return { table, documentIds: [...ids], rowIds };
  });
}

/** Two writers of one key wait for each other: of a value that must be unique, or of the one entry of a single type. */
export async function lockKeys(write: WriteSession, keys: readonly string[]): Promise<void> {
  if (!write.sql.needsLocks) return;
  if (keys.length > 0) await write.run.rows(write.sql.lockKeys(), listOf(new Set([...keys].sort())));
}
