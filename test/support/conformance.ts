// The recorded requests and what their content starts from, as tests replay them. Names stand for documentIds, which
// differ from one database to the next.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sheaf } from '../../src/app.ts';
import { createServer } from '../../src/http/server.ts';
import { openToAll } from './access.ts';

const CONFORMANCE = fileURLToPath(new URL('../conformance', import.meta.url));

export interface Request {
  /** Under which name the documentId of the answer is remembered. */
  readonly key?: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent as it stands, so that broken JSON can be sent too. */
  readonly rawBody?: string;
}

export interface Step extends Request {
  /** Dotted paths into the answer; where given, only these are compared. */
  readonly pick?: readonly string[];
  readonly expect: { readonly status: number; readonly body: unknown };
}

export interface Case extends Step {
  readonly name: string;
  /** Why the answer is not that of Strapi 5, where it is not. */
  readonly why?: string;
  /** Requests that belong together, in order. Where there are none the case is its own only step. */
  readonly steps?: readonly Step[];
}

export interface CaseFile {
  readonly name: string;
  readonly cases: readonly Case[];
}

const readJson = (...file: string[]): unknown => JSON.parse(readFileSync(path.join(CONFORMANCE, ...file), 'utf8'));

/** Every recorded file in the order of replay: what reads before what writes. */
export const CASE_FILES: readonly CaseFile[] = readdirSync(path.join(CONFORMANCE, 'cases'))
  .sort()
  .map((file) => ({
    name: path.basename(file, '.json'),
    cases: (readJson('cases', file) as { cases: readonly Case[] }).cases,
  }));
export const READ_FILES = CASE_FILES.filter(({ name }) => name.startsWith('read-'));

export const stepsOf = (one: Case): readonly Step[] => one.steps ?? [one];

/** The names of the documents in the guide's database. */
export const guideKeys = (): Keys => new Keys(readJson('guide.keys.json') as Record<string, string>);

/** What recorded requests search for, in small letters as documentIds are. */
const SEARCHED = CASE_FILES.flatMap(({ cases }) => cases.flatMap(stepsOf))
  .map((step) => new URL(step.path, 'http://localhost').searchParams.get('_q')?.toLowerCase())
  .filter((text) => text !== undefined && text !== '') as readonly string[];

/** Requests that fill an empty database with the content of the guide. */
const SEED = readJson('seed.json') as readonly Request[];

/** Names that stand for documentIds: `{{name}}` in a request, and in place of the id in what is compared. */
export class Keys {
  readonly #ids = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(known: Readonly<Record<string, string>>) {
    for (const [name, id] of Object.entries(known)) this.#keep(name, id);
  }

  #keep(name: string, id: string): void {
    this.#ids.set(name, id);
    this.#names.set(id, name);
  }

  /** The first document seen under a name keeps it. */
  remember(name: string | undefined, body: unknown): void {
    const holder = body as { data?: { documentId?: unknown }; documentId?: unknown } | null;
    const id = holder?.data?.documentId ?? holder?.documentId;
    if (name !== undefined && typeof id === 'string' && !this.#ids.has(name)) this.#keep(name, id);
  }

  fill(text: string): string {
    return text.replace(/\{\{([^}]+)\}\}/g, (whole, name: string) => this.#ids.get(name) ?? whole);
  }

  /** Whether a search for one of these finds a document by its id, which is random. */
  areFoundBy(texts: readonly string[]): boolean {
    return [...this.#names.keys()].some((id) => texts.some((text) => id.includes(text)));
  }

  nameOf(id: string): string | undefined {
    return this.#names.get(id);
  }

  /** A text in which known ids are replaced by their names. */
  shown(text: string): string {
    let shown = text;
    for (const [id, name] of this.#names) if (shown.includes(id)) shown = shown.replaceAll(id, `{{${name}}}`);
    return shown;
  }
}

export interface Answer {
  /** The request as it was sent, and the headers of the answer. */
  readonly method: string;
  readonly url: string;
  readonly requestBody: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly status: number;
  readonly text: string;
  /** Null where there is none, and a text where it is no JSON. */
  readonly body: unknown;
}

/** A server in process to which recorded requests are sent. */
export class Replay {
  readonly sheaf: Sheaf;
  readonly keys: Keys;
  readonly #server: ReturnType<typeof createServer>;

  constructor(sheaf: Sheaf, keys: Keys) {
    this.sheaf = sheaf;
    this.keys = keys;
    this.#server = createServer(sheaf);
  }

  /** On an empty database, which is filled first; on another one where a documentId happens to match a search. */
  static async seeded(openEmpty: () => Promise<Sheaf>): Promise<Replay> {
    for (;;) {
      const replay = await Replay.#filled(await openEmpty());
      if (!replay.keys.areFoundBy(SEARCHED)) return replay;
      await replay.close();
    }
  }

  static async #filled(sheaf: Sheaf): Promise<Replay> {
    await openToAll(sheaf);
    const replay = new Replay(sheaf, new Keys({}));
    for (const request of SEED) {
      const { status, text } = await replay.send(request);
      if (status >= 300) throw new Error(`The seed fails at ${request.method} ${request.path}: ${status} ${text}`);
    }
    return replay;
  }

  async send({ key, method = 'GET', path: target, headers = {}, body, rawBody }: Request): Promise<Answer> {
    const { pathname, search } = new URL(this.keys.fill(target), 'http://localhost');
    const payload = rawBody ?? (body === undefined ? undefined : this.keys.fill(JSON.stringify(body)));
    const answer = await this.#server.inject({
      method: method as 'GET',
      url: pathname + search,
      headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    const seen = {
      method,
      url: pathname + search,
      requestBody: payload === undefined ? null : parsed(payload),
      headers: answer.headers,
      status: answer.statusCode,
      text: answer.body,
      body: parsed(answer.body),
    };
    this.keys.remember(key, seen.body);
    return seen;
  }

  async close(): Promise<void> {
    await this.#server.close();
  }
}

function parsed(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return `<text> ${text.slice(0, 200)}`;
  }
}
