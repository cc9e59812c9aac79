// Sorts and fields ↔ the values of `sort` and `fields`.
import type { QueryValue } from '../../../src/client/query-text.ts';
import type { SortAggregate, SortDraft } from './draft.ts';
import { isQueryList } from './filter-text.ts';

const AGGREGATES: ReadonlyMap<string, SortAggregate> = new Map([
  ['$count', 'count'],
  ['$min', 'min'],
  ['$max', 'max'],
  ['$avg', 'avg'],
]);

const sortText = ({ path, aggregate, descending }: SortDraft): string =>
  [...path, ...(aggregate ? [`$${aggregate}`] : [])].join('.') + (descending ? ':desc' : '');

/** One is a text, several are a list. */
export const writeSort = (sort: readonly SortDraft[]): QueryValue =>
  sort.length === 1 ? sortText(sort[0]!) : sort.map(sortText);

/** Null for what is none of the forms of `sort`. */
export function readSort(value: QueryValue): readonly SortDraft[] | null {
  if (value === null) return [];
  if (typeof value === 'string') return all(value.split(',').map((part) => readText(part.trim())));
  return isQueryList(value) ? all(value.map(readSort)) : readObject(value, []);
}

const all = (read: readonly (readonly SortDraft[] | null)[]): readonly SortDraft[] | null =>
  read.every((one) => one !== null) ? read.flat() : null;

function readText(text: string): readonly SortDraft[] | null {
  if (text === '') return [];
  const [name = '', direction = 'asc', ...more] = text.split(':');
  return more.length > 0 ? null : readKey(name.split('.'), direction);
}

function readObject(
  object: { readonly [key: string]: QueryValue },
  above: readonly string[],
): readonly SortDraft[] | null {
  return all(
    Object.entries(object).map(([name, inner]) => {
      const names = [...above, name];
      if (inner === null || inner === '') return [];
      if (typeof inner === 'string') return readKey(names, inner);
      return isQueryList(inner) ? null : readObject(inner, names);
    }),
  );
}

function readKey(names: readonly string[], direction: string): readonly SortDraft[] | null {
  const aggregate = AGGREGATES.get(names.at(-1)!) ?? null;
  const path = aggregate ? names.slice(0, -1) : names;
  const word = direction.trim().toLowerCase();
  if (path.length === 0 || path.includes('') || (word !== 'asc' && word !== 'desc')) return null;
  return [{ path, aggregate, descending: word === 'desc' }];
}

/** Names, null for all of them; undefined for what is none of the forms of `fields`. */
export function readFields(value: QueryValue): readonly string[] | null | undefined {
  if (value === null) return null;
  const given = typeof value === 'string' ? value.split(',') : value;
  if (!isQueryList(given)) return undefined;
  const names = given.map((item) => (typeof item === 'string' ? item.trim() : ''));
  if (names.includes('')) return undefined;
  return names.every((name) => name === '*') ? null : [...new Set(names)];
}
