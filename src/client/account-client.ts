// Users, and logging in and out.
import type { RequestOptions } from '../typing/client-options.ts';
import type { AnyRegistry } from '../typing/registry.ts';
import type { AuthClient, UsersClient } from '../typing/typed-client.ts';
import { SheafError } from './client-error.ts';
import type { ClientSession } from './client-session.ts';
import { dataIn, one, orNull } from './content-client.ts';
import type { Transport } from './transport.ts';

type Query = Readonly<Record<string, unknown>>;

/** Users are written and shown without an envelope; their list has one, unless the project says otherwise. */
export function usersClient({ read, send }: Transport) {
  const base = '/users';
  return {
    find: async (query?: Query, options?: RequestOptions) => {
      const found = await read(base, query, options);
      return Array.isArray(found) ? { data: found, meta: {} } : found;
    },
    findOne: async (id: string | number, query?: Query, options?: RequestOptions) =>
      orNull(read(one(base, id), query, options)),
    me: (query?: Query, options?: RequestOptions) => read(`${base}/me`, query, options),
    count: (query?: Query, options?: RequestOptions) => read(`${base}/count`, query, options),
    create: (body: unknown, query?: Query, options?: RequestOptions) =>
      send({ method: 'POST', path: base, body, query, options, repeat: 'once' }),
    update: async (id: string | number, body: unknown, query?: Query, options?: RequestOptions) =>
      send({ method: 'PUT', path: one(base, id), body, query, options, repeat: 'repeatable' }),
    delete: async (id: string | number, options?: RequestOptions) =>
      send({ method: 'DELETE', path: one(base, id), options, repeat: 'repeatable' }),
  } satisfies Record<keyof UsersClient<AnyRegistry>, unknown>;
}

export function authClient({ read, exchange, send }: Transport, session: ClientSession) {
  const base = '/auth';
  const post = async (path: string, body: unknown, options?: RequestOptions): Promise<void> => {
    await send({ method: 'POST', path: base + path, body, options, repeat: 'once' });
  };
  /** A request whose response begins a session. Only `isOwn` ones are sent by the user of the present one. */
  const begin = async (path: string, body: unknown, options?: RequestOptions, isOwn = false) => {
    const call = { method: 'POST', path: base + path, body, options, repeat: 'once', isAnonymous: !isOwn } as const;
    const exchanged = await exchange(call);
    session.follow(exchanged);
    return exchanged.content;
  };
  return {
    get session() {
      return session.current();
    },
    logIn: (body: unknown, options?: RequestOptions) => begin('/local', body, options),
    register: (body: unknown, options?: RequestOptions) => begin('/local/register', body, options),
    refresh: () => session.refresh(),
    logOut: async (body: unknown = {}, options?: RequestOptions) => {
      try {
        if (await session.token()) await post('/logout', body, options);
      } catch (error) {
        // It has ended already.
        if (!(error instanceof SheafError && error.status === 401)) throw error;
      } finally {
        session.end();
      }
    },
    sessions: async (options?: RequestOptions) => dataIn(await read(`${base}/sessions`, undefined, options)),
    endSession: async (id: string, options?: RequestOptions) => {
      await send({ method: 'DELETE', path: one(`${base}/sessions`, id), options, repeat: 'repeatable' });
    },
    changePassword: (body: unknown, options?: RequestOptions) => begin('/change-password', body, options, true),
    forgotPassword: (body: unknown, options?: RequestOptions) => post('/forgot-password', body, options),
    resetPassword: (body: unknown, options?: RequestOptions) => begin('/reset-password', body, options),
    sendEmailConfirmation: (body: unknown, options?: RequestOptions) => post('/send-email-confirmation', body, options),
  } satisfies Record<keyof AuthClient<AnyRegistry>, unknown>;
}
