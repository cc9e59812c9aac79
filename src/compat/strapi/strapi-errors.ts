// The errors of `@strapi/utils`, and what an answer tells of whatever code throws.
import { forbiddenError, SheafError, unauthorizedError } from '../../errors.ts';
import { isPlainObject } from '../../request/grammar.ts';
import { memberOf } from '../../type-guards.ts';

export class ApplicationError extends Error {
  /** Code may put anything there. */
  details: unknown;

  constructor(message = 'An application error occurred', details: unknown = {}) {
    super(message);
    this.name = 'ApplicationError';
    this.details = details;
  }
}

export class ValidationError extends ApplicationError {
  constructor(message?: string, details?: unknown) {
    super(message ?? 'Validation error', details);
    this.name = 'ValidationError';
  }
}

export class PaginationError extends ApplicationError {
  constructor(message = 'Invalid pagination', details?: unknown) {
    super(message, details);
    this.name = 'PaginationError';
  }
}

export class NotFoundError extends ApplicationError {
  constructor(message = 'Entity not found', details?: unknown) {
    super(message, details);
    this.name = 'NotFoundError';
  }
}

export class ForbiddenError extends ApplicationError {
  constructor(message = 'Forbidden access', details?: unknown) {
    super(message, details);
    this.name = 'ForbiddenError';
  }
}

export class UnauthorizedError extends ApplicationError {
  constructor(message = 'Unauthorized', details?: unknown) {
    super(message, details);
    this.name = 'UnauthorizedError';
  }
}

class RateLimitError extends ApplicationError {
  constructor(message = 'Too many requests, please try again later.', details?: unknown) {
    super(message, details);
    this.name = 'RateLimitError';
  }
}

class PayloadTooLargeError extends ApplicationError {
  constructor(message = 'Entity too large', details?: unknown) {
    super(message, details);
    this.name = 'PayloadTooLargeError';
  }
}

export class PolicyError extends ForbiddenError {
  constructor(message = 'Policy Failed', details?: unknown) {
    super(message, details);
    this.name = 'PolicyError';
  }
}

class NotImplementedError extends ApplicationError {
  constructor(message = 'This feature is not implemented yet', details?: unknown) {
    super(message, details);
    this.name = 'NotImplementedError';
  }
}

/** The names of errors of the core that are of a kind. */
const KINDS: ReadonlyMap<unknown, string> = new Map<unknown, string>([
  [ValidationError, 'ValidationError'],
  [PaginationError, 'PaginationError'],
  [NotFoundError, 'NotFoundError'],
  [ForbiddenError, 'ForbiddenError'],
  [UnauthorizedError, 'UnauthorizedError'],
  [RateLimitError, 'RateLimitError'],
  [PayloadTooLargeError, 'PayloadTooLargeError'],
]);

// Errors of the core are of these kinds as well, by their names, for code that asks what it has caught.
Object.defineProperty(ApplicationError, Symbol.hasInstance, {
  value(this: typeof ApplicationError, error: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, error)) return true;
    if (!(error instanceof SheafError) || error.status >= 500) return false;
    return this === ApplicationError || KINDS.get(this) === error.name;
  },
});

/** As `errors` of `@strapi/utils`. */
export const strapiErrors = {
  ApplicationError,
  ValidationError,
  PaginationError,
  NotFoundError,
  ForbiddenError,
  UnauthorizedError,
  RateLimitError,
  PayloadTooLargeError,
  PolicyError,
  NotImplementedError,
};

/** What is not listed is a 400. */
const STATUSES: readonly (readonly [type: typeof ApplicationError, status: number])[] = [
  [NotFoundError, 404],
  [UnauthorizedError, 401],
  [ForbiddenError, 403],
  [PayloadTooLargeError, 413],
  [RateLimitError, 429],
  [NotImplementedError, 501],
];

/** An answer that tells of an error. */
export interface ErrorAnswer {
  readonly status: number;
  readonly name: string;
  readonly message: string;
  /** Left out where it is undefined. */
  readonly details: unknown;
}

const statusOf = (error: ApplicationError): number => STATUSES.find(([type]) => error instanceof type)?.[1] ?? 400;

/** Null for what is nobody's answer. */
export function errorAnswer(error: unknown): ErrorAnswer | null {
  if (error instanceof SheafError) {
    const { status, name, message, details } = error;
    return { status, name, message, details };
  }
  if (error instanceof ApplicationError) {
    const { name, message, details } = error;
    return { status: statusOf(error), name, message, details };
  }
  return exposedAnswer(error);
}

/** What `ctx.throw(4xx)` throws, whichever version of the package it comes from, and any error with such a status. */
function exposedAnswer(error: unknown): ErrorAnswer | null {
  const status = httpStatusOf(error);
  if (!(error instanceof Error) || status === null || status > 499) return null;
  const { name, message } = error;
  return { status, name, message, details: memberOf(error, 'details') };
}

/** The status that an error asks to be answered with; null for none. */
export function httpStatusOf(error: unknown): number | null {
  if (!(error instanceof Error)) return null;
  const asked = memberOf(error, 'status') ?? memberOf(error, 'statusCode');
  return Number.isInteger(asked) && Number(asked) >= 400 && Number(asked) <= 599 ? Number(asked) : null;
}

/** Whether an error was thrown to be answered. Others are defects, whatever their status, such as that of a request. */
export const isMeant = (error: unknown): boolean =>
  error instanceof ApplicationError ||
  error instanceof SheafError ||
  (error instanceof Error && memberOf(error, 'expose') === true);

/** As in Strapi, whoever is refused by an error learns no more than that; null where it says more, as of a policy. */
export function refusalOf(error: unknown): 'unauthorized' | 'forbidden' | null {
  // The core says no more than it should.
  if (error instanceof SheafError) return null;
  if (error instanceof UnauthorizedError) return 'unauthorized';
  return error instanceof ForbiddenError && !(error instanceof PolicyError) ? 'forbidden' : null;
}

/** What code threw around an operation of the core to be answered, as the core answers it; null for anything else. */
export function coreError(error: unknown): SheafError | null {
  if (error instanceof SheafError) return null;
  const refusal = refusalOf(error);
  if (refusal) return refusal === 'forbidden' ? forbiddenError() : unauthorizedError('Unauthorized');
  const answer = isMeant(error) ? errorAnswer(error) : null;
  if (!answer) return null;
  const { status, name, message, details } = answer;
  return new SheafError(status, name, message, isPlainObject(details) ? details : {});
}

export const errorBody = ({ status, name, message, details }: ErrorAnswer): object => ({
  data: null,
  error: { status, name, message, ...(details !== undefined && { details }) },
});
