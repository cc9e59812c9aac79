// What the server says is wrong, at the control that it is about.
import { ApiError } from './api.ts';

interface FieldProblem {
  readonly field: string;
  readonly message: string;
}

/** What is wrong with the members of what was sent, each by its name. */
function problemsOf(error: Error | null): readonly FieldProblem[] {
  if (!(error instanceof ApiError)) return [];
  const { key } = error.details;
  if (error.problems.length === 0 && typeof key === 'string')
    return [{ field: key.split('.')[0]!, message: error.message }];
  return error.problems.map(({ path, message }) => ({ field: String(path[0]), message }));
}

/** What is wrong with a field; null where nothing is. */
export function problemOf(error: Error | null, field: string): string | null {
  const found = problemsOf(error).filter((problem) => problem.field === field);
  return found.length === 0 ? null : found.map(({ message }) => message).join('. ');
}

/** The error, unless all that it tells stands at one of the fields. */
export function otherProblem(error: Error | null, fields: readonly string[]): Error | null {
  const problems = problemsOf(error);
  return problems.length > 0 && problems.every(({ field }) => fields.includes(field)) ? null : error;
}
