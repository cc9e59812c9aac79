// `sheaf start`: opens the project, listens, says where and what to try, and stops in order when asked to. With
// several workers this process only starts and watches them; each of them serves.
import cluster from 'node:cluster';
import type { Auth } from '../accounts/auth.ts';
import { open, type Sheaf, withoutPassword } from '../app.ts';
import { SetupError } from '../errors.ts';
import { openLog } from '../http/log.ts';
import { createServer } from '../http/server.ts';
import { USER } from '../model/builtin.ts';
import { openOptions, type ServerConfig } from '../project/environment.ts';
import { EXAMPLE_REQUESTS, exampleNotes, fillExample } from './example.ts';

/** Time that requests under way have to finish after a signal to stop. */
const GRACE_MS = 10_000;
/** A worker that ends by itself is replaced, but not faster than this. */
const RESTART_PAUSE_MS = 500;

export async function start(config: ServerConfig, isExample: boolean): Promise<void> {
  const begin = performance.now();
  const sheaf = await open(openOptions(config));
  const notes = cluster.isWorker ? [] : await prepare(sheaf, isExample);
  if (config.workers > 1 && cluster.isPrimary) {
    // The schema is made once, here; then the workers open the database themselves.
    await sheaf.close();
    const address = await startWorkers(config.workers);
    welcome(sheaf, config, isExample, address, begin, notes);
    return;
  }
  const log = await openLog(config.logLevel);
  const app = createServer(sheaf, { logger: log.logger });
  let address: string;
  try {
    address = await app.listen({ host: config.host, port: config.port });
  } catch (error) {
    await sheaf.close();
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new SetupError(`Port ${config.port} of ${config.host} is taken`, [
      'stop the program that listens there, or choose another with --port N',
    ]);
  }
  if (cluster.isWorker) process.send!({ address });
  else welcome(sheaf, config, isExample, address, begin, notes);
  onStop((signal) => {
    if (!cluster.isWorker) console.log(`${signal}: finishing what is under way`);
    app
      .close()
      .then(() => sheaf.close())
      .then(() => {
        log.flush();
        process.exit(0);
      });
  });
}

/** What must be there before anyone asks, and what whoever starts the server should know of it. */
async function prepare(sheaf: Sheaf, isExample: boolean): Promise<string[]> {
  const auth = await sheaf.auth();
  const notes: string[] = [];
  if (isExample) {
    const filled = await fillExample(sheaf);
    if (filled > 0) console.log(`Filled the example with ${filled} entries`);
    notes.push(...(await exampleNotes(sheaf)));
  } else if (!isOpen(sheaf, auth)) notes.push("Nobody may read anything yet. Grant it: sheaf role grant public '*'");
  for (const role of auth.unknownRoles) notes.push(`access/ has rules for "${role}", but there is no such role.`);
  if (auth.mailer.folder) notes.push(`Mails are not sent (SMTP_URL is not set); they are put in ${auth.mailer.folder}`);
  return notes;
}

/** Whether any role has been granted anything of the project's own. */
const isOpen = (sheaf: Sheaf, { grants }: Auth): boolean =>
  grants.roles.some(({ actions }) =>
    [...actions].some((action) => {
      const uid = action.slice(0, action.lastIndexOf('.'));
      return uid !== USER && sheaf.model.contentTypes.has(uid);
    }),
  );

function welcome(
  sheaf: Sheaf,
  config: ServerConfig,
  isExample: boolean,
  address: string,
  begin: number,
  notes: readonly string[],
): void {
  const types = [...sheaf.model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes');
  console.log(`Sheaf serves ${types.length} content-types of ${config.project}`);
  console.log(`  at   ${address}  (ready in ${Math.round(performance.now() - begin)} ms)`);
  console.log(`  from ${withoutPassword(config.database!)}`);
  if (config.workers > 1) console.log(`  by   ${config.workers} workers`);
  const requests = isExample
    ? EXAMPLE_REQUESTS
    : types.slice(0, 3).map((type) => `/api/${type.kind === 'singleType' ? type.singularName : type.pluralName}`);
  for (const note of notes) console.log(note);
  console.log('Try:');
  for (const request of requests) console.log(`  curl -g '${address}${request}'`);
  console.log('Stop with Ctrl+C.');
}

function onStop(stop: (signal: NodeJS.Signals) => void): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      setTimeout(() => process.exit(1), GRACE_MS).unref();
      stop(signal);
    });
}

/** Resolves with the address once the first worker listens; the others follow. */
function startWorkers(count: number): Promise<string> {
  // Where this process hands connections out, those on their way to a worker that dies are never closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  let stopping = false;
  const address = new Promise<string>((resolve, reject) => {
    let listening = false;
    cluster.on('message', (_worker, message: { address?: string }) => {
      if (message.address === undefined) return;
      listening = true;
      resolve(message.address);
    });
    cluster.on('exit', (_worker, code) => {
      if (stopping) {
        if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(0);
      } else if (listening) setTimeout(() => !stopping && cluster.fork(), RESTART_PAUSE_MS);
      else reject(new SetupError(`A worker could not start (code ${code}); what it said stands above`));
    });
  });
  for (let index = 0; index < count; index++) cluster.fork();
  onStop((signal) => {
    stopping = true;
    console.log(`${signal}: the workers are finishing what is under way`);
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  });
  return address;
}
