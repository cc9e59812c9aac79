// Holds the order of relations against a second account of it that shares no code and no method: the list as ranks
// that are shifted, and the sequence of placements worked out beforehand. Generated operations must never tell the
// two apart, in what they make of a list nor in what they refuse.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../../test/support/scale.ts';
import {
  applyChange,
  applySet,
  type Connection,
  type ListOperations,
  type OrderProblem,
  RelationOrderError,
  weave,
} from './relation-order.ts';

// -------------------------------------------------------------------------------------------- the naive account

type Outcome = readonly number[] | { readonly problem: OrderProblem; readonly index: number };

function naive(list: readonly number[], { connect, disconnect, strict }: ListOperations): Outcome {
  const refused = firstWrongConnection(connect);
  if (refused) return refused;
  const ranks = new Map(list.map((id, rank) => [id, rank]));
  const pending = new Set(connect.keys());
  for (const index of connect.keys()) {
    if (!pending.has(index)) continue;
    const chain = chainFrom(index, connect, pending, ranks);
    if (!Array.isArray(chain)) return chain;
    for (const next of chain.reverse()) {
      const { ids, position } = connect[next]!;
      const anchors = 'anchor' in position ? position.anchor.filter((id) => ranks.has(id)) : [];
      if ('anchor' in position && anchors.length === 0 && strict)
        return { problem: 'anchor is not connected', index: next };
      const anchorRanks = anchors.map((id) => ranks.get(id)!);
      let rank = Math.max(-1, ...ranks.values()) + 1;
      if (position.at === 'start') rank = Math.min(0, ...ranks.values()) - ids.length;
      else if (position.at === 'before' && anchors.length > 0) rank = Math.min(...anchorRanks);
      else if (position.at === 'after' && anchors.length > 0) rank = Math.max(...anchorRanks) + 1;
      for (const id of ids) ranks.delete(id);
      for (const [id, held] of ranks) if (held >= rank) ranks.set(id, held + ids.length);
      for (const [offset, id] of ids.entries()) ranks.set(id, rank + offset);
      pending.delete(next);
    }
  }
  const connected = new Set(connect.flatMap(({ ids }) => ids));
  return [...ranks.keys()]
    .sort((a, b) => ranks.get(a)! - ranks.get(b)!)
    .filter((id) => connected.has(id) || !disconnect.includes(id));
}

/** The connection itself, then the one that must come before it, and so on, until one can be placed. */
function chainFrom(
  start: number,
  connect: readonly Connection[],
  pending: ReadonlySet<number>,
  ranks: ReadonlyMap<number, number>,
): number[] | { problem: OrderProblem; index: number } {
  const chain = [start];
  for (;;) {
    const index = chain.at(-1)!;
    const { position } = connect[index]!;
    if (!('anchor' in position) || position.anchor.some((id) => ranks.has(id))) return chain;
    const holders = position.anchor.map((id) => connect.findIndex(({ ids }) => ids.includes(id)));
    const next = holders.find((holder) => holder >= 0);
    if (next === undefined) return chain;
    if (chain.includes(next)) return { problem: 'relative to each other', index };
    if (!pending.has(next)) throw new Error('what is placed has a rank');
    chain.push(next);
  }
}

function firstWrongConnection(connect: readonly Connection[]): { problem: OrderProblem; index: number } | null {
  for (const [index, { ids, position }] of connect.entries()) {
    const earlier = connect.slice(0, index).flatMap((one) => one.ids);
    if (ids.some((id, at) => earlier.includes(id) || ids.indexOf(id) < at))
      return { problem: 'connected twice', index };
    if ('anchor' in position && position.anchor.some((id) => ids.includes(id)))
      return { problem: 'relative to itself', index };
  }
  return null;
}

function outcome(list: readonly number[], change: ListOperations): Outcome {
  try {
    return applyChange(list, change);
  } catch (error) {
    if (!(error instanceof RelationOrderError)) throw error;
    return { problem: error.problem, index: error.index };
  }
}

// ------------------------------------------------------------------------------------------ generated operations

/**
 * Documents are numbered; the rows of document n are 2n and, where it is published too, 2n + 1. A reference stands
 * for one row of a document or for both.
 */
const DOCUMENTS = 7;
const rowsOf = fc
  .tuple(fc.nat(DOCUMENTS - 1), fc.constantFrom('draft', 'published', 'both'))
  .map(([number, versions]) => {
    const [draft, published] = [2 * number, 2 * number + 1];
    return versions === 'both' ? [draft, published] : [versions === 'draft' ? draft : published];
  });
const lists = fc
  .shuffledSubarray(Array.from({ length: DOCUMENTS }, (_, number) => number))
  .chain((documents) =>
    fc.tuple(...documents.map((number) => fc.constantFrom([2 * number], [2 * number, 2 * number + 1]))),
  )
  .map((groups) => groups.flat());
const positions: fc.Arbitrary<Connection['position']> = fc.oneof(
  fc.constantFrom({ at: 'start' } as const, { at: 'end' } as const),
  fc.record({ at: fc.constantFrom('before', 'after'), anchor: rowsOf }),
  fc.record({ at: fc.constantFrom('before', 'after'), anchor: rowsOf }),
);
const connections = fc.record({ ids: rowsOf, position: positions });
/** Mostly each entry once, as clients mean it; sometimes without care, so that repeats are met as well. */
const connects = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.uniqueArray(connections, { maxLength: 6, selector: ({ ids }) => Math.floor(ids[0]! / 2) }),
  },
  { weight: 1, arbitrary: fc.array(connections, { maxLength: 4 }) },
);
const NONE: ReadonlySet<number> = new Set();

const changes: fc.Arbitrary<ListOperations> = fc.record({
  connect: connects,
  disconnect: fc.array(rowsOf, { maxLength: 4 }).map((groups) => groups.flat()),
  strict: fc.boolean(),
});

const RUNS = scaled(5_000);

describe('generated operation lists', () => {
  it('end as the naive account says, or are refused for the same reason at the same entry', () => {
    const met = new Map<string, number>();
    fc.assert(
      fc.property(lists, changes, (list, change) => {
        const expected = naive(list, change);
        const kind = 'problem' in expected ? expected.problem : 'a list';
        met.set(kind, (met.get(kind) ?? 0) + 1);
        expect(outcome(list, change)).toEqual(expected);
      }),
      { numRuns: RUNS },
    );
    // The generator must reach every end often enough for agreement to mean something.
    for (const kind of [
      'a list',
      'connected twice',
      'relative to itself',
      'relative to each other',
      'anchor is not connected',
    ])
      expect(met.get(kind) ?? 0, kind).toBeGreaterThan(RUNS / 200);
  });

  it('never change the list and the operations they are given', () => {
    fc.assert(
      fc.property(lists, changes, (list, change) => {
        const before = structuredClone({ list, change });
        outcome(list, change);
        expect({ list, change }).toEqual(before);
      }),
      { numRuns: 1_000 },
    );
  });

  it('make lists that hold every entry once, nothing that was disconnected and everything that was connected', () => {
    fc.assert(
      fc.property(lists, changes, (list, change) => {
        const result = outcome(list, change);
        if ('problem' in result) return;
        const connected = new Set(change.connect.flatMap(({ ids }) => ids));
        const kept = list.filter((id) => !connected.has(id) && !change.disconnect.includes(id));
        expect(new Set(result).size).toBe(result.length);
        expect(new Set(result)).toEqual(new Set([...kept, ...connected]));
        // What was not named keeps its order.
        expect(result.filter((id) => kept.includes(id))).toEqual(kept);
      }),
      { numRuns: 10_000 },
    );
  });

  it('make of `set` the references in their order, each entry once', () => {
    fc.assert(
      fc.property(fc.array(rowsOf, { maxLength: 8 }), (references) => {
        const all = references.flat();
        expect(applySet([], references, NONE)).toEqual(all.filter((id, index) => all.indexOf(id) === index));
      }),
      { numRuns: 10_000 },
    );
  });
});

// ------------------------------------------------------------------------------------------------------ examples

/** `3`, `3 start`, `3 before 1`; several at once stand for the rows of one document: `3+4 after 1+2`. */
function parseConnection(text: string): Connection {
  const [ids, at, anchor] = text.trim().split(' ');
  const numbers = (group: string) => group.split('+').map(Number);
  if (anchor !== undefined)
    return { ids: numbers(ids!), position: { at: at as 'before' | 'after', anchor: numbers(anchor) } };
  return { ids: numbers(ids!), position: { at: (at ?? 'end') as 'start' | 'end' } };
}

const numbersIn = (text: string): number[] => (text === '' ? [] : text.split(',').map(Number));

function change(connect: string, disconnect = '', strict = true): ListOperations {
  return {
    connect: connect === '' ? [] : connect.split(',').map(parseConnection),
    disconnect: numbersIn(disconnect),
    strict,
  };
}

describe('a list after connect and disconnect', () => {
  it.each([
    ['0,1,2', '0', '', '1,2,0'],
    ['0,1,2', '2 start', '', '2,0,1'],
    ['0,1,2', '3 start, 4 start', '', '4,3,0,1,2'],
    ['0,1,2', '3 end, 4 end', '', '0,1,2,3,4'],
    ['0,1,2', '3 before 1, 4 before 1', '', '0,3,4,1,2'],
    ['0,1,2', '3 after 1, 4 after 1', '', '0,1,4,3,2'],
    ['0,1', '3 before 4, 4 start', '', '3,4,0,1'],
    ['0,1,2', '3 before 1, 1 end', '', '0,3,2,1'],
    ['0,1,2', '1 end', '1', '0,2,1'],
    ['0,1,2', '3 before 1', '1', '0,3,2'],
    ['0', '3 before 0', '0', '3'],
    ['0,1', '2 after 0, 3 before 1, 4 end, 5, 6 start', '', '6,0,2,3,1,4,5'],
  ])('%s with connect "%s" and disconnect "%s" is %s', (list, connect, disconnect, expected) => {
    expect(applyChange(numbersIn(list), change(connect, disconnect))).toEqual(numbersIn(expected));
  });

  it.each([
    ['re-connecting moves to the end in the order given', '1,2,3', '3,2,1', '', '3,2,1'],
    ['two entries move and one stays', '1,2,3', '2,1', '', '3,2,1'],
    ['an entry in both lists is connected', '1,2', '3', '1,3', '2,3'],
    ['an entry that moves is an anchor where it stands', '1,2,3', '1 before 2, 2 start, 3 end', '', '2,1,3'],
    ['an anchor is found where it was moved to', '1,2,3', '1 end, 3 start, 2 after 1', '', '3,1,2'],
    ['both sides of a disconnected anchor are its place', '1,2,3', '4 before 2, 5 after 2', '2', '1,4,5,3'],
    ['an entry that was disconnected is put back where connect says', '1,2,3', '2 start', '2', '2,1,3'],
    ['the whole list is disconnected', '1,2,3', '', '3,2,1', ''],
    ['what is not in the list may be disconnected', '1,2', '', '7,2', '1'],
    ['an anchor that is connected later is placed first', '1', '2 after 3, 3 start', '', '3,2,1'],
    ['anchors are followed over several entries', '', '1 after 2, 2 after 3, 3 after 4, 4 end', '', '4,3,2,1'],
    ['the neighbour of an entry in a list of eight', '1,2,3,4,5,6,7,8', '9 before 6', '', '1,2,3,4,5,9,6,7,8'],
    ['nothing at all', '', '', '', ''],
  ])('is right when %s', (_, list, connect, disconnect, expected) => {
    expect(applyChange(numbersIn(list), change(connect, disconnect))).toEqual(numbersIn(expected));
  });

  it.each([
    ['goes before all rows of its anchor', '1,2,3', '8+9 before 2+3', '', '1,8,9,2,3'],
    ['goes after all rows of its anchor, even where they stand apart', '1,2,3,4', '8+9 after 2+4', '', '1,2,3,4,8,9'],
    ['goes before the first of them', '1,2,3,4', '8+9 before 2+4', '', '1,8,9,2,3,4'],
    ['is content with the row of its anchor that is there', '1,2,3', '8 after 2+7', '', '1,2,8,3'],
    ['moves together', '8,1,9,2', '8+9 end', '', '1,2,8,9'],
    ['is disconnected together', '8,9,1', '', '8,9', '1'],
    ['stays where only a part of it is disconnected', '8,9,1', '', '9', '8,1'],
  ])('of documents with two rows: a reference %s', (_, list, connect, disconnect, expected) => {
    expect(applyChange(numbersIn(list), change(connect, disconnect))).toEqual(numbersIn(expected));
  });

  it.each([
    ['anchor is not connected', 0, '0,1', '2 before 7', '', true],
    ['anchor is not connected', 1, '0,1', '2 end, 3 after 7', '', true],
    ['anchor is not connected', 0, '0,1', '2 before 7', '7', true],
    ['anchor is not connected', 1, '0,1', '2 before 3, 3 before 7', '', true],
    ['connected twice', 1, '0,1', '2, 2', '', true],
    ['connected twice', 1, '0,1', '2 start, 2 end', '', true],
    ['connected twice', 2, '0,1', '2, 3, 0+2', '', true],
    ['connected twice', 1, '0,1', '2, 2', '2', false],
    ['relative to itself', 0, '0,1', '0 before 0', '', true],
    ['relative to itself', 0, '0,1', '2 after 2', '', false],
    ['relative to itself', 0, '0,1', '2+3 after 3+4', '', true],
    ['relative to each other', 1, '0,1', '2 before 3, 3 before 2', '', true],
    ['relative to each other', 2, '0,1', '2 before 3, 3 after 4, 4 before 2', '', true],
    ['relative to each other', 1, '0,1', '2 before 3, 3 before 2', '', false],
  ] as const)(
    'is refused as "%s" at entry %i: %s with "%s", disconnect "%s", strict %s',
    (problem, index, list, connect, disconnect, strict) => {
      expect(outcome(numbersIn(list), change(connect, disconnect, strict))).toEqual({ problem, index });
    },
  );

  it.each([
    ['goes to the end', '0,1', '2 before 7', '', '0,1,2'],
    ['is an anchor for others there', '0,1', '2 before 3, 3 before 7', '', '0,1,2,3'],
    ['goes to the end of what is there at its turn', '0,1', '2 after 7, 3', '', '0,1,2,3'],
    ['moves to the end where it was connected', '0,1', '0 after 7', '', '1,0'],
  ])('with strict false an entry whose anchor is missing %s', (_, list, connect, disconnect, expected) => {
    expect(applyChange(numbersIn(list), change(connect, disconnect, false))).toEqual(numbersIn(expected));
  });
});

describe('a set', () => {
  it('is the references in order, the rows of one reference side by side', () => {
    expect(applySet([], [[4, 5], [1], [2, 3]], NONE)).toEqual([4, 5, 1, 2, 3]);
  });

  it('holds an entry once, where it stands first', () => {
    expect(applySet([], [[1], [1], [2], [1]], NONE)).toEqual([1, 2]);
    expect(applySet([], [[1, 2], [2]], NONE)).toEqual([1, 2]);
  });

  it('may be empty', () => {
    expect(applySet([], [], NONE)).toEqual([]);
  });
});

/** Lists of different entries. */
const distinct = fc.shuffledSubarray(Array.from({ length: 9 }, (_, number) => number + 1));
const isWithin = (part: readonly number[], whole: readonly number[]): boolean => {
  let at = -1;
  return part.every((id) => {
    at = whole.indexOf(id, at + 1);
    return at >= 0;
  });
};
const only = (list: readonly number[], kept: readonly number[]): number[] => list.filter((id) => kept.includes(id));

describe('a set by someone who does not see every entry', () => {
  /** Fills one position after the other: with the hidden entry that stood there, or with the next of the set. */
  function filled(list: readonly number[], wanted: readonly number[], hidden: ReadonlySet<number>): number[] {
    const visible = wanted.filter((id) => !hidden.has(id));
    const kept = [...list.entries()].filter(([, id]) => hidden.has(id));
    const result: number[] = [];
    while (visible.length > 0 || kept.length > 0) {
      const isDue = kept.length > 0 && (visible.length === 0 || kept[0]![0] === result.length);
      result.push(isDue ? kept.shift()![1] : visible.shift()!);
    }
    return result;
  }
  const cases = fc.record({ list: distinct, wanted: distinct, hidden: distinct.map((ids) => new Set(ids)) });

  it('leaves the hidden ones at their positions and puts the others around them', () => {
    fc.assert(
      fc.property(cases, ({ list, wanted, hidden }) => {
        expect(
          applySet(
            list,
            wanted.map((id) => [id]),
            hidden,
          ),
        ).toEqual(filled(list, wanted, hidden));
      }),
    );
  });

  it('changes nothing where it sets what is seen', () => {
    fc.assert(
      fc.property(cases, ({ list, hidden }) => {
        const seen = list.filter((id) => !hidden.has(id));
        expect(applySet(list, [seen], hidden)).toEqual(list);
      }),
    );
  });

  it('neither adds nor moves a hidden entry that it names', () => {
    expect(applySet([1, 2, 3], [[3], [2], [9], [1]], new Set([2, 9]))).toEqual([3, 2, 1]);
  });
});

describe('a list woven with another', () => {
  /** Walks the list and lets each entry be followed by those that follow it in the other list alone. */
  function followed(list: readonly number[], other: readonly number[]): number[] {
    const result: number[] = [];
    const follow = (index: number): void => {
      const next = other[index];
      if (next === undefined || list.includes(next)) return;
      result.push(next);
      follow(index + 1);
    };
    follow(0);
    for (const id of list) {
      result.push(id);
      if (other.includes(id)) follow(other.indexOf(id) + 1);
    }
    return result;
  }

  it('has each entry of the other behind its neighbour there', () => {
    fc.assert(
      fc.property(distinct, distinct, (list, other) => {
        expect(weave(list, other)).toEqual(followed(list, other));
      }),
    );
  });

  it('keeps the order of both where they agree', () => {
    fc.assert(
      fc.property(distinct, distinct, distinct, (order, some, others) => {
        const [list, other] = [only(order, some), only(order, others)];
        const woven = weave(list, other);
        expect(isWithin(list, woven) && isWithin(other, woven)).toBe(true);
        expect(woven).toHaveLength(new Set([...list, ...other]).size);
      }),
    );
  });
});

// --------------------------------------------------------------------------------------------------------- many

describe('a thousand entries', () => {
  const SIZE = 1_000;
  const list = Array.from({ length: SIZE }, (_, id) => id);
  const allConnected = (position: (id: number) => Connection['position']): ListOperations => ({
    connect: list.map((id) => ({ ids: [id], position: position(id) })),
    disconnect: [],
    strict: true,
  });

  it.each([
    ['moved to the start one by one', list, allConnected(() => ({ at: 'start' })), list.toReversed()],
    ['moved to the end one by one', list, allConnected(() => ({ at: 'end' })), list],
    [
      'each connected before the next, the last one first',
      [],
      allConnected((id) => (id === SIZE - 1 ? { at: 'end' } : { at: 'before', anchor: [id + 1] })),
      list,
    ],
    [
      'each connected after the one before',
      [],
      allConnected((id) => (id === 0 ? { at: 'end' } : { at: 'after', anchor: [id - 1] })),
      list,
    ],
    ['disconnected at once', list, { connect: [], disconnect: list.toReversed(), strict: true }, []],
  ] as const)('are %s', (_name, before, operations, expected) => {
    expect(applyChange(before, operations)).toEqual(expected);
  });

  it('are set', () => {
    const references = [...list, ...list.toReversed()].map((id) => [id]);
    expect(applySet([], references, NONE)).toEqual(list);
  });
});
