// How a read talks to its database: one statement for each part of the answer, or one for all of it. The dialect names
// the strategy; everything else about a read is the same for both.
import type { Session } from '../db/database.ts';
import { limitExceeded, type SheafError } from '../errors.ts';
import type { AnswerLimits } from '../plan/read/nodes.ts';
import type { Pagination } from '../request/read-request.ts';
import type { ListForm } from '../sql/compile-answer.ts';
import type { Row } from '../sql/statement.ts';
import type { BoundStatement, Context } from './bind.ts';
import type { CompiledRead } from './compiled-read.ts';
import type { PageCursors } from './cursor.ts';

/** A page as what makes its entries: functions, since an accessor of its own would keep it until all memory is searched. */
export interface ReadPage {
  /** The entries as the members of a JSON array, without its brackets. */
  text(): string;
  /** The same as objects, which nobody else has, where the rows are at hand: to parse text takes longer. */
  objects?(): Record<string, unknown>[];
  readonly total: number | null;
  /** The state of the data that the page is from; null or none where no statement told it. */
  readonly state?: string | null;
  /** Of a page by cursor. */
  readonly cursors?: PageCursors;
  /** As JSON, where they are asked for. */
  readonly facets?: string;
  /** Where it is not the page that the request asked for, but one that a hook made of it. */
  readonly changed?: { readonly pagination: Pagination; readonly omitted: readonly string[] };
}

/** The entries of a page as objects. */
export const entriesOfPage = <Entry>(page: ReadPage): Entry[] =>
  (page.objects?.() as Entry[] | undefined) ?? JSON.parse(`[${page.text()}]`);

/** What is ready to be read. */
export interface PreparedStatements {
  /** Whether it is one statement. */
  readonly single: boolean;
  /** That statement, where its rows hold all of the answer, and can be put together in another thread. */
  readonly answer?: BoundStatement;
}

export interface PreparedPage extends PreparedStatements {
  run(session: Session, context: Context): Promise<ReadPage>;
}

export interface PreparedFirst extends PreparedStatements {
  run(session: Session, context: Context): Promise<string | null>;
}

/** A statement of a read, with words that say what it is for. */
export interface NamedStatement {
  readonly title: string;
  readonly statement: BoundStatement;
}

export interface ReadStrategy {
  preparePage(read: CompiledRead, slots: readonly unknown[], withCount: boolean, lists: ListForm): PreparedPage;
  prepareFirst(read: CompiledRead, slots: readonly unknown[], lists: ListForm): PreparedFirst;
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
