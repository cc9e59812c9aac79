// What a client would be told.
import { SheafError } from '../../src/errors.ts';

/** The error that the work ends with; the test ends where it ends otherwise. */
export function refusalOf(work: () => unknown): SheafError {
  try {
    work();
  } catch (error) {
    if (error instanceof SheafError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

/** The same as it is sent. */
export function sentRefusal(work: () => unknown): { status: number; name: string; message: string; details: object } {
  const { status, name, message, details } = refusalOf(work);
  return { status, name, message, details };
}
