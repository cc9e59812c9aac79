// A list of entries of several types, with one order over all of them.
import type { MorphAttribute } from '../model/types.ts';
import type { RelationOrder } from '../plan/write/changes.ts';
import { applyChange, applySet } from '../plan/write/relation-order.ts';
import type { BodyPath } from '../request/parse-relation.ts';
import { readLinks } from './link-table.ts';
import { resolvePosition, withOrderProblems } from './list-operations.ts';
import type { LocatedReference, OwnerRow } from './references.ts';
import { hiddenRows, rulesAllowUpdate, takesFromOthers } from './row-rights.ts';
import { listOf, type WriteSession } from './write-session.ts';

export interface MorphChange {
  readonly attribute: MorphAttribute;
  readonly input: RelationOrder;
  readonly path: BodyPath;
}

type Target = MorphAttribute['targets'][number];

interface Entry {
  readonly target: Target;
  readonly id: number;
}

/** The order of a list knows numbers only, so each entry of each type gets one for the time of the write. */
class EntryNumbers {
  readonly #numbers = new Map<string, number>();
  readonly #entries: Entry[] = [];

  of(target: Target, id: number): number {
    const key = `${target.uid} ${id}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#entries.push({ target, id }) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  entry(number: number): Entry {
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
    const links = owner.isNew ? [] : await readLinks(write, target.link, owner.id);
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
  const gone = list.filter((number) => !desired.includes(number)).map((number) => numbers.entry(number));
  if (!(await mayRemove(write, owner, change.attribute, gone))) throw takesFromOthers(change.path);
  await storeMorphList(write, owner.id, change.attribute, { numbers, stored, desired });
}

/** Whether no rule keeps the caller from updating an entry that shows the link and would lose it. */
async function mayRemove(
  write: WriteSession,
  { schema }: OwnerRow,
  { name }: MorphAttribute,
  gone: readonly Entry[],
): Promise<boolean> {
  for (const [{ uid }, entries] of Map.groupBy(gone, ({ target }) => target)) {
    const type = write.type(uid);
    const isShown = [...type.attributes.values()].some(
      (attribute) => attribute.kind === 'relation' && attribute.target === schema.uid && attribute.inverse === name,
    );
    const ids = entries.map(({ id }) => id);
    if (isShown && !(await rulesAllowUpdate(write, type, ids))) return false;
  }
  return true;
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
  if (surplus.length > 0) await write.change(table, write.sql.deleteRows(table), listOf(surplus));
  for (const [index, number] of desired.entries()) {
    const { target, id } = numbers.entry(number);
    const entry = stored.get(number);
    if (!entry) await write.change(table, write.sql.insertLinks(target.link), row, JSON.stringify([[id, index + 1]]));
    else if (entry.position !== index + 1)
      await write.change(
        table,
        write.sql.setPositions(table, target.link.order!),
        JSON.stringify([[entry.link, index + 1]]),
      );
  }
}
