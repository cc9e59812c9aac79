// The project that a folder belongs to: the folder itself, or the nearest one above it that looks like a project.
import { existsSync } from 'node:fs';
import path from 'node:path';

/** Null where there is none. */
export function findProject(folder: string): string | null {
  for (let current = path.resolve(folder); ; current = path.dirname(current)) {
    if (isProject(current)) return current;
    if (current === path.dirname(current)) return null;
  }
}

/** Content-types stand in src/api; a project that has none yet has at least its settings. */
const isProject = (folder: string): boolean =>
  existsSync(path.join(folder, 'src', 'api')) ||
  (existsSync(path.join(folder, 'package.json')) && existsSync(path.join(folder, 'config')));
