// Conditions of code, as Strapi 5 takes them: ids of rows are compared with any text, which is the id of none where it is
// no number, and text that is not given is empty.
import type { Attribute, ScalarType, Schema } from '../../../model/types.ts';
import { isPlainObject } from '../../../request/grammar.ts';
import { isNumeric } from '../../../request/scalars.ts';
import { type Schemas, targetOf } from './schemas.ts';

const GROUPS: ReadonlySet<string> = new Set(['$and', '$or', '$not']);
const EQUALITIES: ReadonlySet<string> = new Set(['$eq', '$ne', '$in', '$notIn']);
const NO_ROW = 0;

const TEXTS: ReadonlySet<ScalarType> = new Set([
  'string',
  'text',
  'richtext',
  'email',
  'password',
  'uid',
  'enumeration',
]);

export const isText = (attribute: Attribute | undefined): boolean =>
  attribute?.kind === 'scalar' && TEXTS.has(attribute.type);

/** Conditions on a type, or a list of them. What is none is left to whoever reads them. */
export function conditionsOfCode(schemas: Schemas, schema: Schema, given: unknown): unknown {
  if (Array.isArray(given)) return given.map((one) => conditionsOfCode(schemas, schema, one));
  if (!isPlainObject(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([key, value]) => [key, conditionOn(schemas, schema, key, value)]),
  );
}

function conditionOn(schemas: Schemas, schema: Schema, key: string, value: unknown): unknown {
  if (GROUPS.has(key)) return conditionsOfCode(schemas, schema, value);
  const attribute = schema.attributes.get(key);
  if (!attribute) return value;
  if (isText(attribute)) return givenText(value);
  if (key === 'id') return knownIds(value);
  const target = targetOf(schemas, attribute);
  if (!target) return value;
  const isOfIds = !isPlainObject(value) || Object.keys(value).some((name) => EQUALITIES.has(name));
  return isOfIds ? knownIds(value) : conditionsOfCode(schemas, target, value);
}

function givenText(value: unknown): unknown {
  if (value === undefined) return '';
  return isPlainObject(value) && '$eq' in value && value.$eq === undefined ? { ...value, $eq: '' } : value;
}

function knownIds(value: unknown): unknown {
  if (typeof value === 'string') return isNumeric(value) ? value : NO_ROW;
  if (Array.isArray(value)) return value.map(knownIds);
  if (!isPlainObject(value)) return value;
  const isKnown = (name: string): boolean => EQUALITIES.has(name) || GROUPS.has(name);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, isKnown(name) ? knownIds(one) : one]));
}
