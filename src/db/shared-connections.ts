// Small reads that come in the same turn of the event loop share a connection: their statements are pipelined, and sent
// in one write. To wake a process of the server for each of them takes longer than some of them do.
import type { Writable } from 'node:stream';
import type { PoolClient } from 'pg';
import { type Connections, HeldConnection } from './held-connection.ts';

/** So many take the server less than a millisecond. The rest are for its other processes, which run beside it. */
export const MAX_SHARED_READS = 8;

type Socket = Pick<Writable, 'cork' | 'uncork'>;

export class SharedConnections {
  readonly #connections: Connections;
  /** The connection that reads of this turn share. */
  #current: SharedConnection | null = null;
  #readsInTurn = 0;
  /** Whether the turn before had several. Where reads come one by one, to wait for others only takes time. */
  #wereSeveral = false;

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  run<T>(read: (client: PoolClient) => Promise<T>): Promise<T> {
    this.#readsInTurn++;
    const shared = this.#current ?? this.#begin();
    const result = shared.run(read);
    if (shared.reads === MAX_SHARED_READS) {
      this.#current = null;
      afterMicrotasks(() => shared.send());
    }
    return result;
  }

  #begin(): SharedConnection {
    const begun = new SharedConnection(this.#connections, this.#wereSeveral);
    this.#current = begun;
    setImmediate(() => {
      if (this.#current === begun) this.#current = null;
      this.#endTurn();
      begun.endTurn();
    });
    return begun;
  }

  /** For the first connection of the turn, and again for others, when nothing is left to count. */
  #endTurn(): void {
    if (this.#readsInTurn === 0) return;
    this.#wereSeveral = this.#readsInTurn > 1;
    this.#readsInTurn = 0;
  }
}

/** By then all reads that have a connection have asked for their rows. */
const afterMicrotasks = (listener: () => void): void => queueMicrotask(() => process.nextTick(listener));

class SharedConnection extends HeldConnection {
  #isSent: boolean;
  #held: Socket | null = null;

  constructor(connections: Connections, holdsBack: boolean) {
    super(connections, (client) => {
      if (!this.#isSent) this.#holdBack(client.connection.stream);
    });
    this.#isSent = !holdsBack;
    // The turn in which others may come uses it, too.
    this.users++;
  }

  #holdBack(socket: Socket): void {
    socket.cork();
    this.#held = socket;
  }

  /** What comes later is not held back. */
  send(): void {
    this.#isSent = true;
    this.#held?.uncork();
    this.#held = null;
  }

  endTurn(): void {
    this.send();
    this.leave();
  }
}
