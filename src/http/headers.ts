// Headers that every answer has: what keeps browsers from making more of it than it is, and which origins may read it.
// They are put together once, not for each answer: the plugins of the framework that work them out anew took a twentieth
// of the time of a list.
import type { Settings } from '../project/settings.ts';

export type Headers = Readonly<Record<string, string>>;

/** Where a client finds, and brings back, the replication position of its last write. */
export const POSITION_HEADER = 'x-sheaf-position';

const PREFLIGHT_SECONDS = 7_200;

/** Nothing that is served here is a page. */
export const SECURITY: Headers = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
};
const EXPOSED: Headers = {
  'access-control-expose-headers': `${POSITION_HEADER}, retry-after, server-timing, x-request-id`,
};

export const PREFLIGHT: Headers = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
  'access-control-allow-headers': `content-type, authorization, accept, origin, x-request-id, ${POSITION_HEADER}`,
  'access-control-max-age': String(PREFLIGHT_SECONDS),
};

export type HeadersFor = (origin: string | undefined) => Headers;

/** An origin gets credentials only if it is listed by name; the others at most learn that anyone may call. */
export function headersByOrigin({ origins, credentials }: Settings['cors']): HeadersFor {
  const isOpen = origins.includes('*');
  const listed = new Map<string, Headers>();
  for (const origin of origins)
    if (origin !== '*')
      listed.set(origin, {
        ...SECURITY,
        ...EXPOSED,
        vary: 'Origin',
        'access-control-allow-origin': origin,
        ...(credentials && { 'access-control-allow-credentials': 'true' }),
      });
  const others: Headers = {
    ...SECURITY,
    ...(listed.size > 0 && { vary: 'Origin' }),
    ...(isOpen && { ...EXPOSED, 'access-control-allow-origin': '*' }),
  };
  return (origin) => (origin === undefined ? others : (listed.get(origin) ?? others));
}
