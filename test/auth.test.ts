// Accounts seen from outside: logging in, registering, passwords, codes in mails, tokens of users and of programs, users
// as content, secrets. What is refused wears the envelope and changes nothing; what ends a session acts on the very next
// request, on every node.
import { AsyncResource } from 'node:async_hooks';
import { createHash, createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import bcrypt from 'bcrypt';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readSecrets } from '../src/accounts/secrets.ts';
import { open } from '../src/app.ts';
import { SetupError } from '../src/errors.ts';
import { MAX_MAILS_PER_HOUR } from '../src/limits.ts';
import { USER } from '../src/model/builtin.ts';
import {
  API_TOKEN_SALT,
  atFullCost,
  bearer,
  claimsOf,
  cookieOf,
  expectDenied,
  expectError,
  expectForbidden,
  expectInvalid,
  expectUnauthorized,
  JWT_SECRET,
  legacyClaims,
  nowInSeconds,
  OTHER_PASSWORD,
  PASSWORD,
  type Person,
  type Service,
  type SignedIn,
  signed,
  storedToken,
  tokensOf,
  useFolders,
  useServices,
} from './support/auth.ts';
import type { Answer, Json } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { IN_THE_END } from './support/patience.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = 900_000;
const BODY_MODE = { auth: { refreshToken: 'body' } };
const JOHN = { id: 1, documentId: 'fx30lnc40z7sf8p655udbmnu', username: 'John', email: 'john@example.com' };

/** Of PASSWORD, and so dear that much can happen while a password is compared with it. */
const SLOW_HASH = '$2b$12$Vu8uIz2YG5IPPCP7W5jBuO53vT4dwMLUXGF3KCxUPtQc8LrtqBP0i';

/** What is shown of an account, and nothing else. */
const shown = ({ username, email }: Pick<Person, 'username' | 'email'>, values: Json = {}): Json => ({
  id: expect.any(Number),
  documentId: expect.any(String),
  username,
  email,
  provider: 'local',
  confirmed: true,
  blocked: false,
  createdAt: expect.any(String),
  updatedAt: expect.any(String),
  publishedAt: expect.any(String),
  ...values,
});

const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort();

/** What cannot be refreshed with. */
const expectNoRefresh = (answer: Answer): void =>
  expectError(answer, 401, 'UnauthorizedError', 'Invalid refresh token');

/** Goes on when everybody has noticed that nothing is written any more, and what they know is good for a while. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));

/** Runs it at another time of day, as far as anyone here can tell. */
async function at<T>(moment: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: moment });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/** Calls until it is true, once at least; for what another process is told of. */
const soon = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, IN_THE_END);

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
    await service.change(owner, 'password', await bcrypt.hash(OTHER_PASSWORD, 4));
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

describeOnEveryDatabase('Forgotten passwords', (engine) => {
  const services = useServices(engine);
  let service: Service;
  beforeAll(async () => {
    service = await services.start({ settings: BODY_MODE });
  });
  afterEach(() => service.setAdvanced({}));

  const forgot = (email: unknown): Promise<Answer> => service.auth('forgot-password', { email });

  it('get the same answer for every address, and a mail only where the account may log in', async () => {
    const person = await service.person();
    const blocked = await service.person({ blocked: true });
    for (const email of [person.email, blocked.email, 'nobody@nowhere.example']) {
      const answer = await forgot(email);
      expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
    }
    expect(await service.mails(person.email)).toHaveLength(1);
    for (const email of [blocked.email, 'nobody@nowhere.example']) expect(await service.mails(email)).toEqual([]);
  });

  it('are mailed about a few times an hour; beyond that the answer is the same, and the last code stays good', async () => {
    const [person, other] = [await service.person(), await service.person()];
    for (let round = 0; round <= MAX_MAILS_PER_HOUR; round++) {
      const answer = await forgot(round % 2 === 0 ? person.email : person.email.toUpperCase());
      expect([answer.status, answer.body]).toEqual([200, { ok: true }]);
      expect(await service.mails(person.email)).toHaveLength(Math.min(round + 1, MAX_MAILS_PER_HOUR));
    }
    await service.resetCode(other);
    expect((await service.resetPassword((await service.mails(person.email)).at(-1)!.code)).status).toBe(200);
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      vi.setSystemTime(Date.now() + 3_600_000);
      await forgot(person.email);
      expect(await service.mails(person.email)).toHaveLength(MAX_MAILS_PER_HOUR + 1);
    } finally {
      vi.useRealTimers();
    }
  });

  it('take an address in any case, and nothing else', async () => {
    const person = await service.person();
    await forgot(person.email.toUpperCase());
    expect(await service.mails(person.email)).toHaveLength(1);
    for (const path of ['forgot-password', 'send-email-confirmation'])
      for (const email of ['no address', person.username, `${person.username}@`])
        expectInvalid(await service.auth(path, { email }), 'email must be a valid email');
    for (const email of [undefined, null, '', 1, [person.email], { email: person.email }])
      expectInvalid(await forgot(email));
    expect(await service.mails(person.email)).toHaveLength(1);
  });

  it('are told of in the words that Strapi 5 keeps, in a file that only this account can read', async () => {
    await service.setAdvanced({ email_reset_password: 'https://www.example.com/reset' });
    const person = await service.person();
    const code = await service.resetCode(person);
    const [mail] = await service.mails(person.email);
    expect(mail!.subject).toBe('Reset password');
    expect(mail!.html).toContain(`<p>https://www.example.com/reset?code=${code}</p>`);
    const folder = path.join(service.state, 'mail');
    for (const file of readdirSync(folder)) expect(statSync(path.join(folder, file)).mode & 0o777).toBe(0o600);
  });

  it('are told of by the sender that Strapi 5 keeps, with a name that ends no comment in the file', async () => {
    const options = { object: 'For <%= USER.username %>', from: { name: 'Help', email: 'help@example.com' } };
    const value = JSON.stringify({ reset_password: { options } });
    const key = 'plugin_users-permissions_email';
    const [[before]] = (await service.rows(`select value from strapi_core_store_settings where key = '${key}'`)) as [
      [string],
    ];
    const keep = (text: string) =>
      service.execute(
        `update strapi_core_store_settings set value = '${text.replaceAll("'", "''")}' where key = '${key}'`,
      );
    await keep(value);
    const person = await service.person({ username: 'end--><b>' });
    await service.resetCode(person);
    await keep(before);
    const folder = path.join(service.state, 'mail');
    const texts = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
    const text = texts.find((one) => one.includes(`To: ${person.email}`))!;
    expect(text).toContain('From: "Help" <help@example.com>');
    expect(text).toContain('Subject: For end><b> -->');
  });

  it('are changed by the code of the mail: the new one works, the old one and every session are over', async () => {
    const person = await service.person();
    const [one, other] = [await service.logIn(person), await service.logIn(person)];
    const legacy = signed(legacyClaims(person.id));
    expect((await service.me(legacy)).status).toBe(200);
    const answer = await service.resetPassword(await service.resetCode(person));
    expect(answer.body.user).toMatchObject({ id: person.id, username: person.username });
    const { jwt, refreshToken } = tokensOf(answer);
    expect((await service.me(jwt)).status).toBe(200);
    for (const token of [one.jwt, other.jwt, legacy]) expectUnauthorized(await service.me(token));
    for (const token of [one.refreshToken, other.refreshToken]) expectUnauthorized(await service.refresh(token));
    expect((await service.tryLogIn(person.username)).status).toBe(400);
    expect((await service.tryLogIn(person.username, OTHER_PASSWORD)).status).toBe(200);
    expect((await service.refresh(refreshToken)).status).toBe(200);
  });

  it('leave no code in the database, but its hash and its end', async () => {
    const person = await service.person();
    const before = Date.now();
    const code = await service.resetCode(person);
    expect(code).toMatch(/^[0-9a-f]{64}$/);
    expect(await service.tablesWith(code)).toEqual([]);
    const [hash, end] = String(await service.stored(person, 'reset_password_token')).split(':');
    expect(hash).toBe(createHash('sha256').update(code).digest('hex'));
    expect(Number(end)).toBeGreaterThanOrEqual(before + QUARTER_MS);
    expect(Number(end)).toBeLessThanOrEqual(Date.now() + QUARTER_MS);
    // What stands in the database opens nothing.
    for (const stolen of [hash, `${hash}:${end}`]) expect((await service.resetPassword(stolen)).status).toBe(400);
    expect((await service.resetPassword(code)).status).toBe(200);
  });

  it('take a code once', async () => {
    const person = await service.person();
    const code = await service.resetCode(person);
    expect((await service.resetPassword(code)).status).toBe(200);
    const again = await service.resetPassword(code, 'yet-an0ther');
    expectInvalid(again, 'Incorrect code provided');
    expect((await service.tryLogIn(person.username, OTHER_PASSWORD)).status).toBe(200);
  });

  it('take a code from one of those who bring it at once', async () => {
    const person = await service.person();
    const code = await service.resetCode(person);
    const passwords = ['first-0ne', 'sec0nd-one', 'third-0ne', 'f0urth-one'];
    const answers = await Promise.all(passwords.map((password) => service.resetPassword(code, password)));
    expect(statuses(answers)).toEqual([200, 400, 400, 400]);
    for (const [index, { status }] of answers.entries())
      expect((await service.tryLogIn(person.username, passwords[index])).status).toBe(status);
  });

  it('take a code for a quarter of an hour', async () => {
    const person = await service.person();
    const code = await service.resetCode(person);
    const stored = String(await service.stored(person, 'reset_password_token'));
    const end = Number(stored.split(':')[1]);
    const moved = (by: number): Promise<void> =>
      service.change(person, 'reset_password_token', stored.replace(String(end), String(end - by)));
    await moved(QUARTER_MS + 1000);
    expectInvalid(await service.resetPassword(code), 'Incorrect code provided');
    await moved(QUARTER_MS - 60_000);
    expect((await service.resetPassword(code)).status).toBe(200);
  });

  it('take no code whose end cannot be read', async () => {
    const person = await service.person();
    const code = await service.resetCode(person);
    const [hash] = String(await service.stored(person, 'reset_password_token')).split(':');
    for (const end of ['', ':', ':never', ':NaN', ':-1']) {
      await service.change(person, 'reset_password_token', `${hash}${end}`);
      const answer = await service.resetPassword(code);
      expect([end, answer.status]).toEqual([end, 400]);
    }
  });

  it('take the newest code alone', async () => {
    const person = await service.person();
    const older = await service.resetCode(person);
    const newer = await service.resetCode(person);
    expect(newer).not.toBe(older);
    expectInvalid(await service.resetPassword(older), 'Incorrect code provided');
    expect((await service.resetPassword(newer)).status).toBe(200);
  });

  it('take no code after the password was changed in another way', async () => {
    const person = await service.person();
    const code = await service.resetCode(person);
    const { jwt } = await service.logIn(person);
    expect((await service.changePassword(jwt)).status).toBe(200);
    expectInvalid(await service.resetPassword(code), 'Incorrect code provided');
    const written = await service.person();
    const other = await service.resetCode(written);
    expect((await service.send('PUT', `users/${written.id}`, { password: OTHER_PASSWORD })).status).toBe(200);
    expectInvalid(await service.resetPassword(other), 'Incorrect code provided');
  });

  it('take no code that went to an address which is no longer the user’s', async () => {
    const person = await service.person();
    const code = await service.resetCode(person);
    const rename = (email: string): Promise<Answer> => service.send('PUT', `users/${person.id}`, { email });
    expect((await rename(person.email.toUpperCase())).status).toBe(200);
    expect(await service.stored(person, 'reset_password_token')).not.toBeNull();
    expect((await rename(`new-${person.email}`)).status).toBe(200);
    expectInvalid(await service.resetPassword(code), 'Incorrect code provided');
    expect((await service.tryLogIn(person.username)).status).toBe(200);
  });

  it.each<[string, (code: string) => unknown]>([
    ['null', () => null],
    ['missing', () => undefined],
    ['empty', () => ''],
    ['a number', () => 0],
    ['true', () => true],
    ['an object', () => ({ $ne: null })],
    ['an object around the code', (code) => ({ $eq: code })],
    ['a list', () => []],
    ['a list around the code', (code) => [code]],
    ['the code in capitals', (code) => code.toUpperCase()],
    ['the code with a space', (code) => `${code} `],
    ['the code with a null character', (code) => `${code}\0`],
    ['the beginning of the code', (code) => code.slice(0, -1)],
    ['a pattern', () => '%'],
    ['somebody else’s invention', () => randomBytes(32).toString('hex')],
  ])('take no code that is %s', async (_, codeOf) => {
    const person = await service.person();
    const code = await service.resetCode(person);
    expectInvalid(await service.resetPassword(codeOf(code)));
    expect((await service.tryLogIn(person.username)).status).toBe(200);
  });

  it('find no account without a code by a code without a value', async () => {
    const person = await service.person({ reset_password_token: '' });
    for (const code of ['', null, [], 'null']) expect((await service.resetPassword(code)).status).toBe(400);
    expect((await service.tryLogIn(person.username)).status).toBe(200);
  });

  it('take no code that Strapi 5 left in clear', async () => {
    const clear = randomBytes(64).toString('hex');
    const person = await service.person({ reset_password_token: clear });
    for (const code of [clear, clear.slice(0, 64)]) expect((await service.resetPassword(code)).status).toBe(400);
    expect((await service.tryLogIn(person.username)).status).toBe(200);
  });

  it('keep a code good where the new password is not', async () => {
    const code = await service.resetCode(await service.person());
    const reset = (password: unknown, passwordConfirmation: unknown = password): Promise<Answer> =>
      service.auth('reset-password', { code, password, passwordConfirmation });
    const mismatch = await reset('one-passw0rd', 'an0ther');
    expectInvalid(mismatch, 'Passwords do not match');
    expect(mismatch.body.error.details.errors).toMatchObject([{ path: ['passwordConfirmation'] }]);
    expectInvalid(await reset('five5'), 'password must be at least 6 characters');
    expectInvalid(await reset('x'.repeat(73)), 'Password must be less than 73 bytes');
    expectInvalid(await reset({ a: 1 }));
    expectInvalid(await reset(OTHER_PASSWORD, null));
    expect((await reset(OTHER_PASSWORD)).status).toBe(200);
  });

  it('give a blocked account no session', async () => {
    const person = await service.person();
    const code = await service.resetCode(person);
    await service.change(person, 'blocked', true);
    const answer = await service.resetPassword(code);
    expect(answer.status).toBe(400);
    expect(answer.body.jwt).toBeUndefined();
    expect(await service.number(`select count(*) from strapi_sessions where user_id = '${person.id}'`)).toBe(0);
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

describeOnEveryDatabase('Confirming an address', (engine) => {
  const services = useServices(engine);
  let service: Service;
  beforeAll(async () => {
    service = await services.start();
  });
  afterEach(() => service.setAdvanced({}));

  const confirm = (code: string): Promise<Answer> =>
    service.send('GET', `auth/email-confirmation?confirmation=${encodeURIComponent(code)}`);
  const send = (email: unknown): Promise<Answer> => service.auth('send-email-confirmation', { email });

  it('has a link that names a host, or a setting that is missing is told', async () => {
    const { accounts } = await service.sheaf.auth();
    await service.setAdvanced({ email_confirmation: false });
    expect(await accounts.settingsForLinks()).toEqual(['email.resetUrl']);
    await service.setAdvanced({ email_confirmation: true });
    expect(await accounts.settingsForLinks()).toEqual(['email.resetUrl', 'server.url']);
    await service.setAdvanced({ email_confirmation: true, email_reset_password: 'https://site.example/reset' });
    expect(await accounts.settingsForLinks()).toEqual(['server.url']);
  });
  const register = async (name: string): Promise<Person> => {
    const answer = await service.auth('local/register', {
      username: name,
      email: `${name}@new.example`,
      password: PASSWORD,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      user: shown({ username: name, email: `${name}@new.example` }, { confirmed: false }),
    });
    expect(answer.headers['set-cookie']).toBeUndefined();
    return answer.body.user;
  };

  it('comes between registering and the first log-in where the setting is on', async () => {
    await service.setAdvanced({ email_confirmation: true });
    const person = await register('confirmer');
    expectDenied(await service.tryLogIn('confirmer'), 'Your account email is not confirmed');
    const [mail] = await service.mails(person.email);
    expect(mail).toMatchObject({ subject: 'Account confirmation', code: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(await service.tablesWith(mail!.code)).toEqual([]);
    const answer = await confirm(mail!.code);
    expect([answer.status, answer.headers.location]).toEqual([302, '/']);
    const loggedIn = await service.tryLogIn('confirmer');
    expect([loggedIn.status, loggedIn.body.user?.confirmed]).toEqual([200, true]);
  });

  it('is done by a person, not by a scanner of links that sends a HEAD first', async () => {
    await service.setAdvanced({ email_confirmation: true });
    const person = await register('scanned');
    const { code } = (await service.mails(person.email))[0]!;
    const scanned = await service.send('HEAD', `auth/email-confirmation?confirmation=${code}`);
    expect([scanned.status, scanned.headers.allow]).toEqual([405, 'GET']);
    expect(await service.stored(person, 'confirmation_token')).not.toBeNull();
    expect((await confirm(code)).status).toBe(302);
  });

  it('sends the browser where the setting says', async () => {
    const there = 'https://www.example.com/welcome?from=mail';
    await service.setAdvanced({ email_confirmation: true, email_confirmation_redirection: there });
    const person = await register('redirected');
    const answer = await confirm((await service.mails(person.email))[0]!.code);
    expect([answer.status, answer.headers.location]).toEqual([302, there]);
  });

  it('takes a code once, for a quarter of an hour, and as a text alone', async () => {
    const person = await service.person({ confirmed: false });
    await send(person.email);
    const { code } = (await service.mails(person.email))[0]!;
    for (const [query, message] of [
      ['', 'confirmation is a required field'],
      ['?confirmation=', 'confirmation is a required field'],
      [`?confirmation[]=${code}`, 'confirmation must be a string'],
      [`?confirmation[$eq]=${code}`, 'confirmation must be a string'],
    ])
      expectInvalid(await service.send('GET', `auth/email-confirmation${query}`), message);
    for (const wrong of [code.toUpperCase(), code.slice(1), `${code}0`, randomBytes(32).toString('hex'), 'null'])
      expectInvalid(await confirm(wrong), 'Invalid token');
    const stored = String(await service.stored(person, 'confirmation_token'));
    await service.change(person, 'confirmation_token', stored.replace(/:\d+$/, `:${Date.now() - 1}`));
    expectInvalid(await confirm(code), 'Invalid token');
    expect((await service.send('GET', `users/${person.id}`)).body.confirmed).toBe(false);
    await service.change(person, 'confirmation_token', stored);
    expect((await confirm(code)).status).toBe(302);
    expect((await service.send('GET', `users/${person.id}`)).body.confirmed).toBe(true);
    expectInvalid(await confirm(code), 'Invalid token');
  });

  it('takes no code that went to another address', async () => {
    const person = await service.person({ confirmed: false });
    await send(person.email);
    const { code } = (await service.mails(person.email))[0]!;
    expect((await service.send('PUT', `users/${person.id}`, { email: `new-${person.email}` })).status).toBe(200);
    expectInvalid(await confirm(code), 'Invalid token');
    expect((await service.send('GET', `users/${person.id}`)).body.confirmed).toBe(false);
  });

  it('takes no code that was sent to choose a new password, nor the other way round', async () => {
    const person = await service.person({ confirmed: false });
    const reset = await service.resetCode(person);
    expectInvalid(await confirm(reset), 'Invalid token');
    await send(person.email);
    const { code } = (await service.mails(person.email)).at(-1)!;
    expectInvalid(await service.resetPassword(code), 'Incorrect code provided');
    expect((await confirm(code)).status).toBe(302);
  });

  it('is asked for again with the same answer for every address, and a mail only to who needs it', async () => {
    const waiting = await service.person({ confirmed: false });
    const confirmed = await service.person();
    const blocked = await service.person({ confirmed: false, blocked: true });
    for (const email of [waiting.email, confirmed.email, blocked.email, 'nobody@nowhere.example']) {
      const answer = await send(email.toUpperCase());
      expect([answer.status, answer.body]).toEqual([200, { email, sent: true }]);
    }
    expect(await service.mails(waiting.email)).toHaveLength(1);
    for (const email of [confirmed.email, blocked.email, 'nobody@nowhere.example'])
      expect(await service.mails(email)).toEqual([]);
    for (const email of [undefined, null, '', [waiting.email], { $ne: '' }]) expectInvalid(await send(email));
  });

  it('is mailed a few times an hour; beyond that the answer is the same, and the last code stays good', async () => {
    const person = await service.person({ confirmed: false });
    for (let round = 0; round <= MAX_MAILS_PER_HOUR; round++) {
      const answer = await send(person.email);
      expect([answer.status, answer.body]).toEqual([200, { email: person.email, sent: true }]);
    }
    const mails = await service.mails(person.email);
    expect(mails).toHaveLength(MAX_MAILS_PER_HOUR);
    const codes = await Promise.all(mails.map(async ({ code }) => (await confirm(code)).status));
    expect(codes.filter((status) => status === 302)).toHaveLength(1);
  });

  it('is mailed though the server stops once it has answered', async () => {
    const stopping = await services.start({ database: service.database });
    const people = [await stopping.person({ confirmed: false }), await stopping.person()];
    await stopping.auth('send-email-confirmation', { email: people[0]!.email });
    await stopping.auth('forgot-password', { email: people[1]!.email });
    await stopping.close();
    for (const { email } of people) expect(stopping.mailsNow(email)).toHaveLength(1);
  });

  it('does not log anybody in', async () => {
    const person = await service.person({ confirmed: false });
    await send(person.email);
    const answer = await confirm((await service.mails(person.email))[0]!.code);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(await service.number(`select count(*) from strapi_sessions where user_id = '${person.id}'`)).toBe(0);
  });
});

/** Whom forged tokens are about. */
interface Given {
  readonly service: Service;
  readonly person: Person;
  readonly tokens: SignedIn;
  /** The one of them that is forged. */
  readonly kind: keyof SignedIn;
  readonly stranger: Person;
  readonly strangersTokens: SignedIn;
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

function signedWithRsa(payload: unknown): string {
  const text = `${base64({ alg: 'RS256', typ: 'JWT' })}.${base64(payload)}`;
  return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
}

const tokenOf = ({ tokens, kind }: Given): string => tokens[kind];
/** The claims of a token that is good, some of them changed. */
const changed = (given: Given, claims: Json): Json => ({ ...claimsOf(tokenOf(given)), ...claims });
const unsigned = (token: string): string => token.split('.').slice(0, 2).join('.');
const without = (claims: Json, name: string): Json =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));

/** A token whose session was ended or changed by a statement. */
async function afterwards({ service, person, kind }: Given, statement: (session: string) => string): Promise<string> {
  const token = (await service.logIn(person))[kind];
  await service.execute(statement(`'${claimsOf(token).sessionId}'`));
  return token;
}

/** Tokens that are none. Each is wrong in one way only: but for it, the token would be taken. */
const BAD_TOKENS: Readonly<Record<string, (given: Given) => string | Promise<string>>> = {
  'of the algorithm none': (given) => `${base64({ alg: 'none', typ: 'JWT' })}.${base64(changed(given, {}))}.`,
  'of the algorithm nOnE': (given) => `${base64({ alg: 'nOnE' })}.${base64(changed(given, {}))}.`,
  'of the algorithm none with a signature': (given) => signed(changed(given, {}), { header: { alg: 'none' } }),
  'without an algorithm': (given) => signed(changed(given, {}), { header: { typ: 'JWT' } }),
  'signed with HS384': (given) => signed(changed(given, {}), { header: { alg: 'HS384' }, hash: 'sha384' }),
  'signed with HS512': (given) => signed(changed(given, {}), { header: { alg: 'HS512' }, hash: 'sha512' }),
  'that says HS256 and is signed with HS512': (given) => signed(changed(given, {}), { hash: 'sha512' }),
  'signed with RS256': (given) => signedWithRsa(changed(given, {})),
  'that brings its own key': (given) =>
    signed(changed(given, {}), {
      secret: 'my-own',
      header: { alg: 'HS256', jwk: { kty: 'oct', k: Buffer.from('my-own').toString('base64url') } },
    }),
  'with a header that must be understood and is not': (given) =>
    signed(changed(given, {}), { header: { alg: 'HS256', crit: ['exp2'], exp2: 1 } }),
  'signed with another secret': (given) => signed(changed(given, {}), { secret: `${JWT_SECRET}x` }),
  'signed with an empty secret': (given) => signed(changed(given, {}), { secret: '' }),
  'signed with the salt of API tokens': (given) => signed(changed(given, {}), { secret: API_TOKEN_SALT }),
  'with another payload under its signature': (given) => {
    const [header, , signature] = tokenOf(given).split('.');
    return `${header}.${base64(changed(given, { userId: '1', id: 1 }))}.${signature}`;
  },
  'without its signature': (given) => unsigned(tokenOf(given)),
  'with an empty signature': (given) => `${unsigned(tokenOf(given))}.`,
  'with half of its signature': (given) => tokenOf(given).slice(0, -20),
  'with padding': (given) => `${tokenOf(given)}=`,
  'with letters of another alphabet': (given) =>
    signed(changed(given, { name: '>>>???' }))
      .replaceAll('_', '/')
      .replaceAll('-', '+'),
  'with a fourth part': (given) => `${tokenOf(given)}.${tokenOf(given).split('.')[2]}`,
  'that is over': (given) => signed(changed(given, { iat: nowInSeconds() - 60, exp: nowInSeconds() - 10 })),
  'without an end': (given) => signed(without(changed(given, {}), 'exp')),
  'without a beginning': (given) => signed(without(changed(given, {}), 'iat')),
  'of Strapi 5 without an end': ({ person }) => signed(without(legacyClaims(person.id), 'exp')),
  'of Strapi 5 that is over': ({ person }) =>
    signed({ ...legacyClaims(person.id), exp: nowInSeconds() - 10, iat: nowInSeconds() - 60 }),
  'whose end is a text': (given) => signed(changed(given, { exp: 'never' })),
  'whose end is null': (given) => signed(changed(given, { exp: null })),
  'whose beginning is a text': (given) => signed(changed(given, { iat: String(nowInSeconds()) })),
  'issued in the future': (given) => signed(changed(given, { iat: nowInSeconds() + 600 })),
  'that is not good yet': (given) => signed(changed(given, { nbf: nowInSeconds() + 600 })),
  'meant for the other use': ({ tokens, kind }) => (kind === 'jwt' ? tokens.refreshToken : tokens.jwt),
  'of a type that there is not': (given) => signed(changed(given, { type: 'magic' })),
  'whose type is a list': (given) => signed(changed(given, { type: [claimsOf(tokenOf(given)).type] })),
  'of a user that there is not': () => signed(legacyClaims(999_999)),
  'of the user 0': () => signed(legacyClaims(0)),
  'of a user below 0': () => signed(legacyClaims(-1)),
  'of half a user': () => signed(legacyClaims(1.5)),
  'of a user beyond the numbers of a database': () => signed(legacyClaims(2 ** 40)),
  'of a user beyond all numbers': () => signed(legacyClaims(1e300)),
  'without a user': () => signed(without(legacyClaims(1), 'id')),
  'whose user is null': () => signed(legacyClaims(null)),
  'whose user is true': () => signed(legacyClaims(true)),
  'whose user is an object': ({ person }) => signed(legacyClaims({ id: person.id })),
  'whose user is a list': ({ person }) => signed(legacyClaims([person.id])),
  'whose user is a piece of SQL': () => signed(legacyClaims('1 or 1=1')),
  'of a session that never was': (given) => signed(changed(given, { sessionId: randomBytes(16).toString('hex') })),
  'of a session without a name': (given) => signed(changed(given, { sessionId: '' })),
  'of a session that is null': (given) => signed(changed(given, { sessionId: null })),
  'of a session that is an object': (given) => signed(changed(given, { sessionId: { $ne: '' } })),
  'of a session with a null character': (given) => signed(changed(given, { sessionId: 'x\0' })),
  'of another user’s session': (given) =>
    signed(changed(given, { sessionId: claimsOf(given.strangersTokens.jwt).sessionId })),
  'of a session that was deleted': (given) =>
    afterwards(given, (session) => `delete from strapi_sessions where session_id = ${session}`),
  'of a session that was revoked': (given) =>
    afterwards(given, (session) => `update strapi_sessions set status = 'revoked' where session_id = ${session}`),
  'of a session of an administrator': (given) =>
    afterwards(given, (session) => `update strapi_sessions set origin = 'admin' where session_id = ${session}`),
  'of a session that is over': (given) => {
    const past = given.service.instant(Date.now() - 1000);
    return afterwards(
      given,
      (session) => `update strapi_sessions set absolute_expires_at = ${past} where session_id = ${session}`,
    );
  },
  'of a session without an end': (given) =>
    afterwards(
      given,
      (session) => `update strapi_sessions set absolute_expires_at = null where session_id = ${session}`,
    ),
  'whose payload is no JSON': () => {
    const text = `${base64({ alg: 'HS256' })}.${Buffer.from('{"id":').toString('base64url')}`;
    return `${text}.${createHmac('sha256', JWT_SECRET).update(text).digest('base64url')}`;
  },
  'whose payload is a list': (given) => signed([changed(given, {})]),
  'that is garbage': () => 'garbage',
  'that is garbage in three parts': () => 'a.b.c',
  'of dots alone': () => '..',
  'of 256 digits that nobody was given': () => randomBytes(128).toString('hex'),
  'of a megabyte': () => 'x'.repeat(1_048_576),
  'of a megabyte in three parts': (given) => signed(changed(given, { filler: 'x'.repeat(1_048_576) })),
};

describeOnEveryDatabase('Tokens of users', (engine) => {
  const services = useServices(engine);
  let given: Given;
  beforeAll(async () => {
    const service = await services.start({ settings: BODY_MODE });
    const [person, stranger] = [await service.person(), await service.person()];
    const [tokens, strangersTokens] = [await service.logIn(person), await service.logIn(stranger)];
    given = { service, person, tokens, kind: 'jwt', stranger, strangersTokens };
  });

  /** Paths that the public may call, and that users may not: who is taken for one or the other shows. */
  async function expectRefused(authorization: string): Promise<void> {
    const { service } = given;
    const categories = await service.number('select count(*) from categories');
    const requests: [string, string, unknown?][] = [
      ['GET', 'users/me'],
      ['GET', 'restaurants'],
      ['GET', 'users/count'],
      ['POST', 'categories', { data: { name: 'forged' } }],
      ['POST', 'auth/logout', {}],
    ];
    for (const [method, url, body] of requests)
      expectUnauthorized(await service.send(method, url, body, { authorization }));
    expect(await service.number('select count(*) from categories')).toBe(categories);
  }

  it('say who and until when, and are signed with HS256', async () => {
    const { person, tokens } = given;
    const [header] = tokens.jwt.split('.');
    expect(JSON.parse(Buffer.from(header!, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'JWT' });
    const claims = claimsOf(tokens.jwt);
    expect(claims).toMatchObject({ userId: String(person.id), type: 'access', sessionId: expect.any(String) });
    expect(Number(claims.exp)).toBeGreaterThan(nowInSeconds());
    expect(signed(claims)).toBe(tokens.jwt);
  });

  it('let their user in, whose rights are not those of the public', async () => {
    const { service, person, tokens } = given;
    expect((await service.me(tokens.jwt)).body).toMatchObject({ id: person.id, username: person.username });
    expect((await service.send('GET', 'restaurants')).status).toBe(200);
    expectForbidden(await service.as(tokens.jwt, 'GET', 'restaurants'));
  });

  it('are taken with the scheme in any case', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
      const answer = await given.service.send('GET', 'users/me', undefined, {
        authorization: `${scheme} ${given.tokens.jwt}`,
      });
      expect([scheme, answer.status]).toEqual([scheme, 200]);
    }
  });

  it('are over at their end, and at that of the session, though nothing is written meanwhile', async () => {
    const settings = { auth: { refreshToken: 'body', accessTokenSeconds: 2 * (HOUR_MS / 1000) } };
    const service = await services.start({ settings, database: given.service.database });
    const { jwt } = await service.logIn(given.person);
    const { exp, sessionId } = claimsOf(jwt);
    await settled();
    for (let times = 0; times < 3; times++) expect((await service.me(jwt)).status).toBe(200);
    const end = Number(exp) * 1000;
    expect((await at(end - 1000, () => service.me(jwt))).status).toBe(200);
    expectUnauthorized(await at(end + 6000, () => service.me(jwt)));
    const sooner = Date.now() + HOUR_MS;
    await service.execute(
      `update strapi_sessions set absolute_expires_at = ${service.instant(sooner)} where session_id = '${sessionId}'`,
    );
    await settled();
    for (let times = 0; times < 3; times++) expect((await service.me(jwt)).status).toBe(200);
    expect((await at(sooner - 1000, () => service.me(jwt))).status).toBe(200);
    expectUnauthorized(await at(sooner + 1000, () => service.me(jwt)));
  });

  it.each(Object.keys(BAD_TOKENS))('are refused: one %s', async (name) => {
    await expectRefused(`Bearer ${await BAD_TOKENS[name]!(given)}`);
  });

  it.each(Object.keys(BAD_TOKENS).filter((name) => !name.includes('megabyte')))(
    'are refused to refresh with: one %s',
    async (name) => {
      const { service } = given;
      const token = await BAD_TOKENS[name]!({ ...given, kind: 'refreshToken' });
      const sessions = await service.number('select count(*) from strapi_sessions');
      expectNoRefresh(await service.refresh(token));
      expect(await service.number('select count(*) from strapi_sessions')).toBeLessThanOrEqual(sessions);
      expect((await service.me(given.tokens.jwt)).status).toBe(200);
    },
  );

  it.each<[string, (token: string) => string]>([
    ['two spaces', (token) => `Bearer  ${token}`],
    ['two tokens', (token) => `Bearer ${token} ${token}`],
    ['two tokens with a comma', (token) => `Bearer ${token},${token}`],
    ['a tab in place of the space', (token) => `Bearer\t${token}`],
  ])('are refused after %s', async (_, headerOf) => {
    await expectRefused(headerOf(given.tokens.jwt));
  });

  // As in Strapi 5: a proxy in front may ask for a password of its own, and a front end may have no token to send.
  it.each<[string, (token: string) => string]>([
    ['an empty header', () => ''],
    ['a scheme alone', () => 'Bearer'],
    ['a scheme and a space', () => 'Bearer '],
    ['a token without a scheme', (token) => token],
    ['another scheme', (token) => `Basic ${token}`],
    ['a name and a password', () => `Basic ${Buffer.from(`John:${PASSWORD}`).toString('base64')}`],
    ['a scheme that begins alike', (token) => `BearerX ${token}`],
  ])('are no tokens in %s, which is taken for no header', async (_, headerOf) => {
    const { service } = given;
    const authorization = headerOf(given.tokens.jwt);
    for (const url of ['users/me', 'restaurants?pagination[pageSize]=1', 'users/count', 'openapi.json']) {
      const [without, other] = [
        await service.send('GET', url),
        await service.send('GET', url, undefined, { authorization }),
      ];
      expect([url, other.status, other.body]).toEqual([url, without.status, without.body]);
    }
    const { status, headers } = await service.send('GET', 'restaurants', undefined, { authorization });
    // Not kept for others: what stands in front may answer by the header.
    expect([status, headers['cache-control']]).toEqual([200, 'private, no-store']);
  });

  it('of Strapi 5 let their user in until a logout', async () => {
    const { service } = given;
    const person = await service.person();
    const token = signed(legacyClaims(person.id));
    expect((await service.me(token)).body).toMatchObject({ id: person.id });
    const session = await service.logIn(person);
    expect((await service.as(token, 'POST', 'auth/logout', {})).body).toEqual({ ok: true });
    expectUnauthorized(await service.me(token));
    // It names no session, so every one of its user ends with it.
    expectUnauthorized(await service.me(session.jwt));
    const later = signed({ ...legacyClaims(person.id), iat: nowInSeconds() + 2 });
    expect((await service.me(later)).status).toBe(200);
  });

  it('of Strapi 5 let their user in until the password is changed', async () => {
    const { service } = given;
    const person = await service.person();
    const token = signed(legacyClaims(person.id));
    const other = signed(legacyClaims(given.person.id));
    const answer = await service.changePassword(token);
    expect(answer.status).toBe(200);
    expectUnauthorized(await service.me(token));
    expect((await service.me(answer.body.jwt)).status).toBe(200);
    expect((await service.me(other)).status).toBe(200);
  });
});

describeOnEveryDatabase('Sessions', (engine) => {
  const services = useServices(engine);
  let first: Service;
  let second: Service;
  beforeAll(async () => {
    first = await services.start({ settings: BODY_MODE });
    second = await services.start({ settings: BODY_MODE, database: first.database });
    const { roles } = await first.sheaf.auth();
    const { actions } = await roles.create('Guests');
    await roles.revoke('guests', actions);
  });
  afterEach(() => first.setAdvanced({}));

  type End = (person: Person, tokens: SignedIn) => Promise<Answer | undefined>;
  const asPublic = (method: string, person: Person, body?: Json) => first.send(method, `users/${person.id}`, body);
  const inProcess = async ({ documentId }: Person, data: Json): Promise<undefined> => {
    expect(await first.sheaf.documents(USER).update({ documentId, data })).not.toBeNull();
  };
  const roleId = (type: string) => first.number(`select id from up_roles where type = '${type}'`);
  const ends: [string, End][] = [
    ['logging out', (_, { jwt }) => first.as(jwt, 'POST', 'auth/logout', {})],
    ['logging out without a body', (_, { jwt }) => first.as(jwt, 'POST', 'auth/logout')],
    ['logging out everywhere', (_, { jwt }) => first.as(jwt, 'POST', 'auth/logout', { scope: 'all' })],
    ['changing the password', (_, { jwt }) => first.changePassword(jwt)],
    ['a password that is written', (person) => asPublic('PUT', person, { password: OTHER_PASSWORD })],
    ['a new password for a forgotten one', async (person) => first.resetPassword(await first.resetCode(person))],
    ['a block', (person) => asPublic('PUT', person, { blocked: true })],
    ['the loss of its role', (person) => inProcess(person, { role: null })],
    ['another role', async (person) => asPublic('PUT', person, { role: await roleId('guests') })],
    ['a password that is written in process', (person) => inProcess(person, { password: OTHER_PASSWORD })],
    ['a block in process', (person) => inProcess(person, { blocked: true })],
    ['another role in process', async (person) => inProcess(person, { role: await roleId('guests') })],
    ['the deletion of its user', (person) => asPublic('DELETE', person)],
    [
      'an unconfirmed address where it has to be confirmed',
      async (person) => {
        await first.change(person, 'confirmed', false);
        await first.setAdvanced({ email_confirmation: true });
        return undefined;
      },
    ],
  ];

  /** Until so many requests wait for a lock. SQLite has one writer at a time, and the others stand in line. */
  async function waiting(count: number): Promise<void> {
    if (engine.name !== 'PostgreSQL') return;
    const locked = `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await soon(async () => expect(await first.number(locked)).toBe(count));
  }

  it.each(ends)('end on every node with the next request after %s', async (_, end) => {
    for (const asked of [first, second]) {
      await first.setAdvanced({});
      const person = await first.person();
      const bystander = await first.person();
      const tokens = await first.logIn(person);
      const spared = await first.logIn(bystander);
      expect((await asked.me(tokens.jwt)).status).toBe(200);
      const answer = await end(person, tokens);
      if (answer) expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expectUnauthorized(await asked.me(tokens.jwt));
      expect((await asked.me(spared.jwt)).status).toBe(200);
    }
  });

  it.each(ends)('cannot be refreshed any more after %s', async (_, end) => {
    const person = await first.person();
    const tokens = await first.logIn(person);
    await end(person, tokens);
    expectNoRefresh(await second.refresh(tokens.refreshToken));
  });

  it('do not begin with a password that was changed while it was compared', async () => {
    const person = await first.person({ password: SLOW_HASH });
    const [loggedIn, written] = await Promise.all([
      first.tryLogIn(person.username),
      asPublic('PUT', person, { password: OTHER_PASSWORD }),
    ]);
    expect(written.status).toBe(200);
    if (loggedIn.status === 200) expectUnauthorized(await second.me(loggedIn.body.jwt));
    else expectInvalid(loggedIn);
  });

  it('do not go on by a refresh that was not over when they ended', async () => {
    const { jwt, refreshToken } = await first.logIn(await first.person());
    const { sessionId } = claimsOf(refreshToken);
    const hold = `update strapi_sessions set updated_at = updated_at where session_id = '${sessionId}'`;
    let requests: readonly Promise<Answer>[] = [];
    // Requests come from elsewhere: they are no part of a transaction that they would have to wait for.
    const outside = AsyncResource.bind(<T>(work: () => Promise<T>): Promise<T> => work());
    // While a statement holds the session, both get as far as they can: first the refresh, then the logout.
    await first.sheaf.database.transaction(async (session) => {
      await session.rows({ sql: hold, bindings: [] }, []);
      const refreshing = outside(() => second.refresh(refreshToken));
      await outside(() => waiting(1));
      requests = [refreshing, outside(() => first.as(jwt, 'POST', 'auth/logout', { scope: 'all' }))];
      await outside(() => waiting(2));
    });
    const [refreshed, out] = (await Promise.all(requests)) as [Answer, Answer];
    expect(out.status).toBe(200);
    if (refreshed.status === 200) expectUnauthorized(await first.me(refreshed.body.jwt));
    else expectNoRefresh(refreshed);
  });

  it('of Strapi 5’s kind end as well with a block, a deletion or a change of the password', async () => {
    const changes: ((person: Person) => Promise<Answer>)[] = [
      (person) => asPublic('PUT', person, { password: OTHER_PASSWORD }),
      (person) => asPublic('PUT', person, { blocked: true }),
      (person) => asPublic('DELETE', person),
    ];
    for (const change of changes) {
      const person = await first.person();
      const token = signed(legacyClaims(person.id));
      expect((await second.me(token)).status).toBe(200);
      expect((await change(person)).status).toBe(200);
      expectUnauthorized(await second.me(token));
    }
  });

  it('of administrators go on, though users have the same numbers', async () => {
    const person = await first.person();
    const { jwt } = await first.logIn(person);
    const times = 'expires_at, absolute_expires_at, created_at, updated_at';
    await first.execute(
      `insert into strapi_sessions (user_id, session_id, device_id, origin, status, type, ${times}) select user_id, 'admin-' || session_id, device_id, 'admin', status, type, ${times} from strapi_sessions where user_id = '${person.id}'`,
    );
    expect((await first.as(jwt, 'POST', 'auth/logout', {})).status).toBe(200);
    expect((await asPublic('PUT', person, { password: OTHER_PASSWORD })).status).toBe(200);
    const left = await first.rows(`select origin from strapi_sessions where user_id = '${person.id}'`);
    expect(left).toEqual([['admin']]);
  });

  it('go on elsewhere after a logout, unless everywhere was meant', async () => {
    const person = await first.person();
    const [here, there] = [await first.logIn(person), await first.logIn(person)];
    await first.as(here.jwt, 'POST', 'auth/logout', {});
    expect((await second.me(there.jwt)).status).toBe(200);
    const again = await first.logIn(person);
    await first.as(again.jwt, 'POST', 'auth/logout', { scope: 'all' });
    expectUnauthorized(await second.me(there.jwt));
  });

  it('are for users alone: the public and programs cannot log out', async () => {
    expectForbidden(await first.auth('logout', {}));
    const { tokens } = await first.sheaf.auth();
    const token = await tokens.create({ name: 'all', description: '', type: 'full-access', actions: [], days: null });
    expectError(await first.as(token, 'POST', 'auth/logout', {}), 401, 'UnauthorizedError', 'Missing authentication');
  });

  it('have the rights of the role that their user had when they began', async () => {
    const guests = await roleId('guests');
    for (const asked of [first, second]) {
      const person = await first.person();
      await first.logIn(person);
      expect((await asPublic('PUT', person, { role: guests })).status).toBe(200);
      const { jwt } = await first.logIn(person);
      expectForbidden(await asked.me(jwt));
      // The same role once more is no change.
      expect((await asPublic('PUT', person, { role: guests })).status).toBe(200);
      expectForbidden(await asked.me(jwt));
      expect((await asPublic('PUT', person, { role: 1 })).status).toBe(200);
      expectUnauthorized(await asked.me(jwt));
    }
  });

  it('have what is granted to their role at once, on every node', async () => {
    const { roles } = await first.sheaf.auth();
    const person = await first.person({}, 'guests');
    const { jwt } = await first.logIn(person);
    expect((await second.as(jwt, 'GET', 'restaurants')).status).toBe(403);
    await roles.grant('guests', ['api::restaurant.restaurant.find']);
    expect((await first.as(jwt, 'GET', 'restaurants')).status).toBe(200);
    expect((await second.as(jwt, 'GET', 'restaurants')).status).toBe(200);
    await roles.revoke('guests', ['api::restaurant.restaurant.find']);
    expect((await first.as(jwt, 'GET', 'restaurants')).status).toBe(403);
    expect((await second.as(jwt, 'GET', 'restaurants')).status).toBe(403);
  });
});

describeOnEveryDatabase('Refresh tokens', (engine) => {
  const services = useServices(engine);
  let service: Service;
  beforeAll(async () => {
    service = await services.start({ settings: BODY_MODE });
  });

  it('are given in the body where the project says so, and then in no cookie', async () => {
    const person = await service.person();
    const answer = await service.tryLogIn(person.username);
    expect(Object.keys(answer.body).sort()).toEqual(['jwt', 'refreshToken', 'user']);
    expect(answer.headers['set-cookie']).toBeUndefined();
    const refreshed = await service.refresh(answer.body.refreshToken);
    expect(Object.keys(refreshed.body).sort()).toEqual(['jwt', 'refreshToken']);
    expect(refreshed.headers['set-cookie']).toBeUndefined();
  });

  it('are otherwise kept in a cookie that no script can read and no other site sends', async () => {
    const other = await services.start({
      settings: { auth: { refreshTokenSeconds: 7200 } },
      database: service.database,
    });
    const person = await other.person();
    const register = { username: 'cookie-lover', email: 'cookie@new.example', password: PASSWORD };
    const answers = [await other.tryLogIn(person.username), await other.auth('local/register', register)];
    const { jwt } = tokensOf(answers[0]!);
    answers.push(await other.changePassword(jwt));
    answers.push(await other.resetPassword(await other.resetCode(person), 'yet-an0ther'));
    const kept = cookieOf(answers.at(-1)!);
    const refreshed = await other.auth('refresh', undefined, { cookie: `a=b; ${kept.name}=${kept.value}; c=d` });
    expect(Object.keys(refreshed.body)).toEqual(['jwt']);
    for (const answer of [...answers, refreshed]) {
      expect(answer.body.refreshToken).toBeUndefined();
      const { name, value, attributes } = cookieOf(answer);
      expect(name).toBe('strapi_up_refresh');
      expect(claimsOf(value).type).toBe('refresh');
      expect(attributes.sort()).toEqual(['HttpOnly', 'Max-Age=7200', 'Path=/api/auth', 'SameSite=Lax']);
    }
    expect((await other.me(refreshed.body.jwt)).status).toBe(200);
    const out = await other.as(refreshed.body.jwt, 'POST', 'auth/logout', {});
    expect(cookieOf(out)).toEqual({
      name: 'strapi_up_refresh',
      value: '',
      attributes: expect.arrayContaining(['Max-Age=0', 'Path=/api/auth']),
    });
  });

  it('are kept in a cookie that goes over HTTPS alone where they came over it', async () => {
    const { database } = service;
    const attributesOf = async (trustProxy: readonly string[]): Promise<readonly string[]> => {
      const other = await services.start({ settings: { trustProxy }, database });
      const { username } = await other.person();
      const data = { identifier: username, password: PASSWORD };
      return cookieOf(await other.auth('local', data, { 'x-forwarded-proto': 'https' })).attributes;
    };
    expect(await attributesOf(['127.0.0.1'])).toContain('Secure');
    // Anyone may send the header; it counts only from a proxy that the settings name.
    expect(await attributesOf([])).not.toContain('Secure');
  });

  it('in a cookie open nothing but a new session', async () => {
    const { refreshToken } = await service.logIn(await service.person());
    const cookie = { cookie: `strapi_up_refresh=${refreshToken}` };
    expectUnauthorized(await service.send('GET', 'users/me', undefined, cookie));
    expect((await service.auth('logout', {}, cookie)).status).toBe(403);
  });

  it('are missing where none is given, or something that is no text', async () => {
    for (const token of [undefined, null, '', 1, {}, [], true])
      expectInvalid(await service.refresh(token), 'Missing refresh token');
  });

  it('give new tokens of the same user', async () => {
    const person = await service.person();
    const old = await service.logIn(person);
    const fresh = tokensOf(await service.refresh(old.refreshToken));
    expect(fresh.jwt).not.toBe(old.jwt);
    expect(fresh.refreshToken).not.toBe(old.refreshToken);
    expect((await service.me(fresh.jwt)).body).toMatchObject({ id: person.id });
    expect((await service.me(old.jwt)).status).toBe(200);
  });

  it('that come a second time end all that followed from them', async () => {
    const person = await service.person();
    const old = await service.logIn(person);
    const apart = await service.logIn(person);
    const next = tokensOf(await service.refresh(old.refreshToken));
    const last = tokensOf(await service.refresh(next.refreshToken));
    expect((await service.me(last.jwt)).status).toBe(200);
    expectNoRefresh(await service.refresh(old.refreshToken));
    for (const { jwt, refreshToken } of [last, next, old]) {
      expectUnauthorized(await service.me(jwt));
      expectNoRefresh(await service.refresh(refreshToken));
    }
    // A log-in on another device is another family.
    expect((await service.me(apart.jwt)).status).toBe(200);
    expect((await service.refresh(apart.refreshToken)).status).toBe(200);
  });

  it('that come a second time to another node end all that followed, too', async () => {
    const second = await services.start({ settings: BODY_MODE, database: service.database });
    const old = await service.logIn(await service.person());
    const next = tokensOf(await service.refresh(old.refreshToken));
    expect((await second.refresh(old.refreshToken)).status).toBe(401);
    expectUnauthorized(await service.me(next.jwt));
    expect((await service.refresh(next.refreshToken)).status).toBe(401);
  });

  it('that come from many at once are taken from one at most', async () => {
    const { refreshToken } = await service.logIn(await service.person());
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.refresh(refreshToken)));
    expect(statuses(answers).slice(-4)).toEqual([401, 401, 401, 401]);
    const winners = answers.filter(({ status }) => status === 200);
    for (const { body } of winners) expect((await service.refresh(body.refreshToken)).status).toBe(401);
  });

  it('end with the session: the whole family after a logout', async () => {
    const old = await service.logIn(await service.person());
    const next = tokensOf(await service.refresh(old.refreshToken));
    expect((await service.as(next.jwt, 'POST', 'auth/logout', {})).status).toBe(200);
    for (const { jwt, refreshToken } of [old, next]) {
      expectUnauthorized(await service.me(jwt));
      expect((await service.refresh(refreshToken)).status).toBe(401);
    }
  });

  it('end when they were not used for long, and with the session however often they were used', async () => {
    for (const column of ['expires_at', 'absolute_expires_at']) {
      const { refreshToken } = await service.logIn(await service.person());
      const { sessionId } = claimsOf(refreshToken);
      const set = (moment: number): Promise<void> =>
        service.execute(
          `update strapi_sessions set ${column} = ${service.instant(moment)} where session_id = '${sessionId}'`,
        );
      await set(Date.now() - 1000);
      expectNoRefresh(await service.refresh(refreshToken));
      await set(Date.now() + HOUR_MS);
      expect((await service.refresh(refreshToken)).status).toBe(200);
    }
  });

  it('that say themselves that they are over are over', async () => {
    const { refreshToken } = await service.logIn(await service.person());
    const claims = claimsOf(refreshToken);
    const over = signed({ ...claims, iat: nowInSeconds() - 60, exp: nowInSeconds() - 10 });
    expectNoRefresh(await service.refresh(over));
    for (const options of [{ secret: 'another-one' }, { header: { alg: 'HS512' }, hash: 'sha512' }])
      expect((await service.refresh(signed(claims, options))).status).toBe(401);
    expect((await service.refresh(`${unsigned(refreshToken)}.`)).status).toBe(401);
    expect(signed(claims)).toBe(refreshToken);
    expect((await service.refresh(refreshToken)).status).toBe(200);
  });

  it('never outlive the session, however often they are renewed', async () => {
    const settings = { auth: { refreshToken: 'body', refreshTokenSeconds: 3600, sessionSeconds: 5400 } };
    const short = await services.start({ settings, database: service.database });
    const old = await short.logIn(await short.person());
    const { sessionId } = claimsOf(old.refreshToken);
    const end = short.instant(Date.now() + 600_000);
    await short.execute(`update strapi_sessions set absolute_expires_at = ${end} where session_id = '${sessionId}'`);
    const next = tokensOf(await short.refresh(old.refreshToken));
    expect(Number(claimsOf(next.refreshToken).exp)).toBeLessThanOrEqual(nowInSeconds() + 600);
    expect(Number(claimsOf(old.refreshToken).exp)).toBeGreaterThan(nowInSeconds() + 3000);
  });

  it('of another user’s session are refused', async () => {
    const [one, other] = [await service.logIn(await service.person()), await service.logIn(await service.person())];
    const mixed = signed({ ...claimsOf(one.refreshToken), sessionId: claimsOf(other.refreshToken).sessionId });
    expect((await service.refresh(mixed)).status).toBe(401);
    expect((await service.refresh(other.refreshToken)).status).toBe(200);
  });
});

describeOnEveryDatabase('API tokens', (engine) => {
  const services = useServices(engine);
  const RESTAURANT = 'api::restaurant.restaurant';
  let service: Service;
  let restaurant: string;
  beforeAll(async () => {
    service = await services.start();
    restaurant = (await service.send('GET', 'restaurants')).body.data[0].documentId;
    // What the public may not do, only a token can open.
    await (await service.sheaf.auth()).roles.revoke('public', [RESTAURANT, 'plugin::users-permissions.user']);
  });

  /** A token put into the database as Strapi 5 does. */
  async function stored(columns: Readonly<Record<string, string>>): Promise<string> {
    const token = randomBytes(128).toString('hex');
    const values = {
      document_id: `'${randomBytes(12).toString('hex')}'`,
      name: `'${randomBytes(6).toString('hex')}'`,
      description: `''`,
      kind: `'content-api'`,
      type: `'full-access'`,
      access_key: `'${storedToken(token)}'`,
      ...columns,
    };
    await service.execute(
      `insert into strapi_api_tokens (${Object.keys(values).join(', ')}) values (${Object.values(values).join(', ')})`,
    );
    return token;
  }

  /** What a token may do, as the statuses of requests. */
  async function rights(token: string): Promise<Record<string, number>> {
    const requests: [string, string, string, unknown?][] = [
      ['find', 'GET', 'restaurants'],
      ['findOne', 'GET', `restaurants/${restaurant}`],
      ['create', 'POST', 'restaurants', { data: { nope: 1 } }],
      ['update', 'PUT', `restaurants/${restaurant}`, { data: { nope: 1 } }],
      ['delete', 'DELETE', 'restaurants/nobody-has-this-id'],
      ['users', 'GET', 'users'],
      ['count', 'GET', 'users/count'],
    ];
    const found: Record<string, number> = {};
    for (const [name, method, url, body] of requests) found[name] = (await service.as(token, method, url, body)).status;
    return found;
  }

  /** A body that is refused for what stands in it was let in. */
  const ALL = { find: 200, findOne: 200, create: 400, update: 400, delete: 204, users: 200, count: 200 };
  const NOTHING = { find: 403, findOne: 403, create: 403, update: 403, delete: 403, users: 403, count: 403 };

  it('of the kind read-only find, and nothing else', async () => {
    const token = await stored({ type: `'read-only'` });
    expect(await rights(token)).toEqual({ ...NOTHING, find: 200, findOne: 200, users: 200 });
  });

  it('of the kind full-access do everything', async () => {
    expect(await rights(await stored({}))).toEqual(ALL);
    expect((await service.send('GET', 'restaurants')).status).toBe(403);
  });

  it('of the kind custom do what they were given', async () => {
    const { tokens } = await service.sheaf.auth();
    const actions = [`${RESTAURANT}.find`, `${RESTAURANT}.update`];
    const token = await tokens.create({ name: 'some', description: '', type: 'custom', actions, days: 7 });
    expect(await rights(token)).toEqual({ ...NOTHING, find: 200, update: 400 });
    expect(await rights(await stored({ type: `'custom'` }))).toEqual(NOTHING);
    await service.execute(
      `delete from strapi_api_token_permissions where action = '${RESTAURANT}.update' and id in (select api_token_permission_id from strapi_api_token_permissions_token_lnk)`,
    );
    expect(await rights(token)).toEqual({ ...NOTHING, find: 200 });
  });

  it('are kept as an HMAC under the salt, and shown once', async () => {
    const { tokens } = await service.sheaf.auth();
    const token = await tokens.create({ name: 'kept', description: '', type: 'read-only', actions: [], days: null });
    expect(token).toMatch(/^[0-9a-f]{256}$/);
    const rows = await service.rows(`select access_key, kind, type from strapi_api_tokens where name = 'kept'`);
    const expected = createHmac('sha512', API_TOKEN_SALT).update(token).digest('hex');
    expect(rows).toEqual([[expected, 'content-api', 'read-only']]);
    expect(await service.tablesWith(token)).toEqual([]);
    // What stands in the database opens nothing.
    expectUnauthorized(await service.as(expected, 'GET', 'restaurants'));
  });

  it('are worth nothing under another salt', async () => {
    const other = await services.start({ database: service.database, salt: 'yQ7_NcR2vXeZ5-uPkB0tLgW8mHsJ3dFa' });
    const token = await stored({});
    expectUnauthorized(await other.as(token, 'GET', 'restaurants'));
    expect((await service.as(token, 'GET', 'restaurants')).status).toBe(200);
  });

  it('are taken with the scheme in any case, and only as they were given', async () => {
    const token = await stored({});
    const find = (authorization: string): Promise<Answer> =>
      service.send('GET', 'restaurants', undefined, { authorization });
    expect((await find(`bearer ${token}`)).status).toBe(200);
    const wrong = [`Bearer ${token} `, `Bearer ${token.slice(1)}`, `Bearer ${token}0`];
    for (const header of [...wrong, `Bearer ${token.replace(/[a-f]/, (letter) => letter.toUpperCase())}`])
      expectUnauthorized(await find(header));
    // The public asks, who may not find any.
    for (const header of [token, `Basic ${token}`]) expect((await find(header)).status).toBe(403);
  });

  it('are over at their end', async () => {
    const token = await stored({ expires_at: service.instant(Date.now() - 1000) });
    const over = await service.as(token, 'GET', 'restaurants');
    expectUnauthorized(over);
    expect(over.body.error.message).toBe('Token expired');
    const end = Date.now() + HOUR_MS / 2;
    const later = await stored({ expires_at: service.instant(end), last_used_at: service.instant(Date.now()) });
    const find = (): Promise<Answer> => service.as(later, 'GET', 'restaurants');
    await settled();
    for (let times = 0; times < 3; times++) expect((await find()).status).toBe(200);
    expect((await at(end - 1000, find)).status).toBe(200);
    expectUnauthorized(await at(end + 1000, find));
    const { tokens } = await service.sheaf.auth();
    await tokens.create({ name: 'week', description: '', type: 'read-only', actions: [], days: 7 });
    const [row] = await service.rows(`select lifespan from strapi_api_tokens where name = 'week'`);
    expect(Number(row![0])).toBe(7 * 24 * HOUR_MS);
  });

  it('are over with the next request after they were revoked, on every node', async () => {
    const other = await services.start({ database: service.database });
    const { tokens } = await service.sheaf.auth();
    const actions = [`${RESTAURANT}.find`];
    const token = await tokens.create({ name: 'short-lived', description: '', type: 'custom', actions, days: null });
    expect((await other.as(token, 'GET', 'restaurants')).status).toBe(200);
    expect(await tokens.revoke('short-lived')).toBe(1);
    for (const node of [service, other]) expectUnauthorized(await node.as(token, 'GET', 'restaurants'));
    expect(await tokens.revoke('short-lived')).toBe(0);
  });

  it('of administrators, and of kinds that nobody knows, are refused', async () => {
    const wrong: Record<string, string>[] = [
      { kind: `'admin'` },
      { kind: `'magic'` },
      { type: `'superuser'` },
      { type: 'null' },
      { type: `''` },
    ];
    for (const columns of wrong) {
      const answer = await service.as(await stored(columns), 'GET', 'restaurants');
      expect([columns, answer.status]).toEqual([columns, 401]);
    }
    // Older versions of Strapi knew one kind alone.
    expect((await service.as(await stored({ kind: 'null' }), 'GET', 'restaurants')).status).toBe(200);
  });

  it('belong to no user', async () => {
    const token = await stored({});
    expectUnauthorized(await service.as(token, 'GET', 'users/me'));
    expect((await service.as(token, 'GET', 'users')).status).toBe(200);
  });

  it('tell when they were last used, at most once in an hour', async () => {
    const ago = Date.now() - HOUR_MS / 2;
    const used = async (token: string): Promise<unknown> => {
      const where = `access_key = '${storedToken(token)}'`;
      return (await service.rows(`select cast(last_used_at as text) from strapi_api_tokens where ${where}`))[0]![0];
    };
    const unused = await stored({});
    const recent = await stored({ last_used_at: service.instant(ago) });
    const before = await used(recent);
    const find = async (): Promise<void> => {
      for (const token of [unused, recent]) expect((await service.as(token, 'GET', 'restaurants')).status).toBe(200);
    };
    await find();
    expect(await used(unused)).not.toBeNull();
    await settled();
    await find();
    expect(await used(recent)).toEqual(before);
    await at(ago + HOUR_MS + 1000, find);
    expect(await used(recent)).not.toEqual(before);
  });
});

describeOnEveryDatabase('Users as content', (engine) => {
  const services = useServices(engine);
  let service: Service;
  let made = 0;
  beforeAll(async () => {
    service = await services.start({ settings: BODY_MODE });
  });

  const newcomer = (values: Json = {}): Json & { username: string; email: string } => {
    const username = `written${++made}`;
    return { username, email: `${username}@users.example`, password: PASSWORD, ...values };
  };
  const users = (): Promise<number> => service.number('select count(*) from up_users');
  const put = (person: Pick<Person, 'id'>, body: unknown): Promise<Answer> =>
    service.send('PUT', `users/${person.id}`, body);

  it('come as a page in the envelope', async () => {
    const { status, body } = await service.send('GET', 'users?sort=id&pagination[pageSize]=2');
    expect(status).toBe(200);
    const meg = { username: 'meg', email: 'meg@example.com' };
    expect(body.data).toEqual([shown(JOHN, { id: 1, documentId: JOHN.documentId }), shown(meg, { id: 2 })]);
    const total = await users();
    expect(body.meta.pagination).toEqual({ page: 1, pageSize: 2, pageCount: Math.ceil(total / 2), total });
  });

  it('come as a bare array of all of them where the project says so', async () => {
    const bare = await services.start({ settings: { users: { bareList: true }, rest: { maxLimit: 27 } } });
    for (let count = 0; count < 27; count++) await bare.person();
    const { status, body } = await bare.send('GET', 'users?sort=id');
    expect(status).toBe(200);
    expect(body).toHaveLength(30);
    expect(body[0]).toEqual(shown(JOHN));
    expect((await bare.send('GET', 'users?filters[username]=meg')).body).toEqual([expect.objectContaining({ id: 2 })]);
    expect((await bare.send('GET', 'users?filters[username]=no-one')).body).toEqual([]);
    expect((await bare.send('GET', 'users/1')).body).toEqual(shown(JOHN));
    // The one way in which Strapi pages users.
    const ids = async (query: string): Promise<unknown> =>
      (await bare.send('GET', `users?sort=id&${query}`)).body.map(({ id }: Person) => id);
    expect(await ids('start=1&limit=1')).toEqual([2]);
    expect(await ids('limit=2')).toEqual([1, 2]);
    // Neither the size of a page nor its limit is about this list; -1 and 0 are no limit, as in Strapi.
    expect(await ids('start=1')).toHaveLength(29);
    for (const query of ['limit=-1', 'limit=0', 'limit=1000', 'limit=-1&start=0', 'limit', 'limit=30&start'])
      expect(await ids(query), query).toHaveLength(30);
    for (const query of ['start=x', 'start=-1', 'limit=-2', 'limit=1.5', 'page=1'])
      expect((await bare.send('GET', `users?${query}`)).status, query).toBe(400);
    expect((await service.send('GET', 'users?start=1&limit=1')).status).toBe(400);
  });

  it('are not counted without the condition that stands beside the parameters', async () => {
    for (const [query, key] of [
      ['username=meg', 'username'],
      ['username[$eq]=meg', 'username'],
      ['utm=1&blocked=true', 'blocked'],
    ])
      expectInvalid(
        await service.send('GET', `users/count?${query}`),
        `Invalid key ${key}: did you mean filters[${key}]?`,
      );
    expect((await service.send('GET', 'users/count?filters[username]=meg')).body).toBe(1);
    // Names that nobody may use are as unknown as any other.
    for (const key of ['password', 'resetPasswordToken', 'nosuch'])
      expect((await service.send('GET', `users/count?${key}[$startsWith]=x`)).headers['x-sheaf-ignored']).toBe(key);
  });

  it('come one by one, by number and by documentId', async () => {
    for (const id of ['1', JOHN.documentId]) {
      const { status, body } = await service.send('GET', `users/${id}`);
      expect([status, body]).toEqual([200, shown(JOHN, { id: 1, documentId: JOHN.documentId })]);
    }
    expect((await service.send('GET', 'users/1?fields=email')).body).toEqual({
      id: 1,
      documentId: JOHN.documentId,
      email: JOHN.email,
    });
  });

  it.each(['0', '999999', '999999999999999', '99999999999999999999', '-1', '1.5', '01x', 'nobody', '%00', "1'--"])(
    'are not found by %s',
    async (id) => {
      expectError(await service.send('GET', `users/${id}`), 404, 'NotFoundError');
      expectError(await service.send('PUT', `users/${id}`, { username: 'someone-else' }), 404, 'NotFoundError');
      expectError(await service.send('DELETE', `users/${id}`), 404, 'NotFoundError');
    },
  );

  it('are written without a body as with an empty one', async () => {
    const person = await service.person();
    const { status, body } = await service.send('PUT', `users/${person.id}`);
    expect([status, body]).toMatchObject([200, { id: person.id, username: person.username }]);
    expectError(await service.send('PUT', 'users/999999'), 404, 'NotFoundError', 'User not found');
    expectInvalid(await service.send('POST', 'users'), (await service.send('POST', 'users', {})).body.error.message);
  });

  it('show themselves to themselves', async () => {
    const person = await service.person();
    const { jwt } = await service.logIn(person);
    const { status, body } = await service.me(jwt);
    expect([status, body.id, body.documentId]).toEqual([200, person.id, person.documentId]);
    const chosen = await service.as(jwt, 'GET', 'users/me?fields=username');
    expect(chosen.body).toEqual({ id: person.id, documentId: person.documentId, username: person.username });
    expectUnauthorized(await service.send('GET', 'users/me'));
  });

  it('are counted, with filters', async () => {
    const count = (query: string): Promise<Answer> => service.send('GET', `users/count${query}`);
    expect((await count('')).body).toBe(await users());
    expect((await count('?filters[username]=John')).body).toBe(1);
    expect((await count('?filters[email][$in][0]=john@example.com&filters[email][$in][1]=meg@example.com')).body).toBe(
      2,
    );
    expect((await count('?filters[username]=no-one')).body).toBe(0);
    for (const query of ['?username=John', '?filters[nope]=1', '?filters[password][$startsWith]=$2'])
      expectInvalid(await count(query));
  });

  it('never show what is private, whatever is asked for', async () => {
    const person = await service.person({ reset_password_token: 'reset-me', confirmation_token: 'confirm-me' });
    const { jwt } = await service.logIn(person);
    const answers = [
      await service.send('GET', 'users?pagination[pageSize]=100'),
      await service.send('GET', 'users?pagination[pageSize]=100&fields=*&populate=*'),
      await service.send('GET', `users/${person.id}?populate=*`),
      await service.send('GET', `users/${person.documentId}?fields=*`),
      await service.me(jwt),
      await service.as(jwt, 'GET', 'users/me?populate=*'),
      await service.tryLogIn(person.username),
      await service.send('POST', 'users', newcomer()),
      await put(person, { blocked: false }),
      await service.changePassword(jwt),
      await service.send('DELETE', `users/${person.id}?populate=*`),
    ];
    for (const { status, body } of answers) {
      expect(status).toBeLessThan(300);
      expect(JSON.stringify(body)).not.toMatch(
        /"(password|resetPasswordToken|confirmationToken)"|\$2[aby]\$|reset-me|confirm-me/i,
      );
    }
  });

  it.each(['password', 'resetPasswordToken', 'confirmationToken', 'createdBy', 'nope'])(
    'cannot be read, filtered, sorted or counted by %s',
    async (name) => {
      const queries = [
        `fields=${name}`,
        `fields[0]=username&fields[1]=${name}`,
        `sort=${name}`,
        `filters[${name}][$notNull]=true`,
        `filters[${name}][$startsWith]=$2`,
        `filters[$or][0][${name}]=x&filters[$or][1][id]=1`,
        `populate=${name}`,
      ];
      for (const query of queries)
        for (const path of ['users', 'users/1']) {
          if (path === 'users/1' && /^(sort|filters)/.test(query)) continue;
          const answer = await service.send('GET', `${path}?${query}`);
          expectInvalid(answer);
          expect(answer.body.error.message).toContain(name);
        }
      expectInvalid(await service.send('GET', `users/count?filters[${name}][$notNull]=true`));
    },
  );

  it('are not found by a search through what is private', async () => {
    await service.person({ reset_password_token: 'searchable-code', confirmation_token: 'searchable-code' });
    for (const text of ['searchable-code', '$2a$10$'])
      expect((await service.send('GET', `users?_q=${encodeURIComponent(text)}`)).body.data).toEqual([]);
  });

  it('are made without an envelope, with the role of those who log in', async () => {
    const body = newcomer();
    const answer = await atFullCost(() => service.send('POST', 'users', body));
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(shown(body, { confirmed: false }));
    const { id } = answer.body;
    expect(await service.number(`select role_id from up_users_role_lnk where user_id = ${id}`)).toBe(1);
    expect(await service.stored({ id }, 'password')).toMatch(/^\$2[ab]\$10\$/);
    const { jwt } = await service.logIn(body);
    expect((await service.me(jwt)).body.id).toBe(id);
  });

  it('are made with a password, unless they log in elsewhere', async () => {
    const { password: _, ...body } = newcomer();
    for (const provider of [undefined, 'local'])
      expectInvalid(await service.send('POST', 'users', { ...body, provider }), 'password is a required field');
    expect((await service.send('POST', 'users', { ...body, provider: 'github' })).status).toBe(201);
  });

  it('are made with the role, the confirmation and the block that the body says', async () => {
    const answer = await service.send('POST', 'users', newcomer({ role: 2, confirmed: true, blocked: true }));
    expect(answer.body).toMatchObject({ confirmed: true, blocked: true });
    const role = `select role_id from up_users_role_lnk where user_id = ${answer.body.id}`;
    expect(await service.number(role)).toBe(2);
    expectInvalid(await service.send('POST', 'users', newcomer({ role: 999 })));
  });

  it.each([
    'resetPasswordToken',
    'confirmationToken',
    'id',
    'documentId',
    'createdBy',
    'updatedBy',
    'localizations',
    'reset_password_token',
    'tokensAfter',
    'data',
    'nope',
    'constructor',
  ])('refuse %s in a body by name, and store nothing', async (key) => {
    const person = await service.person();
    const row = await service.texts('up_users', `id = ${person.id}`);
    const before = await users();
    const values = [null, 'x', 1, {}];
    for (const value of values)
      for (const answer of [
        await service.send('POST', 'users', newcomer({ [key]: value })),
        await put(person, { username: 'renamed', [key]: value }),
      ]) {
        expectInvalid(answer, `Invalid key ${key}`);
        expect(answer.body.error.details).toMatchObject({ key, source: 'body' });
      }
    expect(await users()).toBe(before);
    expect(await service.texts('up_users', `id = ${person.id}`)).toEqual(row);
  });

  it('can be sent back as they were shown', async () => {
    const person = await service.person();
    for (const path of [`users/${person.id}`, `users/${(await service.stored(person, 'document_id')) as string}`]) {
      const { body: whole } = await service.send('GET', path);
      const answer = await service.send('PUT', path, { ...whole, username: `${person.username}-${path.length}` });
      expect(answer.status, path).toBe(200);
      expect(answer.headers['x-sheaf-ignored']).toBe('id, documentId, createdAt, updatedAt, publishedAt');
      expect(answer.body).toMatchObject({ id: whole.id, documentId: whole.documentId, createdAt: whole.createdAt });
      expect(answer.body.username).not.toBe(whole.username);
    }
    for (const other of [{ id: 1 }, { id: `${person.id}` }, { documentId: JOHN.documentId }]) {
      const [key] = Object.keys(other);
      expectInvalid(await put(person, { username: 'renamed', ...other }), `Invalid key ${key}`);
    }
    expectInvalid(
      await service.send('POST', 'users', newcomer({ createdAt: person.username })),
      'Invalid key createdAt',
    );
  });

  it('refuse a prototype in a body, and what is no object', async () => {
    const person = await service.person();
    for (const [body, message] of [
      ['{"__proto__":{"blocked":true}}', 'Invalid key __proto__'],
      ['{"x":[{"\\u005f_proto__":{"blocked":true}}]}', 'Invalid key __proto__'],
      ['{"constructor":{"prototype":{"blocked":true}}}', 'Invalid key constructor.prototype'],
      ['{"__proto__":', expect.stringContaining('not valid JSON')],
      ['[]', expect.any(String)],
      ['"x"', expect.any(String)],
    ])
      for (const [method, url] of [
        ['POST', 'users'],
        ['PUT', `users/${person.id}`],
        ['POST', 'auth/local/register'],
      ] as const) {
        const answer = await service.send(method, url, body);
        expect([method, url, body, answer.status]).toEqual([method, url, body, 400]);
        expect(answer.body.error).toMatchObject({ status: 400, message });
      }
    expect(({} as Json).blocked).toBeUndefined();
  });

  it('have an address and a name of their own', async () => {
    const [one, other] = [await service.person(), await service.person()];
    const before = await users();
    for (const email of [one.email, one.email.toUpperCase()]) {
      expectDenied(await service.send('POST', 'users', newcomer({ email })), 'Email already taken');
      expectDenied(await put(other, { email }), 'Email already taken');
    }
    const { username } = one;
    expectDenied(await service.send('POST', 'users', newcomer({ username })));
    expectDenied(await put(other, { username }), 'Username already taken');
    expect(await users()).toBe(before);
    expect((await service.send('GET', `users/${other.id}`)).body).toMatchObject({
      username: other.username,
      email: other.email,
    });
    // What is their own they may be given again.
    expect((await put(one, { username, email: one.email.toUpperCase() })).body.email).toBe(one.email);
  });

  it('are given no password that is longer than what is compared', async () => {
    const { documentId, username, id } = await service.person();
    const data = { password: 'x'.repeat(73) };
    const message = 'Password must be less than 73 bytes';
    expectInvalid(await service.send('POST', 'users', newcomer(data)), message);
    expectInvalid(await service.send('PUT', `users/${id}`, data), message);
    await expect(service.sheaf.documents(USER).update({ documentId, data })).rejects.toThrow(message);
    expect((await service.tryLogIn(username)).status).toBe(200);
  });

  it('get an address that many are to have at once only once', async () => {
    const { email } = newcomer();
    const people = [await service.person(), await service.person()];
    const answers = await Promise.all([
      ...people.map((person) => put(person, { email })),
      ...people.map(() => service.send('POST', 'users', newcomer({ email }))),
    ]);
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(3);
    expect(await service.number(`select count(*) from up_users where email = '${email}'`)).toBe(1);
  });

  it('never wait for one another in a circle when they are written at once', async () => {
    const deadlocks = async (): Promise<number> =>
      engine.name === 'PostgreSQL'
        ? service.number('select deadlocks from pg_stat_database where datname = current_database()')
        : 0;
    const before = await deadlocks();
    const people: Person[] = [];
    for (let count = 0; count < 8; count++) people.push(await service.person());
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all(
        people.map((person, index) => {
          const [p, q] = ['p', 'q'].map((letter) => `${letter}${round}-${index >> 1}@circle.example`);
          return put(person, index % 2 ? { email: p, username: q } : { email: q, username: p });
        }),
      );
      for (const { status } of answers) expect([200, 400]).toContain(status);
    }
    expect(await deadlocks()).toBe(before);
  });

  it.each<[string, Json]>([
    ['a password of five characters', { password: 'five5' }],
    ['an empty password', { password: '' }],
    ['a password of 73 bytes', { password: 'x'.repeat(73) }],
    ['a password that is a number', { password: 12345678 }],
    ['a password with a null character', { password: 'secret\0word' }],
    ['a name of two characters', { username: 'me' }],
    ['no name', { username: null }],
    ['an address that is none', { email: 'nobody' }],
    ['no address', { email: null }],
    ['a block that is no flag', { blocked: 'perhaps' }],
    ['a role that is a text', { role: 'public' }],
  ])('refuse %s', async (_, values) => {
    const person = await service.person();
    const before = await users();
    const row = await service.texts('up_users', `id = ${person.id}`);
    expectInvalid(await service.send('POST', 'users', newcomer(values)));
    expectInvalid(await put(person, values));
    expect(await users()).toBe(before);
    expect(await service.texts('up_users', `id = ${person.id}`)).toEqual(row);
  });

  it('are changed by number and by documentId', async () => {
    const person = await service.person();
    for (const [id, username] of [
      [person.id, `${person.username}-1`],
      [person.documentId, `${person.username}-2`],
    ]) {
      const answer = await service.send('PUT', `users/${id}`, { username });
      expect([answer.status, answer.body.username, answer.body.email]).toEqual([200, username, person.email]);
    }
  });

  it('are changed although another program made them and left the date of publication out', async () => {
    const person = await service.person();
    await service.execute(`update up_users set published_at = null where id = ${person.id}`);
    const { jwt } = await service.logIn(person);
    const answer = await put(person, { blocked: true });
    expect([answer.status, answer.body.blocked]).toEqual([200, true]);
    expect(await service.number(`select count(*) from up_users where username = '${person.username}'`)).toBe(1);
    expectUnauthorized(await service.me(jwt));
    expect((await service.tryLogIn(person.username)).status).toBe(400);
  });

  it('have every session ended by a new password, and by nothing else that is written', async () => {
    const person = await service.person();
    const { jwt, refreshToken } = await service.logIn(person);
    const legacy = signed(legacyClaims(person.id));
    await put(person, { username: `${person.username}-new`, confirmed: true });
    for (const token of [jwt, legacy]) expect((await service.me(token)).status).toBe(200);
    const answer = await put(person, { password: OTHER_PASSWORD });
    expect(answer.status).toBe(200);
    for (const token of [jwt, legacy]) expectUnauthorized(await service.me(token));
    expect((await service.refresh(refreshToken)).status).toBe(401);
    expect((await service.tryLogIn(person.email)).status).toBe(400);
    expect((await service.tryLogIn(person.email, OTHER_PASSWORD)).status).toBe(200);
  });

  it('are deleted, with what belongs to them, and answer with what they were', async () => {
    for (const key of ['id', 'documentId'] as const) {
      const person = await service.person();
      await service.logIn(person);
      const answer = await service.send('DELETE', `users/${person[key]}`);
      expect([answer.status, answer.body.username]).toEqual([200, person.username]);
      expect(await service.number(`select count(*) from up_users where id = ${person.id}`)).toBe(0);
      expect(await service.number(`select count(*) from up_users_role_lnk where user_id = ${person.id}`)).toBe(0);
      expect(await service.number(`select count(*) from strapi_sessions where user_id = '${person.id}'`)).toBe(0);
      expectError(await service.send('GET', `users/${person[key]}`), 404, 'NotFoundError');
      expect((await service.tryLogIn(person.username)).status).toBe(400);
    }
  });

  it('are closed to who was not granted them', async () => {
    const person = await service.person();
    const { jwt } = await service.logIn(person);
    const requests: [string, string, unknown?][] = [
      ['GET', 'users'],
      ['GET', `users/${person.id}`],
      ['GET', 'users/count'],
      ['POST', 'users', newcomer()],
      ['PUT', `users/${person.id}`, { blocked: false }],
      ['DELETE', `users/${person.id}`],
    ];
    for (const [method, url, body] of requests) expectForbidden(await service.as(jwt, method, url, body));
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
