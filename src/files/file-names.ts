// The names of files: which are taken, and what becomes of them in URLs and on disk. Names and hashes are those that
// Strapi 5 would make.
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import mime from 'mime';
import { applicationError } from '../errors.ts';

const MAX_NAME_LENGTH = 255;
/** What some file system does not take. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is refused.
const RESERVED_CHARACTERS = /[<>:"/\\|?*\u0000-\u001f\u007f]/;
const RESERVED_NAMES = /^(?:\.{1,2}|con|prn|aux|nul|com\d|lpt\d)$/i;
const UNNAMED = 'unamed';
const EXTENSION = /^\.[\w-]{1,32}$/;
const MAX_SLUG_LENGTH = 150;

/** The name of a file as it is shown. Browsers of old sent the whole path on a Windows machine. */
export function fileName(sent: string | undefined): string {
  const name = (sent ?? '').normalize().split('\\').at(-1)!;
  if (name === '') return UNNAMED;
  if (RESERVED_CHARACTERS.test(name) || RESERVED_NAMES.test(name) || name.length > MAX_NAME_LENGTH)
    throw applicationError('File name contains invalid characters', { key: 'filename' });
  return name;
}

/** The last extension of a name, as it is written there; otherwise that of the type. Empty where neither has one. */
export function extensionOf(name: string, type: string): string {
  const written = path.posix.extname(name);
  // What a URL could not hold as it stands is left out of it.
  if (EXTENSION.test(written)) return written;
  const known = mime.getExtension(type);
  return known === null ? '' : `.${known}`;
}

/** What a file is called in its URL: words of its name, and what keeps it apart from all others. */
export async function hashOf(name: string, extension: string): Promise<string> {
  const { default: slugify } = await import('@sindresorhus/slugify');
  const stem = extension !== '' && name.endsWith(extension) ? name.slice(0, -extension.length) : name;
  const slug = slugify(stem, { separator: '_', lowercase: false }).slice(0, MAX_SLUG_LENGTH);
  return `${slug}_${randomBytes(5).toString('hex')}`;
}

/** Bytes in the unit of rows: kilobytes of 1000 bytes, with two decimals. */
export const kilobytes = (bytes: number): number => Math.round(bytes / 10) / 100;
