// Golden cases: a file each, with a request at its head and below it what becomes of it. The head is written by hand;
// the rest is made from it, without a database. For a new case write a file with the head alone and run the test with
// UPDATE_GOLDEN=1.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { authorize } from '../../src/access/authorize.ts';
import { type Caller, systemCaller, type UserValues } from '../../src/access/caller.ts';
import type { ReadName, ReadOperation, WriteName, WriteOperation } from '../../src/access/operation.ts';
import type { Auth } from '../../src/accounts/auth.ts';
import type { Sheaf } from '../../src/app.ts';
import type { Database } from '../../src/db/database.ts';
import { ScopedDatabase } from '../../src/db/scoped-database.ts';
import { printReadPlan } from '../../src/describe/print-read-plan.ts';
import { routeTable } from '../../src/http/route-table.ts';
import { type Method, matchRoute } from '../../src/http/routes.ts';
import { loadModel } from '../../src/model/build.ts';
import { Operations } from '../../src/operations/operations.ts';
import { planWrite } from '../../src/plan/write/plan-write.ts';
import { DEFAULT_SETTINGS } from '../../src/project/settings.ts';
import type { NamedStatement } from '../../src/read/read-strategy.ts';
import { DEFAULT_READ_RULES, FIRST_PAGE } from '../../src/request/parse-read.ts';
import { parseData, parseWrite } from '../../src/request/parse-write.ts';
import { parseQueryString } from '../../src/request/query-string.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import { postgresDialect } from '../../src/sql/dialect-postgres.ts';
import { sqliteDialect } from '../../src/sql/dialect-sqlite.ts';
import type { Binding, BoundValue } from '../../src/sql/statement.ts';
import { GUIDE } from './database.ts';
import { layoutSql } from './layout-sql.ts';
import { printWritePlan } from './print-write-plan.ts';
import { type RoleDescription, userWith } from './rules.ts';

const FOLDER = fileURLToPath(new URL('../golden', import.meta.url));
const DEFAULT_LOCALE = 'en';

/** `read`: plan and SQL. `write`: plan and the statements that were sent. `write-plan`: the plan alone. */
export type CaseKind = 'read' | 'write' | 'write-plan';

export interface GoldenCase {
  readonly file: string;
  readonly title: string;
  /** Everything above the first section that is made. */
  readonly head: string;
  /** The whole file. */
  readonly content: string;
}

const FIRST_SECTION = '\n## Plan\n';

export const casesIn = (kind: CaseKind): readonly GoldenCase[] =>
  readdirSync(path.join(FOLDER, kind))
    .sort()
    .map((name) => {
      const file = path.join(FOLDER, kind, name);
      const content = readFileSync(file, 'utf8');
      const head = content.split(FIRST_SECTION)[0]!.trimEnd();
      return { file, title: `${kind}: ${/^# (.+)$/m.exec(head)![1]}`, head, content };
    });

/** The whole file: its head, the plan, and the SQL of each database. */
export const documentOf = ({ head }: GoldenCase, plan: string, sql: Readonly<Record<string, string>>): string =>
  [
    head,
    `## Plan\n\n\`\`\`text\n${plan}\n\`\`\``,
    ...Object.entries(sql).map(([name, text]) => `## ${name}\n\n\`\`\`sql\n${text}\n\`\`\``),
    '',
  ]
    .join('\n\n')
    .replace(/\n\n$/, '\n');

const fenced = ({ head }: GoldenCase, label: string): string | null =>
  new RegExp(`\`\`\`${label}\n([\\s\\S]*?)\n\`\`\``).exec(head)?.[1] ?? null;

/** Whatever stands for a documentId is left as it is, unless `fill` puts one in its place. */
type Fill = (text: string) => string;
const asItStands: Fill = (text) => text;

const model = loadModel(GUIDE);
/** Routes need a server to answer, not to be listed. */
const ROUTES = routeTable({ model } as Sheaf, { settings: DEFAULT_SETTINGS } as Auth);

function requestOf(one: GoldenCase, fill: Fill) {
  const line = fill(fenced(one, 'http')!.replace(/\n\s+/g, ''));
  const [, method, pathname, query = ''] = /^([A-Z]+) ([^?]+)\??(.*)$/.exec(line)!;
  const found = matchRoute(ROUTES, method as Method, pathname!);
  if (!found?.route.operation) throw new Error(`${one.file}: no route answers ${line}`);
  return { ...found.route.operation, documentId: found.documentId, parameters: parseQueryString(query) };
}

/** The system, unless the case says in whose eyes the request is seen. */
export function callerOf(one: GoldenCase, fill: Fill = asItStands): Caller {
  const access = fenced(one, 'json access');
  if (access === null) return systemCaller(model);
  return userWith(model, JSON.parse(fill(access)) as RoleDescription & { user?: UserValues });
}

export function readOf(one: GoldenCase, fill: Fill = asItStands) {
  const { name, type, documentId, parameters } = requestOf(one, fill);
  const operation: ReadOperation = {
    name: name as ReadName,
    type,
    parameters,
    defaults: { status: 'published', pagination: FIRST_PAGE },
  };
  return { operation, documentId };
}

export function writeOf(one: GoldenCase, fill: Fill = asItStands): WriteOperation {
  const { name, type, documentId, parameters } = requestOf(one, fill);
  const body = fenced(one, 'json body');
  const data = body === null ? {} : parseData(JSON.parse(fill(body)));
  return { name: name as WriteName, type, documentId, data, parameters, defaultStatus: 'published' };
}

const DIALECTS: Readonly<Record<string, Dialect>> = { SQLite: sqliteDialect, PostgreSQL: postgresDialect };

/** Nothing is run, so a dialect is all that is needed of the database. */
const operationsFor = (dialect: Dialect): Operations =>
  new Operations({
    model,
    database: new ScopedDatabase({ dialect } as Database),
    defaultLocale: DEFAULT_LOCALE,
    decimals: new Map(),
    rules: { ...DEFAULT_READ_RULES, strict: true },
    extensions: new Map(),
  });

const OPERATIONS = Object.fromEntries(
  Object.entries(DIALECTS).map(([name, dialect]) => [name, operationsFor(dialect)]),
);

/** The statements of a read, as they would be sent to a database. */
export const statementsOf = (one: GoldenCase, database: string): readonly NamedStatement[] =>
  OPERATIONS[database]!.explain(readOf(one).operation, callerOf(one)).statements;

export function goldenRead(one: GoldenCase): string {
  const caller = callerOf(one);
  const { operation, documentId } = readOf(one);
  const { read, request } = OPERATIONS.SQLite!.explain(operation, caller);
  const { limit, start } = request.pagination;
  const context = { defaultLocale: DEFAULT_LOCALE, documentId, limit, start, user: caller.user };
  const values = request.values.map((value, slot) => `value ${slot}: ${JSON.stringify(value)}`);
  const sql = Object.keys(DIALECTS).map((database) => [
    database,
    statementsOf(one, database)
      .map(({ title, statement }) => {
        const { sql: text, bindings } = statement.statement;
        const bound = statement.values(context);
        const binds = bindings.map((binding, index) => bindingText(binding, bound[index]!)).join(', ');
        return `-- ${title}\n${binds && `-- binds ${binds}\n`}${layoutSql(text)}`;
      })
      .join('\n\n'),
  ]);
  return documentOf(one, [printReadPlan(read.plan), ...values].join('\n'), Object.fromEntries(sql));
}

/** The value, and where it comes from if not from the client. */
function bindingText(binding: Binding, value: BoundValue): string {
  const text = typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  if (binding.from === 'context') return binding.name === 'ids' ? 'ids' : `${binding.name} ${text}`;
  if (binding.from !== 'value' || !binding.ref.given) return text;
  return 'user' in binding.ref.given ? `$user.${binding.ref.given.user} ${text}` : `rule ${text}`;
}

export function writePlanOf(one: GoldenCase): string {
  const operation = writeOf(one);
  const target = parseWrite(operation, DEFAULT_LOCALE, operation.name !== 'delete');
  return printWritePlan(planWrite({ model, decimals: new Map() }, authorize(operation, callerOf(one)), target));
}
