// Files of the library: what the API says of one, and what is shown of it.

/** A format of a picture, such as its thumbnail. */
export interface FileFormat {
  readonly url: string;
  readonly width?: number;
  readonly height?: number;
  /** In kB. */
  readonly size?: number;
}

/** A file as the API gives it. */
export interface StoredFile {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly alternativeText: string | null;
  readonly caption: string | null;
  /** In per cent of width and height. */
  readonly focalPoint: { readonly x: number; readonly y: number } | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly formats: Readonly<Record<string, FileFormat>> | null;
  readonly hash: string;
  readonly ext: string | null;
  readonly mime: string;
  /** In kB. */
  readonly size: number;
  readonly url: string;
  readonly previewUrl: string | null;
  readonly provider: string;
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** As `allowedTypes` of an attribute names them. */
export const FILE_KINDS = ['images', 'videos', 'audios', 'files'] as const;
export type FileKind = (typeof FILE_KINDS)[number];

export const KIND_NAMES: Readonly<Record<FileKind, string>> = {
  images: 'Images',
  videos: 'Videos',
  audios: 'Audio',
  files: 'Documents',
};

export function kindOf(mime: string): FileKind {
  if (mime.startsWith('image/')) return 'images';
  if (mime.startsWith('video/')) return 'videos';
  return mime.startsWith('audio/') ? 'audios' : 'files';
}

/** Null: whatever kind. */
export type AllowedKinds = readonly string[] | null;

export const isAllowed = (mime: string, kinds: AllowedKinds): boolean =>
  kinds === null || kinds.length === 0 || kinds.includes(kindOf(mime));

/** For `accept` of a file chooser, which cannot name documents. */
export function acceptOf(kinds: AllowedKinds): string | undefined {
  if (kinds === null || kinds.length === 0 || kinds.includes('files')) return undefined;
  return kinds.map((kind) => `${kind.replace(/s$/, '')}/*`).join(',');
}

const isKind = (kind: string): kind is FileKind => FILE_KINDS.some((one) => one === kind);

/** "images", "images or videos". */
export const kindsInWords = (kinds: readonly string[]): string =>
  kinds
    .filter(isKind)
    .map((kind) => KIND_NAMES[kind].toLowerCase())
    .join(' or ');

/** A URL of this server that shows what the file is now: a file that is replaced keeps its URL, and caches keep that. */
export const freshUrl = (url: string, { updatedAt }: { readonly updatedAt?: string }): string =>
  url.startsWith('/') && !url.includes('?') && updatedAt ? `${url}?v=${Date.parse(updatedAt)}` : url;

/** A small picture of a file; null where there is none. */
export function thumbnailOf(file: StoredFile): string | null {
  const thumbnail = file.formats?.thumbnail?.url;
  if (thumbnail) return freshUrl(thumbnail, file);
  return kindOf(file.mime) === 'images' ? freshUrl(file.url, file) : null;
}

/** `size` is in kB, of 1,000 bytes. */
export function sizeInWords(size: number): string {
  if (size < 1) return `${Math.round(size * 1000)}\u00a0B`;
  if (size < 1000) return `${round(size)}\u00a0kB`;
  return size < 1_000_000 ? `${round(size / 1000)}\u00a0MB` : `${round(size / 1_000_000)}\u00a0GB`;
}
const round = (value: number): string =>
  value < 10 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));

/** "320 × 200"; null of what has no such. */
export const dimensionsOf = ({ width, height }: StoredFile): string | null =>
  width === null || height === null ? null : `${width}\u00a0×\u00a0${height}`;

export const extensionOf = ({ ext, mime }: StoredFile): string =>
  (ext?.replace(/^\./, '') || mime.split('/').at(-1) || 'file').slice(0, 5).toUpperCase();

/** What a picture shows, for those that do not see it: its alternative text, else its name. */
export const altOf = ({ alternativeText, name }: StoredFile): string => alternativeText || name;

/** A file as an entry has it, which may know less of it. */
export const asFile = (value: Readonly<Record<string, unknown>> & { readonly id: number }): StoredFile => ({
  documentId: '',
  name: `File ${value.id}`,
  alternativeText: null,
  caption: null,
  focalPoint: null,
  width: null,
  height: null,
  formats: null,
  hash: '',
  ext: null,
  mime: 'application/octet-stream',
  size: 0,
  url: '',
  previewUrl: null,
  provider: '',
  createdAt: '',
  updatedAt: '',
  ...value,
});
