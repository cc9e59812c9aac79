// Which sessions belong together: one begins anew whenever it is renewed, and the one before names it.
import type { SessionRow } from '../sql/account-statements.ts';

/** A session with those that it followed and those that follow it. */
export function familyOf(rows: readonly SessionRow[], sessionId: string): readonly SessionRow[] {
  const byId = new Map(rows.map((row) => [row[0], row]));
  const byChild = new Map(rows.map((row) => [row[7], row]));
  const family = new Set<SessionRow>();
  const follow = (first: SessionRow | undefined, next: (row: SessionRow) => SessionRow | undefined): void => {
    for (let row = first; row && !family.has(row); row = next(row)) family.add(row);
  };
  const asked = byId.get(sessionId);
  follow(asked, ([, , , , , , , child]) => byId.get(child ?? ''));
  follow(byChild.get(sessionId), ([id]) => byChild.get(id));
  return [...family];
}

/** Whether the last of those that follow a session is still there. Strapi 5 ends that one alone, and leaves the others. */
export const goesOn = (rows: readonly SessionRow[], sessionId: string): boolean =>
  familyOf(rows, sessionId).some(([, status]) => status === 'active');
