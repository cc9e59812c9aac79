// Places for the values that a statement binds when it is run.
import { sql } from 'kysely';
import type { Dialect, Fragment } from './dialect.ts';

export const boundValue = (): Fragment => sql`${sql.val(null)}`;

/** `in` a list that is bound as one value. */
export const inBoundList = (dialect: Dialect, type: 'integer' | 'text' = 'integer'): Fragment =>
  dialect.inFew(sql`select value from ${dialect.listTable(boundValue(), 'l', type)}`);

export const columnList = (columns: readonly string[]): Fragment =>
  sql`${sql.join(columns.map((column) => sql.id(column)))}`;
