// Plans on their way to another process or thread. A plan is larger than all else in a job, and compiling it takes longer
// than many a statement, so each is sent once and compiled once; later jobs name it by its number. Both sides keep the
// same few plans: when the sender has no number left it begins again with zero, and then the receiver does, too.
import { CompiledRead } from '../read/compiled-read.ts';
import type { Dialect } from '../sql/dialect.ts';
import type { ReadJob } from './read-job.ts';

/** Plans that one receiver keeps. Some are large, and a reader process has little memory. */
const MAX_SENT_PLANS = 32;

/** A job as it is sent: with its plan the first time, and then with its number alone. */
export interface SentJob extends Omit<ReadJob, 'plan'> {
  readonly number: number;
  readonly plan: ReadJob['plan'] | null;
}

/** The side that sends, for one receiver. What it returns must be sent, and in this order. */
export class SentPlans {
  readonly #numbers = new Map<ReadJob['plan'], number>();

  toSend(job: ReadJob): SentJob {
    const known = this.#numbers.get(job.plan);
    if (known !== undefined) return { ...job, number: known, plan: null };
    if (this.#numbers.size === MAX_SENT_PLANS) this.#numbers.clear();
    const number = this.#numbers.size;
    this.#numbers.set(job.plan, number);
    return { ...job, number };
  }
}

/** The side that receives. */
export class ReceivedPlans {
  readonly #dialect: Dialect;
  #reads: CompiledRead[] = [];

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  readOf({ number, plan }: SentJob): CompiledRead {
    if (!plan) return this.#reads[number]!;
    if (number === 0) this.#reads = [];
    const read = new CompiledRead(this.#dialect, plan);
    this.#reads.push(read);
    return read;
  }
}
