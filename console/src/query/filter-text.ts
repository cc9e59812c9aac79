// Conditions ↔ the object of `filters`. Every draft has one form of writing from which it is read back as it was; of the
// many forms of the dialect, each is read as a draft that means the same.
import type { QueryValue } from '../../../src/client/query-text.ts';
import {
  COUNT_OPERATORS,
  type Count,
  type FilterDraft,
  hasBoth,
  isComplete,
  type Join,
  OPERATORS,
  type Operator,
  type Raw,
  type Scope,
  type SetWord,
  type Step,
  type Test,
} from './draft.ts';
import { isOneValue, type SchemaView, viewBelow } from './schema-view.ts';

type QueryObject = { readonly [key: string]: QueryValue };

export const isQueryObject = (value: QueryValue | undefined): value is QueryObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isQueryList = (value: QueryValue | undefined): value is readonly QueryValue[] => Array.isArray(value);

const LISTS: ReadonlySet<Operator> = new Set<Operator>(['$in', '$notIn', '$between', '$all']);
const SETS: ReadonlyMap<string, SetWord> = new Map([
  ['$some', 'some'],
  ['$none', 'none'],
  ['$every', 'every'],
]);
/** What speaks of all related entries, so that it is independent of what stands beside it. */
const OF_ALL: ReadonlySet<string> = new Set([...SETS.keys(), '$all', '$count']);

// ---- writing

/** The object of conditions that all hold; undefined where none is complete. */
export function writeFilters(nodes: readonly FilterDraft[]): QueryObject | undefined {
  const complete = nodes.filter(isComplete);
  return complete.length === 0 ? undefined : together(complete, () => true);
}

/** One object, if its keys would not be taken for one another; else a list. */
function together(nodes: readonly FilterDraft[], mayMerge: (keys: readonly string[]) => boolean): QueryObject {
  const objects = nodes.map(objectOf);
  const keys = objects.flatMap((one) => Object.keys(one));
  const isOneGroup = keys.length === 1 && keys[0] === '$and';
  if (new Set(keys).size === keys.length && !isOneGroup && mayMerge(keys)) return Object.assign({}, ...objects);
  return { $and: nodes.map(memberOf) };
}

/** A member of a list is an object that stands alone, so a group of several needs no `$and` around it. */
function memberOf(node: FilterDraft): QueryObject {
  if (node.kind !== 'group' || node.join === 'or' || node.negated) return objectOf(node);
  const of = node.of.filter(isComplete);
  return of.length > 1 ? together(of, () => true) : objectOf(node);
}

function objectOf(node: FilterDraft): QueryObject {
  switch (node.kind) {
    case 'raw':
      return { [node.key]: node.value };
    case 'group': {
      const of = node.of.filter(isComplete);
      const key = node.join === 'or' ? '$or' : '$and';
      if (!node.negated) return { [key]: of.map(memberOf) };
      return { $not: node.join === 'or' ? { $or: of.map(memberOf) } : negatedAll(of) };
    }
    case 'scope':
      return under(node.path, inScope(node));
    case 'test':
      return under(node.path, testOf(node));
    case 'count':
      return under(node.path, { $count: countOf(node) });
  }
}

function negatedAll(of: readonly FilterDraft[]): QueryValue {
  const [first] = of;
  const isGroup = of.length === 1 && first!.kind === 'group' && !first!.negated;
  const object = isGroup ? null : together(of, () => true);
  return object === null || '$and' in object ? of.map(memberOf) : object;
}

function inScope({ join, of }: Pick<Scope, 'join' | 'of'>): QueryObject {
  const complete = of.filter(isComplete);
  if (join === 'or') return { $or: complete.map(memberOf) };
  if (complete.length === 1) return { $and: complete.map(memberOf) };
  return together(complete, (keys) => !keys.some((key) => OF_ALL.has(key)));
}

function testOf({ op, values, at }: Test): QueryObject {
  const value = LISTS.has(op) || values.length > 1 ? values : values[0]!;
  const test: QueryObject = { [op]: value };
  if (at.length === 0) return test;
  return { $at: at.reduceRight<QueryObject>((inner, key) => ({ [key]: inner }), test) };
}

function countOf({ op, values, where }: Count): QueryObject {
  const value = LISTS.has(op) || values.length > 1 ? values : values[0]!;
  const complete = where.filter(isComplete);
  if (complete.length === 0) return { [op]: value };
  return { [op]: value, where: together(complete, (keys) => !keys.some((key) => OF_ALL.has(key))) };
}

const under = (path: readonly Step[], inner: QueryObject): QueryObject =>
  path.reduceRight<QueryObject>((below, { name, set }) => ({ [name]: set ? { [`$${set}`]: below } : below }), inner);

// ---- reading

/** The conditions of an object; `view` is what the names stand in, where that is known. */
export function readFilters(object: QueryObject, view: SchemaView | null): readonly FilterDraft[] {
  const [only] = Object.entries(object);
  if (only?.[0] === '$and' && Object.keys(object).length === 1) return members(only[1], view) ?? [raw(...only)];
  return conjunction(object, view);
}

const raw = (key: string, value: QueryValue): Raw => ({ kind: 'raw', key, value });

/** What each key of an object says. */
const conjunction = (object: QueryObject, view: SchemaView | null): FilterDraft[] =>
  Object.entries(object).flatMap(([key, value]) => condition(key, value, view));

function condition(key: string, value: QueryValue, view: SchemaView | null): readonly FilterDraft[] {
  switch (key) {
    case '$and':
    case '$or': {
      const of = members(value, view);
      return [of ? { kind: 'group', join: key === '$or' ? 'or' : 'and', negated: false, of } : raw(key, value)];
    }
    case '$not':
      return [negated(value, view)];
    case '$count':
      return counts([], value, view) ?? [raw(key, value)];
    case '$at':
      return (isQueryObject(value) ? insideJson(value, []) : null) ?? [raw(key, value)];
  }
  if (key.startsWith('$')) return [operator(key, value) ?? raw(key, value)];
  return named(key, value, view);
}

/** The members of a group: a list, or one without a list around it. Null for what is neither. */
function members(value: QueryValue, view: SchemaView | null): FilterDraft[] | null {
  const list = isQueryList(value) ? value : [value];
  const read = list.map((member) => (isQueryObject(member) ? oneOf(member, view) : null));
  return read.every((one) => one !== null) && read.length > 0 ? read : null;
}

/** What an object says, as one condition. */
function oneOf(object: QueryObject, view: SchemaView | null): FilterDraft | null {
  const entries = Object.entries(object);
  if (entries.length === 0) return null;
  const of = conjunction(object, view);
  return of.length === 1 ? of[0]! : { kind: 'group', join: 'and', negated: false, of };
}

function negated(value: QueryValue, view: SchemaView | null): FilterDraft {
  const is = (join: Join, of: readonly FilterDraft[] | null): FilterDraft =>
    of && of.length > 0 ? { kind: 'group', join, negated: true, of } : raw('$not', value);
  if (!isQueryObject(value)) return is('and', members(value, view));
  const [[key, inner] = ['', null], ...more] = Object.entries(value);
  if (more.length === 0 && key === '$or') return is('or', members(inner, view));
  if (more.length === 0 && key === '$and') return is('and', members(inner, view));
  return is('and', conjunction(value, view));
}

/** A comparison of the value itself. */
function operator(key: string, value: QueryValue): Test | null {
  const op = OPERATORS.find((one) => one === key);
  if (op === undefined) return null;
  const is = (meant: Operator, values: readonly string[]): Test => ({
    kind: 'test',
    path: [],
    at: [],
    op: meant,
    values,
  });
  if (op === '$null' || op === '$notNull') {
    const yes = yesOrNo(value);
    return yes === null ? null : is(yes === (op === '$null') ? '$null' : '$notNull', ['true']);
  }
  if (value === null && (op === '$eq' || op === '$ne')) return is(op === '$eq' ? '$null' : '$notNull', ['true']);
  const values = strings(value);
  if (values === null || values.length === 0) return null;
  if (op === '$between') return hasBoth(values) ? is(op, values) : null;
  if (op === '$eq' || op === '$ne') return is(Array.isArray(value) ? (op === '$eq' ? '$in' : '$notIn') : op, values);
  return is(op, values);
}

/** A text, or a list of texts. */
export function strings(value: QueryValue): readonly string[] | null {
  if (typeof value === 'string') return [value];
  return isQueryList(value) && value.every((item) => typeof item === 'string') ? value : null;
}

export function yesOrNo(value: QueryValue | undefined): boolean | null {
  if (value === 'true' || value === 't' || value === '1') return true;
  return value === 'false' || value === 'f' || value === '0' ? false : null;
}

/** What stands under a name. */
function named(name: string, value: QueryValue, view: SchemaView | null): FilterDraft[] {
  if (!isQueryObject(value)) {
    const test = bareValue(value);
    return [test ? prefixed({ name, set: null }, test) : raw(name, value)];
  }
  const entries = Object.entries(value);
  const below = viewBelow(view, name);
  const ofEntry = Object.fromEntries(entries.filter(([key]) => !OF_ALL.has(key)));
  const ofAll = entries.filter(([key]) => OF_ALL.has(key));
  if (entries.length === 0) return [raw(name, value)];
  return [
    ...(ofAll.length === entries.length ? [] : ofOneEntry(name, ofEntry, { here: view, below })),
    ...ofAll.flatMap(([key, inner]) => ofAllEntries(name, key, inner, below)),
  ];
}

/** Conditions on one and the same entry that a name leads to, or on one value. */
function ofOneEntry(name: string, object: QueryObject, views: Views): FilterDraft[] {
  const here: Step = { name, set: null };
  const scope = scopeOf(object, views.below);
  if (!scope || scope.of.length === 0) return [raw(name, object)];
  const { join, of } = scope;
  if (isGroupAlone(object)) return [{ kind: 'scope', path: [here], join, of }];
  if (of.length === 1 && of[0]!.kind === 'raw') return [raw(name, object)];
  // Several comparisons of one value are as many conditions.
  if ((of.length === 1 || isOneValue(views.here, name)) && of.every(isPlain))
    return of.map((one) => prefixed(here, one));
  return [{ kind: 'scope', path: [here], join, of }];
}

interface Views {
  readonly here: SchemaView | null;
  readonly below: SchemaView | null;
}

type Plain = Test | Count | Scope;
const isPlain = (node: FilterDraft): node is Plain =>
  node.kind === 'test' || node.kind === 'count' || node.kind === 'scope';

const prefixed = (here: Step, node: Plain): Plain => ({ ...node, path: [here, ...node.path] });

const isGroupAlone = (object: QueryObject): boolean => {
  const [key, ...more] = Object.keys(object);
  return more.length === 0 && (key === '$and' || key === '$or');
};

/** `{$and: […]}`, `{$or: […]}`, or keys that hold together. */
function scopeOf(object: QueryObject, view: SchemaView | null): Pick<Scope, 'join' | 'of'> | null {
  if (!isGroupAlone(object)) return { join: 'and', of: conjunction(object, view) };
  const key = Object.keys(object)[0]!;
  const of = members(object[key]!, view);
  return of && { join: key === '$or' ? 'or' : 'and', of };
}

/** An operator on all entries that a name leads to. */
function ofAllEntries(name: string, key: string, value: QueryValue, below: SchemaView | null): readonly FilterDraft[] {
  const kept = [raw(name, { [key]: value })];
  if (key === '$count') return counts([{ name, set: null }], value, below) ?? kept;
  const set = SETS.get(key);
  const here: Step = { name, set: set ?? null };
  if (set === undefined || !isQueryObject(value)) {
    const meant = set === undefined ? key : Array.isArray(value) ? '$in' : '$eq';
    const test = value === null ? null : operator(meant, value);
    return test ? [prefixed(here, test)] : kept;
  }
  const scope = scopeOf(value, below);
  if (!scope || scope.of.length === 0) return kept;
  const [only, ...more] = scope.of;
  if (more.length > 0 || isGroupAlone(value) || only!.kind === 'group')
    return [{ kind: 'scope', path: [here], ...scope }];
  return isPlain(only!) ? [prefixed(here, only)] : kept;
}

/** Several comparisons of one number are as many conditions. */
function counts(path: readonly Step[], value: QueryValue, view: SchemaView | null): readonly Count[] | null {
  const tests: QueryObject = isQueryObject(value) ? value : { $eq: value };
  const { where, ...compared } = tests;
  if (where !== undefined && (!isQueryObject(where) || Object.keys(where).length === 0)) return null;
  const counted = where === undefined ? [] : readFilters(where, view);
  const read = Object.entries(compared).map(([key, operand]): Count | null => {
    const test = COUNT_OPERATORS.some((one) => one === key) ? operator(key, operand) : null;
    const op = COUNT_OPERATORS.find((one) => one === test?.op);
    return test && op ? { kind: 'count', path, op, values: test.values, where: counted } : null;
  });
  return read.length > 0 && read.every((one) => one !== null) ? read : null;
}

/** Comparisons of values inside of JSON; null where there is more to it. */
function insideJson(object: QueryObject, above: readonly string[]): Test[] | null {
  const tests: Test[] = [];
  for (const [key, value] of Object.entries(object)) {
    const isOperator = key.startsWith('$');
    const at = isOperator ? above : [...above, key];
    const inner = !isOperator && isQueryObject(value) ? insideJson(value, at) : null;
    const alone = isOperator ? operator(key, value) : isQueryObject(value) ? null : bareValue(value);
    const found = inner ?? (alone && [{ ...alone, at }]);
    if (!found || found.length === 0 || at.length === 0) return null;
    tests.push(...found);
  }
  return tests;
}

/** A bare value under a name. */
const bareValue = (value: QueryValue): Test | null =>
  value === null ? operator('$null', 'true') : operator(Array.isArray(value) ? '$in' : '$eq', value);
