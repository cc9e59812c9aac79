// Sessions of users: an access token for requests and a refresh token that is good for one use. Both name a row, so
// that ending a session acts on the next request. A refresh token that comes back a second time was stolen from one of
// the two who have it: then the whole family of its session ends.
import { randomBytes } from 'node:crypto';
import { createId } from '@paralleldrive/cuid2';
import type { Database, Session } from '../db/database.ts';
import type { Settings } from '../project/settings.ts';
import type { AccountStatements } from '../sql/account-statements.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import type { Claims, Jwt } from './jwt.ts';
import { sessionsKey } from './users.ts';

export interface Tokens {
  readonly jwt: string;
  readonly refreshToken: string;
}

const ORIGIN = 'users-permissions';
const ID_BYTES = 16;

interface Begun {
  readonly sessionId: string;
  readonly expiresAt: number;
}

export interface SessionDeps {
  readonly database: Database;
  readonly statements: AccountStatements;
  readonly jwt: Jwt;
  readonly settings: Settings['auth'];
  /** Whether the account that a token is for may still be used. */
  admits(claims: Claims): Promise<boolean>;
}

export class Sessions {
  readonly #database: Database;
  readonly #statements: AccountStatements;
  readonly #writes: WriteStatements;
  readonly #jwt: Jwt;
  readonly #settings: Settings['auth'];
  readonly #admits: (claims: Claims) => Promise<boolean>;

  constructor({ database, statements, jwt, settings, admits }: SessionDeps) {
    this.#admits = admits;
    this.#database = database;
    this.#statements = statements;
    this.#writes = new WriteStatements(database.dialect);
    this.#jwt = jwt;
    this.#settings = settings;
  }

  /** Null where the account has another password than the one that was compared. */
  async begin(userId: number, password?: string | null): Promise<Tokens | null> {
    const end = Date.now() + this.#settings.sessionSeconds * 1000;
    const begun = await this.#database.transaction(async (session) => {
      await this.#lock(session, userId);
      if (password !== undefined) {
        const [row] = await session.rows(this.#statements.byColumn('id'), [userId]);
        if (row?.[1] !== password) return null;
      }
      await session.rows(this.#statements.sweepSessions(), [String(userId), Date.now()]);
      return this.#insert(session, userId, createId(), end);
    });
    return begun && this.#tokens(userId, begun);
  }

  /** What begins, goes on or ends for one user does so one after another. */
  async #lock(session: Session, userId: number): Promise<void> {
    if (this.#writes.needsLocks) await session.rows(this.#writes.lockKeys(), [JSON.stringify([sessionsKey(userId)])]);
  }

  async #insert(session: Session, userId: number, device: string, end: number): Promise<Begun> {
    const now = Date.now();
    const sessionId = randomBytes(ID_BYTES).toString('hex');
    const expiresAt = Math.min(end, now + this.#settings.refreshTokenSeconds * 1000);
    const texts = ['document_id', 'user_id', 'session_id', 'device_id', 'origin', 'status', 'type'];
    const times = ['expires_at', 'absolute_expires_at', 'created_at', 'updated_at', 'published_at'];
    const insert = this.#writes.insertRow('strapi_sessions', [
      ...texts.map((column) => ({ column, type: 'string' as const })),
      ...times.map((column) => ({ column, type: 'datetime' as const })),
    ]);
    const named = [createId(), String(userId), sessionId, device, ORIGIN, 'active', 'refresh'];
    await session.rows(insert, [...named, expiresAt, end, now, now, now]);
    return { sessionId, expiresAt };
  }

  async #tokens(userId: number, { sessionId, expiresAt }: Begun): Promise<Tokens> {
    const life = Math.max(1, Math.floor((expiresAt - Date.now()) / 1000));
    return {
      jwt: await this.#jwt.sign('access', userId, sessionId, this.#settings.accessTokenSeconds),
      refreshToken: await this.#jwt.sign('refresh', userId, sessionId, life),
    };
  }

  /** New tokens for a refresh token; null where it is none, is over, or was used before. */
  async refresh(token: string): Promise<(Tokens & { readonly userId: number }) | null> {
    const claims = await this.#jwt.verify(token);
    if (claims?.kind !== 'refresh' || claims.sessionId === null) return null;
    const { sessionId, userId } = claims;
    if (!(await this.#admits(claims))) return null;
    const begun = await this.#database.transaction(async (session): Promise<Begun | null> => {
      await this.#lock(session, userId);
      const [row] = await session.rows(this.#statements.session(), [sessionId]);
      if (!row || row[0] !== String(userId)) return null;
      const [, , device, expiresAt, end] = row;
      const now = Date.now();
      if (expiresAt <= now || end <= now) return null;
      const next = await this.#insert(session, userId, device, end);
      const rotated = await session.rows(this.#statements.rotate(), [next.sessionId, now, sessionId]);
      if (rotated.length > 0) return next;
      await session.rows(this.#statements.endSessions('device'), [String(userId), device]);
      return null;
    });
    return begun && { ...(await this.#tokens(userId, begun)), userId };
  }

  /** Ends the session that a token belongs to, and those it followed. */
  async end(userId: number, sessionId: string): Promise<void> {
    await this.#database.transaction(async (session) => {
      await this.#lock(session, userId);
      const [row] = await session.rows(this.#statements.session(), [sessionId]);
      if (row) await session.rows(this.#statements.endSessions('device'), [String(userId), row[2]]);
    });
  }

  /** Ends every session of a user, and refuses tokens that were made without one until now. */
  async endAll(userId: number): Promise<void> {
    await this.#database.transaction(async (session) => {
      await this.#lock(session, userId);
      await session.rows(this.#statements.endSessions('user'), [String(userId)]);
      await session.rows(this.#statements.refuseOlderTokens(), [userId, Date.now()]);
    });
  }
}
