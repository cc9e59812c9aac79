// The source of a project's own files, as JavaScript. Strapi compiles TypeScript to CommonJS and drops imports that only
// name types; Node's own type stripping does neither.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Loader, TransformOptions } from 'esbuild';
import { isObject } from '../type-guards.ts';
import type { CompiledCache } from './compiled-cache.ts';

const LOADERS: Readonly<Record<string, Loader>> = {
  '.ts': 'ts',
  '.mts': 'ts',
  '.cts': 'ts',
  '.tsx': 'tsx',
  '.jsx': 'jsx',
};

/** Loaded with the first file: a project that has none to compile need not wait for it. */
const esbuild = (): typeof import('esbuild') => createRequire(import.meta.url)('esbuild');

/** Whether a file has to be compiled before Node runs it as CommonJS; JavaScript only if it turns out to be a module. */
export const needsCompiler = (file: string): boolean => LOADERS[path.extname(file)] !== undefined;

interface SourceFile {
  readonly file: string;
  readonly text: string;
}

const commonJs = (file: string): TransformOptions => ({
  loader: LOADERS[path.extname(file)] ?? 'js',
  sourcefile: file,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  sourcemap: 'inline',
  sourcesContent: false,
  logLevel: 'silent',
});

/** The forms of what is kept: a file as CommonJS, and why it cannot be compiled. */
const COMMON_JS = 'cjs';
const NOT_VALID = 'not valid';

/** Many files as CommonJS, by file; those that are not valid are left out. One compiler serves all that are not kept. */
export async function commonJsOf(
  files: readonly SourceFile[],
  cache: CompiledCache,
): Promise<ReadonlyMap<string, string>> {
  const compiled = new Map<string, string>();
  const lacking = files.filter(({ file, text }) => {
    const kept = cache.get(COMMON_JS, file, text);
    if (kept !== null) compiled.set(file, kept);
    return kept === null && cache.get(NOT_VALID, file, text) === null;
  });
  if (lacking.length === 0) return compiled;
  await withCompiler(() =>
    Promise.all(
      lacking.map(async (source) => {
        const { file, text } = source;
        const made = await esbuild()
          .transform(text, commonJs(file))
          .catch(() => null);
        if (!made) return;
        compiled.set(file, made.code);
        cache.set(COMMON_JS, source, made.code);
      }),
    ),
  );
  return compiled;
}

/** One file, at once; throws where it is not valid. */
export function commonJsNow(source: SourceFile, cache: CompiledCache): string {
  const { file, text } = source;
  const kept = cache.get(COMMON_JS, file, text);
  if (kept !== null) return kept;
  const failure = cache.get(NOT_VALID, file, text);
  if (failure !== null) throw Object.assign(new Error(), JSON.parse(failure));
  try {
    const { code } = esbuild().transformSync(text, commonJs(file));
    cache.set(COMMON_JS, source, code);
    return code;
  } catch (error) {
    const { message, errors } = isObject(error) ? error : {};
    // Without a list of errors it was the compiler that failed, not the file.
    if (Array.isArray(errors) && errors.length > 0) cache.set(NOT_VALID, source, JSON.stringify({ message, errors }));
    throw error;
  }
}

/**
 * The source of many files for reading, by file, with imports and exports as they were written; null for one that is
 * not valid. One compiler serves all of them.
 */
export async function sourcesOf(
  files: readonly string[],
  cache: CompiledCache | null = null,
): Promise<ReadonlyMap<string, string | null>> {
  const sources = new Map<string, string | null>();
  const lacking: SourceFile[] = [];
  for (const file of files) {
    const text = readFileSync(file, 'utf8');
    const kept = needsCompiler(file) ? cache?.get(ES_MODULE, file, text) : readable(file, text);
    if (kept === null || kept === undefined) lacking.push({ file, text });
    else sources.set(file, kept);
  }
  if (lacking.length === 0) return sources;
  await withCompiler(() =>
    Promise.all(
      lacking.map(async (source) => {
        const code = await compiledToRead(source).catch(() => null);
        sources.set(source.file, code);
        if (code !== null) cache?.set(ES_MODULE, source, code);
      }),
    ),
  );
  return sources;
}

const ES_MODULE = 'esm';

/** What need not be compiled. */
const readable = (file: string, text: string): string =>
  path.extname(file) === '.json' ? `export default ${text}` : text;

const compiledToRead = async ({ file, text }: SourceFile): Promise<string> =>
  (await esbuild().transform(text, { loader: LOADERS[path.extname(file)]!, target: 'node24', logLevel: 'silent' }))
    .code;

async function withCompiler<T>(work: () => Promise<T>): Promise<T> {
  readers++;
  try {
    return await work();
  } finally {
    // It is a process of its own, which nobody needs from then on.
    if (--readers === 0) await esbuild().stop();
  }
}

/** How many use the one compiler at this moment. */
let readers = 0;
