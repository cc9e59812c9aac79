// Answers requests below /console/api. It finds the route itself: to register each with the framework would take time at
// every start, whether anyone opens the console or not. Content, users and files are served by the routes of the API, the
// same handlers, for the account that is logged in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requireAction } from '../../access/authorize.ts';
import { CONSOLE_REST } from '../../console/contract.ts';
import { forbiddenError, methodNotAllowedError, notFoundError } from '../../errors.ts';
import { sendNothing, sendValue } from '../respond.ts';
import { documentRoutes } from '../route-table.ts';
import { METHODS, matchRoute, type PathParameters, queryOf, type Route, type RouteContext } from '../routes.ts';
import { ConsoleFiles } from './console-files.ts';
import { requireOwnPage } from './console-guard.ts';
import type { ConsoleContext, ConsoleRoute, OpenConsoleRoute } from './console-route.ts';
import { consoleRoutes } from './console-routes.ts';
import { sessionToken } from './session-routes.ts';

type AnyRoute = Route | ConsoleRoute | OpenConsoleRoute;

const NO_ROUTE = { route: null, params: {} } as const;

/** Answers a request that was admitted. */
export type Answer = (reply: FastifyReply) => Promise<void>;

export class ConsoleServer {
  readonly files: ConsoleFiles;
  readonly #context: ConsoleContext;
  readonly #routes: readonly AnyRoute[];

  constructor(context: ConsoleContext) {
    this.#context = context;
    this.files = new ConsoleFiles(context.sheaf.files.storage);
    this.#routes = [...consoleRoutes(context), ...mirroredRoutes(context)];
  }

  /** Finds out who asks, and refuses who may not: before the body is read. */
  async admit(request: FastifyRequest): Promise<Answer> {
    const { console: opened, auth } = this.#context;
    requireOwnPage(request, auth.settings);
    const pathname = request.raw.url!.split('?', 1)[0]!;
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const { route, params } = matchRoute(this.#routes, method, pathname) ?? NO_ROUTE;
    if (route && 'isOpen' in route) return this.#answerOpen(request, route, params);
    const editor = await opened.sessions.editorWith(sessionToken(request));
    request.caller = editor.caller;
    if (!route) throw this.#refusal(pathname);
    if ('right' in route) {
      if (route.right !== null && !editor.rights.rights.includes(route.right)) throw forbiddenError();
      const query = queryOf(request, this.#context);
      return async (reply) => sendAnswer(reply, await route.handler({ request, reply, params, query, editor }));
    }
    const { action, handler } = route;
    if (action !== null) requireAction(editor.caller, action);
    request.params = params;
    return (reply) => handler(request, reply);
  }

  #answerOpen(request: FastifyRequest, route: OpenConsoleRoute, params: PathParameters): Answer {
    const query = queryOf(request, this.#context);
    return async (reply) => sendAnswer(reply, await route.handler({ request, reply, params, query }));
  }

  #refusal(pathname: string): Error {
    const allowed = METHODS.filter((method) => matchRoute(this.#routes, method, pathname));
    return allowed.length === 0 ? notFoundError() : methodNotAllowedError(allowed);
  }
}

/**
 * The routes of the API at other paths, but for the own account, which an editor has none of among users. Lists of users
 * have the envelope here, whatever the project says.
 */
function mirroredRoutes(context: RouteContext): readonly Route[] {
  const { auth } = context;
  const { settings } = auth;
  const rest = { ...settings.rest, prefix: CONSOLE_REST };
  const mirrored = { ...settings, rest, users: { bareList: false }, cacheControl: null };
  const routes = documentRoutes({ ...context, auth: { ...auth, settings: mirrored } });
  return routes.filter(({ operation }) => operation?.name !== 'me');
}

const sendAnswer = (reply: FastifyReply, value: unknown): void =>
  value === undefined ? sendNothing(reply) : sendValue(reply, value);

export const openConsoleServer = async (context: Omit<ConsoleContext, 'console'>): Promise<ConsoleServer> =>
  new ConsoleServer({ ...context, console: await context.sheaf.console() });
