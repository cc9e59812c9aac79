// Runs code of a project: by a deadline, with a word in the log where it is slow, and so that what it throws is known to
// be its own and names its files.
import { CodeTime } from '../db/code-time.ts';
import { StaleCallerError } from '../db/database.ts';
import { type ErrorOrigin, errorOf, noteOrigin, originOf, SheafError, unavailableError } from '../errors.ts';
import { LONG_LIFECYCLE_MS, SLOW_CODE_MS } from '../limits.ts';
import type { Log } from './define-project.ts';

export type CodeKind = 'route' | 'policy' | 'hook' | 'committed' | 'task' | 'lifecycle' | 'uncaught';

/** A function of a project. */
export interface Piece extends ErrorOrigin {
  readonly kind: CodeKind;
  /** Milliseconds that it may take. */
  readonly limit: number;
}

/** The time that code has, and the signal that it is over. */
export class Deadline {
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | undefined;
  #controller: AbortController | null = null;
  #reason: Error | null = null;
  #isRunning = false;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Made when it is first asked for. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason ??= reason;
    this.#controller?.abort(this.#reason);
  }

  /** Nobody waits for the answer any more. */
  leave(reason: () => Error): void {
    if (this.#isRunning) this.abort(reason());
  }

  /** What `work` returns, if it does so in time. */
  async within<T>(work: () => T | Promise<T>): Promise<T> {
    this.#isRunning = true;
    const time = new CodeTime(this.#milliseconds);
    const late = Promise.withResolvers<T>();
    this.#timer = setTimeout(() => {
      const error = new DeadlineError(this.#milliseconds);
      this.abort(error);
      late.reject(error);
      time.end();
    }, this.#milliseconds);
    try {
      return await Promise.race([time.run(work), late.promise]);
    } finally {
      clearTimeout(this.#timer);
      this.#isRunning = false;
    }
  }
}

/** Code did not end by its deadline. */
export class DeadlineError extends Error {
  constructor(milliseconds: number) {
    super(`it did not end within ${milliseconds} ms`);
    this.name = 'DeadlineError';
  }
}

/** Has the log name the code that a server waits for to start or stop, where that takes long. */
export async function tellWhileWaiting<T>(log: Log, origin: ErrorOrigin, work: () => Promise<T>): Promise<T> {
  const { file, code } = origin;
  const warn = (): void =>
    log.warn({ file, code, milliseconds: LONG_LIFECYCLE_MS }, 'the server waits for code of the project');
  const timer = setTimeout(warn, LONG_LIFECYCLE_MS);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

/** For code that runs where no server does: on the command line, in a script. */
const CONSOLE: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (...values: unknown[]) => console.error(...values),
  error: (...values: unknown[]) => console.error(...values),
};

export class CodeRunner {
  /** How often code failed, by kind. */
  readonly failures: Record<CodeKind, number> = {
    route: 0,
    policy: 0,
    hook: 0,
    committed: 0,
    task: 0,
    lifecycle: 0,
    uncaught: 0,
  };
  log: Log = CONSOLE;
  readonly #mapStack: (stack: string) => string;

  /** `mapStack`: makes the places in a stack those of the files as they were written. */
  constructor(mapStack: (stack: string) => string) {
    this.#mapStack = mapStack;
  }

  async run<T>(piece: Piece, deadline: Deadline, work: () => T | Promise<T>): Promise<T> {
    const begin = performance.now();
    try {
      return await deadline.within(work);
    } catch (error) {
      throw this.#failed(piece, error);
    } finally {
      const milliseconds = Math.round(performance.now() - begin);
      const { file, code } = piece;
      if (milliseconds > SLOW_CODE_MS) this.log.warn({ file, code, milliseconds }, 'code of the project is slow');
    }
  }

  /** What was thrown, known as the project's unless it is an answer. */
  #failed({ kind, file, code }: Piece, thrown: unknown): Error {
    // The second ends the operation, which is begun again for a caller who is up to date.
    if (thrown instanceof SheafError || thrown instanceof StaleCallerError) return thrown;
    if (thrown instanceof DeadlineError) {
      this.failures[kind]++;
      this.log.error({ file, code }, `code of the project was given up: ${thrown.message}`);
      return unavailableError('The request takes too long');
    }
    const error = errorOf(thrown);
    if (originOf(error)) return error;
    this.failures[kind]++;
    noteOrigin(error, { file, code });
    this.mapped(error);
    return error;
  }

  /** An error whose stack names the lines of the project's files. */
  mapped(error: Error): Error {
    if (error.stack !== undefined) error.stack = this.#mapStack(error.stack);
    return error;
  }
}
