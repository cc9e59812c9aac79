// The data set of the benchmark: a database of the example's project with as many restaurants as asked for, and all
// that belongs to them in fixed proportions. The same size always gives the same rows.
import { existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { open } from '../src/app.ts';
import { Random, WORDS } from './random.ts';

export const PROJECT = fileURLToPath(new URL('../examples/guide', import.meta.url));
const SELF = fileURLToPath(import.meta.url);
export const DATA_FOLDER = fileURLToPath(new URL('.data', import.meta.url));

type Value = string | number | null;

export interface DataSet {
  readonly file: string;
  /** Of a restaurant in the middle. */
  readonly documentId: string;
}

/** The data set of a size; made on first use, and again when this file is newer. */
export async function dataSet(restaurants: number): Promise<DataSet> {
  const file = path.join(DATA_FOLDER, `guide-${restaurants}.sqlite`);
  if (!isCurrent(file)) {
    mkdirSync(DATA_FOLDER, { recursive: true });
    // Under another name until it is whole, so that a run cut short leaves nothing that looks finished.
    const unfinished = `${file}.tmp`;
    rmSync(unfinished, { force: true });
    await openToAll(`sqlite:${unfinished}`);
    make(unfinished, restaurants);
    renameSync(unfinished, file);
  }
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('select document_id from restaurants where id = ?').get(Math.ceil(restaurants / 2));
  database.close();
  return { file, documentId: String(row?.document_id) };
}

/** Makes a database that everyone may read and write, as the limit servers let everyone. */
export async function openToAll(database: string, project = PROJECT): Promise<void> {
  const sheaf = await open({ project, database });
  await (await sheaf.auth()).roles.grant('public', ['*']);
  await sheaf.close();
}

function isCurrent(file: string): boolean {
  if (!existsSync(file)) return false;
  const made = statSync(file).mtimeMs;
  return made > statSync(SELF).mtimeMs;
}

const CUISINES = ['french', 'italian', 'japanese', 'mexican', 'fusion'] as const;
const STARS = [null, 0, 1, 2, 3, 4, 5] as const;
const EPOCH = 1_760_000_000_000;
const COUNTRIES = 50;
const CATEGORIES = 100;
const MAX_CATEGORIES_EACH = 6;
const DISHES_EACH = 5;
const REVIEWS_EACH = 10;

const title = (word: string): string => word[0]!.toUpperCase() + word.slice(1);
const twoDigits = (number: number): string => String(number).padStart(2, '0');
const code = (number: number): string =>
  String.fromCharCode(65 + (number % 26)) + String.fromCharCode(65 + Math.floor(number / 26));

interface Filling {
  readonly table: string;
  /** Number of rows, for the progress shown; where it is left to chance, the number of rows it is drawn for. */
  readonly count: number;
  readonly columns: readonly string[];
  readonly rows: (random: Random) => Iterable<readonly Value[]>;
}

/** A filling that makes one row, several or none for each number from 1 to `count`. */
function each(
  table: string,
  count: number,
  columns: readonly string[],
  row: (number: number, random: Random) => readonly Value[] | null,
): Filling {
  return {
    table,
    count,
    columns,
    *rows(random) {
      for (let number = 1; number <= count; number++) {
        const made = row(number, random);
        if (made) yield made;
      }
    },
  };
}

/** A filling of a content-type's table: the columns that all of them have, then its own. */
function entries(
  table: string,
  count: number,
  columns: readonly string[],
  own: (number: number, random: Random) => readonly Value[],
): Filling {
  const common = ['id', 'document_id', 'created_at', 'updated_at', 'published_at'];
  return each(table, count, [...common, ...columns], (number, random) => {
    const at = EPOCH + number * 1000;
    return [number, random.documentId(), at, at, at, ...own(number, random)];
  });
}

function fillings(restaurants: number): Filling[] {
  const chefs = Math.max(10, Math.floor(restaurants / 20));
  const owners = Math.floor(restaurants / 2);
  const dishes = restaurants * DISHES_EACH;
  const reviews = restaurants * REVIEWS_EACH;
  return [
    entries('countries', COUNTRIES, ['name', 'code'], (number) => [`Country ${number}`, code(number)]),
    entries('chefs', chefs, ['name', 'age', 'bio'], (number, random) => [
      `${title(random.word())} ${title(random.word())} ${number}`,
      random.integer(20, 70),
      'Bio '.repeat(random.integer(5, 40)),
    ]),
    each('chefs_country_lnk', chefs, ['chef_id', 'country_id', 'chef_ord'], (number, random) => [
      number,
      random.integer(1, COUNTRIES),
      number,
    ]),
    entries('categories', CATEGORIES, ['name', 'rank'], (number) => [
      `${WORDS[number % WORDS.length]} ${number}`,
      number % 10,
    ]),
    each('categories_parent_lnk', CATEGORIES, ['category_id', 'inv_category_id', 'category_ord'], (number) =>
      number < 20 ? null : [number, Math.floor(number / 5) + 1, number],
    ),
    entries('owners', owners, ['name', 'email', 'phone'], (number) => [
      `Owner ${number}`,
      `o${number}@example.com`,
      `+${number}`,
    ]),
    entries('restaurants', restaurants, RESTAURANT_COLUMNS, restaurant),
    each('restaurants_chef_lnk', restaurants, ['restaurant_id', 'chef_id', 'restaurant_ord'], (number, random) =>
      number % 20 === 0 ? null : [number, random.integer(1, chefs), number],
    ),
    each('restaurants_owner_lnk', owners, ['restaurant_id', 'owner_id'], (number) => [number * 2, number]),
    categoryLinks(restaurants),
    entries('dishes', dishes, ['name', 'price', 'vegan'], (number, random) => [
      `${title(random.word())} dish ${number}`,
      random.cents(2, 60),
      random.fraction() < 0.3 ? 1 : 0,
    ]),
    each('dishes_restaurant_lnk', dishes, ['dish_id', 'restaurant_id', 'dish_ord'], (number) => [
      number,
      Math.floor((number - 1) / DISHES_EACH) + 1,
      ((number - 1) % DISHES_EACH) + 1,
    ]),
    entries('reviews', reviews, ['score', 'comment', 'visited_on'], (_number, random) => [
      random.integer(1, 5),
      'Comment '.repeat(random.integer(1, 20)),
      `2025-01-${twoDigits(random.integer(1, 28))}`,
    ]),
    each('reviews_restaurant_lnk', reviews, ['review_id', 'restaurant_id'], (number, random) => [
      number,
      random.integer(1, restaurants),
    ]),
    each('components_location_addresses', restaurants, ['id', 'street', 'city', 'zip'], (number, random) => [
      number,
      `${number} Main St`,
      title(random.word()),
      String(random.integer(10_000, 99_999)),
    ]),
    each('restaurants_cmps', restaurants, ['entity_id', 'cmp_id', 'component_type', 'field', 'order'], (number) => [
      number,
      number,
      'location.address',
      'address',
      1,
    ]),
  ];
}

const RESTAURANT_COLUMNS = [
  'name',
  'description',
  'slug',
  'stars',
  'rating',
  'average_price',
  'visits',
  'open',
  'opened_on',
  'kitchen_closes',
  'inspected_at',
  'cuisine',
  'email',
  'meta',
  'internal_note',
];

const restaurant = (number: number, random: Random): Value[] => [
  `${title(random.word())} ${random.word()} ${number}`,
  number % 7 === 0 ? null : Array.from({ length: random.integer(5, 40) }, () => random.word()).join(' '),
  `r-${number}`,
  random.of(STARS),
  random.cents(1, 5),
  random.cents(5, 200),
  random.integer(0, 1_000_000),
  random.fraction() < 0.8 ? 1 : 0,
  `${random.integer(1950, 2025)}-${twoDigits(random.integer(1, 12))}-${twoDigits(random.integer(1, 28))}`,
  `${random.integer(20, 23)}:30:00.000`,
  EPOCH - random.integer(0, 10_000_000_000),
  random.of(CUISINES),
  `r${number}@example.com`,
  `{"seats": ${random.integer(10, 200)}}`,
  'secret',
];

const categoryLinks = (restaurants: number): Filling => ({
  table: 'restaurants_categories_lnk',
  count: restaurants,
  columns: ['restaurant_id', 'category_id', 'category_ord', 'restaurant_ord'],
  *rows(random) {
    for (let number = 1; number <= restaurants; number++) {
      let place = 0;
      for (const category of random.some(random.integer(0, MAX_CATEGORIES_EACH), CATEGORIES))
        yield [number, category, ++place, number];
    }
  },
});

/** Tables of Strapi 5 that hold settings, users and files: all else is content. */
const KEPT = /^(strapi_|admin_|up_|upload_|files|i18n_|sqlite_)/;
const ROWS_IN_TRANSACTION = 50_000;

function make(file: string, restaurants: number): void {
  // Nothing else reads the file yet, and a run cut short starts over: no journal is needed, and no checks of keys.
  const database = new DatabaseSync(file, { enableForeignKeyConstraints: false });
  try {
    database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -262144');
    clear(database);
    const all = fillings(restaurants);
    for (const [index, filling] of all.entries()) {
      show(`data for ${restaurants} restaurants: ${filling.table} (${index + 1} of ${all.length})`);
      fill(database, filling, new Random(index + 1));
    }
    show(`data for ${restaurants} restaurants: analyze`);
    database.exec('analyze');
    show(`data for ${restaurants} restaurants: done, ${Math.round(statSync(file).size / 1_000_000)} MB`);
    if (process.stderr.isTTY) process.stderr.write('\n');
  } finally {
    database.close();
  }
}

export function contentTables(database: DatabaseSync): string[] {
  const tables = database.prepare(`select name from sqlite_master where type = 'table'`).all();
  return tables.map(({ name }) => String(name)).filter((name) => !KEPT.test(name));
}

function clear(database: DatabaseSync): void {
  for (const name of contentTables(database)) {
    database.exec(`delete from "${name}"`);
    database.prepare('delete from sqlite_sequence where name = ?').run(name);
  }
}

function fill(database: DatabaseSync, filling: Filling, random: Random): void {
  const { table, columns } = filling;
  const names = columns.map((column) => `"${column}"`).join(', ');
  const insert = database.prepare(`insert into "${table}" (${names}) values (${columns.map(() => '?').join(', ')})`);
  let done = 0;
  database.exec('begin');
  for (const row of filling.rows(random)) {
    insert.run(...row);
    if (++done % ROWS_IN_TRANSACTION === 0) {
      database.exec('commit; begin');
      if (process.stderr.isTTY) show(`data: ${table}, ${done} rows`);
    }
  }
  database.exec('commit');
}

/** One line that changes on a terminal, a line each elsewhere. */
export function show(text: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${text}` : `${text}\n`);
}
