// Copies a SQLite file that is in use, and checks the copy.
import { chmodSync, closeSync, openSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { MAX_BUSY_WAIT_MS } from '../limits.ts';

/** Pages that are copied before others get their turn: 4 MB of a file as SQLite makes it. */
const PAGES_AT_ONCE = 1_000;

export interface BackupProgress {
  readonly pages: number;
  readonly remaining: number;
}

/**
 * Copies the state at the moment of the call to a file that must not exist. The transaction that is open meanwhile keeps
 * that state for us, so that writes neither wait nor make the copy begin again. Returns the number of pages.
 */
export async function copySqlite(
  source: string,
  target: string,
  onProgress: (progress: BackupProgress) => void,
): Promise<number> {
  // For this account alone: it holds hashes of passwords.
  closeSync(openSync(target, 'wx', 0o600));
  const database = new DatabaseSync(source, { readOnly: true, timeout: MAX_BUSY_WAIT_MS });
  try {
    database.exec('begin; select count(*) from sqlite_schema');
    const pages = await backup(database, target, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => onProgress({ pages: totalPages, remaining: remainingPages }),
    });
    chmodSync(target, 0o600);
    return pages;
  } finally {
    database.close();
  }
}

export interface FileCheck {
  /** What is wrong with the file itself. */
  readonly damage: readonly string[];
  /** Tables with rows that refer to nothing, and how many they are. */
  readonly danglingKeys: readonly string[];
}

/** Checks a copy, which becomes a single file: without a log beside it. */
export function checkCopy(file: string): FileCheck {
  const database = new DatabaseSync(file);
  try {
    database.exec('pragma journal_mode = delete');
    const rows = database.prepare('pragma integrity_check').all();
    const damage = rows.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok');
    const dangling = database
      .prepare('select "table" as name, parent, count(*) as count from pragma_foreign_key_check group by 1, 2')
      .all();
    return {
      damage,
      danglingKeys: dangling.map(({ name, parent, count }) => `${count} rows of ${name} refer to no row of ${parent}`),
    };
  } finally {
    database.close();
  }
}
