// Fills tables of a PostgreSQL database with rows as the SQLite fixture writes them: instants in milliseconds, booleans
// as 0 and 1, JSON as text. What a value becomes depends on the type of its column.
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type pg from 'pg';
import type { Cell, TableContents } from './database.ts';

/** The database with the guide's content, made by Sheaf and filled from the SQLite fixture. */
export const GUIDE_TEMPLATE = 'guide';

/** The database with the guide's tables, as a first start makes it. */
export const EMPTY_GUIDE_TEMPLATE = 'emptyguide';

/** Lists of locales that there is a template for, of a project without types. */
export const TEMPLATE_LOCALES: readonly (readonly string[] | null)[] = [null, ['en', 'fr']];

export const templateOf = (locales: readonly string[] | null): string => `bare${(locales ?? []).join('')}`;

/** The URL of a SQLite template. */
export const sqliteTemplate = (folder: string, name: string): string => `sqlite:${path.join(folder, `${name}.sqlite`)}`;

/** All rows of a SQLite file. */
export function readSqlite(file: string): TableContents {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    const tables = connection.prepare(
      `select name from sqlite_master where type = 'table' and name not like 'sqlite%'`,
    );
    return Object.fromEntries(
      tables.all().map(({ name }) => {
        const rows = connection.prepare(`select * from "${name}"`);
        rows.setReadBigInts(true);
        return [String(name), rows.all() as Record<string, Cell>[]];
      }),
    );
  } finally {
    connection.close();
  }
}

/** Replaces the rows of the tables that are named. References are checked when all of them are filled. */
export async function fillTables(client: pg.Client, contents: TableContents): Promise<void> {
  const tables = Object.keys(contents);
  if (tables.length === 0) return;
  const types = await columnTypes(client);
  await client.query('begin');
  await client.query('set local session_replication_role = replica');
  for (const table of tables) {
    await client.query(`delete from "${table}"`);
    await insertRows(client, table, contents[table]!, types.get(table) ?? new Map());
  }
  await client.query('commit');
  const broken = await brokenReferences(client);
  if (broken.length > 0) throw new Error(`The contents point at nothing: ${broken.slice(0, 5).join(', ')}`);
}

async function insertRows(
  client: pg.Client,
  table: string,
  rows: TableContents[string],
  types: ReadonlyMap<string, string>,
): Promise<void> {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (columns.length > 0) {
    const names = columns.map((name) => `"${name}"`).join(', ');
    const values = columns.map((name) => `r."${name}"::${types.get(name)}`).join(', ');
    const texts = columns.map((name) => `"${name}" text`).join(', ');
    const given = rows.map((row) =>
      Object.fromEntries(columns.map((name) => [name, written(row[name] ?? null, types.get(name) ?? 'text')])),
    );
    await client.query(
      `insert into "${table}" (${names}) select ${values} from json_to_recordset($1::json) as r(${texts})`,
      [JSON.stringify(given)],
    );
  }
  if (types.has('id'))
    await client.query(
      `select setval(pg_get_serial_sequence('"${table}"', 'id'), greatest(max(id), 1), max(id) is not null) from "${table}"`,
    );
}

function written(cell: Cell, type: string): string | null {
  if (cell === null) return null;
  if (type === 'boolean') return Number(cell) === 1 ? 'true' : 'false';
  if (type.startsWith('timestamp') && typeof cell !== 'string') return new Date(Number(cell)).toISOString();
  return String(cell);
}

/** The types of columns by table. */
export async function columnTypes(client: pg.Client): Promise<Map<string, Map<string, string>>> {
  const { rows } = await client.query<[string, string, string]>({
    text: `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod)
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = quote_ident(current_schema())::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped`,
    rowMode: 'array',
  });
  const tables = new Map<string, Map<string, string>>();
  for (const [table, column, type] of rows) {
    if (!tables.has(table)) tables.set(table, new Map());
    tables.get(table)!.set(column, type);
  }
  return tables;
}

/** Rows whose foreign keys point at nothing; there are none unless checking was off. */
export async function brokenReferences(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ check: string }>(`
    select format('select %L as name, count(*) as count from %s t where t.%I is not null and t.%I not in (select %I from %s)',
      c.conname, c.conrelid::regclass, own.attname, own.attname, far.attname, c.confrelid::regclass) as check
    from pg_constraint c
    join pg_attribute own on own.attrelid = c.conrelid and own.attnum = c.conkey[1]
    join pg_attribute far on far.attrelid = c.confrelid and far.attnum = c.confkey[1]
    where c.contype = 'f' and c.connamespace = quote_ident(current_schema())::regnamespace
      and pg_relation_size(c.conrelid) > 0`);
  if (rows.length === 0) return [];
  const all = rows.map(({ check }) => check).join(' union all ');
  const broken = await client.query<{ name: string; count: string }>(
    `select * from (${all}) as checks where count > 0`,
  );
  return broken.rows.map(({ name, count }) => `${name}: ${count}`);
}
