// The code of a project at work: its routes with what they check, its policies, hooks and tasks, and what is done when a
// server starts and stops.
import { SHOWS_AS_MUCH_AS } from '../access/actions.ts';
import type { Caller } from '../access/caller.ts';
import type { Database } from '../db/database.ts';
import { addTables } from '../db/schema.ts';
import { forbiddenError, SetupError } from '../errors.ts';
import { MAX_COMMITTED_HOOK_MS, MAX_HANDLER_MS, MAX_LIFECYCLE_MS, MAX_TASK_MS } from '../limits.ts';
import { COMMITTED_TABLES, TASK_TABLES } from '../model/tables.ts';
import type { Model } from '../model/types.ts';
import type { Documents } from '../operations/documents.ts';
import { errorMessage } from '../type-guards.ts';
import { type CommittedHook, CommittedQueue } from './committed-queue.ts';
import type {
  CodeContext,
  CoreRouteOptions,
  HookDefinition,
  Log,
  Policy,
  ProjectSheaf,
  RouteDefinition,
} from './define-project.ts';
import { fileOf } from './files-of-parts.ts';
import type { CheckValue, CompileSchema, SchemaPart } from './json-schema.ts';
import type { LoadedProject } from './load-project.ts';
import { type CodeKind, CodeRunner, Deadline, type Piece, tellWhileWaiting } from './run-code.ts';
import type { Task, TaskScheduler } from './tasks.ts';

/** What the code of a project works on. */
export interface ExtensionHost {
  readonly sheaf: ProjectSheaf;
  readonly database: Database;
  readonly model: Model;
  /** The entries of a type as a caller sees them: published ones where no status is given. */
  documentsFor(uid: string, caller: Caller): Documents;
}

/** A route of a project, with the checks that it asks for. */
export interface ProjectRoute {
  readonly definition: RouteDefinition;
  /** The file that it stands in, below the project. */
  readonly file: string;
  readonly checks: Readonly<Partial<Record<SchemaPart, CheckValue>>>;
}

export class Extension {
  readonly host: ExtensionHost;
  readonly project: LoadedProject;
  readonly runner: CodeRunner;
  readonly routes: readonly ProjectRoute[];
  /** Null where no hook is run for committed writes. */
  readonly committed: CommittedQueue | null;
  /** Null where there are none. */
  readonly tasks: TaskScheduler | null;
  #isBegun = false;

  /** @internal See `openExtension`. */
  constructor(project: LoadedProject, host: ExtensionHost, parts: ExtensionParts) {
    this.project = project;
    this.host = host;
    this.runner = parts.runner;
    this.routes = parts.routes;
    this.committed = parts.committed;
    this.tasks = parts.tasks;
  }

  get log(): Log {
    return this.runner.log;
  }

  /** Actions of its routes, which can be granted. */
  get actions(): readonly string[] {
    return actionsOf(this.project);
  }

  /** The policies of the core routes that need an action. */
  policiesOf(action: string | null): readonly string[] {
    const { coreRoutes = {} } = this.project.definition;
    const policies = (one: string | null | undefined): readonly string[] =>
      one != null && Object.hasOwn(coreRoutes, one) ? coreRoutes[one]!.policies : [];
    return [...policies(action), ...policies(SHOWS_AS_MUCH_AS.get(action ?? ''))];
  }

  /** Refuses a request that one of the policies does not agree to. */
  async requirePolicies(
    names: readonly string[],
    place: string,
    contextOf: (deadline: Deadline) => Parameters<Policy>[0],
  ): Promise<void> {
    const { policies = {} } = this.project.definition;
    for (const name of names) {
      const deadline = new Deadline(MAX_HANDLER_MS);
      const policy = policies[name]!;
      const piece = this.piece('policy', `policy ${name} of ${place}`, MAX_HANDLER_MS, policy);
      const isAgreed = await this.runner.run(piece, deadline, () => policy(contextOf(deadline)));
      if (isAgreed !== true) throw forbiddenError();
    }
  }

  piece(kind: CodeKind, code: string, limit: number, part: object): Piece {
    return { kind, code, limit, file: fileOf(part, this.project.file) };
  }

  /** Before the first request is taken. */
  async begin(log: Log): Promise<void> {
    if (this.#isBegun) return;
    this.runner.log = log;
    await this.#lifecycle('start');
    this.#isBegun = true;
    if (this.host.database.isReadOnly) return;
    this.committed?.begin();
    await this.tasks?.begin();
  }

  /** After the last request was answered. */
  async end(): Promise<void> {
    if (!this.#isBegun) return;
    this.#isBegun = false;
    await this.tasks?.end();
    await this.committed?.end();
    await this.#lifecycle('stop').catch((error: Error) =>
      this.log.error({ file: this.project.file, code: 'stop', err: error }, 'code of the project failed'),
    );
  }

  async #lifecycle(name: 'start' | 'stop'): Promise<void> {
    const { definition, file } = this.project;
    if (!definition[name]) return;
    const deadline = new Deadline(MAX_LIFECYCLE_MS);
    const piece: Piece = { kind: 'lifecycle', code: name, limit: MAX_LIFECYCLE_MS, file };
    await tellWhileWaiting(this.log, piece, () =>
      this.runner.run(piece, deadline, () => definition[name]!(this.contextOf(deadline))),
    );
  }

  contextOf(deadline: Deadline): CodeContext {
    return { sheaf: this.host.sheaf, log: this.log, signal: deadline.signal };
  }
}

interface ExtensionParts {
  readonly runner: CodeRunner;
  readonly routes: readonly ProjectRoute[];
  readonly committed: CommittedQueue | null;
  readonly tasks: TaskScheduler | null;
}

/** The actions of a project's routes that are none of the core. */
export const actionsOf = ({ definition: { routes = [] } }: LoadedProject): readonly string[] => [
  ...new Set(routes.flatMap(({ action }) => action ?? [])),
];

/** Makes the tables that the code needs; refuses names that lead nowhere. */
export async function openExtension(
  project: LoadedProject,
  host: ExtensionHost,
  knownActions: ReadonlySet<string>,
): Promise<Extension> {
  const { definition, file, modules } = project;
  const problems = [...nameProblems(project, host.model, knownActions)];
  const runner = new CodeRunner((stack) => modules.mapStack(stack));
  const routes = await projectRoutes(project, problems);
  const tasks = await projectTasks(project, host, problems, runner);
  if (problems.length > 0) throw new SetupError(`${file} of the project cannot be used:`, problems);
  const hooks = committedHooks(definition.hooks ?? [], project, host, runner);
  const needed = [...(hooks.length > 0 ? COMMITTED_TABLES : []), ...(tasks ? TASK_TABLES : [])];
  const { database } = host;
  if (needed.length > 0 && !database.isReadOnly) await addTables(database, needed);
  const committed = hooks.length > 0 ? new CommittedQueue(database, hooks, runner) : null;
  return new Extension(project, host, { runner, routes, committed, tasks });
}

/** Names of types, actions and policies that there are none of. */
function* nameProblems(
  { definition }: LoadedProject,
  model: Model,
  knownActions: ReadonlySet<string>,
): Generator<string> {
  const { hooks = [], routes = [], coreRoutes = {}, policies = {} } = definition;
  for (const [index, { types, name, committed }] of hooks.entries()) {
    for (const type of typesOf(types))
      if (type !== ALL && !model.contentTypes.has(type)) yield `hooks.${index}.types: there is no content-type ${type}`;
    if (committed && hooks.some((other, at) => at < index && other.committed && other.name === name))
      yield `hooks.${index}.name: there is another hook ${name}`;
  }
  const named: (readonly [place: string, names: readonly string[]])[] = [
    ...routes.map(({ policies: names = [] }, index) => [`routes.${index}.policies`, names] as const),
    ...Object.entries(coreRoutes).map(
      ([action, options]: [string, CoreRouteOptions]) => [`coreRoutes.${action}.policies`, options.policies] as const,
    ),
  ];
  for (const [place, names] of named)
    for (const name of names) if (!Object.hasOwn(policies, name)) yield `${place}: there is no policy ${name}`;
  for (const action of Object.keys(coreRoutes))
    if (!knownActions.has(action)) yield `coreRoutes: no route of the core needs ${action}`;
}

/** Stands for every content-type. */
export const ALL = '*';

export const typesOf = (types: HookDefinition['types']): readonly string[] =>
  typeof types === 'string' ? [types] : types;

async function projectRoutes({ definition, file }: LoadedProject, problems: string[]): Promise<ProjectRoute[]> {
  const { routes = [] } = definition;
  let compile: CompileSchema | null = null;
  const compiled: ProjectRoute[] = [];
  for (const [index, route] of routes.entries()) {
    const checks: Partial<Record<SchemaPart, CheckValue>> = {};
    for (const [part, schema] of Object.entries(route.schemas ?? {}) as [SchemaPart, Record<string, unknown>][]) {
      compile ??= await (await import('./json-schema.ts')).schemaCompiler();
      try {
        checks[part] = compile(schema, part);
      } catch (error) {
        problems.push(`routes.${index}.schemas.${part}: ${errorMessage(error)}`);
      }
    }
    compiled.push({ definition: route, file: fileOf(route, file), checks });
  }
  return compiled;
}

async function projectTasks(
  { definition: { tasks = {} }, file }: LoadedProject,
  { database, sheaf }: ExtensionHost,
  problems: string[],
  runner: CodeRunner,
): Promise<TaskScheduler | null> {
  const entries = Object.entries(tasks);
  if (entries.length === 0) return null;
  const { ruleOf, TaskScheduler } = await import('./tasks.ts');
  const made: Task[] = [];
  for (const [name, task] of entries)
    try {
      made.push({
        name,
        rule: ruleOf(task.cron, task.timezone ?? 'UTC'),
        piece: { kind: 'task', code: `task ${name}`, limit: MAX_TASK_MS, file: fileOf(task, file) },
        run: ({ due, signal }) => task.run({ sheaf, log: runner.log, due, signal }),
      });
    } catch (error) {
      problems.push(`tasks.${name}.cron: ${errorMessage(error)}`);
    }
  return new TaskScheduler(database, made, runner);
}

const committedHooks = (
  hooks: readonly HookDefinition[],
  { file }: LoadedProject,
  { sheaf }: ExtensionHost,
  runner: CodeRunner,
): CommittedHook[] =>
  hooks.flatMap((hook) =>
    hook.committed
      ? [
          {
            name: hook.name!,
            piece: {
              kind: 'committed',
              code: `hook ${hook.name}, committed`,
              limit: MAX_COMMITTED_HOOK_MS,
              file: fileOf(hook, file),
            },
            run: (context) => hook.committed!({ sheaf, log: runner.log, ...context }),
          },
        ]
      : [],
  );
