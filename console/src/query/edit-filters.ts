// Changes of a tree of conditions. A place in it is the list of indexes that lead there. A condition that is moved out of
// a scope or into one says the same afterwards: its path is that from its new place.
import type { FilterDraft, Step } from './draft.ts';

export type Place = readonly number[];
export type Filters = readonly FilterDraft[];

/** What stands inside of a condition; null where nothing can. */
export function childrenOf(node: FilterDraft): Filters | null {
  switch (node.kind) {
    case 'group':
    case 'scope':
      return node.of;
    case 'count':
      return node.where;
    default:
      return null;
  }
}

export function withChildren(node: FilterDraft, of: Filters): FilterDraft {
  if (node.kind === 'count') return { ...node, where: of };
  return node.kind === 'group' || node.kind === 'scope' ? { ...node, of } : node;
}

export function nodeAt(filters: Filters, place: Place): FilterDraft | undefined {
  const [first, ...rest] = place;
  const node = first === undefined ? undefined : filters[first];
  return node === undefined || rest.length === 0 ? node : nodeAt(childrenOf(node) ?? [], rest);
}

/** Changes the list that `place` is in; its last index is that within the list. */
export function changeList(filters: Filters, place: Place, change: (list: Filters, index: number) => Filters): Filters {
  const [first, ...rest] = place;
  if (first === undefined) return filters;
  if (rest.length === 0) return change(filters, first);
  return filters.map((node, index) =>
    index === first ? withChildren(node, changeList(childrenOf(node) ?? [], rest, change)) : node,
  );
}

export const replaceAt = (filters: Filters, place: Place, node: FilterDraft): Filters =>
  changeList(filters, place, (list, index) => list.with(index, node));

export const removeAt = (filters: Filters, place: Place): Filters =>
  changeList(filters, place, (list, index) => list.toSpliced(index, 1));

export const insertAt = (filters: Filters, place: Place, node: FilterDraft): Filters =>
  changeList(filters, place, (list, index) => list.toSpliced(index, 0, node));

/** The names on the way to the entry that conditions in the list of `place` are about. */
function prefixOf(filters: Filters, place: Place): readonly Step[] {
  const [first, ...rest] = place;
  const node = first === undefined ? undefined : filters[first];
  if (node === undefined || rest.length === 0) return [];
  const own = node.kind === 'scope' || node.kind === 'count' ? node.path : [];
  return [...own, ...prefixOf(childrenOf(node) ?? [], rest)];
}

/** A condition as it reads after a path is put before, or taken away; null where it does not begin with that. */
function rebased(node: FilterDraft, from: readonly Step[], to: readonly Step[]): FilterDraft | null {
  if (from.length === 0 && to.length === 0) return node;
  if (node.kind === 'raw') return null;
  if (node.kind === 'group') {
    const of = node.of.map((one) => rebased(one, from, to));
    return of.every((one) => one !== null) ? { ...node, of } : null;
  }
  const whole = [...from, ...node.path];
  const begins = to.every(({ name, set }, index) => whole[index]?.name === name && whole[index]?.set === set);
  return begins && whole.length > to.length ? { ...node, path: whole.slice(to.length) } : null;
}

const isWithin = (place: Place, of: Place): boolean => of.every((index, depth) => place[depth] === index);

/** Moves a condition so that it stands at `to`, counted before the move; null where it cannot. */
export function moveTo(filters: Filters, from: Place, to: Place): Filters | null {
  const node = nodeAt(filters, from);
  if (!node || isWithin(to, from)) return null;
  const moved = rebased(node, prefixOf(filters, from), prefixOf(filters, to));
  if (!moved) return null;
  const depth = from.length - 1;
  // What is taken away before it moves the target up.
  const isAfter = to.length > depth && isWithin(to, from.slice(0, -1)) && to[depth]! > from[depth]!;
  const target = isAfter ? to.with(depth, to[depth]! - 1) : to;
  return insertAt(removeAt(filters, from), target, moved);
}

export const MOVES = ['up', 'down', 'into', 'out'] as const;
export type Move = (typeof MOVES)[number];

/** Where a condition stands after one step, counted before it; null where there is no such step. */
function targetOfMove(filters: Filters, place: Place, move: Move): Place | null {
  const list = place.slice(0, -1);
  const index = place.at(-1)!;
  const sibling = (at: number): FilterDraft | undefined => (at < 0 ? undefined : nodeAt(filters, [...list, at]));
  switch (move) {
    case 'up':
      return index > 0 ? [...list, index - 1] : null;
    case 'down':
      return sibling(index + 1) ? [...list, index + 2] : null;
    case 'out':
      return list.length > 0 ? list.with(-1, list.at(-1)! + 1) : null;
    case 'into': {
      const above = sibling(index - 1);
      const inside = above && childrenOf(above);
      if (inside) return [...list, index - 1, inside.length];
      const below = sibling(index + 1);
      return below && childrenOf(below) ? [...list, index + 1, 0] : null;
    }
  }
}

/** One step; null where it cannot be done. */
export function moveBy(filters: Filters, place: Place, move: Move): Filters | null {
  const target = targetOfMove(filters, place, move);
  return target && moveTo(filters, place, target);
}

/** The place of a condition after a step. */
export function placeAfter(filters: Filters, place: Place, move: Move): Place {
  const target = targetOfMove(filters, place, move);
  if (!target) return place;
  const depth = place.length - 1;
  const isAfter = target.length > depth && isWithin(target, place.slice(0, -1)) && target[depth]! > place[depth]!;
  return isAfter ? target.with(depth, target[depth]! - 1) : target;
}
