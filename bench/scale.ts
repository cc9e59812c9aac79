// What an index serves, at growing numbers of entries: each read by one client, on servers over data sets of different
// sizes in turns. The ratio of the largest to the smallest says how far a read grows with the data.
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dataSet, PROJECT } from './data.ts';
import { median } from './load.ts';
import { chosen, type Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { startSheaf } from './reads.ts';
import type { Server } from './server.ts';
import { table } from './table.ts';

const SIZES = [10_000, 100_000, 1_000_000] as const;
/** Entries of all types that the data set has for each restaurant. */
const ENTRIES_EACH = 16.6;
const WARM_UP = 50;
const REQUESTS_IN_TURN = 100;
const MAX_TURNS = 1_000;

const INDEXES = {
  'api::restaurant.restaurant': [['slug'], ['cuisine', 'rating']],
  'api::dish.dish': [['price']],
};

const PAGE = 'pagination[withCount]=false';

/** Reads that grow with the page and not with the table; a total is not among them, since it counts. */
const READS: Readonly<Record<string, (place: Place) => string>> = {
  'read by id': ({ documentId }) => `restaurants/${documentId}`,
  'read by id, populate to-one': ({ documentId }) => `restaurants/${documentId}?populate=chef`,
  'list, first page': () => `restaurants?${PAGE}`,
  'filter by a declared index': ({ slug }) => `restaurants?${PAGE}&filters[slug]=${slug}`,
  'filter and sort by one index': () => `restaurants?${PAGE}&filters[cuisine]=french&sort=rating:desc`,
  'range and sort by one index': () => `dishes?${PAGE}&filters[price][$gte]=30&sort=price`,
  'filter through a to-one': ({ chef }) => `restaurants?${PAGE}&filters[chef][documentId]=${chef}`,
  'page by cursor, in the middle': ({ cursor }) => `restaurants?sort=id&pagination[cursor]=${cursor}&${PAGE}`,
};

/** What the reads of a data set name. */
interface Place {
  readonly documentId: string;
  readonly slug: string;
  readonly chef: string;
  readonly cursor: string;
}

interface Scaled {
  readonly server: Server;
  readonly place: Place;
}

export async function scale(options: Options): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sheaf-scale-'));
  const project = path.join(folder, 'project');
  cpSync(PROJECT, project, { recursive: true });
  mkdirSync(path.join(project, 'config'), { recursive: true });
  writeFileSync(path.join(project, 'config', 'sheaf.json'), JSON.stringify({ indexes: INDEXES }));
  try {
    await startNext([], options, { folder, project });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts a server for the next size, and all that follow; measures when all of them run. */
async function startNext(
  running: readonly Scaled[],
  options: Options,
  places: { readonly folder: string; readonly project: string },
): Promise<void> {
  const entries = SIZES[running.length];
  if (entries === undefined) return compare(running, options);
  const restaurants = Math.round(entries / ENTRIES_EACH);
  const go = async (database: string, documentId: string): Promise<void> => {
    const server = await startSheaf(database, { project: places.project });
    try {
      const place = await placeIn(server, documentId);
      await startNext([...running, { server, place }], options, places);
    } finally {
      await server.stop();
    }
  };
  if (options.postgres) return withPostgres(restaurants, ({ url, documentId }) => go(url, documentId));
  const { file, documentId } = await dataSet(restaurants);
  // A copy, since other parts measure without these indexes.
  const copy = path.join(places.folder, `${entries}.sqlite`);
  copyFileSync(file, copy);
  return go(`sqlite:${copy}`, documentId);
}

async function placeIn(server: Server, documentId: string): Promise<Place> {
  const get = async (target: string) => (await (await fetch(`${server.address}/api/${target}`)).json()) as Answer;
  const { data } = await get(`restaurants/${documentId}?populate=chef&fields=slug`);
  const { id, slug, chef } = data as Restaurant;
  const page = await get(`restaurants?sort=id&filters[id][$gte]=${id}&pagination[cursor]=&fields=id`);
  return { documentId, slug, chef: chef?.documentId ?? 'none', cursor: encodeURIComponent(page.meta.pagination.next) };
}

interface Restaurant {
  readonly id: number;
  readonly slug: string;
  readonly chef: { readonly documentId: string } | null;
}

interface Answer {
  readonly data: unknown;
  readonly meta: { readonly pagination: { readonly next: string } };
}

async function compare(servers: readonly Scaled[], { seconds, only }: Options): Promise<void> {
  const line = table(32, ...SIZES.map(() => 12), 8);
  console.log(`Milliseconds of a read, median, by number of entries`);
  console.log(line('read', ...SIZES.map((size) => size.toLocaleString('en')), 'ratio'));
  for (const [name, target] of chosen(READS, only)) {
    const times = servers.map((): number[] => []);
    for (const { server, place } of servers) await ask(server, target(place), WARM_UP);
    const end = performance.now() + seconds * 1000 * servers.length;
    for (let turn = 0; turn < MAX_TURNS && performance.now() < end; turn++)
      for (const [index, { server, place }] of servers.entries())
        times[index]!.push(...(await ask(server, target(place), REQUESTS_IN_TURN)));
    const medians = times.map(median);
    console.log(line(name, ...medians.map((time) => time.toFixed(3)), (medians.at(-1)! / medians[0]!).toFixed(2)));
  }
}

/** Milliseconds of each of so many requests, one after another. */
async function ask({ address }: Server, target: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const begin = performance.now();
    const response = await fetch(`${address}/api/${target}`);
    await response.arrayBuffer();
    times.push(performance.now() - begin);
    if (response.status !== 200) throw new Error(`${target} was answered with ${response.status}`);
  }
  return times;
}
