// Opens a project on a database: model, connection, settings, and the in-process interface over them.
import path from 'node:path';
import { type Auth, openAuth } from './accounts/auth.ts';
import type { GivenSecrets } from './accounts/secrets.ts';
import type { Database, DatabaseHealth } from './db/database.ts';
import { applySchema, diffSchema } from './db/schema.ts';
import { openSqlite, type WhenMissing } from './db/sqlite.ts';
import { decimalColumns, readDefaultLocale } from './db/stored-settings.ts';
import { SetupError, unavailableError } from './errors.ts';
import { loadModel } from './model/build.ts';
import { LOCALE, USER } from './model/builtin.ts';
import type { Model } from './model/types.ts';
import { Documents } from './operations/documents.ts';
import { Pipeline } from './operations/pipeline.ts';
import { Writer } from './operations/writer.ts';
import { readLocales } from './project/locales.ts';
import { readSettings, type Settings } from './project/settings.ts';

export interface OpenOptions {
  /** Folder of the content project: the one that holds `src/api`. */
  readonly project: string;
  /** `sqlite:PATH`, made where it is missing, or `postgres://…`. */
  readonly database: string;
  /** Streaming replicas of a PostgreSQL database, which reads go to. */
  readonly replicas?: readonly string[];
  /** Connections that this process may hold to a PostgreSQL server. */
  readonly poolSize?: number;
  /** Where secrets that are not given, and mails that are not sent, are kept; `.sheaf` in the project. */
  readonly state?: string;
  readonly secrets?: GivenSecrets;
  /** The address of a mail server, such as smtps://user:password@host. */
  readonly smtp?: string | null;
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
  readonly settings: Settings;
  documents(uid: string): Documents;
  /** Who may do what; opened when it is first asked for. */
  auth(): Promise<Auth>;
  /** The locales of the project. */
  locales(): Promise<Locale[]>;
  /** How far writes have come, where reads may go to replicas; null elsewhere. */
  position(): Promise<string | null>;
  /** Throws where the database does not answer or no longer fits the model. */
  check(): Promise<DatabaseHealth>;
  close(): Promise<void>;
}

export async function open(options: OpenOptions): Promise<Sheaf> {
  const model = loadModel(options.project);
  const settings = readSettings(options.project);
  const database = await openDatabase(options.database, 'create', options);
  try {
    await applySchema(database, model, readLocales(options.project));
    const defaultLocale = await readDefaultLocale(database);
    const pipeline = new Pipeline(model, database, defaultLocale);
    const writer = new Writer(pipeline, await decimalColumns(database));
    const documents = (uid: string): Documents => {
      if (model.contentTypes.get(uid)?.exposure === undefined || model.contentTypes.get(uid)?.exposure === 'hidden')
        throw new SetupError(`There is no content-type "${uid}" to read; the project has ${served(model).join(', ')}`);
      return new Documents(pipeline, writer, model.contentTypes.get(uid)!);
    };
    let auth: Promise<Auth> | null = null;
    const { project, state = path.join(project, '.sheaf'), secrets = {}, smtp = null } = options;
    return {
      model,
      pipeline,
      settings,
      documents,
      auth() {
        auth ??= openAuth(model, database, documents(USER), { project, state, secrets, smtp, settings });
        return auth;
      },
      async locales() {
        const rows = await documents(LOCALE).findMany();
        return rows.map((row) => ({ ...row, isDefault: row.code === defaultLocale }) as unknown as Locale);
      },
      position: () => database.position(),
      async check() {
        const health = await database.check();
        const { steps } = await diffSchema(database, model);
        if (steps.length > 0) throw unavailableError(`The database lacks ${steps.length} parts of the schema`);
        return health;
      },
      async close() {
        await (await auth?.catch(() => null))?.close();
        await database.close();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

const served = (model: Model): string[] =>
  [...model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes').map(({ uid }) => uid);

export async function openDatabase(
  url: string,
  whenMissing: WhenMissing,
  { replicas = [], poolSize }: Pick<OpenOptions, 'replicas' | 'poolSize'> = {},
): Promise<Database> {
  if (url.startsWith('sqlite:')) {
    if (replicas.length > 0) throw new SetupError('A SQLite database has no replicas', ['unset DATABASE_REPLICA_URLS']);
    return openSqlite(path.resolve(url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')), whenMissing);
  }
  if (!/^postgres(ql)?:\/\//.test(url))
    throw new SetupError(`The database "${withoutPassword(url)}" cannot be opened`, [
      'expected sqlite:PATH or postgres://…',
    ]);
  const { DEFAULT_POSTGRES, openPostgres } = await import('./db/postgres.ts');
  const options = { ...DEFAULT_POSTGRES, ...(poolSize !== undefined && { poolSize }) };
  const primary = await openPostgres(url, options);
  if (replicas.length === 0) return primary;
  const { ReplicatedDatabase } = await import('./db/replicas.ts');
  const opened = replicas.map(async (replica) => ({
    name: withoutPassword(replica),
    database: await openPostgres(replica, options, true),
  }));
  return new ReplicatedDatabase(primary, await Promise.all(opened));
}

/** An address as it may be shown. */
export const withoutPassword = (url: string): string => url.replace(/^(\w+:\/\/[^:/@]*):[^@/]*@/, '$1:…@');
