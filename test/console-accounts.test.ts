// Who gets into the console: logging in and out, sessions, cookies, and what reaches the console at all.
import { beforeAll, expect, it } from 'vitest';
import { open } from '../src/app.ts';
import { firstConsoleLink } from '../src/cli/console-notes.ts';
import { hashPassword } from '../src/passwords.ts';
import { cookieOf, PASSWORD, type Service, useServices } from './support/auth.ts';
import { type Answer, Content, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';
import { writeFiles } from './support/own-code.ts';
import { multipart } from './support/uploads.ts';

const OWN = { 'x-sheaf-console': '1' };
const STRONG = 'Correct-horse-1';

describeOnEveryDatabase('The console', (engine) => {
  const services = useServices(engine);
  let service: Service;
  /** An account as Strapi 5 stores it. */
  const account = async (email: string, role = 'strapi-super-admin', columns = {}): Promise<void> => {
    // As the library that Strapi 5 hashes with writes it.
    const hash = (await hashPassword(PASSWORD)).replace('$2b$', '$2a$');
    const values = { document_id: `'${email}'`, firstname: "'Ada'", is_active: 'true', blocked: 'false', ...columns };
    await service.execute(
      `insert into admin_users (email, password, ${Object.keys(values).join(', ')}) values ('${email}', '${hash}', ${Object.values(values).join(', ')})`,
    );
    await service.execute(
      `insert into admin_users_roles_lnk (user_id, role_id) select u.id, r.id from admin_users as u, admin_roles as r where u.email = '${email}' and r.code = '${role}'`,
    );
  };
  const ask = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
    service.sendTo(method, `/console/api/${path}`, {
      headers: { ...OWN, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  const logIn = (email: string, password = PASSWORD): Promise<Answer> => ask('POST', 'session', { email, password });
  const cookieFor = async (email: string): Promise<Record<string, string>> => ({
    cookie: `sheaf_console=${cookieOf(await logIn(email)).value}`,
  });

  beforeAll(async () => {
    service = await services.start();
    await account('ada@example.org');
    await account('ed@example.org', 'strapi-editor');
    await account('blocked@example.org', 'strapi-super-admin', { blocked: 'true' });
    await account('invited@example.org', 'strapi-super-admin', { is_active: 'false' });
  });

  it('lets an account of admin_users in and out, with a cookie that scripts and other sites never see', async () => {
    const begun = await logIn('Ada@example.org');
    expect(begun).toMatchObject({
      status: 200,
      body: { account: { email: 'ada@example.org', firstname: 'Ada', roles: [{ code: 'strapi-super-admin' }] } },
    });
    expect(begun.headers['cache-control']).toBe('private, no-store');
    const { name, value, attributes } = cookieOf(begun);
    expect(name).toBe('sheaf_console');
    expect(attributes).toEqual(['Max-Age=1209600', 'Path=/console/api', 'HttpOnly', 'SameSite=Strict']);
    const cookie = { cookie: `sheaf_console=${value}` };
    expect((await ask('GET', 'session', undefined, cookie)).body).toEqual(begun.body);
    expect(await ask('GET', 'rest/restaurants?status=draft&pagination[pageSize]=1', undefined, cookie)).toMatchObject({
      status: 200,
      body: { data: [{ internalNote: expect.anything() }] },
    });
    const out = await ask('DELETE', 'session', undefined, cookie);
    expect(out.status).toBe(204);
    expect(cookieOf(out)).toMatchObject({ value: '' });
    expect((await ask('GET', 'session', undefined, cookie)).status).toBe(401);
  });

  it('refuses wrong passwords, and those who are blocked or not active, even with the right one', async () => {
    for (const email of ['nobody@example.org', 'ada@example.org'])
      expect(await logIn(email, 'wrong')).toMatchObject({
        status: 400,
        body: { error: { message: 'Wrong email or password' } },
      });
    expect((await logIn('blocked@example.org')).body.error.message).toBe('This account is blocked');
    expect((await logIn('invited@example.org')).body.error.message).toBe('This account is not active yet');
    expect(await ask('POST', 'session', { email: 7 })).toMatchObject({
      status: 400,
      body: { error: { message: 'email must be a string' } },
    });
  });

  it('ends a session with the password it was begun with, a block, or the account, on the next request', async () => {
    await account('eve@example.org');
    const cookie = await cookieFor('eve@example.org');
    const status = async (): Promise<number> => (await ask('GET', 'session', undefined, cookie)).status;
    const set = (text: string): Promise<unknown> =>
      service.execute(`update admin_users set ${text} where email = 'eve@example.org'`);
    expect(await status()).toBe(200);
    await set('blocked = true');
    expect(await status()).toBe(401);
    await set("blocked = false, password = 'x'");
    expect(await status()).toBe(401);
    await service.execute("delete from admin_users where email = 'eve@example.org'");
    expect(await status()).toBe(401);
  });

  it('ends a session after its time, and sooner where nobody uses it', async () => {
    for (const column of ['expires_at', 'seen_at']) {
      const cookie = await cookieFor('ada@example.org');
      await service.execute(`update sheaf_console_sessions set ${column} = 1`);
      expect((await ask('GET', 'session', undefined, cookie)).status, column).toBe(401);
    }
    await logIn('ada@example.org');
    expect(await service.number('select count(*) from sheaf_console_sessions')).toBe(1);
  });

  it('answers nobody but its own pages, on this machine', async () => {
    const status = async (options: object): Promise<number> =>
      (await service.sendTo('GET', '/console/api/session', { headers: OWN, ...options })).status;
    expect(await status({})).toBe(401);
    expect(await status({ headers: {} })).toBe(403);
    expect(await status({ headers: { ...OWN, origin: 'http://localhost' } })).toBe(401);
    for (const origin of ['https://evil.example', 'null', 'http://localhost:81'])
      expect(await status({ headers: { ...OWN, origin } }), origin).toBe(403);
    expect(await status({ remoteAddress: '10.0.0.7' })).toBe(404);
    expect(await status({ headers: { ...OWN, 'x-forwarded-for': '127.0.0.1' } })).toBe(404);
    expect(await status({ headers: { ...OWN, host: 'evil.example', origin: 'http://evil.example' } })).toBe(404);
    expect(await status({ headers: { ...OWN, host: '[::1]:1337' }, remoteAddress: '::1' })).toBe(401);
    const { headers } = await service.sendTo('GET', '/console/api/session', { headers: OWN });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
    const preflight = { origin: 'https://site.example', 'access-control-request-method': 'POST' };
    const shared = (answer: Answer) => Object.keys(answer.headers).filter((name) => name.startsWith('access-control'));
    for (const host of ['evil.example', 'localhost'])
      for (const [method, path] of [
        ...['/console', '/CONSOLE/', '/console/api/session', '/c%6fnsole/x', '/console?a'].map((at) => ['OPTIONS', at]),
        ...[
          ['POST', '/console'],
          ['DELETE', '/console/x'],
          ['TRACE', '/console/api/session'],
        ],
      ] as [string, string][]) {
        const answer = await service.sendTo(method, path, { headers: { ...preflight, host } });
        expect([method, path, answer.status, shared(answer)]).toEqual([method, path, 404, []]);
      }
    const broken = await service.sendTo('GET', '/console/%zz', { headers: { host: 'evil.example', ...preflight } });
    expect([broken.status, shared(broken)]).toEqual([404, []]);
    // What only begins alike is no path of the console.
    const other = await service.sendTo('OPTIONS', '/consoles', { headers: preflight });
    expect([other.status, other.headers['access-control-allow-origin']]).toEqual([204, '*']);
  });

  it('serves content, users and files through the routes of the API, by the rights of the account', async () => {
    const cookie = await cookieFor('ada@example.org');
    const rest = (method: string, path: string, body?: unknown) => ask(method, `rest/${path}`, body, cookie);
    const made = await rest('POST', 'tags', { data: { label: 'from the console' } });
    expect(made.status).toBe(201);
    const { documentId } = made.body.data;
    expect((await rest('PUT', `tags/${documentId}`, { data: { label: 'changed' } })).body.data.label).toBe('changed');
    expect((await rest('DELETE', `tags/${documentId}`)).status).toBe(204);
    for (const path of [
      'users',
      'users/count',
      'upload/files',
      'i18n/locales',
      'homepage',
      'restaurants/aggregate?group=cuisine&count=*',
    ])
      expect((await rest('GET', path)).status, path).toBe(200);
    expect((await rest('GET', 'users/me')).status).toBe(404);
    expect((await rest('GET', 'auth/sessions')).status).toBe(404);
    expect((await rest('PATCH', 'restaurants')).status).toBe(405);
    expect((await ask('GET', 'rest/restaurants', undefined, { authorization: 'Bearer x' })).status).toBe(401);
    expect(await logIn('ed@example.org')).toMatchObject({
      status: 200,
      body: { rights: ['files.read', 'files.create', 'files.update'] },
    });
  });
});

describeOnEveryDatabase('Accounts of the console', (engine) => {
  const services = useServices(engine);
  let service: Service;
  /** The cookie of the first account. */
  let first = '';
  const ask = async (method: string, path: string, body?: unknown, token = first): Promise<Answer> =>
    service.sendTo(method, `/console/api/${path}`, {
      headers: {
        ...OWN,
        cookie: `sheaf_console=${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  const tokenIn = (path: string): string => new URLSearchParams(path.split('?')[1]).get('token')!;
  const accept = (path: string, input: Record<string, unknown>): Promise<Answer> =>
    ask('POST', 'welcome', { token: tokenIn(path), ...input });
  const roleIds = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await ask('GET', 'accounts/roles')).body.map(({ id, code }: { id: number; code: string }) => [code, id]),
    );
  /** Makes an account by a link and logs it in. Returns its id and its cookie. */
  const invite = async (email: string, role: string): Promise<{ id: number; cookie: string; path: string }> => {
    const made = await ask('POST', 'accounts', { email, roles: [(await roleIds())[role]] });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    const { account, path } = made.body;
    return { id: account.id, path, cookie: cookieOf(await accept(path, { password: STRONG })).value };
  };
  const messageOf = ({ status, body }: Answer): [number, string] => [status, body.error?.message];

  beforeAll(async () => {
    service = await services.start({ database: engine.emptyGuideDatabaseUrl() });
  });

  it('begin with a link that makes the first one, once and while there is none, with the roles of Strapi 5', async () => {
    const { welcomes } = await service.sheaf.console();
    const [link, other] = [await welcomes.firstLink(), await welcomes.firstLink()];
    const left = Date.parse(link!.expiresAt) - Date.now();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(3_600_000);
    expect((await service.tablesWith(tokenIn(link!.path))).length).toBe(0);
    expect((await ask('GET', `welcome?token=${tokenIn(link!.path)}`)).body).toEqual({ account: null });
    expect(messageOf(await accept(link!.path, { password: STRONG }))).toEqual([400, 'email is missing']);
    const refused = await accept(link!.path, { email: 'x', password: 'weak', more: 1 });
    expect(refused.body.error.details.errors.map(({ path }: { path: string[] }) => path[0]).toSorted()).toEqual([
      'email',
      'more',
      'password',
    ]);
    const made = await accept(link!.path, { email: 'Ada@Example.org', firstname: 'Ada', password: STRONG });
    expect(made).toMatchObject({
      status: 200,
      body: { account: { email: 'ada@example.org', isActive: true, roles: [{ code: 'strapi-super-admin' }] } },
    });
    first = cookieOf(made).value;
    expect((await ask('GET', 'session')).status).toBe(200);
    for (const path of [link!.path, other!.path]) {
      expect((await ask('GET', `welcome?token=${tokenIn(path)}`)).status).toBe(404);
      expect((await accept(path, { email: 'eve@example.org', password: STRONG })).status).toBe(404);
    }
    expect(await welcomes.firstLink()).toBeNull();
    expect(Object.keys(await roleIds())).toEqual(['strapi-super-admin', 'strapi-editor', 'strapi-author']);
  });

  it('have the permissions that Strapi 5 gives editors and authors, and those for types with locales', async () => {
    const permissions = `select r.code, p.action, p.subject, cast(p.properties as text), cast(p.conditions as text) from admin_permissions as p join admin_permissions_role_lnk as l on l.permission_id = p.id join admin_roles as r on r.id = l.role_id where r.code <> 'strapi-super-admin'`;
    const made = comparable(await service.rows(permissions));
    const reference = await engine.open();
    const stored = comparable(
      await reference.database.snapshot((session) => session.rows({ sql: permissions, bindings: [] }, [])),
    );
    const isLocalized = (text: string): boolean => /api::(?:article|tag)/.test(text);
    const plain = (texts: string[]): string[] => texts.filter((text) => !isLocalized(text));
    expect(plain(made)).toEqual(plain(stored));
    // Strapi 5 leaves these two rights out where a type has locales.
    const withLocales = made.filter((text) => isLocalized(text) && !/explorer\.(?:delete|publish)/.test(text));
    expect(withLocales.map((text) => text.replace(',"locales":null', ''))).toEqual(stored.filter(isLocalized));
    expect(made.filter(isLocalized)).toHaveLength(stored.filter(isLocalized).length + 6);
  });

  it('are made with a link, and get in with the password that their owner chooses', async () => {
    const roles = await roleIds();
    const made = await ask('POST', 'accounts', { email: 'Ed@Example.org', roles: [roles['strapi-editor']] });
    expect(made.body).toMatchObject({
      account: { email: 'ed@example.org', isActive: false, roles: [{ code: 'strapi-editor' }] },
      path: expect.stringMatching(/^\/console\/welcome\?token=[\w-]{43}$/),
    });
    const { account, path } = made.body;
    expect((await ask('GET', `welcome?token=${tokenIn(path)}`)).body).toEqual({ account: { email: 'ed@example.org' } });
    for (const [password, message] of [
      ['Sh0rt', 'password must be at least 8 characters long'],
      ['no-upper-1', 'password must contain at least one upper-case letter'],
      ['NO-LOWER-1', 'password must contain at least one lower-case letter'],
      ['No-digit-here', 'password must contain at least one digit'],
      [`Aa1${'x'.repeat(70)}`, 'password must be less than 73 bytes long'],
    ] as const)
      expect(messageOf(await accept(path, { password }))).toEqual([400, message]);
    const [one, two] = await Promise.all([1, 2].map(() => accept(path, { password: STRONG })));
    expect([one!.status, two!.status].toSorted()).toEqual([200, 404]);
    const again = await ask('POST', `accounts/${account.id}/link`);
    const newest = await ask('POST', `accounts/${account.id}/link`);
    expect((await accept(again.body.path, { password: STRONG })).status).toBe(404);
    await service.execute('update sheaf_console_links set expires_at = 1');
    expect((await accept(newest.body.path, { password: STRONG })).status).toBe(404);
    expect((await ask('GET', 'accounts')).body.map(({ email }: { email: string }) => email)).toEqual([
      'ada@example.org',
      'ed@example.org',
    ]);
  });

  it('are refused where something is wrong with them, with the key', async () => {
    const roles = await roleIds();
    const wrong = async (body: unknown): Promise<[number, string]> => messageOf(await ask('POST', 'accounts', body));
    expect(await wrong({ email: 'x@example.org' })).toEqual([400, 'roles is missing']);
    expect(await wrong({ email: 'x', roles: [1] })).toEqual([400, 'email must be an address such as ada@example.com']);
    expect(await wrong({ email: 'x@example.org', roles: [] })).toEqual([
      400,
      'roles must be a list of ids of roles, with one at least',
    ]);
    expect(await wrong({ email: 'x@example.org', roles: [999] })).toEqual([400, 'There is no role 999']);
    expect(await wrong({ email: 'ADA@example.org', roles: [roles['strapi-editor']] })).toEqual([
      400,
      'Another account has this address',
    ]);
    expect(await wrong({ email: 'x@example.org', roles: [1], isActive: true })).toEqual([400, 'isActive is unknown']);
    for (const id of ['0', 'x', '999', '99999999999'])
      expect((await ask('PUT', `accounts/${id}`, {})).status, id).toBe(404);
  });

  it('lose their sessions with a new password or a block, and rights with a role, on the next request', async () => {
    const roles = await roleIds();
    const { id, cookie } = await invite('flo@example.org', 'strapi-super-admin');
    const session = (): Promise<Answer> => ask('GET', 'session', undefined, cookie);
    expect((await ask('GET', 'accounts', undefined, cookie)).status).toBe(200);
    await ask('PUT', `accounts/${id}`, { roles: [roles['strapi-author']], lastname: 'Nightingale' });
    expect((await session()).body.account).toMatchObject({
      lastname: 'Nightingale',
      roles: [{ code: 'strapi-author' }],
    });
    expect((await ask('GET', 'accounts', undefined, cookie)).status).toBe(403);
    const { path } = (await ask('POST', `accounts/${id}/link`)).body;
    const renewed = cookieOf(await accept(path, { password: `${STRONG}2` })).value;
    expect((await session()).status).toBe(401);
    expect((await ask('PUT', `accounts/${id}`, { blocked: true })).body.blocked).toBe(true);
    expect((await ask('GET', 'session', undefined, renewed)).status).toBe(401);
    expect(messageOf(await ask('POST', `accounts/${id}/link`))).toEqual([400, 'This account is blocked']);
    await ask('PUT', `accounts/${id}`, { blocked: false });
    expect((await ask('GET', 'session', undefined, renewed)).status).toBe(401);
    expect((await ask('DELETE', `accounts/${id}`)).status).toBe(204);
    expect((await ask('GET', 'accounts')).body.some((one: { id: number }) => one.id === id)).toBe(false);
  });

  it('always leave someone who may do everything, however many try at once', async () => {
    const roles = await roleIds();
    const [{ id: own }] = (await ask('GET', 'accounts')).body;
    const other = await invite('gil@example.org', 'strapi-super-admin');
    const last = 'This is the last account that may do everything: it stays, with its role and not blocked';
    const both = await Promise.all([
      ask('DELETE', `accounts/${other.id}`),
      ask('PUT', `accounts/${own}`, { roles: [roles['strapi-editor']] }, other.cookie),
    ]);
    expect(both.filter(({ status }) => status < 300)).toHaveLength(1);
    // Whoever is left gives the other the role again.
    const left = both[0]!.status < 300 ? { id: own, cookie: first } : { id: other.id, cookie: other.cookie };
    for (const [method, body] of [
      ['PUT', { blocked: true }],
      ['PUT', { roles: [roles['strapi-author']] }],
      ['DELETE', undefined],
    ] as const)
      expect(messageOf(await ask(method, `accounts/${left.id}`, body, left.cookie))).toEqual([400, last]);
    if (left.id !== own) await ask('PUT', `accounts/${own}`, { roles: [roles['strapi-super-admin']] }, left.cookie);
  });

  it('that manage others cannot make themselves what they are not', async () => {
    const roles = await roleIds();
    const { cookie } = await invite('hal@example.org', 'strapi-author');
    for (const verb of ['create', 'read', 'update', 'delete'])
      await service.execute(
        `insert into admin_permissions (document_id, action, properties, conditions) values ('hal-${verb}', 'admin::users.${verb}', '{}', '[]')`,
      );
    await service.execute(
      `insert into admin_permissions_role_lnk (permission_id, role_id) select id, ${roles['strapi-author']} from admin_permissions where document_id like 'hal-%'`,
    );
    const hal = (method: string, path: string, body?: unknown) => ask(method, path, body, cookie);
    const [{ id: boss }] = (await hal('GET', 'accounts')).body;
    const own = (await hal('GET', 'session')).body.account.id;
    const all = [roles['strapi-super-admin']];
    for (const [method, path, body] of [
      ['POST', 'accounts', { email: 'x@example.org', roles: all }],
      ['PUT', `accounts/${own}`, { roles: all }],
      ['PUT', `accounts/${boss}`, { email: 'x@example.org' }],
      ['POST', `accounts/${boss}/link`, undefined],
      ['DELETE', `accounts/${boss}`, undefined],
    ] as const)
      expect((await hal(method, path, body)).status, `${method} ${path}`).toBe(403);
    expect((await hal('POST', 'accounts', { email: 'ivy@example.org', roles: [roles['strapi-editor']] })).status).toBe(
      200,
    );
  });
});

/** Permissions as texts that do not depend on how a database writes JSON, in an order of their own. */
const comparable = (rows: readonly (readonly unknown[])[]): string[] =>
  rows
    .map(([code, action, subject, properties, conditions]) => {
      const { fields, ...rest } = JSON.parse(String(properties));
      return JSON.stringify([
        code,
        action,
        subject,
        { ...(fields && { fields }), ...rest },
        JSON.parse(String(conditions)),
      ]);
    })
    .toSorted();

describeOnSqlite('A project', (engine) => {
  const services = useServices(engine);
  const contents = useContents(engine);
  const LOG_IN = { email: 'ada@example.org', password: STRONG };
  const post = (at: Content, path: string, body: unknown, headers = {}) =>
    at.sendTo('POST', `/console/api/${path}`, {
      headers: { ...OWN, 'content-type': 'application/json', ...headers },
      payload: JSON.stringify(body),
    });
  /** Makes the first account. Returns its cookie. */
  const begin = async (at: Content): Promise<string> => {
    const { path } = (await (await at.sheaf.console()).welcomes.firstLink())!;
    const token = new URLSearchParams(path.split('?')[1]).get('token');
    const made = await post(at, 'welcome', { token, ...LOG_IN });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    return `sheaf_console=${cookieOf(made).value}`;
  };

  it('can let other machines in, through a proxy that it trusts', async () => {
    const settings = { console: { remote: true }, trustProxy: ['10.0.0.1'], cacheControl: 'public, max-age=60' };
    const service = await services.start({ settings });
    await begin(service);
    const headers = { ...OWN, host: 'cms.example', 'x-forwarded-proto': 'https', 'content-type': 'application/json' };
    const logIn = (more: Record<string, string>) =>
      service.sendTo('POST', '/console/api/session', {
        headers: { ...headers, ...more },
        payload: JSON.stringify(LOG_IN),
        remoteAddress: '10.0.0.1',
      });
    const begun = await logIn({ origin: 'https://cms.example' });
    expect(begun.status).toBe(200);
    expect(cookieOf(begun).attributes).toContain('Secure');
    expect((await logIn({ origin: 'https://evil.example' })).status).toBe(403);
    // What the project lets caches keep of the API is never kept of the console.
    const cookie = `sheaf_console=${cookieOf(begun).value}`;
    const read = await service.sendTo('GET', '/console/api/rest/tags', {
      headers: { ...OWN, host: 'localhost', cookie },
    });
    expect(read).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-store' } });
  });

  it('counts wrong passwords of the console, by address and account', async () => {
    const service = await services.start({ settings: { rateLimits: { account: { max: 2, seconds: 60 } } } });
    await begin(service);
    const wrong = { ...LOG_IN, password: 'wrong' };
    const statuses = [];
    for (const body of [wrong, wrong, LOG_IN, { ...wrong, email: 'other@example.org' }])
      statuses.push((await post(service, 'session', body)).status);
    expect(statuses).toEqual([400, 400, 429, 400]);
  });

  it('takes files in the console, and lists that are asked for by a body', async () => {
    const service = await services.start();
    const cookie = await begin(service);
    const { payload, headers } = await multipart([['files', 'hello', 'hello.txt', 'text/plain']]);
    const upload = (more: Record<string, string>) =>
      service.sendTo('POST', '/console/api/rest/upload', { headers: { ...OWN, ...headers, ...more }, payload });
    expect((await upload({})).status).toBe(401);
    expect(await upload({ cookie })).toMatchObject({ status: 201, body: [{ name: 'hello.txt' }] });
    expect((await post(service, 'rest/tags/query', { sort: 'label' }, { cookie })).status).toBe(200);
    expect((await post(service, 'session', 'no object')).status).toBe(400);
  });

  it('without a database to write to lets nobody in, and says so', async () => {
    const service = await services.start();
    const cookie = await begin(service);
    const { project } = service.sheaf;
    const sheaf = await open({ project, database: service.database, readOnly: true });
    const reading = new Content(sheaf);
    const message = 'The database is read-only here, so nobody can log in to the console';
    for (const [path, body] of [
      ['session', LOG_IN],
      ['welcome', { token: 'x'.repeat(43), password: STRONG }],
    ] as const)
      expect(await post(reading, path, body)).toMatchObject({ status: 403, body: { error: { message } } });
    expect((await reading.sendTo('GET', '/console/api/session', { headers: { ...OWN, cookie } })).status).toBe(401);
    // A cookie from elsewhere is forgotten all the same.
    const out = await reading.sendTo('DELETE', '/console/api/session', { headers: { ...OWN, cookie } });
    expect([out.status, cookieOf(out).value]).toEqual([204, '']);
    expect(await firstConsoleLink(sheaf)).toBeNull();
    await sheaf.close();
  });

  it('that has a path of the console itself keeps it', async () => {
    const project = contents.project({
      types: { console: { single: true, attributes: { title: { type: 'string' } } } },
      settings: { rest: { prefix: '' } },
    });
    const sheaf = await open({ project, database: engine.bareDatabaseUrl(null) });
    const at = new Content(sheaf);
    expect((await at.sendTo('GET', '/console', { headers: { accept: 'text/html' } })).status).not.toBe(200);
    expect((await at.sendTo('GET', '/console/api/session', { headers: OWN })).status).toBe(404);
    await sheaf.close();
  });

  it('with code of its own hears who writes in the console, as in Strapi 5', async () => {
    const project = contents.project({ types: { note: { attributes: { title: { type: 'string' } } } } });
    writeFiles(project, {
      'src/api/note/content-types/note/lifecycles.js': `module.exports = {
        beforeCreate({ params }) {
          const { user, auth } = strapi.requestContext.get().state;
          params.data.title = auth.strategy.name + ' ' + user.email;
        },
      };`,
    });
    const sheaf = await open({ project, database: engine.bareDatabaseUrl(null) });
    const at = new Content(sheaf);
    const cookie = await begin(at);
    const made = await post(at, 'rest/notes', { data: { title: 'x' } }, { cookie });
    expect(made.body.data.title).toBe('admin ada@example.org');
    await at.close();
  });
});

describeOnSqlite('The pages of the console', (engine) => {
  const services = useServices(engine);

  it('are files of the build under a strict policy, and one page for all other paths', async () => {
    const service = await services.start();
    const get = (path: string, headers = {}) => service.sendTo('GET', path, { headers });
    const page = await get('/console/content/anything?sort=name', { accept: 'text/html,*/*' });
    expect(page).toMatchObject({ status: 200, headers: { 'cache-control': 'no-cache' } });
    expect(page.headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src 'self'; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    );
    expect((await get('/console', { accept: 'text/html', 'if-none-match': page.headers.etag })).status).toBe(304);
    for (const path of ['/console', '/console/', '/console/model/api::dish.dish']) {
      const { status, headers } = await get(path, { accept: '*/*' });
      expect([status, headers['content-type']], path).toEqual([200, 'text/html; charset=utf-8']);
    }
    const [script = ''] = /\/console\/assets\/[^"]+\.js/.exec(page.body) ?? [];
    const plain = await get(script);
    expect(plain.headers).toMatchObject({
      'cache-control': 'public, max-age=31536000, immutable',
      'content-type': 'text/javascript; charset=utf-8',
      vary: 'Accept-Encoding',
    });
    const sizes = [plain.headers['content-length']];
    for (const encoding of ['gzip', 'br']) {
      const { headers } = await get(script, { 'accept-encoding': `zstd, ${encoding}` });
      expect(headers['content-encoding']).toBe(encoding);
      sizes.push(headers['content-length']);
    }
    expect(sizes.map(Number)).toEqual(sizes.map(Number).toSorted((one, other) => other - one));
    for (const path of ['/console/assets/none.js', '/console/..%2f..%2fpackage.json', '/console/assets'])
      expect((await get(path, { accept: '*/*' })).status, path).toBe(404);
    expect((await service.sendTo('GET', script, { remoteAddress: '10.0.0.7' })).status).toBe(404);
  });
});

describeOnEveryDatabase('A console that is disabled', (engine) => {
  const services = useServices(engine);

  it('is not there', async () => {
    const service = await services.start({ settings: { console: { enabled: false } } });
    for (const path of ['/console', '/console/api/session', '/console/api/rest/restaurants'])
      expect((await service.sendTo('GET', path, { headers: { ...OWN, accept: 'text/html' } })).status, path).toBe(404);
  });
});
