// Watches the files of a project that decide over what is served: definitions, code, settings, rules, .env.
// Events of the file system only say when to look; what has changed is told by comparing contents, so that a file that is
// written twice, or saved without a change, counts once or not at all.
import { createHash } from 'node:crypto';
import { type FSWatcher, readdirSync, readFileSync, statSync, watch } from 'node:fs';
import path from 'node:path';

/** Folders that are watched with all that is in them. The project's own is watched for these and for .env. */
const FOLDERS = ['src', 'config', 'access'];
const FILES = ['.env'];
/** Editors and programs write in several steps. */
const QUIET_MS = 100;

export class ProjectWatch {
  readonly #project: string;
  readonly #onChange: (files: readonly string[]) => void;
  readonly #watchers = new Map<string, FSWatcher>();
  #known: ReadonlyMap<string, string>;
  #timer: NodeJS.Timeout | null = null;

  /** `onChange` is given paths in the project. */
  constructor(project: string, onChange: (files: readonly string[]) => void) {
    this.#project = path.resolve(project);
    this.#onChange = onChange;
    this.#known = this.#scan();
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #soon = (): void => {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#compare(), QUIET_MS);
  };

  #compare(): void {
    const [before, now] = [this.#known, this.#scan()];
    this.#known = now;
    const files = new Set([...before.keys(), ...now.keys()]);
    const changed = [...files].filter((file) => before.get(file) !== now.get(file)).sort();
    if (changed.length > 0) this.#onChange(changed);
  }

  /** The hash of every file. Each folder is watched before it is listed, so nothing is missed in between. */
  #scan(): ReadonlyMap<string, string> {
    const folders = new Set<string>();
    const hashes = new Map<string, string>();
    const visit = (folder: string, names: readonly string[] | null): void => {
      if (!this.#watch(path.join(this.#project, folder))) return;
      folders.add(path.join(this.#project, folder));
      for (const entry of entriesOf(path.join(this.#project, folder))) {
        if (names !== null ? !names.includes(entry.name) : entry.name === 'node_modules') continue;
        const inner = path.join(folder, entry.name);
        if (entry.isDirectory()) visit(inner, null);
        else hash(inner);
      }
    };
    const hash = (file: string): void => {
      try {
        hashes.set(
          file,
          createHash('sha256')
            .update(readFileSync(path.join(this.#project, file)))
            .digest('hex'),
        );
      } catch {
        // It has gone since it was listed.
      }
    };
    visit('.', [...FOLDERS, ...FILES]);
    for (const [folder, watcher] of this.#watchers)
      if (!folders.has(folder)) {
        watcher.close();
        this.#watchers.delete(folder);
      }
    return hashes;
  }

  /** Whether it is there. */
  #watch(folder: string): boolean {
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return false;
    if (this.#watchers.has(folder)) return true;
    const watcher = watch(folder, this.#soon);
    // A folder that is removed ends its watch; the one above tells of it.
    watcher.on('error', this.#soon);
    this.#watchers.set(folder, watcher);
    return true;
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
