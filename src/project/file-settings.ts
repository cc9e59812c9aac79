// The settings of files in config/sheaf.json: where they are stored, what is taken, and what is made of pictures.
import * as v from 'valibot';
import { flag, isObject, listOf, nonEmptyString, strictObject } from '../check-json.ts';
import { MAX_FILE_BYTES } from '../limits.ts';

const positive = (message: string) => v.pipe(v.number(message), v.integer(message), v.minValue(1, message));
const BYTES = 'expected a whole number of bytes, at least 1';
const PIXELS = 'expected a whole number of pixels, at least 1';

const TYPE = 'expected a type such as "image/png", or "image/*"';
const types = listOf(
  v.pipe(v.string(TYPE), v.regex(/^(?:\*|[\w.+-]+)\/(?:\*|[\w.+-]+)$/, TYPE)),
  'expected a list of types such as ["image/*"]',
);

/** What a computer would run. Types of pages that can hold scripts are served so that they cannot use them. */
const EXECUTABLES = [
  'application/x-msdownload',
  'application/x-msdos-program',
  'application/x-msi',
  'application/vnd.microsoft.portable-executable',
  'application/x-elf',
  'application/x-mach-binary',
  'application/x-executable',
  'application/java-vm',
  'application/java-archive',
  'application/hta',
  'application/x-sh',
  'application/x-csh',
  'application/x-bat',
  'application/x-powershell',
  'application/x-httpd-php',
  'application/x-server-script',
  'application/javascript',
  'application/ecmascript',
  'text/javascript',
  'text/vbscript',
];

const record = <const S extends v.GenericSchema>(item: S, message: string) =>
  v.pipe(v.custom<Record<string, unknown>>(isObject, message), v.record(v.string(), item));

const text = v.nullable(nonEmptyString('expected a string that is not empty, or null'));

const S3 = strictObject({
  bucket: nonEmptyString(),
  region: v.optional(nonEmptyString(), 'us-east-1'),
  /** Of a server that speaks the protocol of S3, such as MinIO or R2; null for Amazon. */
  endpoint: v.optional(text, null),
  /** Whether the bucket stands in the path of URLs, not in the name of the host. */
  pathStyle: v.optional(flag, false),
  /** What keys begin with. */
  prefix: v.optional(v.string('expected a string'), ''),
  /** Null for those that the environment of the process gives. */
  accessKeyId: v.optional(text, null),
  secretAccessKey: v.optional(text, null),
  /** What URLs begin with, such as that of a CDN; null for the URL of the bucket. */
  baseUrl: v.optional(text, null),
  /** Sent with every file; null for what the bucket says. */
  acl: v.optional(text, null),
  /** Whether files are shown by signed URLs only. */
  private: v.optional(flag, false),
  signedUrlSeconds: v.optional(positive('expected a whole number of seconds, at least 1'), 900),
});

const WIDTHS = 'expected a list of widths such as [320, 640]';
const RESIZE = strictObject({
  widths: v.pipe(listOf(positive(PIXELS), WIDTHS), v.minLength(1, WIDTHS)),
  formats: v.optional(
    listOf(
      v.picklist(['jpeg', 'png', 'webp', 'avif'], 'expected jpeg, png, webp or avif'),
      'expected a list of formats',
    ),
    ['webp', 'avif', 'jpeg'],
  ),
  qualities: v.optional(listOf(positive('expected a quality from 1 to 100'), 'expected a list of qualities'), [75]),
});

export const FILES = strictObject({
  /** The folder of files, from that of the project. */
  folder: v.optional(nonEmptyString(), 'public/uploads'),
  /** Where files are stored; null for the folder. */
  s3: v.optional(v.nullable(S3), null),
  /** The header `Cache-Control` of files. A name goes with its content until the file is replaced. */
  cacheControl: v.optional(nonEmptyString(), 'public, max-age=31536000, immutable'),
  /** How files are served that can hold scripts: shown without any rights, or for saving alone. */
  active: v.optional(v.picklist(['sandbox', 'attachment'], 'expected sandbox or attachment'), 'sandbox'),
  pdf: v.optional(v.picklist(['inline', 'attachment'], 'expected inline or attachment'), 'inline'),
  /** Whether lists of files are in an envelope with their pagination, as other lists are. */
  envelope: v.optional(flag, false),
  /** Bytes of one file. */
  maxBytes: v.optional(positive(BYTES), MAX_FILE_BYTES),
  /** Bytes of a file by its type, such as {"image/*": 10000000}. */
  maxBytesOf: v.optional(record(positive(BYTES), 'expected an object of sizes by type'), {}),
  /** Null for all that are not denied. */
  allowedTypes: v.optional(v.nullable(types), null),
  deniedTypes: v.optional(types, EXECUTABLES),
  /** Sizes of pictures by the name of the format. */
  breakpoints: v.optional(record(positive(PIXELS), 'expected an object of sizes such as {"large": 1000}'), {
    large: 1000,
    medium: 750,
    small: 500,
  }),
  /** Whether the formats of a picture hold a small blurred one, as a data URL. */
  placeholder: v.optional(flag, false),
  /** Whether what a picture says of the place where it was taken is removed, if need be by encoding it again. */
  removePosition: v.optional(flag, false),
  /** Whether a file that entries show is deleted, or only with `?force=true`. */
  deleteInUse: v.optional(v.picklist(['allow', 'refuse'], 'expected allow or refuse'), 'allow'),
  /** Whether who may upload may replace as well; null for yes on a database that Strapi made. */
  uploadReplaces: v.optional(v.nullable(flag), null),
  /** Sizes, formats and qualities that a request for a picture may ask for; null for none. */
  resize: v.optional(v.nullable(RESIZE), null),
});

export type FileSettings = v.InferOutput<typeof FILES>;
export type S3Settings = v.InferOutput<typeof S3>;
export type ResizeSettings = v.InferOutput<typeof RESIZE>;
