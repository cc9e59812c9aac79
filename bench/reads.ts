// The nine reads on Sheaf beside a limit server, on the same data in the same run, since only ratios of one run mean
// anything on a machine that others use too.
import { fileURLToPath } from 'node:url';
import { PROJECT } from './data.ts';
import { type Measured, measure, median } from './load.ts';
import type { LoopWatch } from './loop-watch.ts';
import { chosen, type Options } from './options.ts';
import { BenchError, Server } from './server.ts';
import { milliseconds, table } from './table.ts';
import { DOCUMENT_PLACE, WORKLOADS } from './workloads.ts';

/** As npm starts it; see "Sizing" in docs/operations.md. */
const NODE_WORDS = ['--max-semi-space-size=8'];
export const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Above this share of its time the load generator may be what is measured. */
const BUSY = 0.9;

export type Workload = readonly [name: string, target: string];

export const workloadsOf = (documentId: string, only: string): Workload[] =>
  chosen(WORKLOADS, only).map(([name, text]) => [name, text.replace(DOCUMENT_PLACE, documentId)]);

type Memory = ReturnType<Server['memory']>;

interface SheafOptions {
  readonly workers?: number;
  readonly project?: string;
  /** The checkout whose build is started. */
  readonly root?: string;
  readonly watch?: LoopWatch;
}

export const startSheaf = (
  database: string,
  { workers = 1, project = PROJECT, root = ROOT, watch }: SheafOptions = {},
): Promise<Server> => {
  const places = ['--project', project, '--database', database, '--port', '0', '--workers', String(workers)];
  const name = root === ROOT ? `Sheaf (${workers})` : `Sheaf of ${root}`;
  return Server.start(name, [...NODE_WORDS, ...(watch?.words ?? []), 'dist/main.js', 'start', ...places], root);
};

/**
 * Measures the workloads, prints a line for each, and returns the memory that Sheaf has in the end. In each round Sheaf
 * is started anew, since processes of one build differ.
 */
export async function compareReads(
  limit: Server,
  database: string,
  workloads: readonly Workload[],
  options: Options,
): Promise<Memory> {
  const { restaurants, connections, seconds, rounds } = options;
  const bytes = new Map<string, number>();
  const taken = workloads.map((): (readonly Measured[])[] => []);
  let memory: Memory = null;
  for (let round = 0; round < rounds; round++) {
    const sheaf = await startSheaf(database);
    for (const [index, workload] of workloads.entries()) {
      bytes.set(workload[0], await compareAnswers(limit, sheaf, workload));
      taken[index]!.push(await measure([limit, sheaf], [workload[1]], options));
    }
    memory = sheaf.memory();
    await sheaf.stop();
    if (rounds > 1) console.error(`round ${round + 1} of ${rounds}`);
  }

  const line = table(30, 7, 12, 12, 8, 8, 6);
  console.log(`${restaurants} restaurants, ${connections} connections, ${seconds} s each, median of ${rounds}\n`);
  console.log(line('workload', 'bytes', 'limit req/s', 'sheaf req/s', 'p50 ms', 'p99 ms', 'ratio'));
  let busiest = 0;
  for (const [index, [name]] of workloads.entries()) {
    const middle = (server: number, field: keyof Measured): number =>
      median(taken[index]!.map((results) => results[server]![field]));
    busiest = Math.max(busiest, middle(0, 'busy'), middle(1, 'busy'));
    console.log(
      line(
        name,
        String(bytes.get(name)),
        middle(0, 'perSecond').toFixed(0),
        middle(1, 'perSecond').toFixed(0),
        milliseconds(middle(1, 'p50')),
        milliseconds(middle(1, 'p99')),
        (middle(1, 'perSecond') / middle(0, 'perSecond')).toFixed(2),
      ),
    );
  }
  if (busiest > BUSY)
    console.log(
      `\nThe load generator was busy ${(busiest * 100).toFixed(0)} % of the time at most: the fastest servers may be faster.`,
    );
  return memory;
}

/** Numbers of two servers compare only if both do the same work. Returns the size of Sheaf's answer. */
async function compareAnswers(limit: Server, sheaf: Server, [name, target]: Workload): Promise<number> {
  const expected = outline((await limit.get(target)).body);
  const { body } = await sheaf.get(target);
  const found = outline(body);
  for (const part of ['entries', 'total', 'first'] as const)
    if (found[part] !== expected[part])
      throw new BenchError(
        `${name}: the answers differ in ${part}: ${found[part]} from Sheaf, ${expected[part]} from the limit server`,
      );
  return Buffer.byteLength(body);
}

function outline(body: string): { entries: number; total: number | null; first: string | null } {
  const { data, meta } = JSON.parse(body) as {
    data: { documentId: string } | { documentId: string }[];
    meta: { pagination?: { total: number } };
  };
  const entries = Array.isArray(data) ? data : [data];
  return {
    entries: entries.length,
    total: meta.pagination?.total ?? null,
    first: entries[0]?.documentId ?? null,
  };
}
