// What holds for every request before any route: the headers of its answer, CORS preflights, what is refused at once,
// and how often one address may call.
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../accounts/login-attempts.ts';
import { RateLimitError, SheafError, unavailableError } from '../errors.ts';
import type { Settings } from '../project/settings.ts';
import { type HeadersFor, preflightHeaders } from './headers.ts';
import { REQUEST_ID_HEADER } from './log.ts';
import { beginAfter, unansweredBefore } from './pipelining.ts';

/** What tells of the server itself, and answers also where others are refused: /_health, /_ready. */
const OWN_PATHS = '/_';

interface RequestGuard {
  readonly headersFor: HeadersFor;
  /** Logs a request when it is answered. */
  readonly follow: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Whether a request is for the console; an error where it may not know of it. */
  readonly guardConsole: (request: FastifyRequest, reply: FastifyReply) => boolean | SheafError;
  /** Whether the process is behind with its work. */
  readonly isBehind: () => boolean;
}

/** Comes before everything else, so that refusals have the headers, and are logged, as well. */
export function registerRequestGuard(
  app: FastifyInstance,
  { cors, limits }: Settings,
  { headersFor, follow, guardConsole, isBehind }: RequestGuard,
): void {
  const preflight = preflightHeaders(cors);
  const begin = (request: FastifyRequest, reply: FastifyReply, done: (refusal?: SheafError) => void): void => {
    request.begin = performance.now();
    follow(request, reply);
    const { origin } = request.headers;
    const headers = headersFor(request.headers);
    reply.headers(headers).header(REQUEST_ID_HEADER, request.id);
    const isConsole = guardConsole(request, reply);
    if (isConsole instanceof SheafError) {
      done(isConsole);
      return;
    }
    const isPreflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    if (!isPreflight || origin === undefined || isConsole) {
      done(refusalOf(request, isBehind(), limits.urlLength));
      return;
    }
    const isAllowed = headers['access-control-allow-origin'] !== undefined;
    reply
      .code(204)
      .headers(isAllowed ? preflight : {})
      .send();
  };
  // One hook for all of it, and not an async function: each further one, and a promise each, is a cost that shows.
  app.addHook('onRequest', (request, reply, done) => {
    const before = unansweredBefore(request, reply);
    if (before) beginAfter(before, request.raw.socket, () => begin(request, reply, done));
    else begin(request, reply, done);
  });
}

/** What no route needs to look at. */
function refusalOf(request: FastifyRequest, isBehind: boolean, urlLength: number): SheafError | undefined {
  if (isBehind && !request.raw.url!.startsWith(OWN_PATHS))
    return unavailableError('The server is behind with its work; try again');
  if (request.raw.httpVersion === '1.1' && request.headers.host === undefined)
    return new SheafError(400, 'BadRequestError', 'The Host header is missing');
  if (countHosts(request.raw.rawHeaders) > 1)
    return new SheafError(400, 'BadRequestError', 'The Host header is given more than once');
  if (request.raw.url!.length > urlLength)
    return new SheafError(
      414,
      'UriTooLongError',
      `The URL is too long: at most ${urlLength} characters (MAX_URL_LENGTH)`,
    );
  return undefined;
}

/** Node keeps the first; what stands in front may have gone by another. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

export async function registerRateLimits(app: FastifyInstance): Promise<void> {
  await app.register(rateLimit, {
    global: false,
    keyGenerator: (request) => `${networkOf(request.ip)} ${request.routeOptions.url}`,
    errorResponseBuilder: (_request, { ttl }) => new RateLimitError(Math.ceil(ttl / 1000)),
  });
}
