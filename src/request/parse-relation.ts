// The grammar of a relation in a write: bare values, `set`, `connect` and `disconnect` with positions → typed
// references. Knows no model; whether what they name exists is found out later.
import { type ErrorDetails, limitExceeded, SheafError } from '../errors.ts';
import { isObject } from '../type-guards.ts';
import type { Status } from './read-request.ts';
import { isStorable, readRowId } from './scalars.ts';

/** An entry of another type, by the id of its document or of one of its rows. */
export interface Reference {
  readonly documentId: string | null;
  readonly id: number | null;
  readonly locale: string | null;
  readonly status: Status | null;
  /** Uid of its type, for relations to several types. */
  readonly type: string | null;
  /** Where it stands in the body; of the anchor of a position, where the position stands. */
  readonly path: BodyPath;
}

export type PositionInput =
  | { readonly at: 'start' | 'end' }
  | { readonly at: 'before' | 'after'; readonly anchor: Reference };

export interface ConnectInput {
  readonly reference: Reference;
  readonly position: PositionInput;
}

export type RelationInput =
  | { readonly mode: 'keep' }
  | { readonly mode: 'set'; readonly references: readonly Reference[] }
  | {
      readonly mode: 'change';
      readonly connect: readonly ConnectInput[];
      readonly disconnect: readonly Reference[];
      readonly strict: boolean;
    };

export type BodyPath = readonly (string | number)[];

export const bodyKeyError = (key: string, path: BodyPath): SheafError => {
  const at = path.join('.');
  const where = at !== '' && at !== key ? ` at ${at}` : '';
  return new SheafError(400, 'ValidationError', `Invalid key ${key}${where}`, {
    key,
    path: at === '' ? null : at,
    source: 'body',
  });
};

export const bodyValueError = (path: BodyPath, expected: string, details: ErrorDetails = {}): SheafError =>
  new SheafError(400, 'ValidationError', `Invalid value for ${path.join('.')}: expected ${expected}`, {
    path: path.join('.'),
    source: 'body',
    ...details,
  });

const OPERATIONS = new Set(['connect', 'disconnect', 'set', 'options']);
const REFERENCE_KEYS = new Set(['documentId', 'id', 'locale', 'status', '__type']);

/** What every entry may show beside its id and its attributes. */
const SYSTEM_KEYS = new Set(['createdAt', 'updatedAt', 'publishedAt', 'createdBy', 'updatedBy', 'localizations']);

/**
 * Whether a key is an attribute that the caller may read of what a relation leads to. A reference may be a whole entry as
 * it was read; of that, only what names it counts.
 */
export type IsTargetKey = (key: string) => boolean;

export interface RelationRules {
  readonly isTargetKey: IsTargetKey;
  /** Whether text of digits is the id of a row, as clients of Strapi send that of a file. Otherwise it is a documentId. */
  readonly digitsAreRows: boolean;
  /** How many references there may be. */
  readonly most: number;
}

export function parseRelation(value: unknown, path: BodyPath, rules: RelationRules): RelationInput {
  const { isTargetKey, most } = rules;
  if (value === null) return { mode: 'set', references: [] };
  if (!isObject(value)) return { mode: 'set', references: references(value, path, rules) };
  const keys = Object.keys(value);
  if (keys.length === 0) return { mode: 'keep' };
  if (isReference(value, isTargetKey)) return { mode: 'set', references: [reference(value, path, rules)] };
  const unknownKey = keys.find((key) => !OPERATIONS.has(key));
  if (unknownKey !== undefined) throw bodyKeyError(unknownKey, path);
  const strict = parseOptions(value.options, path);
  if ('set' in value) {
    const other = ['connect', 'disconnect'].find((key) => key in value);
    if (other) throw bodyValueError([...path, other], 'set alone; it cannot be combined with connect or disconnect');
    if (value.set === null || value.set === undefined) return { mode: 'keep' };
    return { mode: 'set', references: references(value.set, [...path, 'set'], rules) };
  }
  const connect = located(value.connect, [...path, 'connect']).map(([item, here]) => parseConnect(item, here, rules));
  const disconnect = references(value.disconnect ?? [], [...path, 'disconnect'], rules);
  checkCount(connect.length + disconnect.length, path, most);
  if (connect.length === 0 && disconnect.length === 0) return { mode: 'keep' };
  return { mode: 'change', connect, disconnect, strict };
}

/** An entry that has attributes of the names of operations is an entry all the same. */
function isReference(value: Record<string, unknown>, isTargetKey: IsTargetKey): boolean {
  const operations = Object.keys(value).filter((key) => OPERATIONS.has(key));
  return operations.length === 0 || ('documentId' in value && operations.every(isTargetKey));
}

/** The items of a list, or a value by itself, each with its place. */
function located(value: unknown, path: BodyPath): readonly (readonly [item: unknown, path: BodyPath])[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.map((item: unknown, index) => [item, [...path, index]]) : [[value, path]];
}

function references(value: unknown, path: BodyPath, rules: RelationRules): Reference[] {
  if (Array.isArray(value)) checkCount(value.length, path, rules.most);
  return located(value, path).map(([item, here]) => reference(item, here, rules));
}

function checkCount(count: number, path: BodyPath, most: number): void {
  if (count > most) throw limitExceeded('MAX_REFERENCES', most, 'references', { path: path.join('.'), source: 'body' });
}

function parseOptions(options: unknown, path: BodyPath): boolean {
  if (options === undefined) return true;
  const here = [...path, 'options'];
  if (!isObject(options)) throw bodyValueError(here, 'an object');
  const unknownKey = Object.keys(options).find((key) => key !== 'strict');
  if (unknownKey !== undefined) throw bodyKeyError(unknownKey, here);
  if (options.strict !== undefined && typeof options.strict !== 'boolean')
    throw bodyValueError([...here, 'strict'], 'true or false');
  return options.strict !== false;
}

const DIGITS = /^\d+$/;
type ReferenceRules = Pick<RelationRules, 'isTargetKey' | 'digitsAreRows'>;

/** A string is a documentId, a number the id of a row; an object says which, and which version is meant. */
function reference(value: unknown, path: BodyPath, { isTargetKey, digitsAreRows }: ReferenceRules): Reference {
  const none = { documentId: null, id: null, locale: null, status: null, type: null, path };
  if (digitsAreRows && typeof value === 'string' && DIGITS.test(value)) return { ...none, id: rowId(value, path) };
  if (isText(value)) return { ...none, documentId: value };
  if (typeof value === 'number') return { ...none, id: rowId(value, path) };
  if (!isObject(value)) throw bodyValueError(path, 'a documentId, or an object with one');
  const isKnown = (key: string): boolean => REFERENCE_KEYS.has(key) || SYSTEM_KEYS.has(key) || isTargetKey(key);
  const unknownKey = Object.keys(value).find((key) => !isKnown(key));
  if (unknownKey !== undefined) throw bodyKeyError(unknownKey, path);
  const { documentId, id } = value;
  if (documentId !== undefined && !isText(documentId)) throw bodyValueError([...path, 'documentId'], 'a documentId');
  return {
    documentId: documentId ?? null,
    id: documentId === undefined ? rowId(id, path) : null,
    locale: optionalText(value.locale, [...path, 'locale']),
    // The entry may have an attribute of that name, with values of its own.
    status: isTargetKey('status') ? statusOrNull(value.status) : optionalStatus(value.status, [...path, 'status']),
    type: optionalText(value.__type, [...path, '__type']),
    path,
  };
}

/** The id of no row. */
export const NO_ROW = 0;

/** The id of a row. Whole numbers that no row can have are all the same: one that is not there. */
function rowId(value: unknown, path: BodyPath): number {
  const id = readRowId(value);
  if (id !== null) return id;
  const isWhole = Number.isInteger(value) || (typeof value === 'string' && DIGITS.test(value));
  if (!isWhole) throw bodyValueError(path, 'a documentId, or an object with one');
  return NO_ROW;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '' && isStorable(value);

function optionalText(value: unknown, path: BodyPath): string | null {
  if (value === undefined || value === null) return null;
  if (!isText(value)) throw bodyValueError(path, 'a string');
  return value;
}

const statusOrNull = (value: unknown): Status | null => (value === 'draft' || value === 'published' ? value : null);

function optionalStatus(value: unknown, path: BodyPath): Status | null {
  const status = statusOrNull(value);
  if (status === null && value !== undefined && value !== null) throw bodyValueError(path, 'draft or published');
  return status;
}

function parseConnect(value: unknown, path: BodyPath, rules: ReferenceRules): ConnectInput {
  const isPlaced =
    isObject(value) && 'position' in value && (isObject(value.position) || !rules.isTargetKey('position'));
  if (!isPlaced) return { reference: reference(value, path, rules), position: { at: 'end' } };
  const { position, ...rest } = value;
  const target = reference(rest, path, rules);
  return { reference: target, position: parsePosition(position, target, [...path, 'position']) };
}

const PLACES = ['before', 'after', 'start', 'end'] as const;

function parsePosition(value: unknown, target: Reference, path: BodyPath): PositionInput {
  const expected = 'exactly one of before, after, start: true, end: true';
  if (!isObject(value)) throw bodyValueError(path, expected);
  const { locale, status, __type, ...rest } = value;
  const keys = Object.keys(rest);
  const at = PLACES.find((place) => place === keys[0]);
  if (keys.length !== 1 || at === undefined) throw bodyValueError(path, expected);
  if (at === 'start' || at === 'end') {
    if (rest[at] !== true || locale !== undefined || status !== undefined) throw bodyValueError(path, expected);
    return { at };
  }
  const anchor = reference(rest[at], [...path, at], { isTargetKey: () => false, digitsAreRows: false });
  return {
    at,
    anchor: {
      ...anchor,
      locale: optionalText(locale, [...path, 'locale']) ?? anchor.locale ?? (anchor.id === null ? target.locale : null),
      status:
        optionalStatus(status, [...path, 'status']) ?? anchor.status ?? (anchor.id === null ? target.status : null),
      type: optionalText(__type, [...path, '__type']) ?? anchor.type ?? target.type,
      path,
    },
  };
}
