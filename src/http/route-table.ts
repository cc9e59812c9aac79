// Every route of a project, in one table.
import type { Auth } from '../accounts/auth.ts';
import type { Sheaf } from '../app.ts';
import type { StrapiCode } from '../compat/strapi/strapi-code.ts';
import { MAX_CACHED_REQUEST_BYTES } from '../limits.ts';
import { Lru } from '../lru.ts';
import { isContent } from '../model/builtin.ts';
import { authRoutes } from './auth-routes.ts';
import { withCodeRoutes } from './code-routes.ts';
import { contentRoutes, localeRoutes } from './content-routes.ts';
import { CostLimit } from './cost-limit.ts';
import { docsRoutes } from './docs-routes.ts';
import { fileRoutes } from './file-routes.ts';
import { openApiRoutes } from './openapi-routes.ts';
import { withProjectRoutes } from './project-routes.ts';
import { queryRoutes } from './query-routes.ts';
import { sendNothing, sendValue } from './respond.ts';
import { roleRoutes } from './role-routes.ts';
import type { Handler, Route, RouteContext } from './routes.ts';
import { schemaRoutes } from './schema-routes.ts';
import { uploadRoutes } from './upload-files.ts';
import { userRoutes } from './user-routes.ts';

interface RouteTableOptions {
  /** Keeps requests as they were prepared. */
  readonly requests?: RouteContext['requests'];
  /** Whether there is a page that shows the API. */
  readonly docs?: boolean;
  /** The code of a Strapi project that runs. */
  readonly code?: StrapiCode | null;
}

export function routeContext(sheaf: Sheaf, auth: Auth, requests: RouteContext['requests']): RouteContext {
  const { cost } = auth.settings.rateLimits;
  return { sheaf, auth, requests, costs: cost && new CostLimit(cost) };
}

export function routeTable(sheaf: Sheaf, auth: Auth, options: RouteTableOptions = {}): readonly Route[] {
  const { requests = new Lru(MAX_CACHED_REQUEST_BYTES), code = null } = options;
  const context = routeContext(sheaf, auth, requests);
  let routes: readonly Route[] = [];
  const core: Route[] = [
    ...serverRoutes(context),
    ...openApiRoutes(context, () => routes),
    ...(options.docs ? docsRoutes(context) : []),
    ...localeRoutes(context),
    ...authRoutes(context),
    ...userRoutes(context),
    ...roleRoutes(context),
    ...schemaRoutes(context),
    ...fileRoutes(context),
    ...uploadRoutes(context),
    ...typeRoutes(context),
  ];
  const table = code ? withCodeRoutes(context, code, core) : core;
  routes = sheaf.extension ? withProjectRoutes(context, sheaf.extension, table) : table;
  return routes;
}

const typeRoutes = (context: RouteContext): Route[] =>
  [...context.sheaf.model.contentTypes.values()]
    .filter(isContent)
    .flatMap((type) => [...contentRoutes(context, type), ...queryRoutes(context, type)]);

/** The routes of the core that work on content, users and files. */
export const documentRoutes = (context: RouteContext): readonly Route[] => [
  ...localeRoutes(context),
  ...userRoutes(context),
  ...fileRoutes(context),
  ...typeRoutes(context),
];

function serverRoutes({ sheaf }: RouteContext): Route[] {
  const open = (path: string, describes: 'health' | 'ready', handler: Handler): Route => ({
    method: 'GET',
    path,
    action: null,
    operation: null,
    parameters: [],
    describes,
    limit: null,
    handler,
  });
  return [
    { ...open('/_health', 'health', async (_request, reply) => sendNothing(reply)), takesAnyMethod: true },
    open('/_ready', 'ready', async (_request, reply) =>
      sendValue(reply, { status: 'ready', ...(await sheaf.check()) }),
    ),
  ];
}
