// The one list of databases that tests run on. Every test that touches SQL goes through describeOnEveryDatabase, so
// that none can forget one. Each database is a temporary copy of the guide, with tables replaced where a test says
// so, and is gone when the suite is over.
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { afterAll, inject } from 'vitest';
import { open, type Sheaf } from '../../src/app.ts';
import type { Session } from '../../src/db/database.ts';
import {
  EMPTY_GUIDE_TEMPLATE,
  GUIDE_TEMPLATE,
  sqliteTemplate,
  TEMPLATE_LOCALES,
  templateOf,
} from './postgres-content.ts';
import type { Reply, Request, Task } from './postgres-worker.ts';
import { describeSteadily } from './stalled-machine.ts';

export type Cell = string | number | bigint | null;
/** Rows by table. A table that is named holds these rows and no others; one that is not stays as it is in the guide. */
export type TableContents = Readonly<Record<string, readonly Readonly<Record<string, Cell>>[]>>;

export interface Engine {
  readonly name: string;
  /** The guide's project on a fresh database; closed and removed after the suite. */
  open(contents?: TableContents): Promise<Sheaf>;
  /** The URL of a new and empty database; removed after the suite. */
  freshDatabaseUrl(): string;
  /**
   * The URL of a database on which a project with these locales, null for none listed, makes its own tables alone; the
   * others are there where that saves time.
   */
  bareDatabaseUrl(locales: readonly string[] | null): string;
  /** The same for the guide, whose own tables may be there, too. */
  emptyGuideDatabaseUrl(): string;
  /**
   * The URL of a database for the project that a key stands for, without content. From its second use on, a project has
   * its tables copied from a database on which `makeTables` opened it.
   */
  projectDatabaseUrl(
    key: string,
    locales: readonly string[] | null,
    makeTables: (url: string) => Promise<void>,
  ): Promise<string>;
  /** The URL of a copy of the guide's database; removed after the suite. */
  guideDatabaseUrl(): string;
  /** What the database itself finds wrong with its files and its foreign keys; nothing where all is well. */
  damage(url: string): readonly string[];
}

interface Product {
  readonly name: string;
  /** Makes a database and returns its URL. `folder` is removed after the suite. */
  create(contents: TableContents, folder: string): string;
  /** The URL of an empty one. */
  fresh(folder: string): string;
  bare(folder: string, locales: readonly string[] | null): string;
  emptyGuide(folder: string): string;
  /** The URL of a copy of one that nobody is connected to. */
  copy(url: string, folder: string): string;
  damage(url: string): readonly string[];
  /** Removes what is not in a folder. */
  remove(urls: readonly string[]): void;
}

/** A database that Strapi 5 made from the guide. */
export const FIXTURE = fileURLToPath(new URL('../fixtures/guide.sqlite', import.meta.url));
export const GUIDE = fileURLToPath(new URL('../../examples/guide', import.meta.url));

const hasTemplate = (locales: readonly string[] | null): boolean =>
  TEMPLATE_LOCALES.some((made) => templateOf(made) === templateOf(locales));

const sqliteCopy = (folder: string, template: string): string =>
  sqlite.copy(sqliteTemplate(inject('sqliteTemplates'), template), folder);

const sqlite: Product = {
  name: 'SQLite',
  create(contents, folder) {
    const file = path.join(folder, 'guide.sqlite');
    copyFileSync(FIXTURE, file);
    // Tables refer to one another in both directions; they are checked when all of them are filled.
    const connection = new DatabaseSync(file, { enableForeignKeyConstraints: false });
    try {
      connection.exec('begin');
      for (const [table, rows] of Object.entries(contents)) {
        connection.exec(`delete from "${table}"`);
        for (const row of rows) {
          const columns = Object.keys(row);
          const names = columns.map((column) => `"${column}"`).join(', ');
          const places = columns.map(() => '?').join(', ');
          connection
            .prepare(`insert into "${table}" (${names}) values (${places})`)
            .run(...columns.map((column) => row[column] ?? null));
        }
      }
      connection.exec('commit');
      const broken = connection.prepare('pragma foreign_key_check').all();
      if (broken.length > 0) throw new Error(`The contents point at nothing: ${JSON.stringify(broken.slice(0, 5))}`);
    } finally {
      connection.close();
    }
    return `sqlite:${file}`;
  },
  fresh: (folder) => `sqlite:${path.join(folder, 'fresh.sqlite')}`,
  bare: (folder, locales) => (hasTemplate(locales) ? sqliteCopy(folder, templateOf(locales)) : sqlite.fresh(folder)),
  emptyGuide: (folder) => sqliteCopy(folder, EMPTY_GUIDE_TEMPLATE),
  copy(url, folder) {
    const file = path.join(folder, 'copy.sqlite');
    copyFileSync(url.slice('sqlite:'.length), file);
    return `sqlite:${file}`;
  },
  damage(url) {
    const connection = new DatabaseSync(url.slice('sqlite:'.length));
    try {
      const answers = ['integrity_check', 'foreign_key_check'].flatMap((pragma) =>
        connection.prepare(`pragma ${pragma}`).all(),
      );
      return answers.map((row) => JSON.stringify(row)).filter((text) => text !== '{"integrity_check":"ok"}');
    } finally {
      connection.close();
    }
  },
  remove: () => undefined,
};

let worker: Worker | undefined;

/** Has a task done by the worker, and waits for it. */
function performed(task: Task): readonly string[] {
  if (!worker) {
    worker = new Worker(new URL('./postgres-worker.ts', import.meta.url), { execArgv: ['--no-warnings'] });
    worker.unref();
  }
  const { port1, port2 } = new MessageChannel();
  const done = new Int32Array(new SharedArrayBuffer(4));
  worker.postMessage({ task, port: port2, done } satisfies Request, [port2]);
  Atomics.wait(done, 0, 0);
  const reply = receiveMessageOnPort(port1)!.message as Reply;
  port1.close();
  if ('error' in reply) throw new Error(`PostgreSQL: ${reply.error}`);
  return reply.result;
}

/**
 * How long the driver waits in tests, which are about what is answered: a machine that stands still for seconds makes
 * none of them fail. What a server does when its database is slow has a server of its own.
 */
const PATIENCE = new URLSearchParams({
  connect_timeout: '90',
  statement_timeout: '90000',
  query_timeout: '91000',
  lock_timeout: '60000',
  idle_in_transaction_session_timeout: '90000',
});

/** A new database of the run's server. */
function postgresDatabase(template: string): string {
  const server = inject('postgres');
  const name = `test_${randomBytes(8).toString('hex')}`;
  performed({ kind: 'create', server, name, template });
  return `${server}/${name}?${PATIENCE}`;
}

const databaseName = (url: string): string => new URL(url).pathname.slice(1);

const postgres: Product = {
  name: 'PostgreSQL',
  create(contents) {
    const url = postgresDatabase(GUIDE_TEMPLATE);
    if (Object.keys(contents).length > 0) performed({ kind: 'fill', url, contents });
    return url;
  },
  fresh: () => postgresDatabase('template0'),
  bare(_folder, locales) {
    return postgresDatabase(hasTemplate(locales) ? templateOf(locales) : 'template0');
  },
  emptyGuide: () => postgresDatabase(EMPTY_GUIDE_TEMPLATE),
  copy: (url) => postgresDatabase(databaseName(url)),
  damage: (url) => performed({ kind: 'damage', url }),
  remove(urls) {
    performed({ kind: 'drop', server: inject('postgres'), names: urls.map(databaseName) });
  },
};

const PRODUCTS: readonly Product[] = [sqlite, postgres];

/** Databases to be copied, by product and key; null where there is none yet. They last as long as this process. */
const templates = new Map<string, string | null>();

const lastingFolders: string[] = [];

/** A folder that lasts as long as this process. */
function lastingFolder(): string {
  if (lastingFolders.length === 0) {
    process.once('exit', () => {
      for (const folder of lastingFolders) rmSync(folder, { recursive: true, force: true });
    });
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-template-'));
  lastingFolders.push(folder);
  return folder;
}

/** For the body of a suite: what the engine makes is gone when the suite is over. */
function useEngine(product: Product): Engine {
  const opened: Sheaf[] = [];
  const folders: string[] = [];
  const urls: string[] = [];
  afterAll(async () => {
    for (const sheaf of opened) await sheaf.close();
    product.remove(urls);
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const folder = () => {
    const made = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
    folders.push(made);
    return made;
  };
  const made = (url: string): string => {
    urls.push(url);
    return url;
  };
  return {
    name: product.name,
    freshDatabaseUrl: () => made(product.fresh(folder())),
    bareDatabaseUrl: (locales) => made(product.bare(folder(), locales)),
    emptyGuideDatabaseUrl: () => made(product.emptyGuide(folder())),
    async projectDatabaseUrl(key, locales, makeTables) {
      const id = `${product.name} ${key}`;
      const template = templates.get(id) ?? null;
      if (template !== null) return made(product.copy(template, folder()));
      if (!templates.has(id)) {
        templates.set(id, null);
        return made(product.bare(folder(), locales));
      }
      const url = product.bare(lastingFolder(), locales);
      await makeTables(url);
      templates.set(id, url);
      return made(product.copy(url, folder()));
    },
    guideDatabaseUrl: () => made(product.create({}, folder())),
    damage: (url) => product.damage(url),
    async open(contents = {}) {
      const sheaf = await open({ project: GUIDE, database: made(product.create(contents, folder())) });
      opened.push(sheaf);
      return sheaf;
    },
  };
}

type Body = (engine: Engine) => void;

export function describeOnEveryDatabase(name: string, body: Body): void {
  for (const product of PRODUCTS) describeSteadily(`${name} (${product.name})`, () => body(useEngine(product)));
}

/** A suite that compares databases with one another. */
export function describeAcrossDatabases(name: string, body: (engines: readonly Engine[]) => void): void {
  describeSteadily(name, () => body(PRODUCTS.map(useEngine)));
}

/** A suite about SQLite alone. */
export function describeOnSqlite(name: string, body: Body): void {
  describeSteadily(name, () => body(useEngine(sqlite)));
}

/** A suite about PostgreSQL alone. */
export function describeOnPostgres(name: string, body: Body): void {
  describeSteadily(name, () => body(useEngine(postgres)));
}

/** The text of every statement that is sent from now on, in order. Empty the list to start over. */
export function recordStatements(sheaf: Sheaf): string[] {
  const texts: string[] = [];
  const { database } = sheaf;
  const recording = (session: Session): Session => ({
    rows(statement, values) {
      texts.push(statement.sql);
      return session.rows(statement, values);
    },
  });
  const { snapshot, transaction } = database;
  database.snapshot = (work, ...rest) =>
    snapshot.call(database, (session) => work(recording(session)), ...rest) as never;
  database.transaction = (work, ...rest) =>
    transaction.call(database, (session) => work(recording(session)), ...rest) as never;
  return texts;
}
