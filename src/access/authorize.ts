// Who may run which plan. Until roles exist reading is open, and the types that hold roles, permissions and tokens
// are closed to everyone. Only this module makes an AuthorizedPlan, so a plan cannot reach SQL without passing here.
import { notFoundError } from '../errors.ts';
import type { Model } from '../model/types.ts';
import type { ReadPlan } from '../plan/read-plan.ts';

declare const authorized: unique symbol;

export interface AuthorizedPlan extends ReadPlan {
  readonly [authorized]: true;
}

export function authorize(model: Model, plan: ReadPlan): AuthorizedPlan {
  for (const uid of plan.touches) {
    if (model.contentTypes.get(uid)?.exposure === 'hidden') throw notFoundError();
  }
  return plan as AuthorizedPlan;
}
