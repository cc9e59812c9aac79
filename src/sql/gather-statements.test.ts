// How SQLite runs what a write gathers, on a file whose tables it has counted.
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { PUBLISHED_LISTS } from '../model/tables.ts';
import { sqliteDialect } from './dialect-sqlite.ts';
import { GatherStatements } from './gather-statements.ts';

const LISTS = 40;
const HOLDERS = 1000;

it('looks records of many lists up in their index, whatever SQLite knows of the table', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(`
    create table ${PUBLISHED_LISTS} (id integer primary key, list text, holder_id integer, target_id integer, position float);
    create unique index holder on ${PUBLISHED_LISTS} (list, holder_id, target_id);
    with recursive h (n) as (select 1 union all select n + 1 from h where n < ${HOLDERS})
      insert into ${PUBLISHED_LISTS} (list, holder_id, target_id, position) select 'list ' || (n % 5), n, n, 1 from h;
    analyze`);
  const lists = Array.from({ length: LISTS }, (_, index) => `list ${index}`);
  const { sql } = new GatherStatements(sqliteDialect).gather([{ read: 'records', lists }]);
  const plan = database.prepare(`explain query plan ${sql}`).all('[7, 8]');
  expect(plan.map(({ detail }) => detail)).toContain('SEARCH p USING INDEX holder (list=? AND holder_id=?)');
  const records = database.prepare(sql).all('[7, 8]') as { holder_id: number; list: string }[];
  expect(records.map(({ holder_id, list }) => [holder_id, list])).toEqual([
    [7, 'list 2'],
    [8, 'list 3'],
  ]);
  database.close();
});
