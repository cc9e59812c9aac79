// The queue of committed writes: what hooks have to do about a write is stored with it, in its transaction, and taken from
// there when it is committed. So it is done at least once, whatever ends a process in between; in order for each document
// and hook; by one node at a time, which holds a lease; and after too many failures it is kept and told of.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import os from 'node:os';
import type { Database, Session } from '../db/database.ts';
import { MAX_COMMITTED_HOOK_MS, MAX_COMMITTED_TRIES } from '../limits.ts';
import { CommittedStatements, type TakenRow } from '../sql/committed-statements.ts';
import type { CommittedContext, CommittedEvent } from './define-project.ts';
import { type CodeRunner, Deadline, type Piece } from './run-code.ts';

/** A hook on committed writes. */
export interface CommittedHook {
  readonly name: string;
  readonly piece: Piece;
  run(context: Pick<CommittedContext, 'event' | 'tries' | 'signal'>): unknown;
}

/** Names a process, so that nobody takes what another still has. */
export const NODE = `${os.hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;

/** How long a node that no longer answers keeps what it has taken. A node that lives renews it three times as often. */
export const LEASE_MS = 15_000;
/** How often a node looks for what others left, and for what is to be tried again. */
const POLL_MS = 1_000;
/** Hooks that one process runs at a time. */
const AT_ONCE = 8;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 3_600_000;
/** Characters of an error that are kept. */
const ERROR_LENGTH = 2_000;

/** The pause after a number of failures. */
const pauseAfter = (failures: number): number => Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);

/** PostgreSQL keeps no zero characters; errors quote them, such as those about JSON that is none. */
export const errorText = (error: unknown): string =>
  (error instanceof Error ? (error.stack ?? error.message) : String(error))
    .slice(0, ERROR_LENGTH)
    .replaceAll('\0', '\uFFFD');

/** What waits, and what has failed for good. */
export interface CommittedCounts {
  readonly waiting: number;
  readonly failed: number;
}

export class CommittedQueue {
  readonly statements: CommittedStatements;
  readonly #database: Database;
  readonly #hooks: ReadonlyMap<string, CommittedHook>;
  readonly #names: string;
  readonly #runner: CodeRunner;
  /** Runs work outside of whatever transaction it is asked for in. */
  readonly #outside = AsyncLocalStorage.snapshot();
  /** What this node does, by the id of its row. */
  readonly #running = new Map<number, Promise<void>>();
  #timers: NodeJS.Timeout[] = [];
  #filling: Promise<void> | null = null;
  #isAskedAgain = false;
  #isOpen = false;

  constructor(database: Database, hooks: readonly CommittedHook[], runner: CodeRunner) {
    this.#database = database;
    this.statements = new CommittedStatements(database.dialect);
    this.#hooks = new Map(hooks.map((hook) => [hook.name, hook]));
    this.#names = JSON.stringify([...this.#hooks.keys()]);
    this.#runner = runner;
  }

  /** Notes what a hook has to do, in the transaction of the write. */
  async add(session: Session, hook: string, event: Omit<CommittedEvent, 'id'>): Promise<void> {
    await session.rows(this.statements.add, [hook, `${event.uid} ${event.documentId}`, JSON.stringify(event)]);
  }

  /** Takes work from now on. */
  begin(): void {
    this.#isOpen = true;
    const every = (milliseconds: number, work: () => void): void => {
      this.#timers.push(setInterval(work, milliseconds).unref());
    };
    every(POLL_MS, () => this.#look());
    every(LEASE_MS / 3, () => this.#keep());
    this.wake();
  }

  /** Ends when what was begun has ended. */
  async end(): Promise<void> {
    this.#isOpen = false;
    for (const timer of this.#timers.splice(0)) clearInterval(timer);
    await this.#filling;
    await Promise.all(this.#running.values());
  }

  /** There may be something to do. */
  wake(): void {
    this.#isAskedAgain = true;
    if (!this.#isOpen || this.#filling) return;
    this.#filling = this.#outside(() => this.#fill()).finally(() => {
      this.#filling = null;
      // Work was asked for after the last look at the queue.
      if (this.#isAskedAgain && this.#running.size < AT_ONCE) this.wake();
    });
  }

  /** Whether there is anything to do is read without keeping anyone from writing. */
  #look(): void {
    if (this.#running.size >= AT_ONCE) return;
    this.#outside(() => this.#database.latest((session) => session.rows(this.statements.due, [])))
      .then((rows) => rows.length > 0 && this.wake())
      .catch((error: Error) => this.#runner.log.warn({ err: error }, LOOK_FAILED));
  }

  /** Takes as much as can be done at a time, and begins it. */
  async #fill(): Promise<void> {
    while (this.#isAskedAgain && this.#isOpen && this.#running.size < AT_ONCE) {
      this.#isAskedAgain = false;
      const room = AT_ONCE - this.#running.size;
      try {
        const rows = await this.#database.transaction((session) =>
          session.rows(this.statements.take, [LEASE_MS, NODE, this.#names, room]),
        );
        for (const row of rows.toSorted(([one], [other]) => Number(one) - Number(other))) this.#begin(row);
      } catch (error) {
        this.#runner.log.warn({ err: error }, LOOK_FAILED);
        return;
      }
    }
  }

  #begin(row: TakenRow): void {
    const id = Number(row[0]);
    const work = this.#run(row)
      .catch((error: Error) => this.#runner.log.warn({ err: error }, 'the end of a committed hook was not noted'))
      .finally(() => {
        this.#running.delete(id);
        // What comes next for the same document waited for this.
        this.wake();
      });
    this.#running.set(id, work);
  }

  async #run([id, name, text, tries]: TakenRow): Promise<void> {
    const hook = this.#hooks.get(name)!;
    const event: CommittedEvent = { id: Number(id), ...JSON.parse(text) };
    // The process ended during the last one, and maybe because of it.
    if (tries > MAX_COMMITTED_TRIES) return this.#failed(hook, { id, tries: tries - 1, event }, new Error(NEVER_ENDED));
    const deadline = new Deadline(MAX_COMMITTED_HOOK_MS);
    try {
      const context = { event, tries: tries - 1, signal: deadline.signal };
      await this.#runner.run(hook.piece, deadline, () => hook.run(context));
    } catch (error) {
      return this.#failed(hook, { id, tries, event }, error);
    }
    await this.#database.transaction((session) => session.rows(this.statements.done, [id, NODE]));
  }

  async #failed(
    { piece: { file, code } }: CommittedHook,
    { id, tries, event }: { readonly id: number; readonly tries: number; readonly event: CommittedEvent },
    error: unknown,
  ): Promise<void> {
    const isLast = tries >= MAX_COMMITTED_TRIES;
    const { uid, documentId } = event;
    const message = isLast
      ? `a committed hook failed for the last of ${tries} times; sheaf hooks list shows it`
      : `a committed hook failed; it is tried again in ${pauseAfter(tries)} ms`;
    this.#runner.log.error({ file, code, uid, documentId, tries, err: error }, message);
    const { failed, gaveUp } = this.statements;
    await this.#database.transaction((session) =>
      isLast
        ? session.rows(gaveUp, [errorText(error), id, NODE])
        : session.rows(failed, [errorText(error), pauseAfter(tries), id, NODE]),
    );
  }

  #keep(): void {
    if (this.#running.size === 0) return;
    const ids = JSON.stringify([...this.#running.keys()]);
    this.#outside(() =>
      this.#database.transaction((session) => session.rows(this.statements.keep, [LEASE_MS, NODE, ids])),
    )
      // Where it lasts, another node takes it.
      .catch((error: Error) => this.#runner.log.warn({ err: error }, 'the lease of committed hooks was not renewed'));
  }

  async counts(): Promise<CommittedCounts> {
    const rows = await this.#database.latest((session) => session.rows(this.statements.counts, []));
    const numbers = new Map(rows.map(([state, number]) => [state, Number(number)]));
    return { waiting: numbers.get('waiting') ?? 0, failed: numbers.get('failed') ?? 0 };
  }
}

const NEVER_ENDED = 'the process ended while the hook ran';
const LOOK_FAILED = 'the queue of committed writes could not be read';
