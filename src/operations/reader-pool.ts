// Processes that run heavy reads on SQLite. A statement of node:sqlite cannot be interrupted, and would hold up every
// other request; a process can be killed, at its deadline or when nobody waits for its answer any more.
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { WhenGone } from '../db/database.ts';
import { heavyReads } from '../db/read-turns.ts';
import { clientGoneError, tooSlowError, unavailableError } from '../errors.ts';
import { MAX_HEAVY_READ_MS, MAX_READER_PROCESSES, MAX_READER_START_MS } from '../limits.ts';
import type { Semaphore } from '../semaphore.ts';
import { type JobAnswer, type JobResult, type ReaderMessage, type ReadJob, resultOf } from './read-job.ts';
import { SentPlans } from './sent-plans.ts';

/** The module in the language that this one is in: as it is written, or as it was built. */
const MODULE = fileURLToPath(new URL(`./reader-process${path.extname(import.meta.url)}`, import.meta.url));
/** Megabytes of JavaScript that one may hold, old and new. What needs more ends it, and nothing else. */
const OLD_MEGABYTES = 96;
const NEW_MEGABYTES = 4;
/** One processor is left to the server, where there is more than one. */
const AT_ONCE = Math.max(1, Math.min(MAX_READER_PROCESSES, availableParallelism() - 1));
/** How long one that nobody needs is kept. */
const IDLE_MS = 30_000;
const NOT_STARTED = 'The server is too busy for a large request; try again';

export interface JobOptions {
  readonly whenGone?: WhenGone | undefined;
  readonly took: (milliseconds: number) => void;
}

export class ReaderPool {
  readonly #file: string;
  readonly #isReadOnly: boolean;
  readonly #semaphore = heavyReads(AT_ONCE);
  readonly #idle: Reader[] = [];
  readonly #all = new Set<Reader>();

  /** `file`: the database; `isReadOnly`: whether its readers may not even open it to write. */
  constructor(file: string, isReadOnly: boolean) {
    this.#file = file;
    this.#isReadOnly = isReadOnly;
  }

  get usage(): Semaphore['usage'] {
    return this.#semaphore.usage;
  }

  async run(job: ReadJob, { whenGone, took }: JobOptions): Promise<JobResult> {
    let isGone = false;
    let reader: Reader | null = null;
    whenGone?.(() => {
      isGone = true;
      reader?.abandon(clientGoneError());
    });
    return this.#semaphore.run(async () => {
      if (isGone) throw clientGoneError();
      reader = this.#idle.pop() ?? this.#start();
      try {
        const answer = await reader.run(job);
        if ('milliseconds' in answer) took(answer.milliseconds);
        return resultOf(answer);
      } finally {
        if (reader.isAlive) this.#idle.push(reader);
        reader = null;
      }
    });
  }

  #start(): Reader {
    const reader: Reader = new Reader([this.#file, String(process.pid), this.#isReadOnly ? 'read' : 'write'], () => {
      this.#all.delete(reader);
      const at = this.#idle.indexOf(reader);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    this.#all.add(reader);
    return reader;
  }

  /** Resolves once none has the file open any more. */
  async close(): Promise<void> {
    const stopping = unavailableError('The server is stopping');
    await Promise.all([...this.#all].map((reader) => reader.end(stopping)));
  }
}

interface Waiting {
  readonly job: ReadJob;
  resolve(answer: JobAnswer): void;
  reject(error: Error): void;
}

/** One that takes long to start is not ended for it: the next would take as long, and none would ever answer. */
class Reader {
  readonly #child: ChildProcess;
  readonly #plans = new SentPlans();
  #isStarted = false;
  #waiting: Waiting | null = null;
  /** Of the job that it waits to begin, or has begun. */
  #deadline: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #ended = Promise.withResolvers<void>();
  /** Whether it can be given work. */
  isAlive = true;

  constructor(args: readonly string[], onEnd: () => void) {
    this.#child = fork(MODULE, args, {
      execArgv: [`--max-old-space-size=${OLD_MEGABYTES}`, `--max-semi-space-size=${NEW_MEGABYTES}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    this.#child.on('message', (message: ReaderMessage) => this.#receive(message));
    const end = (): void => {
      this.isAlive = false;
      this.#ended.resolve();
      const reason = this.#isStarted ? 'The request needs too much memory; ask for less' : NOT_STARTED;
      this.#settle(({ reject }) => reject(unavailableError(reason)));
      onEnd();
    };
    this.#child.on('exit', end);
    this.#child.on('error', end);
    this.#rest();
  }

  run(job: ReadJob): Promise<JobAnswer> {
    clearTimeout(this.#idleTimer);
    this.#child.ref();
    this.#child.channel?.ref();
    return new Promise((resolve, reject) => {
      this.#waiting = { job, resolve, reject };
      if (this.#isStarted) this.#begin();
      else this.#deadline = setTimeout(() => this.abandon(unavailableError(NOT_STARTED)), MAX_READER_START_MS);
    });
  }

  #receive(message: ReaderMessage): void {
    if (message === 'started') {
      this.#isStarted = true;
      this.#begin();
      return;
    }
    if (message.isLast) this.isAlive = false;
    this.#settle(({ resolve }) => resolve(message.answer));
  }

  /** Sends the job that waits, where there still is one. */
  #begin(): void {
    if (!this.#waiting) return;
    clearTimeout(this.#deadline);
    this.#deadline = setTimeout(() => this.kill(tooSlowError()), MAX_HEAVY_READ_MS);
    this.#child.send(this.#plans.toSend(this.#waiting.job), (error) => {
      if (error) this.kill(unavailableError('The database cannot answer now; try again', error));
    });
  }

  /** Nobody needs the answer any more. Only what runs already has to be ended for that. */
  abandon(error: Error): void {
    if (this.#isStarted) this.kill(error);
    else this.#settle(({ reject }) => reject(error));
  }

  /** Ends it with all that it is doing; whoever waits for its answer gets the error. */
  kill(error: Error): void {
    this.isAlive = false;
    this.#child.kill('SIGKILL');
    this.#settle(({ reject }) => reject(error));
  }

  /** The same; resolves when it is gone. */
  end(error: Error): Promise<void> {
    this.kill(error);
    this.#child.ref();
    return this.#ended.promise;
  }

  #settle(tell: (waiting: Waiting) => void): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (!waiting) return;
    clearTimeout(this.#deadline);
    this.#rest();
    tell(waiting);
  }

  /** One that waits for work does not keep the server from ending, and is not kept for long. */
  #rest(): void {
    this.#child.unref();
    this.#child.channel?.unref();
    this.#idleTimer = setTimeout(() => this.kill(unavailableError('The reader was idle')), IDLE_MS).unref();
  }
}
