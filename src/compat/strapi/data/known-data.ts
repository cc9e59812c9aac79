// What of a body is known: attributes of the type and of its components, and of an entry that a relation is given, what
// names it. Code may name others, which Strapi drops.
import type { Attribute, Schema } from '../../../model/types.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import type { Schemas } from './schemas.ts';

/** By which of its two ids Strapi knows an entry that a relation is given: documents by theirs, rows by that of the row. */
export type KnownBy = 'documentId' | 'id';

/** Attributes that a body may name; Strapi drops the others. */
export function knownData(
  schemas: Schemas,
  schema: Schema,
  data: unknown,
  by: KnownBy = 'documentId',
): Record<string, unknown> {
  if (!isPlainObject(data)) return {};
  const entries = Object.entries(data).filter(([key, value]) => value !== undefined && isKnown(schema, key));
  const known = (attribute: Attribute, value: unknown): unknown => knownValue(schemas, attribute, value, by);
  return Object.fromEntries(entries.map(([key, value]) => [key, known(schema.attributes.get(key)!, value)]));
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
  'localizations',
]);

const isKnown = (schema: Schema, key: string): boolean =>
  schema.attributes.has(key) && (schema.kind === 'component' || (key !== 'id' && !SERVER_KEYS.has(key)));

function knownValue(schemas: Schemas, attribute: Attribute, value: unknown, by: KnownBy): unknown {
  switch (attribute.kind) {
    case 'relation':
    case 'morph':
    case 'media':
      return knownTargets(value, by);
    case 'component': {
      const component = schemas.components.get(attribute.component)!;
      return each(value, (one) => (isPlainObject(one) ? knownData(schemas, component, one, by) : one));
    }
    case 'dynamiczone':
      return Array.isArray(value) ? value.map((one) => knownPart(schemas, one, by)) : value;
    default:
      return value;
  }
}

function knownPart(schemas: Schemas, part: unknown, by: KnownBy): unknown {
  const component = isPlainObject(part) ? schemas.components.get(String(part.__component)) : undefined;
  return component ? { __component: component.uid, ...knownData(schemas, component, part, by) } : part;
}

const each = (value: unknown, map: (one: unknown) => unknown): unknown =>
  Array.isArray(value) ? value.map(map) : map(value);

const OPERATIONS = ['connect', 'disconnect', 'set'];
const STATUSES: ReadonlySet<unknown> = new Set(['draft', 'published']);
const DIGITS = /^\d+$/;

function knownTargets(value: unknown, by: KnownBy): unknown {
  const isOperation = isPlainObject(value) && !('documentId' in value) && OPERATIONS.some((name) => name in value);
  if (!isOperation) return each(value, (one) => knownTarget(one, by));
  return Object.fromEntries(
    Object.entries(value).map(([name, given]) => [
      name,
      OPERATIONS.includes(name) ? each(given, (one) => knownTarget(one, by)) : given,
    ]),
  );
}

/** An entry may be given whole, as it was read. Text of digits is the id of a row. */
function knownTarget(given: unknown, by: KnownBy): unknown {
  if (typeof given === 'string' && DIGITS.test(given)) return Number(given);
  if (!isPlainObject(given)) return given;
  const { documentId, id, locale, status, __type, position } = given;
  // What names nothing is refused as it is.
  if (documentId === undefined && id === undefined) return given;
  const isById = id !== undefined && (by === 'id' || documentId === undefined);
  const others = {
    locale: typeof locale === 'string' ? locale : undefined,
    // It may have an attribute of that name, with values of its own.
    status: STATUSES.has(status) ? status : undefined,
    __type,
    position: isPlainObject(position) ? position : undefined,
  };
  const named = Object.entries({ ...(isById ? { id } : { documentId }), ...others });
  return Object.fromEntries(named.filter(([, value]) => value !== undefined));
}
