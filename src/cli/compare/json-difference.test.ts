import { describe, expect, it } from 'vitest';
import { NO_ANSWER } from './exchange.ts';
import { differencesBetween, shownPath } from './json-difference.ts';

const between = (strapi: unknown, sheaf: unknown): string[] =>
  differencesBetween({ status: 200, body: strapi }, { status: 200, body: sheaf }).map(
    ({ kind, path }) => `${kind} ${shownPath(path)}`,
  );

describe('The differences of two answers', () => {
  it.each([
    ['values', { a: 1 }, { a: '1' }, ['value a']],
    ['null and absence', { a: null }, {}, ['missing a']],
    ['keys of either side', { a: { b: 1 } }, { a: { c: 1 } }, ['missing a.b', 'added a.c']],
    ['null and an object', { a: null }, { a: {} }, ['value a']],
    ['a list and an object', [], {}, ['value ']],
    ['items of a list of values', { a: [1, 2, 3] }, { a: [1, 3] }, ['value a[1]', 'missing a[2]']],
    ['an entry that one side lacks', [{ id: 1 }, { id: 2 }, { id: 3 }], [{ id: 1 }, { id: 3 }], ['missing [1]']],
    ['an entry that one side has besides', [], [{ id: 1 }], ['added [0]']],
    [
      'a value in an entry behind one that is missing',
      [{ id: 1 }, { id: 2, a: 1 }],
      [{ id: 2, a: 2 }],
      ['missing [0]', 'value [0].a'],
    ],
    ['the order of entries', [{ id: 1 }, { id: 2 }], [{ id: 2 }, { id: 1 }], ['order ']],
    [
      'components of other tables with one id',
      [{ __component: 'a.b', id: 1 }],
      [{ __component: 'a.c', id: 1 }],
      ['missing [0]', 'added [0]'],
    ],
    ['objects without ids, place by place', [{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }], ['value [0].a', 'value [1].a']],
  ])('are %s', (_name, strapi, sheaf, expected) => {
    expect(between(strapi, sheaf)).toEqual(expected);
  });

  it.each([
    ['the order of keys', { a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }],
    ['zero of either sign, which JSON does not tell apart for people', { a: 0 }, { a: -0 }],
  ])('are not %s', (_name, strapi, sheaf) => {
    expect(between(strapi, sheaf)).toEqual([]);
  });

  it('are there where neither answered', () => {
    const none = { status: NO_ANSWER, body: 'ECONNRESET' };
    const shown = 'no response: ECONNRESET';
    expect(differencesBetween(none, none)).toEqual([{ kind: 'status', path: [], strapi: shown, sheaf: shown }]);
  });

  it('are the status alone where it differs', () => {
    const differences = differencesBetween({ status: 200, body: [1] }, { status: 404, body: null });
    expect(differences).toEqual([{ kind: 'status', path: [], strapi: 200, sheaf: 404 }]);
  });
});
