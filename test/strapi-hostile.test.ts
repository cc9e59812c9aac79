// Code of a Strapi project that does odd things, and clients that send them: whatever it is, one request fails at most.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createServer } from '../src/http/server.ts';
import { MAX_BODY_BYTES } from '../src/limits.ts';
import { type Project, relation, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';
import { type Guarded, useGuarded } from './support/guarded.ts';
import { type Files, writeFiles } from './support/own-code.ts';
import { IN_THE_END } from './support/patience.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const LINK = { type: 'component', component: 'part.link', repeatable: false };
const PROJECT: Project = {
  components: {
    'part.link': { label: { type: 'string' }, to: relation('oneToOne', 'thing') },
    'part.list': { label: { type: 'string' }, things: relation('oneToMany', 'thing'), link: LINK },
  },
  types: {
    thing: {
      attributes: {
        title: { type: 'string' },
        secret: { type: 'string', private: true },
        pin: { type: 'password' },
        friends: relation('manyToMany', 'thing'),
        zone: { type: 'dynamiczone', components: ['part.link', 'part.list'] },
      },
    },
  },
};

/** Routes that ask for nothing, each with the handler of its name. */
const api = (handlers: Readonly<Record<string, string>>): Files => ({
  'src/api/odd/routes/odd.js': `module.exports = { routes: ${JSON.stringify(
    Object.keys(handlers).flatMap((name) =>
      ['GET', 'POST'].map((method) => ({
        method,
        path: `/odd/${name}`,
        handler: `odd.${name}`,
        config: { auth: false },
      })),
    ),
  )} };`,
  'src/api/odd/controllers/odd.js': `
const { Readable } = require('node:stream');
const { errors } = require('@strapi/utils');
const THING = 'api::thing.thing';
module.exports = ({ strapi }) => ({
  ${Object.entries(handlers)
    .map(([name, code]) => `async ${name}(ctx) { ${code} }`)
    .join(',\n  ')}
});`,
});

const ODD = {
  message: `ctx.status = 200; ctx.message = ctx.query.v; ctx.body = 'ok';`,
  header: `ctx.set('x-a', ctx.query.v); ctx.set('x-b', undefined); ctx.body = 'ok';`,
  circular: `const a = {}; a.a = a; return a;`,
  big: `return { n: 10n };`,
  details: `const a = {}; a.a = a; throw new errors.ApplicationError('x', a);`,
  nothing: `throw null;`,
  hostile: `throw { get message() { throw new Error('x'); }, get status() { throw new Error('y'); } };`,
  half: `ctx.res.statusCode = 200; ctx.res.write('half'); throw new Error('after half');`,
  broken: `ctx.body = new Readable({ read() { this.destroy(new Error('midway')); } });`,
  echo: `return { body: ctx.request.body, query: ctx.query, polluted: {}.polluted ?? null };`,
  rows: `return strapi.db.query(THING).findMany(ctx.request.body);`,
  sanitized: `return strapi.contentAPI.sanitize.query(ctx.query, strapi.contentType(THING), { auth: ctx.state.auth });`,
  validated: `await strapi.contentAPI.validate.query(ctx.query, strapi.contentType(THING), { auth: ctx.state.auth }); return 'valid';`,
  strict: `const query = { ...ctx.query }; const of = strapi.contentType(THING); const strictParams = true;
    const kept = await strapi.contentAPI.sanitize.query(query, of, { strictParams });
    return { kept, valid: await strapi.contentAPI.validate.query(query, of, { strictParams }) ?? true };`,
  entered: `await strapi.contentAPI.validate.input(ctx.request.body, strapi.contentType(THING)); return 'valid';`,
  found: `return strapi.service(THING).find(await strapi.controller(THING).sanitizeQuery(ctx));`,
  entities: `return strapi.entityService.findMany(THING, ctx.request.body);`,
};

describeOnEveryDatabase('Odd code of a Strapi project', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;

  beforeAll(async () => {
    const folder = guarded.projectWith(PROJECT);
    const controller = `module.exports = require('@strapi/strapi').factories.createCoreController('api::thing.thing');`;
    const service = controller.replace('Controller', 'Service');
    writeFiles(folder, {
      ...api(ODD),
      'src/api/thing/controllers/thing.js': controller,
      'src/api/thing/services/thing.js': service,
    });
    site = await guarded.open(folder, { database: engine.freshDatabaseUrl() });
  });

  it('fails its own request with a bare 500', async () => {
    for (const name of ['circular', 'big', 'details', 'nothing', 'hostile', 'broken']) {
      const { status, body } = await site.get(`odd/${name}`);
      expect([name, status, body.error]).toMatchObject([
        name,
        500,
        { name: 'InternalServerError', message: 'Internal Server Error' },
      ]);
    }
  });

  it('sends no lines of its own in headers', async () => {
    expect((await site.get('odd/message?v=Fine')).body).toBe('ok');
    expect((await site.get('odd/message?v=a%0d%0ax-injected:%20yes')).status).toBe(500);
    expect((await site.get('odd/header?v=a%0d%0ax-injected:%20yes')).status).toBe(500);
    const { status, headers } = await site.get('odd/header?v=a');
    expect([status, headers['x-a'], headers['x-b']]).toEqual([200, 'a', 'undefined']);
  });

  it('asks by no attribute that its caller may not see, where it sanitizes or validates', async () => {
    const forbidden = [
      ...[
        'filters[secret][$startsWith]=a',
        'filters[pin][$notNull]=true',
        'filters[nope]=1',
        'filters[$or][0][secret]=a',
      ],
      ...['filters[$not][secret]=a', 'filters[friends][secret]=a', 'filters[friends][$and][0][pin][$null]=true'],
      ...['sort=secret', 'sort[0]=pin:desc', 'sort[secret]=asc', 'sort=friends.secret', 'sort[friends][secret]=asc'],
      ...['fields=secret', 'fields[0]=pin', 'populate[friends][fields]=secret', 'populate[friends][sort]=pin'],
      'populate[friends][filters][secret]=a',
      ...['populate=createdBy', 'populate[0]=friends.createdBy', 'populate[updatedBy]=true', 'populate=friends,nope'],
    ];
    for (const query of forbidden) {
      const { status, body } = await site.get(`odd/validated?${query}`);
      expect([query, status, body.error?.name]).toEqual([query, 400, 'ValidationError']);
      expect(body.error.message).toMatch(/^Invalid key (?:secret|pin|nope|createdBy|updatedBy)/);
      const clean = await site.get(`odd/sanitized?${query}`);
      expect([query, clean.status, JSON.stringify(clean.body)]).toEqual([
        query,
        200,
        expect.not.stringMatching(/secret|pin|nope|createdBy|updatedBy/),
      ]);
    }
    const allowed = 'filters[$or][0][title]=a&filters[$or][1][friends][title]=b&sort=title:desc&fields=title,id&page=1';
    expect((await site.get(`odd/validated?${allowed}`)).body).toBe('valid');
    expect((await site.get(`odd/sanitized?${allowed}&populate[friends][sort]=title`)).body).toEqual({
      filters: { $or: [{ title: 'a' }, { friends: { title: 'b' } }] },
      sort: 'title:desc',
      fields: 'title,id',
      page: '1',
      populate: { friends: { sort: 'title' } },
    });
    expect((await site.get('odd/sanitized?fields=secret')).body).toEqual({ fields: 'id' });
  });

  it('finds no more for a client by what it may not see, through a service that acts as the system', async () => {
    const things = site.sheaf.documents('api::thing.thing');
    const { documentId } = await things.create({ data: { title: 't', secret: 'abc' } });
    const { body } = await site.get('odd/found?filters[secret][$startsWith]=x');
    const everything = await site.get('odd/found?populate=*');
    await things.delete({ documentId });
    expect(body.results).toHaveLength(1);
    expect(everything.body.results).toHaveLength(1);
    for (const hidden of ['createdBy', 'updatedBy', 'friends'])
      expect(everything.body.results[0]).not.toHaveProperty(hidden);
  });

  it('populates no more of a dynamic zone than a client may see', async () => {
    const things = site.sheaf.documents('api::thing.thing');
    const { documentId } = await things.create({ data: { title: 't' } });
    const parts = [
      { __component: 'part.link', label: 'a', to: documentId },
      { __component: 'part.list', label: 'b', things: [documentId], link: { label: 'c', to: documentId } },
    ];
    const { documentId: other } = await things.create({ data: { title: 'u', zone: parts } });
    for (const populate of [
      'populate[zone][populate][to]=true&populate[zone][populate][link][populate][to]=true',
      'populate[zone][populate]=to,things,link.to',
      'populate[zone][populate][0]=to&populate[zone][populate][1]=link',
      'populate[zone][populate]=*',
      'populate=zone.to,zone.link.to,zone.things,zone',
    ]) {
      const { body } = await site.get(`odd/found?filters[title]=u&${populate}`);
      expect(body.results[0].zone).toMatchObject([{ label: 'a' }, { label: 'b' }]);
      expect(JSON.stringify(body), populate).not.toContain(documentId);
    }
    const { body } = await site.get('odd/validated?populate[zone][populate][nothing]=true');
    expect(body.error.message).toBe('Invalid key nothing at zone');
    expect((await site.get('odd/validated?populate[zone][populate]=link')).body).toBe('valid');
    for (const each of [documentId, other]) await things.delete({ documentId: each });
  });

  it('refuses what is no attribute that may be written', async () => {
    expect((await site.get('odd/strict?sort=title&page=1')).body).toEqual({
      kept: { sort: 'title', page: '1' },
      valid: true,
    });
    expect((await site.get('odd/strict?populate=*')).body.kept).toEqual({ populate: { friends: true, zone: true } });
    expect((await site.get('odd/strict?populate[friends]=*')).body.kept).toEqual({
      populate: { friends: { populate: { friends: true, zone: true } } },
    });
    const strict = await site.get('odd/strict?sort=title&utm=1');
    expect(strict.body).toMatchObject({ error: { name: 'ValidationError', message: 'Invalid key utm' } });
    const entered = async (body: unknown) => (await site.send('POST', 'odd/entered', body)).body;
    expect(await entered({ title: 'a' })).toBe('valid');
    for (const key of ['id', 'documentId', 'nope', 'createdAt'])
      expect(await entered({ title: 'a', [key]: 1 })).toMatchObject({ error: { message: `Invalid key ${key}` } });
  });

  it('is given nothing that changes what all objects have', async () => {
    const keys = '__proto__[polluted]=1&constructor[prototype][polluted]=1&a[__proto__][polluted]=1&b=1';
    expect((await site.get(`odd/echo?${keys}`)).body).toEqual({ query: { b: '1' }, polluted: null });
    expect((await site.send('POST', 'odd/echo', '{"a":{"__proto__":{"polluted":1}}}')).status).toBe(400);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await site.send('POST', 'odd/echo', keys, form)).body).toMatchObject({ body: { b: '1' }, polluted: null });
  });

  it('answers conditions of clients that make no sense with a 400, and puts none of them into SQL', async () => {
    const rows = (body: unknown) => site.send('POST', 'odd/rows', body);
    for (const where of [
      { $or: 1 },
      { $and: null },
      { $not: 'x' },
      { 'title" or 1=1 --': 1 },
      { title: { $raw: '1' } },
    ])
      expect([where, (await rows({ where })).status]).toEqual([where, 400]);
    for (const rest of [{ orderBy: 'title; drop' }, { orderBy: { title: 'asc;' } }, { select: ['title", "secret'] }])
      expect([rest, (await rows(rest)).status]).toEqual([rest, 400]);
    for (const range of [{ limit: 'x' }, { offset: {} }, { limit: 1e30 }])
      expect([range, (await rows(range)).status]).toEqual([range, 400]);
    for (const range of [{ limit: 'x' }, { start: 'y' }, { limit: 1e30 }])
      expect([range, (await site.send('POST', 'odd/entities', range)).status]).toEqual([range, 400]);
    expect((await rows({ where: { title: { $contains: "' or 1=1 --" } } })).body).toEqual([]);
    expect((await site.send('POST', 'odd/entities', { limit: '5', start: '0' })).body).toEqual([]);
  });
});

/** Paths as code declares them, and how clients write the same. */
const DECLARED = ['/things/:id/history', '/caf\u00e9/:id', '/cr%C3%A8me/:id', '/a%20b/:id', '/c|d/:id', '/it%27s/:id'];
const CLOSED_KITS = `module.exports = () => (ctx, next) => {
  if (ctx.path.toLowerCase().startsWith('/api/kits')) return ctx.forbidden('closed');
  return next();
};`;

describeOnEveryDatabase('Paths that are encoded without need', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;

  beforeAll(async () => {
    const folder = guarded.projectWith({
      ...PROJECT,
      types: { ...PROJECT.types, kit: { attributes: { title: { type: 'string' } } } },
    });
    const routes = DECLARED.flatMap((declared) =>
      ['GET', 'DELETE'].map((method) => ({ method, path: declared, handler: 'odd.params', config: { auth: false } })),
    );
    // Against the order of the router, so that code is asked whose turn it is.
    const first = { method: 'GET', path: '/turns/:id', handler: 'odd.params', config: { auth: false } };
    const second = { method: 'GET', path: '/turns/fixed', handler: 'odd.second', config: { auth: false } };
    writeFiles(folder, {
      ...api({ params: 'return { path: ctx.path, params: ctx.params };', second: `return 'second';` }),
      'src/api/odd/routes/paths.js': `module.exports = { routes: ${JSON.stringify([...routes, first, second])} };`,
      'config/middlewares.js': `module.exports = ['global::closed'];`,
      'src/middlewares/closed.js': CLOSED_KITS,
    });
    site = await guarded.open(folder, { database: engine.freshDatabaseUrl() });
    await site.auth.roles.grant('public', ['api::kit.kit.find', 'api::thing.thing.find']);
  });

  it('go past no middleware of the application', async () => {
    expect((await site.get('things')).status).toBe(200);
    expect((await site.get('%74hings')).status).toBe(200);
    for (const url of ['kits', '%6bits', 'k%69ts', '%6B%49ts', '%E2%84%AAits', '%e2%84%aaits'])
      expect([url, (await site.get(url)).status]).toEqual([url, 403]);
    for (const url of ['/%61pi/kits', '/a%70i/%6bits'])
      expect([url, (await site.sendTo('GET', url)).status]).toEqual([url, 403]);
  });

  it('have their parameters, wherever code runs', async () => {
    const path = '/api/things/x/history';
    for (const url of ['things/x/history', '%74hings/x/history', 'things/x/h%69story/', 'things/%78/%68istory'])
      for (const method of ['GET', 'DELETE']) {
        const { status, body } = await site.send(method, url);
        expect([url, status, body.path.replace(/\/$/, ''), body.params]).toEqual([url, 200, path, { id: 'x' }]);
      }
    expect((await site.get('turns/fixed')).body.params).toEqual({ id: 'fixed' });
    expect((await site.get('turns/f%69xed')).body.params).toEqual({ id: 'fixed' });
    expect((await site.get('%74urns/fixed')).body.params).toEqual({ id: 'fixed' });
    expect((await site.get('things/a%2fb%2520%C3%A9/history')).body.params).toEqual({ id: 'a/b%20\u00e9' });
  });

  it('fit what code declares in any form', async () => {
    for (const url of [
      ...['caf%C3%A9/x', 'caf%c3%a9/x', 'CAF%c3%a9/x', 'cr%C3%A8me/x', 'cr%c3%a8m%65/x'],
      ...['a%20b/x', 'c|d/x', 'c%7cd/x', "it's/x", 'it%27s/x'],
    ])
      expect([url, (await site.get(url)).body.params]).toEqual([url, { id: 'x' }]);
    // The router takes these letters for the same. Code does not, and is not run without parameters.
    expect((await site.get('caf%C3%89/x')).status).toBe(404);
  });
});

describeOnSqlite('A connection to odd code of a Strapi project', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  const servers: ReturnType<typeof createServer>[] = [];
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  async function listening(files: Files): Promise<number> {
    const folder = guarded.projectWith(PROJECT);
    writeFiles(folder, files);
    const { sheaf } = await guarded.open(folder, { database: engine.freshDatabaseUrl() });
    const server = createServer(sheaf);
    servers.push(server);
    await server.listen({ host: '127.0.0.1', port: 0 });
    return (server.server.address() as AddressInfo).port;
  }

  /** What comes back until the server closes the connection. */
  async function exchange(port: number, text: string): Promise<string> {
    const socket = connect(port, '127.0.0.1');
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.on('error', () => undefined);
    socket.write(text);
    await once(socket, 'close');
    return answer;
  }

  const tooLarge = (path: string): string =>
    `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${2 * MAX_BODY_BYTES}\r\n\r\n${'x'.repeat(MAX_BODY_BYTES + 1)}`;

  it('is closed where it sent too much, and not left with what nobody reads', async () => {
    const port = await listening(api(ODD));
    expect(await exchange(port, tooLarge('/api/odd/echo'))).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  });

  it('is closed as well where a middleware of the application reads the body first', async () => {
    const port = await listening({
      'config/middlewares.js': `module.exports = ['strapi::body', 'global::pass'];`,
      'src/middlewares/pass.js': `module.exports = () => (ctx, next) => next();`,
    });
    expect(await exchange(port, tooLarge('/api/things'))).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
  });

  it('may name its target with an origin or a fragment, which code does not see', async () => {
    const port = await listening({
      ...api({ params: 'return { path: ctx.path, params: ctx.params };' }),
      'src/api/odd/routes/paths.js': `module.exports = { routes: [
        { method: 'GET', path: '/odd/:id/history', handler: 'odd.params', config: { auth: false } },
      ] };`,
    });
    for (const target of ['http://x/api/odd/y/history', 'http://x/%61pi/odd/y/history?a', '/api/odd/y/history#/z']) {
      const answer = await exchange(port, `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`);
      expect([target, answer.split('\r\n').at(-1)]).toEqual([
        target,
        '{"path":"/api/odd/y/history","params":{"id":"y"}}',
      ]);
    }
  });

  it('is closed where code has begun to answer by itself and failed', async () => {
    const port = await listening(api(ODD));
    const answer = await exchange(port, 'GET /api/odd/half HTTP/1.1\r\nhost: x\r\n\r\n');
    // No chunk that would make it a whole answer.
    expect(answer).not.toMatch(/0\r\n\r\n$/);
  });
});

const LEAVING = {
  promise: `Promise.reject(new Error('lost')); return 'left';`,
  nothing: `Promise.reject(null); return 'left';`,
  timer: `setTimeout(() => { throw new Error('late'); }); return 'left';`,
  thrown: `setTimeout(() => { throw null; }); return 'left';`,
};

describeOnSqlite('A server whose Strapi project leaves errors that nothing catches', (engine) => {
  const contents = useContents(engine);

  it('goes on and tells of each', async () => {
    const project = contents.project(PROJECT);
    const begun = `module.exports = { bootstrap() { Promise.reject(new Error('begun')); } };`;
    writeFiles(project, { ...api(LEAVING), 'src/index.js': begun });
    const words = ['start', '--project', project, '--database', engine.freshDatabaseUrl(), '--port', '0'];
    const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let log = '';
    child.stderr.on('data', (text) => {
      log += text;
    });
    const address = await new Promise<string>((resolve, reject) => {
      child.on('exit', () => reject(new Error(log)));
      createInterface(child.stdout).on('line', (line) => {
        const found = /^ +at +(http:\S+)/.exec(line)?.[1];
        if (found) resolve(found);
      });
    });
    for (const name of Object.keys(LEAVING))
      expect(await (await fetch(`${address}/api/odd/${name}`)).text()).toBe('left');
    expect((await fetch(`${address}/_ready`)).status).toBe(200);
    await vi.waitFor(() => {
      expect(log.match(/a promise was rejected that nobody waited for/g)).toHaveLength(3);
      expect(log.match(/an error that nothing caught/g)).toHaveLength(2);
    }, IN_THE_END);
    expect(log).toMatch(/odd\/controllers\/odd\.js:\d+/);
  });
});
