// What holds up the event loop for a while begins one by one, so that all else that waits gets in between.

export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;

  /** Resolves when one may begin: at once, or in a later turn of the event loop, after those who asked before. */
  async take(): Promise<void> {
    if (this.#isTaken) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    const begin = this.#waiting.shift();
    if (begin) {
      begin();
      setImmediate(this.#next);
    } else this.#isTaken = false;
  };
}
