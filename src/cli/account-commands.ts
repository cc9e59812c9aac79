// `sheaf user`, `sheaf role` and `sheaf token`: who may do what, from the command line. With --json the answer is one
// line for a program; otherwise words for people.
import type { ServerConfig } from '../project/environment.ts';
import { type AccountCommand, type AccountCommandOptions, onProject } from './command-result.ts';
import { copyRole, createRole, deleteRole, grant, revoke, showRoles } from './role-commands.ts';
import { createToken, listTokens, revokeToken } from './token-commands.ts';
import { createUser, deleteUser, listUsers, setBlocked, setPassword, setRole } from './user-commands.ts';

const COMMANDS: Readonly<Record<string, AccountCommand>> = {
  'user create': createUser,
  'user list': listUsers,
  'user block': setBlocked(true),
  'user unblock': setBlocked(false),
  'user password': setPassword,
  'user role': setRole,
  'user delete': deleteUser,
  'role create': createRole,
  'role copy': copyRole,
  'role grant': grant,
  'role revoke': revoke,
  'role show': showRoles,
  'role delete': deleteRole,
  'token create': createToken,
  'token list': listTokens,
  'token revoke': revokeToken,
};

/** Those that write nothing. */
const READING: ReadonlySet<string> = new Set(['user list', 'role show', 'token list']);

export function accountCommand(
  config: ServerConfig,
  [noun, verb, ...operands]: readonly string[],
  options: AccountCommandOptions,
): Promise<string> {
  const name = `${noun} ${verb}`;
  const command = { name, reads: READING.has(name), json: options.json === true };
  return onProject(config, command, (project) => COMMANDS[name]!(project, operands, options));
}
