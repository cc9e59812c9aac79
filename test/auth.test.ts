// Accounts seen from outside: logging in, registering, changing a password, secrets. What is refused wears the envelope
// and changes nothing.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import bcrypt from 'bcrypt';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readSecrets } from '../src/accounts/secrets.ts';
import { open } from '../src/app.ts';
import { SetupError } from '../src/errors.ts';
import { hashPassword } from '../src/passwords.ts';
import { BODY_MODE, JOHN, shown, statuses } from './support/account-answers.ts';
import {
  API_TOKEN_SALT,
  bearer,
  expectDenied,
  expectError,
  expectForbidden,
  expectInvalid,
  expectUnauthorized,
  JWT_SECRET,
  OTHER_PASSWORD,
  PASSWORD,
  type Service,
  useFolders,
  useServices,
} from './support/auth.ts';
import { atFullCost } from './support/cheap-hashes.ts';
import type { Answer, Json } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

describeOnEveryDatabase('Logging in', (engine) => {
  const services = useServices(engine);
  let service: Service;
  beforeAll(async () => {
    service = await services.start();
  });
  afterEach(() => service.setAdvanced({}));

  it('takes the name and the password that Strapi 5 hashed, and shows the account', async () => {
    const answer = await service.tryLogIn('John');
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ jwt: expect.any(String), user: shown(JOHN, { id: 1, documentId: JOHN.documentId }) });
    expect((await service.me(answer.body.jwt)).body).toEqual(answer.body.user);
  });

  it('takes the address, in any case', async () => {
    for (const address of ['meg@example.com', 'MEG@Example.COM']) {
      const { status, body } = await service.tryLogIn(address);
      expect([status, body.user?.username]).toEqual([200, 'meg']);
    }
  });

  it('takes a name only as it is written, as another may differ by case alone', async () => {
    const person = await service.person();
    const twin = await service.person({ username: person.username.toUpperCase() });
    expect((await service.tryLogIn(person.username)).body.user.id).toBe(person.id);
    expect((await service.tryLogIn(twin.username)).body.user.id).toBe(twin.id);
    const third = await service.tryLogIn(person.username.replace('p', 'P'));
    expectInvalid(third, 'Invalid identifier or password');
  });

  it('takes the password of either account where a name is the address of another', async () => {
    const named = await service.person();
    const username = `${named.username}@Twins.example`;
    await service.change(named, 'username', username);
    const owner = await service.person({ email: username.toLowerCase() });
    const hash = String(await service.stored(owner, 'password'));
    expect((await service.tryLogIn(username)).body.user.id).toBe(owner.id);
    await service.change(owner, 'password', await hashPassword(OTHER_PASSWORD));
    expect((await service.tryLogIn(username)).body.user.id).toBe(named.id);
    expect((await service.tryLogIn(username, OTHER_PASSWORD)).body.user.id).toBe(owner.id);
    expect((await service.tryLogIn(username, hash)).status).toBe(400);
  });

  it('takes hashes of PHP, too, which differ in a letter', async () => {
    const person = await service.person();
    const stored = String(await service.stored(person, 'password'));
    await service.change(person, 'password', stored.replace(/^\$2[ab]\$/, '$2y$'));
    expect((await service.tryLogIn(person.username)).status).toBe(200);
    expect((await service.tryLogIn(person.username, 'wrong-one')).status).toBe(400);
  });

  it('answers to a wrong password and to an unknown user with the same bytes', async () => {
    const wrong = await service.tryLogIn('John', 'not-the-password');
    const unknown = await service.tryLogIn('nobody', 'not-the-password');
    const hash = await service.tryLogIn('John', String(await service.stored(JOHN, 'password')));
    expectInvalid(wrong, 'Invalid identifier or password');
    expect(unknown.body).toEqual(wrong.body);
    expect(hash.body).toEqual(wrong.body);
  });

  it('does not tell of a blocked or unconfirmed account before the password is right', async () => {
    await service.setAdvanced({ email_confirmation: true });
    const blocked = await service.person({ blocked: true });
    const unconfirmed = await service.person({ confirmed: false });
    for (const { username } of [blocked, unconfirmed])
      expectInvalid(await service.tryLogIn(username, 'wrong'), 'Invalid identifier or password');
  });

  it('is refused where the administration of Strapi 5 has turned passwords off', async () => {
    const person = await service.person();
    const { jwt } = await service.logIn(person);
    const store = (value: unknown) =>
      service.execute(
        `update strapi_core_store_settings set value = '${JSON.stringify(value)}' where key = 'plugin_users-permissions_grant'`,
      );
    for (const email of [{ enabled: false }, {}]) {
      await store({ email, github: { enabled: true } });
      for (const password of [PASSWORD, 'not-the-password'])
        expectDenied(await service.tryLogIn(person.username, password), 'This provider is disabled');
    }
    expect((await service.me(jwt)).status).toBe(200);
    for (const stored of [{}, { email: { enabled: true } }]) {
      await store(stored);
      await service.logIn(person);
    }
  });

  it('names every field that is missing or no text', async () => {
    const one = await service.auth('local', { identifier: 'John' });
    expectInvalid(one, 'password is a required field');
    expect(one.body.error.details.errors).toEqual([
      { path: ['password'], message: 'password is a required field', name: 'ValidationError' },
    ]);
    // A form that nobody filled in.
    expectInvalid(await service.auth('local', { identifier: 'John', password: '' }), 'password is a required field');
    for (const body of [{}, [], undefined, { identifier: { $ne: null }, password: { $ne: null } }]) {
      const both = await service.auth('local', body);
      expectInvalid(both, '2 errors occurred');
      expect(both.body.error.details.errors.map(({ path }: { path: string[] }) => path)).toEqual([
        ['identifier'],
        ['password'],
      ]);
    }
  });

  it('takes nothing but texts for a name and a password', async () => {
    const no = [null, '', 0, 1, true, ['John'], { username: 'John' }, 'John\0', '\ud800'];
    for (const value of no) expectInvalid(await service.tryLogIn(value));
    for (const value of no) expectInvalid(await service.tryLogIn('John', value));
    for (const value of ["' or 1=1 --", 'Joh_', 'x'.repeat(100_000)])
      expectInvalid(await service.tryLogIn(value), 'Invalid identifier or password');
  });

  it('refuses an account that Strapi 5 blocked', async () => {
    const answer = await service.tryLogIn('Sam_100%');
    expectDenied(answer, 'Your account has been blocked by an administrator');
  });

  it('refuses an unconfirmed account where addresses are to be confirmed, and only there', async () => {
    const person = await service.person({ confirmed: false });
    expect((await service.tryLogIn(person.username)).status).toBe(200);
    await service.setAdvanced({ email_confirmation: true });
    const answer = await service.tryLogIn(person.username);
    expectDenied(answer, 'Your account email is not confirmed');
    expect((await service.tryLogIn('John')).status).toBe(200);
  });

  it('refuses accounts of other providers and accounts without a password', async () => {
    const elsewhere = await service.person({ provider: 'google' });
    const without = await service.person({ password: null });
    for (const { username } of [elsewhere, without])
      for (const password of [PASSWORD, 'null'])
        expectInvalid(await service.tryLogIn(username, password), 'Invalid identifier or password');
  });

  it('never keeps a password or a token in clear', async () => {
    const { jwt, refreshToken } = await service.logIn(JOHN);
    for (const secret of [PASSWORD, jwt, refreshToken]) expect(await service.tablesWith(secret)).toEqual([]);
  });

  it('lets no address try passwords of one account without end', async () => {
    const rateLimits = { account: { max: 3, seconds: 60 }, auth: { max: 1000, seconds: 60 } };
    const limited = await services.start({ settings: { rateLimits }, database: service.database });
    const [one, other] = [await limited.person(), await limited.person()];
    for (const name of [one.username, one.email])
      for (let round = 0; round < 3; round++) expect((await limited.tryLogIn(name, 'wrong')).status).toBe(400);
    for (const name of [one.username, one.email, one.email.toUpperCase()]) {
      const answer = await limited.tryLogIn(name);
      expectError(answer, 429, 'RateLimitError', 'Too many requests, please try again later.');
    }
    // A number is no name of an account, so nobody is locked out by it.
    for (let round = 0; round < 4; round++) await limited.tryLogIn(String(other.id), 'wrong');
    expect((await limited.tryLogIn(other.username)).status).toBe(200);
  });

  it('does not tell by its limits who is there', async () => {
    const rateLimits = { account: { max: 2, seconds: 60 }, auth: { max: 1000, seconds: 60 } };
    const limited = await services.start({ settings: { rateLimits }, database: service.database });
    const tried = async (name: string): Promise<number[]> => {
      const found: number[] = [];
      for (const given of [name, name, name, name.toUpperCase()])
        found.push((await limited.tryLogIn(given, 'wrong')).status);
      return found;
    };
    const known = [(await limited.person()).username, (await limited.person()).email];
    for (const name of known) expect(await tried(name)).toEqual(await tried(`not-${name}`));
  });

  it('limits how often one address asks for each of the paths about accounts', async () => {
    const rateLimits = { auth: { max: 2, seconds: 60 } };
    const limited = await services.start({ settings: { rateLimits }, database: service.database });
    for (const path of ['local', 'local/register', 'forgot-password', 'reset-password', 'refresh']) {
      const answers: Answer[] = [];
      for (let round = 0; round < 3; round++) answers.push(await limited.auth(path, {}));
      expect([path, ...answers.map(({ status }) => status)]).toEqual([path, 400, 400, 429]);
      expectError(answers[2]!, 429, 'RateLimitError');
    }
  });

  it('takes as long for a name that nobody has as for a wrong password', async () => {
    const timed = async (username: string): Promise<number> => {
      const begin = performance.now();
      expect((await service.tryLogIn(username, 'not-the-password')).status).toBe(400);
      return performance.now() - begin;
    };
    const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!;
    /** How many times as long one of the two takes as the other; they are asked for in turn. */
    const difference = async (): Promise<number> => {
      const known: number[] = [];
      const unknown: number[] = [];
      for (let round = 0; round < 9; round++) {
        known.push(await timed('John'));
        unknown.push(await timed('nobody-of-this-name'));
      }
      return Math.max(median(known) / median(unknown), median(unknown) / median(known));
    };
    await timed('John');
    const found: number[] = [];
    // What else the machine does is no difference between accounts: one that is there is there every time.
    while (found.length < 5 && !found.some((times) => times < 1.5)) found.push(await difference());
    expect(Math.min(...found)).toBeLessThan(1.5);
  });

  it('compares a password once, at the same cost, whether there is somebody of that name or not', async () => {
    const compare = vi.spyOn(bcrypt, 'compare');
    try {
      for (const name of ['John', 'nobody-of-this-name']) await service.tryLogIn(name, 'not-the-password');
      expect(compare.mock.calls.map(([, hash]) => hash.split('$')[2])).toEqual(['10', '10']);
    } finally {
      compare.mockRestore();
    }
  });

  it('compares at the cost that the project has chosen where there is nobody of that name, too', async () => {
    const project = services.project();
    const folder = path.join(project, 'src/extensions/users-permissions/content-types/user');
    mkdirSync(folder, { recursive: true });
    const attributes = { password: { type: 'password', private: true, encryption: { rounds: 5 } } };
    writeFileSync(path.join(folder, 'schema.json'), JSON.stringify({ attributes }));
    const other = await services.start({ project });
    const { username } = await other.person({ password: null });
    const compare = vi.spyOn(bcrypt, 'compare');
    try {
      for (const name of ['nobody-of-this-name', username]) await other.tryLogIn(name, 'not-the-password');
      expect(compare.mock.calls.map(([, hash]) => hash.split('$')[2])).toEqual(['05', '05']);
    } finally {
      compare.mockRestore();
    }
  });
});

describeOnEveryDatabase('Registering', (engine) => {
  const services = useServices(engine);
  let service: Service;
  let made = 0;
  beforeAll(async () => {
    service = await services.start();
  });
  afterEach(() => service.setAdvanced({}));

  /** A body that nobody else sends. */
  const newcomer = (values: Json = {}): Json & { username: string; email: string } => {
    const username = `newcomer${++made}`;
    return { username, email: `${username}@new.example`, password: PASSWORD, ...values };
  };
  const register = (body: unknown): Promise<Answer> => service.auth('local/register', body);
  const users = (): Promise<number> => service.number('select count(*) from up_users');

  it('makes an account that is logged in and has the role of those who log in', async () => {
    const body = newcomer();
    const answer = await atFullCost(() => register(body));
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ jwt: expect.any(String), user: shown(body) });
    expect((await service.me(answer.body.jwt)).body).toEqual(answer.body.user);
    expect((await service.tryLogIn(body.username)).status).toBe(200);
    const { id } = answer.body.user;
    expect(await service.stored({ id }, 'password')).toMatch(/^\$2[ab]\$10\$/);
    const roles = await service.rows(
      `select r.type from up_roles r join up_users_role_lnk l on l.role_id = r.id where l.user_id = ${id}`,
    );
    expect(roles).toEqual([['authenticated']]);
  });

  it('shows the role to who may find roles, as Strapi 5 does', async () => {
    const { roles } = await service.sheaf.auth();
    const find = 'plugin::users-permissions.role.find';
    await roles.grant('public', [find]);
    const body = newcomer();
    const { user } = (await register(body)).body;
    const role = { id: 1, name: 'Authenticated', type: 'authenticated', documentId: expect.any(String) };
    expect(user).toEqual(shown(body, { role: expect.objectContaining(role) }));
    expect(Object.keys(user.role)).not.toContain('permissions');
    await roles.revoke('public', [find]);
    expect((await register(newcomer())).body.user.role).toBeUndefined();
  });

  it('keeps the address in small letters', async () => {
    const body = newcomer();
    const answer = await register({ ...body, email: body.email.toUpperCase() });
    expect(answer.body.user.email).toBe(body.email);
    expect((await service.tryLogIn(body.email.toUpperCase())).status).toBe(200);
  });

  it.each([
    ['role', 2],
    ['role', { connect: [2] }],
    ['confirmed', true],
    ['blocked', false],
    ['provider', 'google'],
    ['id', 1],
    ['documentId', JOHN.documentId],
    ['resetPasswordToken', 'x'],
    ['confirmationToken', 'x'],
    ['createdAt', '2020-01-01'],
    ['updatedAt', '2020-01-01'],
    ['publishedAt', null],
    ['createdBy', 1],
    ['updatedBy', 1],
    ['locale', 'en'],
    ['localizations', []],
    ['data', { username: 'someone' }],
    ['nickname', 'Nick'],
    ['constructor', 'x'],
  ])('refuses %s in the body by name, and makes nobody', async (key, value) => {
    const before = await users();
    expectInvalid(await register(newcomer({ [key]: value })), `Invalid parameters: ${key}`);
    expect(await users()).toBe(before);
  });

  it('names all keys that are refused', async () => {
    const answer = await register(newcomer({ role: 1, confirmed: true, nope: 1 }));
    expectInvalid(answer, 'Invalid parameters: role, confirmed, nope');
  });

  it('takes what the project lets newcomers give, and never what only the server decides', async () => {
    const project = services.project({ auth: { registerFields: ['nickname', 'role', 'confirmed'] } });
    const folder = path.join(project, 'src', 'extensions', 'users-permissions', 'content-types', 'user');
    mkdirSync(folder, { recursive: true });
    const extension = {
      kind: 'collectionType',
      collectionName: 'up_users',
      info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
      attributes: { nickname: { type: 'string' } },
    };
    writeFileSync(path.join(folder, 'schema.json'), JSON.stringify(extension));
    const extended = await services.start({ project });
    await extended.setAdvanced({ email_confirmation: true });
    const body = newcomer({ nickname: 'Nick', role: 2, confirmed: true });
    const answer = await extended.auth('local/register', body);
    expect(answer.body).toEqual({ user: shown(body, { nickname: 'Nick', confirmed: false }) });
    const role = `select role_id from up_users_role_lnk where user_id = ${answer.body.user.id}`;
    expect(await extended.number(role)).toBe(1);
  });

  it('refuses a taken address or name, in any case and one in place of the other', async () => {
    const person = await service.person();
    const odd = await service.person({ username: 'odd@names.example' });
    const before = await users();
    const taken = [
      { email: person.email },
      { email: person.email.toUpperCase() },
      { username: person.username },
      { username: person.email },
      { username: person.email.toUpperCase() },
      { email: odd.username },
      { email: odd.username.toUpperCase() },
    ];
    for (const values of taken) expectDenied(await register(newcomer(values)), 'Email or Username are already taken');
    expect(await users()).toBe(before);
  });

  it('locks nobody out whose name is the new address in other letters', async () => {
    const first = newcomer();
    const username = `N${first.username}@X.example`;
    expect((await register({ ...first, username })).status).toBe(200);
    const second = newcomer({ email: username.toLowerCase() });
    expect((await register({ ...second, password: OTHER_PASSWORD })).status).toBe(200);
    expect((await service.tryLogIn(username)).body.user).toMatchObject({ username });
    expect((await service.tryLogIn(username, OTHER_PASSWORD)).body.user).toMatchObject({ username: second.username });
  });

  it('lets nobody take the address of someone to come for a name, in whatever case', async () => {
    const victim = newcomer();
    const early = newcomer({ username: victim.email.toUpperCase() });
    await register(early);
    await register(victim);
    // Whichever of the two was refused: an address leads to the account that has it.
    const answer = await service.tryLogIn(victim.email.toUpperCase());
    const owner = await service.number(`select count(*) from up_users where email = '${victim.email}'`);
    expect(owner === 0 || answer.body.user?.email === victim.email).toBe(true);
  });

  it.each([
    ['a password of five characters', { password: 'five5' }, 'password must be at least 6 characters'],
    ['an empty password', { password: '' }, undefined],
    ['a password of 73 bytes', { password: 'x'.repeat(73) }, 'Password must be less than 73 bytes'],
    ['a password of 25 characters and 75 bytes', { password: '€'.repeat(25) }, 'Password must be less than 73 bytes'],
    ['a password with a null character', { password: 'secret\0word' }, undefined],
    ['a password that is a number', { password: 12345678 }, undefined],
    ['a password that is a list', { password: [PASSWORD] }, undefined],
    ['a name of two characters', { username: 'me' }, undefined],
    ['an address that is none', { email: 'nobody' }, undefined],
    ['two addresses', { email: 'a@new.example,b@new.example' }, undefined],
    ['an address that is an object', { email: { $ne: '' } }, undefined],
  ])('refuses %s', async (_, values, message) => {
    const before = await users();
    expectInvalid(await register(newcomer(values)), message);
    expect(await users()).toBe(before);
  });

  it('takes a password of 72 bytes whole', async () => {
    const body = newcomer({ password: '€'.repeat(24) });
    expect((await register(body)).status).toBe(200);
    expect((await service.tryLogIn(body.username, '€'.repeat(24))).status).toBe(200);
    expect((await service.tryLogIn(body.username, `${'€'.repeat(23)}$$$`)).status).toBe(400);
  });

  it('names every field that is missing', async () => {
    const answer = await register({});
    expectInvalid(answer, '3 errors occurred');
    expect(answer.body.error.details.errors.map(({ path }: { path: string[] }) => path)).toEqual([
      ['email'],
      ['username'],
      ['password'],
    ]);
    const wrong = await register({ username: 'someone', email: 'no address' });
    expect(wrong.body.error.details.errors.map(({ message }: { message: string }) => message)).toEqual([
      'email must be a valid email',
      'password is a required field',
    ]);
  });

  it('is over where the setting says so', async () => {
    await service.setAdvanced({ allow_register: false });
    const answer = await register(newcomer());
    expectDenied(answer, 'Register action is currently disabled');
  });

  it('gives the role of the setting, and makes nobody where there is none', async () => {
    const { roles } = await service.sheaf.auth();
    const role = await roles.create('Newcomers');
    await service.setAdvanced({ default_role: role.type });
    const { id } = (await register(newcomer())).body.user;
    expect(await service.number(`select role_id from up_users_role_lnk where user_id = ${id}`)).toBe(role.id);
    await service.setAdvanced({ default_role: 'no-such-role' });
    const before = await users();
    expectDenied(await register(newcomer()), 'Impossible to find the default role');
    expect(await users()).toBe(before);
  });

  it('gives an address to one of those who ask for it at once', async () => {
    const { email } = newcomer();
    const answers = await Promise.all(Array.from({ length: 6 }, () => register(newcomer({ email }))));
    expect(statuses(answers)).toEqual([200, 400, 400, 400, 400, 400]);
    for (const answer of answers.filter(({ status }) => status === 400))
      expectDenied(answer, 'Email or Username are already taken');
    expect(await service.number(`select count(*) from up_users where email = '${email}'`)).toBe(1);
  });

  it('gives a name to one of those who ask for it at once, here and where users are written', async () => {
    const { username } = newcomer();
    const answers = await Promise.all([
      ...Array.from({ length: 3 }, () => register(newcomer({ username }))),
      ...Array.from({ length: 3 }, () => service.send('POST', 'users', newcomer({ username }))),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    expect(await service.number(`select count(*) from up_users where username = '${username}'`)).toBe(1);
  });

  it('gives an address that is asked for as an address and as a name to one of both', async () => {
    const { email } = newcomer();
    const answers = await Promise.all([
      register(newcomer({ email })),
      register(newcomer({ username: email })),
      register(newcomer({ email })),
      register(newcomer({ username: email })),
    ]);
    expect(statuses(answers)).toEqual([200, 400, 400, 400]);
  });
});

describeOnEveryDatabase('Changing a password', (engine) => {
  const services = useServices(engine);
  let service: Service;
  beforeAll(async () => {
    service = await services.start({ settings: BODY_MODE });
  });

  it('needs the current one, and ends every session but the one it begins', async () => {
    const person = await service.person();
    const [one, other] = [await service.logIn(person), await service.logIn(person)];
    const answer = await service.changePassword(one.jwt);
    expect(answer.body).toEqual({
      jwt: expect.any(String),
      refreshToken: expect.any(String),
      user: expect.objectContaining({ id: person.id }),
    });
    for (const { jwt, refreshToken } of [one, other]) {
      expectUnauthorized(await service.me(jwt));
      expectUnauthorized(await service.refresh(refreshToken));
    }
    expect((await service.me(answer.body.jwt)).status).toBe(200);
    expect((await service.tryLogIn(person.username)).status).toBe(400);
    expect((await service.tryLogIn(person.username, OTHER_PASSWORD)).status).toBe(200);
  });

  it('refuses what is wrong, and keeps password and session', async () => {
    const person = await service.person();
    const { jwt } = await service.logIn(person);
    const change = (body: Json): Promise<Answer> =>
      service.auth(
        'change-password',
        { currentPassword: PASSWORD, password: OTHER_PASSWORD, passwordConfirmation: OTHER_PASSWORD, ...body },
        bearer(jwt),
      );
    const both = (password: unknown): Json => ({ password, passwordConfirmation: password });
    const refusals: [Json, string | undefined][] = [
      [{ currentPassword: 'wrong-one' }, 'The provided current password is invalid'],
      [{ currentPassword: { $ne: '' } }, undefined],
      [{ passwordConfirmation: 'an0ther-one' }, 'Passwords do not match'],
      [both(PASSWORD), 'Your new password must be different than your current password'],
      [both('five5'), 'password must be at least 6 characters'],
      [both('x'.repeat(73)), 'Password must be less than 73 bytes'],
      [both([OTHER_PASSWORD]), undefined],
    ];
    for (const [body, message] of refusals) expectInvalid(await change(body), message);
    expect((await service.auth('change-password', {}, bearer(jwt))).body.error.details.errors).toHaveLength(3);
    expect((await service.me(jwt)).status).toBe(200);
    expect((await service.tryLogIn(person.username)).status).toBe(200);
  });

  it('lets nobody who has a session try passwords without end', async () => {
    const rateLimits = { account: { max: 3, seconds: 60 }, auth: { max: 1000, seconds: 60 } };
    const limited = await services.start({ settings: { ...BODY_MODE, rateLimits }, database: service.database });
    const [one, other] = [await service.person(), await service.person()];
    const { jwt } = await service.logIn(one);
    for (let round = 0; round < 3; round++)
      expectInvalid(await limited.changePassword(jwt, 'wrong-one'), 'The provided current password is invalid');
    const answer = await limited.changePassword(jwt);
    expectError(answer, 429, 'RateLimitError', 'Too many requests, please try again later.');
    expect((await limited.changePassword((await service.logIn(other)).jwt)).status).toBe(200);
  });

  it('is not for the public, nor for programs', async () => {
    const body = { currentPassword: PASSWORD, password: OTHER_PASSWORD, passwordConfirmation: OTHER_PASSWORD };
    expectForbidden(await service.auth('change-password', body));
    const { tokens } = await service.sheaf.auth();
    const token = await tokens.create({ name: 'all', description: '', type: 'full-access', actions: [], days: null });
    const answer = await service.auth('change-password', body, bearer(token));
    expectDenied(answer, 'You must be authenticated to reset your password');
  });
});

describeOnEveryDatabase('Secrets', (engine) => {
  const services = useServices(engine);

  it('that are not given are made at random, in a file that only this account can read', async () => {
    const project = services.project();
    const state = path.join(services.folder(), 'deep', 'state');
    const database = engine.guideDatabaseUrl();
    const sheaf = await open({ project, database, state });
    await sheaf.auth();
    await sheaf.close();
    const file = path.join(state, 'secrets.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(state)).toEqual(['secrets.json']);
    const { jwt, apiTokenSalt, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>;
    expect(rest).toEqual({});
    for (const secret of [jwt, apiTokenSalt]) expect(secret).toMatch(/^[\w-]{43}$/);
    expect(jwt).not.toBe(apiTokenSalt);
  });

  it('that were made are the same after a restart, and for whoever starts beside', async () => {
    const options = { project: services.project(), database: engine.guideDatabaseUrl(), state: services.folder() };
    const sheafs = [await open(options), await open(options)];
    const [one, other] = await Promise.all(sheafs.map((sheaf) => sheaf.auth()));
    const { jwt } = (await one!.sessions.begin(JOHN.id))!;
    expect((await other!.authenticator.identify(`Bearer ${jwt}`)).account?.id).toBe(JOHN.id);
    for (const sheaf of sheafs) await sheaf.close();
    const again = await open(options);
    const identity = await (await again.auth()).authenticator.identify(`Bearer ${jwt}`);
    expect(identity.account?.id).toBe(JOHN.id);
    await again.close();
  });

  it('that could be guessed refuse the start', async () => {
    const options = { project: services.project(), database: engine.guideDatabaseUrl(), state: services.folder() };
    for (const secrets of [{ jwt: 'short' }, { jwt: JWT_SECRET, apiTokenSalt: 'toBeModified1toBeModified2' }]) {
      const sheaf = await open({ ...options, secrets });
      await expect(sheaf.auth()).rejects.toThrow(SetupError);
      await sheaf.close();
    }
  });
});

describe('Secrets that are given or kept', () => {
  const newFolder = useFolders();
  const good = { jwt: JWT_SECRET, apiTokenSalt: API_TOKEN_SALT };

  it('are taken as they are given, and then nothing is kept', () => {
    const folder = path.join(newFolder(), 'none');
    expect(readSecrets(good, folder)).toEqual(good);
    expect(existsSync(folder)).toBe(false);
  });

  it('are made where they are not given', () => {
    const folder = newFolder();
    const { jwt, apiTokenSalt } = readSecrets({ jwt: JWT_SECRET }, folder);
    expect(jwt).toBe(JWT_SECRET);
    expect(readSecrets({}, folder).apiTokenSalt).toBe(apiTokenSalt);
    expect(readSecrets({}, newFolder()).apiTokenSalt).not.toBe(apiTokenSalt);
  });

  it.each([
    ['empty', ''],
    ['short', 'kD9-vU3xq_71Rbm'],
    ['one character again and again', 'a'.repeat(64)],
    ['a few characters again and again', 'abcabcabcabcabcabcabcabcabc'],
    ['a common word with something around it', 'my-super-secret-key-1234'],
    ['what Strapi 5’s template has', 'tobemodified-tobemodified'],
    ['a password in capitals', 'PASSWORD-PASSWORD-123'],
  ])('refuse one that is %s, and name its variable', (_, weak) => {
    const folder = newFolder();
    const jwt = () => readSecrets({ ...good, jwt: weak }, folder);
    expect(jwt).toThrow(SetupError);
    expect(jwt).toThrow(/JWT_SECRET/);
    expect(() => readSecrets({ ...good, apiTokenSalt: weak }, folder)).toThrow(/API_TOKEN_SALT/);
    if (weak !== '') expect(jwt).not.toThrow(weak);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each([
    ['empty', ''],
    ['garbage', 'garbage'],
    ['a list', '[]'],
    ['null', 'null'],
    ['half of it', JSON.stringify({ jwt: JWT_SECRET })],
    ['a weak one', JSON.stringify({ ...good, jwt: 'x' })],
    ['a number', JSON.stringify({ ...good, jwt: 1234567890123456 })],
    ['cut short', JSON.stringify(good).slice(0, -5)],
  ])('refuse a file that is %s, and leave it as it is', (_, text) => {
    const folder = newFolder();
    const file = path.join(folder, 'secrets.json');
    writeFileSync(file, text);
    expect(() => readSecrets({}, folder)).toThrow(SetupError);
    expect(() => readSecrets({}, folder)).toThrow(file);
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('refuse a folder that cannot be', () => {
    const file = path.join(newFolder(), 'file');
    writeFileSync(file, '');
    expect(() => readSecrets({}, path.join(file, 'state'))).toThrow(SetupError);
  });
});
