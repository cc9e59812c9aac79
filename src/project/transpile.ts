// The source of a project's own files, as JavaScript. Strapi compiles TypeScript to CommonJS and drops imports that only
// name types; Node's own type stripping does neither.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Loader, transformSync } from 'esbuild';

const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts' };

/** `cjs`: runs as a CommonJS module. `esm`: for reading, with the module's imports and exports as they were written. */
export function transpileFile(file: string, format: 'cjs' | 'esm'): string {
  return transformSync(readFileSync(file, 'utf8'), {
    loader: LOADERS[path.extname(file)] ?? 'js',
    sourcefile: file,
    platform: 'node',
    target: 'node24',
    ...(format === 'cjs' && { format, sourcemap: 'inline' }),
    logLevel: 'silent',
  }).code;
}
