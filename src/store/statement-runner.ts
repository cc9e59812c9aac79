// Runs the statements of a write. A database that takes several changes as one statement gets them so: they are held
// back until something has to be read, and sent together with that. What was read ahead of a table is forgotten when the table is written.
import type { Session } from '../db/database.ts';
import type { BoundValue, Row, Statement } from '../sql/statement.ts';
import type { WriteStatements } from '../sql/write-statements.ts';
import type { Gathered } from './gathered.ts';

export interface StatementRunner {
  rows<R extends Row>(statement: Statement<R>, ...values: BoundValue[]): Promise<readonly R[]>;
  /** Runs a statement that makes one row of a table. Returns its id. */
  insert(table: string, statement: Statement<readonly [id: number]>, ...values: BoundValue[]): Promise<number>;
  /**
   * Runs a statement that makes rows one after another, which are in no list yet. Returns their ids in that order:
   * ascending, whatever the order in which the database returns them.
   */
  insertAll(count: number, statement: Statement<readonly [id: number]>, ...values: BoundValue[]): Promise<number[]>;
  /** Runs a statement that writes a table and returns nothing, at once or later. */
  change(table: string, statement: Statement, ...values: BoundValue[]): Promise<void>;
  /** Sends the changes that were held back. */
  flush(): Promise<void>;
}

/** The ids of rows that were made, in the order in which they were. */
function idsInOrder(rows: readonly (readonly [id: number])[], count: number): number[] {
  if (rows.length !== count) throw new Error(`${rows.length} rows were made instead of ${count}`);
  return rows.map(([id]) => id).sort((a, b) => a - b);
}

export const statementRunner = (session: Session, sql: WriteStatements, gathered: Gathered): StatementRunner =>
  sql.canCombine ? new CombiningRunner(session, sql, gathered) : new ImmediateRunner(session, gathered);

/** Sends each statement as it comes. */
class ImmediateRunner implements StatementRunner {
  readonly #session: Session;
  readonly #gathered: Gathered;

  constructor(session: Session, gathered: Gathered) {
    this.#session = session;
    this.#gathered = gathered;
  }

  rows<R extends Row>(statement: Statement<R>, ...values: BoundValue[]): Promise<readonly R[]> {
    return this.#session.rows(statement, values);
  }

  async insert(table: string, statement: Statement<readonly [id: number]>, ...values: BoundValue[]): Promise<number> {
    this.#gathered.forget(table);
    const [row] = await this.#session.rows(statement, values);
    return row![0];
  }

  async insertAll(
    count: number,
    statement: Statement<readonly [id: number]>,
    ...values: BoundValue[]
  ): Promise<number[]> {
    return idsInOrder(await this.#session.rows(statement, values), count);
  }

  async change(table: string, statement: Statement, ...values: BoundValue[]): Promise<void> {
    this.#gathered.forget(table);
    await this.#session.rows(statement, values);
  }

  async flush(): Promise<void> {}
}

interface PendingChange {
  readonly table: string;
  readonly statement: Statement;
  readonly values: readonly BoundValue[];
}

/** Sends changes of different tables together. */
class CombiningRunner implements StatementRunner {
  readonly #session: Session;
  readonly #sql: WriteStatements;
  readonly #gathered: Gathered;
  readonly #pending: PendingChange[] = [];

  constructor(session: Session, sql: WriteStatements, gathered: Gathered) {
    this.#session = session;
    this.#sql = sql;
    this.#gathered = gathered;
  }

  /** Does not wait for the changes that it sends before. Where they fail, so does this one. */
  async rows<R extends Row>(statement: Statement<R>, ...values: BoundValue[]): Promise<readonly R[]> {
    if (this.#pending.length === 0) return this.#session.rows(statement, values);
    const [, rows] = await Promise.all([this.flush(), this.#session.rows(statement, values)]);
    return rows;
  }

  async insert(table: string, statement: Statement<readonly [id: number]>, ...values: BoundValue[]): Promise<number> {
    this.#gathered.forget(table);
    const [row] = await this.rows(statement, ...values);
    return row![0];
  }

  async insertAll(
    count: number,
    statement: Statement<readonly [id: number]>,
    ...values: BoundValue[]
  ): Promise<number[]> {
    return idsInOrder(await this.rows(statement, ...values), count);
  }

  async change(table: string, statement: Statement, ...values: BoundValue[]): Promise<void> {
    this.#gathered.forget(table);
    if (this.#pending.some((change) => change.table === table)) await this.flush();
    this.#pending.push({ table, statement, values });
  }

  async flush(): Promise<void> {
    const changes = this.#pending.splice(0);
    const [first, ...rest] = changes;
    if (!first) return;
    const statement =
      rest.length === 0 ? first.statement : this.#sql.combine(changes.map((change) => change.statement));
    await this.#session.rows(
      statement,
      changes.flatMap(({ values }) => values),
    );
  }
}
