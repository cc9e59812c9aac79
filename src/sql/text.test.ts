// The meaning of strings and JSON that values and database functions share.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson, digitsOf, fold, isAscii, lengthOf } from './text.ts';

describe('a folded string', () => {
  it('ignores case for all of Unicode, and where a sigma stands in its word', () => {
    expect(fold('ÀÉÎ ΣΟΦΌΣ Ж')).toBe(fold('àéî σοφός ж'));
    expect(fold('ΣΟΦΟΣ')).toBe(fold('σοφοσ'));
    expect(fold('ς')).toBe(fold('Σ'));
  });

  it('keeps letters apart that only look or sound alike', () => {
    expect(fold('e')).not.toBe(fold('é'));
    expect(fold('ss')).not.toBe(fold('ß'));
  });

  it('is folded for good, and may be folded piece by piece', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (one, other) => {
        expect(fold(fold(one))).toBe(fold(one));
        expect(fold(one + other)).toBe(fold(one) + fold(other));
      }),
    );
  });
});

describe('a string', () => {
  it('is ASCII up to its last character', () => {
    expect(['', 'a~\x7f', 'a\x80', 'aé', '\u212a'].map(isAscii)).toEqual([true, true, false, false, false]);
  });

  it('is as long as databases count it', () => {
    expect(['', 'abc', 'é', '😀', '👍🏽'].map(lengthOf)).toEqual([0, 3, 1, 1, 2]);
  });
});

describe('the digits of a number', () => {
  it('are all there, without an exponent, and say the same', () => {
    expect([0, -1.5, 1e21, -1.25e21, 1e-7, 1.5e-9, 10n ** 30n].map(digitsOf)).toEqual([
      '0',
      '-1.5',
      '1000000000000000000000',
      '-1250000000000000000000',
      '0.0000001',
      '0.0000000015',
      '1000000000000000000000000000000',
    ]);
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(digitsOf(number)).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(digitsOf(number)) + 0).toBe(number + 0);
      }),
    );
  });
});

describe('canonical JSON', () => {
  /** The same value with the keys of every object the other way round, and spaces. */
  const rewritten = (value: unknown): string => {
    if (Array.isArray(value)) return `[ ${value.map(rewritten).join(' , ')} ]`;
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    const members = Object.entries(value).reverse();
    return `{ ${members.map(([key, inner]) => `${JSON.stringify(key)} : ${rewritten(inner)}`).join(' ,\n')} }`;
  };

  it('is the same for the same value, however it is written', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(JSON.stringify(value))!;
        expect(canonicalJson(rewritten(value))).toBe(text);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });

  it('keeps apart what differs: order in lists, types, missing members', () => {
    const texts = ['[1,2]', '[2,1]', '"1"', '1', 'true', '"true"', 'null', '{}', '{"a":null}', '[]', '[[]]'];
    expect(new Set(texts.map(canonicalJson)).size).toBe(texts.length);
  });

  it('takes what is no JSON for a string', () => {
    expect(canonicalJson('plain words')).toBe('"plain words"');
    expect(canonicalJson('{a:1}')).toBe(canonicalJson('"{a:1}"'));
    expect(canonicalJson('')).toBe('""');
  });

  it('keeps a member that is named like the prototype', () => {
    expect(canonicalJson('{"__proto__":1,"a":2}')).not.toBe(canonicalJson('{"a":2}'));
  });
});
