// What a read means, written down as plainly as possible and with no regard for speed: filters by enumerating tuples
// of rows, sort by comparing, populate by walking links. It shares no code with src/ and is what the laws are held
// against. Content is plain objects; nothing here knows a table.
import { isDeepStrictEqual } from 'node:util';
import { said } from './naive-dates.ts';

export type Kind = 'text' | 'integer' | 'biginteger' | 'number' | 'boolean' | 'date' | 'time' | 'datetime' | 'json';

/** `datetime` is milliseconds since 1970, `json` any JSON value, `date` and `time` the text that answers show. */
export type Value = unknown;

export interface Relation {
  readonly to: string;
  readonly many: boolean;
  /** Files can be populated, but not filtered or sorted by. */
  readonly populateOnly?: boolean;
}

export interface Type {
  /** What a client may read, by name; private attributes do not exist here. */
  readonly attributes: Readonly<Record<string, Kind>>;
  readonly relations: Readonly<Record<string, Relation>>;
  /** Dynamic zones, with the components that each may hold. */
  readonly zones: Readonly<Record<string, readonly string[]>>;
  readonly component: boolean;
  readonly drafts: boolean;
  readonly localized: boolean;
}

export interface Row {
  readonly id: number;
  readonly values: Readonly<Record<string, Value>>;
  /** Ids of related rows, in the order of the list. */
  readonly links: Readonly<Record<string, readonly number[]>>;
  readonly zones: Readonly<Record<string, readonly { readonly type: string; readonly id: number }[]>>;
}

export interface World {
  readonly types: Readonly<Record<string, Type>>;
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  readonly defaultLocale: string;
  /** Where dates are said by those who ask: one of STEADY_ZONES. */
  readonly timezone: string;
  /** By type: filters that rows must meet to be seen by whoever asks; they themselves see all rows. */
  readonly rules?: Readonly<Record<string, Json>>;
}

export type Status = 'draft' | 'published';
/** True, false or unknown. */
export type Truth = boolean | null;
export type Json = Record<string, unknown>;

export interface PopulateOptions {
  readonly fields?: readonly string[];
  readonly filters?: Json;
  readonly sort?: readonly SortKey[];
  readonly populate?: Populate;
  readonly count?: boolean;
  readonly pagination?: PopulatePage;
  readonly on?: Readonly<Record<string, true | PopulateOptions>>;
}
export interface PopulatePage {
  readonly start: number;
  readonly limit: number;
  readonly withCount?: boolean;
}
export type Populate = '*' | Readonly<Record<string, true | PopulateOptions>>;

export interface SortKey {
  readonly path: readonly string[];
  /** What is made of all values, or of all rows, at the end of the path. */
  readonly aggregate?: 'count' | 'min' | 'max' | 'avg' | undefined;
  readonly descending: boolean;
}

export interface Query {
  readonly filters?: Json | undefined;
  readonly sort?: readonly SortKey[] | undefined;
  readonly fields?: readonly string[] | undefined;
  readonly populate?: Populate | undefined;
  readonly status?: Status | undefined;
  readonly locale?: string | readonly string[] | undefined;
}

// ---------------------------------------------------------------------------------------------- the rows of a list

/** All rows that a list holds, in order. */
export function list(world: World, type: string, query: Query): Row[] {
  const status = query.status ?? 'draft';
  const rows = rootRows(world, type, query);
  const matching = query.filters ? rows.filter((row) => matches(world, type, row, query.filters!, status)) : rows;
  return sorted(world, type, matching, query.sort ?? [], status);
}

/** A condition on the locale itself chooses among all locales, where none is asked for. */
export function rootRows(world: World, type: string, query: Pick<Query, 'filters' | 'status' | 'locale'>): Row[] {
  const chosen = query.filters && Object.hasOwn(query.filters, 'locale') ? '*' : world.defaultLocale;
  const locale = query.locale ?? chosen;
  return world.rows[type]!.filter(
    (row) =>
      isVisible(world, type, row, query.status ?? 'draft') &&
      (!world.types[type]!.localized || locale === '*' || [locale].flat().includes(row.values.locale as string)),
  );
}

function isVisible(world: World, type: string, row: Row, status: Status): boolean {
  if (world.types[type]!.drafts && (row.values.publishedAt === null) !== (status === 'draft')) return false;
  const rule = world.rules?.[type];
  return rule === undefined || matches({ ...world, rules: {} }, type, row, rule, status);
}

/** The related rows that a request of this status may see, in the order of the list. */
export function related(world: World, type: string, row: Row, name: string, status: Status): Row[] {
  const { to } = world.types[type]!.relations[name]!;
  const target = world.rows[to]!;
  return (row.links[name] ?? [])
    .map((id) => target.find((candidate) => candidate.id === id)!)
    .filter((candidate) => isVisible(world, to, candidate, status));
}

// ------------------------------------------------------------------------------------------------------- filters

type Condition =
  | { readonly is: 'and' | 'or'; readonly of: readonly Condition[] }
  | { readonly is: 'not'; readonly of: Condition }
  | { readonly is: 'test'; readonly attribute: string; readonly test: (value: Value) => Truth }
  | SetTest
  | Place;

/** What is said of all related rows of the row that holds them. */
interface SetTest {
  readonly is: 'set';
  readonly name: string;
  readonly from: string;
  readonly holds: (related: readonly Row[], status: Status) => boolean;
}

/** A place in the filter that names a relation or component. */
interface Place {
  readonly is: 'place';
  readonly name: string;
  readonly from: string;
  readonly of: Condition;
}

/** One row for each place; null is the row that stands in where there is none. */
type Tuple = ReadonlyMap<Place, Row | null>;

/** Whether some tuple makes the whole filter true. */
export function matches(world: World, type: string, row: Row, filters: Json, status: Status): boolean {
  const condition = readFilter(world, type, filters);
  return isMet(world, condition, row, status);
}

function isMet(world: World, condition: Condition, row: Row, status: Status): boolean {
  for (const tuple of tuples(world, row, condition, status)) {
    const truth = judge(condition, { world, row, holder: null, tuple, status });
    if (truth === true) return true;
  }
  return false;
}

/** The truth of a filter that names no relation: there is only one tuple. */
export const truth = (world: World, type: string, row: Row, filters: Json): Truth =>
  judge(readFilter(world, type, filters), { world, row, holder: null, tuple: new Map(), status: 'draft' });

/** How many places of a filter name a relation or component. */
export const countPlaces = (world: World, type: string, filters: Json): number =>
  [...placesIn(readFilter(world, type, filters), null)].length;

function* tuples(world: World, row: Row, condition: Condition, status: Status): Generator<Tuple> {
  const places = [...placesIn(condition, null)];
  const chosen = new Map<Place, Row | null>();
  function* choose(index: number): Generator<Tuple> {
    if (index === places.length) {
      yield chosen;
      return;
    }
    const { place, within } = places[index]!;
    const holder = within === null ? row : chosen.get(within)!;
    const rows = holder === null ? [] : related(world, place.from, holder, place.name, status);
    for (const candidate of rows.length > 0 ? rows : [null]) {
      chosen.set(place, candidate);
      yield* choose(index + 1);
    }
  }
  yield* choose(0);
}

/** Every place of a condition with the place around it, outer ones first. */
function* placesIn(condition: Condition, within: Place | null): Generator<{ place: Place; within: Place | null }> {
  switch (condition.is) {
    case 'and':
    case 'or':
      for (const member of condition.of) yield* placesIn(member, within);
      break;
    case 'not':
      yield* placesIn(condition.of, within);
      break;
    case 'place':
      yield { place: condition, within };
      yield* placesIn(condition.of, condition);
      break;
    case 'set':
    case 'test':
      break;
  }
}

/** Where a condition is judged: on a row, beside the row whose relation led to it. */
interface Judged {
  readonly world: World;
  readonly row: Row | null;
  readonly holder: Row | null;
  readonly tuple: Tuple;
  readonly status: Status;
}

function judge(condition: Condition, at: Judged): Truth {
  const { row, holder, tuple } = at;
  switch (condition.is) {
    case 'and':
      return all(condition.of.map((member) => judge(member, at)));
    case 'or':
      return some(condition.of.map((member) => judge(member, at)));
    case 'not':
      return not(judge(condition.of, at));
    case 'place':
      return judge(condition.of, { ...at, row: tuple.get(condition) ?? null, holder: row });
    case 'set':
      // Of a row that is not there, nothing is known.
      if (holder === null) return null;
      return condition.holds(related(at.world, condition.from, holder, condition.name, at.status), at.status);
    case 'test':
      return condition.test(row === null ? null : (row.values[condition.attribute] ?? null));
  }
}

export const all = (truths: readonly Truth[]): Truth =>
  truths.includes(false) ? false : truths.includes(null) ? null : true;
export const some = (truths: readonly Truth[]): Truth =>
  truths.includes(true) ? true : truths.includes(null) ? null : false;
export const not = (value: Truth): Truth => (value === null ? null : !value);

/** Where a part of the filter stands: on a row, or on one attribute of it. */
interface Scope {
  readonly type: string;
  /** What operators speak of; the id of the row where a relation is named, nothing at the root. */
  readonly attribute: string | null;
  readonly onRow: boolean;
  /** The relation that led here, and the type that has it. */
  readonly under?: { readonly name: string; readonly from: string };
  /** Inside `$at`: the keys that lead here. */
  readonly keys?: readonly string[];
}

const readFilter = (world: World, type: string, filters: Json): Condition =>
  readObject(world, { type, attribute: null, onRow: true }, filters);

const meant = ({ timezone }: World, operand: unknown): unknown => said(operand, timezone);

function readObject(world: World, scope: Scope, object: Json): Condition {
  return { is: 'and', of: Object.entries(object).map(([key, operand]) => readEntry(world, scope, key, operand)) };
}

function readEntry(world: World, scope: Scope, key: string, operand: unknown): Condition {
  if (key === '$and' || key === '$or')
    return { is: key === '$and' ? 'and' : 'or', of: listOf(operand).map((member) => readMember(world, scope, member)) };
  if (key === '$not')
    return { is: 'not', of: { is: 'and', of: listOf(operand).map((member) => readMember(world, scope, member)) } };
  if (SET_OPERATORS.has(key)) return readSet(world, scope, key, operand);
  if (key === '$at') return readObject(world, { ...scope, keys: [] }, operand as Json);
  if (key.startsWith('$')) return readOperator(world, scope, key, operand);
  if (scope.keys) return readUnderName(world, { ...scope, keys: [...scope.keys, key] }, operand);
  const type = world.types[scope.type]!;
  if (!scope.onRow) throw new Error(`${key} under the attribute ${scope.attribute}`);
  if (key in type.attributes) {
    return readUnderName(world, { ...scope, attribute: key, onRow: false }, operand);
  }
  const relation = type.relations[key];
  if (!relation || relation.populateOnly) throw new Error(`${scope.type} cannot be filtered by ${key}`);
  const under = { name: key, from: scope.type };
  const inside: Scope = { type: relation.to, attribute: 'id', onRow: true, under };
  return { is: 'place', name: key, from: scope.type, of: readUnderName(world, inside, operand) };
}

const SET_OPERATORS = new Set(['$some', '$none', '$every', '$all', '$count']);

/** Each related row meets a condition or does not; where that is unknown, it does not. */
function readSet(world: World, { type, attribute, onRow, under }: Scope, operator: string, operand: unknown): SetTest {
  if (!under) throw new Error(`${operator} under no relation`);
  const behind: Scope = { type, attribute: 'id', onRow: true };
  const meeting = (of: unknown) => {
    const condition = readUnderName(world, behind, of);
    return (rows: readonly Row[], status: Status) => rows.filter((row) => isMet(world, condition, row, status)).length;
  };
  const set = (holds: SetTest['holds']): SetTest => ({ is: 'set', ...under, holds });
  switch (operator) {
    case '$some': {
      const count = meeting(operand);
      return set((rows, status) => count(rows, status) > 0);
    }
    case '$none': {
      const count = meeting(operand);
      return set((rows, status) => count(rows, status) === 0);
    }
    case '$every': {
      const count = meeting(operand);
      return set((rows, status) => count(rows, status) === rows.length);
    }
    case '$all': {
      const isId = (one: unknown): boolean => /^\d+$/.test(String(one));
      const name = onRow ? (listOf(operand).every(isId) ? 'id' : 'documentId') : attribute!;
      const kind = world.types[type]!.attributes[name]!;
      return set((rows) =>
        listOf(meant(world, operand)).every((one) =>
          rows.some(({ values }) => (values[name] ?? null) !== null && compare(kind, values[name], one) === 0),
        ),
      );
    }
    default: {
      const { where, ...tests } = isPlain(operand) ? operand : { [Array.isArray(operand) ? '$in' : '$eq']: operand };
      const count = where === undefined ? (rows: readonly Row[]) => rows.length : meeting(where);
      return set((rows, status) =>
        Object.entries(tests).every(([test, number]) => apply(test, 'integer', count(rows, status), number) === true),
      );
    }
  }
}

const listOf = (operand: unknown): readonly unknown[] => (Array.isArray(operand) ? operand : [operand]);

/** A member of a group: an object, a list of members that all hold, or under a name a bare value. */
function readMember(world: World, scope: Scope, member: unknown): Condition {
  if (Array.isArray(member)) return { is: 'and', of: member.map((inner) => readMember(world, scope, inner)) };
  return isPlain(member) ? readObject(world, scope, member) : readUnderName(world, scope, member);
}

function readUnderName(world: World, scope: Scope, operand: unknown): Condition {
  if (isPlain(operand)) return readObject(world, scope, operand);
  return readOperator(world, scope, Array.isArray(operand) ? '$in' : '$eq', operand);
}

const isPlain = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

function readOperator(world: World, scope: Scope, operator: string, written: unknown): Condition {
  const operand = meant(world, written);
  const attribute = scope.attribute!;
  const kind = world.types[scope.type]!.attributes[attribute]!;
  const { keys } = scope;
  if (!keys) return { is: 'test', attribute, test: (value) => apply(operator, kind, value, operand) };
  return { is: 'test', attribute, test: (value) => applyInJson(operator, valueAt(value, keys), operand) };
}

/** What is inside of JSON; null where there is nothing. */
const valueAt = (json: unknown, keys: readonly string[]): unknown =>
  keys.reduce((value, key) => (isPlain(value) && Object.hasOwn(value, key) ? value[key] : null), json);

/** A value that an operator does not fit is as good as none. */
function applyInJson(operator: string, value: unknown, operand: unknown): Truth {
  const positive = COMPLEMENTS[operator];
  if (positive !== undefined) return not(applyInJson(positive, value, operand));
  switch (operator) {
    case '$eq':
    case '$in':
    case '$null':
    case '$has':
      return apply(operator, 'json', value, operand);
    case '$between': {
      const [low, high] = operand as [unknown, unknown];
      return all([applyInJson('$gte', value, low), applyInJson('$lte', value, high)]);
    }
    case '$lt':
    case '$lte':
    case '$gt':
    case '$gte':
      return some(
        listOf(operand).map((one) => {
          const limit = jsonOf(operandText(one));
          if (typeof value !== typeof limit) return null;
          return apply(operator, typeof value === 'number' ? 'number' : 'text', value, limit);
        }),
      );
    default:
      return typeof value === 'string' ? apply(operator, 'text', value, operand) : null;
  }
}

const COMPLEMENTS: Readonly<Record<string, string>> = {
  $ne: '$eq',
  $nei: '$eqi',
  $notIn: '$in',
  $notContains: '$contains',
  $notContainsi: '$containsi',
  $notNull: '$null',
};

/** A negative operator is the opposite of its positive one, for one value and for several. */
export function apply(operator: string, kind: Kind, value: Value, operand: unknown): Truth {
  const positive = COMPLEMENTS[operator];
  if (positive !== undefined) return not(apply(positive, kind, value, operand));
  switch (operator) {
    case '$null':
      return (value === null) === isYes(operand);
    case '$between': {
      const [low, high] = operand as [unknown, unknown];
      return all([apply('$gte', kind, value, low), apply('$lte', kind, value, high)]);
    }
    case '$eq':
    case '$in': {
      // A null among the values asks for null; nothing else can be said of a value that is not there.
      const values = listOf(operand);
      if (value === null) return values.includes(null) ? true : null;
      return values.some((one) => one !== null && compare(kind, value, one) === 0);
    }
    case '$has':
      if (!Array.isArray(value)) return null;
      return listOf(operand).some((one) => value.some((item) => isDeepStrictEqual(item, jsonOf(operandText(one)))));
    default:
      if (value === null) return null;
      return listOf(operand).some((one) => holds(operator, kind, value, one));
  }
}

function holds(operator: string, kind: Kind, value: Value, operand: unknown): boolean {
  const [text, searched] = [textOf(kind, value), operandText(operand)];
  switch (operator) {
    case '$lt':
      return compare(kind, value, operand) < 0;
    case '$lte':
      return compare(kind, value, operand) <= 0;
    case '$gt':
      return compare(kind, value, operand) > 0;
    case '$gte':
      return compare(kind, value, operand) >= 0;
    case '$eqi':
      return withoutCase(text) === withoutCase(searched);
    case '$contains':
      return text.includes(searched);
    case '$containsi':
      return withoutCase(text).includes(withoutCase(searched));
    case '$startsWith':
      return text.startsWith(searched);
    case '$startsWithi':
      return withoutCase(text).startsWith(withoutCase(searched));
    case '$endsWith':
      return text.endsWith(searched);
    case '$endsWithi':
      return withoutCase(text).endsWith(withoutCase(searched));
    default:
      throw new Error(`There is no operator ${operator}`);
  }
}

const isYes = (operand: unknown): boolean => ['true', 't', '1'].includes(String(operand));

/** Letter by letter, because the case of a letter does not depend on its neighbours; sigma has two small forms. */
const withoutCase = (text: string): string =>
  Array.from(text, (letter) => (letter === 'ς' ? 'σ' : letter.toLowerCase())).join('');

const operandText = (operand: unknown): string => (operand instanceof Date ? operand.toISOString() : String(operand));

/** The text of a value is what an answer shows of it. */
export const textOf = (kind: Kind, value: Value): string => String(shown(kind, value));

/** Below zero, zero or above, for the value of an attribute and an operand read as the attribute's kind. */
function compare(kind: Kind, value: Value, operand: unknown): number {
  const text = operandText(operand);
  switch (kind) {
    case 'text':
      return byCodePoint(value as string, text);
    case 'integer':
    case 'biginteger':
      return compareExactly(BigInt(value as number | bigint), text.trim());
    case 'number':
      return Math.sign((value as number) - Number(text));
    case 'boolean':
      return Number(value) - Number(isYes(text));
    case 'date':
      return byCodePoint(value as string, text.slice(0, 'yyyy-MM-dd'.length));
    case 'time': {
      const [clock, fraction = ''] = text.split('.');
      return byCodePoint(value as string, `${clock}.${fraction.padEnd(3, '0')}`);
    }
    case 'datetime':
      return (value as number) - instantOf(text);
    case 'json':
      return isDeepStrictEqual(value, jsonOf(text)) ? 0 : Number.NaN;
  }
}

/** An integer against a number written in decimal, to the last digit. */
function compareExactly(value: bigint, decimal: string): number {
  const match = /^([+-]?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(decimal);
  if (!match) throw new Error(`${decimal} is no decimal number`);
  const [, sign, whole, fraction = '', exponent = '0'] = match;
  const scale = Number(exponent) - fraction.length;
  const digits = BigInt(`${sign === '-' ? '-' : ''}${whole}${fraction}`);
  const left = scale < 0 ? value * 10n ** BigInt(-scale) : value;
  const right = scale > 0 ? digits * 10n ** BigInt(scale) : digits;
  return left < right ? -1 : left > right ? 1 : 0;
}

function instantOf(text: string): number {
  if (/^[+-]?\d{5,}$/.test(text)) return Number(text);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Date.parse(`${text}T00:00:00.000Z`);
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}

/** An operand for a JSON attribute is JSON; what is not is a text. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function byCodePoint(left: string, right: string): number {
  const [a, b] = [Array.from(left), Array.from(right)];
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const difference = a[index]!.codePointAt(0)! - b[index]!.codePointAt(0)!;
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

// ---------------------------------------------------------------------------------------------------------- sort

function sorted(world: World, type: string, rows: readonly Row[], keys: readonly SortKey[], status: Status): Row[] {
  const order = (left: Row, right: Row): number => {
    for (const key of keys) {
      const [a, b] = [left, right].map((row) => sortValue(world, type, row, key, status));
      const kind = key.aggregate === 'count' || key.aggregate === 'avg' ? 'number' : kindAt(world, type, key.path);
      const difference = a === null || b === null ? Number(a === null) - Number(b === null) : inOrder(kind, a, b);
      if (difference !== 0) return key.descending ? -difference : difference;
    }
    return left.id - right.id;
  };
  return [...rows].sort(order);
}

function kindAt(world: World, type: string, path: readonly string[]): Kind {
  const [name, ...rest] = path;
  const { attributes, relations } = world.types[type]!;
  return rest.length === 0 ? attributes[name!]! : kindAt(world, relations[name!]!.to, rest);
}

/** The row's own value; through relations the smallest ascending and the largest descending, nulls left out. */
function sortValue(world: World, type: string, row: Row, key: SortKey, status: Status): Value {
  const { path, aggregate } = key;
  if (aggregate === 'count') return valuesAt(world, type, row, [...path, 'id'], status).length;
  const descending = aggregate === undefined ? key.descending : aggregate === 'max';
  const kind = kindAt(world, type, path);
  const values = valuesAt(world, type, row, path, status).filter((value) => value !== null);
  if (aggregate === 'avg') return values.length === 0 ? null : average(values as (number | bigint)[]);
  const ascending = values.sort((a, b) => inOrder(kind, a, b));
  return (descending ? ascending.at(-1) : ascending[0]) ?? null;
}

/** To 13 digits, which databases agree on. */
function average(values: readonly (number | bigint)[]): number {
  const whole = values.filter((value) => typeof value === 'bigint').reduce((sum, value) => sum + value, 0n);
  const sum = values
    .filter((value) => typeof value === 'number')
    .reduce((total, value) => total + value, Number(whole));
  return Number((sum / values.length).toExponential(12));
}

function valuesAt(world: World, type: string, row: Row, path: readonly string[], status: Status): Value[] {
  const [name, ...rest] = path;
  if (rest.length === 0) return [row.values[name!] ?? null];
  const { to } = world.types[type]!.relations[name!]!;
  return related(world, type, row, name!, status).flatMap((next) => valuesAt(world, to, next, rest, status));
}

export function inOrder(kind: Kind, a: Value, b: Value): number {
  switch (kind) {
    case 'text':
    case 'date':
    case 'time':
      return byCodePoint(a as string, b as string);
    default:
      return (a as number) < (b as number) ? -1 : (a as number) > (b as number) ? 1 : 0;
  }
}

// ----------------------------------------------------------------------------------------------- what entries show

/** The entry of a row, as an answer shows it. */
export function entry(
  world: World,
  type: string,
  row: Row,
  query: Pick<Query, 'fields' | 'populate' | 'status'>,
): Json {
  const { attributes, component } = world.types[type]!;
  const always = component ? ['id'] : ['id', 'documentId'];
  const names = query.fields === undefined ? Object.keys(attributes) : [...always, ...query.fields];
  const result: Json = {};
  for (const name of names) result[name] = shown(attributes[name]!, row.values[name] ?? null);
  for (const [name, options] of Object.entries(namedPopulate(world, type, query.populate ?? {})))
    result[name] = populated(world, type, row, name, options, query.status ?? 'draft');
  return result;
}

function namedPopulate(world: World, type: string, populate: Populate): Readonly<Record<string, PopulateOptions>> {
  const { relations, zones } = world.types[type]!;
  if (populate === '*')
    return Object.fromEntries([...Object.keys(relations), ...Object.keys(zones)].map((name) => [name, {}]));
  return Object.fromEntries(Object.entries(populate).map(([name, options]) => [name, options === true ? {} : options]));
}

function populated(world: World, type: string, row: Row, name: string, options: PopulateOptions, status: Status) {
  if (name in world.types[type]!.zones) return populatedZone(world, row, name, options, status);
  const { to, many } = world.types[type]!.relations[name]!;
  const linked = related(world, type, row, name, status);
  const { filters } = options;
  const chosen = filters ? linked.filter((one) => matches(world, to, one, filters, status)) : linked;
  if (options.count) return { count: chosen.length };
  const sort = options.sort ?? [];
  const inListOrder = sort.length > 0 ? sorted(world, to, chosen, sort, status) : chosen;
  // The attributes that a list is sorted by are shown with it, asked for or not.
  const own = sort.filter(({ path, aggregate }) => path.length === 1 && aggregate === undefined);
  const sortedBy = own.map(({ path }) => path[0]!);
  const fields = options.fields && [...options.fields, ...sortedBy];
  const entries = inListOrder.map((one) => entry(world, to, one, { ...options, fields, status }));
  return many ? pageOf(entries, options.pagination) : (entries[0] ?? null);
}

/** Part of a list; with its total it is in an envelope. */
function pageOf(entries: readonly Json[], page: PopulatePage | undefined) {
  if (!page) return entries;
  const { start, limit, withCount = false } = page;
  const data = entries.slice(start, start + limit);
  return withCount ? { data, meta: { pagination: { start, limit, total: entries.length } } } : data;
}

function populatedZone(world: World, row: Row, name: string, options: PopulateOptions, status: Status) {
  const entries = (row.zones[name] ?? []).flatMap(({ type, id }) => {
    const fragment = options.on ? options.on[type] : true;
    if (fragment === undefined) return [];
    const { filters, ...shape } = fragment === true ? {} : fragment;
    const member = world.rows[type]!.find((one) => one.id === id)!;
    if (filters && !matches(world, type, member, filters, status)) return [];
    return [{ ...entry(world, type, member, { ...shape, status }), __component: type }];
  });
  return pageOf(entries, options.pagination);
}

export function shown(kind: Kind, value: Value): unknown {
  if (value === null) return null;
  switch (kind) {
    case 'biginteger':
      return String(value);
    case 'datetime':
      return new Date(value as number).toISOString();
    default:
      return value;
  }
}
