// Indexes of a column that is made anew: those of the model are made by the next step that brings the database to it, those
// that were made by hand here, as they were.
import type { Session } from '../db/database.ts';
import { SetupError } from '../errors.ts';
import type { Dialect } from '../sql/dialect.ts';
import { dropIndex, indexesOfTable } from '../sql/migration-statements.ts';
import { plainStatement } from '../sql/statement.ts';

interface IndexedColumn {
  readonly table: string;
  readonly column: string;
  /** The names of the model's own indexes. */
  readonly indexes: readonly string[];
}

/** Runs work that drops a column and makes it anew. */
export async function aroundIndexes(
  session: Session,
  dialect: Dialect,
  { table, column, indexes }: IndexedColumn,
  work: () => Promise<void>,
): Promise<void> {
  const stored = dialect.storedName(column).replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const mentions = new RegExp(`\\([^]*(?<![\\p{L}\\p{N}_$])${stored}(?![\\p{L}\\p{N}_$])`, 'u');
  const own = new Set(indexes.map((name) => dialect.storedName(name)));
  const found = await session.rows(indexesOfTable(dialect), [dialect.storedName(table)]);
  const byHand = found.filter(([name, definition]) => !own.has(name) && mentions.test(definition));
  for (const name of [...indexes, ...byHand.map(([one]) => one)]) await session.rows(dropIndex(dialect, name), []);
  await work();
  for (const [name, definition] of byHand)
    try {
      await session.rows(plainStatement(definition), []);
    } catch (error) {
      throw new SetupError(`The index ${name}, which was made by hand, does not fit ${table}.${column} any more`, [
        error instanceof Error ? error.message : String(error),
        'drop it, and try again',
      ]);
    }
}
