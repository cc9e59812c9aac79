// Runs the code of a Strapi project: builds its routes, starts it, and answers the requests that are for it. Nothing here
// knows the server; http/ hands requests over and sends the answers.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import path from 'node:path';
import type { Caller } from '../../access/caller.ts';
import type { Auth } from '../../accounts/auth.ts';
import type { Sheaf } from '../../app.ts';
import type { ErrorOrigin, SheafError } from '../../errors.ts';
import type { Log } from '../../extend/define-project.ts';
import { Deadline, tellWhileWaiting } from '../../extend/run-code.ts';
import { MAX_STRAPI_START_MS } from '../../limits.ts';
import { USER } from '../../model/builtin.ts';
import { APPLICATION, type CodeFinding } from '../../project/code/code-finding.ts';
import { isObject } from '../../type-guards.ts';
import type { CodeProblem, CodeRegistry } from './code-registry.ts';
import type { CodeRequest, CoreRoute } from './code-request.ts';
import { membersOf } from './code-values.ts';
import { CronTasks } from './cron-tasks.ts';
import type { DataMembers } from './data/data-members.ts';
import {
  answerOf,
  type CodeAnswer,
  type Context,
  CoreAnswer,
  composed,
  isAnswered,
  KoaApp,
  type Middleware,
} from './koa-app.ts';
import { type LoadedCode, loadCode } from './load-code.ts';
import * as paths from './path-pattern.ts';
import { answered, knownAs, refused, routeChain } from './request-chain.ts';
import { type GuardDeps, middlewareOf } from './route-guards.ts';
import { routeList, type StrapiRoute } from './route-list.ts';
import { inOwnTime } from './route-time.ts';
import { coreError } from './strapi-errors.ts';
import type { Members, Strapi } from './strapi-types.ts';

export interface StrapiCode {
  readonly strapi: Strapi;
  /** In Strapi's order, where the first that fits answers. */
  readonly routes: readonly StrapiRoute[];
  /** Routes of the core that are not served, as code has taken them away. */
  readonly removed: readonly CoreRoute[];
  /** What does not run, and why. */
  readonly problems: readonly CodeProblem[];
  /** Runs the middlewares of the application around what the core answers; null where the project has none. */
  readonly around: ((ctx: Context, core: () => Promise<unknown>) => Promise<unknown>) | null;
  /** Whether code may ask for the context of requests that the core answers. */
  readonly hears: boolean;
  /** A context for a request that the core answers. */
  contextOf(req: IncomingMessage, res: ServerResponse): Context;
  /** Makes a context known to whatever runs in `work`. */
  within<T>(ctx: Context, work: () => T): T;
  /** The user of a request that the core answers, as code knows it. */
  identify(ctx: Context, caller: Caller): Promise<void>;
  /** The answer that middlewares have left in a context. */
  answerOf(ctx: Context): CodeAnswer | null;
  /** The answer to an error that code threw. */
  refused(ctx: Context, error: unknown, requestId: string): CodeAnswer | null;
  /** What code threw around an operation of the core to be answered; null for anything else. */
  coreError(error: unknown): SheafError | null;
  /** What the core has answered, for middlewares to see. */
  coreAnswer(ctx: Context, status: number, payload: unknown): CoreAnswer;
  /** How paths are compared. */
  readonly paths: typeof paths;
  /** Null where code has answered by itself. */
  handle(route: StrapiRoute, request: CodeRequest): Promise<CodeAnswer | null>;
  /** Runs jobs from now on. */
  begin(): Promise<void>;
  stop(): Promise<void>;
}

/** What `src/index` exports. */
interface Lifecycle {
  readonly register?: unknown;
  readonly bootstrap?: unknown;
  readonly destroy?: unknown;
}

/** `httpServer`: null to load only what it takes to tell what is there; then nothing begins. */
export async function startStrapiCode(
  sheaf: Sheaf,
  auth: Auth,
  log: Log,
  httpServer: Server | null,
): Promise<StrapiCode> {
  const loaded = await loadCode(sheaf, auth, log, httpServer);
  const { strapi, modules, registry, config, requestContext } = loaded;
  const restore = asGlobal(strapi);
  const index = httpServer ? indexOf(sheaf, loaded) : {};
  const cron = new CronTasks({ sheaf, strapi, registry, log });
  strapi.cron = cron;
  const { enabled, tasks } = membersOf(config.get('server.cron'));
  if (enabled === true) cron.add(membersOf(tasks));
  const isRegistered = await phase(index, 'register', loaded);
  const around = applicationMiddlewares(config.get('middlewares'), loaded, log);
  const isExtended = httpServer === null || (await beginExtension(loaded));
  const isStarted = isExtended && isRegistered && (await phase(index, 'bootstrap', loaded));
  const { untold } = loaded.data.db.lifecycles;
  for (const event of untold)
    registry.report(INDEX, new Error(`${event} is told of content-types of the project alone; name them in models`));
  const routes = routesOf(sheaf, loaded);
  closeWhatFailed(sheaf, registry.problems, isStarted && untold.length === 0);
  for (const { file, line, message } of registry.problems)
    log.warn({ file, line }, `code of the project does not run: ${message}`);
  const app = koaOf(loaded);
  const chains = new Map<StrapiRoute, (ctx: Context) => Promise<unknown>>();
  const chainOf = (route: StrapiRoute) => {
    const chain = chains.get(route) ?? routeChain(route, around, { sheaf, auth, log });
    chains.set(route, chain);
    return chain;
  };
  return {
    strapi,
    routes,
    removed: loaded.extension?.removed() ?? [],
    problems: registry.problems,
    around: around.length === 0 ? null : (ctx, run) => composed(around, run)(ctx),
    hears: sheaf.code.findings.some(({ kind }) => kind === 'lifecycles' || kind === 'documents.use'),
    contextOf: (req, res) => app.context(req, res),
    within: (ctx, work) => requestContext.run(ctx, work),
    identify: (ctx, caller) => knownAs(ctx, caller, sheaf),
    paths,
    coreAnswer: (ctx, status, payload) => new CoreAnswer(ctx, status, payload),
    answerOf(ctx) {
      if (!isAnswered(ctx)) ctx.notFound();
      return answerOf(ctx);
    },
    coreError,
    refused: (ctx, error, requestId) => refused(ctx, error, requestId, { log, modules }),
    handle(route, request) {
      const ctx = app.context(request.req, request.res);
      return requestContext.run(ctx, () => answered(ctx, request, chainOf(route), { log, modules }));
    },
    begin: () => cron.start(),
    async stop() {
      await cron.stop();
      await phase(index, 'destroy', loaded);
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

function routesOf(sheaf: Sheaf, { registry, core, ...loaded }: LoadedCode): StrapiRoute[] {
  const { model, settings } = sheaf;
  const { extension, data } = loaded;
  const isAround = aroundDocuments(sheaf, data);
  const deps = {
    ...loaded,
    registry,
    model,
    prefix: settings.rest.prefix,
    controller: (uid: string) =>
      extension?.controller(uid) ??
      registry.made('controllers', uid, core.controller) ??
      (model.contentTypes.has(uid) ? core.controller(uid) : undefined),
    isCore: (uid: string) =>
      uid !== USER &&
      !isAround(uid) &&
      !data.db.lifecycles.hearsReads(uid) &&
      isGenerated(registry, 'controllers', uid) &&
      isGenerated(registry, 'services', uid),
  };
  return routeList(deps, extension);
}

/** Whether middlewares may run around the documents of a type. One that was not seen beforehand may act on any. */
function aroundDocuments({ code }: Sheaf, { documents }: DataMembers): (uid: string) => boolean {
  if (!documents.hasMiddlewares) return () => false;
  const subjects = new Set(
    code.findings.flatMap(({ kind, subject }) => (kind === 'documents.use' ? (subject ?? []) : [])),
  );
  return (uid) => subjects.size === 0 || subjects.has(APPLICATION) || subjects.has(uid);
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
    return typeof exported === 'object' && exported !== null ? exported : {};
  } catch (error) {
    registry.report(file.file, error);
    return { bootstrap: notLoaded };
  }
}

/** Of an index that cannot be loaded, nothing begins. */
const notLoaded = (): never => {
  throw new Error('the file cannot be loaded');
};

/** Whether it ran to its end. What it throws is told like a file that cannot be loaded. */
async function phase(index: Lifecycle, name: keyof Lifecycle, loaded: LoadedCode): Promise<boolean> {
  const work = index[name];
  if (typeof work !== 'function') return true;
  return begun(loaded, { file: INDEX, code: name }, () => work({ strapi: loaded.strapi }));
}

async function begun(loaded: LoadedCode, origin: ErrorOrigin, work: () => unknown): Promise<boolean> {
  const { log, modules, registry } = loaded;
  const { file, code } = origin;
  try {
    await tellWhileWaiting(log, origin, () => new Deadline(MAX_STRAPI_START_MS).within(work));
    return true;
  } catch (error) {
    const { message } = modules.failure(path.join(modules.project, file), error);
    registry.report(file, new Error(`${code} failed: ${message}`));
    return false;
  }
}

const INDEX = 'src/index';

/** Plugins begin before the project. */
async function beginExtension(loaded: LoadedCode): Promise<boolean> {
  const { extension, strapi } = loaded;
  if (!extension?.bootstrap) return true;
  const { bootstrap, file } = extension;
  return begun(loaded, { file, code: 'bootstrap' }, () => bootstrap({ strapi }));
}

/** Kinds of code that `bootstrap` brings to run, wherever it stands. */
const BEGUN: ReadonlySet<string> = new Set(['documents.use', 'lifecycles']);

/** What passes through code that does not run stays closed. */
function closeWhatFailed({ code, withheld }: Sheaf, problems: readonly CodeProblem[], isStarted: boolean): void {
  const failed = new Set(problems.map(({ file }) => file));
  const isBegun = ({ file, kind }: CodeFinding): boolean =>
    kind === 'extension' ? file.startsWith(INDEX) : BEGUN.has(kind) && !file.startsWith('src/api/');
  withheld.close(code.findings.filter((finding) => failed.has(finding.file) || (!isStarted && isBegun(finding))));
}

/** Those of `config/middlewares` that are the project's own. */
function applicationMiddlewares(configured: unknown, deps: GuardDeps, log: Log): Middleware[] {
  const list: readonly unknown[] = Array.isArray(configured) ? configured : [];
  return list.flatMap((each) => {
    const { name = each, resolve }: Members = isObject(each) ? each : {};
    const isOwn = resolve !== undefined || typeof name !== 'string' || !name.startsWith('strapi::');
    return isOwn ? [inOwnTime(String(resolve ?? name), middlewareOf(deps, each), log)] : [];
  });
}

/** Code finds it as a global. Returns a function that takes it back. */
function asGlobal(strapi: Strapi): () => void {
  const place = globalThis as { strapi?: unknown };
  place.strapi = strapi;
  return () => {
    if (place.strapi === strapi) delete place.strapi;
  };
}
