// Compiled files of a project on disk, by their content, so that the next start does without the compiler.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Compiled files of another version are not used. */
const VERSION = '1';

export class CompiledCache {
  readonly #folder: string;
  readonly #isKept: boolean;

  /** `isKept`: whether anything is written. */
  constructor(folder: string, isKept: boolean) {
    this.#folder = folder;
    this.#isKept = isKept;
  }

  /** Null where there is none. */
  get(form: string, file: string, text: string): string | null {
    try {
      return readFileSync(this.#placeOf(form, file, text), 'utf8');
    } catch {
      return null;
    }
  }

  /** A folder that cannot be written to only costs time. Another process may write the same at the same moment. */
  set(form: string, source: { readonly file: string; readonly text: string }, code: string): void {
    if (!this.#isKept) return;
    const place = this.#placeOf(form, source.file, source.text);
    try {
      mkdirSync(this.#folder, { recursive: true });
      const partial = `${place}.${process.pid}`;
      writeFileSync(partial, code);
      renameSync(partial, place);
    } catch {}
  }

  #placeOf(form: string, file: string, text: string): string {
    const name = createHash('sha256').update(`${VERSION}\0${form}\0${file}\0${text}`).digest('hex');
    return path.join(this.#folder, `${name.slice(0, 40)}.js`);
  }
}

/** That of a project, in the folder of what it keeps. */
export const codeCache = (state: string, isReadOnly: boolean): CompiledCache =>
  new CompiledCache(path.join(state, 'code-cache'), !isReadOnly);
