// The texts of `sheaf --help` and of `sheaf COMMAND --help`, made from the table of commands.
import type { Command, Options } from './command.ts';

const usageOf = ({ name, operands }: Command): string => `sheaf ${name}${operands === '' ? '' : ` ${operands}`}`;

/** Two columns; a left side that is too long has a line of its own. */
function columns(rows: readonly (readonly [string, string])[], width: number): string {
  return rows
    .map(([left, right]) =>
      left.length > width ? `  ${left}\n${' '.repeat(width + 4)}${right}` : `  ${left.padEnd(width)}  ${right}`,
    )
    .join('\n');
}

const USAGE_WIDTH = 30;
const OPTION_WIDTH = 22;

export const helpOn = (commands: readonly Command[]): string => `\
sheaf: serves structured content over HTTP, with deep filters and ordered relations.

Usage
${columns(
  commands.map((command) => [usageOf(command), command.summary]),
  USAGE_WIDTH,
)}
  sheaf COMMAND --help            what a command does, with its options and examples
  sheaf --help | --version

Begin
  sheaf start --example

A project is a folder with src/api/<name>/content-types/<name>/schema.json and src/components/<category>/<name>.json.
`;

export const helpOnCommand = (command: Command): string =>
  [
    `Usage\n  ${usageOf(command)} [options]\n\n${command.summary}`,
    ...(command.details === '' ? [] : [command.details]),
    `Options\n${optionsText(command.options)}`,
    `Examples\n${command.examples.map((example) => `  ${example}`).join('\n')}\n`,
  ].join('\n\n');

const optionsText = (options: Options): string =>
  columns(
    Object.entries(options).map(([name, { value, text, variable }]) => [
      `--${name}${value === undefined ? '' : ` ${value}`}`,
      `${text}${variable === undefined ? '' : ` (${variable})`}`,
    ]),
    OPTION_WIDTH,
  );
