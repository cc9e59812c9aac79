// Settings that the reference keeps in the database and that reading depends on.

import type { Statement } from '../sql/statement.ts';
import type { Database } from './database.ts';

const STORE = 'strapi_core_store_settings';
const SETTING: Statement = { sql: `select value from ${STORE} where key = ?`, bindings: [] };
const FALLBACK_LOCALE = 'en';

/** The locale of a localized entry when a request names none. */
export async function readDefaultLocale(database: Database): Promise<string> {
  if (!(await database.hasTable(STORE))) return FALLBACK_LOCALE;
  const [row] = await database.rows(SETTING, ['plugin_i18n_default_locale']);
  try {
    const value: unknown = JSON.parse(String(row?.[0]));
    return typeof value === 'string' ? value : FALLBACK_LOCALE;
  } catch {
    return FALLBACK_LOCALE;
  }
}
