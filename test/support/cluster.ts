// PostgreSQL servers that a test may stop, freeze and cut off: a primary with streaming replicas, on free ports, with
// their files in one temporary folder. A keeper process ends them and removes the folder when the test is over, and
// also when the test itself is killed: it acts when its input ends.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type Account, freePort, ordinaryAccount, reachableBinaries } from './postgres-server.ts';

interface Surroundings {
  readonly folder: string;
  readonly initdb: string;
  readonly postgres: string;
  readonly account: Account | undefined;
}

export type Settings = Readonly<Record<string, string>>;

/** `fast` ends connections and writes everything; `immediate` is a crash, and the next start recovers. */
export type StopMode = 'fast' | 'immediate';
const STOP_SIGNALS = { fast: 'SIGINT', immediate: 'SIGQUIT' } as const;

/** A commit is safe from a crash of the server; a crash of the machine is not tested. */
const SETTINGS: Settings = {
  fsync: 'off',
  autovacuum: 'off',
  shared_buffers: '16MB',
  max_connections: '100',
  max_wal_senders: '4',
  wal_keep_size: '64MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
};
const READY = /ready to accept (read-only )?connections/;
const START_ATTEMPTS = 20;
const END_WAIT_MS = 8_000;

export class ClusterServer {
  readonly port: number;
  readonly data: string;
  readonly #surroundings: Surroundings;
  readonly #settings: Settings;
  #process: ReturnType<typeof spawn> | undefined;

  constructor(surroundings: Surroundings, data: string, port: number, settings: Settings) {
    this.#surroundings = surroundings;
    this.data = data;
    this.port = port;
    this.#settings = settings;
  }

  /** The address of one of its databases. */
  url(database = 'postgres'): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  /** Resolves when it takes connections. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      const failure = await this.#launch();
      if (failure === null) return;
      // What ended a moment ago may still hold the port.
      if (attempt === START_ATTEMPTS || !failure.includes('Address already in use')) throw new Error(failure);
      await sleep(100);
    }
  }

  #launch(): Promise<string | null> {
    const { postgres, account, folder } = this.#surroundings;
    const flags = Object.entries({ ...SETTINGS, ...this.#settings }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const server = spawn(postgres, ['-D', this.data, '-p', String(this.port), ...flags], {
      ...account,
      cwd: folder,
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = server;
    return new Promise((resolve) => {
      let said = '';
      let ready = false;
      server.on('error', (error) => resolve(error.message));
      server.on('exit', () => resolve(`PostgreSQL did not start: ${said}`));
      server.stderr.on('data', (chunk: Buffer) => {
        if (ready) return;
        said += chunk;
        ready = READY.test(said);
        if (ready) resolve(null);
      });
    });
  }

  async stop(mode: StopMode = 'fast'): Promise<void> {
    const server = this.#process;
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill(STOP_SIGNALS[mode]);
    await ended;
  }

  /** Nothing of it runs any more, yet its connections stay open. */
  freeze(): void {
    const { pid } = this.#process!;
    // The parent first, so that it starts no others.
    process.kill(pid!, 'SIGSTOP');
    for (const child of childrenOf(pid!)) signal(child, 'SIGSTOP');
  }

  thaw(): void {
    const { pid } = this.#process!;
    for (const child of childrenOf(pid!)) signal(child, 'SIGCONT');
    process.kill(pid!, 'SIGCONT');
  }

  /** Rows of one statement, over a connection of its own. */
  async query<T extends pg.QueryResultRow>(sql: string, values: unknown[] = [], database = 'postgres'): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.url(database), application_name: 'test' });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<T>(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  /** Connections of others to a database. */
  async connections(database: string, name: string | null = null): Promise<number> {
    const [row] = await this.query<{ count: string }>(
      `select count(*) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid() and application_name <> 'test' and application_name = coalesce($2, application_name)`,
      [database, name],
    );
    return Number(row!.count);
  }

  /** Cuts all connections of others to a database; the number of them. */
  async terminateConnections(database: string): Promise<number> {
    const rows = await this.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid() and application_name <> 'test'`,
      [database],
    );
    return rows.length;
  }
}

export class ReplicaServer extends ClusterServer {
  async pauseReplay(): Promise<void> {
    await this.query('select pg_wal_replay_pause()');
    while (
      (await this.query<{ state: string }>('select pg_get_wal_replay_pause_state() as state'))[0]!.state !== 'paused'
    )
      await sleep(10);
  }

  async resumeReplay(): Promise<void> {
    await this.query('select pg_wal_replay_resume()');
  }

  /** Resolves when everything that the primary has written is replayed. */
  async caughtUp(primary: ClusterServer): Promise<void> {
    const [row] = await primary.query<{ position: string }>('select pg_current_wal_flush_lsn()::text as position');
    for (;;) {
      const [reached] = await this.query<{ reached: boolean }>('select pg_last_wal_replay_lsn() >= $1 as reached', [
        row!.position,
      ]);
      if (reached!.reached) return;
      await sleep(10);
    }
  }
}

export class Cluster {
  readonly primary: ClusterServer;
  readonly #surroundings: Surroundings;
  readonly #end: () => Promise<void>;
  #replicas = 0;

  constructor(surroundings: Surroundings, primary: ClusterServer, end: () => Promise<void>) {
    this.#surroundings = surroundings;
    this.primary = primary;
    this.#end = end;
  }

  /** A streaming replica that has started. The primary is stopped for the moment in which its files are copied. */
  async addReplica(settings: Settings = {}): Promise<ReplicaServer> {
    const { folder, account } = this.#surroundings;
    const data = path.join(folder, `replica-${++this.#replicas}`);
    await this.primary.stop();
    execFileSync('cp', ['-Rp', this.primary.data, data], { ...account });
    await this.primary.start();
    writeOwn(path.join(data, 'standby.signal'), '', account);
    const from = `host=127.0.0.1 port=${this.primary.port} user=postgres`;
    appendFileSync(path.join(data, 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
    const replica = new ReplicaServer(this.#surroundings, data, await freePort(), {
      hot_standby: 'on',
      wal_retrieve_retry_interval: '200ms',
      ...settings,
    });
    await replica.start();
    return replica;
  }

  /** Ends every server and removes their files. */
  close(): Promise<void> {
    return this.#end();
  }
}

/** A primary that has started; `settings` are added to those that make it fast. */
export async function startCluster(settings: Settings = {}): Promise<Cluster> {
  const account = ordinaryAccount();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-cluster-'));
  const end = startKeeper(folder);
  try {
    chmodSync(folder, 0o755);
    if (account) chownSync(folder, account.uid, account.gid);
    const surroundings = { folder, account, ...(await reachableBinaries(folder, account)) };
    const data = path.join(folder, 'primary');
    execFileSync(
      surroundings.initdb,
      ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
      { ...account, cwd: folder, env: { ...process.env, LC_ALL: 'C' }, stdio: 'pipe' },
    );
    const primary = new ClusterServer(surroundings, data, await freePort(), settings);
    await primary.start();
    return new Cluster(surroundings, primary, end);
  } catch (error) {
    await end();
    throw error;
  }
}

function writeOwn(file: string, text: string, account: Account | undefined): void {
  writeFileSync(file, text, { mode: 0o600 });
  if (account) chownSync(file, account.uid, account.gid);
}

/** The processes that a process has started. */
export function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [pid, ppid] = line.trim().split(/\s+/).map(Number);
    return ppid === parent ? [pid!] : [];
  });
}

/** It may have ended in between. */
function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone.
  }
}

/** Starts the process that cleans up; the function that has it do so and waits. */
function startKeeper(folder: string): () => Promise<void> {
  const keeper = spawn(process.execPath, ['--no-warnings', fileURLToPath(import.meta.url), folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
    // Not stopped by the key that stops us.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => keeper.on('exit', () => resolve()));
  return () => {
    keeper.stdin.end();
    return ended;
  };
}

/** The servers that run from a folder below this one. */
function serversIn(folder: string): number[] {
  return readdirSync(folder).flatMap((name) => {
    const file = path.join(folder, name, 'postmaster.pid');
    if (!existsSync(file)) return [];
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    const { stdout } = spawnSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
    return stdout.includes(path.join(folder, name)) ? [pid] : [];
  });
}

async function cleanUp(folder: string): Promise<void> {
  const deadline = performance.now() + END_WAIT_MS;
  for (const pid of serversIn(folder)) {
    for (const child of childrenOf(pid)) signal(child, 'SIGCONT');
    signal(pid, 'SIGCONT');
    signal(pid, 'SIGQUIT');
  }
  while (serversIn(folder).length > 0) {
    if (performance.now() > deadline) for (const pid of serversIn(folder)) signal(pid, 'SIGKILL');
    await sleep(20);
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);
  process.stdin.on('end', () => cleanUp(process.argv[2]!)).resume();
}
