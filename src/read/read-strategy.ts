// How a read talks to its database: one statement for each part of the answer, or one for all of it. The dialect names
// the strategy; everything else about a read is the same for both.
import type { Session } from '../db/database.ts';
import { limitExceeded, type SheafError } from '../errors.ts';
import type { AnswerLimits } from '../plan/read/nodes.ts';
import type { Pagination } from '../request/read-request.ts';
import type { Row } from '../sql/statement.ts';
import type { BoundStatement, Context } from './bind.ts';
import type { CompiledRead } from './compiled-read.ts';
import type { PageCursors } from './cursor.ts';

export interface PageText {
  /** The entries as the members of a JSON array, without its brackets. */
  readonly entries: string;
  readonly total: number | null;
  /** Of a page by cursor. */
  readonly cursors?: PageCursors;
  /** As JSON, where they are asked for. */
  readonly facets?: string;
  /** Where it is not the page that the request asked for, but one that a hook made of it. */
  readonly changed?: { readonly pagination: Pagination; readonly omitted: readonly string[] };
}

/** Entries as objects. A property that is not copied: what is copied of a page may get other entries. */
const ENTRIES = Symbol('entries');

interface LazyPage extends PageText {
  readonly [ENTRIES]?: () => Record<string, unknown>[];
}

/** `entries`: is asked for once at most. */
export function lazyPage(
  rest: Omit<PageText, 'entries'>,
  { text, entries }: { readonly text: () => string; readonly entries: () => Record<string, unknown>[] },
): PageText {
  let made: string | null = null;
  const page = {
    get entries(): string {
      made ??= text();
      return made;
    },
    ...rest,
  };
  return Object.defineProperty(page, ENTRIES, { value: entries });
}

/** The entries of a page, which nobody else has: made of the rows where these are at hand, since parsing text takes longer. */
export const entriesOfPage = <Entry>(page: LazyPage): Entry[] =>
  (page[ENTRIES]?.() as Entry[] | undefined) ?? JSON.parse(`[${page.entries}]`);

export interface PreparedPage {
  run(session: Session, context: Context): Promise<PageText>;
}

export interface PreparedFirst {
  /** Whether it is one statement. */
  readonly single: boolean;
  run(session: Session, context: Context): Promise<string | null>;
}

/** A statement of a read, with words that say what it is for. */
export interface NamedStatement {
  readonly title: string;
  readonly statement: BoundStatement;
}

export interface ReadStrategy {
  preparePage(read: CompiledRead, slots: readonly unknown[], withCount: boolean): PreparedPage;
  prepareFirst(read: CompiledRead, slots: readonly unknown[]): PreparedFirst;
  /** The statements of a read, for people. */
  describe(read: CompiledRead, slots: readonly unknown[], kind: 'first' | 'page' | 'page and total'): NamedStatement[];
}

export const runBound = <R extends Row>(
  session: Session,
  bound: BoundStatement<R>,
  context: Context,
): Promise<readonly R[]> => session.rows(bound.statement, bound.values(context));

/** Of several rows of one document, the one with the smallest id. */
export const firstById = (rows: readonly Row[]): Row | undefined =>
  rows.length <= 1 ? rows[0] : rows.reduce((first, row) => (Number(row[0]) < Number(first[0]) ? row : first));

export const tooLongError = ({ pageBytes }: AnswerLimits): SheafError =>
  limitExceeded('MAX_PAGE_BYTES', pageBytes, 'bytes in the entries of one page, ask for fewer entries or fields', {
    param: 'pagination',
  });
