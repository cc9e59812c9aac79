// Which rows of a list of components stand for those of another list, when one is copied to the other: rows that do are
// changed in place and keep their ids.
import { COMPONENT_COPIES } from '../model/tables.ts';
import type { ComponentSchema } from '../model/types.ts';
import type { ItemRef } from './gathered.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** A component row, and what its copy on record is: that of a draft is published, that of a published row is a draft. */
export interface RecordedCopy {
  readonly id: number;
  readonly to: 'published' | 'draft';
}

/** The rows that earlier publications made of rows of a component, or made these from; by the ids of these. */
export async function recordedCounterparts(
  write: WriteSession,
  { table }: ComponentSchema,
  copied: readonly RecordedCopy[],
): Promise<ReadonlyMap<number, number>> {
  const counterparts = new Map<number, number>();
  const [first] = copied;
  if (!first) return counterparts;
  // All of them are copied the same way.
  const isDraft = first.to === 'published';
  const ids = copied.map(({ id }) => id);
  const rows = await write.run.rows(write.publications.copiesOf(isDraft ? 'draft' : 'published'), table, listOf(ids));
  for (const [draft, published] of rows) {
    const [id, counterpart] = isDraft ? [draft, published] : [published, draft];
    // Of several, as a race may leave them, the first is the one.
    if (!counterparts.has(id)) counterparts.set(id, counterpart);
  }
  return counterparts;
}

/**
 * An adopted database has no record of counterparts. There the row at the same position is taken, where it is of the same
 * kind and no copy of another, and put on record.
 */
export async function adoptedCounterpart(
  write: WriteSession,
  component: ComponentSchema,
  { id, to, atSamePosition }: RecordedCopy & { readonly atSamePosition: ItemRef | undefined },
): Promise<number | null> {
  if (atSamePosition?.uid !== component.uid) return null;
  const isDraft = to === 'published';
  const [taken] = await write.run.rows(
    write.publications.copiesOf(isDraft ? 'published' : 'draft'),
    component.table,
    listOf([atSamePosition.id]),
  );
  if (taken) return null;
  const [draft, published] = isDraft ? [id, atSamePosition.id] : [atSamePosition.id, id];
  await write.run.change(
    COMPONENT_COPIES,
    write.publications.recordCopies(),
    JSON.stringify([[component.table, draft, published]]),
  );
  return atSamePosition.id;
}

/** A copy to put on record, of a row of a component. */
export interface MadeCopy extends RecordedCopy {
  readonly component: ComponentSchema;
  readonly made: number;
}

/** Puts on record that rows are the copies of others, and of no others any more. */
export async function recordCounterparts(write: WriteSession, copies: readonly MadeCopy[]): Promise<void> {
  const [first] = copies;
  if (!first) return;
  // All of them are copied the same way.
  const isDraft = first.to === 'published';
  const drop = write.publications.dropCopies(isDraft ? 'draft' : 'published');
  const pairs: [table: string, draft: number, published: number][] = [];
  for (const [{ table }, ofKind] of Map.groupBy(copies, ({ component }) => component)) {
    // Of a row that is copied twice, the last copy is the one.
    const byRow = new Map(ofKind.map(({ id, made }) => [id, made]));
    await write.run.change(COMPONENT_COPIES, drop, table, listOf(byRow.keys()));
    for (const [id, made] of byRow) pairs.push(isDraft ? [table, id, made] : [table, made, id]);
  }
  await write.run.change(COMPONENT_COPIES, write.publications.recordCopies(), JSON.stringify(pairs));
}

const indexIn = (items: readonly ItemRef[], { id, uid }: ItemRef): number =>
  items.findIndex((item) => item.id === id && item.uid === uid);

/** Whether a row is in a list. */
export const isAmong = (items: readonly ItemRef[], item: ItemRef): boolean => indexIn(items, item) >= 0;

/**
 * For each row of a list, the one that stands for it in the same list of another locale, or null. The two lists were
 * alike `before` the first was changed: what is still there keeps its row. Anything else takes the one in its place, if
 * that is free and of the same kind.
 */
export function pairLocales(
  list: readonly ItemRef[],
  before: readonly ItemRef[],
  other: readonly ItemRef[],
): readonly (number | null)[] {
  const taken = new Set<ItemRef>();
  const take = (item: ItemRef, candidate: ItemRef | undefined): number | null => {
    if (candidate?.uid !== item.uid || taken.has(candidate)) return null;
    taken.add(candidate);
    return candidate.id;
  };
  const kept = list.map((item) => take(item, other[indexIn(before, item)]));
  return list.map((item, index) => kept[index] ?? take(item, other[index]));
}
