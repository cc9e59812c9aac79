// Settings in the database that reading and writing depend on: the locales of the project.
import { DEFAULT_LOCALE_SETTING, OWN_SETTINGS, SETTINGS_TABLE } from '../model/tables.ts';
import type { DecimalColumns } from '../plan/write/plan-write.ts';
import type { Dialect } from '../sql/dialect.ts';
import { plainStatement } from '../sql/statement.ts';
import { addLocale, DEFAULT_LOCALE, localeName } from './bootstrap.ts';
import type { Database, Session, Tables } from './database.ts';

const DEFAULT = plainStatement<readonly [value: string | null]>(
  `select value from ${SETTINGS_TABLE} where key = '${DEFAULT_LOCALE_SETTING}'`,
);
const CODES = plainStatement<readonly [code: string]>('select code from i18n_locale');
const OPENNESS = plainStatement<readonly [value: string]>(`select value from ${OWN_SETTINGS} where key = 'locales'`);

/** The locale of a localized entry when a request names none. */
export async function readDefaultLocale(session: Session): Promise<string> {
  const [row] = await session.rows(DEFAULT, []);
  return defaultLocaleIn(row?.[0]);
}

/** The default locale as it is stored. */
export function defaultLocaleIn(stored: string | null | undefined): string {
  try {
    const value: unknown = JSON.parse(String(stored));
    return typeof value === 'string' ? value : DEFAULT_LOCALE;
  } catch {
    return DEFAULT_LOCALE;
  }
}

/** Whether another program made the database: one that is made here says which locales it takes. */
export async function isAdopted(database: Database): Promise<boolean> {
  if (database.isReadOnly && !(await database.describe()).has(OWN_SETTINGS)) return true;
  return (await database.snapshot((session) => session.rows(OPENNESS, []))).length === 0;
}

/** Whether the project has a locale. */
export const hasLocale = async (session: Session, code: string): Promise<boolean> =>
  (await session.rows(CODES, [])).some((row) => row[0] === code);

/**
 * Whether content may be written in a locale. A project that lists its locales has those; one that lists none takes
 * on a language when it is first written in.
 */
export async function admitLocale(session: Session, dialect: Dialect, code: string): Promise<boolean> {
  if (await hasLocale(session, code)) return true;
  const [openness] = await session.rows(OPENNESS, []);
  if (openness?.[0] !== 'open' || localeName(code) === undefined) return false;
  await addLocale(session, dialect, code);
  return true;
}

const FIXED = /^numeric\((\d+),(\d+)\)$/;

/** Columns of decimals that keep a fixed number of digits, as Strapi 5 makes them on PostgreSQL. */
export function decimalColumns(tables: Tables): DecimalColumns {
  const columns = new Map<string, { precision: number; scale: number }>();
  for (const [table, { columns: types }] of tables)
    for (const [column, type] of types) {
      const [, precision, scale] = FIXED.exec(type) ?? [];
      if (scale !== undefined)
        columns.set(`${table}.${column}`, { precision: Number(precision), scale: Number(scale) });
    }
  return columns;
}
