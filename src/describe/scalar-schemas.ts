// Scalar attributes: how responses show them, what bodies may hold, and what filters compare them with.
import type { ScalarAttribute, ScalarType } from '../model/types.ts';
import { FLAG, type JsonSchema, orNull, TEXT, WHOLE } from './named-schemas.ts';

const INT32 = 2 ** 31;
const DIGITS = '^-?\\d+$';
/** A number as text; what it has to be besides, the server says. */
const NUMERIC = '^\\s*[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?\\s*$';
const WHOLE_TEXT = '^\\s*[+-]?\\d+(?:\\.0*)?\\s*$';
const TIME = '^(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d{1,3})?$';
const DAY = '\\d{4}-\\d\\d-\\d\\d';
/** Longest text in a column of a limited length. */
const STRING_LENGTH = 255;

const BLOCKS: JsonSchema = {
  type: 'array',
  items: { type: 'object', properties: { type: TEXT }, required: ['type'] },
};

/** How a response shows a value. */
const SHOWN: Readonly<Record<Exclude<ScalarType, 'enumeration'>, JsonSchema>> = {
  string: TEXT,
  text: TEXT,
  richtext: TEXT,
  email: TEXT,
  uid: TEXT,
  password: { type: 'null' },
  integer: WHOLE,
  biginteger: { type: 'string', pattern: DIGITS },
  float: { type: 'number' },
  decimal: { type: 'number' },
  boolean: FLAG,
  date: { type: 'string', format: 'date' },
  time: { type: 'string', pattern: '^\\d\\d:\\d\\d:\\d\\d\\.\\d{3}$' },
  datetime: { type: 'string', format: 'date-time' },
  timestamp: { type: 'string', pattern: DIGITS },
  json: {},
  blocks: BLOCKS,
};

/** `isPresent`: whether there is always a value. */
export function shownScalar({ type, rules }: ScalarAttribute, isPresent: boolean): JsonSchema {
  if (type === 'json') return SHOWN.json;
  if (type === 'enumeration') return { enum: [...(rules.enum ?? []), ...(isPresent ? [] : [null])] };
  return isPresent ? SHOWN[type] : orNull(SHOWN[type]);
}

/** How values that are computed of groups are shown. */
export const SHOWN_VALUE: JsonSchema = { type: ['string', 'number', 'boolean', 'null'] };

const bounds = (rules: Readonly<Record<string, unknown>>): JsonSchema =>
  Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== null && value !== undefined));

const least = (...limits: readonly (number | null)[]): number | null => {
  const given = limits.filter((limit) => limit !== null);
  return given.length > 0 ? Math.min(...given) : null;
};

function textSchema({ type, rules, required }: ScalarAttribute, isComplete: boolean): JsonSchema {
  const column = type === 'text' || type === 'richtext' || type === 'password' ? null : STRING_LENGTH;
  const isChecked = isComplete || type === 'password';
  return {
    type: 'string',
    ...bounds({
      maxLength: least(rules.maxLength, column),
      minLength: isChecked ? rules.minLength : null,
      // An empty text is taken where none is required.
      pattern: isComplete && rules.regex !== null ? (required ? rules.regex : `^$|${rules.regex}`) : null,
    }),
    ...(type === 'password' && { writeOnly: true, format: 'password' }),
    ...(type === 'email' && isComplete && { format: 'email' }),
  };
}

const numberBound = (bound: string | number | null): number | null => (bound === null ? null : Number(bound));

/** `isComplete`: whether the rules for published values hold at once, since there are no drafts. */
export function writtenScalar(attribute: ScalarAttribute, isComplete: boolean): JsonSchema {
  const schema = writtenOrNull(attribute, isComplete);
  return isComplete && attribute.required && attribute.visibleWhen === null ? withoutNull(schema) : schema;
}

/** The same without null among its types or values. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (Array.isArray(values)) return { ...schema, enum: values.filter((value) => value !== null) };
  return Array.isArray(type) ? { ...schema, type: type.filter((name) => name !== 'null') } : schema;
}

function writtenOrNull(attribute: ScalarAttribute, isComplete: boolean): JsonSchema {
  const { type, rules } = attribute;
  const minimum = isComplete ? numberBound(rules.min) : null;
  const maximum = numberBound(rules.max);
  switch (type) {
    case 'enumeration':
      return { enum: [...(rules.enum ?? []), null] };
    case 'boolean':
      return { enum: [true, false, 'true', 'false', '1', '0', 1, 0, null] };
    case 'integer':
      return {
        type: ['integer', 'string', 'null'],
        pattern: WHOLE_TEXT,
        minimum: Math.max(minimum ?? -INT32, -INT32),
        maximum: Math.min(maximum ?? INT32 - 1, INT32 - 1),
      };
    case 'float':
    case 'decimal':
      return { type: ['number', 'string', 'null'], pattern: NUMERIC, ...bounds({ minimum, maximum }) };
    case 'biginteger':
      return { type: ['integer', 'string', 'null'], pattern: '^\\s*[+-]?\\d+\\s*$', ...bounds({ minimum, maximum }) };
    case 'date':
      return { type: ['string', 'null'], pattern: `^${DAY}` };
    case 'time':
      return { type: ['string', 'null'], pattern: TIME };
    case 'datetime':
    case 'timestamp':
      return { type: ['string', 'integer', 'null'], pattern: `^(?:${DAY}|[+-]?\\d{1,16}$)` };
    case 'json':
      return {};
    case 'blocks':
      return orNull(BLOCKS);
    default:
      return orNull(textSchema(attribute, isComplete));
  }
}

/** What a text is compared with; a query string has texts only. */
export const ANY_VALUE: JsonSchema = { type: ['string', 'number', 'boolean'] };

/** What types are compared alike, and with what. */
export const COMPARED = {
  Text: ANY_VALUE,
  Number: { type: ['number', 'string'], pattern: NUMERIC },
  Boolean: { enum: [true, false, 'true', 'false', 't', 'f', '1', '0', 1, 0] },
  Date: { type: 'string', pattern: `^(?:${DAY}|now)` },
  Time: { type: 'string', pattern: TIME },
  DateTime: { type: ['string', 'integer'], pattern: `^(?:${DAY}|now|[+-]?\\d{1,16}$)` },
} as const satisfies Readonly<Record<string, JsonSchema>>;

export type ComparedAs = keyof typeof COMPARED;

/** Null for JSON, which has operators of its own. */
export function comparedAs(type: ScalarType): ComparedAs | null {
  switch (type) {
    case 'integer':
    case 'biginteger':
    case 'float':
    case 'decimal':
      return 'Number';
    case 'boolean':
      return 'Boolean';
    case 'date':
      return 'Date';
    case 'time':
      return 'Time';
    case 'datetime':
    case 'timestamp':
      return 'DateTime';
    case 'json':
    case 'blocks':
      return null;
    default:
      return 'Text';
  }
}
