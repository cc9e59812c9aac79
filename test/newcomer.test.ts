// From an empty folder to the first answer, with the files of the package and the commands of the README. The
// dependencies of the checkout stand in for those that npm would install, and the program that npx finds for npx:
// test/package.test.ts packs and installs the package, and runs it by npx.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { variables } from './support/commands.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const root = mkdtempSync(path.join(os.tmpdir(), 'sheaf-test-'));
const packages = path.join(root, 'packages');
const env = variables({ HOME: root, PORT: '0', LOG_LEVEL: 'error', NO_UPDATE_NOTIFIER: '1' });
const withoutNpx = (command: string): string => command.replace(/^npx /, './node_modules/.bin/');
const runIn = (folder: string, command: string, more = {}): string =>
  execFileSync('sh', ['-c', withoutNpx(command)], {
    cwd: folder,
    env: { ...env, ...more },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

afterAll(() => rmSync(root, { recursive: true }));

/** The packages that installing puts into a folder. */
beforeAll(() => {
  const installed = path.join(packages, 'sheaf');
  mkdirSync(path.join(packages, '.bin'), { recursive: true });
  const { files } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
  for (const file of ['package.json', ...files.filter((name) => !name.startsWith('!'))])
    cpSync(path.join(ROOT, file), path.join(installed, file), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(installed, 'node_modules'));
  symlinkSync('../sheaf/dist/main.js', path.join(packages, '.bin/sheaf'));
  chmodSync(path.join(installed, 'dist/main.js'), 0o755);
  symlinkSync(process.execPath, path.join(packages, '.bin/node'));
  symlinkSync(path.join(ROOT, 'node_modules/.bin/tsc'), path.join(packages, '.bin/tsc'));
  for (const name of ['typescript', '@types'])
    symlinkSync(path.join(ROOT, 'node_modules', name), path.join(packages, name));
});

/** As `npm install` of the packed package leaves a folder. */
function installIn(name: string): string {
  const folder = path.join(root, name);
  mkdirSync(folder);
  symlinkSync(packages, path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'package.json'), '{"dependencies": {"sheaf": "file:../sheaf.tgz"}}');
  return folder;
}

/** The commands of the section, one by one. */
function commandsOfReadme(): string[] {
  const [, section = ''] = readFileSync(path.join(ROOT, 'README.md'), 'utf8').split('\n## Begin\n');
  const blocks = [...section.split('\n## ')[0]!.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text]) => text!);
  return blocks
    .flatMap((text) => text.replaceAll('\\\n', ' ').trim().split('\n'))
    .map((line) => line.replace(/ +#.*$/, ''));
}

/** Starts a server and resolves with the lines that it prints until it can be stopped. */
async function start(folder: string, command: string) {
  const child = spawn('sh', ['-c', withoutNpx(command)], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const seen = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const line = lines.find((one) => pattern.test(one));
      if (line !== undefined) return line;
      await once(reader, 'line');
    }
  };
  const stop = async (): Promise<void> => {
    // The shell and the server.
    process.kill(-child.pid!, 'SIGTERM');
    await once(child, 'exit');
  };
  return { lines, seen, stop };
}

it('An empty folder answers after three commands of the README', async () => {
  const [install, init, dev, curl, addType, ...rest] = commandsOfReadme();
  expect([install, init, dev, rest]).toEqual(['npm install sheaf', 'npx sheaf init', 'npx sheaf dev', []]);
  const folder = installIn('site');
  const run = (command: string, more = {}): string => runIn(folder, command, more);
  expect(run(init!)).toContain('src/api/article/content-types/article/schema.json');
  const { lines, seen, stop } = await start(folder, dev!);
  try {
    await seen(/Stop with Ctrl\+C/);
    const [, address] = /Serving article at (\S+)/.exec(lines.join('\n'))!;
    const first = run(curl!.replace('http://127.0.0.1:1337', address!));
    expect(JSON.parse(first)).toMatchObject({ data: { id: 1, title: 'Hello' } });
    const [, token] = /TOKEN=(\w+)/.exec(lines.join('\n'))!;
    const requests = lines.filter((line) => line.startsWith('  curl '));
    expect(requests).toHaveLength(3);
    const answers = requests.map((request) => JSON.parse(run(request, { TOKEN: token })));
    expect(answers).toMatchObject([
      { data: { id: 2, title: 'Hello' } },
      { data: [{ id: 1 }, { id: 2 }] },
      { data: [{ title: 'Hello' }, { title: 'Hello' }] },
    ]);
    run(addType!);
    await seen(/Serving article, author at/);
    const authors = run(`curl '${address}/api/authors' -H "authorization: Bearer $(cat .sheaf/dev-token)"`);
    expect(JSON.parse(authors)).toMatchObject({ data: [] });
  } finally {
    await stop();
  }
  // What editors look for is there.
  const { $schema } = JSON.parse(
    readFileSync(path.join(folder, 'src/api/author/content-types/author/schema.json'), 'utf8'),
  );
  const schema = path.resolve(folder, 'src/api/author/content-types/author', $schema);
  expect(JSON.parse(readFileSync(schema, 'utf8')).title).toContain('A content-type');
});

interface Block {
  readonly kind: string;
  /** The file that it is the content of. */
  readonly file: string | null;
  readonly text: string;
}

it('The tutorial gives what it says, word for word', async () => {
  const page = readFileSync(path.join(ROOT, 'docs/tutorial.md'), 'utf8');
  const blocks = [...page.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(
    ([, kind, file, text]): Block => ({ kind: kind!, file: file ?? null, text: text! }),
  );
  const folder = installIn('tutorial');
  const servers: Awaited<ReturnType<typeof start>>[] = [];
  /** Addresses of the page, and where they are here. */
  const addresses = new Map<string, string>();
  const here = (text: string): string =>
    [...addresses].reduce((all, [shown, real]) => all.replaceAll(shown, real), text);
  let output = '';
  /** What stands in for a package that is installed already, or starts a server; everything else is run. */
  const follow = async (command: string): Promise<string> => {
    if (command.startsWith('npm install')) return '';
    if (command === 'npx sheaf dev') {
      const server = await start(folder, command);
      servers.push(server);
      const [, address] = /Serving article at (\S+)/.exec(await server.seen(/Serving article at/))!;
      addresses.set('http://127.0.0.1:1337', address!);
      return '';
    }
    if (command === 'node page.ts') {
      const server = await start(folder, `${process.execPath} page.ts`);
      servers.push(server);
      addresses.set('http://127.0.0.1:3000', /http:\S+/.exec(await server.seen(/^Open http/))![0]);
      return '';
    }
    const printed = runIn(folder, here(command).replace(/^node /, `${process.execPath} `));
    if (command.includes('type add')) await servers[0]!.seen(/Serving article, author at/);
    return printed;
  };
  try {
    for (const { kind, file, text } of blocks) {
      if (file !== null) writeFileSync(path.join(folder, file), here(text).replace('listen(3000', 'listen(0'));
      else if (kind === 'text') expect(output).toBe(text);
      else if (text.trim() !== 'npx tsc') for (const command of text.trim().split('\n')) output = await follow(command);
    }
    expect(runIn(folder, 'npx tsc')).toBe('');
    const source = readFileSync(path.join(folder, 'page.ts'), 'utf8');
    writeFileSync(path.join(folder, 'page.ts'), source.replace('fields: ["title"]', 'fields: ["titel"]'));
    expect(() => runIn(folder, 'npx tsc')).toThrow();
  } finally {
    for (const server of servers) await server.stop();
  }
});
