// What only PostgreSQL has: the layout that Strapi 5 makes there, schemas, nodes that share a database, writers
// that meet, and a database that Strapi 5 made. SHEAF_TEST_SCALE gives more writes to the writers.
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { StaleCallerError } from '../src/db/database.ts';
import { openPostgres } from '../src/db/postgres.ts';
import { MAX_SHARED_READS } from '../src/db/shared-connections.ts';
import type { SetupError } from '../src/errors.ts';
import { MAX_PREPARED_CHARACTERS, MAX_PREPARED_LENGTH } from '../src/limits.ts';
import { plainStatement, type Statement } from '../src/sql/statement.ts';
import { openDatabaseToAll } from './support/access.ts';
import { guideKeys, READ_FILES, Replay, stepsOf } from './support/conformance.ts';
import {
  type Answered,
  type Attributes,
  type Content,
  type Project,
  relation,
  useContents,
} from './support/content.ts';
import { describeOnPostgres, FIXTURE, GUIDE } from './support/database.ts';
import { violations } from './support/invariants.ts';
import { type ServerNode, useNodes } from './support/nodes.ts';
import { withClient } from './support/postgres-client.ts';
import { fillTables, readSqlite } from './support/postgres-content.ts';
import { scaled } from './support/scale.ts';
import { waitingFor } from './support/waiting.ts';

// ---------------------------------------------------------------------------------------------------- the layout

interface Layout {
  /** Type and nullability by `table.column`. */
  readonly columns: Readonly<Record<string, string>>;
  /** Definitions by name. */
  readonly indexes: Readonly<Record<string, string>>;
  /** Definitions by table and name. */
  readonly foreignKeys: Readonly<Record<string, string>>;
}

/** What Strapi 5 makes of the guide, as it was written down. */
function recordedLayout(): Layout {
  const text = readFileSync(fileURLToPath(new URL('./fixtures/guide.postgres.txt', import.meta.url)), 'utf8');
  const [, columns, indexes, foreignKeys] = text
    .split(/^## .*$/m)
    .map((part) => part.split('\n').filter((line) => line.trim() !== ''));
  const cells = (line: string): string[] => line.split('|').map((cell) => cell.trim());
  return {
    columns: Object.fromEntries(
      columns!.map(cells).map(([table, column, type, nullable]) => [`${table}.${column}`, `${type} ${nullable}`]),
    ),
    indexes: Object.fromEntries(indexes!.map((line) => [/INDEX (\S+) ON/.exec(line)![1], line])),
    foreignKeys: Object.fromEntries(
      foreignKeys!.map(cells).map(([table, name, definition]) => [`${table}.${name}`, definition!]),
    ),
  };
}

async function layoutOf(url: string, schema = 'public'): Promise<Layout> {
  return withClient(url, async (client) => {
    const pairs = async (text: string) =>
      Object.fromEntries(
        (await client.query<[string, string]>({ text, values: [schema], rowMode: 'array' })).rows,
      ) as Record<string, string>;
    const indexes = await pairs(
      `select indexname, replace(indexdef, ' ON ' || quote_ident(schemaname) || '.', ' ON ') from pg_indexes where schemaname = $1`,
    );
    await client.query(`select set_config('search_path', quote_ident($1), false)`, [schema]);
    return {
      columns: await pairs(`
        select c.relname || '.' || a.attname,
          format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else ' null' end
        from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = quote_ident($1)::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`),
      indexes,
      foreignKeys: await pairs(`
        select conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
        from pg_constraint where connamespace = quote_ident($1)::regnamespace and contype = 'f'`),
    };
  });
}

/** Sheaf's own tables and indexes beside those of Strapi 5. */
const isOwn = (name: string): boolean => name.startsWith('sheaf_');

const withoutOwn = (named: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(named).filter(([name]) => !isOwn(name)));

/** A timestamp keeps six digits whether it says so or not. */
const sameType = (type: string): string => type.replace('timestamp without', 'timestamp(6) without');
const typesOf = (columns: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, sameType(type)]));

describe('A PostgreSQL server that accepts connections and says nothing', () => {
  const held = new Set<Socket>();
  const silent = createServer((socket) => {
    held.add(socket.on('error', () => undefined));
  });
  beforeAll(() => new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve)));
  afterAll(() => {
    for (const socket of held) socket.destroy();
    silent.close();
  });
  const openIn = (seconds: string) =>
    openPostgres(
      `postgres://me:secret@127.0.0.1:${(silent.address() as AddressInfo).port}/x?connect_timeout=${seconds}`,
    ).then(
      () => 'opened',
      (error: SetupError) => `${seconds} s: ${error.message}`,
    );

  it('is given up after connect_timeout, which is in seconds', async () => {
    const long = openIn('600');
    expect(await Promise.race([openIn('1'), long])).toMatch(/^1 s: The database cannot be opened: .*timeout/);
    for (const socket of held) socket.destroy();
    expect(await long).toMatch(/^600 s: The database cannot be opened/);
  });

  it.each(['0', '1.5', 'soon', ''])('is not asked with connect_timeout=%s', async (seconds) => {
    const said = await openIn(seconds);
    expect(said).toContain('connect_timeout must be a whole number of seconds');
    expect(said).not.toContain('secret');
  });
});

describeOnPostgres('A PostgreSQL server that answers', (engine) => {
  const problemOf = async (change: (url: URL) => void): Promise<string> => {
    const url = new URL(engine.freshDatabaseUrl());
    change(url);
    return openPostgres(url.toString()).then(
      () => 'opened',
      (error: SetupError) => error.problems.join(),
    );
  };

  it('is not said to be missing where the database is', async () => {
    const problem = await problemOf((url) => {
      url.pathname = '/no_such_database';
    });
    expect(problem).toMatch(/^the server answers; create the database/);
  });

  it('is not said to be missing where it does not know the user', async () => {
    const problem = await problemOf((url) => {
      url.username = 'nobody_there';
    });
    expect(problem).toMatch(/^the server answers; expected a user/);
  });
});

describeOnPostgres('A new PostgreSQL database', (engine) => {
  let made: Layout;
  beforeAll(async () => {
    const url = engine.freshDatabaseUrl();
    await (await open({ project: GUIDE, database: url })).close();
    made = await layoutOf(url);
  });
  const recorded = recordedLayout();

  it('has the columns that Strapi 5 makes, with decimals that keep every digit', () => {
    const exact = Object.entries(typesOf(recorded.columns)).map(([name, type]) => [
      name,
      type.replace('numeric(10,2)', 'numeric'),
    ]);
    expect(withoutOwn(typesOf(made.columns))).toEqual(Object.fromEntries(exact));
    expect(exact.filter(([, type]) => type!.startsWith('numeric'))).toHaveLength(3);
  });

  it('has the indexes that Strapi 5 makes', () => {
    expect(withoutOwn(made.indexes)).toEqual(recorded.indexes);
  });

  it('has the foreign keys that Strapi 5 makes', () => {
    expect(withoutOwn(made.foreignKeys)).toEqual(recorded.foreignKeys);
  });
});

// ------------------------------------------------------------------------------------------------------- schemas

/** The URL with the name of a schema. */
function inSchema(url: string, name: string): string {
  const named = new URL(url);
  named.searchParams.set('schema', name);
  return named.href;
}

describeOnPostgres('A schema other than public', (engine) => {
  const contents = useContents(engine);

  it.each(['content', 'Mixed-Case', 'two words', `it's "quoted"`])('is made and holds everything: %s', async (name) => {
    const url = engine.freshDatabaseUrl();
    const content = await contents.open(GUIDE, inSchema(url, name));
    await content.make('countries', { name: 'France', code: 'FR' });
    expect((await content.get('countries?filters[code]=FR')).body.data).toHaveLength(1);
    const made = await layoutOf(url, name);
    expect(Object.keys(withoutOwn(made.columns)).sort()).toEqual(Object.keys(recordedLayout().columns).sort());
    expect(Object.keys((await layoutOf(url)).columns)).toEqual([]);
  });

  it('is used by an account that may not create one, where it exists', async () => {
    const url = new URL(engine.freshDatabaseUrl());
    const name = `owner_${Date.now()}`;
    await withClient(url.href, async (client) => {
      await client.query(`create role ${name} login password '${name}'`);
      await client.query(`create schema content authorization ${name}`);
    });
    const own = new URL(url);
    own.username = name;
    own.password = name;
    const content = await contents.open(GUIDE, inSchema(own.href, 'content'));
    expect((await content.get('countries')).body.data).toEqual([]);
    await content.close();
    const lacksRight = /^The account of the database lacks a right: permission denied for .*\n {2}- grant it/;
    await expect(contents.open(GUIDE, inSchema(own.href, 'other'))).rejects.toThrow(lacksRight);
    // Neither what another account has made.
    await (await contents.open(GUIDE, url.href)).close();
    await expect(contents.open(GUIDE, own.href)).rejects.toThrow(lacksRight);
    await withClient(url.href, async (client) => {
      await client.query(`drop owned by ${name} cascade`);
      await client.query(`drop role ${name}`);
    });
  });

  it('is apart from others of the same database, and is found again', async () => {
    const url = engine.freshDatabaseUrl();
    const [one, other] = [
      await contents.open(GUIDE, inSchema(url, 'one')),
      await contents.open(GUIDE, inSchema(url, 'other')),
    ];
    await one.make('countries', { name: 'Italy', code: 'IT' });
    expect((await other.get('countries')).body.data).toEqual([]);
    await one.close();
    const again = await contents.open(GUIDE, inSchema(url, 'one'));
    expect((await again.get('countries')).body.data).toMatchObject([{ code: 'IT' }]);
  });
});

// -------------------------------------------------------------------------------- a database that Strapi 5 made

const quoted = (name: string): string => `"${name}"`;

/** Makes the tables, indexes and foreign keys of the recorded layout, and fills them with the guide. */
async function makeAsReference(client: pg.Client): Promise<void> {
  const { columns, indexes, foreignKeys } = recordedLayout();
  const tables = new Map<string, string[]>();
  for (const [place, type] of Object.entries(columns)) {
    const [table, column] = place.split('.') as [string, string];
    if (!tables.has(table)) tables.set(table, []);
    tables.get(table)!.push(`${quoted(column)} ${column === 'id' ? 'serial primary key' : type}`);
  }
  for (const [table, lines] of tables) await client.query(`create table ${quoted(table)} (${lines.join(', ')})`);
  for (const [name, definition] of Object.entries(indexes)) if (!name.endsWith('_pkey')) await client.query(definition);
  for (const [place, definition] of Object.entries(foreignKeys)) {
    const [table, name] = place.split('.') as [string, string];
    await client.query(`alter table ${quoted(table)} add constraint ${quoted(name)} ${definition}`);
  }
  await fillTables(client, readSqlite(FIXTURE));
}

describeOnPostgres('A PostgreSQL database that Strapi 5 made', (engine) => {
  const contents = useContents(engine);
  let url: string;
  let before: Layout;
  let content: Content;
  beforeAll(async () => {
    url = engine.freshDatabaseUrl();
    await withClient(url, makeAsReference);
    before = await layoutOf(url);
    content = await contents.open(GUIDE, url);
  });

  it('is as recorded before it is opened', () => {
    expect(before).toEqual(recordedLayout());
  });

  it('gains what Sheaf needs, and keeps everything else as it is', async () => {
    const after = await layoutOf(url);
    for (const part of ['columns', 'indexes', 'foreignKeys'] as const)
      expect(withoutOwn(after[part])).toEqual(before[part]);
  });

  it('answers every recorded read', async () => {
    const replay = new Replay(content.sheaf, guideKeys());
    for (const { cases } of READ_FILES)
      for (const one of cases)
        for (const step of stepsOf(one)) {
          const { status } = await replay.send(step);
          expect(status, `${one.name}: ${step.path}`).toBe(step.expect.status);
        }
  });

  it('takes new entries after the ones it has', async () => {
    const largest = await content.number('select max(id) from dishes');
    expect((await content.entry('POST', 'dishes', { name: 'Ramen', price: 12.5 })).id).toBe(largest + 1);
  });

  it('keeps a decimal with two digits, and refuses one that it would round or could not hold', async () => {
    for (const price of [12.34, 0.1, 5, 0, 99_999_999.99])
      expect((await content.entry('POST', 'dishes', { name: 'Ramen', price })).price).toBe(price);
    const count = await content.number('select count(*) from dishes');
    for (const price of [1.239, 0.001, 12.345, 100_000_000, 1e300]) {
      const answer = await content.post('dishes', { name: 'Ramen', price });
      expect(answer.status, `${price}: ${JSON.stringify(answer.body)}`).toBe(400);
      expect(answer.body.error.details.errors).toMatchObject([{ path: ['price'] }]);
    }
    expect(await content.number('select count(*) from dishes')).toBe(count);
  });
});

// ------------------------------------------------------------------------------------------------------------ plans

describeOnPostgres('The plan of a read', (engine) => {
  /** PostgreSQL tries the values given to a statement five times before it trusts a plan without them. */
  const TIMES = 12;

  it('is made once, not for every page', async () => {
    const sheaf = await open({ project: GUIDE, database: engine.emptyGuideDatabaseUrl(), poolSize: 1 });
    const restaurants = sheaf.documents('api::restaurant.restaurant');
    await sheaf.database.transaction(async (session) => {
      const insert = `insert into restaurants (document_id, name, stars) select 'd' || n, 'r' || n, n % 5 from generate_series(1, 10000) as n`;
      for (const sql of [insert, 'analyze restaurants']) await session.rows({ sql, bindings: [] }, []);
    });
    for (let page = 1; page <= TIMES; page++) {
      expect(await restaurants.findOne({ documentId: `d${page}` })).toMatchObject({ name: `r${page}` });
      expect(await restaurants.findMany({ pagination: { page } })).toHaveLength(25);
      expect(await restaurants.findMany({ populate: ['chef', 'categories'], pagination: { page } })).toHaveLength(25);
      expect(
        await restaurants.findMany({ filters: { stars: page % 5 }, sort: 'name', pagination: { limit: 25 } }),
      ).toHaveLength(25);
    }
    const plans = await sheaf.database.snapshot((session) =>
      session.rows(
        {
          sql: `select statement, generic_plans::int4, custom_plans::int4 from pg_prepared_statements where statement like '%"t0"%' and statement not like '%pg_prepared%'`,
          bindings: [],
        },
        [],
      ),
    );
    await sheaf.close();
    expect(plans).toHaveLength(4);
    for (const [statement, generic, custom] of plans)
      expect([statement, generic, custom]).toEqual([statement, TIMES - 1 - 5, 5]);
  });
});

describeOnPostgres('A connection', (engine) => {
  it('prepares what is asked again once, and is replaced before it has prepared too much', async () => {
    const sheaf = await open({ project: GUIDE, database: engine.emptyGuideDatabaseUrl(), poolSize: 1 });
    const { database } = sheaf;
    const tags = sheaf.documents('api::tag.tag');
    const send = (statement: Statement) => database.snapshot((session) => session.rows(statement, []));
    const rows = (sql: string) => send({ sql, bindings: [] });
    const twice = async (sql: string): Promise<void> => {
      const statement = { sql, bindings: [] };
      await send(statement);
      await send(statement);
    };
    const state = async () => {
      const [row] = await rows('select pg_backend_pid(), count(*)::int4 from pg_prepared_statements');
      return { process: row![0], statements: Number(row![1]) };
    };
    const work = async (label: string): Promise<void> => {
      const { documentId } = await tags.create({ data: { label } });
      await tags.update({ documentId, data: { label: `${label}!` } });
      await tags.findMany({ filters: { label: { $contains: label } } });
      await tags.delete({ documentId });
    };
    await work('first');
    await work('second');
    // Statements are short; to compile them would take longer.
    expect(await rows('show jit')).toEqual([['off']]);
    expect(await rows('show max_parallel_workers_per_gather')).toEqual([['0']]);
    const ofHeavy = await database.snapshot(
      (session) =>
        session.rows(
          {
            sql: `select setting = reset_val from pg_settings where name = 'max_parallel_workers_per_gather'`,
            bindings: [],
          },
          [],
        ),
      { isHeavy: true },
    );
    expect(ofHeavy).toEqual([[true]]);
    const before = await state();
    for (let index = 0; index < 10; index++) await work(`again ${index}`);
    const after = await state();
    expect(after).toEqual(before);
    expect(before.statements).toBeGreaterThan(5);
    // Too long to be kept, and so of no weight.
    const long = (index: number) => `select ${index} /* ${'x'.repeat(MAX_PREPARED_LENGTH)} */`;
    for (let sent = 0; sent < 2 * MAX_PREPARED_CHARACTERS; sent += MAX_PREPARED_LENGTH) await twice(long(sent));
    expect(await state()).toEqual(before);
    const short = (index: number) => `select ${index} /* ${'x'.repeat(MAX_PREPARED_LENGTH / 2)} */`;
    // What comes once is not kept either.
    for (let sent = 0; sent < 2 * MAX_PREPARED_CHARACTERS; sent += MAX_PREPARED_LENGTH / 2) await rows(short(sent));
    expect(await state()).toEqual(before);
    for (let sent = 0; sent < MAX_PREPARED_CHARACTERS; sent += MAX_PREPARED_LENGTH / 2) await twice(short(sent));
    const replaced = await state();
    expect(replaced.process).not.toBe(before.process);
    expect(replaced.statements).toBeLessThan(before.statements + 10);
    await sheaf.close();
  });
});

// --------------------------------------------------------------------------------------- nodes that share a database

const NODES = 2;

describeOnPostgres('Nodes that start at once on an empty database', (engine) => {
  const startNode = useNodes();

  it('agree on who makes it, and then serve the same content', async () => {
    const url = engine.freshDatabaseUrl();
    const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(url)));
    await withClient(url, async (client) => {
      const counted = async (sql: string) => (await client.query({ text: sql, rowMode: 'array' })).rows;
      expect(await counted('select type, count(*)::int from up_roles group by 1 order by 1')).toEqual([
        ['authenticated', 1],
        ['public', 1],
      ]);
      expect(await counted('select code from i18n_locale order by id')).toEqual([['en'], ['fr'], ['de']]);
      expect(await counted('select name from strapi_migrations_internal group by name having count(*) > 1')).toEqual(
        [],
      );
    });
    await openDatabaseToAll(url);
    for (const [index, { address }] of nodes.entries())
      expect(
        (await request(address, 'POST', 'countries', { data: { name: `Land ${index}`, code: `L${'ABCD'[index]}` } }))
          .status,
      ).toBe(201);
    for (const { address } of nodes)
      expect((await request(address, 'GET', 'countries')).body.meta.pagination.total).toBe(NODES);
    expect(await Promise.all(nodes.map((node) => node.stop()))).toEqual(nodes.map(() => 0));
  });

  it('agree within one process as well', async () => {
    const database = engine.freshDatabaseUrl();
    const opened = await Promise.all(Array.from({ length: 4 }, () => open({ project: GUIDE, database })));
    expect(await Promise.all(opened.map(async (sheaf) => (await sheaf.locales()).length))).toEqual([3, 3, 3, 3]);
    for (const sheaf of opened) await sheaf.close();
  });
});

interface Reply {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: Answered;
}

async function request(address: string, method: string, path: string, body?: unknown): Promise<Reply> {
  const answer = await fetch(`${address}/api/${path}`, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    body: text === '' ? null : JSON.parse(text),
  };
}

// ------------------------------------------------------------------------------------------------ writers that meet

describeOnPostgres('Statements that are sent together', (engine) => {
  const contents = useContents(engine);

  it('fail for the reason of the first that failed, not because of it', async () => {
    const { sheaf } = await contents.open({ types: { note: { attributes: { title: { type: 'string' } } } } });
    const [fails, follows] = [plainStatement('select 1 / 0'), plainStatement('select 1')];
    const work = sheaf.database.transaction(async (session) => {
      const first = async () => {
        await session.rows(fails, []);
      };
      await Promise.all([first(), session.rows(follows, [])]);
    });
    await expect(work).rejects.toMatchObject({ code: '22012' });
  });

  it('take effect only within the transaction that they belong to', async () => {
    const { sheaf } = await contents.open({ types: { note: { attributes: { title: { type: 'string' } } } } });
    const insert = plainStatement(`insert into notes (document_id, title) values ('a', 'x')`);
    const work = sheaf.database.transaction(async (session) => {
      await session.rows(insert, []);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    // The caller is known by a mark that the database does not have.
    const stale = sheaf.database.transaction((session) => session.rows(insert, []), { knownBy: 'another' });
    await expect(stale).rejects.toThrow(StaleCallerError);
    expect(await sheaf.documents('api::note.note').count({})).toBe(0);
  });
});

describeOnPostgres('Small reads of one turn', (engine) => {
  const contents = useContents(engine);
  const PROCESS = plainStatement<readonly [process: number]>('select pg_backend_pid()');
  const END = plainStatement('select pg_terminate_backend(pg_backend_pid())');

  /** The process of the server that answers, or the error. */
  async function processes({ sheaf }: Content, statements: readonly Statement[]): Promise<(number | Error)[]> {
    const read = (statement: Statement) =>
      sheaf.database.snapshot(async (session) => (await session.rows(statement, []))[0]![0] as number, {
        single: true,
      });
    const results = await Promise.allSettled(statements.map(read));
    return results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason));
  }

  it('share connections, and fail each for itself', async () => {
    const content = await contents.open();
    const [first, failed, ...others] = await processes(content, [PROCESS, plainStatement('select 1 / 0'), PROCESS]);
    expect(failed).toMatchObject({ code: '22012' });
    expect(others).toEqual([first]);
    expect(await processes(content, [PROCESS])).toEqual([first]);
    const many = await processes(content, Array(MAX_SHARED_READS * 2).fill(PROCESS));
    expect(new Set(many).size).toBe(2);
  });

  it('are refused for now where their connection is lost, and others get a new one', async () => {
    const content = await contents.open();
    const [before, ...lost] = await processes(content, [PROCESS, END, PROCESS]);
    for (const error of lost) expect(error).toMatchObject({ status: 503 });
    const [after] = await processes(content, [PROCESS]);
    expect(after).toEqual(expect.any(Number));
    expect(after).not.toBe(before);
  });
});

const anyOf: Attributes = { items: { type: 'relation', relation: 'morphToMany' } };
const RACKS: Project = {
  types: {
    thing: { attributes: { name: { type: 'string' } } },
    post: { drafts: true, attributes: { name: { type: 'string' } } },
    rack: {
      attributes: {
        ...anyOf,
        any: { type: 'relation', relation: 'morphToOne' },
        things: relation('oneToMany', 'thing'),
        part: { type: 'component', component: 'kit.part' },
      },
    },
    card: { drafts: true, attributes: { part: { type: 'component', component: 'kit.part' } } },
  },
  components: { 'kit.part': anyOf },
};

describeOnPostgres('Transactions that meet', (engine) => {
  const contents = useContents(engine);
  const openRacks = async () => {
    const url = engine.bareDatabaseUrl(null);
    return { url, content: await contents.open(RACKS, url) };
  };
  let sheaf: Sheaf;
  beforeAll(async () => {
    sheaf = await engine.open();
  });

  it('are run again when they lock each other out, and both take effect', async () => {
    const { database } = sheaf;
    let waiting = 0;
    let attempts = 0;
    let meet: () => void;
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    const add = (first: number, second: number, text: string) =>
      database.transaction(async (session) => {
        attempts++;
        const change = (id: number) =>
          session.rows({ sql: 'update countries set name = name || $1::text where id = $2::int4', bindings: [] }, [
            text,
            id,
          ]);
        await change(first);
        if (++waiting === 2) meet();
        await met;
        await change(second);
      });
    await Promise.all([add(1, 2, 'a'), add(2, 1, 'b')]);
    expect(attempts).toBeGreaterThan(2);
    const rows = await database.snapshot((session) =>
      session.rows({ sql: 'select name from countries where id in (1, 2)', bindings: [] }, []),
    );
    for (const [name] of rows) expect(String(name)).toMatch(/(ab|ba)$/);
  });

  it('refuse a reference to what another deletes meanwhile, as to what is not there', async () => {
    const url = engine.emptyGuideDatabaseUrl();
    const content = await contents.open(GUIDE, url);
    const tag = await content.entry('POST', 'tags', { label: 'Short-lived' });
    await withClient(url, async (deleter) => {
      await deleter.query('begin');
      await deleter.query('delete from tags where id = $1', [tag.id]);
      const making = content.post('articles', { title: 'Late', tags: [tag.documentId] });
      await waitingFor(deleter);
      await deleter.query('commit');
      expect(await making).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining(`Document with id "${tag.documentId}"`) } },
      });
    });
    expect(await content.rows('select * from articles_tags_lnk')).toEqual([]);
  });

  it('refuse a polymorphic reference to what another deletes meanwhile, as to what is not there', async () => {
    const { url, content } = await openRacks();
    const thing = await content.entry('POST', 'things', { name: 'Short-lived' });
    const reference = { __type: 'api::thing.thing', documentId: thing.documentId };
    for (const data of [{ items: [reference] }, { any: reference }, { part: { items: [reference] } }])
      await withClient(url, async (deleter) => {
        await deleter.query('begin');
        await deleter.query('delete from things where id = $1', [thing.id]);
        const making = content.post('racks', data);
        await waitingFor(deleter);
        await deleter.query(data.part ? 'commit' : 'rollback');
        expect((await making).status).toBe(data.part ? 400 : 201);
      });
    expect(await content.rows('select * from components_kit_parts_items_mph')).toEqual([]);
  });

  it('copy no polymorphic link to what another unpublishes meanwhile', async () => {
    const { url, content } = await openRacks();
    const post = await content.entry('POST', 'posts?status=published', { name: 'Short-lived' });
    const items = [{ __type: 'api::post.post', documentId: post.documentId }];
    const card = await content.entry('POST', 'cards?status=draft', { part: { items } });
    await withClient(url, async (deleter) => {
      await deleter.query('begin');
      await deleter.query('delete from posts where published_at is not null');
      const publishing = content.entry('PUT', `cards/${card.documentId}?status=published`, {});
      await waitingFor(deleter);
      await deleter.query('commit');
      await publishing;
    });
    expect(
      await content.rows(
        'select items_id from components_kit_parts_items_mph where items_id not in (select id from posts)',
      ),
    ).toEqual([]);
  });

  it('leave no link and no gap where an entry goes that another was linked with meanwhile', async () => {
    const { url, content } = await openRacks();
    const [gone, kept] = [
      await content.entry('POST', 'things', { name: 'Gone' }),
      await content.entry('POST', 'things', { name: 'Kept' }),
    ];
    const rack = await content.entry('POST', 'racks', {});
    await withClient(url, async (linker) => {
      await linker.query('begin');
      await linker.query('select from things where id = $1 for key share', [gone.id]);
      for (const [index, { id }] of [gone, kept].entries()) {
        const values = [rack.id, id, index + 1];
        await linker.query('insert into racks_things_lnk (rack_id, thing_id, thing_ord) values ($1, $2, $3)', values);
        await linker.query(
          `insert into racks_items_mph (rack_id, items_id, "order", items_type) values ($1, $2, $3, 'api::thing.thing')`,
          values,
        );
      }
      const deleting = content.delete(`things/${gone.documentId}`);
      await waitingFor(linker);
      await linker.query('commit');
      expect((await deleting).status).toBe(204);
    });
    expect(await content.rows('select thing_id, thing_ord from racks_things_lnk')).toEqual([[kept.id, 1]]);
    expect(await content.rows('select items_id from racks_items_mph')).toEqual([[kept.id]]);
  });

  it('wait for the entry that loses another, also when that became so while they were waiting', async () => {
    const url = engine.emptyGuideDatabaseUrl();
    const content = await contents.open(GUIDE, url);
    const make = (name: string) => content.entry('POST', 'restaurants', { name });
    const [first, taker, last] = [await make('First'), await make('Taker'), await make('Last')];
    const moved = await content.entry('POST', 'dishes', { name: 'Moved', restaurant: first.documentId });
    await content.entry('POST', 'dishes', { name: 'Stays', restaurant: last.documentId });
    const lock = (client: pg.Client, table: string, ...ids: number[]) =>
      client.query(`select from ${table} where id = any($1) order by id for no key update`, [ids]);
    await withClient(url, (mover) =>
      withClient(url, async (holder) => {
        await mover.query('begin');
        await lock(mover, 'dishes', moved.id);
        await lock(mover, 'restaurants', first.id);
        await holder.query('begin');
        await lock(holder, 'restaurants', last.id);
        // It finds the entry with the first, and waits for the one who moves it to the last.
        let isTaken = false;
        const taking = content
          .entry('PUT', `restaurants/${taker.documentId}`, { dishes: { connect: [moved.documentId] } })
          .then(() => {
            isTaken = true;
          });
        await waitingFor(mover);
        await mover.query('update dishes_restaurant_lnk set restaurant_id = $1, dish_ord = 2 where dish_id = $2', [
          last.id,
          moved.id,
        ]);
        await mover.query('commit');
        await waitingFor(holder);
        expect(isTaken).toBe(false);
        await holder.query('commit');
        await taking;
      }),
    );
    expect(
      await content.rows('select name, dish_ord from dishes_restaurant_lnk l join dishes d on d.id = l.dish_id'),
    ).toEqual(
      expect.arrayContaining([
        ['Moved', 1],
        ['Stays', 1],
      ]),
    );
  });
});

/** The same numbers on every run. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const CLIENTS = 8;
const WRITES = scaled(250);
/** Times that a client sends a write again that the server could not take. */
const TRIES = 20;

describeOnPostgres('Writers of the same entries, at several nodes', (engine) => {
  const startNode = useNodes();
  let url: string;
  let nodes: ServerNode[];
  let sheaf: Sheaf;
  beforeAll(async () => {
    url = engine.guideDatabaseUrl();
    sheaf = await open({ project: GUIDE, database: url });
    nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(url)));
  });
  afterAll(() => sheaf?.close());

  /** What is broken in one state of the data. */
  const broken = () =>
    withClient(url, async (client) => {
      await client.query('begin isolation level repeatable read read only');
      return violations(sheaf.model, async (text) => (await client.query({ text, rowMode: 'array' })).rows);
    });

  const documentIds = async (plural: string, count: number): Promise<string[]> => {
    const path = `${plural}?status=draft&pagination[pageSize]=${count}&fields=id`;
    const { body } = await request(nodes[0]!.address, 'GET', path);
    return body.data.map(({ documentId }: { documentId: string }) => documentId);
  };

  it('leave every list whole, lose nothing that was acknowledged, and meet no deadlock', async () => {
    expect(await broken()).toEqual([]);
    const ids = {
      restaurants: await documentIds('restaurants', 5),
      categories: await documentIds('categories', 4),
      chefs: await documentIds('chefs', 3),
      owners: await documentIds('owners', 3),
      dishes: await documentIds('dishes', 5),
      articles: await documentIds('articles', 3),
      authors: await documentIds('authors', 3),
    };
    type Plural = keyof typeof ids;
    const added: { readonly dish: string; readonly restaurant: string }[] = [];
    const statuses = new Map<number, number>();
    let left = WRITES;

    const client = async (number: number): Promise<void> => {
      const random = randomFrom(number);
      const pick = <T>(list: readonly T[]): T => list[random(list.length)]!;
      const one = (plural: Plural): string => pick(ids[plural]);
      const some = (plural: Plural): string[] => ids[plural].filter(() => random(2) === 0);
      const change = (plural: Plural): unknown =>
        pick([
          () => ({ set: some(plural) }),
          () => ({ connect: [one(plural)] }),
          () => ({ connect: [{ documentId: one(plural), position: { start: true } }] }),
          () => ({ disconnect: [one(plural)] }),
          () => ({ connect: some(plural), disconnect: some(plural) }),
        ])();
      const put = (plural: Plural, data: unknown, query = ''): [string, string, unknown] => [
        'PUT',
        `${plural}/${one(plural)}${query}`,
        { data },
      ];
      const status = (): string => pick(['?status=draft', '?status=published', '']);
      const writes: (() => [string, string, unknown])[] = [
        () => put('restaurants', { categories: change('categories') }),
        () => put('categories', { restaurants: change('restaurants') }),
        () => put('restaurants', { chef: pick([null, one('chefs')]) }),
        () => put('chefs', { restaurants: change('restaurants') }),
        () => put('restaurants', { owner: pick([null, one('owners')]) }),
        () => put('owners', { restaurant: pick([null, one('restaurants')]) }),
        () => put('dishes', { restaurant: pick([null, one('restaurants')]) }),
        () => put('restaurants', { dishes: { connect: some('dishes'), disconnect: some('dishes') } }),
        () => put('restaurants', { neighbours: change('restaurants'), signatureDish: one('dishes') }),
        () => put('categories', { parent: pick([null, one('categories')]) }),
        () => put('articles', { authors: change('authors'), related: change('articles') }, status()),
        () => put('articles', { restaurants: change('restaurants') }, status()),
        () => put('authors', { articles: change('articles') }, status()),
        () => ['PUT', `homepage${status()}`, { data: { featured: some('restaurants') } }],
        () => ['POST', 'dishes', { data: { name: `Dish ${number}`, restaurant: one('restaurants') } }],
        () => ['POST', 'reviews', { data: { score: 3, restaurant: one('restaurants') } }],
      ];
      while (left-- > 0) {
        const [method, path, body] = pick(writes)();
        for (let attempt = 1; ; attempt++) {
          const answer = await request(pick(nodes).address, method, path, body);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          if (answer.status === 503 && attempt < TRIES) {
            expect(answer.retryAfter).not.toBeNull();
            await sleep(10 * attempt);
            continue;
          }
          if (answer.status !== 200 && answer.status !== 201)
            throw new Error(
              `${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${JSON.stringify(answer.body)}`,
            );
          if (path === 'dishes')
            added.push({
              dish: answer.body.data.documentId,
              restaurant: (body as { data: { restaurant: string } }).data.restaurant,
            });
          break;
        }
      }
    };

    let running = true;
    const seen: string[] = [];
    const watch = async (): Promise<void> => {
      while (running) {
        seen.push(...(await broken()));
        await sleep(250);
      }
    };
    const watching = watch();
    const begin = performance.now();
    try {
      await Promise.all(Array.from({ length: CLIENTS }, (_, index) => client(index + 1)));
    } finally {
      running = false;
      await watching;
    }
    const seconds = (performance.now() - begin) / 1000;
    console.log(
      `${WRITES} writes by ${CLIENTS} clients at ${NODES} nodes: ${Math.round(WRITES / seconds)}/s; answers`,
      Object.fromEntries(statuses),
    );
    expect([...new Set(seen)]).toEqual([]);
    expect(await broken()).toEqual([]);
    expect([...statuses.keys()].filter((status) => status >= 500 && status !== 503)).toEqual([]);

    const kept = await withClient(url, async (client) => {
      const { rows } = await client.query<{ pair: string }>(`
        select d.document_id || ' ' || r.document_id as pair from dishes_restaurant_lnk l
        join dishes d on d.id = l.dish_id join restaurants r on r.id = l.restaurant_id`);
      return new Set(rows.map(({ pair }) => pair));
    });
    expect(added.filter(({ dish, restaurant }) => !kept.has(`${dish} ${restaurant}`))).toEqual([]);
    expect(added.length).toBeGreaterThan(0);
    const deadlocks = await withClient(url, (client) =>
      client.query(`select deadlocks::int from pg_stat_database where datname = current_database()`),
    );
    expect(deadlocks.rows).toEqual([{ deadlocks: 0 }]);
  });
});

describeOnPostgres('The check for damage', (engine) => {
  it('finds nothing in a database that is whole, and what is wrong in one that is not', async () => {
    const url = engine.guideDatabaseUrl();
    expect(engine.damage(url)).toEqual([]);
    await withClient(url, async (client) => {
      // As a server that does not follow references and indexes as it should.
      await client.query('set session_replication_role = replica');
      await client.query('delete from chefs where id = (select min(chef_id) from restaurants_chef_lnk)');
      const index = `(select indexrelid from pg_index where indrelid = 'tags'::regclass and indisprimary)`;
      await client.query(`update pg_index set indisready = false where indexrelid = ${index}`);
      await client.query(`insert into tags (document_id) values ('notinindex')`);
      await client.query(`update pg_index set indisready = true where indexrelid = ${index}`);
    });
    const found = engine.damage(url);
    expect(found).toContainEqual(expect.stringMatching(/^restaurants_chef_lnk_\w+: 1$/));
    expect(found).toContainEqual(expect.stringMatching(/"tags" lacks matching index tuple within index "tags_pkey"/));
  });
});
