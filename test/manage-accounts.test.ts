// What the command line changes of users, roles and tokens that are there, on a server that runs.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { type Content, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { commandsOn } from './support/in-process.ts';

const NOTES: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
const NOTE = 'api::note.note';
const [PASSWORD, OTHER] = ['grüne Wiese 7', 'blauer Himmel 8'];

describeOnEveryDatabase('The command line', (engine) => {
  const contents = useContents(engine);
  let server: Content;
  let sheaf: ReturnType<typeof commandsOn>;
  beforeAll(async () => {
    const project = contents.project(NOTES);
    mkdirSync(path.join(project, 'access'));
    writeFileSync(
      path.join(project, 'access', 'rules.json'),
      JSON.stringify({ authenticated: { [NOTE]: { rows: { find: { title: '$user.username' } } } } }),
    );
    const database = engine.bareDatabaseUrl(null);
    server = await contents.open(project, database);
    sheaf = commandsOn(project, database);
    for (const [name, role] of Object.entries({ ann: 'authenticated', ben: 'authenticated', cleo: 'public' }))
      await sheaf.json(
        ['user', 'create', '--username', name, '--email', `${name}@example.com`, '--role', role],
        PASSWORD,
      );
  });

  const logIn = (identifier: string, password = PASSWORD) =>
    server.send('POST', 'auth/local', { identifier, password });
  const statusOf = async (token: string) =>
    (await server.send('GET', 'users/me', undefined, { authorization: `Bearer ${token}` })).status;

  it('lists users with their roles, in columns and for programs', async () => {
    const lines = (await sheaf.said(['user', 'list'])).trimEnd().split('\n');
    expect(lines.map((line) => line.trim().split(/ {2,}/).slice(1))).toEqual([
      ['ann', 'ann@example.com', 'authenticated'],
      ['ben', 'ben@example.com', 'authenticated'],
      ['cleo', 'cleo@example.com', 'public'],
    ]);
    expect(await sheaf.json(['user', 'list'])).toMatchObject([
      { username: 'ann', role: { type: 'authenticated', name: 'Authenticated' } },
      { username: 'ben' },
      { username: 'cleo', role: { type: 'public' } },
    ]);
  });

  it('sets a password: the old one opens nothing, and whoever was logged in no longer is', async () => {
    const token = (await logIn('ann')).body.jwt;
    expect(await statusOf(token)).toBe(200);
    expect(await sheaf.refused(['user', 'password', 'ann'], 'short\n')).toMatchObject({
      message: expect.stringContaining('at least 6'),
    });
    expect(await statusOf(token)).toBe(200);
    expect(await sheaf.json(['user', 'password', 'ANN@example.com'], `${OTHER}\nmore\n`)).toEqual({
      id: expect.any(Number),
      username: 'ann',
      passwordSet: true,
    });
    expect(await statusOf(token)).toBe(401);
    expect((await logIn('ann')).status).toBe(400);
    expect((await logIn('ann', OTHER)).status).toBe(200);
    expect(await sheaf.refused(['user', 'password', 'nobody'], PASSWORD)).toEqual({
      message: 'There is no user "nobody"',
      hints: ['sheaf user list shows them all'],
    });
  });

  it('copies a role with its grants, and says where rules do not follow', async () => {
    await sheaf.said(['role', 'grant', 'authenticated', `${NOTE}.find`]);
    const text = await sheaf.said(['role', 'copy', 'Authenticated', 'Guest Editor']);
    expect(text).toMatch(/^The role Guest Editor may do what Authenticated may:\n(?: {2}\S+\n)+Rules in access/);
    const original = await sheaf.json(['role', 'show', 'authenticated']);
    const copy = await sheaf.json(['role', 'show', 'guest_editor']);
    expect(copy).toMatchObject({ name: 'Guest Editor', type: 'guest_editor', actions: original.actions });
    expect(copy.actions).toContain(`${NOTE}.find`);
    expect((await sheaf.refused(['role', 'copy', 'public', 'guest editor'])).message).toMatch(/already/);
    expect((await sheaf.refused(['role', 'copy', 'nope', 'other'])).message).toMatch(/no role "nope"/);
    // Public has no rules that a copy would lack.
    expect(await sheaf.json(['role', 'copy', 'public', 'Passer-by'])).toMatchObject({
      type: 'passer_by',
      copiedFrom: 'public',
      lacksRules: false,
    });
  });

  it('gives a user another role, which acts on a server at once', async () => {
    const token = (await logIn('ben')).body.jwt;
    expect(await sheaf.json(['user', 'role', 'ben', 'Guest Editor'])).toMatchObject({
      username: 'ben',
      role: 'guest_editor',
    });
    expect(await statusOf(token)).toBe(401);
    const again = (await logIn('ben')).body.jwt;
    expect(await statusOf(again)).toBe(200);
    expect((await sheaf.refused(['user', 'role', 'ben', 'nope'])).message).toMatch(/no role "nope"/);
  });

  it('removes a role once nobody has it, and moves its users on request', async () => {
    for (const role of ['public', 'Authenticated'])
      expect((await sheaf.refused(['role', 'delete', role, '--move-to', 'guest_editor'])).message).toMatch(
        /cannot be deleted/,
      );
    expect(await sheaf.refused(['role', 'delete', 'guest_editor'])).toEqual({
      message: '1 user has the role Guest Editor',
      hints: ['give them another with --move-to ROLE'],
    });
    expect((await sheaf.refused(['role', 'delete', 'guest_editor', '--move-to', 'guest_editor'])).message).toMatch(
      /itself/,
    );
    const token = (await logIn('ben')).body.jwt;
    expect(await sheaf.json(['role', 'delete', 'guest_editor', '--move-to', 'authenticated'])).toEqual({
      role: 'guest_editor',
      moved: 1,
      movedTo: 'authenticated',
    });
    expect(await statusOf(token)).toBe(401);
    expect((await logIn('ben')).status).toBe(200);
    expect(await sheaf.said(['role', 'delete', 'passer_by'])).toBe('The role Passer-by is deleted.\n');
    expect((await sheaf.json(['role', 'show'])).map(({ type }: { type: string }) => type)).toEqual([
      'authenticated',
      'public',
    ]);
    // Nothing of them is left: no grant, and no link.
    expect(await server.number('select count(*) from up_permissions')).toBe(
      await server.number('select count(*) from up_permissions_role_lnk l join up_roles r on r.id = l.role_id'),
    );
  });

  it('keeps the role that new users get', async () => {
    await sheaf.said(['role', 'create', 'Newcomer']);
    const setting = JSON.stringify({ default_role: 'newcomer' });
    await server.execute(
      `insert into strapi_core_store_settings (key, value, type) values ('plugin_users-permissions_advanced', '${setting}', 'object')`,
    );
    const command = ['role', 'delete', 'newcomer', '--move-to', 'public'];
    expect((await sheaf.refused(command)).message).toMatch(/new users get/);
    await server.execute(`delete from strapi_core_store_settings where key = 'plugin_users-permissions_advanced'`);
    expect(await sheaf.json(command)).toMatchObject({ moved: 0 });
  });

  it('deletes a user where that is meant, and logs them out', async () => {
    const token = (await logIn('ben')).body.jwt;
    expect(await sheaf.refused(['user', 'delete', 'ben'])).toEqual({
      message: 'This deletes the user ben (ben@example.com) for good.',
      hints: ['add --yes if that is meant'],
    });
    expect(await statusOf(token)).toBe(200);
    expect(await sheaf.json(['user', 'delete', 'ben', '--yes'])).toMatchObject({ username: 'ben', deleted: true });
    expect(await statusOf(token)).toBe(401);
    expect((await logIn('ben')).status).toBe(400);
    expect(await server.number('select count(*) from up_users_role_lnk')).toBe(2);
  });

  it('lists tokens with their actions, their end and their last use, and never what opens anything', async () => {
    expect(await sheaf.said(['token', 'list'])).toBe('There are no API tokens; sheaf token create makes one.\n');
    const { token } = await sheaf.json(['token', 'create', 'website']);
    await sheaf.json(['token', 'create', 'importer', `${NOTE}.create`, `${NOTE}.find`, '--days', '30']);
    expect((await server.send('GET', 'notes', undefined, { authorization: `Bearer ${token}` })).status).toBe(200);
    const today = new Date().toISOString().slice(0, 10);
    const list = await sheaf.json(['token', 'list']);
    expect(list).toEqual([
      {
        id: expect.any(Number),
        name: 'website',
        description: '',
        type: 'read-only',
        actions: [],
        createdAt: expect.stringContaining('T'),
        lastUsedAt: expect.stringContaining('T'),
        expiresAt: null,
      },
      expect.objectContaining({
        name: 'importer',
        type: 'custom',
        actions: [`${NOTE}.create`, `${NOTE}.find`],
        lastUsedAt: null,
        expiresAt: expect.stringContaining('T'),
      }),
    ]);
    const text = await sheaf.said(['token', 'list']);
    expect(text).toBe(
      [
        `website   read-only  without an end    used ${today}`,
        `importer  custom     until ${list[1].expiresAt.slice(0, 10)}  used never`,
        `  ${NOTE}.create`,
        `  ${NOTE}.find`,
        '',
      ].join('\n'),
    );
    await sheaf.json(['token', 'revoke', 'website']);
    expect(await sheaf.json(['token', 'list'])).toHaveLength(1);
  });
});
