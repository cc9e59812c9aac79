// A counting semaphore with a bounded queue: only a few do something at a time, others wait in order. Where the queue is
// long, or the wait, the answer is a 503.
import { unavailableError } from '../errors.ts';
import { MAX_HEAVY_WAIT_MS, MAX_WAITING_HEAVY_READS } from '../limits.ts';

export class Semaphore {
  readonly #permits: number;
  #acquired = 0;
  readonly #queue: (() => void)[] = [];

  constructor(permits: number) {
    this.#permits = permits;
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
    if (this.#queue.length >= MAX_WAITING_HEAVY_READS) throw busyError();
    return new Promise((resolve, reject) => {
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#queue.splice(this.#queue.indexOf(next), 1);
        reject(busyError());
      }, MAX_HEAVY_WAIT_MS);
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

const busyError = () => unavailableError('Too many large requests are under way; try again');
