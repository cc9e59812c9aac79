// Metrics: what is counted agrees with what clients got, of one process and of several.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { open } from '../src/app.ts';
import { createMetrics } from '../src/http/metrics.ts';
import { createServer } from '../src/http/server.ts';
import { metricsPlace } from '../src/project/settings.ts';
import { openDatabaseToAll } from './support/access.ts';
import { describeOnEveryDatabase, describeOnSqlite, GUIDE } from './support/database.ts';
import { IN_THE_END } from './support/patience.ts';
import { scaled } from './support/scale.ts';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const CLIENTS = 8;
const REQUESTS = scaled(25);
/** Between two scrapes. */
const SCRAPE_MS = 50;

/** Requests by route, and what they are counted under. */
const LOAD = [
  { target: '/api/restaurants?fields=name&populate=categories', method: 'GET', route: '/api/restaurants' },
  { target: '/api/restaurants?filters[nope]=1', method: 'GET', route: '/api/restaurants' },
  { target: '/api/restaurants/none', method: 'GET', route: '/api/restaurants/:documentId' },
  { target: '/api/articles?status=draft', method: 'GET', route: '/api/articles' },
  { target: '/api/no-such-type', method: 'GET', route: 'none' },
  { target: '/api/categories', method: 'POST', route: '/api/categories' },
] as const;

type Counts = Readonly<Record<string, number>>;

/** Samples of a metric by their labels. */
function samplesOf(text: string, name: string): Counts {
  const found = [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))];
  return Object.fromEntries(found.map(([, labels = '', value]) => [labels, Number(value)]));
}

const scrape = async (url: string): Promise<string> => {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  return response.text();
};

const withoutScrapes = (counts: Counts): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([labels]) => !/route="[^"]*\/metrics"/.test(labels)));

/** Sends the load and scrapes meanwhile; what the clients got, by the labels of the counter. */
async function load(address: string, metrics: string): Promise<Counts> {
  const counts: Record<string, number> = {};
  const client = async (_: unknown, index: number): Promise<void> => {
    for (let number = 0; number < REQUESTS; number++) {
      const { target, method, route } = LOAD[(number + index) % LOAD.length]!;
      const body = method === 'POST' ? JSON.stringify({ data: { name: `Category ${index} ${number}` } }) : null;
      const response = await fetch(`${address}${target}`, {
        method,
        body,
        headers: { 'content-type': 'application/json' },
      });
      await response.text();
      const labels = `method="${method}",route="${route}",status="${response.status}"`;
      counts[labels] = (counts[labels] ?? 0) + 1;
    }
  };
  let isOver = false;
  const scraper = async (): Promise<void> => {
    let last: Counts = {};
    while (!isOver) {
      const now = samplesOf(await scrape(metrics), 'sheaf_http_requests_total');
      for (const [labels, count] of Object.entries(last)) expect(now[labels]).toBeGreaterThanOrEqual(count);
      last = now;
      await sleep(SCRAPE_MS);
    }
  };
  const scraping = scraper();
  await Promise.all(Array.from({ length: CLIENTS }, client));
  isOver = true;
  await scraping;
  return counts;
}

/** What was counted is what the clients got. A request is counted when its answer is sent, which may be after it came. */
async function expectAgreement(address: string, metrics: string): Promise<string> {
  const counts = await load(address, metrics);
  expect(new Set(Object.keys(counts).map((labels) => labels.slice(-4, -1)))).toEqual(
    new Set(['200', '201', '400', '404']),
  );
  return vi.waitFor(async () => {
    const text = await scrape(metrics);
    expect(withoutScrapes(samplesOf(text, 'sheaf_http_requests_total'))).toEqual(counts);
    const sum = (values: Counts): number =>
      Object.values(withoutScrapes(values)).reduce((total, one) => total + one, 0);
    expect(sum(samplesOf(text, 'sheaf_http_request_duration_seconds_count'))).toBe(CLIENTS * REQUESTS);
    return text;
  }, IN_THE_END);
}

describeOnEveryDatabase('Metrics of one process', (engine) => {
  it('agree with what clients got, and show lanes, connections, caches, event loop and memory', async () => {
    const database = engine.emptyGuideDatabaseUrl();
    await openDatabaseToAll(database);
    const sheaf = await open({ project: GUIDE, database });
    const app = createServer(sheaf, { metrics: createMetrics('/metrics', null) });
    const address = await app.listen({ host: '127.0.0.1', port: 0 });
    try {
      const text = await expectAgreement(address, `${address}/metrics`);
      const one = (name: string, labels: string): number => samplesOf(text, name)[labels]!;
      expect(
        one('sheaf_http_request_duration_seconds_bucket', 'le="+Inf",method="GET",route="/api/articles"'),
      ).toBeGreaterThan(0);
      expect(
        one('sheaf_database_connections', 'state="idle"') + one('sheaf_database_connections', 'state="busy"'),
      ).toBeGreaterThan(0);
      expect(one('sheaf_database_connections', 'state="waiting"')).toBe(0);
      expect(one('sheaf_heavy_reads', 'state="running"')).toBe(0);
      expect(one('sheaf_heavy_reads_total', '')).toBe(0);
      expect(one('sheaf_cache_entries', 'cache="plans"')).toBeGreaterThan(0);
      expect(one('sheaf_cache_lookups_total', 'cache="requests",result="hit"')).toBeGreaterThan(CLIENTS);
      expect(one('nodejs_eventloop_lag_p99_seconds', '')).toBeGreaterThan(0);
      expect(one('process_resident_memory_bytes', '')).toBeGreaterThan(1_000_000);
    } finally {
      await app.close();
      await sheaf.close();
    }
  });
});

describeOnSqlite('Metrics of several workers', (engine) => {
  const started: ChildProcess[] = [];
  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
  });

  const start = async (database: string, metrics: string): Promise<{ address: string; metrics: string }> => {
    const words = ['start', '--project', GUIDE, '--database', database, '--port', '0', '--workers', '2'];
    const child = spawn(process.execPath, [MAIN, ...words], {
      env: { ...process.env, SHEAF_METRICS: metrics, LOG_LEVEL: 'warn' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    started.push(child);
    let address = '';
    for await (const line of createInterface(child.stdout!)) {
      address = /^\s+at\s+(http:\S+)/.exec(line)?.[1] ?? address;
      const found = /^\s+metrics at (http:\S+)/.exec(line)?.[1];
      if (found) return { address, metrics: found };
    }
    throw new Error('The server did not start');
  };

  it.each([
    ['at a port of their own', '0', /^http:\/\/127\.0\.0\.1:\d+\/metrics$/],
    ['at a path of the server', '/internal/metrics', /\/internal\/metrics$/],
  ])('are the sums over all of them: %s', async (_, place, url) => {
    const database = engine.emptyGuideDatabaseUrl();
    await openDatabaseToAll(database);
    const { address, metrics } = await start(database, place);
    expect(metrics).toMatch(url);
    const text = await expectAgreement(address, metrics);
    expect(samplesOf(text, 'sheaf_database_connections')['state="idle"']).toBeGreaterThanOrEqual(4);
    if (place === '0') {
      expect((await fetch(`${address}/metrics`)).status).toBe(404);
      expect((await fetch(new URL('/other', metrics))).status).toBe(404);
    }
    started.at(-1)!.kill('SIGTERM');
  });
});

describe('The place of metrics', () => {
  it('is a path, a port, or a host and a port', () => {
    expect(metricsPlace('/metrics')).toEqual({ path: '/metrics' });
    expect(metricsPlace('9464')).toEqual({ host: '127.0.0.1', port: 9464 });
    expect(metricsPlace('0.0.0.0:9464')).toEqual({ host: '0.0.0.0', port: 9464 });
    expect(metricsPlace('[::1]:9464')).toEqual({ host: '::1', port: 9464 });
    for (const wrong of ['', 'metrics', '/', '70000', 'a b:1', '/a b', 'true']) expect(metricsPlace(wrong)).toBeNull();
  });
});
