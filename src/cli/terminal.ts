// Asks the person at the terminal. Where nobody is there, what is missing has to be an option or the input.
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { SetupError } from '../errors.ts';
import { printableLines } from './printable.ts';

export async function ask(question: string, option: string): Promise<string> {
  if (!process.stdin.isTTY) throw new SetupError(`${option} is missing`, ['there is nobody to ask on this input']);
  const dialog = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await dialog.question(question)).trim();
  } finally {
    dialog.close();
  }
}

export interface Confirmation {
  /** What would be done. */
  readonly what: string;
  readonly question: string;
  /** What is said where the answer is no. */
  readonly refusal: string;
  /** What to do where there is nobody to ask. */
  readonly hint?: string;
}

/** Shows what would be done, and goes on if that is meant. */
export async function confirm({ what, question, refusal, hint = YES }: Confirmation): Promise<void> {
  if (!process.stdin.isTTY) throw new SetupError(what, [hint]);
  process.stderr.write(`${printableLines(what)}\n`);
  if (!/^y(es)?$/i.test(await ask(`${question} [y/N] `, '--yes'))) throw new SetupError(refusal);
}

const YES = 'add --yes if that is meant';

/** From a terminal without showing it; from a pipe its first line. */
export async function promptPassword(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { isTTY } = process.stdin;
  if (isTTY) process.stderr.write(printableLines(question));
  const dialog = createInterface({ input: process.stdin, output: silent, terminal: isTTY === true });
  try {
    for await (const line of dialog) return line;
    throw new SetupError('The password is missing', ['type it, or send it as the first line of the input']);
  } finally {
    dialog.close();
    if (isTTY) process.stderr.write('\n');
  }
}
