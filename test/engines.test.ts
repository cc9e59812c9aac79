// One answer on every database: the recorded requests, sent to each side by side from empty, get the same bytes. Only
// what must differ is put aside: ids, instants of writing, and the order of keys in JSON attributes, which PostgreSQL
// does not keep.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Model } from '../src/model/types.ts';
import { type Answer, CASE_FILES, Replay, stepsOf } from './support/conformance.ts';
import { useContents } from './support/content.ts';
import { describeAcrossDatabases } from './support/database.ts';

const TIMESTAMPS = new Set(['createdAt', 'updatedAt', 'publishedAt']);
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DOCUMENT_ID = /^[a-z][a-z0-9]{23}$/;

/** Names of attributes that hold JSON; none of them is the name of another kind of attribute elsewhere. */
function jsonAttributes(model: Model): ReadonlySet<string> {
  const named = (isJson: boolean): string[] =>
    [...model.contentTypes.values(), ...model.components.values()].flatMap(({ attributes }) =>
      [...attributes.values()].flatMap((attribute) => {
        const holdsJson = attribute.kind === 'scalar' && (attribute.type === 'json' || attribute.type === 'blocks');
        return holdsJson === isJson ? [attribute.name] : [];
      }),
    );
  const others = new Set(named(false));
  return new Set(named(true).filter((name) => !others.has(name)));
}

/** Makes answers of one database comparable; a document that has no name is known by when it was first seen. */
class Comparable {
  readonly #json: ReadonlySet<string>;
  readonly #documents = new Map<string, string>();

  constructor(model: Model) {
    this.#json = jsonAttributes(model);
  }

  of({ status, text, body }: Answer, replay: Replay): string {
    if (typeof body === 'string' || body === null) return `${status} ${text}`;
    // Then to compare what was parsed is to compare the bytes.
    expect(JSON.stringify(body)).toBe(text);
    return `${status} ${JSON.stringify(this.#shown(body, replay, ''))}`;
  }

  #shown(value: unknown, replay: Replay, name: string): unknown {
    if (this.#json.has(name)) return inOneOrder(value);
    if (Array.isArray(value)) return value.map((item) => this.#shown(item, replay, name));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#shown(inner, replay, key)]));
    if (typeof value === 'number') return name === 'id' ? '<id>' : value;
    if (typeof value !== 'string') return value;
    if (name === 'jwt') return '<jwt>';
    if (TIMESTAMPS.has(name) && INSTANT.test(value)) return '<instant>';
    if (name === 'documentId' && DOCUMENT_ID.test(value)) {
      if (!this.#documents.has(value)) this.#documents.set(value, `<document ${this.#documents.size}>`);
      return this.#documents.get(value);
    }
    return replay.keys.shown(value);
  }
}

function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, inOneOrder(inner)]));
}

describeAcrossDatabases('Every database gives the same answers', (engines) => {
  const makers = engines.map((engine) => useContents(engine));
  let sides: { readonly replay: Replay; readonly comparable: Comparable }[];
  beforeAll(async () => {
    sides = await Promise.all(
      makers.map(async (maker) => {
        const replay = await Replay.seeded(async () => (await maker.open()).sheaf);
        return { replay, comparable: new Comparable(replay.sheaf.model) };
      }),
    );
  });
  afterAll(async () => {
    for (const { replay } of sides ?? []) await replay.close();
  });

  // One test, because what writes depends on what was written before, whatever the order of tests.
  it('to every recorded request', async () => {
    const differences: Record<string, readonly string[]> = {};
    let compared = 0;
    for (const { name, cases } of CASE_FILES)
      for (const one of cases)
        for (const [index, step] of stepsOf(one).entries()) {
          const answers: string[] = [];
          for (const { replay, comparable } of sides) answers.push(comparable.of(await replay.send(step), replay));
          if (new Set(answers).size > 1) differences[`${name}, ${one.name}, step ${index + 1}`] = answers;
          compared++;
        }
    expect(differences).toEqual({});
    expect(compared).toBeGreaterThan(500);
  });
});
