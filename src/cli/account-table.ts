// The commands about users, roles and API tokens, for the table of commands.
import { command, JSON_OPTION, type Options, PROJECT_OPTIONS, print, YES_OPTION } from './command.ts';

interface AccountCommand {
  readonly name: string;
  readonly operands?: string;
  readonly arity?: readonly [number, number];
  readonly summary: string;
  readonly options?: Partial<typeof ACCOUNT_OPTIONS>;
  readonly examples: readonly [string, ...string[]];
}

const account = ({ options, ...rest }: AccountCommand) =>
  command({
    ...rest,
    options: { ...PROJECT_OPTIONS, ...options, json: JSON_OPTION },
    async run({ config, values, operands }) {
      const { accountCommand } = await import('./account-commands.ts');
      print(await accountCommand(await config(), [...rest.name.split(' '), ...operands], values));
    },
  });

const ACCOUNT_OPTIONS = {
  username: { type: 'string', value: 'NAME', text: 'asked for where it is missing' },
  email: { type: 'string', value: 'ADDRESS', text: 'asked for where it is missing' },
  role: { type: 'string', value: 'ROLE', text: 'authenticated unless another is named' },
  type: {
    type: 'string',
    value: 'read-only|full-access|custom',
    text: 'what kind; read-only, or custom where actions are named',
  },
  days: { type: 'string', value: 'N', text: 'how long it opens something; without it for ever' },
  'move-to': { type: 'string', value: 'ROLE', text: 'the role that its users get' },
  json: JSON_OPTION,
  yes: YES_OPTION,
} as const satisfies Options;

const MANY = Number.POSITIVE_INFINITY;
const { username, email, role, type, days, yes, 'move-to': moveTo } = ACCOUNT_OPTIONS;

export const ACCOUNT_COMMANDS = [
  account({
    name: 'role show',
    operands: '[ROLE]',
    arity: [0, 1],
    summary: 'what a role may do, or all of them',
    examples: ['sheaf role show public'],
  }),
  account({
    name: 'role create',
    operands: 'NAME',
    arity: [1, 1],
    summary: 'make a role, which may do nothing yet',
    examples: ['sheaf role create Reviewer'],
  }),
  account({
    name: 'role grant',
    operands: 'ROLE ACTION…',
    arity: [2, MANY],
    summary: "let a role do more; '*' is everything",
    options: { yes },
    examples: ['sheaf role grant public api::article.article.find api::article.article.findOne'],
  }),
  account({
    name: 'role revoke',
    operands: 'ROLE ACTION…',
    arity: [2, MANY],
    summary: "let a role do less; '*' is everything",
    examples: ['sheaf role revoke public api::article.article.find'],
  }),
  account({
    name: 'role copy',
    operands: 'ROLE NAME',
    arity: [2, 2],
    summary: 'make a role that may do what another may; rules in access/*.json are not copied',
    examples: ["sheaf role copy authenticated 'Guest editor'"],
  }),
  account({
    name: 'role delete',
    operands: 'ROLE',
    arity: [1, 1],
    summary: 'remove a role; not public and authenticated, and not one that users have',
    options: { 'move-to': moveTo },
    examples: ['sheaf role delete reviewer --move-to authenticated'],
  }),
  account({
    name: 'user list',
    summary: 'the users of the API with their roles',
    examples: ['sheaf user list', 'sheaf user list --json'],
  }),
  account({
    name: 'user create',
    summary: 'make a user; the password is asked for, or the first line of the input',
    options: { username, email, role },
    examples: ['sheaf user create --username ann --email ann@example.com --role authenticated'],
  }),
  account({
    name: 'user block',
    operands: 'NAME',
    arity: [1, 1],
    summary: 'log a user out everywhere and let them log in no more',
    examples: ['sheaf user block ann'],
  }),
  account({
    name: 'user unblock',
    operands: 'NAME',
    arity: [1, 1],
    summary: 'let a blocked user log in again',
    examples: ['sheaf user unblock ann'],
  }),
  account({
    name: 'user password',
    operands: 'NAME',
    arity: [1, 1],
    summary: 'give a user another password, asked for or the first line of the input; logs them out everywhere',
    examples: ['sheaf user password ann', 'sheaf user password ann < password.txt'],
  }),
  account({
    name: 'user role',
    operands: 'NAME ROLE',
    arity: [2, 2],
    summary: 'give a user another role; logs them out everywhere',
    examples: ['sheaf user role ann reviewer'],
  }),
  account({
    name: 'user delete',
    operands: 'NAME',
    arity: [1, 1],
    summary: 'delete a user, who is logged out everywhere',
    options: { yes },
    examples: ['sheaf user delete ann'],
  }),
  account({
    name: 'token list',
    summary: 'the API tokens: type, actions, end and last use; never the tokens themselves',
    examples: ['sheaf token list', 'sheaf token list --json'],
  }),
  account({
    name: 'token create',
    operands: 'NAME [ACTION…]',
    arity: [1, MANY],
    summary: 'make an API token and show it, once',
    options: { type, days },
    examples: ['sheaf token create website', 'sheaf token create importer --type full-access --days 30'],
  }),
  account({
    name: 'token revoke',
    operands: 'NAME',
    arity: [1, 1],
    summary: 'make an API token open nothing any more',
    examples: ['sheaf token revoke website'],
  }),
];
