// Writes over HTTP by one client and by several, on documents of their own that share targets and on one document:
// Sheaf, a server that sends the statements that Sheaf sends, one that sends the least SQL for the change, and another
// build of Sheaf where one is given. Each has a copy of one database; they take turns.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { open } from '../src/app.ts';
import { createServer } from '../src/http/server.ts';
import {
  type Amount,
  addClientContent,
  CLIENT_WORKLOADS,
  type ClientContent,
  type ClientWorkload,
  type OwnContent,
} from './client-workloads.ts';
import { Clients, type WriteRequest } from './clients.ts';
import { dataSet, openToAll, show } from './data.ts';
import { type StatementTime, TIMES_PATH } from './hand-server.ts';
import { LEAST_SQL } from './least-sql.ts';
import { median } from './load.ts';
import { chosen, type Options } from './options.ts';
import { ROOT, startSheaf } from './reads.ts';
import { record } from './recording.ts';
import { type ReplayOperation, saveOperations, toReplay } from './replay.ts';
import { BenchError, Server } from './server.ts';
import { table } from './table.ts';
import { postgresDatabases, sqliteDatabases, type WriteDatabases } from './write-databases.ts';
import { writeProject } from './write-project.ts';

/** Operations of one turn: so many that it does not matter which clients have nothing left to do at its end. */
const TURN = 48;
/** So many times as many where an operation is short. */
const TIMES = { sqlite: 10, postgres: 2 };
/** Turns that are measured in a round. */
const TURNS = 3;
/**
 * Turns before them: on SQLite, where Sheaf's own code is most of the time, 3,000 operations, so that V8 has compiled it
 * by the time that it is measured.
 */
const WARM_UP = { sqlite: { short: 12, other: 64 }, postgres: { short: 4, other: 4 } };
/** What a server writes as it starts. */
const OF_THE_START = new Set(['sheaf_console_links']);
/** What is demanded: of the same statements sent by hand, and of several clients on PostgreSQL beside one. */
const LEAST_RATIO = 0.6;
const LEAST_GROWTH = 2.5;

/** A workload as so many clients send it. */
interface Case {
  readonly name: string;
  readonly clients: number;
  readonly onOne: boolean;
  readonly requests: readonly WriteRequest[];
  readonly hasLeast: boolean;
  /** How many turns its requests are sent in. */
  readonly turns: number;
}

interface Measured {
  readonly perSecond: number;
  /** Milliseconds of processor time for an operation. */
  readonly serverCost: number;
  readonly databaseCost: number;
}

interface Contestants {
  readonly hand: Server;
  readonly least: Server;
  readonly sheaf: Server;
  readonly beside: Server | null;
}

type Results = { readonly [Name in keyof Contestants]: Measured | null };

/** What all measurements share. */
interface Arena {
  readonly contestants: Contestants;
  readonly databases: WriteDatabases;
  readonly options: Options;
}

export async function clientWrites(options: Options): Promise<void> {
  if (options.beside !== null && !existsSync(path.join(options.beside, 'dist/main.js')))
    throw new BenchError(`--beside ${options.beside}: there is no dist/main.js; run npm ci and npm run build there`);
  const workloads = chosen(CLIENT_WORKLOADS, options.only);
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-bench-'));
  let databases: WriteDatabases | null = null;
  try {
    const project = writeProject(folder);
    const file = path.join(folder, 'base.sqlite');
    const turns = workloads.map(([, workload]) => turnsOf(options, workload));
    const amount = { half: TURN * Math.max(...turns), targets: options.targets };
    const needs = new Set(workloads.flatMap(([, workload]) => workload.needs));
    const content = await makeContent(options, { project, file, amount, needs });
    const cases = casesOf(workloads, content, options);
    databases = options.postgres
      ? await postgresDatabases({ file, project, durable: options.durable })
      : sqliteDatabases(file);
    const operations = await recordAll(await databases.copy('recorded'), project, cases);
    const least = leastOf(cases, content, options.postgres);
    const byHand = (name: string, all: readonly ReplayOperation[]): Starter => {
      const saved = path.join(folder, `${name}.jsonl`);
      saveOperations(saved, all);
      const words = (database: string) => ['bench/hand-server.ts', database, String(options.clients), saved];
      return [name, (database) => Server.start(`The server "${name}"`, words(database), ROOT)];
    };
    const [hand, atLeast, sheaf, beside] = await startAll(databases, [
      byHand('hand', operations),
      byHand('least', least),
      ['sheaf', (database) => startSheaf(database, { project, workers: options.workers })],
      ...(options.beside === null ? [] : [besideStarter(path.resolve(options.beside), project)]),
    ]);
    const contestants = {
      hand: hand!.server,
      least: atLeast!.server,
      sheaf: sheaf!.server,
      beside: beside?.server ?? null,
    };
    await measureAll({ contestants, databases, options }, cases, operations);
    for (const server of Object.values(contestants)) await server?.stop();
    await checkSame(databases, sheaf!.database, hand!.database);
  } finally {
    await databases?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Starter = readonly [name: string, start: (database: string) => Promise<Server>];

const besideStarter = (root: string, project: string): Starter => [
  'beside',
  (database) => startSheaf(database, { project, root }),
];

/** Each on a copy of its own. */
async function startAll(
  databases: WriteDatabases,
  starters: readonly Starter[],
): Promise<{ readonly server: Server; readonly database: string }[]> {
  const started = [];
  for (const [name, start] of starters) {
    const database = await databases.copy(name);
    started.push({ database, server: await start(database) });
  }
  return started;
}

interface ContentPlace {
  readonly project: string;
  readonly file: string;
  readonly amount: Amount;
  readonly needs: ReadonlySet<OwnContent>;
}

async function makeContent(
  { restaurants }: Options,
  { project, file, amount, needs }: ContentPlace,
): Promise<ClientContent> {
  copyFileSync((await dataSet(restaurants)).file, file);
  await openToAll(`sqlite:${file}`, project);
  const sheaf = await open({ project, database: `sqlite:${file}` });
  const content = await addClientContent(sheaf, amount, needs);
  await sheaf.close();
  return content;
}

/** One client and several use different documents. Operations are numbered through all cases, in their order. */
function casesOf(workloads: readonly [string, ClientWorkload][], content: ClientContent, options: Options): Case[] {
  const { clients } = options;
  const cases: Case[] = [];
  const { half } = content;
  let operation = 0;
  for (const [name, workload] of workloads) {
    const { isShort = false, request, onOne } = workload;
    const turns = turnsOf(options, workload);
    const length = TURN * turns * (isShort ? TIMES[databaseOf(options)] : 1);
    const add = (count: number, isOnOne: boolean, made: (index: number) => WriteRequest): void => {
      const requests = Array.from({ length }, (_, index) => ({ ...made(index), operation: operation++ }));
      cases.push({ name, clients: count, onOne: isOnOne, requests, hasLeast: name in LEAST_SQL && !isOnOne, turns });
    };
    add(1, false, (index) => request(content, index));
    if (clients > 1) add(clients, false, (index) => request(content, half + index));
    if (onOne) add(clients, true, (index) => onOne(content, index));
  }
  return cases;
}

/** What Sheaf sends for each operation. */
async function recordAll(database: string, project: string, cases: readonly Case[]): Promise<ReplayOperation[]> {
  const sheaf = await open({ project, database });
  const take = record(sheaf);
  const app = createServer(sheaf);
  const operations: ReplayOperation[] = [];
  for (const { name, clients, onOne, requests } of cases) {
    show(`recording: ${name}, ${clientsText(clients, onOne)}, ${requests.length} operations`);
    for (const { method, path: url, body } of requests) {
      take();
      const payload = body === undefined ? {} : { payload: body as object };
      const answer = await app.inject({ method, url, ...payload });
      if (answer.statusCode >= 300) throw new BenchError(`${method} ${url}: Sheaf answered ${answer.body}`);
      operations.push(toReplay(take()));
    }
  }
  await app.close();
  await sheaf.close();
  return operations;
}

function leastOf(cases: readonly Case[], content: ClientContent, postgres: boolean): ReplayOperation[] {
  const none: ReplayOperation = { written: [], read: [] };
  return cases.flatMap(({ name, clients, hasLeast, requests }) =>
    requests.map((_, index) =>
      hasLeast ? LEAST_SQL[name]!({ postgres }, content, clients === 1 ? index : content.half + index) : none,
    ),
  );
}

const databaseOf = ({ postgres }: Options): keyof typeof WARM_UP => (postgres ? 'postgres' : 'sqlite');
const turnsOf = (options: Options, { isShort = false }: ClientWorkload): number =>
  WARM_UP[databaseOf(options)][isShort ? 'short' : 'other'] + TURNS * options.rounds;

const clientsText = (clients: number, onOne: boolean): string => (onOne ? `${clients} on one` : String(clients));

async function measureAll(arena: Arena, cases: readonly Case[], operations: readonly ReplayOperation[]): Promise<void> {
  const { contestants, options } = arena;
  console.log(introduction(options));
  const line = table(30, 9, 10, 9, 9, 6, 7, 7, 7, 13, ...(contestants.beside ? [8, 7] : []));
  const besideHeads = contestants.beside ? ['beside', '× faster'] : [];
  console.log(
    line(
      'req/s',
      'clients',
      'statements',
      'by hand',
      'sheaf',
      'ratio',
      'least',
      'ratio',
      'growth',
      'cpu ms',
      ...besideHeads,
    ),
  );
  const short: string[] = [];
  let single: Results | null = null;
  for (const one of cases) {
    const results = await measureCase(arena, one);
    if (one.clients === 1 && !one.onOne) single = results;
    const { written, read } = operations[one.requests.at(-1)!.operation!]!;
    const before = one.clients > 1 && !one.onOne ? single : null;
    console.log(line(...cellsOf(one, results, before, `${written.length} + ${read.length}`)));
    short.push(...shortfalls(one, results, before, options.postgres));
    if (options.statements) await printTimes(contestants.hand, one);
  }
  console.log(short.length === 0 ? '\nAll demands are met.' : `\nBelow what is demanded:\n${short.join('\n')}`);
}

function introduction({ restaurants, postgres, durable, targets, rounds }: Options): string {
  const where = postgres ? `PostgreSQL${durable ? ' that waits for the disk' : ''}` : 'SQLite';
  return [
    `${restaurants} restaurants on ${where}, over HTTP, median of ${TURNS * rounds} turns, ${targets} of each shared target`,
    'statements: in the transaction + after it, without begin and commit; by hand: the same statements, sent in order;',
    'least: the least SQL for the change, without the locks that keep lists in order; growth: Sheaf beside one client,',
    'and by hand beside one; cpu: milliseconds of a core for an operation, Sheaf + PostgreSQL\n',
  ].join('\n');
}

async function measureCase(arena: Arena, one: Case): Promise<Results> {
  const { contestants, options } = arena;
  show(`measuring: ${one.name}, ${clientsText(one.clients, one.onOne)}`);
  const names = (['hand', 'least', 'sheaf', 'beside'] as const).filter(
    (name) => contestants[name] !== null && (name !== 'least' || one.hasLeast),
  );
  const { turns } = one;
  const warmUp = turns - TURNS * options.rounds;
  const length = one.requests.length / turns;
  const taken = new Map(names.map((name) => [name, [] as Measured[]]));
  for (let turn = 0; turn < turns; turn++) {
    const requests = one.requests.slice(turn * length, (turn + 1) * length);
    // Each begins as often as the others.
    for (const place of names.keys()) {
      const name = names[(place + turn) % names.length]!;
      const measured = await measureTurn(arena, contestants[name]!, one.clients, requests);
      if (turn >= warmUp) taken.get(name)!.push(measured);
    }
  }
  const summary = (name: keyof Contestants): Measured | null => {
    const all = taken.get(name);
    if (!all) return null;
    // The clock of processor time is coarse, so its mean says more than its median.
    const mean = (field: keyof Measured): number =>
      all.reduce((sum, measured) => sum + measured[field], 0) / all.length;
    return {
      perSecond: median(all.map(({ perSecond }) => perSecond)),
      serverCost: mean('serverCost'),
      databaseCost: mean('databaseCost'),
    };
  };
  return { hand: summary('hand'), least: summary('least'), sheaf: summary('sheaf'), beside: summary('beside') };
}

async function measureTurn(
  { databases }: Arena,
  server: Server,
  count: number,
  requests: readonly WriteRequest[],
): Promise<Measured> {
  // Not longer than a turn: servers close connections that are idle, as they are in the turns of others.
  const clients = await Clients.connect(server, count);
  const [serverBefore, databaseBefore] = [server.processorSeconds(), databases.processorSeconds()];
  const seconds = await clients.send(requests);
  clients.close();
  const cost = (before: number, now: number): number => ((now - before) * 1000) / requests.length;
  return {
    perSecond: requests.length / seconds,
    serverCost: cost(serverBefore, server.processorSeconds()),
    databaseCost: cost(databaseBefore, databases.processorSeconds()),
  };
}

const ratio = (one: Measured | null, other: Measured | null): string =>
  one && other ? (one.perSecond / other.perSecond).toFixed(2) : '-';
const rate = (measured: Measured | null): string => measured?.perSecond.toFixed(0) ?? '-';

function cellsOf(
  { name, clients, onOne }: Case,
  results: Results,
  before: Results | null,
  statements: string,
): string[] {
  const { hand, least, sheaf, beside } = results;
  return [
    name,
    clientsText(clients, onOne),
    statements,
    rate(hand),
    rate(sheaf),
    ratio(sheaf, hand),
    rate(least),
    ratio(sheaf, least),
    before ? `${ratio(sheaf, before.sheaf)}/${ratio(hand, before.hand)}` : '-',
    `${sheaf!.serverCost.toFixed(2)} + ${sheaf!.databaseCost.toFixed(2)}`,
    ...(beside ? [rate(beside), ratio(sheaf, beside)] : []),
  ];
}

function shortfalls(
  { name, clients, onOne }: Case,
  results: Results,
  before: Results | null,
  postgres: boolean,
): string[] {
  const what = `${name}, ${clients} client${clients === 1 ? '' : 's'}`;
  const short: string[] = [];
  const toHand = results.sheaf!.perSecond / results.hand!.perSecond;
  if (!onOne && toHand < LEAST_RATIO)
    short.push(`  ${what}: ${toHand.toFixed(2)} of the statements by hand, not ${LEAST_RATIO}`);
  if (!postgres || !before) return short;
  const growth = results.sheaf!.perSecond / before.sheaf!.perSecond;
  if (growth < LEAST_GROWTH)
    short.push(
      `  ${what}: ${growth.toFixed(2)} times one client, not ${LEAST_GROWTH}; by hand ${ratio(results.hand, before.hand)}`,
    );
  return short;
}

/** The statements by hand in the order in which they were first sent, with the mean of their times. */
async function printTimes(hand: Server, { requests }: Case): Promise<void> {
  const times = JSON.parse((await hand.get(TIMES_PATH)).body) as StatementTime[];
  const total = times.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  for (const { sql, count, milliseconds } of times)
    console.log(`    ${(milliseconds / count).toFixed(3)} ms × ${(count / requests.length).toFixed(2)}  ${sql}`);
  console.log(`    ${(total / requests.length).toFixed(3)} ms in all\n`);
}

/** Figures compare only if both wrote the same. */
async function checkSame(databases: WriteDatabases, sheaf: string, hand: string): Promise<void> {
  const [bySheaf, byHand] = [await databases.counts(sheaf), await databases.counts(hand)];
  const different = [...bySheaf].filter(([name, count]) => !OF_THE_START.has(name) && byHand.get(name) !== count);
  if (different.length === 0) return;
  const lines = different.map(([name, count]) => `${name}: ${count} rows by Sheaf, ${byHand.get(name) ?? 0} by hand`);
  throw new BenchError(
    `the statements sent by hand did not write what Sheaf wrote, so the figures do not compare\n${lines.join('\n')}\nAn operation that depends on another one cannot be replayed; look for it in bench/client-workloads.ts`,
  );
}
