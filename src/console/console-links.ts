// Links by which people choose a password: random, kept as a hash, good once and for a time. A link without an account
// makes the first one, as long as there is none.
import type { Session } from '../db/database.ts';
import { SheafError } from '../errors.ts';
import type { ConsoleStatements } from '../sql/console-statements.ts';
import { isToken, newToken, tokenHash } from './console-sessions.ts';
import { CONSOLE_PATH } from './contract.ts';

export interface IssuedLink {
  /** Such as `/console/welcome?token=…`. */
  readonly path: string;
  readonly expiresAt: string;
}

export class ConsoleLinks {
  readonly #statements: ConsoleStatements;

  constructor(statements: ConsoleStatements) {
    this.#statements = statements;
  }

  /** A new link, in place of the others of an account. */
  async issue(session: Session, account: number | null, lifetime: number): Promise<IssuedLink> {
    const token = newToken();
    const end = Date.now() + lifetime;
    await session.rows(this.#statements.sweepLinks(), [Date.now()]);
    if (account !== null) await this.revoke(session, account);
    await session.rows(this.#statements.addLink(), [tokenHash(token), account, end]);
    return { path: `${CONSOLE_PATH}/welcome?token=${token}`, expiresAt: new Date(end).toISOString() };
  }

  /** Makes the links of an account open nothing any more. */
  async revoke(session: Session, account: number): Promise<void> {
    await session.rows(this.#statements.deleteLinks(), [account]);
  }

  /** Whom a link is for, null for the first account; refused where it is not good. `take`: from now on it is not. */
  async accountOf(session: Session, token: string, { take }: { readonly take: boolean }): Promise<number | null> {
    const statement = take ? this.#statements.takeLink() : this.#statements.link();
    const [row] = isToken(token) ? await session.rows(statement, [tokenHash(token), Date.now()]) : [];
    if (!row) throw unusableLink();
    return row[0];
  }
}

export const unusableLink = (): SheafError =>
  new SheafError(404, 'NotFoundError', 'This link is not good any more: it was used, or its time is over');
