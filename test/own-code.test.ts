// Projects with code of their own that is not to run: what it may guard stays closed to everyone but the system,
// at every way in, until config/sheaf.json names the code. The fixture has an owner-guarding controller of orders and
// lifecycles of dishes; places are as Strapi generates them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { accountCommand } from '../src/cli/account-commands.ts';
import { codeNotes } from '../src/cli/code-notes.ts';
import { explain } from '../src/cli/explain.ts';
import { SheafError } from '../src/errors.ts';
import { USER } from '../src/model/builtin.ts';
import type { Documents } from '../src/operations/documents.ts';
import type { CodeFinding } from '../src/project/code/code-finding.ts';
import { readConfig } from '../src/project/environment.ts';
import { type Answer, type Contents, type Json, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';
import { type Guarded, NOBODY, useGuarded, type Who } from './support/guarded.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/projects/own-code', import.meta.url));
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const ORDER = 'api::order.order';
const DISH = 'api::dish.dish';
const PLACE = 'api::place.place';

const CLOSED = { servedWithout: {}, runStrapiCode: false };

type Files = Readonly<Record<string, string>>;

/** A copy of the fixture with these settings and further files. */
function projectOf(contents: Contents, settings: Json = {}, files: Files = {}): string {
  const folder = contents.folder();
  cpSync(FIXTURE, folder, { recursive: true });
  for (const [file, text] of Object.entries({
    ...files,
    'config/sheaf.json': JSON.stringify({ runStrapiCode: false, ...settings }),
  })) {
    mkdirSync(path.join(folder, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  return folder;
}

/** Everyone who is granted everything, by every kind of grant. */
async function everyone(site: Guarded): Promise<Readonly<Record<string, Who>>> {
  await site.auth.roles.create('Editor');
  for (const role of ['public', 'editor']) await site.auth.roles.grant(role, ['*']);
  return {
    'the public': NOBODY,
    'a user': (await site.person('editor')).who,
    'a token that may read': await site.token('read-only'),
    'a token with full access': await site.token('full-access'),
    'a custom token': await site.token(
      'custom',
      ['find', 'findOne', 'create', 'update', 'delete', 'publish'].flatMap((verb) =>
        [ORDER, DISH, PLACE].map((uid) => `${uid}.${verb}`),
      ),
    ),
  };
}

const statusOf = (answer: Answer): number => answer.status;

async function refusal(work: () => Promise<unknown>): Promise<number | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof SheafError) return error.status;
    throw error;
  }
}

interface Filled {
  readonly order: string;
  readonly dish: string;
  readonly place: string;
}

async function fill({ sheaf }: Guarded): Promise<Filled> {
  const status = 'published';
  const { documentId: place, id } = await sheaf.documents(PLACE).create({ data: { title: 'Alba' }, status });
  const { documentId: order } = await sheaf.documents(ORDER).create({ data: { title: 'Pizza', place: id }, status });
  const { documentId: dish } = await sheaf.documents(DISH).create({ data: { title: 'Pizza', place: id }, status });
  return { order, dish, place };
}

describeOnEveryDatabase('A project with code of its own', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  // One database for all of them, with everyone who asks and what they ask for.
  let database: string;
  let filled: Filled;
  let callers: Readonly<Record<string, Who>>;
  beforeAll(async () => {
    const site = await guarded.open(projectOf(contents));
    ({ database } = site);
    filled = await fill(site);
    callers = await everyone(site);
  });
  const open = (settings: Json = {}, files: Files = {}): Promise<Guarded> =>
    guarded.open(projectOf(contents, settings, files), { database });

  it('has a type closed that a controller guards, for everyone but the system', async () => {
    const site = await open();
    const { order, place } = filled;
    for (const [name, who] of Object.entries(callers)) {
      expect(statusOf(await site.get('orders', who)), name).toBe(403);
      expect(statusOf(await site.get(`orders/${order}`, who)), name).toBe(403);
      expect(statusOf(await site.post('orders', { title: 'x' }, who)), name).toBe(403);
      expect(statusOf(await site.put(`orders/${order}`, { title: 'x' }, who)), name).toBe(403);
      expect(statusOf(await site.delete(`orders/${order}`, who)), name).toBe(403);
      expect(statusOf(await site.send('POST', `orders/${order}/actions/publish`, undefined, who)), name).toBe(403);
      // Nor is it seen where relations lead to it.
      expect(statusOf(await site.get('places?populate=orders', who)), name).toBe(400);
      expect(statusOf(await site.get('places?filters[orders][title]=Pizza', who)), name).toBe(400);
      expect(statusOf(await site.get('places?sort=orders.title', who)), name).toBe(400);
      const { body } = await site.get('places?populate=*', who);
      expect(body.meta.omitted, name).toEqual(['orders']);
      expect(JSON.stringify(body.data), name).not.toContain('orders');
      const caller = await site.sheaf.authenticate(who);
      const orders: Documents = site.sheaf.documents(ORDER, caller);
      expect(await refusal(() => orders.findMany()), name).toBe(403);
      expect(await refusal(() => orders.count()), name).toBe(403);
      expect(await refusal(() => orders.create({ data: { title: 'x' } })), name).toBe(403);
      expect(statusOf(await site.put(`places/${place}`, { orders: [] }, who)), name).toBeGreaterThanOrEqual(400);
    }
    expect(await site.sheaf.documents(ORDER).count({ status: 'published' })).toBe(1);
  });

  it('has the writes closed of a type with lifecycles, and its reads open', async () => {
    const site = await open();
    const { dish, place } = filled;
    for (const [name, who] of Object.entries(callers)) {
      expect(statusOf(await site.get('dishes', who)), name).toBe(200);
      expect(statusOf(await site.get(`dishes/${dish}`, who)), name).toBe(200);
      expect((await site.get('places?populate=dishes', who)).body.data[0].dishes, name).toHaveLength(1);
      expect(statusOf(await site.post('dishes', { title: 'x' }, who)), name).toBe(403);
      expect(statusOf(await site.put(`dishes/${dish}`, { title: 'x' }, who)), name).toBe(403);
      expect(statusOf(await site.delete(`dishes/${dish}`, who)), name).toBe(403);
      expect(statusOf(await site.send('POST', `dishes/${dish}/actions/clone`, { data: {} }, who)), name).toBe(403);
    }
    const full = await site.token('full-access');
    expect(statusOf(await site.put(`places/${place}`, { title: 'Other' }, full))).toBe(200);
    expect((await site.sheaf.documents(DISH).findMany())[0]).toMatchObject({ title: 'Pizza' });
  });

  it('is open where config/sheaf.json names the code, as far as it names it', async () => {
    const site = await open({ servedWithout: { [ORDER]: ['controller'] } });
    const { 'a user': user, 'the public': nobody } = callers;
    expect((await site.get('orders', nobody)).body.data).toHaveLength(1);
    expect(statusOf(await site.post('orders', { title: 'x' }, user))).toBe(201);
    expect((await site.get('places?populate=orders', nobody)).body.data[0].orders).toHaveLength(1);
    expect(statusOf(await site.post('dishes', { title: 'x' }, user))).toBe(403);
    const all = { [ORDER]: ['controller'], [DISH]: ['lifecycles'] };
    const other = await open({ servedWithout: all });
    expect(statusOf(await other.post('dishes', { title: 'x' }, user))).toBe(201);
  });

  it('needs every kind of code named that closes a type', async () => {
    const files = {
      'src/api/order/routes/order.ts': `import { factories } from '@strapi/strapi';
export default factories.createCoreRouter('${ORDER}', { config: { find: { policies: ['global::is-owner'] } } });`,
    };
    const settings = (kinds: string[]): Json => ({ servedWithout: { [ORDER]: kinds } });
    const site = await open(settings(['controller']), files);
    expect(statusOf(await site.get('orders'))).toBe(403);
    const other = await open(settings(['controller', 'policies']), files);
    expect(statusOf(await other.get('orders'))).toBe(200);
  });

  it('closes exactly the actions that its routes leave out', async () => {
    const files = {
      'src/api/place/routes/place.ts': `import { factories } from '@strapi/strapi';
export default factories.createCoreRouter('${PLACE}', { except: ['delete', 'update'] });`,
    };
    const site = await open({}, files);
    const { place } = filled;
    const { 'a token with full access': full } = callers;
    expect(statusOf(await site.get('places', full))).toBe(200);
    expect(statusOf(await site.post('places', { title: 'x' }, full))).toBe(201);
    expect(statusOf(await site.put(`places/${place}`, { title: 'x' }, full))).toBe(403);
    expect(statusOf(await site.delete(`places/${place}`, full))).toBe(403);
  });

  it('is closed altogether by a middleware of the application, accounts included', async () => {
    const files = { 'config/middlewares.ts': `export default ['strapi::errors', 'global::tenant'];` };
    const site = await open({}, files);
    const { 'a user': user } = callers;
    for (const url of ['places', 'orders', 'users', 'users/me', 'i18n/locales'])
      expect(statusOf(await site.get(url, user)), url).toBe(403);
    const login = { identifier: 'nobody', password: 'nothing' };
    expect(statusOf(await site.send('POST', 'auth/local', login))).toBe(403);
    const settings = { servedWithout: { application: ['middlewares'] } };
    const other = await open(settings, files);
    expect(statusOf(await other.get('places', user))).toBe(200);
    expect(statusOf(await other.get('orders', user))).toBe(403);
    expect(statusOf(await other.send('POST', 'auth/local', login))).toBe(400);
  });

  it('has users and logging in closed where users-permissions is extended', async () => {
    const files = {
      'src/extensions/users-permissions/strapi-server.js': `module.exports = (plugin) => {
  plugin.controllers.user.find = async (ctx) => { ctx.body = []; };
  return plugin;
};`,
    };
    const site = await open({}, files);
    const { 'a user': user } = callers;
    for (const url of ['users', 'users/me', 'users/count', 'users/1'])
      expect(statusOf(await site.get(url, user)), url).toBe(403);
    expect(statusOf(await site.send('POST', 'auth/local', { identifier: 'x', password: 'x' }))).toBe(403);
    expect(statusOf(await site.get('places', user))).toBe(200);
    const settings = { servedWithout: { 'plugin::users-permissions': ['extension'] } };
    const other = await open(settings, files);
    expect(statusOf(await other.get('users', user))).toBe(200);
  });

  it('has registration closed where lifecycles of users are subscribed to, and logging in open', async () => {
    const files = {
      'src/index.ts': `export default { bootstrap({ strapi }) {
  strapi.db.lifecycles.subscribe({ models: ['${USER}'], beforeCreate(event) { event.params.data.x = 1; } });
} };`,
    };
    const site = await open({}, files);
    const { 'a user': user } = callers;
    const account = { username: 'new', email: 'new@people.example', password: 'long enough 1' };
    expect(statusOf(await site.send('POST', 'auth/local/register', account))).toBe(403);
    expect(statusOf(await site.send('POST', 'users', account, user))).toBe(403);
    expect(statusOf(await site.get('users/me', user))).toBe(200);
    expect(statusOf(await site.send('POST', 'auth/local', { identifier: 'x', password: 'x' }))).toBe(400);
  });
});

describeOnSqlite('What is said of code that is not run', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  it.each<[string, Json, RegExp]>([
    [
      'a type that there is not',
      { 'api::ordr.ordr': ['controller'] },
      /ordr: the project has no code for it; expected/,
    ],
    ['a type without such code', { [ORDER]: ['lifecycles'] }, /order: it has no lifecycles .*; expected controller/],
    ['a kind that there is not', { [ORDER]: ['controler'] }, /expected one of controller, service/],
    ['what is no list', { [ORDER]: 'controller' }, /expected a list of controller/],
    ['what is no object', ['controller'] as unknown as Json, /expected an object of lists/],
  ])('config/sheaf.json is refused with %s', async (_title, servedWithout, message) => {
    await expect(guarded.open(projectOf(contents, { servedWithout }))).rejects.toThrow(message);
  });

  it('roles and explain show what is granted and withheld', async () => {
    const project = projectOf(contents);
    const database = engine.bareDatabaseUrl(null);
    const config = readConfig({ project, database }, {});
    const command = (words: string, json = false): Promise<string> =>
      accountCommand(config, words.split(' '), { json, yes: false });
    const reason = 'withheld: controller src/api/order/controllers/order.ts';
    const granted = await command(`role grant public ${ORDER} ${PLACE}`);
    expect(granted).toContain(`  ${ORDER}.find  ${reason}\n`);
    expect(granted).toContain(`  ${PLACE}.find\n`);
    expect(await command('role show public')).toContain(`  ${ORDER}.find  ${reason}\n`);
    const shown = JSON.parse(await command('role show public', true));
    expect(shown.withheld).toContain(`${ORDER}.find`);
    expect(shown.withheld).not.toContain(`${PLACE}.find`);
    await expect(explain(config, '/api/orders', { role: 'public', json: false })).rejects.toThrow(
      /withheld because of the project's controller .*order\.ts; servedWithout/,
    );
  });

  it('a project full of code is told in one screen as well', () => {
    const findings = Array.from({ length: 60 }, (_, index): CodeFinding => {
      const uid = `api::type-${index}.type-${index}`;
      const closes = index % 3 === 0 ? 'nothing' : 'all';
      return {
        file: `src/api/${index}.ts`,
        kind: 'controller',
        subject: uid,
        does: 'x'.repeat(300),
        closes,
        instead: 'y',
      };
    });
    const notes = codeNotes(findings, CLOSED);
    expect(notes.length).toBeLessThan(25);
    expect(Math.max(...notes.map((line) => line.length))).toBeLessThan(500);
    expect(notes.filter((line) => /^ {2}and \d+ more$/.test(line))).toEqual(['  and 34 more', '  and 16 more']);
    expect(codeNotes([], CLOSED)).toEqual([]);
    const servedWithout = Object.fromEntries(findings.map(({ subject }) => [subject!, ['controller']]));
    expect(codeNotes(findings, { ...CLOSED, servedWithout })).toEqual([
      'The project has code of its own, which Sheaf does not run.',
      expect.stringContaining('Served without, as config/sheaf.json says: {"api::type-0.type-0": ["controller"]'),
    ]);
  });

  it('the start tells each file, what it seems to do and what there is instead, in one screen', async () => {
    const database = engine.freshDatabaseUrl();
    const words = ['start', '--port', '0', '--project', projectOf(contents), '--database', database];
    const child = spawn(process.execPath, ['--no-warnings', MAIN, ...words], {
      env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    for await (const part of child.stdout.setEncoding('utf8')) {
      said += part;
      if (said.includes('Stop with')) child.kill('SIGTERM');
    }
    if (child.exitCode === null) await once(child, 'exit');
    const lines = said.slice(said.indexOf('The project has code'), said.indexOf('Mails')).trimEnd().split('\n');
    expect(lines).toEqual([
      'The project has code of its own, which Sheaf does not run.',
      'What may pass through it is closed to everyone, whatever is granted:',
      `  ${DISH}: writes (lifecycles, src/api/dish/content-types/dish/lifecycles.ts)`,
      expect.stringMatching(/^ {4}beforeCreate, afterUpdate; seems to call another service.* Instead: .*afterCommit/),
      `  ${ORDER}: reads and writes (controller, src/api/order/controllers/order.ts)`,
      expect.stringMatching(/^ {4}overrides find, update; seems to limit entries to their owner.*rows in access/),
      'Once nothing depends on that code, or rules take its place, open it in config/sheaf.json:',
      `  "servedWithout": {"${DISH}": ["lifecycles"], "${ORDER}": ["controller"]}`,
      'It also does without:',
      expect.stringMatching(/^ {2}bootstrap, src\/index\.ts: seems to grant permissions.* Instead: sheaf role grant/),
    ]);
    // What lets everyone read leaves out what is closed.
    expect(said).toContain(`${PLACE}.find`);
    expect(said).not.toContain(`${ORDER}.find`);
  });
});
