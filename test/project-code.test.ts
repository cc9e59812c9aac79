// The code of a project's src/sheaf.ts: its routes and policies, whom they answer, and what their errors become.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { open } from '../src/app.ts';
import { isOfProject, UncaughtErrors } from '../src/cli/uncaught-errors.ts';
import { createMetrics } from '../src/http/metrics.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_UNCAUGHT_ERRORS } from '../src/limits.ts';
import { type Answer, databaseFor, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';
import { type Guarded, NOBODY, useGuarded, type Who } from './support/guarded.ts';
import { commandsOn } from './support/in-process.ts';
import { collectedLog, type Files, writeFiles } from './support/own-code.ts';
import { IN_THE_END } from './support/patience.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const ARTICLE = 'api::article.article';
const TOP = 'api::article.article.top';
const OPEN: Who = { 'x-key': 'open' };

const PROJECT: Project = {
  types: {
    article: {
      drafts: true,
      attributes: { title: { type: 'string' }, secret: { type: 'string' }, views: { type: 'integer' } },
    },
    note: { attributes: { text: { type: 'string' } } },
  },
};

const RULES = { editor: { [ARTICLE]: { fields: { read: ['title', 'views'] } } } };

const CODE: Files = {
  'src/sheaf.ts': `
import { defineProject, errors, respond, type Policy } from 'sheaf';
import { count } from './lib/count';
import top from './routes/top.js';

const hasKey: Policy = ({ headers }) => headers['x-key'] === 'open';
const all = (method: 'GET' | 'POST' | 'DELETE' | 'PATCH', path: string, handler: (context: any) => unknown, rest = {}) =>
  ({ method, path, public: true, handler, ...rest }) as const;

export default defineProject({
  policies: { 'has-key': hasKey, 'says-yes': (() => 'yes') as never },
  coreRoutes: {
    'api::note.note.create': { policies: ['has-key'] },
    'plugin::upload.content-api.find': { policies: ['has-key'] },
    'plugin::users-permissions.user.find': { policies: ['has-key'] },
  },
  routes: [
    top,
    all('GET', '/whoami', ({ caller }) => ({ kind: caller.kind, user: caller.account?.id ?? null })),
    all('POST', '/echo', ({ body, query }) => respond({ status: 202, headers: { 'x-echo': 'yes' }, body: { body, query } }), {
      schemas: { body: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    }),
    all('GET', '/text', () => respond({ body: 'a,b', headers: { 'content-type': 'text/csv' } })),
    all('DELETE', '/nothing', () => undefined),
    all('GET', '/fails/:how', ({ params }) => {
      if (params.how === 'ours') throw errors.conflict('Taken', { key: 'name' });
      if (params.how === 'status') throw Object.assign(new Error('not found'), { statusCode: 404 });
      if (params.how === 'string') throw 'a string';
      return count(null);
    }),
    all('GET', '/wrong', () => [1], { schemas: { answer: { type: 'object' } } }),
    all('GET', '/guarded', () => 'in', { policies: ['has-key'] }),
    all('GET', '/closed', () => 'in', { policies: ['says-yes'] }),
    all('POST', '/files', ({ files, body }) => ({ files: files.map(({ field, name, size }) => ({ field, name, size })), body }), { files: true }),
    all('PATCH', '/articles/:slug', ({ params }) => params),
    all('GET', '/spread', (context) => {
      const { path, query, log, signal } = { ...context };
      return { path, query, logs: typeof log.info, isAborted: signal.aborted };
    }),
    all('GET', '/waits', async ({ signal, log }) => {
      log.info({ waits: true }, 'begun');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      log.info('aborted');
    }),
  ],
  start: ({ log }) => log.info('start of the project'),
  stop: ({ log }) => log.info('stop of the project'),
});
`,
  'src/routes/top.ts': `
import { defineRoute } from 'sheaf';

export default defineRoute<{ number: number }, { drafts: boolean }>({
  method: 'GET',
  path: '/articles/top/:number',
  action: 'api::article.article.top',
  schemas: {
    params: { type: 'object', properties: { number: { type: 'integer', minimum: 1 } } },
    query: { type: 'object', properties: { drafts: { type: 'boolean', default: false } }, additionalProperties: false },
    answer: { type: 'object', properties: { titles: { type: 'array' } }, required: ['titles'] },
  },
  async handler({ documents, sheaf, params: { number }, query: { drafts } }) {
    const status = drafts ? ({ status: 'draft' } as const) : {};
    const entries = await documents('api::article.article').findMany({ sort: 'views:desc', pagination: { limit: number }, ...status });
    const all = await sheaf.documents('api::article.article').count();
    return { titles: entries.map(({ title }) => title), secrets: entries.filter((entry) => 'secret' in entry).length, number, all };
  },
});
`,
  'src/lib/count.ts': `export const count = (list: readonly unknown[] | null): number => {
  // A line of its own.
  return list!.length;
};
`,
};

const errorOf = ({ status, body }: Answer) => [status, body.error?.name, body.error?.message];

describeOnEveryDatabase('The routes of a project', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let folder: string;
  let editor: Who;

  beforeAll(async () => {
    folder = guarded.projectWith(PROJECT, { rules: RULES });
    const database = await databaseFor(engine, PROJECT, folder);
    writeFiles(folder, CODE);
    site = await guarded.open(folder, { database });
    await site.auth.roles.create('Editor');
    editor = (await site.person('editor')).who;
    const entries = [
      ['A', 1, 'published'],
      ['B', 3, 'published'],
      ['C', 2, 'published'],
      ['D', 9, 'draft'],
    ] as const;
    for (const [title, views, status] of entries)
      await site.sheaf.documents(ARTICLE).create({ data: { title, views, secret: 's' }, status });
  });

  it('need the right that they name, and act as their caller', async () => {
    expect((await site.get('articles/top/2', editor)).status).toBe(403);
    await site.auth.roles.grant('editor', [TOP]);
    // The route is open, what it reads is not.
    expect((await site.get('articles/top/2', editor)).status).toBe(403);
    await site.auth.roles.grant('editor', [`${ARTICLE}.find`]);
    const { body } = await site.get('articles/top/2', editor);
    expect(body).toEqual({ titles: ['B', 'C'], secrets: 0, number: 2, all: 4 });
    expect((await site.get('articles/top/2?drafts=true', editor)).body.titles).toEqual(['D', 'B']);
    expect((await site.get('articles/top/2', NOBODY)).status).toBe(403);
    const token = await site.token('full-access');
    expect((await site.get('articles/top/1', token)).body).toMatchObject({ titles: ['B'], secrets: 1 });
  });

  it('are granted, revoked and listed like others', async () => {
    const { json, said, refused } = commandsOn(folder, site.database);
    expect(await json(['role', 'grant', 'public', TOP])).toEqual({ role: 'public', granted: [TOP] });
    expect((await json(['role', 'show', 'public'])).actions).toContain(TOP);
    expect((await json(['role', 'revoke', 'public', `${ARTICLE}.*`])).revoked).toEqual([TOP]);
    const routes = await json(['routes']);
    expect(routes).toContainEqual({
      method: 'GET',
      path: '/api/articles/top/:number',
      source: 'src/routes/top.ts',
      action: TOP,
      policies: [],
    });
    expect(routes).toContainEqual(
      expect.objectContaining({ method: 'GET', path: '/api/guarded', source: 'src/sheaf.ts', action: null }),
    );
    const create = routes.find(
      ({ path, method }: { path: string; method: string }) => `${method} ${path}` === 'POST /api/notes',
    );
    expect(create).toMatchObject({ source: 'core', action: 'api::note.note.create', policies: ['has-key'] });
    expect((await refused(['explain', '/api/text'])).message).toBe('src/sheaf.ts of the project answers /api/text');
    expect(await said(['routes'])).toMatch(/^GET +\/api\/whoami +src\/sheaf\.ts +everyone$/m);
  });

  it('that are public know who calls, and take those for the public who bring no token of ours', async () => {
    expect((await site.get('whoami', editor)).body.kind).toBe('user');
    const basic = { authorization: 'Basic YTpi' };
    for (const who of [NOBODY, basic, { authorization: 'Bearer nothing' }])
      expect((await site.get('whoami', who)).body).toEqual({ kind: 'public', user: null });
  });

  it('answer with a status, headers, text or nothing, and refuse other methods', async () => {
    const echo = await site.send('POST', 'echo?a[b]=1', { name: 'x' });
    expect([echo.status, echo.headers['x-echo'], echo.body]).toEqual([
      202,
      'yes',
      { body: { name: 'x' }, query: { a: { b: '1' } } },
    ]);
    const text = await site.get('text');
    expect([text.status, text.headers['content-type'], text.body]).toEqual([200, 'text/csv', 'a,b']);
    expect(await site.delete('nothing')).toMatchObject({ status: 204, body: null });
    expect(await site.send('POST', 'text')).toMatchObject({ status: 405, headers: { allow: 'HEAD, GET' } });
    // Beside a route of the core whose parameter has another name.
    expect((await site.send('PATCH', 'articles/abc')).body).toEqual({ slug: 'abc' });
    expect((await site.send('POST', 'articles/abc')).headers.allow).toBe('HEAD, GET, PUT, DELETE, PATCH');
  });

  it('are given a context that can be spread', async () => {
    const { body } = await site.get('spread?a=1', NOBODY);
    expect(body).toEqual({ path: '/api/spread', query: { a: '1' }, logs: 'function', isAborted: false });
  });

  it('check parameters and bodies by their schemas', async () => {
    expect(errorOf(await site.get('articles/top/x', editor))).toEqual([
      400,
      'ValidationError',
      'Invalid params: number: must be integer',
    ]);
    const unknown = await site.get('articles/top/1?nope=1', editor);
    expect(unknown).toMatchObject({ status: 400, body: { error: { details: { key: 'nope', source: 'query' } } } });
    expect(errorOf(await site.send('POST', 'echo', {}))).toEqual([
      400,
      'ValidationError',
      'Invalid body: name: is missing',
    ]);
  });

  it('take files, which are gone when the answer is sent', async () => {
    const form = new FormData();
    form.set('title', 'Two');
    form.set('one', new File(['12345'], 'one.txt'));
    const request = new Request('http://localhost', { method: 'POST', body: form });
    const headers = { 'content-type': request.headers.get('content-type')! };
    const answer = await site.sendRaw('POST', 'files', Buffer.from(await request.arrayBuffer()), headers);
    expect(answer.body).toEqual({ files: [{ field: 'one', name: 'one.txt', size: 5 }], body: { title: 'Two' } });
  });

  it('stand behind policies, of which only true lets a request pass; so do routes of the core', async () => {
    expect((await site.get('guarded')).status).toBe(403);
    expect((await site.get('guarded', OPEN)).body).toBe('in');
    expect((await site.get('closed')).status).toBe(403);
    await site.auth.roles.grant('public', ['api::note.note.create']);
    expect((await site.post('notes', { text: 'a' })).status).toBe(403);
    expect((await site.post('notes', { text: 'a' }, OPEN)).status).toBe(201);
  });

  it('guard by a policy on lists whatever shows as much', async () => {
    const users = ['find', 'count'].map((name) => `plugin::users-permissions.user.${name}`);
    await site.auth.roles.grant('public', ['plugin::upload.content-api.find', ...users]);
    for (const path of ['upload/files', 'upload/files/page', 'users', 'users/count']) {
      expect((await site.get(path)).status, path).toBe(403);
      expect((await site.get(path, OPEN)).status, path).toBe(200);
    }
  });
});

describeOnSqlite('What goes wrong in the code of a project', (engine) => {
  const contents = useContents(engine);
  const { logger, lines } = collectedLog();
  const metrics = createMetrics(null, null);
  let app: ReturnType<typeof createServer>;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const folder = contents.project(PROJECT);
    writeFiles(folder, CODE);
    const sheaf = await open({ project: folder, database: engine.freshDatabaseUrl() });
    app = createServer(sheaf, { logger, metrics });
    close = async () => {
      await app.close();
      await sheaf.close();
    };
    await app.ready();
  });
  afterAll(() => close());

  const get = async (url: string) => {
    lines.length = 0;
    const answer = await app.inject({ method: 'GET', url: `/api/${url}` });
    return { status: answer.statusCode, id: answer.headers['x-request-id'], error: answer.json().error };
  };

  it('is an answer only where it is an error of ours', async () => {
    expect(await get('fails/ours')).toMatchObject({
      status: 409,
      error: { name: 'ConflictError', details: { key: 'name' } },
    });
    for (const how of ['status', 'string', 'null']) {
      const { status, id, error } = await get(`fails/${how}`);
      expect([status, error.message]).toEqual([500, 'Internal Server Error']);
      const failed = { requestId: id, file: 'src/sheaf.ts', code: 'route GET /api/fails/:how', level: 50 };
      expect(lines).toContainEqual(expect.objectContaining(failed));
    }
    expect((await get('wrong')).status).toBe(500);
    expect(JSON.stringify(lines)).toContain('the answer does not fit its schema: the answer: must be object');
    await get('fails/null');
    // By the line as it was written, in the file that it stands in.
    expect(JSON.stringify(lines)).toMatch(/src\/lib\/count\.ts:3:\d+/);
    expect(await metrics.text()).toContain('sheaf_code_failures_total{kind="route"} 5');
  });

  it('ends with its client, who has gone', async () => {
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    lines.length = 0;
    const leaves = new AbortController();
    const answer = fetch(`${address}/api/waits`, { signal: leaves.signal }).catch((error: Error) => error.name);
    const told = (message: string) =>
      vi.waitFor(() => expect(lines.map(({ msg }) => msg)).toContain(message), IN_THE_END);
    await told('begun');
    expect(lines).toContainEqual(expect.objectContaining({ waits: true, requestId: expect.any(String) }));
    leaves.abort();
    expect(await answer).toBe('AbortError');
    await told('aborted');
  });

  it('is told of at the start and the stop in the same log', async () => {
    lines.length = 0;
    await close();
    expect(lines.map(({ msg }) => msg)).toContain('stop of the project');
    close = async () => undefined;
  });
});

describeOnSqlite('A project whose code cannot be used', (engine) => {
  const contents = useContents(engine);
  const refusal = async (code: string, isServed = false): Promise<string> => {
    const folder = contents.project(PROJECT);
    writeFiles(folder, { 'src/sheaf.ts': `import { defineProject } from 'sheaf';\n${code}` });
    const opened = await open({ project: folder, database: engine.freshDatabaseUrl() }).catch((error: Error) => error);
    if (opened instanceof Error) return opened.message;
    const app = createServer(opened);
    const error = await app.ready().then(
      () => 'none',
      ({ message }: Error) => message,
    );
    await app.close();
    await opened.close();
    expect(isServed).toBe(true);
    return error;
  };
  const project = (definition: string): string => `export default defineProject(${definition} as never);`;

  it('is refused with all that is wrong, and the place of it', async () => {
    expect(await refusal('\nthrow new Error("not now");')).toBe(
      'src/sheaf.ts of the project cannot be used:\n  - not now (src/sheaf.ts:3)',
    );
    expect(await refusal('export const a = 1;')).toContain('its default export: expected an object with routes, hooks');
    expect(await refusal(`import { openSesame } from 'sheaf'; openSesame();`)).toContain('no openSesame');
    expect(await refusal(`import './gone';`)).toContain('src/sheaf.ts imports ./gone, which is not there');
    const wrong = await refusal(
      project(
        `{ rotes: [], routes: [{ method: 'GET', path: 'x', action: 'a', public: true }, { method: 'GET', path: '/y', handler: () => 1 }], tasks: { a: { cron: '* *', run() {} } } }`,
      ),
    );
    for (const text of [
      'rotes: not known',
      'routes.0.path: expected a path',
      'routes.0.action: expected an action',
      'routes.0.handler',
      'routes.1: expected either action',
    ])
      expect(wrong).toContain(text);
    const names = await refusal(
      project(`{ hooks: [{ types: 'api::x.x', before() {} }], coreRoutes: { 'api::x.x.find': { policies: ['p'] } }, tasks: { a: { cron: '* *', run() {} } },
        routes: [{ method: 'GET', path: '/y', public: true, handler: () => 1, policies: ['p'], schemas: { query: { type: 'nothing' } } }] }`),
    );
    for (const text of [
      'hooks.0.types: there is no content-type api::x.x',
      'routes.0.policies: there is no policy p',
      'no route of the core needs api::x.x.find',
      'routes.0.schemas.query',
      'tasks.a.cron',
    ])
      expect(names).toContain(text);
  });

  it('is refused where a route is taken, whatever its parameters are called', async () => {
    const route = (path: string) =>
      project(`{ routes: [{ method: 'GET', path: '${path}', public: true, handler: () => 1 }] }`);
    expect(await refusal(route('/Articles/:slug'), true)).toBe(
      'Two routes would answer the same request:\n  - GET /api/Articles/:slug of src/sheaf.ts is the same as GET /api/articles/:documentId of the core',
    );
    expect(await refusal(route('/articles/popular'), true)).toBe('none');
  });

  it('is refused where a policy stands for an action that can be granted, but that no route needs', async () => {
    const guarding = (action: string) =>
      project(
        `{ policies: { p: () => true }, coreRoutes: { 'plugin::upload.content-api.${action}': { policies: ['p'] } } }`,
      );
    expect(await refusal(guarding('replace'), true)).toBe(
      'No route of the core needs these actions of coreRoutes:\n  - plugin::upload.content-api.replace',
    );
    expect(await refusal(guarding('upload'), true)).toBe('none');
  });

  it('does not start where its own start fails', async () => {
    expect(await refusal(project(`{ start() { throw new Error('no queue'); } }`), true)).toBe('no queue');
  });
});

/** A route whose handler leaves an error behind, where nobody waits for it. */
const LEAVING = `
import { defineProject } from 'sheaf';
export default defineProject({
  routes: [{ method: 'POST', path: '/leave/:how', public: true, handler: ({ params }) => {
    if (params.how === 'promise') void Promise.reject(new Error('lost'));
    else setTimeout(() => { throw new Error('late'); });
    return 'left';
  } }],
});
`;

describeOnSqlite('A server whose project leaves errors that nothing catches', (engine) => {
  const contents = useContents(engine);

  it('goes on and tells of each, until they are too many: then it ends in order, with the code 75', async () => {
    const project = contents.project(PROJECT);
    writeFiles(project, { 'src/sheaf.ts': LEAVING });
    const words = ['start', '--project', project, '--database', engine.freshDatabaseUrl(), '--port', '0'];
    const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = once(child, 'exit');
    let log = '';
    child.stderr.on('data', (text) => {
      log += text;
    });
    const address = await new Promise<string>((resolve) => {
      createInterface(child.stdout).on('line', (line) => {
        const found = /^ +at +(http:\S+)/.exec(line)?.[1];
        if (found) resolve(found);
      });
    });
    const leave = async (how: string) => (await fetch(`${address}/api/leave/${how}`, { method: 'POST' })).text();
    for (let number = 0; number < MAX_UNCAUGHT_ERRORS; number++)
      expect(await leave(number % 2 === 0 ? 'promise' : 'timer')).toBe('"left"');
    expect((await fetch(`${address}/_ready`)).status).toBe(200);
    await leave('promise');
    expect(await ended).toEqual([75, null]);
    expect(log.match(/a promise was rejected that nobody waited for/g)).toHaveLength(MAX_UNCAUGHT_ERRORS / 2 + 1);
    expect(log).toMatch(/src\/sheaf\.ts:5:/);
    expect(log).toContain('MAX_UNCAUGHT_ERRORS');
  });
});

describe('Errors that nothing caught', () => {
  it('are too many past a number in a minute', () => {
    const errors = new UncaughtErrors();
    for (let number = 0; number < MAX_UNCAUGHT_ERRORS; number++) expect(errors.add(number)).toBe(false);
    expect(errors.add(59_999)).toBe(true);
    expect(errors.add(60_000 + MAX_UNCAUGHT_ERRORS)).toBe(false);
  });

  it("are the project's where its code, or a package of its own, was running", () => {
    const at = (file: string): Error => Object.assign(new Error('x'), { stack: `Error: x\n    at f (${file}:1:1)` });
    expect(isOfProject(at('/srv/cms/src/sheaf.ts'), '/srv/cms')).toBe(true);
    expect(isOfProject(at('/srv/cms/node_modules/redis/index.js'), '/srv/cms')).toBe(true);
    expect(isOfProject(at('/srv/other/index.js'), '/srv/cms')).toBe(false);
    expect(
      isOfProject(at(new URL('../src/app.ts', import.meta.url).pathname), new URL('../', import.meta.url).pathname),
    ).toBe(false);
  });
});
