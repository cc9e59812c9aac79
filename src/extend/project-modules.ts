// Runs files of a project as CommonJS modules: TypeScript and ES modules are compiled to it. Packages come from the
// project's own node_modules; `sheaf` is this very program, whether the project has installed it or not.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire, SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction, constants } from 'node:vm';
import { SetupError } from '../errors.ts';
import type { CompiledCache } from '../project/compiled-cache.ts';
import { commonJsNow } from '../project/transpile.ts';
import { whileRunning } from './files-of-parts.ts';

interface ProjectModule {
  exports: unknown;
}

type Run = (...values: readonly unknown[]) => void;

const PARAMETERS = ['exports', 'require', 'module', '__filename', '__dirname'];
const ENDINGS = ['', '.ts', '.js', '.json', '.mts', '.mjs', '.cts', '.cjs', '/index.ts', '/index.js'];
const RELATIVE = /^\.{0,2}\/|^\.{1,2}$/;
const COMMON_JS = /\.c?js$/;
const INLINE_MAP = /\/\/# sourceMappingURL=data:application\/json;base64,([\w+/=]+)\s*$/;
/** The place of a frame in a stack: file, line, column. */
const PLACE = /((?:file:\/\/)?\/[^():\n]+):(\d+):(\d+)/g;

export class ProjectModules {
  readonly #project: string;
  readonly #own: ReadonlyMap<string, unknown>;
  readonly #modules = new Map<string, ProjectModule>();
  /** Source maps of compiled files, as text until one is needed. */
  readonly #maps = new Map<string, SourceMap | string>();

  readonly #cache: CompiledCache;

  /** `own`: modules that this program gives, by name. */
  constructor(project: string, own: ReadonlyMap<string, unknown>, cache: CompiledCache) {
    this.#project = path.resolve(project);
    this.#own = own;
    this.#cache = cache;
  }

  /** A file's place below the project, for people. */
  shown(file: string): string {
    return path.relative(this.#project, file).split(path.sep).join('/');
  }

  /** What a file exports. What goes wrong in it is told with its name and its place. */
  load(file: string): unknown {
    try {
      return this.#load(file).exports;
    } catch (error) {
      if (error instanceof SetupError) throw error;
      const { message, stack = '' } = error instanceof Error ? error : new Error(String(error));
      const [place] = this.mapStack(stack).match(PLACE) ?? [];
      const where = place === undefined ? '' : ` (${this.shown(place.replace(/:\d+$/, ''))})`;
      throw new SetupError(`${this.shown(file)} of the project cannot be used:`, [`${message}${where}`]);
    }
  }

  #load(file: string): ProjectModule {
    const known = this.#modules.get(file);
    if (known) return known;
    const module: ProjectModule = { exports: {} };
    this.#modules.set(file, module);
    if (path.extname(file) === '.json') module.exports = JSON.parse(readFileSync(file, 'utf8'));
    else {
      const run = this.#compiled(file);
      whileRunning(this.shown(file), () =>
        run(module.exports, this.#requireFrom(file), module, file, path.dirname(file)),
      );
    }
    return module;
  }

  /** JavaScript that is CommonJS already runs as it is, so that the compiler need not be loaded. */
  #compiled(file: string): Run {
    if (COMMON_JS.test(file)) {
      try {
        return functionOf(readFileSync(file, 'utf8'), file);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
      }
    }
    const code = commonJsNow({ file, text: readFileSync(file, 'utf8') }, this.#cache);
    const [, map] = INLINE_MAP.exec(code) ?? [];
    if (map !== undefined) this.#maps.set(file, map);
    return functionOf(code, file);
  }

  #requireFrom(file: string): NodeJS.Require {
    const native = createRequire(file);
    const load = (specifier: string): unknown => {
      if (this.#own.has(specifier)) return this.#own.get(specifier);
      if (!RELATIVE.test(specifier)) return native(specifier);
      const found = resolved(path.resolve(path.dirname(file), specifier));
      if (found === null) throw new Error(`${this.shown(file)} imports ${specifier}, which is not there`);
      return this.#load(found).exports;
    };
    return Object.assign(load, native);
  }

  /** A stack with the places of the files as they were written. */
  mapStack(stack: string): string {
    return stack.replace(PLACE, (place, where: string, line: string, column: string) => {
      const file = where.startsWith('file:') ? fileURLToPath(where) : where;
      const entry = this.#mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
      if (!entry || !('originalLine' in entry)) return place;
      return `${file}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
    });
  }

  #mapOf(file: string): SourceMap | null {
    const map = this.#maps.get(file);
    if (typeof map !== 'string') return map ?? null;
    const parsed = new SourceMap(JSON.parse(Buffer.from(map, 'base64').toString('utf8')));
    this.#maps.set(file, parsed);
    return parsed;
  }
}

const functionOf = (code: string, filename: string): Run =>
  compileFunction(code, PARAMETERS, {
    filename,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  }) as Run;

/** The file that an import means, also where it has the ending of what is compiled. */
function resolved(target: string): string | null {
  const targets = [target, target.replace(/\.([cm]?)js$/, '.$1ts')];
  const tried = targets.flatMap((one) => ENDINGS.map((ending) => one + ending));
  return tried.find((file) => existsSync(file) && statSync(file).isFile()) ?? null;
}
