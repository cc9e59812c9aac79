// Bodies that are forms, as HTML, jQuery, Dart and Python send them where nobody says JSON: names in brackets, as in
// queries. All values are text. A page of another site can send one without being asked first, unlike JSON.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SheafError, validationError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import { parseQueryString } from '../request/query-string.ts';

const URLENCODED = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data';

const FORM = new RegExp(`^\\s*(?:${URLENCODED}|${MULTIPART})\\s*(?:;|$)`, 'i');

export const isForm = ({ headers }: FastifyRequest): boolean => FORM.test(headers['content-type'] ?? '');

/** For routes whose bodies have no files. */
export function readForms(app: FastifyInstance, limits: Limits): void {
  app.addContentTypeParser<string>(URLENCODED, { parseAs: 'string' }, async (_request: FastifyRequest, text: string) =>
    parsedForm(text, limits),
  );
  app.addContentTypeParser<Buffer>(MULTIPART, { parseAs: 'buffer' }, async (request: FastifyRequest, bytes: Buffer) =>
    bytes.length === 0 ? undefined : parsedForm(await joinedParts(request, bytes), limits),
  );
}

/** How JSON begins, which some programs call a form unless they are told otherwise. */
const JSON_BEGIN = /^\s*[{[]/;

function parsedForm(text: string, limits: Limits): unknown {
  if (text === '') return undefined;
  if (JSON_BEGIN.test(text)) throw noForm();
  try {
    return parseQueryString(text, limits);
  } catch (error) {
    if (!(error instanceof SheafError)) throw error;
    // What was parsed says that a query is wrong.
    throw 'limit' in error.details ? validationError(error.message, { ...error.details, source: 'body' }) : noForm();
  }
}

const noForm = (): SheafError =>
  validationError('The body cannot be read as a form; JSON needs the header Content-Type: application/json', {
    source: 'body',
  });

/** The parts of a form as the text of the other kind. */
async function joinedParts({ headers }: FastifyRequest, bytes: Buffer): Promise<string> {
  const body = new Response(Uint8Array.from(bytes), { headers: { 'content-type': headers['content-type']! } });
  const form = await body.formData().catch(() => {
    throw validationError('The body is not valid multipart/form-data', { source: 'body' });
  });
  const texts = new URLSearchParams();
  for (const [name, value] of form) {
    if (typeof value !== 'string')
      throw validationError('Files are uploaded by themselves, and named by their id', { key: name, source: 'body' });
    texts.append(name, value);
  }
  return texts.toString();
}
