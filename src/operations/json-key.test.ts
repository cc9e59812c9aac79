import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonKey } from './json-key.ts';

it('is the same for the same JSON, and another for any other', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const [left, right] = [one, other].map((value) => JSON.parse(JSON.stringify(value)));
      expect(jsonKey(left)).toBe(jsonKey(structuredClone(left)));
      expect(jsonKey(left) === jsonKey(right)).toBe(JSON.stringify(left) === JSON.stringify(right));
    }),
  );
});

it('is null for what is more than JSON, wherever it stands', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  class Filters {
    readonly title = 'a';
  }
  const others = [undefined, Number.NaN, -0, 1n, Symbol('a'), () => 1, new Date(0), new Map(), new Filters(), cyclic];
  for (const value of [...others, new Array(1)]) {
    expect(jsonKey(value)).toBeNull();
    expect(jsonKey({ filters: { owner: value } })).toBeNull();
    expect(jsonKey({ filters: { $in: ['a', value] } })).toBeNull();
  }
  expect(jsonKey({ filters: { owner: undefined } })).not.toBe(jsonKey({ filters: {} }));
});
