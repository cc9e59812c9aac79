// /console/api/session: who is logged in, logging in and out.
import { stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BegunSession } from '../../console/console-sessions.ts';
import { CONSOLE_API, type ConsoleSession } from '../../console/contract.ts';
import type { Editor } from '../../console/editors.ts';
import { MAX_CONSOLE_SESSION_MS } from '../../limits.ts';
import { CONSOLE_COOKIE, cookieOf } from '../cookies.ts';
import {
  bodyOf,
  type ConsoleContext,
  type ConsoleRoute,
  consoleRoute,
  type OpenConsoleRoute,
  openConsoleRoute,
  requiredText,
} from './console-route.ts';

export function sessionRoutes({ console: { sessions } }: ConsoleContext): (ConsoleRoute | OpenConsoleRoute)[] {
  return [
    consoleRoute('GET', 'session', null, async ({ editor }) => shownSession(editor)),
    openConsoleRoute('POST', 'session', async (call) => {
      const body = bodyOf(call);
      const begun = await sessions.logIn(requiredText(body, 'email'), requiredText(body, 'password'), call.request.ip);
      return startSession(call.reply, begun);
    }),
    openConsoleRoute('DELETE', 'session', async ({ request, reply }) => {
      const token = sessionToken(request);
      if (token !== null) await sessions.end(token);
      setCookie(reply, '', 0);
    }),
  ];
}

export const sessionToken = (request: FastifyRequest): string | null => cookieOf(request, CONSOLE_COOKIE);

/** Gives the browser the token of a session that has begun. */
export function startSession(reply: FastifyReply, { token, editor }: BegunSession): ConsoleSession {
  setCookie(reply, token, MAX_CONSOLE_SESSION_MS / 1000);
  return shownSession(editor);
}

const shownSession = ({ account, rights }: Editor): ConsoleSession => ({ account, ...rights });

/** Never shown to a script, and sent with requests of the console's own pages alone. */
function setCookie(reply: FastifyReply, value: string, maxAge: number): void {
  const cookie = stringifySetCookie({
    name: CONSOLE_COOKIE,
    value,
    path: CONSOLE_API,
    sameSite: 'strict',
    httpOnly: true,
    secure: reply.request.protocol === 'https',
    maxAge,
  });
  reply.header('set-cookie', cookie);
}
