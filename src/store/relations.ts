// Relations of one row: finds what is referred to, works out the new list, and writes it, taking targets from other
// rows where the relation allows them one owner only.

import type { MediaAttribute, MorphAttribute, RelationAttribute } from '../model/types.ts';
import type { RelationChange } from '../plan/write/changes.ts';
import { applyChange, applySet, type Position, RelationOrderError } from '../plan/write/relation-order.ts';
import { type BodyPath, bodyValueError, type RelationInput } from '../request/parse-relation.ts';
import type { LinkSide } from '../sql/write-statements.ts';
import { readPairs, takeFromOthers, writePairs } from './link-table.ts';
import { type PlacedReference, type Referrer, resolveReferences } from './references.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** The row whose relations are written. */
export interface OwnerRow extends Referrer {
  readonly id: number;
  readonly table: string;
}

const PROBLEMS: Readonly<Record<RelationOrderError['problem'], string>> = {
  'connected twice': 'every entry at most once in connect',
  'relative to itself': 'another entry than the connected one in position',
  'relative to each other': 'no circle of positions in connect',
  'anchor is not connected': 'an entry in position that is connected, or options.strict false',
};

export async function writeRelation(write: WriteSession, owner: OwnerRow, change: RelationChange): Promise<void> {
  const { attribute, input, path } = change;
  if (input.mode === 'keep') return;
  if (attribute.kind === 'morph') return writeMorph(write, owner, attribute, input, path);
  if (attribute.kind === 'relation' && attribute.storage === 'column')
    return writeColumn(write, owner, attribute, input, path);
  const current = await readPairs(write, attribute.pairs, owner.id);
  const list = current.map(({ to }) => to);
  const desired = await newList(write, owner, attribute, input, path, list);
  const { added } = await writePairs(write, attribute.pairs, owner.id, current, desired);
  if (attribute.kind !== 'relation') return;
  const taken = attribute.exclusive
    ? await takeFromOthers(write, attribute.pairs, owner.id, added, (holders) => sameWorld(write, owner, holders))
    : [];
  await recordVisibleLinks(write, owner, attribute, desired, taken);
}

async function newList(
  write: WriteSession,
  owner: Referrer,
  attribute: RelationAttribute | MediaAttribute,
  input: Exclude<RelationInput, { mode: 'keep' }>,
  path: BodyPath,
  list: readonly number[],
): Promise<number[]> {
  const target = write.type(attribute.target);
  const resolve = (references: readonly PlacedReference[]) => resolveReferences(write, target, references, owner);
  if (input.mode === 'set') {
    const found = await resolve(
      input.references.map((reference, index) => ({ reference, path: [...input.path, index] })),
    );
    return attribute.many ? applySet(found) : [...(found.at(-1) ?? [])];
  }
  const connected = await resolve(
    input.connect.map(({ reference }, index) => ({ reference, path: [...path, 'connect', index] })),
  );
  const anchors = await resolve(
    input.connect.flatMap(({ position }, index) =>
      'anchor' in position ? [{ reference: position.anchor, path: [...path, 'connect', index, 'position'] }] : [],
    ),
  );
  const disconnected = await resolve(
    input.disconnect.map((reference, index) => ({ reference, path: [...path, 'disconnect', index] })),
  );
  const connect = input.connect.map(({ position }, index) => ({
    ids: connected[index]!,
    position: 'anchor' in position ? ({ at: position.at, anchor: anchors.shift()! } as Position) : position,
  }));
  try {
    if (attribute.many) return applyChange(list, { connect, disconnect: disconnected.flat(), strict: input.strict });
    // To-one: positions mean nothing, and only the last reference counts; a repeated one is refused all the same.
    const ends = connect.map(({ ids }) => ({ ids, position: { at: 'end' } as const }));
    const all = applyChange(list, { connect: ends, disconnect: disconnected.flat(), strict: input.strict });
    const last = connected.at(-1);
    return last ? [...last] : all;
  } catch (error) {
    if (!(error instanceof RelationOrderError)) throw error;
    throw bodyValueError([...path, 'connect', error.index], PROBLEMS[error.problem]);
  }
}

/** Rows of other documents in the same status as the owner: the ones that can lose a target to it. */
export async function sameWorld(
  write: WriteSession,
  owner: OwnerRow,
  holders: readonly number[],
): Promise<ReadonlySet<number>> {
  if (!owner.draftAndPublish && !owner.localized) return new Set(holders);
  const rows = await write.rows(write.sql.versionsByRow(owner.table), listOf([owner.id, ...holders]));
  const mine = rows.find((row) => row[0] === owner.id);
  const others = rows.filter((row) => row[1] !== mine?.[1] && (!owner.draftAndPublish || row[3] === mine?.[3]));
  return new Set(others.map((row) => row[0] as number));
}

/**
 * A row without drafts can be linked with published rows directly. Where the relation shows on both sides, the other
 * side's next publication must not take that link for one of its own that was removed; so it is put on record.
 */
async function recordVisibleLinks(
  write: WriteSession,
  owner: OwnerRow,
  attribute: RelationAttribute,
  desired: readonly number[],
  taken: readonly (readonly [number, number])[],
): Promise<void> {
  const target = write.type(attribute.target);
  if (owner.draftAndPublish || !target.draftAndPublish) return;
  const { table } = attribute.pairs;
  const side: LinkSide = attribute.owning ? 'owner' : 'target';
  const drafts = await draftsOf(write, target.table, [...desired, ...taken.map(([, id]) => id)]);
  const places = desired.flatMap((id, index): [number, number][] =>
    drafts.has(id) ? [[drafts.get(id)!, index + 1]] : [],
  );
  const kept = new Set(places.map(([id]) => id));
  const recorded = await write.rows(write.sql.recordedLinks(side), table, owner.id);
  const gone = recorded.filter((row) => row[1] !== null && !kept.has(row[0] as number)).map((row) => row[0] as number);
  if (gone.length > 0)
    for (const statement of write.sql.unrecordLinks(side)) await write.rows(statement, table, owner.id, listOf(gone));
  if (places.length > 0) await write.rows(write.sql.recordLinks(side), table, owner.id, JSON.stringify(places));
  const published = await publishedOf(
    write,
    target.table,
    taken.map(([, id]) => id),
  );
  for (const [former, id] of taken) {
    // A draft that is taken alone leaves the published row where it is.
    if (!drafts.has(id) && published.has(id)) continue;
    const [own, other] = attribute.owning ? [former, drafts.get(id) ?? id] : [drafts.get(id) ?? id, former];
    await write.rows(write.sql.dropRecord(), table, own, other);
  }
}

/** For each published row among the given, the draft of the same document and locale. */
export async function draftsOf(
  write: WriteSession,
  table: string,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const found = ids.length > 0 ? await write.rows(write.sql.siblings(table), listOf(ids)) : [];
  return new Map(found.filter((row) => row[2] === 0).map((row) => [row[0] as number, row[1] as number]));
}

/** For each draft row among the given, the published row of the same document and locale, where there is one. */
export async function publishedOf(
  write: WriteSession,
  table: string,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const found = ids.length > 0 ? await write.rows(write.sql.siblings(table), listOf(ids)) : [];
  return new Map(found.filter((row) => row[2] === 1).map((row) => [row[0] as number, row[1] as number]));
}

/** A relation kept in a foreign key: on this row's table, or on the target's. */
async function writeColumn(
  write: WriteSession,
  owner: OwnerRow,
  attribute: RelationAttribute,
  input: Exclude<RelationInput, { mode: 'keep' }>,
  path: BodyPath,
): Promise<void> {
  const { pairs } = attribute;
  const current = (await readPairs(write, pairs, owner.id)).filter(({ to }) => to !== null);
  const desired = await newList(
    write,
    owner,
    attribute,
    input,
    path,
    current.map(({ to }) => to),
  );
  if (attribute.owning) {
    const target = desired.at(-1) ?? null;
    if (attribute.exclusive && target !== null)
      await write.rows(write.sql.setColumn(pairs.table, pairs.to, pairs.to), null, listOf([target]));
    await write.rows(write.sql.setColumn(pairs.table, pairs.to, 'id'), target, listOf([owner.id]));
    return;
  }
  const removed = current.map(({ to }) => to).filter((to) => !desired.includes(to));
  await write.rows(write.sql.setColumn(pairs.table, pairs.from, 'id'), null, listOf(removed));
  await write.rows(write.sql.setColumn(pairs.table, pairs.from, 'id'), owner.id, listOf(desired));
}

/** A list of entries of several types: one order over all of them. */
async function writeMorph(
  write: WriteSession,
  owner: OwnerRow,
  attribute: MorphAttribute,
  input: Exclude<RelationInput, { mode: 'keep' }>,
  path: BodyPath,
): Promise<void> {
  // The pure order knows numbers only, so each entry of each type gets one for the time of this write.
  const numbers = new Map<string, number>();
  const entries: { target: MorphAttribute['targets'][number]; id: number }[] = [];
  const numberOf = (target: MorphAttribute['targets'][number], id: number): number => {
    const key = `${target.uid} ${id}`;
    if (!numbers.has(key)) numbers.set(key, entries.push({ target, id }) - 1);
    return numbers.get(key)!;
  };
  const pairsOfNumber = new Map<number, { pair: number; place: number | null }>();
  for (const target of attribute.targets)
    for (const { id, to, place } of await readPairs(write, target.pairs, owner.id))
      pairsOfNumber.set(numberOf(target, to), { pair: id, place });
  const current = [...pairsOfNumber.keys()].sort(
    (a, b) => (pairsOfNumber.get(a)!.place ?? 0) - (pairsOfNumber.get(b)!.place ?? 0),
  );
  const resolve = async (placed: PlacedReference): Promise<number[]> => {
    const target = attribute.targets.find(({ uid }) => uid === placed.reference.type)!;
    const [ids] = await resolveReferences(write, write.type(target.uid), [placed], owner);
    return ids!.map((id) => numberOf(target, id));
  };
  let desired: number[];
  if (input.mode === 'set') {
    const found: number[][] = [];
    for (const [index, reference] of input.references.entries())
      found.push(await resolve({ reference, path: [...input.path, index] }));
    desired = applySet(found);
  } else {
    const connect = [];
    for (const [index, { reference, position }] of input.connect.entries()) {
      const here = [...path, 'connect', index];
      connect.push({
        ids: await resolve({ reference, path: here }),
        position: ('anchor' in position
          ? { at: position.at, anchor: await resolve({ reference: position.anchor, path: [...here, 'position'] }) }
          : position) as Position,
      });
    }
    const disconnect: number[] = [];
    for (const [index, reference] of input.disconnect.entries())
      disconnect.push(...(await resolve({ reference, path: [...path, 'disconnect', index] })));
    try {
      desired = applyChange(current, { connect, disconnect, strict: input.strict });
    } catch (error) {
      if (!(error instanceof RelationOrderError)) throw error;
      throw bodyValueError([...path, 'connect', error.index], PROBLEMS[error.problem]);
    }
  }
  const { table } = attribute.targets[0]!.pairs;
  const wanted = new Set(desired);
  const surplus = [...pairsOfNumber].filter(([number]) => !wanted.has(number)).map(([, { pair }]) => pair);
  if (surplus.length > 0) await write.rows(write.sql.deleteRows(table), listOf(surplus));
  for (const [index, number] of desired.entries()) {
    const { target, id } = entries[number]!;
    const pair = pairsOfNumber.get(number);
    if (!pair) await write.rows(write.sql.insertPairs(target.pairs), owner.id, JSON.stringify([[id, index + 1]]));
    else if (pair.place !== index + 1)
      await write.rows(write.sql.setPlaces(table, target.pairs.order!), JSON.stringify([[pair.pair, index + 1]]));
  }
}
