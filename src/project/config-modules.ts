// Runs the configuration files of a Strapi project, which are programs: CommonJS, or TypeScript that is compiled to it.
// They see the variables of the project's .env file as Strapi shows them, and packages of the project's node_modules.
import { Console } from 'node:console';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { compileFunction, constants } from 'node:vm';
import { SetupError } from '../errors.ts';
import { type CompiledCache, codeCache } from './compiled-cache.ts';
import { type EnvHelper, envHelper } from './env-helper.ts';
import { commonJsNow } from './transpile.ts';

type Require = (specifier: string) => unknown;

interface ProjectModule {
  exports: unknown;
}

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname', 'process', 'console'];
const ENDINGS = ['', '.ts', '.js', '.json', '.cts', '.cjs', '/index.ts', '/index.js'];
const DATABASE_CLIENTS: readonly unknown[] = ['mysql', 'postgres', 'sqlite'];

export class ConfigModules {
  readonly env: EnvHelper;
  readonly #project: string;
  readonly #process: NodeJS.Process;
  readonly #standIns: ReadonlyMap<string, unknown>;
  readonly #modules = new Map<string, ProjectModule>();
  /** Where the project keeps what is compiled, if it is the usual place. */
  readonly #cache: CompiledCache;

  constructor(project: string, environment: NodeJS.ProcessEnv) {
    this.#project = path.resolve(project);
    this.env = envHelper(environment);
    const state = path.join(this.#project, '.sheaf');
    this.#cache = codeCache(state, !existsSync(state));
    // Strapi runs in the project's folder, and puts the variables of its .env file into its own process.
    this.#process = Object.create(process, {
      env: { value: { ...environment } },
      cwd: { value: () => this.#project },
      exit: { value: refuseToExit },
      // Standard output belongs to the command that reads the configuration.
      stdout: { value: process.stderr },
    });
    this.#standIns = new Map<string, unknown>([
      ['@strapi/strapi', {}],
      ['@strapi/utils', { env: this.env }],
      ['@strapi/database', { isDatabaseClientKind: (value: unknown) => DATABASE_CLIENTS.includes(value) }],
    ]);
  }

  /** What a file exports by default. What goes wrong in it is told with its name. */
  load(file: string): unknown {
    try {
      const exported = this.#load(file).exports;
      return isModule(exported) ? exported.default : exported;
    } catch (error) {
      throw this.failure(file, error);
    }
  }

  failure(file: string, error: unknown): SetupError {
    if (error instanceof SetupError) return error;
    return new SetupError(`${path.relative(this.#project, file)} of the project cannot be used:`, [
      error instanceof Error ? error.message : String(error),
    ]);
  }

  #load(file: string): ProjectModule {
    const known = this.#modules.get(file);
    if (known) return known;
    const module: ProjectModule = { exports: {} };
    this.#modules.set(file, module);
    if (path.extname(file) === '.json') module.exports = JSON.parse(readFileSync(file, 'utf8'));
    else {
      const shown = this.#placeOf(file);
      const run = compiled(file, this.#cache);
      run(module.exports, this.#requireFrom(file), module, shown, path.dirname(shown), this.#process, CONSOLE);
    }
    return module;
  }

  /** Where a file stands when Strapi runs it: TypeScript is compiled to `dist`, and paths begin there. */
  #placeOf(file: string): string {
    const ending = path.extname(file);
    if (!ending.endsWith('ts')) return file;
    const inside = path.relative(this.#project, file).slice(0, -ending.length);
    return path.join(this.#project, 'dist', `${inside}${ending.replace('ts', 'js')}`);
  }

  #requireFrom(file: string): Require {
    const native = createRequire(file);
    return (specifier) => {
      if (isBuiltin(specifier)) return native(specifier);
      if (!/^\.{0,2}\//.test(specifier) && specifier !== '.' && specifier !== '..')
        return this.#package(native, specifier, file);
      const target = path.resolve(path.dirname(file), specifier);
      const found = ENDINGS.map((ending) => target + ending).find(isFile);
      if (found === undefined) throw new Error(`it imports ${specifier}, which is not there`);
      return this.#load(found).exports;
    };
  }

  #package(native: NodeJS.Require, specifier: string, file: string): unknown {
    let found: string;
    try {
      found = native.resolve(specifier);
    } catch {
      const standIn = this.#standIns.get(specifier);
      if (standIn !== undefined) return standIn;
      throw new SetupError(
        `${path.relative(this.#project, file)} of the project needs the package "${specifier}", which is not installed`,
        [`install the packages of the project: npm install in ${this.#project}`],
      );
    }
    return native(found);
  }
}

const CONSOLE = new Console(process.stderr);

function refuseToExit(): never {
  throw new Error('it calls process.exit; it has to give a value instead');
}

type Run = (...values: readonly unknown[]) => void;

/** JavaScript that is CommonJS already runs as it is, so that the compiler need not be loaded. */
function compiled(file: string, cache: CompiledCache): Run {
  if (/\.c?js$/.test(file)) {
    try {
      return functionOf(readFileSync(file, 'utf8'), file);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return functionOf(commonJsNow({ file, text: readFileSync(file, 'utf8') }, cache), file);
}

const functionOf = (code: string, filename: string): Run =>
  compileFunction(code, PARAMETERS, {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }) as Run;

const isFile = (file: string): boolean => existsSync(file) && statSync(file).isFile();

const isModule = (exported: unknown): exported is { readonly default: unknown } =>
  typeof exported === 'object' && exported !== null && '__esModule' in exported && 'default' in exported;
