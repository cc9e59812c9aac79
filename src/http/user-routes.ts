// /api/users: the accounts as content. Bodies and single answers come without an envelope, as clients of this dialect
// expect; what only the server may write is refused by name.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actionOn, COUNT_USERS, mayRead, READ_OWN_ACCOUNT } from '../access/actions.ts';
import { notFoundError, unauthorizedError, validationError } from '../errors.ts';
import { USER } from '../model/builtin.ts';
import { pageJson } from '../operations/documents.ts';
import { isTooLong } from '../passwords.ts';
import { EVERYTHING } from '../request/parse-read.ts';
import { bodyKeyError } from '../request/parse-relation.ts';
import { parseData } from '../request/parse-write.ts';
import { answering } from './content-routes.ts';
import { PREPARED, send, sendValue, tellPosition } from './respond.ts';
import { documentIdOf, queryOf, route, type Site } from './routes.ts';

const SERVER_ONLY = ['resetPasswordToken', 'confirmationToken'];

export function addUserRoutes(site: Site): void {
  const { sheaf, auth } = site;
  const documents = sheaf.documents(USER);
  const { bareList } = auth.settings.users;
  const limit = auth.settings.rateLimits.content ?? undefined;
  const list = answering(site, '/api/users', (query, access) => {
    const prepared = documents.prepareList(query, access, bareList ? EVERYTHING : undefined);
    return {
      timing: prepared.timing,
      run: async (run) => {
        const page = await prepared.run(run);
        return bareList ? `[${page.entries}]` : pageJson(prepared, page);
      },
    };
  });
  const one = answering(site, '/api/users/', (query, access) => documents.prepareOne(query, access, true));
  const me = answering(site, '/api/users/me', (query, access) =>
    documents.prepareOne(query, access, true, READ_OWN_ACCOUNT),
  );
  const type = { uid: USER };
  const { accounts, grants } = auth;

  /** Users are known by documentId, and by the number that clients of this dialect use. */
  const documentOf = async (request: FastifyRequest): Promise<string> => {
    const given = documentIdOf(request);
    if (!/^\d{1,15}$/.test(given)) return given;
    return (await documents.findLatest({ id: Number(given) }))?.documentId ?? given;
  };

  route(
    site,
    '/api/users',
    {
      GET: { action: actionOn(type, 'find'), handler: (request, reply) => list(request, reply, null) },
      POST: {
        action: actionOn(type, 'create'),
        handler: async (request, reply) => {
          const data = userData(request.body);
          if (data.role === undefined) {
            const { default_role } = await accounts.advanced();
            data.role = grants.roles.find((role) => role.type === default_role)?.id;
          }
          data.provider ??= 'local';
          return answer(
            reply.code(201),
            (await documents.createJson(writeOf(request, data, accounts.guard(data)))).text,
          );
        },
      },
    },
    limit,
  );
  route(
    site,
    '/api/users/count',
    {
      GET: {
        action: COUNT_USERS,
        handler: async (request, reply) =>
          sendValue(reply, await documents.countAs(queryOf(request), request.caller, COUNT_USERS)),
      },
    },
    limit,
  );
  route(
    site,
    '/api/users/me',
    {
      GET: {
        action: READ_OWN_ACCOUNT,
        handler: async (request, reply) => {
          if (!request.caller.account) throw unauthorizedError();
          return me(request, reply, request.caller.account.documentId);
        },
      },
    },
    limit,
  );
  route(
    site,
    '/api/users/:documentId',
    {
      GET: {
        action: actionOn(type, 'findOne'),
        handler: async (request, reply) => one(request, reply, await documentOf(request)),
      },
      PUT: {
        action: actionOn(type, 'update'),
        handler: async (request, reply) => {
          const data = userData(request.body);
          const documentId = await documentOf(request);
          const user = await documents.findLatest({ documentId });
          const write = writeOf(request, data, accounts.guard(data, user?.id));
          const entry = await documents.updateJson(documentId, write);
          if (!entry || !user) throw notFoundError();
          if (data.password !== undefined) await accounts.expire(user.id);
          if (data.email !== undefined && data.email !== user.email) await accounts.endCodes(user.id);
          return answer(reply, entry.text);
        },
      },
      DELETE: {
        action: actionOn(type, 'delete'),
        handler: async (request, reply) => {
          const documentId = await documentOf(request);
          const { access, user } = request.caller;
          const stored = await documents.findLatest({ documentId });
          const shown = mayRead(type, access.may) ? queryOf(request) : { fields: 'documentId' };
          const entry = await sheaf.pipeline.latest(documents.prepareOne(shown, access, true, null), {
            documentId,
            user,
          });
          if (entry === null || (await documents.deleteAs(request.caller, documentId, undefined)) === 0)
            throw notFoundError();
          if (stored) await accounts.expire(stored.id);
          return answer(reply, entry);
        },
      },
    },
    limit,
  );

  async function answer(reply: FastifyReply, entry: string): Promise<FastifyReply> {
    await tellPosition(sheaf, reply);
    return send(reply, entry, PREPARED, reply.request.begin);
  }
}

const writeOf = (
  request: FastifyRequest,
  data: Record<string, unknown>,
  guard: ReturnType<Site['auth']['accounts']['guard']>,
) => ({ data, parameters: queryOf(request), caller: request.caller, guard });

/** Users are written without the `data` around them, and their addresses kept in small letters. */
function userData(body: unknown): Record<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw validationError('Missing payload in the request body');
  const data = { ...parseData({ data: body }) };
  for (const key of SERVER_ONLY) if (key in data) throw bodyKeyError(key, []);
  if (typeof data.email === 'string') data.email = data.email.toLowerCase();
  if (typeof data.password === 'string' && isTooLong(data.password))
    throw validationError('Password must be less than 73 bytes');
  return data;
}
