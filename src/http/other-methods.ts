// Methods that a path does not answer get a 405 that names those it does, as OPTIONS gets them. Few of them are routes: to
// register one takes longer than to find the path of a request that no route took.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import { methodNotAllowedError, readOnlyError } from '../errors.ts';
import { elapsed, sendError, sendNothing } from './respond.ts';
import { type Handler, isRead, MAX_PARAMETER_LENGTH, METHODS, patternOf, type Route } from './routes.ts';

/** Every method that a path can answer. HEAD comes with a GET. */
const ALL_METHODS: readonly string[] = [...METHODS, 'HEAD'];

/** Answers a request that no route took, if its path has routes for other methods; returns whether it has. */
export type RefuseMethod = (request: FastifyRequest, reply: FastifyReply) => boolean;

/** Routes of the same path. */
interface PathRoutes {
  readonly url: string;
  readonly segments: readonly string[];
  /** What they answer, and what they would answer if the server did not only read. */
  readonly allowed: readonly string[];
  readonly writes: readonly string[];
  /** Whether code of the project answers; other routes then answer where it does not. */
  readonly isOwn: boolean;
  readonly refusesInEnvelope: boolean;
  readonly takesAnyMethod: boolean;
}

export function refuseOtherMethods(
  app: FastifyInstance,
  routes: readonly Route[],
  served: readonly Route[],
): RefuseMethod {
  const paths = pathsOf(routes, new Set(served));
  const patterns = paths.filter(isPattern);
  for (const path of paths) {
    const { url, allowed, writes } = path;
    if (writes.length > 0) app.route({ method: [...writes], url, ...refuseWrites(allowed) });
    const refuse = (request: FastifyRequest, reply: FastifyReply): void => refuseMethod(path, request, reply);
    const elsewhere = methodsElsewhere(patterns, path);
    const refused = METHODS.filter((method) => !answers(path, method) && elsewhere.has(method) && !path.isOwn);
    const registered = lacksHead(path) ? [...refused, 'HEAD'] : refused;
    if (registered.length > 0) app.route({ method: registered, url, onRequest: refuse, handler: refuse });
  }
  const inOrder = paths.filter((path) => !endsOpen(path)).toSorted(bySegments);
  return (request, reply) => {
    const { method } = request;
    const asked = segmentsAsked(request.url);
    const path = inOrder.find(({ segments }) => fits(segments, asked));
    if (!path || (method !== 'OPTIONS' && (!ALL_METHODS.includes(method) || answers(path, method)))) return false;
    request.refusedPath = path.url;
    if (method === 'OPTIONS') tellMethods(path, reply);
    else if (path.takesAnyMethod) sendNothing(reply);
    else refuseMethod(path, request, reply);
    return true;
  };
}

/** Whether no route takes a request; of a QUERY the framework asks for the type of its body before it says so. */
export const isUnroutedQuery = ({ is404 }: FastifyRequest, { code }: FastifyError): boolean =>
  is404 && code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE';

function pathsOf(routes: readonly Route[], served: ReadonlySet<Route>): PathRoutes[] {
  const groups = Map.groupBy(routes, ({ path }) => patternOf(path));
  return [...groups].map(([pattern, group]) => {
    const allowed = group.filter((route) => served.has(route)).flatMap(methodsOf);
    return {
      url: group[0]!.path,
      segments: pattern.split('/'),
      allowed,
      writes: group.map(({ method }) => method).filter((method) => !allowed.includes(method)),
      isOwn: group.some(({ readsBody }) => readsBody === true),
      refusesInEnvelope: group.some(({ refusesInEnvelope }) => refusesInEnvelope === true),
      takesAnyMethod: group.some(({ takesAnyMethod }) => takesAnyMethod === true),
    };
  });
}

/** A GET that only reads answers HEAD as well. */
const methodsOf = (route: Route): readonly string[] =>
  route.method === 'GET' && isRead(route) ? ['HEAD', 'GET'] : [route.method];

/** Whether a path has a GET that is not done for a HEAD. */
const lacksHead = ({ allowed }: PathRoutes): boolean => allowed.includes('GET') && !allowed.includes('HEAD');

const answers = ({ allowed, writes }: PathRoutes, method: string): boolean =>
  allowed.includes(method) || writes.includes(method);

/** Whether other routes may answer below a path of the project's code. */
const endsOpen = ({ isOwn, segments }: PathRoutes): boolean => isOwn && segments.at(-1) === '*';

/** Whether requests for other paths may fit. */
const isPattern = ({ segments }: PathRoutes): boolean => segments.some((part) => part === ':' || part === '*');

/** The methods that routes with another path answer at this one, as `PUT /things/:id` does at `/things/special`. */
function methodsElsewhere(patterns: readonly PathRoutes[], { segments }: PathRoutes): ReadonlySet<string> {
  const others = patterns.filter((path) => path.segments !== segments && fits(path.segments, segments));
  return new Set(others.flatMap(({ allowed, writes }) => [...allowed, ...writes]));
}

/** Whether a path has the form of a pattern, whose last segment may stand for any number of them. */
function fits(pattern: readonly string[], path: readonly string[]): boolean {
  const isOpen = pattern.at(-1) === '*';
  if (isOpen ? path.length < pattern.length : path.length !== pattern.length) return false;
  return pattern.every((part, at) => {
    if (part === ':') return path[at] !== '' && path[at]!.length <= MAX_PARAMETER_LENGTH;
    return part === path[at] || (isOpen && at === pattern.length - 1);
  });
}

/** Of patterns of one length, the one with a fixed segment where they differ goes first, as in the router. */
function bySegments({ segments: a }: PathRoutes, { segments: b }: PathRoutes): number {
  if (a.length !== b.length) return a.length - b.length;
  const at = a.findIndex((part, index) => (part === ':') !== (b[index] === ':'));
  return at < 0 ? 0 : a[at] === ':' ? 1 : -1;
}

/** As those of patterns are written. The router has refused what is encoded wrongly. */
function segmentsAsked(url: string): string[] {
  const [path = ''] = url.split('?', 1);
  return decodeURI(path).replace(/\/$/, '').toLowerCase().split('/');
}

const tellMethods = ({ allowed }: PathRoutes, reply: FastifyReply): void =>
  sendNothing(reply.header('allow', allowed.join(', ')), 200);

/** Clients of Strapi 5 expect plain text here; the envelope goes to those that ask for JSON. */
function refuseMethod(path: PathRoutes, request: FastifyRequest, reply: FastifyReply): void {
  const { allowed, refusesInEnvelope } = path;
  reply.header('allow', allowed.join(', '));
  if (refusesInEnvelope || request.headers.accept?.includes('application/json'))
    sendError(reply, methodNotAllowedError(allowed));
  else
    reply
      .code(405)
      .header('content-type', 'text/plain; charset=utf-8')
      .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
      .send('Method Not Allowed');
}

/** What is written is refused whoever asks, and before a body is read. */
function refuseWrites(allowed: readonly string[]): Pick<RouteShorthandOptions, 'onRequest'> & { handler: Handler } {
  return {
    onRequest: (_request, reply, done) => {
      reply.header('allow', allowed.join(', '));
      done(readOnlyError());
    },
    handler: async () => undefined,
  };
}
