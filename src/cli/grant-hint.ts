// The command that lets the public read, ready to be copied into a shell.
import { readActions } from '../access/actions.ts';
import type { Withheld } from '../access/withheld.ts';
import type { Model } from '../model/types.ts';
import { withoutPassword } from '../project/connection-url.ts';

/** Options as they were given on the command line; what comes from the environment is there for the next command too. */
export interface GivenOptions {
  readonly project?: string | undefined;
  readonly database?: string | undefined;
}

/**
 * Lines of a command that grants the public to read all content; none where the project has no types of its own. What is
 * withheld is left out: it would be open to all as soon as the code that closes it is named.
 */
export function grantHint(model: Model, withheld: Withheld, { project, database }: GivenOptions): string[] {
  const types = readActions(model)
    .map((actions) => actions.filter((action) => !withheld.has(action)))
    .filter((actions) => actions.length > 0);
  if (types.length === 0) return [];
  const options = [
    ...(project === undefined ? [] : ['--project', shellWord(project)]),
    ...(database === undefined ? [] : ['--database', shellWord(withoutPassword(database))]),
  ];
  const lines = [...types, ...(options.length > 0 ? [options] : [])].map((words) => `    ${words.join(' ')}`);
  return ['  sheaf role grant public', ...lines].map((line, index) => (index < lines.length ? `${line} \\` : line));
}

/** A word as a shell reads it. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
