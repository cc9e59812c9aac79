import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { NextRun } from './next-run.ts';

it('gives nobody what began before they asked, and lets all who wait share a run', async () => {
  let begun = 0;
  let atOnce = 0;
  const runs = new NextRun(async () => {
    const number = ++begun;
    expect(++atOnce).toBe(1);
    await turn();
    atOnce--;
    return number;
  });
  const first = [runs.result(), runs.result()];
  await turn();
  const second = [runs.result(), runs.result(), runs.result()];
  expect(await Promise.all(first)).toEqual([1, 1]);
  expect(await Promise.all(second)).toEqual([2, 2, 2]);
  expect(await runs.result()).toBe(3);
});

it('goes on after a run that failed', async () => {
  let begun = 0;
  const runs = new NextRun(async () => {
    await turn();
    if (++begun === 1) throw new Error('failed');
    return begun;
  });
  const failing = runs.result();
  const failed = expect(failing).rejects.toThrow('failed');
  await turn();
  expect(await runs.result()).toBe(2);
  await failed;
});
