// Which reads share a connection, what is sent when, and when the connection is given back.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_SHARED_READS, SharedConnections } from './shared-connections.ts';

describe('Reads that share connections', () => {
  let events: string[];
  let connections: SharedConnections;

  beforeEach(() => {
    events = [];
    let opened = 0;
    connections = new SharedConnections({
      async connect() {
        const name = `connection ${++opened}`;
        const stream = {
          cork: () => events.push(`${name} holds back`),
          uncork: () => events.push(`${name} sends`),
        };
        return { name, connection: { stream } } as unknown as PoolClient;
      },
      release: (client, errors) => events.push([`${nameOf(client)} is released`, ...errors].join(': ')),
    });
  });

  const nameOf = (client: PoolClient): string => (client as unknown as { name: string }).name;

  /** A read that ends when it is told to. */
  function read(name: string) {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const result = connections.run((client) => {
      events.push(`${nameOf(client)} reads ${name}`);
      return promise;
    });
    return { result, resolve, reject };
  }

  /** Two reads in a turn: so many are expected in the next. */
  async function haveSeveral(): Promise<void> {
    const reads = [read('one'), read('another')];
    for (const { resolve } of reads) resolve('');
    await Promise.all(reads.map(({ result }) => result));
    await nextTurn();
    events.length = 0;
  }

  it('are not held back where they come one by one', async () => {
    for (const name of ['a', 'b']) {
      read(name).resolve('');
      await nextTurn();
    }
    expect(events).toEqual([
      'connection 1 reads a',
      'connection 1 is released',
      'connection 2 reads b',
      'connection 2 is released',
    ]);
  });

  it('are sent together at the end of the turn, and the last gives the connection back', async () => {
    await haveSeveral();
    const [first, second] = [read('a'), read('b')];
    await nextTurn();
    const sent = ['connection 2 holds back', 'connection 2 reads a', 'connection 2 reads b', 'connection 2 sends'];
    expect(events).toEqual(sent);
    second.resolve('B');
    expect(await second.result).toBe('B');
    expect(events).toEqual(sent);
    first.resolve('A');
    expect(await first.result).toBe('A');
    await nextTurn();
    expect(events).toEqual([...sent, 'connection 2 is released']);
  });

  it('are those of one turn, and no more than one connection is good for, which are sent at once', async () => {
    await haveSeveral();
    setImmediate(() => events.push('the turn is over'));
    const reads = Array.from({ length: MAX_SHARED_READS + 1 }, (_, index) => read(`${index}`));
    await nextTurn();
    const sent = events.filter((event) => !event.includes('reads') && !event.includes('holds'));
    expect(sent).toEqual(['connection 2 sends', 'the turn is over', 'connection 3 sends']);
    reads.push(read('later'));
    await nextTurn();
    expect(events.at(-1)).toBe('connection 4 sends');
    const readBy = (connection: number) => events.filter((event) => event.startsWith(`connection ${connection} reads`));
    expect([2, 3, 4].map((connection) => readBy(connection).length)).toEqual([MAX_SHARED_READS, 1, 1]);
    for (const { resolve } of reads) resolve('');
    await Promise.all(reads.map(({ result }) => result));
    await nextTurn();
    expect(events.filter((event) => event.endsWith('is released'))).toHaveLength(3);
  });

  it('fail each for itself, and the connection is given back with what went wrong', async () => {
    const [first, second, third] = [read('a'), read('b'), read('c')];
    first.reject('no a');
    third.reject('no c');
    await expect(first.result).rejects.toBe('no a');
    await expect(third.result).rejects.toBe('no c');
    await nextTurn();
    expect(events.filter((event) => event.includes('released'))).toEqual([]);
    second.resolve('B');
    expect(await second.result).toBe('B');
    await nextTurn();
    expect(events.at(-1)).toBe('connection 1 is released: no a: no c');
  });

  it('all fail where there is no connection', async () => {
    const none = new SharedConnections({
      connect: () => Promise.reject(new Error('no connection')),
      release: () => events.push('released'),
    });
    const reads = ['a', 'b'].map((name) => none.run(async () => name));
    for (const one of reads) await expect(one).rejects.toThrow('no connection');
    await nextTurn();
    expect(events).toEqual([]);
  });
});
