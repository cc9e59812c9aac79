// What caches are told: an answer to someone in particular is never kept; one that anyone gets has the `Cache-Control`
// that the project sets, and a tag, by which a client that has it already is spared the body.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { USER } from '../src/model/builtin.ts';
import { openToAll } from './support/access.ts';
import { type Project, useContents } from './support/content.ts';
import { describeOnSqlite } from './support/database.ts';

const NOTES: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
const JSON_HEADERS = { 'content-type': 'application/json' };
const PASSWORD = 'correct horse battery';
const ORIGIN = 'https://www.example.com';
const PERSONAL = 'private, no-store';
const PUBLIC = 'public, max-age=60';

interface Server {
  readonly app: FastifyInstance;
  readonly sheaf: Sheaf;
  readonly token: string;
}

describeOnSqlite('Caches', (engine) => {
  const contents = useContents(engine);
  const opened: Server[] = [];
  let plain: Server;
  let cached: Server;
  let url: string;

  async function serve(settings: object): Promise<Server> {
    const project = contents.project(NOTES);
    mkdirSync(path.join(project, 'config'), { recursive: true });
    writeFileSync(path.join(project, 'config', 'sheaf.json'), JSON.stringify(settings));
    const sheaf = await open({ project, database: engine.bareDatabaseUrl(null) });
    await openToAll(sheaf);
    const { tokens } = await sheaf.auth();
    const token = await tokens.create({ name: 'all', description: '', type: 'full-access', actions: [], days: null });
    const server = { app: createServer(sheaf), sheaf, token };
    opened.push(server);
    await server.app.ready();
    return server;
  }

  beforeAll(async () => {
    plain = await serve({});
    cached = await serve({ cacheControl: PUBLIC, cors: { origins: [ORIGIN] } });
    for (const { sheaf } of [plain, cached])
      await sheaf.documents(USER).create({
        data: { username: 'ann', email: 'ann@example.com', password: PASSWORD, provider: 'local', confirmed: true },
      });
    const { documentId } = await cached.sheaf.documents('api::note.note').create({ data: { title: 'A' } });
    url = `/api/notes/${documentId}`;
  });
  afterAll(async () => {
    for (const { app, sheaf } of opened) {
      await app.close();
      await sheaf.close();
    }
  });

  describe('are told to keep nothing', () => {
    it.each<[string, number, InjectOptions]>([
      ['a list', 200, { url: '/api/notes' }],
      ['an entry that is not there', 404, { url: '/api/notes/none' }],
      ['a query that makes no sense', 400, { url: '/api/notes?sort=nope' }],
      ['a path that is not there', 404, { url: '/nowhere' }],
      ['a path that is no text', 400, { url: '/api/%E0%A4%A' }],
      ['a write', 201, { method: 'POST', url: '/api/notes', headers: JSON_HEADERS, payload: '{"data":{"title":"B"}}' }],
      ['the state of the server', 204, { url: '/_health' }],
    ])('of what someone with a token gets: %s (%i)', async (_what, status, request) => {
      for (const { app, token } of [plain, cached]) {
        const { statusCode, headers } = await app.inject({
          ...request,
          headers: { ...request.headers, authorization: `Bearer ${token}` },
        });
        expect(statusCode).toBe(status);
        expect(headers['cache-control']).toBe(PERSONAL);
        expect(headers.vary).toMatch(/\bAuthorization\b/);
        expect(headers).not.toHaveProperty('etag');
      }
    });

    it('of a refusal of a token', async () => {
      const { statusCode, headers } = await cached.app.inject({
        url: '/api/notes',
        headers: { authorization: 'Bearer no' },
      });
      expect([statusCode, headers['cache-control']]).toEqual([401, PERSONAL]);
    });

    it.each([
      ['the cookie of a session', { cookie: 'a=b; strapi_up_refresh=x' }],
      ['the cookie of a position', { cookie: 'sheaf_position=0/1' }],
      ['a position', { 'x-sheaf-position': '0/1' }],
    ])('of what someone with %s gets', async (_what, headers) => {
      const answer = await cached.app.inject({ url: '/api/notes', headers });
      expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, PERSONAL]);
      expect(answer.headers).not.toHaveProperty('etag');
    });

    it('of tokens that are handed out', async () => {
      for (const { app } of [plain, cached]) {
        const payload = JSON.stringify({ identifier: 'ann', password: PASSWORD });
        const answer = await app.inject({ method: 'POST', url: '/api/auth/local', headers: JSON_HEADERS, payload });
        expect([answer.statusCode, answer.headers['cache-control']]).toEqual([200, PERSONAL]);
      }
    });
  });

  it('learn that an answer depends on the token and, where origins are listed, on the origin', async () => {
    for (const headers of [{}, { origin: ORIGIN }, { origin: 'https://other.example' }])
      for (const authorization of [{}, { authorization: `Bearer ${cached.token}` }]) {
        const request = { url: '/api/notes', headers: { ...headers, ...authorization } };
        expect((await cached.app.inject(request)).headers.vary).toBe('Origin, Authorization');
      }
    expect((await plain.app.inject({ url: '/api/notes' })).headers.vary).toBe('Authorization');
  });

  describe('of what anyone gets', () => {
    const tagOf = async (target: string, method: 'GET' | 'HEAD' = 'GET'): Promise<string> => {
      const { statusCode, headers } = await cached.app.inject({ method, url: target });
      expect(statusCode).toBe(200);
      expect(headers.etag).toMatch(/^"[\w-]{43}"$/);
      return String(headers.etag);
    };
    const ask = (target: string, ifNoneMatch: string) =>
      cached.app.inject({ url: target, headers: { 'if-none-match': ifNoneMatch } });

    it.each(['/api/notes', '/api/i18n/locales', '/api/users', '/api/users/count'])(
      'have a tag that stays while the content does: %s',
      async (target) => {
        const tag = await tagOf(target);
        expect(await tagOf(target)).toBe(tag);
        expect(await tagOf(target, 'HEAD')).toBe(tag);
        expect((await ask(target, tag)).statusCode).toBe(304);
      },
    );

    it('see another tag after a change, also one that keeps the length', async () => {
      const before = await tagOf(url);
      const documentId = url.split('/').at(-1)!;
      await cached.sheaf.documents('api::note.note').update({ documentId, data: { title: 'Z' } });
      expect(await tagOf(url)).not.toBe(before);
      expect((await ask(url, before)).statusCode).toBe(200);
    });

    it('get a 304 without a body where they name the tag', async () => {
      const tag = await tagOf(url);
      for (const named of [tag, `W/${tag}`, '*', `"a", W/"b" ,${tag}`]) {
        const { statusCode, headers, body } = await ask(url, named);
        expect([statusCode, body], named).toEqual([304, '']);
        expect(headers).toMatchObject({ etag: tag, vary: 'Origin, Authorization', 'cache-control': PUBLIC });
        expect(headers).not.toHaveProperty('content-length');
        expect(headers).not.toHaveProperty('content-type');
      }
      for (const named of ['', '"a"', tag.slice(1, -1), `${tag}x`])
        expect((await ask(url, named)).statusCode, named).toBe(200);
    });

    it('are spared no answer to someone who shows a token', async () => {
      const tag = await tagOf(url);
      const headers = { 'if-none-match': tag, authorization: `Bearer ${cached.token}` };
      expect((await cached.app.inject({ url, headers })).statusCode).toBe(200);
    });

    it('hear nothing of how long to keep it where nothing is set, and get a tag only where they ask by one', async () => {
      for (const target of ['/api/notes', '/api/notes/none', '/_ready']) {
        const { headers } = await plain.app.inject({ url: target });
        expect(headers).not.toHaveProperty('cache-control');
        expect(headers).not.toHaveProperty('etag');
      }
      const asked = await plain.app.inject({ url: '/api/notes', headers: { 'if-none-match': '"a"' } });
      expect(asked.statusCode).toBe(200);
      expect(asked.headers).not.toHaveProperty('cache-control');
      const again = { url: '/api/notes', headers: { 'if-none-match': String(asked.headers.etag) } };
      expect((await plain.app.inject(again)).statusCode).toBe(304);
    });

    it('hear what the project sets, of reads that succeed and of nothing else', async () => {
      const controlOf = async (request: InjectOptions) => (await cached.app.inject(request)).headers['cache-control'];
      const { headers } = await cached.app.inject({ url: '/api/notes' });
      expect(headers['cache-control']).toBe(PUBLIC);
      const conditional = { url: '/api/notes', headers: { 'if-none-match': String(headers.etag) } };
      expect((await cached.app.inject(conditional)).statusCode).toBe(304);
      expect(await controlOf(conditional)).toBe(PUBLIC);
      for (const other of ['/api/notes/none', '/api/notes?sort=nope', '/nowhere', '/_health', '/_ready'])
        expect(await controlOf({ url: other }), other).toBeUndefined();
      const payload = '{"data":{"title":"C"}}';
      expect(await controlOf({ method: 'POST', url: '/api/notes', headers: JSON_HEADERS, payload })).toBeUndefined();
    });
  });

  it('are named in what scripts may send and read', async () => {
    const headers = { origin: ORIGIN, 'access-control-request-method': 'GET' };
    const preflight = await cached.app.inject({ method: 'OPTIONS', url: '/api/notes', headers });
    expect(preflight.headers['access-control-allow-headers']).toMatch(/\bif-none-match\b/);
    const answer = await cached.app.inject({ url: '/api/notes', headers: { origin: ORIGIN } });
    expect(answer.headers['access-control-expose-headers']).toMatch(/\betag\b/);
  });
});
