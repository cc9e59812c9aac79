// Runs the files of a project as CommonJS modules, as Strapi does: TypeScript and JavaScript are compiled, imports that
// only name types are left out, relative imports need no ending. What was compiled is kept on disk by its content, so
// that the next start reads it. Packages come from the project; those of Strapi are ours.
import { readFileSync, statSync } from 'node:fs';
import { createRequire, isBuiltin, SourceMap } from 'node:module';
import path from 'node:path';
import { compileFunction, constants } from 'node:vm';
import type { CompiledCache } from '../../project/compiled-cache.ts';
import { type EnvHelper, envHelper } from '../../project/env-helper.ts';
import { commonJsNow, commonJsOf, needsCompiler } from '../../project/transpile.ts';
import { memberOf } from '../../type-guards.ts';
import { membersOf } from './code-values.ts';

type Require = (specifier: string) => unknown;

interface ProjectModule {
  exports: unknown;
  /** As code may look at it. */
  readonly id: string;
  readonly filename: string;
  loaded: boolean;
}

export interface StrapiModulesOptions {
  readonly project: string;
  /** Where compiled files are kept. */
  readonly cache: CompiledCache;
  /** The variables that code sees as `process.env`. */
  readonly environment: NodeJS.ProcessEnv;
  /** What stands for a package; undefined where the project's own is taken. */
  readonly standIn: (specifier: string) => unknown;
}

/** What went wrong in a file of the project. */
export class CodeError extends Error {
  /** Below the project. */
  readonly file: string;
  readonly line: number | null;

  constructor(file: string, line: number | null, cause: unknown) {
    super(`${file}${line === null ? '' : `:${line}`}: ${messageOf(cause)}`);
    this.name = 'CodeError';
    this.file = file;
    this.line = line;
    this.cause = cause;
  }
}

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname', 'process'];
const ENDINGS = ['', '.ts', '.js', '.json', '.cts', '.cjs', '.mts', '.mjs', '.tsx', '/index.ts', '/index.js'];

export class StrapiModules {
  readonly project: string;
  readonly env: EnvHelper;
  readonly #cache: CompiledCache;
  readonly #standIn: StrapiModulesOptions['standIn'];
  readonly #process: NodeJS.Process;
  readonly #modules = new Map<string, ProjectModule>();
  readonly #compiled = new Map<string, string>();
  readonly #maps = new Map<string, SourceMap>();

  constructor({ project, cache, environment, standIn }: StrapiModulesOptions) {
    this.project = path.resolve(project);
    this.#cache = cache;
    this.#standIn = standIn;
    this.env = envHelper(environment);
    this.#process = Object.create(process, {
      env: { value: { ...environment }, writable: true },
      cwd: { value: () => this.project },
    });
  }

  /** Compiles those that are not kept yet, all at once: one after the other would take much longer. */
  async prepare(files: readonly string[]): Promise<void> {
    const sources = files.filter(needsCompiler).map((file) => ({ file, text: readFileSync(file, 'utf8') }));
    // What cannot be compiled is told when it is loaded.
    for (const [file, code] of await commonJsOf(sources, this.#cache)) this.#compiled.set(file, code);
  }

  /** What a file exports by default. */
  load(file: string): unknown {
    return defaultOf(this.exports(file));
  }

  /** All that a file exports. */
  exports(file: string): unknown {
    try {
      return this.#load(file).exports;
    } catch (error) {
      throw this.failure(file, error);
    }
  }

  /** What a path from the project's folder, or a package of the project, exports. */
  required(specifier: string): unknown {
    return this.#requireFrom(path.join(this.project, 'package.json'))(specifier);
  }

  /** An error with the place in the project that it comes from; `file` where its stack names none. */
  failure(file: string, error: unknown): CodeError {
    if (error instanceof CodeError) return error;
    const place = this.placeOf(error) ?? syntaxPlace(error);
    return new CodeError(this.#shown(place?.file ?? file), place?.line ?? null, error);
  }

  /** The first place of an error's stack that is a file of the project. */
  placeOf(error: unknown): { readonly file: string; readonly line: number } | null {
    const stack = error instanceof Error ? (error.stack ?? '') : '';
    for (const [, file, line, column] of stack.matchAll(/\(?((?:\/|[A-Za-z]:\\)[^():]+):(\d+):(\d+)\)?/g)) {
      if (!this.#isOwn(file!)) continue;
      return { file: file!, line: this.#lineOf(file!, Number(line), Number(column)) };
    }
    return null;
  }

  /** The same for people, such as `src/index.ts:12`. */
  shownPlace(error: unknown): string | null {
    const place = this.placeOf(error);
    return place && `${this.#shown(place.file)}:${place.line}`;
  }

  #shown(file: string): string {
    return path.relative(this.project, file).split(path.sep).join('/');
  }

  #isOwn(file: string): boolean {
    return file.startsWith(this.project + path.sep) && !file.includes(`${path.sep}node_modules${path.sep}`);
  }

  #lineOf(file: string, line: number, column: number): number {
    const map = this.#mapOf(file);
    const entry = map?.findEntry(line - 1, column - 1);
    return entry && 'originalLine' in entry ? entry.originalLine + 1 : line;
  }

  #mapOf(file: string): SourceMap | null {
    const known = this.#maps.get(file);
    if (known) return known;
    const text = this.#compiled.get(file);
    const [, encoded] = /\/\/# sourceMappingURL=data:application\/json;base64,(\S+)\s*$/.exec(text ?? '') ?? [];
    if (encoded === undefined) return null;
    const map = new SourceMap(JSON.parse(Buffer.from(encoded, 'base64').toString()));
    this.#maps.set(file, map);
    return map;
  }

  #load(file: string): ProjectModule {
    const known = this.#modules.get(file);
    if (known) return known;
    const module: ProjectModule = { exports: {}, id: file, filename: file, loaded: false };
    this.#modules.set(file, module);
    try {
      if (path.extname(file) === '.json') module.exports = JSON.parse(readFileSync(file, 'utf8'));
      else this.#run(file, module);
      module.loaded = true;
    } catch (error) {
      this.#modules.delete(file);
      throw error;
    }
    return module;
  }

  #run(file: string, module: ProjectModule): void {
    const shown = this.#placeInDist(file);
    const run = this.#functionOf(file);
    run.call(
      module.exports,
      module.exports,
      this.#requireFrom(file),
      module,
      shown,
      path.dirname(shown),
      this.#process,
    );
  }

  /** JavaScript that is CommonJS already runs as it is. */
  #functionOf(file: string): CompiledFunction {
    const compiled = this.#compiled.get(file);
    if (compiled !== undefined) return functionOf(compiled, file);
    const text = readFileSync(file, 'utf8');
    if (!needsCompiler(file))
      try {
        return functionOf(text, file);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    return functionOf(this.#compile(file, text), file);
  }

  #compile(file: string, text: string): string {
    const code = commonJsNow({ file, text }, this.#cache);
    this.#compiled.set(file, code);
    return code;
  }

  /** Where a file stands when Strapi runs it: TypeScript is compiled to `dist`, and paths begin there. */
  #placeInDist(file: string): string {
    const ending = path.extname(file);
    if (!ending.endsWith('ts') || !this.#isOwn(file)) return file;
    const inside = path.relative(this.project, file).slice(0, -ending.length);
    return path.join(this.project, 'dist', `${inside}${ending.replace('ts', 'js')}`);
  }

  #requireFrom(file: string): Require & { readonly resolve: (specifier: string) => string } {
    const native = createRequire(file);
    const required: Require = (specifier) => {
      if (isBuiltin(specifier)) return native(specifier);
      if (!isPath(specifier)) return this.#package(native, specifier, file);
      return this.#load(this.#resolve(file, specifier)).exports;
    };
    const resolve = (specifier: string): string =>
      isPath(specifier) ? this.#resolve(file, specifier) : native.resolve(specifier);
    return Object.assign(required, { resolve, cache: {} });
  }

  #resolve(file: string, specifier: string): string {
    const target = path.resolve(path.dirname(file), specifier);
    // An import may have the ending of what is compiled.
    const targets = [target, target.replace(/\.([cm]?)js$/, '.$1ts')];
    const found = targets.flatMap((one) => ENDINGS.map((ending) => one + ending)).find(isFile);
    if (found === undefined) throw new Error(`it imports ${specifier}, which is not there`);
    return found;
  }

  #package(native: NodeJS.Require, specifier: string, file: string): unknown {
    const standIn = this.#standIn(specifier);
    if (standIn !== undefined) return standIn;
    let found: string;
    try {
      found = native.resolve(specifier);
    } catch (error) {
      const [name] = /^(?:@[^/]+\/)?[^/]+/.exec(specifier) ?? [specifier];
      const missing = new Error(
        `it needs the package "${name}", which is not installed; run npm install in ${this.project}`,
      );
      missing.cause = error;
      throw new CodeError(this.#shown(file), null, missing);
    }
    return native(found);
  }
}

type CompiledFunction = ReturnType<typeof compileFunction>;

const functionOf = (code: string, filename: string): CompiledFunction =>
  compileFunction(code, PARAMETERS, {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });

const isPath = (specifier: string): boolean => /^\.{0,2}\//.test(specifier) || specifier === '.' || specifier === '..';

const isFile = (file: string): boolean => statSync(file, { throwIfNoEntry: false })?.isFile() === true;

/** The first of what the compiler has to tell of a file; undefined for an error of anything else. */
function firstTold(error: unknown): unknown {
  const errors = memberOf(error, 'errors');
  return Array.isArray(errors) ? errors[0] : undefined;
}

/** Where a file is not valid: the compiler tells it, and so does the engine, in the first line of the stack. */
function syntaxPlace(error: unknown): { readonly file: string; readonly line: number } | null {
  const { file: place, line: at } = membersOf(memberOf(firstTold(error), 'location'));
  if (typeof place === 'string' && typeof at === 'number') return { file: path.resolve(place), line: at };
  const [, file, line] = /^(\/[^\n:]+):(\d+)\n/.exec(error instanceof SyntaxError ? (error.stack ?? '') : '') ?? [];
  return file === undefined ? null : { file, line: Number(line) };
}

function messageOf(cause: unknown): string {
  const text = memberOf(firstTold(cause), 'text');
  if (typeof text === 'string') return text;
  return cause instanceof Error ? cause.message : String(cause);
}

/** `exports.default` of what was compiled, or all of `module.exports`. */
export const defaultOf = (exported: unknown): unknown =>
  typeof exported === 'object' && exported !== null && '__esModule' in exported && 'default' in exported
    ? exported.default
    : exported;
