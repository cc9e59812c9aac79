// The order of a relation as a pure function: a list and the operations on it → the list afterwards. Knows nothing
// of tables; entries are row ids, and one reference may stand for several rows that keep together (the draft and the
// published row of one document).

export type Position =
  | { readonly at: 'start' | 'end' }
  | { readonly at: 'before' | 'after'; readonly anchor: readonly number[] };

export interface Connection {
  readonly ids: readonly number[];
  readonly position: Position;
}

/** What happens to a list: `disconnect` first, then `connect` in its order. */
export interface ListOperations {
  readonly connect: readonly Connection[];
  readonly disconnect: readonly number[];
  /** Whether an anchor that is not in the list is refused; otherwise the entry goes to the end. */
  readonly strict: boolean;
}

export type OrderProblem =
  | 'connected twice'
  | 'relative to itself'
  | 'relative to each other'
  | 'anchor is not connected';

export class RelationOrderError extends Error {
  readonly problem: OrderProblem;
  /** Index in `connect` of the entry at fault. */
  readonly index: number;

  constructor(problem: OrderProblem, index: number) {
    super(problem);
    this.problem = problem;
    this.index = index;
  }
}

/**
 * Disconnects, then connects in array order. An entry that is connected already moves. An anchor that is disconnected
 * in the same request keeps its place until the end; one that is connected later in the same array is placed first.
 */
export function applyChange(list: readonly number[], operations: ListOperations): number[] {
  const { connect, disconnect, strict } = operations;
  const indexOfId = new Map<number, number>();
  for (const [index, { ids, position }] of connect.entries()) {
    for (const id of ids) {
      if (indexOfId.has(id)) throw new RelationOrderError('connected twice', index);
      indexOfId.set(id, index);
    }
    if ('anchor' in position && position.anchor.some((id) => ids.includes(id)))
      throw new RelationOrderError('relative to itself', index);
  }
  const gone = new Set(disconnect.filter((id) => !indexOfId.has(id)));
  const working = [...list];
  const placed = new Set<number>();
  const underWay = new Set<number>();

  const insert = (index: number): void => {
    if (placed.has(index)) return;
    const { ids, position } = connect[index]!;
    underWay.add(index);
    let at: number;
    if ('anchor' in position) {
      const { anchor } = position;
      if (!anchor.some((id) => working.includes(id))) placeAnchor(anchor, index);
      remove(working, ids);
      at = besideAnchor(working, position);
      if (at < 0 && strict) throw new RelationOrderError('anchor is not connected', index);
      if (at < 0) at = working.length;
    } else {
      remove(working, ids);
      at = position.at === 'start' ? 0 : working.length;
    }
    working.splice(at, 0, ...ids);
    underWay.delete(index);
    placed.add(index);
  };

  const placeAnchor = (anchor: readonly number[], index: number): void => {
    const other = anchor.map((id) => indexOfId.get(id)).find((found) => found !== undefined);
    if (other === undefined) return;
    if (underWay.has(other)) throw new RelationOrderError('relative to each other', index);
    insert(other);
  };

  for (const index of connect.keys()) insert(index);
  return working.filter((id) => !gone.has(id));
}

function remove(list: number[], ids: readonly number[]): void {
  for (const id of ids) {
    const at = list.indexOf(id);
    if (at >= 0) list.splice(at, 1);
  }
}

/** The index beside the anchor; -1 where the list does not hold it. */
function besideAnchor(list: readonly number[], { at, anchor }: Extract<Position, { anchor: unknown }>): number {
  const indexes = anchor.map((id) => list.indexOf(id)).filter((index) => index >= 0);
  if (indexes.length === 0) return -1;
  return at === 'before' ? Math.min(...indexes) : Math.max(...indexes) + 1;
}

/**
 * The list that `set` asks for: in the order given, each entry once. Entries in `hidden`, which the caller cannot see,
 * stay at their positions.
 */
export function applySet(
  list: readonly number[],
  references: readonly (readonly number[])[],
  hidden: ReadonlySet<number>,
): number[] {
  const wanted = [...new Set(references.flat())];
  if (hidden.size === 0) return wanted;
  const result = wanted.filter((id) => !hidden.has(id));
  for (const [index, id] of list.entries()) if (hidden.has(id)) result.splice(Math.min(index, result.length), 0, id);
  return result;
}

/** The list with entries added that stand in another list, each behind its neighbour there. */
export function weave<Entry>(list: readonly Entry[], other: readonly Entry[]): Entry[] {
  const result = [...list];
  const present = new Set(list);
  for (const [index, id] of other.entries()) {
    if (present.has(id)) continue;
    const neighbour = index === 0 ? -1 : result.indexOf(other[index - 1]!);
    result.splice(neighbour + 1, 0, id);
    present.add(id);
  }
  return result;
}
