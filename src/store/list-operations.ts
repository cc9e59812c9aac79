// What the orders of all kinds of lists share: positions with their anchors looked up, and problems with them reported
// where they stand in the body.
import type { RelationOrder } from '../plan/write/changes.ts';
import { type Position, RelationOrderError } from '../plan/write/relation-order.ts';
import { type BodyPath, bodyValueError, type Reference } from '../request/parse-relation.ts';

const PROBLEMS: Readonly<Record<RelationOrderError['problem'], string>> = {
  'connected twice': 'every entry at most once in connect',
  'relative to itself': 'another entry than the connected one in position',
  'relative to each other': 'no circle of positions in connect',
  'anchor is not connected': 'an entry in position that is connected, or options.strict false',
};

export function withOrderProblems<T>(path: BodyPath, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RelationOrderError)) throw error;
    throw bodyValueError([...path, 'connect', error.index], PROBLEMS[error.problem]);
  }
}

type PositionInput = Extract<RelationOrder, { mode: 'change' }>['connect'][number]['position'];

/** A position with its anchor as rows. */
export const resolvePosition = (
  position: PositionInput,
  resolve: (anchor: Reference) => readonly number[],
): Position => ('anchor' in position ? { at: position.at, anchor: resolve(position.anchor) } : position);
