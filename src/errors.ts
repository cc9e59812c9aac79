// Every error a client can meet, with its status, its name on the wire and its details.
// Anything else that is thrown is a defect of ours and leaves as a bare 500.
import { inspect } from 'node:util';

export interface ErrorDetails {
  readonly [key: string]: unknown;
}

export class SheafError extends Error {
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(status: number, name: string, message: string, details: ErrorDetails = {}) {
    super(message);
    this.status = status;
    this.name = name;
    this.details = details;
  }
}

export const validationError = (message: string, details: ErrorDetails = {}): SheafError =>
  new SheafError(400, 'ValidationError', message, details);

/** A value of a body that cannot be taken, at its key. */
export const fieldError = (key: string, message: string): SheafError =>
  validationError(message, { errors: [{ path: [key], message, name: 'ValidationError' }] });

export const paginationError = (message: string, details: ErrorDetails = {}): SheafError =>
  new SheafError(400, 'PaginationError', message, details);

export const unauthorizedError = (message = 'Missing or invalid credentials'): SheafError =>
  new SheafError(401, 'UnauthorizedError', message);

export const forbiddenError = (): SheafError => new SheafError(403, 'ForbiddenError', 'Forbidden');

/** A request that is well formed and cannot be granted as things stand. */
export const applicationError = (message: string, details: ErrorDetails = {}): SheafError =>
  new SheafError(400, 'ApplicationError', message, details);

/** Too many requests; `seconds` until another may be sent. */
export class RateLimitError extends SheafError {
  readonly seconds: number;

  constructor(seconds: number) {
    super(429, 'RateLimitError', 'Too many requests, please try again later.');
    this.seconds = seconds;
  }
}

export const notFoundError = (message = 'Not Found'): SheafError => new SheafError(404, 'NotFoundError', message);

export const methodNotAllowedError = (allowed: readonly string[]): SheafError =>
  new SheafError(405, 'MethodNotAllowedError', `Method Not Allowed. This path answers ${allowed.join(', ')}.`);

/** A write where nothing is written. */
export const readOnlyError = (): SheafError =>
  new SheafError(
    405,
    'MethodNotAllowedError',
    'This server is read-only: it answers reads, and takes no writes and no logins.',
  );

/** The database cannot take the request now; the same request may succeed a little later. `cause` is for the log. */
export function unavailableError(message: string, cause?: unknown): SheafError {
  const error = new SheafError(503, 'ServiceUnavailableError', message);
  error.cause = cause;
  return error;
}

/** The names of attributes on the way to a place in a query, without the operators; null at the root. */
export const attributePath = (place: readonly string[]): string | null =>
  place.filter((name) => !name.startsWith('$')).join('.') || null;

/**
 * A key the client may not use here. Unknown, private and forbidden names all end in this one answer; `why` is said of
 * operators, which are the same for all.
 */
export function invalidKey(key: string, at: readonly string[], param: string, why?: string): SheafError {
  const path = attributePath(at);
  const where = path !== null && path !== key ? ` at ${path}` : '';
  const because = why === undefined ? '' : `: ${why}`;
  return validationError(`Invalid key ${key}${where}${because}`, { key, path, source: 'query', param });
}

/** A key that is right with a value that is not. The value itself is never repeated. */
export function invalidValue(key: string, at: readonly string[], param: string, expected: string): SheafError {
  const place = [...at, key];
  const details = { key, path: attributePath(place), source: 'query', param };
  return validationError(`Invalid value for ${place.join('.')}: expected ${expected}`, details);
}

/** A `pagination[cursor]` that leads nowhere. */
export const invalidCursor = (expected: string): SheafError =>
  validationError(`Invalid value for pagination[cursor]: expected ${expected}`, {
    key: 'cursor',
    path: 'cursor',
    source: 'query',
    param: 'pagination',
  });

/** A request past one of the limits of limits.ts. */
export function limitExceeded(limit: string, allowed: number, what: string, details: ErrorDetails = {}): SheafError {
  return validationError(`Too many ${what}: at most ${allowed} (${limit})`, { limit, allowed, ...details });
}

/** A read that did not end by its deadline. */
export const tooSlowError = (cause?: unknown): SheafError =>
  unavailableError('The request takes too long; ask for less, with fewer conditions, relations or entries', cause);

/** Nobody hears of it; it ends the work. */
export const clientGoneError = (): SheafError => unavailableError('The client has gone');

/** The project or the command line is wrong; told to the operator, never to a client. */
export class SetupError extends Error {
  /** What is wrong, without the list. */
  readonly summary: string;
  readonly problems: readonly string[];

  constructor(summary: string, problems: readonly string[] = []) {
    super([summary, ...problems.map((problem) => `  - ${problem}`)].join('\n'));
    this.name = 'SetupError';
    this.summary = summary;
    this.problems = problems;
  }
}

/** The code of a project that an error comes from. */
export interface ErrorOrigin {
  /** Below the project. */
  readonly file: string;
  /** What of it, such as `route GET /api/top`. */
  readonly code: string;
}

/** Whatever code has thrown, as an error. It may be anything, even what cannot be made a text of. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(typeof thrown === 'string' ? thrown : inspect(thrown));

const origins = new WeakMap<Error, ErrorOrigin>();

/** Notes that an error comes from the code of a project: it is a defect there, whatever status it claims to have. */
export const noteOrigin = (error: Error, origin: ErrorOrigin): void => {
  if (!origins.has(error)) origins.set(error, origin);
};

/** Null for an error that does not come from the code of a project. */
export const originOf = (error: Error): ErrorOrigin | null => origins.get(error) ?? null;
