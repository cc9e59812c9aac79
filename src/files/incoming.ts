// Bytes that have arrived and are not stored yet: under a temporary name, gone when the work on them is over.
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
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

/** Temporary files of one request. */
export class Scratch {
  readonly #storage: FileStorage;
  readonly #paths: string[] = [];

  constructor(storage: FileStorage) {
    this.#storage = storage;
  }

  /** A new temporary name. */
  path(): string {
    const made = path.join(this.#storage.incoming, randomBytes(12).toString('hex'));
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
