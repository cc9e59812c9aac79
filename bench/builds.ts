// Reads on two builds of Sheaf. A machine that others use too changes its speed by more than what is looked for, and so do
// processes of one build: where their memory lies makes a third. So several of each take short turns, and what counts is
// the processor time that the thread which answers takes in the best of them, in the quarter of its turns that met the
// least else.
import { measureTurn, median, shuffled } from './load.ts';
import type { Options } from './options.ts';
import { ROOT, startSheaf, type Workload } from './reads.ts';
import { BenchError, type Server } from './server.ts';
import { table } from './table.ts';

/** Short, so that a drift of the machine falls on all alike. */
const TURN_SECONDS = 0.3;
const WARM_UP_SECONDS = 1;
const LEAST_TURNS = 4;

interface Process {
  readonly build: 'here' | 'beside';
  readonly server: Server;
}

/** What a process took in a turn. */
interface Turn {
  readonly process: Process;
  /** Microseconds of its thread for an answer. */
  readonly cost: number;
  readonly perSecond: number;
}

/** Measures the workloads on as many processes of each build as there are rounds, and prints a line for each. */
export async function compareBuilds(
  database: string,
  workloads: readonly Workload[],
  options: Options & { readonly beside: string },
): Promise<void> {
  const { restaurants, connections, rounds } = options;
  const processes = await startAll(database, options.beside, rounds);
  console.log(
    `${restaurants} restaurants, ${connections} connections, ${rounds} processes of each build; microseconds of the thread that answers\n`,
  );
  const line = table(30, 10, 10, 7, 7, 26, 26);
  console.log(line('workload', 'beside us', 'sheaf us', 'CPU', 'req/s', 'processes beside', 'of Sheaf'));
  for (const [name, path] of workloads) {
    const turns = await takeTurns(processes, path, options);
    const costsOf = (build: Process['build']): number[] =>
      processes
        .filter((process) => process.build === build)
        .map((process) => leastQuarter(turns.filter((turn) => turn.process === process)));
    const rateOf = (build: Process['build']): number =>
      median(turns.filter(({ process }) => process.build === build).map(({ perSecond }) => perSecond));
    const [here, beside] = [costsOf('here'), costsOf('beside')];
    const [least, leastBeside] = [Math.min(...here), Math.min(...beside)];
    console.log(
      line(
        name,
        leastBeside.toFixed(0),
        least.toFixed(0),
        (least / leastBeside).toFixed(2),
        (rateOf('here') / rateOf('beside')).toFixed(2),
        listed(beside),
        listed(here),
      ),
    );
  }
  for (const { server } of processes) await server.stop();
}

async function startAll(database: string, beside: string, count: number): Promise<Process[]> {
  const processes: Process[] = [];
  for (let index = 0; index < count; index++) {
    const both = [
      { build: 'here', root: ROOT },
      { build: 'beside', root: beside },
    ] as const;
    // Whoever starts later may be better off.
    for (const { build, root } of index % 2 === 0 ? both : both.toReversed())
      processes.push({ build, server: await startSheaf(database, { root }) });
  }
  return processes;
}

async function takeTurns(processes: readonly Process[], path: string, options: Options): Promise<Turn[]> {
  const { connections, seconds } = options;
  for (const { server } of processes) await measureTurn(server, [path], connections, WARM_UP_SECONDS);
  const turns: Turn[] = [];
  const count = Math.max(LEAST_TURNS, Math.round(seconds / TURN_SECONDS));
  for (let index = 0; index < count; index++)
    for (const process of shuffled(processes)) {
      const before = threadSeconds(process.server);
      const { answers, seconds: taken } = await measureTurn(process.server, [path], connections, TURN_SECONDS);
      const cost = ((threadSeconds(process.server) - before) * 1e6) / answers;
      turns.push({ process, cost, perSecond: answers / taken });
    }
  return turns;
}

function threadSeconds(server: Server): number {
  const seconds = server.threadSeconds();
  if (Number.isNaN(seconds))
    throw new BenchError('this system does not tell the processor time of a thread; --beside needs Linux');
  return seconds;
}

const listed = (costs: readonly number[]): string =>
  costs
    .toSorted((one, other) => one - other)
    .map((cost) => cost.toFixed(0))
    .join(' ');

/** The cost that a quarter of the turns stayed below. */
const leastQuarter = (turns: readonly Turn[]): number =>
  turns.map(({ cost }) => cost).toSorted((one, other) => one - other)[turns.length >> 2]!;
