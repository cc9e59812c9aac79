// `sheaf explain`: the plan of a request, what it costs, its statements, and what the database says of each.
import { type Caller, systemCaller } from '../access/caller.ts';
import { open, type Sheaf } from '../app.ts';
import { SetupError } from '../errors.ts';
import { readDefaults } from '../http/content-routes.ts';
import { routeTable } from '../http/route-table.ts';
import { matchRoute, type Route } from '../http/routes.ts';
import type { Cost } from '../plan/read/cost.ts';
import type { ReadPlan } from '../plan/read/nodes.ts';
import { openOptions, type ServerConfig } from '../project/environment.ts';
import { admitQuery } from '../request/admit-query.ts';
import { parseQueryString } from '../request/query-string.ts';
import { missingIndexes, usedIndexes } from './explain-indexes.ts';
import { node, printReadPlan, type Tree, textOf } from './print-read-plan.ts';

export interface ExplainOptions {
  /** In whose eyes; null for the system, which may do everything. */
  readonly role: string | null;
  /** As JSON, instead of in words. */
  readonly json: boolean;
}

export async function explain(config: ServerConfig, target: string, options: ExplainOptions): Promise<string> {
  const sheaf = await open({ ...openOptions(config), readOnly: true });
  try {
    const explained = await describeRequest(sheaf, target, options.role);
    return options.json ? `${JSON.stringify(explained, null, 2)}\n` : printExplained(explained);
  } finally {
    await sheaf.close();
  }
}

/** Someone with a role; the system where none is named. */
export async function callerFor(sheaf: Sheaf, role: string | null): Promise<Caller> {
  if (role === null) return systemCaller(sheaf.model);
  const { roles, grants } = await sheaf.auth();
  const { access } = grants.role((await roles.find(role)).id)!;
  return { kind: 'user', access, user: null, account: null, knownBy: null };
}

type ReadRoute = Route & { readonly operation: { readonly name: 'find' | 'findOne' | 'aggregate' } };

const EXPLAINED: ReadonlySet<string> = new Set(['find', 'findOne', 'aggregate']);

const isRead = (route: Route): route is ReadRoute => route.operation !== null && EXPLAINED.has(route.operation.name);

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

export async function describeRequest(sheaf: Sheaf, target: string, role: string | null = null): Promise<Explained> {
  const caller = await callerFor(sheaf, role);
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
  if (action !== null && !caller.access.may(action))
    throw new SetupError(`${role} may not do that`, [reasonOf(sheaf, role, action)]);
  const { operations, database, model } = sheaf;
  const { rest, limits } = sheaf.settings;
  const { parameters } = admitQuery(parseQueryString(query, limits), {
    meaningless: [],
    strict: rest.strictParams,
    known: found.route.parameters,
  });
  const { read, request, statements } = operations.explain(
    { ...operation, parameters, defaults: readDefaults(sheaf.settings, operation.type, operation.name) },
    caller,
  );
  const { limit, start } = request.pagination;
  const values = { defaultLocale: operations.defaultLocale, documentId: found.documentId, ids: '[]', limit, start };
  const explained: ExplainedStatement[] = [];
  for (const [index, { title, statement }] of statements.entries()) {
    const queryPlan = await database.explain(statement.statement, statement.values(values));
    const indexes = usedIndexes(queryPlan);
    // The first statement is the one that filters and sorts.
    const missing = index === 0 ? missingIndexes(model, read.plan, indexes) : [];
    explained.push({ title, sql: statement.statement.sql, queryPlan, indexes, missing });
  }
  return {
    request: `${pathname}${query && `?${query}`}`,
    plan: read.plan,
    cost: operations.lanes.costOf(read, limit),
    isHeavy: operations.lanes.laneOf(read).isHeavy(limit),
    statements: explained,
  };
}

function reasonOf({ withheld }: Sheaf, role: string | null, action: string): string {
  const reason = withheld.reason(action);
  return reason === null
    ? `grant it: sheaf role grant ${role} ${action}`
    : `nobody has ${action}: withheld because of the project's ${reason}; servedWithout in config/sheaf.json opens it`;
}

/** The same in words. */
export const explainRequest = async (sheaf: Sheaf, target: string, role: string | null = null): Promise<string> =>
  printExplained(await describeRequest(sheaf, target, role));

function printExplained({ request, plan, cost, isHeavy, statements }: Explained): string {
  const parts = [
    `Request\n${request}`,
    `Plan\n${printReadPlan(plan)}`,
    `Cost, in rows that the database touches, as estimated\n${textOf([costTree(cost)])}\n${isHeavy ? HEAVY : SMALL}`,
  ];
  for (const { title, sql, queryPlan, indexes, missing } of statements)
    parts.push(
      `SQL: ${title}\n${sql}`,
      [
        `Query plan: ${title}`,
        ...queryPlan.map((step) => `  ${step}`),
        `Indexes: ${indexes.length > 0 ? indexes.join(', ') : 'none'}`,
        ...missing,
      ].join('\n'),
    );
  return `${parts.join('\n\n')}\n`;
}

const HEAVY = 'It may take long: it waits for its turn among few, and has a deadline.';
const SMALL = 'It is small, and runs at once.';

const costTree = ({ title, rows, parts }: Cost): Tree =>
  node(`${rows.toLocaleString('en')}  ${title}`, parts.map(costTree));

const splitTarget = (target: string): [string, string?] => {
  const mark = target.indexOf('?');
  return mark < 0 ? [target] : [target.slice(0, mark), target.slice(mark + 1)];
};
