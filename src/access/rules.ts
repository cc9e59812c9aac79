// Rules that a project declares in access/*.json: for each role and content-type, which rows it may find, update and
// delete, and which attributes it may read, filter by, sort by and write. All problems are told at once, at the start.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { SheafError } from '../errors.ts';
import { USER } from '../model/builtin.ts';
import type { ContentType, Model, ScalarType } from '../model/types.ts';
import { PlanContext } from '../plan/read/context.ts';
import type { Condition } from '../plan/read/nodes.ts';
import { planFilter } from '../plan/read/plan-filter.ts';
import { EVERYTHING, parseRead } from '../request/parse-read.ts';
import { everything, type FieldUse, type RowRule, type RowUse, type RuleValue } from './access.ts';

export interface TypeRules {
  /** The file they stand in, for messages. */
  readonly file: string;
  readonly rows: Partial<Record<RowUse, RowRule>>;
  readonly fields: Partial<Record<FieldUse, ReadonlySet<string>>>;
}

/** By uid. */
export type RoleRules = ReadonlyMap<string, TypeRules>;

const ROW_USES: readonly RowUse[] = ['find', 'update', 'delete'];
const FIELD_USES: readonly FieldUse[] = ['read', 'filter', 'sort', 'write'];
const OF_USER = '$user.';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export interface Rules {
  /** By the type of the role. */
  readonly byRole: ReadonlyMap<string, RoleRules>;
  /** What is wrong with them, each with its place. */
  readonly problems: readonly string[];
}

export function readRules(project: string, model: Model): Rules {
  const folder = path.join(project, 'access');
  const rules = new Map<string, Map<string, TypeRules>>();
  const problems: string[] = [];
  if (!existsSync(folder)) return { byRole: rules, problems };
  for (const file of readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()) {
    const tell = (where: string, problem: string) => problems.push(`access/${file}: ${where}: ${problem}`);
    let content: unknown;
    try {
      content = JSON.parse(readFileSync(path.join(folder, file), 'utf8'));
    } catch (error) {
      tell('the file', `not valid JSON: ${(error as Error).message}`);
      continue;
    }
    if (!isObject(content)) {
      tell('the file', 'expected an object with a member for each role');
      continue;
    }
    for (const [role, types] of Object.entries(content)) {
      if (!isObject(types)) {
        tell(role, 'expected an object with a member for each content-type');
        continue;
      }
      const known = rules.get(role) ?? new Map<string, TypeRules>();
      rules.set(role, known);
      for (const [uid, given] of Object.entries(types)) {
        const type = model.contentTypes.get(uid);
        const here = `${role}: ${uid}`;
        if (!type || type.exposure === 'hidden') tell(here, 'there is no such content-type');
        else if (type.exposure !== 'routes')
          tell(here, 'it goes with what refers to it, so that rules on it mean nothing');
        else if (known.has(uid)) tell(here, 'it has rules in another place already');
        else
          known.set(uid, {
            file,
            ...readTypeRules(model, type, given, (where, problem) => tell(`${here}${where}`, problem)),
          });
      }
    }
  }
  return { byRole: rules, problems };
}

/** Where a rule stands, as problems are told. */
export const placeOf = (file: string, role: string, uid: string, use: RowUse): string =>
  `access/${file}: ${role}: ${uid}.rows.${use}`;

type Tell = (where: string, problem: string) => void;

function readTypeRules(model: Model, type: ContentType, given: unknown, tell: Tell): Omit<TypeRules, 'file'> {
  const rows: Partial<Record<RowUse, RowRule>> = {};
  const fields: Partial<Record<FieldUse, ReadonlySet<string>>> = {};
  for (const [key, value] of members(given, ['rows', 'fields'], '', tell))
    if (key === 'rows') {
      for (const [use, filter] of members(value, ROW_USES, '.rows', tell)) {
        const rule = readRowRule(model, type, filter, (problem) => tell(`.rows.${use}`, problem));
        if (rule) rows[use as RowUse] = rule;
      }
    } else
      for (const [use, names] of members(value, FIELD_USES, '.fields', tell)) {
        const list = readNames(type, names, (problem) => tell(`.fields.${use}`, problem));
        if (list) fields[use as FieldUse] = list;
      }
  return { rows, fields };
}

/** The members of an object that has no others than these. */
function members(value: unknown, keys: readonly string[], where: string, tell: Tell): [string, unknown][] {
  if (!isObject(value)) {
    tell(where, `expected an object with ${keys.join(', ')}`);
    return [];
  }
  for (const key of Object.keys(value))
    if (!keys.includes(key)) tell(where, `"${key}" is not known; expected ${keys.join(', ')}`);
  return Object.entries(value).filter(([key]) => keys.includes(key));
}

function readNames(type: ContentType, given: unknown, tell: (problem: string) => void): ReadonlySet<string> | null {
  if (!Array.isArray(given) || given.some((name) => typeof name !== 'string')) {
    tell('expected a list of attributes');
    return null;
  }
  for (const name of given) if (!type.attributes.has(name)) tell(`there is no attribute "${name}"`);
  return new Set(given);
}

function readRowRule(
  model: Model,
  type: ContentType,
  filters: unknown,
  tell: (problem: string) => void,
): RowRule | null {
  try {
    const { shape, values } = parseRead({ filters }, { status: 'published', pagination: EVERYTHING });
    if (!shape.filters) {
      tell('expected a filter; leave the rule out where every row is meant');
      return null;
    }
    if (values.some(isMixed)) {
      tell(`${OF_USER}… stands for one value, so it cannot be one of several`);
      return null;
    }
    const rule = { filter: shape.filters, values: values.map(readRuleValue) };
    const versions = { status: shape.status, publication: null };
    const context = new PlanContext(model, versions, everything(model), rule.values);
    checkUserValues(model, planFilter(context, type, rule.filter, { param: 'access', path: [] }), tell);
    return rule;
  } catch (error) {
    if (!(error instanceof SheafError)) throw error;
    tell(error.message);
    return null;
  }
}

const isOfUser = (value: unknown): value is string => typeof value === 'string' && value.startsWith(OF_USER);
const isMixed = (value: unknown): boolean => Array.isArray(value) && value.length > 1 && value.some(isOfUser);

function readRuleValue(value: unknown): RuleValue {
  const single = Array.isArray(value) && value.length === 1 ? value[0] : value;
  return isOfUser(single) ? { user: single.slice(OF_USER.length) } : { constant: value };
}

/** What the server keeps to itself of an account. */
const CODES = new Set(['resetPasswordToken', 'confirmationToken']);
const TEXTS: readonly ScalarType[] = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration'];
const NUMBERS: readonly ScalarType[] = ['integer', 'biginteger', 'float', 'decimal'];
const alike = (one: ScalarType, other: ScalarType): boolean =>
  one === other || [TEXTS, NUMBERS].some((family) => family.includes(one) && family.includes(other));

/** A value of the user must be there, and be of the kind that it is compared with. */
function checkUserValues(model: Model, condition: Condition, tell: (problem: string) => void): void {
  if ('of' in condition) for (const member of condition.of) checkUserValues(model, member, tell);
  if (condition.is === 'related' && condition.where) checkUserValues(model, condition.where, tell);
  if (condition.is !== 'compare' || !condition.value.given || !('user' in condition.value.given)) return;
  const name = condition.value.given.user;
  const attribute = model.contentTypes.get(USER)!.attributes.get(name);
  if (attribute?.kind !== 'scalar' || attribute.type === 'password' || CODES.has(name))
    tell(`${OF_USER}${name} is no attribute of a user that can be compared`);
  else if (!alike(attribute.type, condition.column.type))
    tell(`${OF_USER}${name} is of the type ${attribute.type}, compared with ${condition.column.type}`);
}
