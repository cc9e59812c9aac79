// Passwords, hashed and compared on other threads, never more than a few at a time: it is meant to be slow, and must not
// keep others waiting. Hashes that Strapi 5 made are compared as they are.
import { MAX_HASHES_AT_ONCE, MAX_WAITING_HASHES } from './limits.ts';
import { Semaphore } from './semaphore.ts';

/** Loaded with the first password; a start need not wait for it. */
let loaded: Promise<typeof import('bcrypt')> | null = null;
const bcrypt = async (): Promise<typeof import('bcrypt')> => {
  loaded ??= import('bcrypt').then((module) => module.default);
  return loaded;
};

const ROUNDS = 10;
/** Longer ones would be cut short by the hash, so that two of them could be the same. */
const MAX_PASSWORD_BYTES = 72;

export const isTooLong = (password: string): boolean => Buffer.byteLength(password) > MAX_PASSWORD_BYTES;

const hashes = new Semaphore(MAX_HASHES_AT_ONCE, {
  maxWaiting: MAX_WAITING_HASHES,
  maxWaitMs: null,
  refusal: 'Too many passwords are being checked; try again',
});

export const hashPassword = (password: string, rounds = ROUNDS): Promise<string> =>
  hashes.run(async () => (await bcrypt()).hash(password, rounds));

/** Of random bytes that nobody has kept; comparing with it takes as long as with any other of the same cost. */
const dummyHash = (rounds: number): string =>
  `$2b$${String(rounds).padStart(2, '0')}$r9KhyDusKc.HkpSPwPIqFO7osWgnZxIzLcAi7SsNwZfJRdEbyJ8MW`;

/**
 * Takes as long where there is no hash, so that time does not tell whether an account exists. `rounds`: what the hash of
 * an account costs.
 */
export async function isPassword(password: string, hash: string | null, rounds = ROUNDS): Promise<boolean> {
  const matches = await hashes.run(async () => {
    const { compare } = await bcrypt();
    return compare(password, (hash ?? dummyHash(rounds)).replace(/^\$2y\$/, '$2b$'));
  });
  return matches && hash !== null;
}
