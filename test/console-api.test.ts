// What the console asks the server besides content: the model, counts, and what a request costs.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { type Access, type RowRule, systemAccess } from '../src/access/access.ts';
import type { Caller } from '../src/access/caller.ts';
import type { Auth } from '../src/accounts/auth.ts';
import type { Sheaf } from '../src/app.ts';
import type { ConsoleAttribute, ConsoleModel, FileUses, SeenRequest } from '../src/console/contract.ts';
import { readMainFields } from '../src/console/main-fields.ts';
import { consoleModel, readTypes } from '../src/describe/console-model.ts';
import { rulesInWords } from '../src/describe/rule-words.ts';
import { usesOfFile } from '../src/files/file-uses.ts';
import { callerAs } from '../src/http/console/ask-as.ts';
import { apiRoles, changeRole } from '../src/http/console/console-roles.ts';
import { createToken, deleteToken, listTokens } from '../src/http/console/console-tokens.ts';
import { explainForConsole } from '../src/http/console/explain-for-console.ts';
import { fileUsesFor } from '../src/http/console/file-uses-for-console.ts';
import { ServerStateReader } from '../src/http/console/server-state.ts';
import { tryRequest } from '../src/http/console/try-request.ts';
import { RequestLoad } from '../src/http/request-load.ts';
import { routeTable } from '../src/http/route-table.ts';
import type { RouteContext } from '../src/http/routes.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_FILE_USES, MAX_TRIED_BYTES } from '../src/limits.ts';
import { Lru } from '../src/lru.ts';
import { loadModel } from '../src/model/build.ts';
import { hashPassword } from '../src/passwords.ts';
import { cookieOf, PASSWORD, type Service, useServices } from './support/auth.ts';
import { type Answer, localized, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite, GUIDE, recordStatements } from './support/database.ts';
import { rulesIn } from './support/rules.ts';
import { claimRows, countRows } from './support/table-sizes.ts';

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
    consoleModel({
      model: sheaf.model,
      settings: sheaf.settings,
      access,
      locales: await sheaf.locales(),
      mainFields: await readMainFields(sheaf.database),
    });

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

  it('is counted among heavy reads where there are many, and is the same', async () => {
    const caller = editor(sheaf, 'all');
    const { operations, model } = sheaf;
    const types = readTypes(model, caller.access).filter(({ uid }) => [RESTAURANT, ARTICLE].includes(uid));
    const counts = await operations.countDocuments(types, { caller });
    const { lanes } = operations;
    const { begun } = lanes.usage();
    claimRows(sheaf, 3_000_000);
    try {
      expect(await operations.countDocuments(types, { caller })).toEqual(counts);
      expect(lanes.usage().begun).toBe(begun + types.length);
      // One that would cost too much is left out.
      claimRows(sheaf, { articles: 10 ** 9 });
      expect([...(await operations.countDocuments(types, { caller })).keys()]).toEqual([RESTAURANT]);
    } finally {
      await countRows(sheaf);
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
    expect(rows).toEqual(engine.name === 'SQLite' ? [page.length, dishes] : [page.length + dishes]);
    for (const { milliseconds } of explained.statements) expect(milliseconds).toBeGreaterThan(0);
    const { documentId } = page[0]!;
    const one = await explainForConsole(sheaf, `/api/restaurants/${documentId}`, editor(sheaf, 'all'));
    expect(one.statements.map((statement) => statement.rows)).toEqual([1]);
    const none = await explainForConsole(sheaf, '/api/restaurants?filters[id]=0&populate=dishes', editor(sheaf, 'all'));
    expect(none.statements[0]!.rows).toBe(0);
    expect(none.statements.at(-1)!.rows).toBe(engine.name === 'SQLite' ? null : 0);
  });

  it('runs no statement that costs more than the caller may spend, and explains it all the same', async () => {
    const caller = editor(sheaf, 'poor', { maxReadCost: 1 });
    const { statements } = await explainForConsole(sheaf, '/api/restaurants?sort=name', caller);
    expect(statements[0]).toMatchObject({ rows: null, milliseconds: null, sql: expect.stringContaining('select') });
  });

  it('runs what is heavy in the lane of heavy reads', async () => {
    const { lanes } = sheaf.operations;
    const { begun } = lanes.usage();
    claimRows(sheaf, 1_000_000);
    try {
      const explained = await explainForConsole(sheaf, '/api/restaurants?sort=name', editor(sheaf, 'heavy'));
      expect(explained).toMatchObject({ isHeavy: true });
      expect(explained.statements[0]!.rows).toBeGreaterThan(0);
      expect(lanes.usage().begun).toBe(begun + 1);
    } finally {
      await countRows(sheaf);
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
      for (const name of ['email-confirmation', '%65mail-confirmation', 'Email%2Dconfirmation/'])
        await expect(attempt(`/api/auth/${name}?confirmation=x`, all), name).rejects.toMatchObject({
          message: expect.stringContaining('writes'),
        });
      expect(await attempt('/%61pi/ch%65fs', all)).toMatchObject({ status: 200 });
      // What no route is known for is not sent at all.
      const unsent = { inject: () => expect.unreachable() };
      const asked = { url: '/api/chefs', caller: all, ip: '127.0.0.1' };
      const unknown = await tryRequest(unsent as never, routeContextOf(sheaf, auth), [], asked);
      expect(unknown).toMatchObject({ status: 404, body: { error: { name: 'NotFoundError' } } });
      // What was lent is of no use to anybody else.
      expect((await server.inject({ url: '/api/chefs', headers: { authorization: 'Bearer x' } })).statusCode).toBe(401);
    } finally {
      await server.close();
    }
  });

  it('lists the roles of users with what they may do, and grants and revokes at once', async () => {
    const auth = await sheaf.auth();
    const { groups, withheld, roles } = await apiRoles(sheaf, auth);
    expect(groups.find(({ uid }) => uid === RESTAURANT)).toMatchObject({
      title: 'Restaurant',
      actions: expect.arrayContaining([{ action: `${RESTAURANT}.find`, name: 'find' }]),
    });
    expect(groups.map(({ title }) => title)).toEqual(
      expect.arrayContaining(['Users', 'Files', 'Logging in', 'Locales']),
    );
    expect(withheld).toEqual({});
    expect(roles.map(({ type }) => type)).toEqual(['authenticated', 'public']);
    const role = roles.find(({ type }) => type === 'authenticated')!;
    const change = (body: unknown) => changeRole(sheaf, auth, String(role.id), body);
    const own = role.actions[0]!;
    const changed = await change({ grant: [`${ARTICLE}.create`], revoke: [own] });
    expect(changed.actions).toContain(`${ARTICLE}.create`);
    expect(changed.actions).not.toContain(own);
    await auth.grants.refresh();
    expect(auth.grants.role(role.id)!.access.may(`${ARTICLE}.create`)).toBe(true);
    await change({ grant: [own], revoke: [`${ARTICLE}.create`] });
    for (const [body, message] of [
      [{ grant: ['api::nothing.nothing.find'] }, 'there is no action api::nothing.nothing.find'],
      [{ grant: ['*'] }, 'there is no action *'],
      [{ revoke: ['nothing'] }, 'there is no action nothing'],
      [{ grant: [own], revoke: [own] }, `${own} is granted as well`],
      [{ grants: [] }, 'Invalid key grants: not known; expected grant, revoke'],
      [{ grant: 'all' }, 'Invalid key grant: expected a list of actions'],
      [[], 'Invalid body'],
    ] as const)
      await expect(change(body)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(message) });
    await expect(changeRole(sheaf, auth, '4000', {})).rejects.toMatchObject({ status: 404 });
  });

  it('makes API tokens that open what they say, shows each once, and deletes them', async () => {
    const auth = await sheaf.auth();
    const input = { name: 'console', type: 'custom', actions: [`${RESTAURANT}.find`], days: 7 };
    const { token, secret } = await createToken(sheaf, auth, input);
    expect(token).toMatchObject({ name: 'console', type: 'custom', description: null, actions: input.actions });
    expect(Date.parse(token.expiresAt!)).toBeGreaterThan(Date.now());
    const caller = await auth.authenticator.identify(`Bearer ${secret}`);
    expect([caller.access.may(`${RESTAURANT}.find`), caller.access.may(`${ARTICLE}.find`)]).toEqual([true, false]);
    const listed = await listTokens(auth);
    expect(listed).toContainEqual({ ...token, lastUsedAt: expect.any(String) });
    expect(JSON.stringify(listed)).not.toContain(secret);
    for (const [body, message] of [
      [input, 'there is a token of that name already'],
      [{ ...input, name: 'b', actions: ['nothing'] }, 'there is no action nothing'],
      [{ ...input, name: 'b', type: 'read-only' }, 'expected actions for a custom token'],
      [{ ...input, name: 'b', days: 0.5 }, 'Invalid key days'],
      [{ ...input, name: 'b', secret: 'x' }, 'Invalid key secret'],
      [{ type: 'read-only' }, 'name'],
    ] as const)
      await expect(createToken(sheaf, auth, body)).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining(message),
      });
    await deleteToken(auth, String(token.id));
    await expect(auth.authenticator.identify(`Bearer ${secret}`)).rejects.toMatchObject({ status: 401 });
    for (const id of [String(token.id), 'x', '1e3'])
      await expect(deleteToken(auth, id)).rejects.toMatchObject({ status: 404 });
  });
});

const SITE: Project = {
  types: {
    page: {
      drafts: true,
      localized: true,
      attributes: {
        title: { type: 'string', ...localized },
        cover: { type: 'media' },
        sections: { type: 'dynamiczone', components: ['page.section'] },
      },
    },
    note: { attributes: { text: { type: 'text' }, scans: { type: 'media', multiple: true } } },
  },
  components: {
    'page.section': { panels: { type: 'component', component: 'page.panel', repeatable: true } },
    'page.panel': { picture: { type: 'media' } },
  },
  locales: ['en', 'fr'],
};

describeOnEveryDatabase('the uses of a file', (engine) => {
  const contents = useContents(engine);

  it('are the entries that show it, in components at any depth as well, as far as they may be read', async () => {
    const { sheaf } = await contents.open(SITE);
    const [file, other] = await sheaf.files.upload(
      ['a.txt', 'b.txt'].map((name) => ({ name, content: Buffer.from(name) })),
    );
    const { id } = file as { id: number };
    const [PAGE, NOTE] = ['api::page.page', 'api::note.note'] as const;
    const panels = [{ picture: other!.id }, { picture: id }];
    const deep = await sheaf.documents(PAGE).create({
      data: { title: 'Deep', sections: [{ __component: 'page.section', panels }] },
      status: 'published',
    });
    const data = { title: 'Both', cover: id, sections: [{ __component: 'page.section', panels }] };
    const both = await sheaf.documents(PAGE).create({ data });
    await sheaf.documents(PAGE).update({ documentId: both.documentId, locale: 'fr', data: { ...data, title: 'Deux' } });
    const note = await sheaf.documents(NOTE).create({ data: { text: 'Note', scans: [other!.id, id] } });
    await sheaf.documents(NOTE).create({ data: { text: 'Another', scans: [other!.id] } });
    const at = (uid: string, { documentId }: { documentId: string }, title: string, attribute: string) => ({
      uid,
      documentId,
      title,
      attribute,
    });
    const all = [
      at(NOTE, note, 'Note', 'scans'),
      at(PAGE, both, 'Both', 'cover'),
      at(PAGE, both, 'Both', 'sections.panels.picture'),
      at(PAGE, deep, 'Deep', 'sections.panels.picture'),
    ];
    const sorted = (uses: FileUses['uses']) =>
      uses.toSorted((one, two) =>
        `${one.uid} ${one.title} ${one.attribute}` < `${two.uid} ${two.title} ${two.attribute}` ? -1 : 1,
      );
    for (const name of [String(id), String(file!.documentId)]) {
      const { uses, hidden } = await fileUsesFor(sheaf, name, editor(sheaf, 'all'));
      expect([sorted(uses), hidden]).toEqual([all, 0]);
    }
    const seen = async (key: string, rights: Partial<Access>) => {
      const { uses, hidden } = await fileUsesFor(sheaf, String(id), editor(sheaf, key, rights));
      return [sorted(uses), hidden];
    };
    expect(await seen('no notes', { may: (action) => !action.startsWith(NOTE) })).toEqual([all.slice(1), 1]);
    expect(await seen('no drafts', { mayReadDrafts: () => false })).toEqual([[all[0], all[3]], 1]);
    const mayUse: Access['mayUse'] = (_uid, name) => name !== 'sections';
    expect(await seen('no sections', { mayUse })).toEqual([all.slice(0, 2), 1]);
    const rowsOf: Access['rowsOf'] = (uid) => (uid === PAGE ? ruleOn('documentId', String(deep.documentId)) : null);
    expect(await seen('one page', { rowsOf })).toEqual([[all[0], all[3]], 1]);
    await expect(fileUsesFor(sheaf, '0', editor(sheaf, 'all'))).rejects.toMatchObject({ status: 404 });
    await expect(seen('no files', { rowsOf: () => ruleOn('documentId', 'x') })).rejects.toMatchObject({ status: 404 });
  });
});

describeOnEveryDatabase('the state of the schema', (engine) => {
  const contents = useContents(engine);

  it('is what a start with the definitions as they are now would change, or what keeps it from starting', async () => {
    const { sheaf } = await contents.open(SITE);
    const schema = async () => (await new ServerStateReader(sheaf, new RequestLoad()).read()).schema;
    expect(await schema()).toEqual({ isUpToDate: true, changes: [] });
    const file = path.join(sheaf.project, 'src/api/note/content-types/note/schema.json');
    const definition = JSON.parse(readFileSync(file, 'utf8'));
    definition.attributes.colour = { type: 'string' };
    writeFileSync(file, JSON.stringify(definition));
    const { isUpToDate, changes } = await schema();
    expect([isUpToDate, changes]).toEqual([false, [expect.stringContaining('colour')]]);
    writeFileSync(file, '{');
    expect((await schema()).changes[0]).toBe('The content model cannot be loaded:');
  });
});

describeOnEveryDatabase('a count that a hook of the project changes', (engine) => {
  const contents = useContents(engine);

  it('is what the hook makes of it', async () => {
    const { sheaf } = await contents.open(SITE);
    for (const text of ['a', 'b', 'c']) await sheaf.documents('api::note.note').create({ data: { text } });
    await sheaf.documents('api::page.page').create({ data: { title: 'a' } });
    sheaf.operations.addHooks({
      concerns: (uid, name) => uid === 'api::note.note' && name === 'count',
      before: async (operation) => ({ ...operation, parameters: { ...operation.parameters, filters: { text: 'b' } } }),
    });
    const caller = editor(sheaf, 'all');
    const counts = await sheaf.operations.countDocuments(readTypes(sheaf.model, caller.access), { caller });
    expect(Object.fromEntries(counts)).toMatchObject({ 'api::note.note': 1, 'api::page.page': 1 });
  });
});

describeOnSqlite('a limit of the console', (engine) => {
  it('is kept, and named one above it', async () => {
    const sheaf = await engine.open();
    const auth = await sheaf.auth();
    const answerOf = (length: number) => {
      const inject = async () => ({ statusCode: 200, headers: {}, rawPayload: Buffer.alloc(length), payload: '' });
      const asked = { url: '/api/restaurants', caller: editor(sheaf, 'all'), ip: '127.0.0.1' };
      return tryRequest({ inject } as never, routeContextOf(sheaf, auth), routeTable(sheaf, auth), asked);
    };
    expect((await answerOf(MAX_TRIED_BYTES)).status).toBe(200);
    await expect(answerOf(MAX_TRIED_BYTES + 1)).rejects.toMatchObject({
      status: 400,
      details: { limit: 'MAX_TRIED_BYTES', allowed: MAX_TRIED_BYTES },
    });
    const usesAmong = (length: number) => {
      const session = { rows: async () => Array.from({ length }, () => ['api::gone.gone', 1, 'cover']) };
      const database = { dialect: sheaf.database.dialect, snapshot: (work: (of: unknown) => unknown) => work(session) };
      return usesOfFile(database as never, sheaf.model, 1);
    };
    expect(await usesAmong(MAX_FILE_USES)).toEqual([]);
    await expect(usesAmong(MAX_FILE_USES + 1)).rejects.toMatchObject({ details: { limit: 'MAX_FILE_USES' } });
  });
});

describe('rules of a role', () => {
  it('are told in words', () => {
    const model = loadModel(GUIDE);
    const { byRole, problems } = rulesIn(model, {
      'rules.json': {
        authenticated: {
          [ARTICLE]: {
            rows: {
              find: { $or: [{ title: { $startsWith: 'A' } }, { $not: { authors: { id: { $null: true } } } }] },
              update: { authors: { name: '$user.username' }, title: { $in: ['a', 'b'] } },
            },
            fields: { read: ['title', 'authors'], write: [] },
            drafts: false,
          },
        },
      },
    });
    expect(problems).toEqual([]);
    expect(rulesInWords(byRole.get('authenticated')!.get(ARTICLE)!)).toEqual([
      'Finds only entries where title starts with "A" or not (authors.id is not set).',
      `Changes only entries where authors.name is the user's username and title is one of "a", "b".`,
      'Reads only title, authors.',
      'Writes no attribute.',
      'Reads no drafts.',
    ]);
  });
});

describeOnEveryDatabase('the routes of the console', (engine) => {
  const services = useServices(engine);
  let service: Service;
  const cookies = new Map<string, string>();

  /** An account as Strapi 5 stores it, logged in. */
  async function logIn(name: string, role: string): Promise<void> {
    const [email, hash] = [`${name}@example.org`, await hashPassword(PASSWORD)];
    await service.execute(
      `insert into admin_users (document_id, email, password, is_active, blocked) values ('${name}', '${email}', '${hash}', true, false)`,
    );
    await service.execute(
      `insert into admin_users_roles_lnk (user_id, role_id) select u.id, r.id from admin_users as u, admin_roles as r where u.email = '${email}' and r.code = '${role}'`,
    );
    const begun = await send('POST', 'session', { email, password: PASSWORD });
    cookies.set(name, `sheaf_console=${cookieOf(begun).value}`);
  }

  const send = (method: string, path: string, body?: unknown, as?: string): Promise<Answer> =>
    service.sendTo(method, `/console/api/${path}`, {
      headers: {
        'x-sheaf-console': '1',
        ...(as !== undefined && { cookie: cookies.get(as)! }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });

  beforeAll(async () => {
    service = await services.start();
    await logIn('ada', 'strapi-super-admin');
    await logIn('ed', 'strapi-author');
  });

  it('answer who has the right they need', async () => {
    const url = '/api/restaurants?pagination[pageSize]=1';
    const asked: readonly (readonly [string, string, unknown?])[] = [
      ['POST', 'explain', { url }],
      ['POST', 'try', { url, as: { kind: 'role', type: 'public' } }],
      ['POST', 'try', { url, as: { kind: 'token', type: 'read-only' } }],
      ['GET', 'roles'],
      ['PUT', 'roles/1', { grant: [] }],
      ['GET', 'tokens'],
      ['POST', 'tokens', { name: 'a', type: 'read-only' }],
    ];
    for (const [method, path, body] of asked) {
      expect([method, path, (await send(method, path, body)).status]).toEqual([method, path, 401]);
      expect([method, path, (await send(method, path, body, 'ed')).status]).toEqual([method, path, 403]);
      expect([method, path, (await send(method, path, body, 'ada')).status]).toEqual([method, path, 200]);
    }
    const [{ id }] = (await send('GET', 'tokens', undefined, 'ada')).body;
    expect((await send('DELETE', `tokens/${id}`, undefined, 'ed')).status).toBe(403);
    expect((await send('DELETE', `tokens/${id}`, undefined, 'ada')).status).toBe(204);
    for (const path of ['model', 'counts']) {
      expect((await send('GET', path)).status).toBe(401);
      expect((await send('GET', path, undefined, 'ed')).status).toBe(200);
    }
    expect((await send('GET', 'model', undefined, 'ada')).body.types.length).toBeGreaterThan(10);
    expect((await send('GET', 'counts', undefined, 'ada')).body[RESTAURANT]).toBeGreaterThan(0);
    expect((await send('POST', 'try', { url }, 'ada')).body).toMatchObject({ status: 200, body: { data: [{}] } });
  });

  it('name entries by the attribute that was chosen in Strapi, if the account may read it', async () => {
    const mainField = async (): Promise<string> => {
      const { types } = (await send('GET', 'model', undefined, 'ada')).body as ConsoleModel;
      return types.find(({ uid }) => uid === RESTAURANT)!.mainField;
    };
    const key = `plugin_content_manager_configuration_content_types::${RESTAURANT}`;
    const choose = (value: string) =>
      service.execute(`insert into strapi_core_store_settings (key, value) values ('${key}', '${value}')`);
    const remove = () => service.execute(`delete from strapi_core_store_settings where key = '${key}'`);
    await remove();
    expect(await mainField()).toBe('name');
    for (const [value, expected] of [
      ['{"settings":{"mainField":"slug"}}', 'slug'],
      ['{"settings":{"mainField":"doorCode"}}', 'name'],
      ['{"settings":{"mainField":"gone"}}', 'name'],
      ['{"settings":', 'name'],
    ] as const) {
      await choose(value);
      expect([value, await mainField()]).toEqual([value, expected]);
      await remove();
    }
  });

  it('tell who runs the server how it is doing', async () => {
    const { sheaf } = service;
    const check = vi.spyOn(sheaf, 'check').mockRejectedValue(new SyntaxError('not "secret"'));
    await service.sendTo('GET', '/_ready?secret=1', { headers: { 'x-request-id': 'failing' } });
    check.mockRestore();
    expect((await send('GET', 'server', undefined, 'ed')).status).toBe(403);
    const { status, body } = await send('GET', 'server', undefined, 'ada');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      version: expect.stringMatching(/^\d+\./),
      node: process.version,
      database: { kind: engine.name, version: expect.stringMatching(/^\d+\./), bytes: expect.any(Number) },
      schema: { isUpToDate: true, changes: [] },
      isOneOfSeveral: false,
    });
    expect(body.memory.residentBytes).toBeGreaterThan(1e6);
    expect(body.load.at(-1).requests + (body.load.at(-2)?.requests ?? 0)).toBeGreaterThan(1);
    const failed = body.errors.find(({ requestId }: SeenRequest) => requestId === 'failing');
    expect(failed).toMatchObject({ method: 'GET', route: '/_ready', status: 500, message: 'not "…"' });
    expect(JSON.stringify(body)).not.toContain('secret');
    // What takes time to find out is asked for once.
    const info = vi.spyOn(sheaf.database, 'info');
    await send('GET', 'server', undefined, 'ada');
    expect(info).not.toHaveBeenCalled();
    info.mockRestore();
  });

  it.each([
    [{}, 'Invalid key url'],
    [{ url: '/api/chefs', als: 1 }, 'Invalid key als: not known; expected url, as'],
    [{ url: '/api/chefs', as: { kind: 'god' } }, 'Invalid key as.kind: expected account, role or token'],
    [{ url: '/api/chefs', as: { kind: 'role', type: 'public', x: 1 } }, 'Invalid key as.x'],
    [{ url: '/api/chefs', as: { kind: 'token', type: 'custom' } }, 'Invalid key as.type'],
    [{ url: '/api/chefs', as: null }, 'Invalid key as'],
  ])('take no %j', async (body, message) => {
    for (const path of ['explain', 'try'])
      expect(await send('POST', path, body, 'ada')).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining(message) } },
      });
  });
});
