// Turning drafts on: every published row gets a draft that holds and links the same. Turning them off: the published rows
// stay, and the drafts are set aside. Links of other entries lead to the rows that stand for the same documents then.
import { linkAttributes } from '../model/links.ts';
import { COMPONENT_COPIES, PUBLISHED_LISTS } from '../model/tables.ts';
import type { ContentType, LinkTable, Model, RelationAttribute, Schema } from '../model/types.ts';
import { listName } from '../sql/link-names.ts';
import { clearTable, dropTable, lastRow } from '../sql/migration-statements.ts';
import {
  clearSecondKeys,
  createRowMoves,
  forgetCopies,
  forgetLists,
  insertDrafts,
  keepKeysOfDrafts,
  leadDraftsToDrafts,
  linkBothMoved,
  linkDraftsOfOthers,
  movedRows,
  moveKeys,
  moveLinks,
  movesToCopies,
  movesToDrafts,
  movesToPublished,
  publishAll,
  ROW_MOVES,
  renumber,
  toAny,
  toDraftOf,
  toThese,
  unlinkDrafts,
  unlinkGone,
  unlinkMoved,
  unlinkSecond,
  unlinkTwice,
} from '../sql/moved-link-statements.ts';
import { holdersOfComponents } from '../store/components.ts';
import { copyContentOfRows, copyMorphs } from '../store/copy.ts';
import { versionsByRow } from '../store/document-versions.ts';
import { listsOf, listsTo } from '../store/publication-records.ts';
import { removeRows } from '../store/remove.ts';
import type { WriteSession } from '../store/write-session.ts';
import type { UndoAction } from './aside.ts';
import {
  componentsBelow,
  keysOfType,
  keysToType,
  linksOfSchema,
  linksOfType,
  type TypeKeys,
  type TypeLinks,
  tablesAround,
} from './link-ends.ts';
import { linkMovedInOrder } from './link-moved.ts';
import { recallDrafts, recordDrafts } from './record-drafts.ts';
import { isNumbered, renumberLists } from './renumber.ts';
import { BATCH, run, type Step } from './step.ts';

const typeIn = (model: Model, uid: string): ContentType => model.contentTypes.get(uid)!;

export function turnDraftsOn(step: Step, uid: string): Promise<UndoAction[]> {
  const type = typeIn(step.after, uid);
  return step.aside.around(tablesAround(step.after, type), async () => {
    const { dialect } = step;
    await run(step, publishAll(dialect, type.table), Date.now());
    const columns = step.aside.columnsOf(type.table).filter((column) => column !== 'id' && column !== 'published_at');
    await run(step, insertDrafts(dialect, type.table, columns));
    await run(step, createRowMoves(dialect));
    await run(step, movesToDrafts(dialect, type.table));
    const links = linksOfType(step.after, type);
    for (const end of links) await linkDrafts(step, type, end);
    for (const key of keysToType(step.after, type)) await leadKeysToDrafts(step, key);
    for (const key of keysOfType(type)) await leadOwnKeysToDrafts(step, type, key);
    const [last] = await run(step, lastRow(dialect, COMPONENT_COPIES));
    await copyContentToDrafts(step, type);
    await separateMorphs(step, type);
    await recordDrafts(step, type);
    for (const component of componentsBelow(step.after, type)) await linkDraftsInComponents(step, component, last![0]);
    await run(step, dropTable(dialect, ROW_MOVES));
    await renumberLists(step, step.after, type, links);
    await recordPublishedLists(step, type);
  });
}

const hasDrafts = (schema: Schema): boolean => schema.kind !== 'component' && schema.draftAndPublish;

/** Gives the drafts the links that their published rows have; drafts and published rows do not lead to each other. */
async function linkDrafts(step: Step, type: ContentType, end: TypeLinks): Promise<void> {
  const { dialect } = step;
  const { schema } = end;
  if (schema.kind === 'component') {
    const { drafts, others } = await componentsByStatus(step, schema, { ...end, from: end.other, to: end.own });
    await run(step, moveLinks(dialect, end, toThese), JSON.stringify(drafts));
    await linkMovedInOrder(step, end, toThese, JSON.stringify(others));
  } else if (schema.uid === type.uid) await run(step, linkBothMoved(dialect, end));
  else if (schema.draftAndPublish) {
    await run(step, moveLinks(dialect, end, toDraftOf(schema.table)));
    // What others show is theirs: their drafts may have lost a link that is still published.
    if (!end.isShownThere) await run(step, linkDraftsOfOthers(dialect, end, schema.table));
  } else await linkMovedInOrder(step, end, toAny);
}

/** Keys of drafts lead to drafts. One of a row without drafts leads to one row, which stays the published one. */
async function leadKeysToDrafts(step: Step, key: TypeKeys): Promise<void> {
  const { dialect } = step;
  const { schema, table, column, constants } = key;
  if (schema.kind === 'component') {
    const { drafts } = await componentsByStatus(step, schema, { table, from: 'id', to: column, constants });
    await run(step, moveKeys(dialect, { ...key, of: 'these' }), JSON.stringify(drafts));
  } else if (schema.draftAndPublish) await run(step, moveKeys(dialect, { ...key, of: 'drafts' }));
}

/** The drafts of a type have the keys of their rows, which may lead to published rows of a type with drafts. */
async function leadOwnKeysToDrafts(
  step: Step,
  { table }: ContentType,
  { target, link }: RelationAttribute,
): Promise<void> {
  const other = typeIn(step.after, target);
  if (other.draftAndPublish)
    await run(step, leadDraftsToDrafts(step.dialect, { table, column: link.to, target: other.table }));
}

/** Component rows that lead to moved rows: those of drafts, and those of entries without drafts. */
async function componentsByStatus(
  step: Step,
  schema: Schema & { kind: 'component' },
  { table, from, to, constants }: Pick<LinkTable, 'table' | 'from' | 'to' | 'constants'>,
): Promise<{ drafts: number[]; others: number[] }> {
  const write = step.write(step.after);
  const link = { table, from, to, constants, order: null, inverseOrder: null };
  const held = await run(step, write.sql.linksTo(link), await movedIds(step), -1);
  const ids = [...new Set(held.map(([, component]) => component))];
  const statuses = new Map<number, 'draft' | 'published' | 'live'>();
  for (const id of ids) statuses.set(id, await statusOfComponent(write, schema, id));
  return {
    drafts: ids.filter((id) => statuses.get(id) === 'draft'),
    others: ids.filter((id) => statuses.get(id) === 'live'),
  };
}

const movedIds = async (step: Step): Promise<string> =>
  JSON.stringify((await run(step, movedRows(step.dialect))).map(([from]) => from));

/** The status of the entry that a component row belongs to; `live` where that has no drafts, or belongs to none. */
async function statusOfComponent(
  write: WriteSession,
  component: Schema & { kind: 'component' },
  id: number,
): Promise<'draft' | 'published' | 'live'> {
  for (const { schema, holders } of await holdersOfComponents(write, component, [id])) {
    const { row } = holders[0]!;
    if (schema.kind === 'component') return statusOfComponent(write, schema, row);
    if (!schema.draftAndPublish) return 'live';
    const [version] = await versionsByRow(write, schema, [row]);
    return version?.published === false ? 'draft' : 'published';
  }
  return 'live';
}

/** Components, files and polymorphic links are copied, those of many rows together. */
async function copyContentToDrafts(step: Step, type: ContentType): Promise<void> {
  const isCopied = [...type.attributes.values()].some(
    ({ kind }) => kind === 'component' || kind === 'dynamiczone' || kind === 'media' || kind === 'morph',
  );
  if (!isCopied) return;
  const moves = await run(step, movedRows(step.dialect));
  for (let start = 0; start < moves.length; start += BATCH) {
    step.progress(start, moves.length);
    const write = step.write(step.after);
    const copies = moves
      .slice(start, start + BATCH)
      .map(([from, draft]) => ({ from, to: draft!, toIsNew: true, purpose: { to: 'draft' } }) as const);
    await copyContentOfRows(write, type, copies);
    for (const copy of copies) await copyMorphs(write, type, copy);
    await write.run.flush();
  }
}

/** A component of a row without drafts led to drafts and published rows; now it leads to one of them, and its copy to the other. `after`: the record of a copy, those after which are new. */
async function linkDraftsInComponents(step: Step, component: Schema, after: number): Promise<void> {
  const { dialect } = step;
  const toDrafts = linksOfSchema(step.after, component).filter(({ schema }) => hasDrafts(schema));
  await run(step, clearTable(dialect, ROW_MOVES));
  await run(step, movesToCopies(dialect), component.table, after);
  await separateMorphs(step, component);
  for (const end of toDrafts) {
    await run(step, unlinkMoved(dialect, end));
    await run(step, moveLinks(dialect, end, toDraftOf(end.schema.table)));
    await run(step, linkDraftsOfOthers(dialect, end, end.schema.table));
    if (end.ownOrder) {
      const list = { table: end.table, holder: end.own, held: end.other, position: end.ownOrder };
      await run(step, renumber(dialect, { ...list, heldIn: end.schema.table }));
    }
  }
  await recordDrafts(step, component);
}

/** A polymorphic list led to drafts and published rows: now that of a draft leads to drafts, the other to published rows. */
async function separateMorphs(step: Step, schema: Schema): Promise<void> {
  for (const attribute of schema.attributes.values()) {
    if (attribute.kind !== 'morph' || !attribute.many) continue;
    for (const { uid, link } of attribute.targets) {
      const target = step.after.contentTypes.get(uid);
      if (!target?.draftAndPublish) continue;
      await run(step, unlinkTwice(step.dialect, link));
      await run(step, unlinkDrafts(step.dialect, link, target.table));
    }
  }
}

/** What is published now was published with the links it has. */
async function recordPublishedLists(step: Step, type: ContentType): Promise<void> {
  const { publications } = step.write(step.after);
  for (const holder of step.after.contentTypes.values()) {
    if (!holder.draftAndPublish) continue;
    for (const { link, target } of linkAttributes(holder)) {
      const other = typeIn(step.after, target);
      if (other.draftAndPublish && (holder === type || other === type))
        await run(step, publications.adoptLists(link, holder.table, other.table), listName(link));
    }
  }
}

export function turnDraftsOff(step: Step, uid: string): Promise<UndoAction[]> {
  const type = typeIn(step.before, uid);
  return step.aside.around(tablesAround(step.before, type), async () => {
    const { dialect } = step;
    await run(step, createRowMoves(dialect));
    await run(step, movesToPublished(dialect, type.table));
    const links = linksOfType(step.before, type);
    for (const end of links) await keepLinksOfDrafts(step, type, end);
    for (const { link, target: other, inverse } of keysOfType(type)) {
      const target = typeIn(step.after, other);
      // The draft at the other end shows the link as well.
      if (inverse !== null && target.draftAndPublish)
        await run(step, keepKeysOfDrafts(dialect, { table: link.table, column: link.to, target: target.table }));
    }
    await keepKeys(step, type);
    await removeMoved(step, type, links);
    await recallDrafts(step, typeIn(step.after, uid));
    await run(step, dropTable(dialect, ROW_MOVES));
    await forgetRecords(step, type);
    await renumberLists(step, step.after, typeIn(step.after, uid), links);
  });
}

/** What others show of a draft, they show of its published row. What only the draft shows goes with it. */
async function keepLinksOfDrafts(step: Step, type: ContentType, end: TypeLinks): Promise<void> {
  const { schema } = end;
  if (schema.uid === type.uid) return;
  if (schema.kind === 'component' || (!schema.draftAndPublish && !end.isShownHere)) await keepLinks(step, type, end);
  else if (schema.draftAndPublish && end.isShownThere) await linkMovedInOrder(step, end, toDraftOf(schema.table));
}

/** Rows that stay get the links of those that go. A relation to one stays with the document that it leads to already. */
export async function keepLinks(step: Step, type: ContentType, end: TypeLinks): Promise<void> {
  const { dialect } = step;
  await linkMovedInOrder(step, end, toAny);
  if (end.isSingle) await run(step, unlinkSecond(dialect, end, { end: 'other', table: end.schema.table }));
  if (end.isExclusive) await run(step, unlinkSecond(dialect, end, { end: 'own', table: type.table }));
}

/** Keys lead to the rows that stay; where two documents would share one that takes one only, one keeps it. */
export async function keepKeys(step: Step, type: ContentType): Promise<void> {
  for (const key of keysToType(step.before, type)) {
    if (key.isExclusive && key.schema.kind !== 'component') await run(step, clearSecondKeys(step.dialect, key));
    await run(step, moveKeys(step.dialect, { ...key, of: 'all' }));
  }
}

/**
 * Deletes the rows that are moved, with what they hold. Their links in lists with an order go before: whoever calls this
 * numbers these lists anew in the end, and not once for each batch of rows.
 */
export async function removeMoved(step: Step, type: ContentType, links: readonly TypeLinks[]): Promise<void> {
  for (const end of links) if (isNumbered(end)) await run(step, unlinkGone(step.dialect, end));
  const gone = (await run(step, movedRows(step.dialect))).map(([from]) => from);
  for (let start = 0; start < gone.length; start += BATCH) {
    step.progress(start, gone.length);
    const write = step.write(step.before);
    await removeRows(write, type, gone.slice(start, start + BATCH));
    await write.run.flush();
  }
}

async function forgetRecords(step: Step, type: ContentType): Promise<void> {
  const lists = [...listsOf(type).map(({ list }) => list), ...listsTo(step.before, type.uid)];
  await run(step, forgetLists(step.dialect, PUBLISHED_LISTS), JSON.stringify(lists));
  for (const { table } of componentsBelow(step.before, type))
    await run(step, forgetCopies(step.dialect, COMPONENT_COPIES, table), table);
}
