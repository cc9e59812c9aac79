// Bodies that the console sends, checked: each problem is told with the key it is at.
import type * as v from 'valibot';
import { check } from '../../check-json.ts';
import { fieldError, validationError } from '../../errors.ts';

export function checkedBody<T>(schema: v.GenericSchema<unknown, T>, body: unknown): T {
  const checked = check(schema, body);
  if (checked.ok) return checked.value;
  const problems = checked.problems.map(({ path, message }) => ({
    path,
    message: path.length > 0 ? `Invalid key ${path.join('.')}: ${message}` : `Invalid body: ${message}`,
    name: 'ValidationError',
  }));
  throw validationError(problems.map(({ message }) => message).join('; '), { errors: problems });
}

/** A value that is right in form, and still cannot be used. */
export const invalidMember = (key: string, message: string): Error =>
  fieldError(key, `Invalid value for ${key}: ${message}`);
