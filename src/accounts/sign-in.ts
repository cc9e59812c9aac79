// What people do with their accounts: log in, register, confirm an address, change a password or get a new one. Answers
// never reveal whether an account exists; codes are random, stored as hashes, good once and for a quarter of an hour.
import { createHash, randomBytes } from 'node:crypto';
import { createId } from '@paralleldrive/cuid2';
import type { Access } from '../access/access.ts';
import { FIND_ROLES } from '../access/actions.ts';
import { systemCaller } from '../access/caller.ts';
import type { WriteName } from '../access/operation.ts';
import type { Database } from '../db/database.ts';
import { applicationError, fieldError, validationError } from '../errors.ts';
import { MAX_MAILS_PER_HOUR } from '../limits.ts';
import { USER } from '../model/builtin.ts';
import { type ShownChanges, shownAs } from '../operations/hooks.ts';
import type { Operations } from '../operations/operations.ts';
import type { Entry } from '../operations/parameters.ts';
import type { WriteOutcome } from '../operations/writes.ts';
import { isPassword, isTooLong } from '../passwords.ts';
import { isEmail } from '../plan/write/values.ts';
import type { Settings } from '../project/settings.ts';
import { NO_LIMIT } from '../request/parse-read.ts';
import { isStorable } from '../request/scalars.ts';
import {
  ACCOUNT_SETTINGS,
  type AccountStatements,
  type CodeColumn,
  MAILS,
  PROVIDERS,
  type StoredAccount,
} from '../sql/account-statements.ts';
import { type AccountSettings, type LogInWays, readAccountSettings, readLogInWays } from './account-settings.ts';
import type { Authenticator } from './authenticate.ts';
import { deviceName } from './device-name.ts';
import type { Grants } from './grants.ts';
import { LimitedCounter } from './limited-counter.ts';
import { LoginAttempts } from './login-attempts.ts';
import type { Mailer } from './mail.ts';
import { type MailKind, mailText } from './mail-templates.ts';
import type { Sessions, Tokens } from './sessions.ts';
import { AccountTakenError } from './users.ts';

/** Where a request comes from. */
export interface Client {
  readonly address: string;
  readonly userAgent: string | undefined;
}

export interface SignedIn {
  readonly tokens: Tokens;
  readonly user: Entry;
}

const CODE_BYTES = 32;
const CODE_MS = 15 * 60_000;
const MIN_PASSWORD = 6;

const SHOWN_OF_ROLES = ['name', 'description', 'type', 'createdAt', 'updatedAt', 'publishedAt'];

export interface AccountDeps {
  readonly database: Database;
  readonly statements: AccountStatements;
  readonly grants: Grants;
  readonly sessions: Sessions;
  readonly authenticator: Authenticator;
  readonly mailer: Mailer;
  readonly settings: Settings;
  readonly operations: Operations;
  readonly onMailError: (error: Error) => void;
}

interface Account {
  readonly id: number;
  readonly password: string | null;
  readonly confirmed: boolean;
  readonly blocked: boolean;
  readonly email: string;
  readonly username: string;
}

/** A code that is no longer good, and what was stored of it. */
interface UsedCode {
  readonly account: Account;
  readonly stored: string;
}

type Body = Readonly<Record<string, unknown>>;

export class Accounts {
  readonly #deps: AccountDeps;
  readonly #attempts: LoginAttempts;
  readonly #mails = new LimitedCounter({ max: MAX_MAILS_PER_HOUR, seconds: 3_600 });
  /** Work that goes on after an answer was given. */
  readonly #later = new Set<Promise<unknown>>();

  constructor(deps: AccountDeps) {
    this.#deps = deps;
    this.#attempts = new LoginAttempts(deps.settings.rateLimits);
  }

  /** The documentId of the user with a row id; null where there is none. */
  async documentIdOf(id: number): Promise<string | null> {
    const { database, statements } = this.#deps;
    const [row] = await database.latest((session) => session.rows(statements.documentOfUser(), [id]));
    return row?.[0] ?? null;
  }

  /** The same of a user who is about to be written. One whom SQL made without a documentId gets it now. */
  async documentIdToWrite(id: number): Promise<string | null> {
    const known = await this.documentIdOf(id);
    if (known !== null) return known;
    const { database, statements } = this.#deps;
    await database.transaction((session) => session.rows(statements.nameUser(), [createId(), id]));
    return this.documentIdOf(id);
  }

  /** Gives a user another role, which ends the sessions of the user. */
  async giveRole(userId: number, role: number): Promise<void> {
    const documentId = await this.documentIdToWrite(userId);
    if (documentId !== null) await this.#writeUser('update', documentId, { role });
  }

  /** Waits for the work that goes on after answers. */
  async settle(): Promise<void> {
    // What is waited for may promise more.
    while (this.#later.size > 0) await Promise.allSettled(this.#later);
  }

  async accountSettings(): Promise<AccountSettings> {
    const { database, statements } = this.#deps;
    const [row] = await database.latest((session) => session.rows(statements.setting(ACCOUNT_SETTINGS), []));
    return readAccountSettings(row?.[0]);
  }

  async logInWays(): Promise<LogInWays> {
    const { database, statements } = this.#deps;
    const [row] = await database.latest((session) => session.rows(statements.setting(PROVIDERS), []));
    return readLogInWays(row?.[0]);
  }

  async #find(column: Parameters<AccountStatements['byColumn']>[0], value: string | number): Promise<Account | null> {
    const { database, statements } = this.#deps;
    const [row] = await database.latest((session) => session.rows(statements.byColumn(column), [value]));
    return row ? accountOf(row) : null;
  }

  /** The account as its own user may read it. */
  async #ownEntry(id: number): Promise<Entry> {
    const { authenticator, operations } = this.#deps;
    const caller = (await authenticator.ownAccount(id))!;
    const type = operations.model.contentTypes.get(USER)!;
    const defaults = { status: 'published', pagination: NO_LIMIT } as const;
    const read = operations.findOne({ name: 'me', type, parameters: {}, defaults }, caller);
    const text = await read.latest({ caller });
    if (text !== null) return JSON.parse(text);
    if ((await this.documentIdOf(id)) !== null) return { id, documentId: caller.account!.documentId };
    await this.documentIdToWrite(id);
    return this.#ownEntry(id);
  }

  /** Writes an account as the system, which the one writer of users does. */
  #writeUser(name: WriteName, documentId: string | null, data: Body): Promise<WriteOutcome | null> {
    const { operations } = this.#deps;
    const type = operations.model.contentTypes.get(USER)!;
    const operation = { name, type, documentId, data, parameters: {}, defaultStatus: 'published' } as const;
    return operations.write(operation, systemCaller(operations.model));
  }

  async #signIn(id: number, { userAgent }: Client, deviceId: string | undefined): Promise<SignedIn> {
    const device = { deviceName: deviceName(userAgent), ...(deviceId !== undefined && { deviceId }) };
    const tokens = await this.#deps.sessions.begin(id, device);
    return { tokens: tokens!, user: await this.#ownEntry(id) };
  }

  async logIn(body: Body, { address, userAgent }: Client): Promise<SignedIn> {
    if (!(await this.logInWays()).password) throw applicationError('This provider is disabled');
    const { identifier, password } = requireStrings(body, ['identifier', 'password']);
    const deviceId = deviceIn(body);
    const account = await this.#attempts.attempt(address, `called ${identifier.toLowerCase()}`, () =>
      this.#withPassword(identifier, password),
    );
    if (!account) throw validationError('Invalid identifier or password');
    const settings = await this.accountSettings();
    if (settings.email_confirmation && !account.confirmed)
      throw applicationError('Your account email is not confirmed');
    if (account.blocked) throw applicationError('Your account has been blocked by an administrator');
    // The password that was compared must still be the one there is when the session begins.
    const { password: compared } = account;
    const device = { deviceName: deviceName(userAgent), ...(deviceId !== undefined && { deviceId }) };
    const tokens = await this.#deps.sessions.begin(account.id, { password: compared, ...device });
    if (!tokens) throw validationError('Invalid identifier or password');
    return { tokens, user: await this.#ownEntry(account.id) };
  }

  /** The account with a name or an address, if the password is its own; compares as long where there is none. */
  async #withPassword(identifier: string, password: string) {
    const { database, statements } = this.#deps;
    const rows = await database.latest((session) =>
      session.rows(statements.byIdentifier(), [identifier.toLowerCase(), identifier, identifier.toLowerCase()]),
    );
    const { attributes } = this.#deps.operations.model.contentTypes.get(USER)!;
    const attribute = attributes.get('password');
    const rounds = attribute?.kind === 'scalar' ? attribute.rules.rounds : undefined;
    if (rows.length === 0) await isPassword(password, null, rounds);
    for (const [id, stored, confirmed, blocked] of rows)
      if (await isPassword(password, stored, rounds))
        return { id, password: stored, confirmed: confirmed === 1, blocked: blocked === 1 };
    return null;
  }

  /** The role of a user, as in Strapi 5 for who may find roles; nothing for others. */
  async #roleShownTo(access: Access | undefined, { documentId }: Entry): Promise<{ readonly role?: unknown }> {
    if (!access?.may(FIND_ROLES) || !access.mayUse(USER, 'role', 'read')) return {};
    const { operations } = this.#deps;
    // Roles are hidden from the system as it is served.
    const caller = systemCaller(operations.model, 'everything');
    const type = operations.model.contentTypes.get(USER)!;
    const defaults = { status: 'published', pagination: NO_LIMIT } as const;
    const parameters = { fields: ['id'], populate: { role: { fields: SHOWN_OF_ROLES } } };
    const read = operations.findOne({ name: 'findOne', type, parameters, defaults }, caller);
    const { role } = JSON.parse((await read.latest({ caller, documentId })) ?? '{}');
    return role === undefined ? {} : { role };
  }

  /** Without tokens where the address has to be confirmed first. `access`: of whoever is shown the account. */
  async register(
    body: Body,
    { access, userAgent }: { readonly access?: Access; readonly userAgent?: string | undefined } = {},
  ): Promise<{ readonly tokens: Tokens | null; readonly user: Entry }> {
    const accountSettings = await this.accountSettings();
    if (!accountSettings.allow_register) throw applicationError('Register action is currently disabled');
    const { settings, grants, sessions } = this.#deps;
    const allowed = new Set(['username', 'email', 'password', ...settings.auth.registerFields]);
    const unknown = Object.keys(body).filter((key) => !allowed.has(key));
    if (unknown.length > 0) throw validationError(`Invalid parameters: ${unknown.join(', ')}`);
    const { username, email, password } = requireStrings(body, ['email', 'username', 'password'], {
      email: addressProblem,
      password: passwordProblem,
    });
    await grants.refresh();
    const role = grants.roles.find(({ type }) => type === accountSettings.default_role);
    if (!role) throw applicationError('Impossible to find the default role');
    const confirmed = !accountSettings.email_confirmation;
    const data = { ...body, username, email, password, provider: 'local', confirmed, blocked: false, role: role.id };
    const { written, changes } = await this.#registered(data);
    const { id } = written.versions[0]!;
    const own = await this.#ownEntry(id);
    const user = this.#shownAs({ ...own, ...(await this.#roleShownTo(access, own)) }, changes);
    if (confirmed) return { tokens: await sessions.begin(id, { deviceName: deviceName(userAgent) }), user };
    await this.#mailConfirmation(id, email.toLowerCase());
    return { tokens: null, user };
  }

  /** An account as hooks show it: of its attributes, those that its owner sees. */
  #shownAs(user: Entry, changes: ShownChanges | null): Entry {
    const { attributes } = this.#deps.operations.model.contentTypes.get(USER)!;
    const isShown = ([name]: [string, unknown]): boolean => name in user || !attributes.has(name);
    return shownAs(user, Object.fromEntries(Object.entries(changes ?? {}).filter(isShown)));
  }

  /** Does not say which of the two is taken. */
  async #registered(data: Body): Promise<WriteOutcome> {
    try {
      return (await this.#writeUser('create', null, data))!;
    } catch (error) {
      if (error instanceof AccountTakenError) throw applicationError('Email or Username are already taken');
      throw error;
    }
  }

  async changePassword(id: number, body: Body, client: Client): Promise<SignedIn> {
    const given = requireStrings(body, ['currentPassword', 'password', 'passwordConfirmation']);
    checkNewPassword(given);
    const deviceId = deviceIn(body);
    const account = await this.#attempts.attempt(client.address, `id ${id}`, async () => {
      const found = await this.#find('id', id);
      return found && (await isPassword(given.currentPassword, found.password)) ? found : null;
    });
    if (!account) throw validationError('The provided current password is invalid');
    if (given.currentPassword === given.password)
      throw validationError('Your new password must be different than your current password');
    await this.#setPassword(id, given.password);
    return this.#signIn(id, client, deviceId);
  }

  /** The writer of users ends every session with it. */
  async #setPassword(id: number, password: string): Promise<void> {
    const documentId = await this.documentIdToWrite(id);
    if (documentId !== null) await this.#writeUser('update', documentId, { password });
  }

  async #setCode(id: number, column: CodeColumn, value: string): Promise<void> {
    const { database, statements } = this.#deps;
    await database.transaction((session) => session.rows(statements.setUser(column), [value, Date.now(), id]));
  }

  /** Answers at once, the same for every address; the mail follows. */
  forgotPassword(body: Body): void {
    const email = requireAddress(body);
    this.#runLater(async () => {
      const account = await this.#find('email', email.toLowerCase());
      if (!account || account.blocked || !this.#mayMail('reset_password', account)) return;
      const code = await this.#issueCode(account.id, 'reset_password_token');
      await this.#mail('reset_password', account, this.#resetUrl(await this.accountSettings()), code);
    });
  }

  async resetPassword(body: Body, client: Client): Promise<SignedIn> {
    const given = requireStrings(body, ['code', 'password', 'passwordConfirmation']);
    checkNewPassword(given);
    const { code, password } = given;
    const deviceId = deviceIn(body);
    const used = await this.#useCode(code, 'reset_password_token');
    if (!used) throw validationError('Incorrect code provided');
    const { account } = used;
    try {
      await this.#setPassword(account.id, password);
    } catch (error) {
      await this.#returnCode(used, 'reset_password_token');
      throw error;
    }
    if (account.blocked) throw applicationError('Your account has been blocked by an administrator');
    return this.#signIn(account.id, client, deviceId);
  }

  /** Where to send the browser afterwards. */
  async confirmEmail(query: Body): Promise<string> {
    const { confirmation } = requireStrings(query, ['confirmation']);
    const used = await this.#useCode(confirmation, 'confirmation_token');
    if (!used) throw validationError('Invalid token');
    const documentId = await this.documentIdToWrite(used.account.id);
    if (documentId !== null) await this.#writeUser('update', documentId, { confirmed: true });
    return (await this.accountSettings()).email_confirmation_redirection || '/';
  }

  async sendConfirmation(body: Body): Promise<string> {
    const email = requireAddress(body);
    this.#runLater(async () => {
      const account = await this.#find('email', email.toLowerCase());
      if (!account || account.confirmed || account.blocked || !this.#mayMail('email_confirmation', account)) return;
      await this.#mailConfirmation(account.id, account.email);
    });
    return email.toLowerCase();
  }

  async #mailConfirmation(id: number, email: string): Promise<void> {
    const code = await this.#issueCode(id, 'confirmation_token');
    const account = await this.#find('id', id);
    if (account)
      this.#runLater(() => this.#mail('email_confirmation', { ...account, email }, this.#confirmationUrl(), code));
  }

  #resetUrl({ email_reset_password }: AccountSettings): string {
    return this.#deps.settings.email.resetUrl ?? email_reset_password ?? '/reset-password';
  }

  #confirmationUrl(): string {
    const { email, server, rest } = this.#deps.settings;
    return email.confirmationUrl ?? `${server.url ?? ''}${rest.prefix}/auth/email-confirmation`;
  }

  /** The settings without which links in mails name no host, and so cannot be followed from there. */
  async settingsForLinks(): Promise<readonly string[]> {
    const settings = await this.accountSettings();
    return [
      ...(isAbsolute(this.#resetUrl(settings)) ? [] : ['email.resetUrl']),
      ...(isAbsolute(this.#confirmationUrl()) || !settings.email_confirmation ? [] : ['server.url']),
    ];
  }

  async #issueCode(id: number, column: CodeColumn): Promise<string> {
    const code = randomBytes(CODE_BYTES).toString('hex');
    const stored = storedCode(code, Date.now() + CODE_MS);
    await this.#setCode(id, column, stored);
    return code;
  }

  /** The account that a code was issued to, if it is still good; from now on it is not. */
  async #useCode(code: string, column: CodeColumn): Promise<UsedCode | null> {
    if (!/^[0-9a-f]{64}$/.test(code)) return null;
    const { database, statements } = this.#deps;
    return database.transaction(async (session) => {
      const [row] = await session.rows(statements.byCode(column), [hashOf(code)]);
      if (!row) return null;
      const [stored, ...account] = row;
      if (!(Number(stored.split(':')[1]) > Date.now())) return null;
      const taken = await session.rows(statements.takeCode(column), [account[0], stored]);
      return taken.length > 0 ? { account: accountOf(account), stored } : null;
    });
  }

  /** Makes a code good again, where what it was for was refused: rules of the project may ask more of a password. */
  async #returnCode({ account: { id, password }, stored }: UsedCode, column: CodeColumn): Promise<void> {
    const { database, statements } = this.#deps;
    await database.transaction((session) => session.rows(statements.returnCode(column), [stored, id, password ?? '']));
  }

  /** Whether an account may get one more mail that anyone can ask for; counts it. The code of the last one stays good. */
  #mayMail(kind: MailKind, { id }: Account): boolean {
    const key = `${kind} ${id}`;
    if (this.#mails.secondsLeft(key) > 0) return false;
    this.#mails.add(key);
    return true;
  }

  async #mail(kind: MailKind, account: Account, url: string, code: string): Promise<void> {
    const { database, statements, mailer } = this.#deps;
    const [row] = await database.latest((session) => session.rows(statements.setting(MAILS), []));
    const { username, email } = account;
    const { server, email: mails } = this.#deps.settings;
    const text = mailText(kind, row?.[0], { url, code, username, email, serverUrl: server.url ?? '' });
    const more = { ...text.more, ...(mails.from !== null && { from: mails.from }) };
    await mailer.send({ ...text, to: email, more });
  }

  /** Runs work that the answer does not wait for: mails. */
  #runLater(work: () => Promise<unknown>): void {
    const running = work()
      .catch(this.#deps.onMailError)
      .finally(() => this.#later.delete(running));
    this.#later.add(running);
  }
}

const hashOf = (code: string): string => createHash('sha256').update(code).digest('hex');
const storedCode = (code: string, until: number): string => `${hashOf(code)}:${until}`;

const accountOf = ([id, password, confirmed, blocked, email, username]: StoredAccount): Account => ({
  id,
  password,
  confirmed: confirmed === 1,
  blocked: blocked === 1,
  email,
  username,
});

/** Members of a body or query that must be strings; all that are not are reported at once. Nothing else is compared with. */
function requireStrings<Name extends string>(
  body: Body,
  names: readonly Name[],
  problems: { readonly [name in Name]?: (value: string) => string | null } = {},
): Record<Name, string> {
  const errors = names.flatMap((name) => {
    const value = body[name];
    const message =
      typeof value === 'string' && value !== '' && isStorable(value) ? problems[name]?.(value) : noString(name, value);
    return message ? [{ path: [name], message, name: 'ValidationError' }] : [];
  });
  if (errors.length > 0)
    throw validationError(errors.length === 1 ? errors[0]!.message : `${errors.length} errors occurred`, { errors });
  return body as Record<Name, string>;
}

/** Forms send fields that nobody filled in as empty strings. */
const noString = (name: string, value: unknown): string =>
  value === undefined || value === '' ? `${name} is a required field` : `${name} must be a string`;

const MAX_DEVICE_ID = 255;

/** What a client calls the device that it runs on, to log it out by that name; undefined where it says nothing. */
function deviceIn({ deviceId }: Body): string | undefined {
  if (typeof deviceId !== 'string' || deviceId === '') return undefined;
  if (isStorable(deviceId) && deviceId.length <= MAX_DEVICE_ID) return deviceId;
  throw fieldError('deviceId', `deviceId must be a string of at most ${MAX_DEVICE_ID} characters`);
}

/** Tells what no account can have as its address; nothing of the accounts there are. */
const requireAddress = (body: Body): string => requireStrings(body, ['email'], { email: addressProblem }).email;

const addressProblem = (email: string): string | null => (isEmail(email) ? null : 'email must be a valid email');

function checkNewPassword(given: Readonly<Record<'password' | 'passwordConfirmation', string>>): void {
  if (given.password !== given.passwordConfirmation) throw fieldError('passwordConfirmation', 'Passwords do not match');
  checkPassword(given.password);
}

function checkPassword(password: string): void {
  const problem = passwordProblem(password);
  if (problem) throw fieldError('password', problem);
}

const passwordProblem = (password: string): string | null =>
  password.length < MIN_PASSWORD
    ? `password must be at least ${MIN_PASSWORD} characters`
    : isTooLong(password)
      ? 'Password must be less than 73 bytes'
      : null;

const isAbsolute = (url: string): boolean => URL.canParse(url);
