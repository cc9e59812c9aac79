// `strapi.requestContext`: the context of the request that code runs for, wherever it runs.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context } from './koa-app.ts';

/** A context, or how to make one when somebody asks. */
type Held = { context: Context | (() => Context) };

export class RequestContext {
  readonly #storage = new AsyncLocalStorage<Held>();

  run<T>(context: Held['context'], work: () => T): T {
    return this.#storage.run({ context }, work);
  }

  get(): Context | undefined {
    const held = this.#storage.getStore();
    if (!held) return undefined;
    if (typeof held.context === 'function') held.context = held.context();
    return held.context;
  }
}
