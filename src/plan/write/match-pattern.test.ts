import { describe, expect, it } from 'vitest';
import { compilePattern, matchesPattern } from './match-pattern.ts';

describe('A pattern of the model', () => {
  it.each([
    ['^[a-z-]+$', 'a-b', true],
    ['^[a-z-]+$', 'a b', false],
    ['^[a-z]+(?:-[a-z]+)*$', 'one-two', true],
    ['^[a-z]+(?:-[a-z]+)*$', 'one--two', false],
    ['^\\d{2,4}-\\d+$', '123-4', true],
    ['b', `${'a'.repeat(5_000)}b`, true],
    ['^\\p{L}$', 'p{L}', true],
  ])('%s, compared with a value', (pattern, value, expected) => {
    expect(matchesPattern(compilePattern(pattern), value)).toBe(expected);
  });

  it('has a time, whatever it is compared with', () => {
    const pattern = compilePattern('^(a+)+$');
    expect(matchesPattern(pattern, `${'a'.repeat(60)}!`)).toBeNull();
    expect(matchesPattern(pattern, 'aaa')).toBe(true);
  });
});
