// The Authorization header → who asks. A token that is wrong or over is never taken for no token. What a token says of
// its user is not believed: the account is read for every request, or known not to have been written since it was read,
// so that a block or another role acts on the next.
import type { Caller, UserValues } from '../access/caller.ts';
import type { Database } from '../db/database.ts';
import { unauthorizedError } from '../errors.ts';
import { MAX_CACHED_TOKENS, MAX_TOKEN_LENGTH } from '../limits.ts';
import { Lru } from '../lru.ts';
import { USER } from '../model/builtin.ts';
import type { Model, ScalarAttribute } from '../model/types.ts';
import type { AccountStatements } from '../sql/account-statements.ts';
import { readAdvanced } from './account-settings.ts';
import type { ApiTokens } from './api-tokens.ts';
import type { GrantedRole, Grants } from './grants.ts';
import type { Claims, Jwt } from './jwt.ts';

export interface Identity extends Caller {
  readonly as: 'public' | 'user' | 'token';
  /** Of a user. */
  readonly account: { readonly id: number; readonly documentId: string; readonly sessionId: string | null } | null;
}

/** Who asks, and until when that need not be looked up again where nothing is written. */
interface Found {
  readonly identity: Identity;
  readonly until: number;
}

interface Known extends Found {
  readonly state: number;
}

const HIDDEN = new Set(['resetPasswordToken', 'confirmationToken']);

export class Authenticator {
  readonly #database: Database;
  readonly #statements: AccountStatements;
  readonly #grants: Grants;
  readonly #jwt: Jwt;
  readonly #tokens: ApiTokens;
  readonly #columns: readonly ScalarAttribute[];
  /** Kept as long as the grants are the same ones. */
  #public: Identity | null = null;
  /** Who came with which header, as long as nothing was written since. */
  readonly #known = new Lru<string, Known>(MAX_CACHED_TOKENS);

  constructor(
    model: Model,
    database: Database,
    statements: AccountStatements,
    grants: Grants,
    jwt: Jwt,
    tokens: ApiTokens,
  ) {
    this.#database = database;
    this.#statements = statements;
    this.#grants = grants;
    this.#jwt = jwt;
    this.#tokens = tokens;
    this.#columns = [...model.contentTypes.get(USER)!.attributes.values()].filter(
      (attribute): attribute is ScalarAttribute =>
        attribute.kind === 'scalar' && attribute.type !== 'password' && !HIDDEN.has(attribute.name),
    );
  }

  /** Who asks, where nothing has to be waited for: the public, or who asked before and nothing was written since. */
  now(header: string | undefined): Identity | null {
    if (this.#grants.refresh()) return null;
    if (header === undefined) return this.#nobody();
    const known = this.#known.get(header);
    return known && known.state === this.#grants.state && known.until > Date.now() ? known.identity : null;
  }

  async identify(header: string | undefined): Promise<Identity> {
    const reading = this.#grants.refresh();
    if (reading) await reading;
    if (header === undefined) return this.#nobody();
    const [scheme, token, ...rest] = header.split(' ');
    if (scheme?.toLowerCase() !== 'bearer' || !token || rest.length > 0 || token.length > MAX_TOKEN_LENGTH)
      throw unauthorizedError();
    const { state } = this.#grants;
    const { identity, until } = await (token.includes('.') ? this.#user(token) : this.#token(token));
    if (state !== null) this.#known.set(header, { identity, until, state });
    return identity;
  }

  #nobody(): Identity {
    const role = this.#grants.public;
    // Where the public may do nothing at all, everyone has to say who they are.
    if (!role || role.actions.size === 0) throw unauthorizedError();
    if (this.#public?.access !== role.access)
      this.#public = { as: 'public', access: role.access, user: null, account: null };
    return this.#public;
  }

  async #token(token: string): Promise<Found> {
    const found = await this.#tokens.access(token);
    if (!found) throw unauthorizedError();
    return { identity: { as: 'token', access: found.access, user: null, account: null }, until: found.until };
  }

  async #user(token: string): Promise<Found> {
    const claims = await this.#jwt.verify(token);
    if (claims?.kind !== 'access') throw unauthorizedError();
    const admitted = await this.#admitted(claims);
    if (!admitted) throw unauthorizedError('Invalid credentials');
    const { user, role, until } = admitted;
    const account = { id: claims.userId, documentId: String(user.documentId), sessionId: claims.sessionId };
    return { identity: { as: 'user', access: role.access, user, account }, until };
  }

  /** Whether the account that a token is for may still be used, and the token with it. */
  async admits(claims: Claims): Promise<boolean> {
    const reading = this.#grants.refresh();
    if (reading) await reading;
    return (await this.#admitted(claims)) !== null;
  }

  async #admitted(claims: Claims): Promise<{ user: UserValues; role: GrantedRole; until: number } | null> {
    const row = await this.#account(claims);
    if (!row) return null;
    const user: UserValues = Object.fromEntries(this.#columns.map(({ name }, index) => [name, row.values[index]]));
    const role = row.role === null ? null : this.#grants.role(row.role);
    const isConfirmed = isTrue(user.confirmed) || !readAdvanced(row.advanced).email_confirmation;
    return role && isConfirmed && !isTrue(user.blocked) ? { user, role, until: row.until } : null;
  }

  /** The account behind a token, if the token is still good for it. */
  async #account({ userId, sessionId, issuedAt, end: until }: Claims) {
    const [row] = await this.#database.latest((session) =>
      session.rows(this.#statements.account(this.#columns), [sessionId ?? '', userId]),
    );
    if (!row) return null;
    const [role, advanced, owner, status, end, tokensAfter, ...values] = row as [
      number | null,
      string | null,
      string | null,
      string | null,
      number | null,
      string | null,
      ...unknown[],
    ];
    if (sessionId === null) return issuedAt < Number(tokensAfter ?? 0) ? null : { role, advanced, values, until };
    const isAlive = owner === String(userId) && status !== 'revoked' && end !== null && end > Date.now();
    return isAlive ? { role, advanced, values, until: Math.min(until, end) } : null;
  }
}

/** A flag as any database gives it. */
const isTrue = (value: unknown): boolean => value === 1 || value === true;
