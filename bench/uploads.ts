// What many large uploads at once cost others: reads by id alone, and beside them. Shows how long the reads took, how late
// the server's event loop was, by its own work and by what else the machine did, and what memory it took.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { dataSet, PROJECT } from './data.ts';
import { p99 } from './hostile.ts';
import { median } from './load.ts';
import { LoopWatch } from './loop-watch.ts';
import type { Options } from './options.ts';
import { withPostgres } from './postgres.ts';
import { ROOT } from './reads.ts';
import { Server } from './server.ts';
import { table } from './table.ts';
import type { UploadLoad } from './upload-client.ts';
import { DOCUMENT_PLACE, WORKLOADS } from './workloads.ts';

const UPLOADS = 20;
const MEGABYTES = 200;
const MEMORY_STEP_MS = 200;

export async function uploads(options: Options): Promise<void> {
  if (options.postgres)
    return withPostgres(options.restaurants, ({ url, documentId }) => measureUploads(url, documentId, options));
  const { file, documentId } = await dataSet(options.restaurants);
  return measureUploads(`sqlite:${file}`, documentId, options);
}

async function measureUploads(database: string, documentId: string, { seconds }: Options): Promise<void> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-bench-uploads-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const project = path.join(folder, 'project');
  cpSync(PROJECT, project, { recursive: true });
  const watch = new LoopWatch();
  const words = ['dist/main.js', 'start', '--project', project, '--database', database, '--port', '0'];
  const server = await Server.start('Sheaf', [...watch.words, ...words, '--workers', '1'], ROOT);
  const target = WORKLOADS['read by id'].replace(DOCUMENT_PLACE, documentId);

  console.log(`${UPLOADS} uploads of ${MEGABYTES} MB at once; load average ${os.loadavg()[0]!.toFixed(1)}\n`);
  const line = table(8, 8, 10, 10, 13, 12, 9, 6, 6);
  console.log(line('', 'reads', 'p50 ms', 'p99 ms', 'loop p99 ms', 'own p99 ms', 'busy s', 'MB', 's'));
  const show = async (name: string, work: () => Promise<boolean>): Promise<void> => {
    const [begin, busyBefore, times] = [Date.now(), server.processorSeconds(), [] as number[]];
    let [isOver, megabytes] = [false, 0];
    const watching = (async () => {
      for (; !isOver; await sleep(MEMORY_STEP_MS)) megabytes = Math.max(megabytes, server.familyMegabytes());
    })();
    const working = work().finally(() => {
      isOver = true;
    });
    while (!isOver) times.push(...(await reads(server, target, MEMORY_STEP_MS)));
    const [end, busy] = [Date.now(), server.processorSeconds() - busyBefore];
    if (!(await working)) throw server.failure('refused an upload');
    await watching;
    const { late, own } = await watch.between(begin, end);
    const figures = [median(times), p99(times), p99(late), p99(own)].map((value) => value.toFixed(1));
    console.log(
      line(
        name,
        String(times.length),
        ...figures,
        busy.toFixed(1),
        megabytes.toFixed(0),
        ((end - begin) / 1000).toFixed(1),
      ),
    );
  };
  await show('alone', async () => sleep(seconds * 1000, true));
  await show('beside', () => uploadAll({ address: server.address, uploads: UPLOADS, megabytes: MEGABYTES }));
  await server.stop();
}

function uploadAll(load: UploadLoad): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(path.join(import.meta.dirname, 'upload-client.ts'), { workerData: load });
    worker.once('message', (statuses: readonly number[]) => resolve(statuses.every((status) => status === 201)));
    worker.once('error', reject);
  });
}

/** Milliseconds of reads one after another. */
async function reads(server: Server, target: string, milliseconds: number): Promise<number[]> {
  const end = performance.now() + milliseconds;
  const times: number[] = [];
  while (performance.now() < end) {
    const begin = performance.now();
    await server.get(target);
    times.push(performance.now() - begin);
  }
  return times;
}
