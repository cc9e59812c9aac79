// Statements about files beside those of their rows: the folder that uploads land in, what Strapi 5 keeps of it, and
// what is stored.
import { sql } from 'kysely';
import { SETTINGS_TABLE } from '../model/tables.ts';
import type { Dialect, Fragment } from './dialect.ts';
import type { Statement } from './statement.ts';
import { StatementCache } from './statement-cache.ts';

const value = (): Fragment => sql`${sql.val(null)}`;
const FOLDERS = 'upload_folders';

/** Keys of what Strapi 5 keeps about files. */
export const API_FOLDER = 'plugin_upload_api-folder';
export const PICTURE_SETTINGS = 'plugin_upload_settings';

/** A row of a file, as far as its bytes go. */
export type StoredFileRow = readonly [
  id: number,
  documentId: string,
  url: string,
  size: number,
  formats: string | null,
  provider: string,
];

export class FileStatements {
  readonly #dialect: Dialect;
  readonly #cache: StatementCache;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#cache = new StatementCache(dialect);
  }

  /** Values: the key. */
  setting(): Statement<readonly [value: string | null]> {
    return this.#cache.once(
      'setting',
      () => sql`select value from ${sql.table(SETTINGS_TABLE)} where key = ${value()}`,
    );
  }

  /** Values: the value, the key. */
  updateSetting(): Statement {
    return this.#cache.once(
      'update setting',
      () => sql`update ${sql.table(SETTINGS_TABLE)} set value = ${value()} where key = ${value()}`,
    );
  }

  /** Values: the id. */
  folderPath(): Statement<readonly [path: string]> {
    return this.#cache.once('folder', () => sql`select path from ${sql.table(FOLDERS)} where id = ${value()}`);
  }

  /** Names of the folders at the top, and the highest number of a folder. */
  topFolders(): Statement<readonly [name: string | null, highest: number | null]> {
    return this.#cache.once(
      'top folders',
      () =>
        sql`select name, null from ${sql.table(FOLDERS)} as f where not exists (select 1 from upload_folders_parent_lnk as l where l.folder_id = f.id) union all select null, max(path_id) from ${sql.table(FOLDERS)}`,
    );
  }

  /** Puts a file into a folder, last. Values: the file, the folder. */
  putIntoFolder(): Statement {
    return this.#cache.once(
      'into folder',
      () =>
        sql`insert into files_folder_lnk (file_id, folder_id, file_ord) select cast(${value()} as integer), f.id, coalesce((select max(file_ord) from files_folder_lnk as o where o.folder_id = f.id), 0) + 1 from ${sql.table(FOLDERS)} as f where f.id = ${value()}`,
    );
  }

  /** Rows of content-types and components that show a file. Values: the file, how many at most. */
  uses(): Statement<readonly [uid: string, row: number, field: string]> {
    return this.#cache.once(
      'uses',
      () =>
        sql`select related_type, related_id, field from files_related_mph where file_id = ${value()} and related_id is not null order by related_type, related_id, id limit ${value()}`,
    );
  }

  /** Values: the id of a row. */
  documentIdOf(): Statement<readonly [documentId: string]> {
    return this.#cache.once('document', () => sql`select document_id from files where id = cast(${value()} as bigint)`);
  }

  /** How many entries show a file. Values: the document of the file. */
  usesOf(): Statement<readonly [uses: number | string]> {
    return this.#cache.once(
      'uses',
      () =>
        sql`select count(*) from files_related_mph as m join files as f on f.id = m.file_id where f.document_id = ${value()}`,
    );
  }

  /** Files after an id, in the order of their ids. Values: the id, how many. */
  storedFiles(): Statement<StoredFileRow> {
    return this.#cache.once(
      'stored',
      () =>
        sql`select id, document_id, url, ${this.#dialect.rowOutput(sql.id('size'), 'decimal')}, ${this.#dialect.rowOutput(sql.id('formats'), 'json')}, provider from files where id > ${value()} order by id limit ${value()}`,
    );
  }

  /** Values: the url. */
  idsByUrl(): Statement<readonly [id: number]> {
    return this.#cache.once('by url', () => sql`select id from files where url = ${value()}`);
  }
}
