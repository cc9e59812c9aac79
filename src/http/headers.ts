// Headers that every answer has: what keeps browsers from making more of it than it is, and which origins may read it.
// They are put together once, not for each answer: the plugins of the framework that work them out anew took a twentieth
// of the time of a list.
import type { IncomingHttpHeaders } from 'node:http';
import { MAX_IGNORED_NAME_LENGTH, MAX_IGNORED_NAMES } from '../limits.ts';
import type { Settings } from '../project/settings.ts';
import { hasCredentials, NOT_SHARED } from './caching.ts';
import { POSITION_HEADER, REFRESH_COOKIE_HEADER } from './cookies.ts';

export type Headers = Readonly<Record<string, string>>;

const PREFLIGHT_SECONDS = 7_200;

/** Nothing that is served here is a page. */
export const SECURITY: Headers = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
};
/** Names what a request held without a meaning. */
export const IGNORED_HEADER = 'x-sheaf-ignored';

/** Says what a request probably means but does not say. */
export const HINT_HEADER = 'x-sheaf-hint';

const EXPOSED: Headers = {
  'access-control-expose-headers': `${POSITION_HEADER}, etag, retry-after, server-timing, x-request-id, ${IGNORED_HEADER}, ${HINT_HEADER}`,
};

/** The value of x-sheaf-ignored; null where nothing was ignored. */
export function ignoredHeader(names: readonly string[]): string | null {
  if (names.length === 0) return null;
  const listed = names.slice(0, MAX_IGNORED_NAMES).map(headerText);
  return [...listed, ...(names.length > listed.length ? [`+${names.length - listed.length}`] : [])].join(', ');
}

/** A client's name in the characters that a header takes; those of the list itself are encoded as well. */
const headerText = (name: string): string =>
  (name.length > MAX_IGNORED_NAME_LENGTH ? `${name.slice(0, MAX_IGNORED_NAME_LENGTH)}…` : name)
    .toWellFormed()
    .replace(/[^!-~]|[,%]/gu, encodeURIComponent);

/** The value of x-sheaf-hint; null where there is nothing to say. */
export const hintHeader = (hints: readonly string[]): string | null =>
  hints.length === 0 ? null : hints.join(' | ').replace(/[^ -~]/gu, encodeURIComponent);

const REQUEST_HEADERS = [
  'content-type',
  'authorization',
  REFRESH_COOKIE_HEADER,
  'accept',
  'origin',
  'if-none-match',
  'x-request-id',
  POSITION_HEADER,
];

/** What answers to preflights have besides. */
export const preflightHeaders = ({ headers }: Settings['cors']): Headers => ({
  'access-control-allow-methods': 'GET, HEAD, QUERY, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': [...new Set([...REQUEST_HEADERS, ...headers.map((name) => name.toLowerCase())])].join(
    ', ',
  ),
  'access-control-max-age': String(PREFLIGHT_SECONDS),
});

/** The headers of the answer to a request with these headers. */
export type HeadersFor = (request: IncomingHttpHeaders) => Headers;

/** What answers have of an origin: to those who say who they are, and to others. */
interface OfOrigin {
  readonly shared: Headers;
  readonly personal: Headers;
}

/** An origin gets credentials only if it is listed by name; the others at most learn that anyone may call. */
export function headersByOrigin({ origins, credentials }: Settings['cors']): HeadersFor {
  const isOpen = origins.includes('*');
  const isListed = origins.some((origin) => origin !== '*');
  // Also on answers to the public, or a cache would give these to those who show a token.
  const common: Headers = { ...SECURITY, vary: isListed ? 'Origin, Authorization' : 'Authorization' };
  const ofOrigin = (headers: Headers): OfOrigin => ({
    shared: { ...common, ...headers },
    personal: { ...common, ...headers, 'cache-control': NOT_SHARED },
  });
  const listed = new Map<string, OfOrigin>();
  for (const origin of origins)
    if (origin !== '*')
      listed.set(
        origin,
        ofOrigin({
          ...EXPOSED,
          'access-control-allow-origin': origin,
          ...(credentials && { 'access-control-allow-credentials': 'true' }),
        }),
      );
  const others = ofOrigin(isOpen ? { ...EXPOSED, 'access-control-allow-origin': '*' } : {});
  return (request) => {
    const { origin } = request;
    const { personal, shared } = origin === undefined ? others : (listed.get(origin) ?? others);
    return hasCredentials(request) ? personal : shared;
  };
}
