// The tasks of a project: each runs when its cron rule says, on one node at a time. Who runs it holds a lease in the
// database; every run is written down with how it ended.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Cron } from 'croner';
import type { Database } from '../db/database.ts';
import { MAX_TASK_MS, MAX_TASK_RUNS } from '../limits.ts';
import type { BoundValue, Row, Statement } from '../sql/statement.ts';
import { type TaskRunRow, TaskStatements } from '../sql/task-statements.ts';
import { errorText, LEASE_MS, NODE } from './committed-queue.ts';
import type { TaskContext } from './define-project.ts';
import { type CodeRunner, Deadline, type Piece } from './run-code.ts';

/** A task as it is run. */
export interface Task {
  readonly name: string;
  readonly rule: Cron;
  readonly piece: Piece;
  run(context: Pick<TaskContext, 'due' | 'signal'>): unknown;
}

/** How a run of a task ended; `lost`: the process that ran it ended first. */
export type RunState = 'running' | 'done' | 'failed' | 'lost';

export interface TaskRun {
  readonly task: string;
  readonly due: string;
  readonly started: string;
  readonly ended: string | null;
  readonly state: RunState;
  readonly node: string | null;
  readonly error: string | null;
}

/** Timers cannot wait longer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** When a task is first due is found out so long after the start, which need not wait: in a time zone it takes a while. */
const FIRST_SCHEDULE_MS = 500;

/** The rule of a task; throws where it is none. `timezone`: null for that of the machine. */
export const ruleOf = (cron: string, timezone: string | null): Cron =>
  new Cron(cron, { paused: true, mode: '5-or-6-parts', ...(timezone !== null && { timezone }) });

export class TaskScheduler {
  readonly tasks: readonly Task[];
  readonly #database: Database;
  readonly #runner: CodeRunner;
  readonly #statements: TaskStatements;
  readonly #outside = AsyncLocalStorage.snapshot();
  readonly #timers = new Map<string, NodeJS.Timeout>();
  readonly #running = new Set<Promise<boolean>>();
  readonly #deadlines = new Set<Deadline>();

  constructor(database: Database, tasks: readonly Task[], runner: CodeRunner) {
    this.#database = database;
    this.tasks = tasks;
    this.#runner = runner;
    this.#statements = new TaskStatements(database.dialect);
  }

  /** Runs tasks from now on, as they are due. */
  async begin(): Promise<void> {
    for (const task of this.tasks) {
      await this.#write(this.#statements.add, [task.name]);
      const now = new Date();
      const timer = setTimeout(() => this.#schedule(task, now), FIRST_SCHEDULE_MS);
      this.#timers.set(task.name, timer.unref());
    }
  }

  /** Ends when what is running has ended, which is asked to. */
  async end(): Promise<void> {
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
    for (const deadline of this.#deadlines) deadline.abort(new Error('the server stops'));
    await Promise.all(this.#running);
  }

  #schedule(task: Task, after: Date): void {
    const due = task.rule.nextRun(after);
    if (due === null) return;
    const wait = due.getTime() - Date.now();
    const isLong = wait > LONGEST_TIMER_MS;
    const timer = setTimeout(
      () => {
        // By the clock of this machine a timer may be early.
        if (!isLong && Date.now() >= due.getTime()) this.#begin(task, due);
        else this.#schedule(task, after);
      },
      isLong ? LONGEST_TIMER_MS : Math.max(0, wait),
    );
    this.#timers.set(task.name, timer.unref());
  }

  #begin(task: Task, due: Date): void {
    this.#schedule(task, due.getTime() > Date.now() - CATCH_UP_MS ? due : new Date());
    this.#outside(() => this.run(task.name, due)).catch((error: Error) =>
      this.#runner.log.warn({ err: error, task: task.name }, 'a task could not be begun'),
    );
  }

  /** Runs a task that is due, unless another node does or did; whether it ran here. */
  run(name: string, due: Date): Promise<boolean> {
    const task = this.tasks.find((one) => one.name === name)!;
    const work = this.#run(task, due).finally(() => this.#running.delete(work));
    this.#running.add(work);
    return work;
  }

  async #run(task: Task, due: Date): Promise<boolean> {
    const { name, piece } = task;
    const moment = due.getTime();
    const { take, lost, began, ended, release, prune, keep } = this.#statements;
    const [taken] = await this.#write(take, [moment, LEASE_MS, NODE, name, moment]);
    if (!taken) return false;
    await this.#write(lost, [name]);
    const [row] = await this.#write(began, [name, moment, NODE]);
    const renewal = setInterval(() => {
      this.#write(keep, [LEASE_MS, name, NODE]).catch((error: Error) =>
        this.#runner.log.warn({ err: error, task: name }, 'the lease of a task was not renewed'),
      );
    }, LEASE_MS / 3);
    const deadline = new Deadline(MAX_TASK_MS);
    this.#deadlines.add(deadline);
    let error: unknown = null;
    try {
      const context = { due: due.toISOString(), signal: deadline.signal };
      await this.#runner.run(piece, deadline, () => task.run(context));
    } catch (thrown) {
      error = thrown;
      const { file, code } = piece;
      this.#runner.log.error({ file, code, err: thrown }, 'a task failed');
    } finally {
      clearInterval(renewal);
      this.#deadlines.delete(deadline);
    }
    await this.#write(ended, [error === null ? 'done' : 'failed', error === null ? null : errorText(error), row![0]]);
    await this.#write(release, [name, NODE]);
    await this.#write(prune, [name, name, MAX_TASK_RUNS]);
    return true;
  }

  #write<R extends Row>(statement: Statement<R>, values: readonly BoundValue[]): Promise<readonly R[]> {
    return this.#database.transaction((session) => session.rows(statement, values));
  }

  /** The runs that are kept, newest first. */
  async runs(): Promise<readonly TaskRun[]> {
    return (await this.#database.latest((session) => session.rows(this.#statements.list, []))).map(runOf);
  }
}

/** A process that was held up does not run at once what it has missed. */
const CATCH_UP_MS = 1_000;

const moment = (milliseconds: number | string): string => new Date(Number(milliseconds)).toISOString();

const runOf = ([task, due, started, ended, state, node, error]: TaskRunRow): TaskRun => ({
  task,
  due: moment(due),
  started: moment(started),
  ended: ended === null ? null : moment(ended),
  state: state as RunState,
  node,
  error,
});
