// The sort and fields grammars: the forms each accepts, what they become, and what is refused.
import { describe, expect, it } from 'vitest';
import { SheafError } from '../errors.ts';
import { MAX_DEPTH, MAX_LIST_ITEMS, MAX_SORT_KEYS } from '../limits.ts';
import { rootLocation } from './grammar.ts';
import { parseFields, parseSort } from './parse-sort.ts';
import { parseQueryString } from './query-string.ts';
import type { SortKey } from './read-request.ts';

const sort = (query: string): SortKey[] => parseSort(parseQueryString(query).sort, rootLocation('sort'));
const fields = (query: string): string[] | null => parseFields(parseQueryString(query).fields, rootLocation('fields'));
const up = (...path: string[]): SortKey => ({ path, aggregate: null, descending: false });
const down = (...path: string[]): SortKey => ({ path, aggregate: null, descending: true });

function refusal(parse: () => unknown): SheafError {
  try {
    parse();
  } catch (error) {
    if (error instanceof SheafError) return error;
    throw error;
  }
  throw new Error('the parameter was accepted');
}

describe('sort', () => {
  it.each<[query: string, keys: SortKey[]]>([
    ['', []],
    ['sort', []],
    ['sort=dishes.$count:desc', [{ path: ['dishes'], aggregate: 'count', descending: true }]],
    ['sort[dishes][price][$avg]=asc', [{ path: ['dishes', 'price'], aggregate: 'avg', descending: false }]],
    ['sort=', []],
    ['sort=,', []],
    ['sort=name', [up('name')]],
    ['sort=name:asc', [up('name')]],
    ['sort=name:desc', [down('name')]],
    ['sort=name:DESC', [down('name')]],
    ['sort=stars:desc,name', [down('stars'), up('name')]],
    ['sort= stars:desc , name ', [down('stars'), up('name')]],
    ['sort=name,', [up('name')]],
    ['sort=chef.country.name:desc', [down('chef', 'country', 'name')]],
    ['sort[0]=stars:desc&sort[1]=name', [down('stars'), up('name')]],
    ['sort=stars:desc&sort=name', [down('stars'), up('name')]],
    ['sort[]=stars:desc,name&sort[]=id', [down('stars'), up('name'), up('id')]],
    ['sort[stars]=desc&sort[name]=asc', [down('stars'), up('name')]],
    ['sort[chef][name]=DESC', [down('chef', 'name')]],
    ['sort[0][stars]=desc&sort[1][chef][name]=asc', [down('stars'), up('chef', 'name')]],
    ['sort[name]=', []],
  ])('reads %s', (query, keys) => {
    expect(sort(query)).toEqual(keys);
  });

  it.each<[query: string, message: string]>([
    ['sort=name:sideways', 'Invalid value for sort: expected asc or desc'],
    ['sort=name:', 'Invalid value for sort: expected asc or desc'],
    ['sort=name:asc:desc', 'Invalid value for sort: expected one direction, asc or desc, after a name'],
    ['sort=:asc', 'Invalid key '],
    ['sort=.name', 'Invalid key .name'],
    ['sort=chef..name', 'Invalid key chef..name'],
    ['sort[name]=up', 'Invalid value for name: expected asc or desc'],
    ['sort[chef][name]=up', 'Invalid value for chef.name: expected asc or desc'],
    ['sort[name][]=asc', 'Invalid value for name: expected asc or desc'],
    ['sort[0]=name&sort[x]=asc', 'Invalid key 0'],
  ])('refuses %s', (query, message) => {
    const error = refusal(() => sort(query));
    expect(error).toMatchObject({ status: 400, name: 'ValidationError', message });
    expect(error.details).toMatchObject({ source: 'query', param: 'sort' });
  });

  it('refuses what is neither text, list nor object', () => {
    for (const value of [1, true, new Date(0)])
      expect(refusal(() => parseSort(value, rootLocation('sort'))).message).toBe(
        'Invalid value for sort: expected a string, a list or an object',
      );
  });

  it('takes as many keys as the limit and not one more', () => {
    const query = (count: number) => `sort=${Array.from({ length: count }, (_, index) => `a${index}`).join(',')}`;
    expect(sort(query(MAX_SORT_KEYS))).toHaveLength(MAX_SORT_KEYS);
    expect(refusal(() => sort(query(MAX_SORT_KEYS + 1))).details).toMatchObject({
      limit: 'MAX_SORT_KEYS',
      allowed: MAX_SORT_KEYS,
    });
  });

  it('refuses a path that goes too deep, nested or dotted alike', () => {
    const nested = `sort${'[a]'.repeat(MAX_DEPTH + 1)}=asc`;
    expect(refusal(() => sort(nested)).details).toMatchObject({ limit: 'MAX_DEPTH' });
    const dotted = `sort=${Array.from({ length: MAX_DEPTH + 1 }, () => 'a').join('.')}`;
    expect(refusal(() => sort(dotted))).toMatchObject({ status: 400, name: 'ValidationError' });
  });

  it('does not overflow on a list or an object that holds itself', () => {
    const list: unknown[] = [];
    list.push(list);
    const object: Record<string, unknown> = {};
    object.a = object;
    for (const endless of [list, object])
      expect(refusal(() => parseSort(endless, rootLocation('sort'))).details).toMatchObject({ limit: 'MAX_DEPTH' });
  });
});

describe('fields', () => {
  it.each<[query: string, names: string[] | null]>([
    ['', null],
    ['fields', null],
    ['fields=*', null],
    ['fields[]=*', null],
    ['fields=name', ['name']],
    ['fields=name,stars', ['name', 'stars']],
    ['fields= name , stars ', ['name', 'stars']],
    ['fields[0]=name&fields[1]=stars', ['name', 'stars']],
    ['fields=name&fields=stars', ['name', 'stars']],
    ['fields[0]= name&fields[1]=stars ', ['name', 'stars']],
    ['fields[]= * ', null],
    ['fields=name,name', ['name']],
    ['fields[0]=*&fields[1]=name', ['*', 'name']],
    ['fields[]', []],
    ['fields[0]=name&fields[1]', ['name']],
  ])('reads %s', (query, names) => {
    expect(fields(query)).toEqual(names);
  });

  it.each<[query: string, message: string]>([
    ['fields=', 'Invalid key '],
    ['fields=name,', 'Invalid key '],
    ['fields[]=', 'Invalid key '],
    ['fields[name]=true', 'Invalid value for fields: expected a string or a list of strings'],
    ['fields[0][name]=true', 'Invalid value for fields: expected a string or a list of strings'],
  ])('refuses %s', (query, message) => {
    const error = refusal(() => fields(query));
    expect(error).toMatchObject({ status: 400, name: 'ValidationError', message });
    expect(error.details).toMatchObject({ source: 'query', param: 'fields' });
  });

  it('takes an empty list in process for all of them', () => {
    expect(parseFields([], rootLocation('fields'))).toBeNull();
  });

  it('takes as many names as the limit and not one more', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);
    expect(parseFields(names(MAX_LIST_ITEMS), rootLocation('fields'))).toHaveLength(MAX_LIST_ITEMS);
    const tooMany = () => parseFields(names(MAX_LIST_ITEMS + 1), rootLocation('fields'));
    expect(refusal(tooMany).details).toMatchObject({ limit: 'MAX_LIST_ITEMS' });
  });
});
