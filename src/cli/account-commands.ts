// `sheaf user`, `sheaf role` and `sheaf token`: who may do what, from the command line. With --json the answer is one
// line for a program; otherwise words for people.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { expandActions, readActions } from '../access/actions.ts';
import type { Withheld } from '../access/withheld.ts';
import type { TokenType } from '../accounts/api-tokens.ts';
import type { Auth } from '../accounts/auth.ts';
import { nothingToGrant } from '../accounts/roles.ts';
import { open, type Sheaf } from '../app.ts';
import { SetupError } from '../errors.ts';
import { USER } from '../model/builtin.ts';
import { onlyReads, openOptions, type ServerConfig } from '../project/environment.ts';

export interface AccountCommandOptions {
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  readonly role?: string | undefined;
  readonly type?: string | undefined;
  readonly days?: string | undefined;
  readonly json?: boolean | undefined;
  /** Grants everything without asking. */
  readonly yes?: boolean | undefined;
}

/** What a command did: for people, and for programs. */
interface CommandResult {
  readonly text: string;
  readonly value: unknown;
}

type Command = (
  sheaf: Sheaf,
  auth: Auth,
  words: readonly string[],
  options: AccountCommandOptions,
) => Promise<CommandResult>;

const COMMANDS: Readonly<Record<string, Command>> = {
  'user create': createUser,
  'user list': listUsers,
  'user block': (sheaf, _auth, words) => setBlocked(sheaf, words, true),
  'user unblock': (sheaf, _auth, words) => setBlocked(sheaf, words, false),
  'role create': createRole,
  'role grant': grant,
  'role revoke': revoke,
  'role show': showRoles,
  'token create': createToken,
  'token revoke': revokeToken,
};

/** Those that write nothing. */
const READING: ReadonlySet<string> = new Set(['user list', 'role show']);

export async function accountCommand(
  config: ServerConfig,
  [noun, verb, ...operands]: readonly string[],
  options: AccountCommandOptions,
): Promise<string> {
  const name = `${noun} ${verb}`;
  const readOnly = READING.has(name);
  if (config.readOnly && !readOnly) throw onlyReads(`sheaf ${name}`);
  const sheaf = await open({ ...openOptions(config), readOnly });
  try {
    const { text, value } = await COMMANDS[name]!(sheaf, await sheaf.auth(), operands, options);
    return `${options.json ? JSON.stringify(value) : text}\n`;
  } finally {
    await sheaf.close();
  }
}

async function createUser(sheaf: Sheaf, { roles }: Auth, words: readonly string[], options: AccountCommandOptions) {
  expectArgs(words, 0, 'sheaf user create --username NAME --email ADDRESS --role ROLE');
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
}

async function listUsers(sheaf: Sheaf, _auth: Auth, words: readonly string[]): Promise<CommandResult> {
  expectArgs(words, 0, 'sheaf user list');
  const users = await sheaf.documents(USER).findMany({ sort: 'id' });
  const lines = users.map(({ id, username, email, blocked, confirmed }) =>
    `${String(id).padStart(5)}  ${String(username).padEnd(24)} ${String(email).padEnd(32)}${blocked ? ' blocked' : ''}${confirmed ? '' : ' unconfirmed'}`.trimEnd(),
  );
  return {
    text: lines.length > 0 ? lines.join('\n') : 'There are no users; sheaf user create makes one.',
    value: users,
  };
}

async function setBlocked(sheaf: Sheaf, words: readonly string[], blocked: boolean): Promise<CommandResult> {
  const [name] = expectArgs(words, 1, `sheaf user ${blocked ? 'block' : 'unblock'} NAME`);
  const users = sheaf.documents(USER);
  const user = await users.findFirst({ filters: { $or: [{ username: name! }, { email: name!.toLowerCase() }] } });
  if (!user) throw new SetupError(`There is no user "${name}"`, ['sheaf user list shows them all']);
  await users.update({ documentId: user.documentId, data: { blocked } });
  return {
    text: blocked ? `${user.username} is blocked and logged out everywhere.` : `${user.username} may log in again.`,
    value: { id: user.id, username: user.username, blocked },
  };
}

async function createRole({ model }: Sheaf, { roles }: Auth, words: readonly string[]): Promise<CommandResult> {
  const [name] = expectArgs(words, 1, 'sheaf role create NAME');
  const role = await roles.create(name!);
  const action = readActions(model)[0]?.[0] ?? 'ACTION';
  return {
    text: `The role ${role.name} is there; grant it something: sheaf role grant ${role.type} ${action}`,
    value: role,
  };
}

async function grant(
  { model, withheld }: Sheaf,
  { roles }: Auth,
  [role, ...actions]: readonly string[],
  { yes }: AccountCommandOptions,
): Promise<CommandResult> {
  if (role === undefined || actions.length === 0) throw usage("sheaf role grant ROLE ACTION… ('*' for everything)");
  if (actions.includes('*') && !yes) await confirmAll((await roles.find(role)).name, expandActions(model, '*')!);
  const granted = await roles.grant(role, actions);
  return {
    text: listed(`${role} may now also`, `${role} could do all of that before.`, withReasons(granted, withheld)),
    value: { role, granted },
  };
}

async function revoke(_sheaf: Sheaf, { roles }: Auth, [role, ...actions]: readonly string[]): Promise<CommandResult> {
  if (role === undefined || actions.length === 0) throw usage("sheaf role revoke ROLE ACTION… ('*' for everything)");
  const revoked = await roles.revoke(role, actions);
  const text = listed(`${role} may no longer`, `${role} could do none of that before.`, revoked);
  const { actions: kept } = await roles.find(role);
  return {
    text: actions.includes('*') && kept.length > 0 ? `${text}\n${listed(`${role} ${KEEPS}`, '', kept)}` : text,
    value: { role, revoked },
  };
}

const KEEPS = "may still do what '*' does not stand for, until it is revoked by name";

/** Shows what everything is, and goes on if that is meant. */
async function confirmAll(role: string, actions: readonly string[]): Promise<void> {
  const byType = Map.groupBy(actions, (action) => action.slice(0, action.lastIndexOf('.')));
  const lines = [...byType].map(
    ([uid, granted]) => `  ${uid}: ${granted.map((action) => action.slice(uid.length + 1)).join(', ')}`,
  );
  const opens = [`'*' opens all of this to the role ${role}, accounts of users and uploads included:`, ...lines];
  if (!process.stdin.isTTY)
    throw new SetupError(opens.join('\n'), ["add --yes if that is meant; name actions if it isn't"]);
  process.stderr.write(`${opens.join('\n')}\n`);
  const answer = await ask('Grant all of it? [y/N] ', '--yes');
  if (!/^y(es)?$/i.test(answer)) throw new SetupError('Nothing was granted');
}

const listed = (title: string, none: string, actions: readonly string[]): string =>
  actions.length > 0 ? [`${title}:`, ...actions.map((action) => `  ${action}`)].join('\n') : none;

/** Those that are granted in vain, with the reason. */
const withReasons = (actions: readonly string[], withheld: Withheld): readonly string[] =>
  actions.map((action) => {
    const reason = withheld.reason(action);
    return reason === null ? action : `${action}  withheld: ${reason}`;
  });

async function showRoles({ withheld }: Sheaf, { roles }: Auth, words: readonly string[]): Promise<CommandResult> {
  const [name] = expectArgs(words, words.length === 0 ? 0 : 1, 'sheaf role show [ROLE]');
  const shown = name === undefined ? await roles.list() : [await roles.find(name)];
  const text = shown.map(({ name: title, type, actions }) =>
    listed(`${title} (${type})`, `${title} (${type}): nothing`, withReasons(actions, withheld)),
  );
  const values = shown.map((role) => ({ ...role, withheld: role.actions.filter((action) => withheld.has(action)) }));
  return { text: text.join('\n\n'), value: name === undefined ? values : values[0] };
}

const TOKEN_TYPES: readonly string[] = ['read-only', 'full-access', 'custom'] satisfies TokenType[];

async function createToken(
  sheaf: Sheaf,
  { tokens }: Auth,
  [name, ...words]: readonly string[],
  { type = words.length > 0 ? 'custom' : 'read-only', days }: AccountCommandOptions,
): Promise<CommandResult> {
  const form = 'sheaf token create NAME --type read-only|full-access|custom [--days N] [ACTION…]';
  if (name === undefined || !TOKEN_TYPES.includes(type) || (type === 'custom') !== words.length > 0) throw usage(form);
  if (days !== undefined && !/^[1-9]\d{0,4}$/.test(days)) throw usage(form);
  const actions = words.flatMap((word) => {
    const expanded = expandActions(sheaf.model, word);
    if (!expanded) throw nothingToGrant(word);
    return expanded;
  });
  const lifespan = days === undefined ? null : Number(days);
  const token = await tokens.create({ name, description: '', type: type as TokenType, actions, days: lifespan });
  return {
    text: `The token ${name} (${type}), shown only now:\n${token}`,
    value: { name, type, actions, days: lifespan, token },
  };
}

async function revokeToken(_sheaf: Sheaf, { tokens }: Auth, words: readonly string[]): Promise<CommandResult> {
  const [name] = expectArgs(words, 1, 'sheaf token revoke NAME');
  const revoked = await tokens.revoke(name!);
  if (revoked === 0)
    throw new SetupError(`There is no token "${name}"`, ['sheaf token create makes one; names are as they were given']);
  return { text: `${name} opens nothing any more.`, value: { name, revoked } };
}

const usage = (form: string): SetupError => new SetupError('The command is not complete', [`expected ${form}`]);

function expectArgs(words: readonly string[], count: number, form: string): readonly string[] {
  if (words.length !== count) throw usage(form);
  return words;
}

async function ask(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) throw new SetupError(`${option} is missing`, ['there is nobody to ask on this input']);
  const dialog = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await dialog.question(question)).trim();
  } finally {
    dialog.close();
  }
}

/** From a terminal without showing it; from a pipe its first line. */
async function promptPassword(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { isTTY } = process.stdin;
  if (isTTY) process.stderr.write(question);
  const dialog = createInterface({ input: process.stdin, output: silent, terminal: isTTY === true });
  try {
    for await (const line of dialog) return line;
    throw new SetupError('The password is missing', ['type it, or send it as the first line of the input']);
  } finally {
    dialog.close();
    if (isTTY) process.stderr.write('\n');
  }
}
