// `sheaf routes`, `sheaf hooks …` and `sheaf tasks list`: what answers requests, and what the code of a project does beside them.
import type { Sheaf } from '../app.ts';
import type { StrapiCode } from '../compat/strapi/strapi-code.ts';
import { SetupError } from '../errors.ts';
import { routeTable } from '../http/route-table.ts';
import type { Route } from '../http/routes.ts';
import { COMMITTED, TASK_RUNS } from '../model/tables.ts';
import { CommittedStatements } from '../sql/committed-statements.ts';
import { type CommandResult, type OpenProject, tableText } from './command-result.ts';

const CORE = 'core';
const PUBLIC = 'everyone';
/** Characters of an error in a table. */
const ERROR_WIDTH = 80;

/** A route as it is listed. */
export interface ListedRoute {
  readonly method: string;
  readonly path: string;
  /** `core`, or the file of the project. */
  readonly source: string;
  /** The action that it needs; null for everyone. */
  readonly action: string | null;
  readonly policies: readonly string[];
}

const listedRoute = ({ method, path, source = CORE, action, policies = [] }: Route): ListedRoute => ({
  method,
  path,
  source,
  action,
  policies,
});

/** The code of a Strapi project, loaded and not begun; null where there is none. */
async function lookedAt(sheaf: Sheaf, auth: OpenProject['auth']): Promise<StrapiCode | null> {
  if (!sheaf.code.isOwn || !sheaf.settings.runStrapiCode) return null;
  const { startStrapiCode } = await import('../compat/strapi/strapi-code.ts');
  return startStrapiCode(sheaf, auth, { debug: quiet, info: quiet, warn: quiet, error: quiet }, null);
}

const quiet = (): void => undefined;

export async function listRoutes({ sheaf, auth }: OpenProject): Promise<CommandResult> {
  const code = await lookedAt(sheaf, auth);
  const routes = routeTable(sheaf, auth, { code }).map(listedRoute);
  await code?.stop();
  const rows = routes.map(({ method, path, source, action, policies }) => [
    method,
    path,
    source,
    action ?? PUBLIC,
    policies.join(', '),
  ]);
  return { text: tableText([['METHOD', 'PATH', 'SOURCE', 'RIGHT', 'POLICIES'], ...rows]), value: routes };
}

/** Work of a committed hook that is not done. */
export interface ListedEvent {
  readonly id: number;
  readonly hook: string;
  readonly document: string;
  readonly state: string;
  readonly tries: number;
  /** When it is tried next; null where it has failed for good. */
  readonly next: string | null;
  readonly error: string | null;
  /** Whether the project has no such hook any more. */
  readonly isOrphan: boolean;
}

/** What committed hooks still have to do, and what they have failed to do. */
export async function committedEvents({ database, extension }: Sheaf): Promise<readonly ListedEvent[]> {
  if (!(await database.describe()).has(COMMITTED)) return [];
  const names = new Set(
    (extension?.project.definition.hooks ?? []).flatMap((hook) => (hook.committed ? hook.name : [])),
  );
  const rows = await database.latest((session) => session.rows(new CommittedStatements(database.dialect).list, []));
  return rows.map(([id, hook, document, tries, state, runAt, error]) => ({
    id: Number(id),
    hook,
    document,
    state,
    tries,
    next: state === 'failed' ? null : new Date(Number(runAt)).toISOString(),
    error,
    isOrphan: !names.has(hook),
  }));
}

const firstLine = (text: string | null): string => (text ?? '').split('\n', 1)[0]!.slice(0, ERROR_WIDTH);

export async function listHooks({ sheaf }: OpenProject): Promise<CommandResult> {
  const { hooks: defined = [] } = sheaf.extension?.project.definition ?? {};
  const hooks = defined.map(({ name = null, types, operations = ['writes'], before, after, committed }) => ({
    name,
    types: typeof types === 'string' ? [types] : types,
    operations,
    when: Object.entries({ before, after, committed }).flatMap(([when, work]) => (work ? when : [])),
  }));
  const events = await committedEvents(sheaf);
  const rows = hooks.map(({ name, types, operations, when }) => [
    name ?? '-',
    when.join(', '),
    operations.join(', '),
    types.join(', '),
  ]);
  const waiting = events.map(({ id, hook, document, state, tries, isOrphan, error }) => [
    String(id),
    isOrphan ? `${hook} (gone)` : hook,
    document,
    state,
    String(tries),
    firstLine(error),
  ]);
  const parts = [
    hooks.length > 0 ? tableText([['HOOK', 'WHEN', 'OPERATIONS', 'TYPES'], ...rows]) : 'The project has no hooks.',
    events.length > 0
      ? `${tableText([['ID', 'HOOK', 'DOCUMENT', 'STATE', 'TRIES', 'ERROR'], ...waiting])}${RETRY_HINT}`
      : 'Nothing waits for a committed hook, and none has failed.',
  ];
  return { text: parts.join('\n\n'), value: { hooks, events } };
}

const RETRY_HINT = '\nsheaf hooks retry tries anew what has failed; sheaf hooks drop ID gives it up.';

/** The id of an event on the command line. */
function eventId(word: string): number {
  const id = Number(word);
  if (Number.isInteger(id) && id > 0) return id;
  throw new SetupError(`"${word}" is no id of an event`, ['sheaf hooks list shows them']);
}

/** Without an id: all that have failed. */
export async function retryEvents({ sheaf }: OpenProject, word: string | undefined): Promise<CommandResult> {
  const { database } = sheaf;
  const { retryAll, retryOne } = new CommittedStatements(database.dialect);
  const id = word === undefined ? null : eventId(word);
  const isThere = (await database.describe()).has(COMMITTED);
  const rows = isThere
    ? await database.transaction((session) => (id === null ? session.rows(retryAll, []) : session.rows(retryOne, [id])))
    : [];
  if (id !== null && rows.length === 0) throw noSuchEvent(id);
  const text = rows.length === 0 ? 'Nothing has failed.' : `${rows.length} are tried again by the next server.`;
  return { text, value: { retried: rows.map(([one]) => Number(one)) } };
}

export async function dropEvent({ sheaf: { database } }: OpenProject, word: string): Promise<CommandResult> {
  const id = eventId(word);
  const { drop } = new CommittedStatements(database.dialect);
  const isThere = (await database.describe()).has(COMMITTED);
  const rows = isThere ? await database.transaction((session) => session.rows(drop, [id])) : [];
  if (rows.length === 0) throw noSuchEvent(id);
  return { text: `The event ${id} is given up.`, value: { dropped: id } };
}

const noSuchEvent = (id: number): SetupError =>
  new SetupError(`There is no event ${id} that has failed`, ['sheaf hooks list shows them']);

export async function listTasks({ sheaf }: OpenProject): Promise<CommandResult> {
  const { tasks: scheduler = null, project } = sheaf.extension ?? {};
  const isRun = (await sheaf.database.describe()).has(TASK_RUNS);
  const runs = scheduler && isRun ? await scheduler.runs() : [];
  const tasks = (scheduler?.tasks ?? []).map(({ name, rule }) => {
    const { cron, timezone = 'UTC' } = project!.definition.tasks![name]!;
    const ofTask = runs.filter(({ task }) => task === name);
    return { name, cron, timezone, next: rule.nextRun()?.toISOString() ?? null, runs: ofTask };
  });
  if (tasks.length === 0) return { text: 'The project has no tasks.', value: tasks };
  const rows = tasks.map(({ name, cron, timezone, next, runs: [last] }) => [
    name,
    cron,
    timezone,
    next ?? 'never',
    last ? `${last.state} ${last.started}` : 'never',
    firstLine(last?.error ?? null),
  ]);
  return { text: tableText([['TASK', 'RULE', 'ZONE', 'NEXT', 'LAST RUN', 'ERROR'], ...rows]), value: tasks };
}
