// GET /uploads/*: the files of a project from their folder. Nothing that was uploaded can do anything in our origin: what
// can hold scripts is shown without any rights, and everything is of the type that its name says.
import { realpath } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { mime, send } from '@fastify/send';
import type { FastifyReply } from 'fastify';
import { notFoundError, SheafError } from '../errors.ts';
import { isMissing, UPLOADS } from '../files/local-storage.ts';
import { parseResizing, resizedFile } from '../files/resize.ts';
import type { FileSettings } from '../project/file-settings.ts';
import { errorCode } from '../type-guards.ts';
import { elapsed } from './respond.ts';
import { type Handler, pathParameterOf, queryOf, type Route, type RouteContext } from './routes.ts';

const UNKNOWN = 'application/octet-stream';
/** Types that browsers open as a page, and run scripts of. */
const PAGE = /^(?:text\/html|text\/xml|application\/xml|application\/[\w.-]+\+xml)$/;
/** Types that pages load as scripts, those of the console from this server among them. */
const SCRIPT = /^(?:text|application)\/(?:java|ecma)script$/;
const PLAIN = 'text/plain; charset=utf-8';
/** Types that cannot do anything. */
const PASSIVE = /^(?:image\/(?!svg)|video\/|audio\/|font\/|application\/pdf$)/;
const SVG = 'image/svg+xml';
const PDF = 'application/pdf';
const SANDBOX = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'";
const INLINE =
  "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'";

export function uploadRoutes(context: RouteContext): Route[] {
  const { sheaf, auth } = context;
  const handler: Handler = async (request, reply) => {
    const { folder } = sheaf.files;
    const name = pathParameterOf(request, '*');
    const settings = auth.settings.files;
    const file = await placeOf(folder, name);
    const asked =
      settings.resize &&
      parseResizing(queryOf(request, context), settings.resize, request.originalUrl, () => sheaf.files.resizeKey);
    const resized = asked && (await resizedFile(folder, name, asked));
    return sendFrom(reply, resized ?? file, (type) => uploadHeaders(type, settings));
  };
  return [
    {
      method: 'GET',
      path: `${UPLOADS}*`,
      action: null,
      operation: null,
      parameters: [],
      describes: 'fileContent',
      limit: null,
      refusesInEnvelope: true,
      handler,
    },
  ];
}

/** Headers of a file by its type. A type among them takes the place of that. */
type HeadersOf = (type: string) => Record<string, string>;

/** Sends a file of the disk, or what the client lacks of it. */
export async function sendFrom(reply: FastifyReply, file: string, headersOf: HeadersOf): Promise<void> {
  const { request } = reply;
  const result = await send(withoutCacheControl(request.raw), encodeURIComponent(path.basename(file)), {
    root: path.dirname(file),
    cacheControl: false,
    dotfiles: 'allow',
    index: false,
  });
  if (result.type !== 'file') return refuse(reply, result.statusCode, result.headers);
  // By the name, since a 304 has no type, and its headers replace those that a cache has.
  const { 'content-type': type, ...headers } = headersOf(mime.getType(file) ?? UNKNOWN);
  if (result.statusCode !== 304) reply.header('content-type', UNKNOWN);
  reply.code(result.statusCode).headers(result.headers);
  if (result.statusCode !== 304 && type !== undefined) reply.header('content-type', type);
  reply
    .headers(headers)
    .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
    .send(result.stream);
}

/** A client that asks by a tag gets a 304, also one that says that no cache shall answer it: none did. */
const withoutCacheControl = (request: IncomingMessage): IncomingMessage => {
  const { 'cache-control': _ignored, ...headers } = request.headers;
  return Object.create(request, { headers: { value: headers } });
};

function uploadHeaders(type: string, { cacheControl, active, pdf }: FileSettings): Record<string, string> {
  const isSaved =
    PAGE.test(type) ||
    SCRIPT.test(type) ||
    (type === SVG && active === 'attachment') ||
    (type === PDF && pdf === 'attachment');
  return {
    'cache-control': cacheControl,
    'content-security-policy': PASSIVE.test(type) ? INLINE : SANDBOX,
    ...(SCRIPT.test(type) && { 'content-type': PLAIN }),
    ...(isSaved && { 'content-disposition': 'attachment' }),
    // Pages of other origins show pictures and play films.
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'Origin',
  };
}

/** The file that a name stands for, in the folder and nowhere else. */
export async function placeOf(folder: string, name: string): Promise<string> {
  if (name === '' || /[\0\\]/.test(name) || name.split('/').some((part) => part === '' || part.startsWith('.')))
    throw notFoundError();
  try {
    const place = await realpath(path.join(folder, name));
    const root = await realpath(folder);
    if (!place.startsWith(root + path.sep)) throw notFoundError();
    return place;
  } catch (error) {
    if (isMissing(error) || errorCode(error) === 'ENAMETOOLONG') throw notFoundError();
    throw error;
  }
}

function refuse(reply: FastifyReply, status: number, headers: Record<string, string>): never {
  if (status === 416) {
    reply.header('content-range', headers['Content-Range'] ?? '');
    throw new SheafError(416, 'RangeNotSatisfiableError', 'The range begins after the end of the file');
  }
  if (status === 412) throw new SheafError(412, 'PreconditionFailedError', 'Precondition Failed');
  throw notFoundError();
}
