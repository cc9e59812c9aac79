// Reads the rules that a project declares in access/*.json: for each role and content-type, which rows it may find,
// update and delete, which attributes it may read, filter by, sort by and write, and whether it may see drafts.
// Checks the shape of the files, the names of content-types and attributes, and the syntax of row filters. Whether the
// filters fit the model is checked in plan/read/check-rules.ts.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as v from 'valibot';
import { check, flag, namedEntries, type Problem, SCHEMA_KEY, strictObject } from '../check-json.ts';
import { SheafError } from '../errors.ts';
import { FILE } from '../model/builtin.ts';
import type { ContentType, Model } from '../model/types.ts';
import { NO_LIMIT, parseRead } from '../request/parse-read.ts';
import { errorMessage, hasMembers } from '../type-guards.ts';
import type { FieldUse, RowRule, RowUse, RuleValue } from './access.ts';

export interface TypeRules {
  /** The file they stand in, for messages. */
  readonly file: string;
  readonly rows: Partial<Record<RowUse, RowRule>>;
  readonly fields: Partial<Record<FieldUse, ReadonlySet<string>>>;
  /** Null where the file does not say. */
  readonly drafts: boolean | null;
}

/** By uid. */
export type RoleRules = ReadonlyMap<string, TypeRules>;

export interface Rules {
  /** By the type of the role. */
  readonly byRole: ReadonlyMap<string, RoleRules>;
  /** What is wrong with them, each with its place. */
  readonly problems: readonly string[];
}

/** Stands before the name of an attribute of the user who asks. */
export const USER_PLACEHOLDER = '$user.';

/** Where a row rule stands, for messages. */
export const ruleLocation = (file: string, role: string, uid: string, use: RowUse): string =>
  `access/${file}: ${role}: ${uid}.rows.${use}`;

type Report = (where: string, problem: string) => void;

export function readRules(project: string, model: Model): Rules {
  const folder = path.join(project, 'access');
  const byRole = new Map<string, Map<string, TypeRules>>();
  const problems: string[] = [];
  for (const file of ruleFiles(folder)) {
    const report: Report = (where, problem) => problems.push(`access/${file}: ${where}: ${problem}`);
    for (const [role, types] of readRoles(path.join(folder, file), report)) {
      const ofRole = byRole.get(role) ?? new Map<string, TypeRules>();
      byRole.set(role, ofRole);
      for (const [uid, given] of types) {
        const where = `${role}: ${uid}`;
        const type = typeWithRules(model, uid);
        if (typeof type === 'string') report(where, type);
        else if (ofRole.has(uid)) report(where, 'it has rules in another place already');
        else ofRole.set(uid, { file, ...readTypeRules(type, given, where, report) });
      }
    }
  }
  return { byRole, problems };
}

const ruleFiles = (folder: string): string[] =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .sort()
    : [];

type Entries<T> = [name: string, value: T][];

const ROLES = namedEntries('expected an object with a key for each role');
const CONTENT_TYPES = namedEntries('expected an object with a key for each content-type');

/** The roles of a file, each with what stands there for content-types. */
function readRoles(file: string, report: Report): Entries<Entries<unknown>> {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    report('the file', `not valid JSON: ${errorMessage(error)}`);
    return [];
  }
  const entriesOf = (schema: typeof ROLES, value: unknown, where: string): Entries<unknown> => {
    const checked = check(schema, value);
    if (checked.ok) return checked.value;
    for (const { message } of checked.problems) report(where, message);
    return [];
  };
  const roles = entriesOf(ROLES, content, 'the file').filter(([key]) => key !== SCHEMA_KEY);
  return roles.map(([role, types]) => [role, entriesOf(CONTENT_TYPES, types, role)]);
}

/** The content-type, or why there can be no rules on it. */
function typeWithRules(model: Model, uid: string): ContentType | string {
  const type = model.contentTypes.get(uid);
  if (!type || type.exposure === 'hidden') return 'there is no such content-type';
  if (type.exposure !== 'routes' && uid !== FILE)
    return 'it goes with what refers to it, so that rules on it mean nothing';
  return type;
}

/** Leaves out what has problems, so that the rest can be checked further and all problems are reported at once. */
function readTypeRules(type: ContentType, given: unknown, where: string, report: Report): Omit<TypeRules, 'file'> {
  const schema = typeRules(type);
  const checked = check(schema, given);
  if (checked.ok) return checked.value;
  for (const problem of checked.problems) report([where, ...problem.path].join('.'), problem.message);
  return v.parse(schema, withoutProblems(given, checked.problems));
}

/** A copy of the value without the keys that have problems. */
function withoutProblems(given: unknown, problems: readonly Problem[]): unknown {
  if (problems.some((problem) => problem.path.length === 0)) return {};
  const rest = structuredClone(given);
  for (const { path: keys } of problems) remove(rest, keys);
  return rest;
}

function remove(value: unknown, [key, ...keys]: readonly string[]): void {
  if (!hasMembers(value) || key === undefined) return;
  if (keys.length === 0) delete value[key];
  else remove(value[key], keys);
}

function typeRules(type: ContentType) {
  const rowRule = v.optional(ROW_RULE);
  const attributes = v.optional(attributesOf(type));
  return v.pipe(
    strictObject({
      rows: v.optional(strictObject({ find: rowRule, update: rowRule, delete: rowRule }), {}),
      fields: v.optional(
        strictObject({ read: attributes, filter: attributes, sort: attributes, write: attributes }),
        {},
      ),
      drafts: v.optional(
        v.pipe(
          flag,
          v.check(() => type.draftAndPublish, 'this content-type has no drafts; leave the key out'),
        ),
      ),
    }),
    v.transform(({ drafts = null, ...rules }) => ({ ...rules, drafts })),
  );
}

const isListOfStrings = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

const attributesOf = (type: ContentType) =>
  v.pipe(
    v.custom<readonly string[]>(isListOfStrings, 'expected a list of attributes'),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      for (const name of dataset.value)
        if (!type.attributes.has(name)) addIssue({ message: `there is no attribute "${name}"` });
    }),
    v.transform((names): ReadonlySet<string> => new Set(names)),
  );

const ROW_RULE = v.pipe(
  v.unknown(),
  v.rawTransform(({ dataset, addIssue, NEVER }): RowRule => {
    const rule = parseRowRule(dataset.value);
    if (typeof rule !== 'string') return rule;
    addIssue({ message: rule });
    return NEVER;
  }),
);

/** The rule, or what is wrong with it. */
export function parseRowRule(filters: unknown): RowRule | string {
  try {
    const { shape, values } = parseRead({ filters }, { status: 'published', pagination: NO_LIMIT });
    if (!shape.filters) return 'expected a filter; leave the rule out where every row is meant';
    if (values.some(mixesPlaceholders))
      return `${USER_PLACEHOLDER}… stands for one value, so it cannot be one of several`;
    return { filter: shape.filters, values: values.map(readRuleValue) };
  } catch (error) {
    if (!(error instanceof SheafError)) throw error;
    return error.message;
  }
}

const isPlaceholder = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith(USER_PLACEHOLDER);
const mixesPlaceholders = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 1 && value.some(isPlaceholder);

function readRuleValue(value: unknown): RuleValue {
  const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isPlaceholder(single) ? { user: single.slice(USER_PLACEHOLDER.length) } : { constant: value };
}
