// /api/users-permissions: the roles of users, what they are granted, and everything that can be granted, as Strapi 5
// shows and writes them.
import type { FastifyRequest } from 'fastify';
import { CREATE_ROLE, DELETE_ROLE, FIND_ROLE, FIND_ROLES, LIST_PERMISSIONS, UPDATE_ROLE } from '../access/actions.ts';
import { roleNotFound } from '../accounts/role-writer.ts';
import { NOT_SHARED } from './caching.ts';
import { callerOf } from './register-routes.ts';
import { sendValue, tellIgnored } from './respond.ts';
import { documentIdOf, type Handler, type Route, type RouteContext } from './routes.ts';

type Described = Pick<Route, 'action' | 'describes' | 'handler'>;

export function roleRoutes({ auth }: RouteContext): Route[] {
  const { roles, roleWriter } = auth;
  const route = (method: Route['method'], path: string, described: Described): Route => ({
    method,
    path: `${auth.settings.rest.prefix}/users-permissions${path}`,
    operation: null,
    parameters: [],
    limit: null,
    ...described,
  });
  const shows =
    (read: (request: FastifyRequest) => unknown): Handler =>
    async (request, reply) =>
      sendValue(reply.header('cache-control', NOT_SHARED), await read(request));
  return [
    route('GET', '/roles', {
      action: FIND_ROLES,
      describes: 'roles',
      handler: shows(async () => ({ roles: await roles.shown() })),
    }),
    route('GET', '/roles/:documentId', {
      action: FIND_ROLE,
      describes: 'role',
      handler: shows(async (request) => {
        const role = await roles.shownOne(documentIdOf(request));
        if (!role) throw roleNotFound();
        return { role };
      }),
    }),
    route('GET', '/permissions', {
      action: LIST_PERMISSIONS,
      describes: 'permissions',
      handler: shows(() => ({ permissions: roles.shownActions() })),
    }),
    route('POST', '/roles', {
      action: CREATE_ROLE,
      describes: 'createRole',
      handler: async (request, reply) => {
        tellIgnored(reply, await roleWriter.create(request.body, callerOf(request)));
        return sendValue(reply, { ok: true });
      },
    }),
    route('PUT', '/roles/:documentId', {
      action: UPDATE_ROLE,
      describes: 'updateRole',
      handler: async (request, reply) => {
        tellIgnored(reply, await roleWriter.update(documentIdOf(request), request.body, callerOf(request)));
        return sendValue(reply, { ok: true });
      },
    }),
    route('DELETE', '/roles/:documentId', {
      action: DELETE_ROLE,
      describes: 'deleteRole',
      handler: async (request, reply) => {
        await roleWriter.delete(documentIdOf(request));
        return sendValue(reply, { ok: true });
      },
    }),
  ];
}
