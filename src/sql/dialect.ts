// What differs between databases, as an interface that fits on one screen. Everything else in sql/ is the same text
// for all of them.
import type { Kysely, RawBuilder } from 'kysely';
import type { ColumnType, ForeignKey, TableDefinition } from '../model/tables.ts';
import type { ScalarType } from '../model/types.ts';
import type { PlanComparison } from '../plan/read/nodes.ts';
import type { ValueForm } from './statement.ts';

export type Fragment = RawBuilder<unknown>;

/** Places a client's value into the text, in one of its forms. */
export type Place = (form: ValueForm) => Fragment;

export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** Whether an answer is read by one statement rather than one for each part. */
  readonly oneTrip: boolean;
  /** Whether writers can meet on the same rows, so that rows are locked before they are changed. */
  readonly locks: boolean;
  /** Tells other processes that grants have changed, when the transaction ends; null where they see it themselves. */
  readonly announceChange: Fragment | null;
  /** Composes text only; it is never connected. */
  readonly composer: Kysely<unknown>;
  /** A column as the runner wants it: exact integers, instants in milliseconds, JSON as text. */
  output(column: Fragment, type: ScalarType): Fragment;
  /** The same of an answer, which comes in one piece or in many: see encoderOf in run/encode.ts. */
  shown(column: Fragment, type: ScalarType): Fragment;
  /** `column op value`, true, false or unknown. */
  compare(column: Fragment, type: ScalarType, op: PlanComparison, value: Place): Fragment;
  /** Whether the text of the column contains a folded text. */
  searchText(column: Fragment, type: ScalarType, folded: Fragment, isAscii: Fragment): Fragment;
  /** A column that must not lead the database to an index of little use. */
  unindexed(column: Fragment): Fragment;
  /** Whether two columns are equal or both null. */
  same(left: Fragment, right: Fragment): Fragment;
  /** A table `name` with the column `value`, made from a list that is bound as one value. */
  listTable(list: Fragment, name: string, type: 'integer' | 'text'): Fragment;
  /** How rows are joined to the list of their parents, which must lead. */
  readonly nestedJoin: Fragment;
  limit(limit: Fragment, start: Fragment): Fragment;
  /** A value by which rows are ordered, so that text goes by code point. */
  sortValue(column: Fragment, type: ScalarType): Fragment;
  /** A table `name` with the integer columns `a` and `b`, made from a list of pairs that is bound as one value. */
  pairTable(list: Fragment, name: string): Fragment;
  /** A bound value on its way into a column. */
  input(value: Fragment, type: ScalarType): Fragment;
  /** The statement that makes a table; indexes are made apart. */
  createTable(table: TableDefinition): Fragment;
  /** The statement that adds a foreign key, where createTable does not make them. */
  addForeignKey: ((table: string, key: ForeignKey) => Fragment) | null;
  /** The type of a column, as the reference declares it, with the foreign key that it is to have. */
  columnType(type: ColumnType, key: ForeignKey | null): Fragment;
  /** Ids of a query's rows as one JSON array, in the query's order. */
  idArray(query: Fragment): Fragment;
}
