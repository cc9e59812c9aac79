// `sheaf dev`: follows the files of a project, serves what was while something is wrong, and never stops answering.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAttributes, addType } from '../src/cli/define/define-commands.ts';
import { DevServer, type Serving } from '../src/cli/dev/dev-server.ts';
import { devToken } from '../src/cli/dev/dev-token.ts';
import { ProjectWatch } from '../src/cli/dev/project-watch.ts';
import { sampleRequests } from '../src/cli/dev/sample-requests.ts';
import { planServing } from '../src/cli/dev/serving-plan.ts';
import { initProject } from '../src/cli/init/init-command.ts';
import { errorLog } from '../src/http/log.ts';
import { readConfig } from '../src/project/environment.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { modelOf } from './support/project.ts';

/** What is told, in order; each is taken once. */
class Told<T> {
  readonly #told: T[] = [];
  readonly #waiting: ((one: T) => void)[] = [];

  readonly tell = (one: T): void => {
    const next = this.#waiting.shift();
    if (next) next(one);
    else this.#told.push(one);
  };

  next(): Promise<T> {
    const one = this.#told.shift();
    return one === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(one);
  }
}

const root = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
afterAll(() => rmSync(root, { recursive: true }));

describe('The watch of a project', () => {
  const project = path.join(root, 'watched');
  const told = new Told<readonly string[]>();
  let watch: ProjectWatch;
  const write = (file: string, text: string): void => {
    mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    writeFileSync(path.join(project, file), text);
  };
  beforeAll(() => {
    write('src/api/a/content-types/a/schema.json', '{}');
    watch = new ProjectWatch(project, told.tell);
    return () => watch.close();
  });

  it('tells what has changed, once, also in folders that were not there, and not what is none of its business', async () => {
    write('src/api/a/content-types/a/schema.json', '{}');
    write('notes.txt', 'a');
    write('node_modules/x/index.js', 'a');
    write('src/api/b/content-types/b/schema.json', '{"b": 1}');
    write('src/components/shared/seo.json', '{}');
    const files = ['src/api/b/content-types/b/schema.json', 'src/components/shared/seo.json'];
    expect(await told.next()).toEqual(files.map(path.normalize));
    write('config/sheaf.json', '{}');
    write('.env', 'A=1');
    write('access/rules.json', '{}');
    expect(await told.next()).toEqual(['.env', 'access/rules.json', 'config/sheaf.json'].map(path.normalize));
    rmSync(path.join(project, 'src/api/b'), { recursive: true });
    expect(await told.next()).toEqual([path.normalize(files[0]!)]);
    write(files[0]!, '{"b": 2}');
    expect(await told.next()).toEqual([path.normalize(files[0]!)]);
  });
});

describeOnEveryDatabase('A server that follows its project', (engine) => {
  const project = path.join(root, engine.name);
  const printed = new Told<string>();
  const served = new Told<Serving>();
  const questions = new Told<{ question: string; agree: (agreed: boolean) => void }>();
  let server: DevServer;
  let watch: ProjectWatch;
  let address: string | undefined;
  let token: string;

  beforeAll(async () => {
    initProject(project);
    const database = engine.bareDatabaseUrl(null);
    server = new DevServer({
      config: () => readConfig({ project, port: '0', database }, {}),
      plan: planServing,
      ask: (question) => new Promise((agree) => questions.tell({ question, agree })),
      logger: errorLog(),
      // What a new database gets differs between tests.
      print: (text) => address !== undefined && printed.tell(text),
      onServing: async (serving) => served.tell(serving),
    });
    await server.start();
    const serving = await served.next();
    address = serving.address;
    token = await devToken(serving.sheaf, serving.config.state);
    watch = new ProjectWatch(project, (files) => void server.refresh(files));
    return async () => {
      watch.close();
      await server.close();
      await expect(fetch(address!)).rejects.toThrow();
    };
  });

  const get = (url: string) => fetch(`${address}${url}`, { headers: { authorization: `Bearer ${token}` } });
  const definition = path.join(project, 'src/api/article/content-types/article/schema.json');

  it('has a token, made once and for this account alone', async () => {
    const file = path.join(project, '.sheaf/dev-token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await server.refresh([]);
    const { sheaf, config } = await served.next();
    expect([readFileSync(file, 'utf8').trim(), await devToken(sheaf, config.state)]).toEqual([token, token]);
    writeFileSync(file, 'f'.repeat(256));
    const other = await devToken(sheaf, config.state);
    expect(other).not.toBe(token);
    expect((await get('/api/articles')).status).toBe(401);
    token = other;
    expect((await get('/api/articles')).status).toBe(200);
  });

  it('serves a new attribute and a new type, shows what the database gets, and keeps address and content', async () => {
    const post = (data: object) =>
      fetch(`${address}/api/articles`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ data }),
      });
    expect((await post({ title: 'One' })).status).toBe(201);
    expect((await post({ title: 'Two', subtitle: 'b' })).status).toBe(400);
    addAttributes(project, 'article', ['subtitle:string']);
    expect(await printed.next()).toBe(`Changed: ${path.relative(project, definition)}`);
    expect(await printed.next()).toBe('In the database:\n  add column articles.subtitle (api::article.article)');
    expect((await served.next()).address).toBe(address);
    expect((await post({ title: 'Two', subtitle: 'b' })).status).toBe(201);
    addType(project, 'author', ['name:string!', 'articles:relation(oneToMany,article,author)'], {});
    expect(await printed.next()).toContain('author');
    expect(await printed.next()).toMatch(/create table authors .*\n {2}and \d+ more, such as indexes$/);
    await served.next();
    const list = await (await get('/api/articles?fields=title&populate=author')).json();
    expect(list).toMatchObject({ data: [{ title: 'One', author: null }, { title: 'Two' }] });
  });

  it('serves on what it served while definitions, settings or rules are wrong, and says what is wrong', async () => {
    const text = readFileSync(definition, 'utf8');
    const files = { definition: text, settings: '{}', rules: '{}' };
    const write = (changed: Partial<typeof files>): void => {
      const content = { ...files, ...changed };
      mkdirSync(path.join(project, 'access'), { recursive: true });
      writeFileSync(definition, content.definition);
      writeFileSync(path.join(project, 'config/sheaf.json'), content.settings);
      writeFileSync(path.join(project, 'access/rules.json'), content.rules);
    };
    for (const [wrong, message] of [
      [{ definition: '{' }, 'not valid JSON'],
      [{ definition: text.replace('"string"', '"strin"') }, 'attributes.title.type: expected one of'],
      [{ settings: '{"rest": {"prefx": ""}}' }, 'rest.prefx: not known'],
      [{ rules: '{"public": {"api::no.no": {}}}' }, 'there is no such content-type'],
    ] as const) {
      // Several files at once are one change.
      write(wrong);
      expect(await printed.next()).toMatch(/^Changed: /);
      const told = await printed.next();
      expect(told).toContain(message);
      expect(told).toMatch(/\nWhat was served before is served on\.$/);
      expect((await get('/api/articles')).status).toBe(200);
    }
    write({});
    await printed.next();
    await served.next();
  });

  it('asks before content has to follow a definition, and serves the old one until then', async () => {
    const text = readFileSync(definition, 'utf8');
    writeFileSync(definition, text.replace('"draftAndPublish": false', '"draftAndPublish": true'));
    expect(await printed.next()).toMatch(/^Changed: /);
    expect(await printed.next()).toMatch(
      /^The content has to follow:\n {2}api::article.article gets drafts: each of 2 rows/,
    );
    const { question, agree } = await questions.next();
    expect(question).toContain('sheaf schema undo takes it back');
    const drafts = async (): Promise<unknown> => (await get('/api/articles?status=draft')).json();
    const when = expect.stringMatching(/Z$/);
    expect(await drafts()).toMatchObject({ data: [{ publishedAt: when }, { publishedAt: when }] });
    agree(true);
    await served.next();
    expect(await drafts()).toMatchObject({ data: [{ publishedAt: null }, { publishedAt: null }] });
  });

  it('runs the code of the project as it stands, and what ran before while it is wrong', async () => {
    const file = path.join(project, 'src/sheaf.ts');
    const answering = (answer: string): string => `import { defineProject } from 'sheaf';
      import { name } from './lib/name';
      export default defineProject({
        routes: [{ method: 'GET', path: '/hello', public: true, handler: () => ({ answer: ${answer}, name }) }],
      });`;
    const change = async (changed: string, text: string): Promise<void> => {
      mkdirSync(path.dirname(path.join(project, changed)), { recursive: true });
      writeFileSync(path.join(project, changed), text);
      expect(await printed.next()).toBe(`Changed: ${path.normalize(changed)}`);
    };
    const hello = async (): Promise<unknown> => (await get('/api/hello')).json();
    await change('src/lib/name.ts', `export const name: string = 'a';`);
    await served.next();
    await change('src/sheaf.ts', answering('1'));
    await served.next();
    expect(await hello()).toEqual({ answer: 1, name: 'a' });
    await change('src/lib/name.ts', `export const name: string = 'b';`);
    await served.next();
    expect(await hello()).toEqual({ answer: 1, name: 'b' });
    await change('src/sheaf.ts', answering('1 +'));
    expect(await printed.next()).toMatch(/src\/sheaf\.ts[\s\S]*\nWhat was served before is served on\.$/);
    expect(await hello()).toEqual({ answer: 1, name: 'b' });
    rmSync(file);
    expect(await printed.next()).toBe(`Changed: ${path.normalize('src/sheaf.ts')}`);
    await served.next();
    expect((await get('/api/hello')).status).toBe(404);
  });

  it('hands connections to the code of a Strapi project, and ends them when other code takes its place', async () => {
    const index = path.join(project, 'src/index.js');
    const answering = (answer: string): string => `module.exports = { bootstrap({ strapi }) {
      const { httpServer } = strapi.server;
      httpServer.on('listening', () => httpServer.on('upgrade', (request, socket) => {
        socket.write('HTTP/1.1 101 Switching Protocols\\r\\nconnection: upgrade\\r\\nupgrade: echo\\r\\n\\r\\n${answer}');
      }));
    } };`;
    const change = async (text: string): Promise<void> => {
      writeFileSync(index, text);
      expect(await printed.next()).toBe(`Changed: ${path.normalize('src/index.js')}`);
      await served.next();
    };
    const connected = async (): Promise<{ socket: Duplex; said: string }> => {
      const asked = http.get(String(address), { headers: { connection: 'upgrade', upgrade: 'echo' } });
      const [, socket, head] = (await once(asked, 'upgrade')) as [unknown, Duplex, Buffer];
      return { socket, said: String(head.length > 0 ? head : (await once(socket, 'data'))[0]) };
    };
    await change(answering('first'));
    const first = await connected();
    expect(first.said).toBe('first');
    await Promise.all([change(answering('second')), once(first.socket, 'close')]);
    const second = await connected();
    expect(second.said).toBe('second');
    rmSync(index);
    expect(await printed.next()).toBe(`Changed: ${path.normalize('src/index.js')}`);
    await Promise.all([served.next(), once(second.socket, 'close')]);
    expect((await get('/api/hello')).status).toBe(404);
  });

  it('loses no request of a client that goes on asking on open connections', async () => {
    let isOver = false;
    const asking = (async () => {
      const statuses = new Set<number>();
      while (!isOver) statuses.add((await get('/api/articles')).status);
      return [...statuses];
    })();
    writeFileSync(path.join(project, 'config/sheaf.json'), '{"rest": {"defaultLimit": 2}}');
    await printed.next();
    await served.next();
    isOver = true;
    expect(await asking).toEqual([200]);
  });

  it('answers requests that are under way when other settings are taken over', async () => {
    const options = {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', expect: '100-continue' },
    };
    const request = http.request(`${address}/api/articles`, options);
    request.flushHeaders();
    await once(request, 'continue');
    writeFileSync(path.join(project, 'config/sheaf.json'), '{"rest": {"prefix": "/v1", "defaultLimit": 1}}');
    await served.next();
    expect((await get('/api/articles')).status).toBe(404);
    expect(await (await get('/v1/articles')).json()).toMatchObject({
      data: [{ title: 'One' }],
      meta: { pagination: { pageSize: 1 } },
    });
    request.end('{"data": {"title": "Three"}}');
    const [response] = await once(request, 'response');
    expect(response.statusCode).toBe(201);
    response.resume();
  });
});

it('A server that cannot serve its project at all does not start', async () => {
  const project = path.join(root, 'broken');
  initProject(project);
  writeFileSync(path.join(project, 'src/api/article/content-types/article/schema.json'), '{');
  const config = () => readConfig({ project, port: '0', database: `sqlite:${path.join(project, 'a.db')}` }, {});
  const host = {
    config,
    plan: planServing,
    ask: null,
    logger: errorLog(),
    print: () => undefined,
    onServing: async () => undefined,
  };
  await expect(new DevServer(host).start()).rejects.toThrow('not valid JSON');
});

describe('A change that touches content', () => {
  const project = path.join(root, 'asked');
  const questions = new Told<{ signal: AbortSignal; answer: (agreed: boolean) => void }>();
  const printed = new Told<string>();
  const applied: string[] = [];
  let lines: string[] = [];
  let hasTerminal = true;

  const ask = (_question: string, signal: AbortSignal): Promise<boolean> =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      questions.tell({ signal, answer: resolve });
    });
  const server = new DevServer({
    config: () => readConfig({ project, port: '0' }, {}),
    plan: async (config) => {
      const changes = { lines, command: 'sheaf schema apply', apply: async () => void applied.push(...lines) };
      return { ...(await planServing(config)), changes: lines.length > 0 ? changes : null };
    },
    logger: errorLog(),
    print: printed.tell,
    get ask() {
      return hasTerminal ? ask : null;
    },
    onServing: async () => printed.tell('served'),
  });
  beforeAll(async () => {
    initProject(project);
    await server.start();
    expect(await printed.next()).toBe('served');
    return () => server.close();
  });

  it('is done when someone agrees, and not before; a later change takes the question back', async () => {
    lines = ['title of 3 articles becomes text'];
    const refreshed = server.refresh(['a']);
    expect([await printed.next(), await printed.next()]).toEqual([
      'Changed: a',
      `The content has to follow:\n  ${lines[0]}`,
    ]);
    const first = await questions.next();
    lines = ['title of 3 articles becomes integer'];
    void server.refresh(['b']);
    expect(first.signal.aborted).toBe(true);
    expect([await printed.next(), await printed.next()]).toEqual([
      'Changed: b',
      `The content has to follow:\n  ${lines[0]}`,
    ]);
    expect(applied).toEqual([]);
    (await questions.next()).answer(true);
    await refreshed;
    expect([await printed.next(), applied]).toEqual(['served', lines]);
  });

  it('is not done when nobody agrees, or can be asked; then the command is named', async () => {
    applied.length = 0;
    const refused = server.refresh(['c']);
    (await questions.next()).answer(false);
    await refused;
    hasTerminal = false;
    await server.refresh(['d']);
    const told = [
      await printed.next(),
      await printed.next(),
      await printed.next(),
      await printed.next(),
      await printed.next(),
      await printed.next(),
    ];
    expect(told[2]).toBe(
      'Nothing was changed\n  - sheaf schema apply does it later\nWhat was served before is served on.',
    );
    expect(told[5]).toBe(
      'There is no terminal to ask\n  - sheaf schema apply does it; save a file again afterwards\nWhat was served before is served on.',
    );
    expect(applied).toEqual([]);
  });
});

describe('Requests to try', () => {
  const types = {
    note: { attributes: { link: { type: 'component', component: 'a.b', required: true } } },
    event: {
      attributes: {
        day: { type: 'date', required: true },
        kind: { type: 'enumeration', enum: ['x'], required: true },
        name: { type: 'string' },
      },
    },
    home: { attributes: { title: { type: 'string', required: true } }, single: true },
  };
  const components = { 'a.b': { x: { type: 'string' } } };

  it('write what is required, of a type of which that can be made up', () => {
    const [write, list, find] = sampleRequests(modelOf({ types, components }), 'http://h/api');
    expect(write).toContain(`curl -X POST 'http://h/api/events'`);
    expect(write).toContain(`-d '{"data":{"day":"2026-01-31","kind":"x"}}'`);
    expect(list).toBe(`curl -g 'http://h/api/events' -H "authorization: Bearer $TOKEN"`);
    expect(find).toContain('filters[day][$eq]=2026-01-31&sort=createdAt:desc');
  });

  it('are of a single type where there is no other, and none where none can be made up', () => {
    const { home, note } = types;
    expect(sampleRequests(modelOf({ types: { home } }), '')[0]).toContain(`curl -X PUT '/home'`);
    expect(sampleRequests(modelOf({ types: { note }, components }), '')).toEqual([]);
  });
});
