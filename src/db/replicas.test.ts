// Which database a read goes to, on databases of which a test decides what becomes of a read.
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { unavailableError } from '../errors.ts';
import type { Database } from './database.ts';
import { ReplicatedDatabase } from './replicas.ts';

/** After this time, a replica with a read under way gets no other. */
const SLOW_MS = 301;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Reads wait for what `read` returns, and say who has served them. */
const databaseOf = (name: string, read: () => unknown): Database =>
  ({ snapshot: async () => [name, await read()] }) as unknown as Database;

function replicated(primary: () => unknown) {
  const waiting: (() => void)[] = [];
  const replica = databaseOf('replica', () => new Promise<void>((resolve) => waiting.push(resolve)));
  const database = new ReplicatedDatabase(databaseOf('primary', primary), [{ name: 'replica', database: replica }]);
  return {
    read: (isHeavy = false) => database.snapshot(() => Promise.reject(new Error('not sent')), { isHeavy }),
    /** Lets the reads on the replica end. */
    async end() {
      await vi.waitUntil(() => waiting.length > 0);
      for (const end of waiting) end();
    },
  };
}

const away = (): never => {
  throw unavailableError('away');
};

it('A read goes to the primary while the replica is slow', async () => {
  const { read, end } = replicated(() => undefined);
  const slow = read();
  vi.advanceTimersByTime(SLOW_MS);
  expect(await read()).toEqual(['primary', undefined]);
  await end();
  expect(await slow).toEqual(['replica', undefined]);
});

it('A read waits for a slow replica while the primary is away', async () => {
  const { read, end } = replicated(away);
  const reads = [read()];
  vi.advanceTimersByTime(SLOW_MS);
  reads.push(read());
  await new Promise(setImmediate);
  await end();
  expect(await Promise.all(reads)).toEqual([
    ['replica', undefined],
    ['replica', undefined],
  ]);
});

it('A heavy read does not', async () => {
  const { read, end } = replicated(away);
  const slow = read();
  vi.advanceTimersByTime(SLOW_MS);
  await expect(read(true)).rejects.toThrow('away');
  await end();
  await slow;
});
