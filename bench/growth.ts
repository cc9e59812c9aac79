// What more processes bring: a mixed read load on PostgreSQL, answered by 1, 2 and 4 Sheaf workers in turns.
import { availableParallelism } from 'node:os';
import { type Measured, measure, median } from './load.ts';
import type { Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { startSheaf, workloadsOf } from './reads.ts';
import { milliseconds, table } from './table.ts';

const WORKERS = [1, 2, 4] as const;

export const growth = (options: Options): Promise<void> =>
  withPostgres(options.restaurants, async ({ url, documentId }) => {
    const { connections, seconds, rounds } = options;
    const workloads = workloadsOf(documentId, options.only);
    const servers = await Promise.all(WORKERS.map((workers) => startSheaf(url, { workers })));
    const targets = workloads.map(([, target]) => target);
    const taken: (readonly Measured[])[] = [];
    for (let round = 0; round < rounds; round++) taken.push(await measure(servers, targets, options));
    const middle = (server: number, field: keyof Measured): number =>
      median(taken.map((results) => results[server]![field]));

    console.log(
      `${workloads.length} workloads in turn, ${connections} connections, ${seconds} s each, median of ${rounds}\n`,
    );
    const line = table(10, 12, 8, 8, 8, 14, 14);
    console.log(line('workers', 'req/s', 'p50 ms', 'p99 ms', 'growth', 'sheaf cpu ms', 'database cpu ms'));
    for (const [index, workers] of WORKERS.entries()) {
      const times = [milliseconds(middle(index, 'p50')), milliseconds(middle(index, 'p99'))];
      const perSecond = middle(index, 'perSecond');
      const factor = (perSecond / middle(0, 'perSecond')).toFixed(2);
      const costs = [middle(index, 'serverCost').toFixed(2), middle(index, 'databaseCost').toFixed(2)];
      console.log(line(String(workers), perSecond.toFixed(0), ...times, factor, ...costs));
    }
    console.log(
      `\nThe load generator and the database run on the same ${availableParallelism()} cores as the workers; cpu is for one answer.`,
    );
    for (const server of servers) await server.stop();
  });
