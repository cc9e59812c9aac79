// A database that tells of each statement it runs for a request.
import type { BoundValue, Row, Statement } from '../sql/statement.ts';
import type { Database, Marked, ReadOptions, WriteOptions } from './database.ts';
import { DatabaseWrapper, type Work } from './database-wrapper.ts';

/** Runs a statement, and notes what it wants to know of it. */
export type ObserveStatement = <T>(sql: string, run: () => Promise<T>) => Promise<T>;

export class ObservedDatabase extends DatabaseWrapper {
  readonly #observe: ObserveStatement;

  constructor(inner: Database, observe: ObserveStatement) {
    super(inner);
    this.#observe = observe;
  }

  snapshot<T>(work: Work<T>, options?: ReadOptions): Promise<T> {
    return this.inner.snapshot(this.#observed(work), options);
  }

  latest<T>(work: Work<T>): Promise<T> {
    return this.inner.latest(this.#observed(work));
  }

  transaction<T>(work: Work<T>, options?: WriteOptions): Promise<T> {
    return this.inner.transaction(this.#observed(work), options);
  }

  #observed<T>(work: Work<T>): Work<T> {
    return (session) =>
      work({
        rows: (statement, values) => this.#observe(statement.sql, async () => session.rows(statement, values)),
      });
  }

  override marked<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<Marked<R>> {
    return this.#observe(statement.sql, () => this.inner.marked(statement, values));
  }
}
