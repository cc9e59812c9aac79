// What code says to `db.query` → parameters of a read: `where`, `select`, `orderBy`, `populate`, `limit`, `offset`.
import { isDeepStrictEqual } from 'node:util';
import { validationError } from '../../../errors.ts';
import type { Schema } from '../../../model/types.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import { NO_LIMIT } from '../../../request/parse-read.ts';
import { withoutEmptyFilters } from '../sanitize.ts';
import { conditionsOfCode } from './code-conditions.ts';
import { knownPopulate } from './known-populate.ts';
import { type Schemas, targetOf } from './schemas.ts';

export interface RowParameters {
  readonly where?: unknown;
  readonly filters?: unknown;
  /** Text that a row has somewhere. */
  readonly _q?: unknown;
  readonly select?: unknown;
  readonly populate?: unknown;
  readonly orderBy?: unknown;
  readonly limit?: number;
  readonly offset?: number;
}

type Parameters = Readonly<Record<string, unknown>>;

/** The parameters of a read of rows, but for its page. */
export function readOfRows(schemas: Schemas, schema: Schema, given: RowParameters): Parameters {
  const { select, orderBy } = given;
  const populate = populateOf(schemas, schema, given.populate);
  return {
    ...chosenOf(schemas, schema, given),
    ...(select !== undefined && select !== '*' && { fields: select }),
    ...(orderBy !== undefined && { sort: sortOf(orderBy) }),
    ...(populate !== undefined && { populate }),
  };
}

/** What chooses rows: the conditions, and the text to search for. */
export function chosenOf(schemas: Schemas, schema: Schema, given: RowParameters): Parameters {
  const filters = whereOf(schemas, schema, given);
  const { _q } = given;
  return {
    ...(filters !== undefined && { filters }),
    ...(_q !== undefined && _q !== null && { _q: typeof _q === 'number' ? String(_q) : _q }),
  };
}

/** What documents are asked for, as lifecycles of rows are told it. */
export function paramsOfRows({ filters, fields, sort, populate, start, limit }: Parameters): Record<string, unknown> {
  const named = { select: fields, orderBy: sort, populate, offset: start, limit };
  const given = Object.entries(named).filter(([, value]) => value !== undefined && value !== null);
  return { where: filters ?? {}, ...Object.fromEntries(given) };
}

/** What lifecycles have changed of it, as documents are asked for it. */
export function changedParameters(
  schemas: Schemas,
  schema: Schema,
  before: Parameters,
  { where, select, orderBy, populate, offset, limit }: Parameters,
): Parameters {
  const isChanged = (name: string, value: unknown): boolean => !isDeepStrictEqual(value, before[name]);
  return {
    ...(isChanged('where', where) && { filters: whereOf(schemas, schema, { where }) }),
    ...(isChanged('select', select) && { fields: select === '*' ? undefined : select }),
    ...(isChanged('orderBy', orderBy) && { sort: sortOf(orderBy) }),
    ...(isChanged('populate', populate) && { populate: populateOf(schemas, schema, populate) }),
    ...(isChanged('offset', offset) && { start: offset }),
    ...(isChanged('limit', limit) && { limit }),
  };
}

/** `filters` holds beside `where`. */
export function whereOf(schemas: Schemas, schema: Schema, { where, filters }: RowParameters): unknown {
  const both = [where, filters].filter((one) => one !== undefined && one !== null);
  const parts = both.map((one) => conditionOf(schemas, schema, conditionsOfCode(schemas, schema, one)));
  return withoutEmptyFilters(parts.length > 1 ? { $and: parts } : parts[0]);
}

const GROUPS: ReadonlySet<string> = new Set(['$and', '$or']);

/** A bare value of a relation is the id of a row, and a list means any of its members. */
function conditionOf(schemas: Schemas, schema: Schema, condition: unknown): unknown {
  if (Array.isArray(condition)) return { $and: condition.map((one) => conditionOf(schemas, schema, one)) };
  if (!isPlainObject(condition)) throw validationError('Invalid where: expected an object', { key: 'where' });
  const entries = Object.entries(condition);
  return Object.fromEntries(entries.map(([key, value]) => [key, memberOf(schemas, schema, key, value)]));
}

function memberOf(schemas: Schemas, schema: Schema, key: string, value: unknown): unknown {
  if (GROUPS.has(key)) return groupOf(key, value).map((one) => conditionOf(schemas, schema, one));
  if (key === '$not') return conditionOf(schemas, schema, value);
  const attribute = schema.attributes.get(key);
  // Without its condition, a read or write would be about other rows.
  if (value === undefined) throw validationError(`Invalid value for ${key}: expected a value`, { key });
  const target = attribute && targetOf(schemas, attribute);
  if (!target) return Array.isArray(value) ? { $in: value } : value;
  if (value === null) return { id: { $null: true } };
  if (Array.isArray(value)) return { id: { $in: value } };
  if (!isPlainObject(value)) return { id: { $eq: value } };
  const isOfIds = Object.keys(value).some((name) => name.startsWith('$') && !GROUPS.has(name) && name !== '$not');
  return isOfIds ? { id: value } : conditionOf(schemas, target, value);
}

function groupOf(key: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw validationError(`Invalid where: expected a list of conditions in ${key}`, { key });
}

/** A number of rows that code, or whoever it asks for, has given. */
function numberOfRows(key: string, value: unknown): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw validationError(`Invalid ${key}: expected a whole number`, { key });
}

/** How many rows at most: none, and less than none, is no limit, as in Strapi. */
export function mostRows(key: string, value: unknown): number {
  const number = numberOfRows(key, value);
  return number > 0 ? number : NO_LIMIT.limit;
}

export function rowsBefore(key: string, value: unknown): number {
  const number = numberOfRows(key, value);
  if (number >= 0) return number;
  throw validationError(`Invalid ${key}: expected a positive integer`, { key });
}

/** `'name'`, `{ name: 'asc', author: { name: 'desc' } }`, or a list of these. */
export function sortOf(orderBy: unknown): string[] {
  if (typeof orderBy === 'string') return [orderBy];
  if (Array.isArray(orderBy)) return orderBy.flatMap(sortOf);
  if (!isPlainObject(orderBy)) return [];
  return Object.entries(orderBy).flatMap(([key, value]) =>
    isPlainObject(value)
      ? sortOf(value).map((path) => `${key}.${path}`)
      : [`${key}:${String(value ?? 'asc').toLowerCase()}`],
  );
}

/** `true` is everything that can be populated, at one level. */
function populateOf(schemas: Schemas, schema: Schema, populate: unknown): unknown {
  if (populate === undefined || populate === null || populate === false) return undefined;
  if (populate === true || populate === '*') return '*';
  const known = knownPopulate(schemas, schema, populate);
  if (!isPlainObject(known)) return known;
  const entries = Object.entries(known).filter(([, value]) => value !== false && value !== undefined);
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const attribute = schema.attributes.get(key);
      const target = attribute && targetOf(schemas, attribute);
      return [key, isPlainObject(value) && target ? nestedOf(schemas, target, value) : value];
    }),
  );
}

function nestedOf(schemas: Schemas, target: Schema, value: RowParameters & Parameters): Parameters {
  const { where, filters, select, populate, orderBy, limit, offset, ...rest } = value;
  const page = { ...(offset !== undefined && { start: offset }), ...(limit !== undefined && { limit }) };
  return {
    ...rest,
    ...readOfRows(schemas, target, { where, filters, select, populate, orderBy }),
    ...(Object.keys(page).length > 0 && { pagination: page }),
  };
}
