// How what takes long shares the event loop with all else.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Turns } from './turns.ts';

it('lets one begin at once, and the others one in each turn of the event loop, in their order', async () => {
  const turns = new Turns();
  const begun: string[] = [];
  let isOver = false;
  const others = (async () => {
    for (; !isOver; await nextTurn()) begun.push('others');
  })();
  await Promise.all(['one', 'two', 'three'].map((name) => turns.take().then(() => begun.push(name))));
  isOver = true;
  await others;
  const between = ['one', 'two', 'three'].map((name) => begun.indexOf(name));
  expect(begun.slice(0, between[0]! + 1).filter((name) => name !== 'others')).toEqual(['one']);
  expect(begun.slice(between[0]!, between[1])).toContain('others');
  expect(begun.slice(between[1]!, between[2])).toContain('others');
});

it('is free again when nobody has asked for a turn', async () => {
  const turns = new Turns();
  await turns.take();
  await nextTurn();
  await nextTurn();
  let isIn = false;
  void turns.take().then(() => {
    isIn = true;
  });
  await Promise.resolve();
  await Promise.resolve();
  expect(isIn).toBe(true);
});
