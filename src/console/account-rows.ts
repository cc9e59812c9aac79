// The rows of console accounts, as Strapi 5 lays them out, and all that changes them. Changes take turns on all nodes, so
// that what one has checked still holds when it is done.
import { createId } from '@paralleldrive/cuid2';
import type { Database, Session } from '../db/database.ts';
import { notFoundError } from '../errors.ts';
import { ANY_ACCOUNT, type ConsoleStatements } from '../sql/console-statements.ts';
import { STAMPS } from '../sql/row-columns.ts';
import { WriteStatements, type WrittenColumn } from '../sql/write-statements.ts';
import type { ConsoleLinks } from './console-links.ts';
import { type ConsoleSessions, readOnlyConsole } from './console-sessions.ts';
import { type StoredEditor, storedEditor } from './editors.ts';

export interface AccountRowsDeps {
  readonly database: Database;
  readonly statements: ConsoleStatements;
  readonly sessions: ConsoleSessions;
  readonly links: ConsoleLinks;
}

const LOCK = 'accounts of the console';

const COLUMNS = {
  email: { column: 'email', type: 'string' },
  firstname: { column: 'firstname', type: 'string' },
  lastname: { column: 'lastname', type: 'string' },
  blocked: { column: 'blocked', type: 'boolean' },
  isActive: { column: 'is_active', type: 'boolean' },
  password: { column: 'password', type: 'string' },
  /** Codes by which a password could be chosen in Strapi 5. */
  registrationToken: { column: 'registration_token', type: 'string' },
  resetPasswordToken: { column: 'reset_password_token', type: 'string' },
} as const satisfies Readonly<Record<string, WrittenColumn>>;

export type AccountValues = Partial<Record<keyof typeof COLUMNS, string | boolean | null>>;

export class AccountRows {
  readonly #deps: AccountRowsDeps;
  readonly #write: WriteStatements;

  constructor(deps: AccountRowsDeps) {
    this.#deps = deps;
    this.#write = new WriteStatements(deps.database.dialect);
  }

  change<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const { database } = this.#deps;
    if (database.isReadOnly) throw readOnlyConsole();
    return database.transaction(async (session) => {
      if (this.#write.needsLocks) await session.rows(this.#write.lockKeys(), [JSON.stringify([LOCK])]);
      return work(session);
    });
  }

  async stored(session: Session, id: number): Promise<StoredEditor> {
    const stored = storedEditor(await session.rows(this.#deps.statements.byId(), [id]));
    if (!stored) throw notFoundError();
    return stored;
  }

  async isEmpty(session: Session): Promise<boolean> {
    return (await session.rows(ANY_ACCOUNT, [])).length === 0;
  }

  async insert(session: Session, values: AccountValues, roles: readonly number[]): Promise<number> {
    const now = Date.now();
    const columns = [{ column: 'document_id', type: 'string' as const }, ...columnsOf(values), ...STAMPS];
    const row = [createId(), ...valuesOf(values), now, now, now];
    const [made] = await session.rows(this.#write.insertRow('admin_users', columns), row);
    await this.setRoles(session, made![0], roles);
    return made![0];
  }

  async update(session: Session, id: number, values: AccountValues): Promise<void> {
    const columns = [...columnsOf(values), { column: 'updated_at', type: 'datetime' as const }];
    await session.rows(this.#write.updateRow('admin_users', columns), [...valuesOf(values), Date.now(), id]);
  }

  async setRoles(session: Session, id: number, roles: readonly number[]): Promise<void> {
    const { statements } = this.#deps;
    await session.rows(statements.removeRoles(), [id]);
    for (const [index, role] of [...new Set(roles)].entries())
      await session.rows(statements.addRole(), [id, role, index + 1, id]);
  }

  /** Gives an account a password, hashed, with which its owner gets in; whoever was logged in is not any more. */
  async activate(session: Session, id: number, password: string): Promise<void> {
    await this.update(session, id, { password, isActive: true, registrationToken: null, resetPasswordToken: null });
    await this.lockOut(session, id);
  }

  /** Ends all sessions of an account, and its links. */
  async lockOut(session: Session, id: number): Promise<void> {
    await this.#deps.sessions.endAll(session, id);
    await this.#deps.links.revoke(session, id);
  }

  async delete(session: Session, id: number): Promise<void> {
    await this.lockOut(session, id);
    await session.rows(this.#deps.statements.deleteAccount(), [id]);
  }
}

const isColumn = (name: string): name is keyof typeof COLUMNS => Object.hasOwn(COLUMNS, name);
const namesOf = (values: AccountValues) => Object.keys(values).filter(isColumn);
const columnsOf = (values: AccountValues): WrittenColumn[] => namesOf(values).map((name) => COLUMNS[name]);
const valuesOf = (values: AccountValues) => namesOf(values).map((name) => boundValue(values[name]));

/** A flag as every database takes it. */
const boundValue = (given: string | boolean | null | undefined): string | number | null =>
  typeof given === 'boolean' ? Number(given) : (given ?? null);
