// The way of every operation on one screen: authorize → parse → plan → compile → run. HTTP, the in-process interface
// and the command line all come through here; nothing else starts a read or a write.
import { actionsOf } from '../access/actions.ts';
import { type Authorized, authorize } from '../access/authorize.ts';
import type { Caller } from '../access/caller.ts';
import type { ReadOperation, WriteOperation } from '../access/operation.ts';
import type { ReadOptions, Session } from '../db/database.ts';
import type { ScopedDatabase } from '../db/scoped-database.ts';
import { admitLocale, hasLocale } from '../db/stored-settings.ts';
import { invalidKey, notFoundError, SheafError } from '../errors.ts';
import {
  MAX_CACHED_PLAN_BYTES,
  MAX_CACHED_REQUEST_BYTES,
  MAX_CACHED_REQUEST_LENGTH,
  MAX_SMALL_COST,
} from '../limits.ts';
import { type CacheUsage, Lru } from '../lru.ts';
import type { ContentType, Model } from '../model/types.ts';
import { type AuthorizedReadPlan, planRead, planRelated, type ReadPlanning } from '../plan/read/plan-read.ts';
import type { DecimalColumns, WritePlanning } from '../plan/write/plan-write.ts';
import { bindStatement, type Context } from '../read/bind.ts';
import { CompiledRead } from '../read/compiled-read.ts';
import type { NamedStatement, ReadPage } from '../read/read-strategy.ts';
import { describeRead, prepareFirst, preparePage, runCount, runCounts, runDocumentCount } from '../read/run-read.ts';
import { DEFAULT_READ_RULES, NO_LIMIT, parseAggregateRead, parseRead, type ReadRules } from '../request/parse-read.ts';
import type { ReadRequest, ReadShape } from '../request/read-request.ts';
import { AffectedStatements } from '../sql/affected-statements.ts';
import type { CountedList } from '../sql/compile-read.ts';
import { GatherStatements } from '../sql/gather-statements.ts';
import { PublicationStatements } from '../sql/publication-statements.ts';
import { WriteStatements } from '../sql/write-statements.ts';
import { RuleStatements } from '../store/rule-statements.ts';
import type { WriteContext } from '../store/write-session.ts';
import { CommitEvents } from './commit-events.ts';
import { hookedList, hookedOne } from './hooked-reads.ts';
import { HookList, type OperationHooks } from './hooks.ts';
import { jsonKey } from './json-key.ts';
import { KnownTotals } from './known-totals.ts';
import { type MeasuredRead, measureRead, type StatementRun } from './measure-read.ts';
import { clockOf, type PreparedOne, type PreparedRead, type RunOptions, weightOf } from './prepared.ts';
import type { ReadJob } from './read-job.ts';
import { type PlanLane, ReadLanes } from './read-lanes.ts';
import { FileSigning, type SignFile } from './sign-files.ts';
import { type AroundWrites, type TypeExtension, type WriteOutcome, Writes } from './writes.ts';

export interface OperationsDeps {
  readonly model: Model;
  readonly database: ScopedDatabase;
  /** The one to begin with. */
  readonly defaultLocale: string;
  readonly decimals: DecimalColumns;
  /** What the project says of reads, and the limits of all requests. */
  readonly rules?: ReadRules;
  /** By the uid of the type. */
  readonly extensions: ReadonlyMap<string, TypeExtension>;
}

/** A read that is parsed, planned and compiled. */
interface Prepared extends Pick<PreparedRead<unknown>, 'request' | 'timing' | 'weight'> {
  readonly read: CompiledRead;
}

interface PreparedList extends Omit<PreparedRead<unknown>, 'run'> {
  /** `parent`: the id of the row whose related rows are listed; null where all rows are. */
  run(options: RunOptions, parent: number | null): Promise<ReadPage>;
}

/** Reads whose entries can be counted by facets. */
const LISTS: ReadonlySet<ReadOperation['name']> = new Set(['find', 'related'] as const);

export class Operations {
  readonly model: Model;
  readonly database: ScopedDatabase;
  readonly commits = new CommitEvents();
  readonly lanes: ReadLanes;
  readonly #planning: ReadPlanning & WritePlanning;
  readonly rules: ReadRules;
  /** Of localized entries where a request names no locale. It may change at any time: `Grants` keeps it up to date. */
  defaultLocale: string;
  /** Brings it up to date, as far as anybody watches the database; null where there is nothing to wait for. */
  refresh: () => Promise<void> | null = () => null;
  readonly #writes: Writes;
  readonly #plans = new Lru<string, CompiledRead>(MAX_CACHED_PLAN_BYTES);
  /** Lists that code in process asks for, as they were prepared. */
  #lists = new Lru<string, PreparedRead<ReadPage>>(MAX_CACHED_REQUEST_BYTES);
  readonly #hooks = new HookList();
  readonly #signing = new FileSigning();
  readonly #totals: KnownTotals;

  constructor(deps: OperationsDeps) {
    const { model, database, defaultLocale, extensions, decimals, rules = DEFAULT_READ_RULES } = deps;
    this.model = model;
    this.database = database;
    this.lanes = new ReadLanes(database, model);
    this.#totals = new KnownTotals(database);
    this.defaultLocale = defaultLocale;
    const current = (): string => this.defaultLocale;
    this.rules = rules;
    this.#planning = { model, decimals, limits: rules.limits };
    const context: WriteContext = {
      model,
      sql: new WriteStatements(database.dialect),
      affected: new AffectedStatements(database.dialect),
      gatherStatements: new GatherStatements(database.dialect),
      publications: new PublicationStatements(database.dialect),
      get defaultLocale() {
        return current();
      },
      rules: new RuleStatements(model, database.dialect),
      admitLocale: (session, code) => admitLocale(session, database.dialect, code),
      hasLocale,
      invariants: extensions,
    };
    const { commits } = this;
    const [planning, hooks, signing] = [this.#planning, this.#hooks, this.#signing];
    this.#writes = new Writes({ database, planning, rules, extensions, context, hooks, commits, signing });
  }

  get caches(): Readonly<Record<string, CacheUsage>> {
    return { plans: this.#plans, responses: this.#writes.answers, totals: this.#totals.cache };
  }

  /** From now on, all files in answers are shown as `sign` returns them. */
  signFiles(sign: SignFile): void {
    this.#signing.sign = sign;
  }

  /** From now on, hooks run around the operations that they concern. */
  addHooks(hooks: OperationHooks): void {
    this.#hooks.add(hooks);
    this.#lists = new Lru(MAX_CACHED_REQUEST_BYTES);
  }

  /** A list of entries, or of groups of them. */
  find(operation: ReadOperation, caller: Caller): PreparedRead<ReadPage> {
    const prepare = (asked: ReadOperation): PreparedRead<ReadPage> => {
      const { run, ...list } = this.#list(this.#prepare(authorize(asked, caller), false), caller);
      return { ...list, run: (options) => run(options, null) };
    };
    const hooks = this.#hooks.on(operation);
    return hooks ? hookedList({ hooks, operation }, prepare) : prepare(operation);
  }

  /** The same, kept for those who ask for it again with the same rights: code asks for the same list each time. */
  findAgain(operation: ReadOperation, caller: Caller): PreparedRead<ReadPage> {
    const { name, type, parameters, defaults } = operation;
    const asked = jsonKey(parameters);
    // Hooks are shown the parameters themselves, which may be changed by whoever gave them.
    if (asked === null || asked.length > MAX_CACHED_REQUEST_LENGTH || this.#hooks.on(operation))
      return this.find(operation, caller);
    const key = `${caller.access.key} ${name} ${type.uid} ${JSON.stringify(defaults)} ${asked}`;
    let list = this.#lists.get(key);
    if (!list) {
      list = this.find(operation, caller);
      this.#lists.set(key, list, list.weight);
    }
    return list;
  }

  /** The entries that a relation of one document leads to; null where there is no such document for the caller. */
  related(operation: ReadOperation, relation: string, caller: Caller): PreparedRead<ReadPage | null> {
    const prepare = (asked: ReadOperation) => this.#related(asked, relation, caller);
    const hooks = this.#hooks.on(operation);
    return hooks ? hookedList({ hooks, operation }, prepare) : prepare(operation);
  }

  #related(operation: ReadOperation, relation: string, caller: Caller): PreparedRead<ReadPage | null> {
    const authorized = authorize(operation, caller);
    const { run, ...list } = this.#list(this.#prepareRelated(authorized, relation), caller);
    const { status, locale, publicationFilter, hasPublishedVersion } = operation.parameters;
    const versions = { status, locale, publicationFilter, hasPublishedVersion };
    const parameters = Object.fromEntries(Object.entries(versions).filter(([, value]) => value !== undefined));
    const defaults = { status: operation.defaults.status, pagination: NO_LIMIT };
    const holder = this.#one({ ...operation, parameters: { ...parameters, fields: 'id' }, defaults }, caller);
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
    const { lane, run } = this.#page(request, read, withCount ? 'page and total' : 'page');
    const alone = preparedWhere(false, () => this.#page(request, read, 'page'));
    const count = preparedWhere(false, () => bindStatement(read.count(), request.values));
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
        // What is soon counted need not be known.
        const found =
          withCount && hasOneTotal(read.plan) && lane.isLong && lane.timerWith(limit)
            ? this.#totals.read(read, count(), context, (kind) =>
                (kind === 'page' ? alone().run : run)(options, context),
              )
            : run(options, context);
        return this.#signing.page(found, read.plan);
      },
    };
  }

  /** A page with its total or without, in the lane of such reads. */
  #page(request: ReadRequest, read: CompiledRead, kind: 'page' | 'page and total') {
    const { limit } = request.pagination;
    const lane = this.lanes.laneOf(read, kind);
    const page = preparedWhere(!lane.isHeavy(limit, request.values), () =>
      preparePage(read, request.values, kind === 'page and total', lane.listForm(limit)),
    );
    const run = (options: RunOptions, context: Context): Promise<ReadPage> => {
      const work = (session: Session) => page().run(session, context);
      const job: ReadJob = { kind, plan: read.plan, slots: request.values, context };
      const laneRead = { work, job, prepared: page };
      return lane.isHeavy(limit, request.values)
        ? this.lanes.runHeavy<ReadPage>(laneRead, readOptions(options, lane, true))
        : this.lanes.runSmall<ReadPage>(laneRead, readOptions(options, lane.timerWith(limit), page().single));
    };
    return { lane, run };
  }

  /** One entry: the document with an id, the one of a single type, the caller's own account. */
  findOne(operation: ReadOperation, caller: Caller): PreparedOne {
    const hooks = this.#hooks.on(operation);
    if (!hooks) return this.#one(operation, caller);
    return hookedOne({ hooks, operation }, (asked) => this.#one(asked, caller));
  }

  #one(operation: ReadOperation, caller: Caller): PreparedOne {
    const byDocument = operation.type.kind !== 'singleType';
    const { request, read, timing, weight } = this.#prepare(authorize(operation, caller), byDocument);
    const lane = this.lanes.laneOf(read, 'first');
    const first = preparedWhere(!lane.isHeavy(1, request.values), () =>
      prepareFirst(read, request.values, lane.listForm(1)),
    );
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
        const work = (session: Session) => first().run(session, context);
        const job: ReadJob = { kind: 'first', plan: read.plan, slots: request.values, context };
        const laneRead = { work, job, prepared: first };
        const found = lane.isHeavy(1, request.values)
          ? this.lanes.runHeavy<string | null>(laneRead, readOptions(options, lane, true))
          : this.lanes.runSmall<string | null>(laneRead, readOptions(options, lane.timerWith(1), first().single));
        return this.#signing.entry(found, read.plan);
      },
      latest: (options) => {
        const context = contextOf(options);
        const found = this.database.latest((session) => first().run(session, context));
        return this.#signing.entry(found, read.plan);
      },
    };
  }

  /** `documents`: those of rows in several locales count once. */
  async count(asked: ReadOperation, options: RunOptions, what: CountedList['what'] = 'rows'): Promise<number> {
    const { caller } = options;
    const hooks = this.#hooks.on(asked);
    if (!hooks) return this.#count(asked, options, what);
    authorize(asked, caller);
    const operation = await hooks.before(asked, caller);
    const count = await this.#count(operation, options, what);
    await hooks.after(operation, { written: null, entries: [] }, caller);
    return count;
  }

  async #count(operation: ReadOperation, options: RunOptions, what: CountedList['what']): Promise<number> {
    const { caller } = options;
    const { request, read } = this.#prepare(authorize(operation, caller), false);
    const context = { defaultLocale: this.defaultLocale, user: caller.user, ...clockOf(request) };
    const kind = what === 'rows' ? 'count' : 'count documents';
    const lane = this.lanes.laneOf(read, kind);
    lane.requireWithin(caller.access.maxReadCost, 0);
    const run = what === 'rows' ? runCount : runDocumentCount;
    const work = (session: Session) => run(session, read, request.values, context);
    if (!lane.isHeavy(0, request.values))
      return this.database.snapshot(work, readOptions(options, lane.timerWith(0), true));
    const job: ReadJob = { kind, plan: read.plan, slots: request.values, context };
    return this.lanes.runHeavy({ work, job }, readOptions(options, lane, true));
  }

  /**
   * Documents of each type that the caller may list, by uid: in one statement, except for types that hooks concern and
   * for those that would make it heavy. One that cannot be counted in time is left out.
   */
  async countDocuments(types: readonly ContentType[], options: RunOptions): Promise<ReadonlyMap<string, number>> {
    const { caller } = options;
    const counts = new Map<string, number>();
    const together: (CountedList & { readonly uid: string })[] = [];
    const apart: ReadOperation[] = [];
    let cost = 0;
    for (const operation of countsOf(types, caller)) {
      const { read } = this.#prepare(authorize(operation, caller), false);
      const { rows } = this.lanes.costOf(read, 0);
      if (this.#hooks.on(operation) || cost + rows > MAX_SMALL_COST) apart.push(operation);
      else {
        together.push({ uid: operation.type.uid, plan: read.plan, what: countedOf(operation.type) });
        cost += rows;
      }
    }
    const context = { defaultLocale: this.defaultLocale, user: caller.user };
    const { dialect } = this.database;
    const found = await this.database.snapshot(
      (session) => runCounts(session, dialect, together, context),
      readOptions(options, undefined, true),
    );
    for (const [index, { uid }] of together.entries()) counts.set(uid, found[index]!);
    for (const operation of apart) {
      const count = await this.count(operation, options, countedOf(operation.type)).catch(unlessRefused);
      if (count !== null) counts.set(operation.type.uid, count);
    }
    return counts;
  }

  /** A write, answered with the entry as it stands afterwards. Null where there is no such document for the caller. */
  write(operation: WriteOperation, caller: Caller, wantsEntry = true): Promise<WriteOutcome | null> {
    return this.#writes.write(operation, caller, wantsEntry);
  }

  /** Several writes in one transaction, each answered with its entry. A document that is not there is an error. */
  writeTogether(
    operations: readonly WriteOperation[],
    caller: Caller,
    around: AroundWrites,
  ): Promise<readonly WriteOutcome[]> {
    return this.#writes.writeTogether(operations, caller, around);
  }

  /** The plan of a read and its statements, without running anything. */
  explain(
    operation: ReadOperation,
    caller: Caller,
  ): { read: CompiledRead; request: ReadRequest; lane: PlanLane; statements: NamedStatement[] } {
    const isList = operation.name === 'find' || operation.name === 'aggregate';
    const { request, read } = this.#prepare(
      authorize(operation, caller),
      !isList && operation.type.kind !== 'singleType',
    );
    const kind = kindOf(request, isList);
    const lane = this.lanes.laneOf(read, kind);
    return { read, request, lane, statements: describeRead(read, request.values, kind) };
  }

  /** Runs a read for the numbers of its statements; null where it costs too much, or takes too long. */
  async measure(operation: ReadOperation, options: RunOptions): Promise<readonly StatementRun[] | null> {
    const { caller, documentId = null } = options;
    const isList = operation.name === 'find' || operation.name === 'aggregate';
    const byDocument = !isList && operation.type.kind !== 'singleType';
    const { request, read } = this.#prepare(authorize(operation, caller), byDocument);
    const { limit, start } = request.pagination;
    const { user } = caller;
    const context = { defaultLocale: this.defaultLocale, documentId, limit, start, user, ...clockOf(request) };
    const kind = kindOf(request, isList);
    const measured = { kind, slots: request.values, context };
    const job: ReadJob = { ...measured, plan: read.plan, isMeasured: true };
    const work = (session: Session) => measureRead(session, read, measured);
    const lane = this.lanes.laneOf(read, kind);
    const shown = isList ? limit : 1;
    try {
      lane.requireWithin(caller.access.maxReadCost, shown);
      return await (lane.isHeavy(shown, request.values)
        ? this.lanes.runHeavy({ work, job }, readOptions(options, lane, false))
        : this.database.snapshot(work, readOptions(options, undefined, false)));
    } catch (error) {
      return unlessRefused(error);
    }
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
}

const kindOf = ({ pagination }: ReadRequest, isList: boolean): MeasuredRead['kind'] => {
  if (!isList) return 'first';
  return pagination.withCount ? 'page and total' : 'page';
};

const countedOf = ({ localized }: ContentType): CountedList['what'] => (localized ? 'documents' : 'rows');

/** Of each type that the caller may list: every document, by its draft where the caller may read drafts. */
const countsOf = (types: readonly ContentType[], { access }: Caller): ReadOperation[] =>
  types
    .filter((type) => actionsOf(type, 'count').every((action) => access.may(action)))
    .map((type) => ({
      name: 'count',
      type,
      parameters: {
        ...(type.draftAndPublish && access.mayReadDrafts(type.uid) && { status: 'draft' }),
        ...(type.localized && { locale: '*' }),
      },
      defaults: { status: 'published', pagination: NO_LIMIT },
    }));

/** Null for what a client would be told; anything else is a defect. */
function unlessRefused(error: unknown): null {
  if (error instanceof SheafError) return null;
  throw error;
}

/** Whether the rows that a list counts depend on its conditions alone. */
const hasOneTotal = ({ aggregate, keyset, position }: AuthorizedReadPlan): boolean =>
  !aggregate && keyset === null && position === null;

/** What is prepared now, or when it is first needed: a heavy read may never be, since it runs in another process. */
function preparedWhere<T>(isNow: boolean, prepare: () => T): () => T {
  let prepared = isNow ? prepare() : null;
  return () => {
    prepared ??= prepare();
    return prepared;
  };
}

/** `single`: whether one statement reads all of it, or all statements of it see one state anyway. */
const readOptions = (
  { after, caller: { knownBy }, whenGone }: RunOptions,
  timer: ReadOptions['timer'],
  single: boolean,
): ReadOptions => ({ after, knownBy, whenGone, timer, single });

/** A prepared read serves whoever has the access that it was authorized for, and nobody else. */
function sameAccess(caller: Caller, prepared: Caller): Caller {
  if (caller.access.key !== prepared.access.key) throw new Error('a prepared read was run for another access');
  return caller;
}
