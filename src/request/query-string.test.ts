// The bracket dialect of the query string: how it becomes objects and lists, and that nothing which does not fit a
// limit gets lost on the way.
import { describe, expect, it } from 'vitest';
import { SheafError } from '../errors.ts';
import { MAX_DEPTH, MAX_LIST_ITEMS, MAX_PARAMETERS } from '../limits.ts';
import { parseQueryString } from './query-string.ts';

/** Objects of the parser have no prototype; for comparing, that does not matter. */
const parsed = (text: string): unknown => JSON.parse(JSON.stringify(parseQueryString(text)));

function refusal(text: string): SheafError {
  try {
    parseQueryString(text);
  } catch (error) {
    if (error instanceof SheafError) return error;
    throw error;
  }
  throw new Error('the query string was accepted');
}

describe('a query string', () => {
  it('that is empty has nothing in it', () => {
    expect(parsed('')).toEqual({});
  });

  it('nests by brackets, whether or not they are encoded', () => {
    expect(parsed('filters[chef][name][$eq]=Anne')).toEqual({ filters: { chef: { name: { $eq: 'Anne' } } } });
    expect(parsed('filters%5Bname%5D%5B%24eq%5D=Anne')).toEqual({ filters: { name: { $eq: 'Anne' } } });
  });

  it('makes lists of indexes, of empty brackets and of repeated keys', () => {
    expect(parsed('sort[0]=a&sort[1]=b')).toEqual({ sort: ['a', 'b'] });
    expect(parsed('sort[]=a&sort[]=b')).toEqual({ sort: ['a', 'b'] });
    expect(parsed('sort=a&sort=b')).toEqual({ sort: ['a', 'b'] });
  });

  it('may hold pairs that are empty, and the same pair twice', () => {
    for (const text of ['a=1&&b=2', '&a=1&b=2', 'a=1&b=2&', 'a=1&b=2&&&', 'a=1&b=2&a=1'])
      expect(parsed(text), text).toEqual({ a: '1', b: '2' });
    expect(parsed('&')).toEqual({});
    expect(parsed('a=1&a=2&a=1')).toEqual({ a: ['1', '2'] });
  });

  it('keeps equal values where a list is meant', () => {
    expect(parsed('a[]=1&a[]=1')).toEqual({ a: ['1', '1'] });
    expect(parsed('a%5B%5D=1&a%5B%5D=1')).toEqual({ a: ['1', '1'] });
    for (const key of ['a[$between]', 'a%5B%24between%5D', 'a%5b%24between%5d', 'a[%24between]', 'a%5B$between%5D'])
      expect(parsed(`${key}=1&${key}=1`), key).toEqual({ a: { $between: ['1', '1'] } });
  });

  it('keeps the order of indexes, not the order they come in, and closes gaps', () => {
    expect(parsed('sort[1]=b&sort[0]=a')).toEqual({ sort: ['a', 'b'] });
    expect(parsed('sort[2]=b&sort[7]=c')).toEqual({ sort: ['b', 'c'] });
  });

  it('decodes names and values as UTF-8, a plus sign as a space', () => {
    expect(parsed('filters[name]=D%C5%8Dj%C5%8D+bar')).toEqual({ filters: { name: 'Dōjō bar' } });
    expect(parsed('filters[name]=a%2Bb%26c%3Dd')).toEqual({ filters: { name: 'a+b&c=d' } });
  });

  it('leaves values as texts, and takes neither commas nor dots for structure', () => {
    expect(parsed('a=1&b=true&c=null&d=x,y&e.f=g')).toEqual({ a: '1', b: 'true', c: 'null', d: 'x,y', 'e.f': 'g' });
  });

  it('tells a key without a value from one with an empty value', () => {
    expect(parsed('a&b=')).toEqual({ a: null, b: '' });
  });
});

describe('a query string past a limit is refused, and the one at the limit is not', () => {
  const parameters = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}=1`).join('&');
  const nested = (levels: number): string => `filters${'[a]'.repeat(levels)}=1`;
  const indexed = (count: number): string =>
    Array.from({ length: count }, (_, index) => `filters[id][$in][${index}]=${index}`).join('&');
  const repeated = (count: number): string => Array.from({ length: count }, () => 'sort[]=a').join('&');

  it('of parameters', () => {
    expect(Object.keys(parseQueryString(parameters(MAX_PARAMETERS)))).toHaveLength(MAX_PARAMETERS);
    expect(refusal(parameters(MAX_PARAMETERS + 1))).toMatchObject({
      status: 400,
      name: 'ValidationError',
      details: { limit: 'MAX_PARAMETERS', allowed: MAX_PARAMETERS },
    });
  });

  it('of levels', () => {
    expect(JSON.stringify(parsed(nested(MAX_DEPTH))).match(/"a"/g)).toHaveLength(MAX_DEPTH);
    expect(refusal(nested(MAX_DEPTH + 1))).toMatchObject({
      status: 400,
      name: 'ValidationError',
      details: { limit: 'MAX_DEPTH', allowed: MAX_DEPTH },
    });
  });

  it.each([
    ['with indexes', indexed],
    ['without', repeated],
  ])('of values in a list, %s', (_how, list) => {
    const [only] = Object.values(parseQueryString(list(MAX_LIST_ITEMS)));
    expect(JSON.stringify(only).split(',')).toHaveLength(MAX_LIST_ITEMS);
    expect(refusal(list(MAX_LIST_ITEMS + 1))).toMatchObject({
      status: 400,
      name: 'ValidationError',
      details: { limit: 'MAX_LIST_ITEMS', allowed: MAX_LIST_ITEMS },
    });
  });

  it('of an index alone, though the list would be short', () => {
    expect(parsed(`a[${MAX_LIST_ITEMS - 1}]=x`)).toEqual({ a: ['x'] });
    expect(refusal(`a[${MAX_LIST_ITEMS}]=x`).details).toMatchObject({ limit: 'MAX_LIST_ITEMS' });
  });
});

describe('a name that objects have by themselves', () => {
  it('is refused where it is the prototype', () => {
    for (const text of ['__proto__[x]=1', 'filters[__proto__][x]=1', 'filters[a][__proto__]=1', '__proto__=1'])
      expect(refusal(text)).toMatchObject({ status: 400, name: 'ValidationError', details: { key: '__proto__' } });
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it('is a name like any other elsewhere', () => {
    const { filters } = parseQueryString('filters[constructor][prototype]=1&filters[hasOwnProperty]=2') as {
      filters: Record<string, unknown>;
    };
    expect(JSON.parse(JSON.stringify(filters))).toEqual({ constructor: { prototype: '1' }, hasOwnProperty: '2' });
  });

  it('is an ordinary value', () => {
    expect(parsed('filters[name]=__proto__')).toEqual({ filters: { name: '__proto__' } });
  });
});
