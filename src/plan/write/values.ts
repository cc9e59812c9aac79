// What may be written into an attribute: types first, then rules. Types and upper bounds hold for drafts too; the
// rest only for what is published. A value is never repeated in a message.
import { limitExceeded } from '../../errors.ts';
import { MAX_JSON_DIGITS, MAX_JSON_GROWTH, MAX_PATTERN_MS, MAX_PATTERNS_MS } from '../../limits.ts';
import { memoize } from '../../memoize.ts';
import type { ScalarAttribute, ScalarType } from '../../model/types.ts';
import {
  dateText,
  isNumeric,
  isStorable,
  isStorableJson,
  keepsDigits,
  readDate,
  readInstant,
  readTime,
  readWhole,
} from '../../request/scalars.ts';
import { type BlocksProblem, blocksProblem } from './blocks.ts';
import { compilePattern, matchesPattern, type Pattern, type PatternTime } from './match-pattern.ts';

/** A value as it is bound: string, number, big integer; booleans as 0 and 1, instants in milliseconds, JSON as a string. */
export type StoredValue = string | number | bigint | null;

/** Either the value to store, or what is wrong with the one given. */
export type Checked =
  | { readonly value: StoredValue }
  /** `within`: where in the value. */
  | { readonly problem: string; readonly within?: BlocksProblem['path'] };

const STRING_LENGTH = 255;
/** So many digits of a decimal fraction every number keeps. */
const SAFE_DIGITS = 15;
const INT32 = 2 ** 31;
const INT64 = 2n ** 63n;
/** bcrypt reads no further; a longer password would be cut in silence. */
const MAX_PASSWORD_BYTES = 72;
const EMAIL = /^[^\s@,;<>()[\]"]+@[^\s@,;<>()[\]".]+(\.[^\s@,;<>()[\]".]+)+$/;

/** Whether text can be an address for mails. */
export const isEmail = (text: string): boolean => EMAIL.test(text);
const UID = '^[A-Za-z0-9-_.~]*$';

/** Booleans in text, in any case: some languages write `True`. */
const TRUE = /^(?:true|1)$/i;
const FALSE = /^(?:false|0)$/i;
const isWord = (given: unknown, word: RegExp): boolean => typeof given === 'string' && word.test(given);

const problem = (text: string): Checked => ({ problem: text });

/** What Strapi 5 says of something that a body leaves out. */
export const MISSING = 'must be defined.';

/** The names that Strapi 5 has for kinds of values in its messages. */
type KindName = 'string' | 'number' | 'boolean' | 'array' | 'object' | 'mixed';

/** What Strapi 5 says of a value of another kind; of the values themselves, null alone is repeated. */
export const wrongKind = (kind: KindName, given: unknown): string =>
  `must be a \`${kind}\` type${given === null ? ', but the final value was: `null`' : ''}.`;

function kindName(type: ScalarType): KindName {
  switch (type) {
    case 'integer':
    case 'float':
    case 'decimal':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'blocks':
      return 'array';
    case 'biginteger':
    case 'date':
    case 'time':
    case 'datetime':
    case 'timestamp':
    case 'json':
      return 'mixed';
    default:
      return 'string';
  }
}

const notAmong = (values: readonly string[]): string => `must be one of the following values: ${values.join(', ')}`;
const tooLong = (maxLength: number): string => `must be at most ${maxLength} characters`;
const tooHigh = (max: string | number): string => `must be less than or equal to ${max}`;

/** Reads a value of the body as the attribute's type. */
export function readValue(attribute: ScalarAttribute, given: unknown): Checked {
  if (given === null) return { value: null };
  const { type, rules } = attribute;
  switch (type) {
    case 'string':
    case 'text':
    case 'richtext':
    case 'email':
    case 'uid':
      return textValue(given, longest(rules.maxLength, type === 'text' || type === 'richtext' ? null : STRING_LENGTH));
    case 'password':
      if (typeof given === 'string' && Buffer.byteLength(given) > MAX_PASSWORD_BYTES)
        return problem(`must be at most ${MAX_PASSWORD_BYTES} bytes`);
      return textValue(given, rules.maxLength);
    case 'enumeration':
      return typeof given === 'string' && rules.enum!.includes(given)
        ? { value: given }
        : problem(notAmong(rules.enum!));
    case 'boolean':
      if (given === true || given === 1 || isWord(given, TRUE)) return { value: 1 };
      if (given === false || given === 0 || isWord(given, FALSE)) return { value: 0 };
      return problem(wrongKind('boolean', given));
    case 'integer':
    case 'float':
    case 'decimal':
      return numberValue(attribute, given);
    case 'biginteger':
      return wholeValue(attribute, given);
    case 'date':
      return timeValue(given, readDate, 'must be a date, yyyy-MM-dd');
    case 'time':
      return timeValue(given, readTime, 'must be a time, HH:mm:ss.SSS');
    case 'datetime':
    case 'timestamp':
      return instantValue(given);
    case 'json':
      return jsonValue(given);
    case 'blocks': {
      const wrong = blocksProblem(given);
      return wrong ? { problem: wrong.message, within: wrong.path } : jsonValue(given);
    }
  }
}

/** The smaller of two bounds; no column keeps more than its own. */
const longest = (declared: number | null, column: number | null): number | null =>
  declared !== null && column !== null ? Math.min(declared, column) : (declared ?? column);

function textValue(given: unknown, maxLength: number | null): Checked {
  if (typeof given !== 'string') return problem(wrongKind('string', given));
  if (!isStorable(given)) return problem('must be a well-formed string without null characters');
  if (maxLength !== null && given.length > maxLength) return problem(tooLong(maxLength));
  return { value: given };
}

function numberValue({ type, rules }: ScalarAttribute, given: unknown): Checked {
  const number =
    typeof given === 'number' ? given : typeof given === 'string' && isNumeric(given) ? Number(given) : NaN;
  if (!Number.isFinite(number)) return problem(wrongKind('number', given));
  const isExact = typeof given !== 'string' || type === 'float' || keepsDigits(number, given);
  if (type === 'integer' && !(isExact && Number.isInteger(number))) return problem('must be an integer');
  if (!isExact) return problem(`must have at most ${SAFE_DIGITS} significant digits`);
  if (type === 'integer' && (number < -INT32 || number >= INT32))
    return problem(`must be from ${-INT32} to ${INT32 - 1}`);
  if (rules.max !== null && number > Number(rules.max)) return problem(tooHigh(rules.max));
  return { value: number };
}

const wholeBound = (bound: string | number): bigint => readWhole(String(bound)) ?? BigInt(Math.trunc(Number(bound)));

const isWhole = (given: unknown): given is number | bigint => typeof given === 'bigint' || Number.isInteger(given);

function wholeValue({ rules }: ScalarAttribute, given: unknown): Checked {
  if (Number.isInteger(given) && !Number.isSafeInteger(given))
    return problem(`must be a string beyond ${Number.MAX_SAFE_INTEGER}, where numbers are not exact`);
  const exact = typeof given === 'string' ? readWhole(given) : isWhole(given) ? BigInt(given) : null;
  if (exact === null) return problem('must be a valid integer');
  if (exact < -INT64 || exact >= INT64) return problem(`must be from ${-INT64} to ${INT64 - 1n}`);
  if (rules.max !== null && exact > wholeBound(rules.max)) return problem(tooHigh(rules.max));
  return { value: exact };
}

function timeValue(given: unknown, read: (text: string) => StoredValue, expected: string): Checked {
  const text = given instanceof Date ? dateText(given) : given;
  const value = typeof text === 'string' ? read(text) : null;
  return value === null ? problem(expected) : { value };
}

function instantValue(given: unknown): Checked {
  const expected = 'must be an instant, ISO 8601 or milliseconds since 1970';
  if (typeof given !== 'number') return timeValue(given, readInstant, expected);
  const value = readInstant(given);
  return value === null ? problem(expected) : { value };
}

function jsonValue(given: unknown): Checked {
  const text = jsonText(given);
  if (text === undefined) return problem('must be a JSON value');
  if (!isStorableJson(text)) return problem('must hold well-formed strings without null characters');
  if (digitsInExponents(text) > MAX_JSON_DIGITS + MAX_JSON_GROWTH * text.length)
    return problem('must hold numbers that are shorter in digits (MAX_JSON_DIGITS)');
  return text.includes('null') && hasInfinity(given) ? problem('must hold finite numbers') : { value: text };
}

/** Digits that numbers have besides where they are written without an exponent. Strings are passed over. */
function digitsInExponents(text: string): number {
  let digits = 0;
  if (/e[+-]\d{2}/.test(text))
    for (const [, exponent] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|e([+-]\d+)/g))
      digits += Math.abs(Number(exponent ?? 0));
  return digits;
}

/** Whether there is a number in it that JSON has no form for, so that null would be stored. */
function hasInfinity(given: unknown): boolean {
  let found = false;
  JSON.stringify(given, (_key, value) => {
    found ||= typeof value === 'number' && !Number.isFinite(value);
    return value;
  });
  return found;
}

/** Undefined for what JSON has no form for, such as a big integer that code in process gave. */
function jsonText(given: unknown): string | undefined {
  try {
    return JSON.stringify(given);
  } catch {
    return undefined;
  }
}

/** A value as the API shows it. */
export function shownValue(type: ScalarType, value: StoredValue): unknown {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return value !== 0;
    case 'biginteger':
    case 'timestamp':
      return String(value);
    case 'datetime':
      return new Date(Number(value)).toISOString();
    case 'json':
    case 'blocks':
      return JSON.parse(String(value));
    case 'password':
      return null;
    default:
      // JSON has no negative zero.
      return value === 0 ? 0 : value;
  }
}

/** What the strings of an attribute must match; null for any string. */
const patternOf = memoize(({ type, rules }: ScalarAttribute): Pattern | null => {
  const text = rules.regex ?? (type === 'uid' ? UID : null);
  return text === null ? null : compilePattern(text);
});

function isMatch({ name }: ScalarAttribute, pattern: Pattern, value: string, time: PatternTime): boolean {
  const found = matchesPattern(pattern, value, time);
  if (found !== null) return found;
  const [limit, allowed] = time.isOver
    ? (['MAX_PATTERNS_MS', MAX_PATTERNS_MS] as const)
    : (['MAX_PATTERN_MS', MAX_PATTERN_MS] as const);
  const what = `milliseconds to compare ${name} with its regular expression`;
  throw limitExceeded(limit, allowed, what, { key: name, source: 'body' });
}

/**
 * What a published value must satisfy besides; null where it does. Passwords are checked before they are hashed. `time`:
 * of the write.
 */
export function ruleProblem(attribute: ScalarAttribute, value: StoredValue, time: PatternTime): string | null {
  const { type, rules, required } = attribute;
  if (value === null) return required ? wrongKind(kindName(type), null) : null;
  if (typeof value === 'string' && type !== 'json' && type !== 'blocks') {
    if (type === 'email' && value === '') return 'cannot be empty';
    if (type === 'email' && !isEmail(value)) return 'must be a valid email';
    if (rules.minLength !== null && value.length < rules.minLength)
      return `must be at least ${rules.minLength} characters`;
    const pattern = patternOf(attribute);
    if (pattern !== null && (value !== '' || required || type === 'uid') && !isMatch(attribute, pattern, value, time))
      return `must match the following: "${new RegExp(pattern.text)}"`;
  }
  if (rules.min !== null && (typeof value === 'number' || typeof value === 'bigint')) {
    const below = typeof value === 'bigint' ? value < wholeBound(rules.min) : value < Number(rules.min);
    if (below) return `must be greater than or equal to ${rules.min}`;
  }
  return null;
}

/** What a definition bounds, and may not have bounded when the value was stored. */
function boundProblem({ type, rules }: ScalarAttribute, value: StoredValue): string | null {
  if (type === 'enumeration')
    return typeof value === 'string' && rules.enum!.includes(value) ? null : notAmong(rules.enum!);
  if (typeof value === 'string' && type !== 'json' && type !== 'blocks')
    return rules.maxLength !== null && value.length > rules.maxLength ? tooLong(rules.maxLength) : null;
  if (rules.max === null || (typeof value !== 'number' && typeof value !== 'bigint')) return null;
  const isAbove = typeof value === 'bigint' ? value > wholeBound(rules.max) : value > Number(rules.max);
  return isAbove ? tooHigh(rules.max) : null;
}

/**
 * What is wrong with a stored value that is about to be published. Another program may have stored a value of another
 * kind in a column of SQLite, which holds up nothing.
 */
export function storedProblem(attribute: ScalarAttribute, value: StoredValue, time: PatternTime): string | null {
  if (value === null) return ruleProblem(attribute, null, time);
  // A stored password is a hash; the password itself was checked when it was written.
  if (attribute.type === 'password') return null;
  return boundProblem(attribute, value) ?? ruleProblem(attribute, value, time);
}
