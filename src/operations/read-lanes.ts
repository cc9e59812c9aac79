// Two lanes for reads. What is small runs at once, where every request runs. What may take long waits for its turn in a
// lane of few, has a deadline, and ends when its client goes: on SQLite in processes of their own, on PostgreSQL on a
// share of the connections. Which lane is decided from the plan and the sizes of its tables, and corrected by the time
// that the plan took before.
import { stat } from 'node:fs/promises';
import type { ReadOptions, ReadTimer, Session } from '../db/database.ts';
import type { ScopedDatabase } from '../db/scoped-database.ts';
import { validationError } from '../errors.ts';
import {
  LARGEST_PAGE_SIZE,
  MAX_READ_COST,
  MAX_SMALL_COST,
  MAX_SMALL_READ_MS,
  MAX_SMALL_TEXT_BYTES,
} from '../limits.ts';
import { tablesOf } from '../model/tables.ts';
import type { Model } from '../model/types.ts';
import { type Cost, estimateCost, type ReadCost } from '../plan/read/cost.ts';
import type { CompiledRead } from '../read/compiled-read.ts';
import { type PreparedStatements, runBound } from '../read/read-strategy.ts';
import type { ListForm } from '../sql/compile-answer.ts';
import type { Row } from '../sql/statement.ts';
import { Assembly } from './assembly.ts';
import { type ReadJob, RowsSession, received, type WorkResult } from './read-job.ts';
import { ReaderPool } from './reader-pool.ts';

/** A response of more characters is put together in a thread of its own. */
const LARGE_CHARACTERS = 500_000;
/** How long sizes of tables are believed. */
const SIZES_MS = 60_000;
/** A plan that seems up to this many times too large is small all the same if it was quick so often. */
const DOUBTFUL = 10;
/** No time that it took makes a smaller read heavy. */
const NEVER_HEAVY = MAX_SMALL_COST / 20;
/** Characters of a text that are looked for in the time of one: each that comes near is compared as far as it goes. */
const SHORT_TEXT = 32;
/** Rows that the database passes, beyond the one that counts already, while a value is read and written. */
const ROWS_PER_VALUE = 3;
const QUICK_RUNS = 3;
const QUICK_MS = 5;

/** A read, as this process runs it and as another one would. */
export interface LaneRead<Result extends WorkResult> {
  work(session: Session): Promise<Result>;
  readonly job: ReadJob;
  /** Its statements, where it returns entries. */
  prepared?(): PreparedStatements;
}

export class ReadLanes {
  readonly #database: ScopedDatabase;
  readonly #tables: readonly string[];
  readonly #readers: ReaderPool | null;
  readonly #assembly = new Assembly();
  readonly #plans = new WeakMap<CompiledRead, Map<ReadJob['kind'], PlanLane>>();
  readonly #timer: NodeJS.Timeout;
  #begun = 0;
  /** Rows by table. */
  sizes: ReadonlyMap<string, number> = new Map();
  /** Bytes that a condition on texts looks through at most, where that is done in this process. */
  textBytes = 0;

  constructor(database: ScopedDatabase, model: Model) {
    this.#database = database;
    this.#tables = tablesOf(model).map(({ name }) => name);
    this.#readers = database.file === null ? null : new ReaderPool(database.file, database.isReadOnly);
    // Where they cannot be read now, those from before will do.
    this.#timer = setInterval(() => this.readSizes().catch(() => undefined), SIZES_MS).unref();
  }

  /** Heavy reads: how many began, how many run, and how many wait for their turn. */
  usage(): { readonly begun: number; readonly running: number; readonly waiting: number } {
    return { begun: this.#begun, ...(this.#readers?.usage ?? this.#database.usage().heavy) };
  }

  async readSizes(): Promise<void> {
    this.sizes = await this.#database.countRows(this.#tables);
    const { file } = this.#database;
    if (file !== null) this.textBytes = (await stat(file)).size;
  }

  costOf({ plan }: CompiledRead, limit: number): ReadCost {
    return estimateCost(plan, (table) => this.sizes.get(table) ?? 0, limit);
  }

  /** Kinds have lanes of their own: a page may be found in no time where to count all that it is of takes long. */
  laneOf(read: CompiledRead, kind: ReadJob['kind']): PlanLane {
    let lanes = this.#plans.get(read);
    if (!lanes) {
      lanes = new Map();
      this.#plans.set(read, lanes);
    }
    let lane = lanes.get(kind);
    if (!lane) {
      lane = new PlanLane(this, read);
      lanes.set(kind, lane);
    }
    return lane;
  }

  /** Runs a read that may take long. */
  async runHeavy<Result extends WorkResult>(heavy: LaneRead<Result>, options: ReadOptions): Promise<Result> {
    const { work, job } = heavy;
    this.#begun++;
    // Nobody else sees what a transaction under way has written, and it holds its connection anyway.
    if (this.#database.isInTransaction) return this.#database.snapshot(work, options);
    if (this.#readers)
      return received<Result>(
        await this.#readers.run(job, { whenGone: options.whenGone, took: (time) => options.timer?.took(time) }),
      );
    return this.#database.snapshot(this.#assembling(heavy), { ...options, isHeavy: true });
  }

  /** Runs a read that takes little time, though its response may be large. */
  runSmall<Result extends WorkResult>(small: LaneRead<Result>, options: ReadOptions): Promise<Result> {
    const { work, job } = small;
    // On SQLite rows are read one by one, and what takes long is heavy the next time.
    if (this.#readers) return this.#database.snapshot(work, options);
    const mayBeLarge = options.timer !== undefined || job.plan.entity.populate.length > 0;
    // Who reads in process without a page takes what there is, here.
    const isPage = Number(job.context.limit ?? 1) <= LARGEST_PAGE_SIZE && !this.#database.isInTransaction;
    return this.#database.snapshot(mayBeLarge && isPage ? this.#assembling(small) : work, options);
  }

  /**
   * The work of a read, except that a large response is put together in a thread of its own. The read lasts until then,
   * so that there are never many of them.
   */
  #assembling<Result extends WorkResult>({ work, job, prepared }: LaneRead<Result>) {
    const answer = prepared?.().answer;
    if (!answer) return work;
    const assemble = (rows: readonly Row[]): Promise<Result> => {
      if (lengthOf(rows) <= LARGE_CHARACTERS) return work(new RowsSession(rows));
      return this.#assembly.run(job, rows).then((result) => received<Result>(result));
    };
    // An async function would keep the rows until the response is put together.
    return (session: Session): Promise<Result> => runBound(session, answer, job.context).then(assemble);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#readers?.close();
    await this.#assembly.close();
  }
}

/** Characters in the strings of rows. */
const lengthOf = (rows: readonly Row[]): number => {
  let length = 0;
  for (const row of rows) for (const value of row) if (typeof value === 'string') length += value.length;
  return length;
};

/** What a plan costs: in rows, in rows that pass while it takes its time, and as a caller may know it. */
interface Estimate {
  readonly rows: number;
  readonly time: number;
  readonly shown: number;
  /** How often it looks through long texts. */
  readonly texts: number;
}

/** What is known of one plan, for one kind of reading it. */
export class PlanLane implements ReadTimer {
  readonly #lanes: ReadLanes;
  readonly #read: CompiledRead;
  #sizes: ReadonlyMap<string, number> | null = null;
  /** By the number of entries shown. */
  readonly #estimates = new Map<number, Estimate>();
  /** How often in a row it was quick, and whether it was slow since it last was so often. */
  #quick = 0;
  #isSlow = false;
  #isSuspect = false;

  constructor(lanes: ReadLanes, read: CompiledRead) {
    this.#lanes = lanes;
    this.#read = read;
  }

  /** What is told the time; undefined where that does not matter, since it cannot be heavy. */
  timerWith(limit: number): ReadTimer | undefined {
    const { rows, texts } = this.#estimate(limit);
    return rows < NEVER_HEAVY && texts === 0 ? undefined : this;
  }

  /** Whether there may be so many rows to count that a total is worth knowing. */
  get isLong(): boolean {
    return (this.#lanes.sizes.get(this.#read.plan.entity.table) ?? 0) >= NEVER_HEAVY;
  }

  /** How populated rows are best returned. */
  listForm(limit: number): ListForm {
    if (!this.timerWith(limit)) return 'whole';
    return this.isLong ? 'chunks and state' : 'chunks';
  }

  /** A long time by the clock may be that of others, so the next run is timed exactly. */
  get isExact(): boolean {
    return this.#isSuspect;
  }

  took(milliseconds: number): void {
    this.#quick = milliseconds <= QUICK_MS ? this.#quick + 1 : 0;
    if (this.#quick >= QUICK_RUNS) this.#isSlow = false;
    const isLong = milliseconds > MAX_SMALL_READ_MS;
    if (isLong && this.#isSuspect) this.#isSlow = true;
    this.#isSuspect = isLong;
  }

  /** Refuses a read that costs more than its caller may spend. */
  requireWithin(budget: number, limit: number): void {
    if (this.#costOf(limit) > budget) throw tooExpensive(this.#lanes.costOf(this.#read, limit), budget);
  }

  /** `values`: of the request. */
  isHeavy(limit: number, values: readonly unknown[]): boolean {
    const { rows, time, texts } = this.#estimate(limit);
    if (this.#isSlow) return rows >= NEVER_HEAVY || texts > 0;
    if (this.#isMoreThan(time, MAX_SMALL_COST)) return true;
    if (texts === 0) return false;
    const bytes = texts * this.#lanes.textBytes * (1 + longestOf(values) / SHORT_TEXT);
    return this.#isMoreThan(bytes, MAX_SMALL_TEXT_BYTES);
  }

  /** What was quick so far is taken for less than it seems, but not for any less. */
  #isMoreThan(estimate: number, most: number): boolean {
    return estimate > most && (estimate > most * DOUBTFUL || this.#quick < QUICK_RUNS);
  }

  /** Rows that the database touches for so many entries, as a caller may know it. */
  shownCost(limit: number): number {
    return this.#estimate(limit).shown;
  }

  #costOf(limit: number): number {
    return this.#estimate(limit).rows;
  }

  #estimate(limit: number): Estimate {
    if (this.#lanes.sizes !== this.#sizes) {
      this.#estimates.clear();
      this.#sizes = this.#lanes.sizes;
    }
    let estimate = this.#estimates.get(limit);
    if (!estimate) {
      const { rows, written, texts } = this.#lanes.costOf(this.#read, limit);
      estimate = { rows, time: rows + written * ROWS_PER_VALUE, shown: roundedCost(rows), texts };
      this.#estimates.set(limit, estimate);
    }
    return estimate;
  }
}

/** Characters of the longest text among values, and in lists of them. */
function longestOf(values: readonly unknown[]): number {
  let longest = 0;
  for (const value of values) {
    const length = typeof value === 'string' ? value.length : Array.isArray(value) ? longestOf(value) : 0;
    longest = Math.max(longest, length);
  }
  return longest;
}

/** To one digit: what is exact would tell how many rows there are that the caller may not see. */
function roundedCost(rows: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(rows, 1)));
  return Math.ceil(rows / unit) * unit;
}

function tooExpensive(cost: Cost, budget: number): Error {
  let [part] = [cost];
  const path: string[] = [];
  while (part.parts.length > 0) {
    part = part.parts.reduce((most, one) => (one.rows > most.rows ? one : most));
    path.push(part.title);
  }
  const most = path.join(', ');
  const rows = roundedCost(cost.rows);
  const name = budget < MAX_READ_COST ? 'readCost' : 'MAX_READ_COST';
  return validationError(
    `The request costs too much: about ${rows} rows would be read, at most ${budget} (${name}). Most of them by: ${most}`,
    { limit: name, allowed: budget, cost: rows, part: most },
  );
}
