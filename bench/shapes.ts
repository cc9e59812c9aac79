// Reads of which no two have the same shape, so that nothing that was prepared for one serves another: what memory they
// leave in the server and, on PostgreSQL, in the processes of the database. Every tenth is as long as a long address.
import { dataSet } from './data.ts';
import type { Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { startSheaf } from './reads.ts';
import { megabytesOf } from './server.ts';
import { table } from './table.ts';

const LINES = 20;
const LONG_EVERY = 10;
/** About 8 kB, on lists behind lists. */
const LONG_CONDITIONS = 75;
const LONG_LEVELS = 3;

/** Conditions on a category, each with a shape of its own. */
const CONDITIONS = [
  ...['$eq', '$ne', '$eqi', '$contains', '$startsWith'].map((operator) => `[name][${operator}]=x`),
  ...['$eq', '$ne', '$gt', '$lt'].map((operator) => `[documentId][${operator}]=x`),
  ...['$eq', '$gt', '$lt'].map((operator) => `[rank][${operator}]=1`),
];

/** The digits of its number choose the conditions of a shape. */
function conditionsOf(number: number): string[] {
  const chosen: string[] = [];
  for (let rest = number + 1; rest > 0; rest = Math.floor(rest / CONDITIONS.length))
    chosen.push(CONDITIONS[rest % CONDITIONS.length]!);
  return chosen;
}

function targetOf(number: number): string {
  const conditions = conditionsOf(number);
  let target = '/api/categories?pagination[pageSize]=1&pagination[withCount]=false';
  for (const [index, one] of conditions.entries()) target += `&filters[$or][${index}]${one}`;
  if (number % LONG_EVERY > 0) return target;
  for (let index = 0; index < LONG_CONDITIONS; index++) {
    const path = '[populate][children][populate][parent]'.repeat(1 + (index % LONG_LEVELS)).replace('[populate]', '');
    target += `&populate${path}[filters][$and][${index}]${conditions[index % conditions.length]}`;
  }
  return target;
}

export async function shapes(options: Options): Promise<void> {
  if (options.postgres) return withPostgres(options.restaurants, ({ url }) => sendShapes(url, options));
  const { file } = await dataSet(options.restaurants);
  return sendShapes(`sqlite:${file}`, options);
}

async function sendShapes(database: string, { shapes: count, clients, postgres }: Options): Promise<void> {
  const server = await startSheaf(database);
  const line = table(12, 24, 12, 16);
  console.log(line('shapes', 'answers', 'server MB', postgres ? 'PostgreSQL MB' : ''));
  const statuses = new Map<number, number>();
  const show = (sent: number): void => {
    const answers = [...statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
    const ofDatabase = postgres ? megabytesOf('postgres').toFixed(0) : '';
    console.log(line(String(sent), answers, server.familyMegabytes().toFixed(0), ofDatabase));
  };
  let [next, sent] = [0, 0];
  const client = async (): Promise<void> => {
    while (next < count) {
      const response = await fetch(server.address + targetOf(next++));
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (++sent % Math.ceil(count / LINES) === 0) show(sent);
    }
  };
  show(0);
  await Promise.all(Array.from({ length: clients }, client));
  await server.stop();
}
