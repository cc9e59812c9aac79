// `sheaf dev`: serves a project, watches its files, and prints what to try.
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { openLog } from '../../http/log.ts';
import {
  onlyReads,
  openOptions,
  readConfig,
  type ServerConfig,
  type ServerOptions,
} from '../../project/environment.ts';
import { consoleNotes, consolePlace, firstConsoleLink } from '../console-notes.ts';
import { onStop } from '../start.ts';
import { handleUncaught } from '../uncaught-errors.ts';
import { DevServer, type Serving } from './dev-server.ts';
import { devToken, tokenFile } from './dev-token.ts';
import { ProjectWatch } from './project-watch.ts';
import { sampleRequests } from './sample-requests.ts';
import { planServing } from './serving-plan.ts';

/** Serves until a signal comes. */
export async function dev(config: ServerConfig, options: ServerOptions): Promise<void> {
  openOptions(config);
  const logger = await openLog(config.logLevel);
  let hasWelcomed = false;
  const server = new DevServer({
    config: () => devConfig(options),
    plan: planServing,
    logger,
    ask: process.stdin.isTTY ? askInTerminal : null,
    print: (text) => console.log(text),
    async onServing(serving) {
      console.log(hasWelcomed ? servedText(serving) : await welcomeText(serving));
      hasWelcomed = true;
    },
  });
  let started: Promise<void>;
  const watch = new ProjectWatch(config.project, (files) => void started.then(() => server.refresh(files)));
  started = server.start();
  await started.catch((error) => {
    watch.close();
    throw error;
  });
  handleUncaught({ logger, project: config.project, sheaf: () => server.sheaf, restart: null });
  onStop(logger, (signal) => {
    console.log(`${signal}: finishing the requests under way`);
    watch.close();
    server.close().then(() => process.exit(0));
  });
}

async function askInTerminal(question: string, signal: AbortSignal): Promise<boolean> {
  const dialog = createInterface({ input: process.stdin, output: process.stdout });
  // The dialog takes Ctrl+C for itself.
  dialog.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return /^y(es)?$/i.test((await dialog.question(`${question} [y/N] `, { signal })).trim());
  } finally {
    dialog.close();
  }
}

/** One process serves, which writes. */
function devConfig(options: ServerOptions): ServerConfig {
  const config = readConfig(options);
  if (config.readOnly) throw onlyReads('sheaf dev');
  return config;
}

const typesOf = ({ sheaf }: Serving): string[] =>
  [...sheaf.model.contentTypes.values()]
    .filter(({ uid }) => uid.startsWith('api::'))
    .map(({ singularName }) => singularName);

const servedText = (serving: Serving): string =>
  [
    ...serving.config.notes,
    ...serving.sheaf.model.notes,
    `Serving ${typesOf(serving).join(', ')} at ${serving.address}`,
  ].join('\n');

/** Where it is, a token, and requests that work with it. */
async function welcomeText(serving: Serving): Promise<string> {
  const { sheaf, config, address } = serving;
  const token = await devToken(sheaf, config.state);
  const place = consolePlace(sheaf, address);
  const notes = consoleNotes(sheaf, address, await firstConsoleLink(sheaf));
  const requests = sampleRequests(sheaf.model, `${address}${sheaf.settings.rest.prefix}`);
  return [
    servedText(serving),
    `A token that may do everything, kept in ${path.relative(process.cwd(), tokenFile(config.state))}:`,
    `  TOKEN=${token}`,
    ...(place === null ? [] : [`The console is at ${place}`]),
    ...notes,
    ...(requests.length > 0 ? ['Try:', ...requests.map((request) => `  ${request}`)] : [NO_TYPES]),
    'Changes of the project are taken over as you save them. Stop with Ctrl+C.',
  ].join('\n');
}

const NO_TYPES = 'There is no content-type yet: sheaf type add article title:string! body:richtext';
