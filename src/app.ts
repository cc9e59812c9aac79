// Opens a project on a database: model, connection, settings, and the in-process interface over them.
import path from 'node:path';
import type { Database } from './db/database.ts';
import { readDefaultLocale } from './db/settings.ts';
import { openSqlite } from './db/sqlite.ts';
import { Documents } from './documents/documents.ts';
import { Pipeline } from './documents/pipeline.ts';
import { SetupError } from './errors.ts';
import { loadModel } from './model/build.ts';
import { LOCALE } from './model/builtin.ts';
import type { ContentType, Model } from './model/types.ts';

export interface OpenOptions {
  /** Folder of the content project: the one that holds `src/api`. */
  readonly project: string;
  /** `sqlite:PATH`. */
  readonly database: string;
}

export interface Locale {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly code: string;
  readonly isDefault: boolean;
  readonly [attribute: string]: unknown;
}

export interface Sheaf {
  readonly model: Model;
  readonly pipeline: Pipeline;
  documents(uid: string): Documents;
  /** The locales of the project. */
  locales(): Promise<Locale[]>;
  close(): Promise<void>;
}

export async function open(options: OpenOptions): Promise<Sheaf> {
  const model = loadModel(options.project);
  const database = openDatabase(options.database);
  try {
    await checkTables(model, database, options.database);
    const defaultLocale = await readDefaultLocale(database);
    const pipeline = new Pipeline(model, database, defaultLocale);
    const documents = (uid: string): Documents => {
      if (model.contentTypes.get(uid)?.exposure === undefined || model.contentTypes.get(uid)?.exposure === 'hidden')
        throw new SetupError(`There is no content-type "${uid}" to read; the project has ${served(model).join(', ')}`);
      return new Documents(pipeline, uid);
    };
    return {
      model,
      pipeline,
      documents,
      async locales() {
        const rows = await documents(LOCALE).findMany();
        return rows.map((row) => ({ ...row, isDefault: row.code === defaultLocale }) as unknown as Locale);
      },
      close: () => database.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const served = (model: Model): string[] =>
  [...model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes').map(({ uid }) => uid);

function openDatabase(url: string): Database {
  if (url.startsWith('sqlite:'))
    return openSqlite(path.resolve(url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')));
  if (/^postgres(ql)?:/.test(url))
    throw new SetupError('PostgreSQL is not supported by this version', ['use --database sqlite:PATH']);
  throw new SetupError(`The database "${url}" cannot be opened`, ['expected sqlite:PATH']);
}

/** Content that has no table cannot be read; better told at the start than at the first request. */
async function checkTables(model: Model, database: Database, url: string): Promise<void> {
  const problems: string[] = [];
  const types: ContentType[] = [...model.contentTypes.values()].filter(({ exposure }) => exposure !== 'hidden');
  for (const { uid, table } of [...types, ...model.components.values()])
    if (!(await database.hasTable(table))) problems.push(`${uid}: there is no table "${table}"`);
  if (problems.length > 0)
    throw new SetupError(`The database ${url} does not hold the content of this project:`, [
      ...problems,
      'expected a database that was made from this project; check --project and --database',
    ]);
}
