// Cookies of ours, and the header that stands for one of them.
import { parseCookie } from 'cookie';
import type { FastifyRequest } from 'fastify';

/** The replication position of a client's last write, as a browser keeps it, and where other clients bring it back. */
export const POSITION_COOKIE = 'sheaf_position';
export const POSITION_HEADER = 'x-sheaf-position';

/** The session of who works in the console. */
export const CONSOLE_COOKIE = 'sheaf_console';

/** By which a client asks for a cookie where the project puts refresh tokens into the body. */
export const REFRESH_COOKIE_HEADER = 'x-strapi-refresh-cookie';

export function cookieOf(request: FastifyRequest, name: string): string | null {
  const { cookie: header } = request.headers;
  return header === undefined ? null : (parseCookie(header)[name] ?? null);
}
