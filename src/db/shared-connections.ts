// Small reads that come in the same turn of the event loop share a connection: their statements are pipelined, and sent
// in one write. To wake a process of the server for each of them takes longer than some of them do.
import type { Writable } from 'node:stream';
import type { PoolClient } from 'pg';

/** So many take the server less than a millisecond. The rest are for its other processes, which run beside it. */
export const MAX_SHARED_READS = 8;

type Socket = Pick<Writable, 'cork' | 'uncork'>;
/** The types of the driver do not know it. */
const socketOf = (client: PoolClient): Socket =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;

export interface Connections {
  connect(): Promise<PoolClient>;
  /** Takes a connection back, and learns how its reads failed. */
  release(client: PoolClient, errors: readonly unknown[]): void;
}

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

class SharedConnection {
  reads = 0;
  readonly #connections: Connections;
  readonly #client: Promise<PoolClient>;
  /** Those who still use it: its reads, and the turn in which others may come. */
  #users = 1;
  #isSent: boolean;
  #held: Socket | null = null;
  readonly #errors: unknown[] = [];

  constructor(connections: Connections, holdsBack: boolean) {
    this.#connections = connections;
    this.#isSent = !holdsBack;
    this.#client = connections.connect().then((client) => {
      if (!this.#isSent) this.#holdBack(socketOf(client));
      return client;
    });
  }

  async run<T>(read: (client: PoolClient) => Promise<T>): Promise<T> {
    this.reads++;
    this.#users++;
    try {
      return await read(await this.#client);
    } catch (error) {
      this.#errors.push(error);
      throw error;
    } finally {
      this.#leave();
    }
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
    this.#leave();
  }

  #leave(): void {
    if (--this.#users > 0) return;
    this.#client.then(
      (client) => this.#connections.release(client, this.#errors),
      () => undefined,
    );
  }
}
