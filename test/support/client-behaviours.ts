// What the client of `sheaf/client` does, as functions that run wherever it does: in Node, in older ones, in a browser.
// So this file imports nothing and brings its own assertions.

/** The module under test; what it answers with is looked into freely. */
// biome-ignore lint/suspicious/noExplicitAny: the types of the client have tests of their own.
type Loose = any;

/** Where the behaviours are shown. */
export interface World {
  readonly client: Loose;
  /** The server, where the guide is open to everyone; in a browser it has the origin of the page. */
  readonly url: string;
  /** The same server by another name, so that a browser takes it for another origin. */
  readonly elsewhere: string;
  /** An API token. */
  readonly token: string;
  /** Different wherever the behaviours are shown, for names that are taken once. */
  readonly mark: string;
}

const PASSWORD = 'Tr0ub4dor-and-3';

function same(actual: unknown, expected: unknown, what = ''): void {
  const [a, b] = [actual, expected].map((value) => JSON.stringify(value, sorted, 1));
  if (a !== b) throw new Error(`${what}\nexpected ${b}\nreceived ${a}`);
}

const sorted = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value === undefined
      ? '(undefined)'
      : value;

/** What a promise fails with; that it does not fail is one. */
async function failure(promise: Promise<unknown>): Promise<Loose> {
  const value = await promise.then(
    (result) => ({ didNotFail: result }),
    (error) => ({ error }),
  );
  if ('didNotFail' in value) throw new Error(`It did not fail: ${JSON.stringify(value.didNotFail)}`);
  return value.error;
}

const names = (page: Loose): string[] => page.data.map((entry: Loose) => entry.name ?? entry.title);

/** A `fetch` that notes requests, and answers those that `answer` does. */
function spy(answer: (url: string, init: Loose, count: number) => Response | undefined = () => undefined) {
  const requests: { method: string; path: string; init: Loose }[] = [];
  const own = async (url: string, init: Loose): Promise<Response> => {
    requests.push({ method: init.method, path: url.replace(/^https?:\/\/[^/]+/, ''), init });
    return answer(url, init, requests.length) ?? fetch(url, init);
  };
  return { requests, fetch: own, told: () => requests.map(({ method, path }) => `${method} ${path}`) };
}

const unavailable = (retryAfter?: string): Response =>
  new Response('{"data":null,"error":{"status":503,"name":"ServiceUnavailableError","message":"busy","details":{}}}', {
    status: 503,
    headers: { 'content-type': 'application/json', ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
  });

/** A token that says of itself when it ends, and that no server takes. */
const forged = (secondsLeft: number): string => {
  const now = Math.floor(Date.now() / 1000);
  return `x.${btoa(JSON.stringify({ iat: now - 100, exp: now + secondsLeft })).replace(/=+$/, '')}.y`;
};

export const BEHAVIOURS: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async 'reads lists, entries, single types, relations, groups and locales'({ client: { createClient }, url }) {
    const client = createClient({ url });
    const { data, meta } = await client.restaurants.find({
      filters: { stars: { $gte: 2 }, chef: { country: { code: { $in: ['IT', 'JP', 'FR'] } } } },
      fields: ['name', 'stars'],
      populate: { chef: { fields: ['name'] } },
      sort: ['stars:desc', 'name'],
      pagination: { pageSize: 2 },
      facets: 'stars',
    });
    same(
      data.map(({ name, stars, chef }: Loose) => [name, stars, Object.keys(chef).sort().join()]),
      [
        ['Alba', 3, 'documentId,id,name'],
        ['Dōjō', 2, 'documentId,id,name'],
      ],
    );
    same(meta.pagination, { page: 1, pageSize: 2, pageCount: 2, total: 3 });
    same(meta.facets.stars[0], { value: 2, count: 2 });
    const alba = await client.restaurants.findOne(data[0].documentId, { fields: 'name' });
    same(alba, { id: data[0].id, documentId: data[0].documentId, name: 'Alba' });
    same(await client.restaurants.findOne('nobody'), null);
    same(await client.restaurants.findOne(alba.documentId, { filters: { name: 'Dōjō' } }), null);
    same(names(await client.restaurants.related(alba.documentId, 'dishes', { sort: 'name' })).length > 0, true);
    same(await client.restaurants.related('nobody', 'dishes'), null);
    const homepage = await client.homepage.find({ populate: ['featured'] });
    const featured = await client.homepage.related('featured', { fields: ['name'] });
    same(names(featured), names({ data: homepage.featured }));
    same((await client.single('homepage').find()).documentId, homepage.documentId);
    same(await client.homepage.find({ filters: { title: 'No such title' } }), null);
    const groups = await client.restaurants.aggregate({
      group: ['stars'],
      count: '*',
      having: { count: 1 },
      sort: '-stars',
    });
    same(groups.data[0], { group: { stars: 3 }, count: 1 });
    same((await client.locales()).find((locale: Loose) => locale.isDefault).code, 'en');
    same((await failure(client.collection('nothings').find())).status, 404);
  },

  async 'creates, changes, publishes, copies and deletes entries'({ client: { createClient }, url, token, mark }) {
    const client = createClient({ url, token });
    const created = await client.restaurants.create(
      { name: `Eco ${mark}`, stars: 1, visits: 2n ** 60n },
      { populate: 'chef' },
    );
    same([created.name, created.visits, created.chef], [`Eco ${mark}`, String(2n ** 60n), null]);
    const { documentId } = created;
    same((await client.restaurants.update(documentId, { stars: 2 }, { fields: ['stars'] })).stars, 2);
    const copy = await client.restaurants.clone(documentId, { name: `Fuga ${mark}` });
    same([copy.name, copy.stars], [`Fuga ${mark}`, 2]);
    for (const id of [documentId, copy.documentId]) same(await client.restaurants.delete(id), undefined);
    same(await client.restaurants.findOne(documentId), null);

    const title = `Draft ${mark}`;
    const draft = await client.articles.create({ title }, { status: 'draft', locale: 'fr' });
    const at = { locale: 'fr' };
    same([draft.title, draft.publishedAt, draft.locale], [title, null, 'fr']);
    same(typeof (await client.articles.publish(draft.documentId, at)).publishedAt, 'string');
    await client.articles.update(draft.documentId, { title: 'Changed' }, { ...at, status: 'draft' });
    same((await client.articles.discardDraft(draft.documentId, at)).title, title);
    same((await client.articles.unpublish(draft.documentId, at)).publishedAt, null);
    same(await client.articles.findOne(draft.documentId, at), null);
    await client.articles.delete(draft.documentId, { locale: '*' });
    same(await client.articles.findOne(draft.documentId, { ...at, status: 'draft' }), null);

    const before = await client.homepage.find();
    const changed = await client.homepage.update({ title: mark }, { status: 'draft' });
    same([changed.title, changed.documentId], [mark, before.documentId]);
    same((await client.homepage.discardDraft()).title, before.title);
    same((await client.homepage.publish({ fields: ['title'] })).title, before.title);
  },

  async 'goes through all pages, by cursor or as the query counts them'({ client: { createClient }, url }) {
    const { fetch, told } = spy();
    const client = createClient({ url, fetch });
    const all = names(await client.restaurants.find({ sort: 'name', pagination: { pageSize: 100 } }));
    const through = async (query: object): Promise<string[]> => {
      const found: string[] = [];
      for await (const page of client.restaurants.pages(query)) found.push(...names(page));
      return found;
    };
    same(await through({ sort: 'name', pagination: { pageSize: 3 } }), all);
    same(told().filter((request) => request.includes('cursor')).length, Math.ceil(all.length / 3));
    same(await through({ sort: { name: 'asc' } }), all);
    same(await through({ sort: ['name'], pagination: { page: 1, pageSize: 4 } }), all);
    same(await through({ sort: 'name', pagination: { start: 2, limit: 3, withCount: false } }), all.slice(2));
    // No cursor leads through relations.
    same((await through({ sort: ['chef.name', 'name'], pagination: { pageSize: 5 } })).sort(), [...all].sort());
    same(told().at(-1)!.includes('page]='), true);
    for await (const page of client.restaurants.pages({ pagination: { pageSize: 1 } })) {
      same(page.data.length, 1);
      break;
    }
  },

  async 'sends a read that is too long for a URL as a body, with the same meaning'({ client: { createClient }, url }) {
    const { fetch, told, requests } = spy();
    const client = createClient({ url, fetch });
    const many = Array.from({ length: 400 }, (_, index) => `Somewhere with a long name, number ${index}`);
    const query = { filters: { name: { $in: [...many, 'Alba'] }, open: true, rating: { $ne: null } }, sort: 'name' };
    same(names(await client.restaurants.find(query)), ['Alba']);
    same((await client.restaurants.aggregate({ filters: query.filters, count: '*' })).data, [{ count: 1 }]);
    same(told(), ['POST /api/restaurants/query', 'POST /api/restaurants/aggregate']);
    same(JSON.parse(requests[0]!.init.body).filters.open, 'true');
    // A single type has no such path.
    same(await client.homepage.find({ filters: { title: { $in: many } } }), null);
    same(
      told()
        .slice(2)
        .map((request) => request.slice(0, 18)),
      ['POST /api/homepage', 'GET /api/homepage?'],
    );
  },

  async 'fails with one class of errors'({ client: { createClient, SheafError }, url, mark }) {
    const client = createClient({ url });
    const query = await failure(
      client.restaurants.find({ filters: { chef: { nmae: 'Anne' } } }, { requestId: `query-${mark}` }),
    );
    same(query instanceof SheafError && query instanceof Error, true);
    const { status, name, path, requestId, message, details, retryAfter } = query;
    same([status, name, path, requestId, retryAfter], [400, 'ValidationError', 'chef', `query-${mark}`, null]);
    same([message, details.key, details.param], ['Invalid key nmae at chef', 'nmae', 'filters']);
    const body = await failure(client.articles.create({ title: 1, readingMinutes: 'x', seo: { metaTitle: 7 } }));
    same([body.status, body.path, typeof body.requestId], [400, 'title', 'string']);
    const stranger = createClient({ url, token: async () => 'unknown' });
    same((await failure(stranger.restaurants.find())).name, 'UnauthorizedError');
    const missing = await failure(client.restaurants.update('nobody', { stars: 1 }));
    same([missing.status, missing.name, missing.path], [404, 'NotFoundError', null]);
    for (const id of ['', '..', undefined])
      for (const call of [
        () => client.restaurants.findOne(id),
        () => client.restaurants.related(id, 'dishes'),
        () => client.users.delete(id),
        () => client.collection('restaurants').delete(id),
        () => client.files.replace(id, new Blob(['x'])),
      ])
        same((await failure(call())).message.endsWith(': a documentId is missing'), true, String(id));
    const lost = await failure(client.restaurants.find({ filters: { name: undefined } }));
    same([lost.name, lost.message], ['TypeError', 'filters.name: a query cannot hold undefined']);

    const unreachable = await failure(createClient({ url: 'http://127.0.0.1:9' }).restaurants.find());
    same([unreachable.name, unreachable.status, unreachable.requestId], ['NetworkError', 0, null]);
    const behind = (response: Response) => createClient({ url, fetch: async () => response }).restaurants.find();
    const proxy = await failure(behind(new Response('<h1>Bad gateway</h1>', { status: 502, statusText: 'Bad' })));
    same([proxy.name, proxy.status, proxy.message, proxy.details], ['HTTPError', 502, 'Bad', {}]);
    same((await failure(behind(new Response('<h1>Hello</h1>')))).name, 'ResponseError');
    const cut = new ReadableStream({ pull: (controller) => controller.error(new TypeError('terminated')) });
    same((await failure(behind(new Response(cut)))).name, 'NetworkError');
  },

  async 'repeats after a 503 as it says, and nothing that may have been stored'({ client: { createClient }, url }) {
    const tried = async (
      call: (client: Loose) => Promise<unknown>,
      retryAfter: string | undefined = '0',
      options: object = {},
      times = 10,
    ): Promise<number> => {
      const { fetch, requests } = spy((_url, _init, count) => (count <= times ? unavailable(retryAfter) : undefined));
      const client = createClient({ url, fetch, ...options });
      if (times < 10) await call(client);
      else same((await failure(call(client))).status, 503);
      return requests.length;
    };
    const list = (client: Loose) => client.restaurants.find();
    same(await tried(list), 3);
    same(await tried(list, '0', {}, 2), 3);
    same(await tried(list, new Date(0).toUTCString()), 3);
    same(await tried(list, '0', { retries: 5 }), 6);
    same(await tried((client) => client.restaurants.find({}, { retries: 0 })), 1);
    for (const call of [
      (client: Loose) => client.restaurants.update('x', { stars: 1 }),
      (client: Loose) => client.restaurants.delete('x'),
      (client: Loose) => client.articles.publish('x'),
      (client: Loose) => client.restaurants.aggregate({ count: '*' }),
    ])
      same(await tried(call), 3);
    for (const call of [
      (client: Loose) => client.restaurants.create({ name: 'x' }),
      (client: Loose) => client.restaurants.clone('x'),
      (client: Loose) => client.files.upload(new Blob(['x'])),
      (client: Loose) => client.users.create({}),
      (client: Loose) => client.auth.logIn({ identifier: 'x', password: 'x' }),
    ])
      same(await tried(call), 1, String(call));
    // Without a time, and with one that nobody waits for.
    const { fetch, requests } = spy(() => unavailable());
    same((await failure(createClient({ url, fetch }).restaurants.find())).retryAfter, null);
    same(requests.length, 1);
    same(await tried(list, '3600'), 1);
    const gaveUp = new AbortController();
    const waiting = spy(() => {
      setTimeout(() => gaveUp.abort(new Error('gave up')));
      return unavailable('20');
    });
    const { signal } = gaveUp;
    same(
      (await failure(createClient({ url, fetch: waiting.fetch }).restaurants.find({}, { signal }))).message,
      'gave up',
    );
  },

  async 'stops when it is told to'({ client: { createClient }, url }) {
    const client = createClient({ url });
    const early = AbortSignal.abort(new Error('too late'));
    same((await failure(client.restaurants.find({}, { signal: early }))).message, 'too late');
    const controller = new AbortController();
    const started = failure(client.restaurants.find({ populate: '*' }, { signal: controller.signal }));
    controller.abort();
    same((await started).name, 'AbortError');
    const upload = new AbortController();
    const blob = new Blob([new Uint8Array(5_000_000)]);
    const stop = { signal: upload.signal, onProgress: () => upload.abort() };
    same((await failure(client.files.upload({ content: blob, name: 'large.bin' }, stop))).name, 'AbortError');
  },

  async 'hands the options of fetch through, those for caches with reads only'({ client: { createClient }, url }) {
    const { fetch, requests } = spy((_url, { method }) =>
      Response.json({ data: {} }, { headers: method === 'GET' ? {} : { 'x-sheaf-position': '0/16' } }),
    );
    const seen: (string | null)[] = [];
    const next = { revalidate: 60, tags: ['guide'] };
    const client = createClient({
      url: `${url}/api/`,
      token: () => 'a-token',
      fetch,
      next,
      cache: 'force-cache',
      credentials: 'include',
      headers: { 'x-tenant': 'a' },
      onResponse: (response: Response) => seen.push(response.headers.get('x-sheaf-position')),
    });
    await client.restaurants.find({}, { requestId: 'abc', keepalive: true });
    await client.restaurants.find({}, { next: { tags: ['other'] }, cache: 'no-store', headers: { 'x-tenant': 'b' } });
    await client.restaurants.update('x', {});
    await client.restaurants.find();
    const shown = requests.map(({ method, path, init }) => {
      const { headers, body, method: _method, ...rest } = init;
      return [method, path, rest, Object.fromEntries(headers)];
    });
    const plain = { accept: 'application/json', authorization: 'Bearer a-token' };
    const own = { ...plain, 'x-tenant': 'a' };
    const both = { cache: 'force-cache', credentials: 'include', next };
    same(shown, [
      ['GET', '/api/restaurants', { ...both, keepalive: true }, { ...own, 'x-request-id': 'abc' }],
      [
        'GET',
        '/api/restaurants',
        { ...both, cache: 'no-store', next: { tags: ['other'] } },
        { ...plain, 'x-tenant': 'b' },
      ],
      ['PUT', '/api/restaurants/x', { credentials: 'include' }, { ...own, 'content-type': 'application/json' }],
      ['GET', '/api/restaurants', both, { ...own, 'x-sheaf-position': '0/16' }],
    ]);
    same(seen, [null, null, '0/16', null]);
    const prefixed = spy(() => Response.json([]));
    await createClient({ url: 'https://cms.example/base/', prefix: '/v1', fetch: prefixed.fetch }).locales();
    same(prefixed.told(), ['GET /base/v1/i18n/locales']);
  },

  async 'logs in, renews the session in the background, and logs out'({ client: { createClient }, url, mark }) {
    const told: ({ readonly jwt: string } | null)[] = [];
    const { fetch, told: requests } = spy();
    const client = createClient({ url, fetch, onSession: (session: Loose) => told.push(session) });
    const username = `john-${mark}`;
    const account = { username, email: `${username}@people.example`, password: PASSWORD };
    same((await client.auth.register(account)).user.username, username);
    same((await client.users.me()).username, username);
    const { jwt } = await client.auth.logIn({ identifier: username, password: PASSWORD });
    same([client.auth.session.jwt === jwt, told.length], [true, 2]);
    same((await client.auth.sessions()).map((session: Loose) => session.current).sort(), [false, true]);

    // One that ends soon is renewed before a request, once for all of them; one that is refused after it.
    for (const secondsLeft of [5, 5000]) {
      const kept = spy();
      const session = { ...told.at(-1), jwt: forged(secondsLeft) };
      const onSession = (next: Loose) => told.push(next);
      const again = createClient({ url, fetch: kept.fetch, session, onSession });
      const all = await Promise.all([again.users.me(), again.users.me({ fields: ['username'] }), again.users.me()]);
      same([...new Set(all.map((user: Loose) => user.username))], [username]);
      same(kept.told().filter((request) => request.includes('refresh')).length, 1);
      same(kept.requests.length, secondsLeft < 10 ? 4 : 7);
      same(again.auth.session.jwt === told.at(-1)?.jwt, true);
    }
    // Who logs in while a session is renewed stays logged in.
    let renewed = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      renewed = resolve;
    });
    const held = async (address: string, init: Loose): Promise<Response> => {
      const response = await globalThis.fetch(address, init);
      if (address.endsWith('refresh')) await gate;
      return response;
    };
    const hasty = createClient({
      url,
      fetch: held,
      session: { ...told.at(-1), jwt: forged(5) },
      onSession: (next: Loose) => told.push(next),
    });
    const asked = hasty.users.me();
    const own = await hasty.auth.logIn({ identifier: username, password: PASSWORD });
    renewed();
    same([(await asked).username, hasty.auth.session.jwt === own.jwt], [username, true]);

    const last = createClient({ url, session: told.at(-1), onSession: (next: Loose) => told.push(next) });
    same((await last.auth.refresh()).jwt === last.auth.session.jwt, true);
    const password = `${PASSWORD}!`;
    const change = { currentPassword: PASSWORD, password, passwordConfirmation: password };
    same((await last.auth.changePassword(change)).jwt === told.at(-1)?.jwt, true);
    same((await last.users.me()).username, username);
    same(await last.auth.logOut({ scope: 'all' }), undefined);
    same(await last.auth.logOut(), undefined);
    same([last.auth.session, told.at(-1)], [null, null]);

    // A session that cannot be renewed has ended.
    const over = createClient({
      url,
      session: { jwt: forged(5000) },
      onSession: (next: Loose) => told.push(next),
    });
    same([(await failure(over.users.me())).status, over.auth.session, told.at(-1)], [401, null, null]);
    same((await failure(over.auth.logIn({ identifier: username, password: 'wrong' }))).status, 400);
    same(
      requests().filter((request) => request.includes('refresh')),
      [],
    );
  },

  async 'reads and writes users'({ client: { createClient }, url, token, mark }) {
    const { users } = createClient({ url, token });
    const username = `meg-${mark}`;
    const made = await users.create({ username, email: `${username}@people.example`, password: PASSWORD });
    same([made.username, made.password], [username, undefined]);
    const filters = { username };
    same(await users.count({ filters }), 1);
    same((await users.find({ filters, fields: ['username'] })).data, [
      { id: made.id, documentId: made.documentId, username },
    ]);
    same((await users.update(made.documentId, { blocked: true })).blocked, true);
    same((await users.findOne(made.id, { fields: ['blocked'] })).blocked, true);
    same((await users.delete(made.id)).id, made.id);
    same(await users.findOne(made.documentId), null);
    const bare = createClient({ url, fetch: async () => Response.json([{ id: 1 }]) });
    same(await bare.users.find(), { data: [{ id: 1 }], meta: {} });
  },

  async 'sends files, and tells how far it is'({ client: { createClient }, url, token, mark }) {
    const { files, restaurants } = createClient({ url, token });
    const entry = await restaurants.create({ name: `Pictured ${mark}` });
    const progress: { sent: number; total: number }[] = [];
    const size = 300_000;
    const [first, second] = await files.upload(
      [
        new File([new Uint8Array(size).fill(65)], 'a.txt', { type: 'text/plain' }),
        { content: new Blob(['b'], { type: 'text/plain' }), name: 'b.txt', info: { caption: 'The second' } },
      ],
      {
        link: { ref: 'api::restaurant.restaurant', refId: entry.documentId, field: 'gallery' },
        onProgress: (one: { sent: number; total: number }) => progress.push(one),
      },
    );
    same([first.name, second.name, second.caption], ['a.txt', 'b.txt', 'The second']);
    same(progress.at(-1), { sent: size + 1, total: size + 1 });
    same(
      progress.every(({ sent }, index) => sent >= (progress[index - 1]?.sent ?? 0)),
      true,
    );
    const shown = await restaurants.findOne(entry.documentId, { populate: 'gallery' });
    same(names({ data: shown.gallery }), ['a.txt', 'b.txt']);
    same((await (await fetch(files.url(first))).text()).length, size);
    same(files.url({ url: 'https://cdn.example/a' }), 'https://cdn.example/a');
    same((await files.update(first.id, { alternativeText: 'Letters' })).alternativeText, 'Letters');
    const replaced = await files.replace(first.documentId, { content: new Blob(['c']), name: 'c.txt' });
    same([replaced.id, replaced.alternativeText], [first.id, 'Letters']);
    same(await (await fetch(files.url(replaced), { cache: 'reload' })).text(), 'c');
    const found = await files.find({ filters: { id: { $in: [first.id, second.id] } }, sort: 'id' });
    same([found.data.length, found.meta.pagination.total], [2, 2]);
    same((await files.findOne(second.id)).caption, 'The second');
    for (const { id } of [first, second]) same((await files.delete(id)).id, id);
    same(await files.findOne(first.id), null);
    await restaurants.delete(entry.documentId);
    const refused = await failure(files.upload(new Blob([]), { onProgress: () => undefined }));
    same([refused.status, refused.name, typeof refused.requestId], [400, 'ValidationError', 'string']);
  },

  async 'is an object like others, whatever it is asked for'({ client: { createClient, query, parse }, url }) {
    const client = createClient({ url });
    same((await client) === client, true);
    same([client.then, client.toJSON, client[Symbol.iterator]], [undefined, undefined, undefined]);
    same(`${client}`, '[object Object]');
    const { fetch, told } = spy(() => Response.json({ data: [] }));
    const noted = createClient({ url, fetch });
    await noted['blog-posts'].find();
    await noted.collection('files').find();
    await noted.restaurants.findOne('a/../b');
    same(told(), ['GET /api/blog-posts', 'GET /api/files', 'GET /api/restaurants/a%2F..%2Fb']);
    const parameters = { filters: { name: { $eq: 'Dōjō' } }, sort: ['name'] };
    same(parse(query(parameters)), parameters);
  },

  async 'calls a server of another origin'({ client: { createClient }, elsewhere, token, mark }) {
    const hints: (string | null)[] = [];
    const onResponse = ({ headers }: Response) => hints.push(headers.get('x-sheaf-hint'));
    const client = createClient({ url: elsewhere, token, onResponse });
    const elsewhereThanIn = { categories: { name: { $ne: 'Pizza' } } };
    same(names(await client.restaurants.find({ filters: elsewhereThanIn, sort: 'name' }))[0], 'Alba');
    same([hints.length, hints[0]?.startsWith('filters[categories]: $ne is met')], [1, true]);
    const error = await failure(client.restaurants.update('nobody', { stars: 1 }, {}, { requestId: `far-${mark}` }));
    same([error.status, error.requestId], [404, `far-${mark}`]);
    const [file] = await client.files.upload(
      { content: new Blob(['x']), name: 'x.txt' },
      { onProgress: () => undefined },
    );
    same((await client.files.delete(file.id)).name, 'x.txt');
  },
};

/** Shows one behaviour; for where an error could not be thrown across, its text. */
export async function show(name: string, world: World): Promise<string | null> {
  try {
    await BEHAVIOURS[name]!(world);
    return null;
  } catch (error) {
    return String((error as Error).stack ?? error);
  }
}
