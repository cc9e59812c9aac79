// What the machine can do at most without a cache on PostgreSQL: one statement written by hand for each workload, JSON
// made inside the database, plain node:http, a pool of named prepared statements. It checks nothing and knows no model.
// Run as: node bench/limit-server-postgres.ts URL DOCUMENT_ID; the address is printed once it listens.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'pg';
import { DEFAULT_POSTGRES } from '../src/db/postgres.ts';
import { DOCUMENT_PLACE, WORKLOADS, type WorkloadName } from './workloads.ts';

const PAGE_SIZE = 25;

/** A member of an object: its key, and the column or expression that gives it, `$` standing for the row. */
type Member = readonly [key: string, value: string];

const plain = (...names: readonly string[]): Member[] => names.map((name) => [name, `$.${name}`]);
const instant = (key: string, column: string): Member => [key, `to_char($.${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`];

const NAMES: Member[] = [['id', '$.id'], ['documentId', '$.document_id'], ...plain('name')];
const TIMES: Member[] = [
  instant('createdAt', 'created_at'),
  instant('updatedAt', 'updated_at'),
  instant('publishedAt', 'published_at'),
];
const RESTAURANT: Member[] = [
  ...NAMES,
  ...plain('description', 'slug', 'stars', 'rating'),
  ['averagePrice', '$.average_price'],
  ['visits', '$.visits::text'],
  ['open', '$.open'],
  ['openedOn', '$.opened_on'],
  ['kitchenCloses', `to_char($.kitchen_closes, 'HH24:MI:SS.MS')`],
  instant('inspectedAt', 'inspected_at'),
  ...plain('cuisine', 'email', 'meta', 'story'),
  ...TIMES,
];
const COUNTRY: Member[] = [...NAMES, ...plain('code'), ...TIMES];
const CHEF: Member[] = [...NAMES, ...plain('age', 'bio'), ...TIMES];
const CATEGORY: Member[] = [...NAMES, ...plain('rank'), ...TIMES];
const DISH: Member[] = [...NAMES, ...plain('price', 'vegan'), ...TIMES];
const ADDRESS: Member[] = plain('id', 'street', 'city', 'zip', 'geo');
const REVIEW: Member[] = [
  ['id', '$.id'],
  ['documentId', '$.document_id'],
  ...plain('score', 'comment'),
  ['visitedOn', '$.visited_on'],
  ...TIMES,
];

const columns = (row: string, members: readonly Member[]): string =>
  members.map(([key, value]) => `${value.replaceAll('$', row)} as "${key}"`).join(', ');

/** A member whose value is the one object that a query finds. */
const one = (key: string, row: string, members: readonly Member[], from: string): Member => [
  key,
  `(select row_to_json(e) from (select ${columns(row, members)} from ${from}) e)`,
];

/** A member whose value is the list of all objects that a query finds, in its order. */
const many = (key: string, row: string, members: readonly Member[], from: string): Member => [
  key,
  `(select coalesce(json_agg(row_to_json(e)), '[]') from (select ${columns(row, members)} from ${from}) e)`,
];

interface Page {
  readonly table: string;
  readonly members: readonly Member[];
  readonly where?: string;
  readonly order: string;
  readonly offset?: number;
}

/** The ids of the page come first, so that objects are made for its rows alone. */
function page({ table, members, where, order, offset = 0 }: Page): string {
  const matching = `${table} r${where ? ` where ${where}` : ''}`;
  const ids = `select r.id from ${matching} order by ${order} limit ${PAGE_SIZE} offset ${offset}`;
  const numbered = `select o.id, row_number() over () as n from (${ids}) o`;
  const entries = `select ${columns('r', members)} from (${numbered}) i join ${table} r on r.id = i.id order by i.n`;
  return `select coalesce(json_agg(row_to_json(e)), '[]')::text as data, (select count(*) from ${matching})::int4 as total from (${entries}) e`;
}

const chef = (members: readonly Member[]): Member =>
  one(
    'chef',
    'c',
    members,
    'restaurants_chef_lnk l join chefs c on c.id = l.chef_id where l.restaurant_id = r.id limit 1',
  );
const categories = (members: readonly Member[]): Member =>
  many(
    'categories',
    'c',
    members,
    'restaurants_categories_lnk l join categories c on c.id = l.category_id where l.restaurant_id = r.id order by l.category_ord',
  );
const country = one(
  'country',
  'o',
  COUNTRY,
  'chefs_country_lnk k join countries o on o.id = k.country_id where k.chef_id = c.id limit 1',
);
const dishes = many(
  'dishes',
  'd',
  DISH,
  'dishes_restaurant_lnk m join dishes d on d.id = m.dish_id where m.restaurant_id = r.id order by d.price',
);
const address = one(
  'address',
  'a',
  ADDRESS,
  `restaurants_cmps p join components_location_addresses a on a.id = p.cmp_id
    where p.entity_id = r.id and p.field = 'address' and p.component_type = 'location.address' limit 1`,
);

const DEEP_PAGE_OFFSET = 49_975;

const STATEMENTS: Readonly<Record<WorkloadName, string>> = {
  'read by id': `select row_to_json(e)::text as data from (select ${columns('r', RESTAURANT)} from restaurants r where r.document_id = $1) e`,
  'list, default': page({ table: 'restaurants', members: RESTAURANT, order: 'r.id' }),
  'list, filter and sort': page({
    table: 'restaurants',
    members: RESTAURANT,
    where: `r.stars >= 3 and r.cuisine in ('french', 'italian')`,
    order: 'r.rating desc, r.id',
  }),
  'deep filter, to-one, two hops': page({
    table: 'restaurants',
    members: NAMES,
    where: `r.id in (select l.restaurant_id from restaurants_chef_lnk l
      join chefs_country_lnk k on k.chef_id = l.chef_id join countries c on c.id = k.country_id where c.code = 'AB')`,
    order: 'r.name collate "C", r.id',
  }),
  'deep filter, to-many': page({
    table: 'restaurants',
    members: [...NAMES, ...plain('stars')],
    where: `r.id in (select l.restaurant_id from restaurants_categories_lnk l
      join categories c on c.id = l.category_id where starts_with(c.name, 'cedar'))`,
    order: 'r.id',
  }),
  'populate two relations': page({
    table: 'restaurants',
    members: [...RESTAURANT, chef(NAMES), categories(NAMES)],
    order: 'r.id',
  }),
  'populate nested': page({
    table: 'restaurants',
    members: [...RESTAURANT, chef([...CHEF, country]), dishes, address],
    order: 'r.id',
  }),
  'filter and populate': page({
    table: 'restaurants',
    members: [...RESTAURANT, categories(CATEGORY)],
    where: `(lower(r.name collate "und-x-icu") like '%amber%' or r.id in (select l.restaurant_id from restaurants_chef_lnk l
      join chefs c on c.id = l.chef_id where starts_with(c.name, 'Cedar')))`,
    order: 'r.created_at desc, r.id',
  }),
  'deep page': page({ table: 'reviews', members: REVIEW, order: 'r.id', offset: DEEP_PAGE_OFFSET }),
};

const PAGES: Partial<Record<WorkloadName, number>> = { 'deep page': DEEP_PAGE_OFFSET / PAGE_SIZE + 1 };

const [url, documentId] = process.argv.slice(2) as [string, string];
const pool = new Pool({ connectionString: url, max: DEFAULT_POSTGRES.poolSize });

async function answerList(name: WorkloadName): Promise<string> {
  const found = await pool.query<{ data: string; total: number }>({ name, text: STATEMENTS[name] });
  const { data, total } = found.rows[0]!;
  const pageCount = Math.ceil(total / PAGE_SIZE);
  return `{"data":${data},"meta":{"pagination":{"page":${PAGES[name] ?? 1},"pageSize":${PAGE_SIZE},"pageCount":${pageCount},"total":${total}}}}`;
}

async function answerOne(name: WorkloadName): Promise<string> {
  const found = await pool.query<{ data: string }>({ name, text: STATEMENTS[name], values: [documentId] });
  return `{"data":${found.rows[0]!.data},"meta":{}}`;
}

const answers = new Map<string, () => Promise<string>>();
for (const [name, path] of Object.entries(WORKLOADS) as [WorkloadName, string][])
  answers.set(path.replace(DOCUMENT_PLACE, documentId), () =>
    path.includes(DOCUMENT_PLACE) ? answerOne(name) : answerList(name),
  );

const server = createServer(async (request, response) => {
  const answer = answers.get(request.url!);
  const body = answer ? await answer() : '';
  response.writeHead(answer ? 200 : 404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
