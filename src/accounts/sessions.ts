// Sessions of users: an access token for requests and a refresh token that is good for one use. Both name a row, so
// that ending a session acts on the next request. A refresh token that comes back a second time was stolen from one of
// the two who have it: then the whole family of its session ends.
import { randomBytes } from 'node:crypto';
import { createId } from '@paralleldrive/cuid2';
import type { Database, Session } from '../db/database.ts';
import type { Settings } from '../project/settings.ts';
import { isStorable } from '../request/scalars.ts';
import type { AccountStatements } from '../sql/account-statements.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import type { Claims, Jwt } from './jwt.ts';
import { familyOf } from './session-family.ts';
import { sessionsKey } from './users.ts';

export interface Tokens {
  readonly jwt: string;
  readonly refreshToken: string;
}

/** A session as its user sees it. */
export interface ShownSession {
  readonly id: string;
  /** Null where another program began it without one. */
  readonly deviceId: string | null;
  readonly deviceName: string | null;
  /** Whether it is the one that asks. */
  readonly current: boolean;
  readonly loginAt: string;
  /** When it was last renewed. */
  readonly lastActiveAt: string;
}

/** How a session begins. */
export interface Beginning {
  /** The password that was compared. */
  readonly password?: string | null;
  /** What the client calls the device. */
  readonly deviceId?: string;
  readonly deviceName?: string | null;
}

/** A session that goes on keeps the device of the one that it follows. */
interface Device {
  readonly id: string | null;
  /** JSON, as Strapi 5 keeps it: when the log-in was, and the name of the device. */
  readonly metadata: string | null;
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
  async begin(userId: number, beginning: Beginning = {}): Promise<Tokens | null> {
    const { password, deviceId = createId(), deviceName = null } = beginning;
    const end = Date.now() + this.#settings.sessionSeconds * 1000;
    const begun = await this.#database.transaction(async (session) => {
      await this.#lock(session, userId);
      if (password !== undefined) {
        const [row] = await session.rows(this.#statements.byColumn('id'), [userId]);
        if (row?.[1] !== password) return null;
      }
      await session.rows(this.#statements.sweepSessions(), [String(userId), Date.now()]);
      const loginAt = new Date().toISOString();
      const metadata = JSON.stringify({ loginAt, ...(deviceName !== null && { deviceName }) });
      return this.#insert(session, userId, { id: deviceId, metadata }, end);
    });
    return begun && this.#tokens(userId, begun);
  }

  /** What begins, goes on or ends for one user does so one after another. */
  async #lock(session: Session, userId: number): Promise<void> {
    if (this.#writes.needsLocks) await session.rows(this.#writes.lockKeys(), [JSON.stringify([sessionsKey(userId)])]);
  }

  async #insert(session: Session, userId: number, device: Device, end: number): Promise<Begun> {
    const now = Date.now();
    const sessionId = randomBytes(ID_BYTES).toString('hex');
    const expiresAt = Math.min(end, now + this.#settings.refreshTokenSeconds * 1000);
    const texts = ['document_id', 'user_id', 'session_id', 'device_id', 'origin', 'status', 'type'];
    const times = ['expires_at', 'absolute_expires_at', 'created_at', 'updated_at', 'published_at'];
    const insert = this.#writes.insertRow('strapi_sessions', [
      ...texts.map((column) => ({ column, type: 'string' as const })),
      ...times.map((column) => ({ column, type: 'datetime' as const })),
      { column: 'metadata', type: 'json' },
    ]);
    const named = [createId(), String(userId), sessionId, device.id, ORIGIN, 'active', 'refresh'];
    await session.rows(insert, [...named, expiresAt, end, now, now, now, device.metadata]);
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
      const [, , device, expiresAt, end, metadata] = row;
      const now = Date.now();
      if (expiresAt <= now || end <= now) return null;
      const next = await this.#insert(session, userId, { id: device, metadata }, end);
      const rotated = await session.rows(this.#statements.rotate(), [next.sessionId, now, sessionId]);
      if (rotated.length > 0) return next;
      await this.#endFamily(session, userId, sessionId);
      await this.#endFamily(session, userId, next.sessionId);
      return null;
    });
    return begun && { ...(await this.#tokens(userId, begun)), userId };
  }

  /** The sessions of a user that can go on. `current`: the one that asks, or one that it follows. */
  async list(userId: number, current: string | null): Promise<ShownSession[]> {
    const rows = await this.#database.latest((session) =>
      session.rows(this.#statements.sessionsOf(), [String(userId)]),
    );
    const now = Date.now();
    const active = rows.filter(
      ([, status, , end, absoluteEnd]) => status === 'active' && end > now && absoluteEnd > now,
    );
    return active.map(([id, , deviceId, , , begin, metadata]) => {
      const family = familyOf(rows, id);
      const { deviceName, loginAt = new Date(Math.min(...family.map((row) => row[5]))) } = readMetadata(metadata);
      return {
        id,
        deviceId,
        deviceName,
        current: family.some(([sessionId]) => sessionId === current),
        loginAt: loginAt.toISOString(),
        lastActiveAt: new Date(begin).toISOString(),
      };
    });
  }

  /** Ends a session of a user, and those it followed. False where the user has no such session. */
  end(userId: number, sessionId: string): Promise<boolean> {
    return this.#database.transaction(async (session) => {
      await this.#lock(session, userId);
      const [row] = await session.rows(this.#statements.session(), [sessionId]);
      if (row?.[0] !== String(userId)) return false;
      await this.#endFamily(session, userId, sessionId);
      return true;
    });
  }

  async #endFamily(session: Session, userId: number, sessionId: string): Promise<void> {
    const rows = await session.rows(this.#statements.sessionsOf(), [String(userId)]);
    const ids = familyOf(rows, sessionId).map(([id]) => id);
    await session.rows(this.#statements.endSessions('sessions'), [String(userId), JSON.stringify(ids)]);
  }

  /** Ends the sessions of a user on a device. */
  async endOnDevice(userId: number, deviceId: string): Promise<void> {
    if (!isStorable(deviceId)) return;
    await this.#database.transaction(async (session) => {
      await this.#lock(session, userId);
      await session.rows(this.#statements.endSessions('device'), [String(userId), deviceId]);
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

/** What is kept of a log-in. Metadata that another program wrote may be anything. */
function readMetadata(text: string | null): { readonly deviceName: string | null; readonly loginAt?: Date } {
  const { deviceName, loginAt } = objectIn(text);
  const begin = new Date(typeof loginAt === 'string' ? loginAt : Number.NaN);
  return {
    deviceName: typeof deviceName === 'string' ? deviceName : null,
    ...(!Number.isNaN(begin.getTime()) && { loginAt: begin }),
  };
}

function objectIn(text: string | null): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text ?? '{}'));
  } catch {
    return {};
  }
}
