// How many wrong passwords may be tried: by one address in all, and by one address for one account. So guesses from
// elsewhere never keep the owner out. An account goes by what it was called, whether it is there or not: if its name and
// its address had one count, the limit would tell that they are the same account. Counted in this process.
import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { RateLimitError } from '../errors.ts';
import type { Settings } from '../project/settings.ts';
import { LimitedCounter } from './limited-counter.ts';

export class LoginAttempts {
  readonly #byAddress: LimitedCounter;
  readonly #byAccount: LimitedCounter;

  constructor({ address, account }: Settings['rateLimits']) {
    this.#byAddress = new LimitedCounter(address);
    this.#byAccount = new LimitedCounter(account);
  }

  /**
   * Tries a password; null where it is wrong, and nothing but that is counted. It counts while it is compared as well, or
   * any number of guesses could be sent at once.
   */
  async attempt<T>(address: string, account: string, compare: () => Promise<T | null>): Promise<T | null> {
    const network = networkOf(address);
    // What a client calls an account may be long.
    const both = hash('sha256', `${network} ${account}`);
    const seconds = Math.max(this.#byAddress.secondsLeft(network), this.#byAccount.secondsLeft(both));
    if (seconds > 0) throw new RateLimitError(seconds);
    const counted = [this.#byAddress.add(network), this.#byAccount.add(both)];
    let isWrong = false;
    try {
      const found = await compare();
      isWrong = found === null;
      return found;
    } finally {
      if (!isWrong) for (const takeBack of counted) takeBack();
    }
  }
}

/** Of IPv6 the first half of an address: whoever has one has all of the second half. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const groups = tail === undefined ? [...head] : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
