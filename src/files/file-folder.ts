// The folder of the media library that uploads of the API land in, made as Strapi 5 makes it.
import { createId } from '@paralleldrive/cuid2';
import type { Database, Session } from '../db/database.ts';
import { SETTINGS_TABLE } from '../model/tables.ts';
import { API_FOLDER, type FileStatements, PICTURE_SETTINGS } from '../sql/file-statements.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import { isObject } from '../type-guards.ts';
import type { PictureOptions } from './pictures.ts';

const NAME = 'API Uploads';

export interface Folder {
  readonly id: number;
  readonly path: string;
}

export class FileFolder {
  readonly #database: Database;
  readonly #statements: FileStatements;

  constructor(database: Database, statements: FileStatements) {
    this.#database = database;
    this.#statements = statements;
  }

  /** The folder, made where it is missing. */
  async ensure(): Promise<Folder> {
    return (
      (await this.#database.latest((session) => this.#find(session))) ??
      this.#database.transaction(async (session) => {
        const sql = new WriteStatements(this.#database.dialect);
        if (sql.needsLocks) await session.rows(sql.lockKeys(), [JSON.stringify([API_FOLDER])]);
        return (await this.#find(session)) ?? this.#make(session, sql);
      })
    );
  }

  /** What is made of pictures, as the administration of Strapi 5 says. */
  async pictureSettings(): Promise<Pick<PictureOptions, 'sizeOptimization' | 'responsiveDimensions'>> {
    const stored = await this.#database.snapshot((session) => this.#setting(session, PICTURE_SETTINGS));
    return {
      sizeOptimization: stored?.sizeOptimization !== false,
      responsiveDimensions: stored?.responsiveDimensions !== false,
    };
  }

  async #setting(session: Session, key: string): Promise<Record<string, unknown> | null> {
    const [row] = await session.rows(this.#statements.setting(), [key]);
    try {
      const value: unknown = JSON.parse(String(row?.[0]));
      return isObject(value) ? value : null;
    } catch {
      return null;
    }
  }

  async #find(session: Session): Promise<Folder | null> {
    const id = (await this.#setting(session, API_FOLDER))?.id;
    if (typeof id !== 'number') return null;
    const [row] = await session.rows(this.#statements.folderPath(), [id]);
    return row ? { id, path: row[0] } : null;
  }

  async #make(session: Session, sql: WriteStatements): Promise<Folder> {
    const rows = await session.rows(this.#statements.topFolders(), []);
    const names = new Set(rows.map(([name]) => name));
    const pathId = Math.max(0, ...rows.map(([, highest]) => Number(highest ?? 0))) + 1;
    let name = NAME;
    for (let number = 1; names.has(name); number++) name = `${NAME} (${number})`;
    const now = Date.now();
    const path = `/${pathId}`;
    const insert = sql.insertRow('upload_folders', [
      { column: 'document_id', type: 'string' },
      { column: 'name', type: 'string' },
      { column: 'path_id', type: 'integer' },
      { column: 'path', type: 'string' },
      { column: 'created_at', type: 'datetime' },
      { column: 'updated_at', type: 'datetime' },
      { column: 'published_at', type: 'datetime' },
    ]);
    const [row] = await session.rows(insert, [createId(), name, pathId, path, now, now, now]);
    const id = row![0];
    await this.#remember(session, sql, id);
    return { id, path };
  }

  async #remember(session: Session, sql: WriteStatements, id: number): Promise<void> {
    const value = JSON.stringify({ id });
    const known = await session.rows(this.#statements.setting(), [API_FOLDER]);
    if (known.length > 0) {
      await session.rows(this.#statements.updateSetting(), [value, API_FOLDER]);
      return;
    }
    const text = (column: string) => ({ column, type: 'text' as const });
    const insert = sql.insertRow(SETTINGS_TABLE, ['key', 'value', 'type'].map(text));
    await session.rows(insert, [API_FOLDER, value, 'object']);
  }
}
