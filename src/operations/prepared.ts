// Reads that are ready to run.
import type { Caller } from '../access/caller.ts';
import type { WhenGone } from '../db/database.ts';
import type { Context } from '../read/bind.ts';
import type { ReadRequest } from '../request/read-request.ts';
import type { Timing } from './timing.ts';

/** What differs between runs of one prepared read. */
export interface RunOptions {
  /** One who has the access that the read was prepared for. */
  readonly caller: Caller;
  readonly documentId?: string | null;
  /** The state of the data that the answer must not be older than. */
  readonly after?: string | null;
  /** Calls back when nobody waits for the answer any more. */
  readonly whenGone?: WhenGone;
}

/** A read that is ready to run, for everyone who has the same access. */
export interface PreparedRead<Answer> {
  readonly request: ReadRequest;
  readonly timing: Timing;
  /** Bytes that it holds on to, roughly. */
  readonly weight: number;
  /** Paths of relations that `*` left out. */
  readonly omitted: readonly string[];
  /** What the request probably means but does not say. */
  readonly hints: readonly string[];
  /** Rows that the database touches, as a caller may know it. */
  cost(): number;
  run(options: RunOptions): Promise<Answer>;
}

export interface PreparedOne extends PreparedRead<string | null> {
  /** The same on the newest state of the data, never on a replica's. */
  latest(options: RunOptions): Promise<string | null>;
}

/** Bytes that a plan with its statements takes, roughly: the least, and more for each character of its key. */
export const weightOf = (key: string): number => LEAST_WEIGHT + WEIGHT_OF_CHARACTER * key.length;
const LEAST_WEIGHT = 8_192;
const WEIGHT_OF_CHARACTER = 40;

/** Now, once for all statements of a request, and where it stands. */
export const clockOf = ({ timezone }: ReadRequest): Pick<Context, 'now' | 'timezone'> => ({
  now: Date.now(),
  timezone,
});
