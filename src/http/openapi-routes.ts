// GET /api/openapi.json: what the caller may do. Made when it is first asked for with some rights, and kept for them.
import type { Access } from '../access/access.ts';
import type { Sheaf } from '../app.ts';
import type { DescribedProject } from '../describe/description.ts';
import { MAX_CACHED_DESCRIPTION_LENGTH } from '../limits.ts';
import { Lru } from '../lru.ts';
import { CACHED_TIMING } from '../operations/timing.ts';
import { entityTag, namesTag } from './caching.ts';
import { send, sendNothing } from './respond.ts';
import { isRead, type Route, type RouteContext } from './routes.ts';

/** Kept by the client alone, which asks each time whether it is still the same. */
const ASK_AGAIN = 'private, no-cache';

interface KeptDocument {
  readonly text: string;
  readonly tag: string;
}

/** `routes`: all of the table, once it is complete. */
export function openApiRoutes(context: RouteContext, routes: () => readonly Route[]): Route[] {
  const { sheaf, auth } = context;
  if (!auth.settings.openapi.document) return [];
  const kept = new Lru<string, KeptDocument>(MAX_CACHED_DESCRIPTION_LENGTH);
  const documentFor = async (access: Access): Promise<KeptDocument> => {
    const roles = auth.grants.roles.filter(({ type }) => type !== 'public').map((role) => role.access);
    const key = [access, ...roles].map((one) => one.key).join();
    const known = kept.get(key);
    if (known) return known;
    const text = await describeApi(sheaf, routes(), { access, roles });
    const made = { text, tag: entityTag(text) };
    kept.set(key, made, text.length);
    return made;
  };
  return [
    {
      method: 'GET',
      path: `${auth.settings.rest.prefix}/openapi.json`,
      // Everyone has some rights, if only that of the public to log in.
      action: null,
      operation: null,
      parameters: [],
      describes: 'openapi',
      limit: null,
      handler: async (request, reply) => {
        const { access } = await auth.authenticator.identify(request.headers.authorization);
        const { text, tag } = await documentFor(access);
        reply.header('etag', tag).header('cache-control', ASK_AGAIN);
        const { 'if-none-match': asked } = request.headers;
        if (asked !== undefined && namesTag(asked, tag)) return sendNothing(reply, 304);
        return send(reply, text, { timing: CACHED_TIMING, begin: request.begin });
      },
    },
  ];
}

/** The document as text. What makes it is loaded only when it is asked for. */
export async function describeApi(
  { model, settings, database }: Sheaf,
  routes: readonly Route[],
  caller: Pick<DescribedProject, 'access' | 'roles'>,
): Promise<string> {
  const { openApiDocument } = await import('../describe/openapi.ts');
  const served = database.isReadOnly ? routes.filter(isRead) : routes;
  return JSON.stringify(openApiDocument({ model, settings, routes: served, ...caller }));
}
