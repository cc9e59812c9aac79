// What every route answers besides what it is for: errors by status, and headers.
import type { Description } from './description.ts';
import { anyOf, type JsonSchema, listOf, strictObject, TEXT } from './named-schemas.ts';

/** A member of a document that OpenAPI defines. */
export interface OpenApiObject {
  readonly [key: string]: unknown;
}

const STATUSES = [400, 401, 403, 404, 405, 408, 412, 413, 414, 415, 416, 417, 429, 431, 500, 503] as const;
export type ErrorStatus = (typeof STATUSES)[number];

/** Statuses of errors, with the names that errors have there and when they come. */
const ERRORS: Readonly<Record<ErrorStatus, readonly [names: readonly [string, ...string[]], text: string]>> = {
  400: [
    ['ValidationError', 'PaginationError', 'ApplicationError', 'BadRequestError'],
    'The request is wrong: a name, a value, a limit, or what the body holds. `details` says where.',
  ],
  401: [['UnauthorizedError'], 'The token is missing, wrong, or has expired.'],
  403: [['ForbiddenError'], 'The caller lacks the right.'],
  404: [['NotFoundError'], 'There is no such entry, or none that the caller may see.'],
  405: [['MethodNotAllowedError'], 'The server is read-only.'],
  408: [['RequestTimeoutError'], 'The request does not arrive.'],
  412: [['PreconditionFailedError'], 'The file is not the one that the request is about.'],
  413: [['PayloadTooLargeError'], 'The body, or a file in it, is too large.'],
  414: [['UriTooLongError'], 'The URL is too long; the parameters may be sent as a body.'],
  415: [['UnsupportedMediaTypeError'], 'The body is of a type that is not read here.'],
  416: [['RangeNotSatisfiableError'], 'The range begins after the end of the file.'],
  417: [['ExpectationFailedError'], 'The header Expect asks for something unknown.'],
  429: [['RateLimitError'], 'Too many requests, or requests of too high a cost. `Retry-After` says when to go on.'],
  431: [['RequestHeaderFieldsTooLargeError'], 'The headers are too large.'],
  500: [['InternalServerError'], 'A defect of the server. Its log has more under the id of the request.'],
  503: [
    ['ServiceUnavailableError'],
    'The database or the server cannot take the request now. `Retry-After` says when to try again.',
  ],
};

/** What can be wrong with every request; what is rare besides is described as the default. */
const ALWAYS: readonly ErrorStatus[] = [400, 500, 503];
/** With one that needs a right. */
export const NEEDS_RIGHT: readonly ErrorStatus[] = [401, 403];
/** With one that writes, or has a body. */
export const HAS_BODY: readonly ErrorStatus[] = [413, 415];

export const errorSchema = ({ schemas }: Description, status: ErrorStatus): JsonSchema =>
  schemas.refer(`Error${status}`, () =>
    strictObject({
      data: { type: 'null' },
      error: strictObject({
        status: { const: status },
        name: { enum: ERRORS[status][0] },
        message: TEXT,
        details: schemas.refer('ErrorDetails', errorDetails),
      }),
    }),
  );

const errorDetails = (): JsonSchema => ({
  type: 'object',
  properties: {
    errors: listOf(strictObject({ path: listOf(TEXT), message: TEXT, name: TEXT }), {
      description: 'Every problem of a body.',
    }),
    key: { type: 'string', description: 'The name that is wrong.' },
    path: { type: ['string', 'null'], description: 'Where it stands.' },
    source: { enum: ['query', 'body'] },
    param: { type: 'string', description: 'The query parameter.' },
    limit: { type: 'string', description: 'The limit that was exceeded.' },
    allowed: { type: 'number' },
  },
});

const JSON_TYPE = 'application/json';

export const jsonContent = (schema: JsonSchema, example?: unknown): OpenApiObject => ({
  [JSON_TYPE]: { schema, ...(example !== undefined && { example }) },
});

/** Headers of answers. */
const HEADERS = {
  ETag: ['A tag of the answer, to ask with in `If-None-Match`.', TEXT],
  'Retry-After': ['Seconds until the request may be sent again.', { type: 'integer', minimum: 0 }],
  'Server-Timing': ['How long the parts of the work took, and what the read cost.', TEXT],
  'WWW-Authenticate': ['How to say who calls.', TEXT],
  'X-RateLimit-Limit': ['What may be spent in a time.', { type: 'integer' }],
  'X-RateLimit-Remaining': ['What is left of it.', { type: 'integer' }],
  'X-RateLimit-Reset': ['Seconds until all of it may be spent again.', { type: 'integer' }],
  'X-Request-Id': ['The id of the request, as the log has it.', TEXT],
  'x-sheaf-hint': ['What the request probably means but does not say.', TEXT],
  'x-sheaf-ignored': ['Names in the request that mean nothing here, with commas between them.', TEXT],
  'x-sheaf-position': ['With replicas: how far the write went. Sent back, it makes a read wait for that.', TEXT],
} as const satisfies Readonly<Record<string, readonly [text: string, schema: JsonSchema]>>;

type HeaderName = keyof typeof HEADERS;

const ON_EVERY_ANSWER: readonly HeaderName[] = ['Server-Timing', 'X-Request-Id'];
export const RATE_LIMIT_HEADERS: readonly HeaderName[] = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
];
export const READ_HEADERS: readonly HeaderName[] = ['ETag', 'x-sheaf-hint', 'x-sheaf-ignored'];
export const WRITE_HEADERS: readonly HeaderName[] = ['x-sheaf-ignored', 'x-sheaf-position'];

export const headersOf = (names: readonly HeaderName[]): OpenApiObject =>
  Object.fromEntries(
    [...ON_EVERY_ANSWER, ...names].sort().map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );

export const headerComponents = (): OpenApiObject =>
  Object.fromEntries(Object.entries(HEADERS).map(([name, [description, schema]]) => [name, { description, schema }]));

const ERROR_HEADERS: Readonly<Partial<Record<ErrorStatus, readonly HeaderName[]>>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', ...RATE_LIMIT_HEADERS],
  503: ['Retry-After'],
};

/** Responses by status, for every route that can answer so. */
export const errorComponents = (description: Description): OpenApiObject => ({
  OtherError: {
    description:
      'An error that any request can meet: too long a URL, too large headers, a request that does not arrive.',
    headers: headersOf([]),
    content: jsonContent(anyOf(...OTHERS.map((status) => errorSchema(description, status)))),
  },
  ...Object.fromEntries(
    STATUSES.map((status) => [
      `Error${status}`,
      {
        description: ERRORS[status][1],
        headers: headersOf(ERROR_HEADERS[status] ?? []),
        content: jsonContent(errorSchema(description, status), exampleError(status)),
      },
    ]),
  ),
});

/** Errors that are not listed at each route. */
const OTHERS: readonly ErrorStatus[] = [408, 414, 417, 431];

const exampleError = (status: ErrorStatus): OpenApiObject => ({
  data: null,
  error: { status, name: ERRORS[status][0][0], message: ERRORS[status][1], details: {} },
});

/** References to the errors that a route can answer with. */
export const errorResponses = (further: readonly ErrorStatus[]): OpenApiObject => ({
  default: { $ref: '#/components/responses/OtherError' },
  ...Object.fromEntries(
    [...new Set([...ALWAYS, ...further])].map((status) => [
      String(status),
      { $ref: `#/components/responses/Error${status}` },
    ]),
  ),
});
