// What a new database starts with: the settings, roles and locales that Strapi 5 makes at its own first start,
// and the marks by which it knows that its migrations have nothing left to do here.
import { createId } from '@paralleldrive/cuid2';
import { DEFAULT_GRANTS } from '../access/actions.ts';
import { DEFAULT_LOCALE_SETTING, MIGRATIONS_TABLE, OWN_SETTINGS, SETTINGS_TABLE } from '../model/tables.ts';
import type { Dialect } from '../sql/dialect.ts';
import { type GrantStatements, roleGrants } from '../sql/grant-statements.ts';
import { instantColumns, STAMPS, textColumns } from '../sql/row-columns.ts';
import type { BoundValue, Row, Statement } from '../sql/statement.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import type { Session } from './database.ts';

const MIGRATIONS = [
  '5.0.0-rename-identifiers-longer-than-max-length',
  '5.0.0-02-created-document-id',
  '5.0.0-03-created-locale',
  '5.0.0-04-created-published-at',
  '5.0.0-05-drop-slug-fields-index',
  '5.0.0-06-add-document-id-indexes',
  'core::5.0.0-discard-drafts',
  'admin::migrate-prefered-language-dk-to-da',
];
const ROLES = [
  ['Authenticated', 'Default role given to authenticated user.', 'authenticated'],
  ['Public', 'Default role given to unauthenticated user.', 'public'],
] as const;
export const DEFAULT_LOCALE = 'en';

/** `locales`: the codes that the project lists, the default first; null where it lists none. */
export async function bootstrap(session: Session, dialect: Dialect, locales: readonly string[] | null): Promise<void> {
  const now = Date.now();
  const sql = new WriteStatements(dialect);
  const run = <R extends Row>(statement: Statement<R>, ...values: BoundValue[]) => session.rows(statement, values);
  const migration = sql.insertRow(MIGRATIONS_TABLE, [...textColumns('name'), ...instantColumns('time')]);
  await Promise.all(MIGRATIONS.map((name) => run(migration, name, now)));
  const setting = sql.insertRow(SETTINGS_TABLE, textColumns('key', 'value', 'type'));
  await run(setting, DEFAULT_LOCALE_SETTING, JSON.stringify(locales?.[0] ?? DEFAULT_LOCALE), 'string');
  for (const code of locales ?? [DEFAULT_LOCALE]) await addLocale(session, dialect, code);
  const role = sql.insertRow('up_roles', [...textColumns('document_id', 'name', 'description', 'type'), ...STAMPS]);
  for (const [name, description, type] of ROLES) {
    const [row] = await run(role, createId(), name, description, type, now, now, now);
    await addGrants(session, roleGrants(dialect), row![0], DEFAULT_GRANTS[type]);
  }
  await run(sql.insertRow(OWN_SETTINGS, textColumns('key', 'value')), 'locales', locales ? 'listed' : 'open');
}

/** Grants actions to a role or an API token. */
export async function addGrants(
  session: Session,
  statements: GrantStatements,
  holder: number,
  actions: readonly string[],
): Promise<void> {
  if (actions.length === 0) return;
  const now = Date.now();
  const permissions = JSON.stringify(actions.map((action) => [createId(), action]));
  const rows = await session.rows(statements.addPermissions(), [now, now, now, permissions]);
  await session.rows(statements.link(), [holder, JSON.stringify(rows.map(([id]) => id))]);
}

/** Made when first needed: to load them takes longer than to open a database. */
let languageNames: Intl.DisplayNames | null = null;

/** The name of a language that exists, or undefined. */
export function localeName(code: string): string | undefined {
  try {
    languageNames ??= new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
    return languageNames.of(code);
  } catch {
    return undefined;
  }
}

/** What a locale is called where nobody says. */
export const defaultNameOf = (code: string): string => `${localeName(code) ?? code} (${code})`;

export async function addLocale(
  session: Session,
  dialect: Dialect,
  code: string,
  name = defaultNameOf(code),
): Promise<void> {
  const now = Date.now();
  const insert = new WriteStatements(dialect).insertRow('i18n_locale', [
    ...textColumns('document_id', 'name', 'code'),
    ...STAMPS,
  ]);
  await session.rows(insert, [createId(), name, code, now, now, now]);
}
