// An object with its keys in order, and those of all objects in it, so that a comparison of two shows what differs. Lists
// stay as they are.
export function sortedKeys(value: object): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  entries.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortedInside(inner)]));
}

function sortedInside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedInside);
  return typeof value === 'object' && value !== null ? sortedKeys(value) : value;
}
