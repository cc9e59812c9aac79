// What of a body is known: attributes of the type and of its components. Code may name others, which Strapi drops.
import type { Schema } from '../../../model/types.ts';
import { isObject } from '../../../request/grammar.ts';
import type { Schemas } from './schemas.ts';

/** Attributes that a body may name; Strapi drops the others. */
export function knownData(schemas: Schemas, schema: Schema, data: unknown): Record<string, unknown> {
  if (!isObject(data)) return {};
  const entries = Object.entries(data).filter(([key, value]) => value !== undefined && isKnown(schema, key));
  return Object.fromEntries(entries.map(([key, value]) => [key, knownValue(schemas, schema, key, value)]));
}

/** What the server keeps of an entry by itself is no part of what is written. */
const SERVER_KEYS: ReadonlySet<string> = new Set([
  'documentId',
  'createdAt',
  'updatedAt',
  'publishedAt',
  'locale',
  'createdBy',
  'updatedBy',
]);

const isKnown = (schema: Schema, key: string): boolean =>
  schema.attributes.has(key) && (schema.kind === 'component' || (key !== 'id' && !SERVER_KEYS.has(key)));

function knownValue(schemas: Schemas, schema: Schema, key: string, value: unknown): unknown {
  const attribute = schema.attributes.get(key);
  if (attribute?.kind === 'component') {
    const component = schemas.components.get(attribute.component)!;
    const known = (one: unknown): unknown => (isObject(one) ? knownData(schemas, component, one) : one);
    return Array.isArray(value) ? value.map(known) : known(value);
  }
  if (attribute?.kind === 'dynamiczone' && Array.isArray(value))
    return value.map((one) => {
      const component = isObject(one) ? schemas.components.get(String(one.__component)) : undefined;
      return component ? { __component: component.uid, ...knownData(schemas, component, one) } : one;
    });
  return value;
}
