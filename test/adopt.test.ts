// `sheaf adopt` on copies of the guide as a project of Strapi, with its database: what it says, what it writes, and that
// it changes nothing else.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { open, openDatabase } from '../src/app.ts';
import { type AdoptOptions, adoptCommand } from '../src/cli/adopt/adopt-command.ts';
import { diffSchema } from '../src/db/schema.ts';
import { loadModel } from '../src/model/build.ts';
import { useCommands } from './support/commands.ts';
import { describeOnEveryDatabase, FIXTURE, GUIDE } from './support/database.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Files = Readonly<Record<string, string | object>>;

const PACKAGE = { name: 'guide', dependencies: { '@strapi/strapi': '5.54.0' } };

/** The guide as Strapi would keep it, with further files. */
function strapiProject(files: Files = {}): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-adopt-'));
  folders.push(folder);
  cpSync(path.join(GUIDE, 'src'), path.join(folder, 'src'), { recursive: true });
  mkdirSync(path.join(folder, '.tmp'));
  copyFileSync(FIXTURE, path.join(folder, '.tmp', 'data.db'));
  for (const [name, content] of Object.entries({ 'package.json': PACKAGE, ...files })) {
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

/** Every file below a folder by name, with a digest of its content and when it was changed. */
function contentOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => path.join(folder, name));
  return Object.fromEntries(
    files
      .filter((file) => statSync(file).isFile())
      .map((file) => {
        const digest = createHash('sha256').update(readFileSync(file)).digest('hex');
        return [path.relative(folder, file), `${digest} ${statSync(file).mtimeMs}`];
      }),
  );
}

const adopt = (project: string, options: Partial<AdoptOptions> = {}) =>
  adoptCommand({ project, write: false, json: false, ...options });

const sectionOf = (text: string, title: string): string =>
  text.split('\n\n').find((part) => part.startsWith(`${title}\n`)) ?? '';

describe('sheaf adopt', () => {
  const run = useCommands();

  it('says of a project what will work, and changes nothing', async () => {
    const project = strapiProject({ '.env': 'JWT_SECRET=0123456789abcdef0123456789abcdef\n' });
    const before = contentOf(project);
    const { text, code } = await adopt(project);
    expect(contentOf(project)).toEqual(before);
    expect(code).toBe(0);
    expect(sectionOf(text, 'Project')).toContain('Strapi  5.54.0');
    expect(sectionOf(text, 'Content-types')).toContain('GET /api/articles');
    expect(sectionOf(text, 'Code of the project')).toContain('none beyond what Strapi generates');
    expect(sectionOf(text, 'Database')).toMatch(
      /SQLite, sqlite:.*data\.db, can be read\n {2}A start adds 7 tables, 7 unique indexes, \d+ indexes, and/,
    );
    expect(sectionOf(text, 'Database')).toContain('create table sheaf_published_lists');
    expect(sectionOf(text, 'Users and roles')).toMatch(/3 users, \d+ roles/);
    expect(sectionOf(text, 'Users and roles')).toMatch(
      /Everyone may:\n {4}api::article\.article +create, delete, find/,
    );
    expect(sectionOf(text, 'Users and roles')).toMatch(/\n {4}plugin::users-permissions\.auth +.*register/);
    expect(sectionOf(text, 'Users and roles')).toContain('API_TOKEN_SALT is not set');
    expect(sectionOf(text, 'Different from Strapi on purpose')).toContain('docs/api.md');
    expect(text).toContain('Sheaf can start on this project.\nNothing was changed.');
    expect(text).not.toContain('0123456789abcdef');
  });

  it('keeps each section within a screen', async () => {
    const { text } = await adopt(strapiProject());
    for (const part of text.split('\n\n')) expect(part.split('\n').length).toBeLessThanOrEqual(24);
  });

  it('shows what the configuration of Strapi maps to, and writes it when asked', async () => {
    const project = strapiProject({
      'config/api.js': 'module.exports = { rest: { defaultLimit: 25, maxLimit: 50 } };',
      'config/server.js': "module.exports = ({ env }) => ({ host: '127.0.0.1', port: env.int('PORT', 4242) });",
    });
    const before = contentOf(project);
    const { text } = await adopt(project);
    expect(sectionOf(text, 'Configuration')).toMatch(/port +4242 +from config\/server\.js/);
    expect(sectionOf(text, 'Configuration')).toMatch(/rest\.maxLimit +50 +from config\/api\.js/);
    expect(sectionOf(text, 'Settings for config/sheaf.json')).toMatch(/rest\.maxLimit +50 +as in config\/api\.js/);
    expect(contentOf(project)).toEqual(before);
    const written = await adopt(project, { write: true });
    expect(written.text).toContain('Wrote ');
    const { 'config/sheaf.json': _sheaf, ...others } = contentOf(project);
    expect(others).toEqual(before);
    const settings = JSON.parse(readFileSync(path.join(project, 'config/sheaf.json'), 'utf8'));
    expect(settings).toEqual({ rest: { maxLimit: 50 }, users: { bareList: true } });
    // A second time there is nothing left to write.
    const after = contentOf(project);
    expect((await adopt(project, { write: true })).text).toContain('Nothing was changed.');
    expect(contentOf(project)).toEqual(after);
  });

  it('writes settings that can be read again, whole where Strapi names a part', async () => {
    const project = strapiProject({
      'config/plugins.js': `module.exports = {
        'users-permissions': { config: { jwtSecret: '0123456789abcdef0123456789abcdef', ratelimit: { max: 5 } } },
      };`,
      'config/middlewares.js': `module.exports = [
        { name: 'strapi::cors', config: { origin: ['https://www.example.com'], credentials: false } },
      ];`,
    });
    expect((await adopt(project, { write: true })).code).toBe(0);
    const text = readFileSync(path.join(project, 'config/sheaf.json'), 'utf8');
    expect(JSON.parse(text)).toEqual({
      cors: { origins: ['https://www.example.com'] },
      rateLimits: { auth: { max: 5, seconds: 60 } },
      users: { bareList: true },
    });
    expect((await adopt(project)).code).toBe(0);
  });

  it('keeps the keys of a config/sheaf.json that is there', async () => {
    const own = { rest: { maxLimit: 70 }, cacheControl: 'no-cache', users: { bareList: false } };
    const project = strapiProject({
      'config/api.js': 'module.exports = { rest: { defaultLimit: 10, maxLimit: 50 } };',
      'config/sheaf.json': own,
    });
    expect((await adopt(project, { write: true })).code).toBe(0);
    const settings = JSON.parse(readFileSync(path.join(project, 'config/sheaf.json'), 'utf8'));
    expect(settings).toEqual({ ...own, rest: { defaultLimit: 10, maxLimit: 70 } });
    expect(Object.keys(settings)).toEqual(Object.keys(own));
  });

  it('never overwrites a config/sheaf.json that cannot be read', async () => {
    const project = strapiProject({ 'config/sheaf.json': '{broken' });
    const before = contentOf(project);
    const { text, code } = await adopt(project, { write: true });
    expect(code).toBe(1);
    expect(text).toContain('not valid JSON');
    expect(contentOf(project)).toEqual(before);
  });

  it('names the code that is not run, and what stays closed because of it', async () => {
    const project = strapiProject({
      'src/api/dish/controllers/dish.js': `const { factories } = require('@strapi/strapi');
        module.exports = factories.createCoreController('api::dish.dish', ({ strapi }) => ({
          async find(ctx) { return super.find(ctx); },
        }));`,
      'config/sheaf.json': { runStrapiCode: false },
    });
    const { text, code } = await adopt(project);
    expect(code).toBe(0);
    const section = sectionOf(text, 'Code of the project');
    expect(section).toContain('src/api/dish/controllers/dish.js');
    expect(section).toContain('api::dish.dish');
    expect(sectionOf(text, 'Users and roles')).toContain('5 rights more, which code of the project keeps closed');
  });

  it('does not say that there is no code where it could not look', async () => {
    const project = strapiProject({ 'src/api/dish/content-types/dish/schema.json': { kind: 'nonsense' } });
    const { text, code } = await adopt(project);
    expect(code).toBe(1);
    expect(sectionOf(text, 'Code of the project')).toContain('It was not looked for');
  });

  it('lists all problems at once, and ends with 1', async () => {
    const project = strapiProject({
      'package.json': { name: 'old', dependencies: { '@strapi/strapi': '^4.25.1' } },
      'src/api/dish/content-types/dish/schema.json': { kind: 'nonsense' },
      'config/sheaf.json': { nope: true },
    });
    const { text, code } = await adopt(project);
    expect(code).toBe(1);
    const [, problems = ''] = text.split('Sheaf cannot start on this project:');
    expect(problems).toContain('Strapi ^4.25.1; the project has to be upgraded to Strapi 5 first');
    expect(problems).toContain('src/api/dish/content-types/dish/schema.json: kind:');
    expect(problems).toContain('nope');
  });

  it('ends with 1 where the database cannot be reached, and does not show its password', async () => {
    const database = 'postgres://sheaf:hidden@127.0.0.1:1/content';
    const { text, code } = await adopt(strapiProject(), { database });
    expect(code).toBe(1);
    expect(text).toContain('postgres://sheaf:…@127.0.0.1:1/content');
    expect(text).not.toContain('hidden');
  });

  it('does not create a database that is missing', async () => {
    const project = strapiProject();
    const file = path.join(project, '.tmp', 'other.db');
    const { text, code } = await adopt(project, { database: `sqlite:${file}` });
    expect(code).toBe(0);
    expect(sectionOf(text, 'Database')).toContain('It holds no content yet; a start creates all tables.');
    expect(existsSync(file)).toBe(false);
  });

  it('tells programs all of it as JSON', async () => {
    const { text } = await adopt(strapiProject(), { json: true });
    expect(JSON.parse(text)).toMatchObject({
      canStart: true,
      problems: [],
      name: 'guide',
      strapi: '5.54.0',
      code: [],
      database: { kind: 'SQLite', isNew: false, users: 3 },
      settings: { users: { bareList: true } },
    });
  });

  const PROJECTS = fileURLToPath(new URL('./fixtures/projects', import.meta.url));
  it.each(readdirSync(PROJECTS))('says of the project %s what a start would do, and changes nothing', async (name) => {
    const project = mkdtempSync(path.join(os.tmpdir(), 'sheaf-adopt-'));
    folders.push(project);
    cpSync(path.join(PROJECTS, name), project, { recursive: true });
    const before = contentOf(project);
    const database = `sqlite:${path.join(project, 'new.db')}`;
    const { text, code } = await adopt(project, { database });
    const elsewhere = mkdtempSync(path.join(os.tmpdir(), 'sheaf-adopt-'));
    folders.push(elsewhere);
    const started = open({ project, database: `sqlite:${path.join(elsewhere, 'new.db')}`, state: elsewhere });
    const reason = await started.then(
      (sheaf) => sheaf.close().then(() => null),
      (error: Error) => error.message,
    );
    expect({ text, code }).toEqual({ text, code: reason === null ? 0 : 1 });
    expect(contentOf(project)).toEqual(before);
  });

  it('is a command, whose exit code says whether it can start', async () => {
    const adopt = (...args: readonly string[]) => run(['adopt', ...args]);
    const project = strapiProject();
    const before = contentOf(project);
    expect(await adopt(project)).toMatchObject({ code: 0, err: '' });
    expect(contentOf(project)).toEqual(before);
    expect((await adopt(project, '--database', 'mysql://a')).code).toBe(1);
    expect((await adopt(path.join(project, 'nowhere'))).code).toBe(1);
  });
});

describeOnEveryDatabase('sheaf adopt', (engine) => {
  const model = loadModel(GUIDE);
  /** What a start would add. */
  const additions = async (url: string): Promise<readonly string[]> => {
    const database = await openDatabase(url, 'pretend');
    const { steps, trackingSteps } = await diffSchema(database, model);
    await database.close();
    return [...steps, ...trackingSteps].map(({ text }) => text);
  };

  it('reads a database with content and adds nothing to it', async () => {
    const url = engine.guideDatabaseUrl();
    const before = await additions(url);
    const { text, code } = await adopt(strapiProject(), { database: url });
    expect(code).toBe(0);
    expect(sectionOf(text, 'Database')).toContain(`${engine.name}, `);
    expect(sectionOf(text, 'Users and roles')).toContain('3 users');
    expect(await additions(url)).toEqual(before);
  });

  it('tells of providers that users log in with and that are not served', async () => {
    const url = engine.guideDatabaseUrl();
    const providers = { email: { enabled: true }, github: { enabled: true }, google: { enabled: false } };
    const database = await openDatabase(url, 'create');
    const sql = `update strapi_core_store_settings set value = '${JSON.stringify(providers)}' where key = 'plugin_users-permissions_grant'`;
    await database.transaction((session) => session.rows({ sql, bindings: [] }, []));
    await database.close();
    const { text } = await adopt(strapiProject(), { database: url });
    expect(sectionOf(text, 'Users and roles')).toContain('Logging in with github is not served.');
  });

  it('reads an empty database and adds nothing to it', async () => {
    const url = engine.freshDatabaseUrl();
    const { text, code } = await adopt(strapiProject(), { database: url });
    expect(code).toBe(0);
    expect(sectionOf(text, 'Database')).toContain('It holds no content yet; a start creates all tables.');
    expect(await additions(url)).toContain('create table up_users (plugin::users-permissions.user)');
  });
});
