// Requests that mean harm or nonsense: whatever is sent, the answer comes soon, is no 5xx, wears the envelope, leaves
// the process as it was and the database alone; and what a client sends never becomes part of a statement's text.
// SHEAF_TEST_SCALE and SHEAF_TEST_SEED give more and other requests.
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';
import { PATIENCE_MS } from './support/patience.ts';
import { GIVEN_SEED, isAsked, scaled } from './support/scale.ts';
import { expectSoon, timed } from './support/soon.ts';

const SEED = GIVEN_SEED ?? 1;
const LIST = '/api/restaurants';
/** As against lists with everything populated. */
const SOON = { suspicious: 500, most: 100 };
/** A connection on which nothing happens for so long is forgotten. */
const FORGOTTEN_MS = PATIENCE_MS;

/** Names that every object of JavaScript answers to. */
const INHERITED = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
];

const SQL_FRAGMENTS = [
  `'`,
  `"`,
  '`',
  ';',
  '--',
  '/*',
  `' or 1=1 --`,
  `" or ""="`,
  `'; drop table restaurants; --`,
  `name" = 'x' or "name`,
  `name') union select door_code from restaurants --`,
  't0.id',
  '"t0"."door_code"',
  'name collate nocase',
  'id desc, (select 1)',
  '1; select 1',
  '?1',
  ':name',
  '$1',
  'sheaf_number(door_code)',
  '\\',
];

/** What must never be seen: the hash of a door code, a private note and a private phone number of the guide. */
const SECRETS = /\$2a\$10\$|"vip"|\+33/;

const COMPRESSED = gzipSync('{"identifier":"John","password":"x"}');

/** The places of a request where a name stands. */
const NAME_PLACES: readonly ((name: string) => string)[] = [
  (name) => `filters[${name}]=1`,
  (name) => `filters[${name}][$eq]=1`,
  (name) => `filters[${name}][name]=1`,
  (name) => `filters[chef][${name}]=1`,
  (name) => `filters[chef][country][${name}][$null]=true`,
  (name) => `filters[name][${name}]=1`,
  (name) => `filters[name][$in][${name}]=1`,
  (name) => `filters[$or][0][${name}]=1`,
  (name) => `filters[$not][${name}][$contains]=1`,
  (name) => `filters[address][${name}]=1`,
  (name) => `filters[chef][$none][${name}]=1`,
  (name) => `filters[dishes][${name}][price][$lt]=1`,
  (name) => `filters[dishes][$count][${name}]=1`,
  (name) => `filters[dishes][$count][$gt]=1&filters[dishes][$count][where][${name}]=1`,
  (name) => `sort=${name}`,
  (name) => `sort=${name}:desc`,
  (name) => `sort=chef.${name}`,
  (name) => `sort=${name}.name`,
  (name) => `sort=${name}.$count`,
  (name) => `sort=dishes.${name}.$max`,
  (name) => `sort[${name}]=asc`,
  (name) => `sort[0][chef][${name}]=asc`,
  (name) => `fields=${name}`,
  (name) => `fields[0]=name&fields[1]=${name}`,
  (name) => `populate=${name}`,
  (name) => `populate[0]=${name}`,
  (name) => `populate=chef.${name}`,
  (name) => `populate[${name}]=true`,
  (name) => `populate[${name}][fields]=name`,
  (name) => `populate[chef][${name}]=1`,
  (name) => `populate[chef][fields]=${name}`,
  (name) => `populate[chef][sort]=${name}`,
  (name) => `populate[chef][filters][${name}]=1`,
  (name) => `populate[chef][populate]=${name}`,
  (name) => `populate[chef][populate][${name}]=true`,
  (name) => `populate[blocks][on][${name}]=true`,
  (name) => `populate[blocks][on][shared.link][fields]=${name}`,
  (name) => `pagination[${name}]=1`,
  (name) => `status=${name}`,
  (name) => `publicationFilter=${name}`,
  (name) => `hasPublishedVersion=${name}`,
  (name) => `${name}=1`,
  (name) => `${name}[x]=1`,
];

describeOnEveryDatabase('A hostile request', (engine) => {
  // Each database is asked other things where it does not matter which one refuses them.
  const turn = engine.name === 'SQLite' ? 0 : 1;
  let sheaf: Sheaf;
  let app: FastifyInstance;
  let statements: string[];
  let port: number;
  beforeAll(async () => {
    sheaf = await engine.open();
    app = createServer(sheaf);
    statements = recordStatements(sheaf);
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as { port: number }).port;
  });
  afterAll(() => app.close());

  const inherited = Reflect.ownKeys(Object.prototype);
  const inheritedByLists = Reflect.ownKeys(Array.prototype);
  beforeEach(() => {
    statements.length = 0;
  });
  afterEach(() => {
    expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited);
    expect(Reflect.ownKeys(Array.prototype)).toEqual(inheritedByLists);
  });

  interface Answer {
    readonly status: number;
    readonly body: string;
    readonly sent: readonly string[];
  }

  const usual = () => app.inject({ url: `${LIST}?populate=*` });

  /** Asks and expects what holds of every answer. */
  async function ask(url: string): Promise<Answer> {
    statements.length = 0;
    const begin = performance.now();
    const { statusCode: status, body } = await app.inject({ url });
    const took = performance.now() - begin;
    expectDecent(status, body);
    const sent = [...statements];
    if (status >= 400 && status !== 404) expect(sent).toEqual([]);
    await expectSoon(took, () => app.inject({ url }), usual, SOON);
    return { status, body, sent };
  }

  function expectDecent(status: number, body: string): void {
    expect(status, body.slice(0, 300)).toBeLessThan(500);
    expect(body).not.toMatch(SECRETS);
    if (status >= 400) expectEnvelope(status, body);
    else if (body !== '') JSON.parse(body);
  }

  function expectEnvelope(status: number, body: string): void {
    const { data, error, ...others } = JSON.parse(body === '' ? '{}' : body);
    expect(others).toEqual({});
    expect(data).toBeNull();
    expect(error).toEqual({
      status,
      name: expect.stringMatching(/^[A-Z]\w+Error$/),
      message: expect.stringMatching(/./),
      details: expect.any(Object),
    });
  }

  async function refuse(url: string): Promise<Answer> {
    const answer = await ask(url);
    expect(answer.status, `${url.slice(0, 200)} ${answer.body.slice(0, 200)}`).toBe(400);
    return answer;
  }

  /** Sends bytes that no client library would send, and reads the answer to its end. */
  function exchange(bytes: Buffer): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect({ host: '127.0.0.1', port }, () => socket.write(bytes));
      socket.setEncoding('utf8');
      socket.setTimeout(FORGOTTEN_MS, () => socket.destroy(new Error('no answer')));
      socket.on('data', (text) => {
        answer += text;
      });
      socket.on('error', reject);
      socket.on('close', () => {
        const [lines = '', ...body] = answer.split('\r\n\r\n');
        const chunked = /transfer-encoding: chunked/i.test(lines);
        const text = body.join('\r\n\r\n');
        resolve({ status: Number(lines.split(' ')[1]), body: chunked ? '' : text });
      });
    });
  }

  const get = (url: string): Buffer =>
    Buffer.from(`GET ${url} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`, 'latin1');

  // ------------------------------------------------------------------------------------------- generated requests

  const plain = (text: string): string => encodeURIComponent(text);
  const twice = (text: string): string => encodeURIComponent(encodeURIComponent(text));
  /** Every byte escaped, letters too. */
  const fully = (text: string): string =>
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  const hardly = (text: string): string => text.replace(/[^\w$[\].,:*'"%-]/gu, encodeURIComponent);
  const broken = (text: string): string => `${encodeURIComponent(text)}%E0%A4`;
  const written = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc
      .tuple(text, fc.constantFrom(plain, plain, plain, hardly, fully, twice, broken))
      .map(([one, write]) => write(one));

  const NAMES = [
    ...INHERITED,
    ...SQL_FRAGMENTS,
    ...['name', 'stars', 'chef', 'categories', 'address', 'blocks', 'cover', 'meta', 'id', 'documentId', 'nope'],
    ...['internalNote', 'doorCode', 'createdBy', 'locale', 'localizations', 'publishedAt', 'country', 'restaurants'],
    ...['$eq', '$ne', '$in', '$or', '$and', '$not', '$null', '$between', '$containsi', '$nope', '$', '$EQ'],
    ...['$some', '$none', '$every', '$all', '$count', 'where', '$at', '$has', 'dishes', 'openingHours'],
    ...[
      'filters',
      'sort',
      'fields',
      'populate',
      'pagination',
      'count',
      'on',
      'page',
      'pageSize',
      'withCount',
      'cursor',
    ],
    ...['', '0', '1', '-1', '499', '500', '999999999999', '*', '.', '..', '[', ']', '[]', 'a.b', 'na me', '🌸', 'İ'],
    'x'.repeat(300),
  ];
  const VALUES = [
    ...INHERITED,
    ...SQL_FRAGMENTS,
    ...['', 'Alba', 'true', 'false', 'null', 'undefined', 'draft', 'published', 'en', 'name', 'name:asc', 'name:up'],
    ...['0', '1', '-1', '-0', '1.5', '1e308', '1e309', '1e-400', '0x10', 'NaN', 'Infinity', '9'.repeat(400)],
    ...[
      'now',
      'now-7d',
      'now+1M/M',
      'now-7x',
      'now+999999y',
      'now/d/d/d',
      'Europe/Paris',
      'Mars/Base',
      'dishes.$count',
    ],
    ...['2020-02-30', '0000-00-00', '99999-01-01', '25:00:00', '12:00:00.1234', '2020-01-01T00:00:00+99:99'],
    ...['*', 'chef', 'chef.country.chefs', 'chef,chef', '.', ',', ':', ',,,', 'chef..name', '{}', '[]', '{"$gt":""}'],
    ...['🌸', '\uffff', '\u202e', '%', '%zz', '&', '=', '#', '?', '\r\nx: y', '../../etc/passwd', 'x'.repeat(2000)],
  ];
  const ROOTS = [
    ...['filters', 'filters', 'filters', 'sort', 'fields', 'populate', 'populate', 'pagination', 'status', 'locale'],
    ...[
      'publicationFilter',
      'hasPublishedVersion',
      '_q',
      'timezone',
      'page',
      'nope',
      '',
      '__proto__',
      'constructor',
      '[',
      ']',
    ],
  ];
  const PATHS = [
    ...[LIST, LIST, LIST, '/api/articles', '/api/homepage', '/api/users', '/api/tags', '/api/i18n/locales', '/_health'],
    ...[
      `${LIST}/pzp38pdkzvwuynn6nefh4dud`,
      `${LIST}/__proto__`,
      `${LIST}/%00`,
      '/api/constructor',
      '/api',
      '/',
      '/%zz',
    ],
  ];
  const group = fc.oneof(
    { weight: 6, arbitrary: written(fc.constantFrom(...NAMES)).map((name) => `[${name}]`) },
    { weight: 1, arbitrary: fc.constantFrom('[]', '[', ']', '[[', ']]', '%5B', '%5bname%5d', '.name', 'name') },
  );
  const parameter = fc
    .record({
      root: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...ROOTS) },
        {
          weight: 1,
          arbitrary: written(fc.string({ unit: 'binary', maxLength: 8 }).filter((one) => one.isWellFormed())),
        },
      ),
      groups: fc.array(group, { maxLength: 5 }),
      value: fc.option(
        fc.oneof(
          { weight: 6, arbitrary: written(fc.constantFrom(...VALUES)) },
          { weight: 1, arbitrary: written(fc.string({ unit: 'binary' }).filter((one) => one.isWellFormed())) },
        ),
        { nil: null },
      ),
    })
    .map(({ root, groups, value }) => `${root}${groups.join('')}${value === null ? '' : `=${value}`}`);
  const request = fc
    .tuple(fc.constantFrom(...PATHS), fc.array(parameter, { minLength: 1, maxLength: 5 }))
    .map(([path, parameters]) => `${path}?${parameters.join('&')}`);

  it('gets a decent answer, whatever is put together from names, brackets, escapes and values', async () => {
    const seen = new Map<number, number>();
    await fc.assert(
      fc.asyncProperty(request, async (url) => {
        const { status } = await ask(url);
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }),
      { numRuns: scaled(300), seed: SEED },
    );
    expect([...seen.keys()]).toEqual(expect.arrayContaining([200, 400, 404]));
  });

  it('gets a decent answer when one thing in a good request is exchanged for a bad one', async () => {
    const good = [
      'filters[name][$eq]=Alba',
      'filters[$or][0][chef][name][$containsi]=a',
      'filters[stars][$in][0]=1',
      'filters[openedOn][$between][0]=2000-01-01',
      'sort[0]=chef.name:desc',
      'fields[0]=name',
      'populate[categories][filters][name][$ne]=x',
      'populate[blocks][on][shared.link][fields][0]=label',
      'pagination[pageSize]=5',
      'status=draft',
      'locale=en',
      '_q=alba',
    ];
    const mutated = fc
      .record({
        parameters: fc.subarray(good, { minLength: 1 }),
        at: fc.nat(),
        bad: written(fc.oneof(fc.constantFrom(...NAMES), fc.constantFrom(...VALUES))),
      })
      .map(({ parameters, at, bad }) => {
        const text = parameters.join('&');
        const words = [...text.matchAll(/[\w$.:-]+/g)];
        const { index, 0: word } = words[at % words.length]!;
        return `${LIST}?${text.slice(0, index)}${bad}${text.slice(index + word.length)}`;
      });
    await fc.assert(
      fc.asyncProperty(mutated, async (url) => {
        await ask(url);
      }),
      { numRuns: scaled(150), seed: SEED },
    );
  });

  // ------------------------------------------------------------------------------------------------ names and keys

  it.each(INHERITED)('is refused for the name %s in every place, however it is escaped', async (name) => {
    const row = INHERITED.indexOf(name) + turn;
    for (const [column, place] of NAME_PLACES.entries())
      for (const [way, write] of [hardly, fully, (text: string) => text.replace('o', '%6f')].entries())
        if (isAsked(row + way, column, 3)) await refuse(`${LIST}?${place(write(name))}`);
    expect((await ask(`/api/${name}`)).status).toBe(404);
    expect((await ask(`${LIST}/${name}`)).status).toBe(404);
  });

  it.each(SQL_FRAGMENTS)('is refused for the SQL %j in the place of a name', async (fragment) => {
    const row = SQL_FRAGMENTS.indexOf(fragment) + turn;
    for (const [column, place] of NAME_PLACES.entries())
      if (isAsked(row, column, 2)) await refuse(`${LIST}?${place(plain(fragment))}`);
  });

  it('is refused alike for names that are unknown, private and not for filters', async () => {
    const shape = async (query: string, name: string) =>
      (await refuse(`${LIST}?${query}`)).body.replaceAll(name, 'NAME');
    for (const place of NAME_PLACES.slice(0, 1).concat(NAME_PLACES.slice(10, 12), NAME_PLACES.slice(16, 18))) {
      const unknown = await shape(place('nope'), 'nope');
      for (const name of ['internalNote', 'doorCode', 'createdBy', 'updatedBy', 'locale', 'door_code', 'created_by_id'])
        expect(await shape(place(name), name)).toBe(unknown);
    }
  });

  it.each([
    'filters[name]x=Alba',
    'filters[name]x[$eq]=Alba',
    'filters[name]]=Alba',
    'filters]=Alba',
    'filters[name=Alba',
    'filters[[name]]=Alba',
    '[filters][name]=Alba',
    'filters.name=Alba',
    '[]=Alba',
    '[=Alba',
    '=Alba',
    'sort]=name',
    'populate[chef]x=true',
    'pagination[page]x=2',
  ])('is refused for the malformed key in %s, not repaired and not ignored', async (query) => {
    await refuse(`${LIST}?${query}`);
  });

  it.each([
    'filters[name]=Alba&filters=x',
    'filters=x&filters[name]=Alba',
    'filters[name]=Alba&filters[]=x',
    'filters[name]=Alba&filters[0][name]=x',
    'filters[name]=Alba&filters[name][$ne]=x',
    'filters[name][$in][0]=Alba&filters[name][$in][x]=y',
    'filters[name][$in][0]=Alba&filters[name][$in][0][1]=y',
    'filters[$or][0][name]=Alba&filters[$or][name]=x',
    'filters[$or][0][name]=Alba&filters[$or]=x',
    'filters[name][$eq][$eq]=Alba',
    'filters[name][$contains][x]=Alba',
    'filters[chef]=1&filters[chef][name]=x',
    'filters[stars][$between][0]=1',
    'filters[stars][$between][0]=1&filters[stars][$between][1]=2&filters[stars][$between][2]=3',
    'filters[stars][$between][low]=1&filters[stars][$between][high]=2',
    'filters[stars][$null][0]=true',
    'sort[0]=name&sort[x]=desc',
    'sort[name][$eq]=asc',
    'fields[x]=name',
    'fields[0][0]=name',
    'populate=chef&populate[owner]=true',
    'populate[0]=chef&populate[owner]=true',
    'populate[0][chef]=true',
    'populate[chef]=true&populate[chef][fields]=name',
    'populate[chef][0]=country',
    'pagination=1',
    'pagination[0]=1',
    'pagination[page][0]=1',
    'pagination[page]=1&pagination[page]=2',
    'pagination[page]=1&pagination[start]=2',
    'status=draft&status=published',
    'status[0]=draft',
    'locale[x]=en',
    'locale[0][0]=en',
    '_q=a&_q=b',
    '_q[x]=a',
  ])('is refused for lists, objects and values that are mixed: %s', async (query) => {
    await refuse(`${LIST}?${query}`);
  });

  // ------------------------------------------------------------------------------------------------- size and depth

  it.each([
    ['filters', `filters${'[chef][restaurants]'.repeat(100)}[name]=x`],
    ['groups', `filters${'[$and][0]'.repeat(100)}[name]=x`],
    ['negations', `filters${'[$not]'.repeat(200)}[name]=x`],
    ['sort in brackets', `sort${'[chef][mentor]'.repeat(100)}[name]=asc`],
    ['sort with dots', `sort=${'chef.restaurants.'.repeat(100)}name`],
    ['populate', `populate${'[chef][populate]'.repeat(100)}[chef]=true`],
    ['populate with dots', `populate=${'chef.restaurants.'.repeat(100)}chef`],
    ['a sort within populate', `populate[chef][sort]=${'restaurants.chef.'.repeat(100)}name`],
    ['a list of lists', `filters[name]${'[0]'.repeat(200)}=x`],
    ['an unknown name', `x${'[x]'.repeat(200)}=x`],
    ['open brackets', `filters${'['.repeat(200)}=x`],
    ['brackets within brackets', `filters${'['.repeat(200)}${']'.repeat(200)}=x`],
  ])('is refused at once for two hundred levels of %s', async (_name, query) => {
    await refuse(`${LIST}?${query}`);
  });

  it('is refused at once for ten thousand parameters, in process and over the wire', async () => {
    const short = `${LIST}?${'a&'.repeat(10_000)}`;
    const long = `${LIST}?${Array.from({ length: 10_000 }, (_, index) => `filters[${index}]=1`).join('&')}`;
    expect((await ask(short)).status).toBe(400);
    expect((await ask(long)).status).toBe(414);
    for (const [url, status] of [
      [short, 400],
      [long, 431],
    ] as const) {
      const send = async (): Promise<void> => {
        const answer = await exchange(get(url));
        expect(answer.status).toBe(status);
        expectEnvelope(status, answer.body);
      };
      const took = await timed(send);
      expect(statements).toEqual([]);
      await expectSoon(took, send, usual, SOON);
      statements.length = 0;
    }
  });

  /** Asks with longer and longer paths; stops at the first that takes too long, before one takes for ever. */
  async function expectSoonForEvery(lengths: readonly number[], query: (length: number) => string): Promise<void> {
    for (const length of lengths) {
      const send = async (): Promise<void> => {
        const { statusCode, body } = await app.inject({ url: `${LIST}?${query(length)}` });
        expect(statusCode, `${length} steps: ${body.slice(0, 200)}`).toBeLessThan(500);
      };
      await expectSoon(await timed(send), send, usual, SOON);
    }
  }
  const circle = (length: number): string[] =>
    Array.from({ length }, (_, index) => (index % 2 === 0 ? 'categories' : 'restaurants'));
  const EVEN = Array.from({ length: 25 }, (_, index) => 2 * (index + 1));

  it('is answered soon when a sort goes in circles', async () => {
    await expectSoonForEvery(EVEN, (length) => `sort=${[...circle(length), 'name'].join('.')}&fields=name`);
  });

  it('is answered soon when a sort goes far along single steps', async () => {
    await expectSoonForEvery(EVEN, (length) => `sort=chef.${'mentor.'.repeat(length - 1)}name&fields=name`);
  });

  it('is answered soon when a filter goes in circles', async () => {
    await expectSoonForEvery(EVEN, (length) => `filters[${[...circle(length), 'name'].join('][')}][$ne]=x&fields=name`);
    await expectSoonForEvery(EVEN, (length) => `filters[${[...circle(length), 'name'].join('][')}][$null]=true`);
  });

  it('is answered soon when sets go in circles', async () => {
    const nested = (length: number, operator: string): string =>
      `filters${circle(length)
        .map((name) => `[${name}][${operator}]`)
        .join('')}[name][$ne]=x&fields=name`;
    for (const operator of ['$some', '$none', '$every'])
      await expectSoonForEvery([2, 4, 6, 8], (length) => nested(length, operator));
    const counted = (length: number): string =>
      Array.from({ length }, (_, steps) => {
        const path = circle(steps).map((name) => `[${name}][$count][where]`);
        return `filters${path.join('')}[${circle(steps + 1).at(-1)}][$count][$lt]=9`;
      }).join('&');
    await expectSoonForEvery([1, 2, 3, 4, 5], counted);
  });

  it('is answered soon when populate goes in circles', async () => {
    await expectSoonForEvery(EVEN.slice(0, 6), (length) => `populate=${circle(length).join('.')}`);
  });

  const NEARLY_ONE = `1.${'0'.repeat(3e5)}1`;
  it.each<[string, object]>([
    ['digits', { dishes: { $all: ['9'.repeat(1e6)] } }],
    ['digits of a big integer', { visits: { $in: ['9'.repeat(300), `${'0'.repeat(9e5)}1`] } }],
    ['digits after the point', { $or: ['stars', 'visits', 'rating'].map((name) => ({ [name]: { $gt: NEARLY_ONE } })) }],
    ['steps of a date', { inspectedAt: { $gt: `now${'/d'.repeat(4e5)}` } }],
    ['items of JSON', { meta: `[1${',1'.repeat(4e5)}]` }],
    ['keys of JSON', { meta: JSON.stringify(Object.fromEntries(Array.from({ length: 7e4 }, (_, n) => [`k${n}`, n]))) }],
  ])('is answered soon where a value in a body has a million %s', async (_name, filters) => {
    const payload = { filters, facets: ['name', 'slug', 'stars', 'cuisine', 'email', 'open', 'rating'] };
    const send = async (): Promise<void> => {
      const { statusCode, body } = await app.inject({ method: 'POST', url: `${LIST}/query`, payload });
      expect(statusCode, body.slice(0, 200)).toBeLessThan(500);
    };
    await expectSoon(await timed(send), send, usual, { suspicious: 200, most: 50 });
  });

  // ----------------------------------------------------------------------------------------------- the text of SQL

  const TEXTS = [...SQL_FRAGMENTS, 'Alba', 'alba', 'Dōjō', '100%', '_', 'İ', '\u212a', '🌸', '0', '1e5', 'null'];
  const text = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 40 }) },
  );
  // A comma in a locale code is refused before anything is sent.
  const withoutCommas = (value: string): string => value.replaceAll(',', ';');
  const code = text.map(withoutCommas);
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })).map(String);
  const day = fc.constantFrom('2020-02-29', '1999-12-31', '0001-01-01', '9999-12-31');
  const VALUE_PLACES: readonly [string, fc.Arbitrary<string>][] = [
    ...['$eq', '$ne', '$eqi', '$nei', '$lt', '$gte', '$contains', '$notContains', '$containsi', '$notContainsi'].map(
      (operator): [string, fc.Arbitrary<string>] => [`filters[name][${operator}]`, text],
    ),
    ...['$startsWith', '$startsWithi', '$endsWith', '$endsWithi'].map((operator): [string, fc.Arbitrary<string>] => [
      `filters[description][${operator}]`,
      text,
    ]),
    ['filters[slug]', text],
    ['filters[meta]', text],
    ['filters[cuisine][$in][]', text],
    ['filters[email][$notIn][]', text],
    ['filters[documentId][$ne]', text],
    ['filters[$or][0][chef][country][name][$containsi]', text],
    ['filters[$not][categories][name]', text],
    ['filters[address][city][$ne]', text],
    ['filters[categories][$none][name]', text],
    ['filters[dishes][$every][name][$ne]', text],
    ['filters[categories][name][$all][]', text],
    ['filters[meta][$at][a]', text],
    ['filters[meta][$at][a][b][$containsi]', text],
    ['filters[meta][$has]', text],
    ['filters[stars][$lt]', number],
    ['filters[rating][$gt]', number],
    ['filters[visits][$ne]', number],
    ['filters[id][$in][]', number],
    ['filters[chef][$ne]', number],
    ['filters[openedOn][$gte]', day],
    ['filters[createdAt][$gt]', day],
    ['populate[categories][filters][name][$ne]', text],
    ['populate[categories][filters][parent][name][$endsWithi]', text],
    ['_q', text],
    ['locale', code],
    ['pagination[start]', fc.integer({ min: 0, max: 1e9 }).map(String)],
    ['pagination[limit]', fc.integer({ min: 1, max: 1e9 }).map(String)],
  ];

  it('sends the same statements as another that differs only in its values', async () => {
    // For long values, conditions on texts run in another process, whose statements nobody sees here.
    sheaf.operations.lanes.textBytes = 0;
    const cases = fc
      .subarray([...VALUE_PLACES], { minLength: 1, maxLength: 6 })
      // A key has a value or keys below it, and a request that has both is refused.
      .filter((places) => !places.some(([above]) => places.some(([place]) => place.startsWith(`${above}[`))))
      .chain((places) =>
        fc.tuple(
          ...places.map(([place, value]) => fc.tuple(value, value).map(([one, other]) => ({ place, one, other }))),
        ),
      );
    const query = (pairs: readonly [string, string][]) =>
      `${LIST}?${pairs.map(([place, value]) => `${place}=${plain(value)}`).join('&')}`;
    await fc.assert(
      fc.asyncProperty(cases, async (places) => {
        const one = await ask(query(places.map(({ place, one }) => [place, one])));
        const other = await ask(query(places.map(({ place, other }) => [place, other])));
        // An empty page needs no further statements; as far as both go they are the same.
        const length = Math.min(one.sent.length, other.sent.length);
        expect(length).toBeGreaterThan(0);
        expect(one.sent.slice(0, length)).toEqual(other.sent.slice(0, length));
        const isEmpty = ({ body }: Answer) => JSON.parse(body).data.length === 0;
        if (isEmpty(one) === isEmpty(other)) expect(one.sent.length).toBe(other.sent.length);
      }),
      { numRuns: scaled(50), seed: SEED },
    );
  });

  it('sends keys of JSON as values, and never as text', async () => {
    const sentFor = async (key: string) => (await ask(`${LIST}?filters[meta][$at][${plain(key)}][$gt]=1`)).sent;
    const harmless = await sentFor('harmless');
    for (const fragment of SQL_FRAGMENTS.filter((one) => !one.startsWith('$')))
      expect(await sentFor(fragment), fragment).toEqual(harmless);
  });

  /** What is sent for a value that is only a word, by its place. */
  const sentForWords = new Map<string, Promise<readonly string[]>>();
  function sentForWord(place: string): Promise<readonly string[]> {
    const sent = sentForWords.get(place) ?? ask(`${LIST}?${place}=harmless`).then((answer) => answer.sent);
    sentForWords.set(place, sent);
    return sent;
  }

  it.each(SQL_FRAGMENTS)('sends %j as a value, in every place of a value, and never as text', async (fragment) => {
    const row = SQL_FRAGMENTS.indexOf(fragment) + turn;
    for (const [column, [place, value]] of VALUE_PLACES.entries()) {
      if ((value !== text && value !== code) || !isAsked(row, column, 3)) continue;
      const harmless = await sentForWord(place);
      const { sent } = await ask(`${LIST}?${place}=${plain(value === code ? withoutCommas(fragment) : fragment)}`);
      const length = Math.min(harmless.length, sent.length);
      expect(length).toBeGreaterThan(0);
      expect(sent.slice(0, length)).toEqual(harmless.slice(0, length));
    }
    const one = await ask(`${LIST}/harmless`);
    const other = await ask(`${LIST}/${plain(fragment)}`);
    expect(other.sent).toEqual(one.sent);
  });

  it.each([
    ['text where a number belongs', 'filters[stars]=1%20or%201=1'],
    ['text where a number of a list belongs', 'filters[stars][$in][0]=1&filters[stars][$in][1]=x'],
    ['text where a bound belongs', 'filters[rating][$between][0]=1&filters[rating][$between][1]=x'],
    ['a number beyond all numbers', 'filters[rating]=1e309'],
    ['text where a boolean belongs', 'filters[open]=yes'],
    ['a day that does not exist', 'filters[openedOn]=2021-02-29'],
    ['a time that does not exist', 'filters[kitchenCloses]=25:00:00'],
    ['an instant that does not exist', 'filters[inspectedAt]=2021-02-29T00:00:00Z'],
    ['text where yes or no belongs', 'filters[name][$null]=maybe'],
    ['a bad value behind good ones', 'filters[name]=Alba&filters[chef][age]=old&populate=*&sort=name'],
    ['a bad value inside populate', 'populate[dishes][filters][price]=cheap'],
    ['an order of JSON', 'filters[meta][$lt]=1'],
    ['a page that is no number', 'pagination[page]=one'],
    ['half a page', 'pagination[page]=1.5'],
    ['an empty status', 'status='],
    ['an unknown status', 'status=archived'],
    ['a media field', 'filters[cover][name]=x'],
    ['a dynamic zone', 'filters[blocks][label]=x'],
    ['a sort by a relation', 'sort=chef'],
    ['a sort by JSON', 'sort=meta'],
    ['a populated scalar', 'populate=name'],
    ['an operator at the root', 'filters[$eq]=1'],
    ['an empty name', 'filters[]=1'],
    ['JSON that is nested without end', `filters[meta]=${'['.repeat(8000)}${']'.repeat(8000)}`],
    ['JSON that is nested without end, in a list', `filters[meta][$in][0]=${'['.repeat(8000)}${']'.repeat(8000)}`],
    ['JSON that is nested without end, in order', `filters[meta][$at][a][$lt]=${'['.repeat(8000)}${']'.repeat(8000)}`],
    ['a null character inside of JSON', `filters[meta]=${plain('{"a":"\\u0000"}')}`],
    ['half a surrogate pair inside of JSON', `filters[meta][$at][a][$has]=${plain('"\\ud800"')}`],
  ])('is refused without a statement for %s', async (_name, query) => {
    const { sent } = await refuse(`${LIST}?${query}`);
    expect(sent).toEqual([]);
  });

  it.each([
    ['a filter', { filters: { name: '\ud800' } }],
    ['a list', { filters: { name: { $in: ['Alba', '\udfff'] } } }],
    ['JSON', { filters: { meta: { $eq: '\ud800' } } }],
    ['a key of JSON', { filters: { meta: { $at: { '\ud800': 1 } } } }],
    ['a search', { _q: '\ud800' }],
    ['a locale', { locale: ['en', '\ud800'] }],
  ])('is refused without a statement for half a surrogate pair in %s of a body', async (_name, payload) => {
    statements.length = 0;
    const { statusCode, body } = await app.inject({ method: 'POST', url: '/api/restaurants/query', payload });
    expectDecent(statusCode, body);
    expect(statusCode).toBe(400);
    expect(statements).toEqual([]);
  });

  it.each([
    ['zeros before a number', { filters: { visits: `${'0'.repeat(500_000)}e5` } }],
    ['an operator that is long', { filters: { name: { [`$${'x'.repeat(500_000)}`]: 1 } } }],
    ['a name that is long', { ['x'.repeat(500_000)]: 1 }],
    ['names that nobody knows', Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`a${index}`, 1]))],
    ['steps of a date', { filters: { createdAt: `now${'/d'.repeat(400_000)}` }, timezone: 'Europe/Paris' }],
  ])('is answered soon for a body full of %s', async (_name, payload) => {
    const send = () => app.inject({ method: 'POST', url: '/api/restaurants/query', payload });
    const took = await timed(send);
    await expectSoon(took, send, usual, SOON);
    const { statusCode, body, headers } = await send();
    expectDecent(statusCode, body);
    expect(JSON.stringify(headers).length).toBeLessThan(4_000);
  });

  // -------------------------------------------------------------------------------------------------- on the wire

  it.each([
    ['a byte of null in the query', get(`${LIST}?filters[name]=\0`)],
    ['a byte of null in the path', get('/api/rest\0aurants')],
    ['a space in the query', get(`${LIST}?filters[name]=a b`)],
    ['bytes beyond ASCII', get(`${LIST}?filters[name]=\xff\xfe`)],
    ['a path that cannot be decoded', get('/api/restaurants/%E0%A4%A')],
    ['a path of dots', get('/api/restaurants/../../etc/passwd')],
    ['a very long segment', get(`/api/restaurants/${'x'.repeat(5000)}`)],
    ['a star for a path', get('*')],
    ['no HTTP at all', Buffer.from('hello\r\n\r\n')],
    ['an unknown version', Buffer.from(`GET ${LIST} HTTP/9.9\r\nhost: x\r\n\r\n`)],
    ['no host', Buffer.from(`GET ${LIST} HTTP/1.1\r\nconnection: close\r\n\r\n`)],
    ['two hosts', Buffer.from(`GET ${LIST} HTTP/1.1\r\nhost: x\r\nHOST: y\r\nconnection: close\r\n\r\n`)],
    [
      'an expectation',
      Buffer.from(`GET ${LIST} HTTP/1.1\r\nhost: x\r\nexpect: a miracle\r\nconnection: close\r\n\r\n`),
    ],
    [
      'two lengths',
      Buffer.from(`POST ${LIST} HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx`),
    ],
    ['a header with a line break', Buffer.from(`GET ${LIST} HTTP/1.1\r\nhost: x\r\nx: a\nb\r\n\r\n`)],
    ['an unknown method', Buffer.from(`HACK ${LIST} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)],
    ['a method it does not have', Buffer.from(`TRACE ${LIST} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)],
    [
      'broken JSON',
      Buffer.from(
        `POST ${LIST} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 1\r\n\r\n{`,
      ),
    ],
    [
      'a body that is no UTF-8, as some clients send it',
      Buffer.from(
        `POST /api/auth/local HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: 37\r\n\r\n{"identifier":"Andr\xe9","password":"x"}`,
        'latin1',
      ),
      /not valid UTF-8/,
    ],
    [
      'a body that is compressed',
      Buffer.concat([
        Buffer.from(
          `POST /api/auth/local HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: ${COMPRESSED.length}\r\n\r\n`,
        ),
        COMPRESSED,
      ]),
      /compressed/,
    ],
    [
      'a body of an unknown kind',
      Buffer.from(
        `POST ${LIST} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: a/b\r\ncontent-length: 1\r\n\r\n{`,
      ),
    ],
  ])('gets the envelope for %s', async (_name, bytes, message = /./) => {
    const begin = performance.now();
    const { status, body } = await exchange(bytes);
    const took = performance.now() - begin;
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expectEnvelope(status, body);
    expect(JSON.parse(body).error.message).toMatch(message);
    if (status !== 404) expect(statements).toEqual([]);
    await expectSoon(took, () => exchange(bytes), usual, SOON);
  });

  it('leaves the service able to answer', async () => {
    const { status, body } = await ask(`${LIST}?filters[name]=Alba`);
    expect(status).toBe(200);
    expect(JSON.parse(body).meta.pagination.total).toBe(1);
  });
});
