// A GET of the API, run in this process as a caller that the console chooses, through the same routes as any other.
import type { FastifyInstance } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import type { TryAnswer } from '../../console/contract.ts';
import { limitExceeded, notFoundError, validationError } from '../../errors.ts';
import { MAX_TRIED_BYTES } from '../../limits.ts';
import { normalisedUrl } from '../../request/normalised-url.ts';
import { HINT_HEADER, IGNORED_HEADER } from '../headers.ts';
import { REQUEST_ID_HEADER } from '../log.ts';
import { envelope } from '../respond.ts';
import { isRead, matchRoute, type Route, type RouteContext } from '../routes.ts';

export interface TriedRequest {
  readonly url: string;
  readonly caller: Caller;
  /** The address that the limits on requests count. */
  readonly ip: string;
}

/** Those of an answer that say something to a person. */
const SHOWN_HEADERS = [
  'content-type',
  'server-timing',
  REQUEST_ID_HEADER,
  IGNORED_HEADER,
  HINT_HEADER,
  'cache-control',
  'etag',
  'retry-after',
];

const COST = /cost;desc=(\d+)/;

export async function tryRequest(
  app: Pick<FastifyInstance, 'inject'>,
  { auth }: RouteContext,
  routes: readonly Route[],
  { url, caller, ip }: TriedRequest,
): Promise<TryAnswer> {
  const target = targetOf(url, auth.settings.rest.prefix);
  const found = matchRoute(routes, 'GET', target.pathname);
  // What it would do is not known, so it is not sent.
  if (!found) return notFoundAnswer();
  if (!isRead(found.route))
    throw validationError(`Invalid value for url: GET ${found.route.path} writes`, { key: 'url' });
  const begin = performance.now();
  const ask = (headers: Record<string, string>) =>
    app.inject({ method: 'GET', url: `${target.pathname}${target.search}`, headers, remoteAddress: ip });
  const answer = await (caller.kind === 'public'
    ? ask({})
    : auth.authenticator.lend(caller, (authorization) => ask({ authorization })));
  const milliseconds = performance.now() - begin;
  if (answer.rawPayload.length > MAX_TRIED_BYTES)
    throw limitExceeded('MAX_TRIED_BYTES', MAX_TRIED_BYTES, 'bytes in the answer, ask for fewer entries or fields', {
      key: 'url',
    });
  const headers = Object.fromEntries(
    SHOWN_HEADERS.flatMap((name): [string, string][] => {
      const value = answer.headers[name];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
  const cost = COST.exec(headers['server-timing'] ?? '');
  return {
    status: answer.statusCode,
    headers,
    body: bodyOf(answer.payload, headers['content-type']),
    milliseconds,
    cost: cost ? Number(cost[1]) : null,
  };
}

function notFoundAnswer(): TryAnswer {
  const { status, name, message, details } = notFoundError();
  const body: unknown = JSON.parse(envelope(status, name, message, details));
  return { status, headers: {}, body, milliseconds: 0, cost: null };
}

/** A path of the API with its query. What leads out of it, such as `/api/../metrics`, is none. */
function targetOf(url: string, prefix: string): URL {
  const base = 'http://localhost';
  const normal = normalisedUrl(url);
  const target = url.startsWith('/') && URL.canParse(normal, base) ? new URL(normal, base) : null;
  const isBelow = target?.pathname.toLowerCase().startsWith(`${prefix.toLowerCase()}/`) ?? false;
  if (!target || target.origin !== base || !isBelow)
    throw validationError(`Invalid value for url: expected a path below ${prefix}`, { key: 'url' });
  return target;
}

function bodyOf(text: string, contentType = ''): unknown {
  if (text === '') return null;
  return contentType.startsWith('application/json') ? JSON.parse(text) : text;
}
