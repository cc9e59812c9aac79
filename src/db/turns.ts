// Turns for what only a few may do at a time. Whoever comes waits in line for a while; where the line is long, or the
// wait, the answer is a 503.
import { unavailableError } from '../errors.ts';
import { MAX_HEAVY_WAIT_MS, MAX_WAITING_HEAVY_READS } from '../limits.ts';

export interface Turn {
  /** Gives the turn to whoever is next. */
  end(): void;
}

export class Turns {
  readonly #atOnce: number;
  #taken = 0;
  readonly #line: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  async take(): Promise<Turn> {
    if (this.#taken >= this.#atOnce) await this.#wait();
    else this.#taken++;
    return { end: () => this.#end() };
  }

  #wait(): Promise<void> {
    if (this.#line.length >= MAX_WAITING_HEAVY_READS) throw busyError();
    return new Promise((resolve, reject) => {
      const next = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#line.splice(this.#line.indexOf(next), 1);
        reject(busyError());
      }, MAX_HEAVY_WAIT_MS);
      this.#line.push(next);
    });
  }

  #end(): void {
    const next = this.#line.shift();
    if (next) next();
    else this.#taken--;
  }
}

const busyError = () => unavailableError('Too many large requests are under way; try again');
