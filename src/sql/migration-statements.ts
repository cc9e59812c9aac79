// Statements by which data follows a change of the model: copies that are kept aside, rows that are put back, links that
// are led to other rows, columns and tables under other names.
import { sql } from 'kysely';
import { type ColumnType, MODEL_CHANGES, OWN_SETTINGS, SETTINGS_TABLE } from '../model/tables.ts';
import type { ScalarType } from '../model/types.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { plainStatement, type Row, type Statement } from './statement.ts';

/** A value that is bound. */
export const value = (): Fragment => sql`${sql.val(null)}`;
export const statementOf = <R extends Row = Row>(dialect: Dialect, text: Fragment): Statement<R> =>
  plainStatement<R>(text.compile(dialect.composer).sql);
export const columnNames = (columns: readonly string[]): Fragment =>
  sql`${sql.join(columns.map((column) => sql.id(column)))}`;

/** Values: the key, the value. */
export const keepSetting = (dialect: Dialect): Statement =>
  statementOf(
    dialect,
    sql`insert into ${sql.table(OWN_SETTINGS)} (${sql.id('key')}, value) values (${value()}, ${value()}) on conflict (${sql.id('key')}) do update set value = excluded.value`,
  );

/** Values: the value, the key. */
export const setStrapiSetting = (dialect: Dialect): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(SETTINGS_TABLE)} set value = ${value()} where ${sql.id('key')} = ${value()}`,
  );

export const countRows = (dialect: Dialect, table: string): Statement<readonly [count: number]> =>
  statementOf(dialect, sql`select cast(count(*) as integer) from ${sql.table(table)}`);

export const countHeld = (dialect: Dialect, table: string, column: string): Statement<readonly [count: number]> =>
  statementOf(
    dialect,
    sql`select cast(count(*) as integer) from ${sql.table(table)} where ${sql.id(column)} is not null`,
  );

export const lastRow = (dialect: Dialect, table: string): Statement<readonly [id: number]> =>
  statementOf(dialect, sql`select cast(coalesce(max(id), 0) as integer) from ${sql.table(table)}`);

/** Values: an id. */
export const rowsAfter = (dialect: Dialect, table: string): Statement<readonly [id: number]> =>
  statementOf(dialect, sql`select id from ${sql.table(table)} where id > ${value()} order by id`);

// Copies

export const dropTable = (dialect: Dialect, table: string): Statement =>
  statementOf(dialect, sql`drop table ${sql.table(table)}`);

export const clearTable = (dialect: Dialect, table: string): Statement =>
  statementOf(dialect, sql`delete from ${sql.table(table)}`);

export const dropIndex = (dialect: Dialect, index: string): Statement =>
  statementOf(dialect, sql`drop index if exists ${sql.id(index)}`);

/** The indexes of a table, each with the statement that makes it. Values: the table. */
export const indexesOfTable = (dialect: Dialect): Statement<readonly [name: string, definition: string]> =>
  dialect.addForeignKey
    ? statementOf(
        dialect,
        sql`select indexname, indexdef from pg_indexes where schemaname = current_schema() and tablename = ${value()}`,
      )
    : statementOf(
        dialect,
        sql`select name, sql from sqlite_master where type = 'index' and sql is not null and tbl_name = ${value()}`,
      );

/** Copies whole rows, or columns of them, into a table that is made for it. */
export const copyTable = (dialect: Dialect, table: string, copy: string, columns: readonly string[]): Statement =>
  statementOf(dialect, sql`create table ${sql.table(copy)} as select ${columnNames(columns)} from ${sql.table(table)}`);

function isSameRow(dialect: Dialect, one: string, other: string, columns: readonly string[]): Fragment {
  // An index or a hash serves `=` alone.
  const same = columns.map((column) => {
    const [left, right] = [sql.id(one, column), sql.id(other, column)];
    return column === 'id' ? sql`${left} = ${right}` : sql`(${dialect.same(left, right)})`;
  });
  return sql`${sql.join(same, sql` and `)}`;
}

/** Copies the rows of a table that are not, or not like this, in a copy made before. */
export const copyChanged = (
  dialect: Dialect,
  { table, before, after }: { readonly table: string; readonly before: string; readonly after: string },
  columns: readonly string[],
): Statement =>
  statementOf(
    dialect,
    sql`create table ${sql.table(after)} as select ${columnNames(columns)} from ${sql.table(table)} as t where not exists (select 1 from ${sql.table(before)} as b where ${isSameRow(dialect, 'b', 't', columns)})`,
  );

/** Leaves in a copy what the table does not hold any more, or holds otherwise. */
export const dropUnchanged = (dialect: Dialect, table: string, before: string, columns: readonly string[]): Statement =>
  statementOf(
    dialect,
    sql`delete from ${sql.table(before)} where exists (select 1 from ${sql.table(table)} as t where ${isSameRow(dialect, 't', before, columns)})`,
  );

export const indexCopy = (dialect: Dialect, copy: string): Statement =>
  statementOf(dialect, sql`create index ${sql.id(`${copy}_id`)} on ${sql.table(copy)} (id)`);

/** How many rows of a copy the table holds no more, or holds otherwise. */
export const countDifferent = (
  dialect: Dialect,
  table: string,
  copy: string,
  columns: readonly string[],
): Statement<readonly [count: number]> =>
  statementOf(
    dialect,
    sql`select cast(count(*) as integer) from ${sql.table(copy)} as c where not exists (select 1 from ${sql.table(table)} as t where ${isSameRow(dialect, 't', 'c', columns)})`,
  );

/** Deletes the rows that are in one copy and not in another. */
export const deleteAdded = (dialect: Dialect, table: string, before: string, after: string): Statement =>
  statementOf(
    dialect,
    sql`delete from ${sql.table(table)} where id in (select id from ${sql.table(after)} as a where not exists (select 1 from ${sql.table(before)} as b where b.id = a.id))`,
  );

export const insertMissing = (dialect: Dialect, table: string, copy: string, columns: readonly string[]): Statement =>
  statementOf(
    dialect,
    sql`insert into ${sql.table(table)} (${columnNames(columns)}) select ${columnNames(columns)} from ${sql.table(copy)} as c where not exists (select 1 from ${sql.table(table)} as t where t.id = c.id)`,
  );

/** New ids of a table follow those it holds; null where they do so anyway. */
export const continueIds = (dialect: Dialect, table: string): Statement | null =>
  dialect.continueIds && statementOf(dialect, dialect.continueIds(table));

export function updateFrom(dialect: Dialect, table: string, copy: string, columns: readonly string[]): Statement {
  const sets = columns
    .filter((column) => column !== 'id')
    .map((column) => sql`${sql.id(column)} = ${sql.id('c', column)}`);
  return statementOf(
    dialect,
    sql`update ${sql.table(table)} as u set ${sql.join(sets)} from ${sql.table(copy)} as c where ${sql.id('u', 'id')} = c.id`,
  );
}

// Names and columns

export const renameTable = (dialect: Dialect, from: string, to: string): Statement =>
  statementOf(dialect, sql`alter table ${sql.table(from)} rename to ${sql.id(to)}`);

export const renameColumn = (dialect: Dialect, table: string, from: string, to: string): Statement =>
  statementOf(dialect, sql`alter table ${sql.table(table)} rename column ${sql.id(from)} to ${sql.id(to)}`);

/** Null where constraints have no names that could be changed. */
export const renameConstraint = (dialect: Dialect, table: string, from: string, to: string): Statement | null =>
  dialect.addForeignKey &&
  statementOf(dialect, sql`alter table ${sql.table(table)} rename constraint ${sql.id(from)} to ${sql.id(to)}`);

export const addPlainColumn = (dialect: Dialect, table: string, column: string, type: ColumnType): Statement =>
  statementOf(
    dialect,
    sql`alter table ${sql.table(table)} add column ${sql.id(column)} ${dialect.columnType(type, null)}`,
  );

export const dropColumn = (dialect: Dialect, table: string, column: string): Statement =>
  statementOf(dialect, sql`alter table ${sql.table(table)} drop column ${sql.id(column)}`);

export const copyColumn = (dialect: Dialect, table: string, from: string, to: string): Statement =>
  statementOf(dialect, sql`update ${sql.table(table)} set ${sql.id(to)} = ${sql.id(from)}`);

/** Values: the new one, the old one. */
export const replaceValue = (dialect: Dialect, table: string, column: string): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(table)} set ${sql.id(column)} = ${value()} where ${sql.id(column)} = ${value()}`,
  );

/** Values: the new one, the old one, what the other column holds. */
export const replaceValueWhere = (dialect: Dialect, table: string, column: string, where: string): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(table)} set ${sql.id(column)} = ${value()} where ${sql.id(column)} = ${value()} and ${sql.id(where)} = ${value()}`,
  );

/** Changes how values begin. Values: the new beginning, how long the old one is, the same, the old one. */
export const replaceBeginning = (dialect: Dialect, table: string, column: string): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(table)} set ${sql.id(column)} = cast(${value()} as varchar) || substr(${sql.id(column)}, cast(${value()} as integer) + 1) where substr(${sql.id(column)}, 1, cast(${value()} as integer)) = ${value()}`,
  );

/** A column of some rows, those after an id. Values: the id, how many. */
export const valuesAfter = (
  dialect: Dialect,
  table: string,
  column: string,
  type: ScalarType,
): Statement<readonly [id: number, value: unknown]> =>
  statementOf(
    dialect,
    sql`select id, ${dialect.rowOutput(sql.id(column), type)} from ${sql.table(table)} where id > ${value()} and ${sql.id(column)} is not null order by id limit ${value()}`,
  );

// What was changed

/** Values: the change, what it did, how to take it back, the definitions before it, the moment. */
export const recordChange = (dialect: Dialect): Statement<readonly [id: number]> =>
  statementOf(
    dialect,
    sql`insert into ${sql.table(MODEL_CHANGES)} (change, summary, undo, definitions, state, applied_at) values (${value()}, ${value()}, ${value()}, ${value()}, 'applied', ${dialect.input(value(), 'datetime')}) returning id`,
  );

/** Values: how to take it back, the change. */
export const setUndo = (dialect: Dialect): Statement =>
  statementOf(dialect, sql`update ${sql.table(MODEL_CHANGES)} set undo = ${value()} where id = ${value()}`);

export type ChangeRow = readonly [
  id: number,
  change: string,
  summary: string,
  undo: string,
  definitions: string,
  appliedAt: number,
];

/** Changes that can be taken back, the last first. */
export const appliedChanges = (dialect: Dialect): Statement<ChangeRow> =>
  statementOf(
    dialect,
    sql`select id, change, summary, undo, definitions, ${dialect.rowOutput(sql.id('applied_at'), 'datetime')} from ${sql.table(MODEL_CHANGES)} where state = 'applied' order by id desc`,
  );

/** Values: the state, the id. */
export const setChangeState = (dialect: Dialect): Statement =>
  statementOf(
    dialect,
    sql`update ${sql.table(MODEL_CHANGES)} set state = ${value()}, undo = null, definitions = null where id = ${value()}`,
  );
