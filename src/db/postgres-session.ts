// Statements on a connection to PostgreSQL: prepared by name, inside a transaction, with the mark of a caller, with a
// deadline; and what their errors mean.
import type pg from 'pg';
import { SheafError, unavailableError } from '../errors.ts';
import { MAX_HEAVY_READ_MS, MAX_PREPARED_LENGTH } from '../limits.ts';
import { MARK_STATEMENT, withMark } from '../sql/access-changes.ts';
import type { BoundValue, RawResult, Row, Statement } from '../sql/statement.ts';
import { errorCode, errorMessage, isObject } from '../type-guards.ts';
import { type Marked, type Session, StaleCallerError } from './database.ts';

/** Deadlock and serialization failure: the transaction did nothing, and can be run again at once. */
export const RETRIED = new Set(['40P01', '40001']);
/**
 * A row that the transaction came to refer to is not there: mostly because another one has deleted it meanwhile. Run again,
 * the work finds that out by itself.
 */
export const GONE = '23503';
/** Classes of states that may pass: connection lost, out of resources, shutting down, cancelled, lock not free. */
const TRANSIENT = /^(08|53|57|58|25006|55P03|40)/;
const NETWORK =
  /ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|Connection terminated|timeout exceeded|Query read timeout|Client has encountered|Client was closed/;

export const codeOf = (error: unknown): string => errorCode(error) ?? '';

export const isTransient = (error: unknown): boolean =>
  TRANSIENT.test(codeOf(error)) ||
  NETWORK.test(codeOf(error)) ||
  (isObject(error) && NETWORK.test(errorMessage(error)));

export const toClientError = (error: unknown): unknown =>
  error instanceof SheafError || !isTransient(error)
    ? error
    : unavailableError('The database is not available now; try again', error);

/** A statement with the name under which it is prepared, wherever it is sent; none where it is not kept. */
interface NamedQuery {
  readonly name: string | undefined;
  readonly text: string;
  readonly rowMode: 'array';
}

const queries = new WeakMap<Statement, NamedQuery>();
let named = 0;

/**
 * A statement gets its name when it is sent again: most of those that requests with ever new shapes lead to are not, and
 * each one that is kept takes some fifty bytes for each of its characters, on every connection.
 */
export function queryOf(statement: Statement): NamedQuery {
  const again = queries.get(statement);
  if (again) return again;
  const once: NamedQuery = { name: undefined, text: statement.sql, rowMode: 'array' };
  const isKept = statement.sql.length <= MAX_PREPARED_LENGTH;
  queries.set(statement, isKept ? { ...once, name: `sheaf_${++named}` } : once);
  return once;
}

/** What a connection has prepared; one that has prepared too much is closed after its work, and all of it forgotten. */
class Prepared {
  readonly #names = new Set<string>();
  characters = 0;

  add({ name, text }: NamedQuery): void {
    if (name === undefined || this.#names.has(name)) return;
    this.#names.add(name);
    this.characters += text.length;
  }
}

const prepared = new WeakMap<pg.ClientBase, Prepared>();

export function preparedOn(client: pg.ClientBase): Prepared {
  let statements = prepared.get(client);
  if (!statements) {
    statements = new Prepared();
    prepared.set(client, statements);
  }
  return statements;
}

/** All of the work, or none of it. */
export async function runTransaction<T>(
  client: pg.ClientBase,
  work: (session: Session) => Promise<T>,
  knownBy: string | null = null,
): Promise<T> {
  const begun = begin(client, knownBy);
  try {
    const result = await work(new TransactionSession(client, begun));
    await begun;
    await client.query('commit');
    return result;
  } catch (error) {
    // Where even this fails the connection is gone, and the transaction with it.
    // One that is lost or does not answer is closed, not asked again.
    if (!isTransient(error) || RETRIED.has(codeOf(error))) await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Begins a transaction. The mark, where it is wanted, comes with the same round trip. */
async function begin(client: pg.ClientBase, knownBy: string | null): Promise<void> {
  if (knownBy === null) {
    await client.query('begin');
    return;
  }
  // Two statements have two results, which the types of the driver do not know.
  const results: unknown = await client.query({ text: `begin; ${MARK_STATEMENT.sql}`, rowMode: 'array' });
  const [, { rows }] = results as readonly [unknown, { readonly rows: readonly [[mark: string]] }];
  if (rows[0][0] !== knownBy) throw new StaleCallerError();
}
/** State of PostgreSQL: a statement was cancelled, by its time-out or because nobody waits for it. */
export const CANCELLED = '57014';

/**
 * A read that the server ends at its deadline. Neither the beginning of the transaction nor its end is waited for: what
 * is read is known by then, and statements on a connection run in the order in which they were sent.
 */
export async function runWithTimeout<T>(
  client: pg.ClientBase,
  work: (session: ClientSession) => Promise<T>,
): Promise<T> {
  const begun = client.query(
    `begin read only; set local statement_timeout = ${MAX_HEAVY_READ_MS}; set local max_parallel_workers_per_gather to default`,
  );
  // Where it fails, so does the statement behind it.
  begun.catch(() => undefined);
  try {
    return await work(new ClientSession(client));
  } finally {
    client.query('commit').catch(() => undefined);
  }
}

export class ClientSession implements Session {
  readonly #client: pg.ClientBase;
  readonly #prepared: Prepared;

  constructor(client: pg.ClientBase) {
    this.#client = client;
    this.#prepared = preparedOn(client);
  }

  /** The statement is sent at once, behind those that are under way. */
  async rows<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<readonly R[]> {
    if (statement.isRaw) return typedRows<R>([[await this.#raw(statement.sql, values)]]);
    const named = queryOf(statement);
    this.#prepared.add(named);
    // The driver copies each property that is the query's own, which takes longer than the rest that it does.
    const query: NamedQuery & { values?: unknown[] } = Object.create(named);
    query.values = [...values];
    const { rows } = await this.#client.query<unknown[]>(query);
    return typedRows<R>(rows);
  }

  async #raw(text: string, values: readonly BoundValue[]): Promise<RawResult> {
    const { rows, rowCount, command } = await this.#client.query<Record<string, unknown>>(text, [...values]);
    return { rows, count: rowCount ?? 0, lastId: null, command };
  }

  async marked<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<Marked<R>> {
    const rows = await this.rows(withMark(statement), values);
    return { mark: takeMark(rows), rows: typedRows<R>(rows) };
  }

  async mark(): Promise<string> {
    return (await this.rows(MARK_STATEMENT, []))[0]![0];
  }
}

/** State of PostgreSQL: an earlier statement of the transaction has failed. */
const ABORTED = '25P02';

/**
 * Does not wait for the transaction to begin before it sends what only reads or locks: where it did not begin, such a
 * statement does no harm. Anything else waits, as it would take effect by itself.
 */
class TransactionSession implements Session {
  readonly #session: ClientSession;
  #begun: Promise<void> | null;
  /** Why the transaction has failed. Statements that were sent behind the one that did only say that it has. */
  #failure: unknown = null;

  constructor(client: pg.ClientBase, begun: Promise<void>) {
    this.#session = new ClientSession(client);
    this.#begun = begun;
    begun.then(
      () => {
        this.#begun = null;
      },
      () => undefined,
    );
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<readonly R[]> {
    try {
      return await this.#send(statement, values);
    } catch (error) {
      this.#failure ??= error;
      throw codeOf(error) === ABORTED ? this.#failure : error;
    }
  }

  async #send<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<readonly R[]> {
    if (!this.#begun) return this.#session.rows(statement, values);
    if (statement.changesNothing) {
      const [rows] = await Promise.all([this.#session.rows(statement, values), this.#begun]);
      return rows;
    }
    await this.#begun;
    return this.#session.rows(statement, values);
  }
}

/** Returns rows only of a state of the data that has the mark by which the caller is known. */
export class MarkedSession implements Session {
  readonly #session: ClientSession;
  readonly #knownBy: string;

  constructor(session: ClientSession, knownBy: string) {
    this.#session = session;
    this.#knownBy = knownBy;
  }

  async rows<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<readonly R[]> {
    const rows = await this.#session.rows(withMark(statement), values);
    const mark = takeMark(rows) ?? (await this.#session.mark());
    if (mark !== this.#knownBy) throw new StaleCallerError();
    return typedRows<R>(rows);
  }
}

/** The types of its columns are what a statement says of its rows; the driver cannot know them. */
const typedRows = <R extends Row>(rows: readonly Row[]): readonly R[] => rows as readonly R[];

/** Takes the mark off rows, where it is the last column; null where there are none. */
function takeMark(rows: readonly Row[]): string | null {
  let mark: string | null = null;
  for (const row of rows) mark = (row as unknown[]).pop() as string;
  return mark;
}
