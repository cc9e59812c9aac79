// Errors that nothing caught, in a server that runs code of its project: a promise that nobody waited for, a timer that
// throws. They are logged and counted, and the server goes on; where they keep coming, it ends in order, with a code by
// which a supervisor starts it anew.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Sheaf } from '../app.ts';
import { errorOf } from '../errors.ts';
import type { Logger } from '../http/log.ts';
import { MAX_UNCAUGHT_ERRORS } from '../limits.ts';
import { PACKAGE_ROOT } from '../package-root.ts';

/** The code of a process that wants to be started anew; `EX_TEMPFAIL` of sysexits.h. */
export const RESTART_CODE = 75;

const WINDOW_MS = 60_000;

/** Counts what happened in the last minute. */
export class UncaughtErrors {
  readonly #moments: number[] = [];

  /** Whether there were too many by now. */
  add(now: number): boolean {
    this.#moments.push(now);
    while (this.#moments[0]! <= now - WINDOW_MS) this.#moments.shift();
    return this.#moments.length > MAX_UNCAUGHT_ERRORS;
  }
}

export interface UncaughtOptions {
  readonly logger: Logger;
  /** The folder of the project. */
  readonly project: string;
  /** What is served at the moment. */
  sheaf(): Sheaf | null;
  /** Ends the process in order; null where it goes on whatever happens. */
  readonly restart: (() => void) | null;
}

/** Handles what nothing caught, from now on. Errors that do not come from the project end the process, as they would. */
export function handleUncaught({ logger, project, sheaf, restart }: UncaughtOptions): void {
  const errors = new UncaughtErrors();
  const note = ({ extension }: Sheaf, thrown: unknown, message: string): void => {
    const error = errorOf(thrown);
    if (extension) extension.runner.failures.uncaught++;
    logger.error({ err: extension?.runner.mapped(error) ?? error }, message);
    if (!errors.add(performance.now()) || !restart) return;
    logger.fatal(`more than ${MAX_UNCAUGHT_ERRORS} such errors in a minute (MAX_UNCAUGHT_ERRORS): the process ends`);
    restart();
  };
  const running = (): Sheaf | null => {
    const current = sheaf();
    return current && runsCode(current) ? current : null;
  };
  process.on('unhandledRejection', (reason) => {
    const current = running();
    if (current) note(current, reason, 'a promise was rejected that nobody waited for');
    else throw reason;
  });
  process.on('uncaughtException', (thrown: unknown) => {
    const current = running();
    if (current && isOfProject(thrown, project)) return note(current, thrown, 'an error that nothing caught');
    logger.fatal({ err: thrown }, 'the process ends because of an error that nothing caught');
    if (logger.level === 'silent') console.error(thrown);
    process.exit(1);
  });
}

/** Whether code of the project runs here: that of src/sheaf.ts, or that of a Strapi project. */
const runsCode = ({ extension, code, settings }: Sheaf): boolean =>
  extension !== null || (code.isOwn && settings.runStrapiCode);

const OWN_ROOT = fileURLToPath(PACKAGE_ROOT);

/** Whether code of the project, or of its packages, was running. Nothing here throws what is no error. */
export const isOfProject = (thrown: unknown, project: string): boolean =>
  !(thrown instanceof Error) ||
  String(thrown.stack)
    .split('\n')
    .some((line) => line.includes(`${path.resolve(project)}${path.sep}`) && !line.includes(OWN_ROOT));
