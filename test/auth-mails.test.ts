// Codes in mails: forgotten passwords, and addresses to confirm.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { MAX_MAILS_PER_HOUR } from '../src/limits.ts';
import { BODY_MODE, QUARTER_MS, shown, statuses } from './support/account-answers.ts';
import {
  expectDenied,
  expectInvalid,
  expectUnauthorized,
  legacyClaims,
  OTHER_PASSWORD,
  PASSWORD,
  type Person,
  type Service,
  signed,
  tokensOf,
  useServices,
} from './support/auth.ts';
import type { Answer } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';

describeOnEveryDatabase('Forgotten passwords', (engine) => {
  const services = useServices(engine);
  let service: Service;
  beforeAll(async () => {
    const project = services.project(BODY_MODE);
    const folder = path.join(project, 'src', 'extensions', 'users-permissions', 'content-types', 'user');
    mkdirSync(folder, { recursive: true });
    const extension = {
      kind: 'collectionType',
      collectionName: 'up_users',
      info: { singularName: 'user', pluralName: 'users', displayName: 'User' },
      attributes: { password: { type: 'password', minLength: 6, private: true, regex: '^(?!weak)' } },
    };
    writeFileSync(path.join(folder, 'schema.json'), JSON.stringify(extension));
    service = await services.start({ project });
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
    // By a rule of the project for the attribute.
    expectInvalid(await reset('weak-passw0rd'));
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
