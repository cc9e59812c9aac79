// A read that is run for its numbers: how many rows each of its statements gives, and how long it takes.
import type { Session } from '../db/database.ts';
import type { Context } from '../read/bind.ts';
import type { CompiledRead } from '../read/compiled-read.ts';
import { describeRead, prepareFirst, preparePage } from '../read/run-read.ts';
import type { Row, Statement } from '../sql/statement.ts';

export interface StatementRun {
  readonly sql: string;
  readonly rows: number;
  readonly milliseconds: number;
}

export interface MeasuredRead {
  readonly kind: 'page' | 'page and total' | 'first';
  readonly slots: readonly unknown[];
  readonly context: Context;
}

export async function measureRead(
  session: Session,
  read: CompiledRead,
  { kind, slots, context }: MeasuredRead,
): Promise<readonly StatementRun[]> {
  const runs: StatementRun[] = [];
  const measuring: Session = {
    async rows(statement, values) {
      const begin = performance.now();
      const rows = await session.rows(statement, values);
      const milliseconds = performance.now() - begin;
      runs.push({ sql: statement.sql, rows: rowsFound(read, kind, statement, rows), milliseconds });
      return rows;
    },
  };
  // What one statement gives is whole; it need not be put together.
  if (read.dialect.reading === 'singleStatement')
    for (const { statement } of describeRead(read, slots, kind))
      await measuring.rows(statement.statement, statement.values(context));
  else if (kind === 'first') await prepareFirst(read, slots).run(measuring, context);
  else await preparePage(read, slots, kind === 'page and total').run(measuring, context);
  return runs;
}

/** How many rows a statement found: that of an answer has them as JSON, and that of a page has one where none is found. */
function rowsFound(read: CompiledRead, kind: MeasuredRead['kind'], statement: Statement, rows: readonly Row[]): number {
  if (read.plan.aggregate) return rows.length;
  if (read.dialect.reading === 'singleStatement')
    return statement === read.answer(kind, 'whole') ? rowsInLists(rows) : rows.length;
  const isPage = kind !== 'first' && statement === read.page(kind === 'page and total');
  return isPage ? rows.filter(([id]) => id !== null).length : rows.length;
}

function rowsInLists(rows: readonly Row[]): number {
  let sum = 0;
  for (const [, json] of rows) {
    if (typeof json !== 'string' || !json.startsWith('[')) continue;
    const list: unknown = JSON.parse(json);
    if (Array.isArray(list)) sum += list.length;
  }
  return sum;
}
