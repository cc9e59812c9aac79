// Work that is done one run at a time, for all who ask for it: whoever asks while a run is under way gets the next one,
// which begins after they asked. So what they get is never older than their question, however many ask at once.

export class NextRun<Result> {
  readonly #work: () => Promise<Result>;
  #running: Promise<unknown> | null = null;
  #next: Promise<Result> | null = null;

  constructor(work: () => Promise<Result>) {
    this.#work = work;
  }

  /** The result of a run that begins after this call. */
  result(): Promise<Result> {
    this.#next ??= this.#follow();
    return this.#next;
  }

  async #follow(): Promise<Result> {
    await this.#running?.catch(() => undefined);
    this.#next = null;
    const run = this.#work();
    this.#running = run;
    try {
      return await run;
    } finally {
      if (this.#running === run) this.#running = null;
    }
  }
}
