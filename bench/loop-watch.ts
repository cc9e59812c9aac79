// How late the timers of a server's event loop were, and how much of that its main thread worked itself. The second does not
// depend on what else the machine does.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

/** What was noted last is written with what follows. */
const SETTLE_MS = 1_500;

export class LoopWatch {
  readonly #file: string;
  /** For Node, before the program. */
  readonly words: readonly string[];

  constructor() {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-bench-loop-'));
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    this.#file = path.join(folder, 'loop.txt');
    const module = pathToFileURL(path.join(import.meta.dirname, 'watch-loop.ts'));
    module.searchParams.set('to', this.#file);
    this.words = ['--import', module.href];
  }

  /** Milliseconds of each timer between two moments: how late it was, and how many of them the thread itself worked. */
  async between(begin: number, end: number): Promise<Record<'late' | 'own', number[]>> {
    await sleep(SETTLE_MS);
    const numbers = readFileSync(this.#file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
    const within = numbers.filter(([time]) => time! >= begin && time! <= end);
    return { late: within.map(([, late]) => late!), own: within.map(([, , own]) => own!) };
  }
}
