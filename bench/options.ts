// The words of the command line, read and checked.
import { parseArgs } from 'node:util';
import type { Load } from './load.ts';
import { BenchError } from './server.ts';

const MIN_RESTAURANTS = 100;

export const HELP = `Measures Sheaf beside a server that does the least possible for the same answers.

Usage: npm run bench -- [options]

  --postgres        reads on a PostgreSQL server of its own, instead of SQLite
  --writes          writes in process on SQLite, beside the same statements sent by hand
  --writes --clients N [--postgres]
                    writes over HTTP by 1 and by N clients, and by N on one document (default 8)
  --growth          reads on PostgreSQL by 1, 2 and 4 processes
  --access          reads by the public, a user and a token, beside reads that nobody guards; on SQLite, or with
                    --postgres on PostgreSQL
  --hostile         expensive requests by --clients N, beside reads by id; on SQLite, or with --postgres on PostgreSQL
  --uploads         20 uploads of 200 MB at once, beside reads by id; on SQLite, or with --postgres on PostgreSQL
  --search          looks for --seconds S for requests that hold up others, and sends the worst by --clients C; on SQLite, or
                    with --postgres on PostgreSQL
  --shapes N        N reads of which no two have the same shape, by --clients C: the memory they leave; on SQLite, or with
                    --postgres on PostgreSQL
  --scale           reads that an index serves, with 10,000, 100,000 and 1,000,000 entries; on SQLite, or with
                    --postgres on PostgreSQL
  --sets            filters on sets of related entries in process, beside SQL that was written by hand; on SQLite, or with
                    --postgres on PostgreSQL
  --aggregates      aggregates in process, beside SQL written by hand for the same answer; on SQLite, or with --postgres
                    on PostgreSQL
  --code            what code of a project costs: beside other types, in routes of its own, and at a start; on SQLite, or
                    with --postgres on PostgreSQL
  --types           the check of 100 queries on a model of 50 content-types by the TypeScript compiler
  --seed N          with --search: where its random numbers begin (default 1)
  --restaurants N   size of the data set, at least ${MIN_RESTAURANTS} (default 10000)
  --seconds S       how long each workload is measured on each server (default 5)
  --connections C   connections open at a time (default 16)
  --rounds R        measure each workload R times, reads on servers that are started anew, and show the medians
                    (default 1)
  --beside DIR      for reads, and for writes with --clients: another checkout with its build in dist, measured in
                    turns with this one; for reads on R processes of each, by the processor time of the thread that
                    answers, and with no limit server
  --targets T       with --clients: how many chefs, pairs of categories and so on all documents share (default 1)
  --workers W       with --clients: processes of Sheaf that share the database, as nodes do (default 1)
  --durable         with --clients --postgres: commits wait for the disk, as a server does by default
  --statements      with --clients: the statements of each write with their times
  --only TEXT       only workloads whose name contains TEXT
  --help            this text

The data set is kept in bench/.data and made again when it is out of date.`;

export type Part =
  | 'reads'
  | 'postgres'
  | 'writes'
  | 'clientWrites'
  | 'growth'
  | 'access'
  | 'hostile'
  | 'search'
  | 'shapes'
  | 'scale'
  | 'sets'
  | 'aggregates'
  | 'uploads'
  | 'code'
  | 'types';

export interface Options extends Load {
  readonly part: Part;
  readonly restaurants: number;
  readonly rounds: number;
  readonly only: string;
  readonly postgres: boolean;
  readonly clients: number;
  readonly beside: string | null;
  readonly targets: number;
  readonly workers: number;
  readonly durable: boolean;
  readonly statements: boolean;
  readonly seed: number;
  readonly shapes: number;
}

const WORDS = {
  postgres: { type: 'boolean', default: false },
  writes: { type: 'boolean', default: false },
  growth: { type: 'boolean', default: false },
  access: { type: 'boolean', default: false },
  hostile: { type: 'boolean', default: false },
  search: { type: 'boolean', default: false },
  shapes: { type: 'string' },
  scale: { type: 'boolean', default: false },
  sets: { type: 'boolean', default: false },
  aggregates: { type: 'boolean', default: false },
  uploads: { type: 'boolean', default: false },
  code: { type: 'boolean', default: false },
  types: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  restaurants: { type: 'string', default: '10000' },
  seconds: { type: 'string', default: '5' },
  connections: { type: 'string', default: '16' },
  rounds: { type: 'string', default: '1' },
  clients: { type: 'string' },
  beside: { type: 'string' },
  targets: { type: 'string' },
  workers: { type: 'string' },
  durable: { type: 'boolean', default: false },
  statements: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
const DEFAULT_CLIENTS = '8';
/** These mean something to writes by clients only. */
const OF_CLIENTS = ['clients', 'targets', 'workers', 'durable', 'statements'] as const;

/** Parts that another checkout can be measured in. */
const COMPARED: ReadonlySet<Part> = new Set(['reads', 'postgres', 'clientWrites']);

type Words = ReturnType<typeof parseArgs<{ options: typeof WORDS }>>['values'];

/** Null where only help is asked for. */
export function readOptions(part?: Part): Options | null {
  const { values } = parseArgs({ options: WORDS });
  if (values.help) return null;
  type NumberName =
    | 'restaurants'
    | 'seconds'
    | 'connections'
    | 'rounds'
    | 'clients'
    | 'targets'
    | 'workers'
    | 'seed'
    | 'shapes';
  const number = (name: NumberName, least: number, whole = true, absent = '1'): number => {
    const text = values[name] ?? absent;
    const value = Number(text);
    if (!(value >= least) || !Number.isFinite(value) || (whole && !Number.isInteger(value)))
      throw new BenchError(`--${name} ${text}: expected a ${whole ? 'whole ' : ''}number of at least ${least}`);
    return value;
  };
  return {
    part: part ?? partOf(values),
    restaurants: number('restaurants', MIN_RESTAURANTS),
    seconds: number('seconds', 0.5, false),
    connections: number('connections', 1),
    rounds: number('rounds', 1),
    only: values.only,
    postgres: values.postgres,
    clients: number('clients', 1, true, DEFAULT_CLIENTS),
    beside: values.beside ?? null,
    targets: number('targets', 1),
    workers: number('workers', 1),
    durable: values.durable,
    statements: values.statements,
    seed: number('seed', 0),
    shapes: number('shapes', 1),
  };
}

/** Writes on PostgreSQL are those of clients; other parts are measured one at a time. */
function partOf(values: Words): Part {
  for (const name of [
    'hostile',
    'search',
    'shapes',
    'scale',
    'sets',
    'aggregates',
    'uploads',
    'code',
    'types',
  ] as const)
    if (values[name]) return name;
  const ofClients = OF_CLIENTS.filter((name) => values[name]);
  const isOfClients = values.writes && (values.postgres || values.beside !== undefined || ofClients.length > 0);
  if (ofClients.length > 0 && !isOfClients)
    throw new BenchError(`--${ofClients[0]} goes with --writes; add --writes, and --postgres for PostgreSQL`);
  const names = (['postgres', 'writes', 'growth', 'access'] as const).filter((name) => values[name]);
  // Writes by clients and reads by callers are measured on either database.
  const others = names.filter((name) => name !== 'postgres' && name !== 'writes');
  const parts = isOfClients ? ['clientWrites' as const, ...others] : values.access ? others : names;
  if (parts.length > 1) throw new BenchError(`--${names.join(' and --')} are measured one at a time`);
  const [part = 'reads'] = parts;
  if (values.beside !== undefined && !COMPARED.has(part))
    throw new BenchError(`--beside goes with reads, or with --writes; leave out --${part}`);
  return part;
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
