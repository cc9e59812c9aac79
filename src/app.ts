// Opens a project on a database: model, connection, settings, and the operations over them.
import path from 'node:path';
import { knownActions } from './access/actions.ts';
import { type Caller, systemCaller } from './access/caller.ts';
import { type Withheld, withheldBy } from './access/withheld.ts';
import { type Auth, openAuth } from './accounts/auth.ts';
import { readSecrets } from './accounts/secrets.ts';
import { UserExtension } from './accounts/users.ts';
import type { Console } from './console/console.ts';
import type { Database, DatabaseHealth } from './db/database.ts';
import { missingRight } from './db/missing-right.ts';
import { modelOn } from './db/model-on.ts';
import { ObservedDatabase, type ObserveStatement } from './db/observed-database.ts';
import { diffSchema, missingForReads, requireReadable } from './db/schema.ts';
import { ScopedDatabase } from './db/scoped-database.ts';
import { type OpenMode, openSqlite } from './db/sqlite.ts';
import { Locales } from './db/stored-locales.ts';
import { decimalColumns, readDefaultLocale } from './db/stored-settings.ts';
import { SetupError, unavailableError } from './errors.ts';
import type { ProjectSheaf } from './extend/define-project.ts';
import type { Extension } from './extend/extension.ts';
import { ownCodeFile } from './extend/own-code.ts';
import { Files } from './files/files.ts';
import { openStorage } from './files/open-storage.ts';
import { requireNoChanges, updateModel } from './migrate/update-model.ts';
import { loadModel } from './model/build.ts';
import { LOCALE, USER } from './model/builtin.ts';
import type { ContentType, Model } from './model/types.ts';
import type { CommitListener } from './operations/commit-events.ts';
import { checkDefaultPopulate } from './operations/default-populate.ts';
import { Documents } from './operations/documents.ts';
import { Operations } from './operations/operations.ts';
import { type ProjectCode, readProjectCode } from './project/code/project-code.ts';
import { type CompiledCache, codeCache } from './project/compiled-cache.ts';
import { requirePostgresUrl, withoutPassword } from './project/connection-url.ts';
import { projectSettings } from './project/environment.ts';
import type { GivenSecrets } from './project/given-secrets.ts';
import { readLocales } from './project/locales.ts';
import type { Settings } from './project/settings.ts';
import { AccountStatements } from './sql/account-statements.ts';

export interface OpenOptions {
  /** Folder of the content project: the one that holds `src/api`. */
  readonly project: string;
  /** `sqlite:PATH`, made where it is missing, or `postgres://…`. */
  readonly database: string;
  /** Whether nothing is written, neither to the database, which has to be there, nor to files; writes fail with a 405. */
  readonly readOnly?: boolean;
  /** Streaming replicas of a PostgreSQL database, which reads go to. */
  readonly replicas?: readonly string[];
  /** Connections that this process may hold to a PostgreSQL server. */
  readonly poolSize?: number;
  /** Where secrets that are not given, and mails that are not sent, are kept; `.sheaf` in the project. */
  readonly state?: string;
  readonly secrets?: GivenSecrets;
  /** @internal Those of the project where they are not given. */
  readonly settings?: Settings;
  /** The address of a mail server, such as smtps://user:password@host. */
  readonly smtp?: string | null;
  /** @internal Is told of the statements that requests run. */
  readonly observe?: ObserveStatement | undefined;
  /** Called when a mail cannot be sent. Without it the error goes to standard error. */
  readonly onMailError?: (error: Error) => void;
}

export interface Locale {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly code: string;
  readonly isDefault: boolean;
  readonly [attribute: string]: unknown;
}

/** The headers of a request, as far as they say who calls. */
export interface CallerHeaders {
  readonly authorization?: string | undefined;
}

/** What is internal is no part of the published types: those name no package that is not installed with ours. */
export interface Sheaf extends ProjectSheaf {
  /** @internal The folder of the project. */
  readonly project: string;
  /** @internal Where what is not given is kept. */
  readonly state: string;
  /** @internal */
  readonly model: Model;
  /** @internal */
  readonly settings: Settings;
  /** @internal The project's own code, which is not run. */
  readonly code: ProjectCode;
  /** @internal What runs the code of src/sheaf.ts; null where there is none. */
  readonly extension: Extension | null;
  /** @internal Actions of the project's own routes, which can be granted. */
  readonly actions: readonly string[];
  /** @internal What is closed because of it: actions that no caller but the system has, however they are granted. */
  readonly withheld: Withheld;
  /** @internal Locales that config/locales.json lists and that this opening has added. */
  readonly addedLocales: readonly string[];
  /** @internal The door that every operation goes through. */
  readonly operations: Operations;
  /** @internal */
  readonly database: Database;
  /** Who calls, by the headers of a request; a token that is wrong or expired is refused. */
  authenticate(headers: CallerHeaders): Promise<Caller>;
  /** @internal Accounts and rights; opened when first asked for. */
  auth(): Promise<Auth>;
  /** @internal Who works in the console; loaded when first asked for. */
  console(): Promise<Console>;
  /**
   * Runs work whose reads and writes, here and in whatever it calls, take effect together or not at all. It may run
   * again where another writer was met.
   */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** The files of the project. */
  readonly files: Files;
  /** Calls the listener after each committed write. Returns a function that ends the subscription. */
  afterCommit(listener: CommitListener): () => void;
  /** The locales of the project. */
  locales(): Promise<Locale[]>;
  /** How far writes have come, where reads may go to replicas; null elsewhere. */
  replicationPosition(): Promise<string | null>;
  /** Throws where the database does not answer or no longer fits the model. */
  check(): Promise<DatabaseHealth>;
  close(): Promise<void>;
}

export async function open(options: OpenOptions): Promise<Sheaf> {
  // What is wrong with the definitions is told before a database is touched.
  const { settings = projectSettings(options.project) } = options;
  const { privateAttributes } = settings.rest;
  const loaded = loadModel(options.project, { privateAttributes });
  const cache = codeCache(stateOf(options), options.readOnly === true);
  const code = await readProjectCode(options.project, loaded.contentTypes.values(), cache);
  const closing = { code, withheld: withheldBy(code.findings, settings) };
  const { readOnly = false } = options;
  const listed = readLocales(options.project);
  const own = await loadOwnCode(options.project, cache);
  const opened = await openDatabase(options.database, readOnly ? 'read' : 'create', options);
  const database = new ScopedDatabase(options.observe ? new ObservedDatabase(opened, options.observe) : opened);
  try {
    const { model, rebuild } = await modelOn(database, options.project, loaded, { privateAttributes });
    const update = { database, model, rebuild, locales: listed, isAllowed: null };
    const tables = readOnly ? await requireNoChanges(update) : (await updateModel(update)).schema.present;
    if (readOnly) requireReadable(tables, database.dialect, model);
    const addedLocales = readOnly || !listed ? [] : await new Locales(database, model).addListed(listed);
    const users = new UserExtension(database, new AccountStatements(database.dialect));
    const operations = new Operations({
      model,
      database,
      defaultLocale: await database.latest(readDefaultLocale),
      decimals: decimalColumns(tables),
      rules: { pages: settings.rest, limits: settings.limits, strict: settings.rest.strictParams },
      extensions: new Map([[USER, users]]),
    });
    checkDefaultPopulate(operations, settings.populate, systemCaller(model));
    await operations.lanes.readSizes();
    const storage = await openStorage(settings.files, options.project, stateOf(options));
    const secret = (): string => readSecrets(options.secrets ?? {}, stateOf(options), readOnly).jwt;
    const folder = path.resolve(options.project, settings.files.folder);
    const files = new Files(operations, settings.files, { storage, folder, secret });
    const actions = [...(own?.actions ?? []), ...(settings.runStrapiCode ? code.actions : [])];
    const sheaf = sheafOf(operations, files, { ...closing, addedLocales, actions }, { ...options, settings });
    if (!own) return sheaf;
    const extension = await own.open(sheaf);
    return { ...sheaf, extension, close: () => extension.end().then(() => sheaf.close()) };
  } catch (error) {
    await database.close();
    throw missingRight(error) ?? error;
  }
}

/** The code of src/sheaf.ts, loaded before a database is touched; null where the project has none. */
async function loadOwnCode(project: string, cache: CompiledCache) {
  const file = ownCodeFile(project);
  if (file === null) return null;
  const { loadProject } = await import('./extend/load-project.ts');
  const { actionsOf, openExtension } = await import('./extend/extension.ts');
  const { ProjectHooks } = await import('./extend/project-hooks.ts');
  const loaded = loadProject(project, file, cache);
  return {
    actions: actionsOf(loaded),
    async open(sheaf: Sheaf): Promise<Extension> {
      const { model, database, operations } = sheaf;
      const documentsFor = (uid: string, caller: Caller): Documents =>
        new Documents(operations, typeOf(model, uid), caller, 'published');
      const extension = await openExtension(loaded, { sheaf, model, database, documentsFor }, knownActions(model));
      operations.addHooks(new ProjectHooks(extension));
      return extension;
    },
  };
}

/** Where what is not given is kept. */
const stateOf = ({ project, state = path.join(project, '.sheaf') }: OpenOptions): string => state;

function sheafOf(
  operations: Operations,
  files: Files,
  found: Pick<Sheaf, 'code' | 'withheld' | 'addedLocales' | 'actions'>,
  options: OpenOptions & { readonly settings: Settings },
): Sheaf {
  const { model, database } = operations;
  const { project, settings, secrets = {}, smtp = null, onMailError = reportMailError } = options;
  const state = stateOf(options);
  const system = systemCaller(model, 'private');
  let opened: Promise<Auth> | null = null;
  const auth = (): Promise<Auth> => {
    const { withheld, actions } = found;
    opened ??= openAuth(operations, { project, state, secrets, smtp, settings, withheld, actions, onMailError });
    return opened;
  };
  let openedConsole: Promise<Console> | null = null;
  const openedConsoleOnce = (): Promise<Console> => {
    openedConsole ??= import('./console/console.ts').then(({ openConsole }) =>
      openConsole({ model, database, settings, withheld: found.withheld }),
    );
    return openedConsole;
  };
  const documents = (uid: string, caller: Caller = system) => new Documents(operations, typeOf(model, uid), caller);
  return {
    project,
    state,
    model,
    settings,
    ...found,
    extension: null,
    operations,
    database,
    documents,
    transaction: (work) => database.transaction(() => work()),
    files,
    auth,
    console: openedConsoleOnce,
    authenticate: async ({ authorization }) => (await auth()).authenticator.identify(authorization),
    afterCommit: (listener) => operations.commits.subscribe(listener),
    async locales() {
      const standard = await database.latest(readDefaultLocale);
      const rows = await documents(LOCALE, systemCaller(model)).findMany();
      return rows.map((row) => ({ ...row, isDefault: row.code === standard }) as Locale);
    },
    replicationPosition: () => database.replicationPosition(),
    async check() {
      const health = await database.check();
      const { length } = database.isReadOnly
        ? await missingForReads(database, model)
        : (await diffSchema(database, model)).steps;
      if (length > 0) throw unavailableError(`The database lacks ${length} parts of the schema`);
      return health;
    },
    async close() {
      await (await opened?.catch(() => null))?.close();
      files.storage.close();
      await operations.lanes.close();
      await database.close();
    },
  };
}

const reportMailError = (error: Error): void => console.error(`A mail could not be sent: ${error.message}`);

function typeOf(model: Model, uid: string): ContentType {
  const type = model.contentTypes.get(uid);
  if (type && type.exposure !== 'hidden') return type;
  const served = [...model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes');
  throw new SetupError(
    `There is no content-type "${uid}" to read; the project has ${served.map((one) => one.uid).join(', ')}`,
  );
}

/** @internal */
export async function openDatabase(
  url: string,
  mode: OpenMode,
  { replicas = [], poolSize }: Pick<OpenOptions, 'replicas' | 'poolSize'> = {},
): Promise<Database> {
  if (url.startsWith('sqlite:')) {
    if (replicas.length > 0) throw new SetupError('A SQLite database has no replicas', ['unset DATABASE_REPLICA_URLS']);
    return openSqlite(path.resolve(url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '')), mode);
  }
  for (const each of [url, ...replicas]) requirePostgresUrl(each);
  const { DEFAULT_POSTGRES, openPostgres } = await import('./db/postgres.ts');
  const options = { ...DEFAULT_POSTGRES, isReadOnly: mode !== 'create', ...(poolSize !== undefined && { poolSize }) };
  const primary = await openPostgres(url, options);
  if (replicas.length === 0) return primary;
  const { ReplicatedDatabase } = await import('./db/replicas.ts');
  const opened = replicas.map(async (replica) => ({
    name: withoutPassword(replica),
    database: await openPostgres(replica, options, true),
  }));
  return new ReplicatedDatabase(primary, await Promise.all(opened));
}
