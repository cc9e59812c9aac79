// Servers in processes of their own, as they are run: several of them may share a database.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { GUIDE } from './database.ts';

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const ADDRESS = /^ +at +(http:\S+)/;

export interface ServerNode {
  readonly address: string;
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
    const address = await new Promise<string>((resolve, reject) => {
      createInterface(child.stdout).on('line', (line) => {
        const found = ADDRESS.exec(line)?.[1];
        if (found) resolve(found);
      });
      ended.then((code) => reject(new Error(`The server ended with ${code}: ${said}`)));
    });
    return {
      address,
      stop() {
        child.kill('SIGTERM');
        return ended;
      },
    };
  };
}
