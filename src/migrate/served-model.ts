// The definitions that a database was last served with, kept in the database: what a start compares the project with.

import { createHash } from 'node:crypto';
import type { Database, Session, TableDescription } from '../db/database.ts';
import { columnName, identifier } from '../model/identifiers.ts';
import { OWN_SETTINGS, SETTINGS_TABLE } from '../model/tables.ts';
import type { AttributeDefinition, Definition } from '../model/types.ts';
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
  /** The mark of what Strapi had left at that time. */
  readonly strapi?: string;
}

/** What keepServed wrote. Its format tells whether the rest can be used. */
const servedIn = (text: string): Served => JSON.parse(text) as Served;

/** Null: Strapi has never served the database. */
const markOf = (strapi: string | null): string =>
  strapi === null ? 'none' : createHash('sha256').update(strapi).digest('hex');

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
 * What the database was last served with: by us, or by Strapi, which changes its tables and content at its start as
 * well. Of an adopted database the options of content-types are known, and all else is taken to fit `definitions`, those
 * of the project. Null where nothing is known, or where it is the same.
 */
export async function readServed(
  database: Database,
  present: ReadonlyMap<string, TableDescription>,
  definitions: readonly Definition[],
): Promise<LastServed | null> {
  const text = await settingOf(database, present, OWN_SETTINGS, SERVED);
  const served = text === null ? null : servedIn(text);
  const strapi = await settingOf(database, present, SETTINGS_TABLE, STRAPI_SERVED);
  if (served?.format === FORMAT) {
    const last = isOvertaken(served, strapi) ? leftByStrapi(served, definitions, strapiTypesIn(strapi)) : served;
    if (isSame(last.definitions, definitions)) return null;
    const { dialect } = database;
    const known = withReturned(last, definitions, ({ collectionName }, attribute) => {
      const table = present.get(dialect.storedName(identifier([collectionName])));
      return attribute === undefined
        ? table !== undefined
        : table?.columns.has(dialect.storedName(columnName(attribute))) === true;
    });
    return { definitions: known, recorded: served.definitions };
  }
  return strapi === null
    ? null
    : { definitions: definitions.map(optionsIn(strapiTypesIn(strapi))), recorded: definitions };
}

/** Whether Strapi has started with other content-types since. A record of an earlier version does not tell. */
const isOvertaken = (served: Served, strapi: string | null): strapi is string =>
  strapi !== null && served.strapi !== undefined && served.strapi !== markOf(strapi);

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
  attributes?: Readonly<Record<string, AttributeDefinition>>;
}

type StrapiTypes = Readonly<Record<string, StrapiType>>;

/** What Strapi 5 wrote. */
const strapiTypesIn = (text: string): StrapiTypes => JSON.parse(text) as StrapiTypes;

/** Gives a definition the options that Strapi served it with. */
const optionsIn =
  (types: StrapiTypes) =>
  (definition: Definition): Definition => {
    const type = types[definition.uid];
    if (!type || definition.kind === 'component') return definition;
    return {
      ...definition,
      draftAndPublish: type.options?.draftAndPublish === true,
      localized: type.pluginOptions?.i18n?.localized === true,
    };
  };

/**
 * What a later start of Strapi has made of what we served. It keeps no components: those of the project are taken to be
 * the ones it had. Types that it did not have are gone, with their tables.
 */
function leftByStrapi(served: Served, definitions: readonly Definition[], types: StrapiTypes): Served {
  const ours = new Map(served.definitions.map((definition) => [definition.uid, definition]));
  const known = new Map([...ours, ...definitions.map((definition) => [definition.uid, definition] as const)]);
  const isKnown = ({ target, component }: AttributeDefinition): boolean =>
    [target, component].every((uid) => uid === undefined || known.has(String(uid)));
  const left = [...known.values()].flatMap((definition): Definition[] => {
    if (definition.kind === 'component') return [definition];
    const { uid, attributes } = definition;
    if (!types[uid]) return [];
    const stored = types[uid].attributes ?? attributes;
    const names = Object.keys({ ...ours.get(uid)?.attributes, ...attributes }).filter((name) => name in stored);
    const attributeOf = (name: string): AttributeDefinition =>
      // Strapi replaces the type of a custom field by the one that it is stored as.
      attributes[name] && (attributes[name].type === 'customField' || !isKnown(stored[name]!))
        ? attributes[name]
        : stored[name]!;
    return [
      {
        ...optionsIn(types)(definition),
        attributes: Object.fromEntries(names.map((name) => [name, attributeOf(name)])),
      },
    ];
  });
  return { ...served, definitions: left };
}

/** Strapi 5 compares with what it served last as well, and would make the same change once more. */
export async function tellStrapi(session: Session, dialect: Dialect, kind: Toggle, uid: string): Promise<void> {
  const [row] = await session.rows(STRAPI_SERVED, []);
  if (!row) return;
  const types = strapiTypesIn(row[0]);
  const type = types[uid];
  if (!type) return;
  const isOn = kind.endsWith('-on');
  if (kind.startsWith('drafts')) type.options = { ...type.options, draftAndPublish: isOn };
  else type.pluginOptions = { ...type.pluginOptions, i18n: { ...type.pluginOptions?.i18n, localized: isOn } };
  await session.rows(setStrapiSetting(dialect), [JSON.stringify(types), STRAPI_TYPES]);
}

export async function servedNow(session: Session): Promise<readonly Definition[] | null> {
  const [row] = await session.rows(SERVED, []);
  return row ? servedIn(row[0]).definitions : null;
}

export async function keepServed(
  session: Session,
  database: Database,
  definitions: readonly Definition[],
): Promise<void> {
  const [row] = await session.rows(SERVED, []);
  const served = row ? servedIn(row[0]) : null;
  const gone = served?.format === FORMAT ? goneFrom(served, definitions) : [];
  const strapi = await strapiMark(session);
  const next: Served = { format: FORMAT, definitions, ...(gone.length > 0 && { gone }), strapi };
  await session.rows(keepSetting(database.dialect), [KEY, JSON.stringify(next)]);
}

async function strapiMark(session: Session): Promise<string> {
  const [row] = await session.rows(STRAPI_SERVED, []);
  return markOf(row?.[0] ?? null);
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
  const isKept = await database.latest(async (session) => {
    const [row] = await session.rows(SERVED, []);
    const served = row ? servedIn(row[0]) : null;
    return served !== null && isSame(served.definitions, definitions) && served.strapi === (await strapiMark(session));
  });
  if (!isKept) await database.transaction((session) => keepServed(session, database, definitions));
}
