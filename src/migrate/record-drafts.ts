// Links to what is not published. A row without drafts has them; of one with drafts its draft has them, and they are on
// record of its published row, which shows them once they are published. So they go on record when drafts are turned on,
// as by a publication, and come back from it when drafts are turned off.
import { isForeignKey, linkAttributes, morphAttributes } from '../model/links.ts';
import type { ContentType, LinkTable, RelationAttribute, Schema } from '../model/types.ts';
import { listName } from '../sql/link-names.ts';
import { clearTable, rowsAfter } from '../sql/migration-statements.ts';
import {
  clearKeysToDrafts,
  linkDraftsOfOthers,
  linkRecorded,
  movesToSelf,
  placeAsRecorded,
  ROW_MOVES,
  recordDraftsOfMoved,
  renumber,
  setRecordedKeys,
} from '../sql/moved-link-statements.ts';
import { holdsComponents } from '../store/components.ts';
import { endOf } from './link-ends.ts';
import { run, type Step } from './step.ts';

const withDrafts = (step: Step, uid: string): ContentType | null => {
  const type = step.after.contentTypes.get(uid);
  return type?.draftAndPublish ? type : null;
};

const foreignKeys = (schema: Schema): RelationAttribute[] => [...schema.attributes.values()].filter(isForeignKey);

/** Puts on record what rows of a schema led to, which are moved to their drafts. */
export async function recordDrafts(step: Step, schema: Schema): Promise<void> {
  const { dialect } = step;
  const record = async (link: LinkTable, target: ContentType | null, isPlaced: boolean): Promise<void> => {
    if (target)
      await run(step, recordDraftsOfMoved(dialect, link, { targets: target.table, isPlaced }), listName(link));
  };
  for (const { link, target } of linkAttributes(schema)) await record(link, withDrafts(step, target), false);
  for (const { link, target: uid } of foreignKeys(schema)) {
    const target = withDrafts(step, uid);
    await record(link, target, false);
    if (target)
      await run(step, clearKeysToDrafts(dialect, { table: link.table, column: link.to, target: target.table }));
  }
  for (const { many, targets } of morphAttributes(schema))
    if (many) for (const { uid, link } of targets) await record(link, withDrafts(step, uid), true);
}

/** Leads the rows of a type that stay, and their components, to drafts as well: of what they show, and on record. */
export async function recallDrafts(step: Step, type: ContentType): Promise<void> {
  for (const [schema, rows] of await rowsWithComponents(step, type)) {
    await run(step, clearTable(step.dialect, ROW_MOVES));
    await run(step, movesToSelf(step.dialect), JSON.stringify([...new Set(rows)]));
    for (const attribute of linkAttributes(schema)) if (attribute.inverse === null) await recallList(step, attribute);
    for (const { link, target: uid, inverse } of foreignKeys(schema)) {
      const target = withDrafts(step, uid);
      if (!target || inverse !== null) continue;
      const end = { ...endOf(link), isSingle: true };
      await run(step, setRecordedKeys(step.dialect, end, target.table), listName(link));
    }
    for (const { many, targets } of morphAttributes(schema))
      if (many) for (const { uid, link } of targets) await recallMorphs(step, link, withDrafts(step, uid));
  }
}

async function recallList(step: Step, { link, target: uid, many }: RelationAttribute): Promise<void> {
  const { dialect } = step;
  const target = withDrafts(step, uid);
  if (!target) return;
  const end = { ...endOf(link), isSingle: !many };
  await run(step, linkDraftsOfOthers(dialect, end, target.table));
  if (link.order) await run(step, placeAsRecorded(dialect, end, target.table), listName(link));
  await run(step, linkRecorded(dialect, end, target.table), listName(link));
  if (!link.order) return;
  const list = { table: link.table, holder: link.from, held: link.to, position: link.order };
  await run(step, renumber(dialect, { ...list, heldIn: target.table }));
}

async function recallMorphs(step: Step, link: LinkTable, target: ContentType | null): Promise<void> {
  if (!target) return;
  const end = { ...endOf(link), inField: false, isSingle: false };
  await run(step, linkDraftsOfOthers(step.dialect, end, target.table));
  await run(step, linkRecorded(step.dialect, end, target.table), listName(link));
}

/** The rows of a type, and those of components that they hold at any depth. */
async function rowsWithComponents(step: Step, type: ContentType): Promise<Map<Schema, number[]>> {
  const rows = (await run(step, rowsAfter(step.dialect, type.table), 0)).map(([id]) => id);
  const found = new Map<Schema, number[]>([[type, rows]]);
  for (let level = [...found]; level.length > 0; ) {
    const below = (await Promise.all(level.map(([schema, ids]) => itemsOf(step, schema, ids)))).flat();
    level = [...Map.groupBy(below, ({ component }) => component)].map(([component, items]) => [
      component,
      items.map(({ id }) => id),
    ]);
    for (const [component, ids] of level) found.set(component, (found.get(component) ?? []).concat(ids));
  }
  return found;
}

async function itemsOf(
  step: Step,
  schema: Schema,
  rows: readonly number[],
): Promise<{ readonly component: Schema; readonly id: number }[]> {
  if (!holdsComponents(schema)) return [];
  const statement = step.write(step.after).sql.componentsOfRows(schema.componentTable);
  return (await run(step, statement, JSON.stringify(rows))).flatMap(([id, uid]) => {
    const component = step.after.components.get(uid);
    return component ? [{ component, id }] : [];
  });
}
