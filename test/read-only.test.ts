// Reading a database without writing to it: the commands that only show something, and a server with --read-only. The
// database is one that Strapi 5 made and Sheaf has never seen. On SQLite not a byte of the file changes, on PostgreSQL
// an account that may select is enough, and neither the catalog nor a row changes.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemCaller } from '../src/access/caller.ts';
import { open, type Sheaf } from '../src/app.ts';
import { accountCommand } from '../src/cli/account-commands.ts';
import { schemaApply } from '../src/cli/schema-commands.ts';
import { SetupError } from '../src/errors.ts';
import { routeTable } from '../src/http/route-table.ts';
import { isRead } from '../src/http/routes.ts';
import { ReaderPool } from '../src/operations/reader-pool.ts';
import { readConfig } from '../src/project/environment.ts';
import { FIRST_PAGE } from '../src/request/parse-read.ts';
import { useCommands, variables } from './support/commands.ts';
import { CASE_FILES, guideKeys, READ_FILES, Replay, type Request, stepsOf } from './support/conformance.ts';
import { Content, useContents } from './support/content.ts';
import {
  describeOnEveryDatabase,
  describeOnPostgres,
  describeOnSqlite,
  type Engine,
  GUIDE,
} from './support/database.ts';
import { withClient } from './support/postgres-client.ts';
import { everyNth, scaled } from './support/scale.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const SECRETS = { jwt: 'kq0Zr7-Vx2mWb9Lh', apiTokenSalt: 'Tn4uGe8_Jy1pCs6A' };
const VARIABLES = { JWT_SECRET: SECRETS.jwt, API_TOKEN_SALT: SECRETS.apiTokenSalt };
const ARTICLE = 'api::article.article';
const READ_ONLY = {
  data: null,
  error: {
    status: 405,
    name: 'MethodNotAllowedError',
    message: expect.stringMatching(/^This server is read-only: /),
    details: {},
  },
};

const fileOf = (url: string): string => url.slice('sqlite:'.length);
const isSqlite = (url: string): boolean => url.startsWith('sqlite:');

/** Statements past the service, by an account that may do everything. */
async function execute(url: string, ...statements: readonly string[]): Promise<void> {
  if (isSqlite(url)) {
    const connection = new DatabaseSync(fileOf(url));
    try {
      for (const statement of statements) connection.exec(statement);
    } finally {
      connection.close();
    }
    return;
  }
  await withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });
}

/** All files below a folder, with their bytes and when they were last written. */
const folderState = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return `${file} ${statSync(file).mtimeMs} ${createHash('sha256').update(readFileSync(file)).digest('hex')}`;
    })
    .sort();

const CATALOG = [
  `select nspname::text from pg_namespace where nspname !~ '^pg_(toast|temp)' order by 1`,
  `select c.relname::text, c.relkind::text, c.relfilenode::text from pg_class c where c.relnamespace = 'public'::regnamespace order by 1`,
  `select attrelid::regclass::text, attname::text, atttypid::text, atttypmod from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = 'public'::regnamespace order by 1, 2`,
  `select tgname::text, tgrelid::regclass::text from pg_trigger order by 1, 2`,
  `select proname::text from pg_proc where pronamespace = 'public'::regnamespace order by 1`,
  `select sequencename::text, last_value::text from pg_sequences order by 1`,
];

/** Everything there is to see of a database: on SQLite the files of its folder, on PostgreSQL its catalog and its rows. */
async function stateOf(url: string): Promise<unknown> {
  if (isSqlite(url)) return folderState(path.dirname(fileOf(url)));
  return withClient(url, async (client) => {
    const catalog = [];
    for (const query of CATALOG) catalog.push((await client.query({ text: query, rowMode: 'array' })).rows);
    const tables = await client.query(
      `select tablename::text as name from pg_tables where schemaname = 'public' order by 1`,
    );
    const rows: Record<string, unknown> = {};
    for (const { name } of tables.rows)
      rows[name] = (await client.query(`select xmin::text, t::text from public."${name}" t order by 1, 2`)).rows;
    return { catalog, rows };
  });
}

interface Untouched {
  /** For an account that may do everything. */
  readonly url: string;
  /** For one that may only read. */
  readonly reader: string;
  /** A JWT as Strapi 5 issues it, and an API token. */
  readonly jwt: string;
  readonly token: string;
}

/** The copies for tests on PostgreSQL have been opened by Sheaf before. */
const FORGET_SHEAF = `do $do$ declare command text; begin
  for command in
    select format('drop function %s cascade', oid::regprocedure) from pg_proc where pronamespace = 'public'::regnamespace and proname like 'sheaf%'
    union all
    select format('drop %s %s cascade', case relkind when 'i' then 'index' else 'table' end, oid::regclass) from pg_class where relnamespace = 'public'::regnamespace and relname like 'sheaf%' and relkind in ('i', 'r') and not exists (select from pg_index x join pg_class t on t.oid = x.indrelid where x.indexrelid = pg_class.oid and t.relname like 'sheaf%')
  loop execute command; end loop;
end $do$`;

/** Copies of the database that Strapi 5 made, with a user and a token, which Sheaf has never opened. */
function useUntouched(engine: Engine): () => Promise<Untouched> {
  const roles: { readonly url: string; readonly role: string }[] = [];
  afterAll(async () => {
    for (const { url, role } of roles) await execute(url, `drop owned by ${role}`, `drop role ${role}`);
  });
  const selectOnly = async (url: string): Promise<string> => {
    if (isSqlite(url)) return url;
    const role = `reader_${randomBytes(6).toString('hex')}`;
    await execute(
      url,
      `create role ${role} login password 'reads'`,
      `grant usage on schema public to ${role}`,
      `grant select on all tables in schema public to ${role}`,
    );
    roles.push({ url, role });
    const reader = new URL(url);
    [reader.username, reader.password] = [role, 'reads'];
    return reader.toString();
  };
  return async () => {
    const url = engine.guideDatabaseUrl();
    if (!isSqlite(url)) await execute(url, FORGET_SHEAF);
    const token = randomBytes(128).toString('hex');
    const stored = createHmac('sha512', SECRETS.apiTokenSalt).update(token).digest('hex');
    await execute(
      url,
      `insert into up_users (id, document_id, username, email, provider, confirmed, blocked) values (4711, 'u00000000000000000004711', 'reader', 'reader@example.com', 'local', true, false)`,
      `insert into up_users_role_lnk (user_id, role_id) select 4711, id from up_roles where type = 'authenticated'`,
      `insert into strapi_api_tokens (id, document_id, name, type, access_key) values (4711, 't00000000000000000004711', 'reader', 'read-only', '${stored}')`,
    );
    // So that whatever writes to the file shows.
    if (isSqlite(url)) utimesSync(fileOf(url), 1_700_000_000, 1_700_000_000);
    const jwt = await new SignJWT({ id: 4711 })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(Buffer.from(SECRETS.jwt));
    return { url, reader: await selectOnly(url), jwt, token };
  };
}

const run = useCommands();

const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
});

/** `sheaf start`, until it listens. */
async function start(words: readonly string[]) {
  const child = spawn(process.execPath, ['--no-warnings', MAIN, 'start', '--port', '0', ...words], {
    env: variables({ LOG_LEVEL: 'error', ...VARIABLES }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.add(child);
  const ended = once(child, 'close').then(([code]) => {
    started.delete(child);
    return code as number | null;
  });
  const said: string[] = [];
  await new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      said.push(line);
      if (line.startsWith('Stop with')) resolve();
    });
    ended.then((code) => reject(new Error(`The server ended with ${code}`)));
  });
  const address = /^ +at +(http:\S+)/m.exec(said.join('\n'))![1]!;
  return {
    address,
    said: said.join('\n'),
    stop(): Promise<number | null> {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** The guide without what others keep beside it. */
function guideCopy(folder: string): string {
  cpSync(GUIDE, folder, { recursive: true, filter: (file) => path.basename(file) !== '.sheaf' });
  return folder;
}

/** Recorded requests that read, as they can be sent to any server. */
const READS: readonly Request[] = READ_FILES.flatMap(({ cases }) => cases.flatMap(stepsOf)).filter(
  ({ method = 'GET' }) => method === 'GET',
);
const WRITES: readonly Request[] = CASE_FILES.flatMap(({ cases }) => cases.flatMap(stepsOf)).filter(
  ({ method = 'GET', path: url }) => ['POST', 'PUT', 'DELETE'].includes(method) && !url.includes('{{'),
);
const AT_ONCE = 8;

describeOnEveryDatabase('A database that is only read', (engine) => {
  const contents = useContents(engine);
  const untouched = useUntouched(engine);

  it('is the same after every command that only reads, and so is the project', async () => {
    const { url, reader } = await untouched();
    const project = guideCopy(contents.folder());
    const before = [await stateOf(url), folderState(project)];
    const at = ['--project', project, '--database', reader];
    const outputs: string[] = [];
    for (const words of [
      ['schema', 'diff'],
      ['role', 'show'],
      ['user', 'list'],
      ['explain', '/api/articles?filters[authors][name]=Ann&sort=title&populate=*'],
      ['explain', '/api/restaurants', '--as', 'public', '--json'],
      ['token', 'list'],
      ['locale', 'list'],
    ]) {
      const { code, out, err } = await run([...words, ...at]);
      expect({ code, err }, words.join(' ')).toEqual({ code: 0, err: '' });
      outputs.push(out);
    }
    expect(outputs[0]).toMatch(/create table sheaf_accounts/);
    expect(outputs[1]).toContain(`${ARTICLE}.find`);
    expect(outputs[2]).toContain('reader@example.com');
    expect(outputs[3]).toMatch(/Query plan/);
    expect(outputs[6]).toMatch(/^en {2}.* default$/m);
    expect([await stateOf(url), folderState(project)]).toEqual(before);
  });

  it.each([
    [1, scaled(300)],
    [2, scaled(100)],
  ])('is the same after a server with --workers %i has answered %i requests', async (workers, requests) => {
    const { url, reader, jwt, token } = await untouched();
    if (isSqlite(url) && workers > 1) {
      await execute(url, 'pragma journal_mode = wal');
      utimesSync(fileOf(url), 1_700_000_000, 1_700_000_000);
    }
    const project = guideCopy(contents.folder());
    const before = [await stateOf(url), folderState(project)];
    const server = await start([
      '--read-only',
      '--workers',
      String(workers),
      '--project',
      project,
      '--database',
      reader,
    ]);
    expect(server.said).toMatch(/read-only/);
    const keys = guideKeys();
    const bearers = [undefined, jwt, token];
    const statuses = new Map<number, number>();
    const ask = async (number: number): Promise<void> => {
      const isWrite = number % 5 === 0;
      const {
        method,
        path: url,
        headers = {},
        body,
        rawBody,
      } = isWrite ? WRITES[number % WRITES.length]! : READS[(number * 7) % READS.length]!;
      const bearer = bearers[number % bearers.length];
      const response = await fetch(`${server.address}${keys.fill(url)}`, {
        method: method ?? 'GET',
        headers: {
          'content-type': 'application/json',
          ...headers,
          ...(bearer !== undefined && !isWrite && { authorization: `Bearer ${bearer}` }),
        },
        ...(isWrite && { body: rawBody ?? JSON.stringify(body ?? {}) }),
      });
      await response.arrayBuffer();
      expect(response.status === 405, `${method} ${url} ${response.status}`).toBe(isWrite);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    };
    let next = 0;
    const asking = Array.from({ length: AT_ONCE }, async () => {
      while (next < requests) await ask(next++);
    });
    await Promise.all(asking);
    expect((await fetch(`${server.address}/_ready`)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(statuses.get(405)).toBe(requests / 5);
    expect(statuses.get(200)).toBeGreaterThan(requests / 3);
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
    expect([await stateOf(url), folderState(project)]).toEqual(before);
  });

  describe('by a server in process', () => {
    let at: Untouched;
    let sheaf: Sheaf;
    let content: Content;
    beforeAll(async () => {
      at = await untouched();
      sheaf = await open({ project: GUIDE, database: at.reader, readOnly: true, secrets: SECRETS });
      content = new Content(sheaf);
    });
    afterAll(() => content.close());

    it('gets the same answers as one that Sheaf has made its own', async () => {
      const own = new Replay(await engine.open(), guideKeys());
      const only = new Replay(sheaf, guideKeys());
      // One of them has a user more.
      const reads = READS.filter(({ path: url }) => !url.startsWith('/api/users'));
      for (const read of everyNth(3, reads, engine.name === 'SQLite' ? 0 : 1)) {
        const [expected, seen] = [await own.send(read), await only.send(read)];
        expect({ status: seen.status, text: seen.text }, read.path).toEqual({
          status: expected.status,
          text: expected.text,
        });
      }
      await own.close();
    });

    it('refuses every route that writes with a 405, whoever asks and whatever is sent', async () => {
      const routes = routeTable(sheaf, await sheaf.auth());
      const writes = routes.filter((route) => !isRead(route));
      expect(writes.length).toBeGreaterThan(30);
      for (const { method, path: pattern } of writes) {
        const url = pattern.slice('/api/'.length).replace(':documentId', 'x');
        const reads = routes.filter((route) => isRead(route) && route.path === pattern).map((route) => route.method);
        for (const body of [undefined, { data: {} }, '{"broken']) {
          if (body !== undefined && method === 'GET') continue;
          const { status, body: answer, headers } = await content.send(method, url, body);
          expect({ status, answer, allow: headers.allow }, `${method} ${url}`).toEqual({
            status: 405,
            answer: READ_ONLY,
            allow: reads.join(', ').replace('GET', 'HEAD, GET'),
          });
        }
      }
    });

    it('says of other methods what the path answers', async () => {
      const { status, headers } = await content.send('PATCH', 'articles', {});
      expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'HEAD, GET, QUERY' });
    });

    it('refuses writes of code in process in the same words', async () => {
      const { error } = READ_ONLY;
      const refusal = expect.objectContaining({ status: 405, name: error.name, message: error.message });
      const articles = sheaf.documents(ARTICLE);
      expect(await articles.count()).toBeGreaterThan(0);
      const { documentId } = (await articles.findFirst())!;
      const { sessions, roles, tokens } = await sheaf.auth();
      for (const write of [
        () => sheaf.documents('api::tag.tag').create({ data: { label: 'new' } }),
        () => articles.update({ documentId, data: { title: 'changed' } }),
        () => articles.delete({ documentId }),
        () => sessions.begin(4711),
        () => roles.grant('public', [ARTICLE]),
        () => tokens.revoke('reader'),
      ])
        await expect(write()).rejects.toEqual(refusal);
    });

    it('knows users and tokens that Strapi 5 made, and does not note that they were used', async () => {
      const before = await stateOf(at.url);
      const { send } = { send: content.send.bind(content) };
      for (const bearer of [at.jwt, at.token, at.token])
        expect((await send('GET', 'articles', undefined, { authorization: `Bearer ${bearer}` })).status).not.toBe(401);
      const { status } = await send('GET', 'articles', undefined, { authorization: `Bearer ${at.token}` });
      expect(status).toBe(200);
      expect((await send('GET', 'articles', undefined, { authorization: `Bearer ${at.token}0` })).status).toBe(401);
      expect(await stateOf(at.url)).toEqual(before);
    });
  });

  it('acts on what other programs write: content, grants and blocks', async () => {
    const { url, reader, token, jwt } = await untouched();
    const sheaf = await open({ project: GUIDE, database: reader, readOnly: true, secrets: SECRETS });
    const content = new Content(sheaf);
    const statusOf = async (bearer?: string) =>
      (await content.send('GET', 'tags', undefined, bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }))
        .status;
    expect([await statusOf(), await statusOf(token), (await statusOf(jwt)) === 401]).toEqual([200, 200, false]);
    await execute(
      url,
      `update up_users set blocked = true where id = 4711`,
      `delete from strapi_api_tokens where id = 4711`,
      `update tags set label = 'Renamed'`,
      `delete from up_permissions where action = 'api::tag.tag.find'`,
    );
    expect([await statusOf(token), await statusOf(jwt)]).toEqual([401, 401]);
    // Where nothing tells of changes to grants, they are looked at every second.
    await expect.poll(() => statusOf()).toBe(403);
    const [tag] = await sheaf.documents('api::tag.tag').findMany();
    expect(tag!.label).toBe('Renamed');
    await content.close();
  });

  it('may be one of an early version of Strapi 5, without sessions and kinds of tokens', async () => {
    const { url, reader, jwt, token } = await untouched();
    await execute(url, 'drop table strapi_sessions', 'alter table strapi_api_tokens drop column kind');
    const sheaf = await open({ project: GUIDE, database: reader, readOnly: true, secrets: SECRETS });
    for (const bearer of [jwt, token])
      expect((await sheaf.authenticate({ authorization: `Bearer ${bearer}` })).kind).toMatch(/user|token/);
    expect(await sheaf.check()).toEqual({ replicas: [] });
    await sheaf.close();
  });

  it.each(['drop table strapi_sessions', 'alter table strapi_sessions drop column metadata'])(
    'shows roles and sessions all the same after: %s',
    async (statement) => {
      const { url, reader, jwt, token } = await untouched();
      await execute(url, statement);
      const content = new Content(await open({ project: GUIDE, database: reader, readOnly: true, secrets: SECRETS }));
      const get = (path: string, bearer: string) =>
        content.send('GET', path, undefined, { authorization: `Bearer ${bearer}` });
      expect(await get('auth/sessions', jwt)).toMatchObject({ status: 200, body: { data: [] } });
      const { body } = await get('users-permissions/roles', token);
      expect(body.roles.map(({ type }: { type: string }) => type)).toContain('authenticated');
      expect(await get(`users-permissions/roles/${body.roles[0].id}`, token)).toMatchObject({ status: 200 });
      await content.close();
    },
  );

  it('is refused where it lacks what reading takes, with a list and what to run', async () => {
    const { url, reader } = await untouched();
    await execute(
      url,
      'alter table articles drop column reading_minutes',
      'drop table articles_tags_lnk',
      'drop table strapi_webhooks',
    );
    const { code, out, err } = await run(['user', 'list', '--project', GUIDE, '--database', reader]);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err.split('\n')).toEqual([
      expect.stringMatching(/^sheaf: The database lacks what reading the content takes/),
      `  - the column articles.reading_minutes (${ARTICLE})`,
      `  - the table articles_tags_lnk (${ARTICLE}.tags)`,
      expect.stringMatching(/^ {2}- sheaf schema apply /),
      '',
    ]);
  });

  it('is refused where it holds nothing', async () => {
    const url = engine.freshDatabaseUrl();
    if (isSqlite(url)) writeFileSync(fileOf(url), '');
    const opening = open({ project: GUIDE, database: url, readOnly: true });
    await expect(opening).rejects.toThrow(/holds no content[\s\S]*sheaf schema apply/);
  });

  it('is not for commands that write', async () => {
    const { url } = await untouched();
    const before = await stateOf(url);
    const config = readConfig({ project: GUIDE, database: url, 'read-only': true }, {});
    const refusal = /^sheaf \w+ \w+ writes to the database\n.*--read-only/;
    for (const words of [
      ['role', 'grant', 'public', ARTICLE],
      ['role', 'revoke', 'public', ARTICLE],
      ['role', 'create', 'Editor'],
      ['user', 'block', 'reader'],
      ['token', 'create', 'new'],
      ['token', 'revoke', 'reader'],
    ])
      await expect(accountCommand(config, words, { json: false, yes: true })).rejects.toThrow(refusal);
    await expect(schemaApply(config)).rejects.toThrow(refusal);
    expect(await stateOf(url)).toEqual(before);
  });

  it('comes with no secrets where none are given or kept, and none are kept for it', async () => {
    const { reader, jwt } = await untouched();
    const state = path.join(contents.folder(), 'state');
    const options = { project: GUIDE, database: reader, readOnly: true, state };
    const authorization = `Bearer ${jwt}`;
    const without = await open({ ...options, secrets: { apiTokenSalt: SECRETS.apiTokenSalt } });
    expect((await without.auth()).missingSecrets).toEqual(['JWT_SECRET']);
    await expect(without.authenticate({ authorization })).rejects.toMatchObject({ status: 401 });
    await without.close();
    expect(existsSync(state)).toBe(false);
    mkdirSync(state);
    writeFileSync(path.join(state, 'secrets.json'), JSON.stringify(SECRETS));
    const kept = await open(options);
    expect((await kept.auth()).missingSecrets).toEqual([]);
    expect((await kept.authenticate({ authorization })).kind).toBe('user');
    await kept.close();
  });
});

describeOnSqlite('A SQLite file that is only read', (engine) => {
  const untouched = useUntouched(engine);
  const openOnly = (database: string) => open({ project: GUIDE, database, readOnly: true, secrets: SECRETS });
  const filesOf = (url: string) => readdirSync(path.dirname(fileOf(url))).sort();

  it('has to be there', async () => {
    const missing = engine.freshDatabaseUrl();
    await expect(openOnly(missing)).rejects.toThrow(SetupError);
    await expect(openOnly(missing)).rejects.toThrow(/There is no database .*\n.*sheaf start/);
    expect(filesOf(missing)).toEqual([]);
    const { out } = await run(['schema', 'diff', '--project', GUIDE, '--database', missing]);
    expect(out).toMatch(/create table articles/);
    expect(filesOf(missing)).toEqual([]);
  });

  it('in WAL mode has no log left beside it, also after a reader process', async () => {
    const { url } = await untouched();
    await execute(url, 'pragma journal_mode = wal');
    utimesSync(fileOf(url), 1_700_000_000, 1_700_000_000);
    const before = await stateOf(url);
    const sheaf = await openOnly(url);
    expect(await sheaf.documents(ARTICLE).count()).toBeGreaterThan(0);
    const type = sheaf.model.contentTypes.get(ARTICLE)!;
    const defaults = { status: 'published', pagination: FIRST_PAGE } as const;
    const { read, request } = sheaf.operations.explain(
      { name: 'find', type, parameters: {}, defaults },
      systemCaller(sheaf.model),
    );
    const readers = new ReaderPool(fileOf(url), true);
    const context = { defaultLocale: 'en', limit: 25, start: 0, user: null };
    const job = { kind: 'page', plan: read.plan, slots: request.values, context } as const;
    expect(JSON.stringify(await readers.run(job, { took: () => undefined }))).toContain('documentId');
    await readers.close();
    await sheaf.close();
    expect(await stateOf(url)).toEqual(before);
  });

  it('keeps a log that another program writes to', async () => {
    const { url } = await untouched();
    const other = new DatabaseSync(fileOf(url));
    other.exec(`pragma journal_mode = wal; update tags set label = 'In the log'`);
    const [before, log] = [readFileSync(fileOf(url)), readFileSync(`${fileOf(url)}-wal`)];
    const sheaf = await openOnly(url);
    expect((await sheaf.documents('api::tag.tag').findFirst())!.label).toBe('In the log');
    await sheaf.close();
    expect(readFileSync(fileOf(url)).equals(before)).toBe(true);
    expect(readFileSync(`${fileOf(url)}-wal`).equals(log)).toBe(true);
    other.exec(`update tags set label = 'Later'`);
    other.close();
    expect(filesOf(url)).toEqual([path.basename(fileOf(url))]);
  });

  it('is a 503 after another program died in the middle of a write, until that one has recovered it', async () => {
    const { url } = await untouched();
    const content = new Content(await openOnly(url));
    expect((await content.get('tags')).status).toBe(200);
    // Its cache is small, so that part of the write is in the file.
    const dies = `const { DatabaseSync } = require('node:sqlite');
      const connection = new DatabaseSync(process.argv[1]);
      connection.exec("pragma cache_size = 2; begin immediate; update tags set label = 'Half'; create table large (a)");
      for (let row = 0; row < 500; row++) connection.exec('insert into large values (hex(randomblob(2000)))');
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['--no-warnings', '-e', dies, fileOf(url)]);
    expect(filesOf(url)).toContain(`${path.basename(fileOf(url))}-journal`);
    expect((await content.get('tags')).status).toBe(503);
    await expect(openOnly(url)).rejects.toThrow(/cannot be opened[\s\S]*opened by that program/);
    await execute(url, 'select count(*) from tags');
    const { status, body } = await content.get('tags');
    expect({ status, half: JSON.stringify(body).includes('Half') }).toEqual({ status: 200, half: false });
    await content.close();
  });

  it('is waited for while another program commits', async () => {
    const { url } = await untouched();
    const sheaf = await openOnly(url);
    const content = new Content(sheaf);
    expect((await content.get('tags')).status).toBe(200);
    const other = new DatabaseSync(fileOf(url));
    other.exec(`begin exclusive; update tags set label = 'Committed'`);
    const asked = ['tags', 'tags?pagination[withCount]=false', 'homepage'].map((url) => content.get(url));
    const first = await Promise.race([...asked, new Promise((resolve) => setTimeout(resolve, 100, 'nothing'))]);
    expect(first).toBe('nothing');
    other.exec('commit');
    other.close();
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers[0]!.body.data[0].label).toBe('Committed');
    await content.close();
  });
});

describeOnPostgres('A PostgreSQL database that is only read', (engine) => {
  const untouched = useUntouched(engine);

  it('gets no schema that the URL names', async () => {
    const { url } = await untouched();
    const before = await stateOf(url);
    const { code, out } = await run(['schema', 'diff', '--project', GUIDE, '--database', `${url}&schema=elsewhere`]);
    expect(code).toBe(0);
    expect(out).toMatch(/create table articles/);
    expect(await stateOf(url)).toEqual(before);
  });

  it('is refused where its account may not read a table, also one that reads do without', async () => {
    const { url, reader } = await untouched();
    const role = new URL(reader).username;
    await execute(url, `revoke select on articles, strapi_sessions from ${role}`);
    await expect(open({ project: GUIDE, database: reader, readOnly: true })).rejects.toThrow(
      new RegExp(`the table articles \\(${ARTICLE}\\)\n.*the table strapi_sessions \\(built in\\)\n.*schema apply`),
    );
    const allBut = (table: string, column: string) => [
      `revoke select on ${table} from ${role}`,
      `do $do$ begin execute (select format('grant select (%s) on ${table} to ${role}', string_agg(quote_ident(attname), ', ')) from pg_attribute where attrelid = '${table}'::regclass and attnum > 0 and attname <> '${column}'); end $do$`,
    ];
    await execute(url, `grant select on articles, strapi_sessions to ${role}`, ...allBut('strapi_api_tokens', 'kind'));
    await expect(open({ project: GUIDE, database: reader, readOnly: true })).rejects.toThrow(
      /:\n.*the column strapi_api_tokens\.kind \(built in\)\n.*schema apply/,
    );
    // Nobody reads passwords.
    await execute(url, `grant select on strapi_api_tokens to ${role}`, ...allBut('up_users', 'password'));
    const sheaf = await open({ project: GUIDE, database: reader, readOnly: true, secrets: SECRETS });
    expect(await sheaf.documents('plugin::users-permissions.user').count()).toBeGreaterThan(0);
    await sheaf.close();
  });
});

describe('The setting', () => {
  it('is an option or a variable, and the option comes first', () => {
    expect(readConfig({}, {}).readOnly).toBe(false);
    expect(readConfig({}, { SHEAF_READ_ONLY: 'true' }).readOnly).toBe(true);
    expect(readConfig({}, { SHEAF_READ_ONLY: 'false' }).readOnly).toBe(false);
    expect(readConfig({ 'read-only': true }, { SHEAF_READ_ONLY: 'false' }).readOnly).toBe(true);
    expect(() => readConfig({}, { SHEAF_READ_ONLY: 'yes' })).toThrow(/SHEAF_READ_ONLY[\s\S]*true or false/);
  });
});
