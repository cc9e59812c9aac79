// A database that tells of each statement it runs for a request.
import type { BoundValue, Row, Statement } from '../sql/statement.ts';
import type { Database, Marked, ReadOptions, Session, WriteOptions } from './database.ts';

/** Runs a statement, and notes what it wants to know of it. */
export type ObserveStatement = <T>(sql: string, run: () => Promise<T>) => Promise<T>;

type Work<T> = (session: Session) => Promise<T>;

export class ObservedDatabase implements Database {
  readonly #inner: Database;
  readonly #observe: ObserveStatement;

  constructor(inner: Database, observe: ObserveStatement) {
    this.#inner = inner;
    this.#observe = observe;
  }

  get dialect() {
    return this.#inner.dialect;
  }

  get isReadOnly() {
    return this.#inner.isReadOnly;
  }

  get file() {
    return this.#inner.file;
  }

  snapshot<T>(work: Work<T>, options?: ReadOptions): Promise<T> {
    return this.#inner.snapshot(this.#observed(work), options);
  }

  latest<T>(work: Work<T>): Promise<T> {
    return this.#inner.latest(this.#observed(work));
  }

  transaction<T>(work: Work<T>, options?: WriteOptions): Promise<T> {
    return this.#inner.transaction(this.#observed(work), options);
  }

  #observed<T>(work: Work<T>): Work<T> {
    return (session) =>
      work({
        rows: (statement, values) => this.#observe(statement.sql, async () => session.rows(statement, values)),
      });
  }

  marked<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<Marked<R>> {
    return this.#observe(statement.sql, () => this.#inner.marked(statement, values));
  }

  mark() {
    return this.#inner.mark();
  }

  replicationPosition() {
    return this.#inner.replicationPosition();
  }

  check() {
    return this.#inner.check();
  }

  explain(statement: Statement, values: readonly BoundValue[]) {
    return this.#inner.explain(statement, values);
  }

  watch(onPoll: () => void) {
    return this.#inner.watch(onPoll);
  }

  describe() {
    return this.#inner.describe();
  }

  countRows(tables: readonly string[]) {
    return this.#inner.countRows(tables);
  }

  usage() {
    return this.#inner.usage();
  }

  close() {
    return this.#inner.close();
  }
}
