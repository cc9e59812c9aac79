// docs/cli.md, made from the table of commands.
import { type Command, type Options, PROJECT_OPTIONS } from '../../src/cli/command.ts';
import { bySubject, optionUsage, usageOf, variablesOf } from '../../src/cli/help.ts';

const anchor = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

/** A bar inside a cell would end it. */
const cell = (text: string): string => text.replaceAll('|', '\\|');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(cell));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]!.length)));
  const line = (row: readonly string[]) => `| ${row.map((text, column) => text.padEnd(widths[column]!)).join(' | ')} |`;
  const [first, ...rest] = all.map(line);
  return [first, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest].join('\n');
}

const optionsTable = (options: Options): string =>
  table(
    ['option', 'variable', 'meaning'],
    Object.entries(options).map(([name, option]) => [
      `\`${optionUsage(name, option)}\``,
      option.variable === undefined ? '' : `\`${option.variable}\``,
      option.text,
    ]),
  );

const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

function commandText(command: Command): string {
  const { name, options, summary, details, examples } = command;
  const takesProject = Object.keys(PROJECT_OPTIONS).every((option) => option in options);
  const own = Object.fromEntries(
    Object.entries(options).filter(([option]) => option !== 'json' && !(takesProject && option in PROJECT_OPTIONS)),
  );
  const shared = [
    ...(takesProject ? ['the [options of the project](#options-of-the-project)'] : []),
    ...('json' in options ? ['`--json`'] : []),
  ];
  return [
    `### sheaf ${name}`,
    `\`${usageOf(command)}\``,
    sentence(summary),
    ...(details === '' ? [] : [`\`\`\`\n${details}\n\`\`\``]),
    ...(Object.keys(own).length > 0 ? [optionsTable(own)] : []),
    ...(shared.length > 0 ? [`Takes ${shared.join(' and ')}.`] : []),
    `\`\`\`sh\n${examples.join('\n')}\n\`\`\``,
  ].join('\n\n');
}

export function cliReference(commands: readonly Command[]): string {
  const subjects = bySubject(commands);
  return `${[
    '# Command line',
    `This page is made from the table of commands: \`npx vitest run test/cli-reference.test.ts -u\` writes it. \`sheaf COMMAND
--help\` shows the same in a terminal.`,
    subjects.map(([title]) => `- [${title}](#${anchor(title)})`).join('\n'),
    `Inside a project folder, or any folder in it, nothing has to be named: the project is found upwards, and \`.env\` or
\`config/database\` names its database.

\`--json\` prints one JSON document for programs. What goes wrong is then told on standard error as
\`{"error": {"message": "…", "hints": ["…"]}}\`. Exit codes: 0 for success; 1 where something is wrong; 2 where the
command is not known, with further meanings for [sheaf compare](#sheaf-compare).`,
    `## Options of the project\n\n${optionsTable(PROJECT_OPTIONS)}`,
    ...subjects.map(([title, own]) => [`## ${title}`, ...own.map(commandText)].join('\n\n')),
    `## Environment\n\n${table(
      ['variable', 'meaning'],
      variablesOf(commands).map(([names, text]) => [
        names
          .split(', ')
          .map((name) => `\`${name}\``)
          .join(', '),
        text,
      ]),
    )}`,
  ].join('\n\n')}\n`;
}
