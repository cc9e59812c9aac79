// A counting semaphore with a bounded queue: only a few do something at a time, others wait in order. Where the queue is
// long, or the wait, the answer is a 503.
import { unavailableError } from './errors.ts';

/** Those who wait for a permit. */
export interface WaitingQueue {
  readonly maxWaiting: number;
  /** How long one waits; null for as long as it takes. */
  readonly maxWaitMs: number | null;
  /** What those are told who cannot wait any longer. */
  readonly refusal: string;
}

export class Semaphore {
  readonly #permits: number;
  readonly #waiting: WaitingQueue;
  #acquired = 0;
  readonly #queue: (() => void)[] = [];

  constructor(permits: number, waiting: WaitingQueue) {
    this.#permits = permits;
    this.#waiting = waiting;
  }

  get usage(): { readonly running: number; readonly waiting: number } {
    return { running: this.#acquired, waiting: this.#queue.length };
  }

  /** Runs the work when it has a permit. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#acquired >= this.#permits) await this.#wait();
    else this.#acquired++;
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #wait(): Promise<void> {
    const { maxWaiting, maxWaitMs, refusal } = this.#waiting;
    if (this.#queue.length >= maxWaiting) throw unavailableError(refusal);
    return new Promise((resolve, reject) => {
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const giveUp = (): void => {
        this.#queue.splice(this.#queue.indexOf(next), 1);
        reject(unavailableError(refusal));
      };
      const timer = maxWaitMs === null ? undefined : setTimeout(giveUp, maxWaitMs);
      this.#queue.push(next);
    });
  }

  /** Hands the permit to whoever is next. */
  #release(): void {
    const next = this.#queue.shift();
    if (next) next();
    else this.#acquired--;
  }
}
