// Replays recorded requests against the example guide, in process and on all databases side by side, and compares the
// responses with the recorded ones and with one another: reads on a database that Strapi 5 made, reads and writes on one
// that was filled from empty.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../src/model/build.ts';
import type { Attribute } from '../src/model/types.ts';
import { Comparable } from './support/comparable.ts';
import {
  type Answer,
  CASE_FILES,
  type CaseFile,
  guideKeys,
  Keys,
  READ_FILES,
  Replay,
  type Step,
  stepsOf,
} from './support/conformance.ts';
import { useContents } from './support/content.ts';
import { Contract, type Exchange, mutations, type OpenApi, showsAll } from './support/contract.ts';
import { describeAcrossDatabases, type Engine, GUIDE } from './support/database.ts';

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

const matches = (expected: unknown, seen: unknown, where?: string): void =>
  expect(seen, where).toStrictEqual(filledFrom(expected, seen));

const picked = (body: unknown, dotted: string): unknown =>
  dotted.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], body);

/** A server on one of the databases. */
interface Side {
  readonly name: string;
  readonly replay: Replay;
  readonly comparable: Comparable;
}

/** Sends a request to every side. All of them give the recorded response, and the same bytes. One of them is returned. */
async function check(sides: readonly Side[], step: Step): Promise<Answer> {
  const answers: Answer[] = [];
  for (const { name, replay } of sides) {
    const answer = await replay.send(step);
    const { status, body } = answer;
    const shown = normalise(body, replay.keys);
    const compared = step.pick ? { picked: step.pick.map((dotted) => picked(shown, dotted)) } : shown;
    matches(step.expect, { status, body: compared }, name);
    answers.push(answer);
  }
  const [first, ...others] = sides.map(({ comparable, replay }, index) => comparable.of(answers[index]!, replay));
  for (const other of others) expect(other).toBe(first);
  return answers[0]!;
}

/** How many changed responses the description of the API must tell from those that the server gave. */
const MUTATIONS = 200;

const { contentTypes, components } = loadModel(GUIDE);
const ATTRIBUTES = [...contentTypes.values(), ...components.values()].flatMap(({ attributes }) => [
  ...attributes.values(),
]);
const namesOf = (attributes: readonly Attribute[]): Set<string> => new Set(attributes.map(({ name }) => name));
const NAMES = {
  json: namesOf(ATTRIBUTES.filter((attribute) => attribute.kind === 'scalar' && attribute.type === 'json')),
  populated: namesOf(ATTRIBUTES.filter(({ kind }) => kind !== 'scalar')),
};

/** The description of the API as each caller gets it. */
class Contracts {
  /** Answers that show all attributes of what they show. */
  readonly seen: Exchange[] = [];
  readonly #replay: Replay;
  readonly #byCaller = new Map<string, Promise<Contract>>();
  /** Callers with the same rights get the same description. */
  readonly #byText = new Map<string, Contract>();

  constructor(replay: Replay) {
    this.#replay = replay;
  }

  /** A caller who is not known gets none, and is refused; then that of the public holds. */
  of({ headers = {} }: Step): Promise<Contract> {
    const { authorization = '' } = headers;
    let contract = this.#byCaller.get(authorization);
    if (!contract) {
      contract = this.#load(authorization);
      this.#byCaller.set(authorization, contract);
    }
    return contract;
  }

  async #load(authorization: string): Promise<Contract> {
    const headers = { ...(authorization !== '' && { authorization }) };
    const { status, body, text } = await this.#replay.send({ path: '/api/openapi.json', headers });
    if (status !== 200) return this.#load('');
    const contract = this.#byText.get(text) ?? new Contract(body as OpenApi);
    this.#byText.set(text, contract);
    return contract;
  }

  /** An answer is one that is described to the caller. */
  async check(step: Step, answer: Answer): Promise<void> {
    expect((await this.of(step)).problems(answer)).toEqual([]);
    if (showsAll(answer)) this.seen.push(answer);
  }
}

/** The cases of files, one after another whatever the order of other tests: those that write follow on one another. */
function replay(files: readonly CaseFile[], check: (step: Step) => Promise<void>): void {
  for (const { name, cases } of files)
    describe(name, { shuffle: false }, () => {
      // Not it.each: a recorded name may hold a per cent sign.
      for (const one of cases)
        it(one.name, async () => {
          for (const step of stepsOf(one)) await check(step);
        });
    });
}

/** For the body of a suite: a server on each database, as `starts` open them. */
function useSides(starts: readonly { readonly name: string; open(): Promise<Replay> }[]): readonly Side[] {
  const sides: Side[] = [];
  beforeAll(async () => {
    for (const { name, open } of starts) {
      const opened = await open();
      sides.push({ name, replay: opened, comparable: new Comparable(opened.sheaf.model) });
    }
  });
  afterAll(async () => {
    for (const { replay: opened } of sides) await opened.close();
  });
  return sides;
}

describeAcrossDatabases('Reads of the guide', (engines) => {
  const opened = async (engine: Engine) => new Replay(await engine.open(), guideKeys());
  const sides = useSides(engines.map((engine) => ({ name: engine.name, open: () => opened(engine) })));
  replay(READ_FILES, async (step) => {
    await check(sides, step);
  });
});

describeAcrossDatabases('Reads and writes of a guide filled from empty', (engines) => {
  const sides = useSides(
    engines.map((engine) => {
      const contents = useContents(engine);
      return { name: engine.name, open: () => Replay.seeded(async () => (await contents.open()).sheaf) };
    }),
  );

  describe('in recorded order', { shuffle: false }, () => {
    let contracts: Contracts;
    beforeAll(() => {
      contracts = new Contracts(sides[0]!.replay);
    });

    // Answers that are alike are described alike, so those of one database are held against the description.
    replay(CASE_FILES, async (step) => contracts.check(step, await check(sides, step)));

    it(`tells ${MUTATIONS} changed responses from those that were given`, async () => {
      const changed = mutations(contracts.seen, NAMES, MUTATIONS);
      expect(changed).toHaveLength(MUTATIONS);
      const contract = await contracts.of({ path: '', expect: { status: 200, body: null } });
      const missed = changed.filter(({ exchange }) => contract.problems(exchange).length === 0);
      expect(missed.map(({ what }) => what)).toEqual([]);
    });
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

  it('knows whether a search would find a document by its id', () => {
    const keys = new Keys({ 'tag.red': 'ab100c' });
    expect([['vip'], ['vip', '100'], []].map((texts) => keys.areFoundBy(texts))).toEqual([false, true, false]);
  });

  it('remembers the first document under a name, and fills it into later requests', () => {
    const keys = new Keys({});
    keys.remember('new', { data: { documentId: 'a1' } });
    keys.remember('new', { data: { documentId: 'b2' } });
    keys.remember('none', { data: null });
    expect(keys.fill('/api/tags/{{new}}?x={{none}}')).toBe('/api/tags/a1?x={{none}}');
  });
});
