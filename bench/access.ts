// What it costs to ask who is calling: the same reads without a question, by the public, by a user and with a token.
// All in one process and in short turns, without a network, since the differences are of a few microseconds.
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { systemCaller } from '../src/access/caller.ts';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { DATA_FOLDER, dataSet, PROJECT } from './data.ts';
import { median } from './load.ts';
import type { Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { workloadsOf } from './reads.ts';
import { BenchError } from './server.ts';
import { table } from './table.ts';

/** Requests of one caller before it is the next one's turn. */
const TURN = 50;
const WARM_UP_TURNS = 20;
const NO_QUESTION = 'None';

/** Clients that ask at the same time; a read in process never waits, so more than one would only stand in line. */
const CLIENTS = { sqlite: [1], postgres: [1, 8] };

export function access(options: Options): Promise<void> {
  return options.postgres
    ? withPostgres(options.restaurants, ({ url, documentId }) => compareCallers(url, documentId, options))
    : accessOnSqlite(options);
}

async function accessOnSqlite(options: Options): Promise<void> {
  const { file, documentId } = await dataSet(options.restaurants);
  const copy = path.join(DATA_FOLDER, 'access.sqlite');
  for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
  copyFileSync(file, copy);
  await compareCallers(`sqlite:${copy}`, documentId, options);
}

type AskingCaller = readonly [name: string, authorization: string | null];

async function compareCallers(database: string, documentId: string, options: Options): Promise<void> {
  const sheaf = await open({ project: PROJECT, database });
  const callers = await callersOf(sheaf);
  await letIn(sheaf, NO_QUESTION);
  const app = createServer(sheaf);
  const line = table(30, ...callers.flatMap(() => [14, 6]));
  for (const clients of CLIENTS[sheaf.database.dialect.name]) {
    console.log(
      `${options.seconds} s for each caller, in turns of ${TURN} requests, median of the turns, without a network, ${clients} at a time\n`,
    );
    console.log(line('microseconds', ...callers.flatMap(([name]) => [name, 'ratio'])));
    for (const [name, target] of workloadsOf(documentId, options.only)) {
      const times = await inTurns(callers, options.seconds, ([, authorization]) =>
        turn(app, { url: target, headers: authorization === null ? {} : { authorization } }, clients),
      );
      const [unguarded] = times;
      const cells = times.flatMap((time) => [time.toFixed(1), (unguarded! / time).toFixed(2)]);
      console.log(line(name, ...cells));
    }
    console.log('');
  }
  await app.close();
  await sheaf.close();
}

/** Microseconds for a request: the median of a caller's turns. */
async function inTurns(
  callers: readonly AskingCaller[],
  seconds: number,
  measured: (caller: AskingCaller) => Promise<number>,
): Promise<number[]> {
  const times = callers.map((): number[] => []);
  const end = performance.now() + seconds * callers.length * 1000;
  for (let round = -WARM_UP_TURNS; round <= 0 || performance.now() < end; round++)
    for (let index = 0; index < callers.length; index++) {
      // Each begins as often as the others.
      const place = (index + round + WARM_UP_TURNS) % callers.length;
      const time = await measured(callers[place]!);
      if (round >= 0) times[place]!.push(time);
    }
  return times.map(median);
}

/** Microseconds for a request, of those that so many clients send together. */
async function turn(app: FastifyInstance, request: InjectOptions, clients: number): Promise<number> {
  let left = TURN;
  const client = async (): Promise<void> => {
    while (left-- > 0) {
      const { statusCode, body } = await app.inject(request);
      if (statusCode !== 200)
        throw new BenchError(`Sheaf answered ${statusCode} to ${request.url}\n${body.slice(0, 1_000)}`);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: clients }, client));
  return ((performance.now() - begin) * 1000) / TURN;
}

/** Who asks, and the header that says so. */
async function callersOf(sheaf: Sheaf): Promise<AskingCaller[]> {
  const { accounts, roles, tokens } = await sheaf.auth();
  await roles.grant('authenticated', ['*']);
  const user = { username: 'bench', email: 'bench@example.org', password: 'a password for a benchmark' };
  const registered = await accounts.register(user);
  const token = await tokens.create({ name: 'bench', description: '', type: 'full-access', actions: [], days: null });
  return [
    ['unguarded', NO_QUESTION],
    ['public', null],
    ['user', `Bearer ${registered.tokens!.jwt}`],
    ['token', `Bearer ${token}`],
  ];
}

/** From here on a request with this header is answered as if nothing were guarded. */
async function letIn(sheaf: Sheaf, header: string): Promise<void> {
  const { authenticator } = await sheaf.auth();
  const anyone = systemCaller(sheaf.model);
  const ask = authenticator.now.bind(authenticator);
  authenticator.now = (given) => (given === header ? anyone : ask(given));
}
