// Aggregates, facets, populated pages, lists of related entries and queries by body, as requests and in process: what
// they answer on the guide, what they refuse, and what a project keeps back. That every generated one means what it
// should is in laws.test.ts, and that none tells what its caller may not read in non-interference.test.ts.
import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_AGGREGATES, MAX_FACET_VALUES, MAX_FACETS, MAX_GROUP_KEYS, MAX_URL_LENGTH } from '../src/limits.ts';
import type { Filters } from '../src/operations/parameters.ts';
import { openToAll } from './support/access.ts';
import { guideKeys } from './support/conformance.ts';
import { type Json, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';
import { NOBODY, useGuarded } from './support/guarded.ts';

const RESTAURANT = 'api::restaurant.restaurant';
const keys = guideKeys();

describeOnEveryDatabase('On the guide', (engine) => {
  const oneTrip = engine.name === 'PostgreSQL';
  let sheaf: Sheaf;
  let app: FastifyInstance;
  let statements: string[];
  beforeAll(async () => {
    sheaf = await engine.open();
    await openToAll(sheaf);
    app = createServer(sheaf);
    statements = recordStatements(sheaf);
  });
  beforeEach(() => {
    statements.length = 0;
  });

  async function send(method: string, url: string, body?: unknown) {
    const response = await app.inject({
      method: method as 'GET',
      url: `/api/${keys.fill(url)}`,
      ...(body !== undefined && { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return {
      status: response.statusCode,
      headers: response.headers,
      body: response.statusCode === 405 ? null : response.json(),
    };
  }
  const get = (url: string) => send('GET', url);
  const data = async (url: string): Promise<unknown> => {
    const { status, body } = await get(url);
    expect(status, `${url}: ${JSON.stringify(body)}`).toBe(200);
    return body.data;
  };
  const namesOf = (entries: unknown): unknown[] => (entries as { name: unknown }[]).map(({ name }) => name);

  // ------------------------------------------------------------------------------------------------------- aggregates

  it('an aggregate counts and computes by attributes, relations and parts of dates', async () => {
    expect(
      await data('restaurants/aggregate?count=*&avg=rating&sum=visits,stars&min=openedOn&distinct=cuisine'),
    ).toEqual([
      {
        count: 10,
        distinct: { cuisine: 5 },
        sum: { visits: '9007199255022781', stars: expect.any(Number) },
        avg: { rating: expect.any(Number) },
        min: { openedOn: '1889-05-06' },
      },
    ]);
    expect(
      await data('restaurants/aggregate?group=cuisine&count=*&sum=visits&sort=-count,cuisine&having[count][$gt]=1'),
    ).toEqual([
      { group: { cuisine: 'french' }, count: 2, sum: { visits: '251200' } },
      { group: { cuisine: 'fusion' }, count: 2, sum: { visits: '3188' } },
      { group: { cuisine: 'italian' }, count: 2, sum: { visits: '9007199254747993' } },
      { group: { cuisine: 'mexican' }, count: 2, sum: { visits: '15000' } },
    ]);
    expect(
      await data('restaurants/aggregate?group=chef.country,chef.country.code&count=*&sort=-count&pagination[limit]=1'),
    ).toEqual([{ group: { 'chef.country': expect.stringMatching(/^\w{24}$/), 'chef.country.code': 'FR' }, count: 2 }]);
    expect(await data('restaurants/aggregate?group=openedOn.$year&count=*&filters[openedOn][$gte]=2018-01-01')).toEqual(
      [
        { group: { 'openedOn.$year': 2018 }, count: 1 },
        { group: { 'openedOn.$year': 2020 }, count: 1 },
        { group: { 'openedOn.$year': 2021 }, count: 1 },
      ],
    );
  });

  it('an aggregate counts an entry once in each group of a relation to many', async () => {
    const groups = await data('restaurants/aggregate?group=categories,categories.name&count=*&sort=-count');
    expect((groups as Json[])[0]).toEqual({
      group: { categories: expect.stringMatching(/^\w{24}$/), 'categories.name': 'casual' },
      count: 4,
    });
  });

  it('an aggregate is paged as a list is, and its total is the number of groups', async () => {
    const page = await get('restaurants/aggregate?group=cuisine&count=*&pagination[page]=2&pagination[pageSize]=4');
    expect(page.body.meta).toEqual({ pagination: { page: 2, pageSize: 4, pageCount: 2, total: 6 } });
    expect(page.body.data).toHaveLength(2);
    const beyond = await get('restaurants/aggregate?group=cuisine&pagination[start]=9');
    expect(beyond.body).toEqual({ data: [], meta: { pagination: { start: 9, limit: 25, total: 6 } } });
    const uncounted = await get('restaurants/aggregate?group=cuisine&pagination[withCount]=false');
    expect(uncounted.body.meta).toEqual({ pagination: { page: 1, pageSize: 25 } });
  });

  it('an aggregate of nothing is empty, or one group of no entries', async () => {
    expect(await data('restaurants/aggregate?group=cuisine&count=*&filters[name]=nobody')).toEqual([]);
    expect(await data('restaurants/aggregate?count=*&sum=stars&avg=rating&filters[name]=nobody')).toEqual([
      { count: 0, sum: { stars: null }, avg: { rating: null } },
    ]);
  });

  it('an aggregate is one statement', async () => {
    await data('restaurants/aggregate?group=categories.name,chef.country.name&count=*&avg=rating&sort=-count');
    expect(statements).toHaveLength(1);
  });

  it('an aggregate tells what it costs', async () => {
    const { headers } = await get('restaurants/aggregate?group=cuisine&count=*');
    expect(headers['server-timing']).toMatch(/cost;desc=\d+/);
  });

  it.each([
    ['nothing', '', 'Nothing is computed'],
    ['groups without a name', 'group=&count=*', 'Invalid value for group'],
    ['values without a name', 'group=open&sum=', 'Invalid value for sum'],
    ['no time zone', 'group=open&timezone=', 'Invalid value for timezone'],
    ['a private attribute', 'group=internalNote&count=*', 'Invalid key internalNote'],
    ['an unknown attribute', 'group=nosuch&count=*', 'Invalid key nosuch'],
    ['a password', 'group=doorCode', 'Invalid key doorCode'],
    ['an attribute of an attribute', 'group=name.first', 'Invalid key first'],
    ['JSON', 'group=meta', 'nothing is grouped by json'],
    ['files', 'group=cover', 'Invalid key cover'],
    ['a component', 'group=address', 'Invalid key address in group: expected an attribute of the component'],
    ['an unknown part of a date', 'group=openedOn.$century', 'Invalid key $century'],
    ['a part of what is no date', 'group=stars.$month', 'only dates and times have parts'],
    ['an hour of a day', 'group=openedOn.$hour', 'parts of date are $year'],
    ['a count of an attribute', 'count=stars', 'Invalid value for count: expected *'],
    ['a sum of a string', 'sum=name', 'there is no sum of string'],
    ['an average of dates', 'avg=openedOn', 'there is no avg of date'],
    ['the smallest boolean', 'min=open', 'there is no min of boolean'],
    ['what leads to many', 'sum=dishes.price', 'leads to many'],
    ['an unknown function', 'median=stars&count=*', 'Invalid key median'],
    ['what entries show', 'count=*&populate=chef', 'Invalid key populate'],
    ['a cursor', 'count=*&pagination[cursor]=', 'Invalid key cursor'],
    [
      'a condition on what is not computed',
      'count=*&having[sum][stars][$gt]=1',
      'Invalid key sum in having: it is not computed',
    ],
    ['a condition without a value', 'count=*&having[$gt]=1', 'Invalid key $gt'],
    ['a condition with a wrong value', 'count=*&having[count][$gt]=many', 'Invalid value for count: expected a number'],
    ['a sort by what is not computed', 'count=*&sort=stars', 'Invalid key stars in sort: groups are sorted by'],
    ['two directions', 'count=*&sort=-count:desc', 'a minus before a name'],
    ['a sort as of entries', 'group=cuisine&count=*&sort=cuisine.$count:desc', 'Invalid key $count at cuisine'],
    ['too many keys', `group=${['id', 'name', 'slug', 'stars', 'open', 'email'].join()}`, 'MAX_GROUP_KEYS'],
  ])('an aggregate refuses %s', async (_what, query, message) => {
    const { status, body } = await get(`restaurants/aggregate?${query}`);
    expect([status, body.error?.message], JSON.stringify(body)).toEqual([400, expect.stringContaining(message)]);
    expect(statements).toEqual([]);
  });

  it('limits what is asked for at once', async () => {
    const many = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name}${index}`).join();
    const limitOf = async (url: string) => (await get(url)).body.error?.details.limit;
    expect(await limitOf(`restaurants/aggregate?sum=${many('a', MAX_AGGREGATES + 1)}`)).toBe('MAX_AGGREGATES');
    expect(await limitOf(`restaurants/aggregate?group=${many('a', MAX_GROUP_KEYS + 1)}`)).toBe('MAX_GROUP_KEYS');
    expect(await limitOf(`restaurants?facets=${many('a', MAX_FACETS + 1)}`)).toBe('MAX_FACETS');
    expect(await limitOf('restaurants/aggregate?group=a.b.c.d.e.f')).toBe('MAX_SORT_DEPTH');
  });

  it('in process, an aggregate returns all groups, or the page asked for', async () => {
    const documents = sheaf.documents(RESTAURANT);
    const having = { avg: { rating: { $gte: 4 } } };
    expect(await documents.aggregate({ group: 'cuisine', avg: 'rating', having, sort: '-avg.rating' })).toEqual([
      { group: { cuisine: 'japanese' }, avg: { rating: 4.9 } },
      { group: { cuisine: 'italian' }, avg: { rating: 4.375 } },
      { group: { cuisine: 'mexican' }, avg: { rating: 4.2 } },
    ]);
    const page = await documents.aggregate({ group: ['stars'], count: '*', pagination: { start: 1, limit: 2 } });
    expect(page.map(({ group }) => group!.stars)).toEqual([1, 2]);
  });

  // ----------------------------------------------------------------------------------------------------------- facets

  it('facets count all entries that match beside those of the page', async () => {
    const { body } = await get(
      'restaurants?facets=cuisine,categories.name&filters[stars][$gte]=2&pagination[pageSize]=1',
    );
    expect(body.data).toHaveLength(1);
    expect(body.meta.pagination.total).toBe(3);
    expect(body.meta.facets.cuisine.reduce((sum: number, { count }: { count: number }) => sum + count, 0)).toBe(3);
    expect(Object.keys(body.meta.facets)).toEqual(['cuisine', 'categories.name']);
    const { facets } = (await sheaf.documents(RESTAURANT).findPage({ facets: ['open'], pagination: { cursor: '' } }))
      .meta;
    expect(facets!.open!.map(({ value }) => value)).toEqual(expect.arrayContaining([true, false]));
    await expect(sheaf.documents(RESTAURANT).findMany({ facets: 'open' })).rejects.toThrow('findPage');
    expect((await get('restaurants/{{restaurant.alba}}?facets=open')).status).toBe(400);
  });

  it('facets are one statement more each, or none', async () => {
    await get('restaurants');
    const plain = statements.length;
    statements.length = 0;
    await get('restaurants?facets=cuisine,categories.name,chef.country');
    expect(statements.length - plain).toBe(oneTrip ? 0 : 3);
  });

  // ------------------------------------------------------------------------------------------------- populated pages

  it('a populated page is part of each list, with its total in an envelope', async () => {
    const pages = 'populate[categories][pagination][start]=1&populate[categories][pagination][limit]=1';
    const [whole, part, counted] = (await Promise.all(
      ['populate=categories', pages, `${pages}&populate[categories][pagination][withCount]=true`].map((query) =>
        data(`restaurants?sort=id&${query}`),
      ),
    )) as [Json[], Json[], Json[]];
    const lists = whole.map(({ categories }) => categories as Json[]);
    expect(Math.max(...lists.map(({ length }) => length))).toBeGreaterThan(2);
    expect(part.map(({ categories }) => categories)).toEqual(lists.map((list) => list.slice(1, 2)));
    expect(counted.map(({ categories }) => categories)).toEqual(
      lists.map((list) => ({
        data: list.slice(1, 2),
        meta: { pagination: { start: 1, limit: 1, total: list.length } },
      })),
    );
  });

  it('a populated page is one statement for its path, with its total and whatever is below it', async () => {
    const paged = 'populate[dishes][pagination][limit]=1&populate[dishes][pagination][withCount]=true';
    for (const [query, paths] of [
      [paged, 1],
      [`${paged}&populate[dishes][populate]=restaurant`, 2],
      ['populate[blocks][pagination][limit]=1', 1],
    ] as const)
      for (const size of [1, 10]) {
        statements.length = 0;
        await data(`restaurants?pagination[pageSize]=${size}&${query}`);
        expect(statements.length, query).toBe(oneTrip ? 1 : 1 + paths);
      }
  });

  it.each([
    ['of one entry', 'populate[chef][pagination][limit]=1', 'Invalid key pagination at chef'],
    ['by number', 'populate[dishes][pagination][page]=1', 'Invalid key pagination at dishes'],
    ['by cursor', 'populate[dishes][pagination][cursor]=', 'Invalid key pagination at dishes'],
    ['with a number alone', 'populate[dishes][count]=true&populate[dishes][pagination][limit]=1', 'Invalid key count'],
    ['that is no number', 'populate[dishes][pagination][limit]=x', 'expected a whole number'],
    ['of a fragment', 'populate[blocks][on][shared.link][pagination][limit]=1', 'Invalid key pagination'],
  ])('a populated page is refused %s', async (_why, query, message) => {
    const { status, body } = await get(`restaurants?${query}`);
    expect([status, body.error?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  // --------------------------------------------------------------------------------------------- related entries

  it('lists what a relation leads to in its order, with the parameters of a list', async () => {
    const alba = (await data('restaurants/{{restaurant.alba}}?populate=categories,dishes')) as Json;
    const path = 'restaurants/{{restaurant.alba}}';
    expect(await data(`${path}/categories`)).toEqual(alba.categories);
    expect(namesOf(await data(`${path}/dishes?sort=name:desc&fields=name&filters[price][$gt]=0`))).toEqual(
      namesOf(alba.dishes).toSorted().toReversed(),
    );
    const { body } = await get(
      `${path}/dishes?pagination[start]=1&pagination[limit]=1&populate=restaurant&facets=vegan`,
    );
    expect(body.data).toEqual([
      { ...(alba.dishes as Json[])[1], restaurant: expect.objectContaining({ name: 'Alba' }) },
    ]);
    expect(body.meta.pagination).toEqual({ start: 1, limit: 1, total: 2 });
    expect(body.meta.facets.vegan).toEqual([{ value: false, count: 2 }]);
    expect(namesOf(await data(`${path}/dishes?_q=agno`))).toEqual(['Agnolotti']);
    expect(namesOf(await data(`${path}/CHEF`))).toEqual(['Chiara']);
    expect(namesOf(await data('homepage/featured'))).toEqual(
      namesOf(((await data('homepage?populate=featured')) as Json).featured),
    );
    const cursor = await get(`${path}/dishes?sort=name&pagination[cursor]=&pagination[pageSize]=1`);
    expect(cursor.body.meta.pagination.next).toEqual(expect.any(String));
    expect((await get(`${path}/dishes?pagination[cursor]=`)).status).toBe(400);
    const page = await sheaf
      .documents(RESTAURANT)
      .findRelated({ documentId: String(alba.documentId), relation: 'dishes', pagination: { pageSize: 1 } });
    expect(page!.meta.pagination).toEqual({ page: 1, pageSize: 1, pageCount: 2, total: 2 });
  });

  it('lists entries without a place in the relation last, as populate does', async () => {
    const [table, order] = ['restaurants_categories_lnk', 'category_ord'];
    const statement = (sql: string) => sheaf.database.transaction((session) => session.rows({ sql, bindings: [] }, []));
    const path = 'restaurants/{{restaurant.alba}}';
    const before = namesOf(await data(`${path}/categories`));
    const first = `select min(${order}) from ${table} where restaurant_id = 1`;
    await statement(`update ${table} set ${order} = null where restaurant_id = 1 and ${order} = (${first})`);
    const { categories } = (await data(`${path}?populate=categories`)) as Json;
    expect(namesOf(categories)).toEqual([...before.slice(1), before[0]]);
    for (const page of ['', '?pagination[withCount]=false', '?filters[id][$gt]=0'])
      expect(await data(`${path}/categories${page}`), page).toEqual(categories);
    await statement(`update ${table} set ${order} = 0 where ${order} is null`);
    expect(namesOf(await data(`${path}/categories`))).toEqual(before);
  });

  it('lists nothing of a document, or by a name, that is not there', async () => {
    for (const path of [
      'nobody/dishes',
      '{{restaurant.alba}}/nosuch',
      '{{restaurant.alba}}/name',
      '{{restaurant.alba}}/cover',
    ])
      expect((await get(`restaurants/${path}`)).status, path).toBe(404);
    expect((await send('POST', 'restaurants/{{restaurant.alba}}/dishes', {})).status).toBe(405);
    expect((await send('POST', 'restaurants/{{restaurant.alba}}/nosuch', {})).status).toBe(405);
  });

  it('lists related entries by one statement more than an entry', async () => {
    await data('restaurants/{{restaurant.alba}}/dishes');
    expect(statements).toHaveLength(2);
  });

  // ------------------------------------------------------------------------------------------------- long queries

  it.each([
    ['POST', 'restaurants/query'],
    ['QUERY', 'restaurants'],
  ])('%s /api/%s answers as GET does', async (method, url) => {
    const query =
      'filters[stars][$in][0]=1&filters[stars][$in][1]=2&filters[open]=true&sort[0]=name&fields[0]=name&populate[chef][fields]=name&pagination[pageSize]=2&facets=cuisine';
    const body = {
      filters: { stars: { $in: [1, 2] }, open: true },
      sort: ['name'],
      fields: ['name'],
      populate: { chef: { fields: 'name' } },
      pagination: { pageSize: 2 },
      facets: ['cuisine'],
    };
    const [asked, given] = [await send(method, url, body), await get(`restaurants?${query}`)];
    expect(given.status).toBe(200);
    expect(asked.body).toEqual(given.body);
    expect((await send(method, url, {})).body).toEqual((await get('restaurants')).body);
    // Twice the same: it changes nothing.
    expect((await send(method, url, body)).body).toEqual(asked.body);
  });

  it('takes queries that are too long for a URL', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `${'x'.repeat(100)}${index}`);
    expect(JSON.stringify(names).length).toBeGreaterThan(MAX_URL_LENGTH);
    const { status, body } = await send('POST', 'restaurants/query', {
      filters: { name: { $in: [...names, 'Alba'] } },
    });
    expect([status, namesOf(body.data)]).toEqual([200, ['Alba']]);
    const { body: groups } = await send('QUERY', 'restaurants/aggregate', {
      count: '*',
      filters: { name: { $notIn: names } },
    });
    expect(groups.data).toEqual([{ count: 10 }]);
  });

  it.each([
    ['a list', [], 'expected an object of parameters'],
    ['an unknown parameter', { nosuch: 1 }, 'Invalid key nosuch'],
    ['a parameter that is nearly one', { filter: {} }, 'did you mean filters?'],
    ['an unknown operator', { filters: { name: { $nosuch: 1 } } }, 'Invalid key $nosuch'],
    ['a private attribute', { filters: { internalNote: 'x' } }, 'Invalid key internalNote'],
    ['a wrong value', { filters: { stars: 'many' } }, 'expected a number'],
  ])('validates a query by body as one by URL: %s', async (_what, body, message) => {
    const answer = await send('POST', 'restaurants/query', body);
    expect([answer.status, answer.body.error?.message]).toEqual([400, expect.stringContaining(message)]);
  });

  it('refuses parameters beside the body', async () => {
    const { status, body } = await send('POST', 'restaurants/query?sort=name', {});
    expect([status, body.error.details.key]).toEqual([400, 'sort']);
  });

  // ----------------------------------------------------------------------------------------------- documentation

  /** Requests of api.md between the headings of what this file is about. */
  const documented = (): string[] => {
    const text = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8');
    const sections = [...text.matchAll(/<!-- examples -->([\s\S]*?)<!-- \/examples -->/g)].map(([, inside]) => inside!);
    return sections.flatMap((section) => [...section.matchAll(/^GET (\/api\/\S+)$/gm)].map(([, url]) => url!));
  };

  it('the examples of the documentation are answered', async () => {
    const urls = documented();
    expect(urls.length).toBeGreaterThan(12);
    for (const url of urls) {
      const path = url.replace('/api/', '').replace('pzp38pdkzvwuynn6nefh4dud', '{{restaurant.alba}}');
      const { status, body } = await get(path);
      expect(status, `${url}: ${JSON.stringify(body)}`).toBe(200);
      expect(body.data, url).not.toEqual([]);
    }
  });
});

// ------------------------------------------------------------------------------------------------------ large sums

describeOnEveryDatabase('Sums of big integers', (engine) => {
  const contents = useContents(engine);

  it('are compared and sorted by every digit, also at the largest and beyond it', async () => {
    const { sheaf } = await contents.open({
      types: { meter: { attributes: { place: { type: 'string' }, total: { type: 'biginteger' } } } },
    });
    const meters = sheaf.documents('api::meter.meter');
    const sums = {
      beyond: ['9223372036854775807', '1'],
      largest: ['9223372036854775000', '807'],
      second: ['9223372036854775806', '0'],
      border: ['9223372036000000000', '-1'],
      zero: ['9223372036854775807', '-9223372036854775807'],
      above: ['-9223372036854775807', '1', '-1'],
      lowest: ['-9223372036854775807', '-1'],
      below: ['-9223372036854775808', '-1'],
    };
    for (const [place, totals] of Object.entries(sums))
      for (const total of totals) await meters.create({ data: { place, total } });
    const sumOf = (place: keyof typeof sums) => String(sums[place].reduce((sum, total) => sum + BigInt(total), 0n));
    const ask = async (parameters: { sort?: string; having?: Filters }) => {
      const groups = await meters.aggregate({ group: 'place', sum: 'total', sort: '-sum.total', ...parameters });
      return groups.map(({ group, sum }) => [group!.place, sum!.total]);
    };
    const sorted = Object.keys(sums).map((place) => [place, sumOf(place as keyof typeof sums)]);
    expect(await ask({})).toEqual(sorted);
    expect(await ask({ sort: 'sum.total' })).toEqual(sorted.toReversed());
    for (const [index, [place, sum]] of sorted.entries()) {
      if (place === 'beyond' || place === 'below') continue;
      expect(await ask({ having: { sum: { total: { $eq: sum! } } } })).toEqual([sorted[index]]);
      expect(await ask({ having: { sum: { total: { $lt: sum! } } } })).toEqual(sorted.slice(index + 1));
    }
  });
});

// ------------------------------------------------------------------------------------------------------ small groups

const PROJECT: Project = {
  types: {
    person: {
      attributes: {
        town: { type: 'string' },
        age: { type: 'integer' },
        jobs: relation('manyToMany', 'job'),
      },
    },
    job: { attributes: { name: { type: 'string' } } },
  },
};
const PERSON = 'api::person.person';

describeOnEveryDatabase('Sums of floats and decimals', (engine) => {
  const contents = useContents(engine);

  it('keep six decimals up to 2^31', async () => {
    const content = await contents.open({
      types: { meter: { attributes: { place: { type: 'string' }, exact: { type: 'decimal' } } } },
    });
    const groups: Readonly<Record<string, readonly [values: readonly number[], sum: number]>> = {
      a: [[1073741824.123457, 1073741823.000001], 2147483647.123458],
      b: [Array(9).fill(111111111.111113), 1000000000.000017],
      c: [[-700000000.000001, -800000000.000002], -1500000000.000003],
      d: [[600000000.1, 0.000007, -5.5], 599999994.600007],
      e: [[2000000000, 0.000001], 2000000000.000001],
    };
    for (const [place, [values]] of Object.entries(groups))
      for (const exact of values) await content.make('meters', { place, exact });
    const { body } = await content.get('meters/aggregate?group=place&sum=exact&sort=place');
    expect(body.data.map(({ sum }: Json) => sum)).toEqual(Object.values(groups).map(([, exact]) => ({ exact })));
  });

  it('that no number can hold are null', async () => {
    const content = await contents.open({
      types: {
        meter: { attributes: { total: { type: 'float' }, exact: { type: 'decimal' }, place: { type: 'string' } } },
      },
    });
    for (const [place, number] of [
      ['far', 1.7976931348623157e308],
      ['far', 1.7976931348623157e308],
      ['large', 1e12],
      ['near', 0.1],
      ['near', 0.2],
      ['near', null],
      ['none', null],
    ] as const)
      await content.make('meters', { place, total: number, exact: number });
    const answer = await content.get('meters/aggregate?group=place&sum=total,exact&avg=total,exact');
    expect(answer.body.data).toEqual([
      { group: { place: 'far' }, sum: { total: null, exact: null }, avg: { total: null, exact: null } },
      { group: { place: 'large' }, sum: { total: 1e12, exact: 1e12 }, avg: { total: 1e12, exact: 1e12 } },
      { group: { place: 'near' }, sum: { total: 0.3, exact: 0.3 }, avg: { total: 0.15, exact: 0.15 } },
      { group: { place: 'none' }, sum: { total: null, exact: null }, avg: { total: null, exact: null } },
    ]);
    const beyond = await content.get(
      'meters/aggregate?group=place&sum=total&having[sum][total][$gt]=1&sort=-sum.total',
    );
    expect(beyond.body.data.map(({ group }: Json) => group)).toEqual([{ place: 'far' }, { place: 'large' }]);
  });
});

describeOnEveryDatabase('Small groups', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it('are left out by a setting, of aggregates, facets and totals, but for the system', async () => {
    const site = await guarded.open(PROJECT, { settings: { aggregates: { smallestGroup: 3 } } });
    await site.grantOnly('public', [`${PERSON}.find`, `${PERSON}.findOne`, 'api::job.job.find']);
    const job = await site.sheaf.documents('api::job.job').create({ data: { name: 'baker' } });
    for (const [town, count] of [
      ['Alba', 4],
      ['Bra', 2],
      [null, 3],
    ] as const)
      for (let person = 0; person < count; person++)
        await site.sheaf
          .documents(PERSON)
          .create({ data: { town, age: 20 + person, jobs: person === 0 ? [job.documentId] : [] } });
    const get = async (url: string) => (await site.get(url, NOBODY)).body;
    const groups = await get('persons/aggregate?group=town&count=*&max=age');
    expect(groups.data).toEqual([
      { group: { town: 'Alba' }, count: 4, max: { age: 23 } },
      { group: { town: null }, count: 3, max: { age: 22 } },
    ]);
    expect(groups.meta.pagination.total).toBe(2);
    expect((await get('persons/aggregate?max=age&filters[town]=Bra')).data).toEqual([]);
    expect((await get('persons/aggregate?group=jobs.name&count=*')).data).toEqual([
      { group: { 'jobs.name': 'baker' }, count: 3 },
      { group: { 'jobs.name': null }, count: 6 },
    ]);
    expect((await get('persons?facets=town')).meta.facets.town).toEqual([
      { value: 'Alba', count: 4 },
      { value: null, count: 3 },
    ]);
    expect(await site.sheaf.documents(PERSON).aggregate({ group: 'town', count: '*' })).toHaveLength(3);
  });

  it('of a facet are shown up to a number, the most frequent first', async () => {
    const site = await guarded.open(PROJECT);
    const columns = 'document_id, town, age';
    const values = Array.from({ length: MAX_FACET_VALUES + 20 }, (_, index) => `('d${index}', 't${index % 110}', 1)`);
    await site.execute(`insert into persons (${columns}) values ${values.join()}`);
    const { meta } = await site.sheaf.documents(PERSON).findPage({ facets: 'town' });
    const { town } = meta.facets!;
    expect(town).toHaveLength(MAX_FACET_VALUES);
    expect([town![0]!.count, town!.at(-1)!.count]).toEqual([2, 1]);
  });
});
