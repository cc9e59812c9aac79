// Writes: authorize → parse → plan → run in a transaction, with the hooks that concern them, and the entry as it stands
// afterwards.
import { mayRead } from '../access/actions.ts';
import { type Authorized, authorize, authorizePlace } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { WriteOperation } from '../access/operation.ts';
import type { Session } from '../db/database.ts';
import type { ScopedDatabase } from '../db/scoped-database.ts';
import { MAX_CACHED_PLAN_BYTES, MAX_CACHED_REQUEST_LENGTH } from '../limits.ts';
import { Lru } from '../lru.ts';
import { hashPassword } from '../passwords.ts';
import { planRead, type ReadPlanning } from '../plan/read/plan-read.ts';
import { type AuthorizedWritePlan, mapPasswords, planWrite, type WritePlanning } from '../plan/write/plan-write.ts';
import { hasPasswords } from '../plan/write/planned-passwords.ts';
import { CompiledRead } from '../read/compiled-read.ts';
import { prepareFirst } from '../read/run-read.ts';
import { NO_LIMIT, parseRead, type ReadRules } from '../request/parse-read.ts';
import { type ParsedWrite, parseWrite } from '../request/parse-write.ts';
import type { ReadRequest } from '../request/read-request.ts';
import { DocumentNotFound } from '../store/document-not-found.ts';
import { runWrite } from '../store/run-write.ts';
import { type WriteContext, type WriteInvariants, WriteSession } from '../store/write-session.ts';
import type { Written } from '../store/write-version.ts';
import type { CommitEvent, CommitEvents } from './commit-events.ts';
import { entriesOf } from './hooked-reads.ts';
import { type ConcernedHooks, type HookList, type ShownChanges, shownAs } from './hooks.ts';
import { clockOf, weightOf } from './prepared.ts';
import type { FileSigning } from './sign-files.ts';
import type { Timing } from './timing.ts';

/** What a type asks of its writes beyond its definition. */
export interface TypeExtension extends WriteInvariants {
  /** Completes what is written, before it is planned. */
  complete(operation: WriteOperation, caller: Caller): Promise<WriteOperation>;
}

export interface WriteOutcome {
  readonly written: Written;
  /** The entry as JSON after the write; `null` where the caller may not find it. */
  readonly text: string;
  /** What hooks show otherwise than it is stored. The text has it already. */
  readonly changes: ShownChanges | null;
  readonly omitted: readonly string[];
  /** Paths in the body of what was ignored. */
  readonly ignored: readonly string[];
  readonly timing: Timing;
}

/** The read that answers a write, inside its transaction. */
interface AnswerRead {
  readonly omitted: readonly string[];
  runIn(session: Session, caller: Caller, documentId: string): Promise<string | null>;
}

/** What happens in the transaction of several writes beside them. */
export interface AroundWrites {
  before?(write: WriteSession): Promise<void>;
  /** Runs after all of them; what it writes shows in the answers. It may run again where the transaction does. */
  after?(write: WriteSession, written: readonly Written[]): Promise<void>;
  /** Runs when nothing is left but to commit. */
  last?(): Promise<void>;
}

/** A write that is parsed and planned. */
interface WriteStep extends Pick<WriteOutcome, 'timing'> {
  readonly operation: WriteOperation;
  readonly plan: AuthorizedWritePlan;
  readonly answer: AnswerRead;
}

/** An entry that the caller may not find, as JSON. */
const NOTHING = 'null';
const NO_ANSWER: AnswerRead = { omitted: [], runIn: async () => null };

export interface WritesDeps {
  readonly database: ScopedDatabase;
  readonly planning: ReadPlanning & WritePlanning;
  readonly rules: ReadRules;
  /** By the uid of the type. */
  readonly extensions: ReadonlyMap<string, TypeExtension>;
  readonly context: WriteContext;
  readonly hooks: HookList;
  readonly commits: CommitEvents;
  readonly signing: FileSigning;
}

export class Writes {
  readonly #deps: WritesDeps;
  /** Reads that answer writes. */
  readonly answers = new Lru<string, AnswerRead>(MAX_CACHED_PLAN_BYTES);

  constructor(deps: WritesDeps) {
    this.#deps = deps;
  }

  /** A write, answered with the entry as it stands afterwards. Null where there is no such document for the caller. */
  async write(operation: WriteOperation, caller: Caller, wantsEntry = true): Promise<WriteOutcome | null> {
    const options = { knownBy: caller.knownBy };
    const hooks = this.#deps.hooks.on(operation);
    let run: (session: Session) => Promise<WriteOutcome>;
    if (hooks) {
      this.#admit(operation, caller, wantsEntry);
      run = (session) => this.#runHooked(session, hooks, { operation, caller, wantsEntry });
    } else {
      const step = await this.#step(operation, caller, wantsEntry);
      run = (session) => this.#runStep(session, step, caller);
    }
    const outcome = await this.#deps.database.transaction(run, options).catch(nullWhereNotFound);
    if (outcome && this.#deps.commits.isHeard) this.#announce(operation, caller, outcome.written);
    return outcome;
  }

  /** Refuses what its caller may not do, before any hook sees it. What hooks make of it is authorized by itself. */
  #admit(operation: WriteOperation, caller: Caller, wantsEntry: boolean): void {
    const authorized = authorize(operation, caller);
    if (caller.access.separateRights)
      authorizePlace(authorized, parseWrite(operation, this.#deps.context.defaultLocale, wantsEntry));
  }

  /** A write as far as it goes without the database. */
  async #step(operation: WriteOperation, caller: Caller, wantsEntry: boolean): Promise<WriteStep> {
    const authorized = await this.#complete(authorize(operation, caller));
    const begin = performance.now();
    const parsed = parseWrite(authorized.operation, this.#deps.context.defaultLocale, wantsEntry);
    const afterParse = performance.now();
    const planned = planWrite(this.#deps.planning, authorized, parsed);
    // What shapes the answer is checked before anything is written, and read before anyone else can write.
    const answer = wantsEntry ? this.#answer(authorized, parsed) : NO_ANSWER;
    this.#checkUnused(authorized, parsed);
    const timing = { parse: afterParse - begin, plan: performance.now() - afterParse };
    // Hashing is slow, so it is done before anyone has to wait for a lock.
    const plan =
      hasPasswords(planned.change) && planned.row === null ? await mapPasswords(planned, hashPassword) : planned;
    return { operation, plan, answer, timing };
  }

  /** Hooks run in the transaction: what they add to the operation is checked there, and what they write is part of it. */
  async #runHooked(
    session: Session,
    hooks: ConcernedHooks,
    { operation, caller, wantsEntry }: { operation: WriteOperation; caller: Caller; wantsEntry: boolean },
  ): Promise<WriteOutcome> {
    const changed = await hooks.before(operation, caller);
    const outcome = await this.#runStep(session, await this.#step(changed, caller, wantsEntry), caller);
    return this.#afterHooks(hooks, changed, outcome, caller);
  }

  async #afterHooks(
    hooks: ConcernedHooks,
    operation: WriteOperation,
    outcome: WriteOutcome,
    caller: Caller,
  ): Promise<WriteOutcome> {
    const { written, text } = outcome;
    const result = { written, entries: text === NOTHING ? [] : entriesOf(text) };
    const changes = await hooks.after(operation, result, caller);
    this.#deps.database.whenCommitted(() => hooks.committed(operation, result, caller));
    const [entry] = result.entries;
    return changes ? { ...outcome, changes, text: entry ? JSON.stringify(shownAs(entry, changes)) : text } : outcome;
  }

  /** Several writes in one transaction, each answered with its entry. A document that is not there is an error. */
  async writeTogether(
    operations: readonly WriteOperation[],
    caller: Caller,
    around: AroundWrites,
  ): Promise<readonly WriteOutcome[]> {
    const hooks = operations.map((operation) => this.#deps.hooks.on(operation));
    const prepare = async (): Promise<WriteStep[]> => {
      const steps: WriteStep[] = [];
      for (const [index, operation] of operations.entries()) {
        const changed = (await hooks[index]?.before(operation, caller)) ?? operation;
        steps.push(await this.#step(changed, caller, true));
      }
      return steps;
    };
    // Hooks belong in the transaction, everything else before it.
    const isHooked = hooks.some((one) => one !== null);
    if (isHooked) for (const operation of operations) this.#admit(operation, caller, true);
    const prepared = isHooked ? null : await prepare();
    const outcomes = await this.#deps.database.transaction(
      async (session) => {
        const steps = prepared ?? (await prepare());
        const done = await this.#runTogether(session, steps, caller, around);
        for (const [index, { operation }] of steps.entries()) {
          const concerned = hooks[index];
          if (concerned) done[index] = await this.#afterHooks(concerned, operation, done[index]!, caller);
        }
        await around.last?.();
        return done;
      },
      { knownBy: caller.knownBy },
    );
    if (this.#deps.commits.isHeard)
      for (const [index, { written }] of outcomes.entries()) this.#announce(operations[index]!, caller, written);
    return outcomes;
  }

  async #runTogether(
    session: Session,
    steps: readonly WriteStep[],
    caller: Caller,
    around: AroundWrites,
  ): Promise<WriteOutcome[]> {
    const write = new WriteSession(session, caller, this.#deps.context);
    await around.before?.(write);
    const deleted: (string | null)[] = [];
    const written: Written[] = [];
    for (const { plan, answer } of steps) {
      const isDelete = plan.name === 'delete';
      deleted.push(isDelete ? await answer.runIn(session, caller, plan.documentId ?? '') : null);
      written.push(await runWrite(write, plan));
    }
    await around.after?.(write, written);
    await write.run.flush();
    const outcomes: WriteOutcome[] = [];
    for (const [index, step] of steps.entries()) {
      const one = written[index]!;
      const text = deleted[index] ?? (await step.answer.runIn(session, caller, one.documentId));
      outcomes.push(outcomeOf(step, one, text));
    }
    return outcomes;
  }

  async #runStep(session: Session, step: WriteStep, caller: Caller): Promise<WriteOutcome> {
    const { plan, answer } = step;
    // What is deleted is read before it is gone.
    const deleted = plan.name === 'delete' ? await answer.runIn(session, caller, plan.documentId ?? '') : null;
    const write = new WriteSession(session, caller, this.#deps.context);
    const written = await runWrite(write, plan);
    const [, text] = await Promise.all([
      write.run.flush(),
      deleted ?? answer.runIn(session, caller, written.documentId),
    ]);
    return outcomeOf(step, written, text);
  }

  async #complete(authorized: Authorized<WriteOperation>): Promise<Authorized<WriteOperation>> {
    const extension = this.#deps.extensions.get(authorized.operation.type.uid);
    if (!extension) return authorized;
    return { ...authorized, operation: await extension.complete(authorized.operation, authorized.caller) };
  }

  /** The read that answers a write. */
  #answer(authorized: Authorized<WriteOperation>, { status, answerLocale, answer }: ParsedWrite): AnswerRead {
    const { operation, caller } = authorized;
    const { type, name } = operation;
    const { access } = caller;
    // Who may change entries but not read them learns which one it was. What is in a new one they know.
    const isReadable =
      mayRead(type, access.may) && (status === 'published' || !type.draftAndPublish || access.mayReadDrafts(type.uid));
    const locale = answerLocale === null ? {} : { locale: answerLocale };
    const parameters = { ...answer, ...locale };
    const key = `${access.key} ${name} ${type.uid} ${status} ${JSON.stringify(parameters)}`;
    let read = this.answers.get(key);
    if (!read) {
      // What was asked for is checked in any case.
      const defaults = { status, pagination: NO_LIMIT };
      read = this.#planAnswer(authorized, parseRead(parameters, defaults, this.#deps.rules));
      if (name !== 'create' && !isReadable) {
        const identity = { fields: 'documentId', ...locale };
        read = this.#planAnswer(authorized, parseRead(identity, defaults, this.#deps.rules));
      }
      if (key.length <= MAX_CACHED_REQUEST_LENGTH) this.answers.set(key, read, weightOf(key));
    }
    return read;
  }

  /** Refuses names that a read would refuse, of parameters that change nothing here. */
  #checkUnused(authorized: Authorized<WriteOperation>, { status }: ParsedWrite): void {
    const { unused = {} } = authorized.operation;
    if (Object.keys(unused).length === 0) return;
    this.#planAnswer(authorized, parseRead(unused, { status, pagination: NO_LIMIT }, this.#deps.rules));
  }

  #planAnswer(authorized: Authorized<WriteOperation>, request: ReadRequest): AnswerRead {
    const read = new CompiledRead(
      this.#deps.database.dialect,
      planRead(this.#deps.planning, authorized, request.shape, true),
    );
    const first = prepareFirst(read, request.values);
    return {
      omitted: read.plan.omitted,
      runIn: (session, { user }, documentId) => {
        const found = first.run(session, {
          defaultLocale: this.#deps.context.defaultLocale,
          documentId,
          user,
          ...clockOf(request),
        });
        return this.#deps.signing.entry(found, read.plan);
      },
    };
  }

  #announce({ name, type }: WriteOperation, { kind, account }: Caller, { documentId, versions }: Written): void {
    const event: CommitEvent = {
      operation: name,
      uid: type.uid,
      documentId,
      entries: versions.map(({ id, locale, published }) => ({ id, locale, status: published ? 'published' : 'draft' })),
      caller: { kind, userId: account?.id ?? null },
    };
    this.#deps.database.whenCommitted(() => this.#deps.commits.emit(event));
  }
}

const outcomeOf = ({ answer, plan, timing }: WriteStep, written: Written, text: string | null): WriteOutcome => ({
  written,
  text: text ?? NOTHING,
  changes: null,
  omitted: answer.omitted,
  ignored: plan.ignored,
  timing,
});

function nullWhereNotFound(error: unknown): null {
  if (error instanceof DocumentNotFound) return null;
  throw error;
}
