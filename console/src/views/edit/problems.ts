import { errorMessage } from '../../../../src/type-guards.ts';
import { ApiError } from '../../shell/api.ts';
import type { Problem } from './form/checks.ts';

/** What the server said of a request, at the places that it is about. */
export function problemsOf(error: unknown): readonly Problem[] {
  if (!(error instanceof ApiError)) return [];
  if (error.problems.length > 0)
    return error.problems.map(({ path, message }) => ({ path: path.map(String), message }));
  // A malformed reference or a name that cannot be written is told by its path in one text.
  const { path, key } = error.details;
  const at = [path, key].filter((part): part is string => typeof part === 'string' && part !== '');
  return at.length > 0 ? [{ path: placeOf(at[0]!), message: error.message }] : [];
}

/** What the server says in one word, said so that it is understood. */
export function inWords(error: unknown): string {
  const message = errorMessage(error);
  return message === 'Forbidden'
    ? 'Your role does not allow this, or not any more. What you changed is not saved.'
    : message;
}

/** Where in the form a place of the body is: what is connected belongs to its relation. */
function placeOf(path: string): readonly string[] {
  const parts = path.split('.');
  const operation = parts.findIndex((part) => ['connect', 'disconnect', 'set'].includes(part));
  return operation > 0 ? parts.slice(0, operation) : parts;
}
