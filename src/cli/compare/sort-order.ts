// Whether two lists are in the orders that the two servers promise. A list whose sort keys it does not show cannot be
// checked, and is taken to be.
import { isObject } from '../../type-guards.ts';
import { attributesAlong, type Exchange, type SortedBy } from './exchange.ts';
import type { JsonPath } from './json-difference.ts';

type Value = string | number | bigint | boolean | null;

/** The values that each entry of a server's list is sorted by; null where an entry does not show one. */
function keysOf(exchange: Exchange, side: 'strapi' | 'sheaf', path: JsonPath, sort: readonly SortedBy[]) {
  const { body } = exchange[side];
  const root = Array.isArray(body) ? { data: body } : body;
  const list = path.reduce(partOf, root);
  if (!Array.isArray(list)) return null;
  const names = path.filter((part) => typeof part === 'string').filter((name) => name !== 'data');
  const areBig = sort.map((key) => isBigInteger(exchange, [...names, ...key.path]));
  const keys = list.map((entry) => sort.map((key, index) => comparable(valueAt(entry, key.path), areBig[index]!)));
  return keys.every((values): values is Value[] => !values.includes(undefined)) ? keys : null;
}

function partOf(value: unknown, part: string | number): unknown {
  if (Array.isArray(value)) return value[Number(part)];
  return isObject(value) ? value[part] : undefined;
}

function isBigInteger(exchange: Exchange, path: readonly string[]): boolean {
  const attribute = attributesAlong(exchange, path).at(path.length - 1);
  return attribute?.kind === 'scalar' && attribute.type === 'biginteger';
}

/** A biginteger is a string of digits, which is not ordered as one. */
const comparable = (value: Value | undefined, isBig: boolean): Value | undefined =>
  isBig && typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : value;

function valueAt(entry: unknown, path: readonly string[]): Value | undefined {
  let value = entry;
  for (const name of path) {
    if (value === null) return null;
    if (!isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : undefined;
}

/** Negative where the first comes first in ascending order. */
function compareValues(one: Value, other: Value, nullsFirst: boolean): number {
  if (one === other) return 0;
  if (one === null || other === null) return (one === null) === nullsFirst ? -1 : 1;
  if (typeof one === 'string' && typeof other === 'string') return byCodePoint(one, other);
  return one < other ? -1 : 1;
}

/** JavaScript compares halves of surrogate pairs. */
function byCodePoint(one: string, other: string): number {
  const [ones, others] = [[...one], [...other]];
  const at = ones.findIndex((character, index) => character !== others[index]);
  if (at < 0 || at >= others.length) return ones.length - others.length;
  return ones[at]!.codePointAt(0)! - others[at]!.codePointAt(0)!;
}

function isInOrder(keys: readonly Value[][], sort: readonly SortedBy[], nullsFirst: boolean): boolean {
  return keys.slice(1).every((later, index) => {
    for (const [place, { descending }] of sort.entries()) {
      const order = compareValues(keys[index]![place]!, later[place]!, nullsFirst);
      if (order !== 0) return descending ? order > 0 : order < 0;
    }
    return true;
  });
}

/** Strapi's list with nulls first, Sheaf's with nulls last, each sorted as it says otherwise. */
export function orderedWithNulls(exchange: Exchange, path: JsonPath, sort: readonly SortedBy[]): boolean {
  const [ofStrapi, ofSheaf] = [keysOf(exchange, 'strapi', path, sort), keysOf(exchange, 'sheaf', path, sort)];
  return (
    (ofStrapi === null || isInOrder(ofStrapi, sort, true)) && (ofSheaf === null || isInOrder(ofSheaf, sort, false))
  );
}

/** Sheaf's list sorted by code point; Strapi's in some other order. */
export function orderedByCodePoint(exchange: Exchange, path: JsonPath, sort: readonly SortedBy[]): boolean {
  const [ofStrapi, ofSheaf] = [keysOf(exchange, 'strapi', path, sort), keysOf(exchange, 'sheaf', path, sort)];
  return (
    (ofSheaf === null || isInOrder(ofSheaf, sort, false)) && (ofStrapi === null || !isInOrder(ofStrapi, sort, false))
  );
}
