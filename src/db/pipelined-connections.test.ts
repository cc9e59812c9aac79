// Which connection a read gets, and when the connection is given back.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_PIPELINED_READS, PipelinedConnections } from './pipelined-connections.ts';

const SIZE = 2;

describe('Reads on pipelined connections', () => {
  let opened: number;
  let released: string[];
  let connections: PipelinedConnections;

  beforeEach(() => {
    opened = 0;
    released = [];
    connections = new PipelinedConnections(
      {
        connect: async () => ({ name: ++opened }) as unknown as PoolClient,
        release: (client, errors) => released.push([nameOf(client), ...errors].join(': ')),
      },
      SIZE,
    );
  });

  const nameOf = (client: PoolClient): number => (client as unknown as { name: number }).name;

  /** A read that ends when it is told to; `by` is the connection that it got. */
  function read() {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const by = Promise.withResolvers<number>();
    const result = connections.run(async (client) => {
      by.resolve(nameOf(client));
      await promise;
    });
    return { result, by: by.promise, resolve, reject };
  }

  async function end(reads: readonly ReturnType<typeof read>[]): Promise<void> {
    for (const { resolve } of reads) resolve();
    await Promise.all(reads.map(({ result }) => result));
    await nextTurn();
  }

  it('have one each while there are enough', async () => {
    const reads = [read(), read()];
    expect(await Promise.all(reads.map(({ by }) => by))).toEqual([1, 2]);
    await end(reads);
    expect(released).toEqual(['1', '2']);
  });

  it('wait behind others in equal numbers, on no more connections than there should be', async () => {
    const reads = Array.from({ length: SIZE * MAX_PIPELINED_READS }, read);
    const by = await Promise.all(reads.map(({ by }) => by));
    expect(by.filter((name) => name === 1)).toHaveLength(MAX_PIPELINED_READS);
    expect(by.filter((name) => name === 2)).toHaveLength(MAX_PIPELINED_READS);
    await end(reads.slice(0, -1));
    expect(released).toEqual(['1']);
    await end(reads.slice(-1));
    expect(released).toEqual(['1', '2']);
  });

  it('never get one that was just given back', async () => {
    const reads = [read(), read()];
    await Promise.all(reads.map(({ by }) => by));
    const later: Promise<number>[] = [];
    for (const { result, resolve } of reads) {
      void result.then(() => later.push(read().by));
      resolve();
    }
    await nextTurn();
    expect(await Promise.all(later)).toEqual([3, 4]);
    expect(released).toEqual(['1', '2']);
  });

  it('get another one where one has failed, which is given back with what went wrong', async () => {
    const reads = [read(), read(), read()];
    reads[0]!.reject('lost');
    await expect(reads[0]!.result).rejects.toBe('lost');
    const after = [read(), read()];
    expect(await Promise.all(after.map(({ by }) => by))).toEqual([2, 2]);
    await end(reads.slice(1));
    expect(released).toEqual(['1: lost']);
    const last = read();
    expect(await last.by).toBe(3);
    await end([...after, last]);
    expect(released).toEqual(['1: lost', '2', '3']);
  });

  it('get another one in the end, also if one is never idle', async () => {
    const used = new Set<number>();
    let last = [read(), read()];
    for (let round = 0; round < 500; round++) {
      const next = [read(), read()];
      for (const { by } of next) used.add(await by);
      await end(last);
      last = next;
    }
    await end(last);
    expect(used.size).toBeGreaterThan(SIZE);
    expect(released).toHaveLength(opened);
  });

  it('fail where there is no connection, and the next asks again', async () => {
    let asked = 0;
    const none = new PipelinedConnections(
      {
        connect: () => Promise.reject(new Error(`no connection ${++asked}`)),
        release: () => released.push('released'),
      },
      SIZE,
    );
    for (const time of [1, 2]) await expect(none.run(async () => 1)).rejects.toThrow(`no connection ${time}`);
    expect(released).toEqual([]);
  });
});
