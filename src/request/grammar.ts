// The small words that every part of the request grammar shares: what counts as a list, a name, a yes or no, and
// how deep and how long things may be.
import { invalidKey, invalidValue, limitExceeded, validationError } from '../errors.ts';
import { MAX_DEPTH, MAX_LIST_ITEMS } from '../limits.ts';

/** Where in the request the parser stands: the parameter, and the names walked so far. */
export interface Place {
  readonly param: string;
  readonly path: readonly string[];
  readonly depth: number;
}

export const rootPlace = (param: string): Place => ({ param, path: [], depth: 0 });

/** One level further in; the only way to recurse, so that no input can recurse deeper than the limit. */
export function within(place: Place, ...names: string[]): Place {
  const depth = place.depth + 1;
  if (depth > MAX_DEPTH) throw limitExceeded('MAX_DEPTH', MAX_DEPTH, 'levels', { param: place.param });
  return { param: place.param, path: [...place.path, ...names], depth };
}

export const badKey = (key: string, place: Place): Error => invalidKey(key, place.path, place.param);

export function badValue(place: Place, expected: string): Error {
  if (place.path.length === 0)
    return validationError(`Invalid value for ${place.param}: expected ${expected}`, {
      source: 'query',
      param: place.param,
    });
  return invalidValue(place.path.at(-1)!, place.path.slice(0, -1), place.param, expected);
}

export type Scalar = string | number | bigint | boolean | Date;

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  typeof value === 'bigint' ||
  value instanceof Date;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const INDEX = /^\d+$/;

/** The entries of an object. An index among them is what is left of a list that was too long or mixed with names. */
export function entriesOf(value: Record<string, unknown>, place: Place): [string, unknown][] {
  const entries = Object.entries(value);
  if (entries.length > MAX_LIST_ITEMS)
    throw limitExceeded('MAX_LIST_ITEMS', MAX_LIST_ITEMS, 'keys in one place', { param: place.param });
  for (const [key] of entries) {
    if (INDEX.test(key) && Number(key) >= MAX_LIST_ITEMS)
      throw limitExceeded('MAX_LIST_ITEMS', MAX_LIST_ITEMS, 'values in a list', { key, param: place.param });
    if (INDEX.test(key)) throw badKey(key, place);
  }
  return entries;
}

export function itemsOf(value: readonly unknown[], place: Place): readonly unknown[] {
  if (value.length > MAX_LIST_ITEMS)
    throw limitExceeded('MAX_LIST_ITEMS', MAX_LIST_ITEMS, 'values in a list', { param: place.param });
  return value;
}

const YES = new Set<unknown>([true, 'true', 't', '1', 1]);
const NO = new Set<unknown>([false, 'false', 'f', '0', 0]);

/** true, false, or undefined for anything that is neither. */
export function yesOrNo(value: unknown): boolean | undefined {
  if (YES.has(value)) return true;
  return NO.has(value) ? false : undefined;
}
