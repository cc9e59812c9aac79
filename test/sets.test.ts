// Filters that speak of all related entries, of what is inside of JSON and of dates from now, over HTTP and in process:
// every example of the documentation with what it finds, what is refused, and what is hinted at. What they mean is
// held against a naive evaluator in laws.test.ts.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Sheaf } from '../src/app.ts';
import { HINT_HEADER } from '../src/http/headers.ts';
import { createServer } from '../src/http/server.ts';
import type { FindParameters } from '../src/operations/parameters.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { userWith } from './support/rules.ts';

const RESTAURANT = 'api::restaurant.restaurant';
/** The day that docs/questions.md speaks of. */
const TODAY = '2026-11-16T12:00:00.000Z';

const page = (name: string): string => readFileSync(fileURLToPath(new URL(`../docs/${name}`, import.meta.url)), 'utf8');

interface Example {
  readonly title: string;
  readonly request: string;
  readonly finds: string;
}

/** Rows of tables that say what a query finds. */
const TABLES = page('api.md').split(/^\| `GET (\S+)\?` +\| finds +\|$/m);
const EXAMPLES: readonly Example[] = TABLES.slice(1).flatMap((path, index, all) => {
  if (index % 2 === 1) return [];
  const rows = all[index + 1]!.split('\n\n')[0]!.matchAll(/^\| `(\S+)` +\| (.+?) +\|$/gm);
  return [...rows].map(([, query, finds]) => ({ title: query!, request: `${path}?${query}`, finds: finds! }));
});

const QUESTIONS: readonly Example[] = [
  ...page('questions.md').matchAll(/^\*\*(.+)\*\*\n\n```\nGET ([^`]+)\n```\n\n((?:.+\n)+)/gm),
].map(([, title, request, finds]) => ({
  title: title!,
  request: request!.replaceAll(/\s+/g, ''),
  finds: finds!.trim().replaceAll('\n', ' '),
}));

const setTime = (instant: string): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(instant) });
};
afterEach(() => {
  vi.useRealTimers();
});

describe('The documentation', () => {
  it('has examples for every operator, and at least thirty questions', () => {
    expect(QUESTIONS.length).toBeGreaterThanOrEqual(30);
    const all = [...EXAMPLES, ...QUESTIONS].map(({ request }) => request).join('\n');
    for (const operator of [
      '$some',
      '$none',
      '$every',
      '$all',
      '$count',
      '$at',
      '$has',
      '$min',
      '$max',
      '$avg',
      'now-',
    ])
      expect(all).toContain(operator);
    expect(EXAMPLES.length).toBeGreaterThan(12);
  });
});

describeOnEveryDatabase('A filter on sets', (engine) => {
  let sheaf: Sheaf;
  let app: FastifyInstance;
  beforeAll(async () => {
    sheaf = await engine.open();
    app = createServer(sheaf);
  });
  afterAll(() => app.close());

  async function get(request: string) {
    const response = await app.inject(request);
    return { response, body: response.json() };
  }

  async function names(request: string): Promise<string> {
    const { body } = await get(request);
    expect(body.error, request).toBeUndefined();
    const entries: Record<string, unknown>[] = body.data;
    return entries.map(({ name, title, comment }) => name ?? title ?? comment).join(', ');
  }

  it.each(EXAMPLES)('finds what the documentation says: $title', async ({ request, finds }) => {
    expect(await names(request)).toBe(finds);
  });

  it.each(QUESTIONS)('answers: $title', async ({ request, finds }) => {
    setTime(TODAY);
    expect(await names(request)).toBe(finds);
  });

  it('has the total of its entries where few are left out', async () => {
    for (const [list, relation, of, attribute] of [
      ['articles', 'tags', 'tags', 'label'],
      ['articles', 'authors', 'authors', 'name'],
      ['restaurants', 'categories', 'categories', 'name'],
    ]) {
      const { body } = await get(`/api/${of}?pagination[pageSize]=100`);
      const values = new Set<string>(body.data.map((entry: Record<string, string>) => entry[attribute!]!));
      let leftOut = 0;
      for (const value of [...values, 'nothing'])
        for (const rest of ['', '&status=draft', '&sort=documentId', '&locale=fr', '&filters[createdAt][$null]=true']) {
          const all = await get(`/api/${list}?pagination[pageSize]=100${rest}`);
          const none = `filters[${relation}][$none][${attribute}]=${encodeURIComponent(value)}`;
          const { data, meta } = (await get(`/api/${list}?${none}&pagination[pageSize]=100${rest}`)).body;
          expect(meta.pagination.total, `${list} ${none}${rest}`).toBe(data.length);
          leftOut += all.body.data.length - data.length;
        }
      expect(leftOut, list).toBeGreaterThan(0);
    }
  });

  it('is the same in process', async () => {
    const filters = {
      dishes: { $every: { vegan: true }, $count: { $gte: 1, where: { price: { $lt: 5 } } } },
      categories: { name: { $all: ['Street_food', '100% vegan'] } },
      $not: { chef: { $none: { age: null } } },
    };
    const found = await sheaf.documents(RESTAURANT).findMany({ filters, sort: 'dishes.$count:desc' });
    expect(found.map(({ name }) => name)).toEqual(['El_Elote']);
    // Every kind of number is a number, also where it says that there are none.
    const countOf = ($eq: number | string | bigint) =>
      sheaf.documents(RESTAURANT).count({ filters: { dishes: { $count: { $eq } } } });
    expect(await Promise.all([0, '0', 0n].map(countOf))).toEqual([3, 3, 3]);
    const at: FindParameters = { filters: { meta: { $at: { seats: { $between: [5, 10] } } } } };
    expect((await sheaf.documents(RESTAURANT).findMany(at)).map(({ name }) => name)).toEqual(['Dōjō']);
  });

  it.each([
    [
      'filters[name][$some][x]=1',
      'Invalid operator $some at name: it stands under the name of a relation or component',
    ],
    ['filters[$none][name]=x', 'Invalid key $none: it stands under the name of a relation or component'],
    ['filters[name][$all][]=x', 'Invalid operator $all at name: it stands under the name of a relation or component'],
    ['filters[id][$all][]=1', 'Invalid operator $all at id: it stands under the name of a relation or component'],
    ['filters[chef][$count]=1', 'Invalid operator $count at chef: it stands under a relation to many'],
    ['filters[address][$count]=1', 'Invalid operator $count at address: it stands under a relation to many'],
    ['filters[chef][name][$all][]=x', 'Invalid operator $all at chef.name: it stands under a relation to many'],
    ['filters[dishes][$some][$count]=1', 'Invalid operator $count at dishes.$some: it stands under the name'],
    ['filters[dishes][$any][name]=x', 'Invalid key $any at dishes: there is no such operator'],
    ['filters[dishes][$none]', 'Invalid value for dishes.$none: expected a condition'],
    [
      'filters[dishes][$none]=vegan',
      'Invalid value for dishes.$none: expected the id of an entry; to compare an attribute of it',
    ],
    ['filters[dishes][$none][nosuch]=1', 'Invalid key nosuch at dishes'],
    ['filters[dishes][$count]=many', 'Invalid value for dishes.$count: expected a number'],
    ['filters[dishes][$count]=', 'Invalid value for dishes.$count: expected a number'],
    ['filters[dishes][$count]=true', 'Invalid value for dishes.$count: expected a number'],
    ['filters[dishes][$count][$gte]=x', 'Invalid value for dishes.$count: expected a number'],
    ['filters[dishes][$count][$contains]=1', 'Invalid key $contains at dishes: a number is compared by $eq, $ne,'],
    ['filters[dishes][$count][where][vegan]=true', 'Invalid value for dishes.$count: expected a number to compare'],
    ['filters[dishes][$count][$between][]=1', 'Invalid value for dishes.$count.$between: expected exactly two'],
    ['filters[categories][$all]', 'Invalid value for categories.$all: expected a value'],
    ['filters[categories][$all][]=1&filters[categories][$all][]=x', 'expected ids or documentIds, not both'],
    ['filters[openingHours][$all][]=x', 'Invalid value for openingHours.$all: expected ids'],
    ['filters[categories][rank][$all][]=high', 'Invalid value for categories.rank.$all: expected a number'],
    ['filters[name][$at][x]=1', 'Invalid operator $at at name: only JSON attributes have keys'],
    ['filters[name][$has]=1', 'Invalid operator $has at name: only JSON attributes hold lists'],
    ['filters[meta][$at]=1', 'Invalid value for meta.$at: expected an object of keys and conditions'],
    ['filters[meta][$at][$gte]=1', 'Invalid key $gte at meta: it stands under a key'],
    ['filters[meta][$at][seats][$gt]=true', 'expected a number or a string'],
    [
      'filters[meta][$at][seats][$some]=1',
      'Invalid key $some at meta.seats: nothing is related to what is inside of JSON',
    ],
    ['filters[meta][$gte]=1', 'Invalid operator $gte at meta: JSON attributes have no order'],
    ['filters[openedOn][$gt]=now-7x', 'expected a date, yyyy-MM-dd, or one told from now'],
    ['filters[openedOn][$gt]=now+9000y', 'expected a date, yyyy-MM-dd, or one told from now'],
    ['filters[kitchenCloses][$gt]=now', 'expected a time'],
    ['timezone=Mars/Base', 'Invalid value for timezone: expected the name of a time zone, such as Europe/Paris'],
    ['timezone[]=UTC', 'Invalid value for timezone'],
    ['sort=name.$count', 'Invalid key $count at name'],
    ['sort=chef.$count', 'Invalid key $count at chef: it stands behind a relation to many'],
    ['sort=chef.age.$min', 'Invalid key $min at chef.age: it stands behind a relation to many'],
    ['sort=dishes.$min', 'Invalid key $min at dishes: it stands behind an attribute'],
    ['sort=dishes.name.$avg', 'Invalid key $avg at dishes.name: only numbers have an average'],
    ['sort=categories.restaurants.$count', 'the path leads through several relations to many'],
    ['sort=dishes.$sum', 'Invalid key $sum at dishes'],
    ['sort=$count', 'Invalid key $count'],
    ['sort=dishes.$count&pagination[cursor]=', 'a sort through relations has no cursors'],
  ])('is refused where it makes no sense: %s', async (query, message) => {
    const { response, body } = await get(`/api/restaurants?${query}`);
    expect(response.statusCode, query).toBe(400);
    expect(body.error.message).toContain(message);
  });

  it('is hinted at where a negative condition goes through a relation to many, and only there', async () => {
    const hint = async (query: string) => (await get(`/api/restaurants?${query}`)).response.headers[HINT_HEADER];
    const expected = (operator: string, relation: string) =>
      `${relation}: ${operator} is met if it holds of some related entry; if it is to hold of all, write ${relation}[$none] with the opposite`;
    const categories = 'filters[categories]';
    for (const operator of ['$ne', '$notIn', '$notContains', '$nei', '$notContainsi'])
      expect(await hint(`filters[categories][name][${operator}]=x`)).toBe(expected(operator, categories));
    expect(await hint('filters[$not][categories][name]=x')).toBe(expected('$not', categories));
    expect(await hint('filters[categories][$not][name]=x')).toBe(expected('$not', categories));
    expect(await hint('filters[categories][parent][name][$ne]=x')).toBe(expected('$ne', categories));
    expect(await hint('filters[chef][restaurants][name][$ne]=x')).toBe(expected('$ne', 'filters[chef][restaurants]'));
    expect(await hint('populate[chef][filters][restaurants][stars][$ne]=3')).toContain('[restaurants][$none]');
    for (const fine of [
      'filters[categories][name]=x',
      'filters[name][$ne]=x',
      'filters[chef][name][$ne]=x',
      'filters[$not][chef][name]=x',
      'filters[categories][$none][name]=x',
      'filters[categories][$some][name][$ne]=x',
      'filters[categories][$count][$gt]=1&filters[categories][$count][where][name][$ne]=x',
      'filters[$not][categories][$null]=true',
      'filters[$not][categories][$some][name]=x',
      'filters[$not][categories][name][$ne]=x',
    ])
      expect(await hint(fine), fine).toBeUndefined();
    const many = ['categories', 'dishes', 'openingHours', 'neighbours'].map((name) => `filters[${name}][id][$ne]=1`);
    expect((await hint(many.join('&')))!.toString().split(' | ')).toHaveLength(3);
  });

  it('means the day of the request, in its time zone, and not that of the first such request', async () => {
    const since = (zone: string) => names(`/api/restaurants?filters[inspectedAt][$gte]=now/d${zone}`);
    // Half past midnight in Paris; Alba was inspected this morning by UTC, and yesterday by Paris.
    setTime('2025-03-01T23:30:00.000Z');
    expect(await since('&timezone=UTC')).toBe('Alba');
    expect(await since('&timezone=Europe/Paris')).toBe('');
    expect(await since('&timezone=america/new_york')).toBe('Alba');
    setTime('2025-03-02T23:30:00.000Z');
    expect(await since('&timezone=UTC')).toBe('');
    expect(await names('/api/restaurants?filters[inspectedAt][$gte]=now-3d/d&timezone=Europe/Paris')).toBe('Alba');
    // A plus sign that is not encoded, and a date rather than an instant.
    setTime('2021-04-30T22:30:00.000Z');
    const soon = 'filters[openedOn][$gt]=now&filters[openedOn][$lt]=now+1w';
    expect(await names(`/api/restaurants?${soon}&timezone=UTC`)).toBe('El_Elote');
    expect(await names('/api/restaurants?filters[openedOn]=now+4d&timezone=Europe/Paris')).toBe('El_Elote');
    expect(await names('/api/restaurants?filters[openedOn]=now%2B4d&timezone=UTC')).toBe('');
    expect(await names('/api/restaurants?filters[name]=now')).toBe('');
  });

  it('of a rule does not count what is hidden, and is not met by a value that a user does not have', async () => {
    const find = (rule: object, user?: Record<string, unknown>, filters: object = {}) => {
      const reader = userWith(sheaf.model, {
        rules: { [RESTAURANT]: { rows: { find: rule } }, 'api::dish.dish': { rows: { find: { price: { $lt: 10 } } } } },
        ...(user && { user }),
      });
      // Plans are kept by this key, which a role has for as long as its rules are the same.
      const caller = { ...reader, access: { ...reader.access, key: JSON.stringify(rule) } };
      return sheaf.documents(RESTAURANT, caller).findMany({ filters, sort: 'dishes.$count:desc' } as FindParameters);
    };
    const found = async (...given: Parameters<typeof find>) => (await find(...given)).map(({ name }) => name);
    expect(await found({ chef: { $notNull: true } }, undefined, { dishes: { $count: 2 } })).toEqual(['isola']);
    // The rule itself sees all dishes, and the sort those that the caller may see.
    expect(await found({ dishes: { $count: { $gte: 2 } } })).toEqual(['isola', 'Alba']);
    const user = { id: 3, documentId: 'u', username: 'x', email: 'x@example.com', confirmed: true };
    const [chefId, noUser] = [{ chef: { $none: { id: '$user.id' } } }, undefined];
    expect(await found(chefId, user)).not.toContain('Alba');
    expect(await found(chefId, user)).toContain('Jardin');
    for (const rule of [
      chefId,
      { chef: { $every: { id: '$user.id' } } },
      { $not: { chef: { $every: { id: '$user.id' } } } },
      { dishes: { $count: '$user.id' } },
      { $not: { dishes: { $count: '$user.id' } } },
      { dishes: { $count: { $gte: 0, where: { id: '$user.id' } } } },
      { categories: { id: { $all: ['$user.id'] } } },
      { $not: { categories: { id: { $all: ['$user.id'] } } } },
    ])
      expect(await found(rule, noUser), JSON.stringify(rule)).toEqual([]);
    expect(await found({ dishes: { $count: '$user.id' } }, { ...user, id: 2 })).toEqual(['isola', 'Alba']);
    expect(await found({ categories: { id: { $all: ['$user.id'] } } }, user)).toEqual(['isola', 'Alba']);
    setTime('2021-04-30T22:30:00.000Z');
    expect(await found({ openedOn: { $between: ['now', 'now+1w'] } })).toEqual(['El_Elote']);
  });
});
