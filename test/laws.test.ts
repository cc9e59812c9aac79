// The laws of reading: what filters, sort, pages, fields and populate mean, held against a naive evaluator and against
// one another on generated requests. The content is generated too, from a fixed seed, and full of what usually breaks:
// nulls, odd Unicode, wildcard characters, quotes, numbers at the edge of their types.
// SHEAF_TEST_SCALE and SHEAF_TEST_SEED give more and other requests; a failure prints the seed and the smallest request
// that shows it.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { systemCaller } from '../src/access/caller.ts';
import type { Sheaf } from '../src/app.ts';
import type { AggregateParameters, FindParameters } from '../src/operations/parameters.ts';
import { type Cell, describeOnEveryDatabase, type TableContents } from './support/database.ts';
import * as naive from './support/naive.ts';
import type { ValueName } from './support/naive-aggregate.ts';
import * as naiveAggregate from './support/naive-aggregate.ts';
import { STEADY_ZONES, said } from './support/naive-dates.ts';
import { userWith } from './support/rules.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';

const CONTENT_SEED = 20_240_229;
const TIMEZONE = Object.keys(STEADY_ZONES)[Math.abs(GIVEN_SEED ?? 1) % Object.keys(STEADY_ZONES).length]!;
const CASES = { numRuns: scaled(30), seed: GIVEN_SEED ?? 1 };

// ------------------------------------------------------------------------------------------------------ the model

const RESTAURANT = 'api::restaurant.restaurant';
const CHEF = 'api::chef.chef';
const COUNTRY = 'api::country.country';
const CATEGORY = 'api::category.category';
const DISH = 'api::dish.dish';
const OWNER = 'api::owner.owner';
const ARTICLE = 'api::article.article';
const AUTHOR = 'api::author.author';
const TAG = 'api::tag.tag';
const BOOKMARK = 'api::bookmark.bookmark';
const FILE = 'plugin::upload.file';
const ADDRESS = 'location.address';
const SLOT = 'schedule.slot';
const SEO = 'shared.seo';
const QUOTE = 'blocks.quote';
const PICKS = 'blocks.picks';
const LINK = 'shared.link';

const one = (to: string): naive.Relation => ({ to, many: false });
const many = (to: string): naive.Relation => ({ to, many: true });
const DATES = { createdAt: 'datetime', updatedAt: 'datetime', publishedAt: 'datetime' } as const;

function contentType(
  attributes: Record<string, naive.Kind>,
  relations: Record<string, naive.Relation>,
  more: Partial<naive.Type> = {},
): naive.Type {
  const localized = more.localized === true;
  return {
    attributes: { id: 'integer', documentId: 'text', ...attributes, ...DATES, ...(localized && { locale: 'text' }) },
    relations,
    zones: {},
    component: false,
    drafts: false,
    localized,
    ...more,
  };
}

const component = (
  attributes: Record<string, naive.Kind>,
  relations: Record<string, naive.Relation> = {},
): naive.Type => ({
  attributes: { id: 'integer', ...attributes },
  relations,
  zones: {},
  component: true,
  drafts: false,
  localized: false,
});

const ZONE = { blocks: [QUOTE, PICKS, LINK] };

const TYPES: Readonly<Record<string, naive.Type>> = {
  [RESTAURANT]: contentType(
    {
      name: 'text',
      description: 'text',
      slug: 'text',
      stars: 'integer',
      rating: 'number',
      averagePrice: 'number',
      visits: 'biginteger',
      open: 'boolean',
      openedOn: 'date',
      kitchenCloses: 'time',
      inspectedAt: 'datetime',
      cuisine: 'text',
      email: 'text',
      meta: 'json',
      story: 'json',
    },
    {
      chef: one(CHEF),
      owner: one(OWNER),
      categories: many(CATEGORY),
      dishes: many(DISH),
      signatureDish: one(DISH),
      neighbours: many(RESTAURANT),
      address: one(ADDRESS),
      openingHours: many(SLOT),
      cover: { to: FILE, many: false, populateOnly: true },
      gallery: { to: FILE, many: true, populateOnly: true },
    },
    { zones: ZONE },
  ),
  [CHEF]: contentType(
    { name: 'text', age: 'integer', bio: 'text' },
    { country: one(COUNTRY), restaurants: many(RESTAURANT), mentor: one(CHEF), apprentices: many(CHEF) },
  ),
  [COUNTRY]: contentType({ name: 'text', code: 'text' }, { chefs: many(CHEF) }),
  [CATEGORY]: contentType(
    { name: 'text', rank: 'integer' },
    { restaurants: many(RESTAURANT), parent: one(CATEGORY), children: many(CATEGORY) },
  ),
  [DISH]: contentType({ name: 'text', price: 'number', vegan: 'boolean' }, { restaurant: one(RESTAURANT) }),
  [OWNER]: contentType({ name: 'text', email: 'text' }, { restaurant: one(RESTAURANT) }),
  [ARTICLE]: contentType(
    { title: 'text', slug: 'text', body: 'text', readingMinutes: 'integer', featured: 'boolean' },
    {
      authors: many(AUTHOR),
      restaurants: many(RESTAURANT),
      tags: many(TAG),
      related: many(ARTICLE),
      cover: { to: FILE, many: false, populateOnly: true },
      seo: one(SEO),
      localizations: many(ARTICLE),
    },
    { zones: ZONE, drafts: true, localized: true },
  ),
  [AUTHOR]: contentType({ name: 'text', email: 'text' }, { articles: many(ARTICLE) }, { drafts: true }),
  [TAG]: contentType({ label: 'text', color: 'text' }, { localizations: many(TAG) }, { localized: true }),
  [BOOKMARK]: contentType(
    { label: 'text' },
    { articles: many(ARTICLE), authors: many(AUTHOR), tags: many(TAG), article: one(ARTICLE) },
  ),
  [FILE]: contentType({}, {}),
  [ADDRESS]: component({ street: 'text', city: 'text', zip: 'text', geo: 'json' }),
  [SLOT]: component({ day: 'text', opens: 'time', closes: 'time', note: 'text' }),
  [SEO]: component({ metaTitle: 'text', metaDescription: 'text', keywords: 'json' }),
  [QUOTE]: component({ text: 'text' }, { author: one(AUTHOR) }),
  [PICKS]: component({ caption: 'text' }, { restaurants: many(RESTAURANT) }),
  [LINK]: component({ label: 'text', url: 'text', newTab: 'boolean' }),
};

const TABLES: Readonly<Record<string, string>> = {
  [RESTAURANT]: 'restaurants',
  [CHEF]: 'chefs',
  [COUNTRY]: 'countries',
  [CATEGORY]: 'categories',
  [DISH]: 'dishes',
  [OWNER]: 'owners',
  [ARTICLE]: 'articles',
  [AUTHOR]: 'authors',
  [TAG]: 'tags',
  [BOOKMARK]: 'bookmarks',
  [ADDRESS]: 'components_location_addresses',
  [SLOT]: 'components_schedule_slots',
  [SEO]: 'components_shared_seos',
  [QUOTE]: 'components_blocks_quotes',
  [PICKS]: 'components_blocks_picks',
  [LINK]: 'components_shared_links',
};

/** Content of the guide that is not generated here and would point at rows that are gone. */
const EMPTIED = ['reviews', 'reviews_restaurant_lnk', 'homepages_featured_lnk', 'homepages_cmps', 'files_related_mph'];

/** One side of a table of links: the name of its list, and the column with the place of the other side in it. */
interface Side {
  readonly type: string;
  readonly column: string;
  readonly name: string | null;
  readonly order: string | null;
}

interface LinkTable {
  readonly table: string;
  readonly owner: Side & { readonly name: string };
  readonly target: Side;
  /** How many targets an owner has, at most; and whether a target can have several owners. */
  readonly most: number;
  readonly shared: boolean;
}

function links(
  table: string,
  [ownerType, ownerColumn, ownerName, ownerOrder]: [string, string, string, string?],
  [targetType, targetColumn, targetName, targetOrder]: [string, string, string?, string?],
  most: number,
  shared = true,
): LinkTable {
  return {
    table,
    owner: { type: ownerType, column: ownerColumn, name: ownerName, order: ownerOrder ?? null },
    target: { type: targetType, column: targetColumn, name: targetName ?? null, order: targetOrder ?? null },
    most,
    shared,
  };
}

const LINK_TABLES: readonly LinkTable[] = [
  links(
    'restaurants_chef_lnk',
    [RESTAURANT, 'restaurant_id', 'chef'],
    [CHEF, 'chef_id', 'restaurants', 'restaurant_ord'],
    1,
  ),
  links('restaurants_owner_lnk', [RESTAURANT, 'restaurant_id', 'owner'], [OWNER, 'owner_id', 'restaurant'], 1, false),
  links(
    'restaurants_categories_lnk',
    [RESTAURANT, 'restaurant_id', 'categories', 'category_ord'],
    [CATEGORY, 'category_id', 'restaurants', 'restaurant_ord'],
    3,
  ),
  links(
    'dishes_restaurant_lnk',
    [DISH, 'dish_id', 'restaurant'],
    [RESTAURANT, 'restaurant_id', 'dishes', 'dish_ord'],
    1,
  ),
  links('restaurants_signature_dish_lnk', [RESTAURANT, 'restaurant_id', 'signatureDish'], [DISH, 'dish_id'], 1),
  links(
    'restaurants_neighbours_lnk',
    [RESTAURANT, 'restaurant_id', 'neighbours', 'restaurant_ord'],
    [RESTAURANT, 'inv_restaurant_id'],
    2,
  ),
  links('chefs_country_lnk', [CHEF, 'chef_id', 'country'], [COUNTRY, 'country_id', 'chefs', 'chef_ord'], 1),
  links('chefs_mentor_lnk', [CHEF, 'chef_id', 'mentor'], [CHEF, 'inv_chef_id', 'apprentices', 'chef_ord'], 1),
  links(
    'categories_parent_lnk',
    [CATEGORY, 'category_id', 'parent'],
    [CATEGORY, 'inv_category_id', 'children', 'category_ord'],
    1,
  ),
  links(
    'articles_authors_lnk',
    [ARTICLE, 'article_id', 'authors', 'author_ord'],
    [AUTHOR, 'author_id', 'articles', 'article_ord'],
    4,
  ),
  links(
    'articles_restaurants_lnk',
    [ARTICLE, 'article_id', 'restaurants', 'restaurant_ord'],
    [RESTAURANT, 'restaurant_id'],
    2,
  ),
  links('articles_tags_lnk', [ARTICLE, 'article_id', 'tags', 'tag_ord'], [TAG, 'tag_id'], 2),
  links('articles_related_lnk', [ARTICLE, 'article_id', 'related', 'article_ord'], [ARTICLE, 'inv_article_id'], 3),
  links('bookmarks_articles_lnk', [BOOKMARK, 'bookmark_id', 'articles', 'article_ord'], [ARTICLE, 'article_id'], 5),
  links('bookmarks_authors_lnk', [BOOKMARK, 'bookmark_id', 'authors', 'author_ord'], [AUTHOR, 'author_id'], 4),
  links('bookmarks_tags_lnk', [BOOKMARK, 'bookmark_id', 'tags', 'tag_ord'], [TAG, 'tag_id'], 2),
  links('bookmarks_article_lnk', [BOOKMARK, 'bookmark_id', 'article'], [ARTICLE, 'article_id'], 1),
  links('components_blocks_quotes_author_lnk', [QUOTE, 'quote_id', 'author'], [AUTHOR, 'author_id'], 1),
  links(
    'components_blocks_picks_restaurants_lnk',
    [PICKS, 'picks_id', 'restaurants', 'restaurant_ord'],
    [RESTAURANT, 'restaurant_id'],
    3,
  ),
];

// ---------------------------------------------------------------------------------------------------- the content

const TEXTS = [
  ...'Alba|alba|ALBA| Alba|| |Dōjō|DŌJŌ|Caf\u00e9|Cafe\u0301|CAFÉ|1000|null|NULL|true|0|3|{"a":1}'.split('|'),
  // Characters with a meaning in patterns, in SQL and in paths.
  ...`100%|100 %|%|a_b|axb|_|back\\slash|\\|O'Brien|'|"quoted"|'; drop table restaurants; --|line\nbreak|tab\t`.split(
    '|',
  ),
  // Letters whose case is more than one letter of ASCII for another.
  ...'Kelvin \u212a|kelvin k|KELVIN K|\u0130stanbul|istanbul|i\u0307stanbul|ISTANBUL|Straße|STRAẞE|Ω ohm|\u2126 OHM'.split(
    '|',
  ),
  ...'ΟΔΥΣΣΕΥΣ|οδυσσευς|οδυσσευσ|ǅ|ǆ|\u{10400}x|\u{10428}x'.split('|'),
  // Letters beyond the first plane, before and after those that sort differently by UTF-16 unit.
  ...'Hana 🌸|🌸|👨‍👩‍👧 family|\uff5ewide|\uffffend|שלום|مرحبا|\u202eabc'.split('|'),
];

interface MutableRow {
  readonly id: number;
  readonly values: Record<string, naive.Value>;
  readonly links: Record<string, number[]>;
  readonly zones: Record<string, { type: string; id: number }[]>;
}

interface Content {
  readonly world: naive.World;
  readonly tables: TableContents;
}

/** The same content for the same seed: as a world for the naive evaluator, and as rows of tables. */
function generateContent(seed: number): Content {
  const { chance, below, pick, shuffle, documentId } = randomness(seed);
  const rows: Record<string, MutableRow[]> = Object.fromEntries(Object.keys(TYPES).map((type) => [type, []]));
  const tables: Record<string, Record<string, Cell>[]> = {};
  for (const table of EMPTIED) tables[table] = [];
  const maybe = <T>(value: T): T | null => (chance(0.2) ? null : value);
  const text = () => pick(TEXTS);

  function add(type: string, values: Record<string, naive.Value>): MutableRow {
    const id = rows[type]!.length + 1;
    const instant = 1_700_000_000_000 + below(5) * 86_400_000 + below(3);
    const system = TYPES[type]!.component
      ? { id }
      : { id, documentId: documentId(), createdAt: instant, updatedAt: instant + 1, publishedAt: maybe(instant + 2) };
    const row: MutableRow = { id, values: { ...system, ...values }, links: {}, zones: {} };
    rows[type]!.push(row);
    return row;
  }
  const times = (count: number, make: (index: number) => void) => {
    for (let index = 0; index < count; index++) make(index);
  };

  times(5, (index) => add(COUNTRY, { name: text(), code: ['FR', 'IT', 'JP', 'MX', 'fr'][index] }));
  times(10, () => add(CHEF, { name: text(), age: maybe(18 + below(5) * 11), bio: maybe(text()) }));
  times(10, () => add(CATEGORY, { name: text(), rank: maybe(below(4)) }));
  times(10, () => add(OWNER, { name: text(), email: maybe(`${pick(['ann', 'Ann', 'bob'])}@example.com`) }));
  times(30, () => add(DISH, { name: text(), price: maybe(pick(DECIMALS)), vegan: maybe(chance(0.5)) }));
  const names = shuffle(TEXTS.slice(-40));
  times(40, (index) =>
    add(RESTAURANT, {
      name: names[index],
      description: maybe(`${text()} ${text()}`),
      slug: maybe(pick(['alba', 'dojo', 'a-b', 'a_b'])),
      stars: maybe(below(6)),
      rating: maybe(pick(DECIMALS)),
      averagePrice: maybe(pick(FLOATS)),
      visits: maybe(pick(BIG_INTEGERS)),
      open: maybe(chance(0.5)),
      openedOn: maybe(pick(DAYS)),
      kitchenCloses: maybe(pick(TIMES)),
      inspectedAt: maybe(pick(INSTANTS)),
      cuisine: maybe(pick(['french', 'italian', 'japanese', 'fusion'])),
      email: maybe(pick(['ciao@alba.example', 'CIAO@alba.example', 'x@y.example'])),
      meta: maybe(pick(JSON_VALUES)),
      story: maybe(pick(JSON_VALUES)),
    }),
  );

  /** A document of a type with drafts: a draft, and perhaps a published row that may differ from it. */
  function document(type: string, base: Record<string, naive.Value>, change: () => Record<string, naive.Value>) {
    const draft = add(type, { ...base, publishedAt: null });
    if (chance(0.7))
      add(type, { ...draft.values, id: rows[type]!.length + 1, ...change(), publishedAt: 1_700_000_000_000 });
  }
  times(6, () => document(AUTHOR, { name: text(), email: maybe('jon@example.com') }, () => ({ name: text() })));
  times(6, () => {
    const shared = { documentId: documentId(), readingMinutes: maybe(below(5)), featured: maybe(chance(0.5)) };
    for (const locale of chance(0.7) ? ['en', 'fr'] : [pick(['en', 'fr'])]) {
      const own = () => ({ title: text(), slug: maybe(pick(['a', 'b'])), body: maybe(text()) });
      document(ARTICLE, { ...shared, ...own(), locale }, () => (chance(0.5) ? own() : {}));
    }
  });
  times(4, () => {
    const shared = { documentId: documentId(), color: maybe(pick(['red', 'green', 'blue'])) };
    for (const locale of ['en', 'fr']) add(TAG, { ...shared, label: text(), locale });
  });
  times(5, () => add(BOOKMARK, { label: text() }));
  for (const type of [ARTICLE, TAG])
    for (const row of rows[type]!)
      row.links.localizations = rows[type]!.filter(
        (other) => other !== row && other.values.documentId === row.values.documentId,
      ).map(({ id }) => id);

  const components: Record<string, Record<string, Cell>[]> = { restaurants_cmps: [], articles_cmps: [] };
  function attach(table: string, row: MutableRow, name: string, type: string, values: Record<string, naive.Value>) {
    const made = add(type, values);
    const place = TYPES[ARTICLE]!.zones[name]
      ? append(row.zones, name, { type, id: made.id })
      : append(row.links, name, made.id);
    components[table]!.push({
      entity_id: row.id,
      cmp_id: made.id,
      component_type: type,
      field: name,
      order: name === 'address' || name === 'seo' ? null : place,
    });
  }
  function fillZone(table: string, row: MutableRow) {
    times(below(4), () => {
      const type = pick([QUOTE, PICKS, LINK]);
      if (type === QUOTE) attach(table, row, 'blocks', type, { text: maybe(text()) });
      else if (type === PICKS) attach(table, row, 'blocks', type, { caption: maybe(text()) });
      else attach(table, row, 'blocks', type, { label: text(), url: maybe('/x?y=%'), newTab: maybe(chance(0.5)) });
    });
  }
  for (const row of shuffle(rows[RESTAURANT]!)) {
    if (chance(0.6)) {
      const city = maybe(pick(['Lyon', 'LYON', 'Zürich', 'ZÜRICH', '東京']));
      const geo = maybe(pick(JSON_VALUES));
      attach('restaurants_cmps', row, 'address', ADDRESS, { street: text(), city, zip: maybe('00100'), geo });
    }
    times(below(4), () =>
      attach('restaurants_cmps', row, 'openingHours', SLOT, {
        day: pick(['mon', 'fri', 'sat']),
        opens: maybe(pick(TIMES)),
        closes: maybe(pick(TIMES)),
        note: maybe(text()),
      }),
    );
    fillZone('restaurants_cmps', row);
    // What an attribute that is gone from the model has left behind.
    const left = add(SLOT, { day: 'sun', opens: null, closes: null, note: 'left behind' });
    components.restaurants_cmps!.push({
      entity_id: row.id,
      cmp_id: left.id,
      component_type: SLOT,
      field: 'closingHours',
      order: 1,
    });
  }
  for (const row of rows[ARTICLE]!) {
    if (chance(0.6))
      attach('articles_cmps', row, 'seo', SEO, {
        metaTitle: text(),
        metaDescription: maybe(text()),
        keywords: maybe(pick(JSON_VALUES)),
      });
    fillZone('articles_cmps', row);
  }
  for (const [table, links] of Object.entries(components)) tables[table] = withIds(shuffle(links));

  for (const link of LINK_TABLES) {
    const { owner, target } = link;
    const free = new Set(rows[target.type]!);
    const pairs: { from: MutableRow; to: MutableRow; place: number }[] = [];
    for (const from of rows[owner.type]!) {
      const candidates = shuffle([...free]).slice(0, chance(0.25) ? 0 : 1 + below(link.most));
      for (const [index, to] of candidates.entries()) {
        pairs.push({ from, to, place: index + 1 });
        append(from.links, owner.name, to.id);
        if (!link.shared) free.delete(to);
      }
    }
    const placed = shuffle(pairs).map((pair) => ({
      ...pair,
      reverse: target.name === null ? 0 : append(pair.to.links, target.name, pair.from.id),
    }));
    // The ids of links say nothing about the order of a list.
    const cells = shuffle(placed).map(({ from, to, place, reverse }) => ({
      [owner.column]: from.id,
      [target.column]: to.id,
      ...(owner.order && { [owner.order]: place }),
      ...(target.order && { [target.order]: reverse }),
    }));
    tables[link.table] = withIds(cells);
  }

  const hidden: Record<string, Record<string, Cell>> = {
    [RESTAURANT]: { internal_note: 'secret', door_code: 'secret' },
    [OWNER]: { phone: 'secret' },
  };
  for (const [type, table] of Object.entries(TABLES))
    tables[table] = rows[type]!.map((row) => ({ ...cellsOf(TYPES[type]!, row), ...hidden[type] }));
  return { world: { types: TYPES, rows, defaultLocale: 'en', timezone: TIMEZONE }, tables };
}

const DECIMALS = [0, 4.75, 4.5, -2.5, 0.1, 12.99, 1000];
const FLOATS = [0, 25, 0.1, 0.30000000000000004, 0.3, 1e-7, 123_456_789.123_456_79, -0.5, 5e-324];
const BIG_INTEGERS = [
  0n,
  1200n,
  9_007_199_254_740_992n,
  9_007_199_254_740_993n,
  9_223_372_036_854_775_807n,
  -9_223_372_036_854_775_808n,
];
/** When the year began there; the content has what was just before, then and after. */
const NEW_YEAR = said('now/y', TIMEZONE) as string;
const AROUND_NEW_YEAR = ['now/y', 'now/y-1d', 'now/y+1d', 'now/y-1s'];
const SAID_DATES = ['now', 'now-2y', 'now-30M/M', 'now+1M/M-1d', 'now-6y/w', 'now-1000d/d', ...AROUND_NEW_YEAR];
const DAYS = ['1899-12-31', '1999-12-31', '2020-02-29', '2020-03-01', NEW_YEAR.slice(0, 10)];
const TIMES = ['00:00:00.000', '12:30:00.000', '22:30:00.500', '23:59:59.999'];
const INSTANTS = [
  Date.parse('2025-03-01T10:00:00.000Z'),
  Date.parse('2025-03-01T10:00:00.001Z'),
  Date.parse('2025-03-01T09:59:59.999Z'),
  Date.parse('1969-12-31T23:59:59.999Z'),
  Date.parse('1899-06-15T12:34:56.789Z'),
  Date.parse(NEW_YEAR),
  Date.parse(NEW_YEAR) - 1,
  0,
  1,
];
const JSON_VALUES: readonly unknown[] = [
  { a: 1, b: [1, 2] },
  { b: [1, 2], a: 1 },
  { b: [2, 1], a: 1 },
  { é: '🌸', 'quo"te': null },
  { nested: { z: 1, y: { x: true } } },
  { a: 'text', b: ['x', 2, { z: 1 }], nested: { z: 'text', y: ['x'] } },
  { a: 1.5, b: ['1', [1, 2]], nested: { z: null } },
  { a: null, 'back\\slash': 1, 'a.b': 'x', '[0]': true },
  [],
  {},
  [1, 'x', null],
  'text',
  '5',
  '',
  5,
  1.5,
  true,
  false,
];

/** Adds to a list that may not be there yet, and returns the place of what was added. */
function append<T>(lists: Record<string, T[]>, name: string, value: T): number {
  lists[name] ??= [];
  return lists[name].push(value);
}

const withIds = (cells: readonly Record<string, Cell>[]): Record<string, Cell>[] =>
  cells.map((one, index) => ({ id: index + 1, ...one }));

const columnOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function cellsOf(type: naive.Type, row: MutableRow): Record<string, Cell> {
  return Object.fromEntries(
    Object.entries(type.attributes).map(([name, kind]) => [columnOf(name), cellOf(kind, row.values[name] ?? null)]),
  );
}

function cellOf(kind: naive.Kind, value: naive.Value): Cell {
  if (value === null) return null;
  if (kind === 'boolean') return value ? 1 : 0;
  // Some writers of JSON leave spaces.
  if (kind === 'json') return JSON.stringify(value, null, Array.isArray(value) ? 1 : 0);
  return value as Cell;
}

function randomness(seed: number) {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)]!;
  const shuffle = <T>(values: readonly T[]): T[] => {
    const result = [...values];
    for (let index = result.length - 1; index > 0; index--) {
      const other = below(index + 1);
      [result[index], result[other]] = [result[other]!, result[index]!];
    }
    return result;
  };
  const documentId = (): string => Array.from({ length: 24 }, () => pick([...'abcdefghijkmnpqrstuvwxyz'])).join('');
  return { chance: (share: number) => next() < share, below, pick, shuffle, documentId };
}

const { world, tables } = generateContent(CONTENT_SEED);

// --------------------------------------------------------------------------------------------- generated requests

type Json = naive.Json;

const COMPARED_AS_VALUES = ['$eq', '$ne', '$in', '$notIn'] as const;
const NULL_TESTS = ['$null', '$notNull'] as const;
const ORDERED = ['$lt', '$lte', '$gt', '$gte'] as const;
const TEXT_TESTS = [
  '$eqi',
  '$nei',
  '$contains',
  '$notContains',
  '$containsi',
  '$notContainsi',
  '$startsWith',
  '$startsWithi',
  '$endsWith',
  '$endsWithi',
] as const;

/** Arbitraries are made once for each place they are needed in. */
const kept = new Map<string, fc.Arbitrary<unknown>>();
function keep<T>(key: string, make: () => fc.Arbitrary<T>): fc.Arbitrary<T> {
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key) as fc.Arbitrary<T>;
}

const existing = (type: string, name: string): naive.Value[] => {
  const values = world.rows[type]!.map((row) => row.values[name] ?? null).filter((value) => value !== null);
  return [...new Set(values)];
};

/** Values to compare an attribute with: what the content holds, in the forms a client may write, and what it lacks. */
const operandOf = (type: string, name: string): fc.Arbitrary<unknown> =>
  keep(`operand ${type} ${name}`, (): fc.Arbitrary<unknown> => {
    const values = existing(type, name);
    switch (TYPES[type]!.attributes[name]!) {
      case 'text':
        return fc.constantFrom('Alba', ...(values as string[]), ...TEXTS);
      case 'integer': {
        const some = values.slice(0, 12) as number[];
        return fc.constantFrom(
          0,
          1,
          ...some,
          ...some.map(String),
          -1,
          1.5,
          '2.0',
          '1e0',
          '1e300',
          '99999999999999999999',
        );
      }
      case 'biginteger':
        return fc.constantFrom(
          ...(values as bigint[]),
          ...values.map(String),
          '9007199254740992.5',
          '9223372036854775808',
          '-9223372036854775809',
          '1.2e3',
          '-1',
        );
      case 'number':
        return fc.constantFrom(...(values as number[]), ...values.map(String), 4.6, '1e4', -1e300);
      case 'boolean':
        return fc.constantFrom(true, false, 'true', 'false', 't', 'f', '1', '0', 1, 0);
      case 'date':
        return fc.constantFrom(...DAYS, '0001-01-01', '9999-12-31', '2020-02-29T23:00:00.000Z', ...SAID_DATES);
      case 'time':
        return fc.constantFrom(...TIMES, '12:30:00', '22:30:00.5', '12:00:00.00');
      case 'datetime': {
        const some = values.slice(0, 8) as number[];
        return fc.constantFrom(
          ...some.map((value) => new Date(value).toISOString()),
          ...some.filter((value) => value > 10_000),
          ...some.map((value) => new Date(value)),
          '2025-03-01',
          '2025-03-01T11:00:00.000+01:00',
          '2025-03-01T10:00:00',
          ...SAID_DATES,
        );
      }
      case 'json':
        return fc.constantFrom(
          ...values.map((value) => JSON.stringify(value)),
          '{ "b": [1, 2],  "a": 1 }',
          'text',
          'no json {',
          5,
          true,
        );
    }
  });

/** Texts to search an attribute for: pieces of what it shows, in another case now and then, and wildcards. */
const searchedOf = (type: string, name: string): fc.Arbitrary<unknown> =>
  keep(`searched ${type} ${name}`, () => {
    const kind = TYPES[type]!.attributes[name]!;
    const whole = existing(type, name).map((value) => naive.textOf(kind, value));
    const pieces = whole.flatMap((text) => {
      const letters = Array.from(text);
      return [text, letters.slice(0, 1), letters.slice(0, 3), letters.slice(-1), letters.slice(-3), letters.slice(1, 3)]
        .map((part) => (typeof part === 'string' ? part : part.join('')))
        .flatMap((part) => [part, part.toUpperCase(), part.toLowerCase()]);
    });
    return fc.constantFrom('a', ...new Set([...pieces, '', '%', '_', '\\', "'", '.', '1', 'true', 'zzz']));
  });

const operatorsOf = (type: string, name: string): readonly string[] =>
  TYPES[type]!.attributes[name] === 'json'
    ? [...COMPARED_AS_VALUES, ...NULL_TESTS]
    : [...COMPARED_AS_VALUES, ...NULL_TESTS, ...ORDERED, '$between', ...TEXT_TESTS];

function operandFor(operator: string, type: string, name: string): fc.Arbitrary<unknown> {
  const value = operandOf(type, name);
  const orNull = fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) });
  switch (operator) {
    case '$eq':
    case '$ne':
      return fc.oneof({ weight: 3, arbitrary: orNull }, { weight: 1, arbitrary: fc.array(orNull, { maxLength: 3 }) });
    case '$in':
    case '$notIn':
      return fc.oneof({ weight: 1, arbitrary: value }, { weight: 4, arbitrary: fc.array(orNull, { maxLength: 4 }) });
    case '$null':
    case '$notNull':
      return fc.constantFrom<unknown>(true, false, 'true', 'false', 't', 'f', '1', '0', 1, 0);
    case '$between':
      return fc.tuple(value, value);
    default: {
      const one = (TEXT_TESTS as readonly string[]).includes(operator) ? searchedOf(type, name) : value;
      return fc.oneof(
        { weight: 5, arbitrary: one },
        { weight: 1, arbitrary: fc.array(one, { minLength: 1, maxLength: 3 }) },
      );
    }
  }
}

const operatorEntry = (type: string, name: string): fc.Arbitrary<[string, unknown]> =>
  keep(`operator ${type} ${name}`, () => {
    const plain = operatorsOf(type, name).map((operator) =>
      operandFor(operator, type, name).map((operand): [string, unknown] => [operator, operand]),
    );
    return fc.oneof(...plain, ...(TYPES[type]!.attributes[name] === 'json' ? [inJson(), hasEntry(), hasEntry()] : []));
  });

const hasEntry = (): fc.Arbitrary<[string, unknown]> =>
  jsonOperand.map((operand): [string, unknown] => ['$has', operand]);

/** Operands as they are written in a query: JSON, or a text. */
const jsonOperand = fc.constantFrom<unknown>(1, '2', 'x', '"x"', '1.5', true, 'true', '[1,2]', '{"z":1}', 'text', 0);
const orderedOperand = fc.constantFrom<unknown>(0, 1, '1', 1.5, '"1"', 'a', 'text', '🌸', '""');
const JSON_KEYS = ['a', 'b', 'é', 'quo"te', 'nested', 'z', 'y', 'x', 'back\\slash', 'a.b', '[0]', 'none'];

/** Conditions on what is inside of a JSON attribute. */
const inJson = (): fc.Arbitrary<[string, unknown]> =>
  keep('in JSON', () => {
    const operator = fc.oneof(
      fc.tuple(
        fc.constantFrom('$eq', '$ne', '$in', '$notIn', '$has'),
        fc.array(jsonOperand, { minLength: 1, maxLength: 2 }),
      ),
      fc.tuple(fc.constantFrom('$eq', '$ne', '$has'), jsonOperand),
      fc.tuple(fc.constantFrom(...NULL_TESTS), fc.boolean()),
      fc.tuple(fc.constantFrom(...ORDERED), orderedOperand),
      fc.tuple(fc.constant('$between'), fc.tuple(orderedOperand, orderedOperand)),
      fc.tuple(fc.constantFrom(...TEXT_TESTS), fc.constantFrom<unknown>('🌸', 'te', '', 'TEXT', '1')),
    ) as fc.Arbitrary<[string, unknown]>;
    const under = fc.oneof(objectOf(operator, 2), objectOf(groupEntry(objectOf(operator, 1)), 1), jsonOperand);
    const at = fc
      .tuple(fc.array(fc.constantFrom(...JSON_KEYS), { minLength: 1, maxLength: 3 }), under)
      .map(([keys, condition]) => keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), condition) as Json);
    const likely = fc
      .tuple(fc.constantFrom(['a'], ['b'], ['é'], ['nested', 'z'], ['nested', 'y', 'x'], ['nested', 'y']), under)
      .map(([keys, condition]) => keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), condition) as Json);
    return fc.oneof(likely, at, objectOf(groupEntry(likely), 1)).map((json): [string, unknown] => ['$at', json]);
  });

const objectOf = (entry: fc.Arbitrary<[string, unknown]>, most: number): fc.Arbitrary<Json> =>
  fc.array(entry, { minLength: 1, maxLength: most }).map((entries) => Object.fromEntries(entries));

/** A group of members: a list, one member alone, or lists within the list. */
const groupEntry = (member: fc.Arbitrary<unknown>): fc.Arbitrary<[string, unknown]> =>
  fc.tuple(
    fc.constantFrom('$and', '$or', '$not'),
    fc.oneof(
      { weight: 4, arbitrary: fc.array(member, { minLength: 1, maxLength: 3 }) },
      { weight: 2, arbitrary: member },
      { weight: 1, arbitrary: fc.tuple(fc.array(member, { minLength: 1, maxLength: 2 }), member) },
    ),
  );

/** What may stand under the name of an attribute. */
const underAttribute = (type: string, name: string, depth: number): fc.Arbitrary<unknown> =>
  keep(`under ${type} ${name} ${depth}`, () => {
    const value = operandOf(type, name);
    const operators = objectOf(operatorEntry(type, name), 2);
    const plain = [
      { weight: 8, arbitrary: operators as fc.Arbitrary<unknown> },
      { weight: 2, arbitrary: value },
      { weight: 1, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.array(value, { maxLength: 3 }) },
    ];
    if (depth === 0) return fc.oneof(...plain);
    const inner = fc.oneof(operators, value, objectOf(groupEntry(operators), 1));
    return fc.oneof(...plain, { weight: 3, arbitrary: objectOf(groupEntry(inner), 2) });
  });

interface FilterShape {
  /** Relations that may be nested in one another. */
  readonly relations: number;
  /** Groups that may be nested in one another. */
  readonly groups: number;
  /** Whether it stands under a relation, where operators speak of the id. */
  readonly underRelation?: boolean;
  /** Where it stands under the name of a relation itself: to how many rows that leads, of which all can be spoken. */
  readonly sets?: 'one' | 'many';
}

const filterOf = (type: string, shape: FilterShape): fc.Arbitrary<Json> =>
  keep(`filter ${type} ${JSON.stringify(shape)}`, () => {
    const { attributes, relations } = TYPES[type]!;
    const { groups, underRelation = false } = shape;
    const entries: { weight: number; arbitrary: fc.Arbitrary<[string, unknown]> }[] = [];
    const named =
      (name: string) =>
      (inner: unknown): [string, unknown] => [name, inner];
    entries.push({
      weight: 5,
      arbitrary: fc.oneof(
        ...Object.keys(attributes).map((name) => underAttribute(type, name, Math.min(groups, 1)).map(named(name))),
      ),
    });
    if (shape.sets) entries.push({ weight: 5, arbitrary: setEntry(type, shape) });
    if (shape.sets === 'many') {
      const compared = Object.keys(attributes).filter((name) => attributes[name] !== 'json');
      const allOf = (name: string) => valuesTogether(type, name).map((values) => named(name)({ $all: values }));
      entries.push({ weight: 1, arbitrary: fc.oneof(...compared.map(allOf)) });
    }
    const names = Object.keys(relations).filter((name) => !relations[name]!.populateOnly);
    if (shape.relations > 0 && names.length > 0)
      entries.push({
        weight: 6,
        arbitrary: fc.oneof(
          ...names.map((name) =>
            underRelationNamed(relations[name]!.to, {
              ...shape,
              relations: shape.relations - 1,
              sets: relations[name]!.many ? 'many' : 'one',
            }).map(named(name)),
          ),
        ),
      });
    if (groups > 0)
      entries.push({ weight: 3, arbitrary: groupEntry(filterOf(type, { ...shape, groups: groups - 1 })) });
    if (underRelation) entries.push({ weight: 2, arbitrary: operatorEntry(type, 'id') });
    return objectOf(fc.oneof(...entries), 2);
  });

/** Values of an attribute, some of them of entries that may well be connected with one. */
const valuesTogether = (type: string, name: string): fc.Arbitrary<unknown> => {
  const value = operandOf(type, name);
  return fc.oneof(value, inNumbers(fc.array(value, { minLength: 1, maxLength: 3 })));
};

/** A list as it is, or so often that its values are counted instead of looked up. */
const inNumbers = (list: fc.Arbitrary<unknown[]>): fc.Arbitrary<unknown[]> =>
  fc.tuple(list, fc.constantFrom(1, 1, 5)).map(([values, times]) => Array.from({ length: times }, () => values).flat());

/** What is said of all related entries, which are of the type. */
function setEntry(type: string, shape: FilterShape): fc.Arbitrary<[string, unknown]> {
  const behind: FilterShape = { relations: shape.relations, groups: Math.min(shape.groups, 1), underRelation: true };
  const condition = fc.oneof(
    { weight: 8, arbitrary: filterOf(type, behind) as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: operandOf(type, 'id') },
  );
  const quantified = fc.tuple(fc.constantFrom('$some', '$none', '$every'), condition) as fc.Arbitrary<
    [string, unknown]
  >;
  if (shape.sets !== 'many') return quantified;
  const number = fc.constantFrom<unknown>(0, 1, 2, '1', '3', 1.5, -1);
  const test = fc.oneof(
    fc.tuple(fc.constantFrom('$eq', '$ne', ...ORDERED), number),
    fc.tuple(fc.constantFrom('$in', '$notIn'), fc.array(number, { minLength: 1, maxLength: 2 })),
    fc.tuple(fc.constant('$between'), fc.tuple(number, number)),
  ) as fc.Arbitrary<[string, unknown]>;
  const counted = fc
    .tuple(objectOf(test, 2), fc.option(condition, { nil: undefined }))
    .map(([tests, where]) => (where === undefined ? tests : { ...tests, where }));
  const ids = fc.constantFrom(...(existing(type, 'id') as number[]).slice(0, 12));
  const identities = TYPES[type]!.component
    ? [ids]
    : [ids, fc.constantFrom(...(existing(type, 'documentId') as string[]))];
  const together = fc.oneof(
    ...identities.map((one) => inNumbers(fc.array<unknown>(one, { minLength: 1, maxLength: 2 }))),
  );
  return fc.oneof(
    { weight: 5, arbitrary: quantified },
    { weight: 3, arbitrary: fc.oneof(counted, number).map((operand): [string, unknown] => ['$count', operand]) },
    { weight: 1, arbitrary: together.map((operand): [string, unknown] => ['$all', operand]) },
  );
}

function underRelationNamed(to: string, shape: FilterShape): fc.Arbitrary<unknown> {
  const id = operandOf(to, 'id');
  return fc.oneof(
    { weight: 8, arbitrary: filterOf(to, { ...shape, underRelation: true }) as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: id },
    { weight: 1, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.array(id, { maxLength: 3 }) },
  );
}

/** The places of a filter multiply the tuples that the naive evaluator looks at. */
const MOST_PLACES = 4;
const fewPlaces = (type: string, filters: Json): boolean => naive.countPlaces(world, type, filters) <= MOST_PLACES;

const ROOTS = [
  { type: RESTAURANT, weight: 6 },
  { type: CHEF, weight: 2 },
  { type: CATEGORY, weight: 2 },
  { type: ARTICLE, weight: 3 },
  { type: AUTHOR, weight: 1 },
  { type: BOOKMARK, weight: 2 },
  { type: COUNTRY, weight: 1 },
  { type: DISH, weight: 1 },
  { type: OWNER, weight: 1 },
  { type: TAG, weight: 1 },
];

interface Root {
  readonly type: string;
  readonly status: naive.Status;
  readonly locale: string | string[] | undefined;
}

const onSomeType = <T>(more: (type: string) => fc.Arbitrary<T>): fc.Arbitrary<Root & T> =>
  fc.oneof(
    ...ROOTS.map(({ type, weight }) => ({
      weight,
      arbitrary: fc
        .tuple(
          fc.record({
            type: fc.constant(type),
            status: fc.constantFrom<naive.Status>('draft', 'published'),
            locale: TYPES[type]!.localized
              ? fc.constantFrom<string | string[] | undefined>(undefined, 'fr', '*', ['en', 'fr'], 'de')
              : fc.constant(undefined),
          }),
          more(type),
        )
        .map(([root, rest]) => ({ ...root, ...rest })),
    })),
  );

const sortKeys = (type: string, relations: number): fc.Arbitrary<naive.SortKey[]> =>
  keep(`sort ${type} ${relations}`, () =>
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: fc.record({ path: sortPath(type, relations), descending: fc.boolean() }) },
        ...(relations > 0 ? [{ weight: 2, arbitrary: aggregateKey(type, relations) }] : []),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  );

/** A sort by what is made of all that a path leads to; any other key where the path has nothing to make it of. */
const aggregateKey = (type: string, relations: number): fc.Arbitrary<naive.SortKey> =>
  fc
    .record({
      path: sortPath(type, relations),
      aggregate: fc.constantFrom('count', 'min', 'max', 'avg'),
      descending: fc.boolean(),
    })
    .map(({ path, aggregate, descending }) => {
      let at = type;
      const many = path.slice(0, -1).map((name) => {
        const relation = TYPES[at]!.relations[name]!;
        at = relation.to;
        return relation.many;
      });
      const branching = many.filter((one) => one).length;
      const isNumber = ['integer', 'biginteger', 'number'].includes(TYPES[at]!.attributes[path.at(-1)!]!);
      if (aggregate === 'count' && branching === 1 && many.at(-1))
        return { path: path.slice(0, -1), aggregate, descending };
      if (aggregate === 'avg' && branching === 1 && isNumber) return { path, aggregate, descending };
      if (branching > 0 && (aggregate === 'min' || aggregate === 'max')) return { path, aggregate, descending };
      return { path, descending };
    });

const sortPath = (type: string, relations: number): fc.Arbitrary<string[]> =>
  keep(`path ${type} ${relations}`, () => {
    const { attributes, relations: named } = TYPES[type]!;
    const own = Object.keys(attributes).filter((name) => attributes[name] !== 'json');
    const ways = Object.keys(named).filter((name) => !named[name]!.populateOnly);
    const short = fc.constantFrom(...own).map((name) => [name]);
    if (relations === 0 || ways.length === 0) return short;
    return fc.oneof(
      short,
      ...ways.map((name) => sortPath(named[name]!.to, relations - 1).map((rest) => [name, ...rest])),
    );
  });

type SortForm = 'text' | 'texts' | 'objects' | 'mixed';
const sortForm = fc.constantFrom<SortForm>('text', 'texts', 'objects', 'mixed');

/** The same sort keys in one of the forms that clients write. */
function writeSort(keys: readonly naive.SortKey[], form: SortForm): unknown {
  const written = keys.map(({ path, aggregate, descending }) => ({
    names: aggregate ? [...path, `$${aggregate}`] : path,
    descending,
  }));
  const texts = written.map(({ names, descending }) => `${names.join('.')}${descending ? ':desc' : ''}`);
  const objects = written.map(({ names, descending }) =>
    names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), descending ? 'desc' : 'ASC'),
  );
  switch (form) {
    case 'text':
      return texts.join(',');
    case 'texts':
      return texts;
    case 'objects':
      return keys.length === 1 ? objects[0] : objects;
    case 'mixed':
      return keys.map((_, index) => (index % 2 === 0 ? texts[index] : objects[index]));
  }
}

const fieldsOf = (type: string): fc.Arbitrary<string[]> =>
  keep(`fields ${type}`, () => fc.subarray(Object.keys(TYPES[type]!.attributes), { minLength: 1 }));

const populateOf = (type: string, depth: number): fc.Arbitrary<naive.Populate> =>
  keep(`populate ${type} ${depth}`, () => {
    const { relations, zones } = TYPES[type]!;
    const named =
      (name: string) =>
      (options: true | naive.PopulateOptions): [string, true | naive.PopulateOptions] => [name, options];
    const entries = [
      ...Object.entries(relations).map(([name, { to, many: toMany }]) =>
        (toMany ? withPage(optionsOf(to, depth)) : optionsOf(to, depth)).map(named(name)),
      ),
      ...Object.entries(zones).map(([name, members]) => withPage(zoneOptions(members, depth)).map(named(name))),
    ];
    if (entries.length === 0) return fc.constant<naive.Populate>({});
    return fc.oneof(
      { weight: 1, arbitrary: fc.constant<naive.Populate>('*') },
      {
        weight: 6,
        arbitrary: fc
          .array(fc.oneof(...entries), { minLength: 1, maxLength: 3 })
          .map((list): naive.Populate => Object.fromEntries(list)),
      },
    );
  });

/** Some of the options with a page of each list. */
const withPage = (options: fc.Arbitrary<true | naive.PopulateOptions>): fc.Arbitrary<true | naive.PopulateOptions> => {
  const page = fc.record(
    { start: fc.integer({ min: 0, max: 3 }), limit: fc.integer({ min: 1, max: 3 }), withCount: fc.boolean() },
    { requiredKeys: ['start', 'limit'] },
  );
  return fc.tuple(options, fc.option(page, { freq: 2 })).map(([given, pagination]) => {
    const plain = given === true ? {} : given;
    return pagination === null || plain.count ? given : { ...plain, pagination };
  });
};

const optionsOf = (type: string, depth: number): fc.Arbitrary<true | naive.PopulateOptions> =>
  keep(`options ${type} ${depth}`, () => {
    const filters = filterOf(type, { relations: 1, groups: 1 });
    const shaped = fc.record(
      {
        fields: fieldsOf(type),
        filters: filters.filter((one) => fewPlaces(type, one)),
        sort: sortKeys(type, 2),
        ...(depth > 0 && { populate: populateOf(type, depth - 1) }),
      },
      { requiredKeys: [] },
    );
    const counted = fc.record({ count: fc.constant(true), filters }, { requiredKeys: ['count'] });
    return fc.oneof(
      { weight: 3, arbitrary: fc.constant<true>(true) },
      { weight: 6, arbitrary: shaped as fc.Arbitrary<naive.PopulateOptions> },
      { weight: 1, arbitrary: counted as fc.Arbitrary<naive.PopulateOptions> },
    );
  });

const zoneOptions = (members: readonly string[], depth: number): fc.Arbitrary<true | naive.PopulateOptions> => {
  const fragment = (type: string) =>
    fc.oneof(
      fc.constant<true>(true),
      fc.record(
        {
          fields: fieldsOf(type),
          filters: filterOf(type, { relations: 1, groups: 0 }),
          ...(depth > 0 && { populate: populateOf(type, depth - 1) }),
        },
        { requiredKeys: [] },
      ) as fc.Arbitrary<naive.PopulateOptions>,
    );
  const on = fc
    .tuple(fc.subarray([...members], { minLength: 1 }), ...members.map(fragment))
    .map(([chosen, ...fragments]) => ({
      on: Object.fromEntries(chosen.map((type) => [type, fragments[members.indexOf(type)]!])),
    }));
  return fc.oneof(fc.constant<true>(true), on);
};

// ---------------------------------------------------------------------------------------------- generated aggregates

const PARTS: Partial<Record<naive.Kind, readonly string[]>> = {
  date: ['$year', '$quarter', '$month', '$week', '$day', '$weekday'],
  datetime: ['$year', '$quarter', '$month', '$week', '$day', '$weekday', '$date', '$hour', '$minute'],
  time: ['$hour', '$minute'],
};

/** What entries are grouped by: attributes, parts of dates, relations, and the same of related rows. */
const groupPath = (type: string, relations: number): fc.Arbitrary<string[]> =>
  keep(`group ${type} ${relations}`, () => {
    const { attributes, relations: named } = TYPES[type]!;
    const own = Object.keys(attributes).filter((name) => attributes[name] !== 'json');
    const parts = own.flatMap((name) => (PARTS[attributes[name]!] ?? []).map((part) => [name, part]));
    const ways = Object.keys(named).filter((name) => !named[name]!.populateOnly);
    const documents = ways.filter((name) => !TYPES[named[name]!.to]!.component).map((name) => [name]);
    const short = [
      { weight: 4, arbitrary: fc.constantFrom(...own).map((name) => [name]) },
      ...[parts, ...(relations > 0 ? [documents] : [])]
        .filter((paths) => paths.length > 0)
        .map((paths) => ({ weight: 2, arbitrary: fc.constantFrom(...paths) })),
    ];
    if (relations === 0 || ways.length === 0) return fc.oneof(...short);
    const further = ways.map((name) => groupPath(named[name]!.to, relations - 1).map((rest) => [name, ...rest]));
    return fc.oneof(...short, { weight: 6, arbitrary: fc.oneof(...further) });
  });

/** Floats are added up to the last digits; nothing is decided by these. */
const isInexact = (name: string, path: readonly string[]): boolean =>
  (name === 'sum' || name === 'avg') &&
  (path.at(-1) === 'averagePrice' || (name === 'avg' && path.at(-1) === 'visits'));

const valuePath = (type: string, relations: number): fc.Arbitrary<{ name: ValueName; path: string[] }> =>
  keep(`value ${type} ${relations}`, () => {
    const { attributes, relations: named } = TYPES[type]!;
    const paths = (fits: (kind: naive.Kind) => boolean) =>
      Object.keys(attributes)
        .filter((name) => fits(attributes[name]!))
        .map((name) => [name]);
    const isNumber = (kind: naive.Kind) => kind === 'integer' || kind === 'biginteger' || kind === 'number';
    const of = (names: ValueName[], fits: (kind: naive.Kind) => boolean) =>
      fc.record({ name: fc.constantFrom(...names), path: fc.constantFrom(...paths(fits)) });
    const own = [
      fc.constant<{ name: ValueName; path: string[] }>({ name: 'count', path: [] }),
      of(['sum', 'avg'], isNumber),
      of(['min', 'max'], (kind) => kind !== 'json' && kind !== 'boolean'),
      of(['distinct'], (kind) => kind !== 'json'),
    ];
    const ways = Object.keys(named).filter((name) => !named[name]!.many && !named[name]!.populateOnly);
    if (relations === 0 || ways.length === 0) return fc.oneof(...own);
    const further = ways.map((name) =>
      valuePath(named[name]!.to, relations - 1)
        .filter(({ path }) => path.length > 0)
        .map(({ name: value, path }) => ({ name: value, path: [name, ...path] })),
    );
    return fc.oneof({ weight: 3, arbitrary: fc.oneof(...own) }, { weight: 1, arbitrary: fc.oneof(...further) });
  });

const once = <T>(values: readonly T[]): T[] => [...new Map(values.map((one) => [JSON.stringify(one), one])).values()];

interface GeneratedAggregate {
  readonly group: string[][];
  readonly values: { name: ValueName; path: string[] }[];
  readonly having: Json | undefined;
  readonly sort: { name: string; descending: boolean }[] | undefined;
}

const aggregateOf = (type: string): fc.Arbitrary<GeneratedAggregate> =>
  fc
    .record({
      group: fc.array(groupPath(type, 2), { maxLength: 3 }).map(once),
      values: fc.array(valuePath(type, 2), { maxLength: 4 }).map(once),
    })
    .filter(({ group, values }) => group.length + values.length > 0)
    .chain(({ group, values }) => {
      const decided = values.filter(({ name, path }) => !isInexact(name, path));
      const condition = fc.constantFrom(...decided, undefined).chain((value) => {
        if (!value) return fc.constant(undefined);
        const { name, path } = value;
        const [to, attribute] = attributeAt(type, path);
        const operand = ['count', 'distinct', 'avg'].includes(name)
          ? fc.constantFrom<unknown>(0, 1, 2, '3', 2.5, 10)
          : operandOf(to, attribute);
        const operators = fc.constantFrom('$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$notIn');
        return fc
          .tuple(operators, operand, fc.constantFrom('$not', '$or', null))
          .map(([operator, one, group]): Json => {
            const test = at([name, ...path], { [operator]: operator.endsWith('n') ? [one] : one });
            return group === '$not' ? { $not: test } : group === '$or' ? { $or: [test] } : test;
          });
      });
      const names = [...decided.map(({ name, path }) => [name, ...path]), ...group].map((one) => one.join('.'));
      const key = fc.record({ name: fc.constantFrom('', ...names), descending: fc.boolean() });
      const sort = fc
        .array(
          key.filter(({ name }) => name !== ''),
          { maxLength: names.length > 0 ? 2 : 0 },
        )
        .map((keys) => [...new Map(keys.map((one) => [one.name, one])).values()]);
      return fc.record({
        group: fc.constant(group),
        values: fc.constant(values),
        having: fc.option(condition, { nil: undefined }),
        sort: fc.option(sort, { nil: undefined }),
      });
    });

function attributeAt(type: string, path: readonly string[]): [type: string, attribute: string] {
  const [name, ...rest] = path;
  return rest.length === 0 ? [type, name ?? 'id'] : attributeAt(TYPES[type]!.relations[name!]!.to, rest);
}

function writeAggregate({ group, values, having, sort }: GeneratedAggregate): Json {
  const result: Json = {};
  if (group.length > 0) result.group = group.map((path) => path.join('.'));
  for (const { name, path } of values) {
    if (name === 'count') result.count = '*';
    else result[name] = [...((result[name] as string[]) ?? []), path.join('.')];
  }
  if (having) result.having = having;
  if (sort)
    result.sort = sort.map(({ name, descending }, index) =>
      descending ? [`-${name}`, `${name}:desc`][index % 2] : name,
    );
  return result;
}

const at = (path: readonly string[], condition: unknown): Json =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), condition) as Json;

/** What a caller under rules sees of the same content. */
const ROW_RULES: Readonly<Record<string, Json>> = {
  [RESTAURANT]: { $or: [{ stars: { $gt: 1 } }, { chef: { age: { $lt: 40 } } }] },
  [CHEF]: { age: { $notNull: true } },
  [DISH]: { vegan: true },
  [ARTICLE]: { featured: { $ne: true } },
  [AUTHOR]: { name: { $ne: 'Alba' } },
  [TAG]: { color: { $in: ['red', 'green'] } },
};

function writePopulate(populate: naive.Populate): unknown {
  if (populate === '*') return '*';
  return Object.fromEntries(
    Object.entries(populate).map(([name, options]) => [name, options === true ? true : writeOptions(options)]),
  );
}

function writeOptions({ sort, populate, on, ...rest }: naive.PopulateOptions): Json {
  return {
    ...rest,
    ...(sort && { sort: writeSort(sort, 'texts') }),
    ...(populate !== undefined && { populate: writePopulate(populate) }),
    ...(on && { on: writePopulate(on) }),
  };
}

// ------------------------------------------------------------------------------------------------------- the laws

const SET_OPERATORS = new Set(['$some', '$none', '$every', '$all', '$count', '$at', '$has']);
const speaksOfSets = (filters: unknown): boolean =>
  typeof filters === 'object' &&
  filters !== null &&
  Object.entries(filters).some(([key, inner]) => SET_OPERATORS.has(key) || speaksOfSets(inner));

/** What a reader sees of some types; one of the rules is itself about a set. */
const RULES: Readonly<Record<string, Json>> = {
  [DISH]: { $or: [{ vegan: true }, { price: { $gt: 4 } }] },
  [CATEGORY]: { rank: { $ne: 1 } },
  [CHEF]: { restaurants: { $count: { $lt: 6 } } },
  [AUTHOR]: { articles: { $none: { featured: true } } },
};

describeOnEveryDatabase('Reading', (engine) => {
  let sheaf: Sheaf;
  beforeAll(async () => {
    sheaf = await engine.open(tables);
  });

  const isOwn = ({ path, aggregate }: naive.SortKey): boolean => path.length === 1 && aggregate === undefined;
  const parameters = (more: Json): FindParameters => more as FindParameters;
  const rootParameters = ({ status, locale }: Root): Json => ({
    status,
    timezone: TIMEZONE,
    ...(locale !== undefined && { locale }),
  });
  const idsOf = (rows: readonly { readonly id: number }[]): number[] => rows.map(({ id }) => id);

  /** What some caller sees of a type: all of it, or what rules leave. */
  function asked({ type }: Root, asReader: boolean) {
    if (!asReader) return { seen: world, documents: sheaf.documents(type, systemCaller(sheaf.model)) };
    const rules = Object.fromEntries(Object.entries(RULES).map(([uid, find]) => [uid, { rows: { find } }]));
    return { seen: { ...world, rules: RULES }, documents: sheaf.documents(type, userWith(sheaf.model, { rules })) };
  }

  async function idsMatching(root: Root, filters: Json): Promise<number[]> {
    return idsOf(await sheaf.documents(root.type).findMany(parameters({ ...rootParameters(root), filters })));
  }

  it('generates content with every kind of gap and link', () => {
    const restaurants = world.rows[RESTAURANT]!;
    expect(restaurants).toHaveLength(40);
    for (const name of Object.keys(TYPES[RESTAURANT]!.attributes).filter((one) => one !== 'id'))
      expect(new Set(restaurants.map((row) => row.values[name] ?? null)).size, name).toBeGreaterThan(1);
    for (const { owner, target } of LINK_TABLES)
      for (const [type, name] of [
        [owner.type, owner.name],
        [target.type, target.name],
      ] as const) {
        if (name === null) continue;
        const counts = world.rows[type]!.map((row) => row.links[name]?.length ?? 0);
        expect(Math.max(...counts), `${type} ${name}`).toBeGreaterThan(0);
      }
  });

  it('returns the entries for which some tuple of related rows makes the filter true', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        filters: filterOf(type, { relations: 3, groups: 2 }).filter((filters) => fewPlaces(type, filters)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async (root) => {
        const expected = naive.list(world, root.type, root);
        expect(await idsMatching(root, root.filters)).toEqual(idsOf(expected));
      }),
      CASES,
    );
  });

  it('speaks of all related entries together, as far as the caller sees them, and of what is inside of JSON', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        filters: filterOf(type, { relations: 3, groups: 2 }).filter(
          (filters) => speaksOfSets(filters) && fewPlaces(type, filters),
        ),
        asReader: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ asReader, ...root }) => {
        const { seen, documents } = asked(root, asReader);
        const query = parameters({ ...rootParameters(root), filters: root.filters });
        const expected = idsOf(naive.list(seen, root.type, root));
        expect(idsOf(await documents.findMany(query))).toEqual(expected);
        // Where all entries are asked, some are looked for in another way.
        expect(await documents.count(query)).toBe(expected.length);
      }),
      { ...CASES, numRuns: CASES.numRuns * 4 },
    );
  });

  it('finds text by its characters, and whatever their case where the operator ends in i', async () => {
    const cases = fc
      .record({
        operator: fc.constantFrom(...TEXT_TESTS),
        searched: searchedOf(RESTAURANT, 'name'),
        path: fc.constantFrom(['name'], ['chef', 'name'], ['categories', 'name']),
      })
      .map(({ operator, searched, path }) => at(path, { [operator]: searched }));
    const root: Root = { type: RESTAURANT, status: 'draft', locale: undefined };
    await fc.assert(
      fc.asyncProperty(cases, async (filters) => {
        expect(await idsMatching(root, filters)).toEqual(idsOf(naive.list(world, RESTAURANT, { filters })));
      }),
      CASES,
    );
  });

  it('reads dates as people say them by the clocks of the time zone', async () => {
    const date = fc.oneof(fc.constantFrom(...AROUND_NEW_YEAR), fc.constantFrom(...SAID_DATES));
    const comparison = fc.oneof(
      fc.tuple(fc.constantFrom<string>('$eq', '$ne', ...ORDERED), date),
      fc.tuple(fc.constantFrom('$in', '$notIn'), fc.array(date, { minLength: 1, maxLength: 2 })),
      fc.tuple(fc.constant('$between'), fc.tuple(date, date)),
    );
    const cases = fc.record({
      comparison,
      path: fc.constantFrom(['openedOn'], ['inspectedAt'], ['categories', 'restaurants', '$none', 'inspectedAt']),
    });
    const root: Root = { type: RESTAURANT, status: 'draft', locale: undefined };
    await fc.assert(
      fc.asyncProperty(cases, async ({ path, comparison: [operator, operand] }) => {
        const filters = at(path, { [operator]: operand });
        expect(await idsMatching(root, filters)).toEqual(idsOf(naive.list(world, RESTAURANT, { filters })));
      }),
      CASES,
    );
  });

  const ownFilter = (type: string) => filterOf(type, { relations: 0, groups: 2 });
  const anyFilter = (type: string) =>
    filterOf(type, { relations: 2, groups: 1 }).filter((filters) => fewPlaces(type, filters));

  it('divides all entries into those that meet a filter, those that meet its opposite and the unknown', async () => {
    await fc.assert(
      fc.asyncProperty(
        onSomeType((type) => fc.record({ filters: ownFilter(type) })),
        async (root) => {
          const { filters } = root;
          const rows = naive.rootRows(world, root.type, root);
          const unknown = idsOf(rows.filter((row) => naive.truth(world, root.type, row, filters) === null));
          const met = await idsMatching(root, filters);
          const opposite = await idsMatching(root, { $not: filters });
          expect([...met, ...opposite, ...unknown].sort((a, b) => a - b)).toEqual(idsOf(rows));
        },
      ),
      CASES,
    );
  });

  it('does not care for the order of the members of $and and $or', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        group: fc.constantFrom('$and', '$or'),
        members: fc
          .array(anyFilter(type), { minLength: 2, maxLength: 4 })
          .chain((members) =>
            fc.tuple(fc.constant(members), fc.shuffledSubarray(members, { minLength: members.length })),
          ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ group, members: [inOrder, shuffled], ...root }) => {
        expect(await idsMatching(root, { [group]: shuffled })).toEqual(await idsMatching(root, { [group]: inOrder }));
      }),
      CASES,
    );
  });

  it('treats the keys of one object as $and does', async () => {
    const cases = onSomeType((type) => fc.record({ left: anyFilter(type), right: anyFilter(type) }));
    await fc.assert(
      fc.asyncProperty(cases, async ({ left, right, ...root }) => {
        fc.pre(Object.keys(left).every((key) => !(key in right)));
        expect(await idsMatching(root, { ...left, ...right })).toEqual(
          await idsMatching(root, { $and: [left, right] }),
        );
      }),
      CASES,
    );
  });

  it('obeys De Morgan and double negation', async () => {
    const cases = onSomeType((type) => fc.record({ left: anyFilter(type), right: anyFilter(type) }));
    await fc.assert(
      fc.asyncProperty(cases, async ({ left, right, ...root }) => {
        const notLeft = { $not: left };
        const notRight = { $not: right };
        expect(await idsMatching(root, { $not: { $and: [left, right] } })).toEqual(
          await idsMatching(root, { $or: [notLeft, notRight] }),
        );
        expect(await idsMatching(root, { $not: { $or: [left, right] } })).toEqual(
          await idsMatching(root, { $and: [notLeft, notRight] }),
        );
        expect(await idsMatching(root, { $not: notLeft })).toEqual(await idsMatching(root, left));
      }),
      CASES,
    );
  });

  /** An attribute of a type or of what it is related to, and values for it. */
  const attributeWith = <T>(type: string, make: (holder: string, name: string) => fc.Arbitrary<T>) => {
    const { attributes, relations } = TYPES[type]!;
    const own = Object.keys(attributes).map((name) => make(type, name).map((values) => ({ path: [name], values })));
    const through = Object.entries(relations)
      .filter(([, { populateOnly }]) => !populateOnly)
      .flatMap(([relation, { to }]) =>
        Object.keys(TYPES[to]!.attributes).map((name) =>
          make(to, name).map((values) => ({ path: [relation, name], values })),
        ),
      );
    return fc.oneof(fc.oneof(...own), ...(through.length > 0 ? [fc.oneof(...through)] : []));
  };

  it('takes $in for $or of $eq, and $notIn for $and of $ne', async () => {
    const cases = onSomeType((type) =>
      attributeWith(type, (holder, name) => fc.array(operandOf(holder, name), { minLength: 1, maxLength: 4 })),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ path, values, ...root }) => {
        const among = await idsMatching(root, at(path, { $in: values }));
        expect(among).toEqual(await idsMatching(root, at(path, values)));
        expect(among).toEqual(await idsMatching(root, at(path, { $eq: values })));
        expect(among).toEqual(await idsMatching(root, at(path, { $or: values.map(($eq) => ({ $eq })) })));
        expect(among).toEqual(await idsMatching(root, { $or: values.map((value) => at(path, value)) }));
        expect(await idsMatching(root, at(path, { $notIn: values }))).toEqual(
          await idsMatching(root, at(path, { $and: values.map(($ne) => ({ $ne })) })),
        );
      }),
      CASES,
    );
  });

  it('takes $between for $gte and $lte', async () => {
    const ordered = (holder: string, name: string) => TYPES[holder]!.attributes[name] !== 'json';
    const cases = onSomeType((type) =>
      attributeWith(type, (holder, name) =>
        ordered(holder, name)
          ? fc.tuple(operandOf(holder, name), operandOf(holder, name))
          : fc.constant<[unknown, unknown] | null>(null),
      ),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ path, values, ...root }) => {
        fc.pre(values !== null);
        const [$gte, $lte] = values!;
        const between = await idsMatching(root, at(path, { $between: [$gte, $lte] }));
        expect(between).toEqual(await idsMatching(root, at(path, { $gte, $lte })));
        expect(between).toEqual(await idsMatching(root, at(path, { $and: [{ $gte }, { $lte }] })));
      }),
      CASES,
    );
  });

  it('cuts the sorted list into pages that together are the list, and counts it', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        sort: fc.option(sortKeys(type, 4), { nil: undefined }),
        form: sortForm,
        filters: fc.option(anyFilter(type), { nil: undefined }),
        size: fc.integer({ min: 1, max: 20 }),
        byOffset: fc.boolean(),
        asReader: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ form, size, byOffset, asReader, ...root }) => {
        const { seen, documents } = asked(root, asReader);
        const expected = idsOf(naive.list(seen, root.type, root));
        const query: Json = { ...rootParameters(root), fields: ['id'] };
        if (root.sort) query.sort = writeSort(root.sort, form);
        if (root.filters) query.filters = root.filters;
        expect(idsOf(await documents.findMany(parameters(query)))).toEqual(expected);

        const pageCount = Math.ceil(expected.length / size);
        const shown: number[] = [];
        // One page more than there are: it is empty, and still knows the total.
        for (let page = 1; page <= pageCount + 1; page++) {
          const pagination = byOffset ? { start: (page - 1) * size, limit: size } : { page, pageSize: size };
          const { data, meta } = await documents.findPage(parameters({ ...query, pagination }));
          const rest = byOffset ? {} : { pageCount };
          expect(meta.pagination).toEqual({ ...pagination, ...rest, total: expected.length });
          expect(data.length).toBe(Math.max(0, Math.min(size, expected.length - (page - 1) * size)));
          shown.push(...idsOf(data));
        }
        expect(shown).toEqual(expected);
        expect(await documents.count(parameters(query))).toBe(expected.length);
      }),
      CASES,
    );
  });

  it('shows the same entries in the same order whatever is populated or left out, and populates what is linked', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        sort: fc.option(sortKeys(type, 1), { nil: undefined }),
        filters: fc.option(anyFilter(type), { nil: undefined }),
        fields: fc.option(fieldsOf(type), { nil: undefined }),
        populate: fc.option(populateOf(type, 2), { nil: undefined }),
        page: fc.integer({ min: 1, max: 3 }),
        asReader: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ page, fields, populate, asReader, ...root }) => {
        const pageSize = 8;
        const { seen, documents } = asked(root, asReader);
        const expected = naive.list(seen, root.type, root).slice((page - 1) * pageSize, page * pageSize);
        const bare: Json = { ...rootParameters(root), pagination: { page, pageSize } };
        if (root.sort) bare.sort = writeSort(root.sort, 'texts');
        if (root.filters) bare.filters = root.filters;
        const full: Json = { ...bare };
        if (fields) full.fields = fields;
        if (populate !== undefined) full.populate = writePopulate(populate);

        const plain = await documents.findPage(parameters(bare));
        const shaped = await documents.findPage(parameters(full));
        expect(idsOf(plain.data)).toEqual(idsOf(expected));
        expect(idsOf(shaped.data)).toEqual(idsOf(expected));
        expect(shaped.meta).toEqual(plain.meta);

        // A list that is chosen through relations shows what it is sorted by, asked for or not.
        const sortedBy = (root.sort ?? []).filter(isOwn).map(({ path }) => path[0]!);
        const unasked = fields ? sortedBy.filter((name) => !['id', 'documentId', ...fields].includes(name)) : [];
        const actual = shaped.data.map((one) =>
          Object.fromEntries(Object.entries(one).filter(([name]) => !unasked.includes(name))),
        );
        const entries = expected.map((row) =>
          naive.entry(seen, root.type, row, { fields, populate, status: root.status }),
        );
        if (!isDeepStrictEqual(actual, entries)) expect(actual).toEqual(entries);
      }),
      CASES,
    );
  });

  it('populates along dotted paths what it populates in nested objects', async () => {
    const path = (type: string, depth: number): fc.Arbitrary<string[]> =>
      keep(`dotted ${type} ${depth}`, () => {
        const { relations } = TYPES[type]!;
        const names = Object.keys(relations);
        if (names.length === 0) return fc.constant([]);
        return fc.oneof(
          ...names.map((name) =>
            depth === 0
              ? fc.constant<string[]>([name])
              : path(relations[name]!.to, depth - 1).map((rest) => [name, ...rest]),
          ),
        );
      });
    const cases = onSomeType((type) =>
      fc.record({
        paths: fc.array(
          fc.integer({ min: 0, max: 2 }).chain((depth) => path(type, depth)),
          { minLength: 1, maxLength: 3 },
        ),
        asText: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ paths, asText, ...root }) => {
        const texts = paths.map((names) => names.join('.'));
        const tree: Record<string, naive.PopulateOptions> = {};
        for (const names of paths) {
          let branch = tree;
          for (const name of names) {
            branch[name] ??= { populate: {} };
            branch = branch[name].populate as Record<string, naive.PopulateOptions>;
          }
        }
        const populate = asText ? texts.join(',') : texts;
        const pagination = { pageSize: 5 };
        const { data } = await sheaf
          .documents(root.type, systemCaller(sheaf.model))
          .findPage(parameters({ ...rootParameters(root), populate, pagination }));
        const entries = naive
          .list(world, root.type, root)
          .slice(0, 5)
          .map((row) => naive.entry(world, root.type, row, { populate: tree, status: root.status }));
        if (!isDeepStrictEqual(data, entries)) expect(data).toEqual(entries);
      }),
      CASES,
    );
  });

  /** Sums and averages of floats up to their last digits; everything else as it is. */
  const closeTo = (actual: unknown, expected: unknown, path: readonly string[] = []): boolean => {
    if (typeof actual === 'number' && typeof expected === 'number' && isInexact(path[0] ?? '', path.slice(1)))
      return Math.abs(actual - expected) <= 1e-12 * Math.max(Math.abs(actual), Math.abs(expected), 1);
    if (typeof actual !== 'object' || typeof expected !== 'object' || actual === null || expected === null)
      return isDeepStrictEqual(actual, expected);
    const [names, others] = [Object.keys(actual), Object.keys(expected)];
    const inside = (name: string) =>
      Array.isArray(actual) ? path : [...path, ...(path.length === 0 ? [name] : name.split('.'))];
    return (
      names.length === others.length &&
      names.every((name) => closeTo((actual as Json)[name], (expected as Json)[name], inside(name)))
    );
  };

  it('groups entries by what they and their related rows have, and computes each group', async () => {
    const ruled = userWith(sheaf.model, {
      rules: Object.fromEntries(Object.entries(ROW_RULES).map(([uid, find]) => [uid, { rows: { find } }])),
    });
    const cases = onSomeType((type) =>
      fc.record({
        aggregate: aggregateOf(type),
        filters: fc.option(anyFilter(type), { nil: undefined }),
        isRuled: fc.boolean(),
        page: fc.option(fc.record({ start: fc.integer({ min: 0, max: 3 }), limit: fc.integer({ min: 1, max: 9 }) }), {
          nil: undefined,
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ aggregate, filters, isRuled, page, ...root }) => {
        const seen = isRuled ? { ...world, rules: ROW_RULES } : world;
        const all = naiveAggregate.aggregate(seen, root.type, { ...root, ...aggregate, filters });
        const expected = page ? all.slice(page.start, page.start + page.limit) : all;
        const documents = sheaf.documents(root.type, isRuled ? ruled : systemCaller(sheaf.model));
        const actual = await documents.aggregate({
          ...rootParameters(root),
          ...writeAggregate(aggregate),
          ...(filters && { filters }),
          ...(page && { pagination: page }),
        } as AggregateParameters);
        if (!closeTo(actual, expected)) expect(actual).toEqual(expected);
      }),
      { ...CASES, numRuns: CASES.numRuns * 3 },
    );
  });

  it('counts the entries of a list by facets, whatever page it shows', async () => {
    const cases = onSomeType((type) =>
      fc.record({
        paths: fc.array(groupPath(type, 1), { minLength: 1, maxLength: 3 }).map(once),
        filters: fc.option(anyFilter(type), { nil: undefined }),
        asReader: fc.boolean(),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ({ paths, filters, asReader, ...root }) => {
        const { seen, documents } = asked(root, asReader);
        const names = paths.map((path) => path.join('.'));
        const page = await documents.findPage(
          parameters({
            ...rootParameters(root),
            facets: names,
            pagination: { pageSize: 2 },
            ...(filters && { filters }),
          }),
        );
        const values = [{ name: 'count' as const, path: [] }];
        const sort = [{ name: 'count', descending: true }];
        const expected = paths.map((path, index) => [
          names[index]!,
          naiveAggregate
            .aggregate(seen, root.type, { ...root, filters, group: [path], values, sort })
            .map(({ group, count }) => ({ value: (group as Json)[names[index]!], count })),
        ]);
        expect(page.meta.facets).toEqual(Object.fromEntries(expected));
      }),
      CASES,
    );
  });
});

describeOnEveryDatabase('Values at the edge of their types', (engine) => {
  /** JSON text with the keys of objects in one order, which a database need not keep. */
  const inOneOrder = (value: unknown): string =>
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    );

  /** A restaurant alone with its values, and what a filter finds of it. */
  async function restaurantWith(values: Record<string, Cell>) {
    const nothing = Object.fromEntries(Object.keys(tables).map((table) => [table, []]));
    const restaurant = { id: 1, document_id: 'a'.repeat(24), name: 'Alba', ...values };
    const sheaf = await engine.open({ ...nothing, restaurants: [restaurant] });
    const documents = sheaf.documents(RESTAURANT, systemCaller(sheaf.model));
    const finds = async (filters: Json) => (await documents.findMany({ filters } as FindParameters)).length === 1;
    return { documents, finds };
  }

  it.each([
    ['a number that needs all its digits', 0.1 + 0.2],
    ['a whole number beyond 2^53', 2 ** 53],
    ['a whole number beyond 2^63', 2 ** 64],
    ['a text of digits', '9007199254740993'],
    ['a text that looks like a decimal number', '1.50'],
    ['an object with numbers of all sizes', { a: 0.1 + 0.2, b: [2 ** 53, 1e300, 5e-324] }],
    ['an object with keys that every object has', JSON.parse('{"__proto__":1,"constructor":2,"toString":3}')],
  ])('shows and finds JSON that is %s', async (_name, value) => {
    const { documents, finds } = await restaurantWith({ meta: JSON.stringify(value) });
    expect(inOneOrder((await documents.findMany())[0]!.meta)).toBe(inOneOrder(value));
    expect(await finds({ meta: { $eq: JSON.stringify(value) } })).toBe(true);
    expect(await finds({ meta: { $in: [JSON.stringify(value)] } })).toBe(true);
    expect(await finds({ meta: { $ne: JSON.stringify(value) } })).toBe(false);
  });

  it('compares a big integer with a number beyond its range as numbers, not as the nearest one it can hold', async () => {
    const smallest = await restaurantWith({ visits: -9_223_372_036_854_775_808n });
    expect(await smallest.finds({ visits: '-9223372036854775808' })).toBe(true);
    expect(await smallest.finds({ visits: '-9223372036854775809' })).toBe(false);
    expect(await smallest.finds({ visits: { $in: ['-9223372036854775809'] } })).toBe(false);
    expect(await smallest.finds({ visits: { $gt: '-9223372036854775809' } })).toBe(true);
    const largest = await restaurantWith({ visits: 9_223_372_036_854_775_807n });
    expect(await largest.finds({ visits: '9223372036854775808' })).toBe(false);
    expect(await largest.finds({ visits: { $lt: '9223372036854775808' } })).toBe(true);
  });

  it('finds no big integer by a number that no integer equals', async () => {
    const { finds } = await restaurantWith({ visits: 9_007_199_254_740_992n });
    expect(await finds({ visits: '9007199254740992.5' })).toBe(false);
    expect(await finds({ visits: { $in: ['9007199254740992.5'] } })).toBe(false);
    expect(await finds({ visits: { $lt: '9007199254740992.5' } })).toBe(true);
    expect(await finds({ visits: { $ne: '9007199254740992.5' } })).toBe(true);
  });

  it('finds nothing by an empty list, and never a null by the opposite of one', async () => {
    const { finds } = await restaurantWith({ slug: 'alba', stars: null });
    expect(await finds({ slug: { $in: [] } })).toBe(false);
    expect(await finds({ slug: { $notIn: [] } })).toBe(true);
    expect(await finds({ stars: { $in: [] } })).toBe(false);
    expect(await finds({ stars: { $notIn: [] } })).toBe(false);
    expect(await finds({ stars: { $ne: [] } })).toBe(false);
    expect(await finds({ $not: { stars: { $in: [] } } })).toBe(false);
    expect(await finds({ chef: { name: { $notIn: [] } } })).toBe(false);
  });
});
