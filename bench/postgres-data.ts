// Copies a data set from SQLite to PostgreSQL: Sheaf makes the tables, then each is filled with the rows of its
// counterpart, in batches that are sent as JSON and read by the types of the columns.
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { contentTables, openToAll, PROJECT, show } from './data.ts';

const BATCH = 5_000;

export async function copyToPostgres(file: string, url: string, project = PROJECT): Promise<void> {
  await openToAll(url, project);
  const source = new DatabaseSync(file, { readOnly: true });
  const target = new Client({ connectionString: url });
  await target.connect();
  try {
    // Tables come in no order, so keys lead nowhere until all are filled.
    await target.query('set session_replication_role = replica');
    for (const table of contentTables(source)) await copyTable(source, target, table);
    show('PostgreSQL: analyze\n');
    await target.query('vacuum analyze');
  } finally {
    await target.end();
    source.close();
  }
}

async function copyTable(source: DatabaseSync, target: Client, table: string): Promise<void> {
  const { rows } = await target.query<{ column_name: string; data_type: string }>(
    'select column_name, data_type from information_schema.columns where table_schema = current_schema() and table_name = $1',
    [table],
  );
  // Another build may have made a table of its own in the data set.
  if (rows.length === 0) return;
  const names = rows.map(({ column_name: name }) => `"${name}"`).join(', ');
  const values = rows.map(({ data_type: type }, index) => reading(index, type)).join(', ');
  const insert = `insert into "${table}" (${names}) select ${values} from json_array_elements($1::json) as e(r)`;
  const select = source.prepare(`select ${names} from "${table}" order by id`);
  select.setReturnArrays(true);
  // The start that made the tables has written settings of its own.
  await target.query(`delete from "${table}"`);
  let batch: unknown[] = [];
  let done = 0;
  const send = async (): Promise<void> => {
    if (batch.length === 0) return;
    await target.query(insert, [JSON.stringify(batch)]);
    done += batch.length;
    batch = [];
  };
  for (const row of select.iterate()) {
    batch.push(row);
    if (batch.length === BATCH) await send();
  }
  await send();
  if (done === 0) return;
  await target.query(`select setval(pg_get_serial_sequence($1, 'id'), (select max(id) from "${table}"))`, [
    `"${table}"`,
  ]);
  show(`PostgreSQL: ${table}, ${done} rows`);
}

/** The value at a place of a row, as its column's type; SQLite keeps instants in milliseconds and booleans as 0 and 1. */
function reading(index: number, type: string): string {
  const text = `(e.r ->> ${index})`;
  if (type === 'boolean') return `${text}::int4 = 1`;
  if (type.startsWith('timestamp')) return `to_timestamp(${text}::float8 / 1000) at time zone 'UTC'`;
  return `${text}::${type}`;
}
