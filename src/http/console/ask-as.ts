// In whose eyes the console reads a request: the account's own, those of a role, or those of a kind of API token. Such a
// caller may see more than the account. So it takes a right by which the account could open as much to itself: to change
// what roles are granted, or to make tokens.
import type { Caller } from '../../access/caller.ts';
import type { Auth } from '../../accounts/auth.ts';
import type { AskAs, ConsoleRight } from '../../console/contract.ts';
import { forbiddenError, validationError } from '../../errors.ts';

/** Who is logged in. */
export interface Asking {
  readonly caller: Caller;
  readonly rights: readonly ConsoleRight[];
}

const NEEDED: Readonly<Record<AskAs['kind'], readonly ConsoleRight[]>> = {
  account: [],
  role: ['roles.read', 'roles.update'],
  token: ['tokens.create'],
};

export async function callerAs({ grants, tokens }: Auth, { caller, rights }: Asking, as: AskAs): Promise<Caller> {
  if (!NEEDED[as.kind].every((right) => rights.includes(right))) throw forbiddenError();
  if (as.kind === 'account') return caller;
  const nobody = { user: null, account: null, knownBy: null };
  if (as.kind === 'token') return { kind: 'token', access: tokens.accessOfKind(as.type), ...nobody };
  await grants.refresh();
  await grants.confirm();
  const role = grants.roles.find(({ type }) => type === as.type);
  if (!role) throw validationError('Invalid value for as.type: expected the type of a role', { key: 'as.type' });
  return { kind: role.type === 'public' ? 'public' : 'user', access: role.access, ...nobody };
}
