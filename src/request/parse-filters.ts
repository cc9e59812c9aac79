// The filter grammar: nested objects of names, operators and values → a tree of conditions with value slots.
// Knows no model: whether a name exists and a value fits is decided in plan/.
import { nearestWord } from '../edit-distance.ts';
import { limitExceeded } from '../errors.ts';
import { MAX_DATE_STEPS } from '../limits.ts';
import type { Location, Scalar } from './grammar.ts';
import { badKey, badValue, entriesOf, isPlainObject, isScalar, itemsOf, within, yesOrNo } from './grammar.ts';
import type { Comparison, CountTest, FilterNode } from './read-request.ts';
import { readRelativeDate, tooManySteps } from './relative-dates.ts';
import { isNumeric, isStorable, isWholeNumber } from './scalars.ts';

/** Collects the values of one request, and counts its conditions. */
export class Slots {
  readonly values: unknown[] = [];
  #nodes = 0;
  #steps = 0;

  put(value: unknown): number {
    for (const one of Array.isArray(value) ? value : [value]) this.#countSteps(one);
    return this.values.push(value) - 1;
  }

  /** To resolve a step takes so long that a body full of them would hold up everyone. */
  #countSteps(value: unknown): void {
    if (typeof value !== 'string' || !value.includes('now')) return;
    this.#steps += readRelativeDate(value)?.length ?? 0;
    if (this.#steps > MAX_DATE_STEPS) throw tooManySteps();
  }

  countNode(location: Location): void {
    const { param, limits } = location;
    this.#nodes++;
    if (this.#nodes > limits.filterNodes)
      throw limitExceeded('MAX_FILTER_NODES', limits.filterNodes, 'conditions in filters', { param });
  }
}

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map(
  (
    [
      'eq',
      'ne',
      'lt',
      'lte',
      'gt',
      'gte',
      'in',
      'notIn',
      'between',
      'eqi',
      'nei',
      'contains',
      'notContains',
      'containsi',
      'notContainsi',
      'startsWith',
      'startsWithi',
      'endsWith',
      'endsWithi',
      'has',
    ] as const
  ).map((op) => [`$${op}`, op]),
);

const COUNT_TESTS: ReadonlyMap<string, CountTest['op']> = new Map(
  (['eq', 'ne', 'lt', 'lte', 'gt', 'gte', 'in', 'notIn', 'between'] as const).map((op) => [`$${op}`, op]),
);
/** In `$count`, what the related entries must meet to be counted. */
const COUNTED_WHERE = 'where';

/** Several values under one of these must all hold; under any other, one of them is enough. */
const NEGATIVE: ReadonlySet<Comparison> = new Set(['nei', 'notContains', 'notContainsi'] as const);

export function parseFilters(value: unknown, location: Location, slots: Slots): FilterNode | null {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value) && value.length > 0) throw badKey('0', location);
  if (!isPlainObject(value)) throw badValue(location, 'an object of conditions');
  if (Object.keys(value).length === 0) return null;
  return conditions(value, { location, slots, onAttribute: false, jsonPath: null });
}

/** Where in the filter the parser stands. */
interface Scope {
  readonly location: Location;
  readonly slots: Slots;
  /** Whether this is under a name, so that operators make sense. */
  readonly onAttribute: boolean;
  /** Inside `$at`, the keys that lead here. */
  readonly jsonPath: readonly string[] | null;
}

/** All keys of an object hold together. */
function conditions(value: Record<string, unknown>, scope: Scope): FilterNode {
  const { location } = scope;
  const all = entriesOf(value, location).map(([key, operand]) => condition(key, operand, scope));
  if (all.length === 0) throw badValue(location, 'a condition');
  return group('and', all);
}

const group = (is: 'and' | 'or', of: readonly FilterNode[]): FilterNode => (of.length === 1 ? of[0]! : { is, of });

function condition(key: string, operand: unknown, scope: Scope): FilterNode {
  const { location, slots, onAttribute } = scope;
  slots.countNode(location);
  switch (key) {
    case '$and':
    case '$or':
      return group(key === '$and' ? 'and' : 'or', members(key, operand, scope));
    case '$not':
      return { is: 'not', of: group('and', members(key, operand, scope)) };
    case '$null':
    case '$notNull': {
      if (!onAttribute) throw badKey(key, location, 'it stands under the name of an attribute');
      const yes = yesOrNo(operand);
      if (yes === undefined) throw badValue(within(location, key), 'true or false');
      return { is: yes === (key === '$null') ? 'null' : 'notNull' };
    }
    case '$some':
    case '$none':
    case '$every':
    case '$all':
    case '$count':
      if (!onAttribute) throw badKey(key, location, 'it stands under the name of a relation or component');
      if (scope.jsonPath) throw badKey(key, location, 'nothing is related to what is inside of JSON');
      return underOperator(key, operand, within(location, key), slots);
    case '$at':
      if (!onAttribute || scope.jsonPath) throw badKey(key, location, 'it stands under the name of a JSON attribute');
      if (!isPlainObject(operand)) throw badValue(within(location, key), 'an object of keys and conditions');
      return conditions(operand, { location: within(location, key), slots, onAttribute: false, jsonPath: [] });
  }
  const op = COMPARISONS.get(key);
  if (op !== undefined && onAttribute) return comparison(op, operand, within(location, key), slots);
  if (op !== undefined)
    throw badKey(key, location, scope.jsonPath ? 'it stands under a key' : 'it stands under the name of an attribute');
  if (key.startsWith('$')) throw badKey(key, location, unknownOperator(key));
  if (key === '') throw badKey(key, location);
  return scope.jsonPath ? inJson(key, operand, scope.jsonPath, scope) : named(key, operand, scope);
}

const OPERATORS: readonly string[] = [
  ...['$and', '$or', '$not', '$null', '$notNull', '$some', '$none', '$every', '$all', '$count', '$at'],
  ...COMPARISONS.keys(),
];

function unknownOperator(key: string): string {
  const sameLetters = OPERATORS.find((one) => one.toLowerCase() === key.toLowerCase());
  const meant = sameLetters ?? nearestWord(key, OPERATORS);
  return meant === null ? 'there is no such operator' : `there is no such operator; did you mean ${meant}?`;
}

function named(name: string, operand: unknown, { location, slots }: Scope): FilterNode {
  const inside = { location: within(location, name), slots, onAttribute: true, jsonPath: null };
  return { is: 'at', name, of: underName(operand, inside) };
}

/** A key of JSON is a value: it stands in no model, so it takes a slot. */
function inJson(key: string, operand: unknown, above: readonly string[], { location, slots }: Scope): FilterNode {
  if (!isStorable(key)) throw badKey(key, location);
  const jsonPath = [...above, key];
  const slot = slots.put(jsonPath);
  const of = underName(operand, { location: within(location, key), slots, onAttribute: true, jsonPath });
  return { is: 'path', slot, length: jsonPath.length, of };
}

type SetOperator = '$some' | '$none' | '$every' | '$all' | '$count';

/** What speaks of all related entries together. */
function underOperator(key: SetOperator, operand: unknown, location: Location, slots: Slots): FilterNode {
  switch (key) {
    case '$some':
      return { is: 'some', of: ofRelated(operand, location, slots) };
    case '$none':
      return { is: 'none', of: ofRelated(operand, location, slots) };
    case '$every':
      return { is: 'every', of: ofRelated(operand, location, slots) };
    case '$all':
      return allOf(operand, location, slots);
    case '$count':
      return countOf(operand, location, slots);
  }
}

/** A condition on one of the related entries: as under their relation, but for null, which no entry is. */
function ofRelated(operand: unknown, location: Location, slots: Slots): FilterNode {
  if (operand === null) throw badValue(location, 'a condition');
  return underName(operand, { location, slots, onAttribute: true, jsonPath: null });
}

function allOf(operand: unknown, location: Location, slots: Slots): FilterNode {
  const values = itemsOf(Array.isArray(operand) ? operand : [operand], location).map((item) => scalar(item, location));
  if (values.length === 0) throw badValue(location, 'at least one value');
  const isList = values.length > MAX_LOOKED_UP;
  const whole = values.filter(isWhole).length;
  return {
    is: 'all',
    slots: isList ? [slots.put(values)] : values.map((value) => slots.put(value)),
    isList,
    whole: whole === 0 ? 'none' : whole < values.length ? 'some' : 'all',
  };
}

/** So many values of `$all` are looked up one by one; more are counted. */
const MAX_LOOKED_UP = 4;

const isWhole = (value: Scalar): boolean =>
  typeof value === 'bigint' || typeof value === 'number' || (typeof value === 'string' && isWholeNumber(value));

function countOf(operand: unknown, location: Location, slots: Slots): FilterNode {
  if (!isPlainObject(operand)) return countNode([countTest('eq', operand, location, slots)], null, slots);
  const tests: CountTest[] = [];
  let where: FilterNode | null = null;
  for (const [key, value] of entriesOf(operand, location)) {
    const op = COUNT_TESTS.get(key);
    slots.countNode(location);
    if (op !== undefined) tests.push(countTest(op, value, within(location, key), slots));
    else if (key === COUNTED_WHERE) where = ofRelated(value, within(location, key), slots);
    else throw badKey(key, location, `a number is compared by ${[...COUNT_TESTS.keys()].join(', ')}`);
  }
  if (tests.length === 0) throw badValue(location, 'a number to compare with, such as [$count][$gte]=1');
  return countNode(tests, where, slots);
}

function countNode(tests: readonly CountTest[], where: FilterNode | null, { values }: Slots): FilterNode {
  const passes = (count: number): boolean =>
    tests.every(({ op, slot }) => passesTest(op, count, [values[slot]].flat().map(numberOf)));
  const [ofZero, ofOne] = [passes(0), passes(1)];
  const asksForAny = tests.length === 1 && ofZero !== ofOne && isOfAny(tests[0]!.op, ofZero);
  return { is: 'count', tests, where, zeroPasses: ofZero, asksForAny };
}

/** What cannot be read as a number is refused when it is bound. */
const numberOf = (value: unknown): number =>
  typeof value === 'number' || typeof value === 'bigint' || (typeof value === 'string' && isNumeric(value))
    ? Number(value)
    : Number.NaN;

/** Whether a test that tells 0 from 1 tells 0 from all other numbers. */
const isOfAny = (op: CountTest['op'], zeroPasses: boolean): boolean =>
  zeroPasses ? op === 'eq' || op === 'lt' || op === 'lte' : op === 'ne' || op === 'gt' || op === 'gte';

function passesTest(op: CountTest['op'], count: number, values: readonly number[]): boolean {
  const [first = Number.NaN, second = Number.NaN] = values;
  switch (op) {
    case 'eq':
    case 'in':
      return values.includes(count);
    case 'ne':
    case 'notIn':
      return !values.includes(count);
    case 'lt':
      return count < first;
    case 'lte':
      return count <= first;
    case 'gt':
      return count > first;
    case 'gte':
      return count >= first;
    case 'between':
      return first <= count && count <= second;
  }
}

function countTest(op: CountTest['op'], operand: unknown, location: Location, slots: Slots): CountTest {
  const items = (): Scalar[] =>
    itemsOf(Array.isArray(operand) ? operand : [operand], location).map((item) => scalar(item, location));
  switch (op) {
    case 'eq':
    case 'ne':
      if (Array.isArray(operand)) return { op: op === 'eq' ? 'in' : 'notIn', slot: slots.put(items()) };
      break;
    case 'in':
    case 'notIn':
      return { op, slot: slots.put(items()) };
    case 'between':
      if (!Array.isArray(operand) || operand.length !== 2) throw badValue(location, 'exactly two values');
      return { op, slot: slots.put(items()) };
  }
  return { op, slot: slots.put(scalar(operand, location)) };
}

/** The members of `$and`, `$or`, `$not`: a list, or one member without a list around it. */
function members(key: string, operand: unknown, scope: Scope): FilterNode[] {
  const { location, slots, onAttribute } = scope;
  const list = Array.isArray(operand) ? itemsOf(operand, location) : [operand];
  if (list.length === 0) throw badValue(within(location, key), 'at least one condition');
  return list.map((member) => {
    const inside = within(location);
    slots.countNode(location);
    if (Array.isArray(member)) return group('and', members(key, member, { ...scope, location: inside }));
    if (isPlainObject(member)) return conditions(member, { ...scope, location: inside });
    if (onAttribute) return underName(member, { ...scope, location: inside });
    throw badValue(within(location, key), 'an object, or a list of objects');
  });
}

/** What stands under a name: a bare value, a list of values, or an object of operators and further names. */
function underName(operand: unknown, scope: Scope): FilterNode {
  const { location, slots } = scope;
  if (operand === null) return { is: 'null' };
  if (Array.isArray(operand)) return comparison('in', operand, location, slots);
  if (isPlainObject(operand)) return conditions(operand, scope);
  return comparison('eq', operand, location, slots);
}

function comparison(op: Comparison, operand: unknown, location: Location, slots: Slots): FilterNode {
  switch (op) {
    case 'eq':
    case 'ne':
      if (operand === null) return { is: op === 'eq' ? 'null' : 'notNull' };
      return Array.isArray(operand)
        ? membership(op === 'eq' ? 'in' : 'notIn', operand, location, slots)
        : { is: 'compare', op, slot: slots.put(scalar(operand, location)) };
    case 'in':
    case 'notIn':
      // Bare, as in `filters[name][$in]`, it is a list of nothing.
      return membership(op, Array.isArray(operand) ? operand : operand === null ? [] : [operand], location, slots);
    case 'between': {
      if (!Array.isArray(operand) || operand.length !== 2) throw badValue(location, 'exactly two values');
      return { is: 'compare', op, slot: slots.put(operand.map((item) => scalar(item, location))) };
    }
    default: {
      const one = (item: unknown): FilterNode =>
        item === null && (op === 'eqi' || op === 'nei')
          ? { is: op === 'eqi' ? 'null' : 'notNull' }
          : { is: 'compare', op, slot: slots.put(scalar(item, location)) };
      if (!Array.isArray(operand)) return one(operand);
      const each = itemsOf(operand, location).map((item) => {
        slots.countNode(location);
        return one(item);
      });
      if (each.length === 0) throw badValue(location, 'at least one value');
      return group(NEGATIVE.has(op) ? 'and' : 'or', each);
    }
  }
}

/** `$in` is "equal to one of them", `$notIn` "equal to none of them"; a null among them means null. */
function membership(op: 'in' | 'notIn', operand: readonly unknown[], location: Location, slots: Slots): FilterNode {
  const values = itemsOf(operand, location).filter((item) => item !== null);
  const list: FilterNode = {
    is: 'compare',
    op,
    slot: slots.put(values.map((item) => scalar(item, location))),
  };
  if (values.length === operand.length) return list;
  return op === 'in' ? group('or', [list, { is: 'null' }]) : group('and', [list, { is: 'notNull' }]);
}

function scalar(value: unknown, location: Location): Scalar {
  if (isScalar(value)) return value;
  if (isPlainObject(value)) throw badKey(Object.keys(value)[0] ?? '', location);
  throw badValue(location, 'a value');
}
