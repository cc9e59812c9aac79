// What the runner needs of a database: to run a statement with its values bound and get rows of columns in order.
import type { Dialect } from '../sql/dialect.ts';
import type { Statement } from '../sql/statement.ts';

export type BoundValue = string | number | bigint | null;
export type Row = readonly unknown[];

export interface Database {
  readonly dialect: Dialect;
  rows(statement: Statement, values: readonly BoundValue[]): Promise<readonly Row[]>;
  /** The database's own account of how it would run the statement, a line each. */
  explain(statement: Statement, values: readonly BoundValue[]): Promise<readonly string[]>;
  hasTable(name: string): Promise<boolean>;
  close(): Promise<void>;
}
