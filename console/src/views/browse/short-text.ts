// Long values in few words.
import { isObject } from '../../../../src/type-guards.ts';

const MAX_LENGTH = 80;

/** The beginning of a text on one line. Characters that are made of several are not cut. */
export function shortText(text: string): string {
  const line = text.slice(0, MAX_LENGTH * 4).replace(/\s+/g, ' ');
  const characters = Array.from(line.trim());
  return characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH - 1).join('')}…` : characters.join('');
}

export const shortJson = (value: unknown): string => shortText(JSON.stringify(value));

/** The text of blocks, without their form. */
export function textOfBlocks(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOfBlocks).filter(Boolean).join(' ');
  if (!isObject(value)) return '';
  const { text, children } = value;
  return typeof text === 'string' ? text : textOfBlocks(children);
}
