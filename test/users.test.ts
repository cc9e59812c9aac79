// Users as content: lists, counts, single ones, and writes of them.
import { beforeAll, expect, it } from 'vitest';
import { USER } from '../src/model/builtin.ts';
import { BODY_MODE, JOHN, shown } from './support/account-answers.ts';
import {
  expectDenied,
  expectError,
  expectForbidden,
  expectInvalid,
  expectUnauthorized,
  legacyClaims,
  OTHER_PASSWORD,
  PASSWORD,
  type Person,
  type Service,
  signed,
  useServices,
} from './support/auth.ts';
import { atFullCost } from './support/cheap-hashes.ts';
import type { Answer, Json } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

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

  it('are made of what Strapi 5 requires, and are told all that is missing at once', async () => {
    const required = async (values: Json, ...names: readonly string[]): Promise<void> => {
      const answer = await service.send('POST', 'users', values);
      const messages = names.map((name) => `${name} is a required field`);
      expectInvalid(answer, names.length === 1 ? messages[0] : `${names.length} errors occurred`);
      expect(answer.body.error.details.errors).toEqual(
        names.map((name, at) => ({ path: [name], message: messages[at], name: 'ValidationError' })),
      );
    };
    const before = await users();
    const { email: _, ...nowhere } = newcomer();
    await required(nowhere, 'email');
    const { username: __, ...nameless } = newcomer();
    await required(nameless, 'username');
    // A form sends a field that nobody filled in as an empty string.
    for (const name of ['email', 'username', 'password']) await required(newcomer({ [name]: '' }), name);
    await required({}, 'email', 'username', 'password');
    await required({ data: newcomer() }, 'email', 'username', 'password');
    await required({ provider: 'github' }, 'email', 'username');
    expect(await users()).toBe(before);
  });

  it('are made with the role, the confirmation and the block that the body says', async () => {
    const answer = await service.send('POST', 'users', newcomer({ role: 2, confirmed: true, blocked: true }));
    expect(answer.body).toMatchObject({ confirmed: true, blocked: true });
    const role = `select role_id from up_users_role_lnk where user_id = ${answer.body.id}`;
    expect(await service.number(role)).toBe(2);
    expectInvalid(await service.send('POST', 'users', newcomer({ role: 999 })));
    // Selections of forms are text.
    expect((await service.send('PUT', `users/${answer.body.id}`, { role: '1' })).status).toBe(200);
    expect(await service.number(role)).toBe(1);
    expectInvalid(await service.send('PUT', `users/${answer.body.id}`, { role: '999' }));
    const texts = Object.entries(newcomer({ confirmed: true, role: 2 })).map(([name, value]) => [name, String(value)]);
    const form = new URLSearchParams(Object.fromEntries(texts)).toString();
    const byForm = await service.send('POST', 'users', form, { 'content-type': 'application/x-www-form-urlencoded' });
    expect([byForm.status, byForm.body.confirmed]).toEqual([201, true]);
    expect(await service.number(`select role_id from up_users_role_lnk where user_id = ${byForm.body.id}`)).toBe(2);
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

  it('keep an address that Strapi 5 gave to an account of another provider as well', async () => {
    const one = await service.person({ provider: 'google' });
    const other = await service.person({ email: one.email });
    const shown = (await service.send('GET', `users/${other.id}`)).body;
    expect((await put(other, { ...shown, username: `${other.username}x` })).status).toBe(200);
    expect((await put(one, { email: one.email.toUpperCase() })).status).toBe(200);
    expectDenied(await put(other, { email: 'other@people.example', username: one.username }), 'Username already taken');
    expect((await put(other, { email: 'other@people.example' })).status).toBe(200);
    expectDenied(await put(other, { email: one.email }), 'Email already taken');
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
