// SQLite through node:sqlite: one connection that writes, a few that read. Readers never wait for the writer (WAL);
// writers take turns in this process, and wait for other processes without holding up the event loop.
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { readOnlyError, SetupError, unavailableError } from '../errors.ts';
import { MAX_BUSY_WAIT_MS, MAX_READERS, MAX_WAITING_WRITES } from '../limits.ts';
import { DECIDING_TABLES } from '../sql/access-changes.ts';
import { sqliteDialect } from '../sql/dialect-sqlite.ts';
import { type BoundValue, plainStatement, type Row, type Statement } from '../sql/statement.ts';
import { errorCode, errorMessage } from '../type-guards.ts';
import type {
  Database,
  DatabaseHealth,
  DatabaseInfo,
  DatabaseUsage,
  Marked,
  ReadOptions,
  ReadTimer,
  Session,
  TableDescription,
  Watch,
} from './database.ts';
import {
  Connection,
  codeOf,
  endQuietly,
  NO_WAITING,
  openReader,
  TAKE_LOCK,
  toClientError,
  whileBusy,
} from './sqlite-connection.ts';
import { Turns } from './turns.ts';

/** Longer than the clock of any file system takes from one reading to the next. */
const CLOCK_TICK_MS = 20;
/** Tables with smaller ids are not counted; beyond the second number it does not matter how many rows there are. */
const COUNTED_ROWS = 50_000;
const ENOUGH_ROWS = 1_000_000;
/** Of which one statement asks the largest id. */
const TABLES_AT_ONCE = 100;

const quoted = (table: string): string => `"${table.replaceAll('"', '""')}"`;
const ALIVE = plainStatement('select 1');

/** Of a read by a connection that may not write: another program died while it wrote, and has to put the file right. */
const READONLY = 8;

/**
 * How a database is opened. `create`: to read and write, and a file that is missing is made. `read`: nothing is written,
 * and it has to be there. `pretend`: nothing is written, and an empty one in memory stands in for a missing file.
 */
export type OpenMode = 'create' | 'read' | 'pretend';

const READING_NEEDS = [
  'expected a SQLite database file that this account may read',
  'if it is in WAL mode, its folder must be writable',
  'if a program died while it wrote, the file has to be opened by that program first',
];

export function openSqlite(file: string, mode: OpenMode): Database {
  const isReadOnly = mode !== 'create';
  const isMissing = isReadOnly && !existsSync(file);
  if (isMissing && mode === 'read')
    throw new SetupError(`There is no database ${file}`, ['sheaf start makes one, and so does sheaf schema apply']);
  try {
    if (!isReadOnly) createFile(file);
    const main = isMissing ? new Connection(':memory:') : new Connection(file, isReadOnly);
    // The first statement tells what is wrong with a file.
    main.exec(
      isReadOnly ? TAKE_LOCK : 'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on',
    );
    main.exec(NO_WAITING);
    return new Sqlite(isMissing ? null : file, main, isReadOnly);
  } catch (error) {
    throw new SetupError(
      `The database ${file} cannot be opened: ${errorMessage(error)}`,
      isReadOnly ? READING_NEEDS : ['expected a SQLite database file that this account may write'],
    );
  }
}

/**
 * Makes a missing file, and its folder, for this account alone: it holds hashes of passwords. SQLite gives the log beside
 * it the mode of the file.
 */
function createFile(file: string): void {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** SQLite makes it with the first statement, except where it cannot: on some network drives. */
function openLog(file: string): number {
  try {
    return openSync(`${file}-wal`, 'r');
  } catch (error) {
    throw new SetupError(`The log of the database ${file} cannot be read: ${errorMessage(error)}`, [
      'expected a database file on a local disk, whose folder this account may read and write',
    ]);
  }
}

/** Two that end at once each find the other still there; then they try again. */
const REMOVE_ATTEMPTS = 3;
const REMOVE_PAUSE_MS = 20;

/**
 * A connection that only reads cannot remove the log that it needed to read a file in WAL mode. Another can: SQLite then
 * removes it, unless anyone else has the file open. There is nothing in it that would have to be written.
 */
async function removeEmptyLog(file: string): Promise<void> {
  const isThere = (): boolean => {
    const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
    return log?.size === 0 && existsSync(file);
  };
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS && isThere(); attempt++) {
    if (attempt > 0) await sleep(REMOVE_PAUSE_MS * Math.random());
    try {
      const connection = new DatabaseSync(file);
      try {
        connection.exec(TAKE_LOCK);
      } finally {
        connection.close();
      }
    } catch {
      // This account may not remove it.
      return;
    }
  }
}

class Sqlite implements Database {
  readonly dialect = sqliteDialect;
  /** Null for one in memory. */
  readonly file: string | null;
  readonly isReadOnly: boolean;
  /** Writes, where anything is written; describes the database in any case. */
  readonly #writer: Connection;
  readonly #idle: Connection[] = [];
  readonly #turns = new Turns();
  readonly #waitingReads: ((connection: Connection | Promise<Connection>) => void)[] = [];
  #readers = 0;
  #waitingWrites = 0;
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** The open log of the file, where changes are watched for. */
  #log: number | null = null;
  /** Whether the transaction under way has written what decides over callers, and how many have. */
  #decides = false;
  #decisions = 0;
  #commits = 0;
  /** Whether anything was committed here since the log was last looked at. */
  #hasWritten = false;

  constructor(file: string | null, writer: Connection, isReadOnly: boolean) {
    this.file = file;
    this.isReadOnly = isReadOnly;
    this.#writer = writer;
  }

  snapshot<T>(work: (session: Session) => Promise<T>, { single = false, timer }: ReadOptions = {}): Promise<T> {
    return this.#read(work, single, timer);
  }

  latest<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#read(work, false);
  }

  async marked<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<Marked<R>> {
    return { rows: await this.#read((session) => session.rows(statement, values), false), mark: null };
  }

  async mark(): Promise<null> {
    return null;
  }

  /** The connection that writes is told of all commits but its own. */
  commitState(): string | null {
    const version = this.#writer.version();
    return Number.isNaN(version) ? null : `${version} ${this.#commits}`;
  }

  async #read<T>(work: (session: Session) => Promise<T>, single: boolean, timer?: ReadTimer): Promise<T> {
    // What is timed may take some milliseconds. If all that came at once ran at once, a small read would wait for all.
    if (timer) await this.#turns.take();
    const connection = this.#idle.pop() ?? (await this.#reader());
    connection.timing = timer ? (timer.isExact ? 'processor' : 'clock') : 'none';
    connection.milliseconds = 0;
    // In WAL mode readers wait for nobody. A file that is only read may be in another, where commits keep them out.
    const isTransaction = !single || this.isReadOnly;
    try {
      if (this.isReadOnly) await whileBusy(() => connection.beginRead());
      else if (isTransaction) connection.control('begin');
      const result = await work(connection);
      timer?.took(connection.milliseconds);
      return result;
    } catch (error) {
      if (this.isReadOnly && codeOf(error) === READONLY)
        throw unavailableError('The database waits for the program that writes it to recover it', error);
      throw toClientError(error, 'The database is busy; try again');
    } finally {
      if (isTransaction) endQuietly(connection);
      this.#giveBack(connection);
    }
  }

  #giveBack(connection: Connection): void {
    const waiting = this.#waitingReads.shift();
    if (connection.isSpent) {
      connection.close();
      this.#readers--;
      waiting?.(this.#reader());
    } else if (waiting) waiting(connection);
    else this.#idle.push(connection);
  }

  async #reader(): Promise<Connection> {
    if (this.#readers >= MAX_READERS) return new Promise((resolve) => this.#waitingReads.push(resolve));
    this.#readers++;
    return openReader(this.file!, this.isReadOnly);
  }

  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    if (this.isReadOnly) throw readOnlyError();
    if (this.#waitingWrites >= MAX_WAITING_WRITES) throw unavailableError('Too many writes are waiting; try again');
    const isAlone = this.#waitingWrites++ === 0;
    const deadline = performance.now() + MAX_BUSY_WAIT_MS;
    const turn = isAlone ? this.#write(work, deadline) : this.#lastWrite.then(() => this.#write(work, deadline));
    this.#lastWrite = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#waitingWrites--;
    }
  }

  async #write<T>(work: (session: Session) => Promise<T>, deadline: number): Promise<T> {
    try {
      // Takes the write lock at once, so that a transaction that has read can always go on to write.
      await whileBusy(() => this.#writer.control('begin immediate'), deadline);
      const result = await work(this.#writer);
      this.#writer.control('commit');
      this.#hasWritten = true;
      this.#commits++;
      if (this.#decides) this.#decisions++;
      return result;
    } catch (error) {
      endQuietly(this.#writer);
      throw toClientError(error, 'The database cannot take a write now; try again');
    } finally {
      this.#decides = false;
    }
  }

  /**
   * SQLite tells a connection exactly whether others have written since it last asked, but asking takes as long as a
   * small read. So it is asked only where the log beside the file, through which all writes go, is not known to be as it
   * was. The log stays the same file as long as anyone has the database open.
   */
  async watch(): Promise<Watch> {
    if (this.isReadOnly) return this.#watchVersion();
    const log = openLog(this.file!);
    this.#log = log;
    const present = await this.#tables();
    this.#writer.onWrite(
      DECIDING_TABLES.filter((table) => present.has(table)),
      () => {
        this.#decides = true;
      },
    );
    let [counter, version, time, size, isOld] = [0, 0, 0, 0, false];
    return {
      knownBy: 'counter',
      note: null,
      // What this process writes is known from triggers, so that its own content does not count.
      changeCounter: () => {
        if (this.#hasWritten) {
          // The log is not as it was; only SQLite can tell whether others have written as well.
          [this.#hasWritten, isOld] = [false, false];
        } else {
          const { mtimeMs: newTime, size: newSize } = fstatSync(log);
          if (isOld && newTime === time && newSize === size) return counter + this.#decisions;
          // Two writes within one tick of the clock may leave the same time.
          isOld = Date.now() - newTime >= CLOCK_TICK_MS;
          [time, size] = [newTime, newSize];
        }
        const newVersion = this.#writer.version();
        if (newVersion !== version) counter++;
        version = newVersion;
        return counter + this.#decisions;
      },
    };
  }

  /** A file that is only read may have no log, or get one later. So SQLite is asked each time. */
  #watchVersion(): Watch {
    let [counter, version] = [0, 0];
    return {
      knownBy: 'counter',
      note: null,
      changeCounter: () => {
        const newVersion = this.#writer.version();
        if (newVersion !== version) counter++;
        version = newVersion;
        return counter;
      },
    };
  }

  usage(): DatabaseUsage {
    const busy = this.#readers - this.#idle.length + (this.#waitingWrites > 0 ? 1 : 0);
    const waiting = this.#waitingReads.length + Math.max(0, this.#waitingWrites - 1);
    // Heavy reads run in processes of their own.
    return { connections: this.#readers + 1, busy, waiting, heavy: { running: 0, waiting: 0 } };
  }

  async info(): Promise<DatabaseInfo> {
    const [row] = await this.#all('select sqlite_version() as version');
    const files = this.file === null ? [] : [this.file, `${this.file}-wal`];
    const bytes = files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
    return { kind: 'SQLite', version: String(row!.version), bytes: this.file === null ? null : bytes };
  }

  async replicationPosition(): Promise<null> {
    return null;
  }

  async check(): Promise<DatabaseHealth> {
    await this.snapshot((session) => session.rows(ALIVE, []));
    return { replicas: [] };
  }

  async explain(statement: Statement, values: readonly BoundValue[]): Promise<readonly string[]> {
    const depth = new Map<unknown, number>([[0, 0]]);
    return (await this.#all(`explain query plan ${statement.sql}`, ...values)).map((step) => {
      const level = depth.get(step.parent) ?? 0;
      depth.set(step.id, level + 1);
      return `${'  '.repeat(level)}${step.detail}`;
    });
  }

  #all(text: string, ...values: BoundValue[]): Promise<Record<string, unknown>[]> {
    return whileBusy(() => this.#writer.all(text, ...values));
  }

  async describe(): Promise<ReadonlyMap<string, TableDescription>> {
    const tables = new Map<string, TableDescription & { columns: Map<string, string>; indexes: Set<string> }>();
    const columns = await this.#all(
      `select m.name as tableName, c.name as columnName, c.type as columnType from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`,
    );
    for (const { tableName, columnName, columnType } of columns) {
      let table = tables.get(String(tableName));
      if (!table) {
        table = { columns: new Map(), unreadable: new Set(), indexes: new Set(), triggers: new Set() };
        tables.set(String(tableName), table);
      }
      table.columns.set(String(columnName), String(columnType).toLowerCase());
    }
    for (const { name, tbl_name } of await this.#all(`select name, tbl_name from sqlite_master where type = 'index'`))
      tables.get(String(tbl_name))?.indexes.add(String(name));
    return tables;
  }

  /** Ids only grow, so the largest is close where nothing was deleted; where it is large, rows are counted. */
  async countRows(tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    const present = await this.#tables();
    const counted = tables.filter((name) => present.has(name));
    for (let first = 0; first < counted.length; first += TABLES_AT_ONCE) {
      const some = counted.slice(first, first + TABLES_AT_ONCE);
      const largest = some.map((table, index) => `(select max(rowid) from ${quoted(table)}) as n${index}`);
      const [row] = await this.#all(`select ${largest.join(', ')}`);
      for (const [index, table] of some.entries()) counts.set(table, Number(row![`n${index}`] ?? 0));
    }
    for (const [table, rows] of counts) {
      if (rows <= COUNTED_ROWS) continue;
      // One table at a time, so that nothing waits for all of them.
      await nextTurn();
      const [row] = await this.#all(`select count(*) as n from (select 1 from ${quoted(table)} limit ${ENOUGH_ROWS})`);
      counts.set(table, Number(row!.n));
    }
    return counts;
  }

  async #tables(): Promise<ReadonlySet<string>> {
    const rows = await this.#all(`select name from sqlite_master where type = 'table'`);
    return new Set(rows.map(({ name }) => String(name)));
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    for (const connection of this.#idle) connection.close();
    this.#writer.close();
    if (this.#log !== null) closeSync(this.#log);
    if (this.isReadOnly && this.file !== null) await removeEmptyLog(this.file);
  }
}
