// Runs every command in the README and in docs/: what is shown there works as it is written. Blocks are found by
// themselves, so a new page needs nothing here, unless it shows something that cannot be run in a test.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadModel } from '../src/model/build.ts';
import { tablesOf } from '../src/model/tables.ts';
import { useCommands } from './support/commands.ts';
import { describeAcrossDatabases, FIXTURE, GUIDE } from './support/database.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MAIN = path.join(ROOT, 'dist/main.js');
/** Followed from its first line to its last by test/newcomer.test.ts. */
const TUTORIAL = 'tutorial.md';
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(path.join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== TUTORIAL)
    .map((name) => `docs/${name}`),
];

/** What is not run here, and why. Each must be met. */
const NOT_RUN: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm (ci|start|test|run|pack)\b/, 'is how these tests themselves are built, or test/package.test.ts runs it'],
  [/^npm install sheaf\b|^sheaf dev\b|dev-token\b/, 'begins a project of its own; test/newcomer.test.ts runs it'],
  [/^npx vitest run\b/, 'is how these tests themselves are run'],
  [/^docker\b/, 'needs a container engine; test/package.test.ts runs the steps of the Dockerfile'],
  [/^npm install @opentelemetry/, 'changes what is installed; test/traces.test.ts uses these packages'],
  [/^sudo\b/, 'changes the machine'],
  [/^(systemctl|journalctl)\b/, 'needs systemd'],
  [/^(pg_dump|pg_restore|createdb)\b/, 'needs the programs of PostgreSQL'],
  [/^sheaf compare\b/, 'needs a running Strapi; test/compare.test.ts runs it'],
  [/^sheaf types\b.* --watch$/, 'goes on until it is stopped; test/typing.test.ts does the same'],
  [/^sheaf schema apply --allow\b/, 'needs a changed definition; test/model-changes.test.ts runs it'],
];

/** Commands that act on what an earlier one has made, and that one. */
const BEFORE: readonly (readonly [command: RegExp, setUp: readonly string[]])[] = [
  [
    /^sheaf user (block|unblock|password|role|delete) ann\b/,
    ['user', 'create', '--username', 'ann', '--email', 'ann@example.com'],
  ],
  [/^sheaf admin reset ann\b/, ['admin', 'create', '--email', 'ann@example.com']],
  [/^sheaf (user role ann|role delete) reviewer\b/, ['role', 'create', 'Reviewer']],
  [/^sheaf role grant editor\b/, ['role', 'create', 'Editor']],
  [/^sheaf token revoke website\b/, ['token', 'create', 'website']],
  [/^sheaf explain --example\b/, ['schema', 'apply', '--example']],
  [/^sheaf type add author name:string! 'articles:/, ['init']],
  [/^install -m 600 content-backup\.db\b/, ['backup', 'content-backup.db']],
];

/** Commands that end with another code than 0, and what they say. */
const OTHER_CODES: readonly (readonly [command: RegExp, code: number, text: RegExp])[] = [
  [/^sheaf schema undo\b/, 1, /There is no change to take back/],
  [/^sheaf hooks (retry|drop) 12\b/, 1, /There is no event 12 that has failed/],
  [/^sheaf locale remove fr(?! --)/, 1, /There is content in fr/],
];

/** Commands that ask whoever sits at a terminal. */
const ASKS = /^sheaf (user delete|locale remove \w+ --delete-entries)\b/;

/** What the pages name, and what stands for it here. The current folder is the project. */
const STAND_INS: readonly (readonly [RegExp, string])[] = [
  [/^npx sheaf\b/, 'sheaf'],
  [/(--(?:project|database)) …/g, ''],
  [/(?:\/srv\/my-project|\.\/my-project|\/srv\/cms|\.\.\/my-strapi)(?=[\s/']|$)/g, '.'],
  [/\bmy-project\//g, './'],
  [/\/backup\//g, './backup/'],
  [/--port \d+/g, '--port 0'],
];

interface ShownCommand {
  readonly page: string;
  readonly line: number;
  readonly text: string;
}

/** Blocks of shell commands, each with its commands: lines that end in a backslash, and here-documents, are one. */
function blocksOf(page: string): ShownCommand[][] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  return [...text.matchAll(/^( *)```(?:sh|bash)\n([\s\S]*?)^ *```$/gm)].map(
    ({ 1: indent = '', 2: block = '', index }) => {
      const first = text.slice(0, index).split('\n').length + 1;
      const commands: ShownCommand[] = [];
      let [waiting, end] = ['', ''];
      for (const [number, whole] of block.split('\n').entries()) {
        const line = whole.slice(indent.length);
        waiting += waiting === '' ? line : `\n${line}`;
        end ||= /<<(\w+)$/.exec(line)?.[1] ?? '';
        if (line.endsWith('\\') || (end !== '' && line !== end)) continue;
        const command = waiting.trim();
        if (command !== '' && !command.startsWith('#')) commands.push({ page, line: first + number, text: command });
        [waiting, end] = ['', ''];
      }
      return commands;
    },
  );
}

const withStandIns = (text: string): string =>
  STAND_INS.reduce((command, [pattern, replacement]) => command.replace(pattern, replacement), text);

const reasonFor = (command: string): string | undefined => NOT_RUN.find(([pattern]) => pattern.test(command))?.[1];

const BLOCKS = PAGES.flatMap(blocksOf);
const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-documentation-'));
const started = new Set<ChildProcess>();
afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
const run = useCommands();

/** Enough for whatever a command asks for. */
const INPUT = 'Correct horse battery staple 1\ny\ny\n';

/** Starts a server; the lines that it prints, and how it is stopped. */
async function start(words: readonly string[], cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd,
    env: { PATH: process.env.PATH, LOG_LEVEL: 'error', PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.add(child);
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  const lines: string[] = [];
  child.stderr.on('data', (text) => lines.push(String(text)));
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line.startsWith('Stop with')) break;
  }
  const stop = (): Promise<number | null> => {
    child.kill('SIGTERM');
    return ended;
  };
  return { text: lines.join('\n'), stop };
}

/** What is wrong with a start, by its words and variables: one that several pages show is started once. */
const starts = new Map<string, string | null>();

async function faultOfStart(words: readonly string[], cwd: string, set: Readonly<Record<string, string>>) {
  // Each page has a database of PostgreSQL of its own.
  const key = JSON.stringify([words.map((word) => word.replace(/^postgres:.*/, 'postgres:')), set]);
  if (!starts.has(key)) {
    const server = await start(words, cwd, set);
    const code = await server.stop();
    starts.set(key, code === 0 && server.text.includes('Stop with') ? null : server.text);
  }
  return starts.get(key)!;
}

const BASE = path.join(folder, 'base');
let copies = 0;

/** A folder with the guide and its content, as a start leaves it. */
async function makeBase(): Promise<void> {
  cpSync(GUIDE, BASE, { recursive: true, filter: (file) => path.basename(file) !== '.sheaf' });
  for (const name of ['.tmp', 'backup', 'pictures']) mkdirSync(path.join(BASE, name));
  cpSync(FIXTURE, path.join(BASE, '.tmp/data.db'));
  await run(['schema', 'apply'], { cwd: BASE });
  cpSync(path.join(BASE, '.tmp/data.db'), path.join(BASE, 'data.db'));
  writeFileSync(path.join(BASE, 'password.txt'), INPUT);
}

function freshProject(): string {
  const project = path.join(folder, `project-${++copies}`);
  cpSync(BASE, project, { recursive: true });
  return project;
}

/**
 * The words of each call of a program in a command line, as the shell makes them: `sheaf` and `curl` are functions that
 * write down what they are called with. Other programs run.
 */
function callsIn(command: string, cwd: string, variables: Readonly<Record<string, string>>): string[][] {
  const calls = path.join(cwd, '.calls');
  writeFileSync(calls, '');
  const note = (name: string): string => `${name}() { printf '%s\\0' ${name} "$@" >> .calls; printf '\\1' >> .calls; }`;
  execFileSync('sh', ['-ec', `${note('sheaf')}\n${note('curl')}\n${command}`], {
    cwd,
    env: { PATH: process.env.PATH, ...variables },
    stdio: 'pipe',
  });
  const text = readFileSync(calls, 'utf8');
  rmSync(calls);
  return text
    .split('\u0001')
    .filter((call) => call !== '')
    .map((call) => call.slice(0, -1).split('\0'));
}

describeAcrossDatabases('The commands in the documentation', ([, postgres]) => {
  let variables: Record<string, string> = {};
  let address = '';

  beforeAll(async () => {
    await makeBase();
    const guide = path.join(folder, 'guide');
    mkdirSync(guide);
    const { text } = await start(['start', '--example'], guide, {});
    address = /^\s+at\s+(http:\S+)/m.exec(text)![1]!;
    await run(['role', 'grant', 'editor', 'plugin::users-permissions.user.create', '--yes', '--example'], {
      cwd: guide,
    });
    const drafts = await fetch(`${address}/api/articles?status=draft&filters[title]=Work%20in%20progress`);
    const { data } = (await drafts.json()) as { data: { documentId: string }[] };
    variables = { TOKEN: /TOKEN=(\S+)/.exec(text)![1]!, DOCUMENT_ID: data[0]!.documentId };
  });

  /** What is wrong with a call; null where it did what it should. */
  async function fault([program, ...words]: readonly string[], command: string, cwd: string): Promise<string | null> {
    if (program === 'curl') {
      const targeted = words.map((word) => word.replace('http://127.0.0.1:1337', address));
      const out = execFileSync('curl', ['-sS', '-w', '\n%{http_code}', ...targeted], {
        encoding: 'utf8',
        stdio: 'pipe',
      });
      return /\n2\d\d$/.test(out) ? null : out;
    }
    const [, env = ''] = /^((?:[A-Z_]+=\S+ )*)/.exec(command)!;
    const set = Object.fromEntries(
      env
        .trim()
        .split(' ')
        .filter(Boolean)
        .map((pair) => pair.split('=') as [string, string]),
    );
    if (words[0] === 'start') return faultOfStart(words, cwd, set);
    const { code, out, err } = await run([...words, ...(ASKS.test(command) ? ['--yes'] : [])], {
      cwd,
      input: INPUT,
      env: set,
    });
    const [, expected = 0, text = /^/] = OTHER_CODES.find(([pattern]) => pattern.test(command)) ?? [];
    return code === expected && text.test(out + err) ? null : `ended with ${code}: ${out}${err}`;
  }

  it.each(PAGES)('are right in %s', async (page) => {
    const faults: string[] = [];
    const database = postgres!.freshDatabaseUrl();
    for (const block of BLOCKS.filter(([first]) => first?.page === page)) {
      const cwd = freshProject();
      // Definitions are written into a project that has none.
      if (/^sheaf (type|component) add\b/.test(withStandIns(block[0]!.text)))
        rmSync(path.join(cwd, 'src'), { recursive: true });
      for (const { line, text } of block) {
        const command = withStandIns(text).replace(/'?postgres:\/\/(?:sheaf:secret@\S+?|…)'?(?=\s|$)/g, database);
        if (reasonFor(command) !== undefined) continue;
        for (const [pattern, setUp] of BEFORE) if (pattern.test(command)) await run(setUp, { cwd, input: INPUT });
        const calls = callsIn(command, cwd, variables);
        for (const call of calls) {
          const found = await fault(call, command, cwd);
          if (found !== null) faults.push(`${page}:${line}: ${text}\n${found}`);
        }
      }
    }
    expect(faults).toEqual([]);
  });
});

describe('The check of the documentation', () => {
  it('finds the blocks of all pages, and no exception that nothing needs', () => {
    const commands = BLOCKS.flat().map(({ text }) => withStandIns(text));
    expect(commands.length).toBeGreaterThan(60);
    expect(commands.filter((command) => command.startsWith('curl')).length).toBeGreaterThanOrEqual(7);
    const unused = [...NOT_RUN, ...BEFORE, ...OTHER_CODES].filter(
      ([pattern]) => !commands.some((one) => pattern.test(one)),
    );
    expect(unused.map(([pattern]) => String(pattern))).toEqual([]);
  });
});

describe('The tables that a start adds', () => {
  it('are as many as docs/operations.md announces, and all in its list', () => {
    const text = readFileSync(path.join(ROOT, 'docs/operations.md'), 'utf8');
    const [, adopting = ''] = text.split('## Adopting a database');
    const [section = ''] = adopting.split('\n## ');
    const own = tablesOf(loadModel(GUIDE))
      .map(({ name }) => name)
      .filter((name) => name.startsWith('sheaf_'));
    const listed = [...section.matchAll(/^\| `(sheaf_\w+)` +\|/gm)].map(([, name]) => name!);
    expect(listed.toSorted()).toEqual(own.toSorted());
    const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
    expect(section).toContain(`${words[own.length]} tables and some indexes`);
  });
});
