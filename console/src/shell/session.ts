// Who is logged in, and what they may do.
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import type { ConsoleRight, ConsoleSession, EditAction } from '../../../src/console/contract.ts';
import { ApiError, api } from './api.ts';

export const SESSION_KEY = ['session'] as const;

/** The session; null where nobody is logged in, undefined while it is asked for. */
export function useSessionQuery(): {
  readonly session: ConsoleSession | null | undefined;
  readonly error: Error | null;
} {
  const { data, error } = useQuery({
    queryKey: SESSION_KEY,
    queryFn: async () => {
      try {
        return await api.get<ConsoleSession>('session');
      } catch (problem) {
        if (problem instanceof ApiError && problem.status === 401) return null;
        throw problem;
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return { session: data, error };
}

/** Someone has logged in. What views have read for whoever was logged in before is not shown to them. */
export function beginSession(client: QueryClient, session: ConsoleSession): void {
  client.removeQueries({ type: 'inactive' });
  client.setQueryData(SESSION_KEY, session);
}

export const SessionContext = createContext<ConsoleSession | null>(null);

/** The session of whoever is logged in; everything but the log-in page stands inside one. */
export function useSession(): ConsoleSession & {
  can(right: ConsoleRight): boolean;
  mayEdit(uid: string, action: EditAction): boolean;
} {
  const session = useContext(SessionContext);
  if (!session) throw new Error('nobody is logged in');
  return {
    ...session,
    can: (right) => session.rights.includes(right),
    mayEdit: (uid, action) => session.types[uid]?.actions.includes(action) ?? false,
  };
}
