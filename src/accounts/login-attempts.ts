// How often a password of one account may be tried, from whatever addresses. Counted in this process.
import { MAX_COUNTED_ACCOUNTS } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { RateLimit } from '../project/settings.ts';

interface Count {
  readonly until: number;
  tries: number;
}

export class LoginAttempts {
  readonly #limit: RateLimit;
  readonly #counts = new Lru<string, Count>(MAX_COUNTED_ACCOUNTS);

  constructor(limit: RateLimit) {
    this.#limit = limit;
  }

  /** Counts a try; the seconds until it would be allowed, 0 where it is now. */
  count(key: string): number {
    const now = Date.now();
    let count = this.#counts.get(key);
    if (!count || count.until <= now) {
      count = { until: now + this.#limit.seconds * 1000, tries: 0 };
      this.#counts.set(key, count);
    }
    return ++count.tries <= this.#limit.max ? 0 : Math.ceil((count.until - now) / 1000);
  }
}
