// What stands before the handler of a route: policies, which let a request pass or do not, and middlewares around it.
import type { CodeRegistry } from './code-registry.ts';
import { isFunction, membersOf } from './code-values.ts';
import { type Context, type Middleware, REFUSALS, refusalAnswer } from './koa-app.ts';
import type { PluginExtension } from './plugin-extension.ts';
import { PolicyError, ValidationError } from './strapi-errors.ts';
import { defaultOf, type StrapiModules } from './strapi-modules.ts';
import type { Strapi } from './strapi-types.ts';

export type GuardRole = 'policies' | 'middlewares';
type PolicyHandler = (context: unknown, config: unknown, given: { readonly strapi: Strapi }) => unknown;

export interface GuardDeps {
  readonly registry: CodeRegistry;
  readonly modules: StrapiModules;
  readonly strapi: Strapi;
  readonly extension: PluginExtension | null;
}

/** A reference to a policy or middleware: its name, or an object with its name and settings. */
interface Reference {
  readonly name?: unknown;
  readonly resolve?: unknown;
  readonly config?: unknown;
}

const referenceOf = (given: unknown): Reference => (typeof given === 'string' ? { name: given } : membersOf(given));

/** Throws where there is no such policy. `namespace`: such as `api::article`, whose policies need no prefix. */
export function policyOf(deps: GuardDeps, given: unknown, namespace: string | null): Middleware {
  const { strapi } = deps;
  if (isFunction(given)) return policyMiddleware(given, undefined, strapi);
  const { name, config } = referenceOf(given);
  const uids = [String(name), ...(namespace === null ? [] : [`${namespace}.${name}`])];
  const exported = exportedBy(deps, 'policies', uids);
  if (exported === undefined) throw new Error(`Policy ${String(name)} not found.`);
  const { handler = exported, validator } = membersOf(exported);
  if (!isFunction(handler)) throw new Error(`Policy ${String(name)} is no function`);
  if (isFunction(validator)) validator(config);
  return policyMiddleware(handler, config, strapi);
}

function policyMiddleware(handler: PolicyHandler, config: unknown, strapi: Strapi): Middleware {
  return async (ctx, next) => {
    const passed = await handler(policyContext(ctx), config ?? nextOrNothing(handler), { strapi });
    if (passed !== true && passed !== undefined) throw new PolicyError();
    return next();
  };
}

/** Policies that take `next` for their second argument, as middlewares do, call it to let a request pass. */
const nextOrNothing = (handler: PolicyHandler): unknown => (handler.length === 2 ? () => true : {});

/**
 * The context as a policy sees it. Strapi shows a part of it; here it is all of it, but that a refusal ends the request:
 * a policy that returns `ctx.unauthorized()` returns nothing, which would let it pass.
 */
function policyContext(ctx: Context): object {
  return new Proxy(ctx, {
    get(target, key) {
      const status = typeof key === 'string' ? REFUSALS.get(key) : undefined;
      if (status !== undefined)
        return (message?: unknown, details?: unknown) => {
          throw new Refusal(status, message, details);
        };
      return Reflect.get(target, key);
    },
  });
}

/** As `ctx.throw` would throw it. */
class Refusal extends Error {
  readonly status: number;
  readonly expose = true;
  readonly details: unknown;

  constructor(status: number, message: unknown, details: unknown) {
    const answer = refusalAnswer(status, message, details);
    super(answer.message);
    this.name = answer.name;
    this.status = status;
    this.details = answer.details;
  }
}

/** Throws where there is no such middleware. Names are full uids; a function is one by itself. */
export function middlewareOf(deps: GuardDeps, given: unknown): Middleware {
  if (isFunction(given)) return given;
  const { name, resolve, config = {} } = referenceOf(given);
  const made = typeof resolve === 'string' ? resolved(deps, resolve) : named(deps, String(name));
  if (!isFunction(made)) throw new ValidationError(`Middleware ${String(name ?? resolve)} is no function`);
  const middleware = made(config, { strapi: deps.strapi });
  // One that has nothing to do may return nothing.
  return isFunction(middleware) ? middleware : (_ctx, next) => next();
}

function named(deps: GuardDeps, name: string): unknown {
  const exported = exportedBy(deps, 'middlewares', [name]);
  if (exported === undefined) throw new Error(`Middleware ${name} not found.`);
  return exported;
}

/** What the first file of these uids exports, or what the extension of the plugin has under one of them. */
function exportedBy({ registry, extension }: GuardDeps, role: GuardRole, uids: readonly string[]): unknown {
  const file = uids.map((uid) => registry.file(role, uid)).find((one) => one !== undefined);
  if (file?.error) throw file.error;
  if (file) return file.exported;
  return uids.map((uid) => extension?.guard(role, uid)).find((one) => one !== undefined);
}

/** A path from the project, or a package of it. */
const resolved = ({ modules }: GuardDeps, specifier: string): unknown => defaultOf(modules.required(specifier));
