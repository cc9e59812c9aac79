// Requests drawn at random within the limits, for the search of the most expensive ones. A request is a tree of query
// parameters, so that a part of one can be drawn again or repeated.
import { MAX_FACETS, MAX_FILTER_NODES, MAX_GROUP_KEYS } from '../src/limits.ts';
import type { ContentType, Model, ScalarAttribute, Schema } from '../src/model/types.ts';
import type { Random } from './random.ts';

export type Tree = string | { [key: string]: Tree };

export interface Shape {
  readonly path: string;
  readonly query: { [key: string]: Tree };
}

/** Below the server's own limit, so that what is found is not a refusal. */
const MAX_URL = 30_000;

const TEXT_OPERATORS = ['$eq', '$eqi', '$ne', '$contains', '$containsi', '$notContainsi', '$startsWith', '$endsWithi'];
const ANY_OPERATORS = ['$null', '$notNull'];
const NUMBER_OPERATORS = ['$eq', '$ne', '$lt', '$gte', '$in'];
const VALUES = ['a', 'é', 'Cedar', 'zz%_', 'ß', 'x'.repeat(200), 'é'.repeat(50)];
const JSON_VALUES = ['{"seats":4}', '[1]', '"a"', '{}'];
const NUMBERS = new Set(['integer', 'float', 'decimal', 'biginteger']);
const STRINGS = new Set(['string', 'text', 'richtext', 'email', 'uid']);

export class ShapeGenerator {
  readonly #model: Model;
  readonly #random: Random;
  readonly #types: readonly ContentType[];

  constructor(model: Model, random: Random) {
    this.#model = model;
    this.#random = random;
    this.#types = [...model.contentTypes.values()].filter(
      ({ exposure, kind, uid }) => exposure === 'routes' && kind === 'collectionType' && uid.startsWith('api::'),
    );
  }

  shape(): Shape {
    const type = this.#pick(this.#types);
    const query: { [key: string]: Tree } = {};
    if (this.#chance(0.7)) query.filters = this.#filters(type);
    if (this.#chance(0.25)) return this.#aggregate(type, query);
    if (this.#chance(0.2)) query.facets = this.#list(1 + this.#below(MAX_FACETS), () => this.#group(type));
    if (this.#chance(0.5)) query.sort = this.#list(1 + this.#below(4), () => this.#sort(type));
    if (this.#chance(0.5)) query.populate = this.#populate(type, 1 + this.#below(4));
    if (this.#chance(0.2)) query._q = this.#pick(VALUES);
    if (this.#chance(0.5)) query.pagination = { pageSize: '100', ...(this.#chance(0.3) && { page: '20' }) };
    return fitting({ path: `/api/${type.pluralName}`, query }) ?? this.shape();
  }

  #aggregate(type: ContentType, query: { [key: string]: Tree }): Shape {
    query.count = '*';
    query.sort = '-count';
    query.group = this.#list(1 + this.#below(MAX_GROUP_KEYS), () => this.#group(type));
    for (const name of ['distinct', 'min', 'sum', 'avg'])
      if (this.#chance(0.3)) query[name] = this.#list(1 + this.#below(3), () => this.#computed(type, name));
    if (this.#chance(0.3)) query.having = { count: { [this.#pick(NUMBER_OPERATORS)]: '2' } };
    return fitting({ path: `/api/${type.pluralName}/aggregate`, query }) ?? this.shape();
  }

  /** An attribute of the entry or of others that relations lead to, or a part of a date. */
  #group(type: Schema): string {
    const { path, end } = this.#walk(type);
    const { name, type: kind } = this.#pick(sortable(end));
    const part = kind === 'datetime' || kind === 'date' ? [this.#pick(['$year', '$month', '$week', '$day'])] : [];
    return [...path, name, ...(this.#chance(0.5) ? part : [])].join('.');
  }

  /** Ids are numbers that every type has. */
  #computed(type: Schema, name: string): string {
    const fits = name === 'distinct' ? sortable(type) : scalarsOf(type).filter(({ type: kind }) => NUMBERS.has(kind));
    return this.#pick(['id', ...fits.map((attribute) => attribute.name)]);
  }

  /** The same with one part drawn again, taken from another, or repeated. */
  variant(shape: Shape): Shape {
    const fresh = this.#sameType(shape);
    const query = structuredClone(shape.query);
    const [key] = [this.#pick(['filters', 'sort', 'populate', 'group', 'distinct', 'facets', '_q', 'pagination'])];
    if (key === 'filters' && query.filters && this.#chance(0.6))
      query.filters = { $or: this.#list(2 + this.#below(30), () => structuredClone(query.filters!)) };
    else if (fresh.query[key] !== undefined) query[key] = fresh.query[key];
    else delete query[key];
    return fitting({ path: shape.path, query }) ?? fresh;
  }

  #sameType({ path }: Shape): Shape {
    for (;;) {
      const shape = this.shape();
      if (shape.path === path) return shape;
    }
  }

  #filters(type: Schema): Tree {
    const count = this.#pick([1, 2, 5, 15, 60]);
    // Long walks leave room for few of them.
    const one = (): Tree => this.#condition(type, this.#below(count > 15 ? 2 : 10));
    if (count === 1) return one();
    return { [this.#chance(0.7) ? '$or' : '$and']: this.#list(count, one) };
  }

  /** One comparison at the end of a walk through relations. */
  #condition(type: Schema, steps: number): Tree {
    const relations = this.#relations(type);
    if (steps > 0 && relations.length > 0) {
      const [name, target, many] = this.#pick(relations);
      const below = this.#condition(target, steps - 1);
      return { [name]: this.#chance(0.4) ? this.#onSet(target, many, below) : below };
    }
    const { name, type: kind } = this.#pick(scalarsOf(type));
    if (this.#chance(0.2)) return { [name]: { [this.#pick(ANY_OPERATORS)]: String(this.#chance(0.5)) } };
    if (NUMBERS.has(kind)) return { [name]: { [this.#pick(NUMBER_OPERATORS)]: String(this.#below(1_000)) } };
    if (kind === 'json' && this.#chance(0.5))
      return { [name]: { $at: { seats: { [this.#pick(['$gt', '$ne', '$contains', '$has'])]: this.#pick(VALUES) } } } };
    if (kind === 'json') return { [name]: { [this.#pick(['$eq', '$ne'])]: this.#pick(JSON_VALUES) } };
    if (STRINGS.has(kind)) return { [name]: { [this.#pick(TEXT_OPERATORS)]: this.#pick(VALUES) } };
    return { [name]: { $notNull: 'true' } };
  }

  /** What is said of all related entries together. */
  #onSet(target: Schema, many: boolean, below: Tree): Tree {
    const operator = this.#pick(many ? ['$some', '$none', '$every', '$count', '$all'] : ['$some', '$none', '$every']);
    if (operator === '$count') return { $count: { [this.#pick(['$gt', '$lt', '$eq'])]: '2', where: below } };
    if (operator !== '$all') return { [operator]: below };
    const texts = scalarsOf(target).filter(({ type }) => STRINGS.has(type));
    return { [this.#pick(texts).name]: { $all: this.#list(1 + this.#below(20), () => this.#pick(VALUES)) } };
  }

  #sort(type: Schema): string {
    const { path, end, many } = this.#walk(type);
    const isMany = many.filter((one) => one).length;
    if (isMany === 1 && many.at(-1) && this.#chance(0.2)) return `${path.join('.')}.$count:desc`;
    const { name, type: kind } = this.#pick(sortable(end));
    const aggregates = [
      ...(isMany > 0 ? ['$min', '$max'] : []),
      ...(isMany === 1 && NUMBERS.has(kind) ? ['$avg'] : []),
    ];
    const aggregate = aggregates.length > 0 && this.#chance(0.5) ? [this.#pick(aggregates)] : [];
    return `${[...path, name, ...aggregate].join('.')}:${this.#chance(0.5) ? 'asc' : 'desc'}`;
  }

  /** A walk through relations, and of each whether it leads to many. */
  #walk(type: Schema): { path: string[]; end: Schema; many: boolean[] } {
    const path: string[] = [];
    const many: boolean[] = [];
    let end = type;
    for (let steps = this.#below(5); steps > 0; steps--) {
      const relations = this.#relations(end);
      if (relations.length === 0) break;
      const [name, target, isMany] = this.#pick(relations);
      path.push(name);
      many.push(isMany);
      end = target;
    }
    return { path, end, many };
  }

  #populate(type: Schema, levels: number): Tree {
    const relations = this.#relations(type);
    const populate: { [key: string]: Tree } = {};
    for (let count = 1 + this.#below(3); count > 0 && relations.length > 0; count--) {
      const [name, target, isMany] = this.#pick(relations);
      const below: { [key: string]: Tree } = {};
      if (isMany && this.#chance(0.3)) below.pagination = { start: '2', limit: '5', withCount: 'true' };
      if (this.#chance(0.4)) below.sort = this.#list(1, () => this.#sort(target));
      if (this.#chance(0.3)) below.filters = this.#condition(target, this.#below(4));
      if (levels > 1 && this.#chance(0.7)) below.populate = this.#populate(target, levels - 1);
      populate[name] = Object.keys(below).length > 0 ? below : 'true';
    }
    return Object.keys(populate).length > 0 ? populate : '*';
  }

  #relations(type: Schema): [name: string, target: ContentType, many: boolean][] {
    return [...type.attributes.values()].flatMap((attribute): [string, ContentType, boolean][] => {
      if (attribute.kind !== 'relation') return [];
      const target = this.#model.contentTypes.get(attribute.target);
      return target?.exposure === 'routes' && target.uid.startsWith('api::')
        ? [[attribute.name, target, attribute.many]]
        : [];
    });
  }

  #list(count: number, one: () => Tree): Tree {
    return Object.fromEntries(Array.from({ length: count }, (_, index) => [String(index), one()]));
  }

  #below = (end: number): number => this.#random.integer(0, end - 1);
  #chance = (share: number): boolean => this.#random.fraction() < share;
  #pick = <Item>(items: readonly Item[]): Item => this.#random.of(items);
}

const scalarsOf = (type: Schema): ScalarAttribute[] =>
  [...type.attributes.values()].filter(
    (attribute) => attribute.kind === 'scalar' && !attribute.private,
  ) as ScalarAttribute[];

const sortable = (type: Schema): ScalarAttribute[] =>
  scalarsOf(type).filter(({ type: kind }) => kind !== 'json' && kind !== 'blocks');

function* pairs(tree: Tree, name: string): Generator<string> {
  if (typeof tree === 'string') yield `${name}=${encodeURIComponent(tree)}`;
  else for (const [key, below] of Object.entries(tree)) yield* pairs(below, name === '' ? key : `${name}[${key}]`);
}

export const targetOf = ({ path, query }: Shape): string => `${path}?${[...pairs(query, '')].join('&')}`;

/** Groups, steps and comparisons. */
const nodesOf = (tree: Tree): number =>
  typeof tree === 'string' ? 0 : Object.values(tree).reduce((sum, below) => sum + 1 + nodesOf(below), 0);

/** Null for what the limits refuse. */
const fitting = (shape: Shape): Shape | null =>
  nodesOf(shape.query.filters ?? '') <= MAX_FILTER_NODES && targetOf(shape).length <= MAX_URL ? shape : null;
