// How a request would be answered: its plan, what it costs, its statements, and what the database says of each. For
// `sheaf explain`, and for the console, which has the statements run as well.
import { type Account, type Caller, systemCaller } from '../access/caller.ts';
import type { ReadOperation } from '../access/operation.ts';
import type { Sheaf } from '../app.ts';
import { missingIndexes, usedIndexes } from '../describe/explain-indexes.ts';
import { SetupError } from '../errors.ts';
import { ROLE } from '../model/builtin.ts';
import type { StatementRun } from '../operations/measure-read.ts';
import type { Cost } from '../plan/read/cost.ts';
import type { ReadPlan } from '../plan/read/nodes.ts';
import { parseQueryString } from '../request/query-string.ts';
import { readDefaults } from './content-routes.ts';
import { routeTable } from './route-table.ts';
import { admitRead, matchRoute, type Route } from './routes.ts';

/** How a request would be answered. */
export interface Explained {
  readonly request: string;
  readonly plan: ReadPlan;
  readonly cost: Cost;
  /** Whether it would wait for its turn among the reads that may take long. */
  readonly isHeavy: boolean;
  readonly statements: readonly ExplainedStatement[];
}

export interface ExplainedStatement {
  readonly title: string;
  readonly sql: string;
  /** The database's own account, a line each. */
  readonly queryPlan: readonly string[];
  readonly indexes: readonly string[];
  /** Declarations that would help. */
  readonly missing: readonly string[];
}

/** An `ExplainedStatement` with what it did when it was run; null where it was not. */
export interface MeasuredStatement extends ExplainedStatement {
  readonly run: StatementRun | null;
}

/** Someone with a role; the system where none is named. */
export async function callerFor(sheaf: Sheaf, role: string | null): Promise<Caller> {
  if (role === null) return systemCaller(sheaf.model);
  const { roles, grants } = await sheaf.auth();
  const { access } = grants.role((await roles.find(role)).id)!;
  return { kind: 'user', access, user: null, account: null, knownBy: null };
}

/** Routes of users show roles to whoever may find them. The system by itself works on content alone. */
const whoFindsRoles = ({ access, ...caller }: Caller): Caller => ({
  ...caller,
  access: { ...access, key: 'explained', mayFind: (uid) => uid === ROLE || access.mayFind(uid) },
});

type ReadRoute = Route & { readonly operation: { readonly name: 'find' | 'findOne' | 'aggregate' | 'me' } };

const EXPLAINED: ReadonlySet<string> = new Set(['find', 'findOne', 'aggregate', 'me']);

const isRead = (route: Route): route is ReadRoute => route.operation !== null && EXPLAINED.has(route.operation.name);

/** A request that can be explained. */
interface AskedRead {
  readonly request: string;
  readonly operation: ReadOperation;
  readonly caller: Caller;
  readonly documentId: string | null;
  readonly action: string | null;
}

/** Whose account is read where a role asks for its own: that of nobody. */
const NOBODY: Account = { id: 0, documentId: '', role: null, sessionId: null };

const withAccount = (caller: Caller): Caller => ({ ...caller, account: caller.account ?? NOBODY });

async function readAsked(sheaf: Sheaf, target: string, asking: Caller): Promise<AskedRead> {
  const [pathname, query = ''] = splitTarget(target);
  const found = matchRoute(routeTable(sheaf, await sheaf.auth()), 'GET', pathname);
  if (found?.route.source !== undefined)
    throw new SetupError(`${found.route.source} of the project answers ${pathname}`, [
      'what its code reads cannot be explained; name a path of the core',
    ]);
  if (!found || !isRead(found.route))
    throw new SetupError(`No route answers ${pathname}`, [
      `expected a path such as ${sheaf.settings.rest.prefix}/restaurants?filters[name]=Alba`,
    ]);
  const { operation, action } = found.route;
  const caller = operation.name === 'me' ? withAccount(asking) : asking;
  const { parameters } = admitRead(parseQueryString(query, sheaf.settings.limits), sheaf, found.route, caller);
  const defaults = readDefaults(sheaf.settings, operation.type, operation.name);
  return {
    request: `${pathname}${query && `?${query}`}`,
    operation: { ...operation, parameters, defaults },
    caller,
    documentId: operation.name === 'me' ? caller.account!.documentId : found.documentId,
    action,
  };
}

/** `role`: the one whose rights the caller has, for messages. */
export async function describeRequest(sheaf: Sheaf, target: string, role: string | null = null): Promise<Explained> {
  const asking = await callerFor(sheaf, role);
  const asked = await readAsked(sheaf, target, role === null ? whoFindsRoles(asking) : asking);
  const { action, caller } = asked;
  if (action !== null && !caller.access.may(action))
    throw new SetupError(`${role} may not do that`, [reasonOf(sheaf, role, action)]);
  return describeAsked(sheaf, asked);
}

/** The same for any caller, with its statements run once. */
export async function measureRequest(
  sheaf: Sheaf,
  target: string,
  asking: Caller,
): Promise<Omit<Explained, 'statements'> & { readonly statements: readonly MeasuredStatement[] }> {
  const asked = await readAsked(sheaf, target, asking);
  const explained = await describeAsked(sheaf, asked);
  const { operation, documentId, caller } = asked;
  const runs = [...((await sheaf.operations.measure(operation, { caller, documentId })) ?? [])];
  const statements = explained.statements.map((statement): MeasuredStatement => {
    const at = runs.findIndex(({ sql }) => sql === statement.sql);
    return { ...statement, run: at < 0 ? null : runs.splice(at, 1)[0]! };
  });
  return { ...explained, statements };
}

async function describeAsked(
  { operations, database, model }: Sheaf,
  { request: target, operation, documentId, caller }: AskedRead,
): Promise<Explained> {
  const { read, request, lane, statements } = operations.explain(operation, caller);
  const { limit, start } = request.pagination;
  const { defaultLocale } = operations;
  const values = { defaultLocale, documentId, ids: '[]', limit, start, user: caller.user };
  const explained: ExplainedStatement[] = [];
  for (const [index, { title, statement }] of statements.entries()) {
    const queryPlan = await database.explain(statement.statement, statement.values(values));
    const indexes = usedIndexes(queryPlan);
    // The first statement is the one that filters and sorts.
    const missing = index === 0 ? missingIndexes(model, read.plan, indexes) : [];
    explained.push({ title, sql: statement.statement.sql, queryPlan, indexes, missing });
  }
  const { texts: _texts, ...cost } = operations.lanes.costOf(read, limit);
  return {
    request: target,
    plan: read.plan,
    cost,
    isHeavy: lane.isHeavy(limit, request.values),
    statements: explained,
  };
}

function reasonOf({ withheld }: Sheaf, role: string | null, action: string): string {
  const reason = withheld.reason(action);
  return reason === null
    ? `grant it: sheaf role grant ${role} ${action}`
    : `nobody has ${action}: withheld because of the project's ${reason}; servedWithout in config/sheaf.json opens it`;
}

const splitTarget = (target: string): [string, string?] => {
  const mark = target.indexOf('?');
  return mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)];
};
