// Runs commands one after another as processes of their own would: each evaluates dist/main.js anew, with its own
// arguments, environment, folder and input. The rest of the program is loaded once, which is most of what a command
// costs. Nothing waits here for what a command leaves under way when it ends; tests of that start a process.
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Command, Ran } from './commands.ts';

const MAIN = new URL('../../dist/main.js', import.meta.url);

class Exit extends Error {
  readonly code: number;

  constructor(code: number) {
    super(`process.exit(${code})`);
    this.code = code;
  }
}

process.exit = (code) => {
  throw new Exit(Number(code ?? 0));
};

/** Collects what is written to a stream from now on, in place of writing it. */
function capture(stream: NodeJS.WriteStream): () => string {
  let text = '';
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]) => {
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const written = rest.at(-1);
    if (typeof written === 'function') written();
    return true;
  };
  stream.removeAllListeners('error');
  return () => text;
}

let count = 0;

async function run({ words, env, cwd, input }: Command): Promise<Ran> {
  process.argv = [process.execPath, fileURLToPath(MAIN), ...words];
  process.env = { ...env };
  process.chdir(cwd);
  Object.defineProperty(process, 'stdin', { value: new PassThrough().end(input), configurable: true });
  const [out, err] = [capture(process.stdout), capture(process.stderr)];
  let code = 0;
  try {
    await import(`${MAIN.href}?${++count}`);
  } catch (error) {
    // As Node does with what nothing caught.
    if (!(error instanceof Exit)) console.error(error);
    code = error instanceof Exit ? error.code : 1;
  }
  return { code, out: out(), err: err() };
}

process.on('message', async (command: Command) => {
  process.send!(await run(command));
});
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
