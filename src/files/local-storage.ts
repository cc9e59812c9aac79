// Files in a folder of this machine, under the names that Strapi 5 gives them. A name that begins with a dot is ours.
import { createReadStream } from 'node:fs';
import { link, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../type-guards.ts';
import type { FileStorage, StoredBytes, StoredObject } from './storage.ts';

/** What paths of files begin with. */
export const UPLOADS = '/uploads/';
const INCOMING = '.sheaf-incoming';
/** Pictures in other sizes, made on request. */
export const RESIZED = '.sheaf-resized';

export class LocalStorage implements FileStorage {
  readonly provider = 'local';
  readonly isPrivate = false;
  readonly folder: string;
  readonly incoming: string;

  constructor(folder: string) {
    this.folder = folder;
    this.incoming = path.join(folder, INCOMING);
  }

  async put(key: string, file: string): Promise<void> {
    await rename(file, this.#place(key));
    await syncFolder(this.folder);
    await rm(path.join(this.folder, RESIZED, key), { recursive: true, force: true });
  }

  async get(key: string): Promise<StoredBytes | null> {
    try {
      const place = await realpath(this.#place(key));
      // A link that leads out of the folder shows nothing that was uploaded.
      if (path.dirname(place) !== (await realpath(this.folder))) return null;
      const { size } = await stat(place);
      return { stream: createReadStream(place), size };
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async sizeOf(key: string): Promise<number | null> {
    try {
      return (await stat(this.#place(key))).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  }

  async copyTo(key: string, file: string): Promise<boolean> {
    try {
      // Another name for the same bytes: what takes their place is another file.
      await link(this.#place(key), file);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    await rm(this.#place(key), { force: true });
    await rm(path.join(this.folder, RESIZED, key), { recursive: true, force: true });
  }

  url(key: string): string {
    return `${UPLOADS}${key}`;
  }

  keyOf(url: string): string | null {
    const key = url.startsWith(UPLOADS) ? url.slice(UPLOADS.length) : '';
    return isKey(key) ? key : null;
  }

  async signedUrl(key: string): Promise<string> {
    return this.url(key);
  }

  async *list(): AsyncIterable<StoredObject> {
    const entries = await readdir(this.folder, { withFileTypes: true }).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    for (const entry of entries) {
      if (!entry.isFile() || entry.name.startsWith('.')) continue;
      const found = await stat(path.join(this.folder, entry.name)).catch(() => null);
      // When it was moved here, not when it was written.
      if (found) yield { key: entry.name, size: found.size, since: found.ctimeMs };
    }
  }

  close(): void {}

  #place(key: string): string {
    if (!isKey(key)) throw new Error('a file was to be stored under a name that leads elsewhere');
    return path.join(this.folder, key);
  }
}

/** Whether it names a file in the folder itself. */
const isKey = (key: string): boolean => key !== '' && !key.startsWith('.') && !/[/\\\0]/.test(key);

export const isMissing = (error: unknown): boolean => {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
};

/** So that a file which was moved into the folder is there after a power cut as well. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes the folders that are needed to store files. */
export const makeIncoming = (storage: FileStorage): Promise<string | undefined> =>
  mkdir(storage.incoming, { recursive: true });
