// What of a `populate` of code is known: Strapi drops names that are no attributes, and takes `start` and `limit` beside
// the other options.
import type { Schema } from '../../../model/types.ts';
import { isObject } from '../../../request/grammar.ts';
import { type Schemas, schemaOf, targetOf } from './schemas.ts';

type Options = Readonly<Record<string, unknown>>;

export function knownPopulate(schemas: Schemas, schema: Schema, populate: unknown): unknown {
  const paths = (names: readonly string[]): string[] =>
    names.flatMap((name) => knownPath(schemas, schema, name.trim()));
  if (typeof populate === 'string') return populate === '*' ? populate : paths(populate.split(','));
  if (Array.isArray(populate)) return populate.every((one) => typeof one === 'string') ? paths(populate) : populate;
  if (!isObject(populate)) return populate;
  const known = Object.entries(populate).filter(([name]) => schema.attributes.has(name));
  return Object.fromEntries(known.map(([name, options]) => [name, knownOptions(schemas, schema, name, options)]));
}

/** As far as a path leads to attributes; none where its first name is not one. */
function knownPath(schemas: Schemas, schema: Schema, path: string): string[] {
  const [name = '', ...rest] = path.split('.');
  const attribute = schema.attributes.get(name);
  if (name === '*') return [path];
  if (!attribute) return [];
  const target = targetOf(schemas, attribute);
  if (rest.length === 0 || !target) return [path];
  const [known] = knownPath(schemas, target, rest.join('.'));
  return [known === undefined ? name : `${name}.${known}`];
}

function knownOptions(schemas: Schemas, schema: Schema, name: string, options: unknown): unknown {
  if (!isObject(options)) return options;
  const target = targetOf(schemas, schema.attributes.get(name)!);
  const { start, limit, on, ...rest } = options;
  const page = { ...(isCount(start) && { start }), ...(isCount(limit) && { limit }) };
  return {
    ...rest,
    ...(Object.keys(page).length > 0 && { pagination: page }),
    ...(target && rest.populate !== undefined && { populate: knownPopulate(schemas, target, rest.populate) }),
    ...(on !== undefined && { on: isObject(on) ? knownFragments(schemas, on) : on }),
  };
}

/** A negative number is no limit. */
const isCount = (value: unknown): boolean => value !== undefined && value !== null && !(Number(value) < 0);

const knownFragments = (schemas: Schemas, on: Options): Options =>
  Object.fromEntries(
    Object.entries(on).map(([uid, options]) => {
      const schema = schemaOf(schemas, uid);
      if (!schema || !isObject(options) || options.populate === undefined) return [uid, options];
      return [uid, { ...options, populate: knownPopulate(schemas, schema, options.populate) }];
    }),
  );
