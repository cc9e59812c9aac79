// Cookies of ours, and the header that stands for one of them.
import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

/** The refresh token of a session, where it is kept in a cookie. */
export const REFRESH_COOKIE = 'strapi_up_refresh';
/** The replication position of a client's last write, as a browser keeps it, and where other clients bring it back. */
export const POSITION_COOKIE = 'sheaf_position';
export const POSITION_HEADER = 'x-sheaf-position';

export function cookieOf(request: FastifyRequest, name: string): string | null {
  const { cookie: header } = request.headers;
  return header === undefined ? null : (parseCookie(header)[name] ?? null);
}
