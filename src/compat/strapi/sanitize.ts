// What a caller may see of entries, send as entries and ask for, as `contentAPI.sanitize` and controllers apply it: what
// is not allowed is dropped without a word.
import { type Access, mayFollow } from '../../access/access.ts';
import { CREATORS } from '../../model/builtin.ts';
import type { Attribute, Model, Schema } from '../../model/types.ts';
import { isPlainObject } from '../../request/grammar.ts';
import { schemaOf, targetOf } from './data/schemas.ts';

type Entry = Record<string, unknown>;

/** The rights that decide which members of an entry a caller is shown, and may send or ask for. */
export type FieldAccess = Pick<Access, 'mayFind' | 'mayUse'>;

/** Each of a list, or the one. */
function each(value: Entry, map: (entry: Entry) => Entry): Entry;
function each(value: unknown, map: (entry: Entry) => Entry): unknown;
function each(value: unknown, map: (entry: Entry) => Entry): unknown {
  if (Array.isArray(value)) return value.map((item) => (isPlainObject(item) ? map(item) : item));
  return isPlainObject(value) ? map(value) : value;
}

/** What may be shown. `access`: null where only what is private is left out. */
export function sanitizeOutput(model: Model, schema: Schema, data: Entry, access: FieldAccess | null): Entry;
export function sanitizeOutput(model: Model, schema: Schema, data: unknown, access: FieldAccess | null): unknown;
export function sanitizeOutput(model: Model, schema: Schema, data: unknown, access: FieldAccess | null): unknown {
  const shown = (entry: Entry, of: Schema): Entry => {
    const result: Entry = {};
    for (const [name, value] of Object.entries(entry)) {
      const attribute = of.attributes.get(name);
      if (!attribute) {
        if (!CREATORS.has(name)) result[name] = value;
      } else if (isShown(attribute, of)) result[name] = within(attribute, value);
    }
    return result;
  };
  const isShown = (attribute: Attribute, of: Schema): boolean => {
    if (attribute.private || (attribute.kind === 'scalar' && attribute.type === 'password')) return false;
    if (!access) return true;
    if (of.kind !== 'component' && !access.mayUse(of.uid, attribute.name, 'read')) return false;
    return attribute.kind !== 'relation' || mayFollow(access, attribute);
  };
  const within = (attribute: Attribute, value: unknown): unknown => {
    switch (attribute.kind) {
      case 'relation':
      case 'media':
      case 'localizations':
        return throughSchema(schemaOf(model, attribute.target), value);
      case 'component':
        return throughSchema(schemaOf(model, attribute.component), value);
      case 'dynamiczone':
        return each(value, (item) => {
          const component = schemaOf(model, String(item.__component));
          return component ? shown(item, component) : item;
        });
      case 'morph':
        return morphed(value);
      default:
        return value;
    }
  };
  const throughSchema = (target: Schema | null, value: unknown): unknown =>
    target ? each(value, (item) => shown(item, target)) : value;
  const morphed = (value: unknown): unknown => {
    const items = Array.isArray(value) ? value : [value];
    const sanitized = items.filter(isPlainObject).flatMap((item) => {
      const target = schemaOf(model, String(item.__type));
      return target !== null && (!access || access.mayFind(target.uid)) ? [shown(item, target)] : [];
    });
    return Array.isArray(value) ? sanitized : (sanitized[0] ?? null);
  };
  return each(data, (entry) => shown(entry, schema));
}

/** What may be written: no ids, nothing that is not writable, no relation to what the caller may not find. */
export function sanitizeInput(model: Model, schema: Schema, data: Entry, access: FieldAccess | null): Entry;
export function sanitizeInput(model: Model, schema: Schema, data: unknown, access: FieldAccess | null): unknown;
export function sanitizeInput(model: Model, schema: Schema, data: unknown, access: FieldAccess | null): unknown {
  const taken = (entry: Entry, of: Schema): Entry => {
    const result: Entry = {};
    for (const [name, value] of Object.entries(entry)) {
      const attribute = of.attributes.get(name);
      if (attribute ? isTaken(attribute) : name !== 'id' && name !== 'documentId')
        result[name] = within(attribute, value);
    }
    return result;
  };
  const isTaken = (attribute: Attribute): boolean =>
    attribute.writable && !(access && attribute.kind === 'relation' && !mayFollow(access, attribute));
  const within = (attribute: Attribute | undefined, value: unknown): unknown => {
    if (attribute?.kind === 'component')
      return each(value, (item) => withId(item, taken(item, schemaOf(model, attribute.component)!)));
    if (attribute?.kind === 'dynamiczone')
      return each(value, (item) => {
        const of = schemaOf(model, String(item.__component));
        return of ? withId(item, taken(item, of)) : item;
      });
    return value;
  };
  return each(data, (entry) => taken(entry, schema));
}

/** A part of an entry is known by its id. */
const withId = ({ id }: Entry, entry: Entry): Entry => (id === undefined ? entry : { id, ...entry });

/**
 * Filters without empty conditions, as code puts them together: `{ $and: [ctx.query.filters ?? {}, …] }`. Undefined where
 * nothing is left. An empty condition of `$or` is left alone, as it means everything.
 */
export function withoutEmptyFilters(filters: unknown): unknown {
  if (!isPlainObject(filters)) return filters;
  const { $and: all, ...rest } = filters;
  const kept = Array.isArray(all) ? all.map(withoutEmptyFilters).filter((each) => each !== undefined) : all;
  const isEmpty = kept === undefined || (Array.isArray(kept) && kept.length === 0);
  const result = isEmpty ? rest : { ...rest, $and: kept };
  return Object.keys(result).length === 0 ? undefined : result;
}

/** Parameters with such filters. */
export function withMeaningfulFilters(parameters: Entry): Entry {
  if (parameters.filters === undefined) return parameters;
  const { filters, ...rest } = parameters;
  const kept = withoutEmptyFilters(filters);
  return kept === undefined ? rest : { ...rest, filters: kept };
}

/** A query without what it populates and the caller may not find. What is filtered and sorted by is checked elsewhere. */
export function sanitizeQuery(model: Model, schema: Schema, given: Entry, access: FieldAccess): Entry {
  const query = withMeaningfulFilters(given);
  if (query.populate === undefined) return query;
  const populate = populated(model, schema, query.populate, access);
  const { populate: _left, ...rest } = query;
  return populate === undefined ? rest : { ...rest, populate };
}

function populated(model: Model, schema: Schema, value: unknown, access: FieldAccess): unknown {
  if (typeof value === 'string') {
    const names = value.split(',').filter((path) => mayPopulate(model, schema, path.trim().split('.'), access));
    return names.length > 0 ? names.join(',') : undefined;
  }
  if (Array.isArray(value))
    return value.filter((path) => typeof path !== 'string' || mayPopulate(model, schema, path.split('.'), access));
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).filter(([name]) => mayPopulate(model, schema, [name], access));
  return Object.fromEntries(entries.map(([name, inner]) => [name, nested(model, schema, name, { inner, access })]));
}

function mayPopulate(
  model: Model,
  schema: Schema | null,
  [name, ...rest]: readonly string[],
  access: FieldAccess,
): boolean {
  const attribute = name === undefined || !schema ? undefined : schema.attributes.get(name);
  if (!attribute) return true;
  if (attribute.kind === 'relation' && !mayFollow(access, attribute)) return false;
  if (rest.length === 0) return true;
  if (attribute.kind === 'dynamiczone')
    return attribute.components.every(({ uid }) => mayPopulate(model, schemaOf(model, uid), rest, access));
  return mayPopulate(model, targetOf(model, attribute), rest, access);
}

interface Nested {
  readonly inner: unknown;
  readonly access: FieldAccess;
}

function nested(model: Model, schema: Schema, name: string, { inner, access }: Nested): unknown {
  const attribute = schema.attributes.get(name);
  if (!attribute || !isPlainObject(inner)) return inner;
  const target = targetOf(model, attribute);
  if (target) return sanitizeQuery(model, target, inner, access);
  if (!isPlainObject(inner.on)) return inner;
  const on = Object.entries(inner.on).map(([uid, value]) => {
    const of = schemaOf(model, uid);
    return [uid, of && isPlainObject(value) ? sanitizeQuery(model, of, value, access) : value];
  });
  return { ...inner, on: Object.fromEntries(on) };
}
