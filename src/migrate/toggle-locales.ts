// Turning locales on: what there is, is in the default locale. Turning them off: the rows in the default locale stay, and
// the others are set aside. Links of other entries lead to the rows that stand for the same documents then.
import type { ContentType } from '../model/types.ts';
import { dropTable } from '../sql/migration-statements.ts';
import { clearLocale, createRowMoves, fillLocale, movesToLocale, ROW_MOVES } from '../sql/moved-link-statements.ts';
import type { UndoAction } from './aside.ts';
import { linksOfType, type TypeLinks, tablesAround } from './link-ends.ts';
import { renumberLists } from './renumber.ts';
import { run, type Step } from './step.ts';
import { keepKeys, keepLinks, removeMoved } from './toggle-drafts.ts';

export function turnLocalesOn(step: Step, uid: string): Promise<UndoAction[]> {
  const { table } = step.after.contentTypes.get(uid)!;
  return step.aside.around([table], async () => {
    await run(step, fillLocale(step.dialect, table), step.defaultLocale);
  });
}

export function turnLocalesOff(step: Step, uid: string): Promise<UndoAction[]> {
  const type = step.before.contentTypes.get(uid)!;
  return step.aside.around(tablesAround(step.before, type), async () => {
    const { dialect, defaultLocale } = step;
    await run(step, createRowMoves(dialect));
    await run(step, movesToLocale(dialect, type.table), defaultLocale, defaultLocale);
    const links = linksOfType(step.before, type);
    for (const end of links) if (isKept(type, end)) await keepLinks(step, type, end);
    await keepKeys(step, type);
    await removeMoved(step, type, links);
    await run(step, dropTable(dialect, ROW_MOVES));
    await run(step, clearLocale(dialect, type.table));
    await renumberLists(step, step.after, step.after.contentTypes.get(uid)!, links);
  });
}

/** Whether a link is content of the other end, which stays, and not of the row that goes. */
const isKept = (type: ContentType, { schema, isShownThere, isShownHere }: TypeLinks): boolean =>
  schema.uid !== type.uid && isShownThere && (!isShownHere || (schema.kind !== 'component' && schema.localized));
