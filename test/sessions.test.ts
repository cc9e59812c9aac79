// Sessions as their users see and end them, where refresh tokens are put, and what tokens are signed with.
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { deviceName } from '../src/accounts/device-name.ts';
import { jwtKeys } from '../src/accounts/jwt.ts';
import { SetupError } from '../src/errors.ts';
import { readConfig } from '../src/project/environment.ts';
import { readSettings } from '../src/project/settings.ts';
import {
  claimsOf,
  cookieOf,
  expectError,
  expectUnauthorized,
  legacyClaims,
  PASSWORD,
  type Service,
  signed,
  tokensOf,
  useFolders,
  useServices,
} from './support/auth.ts';
import type { Answer, Answered } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

const CHROME =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36';
const sessionOf = (token: string): string => String(claimsOf(token).sessionId);
const headerOf = (token: string): Answered =>
  JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString('utf8'));

describeOnEveryDatabase('The sessions of a user', (engine) => {
  const services = useServices(engine);
  let service: Service;
  beforeAll(async () => {
    service = await services.start({ settings: { auth: { refreshToken: 'body' } } });
  });
  const logIn = async (username: string, userAgent = CHROME) => {
    const body = { identifier: username, password: PASSWORD };
    return tokensOf(await service.auth('local', body, { 'user-agent': userAgent }));
  };
  const list = async (jwt: string): Promise<Answered[]> => {
    const answer = await service.as(jwt, 'GET', 'auth/sessions');
    expect(answer.status).toBe(200);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(Object.keys(answer.body)).toEqual(['data']);
    return answer.body.data;
  };
  const end = (jwt: string, id: string): Promise<Answer> => service.as(jwt, 'DELETE', `auth/sessions/${id}`);

  it('are listed for themselves alone, the one that asks marked', async () => {
    const [person, other] = [await service.person(), await service.person()];
    const one = await logIn(person.username);
    const two = await logIn(person.username, 'curl/8.5.0');
    await logIn(other.username);
    const shown = await list(one.jwt);
    expect(shown.map(({ id }) => id).sort()).toEqual([sessionOf(one.jwt), sessionOf(two.jwt)].sort());
    const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const times = { loginAt: instant, lastActiveAt: instant, deviceId: expect.any(String) };
    expect(shown).toContainEqual({
      id: sessionOf(one.jwt),
      current: true,
      deviceName: 'Chrome on macOS',
      ...times,
    });
    expect(shown).toContainEqual({ id: sessionOf(two.jwt), current: false, deviceName: null, ...times });
  });

  it('stay one when they are renewed, with the moment and the device of the log-in', async () => {
    const { username } = await service.person();
    const begun = await logIn(username);
    const [before] = await list(begun.jwt);
    const renewed = tokensOf(await service.refresh(begun.refreshToken));
    const shown = await list(renewed.jwt);
    expect(shown).toEqual([{ ...before, id: sessionOf(renewed.jwt), lastActiveAt: expect.any(String), current: true }]);
    // The token of before stands for the same session.
    expect((await list(begun.jwt)).map(({ current }) => current)).toEqual([true]);
  });

  it('are not listed once they are over', async () => {
    const { id, username } = await service.person();
    const { jwt } = await logIn(username);
    await logIn(username);
    const past = service.instant(Date.now() - 1000);
    await service.execute(
      `update strapi_sessions set expires_at = ${past} where user_id = '${id}' and session_id <> '${sessionOf(jwt)}'`,
    );
    expect((await list(jwt)).map((one) => one.id)).toEqual([sessionOf(jwt)]);
  });

  it('are ended one by one: their tokens open nothing from then on', async () => {
    const { username } = await service.person();
    const [one, two] = [await logIn(username), await logIn(username)];
    const { status, body } = await end(one.jwt, sessionOf(two.jwt));
    expect([status, body]).toEqual([200, { data: {} }]);
    expectUnauthorized(await service.me(two.jwt));
    expect((await service.refresh(two.refreshToken)).status).toBe(401);
    expect((await list(one.jwt)).map(({ id }) => id)).toEqual([sessionOf(one.jwt)]);
    expect((await service.refresh(one.refreshToken)).status).toBe(200);
  });

  it('of others, and those that are not there, are not found', async () => {
    const [person, other] = [await service.person(), await service.person()];
    const [one, two] = [await logIn(person.username), await logIn(other.username)];
    for (const id of [sessionOf(two.jwt), 'unknown-session-id', '%00', "x' or '1'='1"])
      expectError(await end(one.jwt, id), 404, 'NotFoundError', 'Session not found');
    expect((await service.refresh(two.refreshToken)).status).toBe(200);
  });

  it('are ended by device when logging out', async () => {
    const { username } = await service.person();
    const [one, two, three] = [await logIn(username), await logIn(username), await logIn(username)];
    const { deviceId } = (await list(one.jwt)).find(({ id }) => id === sessionOf(two.jwt));
    expect((await service.as(one.jwt, 'POST', 'auth/logout', { deviceId: '\0' })).status).toBe(200);
    expect(await list(one.jwt)).toHaveLength(3);
    expect((await service.as(one.jwt, 'POST', 'auth/logout', { deviceId })).status).toBe(200);
    expectUnauthorized(await service.me(two.jwt));
    for (const { jwt } of [one, three]) expect((await service.me(jwt)).status).toBe(200);
  });

  it('have the device that the client names, and end with it', async () => {
    const { username } = await service.person();
    const onPhone = () => service.auth('local', { identifier: username, password: PASSWORD, deviceId: 'my-phone' });
    const [one, two, other] = [tokensOf(await onPhone()), tokensOf(await onPhone()), await logIn(username)];
    expect((await list(other.jwt)).map(({ deviceId }) => deviceId)).toEqual([
      expect.any(String),
      'my-phone',
      'my-phone',
    ]);
    expect((await service.as(other.jwt, 'POST', 'auth/logout', { deviceId: 'my-phone' })).status).toBe(200);
    for (const { jwt, refreshToken } of [one, two]) {
      expectUnauthorized(await service.me(jwt));
      expectUnauthorized(await service.refresh(refreshToken));
    }
    expect((await service.me(other.jwt)).status).toBe(200);
    const changed = await service.as(other.jwt, 'POST', 'auth/change-password', {
      currentPassword: PASSWORD,
      password: 'another-phrase',
      passwordConfirmation: 'another-phrase',
      deviceId: 'my-phone',
    });
    expect((await list(tokensOf(changed).jwt)).map(({ deviceId }) => deviceId)).toEqual(['my-phone']);
  });

  it('have a device of their own where the client names none that can be kept', async () => {
    const { username } = await service.person();
    const logInWith = (deviceId: unknown) =>
      service.auth('local', { identifier: username, password: PASSWORD, deviceId });
    for (const deviceId of ['', 5, null, ['x']])
      expect((await list(tokensOf(await logInWith(deviceId)).jwt))[0].deviceId).toMatch(/^\w{20,}$/);
    for (const deviceId of ['x'.repeat(256), 'a\0b']) expectError(await logInWith(deviceId), 400, 'ValidationError');
  });

  it('are ended one by one without a device too, as Strapi 5 begins them', async () => {
    const { id, username } = await service.person();
    const [one, two, three] = [await logIn(username), await logIn(username), await logIn(username)];
    await service.execute(`update strapi_sessions set device_id = null where user_id = '${id}'`);
    const renewed = tokensOf(await service.refresh(one.refreshToken));
    const shown = await list(renewed.jwt);
    expect(shown.map((session) => [session.id, session.deviceId, session.current])).toEqual([
      [sessionOf(renewed.jwt), null, true],
      [sessionOf(three.jwt), null, false],
      [sessionOf(two.jwt), null, false],
    ]);
    expect((await end(renewed.jwt, sessionOf(two.jwt))).status).toBe(200);
    expectUnauthorized(await service.me(two.jwt));
    expect((await service.me(three.jwt)).status).toBe(200);
    // A refresh token that comes back ends what it was renewed to.
    expectUnauthorized(await service.refresh(one.refreshToken));
    expectUnauthorized(await service.me(renewed.jwt));
    expectUnauthorized(await service.refresh(renewed.refreshToken));
    expect((await list(three.jwt)).map((session) => session.id)).toEqual([sessionOf(three.jwt)]);
    expect((await service.as(three.jwt, 'POST', 'auth/logout', {})).status).toBe(200);
    expectUnauthorized(await service.me(three.jwt));
  });

  it('go on by a token of Strapi 5, which says when it ends and not when it began', async () => {
    const { username } = await service.person();
    const { iat: _, ...claims } = claimsOf((await logIn(username)).refreshToken);
    const { jwt } = tokensOf(await service.refresh(signed(claims)));
    expect((await service.me(jwt)).status).toBe(200);
    // Only where there is a session to begin with.
    expectUnauthorized(await service.refresh(signed({ ...claims, sessionId: undefined })));
    expectUnauthorized(await service.me(signed({ ...claims, type: 'access' })));
  });

  it('end with the last one, which is all that Strapi 5 deletes of one that was renewed', async () => {
    const { username } = await service.person();
    const [first, other] = [await logIn(username), await logIn(username)];
    const second = tokensOf(await service.refresh(first.refreshToken));
    const third = tokensOf(await service.refresh(second.refreshToken));
    for (const { jwt } of [first, second, third]) expect((await service.me(jwt)).status).toBe(200);
    await service.execute(`delete from strapi_sessions where session_id = '${sessionOf(third.jwt)}'`);
    for (const { jwt, refreshToken } of [first, second, third]) {
      expectUnauthorized(await service.me(jwt));
      expectUnauthorized(await service.refresh(refreshToken));
    }
    expect((await service.me(other.jwt)).status).toBe(200);
  });

  it('keep the moment and the device of the log-in where Strapi 5 looks for them', async () => {
    const { id, username } = await service.person();
    const { jwt } = await logIn(username);
    const [{ loginAt }] = await list(jwt);
    const where = `where user_id = '${id}'`;
    const kept = `metadata like '%"deviceName":"Chrome on macOS"%' and metadata like '%"loginAt":"${loginAt}"%'`;
    const text = kept.replaceAll('metadata', "replace(cast(metadata as text), ': ', ':')");
    expect(await service.number(`select count(*) from strapi_sessions ${where} and ${text}`)).toBe(1);
    await service.execute(`update strapi_sessions set metadata = '{"loginAt":"2020-01-02T03:04:05.678Z"}' ${where}`);
    expect((await list(jwt))[0]).toMatchObject({ loginAt: '2020-01-02T03:04:05.678Z', deviceName: null });
    for (const metadata of ['{"loginAt":"yesterday"}', '[1]', 'null']) {
      await service.execute(`update strapi_sessions set metadata = '${metadata}' ${where}`);
      expect((await list(jwt))[0]).toMatchObject({ loginAt: expect.stringMatching(/^20/), deviceName: null });
    }
  });

  it('are none of the business of who is not logged in', async () => {
    for (const [method, url] of [
      ['GET', 'auth/sessions'],
      ['DELETE', 'auth/sessions/x'],
    ] as const)
      expectError(await service.send(method, url), 403, 'ForbiddenError', 'Forbidden');
    const person = await service.person();
    await logIn(person.username);
    // A token without a session sees those that there are.
    expect(await list(signed(legacyClaims(person.id)))).toMatchObject([{ current: false }]);
  });
});

describe('The name of a device', () => {
  it.each([
    [CHROME, 'Chrome on macOS'],
    [`${CHROME} Edg/120.0`, 'Edge on macOS'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:121.0) Gecko/20100101 Firefox/121.0', 'Firefox on Windows'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 Mobile/15E148 Safari/604.1',
      'Safari on iOS',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0 Mobile Safari/537.36',
      'Chrome on Android',
    ],
    ['okhttp (Android)', 'Android'],
    ['curl/8.5.0', null],
    ['', null],
    [undefined, null],
  ])('of %j is %j', (userAgent, name) => {
    expect(deviceName(userAgent)).toBe(name);
  });
});

describeOnEveryDatabase('The cookie of a refresh token', (engine) => {
  const services = useServices(engine);
  const HTTP_ONLY = { 'x-strapi-refresh-cookie': 'httpOnly' };
  const logInTo = async (service: Service, headers: Readonly<Record<string, string>> = {}): Promise<Answer> => {
    const { username } = await service.person();
    return service.auth('local', { identifier: username, password: PASSWORD }, headers);
  };

  it('is set for a client that asks for it, where others get the token in the body', async () => {
    const service = await services.start({ settings: { auth: { refreshToken: 'body' } } });
    const inBody = await logInTo(service);
    expect(inBody.body.refreshToken).toEqual(expect.any(String));
    expect(inBody.headers['set-cookie']).toBeUndefined();
    const inCookie = await logInTo(service, HTTP_ONLY);
    expect(Object.keys(inCookie.body).sort()).toEqual(['jwt', 'user']);
    const { name, value, attributes } = cookieOf(inCookie);
    expect(name).toBe('strapi_up_refresh');
    expect(attributes).toContain('HttpOnly');
    const cookie = `${name}=${value}`;
    const renewed = await service.auth('refresh', {}, { ...HTTP_ONLY, cookie });
    expect([renewed.status, Object.keys(renewed.body)]).toEqual([200, ['jwt']]);
    expect(cookieOf(renewed).value).not.toBe(value);
    // What came in the body is put into a cookie as well.
    const moved = await service.auth('refresh', { refreshToken: inBody.body.refreshToken }, HTTP_ONLY);
    expect([moved.body.refreshToken, cookieOf(moved).name]).toEqual([undefined, name]);
    // A cookie goes before what the client has kept from before, as in Strapi 5.
    const both = { ...HTTP_ONLY, cookie: `${name}=${cookieOf(moved).value}` };
    expect((await service.auth('refresh', { refreshToken: inBody.body.refreshToken }, both)).status).toBe(200);
    // Any other value asks for nothing.
    expect((await logInTo(service, { 'x-strapi-refresh-cookie': 'no' })).body.refreshToken).toEqual(expect.any(String));
  });

  it('is as the project says', async () => {
    const cookie = {
      name: 'guide_refresh',
      domain: 'guide.example',
      path: '/',
      sameSite: 'strict',
      secure: true,
      maxAgeSeconds: 120,
    };
    const service = await services.start({ settings: { auth: { cookie } } });
    const answer = await logInTo(service);
    const { name, value, attributes } = cookieOf(answer);
    expect(name).toBe('guide_refresh');
    const expected = ['Domain=guide.example', 'HttpOnly', 'Path=/', 'SameSite=Strict', 'Secure'];
    expect(attributes.toSorted()).toEqual([...expected, 'Max-Age=120'].toSorted());
    const renewed = await service.auth('refresh', undefined, { cookie: `${name}=${value}` });
    expect(renewed.status).toBe(200);
    expect(cookieOf(renewed).attributes).toContain('Max-Age=120');
    expect((await service.auth('refresh', {}, { cookie: `strapi_up_refresh=${value}` })).status).toBe(400);
    const out = cookieOf(await service.as(renewed.body.jwt, 'POST', 'auth/logout', {}));
    expect([out.name, out.value]).toEqual(['guide_refresh', '']);
    expect(out.attributes.toSorted()).toEqual([...expected, 'Max-Age=0'].toSorted());
  });

  it('can end with the browser, and go over plain HTTP though the request did not', async () => {
    const cookie = { maxAgeSeconds: null, secure: false };
    const service = await services.start({ settings: { auth: { cookie }, trustProxy: ['127.0.0.1'] } });
    const { attributes } = cookieOf(await logInTo(service, { 'x-forwarded-proto': 'https' }));
    expect(attributes.toSorted()).toEqual(['HttpOnly', 'Path=/api/auth', 'SameSite=Lax']);
  });
});

const rsa = (bits: number) =>
  generateKeyPairSync('rsa', {
    modulusLength: bits,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });

describeOnEveryDatabase('Tokens', (engine) => {
  const services = useServices(engine);

  it.each(['HS256', 'HS384', 'HS512'])(
    'are signed with %s where the project says so, and with nothing else',
    async (algorithm) => {
      const jwt = { algorithm, issuer: 'the-guide', audience: 'its-readers' };
      const service = await services.start({ settings: { auth: { jwt, refreshToken: 'body' } } });
      const person = await service.person();
      const tokens = await service.logIn(person);
      for (const token of [tokens.jwt, tokens.refreshToken]) {
        expect(headerOf(token)).toEqual({ alg: algorithm, typ: 'JWT' });
        expect(claimsOf(token)).toMatchObject({ iss: 'the-guide', aud: 'its-readers' });
      }
      expect((await service.me(tokens.jwt)).status).toBe(200);
      expect((await service.refresh(tokens.refreshToken)).status).toBe(200);
      const claims = { ...legacyClaims(person.id), iss: 'the-guide', aud: 'its-readers' };
      const hash = `sha${algorithm.slice(2)}`;
      const as = (alg: string, made: object, by = hash) => signed(made, { header: { alg, typ: 'JWT' }, hash: by });
      expect((await service.me(as(algorithm, claims))).status).toBe(200);
      const another = algorithm === 'HS256' ? 'HS512' : 'HS256';
      for (const token of [
        as(another, claims, `sha${another.slice(2)}`),
        as(another, claims),
        as(algorithm, { ...claims, iss: 'another' }),
        as(algorithm, { ...claims, aud: 'others' }),
        as(algorithm, legacyClaims(person.id)),
      ])
        expectUnauthorized(await service.me(token));
    },
  );

  it('are signed with a private key where the project says so, and read with the public one', async () => {
    const { publicKey, privateKey } = rsa(2048);
    const jwt = { algorithm: 'RS256', privateKey };
    const service = await services.start({ settings: { auth: { jwt, refreshToken: 'body' } } });
    const person = await service.person();
    const tokens = await service.logIn(person);
    expect(headerOf(tokens.jwt)).toEqual({ alg: 'RS256', typ: 'JWT' });
    const [header, payload, signature] = tokens.jwt.split('.');
    const text = Buffer.from(`${header}.${payload}`);
    expect(verify('sha256', text, createPublicKey(publicKey), Buffer.from(signature!, 'base64url'))).toBe(true);
    expect((await service.me(tokens.jwt)).status).toBe(200);
    expect((await service.refresh(tokens.refreshToken)).status).toBe(200);
    // The public key is no secret, so that nothing may be signed with it; nor with the secret of other algorithms.
    for (const secret of [publicKey, undefined])
      expectUnauthorized(await service.me(signed(legacyClaims(person.id), { ...(secret && { secret }) })));
    expectUnauthorized(await service.me(signed(legacyClaims(person.id), { header: { alg: 'RS256', typ: 'JWT' } })));
  });

  it('are read with the public key that is given, so that keys can be told apart', async () => {
    const [own, other] = [rsa(2048), rsa(2048)];
    const jwt = { algorithm: 'RS256', privateKey: own.privateKey, publicKey: other.publicKey };
    const service = await services.start({ settings: { auth: { jwt } } });
    const { jwt: token } = await service.logIn(await service.person());
    expectUnauthorized(await service.me(token));
  });

  it('are not signed without a key that can be used', async () => {
    const { privateKey: short } = rsa(1024);
    const broken = '-----BEGIN PRIVATE KEY-----\nnonsense\n-----END PRIVATE KEY-----';
    for (const privateKey of [null, broken, short]) {
      const service = await services.start({ settings: { auth: { jwt: { algorithm: 'RS256', privateKey } } } });
      await expect(service.sheaf.auth()).rejects.toThrow(SetupError);
    }
  });
});

describe('The private key of tokens', () => {
  const folder = useFolders();

  it('comes from the environment before it comes from the settings, on one line or on several', () => {
    const { privateKey } = rsa(2048);
    const project = folder();
    for (const JWT_PRIVATE_KEY of [privateKey, privateKey.replaceAll('\n', '\\n')]) {
      const { secrets } = readConfig({ project }, { JWT_PRIVATE_KEY });
      expect(secrets.jwtPrivateKey).toBe(privateKey);
    }
    const settings = { ...readSettings(project).auth.jwt, algorithm: 'RS256', privateKey: 'of the settings' } as const;
    const { signing, verifying } = jwtKeys(settings, 'unused', privateKey);
    expect([signing.type, verifying.type]).toEqual(['private', 'public']);
    expect(signing.export({ type: 'pkcs8', format: 'pem' })).toBe(privateKey);
  });
});

describe('Settings of tokens', () => {
  const folder = useFolders();

  it.each([
    [{ jwt: { algorithm: 'none' } }, /auth\.jwt\.algorithm: expected one of HS256/],
    [{ jwt: { privateKey: 'x' } }, /auth\.jwt\.privateKey: expected a key in PEM form/],
    [{ jwt: { issuer: '' } }, /auth\.jwt\.issuer/],
    [{ cookie: { name: 'a b' } }, /auth\.cookie\.name/],
    [{ cookie: { path: 'x' } }, /auth\.cookie\.path/],
    [{ cookie: { domain: 'a;b' } }, /auth\.cookie\.domain/],
    [{ cookie: { sameSite: 'Lax' } }, /auth\.cookie\.sameSite: expected one of lax, strict, none/],
    [{ cookie: { maxAgeSeconds: 0 } }, /auth\.cookie\.maxAgeSeconds/],
  ])('that cannot be used are told by name: %j', (auth, message) => {
    const project = folder();
    mkdirSync(path.join(project, 'config'));
    writeFileSync(path.join(project, 'config', 'sheaf.json'), JSON.stringify({ auth }));
    expect(() => readSettings(project)).toThrow(SetupError);
    let problems = '';
    try {
      readSettings(project);
    } catch (error) {
      problems = JSON.stringify(error, Object.getOwnPropertyNames(error));
    }
    expect(problems).toMatch(message);
  });
});
