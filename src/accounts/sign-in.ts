// What people do with their accounts: log in, register, confirm an address, change a password or get a new one. Answers
// never tell whether an account exists; codes are random, stored as hashes, good once and for a quarter of an hour.
import { createHash, randomBytes } from 'node:crypto';
import type { Database, Session } from '../db/database.ts';
import { applicationError, RateLimitError, validationError } from '../errors.ts';
import type { Documents } from '../operations/documents.ts';
import type { Entry } from '../operations/parameters.ts';
import { hashPassword, isPassword, isTooLong } from '../passwords.ts';
import type { Settings } from '../project/settings.ts';
import { type AccountStatements, ADVANCED, MAILS } from '../sql/account-statements.ts';
import type { WriteSession } from '../store/write-session.ts';
import { type Advanced, readAdvanced } from './account-settings.ts';
import type { Grants } from './grants.ts';
import { Attempts } from './login-attempts.ts';
import type { Mailer } from './mail.ts';
import type { Sessions, Tokens } from './sessions.ts';

export interface SignedIn {
  readonly tokens: Tokens;
  readonly user: Entry;
}

const CODE_BYTES = 32;
const CODE_MS = 15 * 60_000;
const MIN_PASSWORD = 6;

export interface AccountParts {
  readonly database: Database;
  readonly statements: AccountStatements;
  readonly grants: Grants;
  readonly sessions: Sessions;
  readonly mailer: Mailer;
  readonly settings: Settings;
  /** The users themselves. */
  readonly users: Documents;
}

interface Account {
  readonly id: number;
  readonly password: string | null;
  readonly confirmed: boolean;
  readonly blocked: boolean;
  readonly email: string;
  readonly username: string;
}

type Body = Readonly<Record<string, unknown>>;

export class Accounts {
  readonly #parts: AccountParts;
  readonly #attempts: Attempts;
  /** What goes on after an answer was given. */
  readonly #later = new Set<Promise<unknown>>();

  constructor(parts: AccountParts) {
    this.#parts = parts;
    this.#attempts = new Attempts(parts.settings.rateLimits.account);
  }

  /** Counts a try of a password, by the account or by what it was called. */
  #countTry(account: number | string): void {
    const seconds = this.#attempts.take(String(account));
    if (seconds > 0) throw new RateLimitError(seconds);
  }

  /** Waits for what was promised after answers. */
  async settle(): Promise<void> {
    // What is waited for may promise more.
    while (this.#later.size > 0) await Promise.allSettled(this.#later);
  }

  async advanced(): Promise<Advanced> {
    const { database, statements } = this.#parts;
    const [row] = await database.latest((session) => session.rows(statements.setting(ADVANCED), []));
    return readAdvanced(row?.[0]);
  }

  async #find(column: Parameters<AccountStatements['byColumn']>[0], value: string | number): Promise<Account | null> {
    const { database, statements } = this.#parts;
    const [row] = await database.latest((session) => session.rows(statements.byColumn(column), [value]));
    return row ? accountOf(row) : null;
  }

  async #entry(id: number): Promise<Entry> {
    return (await this.#parts.users.findLatest({ id }))!;
  }

  async #signIn(id: number): Promise<SignedIn> {
    return { tokens: (await this.#parts.sessions.begin(id))!, user: await this.#entry(id) };
  }

  async logIn(body: Body): Promise<SignedIn> {
    const { identifier, password } = texts(body, ['identifier', 'password']);
    const { database, statements } = this.#parts;
    const [row] = await database.latest((session) =>
      session.rows(statements.byIdentifier(), [identifier.toLowerCase(), identifier, identifier.toLowerCase()]),
    );
    const account = row ? accountOf([...row, '', '']) : null;
    const advanced = await this.advanced();
    this.#countTry(`called ${identifier.toLowerCase()}`);
    if (account) this.#countTry(account.id);
    if (!(await isPassword(password, account?.password ?? null)))
      throw validationError('Invalid identifier or password');
    if (advanced.email_confirmation && !account!.confirmed)
      throw applicationError('Your account email is not confirmed');
    if (account!.blocked) throw applicationError('Your account has been blocked by an administrator');
    // The password that was compared must still be the one there is when the session begins.
    const tokens = await this.#parts.sessions.begin(account!.id, account!.password);
    if (!tokens) throw validationError('Invalid identifier or password');
    return { tokens, user: await this.#entry(account!.id) };
  }

  /** Without tokens where the address has to be confirmed first. */
  async register(body: Body): Promise<{ readonly tokens: Tokens | null; readonly user: Entry }> {
    const advanced = await this.advanced();
    if (!advanced.allow_register) throw applicationError('Register action is currently disabled');
    const { settings, users, grants } = this.#parts;
    const allowed = new Set(['username', 'email', 'password', ...settings.auth.registerFields]);
    const stray = Object.keys(body).filter((key) => !allowed.has(key));
    if (stray.length > 0) throw validationError(`Invalid parameters: ${stray.join(', ')}`);
    const { username, email, password } = texts(body, ['username', 'email', 'password']);
    checkPassword(password);
    await grants.refresh();
    const role = grants.roles.find(({ type }) => type === advanced.default_role);
    if (!role) throw applicationError('Impossible to find the default role');
    const data = {
      ...body,
      username,
      email: email.toLowerCase(),
      password,
      provider: 'local',
      confirmed: !advanced.email_confirmation,
      blocked: false,
      role: role.id,
    };
    const user = await users.createGuarded(data, (write) =>
      this.#refuseTaken(write, data, 'Email or Username are already taken'),
    );
    if (!advanced.email_confirmation) return { tokens: await this.#parts.sessions.begin(user.id), user };
    await this.#mailConfirmation(user.id, data.email);
    return { tokens: null, user };
  }

  /** No two accounts share an address or a name, nor has one the other's address for a name. */
  async #refuseTaken(
    write: WriteSession,
    { username, email }: { readonly username: string; readonly email: string },
    message: string,
    id = 0,
  ): Promise<void> {
    await this.#lock(write, [email, username]);
    const taken = await write.rows(this.#parts.statements.taken(), email, username, email, username.toLowerCase(), id);
    if (taken.length > 0) throw applicationError(message);
  }

  /** For users that an administrator writes: neither the address nor the name is another's address or name. */
  guard(data: Body, id = 0): (write: WriteSession) => Promise<void> {
    const { statements } = this.#parts;
    const given = (['email', 'username'] as const).flatMap((key) =>
      typeof data[key] === 'string' ? [{ key, value: data[key] }] : [],
    );
    return async (write) => {
      await this.#lock(
        write,
        given.map(({ value }) => value),
      );
      for (const { key, value } of given)
        for (const column of ['email', 'username'] as const) {
          const sought = column === 'email' ? value.toLowerCase() : value;
          const [row] = await write.rows(statements.byColumn(column), sought);
          if (row && row[0] !== id)
            throw applicationError(key === 'email' ? 'Email already taken' : 'Username already taken');
        }
    };
  }

  /** Two writers of one address or name wait for each other, always in the same order. */
  async #lock(write: WriteSession, names: readonly string[]): Promise<void> {
    if (!write.locks) return;
    const keys = new Set(names.map((name) => `account ${name.toLowerCase()}`));
    for (const key of [...keys].sort()) await write.rows(write.sql.lockKey(), key);
  }

  async changePassword(id: number, body: Body): Promise<SignedIn> {
    const given = texts(body, ['currentPassword', 'password', 'passwordConfirmation']);
    if (given.password !== given.passwordConfirmation) throw validationError('Passwords do not match');
    checkPassword(given.password);
    const account = await this.#find('id', id);
    this.#countTry(id);
    if (!account || !(await isPassword(given.currentPassword, account.password)))
      throw validationError('The provided current password is invalid');
    if (given.currentPassword === given.password)
      throw validationError('Your new password must be different than your current password');
    await this.#setPassword(id, given.password);
    return this.#signIn(id);
  }

  /** Ends every session with it. */
  async #setPassword(id: number, password: string): Promise<void> {
    const hash = await hashPassword(password);
    await this.#parts.database.transaction(async (session) => {
      await this.#set(session, id, { password: hash, reset_password_token: null });
      await this.#parts.sessions.endAllIn(session, id);
    });
  }

  /** After another way of changing a password, or the end of an account: sessions end, and codes with them. */
  async expire(id: number): Promise<void> {
    await this.#parts.database.transaction(async (session) => {
      await this.#set(session, id, { reset_password_token: null });
      await this.#parts.sessions.endAllIn(session, id);
    });
  }

  /** Codes that went to an address which is no longer the account's. */
  async endCodes(id: number): Promise<void> {
    const none = { reset_password_token: null, confirmation_token: null };
    await this.#parts.database.transaction((session) => this.#set(session, id, none));
  }

  async #set(session: Session, id: number, columns: Readonly<Record<string, string | null>>): Promise<void> {
    const { statements } = this.#parts;
    for (const [column, value] of Object.entries(columns))
      await session.rows(statements.setUser(column as 'password'), [value, Date.now(), id]);
  }

  /** Answers at once, the same for every address; the mail follows. */
  forgotPassword(body: Body): void {
    const { email } = texts(body, ['email']);
    this.#promise(async () => {
      const account = await this.#find('email', email.toLowerCase());
      if (!account || account.blocked) return;
      const code = await this.#issueCode(account.id, 'reset_password_token');
      const { email_reset_password } = await this.advanced();
      const url = this.#parts.settings.email.resetUrl ?? email_reset_password ?? '/reset-password';
      await this.#mail('reset_password', account, url, code);
    });
  }

  async resetPassword(body: Body): Promise<SignedIn> {
    const { code, password, passwordConfirmation } = texts(body, ['code', 'password', 'passwordConfirmation']);
    if (password !== passwordConfirmation) throw validationError('Passwords do not match');
    checkPassword(password);
    const account = await this.#useCode(code, 'reset_password_token');
    if (!account) throw validationError('Incorrect code provided');
    await this.#setPassword(account.id, password);
    if (account.blocked) throw applicationError('Your account has been blocked by an administrator');
    return this.#signIn(account.id);
  }

  /** Where to send the browser afterwards. */
  async confirmEmail(code: unknown): Promise<string> {
    const account = typeof code === 'string' ? await this.#useCode(code, 'confirmation_token') : null;
    if (!account) throw validationError('Invalid token');
    const { database, statements } = this.#parts;
    await database.transaction((session) => session.rows(statements.confirmUser(), [Date.now(), account.id]));
    return (await this.advanced()).email_confirmation_redirection || '/';
  }

  async sendConfirmation(body: Body): Promise<string> {
    const { email } = texts(body, ['email']);
    this.#promise(async () => {
      const account = await this.#find('email', email.toLowerCase());
      if (account && !account.confirmed && !account.blocked) await this.#mailConfirmation(account.id, account.email);
    });
    return email.toLowerCase();
  }

  async #mailConfirmation(id: number, email: string): Promise<void> {
    const code = await this.#issueCode(id, 'confirmation_token');
    const url = this.#parts.settings.email.confirmationUrl ?? '/api/auth/email-confirmation';
    const account = await this.#find('id', id);
    if (account) this.#promise(() => this.#mail('email_confirmation', { ...account, email }, url, code));
  }

  async #issueCode(id: number, column: 'reset_password_token' | 'confirmation_token'): Promise<string> {
    const code = randomBytes(CODE_BYTES).toString('hex');
    const stored = storedCode(code, Date.now() + CODE_MS);
    await this.#parts.database.transaction((session) => this.#set(session, id, { [column]: stored }));
    return code;
  }

  /** The account that a code was issued to, if it is still good; from now on it is not. */
  async #useCode(code: string, column: 'reset_password_token' | 'confirmation_token'): Promise<Account | null> {
    if (!/^[0-9a-f]{64}$/.test(code)) return null;
    const { database, statements } = this.#parts;
    return database.transaction(async (session) => {
      const [row] = await session.rows(statements.byCode(column), [hashOf(code)]);
      if (!row) return null;
      const [stored, ...rest] = row as [string, number, ...unknown[]];
      if (!(Number(stored.split(':')[1]) > Date.now())) return null;
      const taken = await session.rows(statements.takeCode(column), [rest[0], stored]);
      return taken.length > 0 ? accountOf(rest) : null;
    });
  }

  async #mail(kind: 'reset_password' | 'email_confirmation', account: Account, url: string, code: string) {
    const { database, statements, mailer } = this.#parts;
    const [row] = await database.latest((session) => session.rows(statements.setting(MAILS), []));
    const { subject, html } = template(kind, row?.[0], { url, code, username: account.username, email: account.email });
    await mailer.send({ to: account.email, subject, html });
  }

  #promise(work: () => Promise<unknown>): void {
    const promise = work()
      .catch((error: Error) => console.error(`A mail could not be sent: ${error.message}`))
      .finally(() => this.#later.delete(promise));
    this.#later.add(promise);
  }
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');
const storedCode = (code: string, until: number): string => `${hashOf(code)}:${until}`;

const accountOf = (row: readonly unknown[]): Account => ({
  id: row[0] as number,
  password: row[1] as string | null,
  confirmed: row[2] === 1,
  blocked: row[3] === 1,
  email: row[4] as string,
  username: row[5] as string,
});

/** Members of a body that must be texts; all that are not are told at once. Nothing else is ever compared with. */
function texts<Name extends string>(body: Body, names: readonly Name[]): Record<Name, string> {
  const errors = names
    .filter((name) => typeof body[name] !== 'string' || body[name] === '' || (body[name] as string).includes('\0'))
    .map((name) => ({
      path: [name],
      message: body[name] === undefined ? `${name} is a required field` : `${name} must be a text`,
      name: 'ValidationError',
    }));
  if (errors.length > 0)
    throw validationError(errors.length === 1 ? errors[0]!.message : `${errors.length} errors occurred`, { errors });
  return body as Record<Name, string>;
}

function checkPassword(password: string): void {
  const problem =
    password.length < MIN_PASSWORD
      ? `password must be at least ${MIN_PASSWORD} characters`
      : isTooLong(password)
        ? 'Password must be less than 73 bytes'
        : null;
  if (problem)
    throw validationError(problem, { errors: [{ path: ['password'], message: problem, name: 'ValidationError' }] });
}

const OWN_TEXTS = {
  reset_password: ['Reset password', 'Choose a new password at <%= URL %>?code=<%= TOKEN %> within 15 minutes.'],
  email_confirmation: ['Account confirmation', 'Confirm your address at <%= URL %>?confirmation=<%= CODE %>.'],
} as const;

interface MailValues {
  readonly url: string;
  readonly code: string;
  readonly username: string;
  readonly email: string;
}

/** The text that the project stored for a mail, or ours, with its places filled in. */
function template(
  kind: keyof typeof OWN_TEXTS,
  stored: unknown,
  values: MailValues,
): { subject: string; html: string } {
  let [subject, html]: readonly [string, string] = OWN_TEXTS[kind];
  try {
    const { options } = (JSON.parse(String(stored)) as Record<string, { options: Record<string, string> }>)[kind]!;
    subject = options.object || subject;
    html = options.message || html;
  } catch {
    // None is stored.
  }
  const places: Readonly<Record<string, string>> = {
    URL: values.url,
    TOKEN: values.code,
    CODE: values.code,
    'USER.username': values.username,
    'USER.email': values.email,
  };
  return { subject, html: html.replace(/<%=\s*([\w.]+)\s*%>/g, (_, name: string) => escaped(places[name] ?? '')) };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
