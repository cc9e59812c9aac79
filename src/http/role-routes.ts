// /api/users-permissions/roles: the roles of users, as Strapi 5 shows them. They are changed on the command line.
import { FIND_ROLE, FIND_ROLES } from '../access/actions.ts';
import { notFoundError } from '../errors.ts';
import { NOT_SHARED } from './caching.ts';
import { sendValue } from './respond.ts';
import { documentIdOf, type Handler, type Route, type RouteContext } from './routes.ts';

export function roleRoutes({ auth }: RouteContext): Route[] {
  const route = (path: string, action: string, describes: 'roles' | 'role', handler: Handler): Route => ({
    method: 'GET',
    path: `${auth.settings.rest.prefix}/users-permissions/roles${path}`,
    action,
    operation: null,
    parameters: [],
    describes,
    limit: null,
    handler,
  });
  return [
    route('', FIND_ROLES, 'roles', async (_request, reply) =>
      sendValue(reply.header('cache-control', NOT_SHARED), { roles: await auth.roles.shown() }),
    ),
    route('/:documentId', FIND_ROLE, 'role', async (request, reply) => {
      const role = await auth.roles.shownOne(documentIdOf(request));
      if (!role) throw notFoundError();
      return sendValue(reply.header('cache-control', NOT_SHARED), { role });
    }),
  ];
}
