// Runs the command that the arguments name, and ends with a message and an exit code.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { missingRight } from '../db/missing-right.ts';
import { hintOn, nearestWord } from '../edit-distance.ts';
import { originOf, SetupError, SheafError } from '../errors.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import type { ServerConfig, ServerOptions } from '../project/environment.ts';
import { errorCode, errorMessage } from '../type-guards.ts';
import { type Command, flag, type Options } from './command.ts';
import { COMMANDS } from './commands.ts';
import { helpOn, helpOnCommand, helpText, usageOf } from './help.ts';
import { notACommand } from './not-a-command.ts';
import { printableLines } from './printable.ts';

/** Those of every command. */
const COMMON: Options = {
  help: { ...flag('show this'), short: 'h' },
  version: { ...flag('show the version'), short: 'v' },
};

/** A command that was called wrongly; nothing was done. */
const WRONG_USE = 2;

/** Returns the exit code. */
export async function run(args: readonly string[]): Promise<number> {
  const words = wordsOf(args);
  if (words.version) return printed(`${versionOf()}\n`);
  const command = findCommand(words.positionals);
  try {
    if (command !== undefined) return await runCommand(command, args);
    if (words.unknown !== null)
      throw new SetupError(`There is no option ${words.unknown}`, [
        ...nearestOption(words.unknown, EVERY_OPTION),
        'sheaf COMMAND --help shows the options of a command',
      ]);
    if (words.help) return printed(helpText(COMMANDS, words.positionals));
    if (words.positionals.length === 0) return printed(helpOn(COMMANDS), WRONG_USE);
    throw notACommand(COMMANDS, words.positionals);
  } catch (error) {
    console.error(errorText(error, words.json));
    // `sheaf compare` ends with 1 where it finds a difference.
    return command === undefined || command.name === 'compare' ? WRONG_USE : 1;
  }
}

/** What the operator or a client did wrong, in words or for programs. Anything else is a defect of ours. */
function errorText(thrown: unknown, json: boolean): string {
  const error = isFileError(thrown)
    ? new SetupError(`A file or folder cannot be used: ${thrown.message}`, [
        'expected one that this account may read, or may write where something is written',
      ])
    : (missingRight(thrown) ?? thrown);
  if (!(error instanceof SetupError || error instanceof SheafError)) throw error;
  if (!json) return `sheaf: ${printableLines(error.message)}`;
  const [message, hints] = error instanceof SetupError ? [error.summary, error.problems] : [error.message, [] as const];
  return JSON.stringify({ error: { message, hints } });
}

/** Whether the system refuses a file or a folder. That of a project's own code is a defect there. */
const isFileError = (thrown: unknown): thrown is Error =>
  thrown instanceof Error && 'syscall' in thrown && 'path' in thrown && originOf(thrown) === null;

function printed(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}

const versionOf = (): string => JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')).version;

const EVERY_OPTION: Options = Object.fromEntries(
  [COMMON, ...COMMANDS.map((command) => command.options)].flatMap((options) => Object.entries(options)),
);

/** The words that are neither options nor their values, whatever the command. */
function wordsOf(args: readonly string[]) {
  const options = EVERY_OPTION;
  const parsing = { args: [...args], options, allowPositionals: true, strict: false, tokens: true } as const;
  const { values, positionals, tokens } = parseArgs(parsing);
  const shorts = Object.values(options).map(({ short }) => short);
  const unknown = tokens.find(
    (token) => token.kind === 'option' && !(token.name in options) && !shorts.includes(token.name),
  );
  return {
    positionals,
    help: values.help === true,
    version: values.version === true,
    json: values.json === true,
    /** The first option that no command has. */
    unknown: unknown?.kind === 'option' ? unknown.rawName : null,
  };
}

const findCommand = (words: readonly string[]): Command | undefined =>
  COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(command, args);
  if (values.help === true) return printed(helpOnCommand(command));
  const operands = positionals.slice(command.name.split(' ').length);
  const [least, most] = command.arity;
  if (operands.length < least || operands.length > most)
    throw new SetupError(
      operands.length < least
        ? 'The command is not complete'
        : `sheaf ${command.name} does not take "${operands.slice(most).join(' ')}"`,
      [`expected ${usageOf(command)}`, `sheaf ${command.name} --help shows examples`],
    );
  refuseEmpty(command, values);
  const other = values.example === true && ['project', 'database'].find((name) => values[name] !== undefined);
  if (other) throw new SetupError(`--example has a ${other} of its own`, [`leave out --example, or --${other}`]);
  return (await command.run({ values, operands, variables: process.env, config: () => configOf(values) })) ?? 0;
}

/** A variable of the shell that is not set leaves nothing behind the option; no default is meant then. */
function refuseEmpty(command: Command, values: Readonly<Record<string, unknown>>): void {
  const empty = Object.entries(command.options).find(([name, { variable }]) => variable && values[name] === '');
  if (empty)
    throw new SetupError(`--${empty[0]} is empty`, [
      `expected --${empty[0]} ${empty[1].value}, or no --${empty[0]}`,
      `sheaf ${command.name} --help shows the options`,
    ]);
}

function parsed(command: Command, args: readonly string[]) {
  const options = { ...command.options, ...COMMON };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const [code = '', message] = [errorCode(error), errorMessage(error)];
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    const hint = `sheaf ${command.name} --help shows the options`;
    const [, unknown] = (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && /^Unknown option '([^']+)'/.exec(message)) || [];
    if (unknown === undefined) throw new SetupError(message, [hint]);
    throw new SetupError(`sheaf ${command.name} has no option ${unknown}`, [...nearestOption(unknown, options), hint]);
  }
}

function nearestOption(given: string, options: Options): string[] {
  const names = Object.keys(options).map((name) => `--${name}`);
  return hintOn(nearestWord(given, names));
}

async function configOf(values: Record<string, unknown>): Promise<ServerConfig> {
  const { readConfig } = await import('../project/environment.ts');
  const options = values as ServerOptions;
  if (values.example !== true) return readConfig(options);
  const { exampleProject } = await import('./example.ts');
  return readConfig({ ...options, ...exampleProject() });
}
