// The one door to every operation. `authorize` makes the only thing that plans are made from, and plans are all that
// read/ and store/ accept; so nothing is read or written that was not authorized here. Which names and rows of it a
// caller may use is settled by planning, which asks the same access.
import { forbiddenError, notFoundError, unauthorizedError } from '../errors.ts';
import { FILE } from '../model/builtin.ts';
import { actionsOf } from './actions.ts';
import type { Caller } from './caller.ts';
import type { Operation } from './operation.ts';

declare const authorized: unique symbol;

export interface Authorized<O extends Operation> {
  readonly operation: O;
  readonly caller: Caller;
  readonly [authorized]: true;
}

export function authorize<O extends Operation>(operation: O, caller: Caller): Authorized<O> {
  const { name, type } = operation;
  // What has no routes is shown with what refers to it; only the system works on it. Files have routes of their own kind.
  const isServed = type.exposure === 'routes' || type.uid === FILE;
  const isHidden = type.exposure === 'hidden' && caller.access.shows !== 'everything';
  if (isHidden || (!isServed && caller.kind !== 'system')) throw notFoundError();
  if ('row' in operation && caller.access.shows !== 'everything') throw forbiddenError();
  for (const action of actionsOf(type, name)) requireAction(caller, action);
  if (name === 'me' && !caller.account) throw unauthorizedError();
  // A single type has one document, which the first update makes.
  if (type.kind === 'singleType' && (name === 'create' || name === 'clone') && caller.kind !== 'system')
    throw forbiddenError();
  return { operation, caller } as Authorized<O>;
}

export function requireAction({ access }: Caller, action: string): void {
  if (!access.may(action)) throw forbiddenError();
}
