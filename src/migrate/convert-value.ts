// A value of one scalar type as a value of another: what it becomes, or why it cannot be one. Values are taken as the
// database returns them and given as the body of a write would hold them, so that the rules of writing decide.
import type { ScalarAttribute, ScalarType } from '../model/types.ts';
import { type Checked, readValue } from '../plan/write/values.ts';
import { isObject } from '../type-guards.ts';

const TEXTS: ReadonlySet<ScalarType> = new Set(['string', 'text', 'richtext', 'email', 'uid', 'enumeration']);
const NUMBERS: ReadonlySet<ScalarType> = new Set(['integer', 'float', 'decimal', 'biginteger']);
const INSTANTS: ReadonlySet<ScalarType> = new Set(['datetime', 'timestamp']);
const DOCUMENTS: ReadonlySet<ScalarType> = new Set(['json', 'blocks']);
/** PostgreSQL keeps eight digits before the point of a decimal. */
const LARGEST_DECIMAL = 99_999_999.99;

/** Changes that leave every value as it is, or lose nothing of it. */
const LOSSLESS: Readonly<Partial<Record<ScalarType, readonly ScalarType[]>>> = {
  string: ['text', 'richtext', 'email', 'uid'],
  email: ['string', 'text', 'richtext', 'uid'],
  uid: ['string', 'text', 'richtext', 'email'],
  enumeration: ['string', 'text', 'richtext', 'email', 'uid'],
  text: ['richtext'],
  richtext: ['text'],
  integer: ['biginteger', 'float'],
  datetime: ['timestamp'],
  timestamp: ['datetime'],
  blocks: ['json'],
};

/** Whether an attribute can take every value of another without changing it. */
export const isLossless = (from: ScalarAttribute, to: ScalarAttribute): boolean =>
  LOSSLESS[from.type]?.includes(to.type) ?? false;

const NOT_KEPT: Checked = { problem: 'passwords are not shown, and nothing else is kept as a password' };

export function convertValue(from: ScalarAttribute, to: ScalarAttribute, stored: unknown): Checked {
  if (stored === null) return { value: null };
  if (from.type === 'password' || to.type === 'password')
    return from.type === to.type ? { value: String(stored) } : NOT_KEPT;
  const given = givenAs(to.type, from.type, stored);
  if (given === undefined) return { problem: `is no ${to.type}` };
  if (to.type === 'decimal' && Math.abs(Number(given)) > LARGEST_DECIMAL)
    return { problem: 'has more digits than a decimal keeps' };
  return readValue(to, given);
}

/** Undefined where there is no way from one type to the other. */
function givenAs(to: ScalarType, from: ScalarType, stored: unknown): unknown {
  if (from === to) return DOCUMENTS.has(from) ? parsed(stored) : stored;
  if (TEXTS.has(to)) return textOf(from, stored);
  // What is stored is exact, however large.
  if (to === 'biginteger' && NUMBERS.has(from) && Number.isInteger(stored)) return BigInt(Number(stored));
  if (NUMBERS.has(to)) return numberOf(from, stored);
  if (to === 'boolean') return TEXTS.has(from) || NUMBERS.has(from) ? String(stored) : undefined;
  if (INSTANTS.has(to)) return instantOf(from, stored);
  if (to === 'date' || to === 'time') return partOfInstant(to, from, stored);
  return documentOf(to, from, stored);
}

const parsed = (stored: unknown): unknown => JSON.parse(String(stored));
const isTrue = (stored: unknown): boolean => stored === true || Number(stored) === 1;

function textOf(from: ScalarType, stored: unknown): string | undefined {
  if (from === 'boolean') return String(isTrue(stored));
  if (INSTANTS.has(from)) return new Date(Number(stored)).toISOString();
  if (from === 'blocks') return plainText(parsed(stored)).join('\n');
  if (from !== 'json') return String(stored);
  const value = parsed(stored);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function numberOf(from: ScalarType, stored: unknown): unknown {
  if (from === 'boolean') return isTrue(stored) ? 1 : 0;
  if (from === 'json') return parsed(stored);
  return TEXTS.has(from) || NUMBERS.has(from) ? (typeof stored === 'string' ? stored.trim() : stored) : undefined;
}

function instantOf(from: ScalarType, stored: unknown): unknown {
  if (INSTANTS.has(from)) return Number(stored);
  if (from === 'date') return `${stored}T00:00:00.000Z`;
  return TEXTS.has(from) ? stored : undefined;
}

function partOfInstant(to: 'date' | 'time', from: ScalarType, stored: unknown): unknown {
  if (TEXTS.has(from)) return stored;
  if (!INSTANTS.has(from)) return undefined;
  const text = new Date(Number(stored)).toISOString();
  return to === 'date' ? text.slice(0, 10) : text.slice(11, 23);
}

function documentOf(to: ScalarType, from: ScalarType, stored: unknown): unknown {
  if (DOCUMENTS.has(from)) return parsed(stored);
  if (to === 'blocks') return TEXTS.has(from) ? paragraphs(String(stored)) : undefined;
  if (from === 'boolean') return isTrue(stored);
  if (INSTANTS.has(from)) return new Date(Number(stored)).toISOString();
  if (!TEXTS.has(from)) return from === 'biginteger' ? String(stored) : stored;
  try {
    return JSON.parse(String(stored));
  } catch {
    return undefined;
  }
}

const paragraphs = (text: string): unknown =>
  text.split(/\r?\n/).map((line) => ({ type: 'paragraph', children: [{ type: 'text', text: line }] }));

/** The lines of text in blocks. */
function plainText(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(plainText);
  if (!isObject(node)) return [];
  const { type, text, children } = node;
  if (typeof text === 'string') return [text];
  const lines = plainText(children);
  return type === 'list' ? lines : [lines.join('')];
}
