// The Authorization header → who asks. A token that is wrong or over is never taken for no token; a header of another
// scheme is none. What a token says of its user is not believed: the account is read for every request, or known not to
// have been written since it was read, so that a block or another role acts on the next. Where only the database knows
// that, a caller who was known carries the mark that the account was read with, and whatever is done for the caller
// holds only where that is still the mark.
import { randomBytes } from 'node:crypto';
import { type Access, ANY_GROUP } from '../access/access.ts';
import { READ_OWN_ACCOUNT } from '../access/actions.ts';
import type { Caller, UserValues } from '../access/caller.ts';
import type { Database } from '../db/database.ts';
import { unauthorizedError } from '../errors.ts';
import { MAX_CACHED_TOKENS, MAX_READ_COST, MAX_TOKEN_LENGTH } from '../limits.ts';
import { type CacheUsage, Lru } from '../lru.ts';
import { USER } from '../model/builtin.ts';
import type { Model, ScalarAttribute } from '../model/types.ts';
import type { AccountStatements } from '../sql/account-statements.ts';
import { type AccountSettings, readAccountSettings } from './account-settings.ts';
import type { ApiTokens } from './api-tokens.ts';
import type { GrantedRole, Grants } from './grants.ts';
import type { Claims, Jwt } from './jwt.ts';
import { goesOn } from './session-family.ts';

/** Who came with a header, and until when that need not be looked up again as long as nothing is written. */
interface FoundCaller {
  readonly caller: Caller;
  readonly until: number;
  /** Of the state of the data in which it was found. */
  readonly mark: string | null;
}

interface CachedCaller {
  readonly caller: Caller;
  readonly until: number;
  /** What the grants were known by when it was looked up. */
  readonly state: string | number;
}

/** An account as a token or a log-in finds it. */
interface FoundAccount {
  readonly user: UserValues;
  readonly role: GrantedRole | null;
  readonly settings: AccountSettings;
  /** Whether the session that was asked for is this user's and still good; and until when. */
  readonly sessionEnd: number | null;
  readonly tokensAfter: number;
  readonly mark: string | null;
}

export interface AuthenticatorDeps {
  readonly model: Model;
  readonly database: Database;
  readonly statements: AccountStatements;
  readonly grants: Grants;
  readonly jwt: Jwt;
  readonly tokens: ApiTokens;
}

const LENT_BYTES = 32;

/**
 * Whether a header holds a token for this service. Another scheme is for what stands in front, such as a proxy with a
 * password; a front end without a token sends the scheme alone.
 */
const isBearer = (header: string): boolean => /^bearer\s+\S/i.test(header);

/** What stands after the scheme. As in Strapi 5, any blanks are between: some front ends write two. */
export const wordsAfterScheme = (header: string): readonly string[] => header.split(/\s+/).slice(1);

const HIDDEN = new Set(['resetPasswordToken', 'confirmationToken']);

export class Authenticator {
  readonly #database: Database;
  readonly #statements: AccountStatements;
  readonly #grants: Grants;
  readonly #jwt: Jwt;
  readonly #tokens: ApiTokens;
  readonly #columns: readonly ScalarAttribute[];
  /** Kept as long as the grants are the same ones. */
  #public: Caller | null = null;
  /** Callers by header, as long as nothing was written since. */
  readonly #known = new Lru<string, CachedCaller>(MAX_CACHED_TOKENS);
  /** Callers that requests of this process itself are made as, by the header that stands for them. */
  readonly #lent = new Map<string, Caller>();

  constructor({ model, database, statements, grants, jwt, tokens }: AuthenticatorDeps) {
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

  get cache(): CacheUsage {
    return this.#known;
  }

  /** The caller, where nothing has to be waited for: the public, or one who came before and nothing was written since. */
  now(header: string | undefined): Caller | null {
    if (this.#grants.refresh()) return null;
    if (header === undefined) return this.#nobody(true);
    const known = this.#known.get(header);
    if (!known && !isBearer(header)) return this.#nobody(true);
    return known && known.state === this.#grants.state && known.until > Date.now() ? known.caller : null;
  }

  /** The caller as the database has it at this moment. */
  async identify(header: string | undefined): Promise<Caller> {
    const reading = this.#grants.refresh();
    if (reading) await reading;
    if (header === undefined || !isBearer(header)) {
      await this.#grants.confirm();
      return this.#nobody(false) ?? refuse();
    }
    const lent = this.#lent.get(header);
    if (lent) return lent;
    const [token, ...rest] = wordsAfterScheme(header);
    if (!token || rest.length > 0 || token.length > MAX_TOKEN_LENGTH) throw unauthorizedError();
    const { state } = this.#grants;
    const { caller, until, mark } = await (token.includes('.') ? this.#user(token) : this.#token(token));
    if (state !== null) this.#known.set(header, { caller: { ...caller, knownBy: mark }, until, state: mark ?? state });
    return caller;
  }

  /** Gives work a header that stands for a caller until the work is done, for requests that this process itself makes. */
  async lend<T>(caller: Caller, work: (header: string) => Promise<T>): Promise<T> {
    const header = `Bearer ${randomBytes(LENT_BYTES).toString('hex')}`;
    this.#lent.set(header, caller);
    try {
      return await work(header);
    } finally {
      this.#lent.delete(header);
    }
  }

  /** Null where the public may do nothing at all: then everyone has to say who they are. */
  #nobody(isKnown: boolean): Caller | null {
    const { public: role, mark } = this.#grants;
    if (!role || role.actions.size === 0) return null;
    const knownBy = isKnown ? mark : null;
    if (this.#public?.access !== role.access || this.#public.knownBy !== knownBy)
      this.#public = { kind: 'public', access: role.access, user: null, account: null, knownBy };
    return this.#public;
  }

  async #token(token: string): Promise<FoundCaller> {
    const found = (await this.#tokens.access(token)) ?? refuse();
    const { access, until, mark } = found;
    await this.#grants.reach(mark);
    return { caller: { kind: 'token', access, user: null, account: null, knownBy: null }, until, mark };
  }

  async #user(token: string): Promise<FoundCaller> {
    const claims = await this.#jwt.verify(token);
    if (claims?.kind !== 'access') throw unauthorizedError();
    const admitted = await this.#admitted(claims);
    if (!admitted) throw unauthorizedError('Invalid credentials');
    const { found, role, until } = admitted;
    return { caller: callerOf(found, role.access, claims), until, mark: found.mark };
  }

  /** Whether the account that a token is for may still be used, and the token with it. */
  async admits(claims: Claims): Promise<boolean> {
    const reading = this.#grants.refresh();
    if (reading) await reading;
    return (await this.#admitted(claims)) !== null;
  }

  async #admitted(claims: Claims): Promise<{ found: FoundAccount; role: GrantedRole; until: number } | null> {
    const { userId, sessionId, issuedAt, end } = claims;
    const found = await this.#account(userId, sessionId);
    if (!found?.role) return null;
    const { user, role, settings, sessionEnd, tokensAfter } = found;
    if (isTrue(user.blocked) || (settings.email_confirmation && !isTrue(user.confirmed))) return null;
    if (sessionId === null) return issuedAt < tokensAfter ? null : { found, role, until: end };
    return sessionEnd === null ? null : { found, role, until: Math.min(end, sessionEnd) };
  }

  /**
   * A user who reads the own account, whatever else the role may do; for answers to logging in. Null where there is no
   * such account.
   */
  async ownAccount(userId: number): Promise<Caller | null> {
    const reading = this.#grants.refresh();
    if (reading) await reading;
    const found = await this.#account(userId, null);
    if (!found) return null;
    const access = withOwnAccount(found.role?.access ?? NO_ACCESS);
    return callerOf(found, access, { userId, sessionId: null });
  }

  async #account(userId: number, sessionId: string | null): Promise<FoundAccount | null> {
    const { rows, mark } = await this.#database.marked(this.#statements.account(this.#columns), [
      sessionId ?? '',
      userId,
    ]);
    const [row] = rows;
    if (!row) return null;
    await this.#grants.reach(mark);
    const [role, settings, owner, status, end, tokensAfter, ...values] = row;
    const isAlive =
      owner === String(userId) && end !== null && end > Date.now() && (await this.#isGood(userId, sessionId, status));
    return {
      user: Object.fromEntries(this.#columns.map(({ name }, index) => [name, values[index]])),
      role: role === null ? null : this.#grants.role(role),
      settings: readAccountSettings(settings),
      sessionEnd: isAlive ? end : null,
      tokensAfter: Number(tokensAfter ?? 0),
      mark,
    };
  }

  /** A session that was renewed is good as long as the one that it became. */
  async #isGood(userId: number, sessionId: string | null, status: string | null): Promise<boolean> {
    if (status !== 'rotated' || sessionId === null) return status !== 'revoked';
    const rows = await this.#database.latest((session) =>
      session.rows(this.#statements.sessionsOf(), [String(userId)]),
    );
    return goesOn(rows, sessionId);
  }
}

const callerOf = (
  { user, role }: Pick<FoundAccount, 'user' | 'role'>,
  access: Access,
  { userId, sessionId }: { readonly userId: number; readonly sessionId: string | null },
): Caller => ({
  kind: 'user',
  access,
  user,
  account: { id: userId, documentId: String(user.documentId), role: role?.type ?? null, sessionId },
  knownBy: null,
});

const refuse = (): never => {
  throw unauthorizedError();
};

/** Of an account without a role. */
const NO_ACCESS: Access = {
  key: 'none',
  may: () => false,
  mayFind: () => false,
  shows: 'public',
  mayUse: () => true,
  mayReadDrafts: () => false,
  rowsOf: () => null,
  separateRights: null,
  maxReadCost: MAX_READ_COST,
  smallestGroup: ANY_GROUP,
};

/** The same access with the right to read the own account. */
const withOwnAccount = (access: Access): Access => ({
  ...access,
  key: `${access.key} own`,
  may: (action) => action === READ_OWN_ACCOUNT || access.may(action),
});

/** A flag as any database gives it. */
const isTrue = (value: unknown): boolean => value === 1 || value === true;
