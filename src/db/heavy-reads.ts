// Reads that may take long have turns: a few run at a time, and some wait.
import { MAX_HEAVY_WAIT_MS, MAX_WAITING_HEAVY_READS } from '../limits.ts';
import { Semaphore } from '../semaphore.ts';

export const heavyReads = (permits: number): Semaphore =>
  new Semaphore(permits, {
    maxWaiting: MAX_WAITING_HEAVY_READS,
    maxWaitMs: MAX_HEAVY_WAIT_MS,
    refusal: 'Too many large requests are under way; try again',
  });
