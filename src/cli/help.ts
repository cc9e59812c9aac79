// The texts of `sheaf --help`, of `sheaf COMMAND --help` and of `sheaf help TOPIC`, made from the table of commands.
import type { Command, Option, Options } from './command.ts';
import { notACommand } from './not-a-command.ts';
import { VARIABLES } from './variables.ts';

export const usageOf = ({ name, operands }: Command): string => `sheaf ${name}${operands === '' ? '' : ` ${operands}`}`;

/** What commands are about, by their first word, in the order of the help. */
const SUBJECTS: readonly (readonly [title: string, words: readonly string[]])[] = [
  ['Begin', ['init', 'dev', 'type', 'component', 'attribute']],
  ['Serve', ['start', 'config', 'backup', 'restore']],
  ['The content model', ['schema', 'types']],
  ['Locales', ['locale']],
  ['Files', ['files']],
  ['Users, roles and API tokens', ['user', 'role', 'token']],
  ['The console', ['admin']],
  ['Requests', ['explain']],
  ['Beside Strapi, and from it', ['adopt', 'compare']],
];
const LAST_SUBJECT = 'The command line itself';

/** The commands of each subject. */
export function bySubject(commands: readonly Command[]): readonly (readonly [string, readonly Command[]])[] {
  const titleOf = ({ name }: Command): string =>
    SUBJECTS.find(([, words]) => words.includes(name.split(' ')[0]!))?.[0] ?? LAST_SUBJECT;
  const found = Map.groupBy(commands, titleOf);
  return [...SUBJECTS.map(([title]) => title), LAST_SUBJECT].flatMap((title) => {
    const ofSubject = found.get(title);
    return ofSubject ? [[title, ofSubject] as const] : [];
  });
}

const WIDTH = 120;
const USAGE_WIDTH = 34;
const OPTION_WIDTH = 22;

/** The words in lines of at most so many characters. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Two columns; a left side that is too long has a line of its own. */
function columns(rows: readonly (readonly [string, string])[], width: number): string {
  const indent = ' '.repeat(width + 4);
  return rows
    .map(([left, right]) => {
      const text = wrapped(right, WIDTH - indent.length).join(`\n${indent}`);
      return left.length > width ? `  ${left}\n${indent}${text}` : `  ${left.padEnd(width)}  ${text}`;
    })
    .join('\n');
}

const commandsText = (commands: readonly Command[]): string =>
  bySubject(commands)
    .map(
      ([title, ofSubject]) =>
        `${title}\n${columns(
          ofSubject.map((command) => [usageOf(command), command.summary]),
          USAGE_WIDTH,
        )}`,
    )
    .join('\n\n');

export const helpOn = (commands: readonly Command[]): string => `\
sheaf: serves structured content over HTTP, with deep filters and ordered relations.

Usage
  sheaf COMMAND [options]
  sheaf COMMAND --help            what a command does, with its options and examples
  sheaf help environment          the variables of the environment
  sheaf --help | --version

${commandsText(commands)}

A project is a folder with src/api/<name>/content-types/<name>/schema.json and src/components/<category>/<name>.json.
It is found from any folder inside it.
`;

export function helpOnCommand(command: Command): string {
  const { options, summary, details, examples } = command;
  const hasOptions = Object.keys(options).length > 0;
  const parts = [
    `Usage\n  ${usageOf(command)}${hasOptions ? ' [options]' : ''}`,
    summary,
    details,
    hasOptions ? `Options\n${optionsText(options)}` : '',
    `Examples\n${examples.map((example) => `  ${example}`).join('\n')}`,
    'database' in options ? 'sheaf help environment shows the variables of the environment.' : '',
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

export const optionUsage = (name: string, { value }: Option): string =>
  `--${name}${value === undefined ? '' : ` ${value}`}`;

const optionsText = (options: Options): string =>
  columns(
    Object.entries(options).map(([name, option]) => [
      optionUsage(name, option),
      `${option.text}${option.variable === undefined ? '' : ` (${option.variable})`}`,
    ]),
    OPTION_WIDTH,
  );

/** Every variable: those that stand for an option, then the others. */
export function variablesOf(commands: readonly Command[]): readonly (readonly [name: string, text: string])[] {
  const ofOptions = new Map<string, string>();
  for (const { options } of commands)
    for (const [name, { variable, text }] of Object.entries(options))
      if (variable !== undefined) ofOptions.set(variable, `--${name}: ${text}`);
  return [...ofOptions, ...VARIABLES];
}

const VARIABLE_WIDTH = 32;

export const helpOnEnvironment = (commands: readonly Command[]): string => `\
Variables of the environment

${columns(variablesOf(commands), VARIABLE_WIDTH)}

An option comes before its variable, a variable of the process before the project's .env file, and that before
config/sheaf.json and Strapi's files config/api, server, database, middlewares and plugins, with config/env/<NODE_ENV>
over them. sheaf config shows what holds and where it comes from.
`;

/** `sheaf help WORD…`, `sheaf WORD… --help`: of the environment, of a command, of those that begin so, or of all. */
export function helpText(commands: readonly Command[], words: readonly string[]): string {
  const topic = words.join(' ');
  if (topic === '') return helpOn(commands);
  if (topic === 'environment') return helpOnEnvironment(commands);
  const command = commands.find(({ name }) => name === topic);
  if (command) return helpOnCommand(command);
  const below = commands.filter(({ name }) => name.startsWith(`${topic} `));
  if (below.length === 0) throw notACommand(commands, words);
  return helpOn(below);
}
