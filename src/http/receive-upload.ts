// The body of an upload: parts are written to disk as they arrive, in their order, within the limits of uploads. Bodies of
// other kinds are taken where no file is sent.
import type { Socket } from 'node:net';
import type { MultipartFile, MultipartValue } from '@fastify/multipart';
import type { FastifyRequest } from 'fastify';
import { limitExceeded, SheafError, validationError } from '../errors.ts';
import { fileName } from '../files/file-names.ts';
import { tooLarge } from '../files/file-types.ts';
import type { ReceivedFile, Scratch } from '../files/incoming.ts';
import {
  MAX_PART_HEADERS,
  MAX_UPLOAD_FACTOR,
  MAX_UPLOAD_FIELD_BYTES,
  MAX_UPLOAD_FIELDS,
  MAX_UPLOAD_MS,
  MAX_UPLOAD_PAUSE_MS,
  MAX_UPLOADED_FILES,
} from '../limits.ts';
import { parseQueryString } from '../request/query-string.ts';
import { isObject } from '../type-guards.ts';
import type { FrameworkError } from './respond.ts';

declare module 'fastify' {
  interface FastifyInstance {
    readonly uploadTimes: UploadTimes;
  }
}

/** What a request says beside its files. */
export interface UploadFields {
  /** Each `fileInfo`, as text or as an object. */
  readonly infos: readonly unknown[];
  readonly ref: string | null;
  readonly refId: string | null;
  readonly field: string | null;
}

export interface ReceivedUpload {
  readonly files: readonly ReceivedFile[];
  readonly fields: UploadFields;
}

const FILES = 'files';
const INFO = 'fileInfo';

/** For the plugin. Names are checked by our own rules, so they come as they were sent. */
export const MULTIPART_OPTIONS = {
  preservePath: true,
  throwFileSizeLimit: false,
  limits: {
    fieldNameSize: 100,
    fieldSize: MAX_UPLOAD_FIELD_BYTES,
    fields: MAX_UPLOAD_FIELDS,
    files: MAX_UPLOADED_FILES,
    parts: MAX_UPLOADED_FILES + MAX_UPLOAD_FIELDS,
    headerPairs: MAX_PART_HEADERS,
    // Counted by us, so that the answer can say what is too large.
    fileSize: Number.POSITIVE_INFINITY,
  },
} as const;

/** Connections that are in the middle of an upload, which may take longer than other requests. */
const uploading = new WeakSet<Socket>();
export const markUploading = (socket: Socket): unknown => uploading.add(socket);
export const isUploading = (socket: Socket): boolean => uploading.has(socket);

/** How long uploads may take, in milliseconds. */
export interface UploadTimes {
  readonly pause: number;
  readonly whole: number;
}

export const UPLOAD_TIMES: UploadTimes = { pause: MAX_UPLOAD_PAUSE_MS, whole: MAX_UPLOAD_MS };

/** Writes the files of a request to disk. `maxBytes`: of one file. */
export async function receiveUpload(
  request: FastifyRequest,
  scratch: Scratch,
  { maxBytes }: { readonly maxBytes: number },
): Promise<ReceivedUpload> {
  if (!request.isMultipart()) return { files: [], fields: fieldsOfBody(request.body) };
  return receiveWhole(request, maxBytes, () => receiveParts(request, scratch, maxBytes));
}

/** A file of a form, with the name of its part. */
export interface FormFile extends ReceivedFile {
  readonly field: string;
}

export interface ReceivedForm {
  readonly files: readonly FormFile[];
  /** The last value of each name; the body itself where it is no form. */
  readonly body: unknown;
}

/** The same of a form of any parts. */
export async function receiveForm(
  request: FastifyRequest,
  scratch: Scratch,
  { maxBytes }: { readonly maxBytes: number },
): Promise<ReceivedForm> {
  if (!request.isMultipart()) return { files: [], body: request.body };
  return receiveWhole(request, maxBytes, async () => {
    const files: FormFile[] = [];
    const texts = new Map<string, string>();
    for await (const part of request.parts())
      if (part.type === 'file') files.push({ field: part.fieldname, ...(await receiveFile(part, scratch, maxBytes)) });
      else texts.set(part.fieldname, textOf(part));
    return { files, body: Object.fromEntries(texts) };
  });
}

/** Within the limits of a whole upload. */
async function receiveWhole<T>(request: FastifyRequest, maxBytes: number, receive: () => Promise<T>): Promise<T> {
  const maxBody = maxBytes * MAX_UPLOAD_FACTOR;
  const watch = new UploadWatch(request, maxBody, request.server.uploadTimes);
  try {
    if (Number(request.headers['content-length'] ?? 0) > maxBody) throw wholeTooLarge(maxBody);
    return await receive();
  } catch (error) {
    throw watch.reason ?? uploadError(error);
  } finally {
    watch.end();
  }
}

async function receiveParts(request: FastifyRequest, scratch: Scratch, maxBytes: number): Promise<ReceivedUpload> {
  const files: ReceivedFile[] = [];
  const texts: [string, string][] = [];
  for await (const part of request.parts()) {
    if (part.type === 'file' && part.fieldname === FILES) files.push(await receiveFile(part, scratch, maxBytes));
    else if (part.type === 'file') part.file.resume();
    else texts.push([part.fieldname, textOf(part)]);
  }
  // An empty file that is sent alone is what browsers send for none.
  const isEmpty = files.length === 1 && files[0]!.size === 0;
  return { files: isEmpty ? [] : files, fields: fieldsOf(texts) };
}

async function receiveFile(part: MultipartFile, scratch: Scratch, maxBytes: number): Promise<ReceivedFile> {
  // A name that is not taken need not be waited for.
  const name = fileName(part.filename);
  return scratch.receive(part.file, { name, mime: part.mimetype ?? null }, maxBytes);
}

function textOf({ fieldname, value, valueTruncated }: MultipartValue): string {
  if (valueTruncated)
    throw limitExceeded('MAX_UPLOAD_FIELD_BYTES', MAX_UPLOAD_FIELD_BYTES, 'bytes', { key: fieldname });
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A part may name an encoding in which halves of characters can be sent.
  if (!text.isWellFormed()) throw validationError(`Invalid value for ${fieldname}: expected text`, { key: fieldname });
  return text;
}

function fieldsOf(texts: readonly (readonly [string, string])[]): UploadFields {
  const last = (name: string): string | null => texts.findLast(([key]) => key === name)?.[1] ?? null;
  const infos: unknown[] = texts.filter(([key]) => key === INFO).map(([, text]) => text);
  const bracketed = texts.filter(([key]) => key.startsWith(`${INFO}[`));
  if (bracketed.length > 0) infos.push(...infosInBrackets(bracketed));
  return { infos, ref: last('ref'), refId: last('refId'), field: last('field') };
}

/** `fileInfo[name]=x`, and `fileInfo[0][name]=x` for several. */
function infosInBrackets(texts: readonly (readonly [string, string])[]): unknown[] {
  const query = texts.map(([key, text]) => `${key}=${encodeURIComponent(text)}`).join('&');
  const { [INFO]: value } = parseQueryString(query);
  return Array.isArray(value) && value.length === 1 ? [value[0]] : [value];
}

function fieldsOfBody(body: unknown): UploadFields {
  const given = isObject(body) ? body : {};
  const text = (value: unknown): string | null =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : null;
  const { ref, refId, field, [INFO]: info } = given;
  return { infos: info === undefined ? [] : [info], ref: text(ref), refId: text(refId), field: text(field) };
}

/** A timer that is later than this shows that the process itself stood still, and may not have read what came. */
const LATE_FACTOR = 1.25;

/** Ends an upload that is too long, or that does not go on. */
class UploadWatch {
  /** Why it was ended. */
  reason: SheafError | null = null;
  readonly #request: FastifyRequest;
  readonly #socket: Socket;
  readonly #onData: (chunk: Buffer) => void;
  readonly #whole: NodeJS.Timeout;
  #pause: NodeJS.Timeout;
  readonly #pauseMs: number;
  #lastData = performance.now();
  #bytes = 0;

  constructor(request: FastifyRequest, maxBytes: number, { pause, whole }: UploadTimes) {
    this.#request = request;
    this.#socket = request.raw.socket;
    markUploading(this.#socket);
    this.#whole = setTimeout(() => this.#stop(timedOut()), whole);
    this.#pauseMs = pause;
    this.#pause = setTimeout(() => this.#waited(), pause);
    this.#onData = (chunk) => {
      this.#bytes += chunk.length;
      this.#lastData = performance.now();
      this.#pause.refresh();
      if (this.#bytes > maxBytes) this.#stop(wholeTooLarge(maxBytes));
    };
    request.raw.on('data', this.#onData);
  }

  /** A client is not to blame for what has arrived and waits for our own disk, nor for a process that was held up. */
  #waited(): void {
    const { raw } = this.#request;
    const now = performance.now();
    const isLate = now - this.#lastData > this.#pauseMs * LATE_FACTOR;
    if (raw.complete || raw.isPaused() || raw.readableLength > 0 || isLate) {
      this.#lastData = now;
      this.#pause.refresh();
    } else this.#stop(timedOut());
  }

  #stop(reason: SheafError): void {
    if (this.#request.raw.complete) return;
    this.reason ??= reason;
    // Whoever reads the parts learns of it by the error.
    this.#request.raw.emit('error', reason);
  }

  end(): void {
    clearTimeout(this.#whole);
    clearTimeout(this.#pause);
    const { raw } = this.#request;
    raw.off('data', this.#onData);
    // One that was refused may still be on its way.
    if (raw.complete) uploading.delete(this.#socket);
    else raw.once('close', () => uploading.delete(this.#socket));
  }
}

const timedOut = (): SheafError => new SheafError(408, 'RequestTimeoutError', 'The upload does not arrive');
const wholeTooLarge = (allowed: number): SheafError => tooLarge('The upload', allowed);

/** What is wrong with a body, as far as it is the client's doing. */
function uploadError(thrown: unknown): unknown {
  if (thrown instanceof SheafError || !(thrown instanceof Error)) return thrown;
  const error: FrameworkError = thrown;
  const { code, statusCode, message } = error;
  switch (code) {
    case 'FST_FILES_LIMIT':
      return limitExceeded('MAX_UPLOADED_FILES', MAX_UPLOADED_FILES, 'files');
    case 'FST_FIELDS_LIMIT':
    case 'FST_PARTS_LIMIT':
      return limitExceeded('MAX_UPLOAD_FIELDS', MAX_UPLOAD_FIELDS, 'parts');
    case 'ECONNRESET':
      // Nobody hears of it.
      return new SheafError(400, 'BadRequestError', 'The upload was not finished');
  }
  // Errors of disks and streams have a code, and defects of ours a class. What is left comes from the parser.
  const isParser = code === undefined && error.constructor === Error;
  if (!isParser && (statusCode === undefined || statusCode >= 500)) return error;
  // The parser looks for the boundary, and says so in words of its own.
  const problem = message.includes('needle') ? 'Boundary too long' : message;
  return validationError(`The body is not valid multipart/form-data: ${problem}`);
}
