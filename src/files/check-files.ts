// Compares rows of files with the bytes that are stored: rows without bytes, bytes without rows, sizes that differ, and
// what interrupted uploads left behind. Runs beside a server: what was stored a moment ago is looked at again.
import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { isObject } from '../type-guards.ts';
import { kilobytes } from './file-names.ts';
import type { Files } from './files.ts';
import { staleFiles } from './incoming.ts';

/** What is wrong with the bytes of a row: `key` is missing, or has another size. */
export interface WrongFile {
  readonly id: number;
  readonly documentId: string;
  readonly key: string;
  /** Null for the file itself. */
  readonly format: string | null;
}

export interface FileFindings {
  /** Rows that were looked at. */
  readonly files: number;
  /** Objects that are stored. */
  readonly objects: number;
  /** Rows whose bytes are not there. */
  readonly missing: readonly WrongFile[];
  /** Rows that say another size than their bytes have. */
  readonly different: readonly (WrongFile & { readonly size: number })[];
  /** Keys of bytes that no row has. */
  readonly unknown: readonly string[];
  /** Temporary files of uploads that were interrupted. */
  readonly leftovers: readonly string[];
}

export interface CheckOptions {
  /** Is told how many rows were looked at. */
  readonly onProgress?: (files: number) => void;
  /** Milliseconds after which bytes without a row are taken for forgotten: a row is written right after its bytes. */
  readonly settleMs?: number;
}

const ROWS_AT_ONCE = 1_000;
const SETTLE_MS = 10_000;

/** The bytes that a row stands for. */
interface ExpectedObject extends WrongFile {
  /** What the row says. */
  readonly hasSize: (bytes: number) => boolean;
}

export async function checkFiles(
  files: Files,
  { onProgress = () => undefined, settleMs = SETTLE_MS }: CheckOptions = {},
): Promise<FileFindings> {
  const stored = new Map<string, { readonly size: number; readonly since: number }>();
  for await (const { key, size, since } of files.storage.list()) stored.set(key, { size, since });
  const unknown = new Map(stored);
  const suspects: ExpectedObject[] = [];
  let count = 0;
  for await (const row of rowsOf(files)) {
    for (const expected of row) {
      unknown.delete(expected.key);
      const found = stored.get(expected.key);
      if (!found || !expected.hasSize(found.size)) suspects.push(expected);
    }
    onProgress(++count);
  }
  await forgetNew(files, unknown, settleMs);
  return {
    files: count,
    objects: stored.size,
    ...(await confirmed(files, suspects)),
    unknown: [...unknown.keys()],
    leftovers: await staleFiles(files.storage),
  };
}

/** Bytes may be those of an upload under way: they are looked at again when its row must be there. */
async function forgetNew(
  files: Files,
  unknown: Map<string, { readonly since: number }>,
  settleMs: number,
): Promise<void> {
  const newest = Math.max(0, ...[...unknown.values()].map(({ since }) => since));
  const rest = newest + settleMs - Date.now();
  if (unknown.size === 0 || rest <= 0) return;
  await wait(Math.min(rest, settleMs));
  for await (const row of rowsOf(files)) for (const { key } of row) unknown.delete(key);
}

/** What is still so: rows and bytes may have come and gone since they were listed. */
async function confirmed(
  files: Files,
  suspects: readonly ExpectedObject[],
): Promise<Pick<FileFindings, 'missing' | 'different'>> {
  const missing: WrongFile[] = [];
  const different: (WrongFile & { size: number })[] = [];
  for (const { hasSize, ...wrong } of suspects) {
    const size = await files.storage.sizeOf(wrong.key);
    if (size !== null && hasSize(size)) continue;
    if ((await files.rowsAfter(wrong.id - 1, 1))[0]?.[0] !== wrong.id) continue;
    if (size === null) missing.push(wrong);
    else different.push({ ...wrong, size });
  }
  return { missing, different };
}

/** The objects of each row that is stored in the place in use. */
async function* rowsOf(files: Files): AsyncGenerator<ExpectedObject[]> {
  let last = 0;
  for (;;) {
    const rows = await files.rowsAfter(last, ROWS_AT_ONCE);
    for (const [id, documentId, url, size, formats, provider] of rows) {
      last = id;
      if (provider !== files.storage.provider) continue;
      const own = { format: null, url, hasSize: (bytes: number) => kilobytes(bytes) === Number(size) };
      yield [own, ...formatsOf(formats)].flatMap(({ format, url: place, hasSize }) => {
        const key = files.storage.keyOf(place);
        return key === null ? [] : [{ id, documentId, key, format, hasSize }];
      });
    }
    if (rows.length < ROWS_AT_ONCE) return;
  }
}

type Formats = Record<string, unknown>;

const parsedFormats = (text: unknown): Formats => {
  const value: unknown = typeof text === 'string' ? JSON.parse(text) : text;
  return isObject(value) ? value : {};
};

function formatsOf(text: unknown) {
  return Object.entries(parsedFormats(text)).flatMap(([format, value]) => {
    if (!isObject(value) || typeof value.url !== 'string') return [];
    // Files of early versions of Strapi say kilobytes alone.
    const { sizeInBytes, size, url } = value;
    const hasSize = (bytes: number): boolean =>
      typeof sizeInBytes === 'number' ? sizeInBytes === bytes : kilobytes(bytes) === Number(size);
    return [{ format, url, hasSize }];
  });
}

/** More of the files than this share are never deleted for want of bytes: their folder is not the right one. */
const MOST_MISSING = 0.5;
const FEW = 10;

/** Whether so many files have no bytes that the place is hardly the one they were stored in. */
export const isElsewhere = ({ files, missing }: FileFindings): boolean => {
  const gone = missing.filter(({ format }) => format === null).length;
  return gone > FEW && gone > files * MOST_MISSING;
};

/** Deletes bytes and rows that lack each other, and corrects rows by their bytes. */
export async function repairFiles(files: Files, findings: FileFindings): Promise<void> {
  for (const key of findings.unknown) await files.storage.delete(key);
  for (const file of findings.leftovers) await rm(file, { force: true });
  const wrong = Map.groupBy([...findings.missing, ...findings.different], ({ id }) => id);
  for (const [id, problems] of wrong) {
    if (problems.some((one) => one.format === null && !('size' in one))) await files.delete(id, { force: true });
    else await correctRow(files, id, problems);
  }
}

async function correctRow(
  files: Files,
  id: number,
  problems: readonly (WrongFile & { readonly size?: number })[],
): Promise<void> {
  const [row] = await files.rowsAfter(id - 1, 1);
  if (row?.[0] !== id) return;
  const formats = parsedFormats(row[4]);
  const values: Record<string, unknown> = {};
  for (const { format, size } of problems)
    if (format === null) values.size = kilobytes(size!);
    else {
      if (size === undefined) delete formats[format];
      else {
        const stored = formats[format];
        formats[format] = { ...(isObject(stored) && stored), size: kilobytes(size), sizeInBytes: size };
      }
      values.formats = formats;
    }
  await files.correct(problems[0]!.documentId, values);
}
