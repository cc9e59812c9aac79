// JSON bodies: read as what they are, or refused. Bytes that are no text would be stored as other text than was meant.
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { SheafError } from '../errors.ts';
import { bodyKeyError } from '../request/parse-relation.ts';

/** Why the bytes of a JSON body cannot be read; null where they can. */
export function encodingProblem({ headers }: FastifyRequest, bytes: Buffer): SheafError | null {
  const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (coding !== 'identity')
    return new SheafError(
      415,
      'UnsupportedMediaTypeError',
      'The body is compressed (Content-Encoding); send it as it is',
    );
  return isUtf8(bytes) ? null : new SheafError(400, 'BadRequestError', 'The body is not valid UTF-8');
}

const JSON_TYPES = ['application/json', /^application\/[\w.-]+\+json\b/i];

/** Strapi's own client sends `content-type: application/json` even without a body. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  const whyNot = jsonProblems(app);
  for (const type of JSON_TYPES)
    app.addContentTypeParser<Buffer>(type, { parseAs: 'buffer' }, (request, bytes, done) => {
      if (bytes.length === 0) return done(null, undefined);
      const refusal = encodingProblem(request, bytes);
      if (refusal) return done(refusal);
      const body = bytes.toString('utf8');
      parse(request, body, (error, value) => (error ? done(whyNot(request, body, error)) : done(null, value)));
    });
}

/** Keys that could change what all objects have are named; a body with them is valid JSON all the same. */
function jsonProblems(app: FastifyInstance): (request: FastifyRequest, body: string, error: Error) => Error {
  const isRefused = (action: 'error' | 'ignore', request: FastifyRequest, body: string): boolean => {
    let refused = false;
    app.getDefaultJsonParser(action, 'ignore')(request, body, (error) => {
      refused = error !== null;
    });
    return refused;
  };
  return (request, body, error) => {
    if (isRefused('ignore', request, body)) return error;
    return bodyKeyError(isRefused('error', request, body) ? '__proto__' : 'constructor.prototype', []);
  };
}
