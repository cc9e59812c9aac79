// Servers in processes of their own, as they are run: several of them may share a database.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { GUIDE } from './database.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const ADDRESS = /^ +at +(http:\S+)/;

export interface ServerNode {
  readonly address: string;
  /** The first line that it has printed, or will print, that is like this. */
  printed(pattern: RegExp): Promise<string>;
  /** Ends it in order; its exit code. */
  stop(): Promise<number | null>;
}

/** For the body of a suite: starts servers of the guide, which end with the suite. */
export function useNodes(): (database: string) => Promise<ServerNode> {
  const started: ChildProcess[] = [];
  const endAll = () => {
    for (const child of started) child.kill('SIGKILL');
  };
  process.once('exit', endAll);
  afterAll(() => {
    endAll();
    process.off('exit', endAll);
  });
  return async (database) => {
    const child = spawn(process.execPath, [MAIN, 'start', '--project', GUIDE, '--database', database, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.push(child);
    const ended = new Promise<number | null>((resolve) => {
      child.on('exit', resolve);
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const lines: string[] = [];
    const output = createInterface(child.stdout).on('line', (line) => lines.push(line));
    const printed = async (pattern: RegExp): Promise<string> => {
      for (;;) {
        const line = lines.find((one) => pattern.test(one));
        if (line !== undefined) return line;
        const [next] = await Promise.race([once(output, 'line'), ended.then((code) => [code])]);
        if (typeof next !== 'string') throw new Error(`The server ended with ${next}: ${said}`);
      }
    };
    const address = ADDRESS.exec(await printed(ADDRESS))![1]!;
    return {
      address,
      printed,
      stop() {
        child.kill('SIGTERM');
        return ended;
      },
    };
  };
}
