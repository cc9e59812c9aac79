// Statements that are composed once, and kept by what they do: as many as there are limits for, since clients choose
// which columns and relations a write names.
import { MAX_CACHED_STATEMENTS } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { plainStatement, type Row, type Statement, withRowType } from './statement.ts';

export class StatementCache {
  readonly #dialect: Dialect;
  readonly #wrap: (text: string) => Statement;
  readonly #statements = new Lru<string, Statement>(MAX_CACHED_STATEMENTS);
  /** By what they do, then by the list that they are for. */
  readonly #ofLists = new Map<string, WeakMap<object, Statement>>();

  constructor(dialect: Dialect, wrap: (text: string) => Statement = plainStatement) {
    this.#dialect = dialect;
    this.#wrap = wrap;
  }

  /** The statement with a key, which says all that its text depends on. */
  once<R extends Row = Row>(key: string, text: () => Fragment): Statement<R> {
    let statement = this.#statements.get(key);
    if (!statement) {
      statement = this.#wrap(text().compile(this.#dialect.composer).sql);
      this.#statements.set(key, statement);
    }
    return withRowType<R>(statement);
  }

  /**
   * The same for a list of columns or parts that is made once for a type: such a list is known by itself, so that its key
   * is not written out for every write. Other lists are welcome, but gain nothing.
   */
  onceFor<R extends Row = Row>(
    purpose: string,
    list: readonly unknown[],
    key: () => string,
    text: () => Fragment,
  ): Statement<R> {
    let ofPurpose = this.#ofLists.get(purpose);
    if (!ofPurpose) {
      ofPurpose = new WeakMap();
      this.#ofLists.set(purpose, ofPurpose);
    }
    let statement = ofPurpose.get(list);
    if (!statement) {
      statement = this.once(`${purpose} ${key()}`, text);
      ofPurpose.set(list, statement);
    }
    return withRowType<R>(statement);
  }
}
