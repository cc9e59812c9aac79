// Positions of lists that gained or lost entries by a change, from 1 on.
import type { ContentType, Model, Schema } from '../model/types.ts';
import { renumber } from '../sql/moved-link-statements.ts';
import { schemaOf } from './change.ts';
import type { TypeLinks } from './link-ends.ts';
import { run, type Step } from './step.ts';

/** Whether links have an order of their own. Lists of several types share one. */
export const isNumbered = ({ constants, ownOrder, otherOrder }: TypeLinks): boolean =>
  constants.length === 0 && (ownOrder ?? otherOrder) !== null;

export async function renumberLists(
  step: Step,
  model: Model,
  type: ContentType,
  links: readonly TypeLinks[],
): Promise<void> {
  const tableWithDrafts = (schema: Schema | undefined): string | null =>
    schema && schema.kind !== 'component' && schema.draftAndPublish ? schema.table : null;
  for (const { table, own, other, ownOrder, otherOrder, schema } of links.filter(isNumbered)) {
    const others = tableWithDrafts(schemaOf(model, schema.uid));
    if (ownOrder)
      await run(step, renumber(step.dialect, { table, holder: own, held: other, position: ownOrder, heldIn: others }));
    if (otherOrder) {
      const heldIn = tableWithDrafts(type);
      await run(step, renumber(step.dialect, { table, holder: other, held: own, position: otherOrder, heldIn }));
    }
  }
}
