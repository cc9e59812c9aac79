// Where a project keeps its own code. What runs it is loaded only where there is any.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from '../errors.ts';

const FILES = ['src/sheaf.ts', 'src/sheaf.js', 'src/sheaf.mts', 'src/sheaf.mjs', 'src/sheaf.cts', 'src/sheaf.cjs'];

/** The file that a project's own code begins with, below the project; null where there is none. */
export function ownCodeFile(project: string): string | null {
  const present = FILES.filter((file) => existsSync(path.join(project, file)));
  if (present.length > 1) throw new SetupError(`There are ${present.join(' and ')}`, ['keep one of them']);
  return present[0] ?? null;
}
