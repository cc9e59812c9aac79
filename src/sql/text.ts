// What string and JSON comparison mean, for the values we bind and for the functions that databases call: case is
// ignored for all of Unicode, and JSON is equal as a value.

/** Lower case, with the two small forms of sigma taken for one, so that a letter's place in a word does not matter. */
export const fold = (text: string): string => text.toLowerCase().replaceAll('ς', 'σ');

export const isAscii = (text: string): boolean => {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) return false;
  return true;
};

/** Characters as databases count them. */
export const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

/** The same text for equal JSON values, whatever their spacing and key order; text that is no JSON is a string. */
export function canonicalJson(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return JSON.stringify(text);
  }
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
