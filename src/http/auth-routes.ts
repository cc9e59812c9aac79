// /api/auth: logging in and out, registering, passwords, sessions. Each path has a limit by address.
import { stringifySetCookie } from 'cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authAction } from '../access/actions.ts';
import type { Account } from '../access/caller.ts';
import type { Tokens } from '../accounts/sessions.ts';
import type { Client } from '../accounts/sign-in.ts';
import { applicationError, SheafError, unauthorizedError, validationError } from '../errors.ts';
import { NOT_SHARED } from './caching.ts';
import { cookieOf, REFRESH_COOKIE_HEADER } from './cookies.ts';
import { isForm } from './form-body.ts';
import { callerOf } from './register-routes.ts';
import { sendValue } from './respond.ts';
import { formsOf, type Handler, pathParameterOf, queryOf, type Route, type RouteContext } from './routes.ts';

type Body = Record<string, unknown>;
type Work = (body: Body, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

const bodyOf = ({ body }: FastifyRequest): Body =>
  typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body } : {};

/** What each action does, as the description of the API calls it. */
const DESCRIBED = {
  callback: 'logIn',
  register: 'register',
  sendEmailConfirmation: 'sendConfirmation',
  refresh: 'refresh',
  logout: 'logOut',
  forgotPassword: 'forgotPassword',
  resetPassword: 'resetPassword',
  changePassword: 'changePassword',
  getSessions: 'sessions',
  revokeSession: 'endSession',
  emailConfirmation: 'confirmEmail',
} as const satisfies Readonly<Record<string, Route['describes']>>;
type AuthAction = keyof typeof DESCRIBED;

export function authRoutes(context: RouteContext): Route[] {
  const { accounts, settings } = context.auth;
  const route = (method: 'GET' | 'POST' | 'DELETE', path: string, action: AuthAction, handler: Handler): Route => ({
    method,
    path: `${pathOf(context)}${path}`,
    action: authAction(action),
    operation: null,
    parameters: action === 'emailConfirmation' ? ['confirmation'] : [],
    describes: DESCRIBED[action],
    limit: settings.rateLimits.auth,
    ...formsOf(method),
    handler,
  });
  const post = (path: string, action: AuthAction, work: Work): Route =>
    route('POST', path, action, async (request, reply) =>
      sendValue(reply, await work(bodyOf(request), request, reply)),
    );
  return [
    ...signInRoutes(context, post),
    ...passwordRoutes(context, post),
    ...sessionRoutes(context, route),
    {
      ...route('GET', '/email-confirmation', 'emailConfirmation', async (request, reply) =>
        reply.redirect(await accounts.confirmEmail(queryOf(request, context))),
      ),
      writes: true,
    },
  ];
}

const pathOf = ({ auth }: RouteContext): string => `${auth.settings.rest.prefix}/auth`;

type Post = (path: string, action: AuthAction, work: Work) => Route;
type MakeRoute = (method: 'GET' | 'DELETE', path: string, action: AuthAction, handler: Handler) => Route;

const clientOf = ({ ip, headers }: FastifyRequest): Client => ({ address: ip, userAgent: headers['user-agent'] });

/** The sessions of the caller: a list, and the end of one of them. */
function sessionRoutes({ auth: { sessions } }: RouteContext, route: MakeRoute): Route[] {
  const accountIn = (request: FastifyRequest): Account =>
    accountOf(request) ?? fail(unauthorizedError('Missing authentication'));
  return [
    route('GET', '/sessions', 'getSessions', async (request, reply) => {
      const { id, sessionId } = accountIn(request);
      return sendValue(reply.header('cache-control', NOT_SHARED), { data: await sessions.list(id, sessionId) });
    }),
    route('DELETE', '/sessions/:sessionId', 'revokeSession', async (request, reply) => {
      const sessionId = pathParameterOf(request, 'sessionId');
      const isEnded = !sessionId.includes('\0') && (await sessions.end(accountIn(request).id, sessionId));
      if (!isEnded) throw new SheafError(404, 'NotFoundError', 'Session not found');
      return sendValue(reply, { data: {} });
    }),
  ];
}

function signInRoutes(context: RouteContext, post: Post): Route[] {
  const { accounts, sessions } = context.auth;
  return [
    post('/local', 'callback', async (body, request, reply) => {
      const { tokens, user } = await accounts.logIn(body, clientOf(request));
      return { ...withTokens(context, reply, tokens), user };
    }),
    post('/local/register', 'register', async (body, request, reply) => {
      const { tokens, user } = await accounts.register(body, {
        access: callerOf(request).access,
        userAgent: request.headers['user-agent'],
      });
      return { ...(tokens && withTokens(context, reply, tokens)), user };
    }),
    post('/send-email-confirmation', 'sendEmailConfirmation', async (body) => ({
      email: await accounts.sendConfirmation(body),
      sent: true,
    })),
    post('/refresh', 'refresh', async (body, request, reply) => {
      const { refreshToken: where, cookie } = context.auth.settings.auth;
      // The page of another site could send a form, and use up the token in its visitor's cookie.
      const isBareForm = isForm(request) && !asksForCookie(request);
      if (isBareForm && where === 'cookie')
        throw validationError(`A form renews a session only with the header ${REFRESH_COOKIE_HEADER}: httpOnly`);
      // As in Strapi 5: a client that has a cookie may have kept a token from before it had one.
      const token = (!isBareForm && cookieOf(request, cookie.name)) || body.refreshToken;
      if (typeof token !== 'string' || token === '') throw validationError('Missing refresh token');
      const tokens = await sessions.refresh(token);
      if (!tokens) throw unauthorizedError('Invalid refresh token');
      return withTokens(context, reply, tokens);
    }),
    post('/logout', 'logout', async (body, request, reply) => {
      const account = accountOf(request) ?? fail(unauthorizedError('Missing authentication'));
      if (body.scope === 'all') await sessions.endAll(account.id);
      else if (typeof body.deviceId === 'string') await sessions.endOnDevice(account.id, body.deviceId);
      else if (account.sessionId === null) await sessions.endAll(account.id);
      else await sessions.end(account.id, account.sessionId);
      setRefreshCookie(context, reply, '', 0);
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
    post('/reset-password', 'resetPassword', async (body, request, reply) => {
      const { tokens, user } = await accounts.resetPassword(body, clientOf(request));
      return { ...withTokens(context, reply, tokens), user };
    }),
    post('/change-password', 'changePassword', async (body, request, reply) => {
      const refusal = applicationError('You must be authenticated to reset your password');
      const account = accountOf(request) ?? fail(refusal);
      const { tokens, user } = await accounts.changePassword(account.id, body, clientOf(request));
      return { ...withTokens(context, reply, tokens), user };
    }),
  ];
}

const accountOf = (request: FastifyRequest): Account | null => callerOf(request).account;

const fail = (error: Error): never => {
  throw error;
};

const asksForCookie = ({ headers }: FastifyRequest): boolean =>
  String(headers[REFRESH_COOKIE_HEADER] ?? '').toLowerCase() === 'httponly';

/**
 * The tokens of a session: one for requests in the body, and one to renew it where the project or the client wants it.
 * A form sets a cookie only where the client asks for it by a header: else the page of another site could log its
 * visitors in as somebody else.
 */
function withTokens(context: RouteContext, reply: FastifyReply, { jwt, refreshToken }: Tokens): Body {
  reply.header('cache-control', NOT_SHARED);
  const { refreshToken: where, refreshTokenSeconds, cookie } = context.auth.settings.auth;
  const isAskedFor = asksForCookie(reply.request);
  if (where === 'body' && !isAskedFor) return { jwt, refreshToken };
  if (isForm(reply.request) && !isAskedFor) return { jwt };
  const { maxAgeSeconds = refreshTokenSeconds } = cookie;
  setRefreshCookie(context, reply, refreshToken, maxAgeSeconds);
  return { jwt };
}

/** Never shown to a script, and sent back to its path alone. `maxAge`: null for until the browser is closed. */
function setRefreshCookie(context: RouteContext, reply: FastifyReply, value: string, maxAge: number | null): void {
  const { name, domain, path, sameSite, secure } = context.auth.settings.auth.cookie;
  const cookie = stringifySetCookie({
    name,
    value,
    path: path ?? pathOf(context),
    sameSite,
    httpOnly: true,
    secure: secure ?? reply.request.protocol === 'https',
    ...(domain !== null && { domain }),
    ...(maxAge !== null && { maxAge }),
  });
  reply.header('set-cookie', cookie);
}
