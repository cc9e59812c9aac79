// Carries a new name through the database: tables, columns, indexes, and the values that name attributes and types. Nothing
// is copied; the opposite names take it back, whatever was written since.
import type { Database, Session } from '../db/database.ts';
import { SetupError } from '../errors.ts';
import { COMPONENT_COPIES, PUBLISHED_LISTS, SETTINGS_TABLE, type TableDefinition, tablesOf } from '../model/tables.ts';
import type { Definition, Model } from '../model/types.ts';
import { createIndex } from '../sql/ddl.ts';
import type { Dialect } from '../sql/dialect.ts';
import {
  countHeld,
  countRows,
  dropColumn,
  dropIndex,
  dropTable,
  recordChange,
  renameColumn,
  renameConstraint,
  renameTable,
  replaceBeginning,
  replaceValue,
  replaceValueWhere,
} from '../sql/migration-statements.ts';
import type { Statement } from '../sql/statement.ts';
import { listsOf } from '../store/publication-records.ts';
import { schemaOf, schemasOf } from './change.ts';
import type { Rebuild } from './plan.ts';
import { type Rename, renamed } from './rename.ts';
import { keepServed } from './served-model.ts';

export interface RenameWork {
  /** Before the new name. */
  readonly definitions: readonly Definition[];
  readonly rename: Rename;
  readonly rebuild: Rebuild;
}

export async function renameInDatabase(
  session: Session,
  database: Database,
  { definitions, rename, rebuild }: RenameWork,
): Promise<void> {
  const present = await database.describe();
  const { dialect } = database;
  const [from, to] = [rebuild(definitions), rebuild(renamed(definitions, rename))];
  const [before, after] = [tablesOf(from), tablesOf(to)];
  // Both are made of the same definitions in the same order, so that tables and columns pair up.
  const parts = new PartRename(session, dialect, present);
  for (const [index, table] of before.entries()) await parts.rename(table, after[index]!);
  const values = new ValueRename(session, dialect, { from, to });
  await values.rename(rename);
}

type Present = Awaited<ReturnType<Database['describe']>>;

/** Renames tables, columns, indexes and constraints. */
class PartRename {
  readonly #session: Session;
  readonly #dialect: Dialect;
  readonly #present: Present;

  constructor(session: Session, dialect: Dialect, present: Present) {
    this.#session = session;
    this.#dialect = dialect;
    this.#present = present;
  }

  #run(statement: Statement | null) {
    return statement ? this.#session.rows(statement, []) : null;
  }

  async rename(before: TableDefinition, after: TableDefinition): Promise<void> {
    const dialect = this.#dialect;
    const existing = this.#present.get(dialect.storedName(before.name));
    if (before.name !== after.name) await this.#table(before.name, after.name);
    for (const [index, { name }] of before.columns.entries()) {
      const to = after.columns[index]!.name;
      if (name === to) continue;
      if (existing?.columns.has(dialect.storedName(to))) await this.#makeRoom(after, to);
      await this.#run(renameColumn(dialect, after.name, name, to));
    }
    for (const [index, { name }] of before.indexes.entries()) {
      const other = after.indexes[index]!;
      if (name === other.name) continue;
      for (const one of [name, other.name]) await this.#run(dropIndex(dialect, one));
      await this.#run(createIndex(dialect, after.name, other));
    }
    for (const [index, { name }] of before.foreignKeys.entries()) {
      const to = after.foreignKeys[index]!.name;
      if (name !== to) await this.#run(renameConstraint(dialect, after.name, name, to));
    }
  }

  async #table(from: string, to: string): Promise<void> {
    const dialect = this.#dialect;
    if (this.#present.has(dialect.storedName(to))) {
      const [row] = await this.#session.rows(countRows(dialect, to), []);
      if (row![0] > 0) throw holdsOther(`the table ${to}`, row![0]);
      await this.#run(dropTable(dialect, to));
    }
    await this.#run(renameTable(dialect, from, to));
    const [key, named] = [`${from}_pkey`, `${to}_pkey`];
    if (this.#present.get(dialect.storedName(from))?.indexes.has(key))
      await this.#run(renameConstraint(dialect, to, key, named));
  }

  /** A column that is left of an attribute that had the name before is dropped where it holds nothing. */
  async #makeRoom(table: TableDefinition, column: string): Promise<void> {
    const dialect = this.#dialect;
    const [row] = await this.#session.rows(countHeld(dialect, table.name, column), []);
    if (row![0] > 0) throw holdsOther(`the column ${table.name}.${column}`, row![0]);
    for (const index of table.indexes)
      if (index.columns.includes(column)) await this.#run(dropIndex(dialect, index.name));
    await this.#run(dropColumn(dialect, table.name, column));
  }
}

const holdsOther = (what: string, rows: number): SetupError =>
  new SetupError(
    `The new name is taken: ${what} holds ${rows} ${rows === 1 ? 'row' : 'rows'} of an earlier attribute`,
    ['choose another name, or empty it by hand'],
  );

/** Where uids stand at the beginning of values: `<uid>.find`. */
const ACTION_COLUMNS = [
  ['up_permissions', 'action'],
  ['strapi_api_token_permissions', 'action'],
] as const;
/** Where values are uids. */
const UID_COLUMNS = [
  ['admin_permissions', 'subject'],
  ['strapi_history_versions', 'content_type'],
] as const;

/** Renames what is named by values of rows. */
class ValueRename {
  readonly #session: Session;
  readonly #dialect: Dialect;
  readonly #from: Model;
  readonly #to: Model;

  constructor(session: Session, dialect: Dialect, { from, to }: { readonly from: Model; readonly to: Model }) {
    this.#session = session;
    this.#dialect = dialect;
    this.#from = from;
    this.#to = to;
  }

  async rename(rename: Rename): Promise<void> {
    if (rename.what === 'attribute') await this.#attribute(rename);
    else await this.#schema(rename.from.uid, rename.to.uid);
    await this.#records();
  }

  #run(statement: Parameters<Session['rows']>[0], ...values: (string | number)[]) {
    return this.#session.rows(statement, values);
  }

  async #attribute({ uid, from, to }: Rename & { what: 'attribute' }): Promise<void> {
    const schema = schemaOf(this.#to, uid)!;
    const attribute = schema.attributes.get(to)!;
    if (attribute.kind === 'component' || attribute.kind === 'dynamiczone')
      await this.#run(replaceValue(this.#dialect, schema.componentTable, 'field'), to, from);
    if (attribute.kind === 'media' || (attribute.kind === 'relation' && attribute.storage === 'morph')) {
      const type = attribute.link.constants.find(({ column }) => column !== 'field')!;
      await this.#run(replaceValueWhere(this.#dialect, attribute.link.table, 'field', type.column), to, from, uid);
    }
  }

  async #schema(from: string, to: string): Promise<void> {
    for (const [table, column] of this.#typeColumns())
      await this.#run(replaceValue(this.#dialect, table, column), to, from);
    for (const [table, column] of UID_COLUMNS)
      if (tablesOf(this.#to).some(({ name }) => name === table))
        await this.#run(replaceValue(this.#dialect, table, column), to, from);
    const [beginning, length] = [`${from}.`, from.length + 1];
    for (const [table, column] of ACTION_COLUMNS)
      await this.#run(replaceBeginning(this.#dialect, table, column), `${to}.`, length, length, beginning);
    // What Strapi's admin keeps of how a type is shown.
    const shown = (uid: string): string =>
      `plugin_content_manager_configuration_${uid.includes('::') ? 'content_types' : 'components'}::${uid}`;
    await this.#run(replaceValue(this.#dialect, SETTINGS_TABLE, 'key'), shown(to), shown(from));
  }

  /** Columns that tell of which type or component the row is that they lead to. */
  #typeColumns(): [string, string][] {
    const found = new Map<string, [string, string]>();
    const add = (table: string, column: string): void => void found.set(`${table}.${column}`, [table, column]);
    for (const schema of schemasOf(this.#to)) {
      for (const attribute of schema.attributes.values()) {
        if (attribute.kind === 'component' || attribute.kind === 'dynamiczone')
          add(schema.componentTable, 'component_type');
        if (attribute.kind === 'morph' && !attribute.many) add(schema.table, 'target_type');
        if (attribute.kind === 'morph' && attribute.many)
          for (const { link } of attribute.targets)
            for (const { column } of link.constants) if (column !== 'field') add(link.table, column);
        if (attribute.kind === 'media')
          for (const { column } of attribute.link.constants) if (column !== 'field') add(attribute.link.table, column);
      }
    }
    return [...found.values()];
  }

  /** Names of recorded lists and of tables with copies. */
  async #records(): Promise<void> {
    const [before, after] = [schemasOf(this.#from), schemasOf(this.#to)];
    for (const [index, schema] of before.entries()) {
      const other = after[index]!;
      if (schema.table !== other.table)
        await this.#run(replaceValue(this.#dialect, COMPONENT_COPIES, 'component_table'), other.table, schema.table);
      const [lists, renamedLists] = [listsOf(schema), listsOf(other)];
      for (const [position, { list }] of lists.entries()) {
        const renamed = renamedLists[position]!.list;
        if (list !== renamed) await this.#run(replaceValue(this.#dialect, PUBLISHED_LISTS, 'list'), renamed, list);
      }
    }
  }
}

/** Renames in one transaction, on record. */
export async function applyRename(
  database: Database,
  rebuild: Rebuild,
  definitions: readonly Definition[],
  rename: Rename,
): Promise<void> {
  const summary =
    rename.what === 'attribute'
      ? `${rename.uid}.${rename.from} is called ${rename.to}`
      : `${rename.from.uid} is called ${rename.to.uid}`;
  const id = rename.what === 'attribute' ? `rename:${rename.uid}.${rename.from}` : `rename:${rename.from.uid}`;
  await database.transaction(
    async (session) => {
      await renameInDatabase(session, database, { definitions, rename, rebuild });
      await session.rows(recordChange(database.dialect), [
        id,
        summary,
        JSON.stringify(rename),
        JSON.stringify(definitions),
        Date.now(),
      ]);
      await keepServed(session, database, renamed(definitions, rename));
    },
    { withoutTimeouts: true },
  );
}
