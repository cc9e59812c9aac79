// Conditions of forms: when an attribute is shown, and that a condition nobody knows leaves the rules in force.
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../test/support/project.ts';
import type { ScalarAttribute } from '../../model/types.ts';
import { holds, isShown, variablesOf } from './visible-when.ts';

const ENTRY = { kind: 'a', count: 3, open: false, tags: ['x', 'y'] };
const kind = { var: 'kind' };
const count = { var: 'count' };

describe('a condition holds', () => {
  it.each([
    [{ '==': [kind, 'a'] }, true],
    [{ '==': [kind, 'b'] }, false],
    [{ '!=': [kind, 'b'] }, true],
    [{ '===': [count, 3] }, true],
    [{ '!==': [count, 3] }, false],
    [{ '==': [count, '3'] }, false],
    [{ '<': [count, 3] }, false],
    [{ '<=': [count, 3] }, true],
    [{ '>': [count, 2] }, true],
    [{ '>=': [count, 4] }, false],
    [{ '!': { var: 'open' } }, true],
    [{ '!!': [kind] }, true],
    [{ in: [kind, ['a', 'b']] }, true],
    [{ in: ['z', { var: 'tags' }] }, false],
    [{ in: ['b', 'abc'] }, true],
    [{ in: ['b', count] }, false],
    [{ and: [{ '==': [kind, 'a'] }, { '>': [count, 5] }] }, false],
    [{ or: [{ '==': [kind, 'b'] }, { '>': [count, 1] }] }, true],
    [{ '==': [{ var: 'missing' }, null] }, true],
    [{ '!!': [{ var: ['open'] }] }, false],
    [true, true],
    [false, false],
  ])('by the values of the entry: %j is %s', (condition, expected) => {
    expect(holds(condition, ENTRY)).toBe(expected);
  });

  it('or not, but never fails, where an entry holds what cannot be compared', () => {
    const entry = { count: { toString: 1, valueOf: 1 } };
    for (const condition of [{ '<': [count, 3] }, { '>=': [3, count] }, { in: [count, 'abc'] }, { in: [count, ['a']] }])
      expect(holds(condition, entry), JSON.stringify(condition)).toBe(false);
  });

  it('where it, or a part of it, uses an operation that is not known', () => {
    for (const condition of [
      { nosuch: [kind] },
      { and: [false, { nosuch: [] }] },
      { '!': { nosuch: [] } },
      { '==': [{ '+': [1, 1] }, 5] },
      {},
    ])
      expect(holds(condition, ENTRY), JSON.stringify(condition)).toBe(true);
  });
});

it('a condition names the attributes that it asks for', () => {
  expect(variablesOf({ and: [{ '==': [kind, 'a'] }, { '!': { var: ['open'] } }, { in: ['x', ['y']] }] })).toEqual([
    'kind',
    'open',
  ]);
  expect(variablesOf(true)).toEqual([]);
});

describe('an attribute is shown', () => {
  const model = modelOf({
    types: {
      page: {
        attributes: {
          kind: { type: 'string' },
          fixed: { type: 'string', writable: false },
          part: { type: 'component', component: 'kit.part' },
        },
      },
    },
    components: { 'kit.part': { name: { type: 'string' } } },
  });
  const schema = model.contentTypes.get('api::page.page')!;
  const valueIn = ({ name }: ScalarAttribute) => (name === 'kind' ? 'a' : null);

  it.each([
    [null, true],
    [{ '==': [kind, 'a'] }, true],
    [{ '==': [kind, 'b'] }, false],
    [{ '!!': { var: 'missing' } }, false],
  ])('where %j holds: %s', (visibleWhen, expected) => {
    expect(isShown(schema, { visibleWhen }, valueIn)).toBe(expected);
  });

  it.each(['part', 'fixed', 'locale', 'documentId'])('where a condition asks for %s, which is not known', (name) => {
    expect(isShown(schema, { visibleWhen: { '!!': { var: name } } }, valueIn)).toBe(true);
    expect(isShown(schema, { visibleWhen: { '!': { var: name } } }, valueIn)).toBe(true);
  });
});
