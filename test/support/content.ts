// Content for tests that write: a project, the guide or one that a test defines in a few lines, on a new and empty
// database, with its HTTP server in process. Everything is closed and removed when the suite is over.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { InjectOptions } from 'fastify';
import { afterAll } from 'vitest';
import { open, type Sheaf } from '../../src/app.ts';
import { createServer } from '../../src/http/server.ts';
import { plainStatement, type Statement } from '../../src/sql/statement.ts';
import { openToAll } from './access.ts';
import type { Engine } from './database.ts';
import { type Project, pluralOf } from './project.ts';

export type { Attributes, Json, Project, TypeDefinition } from './project.ts';
export { localized, pluralOf, relation } from './project.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests.
export type Answered = any;

export interface Answer {
  readonly status: number;
  readonly body: Answered;
  readonly headers: Readonly<Record<string, unknown>>;
}

export const GUIDE_PROJECT = fileURLToPath(new URL('../../examples/guide', import.meta.url));

/** Small projects, each with one oddity. */
const FIXTURE_PROJECTS = fileURLToPath(new URL('../fixtures/projects', import.meta.url));

/** Writes the files of a project below a folder. */
export function writeProject(folder: string, { types, components = {}, locales, settings }: Project): void {
  for (const [name, type] of Object.entries(types)) {
    writeJson(path.join(folder, 'src', 'api', name, 'content-types', name, 'schema.json'), {
      kind: type.single ? 'singleType' : 'collectionType',
      collectionName: type.table ?? pluralOf(name).replaceAll('-', '_'),
      info: { singularName: name, pluralName: pluralOf(name), displayName: name },
      options: { draftAndPublish: type.drafts === true, ...type.options },
      pluginOptions: type.localized ? { i18n: { localized: true } } : {},
      attributes: type.attributes,
    });
  }
  for (const [uid, attributes] of Object.entries(components)) {
    const [category, name] = uid.split('.') as [string, string];
    writeJson(path.join(folder, 'src', 'components', category, `${name}.json`), {
      collectionName: `components_${category}_${name}s`.replaceAll('-', '_'),
      info: { displayName: name },
      attributes,
    });
  }
  if (locales) writeJson(path.join(folder, 'config', 'locales.json'), locales);
  if (settings) writeJson(path.join(folder, 'config', 'sheaf.json'), settings);
}

function writeJson(file: string, value: unknown): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value, null, 2));
}

/** A project that is open on a database, and what tests do with it. */
export class Content {
  readonly sheaf: Sheaf;
  #server: ReturnType<typeof createServer> | null = null;
  #closed = false;
  readonly #statements = new Map<string, Statement>();

  constructor(sheaf: Sheaf) {
    this.sheaf = sheaf;
  }

  /** Made when it is first asked: to register its routes takes as long as to open the project. */
  #asked(): ReturnType<typeof createServer> {
    this.#server ??= createServer(this.sheaf);
    return this.#server;
  }

  async send(
    method: string,
    url: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const answer = await this.#asked().inject({
      method: method as 'GET',
      url: `/api/${url}`,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: answer.statusCode, headers: answer.headers, body: parsed(answer.body) };
  }

  /** A request for a path that need not be of the API. */
  async sendTo(
    method: string,
    url: string,
    options: Pick<InjectOptions, 'headers' | 'payload' | 'remoteAddress'> = {},
  ): Promise<Answer> {
    const answer = await this.#asked().inject({ method: method as 'GET', url, ...options });
    return { status: answer.statusCode, headers: answer.headers, body: parsed(answer.body) };
  }

  /** A body as it is, such as an upload. */
  async sendRaw(
    method: string,
    url: string,
    payload: Buffer,
    headers: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    const answer = await this.#asked().inject({ method: method as 'POST', url: `/api/${url}`, headers, payload });
    return { status: answer.statusCode, headers: answer.headers, body: parsed(answer.body) };
  }

  get(url: string): Promise<Answer> {
    return this.send('GET', url);
  }

  post(url: string, data: unknown): Promise<Answer> {
    return this.send('POST', url, { data });
  }

  put(url: string, data: unknown): Promise<Answer> {
    return this.send('PUT', url, { data });
  }

  delete(url: string): Promise<Answer> {
    return this.send('DELETE', url);
  }

  /** The entry that a request answers with; anything but success ends the test. */
  async entry(method: 'GET' | 'POST' | 'PUT', url: string, data?: unknown): Promise<Answered> {
    const answer = await this.send(method, url, data === undefined ? undefined : { data });
    if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data;
  }

  /** Makes an entry and returns its documentId. */
  async make(url: string, data: unknown): Promise<string> {
    return (await this.entry('POST', url, data)).documentId;
  }

  /** Rows straight from the database. */
  async rows(sql: string): Promise<readonly (readonly Answered[])[]> {
    // The same text is the same statement, so that connections prepare it once.
    const statement = this.#statements.get(sql) ?? plainStatement(sql);
    this.#statements.set(sql, statement);
    return this.sheaf.database.snapshot((session) => session.rows(statement, []));
  }

  /** The one number that a statement asks for. */
  async number(sql: string): Promise<number> {
    return Number((await this.rows(sql))[0]![0]);
  }

  /** A statement straight to the database, past the service. */
  async execute(sql: string): Promise<void> {
    await this.sheaf.database.transaction((session) => session.rows({ sql, bindings: [] }, []));
  }

  /** What is closed already stays closed. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#server?.close();
    await this.sheaf.close();
  }
}

function parsed(text: string): Answered {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export interface Contents {
  /** A new folder that lasts as long as the suite. */
  folder(): string;
  /** A folder with the files of a project. */
  project(project: Project): string;
  /** A copy of a project of test/fixtures/projects. */
  fixture(name: string): string;
  /** Opens a project, the guide where none is given, on a new database or the one given. */
  open(project?: Project | string, database?: string): Promise<Content>;
}

/** A new database for a project, whose files are in a folder. */
export function databaseFor(engine: Engine, project: Project | string, folder: string): Promise<string> {
  if (project === GUIDE_PROJECT) return Promise.resolve(engine.emptyGuideDatabaseUrl());
  if (typeof project === 'string') return Promise.resolve(engine.freshDatabaseUrl());
  const { types, components, locales = null } = project;
  const key = JSON.stringify({ types, components, locales });
  return engine.projectDatabaseUrl(key, locales, async (database) =>
    (await open({ project: folder, database })).close(),
  );
}

/** For the body of a suite: what it opens is closed when it is over. */
export function useContents(engine: Engine): Contents {
  const folders: string[] = [];
  const opened: Content[] = [];
  afterAll(async () => {
    for (const content of opened) await content.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });
  const contents: Contents = {
    folder() {
      const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-content-'));
      folders.push(folder);
      return folder;
    },
    project(project) {
      const folder = contents.folder();
      writeProject(folder, project);
      return folder;
    },
    fixture(name) {
      const folder = contents.folder();
      cpSync(path.join(FIXTURE_PROJECTS, name), folder, { recursive: true });
      return folder;
    },
    async open(project = GUIDE_PROJECT, given) {
      const folder = typeof project === 'string' ? project : contents.project(project);
      const database = given ?? (await databaseFor(engine, project, folder));
      const sheaf = await open({ project: folder, database });
      await openToAll(sheaf);
      const content = new Content(sheaf);
      opened.push(content);
      return content;
    },
  };
  return contents;
}
