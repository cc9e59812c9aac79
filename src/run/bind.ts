// Values of a request → values that the database binds. A value that cannot be read as its attribute's type ends
// here with a 400 that names the attribute; no statement has been sent by then.
import type { BoundValue } from '../db/database.ts';
import { invalidValue } from '../errors.ts';
import type { ScalarType } from '../model/types.ts';
import type { ValueRef } from '../plan/read-plan.ts';
import type { Binding, ContextName, Statement } from '../sql/statement.ts';
import { canonicalJson, fold, isAscii, lengthOf } from '../sql/text.ts';

export type Context = Partial<Record<ContextName, BoundValue>>;

/** The client's values of a statement, bound once for all its runs; what the run itself supplies is filled in later. */
export interface BoundStatement {
  readonly statement: Statement;
  values(context: Context): BoundValue[];
}

export function bindStatement(statement: Statement, slots: readonly unknown[]): BoundStatement {
  const bound = statement.bindings.map((binding) => (binding.from === 'context' ? null : bindOne(binding, slots)));
  const open = statement.bindings.flatMap((binding, index) =>
    binding.from === 'context' ? [{ index, name: binding.name }] : [],
  );
  return {
    statement,
    values(context) {
      const values = bound.slice();
      for (const { index, name } of open) values[index] = context[name] ?? null;
      return values;
    },
  };
}

function bindOne(binding: Exclude<Binding, { from: 'context' }>, slots: readonly unknown[]): BoundValue {
  switch (binding.from) {
    case 'locales':
      return JSON.stringify(slots[binding.slot]);
    case 'search': {
      const text = slots[binding.slot] as string;
      if (binding.form === 'foldedIsAscii') return isAscii(fold(text)) ? 1 : 0;
      return binding.form === 'folded' || isNumeric(text) ? fold(text) : null;
    }
    case 'value':
      return bindValue(binding.ref, binding.form, slots[binding.ref.slot]);
  }
}

const isNumeric = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text));

function bindValue(ref: ValueRef, form: string, raw: unknown): BoundValue {
  switch (form) {
    case 'value':
      return readAs(ref, raw);
    case 'first':
      return readAs(ref, (raw as unknown[])[0]);
    case 'second':
      return readAs(ref, (raw as unknown[])[1]);
    case 'list':
      return `[${(raw as unknown[]).map((item) => jsonOf(readAs(ref, item))).join(',')}]`;
    case 'text':
      return textOf(raw);
    case 'textLength':
      return lengthOf(textOf(raw));
    case 'folded':
      return fold(textOf(raw));
    case 'foldedLength':
      return lengthOf(fold(textOf(raw)));
    default:
      return isAscii(fold(textOf(raw))) ? 1 : 0;
  }
}

const jsonOf = (value: BoundValue): string => (typeof value === 'bigint' ? String(value) : JSON.stringify(value));
const textOf = (value: unknown): string => (value instanceof Date ? value.toISOString() : String(value));

const EXPECTED: Partial<Record<ScalarType, string>> = {
  integer: 'a number',
  biginteger: 'a number',
  float: 'a number',
  decimal: 'a number',
  boolean: 'true or false',
  date: 'a date, yyyy-MM-dd',
  time: 'a time, HH:mm:ss.SSS',
  datetime: 'an instant, ISO 8601 or milliseconds since 1970',
  timestamp: 'an instant, ISO 8601 or milliseconds since 1970',
};

function readAs(ref: ValueRef, raw: unknown): BoundValue {
  const value = READERS[ref.type](textOf(raw));
  if (value === null) throw invalidValue(ref.key, ref.path.slice(0, -1), ref.param, EXPECTED[ref.type] ?? 'a text');
  return value;
}

const text = (value: string): BoundValue => value;
const number = (value: string): BoundValue | null => (isNumeric(value) ? Number(value) : null);
const json = (value: string): BoundValue => canonicalJson(value);

const INT64 = 2n ** 63n;

/** Exact where an integer column can hold it; beyond, the nearest float, which compares rightly and equals nothing. */
function biginteger(value: string): BoundValue | null {
  const trimmed = value.trim();
  if (!/^[+-]?\d+$/.test(trimmed)) return number(value);
  const exact = BigInt(trimmed.replace(/^\+/, ''));
  return exact >= -INT64 && exact < INT64 ? exact : Number(exact);
}

const BOOLEANS: Readonly<Record<string, number>> = { true: 1, t: 1, 1: 1, false: 0, f: 0, 0: 0 };
const boolean = (value: string): BoundValue | null => (Object.hasOwn(BOOLEANS, value) ? BOOLEANS[value]! : null);

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const INSTANT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,3}))?$/;

function isDay(value: string): boolean {
  const [, year, month, day] = DATE.exec(value) ?? [];
  if (day === undefined) return false;
  const date = new Date(Date.UTC(2000, Number(month) - 1, Number(day)));
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** A day, or the day that an instant was written with. */
function date(value: string): BoundValue | null {
  const written = INSTANT.exec(value)?.[1];
  return written !== undefined && isDay(written) ? written : null;
}

function time(value: string): BoundValue | null {
  const match = TIME.exec(value);
  return match ? `${value.slice(0, 8)}.${(match[2] ?? '').padEnd(3, '0')}` : null;
}

/** Milliseconds since 1970. What is written without an offset is meant as UTC, wherever the server stands. */
function instant(value: string): BoundValue | null {
  if (/^[+-]?\d{5,16}$/.test(value)) return Number(value);
  const match = INSTANT.exec(value);
  if (!match || !isDay(match[1]!)) return null;
  const [, day, clock = '00:00', seconds = '00', fraction = '', zone = 'Z'] = match;
  const offset = /^Z$/i.test(zone) ? 'Z' : zone.length === 3 ? `${zone}:00` : zone.replace(/^(...)(\d\d)$/, '$1:$2');
  const parsed = Date.parse(`${day}T${clock}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}${offset}`);
  return Number.isNaN(parsed) ? null : parsed;
}

const READERS: Readonly<Record<ScalarType, (value: string) => BoundValue | null>> = {
  string: text,
  text,
  richtext: text,
  email: text,
  uid: text,
  enumeration: text,
  password: text,
  integer: number,
  biginteger,
  float: number,
  decimal: number,
  boolean,
  date,
  time,
  datetime: instant,
  timestamp: instant,
  json,
  blocks: json,
};
