// Reads on PostgreSQL: the data set of the SQLite benchmark copied into a server of our own, Sheaf beside a limit
// server that answers from the same database.
import { Pool } from 'pg';
import { startPostgres } from '../test/support/postgres-server.ts';
import { compareBuilds } from './builds.ts';
import { dataSet } from './data.ts';
import type { Options } from './options.ts';
import { copyToPostgres } from './postgres-data.ts';
import { compareReads, ROOT, workloadsOf } from './reads.ts';
import { Server } from './server.ts';

/** Enough for the whole data set and its indexes. */
export const SETTINGS = { shared_buffers: '256MB', work_mem: '16MB' };
const DATABASE = 'guide';

export interface PostgresData {
  readonly url: string;
  /** Of a restaurant in the middle. */
  readonly documentId: string;
}

/** Runs `work` on a PostgreSQL server that holds the data set, and stops the server after it. */
export async function withPostgres(restaurants: number, work: (data: PostgresData) => Promise<void>): Promise<void> {
  const { file, documentId } = await dataSet(restaurants);
  const server = await startPostgres(SETTINGS);
  try {
    const pool = new Pool({ connectionString: `${server.url}/postgres` });
    await pool.query(`create database ${DATABASE}`);
    await pool.end();
    const url = `${server.url}/${DATABASE}`;
    await copyToPostgres(file, url);
    await work({ url, documentId });
  } finally {
    await server.stop();
  }
}

export const readsOnPostgres = (options: Options): Promise<void> =>
  withPostgres(options.restaurants, async ({ url, documentId }) => {
    const workloads = workloadsOf(documentId, options.only);
    const { beside } = options;
    if (beside !== null) return compareBuilds(url, workloads, { ...options, beside });
    const limit = await Server.start('The limit server', ['bench/limit-server-postgres.ts', url, documentId], ROOT);
    await compareReads(limit, url, workloads, options);
    await limit.stop();
  });
