// What links do: their owners choose a password and are logged in. The first one of a project makes its first account.
import type { Session } from '../db/database.ts';
import { MAX_FIRST_LINK_MS } from '../limits.ts';
import { hashPassword } from '../passwords.ts';
import { requireEmail } from './account-input.ts';
import type { AccountDeps } from './console-accounts.ts';
import { type IssuedLink, unusableLink } from './console-links.ts';
import { type BegunSession, readOnlyConsole } from './console-sessions.ts';
import type { Welcome, WelcomeInput } from './contract.ts';
import { ensureRoles } from './default-roles.ts';

export class Welcomes {
  readonly #deps: AccountDeps;

  constructor(deps: AccountDeps) {
    this.#deps = deps;
  }

  /** A link that makes the first account; null where there is one. */
  firstLink(): Promise<IssuedLink | null> {
    const { rows, links } = this.#deps;
    return rows.change(async (session) =>
      (await rows.isEmpty(session)) ? links.issue(session, null, MAX_FIRST_LINK_MS) : null,
    );
  }

  /** Whom a link is for. */
  async find(token: string): Promise<Welcome> {
    const { database, links } = this.#deps;
    if (database.isReadOnly) throw readOnlyConsole();
    return database.latest(async (session) => {
      const id = await links.accountOf(session, token, { take: false });
      return { account: await this.#owner(session, id) };
    });
  }

  /** Null for the first account. */
  async #owner(session: Session, id: number | null): Promise<Welcome['account']> {
    const { rows } = this.#deps;
    if (id === null) {
      if (await rows.isEmpty(session)) return null;
      throw unusableLink();
    }
    const { account } = await rows.stored(session, id);
    if (account.blocked) throw unusableLink();
    return { email: account.email };
  }

  /** Chooses a password by a link, with which a session begins. */
  async accept(input: WelcomeInput): Promise<BegunSession> {
    const { rows, links, sessions } = this.#deps;
    // A link that is not good need not cost a hash.
    const { account } = await this.find(input.token);
    const first = account === null ? { ...input, email: requireEmail(input) } : null;
    const hash = await hashPassword(input.password);
    const stored = await rows.change(async (session) => {
      const taken = await links.accountOf(session, input.token, { take: true });
      await this.#owner(session, taken);
      const id = taken ?? (await this.#insertFirst(session, first!));
      await rows.activate(session, id, hash);
      return rows.stored(session, id);
    });
    return sessions.begin(stored);
  }

  async #insertFirst(session: Session, input: WelcomeInput & { readonly email: string }): Promise<number> {
    const { email, firstname = null, lastname = null } = input;
    const role = await ensureRoles(session, this.#deps);
    return this.#deps.rows.insert(session, { email, firstname, lastname, blocked: false, isActive: false }, [role]);
  }
}
