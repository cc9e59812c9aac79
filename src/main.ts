#!/usr/bin/env node
// The command line: reads the words, runs the command, and ends with a message and a code.
import { readFileSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { parseArgs } from 'node:util';

const OLDEST_NODE = 24;

async function main(words: readonly string[]): Promise<number> {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    console.error(`sheaf needs Node ${OLDEST_NODE} or later; this is ${process.version}.`);
    console.error('In a checkout, `npm start` and `npx sheaf` bring their own.');
    return 1;
  }
  // Half of a start is compiling modules; what was compiled once is kept.
  enableCompileCache?.();
  const { HELP } = await import('./cli/help.ts');
  const { SetupError, SheafError } = await import('./errors.ts');
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        project: { type: 'string' },
        database: { type: 'string' },
        host: { type: 'string' },
        port: { type: 'string' },
        workers: { type: 'string' },
        example: { type: 'boolean', default: false },
        as: { type: 'string' },
        username: { type: 'string' },
        email: { type: 'string' },
        role: { type: 'string' },
        type: { type: 'string' },
        days: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
      },
    });
    const [command, ...rest] = positionals;
    if (values.version) {
      const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
      console.log(version);
      return 0;
    }
    if (values.help || command === undefined) {
      console.log(HELP);
      return values.help ? 0 : 2;
    }
    const { readConfig } = await import('./project/environment.ts');
    const { exampleProject } = await import('./cli/example.ts');
    const config = readConfig(values.example ? { ...values, ...exampleProject() } : values);
    if (command === 'start' && rest.length === 0) {
      const { start } = await import('./cli/start.ts');
      await start(config, values.example);
      return 0;
    }
    if (command === 'schema' && (rest[0] === 'diff' || rest[0] === 'apply') && rest.length === 1) {
      const { schemaCommand } = await import('./cli/schema-commands.ts');
      process.stdout.write(await schemaCommand(config, rest[0]));
      return 0;
    }
    if (command === 'explain' && rest.length === 1) {
      const { explain } = await import('./cli/explain.ts');
      process.stdout.write(await explain(config, rest[0]!, values.as ?? null));
      return 0;
    }
    const { isAccountCommand, accountCommand } = await import('./cli/account-commands.ts');
    if (isAccountCommand(positionals)) {
      process.stdout.write(await accountCommand(config, positionals, values));
      return 0;
    }
    console.error(`sheaf: "${positionals.join(' ')}" is not understood.\n`);
    console.error(HELP);
    return 2;
  } catch (error) {
    if (error instanceof SetupError || error instanceof SheafError) console.error(`sheaf: ${error.message}`);
    else if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS'))
      console.error(`sheaf: ${(error as Error).message}\nsheaf --help shows the options.`);
    else throw error;
    return 1;
  }
}

// Whoever read our output may have gone, as `head` does; that is no reason to fail.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
const code = await main(process.argv.slice(2));
// A worker that cannot start would otherwise stay, held by its channel to the process that started it.
if (code !== 0) process.exit(code);
