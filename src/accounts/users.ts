// The one writer of users. Whoever writes an account, over HTTP, in process or from the command line, these hold: an
// address is kept in lower case, no two accounts share an address or a name, sessions end when the password, a block
// or the role changes, and codes end when the address does. Code of a Strapi project may give another role to a session.
import type { Caller } from '../access/caller.ts';
import type { WriteOperation } from '../access/operation.ts';
import type { Database } from '../db/database.ts';
import { fieldError, SheafError, validationError } from '../errors.ts';
import type { TypeExtension } from '../operations/writes.ts';
import { isTooLong } from '../passwords.ts';
import { problemsError } from '../plan/write/body-problems.ts';
import type { EntityChange, WritePlan } from '../plan/write/changes.ts';
import { bodyKeyError } from '../request/parse-relation.ts';
import { ACCOUNT_SETTINGS, type AccountStatements } from '../sql/account-statements.ts';
import { lockKeys } from '../store/locks.ts';
import type { Version, WriteSession } from '../store/write-session.ts';
import { isObject } from '../type-guards.ts';
import { readAccountSettings } from './account-settings.ts';

type Values = Readonly<Record<string, unknown>>;

const WRITE_USES = { create: 'create', update: 'write' } as const;

/** Codes that the server alone gives out. */
const CODES = ['resetPasswordToken', 'confirmationToken'];

/** An address or name that another account has. */
export class AccountTakenError extends SheafError {
  constructor(name: 'email' | 'username') {
    super(400, 'ApplicationError', name === 'email' ? 'Email already taken' : 'Username already taken');
  }
}

export class UserExtension implements TypeExtension {
  readonly #database: Database;
  readonly #statements: AccountStatements;

  constructor(database: Database, statements: AccountStatements) {
    this.#database = database;
    this.#statements = statements;
  }

  async complete(operation: WriteOperation, caller: Caller): Promise<WriteOperation> {
    const { name } = operation;
    if (name === 'clone') throw validationError('Users cannot be cloned');
    if (name !== 'create' && name !== 'update') return operation;
    const data = withPlainAddress(operation.data);
    const supplied = withPlainAddress(operation.supplied ?? {});
    const given: Values = { ...supplied, ...data };
    if (caller.kind !== 'system') {
      for (const key of CODES) if (key in data) throw bodyKeyError(key, []);
      // What the caller may not write is refused as a name, where the plan is made.
      const mayWrite = (key: string): boolean => caller.access.mayUse(operation.type.uid, key, WRITE_USES[name]);
      if (mayWrite('role')) refuseNoRole(name, data.role);
      if (mayWrite('password') && data.password === null) throw fieldError('password', 'Password cannot be null');
      if (name === 'create') refuseIncomplete(given, mayWrite);
    }
    if (typeof given.password === 'string' && isTooLong(given.password))
      throw validationError('Password must be less than 73 bytes');
    if (name === 'update') return { ...operation, data, supplied };
    const defaults = {
      ...(given.provider === undefined && { provider: 'local' }),
      ...(given.role === undefined && { role: await this.#defaultRole() }),
    };
    return { ...operation, data, supplied: { ...supplied, ...defaults } };
  }

  async #defaultRole(): Promise<number | null> {
    return this.#database.latest(async (session) => {
      const [setting] = await session.rows(this.#statements.setting(ACCOUNT_SETTINGS), []);
      const type = readAccountSettings(setting?.[0]).default_role;
      const [role] = await session.rows(this.#statements.roleByType(), [type]);
      return role?.[0] ?? null;
    });
  }

  async enforce(write: WriteSession, plan: WritePlan, rows: readonly Version[]): Promise<() => Promise<void>> {
    const id = rows[0]?.id ?? 0;
    if (plan.name === 'delete') return () => this.#endSessions(write, id);
    await this.#refuseTaken(write, plan.change, id);
    if (plan.name === 'create') return async () => undefined;
    const [before] = await write.run.rows(this.#statements.accountState(), id);
    return async () => {
      const [after] = await write.run.rows(this.#statements.accountState(), id);
      const [email, blocked, role] = after!;
      // As in Strapi, whoever gets another role from a project's code stays logged in: often it has just registered them.
      const isMoved = role !== before![2] && !(plan.isRaw && role !== null);
      const isRevoked = (blocked === 1 && before![1] === 0) || isMoved;
      if (isRevoked || writtenValue(plan.change, 'password') !== undefined) {
        await this.#endSessions(write, id);
        await write.run.rows(this.#statements.setUser('reset_password_token'), null, write.now, id);
      }
      if (email !== before![0])
        for (const code of ['reset_password_token', 'confirmation_token'] as const)
          await write.run.rows(this.#statements.setUser(code), null, write.now, id);
    };
  }

  /** Neither an address nor a name may be another account's address or name. */
  async #refuseTaken(write: WriteSession, change: EntityChange, id: number): Promise<void> {
    const given = (['email', 'username'] as const).flatMap((name) => {
      const value = writtenValue(change, name);
      return typeof value === 'string' ? [{ name, value }] : [];
    });
    // Two writers of one address or name wait for each other.
    await lockKeys(
      write,
      given.map(({ value }) => `account ${value.toLowerCase()}`),
    );
    for (const { name, value } of given)
      for (const column of ['email', 'username'] as const) {
        const sought = column === 'email' ? value.toLowerCase() : value;
        const [row] = await write.run.rows(this.#statements.byColumn(column), sought);
        if (row && row[0] !== id && !(await this.#has(write, id, name, value))) throw new AccountTakenError(name);
      }
  }

  /** Whether an account has an address or name already. Strapi 5 may have let two share it; each keeps what it has. */
  async #has(write: WriteSession, id: number, name: 'email' | 'username', value: string): Promise<boolean> {
    const [own] = await write.run.rows(this.#statements.byColumn('id'), id);
    return value === (name === 'email' ? own?.[4] : own?.[5]);
  }

  async #endSessions(write: WriteSession, id: number): Promise<void> {
    await lockKeys(write, [sessionsKey(id)]);
    await write.run.rows(this.#statements.endSessions('user'), String(id));
    await write.run.rows(this.#statements.refuseOlderTokens(), id, Date.now());
  }
}

const withPlainAddress = (values: Values): Values =>
  typeof values.email === 'string' ? { ...values, email: values.email.toLowerCase() } : values;

/**
 * Who has an account of this service logs in with a password; who has one elsewhere does not. Forms send fields that nobody
 * filled in as empty strings.
 */
function refuseIncomplete(given: Values, mayWrite: (key: string) => boolean): void {
  const isLocal = given.provider === undefined || given.provider === 'local';
  const missing = ['email', 'username', ...(isLocal ? ['password'] : [])].filter(
    (name) => mayWrite(name) && (given[name] === undefined || given[name] === ''),
  );
  if (missing.length > 0)
    throw problemsError(missing.map((name) => ({ path: [name], message: 'is a required field' })));
}

/** A form that connects no role would leave a user without one, who can do nothing: Strapi refuses it as well. */
function refuseNoRole(name: 'create' | 'update', role: unknown): void {
  if (connectsRole(role) || (name === 'update' && keepsRole(role))) return;
  throw fieldError('role', name === 'create' ? 'Users must have a role' : 'Cannot remove role');
}

const isNone = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

/** Whether a form may name a role, or is none of a relation at all, which is refused elsewhere. */
function connectsRole(role: unknown): boolean {
  if (role === undefined) return true;
  if (isNone(role)) return false;
  if (!isObject(role)) return true;
  const { connect, disconnect: _, set, ...others } = role;
  return Object.keys(others).length > 0 || !isNone(connect) || !isNone(set);
}

/** An update that takes nothing away and names nothing says that the role stays, as for every relation. */
function keepsRole(role: unknown): boolean {
  if (!isObject(role)) return false;
  const { disconnect, set } = role;
  return isNone(disconnect) && (set === undefined || set === null);
}

/** What is locked while sessions of a user begin, go on or end. */
export const sessionsKey = (userId: number): string => `sessions ${userId}`;

const writtenValue = ({ scalars }: EntityChange, name: string): unknown =>
  scalars.find(({ attribute }) => attribute.name === name)?.value;
