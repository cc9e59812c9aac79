// The commands of the command line, in the order of the help. Each loads only what it needs.
import { SetupError } from '../errors.ts';
import { ACCOUNT_COMMANDS } from './account-table.ts';
import { ADMIN_COMMANDS } from './admin-table.ts';
import { CODE_COMMANDS } from './code-table.ts';
import { type Command, command, flag, JSON_OPTION, LISTEN_OPTIONS, PROJECT_OPTIONS, print } from './command.ts';
import { FILE_COMMANDS } from './file-table.ts';
import { LOCALE_COMMANDS } from './locale-table.ts';
import { BEGIN_COMMANDS, DEFINITION_COMMANDS } from './project-table.ts';
import { SCHEMA_COMMANDS } from './schema-table.ts';

const START = command({
  name: 'start',
  summary: 'serve a content project over HTTP',
  details: `What is missing in the database is made at the start; nothing is ever dropped or rewritten.
config/sheaf.json and Strapi's files config/api, server, database, middlewares and plugins are read, with
config/env/<NODE_ENV> over them; so is the project's .env file. sheaf config shows what holds.`,
  options: {
    ...PROJECT_OPTIONS,
    ...LISTEN_OPTIONS,
    workers: { type: 'string', value: 'N', text: '1; more processes use more cores', variable: 'SHEAF_WORKERS' },
  },
  examples: ['sheaf start', 'sheaf start --example', 'sheaf start --database sqlite:.tmp/data.db --port 1400'],
  async run({ config, values }) {
    const { start } = await import('./start.ts');
    await start(await config(), { ...values, example: values.example === true });
  },
});

const CONFIG = command({
  name: 'config',
  summary: 'show every setting that holds and where it comes from',
  options: { ...PROJECT_OPTIONS, json: JSON_OPTION },
  examples: ['sheaf config'],
  async run({ config, values }) {
    const [{ printConfig }, { requireFolder }] = await Promise.all([
      import('./print-config.ts'),
      import('../project/environment.ts'),
    ]);
    const read = await config();
    requireFolder(read.project);
    print(printConfig(read, values.json === true));
  },
});

const EXPLAIN = command({
  name: 'explain',
  operands: 'REQUEST',
  arity: [1, 1],
  summary: 'show how a request would be answered and what it costs',
  options: {
    ...PROJECT_OPTIONS,
    as: { type: 'string', value: 'ROLE', text: 'in the eyes of this role; without it of the system' },
    json: JSON_OPTION,
  },
  examples: ["sheaf explain --example '/api/restaurants?filters[chef][name]=Chiara&populate=categories'"],
  async run({ config, values, operands: [request] }) {
    const { explain } = await import('./explain.ts');
    print(await explain(await config(), request!, { role: values.as ?? null, json: values.json === true }));
  },
});

const OPENAPI = command({
  name: 'openapi',
  summary: 'write the OpenAPI document of the project',
  details: `Describes every route, or what a role may do; the running server gives it at /api/openapi.json.
Needs a database for a role only. The same project gives the same text, so that a diff shows what changed.`,
  options: {
    ...PROJECT_OPTIONS,
    role: { type: 'string', value: 'ROLE', text: 'what this role may do; without it all that there is' },
    out: { type: 'string', value: 'FILE', text: 'where to write it; without it, it is printed' },
  },
  examples: ['sheaf openapi --example --out openapi.json', 'sheaf openapi --role public'],
  async run({ config, values }) {
    const { openApiCommand } = await import('./openapi-command.ts');
    print(await openApiCommand(await config(), { role: values.role ?? null, out: values.out ?? null }));
  },
});

const ADOPT = command({
  name: 'adopt',
  operands: '[DIR]',
  arity: [0, 1],
  summary: 'read a project of Strapi and its database; say what will work, what differs and why',
  details: 'Changes neither, unless --write is given. Ends with 1 where a start would not succeed.',
  options: {
    project: PROJECT_OPTIONS.project,
    database: PROJECT_OPTIONS.database,
    write: flag('write the settings that it proposes to config/sheaf.json'),
    json: JSON_OPTION,
  },
  examples: ['sheaf adopt ../my-strapi', 'sheaf adopt ../my-strapi --write'],
  // Reads the configuration itself, and reports what is wrong with it among the rest.
  async run({ values, variables, operands: [folder] }) {
    if (folder !== undefined && values.project !== undefined)
      throw new SetupError('Two projects are named', [`expected ${folder} or --project ${values.project}, not both`]);
    const { adoptCommand } = await import('./adopt/adopt-command.ts');
    const { projectFor } = await import('../project/environment.ts');
    const [project] = projectFor(folder ?? values.project, variables);
    const { text, code } = await adoptCommand({
      database: values.database,
      project,
      write: values.write === true,
      json: values.json === true,
    });
    print(text);
    return code;
  },
});

const COMPARE = command({
  name: 'compare',
  summary: 'send the same reads to a running Strapi and to Sheaf, and show what differs and why',
  details: 'Ends with 1 where it finds a difference that no rule explains, and with 2 where nothing could be compared.',
  options: {
    ...PROJECT_OPTIONS,
    with: { type: 'string', value: 'URL', text: 'where Strapi listens' },
    sheaf: { type: 'string', value: 'URL', text: 'where Sheaf listens; without it, it is opened here' },
    requests: { type: 'string', value: 'FILE', text: 'reads to send: a file of URLs, or of recorded requests' },
    log: { type: 'string', value: 'FILE', text: 'reads to send: those in an access log' },
    generate: { type: 'string', value: 'N', text: 'reads to send: so many, made from the model' },
    seed: { type: 'string', value: 'N', text: 'what generated reads are drawn from' },
    token: { type: 'string', value: 'TOKEN', text: 'an API token for both', variable: 'SHEAF_TOKEN' },
    header: { type: 'string', value: "'Name: value'", multiple: true, text: 'a header for both; may be repeated' },
    json: JSON_OPTION,
  },
  examples: ['sheaf compare --with http://127.0.0.1:1337 --generate 1000'],
  async run({ config, values, variables }) {
    const { compareCommand } = await import('./compare/compare-command.ts');
    const progress = process.stderr.isTTY ? (text: string) => void process.stderr.write(text) : null;
    const options = { ...values, json: values.json === true, token: values.token ?? variables.SHEAF_TOKEN };
    return compareCommand(await config(), options, { report: print, progress });
  },
});

const BACKUP = command({
  name: 'backup',
  operands: 'FILE',
  arity: [1, 1],
  summary: 'copy a SQLite database while it is in use, and check the copy',
  details: `The copy holds every write that was acknowledged before. A file that exists is not overwritten.
For PostgreSQL it says which command to use.`,
  options: { ...PROJECT_OPTIONS, json: JSON_OPTION },
  examples: ['sheaf backup /backup/data.db', 'sheaf backup "/backup/data-$(date +%F).db"'],
  async run({ config, values, operands: [file] }) {
    const { backupCommand } = await import('./backup.ts');
    const progress = process.stderr.isTTY ? (text: string) => void process.stderr.write(text) : null;
    await backupCommand(await config(), file!, values.json === true, { report: print, progress });
    return undefined;
  },
});

const HELP = command({
  name: 'help',
  operands: '[environment|COMMAND]',
  arity: [0, 2],
  summary: 'show the commands, the variables of the environment, or what a command does',
  options: {},
  examples: ['sheaf help environment', 'sheaf help role grant'],
  async run({ operands }) {
    const { helpText } = await import('./help.ts');
    print(helpText(COMMANDS, operands));
  },
});

const COMPLETION = command({
  name: 'completion',
  operands: 'bash|zsh|fish',
  arity: [1, 1],
  summary: 'print a script that completes commands and options in a shell',
  details: `bash: add  eval "$(sheaf completion bash)"  to ~/.bashrc
zsh:  add  eval "$(sheaf completion zsh)"  to ~/.zshrc, after compinit
fish: sheaf completion fish > ~/.config/fish/completions/sheaf.fish`,
  options: {},
  examples: ['sheaf completion bash'],
  async run({ operands: [shell] }) {
    const { completionScript, isShell } = await import('./completion.ts');
    if (!isShell(shell)) throw new SetupError(`There is no completion for "${shell}"`, ['expected bash, zsh or fish']);
    print(completionScript(shell, COMMANDS));
  },
});

export const COMMANDS: readonly Command[] = [
  ...BEGIN_COMMANDS,
  START,
  CONFIG,
  ...DEFINITION_COMMANDS,
  ...SCHEMA_COMMANDS,
  BACKUP,
  EXPLAIN,
  ...CODE_COMMANDS,
  OPENAPI,
  ADOPT,
  COMPARE,
  ...FILE_COMMANDS,
  ...LOCALE_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...ADMIN_COMMANDS,
  HELP,
  COMPLETION,
];
