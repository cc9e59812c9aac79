// What the console asks the server besides content: the model, counts, and what a request costs.
import { beforeAll, expect, it } from 'vitest';
import { type Access, type RowRule, systemAccess } from '../src/access/access.ts';
import type { Caller } from '../src/access/caller.ts';
import type { Auth } from '../src/accounts/auth.ts';
import type { Sheaf } from '../src/app.ts';
import type { ConsoleAttribute, ConsoleModel } from '../src/console/contract.ts';
import { consoleModel, readTypes } from '../src/describe/console-model.ts';
import { callerAs } from '../src/http/console/ask-as.ts';
import { explainForConsole } from '../src/http/console/explain-for-console.ts';
import { tryRequest } from '../src/http/console/try-request.ts';
import { routeTable } from '../src/http/route-table.ts';
import type { RouteContext } from '../src/http/routes.ts';
import { createServer } from '../src/http/server.ts';
import { Lru } from '../src/lru.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';

const routeContextOf = (sheaf: Sheaf, auth: Auth): RouteContext => ({ sheaf, auth, requests: new Lru(1), costs: null });

const RESTAURANT = 'api::restaurant.restaurant';
const ARTICLE = 'api::article.article';

/** Someone who works in the console, with these rights and all others. */
function editor({ model }: Sheaf, key: string, rights: Partial<Access> = {}): Caller {
  const access = { ...systemAccess(model, 'private'), key: `editor ${key}`, ...rights };
  return { kind: 'editor', access, user: { id: 1 }, account: null, knownBy: null };
}

/** The rows whose attribute has a value. */
const ruleOn = (name: string, constant: string): RowRule => ({
  filter: { is: 'at', name, of: { is: 'compare', op: 'eq', slot: 0 } },
  values: [{ constant }],
});

describeOnEveryDatabase('what the console asks the server', (engine) => {
  let sheaf: Sheaf;
  beforeAll(async () => {
    sheaf = await engine.open();
  });

  const modelFor = async ({ access }: Caller): Promise<ConsoleModel> =>
    consoleModel({ model: sheaf.model, settings: sheaf.settings, access, locales: await sheaf.locales() });

  it('is the model, with all that a form and a filter need to know', async () => {
    const { types, components, locales, prefix } = await modelFor(editor(sheaf, 'all'));
    expect(prefix).toBe('/api');
    expect(locales.filter(({ isDefault }) => isDefault)).toHaveLength(1);
    const type = types.find(({ uid }) => uid === RESTAURANT)!;
    expect(type).toMatchObject({
      displayName: 'Restaurant',
      mainField: 'name',
      kind: 'collectionType',
      path: 'restaurants',
      source: 'own',
      draftAndPublish: false,
    });
    const byName = Object.fromEntries(type.attributes.map((one): [string, ConsoleAttribute] => [one.name, one]));
    expect(byName).toMatchObject({
      documentId: { writable: false, hasIndex: true },
      name: { type: 'string', required: true, minLength: 2, maxLength: 120, hasIndex: false },
      slug: { type: 'uid', unique: true, targetField: 'name' },
      stars: { type: 'integer', min: 0, max: 5 },
      open: { type: 'boolean', default: true },
      cuisine: { type: 'enumeration', values: ['french', 'italian', 'japanese', 'mexican', 'fusion'] },
      internalNote: { private: true, writable: true },
      doorCode: { type: 'password', writable: true },
      chef: { relation: { kind: 'manyToOne', target: 'api::chef.chef', toMany: false, inverse: 'restaurants' } },
      dishes: { relation: { kind: 'oneToMany', toMany: true, inverse: 'restaurant' } },
      openingHours: { type: 'component', component: 'schedule.slot', repeatable: true, max: 7 },
      blocks: { type: 'dynamiczone', components: ['blocks.quote', 'blocks.picks', 'shared.link'] },
      gallery: { type: 'media', multiple: true, allowedTypes: ['images', 'files'] },
      createdAt: { writable: false },
    });
    expect(Object.keys(byName)).not.toContain('locale');
    expect(components.map(({ uid }) => uid)).toEqual([...sheaf.model.components.keys()].sort());
    expect(types.filter(({ source }) => source !== 'own').map(({ source, path }) => [source, path])).toEqual([
      ['users', 'users'],
      ['files', 'upload/files'],
    ]);
    expect(types.find(({ uid }) => uid === 'api::homepage.homepage')).toMatchObject({
      kind: 'singleType',
      path: 'homepage',
    });
  });

  it('is no more of the model than the account may read or write', async () => {
    const isOpen = (uid: string): boolean => uid === RESTAURANT;
    const { types, components } = await modelFor(
      editor(sheaf, 'few', {
        may: (action) => action === `${RESTAURANT}.find`,
        mayFind: isOpen,
        mayUse: (_uid, name, use) => use !== 'write' && ['description', 'slug', 'chef', 'blocks'].includes(name),
      }),
    );
    expect(types.map(({ uid }) => uid)).toEqual([RESTAURANT]);
    expect(types[0]!.mainField).toBe('slug');
    expect(types[0]!.attributes.map(({ name, writable }) => [name, writable])).toEqual([
      ['description', false],
      ['slug', false],
      ['blocks', false],
    ]);
    expect(components.map(({ uid }) => uid)).not.toContain('location.address');
    expect((await modelFor(editor(sheaf, 'none', { may: () => false }))).types).toEqual([]);
  });

  it('is how many documents there are of each type, in one statement', async () => {
    const caller = editor(sheaf, 'all');
    const sql = recordStatements(sheaf);
    const counts = await sheaf.operations.countDocuments(readTypes(sheaf.model, caller.access), { caller });
    expect(sql).toHaveLength(1);
    expect([...counts.keys()]).toEqual(readTypes(sheaf.model, caller.access).map(({ uid }) => uid));
    for (const { uid, localized } of readTypes(sheaf.model, caller.access)) {
      const documents = await sheaf.documents(uid).findMany({
        status: 'draft',
        fields: ['documentId'],
        ...(localized && { locale: '*' }),
      });
      expect([uid, counts.get(uid)]).toEqual([uid, new Set(documents.map(({ documentId }) => documentId)).size]);
    }
  });

  it('is a number of the entries alone that the account may see', async () => {
    const [first, second] = await sheaf.documents(ARTICLE).findMany({ status: 'draft', fields: ['title'] });
    expect(second).toBeDefined();
    const caller = editor(sheaf, 'some rows', {
      may: (action) => action.startsWith(`${ARTICLE}.`) || action.startsWith(`${RESTAURANT}.`),
      rowsOf: (uid) => (uid === ARTICLE ? ruleOn('documentId', String(first!.documentId)) : null),
    });
    const { operations, model } = sheaf;
    const counts = await operations.countDocuments(readTypes(model, caller.access), { caller });
    expect([...counts.keys()].sort()).toEqual([ARTICLE, RESTAURANT]);
    expect(counts.get(ARTICLE)).toBe(1);
    const published = editor(sheaf, 'published', { mayReadDrafts: () => false });
    const shown = await operations.countDocuments([model.contentTypes.get(ARTICLE)!], { caller: published });
    const articles = await sheaf.documents(ARTICLE).findMany({ status: 'published', locale: '*', fields: ['title'] });
    expect(shown.get(ARTICLE)).toBe(new Set(articles.map(({ documentId }) => documentId)).size);
  });

  it('is how a request is answered: in words, with its cost, and what its statements did', async () => {
    const url = '/api/restaurants?filters[chef][name][$contains]=a&sort=name&populate=dishes';
    const explained = await explainForConsole(sheaf, url, editor(sheaf, 'all'));
    const [first] = explained.statements;
    expect(explained).toMatchObject({ request: url, isHeavy: false });
    expect(explained.plan[0]).toEqual({ text: `published rows of ${RESTAURANT}`, parts: [] });
    expect(explained.plan.find(({ text }) => text === 'order')!.parts[0]).toEqual({
      text: 'name ascending',
      parts: [],
    });
    expect(explained.cost.parts.length).toBeGreaterThan(0);
    expect(first!.queryPlan.length).toBeGreaterThan(0);
    expect(first!.missing).toEqual([expect.stringContaining('No index begins with name')]);
    const page = await sheaf.documents(RESTAURANT).findMany({
      filters: { chef: { name: { $contains: 'a' } } },
      populate: 'dishes',
    });
    expect(page.length).toBeGreaterThan(0);
    const dishes = page.flatMap((entry) => entry.dishes as unknown[]).length;
    // One statement on PostgreSQL gives all of it.
    const rows = explained.statements.map((statement) => statement.rows);
    expect(rows).toEqual(engine.name === 'SQLite' ? [page.length, page.length, dishes] : [page.length + dishes]);
    for (const { milliseconds } of explained.statements) expect(milliseconds).toBeGreaterThan(0);
    const { documentId } = page[0]!;
    const one = await explainForConsole(sheaf, `/api/restaurants/${documentId}`, editor(sheaf, 'all'));
    expect(one.statements.map((statement) => statement.rows)).toEqual([1]);
    const none = await explainForConsole(sheaf, '/api/restaurants?filters[id]=0&populate=dishes', editor(sheaf, 'all'));
    expect(none.statements.at(-1)!.rows).toBe(engine.name === 'SQLite' ? null : 0);
  });

  it('runs no statement that costs more than the caller may spend, and explains it all the same', async () => {
    const caller = editor(sheaf, 'poor', { maxReadCost: 1 });
    const { statements } = await explainForConsole(sheaf, '/api/restaurants?sort=name', caller);
    expect(statements[0]).toMatchObject({ rows: null, milliseconds: null, sql: expect.stringContaining('select') });
  });

  it('runs what is heavy in the lane of heavy reads', async () => {
    const { lanes } = sheaf.operations;
    const { sizes } = lanes;
    const { begun } = lanes.usage();
    lanes.sizes = new Map([...sizes].map(([table]) => [table, 1_000_000]));
    try {
      const explained = await explainForConsole(sheaf, '/api/restaurants?sort=name', editor(sheaf, 'heavy'));
      expect(explained).toMatchObject({ isHeavy: true });
      expect(explained.statements[0]!.rows).toBeGreaterThan(0);
      expect(lanes.usage().begun).toBe(begun + 1);
    } finally {
      lanes.sizes = sizes;
    }
  });

  it.each([
    ['/api/nothing', 'No route answers /api/nothing'],
    ['/api/restaurants?filters[nothing]=1', 'Invalid key nothing'],
    ['/metrics', 'No route answers /metrics'],
  ])('explains no %s', async (url, message) => {
    await expect(explainForConsole(sheaf, url, editor(sheaf, 'all'))).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining(message),
    });
  });

  it('reads in the eyes of others for who could open as much to themselves', async () => {
    const auth = await sheaf.auth();
    const caller = editor(sheaf, 'all');
    const role = { kind: 'role', type: 'public' } as const;
    const token = { kind: 'token', type: 'full-access' } as const;
    expect(await callerAs(auth, { caller, rights: [] }, { kind: 'account' })).toBe(caller);
    for (const rights of [[], ['roles.read'], ['tokens.read', 'roles.update']] as const) {
      await expect(callerAs(auth, { caller, rights }, role)).rejects.toMatchObject({ status: 403 });
      await expect(callerAs(auth, { caller, rights }, token)).rejects.toMatchObject({ status: 403 });
    }
    const rights = ['roles.read', 'roles.update', 'tokens.create'] as const;
    expect(await callerAs(auth, { caller, rights }, role)).toMatchObject({ kind: 'public' });
    expect(await callerAs(auth, { caller, rights }, { ...role, type: 'authenticated' })).toMatchObject({
      kind: 'user',
    });
    const full = await callerAs(auth, { caller, rights }, token);
    expect([full.kind, full.access.may(`${RESTAURANT}.delete`)]).toEqual(['token', true]);
    const reading = await callerAs(auth, { caller, rights }, { kind: 'token', type: 'read-only' });
    expect([reading.access.may(`${RESTAURANT}.delete`), reading.access.may(`${RESTAURANT}.find`)]).toEqual([
      false,
      true,
    ]);
    await expect(callerAs(auth, { caller, rights }, { ...role, type: 'nothing' })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('tries a GET as whoever is chosen, through the routes of the API', async () => {
    const auth = await sheaf.auth();
    await auth.roles.revoke('public', ['api::chef.chef']);
    const server = createServer(sheaf);
    const routes = routeTable(sheaf, auth);
    const attempt = (url: string, caller: Caller) =>
      tryRequest(server, routeContextOf(sheaf, auth), routes, { url, caller, ip: '127.0.0.1' });
    const all = editor(sheaf, 'all');
    try {
      const url = '/api/restaurants?fields=internalNote&pagination[pageSize]=1';
      const own = await attempt(url, all);
      expect(own).toMatchObject({ status: 200, body: { data: [{ internalNote: expect.anything() }] } });
      expect(own.cost).toBeGreaterThan(0);
      expect(own.milliseconds).toBeGreaterThan(0);
      expect(own.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8' });
      const publicCaller = await auth.authenticator.identify(undefined);
      const theirs = await attempt(url, publicCaller);
      expect(theirs).toMatchObject({ status: 400, body: { error: { message: 'Invalid key internalNote' } } });
      expect((await attempt('/api/chefs', publicCaller)).status).toBe(403);
      expect((await attempt('/api/chefs', all)).status).toBe(200);
      expect((await attempt('/api/nothing', all)).status).toBe(404);
      for (const outside of ['/metrics', '/api/../_health', '//example.org/api/x', 'http://localhost/api/x', 'api/x'])
        await expect(attempt(outside, all)).rejects.toMatchObject({ status: 400, details: { key: 'url' } });
      await expect(attempt('/api/auth/email-confirmation?confirmation=x', all)).rejects.toMatchObject({
        message: expect.stringContaining('writes'),
      });
      // What was lent is of no use to anybody else.
      expect((await server.inject({ url: '/api/chefs', headers: { authorization: 'Bearer x' } })).statusCode).toBe(401);
    } finally {
      await server.close();
    }
  });
});
