// Jobs of a Strapi project: those of `cron` in config/server, and what code adds. They run as tasks, so that of several
// nodes one runs each, and every run is written down.
import type { Sheaf } from '../../app.ts';
import { addTables } from '../../db/schema.ts';
import type { Log } from '../../extend/define-project.ts';
import { CodeRunner } from '../../extend/run-code.ts';
import { ruleOf, type Task, TaskScheduler } from '../../extend/tasks.ts';
import { MAX_TASK_MS } from '../../limits.ts';
import { TASK_TABLES } from '../../model/tables.ts';
import { errorMessage } from '../../type-guards.ts';
import type { CodeRegistry } from './code-registry.ts';
import { isFunction, membersOf } from './code-values.ts';
import type { Strapi } from './strapi-types.ts';

interface CronDeps {
  readonly sheaf: Sheaf;
  readonly strapi: Strapi;
  readonly registry: CodeRegistry;
  readonly log: Log;
}

const CONFIG = 'config/server';

/** `strapi.cron`. */
export class CronTasks {
  readonly #deps: CronDeps;
  readonly #schedulers = new Map<string, TaskScheduler>();
  readonly #waiting: Task[] = [];
  #isBegun = false;

  constructor(deps: CronDeps) {
    this.#deps = deps;
  }

  /** The names of what runs. */
  get jobs(): readonly string[] {
    return [...this.#schedulers.keys()];
  }

  /** By name, or by their rule: each a function, or an object with the function as `task`, and `options`. */
  add(jobs: Readonly<Record<string, unknown>>): this {
    for (const [name, job] of Object.entries(jobs))
      try {
        this.#waiting.push(this.#task(name, job));
      } catch (error) {
        this.#deps.registry.report(CONFIG, new Error(`the job ${name} cannot run: ${errorMessage(error)}`));
      }
    if (this.#isBegun)
      this.start().catch((error: Error) => this.#deps.log.error({ err: error }, 'jobs could not begin'));
    return this;
  }

  async remove(name: string): Promise<void> {
    await this.#schedulers.get(name)?.end();
    this.#schedulers.delete(name);
  }

  /** Runs jobs from now on, unless nothing may be written. */
  async start(): Promise<void> {
    this.#isBegun = true;
    const { sheaf, log } = this.#deps;
    if (sheaf.database.isReadOnly || this.#waiting.length === 0) return;
    await addTables(sheaf.database, TASK_TABLES);
    for (const task of this.#waiting.splice(0)) {
      const runner = new CodeRunner((stack) => stack);
      runner.log = log;
      const scheduler = new TaskScheduler(sheaf.database, [task], runner);
      this.#schedulers.set(task.name, scheduler);
      await scheduler.begin();
    }
  }

  async stop(): Promise<void> {
    for (const name of this.jobs) await this.remove(name);
  }

  /** Runs a job that is due. */
  run(name: string, due: Date): Promise<boolean> | undefined {
    return this.#schedulers.get(name)?.run(name, due);
  }

  #task(name: string, job: unknown): Task {
    const { strapi } = this.#deps;
    const { task, options } = isFunction(job) ? { task: job, options: name } : membersOf(job);
    const { rule, tz = null } = typeof options === 'string' ? { rule: options } : membersOf(options);
    if (!isFunction(task) || typeof rule !== 'string') throw new Error('expected a function and a rule');
    return {
      name,
      rule: ruleOf(rule, tz === null ? null : String(tz)),
      piece: { kind: 'task', code: `job ${name}`, limit: MAX_TASK_MS, file: CONFIG },
      run: ({ due }) => task({ strapi }, new Date(due)),
    };
  }
}
