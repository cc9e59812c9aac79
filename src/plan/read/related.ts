// Conditions on related rows: what a filter over tuples, and what the operators on sets, become. All of these are
// functions over conditions in negation normal form.
import type { Condition, RelationStep, ValueRef } from './nodes.ts';
import { ID } from './versions.ts';

/** Always true of a row that exists. */
const always = (step: RelationStep): Condition => ({ is: 'none', step, where: { is: 'never' } });

/** Some related row meets the condition; a row of nulls stands in where there is none. */
export function related(step: RelationStep, where: Condition): Condition {
  if (!speaksOfHolder(where)) return overTuples(step, where);
  if (isOfHolder(where)) return unwrapped(where);
  if (where.is !== 'and' && where.is !== 'or') return overTuples(step, where);
  // What speaks of the holder does not depend on the row that is chosen, so it can stand beside the choice.
  const beside = where.of.filter(isOfHolder).map(unwrapped);
  const rest = where.of.filter((member) => !isOfHolder(member));
  if (where.is === 'and') {
    const chosen = rest.length === 1 ? related(step, rest[0]!) : overTuples(step, { is: 'and', of: rest });
    return beside.length === 0 ? chosen : { is: 'and', of: [...beside, chosen] };
  }
  return { is: 'or', of: [...beside, ...rest.map((member) => related(step, member))] };
}

function overTuples(step: RelationStep, where: Condition): Condition {
  const ofNulls = onRowOfNulls(where);
  const some = simplifyForExistingRow(where);
  const orNone = ofNulls === true;
  const chosen: Condition =
    some === false
      ? orNone
        ? { is: 'unrelated', step }
        : { is: 'never' }
      : { is: 'related', step, where: some === true ? null : some, orNone };
  if (typeof ofNulls === 'boolean') return chosen;
  return { is: 'or', of: [chosen, { is: 'and', of: [{ is: 'unrelated', step }, ofNulls] }] };
}

/** Some related row meets the condition, and there is one. */
export function someRelated(step: RelationStep, where: Condition): Condition {
  const some = simplifyForExistingRow(where);
  if (some === false) return { is: 'never' };
  return { is: 'related', step, where: some === true ? null : some, orNone: false };
}

/** No related row meets the condition. */
export function noneRelated(step: RelationStep, where: Condition): Condition {
  const some = simplifyForExistingRow(where);
  return some === false ? always(step) : { is: 'none', step, where: some === true ? null : some };
}

/** The opposite of a condition as sets see it: what is unknown of a row is not met by it. */
export function notMet(where: Condition): Condition {
  const met = simplifyForExistingRow(where);
  if (typeof met !== 'boolean') return { is: 'notTrue', where: met };
  return { is: met ? 'null' : 'notNull', column: ID };
}

/** What a count is asked of: null for all rows. */
export function counted(where: Condition): Condition | null {
  const met = simplifyForExistingRow(where);
  return typeof met === 'boolean' ? (met ? null : { is: 'never' }) : met;
}

function speaksOfHolder(condition: Condition): boolean {
  if (condition.is === 'and' || condition.is === 'or') return condition.of.some(speaksOfHolder);
  return condition.is === 'ofHolder';
}

function isOfHolder(condition: Condition): boolean {
  if (condition.is === 'and' || condition.is === 'or') return condition.of.every(isOfHolder);
  return condition.is === 'ofHolder';
}

/** What speaks of the holder alone, said where the holder stands. */
function unwrapped(condition: Condition): Condition {
  if (condition.is === 'and' || condition.is === 'or') return { is: condition.is, of: condition.of.map(unwrapped) };
  return condition.is === 'ofHolder' ? condition.where : condition;
}

/** What is left of a condition on the row of nulls: decided, but for what speaks of the row that holds the relation. */
function onRowOfNulls(condition: Condition): Condition | boolean {
  switch (condition.is) {
    case 'and':
    case 'or':
      return combined(condition.is, condition.of.map(onRowOfNulls));
    case 'null':
    case 'unrelated':
      return true;
    case 'related':
      return condition.orNone;
    case 'ofHolder':
      return condition.where;
    default:
      return false;
  }
}

/** The condition on a row that exists: it has an id, so tests of the id for null are decided. */
function simplifyForExistingRow(condition: Condition): Condition | boolean {
  switch (condition.is) {
    case 'never':
      return false;
    case 'null':
      return condition.column.column === ID.column ? false : condition;
    case 'notNull':
      return condition.column.column === ID.column ? true : condition;
    case 'and':
    case 'or':
      return combined(condition.is, condition.of.map(simplifyForExistingRow));
    default:
      return condition;
  }
}

function combined(is: 'and' | 'or', members: readonly (Condition | boolean)[]): Condition | boolean {
  const decisive = is === 'or';
  if (members.includes(decisive)) return decisive;
  const open = members.filter((member) => typeof member !== 'boolean');
  if (open.length === 0) return !decisive;
  return open.length === 1 ? open[0]! : { is, of: open };
}

/** Everything that a condition compares with, but for what narrows the rows of its steps. */
export function valuesIn(condition: Condition): readonly ValueRef[] {
  if (condition.is === 'and' || condition.is === 'or') return condition.of.flatMap(valuesIn);
  const below = 'where' in condition && condition.where ? valuesIn(condition.where) : [];
  if (condition.is === 'count') return [...condition.tests.map(({ value }) => value), ...below];
  return 'value' in condition ? [condition.value, ...below] : below;
}
