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

  it.each<[string, ScalarType, readonly unknown[]]>([
    ['1.0000000000000001', 'integer', [2 ** 62, 2, 1, 1, 2]],
    ['-1.0000000000000001', 'integer', [2 ** 62, -1, -2, -2, -1]],
    ['10000000000000001e-16', 'biginteger', [1e300, 2n, 1n, 1n, 2n]],
    ['1e-400', 'integer', [2 ** 62, 1, 0, 0, 1]],
    ['9007199254740993e0', 'biginteger', Array(5).fill(9007199254740993n)],
    ['0x10', 'integer', [16, 16, 16, 16, 16]],
    ['1.20e1', 'integer', [12, 12, 12, 12, 12]],
    ['1.0000000000000001', 'decimal', [1e300, 1.0000000000000002, 1, 1, 1.0000000000000002]],
    ['-0.99999999999999999', 'decimal', [1e300, -1 + 2 ** -53, -1, -1, -1 + 2 ** -53]],
    ['0.99999999999999999', 'decimal', [1e300, 1, 1 - 2 ** -53, 1 - 2 ** -53, 1]],
    ['1e-400', 'decimal', [1e300, 5e-324, 0, 0, 5e-324]],
    ['0.10', 'decimal', [0.1, 0.1, 0.1, 0.1, 0.1]],
    ['-0.0', 'decimal', [-0, -0, -0, -0, -0]],
    ['1.0000000000000001', 'float', [1, 1, 1, 1, 1]],
  ])('keeps every digit: %s as %s', (written, type, expected) => {
    const operators: PlanComparison[] = ['eq', 'lt', 'lte', 'gt', 'gte'];
    expect(operators.map((op) => bound(written, type, { op }))).toEqual(expected);
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
