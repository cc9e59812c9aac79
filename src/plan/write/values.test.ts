// What may be written into a column of each type, what of it is stored, and what a published value must satisfy.
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { modelOf } from '../../../test/support/project.ts';
import type { ScalarAttribute, ScalarType } from '../../model/types.ts';
import { decoderOf } from '../../read/encode.ts';
import { PatternTime } from './match-pattern.ts';
import { readValue, ruleProblem, shownValue } from './values.ts';

function attributeOf(type: ScalarType, options: object = {}): ScalarAttribute {
  const model = modelOf({
    types: { page: { attributes: { it: { type, ...(type === 'enumeration' && { enum: ['a', 'b'] }), ...options } } } },
  });
  return model.contentTypes.get('api::page.page')!.attributes.get('it') as ScalarAttribute;
}
/** The value that is stored; a problem ends the test. */
function stored(type: ScalarType, given: unknown, options: object = {}): unknown {
  const checked = readValue(attributeOf(type, options), given);
  if ('problem' in checked) throw new Error(checked.problem);
  return checked.value;
}
const problem = (type: ScalarType, given: unknown, options: object = {}): string | null => {
  const checked = readValue(attributeOf(type, options), given);
  return 'problem' in checked ? checked.problem : null;
};
const ruled = (type: ScalarType, options: object, value: string | number | bigint | null): string | null =>
  ruleProblem(attributeOf(type, options), value, new PatternTime());

/** A value as the name of a test can hold it. */
const shown = <Row extends readonly [ScalarType, ...unknown[]]>(rows: readonly Row[]) =>
  rows.map((row) => ({ name: `${row[0]}: ${inspect(row[1])}`, row }));

const HALF = '\ud800';

describe('a value', () => {
  it('is JSON however long its strings are', () => {
    const text = 'type-10'.repeat(3_000_000);
    expect(readValue(attributeOf('json'), text)).toEqual({ value: `"${text}"` });
  });

  it.each(
    shown<[ScalarType, unknown, unknown]>([
      ['string', 'a', 'a'],
      ['string', '', ''],
      ['text', 'a\nb', 'a\nb'],
      ['enumeration', 'b', 'b'],
      ['boolean', true, 1],
      ['boolean', 'false', 0],
      ['boolean', 0, 0],
      ['boolean', '1', 1],
      ['boolean', 'True', 1],
      ['boolean', 'FALSE', 0],
      ['integer', 5, 5],
      ['integer', ' -5 ', -5],
      ['integer', 2 ** 31 - 1, 2 ** 31 - 1],
      ['integer', -(2 ** 31), -(2 ** 31)],
      ['float', '1e3', 1000],
      ['decimal', 0.1, 0.1],
      ['decimal', '12345678901234.5', 12345678901234.5],
      ['decimal', ' -0.10 ', -0.1],
      ['decimal', '+1.50e-7', 1.5e-7],
      ['decimal', '0012.', 12],
      ['decimal', '1230000000000000000000000000', 1.23e27],
      ['decimal', '0x10', 16],
      ['float', '12345678901234.123456789', 12345678901234.123],
      ['biginteger', '9223372036854775807', 9223372036854775807n],
      ['biginteger', '-9223372036854775808', -9223372036854775808n],
      ['biginteger', '+12', 12n],
      ['biginteger', 12, 12n],
      ['biginteger', -(2 ** 53) + 1, -9007199254740991n],
      ['biginteger', 12n, 12n],
      ['date', '2024-02-29', '2024-02-29'],
      ['date', '2024-02-29T23:00:00-05:00', '2024-02-29'],
      ['time', '23:59:59', '23:59:59.000'],
      ['time', '00:00:00.5', '00:00:00.500'],
      ['datetime', '2024-01-01T00:00:00+01:00', Date.UTC(2023, 11, 31, 23)],
      ['datetime', '2024-01-01', Date.UTC(2024, 0, 1)],
      ['datetime', 1_700_000_000_000, 1_700_000_000_000],
      ['datetime', new Date(5), 5],
      ['timestamp', '1700000000000', 1_700_000_000_000],
      ['json', { b: [1, null], a: 'x' }, '{"b":[1,null],"a":"x"}'],
      ['json', 'text', '"text"'],
      ['json', Array(300).fill(1e308), `[${Array(300).fill('1e+308').join(',')}]`],
      ['json', Array(20_000).fill(6.02e23), `[${Array(20_000).fill('6.02e+23').join(',')}]`],
      ['json', Array(2_000).fill('\\"1e+308'), `[${Array(2_000).fill('"\\\\\\"1e+308"').join(',')}]`],
      ['json', false, 'false'],
      ['json', 'D:\\Udemy', '"D:\\\\Udemy"'],
      ['json', { path: 'C:\\udata', '\\ud800': '\\u0000' }, '{"path":"C:\\\\udata","\\\\ud800":"\\\\u0000"}'],
      ['json', '\u001b\\\\u0000 🍣', '"\\u001b\\\\\\\\u0000 🍣"'],
      ['blocks', [], '[]'],
    ]),
  )('is stored in one form: $name', ({ row: [type, given, value] }) => {
    expect(stored(type, given)).toEqual(value);
  });

  it.each(
    shown<[ScalarType, unknown]>([
      ['string', 5],
      ['string', ['a']],
      ['string', 'a\0b'],
      ['text', HALF],
      ['enumeration', 'c'],
      ['enumeration', 'constructor'],
      ['boolean', 'yes'],
      ['boolean', ' true'],
      ['boolean', 'T'],
      ['boolean', 2],
      ['integer', 1.5],
      ['integer', ''],
      ['integer', 'NaN'],
      ['integer', 2 ** 31],
      ['integer', -(2 ** 31) - 1],
      ['integer', true],
      ['float', Number.POSITIVE_INFINITY],
      ['float', '1e400'],
      ['decimal', {}],
      ['biginteger', '9223372036854775808'],
      ['biginteger', '1.0'],
      ['biginteger', 1.5],
      ['biginteger', 2 ** 53],
      ['biginteger', -(2 ** 53)],
      ['biginteger', 1e300],
      ['decimal', '12345678901234.123456789'],
      ['decimal', '9007199254740993'],
      ['decimal', '0.1000000000000000055511151231257827'],
      ['decimal', '1e-400'],
      ['integer', '1.00000000000000000000001'],
      ['json', Number.POSITIVE_INFINITY],
      ['json', { list: [null, 1, Number.NEGATIVE_INFINITY] }],
      ['json', { nested: { number: Number.NaN } }],
      ['json', Array(2_000).fill(1e308)],
      ['blocks', [{ type: 'paragraph', children: [{ type: 'text', text: '', far: Array(2_000).fill(-1e-300) }] }]],
      ['biginteger', '0x10'],
      ['date', '2023-02-29'],
      ['date', '0000-01-01'],
      ['date', 20240101],
      ['time', '24:00:00'],
      ['time', '12:00'],
      ['datetime', 'tomorrow'],
      ['datetime', '2024-13-01'],
      ['datetime', new Date(Number.NaN)],
      ['timestamp', '99999999999999999'],
      ['json', undefined],
      ['json', { number: 1n }],
      ['json', { text: 'a\0b' }],
      ['json', [HALF]],
      ['json', { [HALF]: 1 }],
      ['json', `\\${HALF}`],
      ['json', '\\\\\0'],
      ['blocks', [{ type: 'paragraph', children: [{ type: 'text', text: '\\\0' }] }]],
      ['blocks', [{ type: 'nosuch' }]],
      ['blocks', 'text'],
    ]),
  )('is refused where it is none of its type: $name', ({ row: [type, given] }) => {
    expect(problem(type, given)).toEqual(expect.any(String));
  });

  it('may be null for every type', () => {
    const types: ScalarType[] = [
      'string',
      'password',
      'enumeration',
      'boolean',
      'integer',
      'biginteger',
      'date',
      'time',
      'datetime',
      'json',
      'blocks',
    ];
    for (const type of types) expect(stored(type, null), type).toBeNull();
  });

  it('is never repeated in what is told of it', () => {
    const secret = 'hunter2hunter2';
    for (const type of [
      'integer',
      'boolean',
      'date',
      'time',
      'datetime',
      'enumeration',
      'biginteger',
      'blocks',
    ] as const)
      expect(problem(type, secret), type).not.toContain('hunter2');
  });
});

describe('a number that would be changed', () => {
  it('is refused with what to send in its place', () => {
    expect(problem('biginteger', 2 ** 53)).toBe(
      'must be a string beyond 9007199254740991, where numbers are not exact',
    );
    expect(problem('decimal', '0.12345678901234567890')).toBe('must have at most 15 significant digits');
    expect(problem('json', [Number.POSITIVE_INFINITY])).toBe('must hold finite numbers');
  });

  it('is never stored as another', () => {
    const decimal = attributeOf('decimal');
    const digits = fc.stringMatching(/^[0-9]{1,12}$/);
    fc.assert(
      fc.property(digits, digits, (whole, fraction) => {
        const checked = readValue(decimal, `${whole}.${fraction}`);
        const exact = `${BigInt(whole)}.${fraction}`.replace(/\.?0*$/, '');
        if ('problem' in checked) expect(exact.length).toBeGreaterThan(16);
        else if (!String(checked.value).includes('e')) expect(String(checked.value)).toBe(exact);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('upper bounds', () => {
  it('hold at once: at the bound and not one above', () => {
    expect(problem('string', 'x'.repeat(255))).toBeNull();
    expect(problem('string', 'x'.repeat(256))).toBe('must be at most 255 characters');
    expect(problem('text', 'x'.repeat(10_000))).toBeNull();
    expect(problem('text', 'abc', { maxLength: 2 })).toBe('must be at most 2 characters');
    expect(problem('string', 'x'.repeat(256), { maxLength: 300 })).toBe('must be at most 255 characters');
    expect(problem('integer', 5, { max: 5 })).toBeNull();
    expect(problem('integer', 6, { max: 5 })).toBe('must be less than or equal to 5');
    expect(problem('biginteger', '9007199254740993', { max: '9007199254740993' })).toBeNull();
    expect(problem('biginteger', '9007199254740994', { max: '9007199254740993' })).not.toBeNull();
  });

  it('of passwords are of bytes, since no more of them would be compared', () => {
    expect(problem('password', 'x'.repeat(72))).toBeNull();
    expect(problem('password', 'x'.repeat(73))).toBe('must be at most 72 bytes');
    expect(problem('password', 'é'.repeat(37))).toBe('must be at most 72 bytes');
  });
});

describe('a published value', () => {
  it('must be there where it is required, but may be empty', () => {
    expect(ruled('string', { required: true }, null)).toBe('must be a `string` type, but the final value was: `null`.');
    expect(ruled('decimal', { required: true }, null)).toContain('`number` type');
    expect(ruled('boolean', { required: true }, null)).toContain('`boolean` type');
    expect(ruled('blocks', { required: true }, null)).toContain('`array` type');
    for (const type of ['biginteger', 'date', 'time', 'datetime', 'json'] as const)
      expect(ruled(type, { required: true }, null)).toContain('`mixed` type');
    expect(ruled('string', { required: true }, '')).toBeNull();
    expect(ruled('string', {}, null)).toBeNull();
    expect(ruled('integer', { required: true }, 0)).toBeNull();
  });

  it('keeps to its lower bounds', () => {
    expect(ruled('string', { minLength: 2 }, 'a')).toBe('must be at least 2 characters');
    expect(ruled('string', { minLength: 2 }, 'ab')).toBeNull();
    expect(ruled('integer', { min: 0 }, -1)).toBe('must be greater than or equal to 0');
    expect(ruled('integer', { min: 0 }, 0)).toBeNull();
    expect(ruled('biginteger', { min: '9007199254740993' }, 9007199254740992n)).not.toBeNull();
    expect(ruled('biginteger', { min: '9007199254740993' }, 9007199254740993n)).toBeNull();
  });

  it('matches its pattern, unless it is empty and not required', () => {
    expect(ruled('string', { regex: '^[A-Z]+$' }, 'AB')).toBeNull();
    expect(ruled('string', { regex: '^[A-Z]+$' }, 'ab')).toBe('must match the following: "/^[A-Z]+$/"');
    expect(ruled('string', { regex: '^[A-Z]+$' }, '')).toBeNull();
    expect(ruled('string', { regex: '^[A-Z]+$', required: true }, '')).toContain('must match');
  });

  it.each(['a@b.co', 'first.last+tag@sub.example.com', "o'neil@example.com"])('may be the address %s', (value) => {
    expect(ruled('email', {}, value)).toBeNull();
  });

  it.each(['', 'a', 'a@b', '@b.co', 'a@', 'a b@c.de', 'a@b..co', 'a@b.co,c@d.ef', '<a@b.co>', 'a@b.co\n'])(
    'is not the address %j',
    (value) => {
      expect(ruled('email', {}, value)).toEqual(expect.any(String));
    },
  );

  it('is refused where its pattern does not come to an end', () => {
    expect(() => ruled('string', { regex: '^(a+)+$' }, `${'a'.repeat(60)}!`)).toThrow(/MAX_PATTERN_MS/);
  });

  it('of the type uid can stand in a path', () => {
    expect(ruled('uid', {}, 'a-B_9.~')).toBeNull();
    expect(ruled('uid', {}, 'a b')).toBe('must match the following: "/^[A-Za-z0-9-_.~]*$/"');
    expect(ruled('uid', {}, 'a/b')).not.toBeNull();
    expect(ruled('uid', {}, '')).toBeNull();
  });

  it('of the type uid matches its own pattern even where it is empty, as no other string has to', () => {
    expect(ruled('uid', { regex: '^[a-z]+$' }, '')).toBe('must match the following: "/^[a-z]+$/"');
    expect(ruled('string', { regex: '^[a-z]+$' }, '')).toBeNull();
  });

  it('of JSON is not taken for a string', () => {
    expect(ruled('json', { required: true }, '""')).toBeNull();
  });
});

describe('any value at all', () => {
  const types: ScalarType[] = [
    'string',
    'text',
    'email',
    'uid',
    'password',
    'enumeration',
    'integer',
    'biginteger',
    'float',
    'decimal',
    'boolean',
    'date',
    'time',
    'datetime',
    'timestamp',
    'json',
    'blocks',
  ];
  const attributes = types.map((type) => attributeOf(type));

  it('is stored or refused, and what is stored can be bound, and is shown as it is read', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...attributes),
        fc.anything({ withBigInt: true, withDate: true }),
        (attribute, given) => {
          const checked = readValue(attribute, given);
          if ('problem' in checked) return;
          const { value } = checked;
          const bindable = value === null || ['string', 'bigint'].includes(typeof value) || Number.isFinite(value);
          expect(bindable).toBe(true);
          if (typeof value === 'string') expect(value.isWellFormed() && !value.includes('\0')).toBe(true);
          expect(shownValue(attribute.type, value)).toEqual(decoderOf(attribute.type, false)(value));
        },
      ),
      {
        numRuns: 1_000,
        examples: (['integer', 'float', 'decimal'] as const).map((type): [ScalarAttribute, unknown] => [
          attributeOf(type),
          -0,
        ]),
      },
    );
  });

  it('of JSON is stored unless a string in it has a null character or half a surrogate pair', () => {
    const json = attributeOf('json');
    const part = fc.constantFrom('\\', 'u', '0000', 'd800', 'D', '"', '\0', HALF, '\u001b', '🍣');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
        const given = parts.join('');
        const storable = given.isWellFormed() && !given.includes('\0');
        for (const value of [given, { [given]: [given] }]) expect('value' in readValue(json, value)).toBe(storable);
      }),
      { numRuns: 2_000 },
    );
  });
});
