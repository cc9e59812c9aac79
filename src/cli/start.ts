// `sheaf start`: opens the project, listens, prints where and what to try, and stops in order on a signal. With several
// workers this process only starts and watches them; each of them serves.
import cluster, { type Worker } from 'node:cluster';
import type { Auth } from '../accounts/auth.ts';
import { open, type Sheaf } from '../app.ts';
import type { IssuedLink } from '../console/console-links.ts';
import { originOf, SetupError } from '../errors.ts';
import { watchEventLoop } from '../http/event-loop.ts';
import { type Logger, openLog } from '../http/log.ts';
import type { ServerMetrics } from '../http/metrics.ts';
import { createServer } from '../http/server.ts';
import type { Traces } from '../http/traces.ts';
import { USER } from '../model/builtin.ts';
import { withoutPassword } from '../project/connection-url.ts';
import { hasNodeOption, isRunByNpm, openOptions, type ServerConfig } from '../project/environment.ts';
import { readLocales } from '../project/locales.ts';
import type { MetricsPlace } from '../project/settings.ts';
import { errorCode } from '../type-guards.ts';
import { codeNotes } from './code-notes.ts';
import { consoleNotes, consolePlace, firstConsoleLink } from './console-notes.ts';
import { EXAMPLE_REQUESTS, exampleNotes, fillExample } from './example.ts';
import { type GivenOptions, grantHint } from './grant-hint.ts';
import { localeNotes } from './locale-notes.ts';
import { listenForMetrics, metricsOf } from './start-metrics.ts';
import { handleUncaught, RESTART_CODE } from './uncaught-errors.ts';

/** Time that requests under way have to finish after a signal to stop. */
const GRACE_MS = 10_000;
/** How often a worker is asked whether it works, and how many questions in a row it may leave without an answer. */
const WATCH_MS = 1_000;
const MAX_UNANSWERED = 5;
/** How many more while it starts. */
const START_QUESTIONS = 30;
/** The process that started this one, and how often a server that npm runs looks whether it is still there. */
const PARENT = process.ppid;
const PARENT_MS = 100;
/** A worker that ends by itself is replaced, but not faster than this. */
const RESTART_PAUSE_MS = 500;
/** Megabytes of each half of the space for new objects. Node would take 64, and answer no faster. */
const SMALL_NEW_SPACE = '--max-semi-space-size=8';

/** What the command line says beyond the configuration. */
export interface StartOptions extends GivenOptions {
  readonly example: boolean;
}

export async function start(config: ServerConfig, options: StartOptions): Promise<void> {
  const { example: isExample } = options;
  const begin = performance.now();
  const logger = await openLog(config.logLevel);
  const onMailError = (error: Error): void => logger.error({ err: error }, 'a mail could not be sent');
  const traces = config.traces ? await (await import('../http/traces.ts')).openTraces() : null;
  const sheaf = await open({ ...openOptions(config), onMailError, observe: traces?.observe });
  const notes = cluster.isWorker ? [] : [...config.notes, ...(await prepare(sheaf, config, options))];
  const consoleLink = cluster.isWorker ? null : await firstConsoleLink(sheaf);
  const isPrimary = config.workers > 1 && cluster.isPrimary;
  // The primary has made the schema; the workers open the database themselves.
  if (isPrimary) await sheaf.close();
  const metrics = isPrimary ? null : await metricsOf(config.metrics);
  const metricsAddress = await listenForMetrics(config.metrics, metrics);
  if (isPrimary) handleUncaught({ logger, project: config.project, sheaf: () => null, restart: null });
  const address = await (isPrimary
    ? startWorkers(config.workers, logger)
    : serve(sheaf, config, { logger, metrics, traces }));
  if (cluster.isWorker) answerPrimary(address);
  else welcome(sheaf, config, { isExample, address, metricsAddress, begin, notes, consoleLink });
}

/** What the primary hears of a worker: where it listens, and that it works. */
interface WorkerMessage {
  readonly address?: string;
  readonly isAlive?: true;
}

function answerPrimary(address: string): void {
  const tell = (message: WorkerMessage): unknown => process.send!(message);
  tell({ address });
  process.on('message', () => tell({ isAlive: true }));
}

interface ServerObservers {
  readonly logger: Logger;
  readonly metrics: ServerMetrics | null;
  readonly traces: Traces | null;
}

/** Listens until a signal comes. Returns the address. */
async function serve(sheaf: Sheaf, config: ServerConfig, observers: ServerObservers): Promise<string> {
  const { logger, traces } = observers;
  const app = createServer(sheaf, { ...observers, isBehind: watchEventLoop() });
  const { host, port } = config;
  let stop: ReturnType<typeof onStop> | null = null;
  const restart = (): void => stop?.('too many errors', RESTART_CODE);
  // Before the code of the project begins.
  handleUncaught({ logger, project: config.project, sheaf: () => sheaf, restart });
  const address = await requirePort(config, () => app.listen({ host, port })).catch(async (error) => {
    await sheaf.close();
    throw error;
  });
  stop = onStop(logger, (reason, code) => {
    if (!cluster.isWorker) console.log(`${reason}: finishing the requests under way`);
    app
      .close()
      .then(() => sheaf.close())
      .then(() => traces?.close())
      .then(() => process.exit(code));
  });
  return address;
}

/** Says so where the server cannot listen. What fails in the code of a project is told as it is. */
export async function requirePort<T>(place: Pick<ServerConfig, 'host' | 'port'>, listen: () => Promise<T>): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const isOurs = error instanceof Error && originOf(error) === null;
    throw (isOurs && listenError(place, error)) || error;
  }
}

/** What a server does to listen; that of a worker binds. */
const LISTENING: readonly unknown[] = ['listen', 'bind', 'getaddrinfo'];

function listenError({ host, port }: Pick<ServerConfig, 'host' | 'port'>, error: Error): SetupError | null {
  if (!('syscall' in error && LISTENING.includes(error.syscall))) return null;
  const code = errorCode(error);
  if (code === 'EADDRINUSE')
    return new SetupError(`Port ${port} of ${host} is taken`, [
      'stop the program that listens there, or choose another port with --port N',
    ]);
  if (code === 'EACCES')
    return new SetupError(`This account may not listen on port ${port}`, [
      'choose another port with --port N; most systems keep those below 1024 for root',
    ]);
  return new SetupError(`The server cannot listen on ${host}: ${error.message}`, [
    'choose an address of this machine with --host HOST: 127.0.0.1 for itself alone, 0.0.0.0 for all that it has',
  ]);
}

/** What must exist before the first request. Returns what the operator should know. */
async function prepare(sheaf: Sheaf, config: ServerConfig, options: StartOptions): Promise<string[]> {
  const auth = await sheaf.auth();
  const notes = [...sheaf.model.notes, ...(await localeNotes(sheaf, readLocales(config.project)))];
  const { isReadOnly } = sheaf.database;
  if (options.example && !isReadOnly) {
    const filled = await fillExample(sheaf);
    if (filled > 0) {
      console.log(`Filled the example with ${filled} entries`);
      // The costs of reads are told from the first one on.
      await sheaf.operations.lanes.readSizes();
    }
    notes.push(...(await exampleNotes(sheaf)));
  } else if (!isOpen(sheaf, auth)) {
    const hint = isReadOnly ? [] : grantHint(sheaf.model, sheaf.withheld, options);
    notes.push(
      `Nobody may read anything yet.${hint.length > 0 ? ' This lets everyone read the content:' : ''}`,
      ...hint,
    );
  }
  notes.push(...(await failedHookNotes(sheaf)), ...codeNotes(sheaf.code.findings, sheaf.settings));
  for (const role of auth.unknownRoles)
    notes.push(`The project has rules for the role "${role}", which does not exist.`);
  if (auth.grants.note !== null) notes.push(auth.grants.note);
  if (auth.missingSecrets.length > 0) notes.push(`Not set: ${auth.missingSecrets.join(', ')}. ${MISSING_SECRETS}`);
  if (auth.mailer.folder && !isReadOnly)
    notes.push(`Mails are not sent (SMTP_URL is not set); they are written to ${auth.mailer.folder}`);
  if (!auth.mailer.folder && !isReadOnly) notes.push(...(await mailNotes(auth)));
  return notes;
}

/** Whether links in mails can be followed. */
async function mailNotes({ accounts }: Auth): Promise<string[]> {
  const missing = await accounts.settingsForLinks();
  return missing.length === 0 ? [] : [`Links in mails to users name no host. Set ${missing.join(' and ')}.`];
}

/** What committed hooks have failed to do, and nobody has looked at. */
async function failedHookNotes(sheaf: Sheaf): Promise<string[]> {
  if (!sheaf.extension) return [];
  const { committedEvents } = await import('./code-commands.ts');
  const { length } = (await committedEvents(sheaf)).filter(({ state }) => state === 'failed');
  return length === 0 ? [] : [`Committed hooks have failed for good ${length} times; sheaf hooks list shows for what.`];
}

const MISSING_SECRETS =
  'A read-only server makes none that last, so the tokens they belong to are refused: set those of your project.';

/** Whether any role has been granted anything of the project's own. */
const isOpen = (sheaf: Sheaf, { grants }: Auth): boolean =>
  grants.roles.some(({ actions }) =>
    [...actions].some((action) => {
      const uid = action.slice(0, action.lastIndexOf('.'));
      return uid !== USER && sheaf.model.contentTypes.has(uid);
    }),
  );

interface StartResult {
  readonly isExample: boolean;
  readonly address: string;
  /** Of metrics that have a port of their own. */
  readonly metricsAddress: string | null;
  /** When the start began. */
  readonly begin: number;
  readonly notes: readonly string[];
  /** Makes the first account of the console; null where there is one. */
  readonly consoleLink: IssuedLink | null;
}

const metricsPath = (place: MetricsPlace): string => ('path' in place ? place.path : '');

function welcome(sheaf: Sheaf, config: ServerConfig, result: StartResult): void {
  const { isExample, address, metricsAddress, begin, consoleLink } = result;
  const notes = [...result.notes, ...consoleNotes(sheaf, address, consoleLink)];
  const types = [...sheaf.model.contentTypes.values()].filter(({ exposure }) => exposure === 'routes');
  console.log(`Sheaf serves ${types.length} content-types of ${config.project}`);
  console.log(`  at   ${address}  (ready in ${Math.round(performance.now() - begin)} ms)`);
  console.log(`  from ${withoutPassword(config.database!)}`);
  if (config.readOnly) console.log('  read-only: writes and logins are refused');
  if (config.workers > 1) console.log(`  by   ${config.workers} workers`);
  if (config.metrics) console.log(`  metrics at ${metricsAddress ?? address + metricsPath(config.metrics)}`);
  const place = consolePlace(sheaf, address);
  if (place !== null) console.log(`  console at ${place}`);
  const requests = isExample
    ? EXAMPLE_REQUESTS
    : types
        .slice(0, 3)
        .map(
          (type) => `${sheaf.settings.rest.prefix}/${type.kind === 'singleType' ? type.singularName : type.pluralName}`,
        );
  for (const note of notes) console.log(note);
  console.log('Try:');
  for (const request of requests) console.log(`  curl -g '${address}${request}'`);
  console.log('Stop with Ctrl+C.');
}

/** Ends the process in order, with a code. */
type Stop = (reason: string, code: number) => void;

/** Calls back once, with what tells this process to stop. Returns a function that does. */
export function onStop(logger: Logger, stop: Stop): Stop {
  let stopping = false;
  const giveUp = (): void => {
    // None of them outlives this process.
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    logger.warn(`stopped with requests under way: they took longer than ${GRACE_MS} ms`);
    process.exit(1);
  };
  const begin: Stop = (reason, code) => {
    if (stopping) return;
    stopping = true;
    setTimeout(giveUp, GRACE_MS).unref();
    stop(reason, code);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => begin(signal, 0));
  // npm runs a script in a shell and passes SIGTERM to that, which ends and tells nobody.
  if (isRunByNpm() && !cluster.isWorker)
    setInterval(() => process.ppid !== PARENT && begin('npm has ended', 0), PARENT_MS).unref();
  return begin;
}

/** Resolves with the address once the first worker listens; the others follow. */
function startWorkers(count: number, logger: Logger): Promise<string> {
  // If this process handed out the connections, those on their way to a worker that dies would never be closed.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  if (!hasNodeOption('semi-space')) cluster.setupPrimary({ execArgv: [SMALL_NEW_SPACE, ...process.execArgv] });
  let stopping = false;
  const address = new Promise<string>((resolve, reject) => {
    let listening = false;
    cluster.on('message', (_worker, message: WorkerMessage) => {
      if (message.address === undefined) return;
      listening = true;
      resolve(message.address);
    });
    cluster.on('exit', (worker, code, signal) => {
      if (stopping) {
        if (Object.keys(cluster.workers ?? {}).length === 0) process.exit(0);
      } else if (listening) replaceWorker(logger, worker, { code, signal }, () => stopping);
      else reject(new SetupError(`A worker could not start (code ${code}); its own message stands above`));
    });
  });
  cluster.on('fork', (worker) => worker.on('error', throwUnlessLost));
  for (let index = 0; index < count; index++) cluster.fork();
  watchWorkers(logger);
  onStop(logger, (reason) => {
    stopping = true;
    console.log(`${reason}: the workers are finishing the requests under way`);
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGTERM');
  });
  return address;
}

/** Codes of what is sent to a worker that dies at this moment. That it has ended is told next. */
const LOST: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_IPC_CHANNEL_CLOSED']);

function throwUnlessLost(error: Error): void {
  if (!LOST.has(errorCode(error) ?? '')) throw error;
}

/** Kills workers that no longer answer; the others that end are replaced as well. */
function watchWorkers(logger: Logger): void {
  const unanswered = new Map<number, number>();
  for (const id of Object.keys(cluster.workers ?? {})) unanswered.set(Number(id), -START_QUESTIONS);
  cluster.on('fork', ({ id }) => unanswered.set(id, -START_QUESTIONS));
  cluster.on('message', ({ id }) => unanswered.set(id, 0));
  setInterval(() => {
    for (const worker of Object.values(cluster.workers ?? {})) {
      const questions = worker && unanswered.get(worker.id);
      if (!worker?.isConnected() || questions === undefined) continue;
      unanswered.set(worker.id, questions + 1);
      if (questions < MAX_UNANSWERED) worker.send({ isAlive: true });
      else {
        logger.warn({ pid: worker.process.pid }, 'a worker hangs and is killed');
        worker.process.kill('SIGKILL');
      }
    }
  }, WATCH_MS).unref();
}

interface WorkerExit {
  readonly code: number;
  readonly signal: string;
}

function replaceWorker(logger: Logger, worker: Worker, exit: WorkerExit, isStopping: () => boolean): void {
  logger.warn({ pid: worker.process.pid, ...exit }, 'a worker ended; another takes its place');
  setTimeout(() => !isStopping() && cluster.fork(), RESTART_PAUSE_MS);
}
