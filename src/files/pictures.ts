// Pictures: how large they are, a smaller encoding where there is one, and the formats that front ends show. The work is
// done by libvips on threads of its own, a few pictures at a time.
import { rename, stat } from 'node:fs/promises';
import type { Metadata, Sharp } from 'sharp';
import { applicationError, type SheafError } from '../errors.ts';
import { MAX_PICTURE_PIXELS, MAX_PICTURES_AT_ONCE, MAX_SVG_HEAD_BYTES, MAX_WAITING_PICTURES } from '../limits.ts';
import type { FileSettings } from '../project/file-settings.ts';
import { Semaphore } from '../semaphore.ts';
import { headOf } from './file-types.ts';
import type { Scratch } from './incoming.ts';

export interface PictureSize {
  readonly width: number;
  readonly height: number;
}

/** One of the sizes in which a picture is stored. */
export interface PictureFormat extends PictureSize {
  /** `thumbnail`, or the name of a breakpoint. */
  readonly key: string;
  readonly path: string;
  readonly size: number;
}

export interface Picture extends PictureSize {
  readonly formats: readonly PictureFormat[];
  /** A data URL; null where none is made. */
  readonly placeholder: string | null;
}

/** What is made of pictures, as Strapi 5 keeps it in the database, and as the project says. */
export interface PictureOptions extends Pick<FileSettings, 'breakpoints' | 'placeholder' | 'removePosition'> {
  readonly sizeOptimization: boolean;
  readonly responsiveDimensions: boolean;
}

const THUMBNAIL: PictureSize = { width: 245, height: 156 };
const QUALITY = 80;
/** Tried in turn for a format that has more bytes than the picture: qualities, and colours of a PNG or GIF. */
const LOWER_QUALITIES = [60, 35, 15, 5];
const FEWER_COLOURS = [256, 128, 64];
const PLACEHOLDER_PIXELS = 16;
/** The default takes several times as long, for a few bytes less. */
const AVIF_EFFORT = 2;
/** What is decoded. All other formats that libvips knows stay closed: some of them read other files, or run programs. */
const LOADERS = ['Jpeg', 'Png', 'Webp', 'Tiff', 'Gif', 'Nsgif', 'Heif'].map((name) => `VipsForeignLoad${name}`);
/** Types that are always decoded. */
const DECODED: ReadonlySet<string> = new Set(
  ['jpeg', 'png', 'apng', 'webp', 'tiff', 'gif', 'avif'].map((name) => `image/${name}`),
);
/** Formats that are encoded again where that makes them smaller. */
const REWRITTEN: ReadonlySet<string> = new Set(['jpeg', 'png', 'webp', 'tiff']);

export type SharpModule = typeof import('sharp')['default'];
let loaded: Promise<SharpModule> | null = null;

/** Loaded with the first picture; a start need not wait for it. */
export const loadSharp = (): Promise<SharpModule> => {
  loaded ??= import('sharp').then(({ default: sharp }) => {
    sharp.cache(false);
    sharp.concurrency(1);
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({ operation: LOADERS });
    return sharp;
  });
  return loaded;
};

/** Pictures that are worked on at a time. */
export const pictureWork = new Semaphore(MAX_PICTURES_AT_ONCE, {
  maxWaiting: MAX_WAITING_PICTURES,
  maxWaitMs: null,
  refusal: 'Too many pictures are being made; try again',
});

/** What is made of a picture, for whom, and where. */
export interface PictureWork {
  readonly options: PictureOptions;
  /** Who sent it: each has a line of their own. */
  readonly sender: string;
  readonly scratch: Scratch;
}

/** A picture that was received, with its formats; null for a file that is none. May rewrite the file. */
export async function makePicture(
  file: string,
  detected: string | null,
  { options, sender, scratch }: PictureWork,
): Promise<Picture | null> {
  if (detected === null || !detected.startsWith('image/')) return null;
  const sharp = await loadSharp();
  return pictureWork.run(async () => {
    const described = await describe(sharp, file);
    // What begins like a picture and is none may be something else besides.
    if (!described && DECODED.has(detected)) throw invalidPicture(null);
    if (!described) return null;
    const maker = new PictureMaker(sharp, file, described, scratch);
    try {
      const formats = maker.isDecoded ? await maker.formats(options) : [];
      const placeholder = options.placeholder && maker.isDecoded ? await maker.placeholder() : null;
      if (maker.isDecoded) await maker.rewrite(options);
      return { ...maker.shown, formats, placeholder };
    } catch (error) {
      throw invalidPicture(error);
    }
  }, sender);
}

/** Null for what libvips does not know. */
async function describe(sharp: SharpModule, file: string): Promise<Metadata | null> {
  let metadata: Metadata;
  try {
    metadata = await sharp(file, { limitInputPixels: false }).metadata();
  } catch {
    return null;
  }
  const { width, height, pages = 1, pageHeight = height } = metadata;
  if (width * pageHeight * pages > MAX_PICTURE_PIXELS)
    throw applicationError(`The picture is too large: at most ${MAX_PICTURE_PIXELS} pixels (MAX_PICTURE_PIXELS)`, {
      limit: 'MAX_PICTURE_PIXELS',
      allowed: MAX_PICTURE_PIXELS,
    });
  return metadata;
}

function invalidPicture(error: unknown): SheafError {
  const refusal = applicationError('File is not a valid image');
  refusal.cause = error;
  return refusal;
}

/** Orientations that swap width and height. */
const isTurned = (orientation = 1): boolean => orientation >= 5;

class PictureMaker {
  readonly #sharp: SharpModule;
  readonly #file: string;
  readonly #metadata: Metadata;
  readonly #scratch: Scratch;
  /** Whether it was decoded to its end. */
  #isWhole = false;

  constructor(sharp: SharpModule, file: string, metadata: Metadata, scratch: Scratch) {
    this.#sharp = sharp;
    this.#file = file;
    this.#metadata = metadata;
    this.#scratch = scratch;
  }

  /** HEIC can be named, not decoded. */
  get isDecoded(): boolean {
    const { format, compression } = this.#metadata;
    return format !== 'heif' || compression === 'av1';
  }

  get #isAnimated(): boolean {
    return (this.#metadata.pages ?? 1) > 1 && this.#metadata.format !== 'heif' && this.#metadata.format !== 'tiff';
  }

  /** As it is looked at. */
  get shown(): PictureSize {
    const { width, height, pageHeight = height, orientation } = this.#metadata;
    return isTurned(orientation) ? { width: pageHeight, height: width } : { width, height: pageHeight };
  }

  async formats({ breakpoints, responsiveDimensions }: PictureOptions): Promise<PictureFormat[]> {
    const { width, height } = this.shown;
    const wanted = [
      { key: 'thumbnail', box: THUMBNAIL },
      ...(responsiveDimensions
        ? Object.entries(breakpoints).map(([key, size]) => ({ key, box: { width: size, height: size } }))
        : []),
    ].filter(({ box }) => width > box.width || height > box.height);
    const formats: PictureFormat[] = [];
    for (const { key, box } of wanted) formats.push({ key, ...(await this.#format(box)) });
    return formats;
  }

  /**
   * Of a picture that was encoded for few bytes, a smaller one could take more. Then it is encoded for fewer, from pixels
   * that are at hand: to decode it takes long where a few bytes stand for many pixels. One that moves is left as it is.
   */
  async #format(box: PictureSize): Promise<Omit<PictureFormat, 'key'>> {
    const { size: sent } = await stat(this.#file);
    const sized = (): Sharp => this.#open().resize({ ...box, fit: 'inside' });
    let smallest = await this.#written(this.#encoded(sized()));
    this.#isWhole = true;
    if (smallest.size <= sent || this.#isAnimated) return smallest;
    const { data, info } = await sized().raw().toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    for (const reduce of this.#reductions()) {
      const made = await this.#written(reduce(this.#sharp(data, { raw: { width, height, channels } })));
      if (made.size < smallest.size) smallest = made;
      if (smallest.size <= sent) break;
    }
    return smallest;
  }

  async #written(picture: Sharp): Promise<Omit<PictureFormat, 'key'>> {
    const path = this.#scratch.path();
    const { width, height, pageHeight = height, size } = await picture.toFile(path);
    return { path, width, height: pageHeight, size };
  }

  /** A few pixels, to be blurred by whoever shows them until the picture is there. */
  async placeholder(): Promise<string> {
    const size = { width: PLACEHOLDER_PIXELS, height: PLACEHOLDER_PIXELS };
    const small = this.#sharp(this.#file)
      .autoOrient()
      .resize({ ...size, fit: 'inside' })
      .blur(1);
    return `data:image/webp;base64,${(await small.webp({ quality: 40 }).toBuffer()).toString('base64')}`;
  }

  /** Encodes the picture again, and keeps the result where it is smaller or where the position must go. */
  async rewrite({ sizeOptimization, removePosition }: PictureOptions): Promise<void> {
    const { format, exif, xmp } = this.#metadata;
    const mustGo = removePosition && (exif !== undefined || xmp !== undefined);
    const isRewritten = sizeOptimization && REWRITTEN.has(format) && !this.#isAnimated;
    if (!isRewritten && !mustGo) {
      // What is not encoded is decoded all the same: a broken picture is refused.
      if (!this.#isWhole) await this.#open().resize({ width: 1, height: 1, fit: 'fill' }).raw().toBuffer();
      return;
    }
    const path = this.#scratch.path();
    const { size } = await this.#encoded(this.#open(), QUALITY).toFile(path);
    if (mustGo || size < (await stat(this.#file)).size) await rename(path, this.#file);
  }

  #open(): Sharp {
    return this.#sharp(this.#file, { animated: this.#isAnimated, failOn: 'error' }).autoOrient();
  }

  /** Encodings that leave out more and more. */
  #reductions(): ((sized: Sharp) => Sharp)[] {
    const { format } = this.#metadata;
    if (format === 'png')
      return FEWER_COLOURS.map((colours) => (sized) => sized.png({ palette: true, colours, dither: 0, effort: 1 }));
    if (format === 'gif') return FEWER_COLOURS.map((colours) => (sized) => sized.gif({ colours, dither: 0 }));
    if (format === 'heif')
      return LOWER_QUALITIES.map((quality) => (sized) => sized.avif({ effort: AVIF_EFFORT, quality }));
    return LOWER_QUALITIES.map((quality) => (sized) => sized.toFormat(format, { quality }));
  }

  /** In the format that it has. Metadata is left behind, colours are those of sRGB. */
  #encoded(picture: Sharp, quality?: number): Sharp {
    const { format, isPalette } = this.#metadata;
    if (format === 'heif') return picture.avif({ effort: AVIF_EFFORT });
    if (format === 'png') return picture.png({ palette: isPalette === true });
    const options = quality === undefined || format === 'gif' ? {} : { quality };
    return picture.toFormat(format, options);
  }
}

const LENGTH = /^(\d+(?:\.\d+)?)\s*(px|mm|cm|in|pt|pc|em|ex)?$/;
/** Pixels of a unit, at the 72 of an inch that Strapi 5 has, and in letters of 12. */
const UNITS: Readonly<Record<string, number>> = {
  px: 1,
  mm: 72 / 25.4,
  cm: 72 / 2.54,
  in: 72,
  pt: 1,
  pc: 12,
  em: 12,
  ex: 6,
};

/** The size of an SVG, by what it says of itself. It is never drawn. What could grow when it is read is refused. */
export async function svgSize(file: string): Promise<PictureSize | null> {
  const bytes = await headOf(file, MAX_SVG_HEAD_BYTES);
  const text = bytes.toString('utf8');
  const begin = text.search(/<svg\b/i);
  const end = begin < 0 ? -1 : text.indexOf('>', begin);
  // A compressed one, one with entities, and what is no drawing at all.
  if (end < 0 || /<!ENTITY/i.test(text)) throw applicationError('File is not a valid image');
  const root = text.slice(begin, end + 1);
  const attribute = (name: string): string | undefined =>
    new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, 'i').exec(root)?.slice(1).find(Boolean);
  const length = (name: string): number | null => {
    const [, digits, unit = 'px'] = LENGTH.exec(attribute(name)?.trim() ?? '') ?? [];
    return digits === undefined ? null : Math.round(Number(digits) * UNITS[unit]!);
  };
  const [, , boxWidth, boxHeight] = (attribute('viewBox') ?? '')
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  const width = length('width') ?? boxWidth;
  const height = length('height') ?? boxHeight;
  if (!isLength(width) || !isLength(height)) return null;
  return { width: Math.round(width), height: Math.round(height) };
}

const MAX_LENGTH = 2_147_483_647;
const isLength = (value: number | undefined): value is number =>
  value !== undefined && Number.isFinite(value) && value > 0 && value <= MAX_LENGTH;
