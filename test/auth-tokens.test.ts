// Tokens of users and of programs, and sessions. What ends a session acts on the very next request, on every node.
import { AsyncResource } from 'node:async_hooks';
import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { USER } from '../src/model/builtin.ts';
import {
  at,
  BODY_MODE,
  expectNoRefresh,
  HOUR_MS,
  SLOW_HASH,
  settled,
  soon,
  statuses,
} from './support/account-answers.ts';
import {
  API_TOKEN_SALT,
  claimsOf,
  cookieOf,
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
  useServices,
} from './support/auth.ts';
import type { Answer, Json } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

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

  it.each(['Bearer ', 'bearer ', 'BEARER ', 'bEaReR ', 'Bearer  ', 'Bearer\t', 'bearer \t '])(
    'are taken after %j, as in Strapi 5',
    async (scheme) => {
      const { service, tokens, person } = given;
      const authorization = `${scheme}${tokens.jwt}`;
      // Looked up, then known.
      for (let times = 0; times < 2; times++)
        expect((await service.send('GET', 'users/me', undefined, { authorization })).body).toMatchObject({
          id: person.id,
        });
    },
  );

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

  // Strapi 5 issues refresh tokens without a beginning.
  const isRefused = (name: string): boolean => !name.includes('megabyte') && name !== 'without a beginning';
  it.each(Object.keys(BAD_TOKENS).filter(isRefused))('are refused to refresh with: one %s', async (name) => {
    const { service } = given;
    const token = await BAD_TOKENS[name]!({ ...given, kind: 'refreshToken' });
    const sessions = await service.number('select count(*) from strapi_sessions');
    expectNoRefresh(await service.refresh(token));
    expect(await service.number('select count(*) from strapi_sessions')).toBeLessThanOrEqual(sessions);
    expect((await service.me(given.tokens.jwt)).status).toBe(200);
  });

  it.each<[string, (token: string) => string]>([
    ['two tokens', (token) => `Bearer ${token} ${token}`],
    ['two tokens with a comma', (token) => `Bearer ${token},${token}`],
    ['two tokens with a tab', (token) => `Bearer ${token}\t${token}`],
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

  it('are given for forms of parts as for other bodies, and for none that hold a file', async () => {
    const { username, email } = await service.person();
    const head = { 'content-type': 'multipart/form-data; boundary=between-parts' };
    const part = (name: string, value: string): string =>
      `--between-parts\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const ask = (path: string, values: Record<string, string>, more = '') => {
      const parts = Object.entries(values).map(([name, value]) => part(name, value));
      return service.sendRaw(
        'POST',
        `auth/${path}`,
        Buffer.from(`${parts.join('')}${more}--between-parts--\r\n`),
        head,
      );
    };
    const loggedIn = await ask('local', { identifier: username, password: PASSWORD });
    expect([loggedIn.status, loggedIn.body.user.username]).toEqual([200, username]);
    const file = part('avatar"; filename="a.txt', 'x');
    const withFile = await ask('local', { identifier: username, password: PASSWORD }, file);
    expectInvalid(withFile, 'Files are uploaded by themselves, and named by their id');
    const registered = await ask('local/register', { username: 'parts', email: 'parts@x.test', password: PASSWORD });
    expect([registered.status, registered.body.user.username]).toEqual([200, 'parts']);
    expect((await ask('forgot-password', { email })).body).toEqual({ ok: true });
    expectInvalid(await ask('local', { identifier: username }), 'password is a required field');
  });

  it('are kept in no cookie where a form brings the password, as the page of another site could send it', async () => {
    const other = await services.start({ settings: {}, database: service.database });
    const { username } = await other.person();
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ identifier: username, password: PASSWORD }).toString();
    const answer = await other.auth('local', body, form);
    expect([answer.status, Object.keys(answer.body).sort()]).toEqual([200, ['jwt', 'user']]);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await other.me(answer.body.jwt)).body.username).toBe(username);
    const asked = await other.auth('local', body, { ...form, 'x-strapi-refresh-cookie': 'httpOnly' });
    const { name, value } = cookieOf(asked);
    expect(name).toBe('strapi_up_refresh');
    // Nor does such a form use up the token that a cookie holds.
    const held = { cookie: `${name}=${value}` };
    const refused = await other.auth('refresh', '', { ...form, ...held });
    expectInvalid(refused, 'A form renews a session only with the header x-strapi-refresh-cookie: httpOnly');
    expectInvalid(await service.auth('refresh', 'deviceId=x', { ...form, ...held }), 'Missing refresh token');
    expect((await other.auth('refresh', {}, held)).status).toBe(200);
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
    // A Strapi 5 without refresh tokens would let whoever has one call with it, if it named the user by `id`.
    expect(claimsOf(old.refreshToken)).toEqual(expect.not.objectContaining({ id: expect.anything() }));
    expect(claimsOf(old.jwt)).toMatchObject({ id: person.id, userId: String(person.id) });
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
