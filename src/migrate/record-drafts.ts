// What rows led to that is not published, when drafts are turned on: from then on only their drafts do. It is put on
// record of the published rows, as if these had just been published, so that they show it as soon as it is.
import { isForeignKey, linkAttributes, morphAttributes } from '../model/links.ts';
import type { ContentType, LinkTable, Schema } from '../model/types.ts';
import { listName } from '../sql/link-names.ts';
import { clearKeysToDrafts, recordDraftsOfMoved } from '../sql/moved-link-statements.ts';
import { run, type Step } from './step.ts';

/** For rows of a schema that are moved to their drafts. */
export async function recordDrafts(step: Step, schema: Schema): Promise<void> {
  const { dialect } = step;
  const record = async (link: LinkTable, target: string, isPlaced: boolean): Promise<ContentType | null> => {
    const type = step.after.contentTypes.get(target);
    if (!type?.draftAndPublish) return null;
    await run(step, recordDraftsOfMoved(dialect, link, { targets: type.table, isPlaced }), listName(link));
    return type;
  };
  for (const { link, target } of linkAttributes(schema)) await record(link, target, false);
  for (const { link, target } of [...schema.attributes.values()].filter(isForeignKey)) {
    const type = await record(link, target, false);
    if (type) await run(step, clearKeysToDrafts(dialect, { table: link.table, column: link.to, target: type.table }));
  }
  for (const { many, targets } of morphAttributes(schema))
    if (many) for (const { uid, link } of targets) await record(link, uid, true);
}
