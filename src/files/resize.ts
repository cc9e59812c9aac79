// Pictures in other sizes and formats, as a request for one asks: those that the project lists, and no others. Each is made
// once and kept beside the files.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { validationError } from '../errors.ts';
import { MAX_PICTURE_PIXELS, MAX_RESIZED_PICTURES } from '../limits.ts';
import type { ResizeSettings } from '../project/file-settings.ts';
import type { QueryObject } from '../request/query-string.ts';
import { RESIZED } from './local-storage.ts';
import { loadSharp, pictureWork } from './pictures.ts';

/** What is asked for. */
export interface Resizing {
  /** Null: as wide as it is. */
  readonly width: number | null;
  /** Null: as it is. */
  readonly format: ResizeSettings['formats'][number] | null;
  readonly quality: number;
}

const PICTURE = /\.(?:jpe?g|png|webp|tiff?|gif|avif)$/i;
const FORMATS: Readonly<Record<string, Resizing['format']>> = {
  '.jpg': 'jpeg',
  '.jpeg': 'jpeg',
  '.png': 'png',
  '.webp': 'webp',
  '.avif': 'avif',
};

/** Null where a request asks for the file as it is. Refuses what the project does not list. */
export function parseResizing(query: QueryObject, settings: ResizeSettings): Resizing | null {
  const { width, format, quality } = query;
  if (width === undefined && format === undefined && quality === undefined) return null;
  const number = (key: string, given: unknown, allowed: readonly number[]): number => {
    const value = Number(given);
    if (!allowed.includes(value)) throw notListed(key, allowed);
    return value;
  };
  const found = settings.formats.find((one) => one === format);
  if (format !== undefined && found === undefined) throw notListed('format', settings.formats);
  return {
    width: width === undefined ? null : number('width', width, settings.widths),
    format: found ?? null,
    quality: quality === undefined ? settings.qualities[0]! : number('quality', quality, settings.qualities),
  };
}

const notListed = (key: string, allowed: readonly unknown[]) =>
  validationError(`Invalid value for ${key}: expected one of ${allowed.join(', ')}`, {
    key,
    source: 'query',
    param: key,
  });

/** The file that shows a picture as asked for, made where it is missing; null for what is no picture. */
export async function resizedFile(folder: string, name: string, asked: Resizing): Promise<string | null> {
  if (!PICTURE.test(name)) return null;
  const format = asked.format ?? FORMATS[path.extname(name).toLowerCase()] ?? 'webp';
  const place = path.join(folder, RESIZED, name);
  const file = path.join(place, `${asked.width ?? 'full'}-${asked.quality}.${format}`);
  if (await isThere(file)) return file;
  await mkdir(place, { recursive: true });
  if ((await readdir(place)).length >= MAX_RESIZED_PICTURES) return null;
  return pictureWork.run(async () =>
    (await isThere(file)) ? file : make(path.join(folder, name), file, { ...asked, format }),
  );
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );

async function make(
  source: string,
  file: string,
  { width, format, quality }: Resizing & { readonly format: NonNullable<Resizing['format']> },
): Promise<string | null> {
  const sharp = await loadSharp();
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const picture = sharp(source, { animated: format === 'webp', limitInputPixels: MAX_PICTURE_PIXELS }).autoOrient();
    const sized = width === null ? picture : picture.resize({ width, withoutEnlargement: true });
    await sized.toFormat(format, { quality }).toFile(temporary);
    await rename(temporary, file);
    return file;
  } catch {
    // What cannot be decoded is shown as it is.
    await rm(temporary, { force: true });
    return null;
  }
}
