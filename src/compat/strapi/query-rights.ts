// What a query asks for and its caller may not use: attributes that are private or passwords, those that rules hide, and
// relations to what the caller may not find. `sanitize` leaves it out, `validate` refuses it.
import { mayFollow } from '../../access/access.ts';
import { invalidKey } from '../../errors.ts';
import type { Attribute, Model, Schema } from '../../model/types.ts';
import { isPlainObject } from '../../request/grammar.ts';
import { schemaOf, targetOf } from './data/schemas.ts';
import type { FieldAccess } from './sanitize.ts';
import { ValidationError } from './strapi-errors.ts';

type Query = Record<string, unknown>;
type DynamicZone = Extract<Attribute, { kind: 'dynamiczone' }>;

/** Is told of each key that is left out; may throw. */
type LeaveOut = (key: string, at: readonly string[], param: string) => void;

interface Walk {
  readonly model: Model;
  readonly access: FieldAccess;
  readonly leaveOut: LeaveOut;
}

/** Refuses what sanitizing would leave out of conditions, orders and fields, also of what is populated. */
export function validateQuery(model: Model, schema: Schema, query: Query, access: FieldAccess): void {
  const leaveOut: LeaveOut = (key, at, param) => {
    const { message, details } = invalidKey(key, at, param);
    throw new ValidationError(message, details);
  };
  allowedQuery({ model, access, leaveOut }, schema, query);
}

/** A query without conditions, orders and fields that its caller may not use. */
export const withoutForbidden = (model: Model, schema: Schema, query: Query, access: FieldAccess): Query =>
  allowedQuery({ model, access, leaveOut: () => undefined }, schema, query);

function allowedQuery(walk: Walk, schema: Schema, { filters, sort, fields, populate, ...rest }: Query): Query {
  const kept = {
    filters: allowedFilters(walk, schema, filters, []),
    sort: allowedSort(walk, schema, sort, []),
    fields: allowedFields(walk, schema, fields),
    populate: allowedPopulate(walk, schema, populate),
  };
  return { ...rest, ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)) };
}

const ALWAYS: ReadonlySet<string> = new Set(['id', 'documentId']);

/** Where a name stands in a query. */
interface Place {
  readonly at: readonly string[];
  readonly param: string;
}

/** The attribute of a name that may be used; null where it is left out. */
function usable({ access, leaveOut }: Walk, schema: Schema, name: string, { at, param }: Place): Attribute | null {
  const attribute = schema.attributes.get(name);
  if (attribute && isReadable(access, schema, attribute)) return attribute;
  leaveOut(name, at, param);
  return null;
}

function isReadable(access: FieldAccess, { kind, uid }: Schema, attribute: Attribute): boolean {
  if (attribute.private || (attribute.kind === 'scalar' && attribute.type === 'password')) return false;
  if (attribute.kind === 'morph' || attribute.kind === 'dynamiczone') return false;
  if (kind !== 'component' && !access.mayUse(uid, attribute.name, 'read')) return false;
  return attribute.kind !== 'relation' || mayFollow(access, attribute);
}

/** Undefined where nothing is left of what was there. */
function allowedFilters(walk: Walk, schema: Schema, value: unknown, at: readonly string[]): unknown {
  if (Array.isArray(value))
    return value.map((one) => allowedFilters(walk, schema, one, at)).filter((one) => one !== undefined);
  if (!isPlainObject(value)) return value;
  const given = Object.entries(value);
  const kept = given.flatMap(([key, inner]): [string, unknown][] => {
    if (key.startsWith('$')) {
      const rest = allowedFilters(walk, schema, inner, at);
      return rest === undefined || (Array.isArray(rest) && rest.length === 0) ? [] : [[key, rest]];
    }
    if (ALWAYS.has(key)) return [[key, inner]];
    const attribute = usable(walk, schema, key, { at, param: 'filters' });
    if (!attribute) return [];
    const target = targetOf(walk.model, attribute);
    const rest = target ? allowedFilters(walk, target, inner, [...at, key]) : inner;
    return rest === undefined ? [] : [[key, rest]];
  });
  return kept.length === 0 && given.length > 0 ? undefined : Object.fromEntries(kept);
}

function allowedSort(walk: Walk, schema: Schema, value: unknown, at: readonly string[]): unknown {
  if (typeof value === 'string') {
    const kept = value.split(',').filter((one) => isSortable(walk, schema, one.trim().split(':')[0]!.split('.'), at));
    return kept.length > 0 ? kept.join(',') : undefined;
  }
  if (Array.isArray(value))
    return value.map((one) => allowedSort(walk, schema, one, at)).filter((one) => one !== undefined);
  if (!isPlainObject(value)) return value;
  const kept = Object.entries(value).flatMap(([key, inner]): [string, unknown][] => {
    if (!isSortable(walk, schema, [key], at)) return [];
    const attribute = schema.attributes.get(key);
    const target = attribute && isPlainObject(inner) ? targetOf(walk.model, attribute) : null;
    const rest = target ? allowedSort(walk, target, inner, [...at, key]) : inner;
    return rest === undefined ? [] : [[key, rest]];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function isSortable(walk: Walk, schema: Schema, [name, ...rest]: readonly string[], at: readonly string[]): boolean {
  if (name === undefined || name === '' || ALWAYS.has(name)) return true;
  const attribute = usable(walk, schema, name, { at, param: 'sort' });
  if (!attribute) return false;
  const target = targetOf(walk.model, attribute);
  return rest.length === 0 || !target || isSortable(walk, target, rest, [...at, name]);
}

function allowedFields(walk: Walk, schema: Schema, value: unknown): unknown {
  const isKept = (name: string): boolean =>
    name === '' || name === '*' || ALWAYS.has(name) || usable(walk, schema, name, { at: [], param: 'fields' }) !== null;
  if (typeof value === 'string') return fieldList(value.split(',').filter((name) => isKept(name.trim()))).join(',');
  if (!Array.isArray(value)) return value;
  return fieldList(value.filter((name) => typeof name !== 'string' || isKept(name)));
}

/** Where all were left out, none is shown but the id: to name none would show them all. */
const fieldList = <T>(kept: readonly T[]): readonly (T | string)[] => (kept.length > 0 ? kept : ['id']);

/** Relations that the caller may not follow are left out elsewhere, and refused by nobody. */
function allowedPopulate(walk: Walk, schema: Schema, value: unknown): unknown {
  if (isEverything(value)) return everythingOf(walk, schema);
  const isKept = (path: string): boolean => isPopulated(walk, schema, path.trim().split('.'), []);
  if (typeof value === 'string') {
    const kept = value.split(',').filter(isKept);
    return kept.length > 0 ? kept.join(',') : undefined;
  }
  if (Array.isArray(value)) return value.filter((path) => typeof path !== 'string' || isKept(path));
  if (!isPlainObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => isKept(key));
  return Object.fromEntries(
    kept.map(([key, inner]) => {
      const attribute = schema.attributes.get(key);
      const options = inner === '*' ? { populate: inner } : inner;
      if (!attribute || !isPlainObject(options)) return [key, options];
      const target = targetOf(walk.model, attribute);
      if (target) return [key, allowedQuery(walk, target, options)];
      if (attribute.kind === 'dynamiczone' && options.on === undefined && options.populate !== undefined)
        return [key, { on: partsOf(walk, attribute, options.populate) }];
      return [key, isPlainObject(options.on) ? { ...options, on: allowedFragments(walk, options.on) } : options];
    }),
  );
}

const isEverything = (populate: unknown): boolean => populate === '*' || populate === true;

/** By its names, what the caller may see: code reads it with all rights, which have no such limits. */
function everythingOf({ access }: Walk, { attributes }: Schema): Query {
  const isShown = (attribute: Attribute): boolean => {
    if (attribute.private || attribute.kind === 'scalar' || attribute.kind === 'morph') return false;
    if (attribute.kind === 'relation') return mayFollow(access, attribute);
    return attribute.kind !== 'localizations' || access.mayFind(attribute.target);
  };
  return Object.fromEntries([...attributes.values()].filter(isShown).map(({ name }) => [name, true]));
}

/** What is populated of a dynamic zone, by component: of each, what the caller may see of the names that it has. */
function partsOf(walk: Walk, zone: DynamicZone, populate: unknown): Query {
  const schemas = zone.components.map(({ uid }) => schemaOf(walk.model, uid)!);
  const isKnown = (name: string): boolean => name === '' || schemas.some(({ attributes }) => attributes.has(name));
  for (const name of namesIn(populate)) if (!isKnown(name)) walk.leaveOut(name, [zone.name], 'populate');
  return Object.fromEntries(
    schemas.map((schema) => [
      schema.uid,
      {
        populate: isEverything(populate)
          ? everythingOf(walk, schema)
          : allowedPopulate(
              walk,
              schema,
              ofNames(populate, (name) => schema.attributes.has(name)),
            ),
      },
    ]),
  );
}

const headOf = (path: string): string => path.trim().split('.')[0]!;

/** The names that a populate begins with. */
function namesIn(populate: unknown): readonly string[] {
  if (isEverything(populate)) return [];
  if (isPlainObject(populate)) return Object.keys(populate);
  return [populate].flat().flatMap((one) => (typeof one === 'string' ? one.split(',').map(headOf) : []));
}

/** A populate without other names. */
function ofNames(populate: unknown, isOne: (name: string) => boolean): unknown {
  if (isPlainObject(populate)) return Object.fromEntries(Object.entries(populate).filter(([name]) => isOne(name)));
  const paths = [populate].flat().flatMap((one) => (typeof one === 'string' ? one.split(',') : []));
  return paths.filter((path) => isOne(headOf(path)));
}

/** Whether a path is of attributes that can be shown; who made an entry is told to nobody. */
function isPopulated(walk: Walk, schema: Schema, [name, ...rest]: readonly string[], at: readonly string[]): boolean {
  if (name === undefined || name === '' || name === '*') return true;
  const attribute = schema.attributes.get(name);
  if (!attribute || attribute.private) {
    walk.leaveOut(name, at, 'populate');
    return false;
  }
  const target = targetOf(walk.model, attribute);
  return rest.length === 0 || !target || isPopulated(walk, target, rest, [...at, name]);
}

const allowedFragments = (walk: Walk, on: Query): Query =>
  Object.fromEntries(
    Object.entries(on).map(([uid, inner]) => {
      const schema = schemaOf(walk.model, uid);
      return [uid, schema && isPlainObject(inner) ? allowedQuery(walk, schema, inner) : inner];
    }),
  );
