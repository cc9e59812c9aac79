// The definitions that a database was last served with, kept in the database: what a start compares the project with.

import type { Database, Session, TableDescription } from '../db/database.ts';
import { OWN_SETTINGS, SETTINGS_TABLE } from '../model/tables.ts';
import type { Definition } from '../model/types.ts';
import type { Dialect } from '../sql/dialect.ts';
import { keepSetting, setStrapiSetting } from '../sql/migration-statements.ts';
import { plainStatement } from '../sql/statement.ts';
import type { Toggle } from './change.ts';

const KEY = 'servedDefinitions';
/** Definitions in another form are not compared. */
const FORMAT = 1;

const SERVED = plainStatement<readonly [value: string]>(`select value from ${OWN_SETTINGS} where key = '${KEY}'`);
/** Where Strapi 5 keeps the content-types of its last start. */
const STRAPI_TYPES = 'strapi_content_types_schema';
const STRAPI_SERVED = plainStatement<readonly [value: string]>(
  `select value from ${SETTINGS_TABLE} where key = '${STRAPI_TYPES}'`,
);

interface Served {
  readonly format: number;
  readonly definitions: readonly Definition[];
}

const written = (definitions: readonly Definition[]): string =>
  JSON.stringify({ format: FORMAT, definitions } satisfies Served);

/**
 * What the database was last served with: by us, or else by Strapi, which leaves the options of its content-types; of
 * everything else it is taken to fit `definitions`, those of the project. Null where nothing is known, or where it is
 * the same.
 */
export async function readServed(
  database: Database,
  present: ReadonlyMap<string, TableDescription>,
  definitions: readonly Definition[],
): Promise<readonly Definition[] | null> {
  const text = await settingOf(database, present, OWN_SETTINGS, SERVED);
  if (text === written(definitions)) return null;
  const served = text === null ? null : (JSON.parse(text) as Served);
  if (served?.format === FORMAT) return served.definitions;
  const strapi = await settingOf(database, present, SETTINGS_TABLE, STRAPI_SERVED);
  return strapi === null ? null : servedByStrapi(definitions, JSON.parse(strapi));
}

async function settingOf(
  database: Database,
  present: ReadonlyMap<string, TableDescription>,
  table: string,
  statement: typeof SERVED,
): Promise<string | null> {
  const columns = present.get(table);
  if (!columns || columns.unreadable.size > 0) return null;
  const [row] = await database.latest((session) => session.rows(statement, []));
  return row?.[0] ?? null;
}

/** A content-type as Strapi 5 keeps it. */
interface StrapiType {
  options?: { draftAndPublish?: unknown };
  pluginOptions?: { i18n?: { localized?: unknown } };
}

const servedByStrapi = (
  definitions: readonly Definition[],
  types: Readonly<Record<string, StrapiType>>,
): readonly Definition[] =>
  definitions.map((definition) => {
    const type = types[definition.uid];
    if (!type || definition.kind === 'component') return definition;
    return {
      ...definition,
      draftAndPublish: type.options?.draftAndPublish === true,
      localized: type.pluginOptions?.i18n?.localized === true,
    };
  });

/** Strapi 5 compares with what it served last as well, and would make the same change once more. */
export async function tellStrapi(session: Session, dialect: Dialect, kind: Toggle, uid: string): Promise<void> {
  const [row] = await session.rows(STRAPI_SERVED, []);
  if (!row) return;
  const types = JSON.parse(row[0]) as Record<string, StrapiType>;
  const type = types[uid];
  if (!type) return;
  const isOn = kind.endsWith('-on');
  if (kind.startsWith('drafts')) type.options = { ...type.options, draftAndPublish: isOn };
  else type.pluginOptions = { ...type.pluginOptions, i18n: { ...type.pluginOptions?.i18n, localized: isOn } };
  await session.rows(setStrapiSetting(dialect), [JSON.stringify(types), STRAPI_TYPES]);
}

export async function servedNow(session: Session): Promise<readonly Definition[] | null> {
  const [row] = await session.rows(SERVED, []);
  return row ? (JSON.parse(row[0]) as Served).definitions : null;
}

export async function keepServed(
  session: Session,
  database: Database,
  definitions: readonly Definition[],
): Promise<void> {
  await session.rows(keepSetting(database.dialect), [KEY, written(definitions)]);
}

/** Fails where the database is served with something else than it was when the change was planned. */
export async function requireServed(
  session: Session,
  definitions: readonly Definition[],
  problem: () => Error,
): Promise<void> {
  const [row] = await session.rows(SERVED, []);
  // A database that Strapi served has no definitions of ours yet.
  if (row && row[0] !== written(definitions)) throw problem();
}

/** Keeps what a start serves; a database that has it already is not written to. */
export async function noteServed(database: Database, definitions: readonly Definition[]): Promise<void> {
  const [row] = await database.latest((session) => session.rows(SERVED, []));
  if (row?.[0] === written(definitions)) return;
  await database.transaction((session) => keepServed(session, database, definitions));
}
