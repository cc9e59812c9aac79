// Who has the next permit, and who is refused where too many wait.
import { describe, expect, it } from 'vitest';
import { SheafError } from './errors.ts';
import { Semaphore } from './semaphore.ts';

/** A semaphore of one permit, which is taken, and what ran since. */
function taken(maxWaiting: number) {
  const semaphore = new Semaphore(1, { maxWaiting, maxWaitMs: null, refusal: 'Too many' });
  const ran: string[] = [];
  const begun = Promise.withResolvers<void>();
  const work: Promise<unknown>[] = [semaphore.run(() => begun.promise)];
  const ask = (name: string, who?: string): void => {
    const note = async (): Promise<void> => {
      ran.push(name);
    };
    work.push(
      semaphore.run(note, who).catch((error: unknown) => {
        if (!(error instanceof SheafError)) throw error;
        ran.push(`${name}: ${error.status}`);
      }),
    );
  };
  const finish = async (): Promise<string[]> => {
    begun.resolve();
    await Promise.all(work);
    expect(semaphore.usage).toEqual({ running: 0, waiting: 0 });
    return ran;
  };
  return { semaphore, ask, finish };
}

describe('a semaphore', () => {
  it('runs what waits in order, and refuses what would wait behind too many', async () => {
    const { ask, finish, semaphore } = taken(2);
    for (const name of ['a', 'b', 'c']) ask(name);
    expect(semaphore.usage).toEqual({ running: 1, waiting: 2 });
    expect(await finish()).toEqual(['c: 503', 'a', 'b']);
  });

  it('gives each of those who are told apart a turn', async () => {
    const { ask, finish } = taken(10);
    for (const name of ['a1', 'a2', 'a3', 'a4']) ask(name, 'a');
    ask('b1', 'b');
    ask('b2', 'b');
    ask('c1', 'c');
    expect(await finish()).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  });

  it('refuses the last of the longest line for one who has asked for less', async () => {
    const { ask, finish } = taken(4);
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) ask(name, 'a');
    for (const name of ['b1', 'b2', 'b3']) ask(name, 'b');
    const ran = await finish();
    expect(ran.filter((name) => name.endsWith('503')).sort()).toEqual(['a3: 503', 'a4: 503', 'a5: 503', 'b3: 503']);
    expect(ran.filter((name) => !name.endsWith('503'))).toEqual(['a1', 'b1', 'a2', 'b2']);
  });
});
