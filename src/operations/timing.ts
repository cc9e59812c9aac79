// How long the steps of an operation took, for Server-Timing.

/** Milliseconds. */
export interface Timing {
  readonly parse: number;
  readonly plan: number;
}

/** Of an operation that was prepared before. */
export const CACHED_TIMING: Timing = { parse: 0, plan: 0 };
