// The source of a project's own files, as JavaScript. Strapi compiles TypeScript to CommonJS and drops imports that only
// name types; Node's own type stripping does neither.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Loader } from 'esbuild';

const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.jsx': 'jsx',
};

/** Loaded with the first file: a project that has none to compile need not wait for it. */
const esbuild = (): typeof import('esbuild') => createRequire(import.meta.url)('esbuild');

/** `cjs`: runs as a CommonJS module. `esm`: for reading, with the module's imports and exports as they were written. */
export function transpileFile(file: string, format: 'cjs' | 'esm'): string {
  return esbuild().transformSync(readFileSync(file, 'utf8'), {
    loader: LOADERS[path.extname(file)] ?? 'js',
    sourcefile: file,
    platform: 'node',
    target: 'node24',
    ...(format === 'cjs' && { format, sourcemap: 'inline' }),
    logLevel: 'silent',
  }).code;
}

/**
 * The source of many files for reading, by file, with imports and exports as they were written; null for one that is
 * not valid. One compiler serves all of them, where `transpileFile` starts one for each.
 */
export async function sourcesOf(files: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
  readers++;
  try {
    const sources = files.map(
      async (file): Promise<[string, string | null]> => [file, await readSource(file).catch(() => null)],
    );
    return new Map(await Promise.all(sources));
  } finally {
    // It is a process of its own, which nobody needs from then on.
    if (--readers === 0) await esbuild().stop();
  }
}

/** How many use the one compiler at this moment. */
let readers = 0;

async function readSource(file: string): Promise<string> {
  const text = readFileSync(file, 'utf8');
  const loader = LOADERS[path.extname(file)];
  if (path.extname(file) === '.json') return `export default ${text}`;
  return loader ? (await esbuild().transform(text, { loader, target: 'node24', logLevel: 'silent' })).code : text;
}
