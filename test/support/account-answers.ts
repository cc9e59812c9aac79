// What tests of accounts share: who there is, what is shown of them, and other times of day.
import { expect, vi } from 'vitest';
import { expectError, type Person } from './auth.ts';
import type { Answer, Json } from './content.ts';
import { IN_THE_END } from './patience.ts';

export const HOUR_MS = 3_600_000;
export const QUARTER_MS = 900_000;
export const BODY_MODE = { auth: { refreshToken: 'body' } };
export const JOHN = { id: 1, documentId: 'fx30lnc40z7sf8p655udbmnu', username: 'John', email: 'john@example.com' };

/** Of PASSWORD, and so dear that much can happen while a password is compared with it. */
export const SLOW_HASH = '$2b$12$Vu8uIz2YG5IPPCP7W5jBuO53vT4dwMLUXGF3KCxUPtQc8LrtqBP0i';

/** What is shown of an account, and nothing else. */
export const shown = ({ username, email }: Pick<Person, 'username' | 'email'>, values: Json = {}): Json => ({
  id: expect.any(Number),
  documentId: expect.any(String),
  username,
  email,
  provider: 'local',
  confirmed: true,
  blocked: false,
  createdAt: expect.any(String),
  updatedAt: expect.any(String),
  publishedAt: expect.any(String),
  ...values,
});

export const statuses = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status).sort();

/** What cannot be refreshed with. */
export const expectNoRefresh = (answer: Answer): void =>
  expectError(answer, 401, 'UnauthorizedError', 'Invalid refresh token');

/** Goes on when everybody has noticed that nothing is written any more, and what they know is good for a while. */
export const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));

/** Runs it at another time of day, as far as anyone here can tell. */
export async function at<T>(moment: number, work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: moment });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}

/** Calls until it is true, once at least; for what another process is told of. */
export const soon = (check: () => Promise<void>): Promise<void> => vi.waitFor(check, IN_THE_END);
