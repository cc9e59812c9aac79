// What differs between two answers. The order of keys means nothing, the order of lists does. Entries of a list are
// matched by id, so that one that is missing on one side is one difference and not as many as there are entries behind it.
import { isObject } from '../../type-guards.ts';
import { type Answer, NO_ANSWER } from './exchange.ts';

export type JsonPath = readonly (string | number)[];

/**
 * `status`: the status codes, with the bodies. `envelope`: a bare list against one in the envelope. `value`: another
 * value. `missing`: only Strapi has it. `added`: only Sheaf has it. `order`: the same entries in another order, as ids.
 */
export interface Difference {
  readonly kind: 'status' | 'envelope' | 'value' | 'missing' | 'added' | 'order';
  readonly path: JsonPath;
  readonly strapi: unknown;
  readonly sheaf: unknown;
}

export function differencesBetween(strapi: Answer, sheaf: Answer): Difference[] {
  if (strapi.status !== sheaf.status || strapi.status === NO_ANSWER)
    return [{ kind: 'status', path: [], strapi: shownStatus(strapi), sheaf: shownStatus(sheaf) }];
  if (Array.isArray(strapi.body) && isObject(sheaf.body) && Array.isArray(sheaf.body.data)) {
    const envelope: Difference = { kind: 'envelope', path: [], strapi: 'a bare list', sheaf: 'data and meta' };
    return [envelope, ...compared(strapi.body, sheaf.body.data, ['data'])];
  }
  return compared(strapi.body, sheaf.body, []);
}

const shownStatus = ({ status, body }: Answer): number | string =>
  status === NO_ANSWER ? `no response: ${body}` : status;

function compared(strapi: unknown, sheaf: unknown, path: JsonPath): Difference[] {
  if (Array.isArray(strapi) && Array.isArray(sheaf))
    return isListOfEntries(strapi) && isListOfEntries(sheaf)
      ? comparedEntries(strapi, sheaf, path)
      : comparedItems(strapi, sheaf, path);
  if (isObject(strapi) && isObject(sheaf)) return comparedObjects(strapi, sheaf, path);
  return Object.is(strapi, sheaf) || (strapi === 0 && sheaf === 0) ? [] : [{ kind: 'value', path, strapi, sheaf }];
}

function comparedObjects(
  strapi: Record<string, unknown>,
  sheaf: Record<string, unknown>,
  path: JsonPath,
): Difference[] {
  const keys = new Set([...Object.keys(strapi), ...Object.keys(sheaf)]);
  return [...keys].flatMap(
    (key) => oneSided(strapi, sheaf, key, path) ?? compared(strapi[key], sheaf[key], [...path, key]),
  );
}

function oneSided(
  strapi: Record<string, unknown>,
  sheaf: Record<string, unknown>,
  key: string,
  path: JsonPath,
): Difference[] | null {
  if (!Object.hasOwn(sheaf, key))
    return [{ kind: 'missing', path: [...path, key], strapi: strapi[key], sheaf: undefined }];
  if (!Object.hasOwn(strapi, key))
    return [{ kind: 'added', path: [...path, key], strapi: undefined, sheaf: sheaf[key] }];
  return null;
}

function comparedItems(strapi: readonly unknown[], sheaf: readonly unknown[], path: JsonPath): Difference[] {
  const shared = Math.min(strapi.length, sheaf.length);
  return [
    ...strapi.slice(0, shared).flatMap((item, index) => compared(item, sheaf[index], [...path, index])),
    ...rest(strapi, shared).map((index) => missing(strapi[index], [...path, index])),
    ...rest(sheaf, shared).map((index) => added(sheaf[index], [...path, index])),
  ];
}

const rest = (items: readonly unknown[], from: number): number[] => [...items.keys()].slice(from);
const missing = (strapi: unknown, path: JsonPath): Difference => ({ kind: 'missing', path, strapi, sheaf: undefined });
const added = (sheaf: unknown, path: JsonPath): Difference => ({ kind: 'added', path, strapi: undefined, sheaf });

type Entry = Record<string, unknown> & { readonly id: number };

/** An empty list is one of entries as well. Ids that repeat tell nothing apart. */
function isListOfEntries(items: readonly unknown[]): items is Entry[] {
  const keys = items.map((item) => (isObject(item) && typeof item.id === 'number' ? identity(item) : null));
  return !keys.includes(null) && new Set(keys).size === keys.length;
}

/** Rows of different tables can have one id. */
const identity = ({ id, __component, __type }: Readonly<Record<string, unknown>>): string =>
  [__component ?? __type ?? '', id].join(' ');

function comparedEntries(strapi: readonly Entry[], sheaf: readonly Entry[], path: JsonPath): Difference[] {
  const places = new Map(sheaf.map((entry, index) => [identity(entry), index]));
  const ofStrapi = new Set(strapi.map(identity));
  const shared = strapi.filter((entry) => places.has(identity(entry)));
  const sharedOfSheaf = sheaf.filter((entry) => ofStrapi.has(identity(entry)));
  const isSameOrder = shared.every((entry, index) => identity(entry) === identity(sharedOfSheaf[index]!));
  return [
    ...(isSameOrder
      ? []
      : [{ kind: 'order' as const, path, strapi: shared.map(idOf), sheaf: sharedOfSheaf.map(idOf) }]),
    ...strapi.flatMap((entry, index) => (places.has(identity(entry)) ? [] : missing(entry, [...path, index]))),
    ...sheaf.flatMap((entry, index) => (ofStrapi.has(identity(entry)) ? [] : added(entry, [...path, index]))),
    ...shared.flatMap((entry) => {
      const index = places.get(identity(entry))!;
      return compared(entry, sheaf[index], [...path, index]);
    }),
  ];
}

const idOf = ({ id }: Entry): number => id;

/** As a path is written: `data[0].chef.name`. */
export const shownPath = (path: JsonPath): string =>
  path.reduce<string>(
    (text, part) => (typeof part === 'number' ? `${text}[${part}]` : text === '' ? part : `${text}.${part}`),
    '',
  );
