// A key for parameters that are JSON: the same for the same parameters, and for no others. What is more than JSON, such as
// a key without a value, has none: `JSON.stringify` would leave it out, and two different reads would be taken for one.

/** Deeper parameters are refused anyway. */
const MAX_KEY_DEPTH = 100;

/** Null where a value is no JSON. */
export function jsonKey(value: unknown, depth = 0): string | null {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0) ? String(value) : null;
    case 'object':
      if (value === null) return 'null';
      return depth > MAX_KEY_DEPTH ? null : Array.isArray(value) ? listKey(value, depth) : objectKey(value, depth);
    default:
      return null;
  }
}

function listKey(list: readonly unknown[], depth: number): string | null {
  let text = '[';
  // A list with holes has no key.
  for (let index = 0; index < list.length; index++) {
    const item = jsonKey(list[index], depth + 1);
    if (item === null) return null;
    text += `${item},`;
  }
  return `${text}]`;
}

function objectKey(value: object, depth: number): string | null {
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return null;
  let text = '{';
  for (const [name, member] of Object.entries(value)) {
    const part = jsonKey(member, depth + 1);
    if (part === null) return null;
    text += `${JSON.stringify(name)}:${part},`;
  }
  return `${text}}`;
}
