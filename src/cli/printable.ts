// Text for a terminal. Names that anyone may have given, such as those of users, can contain characters that a terminal
// obeys: they move the cursor, ring, hide text or turn its direction. These are written as escapes.

/** Control characters, line separators, and those that turn the direction of text. */
const OBEYED = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A stored value as a part of a line. */
export const printable = (value: unknown): string => String(value).replace(OBEYED, escaped);

/** Whole lines, which may end and be indented. */
export const printableLines = (text: string): string =>
  text.replace(OBEYED, (character) => (character === '\n' || character === '\t' ? character : escaped(character)));
