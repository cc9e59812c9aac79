// What a change takes away or rewrites is kept in tables of ours, row by row, until it is released: what the rows were,
// and what the change made of them. So a change can be taken back, and what was written since is noticed.
import type { Database, Session } from '../db/database.ts';
import type { ColumnType, TableDefinition } from '../model/tables.ts';
import { addForeignKeys, createIndex, createTable } from '../sql/ddl.ts';
import type { Dialect } from '../sql/dialect.ts';
import {
  addPlainColumn,
  continueIds,
  copyChanged,
  copyTable,
  countDifferent,
  countRows,
  deleteAdded,
  dropColumn,
  dropTable,
  dropUnchanged,
  indexCopy,
  insertMissing,
  lastRow,
  rowsAfter,
  updateFrom,
} from '../sql/migration-statements.ts';
import type { Toggle } from './change.ts';
import { aroundIndexes } from './column-indexes.ts';
import { tellStrapi } from './served-model.ts';

/** How one part of a change is taken back. `before` and `after` are our tables with the rows as they were and became. */
export type UndoAction =
  | {
      readonly does: 'restoreRows';
      readonly table: string;
      readonly columns: readonly string[];
      readonly before: string;
      readonly after: string;
    }
  | {
      readonly does: 'restoreColumn';
      readonly table: string;
      readonly column: string;
      readonly type: ColumnType;
      readonly indexes: readonly string[];
      readonly before: string;
      readonly after: string;
    }
  | { readonly does: 'dropTable'; readonly table: string; readonly after: string; readonly columns: readonly string[] }
  | {
      readonly does: 'createTable';
      readonly table: TableDefinition;
      readonly columns: readonly string[];
      readonly before: string;
    }
  /** Drafts or locales of a type; `last`: its newest row then. Those that were made since do not fit without it. */
  | {
      readonly does: 'turnBack';
      readonly toggle: Toggle;
      readonly uid: string;
      readonly table: string;
      readonly last: number;
    };

const OPPOSITES: Readonly<Record<Toggle, Toggle>> = {
  'drafts-on': 'drafts-off',
  'drafts-off': 'drafts-on',
  'locales-on': 'locales-off',
  'locales-off': 'locales-on',
};

export class Aside {
  readonly #session: Session;
  readonly #dialect: Dialect;
  readonly #prefix: string;
  readonly #present: Awaited<ReturnType<Database['describe']>>;
  #count = 0;

  constructor(session: Session, dialect: Dialect, change: number, present: Awaited<ReturnType<Database['describe']>>) {
    this.#session = session;
    this.#dialect = dialect;
    this.#prefix = `sheaf_aside_${change}_`;
    this.#present = present;
  }

  #name(): string {
    return `${this.#prefix}${++this.#count}`;
  }

  columnsOf(table: string): string[] {
    return [...(this.#present.get(this.#dialect.storedName(table))?.columns.keys() ?? [])];
  }

  has(table: string): boolean {
    return this.#present.has(this.#dialect.storedName(table));
  }

  #run = (statement: Parameters<Session['rows']>[0]) => this.#session.rows(statement, []);

  /** Runs work that changes rows of tables, and keeps aside what it changed of them. */
  async around(tables: readonly string[], work: () => Promise<void>): Promise<UndoAction[]> {
    const watched = [...new Set(tables)].filter((table) => this.has(table));
    const copies = new Map<string, string>();
    for (const table of watched) {
      const before = this.#name();
      copies.set(table, before);
      await this.#run(copyTable(this.#dialect, table, before, this.columnsOf(table)));
      await this.#run(indexCopy(this.#dialect, before));
    }
    await work();
    const actions: UndoAction[] = [];
    for (const [table, before] of copies) {
      const columns = this.columnsOf(table);
      const after = this.#name();
      await this.#run(copyChanged(this.#dialect, { table, before, after }, columns));
      await this.#run(dropUnchanged(this.#dialect, table, before, columns));
      if ((await this.#isEmpty(before)) && (await this.#isEmpty(after))) {
        await this.#run(dropTable(this.#dialect, before));
        await this.#run(dropTable(this.#dialect, after));
      } else actions.push({ does: 'restoreRows', table, columns, before, after });
    }
    return actions;
  }

  async #isEmpty(table: string): Promise<boolean> {
    const [row] = await this.#session.rows(countRows(this.#dialect, table), []);
    return row![0] === 0;
  }

  /** Copies what a table holds, and drops it. */
  async drop(table: TableDefinition): Promise<UndoAction & { readonly does: 'createTable' }> {
    const before = this.#name();
    const columns = this.columnsOf(table.name);
    await this.#run(copyTable(this.#dialect, table.name, before, columns));
    await this.#run(dropTable(this.#dialect, table.name));
    return { does: 'createTable', table, columns, before };
  }

  /** Makes a table, has it filled, and keeps a copy of what it was filled with. */
  async create(table: TableDefinition, fill: () => Promise<void>): Promise<UndoAction> {
    await createWhole(this.#session, this.#dialect, table);
    await fill();
    const after = this.#name();
    const columns = table.columns.map(({ name }) => name);
    await this.#run(copyTable(this.#dialect, table.name, after, columns));
    await this.#run(indexCopy(this.#dialect, after));
    return { does: 'dropTable', table: table.name, after, columns };
  }

  /** What turns drafts or locales of a type back. */
  async turned(kind: Toggle, uid: string, table: string): Promise<UndoAction> {
    const [row] = await this.#session.rows(lastRow(this.#dialect, table), []);
    return { does: 'turnBack', toggle: OPPOSITES[kind], uid, table, last: row![0] };
  }

  /** Has a column converted, and keeps its values from before and after. */
  async column(
    {
      table,
      column,
      type,
      indexes,
    }: {
      readonly table: string;
      readonly column: string;
      readonly type: ColumnType;
      readonly indexes: readonly string[];
    },
    convert: () => Promise<void>,
  ): Promise<UndoAction> {
    const [before, after] = [this.#name(), this.#name()];
    await this.#run(copyTable(this.#dialect, table, before, ['id', column]));
    await convert();
    await this.#run(copyTable(this.#dialect, table, after, ['id', column]));
    await this.#run(indexCopy(this.#dialect, after));
    return { does: 'restoreColumn', table, column, type, indexes, before, after };
  }
}

async function createWhole(session: Session, dialect: Dialect, table: TableDefinition): Promise<void> {
  const statements = [
    createTable(dialect, table),
    ...addForeignKeys(dialect, table),
    ...table.indexes.map((index) => createIndex(dialect, table.name, index)),
  ];
  await Promise.all(statements.map((statement) => session.rows(statement, [])));
}

/** The copies that an action of taking back needs. */
export const copiesOf = (action: UndoAction): string[] =>
  [('before' in action && action.before) || null, ('after' in action && action.after) || null].filter(
    (name) => name !== null,
  );

/** How many rows were written since the change, by table. */
export async function writtenSince(
  session: Session,
  dialect: Dialect,
  actions: readonly UndoAction[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const action of actions) {
    if (action.does === 'createTable') continue;
    if (action.does === 'turnBack') {
      const made = await session.rows(rowsAfter(dialect, action.table), [action.last]);
      if (made.length > 0) found.set(action.table, made.length + (found.get(action.table) ?? 0));
      continue;
    }
    const columns = action.does === 'restoreColumn' ? ['id', action.column] : action.columns;
    const [row] = await session.rows(countDifferent(dialect, action.table, action.after, columns), []);
    // Of what the change made, rows may have been added as well.
    const [added] =
      action.does === 'restoreRows'
        ? [[0] as const]
        : await session.rows(countDifferent(dialect, action.after, action.table, columns), []);
    const count = Math.max(row![0], added![0]);
    if (count > 0) found.set(action.table, count);
  }
  return found;
}

/** Takes actions back, in one transaction with the caller's other statements. */
export async function takeBack(session: Session, dialect: Dialect, actions: readonly UndoAction[]): Promise<void> {
  const rows = actions.filter((action) => action.does === 'restoreRows');
  for (const { table, before, after } of rows) await session.rows(deleteAdded(dialect, table, before, after), []);
  for (const action of actions)
    if (action.does === 'dropTable') await session.rows(dropTable(dialect, action.table), []);
  for (const { table, before, columns } of rows) {
    await session.rows(insertMissing(dialect, table, before, columns), []);
    await session.rows(updateFrom(dialect, table, before, columns), []);
  }
  for (const action of actions) {
    if (action.does === 'createTable') {
      await createWhole(session, dialect, action.table);
      const known = new Set(action.table.columns.map(({ name }) => name));
      const columns = action.columns.filter((column) => known.has(column));
      await session.rows(insertMissing(dialect, action.table.name, action.before, columns), []);
      const follow = continueIds(dialect, action.table.name);
      if (follow) await session.rows(follow, []);
    }
    if (action.does === 'restoreColumn') {
      const { table, column, type, before } = action;
      await aroundIndexes(session, dialect, action, async () => {
        await session.rows(dropColumn(dialect, table, column), []);
        await session.rows(addPlainColumn(dialect, table, column, type), []);
        await session.rows(updateFrom(dialect, table, before, ['id', column]), []);
      });
    }
  }
  for (const action of actions)
    if (action.does === 'turnBack') await tellStrapi(session, dialect, action.toggle, action.uid);
  for (const name of actions.flatMap(copiesOf)) await session.rows(dropTable(dialect, name), []);
}
