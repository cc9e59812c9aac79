// The errors that the code of a project answers with. Whatever else it throws is a defect, and a 500.
import { type ErrorDetails, SheafError } from '../errors.ts';

type MakeError = (message?: string, details?: ErrorDetails) => SheafError;

const maker =
  (status: number, name: string, standard: string): MakeError =>
  (message = standard, details = {}) =>
    new SheafError(status, name, message, details);

/** By name, each with the message that it has where none is given. */
export const errors = {
  validation: maker(400, 'ValidationError', 'Validation failed'),
  badRequest: maker(400, 'ApplicationError', 'Bad Request'),
  unauthorized: maker(401, 'UnauthorizedError', 'Missing or invalid credentials'),
  paymentRequired: maker(402, 'PaymentRequiredError', 'Payment Required'),
  forbidden: maker(403, 'ForbiddenError', 'Forbidden'),
  notFound: maker(404, 'NotFoundError', 'Not Found'),
  conflict: maker(409, 'ConflictError', 'Conflict'),
  gone: maker(410, 'GoneError', 'Gone'),
  tooLarge: maker(413, 'PayloadTooLargeError', 'Payload Too Large'),
  unprocessable: maker(422, 'UnprocessableEntityError', 'Unprocessable Entity'),
  tooManyRequests: maker(429, 'RateLimitError', 'Too many requests, please try again later.'),
  unavailable: maker(503, 'ServiceUnavailableError', 'Service Unavailable'),
} as const satisfies Readonly<Record<string, MakeError>>;
