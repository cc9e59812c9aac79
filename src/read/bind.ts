// Values of a request → values that the database binds. A value that cannot be read as its attribute's type ends
// here with a 400 that names the attribute; no statement has been sent by then.
import type { UserValues } from '../access/caller.ts';
import { invalidValue, limitExceeded } from '../errors.ts';
import { MAX_FOLDED_LENGTH, MAX_JSON_DEPTH, MAX_JSON_LENGTH } from '../limits.ts';
import type { ScalarType } from '../model/types.ts';
import type { JsonPath, PlanComparison, ValueRef } from '../plan/read/nodes.ts';
import { dayOf, readRelativeDate, resolveRelativeDate, serverTimezone } from '../request/relative-dates.ts';
import {
  dateText,
  isNumeric,
  isStorable,
  isStorableJson,
  readDate,
  readInstant,
  readTime,
  withinYears,
} from '../request/scalars.ts';
import type { Binding, BoundValue, ContextName, Row, SearchForm, Statement, ValueForm } from '../sql/statement.ts';
import { canonicalJson, fold, globPattern, isAscii, lengthOf, type PatternPlace } from '../sql/text.ts';
import { cursorOperand } from './cursor.ts';
import { bigintOperand, decimalOperand, integerOperand } from './number-operands.ts';

export type Context = Partial<Record<ContextName, BoundValue>> & {
  readonly user?: UserValues | null;
  /** For dates that are told from now: milliseconds since 1970, and where the request stands. */
  readonly now?: number;
  readonly timezone?: string | null;
};

/** When and where a value is read. */
interface Clock {
  readonly now: number;
  readonly timezone: string;
}

/** The client's values of a statement, bound once for all its runs; what the run itself supplies is filled in later. */
export interface BoundStatement<R extends Row = Row> {
  readonly statement: Statement<R>;
  values(context: Context): BoundValue[];
}

export function bindStatement<R extends Row>(statement: Statement<R>, slots: readonly unknown[]): BoundStatement<R> {
  const bound: BoundValue[] = [];
  const open: { index: number; value: (context: Context) => BoundValue }[] = [];
  for (const [index, binding] of statement.bindings.entries()) {
    const later = boundLater(binding, slots);
    if (later) open.push({ index, value: later });
    bound.push(later ? null : bindOne(binding, slots, NEVER));
  }
  return {
    statement,
    values(context) {
      const values = bound.slice();
      for (const { index, value } of open) values[index] = value(context);
      return values;
    },
  };
}

/** How a value is bound that differs between the runs of a statement; null for one that does not. */
function boundLater(binding: Binding, slots: readonly unknown[]): ((context: Context) => BoundValue) | null {
  if (binding.from === 'context') return (context) => context[binding.name] ?? null;
  if (binding.from !== 'value') return null;
  const { ref, form } = binding;
  if (ref.given && 'user' in ref.given) {
    const { user } = ref.given;
    return (context) => bindUser(ref, form, context.user?.[user] ?? null);
  }
  if (!dependsOnNow(ref, givenValue(ref, slots))) return null;
  // What cannot be read is refused now.
  bindOne(binding, slots, clockOf(ref, {}));
  return (context) => bindOne(binding, slots, clockOf(ref, context));
}

/** A rule means the days of the project, not those of whoever asks. */
const clockOf = ({ given }: ValueRef, { now = Date.now(), timezone }: Context): Clock => ({
  now,
  timezone: (given ? null : timezone) ?? serverTimezone(),
});

/** For values that do not depend on it. */
const NEVER: Clock = { now: Number.NaN, timezone: 'UTC' };

const DATES: ReadonlySet<ScalarType> = new Set(['date', 'datetime', 'timestamp'] as const);

const dependsOnNow = ({ type }: ValueRef, raw: unknown): boolean =>
  DATES.has(type) && [raw].flat().some((one) => typeof one === 'string' && readRelativeDate(one) !== null);

/** A value of the user who asks. Where there is none it is unknown, so that no rule is met by it, negated or not. */
function bindUser(ref: ValueRef, form: ValueForm, raw: unknown): BoundValue {
  if (raw === null) return form === 'list' ? '[null]' : null;
  return bindValue(ref, form, form === 'list' || form === 'listLength' ? [raw] : raw, NEVER);
}

function bindOne(binding: Binding, slots: readonly unknown[], clock: Clock): BoundValue {
  switch (binding.from) {
    case 'context':
      return null;
    case 'number':
      return Number(slots[binding.slot]);
    case 'locales':
      return JSON.stringify(slots[binding.slot]);
    case 'cursor':
      return cursorOperand(binding.type, slots[binding.slot]);
    case 'search': {
      const text = String(slots[binding.slot]);
      if (binding.form === 'number') return isNumeric(text) ? fold(text) : null;
      return bindFolded(fold(text), binding.form, 'anywhere');
    }
    case 'path':
      return pathText(keysOf(binding.path, slots));
    case 'key':
      return keysOf(binding.path, slots)[binding.index]!;
    case 'value':
      return JSON_TYPES.has(binding.ref.type)
        ? bindJsonOnce(binding, slots, clock)
        : bindValue(binding.ref, binding.form, givenValue(binding.ref, slots), clock);
  }
}

const JSON_TYPES: ReadonlySet<ScalarType> = new Set(['json', 'blocks'] as const);

type ValueBinding = Binding & { readonly from: 'value' };

/** The JSON values of a request as they were bound, by what is compared with them; and how long those are together. */
interface BoundJson {
  readonly values: Map<ValueRef, Map<ValueForm, BoundValue>>;
  length: number;
}

const boundJson = new WeakMap<readonly unknown[], BoundJson>();

/** A request may have a statement for each facet that compares with a value, which takes long to read. */
function bindJsonOnce({ ref, form }: ValueBinding, slots: readonly unknown[], clock: Clock): BoundValue {
  const bound: BoundJson = boundJson.get(slots) ?? { values: new Map(), length: 0 };
  boundJson.set(slots, bound);
  const raw = givenValue(ref, slots);
  let forms = bound.values.get(ref);
  if (!forms) {
    // Values of rules are the project's own.
    if (!ref.given) bound.length += lengthOfValues(raw);
    if (bound.length > MAX_JSON_LENGTH)
      throw limitExceeded('MAX_JSON_LENGTH', MAX_JSON_LENGTH, 'characters of JSON in filters', {
        key: ref.key,
        param: ref.param,
      });
    forms = new Map();
    bound.values.set(ref, forms);
  }
  let value = forms.get(form);
  if (value === undefined) {
    value = bindValue(ref, form, raw, clock);
    forms.set(form, value);
  }
  return value;
}

const lengthOfValues = (raw: unknown): number =>
  [raw].flat().reduce((total: number, one) => total + String(one).length, 0);

/** A path as SQLite writes it. */
const pathText = (keys: readonly string[]): string => `$${keys.map((key) => `.${JSON.stringify(key)}`).join('')}`;

function givenValue({ given, slot, item }: Pick<ValueRef, 'given' | 'slot' | 'item'>, slots: readonly unknown[]) {
  const value = given && 'constant' in given ? given.constant : slots[slot];
  return item === undefined ? value : listOf(value)[item];
}

/** Values that a plan takes for a list, so that the request was read as one. */
function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('a list of values was expected');
  return value;
}

const keysOf = (path: JsonPath, slots: readonly unknown[]): string[] => listOf(givenValue(path, slots)).map(String);

function bindValue(ref: ValueRef, form: ValueForm, raw: unknown, clock: Clock): BoundValue {
  switch (form) {
    case 'value':
      return readAs(ref, raw, ref.op, clock);
    case 'first':
      return readAs(ref, listOf(raw)[0], 'gte', clock);
    case 'second':
      return readAs(ref, listOf(raw)[1], 'lte', clock);
    case 'list':
      return `[${listItems(ref, raw, clock).join(',')}]`;
    case 'listLength':
      return new Set(listItems(ref, raw, clock)).size;
    case 'jsonNumber':
    case 'jsonString':
      return orderedJson(ref, raw, form === 'jsonNumber' ? 'number' : 'string');
    case 'text':
      return plainText(ref, raw);
    case 'textLength':
      return lengthOf(plainText(ref, raw));
    case 'foldedLength':
      return lengthOf(foldedText(ref, raw));
    default:
      return bindFolded(foldedText(ref, raw), form, PLACES[ref.op] ?? 'all');
  }
}

const listItems = (ref: ValueRef, raw: unknown, clock: Clock): string[] =>
  listOf(raw).map((item) => jsonOf(readAs(ref, item, 'eq', clock)));

/** An operand that JSON is ordered by, if it is of the type; the other type is not compared with it. */
function orderedJson(ref: ValueRef, raw: unknown, type: 'number' | 'string'): BoundValue {
  const value: unknown = JSON.parse(jsonText(ref, plainText(ref, raw)));
  if (typeof value !== 'number' && typeof value !== 'string')
    throw invalidValue(ref.key, ref.path.slice(0, -1), ref.param, 'a number or a string');
  return typeof value === type ? value : null;
}

const PLACES: Partial<Record<PlanComparison, PatternPlace>> = {
  containsi: 'anywhere',
  startsWithi: 'start',
  endsWithi: 'end',
};

function bindFolded(folded: string, form: SearchForm, place: PatternPlace): BoundValue {
  switch (form) {
    case 'folded':
      return folded;
    case 'foldedIsAscii':
      return isAscii(folded) ? 1 : 0;
    case 'foldedPattern':
      // Not looked at where the string is ASCII.
      return isAscii(folded) ? '' : globPattern(folded, place);
  }
}

function foldedText(ref: ValueRef, raw: unknown): string {
  const text = plainText(ref, raw);
  if (text.length > MAX_FOLDED_LENGTH)
    throw limitExceeded('MAX_FOLDED_LENGTH', MAX_FOLDED_LENGTH, 'characters that are compared whatever their case', {
      key: ref.key,
      param: ref.param,
    });
  return fold(text);
}

/** What no database of ours keeps in a text, not every one takes in a value. */
function plainText(ref: ValueRef, raw: unknown): string {
  const text = textOf(raw);
  if (!isStorable(text)) throw invalidText(ref);
  return text;
}

const invalidText = ({ key, path, param }: ValueRef): Error =>
  invalidValue(key, path.slice(0, -1), param, 'well-formed strings without null characters');

/** JSON in its one form. What is nested without end would end the stack, here or in the database. */
function jsonText(ref: ValueRef, text: string): string {
  const canonical = canonicalJson(text);
  if (canonical === null)
    throw limitExceeded('MAX_JSON_DEPTH', MAX_JSON_DEPTH, 'levels of JSON', { key: ref.key, param: ref.param });
  if (!isStorableJson(canonical)) throw invalidText(ref);
  return canonical;
}

const jsonOf = (value: BoundValue): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));
const textOf = (value: unknown): string => (value instanceof Date ? dateText(value) : String(value));

const EXPECTED: Partial<Record<ScalarType, string>> = {
  integer: 'a number',
  biginteger: 'a number',
  float: 'a number',
  decimal: 'a number',
  boolean: 'true or false',
  date: 'a date, yyyy-MM-dd, or one told from now, such as now-7d',
  time: 'a time, HH:mm:ss.SSS',
  datetime: 'an instant, ISO 8601, milliseconds since 1970, or told from now, such as now-7d',
  timestamp: 'an instant, ISO 8601, milliseconds since 1970, or told from now, such as now-7d',
};

function readAs(ref: ValueRef, raw: unknown, op: PlanComparison, clock: Clock): BoundValue {
  const value = DATES.has(ref.type) ? readMoment(ref, raw, clock) : READERS[ref.type](plainText(ref, raw), ref, op);
  if (value === null) throw invalidValue(ref.key, ref.path.slice(0, -1), ref.param, expectedOf(ref));
  return value;
}

const expectedOf = ({ type, ofEntry, path }: ValueRef): string =>
  ofEntry
    ? `the id of an entry; to compare an attribute of it, name that: ${path.join('.')}.<attribute>`
    : (EXPECTED[type] ?? 'a string');

/** A number is milliseconds, whatever its digits. */
function readMoment(ref: ValueRef, raw: unknown, clock: Clock): BoundValue | null {
  if (typeof raw === 'number' && ref.type !== 'date') return readInstant(raw);
  const text = plainText(ref, raw);
  return fromNow(ref.type, text, clock) ?? READERS[ref.type](text, ref, ref.op);
}

/** A date that is told from now; null for one that is not, or that no calendar here has. */
function fromNow(type: ScalarType, text: string, { now, timezone }: Clock): BoundValue | null {
  const steps = readRelativeDate(text);
  const instant = steps && withinYears(resolveRelativeDate(steps, now, timezone));
  return instant === null ? null : type === 'date' ? dayOf(instant, timezone) : instant;
}

const text = (value: string): BoundValue => value;
/** The nearest one, as everywhere. */
const float = (value: string): BoundValue | null => (isNumeric(value) ? Number(value) : null);
const json = (value: string, ref: ValueRef): BoundValue => jsonText(ref, value);

const BOOLEANS: Readonly<Record<string, number>> = { true: 1, t: 1, 1: 1, false: 0, f: 0, 0: 0 };
const boolean = (value: string): BoundValue | null => (Object.hasOwn(BOOLEANS, value) ? BOOLEANS[value]! : null);

type Reader = (value: string, ref: ValueRef, op: PlanComparison) => BoundValue | null;

const READERS: Readonly<Record<ScalarType, Reader>> = {
  string: text,
  text,
  richtext: text,
  email: text,
  uid: text,
  enumeration: text,
  password: text,
  integer: (value, _ref, op) => integerOperand(value, op),
  biginteger: (value, _ref, op) => bigintOperand(value, op),
  float,
  decimal: (value, _ref, op) => decimalOperand(value, op),
  boolean,
  date: readDate,
  time: readTime,
  datetime: readInstant,
  timestamp: readInstant,
  json,
  blocks: json,
};
