// Replays recorded requests against the example guide, in process, and compares what comes back with what the
// dialect owes. In charge of the black-box agreement with the recorded answers; it knows nothing of how they are made.
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';

/** Files that are replayed. Left out: `read-auth`, which needs accounts, and `write-*`, which need writing. */
const FILES = [
  'read-entries',
  'read-fields',
  'read-filters-deep',
  'read-filters-errors',
  'read-filters-logic',
  'read-filters-operators',
  'read-filters-types',
  'read-pagination',
  'read-populate',
  'read-sort',
  'read-status-locale',
  'read-users',
] as const;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const GUIDE = path.join(ROOT, 'examples/guide');
const CONFORMANCE = path.join(ROOT, 'test/conformance');

interface Step {
  /** Under which name the documentId of the answer is remembered. */
  readonly key?: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Sent as it stands, so that broken JSON can be sent too. */
  readonly rawBody?: string;
  /** Dotted paths into the answer; where given, only these are compared. */
  readonly pick?: readonly string[];
  readonly expect: Answer;
}

interface Case extends Step {
  readonly name: string;
  /** Requests that belong together, in order. Where there are none the case is its own only step. */
  readonly steps?: readonly Step[];
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const readJson = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'));

/** Names that stand for documentIds: `{{name}}` in a request, and in place of the id in what is compared. */
class Keys {
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

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DOCUMENT_ID = /^[a-z][a-z0-9]{23}$/;
const TIMESTAMPS = new Set(['createdAt', 'updatedAt', 'publishedAt']);

/** Replaces what differs from one database to the next by what it is: an id, an instant, a document. */
function normalise(value: unknown, keys: Keys, name = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => normalise(item, keys, name));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, normalise(inner, keys, key)]));
  if (typeof value === 'number') return name === 'id' ? '<id>' : value;
  if (typeof value !== 'string') return value;
  if (name === 'jwt') return '<jwt>';
  if (TIMESTAMPS.has(name) && INSTANT.test(value)) return '<instant>';
  const known = keys.nameOf(value);
  if (known !== undefined) return `{{${known}}}`;
  if (name === 'documentId' && DOCUMENT_ID.test(value)) return '<documentId>';
  return keys.shown(value).replace(/\bid[(: ]*\d+\)?/g, 'id <id>');
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const OPEN = '…';

/**
 * The expectation with its open places (`<any>`, and keys beyond those listed where `…` allows them) filled from what
 * was seen: equal to it exactly when it matches, and different in the right places when it does not.
 */
function filledFrom(expected: unknown, seen: unknown): unknown {
  if (expected === '<any>') return seen;
  if (Array.isArray(expected))
    return Array.isArray(seen)
      ? expected.map((item, index) => (index < seen.length ? filledFrom(item, seen[index]) : item))
      : expected;
  if (!isObject(expected)) return expected;
  const listed = Object.entries(expected).filter(([key]) => key !== OPEN);
  if (!isObject(seen)) return Object.fromEntries(listed);
  const filled = listed.map(([key, inner]) => [key, Object.hasOwn(seen, key) ? filledFrom(inner, seen[key]) : inner]);
  return { ...(OPEN in expected ? seen : {}), ...Object.fromEntries(filled) };
}

const matches = (expected: unknown, seen: unknown): void => expect(seen).toStrictEqual(filledFrom(expected, seen));

const picked = (body: unknown, dotted: string): unknown =>
  dotted.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], body);

class Replay {
  readonly #sheaf: Sheaf;
  readonly #server: ReturnType<typeof createServer>;
  readonly #folder: string;
  readonly #keys = new Keys(readJson(path.join(CONFORMANCE, 'guide.keys.json')) as Record<string, string>);

  private constructor(sheaf: Sheaf, folder: string) {
    this.#sheaf = sheaf;
    this.#server = createServer(sheaf);
    this.#folder = folder;
  }

  /** A server of its own on a copy of the guide's database. */
  static async start(): Promise<Replay> {
    const folder = mkdtempSync(path.join(tmpdir(), 'sheaf-conformance-'));
    const file = path.join(folder, 'guide.sqlite');
    copyFileSync(path.join(GUIDE, 'guide.sqlite'), file);
    return new Replay(await open({ project: GUIDE, database: `sqlite:${file}` }), folder);
  }

  async stop(): Promise<void> {
    await this.#server.close();
    await this.#sheaf.close();
    rmSync(this.#folder, { recursive: true });
  }

  async check(step: Step): Promise<void> {
    const { status, body } = await this.#send(step);
    this.#keys.remember(step.key, body);
    const shown = normalise(body, this.#keys);
    const compared = step.pick ? { picked: step.pick.map((dotted) => picked(shown, dotted)) } : shown;
    matches(step.expect, { status, body: compared });
  }

  async #send({ method = 'GET', path: target, headers = {}, body, rawBody }: Step): Promise<Answer> {
    const { pathname, search } = new URL(this.#keys.fill(target), 'http://localhost');
    const payload = rawBody ?? (body === undefined ? undefined : this.#keys.fill(JSON.stringify(body)));
    const answer = await this.#server.inject({
      method: method as 'GET',
      url: pathname + search,
      headers: { ...(payload === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(payload === undefined ? {} : { payload }),
    });
    return { status: answer.statusCode, body: parsed(answer.body) };
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

describe.each(FILES)('%s', (file) => {
  const { cases } = readJson(path.join(CONFORMANCE, 'cases', `${file}.json`)) as { cases: readonly Case[] };
  let replay: Replay;
  beforeAll(async () => {
    replay = await Replay.start();
  });
  afterAll(() => replay?.stop());

  // Not it.each: a recorded name may hold a per cent sign.
  for (const one of cases)
    it(one.name, async () => {
      for (const step of one.steps ?? [one]) await replay.check(step);
    });
});

describe('the comparison itself', () => {
  const refuses = (expected: unknown, seen: unknown) => expect(() => matches(expected, seen)).toThrow();

  it('lets <any> stand for anything that is there, and for nothing that is not', () => {
    matches({ a: '<any>' }, { a: [1, { b: null }] });
    refuses({ a: '<any>' }, {});
  });

  it('allows keys that are not listed only where … is among them', () => {
    matches({ a: 1, '…': true }, { a: 1, b: 2 });
    refuses({ a: 1 }, { a: 1, b: 2 });
    refuses({ a: 1, '…': true }, { b: 2 });
    refuses({ inner: { a: 1 }, '…': true }, { inner: { a: 1, b: 2 } });
  });

  it('ignores the order of keys and minds the order and number of items', () => {
    matches({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 });
    refuses([1, 2], [2, 1]);
    refuses([1], [1, 2]);
    refuses([1, 2], [1]);
    refuses(['<any>', '<any>'], [1]);
  });

  it('tells null, absence, numbers and texts apart', () => {
    refuses({ a: null }, {});
    refuses({ a: 1 }, { a: '1' });
    refuses({ a: null }, { a: {} });
    refuses({}, []);
    refuses({ '…': true }, []);
  });

  it('shows ids, instants and documents by what they are', () => {
    const keys = new Keys({ 'tag.red': 'r'.repeat(24) });
    const seen = {
      id: 7,
      documentId: 'u'.repeat(24),
      createdAt: '2026-01-02T03:04:05.006Z',
      inspectedAt: '2026-01-02T03:04:05.006Z',
      tag: { id: 8, documentId: 'r'.repeat(24) },
      message: `no ${'r'.repeat(24)} with id 12`,
    };
    expect(normalise(seen, keys)).toEqual({
      id: '<id>',
      documentId: '<documentId>',
      createdAt: '<instant>',
      inspectedAt: '2026-01-02T03:04:05.006Z',
      tag: { id: '<id>', documentId: '{{tag.red}}' },
      message: 'no {{tag.red}} with id <id>',
    });
  });

  it('remembers the first document under a name, and fills it into later requests', () => {
    const keys = new Keys({});
    keys.remember('new', { data: { documentId: 'a1' } });
    keys.remember('new', { data: { documentId: 'b2' } });
    keys.remember('none', { data: null });
    expect(keys.fill('/api/tags/{{new}}?x={{none}}')).toBe('/api/tags/a1?x={{none}}');
  });
});
