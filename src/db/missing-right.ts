// What an account of PostgreSQL may not do, told to the operator.
import { SetupError } from '../errors.ts';

const INSUFFICIENT_PRIVILEGE = '42501';

/** Null for any other error. */
export function missingRight(error: unknown): SetupError | null {
  if (!(error instanceof Error) || !('code' in error) || error.code !== INSUFFICIENT_PRIVILEGE) return null;
  return new SetupError(`The account of the database lacks a right: ${error.message}`, [
    'grant it what docs/operations.md lists under PostgreSQL, or name another account in the URL',
    'to create what is missing with an account that may, run sheaf schema apply with it',
  ]);
}
