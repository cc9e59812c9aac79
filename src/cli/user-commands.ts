// `sheaf user`: the users of the API. Every write goes through the one writer of users, which ends sessions.
import { systemCaller } from '../access/caller.ts';
import type { Sheaf } from '../app.ts';
import { SetupError } from '../errors.ts';
import { USER } from '../model/builtin.ts';
import type { Entry } from '../operations/parameters.ts';
import { type AccountCommand, tableText } from './command-result.ts';
import { printable } from './printable.ts';
import { ask, confirm, promptPassword } from './terminal.ts';

export const createUser: AccountCommand = async ({ sheaf, auth: { roles } }, _words, options) => {
  const username = options.username ?? (await ask('Name: ', '--username'));
  const email = (options.email ?? (await ask('Address: ', '--email'))).toLowerCase();
  const role = await roles.find(options.role ?? 'authenticated');
  const password = await promptPassword('Password: ');
  const data = { username, email, password, provider: 'local', confirmed: true, blocked: false, role: role.id };
  const user = await sheaf.documents(USER).create({ data });
  return {
    text: `Made the user ${username} (${user.documentId}) with the role ${role.name}.`,
    value: { id: user.id, documentId: user.documentId, username, email, role: role.type },
  };
};

export const listUsers: AccountCommand = async ({ sheaf, auth }) => {
  const roles = new Map((await auth.roles.ofUsers()).map(({ userId, role }) => [userId, role]));
  // What is shown is what clients may know: no codes that reset a password.
  const found = await sheaf.documents(USER, systemCaller(sheaf.model)).findMany({ sort: 'id' });
  const users = found.map((user): Entry => ({ ...user, role: roles.get(user.id) ?? null }));
  const rows = users.map(({ id, username, email, blocked, confirmed }) => [
    String(id).padStart(5),
    String(username),
    String(email),
    roles.get(id)?.type ?? 'no role',
    [...(blocked ? ['blocked'] : []), ...(confirmed ? [] : ['unconfirmed'])].join(' '),
  ]);
  return {
    text: rows.length > 0 ? tableText(rows) : 'There are no users; sheaf user create makes one.',
    value: users,
  };
};

async function findUser(sheaf: Sheaf, name: string): Promise<Entry> {
  const filters = { $or: [{ username: name }, { email: name.toLowerCase() }] };
  const users = await sheaf.documents(USER, systemCaller(sheaf.model)).findMany({ filters, sort: 'id' });
  const [user, another] = users;
  if (!user) throw new SetupError(`There is no user "${name}"`, ['sheaf user list shows them all']);
  if (!another) return user;
  const found = users.map(
    ({ id, username, email }) => `id ${id}: name ${printable(username)}, address ${printable(email)}`,
  );
  throw new SetupError(
    `"${name}" is the name or address of ${users.length} users; give another name or address`,
    found,
  );
}

/** `user block NAME` and `user unblock NAME`. */
export const setBlocked =
  (blocked: boolean): AccountCommand =>
  async ({ sheaf }, [name]) => {
    const { id, documentId, username } = await findUser(sheaf, name!);
    await sheaf.documents(USER).update({ documentId, data: { blocked } });
    return {
      text: `${printable(username)} ${blocked ? 'is blocked and logged out everywhere' : 'may log in again'}.`,
      value: { id, username, blocked },
    };
  };

export const deleteUser: AccountCommand = async ({ sheaf }, [name], { yes }) => {
  const { id, documentId, username, email } = await findUser(sheaf, name!);
  const what = `This deletes the user ${printable(username)} (${printable(email)}) for good.`;
  if (!yes) await confirm({ what, question: 'Delete?', refusal: 'Nothing was deleted' });
  await sheaf.documents(USER).delete({ documentId });
  return {
    text: `${printable(username)} is deleted and logged out everywhere.`,
    value: { id, username, deleted: true },
  };
};

export const setPassword: AccountCommand = async ({ sheaf }, [name]) => {
  const { id, documentId, username } = await findUser(sheaf, name!);
  const password = await promptPassword(`New password of ${printable(username)}: `);
  await sheaf.documents(USER).update({ documentId, data: { password } });
  return {
    text: `${printable(username)} has a new password, and is logged out everywhere.`,
    value: { id, username, passwordSet: true },
  };
};

export const setRole: AccountCommand = async ({ sheaf, auth: { roles } }, [name, wanted]) => {
  const role = await roles.find(wanted!);
  const { id, documentId, username } = await findUser(sheaf, name!);
  await sheaf.documents(USER).update({ documentId, data: { role: role.id } });
  return {
    text: `${printable(username)} has the role ${role.name} now, and has to log in again.`,
    value: { id, username, role: role.type },
  };
};
