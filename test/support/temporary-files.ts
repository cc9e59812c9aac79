// Where the temporary files of a test run are: databases, projects, the files of PostgreSQL. A run makes and removes
// some hundred thousand of them, which costs a file system on a disk more than the tests do with them. So they are in
// memory where the machine offers that, and on its disk elsewhere or where TMPDIR says so. A keeper process removes them
// when the run is over, and also when it is killed: the keeper acts when its input ends.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const IN_MEMORY = '/dev/shm';
/** A run uses less than half of this at any time. */
const NEEDED_BYTES = 2 * 2 ** 30;
/** What is removed and not there again after this time stays removed. */
const REMAINS_MS = 2_000;

export default function setup(): () => void {
  const remove = process.env.TMPDIR === undefined && freeBytes(IN_MEMORY) >= NEEDED_BYTES ? keepInMemory() : null;
  // Processes that tests start keep the source that one of them has stripped of types and compiled. It is where a server
  // looks by itself, since some get no variables.
  process.env.NODE_COMPILE_CACHE ??= path.join(os.tmpdir(), 'node-compile-cache');
  return () => remove?.();
}

/** Has os.tmpdir() be a new folder in memory; the function that has it removed. */
function keepInMemory(): () => void {
  const folder = mkdtempSync(path.join(IN_MEMORY, 'sheaf-run-'));
  // PostgreSQL may run under another account.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  const keeper = spawn(process.execPath, ['--no-warnings', fileURLToPath(import.meta.url), folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // Not stopped by the key that stops us.
    detached: true,
  });
  return () => keeper.stdin.end();
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

/** Processes that are ending may still write what they compiled. */
async function removeForGood(folder: string): Promise<void> {
  do {
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    await sleep(REMAINS_MS);
  } while (existsSync(folder));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
  process.stdin.on('end', () => removeForGood(process.argv[2]!)).resume();
}
