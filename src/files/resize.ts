// Pictures in other sizes and formats, as a request for one asks: those that the project lists, and those that are asked
// for by a signed URL. Each is made once and kept beside the files.
import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { SheafError, validationError } from '../errors.ts';
import { MAX_PICTURE_PIXELS, MAX_RESIZED_PICTURES, MAX_RESIZED_WIDTH } from '../limits.ts';
import { RESIZED_FORMATS, type ResizeSettings } from '../project/file-settings.ts';
import type { QueryObject } from '../request/query-string.ts';
import { RESIZED } from './local-storage.ts';
import { loadSharp, pictureWork } from './pictures.ts';
import { isSigned, signUrl } from './resize-signature.ts';

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

/** What may be asked for. */
interface Allowed {
  readonly width: Check;
  readonly quality: Check;
  readonly formats: readonly NonNullable<Resizing['format']>[];
}

interface Check {
  isAllowed(value: number): boolean;
  readonly expected: string;
}

/** Null where a request asks for the file as it is. Refuses what is neither listed nor signed. `url`: path and query. */
export function parseResizing(
  query: QueryObject,
  settings: ResizeSettings,
  url: string,
  key: () => string,
): Resizing | null {
  const { width, format, quality, signature } = query;
  if (width === undefined && format === undefined && quality === undefined) return null;
  const isFree = settings.signed && signature !== undefined;
  if (isFree && !isSigned(url, key())) throw wrongSignature();
  return checked({ width, format, quality }, isFree ? ANY : listed(settings), settings);
}

/** The path and query that ask for a picture in another size, signed. */
export function resizedUrl(
  url: string,
  asked: { readonly width?: number; readonly format?: string; readonly quality?: number },
  settings: ResizeSettings,
  key: string,
): string {
  checked(asked, ANY, settings);
  const parameters = Object.entries(asked).filter(([, value]) => value !== undefined);
  if (parameters.length === 0) throw wrongValue('width', ANY.width.expected);
  return signUrl(`${url}?${parameters.map((pair) => pair.join('=')).join('&')}`, key);
}

function checked(asked: Readonly<Record<string, unknown>>, allowed: Allowed, { qualities }: ResizeSettings): Resizing {
  const number = (name: 'width' | 'quality'): number | null => {
    const { [name]: given } = asked;
    if (given === undefined) return null;
    const value = typeof given === 'string' || typeof given === 'number' ? Number(given) : Number.NaN;
    if (!allowed[name].isAllowed(value)) throw wrongValue(name, allowed[name].expected);
    return value;
  };
  const format = allowed.formats.find((one) => one === asked.format);
  if (asked.format !== undefined && format === undefined) throw wrongValue('format', oneOf(allowed.formats));
  return { width: number('width'), format: format ?? null, quality: number('quality') ?? qualities[0]! };
}

const within = (most: number): Check => ({
  isAllowed: (value) => Number.isInteger(value) && value >= 1 && value <= most,
  expected: `a whole number from 1 to ${most}`,
});
const ANY: Allowed = { width: within(MAX_RESIZED_WIDTH), quality: within(100), formats: RESIZED_FORMATS };

const listed = ({ widths, qualities, formats, signed }: ResizeSettings): Allowed => {
  const among = (values: readonly number[]): Check => ({
    isAllowed: (value) => values.includes(value),
    expected: signed ? `${oneOf(values)}, or a signed URL` : oneOf(values),
  });
  return { width: among(widths), quality: among(qualities), formats };
};

const oneOf = (values: readonly unknown[]): string => `one of ${values.join(', ')}`;

const wrongValue = (key: string, expected: string): SheafError =>
  validationError(`Invalid value for ${key}: expected ${expected}`, { key, source: 'query', param: key });

const wrongSignature = (): SheafError =>
  new SheafError(403, 'ForbiddenError', 'The signature does not belong to this URL', {
    key: 'signature',
    source: 'query',
    param: 'signature',
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
  return pictureWork.run(
    async () => ((await isThere(file)) ? file : make(path.join(folder, name), file, { ...asked, format })),
    'resized on request',
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
