// Lists of entries of several types, copied from one row to another: from a draft to its published row and back, into
// another locale, into a clone. All types share one order.
import type { ContentType, LinkTable, MorphAttribute, Schema } from '../model/types.ts';
import { listName } from '../sql/link-names.ts';
import { holdRows, publishedOf, type RowsFor, versionsByRow } from './document-versions.ts';
import { mayLoseMorphLink } from './morph-key.ts';
import { type RecordedDraft, readMorphRecords, recordDrafts } from './publication-records.ts';
import { takesFromOthers } from './row-rights.ts';
import { listOf, type WriteSession } from './write-session.ts';

/** From which row of a schema to which, and which rows its links lead to there. */
export interface MorphCopy {
  readonly from: number;
  readonly to: number;
  readonly rowsFor: RowsFor;
  /** Whether the entries that show the links of the one row show those of the other. */
  readonly isShown: boolean;
  /** What is put on record of the row: the links of the other, what is on record of it, or nothing. */
  readonly records: 'links' | 'record' | null;
  /** Whether the row gets the links that the other has on record, to what is not published. */
  readonly recalls: boolean;
}

/** `field`: the attribute of the target that shows the link; null where none does. */
interface Link {
  readonly target: number;
  readonly position: number;
  readonly field: string | null;
}

interface StoredLink extends Link {
  readonly id: number;
  readonly row: number;
  readonly uid: string | null;
}

/** Says whether the list was another. */
export async function copyMorphList(
  write: WriteSession,
  schema: Schema,
  attribute: MorphAttribute,
  copy: MorphCopy,
): Promise<boolean> {
  let isChanged = false;
  const { from, to, isShown } = copy;
  const all = await readMorphLinks(write, schema, attribute, [from, to]);
  const source = all.filter(({ row }) => row === from);
  const recalled = await copyRecords(write, attribute, copy, all);
  for (const { uid, link } of attribute.targets) {
    const current = all.filter((stored) => stored.row === to && stored.uid === uid);
    const ofType = source.filter((stored) => stored.uid === uid);
    const copied = ofType.map((one) => ({ ...one, field: isShown ? one.field : null }));
    const desired = [...(await standIns(copy, uid, copied)), ...(recalled.get(uid) ?? [])];
    if (current.length + desired.length === 0) continue;
    const { surplus, moved, added: missing } = compare(current, desired);
    const present = await holdRows(write, write.type(uid), targetsOf(missing));
    const added = missing.filter(({ target }) => present.has(target));
    const isLost = ({ target, field }: Link): boolean =>
      field !== null || !desired.some((wanted) => wanted.target === target);
    const ids = surplus.filter(isLost).map(({ target }) => target);
    isChanged ||= surplus.length > 0 || moved.length > 0 || added.length > 0;
    if (!(await mayLoseMorphLink(write, schema, attribute, { target: write.type(uid), ids })))
      throw takesFromOthers([attribute.name]);
    if (surplus.length > 0)
      await write.run.change(link.table, write.sql.deleteRows(link.table), listOf(surplus.map(({ id }) => id)));
    if (moved.length > 0)
      await write.run.change(link.table, write.sql.setPositions(link.table, link.order!), JSON.stringify(moved));
    for (const [field, group] of Map.groupBy(added, (wanted) => wanted.field)) {
      const pairs = group.map(({ target, position }) => [target, position]);
      await write.run.change(link.table, write.sql.insertLinks(shownBy(link, field)), to, JSON.stringify(pairs));
    }
  }
  return isChanged;
}

const targetsOf = (links: readonly Link[]): number[] => links.map(({ target }) => target);

/** The links that stand for others in a copy, at the same positions. */
async function standIns({ rowsFor }: MorphCopy, uid: string, links: readonly Link[]): Promise<Link[]> {
  const targets = targetsOf(links);
  const rows = targets.length === 0 ? new Map<number, number>() : await rowsFor(uid, targets);
  return links.flatMap(({ target, position, field }) => {
    const row = rows.get(target);
    return row === undefined ? [] : [{ target: row, position, field }];
  });
}

/** By type. */
type Links = ReadonlyMap<string, readonly Link[]>;

/**
 * Copies what is on record of a list, or puts it on record: the drafts that no field shows the link to. Returns the
 * links that a draft gets back or keeps, to what is not published: those on record, and those that a field shows, which
 * follow the publication of their other end.
 */
async function copyRecords(
  write: WriteSession,
  { targets }: MorphAttribute,
  copy: MorphCopy,
  links: readonly StoredLink[],
): Promise<Links> {
  const recalled = new Map<string, Link[]>();
  const withDrafts = targets.filter(({ uid }) => write.type(uid).draftAndPublish);
  if ((!copy.records && !copy.recalls) || withDrafts.length === 0) return recalled;
  const lists = withDrafts.map(({ link }) => listName(link));
  const records = await readMorphRecords(write, lists, [copy.from, copy.to]);
  const desired: RecordedDraft[] = [];
  for (const { uid, link } of withDrafts) {
    const list = listName(link);
    const recorded = records.filter((record) => record.row === copy.from && record.list === list);
    const ofType = links.filter((stored) => stored.uid === uid);
    const shown = ofType.filter(({ row, field }) => row === copy.to && field !== null);
    if (copy.recalls) recalled.set(uid, await notPublished(write, write.type(uid), [...recorded, ...shown]));
    const oneWay = ofType.filter(({ row, field }) => row === copy.from && field === null);
    const drafts = copy.records === 'links' ? oneWay : await standIns(copy, uid, recorded);
    desired.push(...drafts.map(({ target, position }) => ({ list, target, position })));
  }
  const current = records.filter(({ row }) => row === copy.to);
  if (copy.records) await recordDrafts(write, copy.to, { current, desired });
  return recalled;
}

/** Those of the links with drafts that are still there and have no published row. */
async function notPublished(write: WriteSession, type: ContentType, links: readonly Link[]): Promise<Link[]> {
  if (links.length === 0) return [];
  const ids = targetsOf(links);
  const published = await publishedOf(write, type.table, ids);
  const present = new Set((await versionsByRow(write, type, ids)).map(({ id }) => id));
  return links.filter(({ target }) => present.has(target) && !published.has(target));
}

async function readMorphLinks(
  write: WriteSession,
  schema: Schema,
  attribute: MorphAttribute,
  rows: readonly number[],
): Promise<StoredLink[]> {
  const found = await write.run.rows(write.sql.morph.links(attribute.targets[0]!.link), listOf(rows));
  const last = new Map<number, number>();
  return found.map(([id, row, uid, target, stored, field]) => {
    const shows = field !== null && uid !== null && isShownBy(write, { uid, field }, { schema, attribute });
    // Links without a position come last, and so stand behind the others.
    const position = stored ?? (last.get(row) ?? 0) + 1;
    last.set(row, position);
    return { id, row, uid, target, position, field: shows ? field : null };
  });
}

/** Whether a field of a type shows which rows of a schema lead there by an attribute. */
function isShownBy(
  { model }: WriteSession,
  { uid, field }: { readonly uid: string; readonly field: string },
  { schema, attribute }: { readonly schema: Schema; readonly attribute: MorphAttribute },
): boolean {
  const other = model.contentTypes.get(uid)?.attributes.get(field);
  return other?.kind === 'relation' && other.target === schema.uid && other.inverse === attribute.name;
}

/** What is to be done to the links of a row, so that they are the desired ones. */
function compare(current: readonly StoredLink[], desired: readonly Link[]) {
  const surplus = [...current];
  const moved: [id: number, position: number][] = [];
  const added: Link[] = [];
  for (const wanted of desired) {
    const at = surplus.findIndex(({ target, field }) => target === wanted.target && field === wanted.field);
    const [kept] = at < 0 ? [] : surplus.splice(at, 1);
    if (!kept) added.push(wanted);
    else if (kept.position !== wanted.position) moved.push([kept.id, wanted.position]);
  }
  return { surplus, moved, added };
}

/** The links of a table that a field of their targets shows. */
const shownBy = (link: LinkTable, field: string | null): LinkTable =>
  field === null ? link : { ...link, constants: [...link.constants, { column: 'field', value: field }] };
