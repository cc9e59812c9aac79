// Uploads in turn, a few at a time, each with its progress. One that fails leaves the others alone.
import { errorMessage } from '../../../src/type-guards.ts';
import type { StoredFile } from './file.ts';

/** Sends one file. */
export type Send = (
  file: File,
  options: { readonly onProgress: (sent: number) => void; readonly signal: AbortSignal },
) => Promise<StoredFile>;

export interface Upload {
  readonly key: number;
  readonly name: string;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed';
  /** From 0 to 1. */
  readonly sent: number;
  /** Why it failed. */
  readonly error: string | null;
}

/** So many at a time; the server takes them in turn anyway. */
const AT_ONCE = 3;

interface Entry {
  shown: Upload;
  /** Until whoever waits for it is told. */
  stored: StoredFile | null;
  readonly file: File;
  readonly controller: AbortController;
}

export class UploadQueue {
  readonly #send: Send;
  readonly #onStored: (file: StoredFile) => void;
  readonly #listeners = new Set<() => void>();
  #entries: Entry[] = [];
  #shown: readonly Upload[] = [];
  #last = 0;

  constructor(send: Send, onStored: (file: StoredFile) => void) {
    this.#send = send;
    this.#onStored = onStored;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): readonly Upload[] => this.#shown;

  /** `refusal` says why a file is not even sent; null where it is. */
  add(files: readonly File[], refusal: (file: File) => string | null = () => null): void {
    for (const file of files) {
      this.#last += 1;
      const error = refusal(file);
      const state = error === null ? 'waiting' : 'failed';
      const shown: Upload = { key: this.#last, name: file.name, state, sent: 0, error };
      this.#entries.push({ shown, stored: null, file, controller: new AbortController() });
    }
    this.#next();
  }

  /** Ends those that are under way, and takes them from the list; also those that have ended. */
  remove(...keys: readonly number[]): void {
    const gone = this.#entries.filter(({ shown }) => keys.includes(shown.key));
    for (const entry of gone) this.#tellStored(entry);
    this.#entries = this.#entries.filter((entry) => !gone.includes(entry));
    for (const { controller } of gone) controller.abort();
    this.#next();
  }

  #next(): void {
    const sending = this.#entries.filter(({ shown }) => shown.state === 'sending').length;
    const waiting = this.#entries.filter(({ shown }) => shown.state === 'waiting');
    for (const entry of waiting.slice(0, AT_ONCE - sending)) void this.#run(entry);
    this.#tell();
  }

  async #run(entry: Entry): Promise<void> {
    const change = (changed: Partial<Upload>): void => {
      entry.shown = { ...entry.shown, ...changed };
    };
    change({ state: 'sending' });
    try {
      entry.stored = await this.#send(entry.file, {
        signal: entry.controller.signal,
        onProgress: (sent) => {
          change({ sent });
          this.#tell();
        },
      });
      change({ state: 'done', sent: 1 });
    } catch (error) {
      change({ state: 'failed', error: errorMessage(error) });
    }
    // In the order in which they were chosen, whichever is sent first.
    for (const one of this.#entries) {
      if (one.shown.state === 'waiting' || one.shown.state === 'sending') break;
      this.#tellStored(one);
    }
    this.#next();
  }

  #tellStored(entry: Entry): void {
    if (entry.stored) this.#onStored(entry.stored);
    entry.stored = null;
  }

  #tell(): void {
    this.#shown = this.#entries.map(({ shown }) => shown);
    for (const listener of this.#listeners) listener();
  }
}
