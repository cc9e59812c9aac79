import { describe, expect, it } from 'vitest';
import type { SheafError } from '../errors.ts';
import { type CheckValue, type SchemaPart, schemaCompiler } from './json-schema.ts';

const compile = await schemaCompiler();

/** The problems that are told of a value. */
function problems(check: CheckValue, value: unknown): readonly { path: string }[] {
  try {
    check(value);
    return [];
  } catch (error) {
    return (error as SheafError & { details: { errors: { path: string }[] } }).details.errors;
  }
}

const formatted = (format: string, part: SchemaPart = 'body') => compile({ type: 'string', format }, part);

describe('A JSON Schema of a route', () => {
  it('tells all problems of a value of common size at once', () => {
    const check = compile({ type: 'object', properties: { a: { type: 'number' } }, required: ['b', 'c'] }, 'body');
    expect(problems(check, { a: 'x' }).map(({ path }) => path)).toEqual(['b', 'c', 'a']);
  });

  it('stops at the first problem of a large value, however many it has', () => {
    const read: string[] = [];
    const list = Array.from({ length: 10_000 }, (_, index) =>
      Object.defineProperty({}, 'a', { enumerable: true, get: () => read.push(String(index)) && 'x' }),
    );
    const check = compile({ items: { type: 'object', properties: { a: { type: 'number' } } } }, 'body');
    expect(problems(check, list).map(({ path }) => path)).toEqual(['0.a']);
    expect(read.length).toBeLessThan(2_000);
  });

  it('checks formats in a time that grows with the text alone', () => {
    const long = 300_000;
    expect(problems(formatted('email'), `a@${'.'.repeat(long)}@`)).toHaveLength(1);
    expect(problems(formatted('date-time'), 'T'.repeat(long))).toHaveLength(1);
    expect(problems(formatted('date'), '2'.repeat(long))).toHaveLength(1);
    expect(problems(formatted('uuid'), 'a'.repeat(long))).toHaveLength(1);
  });

  it('knows addresses and moments', () => {
    for (const address of ['ann@example.com', 'a.b+c@mail.example.co.uk', 'ä@ö.example'])
      expect(problems(formatted('email'), address), address).toEqual([]);
    for (const none of ['ann', 'ann@example', '@example.com', 'a@b@c.de', 'a b@c.de', 'a@.de', 'a@b.'])
      expect(problems(formatted('email'), none), none).toHaveLength(1);
    for (const moment of ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.123+02:00'])
      expect(problems(formatted('date-time'), moment), moment).toEqual([]);
    for (const none of ['2026-01-02', '2026-01-02T03:04:05', 'T Z'])
      expect(problems(formatted('date-time'), none), none).toHaveLength(1);
  });
});
