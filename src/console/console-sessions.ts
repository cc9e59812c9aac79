// Sessions of the console. The token is random and kept as a hash. A session holds for the password that it was begun
// with: it is over as soon as the account has another, whoever changed it, Strapi 5 included. Whether the account is
// blocked, and what it may do, is read for every request.
import { hash, randomBytes } from 'node:crypto';
import { LoginAttempts } from '../accounts/login-attempts.ts';
import type { Database, Session } from '../db/database.ts';
import { SheafError, unauthorizedError, validationError } from '../errors.ts';
import { MAX_CONSOLE_IDLE_MS, MAX_CONSOLE_SESSION_MS } from '../limits.ts';
import { isPassword } from '../passwords.ts';
import type { Settings } from '../project/settings.ts';
import type { ConsoleStatements } from '../sql/console-statements.ts';
import { type Editor, type Editors, isAdmitted, type StoredEditor, storedEditor } from './editors.ts';

const TOKEN_BYTES = 32;
/** How often it is noted at most that a session is in use. */
const TOUCH_MS = 300_000;

export interface SessionDeps {
  readonly database: Database;
  readonly statements: ConsoleStatements;
  readonly editors: Editors;
  readonly settings: Settings;
}

export interface BegunSession {
  /** For the browser alone. */
  readonly token: string;
  readonly editor: Editor;
}

export const newToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url');
export const tokenHash = (token: string): string => hash('sha256', token);
const TOKEN_FORM = /^[\w-]{43}$/;
export const isToken = (token: string): boolean => TOKEN_FORM.test(token);

/** What stands for a password in its sessions; of another password it is another. */
const credentialOf = (passwordHash: string): string => hash('sha256', passwordHash);

export class ConsoleSessions {
  readonly #deps: SessionDeps;
  readonly #attempts: LoginAttempts;

  constructor(deps: SessionDeps) {
    this.#deps = deps;
    this.#attempts = new LoginAttempts(deps.settings.rateLimits);
  }

  /** `address`: of the client, since wrong passwords are counted by it. */
  async logIn(email: string, password: string, address: string): Promise<BegunSession> {
    if (this.#deps.database.isReadOnly) throw readOnlyConsole();
    const account = await this.#attempts.attempt(address, email.toLowerCase(), () =>
      this.#withPassword(email, password),
    );
    if (!account) throw validationError('Wrong email or password');
    if (!isAdmitted(account))
      throw new SheafError(
        403,
        'ForbiddenError',
        account.account.blocked ? 'This account is blocked' : 'This account is not active yet',
      );
    return this.begin(account);
  }

  /** Takes as long where there is no such account. */
  async #withPassword(email: string, password: string): Promise<StoredEditor | null> {
    const { database, statements } = this.#deps;
    const rows = await database.latest((session) => session.rows(statements.byEmail(), [email, email.toLowerCase()]));
    const found = storedEditor(rows);
    return (await isPassword(password, found?.password ?? null)) ? found : null;
  }

  async begin(stored: StoredEditor): Promise<BegunSession> {
    const { database, statements, editors } = this.#deps;
    const token = newToken();
    const now = Date.now();
    const values = [
      tokenHash(token),
      stored.account.id,
      credentialOf(stored.password ?? ''),
      now + MAX_CONSOLE_SESSION_MS,
      now,
    ];
    return database.transaction(async (session) => {
      await session.rows(statements.sweepSessions(), [now, now - MAX_CONSOLE_IDLE_MS]);
      await session.rows(statements.beginSession(), values);
      return { token, editor: await editors.editorOf(session, stored) };
    });
  }

  /** Who has the token; refused where nobody has, or not any more. */
  async editorWith(token: string | null): Promise<Editor> {
    const { database, statements, editors } = this.#deps;
    // Where nothing is written there are no sessions, and in older databases no table of them.
    if (token === null || !isToken(token) || database.isReadOnly) throw notLoggedIn();
    const now = Date.now();
    const found = await database.latest(async (session) => {
      const rows = await session.rows(statements.session(), [tokenHash(token)]);
      const stored = storedEditor(rows.map(([, , , , ...account]) => account));
      if (!stored || !isAdmitted(stored)) return null;
      const [id, credential, end, seen] = rows[0]!;
      const isOver = Number(end) <= now || Number(seen) + MAX_CONSOLE_IDLE_MS <= now;
      if (isOver || credential !== credentialOf(stored.password ?? '')) return null;
      return { id, seen: Number(seen), editor: await editors.editorOf(session, stored) };
    });
    if (!found) throw notLoggedIn();
    if (now - found.seen > TOUCH_MS)
      await database.transaction((session) => session.rows(statements.touchSession(), [now, found.id]));
    return found.editor;
  }

  async end(token: string): Promise<void> {
    const { database, statements } = this.#deps;
    if (database.isReadOnly) return;
    await database.transaction((session) => session.rows(statements.endSessions('token_hash'), [tokenHash(token)]));
  }

  /** Ends all sessions of an account, in a transaction under way. */
  async endAll(session: Session, account: number): Promise<void> {
    await session.rows(this.#deps.statements.endSessions('account_id'), [account]);
  }
}

const notLoggedIn = (): SheafError => unauthorizedError('Nobody is logged in, or not any more');

export const readOnlyConsole = (): SheafError =>
  new SheafError(403, 'ForbiddenError', 'The database is read-only here, so nobody can log in to the console');
