// The body of a request for the code of a project, as Strapi gives it: JSON, forms in brackets, text, and files on disk.
import type { FastifyRequest } from 'fastify';
import qs from 'qs';
import type { Sheaf } from '../app.ts';
import { SheafError, validationError } from '../errors.ts';
import type { Scratch } from '../files/incoming.ts';
import { encodingProblem } from './json-body.ts';
import { type FormFile, receiveForm } from './receive-upload.ts';

export interface CodeBody {
  readonly body: unknown;
  /** Files by the name of their part: one, or a list. Undefined where the body is no form with files. */
  readonly files: unknown;
}

export async function readCodeBody(request: FastifyRequest, scratch: Scratch, sheaf: Sheaf): Promise<CodeBody> {
  if (request.isMultipart()) {
    const { body, files } = await receiveForm(request, scratch, sheaf.files.settings);
    return { body, files: filesByField(files) };
  }
  const text = await readText(request, sheaf.settings.limits.bodyBytes);
  return { body: withText(codeBodyOf(request, text), text), files: undefined };
}

/** By which code finds the text of a body, to check who has signed it. */
const UNPARSED = Symbol.for('unparsedBody');

/** Strapi puts it there where the project asks for it; nobody else sees it. */
function withText(body: unknown, text: string): unknown {
  return typeof body === 'object' && body !== null ? Object.defineProperty(body, UNPARSED, { value: text }) : body;
}

/** As formidable has it. */
function filesByField(files: readonly FormFile[]): Record<string, unknown> {
  const shown = files.map((file) => ({
    field: file.field,
    file: {
      filepath: file.path,
      originalFilename: file.name,
      newFilename: file.path.slice(file.path.lastIndexOf('/') + 1),
      mimetype: file.mime,
      size: file.size,
    },
  }));
  const groups = Map.groupBy(shown, ({ field }) => field);
  return Object.fromEntries(
    [...groups].map(([field, group]) => [field, group.length === 1 ? group[0]!.file : group.map(({ file }) => file)]),
  );
}

export async function readText(request: FastifyRequest, allowed: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  // One that is refused is not destroyed: what still comes of it has to be read before the connection can close.
  for await (const chunk of request.raw.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > allowed)
      throw new SheafError(
        413,
        'PayloadTooLargeError',
        `The body is too large: at most ${allowed} bytes (MAX_BODY_BYTES)`,
      );
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const refusal = isJson(request) && size > 0 ? encodingProblem(request, bytes) : null;
  if (refusal) throw refusal;
  return bytes.toString('utf8');
}

const typeOf = ({ headers }: FastifyRequest): string =>
  (headers['content-type'] ?? '').toLowerCase().split(/\s*;/, 1)[0] ?? '';

function isJson(request: FastifyRequest): boolean {
  const type = typeOf(request);
  return type === 'application/json' || type.endsWith('+json');
}

export function codeBodyOf(request: FastifyRequest, text: string): unknown {
  const type = typeOf(request);
  if (text === '') return {};
  if (isJson(request)) return parsedJson(text);
  if (type === 'application/x-www-form-urlencoded') return qs.parse(text, { depth: 20, arrayLimit: 100 });
  return type.startsWith('text/') ? text : {};
}

/** Keys that would change what all objects have are refused. */
function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text, (key, value) => {
      if (key === '__proto__') throw validationError('Invalid key __proto__ in the body');
      return value;
    });
  } catch (error) {
    if (error instanceof SheafError) throw error;
    throw new SheafError(400, 'BadRequestError', 'The body is not valid JSON');
  }
}
