// A database around another one: hands everything on that it does not change.
import type { BoundValue, Row, Statement } from '../sql/statement.ts';
import type { Database, Marked, ReadOptions, Session, WriteOptions } from './database.ts';

export type Work<T> = (session: Session) => Promise<T>;

export abstract class DatabaseWrapper implements Database {
  protected readonly inner: Database;

  constructor(inner: Database) {
    this.inner = inner;
  }

  abstract snapshot<T>(work: Work<T>, options?: ReadOptions): Promise<T>;
  abstract latest<T>(work: Work<T>): Promise<T>;
  abstract transaction<T>(work: Work<T>, options?: WriteOptions): Promise<T>;

  get dialect() {
    return this.inner.dialect;
  }

  get isReadOnly() {
    return this.inner.isReadOnly;
  }

  get file() {
    return this.inner.file;
  }

  marked<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<Marked<R>> {
    return this.inner.marked(statement, values);
  }

  mark() {
    return this.inner.mark();
  }

  commitState() {
    return this.inner.commitState();
  }

  replicationPosition() {
    return this.inner.replicationPosition();
  }

  check() {
    return this.inner.check();
  }

  explain(statement: Statement, values: readonly BoundValue[]) {
    return this.inner.explain(statement, values);
  }

  watch(onPoll: () => void) {
    return this.inner.watch(onPoll);
  }

  describe() {
    return this.inner.describe();
  }

  countRows(tables: readonly string[]) {
    return this.inner.countRows(tables);
  }

  info() {
    return this.inner.info();
  }

  usage() {
    return this.inner.usage();
  }

  close() {
    return this.inner.close();
  }
}
