// Events about writes that are stored for good, for code in this process.
import type { Caller } from '../access/caller.ts';
import type { WriteName } from '../access/operation.ts';
import type { Status } from '../request/read-request.ts';

/** A write whose transaction has committed. */
export interface CommitEvent {
  readonly operation: WriteName;
  readonly uid: string;
  readonly documentId: string;
  /** The rows that it wrote or, for a delete, those that it removed. */
  readonly entries: readonly { readonly id: number; readonly locale: string | null; readonly status: Status }[];
  readonly caller: { readonly kind: Caller['kind']; readonly userId: number | null };
}

export type CommitListener = (event: CommitEvent) => void | Promise<void>;

export class CommitEvents {
  readonly #listeners = new Set<CommitListener>();

  /** Returns a function that ends the subscription. */
  subscribe(listener: CommitListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** The write is stored whatever a listener does, so what it throws is reported and goes no further. */
  emit(event: CommitEvent): void {
    for (const listener of this.#listeners)
      (async () => listener(event))().catch((error: unknown) =>
        console.error(`A listener of ${event.operation} on ${event.uid} failed:`, error),
      );
  }
}
