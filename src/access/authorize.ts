// Who may run which plan. What a caller may name was settled when the plan was made, in plan/resolve.ts; here it is
// settled whether the caller may do this at all. Only this module makes an AuthorizedPlan, so a plan cannot reach SQL
// without passing here.
import { forbiddenError, notFoundError } from '../errors.ts';
import type { Model } from '../model/types.ts';
import type { ReadPlan } from '../plan/read/nodes.ts';
import type { Access } from './access.ts';

declare const authorized: unique symbol;

export interface AuthorizedPlan extends ReadPlan {
  readonly [authorized]: true;
}

/** `action`: what the caller must be granted; null for the answer to a write, which was granted before. */
export function authorize(model: Model, plan: ReadPlan, access: Access, action: string | null): AuthorizedPlan {
  if (action !== null && !access.may(action)) throw forbiddenError();
  if (model.contentTypes.get(plan.uid)?.exposure === 'hidden') throw notFoundError();
  // Names were refused one by one; a type that was reached all the same is a defect that must not show a row.
  for (const uid of plan.touches) if (uid !== plan.uid && !access.mayFind(uid)) throw forbiddenError();
  return plan as AuthorizedPlan;
}
