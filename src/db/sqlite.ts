// SQLite through node:sqlite: one connection in this process, prepared statements kept as long as their plan.
import { existsSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { SetupError } from '../errors.ts';
import { sqliteDialect } from '../sql/dialect-sqlite.ts';
import type { Statement } from '../sql/statement.ts';
import { canonicalJson, fold } from '../sql/text.ts';
import type { BoundValue, Database, Row } from './database.ts';

/** Bytes of the file that SQLite may map into memory, and kilobytes of pages it may keep. */
const MAPPED_BYTES = 268_435_456;
const CACHE_KILOBYTES = 65_536;

export function openSqlite(file: string): Database {
  if (!existsSync(file))
    throw new SetupError(`There is no database file at ${file}`, [
      'name one with --database sqlite:PATH or DATABASE_URL',
      'or run the example: sheaf start --example',
    ]);
  let connection: DatabaseSync;
  try {
    connection = new DatabaseSync(file, { readOnly: true });
    connection.exec(`pragma mmap_size = ${MAPPED_BYTES}; pragma cache_size = -${CACHE_KILOBYTES}`);
  } catch (error) {
    throw new SetupError(`The database ${file} cannot be opened: ${(error as Error).message}`, [
      'expected a SQLite database file',
    ]);
  }
  const pure = { deterministic: true, directOnly: true };
  connection.function('sheaf_fold', pure, (text) => (typeof text === 'string' ? fold(text) : text));
  connection.function('sheaf_number', pure, (value) => (value === null ? null : String(value)));
  connection.function('sheaf_json', pure, (text) => (text === null ? null : canonicalJson(String(text))));
  return new Sqlite(connection);
}

class Sqlite implements Database {
  readonly dialect = sqliteDialect;
  readonly #connection: DatabaseSync;
  readonly #prepared = new WeakMap<Statement, StatementSync>();

  constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  async rows(statement: Statement, values: readonly BoundValue[]): Promise<readonly Row[]> {
    let prepared = this.#prepared.get(statement);
    if (!prepared) {
      prepared = this.#connection.prepare(statement.sql);
      prepared.setReturnArrays(true);
      this.#prepared.set(statement, prepared);
    }
    return prepared.all(...values) as unknown as Row[];
  }

  async explain(statement: Statement, values: readonly BoundValue[]): Promise<readonly string[]> {
    const steps = this.#connection.prepare(`explain query plan ${statement.sql}`).all(...values);
    const depth = new Map<unknown, number>([[0, 0]]);
    return steps.map((step) => {
      const level = depth.get(step.parent) ?? 0;
      depth.set(step.id, level + 1);
      return `${'  '.repeat(level)}${step.detail}`;
    });
  }

  async hasTable(name: string): Promise<boolean> {
    return (
      this.#connection.prepare(`select 1 from sqlite_master where type = 'table' and name = ?`).get(name) !== undefined
    );
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}
