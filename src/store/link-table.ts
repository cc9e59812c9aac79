// Lists kept in tables of pairs. Places are dense, 1 to n, and written only where they changed; a target that gains
// or loses a pair has its own list closed up as well.
import type { Pairs } from '../model/types.ts';
import { listOf, type WriteSession } from './write-session.ts';

export interface Pair {
  readonly id: number;
  readonly to: number;
  readonly place: number | null;
}

export async function readPairs(write: WriteSession, pairs: Pairs, row: number): Promise<Pair[]> {
  const rows = await write.rows(write.sql.pairsFrom(pairs), row);
  return rows.map(([id, to, place]) => ({ id: id as number, to: to as number, place: place as number | null }));
}

export interface ListChange {
  readonly added: readonly number[];
  readonly removed: readonly number[];
}

/** Makes the list of a row the given one. */
export async function writePairs(
  write: WriteSession,
  pairs: Pairs,
  row: number,
  current: readonly Pair[],
  desired: readonly number[],
): Promise<ListChange> {
  const wanted = new Set(desired);
  const kept = new Map<number, Pair>();
  const surplus: Pair[] = [];
  for (const pair of current) {
    if (wanted.has(pair.to) && !kept.has(pair.to)) kept.set(pair.to, pair);
    else surplus.push(pair);
  }
  if (surplus.length > 0) await write.rows(write.sql.deleteRows(pairs.table), listOf(surplus.map(({ id }) => id)));
  const added: [number, number][] = [];
  const moved: [number, number][] = [];
  for (const [index, to] of desired.entries()) {
    const pair = kept.get(to);
    if (!pair) added.push([to, index + 1]);
    else if (pairs.order && pair.place !== index + 1) moved.push([pair.id, index + 1]);
  }
  if (moved.length > 0) await write.rows(write.sql.setPlaces(pairs.table, pairs.order!), JSON.stringify(moved));
  if (added.length > 0) await write.rows(write.sql.insertPairs(pairs), row, JSON.stringify(added));
  const removed = surplus.map(({ to }) => to).filter((to) => !wanted.has(to));
  await closeInverse(write, pairs, removed);
  return { added: added.map(([to]) => to), removed };
}

/** Closes the gaps that lost pairs left in the lists of their targets. */
async function closeInverse(write: WriteSession, pairs: Pairs, targets: readonly number[]): Promise<void> {
  if (targets.length > 0 && pairs.inverseOrder)
    await write.rows(write.sql.closeGaps(pairs.table, pairs.to, pairs.inverseOrder), listOf(targets));
}

/**
 * Takes targets away from other rows, which close up their lists. `mayTake` says which of the rows that hold one are
 * to lose it. Returns the pairs taken, as `[former row, target]`.
 */
export async function takeFromOthers(
  write: WriteSession,
  pairs: Pairs,
  row: number,
  targets: readonly number[],
  mayTake: (holders: readonly number[]) => Promise<ReadonlySet<number>>,
): Promise<[number, number][]> {
  if (targets.length === 0) return [];
  const held = await write.rows(write.sql.pairsTo(pairs), listOf(targets), row);
  if (held.length === 0) return [];
  const losers = await mayTake([...new Set(held.map((pair) => pair[1] as number))]);
  const taken = held.filter((pair) => losers.has(pair[1] as number));
  if (taken.length === 0) return [];
  await write.rows(write.sql.deleteRows(pairs.table), listOf(taken.map((pair) => pair[0] as number)));
  if (pairs.order)
    await write.rows(
      write.sql.closeGaps(pairs.table, pairs.from, pairs.order),
      listOf(new Set(taken.map((pair) => pair[1] as number))),
    );
  await closeInverse(
    write,
    pairs,
    taken.map((pair) => pair[2] as number),
  );
  return taken.map((pair) => [pair[1] as number, pair[2] as number]);
}
