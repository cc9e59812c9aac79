// What differs between databases, as an interface that fits on one screen. dialect-sqlite.ts and dialect-postgres.ts
// implement it; nothing else asks which database it is.
import type { Kysely, RawBuilder } from 'kysely';
import type { ColumnType, ForeignKey, TableDefinition } from '../model/tables.ts';
import type { ScalarType } from '../model/types.ts';
import type { PlanComparison } from '../plan/read/nodes.ts';
import type { AggregateFunction, DatePart } from '../request/read-request.ts';
import type { SearchForm, ValueForm } from './statement.ts';

export type Fragment = RawBuilder<unknown>;

/** Puts a client's value into the text, in one of its forms. */
export type BindValue = (form: ValueForm) => Fragment;

/** Keys that lead into JSON, bound as one value or as one each. */
export interface BindPath {
  whole(): Fragment;
  keys(): readonly Fragment[];
}

/** How concurrent writers are kept apart. Null in a dialect whose writers take turns. */
export interface Locking {
  /** Ends a select: locks the rows it returns until the transaction ends. */
  readonly rows: Fragment;
  /** The same, against deletion alone: as foreign keys do it. */
  readonly heldRows: Fragment;
  /** The same, of rows that are about to be deleted: against new links with them as well. */
  readonly removedRows: Fragment;
  /** A statement that locks the strings of a list, in its order, until the transaction ends. */
  keys(list: Fragment): Fragment;
  /** A statement that keeps all others from a table until the transaction ends; waits for those who have used it. */
  table(name: string): Fragment;
  /** A statement that locks the schema against other nodes that start at the same time. */
  readonly schema: Fragment;
}

/** Tells, by triggers, when what decides over callers was changed. */
export interface Tracking {
  /** Our own table, in which changes are noted. */
  readonly table: string;
  readonly createTable: Fragment;
  /** What the triggers call: those that call `calledBy`, which may call further ones. */
  readonly functions: readonly { readonly name: string; readonly calledBy: string; readonly create: Fragment }[];
  readonly triggers: readonly TrackingTrigger[];
}

export interface TrackingTrigger {
  readonly table: string;
  readonly name: string;
  /** The function that it calls. */
  readonly calls: string;
  readonly create: Fragment;
}

/** How a value of a group is computed. */
export interface AggregateSql {
  /** Computed of the rows of a group; several where one column does not hold the value exactly. */
  readonly columns: readonly Fragment[];
  /** Those columns as one value, to compare it. */
  value(columns: readonly Fragment[]): Fragment;
  /** The same as the code reads it from a row. */
  output(columns: readonly Fragment[]): Fragment;
}

/** A query of few values: what stands behind its `from`, what is selected, and under which condition. */
export interface FewValues {
  readonly from: Fragment;
  readonly value: Fragment;
  readonly where?: Fragment;
  /** Whether a value may come several times. */
  readonly repeats?: boolean;
}

/** How the rows of a table are restricted to few values of a column. */
export interface OfFew {
  /** Stands in front of the table. */
  readonly before: Fragment;
  readonly condition: Fragment;
}

export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** How an answer is read: by one statement, or by one for each part. See read/read-strategy.ts. */
  readonly reading: 'singleStatement' | 'stepByStep';
  readonly locking: Locking | null;
  /** Notifies other nodes, when the transaction ends, that grants have changed; null where they see it themselves. */
  readonly announceChange: Fragment | null;
  /** Null where the database itself tells of every write. */
  readonly tracking: Tracking | null;
  /** A name of a table, column or index as the database keeps it. */
  storedName(name: string): string;
  /** Composes text only; it is never connected. */
  readonly composer: Kysely<unknown>;
  /** A column as the code reads it from a row: exact integers, instants in milliseconds, JSON as a string. */
  rowOutput(column: Fragment, type: ScalarType): Fragment;
  /** JSON as a column holds it. Strapi 5, on the same database, shows what is there. */
  storedJson(json: string): string;
  /** A column as the answer to a read holds it: see encoderOf in read/encode.ts. */
  jsonOutput(column: Fragment, type: ScalarType): Fragment;
  /** A column as a cursor holds it, exactly: see cursorValue in read/cursor.ts. */
  cursorOutput(column: Fragment, type: ScalarType): Fragment;
  /** About how many bytes a column holds, found without writing them. */
  byteLength(column: Fragment, type: ScalarType): Fragment;
  /** `column op value`, true, false or unknown. */
  compare(column: Fragment, type: ScalarType, op: PlanComparison, value: BindValue): Fragment;
  /** What is inside of a JSON column; null where there is nothing, or the null of JSON. */
  jsonAt(column: Fragment, path: BindPath): Fragment;
  /** `value op operand` for what is inside of JSON: unknown where it is of a type that the operator does not fit. */
  compareInJson(value: Fragment, op: PlanComparison, operand: BindValue): Fragment;
  /** Whether an id is not among those that a query selects as `id`, none of which is null. */
  absent(id: Fragment, query: Fragment): Fragment;
  /** The average of numbers, to as many digits as every database agrees on. */
  average(value: Fragment, type: ScalarType): Fragment;
  /** Whether the column as a string contains a folded string, which is bound in one of its forms. */
  searchText(column: Fragment, type: ScalarType, search: (form: SearchForm) => Fragment): Fragment;
  /** A column whose index the query planner must not use, since it selects too little. */
  withoutIndexHint(column: Fragment): Fragment;
  /** Whether two columns are equal or both null. */
  same(left: Fragment, right: Fragment): Fragment;
  /** A table `name` with the column `value`, made from a list that is bound as one value. */
  listTable(list: Fragment, name: string, type: 'integer' | 'text'): Fragment;
  /** `in` the few values of a query, which is run first; an index of the column serves it. */
  inFew(query: Fragment): Fragment;
  /** The same for a table with such a column in a `from`. */
  ofFew(values: FewValues, column: Fragment): OfFew;
  /** Whether a column is one of some strings, and another `inFew` of a query; one index of both serves it. */
  bothInFew(column: Fragment, strings: readonly string[], other: Fragment, query: Fragment): Fragment;
  /** How rows are joined to the list of their parents, which must lead. */
  readonly nestedJoin: Fragment;
  /** Ends a subquery about a row that is asked row by row, until there are enough, and never made a join of all rows. */
  readonly askedRowByRow: Fragment;
  limit(limit: Fragment, start: Fragment): Fragment;
  /** A value to order rows by, so that strings are ordered by code point. */
  sortValue(column: Fragment, type: ScalarType): Fragment;
  /** The same, where the smallest, the largest or the average of several is meant. */
  combinedValue(column: Fragment, type: ScalarType): Fragment;
  /** What rows are grouped by: equal where responses show the same. */
  groupValue(column: Fragment, type: ScalarType): Fragment;
  /** A part of a date, a time or an instant: a number, or for `date` the day. */
  datePart(column: Fragment, type: ScalarType, part: DatePart): Fragment;
  /** How many rows a table has, in a select that aggregates all of them as one group. */
  wholeTableCount(table: string): Fragment;
  /** `count`: how many rows the group has. */
  aggregate(
    name: Exclude<AggregateFunction, 'count'>,
    column: Fragment,
    type: ScalarType,
    count: Fragment,
  ): AggregateSql;
  /** A number of rows as the code reads it. */
  countOutput(count: Fragment): Fragment;
  /** A table `name` with the integer columns `a` and `b`, made from a list of pairs that is bound as one value. */
  pairTable(list: Fragment, name: string): Fragment;
  /** A foreign key to a row of a table; null where no such row is there, which not every database prevents. */
  presentKey(column: Fragment, table: string): Fragment;
  /** The same with a third column `c`, a number, made from a list of triples. */
  tripleTable(list: Fragment, name: string): Fragment;
  /** A table `name` with two columns of strings, `a` and `b`. */
  textPairTable(list: Fragment, name: string): Fragment;
  /** A table `name` with the column `name` and the integer columns `a` and `b`, made from a list of triples. */
  namedPairTable(list: Fragment, name: string): Fragment;
  /** A new row of which every column is left to its default: what follows the table in an insert, and what is selected. */
  readonly emptyRow: { readonly columns: Fragment; readonly values: Fragment };
  /** Statements that write different tables as one; null where each is sent by itself. */
  readonly combine: ((statements: readonly string[]) => string) | null;
  /** A bound value on its way into a column. */
  input(value: Fragment, type: ScalarType): Fragment;
  /** The statement that makes a table; indexes are made apart. */
  createTable(table: TableDefinition): Fragment;
  /** The statement that adds a foreign key, where createTable does not make them. */
  addForeignKey: ((table: string, key: ForeignKey) => Fragment) | null;
  /** A statement after which new ids follow those that rows of a table were given; null where they do so anyway. */
  continueIds: ((table: string) => Fragment) | null;
  /** A column in an index that serves `compare` and `sortValue`. */
  indexKey(column: Fragment, type: ScalarType): Fragment;
  /** The type of a column as Strapi 5 declares it, with its foreign key. */
  columnType(type: ColumnType, key: ForeignKey | null): Fragment;
  /** The time by the clock of the database, which all nodes share, in milliseconds since 1970. */
  readonly clock: Fragment;
  /** Ends the select of a queue: skips rows that another node is taking at this moment. */
  readonly skipTaken: Fragment;
}
