// Names of tables and columns as Strapi 5 makes them, long ones shortened the same way, so that an existing
// database is found again. A change here loses data for adopters; the tests pin the outputs.
import { createHash } from 'node:crypto';
import { MAX_IDENTIFIER_LENGTH } from '../limits.ts';

/** Letters of Latin-1 and Latin Extended-A whose base letter is no part of their decomposition, each before it. */
const BASE_LETTERS: ReadonlyMap<string, string> = new Map(
  'ÆAe æae ŒOe œoe ĲIJ ĳij ÞTh þth ßss ſs ıi ĸk ŉn ÐD ðd ĐD đd ĦH ħh ĿL ŀl ŁL łl ŊN ŋn ØO øo ŦT ŧt'
    .split(' ')
    .map((pair) => [pair[0]!, pair.slice(1)]),
);

/** As nearly all names are: there is nothing to take away. */
const PLAIN = /^[0-9A-Za-z_-]*$/;

/** `größe` → `grosse`. Letters of other alphabets stay as they are. */
const withoutAccents = (name: string): string =>
  PLAIN.test(name)
    ? name
    : name
        .replace(/[À-ÖØ-öø-ſ]/g, (letter) => BASE_LETTERS.get(letter) ?? letter.normalize('NFD')[0]!)
        .replace(/[\u0300-\u036f\u20d0-\u20ff\ufe20-\ufe2f'’]/g, '');

/** What stands between words: ASCII and Latin-1 that is neither letter nor digit, punctuation, spaces. */
const BREAK = String.raw`\x00-\x2f\x3a-\x40\x5b-\x60\x7b-\xbf×÷\u1680\u180e\u2000-\u206f\u3000\ufeff`;
/** Letters of other alphabets are neither small nor capital, or both. */
const OTHER = String.raw`[^0-9A-Za-z${BREAK}\u2700-\u27bf\ud800-\udfff]`;
const WORDS = new RegExp(
  [
    `[A-Z]?[a-z]+(?=[${BREAK}A-Z]|$)`,
    `(?:[A-Z]|${OTHER})+(?=[${BREAK}]|[A-Z](?:[a-z]|${OTHER})|$)`,
    `[A-Z]?(?:[a-z]|${OTHER})+`,
    '[A-Z]+',
    String.raw`\d*(?:1ST|2ND|3RD|(?![123])\dTH)(?=[a-z_]|\b)`,
    String.raw`\d*(?:1st|2nd|3rd|(?![123])\dth)(?=[A-Z_]|\b)`,
    String.raw`\d+`,
    String.raw`(?:[\u2700-\u27bf]|[\ud800-\udbff][\udc00-\udfff])[\ufe0e\ufe0f]?`,
  ].join('|'),
  'g',
);

/** `averagePrice` → `average_price`, `pw2` → `pw_2`, `HTMLBody` → `html_body`, `título` → `titulo`, `名前` → `名前`. */
export const snakeCase = (name: string): string => (withoutAccents(name).match(WORDS) ?? []).join('_').toLowerCase();

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
/** Of the name as the definition has it: cut once, and not after the table was. */
export const componentTableName = (collectionName: string): string => identifier([collectionName], 'cmps');
export const idColumnName = (singularName: string): string => identifier([snakeCase(singularName)], 'id');
export const inverseIdColumnName = (singularName: string): string => identifier([snakeCase(singularName)], 'id', 'inv');
export const orderColumnName = (singularName: string): string => identifier([snakeCase(singularName)], 'ord');
export const inverseOrderColumnName = (singularName: string): string =>
  identifier([snakeCase(singularName)], 'ord', 'inv');
export const typeColumnName = (attribute: string): string => identifier([snakeCase(attribute)], 'type');
