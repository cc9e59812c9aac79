// A list of entries of several types, with one order over all of them.
import type { MorphAttribute } from '../model/types.ts';
import type { RelationOrder } from '../plan/write/changes.ts';
import { applyChange, applySet } from '../plan/write/relation-order.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import { readLinks } from './link-table.ts';
import { resolvePosition, withOrderProblems } from './list-operations.ts';
import type { LocatedReference, OwnerRow } from './references.ts';
import { hiddenRows } from './row-rights.ts';
import { listOf, type WriteSession } from './write-session.ts';

export interface MorphChange {
  readonly attribute: MorphAttribute;
  readonly input: RelationOrder;
  readonly path: BodyPath;
}

type Target = MorphAttribute['targets'][number];

/** The order of a list knows numbers only, so each entry of each type gets one for the time of the write. */
class EntryNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #entries: { readonly target: Target; readonly id: number }[] = [];

  of(target: Target, id: number): number {
    const key = `${target.uid} ${id}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#entries.push({ target, id }) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  entry(number: number): { readonly target: Target; readonly id: number } {
    return this.#entries[number]!;
  }
}

interface StoredEntry {
  readonly link: number;
  readonly position: number | null;
}

export async function writeMorphList(write: WriteSession, owner: OwnerRow, change: MorphChange): Promise<void> {
  const numbers = new EntryNumbers();
  const stored = new Map<number, StoredEntry>();
  const hidden = new Set<number>();
  for (const target of change.attribute.targets) {
    const links = await readLinks(write, target.link, owner.id);
    const unseen = await hiddenRows(
      write,
      write.type(target.uid),
      links.map((link) => link.target),
    );
    for (const { id, target: row, position } of links) {
      stored.set(numbers.of(target, row), { link: id, position });
      if (unseen.has(row)) hidden.add(numbers.of(target, row));
    }
  }
  const list = [...stored.keys()].sort((a, b) => (stored.get(a)!.position ?? 0) - (stored.get(b)!.position ?? 0));
  const desired = newMorphList(write, owner, change, { numbers, list, hidden });
  await storeMorphList(write, owner.id, change.attribute, { numbers, stored, desired });
}

function newMorphList(
  write: WriteSession,
  owner: OwnerRow,
  { attribute, input, path }: MorphChange,
  {
    numbers,
    list,
    hidden,
  }: { readonly numbers: EntryNumbers; readonly list: readonly number[]; readonly hidden: ReadonlySet<number> },
): number[] {
  const resolve = (located: LocatedReference): number[] => {
    const target = attribute.targets.find(({ uid }) => uid === located.reference.type)!;
    const [ids] = owner.references.resolve(write.type(target.uid), [located], owner);
    return ids!.map((id) => numbers.of(target, id));
  };
  if (input.mode === 'set') {
    const found = input.references.map((reference, index) => resolve({ reference, path: [...input.path, index] }));
    return applySet(list, found, hidden);
  }
  const connect = input.connect.map(({ reference, position }, index) => {
    const here = [...path, 'connect', index];
    return {
      ids: resolve({ reference, path: here }),
      position: resolvePosition(position, (anchor) => resolve({ reference: anchor, path: [...here, 'position'] })),
    };
  });
  const disconnect = input.disconnect.flatMap((reference, index) =>
    resolve({ reference, path: [...path, 'disconnect', index] }),
  );
  return withOrderProblems(path, () => applyChange(list, { connect, disconnect, strict: input.strict }));
}

async function storeMorphList(
  write: WriteSession,
  row: number,
  { targets }: MorphAttribute,
  {
    numbers,
    stored,
    desired,
  }: {
    readonly numbers: EntryNumbers;
    readonly stored: ReadonlyMap<number, StoredEntry>;
    readonly desired: readonly number[];
  },
): Promise<void> {
  const { table } = targets[0]!.link;
  const wanted = new Set(desired);
  const surplus = [...stored].filter(([number]) => !wanted.has(number)).map(([, { link }]) => link);
  if (surplus.length > 0) await write.rows(write.sql.deleteRows(table), listOf(surplus));
  for (const [index, number] of desired.entries()) {
    const { target, id } = numbers.entry(number);
    const entry = stored.get(number);
    if (!entry) await write.rows(write.sql.insertLinks(target.link), row, JSON.stringify([[id, index + 1]]));
    else if (entry.position !== index + 1)
      await write.rows(write.sql.setPositions(table, target.link.order!), JSON.stringify([[entry.link, index + 1]]));
  }
}
