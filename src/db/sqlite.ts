// SQLite through node:sqlite: one connection that writes, a few that read. Readers never wait for the writer (WAL);
// writers take turns in this process, and wait for other processes without holding up the event loop.
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, statSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { readOnlyError, SetupError, unavailableError } from '../errors.ts';
import { MAX_BUSY_WAIT_MS, MAX_READERS, MAX_WAITING_WRITES } from '../limits.ts';
import { DECIDING_TABLES } from '../sql/access-changes.ts';
import { sqliteDialect } from '../sql/dialect-sqlite.ts';
import { type BoundValue, plainStatement, type Row, type Statement } from '../sql/statement.ts';
import { digitsOf } from '../sql/text.ts';
import type {
  Database,
  DatabaseHealth,
  Marked,
  ReadOptions,
  ReadTimer,
  Session,
  TableDescription,
  Watch,
} from './database.ts';

/** Bytes of the file that SQLite may map into memory, and kilobytes of pages that each connection may keep. */
const MAPPED_BYTES = 268_435_456;
const CACHE_KILOBYTES = 16_384;
const BUSY_PAUSE_MS = 5;
const NO_WAITING = 'pragma busy_timeout = 0';
/** Longer than the clock of any file system takes from one reading to the next. */
const CLOCK_TICK_MS = 20;
/** Tables with smaller ids are not counted; beyond the second number it does not matter how many rows there are. */
const COUNTED_ROWS = 50_000;
const ENOUGH_ROWS = 1_000_000;
const ALIVE = plainStatement('select 1');

/** Result codes of SQLite for failures that may pass: busy, locked, disk full, input/output error. */
const BUSY = new Set([5, 6]);
const TRANSIENT = new Set([5, 6, 10, 13]);
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
      `The database ${file} cannot be opened: ${(error as Error).message}`,
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
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** SQLite makes it with the first statement, except where it cannot: on some network drives. */
function openLog(file: string): number {
  try {
    return openSync(`${file}-wal`, 'r');
  } catch (error) {
    throw new SetupError(`The log of the database ${file} cannot be read: ${(error as Error).message}`, [
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

/** Reads the file, and so holds off whoever would write it until the transaction ends. */
const TAKE_LOCK = 'select 1 from sqlite_master limit 1';

type Control = 'begin' | 'begin immediate' | 'commit' | 'rollback' | typeof TAKE_LOCK;

class Connection implements Session {
  readonly #handle: DatabaseSync;
  readonly #control = new Map<Control, StatementSync>();
  #version: StatementSync | null = null;
  readonly #prepared = new WeakMap<Statement, StatementSync>();
  /** Whether it counts the time that its statements take: not, by the clock, or the processor time. */
  timing: 'none' | 'clock' | 'processor' = 'none';
  milliseconds = 0;

  constructor(file: string, readOnly = false) {
    // Another program may hold the file for a moment, as the last one does when it closes. That is waited for while a
    // connection is opened; later on waiting is a matter of turns, see NO_WAITING.
    this.#handle = new DatabaseSync(file, { timeout: MAX_BUSY_WAIT_MS, readOnly });
    this.#handle.exec(`pragma mmap_size = ${MAPPED_BYTES}; pragma cache_size = -${CACHE_KILOBYTES}`);
    const options = { deterministic: true, directOnly: true, useBigIntArguments: true };
    this.#handle.function('sheaf_number', options, (value) => (value === null ? null : String(value)));
    this.#handle.function('sheaf_digits', options, (value) => (value === null ? null : digitsOf(Number(value))));
  }

  exec(text: string): void {
    this.#handle.exec(text);
  }

  /** Begins a transaction that reads; fails at once where another program keeps readers out. */
  beginRead(): void {
    this.control('begin');
    try {
      this.control(TAKE_LOCK);
    } catch (error) {
      endQuietly(this);
      throw error;
    }
  }

  /** Begins or ends a transaction; each of these runs so often that parsing it would show. */
  control(text: Control): void {
    let prepared = this.#control.get(text);
    if (!prepared) {
      prepared = this.#handle.prepare(text);
      this.#control.set(text, prepared);
    }
    prepared.run();
  }

  /** A number that changes with every write by another connection; NaN, which equals nothing, where it cannot be read. */
  version(): number {
    this.#version ??= this.#handle.prepare('pragma data_version');
    try {
      return this.#version.get()!.data_version as number;
    } catch {
      return Number.NaN;
    }
  }

  /** Calls back for every row of the tables that this connection writes. The triggers are its own, and end with it. */
  onWrite(tables: readonly string[], note: () => void): void {
    this.#handle.function('sheaf_note_write', () => {
      note();
      return null;
    });
    for (const table of tables)
      for (const event of ['insert', 'update', 'delete'])
        this.#handle.exec(
          `create temp trigger "sheaf_${event} ${table}" after ${event} on main."${table}" begin select sheaf_note_write(); end`,
        );
  }

  all(text: string, ...values: BoundValue[]): Record<string, unknown>[] {
    return this.#handle.prepare(text).all(...values);
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<readonly R[]> {
    let prepared = this.#prepared.get(statement);
    if (!prepared) {
      prepared = this.#handle.prepare(statement.sql);
      prepared.setReturnArrays(true);
      this.#prepared.set(statement, prepared);
    }
    if (this.timing === 'none') return prepared.all(...values) as unknown as R[];
    const read = this.timing === 'clock' ? clockMilliseconds : threadMilliseconds;
    const before = read();
    const rows = prepared.all(...values) as unknown as R[];
    this.milliseconds += read() - before;
    return rows;
  }

  close(): void {
    this.#handle.close();
  }
}

const clockMilliseconds = (): number => performance.now();

/** Processor time of this thread. To ask takes microseconds; by the clock all takes long on a machine that is busy. */
function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

const codeOf = (error: unknown): number => ((error as { errcode?: number }).errcode ?? 0) & 0xff;
const toClientError = (error: unknown, message: string): unknown =>
  TRANSIENT.has(codeOf(error)) ? unavailableError(message, error) : error;

/** Runs what takes a lock, again while another program has it, and without holding up the event loop meanwhile. */
async function whileBusy<T>(run: () => T, deadline = performance.now() + MAX_BUSY_WAIT_MS): Promise<T> {
  for (;;) {
    try {
      return run();
    } catch (error) {
      if (!BUSY.has(codeOf(error)) || performance.now() > deadline) throw error;
      await sleep(BUSY_PAUSE_MS);
    }
  }
}

/** A connection of its own for reads in another process. */
export class SqliteReader {
  readonly dialect = sqliteDialect;
  readonly #connection: Connection;

  constructor(file: string, isReadOnly: boolean) {
    this.#connection = openReader(file, isReadOnly);
    // Nobody else waits for this process.
    this.#connection.exec(`pragma busy_timeout = ${MAX_BUSY_WAIT_MS}`);
  }

  async snapshot<T>(work: (session: Session) => Promise<T>): Promise<{ result: T; milliseconds: number }> {
    const connection = this.#connection;
    connection.milliseconds = 0;
    connection.timing = 'processor';
    connection.control('begin');
    try {
      const result = await work(connection);
      return { result, milliseconds: connection.milliseconds };
    } finally {
      endQuietly(connection);
    }
  }
}

function openReader(file: string, isReadOnly: boolean): Connection {
  const connection = new Connection(file, isReadOnly);
  connection.exec(`pragma query_only = on; ${NO_WAITING}`);
  return connection;
}

class Sqlite implements Database {
  readonly dialect = sqliteDialect;
  /** Null for one in memory. */
  readonly file: string | null;
  readonly isReadOnly: boolean;
  /** Writes, where anything is written; describes the database in any case. */
  readonly #writer: Connection;
  readonly #idle: Connection[] = [];
  readonly #waitingReads: ((connection: Connection) => void)[] = [];
  #readers = 0;
  #waitingWrites = 0;
  #lastWrite: Promise<unknown> = Promise.resolve();
  /** The open log of the file, where changes are watched for. */
  #log: number | null = null;
  /** Whether the transaction under way has written what decides over callers, and how many have. */
  #decides = false;
  #decisions = 0;

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

  async #read<T>(work: (session: Session) => Promise<T>, single: boolean, timer?: ReadTimer): Promise<T> {
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
      const waiting = this.#waitingReads.shift();
      if (waiting) waiting(connection);
      else this.#idle.push(connection);
    }
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
    const present = await this.describe();
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
        const { mtimeMs: newTime, size: newSize } = fstatSync(log);
        if (isOld && newTime === time && newSize === size) return counter + this.#decisions;
        // Two writes within one tick of the clock may leave the same time.
        isOld = Date.now() - newTime >= CLOCK_TICK_MS;
        [time, size] = [newTime, newSize];
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
    const present = new Set(
      (await this.#all(`select name from sqlite_master where type = 'table'`)).map(({ name }) => name),
    );
    for (const table of tables.filter((name) => present.has(name))) {
      const quoted = `"${table.replaceAll('"', '""')}"`;
      const [largest] = await this.#all(`select max(rowid) as n from ${quoted}`);
      let rows = Number(largest!.n ?? 0);
      if (rows > COUNTED_ROWS) {
        // One table at a time, so that nothing waits for all of them.
        await nextTurn();
        const [counted] = await this.#all(`select count(*) as n from (select 1 from ${quoted} limit ${ENOUGH_ROWS})`);
        rows = Number(counted!.n);
      }
      counts.set(table, rows);
    }
    return counts;
  }

  async close(): Promise<void> {
    await this.#lastWrite;
    for (const connection of this.#idle) connection.close();
    this.#writer.close();
    if (this.#log !== null) closeSync(this.#log);
    if (this.isReadOnly && this.file !== null) await removeEmptyLog(this.file);
  }
}

/** Ends a transaction that may have ended by itself, as it does when the disk is full. */
function endQuietly(connection: Connection): void {
  try {
    connection.control('rollback');
  } catch {
    // No transaction was active.
  }
}
