// Statements about the locales of a project: which there are, which is the default, what is written in one.
import { sql } from 'kysely';
import { DEFAULT_LOCALE_SETTING, OWN_SETTINGS, SETTINGS_TABLE } from '../model/tables.ts';
import type { Dialect, Fragment } from './dialect.ts';
import { plainStatement, type Row, type Statement } from './statement.ts';

const LOCALES = 'i18n_locale';
const value = (): Fragment => sql`${sql.val(null)}`;

export class LocaleStatements {
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  #statement<R extends Row = Row>(text: Fragment): Statement<R> {
    return plainStatement(text.compile(this.#dialect.composer).sql);
  }

  /**
   * Keeps writers from looking up locales until the transaction ends, and waits for those who have; null where writers
   * take turns anyway.
   */
  lock(): Statement | null {
    const { locking } = this.#dialect;
    return locking && this.#statement(locking.table(LOCALES));
  }

  list(): Statement<readonly [code: string, name: string | null]> {
    return this.#statement(sql`select code, name from ${sql.table(LOCALES)} order by id`);
  }

  /** Values: the code. */
  remove(): Statement {
    return this.#statement(sql`delete from ${sql.table(LOCALES)} where code = ${value()}`);
  }

  /** The documents of a localized type that have a version in a locale. Values: the code. */
  documentsIn(table: string): Statement<readonly [documentId: string]> {
    return this.#statement(
      sql`select distinct document_id from ${sql.table(table)} where locale = ${value()} order by document_id`,
    );
  }

  /** Their number. Values: the code. */
  countIn(table: string): Statement<readonly [documents: number | string]> {
    return this.#statement(sql`select count(distinct document_id) from ${sql.table(table)} where locale = ${value()}`);
  }

  /** Values: the code as JSON. Returns a row where there was a default. */
  setDefault(): Statement {
    return this.#statement(
      sql`update ${sql.table(SETTINGS_TABLE)} set value = ${value()} where key = ${sql.lit(DEFAULT_LOCALE_SETTING)} returning id`,
    );
  }

  /** Whether a write in another language adds it: `open` or `listed`; no row in an adopted database, which is `listed`. */
  openness(): Statement<readonly [value: string]> {
    return this.#statement(sql`select value from ${sql.table(OWN_SETTINGS)} where key = 'locales'`);
  }

  /** Only those that are there can be written from now on. */
  close(): Statement {
    return this.#statement(sql`update ${sql.table(OWN_SETTINGS)} set value = 'listed' where key = 'locales'`);
  }

  /** Tells other nodes; null where they need not be told. */
  announce(): Statement | null {
    const { announceChange } = this.#dialect;
    return announceChange && this.#statement(announceChange);
  }
}
