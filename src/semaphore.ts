// A counting semaphore with a bounded queue: only a few do something at a time, others wait in order. Where the queue is
// long, or the wait, the answer is a 503. Those who are told apart have lines of their own and take turns, so that nobody
// waits for all that somebody else asked for.
import { unavailableError } from './errors.ts';

/** Those who wait for a permit. */
export interface WaitingQueue {
  readonly maxWaiting: number;
  /** How long one waits; null for as long as it takes. */
  readonly maxWaitMs: number | null;
  /** What those are told who cannot wait any longer. */
  readonly refusal: string;
}

interface Waiter {
  readonly begin: () => void;
  readonly refuse: () => void;
}

export class Semaphore {
  readonly #permits: number;
  readonly #waiting: WaitingQueue;
  #acquired = 0;
  /** Lines of those who wait, the one whose turn it is first. None is empty. */
  readonly #lines = new Map<string, Waiter[]>();

  constructor(permits: number, waiting: WaitingQueue) {
    this.#permits = permits;
    this.#waiting = waiting;
  }

  get usage(): { readonly running: number; readonly waiting: number } {
    return { running: this.#acquired, waiting: this.#length };
  }

  get #length(): number {
    return [...this.#lines.values()].reduce((length, line) => length + line.length, 0);
  }

  /** Runs the work when it has a permit. `who` asks for it: the line in which it waits. */
  async run<T>(work: () => Promise<T>, who = ''): Promise<T> {
    if (this.#acquired >= this.#permits) await this.#wait(who);
    else this.#acquired++;
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #wait(who: string): Promise<void> {
    const { maxWaiting, maxWaitMs, refusal } = this.#waiting;
    if (this.#length >= maxWaiting && !this.#makeRoom(who)) throw unavailableError(refusal);
    return new Promise((resolve, reject) => {
      const waiter: Waiter = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
        refuse: () => {
          clearTimeout(timer);
          this.#leave(who, waiter);
          reject(unavailableError(refusal));
        },
      };
      const timer = maxWaitMs === null ? undefined : setTimeout(waiter.refuse, maxWaitMs);
      const line = this.#lines.get(who);
      if (line) line.push(waiter);
      else this.#lines.set(who, [waiter]);
    });
  }

  /** Refuses the last of the longest line, for somebody whose line stays shorter than that. */
  #makeRoom(who: string): boolean {
    const own = this.#lines.get(who)?.length ?? 0;
    const longest = [...this.#lines.values()].reduce((long, line) => (line.length > long.length ? line : long), []);
    if (longest.length <= own + 1) return false;
    longest.at(-1)!.refuse();
    return true;
  }

  #leave(who: string, waiter: Waiter): void {
    const line = this.#lines.get(who)!;
    line.splice(line.indexOf(waiter), 1);
    if (line.length === 0) this.#lines.delete(who);
  }

  /** Hands the permit to the first of the line whose turn it is, which is then the last to have one. */
  #release(): void {
    const [turn] = this.#lines;
    if (!turn) {
      this.#acquired--;
      return;
    }
    const [who, line] = turn;
    const next = line.shift()!;
    this.#lines.delete(who);
    if (line.length > 0) this.#lines.set(who, line);
    next.begin();
  }
}
