// Roles over HTTP: read and written as Strapi 5 does it, and shown with a user who is written, to who may find them.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import {
  expectDenied,
  expectError,
  expectForbidden,
  expectInvalid,
  type Service,
  useServices,
} from './support/auth.ts';
import type { Answer, Answered } from './support/content.ts';
import { describeOnEveryDatabase, recordStatements } from './support/database.ts';

const ROLE = 'plugin::users-permissions.role';
const USER = 'plugin::users-permissions.user';

describeOnEveryDatabase('Roles', (engine) => {
  const services = useServices(engine);
  let service: Service;
  let boss: string;
  beforeAll(async () => {
    service = await services.start();
    const { roles } = await service.sheaf.auth();
    await roles.create('Bosses', 'May see who may what');
    await roles.grant('bosses', [`${ROLE}.find`, `${ROLE}.findOne`, USER]);
    boss = (await service.logIn(await service.person({}, 'bosses'))).jwt;
  });
  const get = (url: string, token = boss): Promise<Answer> => service.as(token, 'GET', `users-permissions/roles${url}`);
  const listed = async (type: string): Promise<Answered> =>
    (await get('')).body.roles.find((role: Answered) => role.type === type);
  const roleOf = async (id: number): Promise<unknown> =>
    (await service.rows(`select role_id from up_users_role_lnk where user_id = ${id}`)).flat();
  const newcomer = (extra: object = {}) => {
    const name = `new${Math.random().toString(36).slice(2)}`;
    return { username: name, email: `${name}@new.example`, password: 'a-long-phrase', ...extra };
  };
  const post = (extra: object, token = boss) => service.as(token, 'POST', 'users', newcomer(extra));

  it('are granted everything, and lose it, by as many statements as one action; tokens too', async () => {
    const { roles, tokens } = await service.sheaf.auth();
    await roles.create('Helpers');
    const statements = recordStatements(service.sheaf);
    const counted = async <T>(work: () => Promise<T>): Promise<{ result: T; count: number }> => {
      statements.length = 0;
      return { result: await work(), count: statements.length };
    };
    const tokenFor = (actions: readonly string[]) =>
      tokens.create({ name: `of ${actions.length}`, description: '', type: 'custom', actions, days: null });

    const one = await counted(() => roles.grant('helpers', [`${USER}.find`]));
    const oneTaken = await counted(() => roles.revoke('helpers', [`${USER}.find`]));
    const all = await counted(() => roles.grant('helpers', ['*']));
    const actions = [...all.result].sort();
    expect(actions.length).toBeGreaterThan(50);
    expect(all.count).toBe(one.count);
    expect((await roles.find('helpers')).actions).toEqual(expect.arrayContaining(actions));
    const allTaken = await counted(() => roles.revoke('helpers', actions));
    expect([...allTaken.result].sort()).toEqual(actions);
    expect(allTaken.count).toBe(oneTaken.count);
    expect((await roles.find('helpers')).actions.filter((action) => actions.includes(action))).toEqual([]);

    const oneOfToken = await counted(() => tokenFor([`${USER}.find`]));
    const allOfToken = await counted(() => tokenFor(actions));
    expect(allOfToken.count).toBe(oneOfToken.count);
    const made = (await tokens.list()).find(({ name }) => name === `of ${actions.length}`)!;
    expect([...made.actions].sort()).toEqual(actions);
  });

  it('are listed with the number of their users', async () => {
    await service.person({}, 'bosses');
    const answer = await get('');
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.body.roles.map(({ type }: Answered) => type)).toEqual(
      expect.arrayContaining(['authenticated', 'public', 'bosses']),
    );
    const instant = expect.stringMatching(/Z$/);
    expect(await listed('bosses')).toEqual({
      id: expect.any(Number),
      documentId: expect.any(String),
      name: 'Bosses',
      description: 'May see who may what',
      type: 'bosses',
      createdAt: instant,
      updatedAt: instant,
      publishedAt: instant,
      nb_users: 2,
    });
    expect((await listed('public')).nb_users).toBe(
      await service.number(
        `select count(*) from up_users_role_lnk l join up_roles r on r.id = l.role_id where r.type = 'public'`,
      ),
    );
  });

  it('are shown one by one with all actions there are, by number or documentId', async () => {
    const { nb_users: _, ...bosses } = await listed('bosses');
    for (const key of [bosses.id, bosses.documentId]) {
      const { status, body } = await get(`/${key}`);
      expect(status).toBe(200);
      const { permissions, ...role } = body.role;
      expect(role).toEqual(bosses);
      expect(permissions['plugin::users-permissions'].controllers.role).toEqual({
        find: { enabled: true, policy: '' },
        findOne: { enabled: true, policy: '' },
        createRole: { enabled: false, policy: '' },
        updateRole: { enabled: false, policy: '' },
        deleteRole: { enabled: false, policy: '' },
      });
      expect(permissions['plugin::users-permissions'].controllers.auth).toMatchObject({
        logout: { enabled: true, policy: '' },
        register: { enabled: false, policy: '' },
      });
      expect(permissions['api::restaurant'].controllers.restaurant.find).toEqual({ enabled: false, policy: '' });
    }
    for (const key of ['99999', 'nope', '0', '%00']) expectError(await get(`/${key}`), 404, 'NotFoundError');
    expectError(await get('/99999'), 404, 'NotFoundError', 'Role not found');
  });

  it('are closed to who was not granted them, each right by itself', async () => {
    const { roles } = await service.sheaf.auth();
    await roles.create('Listers');
    await roles.grant('listers', [`${ROLE}.find`]);
    const lister = (await service.logIn(await service.person({}, 'listers'))).jwt;
    const someone = (await service.logIn(await service.person())).jwt;
    expect((await get('', lister)).status).toBe(200);
    for (const [url, token] of [
      ['/1', lister],
      ['', someone],
      ['/1', someone],
    ] as const)
      expectError(await get(url, token), 403, 'ForbiddenError', 'Forbidden');
  });

  it('are shown with a user who is made or changed, to who may find them', async () => {
    const { nb_users: _, ...bosses } = await listed('bosses');
    for (const role of [
      bosses.id,
      bosses.documentId,
      { connect: [{ id: bosses.id }] },
      { connect: [{ documentId: bosses.documentId }] },
    ]) {
      const made = await post({ role });
      expect([made.status, made.body.role], JSON.stringify(made.body)).toEqual([201, bosses]);
      expect(made.body.role).not.toHaveProperty('users');
    }
    const made = await post({});
    expect(made.body.role.type).toBe('authenticated');
    const changed = await service.as(boss, 'PUT', `users/${made.body.id}`, { role: bosses.id });
    expect([changed.status, changed.body.role]).toEqual([200, bosses]);
    // Who says what to show is shown that.
    const bare = await service.as(boss, 'PUT', `users/${made.body.id}?fields=username&populate=`, { blocked: false });
    expect(Object.keys(bare.body)).not.toContain('role');
  });

  it('are not shown with a user to who may not find them', async () => {
    const { roles } = await service.sheaf.auth();
    await roles.create('Clerks');
    await roles.grant('clerks', [USER]);
    const clerk = (await service.logIn(await service.person({}, 'clerks'))).jwt;
    const made = await post({ role: 1 }, clerk);
    expect([made.status, 'role' in made.body]).toEqual([201, false]);
    const changed = await service.as(clerk, 'PUT', `users/${made.body.id}`, { confirmed: true });
    expect([changed.status, 'role' in changed.body]).toEqual([200, false]);
  });

  it.each([
    [{ disconnect: [1] }],
    [{ disconnect: [{ id: 1 }] }],
    [{ connect: [], disconnect: [{ id: 1 }] }],
    [null],
    [[]],
    [{ set: [] }],
    [{ set: [], disconnect: [1] }],
    [{ connect: [], disconnect: [], set: [] }],
  ])('are not taken from a user by %j', async (role) => {
    const person = await service.person();
    const before = await roleOf(person.id);
    expectInvalid(await service.as(boss, 'PUT', `users/${person.id}`, { role }), 'Cannot remove role');
    expectInvalid(await post({ role }), 'Users must have a role');
    expect(await roleOf(person.id)).toEqual(before);
  });

  it.each([[{}], [{ connect: [] }], [{ disconnect: [] }], [{ connect: [], disconnect: [] }], [{ set: null }]])(
    'stay what they are where a form names none: %j',
    async (role) => {
      const person = await service.person();
      const before = await roleOf(person.id);
      const answer = await service.as(boss, 'PUT', `users/${person.id}`, { role });
      expect([answer.status, await roleOf(person.id)]).toEqual([200, before]);
      expectInvalid(await post({ role }), 'Users must have a role');
    },
  );

  it('are changed by a form that disconnects one and connects another', async () => {
    const person = await service.person();
    const { id } = await listed('bosses');
    const [before] = (await roleOf(person.id)) as number[];
    const role = { connect: [{ id }], disconnect: [{ id: before }] };
    expect((await service.as(boss, 'PUT', `users/${person.id}`, { role })).status).toBe(200);
    expect(await roleOf(person.id)).toEqual([id]);
  });
});

/** Actions as a tree by owner and controller, each on. */
function treeOf(...actions: string[]): Answered {
  const tree: Answered = {};
  for (const action of actions) {
    const [owner, controller, name] = action.split('.') as [string, string, string];
    tree[owner] ??= { controllers: {} };
    tree[owner].controllers[controller] ??= {};
    tree[owner].controllers[controller][name] = { enabled: true, policy: '' };
  }
  return tree;
}

const FIND = 'api::restaurant.restaurant.find';
const FIND_ONE = 'api::restaurant.restaurant.findOne';
const PERMISSIONS = 'plugin::users-permissions.permissions.getPermissions';
const WRITES = ['createRole', 'updateRole', 'deleteRole'].map((name) => `${ROLE}.${name}`);

describeOnEveryDatabase('Roles that clients write', (engine) => {
  const services = useServices(engine);
  let service: Service;
  let boss: string;
  beforeAll(async () => {
    const project = services.project();
    mkdirSync(path.join(project, 'access'));
    const rules = { narrow: { 'api::restaurant.restaurant': { fields: { read: ['name'] } } } };
    writeFileSync(path.join(project, 'access', 'rules.json'), JSON.stringify(rules));
    service = await services.start({ project });
    boss = await someone('Boss', '*', ROLE, PERMISSIONS);
  });
  /** The token of someone with a new role that is granted actions. */
  const someone = async (role: string, ...actions: string[]): Promise<string> => {
    const { roles } = await service.sheaf.auth();
    const { type } = await roles.create(role);
    await roles.grant(type, actions);
    return (await service.logIn(await service.person({}, type))).jwt;
  };
  const send = (method: string, url: string, body?: unknown, token = boss): Promise<Answer> =>
    service.as(token, method, `users-permissions/roles${url}`, body);
  let count = 0;
  const newRole = async (...actions: string[]): Promise<number> => {
    const name = `Made here ${++count}x`;
    expect((await send('POST', '', { name, permissions: treeOf(...actions) })).body).toEqual({ ok: true });
    return service.number(`select id from up_roles where name = '${name}'`);
  };
  const grantsOf = async (id: number): Promise<unknown[]> =>
    (
      await service.rows(
        `select p.action from up_permissions p join up_permissions_role_lnk l on l.permission_id = p.id where l.role_id = ${id} order by p.action`,
      )
    ).flat();
  const stored = (id: number) =>
    service.rows(`select name, description, type from up_roles where id = ${id}`).then(([row]) => row);

  it('are made with what they are granted, and take effect at once', async () => {
    const body = { name: ' Chef de café ', description: 'Cooks', permissions: treeOf(FIND), users: [1] };
    const answer = await send('POST', '', body);
    expect([answer.status, answer.body, answer.headers['x-sheaf-ignored']]).toEqual([200, { ok: true }, 'users']);
    const id = await service.number(`select id from up_roles where type = 'chef_de_cafe'`);
    expect(await stored(id)).toEqual(['Chef de café', 'Cooks', 'chef_de_cafe']);
    expect(await grantsOf(id)).toEqual([FIND]);
    const chef = (await service.logIn(await service.person({}, 'chef_de_cafe'))).jwt;
    expect((await service.as(chef, 'GET', 'restaurants')).status).toBe(200);
    expect((await service.as(chef, 'GET', 'restaurants/nope')).status).toBe(403);
    const change = { permissions: treeOf(FIND_ONE) };
    expect((await send('PUT', `/${id}`, change)).body).toEqual({ ok: true });
    expect((await service.as(chef, 'GET', 'restaurants')).status).toBe(403);
    expect((await service.as(chef, 'GET', 'restaurants/nope')).status).toBe(404);
  });

  it('keep what a change does not name, and take back what they are shown with', async () => {
    const id = await newRole(FIND, FIND_ONE);
    const { role } = (await send('GET', `/${id}`)).body;
    role.permissions['api::restaurant'].controllers.restaurant.find.enabled = false;
    const answer = await send('PUT', `/${role.documentId}`, { ...role, name: 'Another name' });
    expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    expect(await grantsOf(id)).toEqual([FIND_ONE]);
    expect(await stored(id)).toEqual(['Another name', null, role.type]);
    await send('PUT', `/${id}`, { description: 'Described' });
    expect(await stored(id)).toEqual(['Another name', 'Described', role.type]);
    expect(await grantsOf(id)).toEqual([FIND_ONE]);
    await send('PUT', `/${id}`, { permissions: {} });
    expect(await grantsOf(id)).toEqual([]);
  });

  it('have no rights where the permissions are an empty list', async () => {
    expect((await send('POST', '', { name: 'Idle hands', permissions: [] })).body).toEqual({ ok: true });
    const idle = await service.number(`select id from up_roles where type = 'idle_hands'`);
    const busy = await newRole(FIND);
    expect((await send('PUT', `/${busy}`, { permissions: [] })).body).toEqual({ ok: true });
    expect([await grantsOf(idle), await grantsOf(busy)]).toEqual([[], []]);
  });

  it('are deleted, and their users get the role of the public and have to log in again', async () => {
    const id = await newRole(`${USER}.me`);
    const person = await service.person({}, (await stored(id))![2] as string);
    const { jwt } = await service.logIn(person);
    expect((await service.me(jwt)).status).toBe(200);
    expect((await send('DELETE', `/${id}`)).body).toEqual({ ok: true });
    expect(await stored(id)).toBeUndefined();
    expect(await grantsOf(id)).toEqual([]);
    const { roles } = await service.sheaf.auth();
    expect((await roles.ofUsers()).find(({ userId }) => userId === person.id)?.role.type).toBe('public');
    expectError(await service.me(jwt), 401, 'UnauthorizedError');
    expectError(await send('DELETE', `/${id}`), 404, 'NotFoundError', 'Role not found');
  });

  it('are not deleted where the server needs them', async () => {
    const { roles } = await service.sheaf.auth();
    const idOf = async (type: string) => (await roles.find(type)).id;
    expectDenied(await send('DELETE', `/${await idOf('public')}`), 'Cannot delete public role');
    expectDenied(await send('DELETE', `/${await idOf('authenticated')}`));
    expect((await roles.list()).map(({ type }) => type)).toEqual(expect.arrayContaining(['public', 'authenticated']));
  });

  it.each([
    [undefined, 'Request body cannot be empty'],
    [{}, 'Request body cannot be empty'],
    [[], 'Request body cannot be empty'],
    [{ description: 'No name' }, 'name is a required field'],
    [{ name: 'ab' }, 'name must be at least 3 characters'],
    [{ name: 5 }, 'name must be a string'],
    [{ name: 'x'.repeat(256) }, 'name must be at most 255 characters'],
    [{ name: '1234' }, undefined],
    [{ name: 'Fine', type: 'no spaces' }, undefined],
    [{ name: 'Fine', type: 'public' }, 'This attribute must be unique'],
    [{ name: 'Fine', level: 3 }, 'Invalid key level'],
    [{ name: 'Fine', permissions: null }, 'permissions must be an object'],
    [{ name: 'Fine', permissions: [FIND] }, 'permissions must be an object'],
    [{ name: 'Fine', permissions: { 'api::x': {} } }, 'permissions.api::x.controllers must be an object'],
    [
      { name: 'Fine', permissions: { 'api::x': { controllers: { x: { find: { enabled: 1 } } } } } },
      'permissions.api::x.controllers.x.find.enabled must be true or false',
    ],
    [{ name: 'Fine', permissions: treeOf('api::nope.nope.find') }, 'There is no action api::nope.nope.find'],
  ])('are refused: %j', async (body, message) => {
    const before = await service.number('select count(*) from up_roles');
    expectInvalid(await send('POST', '', body), message);
    expect(await service.number('select count(*) from up_roles')).toBe(before);
  });

  it('are changed with what is right only, and all of it or nothing', async () => {
    const id = await newRole(FIND);
    const before = await stored(id);
    for (const body of [undefined, {}, { name: null }, { name: '' }, { level: 3 }])
      expectInvalid(await send('PUT', `/${id}`, body));
    const permissions = treeOf(FIND_ONE, 'api::nope.nope.find');
    expectInvalid(await send('PUT', `/${id}`, { name: 'Half done', permissions }));
    expect([await stored(id), await grantsOf(id)]).toEqual([before, [FIND]]);
    for (const key of ['99999', 'nope', 'public', '%00'])
      expectError(
        await send('PUT', `/${key}`, { name: 'Nobody' }),
        404,
        'NotFoundError',
        key === '%00' ? undefined : 'Role not found',
      );
  });

  it('are written by who was granted that, each right by itself; `*` does not stand for it', async () => {
    const all = await someone('Everything', '*');
    const id = await newRole();
    const body = { name: 'Somebody' };
    const asked = (token: string) =>
      Promise.all([
        send('POST', '', body, token),
        send('PUT', `/${id}`, body, token),
        send('DELETE', '/99999', undefined, token),
        service.as(token, 'GET', 'users-permissions/permissions'),
      ]);
    for (const answer of await asked(all)) expectForbidden(answer);
    for (const [at, right] of [...WRITES, PERMISSIONS].entries()) {
      const answers = await asked(await someone(`Only ${right.split('.').at(-1)}`, right));
      expect(answers.map(({ status }) => status === 403)).toEqual([0, 1, 2, 3].map((other) => other !== at));
    }
  });

  it('are made once, whoever asks for the same one at the same time, and granted an action once', async () => {
    const { roles } = await service.sheaf.auth();
    const token = await someone('Maker', ...WRITES);
    const statuses = await Promise.all(
      Array.from({ length: 6 }, async () => (await send('POST', '', { name: 'Twins' }, token)).status),
    );
    expect(statuses.toSorted()).toEqual([200, 400, 400, 400, 400, 400]);
    const made = await Promise.all(Array.from({ length: 6 }, () => roles.create('Triplets')));
    expect(new Set(made.map(({ id }) => id)).size).toBe(1);
    await Promise.all(Array.from({ length: 6 }, () => roles.grant('triplets', [FIND])));
    expect(await service.rows("select type from up_roles where type in ('twins', 'triplets')")).toHaveLength(2);
    expect((await roles.find('triplets')).actions.filter((action) => action === FIND)).toHaveLength(1);
  });

  it('get nothing from who lacks it, and anything else stays as it was', async () => {
    const clerk = await someone('Clerk', ...WRITES, FIND);
    const refused = await send('POST', '', { name: 'Too much', permissions: treeOf(FIND, FIND_ONE) }, clerk);
    expectError(refused, 403, 'ForbiddenError');
    expect(refused.body.error.details).toEqual({ key: FIND_ONE });
    expect(await service.number(`select count(*) from up_roles where name = 'Too much'`)).toBe(0);
    const id = await newRole(FIND_ONE);
    const widened = { permissions: treeOf(FIND_ONE, FIND, `${USER}.update`) };
    expectError(await send('PUT', `/${id}`, widened, clerk), 403, 'ForbiddenError');
    expect(await grantsOf(id)).toEqual([FIND_ONE]);
    // What a role has already is not given, and may be sent back.
    expect((await send('PUT', `/${id}`, { permissions: treeOf(FIND_ONE, FIND) }, clerk)).status).toBe(200);
    expect(await grantsOf(id)).toEqual([FIND, FIND_ONE]);
    expect((await send('PUT', `/${id}`, { permissions: {} }, clerk)).status).toBe(200);
    // Nor does anyone give it to themselves.
    const { roles } = await service.sheaf.auth();
    const own = await roles.find('clerk');
    const more = { permissions: treeOf(...own.actions, `${USER}.update`) };
    expectError(await send('PUT', `/${own.id}`, more, clerk), 403, 'ForbiddenError');
  });

  it('get nothing from who is narrowed by rules, since it would come without them', async () => {
    const narrow = await someone('Narrow', ...WRITES, FIND);
    const id = await newRole();
    expectError(await send('PUT', `/${id}`, { permissions: treeOf(FIND) }, narrow), 403, 'ForbiddenError');
    expectError(await send('POST', '', { name: 'Freed', permissions: treeOf(FIND) }, narrow), 403, 'ForbiddenError');
    expect(await grantsOf(id)).toEqual([]);
    expect((await send('PUT', `/${id}`, { name: 'Renamed here' }, narrow)).status).toBe(200);
  });

  it('are written with a full-access token, and not with one that only reads', async () => {
    const { tokens } = await service.sheaf.auth();
    const token = (type: 'full-access' | 'read-only') =>
      tokens.create({ name: type, description: '', type, actions: [], days: null });
    const permissions = treeOf(FIND, `${USER}.update`);
    const made = await send('POST', '', { name: 'By a token', permissions }, await token('full-access'));
    expect([made.status, made.body]).toEqual([200, { ok: true }]);
    const reader = await token('read-only');
    expectForbidden(await send('POST', '', { name: 'By a reader' }, reader));
    expectForbidden(await service.as(reader, 'GET', 'users-permissions/permissions'));
  });

  it('are chosen from everything that can be granted', async () => {
    const { status, body } = await service.as(boss, 'GET', 'users-permissions/permissions');
    expect(status).toBe(200);
    expect(body.permissions['api::restaurant'].controllers.restaurant.find).toEqual({ enabled: false, policy: '' });
    expect(body.permissions['plugin::users-permissions'].controllers.permissions).toEqual({
      getPermissions: { enabled: false, policy: '' },
    });
  });
});
