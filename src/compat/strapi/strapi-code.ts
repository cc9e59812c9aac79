// Runs the code of a Strapi project: builds its routes, starts it, and answers the requests that are for it. Nothing here
// knows the server; http/ hands requests over and sends the answers.
import type { Auth } from '../../accounts/auth.ts';
import type { Sheaf } from '../../app.ts';
import type { CodeLog } from './code-log.ts';
import type { CodeProblem, CodeRegistry } from './code-registry.ts';
import { type CodeAnswer, type Context, KoaApp, type Middleware } from './koa-app.ts';
import { type LoadedCode, loadCode } from './load-code.ts';
import { answered, type CodeRequest, routeChain } from './request-chain.ts';
import { type GuardDeps, middlewareOf } from './route-guards.ts';
import { routeList, type StrapiRoute } from './route-list.ts';
import type { Members, Strapi } from './strapi-types.ts';

export interface StrapiCode {
  readonly strapi: Strapi;
  /** In Strapi's order, where the first that fits answers. */
  readonly routes: readonly StrapiRoute[];
  /** What does not run, and why. */
  readonly problems: readonly CodeProblem[];
  /** Null where code has answered by itself. */
  handle(route: StrapiRoute, request: CodeRequest): Promise<CodeAnswer | null>;
  stop(): Promise<void>;
}

/** What `src/index` exports. */
interface Lifecycle {
  readonly register?: unknown;
  readonly bootstrap?: unknown;
  readonly destroy?: unknown;
}

export async function startStrapiCode(sheaf: Sheaf, auth: Auth, log: CodeLog): Promise<StrapiCode> {
  const loaded = await loadCode(sheaf, log);
  const { strapi, modules, registry, config, requestContext } = loaded;
  const restore = asGlobal(strapi);
  const index = indexOf(sheaf, loaded);
  await phase(index.register, strapi);
  const around = applicationMiddlewares(config.get('middlewares'), loaded);
  const routes = routesOf(sheaf, loaded);
  await phase(index.bootstrap, strapi);
  const app = koaOf(loaded);
  const chains = new Map<StrapiRoute, (ctx: Context) => Promise<unknown>>();
  const chainOf = (route: StrapiRoute) => {
    const chain = chains.get(route) ?? routeChain(route, around, { sheaf, auth });
    chains.set(route, chain);
    return chain;
  };
  return {
    strapi,
    routes,
    problems: registry.problems,
    handle(route, request) {
      const ctx = app.context(request.req, request.res);
      return requestContext.run(ctx, () => answered(ctx, request, chainOf(route), { log, modules }));
    },
    async stop() {
      await phase(index.destroy, strapi);
      restore();
    },
  };
}

function koaOf({ config }: LoadedCode): KoaApp {
  const keys = config.get('server.app.keys', []);
  return new KoaApp({
    proxy: Boolean(config.get('server.proxy', false)),
    keys: Array.isArray(keys) ? keys.map(String) : [],
  });
}

function routesOf({ model, settings }: Sheaf, { registry, core, ...loaded }: LoadedCode): StrapiRoute[] {
  return routeList({
    ...loaded,
    registry,
    model,
    prefix: settings.rest.prefix,
    controller: (uid) =>
      registry.made('controllers', uid, core.controller) ??
      (model.contentTypes.has(uid) ? core.controller(uid) : undefined),
    isCore: (uid) => isGenerated(registry, 'controllers', uid) && isGenerated(registry, 'services', uid),
  });
}

function isGenerated(registry: CodeRegistry, role: 'controllers' | 'services', uid: string): boolean {
  const file = registry.file(role, uid);
  return !file || file.generated === uid;
}

function indexOf({ code }: Sheaf, { modules, registry }: LoadedCode): Lifecycle {
  const file = code.files.find(({ role }) => role === 'index');
  if (!file) return {};
  try {
    const exported = modules.load(file.path);
    return (typeof exported === 'object' && exported !== null ? exported : {}) as Lifecycle;
  } catch (error) {
    registry.report(file.file, error);
    return {};
  }
}

async function phase(work: unknown, strapi: Strapi): Promise<void> {
  if (typeof work === 'function') await work({ strapi });
}

/** Those of `config/middlewares` that are the project's own. */
function applicationMiddlewares(configured: unknown, deps: GuardDeps): Middleware[] {
  const list: readonly unknown[] = Array.isArray(configured) ? configured : [];
  const own = list.filter((each) => {
    const { name = each, resolve } = (typeof each === 'object' && each !== null ? each : {}) as Members;
    return resolve !== undefined || typeof name !== 'string' || !name.startsWith('strapi::');
  });
  return own.map((each) => middlewareOf(deps, each));
}

/** Code finds it as a global. Returns a function that takes it back. */
function asGlobal(strapi: Strapi): () => void {
  const place = globalThis as { strapi?: unknown };
  place.strapi = strapi;
  return () => {
    if (place.strapi === strapi) delete place.strapi;
  };
}
