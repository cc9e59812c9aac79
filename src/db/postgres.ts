// PostgreSQL through `pg`: a pool of connections with named prepared statements, time-outs on everything, and retries
// where two writers met. What the database cannot do now becomes a 503, never a hang.
import pg from 'pg';
import { clientGoneError, SetupError, SheafError, tooSlowError, unavailableError } from '../errors.ts';
import {
  MAX_ACCESS_CHANGES,
  MAX_HEAVY_READ_MS,
  MAX_PREPARED_CHARACTERS,
  MAX_PREPARED_LENGTH,
  MAX_RESTARTS,
  MAX_RETRIES,
} from '../limits.ts';
import { NextRun } from '../next-run.ts';
import { requirePostgresUrl } from '../project/connection-url.ts';
import {
  CHANGES_CHANNEL,
  changesIn,
  MARK_STATEMENT,
  PRUNE_STATEMENT,
  TRACKING_STATEMENT,
  TRACKING_VALUE,
  VACUUM_STATEMENT,
  withMark,
} from '../sql/access-changes.ts';
import { postgresDialect } from '../sql/dialect-postgres.ts';
import { type BoundValue, plainStatement, type Row, type Statement } from '../sql/statement.ts';
import {
  type Database,
  type DatabaseHealth,
  type Marked,
  RESTART,
  type ReadOptions,
  type ReadTimer,
  type Session,
  StaleCallerError,
  type TableDescription,
  type Watch,
  type WriteOptions,
} from './database.ts';
import { Semaphore } from './semaphore.ts';

export interface PostgresOptions {
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly connectTimeoutMs: number;
}

export const DEFAULT_POSTGRES: PostgresOptions = {
  poolSize: 10,
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 3_000,
  connectTimeoutMs: 3_000,
};

/** Deadlock and serialization failure: the transaction did nothing, and can be run again at once. */
const RETRIED = new Set(['40P01', '40001']);
/** Classes of states that may pass: connection lost, out of resources, shutting down, cancelled, lock not free. */
const TRANSIENT = /^(08|53|57|58|25006|55P03|40)/;
const ALIVE = plainStatement('select 1');
const ROW_COUNTS = `select c.relname::text, case when c.reltuples < 0 then pg_relation_size(c.oid) / 100 else c.reltuples end::float8 from pg_class c join jsonb_array_elements_text($1::jsonb) as e(value) on c.relname = e.value where c.relnamespace = quote_ident(current_schema())::regnamespace`;
const NETWORK =
  /ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|Connection terminated|timeout exceeded|Query read timeout|Client has encountered|Client was closed/;

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

const isTransient = (error: unknown): boolean => {
  const { message = '' } = error as { message?: string };
  return TRANSIENT.test(codeOf(error)) || NETWORK.test(codeOf(error)) || NETWORK.test(message);
};

const toClientError = (error: unknown): unknown =>
  error instanceof SheafError || !isTransient(error)
    ? error
    : unavailableError('The database is not available now; try again', error);

/** A statement with the name under which it is prepared, wherever it is sent; none where it is not worth keeping. */
interface NamedQuery {
  readonly name: string | undefined;
  readonly text: string;
  readonly rowMode: 'array';
}

const queries = new WeakMap<Statement, NamedQuery>();
let named = 0;

function queryOf(statement: Statement): NamedQuery {
  let query = queries.get(statement);
  if (!query) {
    const name = statement.sql.length <= MAX_PREPARED_LENGTH ? `sheaf_${++named}` : undefined;
    query = { name, text: statement.sql, rowMode: 'array' };
    queries.set(statement, query);
  }
  return query;
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

function preparedOn(client: pg.ClientBase): Prepared {
  let statements = prepared.get(client);
  if (!statements) {
    statements = new Prepared();
    prepared.set(client, statements);
  }
  return statements;
}

/** All of the work, or none of it. */
async function runTransaction<T>(
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
  const results = await client.query({ text: `begin; ${MARK_STATEMENT.sql}`, rowMode: 'array' });
  // Two statements have two results, which the types do not know.
  const [, { rows }] = results as unknown as readonly [unknown, { readonly rows: readonly [[mark: string]] }];
  if (rows[0][0] !== knownBy) throw new StaleCallerError();
}

class ClientSession implements Session {
  readonly #client: pg.ClientBase;
  readonly #prepared: Prepared;

  constructor(client: pg.ClientBase) {
    this.#client = client;
    this.#prepared = preparedOn(client);
  }

  /** The statement is sent at once, behind those that are under way. */
  async rows<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<readonly R[]> {
    const named = queryOf(statement);
    this.#prepared.add(named);
    // The driver copies each property that is the query's own, which takes longer than the rest that it does.
    const query: NamedQuery & { values?: unknown[] } = Object.create(named);
    query.values = [...values];
    const { rows } = await this.#client.query(query);
    return rows as unknown as R[];
  }

  async marked<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<Marked<R>> {
    const rows = await this.rows(withMark(statement), values);
    return { mark: takeMark(rows), rows: rows as unknown as R[] };
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
class MarkedSession implements Session {
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
    return rows as unknown as R[];
  }
}

/** Takes the mark off rows, where it is the last column; null where there are none. */
function takeMark(rows: readonly Row[]): string | null {
  let mark: string | null = null;
  for (const row of rows) mark = (row as unknown[]).pop() as string;
  return mark;
}

/** `replica`: it can only be read, and may be away when the server starts. */
export async function openPostgres(
  url: string,
  options: PostgresOptions = DEFAULT_POSTGRES,
  replica = false,
): Promise<Database> {
  const parsed = requirePostgresUrl(url);
  const schema = parsed.searchParams.get('schema');
  // Of Sheaf alone, and nothing that the driver knows.
  parsed.searchParams.delete('schema');
  const connection: pg.ClientConfig = {
    connectionString: parsed.toString(),
    connectionTimeoutMillis: options.connectTimeoutMs,
    keepAlive: true,
    fallback_application_name: 'sheaf',
  };
  const pool = new pg.Pool({
    ...connection,
    pipeline: true,
    max: options.poolSize,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + 1_000,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.statementTimeoutMs * 2,
    ...(schema !== null && { onConnect: (client: pg.ClientBase) => client.query(searchPath(schema)) }),
  });
  // A connection that breaks between two statements of a transaction tells so; the next statement fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  // A connection that breaks while idle is replaced when one is next needed.
  pool.on('error', () => undefined);
  const database = new Postgres(pool, schema, connection);
  if (replica) return database;
  try {
    await database.prepare();
  } catch (error) {
    await pool.end();
    throw new SetupError(`The database cannot be opened: ${(error as Error).message}`, [
      'expected a PostgreSQL server that answers at the address given by --database or DATABASE_URL',
    ]);
  }
  return database;
}

const searchPath = (schema: string): string => `set search_path to ${pg.escapeIdentifier(schema)}`;

const WATCH_MS = 1_000;
/** How long the connection that listens may take to say the mark. */
const MARK_TIMEOUT_MS = 1_000;

const NOT_TRACKED =
  'Every user and token costs a statement: the database lacks triggers, and its account may not create them. Run sheaf schema apply with the account that owns the tables.';

/**
 * Listens on a connection of its own. Where that is lost, or tells nothing, as behind some poolers, it goes by the clock:
 * a server that is away is no reason to know less than before. The same connection is asked for the mark alone, so that a
 * refusal does not wait until writes give one back.
 */
class Watcher {
  changeCounter = 0;
  /** Whether its connection can be asked. */
  #isReady = false;
  readonly #config: pg.ClientConfig;
  readonly #schema: string | null;
  readonly #onPoll: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #marks = new NextRun(() => this.#askMark());
  #client: pg.Client | null = null;
  #closed = false;

  constructor(config: pg.ClientConfig, schema: string | null, onPoll: () => void) {
    this.#config = { ...config, fallback_application_name: 'sheaf (listens)' };
    this.#schema = schema;
    this.#onPoll = onPoll;
    this.#timer = setInterval(() => {
      onPoll();
      if (!this.#client) void this.listen();
    }, WATCH_MS);
    this.#timer.unref();
  }

  /** Polls once it listens: changes made before LISTEN took effect were not notified. */
  async listen(): Promise<void> {
    const client = new pg.Client(this.#config);
    this.#client = client;
    const lose = () => {
      if (this.#client !== client) return;
      this.#client = null;
      this.#isReady = false;
    };
    client.on('error', lose);
    client.on('end', lose);
    client.on('notification', () => {
      this.changeCounter++;
    });
    try {
      await client.connect();
      if (this.#schema !== null) await client.query(searchPath(this.#schema));
      await client.query(`listen ${CHANGES_CHANNEL}`);
      if (this.#closed) return await client.end();
      this.#isReady = true;
      this.#onPoll();
    } catch {
      lose();
    }
  }

  /** The mark; null where the connection cannot be asked. However many ask, one statement at a time is sent. */
  mark(): Promise<string | null> {
    return this.#marks.result();
  }

  /** A connection that does not answer is replaced. */
  async #askMark(): Promise<string | null> {
    const client = this.#client;
    if (!client || !this.#isReady) return null;
    try {
      const { rows } = await client.query<[string]>({
        ...queryOf(MARK_STATEMENT),
        query_timeout: MARK_TIMEOUT_MS,
      } as pg.QueryArrayConfig);
      return rows[0]![0];
    } catch {
      if (this.#client === client) [this.#client, this.#isReady] = [null, false];
      void client.end().catch(() => undefined);
      return null;
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#client?.end().catch(() => undefined);
  }
}

/** The share of its connections that heavy reads may take. */
const HEAVY_SHARE = 0.2;
/** State of PostgreSQL: a statement was cancelled, by its time-out or because nobody waits for it. */
const CANCELLED = '57014';

/** The id of the process that serves a connection; the types do not know it. */
const processId = (client: pg.ClientBase): number => (client as unknown as { readonly processID: number }).processID;

/** A read that the server ends at its deadline. */
async function runWithTimeout<T>(client: pg.ClientBase, work: (session: ClientSession) => Promise<T>): Promise<T> {
  await client.query(`begin read only; set local statement_timeout = ${MAX_HEAVY_READ_MS}`);
  try {
    const result = await work(new ClientSession(client));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** A time by the clock that is longer may be that of others, who keep the server busy. */
const TELLING_MS = 5;

/** Tells how long the work took once it had a connection. */
function timing<T>(work: (session: Session) => Promise<T>, timer: ReadTimer) {
  return async (session: Session): Promise<T> => {
    const begin = performance.now();
    const result = await work(session);
    const milliseconds = performance.now() - begin;
    if (milliseconds <= TELLING_MS) timer.took(milliseconds);
    return result;
  };
}

class Postgres implements Database {
  readonly dialect = postgresDialect;
  readonly file = null;
  readonly #pool: pg.Pool;
  readonly #schema: string | null;
  readonly #connectionConfig: pg.ClientConfig;
  #watcher: Watcher | null = null;
  /** Whether triggers note all changes that decide over callers, so that there are marks. */
  #isTracked = false;
  readonly #pruning = new NextRun(() => this.#prune());
  readonly #heavy: Semaphore;

  constructor(pool: pg.Pool, schema: string | null, connectionConfig: pg.ClientConfig) {
    this.#pool = pool;
    this.#heavy = new Semaphore(Math.max(1, Math.floor(pool.options.max * HEAVY_SHARE)));
    this.#schema = schema;
    this.#connectionConfig = connectionConfig;
  }

  /** Sees that the server can do what is asked of it. */
  async prepare(): Promise<void> {
    if (this.#schema !== null)
      await this.#pool.query(`create schema if not exists ${pg.escapeIdentifier(this.#schema)}`);
    const { rows } = await this.#pool.query(`select 1 from pg_collation where collname = 'und-x-icu'`);
    if (rows.length === 0) throw new Error('the server was built without ICU, which comparing without case needs');
  }

  async check(): Promise<DatabaseHealth> {
    await this.snapshot((session) => session.rows(ALIVE, []));
    if (this.#isTracked && !(await this.#hasTracking()))
      throw unavailableError('The database lacks triggers that it had when the server started');
    return { replicas: [] };
  }

  async replicationPosition(): Promise<null> {
    return null;
  }

  /** An answer is one statement, and a statement sees one state of the data. */
  snapshot<T>(work: (session: Session) => Promise<T>, options: ReadOptions = {}): Promise<T> {
    const { knownBy = null, isHeavy = false, timer } = options;
    const timed = timer ? timing(work, timer) : work;
    const read = (session: ClientSession) => timed(knownBy === null ? session : new MarkedSession(session, knownBy));
    return isHeavy ? this.#readHeavy(read, options) : this.#read(read);
  }

  /** Waits for its turn among the heavy reads, so that small ones always find a connection, and has a deadline. */
  async #readHeavy<T>(work: (session: ClientSession) => Promise<T>, { whenGone }: ReadOptions): Promise<T> {
    let isGone = false;
    let cancel: (() => void) | null = null;
    whenGone?.(() => {
      isGone = true;
      cancel?.();
    });
    const read = async (client: pg.PoolClient): Promise<T> => {
      if (isGone) throw clientGoneError();
      cancel = () => {
        void this.#pool.query('select pg_cancel_backend($1)', [processId(client)]).catch(() => undefined);
      };
      try {
        const result = await runWithTimeout(client, work);
        // The cancellation may still be on its way, and would meet the next statement: the connection is closed.
        if (isGone) throw Object.assign(new Error('cancelled'), { code: CANCELLED });
        return result;
      } finally {
        cancel = null;
      }
    };
    try {
      return await this.#heavy.run(() => this.#withClient(read));
    } catch (error) {
      throw toClientError(codeOf(error) === CANCELLED ? tooSlowError(error) : error);
    }
  }

  latest<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#read(work);
  }

  async marked<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<Marked<R>> {
    if (!this.#isTracked) return { rows: await this.#read((session) => session.rows(statement, values)), mark: null };
    const find = () => this.#read((session) => session.marked(statement, values));
    const found = await find();
    if (found.mark === null || changesIn(found.mark) <= MAX_ACCESS_CHANGES) return found;
    // What is found with a long mark would be looked up again when it is pruned.
    await this.#pruning.result();
    return find();
  }

  async mark(): Promise<string | null> {
    if (!this.#isTracked) return null;
    return (await this.#watcher?.mark()) ?? this.#read((session) => session.mark());
  }

  /** Keeps marks short. Where it fails, the next who reads a long one tries again. */
  async #prune(): Promise<void> {
    await this.#read(async (session) => {
      await session.rows(PRUNE_STATEMENT, []);
      await session.rows(VACUUM_STATEMENT, []);
    }).catch(() => undefined);
  }

  async #read<T>(work: (session: ClientSession) => Promise<T>): Promise<T> {
    try {
      return await this.#withClient((client) => work(new ClientSession(client)));
    } catch (error) {
      throw toClientError(error);
    }
  }

  async transaction<T>(work: (session: Session) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    const { withoutTimeouts = false, knownBy = null } = options;
    if (withoutTimeouts) return this.#withoutTimeouts(work);
    let [retries, restarts] = [0, 0];
    for (;;) {
      try {
        return await this.#withClient((client) => runTransaction(client, work, knownBy));
      } catch (error) {
        if (codeOf(error) === RESTART) restarts++;
        else if (RETRIED.has(codeOf(error))) retries++;
        else throw toClientError(error);
        if (retries > MAX_RETRIES || restarts > MAX_RESTARTS)
          throw unavailableError('Too many writers met on the same entries; try again', error);
      }
    }
  }

  /** On a connection of its own, which no time-out ends. */
  async #withoutTimeouts<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const client = new pg.Client(this.#connectionConfig);
    client.on('error', () => undefined);
    await client.connect();
    try {
      if (this.#schema !== null) await client.query(searchPath(this.#schema));
      return await runTransaction(client, work);
    } finally {
      await client.end();
    }
  }

  /** A connection in an unknown state is closed afterwards, not handed on. */
  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    let broken: Error | undefined;
    try {
      return await work(client);
    } catch (error) {
      if (isTransient(error) && !RETRIED.has(codeOf(error))) broken = error as Error;
      throw error;
    } finally {
      client.release(broken ?? preparedOn(client).characters > MAX_PREPARED_CHARACTERS);
    }
  }

  /** Triggers announce all changes; where there are none, other nodes announce theirs. */
  async watch(onPoll: () => void): Promise<Watch> {
    this.#isTracked = await this.#hasTracking();
    const watcher = new Watcher(this.#connectionConfig, this.#schema, onPoll);
    this.#watcher = watcher;
    await watcher.listen();
    return {
      changeCounter: () => watcher.changeCounter,
      knownBy: this.#isTracked ? 'mark' : 'nothing',
      note: this.#isTracked ? null : NOT_TRACKED,
    };
  }

  async #hasTracking(): Promise<boolean> {
    const [row] = await this.#read((session) => session.rows(TRACKING_STATEMENT, [TRACKING_VALUE]));
    return row![0] === true;
  }

  async explain(statement: Statement, values: readonly BoundValue[]): Promise<readonly string[]> {
    const rows = await this.snapshot((session) => session.rows(plainStatement(`explain ${statement.sql}`), values));
    return rows.map((row) => String(row[0]));
  }

  async describe(): Promise<ReadonlyMap<string, TableDescription>> {
    try {
      return await this.#describe();
    } catch (error) {
      throw toClientError(error);
    }
  }

  async #describe(): Promise<ReadonlyMap<string, TableDescription>> {
    const tables = new Map<string, Record<'indexes' | 'triggers', Set<string>> & { columns: Map<string, string> }>();
    const columns = await this.#pool.query<[string, string, string]>({
      text: `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod) from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`,
      rowMode: 'array',
    });
    for (const [table, column, type] of columns.rows) {
      if (!tables.has(table)) tables.set(table, { columns: new Map(), indexes: new Set(), triggers: new Set() });
      tables.get(table)!.columns.set(column, type);
    }
    const indexes = await this.#pool.query<[string, string]>({
      text: `select tablename, indexname from pg_indexes where schemaname = current_schema()`,
      rowMode: 'array',
    });
    for (const [table, index] of indexes.rows) tables.get(table)?.indexes.add(index);
    const triggers = await this.#pool.query<[string, string]>({
      text: `select c.relname, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = quote_ident(current_schema())::regnamespace and not t.tgisinternal`,
      rowMode: 'array',
    });
    for (const [table, trigger] of triggers.rows) tables.get(table)?.triggers.add(trigger);
    return tables;
  }

  /** As of the last time that PostgreSQL analyzed the table; before that, by its size. */
  async countRows(tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const { rows } = await this.#pool.query<[table: string, rows: number]>({
      text: ROW_COUNTS,
      values: [JSON.stringify(tables)],
      rowMode: 'array',
    });
    return new Map(rows);
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
    await this.#pool.end();
  }
}
