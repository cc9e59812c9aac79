// One request through the code of a project: who calls and whether they may, the body, policies, middlewares, the
// handler, and what becomes of errors.

import { requireAction } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import type { Auth } from '../../accounts/auth.ts';
import type { Sheaf } from '../../app.ts';
import { forbiddenError, unauthorizedError } from '../../errors.ts';
import type { Log } from '../../extend/define-project.ts';
import { USER } from '../../model/builtin.ts';
import { rememberCaller } from './code-callers.ts';
import { type CodeRequest, rememberRequest, requestOf } from './code-request.ts';
import { Rows } from './data/rows.ts';
import {
  answerOf,
  type CodeAnswer,
  type Context,
  composed,
  isAnswered,
  type Middleware,
  refusalAnswer,
} from './koa-app.ts';
import type { StrapiRoute } from './route-list.ts';
import { inTime } from './route-time.ts';
import {
  type ErrorAnswer,
  errorAnswer,
  errorBody,
  httpStatusOf,
  isMeant,
  refusalOf,
  strapiErrors,
} from './strapi-errors.ts';
import type { StrapiModules } from './strapi-modules.ts';

interface ChainDeps {
  readonly sheaf: Sheaf;
  readonly auth: Auth;
  readonly log: Log;
}

/** `around`: the middlewares of the application. */
export function routeChain(
  route: StrapiRoute,
  around: readonly Middleware[],
  deps: ChainDeps,
): (ctx: Context) => Promise<unknown> {
  const { problem } = route;
  if (problem !== null)
    return async () => {
      throw new strapiErrors.NotImplementedError('This route cannot run; the start of the server says why');
    };
  const prepared: Middleware = async (ctx, next) => {
    const request = requestOf(ctx);
    ctx.params = request.params;
    // The router of Strapi leaves them on the request, too.
    Object.assign(ctx.request, { params: request.params });
    ctx.state.route = route.info;
    await identify(ctx, route, deps, request);
    await takeBody(ctx, request);
    return next();
  };
  const early: Middleware[] =
    around.length > 0 ? [(ctx, next) => takeBody(ctx, requestOf(ctx)).then(next), ...around] : [];
  return composed([...early, prepared, withoutReasons, inTime(route, deps.log), ...route.chain], async () => undefined);
}

/** Whoever is refused by an error of the code is not told why. */
const withoutReasons: Middleware = async (ctx, next) => {
  try {
    return await next();
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === null) throw error;
    return ctx[refusal]();
  }
};

const BODY_METHODS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** Application middlewares see it, so it may be there already. */
async function takeBody(ctx: Context, request: CodeRequest): Promise<void> {
  const target = ctx.request;
  if ('body' in target || !BODY_METHODS.has(ctx.method)) return;
  const { body, files } = await request.readBody();
  target.body = body;
  if (files !== undefined) target.files = files;
}

async function identify(ctx: Context, { scope }: StrapiRoute, deps: ChainDeps, request: CodeRequest): Promise<void> {
  if (scope === 'open') return;
  const caller = await deps.auth.authenticator.identify(ctx.req.headers.authorization);
  request.identified(caller);
  for (const action of scope ?? []) requireAction(caller, action);
  if (scope === null) requireSomebody(caller);
  if (caller.kind === 'editor') requireNamedRight(scope);
  await knownAs(ctx, caller, deps.sheaf);
  // Code of the API knows users. An account of the console that tries a request is none, though one may have its id.
  if (caller.kind === 'editor') delete ctx.state.user;
}

/** Tells code who calls. */
export async function knownAs(ctx: Context, caller: Caller, sheaf: Sheaf): Promise<void> {
  const auth = {
    strategy: { name: STRATEGIES[caller.kind] ?? 'users-permissions' },
    credentials: await credentialsOf(sheaf, caller),
    ability: { can: (action: string) => caller.access.may(action) },
  };
  rememberCaller(auth, caller);
  rememberCaller(ctx.state, caller);
  ctx.state.isAuthenticated = true;
  ctx.state.auth = auth;
  if (caller.kind === 'user' || caller.kind === 'editor') ctx.state.user = auth.credentials;
}

/** What Strapi 5 calls the ways to say who one is; that of users is the one that is not named here. */
const STRATEGIES: Readonly<Partial<Record<Caller['kind'], string>>> = { token: 'api-token', editor: 'admin' };

/** Without a right to ask for, a route is for every user, and for tokens that may do everything. */
function requireSomebody({ kind, access }: Caller): void {
  if (kind === 'public') throw unauthorizedError();
  if (kind === 'token' && !access.may('')) throw forbiddenError();
}

/** What is for every user is for no account of the console. */
function requireNamedRight(scope: StrapiRoute['scope']): void {
  if (scope === null || scope.length === 0) throw forbiddenError();
}

/** Stands for all users of a role: nothing belongs to it, where a user without an id might be given everything. */
const NO_USER = { id: 0, documentId: '' };

async function credentialsOf(sheaf: Sheaf, { kind, account, user }: Caller): Promise<unknown> {
  if (kind === 'public') return null;
  if (kind === 'editor') return { ...user };
  if (!account) return kind === 'user' ? { ...NO_USER } : {};
  // As Strapi has it: the whole row, even the hash of the password.
  return new Rows(sheaf, USER).findOne({ where: { id: account.id }, populate: ['role'] });
}

export interface FailureDeps {
  readonly log: Log;
  readonly modules: StrapiModules;
}

/** Runs a chain and takes the answer out of the context. */
export async function answered(
  ctx: Context,
  request: CodeRequest,
  chain: (ctx: Context) => Promise<unknown>,
  deps: FailureDeps,
): Promise<CodeAnswer | null> {
  rememberRequest(ctx, request);
  try {
    await chain(ctx);
    if (!isAnswered(ctx)) ctx.notFound();
    return answerOf(ctx);
  } catch (error) {
    return refused(ctx, error, request.id, deps);
  }
}

/** The answer to an error in a context. */
export function refused(ctx: Context, error: unknown, requestId: string, deps: FailureDeps): CodeAnswer | null {
  // What code has begun to send by itself cannot become another answer; nobody would end it.
  if (ctx.res.headersSent && !ctx.res.writableEnded) ctx.res.destroy();
  try {
    refuse(ctx, error, requestId, deps);
    return answerOf(ctx);
  } catch (unwritable) {
    // Such as details that are no JSON.
    refuse(ctx, unwritable, requestId, deps);
    return answerOf(ctx);
  }
}

/** Errors that are answers are answered; anything else is a defect of the project's code, which the log tells of. */
function refuse(ctx: Context, error: unknown, requestId: string, { log, modules }: FailureDeps): void {
  const answer = errorAnswer(error);
  if (!answer || !isMeant(error)) {
    const place = modules.shownPlace(error);
    const at = place === null ? '' : ` in ${place}`;
    log.error({ err: error, requestId }, `the project's code failed${at}`);
  }
  const told = answer ?? failureAnswer(httpStatusOf(error) ?? 500);
  ctx.status = told.status;
  ctx.body = errorBody(told);
}

const failureAnswer = (status: number): ErrorAnswer => ({
  ...refusalAnswer(status, undefined),
  // Of a defect nothing is told.
  details: undefined,
});
