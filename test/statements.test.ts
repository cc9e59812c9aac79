// How many statements a request sends. A read: in process two for a list and one for an entry, and one more for each
// populated path; over a wire one for everything; and never more because there are more rows. A write: none at all
// until everything about its request is known to be good.
import { DatabaseSync } from 'node:sqlite';
import type { FastifyInstance } from 'fastify';
import pg from 'pg';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_BODY_DEPTH, MAX_REFERENCES } from '../src/limits.ts';
import { openToAll } from './support/access.ts';
import { guideKeys } from './support/conformance.ts';
import { describeOnEveryDatabase, GUIDE, recordStatements } from './support/database.ts';

const RESTAURANT = 'api::restaurant.restaurant';

describeOnEveryDatabase('The number of statements', (engine) => {
  const oneTrip = engine.name === 'PostgreSQL';
  const perPath = (paths: number): number => (oneTrip ? 0 : paths);
  let sheaf: Sheaf;
  let app: FastifyInstance;
  let statements: string[];
  beforeAll(async () => {
    sheaf = await engine.open();
    app = createServer(sheaf);
    // Opened with the first request otherwise, which reads a setting of the database once.
    await sheaf.auth();
    statements = recordStatements(sheaf);
  });
  beforeEach(() => {
    statements.length = 0;
  });

  /** The statements that a request sends, and the entries it gets; every request here is a good one. */
  async function get(url: string): Promise<{ sent: number; data: unknown }> {
    statements.length = 0;
    const response = await app.inject({ url });
    expect(response.statusCode, `${url}: ${response.body.slice(0, 200)}`).toBe(200);
    return { sent: statements.length, data: response.json().data };
  }

  it.each([
    ['without parameters', ''],
    ['with filters on its own attributes', 'filters[stars][$gte]=0&filters[$or][0][name][$containsi]=a'],
    ['with filters through relations', 'filters[chef][country][code]=IT&filters[categories][name][$ne]=x'],
    ['with a filter for what is missing', 'filters[owner][$null]=true'],
    ['with a sort by relations', 'sort=chef.country.name:desc,categories.rank,name'],
    ['with a search', '_q=a'],
    ['with fields', 'fields=name,stars'],
    ['with a page', 'pagination[page]=2&pagination[pageSize]=3'],
    ['without a total', 'pagination[withCount]=false'],
  ])('is two at most, or one, for a list %s', async (_name, query) => {
    const { sent, data } = await get(`/api/restaurants?${query}`);
    expect(data).not.toEqual([]);
    expect(sent).toBeLessThanOrEqual(oneTrip ? 1 : 2);
  });

  it('is two at most, or one, for a list of a type with drafts and locales', async () => {
    for (const query of ['', 'locale=fr', 'locale=*', 'status=draft', 'publicationFilter=has-published-version'])
      expect((await get(`/api/articles?${query}`)).sent).toBeLessThanOrEqual(oneTrip ? 1 : 2);
  });

  it('is two at most, or one, for an empty page, whatever is populated', async () => {
    const { sent, data } = await get('/api/restaurants?filters[name]=nobody&populate=*');
    expect(data).toEqual([]);
    expect(sent).toBeLessThanOrEqual(oneTrip ? 1 : 2);
  });

  const PATHS: readonly [string, string, number][] = [
    ['a to-one relation', 'populate=chef', 1],
    ['a to-many relation', 'populate=categories', 1],
    ['three relations', 'populate=chef,categories,dishes', 3],
    ['a path of two relations', 'populate=chef.country', 2],
    ['a path of three relations', 'populate=categories.restaurants.chef', 3],
    ['two paths that share their beginning', 'populate[0]=chef.country&populate[1]=chef.restaurants', 3],
    ['components', 'populate=address,openingHours', 2],
    ['a dynamic zone of three components', 'populate=blocks', 1],
    ['a relation inside a dynamic zone', 'populate[blocks][on][blocks.picks][populate]=restaurants', 2],
    ['files', 'populate=cover,gallery', 2],
    ['a count', 'populate[dishes][count]=true', 1],
    [
      'a relation with filters, sort and fields',
      'populate[categories][filters][parent][$null]=true&populate[categories][sort]=name&populate[categories][fields]=name',
      1,
    ],
    ['all eleven of a type', 'populate=*', 11],
  ];

  it.each(PATHS)('is one more for each path, or none: %s', async (_name, query, paths) => {
    const plain = await get('/api/restaurants');
    const populated = await get(`/api/restaurants?${query}`);
    expect(populated.sent - plain.sent).toBe(perPath(paths));
  });

  it.each(PATHS)('is the same for a page of one and a page of ten: %s', async (_name, query) => {
    const one = await get(`/api/restaurants?pagination[pageSize]=1&${query}`);
    const ten = await get(`/api/restaurants?pagination[pageSize]=10&${query}`);
    expect([(one.data as []).length, (ten.data as []).length]).toEqual([1, 10]);
    expect(ten.sent).toBe(one.sent);
  });

  it('is one for an entry, found or not', async () => {
    const [first] = (await get('/api/restaurants')).data as { documentId: string }[];
    expect((await get(`/api/restaurants/${first!.documentId}`)).sent).toBe(1);
    statements.length = 0;
    expect((await app.inject({ url: '/api/restaurants/nobody?populate=*' })).statusCode).toBe(404);
    expect(statements).toHaveLength(1);
  });

  it('is one for a single type', async () => {
    expect((await get('/api/homepage')).sent).toBe(1);
    expect((await get('/api/homepage?populate=hero.links,featured')).sent).toBe(1 + perPath(3));
  });

  it.each(PATHS)('is one and one for each path, or none, for an entry: %s', async (_name, query, paths) => {
    const [first] = (await get('/api/restaurants')).data as { documentId: string }[];
    expect((await get(`/api/restaurants/${first!.documentId}?${query}`)).sent).toBe(1 + perPath(paths));
  });

  it('is the same in process as over HTTP', async () => {
    const documents = sheaf.documents(RESTAURANT);
    const parameters = { filters: { chef: { name: { $notNull: true } } }, populate: ['chef.country'] };
    await documents.findMany(parameters);
    expect(statements).toHaveLength(oneTrip ? 1 : 3);
    statements.length = 0;
    const first = await documents.findFirst(parameters);
    expect(statements).toHaveLength(oneTrip ? 1 : 3);
    statements.length = 0;
    await documents.findOne({ documentId: first!.documentId });
    expect(statements).toHaveLength(1);
    statements.length = 0;
    await documents.count(parameters);
    expect(statements).toHaveLength(1);
  });

  it('is not larger for who asks than one after each write', async () => {
    const { database } = sheaf;
    const { latest } = database;
    let asked = 0;
    const begin = performance.now();
    database.latest = (work) => {
      asked++;
      return latest.call(database, work) as never;
    };
    try {
      for (let write = 0; write < 5; write++) {
        await sheaf.documents('api::tag.tag').create({ data: { label: `written ${write}` } });
        // At once, while the clock still shows the moment of the write.
        for (let times = 0; times < 20; times++) await get('/api/tags');
      }
    } finally {
      database.latest = latest;
    }
    // PostgreSQL looks for changes by the clock, too: once a second.
    const seconds = Math.ceil((performance.now() - begin) / 1000);
    expect(asked).toBeLessThanOrEqual(oneTrip ? 1 + seconds : 5);
  });
});

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `document${index}`);
const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

/** Requests that are wrong in themselves, whatever the database holds. */
const WRONG: readonly [why: string, method: 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown][] = [
  ['no JSON', 'POST', 'restaurants', '{"data":'],
  ['no data', 'POST', 'restaurants', {}],
  ['data that is a list', 'POST', 'restaurants', { data: [] }],
  ['a key beside data', 'POST', 'restaurants', { data: { name: 'Nuovo' }, status: 'draft' }],
  ['a body that is too deep', 'POST', 'restaurants', { data: { name: 'Nuovo', meta: nested(MAX_BODY_DEPTH) } }],
  ['an unknown key', 'POST', 'restaurants', { data: { name: 'Nuovo', nosuch: 1 } }],
  ['an unknown key in a component', 'POST', 'restaurants', { data: { name: 'Nuovo', address: { nosuch: 1 } } }],
  ['an unknown component', 'POST', 'restaurants', { data: { name: 'Nuovo', blocks: [{ __component: 'no.such' }] } }],
  ['a value of the wrong type', 'PUT', 'restaurants/{{restaurant.alba}}', { data: { stars: 'many' } }],
  ['a value past its bound', 'PUT', 'restaurants/{{restaurant.alba}}', { data: { stars: 6 } }],
  ['a missing value', 'POST', 'restaurants', { data: { stars: 1 } }],
  ['a password that is too long', 'POST', 'restaurants', { data: { name: 'Nuovo', doorCode: 'x'.repeat(73) } }],
  ['an id that is no value', 'PUT', 'restaurants/{{restaurant.alba}}', '{"data":{"chef":{"id":{"toString":1}}}}'],
  [
    'an id of a component that is no value',
    'PUT',
    'restaurants/{{restaurant.alba}}',
    '{"data":{"address":{"id":{"toString":1}}}}',
  ],
  ['a null character in a documentId', 'PUT', 'restaurants/{{restaurant.alba}}', { data: { chef: '\0' } }],
  [
    'a null character in a longer form',
    'PUT',
    'restaurants/{{restaurant.alba}}',
    { data: { chef: { documentId: '\0' } } },
  ],
  ['half a surrogate pair in a documentId', 'PUT', 'restaurants/{{restaurant.alba}}', { data: { dishes: ['\ud800'] } }],
  ['a null character in the id of a file', 'PUT', 'restaurants/{{restaurant.alba}}', { data: { cover: '\0' } }],
  ['an id that no row can have', 'PUT', 'restaurants/{{restaurant.alba}}', { data: { chef: 2 ** 31 } }],
  [
    'an id in digits that no row can have',
    'POST',
    'restaurants',
    { data: { name: 'Nuovo', dishes: [{ id: '9999999999' }] } },
  ],
  ['a role that no row can have', 'PUT', 'users/1', { role: -(2 ** 40) }],
  ['what is no reference', 'PUT', 'restaurants/{{restaurant.alba}}', { data: { chef: true } }],
  [
    'too many references',
    'PUT',
    'restaurants/{{restaurant.alba}}',
    { data: { categories: many(MAX_REFERENCES), chef: '{{chef.anne}}' } },
  ],
  [
    'a wrong position',
    'PUT',
    'restaurants/{{restaurant.alba}}',
    { data: { categories: { connect: [{ documentId: '{{category.fine}}', position: { before: 1, after: 2 } }] } } },
  ],
  [
    'set beside connect',
    'PUT',
    'restaurants/{{restaurant.alba}}',
    { data: { categories: { set: [], connect: ['{{category.fine}}'] } } },
  ],
  ['a wrong status', 'POST', 'articles?status=done', { data: { title: 'Now' } }],
  ['several locales for one row', 'POST', 'articles?locale=*', { data: { title: 'Now' } }],
  ['a parameter that a write has not', 'POST', 'restaurants?filters[name]=Alba', { data: { name: 'Nuovo' } }],
  ['an unknown relation in the answer', 'POST', 'restaurants?populate=nosuch', { data: { name: 'Nuovo' } }],
  ['an unknown field in the answer', 'PUT', 'restaurants/{{restaurant.alba}}?fields=nosuch', { data: { stars: 1 } }],
  ['a parameter that publishing has not', 'POST', 'articles/{{article.truffle}}/actions/publish?status=draft'],
  [
    'an unknown relation in the answer to a clone',
    'POST',
    'articles/{{article.truffle}}/actions/clone?populate=nosuch',
  ],
  ['a status that cannot be deleted alone', 'DELETE', 'articles/{{article.truffle}}?status=draft'],
  ['an unknown key of a user', 'POST', 'users', { username: 'newcomer', email: 'new@example.com', nosuch: 1 }],
];

describeOnEveryDatabase('A write', (engine) => {
  const keys = guideKeys();
  let app: FastifyInstance;
  let statements: string[];
  let transactions = 0;
  beforeAll(async () => {
    const sheaf = await engine.open();
    await openToAll(sheaf);
    app = createServer(sheaf);
    await app.ready();
    const { database } = sheaf;
    const { transaction } = database;
    database.transaction = (work, ...rest) => {
      transactions++;
      return transaction.call(database, work, ...rest) as never;
    };
    statements = recordStatements(sheaf);
  });
  beforeEach(() => {
    statements.length = 0;
    transactions = 0;
  });

  async function send(method: 'POST' | 'PUT' | 'DELETE', url: string, body?: unknown) {
    const payload = typeof body === 'string' ? body : keys.fill(JSON.stringify(body ?? null));
    return app.inject({
      method,
      url: `/api/${keys.fill(url)}`,
      ...(body !== undefined && { payload, headers: { 'content-type': 'application/json' } }),
    });
  }

  it('shows in Server-Timing how long it was parsed and planned', async () => {
    const { headers, statusCode } = await send('POST', 'restaurants?populate=chef', { data: { name: 'Nuovo' } });
    expect(statusCode).toBe(201);
    const [, parse, plan] = /^parse;dur=([\d.]+), plan;dur=([\d.]+), run;dur=/.exec(String(headers['server-timing']))!;
    expect(Number(parse)).toBeGreaterThan(0);
    expect(Number(plan)).toBeGreaterThan(0);
  });

  it('opens one transaction', async () => {
    expect((await send('POST', 'tags', { data: { label: 'new' } })).statusCode).toBe(201);
    expect(transactions).toBe(1);
    expect(statements).not.toEqual([]);
  });

  it.each(WRONG)('with a bad body or parameter opens no transaction: %s', async (_why, method, url, body) => {
    const answer = await send(method, url, body);
    expect(answer.statusCode, answer.body).toBe(400);
    expect(transactions).toBe(0);
  });

  it('of fields alone finds and locks its own document and no other', async () => {
    const { statusCode } = await send('PUT', 'restaurants/{{restaurant.alba}}', { data: { stars: 3, open: false } });
    expect(statusCode).toBe(200);
    // One that finds, locks and changes it, and one to answer.
    expect(statements).toHaveLength(2);
  });
});

describeOnEveryDatabase('A start', (engine) => {
  it('asks the database once for its tables, where they fit the model', async () => {
    const url = engine.guideDatabaseUrl();
    await (await open({ project: GUIDE, database: url })).close();
    const asked: string[] = [];
    const note = (text: unknown): void => {
      if (/pragma_table_info|pg_attribute/.test(String(text))) asked.push(String(text));
    };
    const { prepare } = DatabaseSync.prototype;
    const { query } = pg.Client.prototype;
    const spies = [
      vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (this: DatabaseSync, ...given) {
        note(given[0]);
        return prepare.apply(this, given);
      }),
      vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
        const [text] = given as [string | pg.QueryConfig];
        note(typeof text === 'string' ? text : text.text);
        return Reflect.apply(query, this, given);
      }),
    ];
    try {
      for (const readOnly of [false, true]) {
        asked.length = 0;
        await (await open({ project: GUIDE, database: url, readOnly })).close();
        expect(asked, readOnly ? 'only read' : 'read and written').toHaveLength(1);
      }
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });
});
