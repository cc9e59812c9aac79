// Who gets into the console: logging in and out, sessions, cookies, and what reaches the console at all.
import bcrypt from 'bcrypt';
import { beforeAll, expect, it } from 'vitest';
import { cookieOf, PASSWORD, type Service, useServices } from './support/auth.ts';
import type { Answer } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';

const OWN = { 'x-sheaf-console': '1' };

describeOnEveryDatabase('The console', (engine) => {
  const services = useServices(engine);
  let service: Service;
  /** An account as Strapi 5 stores it. */
  const account = async (email: string, role = 'strapi-super-admin', columns = {}): Promise<void> => {
    const hash = await bcrypt.hash(PASSWORD, 4);
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
    expect(await logIn('ed@example.org')).toMatchObject({ status: 200, body: { rights: [] } });
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
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    );
    expect((await get('/console', { accept: 'text/html', 'if-none-match': page.headers.etag })).status).toBe(304);
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
