// Passwords, hashed and compared on other threads, never more than a few at a time: it is meant to be slow, and must not
// keep others waiting. Hashes of the reference are compared as they are.
import bcrypt from 'bcrypt';
import { unavailableError } from '../errors.ts';
import { MAX_HASHES_AT_ONCE, MAX_WAITING_HASHES } from '../limits.ts';

const ROUNDS = 10;
/** Longer ones would be cut short by the hash, so that two of them could be the same. */
const MAX_PASSWORD_BYTES = 72;

export const isTooLong = (password: string): boolean => Buffer.byteLength(password) > MAX_PASSWORD_BYTES;

let running = 0;
const waiting: (() => void)[] = [];

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= MAX_HASHES_AT_ONCE) {
    if (waiting.length >= MAX_WAITING_HASHES) throw unavailableError('Too many passwords are being checked; try again');
    await new Promise<void>((resolve) => waiting.push(resolve));
  } else running++;
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}

export const hashPassword = (password: string, rounds = ROUNDS): Promise<string> =>
  inTurn(() => bcrypt.hash(password, rounds));

/** Of random bytes that nobody has kept; comparing with it takes as long as with any other. */
const NOBODY = '$2b$10$r9KhyDusKc.HkpSPwPIqFO7osWgnZxIzLcAi7SsNwZfJRdEbyJ8MW';

/** Takes as long where there is no hash, so that time does not tell whether an account exists. */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const matches = await inTurn(() => bcrypt.compare(password, (hash ?? NOBODY).replace(/^\$2y\$/, '$2b$')));
  return matches && hash !== null;
}
