// The one door to every operation. `authorize` makes the only thing that plans are made from, and plans are all that
// read/ and store/ accept; so nothing is read or written that was not authorized here. Which names and rows of it a
// caller may use is settled by planning, which asks the same access.
import { forbiddenError, notFoundError, unauthorizedError } from '../errors.ts';
import { FILE } from '../model/builtin.ts';
import type { ContentType } from '../model/types.ts';
import type { WriteRight } from './access.ts';
import { actionsOf } from './actions.ts';
import type { Caller } from './caller.ts';
import type { Operation, WriteName, WriteOperation } from './operation.ts';

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

/** The right of its own that each write needs, where rights are separate. */
const WRITE_RIGHTS: Readonly<Record<WriteName, WriteRight>> = {
  create: 'create',
  clone: 'create',
  update: 'update',
  discardDraft: 'update',
  delete: 'delete',
  publish: 'publish',
  unpublish: 'publish',
};

/** Where a write goes, as its parameters say. */
interface WrittenPlace {
  readonly locale: string | null;
  readonly locales: readonly (string | null)[] | 'all';
  readonly publishes: boolean;
}

/** Refuses what an authorized write would do besides, where each thing that it does needs a right of its own. */
export function authorizePlace({ operation, caller }: Authorized<WriteOperation>, place: WrittenPlace): void {
  const { name, type } = operation;
  const right = WRITE_RIGHTS[name];
  // Rows that are there are held to the rule for them; of those that a clone makes there is none.
  const { locales } = place;
  if (locales === 'all') {
    requireRight(caller, type, right, []);
    if (name === 'clone' && caller.access.separateRights?.localesOf(type.uid, right)) throw forbiddenError();
  } else requireRight(caller, type, right, locales);
  if (place.publishes && type.draftAndPublish) requireRight(caller, type, 'publish', [place.locale]);
}

/** Refuses a row that an update would make, where that needs the right to create. `names`: the attributes that it gets. */
export function authorizeNewRow(
  caller: Caller,
  type: ContentType,
  locale: string | null,
  names: Iterable<string>,
): void {
  const { access } = caller;
  if (!access.separateRights) return;
  requireRight(caller, type, 'create', [locale]);
  for (const name of names) if (!access.mayUse(type.uid, name, 'create')) throw forbiddenError();
}

/** Refuses what needs a right of its own, in each of the locales; null stands for none. */
export function requireRight(
  { access }: Caller,
  { uid }: ContentType,
  right: WriteRight,
  locales: readonly (string | null)[],
): void {
  const { separateRights } = access;
  if (!separateRights) return;
  const allowed = separateRights.localesOf(uid, right);
  const isIn = (locale: string | null): boolean => locale === null || allowed === null || allowed.has(locale);
  if (!separateRights.has(uid, right) || !locales.every(isIn)) throw forbiddenError();
}
