// Clients that send one request without pause, in a thread of their own: what some do with large responses must not hold up
// those that measure something beside them.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

export interface Load {
  /** The address of the request. */
  readonly url: string;
  readonly clients: number;
  readonly seconds: number;
}

export interface Answered {
  /** How many responses had each status. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Milliseconds that each took. */
  readonly times: readonly number[];
}

/** Resolves when all have their last response. */
export function sendWithoutPause(load: Load): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: load });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

async function send({ url, clients, seconds }: Load): Promise<Answered> {
  const end = performance.now() + seconds * 1000;
  const statuses = new Map<number, number>();
  const times: number[] = [];
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const begin = performance.now();
      const response = await fetch(url);
      await response.arrayBuffer();
      times.push(performance.now() - begin);
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return { statuses, times };
}

if (!isMainThread) parentPort!.postMessage(await send(workerData as Load));
