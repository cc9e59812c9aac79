// Conditions under which an attribute is shown in a form: JSON-Logic over the values of its entry. The rules of a
// hidden attribute do not apply.

type Data = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether the condition holds; one that uses an operation we do not know counts as met, so that rules stay in force. */
export function holds(condition: unknown, data: Data): boolean {
  const value = evaluate(condition, data);
  return value === UNKNOWN || Boolean(value);
}

const UNKNOWN = Symbol('unknown operation');

function evaluate(logic: unknown, data: Data): unknown {
  if (!isObject(logic)) return logic;
  const [operation, operand] = Object.entries(logic)[0] ?? [];
  const list = Array.isArray(operand) ? operand : [operand];
  if (operation === 'var') return data[String(list[0])] ?? null;
  const values = list.map((item) => evaluate(item, data));
  if (values.includes(UNKNOWN)) return UNKNOWN;
  const [left, right] = values;
  // What an entry holds has not been checked yet; an object may not even have a string for itself.
  const isOrdered = typeof (left ?? 0) !== 'object' && typeof (right ?? 0) !== 'object';
  switch (operation) {
    case '==':
    case '===':
      return left === right;
    case '!=':
    case '!==':
      return left !== right;
    case '<':
      return isOrdered && (left as number) < (right as number);
    case '<=':
      return isOrdered && (left as number) <= (right as number);
    case '>':
      return isOrdered && (left as number) > (right as number);
    case '>=':
      return isOrdered && (left as number) >= (right as number);
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
      return typeof right === 'string' && isOrdered && right.includes(left as string);
    default:
      return UNKNOWN;
  }
}
