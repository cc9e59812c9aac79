// A connection of the pool that several reads use at the same time, their statements pipelined. Whoever leaves it last
// gives it back.
import type { PoolClient } from 'pg';

export interface Connections {
  connect(): Promise<PoolClient>;
  /** Takes a connection back, and learns how its reads failed. */
  release(client: PoolClient, errors: readonly unknown[]): void;
}

export class HeldConnection {
  /** How many reads it was given. */
  reads = 0;
  /** How many use it now. */
  users = 0;
  readonly errors: unknown[] = [];
  readonly #connections: Connections;
  readonly #client: Promise<PoolClient>;

  constructor(connections: Connections, opened?: (client: PoolClient) => void) {
    this.#connections = connections;
    this.#client = connections.connect().then((client) => {
      opened?.(client);
      return client;
    });
  }

  async run<T>(read: (client: PoolClient) => Promise<T>): Promise<T> {
    this.reads++;
    this.users++;
    try {
      return await read(await this.#client);
    } catch (error) {
      this.errors.push(error);
      throw error;
    } finally {
      this.leave();
    }
  }

  leave(): void {
    if (--this.users > 0) return;
    this.#client.then(
      (client) => this.#connections.release(client, this.errors),
      () => undefined,
    );
  }
}
