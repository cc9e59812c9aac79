// The locales of a project, changed: in Strapi's tables, for every node at once. Whoever writes content looks its locale
// up in the same transaction, so a locale that is added or removed needs no telling. The default locale is kept in
// memory, and read again as grants are.
import { SetupError } from '../errors.ts';
import { DEFAULT_LOCALE_SETTING, SETTINGS_TABLE } from '../model/tables.ts';
import type { ContentType, Model } from '../model/types.ts';
import { LocaleStatements } from '../sql/locale-statements.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import { addLocale } from './bootstrap.ts';
import type { Database, Session } from './database.ts';
import { readDefaultLocale } from './stored-settings.ts';

export interface StoredLocale {
  readonly code: string;
  readonly name: string;
  readonly isDefault: boolean;
}

/** How many documents of a type have a version in a locale. */
export interface LocaleUse {
  readonly type: ContentType;
  readonly documents: number;
}

export class Locales {
  readonly #database: Database;
  readonly #model: Model;
  readonly #sql: LocaleStatements;

  constructor(database: Database, model: Model) {
    this.#database = database;
    this.#model = model;
    this.#sql = new LocaleStatements(database.dialect);
  }

  /** In the order in which they were made. */
  list(): Promise<readonly StoredLocale[]> {
    return this.#database.latest(async (session) => {
      const standard = await readDefaultLocale(session);
      const rows = await session.rows(this.#sql.list(), []);
      return rows.map(([code, name]) => ({ code, name: name ?? code, isDefault: code === standard }));
    });
  }

  /** False where it is there already. */
  add(code: string, name?: string): Promise<boolean> {
    return this.#changed(async (session) => {
      if ((await this.#codes(session)).includes(code)) return false;
      await addLocale(session, this.#database.dialect, code, name);
      return true;
    });
  }

  /** Content stays in the locales that it is in; what names no locale is about this one from now on. */
  async setDefault(code: string): Promise<void> {
    await this.#changed(async (session) => {
      await this.#require(session, code);
      const [row] = await session.rows(this.#sql.setDefault(), [JSON.stringify(code)]);
      if (row) return;
      const columns = ['key', 'value', 'type'].map((column) => ({ column, type: 'text' as const }));
      const insert = new WriteStatements(this.#database.dialect).insertRow(SETTINGS_TABLE, columns);
      await session.rows(insert, [DEFAULT_LOCALE_SETTING, JSON.stringify(code), 'string']);
    });
  }

  /**
   * Refused of the default locale, and as long as there is content in it. From then on only the locales that are left
   * can be written in: otherwise the next write would bring it back.
   */
  async remove(code: string): Promise<void> {
    await this.#changed(async (session) => {
      await this.#requireRemovable(session, code);
      const uses = await this.#usesIn(session, code);
      if (uses.length > 0) throw stillUsed(code, uses);
      await session.rows(this.#sql.remove(), [code]);
      await session.rows(this.#sql.close(), []);
    });
  }

  /** Whether it could be removed if there were nothing in it. */
  requireRemovable(code: string): Promise<void> {
    return this.#database.latest((session) => this.#requireRemovable(session, code));
  }

  async #requireRemovable(session: Session, code: string): Promise<void> {
    await this.#require(session, code);
    if ((await readDefaultLocale(session)) === code)
      throw new SetupError(`${code} is the default locale`, [
        'make another the default first: sheaf locale default CODE',
      ]);
  }

  /** What is written in a locale, type by type; types without anything are left out. */
  uses(code: string): Promise<readonly LocaleUse[]> {
    return this.#database.latest((session) => this.#usesIn(session, code));
  }

  async #usesIn(session: Session, code: string): Promise<LocaleUse[]> {
    const uses: LocaleUse[] = [];
    for (const type of this.#localizedTypes()) {
      const [row] = await session.rows(this.#sql.countIn(type.table), [code]);
      if (Number(row![0]) > 0) uses.push({ type, documents: Number(row![0]) });
    }
    return uses;
  }

  /** The documents of a type that have a version in a locale. */
  async documentsIn(type: ContentType, code: string): Promise<readonly string[]> {
    const rows = await this.#database.latest((session) => session.rows(this.#sql.documentsIn(type.table), [code]));
    return rows.map(([documentId]) => documentId);
  }

  #localizedTypes(): ContentType[] {
    return [...this.#model.contentTypes.values()].filter(({ localized }) => localized);
  }

  /**
   * Adds the locales that a project lists and its database lacks. A project that lists its locales has those, so a
   * write in another language no longer adds that one. Returns those that were added.
   */
  async addListed(listed: readonly string[]): Promise<readonly string[]> {
    const isDone = await this.#database.latest(async (session) => {
      const [openness] = await session.rows(this.#sql.openness(), []);
      return openness?.[0] !== 'open' && missing(listed, await this.#codes(session)).length === 0;
    });
    if (isDone) return [];
    return this.#changed(async (session) => {
      const added = missing(listed, await this.#codes(session));
      for (const code of added) await addLocale(session, this.#database.dialect, code);
      await session.rows(this.#sql.close(), []);
      return added;
    });
  }

  async #codes(session: Session): Promise<string[]> {
    return (await session.rows(this.#sql.list(), [])).map(([code]) => code);
  }

  async #require(session: Session, code: string): Promise<void> {
    const codes = await this.#codes(session);
    if (codes.includes(code)) return;
    throw new SetupError(`There is no locale "${code}"`, [
      codes.length > 0 ? `there is ${codes.join(', ')}` : 'there is none',
      `sheaf locale add ${code} adds it`,
    ]);
  }

  async #changed<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#database.transaction(async (session) => {
      const [lock, announce] = [this.#sql.lock(), this.#sql.announce()];
      if (lock) await session.rows(lock, []);
      const result = await work(session);
      if (announce) await session.rows(announce, []);
      return result;
    });
  }
}

const missing = (listed: readonly string[], present: readonly string[]): string[] =>
  [...new Set(listed)].filter((code) => !present.includes(code));

const stillUsed = (code: string, uses: readonly LocaleUse[]): SetupError =>
  new SetupError(`There is content in ${code}:`, [
    ...uses.map(({ type, documents }) => `${type.uid}: ${documents} ${documents === 1 ? 'document' : 'documents'}`),
    `sheaf locale remove ${code} --delete-entries deletes it as well, in ${code} alone`,
  ]);
