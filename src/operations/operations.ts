// The way of every operation on one screen: authorize → parse → plan → compile → run. HTTP, the in-process interface
// and the command line all come through here; nothing else starts a read or a write.
import { mayRead } from '../access/actions.ts';
import { type Authorized, authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadOperation, WriteOperation } from '../access/operation.ts';
import type { Database, ReadOptions, Session, WhenGone } from '../db/database.ts';
import { admitLocale, hasLocale } from '../db/stored-settings.ts';
import { invalidKey, notFoundError } from '../errors.ts';
import { MAX_CACHED_PLAN_BYTES, MAX_CACHED_REQUEST_LENGTH } from '../limits.ts';
import { type CacheUsage, Lru } from '../lru.ts';
import type { Model } from '../model/types.ts';
import { hashPassword } from '../passwords.ts';
import { type AuthorizedReadPlan, planRead, planRelated, type ReadPlanning } from '../plan/read/plan-read.ts';
import {
  type AuthorizedWritePlan,
  type DecimalColumns,
  hasPasswords,
  mapPasswords,
  planWrite,
  type WritePlanning,
} from '../plan/write/plan-write.ts';
import type { Context } from '../read/bind.ts';
import { CompiledRead } from '../read/compiled-read.ts';
import type { NamedStatement, PageText } from '../read/read-strategy.ts';
import { describeRead, prepareFirst, preparePage, runCount } from '../read/run-read.ts';
import { DEFAULT_READ_RULES, NO_LIMIT, parseAggregateRead, parseRead, type ReadRules } from '../request/parse-read.ts';
import { type ParsedWrite, parseWrite } from '../request/parse-write.ts';
import type { ReadRequest, ReadShape } from '../request/read-request.ts';
import { AffectedStatements } from '../sql/affected-statements.ts';
import { GatherStatements } from '../sql/gather-statements.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import { DocumentNotFound } from '../store/document-not-found.ts';
import { RuleStatements } from '../store/rule-statements.ts';
import { runWrite } from '../store/run-write.ts';
import { type WriteContext, type WriteInvariants, WriteSession } from '../store/write-session.ts';
import type { Written } from '../store/write-version.ts';
import { CommitEvents } from './commit-events.ts';
import type { ReadJob } from './read-job.ts';
import { ReadLanes } from './read-lanes.ts';
import { type SignFile, showsFiles, withSignedFiles } from './sign-files.ts';
import type { Timing } from './timing.ts';

/** What a type asks of its writes beyond its definition. */
export interface TypeExtension extends WriteInvariants {
  /** Completes what is written, before it is planned. */
  complete(operation: WriteOperation, caller: Caller): Promise<WriteOperation>;
}

export interface OperationsDeps {
  readonly model: Model;
  readonly database: Database;
  /** The one to begin with. */
  readonly defaultLocale: string;
  readonly decimals: DecimalColumns;
  /** What the project says of reads, and the limits of all requests. */
  readonly rules?: ReadRules;
  /** By the uid of the type. */
  readonly extensions: ReadonlyMap<string, TypeExtension>;
}

/** What differs between runs of one prepared read. */
export interface RunOptions {
  /** One who has the access that the read was prepared for. */
  readonly caller: Caller;
  readonly documentId?: string | null;
  /** The state of the data that the answer must not be older than. */
  readonly after?: string | null;
  /** Calls back when nobody waits for the answer any more. */
  readonly whenGone?: WhenGone;
}

/** A read that is ready to run, for everyone who has the same access. */
export interface PreparedRead<Answer> {
  readonly request: ReadRequest;
  readonly timing: Timing;
  /** Bytes that it holds on to, roughly. */
  readonly weight: number;
  /** Paths of relations that `*` left out. */
  readonly omitted: readonly string[];
  /** What the request probably means but does not say. */
  readonly hints: readonly string[];
  /** Rows that the database touches, as a caller may know it. */
  cost(): number;
  run(options: RunOptions): Promise<Answer>;
}

export interface PreparedOne extends PreparedRead<string | null> {
  /** The same on the newest state of the data, never on a replica's. */
  latest(options: RunOptions): Promise<string | null>;
}

export interface WriteOutcome {
  readonly written: Written;
  /** The entry as JSON after the write; `null` where the caller may not find it. */
  readonly text: string;
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

/** A read that is parsed, planned and compiled. */
interface Prepared extends Pick<PreparedRead<unknown>, 'request' | 'timing' | 'weight'> {
  readonly read: CompiledRead;
}

interface PreparedList extends Omit<PreparedRead<unknown>, 'run'> {
  /** `parent`: the id of the row whose related rows are listed; null where all rows are. */
  run(options: RunOptions, parent: number | null): Promise<PageText>;
}

/** Reads whose entries can be counted by facets. */
const LISTS: ReadonlySet<ReadOperation['name']> = new Set(['find', 'related'] as const);

const NO_ANSWER: AnswerRead = { omitted: [], runIn: async () => null };

export class Operations {
  readonly model: Model;
  readonly database: Database;
  readonly commits = new CommitEvents();
  readonly lanes: ReadLanes;
  readonly #deps: OperationsDeps;
  readonly #planning: ReadPlanning & WritePlanning;
  readonly rules: ReadRules;
  /** Of localized entries where a request names no locale. It may change at any time: `Grants` keeps it up to date. */
  defaultLocale: string;
  /** Brings it up to date, as far as anybody watches the database; null where there is nothing to wait for. */
  refresh: () => Promise<void> | null = () => null;
  readonly #writes: WriteContext;
  readonly #plans = new Lru<string, CompiledRead>(MAX_CACHED_PLAN_BYTES);
  readonly #answers = new Lru<string, AnswerRead>(MAX_CACHED_PLAN_BYTES);
  /** Of files that are private; null where none are. */
  #signFile: SignFile | null = null;

  constructor(deps: OperationsDeps) {
    const { model, database, defaultLocale, extensions, decimals, rules = DEFAULT_READ_RULES } = deps;
    this.model = model;
    this.database = database;
    this.lanes = new ReadLanes(database, model);
    this.#deps = deps;
    this.defaultLocale = defaultLocale;
    const current = (): string => this.defaultLocale;
    this.rules = rules;
    this.#planning = { model, decimals, limits: rules.limits };
    this.#writes = {
      model,
      sql: new WriteStatements(database.dialect),
      affected: new AffectedStatements(database.dialect),
      gatherStatements: new GatherStatements(database.dialect),
      get defaultLocale() {
        return current();
      },
      rules: new RuleStatements(model, database.dialect),
      admitLocale: (session, code) => admitLocale(session, database.dialect, code),
      hasLocale,
      invariants: extensions,
    };
  }

  get caches(): Readonly<Record<string, CacheUsage>> {
    return { plans: this.#plans, responses: this.#answers };
  }

  /** From now on, all files in answers are shown as `sign` returns them. */
  signFiles(sign: SignFile): void {
    this.#signFile = sign;
  }

  /** Entries as JSON, with the files that they show signed. */
  async #signed(entries: string, { entity }: CompiledRead['plan']): Promise<string> {
    return this.#signFile && showsFiles(entity) ? withSignedFiles(entries, entity, this.#signFile) : entries;
  }

  async #signedEntry(found: Promise<string | null>, plan: CompiledRead['plan']): Promise<string | null> {
    const text = await found;
    return text === null ? null : this.#signed(text, plan);
  }

  async #signedPage(found: Promise<PageText>, plan: CompiledRead['plan']): Promise<PageText> {
    const page = await found;
    return { ...page, entries: await this.#signed(page.entries, plan) };
  }

  /** A list of entries, or of groups of them. */
  find(operation: ReadOperation, caller: Caller): PreparedRead<PageText> {
    const { run, ...list } = this.#list(this.#prepare(authorize(operation, caller), false), caller);
    return { ...list, run: (options) => run(options, null) };
  }

  /** The entries that a relation of one document leads to; null where there is no such document for the caller. */
  related(operation: ReadOperation, relation: string, caller: Caller): PreparedRead<PageText | null> {
    const authorized = authorize(operation, caller);
    const { run, ...list } = this.#list(this.#prepareRelated(authorized, relation), caller);
    const { status, locale, publicationFilter, hasPublishedVersion } = operation.parameters;
    const versions = { status, locale, publicationFilter, hasPublishedVersion };
    const parameters = Object.fromEntries(Object.entries(versions).filter(([, value]) => value !== undefined));
    const defaults = { status: operation.defaults.status, pagination: NO_LIMIT };
    const holder = this.findOne({ ...operation, parameters: { ...parameters, fields: 'id' }, defaults }, caller);
    return {
      ...list,
      run: async (options) => {
        const found = await holder.run(options);
        return found === null ? null : run(options, (JSON.parse(found) as { readonly id: number }).id);
      },
    };
  }

  /** A page, of all rows or of those that belong to a given one. */
  #list({ request, read, timing, weight }: Prepared, caller: Caller): PreparedList {
    const { limit, start, withCount } = request.pagination;
    const page = preparePage(read, request.values, withCount);
    const lane = this.lanes.laneOf(read);
    return {
      request,
      timing,
      weight,
      omitted: read.plan.omitted,
      hints: read.plan.hints,
      cost: () => lane.shownCost(limit),
      run: (options, parent) => {
        const { user } = sameAccess(options.caller, caller);
        lane.requireWithin(caller.access.maxReadCost, limit);
        const context = { defaultLocale: this.defaultLocale, limit, start, user, parent, ...clockOf(request) };
        const work = (session: Session) => page.run(session, context);
        const kind = withCount ? 'page and total' : 'page';
        const job: ReadJob = { kind, plan: read.plan, slots: request.values, context };
        const found = lane.isHeavy(limit)
          ? this.lanes.runHeavy<PageText>({ read, work, job }, readOptions(options, lane, false))
          : this.database.snapshot(work, readOptions(options, lane.timerWith(limit), false));
        return this.#signFile ? this.#signedPage(found, read.plan) : found;
      },
    };
  }

  /** One entry: the document with an id, the one of a single type, the caller's own account. */
  findOne(operation: ReadOperation, caller: Caller): PreparedOne {
    const byDocument = operation.type.kind !== 'singleType';
    const { request, read, timing, weight } = this.#prepare(authorize(operation, caller), byDocument);
    const first = prepareFirst(read, request.values);
    const lane = this.lanes.laneOf(read);
    const contextOf = (options: RunOptions): Context => {
      const { user, account } = sameAccess(options.caller, caller);
      const documentId = operation.name === 'me' ? (account?.documentId ?? null) : (options.documentId ?? null);
      return { defaultLocale: this.defaultLocale, documentId, user, ...clockOf(request) };
    };
    return {
      request,
      timing,
      weight,
      omitted: read.plan.omitted,
      hints: read.plan.hints,
      cost: () => lane.shownCost(1),
      run: (options) => {
        lane.requireWithin(caller.access.maxReadCost, 1);
        const context = contextOf(options);
        const work = (session: Session) => first.run(session, context);
        const job: ReadJob = { kind: 'first', plan: read.plan, slots: request.values, context };
        const found = lane.isHeavy(1)
          ? this.lanes.runHeavy<string | null>({ read, work, job }, readOptions(options, lane, first.single))
          : this.database.snapshot(work, readOptions(options, lane.timerWith(1), first.single));
        return this.#signFile ? this.#signedEntry(found, read.plan) : found;
      },
      latest: (options) => {
        const context = contextOf(options);
        const found = this.database.latest((session) => first.run(session, context));
        return this.#signFile ? this.#signedEntry(found, read.plan) : found;
      },
    };
  }

  async count(operation: ReadOperation, options: RunOptions): Promise<number> {
    const { caller } = options;
    const { request, read } = this.#prepare(authorize(operation, caller), false);
    const context = { defaultLocale: this.defaultLocale, user: caller.user, ...clockOf(request) };
    const lane = this.lanes.laneOf(read);
    lane.requireWithin(caller.access.maxReadCost, 0);
    const work = (session: Session) => runCount(session, read, request.values, context);
    if (!lane.isHeavy(0)) return this.database.snapshot(work, readOptions(options, lane.timerWith(0), true));
    const job: ReadJob = { kind: 'count', plan: read.plan, slots: request.values, context };
    return this.lanes.runHeavy({ read, work, job }, readOptions(options, lane, true));
  }

  /** A write, answered with the entry as it stands afterwards. Null where there is no such document for the caller. */
  async write(operation: WriteOperation, caller: Caller, wantsEntry = true): Promise<WriteOutcome | null> {
    const authorized = await this.#complete(authorize(operation, caller));
    const begin = performance.now();
    const parsed = parseWrite(authorized.operation, this.defaultLocale, wantsEntry);
    const afterParse = performance.now();
    const planned = planWrite(this.#planning, authorized, parsed);
    // What shapes the answer is checked before anything is written, and read before anyone else can write.
    const answer = wantsEntry ? this.#answer(authorized, parsed) : NO_ANSWER;
    const timing = { parse: afterParse - begin, plan: performance.now() - afterParse };
    // Hashing is slow, so it is done before anyone has to wait for a lock.
    const plan = hasPasswords(planned.change) ? await mapPasswords(planned, hashPassword) : planned;
    const outcome = await this.database
      .transaction((session) => this.#runWrite(session, plan, caller, answer), { knownBy: caller.knownBy })
      .catch(nullWhereNotFound);
    if (outcome && this.commits.isHeard) this.#announce(operation, caller, outcome.written);
    return outcome && { ...outcome, omitted: answer.omitted, ignored: plan.ignored, timing };
  }

  /** Several writes in one transaction, each answered with its entry. A document that is not there is an error. */
  async writeTogether(
    operations: readonly WriteOperation[],
    caller: Caller,
    around: AroundWrites,
  ): Promise<readonly WriteOutcome[]> {
    const steps = operations.map((operation) => {
      const begin = performance.now();
      const authorized = authorize(operation, caller);
      const parsed = parseWrite(operation, this.defaultLocale, true);
      const plan = planWrite(this.#planning, authorized, parsed);
      const answer = this.#answer(authorized, parsed);
      return { operation, plan, answer, timing: { parse: 0, plan: performance.now() - begin } };
    });
    const outcomes = await this.database.transaction(
      async (session) => {
        const write = new WriteSession(session, caller, this.#writes);
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
        const texts: string[] = [];
        for (const [index, { answer }] of steps.entries())
          texts.push(deleted[index] ?? (await answer.runIn(session, caller, written[index]!.documentId)) ?? 'null');
        await around.last?.();
        return written.map((one, index) => ({ written: one, text: texts[index]! }));
      },
      { knownBy: caller.knownBy },
    );
    return outcomes.map((outcome, index) => {
      const { operation, plan, answer, timing } = steps[index]!;
      if (this.commits.isHeard) this.#announce(operation, caller, outcome.written);
      return { ...outcome, omitted: answer.omitted, ignored: plan.ignored, timing };
    });
  }

  async #runWrite(
    session: Session,
    plan: AuthorizedWritePlan,
    caller: Caller,
    answer: AnswerRead,
  ): Promise<Pick<WriteOutcome, 'written' | 'text'>> {
    // What is deleted is read before it is gone.
    const deleted = plan.name === 'delete' ? await answer.runIn(session, caller, plan.documentId ?? '') : null;
    const write = new WriteSession(session, caller, this.#writes);
    const written = await runWrite(write, plan);
    const [, text] = await Promise.all([
      write.run.flush(),
      deleted ?? answer.runIn(session, caller, written.documentId),
    ]);
    return { written, text: text ?? 'null' };
  }

  /** The plan of a read and its statements, without running anything. */
  explain(
    operation: ReadOperation,
    caller: Caller,
  ): { read: CompiledRead; request: ReadRequest; statements: NamedStatement[] } {
    const isList = operation.name === 'find' || operation.name === 'aggregate';
    const { request, read } = this.#prepare(
      authorize(operation, caller),
      !isList && operation.type.kind !== 'singleType',
    );
    const page = request.pagination.withCount ? 'page and total' : 'page';
    return { read, request, statements: describeRead(read, request.values, isList ? page : 'first') };
  }

  #prepare(authorized: Authorized<ReadOperation>, byDocument: boolean): Prepared {
    return this.#planned(authorized, '', (shape) => planRead(this.#planning, authorized, shape, byDocument));
  }

  #prepareRelated(authorized: Authorized<ReadOperation>, relation: string): Prepared {
    return this.#planned(authorized, relation, (shape) => {
      const plan = planRelated(this.#planning, authorized, shape, relation);
      if (plan === null) throw notFoundError();
      return plan;
    });
  }

  /** parse → plan → compile; plans are kept by access and by the shape of the request. */
  #planned(
    { operation, caller }: Authorized<ReadOperation>,
    relation: string,
    plan: (shape: ReadShape) => AuthorizedReadPlan,
  ): Prepared {
    const { name, type, parameters, defaults } = operation;
    const begin = performance.now();
    const parse = name === 'aggregate' ? parseAggregateRead : parseRead;
    const request = parse(parameters, defaults, this.rules);
    if (request.shape.facets.length > 0 && !LISTS.has(name)) throw invalidKey('facets', [], 'facets');
    const parsed = performance.now();
    const key = `${caller.access.key} ${name} ${type.uid} ${relation} ${JSON.stringify(request.shape)}`;
    let read = this.#plans.get(key);
    if (!read) {
      read = new CompiledRead(this.database.dialect, plan(request.shape));
      this.#plans.set(key, read, weightOf(key));
    }
    const timing = { parse: parsed - begin, plan: performance.now() - parsed };
    return { request, read, timing, weight: weightOf(key) };
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
    let read = this.#answers.get(key);
    if (!read) {
      // What was asked for is checked in any case.
      const defaults = { status, pagination: NO_LIMIT };
      read = this.#planAnswer(authorized, parseRead(parameters, defaults, this.rules));
      if (name !== 'create' && !isReadable) {
        const identity = { fields: 'documentId', ...locale };
        read = this.#planAnswer(authorized, parseRead(identity, defaults, this.rules));
      }
      if (key.length <= MAX_CACHED_REQUEST_LENGTH) this.#answers.set(key, read, weightOf(key));
    }
    return read;
  }

  #planAnswer(authorized: Authorized<WriteOperation>, request: ReadRequest): AnswerRead {
    const read = new CompiledRead(this.database.dialect, planRead(this.#planning, authorized, request.shape, true));
    const first = prepareFirst(read, request.values);
    return {
      omitted: read.plan.omitted,
      runIn: (session, { user }, documentId) => {
        const found = first.run(session, {
          defaultLocale: this.defaultLocale,
          documentId,
          user,
          ...clockOf(request),
        });
        return this.#signFile ? this.#signedEntry(found, read.plan) : found;
      },
    };
  }

  #announce({ name, type }: WriteOperation, { kind, account }: Caller, { documentId, versions }: Written): void {
    this.commits.emit({
      operation: name,
      uid: type.uid,
      documentId,
      entries: versions.map(({ id, locale, published }) => ({ id, locale, status: published ? 'published' : 'draft' })),
      caller: { kind, userId: account?.id ?? null },
    });
  }
}

/** Bytes that a plan with its statements takes, roughly: the least, and more for each character of its key. */
const weightOf = (key: string): number => LEAST_WEIGHT + WEIGHT_OF_CHARACTER * key.length;
const LEAST_WEIGHT = 8_192;
const WEIGHT_OF_CHARACTER = 40;

const readOptions = (
  { after, caller: { knownBy }, whenGone }: RunOptions,
  timer: ReadOptions['timer'],
  single: boolean,
): ReadOptions => ({ after, knownBy, whenGone, timer, single });

/** Now, once for all statements of a request, and where it stands. */
const clockOf = ({ timezone }: ReadRequest): Pick<Context, 'now' | 'timezone'> => ({ now: Date.now(), timezone });

function nullWhereNotFound(error: unknown): null {
  if (error instanceof DocumentNotFound) return null;
  throw error;
}

/** A prepared read serves whoever has the access that it was authorized for, and nobody else. */
function sameAccess(caller: Caller, prepared: Caller): Caller {
  if (caller.access.key !== prepared.access.key) throw new Error('a prepared read was run for another access');
  return caller;
}
