// Runs the command that the arguments name, and ends with a message and an exit code.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { editDistance } from '../edit-distance.ts';
import { SetupError, SheafError } from '../errors.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import type { ServerConfig, ServerOptions } from '../project/environment.ts';
import { type Command, flag, type Options } from './command.ts';
import { COMMANDS } from './commands.ts';
import { commandsBelow, helpOn, helpOnCommand, usageOf } from './help.ts';
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
    if (words.help) return printed(helpOn(commandsBelow(COMMANDS, words.positionals)));
    if (words.positionals.length === 0) return printed(helpOn(COMMANDS), WRONG_USE);
    throw notACommand(words.positionals);
  } catch (error) {
    console.error(errorText(error, words.json));
    // `sheaf compare` ends with 1 where it finds a difference.
    return command === undefined || command.name === 'compare' ? WRONG_USE : 1;
  }
}

/** What the operator or a client did wrong, in words or for programs. Anything else is a defect of ours. */
function errorText(error: unknown, json: boolean): string {
  if (!(error instanceof SetupError || error instanceof SheafError)) throw error;
  if (!json) return `sheaf: ${printableLines(error.message)}`;
  const [message, hints] = error instanceof SetupError ? [error.summary, error.problems] : [error.message, [] as const];
  return JSON.stringify({ error: { message, hints } });
}

function printed(text: string, code = 0): number {
  process.stdout.write(text);
  return code;
}

const versionOf = (): string => JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8')).version;

/** The words that are neither options nor their values, whatever the command. */
function wordsOf(args: readonly string[]) {
  const options = Object.assign({}, COMMON, ...COMMANDS.map((command) => command.options)) as Options;
  const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false });
  return {
    positionals,
    help: values.help === true,
    version: values.version === true,
    json: values.json === true,
  };
}

const findCommand = (words: readonly string[]): Command | undefined =>
  COMMANDS.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));

function notACommand(words: readonly string[]): SetupError {
  const given = words.join(' ');
  const below = COMMANDS.filter(({ name }) => name.startsWith(`${words[0]} `));
  const names = (below.length > 0 ? below : COMMANDS).map(({ name }) => name);
  const nearest = nearestName(given, names);
  return new SetupError(`"${given}" is not a command`, [
    ...(nearest === null ? [] : [`did you mean sheaf ${nearest}?`]),
    ...(below.length > 0 ? [`there is ${below.map(({ name }) => `sheaf ${name}`).join(', ')}`] : []),
    'sheaf --help shows them all',
  ]);
}

/** At most this share of the letters may be wrong. */
const MAX_WRONG = 0.4;

function nearestName(given: string, names: readonly string[]): string | null {
  const distances = names.map((name) => {
    const sameLength = given.split(' ').slice(0, name.split(' ').length).join(' ');
    return [editDistance(sameLength, name) / name.length, name] as const;
  });
  const [wrong, name] = distances.toSorted(([one], [other]) => one - other)[0]!;
  return wrong <= MAX_WRONG ? name : null;
}

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  const { values, positionals } = parsed(command, args);
  if (values.help === true) return printed(helpOnCommand(command));
  const operands = positionals.slice(command.name.split(' ').length);
  const [least, most] = command.arity;
  if (operands.length < least || operands.length > most)
    throw new SetupError(operands.length < least ? 'The command is not complete' : 'The command has too many words', [
      `expected ${usageOf(command)}`,
      `sheaf ${command.name} --help shows examples`,
    ]);
  return (await command.run({ values, operands, variables: process.env, config: () => configOf(values) })) ?? 0;
}

function parsed(command: Command, args: readonly string[]) {
  const options = { ...command.options, ...COMMON };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS')) throw error;
    const hint = `sheaf ${command.name} --help shows the options`;
    const [, unknown] = (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION' && /^Unknown option '([^']+)'/.exec(message)) || [];
    if (unknown === undefined) throw new SetupError(message, [hint]);
    const nearest = nearestName(
      unknown,
      Object.keys(options).map((name) => `--${name}`),
    );
    throw new SetupError(`sheaf ${command.name} has no option ${unknown}`, [
      ...(nearest === null ? [] : [`did you mean ${nearest}?`]),
      hint,
    ]);
  }
}

async function configOf(values: Record<string, unknown>): Promise<ServerConfig> {
  const { readConfig } = await import('../project/environment.ts');
  const options = values as ServerOptions;
  if (values.example !== true) return readConfig(options);
  const { exampleProject } = await import('./example.ts');
  return readConfig({ ...options, ...exampleProject() });
}
