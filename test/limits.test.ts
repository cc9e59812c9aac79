// Every limit of src/limits.ts that a client can reach: what is at the limit is answered; what is one above is refused
// with the name of the limit, at once and without a statement. Sizes and offsets of pages are clamped instead.
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import {
  MAX_BODY_BYTES,
  MAX_DATE_STEPS,
  MAX_DEPTH,
  MAX_FILTER_NODES,
  MAX_FOLDED_LENGTH,
  MAX_HEADER_BYTES,
  MAX_JSON_DEPTH,
  MAX_JSON_LENGTH,
  MAX_LIST_ITEMS,
  MAX_OFFSET,
  MAX_PAGE_BYTES,
  MAX_PAGE_SIZE,
  MAX_PARAMETERS,
  MAX_POPULATE_DEPTH,
  MAX_POPULATE_NODES,
  MAX_SEARCH_LENGTH,
  MAX_SORT_DEPTH,
  MAX_SORT_KEYS,
  MAX_URL_LENGTH,
} from '../src/limits.ts';
import { useContents } from './support/content.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';
import { expectSoon, timed } from './support/soon.ts';

const LIST = '/api/restaurants';
/** As against plain lists. */
const AT_ONCE = { suspicious: 50, most: 50 };

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

describeOnEveryDatabase('Limits', (engine) => {
  let sheaf: Sheaf;
  let app: FastifyInstance;
  let statements: string[];
  let port: number;
  beforeAll(async () => {
    sheaf = await engine.open();
    app = createServer(sheaf);
    statements = recordStatements(sheaf);
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as { port: number }).port;
    // The first refusal pays for code that was never run.
    await app.inject({ url: `${LIST}?nope=1` });
    await app.inject({ url: LIST });
  });
  afterAll(() => app.close());

  async function accepted(query: string): Promise<{ data: unknown[]; meta: { pagination: Record<string, number> } }> {
    const response = await app.inject({ url: `${LIST}?${query}` });
    expect(response.statusCode, response.body.slice(0, 300)).toBe(200);
    return response.json();
  }

  /** Expects a refusal, three times: the first may have been the first of its kind. */
  async function expectAtOnce(refuse: () => Promise<void>): Promise<void> {
    const took: number[] = [];
    for (let round = 0; round < 3; round++) {
      statements.length = 0;
      took.push(await timed(refuse));
      expect(statements).toEqual([]);
    }
    await expectSoon(Math.min(...took), refuse, () => app.inject({ url: LIST }), AT_ONCE);
  }

  const refused = (limit: string, url: string, status = 400): Promise<void> =>
    expectAtOnce(async () => {
      const response = await app.inject({ url });
      expectRefusal(response.statusCode, response.json(), status, limit);
    });

  function expectRefusal(actual: number, body: unknown, status: number, limit: string): void {
    expect(actual).toBe(status);
    expect(body).toEqual({
      data: null,
      error: {
        status,
        name: expect.stringMatching(/Error$/),
        message: expect.stringContaining(limit),
        details: expect.any(Object),
      },
    });
  }

  /** Sends bytes over a socket and reads the answer to its end; what no client library would send can be sent. */
  function exchange(head: string): Promise<{ status: number; body: unknown }> {
    return new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect({ host: '127.0.0.1', port }, () => socket.write(head));
      socket.setEncoding('utf8');
      socket.on('data', (text) => {
        answer += text;
      });
      socket.on('error', reject);
      socket.on('close', () => {
        const [lines = '', body = ''] = answer.split('\r\n\r\n');
        const status = Number(lines.split(' ')[1]);
        resolve({ status, body: body === '' ? null : JSON.parse(body) });
      });
    });
  }

  it('MAX_URL_LENGTH bounds path and query', async () => {
    const begin = `${LIST}?filters[name][$ne]=`;
    const atLimit = begin + 'x'.repeat(MAX_URL_LENGTH - begin.length);
    expect((await app.inject({ url: atLimit })).statusCode).toBe(200);
    await refused('MAX_URL_LENGTH', `${atLimit}x`, 414);
    // A path that no route knows is measured first, too.
    await refused('MAX_URL_LENGTH', `/${'x'.repeat(MAX_URL_LENGTH)}`, 414);
  });

  it('MAX_URL_LENGTH holds for what comes over the wire', async () => {
    const begin = `${LIST}?filters[name][$ne]=`;
    const get = (url: string) => exchange(`GET ${url} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`);
    const atLimit = begin + 'x'.repeat(MAX_URL_LENGTH - begin.length);
    expect((await get(atLimit)).status).toBe(200);
    const { status, body } = await get(`${atLimit}x`);
    expectRefusal(status, body, 414, 'MAX_URL_LENGTH');
  });

  /** A request whose URL, header names and header values are so many bytes together. */
  function getWithHeaders(bytes: number) {
    const url = '/_health';
    const fixed = { host: 'localhost', connection: 'close' };
    const used = [url, ...Object.entries(fixed).flat(), 'x-filler'].join('').length;
    const headers = Object.entries({ ...fixed, 'x-filler': 'x'.repeat(bytes - used) });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
    return exchange(`GET ${url} HTTP/1.1\r\n${lines.join('')}\r\n`);
  }

  it('MAX_HEADER_BYTES of URL, names and values of headers together are taken', async () => {
    expect((await getWithHeaders(MAX_HEADER_BYTES)).status).toBe(204);
  });

  it('MAX_HEADER_BYTES bounds the URL, the names and the values of headers together', async () => {
    await expectAtOnce(async () => {
      const answer = await getWithHeaders(MAX_HEADER_BYTES + 1);
      expectRefusal(answer.status, answer.body, 431, 'MAX_HEADER_BYTES');
    });
  });

  it('MAX_BODY_BYTES bounds a body, before anything is done with it', async () => {
    const send = (bytes: number) =>
      app.inject({
        method: 'POST',
        url: LIST,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({ data: 'x'.repeat(bytes - '{"data":""}'.length) }),
      });
    expect((await send(MAX_BODY_BYTES)).statusCode).not.toBe(413);
    statements.length = 0;
    const response = await send(MAX_BODY_BYTES + 1);
    expectRefusal(response.statusCode, response.json(), 413, 'MAX_BODY_BYTES');
    expect(statements).toEqual([]);
  });

  it('MAX_PARAMETERS bounds the pairs of a query', async () => {
    const pairs = (count: number) =>
      times(count, (index) => `filters[${index % 2 === 0 ? 'name' : 'slug'}][$notIn]=${index}`).join('&');
    await accepted(pairs(MAX_PARAMETERS));
    await refused('MAX_PARAMETERS', `${LIST}?${pairs(MAX_PARAMETERS)}&sort=name`);
  });

  it('MAX_PARAMETERS bounds pairs that say nothing', async () => {
    await refused('MAX_PARAMETERS', `${LIST}?${'&'.repeat(MAX_PARAMETERS)}`);
    await refused('MAX_PARAMETERS', `${LIST}?${'a&'.repeat(10_000)}`);
  });

  it('MAX_PARAMETERS bounds the parameters of a body', async () => {
    const body = (count: number) => Object.fromEntries(times(count, (index) => [`unknown${index}`, 1]));
    const send = (payload: object) => app.inject({ method: 'POST', url: `${LIST}/query`, payload });
    expect((await send(body(MAX_PARAMETERS))).json().error.details).toMatchObject({ key: 'unknown0' });
    const answer = await send(body(MAX_PARAMETERS + 1));
    expect([answer.statusCode, answer.json().error.details]).toEqual([
      400,
      { limit: 'MAX_PARAMETERS', allowed: MAX_PARAMETERS, source: 'body' },
    ]);
  });

  it('MAX_DATE_STEPS bounds the steps of all dates from now', async () => {
    const query = (steps: number): string =>
      `filters[createdAt][$in][0]=now&filters[createdAt][$in][1]=now-1d/d&filters[openedOn]=now${'/d'.repeat(steps - 2)}`;
    await accepted(query(MAX_DATE_STEPS));
    await refused('MAX_DATE_STEPS', `${LIST}?${query(MAX_DATE_STEPS + 1)}`);
  });

  const nested = (groups: number, last: string): string =>
    `filters${times(groups - 1, (index) => (index % 2 === 0 ? '[chef]' : '[restaurants]')).join('')}[${last}]`;

  it('MAX_DEPTH bounds the brackets of a parameter', async () => {
    await accepted(`${nested(MAX_DEPTH, 'name')}=x`);
    await refused('MAX_DEPTH', `${LIST}?${nested(MAX_DEPTH + 1, 'name')}=x`);
    await accepted(`filters${'[$and][0]'.repeat(MAX_DEPTH / 2 - 1)}[name][$eq]=Alba`);
    await refused('MAX_DEPTH', `${LIST}?filters${'[$and][0]'.repeat(MAX_DEPTH / 2)}[name]=Alba`);
    await refused('MAX_DEPTH', `${LIST}?filters${'[$not]'.repeat(200)}[name]=Alba`);
    await refused('MAX_DEPTH', `${LIST}?${'x'.repeat(3)}${'[x]'.repeat(MAX_DEPTH + 1)}=1`);
  });

  const steps = (count: number): string[] => [...times(count - 1, (at) => (at === 0 ? 'chef' : 'mentor')), 'name'];

  it('MAX_SORT_DEPTH bounds the steps of a sort in brackets', async () => {
    const write = (count: number) => `sort[${steps(count).join('][')}]=asc`;
    await accepted(write(MAX_SORT_DEPTH));
    await refused('MAX_SORT_DEPTH', `${LIST}?${write(MAX_SORT_DEPTH + 1)}`);
  });

  it('MAX_SORT_DEPTH bounds the steps of a sort with dots', async () => {
    await accepted(`sort=${steps(MAX_SORT_DEPTH).join('.')}`);
    await refused('MAX_SORT_DEPTH', `${LIST}?sort=${steps(MAX_SORT_DEPTH + 1).join('.')}`);
    const ofChefs = ['mentor', ...steps(MAX_SORT_DEPTH + 1).slice(1)].join('.');
    await refused('MAX_SORT_DEPTH', `${LIST}?populate[chef][sort]=${ofChefs}`);
  });

  it('MAX_DEPTH bounds objects in process', async () => {
    const documents = sheaf.documents('api::restaurant.restaurant');
    const filters = (levels: number): object =>
      times(levels - 1, (index) => (index % 2 === 0 ? 'chef' : 'restaurants')).reduceRight<object>(
        (inner, name) => ({ [name]: inner }),
        { name: 'x' },
      );
    const find = (levels: number) => documents.findMany({ filters: filters(levels) } as never);
    expect(await find(MAX_DEPTH)).toEqual([]);
    statements.length = 0;
    await expect(find(MAX_DEPTH + 1)).rejects.toThrow('MAX_DEPTH');
    // Deep enough to overflow the stack of whoever walks it without counting.
    await expect(find(100_000)).rejects.toThrow('MAX_DEPTH');
    expect(statements).toEqual([]);
  });

  it.each([
    ['$in with indexes', (index: number) => `filters[name][$in][${index}]=${index}`],
    ['$in with empty brackets', (index: number) => `filters[name][$in][]=${index}`],
    ['$in with its name repeated', (index: number) => `filters[name][$in]=${index}`],
    ['$notIn', (index: number) => `filters[name][$notIn][${index}]=${index}`],
    ['a list under a name', (index: number) => `filters[name][${index}]=${index}`],
    ['fields', (index: number) => `fields[${index}]=name`],
    ['sort', (index: number) => `sort[${index}]=`],
    ['populate', (index: number) => `populate[${index}]=chef`],
    ['locale', (index: number) => `locale[${index}]=x${index}`],
  ])('MAX_LIST_ITEMS bounds %s', async (_name, item) => {
    await accepted(times(MAX_LIST_ITEMS, item).join('&'));
    await refused('MAX_LIST_ITEMS', `${LIST}?${times(MAX_LIST_ITEMS + 1, item).join('&')}`);
  });

  it.each([
    ['fields', 'name'],
    ['populate', 'chef'],
    ['sort', ''],
  ])('MAX_LIST_ITEMS bounds the items of %s written with commas', async (parameter, word) => {
    const list = (count: number) => times(count, () => word).join(',');
    await accepted(`${parameter}=${list(MAX_LIST_ITEMS)}`);
    await refused('MAX_LIST_ITEMS', `${LIST}?${parameter}=${list(MAX_LIST_ITEMS + 1)}`);
  });

  it('MAX_LIST_ITEMS bounds a single index', async () => {
    await accepted(`filters[name][$in][${MAX_LIST_ITEMS - 1}]=Alba`);
    await refused('MAX_LIST_ITEMS', `${LIST}?filters[name][$in][${MAX_LIST_ITEMS}]=Alba`);
    await refused('MAX_LIST_ITEMS', `${LIST}?filters[name][$in][999999999]=Alba`);
  });

  it('MAX_LIST_ITEMS bounds lists in process', async () => {
    const documents = sheaf.documents('api::restaurant.restaurant');
    const find = (count: number) => documents.findMany({ filters: { name: { $in: times(count, String) } } });
    expect(await find(MAX_LIST_ITEMS)).toEqual([]);
    await expect(find(MAX_LIST_ITEMS + 1)).rejects.toThrow('MAX_LIST_ITEMS');
  });

  it('MAX_FILTER_NODES bounds conditions and groups', async () => {
    // The group is one; each member is one, and the condition in it another.
    const members = times((MAX_FILTER_NODES - 2) / 2, (index) => `filters[$or][${index}][name]=${index}`);
    const atLimit = [...members, 'filters[stars]=1'].join('&');
    await accepted(atLimit);
    await refused('MAX_FILTER_NODES', `${LIST}?${atLimit}&filters[open]=true`);
  });

  it('MAX_FILTER_NODES bounds conditions through relations, and the largest such filter is answered', async () => {
    const members = times((MAX_FILTER_NODES - 1) / 3, (index) => `filters[$or][${index}][chef][name]=${index}`);
    const { data } = await accepted(members.join('&'));
    expect(data).toEqual([]);
    const missing = members.map((member) => member.replace(/=\d+$/, '[$null]=true'));
    await accepted(missing.slice(0, (MAX_FILTER_NODES - 1) / 4).join('&'));
    const more = times(MAX_FILTER_NODES / 3 + 1, (index) => `filters[$or][${index}][chef][name]=${index}`);
    await refused('MAX_FILTER_NODES', `${LIST}?${more.join('&')}`);
  });

  it('MAX_FILTER_NODES bounds the values of an operator that takes one', async () => {
    const values = (count: number) => times(count, (index) => `filters[name][$containsi][${index}]=${index}`).join('&');
    // The attribute and the operator are one each.
    await accepted(values(MAX_FILTER_NODES - 2));
    await refused('MAX_FILTER_NODES', `${LIST}?${values(MAX_FILTER_NODES - 1)}`);
  });

  it('MAX_FILTER_NODES bounds filters inside populate', async () => {
    const values = (count: number) =>
      times(count, (index) => `populate[categories][filters][name][$containsi][${index}]=${index}`).join('&');
    await accepted(values(MAX_FILTER_NODES - 2));
    await refused('MAX_FILTER_NODES', `${LIST}?${values(MAX_FILTER_NODES - 1)}`);
  });

  it('MAX_SORT_KEYS bounds sort keys in every form', async () => {
    const names = ['name', 'stars', 'rating', 'open', 'slug', 'cuisine', 'email', 'visits', 'openedOn', 'createdAt'];
    const tooMany = [...names, 'updatedAt'];
    expect(names).toHaveLength(MAX_SORT_KEYS);
    for (const write of [
      (keys: string[]) => `sort=${keys.join(',')}`,
      (keys: string[]) => keys.map((key, index) => `sort[${index}]=${key}`).join('&'),
      (keys: string[]) => keys.map((key) => `sort[${key}]=desc`).join('&'),
      (keys: string[]) => `populate[neighbours][sort]=${keys.join(',')}`,
    ]) {
      await accepted(write(names));
      await refused('MAX_SORT_KEYS', `${LIST}?${write(tooMany)}`);
    }
    await accepted(`sort=${names.map(() => 'chef.country.name').join(',')}`);
  });

  /** Paths to different relations, as many as asked for; every prefix of a path is one of them. */
  function populatePaths(count: number): string[] {
    const below: Record<string, readonly string[]> = {
      '': ['chef', 'owner', 'dishes', 'signatureDish', 'neighbours', 'address', 'openingHours', 'cover'],
      chef: ['country', 'mentor', 'apprentices'],
      mentor: ['country', 'mentor', 'apprentices'],
      apprentices: ['country', 'mentor', 'apprentices'],
      neighbours: ['chef', 'owner', 'dishes', 'signatureDish', 'neighbours', 'address', 'openingHours', 'cover'],
    };
    const paths: string[] = [];
    let level = [''];
    while (paths.length < count) {
      level = level.flatMap((path) =>
        (below[path.split('.').at(-1)!] ?? []).map((name) => (path === '' ? name : `${path}.${name}`)),
      );
      paths.push(...level);
    }
    return paths.slice(0, count);
  }

  it('MAX_POPULATE_NODES bounds populated attributes', async () => {
    await accepted(`populate=${populatePaths(MAX_POPULATE_NODES).join(',')}`);
    await refused('MAX_POPULATE_NODES', `${LIST}?populate=${populatePaths(MAX_POPULATE_NODES + 1).join(',')}`);
  });

  it('MAX_POPULATE_NODES bounds populated attributes that are written as objects', async () => {
    const write = (paths: string[]) =>
      paths.map((path) => `populate[${path.split('.').join('][populate][')}][fields]=id`).join('&');
    await accepted(write(populatePaths(MAX_POPULATE_NODES)));
    await refused('MAX_POPULATE_NODES', `${LIST}?${write(populatePaths(MAX_POPULATE_NODES + 1))}`);
  });

  it('MAX_POPULATE_NODES counts what a star stands for, so that it bounds the statements of a request', async () => {
    const everything = (paths: string[]) =>
      paths.map((path) => `populate[${path.split('.').join('][populate][')}][populate]=*`).join('&');
    // A restaurant has eleven attributes to populate.
    const restaurants = [
      'chef.restaurants',
      'owner.restaurant',
      'dishes.restaurant',
      'signatureDish.restaurant',
      'categories.restaurants',
      'categories.parent.restaurants',
      'categories.children.restaurants',
      'chef.mentor.restaurants',
      'chef.apprentices.restaurants',
      'chef.country.chefs.restaurants',
    ];
    await accepted(everything(restaurants.slice(0, 5)));
    await refused('MAX_POPULATE_NODES', `${LIST}?${everything(restaurants)}`);
  });

  const chain = (levels: number): string[] => times(levels, (index) => (index === 0 ? 'chef' : 'mentor'));

  it('MAX_POPULATE_DEPTH bounds the levels of populate', async () => {
    await accepted(`populate=${chain(MAX_POPULATE_DEPTH).join('.')}`);
    await refused('MAX_POPULATE_DEPTH', `${LIST}?populate=${chain(MAX_POPULATE_DEPTH + 1).join('.')}`);
    await accepted(`populate[chef][populate]=${chain(MAX_POPULATE_DEPTH).slice(1).join('.')}`);
    await refused(
      'MAX_POPULATE_DEPTH',
      `${LIST}?populate[chef][populate]=${chain(MAX_POPULATE_DEPTH + 1)
        .slice(1)
        .join('.')}`,
    );
    await accepted(`populate[${chain(MAX_POPULATE_DEPTH).join('][populate][')}]=true`);
  });

  it('MAX_POPULATE_DEPTH counts the level that a star stands for', async () => {
    const starAt = (level: number) => `populate[${chain(level - 1).join('][populate][')}][populate]=*`;
    await accepted(starAt(MAX_POPULATE_DEPTH));
    await refused('MAX_POPULATE_DEPTH', `${LIST}?${starAt(MAX_POPULATE_DEPTH + 1)}`);
  });

  it('MAX_JSON_DEPTH bounds the levels of a JSON value', async () => {
    const query = (operator: string, levels: number): string =>
      `filters[meta][${operator}]=${'['.repeat(levels)}1${']'.repeat(levels)}`;
    for (const operator of ['$eq', '$ne', '$in', '$has']) {
      await accepted(query(operator, MAX_JSON_DEPTH));
      await refused('MAX_JSON_DEPTH', `${LIST}?${query(operator, MAX_JSON_DEPTH + 1)}`);
    }
    await accepted(query('$contains', MAX_JSON_DEPTH + 1));
  });

  it('MAX_JSON_LENGTH bounds the JSON of all filters together', async () => {
    const send = (filters: object, facets: readonly string[] = []) =>
      app.inject({ method: 'POST', url: `${LIST}/query`, payload: { filters, facets, fields: 'name' } });
    const json = (length: number): string => `[${'1,'.repeat(length / 2 - 2)}1]`.padEnd(length);
    const [half, whole] = [json(MAX_JSON_LENGTH / 2), json(MAX_JSON_LENGTH)];
    for (const filters of [
      { meta: whole },
      { meta: { $in: [half, half] } },
      { $or: [{ meta: half }, { story: half }] },
    ])
      expect((await send(filters, ['name', 'stars'])).statusCode).toBe(200);
    for (const filters of [
      { meta: `${whole} ` },
      { meta: { $has: `${whole} ` } },
      { meta: { $at: { a: { $in: [whole, '1'] } } } },
      { $or: [{ meta: whole }, { chef: { restaurants: { meta: { $ne: '1' } } } }] },
    ])
      await expectAtOnce(async () => {
        const response = await send(filters, ['name', 'stars']);
        expectRefusal(response.statusCode, response.json(), 400, 'MAX_JSON_LENGTH');
      });
  });

  it('MAX_FOLDED_LENGTH bounds a value that is compared whatever its case', async () => {
    const query = (operator: string, length: number) => `filters[name][${operator}]=${'x'.repeat(length)}`;
    for (const operator of ['$eqi', '$containsi', '$notContainsi', '$startsWithi', '$endsWithi']) {
      await accepted(query(operator, MAX_FOLDED_LENGTH));
      await refused('MAX_FOLDED_LENGTH', `${LIST}?${query(operator, MAX_FOLDED_LENGTH + 1)}`);
    }
    await accepted(query('$contains', MAX_FOLDED_LENGTH + 1));
  });

  it('MAX_SEARCH_LENGTH bounds a search', async () => {
    await accepted(`_q=${'x'.repeat(MAX_SEARCH_LENGTH)}`);
    await refused('MAX_SEARCH_LENGTH', `${LIST}?_q=${'x'.repeat(MAX_SEARCH_LENGTH + 1)}`);
  });

  it('MAX_PAGE_SIZE clamps the size of a page', async () => {
    const size = async (query: string) => (await accepted(query)).meta.pagination;
    for (const asked of [MAX_PAGE_SIZE, MAX_PAGE_SIZE + 1, 1e12, Number.MAX_SAFE_INTEGER]) {
      expect((await size(`pagination[pageSize]=${asked}`)).pageSize).toBe(MAX_PAGE_SIZE);
      expect((await size(`pagination[limit]=${asked}`)).limit).toBe(MAX_PAGE_SIZE);
    }
    expect((await size(`pagination[pageSize]=${MAX_PAGE_SIZE - 1}`)).pageSize).toBe(MAX_PAGE_SIZE - 1);
    for (const asked of [0, -1, -1e12]) {
      expect((await size(`pagination[pageSize]=${asked}`)).pageSize).toBe(1);
      expect((await size(`pagination[page]=${asked}`)).page).toBe(1);
    }
  });

  it('MAX_PAGE_SIZE clamps the size of a page in process', async () => {
    const restaurants = times(MAX_PAGE_SIZE + 5, (index) => ({ id: index + 1, document_id: `d${index}`, name: 'x' }));
    const links = ['chef', 'owner', 'categories', 'signature_dish', 'neighbours'].map(
      (name) => `restaurants_${name}_lnk`,
    );
    const emptied = [
      ...links,
      'restaurants_cmps',
      'dishes_restaurant_lnk',
      'reviews_restaurant_lnk',
      'articles_restaurants_lnk',
      'homepages_featured_lnk',
      'components_blocks_picks_restaurants_lnk',
    ];
    const crowded = await engine.open({ ...Object.fromEntries(emptied.map((table) => [table, []])), restaurants });
    const documents = crowded.documents('api::restaurant.restaurant');
    const page = await documents.findPage({ pagination: { pageSize: MAX_PAGE_SIZE + 1 } });
    expect(page.data).toHaveLength(MAX_PAGE_SIZE);
    expect(page.meta.pagination.total).toBe(MAX_PAGE_SIZE + 5);
    expect(await documents.findMany({ pagination: { limit: MAX_PAGE_SIZE + 1 } })).toHaveLength(MAX_PAGE_SIZE);
    expect(await documents.findMany()).toHaveLength(MAX_PAGE_SIZE + 5);
  });

  it('MAX_OFFSET clamps how far a list is skipped', async () => {
    for (const asked of [MAX_OFFSET, MAX_OFFSET + 1, Number.MAX_SAFE_INTEGER, '1e300']) {
      const { data, meta } = await accepted(`pagination[start]=${asked}`);
      expect(data).toEqual([]);
      expect(meta.pagination.start).toBe(MAX_OFFSET);
    }
    const { data, meta } = await accepted(`pagination[page]=1e300&pagination[pageSize]=${MAX_PAGE_SIZE}`);
    expect(data).toEqual([]);
    expect(meta.pagination.page).toBe(MAX_OFFSET / MAX_PAGE_SIZE + 1);
    expect((await accepted('pagination[start]=-1')).meta.pagination.start).toBe(0);
  });
});

describeOnEveryDatabase('MAX_PAGE_BYTES', (engine) => {
  const contents = useContents(engine);

  it('bounds the long values of a page before they are read, and nothing in process', async () => {
    const type = { attributes: { title: { type: 'string' }, body: { type: 'text' }, meta: { type: 'json' } } };
    const content = await contents.open({ types: { page: type } });
    const size = 1_000_000;
    const count = MAX_PAGE_BYTES / size + 1;
    const series =
      engine.name === 'SQLite'
        ? `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count}) select 'd' || i, 't', printf('%.*c', ${size}, 'x'), printf('"%.*c"', ${size}, 'x'), 1 from n`
        : `select 'd' || i, 't', repeat('x', ${size}), to_jsonb(repeat('x', ${size})), now() from generate_series(1, ${count}) as n(i)`;
    await content.execute(`insert into pages (document_id, title, body, meta, published_at) ${series}`);
    // PostgreSQL stores a hundredth of such values, which it compresses.
    for (const wide of ['pages', 'pages?fields=body', 'pages?fields=meta']) {
      const { status, body } = await content.get(wide);
      const expected = [400, { limit: 'MAX_PAGE_BYTES', param: 'pagination' }];
      expect([status, body.error?.details], wide).toMatchObject(expected);
      expect(body.error.message).toMatch(/ask for fewer entries or fields/);
    }
    for (const narrower of ['pages?fields=title', 'pages?pagination[pageSize]=2', 'pages/d1'])
      expect((await content.get(narrower)).status, narrower).toBe(200);
    expect(await content.sheaf.documents('api::page.page').findMany()).toHaveLength(count);
  });
});
