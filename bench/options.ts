// The words of the command line, read and checked.
import { parseArgs } from 'node:util';
import type { Load } from './load.ts';
import { BenchError } from './server.ts';

const MIN_RESTAURANTS = 100;

export const HELP = `Measures Sheaf beside a server that does the least possible for the same answers.

Usage: npm run bench -- [options]

  --postgres        reads on a PostgreSQL server of its own, instead of SQLite
  --writes          writes on SQLite, beside the same statements sent by hand
  --growth          reads on PostgreSQL by 1, 2 and 4 processes
  --access          reads by the public, a user and a token, beside reads that nobody guards
  --restaurants N   size of the data set, at least ${MIN_RESTAURANTS} (default 10000)
  --seconds S       how long each workload is measured on each server (default 5)
  --connections C   connections open at a time (default 16)
  --rounds R        measure each workload R times and show the medians (default 1)
  --only TEXT       only workloads whose name contains TEXT
  --help            this text

The data set is kept in bench/.data and made again when it is out of date.`;

export type Part = 'reads' | 'postgres' | 'writes' | 'growth' | 'access';

export interface Options extends Load {
  readonly part: Part;
  readonly restaurants: number;
  readonly rounds: number;
  readonly only: string;
}

/** Null where only help is asked for. */
export function readOptions(part?: Part): Options | null {
  const { values } = parseArgs({
    options: {
      postgres: { type: 'boolean', default: false },
      writes: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      access: { type: 'boolean', default: false },
      restaurants: { type: 'string', default: '10000' },
      seconds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '16' },
      rounds: { type: 'string', default: '1' },
      only: { type: 'string', default: '' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return null;
  const number = (name: 'restaurants' | 'seconds' | 'connections' | 'rounds', least: number, whole = true): number => {
    const value = Number(values[name]);
    if (!(value >= least) || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
      throw new BenchError(`--${name} ${values[name]}: expected a ${whole ? 'whole ' : ''}number of at least ${least}`);
    return value;
  };
  const parts = (['postgres', 'writes', 'growth', 'access'] as const).filter((name) => values[name]);
  if (parts.length > 1) throw new BenchError(`--${parts.join(' and --')} are measured one at a time`);
  return {
    part: part ?? parts[0] ?? 'reads',
    restaurants: number('restaurants', MIN_RESTAURANTS),
    seconds: number('seconds', 0.5, false),
    connections: number('connections', 1),
    rounds: number('rounds', 1),
    only: values.only,
  };
}

/** Those whose name contains what was asked for with --only. */
export function chosen<Item>(all: Readonly<Record<string, Item>>, only: string): [name: string, item: Item][] {
  const found = Object.entries(all).filter(([name]) => name.includes(only));
  if (found.length === 0)
    throw new BenchError(`--only ${only}: no such workload; there are ${Object.keys(all).join(' · ')}`);
  return found;
}

/** Runs a part of the benchmark; what cannot go on is told in words. */
export async function runPart(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const known =
      error instanceof BenchError || String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
    console.error(known ? `bench: ${(error as Error).message}` : error);
    // Not only the code: servers still running would keep the process alive.
    process.exit(1);
  }
}
