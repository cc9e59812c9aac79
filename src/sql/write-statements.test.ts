// How many statements of writes are kept.
import { expect, it } from 'vitest';
import { MAX_CACHED_STATEMENTS } from '../limits.ts';
import { sqliteDialect } from './dialect-sqlite.ts';
import { WriteStatements } from './write-statements.ts';

it('keeps a statement while it is used, and forgets it when many others have been', () => {
  const statements = new WriteStatements(sqliteDialect);
  const update = (column: string) => statements.updateDocument('places', [{ column, type: 'string' }], false);
  const first = update('name');
  expect(update('name')).toBe(first);
  for (let index = 0; index < 2 * MAX_CACHED_STATEMENTS; index++) update(`column_${index}`);
  expect(update('name')).not.toBe(first);
  expect(update('name').sql).toBe(first.sql);
});
