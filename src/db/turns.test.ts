// How what takes long shares the event loop with all else, by a clock that only the work of these tests moves on.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { TURN_MS, Turns } from './turns.ts';

const nextTick = (): Promise<void> => new Promise(process.nextTick);

describe('What takes turns', () => {
  let clock = 0;
  let turns: Turns;
  beforeEach(() => {
    turns = new Turns(() => clock);
  });

  /** In which order they begin that ask together, and where other work of the event loop gets in between. */
  async function begun(names: readonly string[], milliseconds: number): Promise<string[]> {
    const order: string[] = [];
    let isOver = false;
    const others = (async () => {
      for (; !isOver; await nextTurn()) if (order.at(-1) !== 'others') order.push('others');
    })();
    await Promise.all(
      names.map(async (name) => {
        await turns.take();
        order.push(name);
        clock += milliseconds;
      }),
    );
    isOver = true;
    await others;
    return order;
  }

  async function beginsAtOnce(): Promise<boolean> {
    let isIn = false;
    void turns.take().then(() => {
      isIn = true;
    });
    await nextTick();
    await nextTick();
    return isIn;
  }

  it('begins in its order, in each turn of the event loop as much as there is time for', async () => {
    expect(await begun(['one', 'two', 'three'], TURN_MS)).toEqual([
      'others',
      'one',
      'others',
      'two',
      'others',
      'three',
    ]);
  });

  it('shares a turn if it takes little time', async () => {
    expect(await begun(['one', 'two', 'three'], 0)).toEqual(['others', 'one', 'others', 'two', 'three']);
  });

  it('begins at once in a turn that has time left, and in no other', async () => {
    expect(await beginsAtOnce()).toBe(true);
    expect(await beginsAtOnce()).toBe(true);
    clock += TURN_MS;
    expect(await beginsAtOnce()).toBe(false);
  });

  it('begins at once when nobody has asked for a turn', async () => {
    await turns.take();
    clock += TURN_MS;
    await nextTurn();
    await nextTurn();
    expect(await beginsAtOnce()).toBe(true);
  });
});
