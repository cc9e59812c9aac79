// Access and refresh tokens: JWT with the one algorithm of the project, whatever a token says of itself.
import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  createSign,
  type KeyObject,
} from 'node:crypto';
import { SetupError } from '../errors.ts';
import { MAX_CACHED_TOKENS, MAX_TOKEN_LENGTH } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { JwtSettings } from '../project/settings.ts';

/** Loaded when the first token comes or goes; a start need not wait for it. */
let loaded: Promise<typeof import('jose')> | null = null;
const jose = (): Promise<typeof import('jose')> => {
  loaded ??= import('jose');
  return loaded;
};

/** Clocks of two nodes may differ by so much. */
const TOLERANCE_SECONDS = 5;

/** Three parts, in the one alphabet of tokens: others would be read as well, and would make several spellings of one. */
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Numbers and names that a database can hold. */
const MAX_ID = 2 ** 31 - 1;
const SESSION_ID = /^[\w-]{1,255}$/;

/** What a token says, once its signature and its time were checked. */
export interface Claims {
  readonly userId: number;
  /** Null for a token of Strapi 5 that knows no sessions. */
  readonly sessionId: string | null;
  readonly kind: 'access' | 'refresh';
  /** Milliseconds. */
  readonly issuedAt: number;
  readonly end: number;
}

/** RFC 7518 asks for no less. */
const MIN_RSA_BITS = 2048;

/** What tokens are signed and verified with. */
export interface JwtKeys {
  readonly signing: KeyObject;
  readonly verifying: KeyObject;
}

/** The keys of the project's algorithm: its secret, or a pair of keys. `privateKey`: that of the environment. */
export function jwtKeys(settings: JwtSettings, secret: string, privateKey: string | undefined): JwtKeys {
  if (settings.algorithm.startsWith('HS')) {
    const key = createSecretKey(secret, 'utf8');
    return { signing: key, verifying: key };
  }
  const pem = privateKey ?? settings.privateKey;
  if (pem === null)
    throw new SetupError(`Tokens cannot be signed with ${settings.algorithm} without a private key`, [
      'set JWT_PRIVATE_KEY; make one with: openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048',
    ]);
  const signing = readKey('private', () => createPrivateKey(pem));
  return { signing, verifying: readKey('public', () => createPublicKey(settings.publicKey ?? pem)) };
}

function readKey(which: 'private' | 'public', read: () => KeyObject): KeyObject {
  const problem = `The ${which} key for tokens cannot be used`;
  const expected = `expected an RSA key of ${MIN_RSA_BITS} bits or more in PEM form`;
  let key: KeyObject;
  try {
    key = read();
  } catch {
    throw new SetupError(problem, [expected]);
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < MIN_RSA_BITS) throw new SetupError(problem, [expected]);
  return key;
}

export class Jwt {
  readonly #keys: JwtKeys;
  readonly #settings: JwtSettings;
  /** What tokens with a good signature say. */
  readonly #read = new Lru<string, Claims>(MAX_CACHED_TOKENS);

  constructor(keys: JwtKeys, settings: JwtSettings) {
    this.#keys = keys;
    this.#settings = settings;
  }

  async sign(kind: Claims['kind'], userId: number, sessionId: string, lifeSeconds: number): Promise<string> {
    const { SignJWT } = await jose();
    const now = Math.floor(Date.now() / 1000);
    const { algorithm, issuer, audience } = this.#settings;
    // By `id` a Strapi 5 without refresh tokens knows the user, and takes every token that has it for one to call with.
    const user = { ...(kind === 'access' && { id: userId }), userId: String(userId) };
    const token = new SignJWT({ ...user, sessionId, type: kind })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT' })
      .setIssuedAt(now)
      .setExpirationTime(now + lifeSeconds);
    if (issuer !== null) token.setIssuer(issuer);
    if (audience !== null) token.setAudience(audience);
    return token.sign(this.#keys.signing);
  }

  /**
   * A token for an account without a session, as code of a project issues it: at once, since it does not wait for it.
   * `life`: in seconds.
   */
  issue(payload: Readonly<Record<string, unknown>>, life: number): string {
    const { algorithm, issuer, audience } = this.#settings;
    // To the millisecond: it may follow a new password, which ends all tokens that are older.
    const now = Date.now() / 1000;
    const claims = {
      ...payload,
      iat: now,
      exp: Math.floor(now) + life,
      ...(issuer !== null && { iss: issuer }),
      ...(audience !== null && { aud: audience }),
    };
    const parts = [{ alg: algorithm, typ: 'JWT' }, claims].map((part) =>
      Buffer.from(JSON.stringify(part)).toString('base64url'),
    );
    const text = parts.join('.');
    const { signing } = this.#keys;
    const hash = `sha${algorithm.slice(2)}`;
    const signature =
      signing.type === 'secret'
        ? createHmac(hash, signing).update(text).digest('base64url')
        : createSign(hash).update(text).sign(signing, 'base64url');
    return `${text}.${signature}`;
  }

  /** All that a token of ours says, whatever it is for; null for any other. */
  async payload(token: string): Promise<Readonly<Record<string, unknown>> | null> {
    if (token.length > MAX_TOKEN_LENGTH || !COMPACT.test(token)) return null;
    try {
      const { jwtVerify } = await jose();
      const { algorithm, issuer, audience } = this.#settings;
      const { payload } = await jwtVerify(token, this.#keys.verifying, {
        algorithms: [algorithm],
        ...(issuer !== null && { issuer }),
        ...(audience !== null && { audience }),
        clockTolerance: TOLERANCE_SECONDS,
        requiredClaims: ['exp'],
      });
      return payload;
    } catch {
      return null;
    }
  }

  /** Null for anything that is not a token of ours, or no longer one. */
  async verify(token: string): Promise<Claims | null> {
    const known = this.#read.get(token);
    if (known) return known.end > Date.now() ? known : null;
    const payload = await this.payload(token);
    const claims = payload && claimsOf(payload);
    if (claims) this.#read.set(token, claims);
    return claims;
  }
}

function claimsOf({ id, userId, sessionId, type, iat, exp }: Record<string, unknown>): Claims | null {
  const named = userId ?? id;
  const user = typeof named === 'number' || (typeof named === 'string' && /^\d+$/.test(named)) ? Number(named) : 0;
  if (!Number.isInteger(user) || user < 1 || user > MAX_ID) return null;
  if (sessionId !== undefined && (typeof sessionId !== 'string' || !SESSION_ID.test(sessionId))) return null;
  if (type !== undefined && type !== 'access' && type !== 'refresh') return null;
  const begin = beginOf(iat, type === 'refresh');
  if (begin === null) return null;
  return {
    userId: user,
    sessionId: sessionId ?? null,
    kind: type ?? 'access',
    issuedAt: Math.round(begin * 1000),
    end: (Number(exp) + TOLERANCE_SECONDS) * 1000,
  };
}

/** In seconds; null where it cannot be. Strapi 5 issues refresh tokens without it, whose session tells when they began. */
function beginOf(iat: unknown, isOptional: boolean): number | null {
  if (iat === undefined && isOptional) return 0;
  return typeof iat === 'number' && iat <= Date.now() / 1000 + TOLERANCE_SECONDS ? iat : null;
}
