// What "soon" means on a machine of unknown speed, with other things to do: sooner than something usual that is done
// many times over, in the same run and in turn with it.
import { expect } from 'vitest';

const TURNS = 3;

type Work = () => Promise<unknown>;

export interface Bound {
  /** What took fewer milliseconds is not looked at any closer. */
  readonly suspicious: number;
  /** What is soon is done sooner than the usual so many times. */
  readonly most: number;
}

export async function timed(work: Work): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

/** Expects that work which took so long did so because of the machine. */
export async function expectSoon(took: number, work: Work, usual: Work, { suspicious, most }: Bound): Promise<void> {
  if (took < suspicious) return;
  let quickest = took;
  let longest = 0;
  const allUsual = async (): Promise<void> => {
    for (let count = 0; count < most; count++) await usual();
  };
  for (let turn = 0; turn < TURNS && quickest >= longest; turn++) {
    longest = Math.max(longest, await timed(allUsual));
    quickest = Math.min(quickest, await timed(work));
  }
  expect(quickest, `milliseconds, as against ${most} times the usual`).toBeLessThan(longest);
}
