// `sheaf backup FILE`: copies a SQLite database that is in use, and checks the copy.
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { openDatabase } from '../app.ts';
import { modelOn } from '../db/model-on.ts';
import { missingForReads } from '../db/schema.ts';
import { type BackupProgress, checkCopy, copySqlite } from '../db/sqlite-backup.ts';
import { SetupError } from '../errors.ts';
import { loadModel } from '../model/build.ts';
import { databaseOf, type ServerConfig } from '../project/environment.ts';
import { contentChecks } from '../sql/content-checks.ts';
import { plainStatement } from '../sql/statement.ts';

/** What a copy that is not complete is called. */
const UNFINISHED = '.partial';
const MEGABYTE = 1_000_000;

export interface BackupOutput {
  report(text: string): void;
  /** Null where nobody watches. */
  readonly progress: ((text: string) => void) | null;
}

interface BackupReport {
  readonly file: string;
  readonly bytes: number;
  readonly pages: number;
  /** Rows that refer to nothing, and lists that are not as Sheaf keeps them. The database has the same. */
  readonly findings: readonly string[];
  /** Why the content was not checked; null where it was. */
  readonly unchecked: string | null;
}

export async function backupCommand(
  config: ServerConfig,
  file: string,
  isJson: boolean,
  { report, progress }: BackupOutput,
): Promise<void> {
  const source = sqliteFileOf(config, file);
  const target = path.resolve(file);
  requireFree(target);
  const unfinished = `${target}${UNFINISHED}`;
  requireFree(unfinished);
  try {
    const pages = await copySqlite(source, unfinished, (state) => progress?.(progressLine(state))).catch((error) => {
      throw new SetupError(`The database ${source} cannot be copied: ${error.message}`);
    });
    progress?.('\r\u001b[Kchecking the copy');
    const { damage, danglingKeys } = checkCopy(unfinished);
    if (damage.length > 0)
      throw new SetupError('The copy is damaged, and was removed; so may be the database:', damage);
    const content = await checkContent(config, unfinished);
    progress?.('\r\u001b[K');
    requireFree(target);
    renameSync(unfinished, target);
    const findings = [...danglingKeys, ...content.findings];
    const made = { file: target, bytes: statSync(target).size, pages, findings, unchecked: content.unchecked };
    report(isJson ? `${JSON.stringify(made)}\n` : reportText(made, config));
  } catch (error) {
    for (const ending of ['', '-journal', '-wal', '-shm']) rmSync(`${unfinished}${ending}`, { force: true });
    throw error;
  }
}

function sqliteFileOf(config: ServerConfig, target: string): string {
  const database = databaseOf(config);
  if (!database.startsWith('sqlite:'))
    throw new SetupError('sheaf backup copies SQLite databases; PostgreSQL has a program of its own for this', [
      pgDump(database, target),
    ]);
  const file = path.resolve(database.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, ''));
  if (!existsSync(file)) throw new SetupError(`There is no database ${file}`);
  return file;
}

/** The command that does it on PostgreSQL. It asks for the password, or takes it from PGPASSWORD or a .pgpass file. */
function pgDump(database: string, target: string): string {
  const url = new URL(database);
  const schema = url.searchParams.get('schema');
  url.password = '';
  url.searchParams.delete('schema');
  const words = ['pg_dump', '--format=custom', `--file=${target}`, ...(schema ? [`--schema=${schema}`] : []), url.href];
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}

function requireFree(file: string): void {
  if (existsSync(file))
    throw new SetupError(`${file} exists, and is not overwritten`, ['name another file, or remove it']);
  if (!existsSync(path.dirname(file))) throw new SetupError(`There is no folder ${path.dirname(file)}`);
}

/** A project whose definitions are wrong has a backup all the same. */
async function checkContent(
  { project }: ServerConfig,
  file: string,
): Promise<Pick<BackupReport, 'findings' | 'unchecked'>> {
  const database = await openDatabase(`sqlite:${file}`, 'read');
  try {
    const { model } = await modelOn(database, project, loadModel(project));
    const { length: missing } = await missingForReads(database, model);
    if (missing > 0) return { findings: [], unchecked: `the database lacks ${missing} parts of the definitions` };
    const findings = await database.snapshot(async (session) => {
      const found: string[] = [];
      for (const { what, sql } of contentChecks(model)) {
        const { length } = await session.rows(plainStatement(sql), []);
        if (length > 0) found.push(`${what}: ${length} times`);
      }
      return found;
    });
    return { findings, unchecked: null };
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    return { findings: [], unchecked: error.message.split('\n')[0]! };
  } finally {
    await database.close();
  }
}

const progressLine = ({ pages, remaining }: BackupProgress): string =>
  `\r\u001b[K${Math.round((100 * (pages - remaining)) / Math.max(pages, 1))} % of ${pages} pages`;

function reportText({ file, bytes, findings, unchecked }: BackupReport, { state }: ServerConfig): string {
  const secrets = path.join(state, 'secrets.json');
  const lines = [
    `Copied to ${file}: ${(bytes / MEGABYTE).toFixed(1)} MB.`,
    unchecked === null
      ? `The copy is whole; ${findings.length === 0 ? 'its content is in order.' : 'the database itself has these faults, and so has the copy:'}`
      : `The copy is whole. Its content was not checked: ${unchecked}`,
    ...findings.map((finding) => `  - ${finding}`),
    ...(existsSync(secrets) ? [`Keep ${secrets} as well: tokens are signed with what it holds.`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
