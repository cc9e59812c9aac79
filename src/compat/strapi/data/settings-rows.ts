// `strapi.db.query('strapi::core-store')`: the rows of `strapi.store`, whose values are JSON as text.
import type { Sheaf } from '../../../app.ts';
import { validationError } from '../../../errors.ts';
import type { Entry } from '../../../operations/parameters.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import { coreStoreStatements } from '../../../sql/core-store-statements.ts';
import type { RowParameters } from './row-parameters.ts';
import { Rows, type RowWrite } from './rows.ts';
import { CORE_STORE } from './schemas.ts';

export class SettingsRows extends Rows {
  readonly #sheaf: Sheaf;

  constructor(sheaf: Sheaf) {
    super(sheaf, CORE_STORE);
    this.#sheaf = sheaf;
  }

  override async create({ data, ...shown }: RowWrite = {}): Promise<Entry> {
    const key = await this.#write('insert', isPlainObject(data) ? data : {});
    return (await this.findOne({ ...shown, where: { key } }))!;
  }

  override async createMany({ data }: { readonly data: readonly unknown[] }) {
    const ids: number[] = [];
    for (const one of data) ids.push((await this.create({ data: one })).id);
    return { count: ids.length, ids };
  }

  /** The key of a row stays. */
  override async update({ where, filters, data, ...shown }: RowWrite): Promise<Entry | null> {
    const row = await this.findOne({ where, filters });
    if (!row) return null;
    await this.#write('update', { ...row, ...(isPlainObject(data) ? data : {}), key: row.key });
    return this.findOne({ ...shown, where: { id: row.id } });
  }

  override async updateMany({ where, filters, data }: RowWrite): Promise<{ count: number }> {
    const rows = await this.findMany({ where, filters });
    for (const { id } of rows) await this.update({ where: { id }, data });
    return { count: rows.length };
  }

  override async delete({ where, filters, ...shown }: RowParameters): Promise<Entry | null> {
    const row = await this.findOne({ where, filters });
    if (!row) return null;
    const entry = await this.findOne({ ...shown, where: { id: row.id } });
    const { remove } = coreStoreStatements(this.#sheaf.database.dialect);
    await this.#sheaf.database.transaction((session) => session.rows(remove, [String(row.key)]));
    return entry;
  }

  override async deleteMany({ where, filters }: RowParameters = {}): Promise<{ count: number }> {
    const rows = await this.findMany({ where, filters });
    for (const { id } of rows) await this.delete({ where: { id } });
    return { count: rows.length };
  }

  async #write(
    name: 'insert' | 'update',
    { key, value = null, type = null }: Record<string, unknown>,
  ): Promise<string> {
    if (typeof key !== 'string' || key === '')
      throw validationError('Invalid value for key: expected text', { key: 'key' });
    const text = (given: unknown): string | null => (given === null ? null : String(given));
    const statement = coreStoreStatements(this.#sheaf.database.dialect)[name];
    await this.#sheaf.database.transaction((session) => session.rows(statement, [text(value), text(type), key]));
    return key;
  }
}
