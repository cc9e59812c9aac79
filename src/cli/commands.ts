// The commands of the command line, in the order of the help. Each loads only what it needs.
import { SetupError } from '../errors.ts';
import { ACCOUNT_COMMANDS } from './account-table.ts';
import { type Command, command, flag, JSON_OPTION, PROJECT_OPTIONS, print } from './command.ts';
import { LOCALE_COMMANDS } from './locale-table.ts';
import type { SchemaResult } from './schema-commands.ts';

const START = command({
  name: 'start',
  summary: 'serve a content project over HTTP',
  details: `What is missing in the database is made at the start; nothing is ever dropped or rewritten.
config/sheaf.json and Strapi's files config/api, server, database, middlewares and plugins are read, with
config/env/<NODE_ENV> over them; so is the project's .env file. sheaf config shows what holds.`,
  options: {
    ...PROJECT_OPTIONS,
    host: {
      type: 'string',
      value: 'HOST',
      text: 'where to listen; 127.0.0.1 unless config/server says otherwise; off this machine only with a JWT_SECRET',
      variable: 'HOST',
    },
    port: {
      type: 'string',
      value: 'N',
      text: '1337 unless config/server says otherwise; 0 takes any free port',
      variable: 'PORT',
    },
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
    const { printConfig } = await import('./print-config.ts');
    print(printConfig(await config(), values.json === true));
  },
});

/** Prints what a command did, and ends with its code. */
async function schema(result: Promise<SchemaResult>, json: boolean | undefined): Promise<number> {
  const { text, value, code } = await result;
  print(json ? `${JSON.stringify(value)}\n` : text);
  return code;
}

const SCHEMA_OPTIONS = { ...PROJECT_OPTIONS, json: JSON_OPTION } as const;

const SCHEMA_DIFF = command({
  name: 'schema diff',
  summary: 'show what a start would make in the database, and what the data has to follow',
  details: `Compares the definitions with those that the database was last served with. Ends with 1 where a change has to be
allowed before the next start.`,
  options: SCHEMA_OPTIONS,
  examples: ['sheaf schema diff', 'sheaf schema diff --json'],
  async run({ config, values }) {
    const { schemaDiff } = await import('./schema-commands.ts');
    return schema(schemaDiff(await config()), values.json);
  },
});

const SCHEMA_APPLY = command({
  name: 'schema apply',
  summary: 'make what is missing in the database, and carry out the changes that are allowed',
  details: `What only adds is made. A change that the data has to follow is made where it is allowed, each in a transaction of
its own. What it takes away or rewrites is kept in tables of ours, for sheaf schema undo. Ends with 1 where changes wait.`,
  options: {
    ...SCHEMA_OPTIONS,
    allow: {
      type: 'string',
      value: 'STEP',
      multiple: true,
      text: 'a step that sheaf schema diff shows; may be repeated',
    },
    all: flag('every step that it shows'),
  },
  examples: [
    'sheaf schema apply',
    'sheaf schema apply --allow drafts-off:api::article.article',
    'sheaf schema apply --all',
  ],
  async run({ config, values }) {
    const { schemaApply } = await import('./schema-commands.ts');
    const onProgress = process.stderr.isTTY
      ? (text: string) => void process.stderr.write(`\r\u001b[K${text}`)
      : undefined;
    return schema(schemaApply(await config(), { ...values, onProgress }), values.json);
  },
});

const SCHEMA_HISTORY = command({
  name: 'schema history',
  summary: 'list the changes that can be taken back, the last first',
  options: SCHEMA_OPTIONS,
  examples: ['sheaf schema history'],
  async run({ config, values }) {
    const { schemaHistory } = await import('./schema-commands.ts');
    return schema(schemaHistory(await config()), values.json);
  },
});

const SCHEMA_UNDO = command({
  name: 'schema undo',
  summary: 'take the last change back',
  details: 'Refuses where rows that the change made or rewrote were written since.',
  options: {
    ...SCHEMA_OPTIONS,
    'discard-changes': flag('give up what was written since in the rows that the change made or rewrote'),
  },
  examples: ['sheaf schema undo'],
  async run({ config, values }) {
    const { schemaUndo } = await import('./schema-commands.ts');
    return schema(schemaUndo(await config(), values['discard-changes'] === true), values.json);
  },
});

const SCHEMA_RELEASE = command({
  name: 'schema release',
  summary: 'drop what is kept for taking changes back',
  options: SCHEMA_OPTIONS,
  examples: ['sheaf schema release'],
  async run({ config, values }) {
    const { schemaRelease } = await import('./schema-commands.ts');
    return schema(schemaRelease(await config()), values.json);
  },
});

const SCHEMA_RENAME = command({
  name: 'schema rename',
  operands: 'TYPE[.ATTRIBUTE] NAME',
  arity: [2, 2],
  summary: 'give an attribute, a content-type or a component another name, in the database and in its files',
  details: `Columns, link tables, indexes, polymorphic types and grants follow. A definition that has the new name already is
left as it is.`,
  options: {
    ...SCHEMA_OPTIONS,
    plural: { type: 'string', value: 'NAME', text: "a type's plural; without it the usual English one" },
  },
  examples: [
    'sheaf schema rename api::article.article.title headline',
    'sheaf schema rename api::article.article post',
  ],
  async run({ config, values, operands: [what, to] }) {
    const { schemaRename } = await import('./schema-commands.ts');
    return schema(schemaRename(await config(), [what!, to!], values), values.json);
  },
});

const SCHEMA = [SCHEMA_DIFF, SCHEMA_APPLY, SCHEMA_HISTORY, SCHEMA_UNDO, SCHEMA_RELEASE, SCHEMA_RENAME];

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

const ADOPT = command({
  name: 'adopt',
  operands: '[DIR]',
  arity: [0, 1],
  summary: 'read a project of Strapi and its database; say what will work, what differs and why',
  details: 'Changes neither. Ends with 1 where a start would not succeed.',
  options: {
    project: PROJECT_OPTIONS.project,
    database: PROJECT_OPTIONS.database,
    write: flag('write the settings that it proposes to config/sheaf.json'),
    json: JSON_OPTION,
  },
  examples: ['sheaf adopt ../my-strapi', 'sheaf adopt ../my-strapi --write'],
  // Reads the configuration itself, and reports what is wrong with it among the rest.
  async run({ values, variables, operands: [folder] }) {
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
  START,
  CONFIG,
  ...SCHEMA,
  EXPLAIN,
  ADOPT,
  COMPARE,
  ...LOCALE_COMMANDS,
  ...ACCOUNT_COMMANDS,
  HELP,
  COMPLETION,
];
