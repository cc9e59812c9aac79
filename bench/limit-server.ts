// What the machine can do at most without a cache: one statement written by hand for each workload, JSON made inside
// SQLite, plain node:http. It reads nothing of the request but the path, checks nothing and knows no model.
// Run as: node bench/limit-server.ts FILE DOCUMENT_ID; the address is printed once it listens.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { DOCUMENT_PLACE, WORKLOADS, type WorkloadName } from './workloads.ts';

const PAGE_SIZE = 25;

/** A member of an object: its key, and the column or expression that gives it, `$` standing for the row. */
type Member = readonly [key: string, value: string];

const instant = (column: string): string => `strftime('%Y-%m-%dT%H:%M:%fZ', $.${column} / 1000.0, 'unixepoch')`;
const boolean = (column: string): string =>
  `json(case $.${column} when 1 then 'true' when 0 then 'false' else 'null' end)`;
const plain = (...names: readonly string[]): Member[] => names.map((name) => [name, `$.${name}`]);

const NAMES: Member[] = [['id', '$.id'], ['documentId', '$.document_id'], ...plain('name')];
const TIMES: Member[] = [
  ['createdAt', instant('created_at')],
  ['updatedAt', instant('updated_at')],
  ['publishedAt', instant('published_at')],
];
const RESTAURANT: Member[] = [
  ...NAMES,
  ...plain('description', 'slug', 'stars', 'rating'),
  ['averagePrice', '$.average_price'],
  ['visits', 'cast($.visits as text)'],
  ['open', boolean('open')],
  ['openedOn', '$.opened_on'],
  ['kitchenCloses', '$.kitchen_closes'],
  ['inspectedAt', instant('inspected_at')],
  ...plain('cuisine', 'email'),
  ['meta', 'json($.meta)'],
  ['story', 'json($.story)'],
  ...TIMES,
];
const COUNTRY: Member[] = [...NAMES, ...plain('code'), ...TIMES];
const CHEF: Member[] = [...NAMES, ...plain('age', 'bio'), ...TIMES];
const CATEGORY: Member[] = [...NAMES, ...plain('rank'), ...TIMES];
const DISH: Member[] = [...NAMES, ...plain('price'), ['vegan', boolean('vegan')], ...TIMES];
const ADDRESS: Member[] = [...plain('id', 'street', 'city', 'zip'), ['geo', 'json($.geo)']];
const REVIEW: Member[] = [
  ['id', '$.id'],
  ['documentId', '$.document_id'],
  ...plain('score', 'comment'),
  ['visitedOn', '$.visited_on'],
  ...TIMES,
];

const object = (row: string, members: readonly Member[]): string =>
  `json_object(${members.map(([key, value]) => `'${key}', ${value.replaceAll('$', row)}`).join(', ')})`;

/** A member whose value is the one object that a query finds. */
const one = (key: string, row: string, members: readonly Member[], from: string): Member => [
  key,
  `json((select ${object(row, members)} from ${from}))`,
];

/** A member whose value is the list of all objects that a query finds, in its order. */
const many = (key: string, row: string, members: readonly Member[], from: string): Member => [
  key,
  `json((select json_group_array(json(entry)) from (select ${object(row, members)} as entry from ${from})))`,
];

interface Page {
  readonly table: string;
  readonly members: readonly Member[];
  readonly where?: string;
  readonly order: string;
  readonly offset?: number;
}

/** The ids of the page come first: the sorter would otherwise carry the whole object of every row that matches. */
function page({ table, members, where, order, offset = 0 }: Page): string {
  // Counting a whole table has a short cut in SQLite, which any condition, even a true one, takes away.
  const matching = `${table} r${where ? ` where ${where}` : ''}`;
  const ids = `select r.id from ${matching} order by ${order} limit ${PAGE_SIZE} offset ${offset}`;
  const entries = `select ${object('r', members)} as entry from (${ids}) i cross join ${table} r on r.id = i.id`;
  return `select json_group_array(json(entry)) as data, (select count(*) from ${matching}) as total from (${entries})`;
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
  'chefs_country_lnk k join countries o on o.id = k.country_id where k.chef_id = c.id',
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
    where p.entity_id = r.id and p.field = 'address' and p.component_type = 'location.address'`,
);

const DEEP_PAGE_OFFSET = 49_975;

const STATEMENTS: Readonly<Record<WorkloadName, string>> = {
  'read by id': `select ${object('r', RESTAURANT)} as data from restaurants r where r.document_id = ?`,
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
    order: 'r.name, r.id',
  }),
  'deep filter, to-many': page({
    table: 'restaurants',
    members: [...NAMES, ...plain('stars')],
    where: `r.id in (select l.restaurant_id from restaurants_categories_lnk l
      join categories c on c.id = l.category_id where c.name glob 'cedar*')`,
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
    where: `(lower(r.name) like '%amber%' or r.id in (select l.restaurant_id from restaurants_chef_lnk l
      join chefs c on c.id = l.chef_id where c.name glob 'Cedar*'))`,
    order: 'r.created_at desc, r.id',
  }),
  'deep page': page({ table: 'reviews', members: REVIEW, order: 'r.id', offset: DEEP_PAGE_OFFSET }),
};

const PAGES: Partial<Record<WorkloadName, number>> = { 'deep page': DEEP_PAGE_OFFSET / PAGE_SIZE + 1 };

function answerList(statement: StatementSync, number: number): string {
  const { data, total } = statement.get() as { data: string; total: number };
  const pageCount = Math.ceil(total / PAGE_SIZE);
  return `{"data":${data},"meta":{"pagination":{"page":${number},"pageSize":${PAGE_SIZE},"pageCount":${pageCount},"total":${total}}}}`;
}

function answerOne(statement: StatementSync, documentId: string): string {
  const { data } = statement.get(documentId) as { data: string };
  return `{"data":${data},"meta":{}}`;
}

const [file, documentId] = process.argv.slice(2) as [string, string];
const database = new DatabaseSync(file, { readOnly: true });
database.exec('pragma mmap_size = 268435456; pragma cache_size = -65536');

const answers = new Map<string, () => string>();
for (const [name, path] of Object.entries(WORKLOADS) as [WorkloadName, string][]) {
  const statement = database.prepare(STATEMENTS[name]);
  const byId = path.includes(DOCUMENT_PLACE);
  answers.set(
    path.replace(DOCUMENT_PLACE, documentId),
    byId ? () => answerOne(statement, documentId) : () => answerList(statement, PAGES[name] ?? 1),
  );
}

const server = createServer((request, response) => {
  const answer = answers.get(request.url!);
  const body = answer ? answer() : '';
  response.writeHead(answer ? 200 : 404, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
