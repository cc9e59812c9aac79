// A statement: SQL text with places for values. The text comes from the model and the shape of the request alone;
// what a client sent is bound when the statement runs.
import type { ValueRef } from '../plan/read/nodes.ts';

/** What of a client's value is bound: the value itself, one of two, a list, or a form that text search needs. */
export type ValueForm =
  | 'value'
  | 'list'
  | 'first'
  | 'second'
  | 'text'
  | 'textLength'
  | 'folded'
  | 'foldedLength'
  | 'foldedIsAscii';

export type Binding =
  | { readonly from: 'value'; readonly ref: ValueRef; readonly form: ValueForm }
  | { readonly from: 'search'; readonly slot: number; readonly form: 'folded' | 'foldedIsAscii' | 'number' }
  | { readonly from: 'locales'; readonly slot: number }
  | { readonly from: 'context'; readonly name: ContextName };

export type ContextName = 'documentId' | 'defaultLocale' | 'limit' | 'start' | 'ids';

export interface Statement {
  readonly sql: string;
  readonly bindings: readonly Binding[];
}
