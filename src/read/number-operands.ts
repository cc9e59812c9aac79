// Numbers that a client compares with, exactly as they are written: what no column can hold gives way to a number that
// compares with every stored one as the written one does, and equals none of them.
import type { PlanComparison } from '../plan/read/nodes.ts';
import { isNumeric, keepsDigits, readWritten, type WrittenNumber } from '../request/scalars.ts';
import type { BoundValue } from '../sql/statement.ts';

/** The largest integer that is not above a number, and whether it is that number. */
function floorOf(text: string): { value: bigint; exact: boolean } {
  // What is not decimal, such as 0x10, is whole.
  const { negative, digits, point } = readWritten(text) ?? {
    negative: false,
    digits: String(BigInt(text)),
    point: Infinity,
  };
  const end = Math.max(0, point);
  const exact = end >= digits.length;
  const size = BigInt(digits.slice(0, end).padEnd(Number.isFinite(end) ? end : 0, '0'));
  return { value: negative ? -size - (exact ? 0n : 1n) : size, exact };
}

/** For which operators the number below stands for one that lies between two; null where no number does. */
function takesLower(op: PlanComparison): boolean | null {
  if (op === 'gt' || op === 'lte') return true;
  return op === 'lt' || op === 'gte' ? false : null;
}

/** A whole number that compares with integers as the given one does; null where no integer equals it. */
function wholeOperand(text: string, op: PlanComparison): bigint | null {
  const { value, exact } = floorOf(text);
  if (exact) return value;
  const lower = takesLower(op);
  return lower === null ? null : lower ? value : value + 1n;
}

/** Beyond every integer that a column can hold, and held by the type that values are bound as. */
const OUT_OF_RANGE = 2 ** 62;

/** What a number holds exactly, which ids and most other operands are. */
const SHORT = /^-?\d{1,15}$/;

export function integerOperand(text: string, op: PlanComparison): number | null {
  if (SHORT.test(text)) return Number(text);
  if (!isNumeric(text)) return null;
  return Math.max(-OUT_OF_RANGE, Math.min(OUT_OF_RANGE, Number(wholeOperand(text, op) ?? OUT_OF_RANGE)));
}

const INT64 = 2n ** 63n;
/** A number that nothing stored equals, and that is above or below all of it. */
const OUT_OF_RANGE_BIG = 1e300;

export function bigintOperand(text: string, op: PlanComparison): BoundValue | null {
  if (!isNumeric(text)) return null;
  const value = wholeOperand(text, op);
  if (value === null || value >= INT64) return OUT_OF_RANGE_BIG;
  return value < -INT64 ? -OUT_OF_RANGE_BIG : value;
}

export function decimalOperand(text: string, op: PlanComparison): number | null {
  if (!isNumeric(text)) return null;
  const nearest = Number(text);
  if (keepsDigits(nearest, text)) return nearest;
  const lower = takesLower(op);
  if (lower === null) return OUT_OF_RANGE_BIG;
  const isBelow = compare(readWritten(String(nearest))!, readWritten(text)!) < 0;
  return isBelow === lower ? nearest : neighbour(nearest, lower ? -1 : 1);
}

/** Below 0 where the first number is below the second, above where it is above. */
function compare(a: WrittenNumber, b: WrittenNumber): number {
  if (a.digits === '' || b.digits === '' || a.negative !== b.negative) return signOf(a) - signOf(b);
  const bySize = a.point - b.point || (a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0);
  return a.negative ? -bySize : bySize;
}

const signOf = ({ negative, digits }: WrittenNumber): number => (digits === '' ? 0 : negative ? -1 : 1);

/** The next number in a direction that can be told apart. */
function neighbour(number: number, direction: -1 | 1): number {
  if (number === 0) return direction * Number.MIN_VALUE;
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, number);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(number > 0 ? direction : -direction));
  return view.getFloat64(0);
}
