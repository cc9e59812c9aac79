// What could not be read because the server did not answer is read when it answers again.
import type { QueryClient } from '@tanstack/react-query';
import { ApiError, api } from './api.ts';

/** Milliseconds between two questions whether the server is there. */
const LOOK_EVERY = 3000;

export const isUnreachable = (error: unknown): boolean => error instanceof ApiError && error.status === 0;

export function recoverWith(client: QueryClient): void {
  let isWaiting = false;
  const look = async (): Promise<void> => {
    const error = await api.get('session').then(
      () => null,
      (refusal: unknown) => refusal,
    );
    if (isUnreachable(error)) {
      setTimeout(look, LOOK_EVERY);
      return;
    }
    isWaiting = false;
    await client.refetchQueries({ type: 'active', predicate: ({ state }) => isUnreachable(state.error) });
  };
  client.getQueryCache().subscribe(({ query }) => {
    if (isWaiting || !isUnreachable(query.state.error)) return;
    isWaiting = true;
    setTimeout(look, LOOK_EVERY);
  });
}
