// The routes of a Strapi project's own code among those of the core: which of the core's they take the place of, which
// are closed because Strapi would not serve them, and how the order of the project is kept where the router has another.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CodeAnswer } from '../compat/strapi/koa-app.ts';
import type { StrapiRoute } from '../compat/strapi/route-list.ts';
import type { StrapiCode } from '../compat/strapi/strapi-code.ts';
import { notFoundError } from '../errors.ts';
import { Scratch } from '../files/incoming.ts';
import { readCodeBody } from './code-body.ts';
import { answerInside } from './core-reply.ts';
import { TURN } from './register-routes.ts';
import { elapsed, sendReplicationPosition, withStatusAndHeaders } from './respond.ts';
import { type Handler, METHODS, type Method, patternOf, type Route, type RouteContext } from './routes.ts';

/** What answers a method, in Strapi's order: a route of the project, or one of the core. */
interface Entry {
  readonly method: Method;
  readonly route: StrapiRoute | null;
  readonly pattern: StrapiRoute['pattern'];
}

const methodsOf = ({ method }: StrapiRoute): readonly Method[] =>
  method === 'ALL' ? METHODS : METHODS.filter((each) => each === method);

export function withCodeRoutes(context: RouteContext, code: StrapiCode, core: readonly Route[]): Route[] {
  const { rateLimits } = context.auth.settings;
  const open = core.filter((route) => !isRemoved(context, code, route) && isServed(context, code, route));
  const entries = entriesOf(code, open);
  const own = entries.flatMap((entry, index) =>
    entry.route && !isShadowed(code, entries, index) ? [{ entry, index }] : [],
  );
  const paths = new Map(core.map(({ path }) => [patternOf(path), path]));
  const replaced = new Map(core.map((route) => [`${route.method} ${patternOf(route.path)}`, route]));
  const added = own.flatMap(({ entry, index }): Route[] => {
    const { route, pattern, method } = entry;
    if (!route || route.core) return [];
    const path = pattern.simple === null ? wildcardOf(pattern.path) : pattern.simple;
    return [
      {
        method,
        path: paths.get(patternOf(path)) ?? path,
        action: Array.isArray(route.scope) ? (route.scope[0] ?? null) : null,
        operation: null,
        parameters: [],
        // One that takes the place of a route of the core keeps its limit.
        limit: replaced.get(`${method} ${patternOf(path)}`)?.limit ?? (route.isLimited ? rateLimits.auth : null),
        describes: 'own',
        source: route.file,
        policies: route.policies,
        readsBody: true,
        ...(needsTurn(code, entries, index) && { turn: String(index) }),
        handler: codeHandler(context, code, route, core),
      },
    ];
  });
  const taken = new Set(added.map(({ method, path }) => `${method} ${patternOf(path)}`));
  return [...open.filter(({ method, path }) => !taken.has(`${method} ${patternOf(path)}`)), ...added];
}

/** The routes of the project, then those of the core that it has no word of. */
function entriesOf({ routes, paths }: StrapiCode, core: readonly Route[]): Entry[] {
  const own = routes.flatMap((route) =>
    methodsOf(route).map((method): Entry => ({ method, route, pattern: route.pattern })),
  );
  const rest = core.map(
    ({ method, path }): Entry => ({ method, route: null, pattern: paths.pathPattern(path.replace('*', '(.*)')) }),
  );
  return [...own, ...rest];
}

const isShadowed = ({ paths }: StrapiCode, entries: readonly Entry[], index: number): boolean => {
  const { method, pattern } = entries[index]!;
  return entries.slice(0, index).some((earlier) => earlier.method === method && paths.covers(earlier.pattern, pattern));
};

/** Whether the router would choose another than the first that fits. */
function needsTurn({ paths }: StrapiCode, entries: readonly Entry[], index: number): boolean {
  const { method, pattern } = entries[index]!;
  if (pattern.simple === null) return true;
  return entries.some((other, at) => {
    if (at === index || other.method !== method || !paths.mayOverlap(pattern, other.pattern)) return false;
    return at < index ? paths.prefersSecond(other.pattern, pattern) : paths.prefersSecond(pattern, other.pattern);
  });
}

/** Of a pattern with expressions: everything that begins with its fixed segments. Whose turn it is tells the rest. */
const wildcardOf = (path: string): string => `${path.slice(0, path.search(/[:*(?+{]/)).replace(/\/[^/]*$/, '')}*`;

/** Tells the router whose turn it is, where it would choose otherwise. */
export function takeTurns(app: FastifyInstance, code: StrapiCode, table: readonly Route[]): void {
  const turns = new Set(table.flatMap(({ turn }) => turn ?? []));
  if (turns.size === 0) return;
  const entries = entriesOf(code, []);
  const turnOf = (method: string, pathname: string): string | undefined => {
    const found = entries.findIndex((entry) => entry.method === method && entry.pattern.match(pathname) !== null);
    return found >= 0 && turns.has(String(found)) ? String(found) : undefined;
  };
  app.addConstraintStrategy({
    name: TURN,
    mustMatchWhenDerived: true,
    storage() {
      const handlers = new Map<unknown, RouterHandler>();
      return {
        get: (turn) => handlers.get(turn) ?? null,
        set: (turn, handler) => void handlers.set(turn, handler),
      };
    },
    deriveConstraint: ({ method = 'GET', url = '/' }) => turnOf(method === 'HEAD' ? 'GET' : method, pathOf(url)),
  });
}

type TurnStorage = ReturnType<Parameters<FastifyInstance['addConstraintStrategy']>[0]['storage']>;
/** What the router keeps for each turn. */
type RouterHandler = Parameters<TurnStorage['set']>[1];

const pathOf = (url: string): string => url.split('?', 1)[0]!;

/** The core action that a route of the core stands for; null where code of the project has nothing to do with it. */
function coreActionOf({ operation }: Route): string | null {
  if (!operation?.type.uid.startsWith('api::')) return null;
  const isSingle = operation.type.kind === 'singleType';
  switch (operation.name) {
    case 'findOne':
    case 'related':
      return isSingle ? 'find' : 'findOne';
    case 'create':
    case 'clone':
      return 'create';
    case 'delete':
      return 'delete';
    case 'update':
    case 'publish':
    case 'unpublish':
    case 'discardDraft':
      return 'update';
    default:
      return 'find';
  }
}

function isRemoved({ auth }: RouteContext, { removed }: StrapiCode, { method, path }: Route): boolean {
  const pattern = patternOf(path);
  const { prefix } = auth.settings.rest;
  return removed.some((route) => route.method === method && patternOf(`${prefix}${route.path}`) === pattern);
}

/**
 * Whether the core serves a route: where Strapi leads the action to the core as well. Otherwise it would go past what the
 * project has in front of it. A project without any core routes has definitions alone.
 */
function isServed({ auth }: RouteContext, { routes }: StrapiCode, route: Route): boolean {
  const action = coreActionOf(route);
  const cores = routes.filter(({ core }) => core !== null);
  if (action === null || !routes.some(({ isCoreAction }) => isCoreAction)) return true;
  const { uid } = route.operation!.type;
  if (auth.settings.servedWithout[uid]?.includes('routes')) return true;
  return cores.some(({ core }) => core!.uid === uid && core!.action === action);
}

function codeHandler(
  { sheaf, auth }: RouteContext,
  code: StrapiCode,
  route: StrapiRoute,
  core: readonly Route[],
): Handler {
  return async (request, reply) => {
    // The router takes more letters for the same than patterns do. Code never runs without its parameters.
    const params = route.pattern.match(pathOf(request.raw.url!));
    if (params === null) throw notFoundError();
    const scratch = new Scratch(sheaf.files.storage);
    try {
      const answer = await code.handle(route, {
        req: request.raw,
        res: reply.raw,
        id: request.id,
        params,
        readBody: () => readCodeBody(request, scratch, sheaf),
        identified: (caller) => {
          request.caller = caller;
        },
        async askCore({ method, path }, given) {
          request.caller ??= await auth.authenticator.identify(request.headers.authorization);
          const pattern = patternOf(`${auth.settings.rest.prefix}${path}`);
          const asked = core.find((each) => each.method === method && patternOf(each.path) === pattern)!;
          const names = [...asked.path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
          const params = Object.fromEntries(names.map((name, index) => [name, given.params[index]!]));
          return answerInside(asked.handler, request, reply, { ...given, params });
        },
      });
      if (request.method !== 'GET' && answer) await sendReplicationPosition(sheaf, reply);
      return sendCodeAnswer(request, reply, answer);
    } finally {
      await scratch.clear();
    }
  };
}

function sendCodeAnswer(_request: FastifyRequest, reply: FastifyReply, answer: CodeAnswer | null): void {
  if (answer === null) {
    reply.hijack();
    return;
  }
  withStatusAndHeaders(reply, answer)
    .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
    .send(answer.body ?? undefined);
}
