// A database whose transactions can be joined: whatever the same flow of calls reads or writes while a transaction is
// under way happens inside it. So code that runs around a write works with what the write has done so far, and is undone
// with it.
import { AsyncLocalStorage } from 'node:async_hooks';
import { MARK_STATEMENT } from '../sql/access-changes.ts';
import { plainStatement, type Statement } from '../sql/statement.ts';
import { inTime, timeOver } from './code-time.ts';
import { type Database, type ReadOptions, type Session, StaleCallerError, type WriteOptions } from './database.ts';
import { DatabaseWrapper, type Work } from './database-wrapper.ts';

/** A transaction, or a part of one that can fail by itself. */
interface Scope {
  readonly database: Database;
  /** What it is a part of; null for a whole transaction. */
  readonly parent: Scope | null;
  readonly session: Session;
  /** What happens once it is committed. */
  readonly committed: (() => void)[];
  /** The last that was asked of it: statements of two parts must not mix. */
  turn: Promise<unknown>;
  /** Whether it is under way. Code that nobody waited for may outlive it. */
  isOpen: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

interface Savepoint {
  readonly begin: Statement;
  readonly release: Statement;
  readonly rollback: Statement;
}

/** By depth: where a part fails, the savepoint of a part inside it may still be there, and must not be meant. */
const savepoints: Savepoint[] = [];

function savepointIn(scope: Scope): Savepoint {
  let depth = 0;
  for (let { parent } = scope; parent; parent = parent.parent) depth++;
  const name = `sheaf_scope_${depth}`;
  savepoints[depth] ??= {
    begin: plainStatement(`savepoint ${name}`),
    release: plainStatement(`release savepoint ${name}`),
    rollback: plainStatement(`rollback to savepoint ${name}`),
  };
  return savepoints[depth]!;
}

/**
 * Who calls, and what they may do (`marked`, `mark`), is what others see as well: never what a transaction under way
 * would make of it.
 */
export class ScopedDatabase extends DatabaseWrapper {
  /** The transaction that the present flow of calls is inside of. */
  get #scope(): Scope | null {
    let scope = scopes.getStore() ?? null;
    // What outlives a part still belongs to the whole, which may wait for it.
    while (scope && !scope.isOpen) scope = scope.parent;
    return scope?.database === this ? scope : null;
  }

  get isInTransaction(): boolean {
    return this.#scope !== null;
  }

  /** Calls back when what is written now is committed: at once, or with the transaction under way. */
  whenCommitted(listener: () => void): void {
    const scope = this.#scope;
    if (scope) scope.committed.push(listener);
    else listener();
  }

  snapshot<T>(work: Work<T>, options?: ReadOptions): Promise<T> {
    const over = timeOver();
    if (over) return Promise.reject(over);
    const scope = this.#scope;
    return scope ? this.#read(scope, work, options?.knownBy) : this.inner.snapshot(work, options);
  }

  latest<T>(work: Work<T>): Promise<T> {
    const over = timeOver();
    if (over) return Promise.reject(over);
    const scope = this.#scope;
    return scope ? this.#read(scope, work) : this.inner.latest(work);
  }

  transaction<T>(work: Work<T>, options?: WriteOptions): Promise<T> {
    const over = timeOver();
    if (over) return Promise.reject(over);
    const scope = this.#scope;
    return scope ? this.#part(scope, work, options?.knownBy) : this.#whole(work, options);
  }

  async #whole<T>(work: Work<T>, options?: WriteOptions): Promise<T> {
    let committed: Scope['committed'] = [];
    const result = await this.inner.transaction((session) => {
      // Begun again, it has done nothing yet.
      committed = [];
      return this.#within(session, null, committed, work);
    }, options);
    for (const listener of committed) listener();
    return result;
  }

  /** As a part of a transaction under way, which it does not end where it fails. */
  #part<T>(scope: Scope, work: Work<T>, knownBy?: string | null): Promise<T> {
    return inTurn(scope, async () => {
      const { session } = scope;
      const { begin, release, rollback } = savepointIn(scope);
      await requireMark(session, knownBy);
      await session.rows(begin, []);
      const committed: Scope['committed'] = [];
      try {
        const result = await this.#within(session, scope, committed, work);
        await session.rows(release, []);
        scope.committed.push(...committed);
        return result;
      } catch (error) {
        // Where even this fails the whole transaction has.
        await session.rows(rollback, []).then(
          () => session.rows(release, []),
          () => undefined,
        );
        throw error;
      }
    });
  }

  #read<T>(scope: Scope, work: Work<T>, knownBy?: string | null): Promise<T> {
    return inTurn(scope, async () => {
      await requireMark(scope.session, knownBy);
      return this.#within(scope.session, scope, [], work);
    });
  }

  /** Inside of a part, calls join that part: to wait for the turn of the whole would be to wait for themselves. */
  async #within<T>(inner: Session, parent: Scope | null, committed: Scope['committed'], work: Work<T>): Promise<T> {
    const session: Session = {
      // By then the connection is somebody else's, or in another transaction.
      rows: (statement, values) =>
        scope.isOpen ? inner.rows(statement, values) : Promise.reject(new Error('the transaction has ended')),
    };
    const scope: Scope = { database: this, parent, session, committed, turn: Promise.resolve(), isOpen: true };
    try {
      // What code holds open when it is given up would keep everyone else from writing.
      const result = await inTime(() => scopes.run(scope, () => work(session)));
      // What was begun and not waited for is part of it as well.
      for (let last: unknown = null; last !== scope.turn; await last) last = scope.turn;
      return result;
    } finally {
      scope.isOpen = false;
    }
  }
}

/** Runs the work when all that was asked of the scope before is done. */
function inTurn<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
  const result = scope.turn.then(work);
  scope.turn = result.catch(() => undefined);
  return result;
}

async function requireMark(session: Session, knownBy: string | null = null): Promise<void> {
  if (knownBy === null) return;
  const [row] = await session.rows(MARK_STATEMENT, []);
  if (row![0] !== knownBy) throw new StaleCallerError();
}
