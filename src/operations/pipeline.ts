// The whole path of a read on one screen: parse → plan → authorize → compile, kept by the shape of the request,
// then bind and run. Both interfaces, in process and over HTTP, come through here.

import type { Access } from '../access/access.ts';
import { authorize } from '../access/authorize.ts';
import type { UserValues } from '../access/caller.ts';
import type { Database, Session } from '../db/database.ts';
import { MAX_CACHED_PLANS } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { Model } from '../model/types.ts';
import { planRead } from '../plan/read/plan-read.ts';
import { CompiledRead, type PageText, prepareFirst, preparePage, runCount } from '../read/run-read.ts';
import { parseRead, type ReadDefaults, type ReadParameters } from '../request/parse-read.ts';
import type { ReadRequest } from '../request/read-request.ts';

export interface Timing {
  readonly parse: number;
  readonly plan: number;
}

/** What differs between runs of one prepared request. */
export interface Run {
  readonly documentId?: string | null;
  /** The account of the caller, for the rules that speak of it. */
  readonly user?: UserValues | null;
  /** The state of the data that the answer must not be older than. */
  readonly after?: string | null;
}

export interface Prepared<Answer> {
  /** Milliseconds that preparing took. */
  readonly timing: Timing;
  run(run: Run): Promise<Answer>;
}

export interface PreparedList extends Prepared<PageText> {
  readonly request: ReadRequest;
  /** Paths of relations that `*` left out. */
  readonly omitted: readonly string[];
}

export interface PreparedOne extends Prepared<string | null> {
  readonly omitted: readonly string[];
  /** The same inside a transaction under way. */
  runIn(session: Session, run: Run): Promise<string | null>;
}

/** What is read: which type, how, for whom, and by which right. */
export interface Asked {
  readonly uid: string;
  readonly parameters: ReadParameters;
  readonly defaults: ReadDefaults;
  readonly access: Access;
  /** Null for the answer to a write. */
  readonly action: string | null;
}

export class Pipeline {
  readonly model: Model;
  readonly database: Database;
  readonly defaultLocale: string;
  readonly #plans = new Lru<string, CompiledRead>(MAX_CACHED_PLANS);

  constructor(model: Model, database: Database, defaultLocale: string) {
    this.model = model;
    this.database = database;
    this.defaultLocale = defaultLocale;
  }

  list(asked: Asked): PreparedList {
    const { request, read, timing } = this.#prepare(asked, false);
    const { limit, start, withCount } = request.pagination;
    const page = preparePage(read, request.values, withCount);
    const { defaultLocale } = this;
    return {
      request,
      timing,
      omitted: read.plan.omitted,
      run: ({ user = null, after }) =>
        this.database.snapshot((session) => page.run(session, { defaultLocale, limit, start, user }), after),
    };
  }

  /** The document with an id; or, for a single type, the one there is. */
  one(asked: Asked, byDocument: boolean): PreparedOne {
    const { request, read, timing } = this.#prepare(asked, byDocument);
    const first = prepareFirst(read, request.values);
    const runIn = (session: Session, { documentId = null, user = null }: Run) =>
      first.run(session, { defaultLocale: this.defaultLocale, documentId, user });
    return {
      timing,
      omitted: read.plan.omitted,
      runIn,
      run: (run) => this.database.snapshot((session) => runIn(session, run), run.after, first.single),
    };
  }

  /** What is about to be written, or was: never as a replica may still have it. */
  latest(one: PreparedOne, run: Run): Promise<string | null> {
    return this.database.latest((session) => one.runIn(session, run));
  }

  count(asked: Asked, { user = null, after }: Run = {}): Promise<number> {
    const { request, read } = this.#prepare(asked, false);
    const { defaultLocale } = this;
    return this.database.snapshot((session) => runCount(session, read, request.values, { defaultLocale, user }), after);
  }

  /** The plan of a request and its statements, without running anything. */
  explain(asked: Asked, byDocument: boolean) {
    const { request, read } = this.#prepare(asked, byDocument);
    return { request, read, context: { defaultLocale: this.defaultLocale } };
  }

  #prepare({ uid, parameters, defaults, access, action }: Asked, byDocument: boolean) {
    const begin = performance.now();
    const request = parseRead(parameters, defaults);
    const parsed = performance.now();
    const key = `${access.key} ${action} ${uid} ${byDocument} ${JSON.stringify(request.shape)}`;
    let read = this.#plans.get(key);
    if (!read) {
      const plan = planRead(this.model, uid, request.shape, byDocument, access);
      read = new CompiledRead(this.database.dialect, authorize(this.model, plan, access, action));
      this.#plans.set(key, read);
    }
    return { request, read, timing: { parse: parsed - begin, plan: performance.now() - parsed } };
  }
}
