// Programs that use the package as others do: in a folder of their own, where it is installed, with the types that
// `sheaf types` writes of the guide, compiled by TypeScript.
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');

/** Runs a program of Node in a folder; what it prints. */
export async function runIn(folder: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    cwd: folder,
    env: { ...process.env, ...env },
  });
  return stdout;
}

let guideTypes: Promise<string> | null = null;

/** Installs the package and the types that people have, and writes those of the guide. */
export async function prepare(folder: string, types = 'sheaf-types.d.ts'): Promise<void> {
  mkdirSync(path.join(folder, 'node_modules'), { recursive: true });
  symlinkSync(ROOT, path.join(folder, 'node_modules/sheaf'));
  symlinkSync(path.join(ROOT, 'node_modules/@types'), path.join(folder, 'node_modules/@types'));
  guideTypes ??= runIn(ROOT, ['dist/main.js', 'types', '--project', 'examples/guide', '--out', '-']);
  writeFileSync(path.join(folder, types), await guideTypes);
}

/** What the compiler has to say about a folder, by its own settings; nothing where all is well. */
export const problemsIn = (folder: string): Promise<string> =>
  runIn(folder, [TSC, '-p', '.', '--pretty', 'false']).catch((error: { readonly stdout?: string }) => {
    if (error.stdout) return error.stdout;
    throw error;
  });

/** The examples of a page of the documentation as one program: what is imported first, then each in a block of its own. */
export function programOf(page: string): string {
  const [first = '', ...others] = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text]) => text!);
  const isImport = (line: string): boolean => line.startsWith('import ');
  const [imports, rest] = [isImport, (line: string) => !isImport(line)].map((chosen) =>
    others.map((text) => text.split('\n').filter(chosen).join('\n')),
  );
  return [...imports!, first, ...rest!.map((text) => `{\n${text}\n}`)].join('\n');
}
