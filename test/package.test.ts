// The package as others install it: packed, and installed into an empty folder with npm, by the steps of the Dockerfile.
// Its dependencies come from the registry that npm is set up with.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, type BuiltImage, buildImage } from './support/dockerfile.ts';
import { nodesOfThisMachine } from './support/installed-nodes.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MEGABYTE = 1_000_000;
/** With room below the 60 MB that a production install may take, for what the package does not have yet. */
const MAX_INSTALLED_BYTES = 60 * MEGABYTE;

const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-package-'));
const project = path.join(folder, 'project');
const started = new Set<ChildProcess>();

/** Owns nothing on this machine, so that all it writes can be found. Without the right to be another, it is this one. */
const id = 100_000 + process.pid;
const ordinary: Account | undefined = process.getuid?.() === 0 ? { uid: id, gid: id } : undefined;

/** Where npm gets packages from, for an account that has no configuration of its own. */
const registry = Object.fromEntries(
  execFileSync('npm', ['config', 'get', 'registry', 'cafile'], { encoding: 'utf8', cwd: ROOT, stdio: 'pipe' })
    .split('\n')
    .map((line) => /^(\w+)=(.*)$/.exec(line.trim()))
    .flatMap((found) => (found && found[2] !== 'null' ? [[`npm_config_${found[1]}`, found[2]]] : [])),
);

/** This Node comes first, as after an installation of the version that the package needs. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_(?!EXTRA))/i.test(name))),
  PATH: [path.join(folder, 'bin'), process.env.PATH].join(path.delimiter),
  npm_config_update_notifier: 'false',
};

const run = (command: string, words: readonly string[], cwd = project): string =>
  execFileSync(command, words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** For the account that builds and runs the image: what it writes by itself goes into the folder. */
const own = { HOME: path.join(folder, 'home'), TMPDIR: path.join(folder, 'home') };

let image: BuiltImage;

beforeAll(() => {
  chmodSync(folder, 0o755);
  mkdirSync(path.join(folder, 'bin'));
  // Where every account may run it.
  cpSync(realpathSync(process.execPath), path.join(folder, 'bin/node'));
  mkdirSync(own.HOME);
  if (ordinary) chownSync(own.HOME, ordinary.uid, ordinary.gid);
  // The build is there; to build it again would take it from other tests.
  const packed = run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], ROOT).trim();
  image = buildImage(readFileSync(path.join(ROOT, 'deploy/Dockerfile'), 'utf8'), {
    context: folder,
    folder: path.join(folder, 'image'),
    args: { PACKAGE: packed },
    account: ordinary,
    env: { ...env, ...registry, ...own },
  });
  // It need not be installed twice.
  cpSync(path.join(ROOT, 'examples/guide'), project, { recursive: true });
  symlinkSync(path.join(image.root, 'opt/sheaf/node_modules'), path.join(project, 'node_modules'));
  const scripts = {
    start: 'sheaf start --database sqlite:./data.db --port 0',
    serve: 'exec sheaf start --database sqlite:./data.db --port 0 --workers 2',
  };
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'guide', private: true, scripts }));
});

afterAll(() => {
  for (const { pid } of started) killGroup(pid!);
  rmSync(folder, { recursive: true, force: true });
});

/** Whatever a failed test left. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/** Bytes of all files below; a file with two names counts once. */
function sizeOf(place: string, seen = new Set<number>()): number {
  return readdirSync(place, { withFileTypes: true }).reduce((sum, entry) => {
    const file = path.join(place, entry.name);
    if (entry.isDirectory()) return sum + sizeOf(file, seen);
    const { ino, size } = lstatSync(file);
    if (seen.has(ino)) return sum;
    seen.add(ino);
    return sum + size;
  }, 0);
}

/** Makes the process look like an older one. */
const NODE_20 = `data:text/javascript,${encodeURIComponent(`
  Object.defineProperty(process, 'version', { value: 'v20.20.2' });
  Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
`)}`;

/** Compiles a program in the project; `declarations`: and those of all packages that it names, and of the project. */
function compile(file: string, program: readonly string[], declarations: boolean): void {
  writeFileSync(path.join(project, file), program.join('\n'));
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  const types = ['--typeRoots', path.join(ROOT, 'node_modules/@types'), '--types', 'node'];
  const strict = ['--noEmit', '--strict', '--skipLibCheck', String(!declarations), '--module', 'nodenext'];
  run(process.execPath, [tsc, ...strict, '--target', 'es2024', ...types, file]);
}

const installed = (...names: string[]): string => path.join(project, 'node_modules', ...names);

interface Started {
  readonly npm: ChildProcess;
  readonly address: string;
  readonly lines: string[];
  /** Resolves when nothing holds the output any more: npm has ended, and the server with all of its processes. */
  readonly silent: Promise<unknown>;
}

async function startWithNpm(script: string): Promise<Started> {
  const npm = spawn('npm', ['run', script], {
    cwd: project,
    env: { ...env, LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'pipe', 'ignore'],
    // A process group of its own.
    detached: true,
  });
  started.add(npm);
  const lines: string[] = [];
  const reader = createInterface(npm.stdout!);
  const silent = once(reader, 'close');
  const address = await new Promise<string>((resolve, reject) => {
    reader.on('line', (line) => {
      lines.push(line);
      const found = /^\s+at\s+(http:\S+)/.exec(line);
      if (found) resolve(found[1]!);
    });
    silent.then(() => reject(new Error(`The server did not start: ${lines.join('\n')}`)));
  });
  return { npm, address, lines, silent };
}

describe('The packed package', () => {
  it('is run by its name where it is installed', () => {
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(run('npx', ['sheaf', '--version'])).toBe(`${version}\n`);
    expect(run(installed('.bin', 'sheaf'), ['config', '--json'])).toContain('"port"');
  });

  it('says in one sentence which Node it needs, and how to get it, where it runs on an older one', () => {
    const older = nodesOfThisMachine().filter(
      (node) => Number(run(node, ['-p', 'parseInt(process.version.slice(1))'])) < 24,
    );
    const asOld = ['--import', NODE_20];
    for (const [node, flags] of [[process.execPath, asOld] as const, ...older.map((one) => [one, []] as const)]) {
      const { status, stdout, stderr } = spawnSync(node, [...flags, installed('.bin', 'sheaf'), 'start'], {
        env,
        encoding: 'utf8',
      });
      expect(stderr).toMatch(
        /^sheaf needs Node 24 or later, and this is v\d+\.\d+\.\d+: install it .*npm i node@24.*\.\n$/,
      );
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    }
  });

  it('takes few megabytes with everything that it needs, and has no compiler among it', () => {
    const bytes = sizeOf(installed());
    console.log(`installed: ${(bytes / MEGABYTE).toFixed(1)} MB, ${readdirSync(installed()).length} packages`);
    expect(bytes).toBeLessThan(MAX_INSTALLED_BYTES);
    expect(readdirSync(installed())).not.toContain('typescript');
  });

  it('needs nothing that is not installed with it, and names the licences of what was put in', () => {
    const { dependencies } = JSON.parse(readFileSync(installed('sheaf', 'package.json'), 'utf8'));
    const dist = installed('sheaf', 'dist');
    const files = readdirSync(dist).filter((file) => file.endsWith('.js'));
    const named = files.flatMap((file) =>
      [...readFileSync(path.join(dist, file), 'utf8').matchAll(/^import [^'"\n]*["']([^'".][^'"\n]*)["'];$/gm)].map(
        ([, name]) => name!,
      ),
    );
    const packages = new Set(named.filter((name) => !name.startsWith('node:')));
    expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
    const licences = readFileSync(path.join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
    for (const name of ['kysely', 'qs', 'nodemailer', 'jose'])
      expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(licences).toContain('Redistributions in binary form must reproduce the above copyright');
  });

  it('says what to install for traces, which come without', () => {
    const words = ['start', '--database', 'sqlite:./data.db'];
    const { status, stderr } = spawnSync(installed('.bin', 'sheaf'), words, {
      cwd: project,
      env: { ...env, SHEAF_TRACES: 'true' },
      encoding: 'utf8',
    });
    expect(stderr).toContain('sheaf: Traces need packages that are not installed\n  - npm install @opentelemetry/api ');
    expect(status).toBe(1);
  });

  it('has types for a project that has written none', () => {
    const program = [
      `import { createServer, open, type Entry } from 'sheaf';`,
      `import { createClient, query } from 'sheaf/client';`,
      `const sheaf = await open({ project: '.', database: 'sqlite:data.db' });`,
      `const entries: Entry[] = await sheaf.documents('api::dish.dish').findMany({ sort: 'name' });`,
      `await createServer(sheaf).listen({ port: entries.length });`,
      `const client = createClient({ url: 'http://127.0.0.1:1337', token: process.env.TOKEN });`,
      `const found: number = (await client.dishes.find({ sort: 'name' })).data.length;`,
      `console.log(found, query({ sort: 'name' }));`,
    ];
    compile('program.mts', program, false);
  });

  it('has types that follow the query, by the file that it writes, and that need no package which is not installed', () => {
    expect(run(installed('.bin', 'sheaf'), ['types'])).toContain('sheaf-types.d.ts: 12 content-types, 7 components');
    const program = [
      `import { createServer, open } from 'sheaf';`,
      `import { createClient } from 'sheaf/client';`,
      `import type { Client } from 'sheaf/types';`,
      `import type { Registry } from './sheaf-types.js';`,
      `const sheaf = await open({ project: '.', database: 'sqlite:data.db' });`,
      `const [dish] = await sheaf.documents('api::dish.dish').findMany({ fields: ['name'], populate: 'restaurant' });`,
      `await createServer(sheaf).listen({ port: 0 });`,
      `createClient({ url: 'http://127.0.0.1:1337', token: process.env.TOKEN });`,
      `export const stars: number | null | undefined = dish?.restaurant?.stars;`,
      `// @ts-expect-error: it was not asked for`,
      `export const price = dish?.price;`,
      `export const first = async (client: Client<Registry>): Promise<string | undefined> =>`,
      `  (await client.dishes.find({ fields: 'name' })).data[0]?.name;`,
    ];
    compile('typed.mts', program, true);
  });

  it.each([
    ['SIGTERM', 'start', 'npm'],
    // As Ctrl+C in a terminal does.
    ['SIGINT', 'start', 'all'],
    // The shell of a script passes on no SIGINT, so it has to make way.
    ['SIGINT', 'serve', 'npm'],
  ] as const)('stops in order by a %s: npm run %s, sent to %s', async (signal, script, receiver) => {
    const { npm, address, lines, silent } = await startWithNpm(script);
    expect((await fetch(`${address}/_health`)).status).toBe(204);
    process.kill(receiver === 'all' ? -npm.pid! : npm.pid!, signal);
    await silent;
    expect(lines.at(-1)).toMatch(/: (the workers are )?finishing the requests under way$/);
    await expect(fetch(`${address}/_health`)).rejects.toThrow();
  });
});

describe('The image of the Dockerfile', () => {
  /** Files of the account that are outside of the folder, and changes of files that belong to the image. */
  const writtenElsewhere = (): string[] => {
    if (!ordinary) return [];
    const places = ['/tmp', '/var/tmp', '/dev/shm', '/run', '/var/lib', os.homedir()].filter((place) =>
      existsSync(place),
    );
    // What the account may not enter it cannot have written to.
    const closed = ['-type', 'd', '!', '-perm', '-001', '!', '-uid', String(ordinary.uid)];
    const left = ['(', '-path', folder, '-o', ...closed, ')', '-prune'];
    const words = [...places, ...left, '-o', '-uid', String(ordinary.uid), '-print'];
    return spawnSync('find', words, { encoding: 'utf8' })
      .stdout.split('\n')
      .filter((line) => line !== '');
  };

  /** Takes the rights to write away, as a read-only file system does. */
  const protect = (place: string): void => {
    if (ordinary) execFileSync('chown', ['-R', '-h', '0:0', place]);
    execFileSync('chmod', ['-R', 'a-w', place]);
  };

  const asInside = (word: string): string => (word.startsWith('/opt/') ? path.join(image.root, word) : word);

  it('runs as a user without rights, has a health check, and starts the server without a shell', () => {
    const { user, entrypoint, command, healthCheck, exposed, volumes } = image;
    expect({ user, command, exposed, volumes }).toEqual({
      user: 'node',
      command: ['start'],
      exposed: ['1337'],
      volumes: ['/data'],
    });
    expect(entrypoint).toEqual(['node', '/opt/sheaf/node_modules/sheaf/dist/main.js']);
    expect(healthCheck[0]).toBe('node');
    // The base, which is some 165 MB, and this are below 250 MB.
    expect(sizeOf(path.join(image.root, 'opt'))).toBeLessThan(85 * MEGABYTE);
  });

  it('serves on a file system that is read-only but for its data, and stops with 0 by SIGTERM', async () => {
    const data = path.join(image.root, 'data');
    const mounted = path.join(folder, 'mounted');
    cpSync(path.join(ROOT, 'examples/guide'), mounted, { recursive: true });
    const files = readdirSync(mounted);
    for (const place of [mounted, path.join(image.root, 'opt')]) protect(place);
    const variables = {
      ...image.env,
      ...own,
      PATH: env.PATH,
      PORT: '0',
      HOST: '127.0.0.1',
      SHEAF_PROJECT: mounted,
      JWT_SECRET: randomBytes(32).toString('base64'),
      API_TOKEN_SALT: randomBytes(32).toString('base64'),
      DATABASE_URL: `sqlite:${data}/content.db`,
    };
    const [program, ...words] = [...image.entrypoint, ...image.command].map(asInside);
    const server = spawn(program!, words, {
      cwd: mounted,
      env: variables,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...ordinary,
    });
    started.add(server);
    const ended = once(server, 'exit');
    let said = '';
    server.stderr.on('data', (text) => {
      said += text;
    });
    let port = '';
    for await (const line of createInterface(server.stdout)) {
      said += `${line}\n`;
      port = /^\s+at\s+http:.*:(\d+)/.exec(line)?.[1] ?? port;
      if (line.startsWith('Stop with')) break;
    }
    expect(port, said).not.toBe('');
    const check = (at: string): number | null => {
      const [node, ...flags] = image.healthCheck;
      return spawnSync(node!, flags, { env: { ...variables, PORT: at }, ...ordinary }).status;
    };
    expect(check(port)).toBe(0);
    expect(check('1')).toBe(1);
    server.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(readdirSync(data)).toEqual(['content.db']);
    expect(readdirSync(mounted)).toEqual(files);
    expect(writtenElsewhere()).toEqual([]);
  });
});
