// Where metrics are served by `sheaf start`: at a path of the server, or at a port of their own. With several workers the
// process that starts them asks all, and answers the worker that was asked.
import cluster, { type Worker } from 'node:cluster';
import { SetupError, unavailableError } from '../errors.ts';
import type { ServerMetrics } from '../http/metrics.ts';
import type { MetricsPlace } from '../project/settings.ts';

/** What a worker asks, and what it is told. */
interface MetricsQuestion {
  readonly metricsQuestion: number;
}
interface MetricsAnswer {
  readonly metricsAnswer: number;
  readonly text: string | null;
}

/** Of a process that serves; null where none are asked for. */
export async function metricsOf(place: MetricsPlace | null): Promise<ServerMetrics | null> {
  if (place === null) return null;
  const { createMetrics } = await import('../http/metrics.ts');
  return createMetrics('path' in place ? place.path : null, cluster.isWorker ? askPrimary() : null);
}

/**
 * Of the process that the operator started: listens, where metrics have a port, and answers workers. Returns the address,
 * or null where there is none besides that of the server. `own`: the metrics of this process, where it serves alone.
 */
export async function listenForMetrics(place: MetricsPlace | null, own: ServerMetrics | null): Promise<string | null> {
  if (place === null || cluster.isWorker) return null;
  const source = own ?? (await import('../http/metrics.ts')).clusterMetrics();
  if (!own) answerWorkers(source);
  return 'path' in place ? null : listen(place, source);
}

type MetricsSource = Pick<ServerMetrics, 'contentType' | 'text'>;

async function listen({ host, port }: Extract<MetricsPlace, { port: number }>, source: MetricsSource): Promise<string> {
  // Imported by name, Node's module loads its whole HTTP client, which no server needs to start.
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    source.text().then(
      (text) => response.writeHead(200, { 'content-type': source.contentType }).end(text),
      (error: Error) => response.writeHead(503, { 'content-type': 'text/plain' }).end(`${error.message}\n`),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) =>
      reject(new SetupError(`Metrics cannot be served on port ${port} of ${host}: ${error.message}`)),
    );
    server.listen(port, host, resolve);
  });
  // Ends with the process; it alone does not keep it running.
  server.unref();
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('metrics are served on no port');
  const { address, family, port: taken } = bound;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${taken}/metrics`;
}

function answerWorkers({ text }: MetricsSource): void {
  cluster.on('message', async (worker: Worker, { metricsQuestion }: Partial<MetricsQuestion>) => {
    if (metricsQuestion === undefined) return;
    const answer: MetricsAnswer = { metricsAnswer: metricsQuestion, text: await text().catch(() => null) };
    if (worker.isConnected()) worker.send(answer);
  });
}

/** In a worker: a function that asks for the metrics of all. */
function askPrimary(): () => Promise<string> {
  const waiting = new Map<number, (text: string | null) => void>();
  let questions = 0;
  process.on('message', ({ metricsAnswer, text }: Partial<MetricsAnswer>) => {
    if (metricsAnswer === undefined) return;
    waiting.get(metricsAnswer)?.(text ?? null);
    waiting.delete(metricsAnswer);
  });
  return () =>
    new Promise((resolve, reject) => {
      const question: MetricsQuestion = { metricsQuestion: ++questions };
      waiting.set(questions, (text) =>
        text === null ? reject(unavailableError('A worker did not tell its metrics; try again')) : resolve(text),
      );
      process.send!(question);
    });
}
