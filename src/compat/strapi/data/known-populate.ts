// A `populate` of code as a read takes it: Strapi knows `start` and `limit` beside the other options. Of rows it drops
// names that are no attributes, which documents refuse.
import type { Schema } from '../../../model/types.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import { conditionsOfCode } from './code-conditions.ts';
import { type Schemas, schemaOf, targetOf } from './schemas.ts';

type Options = Readonly<Record<string, unknown>>;
type Names = 'all' | 'known';

/** For documents: whoever reads it is told of names that are no attributes. */
export const pagedPopulate = (schemas: Schemas, schema: Schema, populate: unknown): unknown =>
  new PopulateOfCode(schemas, 'all').of(schema, populate);

/** For rows: without names that are no attributes. */
export const knownPopulate = (schemas: Schemas, schema: Schema, populate: unknown): unknown =>
  new PopulateOfCode(schemas, 'known').of(schema, populate);

class PopulateOfCode {
  readonly #schemas: Schemas;
  readonly #names: Names;

  constructor(schemas: Schemas, names: Names) {
    this.#schemas = schemas;
    this.#names = names;
  }

  of(schema: Schema, populate: unknown): unknown {
    if (typeof populate === 'string') return populate === '*' ? populate : this.#paths(schema, populate.split(','));
    if (Array.isArray(populate))
      return populate.every((one) => typeof one === 'string') ? this.#paths(schema, populate) : populate;
    if (!isPlainObject(populate)) return populate;
    const entries = Object.entries(populate).filter(([name]) => this.#names === 'all' || schema.attributes.has(name));
    return Object.fromEntries(entries.map(([name, options]) => [name, this.#options(schema, name, options)]));
  }

  #paths(schema: Schema, names: readonly string[]): string[] {
    const paths = names.map((name) => name.trim()).filter((name) => name !== '');
    return this.#names === 'all' ? paths : paths.flatMap((path) => this.#knownPath(schema, path));
  }

  /** As far as a path leads to attributes; none where its first name is not one. */
  #knownPath(schema: Schema, path: string): string[] {
    const [name = '', ...rest] = path.split('.');
    const attribute = schema.attributes.get(name);
    if (name === '*') return [path];
    if (!attribute) return [];
    const target = targetOf(this.#schemas, attribute);
    if (rest.length === 0 || !target) return [path];
    const [known] = this.#knownPath(target, rest.join('.'));
    return [known === undefined ? name : `${name}.${known}`];
  }

  #options(schema: Schema, name: string, options: unknown): unknown {
    const attribute = schema.attributes.get(name);
    if (!attribute || !isPlainObject(options)) return options;
    const target = targetOf(this.#schemas, attribute);
    const { start, limit, on, ...rest } = options;
    const page = { ...(isCount(start) && { start }), ...(isCount(limit) && { limit }) };
    return {
      ...rest,
      ...(Object.keys(page).length > 0 && { pagination: page }),
      ...(target && rest.filters !== undefined && { filters: conditionsOfCode(this.#schemas, target, rest.filters) }),
      ...(target && rest.populate !== undefined && { populate: this.of(target, rest.populate) }),
      ...(on !== undefined && { on: isPlainObject(on) ? this.#fragments(on) : on }),
    };
  }

  #fragments(on: Options): Options {
    const entries = Object.entries(on).map(([uid, options]) => {
      const schema = schemaOf(this.#schemas, uid);
      if (!schema || !isPlainObject(options) || options.populate === undefined) return [uid, options];
      return [uid, { ...options, populate: this.of(schema, options.populate) }];
    });
    return Object.fromEntries(entries);
  }
}

/** A negative number is no limit. */
const isCount = (value: unknown): boolean => value !== undefined && value !== null && !(Number(value) < 0);
