// The command line as people and programs meet it: users, roles and tokens made and taken away, in words or as JSON,
// with codes and next steps; what is changed there acts at once on servers that run. Commands run in a process apart from
// the servers; those whose input or exit is tested have one of their own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { accountCommand } from '../src/cli/account-commands.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { USER } from '../src/model/builtin.ts';
import { readConfig } from '../src/project/environment.ts';
import { type CommandOptions, type Ran, useCommands, variables } from './support/commands.ts';
import { type Answered, Content, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const NOTES: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
const NOTE = 'api::note.note';
const PASSWORD = 'grüne  Wiese, 7 ';
const TOKEN = /^[0-9a-f]{256}$/;

const running = new Set<ChildProcess>();
afterAll(() => {
  // Those that a failed test left.
  for (const child of running) child.kill('SIGKILL');
});

const run = useCommands();

/** Nothing of this process's own settings reaches the command. */
function launch(words: readonly string[], { env = {}, cwd = process.cwd() }: CommandOptions = {}) {
  const child = spawn(process.execPath, ['--no-warnings', MAIN, ...words], {
    cwd,
    env: variables(env),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  // A command that refuses does not read what is piped in.
  child.stdin.on('error', () => undefined);
  return { child, ended };
}

/** The same in a process of its own, whose input stays open. */
async function spawned(words: readonly string[], options: CommandOptions = {}): Promise<Ran> {
  const { child, ended } = launch(words, options);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    out += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part) => {
    err += part;
  });
  child.stdin.write(options.input ?? '');
  return { code: await ended, out, err };
}

interface Server {
  readonly address: string;
  /** What it said until it listened. */
  readonly said: string;
  ask(
    method: string,
    url: string,
    options?: { body?: unknown; token?: string },
  ): Promise<{ status: number; body: Answered }>;
  /** Ends it in order; its exit code. */
  stop(): Promise<number | null>;
}

async function serve(words: readonly string[], options: CommandOptions = {}): Promise<Server> {
  const { child, ended } = launch(['start', '--port', '0', ...words], options);
  let said = '';
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (part) => {
    complaints += part;
  });
  const address = await new Promise<string>((resolve, reject) => {
    let found = '';
    createInterface(child.stdout).on('line', (line) => {
      said += `${line}\n`;
      found ||= /^ +at +(http:\S+)/.exec(line)?.[1] ?? '';
      if (line.startsWith('Stop with')) resolve(found);
    });
    ended.then((code) => reject(new Error(`The server ended with ${code}: ${complaints}`)));
  });
  return {
    address,
    said,
    async ask(method, url, { body, token } = {}) {
      const response = await fetch(`${address}/api/${url}`, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      return { status: response.status, body: text === '' ? null : JSON.parse(text) };
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

/** Expects words on the error output alone: what is wrong, then, where `step` is given, what to do about it. */
function expectRefusal({ code, out, err }: Ran, wrong: RegExp, step?: RegExp): void {
  expect(err).toMatch(wrong);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^sheaf: /);
  // No trace of the program.
  expect(err).not.toMatch(/^ +at .*:\d+/m);
  if (step) expect(err.split('\n').slice(1).join('\n')).toMatch(step);
}

describeOnSqlite('The command line', (engine) => {
  const contents = useContents(engine);
  let project: string;
  let database: string;
  const people = (words: readonly string[], options: CommandOptions = {}, runner = run) =>
    runner([...words, '--project', project, '--database', database], options);
  /** What a command says. */
  const words = async (...given: string[]): Promise<string> => {
    const { code, out, err } = await people(given);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return out;
  };
  /** What a command says to a program: one line. */
  const json = async (...given: string[]): Promise<Answered> => {
    const out = await words(...given, '--json');
    expect(out).toMatch(/^[^\n]+\n$/);
    return JSON.parse(out);
  };
  const named = (username: string, ...more: string[]) => [
    '--username',
    username,
    '--email',
    `${username}@Example.com`,
    ...more,
  ];
  let opened: Sheaf;
  beforeAll(async () => {
    project = contents.project(NOTES);
    database = engine.bareDatabaseUrl(null);
    // As beside a server that runs.
    opened = await open({ project, database });
  });
  afterAll(() => opened.close());

  describe('of words that it does not know', () => {
    it.each([
      [['nonsense'], null],
      [['role', 'toString'], 'sheaf role show, sheaf role create'],
      [['shema', 'dif'], 'did you mean sheaf schema diff?'],
      [['token', 'crate', 'website'], 'did you mean sheaf token create?'],
    ])('ends with 2 and says which is meant (%j)', async (given, hint) => {
      const { code, out, err } = await people(given);
      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain(`"${given.join(' ')}" is not a command`);
      expect(err).toContain(hint ?? 'sheaf --help shows them all');
    });

    it('shows the help where there are none, and ends with 2', async () => {
      expect(await people([])).toMatchObject({ code: 2, out: expect.stringMatching(/Usage\n/) });
    });

    it('ends with 1 where an option is not known, and says where options are listed', async () => {
      const refused = await people(['user', 'list', '--nonsense'], {}, spawned);
      expectRefusal(refused, /--nonsense/, /sheaf user list --help/);
    });

    it('shows every command in its help, on the output', async () => {
      const { code, out, err } = await run(['--help']);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      for (const { name } of COMMANDS) expect(out).toContain(`  sheaf ${name}`);
    });
  });

  describe('of users', () => {
    it('makes them with the first line of a pipe for a password, and does not wait for its end', async () => {
      expect(await words('user', 'list')).toMatch(/no users.*sheaf user create/);
      const [anna, mike] = await Promise.all([
        people(['user', 'create', ...named('anna')], { input: `${PASSWORD}\nmore\n` }, spawned),
        people(['user', 'create', ...named('mike', '--role', 'Public', '--json')], { input: 'another one' }),
      ]);
      expect(anna).toEqual({
        code: 0,
        out: expect.stringMatching(/^Made the user anna \([a-z0-9]{24}\) with the role Authenticated\.\n$/),
        err: '',
      });
      expect({ code: mike.code, err: mike.err }).toEqual({ code: 0, err: '' });
      expect(JSON.parse(mike.out)).toEqual({
        id: expect.any(Number),
        documentId: expect.stringMatching(/^[a-z0-9]{24}$/),
        username: 'mike',
        email: 'mike@example.com',
        role: 'public',
      });
      const server = await contents.open(project, database);
      for (const [identifier, password, status] of [
        ['anna', PASSWORD, 200],
        ['ANNA@example.com', PASSWORD, 200],
        ['anna', PASSWORD.trim(), 400],
        ['mike', 'another one', 200],
      ] as const)
        expect((await server.send('POST', 'auth/local', { identifier, password })).status, identifier).toBe(status);
      await server.close();
      // Nor is a password kept as it was given.
      const file = database.slice('sqlite:'.length);
      for (const name of [file, `${file}-wal`])
        if (existsSync(name)) expect(readFileSync(name).includes('another one')).toBe(false);
    });

    it('blocks and unblocks by name or address, and lists them', async () => {
      expect(await words('user', 'block', 'anna')).toMatch(/^anna is blocked\b.*\n$/);
      expect(await json('user', 'unblock', 'MIKE@example.com')).toEqual({
        id: expect.any(Number),
        username: 'mike',
        blocked: false,
      });
      const [list, users] = await Promise.all([words('user', 'list'), json('user', 'list')]);
      const lines = list.split('\n').map((line) => line.trim().split(/ +/));
      expect(lines).toEqual(
        expect.arrayContaining([
          [expect.stringMatching(/^\d+$/), 'anna', 'anna@example.com', 'authenticated', 'blocked'],
          [expect.stringMatching(/^\d+$/), 'mike', 'mike@example.com', 'public'],
        ]),
      );
      expect(list).not.toMatch(/[ \t]$/m);
      expect(users).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ username: 'anna', email: 'anna@example.com', blocked: true, confirmed: true }),
          expect.objectContaining({ username: 'mike', email: 'mike@example.com', blocked: false, confirmed: true }),
        ]),
      );
      for (const user of users) expect(Object.keys(user).join()).not.toMatch(/password|token/i);
    });

    it('shows names without what a terminal would obey, and to programs as they are', async () => {
      const username = 'red\u001b[31m\u0007\r\nroot\u202egnp\u2066';
      const escaped = 'red\\u001b[31m\\u0007\\u000d\\u000aroot\\u202egnp\\u2066';
      const data = { username, email: 'red@example.com', provider: 'local', confirmed: true };
      const { documentId } = await opened.documents(USER).create({ data });
      const list = await words('user', 'list');
      for (const obeyed of ['\u001b', '\u0007', '\r', '\u202e', '\u2066']) expect(list).not.toContain(obeyed);
      expect(list).toContain(`${escaped}  red@example.com`);
      const users = await json('user', 'list');
      expect(users).toContainEqual(expect.objectContaining({ username }));
      expect(await words('user', 'block', username)).toBe(`${escaped} is blocked and logged out everywhere.\n`);
      const { err } = await people(['user', 'delete', username]);
      expect(err).toContain(`the user ${escaped} (red@example.com)`);
      const missing = await people(['user', 'block', 'no\u001b[2Jbody']);
      expect(missing.err).toContain('no user "no\\u001b[2Jbody"');
      await opened.documents(USER).delete({ documentId });
    });

    it('changes nobody where a name is the address of another', async () => {
      const one = { username: 'Twin@Example.com', email: 'one@example.com', provider: 'local', confirmed: true };
      const other = { ...one, username: 'other', email: 'other@example.com' };
      const made = [
        await opened.documents(USER).create({ data: one }),
        await opened.documents(USER).create({ data: other }),
      ];
      const sql = "update up_users set email = 'twin@example.com' where username = 'other'";
      await opened.database.transaction((session) => session.rows({ sql, bindings: [] }, []));
      const refused = await people(['user', 'block', 'Twin@Example.com']);
      expectRefusal(refused, /of 2 users/, /name Twin@Example\.com, address one@example\.com/);
      expect(refused.err).toContain('name other, address twin@example.com');
      expect(await words('user', 'block', 'one@example.com')).toMatch(/^Twin@Example\.com is blocked/);
      expect(await words('user', 'block', 'other')).toMatch(/^other is blocked/);
      for (const { documentId } of made) await opened.documents(USER).delete({ documentId });
    });

    describe('refuses', () => {
      const create = ['user', 'create'];
      it.each<[string, readonly string[], string, RegExp, RegExp?]>([
        ['no name where there is nobody to ask', create, PASSWORD, /--username is missing/, /\S/],
        ['no password', [...create, ...named('silent')], '', /password is missing/, /first line/],
        [
          'a role that is not there',
          [...create, ...named('wrong', '--role', 'nope')],
          PASSWORD,
          /no role "nope"/,
          /authenticated.*public.*sheaf role create/,
        ],
        ['a short password', [...create, ...named('wrong')], 'short', /at least 6/],
        [
          'an address that is taken, however it is written',
          [...create, '--username', 'new', '--email', 'ANNA@example.COM'],
          PASSWORD,
          /already taken/,
        ],
        ['to block nobody', ['user', 'block', 'nobody'], '', /no user "nobody"/, /sheaf user list/],
        [
          'the address of another for a name',
          [...create, '--username', 'anna@example.com', '--email', 'new@example.com'],
          PASSWORD,
          /already taken/,
        ],
      ])('%s', async (_what, given, input, wrong, step) => {
        expectRefusal(await people(given, { input }), wrong, step);
      });
    });
  });

  describe('of roles', () => {
    it('makes, grants, shows and revokes, in words', async () => {
      expect(await words('role', 'create', 'Guest Editor')).toMatch(/Guest Editor.*sheaf role grant guest_editor/);
      // Find, findOne, create, update, delete, and clone.
      expect(await words('role', 'grant', 'Guest Editor', `${NOTE}.find`, `${NOTE}.*`)).toMatch(
        /^Guest Editor may now also:\n( {2}api::note\.note\.\w+\n){6}$/,
      );
      const shown = await words('role', 'show', 'guest_editor');
      expect(shown).toMatch(/^Guest Editor \(guest_editor\):\n( {2}\S+\n)+$/);
      expect(shown.match(/^ {2}api::note\.note\.\w+$/gm)).toHaveLength(6);
      expect(await words('role', 'revoke', 'guest_editor', NOTE)).toMatch(
        /may no longer:\n( {2}api::note\.note\.\w+\n){6}$/,
      );
    });

    it('makes, grants and shows, for programs', async () => {
      const role = await json('role', 'create', 'Robot');
      const own = expect.arrayContaining(['plugin::users-permissions.user.me']);
      expect(role).toEqual({ id: expect.any(Number), type: 'robot', name: 'Robot', actions: own });
      expect(JSON.stringify(role.actions)).not.toContain('api::');
      expect(await json('role', 'grant', 'robot', `${NOTE}.find`, `${NOTE}.find`)).toEqual({
        role: 'robot',
        granted: [`${NOTE}.find`],
      });
      // All or nothing.
      const refused = await people(['role', 'grant', 'robot', `${NOTE}.create`, 'nonsense']);
      expectRefusal(refused, /"nonsense" is nothing that can be granted/, /api::\S+\.find/);
      const [shown] = (await json('role', 'show')).filter(({ type }: Answered) => type === 'robot');
      expect(new Set(shown.actions)).toEqual(new Set([...role.actions, `${NOTE}.find`]));
    });

    it('grants * only where that is meant, and says what it opens, users and uploads first', async () => {
      await words('role', 'create', 'Bold');
      const before = await words('role', 'show', 'bold');
      const refused = await people(['role', 'grant', 'bold', '*']);
      expectRefusal(refused, /^sheaf: '\*' opens all of this to the role Bold, accounts of users and uploads/, /--yes/);
      const [, first, second, ...rest] = refused.err.split('\n');
      expect(first).toBe('  plugin::users-permissions.user: find, findOne, create, update, destroy, count, me');
      expect(second).toMatch(/^ {2}plugin::upload\.content-api: find/);
      expect(rest.join('\n')).toContain(`  ${NOTE}: find, findOne, create, update, delete, clone\n`);
      expect(await words('role', 'show', 'bold')).toBe(before);
      const granted = (await words('role', 'grant', 'bold', '*', '--yes')).split('\n');
      expect(granted.slice(0, 2)).toEqual(['bold may now also:', '  plugin::users-permissions.user.find']);
      expect(granted).toContain(`  ${NOTE}.delete`);
      // What was granted is gone again, and what the role could do before is not.
      const revoked = await words('role', 'revoke', 'bold', '*');
      expect(revoked).toMatch(/^bold may no longer:\n[\s\S]*\nbold may still do what '\*' does not stand for/);
      expect(await words('role', 'show', 'bold')).toBe(before);
    });

    it('refuses a role that is not there, with those that are', async () => {
      const refused = await people(['role', 'grant', 'nope', '*']);
      expectRefusal(refused, /no role "nope"/, /authenticated, public.*sheaf role create/);
    });
  });

  describe('of tokens', () => {
    it('shows a new one once, in words and for programs, and takes it away', async () => {
      const [title, token, ...rest] = (await words('token', 'create', 'words')).split('\n');
      expect(title).toMatch(/^The token words \(read-only\).*only now/);
      expect(token).toMatch(TOKEN);
      expect(rest).toEqual(['']);
      const made = await json('token', 'create', 'some', `${NOTE}.find`, '--days', '7');
      expect(made).toEqual({
        name: 'some',
        type: 'custom',
        actions: [`${NOTE}.find`],
        days: 7,
        token: expect.stringMatching(TOKEN),
      });
      expect(made.token).not.toBe(token);
      expect(await json('token', 'revoke', 'some')).toEqual({ name: 'some', revoked: 1 });
    });

    describe('refuses', () => {
      it.each<[string, readonly string[], RegExp, RegExp]>([
        ['a time that is none', ['create', 'a', '--days', '0'], /--days 0 cannot be used/, /1 to 99999/],
        ['a type that is none', ['create', 'a', '--type', 'readonly'], /no type "readonly"/, /did you mean read-only/],
        ['no actions', ['create', 'a', '--type', 'custom'], /needs the actions/, /sheaf token create/],
        ['actions beside a type', ['create', 'a', NOTE, '--type', 'read-only'], /takes no actions/, /leave them out/],
        [
          'an action that is misspelled',
          ['create', 'a', `${NOTE}.fnid`],
          /is nothing/,
          /did you mean api::note.note.find/,
        ],
        // In the same words as a role's.
        ['an action that is not there', ['create', 'a', 'nonsense'], /"nonsense" is nothing/, /api::\S+\.find/],
        ['to revoke one that is not there', ['revoke', 'nope'], /no token "nope"/, /sheaf \w+/],
      ])('%s', async (_what, given, wrong, step) => {
        expectRefusal(await people(['token', ...given]), wrong, step);
      });
    });
  });

  it('waits for another program that holds the database for a moment', async () => {
    const url = engine.freshDatabaseUrl();
    await (await open({ project, database: url })).close();
    const holder = new DatabaseSync(url.slice('sqlite:'.length));
    holder.exec('pragma locking_mode = exclusive; begin immediate; create table held (id integer); commit');
    const shown = run(['role', 'show', '--project', project, '--database', url]);
    // Until it gave up, or for long enough that it must have tried.
    await Promise.race([shown, sleep(500)]);
    holder.close();
    expect(await shown).toMatchObject({ code: 0, err: '' });
  });

  describe('of the project and its environment', () => {
    it('names the next step where no database is named', async () => {
      const refused = await run(['user', 'list', '--project', project]);
      expectRefusal(refused, /No database is named/, /--database|DATABASE_URL/);
    });

    it('reads the .env file of the project, and what the process has comes first', async () => {
      const folder = contents.project(NOTES);
      const [own, other] = [engine.bareDatabaseUrl(null), engine.bareDatabaseUrl(null)];
      writeFileSync(path.join(folder, '.env'), `DATABASE_URL=${own}\n`);
      const typesOf = async (env: Readonly<Record<string, string>>): Promise<string[]> => {
        const { out } = await run(['role', 'show', '--json', '--project', folder], { env });
        return JSON.parse(out).map(({ type }: { type: string }) => type);
      };
      const sheaf = await open({ project: folder, database: own });
      await (await sheaf.auth()).roles.create('From the file');
      await sheaf.close();
      await (await open({ project: folder, database: other })).close();
      expect(await typesOf({})).toContain('from_the_file');
      expect(await typesOf({ DATABASE_URL: other })).toEqual(['authenticated', 'public']);
    });

    it.each<[string, Readonly<Record<string, string>>, RegExp, RegExp]>([
      ['with a secret that could be guessed', { JWT_SECRET: 'secret' }, /guessed/, /JWT_SECRET.*openssl rand/],
      ['off this machine without a secret', { HOST: '0.0.0.0' }, /does not listen on 0\.0\.0\.0/, /JWT_SECRET/],
    ])('does not start %s', async (_what, env, wrong, step) => {
      expectRefusal(await people(['start', '--port', '0'], { env }), wrong, step);
    });
  });

  describe('that explains a request in the eyes of a role', () => {
    let folder: string;
    let url: string;
    const explain = (...given: string[]) => run(['explain', ...given, '--project', folder, '--database', url]);
    beforeAll(async () => {
      folder = contents.project({
        types: { note: { attributes: { title: { type: 'string' }, author: { type: 'string' } } } },
      });
      mkdirSync(path.join(folder, 'access'));
      writeFileSync(
        path.join(folder, 'access', 'rules.json'),
        JSON.stringify({
          public: { [NOTE]: { rows: { find: { title: 'for everyone' } }, fields: { read: ['title'] } } },
          authenticated: { [NOTE]: { rows: { find: { author: '$user.username' } } } },
        }),
      );
      url = engine.bareDatabaseUrl(null);
      const sheaf = await open({ project: folder, database: url });
      const { roles } = await sheaf.auth();
      for (const role of ['public', 'authenticated']) await roles.grant(role, [`${NOTE}.find`]);
      await sheaf.close();
    });

    it('shows what the rules of the role add to the statement', async () => {
      const [free, bound, own] = await Promise.all([
        explain('/api/notes?sort=title'),
        explain('--as', 'public', '/api/notes?sort=title'),
        explain('--as', 'Authenticated', '/api/notes?sort=title'),
      ]);
      for (const { code, out, err } of [free, bound, own]) {
        expect({ code, err }).toEqual({ code: 0, err: '' });
        expect(out).toMatch(
          /^Request\n\/api\/notes\?sort=title\n\nPlan\npublished rows of api::note\.note\n[\s\S]*\n\nCost, .*\n0 {2}api::note\.note\nIt is small, and runs at once\.\n\nSQL: [\s\S]*Query plan: /,
        );
      }
      const statements = ({ out }: Ran) => out.slice(out.indexOf('SQL:'));
      const conditions = (ran: Ran) => /\bwhere\b[^\n]*/i.exec(statements(ran))?.[0] ?? '';
      expect(conditions(free)).not.toMatch(/"title"|"author"/);
      expect(conditions(bound)).toMatch(/"title"/);
      expect(conditions(own)).toMatch(/"author"/);
      expect(bound.out).toContain('for everyone');
      // A column that the role may not read is not read.
      expect(statements(free)).toContain('"author"');
      expect(statements(bound)).not.toContain('"author"');
    });

    it('has the same as JSON for programs', async () => {
      const { code, out } = await explain('--json', '--as', 'public', '/api/notes?sort=title');
      expect(code).toBe(0);
      expect(JSON.parse(out)).toMatchObject({
        request: '/api/notes?sort=title',
        plan: { uid: NOTE, status: 'published' },
        cost: { title: NOTE, rows: 0, parts: [] },
        isHeavy: false,
        statements: expect.arrayContaining([
          expect.objectContaining({ sql: expect.stringContaining('"title"'), queryPlan: expect.any(Array) }),
        ]),
      });
    });

    it('refuses what the role was not granted, with the next step', async () => {
      expectRefusal(
        await explain('--as', 'public', '/api/notes/abc'),
        /Forbidden|may not/,
        /sheaf role grant public .*api::note\.note\.findOne/,
      );
    });
  });

  it('fills the example, with a token that can write; a second start finds it all and says no password', async () => {
    const cwd = contents.folder();
    const first = await serve(['--example'], { cwd });
    const token = /^ *TOKEN=(\S+)$/m.exec(first.said)?.[1];
    const password = /with the password (\S+)/.exec(first.said)?.[1];
    expect(first.said).toMatch(/Filled the example with \d+ entries/);
    expect(first.said).not.toMatch(/Nobody may read/);
    expect(first.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    // What it shows to try works as it is shown.
    const requests = [...first.said.matchAll(/curl -g '(\S+)'/g)].map(([, url]) => url!);
    expect(requests.length).toBeGreaterThanOrEqual(3);
    for (const url of requests) {
      const response = await fetch(url);
      expect(response.status, url).toBe(200);
      expect(((await response.json()) as Answered).data.length, url).toBeGreaterThan(0);
    }
    const entry = { data: { name: 'Written by the token' } };
    expect((await first.ask('POST', 'restaurants', { body: entry })).status).toBe(403);
    expect((await first.ask('POST', 'restaurants', { body: entry, token: token! })).status).toBe(201);
    const logIn = { body: { identifier: 'john', password } };
    expect((await first.ask('POST', 'auth/local', logIn)).body).toMatchObject({ user: { username: 'john' } });
    expect(await first.stop()).toBe(0);

    const second = await serve(['--example'], { cwd });
    expect(second.said).not.toMatch(/password|Filled/i);
    const fresh = /^ *TOKEN=(\S+)$/m.exec(second.said)?.[1];
    expect(fresh).not.toBe(token);
    for (const each of [token!, fresh!])
      expect((await second.ask('POST', 'restaurants', { body: entry, token: each })).status).toBe(201);
    const found = await second.ask('GET', 'restaurants?filters[name]=Written by the token');
    expect(found.body.data).toHaveLength(3);
    expect((await second.ask('POST', 'auth/local', logIn)).status).toBe(200);
    expect(await second.stop()).toBe(0);
    // What it keeps for itself is for this account alone.
    expect(readdirSync(cwd)).toEqual(['.sheaf']);
    expect(statSync(path.join(cwd, '.sheaf', 'secrets.json')).mode & 0o077).toBe(0);
  });
});

describeOnSqlite('Granting * in a terminal', (engine) => {
  const contents = useContents(engine);
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['y', true],
    ['YES', true],
    ['', false],
    ['n', false],
  ])('asks first, and takes "%s" for an answer', async (answer, isGranted) => {
    const options = { project: contents.project(NOTES), database: engine.bareDatabaseUrl(null) };
    await (await open(options)).close();
    const terminal = Object.assign(new PassThrough(), { isTTY: true });
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(terminal as unknown as typeof process.stdin);
    let asked = '';
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      asked += text;
      if (String(text).includes('[y/N]')) terminal.write(`${answer}\n`);
      return true;
    });
    const config = readConfig(options, {});
    const granting = accountCommand(config, ['role', 'grant', 'public', '*'], { json: false, yes: false });
    if (isGranted) expect(await granting).toMatch(/^public may now also:\n/);
    else await expect(granting).rejects.toThrow('Nothing was granted');
    expect(asked).toMatch(
      /^'\*' opens all of this[\s\S]*\n {2}plugin::users-permissions\.user: .*destroy[\s\S]*\[y\/N\]/,
    );
    const shown = await accountCommand(config, ['role', 'show', 'public'], { json: false, yes: false });
    expect(shown.includes(`${NOTE}.delete`)).toBe(isGranted);
  });
});

describeOnEveryDatabase('What the command line changes', (engine) => {
  const contents = useContents(engine);
  const place = () => ['--project', contents.project(NOTES), '--database', engine.freshDatabaseUrl()];
  async function sheaf(at: readonly string[], ...words: string[]): Promise<Answered> {
    const { code, out, err } = await run([...words, ...at, '--json'], { input: PASSWORD });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  }
  const title = (text: string) => ({ body: { data: { title: text } } });

  it('is made once where several begin on an empty database at the same time', async () => {
    const options = { project: contents.project(NOTES), database: engine.freshDatabaseUrl() };
    const begun = await Promise.allSettled([open(options), open(options), open(options)]);
    const all = begun.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const roles = await Promise.all(all.map(async (sheaf) => (await sheaf.auth()).roles.list()));
    for (const sheaf of all) await sheaf.close();
    expect(begun.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))).toEqual([]);
    for (const list of roles) expect(list.map(({ type }) => type)).toEqual(['authenticated', 'public']);
    for (const { actions } of roles[0]!) expect(new Set(actions).size).toBe(actions.length);
  });

  it('opens an empty database to everyone, but not the roles of users', async () => {
    const at = place();
    await sheaf(at, 'role', 'grant', 'public', '*', '--yes');
    const [, project, , database] = at;
    const server = new Content(await open({ project: project!, database: database! }));
    const made = await server.send('POST', 'notes', title('first').body);
    expect(made.status).toBe(201);
    const { documentId } = made.body.data;
    expect((await server.send('PUT', `notes/${documentId}`, title('changed').body)).status).toBe(200);
    expect((await server.get('notes?filters[title]=changed')).body.data).toHaveLength(1);
    expect((await server.send('DELETE', `notes/${documentId}`)).status).toBe(204);
    const user = { username: 'anyone', email: 'anyone@example.com', password: PASSWORD };
    expect((await server.send('POST', 'users', user)).status).toBe(201);
    for (const query of [
      'filters[role]=1',
      'filters[role][name]=Public',
      'filters[role][type][$contains]=a',
      'filters[$or][0][role][id][$gt]=0',
      'sort=role.name',
    ])
      expect(await server.get(`users?${query}`), query).toMatchObject({
        status: 400,
        body: { data: null, error: { name: 'ValidationError', message: expect.stringMatching(/^Invalid key role/) } },
      });
    expect((await server.get('users?populate=*')).body.data[0]).not.toHaveProperty('role');
    await server.close();
  });

  describe('acts at once on a server that runs', () => {
    let at: string[];
    let server: Server;
    beforeAll(async () => {
      at = place();
      server = await serve(at);
    });
    afterAll(async () => {
      expect(await server.stop()).toBe(0);
    });

    it('which said that nobody may read anything yet, and what to do', () => {
      const [, hint] = /^Nobody may read anything yet\..*:\n((?: {2}.*\n)+)/m.exec(server.said)!;
      // Quoted where the shell would read signs of it.
      const words = at
        .map((word) => word.replace(/:[^:@/]+@/, ':…@'))
        .map((word) => (/[?&]/.test(word) ? `'${word}'` : word));
      expect(hint!.replaceAll(/ \\\n +/g, ' ')).toBe(
        `  sheaf role grant public ${NOTE}.find ${NOTE}.findOne ${words.join(' ')}\n`,
      );
    });

    it('which printed a link for the first account of the console, good once', async () => {
      const [, link] = /first account, once and within an hour:\n {2}(\S+)\n/.exec(server.said)!;
      const { origin, pathname, searchParams } = new URL(link!);
      expect(pathname).toBe('/console/welcome');
      const token = searchParams.get('token')!;
      const ask = async (path: string, body?: unknown, cookie = ''): Promise<Answered> => {
        const answer = await fetch(`${origin}/console/api/${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'x-sheaf-console': '1', 'content-type': 'application/json', cookie },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        });
        const [set = ''] = answer.headers.getSetCookie();
        return { status: answer.status, body: await answer.json(), cookie: set.split(';')[0] };
      };
      expect((await ask(`welcome?token=${token}`)).body).toEqual({ account: null });
      expect(await sheaf(at, 'admin', 'list')).toEqual([]);
      const first = { token, email: 'ada@example.com', password: 'Correct-horse-1' };
      const { cookie } = await ask('welcome', first);
      expect((await ask('session', undefined, cookie)).body.account.email).toBe('ada@example.com');
      expect((await ask('welcome', first)).status).toBe(404);
      // A link for someone else, and a new one for the first, who is logged out with it.
      const made = await sheaf(at, 'admin', 'create', '--email', 'Ed@example.com', '--role', 'editor');
      expect(made).toMatchObject({ email: 'ed@example.com', isActive: false, roles: [{ code: 'strapi-editor' }] });
      const reset = await sheaf(at, 'admin', 'reset', 'ADA@example.com');
      expect((await ask('session', undefined, cookie)).status).toBe(401);
      const linked = { token: new URL(reset.link).searchParams.get('token'), password: 'Battery-staple-2' };
      expect((await ask('session', { email: first.email, password: first.password })).status).toBe(400);
      expect((await ask('welcome', linked)).status).toBe(200);
      const listed = await run(['admin', 'list', ...at]);
      expect(listed.out).toMatch(
        /^ +1 {2}ada@example\.com +Super Admin\n +2 {2}ed@example\.com +Editor +no password yet\n$/,
      );
      const unknown = await run(['admin', 'create', ...at, '--email', 'x@example.com', '--role', 'nobody']);
      expect(unknown).toMatchObject({ code: 1, err: expect.stringContaining('there are super-admin, editor, author') });
      const given = await run(['admin', 'create', ...at, '--email', 'gil@example.com', '--password'], {
        input: 'weak',
      });
      expect(given).toMatchObject({ code: 1, err: expect.stringContaining('at least 8 characters') });
    });

    it('by nothing that lasts where * is granted and revoked again: logging in is as it was', async () => {
      const account = { username: 'olga', email: 'olga@example.com', password: PASSWORD };
      expect((await server.ask('POST', 'auth/local/register', { body: account })).status).toBe(200);
      const before = await sheaf(at, 'role', 'show');
      for (const role of ['public', 'authenticated']) await sheaf(at, 'role', 'grant', role, '*', '--yes');
      for (const role of ['public', 'authenticated']) await sheaf(at, 'role', 'revoke', role, '*');
      expect(await sheaf(at, 'role', 'show')).toEqual(before);
      const { status, body } = await server.ask('POST', 'auth/local', {
        body: { identifier: 'olga', password: PASSWORD },
      });
      expect(status).toBe(200);
      expect((await server.ask('GET', 'users/me', { token: body.jwt })).status).toBe(200);
      // By name it can be taken away, and given back.
      const auth = 'plugin::users-permissions.auth';
      const { revoked } = await sheaf(at, 'role', 'revoke', 'public', auth);
      expect(revoked).toContain(`${auth}.callback`);
      await sheaf(at, 'role', 'grant', 'public', ...revoked);
      expect(await sheaf(at, 'role', 'show')).toEqual(before);
    });

    it('by what a role is granted, and what is revoked', async () => {
      const statuses = async () => [
        (await server.ask('GET', 'notes')).status,
        (await server.ask('POST', 'notes', title('a'))).status,
      ];
      expect(await statuses()).toEqual([403, 403]);
      await sheaf(at, 'role', 'grant', 'public', `${NOTE}.find`);
      expect(await statuses()).toEqual([200, 403]);
      expect(await sheaf(at, 'role', 'revoke', 'public', NOTE)).toEqual({ role: 'public', revoked: [`${NOTE}.find`] });
      expect(await statuses()).toEqual([403, 403]);
    });

    it('by who is blocked', async () => {
      const account = { username: 'anna', email: 'anna@example.com', password: PASSWORD };
      const token = (await server.ask('POST', 'auth/local/register', { body: account })).body.jwt;
      const logIn = () => server.ask('POST', 'auth/local', { body: { identifier: 'anna', password: PASSWORD } });
      const statusOf = async (bearer: string) => (await server.ask('GET', 'users/me', { token: bearer })).status;
      expect(await statusOf(token)).toBe(200);
      await sheaf(at, 'user', 'block', 'anna');
      expect(await statusOf(token)).toBe(401);
      expect(await logIn()).toMatchObject({
        status: 400,
        body: { error: { name: 'ApplicationError', message: expect.stringMatching(/blocked/) } },
      });
      await sheaf(at, 'user', 'unblock', 'anna');
      // Logged out stays logged out.
      expect(await statusOf(token)).toBe(401);
      expect(await statusOf((await logIn()).body.jwt)).toBe(200);
    });

    it('by which tokens there are', async () => {
      const { token } = await sheaf(at, 'token', 'create', 'writer', `${NOTE}.create`);
      const statuses = async () => [
        (await server.ask('POST', 'notes', { ...title('a'), token })).status,
        (await server.ask('GET', 'notes', { token })).status,
      ];
      expect(await statuses()).toEqual([201, 403]);
      await sheaf(at, 'token', 'revoke', 'writer');
      expect(await statuses()).toEqual([401, 401]);
    });
  });
});
