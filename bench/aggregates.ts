// Aggregates and facets beside SQL that an engineer who knows the tables would write for the same answer: in turns, in
// one run, by one client: the statement of Sheaf on the connection of the other, then Sheaf itself. It is asked in
// process, so that what is compared is the work and not the wire; what takes long runs in a process of its own on SQLite,
// as it does in a server.
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { systemCaller } from '../src/access/caller.ts';
import { open, type Sheaf } from '../src/app.ts';
import type { AggregateParameters } from '../src/operations/parameters.ts';
import { NO_LIMIT } from '../src/request/parse-read.ts';
import type { BoundValue } from '../src/sql/statement.ts';
import { dataSet, PROJECT } from './data.ts';
import { median } from './load.ts';
import { chosen, type Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { BenchError } from './server.ts';
import { table } from './table.ts';

const RESTAURANT = 'api::restaurant.restaurant';
const DISH = 'api::dish.dish';
const WARM_UP = 3;
const MAX_TURNS = 200;

interface AggregateWorkload {
  readonly type: string;
  readonly parameters: AggregateParameters;
  /** `year`: the year of a date, as the database writes it. */
  sql(year: (column: string) => string): string;
}

const page = { start: 0, limit: 25, withCount: false } as const;
const all = 'group by 1 order by 2 desc, 1 limit 25';
const countries =
  'left join restaurants_chef_lnk l on l.restaurant_id = r.id left join chefs c on c.id = l.chef_id left join chefs_country_lnk k on k.chef_id = c.id left join countries o on o.id = k.country_id';

const WORKLOADS: Readonly<Record<string, AggregateWorkload>> = {
  'count and average of all': {
    type: RESTAURANT,
    parameters: { count: '*', avg: ['rating'], min: ['openedOn'], max: ['stars'] },
    sql: () => 'select count(*), avg(rating), min(opened_on), max(stars) from restaurants',
  },
  'by an attribute': {
    type: RESTAURANT,
    parameters: { group: 'cuisine', count: '*', avg: 'rating', sort: '-count', pagination: page },
    sql: () => `select cuisine, count(*), avg(rating) from restaurants ${all}`,
  },
  'by an attribute, filtered': {
    type: RESTAURANT,
    parameters: {
      group: 'stars',
      count: '*',
      sum: 'visits',
      filters: { open: true },
      sort: '-count',
      pagination: page,
    },
    sql: () => `select stars, count(*), sum(visits) from restaurants where open = true ${all}`,
  },
  'by the year of a date': {
    type: RESTAURANT,
    parameters: { group: 'openedOn.$year', count: '*', sort: '-count', pagination: page },
    sql: (year) => `select ${year('opened_on')}, count(*) from restaurants ${all}`,
  },
  'through two relations to one': {
    type: RESTAURANT,
    parameters: { group: 'chef.country.name', count: '*', avg: 'rating', sort: '-count', pagination: page },
    sql: () => `select o.name, count(*), avg(r.rating) from restaurants r ${countries} ${all}`,
  },
  'by a relation to many': {
    type: RESTAURANT,
    parameters: { group: 'categories.name', count: '*', sort: '-count', pagination: page },
    sql: () =>
      `select c.name, count(distinct r.id) from restaurants r left join restaurants_categories_lnk l on l.restaurant_id = r.id left join categories c on c.id = l.category_id ${all}`,
  },
  'of half a million, by an attribute of another type': {
    type: DISH,
    parameters: { group: 'restaurant.cuisine', count: '*', avg: 'price', sort: '-count', pagination: page },
    sql: () =>
      `select r.cuisine, count(*), avg(d.price) from dishes d left join dishes_restaurant_lnk l on l.dish_id = d.id left join restaurants r on r.id = l.restaurant_id ${all}`,
  },
};

type Rows = readonly (readonly unknown[])[];

interface ByHand {
  rows(sql: string, values?: readonly BoundValue[]): Promise<Rows>;
  year(column: string): string;
  close(): Promise<void>;
}

export async function aggregates(options: Options): Promise<void> {
  if (options.postgres)
    return withPostgres(options.restaurants, ({ url }) => compare(url, byHandOnPostgres(url), options));
  const { file } = await dataSet(options.restaurants);
  return compare(`sqlite:${file}`, byHandOnSqlite(file), options);
}

function byHandOnSqlite(file: string): ByHand {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec('pragma mmap_size = 268435456; pragma cache_size = -16384');
  return {
    rows: async (sql, values = []) => {
      const statement = database.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...values) as unknown as Rows;
    },
    year: (column) => `cast(strftime('%Y', ${column}) as integer)`,
    close: async () => database.close(),
  };
}

function byHandOnPostgres(url: string): ByHand {
  const client = new Client({ connectionString: url });
  const connected = client.connect();
  return {
    rows: async (sql, values = []) => {
      await connected;
      return (await client.query<unknown[]>({ text: sql, values: [...values], rowMode: 'array' })).rows;
    },
    year: (column) => `extract(year from ${column})::int4`,
    close: () => client.end(),
  };
}

async function compare(database: string, byHand: ByHand, { only, seconds, restaurants }: Options): Promise<void> {
  const sheaf = await open({ project: PROJECT, database, readOnly: true });
  try {
    console.log(`${restaurants} restaurants; milliseconds, median, and ratios to what is written by hand\n`);
    const line = table(52, 10, 10, 7, 10, 7);
    console.log(line('aggregate', 'by hand', 'statement', 'ratio', 'sheaf', 'ratio'));
    for (const [name, workload] of chosen(WORKLOADS, only)) {
      const sql = workload.sql(byHand.year);
      const own = statementOf(sheaf, workload);
      const ask = () => sheaf.documents(workload.type).aggregate(workload.parameters);
      for (let turn = 0; turn < WARM_UP; turn++) compareGroups(name, await byHand.rows(sql), await ask());
      const runs = [() => byHand.rows(sql), () => byHand.rows(own.sql, own.values), ask];
      const times = runs.map((): number[] => []);
      const end = performance.now() + seconds * 1000;
      for (let turn = 0; turn < MAX_TURNS && performance.now() < end; turn++)
        for (const [index, run] of runs.entries()) {
          const begin = performance.now();
          await run();
          times[index]!.push(performance.now() - begin);
        }
      const [hand, statement, whole] = times.map(median) as [number, number, number];
      const against = (time: number) => [time.toFixed(2), (hand / time).toFixed(2)];
      console.log(line(name, hand.toFixed(2), ...against(statement), ...against(whole)));
    }
  } finally {
    await sheaf.close();
    await byHand.close();
  }
}

function statementOf({ model, operations }: Sheaf, { type, parameters }: AggregateWorkload) {
  const defaults = { status: 'draft', pagination: NO_LIMIT } as const;
  const operation = { name: 'aggregate', type: model.contentTypes.get(type)!, parameters, defaults } as const;
  const { request, statements } = operations.explain(operation, systemCaller(model));
  const { statement, values } = statements[0]!.statement;
  const { start, limit } = request.pagination;
  return { sql: statement.sql, values: values({ start, limit, defaultLocale: operations.defaultLocale }) };
}

/** Times compare only for the same answer; the number of entries of each group tells. */
function compareGroups(name: string, rows: Rows, groups: readonly { readonly count?: number }[]): void {
  const counts = rows.map((row) => Number(row.length > 3 ? row[0] : row[1]));
  const found = groups.map(({ count }) => count);
  if (JSON.stringify(counts) !== JSON.stringify(found))
    throw new BenchError(`${name}: the answers differ: ${JSON.stringify(found)}, by hand ${JSON.stringify(counts)}`);
}
