// The core controller of a content-type: the actions that `super.find(ctx)` and its kin lead to. They act as the caller
// of the request, through the same door as the core routes; a service of the project's own is asked instead where it
// replaces what the action needs.
import type { RowUse } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import type { ReadName, WriteName } from '../../access/operation.ts';
import type { Sheaf } from '../../app.ts';
import { forbiddenError } from '../../errors.ts';
import type { ContentType } from '../../model/types.ts';
import { defaultPopulateOf } from '../../operations/default-populate.ts';
import { entryJson, pageJson } from '../../operations/envelope.ts';
import { admitQuery, isMisspelled, MEANINGLESS_ON_DELETE, MEANINGLESS_ON_WRITE } from '../../request/admit-query.ts';
import { firstPage } from '../../request/parse-read.ts';
import { parseData } from '../../request/parse-write.ts';
import { memberOf } from '../../type-guards.ts';
import { callerOfContext, openCaller } from './code-callers.ts';
import { membersOf } from './code-values.ts';
import { sanitizedQuery, validateInput } from './content-api.ts';
import type { Context } from './koa-app.ts';
import { validateQuery } from './query-rights.ts';
import { sanitizeInput, sanitizeOutput, sanitizeQuery } from './sanitize.ts';
import type { Members, Params } from './strapi-types.ts';

/** What core actions work with. */
export interface CoreDeps {
  readonly sheaf: Sheaf;
  readonly type: ContentType;
  /** Whether code of the project runs around such a use of documents, so that nothing may go past it. */
  isAround(use: RowUse): boolean;
  /** The service of the type, and what it has of the core. */
  service(): { readonly service: Members; readonly core: Members };
}

interface Answered {
  readonly data: unknown;
  readonly meta: object;
}

/** What the core has written. */
const answeredBy = (text: string): Answered => JSON.parse(text) as Answered;

/** The object that a project's controller extends; `this` in its actions is the project's own. */
export interface CoreController extends Members {
  transformResponse(data: unknown, meta?: object): Promise<unknown>;
  sanitizeOutput(data: unknown, ctx: Context): Promise<unknown>;
  sanitizeInput(data: unknown, ctx: Context): Promise<unknown>;
  sanitizeQuery(ctx: Context): Promise<Params>;
  validateQuery(ctx: Context): Promise<void>;
  validateInput(data: unknown, ctx: Context): Promise<void>;
}

export function coreController(deps: CoreDeps): CoreController {
  const { sheaf, type } = deps;
  const { model } = sheaf;
  const callerOf = (ctx: Context): Caller => callerOfContext(ctx) ?? openCaller(model, type.uid);
  const shared: CoreController = {
    async transformResponse(data, meta = {}) {
      if (data === null || data === undefined) return data;
      if (typeof data !== 'object') throw new Error(`Entry must be an object or an array of objects`);
      return { data, meta };
    },
    sanitizeOutput: async (data, ctx) => sanitizeOutput(model, type, data, callerOf(ctx).access),
    sanitizeInput: async (data, ctx) => sanitizeInput(model, type, data, callerOf(ctx).access),
    sanitizeQuery: async (ctx) => sanitizedQuery(model, type, queryOf(ctx), callerOf(ctx).access),
    async validateQuery(ctx) {
      const query = queryOf(ctx);
      admitQuery(query, { meaningless: [], strict: sheaf.settings.rest.strictParams });
      validateQuery(model, type, query, callerOf(ctx).access);
    },
    validateInput: async (data, ctx) => validateInput({ model, access: callerOf(ctx).access }, type, data),
  };
  const actions = new CoreActions(deps, shared, callerOf);
  return Object.assign(shared, type.kind === 'singleType' ? actions.ofSingle() : actions.ofCollection());
}

/**
 * What a request asks for. A name that is close to a parameter's is refused where the client wrote it. Code adds some
 * that mean nothing, such as `local: 'en'` of an example of Strapi; conditions are not among them.
 */
function queryOf(ctx: Context): Params {
  const query: Params = ctx.query;
  const added = Object.keys(query).filter((key) => typeof query[key] === 'string' && isMisspelled(key));
  if (added.length === 0) return query;
  const written = new URLSearchParams(ctx.originalUrl.split('?', 2)[1]);
  return Object.fromEntries(Object.entries(query).filter(([key]) => !added.includes(key) || written.has(key)));
}

function readOperation(sheaf: Sheaf, type: ContentType, name: ReadName, query: Params) {
  const { rest, populate } = sheaf.settings;
  const { parameters } = admitQuery(query, { meaningless: [], strict: rest.strictParams });
  const defaults = {
    status: 'published',
    pagination: firstPage(rest),
    populate: defaultPopulateOf(populate, type, name),
  } as const;
  return { name, type, parameters, defaults };
}

type Action = (this: CoreController, ctx: Context) => Promise<unknown>;

class CoreActions {
  readonly #deps: CoreDeps;
  readonly #base: CoreController;
  readonly #callerOf: (ctx: Context) => Caller;

  constructor(deps: CoreDeps, base: CoreController, callerOf: (ctx: Context) => Caller) {
    this.#deps = deps;
    this.#base = base;
    this.#callerOf = callerOf;
  }

  ofCollection(): Record<string, Action> {
    const actions = this;
    return {
      async find(ctx) {
        return actions.#read(this, ctx, 'find', null);
      },
      async findOne(ctx) {
        return actions.#read(this, ctx, 'findOne', String(ctx.params.id));
      },
      async create(ctx) {
        const answer = await actions.#write(this, ctx, 'create', null);
        ctx.status = 201;
        return answer;
      },
      async update(ctx) {
        return actions.#write(this, ctx, 'update', String(ctx.params.id));
      },
      async delete(ctx) {
        await actions.#delete(this, ctx, String(ctx.params.id));
      },
    };
  }

  ofSingle(): Record<string, Action> {
    const actions = this;
    return {
      async find(ctx) {
        return actions.#read(this, ctx, 'findOne', null);
      },
      async update(ctx) {
        return actions.#write(this, ctx, 'update', null);
      },
      async delete(ctx) {
        await actions.#delete(this, ctx, null);
      },
    };
  }

  /**
   * The service of the project where it has a function of its own for this, or where code runs around documents;
   * null where the core does it. A service acts as the system, so that rules for rows would not hold.
   */
  #ownService(name: string, ctx: Context, use: RowUse): ((...values: readonly unknown[]) => Promise<unknown>) | null {
    const { service, core } = this.#deps.service();
    const method = service[name];
    if (typeof method !== 'function' || (method === core[name] && !this.#deps.isAround(use))) return null;
    if (this.#callerOf(ctx).access.rowsOf(this.#deps.type.uid, use) !== null) throw forbiddenError();
    return method.bind(service);
  }

  /**
   * What a request asks for. Where the core plans it, what the caller may not use is refused there; a service of the
   * project's own plans nothing.
   */
  async #queryOf(controller: CoreController, ctx: Context, isPlanned: boolean): Promise<Params> {
    const { validateQuery, sanitizeQuery: sanitize } = this.#base;
    if (isPlanned && controller.validateQuery === validateQuery && controller.sanitizeQuery === sanitize)
      return this.#populatedQuery(ctx);
    await controller.validateQuery(ctx);
    return controller.sanitizeQuery(ctx);
  }

  #populatedQuery(ctx: Context): Params {
    const { sheaf, type } = this.#deps;
    return sanitizeQuery(sheaf.model, type, queryOf(ctx), this.#callerOf(ctx).access);
  }

  async #read(controller: CoreController, ctx: Context, name: 'find' | 'findOne', documentId: string | null) {
    const isSingle = this.#deps.type.kind === 'singleType';
    const own = this.#ownService(isSingle ? 'find' : name, ctx, 'find');
    const query = await this.#queryOf(controller, ctx, own === null);
    if (own === null) {
      const found = await this.#find(ctx, name, documentId, query);
      if (found === null) return controller.transformResponse(null);
      const data = await this.#sanitized(controller, found.data, ctx);
      return controller.transformResponse(data, found.meta);
    }
    const found = await (documentId === null ? own(query) : own(documentId, query));
    if (name === 'findOne') return controller.transformResponse(await controller.sanitizeOutput(found, ctx), {});
    if (found === null || found === undefined) throw new TypeError('find of the service has returned nothing');
    const { results = found, pagination } = membersOf(found);
    return controller.transformResponse(await controller.sanitizeOutput(results, ctx), { pagination });
  }

  /** What the core reads is sanitized already; a project may do more. */
  async #sanitized(controller: CoreController, data: unknown, ctx: Context): Promise<unknown> {
    return controller.sanitizeOutput === this.#base.sanitizeOutput ? data : controller.sanitizeOutput(data, ctx);
  }

  async #find(
    ctx: Context,
    name: 'find' | 'findOne',
    documentId: string | null,
    query: Params,
  ): Promise<Answered | null> {
    const { sheaf, type } = this.#deps;
    const { operations } = sheaf;
    const caller = this.#callerOf(ctx);
    const operation = readOperation(sheaf, type, name, query);
    if (name === 'find') {
      const read = operations.find(operation, caller);
      return answeredBy(pageJson(read.request.pagination, await read.run({ caller }), read.omitted));
    }
    const read = operations.findOne(operation, caller);
    const text = await read.run({ caller, documentId });
    return text === null ? null : answeredBy(entryJson(text, read.omitted));
  }

  async #write(controller: CoreController, ctx: Context, name: WriteName, documentId: string | null) {
    const { sheaf, type } = this.#deps;
    const own = this.#ownService(type.kind === 'singleType' ? 'createOrUpdate' : name, ctx, 'update');
    const data = parseData({ data: memberOf(ctx.request.body, 'data') }, sheaf.settings.limits);
    const query = await this.#queryOf(controller, ctx, own === null);
    if (own === null) {
      const outcome = await this.#run(ctx, name, { documentId, data, query });
      if (outcome === null) return controller.transformResponse(null);
      const { data: entry, meta } = answeredBy(entryJson(outcome.text, outcome.omitted));
      return controller.transformResponse(await this.#sanitized(controller, entry, ctx), meta);
    }
    await controller.validateInput(data, ctx);
    const params = { ...query, data: await controller.sanitizeInput(data, ctx) };
    const entry = await (documentId === null ? own(params) : own(documentId, params));
    return controller.transformResponse(await controller.sanitizeOutput(entry, ctx));
  }

  async #run(
    ctx: Context,
    name: WriteName,
    { documentId, data, query }: { documentId: string | null; data: Record<string, unknown>; query: Params },
  ) {
    const { sheaf, type } = this.#deps;
    const isDelete = name === 'delete';
    const meaningless = isDelete ? MEANINGLESS_ON_DELETE : MEANINGLESS_ON_WRITE;
    const { parameters, unused } = admitQuery(query, { meaningless, strict: sheaf.settings.rest.strictParams });
    const operation = { name, type, documentId, data, parameters, unused, defaultStatus: 'published' } as const;
    return sheaf.operations.write(operation, this.#callerOf(ctx), !isDelete);
  }

  async #delete(controller: CoreController, ctx: Context, documentId: string | null): Promise<void> {
    const own = this.#ownService('delete', ctx, 'delete');
    const query = await this.#queryOf(controller, ctx, own === null);
    if (own === null) await this.#run(ctx, 'delete', { documentId, data: {}, query });
    else await (documentId === null ? own(query) : own(documentId, query));
    ctx.deleted();
  }
}
