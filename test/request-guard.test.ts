// What holds at the door, before any route: which origins browsers may call from, the headers of every answer, how often
// one address and one account may ask, and that nobody has to send a body, or may send a large one, to be refused. And
// what has to be right before the door opens: the settings of the project, secrets, the host, and the environment.
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type OpenOptions, open, type Sheaf } from '../src/app.ts';
import { SetupError } from '../src/errors.ts';
import { WRITE_COST } from '../src/http/cost-limit.ts';
import { watchEventLoop } from '../src/http/event-loop.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_BODY_BYTES, MAX_URL_LENGTH } from '../src/limits.ts';
import { USER } from '../src/model/builtin.ts';
import { readConfig } from '../src/project/environment.ts';
import { type Project, useContents } from './support/content.ts';
import { describeOnSqlite, recordStatements } from './support/database.ts';
import { type Files, writeFiles } from './support/own-code.ts';
import { IN_THE_END } from './support/patience.ts';
import { claimRows } from './support/table-sizes.ts';

const NOTES: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
/** Passwords of its accounts are hashed at the lowest cost there is: how often one may try does not depend on that. */
const CHEAP_PASSWORDS: Files = {
  'src/extensions/users-permissions/content-types/user/schema.json': JSON.stringify({
    kind: 'collectionType',
    collectionName: 'up_users',
    info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
    attributes: { password: { type: 'password', private: true, encryption: { rounds: 4 } } },
  }),
};
const JSON_HEADERS = { 'content-type': 'application/json' };
const PASSWORD = 'correct horse battery';
const SECRET = 'Zr5uN0q8Wb3kXyT2Lm9dPf7s';

interface Door {
  readonly app: FastifyInstance;
  readonly sheaf: Sheaf;
}

/** Writes the settings of a project, as they are where they are a string; the project's folder. */
function withSettings(folder: string, settings: unknown): string {
  const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
  mkdirSync(path.join(folder, 'config'), { recursive: true });
  writeFileSync(path.join(folder, 'config', 'sheaf.json'), text);
  return folder;
}

const RATE_LIMITED = {
  data: null,
  error: {
    status: 429,
    name: 'RateLimitError',
    message: 'Too many requests, please try again later.',
    details: expect.any(Object),
  },
};

function expectRateLimited(response: LightMyRequestResponse, seconds: number): void {
  expect(response.statusCode).toBe(429);
  expect(response.json()).toEqual(RATE_LIMITED);
  const wait = Number(response.headers['retry-after']);
  expect(wait, 'Retry-After').toBeGreaterThanOrEqual(1);
  expect(wait, 'Retry-After').toBeLessThanOrEqual(seconds);
}

describeOnSqlite('The door', (engine) => {
  const contents = useContents(engine);
  const opened: Door[] = [];
  afterAll(async () => {
    for (const { app, sheaf } of opened) {
      await app.close();
      await sheaf.close();
    }
  });

  const projectWith = (settings: unknown) => withSettings(contents.project(NOTES), settings);

  /** A server with these settings, on a new database; where `grants` are given, the public has them. */
  async function enter(settings: unknown = {}, grants: readonly string[] = [], files: Files = {}): Promise<Door> {
    const project = projectWith(settings);
    writeFiles(project, files);
    const sheaf = await open({ project, database: engine.bareDatabaseUrl(null) });
    if (grants.length > 0) await (await sheaf.auth()).roles.grant('public', grants);
    const door = { app: createServer(sheaf), sheaf };
    opened.push(door);
    await door.app.ready();
    return door;
  }

  const statuses = async (app: FastifyInstance, requests: readonly InjectOptions[]): Promise<number[]> => {
    const found: number[] = [];
    for (const request of requests) found.push((await app.inject(request)).statusCode);
    return found;
  };

  describe('to browsers', () => {
    const ANY_ORIGIN = ['https://www.example.com', 'http://localhost:3000', 'null', 'https://evil.test'];
    const preflight = (origin: string, url = '/api/notes'): InjectOptions => ({
      method: 'OPTIONS',
      url,
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    const words = (header: unknown): string[] => String(header).toLowerCase().split(/, */);

    it('is open to every origin, without credentials, where nothing is said', async () => {
      const { app } = await enter({}, ['*']);
      for (const origin of ANY_ORIGIN)
        for (const url of ['/api/notes', '/api/notes/none', '/api/notes?nope=1', '/nowhere', '/_health']) {
          const { headers } = await app.inject({ url, headers: { origin } });
          expect(headers['access-control-allow-origin'], `${url} from ${origin}`).toBe('*');
          expect(headers).not.toHaveProperty('access-control-allow-credentials');
        }
    });

    it('lets scripts read refusals', async () => {
      const { app } = await enter();
      const origin = 'https://www.example.com';
      for (const [request, status] of [
        [{ url: '/api/notes' }, 403],
        [{ url: '/api/notes', headers: { authorization: 'Bearer nonsense' } }, 401],
        [{ method: 'PATCH', url: '/api/notes' }, 405],
        [{ method: 'POST', url: '/api/auth/local', headers: JSON_HEADERS, payload: '{' }, 400],
        [{ url: `/api/notes?${'x'.repeat(MAX_URL_LENGTH)}` }, 414],
        [{ url: '/api/%E0%A4%A' }, 400],
        [{ url: `/api/notes/${'x'.repeat(300)}` }, 404],
      ] as const) {
        const answer = await app.inject({
          ...request,
          headers: { origin, ...('headers' in request ? request.headers : {}) },
        });
        expect(answer.statusCode).toBe(status);
        expect(answer.headers['access-control-allow-origin'], answer.body).toBe('*');
      }
    });

    it('answers a preflight with a token in it before anyone has to say who asks', async () => {
      const { app } = await enter();
      for (const url of ['/api/notes', '/api/notes/abc', '/api/auth/local', '/api/users/me']) {
        const { statusCode, headers, body } = await app.inject(preflight('https://www.example.com', url));
        expect(statusCode).toBe(204);
        expect(body).toBe('');
        expect(headers['access-control-allow-origin']).toBe('*');
        expect(headers).not.toHaveProperty('access-control-allow-credentials');
        expect(words(headers['access-control-allow-methods'])).toEqual(
          expect.arrayContaining(['get', 'post', 'put', 'delete']),
        );
        expect(words(headers['access-control-allow-headers'])).toEqual(
          expect.arrayContaining(['authorization', 'content-type', 'x-strapi-refresh-cookie']),
        );
        expect(Number(headers['access-control-max-age'])).toBeGreaterThan(0);
      }
    });

    it('lets scripts see how long to wait', async () => {
      const { app } = await enter();
      const { headers } = await app.inject({ url: '/api/notes', headers: { origin: 'https://www.example.com' } });
      expect(words(headers['access-control-expose-headers'])).toContain('retry-after');
    });

    const LISTED = ['https://www.example.com', 'http://localhost:3000'];

    it('names a listed origin, with credentials where the setting says so', async () => {
      for (const credentials of [true, false]) {
        const { app } = await enter({ cors: { origins: LISTED, credentials } }, ['*']);
        for (const origin of LISTED)
          for (const request of [preflight(origin), { url: '/api/notes', headers: { origin } }]) {
            const { headers } = await app.inject(request);
            expect(headers['access-control-allow-origin']).toBe(origin);
            expect(headers['access-control-allow-credentials']).toBe(credentials ? 'true' : undefined);
            expect(words(headers.vary)).toContain('origin');
          }
      }
    });

    it('gives an origin that is not listed nothing, however alike it looks', async () => {
      const { app } = await enter({ cors: { origins: LISTED, credentials: true } }, ['*']);
      for (const origin of [
        'https://evil.test',
        'null',
        'http://www.example.com',
        'https://example.com',
        'https://www.example.com:444',
        'https://www.example.com.evil.test',
        'https://www.example.comevil.test',
        'https://wwwxexample.com',
        'https://evil.test/https://www.example.com',
        'https://www.example.com@evil.test',
        'https://www.example.com/',
        'https://www.example.com, https://evil.test',
        'https://www.example.com https://evil.test',
        'http://localhost',
        'http://localhost:30000',
        '*',
        '',
      ])
        for (const request of [preflight(origin), { url: '/api/notes', headers: { origin } }]) {
          const { headers } = await app.inject(request);
          for (const header of ['origin', 'credentials', 'methods', 'headers'])
            expect(headers, `${header} for ${origin}`).not.toHaveProperty(`access-control-allow-${header}`);
          // What a cache keeps of this answer must not be given to a listed origin.
          expect(words(headers.vary)).toContain('origin');
        }
    });

    it('serves those who ask from elsewhere or from no browser all the same', async () => {
      const { app } = await enter({ cors: { origins: LISTED } }, ['*']);
      for (const headers of [{ origin: 'https://evil.test' }, {}])
        expect((await app.inject({ url: '/api/notes', headers })).statusCode).toBe(200);
    });

    it('never gives credentials to any origin, whatever is set', async () => {
      const both = [true, false];
      for (const [origins, settings] of [
        [['*'], [true]],
        [['*', ...LISTED], both],
        [LISTED, [true]],
        [[], [true]],
      ] as const)
        for (const credentials of settings) {
          const { app } = await enter({ cors: { origins, credentials } });
          for (const origin of [...ANY_ORIGIN, ...LISTED])
            for (const request of [preflight(origin), { url: '/api/notes', headers: { origin } }]) {
              const { headers } = await app.inject(request);
              const allowed = headers['access-control-allow-origin'];
              const isNamed = origins.some((one) => one === origin);
              expect(allowed).toBe(isNamed ? origin : origins.some((one) => one === '*') ? '*' : undefined);
              expect(headers['access-control-allow-credentials']).toBe(isNamed && credentials ? 'true' : undefined);
            }
        }
    });
  });

  describe('on every answer', () => {
    let door: Door;
    let port: number;
    let token: string;
    beforeAll(async () => {
      door = await enter({ rateLimits: { auth: { max: 1, seconds: 60 } } });
      await door.app.listen({ host: '127.0.0.1', port: 0 });
      port = (door.app.server.address() as { port: number }).port;
      const { tokens } = await door.sheaf.auth();
      token = await tokens.create({ name: 'all', description: '', type: 'full-access', actions: [], days: null });
    });

    function expectSecured(headers: Readonly<Record<string, unknown>>): void {
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': expect.stringMatching(/^(DENY|SAMEORIGIN)$/),
        'referrer-policy': 'no-referrer',
        'content-security-policy': expect.stringContaining("default-src 'none'"),
        'strict-transport-security': expect.stringMatching(/^max-age=\d{7,}/),
      });
      expect(headers).not.toHaveProperty('x-powered-by');
      expect(headers).not.toHaveProperty('server');
    }

    const send = (request: InjectOptions, as = `Bearer ${token}`) =>
      door.app.inject({ ...request, headers: { authorization: as, ...request.headers } });
    const post = (payload: string, headers = JSON_HEADERS): InjectOptions => ({
      method: 'POST',
      url: '/api/notes',
      headers,
      payload,
    });

    it.each<[string, number, InjectOptions]>([
      ['a list', 200, { url: '/api/notes' }],
      ['a new entry', 201, post('{"data":{"title":"a"}}')],
      ['the state of the server', 204, { url: '/_health' }],
      ['a question for the headers alone', 200, { method: 'HEAD', url: '/api/notes' }],
      ['a query that makes no sense', 400, { url: '/api/notes?filters[nope]=1' }],
      ['a body that is no JSON', 400, post('{')],
      ['an entry that is not there', 404, { url: '/api/notes/none' }],
      ['a path that is not there', 404, { url: '/nowhere' }],
      ['a method that is not there', 405, { method: 'PATCH', url: '/api/notes' }],
      ['a query that is not there', 405, { method: 'QUERY', url: '/api/notes/x' }],
      ['a body that is too large', 413, post('x'.repeat(MAX_BODY_BYTES + 1))],
      ['a body of another kind', 415, post('<a/>', { 'content-type': 'text/xml' })],
      ['a URL that is too long', 414, { url: `/api/notes?${'x'.repeat(MAX_URL_LENGTH)}` }],
      ['a path that is no text', 400, { url: '/api/%E0%A4%A' }],
      ['a name that is too long for a document', 404, { url: `/api/notes/${'x'.repeat(300)}` }],
    ])('keeps browsers from making more of the answer to %s (%i)', async (_what, status, request) => {
      const answer = await send(request);
      expect(answer.statusCode, answer.body).toBe(status);
      expectSecured(answer.headers);
    });

    it('keeps browsers from making more of a refusal (401, 403, 429)', async () => {
      const { app } = door;
      const request = { method: 'POST', url: '/api/auth/local', headers: JSON_HEADERS, payload: '{}' } as const;
      for (const [answer, status] of [
        [await send({ url: '/api/notes' }, 'Bearer nonsense'), 401],
        [await app.inject({ url: '/api/notes' }), 403],
        [await app.inject(request), 400],
        [await app.inject(request), 429],
      ] as const) {
        expect(answer.statusCode).toBe(status);
        expectSecured(answer.headers);
      }
    });

    it('keeps browsers from making more of a preflight', async () => {
      const headers = { origin: 'https://www.example.com', 'access-control-request-method': 'PUT' };
      const answer = await door.app.inject({ method: 'OPTIONS', url: '/api/notes', headers });
      expect(answer.statusCode).toBe(204);
      expectSecured(answer.headers);
    });

    it('answers OPTIONS that are no preflight with the methods of the path', async () => {
      for (const headers of [{}, { origin: 'https://www.example.com' }, { 'access-control-request-method': 'PUT' }]) {
        const answer = await door.app.inject({ method: 'OPTIONS', url: '/api/notes', headers });
        expect([answer.statusCode, answer.body, answer.headers.allow]).toEqual([200, '', 'HEAD, GET, POST, QUERY']);
        expectSecured(answer.headers);
        expect((await door.app.inject({ method: 'OPTIONS', url: '/api/nothing', headers })).statusCode).toBe(404);
      }
    });

    it.each([
      ['an HTTP request without a host', 400, 'GET /api/notes HTTP/1.1\r\nconnection: close\r\n\r\n'],
      ['what is no HTTP', 400, 'nonsense\r\n\r\n'],
      ['headers that are too large', 431, `GET / HTTP/1.1\r\nhost: a\r\nx: ${'x'.repeat(70_000)}\r\n\r\n`],
      [
        'an expectation that is not known',
        417,
        'GET / HTTP/1.1\r\nhost: a\r\nexpect: more\r\nconnection: close\r\n\r\n',
      ],
    ])('keeps browsers from making more of the answer to %s (%i)', async (_what, status, bytes) => {
      const answer = await exchange(port, bytes);
      expect(answer.status).toBe(status);
      expectSecured(answer.headers);
    });

    it('keeps browsers from making more of a failure of ours (500, 503)', async () => {
      const broken = await enter({}, ['*']);
      await broken.sheaf.database.transaction((session) => session.rows({ sql: 'drop table notes', bindings: [] }, []));
      const complaints = vi.spyOn(console, 'error').mockReturnValue(undefined);
      try {
        for (const [url, status, name] of [
          ['/api/notes', 500, 'InternalServerError'],
          ['/_ready', 503, 'ServiceUnavailableError'],
        ] as const) {
          const answer = await broken.app.inject({ url, headers: { origin: 'https://www.example.com' } });
          expect(answer.statusCode).toBe(status);
          expect(answer.json()).toMatchObject({ data: null, error: { status, name } });
          // What went wrong is for the operator, not for the client.
          expect(answer.body).not.toMatch(/notes|sql|table/i);
          expectSecured(answer.headers);
          expect(answer.headers['access-control-allow-origin']).toBe('*');
        }
        expect(complaints.mock.calls.join('\n')).toMatch(/no such table: notes/);
      } finally {
        complaints.mockRestore();
      }
    });
  });

  describe('to those who ask often', () => {
    afterEach(() => {
      vi.useRealTimers();
    });
    const logIn = (identifier: string, password = 'wrong', more: InjectOptions = {}): InjectOptions => ({
      method: 'POST',
      url: '/api/auth/local',
      payload: { identifier, password },
      ...more,
    });
    /** From behind a proxy on this machine. */
    const via = (chain: string): InjectOptions => ({ headers: { 'x-forwarded-for': chain } });
    const PATHS: readonly InjectOptions[] = [
      { method: 'POST', url: '/api/auth/local', payload: {} },
      { method: 'POST', url: '/api/auth/local/register', payload: {} },
      { method: 'POST', url: '/api/auth/forgot-password', payload: {} },
      { method: 'POST', url: '/api/auth/reset-password', payload: {} },
      { method: 'POST', url: '/api/auth/send-email-confirmation', payload: {} },
      { method: 'POST', url: '/api/auth/refresh', payload: {} },
      { method: 'GET', url: '/api/auth/email-confirmation?confirmation=x' },
    ];

    it('refuses further requests of one address to a path of /api/auth, and to no other', async () => {
      const { app } = await enter({ rateLimits: { auth: { max: 3, seconds: 60 } } });
      for (const request of PATHS) {
        expect(await statuses(app, [request, request, request]), String(request.url)).toEqual([400, 400, 400]);
        expectRateLimited(await app.inject(request), 60);
        const other = await app.inject({ ...request, remoteAddress: '203.0.113.7' });
        expect(other.statusCode, 'another address').toBe(400);
      }
    });

    it('takes all addresses of a network of IPv6 for one there as well', async () => {
      const { app } = await enter({ rateLimits: { auth: { max: 2, seconds: 60 } } });
      const from = (remoteAddress: string) => ({ ...PATHS[0]!, remoteAddress });
      const network = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:db8:0:1::3', '2001:db8:0:2::1'];
      expect(await statuses(app, network.map(from))).toEqual([400, 400, 429, 400]);
    });

    it('says how many requests are left', async () => {
      const { app } = await enter({ rateLimits: { auth: { max: 2, seconds: 60 } } });
      const first = await app.inject(PATHS[0]!);
      expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
      expect(first.headers).not.toHaveProperty('retry-after');
    });

    it('takes another spelling of a path for the same path', async () => {
      const { app } = await enter({ rateLimits: { auth: { max: 2, seconds: 60 } } });
      const spellings = ['/api/auth/local', '/api/auth/local/', '/API/Auth/LOCAL', '/api/auth/local?x=1'];
      const requests = [...spellings, '/api/auth/%6cocal'].map(
        (url) => ({ method: 'POST', url, payload: {} }) as const,
      );
      expect(await statuses(app, requests)).toEqual([400, 400, 429, 429, 429]);
    });

    it('lets an address ask again when the time is over', async () => {
      const { app } = await enter({ rateLimits: { auth: { max: 1, seconds: 30 } } });
      vi.useFakeTimers({ toFake: ['Date'] });
      const begin = Date.now();
      expect(await statuses(app, [PATHS[0]!, PATHS[0]!])).toEqual([400, 429]);
      vi.setSystemTime(begin + 29_000);
      expectRateLimited(await app.inject(PATHS[0]!), 1);
      vi.setSystemTime(begin + 30_000);
      expect(await statuses(app, [PATHS[0]!, PATHS[0]!])).toEqual([400, 429]);
    });

    it('counts requests with a token that is not good', async () => {
      const { app } = await enter({ rateLimits: { auth: { max: 2, seconds: 60 } } });
      const request = { ...PATHS[0]!, headers: { authorization: 'Bearer nonsense' } };
      expect(await statuses(app, [request, request, request])).toEqual([401, 401, 429]);
    });

    /** A server with limits on wrong passwords alone, behind a proxy on this machine, and two users. */
    async function enterWithUsers(account: number, address = 1_000): Promise<Door> {
      const of = (max: number) => ({ max, seconds: 60 });
      const limits = { auth: of(1_000), account: of(account), address: of(address) };
      const door = await enter({ rateLimits: limits, trustProxy: ['127.0.0.1'] }, [], CHEAP_PASSWORDS);
      const role = (await (await door.sheaf.auth()).roles.find('authenticated')).id;
      for (const username of ['anna', 'mike']) {
        const email = `${username}@example.com`;
        const data = { username, email, password: PASSWORD, provider: 'local', confirmed: true, role };
        await door.sheaf.documents(USER).create({ data });
      }
      return door;
    }
    const [HERE, ELSEWHERE] = ['198.51.100.1', '203.0.113.3'];

    it('refuses further passwords of one address for one account, and nobody else', async () => {
      const { app } = await enterWithUsers(3);
      const wrong = logIn('anna', 'wrong', via(ELSEWHERE));
      expect(await statuses(app, [wrong, wrong, wrong])).toEqual([400, 400, 400]);
      // Not even the right one: it could be the guess that succeeds.
      expectRateLimited(await app.inject(logIn('anna', PASSWORD, via(ELSEWHERE))), 60);
      // The owner comes in all the same, and so do others from there.
      const owner = await app.inject(logIn('anna', PASSWORD, via(HERE)));
      expect(owner.json()).toMatchObject({ jwt: expect.any(String), user: { username: 'anna' } });
      expect(await statuses(app, [logIn('mike', PASSWORD, via(ELSEWHERE))])).toEqual([200]);
    });

    it('refuses further passwords of one address, whatever accounts they are for', async () => {
      const { app } = await enterWithUsers(1_000, 3);
      const names = ['anna', 'mike', 'nobody'];
      expect(
        await statuses(
          app,
          names.map((name) => logIn(name, 'wrong', via(ELSEWHERE))),
        ),
      ).toEqual([400, 400, 400]);
      for (const name of ['mike', 'someone'])
        expectRateLimited(await app.inject(logIn(name, PASSWORD, via(ELSEWHERE))), 60);
      expect(await statuses(app, [logIn('anna', PASSWORD, via(HERE))])).toEqual([200]);
    });

    it('counts wrong passwords alone, and a right one takes none of them back', async () => {
      const { app } = await enterWithUsers(3, 3);
      const [right, wrong] = [logIn('anna', PASSWORD), logIn('anna')];
      expect(await statuses(app, [right, right, right, right, wrong, right, wrong, right, wrong, right])).toEqual([
        200, 200, 200, 200, 400, 200, 400, 200, 400, 429,
      ]);
    });

    it('lets nobody get around the limit with many guesses at once', async () => {
      const { app } = await enterWithUsers(3);
      const answers = await Promise.all(Array.from({ length: 10 }, () => app.inject(logIn('anna'))));
      expect(answers.map(({ statusCode }) => statusCode).sort()).toEqual([
        ...Array(3).fill(400),
        ...Array(7).fill(429),
      ]);
    });

    it('lets an address try again when the time is over', async () => {
      const { app } = await enterWithUsers(1);
      vi.useFakeTimers({ toFake: ['Date'] });
      const begin = Date.now();
      expect(await statuses(app, [logIn('anna'), logIn('anna')])).toEqual([400, 429]);
      vi.setSystemTime(begin + 59_000);
      expectRateLimited(await app.inject(logIn('anna')), 1);
      vi.setSystemTime(begin + 60_000);
      expect(await statuses(app, [logIn('anna', PASSWORD), logIn('anna'), logIn('anna')])).toEqual([200, 400, 429]);
    });

    it('takes all addresses of a network of IPv6 for one', async () => {
      const { app } = await enterWithUsers(2);
      const from = (address: string) => logIn('anna', 'wrong', via(address));
      const network = ['2001:db8:0:1::1', '2001:db8:0:1:ffff::2', '2001:0db8:0000:0001:0:0:0:3'];
      expect(await statuses(app, network.map(from))).toEqual([400, 400, 429]);
      expect(await statuses(app, [from('2001:db8:0:2::1')])).toEqual([400]);
    });

    it('does not tell that a name and an address are those of one account', async () => {
      const { app } = await enterWithUsers(2);
      // Whether both are there, and are one account or two, or neither is.
      for (const [name, email] of [
        ['anna', 'anna@example.com'],
        ['mike', 'nobody@example.com'],
        ['nobody', 'somebody@example.com'],
      ] as const) {
        expect(await statuses(app, Array(3).fill(logIn(name))), name).toEqual([400, 400, 429]);
        const spellings = [email, email.toUpperCase(), email];
        expect(
          await statuses(
            app,
            spellings.map((spelling) => logIn(spelling)),
          ),
          email,
        ).toEqual([400, 400, 429]);
      }
    });

    it('does not take a name that is a number for the number of an account', async () => {
      const { app, sheaf } = await enterWithUsers(2);
      const users = await sheaf.documents(USER).findMany({ fields: ['id'] });
      for (const { id } of users) await statuses(app, Array(3).fill(logIn(String(id))));
      expect(await statuses(app, [logIn('anna', PASSWORD), logIn('mike', PASSWORD)])).toEqual([200, 200]);
    });

    const behindProxy = (trustProxy: readonly string[]) =>
      enter({ rateLimits: { auth: { max: 2, seconds: 60 } }, trustProxy });
    const asking = (more: InjectOptions): InjectOptions => ({ ...PATHS[0]!, ...more });

    it('takes the word of a trusted proxy on who asks', async () => {
      const { app } = await behindProxy(['127.0.0.1', '10.0.0.0/8']);
      const from = (chain: string) => asking(via(chain));
      expect(await statuses(app, ['198.51.100.1', '198.51.100.1', '198.51.100.1'].map(from))).toEqual([400, 400, 429]);
      expect(await statuses(app, ['198.51.100.2', '198.51.100.3'].map(from))).toEqual([400, 400]);
      // Through two proxies, both trusted.
      expect(await statuses(app, ['198.51.100.1, 10.1.2.3', '198.51.100.4, 10.1.2.3'].map(from))).toEqual([429, 400]);
    });

    it('believes no more of the chain than trusted proxies wrote', async () => {
      const { app } = await behindProxy(['127.0.0.1']);
      const chains = ['192.0.2.1, 198.51.100.1', '192.0.2.2, 198.51.100.1', '192.0.2.3, 198.51.100.1'];
      expect(
        await statuses(
          app,
          chains.map((chain) => asking(via(chain))),
        ),
      ).toEqual([400, 400, 429]);
    });

    it('lets nobody else say from where they ask', async () => {
      const headers = [
        'x-forwarded-for',
        'forwarded',
        'x-real-ip',
        'x-client-ip',
        'true-client-ip',
        'cf-connecting-ip',
        'x-forwarded-host',
      ];
      for (const trustProxy of [[], ['10.0.0.1']]) {
        const { app } = await behindProxy(trustProxy);
        const requests = headers.map((name, index) => asking({ headers: { [name]: `198.51.100.${index}` } }));
        expect(await statuses(app, requests)).toEqual([400, 400, 429, 429, 429, 429, 429]);
      }
    });

    it('has no limit on content where none is set', async () => {
      const { app } = await enter({}, ['*']);
      const requests = Array.from({ length: 200 }, () => ({ url: '/api/notes' }));
      expect(new Set(await statuses(app, requests))).toEqual(new Set([200]));
    });

    describe('where what content costs is limited', () => {
      const COST = { rateLimits: { cost: { max: 30, seconds: 60 } } };
      const remaining = ({ headers }: LightMyRequestResponse): number => Number(headers['x-ratelimit-remaining']);

      it('counts an empty page as a little, and refuses an address that has spent all', async () => {
        const { app } = await enter(COST, ['*']);
        const first = await app.inject({ url: '/api/notes' });
        expect(first.headers).toMatchObject({ 'x-ratelimit-limit': '30', 'x-ratelimit-remaining': '20' });
        expect(Number(first.headers['x-ratelimit-reset'])).toBeGreaterThan(0);
        // Requests for any content count together, also those that find nothing.
        expect(await statuses(app, [{ url: '/api/notes/none' }, { url: '/api/users' }])).toEqual([404, 200]);
        const refused = await app.inject({ url: '/api/notes?sort=title' });
        expectRateLimited(refused, 60);
        expect(remaining(refused)).toBe(0);
        expect(await statuses(app, [{ url: '/api/notes', remoteAddress: '203.0.113.7' }])).toEqual([200]);
        const network = ['2001:db8::1', '2001:db8::2', '2001:db8::3', '2001:db8::4'];
        expect(
          await statuses(
            app,
            network.map((remoteAddress) => ({ url: '/api/notes', remoteAddress })),
          ),
        ).toEqual([200, 200, 200, 429]);
        // Whether the server lives is no content.
        expect(await statuses(app, Array(5).fill({ url: '/_health' }))).toEqual([204, 204, 204, 204, 204]);
      });

      it('counts what a request reads and what it writes', async () => {
        const { app, sheaf } = await enter({ rateLimits: { cost: { max: 1_000_000, seconds: 60 } } }, ['*']);
        claimRows(sheaf, { notes: 40_000 });
        const page = await app.inject({ url: '/api/notes?filters[title]=none' });
        const cost = Number(/cost;desc=(\d+)$/.exec(String(page.headers['server-timing']))![1]);
        expect(cost).toBeGreaterThanOrEqual(40_000);
        expect(remaining(page)).toBe(1_000_000 - cost);
        const payload = { data: { title: 'one' } };
        const made = await app.inject({ method: 'POST', url: '/api/notes', payload });
        expect(made.statusCode).toBe(201);
        expect(remaining(made)).toBe(1_000_000 - cost - WRITE_COST);
        const entry = { url: `/api/notes/${made.json().data.documentId}` };
        expect(remaining(await app.inject({ method: 'PUT', ...entry, payload }))).toBe(remaining(made) - WRITE_COST);
        expect(remaining(await app.inject({ method: 'DELETE', ...entry }))).toBe(remaining(made) - 2 * WRITE_COST);
      });

      it('counts a token and a user wherever they come from', async () => {
        const { app, sheaf } = await enter(COST, ['*']);
        const auth = await sheaf.auth();
        const token = { name: 'reader', description: '', type: 'read-only', actions: [], days: null } as const;
        const tokens = [await auth.tokens.create(token), await auth.tokens.create({ ...token, name: 'other' })];
        const asking = (bearer: string, remoteAddress: string): InjectOptions => ({
          url: '/api/notes',
          headers: { authorization: `Bearer ${bearer}` },
          remoteAddress,
        });
        for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3'])
          expect(await statuses(app, [asking(tokens[0]!, address)])).toEqual([200]);
        expect(await statuses(app, [asking(tokens[0]!, '192.0.2.4'), asking(tokens[1]!, '192.0.2.1')])).toEqual([
          429, 200,
        ]);
        for (const scheme of ['BEARER ', 'Bearer  ', 'Bearer\t']) {
          const spelled = { ...asking('', '192.0.2.5'), headers: { authorization: scheme + tokens[0] } };
          expect([scheme, ...(await statuses(app, [spelled]))]).toEqual([scheme, 429]);
        }
      });
    });

    it('tells what a read costs to one digit, so that nobody counts rows that they may not see', async () => {
      const { app, sheaf } = await enter({}, ['*']);
      const costWith = async (rows: number): Promise<string> => {
        claimRows(sheaf, { notes: rows });
        const { headers } = await app.inject({ url: '/api/notes?filters[title]=none' });
        return /cost;desc=(\d+)$/.exec(String(headers['server-timing']))![1]!;
      };
      expect(await costWith(41_000)).toMatch(/^[1-9]0+$/);
      expect(await costWith(41_001)).toBe(await costWith(41_000));
    });
  });

  describe('when the event loop is behind', () => {
    const MAX_LAG_MS = 100;

    it('refuses requests at once, but those that ask how it does', async () => {
      const { sheaf } = await enter({}, ['*']);
      const app = createServer(sheaf, { isBehind: watchEventLoop(MAX_LAG_MS) });
      const busy = (): number => process.threadCpuUsage().user / 1000;
      const holdUp = async (): Promise<void> => {
        const end = busy() + MAX_LAG_MS + 300;
        while (busy() < end);
        // The timer that looks after the loop is due before this one.
        await new Promise((resolve) => setTimeout(resolve, 1));
      };
      await holdUp();
      expect(await statuses(app, [{ url: '/api/notes' }])).toEqual([200]);
      await holdUp();
      const refused = await app.inject({ url: '/api/notes' });
      expect(refused.statusCode).toBe(503);
      expect(refused.headers['retry-after']).toBe('1');
      expect(refused.json().error.message).toMatch(/behind with its work/);
      expect(await statuses(app, [{ url: '/_health' }, { url: '/_ready' }])).toEqual([204, 200]);
      await vi.waitFor(async () => expect(await statuses(app, [{ url: '/api/notes' }])).toEqual([200]), IN_THE_END);
    });
  });

  describe('to those who may not come in', () => {
    let door: Door;
    let port: number;
    let statements: string[];
    beforeAll(async () => {
      door = await enter();
      statements = recordStatements(door.sheaf);
      await door.app.listen({ host: '127.0.0.1', port: 0 });
      port = (door.app.server.address() as { port: number }).port;
    });

    it('refuses a long URL before it looks at who asks', async () => {
      statements.length = 0;
      for (const authorization of ['Bearer nonsense', `Bearer ${'a'.repeat(256)}`]) {
        const url = `/api/notes?${'x'.repeat(MAX_URL_LENGTH)}`;
        const answer = await door.app.inject({ url, headers: { authorization } });
        expect(answer.statusCode).toBe(414);
        expect(answer.json()).toMatchObject({ data: null, error: { status: 414 } });
      }
      expect(statements).toEqual([]);
    });

    it('refuses a large body of those who need not say who they are', async () => {
      statements.length = 0;
      const payload = JSON.stringify({ identifier: 'x'.repeat(MAX_BODY_BYTES), password: 'x' });
      for (const path of ['local', 'local/register', 'forgot-password', 'refresh']) {
        const answer = await door.app.inject({
          method: 'POST',
          url: `/api/auth/${path}`,
          headers: JSON_HEADERS,
          payload,
        });
        expect(answer.statusCode).toBe(413);
        expect(answer.json()).toMatchObject({ data: null, error: { status: 413, name: 'PayloadTooLargeError' } });
      }
      expect(statements).toEqual([]);
    });

    const BODIES: readonly [string, Record<string, string>, string][] = [
      ['is right', JSON_HEADERS, '{"data":{}}'],
      ['is no JSON', JSON_HEADERS, '{"data":'],
      ['is not there', JSON_HEADERS, ''],
      ['is of another kind', { 'content-type': 'text/xml' }, '<a/>'],
      ['is of no kind', { 'content-type': 'nonsense' }, 'x'],
      ['is too large', JSON_HEADERS, 'x'.repeat(MAX_BODY_BYTES + 1)],
      ['would change every object', JSON_HEADERS, '{"__proto__":{"x":1}}'],
    ];

    it.each(BODIES)('answers 403 or 401 whether or not the body %s', async (_what, headers, payload) => {
      for (const [method, url] of [
        ['POST', '/api/notes'],
        ['PUT', '/api/notes/abc'],
        ['DELETE', '/api/notes/abc'],
        ['POST', '/api/users'],
        ['POST', '/api/auth/change-password'],
      ] as const) {
        const forbidden = await door.app.inject({ method, url, headers, payload });
        expect(forbidden.statusCode, `${method} ${url}`).toBe(403);
        expect(forbidden.json()).toMatchObject({ data: null, error: { status: 403, name: 'ForbiddenError' } });
        const unknown = await door.app.inject({
          method,
          url,
          headers: { ...headers, authorization: 'Bearer nonsense' },
          payload,
        });
        expect(unknown.statusCode, `${method} ${url}`).toBe(401);
        expect(unknown.headers['www-authenticate']).toMatch(/^Bearer/);
      }
    });

    it.each([
      ['announced', `content-length: ${MAX_BODY_BYTES}\r\n\r\n`],
      ['announced and too large', 'content-length: 999999999\r\n\r\n'],
      ['begun', 'content-length: 100\r\n\r\n{"data"'],
      ['sent piece by piece', 'transfer-encoding: chunked\r\n\r\n5\r\n{"dat\r\n'],
    ])('answers 403 before a body comes that is only %s', async (_what, rest) => {
      const head = 'POST /api/notes HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
      const answer = await exchange(port, head + rest, true);
      expect(answer.status).toBe(403);
      expect(JSON.parse(answer.body)).toMatchObject({ data: null, error: { status: 403 } });
    });

    it('answers 413 to an announced body that is too large before it comes', async () => {
      const head = 'POST /api/auth/local HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n';
      const answer = await exchange(port, `${head}content-length: ${MAX_BODY_BYTES + 1}\r\n\r\n`, true);
      expect(answer.status).toBe(413);
    });

    it('does not take the body of a refused request for the next request', async () => {
      const hidden = 'GET /_health HTTP/1.1\r\nhost: a\r\n\r\n';
      const head = `POST /api/notes HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${hidden.length}\r\n\r\n`;
      const last = 'GET /nowhere HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n';
      const answer = await exchange(port, head + hidden + last);
      expect(answer.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 404']);
    });
  });
});

describeOnSqlite('Before the door opens', (engine) => {
  const contents = useContents(engine);
  const opened: Sheaf[] = [];
  afterAll(async () => {
    for (const sheaf of opened) await sheaf.close();
  });

  /** Opens a project and lets a server begin, as `sheaf start` does. */
  async function begin(project: string, more: Partial<OpenOptions> = {}): Promise<Sheaf> {
    const sheaf = await open({ project, database: engine.bareDatabaseUrl(null), ...more });
    opened.push(sheaf);
    const app = createServer(sheaf);
    try {
      await app.ready();
    } finally {
      await app.close();
    }
    return sheaf;
  }

  /** What an operator is told. */
  async function refusalOf(work: () => unknown): Promise<SetupError> {
    try {
      await work();
    } catch (error) {
      expect(error).toBeInstanceOf(SetupError);
      return error as SetupError;
    }
    throw new Error('It was accepted');
  }

  const projectWith = (settings: unknown) => withSettings(contents.project(NOTES), settings);

  describe('the settings', () => {
    it('are told all that is wrong with them at once', async () => {
      const project = projectWith({
        users: { bareList: 'yes', bare: true },
        auth: { accessTokenSeconds: 0, refreshToken: 'header', registerFields: [''] },
        cors: { origins: 'https://www.example.com', credentials: 1 },
        rateLimits: { auth: { max: 10 }, account: null, cost: { max: 1, seconds: 1, minutes: 1 } },
        trustProxy: true,
        email: [],
        security: {},
      });
      const { message, problems } = await refusalOf(() => begin(project));
      expect(message).toContain(path.join(project, 'config', 'sheaf.json'));
      expect(problems.map((problem) => problem.split(':')[0])).toEqual([
        'users.bareList',
        'users.bare',
        'auth.accessTokenSeconds',
        'auth.refreshToken',
        'auth.registerFields.0',
        'cors.origins',
        'cors.credentials',
        'rateLimits.auth.seconds',
        'rateLimits.account',
        'rateLimits.cost.minutes',
        'trustProxy',
        'email',
        'security',
      ]);
      // Each says what is expected instead.
      for (const problem of problems) expect(problem).toMatch(/: (not known; |missing; )?expected \S/);
    });

    it('are told where they are no JSON, or no object', async () => {
      expect((await refusalOf(() => begin(projectWith('{"users": {')))).message).toMatch(/sheaf\.json: not valid JSON/);
      for (const value of [[], 'null', '7'])
        expect((await refusalOf(() => begin(projectWith(value)))).problems).toEqual([
          'the file: expected an object with rest, server, users, auth, cors, rateLimits, readCost, aggregates, cacheControl, trustProxy, email, files, limits, populate, indexes, openapi, console, runStrapiCode, servedWithout',
        ]);
    });

    it('are not taken from the names that every object answers to', async () => {
      const { problems } = await refusalOf(() => begin(projectWith('{"constructor": {}, "__proto__": {"x": 1}}')));
      expect(problems.map((problem) => problem.split(':')[0])).toEqual(['constructor', '__proto__']);
    });

    it.each([
      'www.example.com',
      'https://www.example.com/',
      'https://www.example.com/path',
      'ftp://www.example.com',
      'null',
      'https://*.example.com',
      'https://WWW.example.com',
      'https://www.example.com:443',
      'https://user@www.example.com',
    ])('refuse %s, which no browser ever sends as an origin', async (origin) => {
      const { problems } = await refusalOf(() => begin(projectWith({ cors: { origins: [origin] } })));
      expect(problems).toEqual([expect.stringMatching(/^cors\.origins\.0: expected an origin such as /)]);
    });

    it.each(['nonsense', '127.0.0.1/99', '300.0.0.1'])('refuse %s, which is no address of a proxy', async (proxy) => {
      const { problems } = await refusalOf(() => begin(projectWith({ trustProxy: [proxy] })));
      expect(problems).toEqual([expect.stringMatching(/^trustProxy\.0: expected an address such as /)]);
    });

    it.each(['', 'public; max-age=60', 'public,', 'a\r\nset-cookie: b', 60])(
      'refuse %j, which is no list of directives to caches',
      async (cacheControl) => {
        const { problems } = await refusalOf(() => begin(projectWith({ cacheControl })));
        expect(problems).toEqual([expect.stringMatching(/^cacheControl: expected directives such as /)]);
      },
    );

    it.each(['no-cache', 'public, max-age=60, stale-while-revalidate=30', 'private="set-cookie", max-age=5', null])(
      'take %j for directives to caches',
      async (cacheControl) => {
        expect((await begin(projectWith({ cacheControl }))).settings.cacheControl).toBe(cacheControl);
      },
    );

    it('hold where they are right, and leave the others as they are', async () => {
      const { settings } = await begin(
        projectWith({
          users: { bareList: true },
          rateLimits: { cost: { max: 5, seconds: 1 } },
          trustProxy: ['::1'],
        }),
      );
      expect(settings.users).toEqual({ bareList: true });
      expect(settings.rateLimits.cost).toEqual({ max: 5, seconds: 1 });
      expect(settings.rateLimits.auth.max).toBeGreaterThan(0);
      expect(settings.cors).toEqual({ origins: ['*'], credentials: false, headers: [] });
    });
  });

  describe('the host', () => {
    const OTHERS = ['0.0.0.0', '::', '192.0.2.1', 'www.example.com', '', '127.0.0.1.example.com'];

    it.each(OTHERS)('"%s" is refused without a secret, with what to do', async (host) => {
      for (const read of [() => readConfig({ host }, {}), () => readConfig({}, { HOST: host })]) {
        const { message, problems } = await refusalOf(read);
        expect(message).toContain(host);
        expect(problems.join('\n')).toMatch(/JWT_SECRET[\s\S]*127\.0\.0\.1/);
      }
    });

    it.each(OTHERS.slice(0, 4))('"%s" is taken with a secret of its own', (host) => {
      expect(readConfig({ host }, { JWT_SECRET: SECRET })).toMatchObject({ host, secrets: { jwt: SECRET } });
      expect(readConfig({}, { HOST: host, JWT_SECRET: SECRET }).host).toBe(host);
    });

    it('is this machine alone where nothing is said, and may be named', () => {
      expect(readConfig({}, {})).toMatchObject({ host: '127.0.0.1', port: 1337, secrets: {} });
      for (const host of ['127.0.0.1', '::1', 'localhost']) expect(readConfig({ host }, {}).host).toBe(host);
      // An option comes before a variable.
      expect(readConfig({ host: '127.0.0.1' }, { HOST: '0.0.0.0' }).host).toBe('127.0.0.1');
    });

    it('is not what the file of the project says, which is meant for a container', () => {
      const project = contents.project(NOTES);
      writeFileSync(path.join(project, '.env'), 'HOST=0.0.0.0\nPORT=4321\n');
      expect(readConfig({ project }, {})).toMatchObject({ host: '127.0.0.1', port: 4321 });
    });
  });

  describe('a secret', () => {
    it.each([
      ['that is short', 'aB3$xY9'],
      ['that is empty', ''],
      ['that repeats itself', 'abababababababababababababab'],
      ['of one character', 'a'.repeat(64)],
      ['that everyone tries', 'my-super-Secret-0123456789'],
      ['that a template came with', 'toBeModified1,toBeModified2'],
      ['that says what to do with it', 'changeme-0123456789abcdef'],
    ])('%s refuses the start and says how to make one', async (_what, secret) => {
      for (const [secrets, name] of [
        [{ jwt: secret }, 'JWT_SECRET'],
        [{ apiTokenSalt: secret }, 'API_TOKEN_SALT'],
      ] as const) {
        const { problems } = await refusalOf(() => begin(contents.project(NOTES), { secrets }));
        expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} .*openssl rand`))]);
        if (secret !== '') expect(problems.join()).not.toContain(secret);
      }
    });

    it('is told together with the other', async () => {
      const secrets = { jwt: 'short', apiTokenSalt: 'short' };
      const { problems } = await refusalOf(() => begin(contents.project(NOTES), { secrets }));
      expect(problems).toHaveLength(2);
    });

    it('is made where none is given, for this account alone, and stays the same', async () => {
      const project = contents.project(NOTES);
      await begin(project);
      const file = path.join(project, '.sheaf', 'secrets.json');
      const text = readFileSync(file, 'utf8');
      expect(statSync(file).mode & 0o077).toBe(0);
      const { jwt, apiTokenSalt } = JSON.parse(text);
      expect(jwt).not.toBe(apiTokenSalt);
      for (const secret of [jwt, apiTokenSalt]) expect(secret.length).toBeGreaterThanOrEqual(32);
      await begin(project);
      expect(readFileSync(file, 'utf8')).toBe(text);
    });

    it('is another one in another project, so that tokens of one open nothing in the other', async () => {
      const database = engine.bareDatabaseUrl(null);
      const project = contents.project(NOTES);
      const one = await begin(project, { database });
      const { tokens } = await one.auth();
      const token = await tokens.create({ name: 'a', description: '', type: 'full-access', actions: [], days: null });
      const statusIn = async (folder: string): Promise<number> => {
        const sheaf = await begin(folder, { database });
        const app = createServer(sheaf);
        const { statusCode } = await app.inject({ url: '/api/notes', headers: { authorization: `Bearer ${token}` } });
        await app.close();
        return statusCode;
      };
      expect(await statusIn(project)).toBe(200);
      expect(await statusIn(contents.project(NOTES))).toBe(401);
    });
  });

  describe('the environment', () => {
    function projectWithEnv(text: string): string {
      const project = contents.project(NOTES);
      writeFileSync(path.join(project, '.env'), text);
      return project;
    }

    it('is read from the file of the project', () => {
      const project = projectWithEnv(
        [
          '# The database',
          'DATABASE_URL="sqlite:./data.db" # here',
          `JWT_SECRET='${SECRET}'`,
          'export API_TOKEN_SALT=salt=with=signs',
          'DATABASE_POOL_MAX=7',
          'SHEAF_WORKERS=2',
          'SMTP_URL=smtp://localhost',
        ].join('\n'),
      );
      expect(readConfig({ project }, {})).toMatchObject({
        project,
        database: `sqlite:${path.join(project, 'data.db')}`,
        secrets: { jwt: SECRET, apiTokenSalt: 'salt=with=signs' },
        poolSize: 7,
        workers: 2,
        smtp: 'smtp://localhost',
      });
      expect(readConfig({}, { SHEAF_PROJECT: project }).database).toBe(`sqlite:${path.join(project, 'data.db')}`);
      // A secret of the project is one of its own.
      expect(readConfig({ project, host: '0.0.0.0' }, {}).host).toBe('0.0.0.0');
    });

    it('is what the process has before what the file has, and an option comes before both', () => {
      const project = projectWithEnv(`DATABASE_URL=sqlite:file.db\nPORT=1111\nJWT_SECRET=${SECRET}\n`);
      const other = SECRET.split('').reverse().join('');
      const variables = { DATABASE_URL: 'sqlite:process.db', PORT: '2222', JWT_SECRET: other };
      expect(readConfig({ project }, variables)).toMatchObject({
        database: 'sqlite:process.db',
        port: 2222,
        secrets: { jwt: other },
      });
      expect(readConfig({ project, database: 'sqlite:option.db', port: '3333' }, variables)).toMatchObject({
        database: 'sqlite:option.db',
        port: 3333,
      });
      // What only the file has still holds.
      expect(readConfig({ project }, { PORT: '2222' })).toMatchObject({
        database: `sqlite:${path.join(project, 'file.db')}`,
        port: 2222,
      });
    });

    it('is not changed by the file of a project', () => {
      const project = projectWithEnv('SHEAF_TEST_OF_THE_DOOR=1\n');
      readConfig({ project });
      expect(process.env).not.toHaveProperty('SHEAF_TEST_OF_THE_DOOR');
    });

    it('names a database in parts as projects of Strapi 5 do', () => {
      const project = projectWithEnv(
        [
          'DATABASE_CLIENT=postgres',
          'DATABASE_HOST=db.example.com',
          'DATABASE_PORT=5433',
          'DATABASE_NAME=content',
          'DATABASE_USERNAME=someone',
          'DATABASE_PASSWORD="p@ss/w:rd"',
        ].join('\n'),
      );
      const { database } = readConfig({ project }, {});
      const url = new URL(database!);
      expect([url.hostname, url.port, url.pathname, url.username]).toEqual([
        'db.example.com',
        '5433',
        '/content',
        'someone',
      ]);
      expect(decodeURIComponent(url.password)).toBe('p@ss/w:rd');
    });

    it('names a database in parts that can be used', () => {
      const portOf = (port: string) =>
        new URL(readConfig({}, { DATABASE_CLIENT: 'postgres', DATABASE_HOST: 'db', DATABASE_PORT: port }).database!)
          .port;
      expect(portOf('')).toBe('5432');
      for (const port of ['54x32', '65536']) expect(() => portOf(port)).toThrow('The DATABASE_PORT');
    });
  });
});

interface Exchanged {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** All that came. */
  readonly text: string;
}

/** Sends bytes and reads what comes: until the server closes, or, `early`, until one whole answer is there. */
function exchange(port: number, bytes: string, early = false): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port }, () => socket.write(bytes));
    const finish = () => {
      socket.destroy();
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const [first = '', ...lines] = head.split('\r\n');
      const headers = lines.map((line): [string, string] => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      });
      resolve({ status: Number(first.split(' ')[1]), headers: Object.fromEntries(headers), body, text });
    };
    socket.setEncoding('utf8');
    socket.on('data', (part) => {
      text += part;
      const size = /content-length: (\d+)/i.exec(text)?.[1];
      const end = text.indexOf('\r\n\r\n');
      if (early && size !== undefined && end >= 0 && text.length >= end + 4 + Number(size)) finish();
    });
    socket.on('error', reject);
    socket.on('close', finish);
  });
}
