// The definitions that a database was last served with, kept in the database: what a start compares the project with.

import type { Database, Session, TableDescription } from '../db/database.ts';
import { columnName, identifier } from '../model/identifiers.ts';
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
  /** Types and attributes that are served no more, and of which the content is left: scalar attributes alone. */
  readonly gone?: readonly Definition[];
}

const isSame = (one: readonly Definition[], other: readonly Definition[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

/** Attributes that are kept in other tables. */
const ELSEWHERE: ReadonlySet<string> = new Set(['relation', 'component', 'dynamiczone', 'media', 'customField']);

const withAttributes = (definition: Definition, isKept: (name: string) => boolean): Definition => ({
  ...definition,
  indexes: [],
  attributes: Object.fromEntries(
    Object.entries(definition.attributes).filter(([name, { type }]) => !ELSEWHERE.has(type) && isKept(name)),
  ),
});

/** What was served until now, or before, and is not among these definitions. */
function goneFrom({ definitions, gone = [] }: Served, next: readonly Definition[]): Definition[] {
  const nextOf = new Map(next.map((definition) => [definition.uid, definition]));
  const missing = (definition: Definition): Definition[] => {
    const now = nextOf.get(definition.uid);
    const left = withAttributes(definition, (name) => !now || !(name in now.attributes));
    return now && Object.keys(left.attributes).length === 0 ? [] : [left];
  };
  const left = new Map(definitions.flatMap(missing).map((definition) => [definition.uid, definition]));
  for (const definition of gone.flatMap(missing)) {
    const other = left.get(definition.uid);
    const attributes = { ...definition.attributes, ...other?.attributes };
    left.set(definition.uid, { ...definition, ...other, attributes });
  }
  return [...left.values()];
}

/** What was served last, with what was served before and is back among the definitions of the project. */
function withReturned(
  { definitions, gone = [] }: Served,
  next: readonly Definition[],
  has: (definition: Definition, attribute?: string) => boolean,
): readonly Definition[] {
  const returned = gone.flatMap((definition): Definition[] => {
    const now = next.find(({ uid }) => uid === definition.uid);
    if (!now || !has(definition)) return [];
    const isBack = (name: string) => {
      const attribute = now.attributes[name];
      // One that is as it was is new like any other: it may be what another one is called now.
      const isOther = attribute?.type !== definition.attributes[name]!.type;
      return attribute !== undefined && isOther && !ELSEWHERE.has(attribute.type) && has(definition, name);
    };
    return [withAttributes(definition, isBack)];
  });
  const isServed = new Set(definitions.map(({ uid }) => uid));
  const more = (uid: string) => returned.find((one) => one.uid === uid)?.attributes;
  return [
    ...definitions.map((definition) => {
      const attributes = more(definition.uid);
      return attributes ? { ...definition, attributes: { ...attributes, ...definition.attributes } } : definition;
    }),
    ...returned.filter(({ uid }) => !isServed.has(uid)),
  ];
}

export interface LastServed {
  readonly definitions: readonly Definition[];
  /** The same as it is kept: without types and attributes that were away in between. */
  readonly recorded: readonly Definition[];
}

/**
 * What the database was last served with: by us, or else by Strapi, which leaves the options of its content-types; of
 * everything else it is taken to fit `definitions`, those of the project. Null where nothing is known, or where it is
 * the same.
 */
export async function readServed(
  database: Database,
  present: ReadonlyMap<string, TableDescription>,
  definitions: readonly Definition[],
): Promise<LastServed | null> {
  const text = await settingOf(database, present, OWN_SETTINGS, SERVED);
  const served = text === null ? null : (JSON.parse(text) as Served);
  if (served?.format === FORMAT) {
    if (isSame(served.definitions, definitions)) return null;
    const { dialect } = database;
    const known = withReturned(served, definitions, ({ collectionName }, attribute) => {
      const table = present.get(dialect.storedName(identifier([collectionName])));
      return attribute === undefined
        ? table !== undefined
        : table?.columns.has(dialect.storedName(columnName(attribute))) === true;
    });
    return { definitions: known, recorded: served.definitions };
  }
  const strapi = await settingOf(database, present, SETTINGS_TABLE, STRAPI_SERVED);
  return strapi === null
    ? null
    : { definitions: servedByStrapi(definitions, JSON.parse(strapi)), recorded: definitions };
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
  const [row] = await session.rows(SERVED, []);
  const served = row ? (JSON.parse(row[0]) as Served) : null;
  const gone = served?.format === FORMAT ? goneFrom(served, definitions) : [];
  const next: Served = { format: FORMAT, definitions, ...(gone.length > 0 && { gone }) };
  await session.rows(keepSetting(database.dialect), [KEY, JSON.stringify(next)]);
}

/** Fails where the database is served with something else than it was when the change was planned. */
export async function requireServed(
  session: Session,
  definitions: readonly Definition[],
  problem: () => Error,
): Promise<void> {
  const served = await servedNow(session);
  // A database that Strapi served has no definitions of ours yet.
  if (served && !isSame(served, definitions)) throw problem();
}

/** Keeps what a start serves; a database that has it already is not written to. */
export async function noteServed(database: Database, definitions: readonly Definition[]): Promise<void> {
  const served = await database.latest(servedNow);
  if (served && isSame(served, definitions)) return;
  await database.transaction((session) => keepServed(session, database, definitions));
}
