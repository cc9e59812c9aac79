// Cursors of pages: what is written into one, and how it is read. To clients a cursor is a string without meaning.
import { invalidCursor, limitExceeded } from '../errors.ts';
import { ADJUSTABLE_LIMITS, MAX_CURSOR_LENGTH } from '../limits.ts';
import { isPlainObject } from './grammar.ts';
import type { Slots } from './parse-filters.ts';
import type { CursorPlace, CursorShape } from './read-request.ts';

export type CursorValue = string | number | null;

export interface Cursor extends Pick<CursorPlace, 'digest' | 'backward'> {
  /** Of the sort keys of a row, the last being its id. */
  readonly values: readonly CursorValue[];
}

export function writeCursor({ digest, backward, values }: Cursor): string {
  const text = Buffer.from(JSON.stringify([digest, backward ? 1 : 0, ...values])).toString('base64url');
  checkLength(text);
  return text;
}

function checkLength(text: string): void {
  if (text.length > MAX_CURSOR_LENGTH)
    throw limitExceeded('MAX_CURSOR_LENGTH', MAX_CURSOR_LENGTH, 'characters in a cursor', { param: 'pagination' });
}

/** The cursor among the parameters of pagination; null where there is none. */
export function parseCursor(pagination: unknown, slots: Slots, withCount: boolean): CursorShape | null {
  if (!isPlainObject(pagination) || !Object.hasOwn(pagination, 'cursor')) return null;
  const { cursor } = pagination;
  if (cursor === '') return { place: null, withCount };
  if (typeof cursor !== 'string') throw invalidCursor('a cursor, or an empty string for the first page');
  checkLength(cursor);
  const { digest, backward, values } = readCursor(cursor);
  const place = { digest, backward, slots: values.map((value) => (value === null ? null : slots.put(value))) };
  return { place, withCount };
}

function readCursor(text: string): Cursor {
  const [digest, backward, ...values] = listOf(text);
  const isCursor =
    typeof digest === 'string' &&
    (backward === 0 || backward === 1) &&
    values.length <= ADJUSTABLE_LIMITS.sortKeys.most + 1 &&
    values.every((value) => value === null || typeof value === 'string' || typeof value === 'number');
  if (!isCursor) throw notOurs();
  return { digest, backward: backward === 1, values };
}

function listOf(text: string): readonly unknown[] {
  if (!/^[\w-]+$/.test(text)) throw notOurs();
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (Array.isArray(value)) return value;
  } catch {
    // Told below, as anything else that is none of ours.
  }
  throw notOurs();
}

const notOurs = (): Error => invalidCursor('a cursor that a list responded with');
