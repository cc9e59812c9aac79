// Where the temporary files of a test run are: databases, projects, the files of PostgreSQL. A run makes and removes
// some hundred thousand of them, which costs a file system on a disk more than the tests do with them. So they are in
// memory where the machine offers that, and where os.tmpdir() says elsewhere or when TMPDIR is set.
import { chmodSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import path from 'node:path';

const IN_MEMORY = '/dev/shm';
/** A run uses less than half of this at any time. */
const NEEDED_BYTES = 2 * 2 ** 30;

export default function setup(): () => void {
  if (process.env.TMPDIR !== undefined || freeBytes(IN_MEMORY) < NEEDED_BYTES) return () => undefined;
  const folder = mkdtempSync(path.join(IN_MEMORY, 'sheaf-run-'));
  // PostgreSQL may run under another account.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** None where there is no such folder. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
