// The only place where read plans meet the database.
import type { Session } from '../db/database.ts';
import type { ListForm } from '../sql/compile-answer.ts';
import { type CountedList, compileCounts } from '../sql/compile-read.ts';
import type { Dialect } from '../sql/dialect.ts';
import { prepareAggregate } from './aggregate.ts';
import { bindStatement, type Context } from './bind.ts';
import type { CompiledRead } from './compiled-read.ts';
import {
  type NamedStatement,
  type PreparedFirst,
  type PreparedPage,
  type ReadStrategy,
  runBound,
} from './read-strategy.ts';
import { singleStatement } from './single-statement.ts';
import { stepByStep } from './step-by-step.ts';

const STRATEGIES: Readonly<Record<Dialect['reading'], ReadStrategy>> = { singleStatement, stepByStep };

/** A page of entries, or of groups of them. */
export const preparePage = (
  read: CompiledRead,
  slots: readonly unknown[],
  withCount: boolean,
  lists: ListForm = 'whole',
): PreparedPage =>
  read.plan.aggregate
    ? prepareAggregate(read, slots, withCount)
    : STRATEGIES[read.dialect.reading].preparePage(read, slots, withCount, lists);

export const prepareFirst = (read: CompiledRead, slots: readonly unknown[], lists: ListForm = 'whole'): PreparedFirst =>
  STRATEGIES[read.dialect.reading].prepareFirst(read, slots, lists);

export function describeRead(
  read: CompiledRead,
  slots: readonly unknown[],
  kind: Parameters<ReadStrategy['describe']>[2],
): NamedStatement[] {
  if (read.plan.aggregate)
    return [{ title: 'the groups', statement: bindStatement(read.aggregate(kind === 'page and total'), slots) }];
  return STRATEGIES[read.dialect.reading].describe(read, slots, kind);
}

export async function runCount(
  session: Session,
  read: CompiledRead,
  slots: readonly unknown[],
  context: Context,
): Promise<number> {
  const [row] = await runBound(session, bindStatement(read.count(), slots), context);
  return Number(row![0]);
}

/** The documents of a list, each once however many locales it has. */
export async function runDocumentCount(
  session: Session,
  read: CompiledRead,
  slots: readonly unknown[],
  context: Context,
): Promise<number> {
  const [row] = await runBound(session, bindStatement(read.countDocuments(), slots), context);
  return Number(row![1]);
}

/** Lists without values of a request, counted together. */
export async function runCounts(
  session: Session,
  dialect: Dialect,
  lists: readonly CountedList[],
  context: Context,
): Promise<number[]> {
  if (lists.length === 0) return [];
  const rows = await runBound(session, bindStatement(compileCounts(dialect, lists), []), context);
  const counts = new Map(rows.map(([list, count]) => [Number(list), Number(count)]));
  return lists.map((_, index) => counts.get(index)!);
}
