// Every route of a project, in one table.
import type { Auth } from '../accounts/auth.ts';
import type { Sheaf } from '../app.ts';
import { MAX_CACHED_REQUEST_BYTES } from '../limits.ts';
import { Lru } from '../lru.ts';
import { USER } from '../model/builtin.ts';
import { authRoutes } from './auth-routes.ts';
import { contentRoutes, localeRoutes } from './content-routes.ts';
import { CostLimit } from './cost-limit.ts';
import { fileRoutes } from './file-routes.ts';
import { withProjectRoutes } from './project-routes.ts';
import { queryRoutes } from './query-routes.ts';
import { sendNothing, sendValue } from './respond.ts';
import { roleRoutes } from './role-routes.ts';
import type { Handler, Route, RouteContext } from './routes.ts';
import { uploadRoutes } from './upload-files.ts';
import { userRoutes } from './user-routes.ts';

/** `requests`: keeps requests as they were prepared. */
export function routeTable(
  sheaf: Sheaf,
  auth: Auth,
  requests: RouteContext['requests'] = new Lru(MAX_CACHED_REQUEST_BYTES),
): readonly Route[] {
  const { cost } = auth.settings.rateLimits;
  const context: RouteContext = {
    sheaf,
    auth,
    requests,
    costs: cost && new CostLimit(cost),
  };
  const types = [...sheaf.model.contentTypes.values()].filter(
    ({ exposure, uid }) => exposure === 'routes' && uid !== USER,
  );
  const core = [
    ...serverRoutes(context),
    ...localeRoutes(context),
    ...authRoutes(context),
    ...userRoutes(context),
    ...roleRoutes(context),
    ...fileRoutes(context),
    ...uploadRoutes(context),
    ...types.flatMap((type) => [...contentRoutes(context, type), ...queryRoutes(context, type)]),
  ];
  return sheaf.extension ? withProjectRoutes(context, sheaf.extension, core) : core;
}

function serverRoutes({ sheaf }: RouteContext): Route[] {
  const open = (path: string, handler: Handler): Route => ({
    method: 'GET',
    path,
    action: null,
    operation: null,
    parameters: [],
    limit: null,
    handler,
  });
  return [
    open('/_health', async (_request, reply) => sendNothing(reply)),
    open('/_ready', async (_request, reply) => sendValue(reply, { status: 'ready', ...(await sheaf.check()) })),
  ];
}
