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

export interface RelationChange {
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
export function applyChange(list: readonly number[], change: RelationChange): number[] {
  const { connect, disconnect, strict } = change;
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

  const place = (index: number): void => {
    if (placed.has(index)) return;
    const { ids, position } = connect[index]!;
    underWay.add(index);
    let at: number;
    if ('anchor' in position) {
      const { anchor } = position;
      if (!anchor.some((id) => working.includes(id))) placeAnchor(anchor, index);
      remove(working, ids);
      at = besideAnchor(working, position.at, anchor, index, strict);
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
    place(other);
  };

  for (const index of connect.keys()) place(index);
  return working.filter((id) => !gone.has(id));
}

function remove(list: number[], ids: readonly number[]): void {
  for (const id of ids) {
    const at = list.indexOf(id);
    if (at >= 0) list.splice(at, 1);
  }
}

function besideAnchor(
  list: readonly number[],
  side: 'before' | 'after',
  anchor: readonly number[],
  index: number,
  strict: boolean,
): number {
  const places = anchor.map((id) => list.indexOf(id)).filter((place) => place >= 0);
  if (places.length === 0) {
    if (strict) throw new RelationOrderError('anchor is not connected', index);
    return list.length;
  }
  return side === 'before' ? Math.min(...places) : Math.max(...places) + 1;
}

/** The list that `set` asks for: in the order given, each entry once. */
export const applySet = (references: readonly (readonly number[])[]): number[] => [...new Set(references.flat())];
