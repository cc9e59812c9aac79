// A connection to a SQLite file: prepared statements, transactions, waiting for locks without holding up the event loop,
// and the time that statements take.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { unavailableError } from '../errors.ts';
import { MAX_BUSY_WAIT_MS, MAX_PREPARED_CHARACTERS } from '../limits.ts';
import { sqliteDialect } from '../sql/dialect-sqlite.ts';
import type { BoundValue, RawResult, Row, Statement } from '../sql/statement.ts';
import { digitsOf } from '../sql/text.ts';
import { errorCode, isObject } from '../type-guards.ts';
import type { Session } from './database.ts';

/** Bytes of the file that SQLite may map into memory, and kilobytes of pages that each connection may keep. */
const MAPPED_BYTES = 268_435_456;
const CACHE_KILOBYTES = 16_384;
const BUSY_PAUSE_MS = 5;
export const NO_WAITING = 'pragma busy_timeout = 0';

/** Result codes of SQLite for failures that may pass: busy, locked, disk full, input/output error. */
const BUSY = new Set([5, 6]);
const TRANSIENT = new Set([5, 6, 10, 13]);

/** Reads the file, and so holds off whoever would write it until the transaction ends. */
export const TAKE_LOCK = 'select 1 from sqlite_master limit 1';

type Control = 'begin' | 'begin immediate' | 'commit' | 'rollback' | typeof TAKE_LOCK;

export class Connection implements Session {
  readonly #handle: DatabaseSync;
  readonly #control = new Map<Control, StatementSync>();
  #version: StatementSync | null = null;
  readonly #prepared = new WeakMap<Statement, StatementSync>();
  /** Whether it counts the time that its statements take: not, by the clock, or the processor time. */
  timing: 'none' | 'clock' | 'processor' = 'none';
  milliseconds = 0;
  #preparedCharacters = 0;

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
    if (!this.#version) {
      this.#version = this.#handle.prepare('pragma data_version');
      this.#version.setReturnArrays(true);
    }
    try {
      return Number(this.#version.get()?.[0]);
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
      if (statement.isRaw) return typedRows<R>([[this.#raw(statement.sql, values)]]);
      prepared = this.#handle.prepare(statement.sql);
      this.#preparedCharacters += statement.sql.length;
      prepared.setReturnArrays(true);
      this.#prepared.set(statement, prepared);
    }
    if (this.timing === 'none') return allRows<R>(prepared, statement, values);
    const read = this.timing === 'clock' ? clockMilliseconds : threadMilliseconds;
    const before = read();
    const rows = allRows<R>(prepared, statement, values);
    this.milliseconds += read() - before;
    return rows;
  }

  /** It runs once, so it is not kept. */
  #raw(text: string, values: readonly BoundValue[]): RawResult {
    const prepared = this.#handle.prepare(text);
    if (prepared.columns().length > 0) {
      const rows = prepared.all(...values).map((row) => ({ ...row }));
      return { rows, count: rows.length, lastId: null, command: null };
    }
    const { changes, lastInsertRowid } = prepared.run(...values);
    return { rows: [], count: Number(changes), lastId: lastInsertRowid, command: null };
  }

  /** Whether it has prepared so much that another one should take its place; statements are freed with a connection. */
  get isSpent(): boolean {
    return this.#preparedCharacters > MAX_PREPARED_CHARACTERS;
  }

  close(): void {
    this.#handle.close();
  }
}

/**
 * All rows of a statement. A column of SQLite takes any integer, whatever its type, and the driver refuses one beyond
 * 2⁵³: such a row is read again, and the integer is rounded.
 */
function allRows<R extends Row>(prepared: StatementSync, { sql }: Statement, values: readonly BoundValue[]): R[] {
  try {
    return typedRows<R>(prepared.all(...values));
  } catch (error) {
    if (errorCode(error) !== 'ERR_OUT_OF_RANGE' || !READING.test(sql)) throw error;
  }
  prepared.setReadBigInts(true);
  try {
    const rows = typedRows<R>(prepared.all(...values));
    return typedRows<R>(rows.map((row) => row.map((value) => (typeof value === 'bigint' ? Number(value) : value))));
  } finally {
    prepared.setReadBigInts(false);
  }
}

/**
 * The types of the driver know rows as objects only. What is prepared here has lists of columns, whose types are what the
 * statement says.
 */
const typedRows = <R extends Row>(rows: unknown): R[] => rows as R[];

const READING = /^\s*(?:select|with)\b/i;

const clockMilliseconds = (): number => performance.now();

/** Processor time of this thread. To ask takes microseconds; by the clock all takes long on a machine that is busy. */
function threadMilliseconds(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

export const codeOf = (error: unknown): number =>
  isObject(error) && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
export const toClientError = (error: unknown, message: string): unknown =>
  TRANSIENT.has(codeOf(error)) ? unavailableError(message, error) : error;

/** Runs what takes a lock, again while another program has it, and without holding up the event loop meanwhile. */
export async function whileBusy<T>(run: () => T, deadline = performance.now() + MAX_BUSY_WAIT_MS): Promise<T> {
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
  readonly #open: () => Connection;
  #connection: Connection;

  constructor(file: string, isReadOnly: boolean) {
    this.#open = () => {
      const connection = openReader(file, isReadOnly);
      // Nobody else waits for this process.
      connection.exec(`pragma busy_timeout = ${MAX_BUSY_WAIT_MS}`);
      return connection;
    };
    this.#connection = this.#open();
  }

  async snapshot<T>(work: (session: Session) => Promise<T>): Promise<{ result: T; milliseconds: number }> {
    if (this.#connection.isSpent) {
      this.#connection.close();
      this.#connection = this.#open();
    }
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

export function openReader(file: string, isReadOnly: boolean): Connection {
  const connection = new Connection(file, isReadOnly);
  connection.exec(`pragma query_only = on; ${NO_WAITING}`);
  return connection;
}

/** Ends a transaction that may have ended by itself, as it does when the disk is full. */
export function endQuietly(connection: Connection): void {
  try {
    connection.control('rollback');
  } catch {
    // No transaction was active.
  }
}
