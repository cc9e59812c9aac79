// /api/auth: logging in and out, registering, passwords. Each path has a limit by address.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authAction } from '../access/actions.ts';
import type { Tokens } from '../accounts/sessions.ts';
import { SheafError, unauthorizedError, validationError } from '../errors.ts';
import { cookieOf, sendValue } from './respond.ts';
import { queryOf, route, type Site } from './routes.ts';

const REFRESH_COOKIE = 'strapi_up_refresh';

type Body = Record<string, unknown>;

const bodyOf = ({ body }: FastifyRequest): Body =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Body) : {};

export function addAuthRoutes(site: Site): void {
  const { auth } = site;
  const { accounts, sessions, settings } = auth;
  const perAddress = settings.rateLimits.auth;

  /** The tokens of a session: one for requests in the body, and one to renew it where the project wants it. */
  const withTokens = (reply: FastifyReply, { jwt, refreshToken }: Tokens): Body => {
    if (settings.auth.refreshToken === 'body') return { jwt, refreshToken };
    setCookie(reply, refreshToken, settings.auth.refreshTokenSeconds);
    return { jwt };
  };
  const post = (
    path: string,
    action: string,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ) =>
    route(
      site,
      `/api/auth${path}`,
      {
        POST: {
          action: authAction(action),
          handler: async (request, reply) => sendValue(reply, await handler(request, reply)),
        },
      },
      perAddress,
    );

  post('/local', 'callback', async (request, reply) => {
    const { tokens, user } = await accounts.logIn(bodyOf(request));
    return { ...withTokens(reply, tokens), user };
  });
  post('/local/register', 'register', async (request, reply) => {
    const { tokens, user } = await accounts.register(bodyOf(request));
    return { ...(tokens && withTokens(reply, tokens)), user };
  });
  post('/forgot-password', 'forgotPassword', async (request) => {
    accounts.forgotPassword(bodyOf(request));
    return { ok: true };
  });
  post('/reset-password', 'resetPassword', async (request, reply) => {
    const { tokens, user } = await accounts.resetPassword(bodyOf(request));
    return { ...withTokens(reply, tokens), user };
  });
  post('/change-password', 'changePassword', async (request, reply) => {
    if (!request.caller.account)
      throw new SheafError(400, 'ApplicationError', 'You must be authenticated to reset your password');
    const { tokens, user } = await accounts.changePassword(request.caller.account.id, bodyOf(request));
    return { ...withTokens(reply, tokens), user };
  });
  post('/send-email-confirmation', 'sendEmailConfirmation', async (request) => ({
    email: await accounts.sendConfirmation(bodyOf(request)),
    sent: true,
  }));
  post('/refresh', 'refresh', async (request, reply) => {
    const token = bodyOf(request).refreshToken ?? cookieOf(request, REFRESH_COOKIE);
    if (typeof token !== 'string' || token === '') throw validationError('Missing refresh token');
    const tokens = await sessions.refresh(token);
    if (!tokens) throw unauthorizedError('Invalid refresh token');
    return withTokens(reply, tokens);
  });
  post('/logout', 'logout', async (request, reply) => {
    const { account } = request.caller;
    if (!account) throw unauthorizedError('Missing authentication');
    if (bodyOf(request).scope === 'all' || account.sessionId === null) await sessions.endAll(account.id);
    else await sessions.end(account.id, account.sessionId);
    setCookie(reply, '', 0);
    return { ok: true };
  });
  route(
    site,
    '/api/auth/email-confirmation',
    {
      GET: {
        action: authAction('emailConfirmation'),
        handler: async (request, reply) => reply.redirect(await accounts.confirmEmail(queryOf(request).confirmation)),
      },
    },
    perAddress,
  );
}

/** Sent back to this path alone, and never shown to a script. */
function setCookie(reply: FastifyReply, value: string, seconds: number): void {
  const secure = reply.request.protocol === 'https' ? '; Secure' : '';
  reply.header(
    'set-cookie',
    `${REFRESH_COOKIE}=${value}; Path=/api/auth; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`,
  );
}
