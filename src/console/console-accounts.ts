// Who has an account of the console, with which roles; and what keeps someone there who may do everything.
import { isSuperAdmin, SUPER_ADMIN } from '../access/editor-permissions.ts';
import type { Session } from '../db/database.ts';
import { fieldError, SheafError, validationError } from '../errors.ts';
import { MAX_CONSOLE_LINK_MS } from '../limits.ts';
import type { Model } from '../model/types.ts';
import { hashPassword } from '../passwords.ts';
import { type NewAccount, requirePassword } from './account-input.ts';
import type { AccountRows, AccountRowsDeps } from './account-rows.ts';
import type { AccountInput, AccountLink, ConsoleAccount, ConsoleRole } from './contract.ts';
import { ensureRoles } from './default-roles.ts';
import { isAdmitted, type StoredEditor, storedEditor } from './editors.ts';

export interface AccountDeps extends AccountRowsDeps {
  readonly model: Model;
  readonly rows: AccountRows;
}

/** Who changes accounts: an account of the console, or null for whoever runs the server. */
export type Actor = ConsoleAccount | null;

export class ConsoleAccounts {
  readonly #deps: AccountDeps;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
  }

  async list(): Promise<ConsoleAccount[]> {
    const { database, statements } = this.#deps;
    const rows = await database.latest((session) => session.rows(statements.accounts(), []));
    return [...Map.groupBy(rows, ([id]) => id).values()].map((ofOne) => storedEditor(ofOne)!.account);
  }

  async roles(): Promise<ConsoleRole[]> {
    const { database, statements } = this.#deps;
    const rows = await database.latest((session) => session.rows(statements.roles(), []));
    return rows.map(([id, code, name, description]) => ({ id, code: code ?? '', name: name ?? '', description }));
  }

  /** The roles; where there are none yet they are made. */
  async ensuredRoles(): Promise<ConsoleRole[]> {
    await this.#deps.rows.change((session) => ensureRoles(session, this.#deps));
    return this.roles();
  }

  /** An account that gets in with the password that its owner chooses by the link. */
  create(input: NewAccount, actor: Actor): Promise<AccountLink> {
    const { rows, links } = this.#deps;
    return rows.change(async (session) => {
      await this.#refuseTaken(session, input.email, null);
      await this.#requireRoles(session, input.roles, actor);
      const { roles, ...values } = input;
      const id = await rows.insert(session, { blocked: false, ...values, isActive: false }, roles);
      const { account } = await rows.stored(session, id);
      return { account, ...(await links.issue(session, id, MAX_CONSOLE_LINK_MS)) };
    });
  }

  update(id: number, input: AccountInput, actor: Actor): Promise<ConsoleAccount> {
    const { rows } = this.#deps;
    return rows.change(async (session) => {
      const before = await this.#managed(session, id, actor);
      if (input.email !== undefined) await this.#refuseTaken(session, input.email, id);
      if (input.roles !== undefined) await this.#requireRoles(session, input.roles, actor);
      const { roles, ...values } = input;
      await rows.update(session, id, values);
      if (roles !== undefined) await rows.setRoles(session, id, roles);
      const after = await rows.stored(session, id);
      await this.#requireSuperAdmin(session, before, after);
      if (after.account.blocked) await rows.lockOut(session, id);
      return after.account;
    });
  }

  remove(id: number, actor: Actor): Promise<void> {
    const { rows } = this.#deps;
    return rows.change(async (session) => {
      await this.#requireSuperAdmin(session, await this.#managed(session, id, actor), null);
      await rows.delete(session, id);
    });
  }

  /** A link for the owner of an account, by which they choose a password. */
  link(id: number, actor: Actor): Promise<AccountLink> {
    return this.#deps.rows.change(async (session) => this.#linkFor(session, await this.#managed(session, id, actor)));
  }

  /** The same; until it is used nobody gets in with the account. */
  reset(id: number): Promise<AccountLink> {
    const { rows } = this.#deps;
    return rows.change(async (session) => {
      const stored = await rows.stored(session, id);
      await rows.update(session, id, { password: null, registrationToken: null, resetPasswordToken: null });
      await rows.lockOut(session, id);
      return this.#linkFor(session, stored);
    });
  }

  async setPassword(id: number, password: string): Promise<void> {
    requirePassword(password);
    const hash = await hashPassword(password);
    await this.#deps.rows.change((session) => this.#deps.rows.activate(session, id, hash));
  }

  async #linkFor(session: Session, { account }: StoredEditor): Promise<AccountLink> {
    if (account.blocked) throw validationError('This account is blocked');
    return { account, ...(await this.#deps.links.issue(session, account.id, MAX_CONSOLE_LINK_MS)) };
  }

  /** An account that the actor may change: only who may do everything decides over others who may. */
  async #managed(session: Session, id: number, actor: Actor): Promise<StoredEditor> {
    const stored = await this.#deps.rows.stored(session, id);
    if (actor && isSuperAdmin(stored.account) && !isSuperAdmin(actor)) throw reservedError();
    return stored;
  }

  async #requireRoles(session: Session, ids: readonly number[], actor: Actor): Promise<void> {
    const present = await session.rows(this.#deps.statements.roles(), []);
    const unknown = ids.find((id) => !present.some(([role]) => role === id));
    if (unknown !== undefined) throw fieldError('roles', `There is no role ${unknown}`);
    const givesAll = present.some(([id, code]) => code === SUPER_ADMIN && ids.includes(id));
    if (actor && givesAll && !isSuperAdmin(actor)) throw reservedError();
  }

  /** Refuses a change after which nobody could do everything any more. */
  async #requireSuperAdmin(session: Session, before: StoredEditor, after: StoredEditor | null): Promise<void> {
    const counts = (stored: StoredEditor | null): boolean =>
      stored !== null && isAdmitted(stored) && isSuperAdmin(stored.account);
    if (!counts(before) || counts(after)) return;
    const [row] = await session.rows(this.#deps.statements.othersWithRole(), [SUPER_ADMIN, before.account.id]);
    if (Number(row![0]) === 0)
      throw validationError('This is the last account that may do everything: it stays, with its role and not blocked');
  }

  async #refuseTaken(session: Session, email: string, id: number | null): Promise<void> {
    const [row] = await session.rows(this.#deps.statements.byEmail(), [email, email]);
    if (row && row[0] !== id) throw fieldError('email', 'Another account has this address');
  }
}

const reservedError = (): SheafError =>
  new SheafError(403, 'ForbiddenError', 'Only an account that may do everything decides over such accounts');
