// What holds up the event loop for a while takes turns: each turn of the loop has time for some of it, so that all else
// that waits gets in between.

/** When so much time has passed in a turn of the event loop, nothing more begins in it. */
export const TURN_MS = 2;

export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  /** Whether one has begun, and has not yet done what it can do at once. */
  #isBusy = false;
  /** When the turn that is taken is over. */
  #end = 0;
  readonly #now: () => number;

  /** `now`: the clock, in milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Resolves when one may begin: at once, or in a later turn of the event loop, after those who asked before. */
  async take(): Promise<void> {
    if (!this.#isTaken) {
      this.#isTaken = true;
      setImmediate(this.#next);
      this.#end = this.#now() + TURN_MS;
    } else if (this.#isBusy || this.#waiting.length > 0 || this.#now() >= this.#end)
      return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isBusy = true;
    process.nextTick(this.#done);
  }

  readonly #done = (): void => {
    this.#isBusy = false;
  };

  readonly #next = async (): Promise<void> => {
    if (this.#waiting.length === 0) {
      this.#isTaken = false;
      return;
    }
    setImmediate(this.#next);
    this.#end = this.#now() + TURN_MS;
    do {
      this.#waiting.shift()!();
      // Until all is done that it does at once.
      await null;
      await new Promise<void>(process.nextTick);
    } while (this.#waiting.length > 0 && this.#now() < this.#end);
  };
}
