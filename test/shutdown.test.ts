// A server that is told to stop finishes what is under way and ends by itself: with a code of 0, as one that has to be
// cut off ends with another. One whose workers die gets others. Each test starts real processes and prints its figures;
// SHEAF_TEST_SCALE has more of them stopped.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openDatabaseToAll } from './support/access.ts';
import { childrenOf } from './support/cluster.ts';
import { describeOnEveryDatabase, describeOnSqlite, GUIDE } from './support/database.ts';
import { IN_THE_END, PATIENCE_MS } from './support/patience.ts';
import { freePort } from './support/postgres-server.ts';
import { everyNth, scaled } from './support/scale.ts';

/** Times that a server is stopped under load, on each database and with each number of workers. */
const ROUNDS = scaled(1);
/** Rounds at the same time. */
const AT_ONCE = 2;
const IN_FLIGHT = 50;
const IDLE = 20;
/** A client that has waited for so long was forgotten. */
const FORGOTTEN_MS = PATIENCE_MS;
/** How often a server asks its workers whether they work. */
const WATCH_MS = 1_000;
/** Clients that go on asking while workers are killed, and how long each waits between two requests. */
const CLIENTS = 8;
const PAUSE_MS = 10;
const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

interface Running {
  readonly process: ChildProcess;
  readonly address: string;
  /** The exit code, once it is there. */
  readonly ended: Promise<number | null>;
  /** What it said on its error output. */
  readonly complaints: string[];
}

const running = new Set<ChildProcess>();
afterAll(() => {
  // Those that a failed test left.
  for (const child of running) child.kill('SIGKILL');
});

async function start(database: string, workers: number, port = 0): Promise<Running> {
  const words = [
    'start',
    '--project',
    GUIDE,
    '--database',
    database,
    '--port',
    String(port),
    '--workers',
    String(workers),
  ];
  const child = spawn(process.execPath, ['--no-warnings', MAIN, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, LOG_LEVEL: 'warn' },
  });
  running.add(child);
  const ended = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  const complaints: string[] = [];
  createInterface(child.stderr).on('line', (line) => complaints.push(line));
  return { process: child, address: await addressOf(child.stdout), ended, complaints };
}

function addressOf(output: Readable): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface(output);
    lines.on('line', (line) => {
      const found = /^\s+at\s+(http:\S+)/.exec(line);
      if (found) resolve(found[1]!);
    });
    lines.on('close', () => reject(new Error('The server did not start')));
  });
}

const FORGOTTEN = 'forgotten';

interface Answer {
  /** 0: none came, or it was cut off. */
  readonly status: number;
  readonly body: string;
  /** Whether some of it came before it broke. */
  readonly begun: boolean;
}

interface Request {
  /** Resolves when the server has the head of the request. */
  readonly received: Promise<unknown>;
  readonly answer: Promise<Answer>;
  /** Sends what is left of the body. */
  finish(): void;
}

/** `body`: null for a read. With a body the server is asked to say that it has the request before the body is sent. */
function send(agent: http.Agent | false, target: string, body: string | null, keepBack = 0): Request {
  const sending = http.request(target, {
    agent,
    timeout: FORGOTTEN_MS,
    method: body === null ? 'GET' : 'POST',
    headers:
      body === null
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), expect: '100-continue' },
  });
  const answer = new Promise<Answer>((resolve) => {
    sending.on('timeout', () => sending.destroy(new Error(FORGOTTEN)));
    sending.on('error', (error) => resolve({ status: 0, body: error.message, begun: false }));
    sending.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('error', (error) => resolve({ status: 0, body: error.message, begun: true }));
      response.on('end', () => resolve({ status: response.statusCode!, body: text, begun: true }));
    });
  });
  if (body === null) sending.end();
  else sending.flushHeaders();
  const finish = () => sending.end(body!.slice(body!.length - keepBack));
  const received = new Promise<void>((resolve, reject) => {
    sending.on('continue', () => {
      sending.write(body!.slice(0, body!.length - keepBack));
      if (keepBack === 0) sending.end();
      resolve();
    });
    answer.then((early) => reject(new Error(`An answer came too early: ${early.status} ${early.body}`)));
  });
  received.catch(() => undefined);
  return { received, answer, finish };
}

interface Holder {
  release(): Promise<void>;
}

/** Keeps every write waiting. */
async function hold(database: string): Promise<Holder> {
  if (database.startsWith('sqlite:')) {
    const connection = new DatabaseSync(database.slice('sqlite:'.length), { timeout: 1_000 });
    connection.exec('begin immediate');
    return {
      async release() {
        connection.exec('rollback');
        connection.close();
      },
    };
  }
  const client = new pg.Client(database);
  await client.connect();
  await client.query('begin');
  await client.query('lock table tags in access exclusive mode');
  return {
    async release() {
      await client.query('rollback');
      await client.end();
    },
  };
}

async function labelsIn(database: string): Promise<string[]> {
  const sql = 'select label from tags order by label';
  if (database.startsWith('sqlite:')) {
    const connection = new DatabaseSync(database.slice('sqlite:'.length));
    const rows = connection.prepare(sql).all();
    connection.close();
    return rows.map(({ label }) => String(label));
  }
  const client = new pg.Client(database);
  await client.connect();
  const { rows } = await client.query<{ label: string }>(sql);
  await client.end();
  return rows.map(({ label }) => label);
}

interface Round {
  readonly wrong: readonly Answer[];
  readonly lost: number;
  readonly code: number | null;
  readonly ms: number;
  readonly complaints: readonly string[];
}

/** Stops a server while writes wait in it, some of them not even sent to their end. */
async function stopInFlight(database: string, workers: number, signal: NodeJS.Signals): Promise<Round> {
  await openDatabaseToAll(database);
  const server = await start(database, workers);
  const agent = new http.Agent({ keepAlive: true });
  const target = `${server.address}/api/tags`;
  await Promise.all(Array.from({ length: IDLE }, () => send(agent, target, null).answer));
  const holder = await hold(database);
  const labels = Array.from({ length: IN_FLIGHT }, (_, index) => `round ${index}`);
  const requests = labels.map((label, index) =>
    // One in two keeps its connection; one in five is slow.
    send(index % 2 === 0 ? agent : false, target, JSON.stringify({ data: { label } }), index % 5 === 0 ? 5 : 0),
  );
  await Promise.all(requests.map(({ received }) => received));
  const begin = performance.now();
  server.process.kill(signal);
  await sleep(100);
  for (const [index, request] of requests.entries()) if (index % 5 === 0) request.finish();
  await sleep(50);
  await holder.release();
  const answers = await Promise.all(requests.map(({ answer }) => answer));
  const code = await server.ended;
  const ms = performance.now() - begin;
  agent.destroy();
  const present = new Set(await labelsIn(database));
  return {
    wrong: answers.filter(({ status, body }, index) => status !== 201 || JSON.parse(body).data.label !== labels[index]),
    lost: labels.filter((label, index) => answers[index]!.status === 201 && !present.has(label)).length,
    code,
    ms,
    complaints: server.complaints,
  };
}

describeOnEveryDatabase('a server that is stopped', (engine) => {
  const offset = engine.name === 'SQLite' ? 0 : 1;

  // A short run has one number of workers on each database, and one signal.
  it.each(everyNth(2, [1, 2], offset))(
    `finishes ${IN_FLIGHT} requests that are under way (workers: %i)`,
    async (workers) => {
      const rounds: Round[] = [];
      let begun = 0;
      // A long run has both signals with each of them.
      const stopInTurn = async () => {
        while (begun < ROUNDS) {
          const signal = (offset + begun++) % 2 === 1 ? 'SIGINT' : 'SIGTERM';
          rounds.push(await stopInFlight(engine.guideDatabaseUrl(), workers, signal));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, stopInTurn));
      const wrong = rounds.flatMap((round) => round.wrong);
      const slowest = Math.max(...rounds.map(({ ms }) => ms));
      console.log(
        `${engine.name}, ${workers} workers: ${wrong.length} of ${rounds.length * IN_FLIGHT} answers broken in ${rounds.length} rounds; ` +
          `slowest stop ${Math.round(slowest)} ms`,
      );
      expect(wrong.slice(0, 3)).toEqual([]);
      expect(rounds.map(({ lost }) => lost)).toEqual(rounds.map(() => 0));
      expect(rounds.map(({ code }) => code)).toEqual(rounds.map(() => 0));
      expect(rounds.flatMap(({ complaints }) => complaints)).toEqual([]);
    },
    scaled(600_000),
  );

  it('cuts no answer short while clients go on asking', async () => {
    const server = await start(engine.guideDatabaseUrl(), 1);
    const agent = new http.Agent({ keepAlive: true });
    const answers: Answer[] = [];
    const clients = Array.from({ length: IN_FLIGHT }, async () => {
      for (;;) {
        const answer = await send(agent, `${server.address}/api/restaurants?populate=*`, null).answer;
        answers.push(answer);
        if (answer.status === 0) return;
      }
    });
    await sleep(500);
    const begin = performance.now();
    server.process.kill('SIGTERM');
    await Promise.all(clients);
    const code = await server.ended;
    agent.destroy();
    const cut = answers.filter(({ status, begun }) => status === 0 && begun);
    console.log(
      `${engine.name}, ${IN_FLIGHT} clients that go on: ${answers.length - IN_FLIGHT} answers, ${cut.length} cut short; ` +
        `stopped in ${Math.round(performance.now() - begin)} ms`,
    );
    expect(cut).toEqual([]);
    expect(answers.filter(({ status }) => status !== 0 && status !== 200)).toEqual([]);
    expect(code).toBe(0);
  });
});

// Nothing of this asks the database.
describeOnSqlite('a server with workers', (engine) => {
  let server: Running;
  const workers = () => childrenOf(server.process.pid!);
  beforeAll(async () => {
    server = await start(engine.guideDatabaseUrl(), 2, await freePort());
  });

  it('replaces those that are killed, and forgets no client', async () => {
    const agent = new http.Agent({ keepAlive: true });
    const get = (by: http.Agent | false = agent) => send(by, `${server.address}/api/restaurants`, null).answer;
    const answers: Answer[] = [];
    const times: number[] = [];
    // None, unless a machine that stood still has this run again.
    const earlier = server.complaints.length;
    const killed: number[] = [];
    for (const count of [1, 2]) {
      const victims = workers().slice(0, count);
      killed.push(...victims);
      let over = false;
      // One in two opens a connection for each request, so that some are on their way to a worker when it dies.
      const load = Array.from({ length: CLIENTS }, async (_, index) => {
        while (!over) {
          answers.push(await get(index % 2 === 0 && agent));
          await sleep(PAUSE_MS);
        }
      });
      const before = answers.length;
      await vi.waitFor(() => expect(answers.length).toBeGreaterThan(before + 5 * CLIENTS), IN_THE_END);
      for (const pid of victims) process.kill(pid, 'SIGKILL');
      const begin = performance.now();
      const replaced = () => expect(workers().filter((pid) => !victims.includes(pid))).toHaveLength(2);
      await vi.waitFor(replaced, IN_THE_END);
      await vi.waitFor(async () => {
        for (let good = 0; good < 50; good++) expect((await get()).status).toBe(200);
      }, IN_THE_END);
      times.push(performance.now() - begin);
      over = true;
      await Promise.all(load);
      // One line for each worker that was killed, and no other.
      await vi.waitFor(
        () => expect(server.complaints.length - earlier).toBeGreaterThanOrEqual(killed.length),
        IN_THE_END,
      );
      const ended = server.complaints.slice(earlier).map((line) => JSON.parse(line).pid);
      expect(ended.toSorted()).toEqual(killed.toSorted());
      expect(workers()).toHaveLength(2);
      expect(
        (await Promise.all(Array.from({ length: 50 }, () => get()))).filter(({ status }) => status !== 200),
      ).toEqual([]);
    }
    agent.destroy();
    const broken = answers.filter(({ status }) => status === 0);
    const forgotten = broken.filter(({ body }) => body === FORGOTTEN);
    console.log(
      `as before ${times.map((time) => `${Math.round(time)} ms`).join(', ')} after one and both workers ` +
        `were killed; ${broken.length} of ${answers.length} requests broken, ${forgotten.length} forgotten`,
    );
    expect(forgotten).toEqual([]);
    expect(answers.filter(({ status }) => status !== 0 && status !== 200)).toEqual([]);
  });

  it('kills one that hangs, and replaces it', async () => {
    const [hung, other] = workers();
    // One that does not listen yet would have more time. Without the other it answers as soon as it does.
    process.kill(other!, 'SIGSTOP');
    expect((await send(false, `${server.address}/_health`, null).answer).status).toBe(204);
    process.kill(other!, 'SIGCONT');
    process.kill(hung!, 'SIGSTOP');
    // The other may have been stopped for long as well, on a slow machine.
    const said = () => server.complaints.map((line) => JSON.parse(line)).filter(({ pid }) => pid === hung);
    await vi.waitFor(
      () =>
        expect(said()).toMatchObject([
          { pid: hung, msg: 'a worker hangs and is killed' },
          { pid: hung, signal: 'SIGKILL' },
        ]),
      IN_THE_END,
    );
    await vi.waitFor(() => {
      const now = workers();
      expect(now).not.toContain(hung);
      expect(now).toHaveLength(2);
    }, IN_THE_END);
  });

  it('outlives one that dies right before it is asked whether it works', async () => {
    const [victim] = workers();
    // The question is due before the server learns that there is nobody to answer it.
    server.process.kill('SIGSTOP');
    process.kill(victim!, 'SIGKILL');
    await sleep(2 * WATCH_MS);
    server.process.kill('SIGCONT');
    await vi.waitFor(() => {
      expect(server.process.exitCode).toBe(null);
      const now = workers();
      expect(now).not.toContain(victim);
      expect(now).toHaveLength(2);
    }, IN_THE_END);
  });

  it('leaves none of them behind where it is killed itself', async () => {
    const last = workers();
    server.process.kill('SIGKILL');
    await server.ended;
    try {
      await vi.waitFor(() => expect(last.filter(isAlive)).toEqual([]), IN_THE_END);
    } finally {
      for (const pid of last.filter(isAlive)) process.kill(pid, 'SIGKILL');
    }
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

// Most of their time these wait for what the server does in the end.
describeOnSqlite('a server', (engine) => {
  const nodes = JSON.stringify(Array.from({ length: 2_000 }, (_, index) => index));
  const conditions = Array.from({ length: 80 }, (_, index) => `filters[$or][${index}][meta][$eq]=[${index}]`);
  const ENDLESS = `/api/restaurants?${conditions.join('&')}`;

  /** A server with such a read under way, in a process that it has started for it. */
  async function busyServer() {
    const url = engine.guideDatabaseUrl();
    const database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec(
      `insert into restaurants (document_id, meta, published_at) with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000) select 'd' || i, '${nodes}', 1 from n`,
    );
    database.close();
    const server = await start(url, 1);
    const { answer } = send(false, server.address + ENDLESS, null);
    const readers = () => childrenOf(server.process.pid!);
    await vi.waitFor(() => expect(readers()).toHaveLength(1), IN_THE_END);
    return { server, answer, reader: readers()[0]! };
  }

  it.concurrent('answers a read that does not end before it ends in order', async () => {
    const { server, answer, reader } = await busyServer();
    server.process.kill('SIGTERM');
    expect((await answer).status).toBe(503);
    expect(await server.ended).toBe(0);
    await vi.waitFor(() => expect(isAlive(reader)).toBe(false), IN_THE_END);
  });

  it.concurrent('that is killed is not outlived by such a read', async () => {
    const { server, answer, reader } = await busyServer();
    server.process.kill('SIGKILL');
    expect((await answer).status).toBe(0);
    await vi.waitFor(() => expect(isAlive(reader)).toBe(false), IN_THE_END);
  });
});
