// Conditions under which an attribute is shown in a form: JSON-Logic over the values of its entry. The rules of a
// hidden attribute do not apply.
import type { Attribute, ScalarAttribute, Schema } from '../../model/types.ts';
import { isObject } from '../../type-guards.ts';
import { isIgnoredKey } from './changes.ts';

type Data = Readonly<Record<string, unknown>>;

/** Whether the condition holds; one that uses an operation we do not know counts as met, so that rules stay in force. */
export function holds(condition: unknown, data: Data): boolean {
  const value = evaluate(condition, data);
  return value === UNKNOWN || Boolean(value);
}

const UNKNOWN = Symbol('not known');

/** Names of the attributes that a condition asks for. */
export function variablesOf(condition: unknown): string[] {
  if (!isObject(condition)) return [];
  const [operation, operand] = Object.entries(condition)[0] ?? [];
  const list = Array.isArray(operand) ? operand : [operand];
  return operation === 'var' ? [String(list[0])] : list.flatMap(variablesOf);
}

/**
 * Whether an attribute is shown. `valueIn`: what the entry or component will hold, as the API shows it. Only attributes
 * with one value that bodies can hold are known before and after a row is stored; others count as unknown operations do.
 */
export function isShown(
  schema: Schema,
  { visibleWhen }: Pick<Attribute, 'visibleWhen'>,
  valueIn: (attribute: ScalarAttribute) => unknown,
): boolean {
  if (visibleWhen === null) return true;
  const values = variablesOf(visibleWhen).map((name) => {
    const attribute = schema.attributes.get(name);
    if (!attribute) return [name, null];
    return [name, attribute.kind === 'scalar' && isInBodies(schema, attribute) ? valueIn(attribute) : UNKNOWN];
  });
  return holds(visibleWhen, Object.fromEntries(values));
}

const isInBodies = (schema: Schema, { name, writable }: ScalarAttribute): boolean =>
  writable && !isIgnoredKey(schema, name);

/**
 * A value as JavaScript orders it, where null is 0. Undefined for what has no order: what an entry holds has not been
 * checked yet, and an object may not even have a string for itself.
 */
function orderedOf(value: unknown): string | number | bigint | boolean | undefined {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'bigint':
    case 'boolean':
      return value;
    default:
      return value === null ? 0 : undefined;
  }
}

function evaluate(logic: unknown, data: Data): unknown {
  if (!isObject(logic)) return logic;
  const [operation, operand] = Object.entries(logic)[0] ?? [];
  const list = Array.isArray(operand) ? operand : [operand];
  if (operation === 'var') return data[String(list[0])] ?? null;
  const values = list.map((item) => evaluate(item, data));
  if (values.includes(UNKNOWN)) return UNKNOWN;
  const [left, right] = values;
  const one = orderedOf(left);
  const other = orderedOf(right);
  const areOrdered = one !== undefined && other !== undefined;
  switch (operation) {
    case '==':
    case '===':
      return left === right;
    case '!=':
    case '!==':
      return left !== right;
    case '<':
      return areOrdered && one < other;
    case '<=':
      return areOrdered && one <= other;
    case '>':
      return areOrdered && one > other;
    case '>=':
      return areOrdered && one >= other;
    case 'and':
      return values.every(Boolean);
    case 'or':
      return values.some(Boolean);
    case '!':
      return !left;
    case '!!':
      return Boolean(left);
    case 'in':
      if (Array.isArray(right)) return right.includes(left);
      return typeof right === 'string' && areOrdered && right.includes(String(left));
    default:
      return UNKNOWN;
  }
}
