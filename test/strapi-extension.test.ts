// src/extensions/users-permissions/strapi-server: it wraps actions of the plugin and adds routes to it; what it leaves as
// it was is the core's, and what cannot run keeps the plugin closed.
import { beforeAll, expect, it } from 'vitest';
import { type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase, describeOnSqlite } from './support/database.ts';
import { type Guarded, useGuarded } from './support/guarded.ts';
import { writeFiles } from './support/own-code.ts';

const PROJECT: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
const FILE = 'src/extensions/users-permissions/strapi-server.js';
const PERSON = { username: 'alba', email: 'alba@example.com', password: 'correct horse 1' };

/** As most projects write it: the plugin is changed in place. */
const IN_PLACE = `
module.exports = (plugin) => {
  const { callback, register } = plugin.controllers.auth;
  plugin.controllers.auth.register = async (ctx) => {
    const { kind } = ctx.query;
    await register(ctx);
    if (!kind) return;
    const role = await strapi.db.query('plugin::users-permissions.role').findOne({ where: { type: kind } });
    const { id } = ctx.body.user;
    if (ctx.query.by === 'service') await strapi.plugin('users-permissions').service('user').edit(id, { role: role.id });
    else await strapi.db.query('plugin::users-permissions.user').update({ where: { id }, data: { role: role.id } });
  };
  plugin.controllers.auth.callback = async (ctx) => {
    await callback(ctx);
    ctx.body.user.greeting = 'Hello ' + ctx.body.user.username;
  };
  const { find, findOne, me } = plugin.controllers.user;
  plugin.controllers.user.find = async (ctx) => {
    ctx.query.fields = ['username'];
    await find(ctx);
    if (Array.isArray(ctx.body)) ctx.body = ctx.body.map((user) => ({ ...user, isFound: true }));
  };
  plugin.controllers.user.findOne = async (ctx) => {
    await findOne(ctx);
    ctx.body = { ...ctx.body, isOne: true };
  };
  plugin.controllers.user.me = async (ctx) => {
    if (ctx.query.fail) return ctx.badRequest('Asked to fail');
    await me(ctx);
    ctx.body = { ...ctx.body, isMe: ctx.state.user.id === ctx.body.id };
  };
  plugin.controllers.user.shout = (ctx) => { ctx.body = ctx.state.user.username.toUpperCase(); };
  plugin.routes['content-api'].routes.unshift(
    { method: 'GET', path: '/users/shout', handler: 'user.shout', config: { prefix: '' } },
    { method: 'GET', path: '/open', handler: () => 'open', config: { auth: false } },
  );
  plugin.bootstrap = ({ strapi }) => { strapi.booted = true; };
  return plugin;
};
`;

/** As Strapi has it since 5.54: controllers and routers are made by functions. */
const BY_FUNCTIONS = `
module.exports = (plugin) => {
  const made = plugin.controllers.user;
  plugin.controllers.user = (given) => {
    const user = made(given);
    return { ...user, async me(ctx) { await user.me(ctx); ctx.body.by = 'function'; } };
  };
  const router = plugin.routes['content-api'];
  plugin.routes['content-api'] = (strapi) => {
    const { type, routes } = router(strapi);
    return { type, routes: [...routes, { method: 'GET', path: '/hello', handler: () => 'hello', config: { auth: false, prefix: '' } }] };
  };
  return plugin;
};
`;

describeOnEveryDatabase('An extension of the plugin of users', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;

  beforeAll(async () => {
    const folder = contents.project(PROJECT);
    writeFiles(folder, { [FILE]: IN_PLACE });
    site = await guarded.open(folder, { database: engine.bareDatabaseUrl(null) });
    await site.auth.roles.grant(
      'authenticated',
      ['find', 'findOne', 'count', 'shout'].map((name) => `plugin::users-permissions.user.${name}`),
    );
  });

  it('wraps actions, and adds routes', async () => {
    const registered = await site.send('POST', 'auth/local/register', PERSON);
    expect(registered.body.user).not.toHaveProperty('greeting');
    const wrong = await site.send('POST', 'auth/local', { identifier: PERSON.email, password: 'wrong' });
    expect([wrong.status, wrong.body.error.message]).toEqual([400, 'Invalid identifier or password']);
    const { status, body } = await site.send('POST', 'auth/local', {
      identifier: PERSON.email,
      password: PERSON.password,
    });
    expect([status, body.user.greeting]).toEqual([200, 'Hello alba']);
    const who = { authorization: `Bearer ${body.jwt}` };
    expect((await site.get('users/me', who)).body).toMatchObject({ username: 'alba', isMe: true });
    expect((await site.get('users/me?fail=1', who)).body.error.message).toBe('Asked to fail');
    expect((await site.get('users/me')).status).toBe(403);
    const users = await site.get('users?sort=id', who);
    expect(users.body).toEqual([{ id: body.user.id, documentId: expect.any(String), username: 'alba', isFound: true }]);
    expect((await site.get(`users/${body.user.id}`, who)).body).toMatchObject({ username: 'alba', isOne: true });
    expect((await site.get('users?sort=nothing', who)).status).toBe(400);
    expect((await site.get('users/count', who)).body).toBe(1);
    expect((await site.get('users/shout', who)).body).toBe('ALBA');
    expect((await site.get('users/shout')).status).toBe(403);
    expect((await site.get('users-permissions/open')).body).toBe('open');
    expect((globalThis as { strapi?: { booted?: boolean } }).strapi?.booted).toBe(true);
  });

  it.each(['service', 'rows'])('gives another role to whoever has just registered, by its %s', async (by) => {
    await site.auth.roles.create('Seller').catch(() => null);
    await site.auth.roles.grant('seller', ['plugin::users-permissions.user.me', 'plugin::users-permissions.role.find']);
    const person = { username: by, email: `${by}@example.com`, password: PERSON.password };
    const { body } = await site.send('POST', `auth/local/register?kind=seller&by=${by}`, person);
    const me = await site.get('users/me?populate=role', { authorization: `Bearer ${body.jwt}` });
    expect(me).toMatchObject({ status: 200, body: { username: by, role: { type: 'seller' } } });
  });

  it('leaves everything else as it is', async () => {
    expect((await site.get('users')).status).toBe(403);
    await site.auth.roles.grant('public', ['api::note.note.find']);
    expect((await site.get('notes')).status).toBe(200);
  });
});

describeOnSqlite('An extension of the plugin of users', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);

  async function opened(files: Record<string, string>): Promise<Guarded> {
    const folder = contents.project(PROJECT);
    writeFiles(folder, files);
    return guarded.open(folder, { database: engine.bareDatabaseUrl(null) });
  }

  it('may be written by functions', async () => {
    const site = await opened({ [FILE]: BY_FUNCTIONS });
    const { body } = await site.send('POST', 'auth/local/register', PERSON);
    const who = { authorization: `Bearer ${body.jwt}` };
    expect((await site.get('users/me', who)).body.by).toBe('function');
    expect((await site.get('hello')).body).toBe('hello');
  });

  it('takes routes away, and leads to actions by other paths', async () => {
    const taking = `
      module.exports = (plugin) => {
        const router = plugin.routes['content-api'];
        router.routes = router.routes.filter(({ handler }) => handler !== 'user.count' && handler !== 'role.find');
        router.routes.find(({ handler }) => handler === 'auth.register').path = '/auth/sign-up';
        const { routes } = router;
        routes.splice(routes.findIndex(({ path }) => path === '/auth/forgot-password'), 1);
        return plugin;
      };`;
    const site = await opened({ [FILE]: taking });
    await site.auth.roles.grant('public', ['plugin::users-permissions.user', 'plugin::users-permissions.role']);
    for (const path of ['auth/local/register', 'auth/forgot-password'])
      expect((await site.send('POST', path, PERSON)).status, path).toBe(404);
    expect((await site.get('users/count')).status).toBe(404);
    // It is there to be written to.
    expect((await site.get('users-permissions/roles')).status).toBe(405);
    expect((await site.send('POST', 'auth/sign-up', PERSON)).body.user).toMatchObject({ username: 'alba' });
    const { identifier, password } = { identifier: PERSON.email, password: PERSON.password };
    expect((await site.send('POST', 'auth/local', { identifier, password })).status).toBe(200);
    expect((await site.get('users')).body.data).toHaveLength(1);
  });

  it('may be left out where the start of the project wraps controllers', async () => {
    const wrapping = `
      const users = strapi.plugin('users-permissions').controller('auth');
      const { register } = users;
      users.register = async (ctx) => {
        if (!ctx.request.body.invitation) return ctx.badRequest('No invitation');
        delete ctx.request.body.invitation;
        await register(ctx);
      };`;
    const site = await opened({ 'src/index.js': `module.exports = { register({ strapi }) { ${wrapping} } };` });
    const refused = await site.send('POST', 'auth/local/register', PERSON);
    expect([refused.status, refused.body.error.message]).toEqual([400, 'No invitation']);
    const registered = await site.send('POST', 'auth/local/register', { ...PERSON, invitation: 'x' });
    expect([registered.status, registered.body.user.username]).toEqual([200, 'alba']);
    const login = { identifier: PERSON.email, password: PERSON.password };
    expect((await site.send('POST', 'auth/local', login)).status).toBe(200);
    const failing = `module.exports = { register({ strapi }) { ${wrapping} throw new Error('no queue'); } };`;
    const closed = await opened({ 'src/index.js': failing });
    expect((await closed.send('POST', 'auth/local/register', PERSON)).status).toBe(403);
    expect((await closed.send('POST', 'auth/local', login)).status).toBe(403);
  });

  it('may wrap controllers of roles and permissions, and lead everyone to their own account', async () => {
    const site = await opened({
      [FILE]: `module.exports = (plugin) => {
        const { find, findOne } = plugin.controllers.role;
        plugin.controllers.role.find = async (ctx) => {
          await find(ctx);
          ctx.body.roles = ctx.body.roles.map(({ type }) => type);
        };
        plugin.controllers.role.findOne = async (ctx) => {
          ctx.params.id = ctx.state.user.role.id;
          await findOne(ctx);
        };
        const { getPermissions } = plugin.controllers.permissions;
        plugin.controllers.permissions.getPermissions = async (ctx) => {
          await getPermissions(ctx);
          ctx.body = Object.keys(ctx.body.permissions).includes('api::note');
        };
        const { update } = plugin.controllers.user;
        const own = async (ctx) => {
          ctx.params.id = ctx.state.user.id;
          ctx.request.body = { username: ctx.request.body.username };
          await update(ctx);
        };
        plugin.controllers.user.update = own;
        plugin.controllers.user.updateMe = own;
        plugin.controllers.contentmanageruser.create = () => 'never';
        plugin.services.names = ({ strapi }) => ({ greet: (name) => 'Hello ' + name + ' of ' + strapi.config.get('server.title') });
        plugin.routes['content-api'].routes.unshift(
          { method: 'PUT', path: '/user/me', handler: 'user.updateMe', config: { prefix: '' } },
          { method: 'GET', path: '/greeting', handler: () => strapi.service('plugin::users-permissions.names').greet('you'), config: { auth: false, prefix: '' } },
        );
        return plugin;
      };`,
      'config/server.js': `module.exports = { title: 'the site' };`,
      'src/api/door/routes/door.js': `module.exports = { routes: [{ method: 'POST', path: '/door', handler: 'door.open', config: { auth: false } }] };`,
      'src/api/door/controllers/door.js': `module.exports = {
        async open(ctx) {
          ctx.request.body = { identifier: ctx.request.body.name + '@example.com', password: ctx.request.body.word };
          await strapi.plugin('users-permissions').controller('auth').callback(ctx);
          ctx.body = { jwt: ctx.body.jwt, known: Object.keys(strapi.plugins['users-permissions'].controllers).sort() };
        },
      };`,
    });
    const { body: other } = await site.send('POST', 'auth/local/register', PERSON);
    const bea = { username: 'bea', email: 'bea@example.com', password: PERSON.password };
    await site.send('POST', 'auth/local/register', bea);
    const names = ['role.find', 'role.findOne', 'permissions.getPermissions', 'user.update', 'user.updateMe'];
    await site.auth.roles.grant(
      'authenticated',
      names.map((name) => `plugin::users-permissions.${name}`),
    );
    const { body: opening } = await site.send('POST', 'door', { name: 'bea', word: PERSON.password });
    expect(opening.known).toEqual(['auth', 'permissions', 'role', 'user']);
    const who = { authorization: `Bearer ${opening.jwt}` };
    const { body: roles } = await site.get('users-permissions/roles', who);
    expect(roles.roles.toSorted()).toEqual(['authenticated', 'public']);
    expect((await site.get('users-permissions/roles/1000', who)).body.role.type).toBe('authenticated');
    expect((await site.get('users-permissions/permissions', who)).body).toBe(true);
    for (const path of [`users/${other.user.id}`, 'user/me']) {
      expect((await site.send('PUT', path, { username: `bea of ${path}`, blocked: true }, who)).status).toBe(200);
      const stored = await site.sheaf.documents('plugin::users-permissions.user').findMany({ sort: 'id' });
      expect(stored).toMatchObject([{ username: 'alba' }, { username: `bea of ${path}`, blocked: false }]);
    }
    expect((await site.get('greeting')).body).toBe('Hello you of the site');
    expect((await site.get('users-permissions/roles')).status).toBe(403);
  });

  it('may add policies, and limit its routes as the plugin does', async () => {
    const site = await opened({
      [FILE]: `module.exports = (plugin) => {
        plugin.policies['has-key'] = (context) => context.request.headers['x-key'] === 'right';
        plugin.middlewares.stamp = () => async (ctx, next) => { await next(); ctx.set('x-stamp', 'seen'); };
        plugin.controllers.auth.code = (ctx) => ctx.send({ sent: true });
        const config = { prefix: '', auth: false, policies: ['plugin::users-permissions.has-key'] };
        const middlewares = ['plugin::users-permissions.rateLimit', 'plugin::users-permissions.stamp'];
        plugin.routes['content-api'].routes.push({ method: 'POST', path: '/auth/code', handler: 'auth.code', config: { ...config, middlewares } });
        return plugin;
      };`,
      'config/sheaf.json': JSON.stringify({ rateLimits: { auth: { max: 2, seconds: 60 } } }),
    });
    expect((await site.send('POST', 'auth/code', {})).status).toBe(403);
    const right = await site.send('POST', 'auth/code', {}, { 'x-key': 'right' });
    expect([right.status, right.body, right.headers['x-stamp']]).toEqual([200, { sent: true }, 'seen']);
    expect((await site.send('POST', 'auth/code', {}, { 'x-key': 'right' })).status).toBe(429);
    expect((await site.send('POST', 'auth/local/register', PERSON)).status).toBe(200);
  });

  it('may be told of users, and see their schema', async () => {
    const site = await opened({
      [FILE]: `module.exports = (plugin) => {
        const { user } = plugin.contentTypes;
        if (user.schema.attributes.email.type !== 'email') throw new Error('no schema');
        // How it looks in the administration.
        user.schema.pluginOptions = { ...user.schema.pluginOptions, 'content-manager': { visible: false } };
        user.schema.info.displayName = 'Member';
        user.lifecycles = { beforeCreate({ params }) { params.data.username += '!'; } };
        return plugin;
      };`,
    });
    const { body } = await site.send('POST', 'auth/local/register', PERSON);
    expect(body.user.username).toBe('alba!');
  });

  it.each([
    [
      'changes a content-type',
      'module.exports = (plugin) => { plugin.contentTypes.user.schema.attributes.age = { type: "integer" }; return plugin; };',
    ],
    ['fails', 'module.exports = () => { throw new Error("no"); };'],
    ['replaces a service', 'module.exports = (plugin) => { plugin.services.user.add = () => 1; return plugin; };'],
    ['is no function', 'module.exports = {};'],
    [
      'adds routes of the administration',
      'module.exports = (plugin) => { plugin.routes.admin.routes.push({ method: "GET", path: "/x", handler: () => 1 }); return plugin; };',
    ],
  ])('keeps the plugin closed where it %s', async (_what, text) => {
    const site = await opened({ [FILE]: text });
    expect((await site.send('POST', 'auth/local/register', PERSON)).status).toBe(403);
  });

  it('keeps a plugin closed that cannot be extended', async () => {
    const site = await opened({ 'src/extensions/upload/strapi-server.js': IN_PLACE });
    await site.auth.roles.grant('public', ['plugin::upload.content-api.find']);
    expect((await site.get('upload/files')).status).toBe(403);
    expect((await site.send('POST', 'auth/local/register', PERSON)).status).toBe(200);
  });

  it('keeps the limits of the routes that it wraps', async () => {
    const site = await opened({
      [FILE]: IN_PLACE,
      'config/sheaf.json': JSON.stringify({ rateLimits: { auth: { max: 2, seconds: 60 } } }),
    });
    const logIn = async () => (await site.send('POST', 'auth/local', { identifier: 'x', password: 'y' })).status;
    expect([await logIn(), await logIn(), await logIn()]).toEqual([400, 400, 429]);
  });

  it('finds the limit among the middlewares of a route, adds others to them, and keeps it at another path', async () => {
    const site = await opened({
      [FILE]: `
        module.exports = (plugin) => {
          const { routes } = plugin.routes['content-api'];
          const login = routes.find(({ handler }) => handler === 'auth.callback');
          login.config.middlewares.push((ctx, next) => (ctx.query.stop ? ctx.badRequest('Stopped') : next()));
          routes.push({ ...login, path: '/log-in' });
          return plugin;
        };`,
      'config/sheaf.json': JSON.stringify({ rateLimits: { auth: { max: 2, seconds: 60 } } }),
    });
    const stopped = await site.send('POST', 'auth/local?stop=1', { identifier: 'x', password: 'y' });
    expect([stopped.status, stopped.body.error.message]).toEqual([400, 'Stopped']);
    const logIn = async () => (await site.send('POST', 'log-in', { identifier: 'x', password: 'y' })).status;
    expect([await logIn(), await logIn(), await logIn()]).toEqual([400, 400, 429]);
  });
});
