// Tests hash passwords at the lowest cost there is: at full cost, a run spends half a minute of processor time on them.
// What is about the cost itself says so with atFullCost. Hashes in the guide's database cost what they cost everywhere.
import bcrypt from 'bcrypt';
import { afterAll, beforeAll, vi } from 'vitest';

const CHEAP_ROUNDS = 4;

function hashCheaply(): void {
  const { hash } = bcrypt;
  const cheaply = (password: string) => hash(password, CHEAP_ROUNDS);
  vi.spyOn(bcrypt, 'hash').mockImplementation(cheaply as typeof hash);
}

/** A suite may have restored everything itself. */
function restore(): void {
  if (vi.isMockFunction(bcrypt.hash)) vi.mocked(bcrypt.hash).mockRestore();
}

/** Runs what is about the cost of hashes. */
export async function atFullCost<T>(work: () => Promise<T>): Promise<T> {
  restore();
  try {
    return await work();
  } finally {
    hashCheaply();
  }
}

beforeAll(hashCheaply);
afterAll(restore);
