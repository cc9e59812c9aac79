// What expensive requests cost others: each is sent without pause by several clients while another client reads an entry by
// id. Shows how the expensive ones were answered, how long the slowest took, what memory the server took with the processes
// it started, how much longer the reads by id took than alone, and the longest that the server's main thread worked without
// a pause, in processor time. On a machine that others use, the last is the figure to trust.
import { setTimeout as sleep } from 'node:timers/promises';
import { dataSet } from './data.ts';
import { type Answered, sendWithoutPause } from './hostile-clients.ts';
import { HOSTILE } from './hostile-requests.ts';
import { LoopWatch } from './loop-watch.ts';
import { chosen, type Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { startSheaf } from './reads.ts';
import type { Server } from './server.ts';
import { table } from './table.ts';
import { DOCUMENT_PLACE, WORKLOADS } from './workloads.ts';

const MEMORY_STEP_MS = 200;

export async function hostile(options: Options): Promise<void> {
  if (options.postgres)
    return withPostgres(options.restaurants, ({ url, documentId }) => measureHostile(url, documentId, options));
  const { file, documentId } = await dataSet(options.restaurants);
  return measureHostile(`sqlite:${file}`, documentId, options);
}

async function measureHostile(database: string, documentId: string, options: Options): Promise<void> {
  const watch = new LoopWatch();
  const server = await startSheaf(database, { watch });
  await compareHostile({ server, watch, documentId }, chosen(HOSTILE, options.only), options);
  await server.stop();
}

export interface Watched {
  readonly server: Server;
  readonly watch: LoopWatch;
  /** Of the entry that the other client reads. */
  readonly documentId: string;
}

/** Shows what each request, sent without pause by all clients, costs another one. */
export async function compareHostile(
  { server, watch, documentId }: Watched,
  requests: readonly (readonly [name: string, target: string])[],
  options: Pick<Options, 'restaurants' | 'clients' | 'seconds'>,
): Promise<void> {
  const { restaurants, clients, seconds } = options;
  const small = WORKLOADS['read by id'].replace(DOCUMENT_PLACE, documentId);
  const { times: quiet } = await sendWithoutPause({ url: server.address + small, clients: 1, seconds });
  const alone = p99(quiet);
  console.log(
    `${restaurants} restaurants, ${clients} clients, ${seconds} s each; read by id alone: p99 ${alone.toFixed(1)} ms\n`,
  );
  const line = table(32, 26, 10, 8, 12, 10, 10);
  console.log(line('request', 'answers', 'slowest s', 'MB', 'by id p99 ms', 'more ms', 'held ms'));
  for (const [name, target] of requests) {
    const begin = Date.now();
    const { expensive, megabytes, times } = await beside(server, target, small, options);
    const slowest = Math.max(...expensive.times) / 1000;
    const answers = [...expensive.statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
    const worst = p99(times);
    const { own } = await watch.between(begin, Date.now());
    console.log(
      line(
        name,
        answers,
        slowest.toFixed(2),
        megabytes.toFixed(0),
        worst.toFixed(1),
        (worst - alone).toFixed(1),
        Math.max(...own).toFixed(1),
      ),
    );
  }
}

interface Beside {
  readonly expensive: Answered;
  readonly megabytes: number;
  /** Milliseconds of the reads by id. */
  readonly times: readonly number[];
}

async function beside(
  server: Server,
  target: string,
  small: string,
  { clients, seconds }: Pick<Options, 'clients' | 'seconds'>,
): Promise<Beside> {
  let [megabytes, isOver] = [0, false];
  const watch = async (): Promise<void> => {
    for (; !isOver; await sleep(MEMORY_STEP_MS)) megabytes = Math.max(megabytes, server.familyMegabytes());
  };
  const watching = watch();
  const [expensive, { times }] = await Promise.all([
    sendWithoutPause({ url: server.address + target, clients, seconds }),
    sendWithoutPause({ url: server.address + small, clients: 1, seconds }),
  ]);
  isOver = true;
  await watching;
  return { expensive, megabytes, times };
}

export const p99 = (times: readonly number[]): number => {
  const ascending = times.toSorted((left, right) => left - right);
  return ascending[Math.floor(ascending.length * 0.99)] ?? Number.NaN;
};
