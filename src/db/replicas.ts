// Reads on streaming replicas of a PostgreSQL primary. A client that has written reads its own write: a replica is
// used only when it has come as far, and where that takes too long, or it fails, the primary answers.
import { setTimeout as sleep } from 'node:timers/promises';
import { SheafError } from '../errors.ts';
import { MAX_REPLICA_WAIT_MS, REPLICA_PAUSE_MS } from '../limits.ts';
import { type BoundValue, plainStatement, type Row, type Statement } from '../sql/statement.ts';
import type {
  Database,
  DatabaseHealth,
  DatabaseInfo,
  DatabaseUsage,
  Marked,
  ReadOptions,
  Session,
  TableDescription,
  Watch,
  WriteOptions,
} from './database.ts';

const REACHED = plainStatement<readonly [position: string]>(
  `select coalesce(pg_last_wal_replay_lsn(), 'FFFFFFFF/FFFFFFFF')::text`,
);
const POSITION = plainStatement<readonly [position: string]>('select pg_current_wal_insert_lsn()::text');
/** Seconds since the last change that it has, where there are changes that it has not. */
const LAG = plainStatement<readonly [seconds: number | null]>(
  `select case when pg_last_wal_replay_lsn() >= $1::pg_lsn then 0 else coalesce(extract(epoch from now() - pg_last_xact_replay_timestamp()), 0)::float8 end`,
);
const POSITION_FORM = /^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/i;
const WAIT_STEP_MS = 5;
/** A replica with a read under way for longer than this is not given another. */
const PATIENCE_MS = 300;

export interface Replica {
  /** Where it is, without its password, for messages. */
  readonly name: string;
  readonly database: Database;
}

interface ReplicaState extends Replica {
  /** When the reads under way began, the oldest first. */
  readonly pending: Set<number>;
  pausedUntil: number;
  /** How far it is known to have come, whether a read waits for it to come further, and until when none need. */
  reached: bigint;
  waiting: boolean;
  behindUntil: number;
  failed: boolean;
}

/** A replica that is not as far as a client's own write. */
class ReplicaBehindError extends Error {}

export class ReplicatedDatabase implements Database {
  readonly file = null;
  readonly #primary: Database;
  readonly #replicas: readonly ReplicaState[];
  #next = 0;

  constructor(primary: Database, replicas: readonly Replica[]) {
    this.#primary = primary;
    this.#replicas = replicas.map((replica) => ({
      ...replica,
      pending: new Set(),
      pausedUntil: 0,
      reached: 0n,
      waiting: false,
      behindUntil: 0,
      failed: false,
    }));
  }

  get dialect() {
    return this.#primary.dialect;
  }

  get isReadOnly() {
    return this.#primary.isReadOnly;
  }

  usage(): DatabaseUsage {
    const all = [this.#primary, ...this.#replicas.map(({ database }) => database)].map((one) => one.usage());
    const sum = (of: (usage: DatabaseUsage) => number): number => all.reduce((total, one) => total + of(one), 0);
    return {
      connections: sum(({ connections }) => connections),
      busy: sum(({ busy }) => busy),
      waiting: sum(({ waiting }) => waiting),
      heavy: { running: sum(({ heavy }) => heavy.running), waiting: sum(({ heavy }) => heavy.waiting) },
    };
  }

  async snapshot<T>(work: (session: Session) => Promise<T>, options: ReadOptions = {}): Promise<T> {
    const { after, isHeavy = false, whenGone, timer } = options;
    const passed = { isHeavy, whenGone, timer };
    const wanted = after && POSITION_FORM.test(after) ? numberOf(after) : 0n;
    const replica = this.#choose(wanted, PATIENCE_MS);
    if (replica) return this.#readReplica(replica, wanted, work, passed);
    try {
      return await this.#primary.snapshot(work, passed);
    } catch (error) {
      // A replica that is slow is better than a primary that is away.
      const slow = isUnavailable(error) && !isHeavy ? this.#choose(wanted, Number.POSITIVE_INFINITY) : undefined;
      if (!slow) throw error;
      return this.#readReplica(slow, wanted, work, passed);
    }
  }

  /** Reads from the primary if the replica fails. */
  async #readReplica<T>(
    replica: ReplicaState,
    wanted: bigint,
    work: (session: Session) => Promise<T>,
    options: ReadOptions,
  ): Promise<T> {
    const begin = performance.now();
    const waits = wanted > replica.reached;
    replica.pending.add(begin);
    if (waits) replica.waiting = true;
    try {
      const result = await replica.database.snapshot(async (session) => {
        if (waits) await catchUp(session, replica, wanted);
        return work(session);
      }, options);
      replica.failed = false;
      return result;
    } catch (error) {
      // What a client did wrong is wrong everywhere; anything else may be the replica's doing, and is read again.
      // A heavy read that took too long would take as long again.
      if (error instanceof SheafError && (error.status < 500 || options.isHeavy)) throw error;
      if (!(error instanceof ReplicaBehindError)) {
        replica.pausedUntil = performance.now() + REPLICA_PAUSE_MS;
        replica.failed = true;
      }
      return this.#primary.snapshot(work, options);
    } finally {
      replica.pending.delete(begin);
      if (waits) replica.waiting = false;
    }
  }

  /**
   * One that is not paused and has no read under way for longer than `patience`. One that failed last is tried by one
   * read at a time, and so is one that is not known to be as far as a client's own write.
   */
  #choose(wanted: bigint, patience: number): ReplicaState | undefined {
    const now = performance.now();
    for (let tried = 0; tried < this.#replicas.length; tried++) {
      const replica = this.#replicas[this.#next++ % this.#replicas.length]!;
      const [oldest] = replica.pending;
      if (wanted > replica.reached && replica.waiting) continue;
      if (replica.pausedUntil > now || (!replica.waiting && oldest !== undefined && now - oldest > patience)) continue;
      if (!replica.failed || replica.pending.size === 0) return replica;
    }
    return undefined;
  }

  transaction<T>(work: (session: Session) => Promise<T>, options?: WriteOptions): Promise<T> {
    return this.#primary.transaction(work, options);
  }

  async replicationPosition(): Promise<string | null> {
    const [row] = await this.#primary.snapshot((session) => session.rows(POSITION, []));
    return row![0];
  }

  async check(): Promise<DatabaseHealth> {
    await this.#primary.check();
    const position = await this.replicationPosition();
    const replicas = this.#replicas.map(async ({ name, database }) => {
      try {
        const [row] = await database.snapshot((session) => session.rows(LAG, [position]));
        return { name, lagSeconds: Number(row![0] ?? 0) };
      } catch {
        return { name, lagSeconds: null };
      }
    });
    return { replicas: await Promise.all(replicas) };
  }

  explain(statement: Statement, values: readonly BoundValue[]): Promise<readonly string[]> {
    return this.#primary.explain(statement, values);
  }

  info(): Promise<DatabaseInfo> {
    return this.#primary.info();
  }

  describe(): Promise<ReadonlyMap<string, TableDescription>> {
    return this.#primary.describe();
  }

  countRows(tables: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#primary.countRows(tables);
  }

  latest<T>(work: (session: Session) => Promise<T>): Promise<T> {
    return this.#primary.latest(work);
  }

  marked<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<Marked<R>> {
    return this.#primary.marked(statement, values);
  }

  /** That of the primary says nothing about the state that a replica has. */
  commitState(): null {
    return null;
  }

  mark(): Promise<string | null> {
    return this.#primary.mark();
  }

  /** The mark that a replica has says nothing about the rights that a caller has by now: each is asked for. */
  async watch(onPoll: () => void): Promise<Watch> {
    return { ...(await this.#primary.watch(onPoll)), knownBy: 'nothing' };
  }

  async close(): Promise<void> {
    await Promise.all([this.#primary.close(), ...this.#replicas.map(({ database }) => database.close())]);
  }
}

const isUnavailable = (error: unknown): boolean => error instanceof SheafError && error.status === 503;

/** Waits until the replica is far enough; where it was not a moment ago, it is only asked once. */
async function catchUp(session: Session, replica: ReplicaState, wanted: bigint): Promise<void> {
  const begin = performance.now();
  const patience = replica.behindUntil > begin ? 0 : MAX_REPLICA_WAIT_MS;
  for (;;) {
    const [row] = await session.rows(REACHED, []);
    replica.reached = numberOf(row![0]);
    if (replica.reached >= wanted) return;
    if (performance.now() - begin >= patience) {
      replica.behindUntil = performance.now() + REPLICA_PAUSE_MS;
      throw new ReplicaBehindError();
    }
    await sleep(WAIT_STEP_MS);
  }
}

/** A position as a number that can be compared. */
function numberOf(position: string): bigint {
  const [high, low] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
}
