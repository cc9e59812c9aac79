// What clients meet when the database fails under them: a 503 that says when to come back, never a hang, another 5xx or
// a lost write; and things are as before soon after the database is back. Each test prints its figures.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { fillExample } from '../src/cli/example.ts';
import { DEFAULT_POSTGRES } from '../src/db/postgres.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_BUSY_WAIT_MS } from '../src/limits.ts';
import { openDatabaseToAll, openToAll } from './support/access.ts';
import { type Cluster, startCluster } from './support/cluster.ts';
import { GUIDE } from './support/database.ts';

/** Clients that send one request after the other, and the time they wait after a refusal. */
const CLIENTS = 16;
const BACK_OFF_MS = 20;
/** Requests that are sent whatever became of the earlier ones: one every so many milliseconds. */
const STEADY_MS = 50;
const RECOVERY_MS = 2_000;
/** Besides its pool a server has a connection on which it hears of changes. */
const LISTENING = 1;
/** The longest that a request may take: the time-out of a statement, the one behind it, and a margin. */
const LONGEST_MS = DEFAULT_POSTGRES.statementTimeoutMs + 2_000;
/** A client gives up later than the server must. */
const CLIENT_TIMEOUT_MS = 30_000;

const READS = [
  '/api/restaurants?populate=chef,categories&pagination[pageSize]=10',
  '/api/tags?sort=label&pagination[pageSize]=5',
  '/api/articles?filters[authors][name][$containsi]=a&populate[authors][fields]=name',
  '/_ready',
];

interface Answer {
  readonly kind: 'read' | 'write';
  /** What a write wrote. */
  readonly label: string;
  readonly sent: number;
  readonly answered: number;
  /** 0: the connection broke. */
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

const took = ({ sent, answered }: Answer): number => answered - sent;
const isSuccess = ({ status }: Answer): boolean => status === 200 || status === 201;
const rounded = (milliseconds: number): string => `${Math.round(milliseconds)} ms`;

function send(agent: http.Agent, address: string, kind: Answer['kind'], label: string): Promise<Answer> {
  const sent = performance.now();
  const target =
    kind === 'write' ? `${address}/api/tags` : `${address}${READS[Math.floor(Math.random() * READS.length)]}`;
  return request(agent, target, kind === 'write' ? { data: { label } } : undefined).then((answer) => ({
    ...answer,
    kind,
    label,
    sent,
    answered: performance.now(),
  }));
}

type Bare = Pick<Answer, 'status' | 'retryAfter' | 'body'>;

function request(agent: http.Agent, target: string, body?: unknown, method?: string): Promise<Bare> {
  return new Promise((resolve) => {
    const broken = (error: Error) => resolve({ status: 0, retryAfter: undefined, body: error.message });
    const sending = http.request(
      target,
      {
        agent,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { 'content-type': 'application/json' },
        timeout: CLIENT_TIMEOUT_MS,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', broken);
        response.on('end', () =>
          resolve({ status: response.statusCode!, retryAfter: response.headers['retry-after'], body: text }),
        );
      },
    );
    sending.on('timeout', () => sending.destroy(new Error('no answer')));
    sending.on('error', broken);
    sending.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

let labels = 0;

/** Mixed reads and writes until it is stopped. */
class Load {
  readonly answers: Answer[] = [];
  /** The most requests that were open at the same time. */
  mostOpen = 0;
  #open = 0;
  #stopped = false;
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #under: Promise<unknown>[] = [];
  readonly #address: string;

  constructor(address: string, steady: boolean) {
    this.#address = address;
    for (let client = 0; client < CLIENTS; client++) this.#under.push(this.#client());
    if (steady) this.#under.push(this.#steady());
  }

  async #one(): Promise<Answer> {
    this.mostOpen = Math.max(this.mostOpen, ++this.#open);
    const answer = await send(this.#agent, this.#address, Math.random() < 0.25 ? 'write' : 'read', `load ${++labels}`);
    this.#open--;
    this.answers.push(answer);
    return answer;
  }

  async #client(): Promise<void> {
    while (!this.#stopped) if (!isSuccess(await this.#one())) await sleep(BACK_OFF_MS);
  }

  async #steady(): Promise<void> {
    while (!this.#stopped) {
      this.#under.push(this.#one());
      await sleep(STEADY_MS);
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (let index = 0; index < this.#under.length; index++) await this.#under[index];
    this.#agent.destroy();
  }

  /** How long after a moment the first read and the first write succeeded. */
  recovery(since: number): number {
    const first = (kind: Answer['kind']) =>
      Math.min(
        ...this.answers
          .filter((answer) => answer.kind === kind && isSuccess(answer) && answer.sent >= since)
          .map(({ answered }) => answered - since),
      );
    return Math.max(first('read'), first('write'));
  }

  get slowest(): number {
    return Math.max(...this.answers.map(took));
  }

  counts(): string {
    const byStatus = Object.groupBy(this.answers, ({ status }) => String(status));
    return Object.entries(byStatus)
      .map(([status, answers]) => `${answers!.length} × ${status}`)
      .join(', ');
  }
}

/** Everything that failed failed as it should. */
function expectOnlyUnavailable(answers: readonly Answer[]): void {
  const wrong = answers.filter((answer) => !isSuccess(answer) && !isUnavailable(answer));
  expect(wrong.slice(0, 3)).toEqual([]);
}

function isUnavailable({ status, retryAfter, body }: Bare): boolean {
  if (status !== 503 || !/^[1-9]\d*$/.test(retryAfter ?? '')) return false;
  const { data, error } = JSON.parse(body);
  return data === null && error.status === 503 && error.name === 'ServiceUnavailableError' && error.message !== '';
}

interface Served {
  readonly sheaf: Sheaf;
  readonly address: string;
  close(): Promise<void>;
}

async function serve(database: string, poolSize?: number): Promise<Served> {
  const sheaf = await open({ project: GUIDE, database, ...(poolSize !== undefined && { poolSize }) });
  const app = createServer(sheaf);
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    sheaf,
    address,
    async close() {
      await app.close();
      await sheaf.close();
    },
  };
}

/** What would have ended the process. */
const crashes = new Set<string>();
const onCrash = (error: unknown) => {
  crashes.add(String(error));
};
beforeEach(() => {
  crashes.clear();
  process.on('uncaughtException', onCrash).on('unhandledRejection', onCrash);
});
afterEach(() => {
  process.off('uncaughtException', onCrash).off('unhandledRejection', onCrash);
});

describe('PostgreSQL fails', () => {
  let cluster: Cluster;
  let served: Served;

  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.primary.query('create database guide');
    served = await serve(cluster.primary.url('guide'));
    await fillExample(served.sheaf);
    await openToAll(served.sheaf);
  });
  afterAll(async () => {
    await served?.close();
    await cluster?.close();
  });

  /** Writes that were acknowledged and are not there. */
  async function lost(answers: readonly Answer[]): Promise<string[]> {
    const rows = await cluster.primary.query<{ label: string }>('select label from tags', [], 'guide');
    const present = new Set(rows.map(({ label }) => label));
    return answers
      .filter((answer) => answer.kind === 'write' && isSuccess(answer) && !present.has(answer.label))
      .map(({ label }) => label);
  }

  async function expectNormal(): Promise<void> {
    const load = new Load(served.address, false);
    await sleep(300);
    await load.stop();
    expect(load.answers.filter((answer) => !isSuccess(answer))).toEqual([]);
    expect(await cluster.primary.connections('guide')).toBeLessThanOrEqual(DEFAULT_POSTGRES.poolSize + LISTENING);
  }

  it.each(['fast', 'immediate'] as const)('is restarted (%s)', async (mode) => {
    const load = new Load(served.address, false);
    await sleep(1_000);
    await cluster.primary.stop(mode);
    const away = performance.now();
    await sleep(1_000);
    const end = performance.now();
    await cluster.primary.start();
    const back = performance.now();
    await sleep(RECOVERY_MS);
    await load.stop();
    const acknowledged = load.answers.filter((answer) => answer.kind === 'write' && isSuccess(answer)).length;
    const missing = await lost(load.answers);
    console.log(
      `restart (${mode}): ${load.counts()}; first success ${rounded(load.recovery(back))} after it was back; ` +
        `slowest ${rounded(load.slowest)}; ${missing.length} of ${acknowledged} acknowledged writes lost`,
    );
    expect([...crashes]).toEqual([]);
    expectOnlyUnavailable(load.answers);
    const meanwhile = load.answers.filter(({ sent, answered }) => sent > away && answered < end);
    expect(meanwhile.length).toBeGreaterThan(0);
    expect(meanwhile.filter(isSuccess)).toEqual([]);
    expect(load.recovery(back)).toBeLessThanOrEqual(RECOVERY_MS);
    expect(load.slowest).toBeLessThanOrEqual(LONGEST_MS);
    expect(missing).toEqual([]);
    await expectNormal();
  });

  it('loses all connections', async () => {
    const load = new Load(served.address, false);
    await sleep(500);
    let cut = 0;
    let last = 0;
    for (let round = 0; round < 5; round++) {
      cut += await cluster.primary.terminateConnections('guide');
      last = performance.now();
      await sleep(300);
    }
    await sleep(500);
    await load.stop();
    const missing = await lost(load.answers);
    console.log(
      `connections cut: ${cut}; ${load.counts()}; first success ${rounded(load.recovery(last))} after the last; ` +
        `slowest ${rounded(load.slowest)}; ${missing.length} acknowledged writes lost`,
    );
    expect([...crashes]).toEqual([]);
    expect(cut).toBeGreaterThan(0);
    expectOnlyUnavailable(load.answers);
    expect(load.recovery(last)).toBeLessThanOrEqual(RECOVERY_MS);
    expect(missing).toEqual([]);
    await expectNormal();
  });

  it('freezes for 10 s', async () => {
    const load = new Load(served.address, true);
    await sleep(500);
    cluster.primary.freeze();
    await sleep(10_000);
    cluster.primary.thaw();
    const back = performance.now();
    await sleep(RECOVERY_MS);
    await load.stop();
    const missing = await lost(load.answers);
    const bound = CLIENTS + LONGEST_MS / STEADY_MS;
    console.log(
      `frozen: ${load.counts()}; slowest ${rounded(load.slowest)}; at most ${load.mostOpen} open (bound ${bound}); ` +
        `first success ${rounded(load.recovery(back))} after it went on; ${missing.length} acknowledged writes lost`,
    );
    expect([...crashes]).toEqual([]);
    expectOnlyUnavailable(load.answers);
    const late = load.answers.filter((answer) => took(answer) > LONGEST_MS);
    expect(late.map((answer) => `${answer.kind} ${rounded(took(answer))}`)).toEqual([]);
    expect(load.mostOpen).toBeLessThanOrEqual(bound);
    expect(load.recovery(back)).toBeLessThanOrEqual(RECOVERY_MS);
    expect(missing).toEqual([]);
    await expectNormal();
  });

  describe('and the pool is exhausted', () => {
    const POOL = 2;
    const NAME = 'small';
    let small: Served;
    let holder: pg.Client;
    const agent = new http.Agent({ keepAlive: true });
    let documentId: string;

    beforeAll(async () => {
      small = await serve(`${cluster.primary.url('guide')}?application_name=${NAME}`, POOL);
      const [restaurant] = await small.sheaf.documents('api::restaurant.restaurant').findMany();
      documentId = restaurant!.documentId;
      holder = new pg.Client({ connectionString: cluster.primary.url('guide'), application_name: 'test' });
      await holder.connect();
    });
    afterAll(async () => {
      agent.destroy();
      await holder?.end();
      await small?.close();
    });

    const update = (): Promise<Bare> =>
      request(agent, `${small.address}/api/restaurants/${documentId}`, { data: { stars: 3 } }, 'PUT');

    it('others wait no longer than for a connection, and none leaks', async () => {
      await holder.query('begin');
      await holder.query('select 1 from restaurants where document_id = $1 for update', [documentId]);
      const timed = async (): Promise<[Bare, number]> => {
        const begin = performance.now();
        return [await update(), performance.now() - begin];
      };
      // The second pair takes over when the first has waited for the lock in vain.
      const writes = [timed(), timed()];
      await sleep(DEFAULT_POSTGRES.lockTimeoutMs / 2);
      writes.push(timed(), timed());
      await sleep(DEFAULT_POSTGRES.lockTimeoutMs / 4);
      const others = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          send(agent, small.address, index % 2 === 0 ? 'read' : 'write', `waiting ${index}`),
        ),
      );
      const longest = Math.max(...others.map(took));
      const held = await Promise.all(writes);
      const heldFor = Math.max(...held.map(([, time]) => time));
      await holder.query('rollback');
      const after = await Promise.all(Array.from({ length: 20 }, () => send(agent, small.address, 'read', '')));
      const written = await update();
      const connections = await cluster.primary.connections('guide', NAME);
      console.log(
        `pool of ${POOL} exhausted: ${others.map(({ status }) => status).join(' ')} within ${rounded(longest)}; the writes ` +
          `that held it ${held.map(([{ status }]) => status).join(' ')} within ${rounded(heldFor)}; ${connections} connections afterwards`,
      );
      expect([...crashes]).toEqual([]);
      expect(others.map(isUnavailable)).toEqual(others.map(() => true));
      expect(longest).toBeLessThanOrEqual(DEFAULT_POSTGRES.connectTimeoutMs + 1_000);
      expect(held.map(([answer]) => isUnavailable(answer))).toEqual(held.map(() => true));
      // One of two that wait for the same row may have to wait twice, and then meets the time-out of the statement.
      const { connectTimeoutMs, statementTimeoutMs } = DEFAULT_POSTGRES;
      expect(heldFor).toBeLessThanOrEqual(connectTimeoutMs + statementTimeoutMs + 1_000);
      expect(after.filter((answer) => !isSuccess(answer))).toEqual([]);
      expect(written.status).toBe(200);
      expect(connections).toBeGreaterThan(0);
      expect(connections).toBeLessThanOrEqual(POOL + LISTENING);
    });

    it('a request that is wrong is refused without a connection', async () => {
      await holder.query('begin');
      await holder.query('select 1 from restaurants where document_id = $1 for update', [documentId]);
      const writes = [update(), update()];
      await sleep(200);
      const wrong: [string, unknown?, string?][] = [
        ['/api/restaurants?filters[nothing][$eq]=1'],
        ['/api/restaurants?nothing=1'],
        [`/api/restaurants/${documentId}?populate=nothing`],
        ['/api/tags', { data: { nothing: 1 } }],
        ['/api/tags', { nothing: {} }],
        ['/api/tags?populate=nothing', { data: { label: 'a' } }],
        [`/api/restaurants/${documentId}`, { data: { nothing: 1 } }, 'PUT'],
      ];
      const times: string[] = [];
      for (const [target, body, method] of wrong) {
        const begin = performance.now();
        const { status } = await request(agent, `${small.address}${target}`, body, method);
        const time = performance.now() - begin;
        times.push(`${method ?? (body ? 'POST' : 'GET')} ${target}: ${status}${time < 100 ? '' : ` ${rounded(time)}`}`);
      }
      await holder.query('rollback');
      await Promise.all(writes);
      console.log(`wrong requests with the pool exhausted: ${times.join('; ')}`);
      expect(times).toEqual(
        wrong.map(([target, body, method]) => `${method ?? (body ? 'POST' : 'GET')} ${target}: 400`),
      );
    });

    it('one connection is enough to start and to serve', async () => {
      await cluster.primary.query('create database alone');
      const alone = await serve(cluster.primary.url('alone'), 1);
      await openToAll(alone.sheaf);
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          send(agent, alone.address, index % 2 === 0 ? 'read' : 'write', `alone ${index}`),
        ),
      );
      await alone.close();
      expect(answers.filter((answer) => !isSuccess(answer))).toEqual([]);
    });
  });
});

describe('SQLite fails', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('another process holds the file', async () => {
    const file = path.join(folder, 'held.sqlite');
    const served = await serve(`sqlite:${file}`);
    await openToAll(served.sheaf);
    const agent = new http.Agent({ keepAlive: true });
    const holder = await holdLocked(file);
    const begin = performance.now();
    // Several writers: each waits from the moment it came, not from the end of the one before.
    const writes = Array.from({ length: 4 }, (_, index) => send(agent, served.address, 'write', `held ${index}`));
    const reads: Answer[] = [];
    while (performance.now() - begin < MAX_BUSY_WAIT_MS) {
      reads.push(await send(agent, served.address, 'read', ''));
      await sleep(10);
    }
    const refused = await Promise.all(writes);
    const waiting = send(agent, served.address, 'write', 'patient');
    await sleep(100);
    await holder.release();
    const released = performance.now();
    const patient = await waiting;
    agent.destroy();
    await served.close();
    const slowestRead = Math.max(...reads.map(took));
    const waits = refused.map((answer) => `${answer.status} after ${rounded(took(answer))}`);
    console.log(
      `file held: ${reads.length} reads, slowest ${rounded(slowestRead)}; writes ${waits.join(', ')}; ` +
        `after the release ${patient.status} in ${rounded(patient.answered - released)}`,
    );
    expect([...crashes]).toEqual([]);
    expect(reads.filter((answer) => !isSuccess(answer))).toEqual([]);
    expect(slowestRead).toBeLessThan(500);
    expect(refused.map(isUnavailable)).toEqual(refused.map(() => true));
    for (const answer of refused) expect(took(answer)).toBeLessThanOrEqual(MAX_BUSY_WAIT_MS + 1_000);
    expect(patient.status).toBe(201);
    expect(patient.answered - released).toBeLessThanOrEqual(1_000);
  });

  // A limit on the size of files stands for a disk that is full; `prlimit` sets it on a process that runs.
  it.runIf(process.platform === 'linux' && spawnSync('prlimit', ['--version']).status === 0)(
    'there is no room left',
    async () => {
      const file = path.join(folder, 'full.sqlite');
      await openDatabaseToAll(`sqlite:${file}`);
      const server = spawn(
        process.execPath,
        ['--no-warnings', MAIN, 'start', '--project', GUIDE, '--database', `sqlite:${file}`, '--port', '0'],
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      const agent = new http.Agent({ keepAlive: true });
      try {
        const address = await addressOf(server.stdout);
        const limit = (bytes: number | 'unlimited') =>
          spawnSync('prlimit', ['--pid', String(server.pid), `--fsize=${bytes}:unlimited`]);
        const before = await send(agent, address, 'write', 'before');
        limit(statSync(`${file}-wal`).size);
        const full: Answer[] = [];
        for (let index = 0; index < 20; index++) {
          full.push(await send(agent, address, 'write', `full ${index}`));
          full.push(await send(agent, address, 'read', ''));
        }
        limit('unlimited');
        const freed = performance.now();
        const after = await send(agent, address, 'write', 'after');
        const list = await request(agent, `${address}/api/tags?fields=label&pagination[pageSize]=100`);
        server.kill('SIGTERM');
        const [code] = await once(server, 'exit');
        const acknowledged = [before, ...full, after].filter((answer) => answer.kind === 'write' && isSuccess(answer));
        const present = JSON.parse(list.body).data.map(({ label }: { label: string }) => label);
        const connection = new DatabaseSync(file);
        const integrity = connection.prepare('pragma integrity_check').all();
        connection.close();
        const refused = full.filter((answer) => !isSuccess(answer));
        console.log(
          `no room: ${refused.length} of 20 writes refused, ${full.filter(({ kind }) => kind === 'read').length} reads served; ` +
            `${after.status} ${rounded(after.answered - freed)} after there was room`,
        );
        expect(before.status).toBe(201);
        expect(refused.length).toBeGreaterThan(0);
        expect(refused.map(({ kind }) => kind)).toEqual(refused.map(() => 'write'));
        expectOnlyUnavailable(full);
        expect(after.status).toBe(201);
        expect(present.toSorted()).toEqual(acknowledged.map(({ label }) => label).toSorted());
        expect(integrity).toEqual([{ integrity_check: 'ok' }]);
        expect(code).toBe(0);
      } finally {
        agent.destroy();
        server.kill('SIGKILL');
      }
    },
  );
});

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

async function addressOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const found = /^\s+at\s+(http:\S+)/.exec(line);
    if (found) {
      output.resume();
      return found[1]!;
    }
  }
  throw new Error('The server did not start');
}

const HOLD = `
  const { DatabaseSync } = require('node:sqlite');
  const connection = new DatabaseSync(process.argv[1], { timeout: 1000 });
  connection.exec('begin immediate');
  console.log('held');
  process.stdin.on('end', () => { connection.exec('rollback'); connection.close(); console.log('released'); }).resume();
`;

/** Another process that has begun to write and does not end. */
async function holdLocked(file: string): Promise<{ release(): Promise<void> }> {
  const holder = spawn(process.execPath, ['--no-warnings', '-e', HOLD, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(holder.stdout);
  await once(lines, 'line');
  return {
    async release() {
      const released = once(lines, 'line');
      holder.stdin.end();
      await released;
    },
  };
}
