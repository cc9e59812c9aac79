import { describe, expect, it } from 'vitest';
import { type EnvHelper, envHelper } from './env-helper.ts';

describe('env()', () => {
  const cases: readonly [string | undefined, (env: EnvHelper) => unknown, unknown][] = [
    ['text', (env) => env('A'), 'text'],
    [undefined, (env) => env('A', 5), 5],
    [undefined, (env) => env('A'), undefined],
    ['12.7', (env) => env.int('A'), 12],
    [undefined, (env) => env.int('A', 3.5), 3.5],
    ['1.5', (env) => env.float('A'), 1.5],
    ['true', (env) => env.bool('A'), true],
    ['1', (env) => env.bool('A', true), false],
    [undefined, (env) => env.bool('A', true), true],
    ['{"b":[1]}', (env) => env.json('A'), { b: [1] }],
    ['a, b,"c"', (env) => env.array('A'), ['a', 'b', 'c']],
    ['["a","b"]', (env) => env.array('A'), ['a', 'b']],
    [undefined, (env) => env.array('A', ['x']), ['x']],
    ['2024-01-02', (env) => env.date('A'), new Date('2024-01-02')],
    ['a', (env) => env.oneOf('A', ['a', 'b'], 'b'), 'a'],
    ['c', (env) => env.oneOf('A', ['a', 'b'], 'b'), 'b'],
  ];

  it.each(cases)('reads %j as %s', (text, read, expected) => {
    expect(read(envHelper(text === undefined ? {} : { A: text }))).toEqual(expected);
  });

  it('names a variable that is not valid JSON', () => {
    expect(() => envHelper({ A: '{' }).json('A')).toThrow('the variable A is not valid JSON');
  });
});
