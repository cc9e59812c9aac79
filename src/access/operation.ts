// An operation is data: what is done, to which type, with which parameters. Every way in (HTTP, the in-process
// interface, the command line) makes one; authorize.ts decides whether its caller may have it done.
import type { ContentType } from '../model/types.ts';
import type { ReadDefaults, ReadParameters } from '../request/parse-read.ts';
import type { Status } from '../request/read-request.ts';

/** `me`: the caller's own account. `related`: the entries that a relation of one document leads to. */
export type ReadName = 'find' | 'findOne' | 'count' | 'aggregate' | 'related' | 'me';
export type DraftAction = 'publish' | 'unpublish' | 'discardDraft' | 'clone';
export const WRITE_NAMES = ['create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft', 'clone'] as const;
export type WriteName = (typeof WRITE_NAMES)[number];
const WRITES: ReadonlySet<string> = new Set(WRITE_NAMES);
export const isWrite = (name: string): name is WriteName => WRITES.has(name);

/** What a row says of when things happened to it. */
export type RowDate = 'createdAt' | 'updatedAt' | 'publishedAt';

export interface ReadOperation {
  readonly name: ReadName;
  readonly type: ContentType;
  readonly parameters: ReadParameters;
  readonly defaults: ReadDefaults;
}

export interface WriteOperation {
  readonly name: WriteName;
  readonly type: ContentType;
  /**
   * Null: a new document, or the one document of a single type. Of a new one, the id that code gives it; it may have
   * versions already, though not this one.
   */
  readonly documentId: string | null;
  /** The attributes to write; empty for operations that take none. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Attributes that the server adds. They are not the caller's, so no right to write them is needed. */
  readonly supplied?: Readonly<Record<string, unknown>>;
  /** The locale and status to write, and what shapes the answer. */
  readonly parameters: ReadParameters;
  /** Parameters that change nothing. What they name is checked before anything is written. */
  readonly unused?: ReadParameters;
  readonly defaultStatus: Status;
  /** When a row was made, changed and published, where code says so. */
  readonly dates?: Readonly<Partial<Record<RowDate, unknown>>>;
  /**
   * The id of the one row to write, whatever its document, or `new` for a row by itself: for code that works with rows.
   * Such a write is not held to what entries need.
   */
  readonly row?: number | 'new';
}

export type Operation = ReadOperation | WriteOperation;
