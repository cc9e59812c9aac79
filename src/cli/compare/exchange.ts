// One request and what both servers answered: the unit that `sheaf compare` judges. The request is looked into leniently,
// as Strapi 5 reads it, because it may be one that Sheaf refuses.
import qs from 'qs';
import type { Withheld } from '../../access/withheld.ts';
import { MAX_DEPTH, MAX_PARAMETERS } from '../../limits.ts';
import { USER } from '../../model/builtin.ts';
import type { Attribute, ContentType, Model, Schema } from '../../model/types.ts';
import { isObject } from '../../type-guards.ts';

/** The status of an answer that did not come: the connection failed, or it took too long, or was too large. */
export const NO_ANSWER = 0;

export interface Answer {
  readonly status: number;
  /** What the JSON says; null where there is no body, and the text where it is no JSON or did not come. */
  readonly body: unknown;
}

/** What a path names: the list of a type, one of its entries, or something about users. */
export interface Place {
  readonly type: ContentType;
  readonly form: 'list' | 'entry' | 'count';
  /** The last segment, where it names an entry. */
  readonly entry: string | null;
}

export interface Exchange {
  /** Path and query, as they were sent. */
  readonly target: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** Null where the path names no content of the model, or the model is not known. */
  readonly place: Place | null;
  readonly model: Model | null;
  /** What the project's own code keeps closed, whatever is granted. */
  readonly withheld: Withheld;
  /** The database that both read; null where it is not known. */
  readonly database: 'SQLite' | 'PostgreSQL' | null;
  readonly strapi: Answer;
  readonly sheaf: Answer;
}

/** More than either server takes in one list, so that a list stays one. */
const LENIENT = {
  strictNullHandling: true,
  depth: MAX_DEPTH,
  arrayLimit: MAX_PARAMETERS,
  parameterLimit: MAX_PARAMETERS,
} as const;

export function queryOfTarget(target: string): Readonly<Record<string, unknown>> {
  const mark = target.indexOf('?');
  return mark < 0 ? {} : qs.parse(target.slice(mark + 1), LENIENT);
}

export const pathOfTarget = (target: string): string => target.split('?', 1)[0]!;

export function placeOf(model: Model, prefix: string, target: string): Place | null {
  if (!pathOfTarget(target).toLowerCase().startsWith(`${prefix.toLowerCase()}/`)) return null;
  const [name, entry, ...rest] = pathOfTarget(target)
    .slice(prefix.length)
    .split('/')
    .filter((segment) => segment !== '');
  const lowerName = name?.toLowerCase();
  if (lowerName === undefined || rest.length > 0) return null;
  for (const type of model.contentTypes.values()) {
    if (type.exposure !== 'routes') continue;
    const isSingle = type.kind === 'singleType';
    if (lowerName !== (isSingle ? type.singularName : type.pluralName).toLowerCase()) continue;
    if (isSingle) return entry === undefined ? { type, form: 'entry', entry: null } : null;
    if (entry === undefined) return { type, form: 'list', entry: null };
    return { type, form: type.uid === USER && entry === 'count' ? 'count' : 'entry', entry };
  }
  return null;
}

/** A condition of a filter: the attributes on the way, the operator, and its operand. */
export interface Condition {
  readonly path: readonly string[];
  readonly operator: string;
  readonly value: unknown;
}

const LOGICAL = new Set(['$and', '$or', '$not']);

export function conditionsIn(filters: unknown, path: readonly string[] = []): Condition[] {
  if (Array.isArray(filters) && filters.some(isObject)) return filters.flatMap((item) => conditionsIn(item, path));
  if (!isObject(filters)) return path.length === 0 ? [] : [{ path, operator: '$eq', value: filters }];
  return Object.entries(filters).flatMap(([key, inner]) => {
    if (LOGICAL.has(key)) return conditionsIn(inner, path);
    if (key.startsWith('$')) return [{ path, operator: key, value: inner }];
    return /^\d+$/.test(key) ? conditionsIn(inner, path) : conditionsIn(inner, [...path, key]);
  });
}

/** The places at which a logical operator stands, as `$or` for each of them. */
export function groupsIn(filters: unknown): string[] {
  if (Array.isArray(filters)) return filters.flatMap(groupsIn);
  if (!isObject(filters)) return [];
  // Inside a group places no longer meet one another.
  return Object.entries(filters).flatMap(([key, inner]) => (LOGICAL.has(key) ? [key] : groupsIn(inner)));
}

export const valuesOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** A populated attribute with its options; the path leads there from the entry. */
export interface Populated {
  readonly path: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

export function populatedIn(populate: unknown, path: readonly string[] = []): Populated[] {
  if (typeof populate === 'string')
    return populate.split(',').map((name) => ({ path: [...path, ...name.trim().split('.')], options: {} }));
  if (Array.isArray(populate)) return populate.flatMap((item) => populatedIn(item, path));
  if (!isObject(populate)) return [];
  return Object.entries(populate).flatMap(([name, value]) => {
    const options = isObject(value) ? value : {};
    const at = [...path, name];
    const fragments = isObject(options.on) ? Object.values(options.on) : [];
    return [
      { path: at, options },
      ...populatedIn(options.populate, at),
      ...fragments.flatMap((fragment) => (isObject(fragment) ? populatedIn(fragment.populate, at) : [])),
    ];
  });
}

export interface SortedBy {
  readonly path: readonly string[];
  readonly descending: boolean;
}

export function sortIn(sort: unknown, path: readonly string[] = []): SortedBy[] {
  if (Array.isArray(sort)) return sort.flatMap((item) => sortIn(item, path));
  if (isObject(sort)) return Object.entries(sort).flatMap(([name, inner]) => sortIn(inner, [...path, name]));
  if (typeof sort !== 'string' || sort === '') return [];
  if (path.length > 0) return [{ path, descending: sort.toLowerCase() === 'desc' }];
  return sort.split(',').flatMap((key) => {
    const [name = '', direction = 'asc'] = key.trim().split(':');
    return name === '' ? [] : [{ path: name.split('.'), descending: direction.toLowerCase() === 'desc' }];
  });
}

/** The attributes on the way along a path, as far as the model knows them. */
export function attributesAlong(exchange: Exchange, path: readonly string[]): Attribute[] {
  const found: Attribute[] = [];
  let schemas: Schema[] = exchange.place ? [exchange.place.type] : [];
  for (const name of path) {
    const attribute = schemas.map(({ attributes }) => attributes.get(name)).find((one) => one !== undefined);
    if (!attribute) break;
    found.push(attribute);
    schemas = schemasBehind(exchange.model!, attribute);
  }
  return found;
}

function schemasBehind(model: Model, attribute: Attribute): Schema[] {
  const schema = (uid: string): Schema[] => {
    const one = model.contentTypes.get(uid) ?? model.components.get(uid);
    return one ? [one] : [];
  };
  switch (attribute.kind) {
    case 'scalar':
      return [];
    case 'component':
      return schema(attribute.component);
    case 'dynamiczone':
      return attribute.components.flatMap(({ uid }) => schema(uid));
    case 'morph':
      return attribute.targets.flatMap(({ uid }) => schema(uid));
    default:
      return schema(attribute.target);
  }
}

/** The types that relations on a path lead to. */
export const typesAlong = (exchange: Exchange, path: readonly string[]): ContentType[] =>
  attributesAlong(exchange, path).flatMap((attribute) =>
    attribute.kind === 'relation' || attribute.kind === 'localizations'
      ? (exchange.model!.contentTypes.get(attribute.target) ?? [])
      : [],
  );
