#!/usr/bin/env node
// The command line. Only what Node 12 can read stands here, and nothing of ours is loaded before the check of the
// version: an older Node has to get as far as the sentence that says which one is needed.
import * as nodeModule from 'node:module';

const OLDEST_NODE = 24;

/** Returns the exit code. */
async function main(): Promise<number> {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    console.error(
      `sheaf needs Node ${OLDEST_NODE} or later, and this is ${process.version}: install it from your package manager, ` +
        'or put it beside sheaf with `npm i node@24`.',
    );
    return 1;
  }
  // Half of a start is compiling modules; Node keeps what it has compiled.
  nodeModule.enableCompileCache();
  const { run } = await import('./cli/run.ts');
  return run(process.argv.slice(2));
}

// The reader of our output may have gone, as `head` does. That is not a failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
const code = await main();
// A worker that cannot start would otherwise stay, held by its channel to the process that started it. What a slow
// reader of a pipe has not taken yet is written first.
if (code !== 0) process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
