// What the rest of the program needs of a database: statements with their values bound, rows of columns in order,
// reads that see one state of the data, and writes that happen whole or not at all.
import type { Dialect } from '../sql/dialect.ts';
import type { BoundValue, Row, Statement } from '../sql/statement.ts';

/** The code of an error by which the work of a transaction asks to be begun again. */
export const RESTART = 'restart';

/** The caller of a read or write was known by a mark that the database does not have any more. */
export class StaleCallerError extends Error {}

/** Something that runs statements: a snapshot, or a transaction under way. */
export interface Session {
  rows<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<readonly R[]>;
}

/** Tables, their columns with declared types, and index names, as the database has them. */
export interface TableDescription {
  readonly columns: ReadonlyMap<string, string>;
  /** Columns that this account may not read. */
  readonly unreadable: ReadonlySet<string>;
  readonly indexes: ReadonlySet<string>;
  readonly triggers: ReadonlySet<string>;
}

/** Tables by name. */
export type Tables = ReadonlyMap<string, TableDescription>;

export interface DatabaseHealth {
  /** Each replica with the seconds it is behind, or null where it does not answer. */
  readonly replicas: readonly { readonly name: string; readonly lagSeconds: number | null }[];
}

/** What a database is, for people. */
export interface DatabaseInfo {
  readonly kind: 'SQLite' | 'PostgreSQL';
  readonly version: string;
  /** Null where it is not told. */
  readonly bytes: number | null;
}

/** What the connections of this process do at the moment. */
export interface DatabaseUsage {
  readonly connections: number;
  readonly busy: number;
  /** Reads and writes that wait for a connection, or for their turn. */
  readonly waiting: number;
  /** Heavy reads on these connections. */
  readonly heavy: { readonly running: number; readonly waiting: number };
}

export interface Watch {
  /** Another number whenever something may have been written since it was last asked for. */
  changeCounter(): number;
  /**
   * What callers can be known by. `counter`: the counter covers everything that other processes write, and what this one
   * writes that decides over callers. `mark`: statements return a mark, which is another after every change that decides
   * over callers. `nothing`: each has to be asked for.
   */
  readonly knownBy: 'counter' | 'mark' | 'nothing';
  /** What the operator should know about it. */
  readonly note: string | null;
}

export interface ReadOptions {
  /** A position that an earlier write was told: the state of the data must not be older. */
  readonly after?: string | null | undefined;
  /** Whether there is only one statement, which sees one state of the data by itself. */
  readonly single?: boolean;
  /** The mark that the caller is known by: where the state of the data has another, the read fails as stale. */
  readonly knownBy?: string | null;
  /** Whether it may take long: then it waits for its turn among the few such reads at a time, and has a deadline. */
  readonly isHeavy?: boolean;
  /** Calls back when whoever asked has gone, so that nobody needs the answer any more. */
  readonly whenGone?: WhenGone | undefined;
  /** Is told how long the statements took. */
  readonly timer?: ReadTimer | undefined;
}

export interface ReadTimer {
  /** Whether processor time is meant, where that is known; otherwise the time by the clock will do. */
  readonly isExact: boolean;
  took(milliseconds: number): void;
}

export type WhenGone = (listener: () => void) => void;

export interface WriteOptions {
  /** As for reads. */
  readonly knownBy?: string | null;
  /** Whether statements may take however long they take. */
  readonly withoutTimeouts?: boolean;
}

/** Rows, and the mark of the state of the data that they are from; null where the database has no marks. */
export interface Marked<R extends Row> {
  readonly rows: readonly R[];
  readonly mark: string | null;
}

/** @internal */
export interface Database {
  readonly dialect: Dialect;
  /** Whether nothing is ever written to it: transactions are refused. */
  readonly isReadOnly: boolean;
  /** All statements of `work` see the same state of the data. */
  snapshot<T>(work: (session: Session) => Promise<T>, options?: ReadOptions): Promise<T>;
  /** The same on the newest state there is, never on a replica's; for what must not be out of date. */
  latest<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** One statement on the newest state, with its mark. */
  marked<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<Marked<R>>;
  /** The mark of the newest state. */
  mark(): Promise<string | null>;
  /** Another one after every commit, whoever's it is; null where only statements tell, see STATE in sql/compile-answer.ts. */
  commitState(): string | null;
  /** How far writes have come, for a client that will read elsewhere; null where every reader sees every write. */
  replicationPosition(): Promise<string | null>;
  /** Whether the database answers, and how far its replicas are behind; throws where it does not. */
  check(): Promise<DatabaseHealth>;
  /** All statements of `work` take effect together, or none does. */
  transaction<T>(work: (session: Session) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** The database's own account of how it would run the statement, a line each. */
  explain(statement: Statement, values: readonly BoundValue[]): Promise<readonly string[]>;
  /**
   * Begins to watch for what other processes write. A database that cannot tell what other programs write calls
   * `onPoll` from time to time.
   */
  watch(onPoll: () => void): Promise<Watch>;
  describe(): Promise<Tables>;
  /** How many rows each of the tables has, roughly. */
  countRows(tables: readonly string[]): Promise<ReadonlyMap<string, number>>;
  usage(): DatabaseUsage;
  info(): Promise<DatabaseInfo>;
  /** The file that other processes can read at the same time; null where there is none. */
  readonly file: string | null;
  close(): Promise<void>;
}
