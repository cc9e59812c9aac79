// What it costs to ask who is calling: the same reads without a question, by the public, by a user and with a token.
// All in one process and in short turns, without a network, since the differences are of a few microseconds.
import { copyFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { systemCaller } from '../src/access/caller.ts';
import { open, type Sheaf } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import { DATA_FOLDER, dataSet, PROJECT } from './data.ts';
import { median } from './load.ts';
import type { Options } from './options.ts';
import { workloadsOf } from './reads.ts';
import { BenchError } from './server.ts';
import { table } from './table.ts';

/** Requests of one caller before it is the next one's turn. */
const TURN = 50;
const WARM_UP_TURNS = 20;
const NO_QUESTION = 'None';

export async function access(options: Options): Promise<void> {
  const { file, documentId } = await dataSet(options.restaurants);
  const copy = path.join(DATA_FOLDER, 'access.sqlite');
  for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
  copyFileSync(file, copy);
  const sheaf = await open({ project: PROJECT, database: `sqlite:${copy}` });
  const callers = await callersOf(sheaf);
  await letIn(sheaf, NO_QUESTION);
  const app = createServer(sheaf);

  /** Microseconds for a request. */
  const turn = async (url: string, authorization: string | null): Promise<number> => {
    const headers = authorization === null ? {} : { authorization };
    const begin = performance.now();
    for (let index = 0; index < TURN; index++) {
      const { statusCode, body } = await app.inject({ url, headers });
      if (statusCode !== 200) throw new BenchError(`Sheaf answered ${statusCode} to ${url}\n${body.slice(0, 1_000)}`);
    }
    return ((performance.now() - begin) * 1000) / TURN;
  };

  console.log(
    `${options.seconds} s for each caller, in turns of ${TURN} requests, median of the turns, without a network\n`,
  );
  const line = table(30, ...callers.flatMap(() => [14, 6]));
  console.log(line('microseconds', ...callers.flatMap(([name]) => [name, 'ratio'])));
  for (const [name, target] of workloadsOf(documentId, options.only)) {
    const times = callers.map((): number[] => []);
    const end = performance.now() + options.seconds * callers.length * 1000;
    for (let round = -WARM_UP_TURNS; round <= 0 || performance.now() < end; round++)
      for (let index = 0; index < callers.length; index++) {
        // Each begins as often as the others.
        const place = (index + round + WARM_UP_TURNS) % callers.length;
        const time = await turn(target, callers[place]![1]);
        if (round >= 0) times[place]!.push(time);
      }
    const [unguarded, ...others] = times.map(median);
    const cells = [unguarded!, ...others].flatMap((time) => [time.toFixed(1), (unguarded! / time).toFixed(2)]);
    console.log(line(name, ...cells));
  }
  await app.close();
  await sheaf.close();
}

/** Who asks, and the header that says so. */
async function callersOf(sheaf: Sheaf): Promise<[name: string, authorization: string | null][]> {
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
