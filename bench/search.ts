// Looks for requests that hold up others: draws them at random within the limits, goes on from the worst, and shows those
// that kept another client's read by id waiting longest, each by itself and then by many clients at once. What it finds belongs into hostile-requests.ts.
import { loadModel } from '../src/model/build.ts';
import { dataSet, PROJECT } from './data.ts';
import { compareHostile } from './hostile.ts';
import { type Shape, ShapeGenerator, targetOf } from './hostile-shapes.ts';
import { LoopWatch } from './loop-watch.ts';
import type { Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { Random } from './random.ts';
import { startSheaf } from './reads.ts';
import type { Server } from './server.ts';
import { table } from './table.ts';
import { DOCUMENT_PLACE, WORKLOADS } from './workloads.ts';

/** How many of the worst are gone on from, and shown. */
const KEPT = 20;
const SHOWN = 10;
/** Share of requests that are drawn anew. */
const FRESH = 0.4;
/** What is found is run again, since others on the machine hold up reads as well; the least counts. */
const CONFIRMED = 3;
/** Milliseconds that are worth a second look. */
const SUSPECT_MS = 10;
const PROGRESS_MS = 5_000;
const MANY_CLIENTS_SECONDS = 5;

interface Found {
  readonly shape: Shape;
  readonly status: number;
  /** Milliseconds until it was answered, and that the slowest read beside it took. */
  readonly took: number;
  readonly heldUp: number;
}

export async function search(options: Options): Promise<void> {
  if (options.postgres)
    return withPostgres(options.restaurants, ({ url, documentId }) => searchOn(url, documentId, options));
  const { file, documentId } = await dataSet(options.restaurants);
  return searchOn(`sqlite:${file}`, documentId, options);
}

async function searchOn(database: string, documentId: string, options: Options): Promise<void> {
  const { seconds, seed } = options;
  const watch = new LoopWatch();
  const server = await startSheaf(database, { watch });
  const small = server.address + WORKLOADS['read by id'].replace(DOCUMENT_PLACE, documentId);
  const random = new Random(seed);
  const shapes = new ShapeGenerator(loadModel(PROJECT), random);
  console.log(`Searching for ${seconds} s with --seed ${seed}`);
  let worst: Found[] = [];
  const statuses = new Map<number, number>();
  const end = performance.now() + seconds * 1000;
  let [tried, told] = [0, performance.now()];
  while (performance.now() < end) {
    const isFresh = worst.length === 0 || random.fraction() < FRESH;
    const shape = isFresh ? shapes.shape() : shapes.variant(random.of(worst).shape);
    const found = await confirmed(server, small, shape);
    tried++;
    statuses.set(found.status, (statuses.get(found.status) ?? 0) + 1);
    worst = [...worst, found].sort((one, other) => other.heldUp - one.heldUp).slice(0, KEPT);
    if (performance.now() - told < PROGRESS_MS) continue;
    told = performance.now();
    console.log(`${tried} requests; the worst held up a read for ${worst[0]!.heldUp.toFixed(1)} ms`);
  }
  const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  console.log(`\n${tried} requests: ${answers}\n`);
  const line = table(12, 10, 8, 10);
  console.log(line('held up ms', 'took ms', 'status', 'length'));
  for (const { shape, status, took, heldUp } of worst.slice(0, SHOWN)) {
    const target = targetOf(shape);
    console.log(line(heldUp.toFixed(1), took.toFixed(0), String(status), String(target.length)));
    console.log(`  ${target}`);
  }
  console.log('');
  const shown = worst.slice(0, SHOWN).map(({ shape }, index) => [`worst ${index + 1}`, targetOf(shape)] as const);
  await compareHostile({ server, watch, documentId }, shown, { ...options, seconds: MANY_CLIENTS_SECONDS });
  await server.stop();
}

async function confirmed(server: Server, small: string, shape: Shape): Promise<Found> {
  let found = await beside(server, small, shape);
  for (let run = 1; run < CONFIRMED && found.heldUp > SUSPECT_MS; run++) {
    const again = await beside(server, small, shape);
    if (again.heldUp < found.heldUp) found = again;
  }
  return found;
}

/** Sends a request, and reads by id one after another until it is answered. */
async function beside(server: Server, small: string, shape: Shape): Promise<Found> {
  const begin = performance.now();
  let status: number | null = null;
  const expensive = fetch(server.address + targetOf(shape)).then(async (response) => {
    await response.arrayBuffer();
    status = response.status;
  });
  let heldUp = 0;
  do {
    const start = performance.now();
    await (await fetch(small)).arrayBuffer();
    heldUp = Math.max(heldUp, performance.now() - start);
  } while (status === null);
  await expensive;
  return { shape, status, took: performance.now() - begin, heldUp };
}
