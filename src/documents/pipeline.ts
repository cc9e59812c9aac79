// The whole path of a read on one screen: parse → plan → authorize → compile, kept by the shape of the request,
// then bind and run. Both interfaces, in process and over HTTP, come through here.
import { authorize } from '../access/authorize.ts';
import type { Database, Session } from '../db/database.ts';
import { MAX_CACHED_PLANS } from '../limits.ts';
import { Lru } from '../lru.ts';
import type { Model } from '../model/types.ts';
import { planRead } from '../plan/plan-read.ts';
import { parseRead, type ReadDefaults, type ReadParameters } from '../request/parse-read.ts';
import type { ReadRequest, ReadShape } from '../request/read-request.ts';
import { CompiledRead, type PageText, prepareFirst, preparePage, runCount } from '../run/read.ts';

export interface Timing {
  readonly parse: number;
  readonly plan: number;
}

export interface Prepared<Arguments extends unknown[], Answer> {
  /** Milliseconds that preparing took. */
  readonly timing: Timing;
  run(...args: Arguments): Promise<Answer>;
}

export interface PreparedList extends Prepared<[after?: string | null], PageText> {
  readonly request: ReadRequest;
}

export interface PreparedOne extends Prepared<[documentId: string | null, after?: string | null], string | null> {
  /** The same inside a transaction under way. */
  runIn(session: Session, documentId: string | null): Promise<string | null>;
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

  list(uid: string, parameters: ReadParameters, defaults: ReadDefaults): PreparedList {
    const { request, read, timing } = this.#prepare(uid, parameters, defaults, false);
    const { limit, start, withCount } = request.pagination;
    const page = preparePage(read, request.values, withCount);
    const context = { defaultLocale: this.defaultLocale, limit, start };
    return { request, timing, run: (after) => this.database.snapshot((session) => page.run(session, context), after) };
  }

  /** The document with an id; or, for a single type, the one there is. */
  one(uid: string, parameters: ReadParameters, defaults: ReadDefaults, byDocument: boolean): PreparedOne {
    const { request, read, timing } = this.#prepare(uid, parameters, defaults, byDocument);
    const first = prepareFirst(read, request.values);
    const runIn = (session: Session, documentId: string | null) =>
      first.run(session, { defaultLocale: this.defaultLocale, documentId });
    return {
      timing,
      runIn,
      run: (documentId, after) => this.database.snapshot((session) => runIn(session, documentId), after),
    };
  }

  count(uid: string, parameters: ReadParameters, defaults: ReadDefaults): Promise<number> {
    const { request, read } = this.#prepare(uid, parameters, defaults, false);
    return this.database.snapshot((session) =>
      runCount(session, read, request.values, { defaultLocale: this.defaultLocale }),
    );
  }

  /** The plan of a request and its statements, without running anything. */
  explain(uid: string, parameters: ReadParameters, defaults: ReadDefaults, byDocument: boolean) {
    const { request, read } = this.#prepare(uid, parameters, defaults, byDocument);
    return { request, read, context: { defaultLocale: this.defaultLocale } };
  }

  #prepare(uid: string, parameters: ReadParameters, defaults: ReadDefaults, byDocument: boolean) {
    const begin = performance.now();
    const request = parseRead(parameters, defaults);
    const parsed = performance.now();
    const read = this.#planned(uid, request.shape, byDocument);
    return { request, read, timing: { parse: parsed - begin, plan: performance.now() - parsed } };
  }

  #planned(uid: string, shape: ReadShape, byDocument: boolean): CompiledRead {
    const key = `${uid} ${byDocument} ${JSON.stringify(shape)}`;
    let read = this.#plans.get(key);
    if (!read) {
      const plan = authorize(this.model, planRead(this.model, uid, shape, byDocument));
      read = new CompiledRead(this.database.dialect, plan);
      this.#plans.set(key, read);
    }
    return read;
  }
}
