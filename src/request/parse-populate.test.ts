// The populate grammar: every form it can be written in, the tree each becomes, and what is refused.
import { describe, expect, it } from 'vitest';
import { SheafError } from '../errors.ts';
import { MAX_DEPTH, MAX_LIST_ITEMS, MAX_POPULATE_DEPTH, MAX_POPULATE_NODES } from '../limits.ts';
import { rootLocation } from './grammar.ts';
import { Slots } from './parse-filters.ts';
import { NO_POPULATE, parsePopulate } from './parse-populate.ts';
import { parseQueryString } from './query-string.ts';
import type { PopulateNode, PopulateShape } from './read-request.ts';

const parse = (populate: unknown): PopulateShape => parsePopulate(populate, rootLocation('populate'), new Slots());
const parseQuery = (query: string): PopulateShape => parse(parseQueryString(query).populate);

function refusal(populate: unknown): SheafError {
  try {
    parse(populate);
  } catch (error) {
    if (error instanceof SheafError) return error;
    throw error;
  }
  throw new Error('the parameter was accepted');
}

const node = (options: Partial<PopulateNode> = {}): PopulateNode => ({
  fields: null,
  filters: null,
  sort: [],
  populate: NO_POPULATE,
  count: false,
  page: null,
  on: null,
  ...options,
});
const dotted = (at: Record<string, PopulateNode>): PopulateShape => ({ all: false, at, dotted: true });
const named = (at: Record<string, PopulateNode | null>): PopulateShape => ({ all: false, at, dotted: false });
const EVERY: PopulateShape = { all: true, at: {}, dotted: false };

describe('populate', () => {
  it.each<[query: string, shape: PopulateShape]>([
    ['', NO_POPULATE],
    ['populate', NO_POPULATE],
    ['populate=', NO_POPULATE],
    ['populate=*', EVERY],
    ['populate=chef', dotted({ chef: node() })],
    ['populate=chef,categories', dotted({ chef: node(), categories: node() })],
    ['populate= chef , categories ,', dotted({ chef: node(), categories: node() })],
    ['populate[0]=chef&populate[1]=categories', dotted({ chef: node(), categories: node() })],
    ['populate=chef&populate=categories', dotted({ chef: node(), categories: node() })],
    ['populate=chef.country', dotted({ chef: node({ populate: dotted({ country: node() }) }) })],
    ['populate[]=chef.country&populate[]=chef', dotted({ chef: node({ populate: dotted({ country: node() }) }) })],
    [
      'populate=chef.country,chef.mentor',
      dotted({ chef: node({ populate: dotted({ country: node(), mentor: node() }) }) }),
    ],
    ['populate[chef]=true', named({ chef: node() })],
    ['populate[chef]=1&populate[owner]=t', named({ chef: node(), owner: node() })],
    ['populate[chef]=false', named({ chef: null })],
    ['populate[chef][fields]=name,age', named({ chef: node({ fields: ['name', 'age'] }) })],
    ['populate[chef][fields][0]=name', named({ chef: node({ fields: ['name'] }) })],
    [
      'populate[dishes][sort]=price:desc',
      named({ dishes: node({ sort: [{ path: ['price'], aggregate: null, descending: true }] }) }),
    ],
    ['populate[dishes][count]=true', named({ dishes: node({ count: true }) })],
    ['populate[dishes][count]=false', named({ dishes: node() })],
    ['populate[chef][populate]=*', named({ chef: node({ populate: EVERY }) })],
    ['populate=false', NO_POPULATE],
    ['populate[chef]=*', named({ chef: node({ populate: EVERY }) })],
    ['populate[chef][populate]=true', named({ chef: node({ populate: EVERY }) })],
    ['populate[chef][populate]=false', named({ chef: node() })],
    [
      'populate[blocks][on][blocks.quote]=*',
      named({ blocks: node({ on: { 'blocks.quote': node({ populate: EVERY }) } }) }),
    ],
    ['populate[chef][populate]=country', named({ chef: node({ populate: dotted({ country: node() }) }) })],
    ['populate[chef][populate][country]=true', named({ chef: node({ populate: named({ country: node() }) }) })],
    [
      'populate[chef][populate][country][fields]=name',
      named({ chef: node({ populate: named({ country: node({ fields: ['name'] }) }) }) }),
    ],
    [
      'populate[blocks][on][blocks.quote]=true&populate[blocks][on][shared.link][fields]=url',
      named({ blocks: node({ on: { 'blocks.quote': node(), 'shared.link': node({ fields: ['url'] }) } }) }),
    ],
    ['populate[blocks][on][blocks.quote]=false', named({ blocks: node({ on: {} }) })],
  ])('reads %s', (query, shape) => {
    expect(parseQuery(query)).toEqual(shape);
  });

  it('reads the forms that only a caller in process can give', () => {
    expect(parse(true)).toEqual(EVERY);
    expect(parse({ chef: true, owner: false })).toEqual(named({ chef: node(), owner: null }));
    expect(parse({ chef: {} })).toEqual(named({ chef: node() }));
    expect(parse([])).toEqual(dotted({}));
  });

  it('keeps the values of its filters in slots beside those of the request', () => {
    const slots = new Slots();
    slots.put('a value from before');
    const query = parseQueryString('populate[dishes][filters][price][$gt]=10&populate[dishes][filters][vegan]=true');
    const shape = parsePopulate(query.populate, rootLocation('populate'), slots);
    expect(shape.at.dishes?.filters).toEqual({
      is: 'and',
      of: [
        { is: 'at', name: 'price', of: { is: 'compare', op: 'gt', slot: 1 } },
        { is: 'at', name: 'vegan', of: { is: 'compare', op: 'eq', slot: 2 } },
      ],
    });
    expect(slots.values).toEqual(['a value from before', '10', 'true']);
  });

  it.each<[query: string, message: string]>([
    ['populate[*]=true', 'Invalid key *'],
    ['populate=chef,*', 'Invalid key *'],
    ['populate=chef.*', 'Invalid key * at chef'],
    ['populate=chef..country', 'Invalid key chef..country'],
    ['populate=.chef', 'Invalid key .chef'],
    ['populate[chef]=country', 'Invalid key country at chef'],
    ['populate[chef]=', 'Invalid value for chef: expected true, or an object of options'],
    ['populate[chef]', 'Invalid value for chef: expected true, or an object of options'],
    ['populate[chef][]=country', 'Invalid value for chef: expected true, or an object of options'],
    ['populate[chef][limit]=1', 'Invalid key limit at chef'],
    ['populate[chef][populate][country][nope]=1', 'Invalid key nope at chef.country'],
    ['populate[chef][filters][$eq]=1', 'Invalid key $eq at chef: it stands under the name of an attribute'],
    [
      'populate[chef][filters][name][$nope]=1',
      'Invalid key $nope at chef.name: there is no such operator; did you mean $none?',
    ],
    ['populate[chef][sort]=name:up', 'Invalid value for chef: expected asc or desc'],
    ['populate[chef][fields]=', 'Invalid key  at chef'],
    ['populate[chef][count]=many', 'Invalid key count at chef'],
    ['populate[blocks][on]=blocks.quote', 'Invalid key on at blocks'],
    ['populate[blocks][on][]=blocks.quote', 'Invalid key on at blocks'],
    ['populate[0][chef]=true', 'Invalid value for populate: expected a string, a list of strings or an object'],
    ['populate[0]=chef&populate[chef]=true', 'Invalid key 0'],
  ])('refuses %s', (query, message) => {
    const error = refusal(parseQueryString(query).populate);
    expect(error).toMatchObject({ status: 400, name: 'ValidationError', message });
    expect(error.details).toMatchObject({ source: 'query', param: 'populate' });
  });

  it('refuses what is neither text, list nor object', () => {
    for (const value of [1, new Date(0), [1], [['chef']]])
      expect(refusal(value).message).toBe(
        'Invalid value for populate: expected a string, a list of strings or an object',
      );
  });

  it('takes a name that objects have by themselves for a name', () => {
    const shape = parse('constructor,__proto__');
    expect(Object.keys(shape.at)).toEqual(['constructor', '__proto__']);
    expect(({} as Record<string, unknown>).fields).toBeUndefined();
  });
});

describe('populate past a limit is refused, and the one at the limit is not', () => {
  const path = (levels: number): string => Array.from({ length: levels }, () => 'a').join('.');
  const nested = (levels: number): object => {
    let shape: object = { a: true };
    for (let level = 1; level < levels; level++) shape = { a: { populate: shape } };
    return shape;
  };

  it('of levels, dotted', () => {
    expect(parse(path(MAX_POPULATE_DEPTH)).at.a).toBeDefined();
    expect(refusal(path(MAX_POPULATE_DEPTH + 1)).details).toEqual({
      limit: 'MAX_POPULATE_DEPTH',
      allowed: MAX_POPULATE_DEPTH,
      param: 'populate',
    });
  });

  it('of levels, nested, and of dotted below nested', () => {
    expect(parse(nested(MAX_POPULATE_DEPTH)).at.a).toBeDefined();
    // One more of these is one too many for the levels of any object as well; either limit may be the one that is named.
    expect(refusal(nested(MAX_POPULATE_DEPTH + 1)).details.limit).toMatch(/^MAX_(POPULATE_)?DEPTH$/);
    const mixed = (levels: number) => ({ a: { populate: path(levels) } });
    expect(parse(mixed(MAX_POPULATE_DEPTH - 1)).at.a).toBeDefined();
    expect(refusal(mixed(MAX_POPULATE_DEPTH)).details).toMatchObject({ limit: 'MAX_POPULATE_DEPTH' });
  });

  it('of levels, without overflowing on an object that holds itself', () => {
    const endless: Record<string, unknown> = {};
    endless.a = { populate: endless };
    expect(refusal(endless).details).toMatchObject({ limit: 'MAX_DEPTH', allowed: MAX_DEPTH });
  });

  it('of attributes, counted over the whole tree', () => {
    const names = (count: number) => Array.from({ length: count }, (_, index) => `a${index}`);
    expect(Object.keys(parse(names(MAX_POPULATE_NODES)).at)).toHaveLength(MAX_POPULATE_NODES);
    const tooMany = { limit: 'MAX_POPULATE_NODES', allowed: MAX_POPULATE_NODES, param: 'populate' };
    expect(refusal(names(MAX_POPULATE_NODES + 1)).details).toEqual(tooMany);
    const spread = { a: { populate: names(MAX_POPULATE_NODES / 2) }, b: { populate: names(MAX_POPULATE_NODES / 2) } };
    expect(refusal(spread).details).toEqual(tooMany);
    const on = Object.fromEntries(names(MAX_POPULATE_NODES).map((uid) => [uid, true]));
    expect(refusal({ zone: { on } }).details).toEqual(tooMany);
  });

  it('of texts in a list', () => {
    const same = (count: number) => Array.from({ length: count }, () => 'a');
    expect(parse(same(MAX_LIST_ITEMS)).at.a).toBeDefined();
    expect(refusal(same(MAX_LIST_ITEMS + 1)).details).toMatchObject({ limit: 'MAX_LIST_ITEMS' });
  });
});
