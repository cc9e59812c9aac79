// The sort and fields grammars: strings, lists and objects → sort keys and names.
import { limitExceeded } from '../errors.ts';
import { MAX_SORT_DEPTH, MAX_SORT_KEYS } from '../limits.ts';
import type { Place } from './grammar.ts';
import { badKey, badValue, entriesOf, isObject, itemsOf, within } from './grammar.ts';
import type { SortKey } from './read-request.ts';

export function parseSort(value: unknown, place: Place): SortKey[] {
  const keys = sortKeys(value, place);
  if (keys.length > MAX_SORT_KEYS)
    throw limitExceeded('MAX_SORT_KEYS', MAX_SORT_KEYS, 'sort keys', { param: place.param });
  return keys;
}

function sortKeys(value: unknown, place: Place): SortKey[] {
  if (value === undefined || value === null) return [];
  if (typeof value === 'string')
    return itemsOf(value.split(','), place).flatMap((part) => sortText(String(part).trim(), place));
  if (Array.isArray(value)) return itemsOf(value, place).flatMap((item) => sortKeys(item, within(place)));
  if (isObject(value)) return sortObject(value, place, []);
  throw badValue(place, 'a text, a list or an object');
}

function sortText(text: string, place: Place): SortKey[] {
  if (text === '') return [];
  const [name, direction, ...rest] = text.split(':');
  if (rest.length > 0) throw badValue(place, 'one direction, asc or desc, after a name');
  const path = name!.split('.');
  if (path.some((part) => part === '')) throw badKey(name!, place);
  return [sortKey(path, direction ?? 'asc', place)];
}

function sortObject(value: Record<string, unknown>, place: Place, path: readonly string[]): SortKey[] {
  return entriesOf(value, place).flatMap(([name, inner]): SortKey[] => {
    const inside = within(place, name);
    if (isObject(inner)) return sortObject(inner, inside, [...path, name]);
    if (inner === null || inner === '') return [];
    return [sortKey([...path, name], inner, inside)];
  });
}

function sortKey(path: readonly string[], direction: unknown, place: Place): SortKey {
  if (path.length > MAX_SORT_DEPTH)
    throw limitExceeded('MAX_SORT_DEPTH', MAX_SORT_DEPTH, 'names in a sort path', { param: place.param });
  return { path, descending: isDescending(direction, place) };
}

function isDescending(direction: unknown, place: Place): boolean {
  const word = typeof direction === 'string' ? direction.trim().toLowerCase() : direction;
  if (word !== 'asc' && word !== 'desc') throw badValue(place, 'asc or desc');
  return word === 'desc';
}

/** Names to return, or null for all of them. */
export function parseFields(value: unknown, place: Place): string[] | null {
  if (value === undefined || value === null) return null;
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value;
  if (!Array.isArray(names)) throw badValue(place, 'a text or a list of texts');
  if (names.length === 0) return null;
  for (const name of itemsOf(names, place)) {
    if (typeof name !== 'string') throw badValue(place, 'a text or a list of texts');
    if (name === '') throw badKey('', place);
  }
  return names.includes('*') && names.every((name) => name === '*') ? null : [...new Set(names)];
}
