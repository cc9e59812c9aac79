// The controllers, services, policies, middlewares and routes of a project by uid, under the names that Strapi gives them.
// Files that Strapi generates are not run: what they stand for is the core. A file that cannot be loaded is told, and
// what passes through it does not run.
import type { CodeFile, FileRole } from '../../project/code/code-files.ts';
import { defaultFile } from '../../project/code/code-files.ts';
import { errorMessage } from '../../type-guards.ts';
import { madeOf, membersMade } from './code-values.ts';
import { plainUid } from './factories.ts';
import { CodeError, type StrapiModules } from './strapi-modules.ts';
import type { Members, Strapi } from './strapi-types.ts';

/** A file that does not run, or a part of one. */
export interface CodeProblem {
  /** Below the project. */
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
}

export interface LoadedFile {
  readonly uid: string;
  /** The name of its API; null for what is in `src` itself. */
  readonly api: string | null;
  readonly file: string;
  /** What it exports by default; undefined where it could not be loaded. */
  readonly exported: unknown;
  /** The uid of the content-type that a file names, if it is as Strapi generates it or does the same. */
  readonly generated: string | null;
  readonly error: CodeError | null;
}

const KEBAB = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** As lodash does it: words are runs of small letters, of capitals, or of digits. */
export function normalized(name: string): string {
  if (KEBAB.test(name)) return name;
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [name];
  return words.join('-').toLowerCase();
}

const uidOf = ({ owner, name }: CodeFile): string =>
  owner === null ? `global::${name}` : `api::${normalized(owner)}.${normalized(name)}`;

export class CodeRegistry {
  readonly problems: CodeProblem[] = [];
  readonly #modules: StrapiModules;
  readonly #files = new Map<FileRole, ReadonlyMap<string, LoadedFile>>();
  readonly #made = new Map<string, Members>();
  readonly #strapi: Strapi;

  constructor(modules: StrapiModules, files: readonly CodeFile[], strapi: Strapi) {
    this.#modules = modules;
    this.#strapi = strapi;
    for (const role of ['controllers', 'services', 'policies', 'middlewares', 'routes', 'lifecycles'] as const) {
      const ofRole = files.filter((file) => file.role === role);
      // Strapi takes APIs by the name of their folder, and files by their own.
      this.#files.set(
        role,
        new Map(ofRole.map((file) => [`${uidOf(file)}${role === 'routes' ? file.file : ''}`, this.#load(file)])),
      );
    }
  }

  #load(file: CodeFile): LoadedFile {
    const known = { uid: uidOf(file), api: file.owner === null ? null : normalized(file.owner), file: file.file };
    const standard = defaultFile(file);
    if (standard) return { ...known, exported: undefined, generated: standard.uid, error: null };
    try {
      const exported = this.#modules.load(file.path);
      return { ...known, exported, generated: plainUid(exported), error: null };
    } catch (thrown) {
      const error = this.#modules.failure(file.path, thrown);
      this.report(file.file, error);
      return { ...known, exported: undefined, generated: null, error };
    }
  }

  /** `file`: the one that does not run because of it. */
  report(file: string, error: unknown): void {
    const { file: at, line } = error instanceof CodeError ? error : { file, line: null };
    const text = errorMessage(error);
    const place = at === file ? text.replace(`${file}${line === null ? '' : `:${line}`}: `, '') : text;
    this.problems.push({ file, line: at === file ? line : null, message: place });
  }

  all(role: FileRole): readonly LoadedFile[] {
    return [...(this.#files.get(role)?.values() ?? [])];
  }

  file(role: FileRole, uid: string): LoadedFile | undefined {
    return this.#files.get(role)?.get(uid);
  }

  /** The object that a file of controllers or services makes, once; undefined where there is no file. */
  made(role: 'controllers' | 'services', uid: string, core: (uid: string) => Members): Members | undefined {
    const key = `${role} ${uid}`;
    const known = this.#made.get(key);
    if (known) return known;
    const file = this.file(role, uid);
    if (!file) return undefined;
    if (file.error) throw file.error;
    const members = file.generated === null ? membersMade(madeOf(file.exported, this.#strapi)) : core(file.generated);
    if (members) this.#made.set(key, members);
    return members;
  }
}
