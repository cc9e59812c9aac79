// Connections that have prepared many statements are replaced: SQLite frees those only with their connection.
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { MAX_PREPARED_CHARACTERS } from '../limits.ts';
import { plainStatement } from '../sql/statement.ts';
import type { Database } from './database.ts';
import { openSqlite } from './sqlite.ts';
import { SqliteReader } from './sqlite-connection.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'sheaf-connection-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LENGTH = 100_000;
const longStatement = (number: number) =>
  plainStatement<readonly [number]>(`select ${number} /* ${'x'.repeat(LENGTH)} */`);
const ENOUGH = Math.ceil(MAX_PREPARED_CHARACTERS / LENGTH);

const readers = (database: Database): number => database.usage().connections - 1;
const ask = (database: Database, number: number) =>
  database.snapshot((session) => session.rows(longStatement(number), []));

it('is closed after its work, and another one is opened when it is needed', async () => {
  const database = openSqlite(path.join(folder, 'one.sqlite'), 'create');
  for (let number = 1; number < ENOUGH; number++) {
    expect(await ask(database, number)).toEqual([[number]]);
    expect(readers(database)).toBe(1);
  }
  await ask(database, ENOUGH);
  expect(readers(database)).toBe(0);
  expect(await ask(database, 0)).toEqual([[0]]);
  expect(readers(database)).toBe(1);
  await database.close();
});

it('gives its turn to a new one where others wait', async () => {
  const database = openSqlite(path.join(folder, 'two.sqlite'), 'create');
  const slow = (number: number) =>
    database.snapshot(async (session) => {
      await new Promise((resolve) => setImmediate(resolve));
      return session.rows(longStatement(number), []);
    });
  const numbers = Array.from({ length: 20 * ENOUGH }, (_, number) => number);
  expect(await Promise.all(numbers.map(slow))).toEqual(numbers.map((number) => [[number]]));
  await database.close();
});

it('is replaced in a process that only reads', async () => {
  const file = path.join(folder, 'three.sqlite');
  await openSqlite(file, 'create').close();
  const reader = new SqliteReader(file, false);
  for (let number = 0; number < 2 * ENOUGH; number++) {
    const { result } = await reader.snapshot((session) => session.rows(longStatement(number), []));
    expect(result).toEqual([[number]]);
  }
});

it('rounds integers beyond 2⁵³ that a column holds, and reads others as they are', async () => {
  const database = openSqlite(path.join(folder, 'four.sqlite'), 'create');
  const statement = plainStatement<readonly [number, string]>(
    "select value, 'x' from (select 1 as value union all select 9223372036854775807 union all select -9007199254740993)",
  );
  for (let times = 0; times < 2; times++) {
    const rows = await database.snapshot((session) => session.rows(statement, []));
    expect(new Set(rows.map(([value]) => value))).toEqual(new Set([1, 2 ** 63, -(2 ** 53)]));
  }
  await database.close();
});
