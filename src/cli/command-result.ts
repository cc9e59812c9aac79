// What a command on an open project returns: words for people, and a value for programs.
import type { Auth } from '../accounts/auth.ts';
import { open, type Sheaf } from '../app.ts';
import { onlyReads, openOptions, type ServerConfig } from '../project/environment.ts';
import { printable, printableLines } from './printable.ts';

export interface CommandResult {
  readonly text: string;
  readonly value: unknown;
}

/** An open project, as commands use it. */
export interface OpenProject {
  readonly sheaf: Sheaf;
  readonly auth: Auth;
  readonly config: ServerConfig;
}

export interface AccountCommandOptions {
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  readonly role?: string | undefined;
  readonly type?: string | undefined;
  readonly days?: string | undefined;
  /** The role that users get in place of one that is deleted. */
  readonly 'move-to'?: string | undefined;
  readonly json?: boolean | undefined;
  /** Does not ask whether that is meant. */
  readonly yes?: boolean | undefined;
}

export type AccountCommand = (
  project: OpenProject,
  words: readonly string[],
  options: AccountCommandOptions,
) => Promise<CommandResult>;

export interface ProjectCommand {
  /** As it is called, for messages. */
  readonly name: string;
  /** Whether it writes nothing. */
  readonly reads: boolean;
  readonly json: boolean;
}

/** Opens the project for a command. Returns what is printed. */
export async function onProject(
  config: ServerConfig,
  { name, reads, json }: ProjectCommand,
  work: (project: OpenProject) => Promise<CommandResult>,
): Promise<string> {
  if (config.readOnly && !reads) throw onlyReads(`sheaf ${name}`);
  const sheaf = await open({ ...openOptions(config), readOnly: reads });
  try {
    const { text, value } = await work({ sheaf, auth: await sheaf.auth(), config });
    return `${json ? JSON.stringify(value) : printableLines(text)}\n`;
  } finally {
    await sheaf.close();
  }
}

/** A table for people: columns as wide as their longest value, without spaces at the ends of lines. */
export function tableText(values: readonly (readonly string[])[]): string {
  const rows = values.map((row) => row.map(printable));
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((value, column) => value.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
