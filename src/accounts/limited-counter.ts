// Counts by key against a limit of so many in a time: wrong passwords, mails. Counted in this process.
import { MAX_COUNTED_ACCOUNTS } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { RateLimit } from '../project/settings.ts';

interface Count {
  readonly until: number;
  times: number;
}

/** Counts by key, anew when the time of a limit is over. */
export class LimitedCounter {
  readonly #limit: RateLimit;
  readonly #counts = new Lru<string, Count>(MAX_COUNTED_ACCOUNTS);

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** The seconds until one more is allowed, 0 where it is now. */
  secondsLeft(key: string): number {
    const { times, until } = this.#current(key);
    return times < this.#limit.max ? 0 : Math.ceil((until - Date.now()) / 1000);
  }

  /** Counts one, or more; the function takes it back. */
  add(key: string, amount = 1): () => void {
    const count = this.#current(key);
    count.times += amount;
    return () => {
      count.times -= amount;
    };
  }

  /** What is counted, and the seconds until it is forgotten. */
  spentBy(key: string): { readonly spent: number; readonly seconds: number } {
    const { times, until } = this.#current(key);
    return { spent: times, seconds: Math.ceil((until - Date.now()) / 1000) };
  }

  #current(key: string): Count {
    const now = Date.now();
    const last = this.#counts.get(key);
    if (last && last.until > now) return last;
    const count = { until: now + this.#limit.seconds * 1000, times: 0 };
    this.#counts.set(key, count);
    return count;
  }
}
