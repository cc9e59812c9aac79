// How many statements a read sends: in process two for a list and one for an entry, and one more for each populated
// path; over a wire one for everything; and never more because there are more rows.
import type { FastifyInstance } from 'fastify';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';

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
    expect(statements).toHaveLength(oneTrip ? 1 : 4);
    statements.length = 0;
    const first = await documents.findFirst(parameters);
    expect(statements).toHaveLength(oneTrip ? 1 : 4);
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
    // PostgreSQL looks for changes by the clock, too.
    expect(asked).toBeLessThanOrEqual(oneTrip ? 2 : 5);
  });
});
