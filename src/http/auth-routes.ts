// /api/auth: logging in and out, registering, passwords. Each path has a limit by address.
import { stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authAction } from '../access/actions.ts';
import type { Account } from '../access/caller.ts';
import type { Tokens } from '../accounts/sessions.ts';
import { applicationError, unauthorizedError, validationError } from '../errors.ts';
import { NOT_SHARED } from './caching.ts';
import { cookieOf, REFRESH_COOKIE } from './cookies.ts';
import { callerOf } from './register-routes.ts';
import { sendValue } from './respond.ts';
import { type Handler, queryOf, type Route, type RouteContext } from './routes.ts';

type Body = Record<string, unknown>;
type Work = (body: Body, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

const bodyOf = ({ body }: FastifyRequest): Body =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {};

export function authRoutes(context: RouteContext): Route[] {
  const { accounts, settings } = context.auth;
  const route = (method: 'GET' | 'POST', path: string, action: string, handler: Handler): Route => ({
    method,
    path: `${pathOf(context)}${path}`,
    action: authAction(action),
    operation: null,
    parameters: method === 'GET' ? ['confirmation'] : [],
    limit: settings.rateLimits.auth,
    handler,
  });
  const post = (path: string, action: string, work: Work): Route =>
    route('POST', path, action, async (request, reply) =>
      sendValue(reply, await work(bodyOf(request), request, reply)),
    );
  return [
    ...signInRoutes(context, post),
    ...passwordRoutes(context, post),
    {
      ...route('GET', '/email-confirmation', 'emailConfirmation', async (request, reply) =>
        reply.redirect(await accounts.confirmEmail(queryOf(request, context).confirmation)),
      ),
      writes: true,
    },
  ];
}

const pathOf = ({ auth }: RouteContext): string => `${auth.settings.rest.prefix}/auth`;

type Post = (path: string, action: string, work: Work) => Route;

function signInRoutes(context: RouteContext, post: Post): Route[] {
  const { accounts, sessions } = context.auth;
  return [
    post('/local', 'callback', async (body, request, reply) => {
      const { tokens, user } = await accounts.logIn(body, request.ip);
      return { ...withTokens(context, reply, tokens), user };
    }),
    post('/local/register', 'register', async (body, _request, reply) => {
      const { tokens, user } = await accounts.register(body);
      return { ...(tokens && withTokens(context, reply, tokens)), user };
    }),
    post('/send-email-confirmation', 'sendEmailConfirmation', async (body) => ({
      email: await accounts.sendConfirmation(body),
      sent: true,
    })),
    post('/refresh', 'refresh', async (body, request, reply) => {
      const token = body.refreshToken ?? cookieOf(request, REFRESH_COOKIE);
      if (typeof token !== 'string' || token === '') throw validationError('Missing refresh token');
      const tokens = await sessions.refresh(token);
      if (!tokens) throw unauthorizedError('Invalid refresh token');
      return withTokens(context, reply, tokens);
    }),
    post('/logout', 'logout', async (body, request, reply) => {
      const account = accountOf(request) ?? fail(unauthorizedError('Missing authentication'));
      if (body.scope === 'all' || account.sessionId === null) await sessions.endAll(account.id);
      else await sessions.end(account.id, account.sessionId);
      setRefreshCookie(reply, pathOf(context), '', 0);
      return { ok: true };
    }),
  ];
}

function passwordRoutes(context: RouteContext, post: Post): Route[] {
  const { accounts } = context.auth;
  return [
    post('/forgot-password', 'forgotPassword', async (body) => {
      accounts.forgotPassword(body);
      return { ok: true };
    }),
    post('/reset-password', 'resetPassword', async (body, _request, reply) => {
      const { tokens, user } = await accounts.resetPassword(body);
      return { ...withTokens(context, reply, tokens), user };
    }),
    post('/change-password', 'changePassword', async (body, request, reply) => {
      const refusal = applicationError('You must be authenticated to reset your password');
      const account = accountOf(request) ?? fail(refusal);
      const { tokens, user } = await accounts.changePassword(account.id, body, request.ip);
      return { ...withTokens(context, reply, tokens), user };
    }),
  ];
}

const accountOf = (request: FastifyRequest): Account | null => callerOf(request).account;

const fail = (error: Error): never => {
  throw error;
};

/** The tokens of a session: one for requests in the body, and one to renew it where the project wants it. */
function withTokens(context: RouteContext, reply: FastifyReply, { jwt, refreshToken }: Tokens): Body {
  reply.header('cache-control', NOT_SHARED);
  const { refreshToken: where, refreshTokenSeconds } = context.auth.settings.auth;
  if (where === 'body') return { jwt, refreshToken };
  setRefreshCookie(reply, pathOf(context), refreshToken, refreshTokenSeconds);
  return { jwt };
}

/** Sent back to this path alone, and never shown to a script. */
function setRefreshCookie(reply: FastifyReply, path: string, value: string, maxAge: number): void {
  const secure = reply.request.protocol === 'https';
  const scope = { path, maxAge, httpOnly: true, sameSite: 'lax', secure } as const;
  reply.header('set-cookie', stringifySetCookie({ name: REFRESH_COOKIE, value, ...scope }));
}
