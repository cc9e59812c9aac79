// A file that was received → the row and the objects that it will be stored as. Nothing is stored here.
import { stat } from 'node:fs/promises';
import { applicationError } from '../errors.ts';
import type { FileSettings } from '../project/file-settings.ts';
import { extensionOf, fileName, hashOf, kilobytes } from './file-names.ts';
import { maxBytesOf, tooLarge, typeOfFile } from './file-types.ts';
import type { ReceivedFile, Scratch } from './incoming.ts';
import { makePicture, type Picture, type PictureOptions, svgSize } from './pictures.ts';
import type { FileStorage } from './storage.ts';

/** Bytes to be stored under a key. */
export interface PreparedObject {
  readonly key: string;
  readonly path: string;
  readonly mime: string;
}

export interface PreparedFile {
  /** As it was sent. */
  readonly name: string;
  /** What the row says of the bytes. */
  readonly values: Readonly<Record<string, unknown>>;
  readonly objects: readonly PreparedObject[];
}

/** What a file that is replaced keeps. */
export interface KeptName {
  readonly hash: string;
  readonly ext: string;
}

export interface Preparation {
  readonly settings: FileSettings;
  readonly pictures: PictureOptions;
  readonly storage: FileStorage;
  readonly scratch: Scratch;
  /** Who sent it. */
  readonly sender: string;
}

const SVG = 'image/svg+xml';

/** `shownName`: what the file is called, where that is not the name that was sent. */
export async function prepareFile(
  { settings, pictures: options, storage, scratch, sender }: Preparation,
  received: ReceivedFile,
  shownName: string | null,
  kept: KeptName | null,
): Promise<PreparedFile> {
  const name = fileName(received.name);
  const { mime, detected } = await typeOfFile({ ...received, name }, settings);
  const allowed = maxBytesOf(mime, settings);
  if (received.size > allowed) throw tooLarge(name, allowed);
  const picture =
    mime === SVG
      ? await drawing(received, detected)
      : await makePicture(received.path, detected, { options, sender, scratch });
  const ext = kept?.ext ?? extensionOf(name, mime);
  const hash = kept?.hash ?? (await hashOf(shownName ?? name, ext));
  const { size } = await stat(received.path);
  const key = `${hash}${ext}`;
  const formats = formatsOf(picture, { name: shownName ?? name, hash, ext, mime }, storage);
  return {
    name,
    values: {
      hash,
      ext,
      mime,
      size: kilobytes(size),
      width: picture?.width ?? null,
      height: picture?.height ?? null,
      formats: formats ?? (kept ? {} : null),
      url: storage.url(key),
      provider: storage.provider,
    },
    objects: [
      { key, path: received.path, mime },
      ...(picture?.formats ?? []).map((format) => ({ key: `${format.key}_${key}`, path: format.path, mime })),
    ],
  };
}

async function drawing({ path }: ReceivedFile, detected: string | null): Promise<Picture | null> {
  // An SVG is text; bytes that are known for something else are no drawing, compressed ones least of all.
  if (detected !== null && !detected.endsWith('xml')) throw applicationError('File is not a valid image');
  const size = await svgSize(path);
  return size && { ...size, formats: [], placeholder: null };
}

/** The formats of a picture as rows hold them; null where there are none. */
function formatsOf(
  picture: Picture | null,
  { name, hash, ext, mime }: Readonly<Record<'name' | 'hash' | 'ext' | 'mime', string>>,
  storage: FileStorage,
): Record<string, unknown> | null {
  if (!picture || (picture.formats.length === 0 && picture.placeholder === null)) return null;
  const formats = picture.formats.map(({ key, width, height, size }) => [
    key,
    {
      name: `${key}_${name}`,
      hash: `${key}_${hash}`,
      ext,
      mime,
      path: null,
      width,
      height,
      size: kilobytes(size),
      sizeInBytes: size,
      url: storage.url(`${key}_${hash}${ext}`),
    },
  ]);
  return {
    ...Object.fromEntries(formats),
    ...(picture.placeholder !== null && { placeholder: picture.placeholder }),
  };
}
