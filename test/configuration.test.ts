// The configuration of a project where Strapi keeps it: which files are read and how, what wins over what, and what the
// server then does. The files run as they stand, on fixtures that look like real projects.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSecrets } from '../src/accounts/secrets.ts';
import { open, type Sheaf } from '../src/app.ts';
import { SetupError } from '../src/errors.ts';
import { createServer } from '../src/http/server.ts';
import { ADJUSTABLE_LIMITS } from '../src/limits.ts';
import { openOptions, readConfig, type ServerConfig } from '../src/project/environment.ts';
import { openToAll } from './support/access.ts';
import { useCommands, variables } from './support/commands.ts';
import { relation, writeProject } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const FIXTURES = fileURLToPath(new URL('./fixtures/projects', import.meta.url));
const SECRET = 'Zr5uN0q8Wb3kXyT2Lm9dPf7s';

const command = useCommands();

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function emptyProject(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-configuration-'));
  folders.push(folder);
  return folder;
}

/** A copy of a fixture, with files added or replaced. */
function project(fixture: 'strapi-typescript' | 'strapi-javascript', files: Record<string, string> = {}): string {
  const folder = emptyProject();
  cpSync(path.join(FIXTURES, fixture), folder, { recursive: true });
  return write(folder, files);
}

function write(folder: string, files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

const typescript = (files: Record<string, string> = {}) => project('strapi-typescript', files);
const javascript = (files: Record<string, string> = {}) => project('strapi-javascript', files);
const config = (folder: string, variables: NodeJS.ProcessEnv = {}): ServerConfig =>
  readConfig({ project: folder }, { NODE_ENV: 'development', ...variables });

function refusal(work: () => unknown): SetupError {
  try {
    work();
  } catch (error) {
    expect(error).toBeInstanceOf(SetupError);
    return error as SetupError;
  }
  throw new Error('nothing was refused');
}

describe('The files of a TypeScript project', () => {
  it('run with types imported without `type`, an enum, and packages that are not installed', () => {
    const { settings, port } = config(typescript());
    expect(settings.rest).toEqual({
      prefix: '/api',
      defaultLimit: 10,
      maxLimit: 50,
      withCount: true,
      strictParams: false,
      privateAttributes: [],
    });
    expect(port).toBe(1400);
  });

  it('are covered by those of the environment, and each value knows its file', () => {
    const { settings, port, sources, sourceOf } = config(typescript(), { NODE_ENV: 'production' });
    expect(settings.rest).toMatchObject({ defaultLimit: 10, maxLimit: 10_000, strictParams: true });
    expect(settings.server.url).toBe('https://live.example.com');
    expect(port).toBe(8080);
    expect(sources.get('port')).toBe('config/env/production/server.ts');
    expect(sourceOf(['rest', 'strictParams'])).toBe('config/env/production/api.ts');
    expect(sourceOf(['rest', 'defaultLimit'])).toBe('config/api.ts');
    expect(sourceOf(['cacheControl'])).toBe('default');
  });

  it('name an environment in .env as well, and none that leaves the folder', () => {
    expect(readConfig({ project: typescript({ '.env': 'NODE_ENV=production' }) }, {}).port).toBe(8080);
    expect(config(typescript(), { NODE_ENV: '../env/production' }).port).toBe(1400);
  });

  it('see the variables of .env, and those of the process before them', () => {
    const folder = typescript({ '.env': 'PORT=1401\nPUBLIC_URL=https://other.example.com' });
    expect(config(folder)).toMatchObject({ port: 1401, settings: { server: { url: 'https://other.example.com' } } });
    expect(config(folder, { PORT: '1402' }).port).toBe(1402);
  });

  it('take an empty value of .env for none', () => {
    const folder = typescript({ '.env': 'PORT=\nDATABASE_HOST=\nDATABASE_FILENAME=\nJWT_SECRET=\nSMTP_URL=' });
    const { port, database, secrets, smtp } = config(folder);
    expect({ port, database, secrets, smtp }).toEqual({
      port: 1400,
      database: `sqlite:${path.join(folder, '.tmp', 'data.db')}`,
      secrets: {},
      smtp: null,
    });
  });

  it('map to settings, and note what means nothing here', () => {
    const { settings, notes } = config(typescript());
    expect(settings.server.url).toBe('https://notes.example.com');
    expect(settings.cors).toEqual({
      origins: ['https://www.example.com'],
      credentials: true,
      headers: ['Content-Type', 'Authorization', 'X-Tenant'],
    });
    expect(settings.limits.bodyBytes).toBe(10 * 2 ** 20);
    expect(settings.auth).toMatchObject({ accessTokenSeconds: 7 * 86_400, registerFields: ['nickname'] });
    expect(settings.rateLimits.auth).toEqual({ max: 30, seconds: 300 });
    expect(settings.email.from).toBe('notes@example.com');
    expect(notes).toEqual([
      'config/server.ts: proxy is not used; list the addresses of proxies as trustProxy in config/sheaf.json',
      'config/middlewares.ts: strapi::cors: the origin "http://localhost:3000/" is not used: no browser sends it so',
      'config/plugins.ts: users-permissions.config.providers is not used',
      'config/server.ts: host 0.0.0.0 is not used without a JWT_SECRET; 127.0.0.1 holds',
    ]);
  });

  it('give the host and the secret, where there is one', () => {
    const { host, secrets, sources } = config(typescript({ '.env': `JWT_SECRET=${SECRET}` }));
    expect({ host, secrets }).toEqual({ host: '0.0.0.0', secrets: { jwt: SECRET } });
    expect(sources.get('host')).toBe('config/server.ts');
    expect(sources.get('secrets.jwt')).toBe('config/plugins.ts');
    expect(config(typescript(), { JWT_SECRET: SECRET, HOST: '127.0.0.1' }).host).toBe('127.0.0.1');
  });

  it('say what is wrong with one, by its name', () => {
    const broken = refusal(() => config(typescript({ 'config/api.ts': 'export default {' })));
    expect(broken.message).toContain('config/api.ts of the project cannot be used:');
    const throwing = refusal(() => config(typescript({ 'config/server.ts': 'export default () => { null.x; };' })));
    expect(throwing.message).toMatch(/^config\/server\.ts of the project cannot be used:\n {2}- .*null/);
    const missing = refusal(() =>
      config(typescript({ 'config/api.ts': `import a from 'not-there';\nexport default a;` })),
    );
    expect(missing.message).toContain('config/api.ts of the project needs the package "not-there"');
    expect(missing.problems.join()).toContain('npm install');
    const gone = refusal(() => config(typescript({ 'config/api.ts': `import a from './gone';\nexport default a;` })));
    expect(gone.message).toContain('it imports ./gone, which is not there');
    const json = refusal(() =>
      config(typescript({ '.env': 'L={', 'config/api.ts': `export default ({ env }) => env.json('L');` })),
    );
    expect(json.message).toContain('the variable L is not valid JSON');
    const exiting = refusal(() => config(typescript({ 'config/api.ts': 'process.exit(3);' })));
    expect(exiting.message).toContain('config/api.ts of the project cannot be used:\n  - it calls process.exit');
    const later = refusal(() => config(typescript({ 'config/api.ts': 'export default async () => { throw 1; };' })));
    expect(later.message).toContain('it gives a promise');
  });

  it('use the packages of the project', () => {
    const folder = typescript({
      'node_modules/sizes/index.js': 'exports.size = 7;',
      'config/api.ts': `import { size } from 'sizes';\nexport default { rest: { defaultLimit: size } };`,
    });
    expect(config(folder).settings.rest.defaultLimit).toBe(7);
  });

  it('are only those that are known: others do not run', () => {
    const failing = 'throw new Error("ran");';
    expect(() => config(typescript({ 'config/admin.ts': failing, 'config/cron-tasks.ts': failing }))).not.toThrow();
  });

  it('do not run for a database that the operator names', () => {
    const folder = typescript({ 'config/database.ts': 'throw new Error("ran");' });
    expect(readConfig({ project: folder, database: 'sqlite:b.db' }, {}).database).toBe('sqlite:b.db');
    expect(() => config(folder)).toThrow('config/database.ts of the project cannot be used');
  });
});

describe('The files of a JavaScript project', () => {
  it('run as CommonJS, as ES modules, and as JSON', () => {
    const folder = javascript({ '.env': 'APP_PORT=1501' });
    const { settings, port, database, notes } = config(folder);
    expect(settings.rest).toMatchObject({ prefix: '/v1/content', withCount: false, defaultLimit: 2 });
    expect(port).toBe(1501);
    expect(database).toBe(`sqlite:${path.join(folder, '.tmp', 'data.db')}`);
    expect(notes).toEqual([
      'config/middlewares.js: strapi::cors: origin is a function and is not used; list the origins as cors.origins in config/sheaf.json',
    ]);
  });

  it('are covered by those of the environment', () => {
    expect(config(javascript(), { NODE_ENV: 'production' }).settings.rest.withCount).toBe(true);
  });

  it('say where refresh tokens go, and how long tokens last', () => {
    expect(config(javascript()).settings.auth).toMatchObject({
      accessTokenSeconds: 600,
      refreshTokenSeconds: 3600,
      refreshToken: 'body',
    });
    const { refreshToken, cookie } = config(javascript(), { HTTP_ONLY: 'true' }).settings.auth;
    expect(refreshToken).toBe('cookie');
    // Where the cookie of one server is at another path than that of the other, browsers keep and send both.
    expect(cookie.path).toBe('/');
  });

  it('are named where their secret could be guessed', () => {
    const plugins = `module.exports = { 'users-permissions': { config: { jwtSecret: 'tobemodified-0123' } } };`;
    const { secrets, state } = config(javascript({ 'config/plugins.js': plugins, '.env': 'JWT_SECRET=overruled' }));
    expect(() => readSecrets(secrets, state)).toThrow(/- jwtSecret in config\/plugins\.js holds a word/);
  });

  it('say how tokens are signed, and what the cookie of a refresh token is', () => {
    const plugins = `module.exports = {
      'users-permissions': {
        config: {
          jwtManagement: 'refresh',
          jwt: { algorithm: 'HS384', issuer: 'the-guide', audience: 'its-readers' },
          sessions: {
            httpOnly: true,
            cookie: { name: 'guide', domain: 'guide.example', path: '/api', sameSite: 'strict', secure: true, maxAge: 120000 },
          },
        },
      },
    };`;
    const { jwt, cookie } = config(javascript({ 'config/plugins.js': plugins })).settings.auth;
    expect(jwt).toMatchObject({ algorithm: 'HS384', issuer: 'the-guide', audience: 'its-readers' });
    expect(cookie).toEqual({
      name: 'guide',
      domain: 'guide.example',
      path: '/api',
      sameSite: 'strict',
      secure: true,
      maxAgeSeconds: 120,
    });
  });

  it('do not change the process', () => {
    config(javascript({ '.env': 'SHEAF_TEST_OF_CONFIG=1' }));
    expect(process.env).not.toHaveProperty('SHEAF_TEST_OF_CONFIG');
  });

  it('need no compiler where they are CommonJS', async () => {
    const folder = javascript({ 'config/middlewares.js': 'module.exports = [];' });
    const without = `
      import { registerHooks } from 'node:module';
      registerHooks({ resolve(specifier, context, next) {
        if (specifier === 'esbuild') throw new Error('loaded the compiler');
        return next(specifier, context);
      } });`;
    const hook = `data:text/javascript,${encodeURIComponent(without)}`;
    const words = [MAIN, 'config', '--json', '--project', folder];
    const { stdout } = await promisify(execFile)(process.execPath, ['--import', hook, ...words], { env: variables() });
    expect(JSON.parse(stdout).values).toContainEqual({ key: 'port', value: 1500, source: 'config/server.js' });
  });
});

describe('config/sheaf.json', () => {
  it('wins over the files of Strapi, key by key', () => {
    const folder = typescript({
      'config/sheaf.json': JSON.stringify({
        rest: { maxLimit: 30 },
        server: { port: 1600 },
        cors: { origins: ['*'] },
        limits: { bodyBytes: 5000 },
      }),
    });
    const { settings, port, sources, sourceOf } = config(folder);
    expect(settings.rest).toMatchObject({ defaultLimit: 10, maxLimit: 30 });
    expect(settings.cors).toMatchObject({ origins: ['*'], credentials: true });
    expect(settings.limits.bodyBytes).toBe(5000);
    expect(port).toBe(1600);
    expect(sources.get('port')).toBe('config/sheaf.json');
    expect(sourceOf(['rest', 'maxLimit'])).toBe('config/sheaf.json');
    expect(sourceOf(['rest', 'defaultLimit'])).toBe('config/api.ts');
    // What the operator says comes first.
    expect(config(folder, { PORT: '1601' }).port).toBe(1601);
    expect(readConfig({ project: folder, port: '1602' }, { PORT: '1601' }).port).toBe(1602);
    expect(config(write(folder, { '.env': 'PORT=1603' })).port).toBe(1603);
  });

  it('raises limits up to the highest value of each, and no further', () => {
    for (const [name, { most }] of Object.entries(ADJUSTABLE_LIMITS)) {
      const limits = (value: number) =>
        config(write(emptyProject(), { 'config/sheaf.json': JSON.stringify({ limits: { [name]: value } }) })).settings
          .limits;
      expect(limits(most)).toMatchObject({ [name]: most });
      expect(refusal(() => limits(most + 1)).problems).toEqual([
        `limits.${name}: expected a whole number from 1 to ${most}`,
      ]);
    }
  });
});

describe('The documentation', () => {
  it('lists every limit that can be changed with its highest value', () => {
    const page = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `([a-zA-Z]+)` +\| `MAX_[A-Z_]+` +\| ([\d,]+) +\|$/gm)].map(
      ([, name, most]) => `${name} ${Number(most!.replaceAll(',', ''))}`,
    );
    expect(listed).toEqual(Object.entries(ADJUSTABLE_LIMITS).map(([name, { most }]) => `${name} ${most}`));
  });
});

describe('A value of Strapi that cannot be used', () => {
  it('is noted where relations and files were required', () => {
    const notesOf = (documents: object) =>
      config(write(emptyProject(), { 'config/api.json': JSON.stringify({ documents }) })).notes;
    expect(notesOf({ strictParams: true, strictRelations: true })).toEqual([
      'config/api.json: documents.strictRelations is not used: relations and files are never required',
    ]);
    expect(notesOf({ strictParams: true, strictRelations: false })).toEqual([]);
  });

  it('is noted, and the default holds', () => {
    const api = { rest: { prefix: '/a b', defaultLimit: 'many', maxLimit: 0, withCount: 'yes' } };
    const { settings, notes } = config(write(emptyProject(), { 'config/api.json': JSON.stringify(api) }));
    expect(settings.rest).toMatchObject({ prefix: '/api', defaultLimit: 25, maxLimit: 100, withCount: true });
    expect(notes).toEqual([
      'config/api.json: rest.defaultLimit is not used: expected a whole number of entries, at least 1',
      'config/api.json: rest.maxLimit is not used: expected a whole number of entries, at least 1',
      'config/api.json: rest.withCount is not used: expected true or false',
      'config/api.json: rest.prefix is not used: expected a path such as "/api", or "" for none',
    ]);
  });

  it('is the highest one where it is higher', () => {
    const { settings, notes } = config(typescript(), { NODE_ENV: 'production' });
    expect(settings.rest.maxLimit).toBe(10_000);
    expect(notes).toContain('config/env/production/api.ts: rest.maxLimit 100000 is more than is possible; 10000 holds');
  });
});

describe('The database', () => {
  const urlOf = (variables: NodeJS.ProcessEnv): string => config(typescript(), variables).database!;

  it('is a SQLite file at a path from the project, wherever the server starts', () => {
    for (const make of [typescript, javascript]) {
      const folder = make({ '.env': 'DATABASE_FILENAME=content/notes.db' });
      expect(config(folder).database).toBe(`sqlite:${path.join(folder, 'content', 'notes.db')}`);
      expect(config(path.relative(process.cwd(), folder)).database).toBe(
        `sqlite:${path.join(folder, 'content', 'notes.db')}`,
      );
    }
    const bare = write(emptyProject(), { '.env': 'DATABASE_CLIENT=sqlite\nDATABASE_FILENAME=notes.db' });
    expect(config(bare).database).toBe(`sqlite:${path.join(bare, 'notes.db')}`);
    const plain = write(emptyProject(), {
      'config/database.json': JSON.stringify({ connection: { client: 'sqlite', connection: { filename: 'a/b.db' } } }),
    });
    expect(config(plain).database).toBe(`sqlite:${path.join(plain, 'a', 'b.db')}`);
  });

  it('is the one that Strapi would have made, where nothing is named and it is there', () => {
    const folder = emptyProject();
    expect(config(folder).database).toBeNull();
    expect(() => openOptions(config(folder))).toThrow('No database is named');
    write(folder, { '.tmp/data.db': '' });
    expect(config(folder).database).toBe(`sqlite:${path.join(folder, '.tmp', 'data.db')}`);
  });

  it('is PostgreSQL in parts, with the defaults that Strapi writes', () => {
    expect(urlOf({ DATABASE_CLIENT: 'postgres' })).toBe('postgres://strapi:strapi@localhost:5432/strapi?schema=public');
    expect(config(emptyProject(), { DATABASE_CLIENT: 'postgres' }).database).toBe(
      'postgres://strapi:strapi@localhost:5432/strapi',
    );
    const url = new URL(
      urlOf({
        DATABASE_CLIENT: 'postgres',
        DATABASE_HOST: 'db',
        DATABASE_PASSWORD: 'p@ss/w:rd',
        DATABASE_SCHEMA: 'a b',
        DATABASE_SSL: 'true',
      }),
    );
    expect(decodeURIComponent(url.password)).toBe('p@ss/w:rd');
    expect(Object.fromEntries(url.searchParams)).toEqual({ schema: 'a b', sslmode: 'verify-full' });
  });

  it('refuses a DATABASE_SSL that is neither true nor false', () => {
    for (const name of ['DATABASE_SSL', 'DATABASE_SSL_REJECT_UNAUTHORIZED']) {
      const variables = { DATABASE_CLIENT: 'postgres', DATABASE_SSL: 'true', [name]: 'yes' };
      expect(refusal(() => config(emptyProject(), variables)).message).toMatch(`${name} cannot be used`);
    }
  });

  it('is what DATABASE_URL names, whatever config/database says', () => {
    expect(urlOf({ DATABASE_URL: 'sqlite:a.db' })).toBe('sqlite:a.db');
    const url = 'postgres://a:b@db/content';
    const mysql = { DATABASE_CLIENT: 'mysql' };
    expect(urlOf({ ...mysql, DATABASE_URL: url })).toBe(url);
    const folder = typescript({ '.env': 'DATABASE_URL=sqlite:a.db' });
    expect(config(folder).database).toBe(`sqlite:${path.join(folder, 'a.db')}`);
    expect(config(folder).sources.get('database')).toBe('DATABASE_URL in .env');
  });

  it('is PostgreSQL by its connection string, socket or pool', () => {
    const client = { DATABASE_CLIENT: 'postgres' };
    const folder = typescript({ '.env': 'DATABASE_URL=postgres://a:b@db/content?sslmode=disable' });
    expect(config(folder, { ...client, DATABASE_SSL: 'true' })).toMatchObject({
      database: 'postgres://a:b@db/content?sslmode=disable&schema=public',
      poolSize: 20,
    });
    expect(config(folder, { ...client, DATABASE_POOL_MAX: '3' }).poolSize).toBe(3);
    const socket = new URL(urlOf({ ...client, DATABASE_HOST: '/cloudsql/one' }));
    expect([socket.host, socket.searchParams.get('host'), socket.searchParams.get('user')]).toEqual([
      '',
      '/cloudsql/one',
      'strapi',
    ]);
    const unchecked = urlOf({ ...client, DATABASE_SSL: 'true', DATABASE_SSL_REJECT_UNAUTHORIZED: 'false' });
    expect(new URL(unchecked).searchParams.get('sslmode')).toBe('no-verify');
  });

  it('notes certificates that it would not use', () => {
    const { notes } = config(typescript(), {
      DATABASE_CLIENT: 'postgres',
      DATABASE_SSL: 'true',
      DATABASE_SSL_CA: 'PEM',
    });
    expect(notes.join('\n')).toContain('config/database.ts: certificates in connection.ssl are not used');
  });

  it('is refused as what it is where it is MySQL', async () => {
    const said = /MySQL and MariaDB are not supported/;
    expect(refusal(() => urlOf({ DATABASE_CLIENT: 'mysql' })).message).toMatch(
      /^config\/database\.ts names a mysql database\. MySQL and MariaDB are not supported\n.*PostgreSQL or SQLite/,
    );
    expect(refusal(() => config(emptyProject(), { DATABASE_CLIENT: 'mysql2' })).message).toMatch(said);
    const words = ['start', '--project', typescript(), '--database', 'mysql://root:hidden@db/content'];
    const { code, err } = await command(words);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringMatching(said) });
    expect(err).not.toContain('hidden');
  });

  it('is refused where its kind is unknown, or its connection is a program', () => {
    expect(refusal(() => config(emptyProject(), { DATABASE_CLIENT: 'oracle' })).problems.join()).toContain('postgres');
    const folder = typescript({
      'config/database.ts': `export default { connection: { client: 'postgres', connection: async () => ({}) } };`,
    });
    expect(refusal(() => config(folder)).message).toContain('connection.connection is a function');
  });
});

describe('sheaf config', () => {
  const run = (args: readonly string[], cwd: string, variables: Record<string, string> = {}) =>
    command(['config', ...args], { cwd, env: { NODE_ENV: 'production', ...variables } });

  it('prints what holds and where it comes from, without secrets', async () => {
    const folder = typescript({
      '.env': `JWT_SECRET=${SECRET}\nDATABASE_CLIENT=postgres\nDATABASE_PASSWORD=hidden`,
      'config/sheaf.json': '{"rest": {"defaultLimit": 12}}',
    });
    const { code, out, err } = await run([], folder, { SHEAF_WORKERS: '2' });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.split('\n').map((line) => line.trim().split(/\s{2,}/));
    for (const line of [
      ['host', '0.0.0.0', 'config/server.ts'],
      ['port', '8080', 'config/env/production/server.ts'],
      ['workers', '2', 'SHEAF_WORKERS'],
      ['readOnly', 'false', 'default'],
      ['database', 'postgres://strapi:…@localhost:5432/strapi?schema=public', 'config/database.ts'],
      ['secrets.jwt', '…', 'config/plugins.ts'],
      ['secrets.apiTokenSalt', '-', 'default'],
      ['rest.defaultLimit', '12', 'config/sheaf.json'],
      ['rest.strictParams', 'true', 'config/env/production/api.ts'],
      ['limits.urlLength', '32768', 'default'],
    ])
      expect(lines).toContainEqual(line);
    expect(out).toContain('\nNotes\n  config/server.ts: proxy is not used');
    for (const secret of [SECRET, 'hidden']) expect(out).not.toContain(secret);
  });

  it('does not print the private key of tokens', async () => {
    const jwt = `{ algorithm: 'RS256', privateKey: '-----BEGIN PRIVATE KEY-----\\n${SECRET}' }`;
    const folder = javascript({
      'config/plugins.js': `module.exports = { 'users-permissions': { config: { jwt: ${jwt} } } };`,
    });
    for (const args of [[], ['--json']]) {
      const { out } = await run(args, folder);
      expect(out).toContain('auth.jwt.privateKey');
      expect(out).not.toContain(SECRET);
    }
  });

  it('prints nothing that the files print', async () => {
    const folder = javascript({
      'config/api.js': `console.log('noise'); process.stdout.write('noise'); module.exports = {};`,
    });
    const { out, err } = await run(['--json'], folder);
    expect(() => JSON.parse(out)).not.toThrow();
    expect(err).toContain('noise');
  });

  it('prints the same as JSON', async () => {
    const folder = javascript();
    const { out } = await run(['--json'], os.tmpdir(), { SHEAF_PROJECT: folder });
    const { values, notes } = JSON.parse(out);
    expect(values).toContainEqual({ key: 'project', value: folder, source: 'SHEAF_PROJECT' });
    expect(values).toContainEqual({ key: 'port', value: 1500, source: 'config/server.js' });
    expect(notes).toEqual([expect.stringContaining('origin is a function')]);
  });
});

describeOnEveryDatabase('A server with the configuration of a project', (engine) => {
  const opened: Sheaf[] = [];
  afterAll(async () => {
    for (const sheaf of opened) await sheaf.close();
  });

  /** Four notes, which no test changes. */
  let notes: string;
  beforeAll(async () => {
    notes = engine.bareDatabaseUrl(null);
    const sheaf = await open({ project: typescript(), database: notes });
    await openToAll(sheaf);
    for (const title of ['a', 'b', 'c', 'd']) await sheaf.documents('api::note.note').create({ data: { title } });
    await sheaf.close();
  });

  async function begin(folder: string) {
    const sheaf = await open({ project: folder, database: notes });
    opened.push(sheaf);
    return { sheaf, app: createServer(sheaf) };
  }

  it('serves under its prefix, with its page size, and without totals', async () => {
    const { app, sheaf } = await begin(javascript());
    const { statusCode, body } = await app.inject({ url: '/v1/content/notes?fields=title&sort=title' });
    expect(statusCode).toBe(200);
    const page = JSON.parse(body);
    expect(page.data.map(({ title }: { title: string }) => title)).toEqual(['a', 'b']);
    expect(page.meta.pagination).toEqual({ page: 1, pageSize: 2 });
    const counted = await app.inject({ url: '/v1/content/notes?pagination[withCount]=true&pagination[page]=2' });
    expect(JSON.parse(counted.body).meta.pagination).toEqual({ page: 2, pageSize: 2, pageCount: 2, total: 4 });
    expect((await sheaf.documents('api::note.note').findPage()).meta.pagination).toEqual({ page: 1, pageSize: 2 });
    for (const url of ['/v1/content/users', '/v1/content/i18n/locales', '/_health'])
      expect((await app.inject({ url })).statusCode, url).toBeLessThan(300);
    for (const url of ['/api/notes', '/api/users', '/notes']) expect((await app.inject({ url })).statusCode).toBe(404);
    await app.close();
  });

  it('keeps attributes to itself that are private in all types', async () => {
    const api = `module.exports = { responses: { privateAttributes: ['title', 'createdAt'] } };`;
    const { app } = await begin(javascript({ 'config/api.js': api }));
    const { data } = (await app.inject('/api/notes')).json();
    expect(data).toHaveLength(4);
    for (const note of data) expect(Object.keys(note)).not.toContain('title');
    for (const note of data) expect(Object.keys(note)).not.toContain('createdAt');
    expect(data[0]).toHaveProperty('updatedAt');
    expect((await app.inject('/api/notes?filters[title]=a')).statusCode).toBe(400);
    expect((await app.inject('/api/notes?sort=createdAt')).statusCode).toBe(400);
    await app.close();
  });

  it('clamps pages at its highest size', async () => {
    const { app } = await begin(typescript({ 'config/api.ts': 'export default { rest: { maxLimit: 3 } };' }));
    const { body } = await app.inject({ url: '/api/notes?pagination[pageSize]=1000' });
    expect(JSON.parse(body).meta.pagination).toMatchObject({ pageSize: 3, total: 4 });
    await app.close();
  });

  it('serves pages larger than the usual highest size', async () => {
    const { app, sheaf } = await begin(typescript({ 'config/api.ts': 'export default { rest: { maxLimit: 500 } };' }));
    const documents = sheaf.documents('api::note.note');
    const made: string[] = [];
    for (let index = 0; index < 100; index++)
      made.push((await documents.create({ data: { title: `n${index}` } })).documentId);
    const { body } = await app.inject({ url: '/api/notes?pagination[pageSize]=500' });
    for (const documentId of made) await documents.delete({ documentId });
    expect(JSON.parse(body).data).toHaveLength(104);
    await app.close();
  });

  it('lets browsers send the headers that it lists', async () => {
    const { app } = await begin(typescript());
    const { headers } = await app.inject({
      method: 'OPTIONS',
      url: '/api/notes',
      headers: { origin: 'https://www.example.com', 'access-control-request-method': 'GET' },
    });
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://www.example.com',
      'access-control-allow-credentials': 'true',
      'access-control-allow-headers': expect.stringMatching(/^content-type, .*, x-tenant$/),
    });
    await app.close();
  });

  it('takes a URL of 45 kB over the wire where its limits allow it', async () => {
    const limits = { urlLength: 65_536, parameters: 3_000, listItems: 1_500 };
    const { app } = await begin(typescript({ 'config/sheaf.json': JSON.stringify({ limits }) }));
    const { app: usual } = await begin(typescript());
    const values = Array.from({ length: 1_400 }, (_, index) => `filters[title][$in][${index}]=note ${index}`).join('&');
    const query = `/api/notes?${values}&filters[title][$in][1400]=c`;
    expect(query.length).toBeGreaterThan(45_000);
    const statusOf = async (server: typeof app) => {
      const address = await server.listen({ host: '127.0.0.1', port: 0 });
      const answer = await fetch(`${address}${query}`);
      return { status: answer.status, body: JSON.parse(await answer.text()) };
    };
    const { status, body } = await statusOf(app);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([{ title: 'c' }]);
    expect((await statusOf(usual)).status).toBe(414);
    await app.close();
    await usual.close();
  });

  it('takes what its limits allow at their highest', async () => {
    const limits = Object.fromEntries(Object.entries(ADJUSTABLE_LIMITS).map(([name, { most }]) => [name, most]));
    const { app } = await begin(typescript({ 'config/sheaf.json': JSON.stringify({ limits }) }));
    const ok = async (query: string) => {
      const { statusCode, body } = await app.inject({ url: `/api/notes?${query}` });
      expect(statusCode, body.slice(0, 300)).toBe(200);
    };
    const { listItems, filterNodes, depth, sortKeys, searchLength } = ADJUSTABLE_LIMITS;
    const times = (count: number, item: (index: number) => string): string =>
      Array.from({ length: count }, (_, index) => item(index)).join('&');
    await ok(times(listItems.most, (index) => `filters[id][$in][${index}]=${index}`));
    await ok(times(filterNodes.most / 2 - 1, (index) => `filters[$or][${index}][title]=${index}`));
    await ok(`filters${'[$not]'.repeat(depth.most - 2)}[title]=a`);
    await ok(`sort=${Array.from({ length: sortKeys.most }, () => 'title').join(',')}`);
    await ok(`_q=${'a'.repeat(searchLength.most)}`);
    await app.close();
  });

  it('takes as many references and populated attributes as its limits allow', async () => {
    const types = (limits: object) => {
      const folder = emptyProject();
      // Media are populated as relations are, and share one table.
      const media = Array.from({ length: 119 }, (_, index) => [`picture${index}`, { type: 'media' }]);
      const many = { to0: relation('manyToMany', 'tag'), ...Object.fromEntries(media) };
      writeProject(folder, {
        types: { tag: { attributes: { label: { type: 'string' } } }, box: { attributes: many } },
      });
      return write(folder, { 'config/sheaf.json': JSON.stringify({ limits }) });
    };
    const results = [];
    const database = engine.bareDatabaseUrl(null);
    for (const limits of [{}, { references: 1_500, populateNodes: 120 }]) {
      const sheaf = await open({ project: types(limits), database });
      opened.push(sheaf);
      await openToAll(sheaf);
      const { documentId } = await sheaf.documents('api::tag.tag').create({ data: { label: 'a' } });
      const app = createServer(sheaf);
      const payload = { data: { to0: Array.from({ length: 1_200 }, () => documentId) } };
      const written = await app.inject({ method: 'POST', url: '/api/boxs', payload });
      const read = await app.inject({ url: '/api/boxs?populate=*' });
      results.push([written.statusCode, read.statusCode]);
      await app.close();
    }
    expect(results).toEqual([
      [400, 400],
      [201, 200],
    ]);
  });

  it('answers with as much as its limits allow, and no more', async () => {
    const types = {
      tag: { attributes: { label: { type: 'string' } } },
      box: { attributes: { story: { type: 'text' }, tags: relation('manyToMany', 'tag') } },
    };
    const limits = { populatedRows: 3, populatedCharacters: 1_000, pageBytes: 500 };
    const folder = emptyProject();
    writeProject(folder, { types });
    write(folder, { 'config/sheaf.json': JSON.stringify({ limits }) });
    const sheaf = await open({ project: folder, database: engine.bareDatabaseUrl(null) });
    opened.push(sheaf);
    await openToAll(sheaf);
    const app = createServer(sheaf);
    const tag = async (label: string) => (await sheaf.documents('api::tag.tag').create({ data: { label } })).documentId;
    const box = async (story: string, tags: string[]) =>
      sheaf.documents('api::box.box').create({ data: { story, tags } });
    const refusedBy = async (query: string) =>
      JSON.parse((await app.inject({ url: `/api/boxs?${query}` })).body).error?.details ?? null;
    const tags = [await tag('a'), await tag('b'), await tag('c')];
    await box('s'.repeat(400), tags);
    expect(await refusedBy('populate=tags')).toBeNull();
    await box('s'.repeat(100), [tags[0]!]);
    expect(await refusedBy('')).toBeNull();
    expect(await refusedBy('populate=tags')).toMatchObject({ limit: 'MAX_POPULATED_ROWS', allowed: 3 });
    await box('s', []);
    expect(await refusedBy('')).toMatchObject({ limit: 'MAX_PAGE_BYTES', allowed: 500 });
    await box('', [await tag('l'.repeat(200)), await tag('l'.repeat(200)), await tag('l'.repeat(200))]);
    const last = 'filters[story]=&populate=tags';
    expect(await refusedBy(last)).toMatchObject({ limit: 'MAX_POPULATED_CHARACTERS', allowed: 1_000 });
    await app.close();
  });

  it('refuses a body past its limit, and names the limit that holds', async () => {
    const { app } = await begin(typescript({ 'config/sheaf.json': '{"limits": {"bodyBytes": 2000000}}' }));
    const send = (length: number) =>
      app.inject({ method: 'POST', url: '/api/notes', payload: { data: { title: 'x'.repeat(length) } } });
    // Too long for a title, not for a body.
    expect((await send(1_500_000)).statusCode).toBe(400);
    const { statusCode, body } = await send(2_000_000);
    expect(statusCode).toBe(413);
    expect(JSON.parse(body).error.details).toEqual({ limit: 'MAX_BODY_BYTES', allowed: 2_000_000 });
    await app.close();
  });
});

describe('A command', () => {
  it('finds the SQLite file of a project from another folder', async () => {
    const folder = typescript({ '.env': 'DATABASE_FILENAME=content/notes.db' });
    const { code, err } = await command(['schema', 'apply', '--project', folder], { cwd: os.tmpdir() });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(existsSync(path.join(folder, 'content', 'notes.db'))).toBe(true);
  });
});
