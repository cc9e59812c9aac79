// Puts together large responses of PostgreSQL in a thread of its own: to read megabytes of JSON and to write others
// would hold up every other request.
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { unavailableError } from '../errors.ts';
import type { Row } from '../sql/statement.ts';
import { type JobAnswer, type JobResult, type ReadJob, resultOf } from './read-job.ts';
import { type SentJob, SentPlans } from './sent-plans.ts';

export interface AssemblyRequest {
  readonly id: number;
  readonly job: SentJob;
  /** What the one statement of the read returned. */
  readonly rows: readonly Row[];
}

export interface AssemblyResponse {
  readonly id: number;
  readonly answer: JobAnswer;
}

/** The module in the language that this one is in: as it is written, or as it was built. */
const MODULE = new URL(`./assembly-thread${path.extname(import.meta.url)}`, import.meta.url);
/** Megabytes that it may hold. What needs more ends it, and nothing else. */
const HEAP_MEGABYTES = 96;

interface Waiting {
  resolve(answer: JobAnswer): void;
  reject(error: Error): void;
}

export class Assembly {
  #worker: Worker | null = null;
  #plans = new SentPlans();
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  /** Holds on to no row, since the thread has copies of them, and they are large. */
  run(job: ReadJob, rows: readonly Row[]): Promise<JobResult> {
    const id = ++this.#count;
    const worker = this.#worker ?? this.#start();
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<JobAnswer>();
    this.#waiting.set(id, { resolve, reject });
    worker.postMessage({ id, job: this.#plans.toSend(job), rows } satisfies AssemblyRequest);
    return promise.then(resultOf);
  }

  #start(): Worker {
    const worker = new Worker(MODULE, { resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES } });
    worker.on('message', ({ id, answer }: AssemblyResponse) => {
      this.#waiting.get(id)?.resolve(answer);
      this.#waiting.delete(id);
      // One that waits for work does not keep the server from ending.
      if (this.#waiting.size === 0) worker.unref();
    });
    worker.on('error', () => this.#end());
    worker.on('exit', () => this.#end());
    this.#worker = worker;
    this.#plans = new SentPlans();
    return worker;
  }

  #end(): void {
    this.#worker = null;
    for (const { reject } of this.#waiting.values())
      reject(unavailableError('The request needs too much memory; ask for less'));
    this.#waiting.clear();
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }
}
