// Metrics in the format of Prometheus, of one process and of several together. Loaded only where they are asked for.
import cluster from 'node:cluster';
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type PrometheusContentType,
  Registry,
} from 'prom-client';
import type { Sheaf } from '../app.ts';
import type { Extension } from '../extend/extension.ts';
import type { CacheUsage } from '../lru.ts';
import type { RequestLog } from './log.ts';

export interface ServerMetrics {
  /** The path of the server itself that they are served at; null for none. */
  readonly path: string | null;
  readonly contentType: string;
  readonly observe: RequestLog;
  /** Begins to show what the server uses. */
  watch(server: WatchedServer): void;
  /** Those of all processes that serve. */
  text(): Promise<string>;
}

export interface WatchedServer {
  readonly sheaf: Sheaf;
  readonly caches: Readonly<Record<string, CacheUsage>>;
}

/** Seconds. Most reads take less than a few milliseconds; a heavy one ends after 8 seconds at the latest. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const SECOND_MS = 1_000;
/** Of a request that no route answers. */
const NO_ROUTE = 'none';
/** Of a request whose client went before the answer. */
const ABORTED = 'aborted';

/** `textOfAll`: the metrics of all processes, where this is one of several. */
export function createMetrics(path: string | null, textOfAll: (() => Promise<string>) | null): ServerMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const observe = requestMetrics(registry);
  if (cluster.isWorker) shareWithPrimary(registry);
  return {
    path,
    contentType: registry.contentType,
    observe,
    watch(server) {
      databaseMetrics(registry, server.sheaf);
      if (server.sheaf.extension) codeMetrics(registry, server.sheaf.extension);
      cacheMetrics(registry, server.caches);
    },
    text: textOfAll ?? (() => registry.metrics()),
  };
}

/** In the process that starts the others: the sums over them. */
export function clusterMetrics(): Pick<ServerMetrics, 'contentType' | 'text'> {
  const registry = new AggregatorRegistry<PrometheusContentType>();
  return { contentType: registry.contentType, text: () => registry.clusterMetrics() };
}

/** Answers when the primary asks for what this process has counted. */
function shareWithPrimary(registry: Registry): void {
  AggregatorRegistry.setRegistries([registry]);
  // Listens from now on.
  new AggregatorRegistry();
}

function requestMetrics(registry: Registry): RequestLog {
  const registers = [registry];
  const requests = new Counter({
    name: 'sheaf_http_requests_total',
    help: 'Requests that were answered, or whose client went, by route and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const durations = new Histogram({
    name: 'sheaf_http_request_duration_seconds',
    help: 'Time from the arrival of a request until its answer was sent.',
    labelNames: ['method', 'route'],
    buckets: BUCKETS,
    registers,
  });
  return ({ method, route, status, milliseconds }) => {
    const where = route ?? NO_ROUTE;
    requests.inc({ method, route: where, status: status ?? ABORTED });
    durations.observe({ method, route: where }, milliseconds / SECOND_MS);
  };
}

function databaseMetrics(registry: Registry, { database, operations }: Sheaf): void {
  const registers = [registry];
  new Gauge({
    name: 'sheaf_database_connections',
    help: 'Connections to the database, by what they do; those who wait for one, or for their turn to write.',
    labelNames: ['state'],
    registers,
    collect() {
      const { connections, busy, waiting } = database.usage();
      this.set({ state: 'busy' }, busy);
      this.set({ state: 'idle' }, connections - busy);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  new Gauge({
    name: 'sheaf_heavy_reads',
    help: 'Reads that may take long and have a lane of their own: running, and waiting for their turn.',
    labelNames: ['state'],
    registers,
    collect() {
      const { running, waiting } = operations.lanes.usage();
      this.set({ state: 'running' }, running);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  new Counter({
    name: 'sheaf_heavy_reads_total',
    help: 'Reads that were sent to the lane of those that may take long.',
    registers,
    collect() {
      this.reset();
      this.inc(operations.lanes.usage().begun);
    },
  });
}

function codeMetrics(registry: Registry, { runner, committed }: Extension): void {
  const registers = [registry];
  new Counter({
    name: 'sheaf_code_failures_total',
    help: 'Errors of the code of the project that are no answers, by what it was: uncaught ones as well.',
    labelNames: ['kind'],
    registers,
    collect() {
      this.reset();
      for (const [kind, number] of Object.entries(runner.failures)) this.inc({ kind }, number);
    },
  });
  if (!committed) return;
  new Gauge({
    name: 'sheaf_committed_events',
    help: 'Committed writes that hooks still have to do something about, and those for which they failed for good.',
    labelNames: ['state'],
    registers,
    // All nodes see the same queue.
    aggregator: 'max',
    async collect() {
      for (const [state, number] of Object.entries(await committed.counts())) this.set({ state }, number);
    },
  });
}

function cacheMetrics(registry: Registry, caches: WatchedServer['caches']): void {
  const registers = [registry];
  new Gauge({
    name: 'sheaf_cache_entries',
    help: 'Entries of a cache.',
    labelNames: ['cache'],
    registers,
    collect() {
      for (const [cache, { size }] of Object.entries(caches)) this.set({ cache }, size);
    },
  });
  new Counter({
    name: 'sheaf_cache_lookups_total',
    help: 'What was looked for in a cache, and whether it was there.',
    labelNames: ['cache', 'result'],
    registers,
    collect() {
      this.reset();
      for (const [cache, { hits, misses }] of Object.entries(caches)) {
        this.inc({ cache, result: 'hit' }, hits);
        this.inc({ cache, result: 'miss' }, misses);
      }
    },
  });
}
