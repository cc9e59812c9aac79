// What all parts of the request grammar share: lists, names, booleans, and limits on depth and length.
import { invalidKey, invalidValue, limitExceeded, validationError } from '../errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../limits.ts';

/** Where in the request the parser stands: the parameter, and the names walked so far. */
export interface Location {
  readonly param: string;
  readonly path: readonly string[];
  readonly depth: number;
  readonly limits: Limits;
}

export const rootLocation = (param: string, limits: Limits = DEFAULT_LIMITS): Location => ({
  param,
  path: [],
  depth: 0,
  limits,
});

/** One level further in; the only way to recurse, so that no input can recurse deeper than the limit. */
export function within(location: Location, ...names: string[]): Location {
  const { param, limits } = location;
  const depth = location.depth + 1;
  if (depth > limits.depth) throw limitExceeded('MAX_DEPTH', limits.depth, 'levels', { param });
  return { param, path: [...location.path, ...names], depth, limits };
}

export const badKey = (key: string, location: Location, why?: string): Error =>
  invalidKey(key, location.path, location.param, why);

export function badValue(location: Location, expected: string): Error {
  if (location.path.length === 0)
    return validationError(`Invalid value for ${location.param}: expected ${expected}`, {
      source: 'query',
      param: location.param,
    });
  return invalidValue(location.path.at(-1)!, location.path.slice(0, -1), location.param, expected);
}

export type Scalar = string | number | bigint | boolean | Date;

export const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  typeof value === 'bigint' ||
  value instanceof Date;

/** Of parameters by name; a list and a date are values. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);

const INDEX = /^\d+$/;

/** The entries of an object. An index among them is what is left of a list that was too long or mixed with names. */
export function entriesOf(value: Record<string, unknown>, location: Location): [string, unknown][] {
  const { listItems } = location.limits;
  const entries = Object.entries(value);
  if (entries.length > listItems)
    throw limitExceeded('MAX_LIST_ITEMS', listItems, 'keys in one location', { param: location.param });
  for (const [key] of entries) {
    if (INDEX.test(key) && Number(key) >= listItems)
      throw limitExceeded('MAX_LIST_ITEMS', listItems, 'values in a list', { key, param: location.param });
    if (INDEX.test(key)) throw badKey(key, location);
  }
  return entries;
}

export function itemsOf(value: readonly unknown[], location: Location): readonly unknown[] {
  const { listItems } = location.limits;
  if (value.length > listItems)
    throw limitExceeded('MAX_LIST_ITEMS', listItems, 'values in a list', { param: location.param });
  return value;
}

const YES = new Set<unknown>([true, 'true', 't', '1', 1]);
const NO = new Set<unknown>([false, 'false', 'f', '0', 0]);

/** true, false, or undefined for anything that is neither. */
export function yesOrNo(value: unknown): boolean | undefined {
  if (YES.has(value)) return true;
  return NO.has(value) ? false : undefined;
}

/**
 * Whether a value holds more levels of objects and lists. It goes no further down than that, so that no value can exhaust
 * the stack.
 */
export function isDeeper(value: object, levels: number): boolean {
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  if (levels <= 0) return members.length > 0;
  for (const inner of members)
    if (typeof inner === 'object' && inner !== null && isDeeper(inner, levels - 1)) return true;
  return false;
}
