// Accounts for tests: the guide with settings of its own on a copy of its database, people who log in to it, tokens
// signed here, mails read from the folder where they are put. Everything is closed and removed when the suite is over.
import { createHmac, randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect } from 'vitest';
import { open, type Sheaf } from '../../src/app.ts';
import { hashPassword } from '../../src/passwords.ts';
import { type Answer, Content, type Json } from './content.ts';
import { type Engine, GUIDE } from './database.ts';

export const JWT_SECRET = 'kD9-vU3xq_71RbmHzWc0LtYe5sGoNfPa';
export const API_TOKEN_SALT = 'Zr4_TnB8ywQ0-hJm2VxKc6LdGs1EuApX';

/** The password of everyone in the guide, and of everyone that is made here. */
export const PASSWORD = 'Tr0ub4dor-and-3';
export const OTHER_PASSWORD = 'c0rrect-h0rse';

/** Tests ask more often than any client may. */
const NO_LIMIT = { max: 1_000_000, seconds: 60 };
export interface Person {
  readonly id: number;
  readonly documentId: string;
  readonly username: string;
  readonly email: string;
}

export interface SignedIn {
  readonly jwt: string;
  readonly refreshToken: string;
}

export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly html: string;
  /** What the link in it carries. */
  readonly code: string;
}

export const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token as it is written: header, payload, and what HMAC makes of them. */
export function signed(
  payload: unknown,
  { secret = JWT_SECRET, header = { alg: 'HS256', typ: 'JWT' } as Json, hash = 'sha256' } = {},
): string {
  const text = `${part(header)}.${part(payload)}`;
  return `${text}.${createHmac(hash, secret).update(text).digest('base64url')}`;
}

export const nowInSeconds = (): number => Math.floor(Date.now() / 1000);

/** What Strapi 5 puts into a token: who, since when, until when. */
export const legacyClaims = (id: unknown): Json => ({ id, iat: nowInSeconds() - 10, exp: nowInSeconds() + 3600 });

/** What a token says, whoever signed it. */
export const claimsOf = (token: string): Json =>
  JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString('utf8'));

/** An API token in the form that Strapi 5 stores. */
export const storedToken = (token: string): string => createHmac('sha512', API_TOKEN_SALT).update(token).digest('hex');

/** Every error wears the envelope. */
export function expectError(answer: Answer, status: number, name: string, message?: string): void {
  const error = { status, name, message: message ?? expect.any(String), details: expect.any(Object) };
  expect({ status: answer.status, body: answer.body }).toEqual({ status, body: { data: null, error } });
}

/** Something in the request is wrong. */
export const expectInvalid = (answer: Answer, message?: string): void =>
  expectError(answer, 400, 'ValidationError', message);

/** The request is right, and cannot be granted. */
export const expectDenied = (answer: Answer, message?: string): void =>
  expectError(answer, 400, 'ApplicationError', message);

export const expectForbidden = (answer: Answer): void => expectError(answer, 403, 'ForbiddenError', 'Forbidden');

/** Who shows a token that is none hears so, and is never taken for the public. */
export function expectUnauthorized(answer: Answer): void {
  expectError(answer, 401, 'UnauthorizedError');
  expect(answer.headers['www-authenticate']).toBe('Bearer');
}

/** A running service and what people do with it. */
export class Service extends Content {
  readonly state: string;
  readonly database: string;
  readonly #engine: Engine;
  #people = 0;

  constructor(sheaf: Sheaf, engine: Engine, database: string, state: string) {
    super(sheaf);
    this.#engine = engine;
    this.database = database;
    this.state = state;
  }

  /** A request of someone who shows a token. */
  as(token: string, method: string, url: string, body?: unknown): Promise<Answer> {
    return this.send(method, url, body, bearer(token));
  }

  me(token: string): Promise<Answer> {
    return this.as(token, 'GET', 'users/me');
  }

  auth(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send('POST', `auth/${path}`, body, headers);
  }

  /** The answer to a log-in, whatever it is. */
  tryLogIn(identifier: unknown, password: unknown = PASSWORD): Promise<Answer> {
    return this.auth('local', { identifier, password });
  }

  async logIn({ username }: Pick<Person, 'username'>, password: string = PASSWORD): Promise<SignedIn> {
    return tokensOf(await this.tryLogIn(username, password));
  }

  refresh(refreshToken: unknown): Promise<Answer> {
    return this.auth('refresh', { refreshToken });
  }

  /** A confirmed local account with PASSWORD and the role of those who log in, unless something else is said. */
  async person(columns: Readonly<Record<string, string | boolean | null>> = {}, role = 'authenticated') {
    const name = `person${++this.#people}-${randomBytes(4).toString('hex')}`;
    const values = {
      document_id: randomBytes(12).toString('hex'),
      username: name,
      email: `${name}@people.example`,
      provider: 'local',
      password: await hashPassword(PASSWORD),
      confirmed: true,
      blocked: false,
      ...columns,
    };
    const now = this.instant(Date.now());
    await this.execute(
      `insert into up_users (${Object.keys(values).join(', ')}, created_at, updated_at, published_at) values (${Object.values(values).map(literal).join(', ')}, ${now}, ${now}, ${now})`,
    );
    const id = await this.number(`select id from up_users where document_id = ${quoted(values.document_id)}`);
    await this.execute(
      `insert into up_users_role_lnk (user_id, role_id) select ${id}, id from up_roles where type = ${quoted(role)}`,
    );
    return { id, documentId: values.document_id, username: values.username, email: values.email } satisfies Person;
  }

  /** What the database holds of an account. */
  async stored({ id }: Pick<Person, 'id'>, column: string): Promise<unknown> {
    return (await this.rows(`select ${column} from up_users where id = ${id}`))[0]?.[0];
  }

  async change({ id }: Pick<Person, 'id'>, column: string, value: string | boolean | null): Promise<void> {
    await this.execute(`update up_users set ${column} = ${literal(value)} where id = ${id}`);
  }

  /** Settings of accounts as Strapi 5 keeps them; what is not given is as it is by default. */
  async setAdvanced(settings: Json): Promise<void> {
    const key = quoted('plugin_users-permissions_advanced');
    const value = quoted(JSON.stringify(settings));
    await this.execute(`delete from strapi_core_store_settings where key = ${key}`);
    await this.execute(
      `insert into strapi_core_store_settings (key, value, type) values (${key}, ${value}, ${quoted('object')})`,
    );
  }

  /** A moment, as a statement of this database writes it. */
  instant(milliseconds: number): string {
    return this.#engine.name === 'SQLite' ? String(milliseconds) : quoted(new Date(milliseconds).toISOString());
  }

  /** The rows of a table, every column as text. */
  async texts(table: string, where = '1 = 1'): Promise<readonly (readonly (string | null)[])[]> {
    const { columns } = (await this.sheaf.database.describe()).get(table)!;
    const texts = [...columns.keys()].map((column) => `cast("${column}" as text)`);
    return this.rows(`select ${texts.join(', ')} from "${table}" where ${where}`);
  }

  /** Tables in which a text stands anywhere. */
  async tablesWith(text: string): Promise<string[]> {
    const found: string[] = [];
    for (const [table, { columns }] of await this.sheaf.database.describe()) {
      const places = [...columns.keys()].map((column) => `cast("${column}" as text) like ${quoted(`%${text}%`)}`);
      if ((await this.number(`select count(*) from "${table}" where ${places.join(' or ')}`)) > 0) found.push(table);
    }
    return found;
  }

  /** The mails to an address, the oldest first, once all that was promised has been sent. */
  async mails(to: string): Promise<Mail[]> {
    const { accounts } = await this.sheaf.auth();
    // What was promised may promise more.
    await accounts.settle();
    await accounts.settle();
    return this.mailsNow(to);
  }

  mailsNow(to: string): Mail[] {
    const folder = path.join(this.state, 'mail');
    if (!existsSync(folder)) return [];
    const order = (file: string): number => Number(/-(\d+)\.html$/.exec(file)![1]);
    const mails = readdirSync(folder)
      .sort((one, other) => order(one) - order(other))
      .map((file) => readMail(readFileSync(path.join(folder, file), 'utf8')));
    return mails.filter((mail) => mail.to === to);
  }

  /** Has a code to choose a new password sent, and takes it from the mail. */
  async resetCode(person: Person): Promise<string> {
    const answer = await this.auth('forgot-password', { email: person.email });
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    return (await this.mails(person.email)).at(-1)!.code;
  }

  resetPassword(code: unknown, password = OTHER_PASSWORD): Promise<Answer> {
    return this.auth('reset-password', { code, password, passwordConfirmation: password });
  }

  changePassword(token: string, currentPassword = PASSWORD, password = OTHER_PASSWORD): Promise<Answer> {
    return this.auth('change-password', { currentPassword, password, passwordConfirmation: password }, bearer(token));
  }
}

const literal = (value: string | boolean | null): string => (typeof value === 'string' ? quoted(value) : String(value));

function readMail(text: string): Mail {
  const [, to, subject] = /To: (\S+)\n\s+Subject: (.*) -->/.exec(text)!;
  const code = /(?:code|confirmation)=([0-9a-f]+)/.exec(text)?.[1] ?? '';
  return { to: to!, subject: subject!, html: text.slice(text.indexOf('-->\n') + 4), code };
}

/** Both tokens of an answer, whichever way the refresh token came. */
export function tokensOf(answer: Answer): SignedIn {
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return { jwt: answer.body.jwt, refreshToken: answer.body.refreshToken ?? cookieOf(answer).value };
}

/** The cookie that an answer sets, with its attributes. */
export function cookieOf(answer: Answer): { name: string; value: string; attributes: string[] } {
  const [pair = '', ...attributes] = String(answer.headers['set-cookie']).split('; ');
  const [name = '', value = ''] = pair.split('=');
  return { name, value, attributes };
}

export interface ServiceOptions {
  /** Members of config/sheaf.json. */
  readonly settings?: Json;
  /** A folder that project() made; one is made where none is given. */
  readonly project?: string;
  readonly database?: string;
  readonly salt?: string;
}

export interface Services {
  /** A new folder that lasts as long as the suite. */
  folder(): string;
  /** The guide's project with settings, in a folder of its own. */
  project(settings?: Json): string;
  /** Starts the guide on a copy of the database that Strapi 5 made, or on the one given. */
  start(options?: ServiceOptions): Promise<Service>;
}

/** For the body of a suite: makes folders that last as long as it. */
export function useFolders(): () => string {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-auth-'));
    folders.push(folder);
    return folder;
  };
}

/** For the body of a suite: what it starts is closed when it is over. */
export function useServices(engine: Engine): Services {
  const started: Service[] = [];
  const folder = useFolders();
  afterAll(async () => {
    for (const service of started) await service.close();
  });
  const services: Services = {
    folder,
    project(settings = {}) {
      const made = folder();
      for (const name of ['src', 'config']) cpSync(path.join(GUIDE, name), path.join(made, name), { recursive: true });
      const limits = { rateLimits: { auth: NO_LIMIT, account: NO_LIMIT, address: NO_LIMIT } };
      writeFileSync(path.join(made, 'config', 'sheaf.json'), JSON.stringify({ ...limits, ...settings }));
      return made;
    },
    async start({
      settings,
      project = services.project(settings),
      database = engine.guideDatabaseUrl(),
      salt = API_TOKEN_SALT,
    } = {}) {
      const state = folder();
      const secrets = { jwt: JWT_SECRET, apiTokenSalt: salt };
      const sheaf = await open({ project, database, state, secrets });
      const service = new Service(sheaf, engine, database, state);
      started.push(service);
      return service;
    },
  };
  return services;
}
