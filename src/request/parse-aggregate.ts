// The grammar of aggregates and facets: what entries are grouped by, what is computed of each group, which groups are
// shown and in what order.
import { invalidKey, limitExceeded, validationError } from '../errors.ts';
import { type Limits, MAX_AGGREGATES, MAX_FACETS, MAX_GROUP_KEYS } from '../limits.ts';
import { badKey, badValue, itemsOf, type Location, rootLocation } from './grammar.ts';
import { parseFilters, type Slots } from './parse-filters.ts';
import { parseSort } from './parse-sort.ts';
import type { AggregateFunction, AggregateShape, AggregateValue, DatePart, GroupPath } from './read-request.ts';

/** Parameters of an aggregate that lists do not have. */
export const AGGREGATE_PARAMETERS = ['group', 'count', 'distinct', 'sum', 'avg', 'min', 'max', 'having'] as const;
export type AggregateParameter = (typeof AGGREGATE_PARAMETERS)[number];

const FUNCTIONS = ['count', 'distinct', 'sum', 'avg', 'min', 'max'] as const satisfies readonly AggregateFunction[];
const DATE_PARTS: readonly DatePart[] = [
  'year',
  'quarter',
  'month',
  'week',
  'day',
  'weekday',
  'date',
  'hour',
  'minute',
];

type Given = Readonly<Partial<Record<AggregateParameter | 'sort', unknown>>>;

export function parseAggregate(given: Given, limits: Limits, slots: Slots): AggregateShape {
  const group = groupPaths(given.group, rootLocation('group', limits), MAX_GROUP_KEYS, 'MAX_GROUP_KEYS');
  const values = FUNCTIONS.flatMap((name) => valuesOf(name, given[name], rootLocation(name, limits)));
  if (values.length === 0 && group.length === 0)
    throw validationError(`Nothing is computed: expected one of ${['group', ...FUNCTIONS].join(', ')}`, {
      source: 'query',
    });
  if (values.length > MAX_AGGREGATES)
    throw limitExceeded('MAX_AGGREGATES', MAX_AGGREGATES, 'values of each group', { param: values.at(-1)!.function });
  const having = parseFilters(given.having, rootLocation('having', limits), slots);
  const sort = parseSort(given.sort, rootLocation('sort', limits)).map(({ path, aggregate, descending }) => {
    if (aggregate !== null)
      throw badKey(
        `$${aggregate}`,
        { ...rootLocation('sort'), path },
        'groups are sorted by what they are grouped by and what is computed',
      );
    const name = path.join('.');
    if (!name.startsWith('-')) return { name, descending };
    if (descending) throw badValue(rootLocation('sort'), 'a minus before a name, or :desc after it');
    return { name: name.slice(1), descending: true };
  });
  return { group, values, having, sort };
}

export const parseFacets = (value: unknown, limits: Limits): GroupPath[] =>
  groupPaths(value, rootLocation('facets', limits), MAX_FACETS, 'MAX_FACETS');

function groupPaths(value: unknown, location: Location, most: number, limit: string): GroupPath[] {
  const names = namesOf(value, location);
  if (names.length > most) throw limitExceeded(limit, most, `names in ${location.param}`, { param: location.param });
  return names.map((name) => {
    const path = pathOf(name, location);
    const last = path.at(-1)!;
    if (!last.startsWith('$')) return { name, path, part: null };
    const part = DATE_PARTS.find((one) => `$${one}` === last);
    if (part === undefined || path.length === 1) throw badKey(last, { ...location, path: path.slice(0, -1) });
    return { name, path: path.slice(0, -1), part };
  });
}

function valuesOf(name: AggregateFunction, value: unknown, location: Location): AggregateValue[] {
  if (name !== 'count') return namesOf(value, location).map((one) => ({ function: name, path: pathOf(one, location) }));
  if (value === undefined) return [];
  if (value !== '*') throw badValue(location, '*, which counts the entries of each group');
  return [{ function: name, path: [] }];
}

/** Names, each once: a string with commas between them, or a list. */
function namesOf(value: unknown, location: Location): string[] {
  if (value === undefined) return [];
  const given = typeof value === 'string' ? value.split(',') : value;
  if (!Array.isArray(given) || value === '') throw badValue(location, 'a string or a list of strings');
  const names = itemsOf(given, location).map((item) => {
    if (typeof item !== 'string') throw badValue(location, 'a string or a list of strings');
    return item.trim();
  });
  return [...new Set(names)];
}

function pathOf(name: string, { param, limits }: Location): string[] {
  const path = name.split('.');
  if (path.some((part) => part === '')) throw invalidKey(name, [], param);
  if (path.length > limits.sortDepth)
    throw limitExceeded('MAX_SORT_DEPTH', limits.sortDepth, 'names in a path', { param });
  return path;
}
