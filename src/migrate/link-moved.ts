// Links of the rows that others are moved to. Those of polymorphic lists may have one position, which then show in the
// order of their ids: on both sides, so that neither positions nor single links can be set apart without changing another
// list. Where links are added to such a list, all links of its table are made anew, in order.
import { lastRow } from '../sql/migration-statements.ts';
import {
  deleteLinksUpTo,
  findTie,
  insertInOrder,
  type LinkCondition,
  type LinkEnd,
  linkMoved,
} from '../sql/moved-link-statements.ts';
import type { BoundValue } from '../sql/statement.ts';
import { run, type Step } from './step.ts';

/** Links the rows that others are moved to as these are; `values` are those of the condition. */
export async function linkMovedInOrder(
  step: Step,
  end: LinkEnd,
  condition: LinkCondition,
  ...values: readonly BoundValue[]
): Promise<void> {
  const { dialect } = step;
  const isPolymorphic = end.inField !== undefined && end.otherOrder !== null;
  const hasTies = isPolymorphic && (await run(step, findTie(dialect, end))).length > 0;
  const [before] = hasTies ? (await run(step, lastRow(dialect, end.table)))[0]! : [0];
  await run(step, linkMoved(dialect, end, condition), ...values);
  if (!hasTies) return;
  const [last] = (await run(step, lastRow(dialect, end.table)))[0]!;
  if (last === before) return;
  const columns = step.aside.columnsOf(end.table).filter((column) => column !== 'id');
  await run(step, insertInOrder(dialect, end, columns), before);
  await run(step, deleteLinksUpTo(dialect, end), last);
}
