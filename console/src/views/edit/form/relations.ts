// Changes of the list of a relation, and the `connect` and `disconnect` that make them: no link is named that stays
// where it is.
import { type Related, type RelationValue, relatedKey } from './values.ts';

type Position =
  | { readonly start: true }
  | { readonly end: true }
  | { readonly after: string; readonly locale?: string; readonly __type?: string };

export interface Reference {
  readonly documentId: string;
  readonly locale?: string;
  readonly __type?: string;
}
export interface RelationBody {
  readonly connect?: readonly (Reference & { readonly position?: Position })[];
  readonly disconnect?: readonly Reference[];
}

const referenceOf = ({ documentId, locale, type }: Related): Reference => ({
  documentId,
  ...(locale !== undefined && { locale }),
  ...(type !== undefined && { __type: type }),
});

/** Behind another: a position is in the locale of the entry that it places unless it says otherwise. */
const after = (neighbour: Related): Position => ({
  after: neighbour.documentId,
  ...(neighbour.locale !== undefined && { locale: neighbour.locale }),
  ...(neighbour.type !== undefined && { __type: neighbour.type }),
});

/** Null where nothing changed. */
export function relationBody(before: RelationValue, now: RelationValue, toMany: boolean): RelationBody | null {
  const keysNow = new Set([...now.head, ...now.tail].map(relatedKey));
  const disconnect = before.head.filter((related) => !keysNow.has(relatedKey(related))).map(referenceOf);
  const connect = toMany ? connectMany(before, now) : connectOne(before, now);
  if (connect.length === 0 && disconnect.length === 0) return null;
  // To connect the one that a relation leads to replaces the one before.
  const isReplaced = !toMany && connect.length > 0;
  return { ...(connect.length > 0 && { connect }), ...(disconnect.length > 0 && !isReplaced && { disconnect }) };
}

const connectOne = (before: RelationValue, now: RelationValue): Reference[] =>
  now.head
    .filter((related) => !before.head.some((other) => relatedKey(other) === relatedKey(related)))
    .map(referenceOf);

function connectMany(before: RelationValue, now: RelationValue): (Reference & { position?: Position })[] {
  const indexBefore = new Map(before.head.map((related, index) => [relatedKey(related), index]));
  const stays = longestRising(now.head.map((related) => indexBefore.get(relatedKey(related)) ?? null));
  // From here on everything is placed, and nothing stays behind it.
  const endsFrom = now.unread > 0 ? now.head.length : stays.lastIndexOf(true) + 1;
  /** What is connected anew goes to the end by itself. */
  const atEnd = (related: Related): { position?: Position } =>
    indexBefore.has(relatedKey(related)) ? { position: { end: true } } : {};
  const inFront = (index: number): { position: Position } => ({
    position: index === 0 ? { start: true } : after(now.head[index - 1]!),
  });
  const placed = now.head.flatMap((related, index) =>
    stays[index] ? [] : [{ ...referenceOf(related), ...(index < endsFrom ? inFront(index) : atEnd(related)) }],
  );
  return [...placed, ...now.tail.map((related) => ({ ...referenceOf(related), ...atEnd(related) }))];
}

/** Which of the numbers belong to a longest subsequence that rises; null never does. */
export function longestRising(numbers: readonly (number | null)[]): boolean[] {
  /** Index of the smallest number that ends a rising subsequence of each length. */
  const ends: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [index, number] of numbers.entries()) {
    if (number === null) continue;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]!]! < number) low = middle + 1;
      else high = middle;
    }
    previous[index] = ends[low - 1];
    ends[low] = index;
  }
  const result = numbers.map(() => false);
  for (let index = ends.at(-1); index !== undefined; index = previous[index]) result[index] = true;
  return result;
}

/** With entries added at the end. One that is there moves nowhere. */
export function withAdded(value: RelationValue, related: Related): RelationValue {
  if ([...value.head, ...value.tail].some((other) => relatedKey(other) === relatedKey(related))) return value;
  return value.unread > 0 ? { ...value, tail: [...value.tail, related] } : { ...value, head: [...value.head, related] };
}

export const without = (value: RelationValue, related: Related): RelationValue => {
  const isOther = (other: Related): boolean => relatedKey(other) !== relatedKey(related);
  return { ...value, head: value.head.filter(isOther), tail: value.tail.filter(isOther) };
};

/** The entry at one place of all that is shown, put at another. Past those not read yet it goes to the end. */
export function moved(value: RelationValue, from: number, to: number): RelationValue {
  const shown = [...value.head, ...value.tail];
  const [related] = shown.splice(from, 1);
  if (!related) return value;
  shown.splice(to, 0, related);
  const rest = value.head.length - (from < value.head.length ? 1 : 0);
  const length = value.unread > 0 && to >= value.head.length ? rest : rest + 1;
  return value.unread > 0
    ? { ...value, head: shown.slice(0, length), tail: shown.slice(length) }
    : { ...value, head: shown };
}

/** With the next stored entries, read from where `head` of the stored list ended. */
export function withPage(value: RelationValue, page: readonly Related[], total: number, stored: number): RelationValue {
  const known = new Set([...value.head, ...value.tail].map(relatedKey));
  const unread = Math.max(0, total - stored - page.length);
  const head = [...value.head, ...page.filter((related) => !known.has(relatedKey(related)))];
  return unread > 0 ? { ...value, head, unread } : { head: [...head, ...value.tail], unread: 0, tail: [] };
}
