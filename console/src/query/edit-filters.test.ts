import { describe, expect, it } from 'vitest';
import { type FilterDraft, group, step, test } from './draft.ts';
import { MOVES, moveBy, moveTo, nodeAt, placeAfter } from './edit-filters.ts';

const a = test([step('a')], '$eq', ['1']);
const b = test([step('b')], '$eq', ['2']);
const dish = test([step('dishes'), step('vegan')], '$eq', ['true']);
const inner = test([step('vegan')], '$eq', ['true']);
const scope = (of: readonly FilterDraft[]): FilterDraft => ({ kind: 'scope', path: [step('dishes')], join: 'and', of });

describe('A condition', () => {
  it('moves by single steps, where there are such', () => {
    const filters = [a, group('or', [b]), dish];
    expect(moveBy(filters, [0], 'up')).toBeNull();
    expect(moveBy(filters, [2], 'down')).toBeNull();
    expect(moveBy(filters, [0], 'out')).toBeNull();
    expect(moveBy([a, b], [0], 'into')).toBeNull();
    expect(moveBy(filters, [0], 'down')).toEqual([group('or', [b]), a, dish]);
    expect(moveBy(filters, [2], 'up')).toEqual([a, dish, group('or', [b])]);
    expect(moveBy(filters, [0], 'into')).toEqual([group('or', [a, b]), dish]);
    expect(moveBy(filters, [2], 'into')).toEqual([a, group('or', [b, dish])]);
    expect(moveBy(filters, [1, 0], 'out')).toEqual([a, group('or', []), b, dish]);
  });

  it('says the same outside of a scope and inside', () => {
    expect(moveBy([scope([inner, a])], [0, 0], 'out')).toEqual([scope([a]), dish]);
    expect(moveBy([scope([a]), dish], [1], 'into')).toEqual([scope([a, inner])]);
    expect(moveBy([scope([a]), group('or', [dish])], [1], 'into')).toEqual([scope([a, group('or', [inner])])]);
    // That of another entry, or of any, has no place there.
    expect(moveBy([scope([a]), b], [1], 'into')).toBeNull();
    expect(moveTo([{ kind: 'raw', key: 'x', value: '1' }, scope([a])], [0], [1, 0])).toBeNull();
  });

  it('does not move into itself, and is found where it has moved', () => {
    const filters = [group('and', [a, group('or', [b, dish])]), scope([inner])];
    expect(moveTo(filters, [0], [0, 1, 0])).toBeNull();
    for (const place of [[0], [0, 0], [0, 1], [0, 1, 0], [0, 1, 1], [1]])
      for (const move of MOVES) {
        const moved = moveBy(filters, place, move);
        if (moved) expect(nodeAt(moved, placeAfter(filters, place, move))).toEqual(nodeAt(filters, place));
      }
  });
});
