// `sheaf admin`: the accounts of people who work in the console, which are those of Strapi's admin panel.
import { SUPER_ADMIN } from '../access/editor-permissions.ts';
import { parseNewAccount, requirePassword } from '../console/account-input.ts';
import type { ConsoleAccount, ConsoleRole } from '../console/contract.ts';
import { SetupError } from '../errors.ts';
import type { ServerConfig } from '../project/environment.ts';
import { type CommandResult, type OpenProject, onProject, tableText } from './command-result.ts';
import { configuredAddress, consoleUrl } from './console-notes.ts';
import { ask, promptPassword } from './terminal.ts';

export interface AdminOptions {
  readonly email?: string | undefined;
  readonly role?: string | undefined;
  readonly firstname?: string | undefined;
  readonly lastname?: string | undefined;
  readonly password?: boolean | undefined;
  readonly json?: boolean | undefined;
}

type AdminCommand = (
  project: OpenProject,
  operands: readonly string[],
  options: AdminOptions,
) => Promise<CommandResult>;

const createAccount: AdminCommand = async ({ sheaf, config }, _operands, options) => {
  const { accounts } = await sheaf.console();
  const email = options.email ?? (await ask('Address: ', '--email'));
  const role = findRole(await accounts.ensuredRoles(), options.role ?? SUPER_ADMIN);
  const { firstname, lastname } = options;
  const names = { ...(firstname !== undefined && { firstname }), ...(lastname !== undefined && { lastname }) };
  const password = options.password ? await promptPassword('Password: ') : null;
  if (password !== null) requirePassword(password);
  const { account, path, expiresAt } = await accounts.create(
    parseNewAccount({ email, ...names, roles: [role.id] }),
    null,
  );
  const made = `Made the account ${account.email} with the role ${role.name}.`;
  if (password !== null) {
    await accounts.setPassword(account.id, password);
    return { text: made, value: { ...account, isActive: true } };
  }
  const url = consoleUrl(configuredAddress(config), path, sheaf.settings);
  return {
    text: `${made}\nIts owner chooses a password here, once and until ${expiresAt}:\n  ${url}`,
    value: { ...account, link: url, expiresAt },
  };
};

const listAccounts: AdminCommand = async ({ sheaf }) => {
  const accounts = await (await sheaf.console()).accounts.list();
  const rows = accounts.map(({ id, email, firstname, lastname, roles, isActive, blocked }) => [
    String(id).padStart(5),
    email,
    [firstname, lastname].filter(Boolean).join(' '),
    roles.map(({ name }) => name).join(', ') || 'no role',
    [...(blocked ? ['blocked'] : []), ...(isActive ? [] : ['no password yet'])].join(' '),
  ]);
  return {
    text: rows.length > 0 ? tableText(rows) : 'Nobody has an account of the console; sheaf admin create makes one.',
    value: accounts,
  };
};

const resetAccount: AdminCommand = async ({ sheaf, config }, [email]) => {
  const { accounts } = await sheaf.console();
  const { id } = findAccount(await accounts.list(), email!);
  const { account, path, expiresAt } = await accounts.reset(id);
  const url = consoleUrl(configuredAddress(config), path, sheaf.settings);
  return {
    text: `${account.email} is logged out everywhere, and the old password is not good any more.\nA new one is chosen here, once and until ${expiresAt}:\n  ${url}`,
    value: { id, email: account.email, link: url, expiresAt },
  };
};

function findAccount(accounts: readonly ConsoleAccount[], email: string): ConsoleAccount {
  const found = accounts.find((account) => account.email.toLowerCase() === email.toLowerCase());
  if (found) return found;
  throw new SetupError(`Nobody has an account of the console with the address "${email}"`, [
    'sheaf admin list shows them all',
  ]);
}

/** By its code, with or without what Strapi 5 puts before it, or by its name. */
function findRole(roles: readonly ConsoleRole[], wanted: string): ConsoleRole {
  const words = wanted.toLowerCase();
  const found = roles.find(({ code, name }) =>
    [code, code.replace(/^strapi-/, ''), name.toLowerCase()].includes(words),
  );
  if (found) return found;
  throw new SetupError(`There is no role "${wanted}" of the console`, [
    `there are ${roles.map(({ code }) => code.replace(/^strapi-/, '')).join(', ')}`,
  ]);
}

const COMMANDS: Readonly<Record<string, AdminCommand>> = {
  create: createAccount,
  list: listAccounts,
  reset: resetAccount,
};

export function adminCommand(
  config: ServerConfig,
  [verb, ...operands]: readonly string[],
  options: AdminOptions,
): Promise<string> {
  const command = { name: `admin ${verb}`, reads: verb === 'list', json: options.json === true };
  return onProject(config, command, (project) => COMMANDS[verb!]!(project, operands, options));
}
