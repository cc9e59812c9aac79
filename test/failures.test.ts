// What clients meet when the database fails under them: a 503 that says when to come back, never a hang, another 5xx or
// a lost write; and things are as before when the database is back. Each test prints its figures, and expects only what
// came of it and in which order: whatever else the machine does, a time-out ends what would go on for ever.
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
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { fillExample } from '../src/cli/example.ts';
import { DEFAULT_POSTGRES } from '../src/db/postgres.ts';
import { createServer } from '../src/http/server.ts';
import { openDatabaseToAll, openToAll } from './support/access.ts';
import { type Cluster, startCluster } from './support/cluster.ts';
import { GUIDE } from './support/database.ts';
import { IN_THE_END } from './support/patience.ts';
import { describeSteadily } from './support/stalled-machine.ts';

/** Clients that send one request after the other, and the time they wait after an answer and after a refusal. */
const CLIENTS = 16;
const PAUSE_MS = 10;
const BACK_OFF_MS = 20;
/** Requests that are sent whatever became of the earlier ones: one every so many milliseconds. */
const STEADY_MS = 50;
/** What a client is refused, one time after the other, once the database is back: it backs off for two seconds at least. */
const MOST_REFUSALS = 100;
/** Besides its pool a server has a connection on which it hears of changes. */
const LISTENING = 1;
/** A client gives up later than the server must; it then has a broken connection for an answer. */
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

/** Mixed reads and writes until it is stopped, or the test is over. */
class Load {
  readonly answers: Answer[] = [];
  sent = 0;
  /** The most requests that were open at the same time. */
  mostOpen = 0;
  /** When those that are open were sent. */
  readonly #open = new Set<{ readonly sent: number }>();
  #stopped = false;
  readonly #agent = new http.Agent({ keepAlive: true });
  readonly #under: Promise<unknown>[] = [];
  readonly #address: string;

  constructor(address: string, steady: boolean) {
    this.#address = address;
    for (let client = 0; client < CLIENTS; client++) this.#under.push(this.#client());
    if (steady) this.#under.push(this.#steady());
    onTestFinished(() => this.stop());
  }

  async #one(): Promise<Answer> {
    this.sent++;
    const open = { sent: performance.now() };
    this.#open.add(open);
    this.mostOpen = Math.max(this.mostOpen, this.#open.size);
    const answer = await send(this.#agent, this.#address, Math.random() < 0.25 ? 'write' : 'read', `load ${++labels}`);
    this.#open.delete(open);
    this.answers.push(answer);
    return answer;
  }

  async #client(): Promise<void> {
    while (!this.#stopped) await sleep(isSuccess(await this.#one()) ? PAUSE_MS : BACK_OFF_MS);
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

  /** Goes on until so many requests that were sent since a moment have been answered. */
  async answered(count: number, since: number, isOf: (answer: Answer) => boolean = () => true): Promise<void> {
    const isAnswered = (answer: Answer) => answer.sent >= since && isOf(answer);
    await vi.waitFor(() => expect(this.answers.filter(isAnswered).length).toBeGreaterThanOrEqual(count), IN_THE_END);
  }

  /** Goes on until everything that was sent before a moment has been answered. */
  async finished(before: number): Promise<void> {
    await vi.waitFor(() => expect([...this.#open].filter(({ sent }) => sent < before)).toEqual([]), IN_THE_END);
  }

  /** Goes on until reads and writes that were sent since a moment have succeeded; they are not refused for long. */
  async recovered(since: number): Promise<void> {
    for (const kind of ['read', 'write'])
      await this.answered(CLIENTS, since, (answer) => answer.kind === kind && isSuccess(answer));
    const refused = this.answers.filter((answer) => answer.sent >= since && !isSuccess(answer));
    expect(refused.length).toBeLessThan(MOST_REFUSALS * CLIENTS);
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

describeSteadily('PostgreSQL fails', () => {
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
    await load.answered(10 * CLIENTS, 0);
    await load.stop();
    expect(load.answers.filter((answer) => !isSuccess(answer))).toEqual([]);
    expect(await cluster.primary.connections('guide')).toBeLessThanOrEqual(DEFAULT_POSTGRES.poolSize + LISTENING);
  }

  it.each(['fast', 'immediate'] as const)('is restarted (%s)', async (mode) => {
    const load = new Load(served.address, false);
    await load.answered(300, 0);
    await cluster.primary.stop(mode);
    const away = performance.now();
    await load.answered(CLIENTS * 5, away);
    const end = performance.now();
    await cluster.primary.start();
    const back = performance.now();
    await load.recovered(back);
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
    expect(missing).toEqual([]);
    await expectNormal();
  });

  it('loses all connections', async () => {
    const load = new Load(served.address, false);
    await load.recovered(0);
    let cut = 0;
    let last = 0;
    for (let round = 0; round < 5; round++) {
      cut += await cluster.primary.terminateConnections('guide');
      last = performance.now();
      await load.recovered(last);
    }
    await load.stop();
    const missing = await lost(load.answers);
    console.log(
      `connections cut: ${cut}; ${load.counts()}; first success ${rounded(load.recovery(last))} after the last; ` +
        `slowest ${rounded(load.slowest)}; ${missing.length} acknowledged writes lost`,
    );
    expect([...crashes]).toEqual([]);
    expect(cut).toBeGreaterThan(0);
    expectOnlyUnavailable(load.answers);
    expect(missing).toEqual([]);
    await expectNormal();
  });

  it('freezes', async () => {
    const load = new Load(served.address, true);
    await load.recovered(0);
    const before = load.sent;
    cluster.primary.freeze();
    const frozen = performance.now();
    try {
      // What it left without an answer is refused while it is still frozen, and so is what comes after that.
      await load.finished(frozen);
      await load.answered(100, frozen);
    } finally {
      cluster.primary.thaw();
    }
    const meanwhile = load.sent - before;
    const back = performance.now();
    await load.recovered(back);
    await load.stop();
    const missing = await lost(load.answers);
    console.log(
      `frozen for ${rounded(back - frozen)}: ${load.counts()}; slowest ${rounded(load.slowest)}; at most ${load.mostOpen} open of ${meanwhile}; ` +
        `first success ${rounded(load.recovery(back))} after it went on; ${missing.length} acknowledged writes lost`,
    );
    expect([...crashes]).toEqual([]);
    expectOnlyUnavailable(load.answers);
    // They do not pile up.
    expect(load.mostOpen / meanwhile).toBeLessThan(0.75);
    expect(missing).toEqual([]);
    await expectNormal();
  });

  describe('and the pool is exhausted', () => {
    const POOL = 2;
    const NAME = 'small';
    let small: Served;
    let holder: pg.Client;
    const agent = new http.Agent({ keepAlive: true });
    /** As many as there are connections: a write that waits for a row waits for nothing else. */
    let documentIds: string[];

    beforeAll(async () => {
      small = await serve(`${cluster.primary.url('guide')}?application_name=${NAME}`, POOL);
      const restaurants = await small.sheaf.documents('api::restaurant.restaurant').findMany();
      documentIds = restaurants.slice(0, POOL).map(({ documentId }) => documentId);
      holder = new pg.Client({ connectionString: cluster.primary.url('guide'), application_name: 'test' });
      await holder.connect();
    });
    afterAll(async () => {
      agent.destroy();
      await holder?.end();
      await small?.close();
    });

    /** Goes on when so many of the small server's statements wait for a lock. */
    const waiting = (count: number): Promise<unknown> =>
      vi.waitFor(async () => {
        const sql = `select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'`;
        expect(await cluster.primary.query(sql, [NAME])).toHaveLength(count);
      }, IN_THE_END);

    const lock = async (): Promise<void> => {
      await holder.query('begin');
      await holder.query('select 1 from restaurants where document_id = any($1) for update', [documentIds]);
    };
    const update = (documentId: string): Promise<Bare> =>
      request(agent, `${small.address}/api/restaurants/${documentId}`, { data: { stars: 3 } }, 'PUT');

    it('others wait no longer than for a connection, and none leaks', async () => {
      await lock();
      const begin = performance.now();
      const timed = async (id: string): Promise<[Bare, number]> => [await update(id), performance.now()];
      // The second of them take over when the first have waited for the lock in vain.
      const writes = documentIds.map(timed);
      await sleep(DEFAULT_POSTGRES.lockTimeoutMs / 2);
      writes.push(...documentIds.map(timed));
      const others = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          send(agent, small.address, index % 2 === 0 ? 'read' : 'write', `waiting ${index}`),
        ),
      );
      const longest = Math.max(...others.map(took));
      const held = await Promise.all(writes);
      const ends = held.map(([, end]) => end);
      await holder.query('rollback');
      const after = await Promise.all(Array.from({ length: 20 }, () => send(agent, small.address, 'read', '')));
      const written = await update(documentIds[0]!);
      const connections = await cluster.primary.connections('guide', NAME);
      console.log(
        `pool of ${POOL} exhausted: ${others.map(({ status }) => status).join(' ')} within ${rounded(longest)}; the writes ` +
          `that held it ${held.map(([{ status }]) => status).join(' ')} within ${rounded(Math.max(...ends) - begin)}; ${connections} connections afterwards`,
      );
      expect([...crashes]).toEqual([]);
      expect(others.map(isUnavailable)).toEqual(others.map(() => true));
      // They did not wait until a connection was free.
      expect(Math.max(...others.map(({ answered }) => answered))).toBeLessThan(Math.min(...ends.slice(POOL)));
      expect(held.map(([answer]) => isUnavailable(answer))).toEqual(held.map(() => true));
      expect(after.filter((answer) => !isSuccess(answer))).toEqual([]);
      expect(written.status).toBe(200);
      expect(connections).toBeGreaterThan(0);
      expect(connections).toBeLessThanOrEqual(POOL + LISTENING);
    });

    it('a request that is wrong is refused without a connection', async () => {
      await lock();
      let ended = 0;
      const writes = documentIds.map((id) => update(id).finally(() => ended++));
      await waiting(POOL);
      const wrong: [string, unknown?, string?][] = [
        ['/api/restaurants?filters[nothing][$eq]=1'],
        ['/api/restaurants?nothing=1'],
        [`/api/restaurants/${documentIds[0]}?populate=nothing`],
        ['/api/tags', { data: { nothing: 1 } }],
        ['/api/tags', { nothing: {} }],
        ['/api/tags?populate=nothing', { data: { label: 'a' } }],
        [`/api/restaurants/${documentIds[0]}`, { data: { nothing: 1 } }, 'PUT'],
      ];
      const refusals: string[] = [];
      for (const [target, body, method] of wrong) {
        const { status } = await request(agent, `${small.address}${target}`, body, method);
        refusals.push(`${method ?? (body ? 'POST' : 'GET')} ${target}: ${status}`);
      }
      // Until now nobody gave a connection back.
      const endedBefore = ended;
      await holder.query('rollback');
      await Promise.all(writes);
      expect(refusals).toEqual(
        wrong.map(([target, body, method]) => `${method ?? (body ? 'POST' : 'GET')} ${target}: 400`),
      );
      expect(endedBefore).toBe(0);
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

describeSteadily('SQLite fails', () => {
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
    // Several writers: each waits from the moment it came, not from the end of the one before.
    const writes = Array.from({ length: 4 }, (_, index) => send(agent, served.address, 'write', `held ${index}`));
    let isOver = false;
    const waiting = Promise.all(writes).finally(() => {
      isOver = true;
    });
    const reads: Answer[] = [];
    while (!isOver) {
      reads.push(await send(agent, served.address, 'read', ''));
      await sleep(10);
    }
    const refused = await waiting;
    const delayed = send(agent, served.address, 'write', 'patient');
    await sleep(100);
    await holder.release();
    const released = performance.now();
    const patient = await delayed;
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
    // No read waited as the writes did.
    const firstRefusal = Math.min(...refused.map(({ answered }) => answered));
    expect(reads.filter(({ answered }) => answered < firstRefusal).length).toBeGreaterThan(10);
    expect(slowestRead).toBeLessThan(Math.min(...refused.map(took)) / 2);
    expect(refused.map(isUnavailable)).toEqual(refused.map(() => true));
    expect(Math.max(...refused.map(took)) / Math.min(...refused.map(took))).toBeLessThan(1.8);
    expect(patient.status).toBe(201);
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
        { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, LOG_LEVEL: 'error' } },
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

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

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
