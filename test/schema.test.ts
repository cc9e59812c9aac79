// The layout of the database: a new one is laid out as Strapi 5 lays out the same project, an existing one gets
// what it lacks and nothing else, and one that cannot hold the content is told so and left alone.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, openDatabase } from '../src/app.ts';
import type { Database, Session } from '../src/db/database.ts';
import { applySchema, diffSchema, type SchemaDiff } from '../src/db/schema.ts';
import { SetupError } from '../src/errors.ts';
import { loadModel } from '../src/model/build.ts';
import { type Answered, GUIDE_PROJECT, type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, FIXTURE } from './support/database.ts';

interface Index {
  readonly columns: readonly string[];
  readonly unique: boolean;
}

interface Table {
  readonly columns: Readonly<
    Record<string, { readonly type: string; readonly required: boolean; readonly primary: boolean }>
  >;
  readonly indexes: Readonly<Record<string, Index>>;
  /** `column → table.column, on delete …`, sorted; one that is declared twice is one. */
  readonly foreignKeys: readonly string[];
}

type Layout = Readonly<Record<string, Table>>;

function withFile<T>(file: string, work: (connection: DatabaseSync) => T): T {
  const connection = new DatabaseSync(file);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

const tableNames = (connection: DatabaseSync): string[] =>
  (
    connection
      .prepare(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name`)
      .all() as { name: string }[]
  ).map(({ name }) => name);

/** Everything that SQLite itself says of its tables. */
const readLayout = (file: string): Layout =>
  withFile(file, (connection) => {
    const ask = (sql: string) => connection.prepare(sql).all() as Answered[];
    return Object.fromEntries(
      tableNames(connection).map((table): [string, Table] => {
        const columns = ask(`pragma table_info("${table}")`).map(({ name, type, notnull, pk }) => [
          name,
          { type: type.toLowerCase(), required: notnull === 1, primary: pk === 1 },
        ]);
        const indexes = ask(`pragma index_list("${table}")`)
          .filter(({ origin }) => origin === 'c')
          .map(({ name, unique }) => [
            name,
            { columns: ask(`pragma index_info("${name}")`).map((column) => column.name), unique: unique === 1 },
          ]);
        const foreignKeys = ask(`pragma foreign_key_list("${table}")`).map(
          (key) =>
            `${key.from} → ${key.table}.${key.to}, on delete ${key.on_delete.toLowerCase()}, on update ${key.on_update.toLowerCase()}`,
        );
        return [
          table,
          {
            columns: Object.fromEntries(columns),
            indexes: Object.fromEntries(indexes),
            foreignKeys: [...new Set(foreignKeys)].sort(),
          },
        ];
      }),
    );
  });

function rowsOf(connection: DatabaseSync, table: string): Record<string, unknown>[] {
  const statement = connection.prepare(`select * from "${table}" order by id`);
  statement.setReadBigInts(true);
  return statement.all() as Record<string, unknown>[];
}

/** All rows of all tables, but for the columns named `table.column` and the tables named. */
const readRows = (file: string, except: readonly string[] = []): Record<string, unknown[]> =>
  withFile(file, (connection) =>
    Object.fromEntries(
      tableNames(connection)
        .filter((table) => !except.includes(table) && !table.startsWith('sheaf_'))
        .map((table) => [
          table,
          rowsOf(connection, table).map((row) =>
            Object.fromEntries(
              Object.entries(row)
                .filter(([column]) => !except.includes(`${table}.${column}`))
                .sort(([a], [b]) => (a < b ? -1 : 1)),
            ),
          ),
        ]),
    ),
  );

const withoutOurs = (layout: Layout): Layout =>
  Object.fromEntries(
    Object.entries(layout)
      .filter(([table]) => !table.startsWith('sheaf_'))
      .map(([table, { indexes, ...rest }]) => [
        table,
        {
          ...rest,
          indexes: Object.fromEntries(Object.entries(indexes).filter(([name]) => !name.startsWith('sheaf_'))),
        },
      ]),
  );

async function diffOf(url: string, project: string): Promise<SchemaDiff> {
  const database = await openDatabase(url, 'create');
  try {
    return await diffSchema(database, loadModel(project));
  } finally {
    await database.close();
  }
}

describe('a new SQLite database of the guide', () => {
  const reference = readLayout(FIXTURE);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-layout-'));
  const file = path.join(folder, 'new.sqlite');
  let ours: Layout;
  beforeAll(async () => {
    await (await open({ project: GUIDE_PROJECT, database: `sqlite:${file}` })).close();
    ours = readLayout(file);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has every table of Strapi 5, and besides only tables named sheaf_…', () => {
    expect(Object.keys(withoutOurs(ours))).toEqual(Object.keys(reference));
    expect(Object.keys(reference).length).toBeGreaterThan(50);
  });

  it.each(Object.keys(reference))('lays out %s as Strapi 5 does: columns, indexes, foreign keys', (table) => {
    expect(withoutOurs(ours)[table]).toEqual(reference[table]);
  });

  it('adds to tables of Strapi 5 indexes named sheaf_… only', () => {
    for (const [table, { indexes }] of Object.entries(ours)) {
      const added = Object.keys(indexes).filter((name) => !(name in (reference[table]?.indexes ?? {})));
      expect(added.filter((name) => !name.startsWith('sheaf_'))).toEqual([]);
    }
  });

  it('reads every list of links from an index that holds its order, in both directions', () => {
    const links = Object.entries(ours).filter(([table]) => table.endsWith('_lnk'));
    expect(links.length).toBeGreaterThan(20);
    for (const [table, { columns, indexes }] of links) {
      const [from, to, ...orders] = Object.keys(columns).filter((column) => column !== 'id');
      const added = Object.entries(indexes)
        .filter(([name]) => name.startsWith('sheaf_'))
        .map(([, index]) => index.columns);
      const directions = [from, to].map((first) => added.find((index) => index[0] === first));
      for (const [index, other] of [to, from].entries()) expect(directions[index]?.at(-1), table).toBe(other);
      // Between the two ids stands the place in the list, where there is one.
      expect(directions.flatMap((index) => index!.slice(1, -1)).sort(), table).toEqual([...orders].sort());
    }
    expect(ours.restaurants_categories_lnk!.indexes).toMatchObject({
      sheaf_restaurants_categories_lnk_own_idx: {
        columns: ['restaurant_id', 'category_ord', 'category_id'],
        unique: false,
      },
      sheaf_restaurants_categories_lnk_inv_idx: {
        columns: ['category_id', 'restaurant_ord', 'restaurant_id'],
        unique: false,
      },
    });
  });

  it('counts ids up and never gives one twice, as Strapi 5 does', () => {
    const counting = (from: string) =>
      withFile(from, (connection) =>
        (
          connection
            .prepare(`select name from sqlite_master where type = 'table' and sql like '%autoincrement%' order by name`)
            .all() as { name: string }[]
        ).map(({ name }) => name),
      ).filter((name) => !name.startsWith('sheaf_'));
    expect(counting(file)).toEqual(counting(FIXTURE));
  });

  it('starts with the settings by which Strapi 5 knows it', () => {
    const rows = (from: string, sql: string) => withFile(from, (connection) => connection.prepare(sql).all());
    for (const sql of [
      'select name from strapi_migrations_internal order by name',
      'select name, type from up_roles order by type',
      `select value, type from strapi_core_store_settings where key = 'plugin_i18n_default_locale'`,
    ])
      expect(rows(file, sql), sql).toEqual(rows(FIXTURE, sql));
    expect(rows(file, 'select code from i18n_locale order by id')).toEqual([
      { code: 'en' },
      { code: 'fr' },
      { code: 'de' },
    ]);
  });

  it('is sound', () => {
    withFile(file, (connection) => {
      expect(connection.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
      expect(connection.prepare('pragma foreign_key_check').all()).toEqual([]);
    });
  });
});

describe('an existing SQLite database', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-layout-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  let copies = 0;
  const copy = (change = ''): string => {
    const file = path.join(folder, `${copies++}.sqlite`);
    copyFileSync(FIXTURE, file);
    withFile(file, (connection) => connection.exec(change));
    return file;
  };
  async function opened(file: string, project = GUIDE_PROJECT): Promise<void> {
    await (await open({ project, database: `sqlite:${file}` })).close();
  }

  it('gets only tables and indexes of ours when it is complete, and keeps every row', async () => {
    const file = copy();
    const rows = readRows(file);
    await opened(file);
    expect(withoutOurs(readLayout(file))).toEqual(readLayout(FIXTURE));
    expect(readRows(file)).toEqual(rows);
  });

  it('gets back what it lacks, and keeps every row of everything else', async () => {
    const file = copy(`
      drop table bookmarks_tags_lnk;
      drop table components_blocks_picks_restaurants_lnk;
      alter table chefs drop column age;
      alter table restaurants drop column "open";
      drop index articles_documents_idx;
      drop index restaurants_categories_lnk_uq;
    `);
    const dropped = ['bookmarks_tags_lnk', 'components_blocks_picks_restaurants_lnk', 'chefs.age', 'restaurants.open'];
    const rows = readRows(file, dropped);
    const { steps } = await diffOf(`sqlite:${file}`, GUIDE_PROJECT);
    const texts = steps.map(({ text }) => text).filter((text) => !text.includes('sheaf_'));
    for (const part of [
      'create table bookmarks_tags_lnk',
      'create table components_blocks_picks_restaurants_lnk',
      'add column chefs.age',
      'add column restaurants.open',
      'create index articles_documents_idx on articles (document_id, locale, published_at)',
      'create unique index restaurants_categories_lnk_uq on restaurants_categories_lnk (restaurant_id, category_id)',
    ])
      expect(
        texts.filter((text) => text.startsWith(part)),
        part,
      ).toHaveLength(1);
    await opened(file);
    expect(withoutOurs(readLayout(file))).toEqual(readLayout(FIXTURE));
    expect(readRows(file, dropped)).toEqual(rows);
    withFile(file, (connection) => {
      expect(connection.prepare('select count(*) as n from bookmarks_tags_lnk').get()).toEqual({ n: 0 });
      expect(connection.prepare('select distinct age from chefs').all()).toEqual([{ age: null }]);
    });
  });

  it('whose links lead to rows that are gone is cloned and published without these links', async () => {
    const file = copy(`
      pragma foreign_keys = off;
      delete from restaurants where name = 'isola';
      delete from authors where name = 'Jon';
      delete from categories where name = 'Pizza';
    `);
    const sheaf = await open({ project: GUIDE_PROJECT, database: `sqlite:${file}` });
    const namesOf = (entries: unknown) => (entries as Answered[]).map(({ name }) => name);
    const [articles, restaurants] = [
      sheaf.documents('api::article.article'),
      sheaf.documents('api::restaurant.restaurant'),
    ];
    const filters = { title: 'Truffle season' };
    const [article] = await articles.findMany({ status: 'draft', filters });
    const { documentId } = article!;
    const populate = ['authors', 'restaurants'];
    const query = { documentId, populate };
    const copied = await articles.clone(query);
    expect([namesOf(copied!.authors), namesOf(copied!.restaurants)]).toEqual([['Inès'], ['Alba']]);
    await articles.unpublish({ documentId });
    await articles.publish({ documentId });
    const [published] = await articles.findMany({ status: 'published', filters, populate });
    expect([namesOf(published!.authors), namesOf(published!.restaurants)]).toEqual([['Inès'], ['Alba']]);
    const [alba] = await restaurants.findMany({ filters: { name: 'Alba' } });
    const clone = { documentId: alba!.documentId, data: { slug: 'alba-2' }, populate: 'categories' };
    expect(namesOf((await restaurants.clone(clone))!.categories)).toEqual(['Fine dining']);
    await sheaf.close();
  });

  it('whose JSON is kept as bytes is read as the text that they are', async () => {
    const file = copy(`
      update restaurants set meta = cast('{' || char(10) || '  "seats": 7' || char(10) || '}' as blob) where name = 'Alba';
      update restaurants set meta = x'c3a9' where name = 'Dōjō';
    `);
    const sheaf = await open({ project: GUIDE_PROJECT, database: `sqlite:${file}` });
    const restaurants = sheaf.documents('api::restaurant.restaurant');
    const found = await restaurants.findMany({ filters: { name: ['Alba', 'Dōjō', 'Jardin'] }, sort: 'id' });
    expect(found.map(({ meta }) => meta)).toEqual([{ seats: 7 }, 'é', null]);
    expect(await restaurants.count({ filters: { meta: { $eq: '{"seats":7}' } } })).toBe(1);
    await sheaf.close();
  });

  it('keeps what the content model does not know', async () => {
    const file = copy(`
      create table notes (id integer primary key, text text);
      insert into notes values (1, 'kept');
      alter table chefs add column nickname varchar(255);
      update chefs set nickname = 'Chef ' || id;
      create index chefs_nickname on chefs (nickname);
    `);
    const [rows, layout] = [readRows(file), readLayout(file)];
    await opened(file);
    expect(readRows(file)).toEqual(rows);
    expect(withoutOurs(readLayout(file))).toEqual(layout);
  });

  it('is not changed by a second start', async () => {
    const file = copy();
    await opened(file);
    const [rows, layout] = [readRows(file), readLayout(file)];
    expect(await diffOf(`sqlite:${file}`, GUIDE_PROJECT)).toMatchObject({
      steps: [],
      incompatibleColumns: [],
      isNew: false,
    });
    await opened(file);
    expect(readRows(file)).toEqual(rows);
    expect(readLayout(file)).toEqual(layout);
  });

  it.each([
    ['chefs', 'age', 'text', 'api::chef.chef'],
    ['chefs', 'name', 'integer', 'api::chef.chef'],
    ['restaurants', 'meta', 'integer', 'api::restaurant.restaurant'],
    ['restaurants', 'opened_on', 'float', 'api::restaurant.restaurant'],
    ['restaurants', 'inspected_at', 'varchar(255)', 'api::restaurant.restaurant'],
    ['restaurants', 'visits', 'varchar(255)', 'api::restaurant.restaurant'],
    ['restaurants', 'rating', 'json', 'api::restaurant.restaurant'],
    ['restaurants', '"open"', 'text', 'api::restaurant.restaurant'],
    ['components_schedule_slots', 'opens', 'integer', 'schedule.slot'],
  ])(
    'whose column %s.%s is %s is refused by name, with the way out, and left alone',
    async (table, column, type, source) => {
      const file = copy(`
      alter table ${table} drop column ${column};
      alter table ${table} add column ${column} ${type};
      drop index articles_documents_idx;
    `);
      const [rows, layout] = [readRows(file), readLayout(file)];
      const opening = opened(file);
      await expect(opening).rejects.toThrow(SetupError);
      const name = `${table}.${column.replaceAll('"', '')}`;
      await expect(opening).rejects.toMatchObject({
        problems: [
          expect.stringMatching(
            new RegExp(
              `${source}.*${name.replace('.', '\\.')} is ${type.replace(/[()]/g, '\\$&')}.*another name.*by hand`,
            ),
          ),
        ],
      });
      expect(readRows(file)).toEqual(rows);
      expect(readLayout(file)).toEqual(layout);
    },
  );

  it('tells all columns that do not fit at once', async () => {
    const file = copy(`
      alter table chefs drop column age;
      alter table chefs add column age text;
      alter table restaurants drop column meta;
      alter table restaurants add column meta integer;
    `);
    const problems = await opened(file).catch((error: SetupError) => error.problems);
    expect(problems).toHaveLength(2);
  });

  it.each([
    ['restaurants', 'meta', 'text'],
    ['restaurants', 'rating', 'numeric(10,2)'],
    ['restaurants', 'rating', 'real'],
    ['restaurants', 'stars', 'bigint'],
    ['restaurants', '"open"', 'integer'],
    ['restaurants', 'inspected_at', 'integer'],
    ['restaurants', 'name', 'text'],
    ['restaurants', 'description', 'varchar(10)'],
  ])('whose column %s.%s is %s fits, as it holds the same values', async (table, column, type) => {
    const file = copy(`alter table ${table} drop column ${column}; alter table ${table} add column ${column} ${type};`);
    await expect(opened(file)).resolves.toBeUndefined();
  });
});

/** A project before and after it grew. */
const SMALL: Project = {
  types: {
    target: { attributes: { name: { type: 'string' } } },
    owner: { attributes: { name: { type: 'string' } } },
  },
};
const GROWN: Project = {
  types: {
    target: { attributes: { name: { type: 'string' } } },
    owner: {
      attributes: {
        name: { type: 'string' },
        size: { type: 'integer' },
        column: relation('manyToOne', 'target', { useJoinTable: false }),
        links: relation('manyToMany', 'target'),
        any: { type: 'relation', relation: 'morphToMany' },
        part: { type: 'component', component: 'kit.part' },
      },
    },
    extra: { attributes: { name: { type: 'string' } } },
  },
  components: { 'kit.part': { name: { type: 'string' } } },
};

const LONG = 'a-content-type-whose-name-is-far-longer-than-any-database-would-like';
const LONG_NAMES: Project = {
  types: {
    [LONG]: {
      attributes: {
        anAttributeWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: { type: 'string' },
        anAttributeWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBeToo: { type: 'string' },
        aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: relation('manyToMany', LONG),
        aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBeToo: relation('manyToOne', LONG, {
          useJoinTable: false,
        }),
        aListWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: { type: 'relation', relation: 'morphToMany' },
        aComponentWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeIt: {
          type: 'component',
          component: 'category.a-component-whose-name-is-far-longer-than-any-database-would-like',
        },
      },
    },
  },
  components: {
    'category.a-component-whose-name-is-far-longer-than-any-database-would-like': {
      name: { type: 'string' },
      aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: relation('oneToMany', LONG),
    },
  },
};

describeOnEveryDatabase('the layout of a project', (engine) => {
  const contents = useContents(engine);

  it('is complete after the first start, so that the second makes nothing', async () => {
    for (const project of [GUIDE_PROJECT, contents.project(GROWN), contents.project(LONG_NAMES)]) {
      const url = engine.freshDatabaseUrl();
      const first = await diffOf(url, project);
      expect(first).toMatchObject({ isNew: true, incompatibleColumns: [] });
      await (await contents.open(project, url)).close();
      expect(await diffOf(url, project)).toMatchObject({ steps: [], incompatibleColumns: [], isNew: false });
    }
  });

  it('tells how to repair pairs that stand twice in a link table without its unique index', async () => {
    const project = contents.project({
      types: { ant: { attributes: { title: { type: 'string' }, friends: relation('manyToMany', 'ant') } } },
    });
    const url = engine.freshDatabaseUrl();
    const sheaf = await open({ project, database: url });
    const ant = await sheaf.documents('api::ant.ant').create({ data: { title: 'a' } });
    const run = async (database: Database, ...statements: string[]) => {
      for (const sql of statements) await database.transaction((session) => session.rows({ sql, bindings: [] }, []));
    };
    const link = `insert into ants_friends_lnk (ant_id, inv_ant_id, ant_ord) values (${ant.id}, ${ant.id}, 1)`;
    const loose = 'insert into ants_friends_lnk (ant_id, inv_ant_id) values (null, null)';
    await run(sheaf.database, 'drop index ants_friends_lnk_uq', link, link, loose, loose);
    await sheaf.close();
    const refusal = await open({ project, database: url }).catch((error: SetupError) => error);
    if (!(refusal instanceof SetupError)) throw new Error('it was opened');
    expect(refusal.problems).toEqual([
      expect.stringMatching(/^ants_friends_lnk holds 1 of its \(ant_id, inv_ant_id\) more than once; after a backup, /),
    ]);
    const database = await openDatabase(url, 'create');
    await run(database, refusal.problems[0]!.split('of each: ')[1]!);
    await database.close();
    const repaired = await open({ project, database: url });
    const [found] = await repaired.documents('api::ant.ant').findMany({ populate: 'friends' });
    expect(found!.friends).toHaveLength(1);
    expect(await diffOf(url, project)).toMatchObject({ steps: [] });
    await repaired.close();
  });

  it('follows a project that grows, and content stays and can be written further', async () => {
    const url = engine.freshDatabaseUrl();
    const small = await contents.open(SMALL, url);
    const target = await small.make('targets', { name: 't' });
    const owner = await small.make('owners', { name: 'o' });
    await small.close();
    const grown = await contents.open(GROWN, url);
    expect((await grown.entry('GET', `owners/${owner}`)).name).toBe('o');
    const changed = await grown.entry('PUT', `owners/${owner}?populate=*`, {
      size: 3,
      column: target,
      links: [target],
      any: [{ documentId: target, __type: 'api::target.target' }],
      part: { name: 'p' },
    });
    expect(changed).toMatchObject({
      name: 'o',
      size: 3,
      column: { name: 't' },
      links: [{ name: 't' }],
      any: [{ name: 't', __type: 'api::target.target' }],
      part: { name: 'p' },
    });
    await grown.close();
  });

  it('lets go of a row that is deleted, also in a column that came later', async () => {
    const url = engine.freshDatabaseUrl();
    await (await contents.open(SMALL, url)).close();
    const grown = await contents.open(GROWN, url);
    const target = await grown.make('targets', { name: 't' });
    await grown.make('owners', { name: 'o', column: target });
    await grown.delete(`targets/${target}`);
    expect(await grown.rows('select name, column_id from owners')).toEqual([['o', null]]);
    await grown.close();
  });

  it('is that of a new database where there are only tables of others', async () => {
    const url = engine.freshDatabaseUrl();
    const database = await openDatabase(url, 'create');
    await database.transaction((session) =>
      session.rows({ sql: 'create table somebody_elses (id integer)', bindings: [] }, []),
    );
    await database.close();
    const content = await contents.open(GUIDE_PROJECT, url);
    expect(await content.number('select count(*) from up_roles')).toBe(2);
    expect((await content.post('tags?locale=fr', { label: 'un' })).status).toBe(201);
    await content.close();
  });

  it('is made by statements of which none waits for the one before', async () => {
    const database = await openDatabase(engine.freshDatabaseUrl(), 'create');
    const { transaction } = database;
    let [underWay, most] = [0, 0];
    database.transaction = (work, options) => {
      const counted = (session: Session): Session => ({
        rows: (statement, values) => {
          most = Math.max(most, ++underWay);
          return session.rows(statement, values).finally(() => underWay--);
        },
      });
      return transaction.call(database, (session) => work(counted(session)), options) as never;
    };
    const model = loadModel(contents.project(SMALL));
    const { steps } = await applySchema(database, model, null);
    await database.close();
    expect(most).toBe(steps.length);
  });

  it('starts over an empty table as over a full one: nothing is made twice', async () => {
    const url = engine.freshDatabaseUrl();
    await (await contents.open(SMALL, url)).close();
    const again = await contents.open(SMALL, url);
    expect(await again.number('select count(*) from up_roles')).toBe(2);
    expect(await again.number('select count(*) from i18n_locale')).toBe(1);
    await again.close();
  });

  it('keeps long names apart, within what every database allows', async () => {
    const content = await contents.open(LONG_NAMES);
    const names: string[] = [];
    for (const [table, { columns, indexes }] of await content.sheaf.database.describe())
      names.push(table, ...columns.keys(), ...indexes);
    for (const name of names) expect(name.length, name).toBeLessThanOrEqual(63);
    const first = await content.make(`${LONG}s`, {
      anAttributeWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: 'a',
    });
    const second = await content.entry(
      'POST',
      `${LONG}s?populate[aComponentWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeIt][populate]=*&populate[aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe]=true&populate[aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBeToo]=true&populate[aListWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe]=true`,
      {
        anAttributeWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: 'b',
        anAttributeWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBeToo: 'c',
        aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: [first],
        aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBeToo: first,
        aListWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: [
          { documentId: first, __type: `api::${LONG}.${LONG}` },
        ],
        aComponentWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeIt: {
          name: 'p',
          aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: [first],
        },
      },
    );
    const linked = { documentId: first, anAttributeWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: 'a' };
    expect(second).toMatchObject({
      anAttributeWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: 'b',
      anAttributeWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBeToo: 'c',
      aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: [linked],
      aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBeToo: linked,
      aListWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: [linked],
      aComponentWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeIt: {
        name: 'p',
        aRelationWhoseNameIsFarLongerThanAnyDatabaseWouldEverLikeItToBe: [linked],
      },
    });
  });
});
