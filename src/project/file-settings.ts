// The settings of files in config/sheaf.json: where they are stored, what is taken, and what is made of pictures.
import * as v from 'valibot';
import { described, flag, listOf, nonEmptyString, strictObject } from '../check-json.ts';
import { MAX_FILE_BYTES } from '../limits.ts';
import { isObject } from '../type-guards.ts';

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
  bucket: described(nonEmptyString(), 'The bucket.'),
  region: described(v.optional(nonEmptyString(), 'us-east-1'), 'The region of the bucket.'),
  endpoint: described(
    v.optional(text, null),
    'Of a server that speaks the protocol of S3, such as MinIO or R2; null for Amazon.',
  ),
  pathStyle: described(
    v.optional(flag, false),
    'Whether the bucket stands in the path of URLs, not in the name of the host.',
  ),
  prefix: described(v.optional(v.string('expected a string'), ''), 'What keys begin with.'),
  accessKeyId: described(
    v.optional(text, null),
    'The key; null for the one that the environment of the process gives.',
  ),
  secretAccessKey: described(
    v.optional(text, null),
    'Its secret; null for the one that the environment of the process gives.',
  ),
  baseUrl: described(
    v.optional(text, null),
    'What URLs begin with, such as that of a CDN; null for the URL of the bucket.',
  ),
  acl: described(v.optional(text, null), 'Sent with every file; null for what the bucket says.'),
  private: described(v.optional(flag, false), 'Whether files are shown by signed URLs only.'),
  signedUrlSeconds: described(
    v.optional(positive('expected a whole number of seconds, at least 1'), 900),
    'How long a signed URL holds.',
  ),
});

const WIDTHS = 'expected a list of widths such as [320, 640]';
/** Formats in which a request may ask for a picture. */
export const RESIZED_FORMATS = ['jpeg', 'png', 'webp', 'avif'] as const;
const RESIZE = v.pipe(
  strictObject({
    widths: described(v.optional(listOf(positive(PIXELS), WIDTHS), []), 'Widths that may be asked for, in pixels.'),
    signed: described(v.optional(flag, false), 'Whether a signed URL may ask for any width, format and quality.'),
    formats: described(
      v.optional(
        listOf(v.picklist(RESIZED_FORMATS, 'expected jpeg, png, webp or avif'), 'expected a list of formats'),
        ['webp', 'avif', 'jpeg'],
      ),
      'Formats that may be asked for.',
    ),
    qualities: described(
      v.optional(listOf(positive('expected a quality from 1 to 100'), 'expected a list of qualities'), [75]),
      'Qualities that may be asked for.',
    ),
  }),
  v.check(({ widths, signed }) => signed || widths.length > 0, 'expected widths such as [320, 640], or "signed": true'),
);

export const FILES = strictObject({
  folder: described(v.optional(nonEmptyString(), 'public/uploads'), 'The folder of files, from that of the project.'),
  s3: described(v.optional(v.nullable(S3), null), 'A bucket that files are stored in; null for the folder.'),
  cacheControl: described(
    v.optional(nonEmptyString(), 'public, max-age=31536000, immutable'),
    'The header `Cache-Control` of files. A name goes with its content until the file is replaced.',
  ),
  active: described(
    v.optional(v.picklist(['sandbox', 'attachment'], 'expected sandbox or attachment'), 'sandbox'),
    'How files are served that can hold scripts: shown without any rights, or for saving alone.',
  ),
  pdf: described(
    v.optional(v.picklist(['inline', 'attachment'], 'expected inline or attachment'), 'inline'),
    'Whether PDF files are shown or saved.',
  ),
  envelope: described(
    v.optional(flag, false),
    'Whether lists of files are in an envelope with their pagination, as other lists are.',
  ),
  maxBytes: described(v.optional(positive(BYTES), MAX_FILE_BYTES), 'Bytes of one file.'),
  maxBytesOf: described(
    v.optional(record(positive(BYTES), 'expected an object of sizes by type'), {}),
    'Bytes of a file by its type, such as {"image/*": 10000000}.',
  ),
  allowedTypes: described(
    v.optional(v.nullable(types), null),
    'Types that are taken; null for all that are not denied.',
  ),
  deniedTypes: described(v.optional(types, EXECUTABLES), 'Types that are refused: what a computer would run.'),
  breakpoints: described(
    v.optional(record(positive(PIXELS), 'expected an object of sizes such as {"large": 1000}'), {
      large: 1000,
      medium: 750,
      small: 500,
    }),
    'Sizes of pictures by the name of the format.',
  ),
  placeholder: described(
    v.optional(flag, false),
    'Whether the formats of a picture hold a small blurred one, as a data URL.',
  ),
  removePosition: described(
    v.optional(flag, false),
    'Whether what a picture says of the place where it was taken is removed, if need be by encoding it again.',
  ),
  deleteInUse: described(
    v.optional(v.picklist(['allow', 'refuse'], 'expected allow or refuse'), 'allow'),
    'Whether a file that entries show is deleted, or only with `?force=true`.',
  ),
  uploadReplaces: described(
    v.optional(v.nullable(flag), null),
    'Whether who may upload may replace as well; null for yes on a database that Strapi made.',
  ),
  resize: described(
    v.optional(v.nullable(RESIZE), null),
    'Sizes, formats and qualities that a request for a picture may ask for; null for none.',
  ),
});

export type FileSettings = v.InferOutput<typeof FILES>;
export type S3Settings = v.InferOutput<typeof S3>;
export type ResizeSettings = v.InferOutput<typeof RESIZE>;
