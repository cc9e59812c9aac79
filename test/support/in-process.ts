// Runs commands of the command line in this process: what they print is collected, and their input is given.
import { PassThrough } from 'node:stream';
import { vi } from 'vitest';
import { run } from '../../src/cli/run.ts';
import type { Ran } from './commands.ts';
import type { Answered } from './content.ts';

export async function runHere(words: readonly string[], input = ''): Promise<Ran> {
  let [out, err] = ['', ''];
  const collecting = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      out += text;
      return true;
    }),
    vi.spyOn(console, 'error').mockImplementation((text) => {
      err += `${text}\n`;
    }),
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(new PassThrough().end(input) as unknown as typeof process.stdin),
  ];
  try {
    return { code: await run(words), out, err };
  } finally {
    for (const one of collecting) one.mockRestore();
  }
}

/** Commands on one project and database: in words, for programs, and those that are refused. */
export function commandsOn(project: string, database: string) {
  const place = ['--project', project, '--database', database];
  const said = async (words: readonly string[], input?: string): Promise<string> => {
    const { code, out, err } = await runHere([...words, ...place], input);
    if (code !== 0) throw new Error(`sheaf ${words.join(' ')} ended with ${code}: ${err}`);
    return out;
  };
  return {
    said,
    json: async (words: readonly string[], input?: string): Promise<Answered> =>
      JSON.parse(await said([...words, '--json'], input)),
    /** What a command that is refused says, for programs. */
    async refused(words: readonly string[], input?: string): Promise<{ message: string; hints: string[] }> {
      const { code, out, err } = await runHere([...words, ...place, '--json'], input);
      if (code === 0) throw new Error(`sheaf ${words.join(' ')} was not refused: ${out}`);
      return JSON.parse(err).error;
    },
  };
}
