import { describe, expect, it } from 'vitest';
import { compilePattern, matchesPattern, PatternTime } from './match-pattern.ts';

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
    expect(matchesPattern(compilePattern(pattern), value, new PatternTime())).toBe(expected);
  });

  it('has a time, whatever it is compared with', () => {
    const pattern = compilePattern('^(a+)+$');
    expect(matchesPattern(pattern, `${'a'.repeat(60)}!`, new PatternTime())).toBeNull();
    expect(matchesPattern(pattern, 'aaa', new PatternTime())).toBe(true);
  });

  it('has a time together with all others of a write', () => {
    const time = new PatternTime();
    const pattern = compilePattern('^(a+)+$');
    // Each ends by itself, after some milliseconds.
    while (!time.isOver) matchesPattern(pattern, `${'a'.repeat(18)}!`, time);
    expect(matchesPattern(pattern, 'aaa', time)).toBeNull();
    expect(matchesPattern(compilePattern('^a+$'), 'aaa', time)).toBe(true);
  });

  it('is compared with thousands of values that take no time', () => {
    const time = new PatternTime();
    const pattern = compilePattern('^[a-z]+(?:-[a-z]+)*$');
    for (let index = 0; index < 1_000; index++) expect(matchesPattern(pattern, 'one-two', time)).toBe(true);
  });
});
