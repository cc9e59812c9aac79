// What string and JSON comparison mean, for the values we bind and for the functions that databases call: case is
// ignored for all of Unicode, and JSON is equal as a value.
import { MAX_JSON_DEPTH } from '../limits.ts';
import { isDeeper } from '../request/grammar.ts';
import { isObject } from '../type-guards.ts';

/** Lower case, with the two small forms of sigma taken for one, so that a letter's place in a word does not matter. */
export const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

/** Where a folded string must stand in a text that is compared with it. */
export type PatternPlace = 'all' | 'anywhere' | 'start' | 'end';

/**
 * A pattern of SQLite's GLOB that a text matches if it holds a folded string, whatever the case of its letters. GLOB
 * matches character by character, so a letter whose lower case has two characters must be replaced in the text before.
 */
export function globPattern(folded: string, place: PatternPlace): string {
  let pattern = place === 'anywhere' || place === 'end' ? '*' : '';
  for (const character of folded)
    pattern += foldsTo().get(character) ?? (SPECIAL.has(character) ? `[${character}]` : character);
  return place === 'anywhere' || place === 'start' ? `${pattern}*` : pattern;
}

const SPECIAL = new Set(['*', '?', '[']);
const CASED = /[ς\p{Changes_When_Lowercased}]/gu;
/** No letter beyond has another case. */
const LAST_CASED = 0x1ffff;
let classes: ReadonlyMap<string, string> | null = null;

/** For each letter that others fold to: the class of them all. Made when first needed. */
function foldsTo(): ReadonlyMap<string, string> {
  if (classes) return classes;
  const letters = new Map<string, string>();
  const all = Array.from({ length: LAST_CASED + 1 }, (_, point) => String.fromCodePoint(point)).join('');
  for (const [letter] of all.matchAll(CASED)) {
    const folded = fold(letter);
    if (lengthOf(folded) === 1) letters.set(folded, `${letters.get(folded) ?? folded}${letter}`);
  }
  classes = new Map([...letters].map(([folded, variants]) => [folded, `[${variants}]`]));
  return classes;
}

export const isAscii = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
};

/** Characters as databases count them. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

/** A number in digits alone, however large or small: JavaScript writes some with an exponent. */
export function digitsOf(number: number | bigint): string {
  const text = String(number);
  const [, sign = '', whole = '', fraction = '', exponent] = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = `${whole}${fraction}`;
  const point = 1 + Number(exponent);
  return point > 0 ? `${sign}${digits.padEnd(point, '0')}` : `${sign}0.${'0'.repeat(-point)}${digits}`;
}

/** What a column of SQLite takes for a number, as those of JSON attributes are declared. */
const NUMERIC = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const MAYBE_JSON = /^\s*(?:[[{"]|true|false|null)/;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON without the quotes of a string, where the string alone is taken neither for other JSON nor for a number. */
export function withoutQuotes(json: string): string {
  if (!json.startsWith('"')) return json;
  const string = String(JSON.parse(json));
  return NUMERIC.test(string) || (MAYBE_JSON.test(string) && isJson(string)) ? json : string;
}

/**
 * The same text for equal JSON values, whatever their spacing and key order; text that is no JSON is a string. Null for values
 * that are nested more deeply than MAX_JSON_DEPTH.
 */
export function canonicalJson(text: string): string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return JSON.stringify(text);
  }
  if (typeof value === 'object' && value !== null && isDeeper(value, MAX_JSON_DEPTH)) return null;
  return JSON.stringify(inOneOrder(value));
}

/** The same value with the keys of every object in one order. A replacer of JSON.stringify would take many times as long. */
function inOneOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOneOrder);
  if (!isObject(value)) return value;
  // Without a prototype, every key is one of its own.
  const ordered: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) ordered[key] = inOneOrder(value[key]);
  return ordered;
}
