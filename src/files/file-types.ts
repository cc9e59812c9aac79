// What a file really is: by its first bytes, by its name, and by what the client says. All three are held to what the
// project takes.
import { open } from 'node:fs/promises';
import path from 'node:path';
import mime from 'mime';
import { applicationError, SheafError, validationError } from '../errors.ts';
import type { FileSettings } from '../project/file-settings.ts';

const UNKNOWN = 'application/octet-stream';
/** Bytes that tell a type; Strapi 5 looks at as many. */
const HEAD_BYTES = 4_100;

/** Extensions of programs and scripts that the list of types does not have, or has as something else. */
const PROGRAMS: Readonly<Record<string, string>> = {
  php: 'application/x-httpd-php',
  phtml: 'application/x-httpd-php',
  phar: 'application/x-httpd-php',
  jsp: 'application/x-server-script',
  asp: 'application/x-server-script',
  aspx: 'application/x-server-script',
  cgi: 'application/x-server-script',
  exe: 'application/x-msdownload',
  dll: 'application/x-msdownload',
  msi: 'application/x-msi',
  sh: 'application/x-sh',
  bat: 'application/x-bat',
  cmd: 'application/x-bat',
  com: 'application/x-msdos-program',
  scr: 'application/x-msdos-program',
  pif: 'application/x-msdos-program',
  ps1: 'application/x-powershell',
  vbs: 'text/vbscript',
  hta: 'application/hta',
};

/** Pictures whose bytes show what they are. */
const PICTURE = /^image\/(?:png|apng|jpeg|gif|webp|avif|tiff|bmp|heic|heif|x-icon|vnd\.microsoft\.icon)$/;
const SHEBANG = '#!';
const TIFF: ReadonlySet<string> = new Set(['II*\0', 'MM\0*']);

export interface FileType {
  /** What the row says. */
  readonly mime: string;
  /** What the bytes say; null where they say nothing. */
  readonly detected: string | null;
}

export const headOf = async (file: string, bytes = HEAD_BYTES): Promise<Buffer> => {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
};

/** The type of a file that was received, held to what the project takes. */
export async function typeOfFile(
  file: { readonly path: string; readonly name: string; readonly mime: string | null },
  settings: FileSettings,
): Promise<FileType> {
  const head = await headOf(file.path);
  const detected = await detectedType(head);
  const byName = typeByName(file.name);
  const declared = plainType(file.mime);
  const all = [detected, byName, declared].filter((type) => type !== null);
  const denied = all.find((type) => settings.deniedTypes.some((pattern) => matches(type, pattern)));
  if (denied !== undefined) throw notAllowed(denied);
  const { allowedTypes } = settings;
  const chosen = chooseType({ declared, byName, detected });
  if (allowedTypes !== null) {
    const isAllowed = (type: string): boolean => allowedTypes.some((pattern) => matches(type, pattern));
    if (!isAllowed(chosen)) throw notAllowed(chosen);
    if (detected !== null && !isAllowed(detected)) throw validationError('MIME type is not allowed');
  }
  refuseFalsePicture(file.name, { byName, declared, detected });
  return { mime: chosen, detected };
}

/** The rules of Strapi 5: where bytes and client agree with the name that holds, otherwise mostly the name. */
function chooseType({ declared, byName, detected }: Record<'declared' | 'byName' | 'detected', string | null>): string {
  if (declared === null) return detected ?? byName ?? UNKNOWN;
  if (byName === null) return detected ?? declared;
  return byName;
}

/** What is called a picture has to be one: browsers and programs would otherwise guess what it is. */
function refuseFalsePicture(
  name: string,
  { byName, declared, detected }: Record<'byName' | 'declared' | 'detected', string | null>,
): void {
  const claimed = [byName, declared].find((type) => type !== null && PICTURE.test(type));
  if (claimed === undefined || (detected !== null && PICTURE.test(detected))) return;
  throw applicationError('File is not a valid image', { name, expected: claimed });
}

async function detectedType(head: Buffer): Promise<string | null> {
  if (head.toString('latin1', 0, 2) === SHEBANG) return 'application/x-sh';
  // A picture of this kind may say what it is at its end.
  if (TIFF.has(head.toString('latin1', 0, 4))) return 'image/tiff';
  // Loaded with the first file; a start need not wait for it.
  const { fileTypeFromBuffer } = await import('file-type');
  const found = await fileTypeFromBuffer(head);
  return found?.mime ?? null;
}

const typeByName = (name: string): string | null => {
  const extension = path.posix.extname(name).slice(1).toLowerCase();
  return extension === '' ? null : Object.hasOwn(PROGRAMS, extension) ? PROGRAMS[extension]! : mime.getType(extension);
};

/** Without parameters; null for one that says nothing. */
function plainType(declared: string | null): string | null {
  const [type = ''] = (declared ?? '')
    .toLowerCase()
    .split(';', 1)
    .map((part) => part.trim());
  return type === '' || type === UNKNOWN || !/^[\w.+-]+\/[\w.+-]+$/.test(type) ? null : type;
}

function matches(type: string, pattern: string): boolean {
  const [kind, rest] = pattern.split('/');
  const [ownKind, ownRest] = type.split('/');
  return (kind === '*' || kind === ownKind) && (rest === '*' || rest === ownRest);
}

const notAllowed = (type: string): SheafError => validationError(`File type '${type}' is not allowed`, { type });

/** Bytes that a file of a type may have. */
export function maxBytesOf(type: string, { maxBytes, maxBytesOf: byType }: FileSettings): number {
  const own = Object.entries(byType)
    .filter(([pattern]) => matches(type, pattern))
    .map(([, bytes]) => bytes);
  return Math.min(maxBytes, ...own);
}

export const tooLarge = (name: string, allowed: number): SheafError =>
  new SheafError(413, 'PayloadTooLargeError', `${name} exceeds size limit of ${sizeText(allowed)}.`, {
    limit: 'MAX_FILE_BYTES',
    allowed,
  });

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];
function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  return `${Number((bytes / 1000 ** power).toFixed(1))} ${UNITS[power]}`;
}
