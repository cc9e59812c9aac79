// API tokens, stored as Strapi 5 stores them: an HMAC of the token, so that a copy of the database opens nothing.
import { createHmac, randomBytes } from 'node:crypto';
import { createId } from '@paralleldrive/cuid2';
import type { Access } from '../access/access.ts';
import type { Accesses } from '../access/role-access.ts';
import { addGrants } from '../db/bootstrap.ts';
import type { Database } from '../db/database.ts';
import { unauthorizedError } from '../errors.ts';
import type { AccountStatements } from '../sql/account-statements.ts';
import { tokenGrants } from '../sql/grant-statements.ts';
import { instantColumns, STAMPS, textColumns } from '../sql/row-columns.ts';
import { WriteStatements } from '../sql/write-statements.ts';

export type TokenType = 'read-only' | 'full-access' | 'custom';

export interface NewToken {
  readonly name: string;
  readonly description: string;
  readonly type: TokenType;
  /** For `custom`. */
  readonly actions: readonly string[];
  /** Null for a token without an end. */
  readonly days: number | null;
}

export interface FoundToken {
  readonly access: Access;
  /** When it has to be asked for again in any case. */
  readonly until: number;
  /** Of the state of the data in which it was found. */
  readonly mark: string | null;
}

/** A token as it is listed. The token itself is not kept. */
export interface ListedToken {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly actions: readonly string[];
  readonly createdAt: string | null;
  /** Noted once an hour at most; null where it was never used. */
  readonly lastUsedAt: string | null;
  /** Null for a token without an end. */
  readonly expiresAt: string | null;
}

const TOKEN_BYTES = 128;
const TOKEN_FORM = /^[0-9a-f]{256}$/i;
const DAY_MS = 86_400_000;
/** How often the last use of a token is noted at most. */
const TOUCH_MS = 3_600_000;

export class ApiTokens {
  readonly #accesses: Accesses;
  readonly #database: Database;
  readonly #statements: AccountStatements;
  readonly #salt: string;

  constructor(accesses: Accesses, database: Database, statements: AccountStatements, salt: string) {
    this.#accesses = accesses;
    this.#database = database;
    this.#statements = statements;
    this.#salt = salt;
  }

  #stored(token: string): string {
    return createHmac('sha512', this.#salt).update(token).digest('hex');
  }

  /** Null for a token that is unknown. One that is over is told so: whoever shows it had it while it was good. */
  async access(token: string): Promise<FoundToken | null> {
    if (!TOKEN_FORM.test(token)) return null;
    const { rows, mark } = await this.#database.marked(this.#statements.token(), [this.#stored(token)]);
    if (rows.length === 0) return null;
    const [id, type, kind, expiresAt, lastUsedAt] = rows[0]!;
    const now = Date.now();
    if (kind !== null && kind !== 'content-api') return null;
    if (expiresAt !== null && expiresAt <= now) throw unauthorizedError('Token expired');
    const { isReadOnly } = this.#database;
    if (!isReadOnly && (lastUsedAt === null || now - lastUsedAt > TOUCH_MS))
      await this.#database.transaction((session) => session.rows(this.#statements.touchToken(), [now, id]));
    const actions = rows.flatMap(([, , , , , action]) => action ?? []);
    const access = this.#accesses.ofToken({ id, type, actions });
    const until = Math.min(expiresAt ?? Number.POSITIVE_INFINITY, (isReadOnly ? now : (lastUsedAt ?? now)) + TOUCH_MS);
    return access && { access, until, mark };
  }

  /** What every token of a kind may do. */
  accessOfKind(type: Exclude<TokenType, 'custom'>): Access {
    return this.#accesses.ofToken({ id: 0, type, actions: [] })!;
  }

  /** Returns the token, which is not kept and cannot be shown again. */
  async create(token: NewToken): Promise<string> {
    return (await this.#create(token)).secret;
  }

  /** The same, with what is listed of it. Null where there is one of that name already. */
  async createNamed(token: NewToken): Promise<{ readonly token: ListedToken; readonly secret: string } | null> {
    const { name } = token;
    if ((await this.list()).some((other) => other.name === name)) return null;
    const { id, secret } = await this.#create(token);
    return { token: (await this.list()).find((listed) => listed.id === id)!, secret };
  }

  async #create({ name, description, type, actions, days }: NewToken): Promise<{ id: number; secret: string }> {
    const token = randomBytes(TOKEN_BYTES).toString('hex');
    const sql = new WriteStatements(this.#database.dialect);
    const now = Date.now();
    const lifespan = days === null ? null : days * DAY_MS;
    const columns = [
      ...textColumns('document_id', 'name', 'description', 'kind', 'type', 'access_key'),
      { column: 'lifespan', type: 'biginteger' as const },
      ...instantColumns('expires_at'),
      ...STAMPS,
    ];
    const id = await this.#database.transaction(async (session) => {
      const [row] = await session.rows(sql.insertRow('strapi_api_tokens', columns), [
        createId(),
        name,
        description,
        'content-api',
        type,
        this.#stored(token),
        lifespan,
        lifespan === null ? null : now + lifespan,
        now,
        now,
        now,
      ]);
      await addGrants(session, tokenGrants(this.#database.dialect), row![0], actions);
      return row![0];
    });
    return { id, secret: token };
  }

  /** Every token, the oldest first. */
  async list(): Promise<readonly ListedToken[]> {
    const tokens = new Map<number, ListedToken & { actions: string[] }>();
    const rows = await this.#database.latest((session) => session.rows(this.#statements.tokens(), []));
    for (const [id, name, description, type, end, lastUsed, begin, action] of rows) {
      const token = tokens.get(id) ?? {
        id,
        name,
        description: description ?? '',
        type,
        actions: [],
        createdAt: shownMoment(begin),
        lastUsedAt: shownMoment(lastUsed),
        expiresAt: shownMoment(end),
      };
      tokens.set(id, token);
      if (action !== null) token.actions.push(action);
    }
    return [...tokens.values()];
  }

  /** Whether there was such a token. */
  async delete(id: number): Promise<boolean> {
    const isThere = (await this.list()).some((token) => token.id === id);
    if (isThere)
      await this.#database.transaction(async (session) => {
        for (const statement of this.#statements.deleteToken()) await session.rows(statement, [id]);
      });
    return isThere;
  }

  /** How many tokens of that name there were. */
  async revoke(name: string): Promise<number> {
    return this.#database.transaction(async (session) => {
      const rows = await session.rows(this.#statements.tokensNamed(), [name]);
      for (const [id] of rows)
        for (const statement of this.#statements.deleteToken()) await session.rows(statement, [id]);
      return rows.length;
    });
  }
}

const shownMoment = (moment: number | null): string | null =>
  moment === null ? null : new Date(Number(moment)).toISOString();
