// `strapi.contentAPI`: sanitizing and validating of entries and queries for whoever `auth` stands for.
import type { Model, Schema } from '../../model/types.ts';
import { isParameter } from '../../request/admit-query.ts';
import { isPlainObject } from '../../request/grammar.ts';
import { callerBy } from './code-callers.ts';
import { schemaOf } from './data/schemas.ts';
import { INSTEAD } from './missing-services.ts';
import { notOffered } from './not-offered.ts';
import { validateQuery, withoutForbidden } from './query-rights.ts';
import { type FieldAccess, sanitizeInput, sanitizeOutput, sanitizeQuery } from './sanitize.ts';
import { ValidationError } from './strapi-errors.ts';

/** As code has it: a view of a content-type, or its uid. */
type Given = string | { readonly uid: string };

interface Options {
  readonly auth?: unknown;
  /** Whether parameters that nobody knows are dropped, or refused. */
  readonly strictParams?: boolean;
}

export function contentApi(model: Model) {
  const schema = (given: Given): Schema => {
    const uid = typeof given === 'string' ? given : given.uid;
    const found = schemaOf(model, uid);
    if (!found) throw new ValidationError(`There is no content-type ${uid}`);
    return found;
  };
  const access = ({ auth }: Options = {}): FieldAccess | null => (auth === undefined ? null : accessOf(auth));
  return {
    sanitize: {
      output: async (data: unknown, of: Given, options?: Options) =>
        sanitizeOutput(model, schema(of), data, access(options)),
      input: async (data: unknown, of: Given, options?: Options) =>
        sanitizeInput(model, schema(of), data, access(options)),
      query: async (query: Record<string, unknown>, of: Given, options?: Options) => {
        const dropped = options?.strictParams === true ? unknownParameters(query) : [];
        const kept = Object.fromEntries(Object.entries(query).filter(([key]) => !dropped.includes(key)));
        return sanitizedQuery(model, schema(of), kept, access(options) ?? OPEN);
      },
    },
    validate: {
      input: async (data: unknown, of: Given, options?: Options) =>
        validateInput({ model, access: access(options) }, schema(of), data),
      query: async (query: Record<string, unknown>, of: Given, options?: Options) => {
        const unknown = options?.strictParams === true ? unknownParameters(query) : [];
        for (const key of unknown)
          throw new ValidationError(`Invalid key ${key}`, { key, path: null, source: 'query', param: key });
        validateQuery(model, schema(of), query, access(options) ?? OPEN);
      },
    },
    ...Object.fromEntries(MISSING.map((name) => [name, notOffered(`strapi.contentAPI.${name}`, INSTEAD)])),
  };
}

/** Members of `strapi.contentAPI` that are not offered. */
const MISSING = ['addQueryParams', 'addInputParams', 'applyExtraParamsToRoutes', 'getRoutesMap', 'permissions'];

const unknownParameters = (query: Record<string, unknown>): string[] =>
  Object.keys(query).filter((key) => !isParameter(key));

/** For whom data is looked at. */
interface Viewed {
  readonly model: Model;
  readonly access: FieldAccess | null;
}

/** Refuses what sanitizing would drop, and what is no attribute, also in components. */
export function validateInput(viewed: Viewed, schema: Schema, data: unknown, at: readonly string[] = []): void {
  const { model, access } = viewed;
  for (const entry of [data].flat().filter(isPlainObject)) {
    const kept = sanitizeInput(model, schema, entry, access);
    for (const [key, value] of Object.entries(entry)) {
      // Components are told by it.
      if (at.length > 0 && (key === 'id' || key === '__component')) continue;
      const attribute = schema.attributes.get(key);
      if (!attribute || !Object.hasOwn(kept, key)) throw refusedKey(key, at);
      const place = [...at, key];
      if (attribute.kind === 'component') validateInput(viewed, schemaOf(model, attribute.component)!, value, place);
      if (attribute.kind === 'dynamiczone')
        for (const part of [value].flat().filter(isPlainObject)) {
          const component = schemaOf(model, String(part.__component));
          if (component) validateInput(viewed, component, part, place);
        }
    }
  }
}

function refusedKey(key: string, at: readonly string[]): ValidationError {
  const path = at.length === 0 ? null : at.join('.');
  return new ValidationError(`Invalid key ${key}${path === null ? '' : ` at ${path}`}`, { key, path, source: 'body' });
}

/** What the caller may ask for. */
export const sanitizedQuery: typeof sanitizeQuery = (model, schema, query, access) =>
  sanitizeQuery(model, schema, withoutForbidden(model, schema, query, access), access);

const CLOSED: FieldAccess = { mayFind: () => false, mayUse: () => true };
const OPEN: FieldAccess = { mayFind: () => true, mayUse: () => true };

/** Of a request that nobody was asked to sign, no relation may be seen. */
const accessOf = (auth: unknown): FieldAccess => callerBy(auth)?.access ?? CLOSED;
