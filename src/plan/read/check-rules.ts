// Checks the row rules of a project against the model, at the start: plans each filter, as a request would, and looks at
// the values of the user that stand in it. access/rules.ts has read the rules and checked what needs no plan.
import { ROW_USES, type RowRule, systemAccess } from '../../access/access.ts';
import { type Rules, ruleLocation, USER_PLACEHOLDER } from '../../access/rules.ts';
import { SheafError } from '../../errors.ts';
import { USER } from '../../model/builtin.ts';
import type { ContentType, Model, ScalarType } from '../../model/types.ts';
import { PlanContext } from './context.ts';
import type { Condition, ValueRef } from './nodes.ts';
import { planFilter } from './plan-filter.ts';
import { valuesIn } from './related.ts';

type Report = (problem: string) => void;

/** What is wrong with the rules, each with its place. */
export function ruleProblems(model: Model, rules: Rules): string[] {
  const problems: string[] = [];
  for (const [role, ofRole] of rules.byRole)
    for (const [uid, { file, rows }] of ofRole)
      for (const use of ROW_USES) {
        const rule = rows[use];
        if (!rule) continue;
        checkRowRule(model, model.contentTypes.get(uid)!, rule, (problem) =>
          problems.push(`${ruleLocation(file, role, uid, use)}: ${problem}`),
        );
      }
  return problems;
}

function checkRowRule(model: Model, type: ContentType, rule: RowRule, report: Report): void {
  const versions = { status: 'published', publication: null } as const;
  const context = new PlanContext(model, versions, systemAccess(model), { ruleValues: rule.values });
  try {
    checkUserValues(model, planFilter(context, type, rule.filter, { param: 'access', path: [] }), report);
  } catch (error) {
    if (!(error instanceof SheafError)) throw error;
    report(error.message);
  }
}

/** Codes that the server keeps to itself. */
const SECRET_CODES = new Set(['resetPasswordToken', 'confirmationToken']);
const TYPE_FAMILIES: readonly (readonly ScalarType[])[] = [
  ['string', 'text', 'richtext', 'email', 'uid', 'enumeration'],
  ['integer', 'biginteger', 'float', 'decimal'],
];
const sameTypeFamily = (one: ScalarType, other: ScalarType): boolean =>
  one === other || TYPE_FAMILIES.some((family) => family.includes(one) && family.includes(other));

/** A value of the user must exist, and be of the kind that it is compared with. */
function checkUserValues(model: Model, condition: Condition, report: Report): void {
  const problems = new Set(valuesIn(condition).map((value) => problemOf(model, value)));
  for (const problem of problems) if (problem !== null) report(problem);
}

function problemOf(model: Model, { given, type }: ValueRef): string | null {
  if (!given || !('user' in given)) return null;
  const name = given.user;
  const attribute = model.contentTypes.get(USER)!.attributes.get(name);
  if (attribute?.kind !== 'scalar' || attribute.type === 'password' || SECRET_CODES.has(name))
    return `${USER_PLACEHOLDER}${name} is no attribute of a user that can be compared`;
  return sameTypeFamily(attribute.type, type)
    ? null
    : `${USER_PLACEHOLDER}${name} is of the type ${attribute.type}, compared with ${type}`;
}
