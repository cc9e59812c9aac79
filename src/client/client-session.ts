// The session of a client: the token that its requests are sent with, renewed before it ends, and after it was refused.

import { isObject } from '../type-guards.ts';
import type { ClientOptions, Session } from '../typing/client-options.ts';
import { SheafError } from './client-error.ts';
import type { Exchanged, Identity, Transport } from './transport.ts';

/** Milliseconds before its end at which a token is renewed, so that a request does not arrive with one that has ended. */
const RENEWAL_MARGIN_MS = 30_000;

export interface ClientSession extends Identity {
  current(): Session | null;
  /** Goes on with the tokens of a response, if it has any. */
  follow(exchanged: Exchanged): void;
  end(): void;
  /** Renews the session; requests that ask at the same time share it, since a refresh token is good for one use. */
  refresh(): Promise<Session>;
}

/** `transport`: asked for when it is needed, since it sends requests in the name of the session. */
export function createSession(given: ClientOptions, transport: () => Transport): ClientSession {
  let session = given.session ?? null;
  let renewAt = session ? renewalOf(session.jwt, null) : Infinity;
  let renewing: Promise<Session> | null = null;

  const change = (next: Session | null, received: number | null = null): void => {
    session = next;
    renewAt = next ? renewalOf(next.jwt, received) : Infinity;
    given.onSession?.(next);
  };
  const follow: ClientSession['follow'] = ({ response, content }) => {
    const { jwt, refreshToken = cookieIn(response) } = isObject(content) ? content : {};
    if (typeof jwt === 'string') change({ jwt, ...(typeof refreshToken === 'string' && { refreshToken }) }, Date.now());
  };

  const renewed = async (): Promise<Session> => {
    const before = session;
    const body = { refreshToken: before?.refreshToken };
    const call = { method: 'POST', path: '/auth/refresh', body, repeat: 'once', isAnonymous: true } as const;
    try {
      const exchanged = await transport().exchange(call);
      // Who logs in or out meanwhile goes before it.
      if (session === before) follow(exchanged);
    } catch (error) {
      // Refused: it has ended. Where the server was not reached, it may go on later.
      const isOver = error instanceof SheafError && [400, 401, 403].includes(error.status);
      if (session && session === before && isOver) change(null);
      throw error;
    }
    if (session) return session;
    throw new SheafError('The session has ended', { name: 'UnauthorizedError', status: 401 });
  };
  const refresh = (): Promise<Session> => {
    // Pages of one browser share the cookie, so they take turns.
    renewing ??= (session?.refreshToken === undefined ? inTurn(given.url, renewed) : renewed()).finally(() => {
      renewing = null;
    });
    return renewing;
  };

  return {
    current: () => session,
    follow,
    refresh,
    end: () => {
      if (session) change(null);
    },
    token: async () => {
      // What keeps it from being renewed is told by the request itself, if it matters.
      if (session && Date.now() >= renewAt) await refresh().catch(() => undefined);
      if (session) return session.jwt;
      return (typeof given.token === 'function' ? await given.token() : given.token) ?? null;
    },
    renew: async (refused) => {
      if (!session) return false;
      if (session.jwt !== refused) return true;
      await refresh().catch(() => undefined);
      return session !== null && session.jwt !== refused;
    },
  };
}

/**
 * When a token is to be renewed. Its life is counted from when it was received: the clock here may be wrong. Of one that
 * was kept, only its end is known.
 */
function renewalOf(jwt: string, received: number | null): number {
  try {
    const { iat, exp } = JSON.parse(atob(jwt.split('.')[1]!.replace(/-/g, '+').replace(/_/g, '/')));
    const life = (exp - iat) * 1000;
    const end = received === null ? exp * 1000 : received + life;
    return Number.isNaN(end) ? Infinity : end - Math.min(RENEWAL_MARGIN_MS, life / 2);
  } catch {
    return Infinity;
  }
}

/** The refresh token that a response sets as a cookie. Browsers keep it to themselves; elsewhere nobody keeps it. */
function cookieIn({ headers }: Response): string | undefined {
  const values = headers.getSetCookie?.().map((cookie) => /^[^=]*=([^;]*)/.exec(cookie)?.[1] ?? '');
  return values?.find((value) => value.split('.').length === 3);
}

function inTurn<T>(url: string, work: () => Promise<T>): Promise<T> {
  const { navigator } = globalThis;
  // The types promise more than there is everywhere: older versions of Node have no locks.
  return navigator?.locks ? navigator.locks.request(`sheaf ${url}`, work) : work();
}
