import { describe, expect, it, vi } from 'vitest';
import { memoize } from './memoize.ts';

describe('A memoized function', () => {
  it('computes once for each object, also what is nothing', () => {
    const compute = vi.fn(({ name }: { name: string }, suffix: string) => (name === '' ? null : `${name}${suffix}`));
    const memoized = memoize(compute);
    const [first, second, empty] = [{ name: 'a' }, { name: 'a' }, { name: '' }];
    expect([memoized(first, '!'), memoized(first, '?'), memoized(second, '?')]).toEqual(['a!', 'a!', 'a?']);
    expect([memoized(empty, '!'), memoized(empty, '!')]).toEqual([null, null]);
    expect(compute).toHaveBeenCalledTimes(3);
  });
});
