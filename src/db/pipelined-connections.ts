// A few connections for reads that take some time each. While all of them are in use, each is sent the next reads before
// it has answered the last, so that no process of the server sleeps and is woken between two of them. They run one after
// another all the same: the server does no more at a time than it has connections.
import type { PoolClient } from 'pg';
import { type Connections, HeldConnection } from './held-connection.ts';

/** Reads that should be under way for each connection: one that runs, and those who wait behind it. */
export const MAX_PIPELINED_READS = 3;
/** After so many a connection is given back, also if it is never idle: what it has prepared is looked at then. */
const READS_PER_CONNECTION = 200;

export class PipelinedConnections {
  readonly #connections: Connections;
  readonly #size: number;
  /** Those in use. The others were given back. */
  #held: HeldConnection[] = [];

  /** `size`: connections that are used at a time. Whoever calls sees to it that there are not too many reads. */
  constructor(connections: Connections, size: number) {
    this.#connections = connections;
    this.#size = size;
  }

  run<T>(read: (client: PoolClient) => Promise<T>): Promise<T> {
    return this.#next().run(read);
  }

  /** One of its own where there are not all yet, and else the one with the fewest reads. */
  #next(): HeldConnection {
    this.#held = this.#held.filter(({ users }) => users > 0);
    const open = this.#held.length < this.#size ? [] : this.#held.filter(takesReads);
    if (open.length > 0) return open.reduce((fewest, one) => (one.users < fewest.users ? one : fewest));
    const held = new HeldConnection(this.#connections);
    this.#held.push(held);
    return held;
  }
}

/** One that has failed may be lost. */
const takesReads = ({ reads, errors }: HeldConnection): boolean => reads < READS_PER_CONNECTION && errors.length === 0;
