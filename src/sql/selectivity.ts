// How many rows a condition probably selects, as far as its form tells: which is asked first, and what is counted, depends
// on it. What a condition means does not.
import type { Condition } from '../plan/read/nodes.ts';

/** Types with so few values that one of them selects many rows. */
const FEW_VALUES = new Set(['boolean', 'enumeration']);

/** Whether a condition probably selects so few rows that these are best found first. */
export function namesFew(condition: Condition | null): boolean {
  switch (condition?.is) {
    case 'and':
      return condition.of.some(namesFew);
    case 'or':
      return condition.of.every(namesFew);
    case 'related':
      return !condition.orNone && namesFew(condition.where);
    case 'compare':
      return !condition.negated && ['eq', 'in'].includes(condition.op) && !FEW_VALUES.has(condition.column.type);
    case 'document':
    case 'linked':
      return true;
    default:
      return false;
  }
}

/** Rows that meet a condition, less those that are left out. */
export interface LeftOut {
  /** Null: all rows of the table. */
  readonly of: Condition | null;
  readonly out: Condition;
}

/**
 * Of a condition that nearly all rows of a table meet: few have what it says that none has, and all else that it says is
 * of the row alone. To count those few and take them from the number of all takes a tenth of the time.
 */
export function leftOut(where: Condition): LeftOut | null {
  const members = where.is === 'and' ? where.of : [where];
  const none = members.find((one) => one.is === 'none' && one.step.link !== null && namesFew(one.where));
  const others = members.filter((one) => one !== none);
  if (none?.is !== 'none' || !others.every(isOfRowAlone)) return null;
  const some: Condition = { is: 'related', step: none.step, where: none.where, orNone: false };
  return {
    of: others.length > 0 ? { is: 'and', of: others } : null,
    out: others.length > 0 ? { is: 'and', of: [...others, some] } : some,
  };
}

/** Whether a condition speaks of the columns of a row alone, so that to ask one row is quick. */
export function isOfRowAlone(condition: Condition | null): boolean {
  switch (condition?.is) {
    case undefined:
    case 'compare':
    case 'null':
    case 'notNull':
    case 'locale':
      return true;
    case 'and':
    case 'or':
      return condition.of.every(isOfRowAlone);
    case 'notTrue':
      return isOfRowAlone(condition.where);
    default:
      return false;
  }
}
