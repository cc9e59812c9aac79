// Loads src/sheaf.ts of a project and checks its form: what is missing, misspelt or of the wrong kind is told at the start,
// all of it at once.
import path from 'node:path';
import * as v from 'valibot';
import { WRITE_NAMES } from '../access/operation.ts';
import { check, listOf, nonEmptyString, type Problem, recordOf, strictObject } from '../check-json.ts';
import { SetupError, SheafError } from '../errors.ts';
import type { CompiledCache } from '../project/compiled-cache.ts';
import { isObject } from '../type-guards.ts';
import {
  defineHook,
  defineProject,
  defineRoute,
  defineTask,
  type ProjectDefinition,
  respond,
} from './define-project.ts';
import { errors } from './project-errors.ts';
import { ProjectModules } from './project-modules.ts';

export interface LoadedProject {
  /** Below the project, such as `src/sheaf.ts`. */
  readonly file: string;
  readonly definition: ProjectDefinition;
  readonly modules: ProjectModules;
}

/** What `import … from 'sheaf'` gives the code of a project. */
const PACKAGE: Readonly<Record<string, unknown>> = {
  defineProject,
  defineRoute,
  defineHook,
  defineTask,
  respond,
  errors,
  SheafError,
  SetupError,
};

/** A name that is not there is a mistake; compiled code asks for some by itself. */
const PACKAGE_MODULE = new Proxy(PACKAGE, {
  get(target, name) {
    if (typeof name === 'symbol' || Object.hasOwn(target, name) || name === '__esModule' || name === 'default')
      return Reflect.get(target, name);
    throw new Error(`"sheaf" gives the code of a project no ${name}; it has ${Object.keys(target).join(', ')}`);
  },
});

/** `file`: below the project. */
export function loadProject(project: string, file: string, cache: CompiledCache): LoadedProject {
  const modules = new ProjectModules(project, new Map([['sheaf', PACKAGE_MODULE]]), cache);
  const exported = modules.load(path.resolve(project, file));
  return { file, definition: checked(file, defaultOf(exported)), modules };
}

const defaultOf = (exported: unknown): unknown =>
  isObject(exported) && '__esModule' in exported ? exported.default : exported;

const METHODS = ['GET', 'QUERY', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const OPERATIONS = [...(['find', 'findOne', 'count', 'aggregate', 'related', 'me'] as const), ...WRITE_NAMES];
/** As Strapi 5 writes actions, so that roles show and grant them: owner, controller, name. */
const ACTION = /^[\w-]+::[\w-]+\.[\w-]+\.[\w-]+$/;
const PATH = /^(?:\/(?:[\w.~-]+|:[A-Za-z_]\w*))+$/;

const work = v.custom<(...values: never[]) => unknown>((value) => typeof value === 'function', 'expected a function');
const schema = v.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected a JSON Schema',
);
const names = listOf(nonEmptyString(), 'expected a list of names');
const wholeNumber = v.pipe(v.number('expected a whole number from 1'), v.integer(), v.minValue(1));
const optional = <const S extends v.GenericSchema>(one: S) => v.optional(one);

const ROUTE = v.pipe(
  strictObject({
    method: v.picklist(METHODS, `expected one of ${METHODS.join(', ')}`),
    path: v.pipe(
      v.string('expected a path such as /articles/:slug/related'),
      v.regex(PATH, 'expected a path such as /articles/:slug/related'),
    ),
    action: optional(
      v.pipe(
        v.string('expected an action such as api::article.article.feature'),
        v.regex(ACTION, 'expected an action such as api::article.article.feature'),
      ),
    ),
    public: optional(v.literal(true, 'expected true')),
    schemas: optional(
      strictObject({
        params: optional(schema),
        query: optional(schema),
        body: optional(schema),
        answer: optional(schema),
      }),
    ),
    policies: optional(names),
    files: optional(v.literal(true, 'expected true')),
    limit: optional(strictObject({ max: wholeNumber, seconds: wholeNumber })),
    handler: work,
  }),
  v.check(
    (route) => (route.action === undefined) !== (route.public === undefined),
    'expected either action, the right that it needs, or public: true',
  ),
);

const HOOK = v.pipe(
  strictObject({
    name: optional(nonEmptyString()),
    types: v.union([nonEmptyString(), names], 'expected a uid such as api::article.article, a list of them, or *'),
    operations: optional(
      listOf(v.picklist(OPERATIONS, `expected one of ${OPERATIONS.join(', ')}`), 'expected a list of operations'),
    ),
    before: optional(work),
    after: optional(work),
    committed: optional(work),
  }),
  v.check((hook) => !(hook.committed && hook.name === undefined), 'expected a name: committed work is kept by it'),
  v.check((hook) => Boolean(hook.before ?? hook.after ?? hook.committed), 'expected before, after or committed'),
);

const TASK = strictObject({ cron: nonEmptyString(), timezone: optional(nonEmptyString()), run: work });

const PROJECT = strictObject({
  routes: optional(listOf(ROUTE, 'expected a list of routes')),
  hooks: optional(listOf(HOOK, 'expected a list of hooks')),
  policies: optional(recordOf(work, 'expected an object of policies by name')),
  coreRoutes: optional(recordOf(strictObject({ policies: names }), 'expected an object of options by action')),
  tasks: optional(recordOf(TASK, 'expected an object of tasks by name')),
  start: optional(work),
  stop: optional(work),
});

/** The definition itself, whose parts are known by the files that they stand in, and not a copy of it. */
function checked(file: string, exported: unknown): ProjectDefinition {
  const result = check(PROJECT, exported);
  const problems = result.ok ? [] : result.problems.map(problemText);
  if (problems.length > 0) throw new SetupError(`${file} of the project cannot be used:`, problems);
  return exported as ProjectDefinition;
}

const problemText = ({ path: keys, message }: Problem): string =>
  keys.length > 0 ? `${keys.join('.')}: ${message}` : `its default export: ${message}`;
