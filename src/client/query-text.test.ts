// Query strings of the client against the parser of the server: what one writes the other reads, and nothing is lost.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaled } from '../../test/support/scale.ts';
import { MAX_DEPTH } from '../limits.ts';
import { FIRST_PAGE, parseAggregateRead, parseRead } from '../request/parse-read.ts';
import { parseQueryString } from '../request/query-string.ts';
import { parse, type QueryValue, query } from './query-text.ts';

/** Objects of the parser have no prototype; for comparing, that does not matter. */
const read = (text: string): unknown => JSON.parse(JSON.stringify(parseQueryString(text)));

const isName = (text: string): boolean => text !== '' && !/[[\]]|^\d+$|__proto__/.test(text);
const strings = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', ' ', '+', '%', '%5B', '&=', ']=', '[]=', '$in', 'null', 'a,b', 'ō🌸', '\n', '#?'),
);
const names = fc.oneof(fc.constantFrom('filters', '$or', 'name', 'a.b', 'x-y', '1a', '01.'), strings.filter(isName));

/** Everything that the dialect can carry: strings, null, and lists and objects that are not empty. */
const { value } = fc.letrec<{ value: QueryValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    strings,
    fc.constant(null),
    fc.array(tie('value'), { minLength: 1, maxLength: 4 }),
    fc.dictionary(names, tie('value'), { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
  ),
}));
const objects = fc.dictionary(names, value, { maxKeys: 5, noNullPrototype: true });

/** A request as the server understands it; values are strings in a URL and need not be elsewhere. */
const meaning = (parameters: object): unknown => {
  const { values, ...rest } = parseRead(parameters, { status: 'published', pagination: FIRST_PAGE });
  return { ...rest, values: JSON.parse(JSON.stringify(values), (_key, one) => (isScalar(one) ? String(one) : one)) };
};
const isScalar = (one: unknown): boolean => typeof one !== 'object';

describe('query()', () => {
  it('writes what the server reads, and parse() reads it back, for everything that the dialect can carry', () => {
    fc.assert(
      fc.property(objects, (object) => {
        const text = query(object);
        expect(read(text)).toEqual(object);
        expect(parse(text)).toEqual(object);
        expect(parse(`?${text}`)).toEqual(object);
        // What a URL does to it on its way.
        expect(parse(new URL(`http://sheaf.example/?${text}`).search)).toEqual(object);
      }),
      { numRuns: scaled(300) },
    );
  });

  it('is legible, and carries numbers, booleans, dates and large integers as strings', () => {
    expect(
      query({
        filters: { chef: { name: { $eqi: 'Anne & Co' } }, open: true, visits: { $gt: 9007199254740993n } },
        sort: ['stars:desc', 'name'],
        pagination: { page: 2 },
        populate: 'chef.country,dishes',
        locale: undefined,
        _q: null,
      }),
    ).toBe(
      'filters[chef][name][$eqi]=Anne%20%26%20Co&filters[open]=true&filters[visits][$gt]=9007199254740993' +
        '&sort[0]=stars:desc&sort[1]=name&pagination[page]=2&populate=chef.country,dishes&_q',
    );
    expect(query({ at: new Date(0) })).toBe('at=1970-01-01T00:00:00.000Z');
    expect(query({})).toBe('');
  });

  it('means in a URL what it means in process, also where a list or an object is empty', () => {
    for (const parameters of [
      { filters: { id: { $in: [] } } },
      { filters: { id: { $notIn: [] }, name: ['a'] } },
      { filters: { id: [] } },
      { filters: { fields: [], dishes: { filters: { $in: [] } } } },
      { filters: {}, sort: [], fields: [], populate: {}, pagination: {} },
      { populate: { chef: {}, dishes: { filters: {}, sort: [], populate: { restaurant: {} } } } },
      { populate: { blocks: { on: { 'shared.link': {}, 'blocks.quote': { populate: 'author' } } } } },
      { filters: { $or: [{ stars: 3 }, { rating: { $null: true } }], $not: { name: { $between: ['a', 'a'] } } } },
      {
        filters: { meta: { $at: { tags: { $has: ['a', 'a'] } } }, categories: { $all: [1, 4] } },
        sort: { stars: 'desc' },
      },
    ])
      expect(meaning(parseQueryString(query(parameters))), query(parameters)).toEqual(meaning(parameters));
    const groups = { group: ['cuisine'], count: '*', having: { count: { $gt: 1 } }, sort: '-count' };
    const aggregate = (given: object) => parseAggregateRead(given, { status: 'published', pagination: FIRST_PAGE });
    expect(aggregate(parseQueryString(query(groups))).shape).toEqual(aggregate(groups).shape);
  });

  it('refuses what the dialect cannot say, naming the place, before a condition is lost', () => {
    for (const [parameters, message] of [
      [{ filters: { author: undefined } }, 'filters.author: a query cannot hold undefined'],
      [{ having: { count: { $gt: undefined } } }, 'having.count.$gt: a query cannot hold undefined'],
      [{ filters: { $or: [] } }, 'filters.$or: a query cannot hold an empty list'],
      [{ filters: { id: { $eq: [] } } }, 'filters.id.$eq: a query cannot hold an empty list'],
      [{ filters: { id: { $in: [[]] } } }, 'filters.id.$in.0: a query cannot hold an empty list'],
      [{ filters: { chef: {} } }, 'filters.chef: a query cannot hold an empty object'],
      [{ filters: { meta: { $at: { 2020: 'x' } } } }, 'filters.meta.$at.2020: a query cannot hold such a name'],
      [{ 'a[b]': 'x' }, 'a[b]: a query cannot hold such a name'],
    ] as const)
      expect(() => query(parameters), message).toThrow(new TypeError(message));
    expect(() => query({ name: '\ud800' })).toThrow(URIError);
    expect(parse(query({ filters: { deep: 'x' }, populate: undefined }))).toEqual({ filters: { deep: 'x' } });
  });
});

describe('parse()', () => {
  it('reads every form of a list, and of keys, as the server does', () => {
    for (const text of [
      'sort=a&sort=b&sort=a',
      'sort[]=a&sort[]=a&sort[]=b',
      'sort[1]=b&sort[0]=a',
      'sort[2]=b&sort[7]=c',
      'filters%5Bname%5D%5B%24eq%5D=D%C5%8Dj%C5%8D+bar',
      'a[$between]=1&a[$between]=1',
      'a=1&&b=2&a=1&',
      'a&b=&c=%zz&d=x%5Dy',
      'e.f=g&a[b.c]=d',
      `a${'[b]'.repeat(MAX_DEPTH)}=1`,
      '',
    ])
      expect(parse(text), text).toEqual(read(text));
    for (const text of ['[a]=b', 'a[b=c', 'a[__proto__][b]=c', 'a]b=c', 'a=b]=c']) {
      expect(() => parse(text), text).toThrow(SyntaxError);
      expect(() => read(text), text).toThrow('Invalid key');
    }
    expect(() => parse('a=1&a[b]=2')).toThrow(new SyntaxError('a: both a value and an object'));
  });
});
