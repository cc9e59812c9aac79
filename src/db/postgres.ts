// PostgreSQL through `pg`: a pool of connections with time-outs on everything, and retries where two writers met. What
// the database cannot do now becomes a 503, never a hang.
import pg from 'pg';
import { clientGoneError, readOnlyError, SetupError, tooSlowError, unavailableError } from '../errors.ts';
import { MAX_ACCESS_CHANGES, MAX_PREPARED_CHARACTERS, MAX_RESTARTS, MAX_RETRIES } from '../limits.ts';
import { NextRun } from '../next-run.ts';
import { requirePostgresUrl, withoutPassword } from '../project/connection-url.ts';
import type { Semaphore } from '../semaphore.ts';
import {
  changesIn,
  PRUNE_STATEMENT,
  TRACKING_STATEMENT,
  TRACKING_VALUE,
  VACUUM_STATEMENT,
} from '../sql/access-changes.ts';
import { postgresDialect } from '../sql/dialect-postgres.ts';
import { type BoundValue, plainStatement, type Row, type Statement } from '../sql/statement.ts';
import { errorMessage } from '../type-guards.ts';
import {
  type Database,
  type DatabaseHealth,
  type DatabaseInfo,
  type DatabaseUsage,
  type Marked,
  RESTART,
  type ReadOptions,
  type ReadTimer,
  type Session,
  type TableDescription,
  type Watch,
  type WriteOptions,
} from './database.ts';
import { missingRight } from './missing-right.ts';
import { MAX_PIPELINED_READS, PipelinedConnections } from './pipelined-connections.ts';
import {
  CANCELLED,
  ClientSession,
  codeOf,
  GONE,
  isTransient,
  MarkedSession,
  preparedOn,
  RETRIED,
  runTransaction,
  runWithTimeout,
  toClientError,
} from './postgres-session.ts';
import { searchPath, Watcher } from './postgres-watcher.ts';
import { heavyReads, mediumReads } from './read-turns.ts';
import { SharedConnections } from './shared-connections.ts';

export interface PostgresOptions {
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly lockTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** Nothing is written: an account that may select is enough. */
  readonly isReadOnly: boolean;
}

export const DEFAULT_POSTGRES: PostgresOptions = {
  poolSize: 10,
  statementTimeoutMs: 5_000,
  lockTimeoutMs: 3_000,
  connectTimeoutMs: 3_000,
  isReadOnly: false,
};

const ALIVE = plainStatement('select 1');
const ABOUT = plainStatement<readonly [version: string, bytes: string | number]>(
  `select current_setting('server_version'), pg_database_size(current_database())`,
);
/**
 * By its guesses of rows, PostgreSQL would compile many a short statement to machine code each time it runs, or start
 * processes to share its work, as it does for a union of look-ups. Either takes longer than to run it. Heavy reads are
 * shared.
 */
export const SHORT_STATEMENT_SETTINGS = 'set jit = off; set max_parallel_workers_per_gather = 0';
const ROW_COUNTS = `select e.value, case when c.reltuples < 0 then pg_relation_size(c.oid) / 100 else c.reltuples end::float8 from pg_class c join jsonb_array_elements_text($1::jsonb) as e(value) on c.relname = e.value::name where c.relnamespace = (select quote_ident(current_schema())::regnamespace)`;

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
    connectionTimeoutMillis: connectTimeout(parsed) ?? options.connectTimeoutMs,
    keepAlive: true,
    fallback_application_name: 'sheaf',
    pipeline: true,
  };
  const pool = new pg.Pool({
    ...connection,
    max: options.poolSize,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.statementTimeoutMs + 1_000,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.statementTimeoutMs * 2,
    onConnect: (client) =>
      client.query(schema === null ? SHORT_STATEMENT_SETTINGS : `${SHORT_STATEMENT_SETTINGS}; ${searchPath(schema)}`),
  });
  // A connection that breaks between two statements of a transaction tells so; the next statement fails anyway.
  pool.on('connect', (client) => client.on('error', () => undefined));
  // A connection that breaks while idle is replaced when one is next needed.
  pool.on('error', () => undefined);
  const database = new Postgres(pool, schema, connection, options.isReadOnly);
  if (replica) return database;
  try {
    await database.prepare();
  } catch (error) {
    await pool.end();
    const right = missingRight(error);
    if (right) throw right;
    const advice = ADVICE[codeOf(error)] ?? NO_SERVER;
    throw new SetupError(`The database cannot be opened: ${errorMessage(error)}`, [advice]);
  }
  return database;
}

const NO_SERVER = 'expected a PostgreSQL server that answers at the address given by --database or DATABASE_URL';
const NOT_LET_IN = 'the server answers; expected a user and a password in the URL, or in PGPASSWORD, that it lets in';
/** What to do about an error of the server, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  '3D000': 'the server answers; create the database there first, for example with createdb',
  '28P01': NOT_LET_IN,
  '28000': NOT_LET_IN,
};

const MAX_CONNECT_SECONDS = 3_600;

/** The milliseconds of `connect_timeout` in a URL. The driver reads other times from there, but not this one. */
function connectTimeout(url: URL): number | null {
  const seconds = url.searchParams.get('connect_timeout');
  if (seconds === null) return null;
  if (!/^[1-9]\d*$/.test(seconds) || Number(seconds) > MAX_CONNECT_SECONDS)
    throw new SetupError(`The database "${withoutPassword(url.toString())}" cannot be opened`, [
      `connect_timeout must be a whole number of seconds from 1 to ${MAX_CONNECT_SECONDS}`,
    ]);
  return Number(seconds) * 1_000;
}

const NOT_TRACKED =
  'Every user and token costs a statement: the database lacks triggers, and its account may not create them. Run sheaf schema apply with the account that owns the tables.';

/** The share of its connections that heavy reads may take, and that others may which are not surely small. */
const [HEAVY_SHARE, MEDIUM_SHARE] = [0.2, 0.3];
/** The id of the process that serves a connection; the types do not know it. */
const processId = ({ processID }: pg.ClientBase & { readonly processID?: number }): number | undefined => processID;
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

/** A connection in an unknown state is closed, not handed on; so is one that holds many prepared statements. */
function release(client: pg.PoolClient, errors: readonly unknown[]): void {
  const isBroken = errors.some((error) => isTransient(error) && !RETRIED.has(codeOf(error)));
  client.release(isBroken || preparedOn(client).characters > MAX_PREPARED_CHARACTERS);
}

class Postgres implements Database {
  readonly dialect = postgresDialect;
  readonly file = null;
  readonly isReadOnly: boolean;
  readonly #pool: pg.Pool;
  readonly #schema: string | null;
  readonly #connectionConfig: pg.ClientConfig;
  #watcher: Watcher | null = null;
  /** Whether triggers note all changes that decide over callers, so that there are marks. */
  #isTracked = false;
  readonly #pruning = new NextRun(() => this.#prune());
  readonly #heavy: Semaphore;
  readonly #medium: Semaphore;
  readonly #pipelined: PipelinedConnections;
  readonly #shared: SharedConnections;

  constructor(pool: pg.Pool, schema: string | null, connectionConfig: pg.ClientConfig, isReadOnly: boolean) {
    this.isReadOnly = isReadOnly;
    this.#pool = pool;
    const share = (part: number): number => Math.max(1, Math.floor(pool.options.max * part));
    this.#heavy = heavyReads(share(HEAVY_SHARE));
    this.#medium = mediumReads(share(MEDIUM_SHARE) * MAX_PIPELINED_READS);
    const connections = { connect: () => pool.connect(), release };
    this.#pipelined = new PipelinedConnections(connections, share(MEDIUM_SHARE));
    this.#shared = new SharedConnections(connections);
    this.#schema = schema;
    this.#connectionConfig = connectionConfig;
  }

  async #hasSchema(name: string): Promise<boolean> {
    const { rows } = await this.#pool.query('select 1 from pg_namespace where nspname = $1', [name]);
    return rows.length > 0;
  }

  /** Sees that the server can do what is asked of it. */
  async prepare(): Promise<void> {
    // Only where it is missing: to create one takes a right, even where there is nothing to create.
    if (this.#schema !== null && !this.isReadOnly && !(await this.#hasSchema(this.#schema)))
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
    const { knownBy = null, isHeavy = false, single = false, timer } = options;
    const timed = timer ? timing(work, timer) : work;
    const read = (session: ClientSession) => timed(knownBy === null ? session : new MarkedSession(session, knownBy));
    if (isHeavy) return this.#readHeavy(read, options);
    // What takes milliseconds of a processor has turns too: many at once would keep the server from what takes none.
    if (timer) return this.#medium.run(() => this.#read(read, single ? this.#pipelined : null));
    return this.#read(read, single ? this.#shared : null);
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

  commitState(): null {
    return null;
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

  /** `among`: connections that it may use beside others. */
  async #read<T>(
    work: (session: ClientSession) => Promise<T>,
    among: PipelinedConnections | SharedConnections | null = null,
  ): Promise<T> {
    const read = (client: pg.PoolClient): Promise<T> => work(new ClientSession(client));
    try {
      return await (among ? among.run(read) : this.#withClient(read));
    } catch (error) {
      throw toClientError(error);
    }
  }

  async transaction<T>(work: (session: Session) => Promise<T>, options: WriteOptions = {}): Promise<T> {
    if (this.isReadOnly) throw readOnlyError();
    const { withoutTimeouts = false, knownBy = null } = options;
    if (withoutTimeouts) return this.#withoutTimeouts(work);
    let [retries, restarts, gone] = [0, 0, 0];
    for (;;) {
      try {
        return await this.#withClient((client) => runTransaction(client, work, knownBy));
      } catch (error) {
        if (codeOf(error) === RESTART) restarts++;
        else if (RETRIED.has(codeOf(error))) retries++;
        else if (codeOf(error) === GONE && gone < MAX_RETRIES) gone++;
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

  async #withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    const errors: unknown[] = [];
    try {
      return await work(client);
    } catch (error) {
      errors.push(error);
      throw error;
    } finally {
      release(client, errors);
    }
  }

  /**
   * Triggers announce all changes; where there are none, other nodes announce theirs. To use marks is to keep them short,
   * which writes.
   */
  async watch(onPoll: () => void): Promise<Watch> {
    this.#isTracked = !this.isReadOnly && (await this.#hasTracking());
    const watcher = new Watcher(this.#connectionConfig, this.#schema, onPoll);
    this.#watcher = watcher;
    await watcher.listen();
    return {
      changeCounter: () => watcher.changeCounter,
      knownBy: this.#isTracked ? 'mark' : 'nothing',
      note: this.#isTracked || this.isReadOnly ? null : NOT_TRACKED,
    };
  }

  async #hasTracking(): Promise<boolean> {
    const [row] = await this.#read((session) => session.rows(TRACKING_STATEMENT, [TRACKING_VALUE]));
    return row![0] === true;
  }

  async info(): Promise<DatabaseInfo> {
    const [row] = await this.snapshot((session) => session.rows(ABOUT, []));
    return { kind: 'PostgreSQL', version: row![0], bytes: Number(row![1]) };
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
    type Described = Record<'indexes' | 'triggers' | 'unreadable', Set<string>> & { columns: Map<string, string> };
    const tables = new Map<string, Described>();
    const columns = await this.#pool.query<[string, string, string, boolean]>({
      text: `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), has_table_privilege(c.oid, 'select') or has_column_privilege(c.oid, a.attnum, 'select') from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = (select quote_ident(current_schema())::regnamespace) and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`,
      rowMode: 'array',
    });
    for (const [table, column, type, mayRead] of columns.rows) {
      if (!tables.has(table))
        tables.set(table, { columns: new Map(), unreadable: new Set(), indexes: new Set(), triggers: new Set() });
      tables.get(table)!.columns.set(column, type);
      if (!mayRead) tables.get(table)!.unreadable.add(column);
    }
    const indexes = await this.#pool.query<[string, string]>({
      text: `select c.relname, i.relname from pg_index x join pg_class c on c.oid = x.indrelid join pg_class i on i.oid = x.indexrelid where c.relnamespace = (select quote_ident(current_schema())::regnamespace) and c.relkind in ('r', 'p')`,
      rowMode: 'array',
    });
    for (const [table, index] of indexes.rows) tables.get(table)?.indexes.add(index);
    const triggers = await this.#pool.query<[string, string]>({
      text: `select c.relname, t.tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = (select quote_ident(current_schema())::regnamespace) and c.relkind in ('r', 'p') and not t.tgisinternal`,
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

  usage(): DatabaseUsage {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { connections: totalCount, busy: totalCount - idleCount, waiting: waitingCount, heavy: this.#heavy.usage };
  }

  async close(): Promise<void> {
    await this.#watcher?.close();
    await this.#pool.end();
  }
}
