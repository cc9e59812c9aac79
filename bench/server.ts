// The servers under test as child processes: started on any free port, known by the address they print, and ended
// with this process however it ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import os from 'node:os';
import path from 'node:path';

const START_LIMIT_MS = 15_000;
const STOP_LIMIT_MS = 3_000;
const ANSWER_LIMIT_MS = 30_000;

const running = new Set<ChildProcess>();
const logFolders = new Set<string>();
// Only what cannot wait is allowed here; the signals below end the process and so come through it.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
  for (const folder of logFolders) rmSync(folder, { recursive: true, force: true });
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

/** Something the benchmark cannot go on with, in words for whoever runs it. */
export class BenchError extends Error {}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export class Server {
  readonly name: string;
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #errors: () => string;

  private constructor(name: string, address: string, child: ChildProcess, errors: () => string) {
    this.name = name;
    this.address = address;
    this.#child = child;
    this.#errors = errors;
  }

  /** Runs node with the given words and waits for the address on its output. */
  static start(name: string, words: readonly string[], folder: string): Promise<Server> {
    // The log goes to a file: whoever reads it takes time from those who measure.
    const logs = mkdtempSync(path.join(os.tmpdir(), 'sheaf-bench-log-'));
    logFolders.add(logs);
    const log = path.join(logs, 'log');
    const standardError = openSync(log, 'w');
    const child = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', standardError] });
    closeSync(standardError);
    running.add(child);
    let output = '';
    const errors = (): string => readFileSync(log, 'utf8').slice(-4_000);
    return new Promise((resolve, reject) => {
      const fail = (what: string) => {
        clearTimeout(timer);
        child.kill('SIGKILL');
        reject(new BenchError(`${name} ${what}${said(errors())}`));
      };
      const timer = setTimeout(() => fail(`printed no address within ${START_LIMIT_MS} ms`), START_LIMIT_MS);
      child.once('error', (error) => fail(`could not be started: ${error.message}`));
      child.once('exit', (code, signal) => {
        running.delete(child);
        fail(`ended on its start (${signal ?? code})`);
      });
      child.stdout!.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const address = /http:\/\/[\w.:[\]-]+(?=\s)/.exec(output)?.[0];
        if (!address) return;
        clearTimeout(timer);
        child.stdout!.removeAllListeners('data').resume();
        resolve(new Server(name, address, child, errors));
      });
    });
  }

  /** The answer to a path; an answer other than 200 is an error. */
  async get(path: string): Promise<Answer> {
    let answer: Answer;
    try {
      answer = await get(this.address + path);
    } catch (error) {
      throw this.failure(`gave no answer to ${path}: ${(error as Error).message}`);
    }
    if (answer.status !== 200)
      throw this.failure(`answered ${answer.status} to ${path}\n${answer.body.slice(0, 1_000)}`);
    return answer;
  }

  failure(what: string): BenchError {
    const { exitCode, signalCode } = this.#child;
    const ended = exitCode === null && signalCode === null ? '' : ` (it has ended: ${signalCode ?? exitCode})`;
    return new BenchError(`${this.name} ${what}${ended}${said(this.#errors())}`);
  }

  /** Megabytes resident, in all and without what it maps from files; null where the system does not say. */
  memory(): { readonly all: number; readonly own: number } | null {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8');
      const megabytes = (field: string): number =>
        (Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024) / 1_000_000;
      return { all: megabytes('VmRSS'), own: megabytes('RssAnon') };
    } catch {
      return null;
    }
  }

  /** Megabytes of its own, and of the processes it started, without what they map from files. */
  familyMegabytes(): number {
    const pids = readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && (Number(name) === this.#child.pid || parentOf(Number(name)) === this.#child.pid),
    );
    return pids.reduce((total, pid) => total + ownMegabytes(pid), 0);
  }

  /** Processor time that it and the workers it started have taken so far. */
  processorSeconds(): number {
    return processorSeconds(({ pid, parent }) => pid === this.#child.pid || parent === this.#child.pid);
  }

  /** Processor time that its first thread, which answers, has taken so far; not a number where the system does not say. */
  threadSeconds(): number {
    try {
      const [nanoseconds] = readFileSync(`/proc/${this.#child.pid}/schedstat`, 'utf8').split(' ');
      return Number(nanoseconds) / 1e9;
    } catch {
      return Number.NaN;
    }
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (!running.has(child)) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(timer);
  }
}

function ownMegabytes(pid: string): number {
  try {
    return (Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) * 1024) / 1_000_000;
  } catch {
    // It has ended since.
    return 0;
  }
}

/** Megabytes of their own of all processes with a name. */
export function megabytesOf(name: string): number {
  const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && nameOf(pid) === name);
  return pids.reduce((total, pid) => total + ownMegabytes(pid), 0);
}

function nameOf(pid: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    // It has ended since.
    return null;
  }
}

interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
}

/** The process that started another one; 0 where the system does not say. */
export function parentOf(pid: number): number {
  try {
    return Number(/\) \S+ (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))![1]);
  } catch {
    return 0;
  }
}

/** Processor time of a process, of those it started and of those among them that have ended, as Linux tells it. */
export function familySeconds(root: number): number {
  const living = processorSeconds(({ pid, parent }) => pid === root || parent === root);
  try {
    const fields = /\) (.*)/s.exec(readFileSync(`/proc/${root}/stat`, 'utf8'))![1]!.split(' ');
    return living + (Number(fields[13]) + Number(fields[14])) / 100;
  } catch {
    return living;
  }
}

/** Processor time of processes so far, in clocks of 100 ticks a second as Linux has them; not a number elsewhere. */
export function processorSeconds(isMeant: (process: Process) => boolean): number {
  if (!existsSync('/proc/self/stat')) return Number.NaN;
  let ticks = 0;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [, name, rest] = /\((.*)\) (.*)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!;
      const fields = rest!.split(' ');
      if (isMeant({ pid: Number(pid), name: name!, parent: Number(fields[1]) }))
        ticks += Number(fields[11]) + Number(fields[12]);
    } catch {
      // It has ended since.
    }
  }
  return ticks / 100;
}

const said = (errors: string): string => (errors.trim() === '' ? '' : `\nIt said:\n${errors.trim()}`);

function get(url: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // No shared agent: a connection kept open would hold up the server's stop.
    const sent = request(url, { agent: false, timeout: ANSWER_LIMIT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${ANSWER_LIMIT_MS} ms`)));
    sent.on('error', reject);
    sent.end();
  });
}
