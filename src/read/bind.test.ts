// Values of a request as they are bound: read as the type of their column, for every form that a statement asks for.
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../test/support/refusal.ts';
import type { RuleValue } from '../access/access.ts';
import type { ScalarType } from '../model/types.ts';
import type { PlanComparison } from '../plan/read/nodes.ts';
import type { BoundValue, ValueForm } from '../sql/statement.ts';
import { bindStatement, type Context } from './bind.ts';

function bound(
  raw: unknown,
  type: ScalarType,
  {
    op = 'eq',
    form = 'value',
    given = null,
    context = {},
  }: { op?: PlanComparison; form?: ValueForm; given?: RuleValue | null; context?: Context } = {},
): BoundValue {
  const ref = { slot: 0, given, type, op, key: 'it', path: ['above', 'it'], param: 'filters' };
  return bindStatement({ sql: '', bindings: [{ from: 'value', ref, form }] }, [raw]).values(context)[0]!;
}

describe('a value', () => {
  it('of integers stands in for a fraction, so that the comparison stays true', () => {
    expect(['lt', 'lte', 'gt', 'gte'].map((op) => bound('1.5', 'integer', { op: op as PlanComparison }))).toEqual([
      2, 1, 1, 2,
    ]);
    expect(['lt', 'lte', 'gt', 'gte'].map((op) => bound('-1.5', 'biginteger', { op: op as PlanComparison }))).toEqual([
      -1n,
      -2n,
      -2n,
      -1n,
    ]);
    expect(bound('1.5', 'integer')).not.toBe(1);
    expect(bound('9007199254740993', 'biginteger')).toBe(9007199254740993n);
  });

  it('in a list is read item by item', () => {
    expect(bound(['1', '2.0'], 'integer', { op: 'in', form: 'list' })).toBe('[1,2]');
    expect(bound(['9007199254740993'], 'biginteger', { op: 'in', form: 'list' })).toBe('[9007199254740993]');
    expect(bound(['{"b":1,"a":2}'], 'json', { op: 'in', form: 'list' })).toBe(JSON.stringify(['{"a":2,"b":1}']));
  });

  it('that is a date of the process is the moment that it stands for', () => {
    expect(bound(new Date(5), 'datetime')).toBe(5);
    expect(bound(new Date('2024-02-29T12:00:00Z'), 'date')).toBe('2024-02-29');
  });

  it.each<[unknown, ScalarType]>([
    ['many', 'integer'],
    ['', 'decimal'],
    ['yes', 'boolean'],
    ['2023-02-29', 'date'],
    [new Date(Number.NaN), 'datetime'],
    ['a\0b', 'string'],
  ])('that cannot be read is refused with its place, and not repeated: %s as %s', (raw, type) => {
    const { status, message, details } = refusalOf(() => bound(raw, type));
    expect([status, details]).toEqual([400, { key: 'it', path: 'above.it', source: 'query', param: 'filters' }]);
    expect(message).toMatch(/^Invalid value for above\.it: expected /);
  });
});

describe('a value of the user who asks', () => {
  const given = { user: 'email' };

  it('is taken when the statement runs', () => {
    expect(bound('not this', 'string', { given, context: { user: { email: 'a@b.co' } } })).toBe('a@b.co');
    expect(bound(null, 'string', { given, form: 'list', context: { user: { email: 'a@b.co' } } })).toBe('["a@b.co"]');
  });

  it('that is not there is unknown, also in a list', () => {
    for (const user of [null, {}, { email: null }]) {
      expect(bound('x', 'string', { given, context: { user } })).toBeNull();
      expect(bound('x', 'string', { given, form: 'list', context: { user } })).toBe('[null]');
    }
  });
});

describe('a constant of a rule', () => {
  it('stands in the place of the slot', () => {
    expect(bound('not this', 'integer', { given: { constant: 7 } })).toBe(7);
  });
});
