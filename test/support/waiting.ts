// Waits until another transaction waits: so tests let writers meet on PostgreSQL.
import type pg from 'pg';
import { expect, vi } from 'vitest';
import { IN_THE_END } from './patience.ts';

/** Goes on when somebody waits for what a transaction holds. */
export const waitingFor = (client: pg.Client): Promise<void> =>
  vi.waitFor(async () => {
    const sql = 'select 1 from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))';
    expect((await client.query(sql)).rows).toHaveLength(1);
  }, IN_THE_END);
