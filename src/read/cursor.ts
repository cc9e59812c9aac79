// Cursors of a page by cursor: made from its first and last row, and turned into values to compare with.
import { invalidCursor } from '../errors.ts';
import type { ScalarType } from '../model/types.ts';
import type { KeysetPlan, ReadPlan } from '../plan/read/nodes.ts';
import { type CursorValue, writeCursor } from '../request/parse-cursor.ts';
import { isStorable, readDate, readWhole } from '../request/scalars.ts';
import type { BoundValue, Row } from '../sql/statement.ts';

/** Cursors of the pages around a page; null where there is none. */
export interface PageCursors {
  readonly next: string | null;
  readonly previous: string | null;
}

/** What was read for a page by cursor. */
export interface KeysetRows {
  /** In the order of the list. */
  readonly rows: readonly Row[];
  /** Whether there are further rows in the direction that was read. */
  readonly more: boolean;
  /** The values of the request. */
  readonly values: readonly unknown[];
}

/** In the direction that was not read there is at least the row that the cursor of the request was made from. */
export function cursorsOf(plan: ReadPlan, keyset: KeysetPlan, { rows, more, values }: KeysetRows): PageCursors {
  const { digest, slots, backward, order } = keyset;
  const offset = plan.entity.columns.length;
  const valuesOf = (row: Row) => order.map(({ column }, index) => cursorValue(column.type, row[offset + index]));
  const before = (row: Row) => writeCursor({ digest, backward: true, values: valuesOf(row) });
  const after = (row: Row) => writeCursor({ digest, backward: false, values: valuesOf(row) });
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) {
    const back = slots && writeCursor({ digest, backward: !backward, values: besideCursor(keyset, slots, values) });
    return backward ? { next: back, previous: null } : { next: null, previous: back };
  }
  return {
    next: more || backward ? after(last) : null,
    previous: (backward ? more : slots !== null) ? before(first) : null,
  };
}

/** The place right beyond the row of a cursor, so that the way back begins with that row. */
function besideCursor(
  { order }: KeysetPlan,
  slots: readonly (number | null)[],
  values: readonly unknown[],
): CursorValue[] {
  const given = slots.map((slot) => (slot === null ? null : (values[slot] as CursorValue)));
  return given.with(-1, Number(given.at(-1)) + (order.at(-1)!.descending ? -1 : 1));
}

/** The same for the same value on every database, as far as both can hold it. */
function cursorValue(type: ScalarType, value: unknown): CursorValue {
  if (value === null) return null;
  switch (type) {
    case 'boolean':
      return value === true || value === 1 ? 1 : 0;
    case 'decimal':
      // A number, unless it has more digits than one can hold.
      return typeof value === 'string' && String(Number(value)) !== value ? value : numberValue(value);
    case 'integer':
    case 'float':
    case 'datetime':
    case 'timestamp':
      return numberValue(value);
    case 'time':
      return String(value).replace(/(\.\d{3})000$/, '$1');
    default:
      return String(value);
  }
}

/** JSON has no infinity, which PostgreSQL has. */
function numberValue(value: unknown): CursorValue {
  const number = Number(value);
  return Number.isFinite(number) ? number : String(number);
}

const INFINITE = new Set(['Infinity', '-Infinity']);
const INT64 = 2n ** 63n;
/** The first moment that PostgreSQL has, and the last that JavaScript has. */
const EARLIEST = -210_866_803_200_000;
const LATEST = 8.64e15;
const DECIMAL = /^-?\d+(\.\d+)?$/;
const TIME = /^(([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?|24:00:00\.000)$/;

/** What stands in a cursor as a value to bind. Anyone can write a cursor, so it is checked as any other value. */
export function cursorOperand(type: ScalarType, value: unknown): BoundValue {
  const operand = typeof value === 'number' ? numberOperand(type, value) : textOperand(type, String(value));
  if (operand === null) throw invalidCursor('a cursor that a list responded with');
  return operand;
}

function numberOperand(type: ScalarType, value: number): BoundValue {
  switch (type) {
    case 'boolean':
      return value === 0 || value === 1 ? value : null;
    case 'integer':
      return Number.isSafeInteger(value) ? value : null;
    case 'float':
    case 'decimal':
      return Number.isFinite(value) ? value : null;
    case 'datetime':
    case 'timestamp':
      return value >= EARLIEST && value <= LATEST ? value : null;
    default:
      return null;
  }
}

function textOperand(type: ScalarType, text: string): BoundValue {
  switch (type) {
    case 'boolean':
    case 'integer':
      return null;
    case 'datetime':
    case 'timestamp':
      return INFINITE.has(text) ? Number(text) : null;
    case 'float':
      return INFINITE.has(text) || text === 'NaN' ? Number(text) : null;
    case 'decimal':
      if (INFINITE.has(text) || text === 'NaN') return Number(text);
      return DECIMAL.test(text) ? text : null;
    case 'biginteger': {
      const whole = readWhole(text);
      return whole !== null && whole >= -INT64 && whole < INT64 ? whole : null;
    }
    case 'date':
      return readDate(text) === text ? text : null;
    case 'time':
      return TIME.test(text) ? text : null;
    default:
      return isStorable(text) ? text : null;
  }
}
