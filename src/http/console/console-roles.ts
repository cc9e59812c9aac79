// The roles of the API's users, as the console shows and changes them.
import * as v from 'valibot';
import { knownActions } from '../../access/actions.ts';
import type { Auth } from '../../accounts/auth.ts';
import type { Sheaf } from '../../app.ts';
import { listOf, nonEmptyString, strictObject } from '../../check-json.ts';
import type { ApiRole, ApiRoles, RoleActions } from '../../console/contract.ts';
import { labelOf } from '../../describe/console-model.ts';
import { rulesInWords } from '../../describe/rule-words.ts';
import { notFoundError } from '../../errors.ts';
import type { Model } from '../../model/types.ts';
import { checkedBody, invalidMember } from './checked-body.ts';

export const apiRoles = async (sheaf: Sheaf, auth: Auth): Promise<ApiRoles> => ({
  ...roleActions(sheaf),
  roles: await shownRoles(auth),
});

/** Everything that can be granted, and what is granted in vain. */
export function roleActions({ model, actions: own, withheld }: Sheaf): RoleActions {
  const actions = [...knownActions(model, own)];
  const groups = [...Map.groupBy(actions, (action) => action.slice(0, action.lastIndexOf('.')))].map(
    ([uid, members]) => ({
      uid,
      title: titleOf(model, uid),
      actions: members.map((action) => ({ action, name: action.slice(uid.length + 1) })),
    }),
  );
  const reasons = actions.flatMap((action): [string, string][] => {
    const reason = withheld.reason(action);
    return reason === null ? [] : [[action, reason]];
  });
  return { groups, withheld: Object.fromEntries(reasons) };
}

/** What acts on no content-type. */
const TITLES: Readonly<Record<string, string>> = {
  'plugin::upload.content-api': 'Files',
  'plugin::users-permissions.auth': 'Logging in',
  'plugin::users-permissions.user': 'Users',
  'plugin::users-permissions.role': 'Roles',
  'plugin::users-permissions.permissions': 'Permissions',
  'plugin::i18n.locales': 'Locales',
};

function titleOf(model: Model, uid: string): string {
  const type = model.contentTypes.get(uid);
  return TITLES[uid] ?? (type ? labelOf(model, type).displayName : uid);
}

async function shownRoles({ roles, rules }: Auth): Promise<ApiRole[]> {
  const granted = new Map((await roles.list()).map(({ id, actions }) => [id, actions]));
  return (await roles.shown()).map(({ id, type, name, description, nb_users }) => ({
    id,
    type,
    name,
    description,
    users: nb_users,
    actions: granted.get(id) ?? [],
    rules: Object.fromEntries([...(rules.get(type) ?? [])].map(([uid, ofType]) => [uid, rulesInWords(ofType)])),
  }));
}

const ACTIONS = v.optional(listOf(nonEmptyString('expected the name of an action'), 'expected a list of actions'), []);
const CHANGE = strictObject({ grant: ACTIONS, revoke: ACTIONS });

/** Grants and revokes at once, and answers with the role as it is then. */
export async function changeRole(sheaf: Sheaf, auth: Auth, id: string, body: unknown): Promise<ApiRole> {
  const { grant, revoke } = checkedBody(CHANGE, body);
  const role = (await shownRoles(auth)).find((one) => String(one.id) === id);
  if (!role) throw notFoundError();
  const known = knownActions(sheaf.model, sheaf.actions);
  const unknown = (action: string): boolean => !known.has(action);
  const wrong = grant.find(unknown);
  if (wrong !== undefined) throw invalidMember('grant', `there is no action ${wrong}`);
  // Other programs know actions that can only be taken away here.
  const absent = revoke.find((action) => unknown(action) && !role.actions.includes(action));
  if (absent !== undefined) throw invalidMember('revoke', `there is no action ${absent}`);
  const both = grant.find((action) => revoke.includes(action));
  if (both !== undefined) throw invalidMember('revoke', `${both} is granted as well`);
  await sheaf.transaction(async () => {
    await auth.roles.grant(id, grant);
    await auth.roles.revoke(id, revoke);
  });
  auth.grants.invalidate();
  return (await shownRoles(auth)).find((one) => one.id === role.id)!;
}
