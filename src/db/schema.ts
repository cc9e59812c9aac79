// Brings a database in line with the model: makes what is missing, and never drops, renames or rewrites anything.
// What is there but does not fit is told with the way out.
import { SetupError } from '../errors.ts';
import { linkAttributes } from '../model/links.ts';
import {
  BUILT_IN,
  type ColumnType,
  type IndexDefinition,
  PUBLISHED_LISTS,
  type TableDefinition,
  tablesOf,
} from '../model/tables.ts';
import type { Model, ScalarType } from '../model/types.ts';
import { ACCOUNT_COLUMNS, OPTIONAL_ACCOUNT_COLUMNS, OPTIONAL_COLUMNS } from '../sql/account-statements.ts';
import {
  addColumn,
  addForeignKeys,
  countDoubles,
  createIndex,
  createTable,
  lockSchema,
  removeDoubles,
  trackingPart,
} from '../sql/ddl.ts';
import type { Dialect, Fragment } from '../sql/dialect.ts';
import { listName } from '../sql/link-names.ts';
import { PublicationStatements } from '../sql/publication-statements.ts';
import type { Statement } from '../sql/statement.ts';
import { errorCode, errorMessage } from '../type-guards.ts';
import { bootstrap } from './bootstrap.ts';
import type { Database, Session, TableDescription, Tables } from './database.ts';

export interface SchemaStep {
  /** What it does, for people. */
  readonly text: string;
  readonly statement: Statement;
  /** Of a unique index on a table that is there already: what it compares. */
  readonly unique?: { readonly table: string; readonly index: IndexDefinition };
}

export interface SchemaDiff {
  readonly steps: readonly SchemaStep[];
  /** What makes the database tell of changes that decide over callers. The server can do without. */
  readonly trackingSteps: readonly SchemaStep[];
  /** Whether the database holds no table of the model yet. */
  readonly isNew: boolean;
  /** Whether it holds content that was published before there were records of links. */
  readonly adopts: boolean;
  /** Columns whose type cannot hold what the model wants to keep in them. */
  readonly incompatibleColumns: readonly string[];
}

export const diffSchema = async (database: Database, model: Model): Promise<SchemaDiff> =>
  compareSchema(database.dialect, await database.describe(), model);

function compareSchema(dialect: Dialect, present: Tables, model: Model): SchemaDiff {
  const steps: SchemaStep[] = [];
  const incompatibleColumns: string[] = [];
  const tables = tablesOf(model);
  for (const table of tables) {
    const existing = present.get(dialect.storedName(table.name));
    if (!existing)
      steps.push({ text: `create table ${table.name} (${table.source})`, statement: createTable(dialect, table) });
    else compareColumns(table, existing);
  }
  for (const table of tables) {
    if (present.has(dialect.storedName(table.name))) continue;
    for (const [index, statement] of addForeignKeys(dialect, table).entries())
      steps.push({ text: `add foreign key ${table.foreignKeys[index]!.name} to ${table.name}`, statement });
  }
  for (const table of tables) {
    const existing = present.get(dialect.storedName(table.name));
    for (const index of table.indexes) {
      if (existing?.indexes.has(dialect.storedName(index.name))) continue;
      steps.push({
        text: `create ${index.unique ? 'unique ' : ''}index ${index.name} on ${table.name} (${index.columns.join(', ')})`,
        statement: createIndex(dialect, table.name, index),
        ...(existing && index.unique && { unique: { table: table.name, index } }),
      });
    }
  }
  const isNew = !tables.some(({ name }) => present.has(name));
  return {
    steps,
    trackingSteps: trackingSteps(dialect, present),
    incompatibleColumns,
    isNew,
    adopts: !isNew && !present.has(PUBLISHED_LISTS),
  };

  function compareColumns(table: TableDefinition, existing: TableDescription): void {
    for (const column of table.columns) {
      const { name, type } = column;
      const declared = existing.columns.get(dialect.storedName(name));
      if (declared === undefined)
        steps.push({
          text: `add column ${table.name}.${name} (${table.source})`,
          statement: addColumn(dialect, table, column),
        });
      else if (!fits(declared, type))
        incompatibleColumns.push(
          `${table.source}: the column ${table.name}.${name} is ${declared}, the attribute needs ${type}; ` +
            'give the attribute another name, or change the column by hand and start again',
        );
    }
  }
}

/** A function is there where a trigger is that calls it, since triggers depend on functions. */
function trackingSteps(dialect: Dialect, present: Tables): SchemaStep[] {
  if (!dialect.tracking) return [];
  const { table, createTable, functions, triggers } = dialect.tracking;
  const step = (text: string, part: Fragment): SchemaStep => ({ text, statement: trackingPart(dialect, part) });
  const missing = triggers.filter((trigger) => !present.get(trigger.table)?.triggers.has(trigger.name));
  return [
    ...(present.has(table) ? [] : [step(`create table ${table} (known callers)`, createTable)]),
    ...functions
      .filter(({ calledBy }) => triggers.every((one) => one.calls !== calledBy || missing.includes(one)))
      .map((one) => step(`create function ${one.name}`, one.create)),
    ...missing.map((one) => step(`create trigger ${one.name} on ${one.table}`, one.create)),
  ];
}

/** Families of declared types; a column of one cannot hold values of another. */
const FAMILIES: readonly [RegExp, string][] = [
  [/char|text/, 'text'],
  [/json/, 'json'],
  [/bool/, 'boolean'],
  [/timestamp|datetime/, 'instant'],
  [/^date/, 'date'],
  [/^time/, 'time'],
  [/int|serial/, 'integer'],
  [/float|double|real|numeric|decimal/, 'number'],
];
const NEEDED: Readonly<Record<ColumnType, readonly string[]>> = {
  id: ['integer'],
  string: ['text'],
  text: ['text'],
  json: ['json', 'text'],
  jsonText: ['json', 'text'],
  integer: ['integer', 'number'],
  bigint: ['integer'],
  double: ['number', 'integer'],
  decimal: ['number', 'integer'],
  boolean: ['boolean', 'integer'],
  date: ['date', 'text'],
  time: ['time', 'text'],
  datetime: ['instant', 'integer'],
};

const familyOf = (declared: string): string | undefined =>
  FAMILIES.find(([pattern]) => pattern.test(declared.toLowerCase()))?.[1];

function fits(declared: string, type: ColumnType): boolean {
  const family = familyOf(declared);
  return family === undefined || NEEDED[type].includes(family);
}

/** What a column of a declared type holds, where only the column tells. */
export function heldIn(declared: string): ScalarType {
  switch (familyOf(declared)) {
    case 'json':
      return 'json';
    case 'boolean':
      return 'boolean';
    case 'instant':
      return 'datetime';
    case 'date':
      return 'date';
    case 'time':
      return 'time';
    case 'integer':
      return /big|int8/i.test(declared) ? 'biginteger' : 'integer';
    case 'number':
      return /numeric|decimal/i.test(declared) ? 'decimal' : 'float';
    default:
      return /char/i.test(declared) ? 'string' : 'text';
  }
}

/** A table with the columns that reads need. */
interface ReadTable {
  readonly name: string;
  readonly source: string;
  readonly columns: readonly string[];
  /** Whether reads do without, where it is not there at all. */
  readonly isOptional: boolean;
}

/** What reads need: the tables of types that are served, but no passwords; and what decides over callers. */
function readTables(model: Model): ReadTable[] {
  const types = [...model.contentTypes.values()];
  const hidden = types.filter(({ exposure }) => exposure === 'hidden').map(({ uid }) => uid);
  // The source of a table is a type, with an attribute of it or what it is for.
  const belongsTo = (uid: string, source: string) => `${source} `.startsWith(`${uid} `) || source.startsWith(`${uid}.`);
  const passwords = new Set(
    types.flatMap(({ table, attributes }) =>
      [...attributes.values()].flatMap((attribute) =>
        attribute.kind === 'scalar' && attribute.type === 'password' ? [`${table}.${attribute.column}`] : [],
      ),
    ),
  );
  const content = tablesOf(model)
    .filter(({ source }) => source !== BUILT_IN && !hidden.some((uid) => belongsTo(uid, source)))
    .map(({ name, source, columns }) => ({
      name,
      source,
      columns: columns.map((column) => column.name).filter((column) => !passwords.has(`${name}.${column}`)),
      isOptional: false,
    }));
  const ofAccounts = (tables: typeof ACCOUNT_COLUMNS, isOptional: boolean): ReadTable[] =>
    Object.entries(tables).map(([name, columns]) => ({ name, source: BUILT_IN, columns, isOptional }));
  return [...content, ...ofAccounts(ACCOUNT_COLUMNS, false), ...ofAccounts(OPTIONAL_ACCOUNT_COLUMNS, true)];
}

/** What reads need and the database lacks, or its account may not read. Indexes, and what only writes need, do not count. */
export const missingForReads = async (database: Database, model: Model): Promise<string[]> =>
  missingAmong(await database.describe(), database.dialect, model);

function missingAmong(present: Tables, dialect: Dialect, model: Model): string[] {
  const stored = (name: string): string => dialect.storedName(name);
  return readTables(model).flatMap(({ name, source, columns, isOptional }) => {
    const existing = present.get(stored(name));
    if (!existing) return isOptional ? [] : [`the table ${name} (${source})`];
    const isMissing = (column: string) =>
      !existing.columns.has(stored(column)) || existing.unreadable.has(stored(column));
    // What is there has to be readable, or it would be taken for absent.
    const optional = [...existing.unreadable].filter((column) => OPTIONAL_COLUMNS.has(`${name}.${column}`));
    const missing = [...columns.filter(isMissing), ...optional];
    return missing.length >= columns.length
      ? [`the table ${name} (${source})`]
      : missing.map((column) => `the column ${name}.${column} (${source})`);
  });
}

/** Refuses a database, with these tables, that the model cannot be read from as it is. */
export function requireReadable(present: Tables, dialect: Dialect, model: Model): void {
  const { isNew, incompatibleColumns } = compareSchema(dialect, present, model);
  if (incompatibleColumns.length > 0)
    throw new SetupError('The database does not fit the content model:', incompatibleColumns);
  const makeThem = 'sheaf schema apply makes what is missing, with an account that may create tables';
  if (isNew)
    throw new SetupError('The database holds no content, and nothing is made where it is only read', [makeThem]);
  const missing = missingAmong(present, dialect, model);
  if (missing.length > 0)
    throw new SetupError('The database lacks what reading the content takes, or its account may not read it:', [
      ...missing,
      makeThem,
    ]);
}

export interface AppliedSchema extends SchemaDiff {
  /** The tables that are there now. */
  readonly present: Tables;
  /** Why the database does not tell of changes; null where it does, or tells of every write by itself. */
  readonly trackingRefusal: string | null;
}

/** Makes what is missing, in one transaction; says what it did. `known`: the tables, where they were just read. */
export async function applySchema(
  database: Database,
  model: Model,
  locales: readonly string[] | null,
  known?: Tables,
): Promise<AppliedSchema> {
  const present = known ?? (await database.describe());
  let diff = compareSchema(database.dialect, present, model);
  if (diff.incompatibleColumns.length > 0)
    throw new SetupError('The database does not fit the content model:', diff.incompatibleColumns);
  const isComplete = diff.steps.length === 0;
  if (!isComplete)
    await database.transaction(async (session) => {
      // Several nodes may start at once; the first makes what is missing, the others find it made.
      const lock = lockSchema(database.dialect);
      if (lock) await session.rows(lock, []);
      diff = await diffSchema(database, model);
      await takeSteps(session, database.dialect, diff.steps);
      if (diff.isNew) await bootstrap(session, database.dialect, locales);
      else if (diff.adopts) await adoptLists(session, database.dialect, model);
    }, WITHOUT_TIMEOUTS);
  const tracking =
    diff.trackingSteps.length === 0
      ? { trackingSteps: [], trackingRefusal: null }
      : await applyTracking(database, model);
  const isSame = isComplete && tracking.trackingSteps.length === 0;
  return { ...diff, ...tracking, present: isSame ? present : await database.describe() };
}

/**
 * Fails with everything that stands more than once where a unique index allows it once. A new database takes hundreds of
 * statements: they are sent one behind the other, and none waits for what the one before it says.
 */
async function takeSteps(session: Session, dialect: Dialect, steps: readonly SchemaStep[]): Promise<void> {
  const problems: string[] = [];
  const sent: Promise<unknown>[] = [];
  for (const { statement, unique } of steps) {
    const [doubles] = unique ? await session.rows(countDoubles(dialect, unique.table, unique.index), []) : [];
    if (unique && doubles![0] > 0)
      problems.push(
        `${unique.table} holds ${doubles![0]} of its (${unique.index.columns.join(', ')}) more than once; ` +
          `after a backup, this leaves the first of each: ${removeDoubles(dialect, unique.table, unique.index).sql}`,
      );
    else {
      const step = session.rows(statement, []);
      // Whoever waits for all of them is told.
      step.catch(() => undefined);
      sent.push(step);
    }
  }
  await Promise.all(sent);
  if (problems.length > 0) throw new SetupError('The database holds rows twice that its indexes allow once:', problems);
}

/** Makes tables that not every project has, as far as they are missing. Returns what it made. */
export async function addTables(database: Database, tables: readonly TableDefinition[]): Promise<readonly string[]> {
  const { dialect } = database;
  const lacking = async (): Promise<readonly TableDefinition[]> => {
    const present = await database.describe();
    return tables.filter(({ name }) => !present.has(dialect.storedName(name)));
  };
  if ((await lacking()).length === 0) return [];
  return database.transaction(async (session) => {
    const lock = lockSchema(dialect);
    if (lock) await session.rows(lock, []);
    const missing = await lacking();
    for (const table of missing) {
      await session.rows(createTable(dialect, table), []);
      for (const index of table.indexes) await session.rows(createIndex(dialect, table.name, index), []);
    }
    return missing.map(({ name }) => name);
  }, WITHOUT_TIMEOUTS);
}

const WITHOUT_TIMEOUTS = { withoutTimeouts: true };

/** States of PostgreSQL: the account lacks a right, the engine lacks the feature. */
const REFUSALS = new Set(['42501', '0A000']);

/** Makes what tells of changes, in a transaction of its own: a server whose account may not do so goes without. */
async function applyTracking(
  database: Database,
  model: Model,
): Promise<Pick<AppliedSchema, 'trackingSteps' | 'trackingRefusal'>> {
  let trackingSteps: readonly SchemaStep[] = [];
  try {
    await database.transaction(async (session) => {
      const lock = lockSchema(database.dialect);
      if (lock) await session.rows(lock, []);
      ({ trackingSteps } = await diffSchema(database, model));
      await Promise.all(trackingSteps.map(({ statement }) => session.rows(statement, [])));
    }, WITHOUT_TIMEOUTS);
    return { trackingSteps, trackingRefusal: null };
  } catch (error) {
    if (!REFUSALS.has(errorCode(error) ?? '')) throw error;
    return { trackingSteps: [], trackingRefusal: errorMessage(error) };
  }
}

/** The published lists of an adopted database are taken to be what their drafts held when they were published. */
async function adoptLists(session: Session, dialect: Dialect, model: Model): Promise<void> {
  const publications = new PublicationStatements(dialect);
  for (const type of model.contentTypes.values()) {
    if (!type.draftAndPublish) continue;
    for (const { link, target } of linkAttributes(type)) {
      const other = model.contentTypes.get(target)!;
      if (other.draftAndPublish)
        await session.rows(publications.adoptLists(link, type.table, other.table), [listName(link)]);
    }
  }
}
