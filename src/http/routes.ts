// Routes as data: one table that the server registers, and that explain, tests and documents read. A route is a path
// with a method, the right it needs, the parameters it takes and how it answers.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../access/caller.ts';
import type { Auth } from '../accounts/auth.ts';
import type { Sheaf } from '../app.ts';
import type { WhenGone } from '../db/database.ts';
import type { DescribedRoute } from '../describe/route-kinds.ts';
import { errorOf, notFoundError } from '../errors.ts';
import type { RouteSchemas } from '../extend/define-project.ts';
import type { Lru } from '../lru.ts';
import type { Timing } from '../operations/timing.ts';
import type { RateLimit } from '../project/settings.ts';
import { type Admission, type AdmittedQuery, admitQuery } from '../request/admit-query.ts';
import { normalisedPath } from '../request/normalised-url.ts';
import { parseQueryString, type QueryObject } from '../request/query-string.ts';
import type { CostLimit } from './cost-limit.ts';

/** Longest path segment taken for a parameter, such as a documentId. */
export const MAX_PARAMETER_LENGTH = 255;

export const METHODS = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

/** Responds by itself. What its promise resolves to says nothing. */
export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * A handler as the framework takes it. The framework does not get the promise: it would send what that resolves to, or,
 * if that is the reply, listen for the end of the response, at the price of looking up a route.
 */
export const answeredBy =
  (handler: Handler) =>
  (request: FastifyRequest, reply: FastifyReply): void => {
    handler(request, reply).catch((error: unknown) => {
      if (reply.sent) reply.log.error({ requestId: request.id, err: errorOf(error) }, 'failed after it had responded');
      else reply.send(errorOf(error));
    });
  };

/** A route whose handler is made of what it says. */
export const routeWith = (
  route: Omit<Route, 'handler'>,
  handlerOf: (route: Omit<Route, 'handler'>) => Handler,
): Route => ({ ...route, handler: handlerOf(route) });

/** What a route says of its query. */
export type RouteQuery = Pick<Route, 'path' | 'parameters' | 'queryRules'>;

export interface Route extends DescribedRoute {
  readonly method: Method;
  readonly limit: RateLimit | null;
  readonly handler: Handler;
  /** That it writes, though it is a GET. */
  readonly writes?: true;
  /** That other methods are refused in the envelope, whoever asks; elsewhere clients of Strapi 5 expect plain text. */
  readonly refusesInEnvelope?: true;
  /** That other methods get a 204 as well, as checks of Strapi 5 expect it. */
  readonly takesAnyMethod?: true;
  /** That its body may hold files. */
  readonly takesFiles?: true;
  /** What it makes of its query, if not what routes of content do. */
  readonly queryRules?: QueryRules;
  /** That its body may be a form. */
  readonly takesForms?: true;
  /** That it only reads, though it is no GET. */
  readonly reads?: true;
  /** The file of the project that it stands in; none for routes of the core. */
  readonly source?: string;
  /** Names of the policies of the project that have to agree. */
  readonly policies?: readonly string[];
  /** JSON Schemas of what it takes and answers, of a route of the project. */
  readonly schemas?: RouteSchemas;
  /** That its handler reads the body, of whatever kind it is. */
  readonly readsBody?: true;
  /** Of a route that the router would prefer, or not, against the order of the project: what tells that it is its turn. */
  readonly turn?: string;
}

/** What a route makes of its query. */
export interface QueryRules {
  /** Whether `strictParams` of the project holds: in Strapi 5 for its content, and not for the routes of plugins. */
  readonly obeysStrictParams: boolean;
  /** Takes out what a caller may not use, and what is ignored for it. */
  readonly withoutHidden?: (query: AdmittedQuery, caller: Caller) => AdmittedQuery;
}

const CONTENT_QUERIES: QueryRules = { obeysStrictParams: true };
export const PLUGIN_QUERIES: QueryRules = { obeysStrictParams: false };

/** What routes have that write documents and accounts: clients of Strapi 5 send forms to them. */
export const formsOf = (method: Method): Pick<Route, 'takesForms'> => (method === 'GET' ? {} : { takesForms: true });

/** Whether a route only reads. */
export const isRead = ({ method, writes, reads }: Route): boolean =>
  reads === true || (method === 'GET' && writes !== true);

/** What handlers work with. */
export interface RouteContext {
  readonly sheaf: Sheaf;
  readonly auth: Auth;
  /** Requests that were prepared, by access, path and query. */
  readonly requests: Lru<string, CachedRequest>;
  /** What requests for content cost, by who sends them; null where that has no limit. */
  readonly costs: CostLimit | null;
}

/** A request as it is kept. */
export interface CachedRequest {
  readonly prepared: PreparedText;
  /** Names of what it holds without a meaning. */
  readonly ignored: readonly string[];
}

/** A request that is ready to run, and answers with JSON; null where there is nothing. */
export interface PreparedText {
  readonly timing: Timing;
  /** Bytes that it holds on to, roughly. */
  readonly weight: number;
  /** What the request probably means but does not say. */
  readonly hints: readonly string[];
  /** Rows that the database touches, as a caller may know it. */
  cost(): number;
  run(options: {
    readonly caller: Caller;
    readonly documentId: string | null;
    readonly after: string | null;
    readonly whenGone: WhenGone;
  }): Promise<string | null>;
}

export interface MatchedRoute<R> {
  readonly route: R;
  readonly documentId: string | null;
  readonly params: PathParameters;
}

/** The route that answers a method and a path, with the values of its parameters. */
export function matchRoute<R extends Pick<Route, 'method' | 'path'>>(
  routes: readonly R[],
  method: string,
  pathname: string,
): MatchedRoute<R> | null {
  const asked = normalisedPath(pathname);
  const segments = segmentsOf(asked);
  const candidates = routes.filter((route) => route.method === method);
  // A fixed segment goes before one that varies, as /api/users/me before /api/users/:documentId.
  for (const isVariable of [false, true])
    for (const route of candidates) {
      const pattern = segmentsOf(normalisedPath(route.path));
      if (pattern.length !== segments.length || pattern.some((part) => part.startsWith(':')) !== isVariable) continue;
      const fits = pattern.every(
        (part, index) => part.startsWith(':') || part.toLowerCase() === segments[index]!.toLowerCase(),
      );
      if (!fits) continue;
      const params = paramsOf(pattern, segments);
      return params && { route, params, documentId: params.documentId ?? null };
    }
  const open = candidates.find(({ path }) => path.endsWith('*') && isBelow(asked, path.slice(0, -1)));
  return open ? { route: open, params: {}, documentId: null } : null;
}

const isBelow = (path: string, start: string): boolean =>
  path.toLowerCase().startsWith(normalisedPath(start).toLowerCase());

/** What a path stands for, whatever its case and the names of its parameters. */
export const patternOf = (path: string): string => path.replace(/:\w+/g, ':').replace(/\/+$/, '').toLowerCase();

/** Null for what is encoded wrongly. */
function paramsOf(pattern: readonly string[], segments: readonly string[]): PathParameters | null {
  const params: Record<string, string> = {};
  try {
    for (const [index, part] of pattern.entries())
      if (part.startsWith(':')) params[part.slice(1)] = decodeURIComponent(segments[index]!);
    return params;
  } catch {
    return null;
  }
}

const segmentsOf = (pathname: string): string[] => pathname.split('/').filter((part) => part !== '');

export const queryTextOf = (request: FastifyRequest): string => {
  const url = request.raw.url!;
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
};

export const queryOf = (request: FastifyRequest, { auth }: RouteContext): QueryObject =>
  parseQueryString(queryTextOf(request), auth.settings.limits);

/** Which parameters a route takes, and what becomes of others; `meaningless`: those that change nothing in its writes. */
export const admissionOf = (
  { settings }: Pick<Auth, 'settings'>,
  { parameters: known, queryRules = CONTENT_QUERIES }: RouteQuery,
  meaningless: readonly string[] = [],
): Admission => ({ meaningless, strict: settings.rest.strictParams && queryRules.obeysStrictParams, known });

/** The parameters that a request means, and those that it might as well not have. */
export const admittedQueryOf = (
  request: FastifyRequest,
  context: RouteContext,
  route: RouteQuery,
  meaningless?: readonly string[],
): AdmittedQuery => admitQuery(queryOf(request, context), admissionOf(context.auth, route, meaningless));

/** The same of the query of a read, by the rules of its route. */
export function admitRead(
  query: QueryObject,
  auth: Pick<Auth, 'settings'>,
  route: RouteQuery,
  caller: Caller,
): AdmittedQuery {
  const admitted = admitQuery(query, admissionOf(auth, route));
  const { withoutHidden } = route.queryRules ?? CONTENT_QUERIES;
  return withoutHidden ? withoutHidden(admitted, caller) : admitted;
}

/** What stands in the path of a request, by name. */
export type PathParameters = Readonly<Record<string, string>>;

/** All of them. One handler serves routes with different paths, so the framework does not know their types. */
export const pathParametersOf = ({ params }: FastifyRequest): PathParameters => params as PathParameters;

/** One that the paths of all routes with a handler have. */
export function pathParameterOf(request: FastifyRequest, name: string): string {
  const value = pathParametersOf(request)[name];
  if (value === undefined) throw new Error(`the path of the route has no parameter ${name}`);
  return value;
}

/** The document that the path names; null where it names none. No document has an id that no database could keep. */
export function pathDocumentId(request: FastifyRequest): string | null {
  const { documentId = null } = pathParametersOf(request);
  if (documentId?.includes('\0')) throw notFoundError();
  return documentId;
}

/** The same where the paths of all routes with a handler name one. */
export function documentIdOf(request: FastifyRequest): string {
  const documentId = pathDocumentId(request);
  if (documentId === null) throw new Error('the path of the route names no document');
  return documentId;
}
