// The guide's model as the naive evaluator knows it, and generated content for it.
import type { Cell, TableContents } from './database.ts';
import type * as naive from './naive.ts';
import { STEADY_ZONES, said } from './naive-dates.ts';
import { randomness } from './randomness.ts';
import { GIVEN_SEED } from './scale.ts';

const CONTENT_SEED = 20_240_229;
export const TIMEZONE = Object.keys(STEADY_ZONES)[Math.abs(GIVEN_SEED ?? 1) % Object.keys(STEADY_ZONES).length]!;

export const RESTAURANT = 'api::restaurant.restaurant';
export const CHEF = 'api::chef.chef';
export const COUNTRY = 'api::country.country';
export const CATEGORY = 'api::category.category';
export const DISH = 'api::dish.dish';
export const OWNER = 'api::owner.owner';
export const ARTICLE = 'api::article.article';
export const AUTHOR = 'api::author.author';
export const TAG = 'api::tag.tag';
export const BOOKMARK = 'api::bookmark.bookmark';
const FILE = 'plugin::upload.file';
const ADDRESS = 'location.address';
const SLOT = 'schedule.slot';
const SEO = 'shared.seo';
const QUOTE = 'blocks.quote';
const PICKS = 'blocks.picks';
const LINK = 'shared.link';

export const one = (to: string): naive.Relation => ({ to, many: false });
export const many = (to: string): naive.Relation => ({ to, many: true });
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

export const component = (
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

export const TYPES: Readonly<Record<string, naive.Type>> = {
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

export function links(
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

export const LINK_TABLES: readonly LinkTable[] = [
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

export const TEXTS = [
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
export const AROUND_NEW_YEAR = ['now/y', 'now/y-1d', 'now/y+1d', 'now/y-1s'];
export const SAID_DATES = ['now', 'now-2y', 'now-30M/M', 'now+1M/M-1d', 'now-6y/w', 'now-1000d/d', ...AROUND_NEW_YEAR];
export const DAYS = ['1899-12-31', '1999-12-31', '2020-02-29', '2020-03-01', NEW_YEAR.slice(0, 10)];
export const TIMES = ['00:00:00.000', '12:30:00.000', '22:30:00.500', '23:59:59.999'];
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

export const { world, tables } = generateContent(CONTENT_SEED);
