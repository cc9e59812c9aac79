// Finds a browser for the tests that need one, by itself: an installed Chrome, Chromium or Edge, else what Playwright has
// downloaded, else the build of Chromium that comes with the packages of this repository, else on Debian as root the
// distribution's package. What is found but does not start is passed over.
import { execFile } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createBrotliDecompress } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';

/** The machine that a browser is looked for on. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the packages of Debian can be installed. */
  readonly isDebianAsRoot: boolean;
  exists(file: string): boolean;
  /** Where Playwright would have put its own. */
  downloaded(): string;
  /** Unpacks the build that comes with the packages, which is for Linux on x64 alone. */
  unpack(): Promise<string>;
  /** Installs the package of the distribution. */
  install(): Promise<void>;
  launch(executablePath: string): Promise<Browser>;
}

/** The names of browsers on the path of Linux, and below the folders of programs elsewhere. */
const COMMANDS = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
];
const MAC_PROGRAMS = ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(
  (name) => `/Applications/${name}.app/Contents/MacOS/${name}`,
);
const WINDOWS_PROGRAMS = ['Google\\Chrome\\Application\\chrome.exe', 'Microsoft\\Edge\\Application\\msedge.exe'];
const WINDOWS_FOLDERS = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'];

function installed({ platform, env, exists }: Machine): string[] {
  if (platform === 'darwin') return MAC_PROGRAMS.filter(exists);
  if (platform === 'win32')
    return WINDOWS_PROGRAMS.flatMap((program) =>
      WINDOWS_FOLDERS.map((folder) => path.win32.join(env[folder] ?? 'C:\\', program)),
    ).filter(exists);
  const folders = (env.PATH ?? '').split(':').filter(Boolean);
  return COMMANDS.flatMap((command) => folders.map((folder) => path.posix.join(folder, command))).filter(exists);
}

/** The places to look at, in turn. Each is looked at when those before it gave nothing. */
const PLACES: readonly ((machine: Machine) => Promise<readonly string[]>)[] = [
  async (machine) => installed(machine),
  async (machine) => [machine.downloaded()].filter(machine.exists),
  async (machine) => (machine.platform === 'linux' && machine.arch === 'x64' ? [await machine.unpack()] : []),
  async (machine) => {
    if (!machine.isDebianAsRoot) return [];
    await machine.install();
    return installed(machine);
  },
];

const ADVICE =
  'The tests need a browser. Install Chrome, Chromium or Edge, or run `npx playwright-core install chromium`' +
  ' (`--with-deps` as root on Linux).';

/** A browser that has started, and where it is. */
export async function startOn(machine: Machine): Promise<{ browser: Browser; executablePath: string }> {
  const problems: string[] = [];
  for (const look of PLACES)
    try {
      for (const executablePath of await look(machine))
        try {
          return { browser: await machine.launch(executablePath), executablePath };
        } catch (error) {
          problems.push(`${executablePath} does not start: ${firstLines(error)}`);
        }
    } catch (error) {
      problems.push(firstLines(error));
    }
  throw new Error([ADVICE, ...problems].join('\n'));
}

const firstLines = (error: unknown): string =>
  String((error as Error).message)
    .split('\n')
    .slice(0, 8)
    .join('\n  ');

const require = createRequire(import.meta.url);
const run = promisify(execFile);

/** Unpacked once for the installed packages: other processes see a file when it is whole. */
async function unpack(): Promise<string> {
  const folder = path.join(path.dirname(require.resolve('@sparticuz/chromium')), '../..');
  const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const cache = fileURLToPath(new URL('../../node_modules/.cache/sheaf-browser', import.meta.url));
  const unpacked = path.join(cache, `chromium-${version}`);
  if (existsSync(unpacked)) return unpacked;
  mkdirSync(cache, { recursive: true });
  const part = `${unpacked}.${process.pid}.tmp`;
  try {
    await pipeline(
      createReadStream(path.join(folder, 'bin/chromium.br')),
      createBrotliDecompress(),
      createWriteStream(part, { mode: 0o755 }),
    );
    renameSync(part, unpacked);
  } finally {
    rmSync(part, { force: true });
  }
  return unpacked;
}

/** Waits for others that install: several test files may come here at once. */
const APT = ['-o', 'DPkg::Lock::Timeout=600', '-qq', '-y'];

async function install(): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const getChromium = () => run('apt-get', [...APT, 'install', '--no-install-recommends', 'chromium'], { env });
  // A container may have no list of packages yet.
  await getChromium().catch(() => run('apt-get', [...APT, 'update'], { env }).then(getChromium));
}

const HERE: Machine = {
  platform: process.platform,
  arch: process.arch,
  env: process.env,
  isDebianAsRoot: process.getuid?.() === 0 && isDebian(),
  exists: existsSync,
  downloaded: () => chromium.executablePath(),
  unpack,
  install,
  launch: (executablePath) =>
    chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu', '--js-flags=--min-semi-space-size=32'],
      headless: true,
    }),
};

function isDebian(): boolean {
  return existsSync('/etc/os-release') && /^ID=debian$/m.test(readFileSync('/etc/os-release', 'utf8'));
}

let found: string | null = null;

/** Starts a browser. Whoever starts one closes it. */
export async function launchBrowser(): Promise<Browser> {
  if (found !== null) return HERE.launch(found);
  const { browser, executablePath } = await startOn(HERE);
  found = executablePath;
  return browser;
}
