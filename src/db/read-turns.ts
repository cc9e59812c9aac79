// Reads that are not surely small have turns: a few run at a time, and some wait.
import { MAX_HEAVY_WAIT_MS, MAX_WAITING_HEAVY_READS, MAX_WAITING_MEDIUM_READS } from '../limits.ts';
import { Semaphore } from '../semaphore.ts';

const readTurns = (permits: number, maxWaiting: number): Semaphore =>
  new Semaphore(permits, {
    maxWaiting,
    maxWaitMs: MAX_HEAVY_WAIT_MS,
    refusal: 'Too many large requests are under way; try again',
  });

export const heavyReads = (permits: number): Semaphore => readTurns(permits, MAX_WAITING_HEAVY_READS);

/** Each takes milliseconds, so more of them may wait. */
export const mediumReads = (permits: number): Semaphore => readTurns(permits, MAX_WAITING_MEDIUM_READS);
