// What a bounded map keeps: never more than its limit, and what is used longest.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Lru } from './lru.ts';

describe('a bounded map', () => {
  it('returns what was set last, as long as it keeps it', () => {
    const lru = new Lru<string, number>(4);
    lru.set('a', 1);
    lru.set('a', 2);
    expect([lru.get('a'), lru.get('b'), lru.size]).toEqual([2, undefined, 1]);
  });

  it('keeps what is used again and again', () => {
    const lru = new Lru<number, string>(20);
    lru.set(-1, 'used');
    for (let key = 0; key < 1_000; key++) {
      lru.set(key, 'once');
      expect(lru.get(-1)).toBe('used');
    }
    expect(lru.get(0)).toBeUndefined();
  });

  it('does not keep what is too heavy, nor what it had before under the same key', () => {
    const lru = new Lru<string, number>(10);
    lru.set('a', 1);
    lru.set('a', 2, 6);
    expect(lru.get('a')).toBeUndefined();
  });

  it('never weighs more than its limit', () => {
    const operation = fc.tuple(fc.nat(9), fc.nat(12), fc.boolean());
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
        const lru = new Lru<number, number>(20);
        for (const [key, weight, isSet] of operations) {
          if (isSet) lru.set(key, weight, weight);
          else lru.get(key);
          expect(lru.weight).toBeLessThanOrEqual(20);
        }
      }),
    );
  });
});
