// The same statements without Sheaf: prepared once, with values that are known already, each operation in a
// transaction of its own, through node:sqlite on a connection that is set up as Sheaf's is.
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Operation, Sent } from './recording.ts';

export class ByHand {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#database.exec(
      'pragma journal_mode = wal; pragma synchronous = normal; pragma foreign_keys = on; pragma mmap_size = 268435456; pragma cache_size = -16384',
    );
  }

  run({ written, read }: Operation): void {
    this.#database.exec('begin immediate');
    for (const sent of written) this.#send(sent);
    this.#database.exec('commit');
    for (const sent of read) this.#send(sent);
  }

  #send({ sql, values }: Sent): void {
    let prepared = this.#prepared.get(sql);
    if (!prepared) {
      prepared = this.#database.prepare(sql);
      prepared.setReturnArrays(true);
      this.#prepared.set(sql, prepared);
    }
    prepared.all(...values);
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
