// `sheaf role`: roles and what they are granted.
import { expandActions, readActions } from '../access/actions.ts';
import { readRules } from '../access/rules.ts';
import type { Withheld } from '../access/withheld.ts';
import type { Sheaf } from '../app.ts';
import { SetupError } from '../errors.ts';
import { USER } from '../model/builtin.ts';
import type { AccountCommand, OpenProject } from './command-result.ts';
import { confirm } from './terminal.ts';

export const createRole: AccountCommand = async ({ sheaf: { model }, auth: { roles } }, [name]) => {
  const role = await roles.create(name!);
  const action = readActions(model)[0]?.[0] ?? 'ACTION';
  return {
    text: `The role ${role.name} is there; grant it something: sheaf role grant ${role.type} ${action}`,
    value: role,
  };
};

export const copyRole: AccountCommand = async ({ sheaf, auth: { roles }, config }, [from, name]) => {
  const original = await roles.find(from!);
  const role = await roles.copy(from!, name!);
  const lines = [
    listed(`The role ${role.name} may do what ${original.name} may`, `${role.name} may do nothing.`, role.actions),
  ];
  // A copy without the rules may see more than the original.
  const isNarrowed = hasRules(sheaf, config.project, original.type);
  if (isNarrowed)
    lines.push(
      `Rules in access/*.json narrow ${original.type}, and none narrow ${role.type}: write them before users get the role.`,
    );
  return { text: lines.join('\n'), value: { ...role, copiedFrom: original.type, lacksRules: isNarrowed } };
};

const hasRules = ({ model }: Sheaf, project: string, type: string): boolean =>
  readRules(project, model).byRole.has(type);

export const deleteRole: AccountCommand = async (project, [name], { 'move-to': target }) => {
  const { sheaf, auth } = project;
  const { id, type } = await auth.roles.removable(name!);
  const other = target === undefined ? null : await auth.roles.find(target);
  if (other?.id === id) throw new SetupError('The users of a role cannot move to itself', ['name another role']);
  const moved = other ? await moveUsers(project, id, other.id) : 0;
  const role = await auth.roles.delete(name!);
  const isNamed = hasRules(sheaf, project.config.project, type);
  return {
    text: [
      ...(moved > 0 ? [`${moved} ${moved === 1 ? 'user has' : 'users have'} the role ${other!.name} now.`] : []),
      `The role ${role.name} is deleted.`,
      ...(isNamed ? [`Rules in access/*.json still name ${type}.`] : []),
    ].join('\n'),
    value: { role: type, moved, movedTo: other?.type ?? null },
  };
};

/** One by one: each is logged out. How many there were. */
async function moveUsers({ sheaf, auth: { roles } }: OpenProject, from: number, to: number): Promise<number> {
  const found = (await roles.ofUsers()).filter(({ role }) => role.id === from);
  for (const { documentId } of found) await sheaf.documents(USER).update({ documentId, data: { role: to } });
  return found.length;
}

export const grant: AccountCommand = async ({ sheaf, auth: { roles } }, [role, ...actions], { yes }) => {
  const { model, withheld } = sheaf;
  if (actions.includes('*') && !yes)
    await confirmAll((await roles.find(role!)).name, expandActions(model, '*', sheaf.actions)!);
  const granted = await roles.grant(role!, actions);
  return {
    text: listed(`${role} may now also`, `${role} could do all of that before.`, withReasons(granted, withheld)),
    value: { role, granted },
  };
};

export const revoke: AccountCommand = async ({ auth: { roles } }, [role, ...actions]) => {
  const revoked = await roles.revoke(role!, actions);
  const text = listed(`${role} may no longer`, `${role} could do none of that before.`, revoked);
  const { actions: kept } = await roles.find(role!);
  return {
    text: actions.includes('*') && kept.length > 0 ? `${text}\n${listed(`${role} ${KEEPS}`, '', kept)}` : text,
    value: { role, revoked },
  };
};

const KEEPS = "may still do what '*' does not stand for, until it is revoked by name";

/** Shows what everything is, and goes on if that is meant. */
async function confirmAll(role: string, actions: readonly string[]): Promise<void> {
  const byType = Map.groupBy(actions, (action) => action.slice(0, action.lastIndexOf('.')));
  const lines = [...byType].map(
    ([uid, granted]) => `  ${uid}: ${granted.map((action) => action.slice(uid.length + 1)).join(', ')}`,
  );
  const what = [`'*' opens all of this to the role ${role}, accounts of users and uploads included:`, ...lines].join(
    '\n',
  );
  const hint = "add --yes if that is meant; name actions if it isn't";
  await confirm({ what, question: 'Grant all of it?', refusal: 'Nothing was granted', hint });
}

const listed = (title: string, none: string, actions: readonly string[]): string =>
  actions.length > 0 ? [`${title}:`, ...actions.map((action) => `  ${action}`)].join('\n') : none;

/** Those that are granted in vain, with the reason. */
const withReasons = (actions: readonly string[], withheld: Withheld): readonly string[] =>
  actions.map((action) => {
    const reason = withheld.reason(action);
    return reason === null ? action : `${action}  withheld: ${reason}`;
  });

export const showRoles: AccountCommand = async ({ sheaf: { withheld }, auth: { roles } }, [name]) => {
  const shown = name === undefined ? await roles.list() : [await roles.find(name)];
  const text = shown.map(({ name: title, type, actions }) =>
    listed(`${title} (${type})`, `${title} (${type}): nothing`, withReasons(actions, withheld)),
  );
  const values = shown.map((role) => ({ ...role, withheld: role.actions.filter((action) => withheld.has(action)) }));
  return { text: text.join('\n\n'), value: name === undefined ? values : values[0] };
};
