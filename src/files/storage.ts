// Where the bytes of files are kept: the few things that Sheaf asks of a place, be it a folder or a bucket.
import type { Readable } from 'node:stream';

/** Bytes of a file that are stored. */
export interface StoredBytes {
  readonly stream: Readable;
  readonly size: number;
}

/** What is known of stored bytes without reading them. */
export interface StoredObject {
  readonly key: string;
  readonly size: number;
  /** When it was stored, in milliseconds. */
  readonly since: number;
}

export interface FileStorage {
  /** As rows of files name it; Strapi 5 knows its providers by the same names. */
  readonly provider: string;
  /** Whether files are shown by signed URLs only. */
  readonly isPrivate: boolean;
  /** A folder for bytes that are not stored yet. For local files it is in the same file system as they are. */
  readonly incoming: string;
  /** Stores the bytes of a local file, which is gone afterwards, in the place of those that the key had. */
  put(key: string, file: string, mime: string): Promise<void>;
  /** Null where there are none. */
  get(key: string): Promise<StoredBytes | null>;
  /** How many bytes there are; null for none. */
  sizeOf(key: string): Promise<number | null>;
  /** Copies the bytes to a local file; false where there are none. */
  copyTo(key: string, file: string): Promise<boolean>;
  /** Bytes that are not there are no error. */
  delete(key: string): Promise<void>;
  /** The URL that rows hold. */
  url(key: string): string;
  /** The key of such a URL; null for one of another place. */
  keyOf(url: string): string | null;
  /** A URL that opens a private file for some time. */
  signedUrl(key: string): Promise<string>;
  /** Everything that is stored, in no particular order. */
  list(): AsyncIterable<StoredObject>;
  close(): void;
}
