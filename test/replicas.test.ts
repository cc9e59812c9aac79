// Reads on a streaming replica: they go there, they never show a client less than it has written itself, and a replica
// that lags, stops or hangs is nothing that a client notices. Each test prints its figures; what it expects of them is
// how they compare with one another, since the machine may be busy.
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { open, type Sheaf } from '../src/app.ts';
import { fillExample } from '../src/cli/example.ts';
import { DEFAULT_POSTGRES } from '../src/db/postgres.ts';
import { createServer } from '../src/http/server.ts';
import { MAX_REPLICA_WAIT_MS, REPLICA_PAUSE_MS } from '../src/limits.ts';
import { openToAll } from './support/access.ts';
import { type Cluster, type ReplicaServer, startCluster } from './support/cluster.ts';
import { GUIDE } from './support/database.ts';
import { IN_THE_END } from './support/patience.ts';
import { freePort } from './support/postgres-server.ts';
import { timed } from './support/soon.ts';
import { describeSteadily } from './support/stalled-machine.ts';

const CLIENTS = 8;
/** What is meant to take a while may take so many times as long as the same while does beside it. */
const MARGIN = 10;
/** A read is sent so often to a replica that hangs; one that took so long has met it. */
const STEADY_MS = 25;
const HUNG_MS = DEFAULT_POSTGRES.connectTimeoutMs / 2;

interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  readonly ms: number;
}

const agent = new http.Agent({ keepAlive: true });

function request(
  target: string,
  { method, body, headers = {} }: { method?: string; body?: unknown; headers?: http.OutgoingHttpHeaders } = {},
): Promise<Answer> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const sending = http.request(
      target,
      {
        agent,
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body: text,
            ms: performance.now() - begin,
          }),
        );
      },
    );
    sending.on('error', reject);
    sending.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const rounded = (milliseconds: number): string => `${Math.round(milliseconds)} ms`;
/** The first few that are no success. */
const failures = (answers: readonly Answer[]): string[] =>
  answers
    .filter(({ status }) => status !== 200)
    .slice(0, 3)
    .map(({ status, body }) => `${status} ${body}`);
const slowest = (answers: readonly Answer[]): number => Math.max(...answers.map(({ ms }) => ms));

interface Served {
  readonly sheaf: Sheaf;
  readonly address: string;
  close(): Promise<void>;
}

async function serve(database: string, replicas: readonly string[]): Promise<Served> {
  const sheaf = await open({ project: GUIDE, database, replicas });
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

describeSteadily('a PostgreSQL primary with a replica', () => {
  let cluster: Cluster;
  let replica: ReplicaServer;
  let served: Served;

  beforeAll(async () => {
    cluster = await startCluster();
    await cluster.primary.query('create database guide');
    replica = await cluster.addReplica();
    const sheaf = await open({ project: GUIDE, database: cluster.primary.url('guide') });
    await fillExample(sheaf);
    await openToAll(sheaf);
    await sheaf.close();
    await replica.caughtUp(cluster.primary);
    served = await serve(cluster.primary.url('guide'), [replica.url('guide')]);
  });
  afterAll(async () => {
    agent.destroy();
    await served?.close();
    await cluster?.close();
  });
  afterEach(async () => {
    await replica.resumeReplay();
    await replica.caughtUp(cluster.primary);
    if (performance.now() < leftAloneUntil) await sleep(leftAloneUntil - performance.now());
  });
  /** Set by a test in which the replica fails: it is not asked again for a while. */
  let leftAloneUntil = 0;

  let labels = 0;
  const tags = () => `${served.address}/api/tags`;
  const create = (address = tags()) => request(address, { body: { data: { label: `replica ${++labels}` } } });
  const idOf = ({ body }: Answer): string => JSON.parse(body).data.documentId;
  const positionOf = ({ headers }: Answer): string => String(headers['x-sheaf-position']);
  const cookieOf = ({ headers }: Answer): string => headers['set-cookie']![0]!.split(';')[0]!;

  async function ready(): Promise<{ lag: number | null; answer: Answer }> {
    const answer = await request(`${served.address}/_ready`);
    const { replicas } = JSON.parse(answer.body);
    expect(replicas).toHaveLength(1);
    expect(replicas[0].name).toContain(String(replica.port));
    return { lag: replicas[0].lagSeconds, answer };
  }

  /** What a read takes that waits for the replica as long as it may; measured, since it takes longer on a busy machine. */
  const longestMeant = () =>
    timed(async () => {
      await sleep(MAX_REPLICA_WAIT_MS);
      await request(tags());
    });

  /** Reads, one after the other by each client, until `until` is over. */
  async function readDuring(until: Promise<unknown>): Promise<Answer[]> {
    let over = false;
    const answers: Answer[] = [];
    const clients = Array.from({ length: CLIENTS }, async () => {
      while (!over) answers.push(await request(`${served.address}/api/restaurants?populate=chef,categories`));
    });
    await until;
    over = true;
    await Promise.all(clients);
    return answers;
  }

  it('starts on a new database, of which the replica does not know yet', async () => {
    await cluster.primary.query('create database new');
    await replica.caughtUp(cluster.primary);
    await replica.pauseReplay();
    const sheaf = await open({
      project: GUIDE,
      database: cluster.primary.url('new'),
      replicas: [replica.url('new')],
    });
    await sheaf.close();
  });

  it('serves reads from the replica, and a client its own writes', async () => {
    await replica.pauseReplay();
    const made = await create();
    const target = `${tags()}/${idOf(made)}`;
    const withNothing = await request(target);
    const withHeader = await request(target, { headers: { 'x-sheaf-position': positionOf(made) } });
    const meant = await longestMeant();
    const withCookie = await request(target, { headers: { cookie: `a=b; ${cookieOf(made)}; c=d` } });
    const inList = await request(`${tags()}?filters[label]=replica ${labels}`.replaceAll(' ', '%20'), {
      headers: { 'x-sheaf-position': positionOf(made) },
    });
    console.log(
      `replay paused: written in ${rounded(made.ms)}; read without a position ${withNothing.status} in ${rounded(withNothing.ms)}, ` +
        `with the header ${withHeader.status} in ${rounded(withHeader.ms)}, with the cookie ${withCookie.status} in ${rounded(withCookie.ms)}`,
    );
    expect(made.status).toBe(201);
    expect(JSON.parse(made.body).data.label).toBe(`replica ${labels}`);
    expect(positionOf(made)).toMatch(/^[0-9A-F]+\/[0-9A-F]+$/);
    expect(cookieOf(made)).toBe(`sheaf_position=${positionOf(made)}`);
    // The replica has not seen it: so it was the replica that answered.
    expect(withNothing.status).toBe(404);
    expect(withHeader.status).toBe(200);
    expect(withCookie.status).toBe(200);
    expect(JSON.parse(inList.body).meta.pagination.total).toBe(1);
    expect(slowest([withHeader, withCookie, inList]) / meant).toBeLessThan(MARGIN);
    await replica.resumeReplay();
    await replica.caughtUp(cluster.primary);
    expect((await request(target)).status).toBe(200);
  });

  it('shows a change and a deletion to the one who made it', async () => {
    const made = await create();
    const target = `${tags()}/${idOf(made)}`;
    await replica.caughtUp(cluster.primary);
    await replica.pauseReplay();
    const changed = await request(target, { method: 'PUT', body: { data: { label: 'changed' } } });
    expect(JSON.parse(changed.body).data.label).toBe('changed');
    const seen = await request(target, { headers: { 'x-sheaf-position': positionOf(changed) } });
    expect(JSON.parse(seen.body).data.label).toBe('changed');
    expect(JSON.parse((await request(target)).body).data.label).not.toBe('changed');
    const gone = await request(target, { method: 'DELETE' });
    expect(gone.status).toBe(204);
    expect((await request(target, { headers: { cookie: cookieOf(gone) } })).status).toBe(404);
    expect((await request(target)).status).toBe(200);
  });

  it('writes users by what the primary has of them, whoever asks', async () => {
    await replica.caughtUp(cluster.primary);
    await replica.pauseReplay();
    const users = `${served.address}/api/users`;
    const body = { username: 'newcomer', email: 'newcomer@example.org', password: 'a g00d one' };
    const made = JSON.parse((await request(users, { body })).body);
    const put = async (key: string | number, change: object) =>
      (await request(`${users}/${key}`, { method: 'PUT', body: change })).status;
    const logIn = async (password: string): Promise<string> =>
      JSON.parse(
        (await request(`${served.address}/api/auth/local`, { body: { identifier: body.username, password } })).body,
      ).jwt;
    const me = async (jwt: string) =>
      (await request(`${users}/me`, { headers: { authorization: `Bearer ${jwt}` } })).status;
    const jwt = await logIn(body.password);
    expect([await put(made.id, { blocked: false }), await put(made.documentId, { password: 'a better 1' })]).toEqual([
      200, 200,
    ]);
    // With the password all sessions ended.
    expect(await me(jwt)).toBe(401);
    expect((await request(`${users}/${made.id}`, { method: 'DELETE' })).status).toBe(200);
    expect(await cluster.primary.query('select 1 from up_users where id = $1', [made.id], 'guide')).toEqual([]);
  });

  it('uses the replica for a client whose write it has replayed', async () => {
    const made = await create();
    await replica.caughtUp(cluster.primary);
    await replica.pauseReplay();
    const target = `${tags()}/${idOf(made)}`;
    await cluster.primary.query('update tags set label = $1 where document_id = $2', ['later', idOf(made)], 'guide');
    const seen = await request(target, { headers: { 'x-sheaf-position': positionOf(made) } });
    expect(JSON.parse(seen.body).data.label).not.toBe('later');
  });

  it('answers whatever position a client brings', async () => {
    for (const position of ['nonsense', '', '0/0', '1/', '/', 'FFFFFFFF/FFFFFFFF', "0/0'", '0/0'.repeat(1_000)]) {
      const answers = [
        await request(tags(), { headers: { 'x-sheaf-position': position } }),
        await request(tags(), { headers: { cookie: `sheaf_position=${position}` } }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(slowest(answers) / (await longestMeant())).toBeLessThan(MARGIN);
    }
  });

  it('keeps the promise where the primary does not wait for its own log', async () => {
    await cluster.primary.query('alter database guide set synchronous_commit = off');
    const hasty = await serve(cluster.primary.url('guide'), [replica.url('guide')]);
    try {
      let failed = 0;
      let missed = 0;
      for (let round = 0; round < 10; round++) {
        const made = await create(`${hasty.address}/api/tags`);
        if (made.status !== 201) {
          failed++;
          continue;
        }
        const target = `${hasty.address}/api/tags/${idOf(made)}`;
        const seen = await request(target, { headers: { 'x-sheaf-position': positionOf(made) } });
        if (seen.status !== 200) missed++;
      }
      console.log(`synchronous_commit = off: ${failed} of 10 writes answered wrongly, ${missed} not seen afterwards`);
      expect(failed).toBe(0);
      expect(missed).toBe(0);
    } finally {
      await hasty.close();
      await cluster.primary.query('alter database guide reset synchronous_commit');
    }
  });

  it('a replica that lags holds nobody up', async () => {
    const crowd = (headers: http.OutgoingHttpHeaders, target: string) =>
      Promise.all([
        Promise.all(Array.from({ length: 200 }, () => request(target, { headers }))),
        Promise.all(Array.from({ length: 16 }, () => request(`${served.address}/api/restaurants`))),
      ]);
    const first = await create();
    await replica.caughtUp(cluster.primary);
    const withNothing = async () => slowest((await crowd({}, `${tags()}/${idOf(first)}`)).flat());
    const before = await withNothing();
    await replica.pauseReplay();
    const made = await create();
    const [own, others] = await crowd({ 'x-sheaf-position': positionOf(made) }, `${tags()}/${idOf(made)}`);
    const meant = await longestMeant();
    const usual = Math.max(before, await withNothing());
    console.log(
      `200 reads of an own write while replay is paused: slowest ${rounded(slowest(own))}; 16 others beside them: ` +
        `slowest ${rounded(slowest(others))}; the same without a position ${rounded(usual)}`,
    );
    expect(failures([...own, ...others])).toEqual([]);
    // Two hundred that waited one after the other, or for one another's connections, would take much longer.
    expect(slowest(own) / (usual + meant)).toBeLessThan(4);
    expect(slowest(others) / usual).toBeLessThan(5);
  });

  it('tells how far the replica is behind', async () => {
    await create();
    await replica.caughtUp(cluster.primary);
    const level = await ready();
    expect(level.answer.status).toBe(200);
    expect(level.lag).toBe(0);
    await replica.pauseReplay();
    await create();
    await sleep(1_200);
    const behind = await ready();
    expect(behind.answer.status).toBe(200);
    await replica.resumeReplay();
    await replica.caughtUp(cluster.primary);
    const again = await ready();
    console.log(`lag: ${level.lag} s, paused ${behind.lag} s, resumed ${again.lag} s`);
    expect(behind.lag).toBeGreaterThan(1);
    expect(again.lag).toBe(0);
  });

  it('tells that the replica receives nothing any more', async () => {
    await create();
    await replica.caughtUp(cluster.primary);
    await replica.query(`alter system set primary_conninfo = ''`);
    try {
      await replica.query('select pg_reload_conf()');
      while ((await replica.query('select 1 from pg_stat_wal_receiver')).length > 0) await sleep(20);
      await create();
      await sleep(1_200);
      const { lag } = await ready();
      console.log(`lag of a replica that is cut off from the primary: ${lag} s`);
      expect(lag).not.toBe(0);
    } finally {
      await replica.query(
        `alter system set primary_conninfo = 'host=127.0.0.1 port=${cluster.primary.port} user=postgres'`,
      );
      await replica.query('select pg_reload_conf()');
    }
  });

  it.each(['fast', 'immediate'] as const)(
    'a replica that stops (%s) is not noticed, and is used again',
    async (mode) => {
      let stopped = 0;
      let lagWhenStopped: number | null | undefined;
      const usual = await readDuring(sleep(500));
      const answers = await readDuring(
        (async () => {
          await replica.stop(mode);
          stopped = performance.now();
          // It is tried again meanwhile.
          await sleep(REPLICA_PAUSE_MS * 1.5);
          lagWhenStopped = (await ready()).lag;
          await replica.start();
        })(),
      );
      const back = performance.now();
      await vi.waitFor(async () => {
        await Promise.all(Array.from({ length: CLIENTS }, () => request(tags())));
        expect(await replica.connections('guide')).toBeGreaterThan(0);
      }, IN_THE_END);
      console.log(
        `replica stopped (${mode}) for ${rounded(back - stopped)}: ${answers.length} reads, slowest ${rounded(slowest(answers))}; ` +
          `used again ${rounded(performance.now() - back)} after it was back`,
      );
      expect(failures([...usual, ...answers])).toEqual([]);
      // To wait for a connection would take seconds.
      expect(slowest(answers) / (slowest(usual) + (await longestMeant()))).toBeLessThan(MARGIN);
      expect(lagWhenStopped).toBeNull();
    },
  );

  it('a replica that hangs is found out once, and then only probed', async () => {
    replica.freeze();
    const begin = performance.now();
    const under: Promise<Answer>[] = [];
    const read = async (): Promise<void> => {
      under.push(request(`${served.address}/api/restaurants`));
      await sleep(STEADY_MS);
    };
    // It is found out when the first read that it left without an answer is given one.
    await read();
    let isFoundOut = false;
    const [first] = under;
    first!.finally(() => {
      isFoundOut = true;
    });
    while (!isFoundOut) await read();
    const foundOut = performance.now();
    const early = under.splice(0);
    while (performance.now() < foundOut + REPLICA_PAUSE_MS * 3) await read();
    const probing = performance.now() - foundOut;
    // All of them are answered while it hangs.
    const [before, later] = [await Promise.all(early), await Promise.all(under)];
    replica.thaw();
    leftAloneUntil = performance.now() + REPLICA_PAUSE_MS;
    const hung = (answers: readonly Answer[]) => answers.filter(({ ms }) => ms > HUNG_MS);
    console.log(
      `replica frozen for ${rounded(performance.now() - begin)}: slowest of ${before.length + later.length} reads ${rounded(slowest([...before, ...later]))}; ` +
        `it held up ${hung(before).length} of ${before.length} until it was found out, ${hung(later).length} of ${later.length} later`,
    );
    expect(failures([...before, ...later])).toEqual([]);
    expect(hung(before)).toContain(before[0]);
    expect(hung(before).length / before.length).toBeLessThan(0.5);
    expect(hung(later).length).toBeLessThanOrEqual(probing / REPLICA_PAUSE_MS);
  });

  it('a primary that is away leaves the reads', async () => {
    // In use before, so that nothing has to be found out.
    await Promise.all(Array.from({ length: CLIENTS }, () => request(`${served.address}/api/restaurants`)));
    expect(await replica.connections('guide')).toBeGreaterThan(0);
    await cluster.primary.stop();
    try {
      const reads = await Promise.all(Array.from({ length: 20 }, () => request(`${served.address}/api/restaurants`)));
      const write = await create();
      const health = await request(`${served.address}/_ready`);
      console.log(
        `primary away: ${reads.filter(({ status }) => status === 200).length} of 20 reads served, slowest ${rounded(slowest(reads))}; ` +
          `a write answers ${write.status}, /_ready ${health.status}`,
      );
      expect(failures(reads)).toEqual([]);
      expect(write.status).toBe(503);
      expect(write.headers['retry-after']).toBeDefined();
      expect(health.status).toBe(503);
    } finally {
      await cluster.primary.start();
    }
    expect((await create()).status).toBe(201);
  });

  it('a replica that is away at the start is no reason not to start', async () => {
    const lonely = await serve(cluster.primary.url('guide'), [
      `postgres://postgres@127.0.0.1:${await freePort()}/guide`,
    ]);
    try {
      const read = await request(`${lonely.address}/api/restaurants`);
      expect(read.status).toBe(200);
      expect(JSON.parse((await request(`${lonely.address}/_ready`)).body).replicas[0].lagSeconds).toBeNull();
    } finally {
      await lonely.close();
    }
  });
});
