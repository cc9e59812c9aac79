// Access and refresh tokens: JWT with one algorithm, HS256, whatever a token says of itself.
import { createSecretKey, type KeyObject } from 'node:crypto';
import { MAX_CACHED_TOKENS, MAX_TOKEN_LENGTH } from '../limits.ts';
import { Lru } from '../lru.ts';

/** Loaded when the first token comes or goes; a start need not wait for it. */
let loaded: Promise<typeof import('jose')> | null = null;
const jose = (): Promise<typeof import('jose')> => {
  loaded ??= import('jose');
  return loaded;
};

const ALGORITHM = 'HS256';
/** Clocks of two nodes may differ by so much. */
const TOLERANCE_SECONDS = 5;

/** Numbers and names that a database can hold. */
const MAX_ID = 2 ** 31 - 1;
const SESSION_ID = /^[\w-]{1,255}$/;

/** What a token says, once its signature and its time were checked. */
export interface Claims {
  readonly userId: number;
  /** Null for a token of the reference that knows no sessions. */
  readonly sessionId: string | null;
  readonly kind: 'access' | 'refresh';
  /** Milliseconds. */
  readonly issuedAt: number;
  readonly end: number;
}

export class Jwt {
  readonly #key: KeyObject;
  /** What tokens with a good signature say. */
  readonly #read = new Lru<string, Claims>(MAX_CACHED_TOKENS);

  constructor(secret: string) {
    this.#key = createSecretKey(secret, 'utf8');
  }

  async sign(kind: Claims['kind'], userId: number, sessionId: string, lifeSeconds: number): Promise<string> {
    const { SignJWT } = await jose();
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({ id: userId, userId: String(userId), sessionId, type: kind })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuedAt(now)
      .setExpirationTime(now + lifeSeconds)
      .sign(this.#key);
  }

  /** Null for anything that is not a token of ours, or no longer one. */
  async verify(token: string): Promise<Claims | null> {
    if (token.length > MAX_TOKEN_LENGTH) return null;
    const known = this.#read.get(token);
    if (known) return known.end > Date.now() ? known : null;
    try {
      const { jwtVerify } = await jose();
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: [ALGORITHM],
        clockTolerance: TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'iat'],
      });
      const claims = claimsOf(payload);
      if (claims) this.#read.set(token, claims);
      return claims;
    } catch {
      return null;
    }
  }
}

function claimsOf({ id, userId, sessionId, type, iat, exp }: Record<string, unknown>): Claims | null {
  const named = userId ?? id;
  const user = typeof named === 'number' || (typeof named === 'string' && /^\d+$/.test(named)) ? Number(named) : 0;
  const now = Date.now() / 1000 + TOLERANCE_SECONDS;
  if (!Number.isInteger(user) || user < 1 || user > MAX_ID || typeof iat !== 'number' || iat > now) return null;
  if (sessionId !== undefined && (typeof sessionId !== 'string' || !SESSION_ID.test(sessionId))) return null;
  if (type !== undefined && type !== 'access' && type !== 'refresh') return null;
  return {
    userId: user,
    sessionId: sessionId ?? null,
    kind: type ?? 'access',
    issuedAt: iat * 1000,
    end: (Number(exp) + TOLERANCE_SECONDS) * 1000,
  };
}
