// What differs between databases, as an interface that fits on one screen. Everything else in sql/ is the same text
// for all of them.
import type { Kysely, RawBuilder } from 'kysely';
import type { ScalarType } from '../model/types.ts';
import type { PlanComparison } from '../plan/read-plan.ts';
import type { ValueForm } from './statement.ts';

export type Fragment = RawBuilder<unknown>;

/** Places a client's value into the text, in one of its forms. */
export type Place = (form: ValueForm) => Fragment;

export interface Dialect {
  readonly name: 'sqlite';
  /** Composes text only; it is never connected. */
  readonly composer: Kysely<unknown>;
  /** A column as the runner wants it: exact integers, instants in milliseconds, JSON as text. */
  output(column: Fragment, type: ScalarType): Fragment;
  /** `column op value`, true, false or unknown. */
  compare(column: Fragment, type: ScalarType, op: PlanComparison, value: Place): Fragment;
  /** Whether the text of the column contains a folded text. */
  searchText(column: Fragment, type: ScalarType, folded: Fragment, isAscii: Fragment): Fragment;
  /** A column that must not lead the database to an index of little use. */
  unindexed(column: Fragment): Fragment;
  /** Whether two columns are equal or both null. */
  same(left: Fragment, right: Fragment): Fragment;
  /** A table `name` with the column `value`, made from a list that is bound as one value. */
  listTable(list: Fragment, name: string): Fragment;
  /** Ids of a query's rows as one JSON array, in the query's order. */
  idArray(query: Fragment): Fragment;
}
