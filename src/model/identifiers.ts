// Names of tables and columns as Strapi 5 makes them, long ones shortened the same way, so that an existing
// database is found again. A change here loses data for adopters; the tests pin the outputs.
import { createHash } from 'node:crypto';
import { MAX_IDENTIFIER_LENGTH } from '../limits.ts';

const WORDS =
  /[A-Z]?[a-z]+(?=[^a-zA-Z0-9]|[A-Z]|$)|[A-Z]+(?=[^a-zA-Z0-9]|[A-Z][a-z]|$)|[A-Z]?[a-z]+|[A-Z]+|\d*(?:1ST|2ND|3RD|(?![123])\dTH)(?=[a-z_]|\b)|\d*(?:1st|2nd|3rd|(?![123])\dth)(?=[A-Z_]|\b)|\d+/g;

/** `averagePrice` → `average_price`, `pw2` → `pw_2`, `HTMLBody` → `html_body`. */
export const snakeCase = (name: string): string => (name.match(WORDS) ?? []).join('_').toLowerCase();

const HASH_LENGTH = 5;
const SHORTEST_CUT = HASH_LENGTH + 3;

function cut(part: string, length: number): string {
  if (part.length <= length) return part;
  const hash = createHash('shake256', { outputLength: Math.ceil(HASH_LENGTH / 2) })
    .update(part)
    .digest('hex')
    .slice(0, HASH_LENGTH);
  return part.slice(0, length - HASH_LENGTH) + hash;
}

/**
 * Joins the parts with `_`. Past the longest name allowed, the room left beside prefix and suffix is shared evenly;
 * what short parts leave over goes to the long ones a character at a time, left to right.
 */
export function identifier(parts: readonly string[], suffix?: string, prefix?: string): string {
  const fixed = [prefix, suffix].filter((part) => part !== undefined);
  const join = (middle: readonly string[]) =>
    [prefix, ...middle, suffix].filter((part) => part !== undefined).join('_');
  const full = join(parts);
  if (full.length <= MAX_IDENTIFIER_LENGTH) return full;

  const separators = parts.length + fixed.length - 1;
  const room = MAX_IDENTIFIER_LENGTH - separators - fixed.reduce((sum, part) => sum + part.length, 0);
  const share = Math.floor(room / parts.length);
  if (share < SHORTEST_CUT)
    throw new Error(`the name ${full} cannot be shortened to ${MAX_IDENTIFIER_LENGTH} characters`);
  let spare = room % parts.length;
  const lengths = parts.map((part) => {
    if (part.length >= share) return share;
    spare += share - part.length;
    return part.length;
  });
  for (let given = true; spare > 0 && given; ) {
    given = false;
    for (const [index, part] of parts.entries()) {
      if (spare > 0 && lengths[index]! >= share && lengths[index]! < part.length) {
        lengths[index]!++;
        spare--;
        given = true;
      }
    }
  }
  return join(parts.map((part, index) => cut(part, lengths[index]!)));
}

export const columnName = (attribute: string): string => identifier([snakeCase(attribute)]);
export const joinTableName = (table: string, attribute: string): string =>
  identifier([snakeCase(table), snakeCase(attribute)], 'lnk');
export const morphTableName = (table: string, attribute: string): string =>
  identifier([snakeCase(table), snakeCase(attribute)], 'mph');
export const componentTableName = (table: string): string => identifier([table], 'cmps');
export const idColumnName = (singularName: string): string => identifier([snakeCase(singularName)], 'id');
export const inverseIdColumnName = (singularName: string): string => identifier([snakeCase(singularName)], 'id', 'inv');
export const orderColumnName = (singularName: string): string => identifier([snakeCase(singularName)], 'ord');
export const inverseOrderColumnName = (singularName: string): string =>
  identifier([snakeCase(singularName)], 'ord', 'inv');
export const typeColumnName = (attribute: string): string => identifier([snakeCase(attribute)], 'type');
