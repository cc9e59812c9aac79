// Filters on sets, in process, beside the same answer from SQL that was written by hand. Where there are several ways to
// write it, the fastest counts. Both take turns, since only ratios of one run mean anything on a machine that others use.
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { systemCaller } from '../src/access/caller.ts';
import { open, type Sheaf } from '../src/app.ts';
import type { FindParameters } from '../src/operations/parameters.ts';
import { entriesOfPage } from '../src/read/read-strategy.ts';
import { preparePage } from '../src/read/run-read.ts';
import { FIRST_PAGE } from '../src/request/parse-read.ts';
import { dataSet, PROJECT } from './data.ts';
import { chosen, type Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { BenchError } from './server.ts';
import { milliseconds, table } from './table.ts';

const PAGE_SIZE = 25;
const WARM_UP = 3;
const LEAST_TURNS = 5;

interface SetFilter {
  readonly filters: NonNullable<FindParameters['filters']>;
  /** Conditions on a restaurant `r`, which all mean the same. */
  readonly byHand: readonly string[];
}

const CATEGORIES = 'restaurants_categories_lnk l join categories c on c.id = l.category_id';
const DISHES = 'dishes_restaurant_lnk l join dishes d on d.id = l.dish_id';
const inCategory = (name: string): string =>
  `r.id in (select l.restaurant_id from ${CATEGORIES} where c.name = '${name}')`;

/** `vegan`: how the database writes that a dish is. */
const filtersOn = (vegan: string): Readonly<Record<string, SetFilter>> => ({
  $none: {
    filters: { categories: { $none: { name: 'maple 12' } } },
    byHand: [
      `not exists (select 1 from ${CATEGORIES} where l.restaurant_id = r.id and c.name = 'maple 12')`,
      `r.id not in (select l.restaurant_id from ${CATEGORIES} where c.name = 'maple 12')`,
    ],
  },
  $every: {
    filters: { dishes: { $every: { vegan: true } } },
    byHand: [`not exists (select 1 from ${DISHES} where l.restaurant_id = r.id and (${vegan}) is not true)`],
  },
  $count: {
    filters: { categories: { $count: { $gte: 5 } } },
    byHand: [
      '(select count(*) from restaurants_categories_lnk l where l.restaurant_id = r.id) >= 5',
      'r.id in (select l.restaurant_id from restaurants_categories_lnk l group by 1 having count(*) >= 5)',
    ],
  },
  '$count where': {
    filters: { dishes: { $count: { $gte: 3, where: { vegan: true } } } },
    byHand: [
      `(select count(*) from ${DISHES} where l.restaurant_id = r.id and ${vegan}) >= 3`,
      `r.id in (select l.restaurant_id from ${DISHES} where ${vegan} group by 1 having count(*) >= 3)`,
    ],
  },
  '$count of none': {
    filters: { categories: { $count: 0 } },
    byHand: ['not exists (select 1 from restaurants_categories_lnk l where l.restaurant_id = r.id)'],
  },
  $all: {
    filters: { categories: { name: { $all: ['maple 12', 'nettle 13'] } } },
    byHand: [
      `${inCategory('maple 12')} and ${inCategory('nettle 13')}`,
      `r.id in (select l.restaurant_id from ${CATEGORIES} where c.name in ('maple 12', 'nettle 13') group by 1 having count(distinct c.name) = 2)`,
    ],
  },
});

/** Answers with the ids of the page and the total, or null where it is not asked for. */
type Ask = () => Promise<{ ids: readonly number[]; total: number | null }>;

interface HandWritten {
  readonly vegan: string;
  readonly aggregate: (text: string) => string;
  /** Milliseconds: of this process where it does all the work, and on the clock where another does. */
  now(): number;
  run(sql: string): Promise<{ total: number | null; entries: string }>;
  close(): Promise<void>;
}

export async function sets(options: Options): Promise<void> {
  if (options.postgres)
    return withPostgres(options.restaurants, async ({ url }) => compare(url, await onPostgres(url), options));
  const { file } = await dataSet(options.restaurants);
  return compare(`sqlite:${file}`, onSqlite(file), options);
}

function onSqlite(file: string): HandWritten {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec('pragma mmap_size = 268435456; pragma cache_size = -65536');
  const prepared = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  return {
    vegan: 'd.vegan = 1',
    now() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1000;
    },
    aggregate: (rows) =>
      `select json_group_array(json_object('id', id, 'documentId', document_id, 'name', name)) from (${rows})`,
    async run(sql) {
      if (!prepared.has(sql)) prepared.set(sql, database.prepare(sql));
      return prepared.get(sql)!.get() as { total: number | null; entries: string };
    },
    async close() {
      database.close();
    },
  };
}

async function onPostgres(url: string): Promise<HandWritten> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const names = new Map<string, string>();
  return {
    vegan: 'd.vegan',
    now: () => performance.now(),
    aggregate: (rows) => `select coalesce(json_agg(row_to_json(e)), '[]')::text from (${rows}) e`,
    async run(text) {
      if (!names.has(text)) names.set(text, `by_hand_${names.size}`);
      const { rows } = await client.query<{ total: string | null; entries: string }>({ name: names.get(text)!, text });
      const { total, entries } = rows[0]!;
      return { total: total === null ? null : Number(total), entries };
    },
    close: () => client.end(),
  };
}

function byHand({ run, aggregate }: HandWritten, where: string, withCount: boolean): Ask {
  const matching = `select r.id from restaurants r where ${where}`;
  const source = withCount ? 'select id from m' : matching;
  const ids = `${source} order by id limit ${PAGE_SIZE}`;
  const entries = aggregate(
    `select r.id, r.document_id, r.name from (${ids}) i join restaurants r on r.id = i.id order by r.id`,
  );
  const sql = withCount
    ? `with m as materialized (${matching}) select (select count(*) from m) as total, (${entries}) as entries`
    : `select null as total, (${entries}) as entries`;
  return async () => {
    const found = await run(sql);
    return { total: found.total, ids: (JSON.parse(found.entries) as { id: number }[]).map(({ id }) => id) };
  };
}

/** The read as Sheaf runs it, in this process: a heavy one would otherwise wait for another, and for the machine. */
function bySheaf({ model, operations, database }: Sheaf, filters: SetFilter['filters'], withCount: boolean): Ask {
  const parameters = { filters, fields: 'name', pagination: { page: 1, pageSize: PAGE_SIZE, withCount } };
  const type = model.contentTypes.get('api::restaurant.restaurant')!;
  const defaults = { status: 'published', pagination: FIRST_PAGE } as const;
  const { read, request, lane } = operations.explain({ name: 'find', type, parameters, defaults }, systemCaller(model));
  const page = preparePage(read, request.values, withCount);
  const context = { defaultLocale: operations.defaultLocale, limit: PAGE_SIZE, start: 0 };
  return async () => {
    // As a server does it: what was quick a few times is not heavy any more.
    const options = {
      isHeavy: lane.isHeavy(PAGE_SIZE, request.values),
      timer: lane.timerWith(PAGE_SIZE),
      single: page.single,
    };
    const found = await database.snapshot((session) => page.run(session, context), options);
    return { total: found.total, ids: entriesOfPage<{ id: number }>(found).map(({ id }) => id) };
  };
}

/** The same read once more, by whoever turns pages: its total is known. */
function bySheafAgain(sheaf: Sheaf, filters: SetFilter['filters']): Ask {
  const restaurants = sheaf.documents('api::restaurant.restaurant');
  return async () => {
    const { data, meta } = await restaurants.findPage({
      filters,
      fields: ['name'],
      pagination: { page: 1, pageSize: PAGE_SIZE, withCount: true },
    });
    return { total: meta.pagination.total ?? null, ids: data.map(({ id }) => Number(id)) };
  };
}

const KINDS = ['with total', 'total again', 'page alone'] as const;

async function compare(database: string, hand: HandWritten, { seconds, only, restaurants }: Options): Promise<void> {
  const sheaf = await open({ project: PROJECT, database });
  const line = table(28, 8, 12, 12, 8);
  console.log(`${restaurants} restaurants; milliseconds of a page of ${PAGE_SIZE}, the least of many\n`);
  console.log(line('filter', 'found', 'by hand', 'sheaf', 'ratio'));
  for (const [name, { filters, byHand: ways }] of chosen(filtersOn(hand.vegan), only))
    for (const kind of KINDS) {
      const withCount = kind !== 'page alone';
      const ours = kind === 'total again' ? bySheafAgain(sheaf, filters) : bySheaf(sheaf, filters, withCount);
      const asked = [ours, ...ways.map((where) => byHand(hand, where, withCount))];
      const found = await sameAnswer(name, asked);
      const [ofSheaf, ...ofHand] = await timesOf(asked, seconds, hand.now);
      const best = Math.min(...ofHand);
      console.log(
        line(`${name}, ${kind}`, found, milliseconds(best), milliseconds(ofSheaf!), (best / ofSheaf!).toFixed(2)),
      );
    }
  await sheaf.close();
  await hand.close();
}

async function sameAnswer(name: string, asked: readonly Ask[]): Promise<string> {
  const [first, ...others] = await Promise.all(asked.map((ask) => ask()));
  for (const other of others)
    if (JSON.stringify(other) !== JSON.stringify(first)) throw new BenchError(`${name}: the answers differ`);
  return String(first!.total ?? `${first!.ids.length}+`);
}

async function timesOf(asked: readonly Ask[], seconds: number, now: () => number): Promise<number[]> {
  const times = asked.map((): number[] => []);
  for (const ask of asked) for (let run = 0; run < WARM_UP; run++) await ask();
  const end = performance.now() + seconds * 1000;
  for (let turn = 0; turn < LEAST_TURNS || performance.now() < end; turn++)
    for (const [index, ask] of asked.entries()) {
      // What ran before has left the processor's caches full of its own data.
      await ask();
      const begin = now();
      await ask();
      times[index]!.push(now() - begin);
    }
  // The least, because whatever else the machine does only adds to it.
  return times.map((all) => Math.min(...all));
}
