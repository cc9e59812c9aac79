// The commands about accounts of the console, for the table of commands.
import { command, flag, JSON_OPTION, type Options, PROJECT_OPTIONS, print } from './command.ts';

interface AdminCommand {
  readonly verb: string;
  readonly operands?: string;
  readonly arity?: readonly [number, number];
  readonly summary: string;
  readonly options?: typeof CREATE_OPTIONS;
  readonly examples: readonly [string, ...string[]];
}

const admin = ({ verb, options, ...rest }: AdminCommand) =>
  command({
    ...rest,
    name: `admin ${verb}`,
    options: { ...PROJECT_OPTIONS, ...options, json: JSON_OPTION },
    async run({ config, values, operands }) {
      const { adminCommand } = await import('./admin-commands.ts');
      print(await adminCommand(await config(), [verb, ...operands], values));
    },
  });

const CREATE_OPTIONS = {
  email: { type: 'string', value: 'ADDRESS', text: 'asked for where it is missing' },
  role: { type: 'string', value: 'ROLE', text: 'super-admin unless another is named, such as editor or author' },
  firstname: { type: 'string', value: 'NAME', text: 'the first name' },
  lastname: { type: 'string', value: 'NAME', text: 'the last name' },
  password: flag('ask for a password, or take the first line of the input, in place of a link'),
} as const satisfies Options;

export const ADMIN_COMMANDS = [
  admin({
    verb: 'list',
    summary: 'the accounts of the console with their roles',
    examples: ['sheaf admin list', 'sheaf admin list --json'],
  }),
  admin({
    verb: 'create',
    summary: 'make an account of the console; prints a link by which its owner chooses a password',
    options: CREATE_OPTIONS,
    examples: [
      'sheaf admin create --email ann@example.com --role editor',
      'sheaf admin create --email ben@example.com --password < password.txt',
    ],
  }),
  admin({
    verb: 'reset',
    operands: 'ADDRESS',
    arity: [1, 1],
    summary: 'log an account of the console out everywhere; prints a link by which its owner chooses a new password',
    examples: ['sheaf admin reset ann@example.com'],
  }),
];
