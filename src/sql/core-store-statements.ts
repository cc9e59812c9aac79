// Statements about values that code of a project keeps beside Strapi's own settings.
import { sql } from 'kysely';
import { SETTINGS_TABLE } from '../model/tables.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { plainStatement, type Row, type Statement } from './statement.ts';

const value = (): Fragment => sql`${sql.val(null)}`;
const TABLE = sql.table(SETTINGS_TABLE);

export interface CoreStoreStatements {
  /** Values: the key. */
  readonly read: Statement<readonly [value: string | null, type: string | null]>;
  /** Values: the value, its type, the key. Returns a row where there was one. */
  readonly update: Statement;
  /** Values: the value, its type, the key. */
  readonly insert: Statement;
  /** Values: the key. */
  readonly remove: Statement;
}

export function coreStoreStatements({ composer }: Dialect): CoreStoreStatements {
  const statement = <R extends Row>(text: Fragment): Statement<R> => plainStatement<R>(text.compile(composer).sql);
  return {
    read: statement(sql`select value, type from ${TABLE} where key = ${value()} limit 1`),
    update: statement(
      sql`update ${TABLE} set value = ${value()}, type = ${value()} where key = ${value()} returning id`,
    ),
    insert: statement(sql`insert into ${TABLE} (value, type, key) values (${value()}, ${value()}, ${value()})`),
    remove: statement(sql`delete from ${TABLE} where key = ${value()}`),
  };
}
