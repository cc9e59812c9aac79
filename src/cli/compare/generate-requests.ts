// Generates reads from the model: lists with filters on every type of attribute, sorts, pages, fields and populate, and
// single entries. Values come from entries that the caller may read, so that filters find something. The same seed on the
// same content gives the same requests. Only what Strapi 5 documents is generated.
import { SetupError } from '../../errors.ts';
import type { Attribute, ContentType, Model, ScalarAttribute, ScalarType } from '../../model/types.ts';
import { isObject } from '../../type-guards.ts';
import { Random } from './random.ts';
import type { ComparedRequest, Side } from './sides.ts';

export interface GenerateOptions {
  readonly model: Model;
  /** The prefix of the API, `/api`. */
  readonly prefix: string;
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly seed: number;
  readonly count: number;
}

type Entry = Readonly<Record<string, unknown>>;

/** A type that the caller may read, with some of its entries. */
interface Readable {
  readonly type: ContentType;
  readonly path: string;
  readonly entries: readonly Entry[];
  readonly mayFindOne: boolean;
  readonly mayReadDrafts: boolean;
}

const SAMPLE_SIZE = 25;
/** Characters of a value that is put into a URL. */
const MAX_VALUE_LENGTH = 60;
/** How many requests are made for each that is wanted, before it is taken that there are no others. */
const MAX_ATTEMPTS = 50;

export async function generateRequests(side: Side, options: GenerateOptions): Promise<ComparedRequest[]> {
  const readable = new Map<string, Readable>();
  for (const type of options.model.contentTypes.values()) {
    const found = type.exposure === 'routes' ? await sampled(side, type, options) : null;
    if (found) readable.set(type.uid, found);
  }
  if (readable.size === 0)
    throw new SetupError('Nothing can be generated: the caller may not read any content-type', [
      'give a token that may, with --token',
    ]);
  const random = new Random(options.seed);
  const generator = new Generator(readable, random);
  const sources = random.shuffled([...readable.values()]);
  const targets = new Set<string>();
  for (let attempt = 0; targets.size < options.count && attempt < options.count * MAX_ATTEMPTS; attempt++)
    targets.add(generator.request(sources[attempt % sources.length]!, Math.floor(attempt / sources.length)));
  return [...targets].map((target): ComparedRequest => ({ method: 'GET', target, headers: options.headers }));
}

/** Null for a type that the caller may not list. */
async function sampled(side: Side, type: ContentType, { prefix, headers }: GenerateOptions): Promise<Readable | null> {
  const isSingle = type.kind === 'singleType';
  const path = `${prefix}/${isSingle ? type.singularName : type.pluralName}`;
  const get = (target: string) => side.send({ method: 'GET', target, headers });
  const { status, body } = await get(isSingle ? path : `${path}?sort=id&pagination[pageSize]=${SAMPLE_SIZE}`);
  if (status !== 200 && !(isSingle && status === 404)) return null;
  const data = isObject(body) && 'data' in body ? body.data : body;
  const entries = (Array.isArray(data) ? data : [data]).filter(isObject);
  const [first] = entries;
  const mayFindOne = isSingle || (first !== undefined && (await get(`${path}/${first.documentId}`)).status === 200);
  const mayReadDrafts = type.draftAndPublish && (await get(`${path}?status=draft&fields=id`)).status !== 403;
  return { type, path, entries, mayFindOne, mayReadDrafts };
}

const TEXTS: ReadonlySet<ScalarType> = new Set(['string', 'text', 'richtext', 'email', 'uid']);
const SCALES: ReadonlySet<ScalarType> = new Set([
  'integer',
  'biginteger',
  'float',
  'decimal',
  'date',
  'time',
  'datetime',
  'timestamp',
]);
const UNSORTED: ReadonlySet<ScalarType> = new Set(['json', 'blocks']);

const WHOLE = ['$eq', '$ne', '$in', '$notIn'];
const PARTS = ['$contains', '$notContains', '$startsWith', '$endsWith'].flatMap((name) => [name, `${name}i`]);
const COMPARED = ['$lt', '$lte', '$gt', '$gte', '$between'];
const NULLS = ['$null', '$notNull'];

/** Pairs of a key and a value; brackets around all names of a key but the first. */
type Parameter = readonly [key: readonly string[], value: string];

const parameter = (key: readonly string[], value: string | number | boolean): Parameter => [key, String(value)];
const within = (outer: readonly string[], parameters: readonly Parameter[]): Parameter[] =>
  parameters.map(([key, value]) => [[...outer, ...key], value]);

const queryText = (parameters: readonly Parameter[]): string =>
  parameters
    .map(
      ([[first, ...rest], value]) => `${first}${rest.map((name) => `[${name}]`).join('')}=${encodeURIComponent(value)}`,
    )
    .join('&');

class Generator {
  readonly #readable: ReadonlyMap<string, Readable>;
  readonly #random: Random;

  constructor(readable: ReadonlyMap<string, Readable>, random: Random) {
    this.#readable = readable;
    this.#random = random;
  }

  /** `turn` goes through the forms one after another, so that each comes about as often. */
  request(source: Readable, turn: number): string {
    const forms = this.#forms(source);
    const [path, parameters] = forms[turn % forms.length]!();
    return parameters.length === 0 ? path : `${path}?${queryText(parameters)}`;
  }

  #forms(source: Readable): (() => readonly [path: string, parameters: readonly Parameter[]])[] {
    const { path, type } = source;
    if (type.kind === 'singleType')
      return [() => [path, []], () => [path, this.#shape(source)], () => [path, this.#version(source)]];
    const list =
      (...parts: ((of: Readable) => Parameter[])[]) =>
      () =>
        [path, parts.flatMap((part) => part.call(this, source))] as const;
    return [
      list(),
      list(this.#filter),
      list(this.#sort),
      list(this.#page),
      list(this.#populate),
      list(this.#fields),
      () => this.#entry(source),
      list(this.#filterThrough),
      list(this.#group),
      list(this.#filter, this.#sort),
      list(this.#version, this.#populate),
      list(this.#search),
      list(this.#filter, this.#sort, this.#page, this.#shape, this.#version),
      list(this.#populateAll),
      list(this.#sortThrough, this.#page),
    ];
  }

  #entry(source: Readable): readonly [string, readonly Parameter[]] {
    const { path, entries, mayFindOne } = source;
    const entry = mayFindOne ? this.#random.one(entries) : undefined;
    if (!entry) return [path, this.#shape(source)];
    return [`${path}/${entry.documentId}`, this.#shape(source)];
  }

  /** Fields and populate. */
  #shape(source: Readable): Parameter[] {
    return [
      ...(this.#random.chance() ? this.#fields(source) : []),
      ...(this.#random.chance() ? this.#populate(source) : []),
    ];
  }

  #version({ type, mayReadDrafts, entries }: Readable): Parameter[] {
    const parameters: Parameter[] = [];
    if (mayReadDrafts && this.#random.chance()) parameters.push(parameter(['status'], 'draft'));
    const locale = type.localized ? this.#random.one(entries)?.locale : undefined;
    if (typeof locale === 'string' && this.#random.chance())
      parameters.push(parameter(['locale'], type.kind !== 'singleType' && this.#random.chance() ? '*' : locale));
    return parameters;
  }

  #page(): Parameter[] {
    const size = this.#random.between(1, 30);
    const withoutCount = this.#random.below(4) === 0 ? [parameter(['pagination', 'withCount'], false)] : [];
    return this.#random.chance()
      ? [
          parameter(['pagination', 'page'], this.#random.between(1, 3)),
          parameter(['pagination', 'pageSize'], size),
          ...withoutCount,
        ]
      : [
          parameter(['pagination', 'start'], this.#random.below(5)),
          parameter(['pagination', 'limit'], size),
          ...withoutCount,
        ];
  }

  #scalars(attributes: ReadonlyMap<string, Attribute>): ScalarAttribute[] {
    return [...attributes.values()]
      .filter((attribute) => attribute.kind === 'scalar')
      .filter((attribute) => !attribute.private && attribute.type !== 'password');
  }

  #fields({ type }: Readable): Parameter[] {
    const names = this.#random.shuffled(this.#scalars(type.attributes)).slice(0, this.#random.between(1, 4));
    return names.map(({ name }, index) => parameter(['fields', String(index)], name));
  }

  #sort({ type }: Readable): Parameter[] {
    const sortable = this.#scalars(type.attributes).filter((attribute) => !UNSORTED.has(attribute.type));
    const keys = this.#random.shuffled(sortable).slice(0, this.#random.between(1, 2));
    return keys.map(({ name }, index) => parameter(['sort', String(index)], `${name}:${this.#direction()}`));
  }

  #direction(): string {
    return this.#random.chance() ? 'asc' : 'desc';
  }

  /** Relations to types that the caller may read, and the attributes there. */
  #relations({ attributes }: Pick<ContentType, 'attributes'>): { readonly name: string; readonly target: Readable }[] {
    return [...attributes.values()].flatMap((attribute) => {
      const target = attribute.kind === 'relation' && !attribute.private && this.#readable.get(attribute.target);
      return target ? [{ name: attribute.name, target }] : [];
    });
  }

  #sortThrough(source: Readable): Parameter[] {
    const relation = this.#random.one(this.#relations(source.type));
    const key =
      relation &&
      this.#random.one(this.#scalars(relation.target.type.attributes).filter(({ type }) => !UNSORTED.has(type)));
    return key ? [parameter(['sort'], `${relation.name}.${key.name}:${this.#direction()}`)] : this.#sort(source);
  }

  #filter(source: Readable): Parameter[] {
    return within(['filters'], this.#condition(source));
  }

  #filterThrough(source: Readable): Parameter[] {
    const relation = this.#random.one(this.#relations(source.type));
    return relation ? within(['filters', relation.name], this.#condition(relation.target)) : this.#filter(source);
  }

  #group(source: Readable): Parameter[] {
    const operator = this.#random.one(['$and', '$or', '$not'])!;
    if (operator === '$not') return within(['filters', operator], this.#condition(source));
    return [0, 1].flatMap((index) => within(['filters', operator, String(index)], this.#condition(source)));
  }

  #condition({ type, entries }: Readable): Parameter[] {
    const attribute = this.#random.one(this.#scalars(type.attributes))!;
    const { name } = attribute;
    const values = [...new Set(entries.map((entry) => usable(entry[name])).filter((value) => value !== null))];
    const operator = this.#random.one(values.length === 0 ? NULLS : this.#operators(attribute))!;
    const value = (): string => this.#random.one(values)!;
    const key = [name, operator];
    if (NULLS.includes(operator)) return [parameter(key, this.#random.chance())];
    if (operator === '$between') return [value(), value()].map((one, index) => parameter([...key, String(index)], one));
    if (operator === '$in' || operator === '$notIn')
      return this.#random
        .shuffled(values)
        .slice(0, this.#random.between(1, 3))
        .map((one, index) => parameter([...key, String(index)], one));
    return [parameter(key, PARTS.includes(operator) ? this.#part(value()) : value())];
  }

  #operators({ name, type }: ScalarAttribute): readonly string[] {
    if (name === 'id' || name === 'documentId') return WHOLE;
    if (TEXTS.has(type)) return [...WHOLE, '$eqi', '$nei', ...PARTS, ...NULLS];
    if (SCALES.has(type)) return [...WHOLE, ...COMPARED, ...NULLS];
    if (type === 'enumeration') return [...WHOLE, ...NULLS];
    return type === 'boolean' ? ['$eq', '$ne', ...NULLS] : NULLS;
  }

  /** Some characters of a text that follow one another. */
  #part(value: string): string {
    const characters = [...value];
    const start = this.#random.below(Math.max(1, characters.length - 2));
    return characters.slice(start, start + this.#random.between(1, 5)).join('');
  }

  #search(source: Readable): Parameter[] {
    const texts = this.#scalars(source.type.attributes).filter(({ type }) => TEXTS.has(type));
    const values = source.entries.flatMap((entry) => texts.map(({ name }) => usable(entry[name])));
    const value = this.#random.one(values.filter((one) => one !== null && one !== ''));
    return value ? [parameter(['_q'], this.#part(value))] : [];
  }

  #populateAll(): Parameter[] {
    return [parameter(['populate'], '*')];
  }

  #populate(source: Readable): Parameter[] {
    const attribute = this.#random.one(this.#populatable(source.type));
    if (!attribute) return [];
    const at = ['populate', attribute.name];
    const target = attribute.kind === 'relation' ? this.#readable.get(attribute.target) : undefined;
    const options = target ? this.#relationOptions(target) : [];
    return options.length > 0 ? within(at, options) : [parameter(at, true)];
  }

  #populatable({ attributes }: ContentType): Attribute[] {
    return [...attributes.values()].filter((attribute) => {
      if (attribute.private || attribute.kind === 'scalar') return false;
      if (attribute.kind === 'morph') return attribute.targets.every(({ uid }) => this.#readable.has(uid));
      return attribute.kind !== 'relation' || this.#readable.has(attribute.target);
    });
  }

  #relationOptions(target: Readable): Parameter[] {
    const nested = this.#random.one(this.#populatable(target.type));
    const options = [
      () => [],
      () => this.#fields(target),
      () => this.#sort(target),
      () => this.#filter(target),
      () => (nested ? [parameter(['populate', nested.name], true)] : []),
      () => [parameter(['count'], true)],
    ];
    return this.#random.one(options)!();
  }
}

/** A value as it is put into a URL; null for one that is not. */
function usable(value: unknown): string | null {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value.length <= MAX_VALUE_LENGTH && value.isWellFormed() ? value : null;
}
