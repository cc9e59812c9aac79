// `sheaf explain`: the plan of a request, its statements, and what the database says of each.
import { type Caller, systemCaller } from '../access/caller.ts';
import { open, type Sheaf } from '../app.ts';
import { SetupError } from '../errors.ts';
import { routeTable } from '../http/route-table.ts';
import { matchRoute, type Route } from '../http/routes.ts';
import { openOptions, type ServerConfig } from '../project/environment.ts';
import { FIRST_PAGE } from '../request/parse-read.ts';
import { parseQueryString } from '../request/query-string.ts';
import { missingIndexes, usedIndexes } from './explain-indexes.ts';

/** `role`: in whose eyes; null for the system, which may do everything. */
export async function explain(config: ServerConfig, target: string, role: string | null): Promise<string> {
  const sheaf = await open(openOptions(config));
  try {
    return await explainRequest(sheaf, target, role);
  } finally {
    await sheaf.close();
  }
}

async function callerFor(sheaf: Sheaf, role: string | null): Promise<Caller> {
  if (role === null) return systemCaller(sheaf.model);
  const { roles, grants } = await sheaf.auth();
  const { access } = grants.role((await roles.find(role)).id)!;
  return { kind: 'user', access, user: null, account: null, knownBy: null };
}

type ReadRoute = Route & { readonly operation: { readonly name: 'find' | 'findOne' } };

const isRead = (route: Route): route is ReadRoute =>
  route.operation !== null && (route.operation.name === 'find' || route.operation.name === 'findOne');

export async function explainRequest(sheaf: Sheaf, target: string, role: string | null = null): Promise<string> {
  const caller = await callerFor(sheaf, role);
  const [pathname, query = ''] = splitTarget(target);
  const found = matchRoute(routeTable(sheaf, await sheaf.auth()), 'GET', pathname);
  if (!found || !isRead(found.route))
    throw new SetupError(`No route answers ${pathname}`, [
      'expected a path such as /api/restaurants?filters[name]=Alba',
    ]);
  const { operation, action } = found.route;
  if (action !== null && !caller.access.may(action))
    throw new SetupError(`${role} may not do that`, [`grant it: sheaf role grant ${role} ${action}`]);
  const { read, request, statements } = sheaf.operations.explain(
    { ...operation, parameters: parseQueryString(query), defaults: { status: 'published', pagination: FIRST_PAGE } },
    caller,
  );
  const { limit, start } = request.pagination;
  const { defaultLocale } = sheaf.operations;
  const values = { defaultLocale, documentId: found.documentId, ids: '[]', limit, start };
  const parts = [`Request\n${pathname}${query && `?${query}`}`, `Plan\n${JSON.stringify(read.plan, null, 2)}`];
  for (const [index, { title, statement }] of statements.entries()) {
    const steps = await sheaf.database.explain(statement.statement, statement.values(values));
    const used = usedIndexes(steps);
    const served = `Indexes: ${used.length > 0 ? used.join(', ') : 'none'}`;
    // The first statement is the one that filters and sorts.
    const missing = index === 0 ? missingIndexes(sheaf.model, read.plan, used) : [];
    parts.push(
      `SQL: ${title}\n${statement.statement.sql}`,
      [`Query plan: ${title}`, ...steps.map((step) => `  ${step}`), served, ...missing].join('\n'),
    );
  }
  return `${parts.join('\n\n')}\n`;
}

const splitTarget = (target: string): [string, string?] => {
  const mark = target.indexOf('?');
  return mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)];
};
