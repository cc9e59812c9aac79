// The pages of the console, from dist/console. They may run nothing but what comes from this server. Files are read and
// compressed when they are first asked for, and kept.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFoundError, SheafError } from '../../errors.ts';
import type { FileStorage } from '../../files/storage.ts';
import { PACKAGE_ROOT } from '../../package-root.ts';
import { errorCode } from '../../type-guards.ts';
import { entityTag, namesTag } from '../caching.ts';
import { elapsed, sendNothing } from '../respond.ts';
import { pagePolicy } from './page-policy.ts';

const FOLDER = new URL('dist/console/', PACKAGE_ROOT);
const INDEX = 'index.html';
/** The build names these by their content. */
const HASHED = /^assets\//;
/** No view is called so: files, of an earlier build perhaps, and ways out of the folder. */
const NO_VIEW = /^assets(?:\/|$)|(?:^|\/)\.\.(?:\/|$)/;
const FOREVER = 'public, max-age=31536000, immutable';
const COMPRESSIBLE = /^text\/|javascript|json|svg/;
/** The next quality takes ten times as long, for a few per cent. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

type Encoding = 'br' | 'gzip' | 'identity';

interface PageFile {
  readonly content: Buffer;
  readonly type: string;
  readonly tag: string;
}

const compress: Readonly<Record<Encoding, (content: Buffer) => Promise<Buffer> | Buffer>> = {
  br: (content) => promisify(brotliCompress)(content, QUALITY),
  gzip: (content) => promisify(gzip)(content),
  identity: (content) => content,
};

export class ConsoleFiles {
  #names: Promise<ReadonlySet<string>> | null = null;
  readonly #kept = new Map<string, Promise<PageFile>>();
  readonly #storage: FileStorage;
  #policy: Promise<string> | null = null;

  /** `storage`: where the files are that pages show. */
  constructor(storage: FileStorage) {
    this.#storage = storage;
  }

  /** Answers with the file of a name below /console, or with the page, which shows the view that the path names. */
  async send(request: FastifyRequest, reply: FastifyReply, name: string): Promise<void> {
    this.#names ??= namesBelow(FOLDER);
    const names = await this.#names;
    const isFile = names.has(name);
    if (!isFile && NO_VIEW.test(name)) throw notFoundError();
    if (!names.has(INDEX)) throw new SheafError(503, 'ServiceUnavailableError', 'The console is not built');
    const served = isFile ? name : INDEX;
    const encoding = encodingFor(request, served);
    const file = await this.#file(served, encoding);
    this.#policy ??= pagePolicy(this.#storage);
    reply
      .header('content-security-policy', await this.#policy)
      .header('cross-origin-opener-policy', 'same-origin')
      .header('cross-origin-resource-policy', 'same-origin')
      .header('cache-control', HASHED.test(served) ? FOREVER : 'no-cache')
      .header('vary', 'Accept-Encoding')
      .header('etag', file.tag);
    const { 'if-none-match': known } = request.headers;
    if (known !== undefined && namesTag(known, file.tag)) return sendNothing(reply, 304);
    if (encoding !== 'identity') reply.header('content-encoding', encoding);
    reply
      .header('content-type', file.type)
      .header('server-timing', `total;dur=${elapsed(reply).toFixed(3)}`)
      .send(file.content);
  }

  #file(name: string, encoding: Encoding): Promise<PageFile> {
    const key = `${encoding} ${name}`;
    let file = this.#kept.get(key);
    if (!file) {
      file = readPageFile(name, encoding);
      this.#kept.set(key, file);
    }
    return file;
  }
}

async function readPageFile(name: string, encoding: Encoding): Promise<PageFile> {
  const content = await compress[encoding](await readFile(new URL(name, FOLDER)));
  return { content, type: typeOf(name), tag: entityTag(content.toString('latin1')) };
}

/** What the build makes, by the ends of names. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.md': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

const typeOf = (name: string): string => TYPES[path.extname(name)] ?? 'application/octet-stream';

function encodingFor({ headers }: FastifyRequest, name: string): Encoding {
  if (!COMPRESSIBLE.test(typeOf(name))) return 'identity';
  const accepted = String(headers['accept-encoding'] ?? '')
    .split(',')
    .map((coding) => coding.trim());
  return (['br', 'gzip'] as const).find((encoding) => accepted.includes(encoding)) ?? 'identity';
}

/** The files of a folder, with `/` between folders; nothing else is ever opened. */
async function namesBelow(folder: URL): Promise<ReadonlySet<string>> {
  try {
    const entries = await readdir(folder, { recursive: true });
    return new Set(entries.map((name) => name.split(path.sep).join('/')).filter((name) => name.includes('.')));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return new Set();
    throw error;
  }
}
