// What a value of one type becomes in another.
import { describe, expect, it } from 'vitest';
import type { ScalarAttribute, ScalarType } from '../model/types.ts';
import { convertValue, isLossless } from './convert-value.ts';

const RULES = {
  unique: false,
  default: undefined,
  min: null,
  max: null,
  minLength: null,
  maxLength: null,
  regex: null,
  rounds: 10,
};
const of = (type: ScalarType, values: readonly string[] | null = null): ScalarAttribute => ({
  kind: 'scalar',
  name: 'value',
  type,
  column: 'value',
  searchable: false,
  private: false,
  writable: true,
  required: false,
  visibleWhen: null,
  localized: true,
  rules: { ...RULES, enum: values },
});
const NOON = Date.UTC(2024, 1, 29, 12, 30);
const PARAGRAPHS = [
  { type: 'paragraph', children: [{ type: 'text', text: 'one' }] },
  { type: 'paragraph', children: [{ type: 'text', text: 'two' }] },
];

describe('A value of another type', () => {
  it.each<[ScalarType, ScalarType, unknown, unknown]>([
    ['string', 'integer', ' 42 ', 42],
    ['string', 'float', '-1.5', -1.5],
    ['string', 'biginteger', '9007199254740993', 9_007_199_254_740_993n],
    ['string', 'boolean', 'true', 1],
    ['string', 'date', '2024-02-29', '2024-02-29'],
    ['string', 'datetime', '2024-02-29T12:30:00Z', NOON],
    ['text', 'json', '{"a":[1]}', '{"a":[1]}'],
    ['text', 'blocks', 'one\ntwo', JSON.stringify(PARAGRAPHS)],
    ['blocks', 'text', JSON.stringify(PARAGRAPHS), 'one\ntwo'],
    ['integer', 'string', 7, '7'],
    ['integer', 'boolean', 1, 1],
    ['integer', 'decimal', 7, 7],
    ['float', 'integer', 7, 7],
    ['biginteger', 'string', '9007199254740993', '9007199254740993'],
    ['boolean', 'string', 0, 'false'],
    ['boolean', 'integer', true, 1],
    ['datetime', 'date', NOON, '2024-02-29'],
    ['datetime', 'time', NOON, '12:30:00.000'],
    ['datetime', 'string', NOON, '2024-02-29T12:30:00.000Z'],
    ['date', 'datetime', '2024-02-29', Date.UTC(2024, 1, 29)],
    ['json', 'string', '"a"', 'a'],
    ['json', 'text', '{"a":1}', '{"a":1}'],
    ['json', 'integer', '3', 3],
  ])('%s to %s', (from, to, stored, value) => {
    expect(convertValue(of(from), of(to), stored)).toEqual({ value });
  });

  it.each<[ScalarType, ScalarType, unknown]>([
    ['string', 'integer', 'seven'],
    ['string', 'integer', '7.5'],
    ['string', 'date', '2023-02-29'],
    ['string', 'json', 'no json'],
    ['text', 'string', 'x'.repeat(256)],
    ['float', 'integer', 7.5],
    ['biginteger', 'integer', '3000000000'],
    ['integer', 'decimal', 2_000_000_000],
    ['integer', 'boolean', 2],
    ['integer', 'datetime', 2],
    ['date', 'integer', '2024-02-29'],
    ['json', 'blocks', '{"a":1}'],
    ['password', 'string', '$2b$10$x'],
    ['string', 'password', 'secret'],
  ])('cannot be made of %s to %s (%j)', (from, to, stored) => {
    const converted = convertValue(of(from), of(to), stored);
    expect(converted).not.toHaveProperty('value');
    expect(converted).toHaveProperty('problem', expect.any(String));
  });

  it('is one of those that an enumeration allows', () => {
    const colours = of('enumeration', ['red', 'green']);
    expect(convertValue(of('string'), colours, 'red')).toEqual({ value: 'red' });
    expect(convertValue(of('string'), colours, 'blue')).toEqual({ problem: expect.stringContaining('red, green') });
    expect(convertValue(of('string'), colours, null)).toEqual({ value: null });
  });

  it('is the same where nothing can be lost', () => {
    expect(isLossless(of('integer'), of('biginteger'))).toBe(true);
    expect(isLossless(of('biginteger'), of('integer'))).toBe(false);
    expect(isLossless(of('string'), of('text'))).toBe(true);
    expect(isLossless(of('text'), of('string'))).toBe(false);
  });
});
