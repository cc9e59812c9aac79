// The whole write path against a model of it in memory: generated commands on every kind of relation between types
// with and without drafts and locales, from both sides. After each command the stored links are held to the invariants
// of ordered relations by SQL, and what reads show of drafts and published rows in each locale to the model.
// SHEAF_TEST_SCALE and SHEAF_TEST_SEED give more and other ones; a failure names its seed.
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SheafError } from '../src/errors.ts';
import type { Documents, Entry, EntryData } from '../src/index.ts';
import { PUBLISHED_LISTS } from '../src/model/tables.ts';
import type { RelationAttribute } from '../src/model/types.ts';
import { type Content, localized, relation as relationDefinition, useContents } from './support/content.ts';
import { describeOnEveryDatabase, type Engine } from './support/database.ts';
import { GIVEN_SEED, scaled } from './support/scale.ts';
import {
  type Change,
  DEFAULT_LOCALE,
  documentOf,
  type Input,
  isOrdered,
  type Key,
  keyOf,
  type Links,
  LOCALES,
  localeIn,
  type Position,
  placeOf,
  type Reference,
  Refused,
  type Relation,
  type Row,
  type Side,
  type Status,
  type Type,
  type Version,
  Violation,
  versionOf,
  World,
} from './support/write-model.ts';

/** Runs on each database: fewer where every statement is a journey. */
const runsOn = ({ name }: Engine): number => scaled(name === 'SQLite' ? 5 : 2);
const COMMANDS = 60;
/** Documents of each type at the beginning. */
const PER_TYPE = 4;
/** After this long a failure is reported as far as it was shrunk. */
const SHRINKING_MS = scaled(600_000);

// ------------------------------------------------------------------------------------------------- the content model

const TYPES: readonly Type[] = [
  { name: 'book', drafts: true, localized: true },
  { name: 'writer', drafts: true, localized: true },
  { name: 'shelf', drafts: true, localized: false },
  { name: 'label', drafts: false, localized: true },
  { name: 'shop', drafts: false, localized: false },
];

const typeNamed = (name: string): Type => TYPES.find((type) => type.name === name)!;

/** Pairs of types between which there is a relation of every kind. */
const PAIRINGS: readonly (readonly [string, string])[] = [
  ['book', 'writer'],
  ['book', 'book'],
  ['book', 'shelf'],
  ['book', 'label'],
  ['book', 'shop'],
  ['shelf', 'label'],
  ['shelf', 'shop'],
  ['label', 'shop'],
  ['shelf', 'shelf'],
  ['label', 'label'],
  ['shop', 'shop'],
];

const TWO_WAY = ['oneToOne', 'manyToOne', 'manyToMany'] as const;
const ONE_WAY = ['oneToOne', 'oneToMany', 'manyToOne', 'manyToMany'] as const;
const KEYS = ['oneToOne', 'manyToOne'] as const;
const SIDES = ['own', 'inverse'] as const;
const capital = (text: string): string => text[0]!.toUpperCase() + text.slice(1);

function relationsBetween(one: string, other: string): Relation[] {
  const directions =
    one === other
      ? [[one, other]]
      : [
          [one, other],
          [other, one],
        ];
  return directions.flatMap(([owner, target]) => {
    const make = (kind: string, suffix: string, inverse: string | null, isKey = false): Relation => ({
      name: `${owner}.${target}${capital(kind)}${suffix}`,
      types: { own: owner!, inverse: target! },
      attributes: { own: `${target}${capital(kind)}${suffix}`, inverse },
      many: { own: kind.endsWith('Many'), inverse: kind.startsWith('many') },
      isKey,
    });
    // A key leads to one row, so it is no place for links with several versions of one document.
    const [from, to] = [typeNamed(owner!), typeNamed(target!)];
    const keys = (from.drafts || !to.drafts) && (from.localized || !to.localized) ? KEYS : [];
    return [
      ...TWO_WAY.map((kind) => make(kind, '', `${owner}${capital(kind)}Back`)),
      ...ONE_WAY.map((kind) => make(kind, 'OneWay', null)),
      ...keys.map((kind) => make(kind, 'Key', `${owner}${capital(kind)}KeyBack`, true)),
      ...keys.map((kind) => make(kind, 'KeyOneWay', null, true)),
    ];
  });
}

const RELATIONS = PAIRINGS.map(([one, other]) => relationsBetween(one, other));

const REVERSED: Readonly<Record<string, string>> = {
  oneToOne: 'oneToOne',
  oneToMany: 'manyToOne',
  manyToOne: 'oneToMany',
  manyToMany: 'manyToMany',
};

const kindOf = ({ many }: Relation): string => `${many.inverse ? 'many' : 'one'}To${many.own ? 'Many' : 'One'}`;

function attributesOf(type: string) {
  const relations = RELATIONS.flat().flatMap((relation) => {
    const { types, attributes } = relation;
    const kind = kindOf(relation);
    const own = relationDefinition(kind, types.inverse, {
      ...(attributes.inverse !== null && { inversedBy: attributes.inverse }),
      ...(relation.isKey && { useJoinTable: false }),
    });
    const back = relationDefinition(REVERSED[kind]!, types.own, { mappedBy: attributes.own });
    return [
      ...(types.own === type ? [[attributes.own, own] as const] : []),
      ...(types.inverse === type && attributes.inverse !== null ? [[attributes.inverse, back] as const] : []),
    ];
  });
  return { title: { type: 'string', ...localized }, code: { type: 'string' }, ...Object.fromEntries(relations) };
}

const PROJECT = {
  locales: LOCALES,
  types: Object.fromEntries(
    TYPES.map(({ name, drafts, localized }) => [name, { drafts, localized, attributes: attributesOf(name) }]),
  ),
};

const uidOf = (name: string): string => `api::${name}.${name}`;

// -------------------------------------------------------------------------------------------------- the commands

interface ReferenceDraw {
  readonly document: number;
  /** Whether it is one of those that are linked already, if there are any. */
  readonly linked: boolean;
  readonly form: 'text' | 'object' | 'row' | 'row object';
  readonly locale: 'en' | 'fr' | null;
  readonly status: Status | null;
}
interface ConnectDraw {
  readonly reference: ReferenceDraw;
  readonly at: 'start' | 'end' | 'before' | 'after' | null;
  readonly anchor: ReferenceDraw;
}
interface RelationDraw {
  readonly relation: number;
  readonly form: 'null' | 'empty' | 'keep' | 'bare' | 'array' | 'set' | 'change';
  readonly references: readonly ReferenceDraw[];
  readonly connect: readonly ConnectDraw[];
  readonly disconnect: readonly ReferenceDraw[];
  readonly strict: boolean;
  readonly careless: boolean;
}
type Command =
  | {
      readonly do: 'create';
      readonly type: number;
      readonly locale: 'en' | 'fr';
      readonly status: Status;
      readonly values: ValuesDraw;
      readonly relation: RelationDraw | null;
    }
  | {
      readonly do: 'update';
      readonly document: number;
      readonly locale: 'en' | 'fr';
      readonly status: Status;
      readonly values: ValuesDraw;
      readonly relation: RelationDraw | null;
    }
  | { readonly do: Life; readonly document: number; readonly locale: 'en' | 'fr' | '*' }
  | { readonly do: 'clone'; readonly document: number; readonly locale: 'en' | 'fr'; readonly values: ValuesDraw };
type Life = 'publish' | 'unpublish' | 'discardDraft' | 'delete';
interface ValuesDraw {
  readonly title?: string;
  readonly code?: string;
}

/** One of some words, each as often as its weight says. */
const weighted = <T extends string>(weights: Readonly<Record<T, number>>): fc.Arbitrary<T> =>
  fc.oneof(...(Object.keys(weights) as T[]).map((word) => ({ weight: weights[word], arbitrary: fc.constant(word) })));

const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const anyDocument = fc.nat(8);
/** Most often the first of one type or the other, so that its lists grow. */
const document = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(0, PER_TYPE) },
  { weight: 1, arbitrary: anyDocument },
);
const locale = weighted({ en: 3, fr: 1 });
const status = weighted({ draft: 1, published: 1 });
const referenceTo = (linked: fc.Arbitrary<boolean>): fc.Arbitrary<ReferenceDraw> =>
  fc.record({
    document: anyDocument,
    linked,
    form: weighted({ text: 4, object: 2, row: 1, 'row object': 1 }),
    locale: seldom(locale),
    status: seldom(status),
  });
const anyReference = referenceTo(fc.boolean());
/** Most often one that means something. */
const linkedReference = referenceTo(fc.constantFrom(true, true, true, false));

const relationDraw: fc.Arbitrary<RelationDraw> = fc.record({
  relation: fc.nat(5),
  form: weighted({ change: 20, array: 3, set: 3, bare: 2, null: 1, empty: 1, keep: 1 }),
  references: fc.array(anyReference, { minLength: 1, maxLength: 4, size: 'max' }),
  connect: fc.array(
    fc.record({
      reference: anyReference,
      at: fc.option(weighted({ start: 1, end: 1, before: 3, after: 3 })),
      anchor: linkedReference,
    }),
    { maxLength: 3, size: 'max' },
  ),
  disconnect: fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(linkedReference, { maxLength: 2, size: 'max' }) },
  ),
  strict: fc.boolean(),
  careless: fc.constantFrom(false, false, false, false, false, false, false, true),
});
const word = fc.constantFrom('a', 'b', 'c');
const values: fc.Arbitrary<ValuesDraw> = fc.record({ title: word, code: word }, { requiredKeys: [] });

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      type: fc.nat(1),
      locale,
      status,
      values,
      relation: seldom(relationDraw),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('update' as const),
      document,
      locale,
      status,
      values,
      relation: fc.option(relationDraw, { freq: 9 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: weighted({ publish: 6, unpublish: 3, discardDraft: 3, delete: 1 }),
      document,
      locale: weighted({ en: 3, fr: 1, '*': 1 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('clone' as const), document, locale, values }),
  },
);

/** Pairings with drafts on one side or both are where most can happen. */
const WEIGHTED = PAIRINGS.flatMap((pairing, index) => {
  const drafts = pairing.filter((name) => typeNamed(name).drafts).length;
  return Array.from({ length: 1 + drafts }, () => index);
});

/** The relations that keep a list in order, on one side at least. */
const listsAmong = (relations: readonly Relation[]): number[] =>
  [...relations.keys()].filter((index) => SIDES.some((side) => isOrdered(relations[index]!, side)));

/** Two relations of one pairing, and what is done to them. */
const scenario = fc.constantFrom(...WEIGHTED).chain((pairing) =>
  fc.record({
    pairing: fc.constant(pairing),
    relations: fc.tuple(fc.constantFrom(...listsAmong(RELATIONS[pairing]!)), fc.nat(RELATIONS[pairing]!.length - 1)),
    commands: fc.array(command, { maxLength: COMMANDS, size: 'max' }),
  }),
);

/** What there is before the first command: four documents of each type, in one locale or two. */
const PRELUDE: readonly Command[] = [0, 1].flatMap((type): Command[] => [
  { do: 'create', type, locale: 'en', status: 'published', values: {}, relation: null },
  { do: 'create', type, locale: 'en', status: 'published', values: {}, relation: null },
  { do: 'create', type, locale: 'en', status: 'draft', values: {}, relation: null },
  { do: 'create', type, locale: 'fr', status: 'draft', values: {}, relation: null },
]);

// ------------------------------------------------------------------------------------------- a scenario under way

/** What references are made for: the row that refers, and what it is linked with already. */
interface Writing {
  readonly type: Type;
  readonly locale: string | null;
  readonly target: Type;
  readonly many: boolean;
  readonly linked: readonly Key[];
  /** Whether references may be wrong. */
  readonly careless: boolean;
}
type Outcome = { readonly entry: Entry | null } | { readonly refused: SheafError };

class Run {
  readonly #content: Content;
  readonly #types: readonly Type[];
  readonly #relations: readonly Relation[];
  /** What was asked of the service, for the report of a failure. */
  readonly #requests: string[] = [];
  readonly #documents: { readonly id: string; readonly type: string }[] = [];
  #world: World;
  /** What the last write answered with. */
  #answer: { readonly type: Type; readonly status: Status; readonly locale: string; readonly entry: Entry } | null =
    null;
  /** Ids of rows as they were first seen. */
  #ids = new Map<Key, number>();

  constructor(content: Content, pairing: number, relations: readonly number[]) {
    this.#content = content;
    this.#types = [...new Set(PAIRINGS[pairing])].map(typeNamed);
    this.#relations = [...new Set(relations)].map((index) => RELATIONS[pairing]![index]!);
    this.#world = new World(TYPES, this.#relations);
  }

  /** Asks the service, and takes a refusal for an answer. */
  async #ask(type: string, what: Command['do'], parameters: Record<string, unknown>): Promise<Outcome> {
    const { populate, ...shown } = parameters;
    this.#requests.push(`${type} ${what} ${JSON.stringify(shown)}`);
    const service = this.#service(type) as unknown as Record<string, (parameters: unknown) => Promise<unknown>>;
    try {
      const entry = await service[what]!(parameters);
      return { entry: entry as Entry | null };
    } catch (error) {
      if (!(error instanceof SheafError) || error.status >= 500) throw error;
      return { refused: error };
    }
  }

  #service(type: string): Documents {
    return this.#content.sheaf.documents(uidOf(type));
  }

  async begin(): Promise<void> {
    for (const one of PRELUDE) await this.#perform(one);
    for (const document of this.#documents.keys())
      await this.#perform({ do: 'update', document, locale: 'en', status: 'draft', values: {}, relation: null });
    await this.#compare();
  }

  async step(one: Command): Promise<void> {
    try {
      await this.#perform(one);
      await this.#compare();
    } catch (error) {
      if (error instanceof Error) error.message += `\nafter these requests:\n${this.#requests.join('\n')}`;
      throw error;
    }
  }

  /** Deletes everything, after which nothing may be left anywhere. */
  async end(): Promise<void> {
    for (const index of this.#documents.keys()) await this.#perform({ do: 'delete', document: index, locale: '*' });
    await this.#compare();
    const tables = [PUBLISHED_LISTS, ...this.#relations.map((relation) => this.#attribute(relation).link.table)];
    for (const table of tables)
      expect(await this.#content.rows(`select * from "${table}"`), `${table} after everything was deleted`).toEqual([]);
  }

  async #perform(one: Command): Promise<void> {
    this.#answer = null;
    const world = this.#world.copy();
    if (one.do === 'create') {
      const type = this.#types[one.type % this.#types.length]!;
      const { data, change } = this.#change(rowFor('new', type, one.locale), type, one.values, one.relation);
      const outcome = await this.#ask(type.name, 'create', { data, ...this.#shape(type, one) });
      const id = 'entry' in outcome ? outcome.entry!.documentId : 'refused';
      this.#expectOutcome(outcome, world, () => world.create(type.name, id, one.locale, one.status, change));
      if (!('entry' in outcome)) return;
      this.#documents.push({ id, type: type.name });
      this.#answer = { type, status: one.status, locale: one.locale, entry: outcome.entry! };
      return;
    }
    const { id: documentId, type: name } = this.#documents[one.document % this.#documents.length]!;
    const type = typeNamed(name);
    if (one.do === 'clone') {
      const outcome = await this.#ask(name, 'clone', { documentId, locale: one.locale, data: one.values });
      const id = 'entry' in outcome ? outcome.entry!.documentId : 'refused';
      this.#expectOutcome(outcome, world, () => world.clone(documentId, id, [one.locale], one.values));
      if ('entry' in outcome) this.#documents.push({ id, type: name });
      return;
    }
    if (one.do !== 'update') {
      const outcome = await this.#ask(name, one.do, { documentId, locale: one.locale });
      this.#expectOutcome(outcome, world, () => world[one.do](documentId, one.locale === '*' ? null : [one.locale]));
      return;
    }
    const row = rowFor(documentId, type, one.locale);
    const { data, change } = this.#change(row, type, one.values, one.relation);
    const outcome = await this.#ask(name, 'update', { documentId, data, ...this.#shape(type, one) });
    this.#expectOutcome(outcome, world, () => {
      const found = world.update(documentId, one.locale, one.status, change);
      if ('entry' in outcome && found !== (outcome.entry !== null))
        throw new Violation(`there was a document: ${found}`);
    });
    if ('entry' in outcome && outcome.entry)
      this.#answer = { type, status: one.status, locale: one.locale, entry: outcome.entry };
  }

  #shape(type: Type, { status, locale }: { status: Status; locale: string }) {
    return { status, ...localeOf(type, locale), populate: this.#populate(type) };
  }

  /** Does in the model what was done, and expects to be refused where the model refuses. */
  #expectOutcome(outcome: Outcome, world: World, apply: () => void): void {
    let refusal: Refused | null = null;
    try {
      apply();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refusal = error;
    }
    if (refusal && 'entry' in outcome) throw new Violation(`accepted, but to be refused: ${refusal.message}`);
    if (!refusal && 'refused' in outcome)
      throw new Violation(`refused, but to be accepted: ${outcome.refused.message}`);
    if (!refusal) this.#world = world;
  }

  #populate({ name }: Type): Record<string, { fields: string[] }> {
    return Object.fromEntries(this.#attributes(name).map(({ attribute }) => [attribute, { fields: ['documentId'] }]));
  }

  #attributes(type: string): { relation: Relation; side: Side; attribute: string }[] {
    return this.#relations.flatMap((relation) =>
      SIDES.flatMap((side) => {
        const attribute = relation.attributes[side];
        return relation.types[side] === type && attribute !== null ? [{ relation, side, attribute }] : [];
      }),
    );
  }

  /** `row`: the one to change or to make. */
  #change(
    row: Key,
    type: Type,
    valuesDrawn: ValuesDraw,
    drawn: RelationDraw | null,
  ): { data: EntryData; change: Change } {
    const attributes = this.#attributes(type.name);
    if (!drawn || attributes.length === 0) return { data: { ...valuesDrawn }, change: valuesDrawn };
    const { relation, side, attribute } = attributes[drawn.relation % attributes.length]!;
    const { body, input } = this.#input(drawn, {
      type,
      locale: localeIn(row),
      target: typeNamed(relation.types[side === 'own' ? 'inverse' : 'own']),
      many: relation.many[side],
      linked: this.#world.linked(relation, side, row),
      careless: drawn.careless,
    });
    return {
      data: { ...valuesDrawn, [attribute]: body },
      change: { ...valuesDrawn, relation: { relation, side, input } },
    };
  }

  /** A body and what it means. */
  #input(drawn: RelationDraw, writing: Writing): { body: unknown; input: Input } {
    const references = drawn.references.map((one) => this.#reference(writing, one));
    const bodies = references.map(({ body }) => body);
    const set: Input = { is: 'set', references: references.map(({ meaning }) => meaning) };
    const first = references[0]!;
    switch (drawn.form) {
      case 'null':
        return { body: null, input: { is: 'set', references: [] } };
      case 'empty':
        return { body: drawn.strict ? [] : { set: [] }, input: { is: 'set', references: [] } };
      case 'keep':
        return { body: drawn.strict ? {} : { set: null }, input: { is: 'keep' } };
      case 'bare':
        return {
          body: drawn.strict ? first.body : { set: first.body },
          input: { is: 'set', references: [first.meaning] },
        };
      case 'array':
        return { body: bodies, input: set };
      case 'set':
        return { body: { set: bodies }, input: set };
      case 'change':
        return this.#changing(drawn, writing);
    }
  }

  #changing(drawn: RelationDraw, writing: Writing): { body: unknown; input: Input } {
    const connect: { body: unknown; reference: Reference; position: Position }[] = [];
    for (const { reference: one, at, anchor } of drawn.connect) {
      const { body, meaning } = this.#reference(writing, one);
      if (!writing.careless && connect.some(({ reference }) => reference.document === meaning.document)) continue;
      connect.push({ reference: meaning, ...this.#placed(writing, body, meaning, at, anchor) });
    }
    const disconnect = drawn.disconnect.map((one) => this.#reference(writing, one));
    const body = {
      ...(connect.length > 0 && { connect: connect.map((one) => one.body) }),
      ...(disconnect.length > 0 && { disconnect: disconnect.map((one) => one.body) }),
      ...(!drawn.strict && { options: { strict: false } }),
    };
    if (connect.length + disconnect.length === 0) return { body, input: { is: 'keep' } };
    const input: Input = {
      is: 'change',
      connect,
      disconnect: disconnect.map(({ meaning }) => meaning),
      strict: drawn.strict,
    };
    return { body, input };
  }

  #placed(writing: Writing, body: unknown, meaning: Reference, at: ConnectDraw['at'], drawn: ReferenceDraw) {
    // Positions mean nothing in a list of one.
    if (at === null || !writing.many) return { body, position: { at: 'end' } as const };
    const longhand =
      typeof body === 'object' ? (body as object) : typeof body === 'number' ? { id: body } : { documentId: body };
    if (at === 'start' || at === 'end') return { body: { ...longhand, position: { [at]: true } }, position: { at } };
    const linked = writing.linked.filter((one) => documentOf(one) !== meaning.document);
    if (linked.length === 0 && !writing.careless) return { body, position: { at: 'end' } as const };
    const anchor = this.#reference({ ...writing, linked }, drawn);
    return { body: { ...longhand, position: { [at]: anchor.body } }, position: { at, anchor: anchor.meaning } };
  }

  #reference(
    { type, target, locale, linked, careless }: Writing,
    drawn: ReferenceDraw,
  ): { body: unknown; meaning: Reference } {
    const near = drawn.linked && linked.length > 0 ? linked[drawn.document % linked.length]! : null;
    // Only where the entry that refers has no locales or drafts itself can it choose those of the other.
    const chosenLocale = type.localized || !target.localized ? null : ((near && localeIn(near)) ?? drawn.locale);
    const chosenStatus = type.drafts || !target.drafts ? null : drawn.status;
    const inLocale = target.localized ? (type.localized ? locale : (chosenLocale ?? DEFAULT_LOCALE)) : null;
    const versions: Version[] = !target.drafts
      ? ['only']
      : type.drafts
        ? ['draft']
        : chosenStatus
          ? [chosenStatus]
          : ['draft', 'published'];
    const all = this.#documents.filter((one) => one.type === target.name).map(({ id }) => id);
    const there = all.filter((one) => versions.some((version) => this.#world.rows.has(keyOf(one, inLocale, version))));
    const candidates = careless || there.length === 0 ? all : there;
    const document =
      near && candidates.includes(documentOf(near))
        ? documentOf(near)
        : candidates[drawn.document % candidates.length]!;
    if (drawn.form === 'row' || drawn.form === 'row object') {
      const row = keyOf(document, inLocale, versions[0]!);
      const id = this.#world.rows.has(row) ? this.#ids.get(row) : undefined;
      if (id !== undefined)
        return { body: drawn.form === 'row' ? id : { id }, meaning: { document, locale: null, status: null, row } };
    }
    const meaning: Reference = { document, locale: chosenLocale, status: chosenStatus, row: null };
    if (drawn.form === 'text' && chosenLocale === null && chosenStatus === null) return { body: document, meaning };
    const body = {
      documentId: document,
      ...(chosenLocale !== null && { locale: chosenLocale }),
      ...(chosenStatus !== null && { status: chosenStatus }),
    };
    return { body, meaning };
  }

  // ------------------------------------------------------------------------------------------------- comparing

  #attribute(relation: Relation): RelationAttribute {
    const type = this.#content.sheaf.model.contentTypes.get(uidOf(relation.types.own))!;
    return type.attributes.get(relation.attributes.own) as RelationAttribute;
  }

  async #compare(): Promise<void> {
    const keys = await this.#checkRows();
    for (const relation of this.#relations) this.#world.check(relation, await this.#storedLinks(relation, keys));
    await this.#checkReads(keys);
    if (!this.#answer) return;
    const { type, status, locale, entry } = this.#answer;
    const key = keyOf(entry.documentId, type.localized ? locale : null, type.drafts ? status : 'only');
    expect(keys.get(type.name)!.get(entry.id), 'the row that a write answered with').toBe(key);
    this.#checkEntry(type, key, status, entry, keys);
    const shape = this.#shape(type, { status, locale });
    expect(await this.#service(type.name).findOne({ documentId: entry.documentId, ...shape }), key).toEqual(entry);
  }

  /** Every row is there once, with the values it should have and the id it always had. */
  async #checkRows(): Promise<ReadonlyMap<string, ReadonlyMap<number, Key>>> {
    const byType = new Map<string, Map<number, Key>>();
    for (const { name, drafts } of this.#types) {
      const { table } = this.#content.sheaf.model.contentTypes.get(uidOf(name))!;
      const rows = await this.#content.rows(
        `select id, document_id, locale, case when published_at is null then 0 else 1 end, title, code from "${table}"`,
      );
      const keys = new Map<number, Key>();
      const seen = rows.map(([id, document, locale, published, title, code]) => {
        const version: Version = drafts ? (published ? 'published' : 'draft') : 'only';
        const key = keyOf(document, locale, version);
        keys.set(id, key);
        return [key, { title, code }] as const;
      });
      const due = [...this.#world.rows]
        .filter(([, row]) => row.type === name)
        .map(([key, { title, code }]: [Key, Row]) => [key, { title, code }] as const);
      expect(sorted(seen), `rows of ${name}`).toEqual(sorted(due));
      byType.set(name, keys);
      for (const [id, key] of keys) {
        if (this.#ids.get(key) !== undefined && this.#ids.get(key) !== id)
          throw new Violation(`${key} was ${this.#ids.get(key)}, is ${id}`);
        this.#ids.set(key, id);
      }
    }
    for (const key of this.#ids.keys()) if (!this.#world.rows.has(key)) this.#ids.delete(key);
    return byType;
  }

  /** The invariants of ordered relations, by SQL; returns the lists that are stored. */
  async #storedLinks(relation: Relation, keys: ReadonlyMap<string, ReadonlyMap<number, Key>>): Promise<Links> {
    const { table, from, to, order, inverseOrder } = this.#attribute(relation).link;
    const column = (name: string | null) => (name === null ? 'null' : `"${name}"`);
    const pairs = await this.#content.rows(
      `select "${from}", "${to}", ${column(order)}, ${column(inverseOrder)} from "${table}" where "${to}" is not null order by id`,
    );
    const links: Links = { own: new Map(), inverse: new Map() };
    const places = { own: new Map<Key, number[]>(), inverse: new Map<Key, number[]>() };
    const once = new Set<string>();
    for (const [fromId, toId, place, inversePlace] of pairs) {
      const own = keys.get(relation.types.own)!.get(fromId);
      const inverse = keys.get(relation.types.inverse)!.get(toId);
      if (own === undefined || inverse === undefined)
        throw new Violation(`${table} leads to nothing: ${fromId} → ${toId}`);
      if (once.has(`${own} ${inverse}`)) throw new Violation(`${table} has ${own} → ${inverse} twice`);
      once.add(`${own} ${inverse}`);
      append(links.own, own, inverse);
      append(links.inverse, inverse, own);
      append(places.own, own, place);
      append(places.inverse, inverse, inversePlace);
    }
    for (const [side, ordered] of [
      ['own', order],
      ['inverse', inverseOrder],
    ] as const) {
      if (ordered === null) continue;
      for (const [key, list] of links[side]) {
        const at = places[side].get(key)!;
        const expected = at.map((_, index) => index + 1);
        if (JSON.stringify(at.toSorted((a, b) => a - b)) !== JSON.stringify(expected))
          throw new Violation(`${table}.${ordered} of ${key} holds the places ${at}`);
        links[side].set(
          key,
          list.map((_, index) => list[at.indexOf(index + 1)]!),
        );
      }
    }
    return links;
  }

  async #checkReads(keys: ReadonlyMap<string, ReadonlyMap<number, Key>>): Promise<void> {
    for (const type of this.#types) {
      for (const one of ['draft', 'published'] as const) {
        for (const inLocale of type.localized ? LOCALES : [DEFAULT_LOCALE]) {
          const entries = await this.#service(type.name).findMany({
            status: one,
            ...localeOf(type, inLocale),
            populate: this.#populate(type),
          });
          const due = this.#world
            .visible(type.name, one, inLocale)
            .sort((a, b) => this.#ids.get(a)! - this.#ids.get(b)!);
          expect(
            entries.map(({ id }) => keys.get(type.name)!.get(id)),
            `${type.name}, ${one}, ${inLocale}`,
          ).toEqual(due);
          for (const [index, entry] of entries.entries()) this.#checkEntry(type, due[index]!, one, entry, keys);
        }
      }
    }
  }

  #checkEntry(
    type: Type,
    key: Key,
    shown: Status,
    entry: Readonly<Record<string, unknown>>,
    keys: ReadonlyMap<string, ReadonlyMap<number, Key>>,
  ): void {
    for (const { relation, side, attribute } of this.#attributes(type.name)) {
      const target = relation.types[side === 'own' ? 'inverse' : 'own'];
      const due = this.#world.related(key, relation, side, shown);
      const value = entry[attribute] as { id: number } | { id: number }[] | null;
      const seen = (Array.isArray(value) ? value : value ? [value] : []).map(({ id }) => keys.get(target)!.get(id));
      const what = `${attribute} of ${key} as ${shown}`;
      expect(Array.isArray(value), what).toBe(relation.many[side]);
      if (isOrdered(relation, side)) expect(seen, what).toEqual(due);
      else if (relation.many[side]) expect(seen.toSorted(), what).toEqual(due.toSorted());
      // Locales of one document may share what belongs to one; any of them then stands for the document.
      else if (due.length > 1) expect(due, what).toContain(seen[0]);
      else expect(seen, what).toEqual(due);
    }
    expect(versionOf(key) === 'published' || versionOf(key) === 'only', `publishedAt of ${key}`).toBe(
      entry.publishedAt !== null,
    );
    expect(placeOf(key).startsWith(String(entry.documentId)), key).toBe(true);
  }
}

/** The row that a write changes first. */
const rowFor = (document: string, { localized, drafts }: Type, locale: string): Key =>
  keyOf(document, localized ? locale : null, drafts ? 'draft' : 'only');

const localeOf = ({ localized }: Type, code: string): { locale?: string } => (localized ? { locale: code } : {});

const sorted = <T>(entries: readonly (readonly [Key, T])[]) =>
  entries.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));

function append<T>(lists: Map<Key, T[]>, key: Key, value: T): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

describeOnEveryDatabase('writes against the model', (engine) => {
  const contents = useContents(engine);
  let content: Content;
  beforeAll(async () => {
    content = await contents.open(PROJECT, engine.freshDatabaseUrl());
  });

  const clear = async () => {
    for (const { name } of TYPES)
      await content.execute(`delete from "${content.sheaf.model.contentTypes.get(uidOf(name))!.table}"`);
    await content.execute(`delete from ${PUBLISHED_LISTS}`);
  };

  it('generated commands leave what the model says, in the tables and in every read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.noBias(scenario), async ({ pairing, relations, commands }) => {
        try {
          const run = new Run(content, pairing, relations);
          await run.begin();
          for (const one of commands) await run.step(one);
          await run.end();
        } finally {
          await clear();
        }
      }),
      {
        numRuns: runsOn(engine),
        seed: (GIVEN_SEED ?? 1) + (engine.name === 'SQLite' ? 0 : 1),
        interruptAfterTimeLimit: SHRINKING_MS,
        markInterruptAsFailure: true,
      },
    );
  });

  describe('what generated commands brought to light', () => {
    afterEach(clear);
    const of = (type: string): Documents => content.sheaf.documents(uidOf(type));
    const make = async (type: string, status: Status = 'draft'): Promise<string> =>
      (await of(type).create({ data: { title: 'a' }, status })).documentId;
    const listed = async (type: string, documentId: string, attribute: string, status: Status): Promise<unknown[]> => {
      const entry = await of(type).findOne({ documentId, status, populate: [attribute] });
      const value = entry![attribute] as Entry | Entry[] | null;
      return (Array.isArray(value) ? value : value ? [value] : []).map((one) => one.documentId);
    };

    it('a new locale starts with what the drafts share, not with what was published before', async () => {
      const book = await make('book', 'published');
      await of('book').update({ documentId: book, data: { code: 'new' } });
      await of('book').update({ documentId: book, data: { title: 'b' }, locale: 'fr' });
      expect(await of('book').findOne({ documentId: book, locale: 'fr' })).toMatchObject({ code: 'new' });
    });

    it('a position beside a row means that row, in whatever status the entry itself is asked for', async () => {
      const [shop, one, other] = [await make('shop'), await make('shelf'), await make('shelf', 'published')];
      await of('shop').update({ documentId: shop, data: { shelfManyToMany: [one, other] } });
      const { id } = (await of('shelf').findOne({ documentId: one }))!;
      const moved = { documentId: other, status: 'published', position: { before: id } };
      await of('shop').update({ documentId: shop, data: { shelfManyToMany: { connect: [moved] } } });
      expect(await listed('shop', shop, 'shelfManyToMany', 'published')).toEqual([other]);
      expect(await listed('shop', shop, 'shelfManyToMany', 'draft')).toEqual([one, other]);
    });

    it('an entry may refer to itself in a locale that the same request adds', async () => {
      const book = await make('book');
      await of('book').update({ documentId: book, data: { bookManyToOne: book }, locale: 'fr' });
      const entry = await of('book').findOne({ documentId: book, locale: 'fr', populate: ['bookManyToOne'] });
      expect(entry).toMatchObject({ bookManyToOne: { documentId: book, locale: 'fr' } });
    });

    it('an entry after another goes behind both versions of it', async () => {
      const [shop, one, other] = [
        await make('shop'),
        await make('shelf', 'published'),
        await make('shelf', 'published'),
      ];
      await of('shop').update({ documentId: shop, data: { shelfManyToMany: [other, one] } });
      const moved = { documentId: other, position: { after: one } };
      await of('shop').update({ documentId: shop, data: { shelfManyToMany: { connect: [moved] } } });
      for (const status of ['draft', 'published'] as const)
        expect(await listed('shop', shop, 'shelfManyToMany', status), status).toEqual([one, other]);
    });

    it('a one-way link to a published entry alone is there again when the entry is published again', async () => {
      const [shop, shelf] = [await make('shop'), await make('shelf', 'published')];
      const data = { shelfManyToManyOneWay: { connect: [{ documentId: shelf, status: 'published' }] } };
      await of('shop').update({ documentId: shop, data });
      await of('shelf').unpublish({ documentId: shelf });
      await of('shelf').publish({ documentId: shelf });
      expect(await listed('shop', shop, 'shelfManyToManyOneWay', 'published')).toEqual([shelf]);
    });

    it('what was taken away from a row without drafts does not return to it by publication', async () => {
      const [first, second, shelf] = [await make('shop'), await make('shop'), await make('shelf', 'published')];
      await of('shop').update({ documentId: first, data: { shelfManyToOneBack: [shelf] } });
      await of('shop').update({ documentId: second, data: { shelfManyToOneBack: [shelf] } });
      await of('shop').update({ documentId: second, data: { shelfManyToOneBack: [] } });
      await of('shelf').publish({ documentId: shelf });
      expect(await listed('shelf', shelf, 'shopManyToOne', 'published')).toEqual([]);
    });

    it('a link that was removed while its target was not published does not return by publication', async () => {
      const [shop, shelf] = [await make('shop'), await make('shelf', 'published')];
      await of('shop').update({ documentId: shop, data: { shelfManyToMany: [shelf] } });
      await of('shelf').unpublish({ documentId: shelf });
      await of('shop').update({ documentId: shop, data: { shelfManyToMany: [] } });
      await of('shelf').publish({ documentId: shelf });
      expect(await listed('shop', shop, 'shelfManyToMany', 'published')).toEqual([]);
    });

    it('several one-way links to published entries alone come back in their order, whichever comes back first', async () => {
      const shop = await make('shop');
      const shelves = [await make('shelf', 'published'), await make('shelf', 'published')];
      const [first, second] = shelves as [string, string];
      const last = await make('shelf', 'published');
      const alone = [first, second, last].map((documentId) => ({ documentId, status: 'published' }));
      const shown = () => listed('shop', shop, 'shelfManyToManyOneWay', 'published');
      await of('shop').update({ documentId: shop, data: { shelfManyToManyOneWay: alone } });
      for (const order of [shelves, shelves.toReversed()]) {
        for (const documentId of shelves) await of('shelf').unpublish({ documentId });
        expect(await shown()).toEqual([last]);
        for (const documentId of order) await of('shelf').publish({ documentId });
        expect(await shown()).toEqual([first, second, last]);
      }
    });

    it('a link that comes back stands where it stood among its neighbours, though others are gone', async () => {
      const shop = await make('shop');
      const [gone, back, next, last] = [
        await make('shelf', 'published'),
        await make('shelf', 'published'),
        await make('shelf', 'published'),
        await make('shelf', 'published'),
      ];
      const alone = [gone, back, next, last].map((documentId) => ({ documentId, status: 'published' }));
      await of('shop').update({ documentId: shop, data: { shelfManyToManyOneWay: alone } });
      await of('shelf').unpublish({ documentId: back });
      await of('shelf').delete({ documentId: gone });
      await of('shelf').publish({ documentId: back });
      expect(await listed('shop', shop, 'shelfManyToManyOneWay', 'published')).toEqual([back, next, last]);
    });

    it('what is remembered of a row without drafts goes with it', async () => {
      const [shop, shelf] = [await make('shop'), await make('shelf', 'published')];
      const data = { shelfManyToManyOneWay: [{ documentId: shelf, status: 'published' }] };
      await of('shop').update({ documentId: shop, data });
      await of('shelf').unpublish({ documentId: shelf });
      expect(await content.rows(`select * from ${PUBLISHED_LISTS}`)).not.toEqual([]);
      await of('shop').delete({ documentId: shop });
      expect(await content.rows(`select * from ${PUBLISHED_LISTS}`)).toEqual([]);
    });

    it('publishing the one owner of two locales of an entry keeps it with both', async () => {
      const [shelf, book] = [await make('shelf', 'published'), await make('book', 'published')];
      for (const locale of LOCALES)
        await of('book').update({ documentId: book, locale, data: { shelfOneToOne: shelf }, status: 'published' });
      await of('shelf').publish({ documentId: shelf });
      for (const locale of LOCALES) {
        const shown = await of('book').findOne({ documentId: book, locale, status: 'published', populate: '*' });
        expect(shown, locale).toMatchObject({ shelfOneToOne: { documentId: shelf } });
      }
    });

    it('discarding a draft gives a relation to one entry back one alone, the one that shows', async () => {
      const [book, shown, hidden] = [await make('book'), await make('writer', 'published'), await make('writer')];
      await of('book').update({ documentId: book, data: { writerManyToOne: hidden }, status: 'published' });
      await of('book').update({ documentId: book, data: { writerManyToOne: shown } });
      await of('writer').publish({ documentId: shown });
      expect(await listed('book', book, 'writerManyToOne', 'published')).toEqual([shown]);
      await of('book').discardDraft({ documentId: book });
      expect(await listed('book', book, 'writerManyToOne', 'draft')).toEqual([shown]);
      expect(await listed('writer', hidden, 'bookManyToOneBack', 'draft')).toEqual([]);
    });

    it('a clone of an entry that is linked with itself has the links of the original, and none with itself', async () => {
      const shelf = await make('shelf');
      await of('shelf').update({ documentId: shelf, data: { shelfManyToMany: [shelf] } });
      const { documentId: clone } = await of('shelf').clone({ documentId: shelf });
      expect(await listed('shelf', clone, 'shelfManyToMany', 'draft')).toEqual([shelf]);
      expect(await listed('shelf', clone, 'shelfManyToManyBack', 'draft')).toEqual([shelf]);
    });

    describe('of relations in foreign keys', () => {
      const KEYS_OF_BOOKS = ['writerOneToOneKey', 'writerManyToOneKey'] as const;
      const back = (attribute: string) => attribute.replace('writer', 'book').replace('Key', 'KeyBack');

      it.each(KEYS_OF_BOOKS)('discarding a draft brings back a target that is not published yet: %s', async (key) => {
        const [book, writer] = [await make('book'), await make('writer')];
        await of('book').update({ documentId: book, data: { [key]: writer }, status: 'published' });
        await of('book').discardDraft({ documentId: book });
        expect(await listed('book', book, key, 'draft')).toEqual([writer]);
        await of('book').update({ documentId: book, data: { [key]: null } });
        await of('book').discardDraft({ documentId: book });
        expect(await listed('book', book, key, 'draft')).toEqual([writer]);
      });

      it.each(KEYS_OF_BOOKS)('discarding a draft brings back what leads to it: %s', async (key) => {
        const [hidden, writer] = [await make('book'), await make('writer')];
        await of('writer').update({ documentId: writer, data: { [back(key)]: [hidden] }, status: 'published' });
        await of('writer').update({ documentId: writer, data: { [back(key)]: [] } });
        await of('writer').discardDraft({ documentId: writer });
        expect(await listed('writer', writer, back(key), 'draft')).toEqual([hidden]);
      });

      it('discarding a draft takes a target back from the draft that has taken it', async () => {
        const [first, second, writer] = [await make('book'), await make('book'), await make('writer', 'published')];
        const data = { writerOneToOneKey: writer };
        await of('book').update({ documentId: first, data, status: 'published' });
        await of('book').update({ documentId: second, data });
        await of('book').discardDraft({ documentId: first });
        expect(await listed('book', first, 'writerOneToOneKey', 'draft')).toEqual([writer]);
        expect(await listed('book', second, 'writerOneToOneKey', 'draft')).toEqual([]);
      });

      it.each([
        ['book', 'writer', 'writerOneToOneKey'],
        ['shelf', 'shop', 'shopOneToOneKey'],
      ])('a %s that is as it was published takes no %s from its clone', async (name, other, key) => {
        const [entry, target] = [await make(name), await make(other, 'published')];
        await of(name).update({ documentId: entry, data: { [key]: target }, status: 'published' });
        const { documentId: clone } = await of(name).clone({ documentId: entry });
        for (const act of ['discardDraft', 'publish'] as const) {
          await of(name)[act]({ documentId: entry });
          expect(await listed(name, clone, key, 'draft')).toEqual([target]);
          expect(await listed(name, entry, key, 'draft')).toEqual([target]);
          expect(await listed(name, entry, key, 'published')).toEqual([target]);
        }
      });

      it('a draft that takes a target without drafts leaves it with published entries until it is published', async () => {
        const [first, second, shop] = [await make('shelf'), await make('shelf'), await make('shop')];
        const shown = (shelf: string, status: Status) => listed('shelf', shelf, 'shopOneToOneKey', status);
        const data = { shopOneToOneKey: shop };
        for (const status of ['published', 'draft'] as const) {
          await of('shelf').update({ documentId: first, data, status });
          expect(await shown(first, 'published')).toEqual([shop]);
        }
        await of('shelf').update({ documentId: second, data });
        expect(await shown(first, 'draft')).toEqual([]);
        expect(await shown(first, 'published')).toEqual([shop]);
        await of('shelf').publish({ documentId: second });
        expect(await shown(first, 'published')).toEqual([]);
        for (const status of ['draft', 'published'] as const) expect(await shown(second, status)).toEqual([shop]);
      });

      it('two locales of an entry may share the one target', async () => {
        const [book, shelf] = [await make('book'), await make('shelf', 'published')];
        for (const locale of LOCALES)
          await of('book').update({ documentId: book, locale, data: { shelfOneToOneKey: shelf }, status: 'published' });
        for (const status of ['draft', 'published'] as const)
          for (const locale of LOCALES) {
            const shown = await of('book').findOne({ documentId: book, locale, status, populate: '*' });
            expect(shown, `${locale} ${status}`).toMatchObject({ shelfOneToOneKey: { documentId: shelf } });
          }
      });
    });

    it('an entry that is in its own list is published at its place, and moves no other', async () => {
      const page = {
        drafts: true,
        attributes: {
          parent: relationDefinition('manyToOne', 'page', { inversedBy: 'children' }),
          children: relationDefinition('oneToMany', 'page', { mappedBy: 'parent' }),
          friends: relationDefinition('manyToMany', 'page', { inversedBy: 'friendOf' }),
          friendOf: relationDefinition('manyToMany', 'page', { mappedBy: 'friends' }),
        },
      };
      const content = await contents.open({ types: { page } });
      const pages = content.sheaf.documents('api::page.page');
      const [one, two, three] = await Promise.all(
        [1, 2, 3].map(async () => (await pages.create({ data: {}, status: 'published' })).documentId),
      );
      const lists = { children: [two, one, three], friends: [three, one, two], friendOf: [one, three] };
      await pages.update({ documentId: one!, data: lists, status: 'published' });
      const shown = await pages.findOne({ documentId: one!, status: 'published', populate: Object.keys(lists) });
      const ids = Object.keys(lists).map((name) => (shown![name] as Entry[]).map(({ documentId }) => documentId));
      expect(ids).toEqual(Object.values(lists));
      const places = await content.rows(
        'select l.page_ord from pages_parent_lnk l join pages p on p.id = l.inv_page_id where p.published_at is not null order by 1',
      );
      expect(places.map(([place]) => Number(place))).toEqual([1, 2, 3]);
      await expect(pages.update({ documentId: two!, data: { friends: [two], friendOf: [one] } })).rejects.toThrow(
        'Invalid value for friendOf: expected the entry itself, as in friends, or in neither',
      );
    });

    it('an entry that is being made is not the one with the id 0, and can name itself by its documentId alone', async () => {
      const page = {
        localized: true,
        attributes: {
          parent: relationDefinition('manyToOne', 'page'),
          peers: relationDefinition('manyToMany', 'page'),
          part: { type: 'component', component: 'kit.part' },
        },
      };
      const content = await contents.open({
        types: { page },
        components: { 'kit.part': { peers: relationDefinition('oneToMany', 'page') } },
        locales: ['en', 'de'],
      });
      const made = await content.send('POST', 'pages', { data: {} });
      for (const [data, path, count = 1] of [
        [{ parent: 0 }, 'parent'],
        [{ parent: { connect: [{ id: 0 }] } }, 'parent.connect.0'],
        [{ peers: [0] }, 'peers.0'],
        [{ peers: [{ id: '0' }] }, 'peers.0'],
        [{ part: { peers: [0] } }, 'part.peers.0'],
        [{ peers: [made.body.data.id, 2 ** 60] }, 'peers.1'],
        [{ peers: { disconnect: [10_001] } }, 'peers.disconnect.0'],
        // Each is counted once, wherever it stands.
        [{ peers: [10_001, 10_002, 10_001], part: { peers: [10_002, 10_003] } }, 'peers.0', 3],
      ] as [data: object, path: string, count?: number][])
        for (const [method, url] of [
          ['POST', 'pages'],
          ['PUT', `pages/${made.body.data.documentId}?locale=de`],
        ] as const) {
          const { status, body } = await content.send(method, url, { data });
          expect({ method, status, error: body.error }).toMatchObject({
            method,
            status: 400,
            error: {
              message: `${count} relation(s) of type api::page.page associated with this entity do not exist`,
              details: { path, source: 'body' },
            },
          });
        }
      const itself = { data: { parent: made.body.data.documentId } };
      expect((await content.send('PUT', `pages/${made.body.data.documentId}?locale=de`, itself)).status).toBe(200);
    });

    it('an entry can be published though a component that led to it is gone', async () => {
      const guide = await contents.open();
      const [authors, articles] = [
        guide.sheaf.documents('api::author.author'),
        guide.sheaf.documents('api::article.article'),
      ];
      const { documentId: author } = await authors.create({ data: { name: 'A' } });
      const blocks = [{ __component: 'blocks.quote', text: 'q', author }];
      const article = await articles.create({ data: { title: 't', blocks }, status: 'published' });
      await articles.update({ documentId: article.documentId, data: { blocks: [] }, status: 'published' });
      await authors.publish({ documentId: author });
      expect(await authors.findOne({ documentId: author, status: 'published' })).toMatchObject({ name: 'A' });
      expect(await guide.rows(`select * from ${PUBLISHED_LISTS}`)).toEqual([]);
    });
  });
});
