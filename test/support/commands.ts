// Commands of the command line for tests: many of them run in one process, which costs a tenth of starting one for each.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';

const HOST = fileURLToPath(new URL('./command-host.ts', import.meta.url));

export interface Command {
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input: string;
}

export interface CommandOptions {
  /** What the command gets in place of this process's own variables. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** What is piped in. */
  readonly input?: string;
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The variables that a command needs to start at all, and further ones. Nothing else of this process reaches it. */
export function variables(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const { PATH = '', TMPDIR } = process.env;
  return { PATH, ...(TMPDIR !== undefined && { TMPDIR }), ...more };
}

/** For the body of a file: runs commands one after another, in a process that ends with the file. */
export function useCommands(): (words: readonly string[], options?: CommandOptions) => Promise<Ran> {
  let host: ChildProcess | undefined;
  let last: Promise<unknown> = Promise.resolve();
  afterAll(() => {
    host?.kill('SIGKILL');
  });
  const send = (command: Command): Promise<Ran> =>
    new Promise((resolve, reject) => {
      host ??= fork(HOST, { execArgv: ['--no-warnings'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
      const { pid } = host;
      const onExit = (code: number | null) => reject(new Error(`The process ${pid} that runs commands ended: ${code}`));
      host.once('exit', onExit);
      host.once('message', (ran) => {
        host?.off('exit', onExit);
        resolve(ran as Ran);
      });
      host.send(command);
    });
  return (words, { env = {}, cwd = process.cwd(), input = '' } = {}) => {
    const turn = last.then(() => send({ words, env: variables(env), cwd, input }));
    last = turn.catch(() => undefined);
    return turn;
  };
}
