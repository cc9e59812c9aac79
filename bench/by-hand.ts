// The same statements without Sheaf: prepared once, with values that are known already, each operation in a
// transaction of its own, on connections that are set up as Sheaf's are.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Client } from 'pg';
import { SHORT_STATEMENT_SETTINGS } from '../src/db/postgres.ts';
import { type ReplayOperation, type ReplayStatement, valueNow } from './replay.ts';

export type Rows = readonly (readonly unknown[])[];

/** Told of each statement that was sent, and how many milliseconds it took. */
export type OnSent = (sql: string, milliseconds: number) => void;

export class ByHand {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #onSent: OnSent | null;

  constructor(file: string, onSent: OnSent | null = null) {
    this.#onSent = onSent;
    this.#database = new DatabaseSync(file);
    this.#database.exec(
      'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma mmap_size = 268435456; pragma cache_size = -16384',
    );
  }

  /** The rows of the last statement. */
  run({ written, read }: ReplayOperation): Rows {
    const results: Rows[] = [];
    const send = (statement: ReplayStatement) => results.push(this.#send(statement, results));
    this.#control('begin immediate');
    try {
      written.forEach(send);
    } catch (error) {
      this.#control('rollback');
      throw error;
    }
    this.#control('commit');
    read.forEach(send);
    return results.at(-1) ?? [];
  }

  #control(text: string): void {
    const begin = performance.now();
    this.#statement(text).run();
    this.#onSent?.(text, performance.now() - begin);
  }

  #send({ sql, values }: ReplayStatement, results: readonly Rows[]): Rows {
    const begin = performance.now();
    const rows = this.#statement(sql).all(...values.map((value) => valueNow(value, results))) as unknown as Rows;
    this.#onSent?.(sql, performance.now() - begin);
    return rows;
  }

  #statement(sql: string): StatementSync {
    let prepared = this.#prepared.get(sql);
    if (!prepared) {
      prepared = this.#database.prepare(sql);
      prepared.setReturnArrays(true);
      this.#prepared.set(sql, prepared);
    }
    return prepared;
  }

  /** Rows of each table, to see that two databases went the same way. */
  counts(tables: readonly string[]): string {
    const count = (table: string) => this.#database.prepare(`select count(*) as n from "${table}"`).get()!.n;
    return tables.map((table) => `${table} ${count(table)}`).join('\n');
  }

  close(): void {
    this.#database.close();
  }
}

/** Writers that met: the transaction did nothing and is sent again. */
const RETRIED = new Set(['40P01', '40001']);

/** The same on PostgreSQL, by several connections; an operation waits until one is free. */
export class ByHandOnPostgres {
  readonly #idle: Client[];
  readonly #waiting: ((client: Client) => void)[] = [];
  readonly #names = new Map<string, string>();
  readonly #onSent: OnSent;

  private constructor(clients: Client[], onSent: OnSent) {
    this.#idle = clients;
    this.#onSent = onSent;
  }

  static async connect(url: string, connections: number, onSent: OnSent): Promise<ByHandOnPostgres> {
    const clients = Array.from({ length: connections }, () => new Client({ connectionString: url }));
    await Promise.all(clients.map((client) => client.connect().then(() => client.query(SHORT_STATEMENT_SETTINGS))));
    return new ByHandOnPostgres(clients, onSent);
  }

  async run(operation: ReplayOperation): Promise<Rows> {
    const client = this.#idle.pop() ?? (await new Promise<Client>((resolve) => this.#waiting.push(resolve)));
    try {
      for (;;) {
        try {
          return await this.#runOn(client, operation);
        } catch (error) {
          await client.query('rollback');
          if (!RETRIED.has((error as { code?: string }).code ?? '')) throw error;
        }
      }
    } finally {
      const next = this.#waiting.shift();
      if (next) next(client);
      else this.#idle.push(client);
    }
  }

  async #runOn(client: Client, { written, read }: ReplayOperation): Promise<Rows> {
    const results: Rows[] = [];
    await this.#control(client, 'begin');
    for (const statement of written) results.push(await this.#send(client, statement, results));
    await this.#control(client, 'commit');
    for (const statement of read) results.push(await this.#send(client, statement, results));
    return results.at(-1) ?? [];
  }

  async #control(client: Client, text: string): Promise<void> {
    const begin = performance.now();
    await client.query(text);
    this.#onSent(text, performance.now() - begin);
  }

  async #send(client: Client, { sql, values }: ReplayStatement, results: readonly Rows[]): Promise<Rows> {
    let name = this.#names.get(sql);
    if (name === undefined) {
      name = `by_hand_${this.#names.size}`;
      this.#names.set(sql, name);
    }
    const begin = performance.now();
    const bound = values.map((value) => valueNow(value, results));
    const { rows } = await client.query({ name, text: sql, values: bound, rowMode: 'array' });
    this.#onSent(sql, performance.now() - begin);
    return rows as unknown as Rows;
  }
}
