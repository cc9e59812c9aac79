// Values of a request → values that the database binds. A value that cannot be read as its attribute's type ends
// here with a 400 that names the attribute; no statement has been sent by then.
import type { UserValues } from '../access/caller.ts';
import { invalidValue, limitExceeded } from '../errors.ts';
import { MAX_FOLDED_LENGTH } from '../limits.ts';
import type { ScalarType } from '../model/types.ts';
import type { PlanComparison, ValueRef } from '../plan/read/nodes.ts';
import { dateText, isNumeric, readDate, readInstant, readTime, readWhole } from '../request/scalars.ts';
import type { Binding, BoundValue, ContextName, Row, SearchForm, Statement, ValueForm } from '../sql/statement.ts';
import { canonicalJson, fold, globPattern, isAscii, lengthOf, type PatternPlace } from '../sql/text.ts';
import { cursorOperand } from './cursor.ts';

export type Context = Partial<Record<ContextName, BoundValue>> & { readonly user?: UserValues | null };

/** The client's values of a statement, bound once for all its runs; what the run itself supplies is filled in later. */
export interface BoundStatement<R extends Row = Row> {
  readonly statement: Statement<R>;
  values(context: Context): BoundValue[];
}

export function bindStatement<R extends Row>(statement: Statement<R>, slots: readonly unknown[]): BoundStatement<R> {
  const bound: BoundValue[] = [];
  const open: { index: number; name: ContextName }[] = [];
  const users: { index: number; name: string; ref: ValueRef; form: ValueForm }[] = [];
  for (const [index, binding] of statement.bindings.entries()) {
    bound.push(null);
    if (binding.from === 'context') open.push({ index, name: binding.name });
    else if (binding.from === 'value' && binding.ref.given && 'user' in binding.ref.given)
      users.push({ index, name: binding.ref.given.user, ref: binding.ref, form: binding.form });
    else bound[index] = bindOne(binding, slots);
  }
  return {
    statement,
    values(context) {
      const values = bound.slice();
      for (const { index, name } of open) values[index] = context[name] ?? null;
      for (const { index, name, ref, form } of users) values[index] = bindUser(ref, form, context.user?.[name] ?? null);
      return values;
    },
  };
}

/** A value of the user who asks. Where there is none it is unknown, so that no rule is met by it, negated or not. */
function bindUser(ref: ValueRef, form: ValueForm, raw: unknown): BoundValue {
  if (raw === null) return form === 'list' ? '[null]' : null;
  return bindValue(ref, form, form === 'list' ? [raw] : raw);
}

function bindOne(binding: Exclude<Binding, { from: 'context' }>, slots: readonly unknown[]): BoundValue {
  switch (binding.from) {
    case 'locales':
      return JSON.stringify(slots[binding.slot]);
    case 'cursor':
      return cursorOperand(binding.type, slots[binding.slot]);
    case 'search': {
      const text = slots[binding.slot] as string;
      if (binding.form === 'number') return isNumeric(text) ? fold(text) : null;
      return bindFolded(fold(text), binding.form, 'anywhere');
    }
    case 'value':
      return bindValue(binding.ref, binding.form, givenValue(binding.ref, slots));
  }
}

const givenValue = ({ given, slot }: ValueRef, slots: readonly unknown[]): unknown =>
  given && 'constant' in given ? given.constant : slots[slot];

function bindValue(ref: ValueRef, form: ValueForm, raw: unknown): BoundValue {
  switch (form) {
    case 'value':
      return readAs(ref, raw, ref.op);
    case 'first':
      return readAs(ref, (raw as unknown[])[0], 'gte');
    case 'second':
      return readAs(ref, (raw as unknown[])[1], 'lte');
    case 'list':
      return `[${(raw as unknown[]).map((item) => jsonOf(readAs(ref, item, 'eq'))).join(',')}]`;
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

/** No database of ours keeps a null character in a text, and not every one takes it in a value. */
function plainText(ref: ValueRef, raw: unknown): string {
  const text = textOf(raw);
  if (text.includes('\0'))
    throw invalidValue(ref.key, ref.path.slice(0, -1), ref.param, 'a string without null characters');
  return text;
}

const jsonOf = (value: BoundValue): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));
const textOf = (value: unknown): string => (value instanceof Date ? dateText(value) : String(value));

const EXPECTED: Partial<Record<ScalarType, string>> = {
  integer: 'a number',
  biginteger: 'a number',
  float: 'a number',
  decimal: 'a number',
  boolean: 'true or false',
  date: 'a date, yyyy-MM-dd',
  time: 'a time, HH:mm:ss.SSS',
  datetime: 'an instant, ISO 8601 or milliseconds since 1970',
  timestamp: 'an instant, ISO 8601 or milliseconds since 1970',
};

function readAs(ref: ValueRef, raw: unknown, op: PlanComparison): BoundValue {
  const value = READERS[ref.type](plainText(ref, raw));
  if (value === null) throw invalidValue(ref.key, ref.path.slice(0, -1), ref.param, EXPECTED[ref.type] ?? 'a string');
  if (ref.type === 'biginteger') return toBigintOperand(value as bigint | string, op);
  return ref.type === 'integer' ? toIntegerOperand(value as number, op) : value;
}

/** Beyond every integer that a column can hold, and held by the type that values are bound as. */
const OUT_OF_RANGE = 2 ** 62;

/** A whole number that compares with integers as the given one does; one that equals none where no integer does. */
function toIntegerOperand(value: number, op: PlanComparison): number {
  if (!Number.isInteger(value)) {
    if (op === 'lt' || op === 'gte') return toIntegerOperand(Math.ceil(value), op);
    return op === 'gt' || op === 'lte' ? toIntegerOperand(Math.floor(value), op) : OUT_OF_RANGE;
  }
  return Math.max(-OUT_OF_RANGE, Math.min(OUT_OF_RANGE, value));
}

const text = (value: string): BoundValue => value;
const number = (value: string): BoundValue | null => (isNumeric(value) ? Number(value) : null);
const json = (value: string): BoundValue => canonicalJson(value);

const INT64 = 2n ** 63n;
/** A number that no big integer equals, and that is above or below all of them. */
const OUT_OF_RANGE_BIG = 1e300;

/** An exact integer; what is no integer, or too large for one, becomes the bound that compares in its place. */
function biginteger(value: string): BoundValue | null {
  if (!isNumeric(value)) return null;
  return readWhole(value) ?? value.trim();
}

/** The largest integer that is not above a number, and whether it is that number. */
function floorOf(text: string): { value: bigint; exact: boolean } {
  const [, sign, whole, fraction = ''] = /^\s*([+-]?)(\d+)\.?(\d*)\s*$/.exec(text) ?? [];
  if (whole === undefined) {
    const number = Number(text);
    const floor = Math.floor(number);
    return { value: BigInt(floor), exact: floor === number };
  }
  const exact = /^0*$/.test(fraction);
  const size = BigInt(whole);
  return { value: sign === '-' ? -size - (exact ? 0n : 1n) : size, exact };
}

function toBigintOperand(value: bigint | string, op: PlanComparison): BoundValue {
  if (typeof value === 'string') {
    const floor = floorOf(value);
    if (floor.exact) return toBigintOperand(floor.value, op);
    if (op === 'lt' || op === 'gte') return toBigintOperand(floor.value + 1n, op);
    return op === 'gt' || op === 'lte' ? toBigintOperand(floor.value, op) : OUT_OF_RANGE_BIG;
  }
  if (value >= INT64) return OUT_OF_RANGE_BIG;
  return value < -INT64 ? -OUT_OF_RANGE_BIG : value;
}

const BOOLEANS: Readonly<Record<string, number>> = { true: 1, t: 1, 1: 1, false: 0, f: 0, 0: 0 };
const boolean = (value: string): BoundValue | null => (Object.hasOwn(BOOLEANS, value) ? BOOLEANS[value]! : null);

const READERS: Readonly<Record<ScalarType, (value: string) => BoundValue | null>> = {
  string: text,
  text,
  richtext: text,
  email: text,
  uid: text,
  enumeration: text,
  password: text,
  integer: number,
  biginteger,
  float: number,
  decimal: number,
  boolean,
  date: readDate,
  time: readTime,
  datetime: readInstant,
  timestamp: readInstant,
  json,
  blocks: json,
};
