// The sort and fields grammars: strings, lists and objects → sort keys and names.
import { limitExceeded } from '../errors.ts';
import type { Location } from './grammar.ts';
import { badKey, badValue, entriesOf, isPlainObject, itemsOf, within } from './grammar.ts';
import type { SortAggregate, SortKey } from './read-request.ts';

const AGGREGATES: ReadonlyMap<string, SortAggregate> = new Map(
  (['count', 'min', 'max', 'avg'] as const).map((name) => [`$${name}`, name]),
);

export function parseSort(value: unknown, location: Location): SortKey[] {
  const keys = sortKeys(value, location);
  const { param, limits } = location;
  if (keys.length > limits.sortKeys) throw limitExceeded('MAX_SORT_KEYS', limits.sortKeys, 'sort keys', { param });
  return keys;
}

function sortKeys(value: unknown, location: Location): SortKey[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string')
    return itemsOf(value.split(','), location).flatMap((part) => sortText(String(part).trim(), location));
  if (Array.isArray(value)) return itemsOf(value, location).flatMap((item) => sortKeys(item, within(location)));
  if (isPlainObject(value)) return sortObject(value, location, []);
  throw badValue(location, 'a string, a list or an object');
}

function sortText(text: string, location: Location): SortKey[] {
  if (text === '') return [];
  const [name, direction, ...rest] = text.split(':');
  if (rest.length > 0) throw badValue(location, 'one direction, asc or desc, after a name');
  const path = name!.split('.');
  if (path.some((part) => part === '')) throw badKey(name!, location);
  return [sortKey(path, direction ?? 'asc', location)];
}

function sortObject(value: Record<string, unknown>, location: Location, path: readonly string[]): SortKey[] {
  return entriesOf(value, location).flatMap(([name, inner]): SortKey[] => {
    const inside = within(location, name);
    if (isPlainObject(inner)) return sortObject(inner, inside, [...path, name]);
    if (inner === null || inner === '') return [];
    return [sortKey([...path, name], inner, inside)];
  });
}

/** `names`: a path, perhaps with what is made of all that it leads to at its end. */
function sortKey(names: readonly string[], direction: unknown, location: Location): SortKey {
  const { param, limits } = location;
  const aggregate = AGGREGATES.get(names.at(-1)!) ?? null;
  const path = aggregate ? names.slice(0, -1) : names;
  if (path.length === 0) throw badKey(names[0]!, location);
  if (path.length > limits.sortDepth)
    throw limitExceeded('MAX_SORT_DEPTH', limits.sortDepth, 'names in a sort path', { param });
  return { path, aggregate, descending: isDescending(direction, location) };
}

function isDescending(direction: unknown, location: Location): boolean {
  const word = typeof direction === 'string' ? direction.trim().toLowerCase() : direction;
  if (word !== 'asc' && word !== 'desc') throw badValue(location, 'asc or desc');
  return word === 'desc';
}

/**
 * Names to return, or null for all of them. A name that is null is none, as clients write an empty list: `fields[]`
 * asks for the ids alone, as in Strapi 5.
 */
export function parseFields(value: unknown, location: Location): string[] | null {
  if (value === undefined || value === null) return null;
  const given: unknown = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(given)) throw badValue(location, 'a string or a list of strings');
  if (given.length === 0) return null;
  const names = itemsOf(given, location)
    .filter((item) => item !== null)
    .map((item) => {
      if (typeof item !== 'string') throw badValue(location, 'a string or a list of strings');
      const name = item.trim();
      if (name === '') throw badKey('', location);
      return name;
    });
  return names.length > 0 && names.every((name) => name === '*') ? null : [...new Set(names)];
}
