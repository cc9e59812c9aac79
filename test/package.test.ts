// The package as others install it: packed, and installed into an empty folder with npm. Its dependencies come from the
// registry that npm is set up with, or from npm's cache.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MEGABYTE = 1_000_000;
/** With room below the 60 MB that a production install may take, for what the package does not have yet. */
const MAX_INSTALLED_BYTES = 38 * MEGABYTE;

const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-package-'));
const project = path.join(folder, 'project');
const started = new Set<ChildProcess>();

/** This Node comes first, as after an installation of the version that the package needs. */
const env: NodeJS.ProcessEnv = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|VITEST|NODE_)/i.test(name))),
  PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
  npm_config_update_notifier: 'false',
};

const run = (command: string, words: readonly string[], cwd = project): string =>
  execFileSync(command, words, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

beforeAll(() => {
  // The build is there; to build it again would take it from other tests.
  const packed = run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], ROOT).trim();
  cpSync(path.join(ROOT, 'examples/guide'), project, { recursive: true });
  const scripts = {
    start: 'sheaf start --database sqlite:./data.db --port 0',
    serve: 'exec sheaf start --database sqlite:./data.db --port 0 --workers 2',
  };
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ name: 'guide', private: true, scripts }));
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', path.join(folder, packed)]);
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

const nodesOfThisMachine = (): string[] =>
  (process.env.PATH ?? '')
    .split(path.delimiter)
    .filter((place) => !place.includes('node_modules'))
    .map((place) => path.join(place, 'node'))
    .filter((file) => existsSync(file));

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
    expect(run('npx', ['sheaf', 'config', '--json'])).toContain('"port"');
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

  it('has types that need no package which is not installed with it', () => {
    const program = [
      `import { createServer, open, type Entry } from 'sheaf';`,
      `const sheaf = await open({ project: '.', database: 'sqlite:data.db' });`,
      `const entries: Entry[] = await sheaf.documents('api::dish.dish').findMany({ sort: 'name' });`,
      `await createServer(sheaf).listen({ port: entries.length });`,
    ];
    writeFileSync(path.join(project, 'program.mts'), program.join('\n'));
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const types = ['--typeRoots', path.join(ROOT, 'node_modules/@types'), '--types', 'node'];
    const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2024'];
    run(process.execPath, [tsc, ...strict, ...types, 'program.mts']);
  });

  it.each([
    ['SIGTERM', 'start', 'npm'],
    ['SIGTERM', 'serve', 'npm'],
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
