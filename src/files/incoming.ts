// Bytes that have arrived and are not stored yet: under a temporary name, gone when the work on them is over.
import { hash, randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { MAX_UPLOAD_MS } from '../limits.ts';
import { errorCode } from '../type-guards.ts';
import { tooLarge } from './file-types.ts';
import { makeIncoming } from './local-storage.ts';
import type { FileStorage } from './storage.ts';

/** A file on disk, under a temporary name. */
export interface ReceivedFile {
  readonly path: string;
  /** As the client sent it. */
  readonly name: string;
  /** As the client says. */
  readonly mime: string | null;
  readonly size: number;
}

/** Names the machine and the process that temporary files belong to. */
const OWNER = `${hash('sha256', os.hostname(), 'hex').slice(0, 8)}-${process.pid}`;

/** Temporary files whose process has ended, or of another machine and older than any upload. */
export async function staleFiles(storage: FileStorage): Promise<string[]> {
  const names = await readdir(storage.incoming).catch(() => []);
  const stale: string[] = [];
  for (const name of names) {
    const file = path.join(storage.incoming, name);
    const [machine, pid] = name.split('-');
    const isOurs = machine === OWNER.split('-')[0];
    const found = await stat(file).catch(() => null);
    if (found && (isOurs ? !isRunning(Number(pid)) : Date.now() - found.mtimeMs > MAX_UPLOAD_MS)) stale.push(file);
  }
  return stale;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Pieces of uploads, of 64 kB, that are passed on in one turn, and the milliseconds until the next one. Meanwhile others
 * are answered, and a process that rests is woken sooner on a busy machine. It makes about 115 MB a second.
 */
const PIECES_IN_A_TURN = 2;
const REST_MS = 1;

/** Lets many uploads at a time take turns. What is not passed on is not read from its connection. */
class Pace {
  readonly #waiting: (() => void)[] = [];

  turn(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#waiting.push(resolve) === 1) setTimeout(() => this.#release(), REST_MS);
    });
  }

  #release(): void {
    for (const next of this.#waiting.splice(0, PIECES_IN_A_TURN)) next();
    if (this.#waiting.length > 0) setTimeout(() => this.#release(), REST_MS);
  }
}

const pace = new Pace();

/** Temporary files of one request. */
export class Scratch {
  readonly #storage: FileStorage;
  readonly #paths: string[] = [];

  constructor(storage: FileStorage) {
    this.#storage = storage;
  }

  /** A new temporary name. */
  path(): string {
    const made = path.join(this.#storage.incoming, `${OWNER}-${randomBytes(12).toString('hex')}`);
    this.#paths.push(made);
    return made;
  }

  /** Writes a stream to disk, as far as it is not larger than allowed. */
  async receive(
    source: Readable,
    { name, mime }: { readonly name: string; readonly mime: string | null },
    maxBytes: number,
  ): Promise<ReceivedFile> {
    await makeIncoming(this.#storage);
    const file = this.path();
    let size = 0;
    await pipeline(
      source,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          size += chunk.length;
          if (size > maxBytes) throw tooLarge(name, maxBytes);
          await pace.turn();
          yield chunk;
        }
      },
      createWriteStream(file, { flush: true }),
    );
    return { path: file, name, mime, size };
  }

  /** Removes what was not stored. */
  async clear(): Promise<void> {
    for (const file of this.#paths.splice(0)) await rm(file, { force: true });
  }
}
