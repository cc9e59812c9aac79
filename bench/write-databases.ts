// Copies of one database, each for one server, so that all begin with the same rows and the same ids to come.
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { startPostgres } from '../test/support/postgres-server.ts';
import { contentTables, show } from './data.ts';
import { SETTINGS } from './postgres.ts';
import { copyToPostgres } from './postgres-data.ts';
import { NEW_IDS } from './replay.ts';
import { familySeconds, parentOf } from './server.ts';

export interface WriteDatabases {
  /** The address of a new copy. */
  copy(name: string): Promise<string>;
  /** Rows of each table of content. */
  counts(database: string): Promise<ReadonlyMap<string, number>>;
  /** Processor time that the database server has taken so far. */
  processorSeconds(): number;
  close(): Promise<void>;
}

const fileOf = (database: string): string => database.slice('sqlite:'.length);

/** Every table begins its new rows at ids that no other table has, so that an id tells what it is of. */
const firstIdOf = (place: number): number => (place + 1) * NEW_IDS;

/** Copies of a SQLite file that nobody has open. */
export function sqliteDatabases(file: string): WriteDatabases {
  const database = new DatabaseSync(file);
  for (const [place, table] of contentTables(database).sort().entries()) {
    database.prepare('delete from sqlite_sequence where name = ?').run(table);
    database.prepare('insert into sqlite_sequence (name, seq) values (?, ?)').run(table, firstIdOf(place) - 1);
  }
  database.exec('analyze; pragma wal_checkpoint(truncate)');
  database.close();
  return {
    async copy(name) {
      const copied = path.join(path.dirname(file), `${name}.sqlite`);
      copyFileSync(file, copied);
      return `sqlite:${copied}`;
    },
    async counts(url) {
      const opened = new DatabaseSync(fileOf(url), { readOnly: true });
      const count = (table: string) => Number(opened.prepare(`select count(*) as n from "${table}"`).get()!.n);
      const counted = new Map(contentTables(opened).map((table) => [table, count(table)]));
      opened.close();
      return counted;
    },
    processorSeconds: () => 0,
    async close() {},
  };
}

const BASE = 'base';
/** As a server is set up that must not lose what it has committed. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

export interface PostgresCopies {
  readonly file: string;
  readonly project: string;
  readonly durable: boolean;
}

/** A PostgreSQL server of its own with the content of a SQLite file, and copies of its database. */
export async function postgresDatabases({ file, project, durable }: PostgresCopies): Promise<WriteDatabases> {
  const server = await startPostgres({ ...SETTINGS, ...(durable && DURABLE) });
  const run = async <T>(database: string, work: (client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: `${server.url}/${database}` });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };
  let postmaster = 0;
  try {
    await run('postgres', async (client) => {
      await client.query(`create database ${BASE}`);
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      postmaster = parentOf(rows[0]!.pid);
    });
    await copyToPostgres(file, `${server.url}/${BASE}`, project);
    await run(BASE, setFirstIds);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    async copy(name) {
      show(`PostgreSQL: copy ${name}`);
      await run('postgres', (client) => client.query(`create database ${name} template ${BASE} strategy file_copy`));
      return `${server.url}/${name}`;
    },
    counts: (url) => run(new URL(url).pathname.slice(1), countTables),
    processorSeconds: () => familySeconds(postmaster),
    close: () => server.stop(),
  };
}

async function tablesOf(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'id' where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null order by 1`,
  );
  return rows.map(({ name }) => name);
}

async function setFirstIds(client: Client): Promise<void> {
  for (const [place, table] of (await tablesOf(client)).entries())
    await client.query(`select setval(pg_get_serial_sequence($1, 'id'), $2, false)`, [`"${table}"`, firstIdOf(place)]);
}

async function countTables(client: Client): Promise<ReadonlyMap<string, number>> {
  const counted = new Map<string, number>();
  for (const table of await tablesOf(client)) {
    const { rows } = await client.query<{ n: number }>(`select count(*)::int4 as n from "${table}"`);
    counted.set(table, rows[0]!.n);
  }
  return counted;
}
