// What the console holds against: rows that nobody should have stored, proxies that say little, and requests that are
// made to break something.
import { beforeAll, expect, it } from 'vitest';
import { open } from '../src/app.ts';
import { hashPassword } from '../src/passwords.ts';
import { cookieOf, PASSWORD, useServices } from './support/auth.ts';
import { type Answer, Content, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';
import { writeFiles } from './support/own-code.ts';

const OWN = { 'x-sheaf-console': '1' };
const SUPER_ADMIN = 'strapi-super-admin';

/** Someone who is logged in. */
interface Someone {
  readonly id: number;
  readonly answer: Answer;
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
}

class Attacked {
  readonly service: Content;
  #accounts = 0;

  constructor(service: Content) {
    this.service = service;
  }

  ask(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    return this.service.sendTo(method, `/console/api/${path}`, {
      headers: { ...OWN, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    });
  }

  async account(role: string): Promise<Someone> {
    const email = `someone${++this.#accounts}@example.org`;
    const hash = await hashPassword(PASSWORD);
    await this.service.execute(
      `insert into admin_users (document_id, email, password, is_active, blocked) values ('${email}', '${email}', '${hash}', true, false)`,
    );
    await this.service.execute(
      `insert into admin_users_roles_lnk (user_id, role_id) select u.id, r.id from admin_users as u, admin_roles as r where u.email = '${email}' and r.code = '${role}'`,
    );
    const answer = await this.ask('POST', 'session', { email, password: PASSWORD });
    const cookie = `sheaf_console=${answer.status === 200 ? cookieOf(answer).value : ''}`;
    return {
      id: await this.service.number(`select id from admin_users where email = '${email}'`),
      answer,
      ask: (method, path, body) => this.ask(method, path, body, { cookie }),
    };
  }

  /** A role with permissions as SQL: action, subject, properties, conditions. */
  async role(code: string, permissions: readonly (readonly [string, string, string, string])[]): Promise<void> {
    await this.service.execute(`insert into admin_roles (document_id, code) values ('${code}', '${code}')`);
    for (const permission of permissions)
      await this.service.execute(
        `insert into admin_permissions (document_id, action, subject, properties, conditions) values ('${code}', ${permission.join(', ')})`,
      );
    await this.service.execute(
      `insert into admin_permissions_role_lnk (permission_id, role_id) select p.id, r.id from admin_permissions as p, admin_roles as r where p.document_id = '${code}' and r.code = '${code}'`,
    );
  }
}

const READ = "'plugin::content-manager.explorer.read'";

describeOnEveryDatabase('The console', (engine) => {
  const services = useServices(engine);
  let at: Attacked;

  beforeAll(async () => {
    at = new Attacked(await services.start());
  });

  it('refuses permissions that cannot be read, and says so', async () => {
    await at.role('torn', [
      ['null', 'null', "'{}'", "'[]'"],
      [READ, "'api::restaurant.restaurant'", `'"no object"'`, "'[]'"],
      [READ, "'api::tag.tag'", `'{"fields": "label", "locales": null}'`, "'[]'"],
      [READ, "'api::owner.owner'", "'{}'", `'"no list"'`],
      [READ, "'api::review.review'", "'{}'", `'[{"toString": 1}]'`],
      ["'plugin::nothing.here'", 'null', 'null', 'null'],
      [READ, "'api::chef.chef'", 'null', 'null'],
    ]);
    const { answer, ask } = await at.account('torn');
    expect(answer.status).toBe(200);
    expect(answer.body.refused).toEqual([
      'a permission without an action: it says nothing',
      'read api::restaurant.restaurant: its properties cannot be read',
      'read api::tag.tag: its properties cannot be read',
      'read api::owner.owner: the condition no list is not known here',
      'read api::review.review: the condition {"toString":1} is not known here',
      'plugin::nothing.here: there is nothing of the kind here',
    ]);
    expect(Object.keys(answer.body.types)).toEqual(['api::chef.chef']);
    expect((await ask('GET', 'rest/restaurants')).status).toBe(403);
    expect((await ask('GET', 'rest/chefs')).status).toBe(200);
  });

  it('lists an account without an address, and counts nobody who has no password as left', async () => {
    const ada = await at.account(SUPER_ADMIN);
    const eve = await at.account(SUPER_ADMIN);
    await at.service.execute("insert into admin_users (document_id) values ('nameless')");
    const { body } = await ada.ask('GET', 'accounts');
    expect(body.at(-1)).toMatchObject({ email: '', isActive: false, roles: [] });
    const { accounts } = await at.service.sheaf.console();
    await at.service.execute(`update admin_users set registration_token = 'old' where id = ${eve.id}`);
    await accounts.reset(eve.id);
    expect(await at.service.rows(`select registration_token from admin_users where id = ${eve.id}`)).toEqual([[null]]);
    expect(await ada.ask('DELETE', `accounts/${ada.id}`)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('the last account that may do everything') } },
    });
  });

  it('refuses texts that no database could keep', async () => {
    const { ask } = await at.account(SUPER_ADMIN);
    for (const body of [{ name: 'a\0' }, { name: 'a', description: '\0' }])
      expect(await ask('POST', 'tokens', { ...body, type: 'read-only' })).toMatchObject({
        status: 400,
        body: { error: { message: expect.stringContaining('expected a string without null characters') } },
      });
  });
});

describeOnSqlite('The console', (engine) => {
  const services = useServices(engine);
  const contents = useContents(engine);

  it('is for nobody to keep, not even a refusal', async () => {
    const at = new Attacked(await services.start());
    const answers = [
      await at.ask('GET', 'session'),
      await at.ask('GET', 'welcome?token=x'),
      await at.service.sendTo('GET', '/console/api/session'),
      await at.service.sendTo('GET', '/console/assets/none.js'),
    ];
    expect(answers.map(({ status, headers }) => [status, headers['cache-control']])).toEqual(
      [401, 404, 403, 404].map((status) => [status, 'private, no-store']),
    );
  });

  it('is never taken for a user by code of the project, though one may have the same id', async () => {
    const project = contents.project({ types: { note: { attributes: { title: { type: 'string' } } } } });
    writeFiles(project, {
      'src/api/note/routes/mine.js': `module.exports = { routes: [
        { method: 'GET', path: '/named', handler: 'note.mine' },
        { method: 'GET', path: '/every-user', handler: (ctx) => { ctx.body = [ctx.state.user ?? null]; } },
        { method: 'GET', path: '/numbered/:id(\\\\d+)', handler: 'note.mine' },
        { method: 'GET', path: '/no-scope', handler: 'note.mine', config: { auth: { scope: [] } } },
      ] };`,
      'src/sheaf.js': `import { defineProject } from 'sheaf';
        const handler = ({ caller: { kind, user, account } }) => [kind, user, account];
        export default defineProject({ routes: [{ method: 'GET', path: '/told', public: true, handler }] });`,
      'src/api/note/controllers/note.js':
        'module.exports = { mine(ctx) { ctx.body = [ctx.state.user ?? null]; }, find(ctx) { ctx.body = []; } };',
    });
    const sheaf = await open({ project, database: engine.bareDatabaseUrl(null) });
    const at = new Attacked(new Content(sheaf));
    await (await sheaf.console()).accounts.ensuredRoles();
    const [author, boss] = [await at.account('strapi-author'), await at.account(SUPER_ADMIN)];
    const tried = async ({ ask }: Someone, path: string, as: unknown = { kind: 'account' }): Promise<unknown[]> => {
      const { body } = await ask('POST', 'try', { url: `/api/${path}`, as });
      return [body.status, ...(body.status === 200 ? body.body : [])];
    };
    expect(await tried(author, 'every-user')).toEqual([403]);
    expect(await tried(boss, 'every-user')).toEqual([403]);
    expect(await tried(boss, 'every-user', { kind: 'role', type: 'authenticated' })).toEqual([
      200,
      { id: 0, documentId: '' },
    ]);
    expect(await tried(author, 'told')).toEqual([200, 'editor', null, null]);
    // An empty scope asks for the action, as none does.
    for (const path of ['named', 'no-scope']) {
      expect(await tried(author, path)).toEqual([403]);
      expect(await tried(boss, path)).toEqual([200, null]);
    }
    expect(await tried(boss, 'numbered/7')).toEqual([200, null]);
    expect(await tried(boss, 'numbered/x')).toEqual([404]);
    await at.service.close();
  });

  it('has roles for a project whose components hold themselves', async () => {
    const node = { type: 'component', component: 'kit.node' };
    const content = await contents.open({
      types: { note: { attributes: { title: { type: 'string' }, node } } },
      components: { 'kit.node': { name: { type: 'string' }, child: node, children: { ...node, repeatable: true } } },
    });
    await (await content.sheaf.console()).accounts.ensuredRoles();
    const { answer, ask } = await new Attacked(content).account('strapi-author');
    expect(answer.body.refused).toEqual([]);
    expect(answer.body.types['api::note.note'].writable).toEqual(['title', 'node']);
    const data = { node: { name: 'a', child: { name: 'b', child: { name: 'c' } } } };
    const populate = 'populate[node][populate][child][populate]=child';
    expect((await ask('POST', `rest/notes?${populate}`, { data })).body.data).toMatchObject(data);
    expect((await ask('GET', 'model')).status).toBe(200);
  });

  it.each([{ trustProxy: [] }, { trustProxy: ['10.0.0.1'] }, { trustProxy: ['127.0.0.1'] }])(
    'is not there for what a proxy on this machine has passed on, with $trustProxy',
    async (settings) => {
      const service = await services.start({ settings });
      const status = async (headers: Record<string, string>): Promise<number> =>
        (await service.sendTo('GET', '/console/api/session', { headers: { ...OWN, ...headers } })).status;
      expect(await status({})).toBe(401);
      for (const headers of [
        { 'x-forwarded-for': '203.0.113.7' },
        { 'x-forwarded-for': '127.0.0.1' },
        { 'x-forwarded-server': 'cms.example' },
        { 'x-real-ip': '203.0.113.7' },
        { forwarded: 'for=203.0.113.7' },
        { via: '1.1 proxy' },
      ] as Record<string, string>[])
        expect(await status(headers), JSON.stringify(headers)).toBe(404);
    },
  );
});
