// The time that code of a project has. Code cannot be stopped from outside: where it goes on after it was given up,
// whatever it asks of the database is refused, and a transaction that it holds open is undone.
import { AsyncLocalStorage } from 'node:async_hooks';

/** Code asked for something when its time was over. */
export class TimeOverError extends Error {
  constructor(milliseconds: number) {
    super(`this code was given up after ${milliseconds} ms; it can no longer read or write`);
    this.name = 'TimeOverError';
  }
}

const current = new AsyncLocalStorage<CodeTime>();

export class CodeTime {
  readonly #milliseconds: number;
  /** That of the code that called this code. */
  readonly #outer: CodeTime | null = current.getStore() ?? null;
  readonly #listeners = new Set<() => void>();
  #isOver = false;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** The time is that of the work, and of all that it begins. */
  run<T>(work: () => T): T {
    return current.run(this, work);
  }

  end(): void {
    this.#isOver = true;
    for (const listener of this.#listeners) listener();
  }

  /** Why nothing more may be asked for; null while there is time. */
  get over(): TimeOverError | null {
    return this.#isOver ? new TimeOverError(this.#milliseconds) : (this.#outer?.over ?? null);
  }

  /** Calls back when the time is over. Returns a function that ends it. */
  whenOver(listener: () => void): () => void {
    this.#listeners.add(listener);
    const endOuter = this.#outer?.whenOver(listener);
    return () => {
      this.#listeners.delete(listener);
      endOuter?.();
    };
  }
}

/** Of the code that calls: why it may ask for nothing more; null for one that has time, and for our own. */
export const timeOver = (): TimeOverError | null => current.getStore()?.over ?? null;

/** What the work returns, unless the time of the code that asks for it is over first. */
export async function inTime<T>(work: () => Promise<T>): Promise<T> {
  const time = current.getStore();
  if (!time) return work();
  const late = Promise.withResolvers<T>();
  const end = time.whenOver(() => late.reject(time.over));
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    end();
  }
}
