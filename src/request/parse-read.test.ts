// A whole read request: the parameters there are and no others, pagination, status, locale, publication and search.
// Filters, sort, fields and populate have tests of their own.
import { describe, expect, it } from 'vitest';
import { SheafError } from '../errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_LIST_ITEMS, MAX_OFFSET, MAX_PAGE_SIZE, MAX_SEARCH_LENGTH } from '../limits.ts';
import { FIRST_PAGE, NO_LIMIT, parseRead, type ReadDefaults, type ReadParameters } from './parse-read.ts';
import { parseQueryString } from './query-string.ts';
import type { Pagination, ReadRequest } from './read-request.ts';

const OVER_HTTP: ReadDefaults = { status: 'published', pagination: FIRST_PAGE };

const read = (query: string, defaults = OVER_HTTP): ReadRequest => parseRead(parseQueryString(query), defaults);
const pagination = (query: string): Pagination => read(query).pagination;

function refusal(parameters: ReadParameters): SheafError {
  try {
    parseRead(parameters, OVER_HTTP);
  } catch (error) {
    if (error instanceof SheafError) return error;
    throw error;
  }
  throw new Error('the request was accepted');
}

const refused = (query: string): SheafError => refusal(parseQueryString(query));

describe('a read request', () => {
  it('without parameters asks for the defaults it was given', () => {
    expect(read('')).toEqual({
      shape: {
        aggregate: null,
        facets: [],
        filters: null,
        sort: [],
        fields: null,
        populate: { all: false, at: {}, dotted: false },
        populatesByDefault: false,
        strict: false,
        status: 'published',
        locale: 'default',
        publication: null,
        search: null,
        cursor: null,
      },
      values: [],
      timezone: null,
      pagination: FIRST_PAGE,
    });
    expect(read('', { status: 'draft', pagination: NO_LIMIT })).toMatchObject({
      shape: { status: 'draft' },
      pagination: NO_LIMIT,
    });
  });

  it.each([
    ['timezone', 'the name of a time zone, such as Europe/Paris'],
    ['facets', 'a string or a list of strings'],
  ])('is refused where %s has no value', (key, expected) => {
    for (const query of [`${key}=`, key])
      expect(refused(query), query).toMatchObject({
        status: 400,
        message: `Invalid value for ${key}: expected ${expected}`,
      });
  });

  it('shares its shape with one that differs in values and page alone', () => {
    const one = read('filters[name]=a&locale=en&_q=x&populate[dishes][filters][price]=1&pagination[page]=1');
    const other = read('filters[name]=b&locale=fr&_q=y&populate[dishes][filters][price]=2&pagination[page]=2');
    expect(other.shape).toEqual(one.shape);
    expect([one.values, other.values]).toEqual([
      ['a', '1', ['en'], 'x'],
      ['b', '2', ['fr'], 'y'],
    ]);
  });

  it('has another shape for other names, operators, order, fields, status or kind of locale', () => {
    const queries = [
      '',
      'filters[a]=1',
      'filters[b]=1',
      'filters[a][$gt]=1',
      'filters[$or][0][a]=1&filters[$or][1][b]=1',
      'sort=a',
      'sort=a:desc',
      'fields=a',
      'populate=a',
      'populate[a]=false',
      'populate=*',
      'status=draft',
      'locale=*',
      'locale=en',
      'publicationFilter=modified',
      '_q=a',
    ];
    expect(new Set(queries.map((query) => JSON.stringify(read(query).shape))).size).toBe(queries.length);
  });

  it('is refused for a parameter that there is not', () => {
    for (const name of ['foo', 'filter', 'Filters', 'publicationState', 'toString'])
      expect(refused(`${name}=1`)).toMatchObject({
        status: 400,
        name: 'ValidationError',
        message: `Invalid key ${name}`,
        details: { key: name, path: null, source: 'query', param: name },
      });
  });

  it('is told where pagination belongs', () => {
    for (const name of ['page', 'pageSize', 'start', 'limit', 'withCount'])
      expect(refused(`${name}=1`)).toMatchObject({
        status: 400,
        name: 'PaginationError',
        message: `Invalid key ${name}: write pagination[${name}]`,
      });
  });
});

describe('pagination', () => {
  const page = (start: number, limit: number, withCount = true): Pagination => ({
    mode: 'page',
    start,
    limit,
    withCount,
  });
  const byCursor = (limit: number, withCount = false): Pagination => ({ mode: 'cursor', start: 0, limit, withCount });
  const offset = (start: number, limit: number): Pagination => ({ mode: 'offset', start, limit, withCount: true });

  it.each<[query: string, expected: Pagination]>([
    ['pagination[page]=1', page(0, DEFAULT_PAGE_SIZE)],
    ['pagination[page]=3&pagination[pageSize]=10', page(20, 10)],
    ['pagination[pageSize]=10', page(0, 10)],
    ['pagination[start]=5', offset(5, DEFAULT_PAGE_SIZE)],
    ['pagination[limit]=5', offset(0, 5)],
    ['pagination[start]=5&pagination[limit]=7', offset(5, 7)],
    // As a URL has it that is written over several lines.
    ['pagination[start]=%205&pagination[limit]=7%20%20%20', offset(5, 7)],
    ['pagination[withCount]=false', page(0, DEFAULT_PAGE_SIZE, false)],
    ['pagination[withCount]=0', page(0, DEFAULT_PAGE_SIZE, false)],
    ['pagination[withCount]=true&pagination[page]=2', page(DEFAULT_PAGE_SIZE, DEFAULT_PAGE_SIZE)],
    ['pagination', page(0, DEFAULT_PAGE_SIZE)],
    ['pagination[page]', page(0, DEFAULT_PAGE_SIZE)],
    ['pagination[pageSize]', page(0, DEFAULT_PAGE_SIZE)],
    ['pagination[start]', page(0, DEFAULT_PAGE_SIZE)],
    ['pagination[limit]', page(0, DEFAULT_PAGE_SIZE)],
    ['pagination[page]&pagination[limit]=5', offset(0, 5)],
    ['pagination[cursor]=', byCursor(DEFAULT_PAGE_SIZE)],
    ['pagination[cursor]=&pagination[pageSize]=5', byCursor(5)],
    ['pagination[cursor]=&pagination[withCount]=true', byCursor(DEFAULT_PAGE_SIZE, true)],
  ])('reads %s', (query, expected) => {
    expect(pagination(query)).toEqual(expected);
  });

  it('takes numbers from a caller in process', () => {
    expect(parseRead({ pagination: { page: 2, pageSize: 5, withCount: false } }, OVER_HTTP).pagination).toEqual(
      page(5, 5, false),
    );
  });

  it('counts what is below the first page as the first page, and below one entry as one', () => {
    expect(pagination('pagination[page]=0')).toEqual(page(0, DEFAULT_PAGE_SIZE));
    expect(pagination('pagination[page]=-7')).toEqual(page(0, DEFAULT_PAGE_SIZE));
    expect(pagination('pagination[pageSize]=0')).toEqual(page(0, 1));
    expect(pagination('pagination[pageSize]=-1')).toEqual(page(0, 1));
    expect(pagination('pagination[limit]=-1')).toEqual(offset(0, 1));
    expect(pagination('pagination[start]=-1')).toEqual(offset(0, DEFAULT_PAGE_SIZE));
  });

  it('gives the largest page to who asks for a larger one', () => {
    for (const key of ['pageSize', 'limit']) {
      expect(pagination(`pagination[${key}]=${MAX_PAGE_SIZE}`).limit).toBe(MAX_PAGE_SIZE);
      expect(pagination(`pagination[${key}]=${MAX_PAGE_SIZE + 1}`).limit).toBe(MAX_PAGE_SIZE);
    }
  });

  it('keeps the offset within what every database can count', () => {
    expect(pagination('pagination[page]=99999999999999999999').start).toBe(MAX_OFFSET);
    expect(pagination(`pagination[start]=${MAX_OFFSET + 1}`).start).toBe(MAX_OFFSET);
    expect(pagination('pagination[start]=1e300').start).toBe(MAX_OFFSET);
  });

  it.each<[query: string, message: string]>([
    ['pagination=5', 'Invalid value for pagination: expected an object, such as pagination[page]=1'],
    ['pagination[]=5', 'Invalid value for pagination: expected an object, such as pagination[page]=1'],
    ['pagination[nope]=1', 'Invalid key nope'],
    ['pagination[page]=abc', 'Invalid value for page: expected a whole number'],
    ['pagination[page]=1.5', 'Invalid value for page: expected a whole number'],
    ['pagination[page]=Infinity', 'Invalid value for page: expected a whole number'],
    ['pagination[page]=NaN', 'Invalid value for page: expected a whole number'],
    ['pagination[page]=%20', 'Invalid value for page: expected a whole number'],
    ['pagination[page][]=1', 'Invalid value for page: expected a whole number'],
    ['pagination[page][a]=1', 'Invalid value for page: expected a whole number'],
    ['pagination[withCount]=nope', 'Invalid value for withCount: expected true or false'],
    ['pagination[page]=', 'Invalid value for page: expected a whole number'],
    ['pagination[cursor]=&pagination[pageSize]=', 'Invalid value for pageSize: expected a whole number'],
    ['pagination[withCount]=', 'Invalid value for withCount: expected true or false'],
  ])('refuses %s', (query, message) => {
    const error = refused(query);
    expect(error).toMatchObject({ status: 400, message });
    expect(error.details).toMatchObject({ source: 'query', param: 'pagination' });
  });

  it('refuses pages and offsets together', () => {
    for (const query of [
      'pagination[page]=1&pagination[start]=0',
      'pagination[pageSize]=1&pagination[limit]=1',
      'pagination[page]=1&pagination[limit]=1',
    ])
      expect(refused(query)).toMatchObject({
        status: 400,
        name: 'PaginationError',
        message: 'Cannot use both page & offset pagination in the same query',
      });
  });
});

describe('status', () => {
  it('is draft or published', () => {
    expect(read('status=draft').shape.status).toBe('draft');
    expect(read('status=published').shape.status).toBe('published');
    expect(read('status=draft&status=draft').shape.status).toBe('draft');
  });

  it('is nothing else', () => {
    for (const query of [
      'status=',
      'status',
      'status=live',
      'status=Draft',
      'status[]=draft',
      'status=draft&status=published',
    ])
      expect(refused(query)).toMatchObject({
        status: 400,
        name: 'ValidationError',
        message: 'Invalid value for status: expected draft or published',
      });
  });
});

describe('locale', () => {
  it('is one code, several, all of them, or the default', () => {
    expect(read('locale=fr')).toMatchObject({ shape: { locale: 0 }, values: [['fr']] });
    expect(read('locale[]=fr&locale[]=en')).toMatchObject({ shape: { locale: 0 }, values: [['fr', 'en']] });
    expect(read('locale=*').shape.locale).toBe('all');
    for (const query of ['', 'locale', 'locale=']) expect(read(query).shape.locale).toBe('default');
    expect(read('filters[locale]=fr').shape.locale).toBe('all');
    expect(read('filters[locale]=fr&locale=en')).toMatchObject({ shape: { locale: 1 }, values: ['fr', ['en']] });
    for (const filters of ['filters[page][locale]=fr', 'filters[$or][0][locale]=fr'])
      expect(read(filters).shape.locale).toBe('default');
  });

  it('is nothing else', () => {
    for (const query of ['locale[x]=fr', 'locale[]=', 'locale=fr&locale=', 'locale[$in][]=fr', 'locale[][x]=fr'])
      expect(refused(query).message).toBe('Invalid value for locale: expected a locale code, a list of them, or *');
    expect(refusal({ locale: 5 }).message).toBe(
      'Invalid value for locale: expected a locale code, a list of them, or *',
    );
  });

  it('takes as many codes as the limit and not one more', () => {
    const codes = (count: number) => Array.from({ length: count }, (_, index) => `l${index}`);
    expect(parseRead({ locale: codes(MAX_LIST_ITEMS) }, OVER_HTTP).values).toEqual([codes(MAX_LIST_ITEMS)]);
    expect(refusal({ locale: codes(MAX_LIST_ITEMS + 1) }).details).toMatchObject({ limit: 'MAX_LIST_ITEMS' });
  });
});

describe('the publication filter', () => {
  it.each([
    'never-published',
    'has-published-version',
    'modified',
    'unmodified',
    'never-published-document',
    'has-published-version-document',
    'published-without-draft',
    'published-with-draft',
  ])('can be %s', (name) => {
    expect(read(`publicationFilter=${name}`).shape.publication).toBe(name);
  });

  it('can be said in the older way', () => {
    expect(read('hasPublishedVersion=true').shape.publication).toBe('has-published-version-document');
    expect(read('hasPublishedVersion=false').shape.publication).toBe('never-published-document');
    expect(parseRead({ hasPublishedVersion: true }, OVER_HTTP).shape.publication).toBe(
      'has-published-version-document',
    );
  });

  it('is refused in any other', () => {
    for (const query of ['publicationFilter=', 'publicationFilter=draft', 'publicationFilter[]=modified'])
      expect(refused(query).message).toMatch(/^Invalid value for publicationFilter: expected one of never-published, /);
    for (const query of ['hasPublishedVersion=', 'hasPublishedVersion=1', 'hasPublishedVersion[]=true'])
      expect(refused(query).message).toBe('Invalid value for hasPublishedVersion: expected true or false');
  });
});

describe('a search', () => {
  it('is a text, and an empty one is none', () => {
    expect(read('_q=pizza')).toMatchObject({ shape: { search: 0 }, values: ['pizza'] });
    for (const query of ['_q', '_q=']) expect(read(query).shape.search).toBeNull();
  });

  it('is nothing else', () => {
    for (const query of ['_q[]=pizza', '_q[a]=pizza', '_q=a&_q=b'])
      expect(refused(query).message).toBe('Invalid value for _q: expected a string');
  });

  it('takes as many characters as the limit and not one more', () => {
    expect(read(`_q=${'a'.repeat(MAX_SEARCH_LENGTH)}`).shape.search).toBe(0);
    expect(refused(`_q=${'a'.repeat(MAX_SEARCH_LENGTH + 1)}`).details).toMatchObject({
      limit: 'MAX_SEARCH_LENGTH',
      allowed: MAX_SEARCH_LENGTH,
    });
  });
});
