// A statement: SQL text with bindings for its values. The text comes from the model and the shape of the request
// alone; what a client sent is bound when the statement runs.
import type { ScalarType } from '../model/types.ts';
import type { JsonPath, ValueRef } from '../plan/read/nodes.ts';

/** Which form of a client's value is bound: the value itself, one of two, a list, or a form that string search needs. */
export type ValueForm =
  | 'value'
  | 'list'
  /** How many different values a list has. */
  | 'listLength'
  | 'first'
  | 'second'
  | 'text'
  | 'textLength'
  | 'folded'
  | 'foldedLength'
  | 'foldedIsAscii'
  | 'foldedPattern'
  /** An operand of JSON if it is of that type, and null otherwise. */
  | 'jsonNumber'
  | 'jsonString';

/** Forms of what `_q` looks for. */
export type SearchForm = Extract<ValueForm, 'folded' | 'foldedIsAscii' | 'foldedPattern'>;

export type Binding =
  | { readonly from: 'value'; readonly ref: ValueRef; readonly form: ValueForm }
  | { readonly from: 'search'; readonly slot: number; readonly form: SearchForm | 'number' }
  | { readonly from: 'cursor'; readonly slot: number; readonly type: ScalarType }
  /** A number that the parser has read already. */
  | { readonly from: 'number'; readonly slot: number }
  | { readonly from: 'locales'; readonly slot: number }
  /** Keys that lead into JSON: all of them, or one. */
  | { readonly from: 'path'; readonly path: JsonPath }
  | { readonly from: 'key'; readonly path: JsonPath; readonly index: number }
  | { readonly from: 'context'; readonly name: ContextName };

/** `parent`: the id of the row whose related rows are read. */
export type ContextName = 'documentId' | 'parent' | 'defaultLocale' | 'limit' | 'start' | 'ids';

export type BoundValue = string | number | bigint | null;
export type Row = readonly unknown[];

declare const rowType: unique symbol;

/** `R`: the columns of the rows it returns. The member exists for the type checker only. */
export interface Statement<R extends Row = Row> {
  readonly sql: string;
  readonly bindings: readonly Binding[];
  /** Whether it only reads or locks. Such a one can be sent with the beginning of its transaction. */
  readonly changesNothing?: true;
  /** Whether its one row is what the database says of it, with names: see RawResult. */
  readonly isRaw?: true;
  readonly [rowType]?: R;
}

/** What came of a statement that somebody else wrote. */
export interface RawResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Rows that it changed or returned. */
  readonly count: number;
  /** The id of the row that it added last; null where the database does not say. */
  readonly lastId: number | bigint | null;
  /** `SELECT`, `INSERT` and so on, where the database says. */
  readonly command: string | null;
}

/** The same statement, of whose rows only whoever wrote its text knows the columns. */
export const withRowType = <R extends Row>(statement: Statement): Statement<R> => statement as Statement<R>;

/** A statement whose values are bound by position, not from a request. */
export const plainStatement = <R extends Row = Row>(sql: string): Statement<R> => ({ sql, bindings: [] });

/** A statement that somebody else wrote. */
export const rawStatement = (sql: string): Statement<readonly [RawResult]> => ({ sql, bindings: [], isRaw: true });

/** The same, of one that only reads or locks. */
export const readingStatement = <R extends Row = Row>(sql: string): Statement<R> => ({
  sql,
  bindings: [],
  changesNothing: true,
});
