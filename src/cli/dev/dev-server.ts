// A server that follows the files of its project: what changes is read, its effect on the database is shown, agreed to
// where it has to be, and then served in place of what was. Until then, and where something is wrong, what was is served.
import { open, type Sheaf } from '../../app.ts';
import { SetupError } from '../../errors.ts';
import type { Logger } from '../../http/log.ts';
import { createServer } from '../../http/server.ts';
import { openOptions, type ServerConfig } from '../../project/environment.ts';
import { errorMessage } from '../../type-guards.ts';
import { type App, DevListener } from './dev-listener.ts';
import type { PlannedChanges, ServingPlan } from './serving-plan.ts';

export interface DevHost {
  /** Reads the configuration anew. */
  config(): ServerConfig;
  /** What serving the project would change in the database. */
  plan(config: ServerConfig): Promise<ServingPlan>;
  readonly logger: Logger;
  print(text: string): void;
  /** Whether someone agrees; null where there is nobody to ask. The signal takes the question back. */
  readonly ask: ((question: string, signal: AbortSignal) => Promise<boolean>) | null;
  /** Called when something new is served, with what it is. */
  onServing(serving: Serving): Promise<void>;
}

export interface Serving {
  readonly sheaf: Sheaf;
  readonly config: ServerConfig;
  readonly address: string;
}

interface Running extends Serving {
  readonly listener: DevListener;
}

/** Additions that are shown at most. */
const MAX_SHOWN = 20;

export class DevServer {
  readonly #host: DevHost;
  readonly #changed = new Set<string>();
  /** Those that answer their last requests. */
  readonly #leaving = new Set<Promise<void>>();
  #running: Running | null = null;
  #work: Promise<void> | null = null;
  #question: AbortController | null = null;
  #isClosed = false;

  constructor(host: DevHost) {
    this.#host = host;
  }

  /** What is served at the moment. */
  get sheaf(): Sheaf | null {
    return this.#running?.sheaf ?? null;
  }

  /** Fails where the project cannot be served. */
  start(): Promise<void> {
    return this.#serve([]);
  }

  /** Takes over what the files say now; what is wrong with it is printed. Resolves when that is done. */
  refresh(files: readonly string[]): Promise<void> {
    for (const file of files) this.#changed.add(file);
    // What was asked is about files that are not so any more.
    this.#question?.abort();
    this.#work ??= this.#refreshAll().finally(() => {
      this.#work = null;
    });
    return this.#work;
  }

  /** Changes that come while one is taken over are taken over next. */
  async #refreshAll(): Promise<void> {
    do {
      const files = [...this.#changed];
      this.#changed.clear();
      try {
        await this.#serve(files);
      } catch (error) {
        // Asked anew, about what the files say now.
        if (error instanceof Error && error.name === 'AbortError') continue;
        const reason = error instanceof Error && !(error instanceof SetupError) ? error.stack : errorMessage(error);
        this.#host.print(`${reason}\nWhat was served before is served on.`);
      }
    } while (this.#changed.size > 0 && !this.#isClosed);
  }

  async #serve(files: readonly string[]): Promise<void> {
    if (files.length > 0) this.#host.print(`Changed: ${files.join(', ')}`);
    const config = this.#host.config();
    const { additions, isNew, changes } = await this.#host.plan(config);
    if (changes) await this.#agree(changes);
    if (additions.length > 0 && !isNew) this.#host.print(listed(additions));
    const { logger } = this.#host;
    const onMailError = (error: Error): void => logger.error({ err: error }, 'a mail could not be sent');
    const sheaf = await open({ ...openOptions(config), onMailError });
    const app = createServer(sheaf, { logger, isDevelopment: true });
    try {
      // The rules of access are read now, and may be wrong.
      await app.ready();
      if (this.#isClosed) throw new SetupError('The server is stopping');
      await this.#replace(sheaf, config, app);
    } catch (error) {
      await app.close();
      await sheaf.close();
      throw error;
    }
    await this.#host.onServing(this.#running!);
  }

  /** Does what touches content, if someone agrees. */
  async #agree({ lines, command, apply }: PlannedChanges): Promise<void> {
    this.#host.print(['The content has to follow:', ...lines.map((line) => `  ${line}`)].join('\n'));
    if (!this.#host.ask)
      throw new SetupError('There is no terminal to ask', [`${command} does it; save a file again afterwards`]);
    this.#question = new AbortController();
    try {
      if (!(await this.#host.ask('Do this now? sheaf schema undo takes it back.', this.#question.signal)))
        throw new SetupError('Nothing was changed', [`${command} does it later`]);
    } finally {
      this.#question = null;
    }
    await apply();
  }

  /** Answers in place of what is running, which answers the requests that it has. */
  async #replace(sheaf: Sheaf, config: ServerConfig, app: App): Promise<void> {
    const before = this.#running;
    const { host, port } = config;
    const isSamePlace = before !== null && before.config.host === host && before.config.port === port;
    const listener = isSamePlace ? before.listener : new DevListener();
    const address = isSamePlace ? before.address : await listener.listen({ host, port });
    const isAlone = listener.use(app);
    this.#running = { sheaf, config, listener, address };
    if (before) this.#leave(before.sheaf, isSamePlace ? isAlone : before.listener.close());
  }

  /** Closes what was served when its last requests are answered. */
  #leave(sheaf: Sheaf, answered: Promise<void>): void {
    const leaving = answered.then(() => sheaf.close()).finally(() => this.#leaving.delete(leaving));
    this.#leaving.add(leaving);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#question?.abort();
    await this.#work;
    if (this.#running) this.#leave(this.#running.sheaf, this.#running.listener.close());
    await Promise.all(this.#leaving);
  }
}

/** Tables and columns one by one, and how many indexes and foreign keys go with them. */
function listed(additions: readonly string[]): string {
  const main = additions.filter((text) => !/^(create (unique )?index|add foreign key) /.test(text));
  const shown = main.length > 0 ? main.slice(0, MAX_SHOWN) : additions.slice(0, MAX_SHOWN);
  const rest = additions.length - shown.length;
  const more = rest > 0 ? [`  and ${rest} more, such as indexes`] : [];
  return ['In the database:', ...shown.map((text) => `  ${text}`), ...more].join('\n');
}
