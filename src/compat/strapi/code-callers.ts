// Who calls a route of the project, as core actions and sanitizing ask for it. Code passes contexts around, also copies
// of them, so a caller is found by what all copies share: `ctx.state` and `ctx.state.auth`.
import { type Access, ANY_GROUP } from '../../access/access.ts';
import type { Caller } from '../../access/caller.ts';
import { MAX_READ_COST } from '../../limits.ts';
import type { Model } from '../../model/types.ts';
import { memberOf } from '../../type-guards.ts';

const callers = new WeakMap<object, Caller>();

/** `key`: what is shared by copies of a context. */
export function rememberCaller(key: object, caller: Caller): void {
  callers.set(key, caller);
}

/** The caller of a context, or of its `state.auth`; null for a request that nobody was asked to sign. */
export function callerOfContext(ctx: unknown): Caller | null {
  const state = memberOf(ctx, 'state');
  return callerBy(state) ?? callerBy(memberOf(state, 'auth'));
}

export const callerBy = (key: unknown): Caller | null =>
  (typeof key === 'object' && key !== null && callers.get(key)) || null;

/** Of a route with `auth: false`: everything of one type, and nothing that its relations lead to. */
export function openCaller(model: Model, uid: string): Caller {
  const may = (action: string): boolean => action.startsWith(`${uid}.`);
  const access: Access = {
    key: `open ${uid}`,
    may,
    shows: 'public',
    mayFind: (target) => model.contentTypes.get(target)?.exposure === 'relations',
    mayUse: () => true,
    mayReadDrafts: () => true,
    rowsOf: () => null,
    separateRights: null,
    maxReadCost: MAX_READ_COST,
    smallestGroup: ANY_GROUP,
  };
  return { kind: 'public', access, user: null, account: null, knownBy: null };
}
