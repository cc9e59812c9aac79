#!/usr/bin/env node
// The command line: parses the arguments, runs the command, and ends with a message and an exit code. Only features of
// Node 20 before the check of the version: an older Node has to get as far as that.
import { readFileSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { parseArgs } from 'node:util';
import { PACKAGE_ROOT } from './package-root.ts';

const OLDEST_NODE = 24;

const OPTIONS = {
  project: { type: 'string' },
  database: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  workers: { type: 'string' },
  'read-only': { type: 'boolean' },
  example: { type: 'boolean', default: false },
  as: { type: 'string' },
  username: { type: 'string' },
  email: { type: 'string' },
  role: { type: 'string' },
  type: { type: 'string' },
  days: { type: 'string' },
  with: { type: 'string' },
  sheaf: { type: 'string' },
  requests: { type: 'string' },
  log: { type: 'string' },
  generate: { type: 'string' },
  seed: { type: 'string' },
  token: { type: 'string' },
  header: { type: 'string', multiple: true },
  write: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  yes: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', short: 'v', default: false },
} as const;

const parseCommandLine = (args: readonly string[]) =>
  parseArgs({ args: [...args], allowPositionals: true, options: OPTIONS });

/** Returns the exit code. */
async function main(args: readonly string[]): Promise<number> {
  if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) {
    console.error(`sheaf needs Node ${OLDEST_NODE} or later; this is ${process.version}.`);
    console.error('In a checkout, `npm start` and `npx sheaf` bring their own.');
    return 1;
  }
  // Half of a start is compiling modules; Node keeps what it has compiled.
  nodeModule.enableCompileCache();
  const { SetupError, SheafError } = await import('./errors.ts');
  try {
    return await runCommand(parseCommandLine(args));
  } catch (error) {
    if (error instanceof SetupError || error instanceof SheafError) console.error(`sheaf: ${error.message}`);
    else if ((error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS'))
      console.error(`sheaf: ${(error as Error).message}\nsheaf --help shows the options.`);
    else throw error;
    // `sheaf compare` ends with 1 where it finds a difference.
    return args.includes('compare') ? 2 : 1;
  }
}

/** Returns the exit code. Each command loads only what it needs. */
async function runCommand({ values, positionals }: ReturnType<typeof parseCommandLine>): Promise<number> {
  const { HELP } = await import('./cli/help.ts');
  const [command, ...rest] = positionals;
  if (values.version) {
    const { version } = JSON.parse(readFileSync(new URL('package.json', PACKAGE_ROOT), 'utf8'));
    console.log(version);
    return 0;
  }
  if (values.help || command === undefined) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  // Reads the configuration itself, and reports what is wrong with it among the rest.
  if (command === 'adopt' && rest.length <= 1) {
    const { adoptCommand } = await import('./cli/adopt/adopt-command.ts');
    const project = rest[0] ?? values.project ?? process.env.SHEAF_PROJECT ?? '.';
    const { text, code } = await adoptCommand({ ...values, project });
    process.stdout.write(text);
    return code;
  }
  const { readConfig } = await import('./project/environment.ts');
  const { exampleProject } = await import('./cli/example.ts');
  const config = readConfig(values.example ? { ...values, ...exampleProject() } : values);
  if (command === 'start' && rest.length === 0) {
    const { start } = await import('./cli/start.ts');
    await start(config, values);
    return 0;
  }
  if (command === 'config' && rest.length === 0) {
    const { printConfig } = await import('./cli/print-config.ts');
    process.stdout.write(printConfig(config, values.json));
    return 0;
  }
  if (command === 'schema' && (rest[0] === 'diff' || rest[0] === 'apply') && rest.length === 1) {
    const { schemaCommand } = await import('./cli/schema-commands.ts');
    process.stdout.write(await schemaCommand(config, rest[0]));
    return 0;
  }
  if (command === 'explain' && rest.length === 1) {
    const { explain } = await import('./cli/explain.ts');
    process.stdout.write(await explain(config, rest[0]!, { role: values.as ?? null, json: values.json }));
    return 0;
  }
  if (command === 'compare' && rest.length === 0) {
    const { compareCommand } = await import('./cli/compare/compare-command.ts');
    const progress = process.stderr.isTTY ? (text: string) => void process.stderr.write(text) : null;
    const options = { ...values, token: values.token ?? process.env.SHEAF_TOKEN };
    return compareCommand(config, options, { report: (text) => void process.stdout.write(text), progress });
  }
  const { isAccountCommand, accountCommand } = await import('./cli/account-commands.ts');
  if (isAccountCommand(positionals)) {
    process.stdout.write(await accountCommand(config, positionals, values));
    return 0;
  }
  console.error(`sheaf: "${positionals.join(' ')}" is not a command.\n`);
  console.error(HELP);
  return 2;
}

// The reader of our output may have gone, as `head` does. That is not a failure.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
const code = await main(process.argv.slice(2));
// A worker that cannot start would otherwise stay, held by its channel to the process that started it.
if (code !== 0) process.exit(code);
