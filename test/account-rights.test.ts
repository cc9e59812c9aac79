// Rights on accounts: what a user may write of the own one, what answers to logging in show, and what ends with a
// password, a block, a role or an address, whoever writes it. Seen from outside, over HTTP and in process.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { USER } from '../src/model/builtin.ts';
import { FIRST_PAGE } from '../src/request/parse-read.ts';
import { type Answer, type Json, type Project, useContents } from './support/content.ts';
import { describeOnEveryDatabase } from './support/database.ts';
import { bearer, type Guarded, type Person, type Rules, useGuarded, type Who } from './support/guarded.ts';

const PROJECT: Project = { types: { note: { attributes: { title: { type: 'string' } } } } };
const PASSWORD = 'a-long-phrase';
const OTHER_PASSWORD = 'another-phrase';

const OWN = { id: '$user.id' };
/** What decides over an account, each with a value that can be written. */
const PROTECTED: Readonly<Record<string, unknown>> = {
  role: 1,
  confirmed: false,
  blocked: true,
  provider: 'elsewhere',
  resetPasswordToken: 'x',
  confirmationToken: 'x',
};
const CODES = ['resetPasswordToken', 'confirmationToken'];

const RULES: Rules = {
  own: { [USER]: { rows: { update: OWN } } },
  found: { [USER]: { rows: { find: OWN } } },
  trusted: {
    [USER]: { rows: { update: OWN }, fields: { write: ['username', ...Object.keys(PROTECTED)] } },
  },
  remover: { [USER]: { rows: { find: OWN, delete: { blocked: true } } } },
  listed: { [USER]: { fields: { write: ['username', 'email'] } } },
  modest: { [USER]: { fields: { read: ['username'] } } },
  unseen: { [USER]: { rows: { find: { blocked: true } } } },
  authenticated: { [USER]: { fields: { read: ['username', 'confirmed'] } } },
};
const ROLES = ['own', 'found', 'trusted', 'remover', 'listed', 'modest', 'unseen', 'manager'];

const saying = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body)}`;

describeOnEveryDatabase('Accounts', (engine) => {
  const contents = useContents(engine);
  const guarded = useGuarded(engine, contents);
  let site: Guarded;
  let folder: string;
  let people = 0;

  beforeAll(async () => {
    folder = guarded.projectWith(PROJECT, { rules: RULES });
    site = await guarded.open(folder);
    const actions = ['find', 'findOne', 'create', 'update', 'destroy', 'me'].map((verb) => `${USER}.${verb}`);
    for (const role of ROLES) {
      await site.auth.roles.create(role);
      await site.auth.roles.grant(role, actions);
    }
  });

  const put = (documentId: string, data: Json, who: Who): Promise<Answer> =>
    site.send('PUT', `users/${documentId}`, data, who);
  const stored = (documentId: string): Promise<unknown> =>
    site.rows(
      `select u.username, u.email, u.provider, u.confirmed, u.blocked, u.reset_password_token, u.confirmation_token, l.role_id from up_users as u left join up_users_role_lnk as l on l.user_id = u.id where u.document_id = '${documentId}'`,
    );
  const meStatus = async (who: Who): Promise<number> => (await site.get('users/me', who)).status;

  describe('of who may change only some of them', () => {
    it.each(['own', 'found'])('keep what decides over them from their own user: %s', async (role) => {
      const { documentId, who } = await site.person(role);
      const before = await stored(documentId);
      const caller = await site.sheaf.authenticate(who);
      for (const [name, value] of Object.entries(PROTECTED))
        for (const given of [value, null]) {
          const refused = await put(documentId, { [name]: given }, who);
          const unknown = await put(documentId, { nope: given }, who);
          expect(saying(refused)).toBe(saying(unknown).replaceAll('nope', name));
          expect(refused.status).toBe(400);
          const inProcess = site.sheaf.documents(USER, caller).update({ documentId, data: { [name]: given } });
          await expect(inProcess).rejects.toMatchObject({ status: 400, message: `Invalid key ${name}` });
        }
      expect(await stored(documentId)).toEqual(before);
      const username = `renamed-${role}`;
      expect((await put(documentId, { username }, who)).body).toMatchObject({ username });
    });

    it('leave what is listed to them, but never codes', async () => {
      const { documentId, who } = await site.person('trusted');
      for (const name of CODES)
        expect(saying(await put(documentId, { [name]: 'x' }, who))).toMatch(new RegExp(`^400 .*Invalid key ${name}`));
      expect((await put(documentId, { provider: 'elsewhere' }, who)).body).toMatchObject({ provider: 'elsewhere' });
      expect((await put(documentId, { confirmed: false }, who)).body).toMatchObject({ confirmed: false });
      expect(saying(await put(documentId, { email: 'other@people.example' }, who))).toMatch(/^400 .*Invalid key email/);
      const { id: role } = await site.auth.roles.find('manager');
      expect((await put(documentId, { role }, who)).status).toBe(200);
      expect(await meStatus(who)).toBe(401);
    });

    it('are made by them without it as well', async () => {
      const { who } = await site.person('own');
      const data = { username: 'made-by-own', email: 'made-by-own@people.example', password: 'a-long-phrase' };
      expect((await site.send('POST', 'users', { ...data, confirmed: true }, who)).status).toBe(400);
      expect((await site.send('POST', 'users', { ...data, role: 1 }, who)).status).toBe(400);
      expect((await site.send('POST', 'users', data, who)).status).toBe(201);
      const role = await site.rows(
        `select r.type from up_users as u join up_users_role_lnk as l on l.user_id = u.id join up_roles as r on r.id = l.role_id where u.username = 'made-by-own' and u.provider = 'local'`,
      );
      expect(role).toEqual([['authenticated']]);
    });
  });

  it('are deleted by who may delete them and not find them, and not shown to them, both ways in', async () => {
    const { who } = await site.person('remover');
    const caller = await site.sheaf.authenticate(who);
    const isThere = (documentId: string) =>
      site.number(`select count(*) from up_users where document_id = '${documentId}'`);
    for (const blocked of [true, false]) {
      const [one, other] = [await site.person('own', { blocked }), await site.person('own', { blocked })];
      const answer = await site.delete(`users/${one.documentId}`, who);
      expect([answer.status, answer.body?.username]).toEqual([blocked ? 200 : 404, undefined]);
      const { entries } = await site.sheaf.documents(USER, caller).delete({ documentId: other.documentId });
      expect(entries).toHaveLength(blocked ? 1 : 0);
      for (const { documentId } of [one, other]) expect(await isThere(documentId)).toBe(blocked ? 0 : 1);
    }
  });

  it('are their own where they ask for it, whatever document is named', async () => {
    const [one, other] = [await site.person('manager'), await site.person('own')];
    const caller = await site.sheaf.authenticate(one.who);
    const defaults = { status: 'published', pagination: FIRST_PAGE } as const;
    const type = site.sheaf.model.contentTypes.get(USER)!;
    const own = site.sheaf.operations.findOne({ name: 'me', type, parameters: {}, defaults }, caller);
    for (const { documentId } of [one, other])
      expect(JSON.parse((await own.run({ caller, documentId }))!)).toMatchObject({ documentId: one.documentId });
  });

  it('are changed in all but their codes by who may change all of them', async () => {
    const { who } = await site.person('manager');
    const { documentId } = await site.person('own');
    for (const [name, value] of Object.entries(PROTECTED)) {
      const answer = await put(documentId, { [name]: value }, who);
      expect(answer.status, saying(answer)).toBe(CODES.includes(name) ? 400 : 200);
    }
    const { who: listed } = await site.person('listed');
    for (const name of Object.keys(PROTECTED))
      expect(saying(await put(documentId, { [name]: null }, listed))).toMatch(new RegExp(`^400 .*Invalid key ${name}`));
  });

  // ------------------------------------------------------------------------------------------------------ logging in

  /** A person with a password. */
  const withPassword = (role: string): Promise<Person> => site.person(role, { password: PASSWORD });
  const auth = (to: string, body: Json, who: Who = {}): Promise<Answer> => site.send('POST', `auth/${to}`, body, who);
  const logIn = (identifier: string, password = PASSWORD) => auth('local', { identifier, password });

  /** The code in the last mail to an address. */
  async function codeFor(address: string): Promise<string> {
    await site.auth.accounts.settle();
    const mails = path.join(folder, '.state', 'mail');
    const order = (file: string): number => Number(/-(\d+)\.html$/.exec(file)![1]);
    const texts = readdirSync(mails)
      .sort((one, other) => order(one) - order(other))
      .map((file) => readFileSync(path.join(mails, file), 'utf8'));
    return /(?:code|confirmation)=([0-9a-f]{64})/.exec(texts.filter((text) => text.includes(address)).at(-1)!)![1]!;
  }
  const addressOf = async ({ documentId }: Person): Promise<string> =>
    String((await site.sheaf.documents(USER).findOne({ documentId }))!.email);
  async function resetCode(person: Person): Promise<string> {
    const email = await addressOf(person);
    expect((await auth('forgot-password', { email })).status).toBe(200);
    return codeFor(email);
  }
  const reset = (code: string, password = OTHER_PASSWORD) =>
    auth('reset-password', { code, password, passwordConfirmation: password });

  it('show of themselves what their role may read, wherever an answer holds them', async () => {
    const modest = await withPassword('modest');
    const shown = { id: modest.id, documentId: modest.documentId, username: modest.username };
    const loggedIn = await logIn(modest.username);
    expect([loggedIn.status, loggedIn.body.user]).toEqual([200, shown]);
    const password = { currentPassword: PASSWORD, password: OTHER_PASSWORD, passwordConfirmation: OTHER_PASSWORD };
    const changed = await auth('change-password', password, bearer(loggedIn.body.jwt));
    expect([changed.status, changed.body.user]).toEqual([200, shown]);
    const again = await reset(await resetCode(modest), PASSWORD);
    expect([again.status, again.body.user]).toEqual([200, shown]);
    expect((await site.get('users/me', bearer(again.body.jwt))).body).toEqual(shown);
    const name = `registered${++people}`;
    const registered = await auth('local/register', {
      username: name,
      email: `${name}@people.example`,
      password: PASSWORD,
    });
    expect(registered.status).toBe(200);
    expect(Object.keys(registered.body.user)).toEqual(['id', 'documentId', 'username', 'confirmed']);
    const manager = await withPassword('manager');
    expect((await logIn(manager.username)).body.user).toMatchObject({ username: manager.username, provider: 'local' });
  });

  it('show no more than which they are where a rule hides them from their own user', async () => {
    const { id, documentId, username } = await withPassword('unseen');
    const { status, body } = await logIn(username);
    expect([status, body.user]).toEqual([200, { id, documentId }]);
    expect(await meStatus(bearer(body.jwt))).toBe(404);
  });

  it('tell code in this process who calls, but neither passwords nor codes', async () => {
    const person = await withPassword('own');
    await resetCode(person);
    const { user } = await site.sheaf.authenticate(person.who);
    expect(user).toMatchObject({ id: person.id, username: person.username });
    for (const name of ['password', ...CODES]) expect(user).not.toHaveProperty(name);
  });

  // --------------------------------------------------------------------------------------------- what ends with what

  type Change = (person: Person, data: Json) => Promise<unknown>;
  const CHANGES: readonly (readonly [string, Change])[] = [
    [
      'over HTTP',
      async ({ documentId }, data) => {
        const { who } = await site.person('manager');
        const answer = await put(documentId, data, who);
        if (answer.status !== 200) throw new Error(saying(answer));
      },
    ],
    ['in process', ({ documentId }, data) => site.sheaf.documents(USER).update({ documentId, data })],
    [
      'in process, for a caller',
      async ({ documentId }, data) => {
        const caller = await site.sheaf.authenticate((await site.person('manager')).who);
        return site.sheaf.documents(USER, caller).update({ documentId, data });
      },
    ],
  ];

  const [overHttp, inProcess, forCaller] = CHANGES;

  it.each([overHttp!, forCaller!])(
    'keep their password and their role where a caller would take them %s',
    async (_way, change) => {
      const person = await withPassword('own');
      for (const data of [{ password: null }, { role: null }, { role: [] }, { role: { set: [] } }])
        await expect(change(person, data), JSON.stringify(data)).rejects.toThrow(/cannot be null|Cannot remove role/);
      expect(await meStatus(person.who)).toBe(200);
      expect((await logIn(person.username)).status).toBe(200);
    },
  );

  it('lose their sessions with their role, where code takes it', async () => {
    const person = await site.person('own');
    await inProcess![1](person, { role: null });
    expect(await meStatus(person.who)).toBe(401);
    expect(await site.number(`select count(*) from strapi_sessions where user_id = '${person.id}'`)).toBe(0);
  });

  describe.each(CHANGES)('that are written %s', (_way, change) => {
    it.each<[string, () => Promise<Json>]>([
      ['their password', async () => ({ password: OTHER_PASSWORD })],
      ['a block', async () => ({ blocked: true })],
      ['their role', async () => ({ role: (await site.auth.roles.find('modest')).id })],
    ])('lose their sessions, and codes to choose a password, with %s', async (_name, data) => {
      const person = await site.person('own');
      const others = await site.logIn(person.id);
      const code = await resetCode(person);
      const bystander = await site.person('own');
      await change(person, await data());
      for (const who of [person.who, others]) expect(await meStatus(who)).toBe(401);
      expect((await reset(code)).status).toBe(400);
      expect(await meStatus(bystander.who)).toBe(200);
      expect(await site.number(`select count(*) from strapi_sessions where user_id = '${person.id}'`)).toBe(0);
    });

    it('get neither sessions nor codes back when a block ends', async () => {
      const person = await site.person('own');
      const code = await resetCode(person);
      for (const blocked of [true, false]) await change(person, { blocked });
      expect(await meStatus(person.who)).toBe(401);
      expect((await reset(code)).status).toBe(400);
    });

    it('keep their sessions where neither password, block nor role changes', async () => {
      const person = await site.person('own');
      const { id: role } = await site.auth.roles.find('own');
      const code = await resetCode(person);
      for (const data of [{ username: `kept${++people}` }, { role }, { blocked: false }, { confirmed: true }, {}])
        await change(person, data);
      expect(await meStatus(person.who)).toBe(200);
      expect((await reset(code)).status).toBe(200);
    });

    it('keep their sessions where the write fails', async () => {
      const person = await site.person('own');
      const taken = await site.person('own');
      const data = { password: OTHER_PASSWORD, blocked: true, username: taken.username };
      await expect(change(person, data)).rejects.toThrow('already taken');
      expect(await meStatus(person.who)).toBe(200);
    });

    it('lose every code with their address', async () => {
      const person = await site.person('own', { confirmed: false });
      const email = await addressOf(person);
      const code = await resetCode(person);
      expect((await auth('send-email-confirmation', { email })).status).toBe(200);
      const confirmation = await codeFor(email);
      expect(confirmation).not.toBe(code);
      await change(person, { email: `moved${++people}@People.example` });
      expect((await reset(code)).status).toBe(400);
      expect((await site.get(`auth/email-confirmation?confirmation=${confirmation}`)).status).toBe(400);
      expect(await site.rows(`select email from up_users where id = ${person.id}`)).toEqual([
        [`moved${people}@people.example`],
      ]);
      expect(await meStatus(person.who)).toBe(200);
    });
  });

  it('lose their sessions on the next request that another node answers', async () => {
    const person = await site.person('own');
    const other = await guarded.open(folder, { database: site.database });
    expect((await other.get('users/me', person.who)).status).toBe(200);
    await site.sheaf.documents(USER).update({ documentId: person.documentId, data: { password: OTHER_PASSWORD } });
    expect((await other.get('users/me', person.who)).status).toBe(401);
  });

  it('are logged in to with the password that was written in process, and no other', async () => {
    const person = await withPassword('own');
    await site.sheaf.documents(USER).update({ documentId: person.documentId, data: { password: OTHER_PASSWORD } });
    expect((await logIn(person.username)).status).toBe(400);
    expect((await logIn(person.username, OTHER_PASSWORD)).status).toBe(200);
  });
});
