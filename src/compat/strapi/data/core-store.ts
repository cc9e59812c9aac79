// `strapi.store({ type, name, key })`: values of the project in `strapi_core_store_settings`, one row each.
import { readAccountSettings } from '../../../accounts/account-settings.ts';
import { defaultMails } from '../../../accounts/mail-templates.ts';
import type { Database } from '../../../db/database.ts';
import { ACCOUNT_SETTINGS, MAILS } from '../../../sql/account-statements.ts';
import { coreStoreStatements } from '../../../sql/core-store-statements.ts';

export interface StoreAddress {
  readonly type?: string;
  readonly name?: string;
  readonly key?: string;
}

export interface StoreValue extends StoreAddress {
  readonly value?: unknown;
}

export interface CoreStore {
  get(address?: StoreAddress): Promise<unknown>;
  set(value: StoreValue): Promise<void>;
  delete(address?: StoreAddress): Promise<void>;
}

type Store = ((address?: StoreAddress) => CoreStore) & CoreStore;

/** Each member of an address may be given with the store or with the call. */
export function createStore(database: Database): Store {
  const { read, update, insert, remove } = coreStoreStatements(database.dialect);
  const at = (given: StoreAddress): CoreStore => ({
    async get(address = {}) {
      const key = keyOf({ ...given, ...address });
      const [row] = await database.latest((session) => session.rows(read, [key]));
      if (row) return storedValue(row[0], row[1]);
      // Strapi stores these when it first begins, so that code finds them.
      return storedAtFirst(key);
    },
    async set({ value, ...address }) {
      const key = keyOf({ ...given, ...address });
      const values = [JSON.stringify(value ?? null), typeOf(value), key] as const;
      await database.transaction(async (session) => {
        if ((await session.rows(update, values)).length === 0) await session.rows(insert, values);
      });
    },
    async delete(address = {}) {
      await database.transaction((session) => session.rows(remove, [keyOf({ ...given, ...address })]));
    },
  });
  return Object.assign((address: StoreAddress = {}) => at(address), at({}));
}

function storedAtFirst(key: string): unknown {
  if (key === ACCOUNT_SETTINGS) return { ...readAccountSettings(null) };
  return key === MAILS ? defaultMails() : null;
}

function keyOf({ type = 'core', name, key }: StoreAddress): string {
  return [type, name, key].filter((part) => part !== undefined && part !== '').join('_');
}

const typeOf = (value: unknown): string => (Array.isArray(value) ? 'array' : typeof value);

/** As it was set; what cannot be read as JSON stays text. */
function storedValue(value: string | null, type: string | null): unknown {
  if (value === null) return null;
  if (type === 'string' && !value.startsWith('"')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
