// Definitions of tables → statements that make them.
import { sql } from 'kysely';
import type { ColumnDefinition, IndexDefinition, TableDefinition } from '../model/tables.ts';
import type { Dialect, Fragment } from './dialect.ts';
import type { Row, Statement } from './statement.ts';

const statement = <R extends Row = Row>(dialect: Dialect, text: Fragment): Statement<R> => ({
  sql: text.compile(dialect.composer).sql,
  bindings: [],
});

/** Keeps other nodes from changing the schema at the same time; null where they take turns anyway. */
export const lockSchema = (dialect: Dialect): Statement | null =>
  dialect.locking && statement(dialect, dialect.locking.schema);

/** A table, function or trigger that tells of changes. */
export const trackingPart = (dialect: Dialect, part: Fragment): Statement => statement(dialect, part);

export const createTable = (dialect: Dialect, table: TableDefinition): Statement =>
  statement(dialect, dialect.createTable(table));

/** The foreign keys of a table, where they are not made with it. */
export const addForeignKeys = (dialect: Dialect, table: TableDefinition): Statement[] =>
  dialect.addForeignKey
    ? table.foreignKeys.map((key) => statement(dialect, dialect.addForeignKey!(table.name, key)))
    : [];

export const addColumn = (dialect: Dialect, table: TableDefinition, { name, type }: ColumnDefinition): Statement => {
  const key = table.foreignKeys.find(({ column }) => column === name) ?? null;
  return statement(
    dialect,
    sql`alter table ${sql.table(table.name)} add column ${sql.id(name)} ${dialect.columnType(type, key)}`,
  );
};

export function createIndex(dialect: Dialect, table: string, index: IndexDefinition): Statement {
  const { name, columns, unique, types } = index;
  const keys = columns.map((column, position) => {
    const type = types?.[position];
    return type === undefined ? sql.id(column) : dialect.indexKey(sql.id(column), type);
  });
  return statement(
    dialect,
    sql`create ${unique ? sql`unique index` : sql`index`} ${sql.id(name)} on ${sql.table(table)} (${sql.join(keys)})`,
  );
}

const keysOf = ({ columns }: IndexDefinition): Fragment => sql.join(columns.map((column) => sql.id(column)));

/** Rows that a unique index would compare: a null is like no other value. */
const comparedBy = ({ columns }: IndexDefinition): Fragment =>
  sql.join(
    columns.map((column) => sql`${sql.id(column)} is not null`),
    sql` and `,
  );

/** How many values a table holds more than once that a unique index would hold once. */
export const countDoubles = (
  dialect: Dialect,
  table: string,
  index: IndexDefinition,
): Statement<readonly [count: number]> =>
  statement(
    dialect,
    sql`select cast(count(*) as integer) from (select 1 from ${sql.table(table)} where ${comparedBy(index)} group by ${keysOf(index)} having count(*) > 1) as doubles`,
  );

/** Leaves the first row of each. */
export const removeDoubles = (dialect: Dialect, table: string, index: IndexDefinition): Statement =>
  statement(
    dialect,
    sql`delete from ${sql.table(table)} where ${comparedBy(index)} and id not in (select min(id) from ${sql.table(table)} group by ${keysOf(index)})`,
  );
