// A Strapi project whose code runs unchanged: the fixture has a file for each form that code takes, and one server is
// asked by tables of requests, with the answers that Strapi gives. What Strapi answers with a 500 by accident is better.
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Json } from './support/content.ts';
import { useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { type Guarded, NOBODY, useGuarded, type Who } from './support/guarded.ts';

const FIXTURE = fileURLToPath(new URL('fixtures/projects/strapi-code', import.meta.url));
const THING = 'api::thing.thing';

/** A request, the status and what the body holds; a string for a body that is text. */
type Row = readonly [
  request: string,
  status: number,
  body?: Json | string | null,
  given?: { body?: unknown; who?: Who },
];

const error = (status: number, name: string, message: string, details?: unknown): Json => ({
  data: null,
  error: { status, name, message, ...(details !== undefined && { details }) },
});

const KEY = { 'x-key': 'right' };

describeOnEveryDatabase('The code of a Strapi project', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let user: Who;
  let a: string;

  beforeAll(async () => {
    const folder = contents.folder();
    cpSync(FIXTURE, folder, { recursive: true });
    site = await guarded.open(folder, { database: engine.bareDatabaseUrl(null) });
    const { sheaf } = site;
    const tag = await sheaf.documents('api::tag.tag').create({ data: { name: 'red' } });
    for (const title of ['b', 'a']) {
      const data = { title, secret: 's', tags: [tag.documentId], parts: [{ label: 'one', hidden: 'h' }] };
      a = (await sheaf.documents(THING).create({ data, status: 'published' })).documentId;
    }
    await sheaf.documents('api::note.note').create({ data: { text: 'n', hidden: 'h', thing: a } });
    const actions = ['find', 'findOne', 'create', 'update', 'delete', 'special'].map((action) => `${THING}.${action}`);
    const rest = ['api::tag.tag', 'api::label.label', 'api::homepage.homepage', 'api::broken.broken', 'api::page.page'];
    await site.auth.roles.grant('public', [...actions, ...rest]);
    await site.auth.roles.grant('authenticated', [
      'api::guard.guard.who',
      'api::guard.guard.pass',
      `${THING}.find`,
      'api::entry.entry',
    ]);
    user = (await site.person('authenticated')).who;
  });

  async function check(rows: readonly Row[]): Promise<void> {
    for (const [request, status, body, given = {}] of rows) {
      const [method, url] = request.split(' ') as [string, string];
      const answer = await site.send(method, url, given.body, given.who ?? NOBODY);
      expect(answer.status, `${request}: ${JSON.stringify(answer.body)}`).toBe(status);
      if (body === null) expect(answer.body, request).toBeNull();
      else if (typeof body === 'string') expect(answer.body, request).toBe(body);
      else if (body) expect(answer.body, request).toMatchObject(body);
    }
  }

  it('runs overridden actions with super, services, sanitizing and transforming', async () => {
    const shown = { title: 'a', tags: [{ name: 'red' }], parts: [{ label: 'one' }] };
    await check([
      [
        'GET things?sort=title',
        200,
        { data: [shown, { title: 'b' }], meta: { by: 'thing controller', pagination: { total: 2 } } },
      ],
      ['GET things?fields=nothing', 400, { error: { name: 'ValidationError' } }],
      [`GET things/${a}`, 200, { data: shown }],
      ['GET things/absent-thing', 404, error(404, 'NotFoundError', 'There is no such thing', {})],
      ['GET things/special', 200, { data: [{ title: 'a' }, { title: 'b' }], meta: { raw: 2 } }],
      ['GET things/counted', 200, { total: 2, title: 'Title: a thing' }],
      ['GET things/count-12', 200, { total: 2 }],
      ['GET things/absent', 404, error(404, 'NotFoundError', 'Not Found', {})],
      [
        'POST things/served',
        200,
        {
          pagination: { page: 1, pageSize: 1, pageCount: 1, total: 1 },
          one: 'a',
          made: 'made',
          isPublished: true,
          changed: 'changed',
        },
      ],
      ['POST things', 201, { data: { title: 'x', rank: 5 }, meta: {} }, { body: { data: { title: 'x' } }, who: KEY }],
      [
        'POST things',
        400,
        error(400, 'ValidationError', 'Missing "data" payload in the request body', {}),
        { body: { data: 1 }, who: KEY },
      ],
      [
        `PUT things/${a}`,
        200,
        { data: { rank: 9 }, meta: { updated: true } },
        { body: { data: { rank: 9 } }, who: { 'x-owner': 'yes' } },
      ],
      ['GET homepage', 200, { data: { title: 'none yet' } }],
      ['PUT homepage', 200, { data: { title: 'home' } }, { body: { data: { title: 'home' } } }],
      ['GET homepage', 200, { data: { title: 'home' } }],
      ['GET homepage?local=en', 400, { error: { message: 'Invalid key local: did you mean locale?' } }],
      ['GET notes', 200, { data: [{ text: 'n', shown: true }], meta: { pagination: { total: 1 } } }],
      ['POST notes', 201, { data: { text: 'trimmed' } }, { body: { data: { text: ' trimmed ' } } }],
      ['POST notes', 400, { error: { message: 'Invalid key nothing' } }, { body: { data: { text: 'x', nothing: 1 } } }],
    ]);
    const { body, headers } = await site.get('things?sort=title');
    for (const hidden of ['secret', 'notes']) expect(body.data[0]).not.toHaveProperty(hidden);
    expect(body.data[0].parts[0]).not.toHaveProperty('hidden');
    expect(headers['x-with-tags']).toBe('0');
    expect((await site.get(`things/${a}`)).headers['x-stamps']).toBe('one');
    const { body: special } = await site.get('things/special');
    expect(special.data[0]).not.toHaveProperty('secret');
    const { body: note } = await site.get('notes');
    for (const hidden of ['hidden', 'thing']) expect(note.data[0]).not.toHaveProperty(hidden);
    const made = (await site.send('POST', 'things', { data: { title: 'gone' } }, KEY)).body.data.documentId;
    const gone = await site.delete(`things/${made}`);
    expect([gone.status, gone.headers['x-deleted']]).toEqual([204, 'yes']);
  });

  it('routes as Strapi does: the first that fits, prefixes, methods, and nothing past what core routers leave out', async () => {
    await check([
      // A file that sorts after the core router is shadowed by it.
      ['GET things/late', 404, error(404, 'NotFoundError', 'There is no such thing', {})],
      [`PUT things/special`, 404, undefined, { body: { data: {} }, who: { 'x-owner': 'yes' } }],
      ['GET ways/begin/end', 200, { by: 'first', x: 'begin' }],
      ['GET ways/begin/other', 200, { by: 'second', y: 'other' }],
      ['GET maybe', 200, { by: 'optional' }],
      ['GET maybe/one', 200, { by: 'optional', a: 'one' }],
      ['GET rest/a/b', 200, { by: 'rest', path: 'a/b' }],
      ['GET rest/late', 200, { by: 'rest', path: 'late' }],
      ['GET SLUGS/%C3%A4', 200, { by: 'slug', slug: 'ä' }],
      ['PUT slugs/x', 200, { by: 'slug', slug: 'x' }],
      ['PATCH answered', 200, { ok: true }],
      ['PATCH answers/answered', 404],
      ['GET labels/first', 200, { data: [] }],
      ['GET labels', 200, { data: [] }],
      ['DELETE labels/x', 405],
      ['DELETE notes/x', 405],
      ['GET things/aggregate?count=*', 404],
      ['POST things/x/actions/publish', 404],
      ['GET tags/aggregate?count=*', 200],
      ['DELETE answers/echo/1/2', 200, { params: { a: '1', b: '2' }, method: ['DELETE', 'DELETE'] }],
    ]);
    expect((await site.sendTo('GET', '/apinoslash')).status).toBe(200);
  });

  it('answers as helpers, return values and errors say', async () => {
    const helper = (name: string, status: number, told: string): Row => [
      `GET answers/helper/${name}?why=so`,
      status,
      error(status, told, 'Told', { why: 'so' }),
    ];
    await check([
      helper('badRequest', 400, 'BadRequestError'),
      helper('unauthorized', 401, 'UnauthorizedError'),
      helper('forbidden', 403, 'ForbiddenError'),
      helper('notFound', 404, 'NotFoundError'),
      helper('conflict', 409, 'ConflictError'),
      helper('tooManyRequests', 429, 'TooManyRequestsError'),
      helper('internalServerError', 500, 'InternalServerError'),
      ['GET answers/plain', 400, error(400, 'BadRequestError', 'Bad Request', {})],
      ['GET answers/nothing', 400, error(400, 'BadRequestError', 'Bad Request', { key: 1 })],
      ['GET answers/error', 400, error(400, 'ValidationError', 'Bad value')],
      ['GET answers/sent', 200, { ok: true }],
      ['GET answers/sentWith', 202, { ok: true }],
      ['GET answers/created', 201, { made: true }],
      ['GET answers/deleted', 204, null],
      ['GET answers/throwing/400', 400, error(400, 'BadRequestError', 'Thrown')],
      ['GET answers/throwing/404', 404, error(404, 'NotFoundError', 'Thrown')],
      ['GET answers/throwing/401', 401, error(401, 'UnauthorizedError', 'Thrown')],
      ['GET answers/throwing/500', 500, error(500, 'InternalServerError', 'Internal Server Error')],
      ['GET answers/detailed', 400, error(400, 'BadRequestError', 'Thrown', { a: 1 })],
      ['GET answers/failing', 500, error(500, 'InternalServerError', 'Internal Server Error')],
      ['GET answers/failing/409?as=status', 409, error(409, 'Error', 'Of a request')],
      ['GET answers/failing/404?as=statusCode', 404, error(404, 'Error', 'Of a request')],
      ['GET answers/failing/502?as=status', 502, error(502, 'BadGatewayError', 'Bad Gateway')],
      ['GET answers/failing/200?as=status', 500, error(500, 'InternalServerError', 'Internal Server Error')],
      ['GET answers/application', 400, error(400, 'ApplicationError', 'Not now', { retry: true })],
      ['GET answers/validation', 400, error(400, 'ValidationError', 'Wrong', {})],
      ['GET answers/forbidden', 403, error(403, 'ForbiddenError', 'Forbidden', {})],
      ['GET answers/unauthorized', 401, error(401, 'UnauthorizedError', 'Unauthorized', {})],
      ['GET answers/missing', 404, error(404, 'NotFoundError', 'Gone', {})],
      ['GET answers/ok', 500],
      ['GET answers/nil', 404, error(404, 'NotFoundError', 'Not Found', {})],
      ['GET answers/nested', 404],
      ['GET answers/empty', 204, null],
      ['GET answers/both', 200, { from: 'body' }],
      ['GET answers/status', 202, { accepted: true }],
      ['GET answers/inline', 200, { inline: true }],
      ['GET answers/teapot', 418, "I'm a Teapot"],
      ['GET answers/text', 200, 'just text'],
      ['GET answers/stream', 200, 'one two'],
      ['GET answers/file', 200, { before: 'Title:' }],
      ['GET answers/buffer', 200, 'bytes'],
      ['GET answers/headers', 200, 'a,b'],
    ]);
    const values = await Promise.all(['number', 'no', 'list'].map((name) => site.get(`answers/${name}`)));
    expect(values.map(({ body }) => body)).toEqual([42, false, [1, 2]]);
    const { headers } = await site.get('answers/headers');
    expect(headers).toMatchObject({ 'x-own': 'own', 'x-other': 'other', 'content-type': 'text/csv; charset=utf-8' });
    const moved = await site.get('answers/redirected');
    expect([moved.status, moved.headers.location]).toEqual([302, '/elsewhere']);
    const cookies = await site.get('answers/cookies', { cookie: 'asked=1' });
    expect(cookies.body).toEqual({ cookie: '1' });
    expect(String(cookies.headers['set-cookie'])).toContain('seen=yes');
  });

  it('gives code the request: parameters, queries, bodies, files and state', async () => {
    const echo = (await site.send('POST', 'answers/echo/x/y?a[b]=1&c=2', { data: { n: 1 } }, KEY)).body;
    expect(echo).toEqual({
      params: { a: 'x', b: 'y' },
      query: { a: { b: '1' }, c: '2' },
      same: true,
      sameParams: true,
      method: ['POST', 'POST'],
      url: [...Array(4).fill('/api/answers/echo/x/y?a[b]=1&c=2')],
      path: ['/api/answers/echo/x/y', '/api/answers/echo/x/y'],
      ip: 'string',
      key: 'right',
      body: { data: { n: 1 } },
      text: '{"data":{"n":1}}',
      state: ['route'],
      route: { apiName: 'answer', type: 'content-api' },
    });
    const form = { ...KEY, 'content-type': 'application/x-www-form-urlencoded' };
    expect((await site.send('POST', 'answers/echo/1/2', 'a[b]=1&c=2', form)).body.body).toEqual({
      a: { b: '1' },
      c: '2',
    });
    const text = { 'content-type': 'text/plain' };
    expect((await site.send('POST', 'answers/echo/1/2', 'words', text)).body.body).toBe('words');
    await check([
      ['GET answers/assigned', 200, { isOn: 'true', none: '', at: '1970-01-01T00:00:00.000Z', deep: { n: '1' } }],
      ['POST answers/echo/1/2', 400, error(400, 'BadRequestError', 'The body is not valid JSON'), { body: '{' }],
      ['POST answers/echo/1/2', 413, undefined, { body: { data: 'x'.repeat(2_000_000) } }],
    ]);
    const boundary = 'cut';
    const part = (name: string, value: string, file = ''): string =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n${file ? 'content-type: text/plain\r\n' : ''}\r\n${value}\r\n`;
    const file = (name: string): string => part('picture', `in ${name}`, `; filename="${name}"`);
    const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const sent = await site.send(
      'POST',
      'answers/uploaded',
      `${part('data', '{"a":1}')}${file('a.txt')}${file('b.txt')}--${boundary}--\r\n`,
      type,
    );
    const named = (name: string): Json => ({
      originalFilename: name,
      mimetype: 'text/plain',
      size: 8,
      text: `in ${name}`,
    });
    expect(sent.body).toEqual({ data: '{"a":1}', files: [named('a.txt'), named('b.txt')] });
  });

  it('asks who calls, policies and middlewares, in that order', async () => {
    const refused = error(403, 'PolicyError', 'Policy Failed', {});
    await check([
      ...['yes', 'nothing'].map((gives): Row => [`GET guards/${gives}`, 200, { passed: true }]),
      ...['no', 'nil', 'one', 'object', 'later'].map((gives): Row => [`GET guards/${gives}`, 403, refused]),
      ['POST things', 403, refused, { body: { data: { title: 'x' } } }],
      [
        'POST things',
        403,
        error(403, 'PolicyError', 'The key is wrong', { key: 'x-key' }),
        { body: {}, who: { 'x-key': 'wrong' } },
      ],
      [`PUT things/${a}`, 403, refused, { body: { data: {} }, who: { 'x-owner': 'no' } }],
      ['GET guards/key', 401, error(401, 'UnauthorizedError', 'No key', {})],
      ['GET guards/key', 200, { passed: true }, { who: KEY }],
      ['GET guards/stamped', 200, { stamps: ['api', 'plain', 'named', 'resolved', 'function'], after: true }],
      ['GET guards/stamped?stop=1', 429, error(429, 'TooManyRequestsError', 'Slow down', {})],
      ['GET guards/user', 403, error(403, 'ForbiddenError', 'Forbidden', {})],
      ['GET guards/user', 200, { passed: true }, { who: user }],
      [
        'GET guards/who',
        200,
        {
          role: 'authenticated',
          keys: ['email', 'password', 'provider'],
          strategy: 'users-permissions',
          isAuthenticated: true,
          context: true,
        },
        { who: user },
      ],
      ['GET guards/empty', 403],
      [
        'GET guards/anyone',
        200,
        { id: null, role: null, strategy: null, isAuthenticated: false, context: true },
        { who: user },
      ],
      ['GET guards/scoped', 200, { passed: true }],
      ['GET guards/unknown', 403, undefined, { who: user }],
      ['GET guards/unscoped', 403],
      ['GET answers/somebody', 401],
      ['GET answers/somebody', 200, { inline: true }, { who: user }],
      [
        'GET guards/who',
        200,
        { strategy: 'api-token', id: null },
        { who: await site.token('custom', ['api::guard.guard.who']) },
      ],
      ['GET guards/who', 403, undefined, { who: await site.token('read-only') }],
      ['GET guards/who', 401, undefined, { who: { authorization: 'Bearer wrong' } }],
    ]);
  });

  it('runs middlewares of the application around everything, also around what the core answers', async () => {
    await check([
      ['GET stopped/here', 403, error(403, 'ForbiddenError', 'Stopped by the application', {})],
      ['GET tags', 200, { data: [{ name: 'red' }] }],
      ['GET tags?tenant=other', 200, { data: [] }],
      ['GET tags?wrapped=1', 200, { wrapped: { data: [{ name: 'red' }] } }],
      ['GET answers/sent?wrapped=1', 200, { wrapped: { ok: true } }],
      ['POST tags', 201, { data: { name: 'UPPER' } }, { body: { data: { name: 'lower' } } }],
      ['GET nowhere?wrapped=1', 404, { wrapped: { data: null } }],
    ]);
    expect((await site.get('tags')).headers['x-application']).toBe('true');
    expect((await site.get('things')).headers['x-application']).toBe('true');
    expect((await site.sendTo('GET', '/ping')).body).toBe('pong');
  });

  it('shows code one strapi with services, configuration, folders and what code hangs on it', async () => {
    await check([
      [
        'GET baskets/show',
        200,
        {
          basket: 'a large basket',
          plain: 3,
          made: ['hello from .env 1', 'hello from .env 2'],
          sums: 6,
          place: 'src/api/basket/services/sums.js',
          missing: 'undefined',
          byUid: [4, true],
          of: 'api::note.note',
          telemetry: false,
          same: true,
          hung: 'on strapi',
        },
      ],
      [
        'GET baskets/configured',
        200,
        {
          greeting: 'hello from .env',
          limit: 7,
          otherwise: 'otherwise',
          environment: 'test',
          production: false,
          prefix: '/api',
          plugin: 7,
          older: 7,
          secret: 'of-tests-of-code-and-nothing-else-4711',
          proxy: false,
          env: 'hello from .env',
          public: true,
        },
      ],
      [
        'GET baskets/questions',
        200,
        {
          visible: ['title', 'shown'],
          writable: ['title', 'shown', 'publishedAt', 'locale'],
          createdBy: false,
          relations: ['createdBy', 'updatedBy', 'localizations'],
          scalar: true,
          drafts: false,
        },
      ],
      ['GET baskets/missing', 500],
      ['GET baskets/yup', 500],
    ]);
    const { strapi } = globalThis as unknown as { strapi: { helpers: { seen: string[] } } };
    expect(strapi.helpers.seen.slice(0, 3)).toEqual(['register', 'bootstrap', 'asked by bootstrap']);
  });

  it('runs lifecycles, document middlewares and jobs', async () => {
    const made = await site.send('POST', 'entries', { data: { title: 'A New Entry' } }, user);
    expect(made.body.data).toMatchObject({ slug: 'a-new-entry', by: expect.stringContaining('person') });
    const { strapi } = globalThis as unknown as {
      strapi: { helpers: { seen: string[] }; cron: { jobs: string[]; run(name: string, due: Date): Promise<boolean> } };
    };
    expect(strapi.helpers.seen).toContain('created A New Entry');
    const url = `entries/${made.body.data.documentId}`;
    expect((await site.send('PUT', url, { data: { title: 'refused' } }, user)).status).toBe(500);
    expect(strapi.helpers.seen).toContain(`updating ${made.body.data.documentId}`);
    for (const [title, status, name, message] of [
      ['ApplicationError', 400, 'ApplicationError', 'Not that'],
      ['ValidationError', 400, 'ValidationError', 'Not that'],
      ['PolicyError', 403, 'PolicyError', 'Not that'],
      ['ForbiddenError', 403, 'ForbiddenError', 'Forbidden'],
      ['UnauthorizedError', 401, 'UnauthorizedError', 'Unauthorized'],
    ] as const) {
      const answer = await site.send('PUT', url, { data: { title } }, user);
      expect([answer.status, answer.body.error]).toMatchObject([status, { status, name, message }]);
      expect(answer.body.error.details).toEqual(message === 'Not that' ? { title } : {});
    }
    expect((await site.get(url, user)).body.data.title).toBe('A New Entry');
    for (const shown of [true, false]) await site.post('pages', { title: `${shown}`, shown });
    expect((await site.get('pages')).body).toMatchObject({
      data: [{ title: 'true' }],
      meta: { pagination: { pageSize: 25 } },
    });
    expect(strapi.cron.jobs.toSorted()).toEqual(['0 0 1 * * 1', 'nightly']);
    expect(await strapi.cron.run('nightly', new Date('2026-01-01T03:00:00Z'))).toBe(true);
    expect(strapi.helpers.seen).toContain('nightly 2026');
  });

  it('keeps closed what cannot run, and tells why', async () => {
    const told = error(501, 'NotImplementedError', 'This route cannot run; the start of the server says why', {});
    await check([
      ['GET brokens', 501, told],
      ...['handler', 'policy', 'middleware', 'syntax'].map((name): Row => [`GET wrong/${name}`, 501, told]),
      ['GET wrong/other', 403],
      ['GET wrong/other', 200, undefined, { who: await site.token('full-access') }],
      ['GET tags?populate=*', 200],
    ]);
  });

  it('has at least 60 files', () => {
    expect(
      readdirSync(FIXTURE, { recursive: true, withFileTypes: true }).filter((each) => each.isFile()).length,
    ).toBeGreaterThan(59);
    expect(path.basename(FIXTURE)).toBe('strapi-code');
  });

  afterAll(async () => {
    await site?.close();
    expect(globalThis).not.toHaveProperty('strapi');
  });
});
