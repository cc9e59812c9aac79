// What the rest of the program needs of a database: statements with their values bound, rows of columns in order,
// reads that see one state of the data, and writes that happen whole or not at all.
import type { Dialect } from '../sql/dialect.ts';
import type { BoundValue, Row, Statement } from '../sql/statement.ts';

/** The code of an error by which the work of a transaction asks to be begun again. */
export const RESTART = 'restart';

/** Something that runs statements: a snapshot, or a transaction under way. */
export interface Session {
  rows<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<readonly R[]>;
}

/** Tables, their columns with declared types, and index names, as the database has them. */
export interface TableDescription {
  readonly columns: ReadonlyMap<string, string>;
  readonly indexes: ReadonlySet<string>;
}

export interface DatabaseHealth {
  /** Each replica with the seconds it is behind, or null where it does not answer. */
  readonly replicas: readonly { readonly name: string; readonly lagSeconds: number | null }[];
}

export interface Watch {
  /** Another number whenever something may have been written since it was last asked for. */
  changeCounter(): number;
  /** Whether the counter covers everything that anyone writes; otherwise it covers changes of grants alone. */
  readonly coversAllWrites: boolean;
}

export interface Database {
  readonly dialect: Dialect;
  /**
   * All statements of `work` see the same state of the data: one that is not older than `after`, a position that
   * an earlier write was told. `single`: there is only one statement, which does so by itself.
   */
  snapshot<T>(work: (session: Session) => Promise<T>, after?: string | null, single?: boolean): Promise<T>;
  /** The same on the newest state there is, never on a replica's; for what must not be out of date. */
  latest<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** How far writes have come, for a client that will read elsewhere; null where every reader sees every write. */
  replicationPosition(): Promise<string | null>;
  /** Whether the database answers, and how far its replicas are behind; throws where it does not. */
  check(): Promise<DatabaseHealth>;
  /** All statements of `work` take effect together, or none does. `withoutTimeouts`: however long they take. */
  transaction<T>(work: (session: Session) => Promise<T>, withoutTimeouts?: boolean): Promise<T>;
  /** The database's own account of how it would run the statement, a line each. */
  explain(statement: Statement, values: readonly BoundValue[]): Promise<readonly string[]>;
  /**
   * Begins to watch for what other processes write. A database that cannot tell what other programs write calls
   * `onPoll` from time to time.
   */
  watch(onPoll: () => void): Promise<Watch>;
  describe(): Promise<ReadonlyMap<string, TableDescription>>;
  close(): Promise<void>;
}
