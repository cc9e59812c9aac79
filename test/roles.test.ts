// Roles over HTTP: read as Strapi 5 shows them, and shown with a user who is written, to who may find them.
import { beforeAll, expect, it } from 'vitest';
import { expectError, expectInvalid, type Service, useServices } from './support/auth.ts';
import type { Answer, Answered } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

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
    await roles.grant('bosses', [ROLE, USER]);
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
      });
      expect(permissions['plugin::users-permissions'].controllers.auth).toMatchObject({
        logout: { enabled: true, policy: '' },
        register: { enabled: false, policy: '' },
      });
      expect(permissions['api::restaurant'].controllers.restaurant.find).toEqual({ enabled: false, policy: '' });
    }
    for (const key of ['99999', 'nope', '0', '%00']) expectError(await get(`/${key}`), 404, 'NotFoundError');
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
    [{}],
    [{ disconnect: [1] }],
    [{ disconnect: [{ id: 1 }] }],
    [{ connect: [], disconnect: [{ id: 1 }] }],
    [{ connect: [] }],
    [{ disconnect: [] }],
    [null],
    [[]],
    [{ set: [] }],
    [{ set: null }],
    [{ set: [], disconnect: [1] }],
    [{ connect: [], disconnect: [], set: [] }],
  ])('are not taken from a user by %j', async (role) => {
    const person = await service.person();
    const before = await roleOf(person.id);
    expectInvalid(await service.as(boss, 'PUT', `users/${person.id}`, { role }), 'Cannot remove role');
    expectInvalid(await post({ role }), 'Users must have a role');
    expect(await roleOf(person.id)).toEqual(before);
  });

  it('stay what they are where a form names none to connect or disconnect', async () => {
    const person = await service.person();
    const before = await roleOf(person.id);
    const answer = await service.as(boss, 'PUT', `users/${person.id}`, { role: { connect: [], disconnect: [] } });
    expect(answer.status).toBe(200);
    expect(await roleOf(person.id)).toEqual(before);
  });

  it('are changed by a form that disconnects one and connects another', async () => {
    const person = await service.person();
    const { id } = await listed('bosses');
    const [before] = (await roleOf(person.id)) as number[];
    const role = { connect: [{ id }], disconnect: [{ id: before }] };
    expect((await service.as(boss, 'PUT', `users/${person.id}`, { role })).status).toBe(200);
    expect(await roleOf(person.id)).toEqual([id]);
  });
});
