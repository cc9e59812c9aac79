// The filter grammar: which forms are accepted, what tree of conditions each becomes, which are refused and with
// what words. Whether names exist and values fit is not decided here.
import { describe, expect, it } from 'vitest';
import { SheafError } from '../errors.ts';
import { MAX_DEPTH, MAX_FILTER_NODES, MAX_LIST_ITEMS } from '../limits.ts';
import { rootLocation } from './grammar.ts';
import { parseFilters, Slots } from './parse-filters.ts';
import { parseQueryString } from './query-string.ts';
import type { FilterNode } from './read-request.ts';

interface Parsed {
  readonly tree: FilterNode | null;
  readonly values: readonly unknown[];
}

function parse(filters: unknown): Parsed {
  const slots = new Slots();
  return { tree: parseFilters(filters, rootLocation('filters'), slots), values: slots.values };
}

const parseQuery = (query: string): Parsed => parse(parseQueryString(query).filters);

function refusal(filters: unknown): SheafError {
  try {
    parse(filters);
  } catch (error) {
    if (error instanceof SheafError) return error;
    throw error;
  }
  throw new Error('the filter was accepted');
}

const refusedQuery = (query: string): SheafError => refusal(parseQueryString(query).filters);

const at = (name: string, of: FilterNode): FilterNode => ({ is: 'at', name, of });
const compare = (op: string, slot: number): FilterNode => ({ is: 'compare', op, slot }) as FilterNode;

describe('a filter', () => {
  it('that is absent, null or empty asks for nothing', () => {
    for (const nothing of [undefined, null, {}]) expect(parse(nothing)).toEqual({ tree: null, values: [] });
  });

  it.each([
    '$eq',
    '$ne',
    '$lt',
    '$lte',
    '$gt',
    '$gte',
    '$eqi',
    '$nei',
    '$contains',
    '$notContains',
    '$containsi',
    '$notContainsi',
    '$startsWith',
    '$startsWithi',
    '$endsWith',
    '$endsWithi',
  ])('compares with one value by %s', (operator) => {
    expect(parseQuery(`filters[name][${operator}]=x`)).toEqual({
      tree: at('name', compare(operator.slice(1), 0)),
      values: ['x'],
    });
  });

  it.each(['$in', '$notIn'])('takes one value or several under %s', (operator) => {
    const tree = at('name', compare(operator.slice(1), 0));
    expect(parseQuery(`filters[name][${operator}]=x`)).toEqual({ tree, values: [['x']] });
    expect(parseQuery(`filters[name][${operator}][0]=x&filters[name][${operator}][1]=y`)).toEqual({
      tree,
      values: [['x', 'y']],
    });
    expect(parse({ name: { [operator]: [] } })).toEqual({ tree, values: [[]] });
    expect(parseQuery(`filters[name][${operator}]`)).toEqual({ tree, values: [[]] });
  });

  it('takes exactly two values under $between', () => {
    expect(parseQuery('filters[stars][$between][0]=1&filters[stars][$between][1]=3')).toEqual({
      tree: at('stars', compare('between', 0)),
      values: [['1', '3']],
    });
    for (const values of ['1', [], ['1'], ['1', '2', '3']])
      expect(refusal({ stars: { $between: values } }).message).toBe(
        'Invalid value for stars.$between: expected exactly two values',
      );
  });

  it.each([
    ['$null', true, 'null'],
    ['$null', 'true', 'null'],
    ['$null', 't', 'null'],
    ['$null', '1', 'null'],
    ['$null', 1, 'null'],
    ['$null', false, 'notNull'],
    ['$null', 'false', 'notNull'],
    ['$null', 'f', 'notNull'],
    ['$null', '0', 'notNull'],
    ['$null', 0, 'notNull'],
    ['$notNull', 'true', 'notNull'],
    ['$notNull', 'false', 'null'],
  ])('reads %s with %j as %s', (operator, operand, is) => {
    expect(parse({ name: { [operator]: operand } }).tree).toEqual(at('name', { is } as FilterNode));
  });

  it('takes a bare value for $eq, a list for $in and a null for $null', () => {
    expect(parseQuery('filters[name]=x')).toEqual({ tree: at('name', compare('eq', 0)), values: ['x'] });
    expect(parseQuery('filters[name]=')).toEqual({ tree: at('name', compare('eq', 0)), values: [''] });
    expect(parseQuery('filters[name][]=x')).toEqual({ tree: at('name', compare('in', 0)), values: [['x']] });
    expect(parse({ name: null }).tree).toEqual(at('name', { is: 'null' }));
    expect(parse({ name: { $eq: null } }).tree).toEqual(at('name', { is: 'null' }));
    expect(parse({ name: { $ne: null } }).tree).toEqual(at('name', { is: 'notNull' }));
    expect(parseQuery('filters[name][$eqi]').tree).toEqual(at('name', { is: 'null' }));
    expect(parseQuery('filters[name][$nei]').tree).toEqual(at('name', { is: 'notNull' }));
    expect(parse({ name: { $eqi: ['x', null] } }).tree).toEqual(
      at('name', { is: 'or', of: [compare('eqi', 0), { is: 'null' }] }),
    );
  });

  it('takes a list under $eq for $in and under $ne for $notIn', () => {
    expect(parse({ name: { $eq: ['x', 'y'] } })).toEqual({ tree: at('name', compare('in', 0)), values: [['x', 'y']] });
    expect(parse({ name: { $ne: ['x', 'y'] } })).toEqual({
      tree: at('name', compare('notIn', 0)),
      values: [['x', 'y']],
    });
  });

  it('understands a null among the values of a list', () => {
    expect(parse({ name: { $in: ['x', null] } })).toEqual({
      tree: at('name', { is: 'or', of: [compare('in', 0), { is: 'null' }] }),
      values: [['x']],
    });
    expect(parse({ name: { $notIn: ['x', null] } })).toEqual({
      tree: at('name', { is: 'and', of: [compare('notIn', 0), { is: 'notNull' }] }),
      values: [['x']],
    });
  });

  it('wants one of several texts under a positive operator and none of them under a negative one', () => {
    const list = { name: { $contains: ['x', 'y'] } };
    expect(parse(list)).toEqual({
      tree: at('name', { is: 'or', of: [compare('contains', 0), compare('contains', 1)] }),
      values: ['x', 'y'],
    });
    for (const operator of ['$nei', '$notContains', '$notContainsi'])
      expect(parse({ name: { [operator]: ['x', 'y'] } }).tree).toMatchObject({ of: { is: 'and' } });
    expect(refusal({ name: { $contains: [] } }).message).toBe(
      'Invalid value for name.$contains: expected at least one value',
    );
  });

  it('wants all of several names and all of several operators, and mixes them up in no way', () => {
    expect(parseQuery('filters[name]=x&filters[stars][$gte]=1&filters[stars][$lt]=3')).toEqual({
      tree: {
        is: 'and',
        of: [at('name', compare('eq', 0)), at('stars', { is: 'and', of: [compare('gte', 1), compare('lt', 2)] })],
      },
      values: ['x', '1', '3'],
    });
  });

  it('follows relations by nested names', () => {
    expect(parseQuery('filters[chef][country][code][$eq]=IT')).toEqual({
      tree: at('chef', at('country', at('code', compare('eq', 0)))),
      values: ['IT'],
    });
    expect(parseQuery('filters[chef][$null]=true').tree).toEqual(at('chef', { is: 'null' }));
  });

  it('keeps values of every kind that a caller in process can give', () => {
    const day = new Date(0);
    expect(parse({ a: 1, b: true, c: 10n, d: day, e: 'x' }).values).toEqual([1, true, 10n, day, 'x']);
  });

  it('has the same shape for other values', () => {
    expect(parseQuery('filters[name][$in][]=a&filters[stars]=1').tree).toEqual(
      parseQuery('filters[name][$in][]=b&filters[name][$in][]=c&filters[stars]=2').tree,
    );
  });
});

describe('a logical operator', () => {
  const a = at('a', compare('eq', 0));
  const b = at('b', compare('eq', 1));

  it.each(['and', 'or'])('joins the members of a list: $%s', (is) => {
    expect(parseQuery(`filters[$${is}][0][a]=1&filters[$${is}][1][b]=2`)).toEqual({
      tree: { is, of: [a, b] },
      values: ['1', '2'],
    });
  });

  it('takes a single object for a list of one', () => {
    expect(parseQuery('filters[$or][a]=1').tree).toEqual(a);
    expect(parseQuery('filters[$and][a]=1').tree).toEqual(a);
    expect(parseQuery('filters[$not][a]=1').tree).toEqual({ is: 'not', of: a });
  });

  it('wants all keys of a member, even under $or', () => {
    expect(parseQuery('filters[$or][0][a]=1&filters[$or][0][b]=2&filters[$or][1][c]=3').tree).toEqual({
      is: 'or',
      of: [{ is: 'and', of: [a, b] }, at('c', compare('eq', 2))],
    });
  });

  it('denies all members of a list together under $not', () => {
    expect(parseQuery('filters[$not][0][a]=1&filters[$not][1][b]=2').tree).toEqual({
      is: 'not',
      of: { is: 'and', of: [a, b] },
    });
  });

  it('stands beside other keys without touching them', () => {
    expect(parseQuery('filters[a]=1&filters[$or][0][b]=2&filters[$or][1][c]=3&filters[$not][d]=4').tree).toEqual({
      is: 'and',
      of: [a, { is: 'or', of: [b, at('c', compare('eq', 2))] }, { is: 'not', of: at('d', compare('eq', 3)) }],
    });
  });

  it('nests in another', () => {
    expect(
      parseQuery('filters[$or][0][$and][0][a]=1&filters[$or][0][$and][1][$not][b]=2&filters[$or][1][c]=3').tree,
    ).toEqual({
      is: 'or',
      of: [{ is: 'and', of: [a, { is: 'not', of: b }] }, at('c', compare('eq', 2))],
    });
  });

  it('works below a relation', () => {
    expect(parseQuery('filters[chef][$or][0][a]=1&filters[chef][$or][1][b]=2').tree).toEqual(
      at('chef', { is: 'or', of: [a, b] }),
    );
  });

  it('works on an attribute, with operators and with bare values', () => {
    expect(parseQuery('filters[stars][$or][0][$eq]=1&filters[stars][$or][1][$gt]=3')).toEqual({
      tree: at('stars', { is: 'or', of: [compare('eq', 0), compare('gt', 1)] }),
      values: ['1', '3'],
    });
    expect(parseQuery('filters[stars][$or][0]=1&filters[stars][$or][1]=3').tree).toEqual(
      at('stars', { is: 'or', of: [compare('eq', 0), compare('eq', 1)] }),
    );
    expect(parseQuery('filters[stars][$not][$gt]=3').tree).toEqual(at('stars', { is: 'not', of: compare('gt', 0) }));
    expect(parseQuery('filters[stars][$not]=3').tree).toEqual(at('stars', { is: 'not', of: compare('eq', 0) }));
  });

  it('is refused without a condition', () => {
    for (const operator of ['$and', '$or', '$not']) {
      const word = `Invalid value for ${operator}: expected`;
      expect(refusal({ [operator]: [] }).message).toBe(`${word} at least one condition`);
      for (const operand of ['x', null, true, ['x']])
        expect(refusal({ [operator]: operand }).message).toBe(`${word} an object, or a list of objects`);
    }
  });
});

describe('a filter is refused with its key and path', () => {
  it.each([
    ['filters=x', 'Invalid value for filters: expected an object of conditions', { param: 'filters' }],
    ['filters[]=x', 'Invalid key 0', { key: '0', path: null }],
    ['filters[$eq]=x', 'Invalid key $eq: it stands under the name of an attribute', { key: '$eq', path: null }],
    [
      'filters[$null]=true',
      'Invalid key $null: it stands under the name of an attribute',
      { key: '$null', path: null },
    ],
    ['filters[$or][0][$eq]=x', 'Invalid key $eq: it stands under the name of an attribute', { key: '$eq', path: null }],
    [
      'filters[chef][name][$like]=x',
      'Invalid key $like at chef.name: there is no such operator',
      { key: '$like', path: 'chef.name' },
    ],
    [
      'filters[name][$EQ]=x',
      'Invalid key $EQ at name: there is no such operator; did you mean $eq?',
      { key: '$EQ', path: 'name' },
    ],
    [
      'filters[name][$contain]=x',
      'Invalid key $contain at name: there is no such operator; did you mean $contains?',
      { key: '$contain', path: 'name' },
    ],
    [
      'filters[$none][name]=x',
      'Invalid key $none: it stands under the name of a relation or component',
      { key: '$none', path: null },
    ],
    ['filters[$at][x]=1', 'Invalid key $at: it stands under the name of a JSON attribute', { key: '$at', path: null }],
    ['filters[name][$eq][x]=1', 'Invalid key x at name', { key: 'x', path: 'name' }],
    ['filters[name][$in][0][x]=1', 'Invalid key x at name', { key: 'x', path: 'name' }],
    ['filters[name][$in][x]=1', 'Invalid key x at name', { key: 'x', path: 'name' }],
    ['filters[name][$in][0]=1&filters[name][$in][x]=2', 'Invalid key 0 at name', { key: '0', path: 'name' }],
    ['filters[name]=1&filters[name][$gt]=0', 'Invalid key $gt at name', { key: '$gt', path: 'name' }],
    [
      'filters[name][$null]=maybe',
      'Invalid value for name.$null: expected true or false',
      { key: '$null', path: 'name' },
    ],
    ['filters[name][$null]=', 'Invalid value for name.$null: expected true or false', { key: '$null', path: 'name' }],
    ['filters[name][$gt]', 'Invalid value for name.$gt: expected a value', { key: '$gt', path: 'name' }],
  ])('%s', (query, message, details) => {
    const error = refusedQuery(query);
    expect(error).toMatchObject({ status: 400, name: 'ValidationError', message });
    expect(error.details).toMatchObject({ ...details, source: 'query', param: 'filters' });
  });

  it('where an object has no keys, or an empty one', () => {
    expect(refusal({ name: {} }).message).toBe('Invalid value for name: expected a condition');
    expect(refusal({ '': 'x' }).details).toMatchObject({ key: '' });
  });

  it('where a value is nothing that can be compared', () => {
    for (const value of [undefined, () => 1, Symbol('x')])
      expect(refusal({ name: { $eq: value } }).message).toBe('Invalid value for name.$eq: expected a value');
  });

  it('and never with the value that was sent', () => {
    for (const query of ['filters[name][$null]=s3cret', 'filters[$or]=s3cret', 'filters[a][$between]=s3cret'])
      expect(JSON.stringify([refusedQuery(query).message, refusedQuery(query).details])).not.toContain('s3cret');
  });
});

describe('a filter past a limit is refused, and the one at the limit is not', () => {
  const nested = (levels: number): object => {
    let filter: object = { $eq: 1 };
    for (let level = 1; level < levels; level++) filter = { a: filter };
    return filter;
  };

  it('of levels, also where no query string has counted them', () => {
    expect(parse(nested(MAX_DEPTH)).values).toEqual([1]);
    expect(refusal(nested(MAX_DEPTH + 1)).details).toMatchObject({ limit: 'MAX_DEPTH', allowed: MAX_DEPTH });
  });

  it('of levels, without overflowing on an object that holds itself', () => {
    const endless: Record<string, unknown> = {};
    endless.a = endless;
    expect(refusal(endless).details).toMatchObject({ limit: 'MAX_DEPTH' });
    const list: unknown[] = [];
    list.push(list);
    expect(refusal({ $or: list }).details).toMatchObject({ limit: 'MAX_DEPTH' });
  });

  it('of conditions, however they are written', () => {
    const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, 1]));
    expect(parse(names(MAX_FILTER_NODES)).values).toHaveLength(MAX_FILTER_NODES);
    const tooMany = { limit: 'MAX_FILTER_NODES', allowed: MAX_FILTER_NODES, param: 'filters' };
    expect(refusal(names(MAX_FILTER_NODES + 1)).details).toEqual(tooMany);
    const texts = (count: number) => ({ name: { $contains: Array.from({ length: count }, () => 'x') } });
    expect(parse(texts(MAX_FILTER_NODES - 2)).values).toHaveLength(MAX_FILTER_NODES - 2);
    expect(refusal(texts(MAX_FILTER_NODES - 1)).details).toEqual(tooMany);
    const members = (count: number) => ({ $or: Array.from({ length: count }, () => ({ a: 1 })) });
    expect(refusal(members(MAX_FILTER_NODES)).details).toEqual(tooMany);
  });

  it('of values in a list', () => {
    const values = (count: number) => ({ id: { $in: Array.from({ length: count }, (_, index) => index) } });
    expect(parse(values(MAX_LIST_ITEMS)).values).toHaveLength(1);
    expect(refusal(values(MAX_LIST_ITEMS + 1)).details).toMatchObject({ limit: 'MAX_LIST_ITEMS' });
  });
});

describe('an operator on a set', () => {
  const counted = (tests: object[], zeroPasses: boolean, where: FilterNode | null = null): FilterNode =>
    ({ is: 'count', tests, where, zeroPasses, asksForAny: false }) as FilterNode;

  it.each<[query: string, of: FilterNode, values: unknown[]]>([
    ['filters[a][$some][b]=1', { is: 'some', of: at('b', compare('eq', 0)) }, ['1']],
    ['filters[a][$none]=3', { is: 'none', of: compare('eq', 0) }, ['3']],
    ['filters[a][$every][]=3&filters[a][$every][]=4', { is: 'every', of: compare('in', 0) }, [['3', '4']]],
    ['filters[a][$all]=3', { is: 'all', slots: [0], isList: false, whole: 'all' }, ['3']],
    [
      'filters[a][$all][]=x&filters[a][$all][]=y',
      { is: 'all', slots: [0, 1], isList: false, whole: 'none' },
      ['x', 'y'],
    ],
    [
      'filters[a][$all][]=x&filters[a][$all][]=3',
      { is: 'all', slots: [0, 1], isList: false, whole: 'some' },
      ['x', '3'],
    ],
    [
      `filters[a]${[1, 2, 3, 4, 5].map((id) => `[$all][]=${id}`).join('&filters[a]')}`,
      { is: 'all', slots: [0], isList: true, whole: 'all' },
      [['1', '2', '3', '4', '5']],
    ],
    ['filters[a][$count]=3', counted([{ op: 'eq', slot: 0 }], false), ['3']],
    ['filters[a][$count][$eq][]=0&filters[a][$count][$eq][]=1', counted([{ op: 'in', slot: 0 }], true), [['0', '1']]],
    [
      'filters[a][$count][$gte]=1&filters[a][$count][where][b]=x&filters[a][$count][$lt]=5',
      counted(
        [
          { op: 'gte', slot: 0 },
          { op: 'lt', slot: 2 },
        ],
        false,
        at('b', compare('eq', 1)),
      ),
      ['1', 'x', '5'],
    ],
    ['filters[a][$at][b]=1', { is: 'path', slot: 0, length: 1, of: compare('eq', 1) }, [['b'], '1']],
    [
      'filters[a][$at][b][c][$has]=x',
      {
        is: 'path',
        slot: 0,
        length: 1,
        of: { is: 'path', slot: 1, length: 2, of: compare('has', 2) },
      },
      [['b'], ['b', 'c'], 'x'],
    ],
  ])('is read: %s', (query, of, values) => {
    expect(parseQuery(query)).toEqual({ tree: at('a', of), values });
  });

  it('of numbers knows whether it only asks for any entry', () => {
    const asksForAny = (tests: object): boolean => {
      const { tree } = parse({ a: { $count: tests } });
      return (tree as { of: { asksForAny: boolean } }).of.asksForAny;
    };
    for (const tests of [{ $eq: 0 }, { $ne: 0 }, { $lt: 1 }, { $lte: 0 }, { $gt: '0' }, { $gte: 1 }, { $lt: 0.5 }])
      expect(asksForAny(tests), JSON.stringify(tests)).toBe(true);
    for (const tests of [
      { $eq: 1 },
      { $ne: 1 },
      { $lt: 2 },
      { $gt: 1 },
      { $gte: 0 },
      { $in: [0] },
      { $gte: 1, $lt: 3 },
      { $between: [0, 0] },
      { $between: [1, 5] },
      { $eq: 'x' },
    ])
      expect(asksForAny(tests), JSON.stringify(tests)).toBe(false);
  });

  it('of numbers knows whether no entry at all would pass', () => {
    const passing = (tests: object): boolean => {
      const { tree } = parse({ a: { $count: tests } });
      return (tree as { of: { zeroPasses: boolean } }).of.zeroPasses;
    };
    for (const tests of [
      { $eq: 0 },
      { $ne: 1 },
      { $lt: '0.5' },
      { $lte: 0 },
      { $gt: -1 },
      { $gte: '0' },
      { $in: [2, '0'] },
      { $notIn: [1] },
      { $between: [-1, 0] },
      { $gte: 0, $lt: 3 },
    ])
      expect(passing(tests), JSON.stringify(tests)).toBe(true);
    for (const tests of [
      { $eq: 1 },
      { $ne: 0 },
      { $lt: 0 },
      { $lte: '-0.5' },
      { $gt: 0 },
      { $gte: 0.5 },
      { $in: [] },
      { $notIn: [0] },
      { $between: [1, 2] },
      { $gte: 0, $gt: 0 },
    ])
      expect(passing(tests), JSON.stringify(tests)).toBe(false);
  });
});
